// The ground of --terrain as a model (view_ground). The terrain is periodic, so the model is one
// square tile, which is drawn 3 x 3 times around the character.
#ifndef DEMO_VIEWER_CROWD_GROUND_H
#define DEMO_VIEWER_CROWD_GROUND_H

#include "demo/viewer/assets/textures.h"
#include "demo/viewer/motion/legs.h"

enum { VIEW_GROUND_TILES = 9 };

typedef struct view_ground {
    md5_model *model;    // one tile; NULL: nothing is drawn
    md5gl_model *drawn;  // `model` on the GPU
    md5gl_texture grain; // noise texture
    // Each tile has two joints: the ground, and the lift.
    md5_mat34 palettes[2 * VIEW_GROUND_TILES];
    md5_mat34 placements[VIEW_GROUND_TILES];
} view_ground;

// Creates the model of a terrain; requires a renderer. Does not create a model if the cells are too
// small or too large for a file. Returns false and logs an error on failure; the caller frees the
// ground in both cases.
bool view_load_ground(view_ground *ground, const view_terrain *terrain, const view_loader *loader);
void view_free_ground(view_ground *ground, md5gl_renderer *renderer); // may be zero-initialized

// Places the tiles so that the middle tile contains the point `center`.
void view_lay_ground(view_ground *ground, const view_terrain *terrain, md5_vec3 center);

#endif
