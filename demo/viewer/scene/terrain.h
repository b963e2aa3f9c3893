// Terrain of square blocks, and feet placed on it.
#ifndef DEMO_VIEWER_SCENE_TERRAIN_H
#define DEMO_VIEWER_SCENE_TERRAIN_H

#include "md5/md5model.h"
#include "md5/md5pose.h"

struct view_scene;

enum { VIEW_MAX_FEET = 8 };

typedef struct view_terrain {
    uint32_t num_feet; // 0: there is no terrain
    md5_foot feet[VIEW_MAX_FEET];
    uint32_t pelvis;
    float drop;   // of the pelvis; see md5_solve_feet()
    double time;  // of the last call
    float cell;   // side of a block
    float height; // block heights are within -height .. height
} view_terrain;

// Finds feet: joints with foot or ankle in their names that have a knee, a hip and a pelvis above.
// Returns how many.
uint32_t view_find_feet(view_terrain *terrain, const struct view_scene *scene);

// Places the feet of the scene's pose on the terrain and recomputes joints and palette. `place` is
// the model-to-world transform.
void view_place_feet(struct view_scene *scene, const md5_xform *place, double time);

// Makes the terrain the ground of the machine's player, until the scene moves. Returns whether the
// machine places feet itself; then view_place_feet() is not needed.
bool view_give_ground(struct view_scene *scene);

// Block index at a coordinate; height of a block, a hash of its indices within -height .. height.
int32_t view_block_of(const view_terrain *terrain, float place);
float view_block_height(const view_terrain *terrain, int32_t x, int32_t y);

#endif
