// A copy of a model on the GPU whose vertices have colours of their own.
#ifndef DEMO_VIEWER_ASSETS_SURFACES_H
#define DEMO_VIEWER_ASSETS_SURFACES_H

#include "demo/looks/image.h"
#include "render/md5gl.h"

// The weight of a joint on a vertex or, if that is -1, how many joints move it.
float view_weight_of(const md5_mesh *mesh, uint32_t vertex, int32_t joint);

// From blue (0) over green and yellow to red (1); dark grey for exactly 0. Linear colour.
md5_vec4 view_heat_color(float value);

// The colours of a model's vertices by values from 0 to 1, or, if there are none, by the weight of
// a joint, or, if that is -1, by how many joints move them: 1 is blue, 4 and more red.
typedef struct view_heat {
    md5gl_model *drawn; // NULL until it is made
    const float *values;
    int32_t joint;    // that the colours are of
    md5_model *model; // shallow copy, with meshes of its own
    md5_mesh *meshes;
    md5_vec4 *colors;
    md5_morph morph; // the targets that were given, as those of `model`
    md5gl_morph *drawn_morph;
} view_heat;

// Creates it, unless it is there already; `morph` and values[vertices of all meshes] may be NULL.
// It must not move after that, because the GPU's morph targets refer to it. Returns false and fills
// `error` on failure; call it outside of a frame, and free it in both cases before the model.
bool view_prepare_heat(view_heat *heat, md5gl_renderer *renderer, const md5_model *model,
                       const md5_morph *morph, const float *values, int32_t joint,
                       md5_error *error);
void view_free_heat(view_heat *heat, md5gl_renderer *renderer); // a zeroed one is allowed

// The largest weight of a joint on a vertex, and the number of vertices that it moves; with -1 the
// largest number of joints of a vertex, and how many vertices have more than 4.
typedef struct view_heat_facts {
    double most;
    uint32_t num_vertices;
} view_heat_facts;
view_heat_facts view_measure_heat(const md5_model *model, int32_t joint);

// -- Surfaces ------------------------------------------------------------------------------------
//
// What the body can show instead of its materials: weights as colours, and a grid by texture
// coordinates. Each is made when it is first shown.

typedef struct view_surfaces {
    view_heat heat;        // of the document's model
    md5gl_texture uv_grid; // 0 until it is needed
} view_surfaces;

enum { VIEW_UV_CELLS = 8, VIEW_UV_GRID_SIZE = 512 };

// Draws the grid: VIEW_UV_CELLS * VIEW_UV_CELLS cells, light and dark, red growing with u and green
// with v. Each has its name, "A1" at u = v = 0 (the upper left corner of an image) to "H8": the
// letter is for u, the number for v, so that mirrored and turned charts are seen. The caller frees
// the pixels with free().
view_image view_make_uv_grid(void);

// -- Faults --------------------------------------------------------------------------------------
//
// Faults of the normals and tangents that a mesh is lit with. Those that the library derives have
// none but flipped ones; files of version 12 bring their own.

typedef enum view_fault {
    VIEW_FAULT_SHORT,    // vertices whose normal or tangent is not 1 long, within 1 %
    VIEW_FAULT_SKEWED,   // vertices whose tangent is not perpendicular to the normal, within 1 %
    VIEW_FAULT_FLIPPED,  // triangles that face away from the normal of a corner
    VIEW_FAULT_MIRRORED, // triangles whose texture is mirrored otherwise than a corner's tangent
    VIEW_FAULT_FLAT,     // triangles without area, which give no direction
    VIEW_NUM_FAULTS,
} view_fault;

typedef struct view_faults {
    uint32_t counts[VIEW_NUM_FAULTS];
} view_faults;

// Vertices in some pose: [num_vertices] each.
typedef struct view_directed {
    const md5_vec3 *positions;
    const md5_vec3 *normals;
    const md5_vec4 *tangents; // or NULL
    float most_skew;          // cosine between normal and tangent that is no fault yet; 0: 1 %
} view_directed;

// Counts them in a pose, NULL: the bind pose, in time linear in the mesh. A mesh without tangents
// has no faults of these. If `marks` is not NULL, writes marks[num_vertices]: whether a vertex
// takes part in one, flat triangles aside.
view_faults view_find_faults(const md5_mesh *mesh, const view_directed *pose, bool *marks);

view_faults view_add_faults(view_faults a, view_faults b);

// All but flat triangles, which do not harm the light.
uint32_t view_count_faults(const view_faults *faults);

// Writes "3 triangles face away from a normal, ..." or "none".
void view_describe_faults(const view_faults *faults, char *text, size_t size);

#endif
