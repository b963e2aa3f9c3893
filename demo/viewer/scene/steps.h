// Uneven ground of blocks, and feet that are placed on it.
#ifndef DEMO_VIEWER_SCENE_STEPS_H
#define DEMO_VIEWER_SCENE_STEPS_H

#include "md5/md5model.h"
#include "md5/md5pose.h"

struct view_scene;
struct view_lines;

enum { VIEW_MAX_FEET = 8 };

typedef struct view_steps {
    uint32_t num_feet; // 0: the ground is even
    md5_foot feet[VIEW_MAX_FEET];
    uint32_t pelvis;
    float drop;
    double time;  // of the last call
    float cell;   // side of a block
    float height; // of the highest above the middle
} view_steps;

// Looks for feet by their joints' names: foot or ankle, with a knee and a hip above. Returns how
// many.
uint32_t view_find_feet(view_steps *steps, const struct view_scene *scene);

// Places the feet of the scene's pose, and makes joints and palette anew. `place`: where the model
// stands in the world.
void view_place_feet(struct view_scene *scene, const md5_transform *place, double time);

// Adds the edges of the blocks around a place.
void view_add_blocks(struct view_lines *lines, const view_steps *steps, md5_vec3 centre);

#endif
