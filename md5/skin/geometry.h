// From a file's vertices, triangles and weights to what one draws: bind positions, smooth
// normals, tangents, mirror seams split, influences sorted. Time and scratch are linear in the
// number of vertices, triangles and weights that vertices refer to (times a logarithm where one
// vertex has very many joints), whatever the file says.
#ifndef MD5_SKIN_GEOMETRY_H
#define MD5_SKIN_GEOMETRY_H

#include "md5/skin/plan.h"

// What a file says of one mesh; every index is inside its table.
typedef struct md5_geometry_source {
    uint32_t num_vertices, num_triangles, num_weights;
    const md5_vertex *vertices;
    const md5_vec2 *texcoords;
    const uint32_t *triangles;        // [3 * num_triangles]
    const uint16_t *narrow_triangles; // instead, if not NULL, for md5_geometry_measure()
    const md5_weight *weights;
    const md5_vec3 *normals;  // [num_vertices] of version 12, or NULL: derived
    const md5_vec4 *tangents; // with `normals`; both in the space of the dominant joint
    uint32_t num_joints;      // 0: not known, which only costs time
    const md5_mat34 *bind;    // [joints] model space
    uint32_t *joint_scratch;  // [joints] anything may stand in it, before and after
} md5_geometry_source;

// How large the derived arrays become.
typedef struct md5_geometry_sizes {
    uint32_t num_vertices;   // file vertices and seam copies
    uint32_t num_influences; // at most: weights of one vertex on one joint become one
    md5_skin_plan_size plan;
} md5_geometry_sizes;

// `bind` and `joint_scratch` are not needed yet; `joints` as for md5_skin_plan_measure(). Returns
// false, with the context's error set, when memory runs out or numbers do.
bool md5_geometry_measure(md5_arena *scratch, const md5_geometry_source *source,
                          const md5_transform *joints, md5_geometry_sizes *sizes);

// The arrays of md5_mesh from `indices` to `influences`, under the same names and sizes.
typedef struct md5_geometry_arrays {
    uint32_t *indices;
    uint32_t *sources;
    md5_vec2 *texcoords;
    md5_vec3 *positions;
    md5_vec3 *normals;
    md5_vec4 *tangents;
    uint32_t *first_influence;
    uint32_t *influence_joints;
    md5_vec4 *influences;
} md5_geometry_arrays;

// Fills the arrays, of which indices, texcoords, normals and tangents may be those of the source.
// Returns false, with the context's error set, when memory runs out.
bool md5_geometry_build(md5_arena *scratch, const md5_geometry_source *source,
                        const md5_geometry_sizes *sizes, const md5_geometry_arrays *arrays);

// Scratch memory that the two take for most meshes of so many drawn vertices, at the same time.
size_t md5_geometry_measure_size(uint64_t num_vertices);
size_t md5_geometry_build_size(uint64_t num_vertices);

// Sets num_influences, max_influences, max_weights, num_off_sums and bounds of a mesh whose arrays
// are complete.
void md5_geometry_summarize(md5_mesh *mesh);

#endif
