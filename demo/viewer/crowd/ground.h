// What is drawn of a terrain: the square after which it repeats itself, around who stands on it.
#ifndef DEMO_VIEWER_CROWD_GROUND_H
#define DEMO_VIEWER_CROWD_GROUND_H

#include "demo/viewer/assets/textures.h"
#include "demo/viewer/motion/legs.h"

enum { VIEW_GROUND_TILES = 9 };

typedef struct view_ground {
    md5_model *model;   // of one tile; NULL: nothing is drawn
    md5gl_model *drawn; // the same on the GPU
    md5gl_texture grain;
    md5_mat34 palettes[2 * VIEW_GROUND_TILES];
    md5_mat34 placements[VIEW_GROUND_TILES];
} view_ground;

// Makes the model of a terrain, which needs a renderer; none where squares are too small or large
// for a file. Returns false and logs an error on failure;
// free it in both cases.
bool view_load_ground(view_ground *ground, const view_terrain *terrain, const view_loader *loader);
void view_free_ground(view_ground *ground, md5gl_renderer *renderer); // a zeroed one is allowed

// Places the tiles around a point.
void view_lay_ground(view_ground *ground, const view_terrain *terrain, md5_vec3 centre);

#endif
