// Uneven ground of blocks, and feet that are placed on it.
#ifndef DEMO_VIEWER_SCENE_STEPS_H
#define DEMO_VIEWER_SCENE_STEPS_H

#include "md5/md5model.h"
#include "md5/md5pose.h"

struct view_scene;

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

// The number of the block at a coordinate, and a block's height: the same for the same block, from
// -height to height.
int32_t view_block_of(const view_steps *steps, float place);
float view_block_height(const view_steps *steps, int32_t x, int32_t y);

#endif
