// A copy of a model on the GPU whose vertices have colours of their own.
#ifndef DEMO_VIEWER_SCENE_HEAT_H
#define DEMO_VIEWER_SCENE_HEAT_H

#include "render/md5gl.h"

// From blue (0) over green and yellow to red (1); dark grey for exactly 0. Linear colour.
md5_vec4 view_heat_color(float value);

// The colours of a model's vertices by values from 0 to 1, or, if there are none, by the weight of
// a joint, or, if that is -1, by how many joints move them: 1 is blue, 4 and more red.
typedef struct view_heat {
    md5gl_model *drawn;
    md5_model *model; // shallow copy, with meshes of its own
    md5_mesh *meshes;
    md5_vec4 *colors;
} view_heat;

// Creates it; values[vertices of all meshes] may be NULL. Returns false and fills `error` on
// failure; free it in both cases, outside of a frame, before the model.
bool view_make_heat(view_heat *heat, md5gl_renderer *renderer, const md5_model *model,
                    const float *values, int32_t joint, md5_error *error);
void view_free_heat(view_heat *heat, md5gl_renderer *renderer);

// The largest weight of a joint on a vertex, and the number of vertices that it moves; with -1 the
// largest number of joints of a vertex, and how many vertices have more than 4.
typedef struct view_heat_facts {
    double most;
    uint32_t num_vertices;
} view_heat_facts;
view_heat_facts view_measure_heat(const md5_model *model, int32_t joint);

#endif
