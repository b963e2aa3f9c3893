// Converts a file's vertices, triangles and weights to drawable geometry: bind positions, smooth
// normals, tangents, split mirror seams, sorted influences. Time and scratch memory are linear in
// the number of vertices, triangles and weights that vertices refer to (times a logarithm if one
// vertex has very many joints), for any file.
#ifndef MD5_SKIN_GEOMETRY_H
#define MD5_SKIN_GEOMETRY_H

#include "md5/core/arena.h"

// One mesh as the file describes it. Every index is valid.
typedef struct md5_geometry_source {
    uint32_t num_vertices, num_triangles, num_weights;
    const md5_vertex *vertices;
    const md5_vec2 *texcoords;
    const uint32_t *triangles;        // [3 * num_triangles]
    const uint16_t *narrow_triangles; // if not NULL, md5i_geometry_measure() reads these instead
    const md5_weight *weights;
    const md5_vec3 *normals;  // [num_vertices] in version 12, or NULL: derived
    const md5_vec4 *tangents; // with `normals`, or NULL; both in the space of the dominant joint
    md5_normals weighting;    // of derived normals
    bool no_tangents;
    uint32_t num_joints;     // 0 = unknown, which only costs time
    const md5_mat34 *bind;   // [joints] model space
    uint32_t *joint_scratch; // [joints] scratch memory of any content
} md5_geometry_source;

// Sizes of the derived arrays.
typedef struct md5_geometry_sizes {
    uint32_t num_vertices;   // file vertices and seam copies
    uint32_t num_influences; // upper bound, exact for what exporters write: see count_influences()
    bool has_tangents;
} md5_geometry_sizes;

// Computes the sizes. Does not read the source's `bind` and `joint_scratch`. Returns false and sets
// the context's error if memory runs out.
bool md5i_geometry_measure(md5_arena *scratch, const md5_geometry_source *source,
                           md5_geometry_sizes *sizes);

// The arrays of md5_mesh from `indices` to `influences`, under the same names and sizes.
typedef struct md5_geometry_arrays {
    uint32_t *indices;
    uint32_t *sources;
    md5_vec2 *texcoords;
    md5_vec3 *positions;
    md5_vec3 *normals;
    md5_vec4 *tangents; // NULL if sizes->has_tangents is false
    uint32_t *first_influence;
    uint32_t *influence_joints;
    md5_vec4 *influences;
} md5_geometry_arrays;

// Fills the arrays. Indices, texcoords, normals and tangents may be the source's own arrays.
// Returns false and sets the context's error if memory runs out.
bool md5i_geometry_build(md5_arena *scratch, const md5_geometry_source *source,
                         const md5_geometry_sizes *sizes, const md5_geometry_arrays *arrays);

// Bytes of scratch memory that each of the two needs for most meshes of `num_vertices` drawn
// vertices.
size_t md5i_geometry_measure_size(uint64_t num_vertices);
size_t md5i_geometry_build_size(uint64_t num_vertices);

// Sets num_influences, max_influences, max_weights, num_off_sums and bounds of a mesh. All its
// arrays must be complete.
void md5i_geometry_summarize(md5_mesh *mesh);

#endif
