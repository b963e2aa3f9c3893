// Alternative displays of the surface of a model: a copy with colored vertices, a grid of texture
// coordinates, and defects of its normals and tangents.
#ifndef DEMO_VIEWER_ASSETS_SURFACES_H
#define DEMO_VIEWER_ASSETS_SURFACES_H

#include "demo/looks/image.h"
#include "render/md5gl.h"

// Returns the weight of a joint for a vertex. If the joint is -1, returns the number of joints that
// influence the vertex.
float view_joint_weight(const md5_mesh *mesh, uint32_t vertex, int32_t joint);

// Returns a linear color for a value from 0 (blue) over green and yellow to 1 (red). Exactly 0 is
// dark gray, to show vertices without influence.
md5_vec4 view_heat_color(float value);

// A copy of a model on the GPU whose vertex colors show values. A color shows an element of
// `values`, from 0 to 1. If `values` is NULL, it shows the weight of a joint. If the joint is -1
// too, it shows the number of influences, from 1 (blue) to 4 and more (red).
typedef struct view_heat {
    md5gl_model *drawn; // NULL until it is created
    const float *values;
    int32_t joint;    // joint of the colors
    md5_model *model; // shallow copy with separate meshes
    md5_mesh *meshes;
    md5_vec4 *colors;
    md5_morph morph; // morph targets of `model`
    md5gl_morph *drawn_morph;
} view_heat;

// Creates the copy, unless it is already valid. `morph` and values[vertices of all meshes] may be
// NULL. Afterwards `heat` must not move, because the morph targets on the GPU refer to it. Returns
// false and fills `error` on failure. Call it outside of a frame. In both cases, free the copy
// before the model.
bool view_prepare_heat(view_heat *heat, md5gl_renderer *renderer, const md5_model *model,
                       const md5_morph *morph, const float *values, int32_t joint,
                       md5_error *error);
void view_free_heat(view_heat *heat, md5gl_renderer *renderer); // `heat` may be zeroed

// Statistics of a heat map. For a joint: its largest weight for a vertex, and the number of
// vertices that it influences. For joint -1: the largest number of influences of a vertex, and the
// number of vertices with more than 4.
typedef struct view_heatmap_stats {
    double max_value;
    uint32_t num_vertices;
} view_heatmap_stats;
view_heatmap_stats view_measure_heat(const md5_model *model, int32_t joint);

// -- Surfaces ------------------------------------------------------------------------------------
//
// Resources of displays that replace the materials of a model: the heat map of weights and the grid
// of texture coordinates. Each is created when it is first shown.

typedef struct view_surfaces {
    view_heat heat;        // heat of the document's model
    md5gl_texture uv_grid; // 0 until it is created
} view_surfaces;

enum { VIEW_UV_CELLS = 8, VIEW_UV_GRID_SIZE = 512 };

// Creates the image of the grid: VIEW_UV_CELLS * VIEW_UV_CELLS cells, light and dark. Red increases
// with u, and green with v. Each cell shows its name, so that mirrored and rotated charts can be
// recognized. The letter is for u and the digit for v. The cell "A1" is at u = v = 0, the upper
// left corner of an image. The last cell is "H8". The caller frees the pixels with free().
view_image view_make_uv_grid(void);

// -- Defects -------------------------------------------------------------------------------------
//
// Defects of the normals and tangents of a mesh, which make its lighting wrong. Normals that the
// library derives can only be flipped. Files of version 12 contain normals and tangents, which can
// have all defects.

typedef enum view_mesh_defect {
    VIEW_FAULT_SHORT,    // vertices whose normal or tangent does not have the length 1, within 1 %
    VIEW_FAULT_SKEWED,   // vertices whose tangent is not perpendicular to the normal, within 1 %
    VIEW_FAULT_FLIPPED,  // triangles that face away from the normal of a vertex
    VIEW_FAULT_MIRRORED, // triangles whose texture is mirrored, but not the tangent of a vertex, or
                         // the reverse
    VIEW_FAULT_FLAT,     // triangles without area, which have no direction
    VIEW_NUM_FAULTS,
} view_mesh_defect;

typedef struct view_mesh_defects {
    uint32_t counts[VIEW_NUM_FAULTS];
} view_mesh_defects;

// Vertices of a mesh in a pose, with their directions. All arrays have [num_vertices] elements.
typedef struct view_directed {
    const md5_vec3 *positions;
    const md5_vec3 *normals;
    const md5_vec4 *tangents; // or NULL
    float max_skew;           // largest cosine of the angle between normal and tangent; 0: 0.01
} view_directed;

// Counts the defects of a mesh in a pose; NULL: the bind pose. The time is linear in the size of
// the mesh. A mesh without tangents has no defects of tangents. If `marks` is not NULL, sets
// marks[num_vertices] to true for vertices with a defect. Flat triangles mark no vertices.
view_mesh_defects view_find_defects(const md5_mesh *mesh, const view_directed *pose, bool *marks);

view_mesh_defects view_add_defects(view_mesh_defects a, view_mesh_defects b);

// Returns the number of all defects except flat triangles, which do not affect the lighting.
uint32_t view_count_defects(const view_mesh_defects *faults);

// Writes "3 triangles face away from a normal, ..." or "none".
void view_describe_defects(const view_mesh_defects *faults, char *text, size_t size);

#endif
