// md5skin: the meshes of a model, skinning on the CPU, and packed vertices for shaders. md5model.h
// includes this header.
//
// md5_load_model() makes meshes. Their arrays can be uploaded as they are, or packed by
// md5_pack_influences() and skinned by a shader; md5_skin() computes the same vertices on the CPU.
// Space, memory and threads: see md5model.h.
#ifndef MD5SKIN_H
#define MD5SKIN_H

#include "md5math.h" // beside this file also when installed

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct md5_model md5_model; // in md5model.h
typedef struct md5_error md5_error;

// -- Meshes ---------------------------------------------------------------------------------

// A file vertex: its weights are weights[first_weight .. first_weight + num_weights - 1] of its
// mesh. Vertices may share weights. A vertex without weights stays at the origin.
typedef struct md5_vertex {
    uint32_t first_weight, num_weights;
} md5_vertex;

typedef struct md5_weight {
    uint32_t joint;
    float bias;      // as in the file; sums other than 1 occur
    md5_vec3 offset; // in the joint's space
} md5_weight;

// The order in which md5_skin() computes vertices; made by the loader.
typedef struct md5_skin_plan md5_skin_plan;

// One mesh: first the file's tables, then the drawn vertices that are derived from them.
typedef struct md5_mesh {
    const char *name;   // from `name "x"` or the comment `// meshes: x`; "" if neither
    const char *shader; // as in the file; "" if none

    uint32_t num_file_vertices;
    uint32_t num_weights;
    const md5_vertex *file_vertices; // [num_file_vertices]
    const md5_weight *weights;       // [num_weights]

    // Drawn vertices: the file's, in file order, then copies of those on mirror seams, where one
    // vertex belongs to triangles of both texture orientations and needs two tangents. `positions`,
    // `normals`, `tangents` are in the bind pose, model space. Files of version 12 store normals
    // and tangents, which are used without copies.
    uint32_t num_vertices; // >= num_file_vertices
    uint32_t num_triangles;
    const uint32_t *indices;   // [3 * num_triangles] drawn vertices, clockwise seen from outside
    bool is_mirrored;          // left-handed axes: (b - a) x (c - a) points outward, else the other
    const uint32_t *sources;   // [num_vertices] the file vertex of each drawn one
    const md5_vec2 *texcoords; // [num_vertices]
    const md5_vec3 *positions; // [num_vertices]
    const md5_vec3 *normals;   // [num_vertices] unit length, outward; up if undefined
    const md5_vec4
        *tangents; // [num_vertices] or NULL (no_tangents); unit length, perpendicular to the
                   // normal, along +u; w = +-1: bitangent (along +v) = cross(N, T) * w

    const md5_vec4 *colors; // [num_vertices] linear r g b a, 0 to 1, version 12 only; else NULL

    // Influences of drawn vertex v: first_influence[v] .. first_influence[v + 1] - 1, largest
    // absolute bias first, each joint once, none that is all 0. An influence is (bias * point,
    // bias), where point is the weight's position in the bind pose, model space. So the exact
    // vertex is the sum of palette[joint] * influence, for any number of weights and any biases.
    uint32_t num_influences;
    uint32_t max_influences;          // of one vertex
    const uint32_t *first_influence;  // [num_vertices + 1]
    const uint32_t *influence_joints; // [num_influences]
    const md5_vec4 *influences;       // [num_influences]

    uint32_t max_weights;  // of one file vertex
    uint32_t num_off_sums; // file vertices whose biases do not sum to 1 within 1e-4
    float loss4, loss8;    // largest error of drawing with 4 or 8 influences a vertex, in units:
                           // md5_pack_loss() with 4 or 8 slots and no pose. A library that is
                           // built with MD5_NO_LOSS, and a load with no_losses, does not compute
                           // them: infinite

    md5_bounds bounds; // of `positions`

    const md5_skin_plan *skin_plan; // NULL (no_skin_plan): slower, same bits; or no vertices
} md5_mesh;

// -- Skinning -------------------------------------------------------------------------------

// Writes positions[mesh->num_vertices], exact for any weights, and, unless NULL, normals and
// tangents [num_vertices], which are not written if the mesh has none; model space, in the order of
// the drawn vertices. `palette` is that of md5_build_palette(). Directions are those of the bind
// pose, rotated by the blended matrices and normalized; they stay as in the bind pose if that blend
// is shorter than 1e-15 or longer than 1e19, as of biases that cancel out. Sums are floats, and
// infinite beyond the range of float.
MD5_API void md5_skin(const md5_mesh *mesh, const md5_mat34 *palette, md5_vec3 *positions,
                      md5_vec3 *normals, md5_vec4 *tangents);

// Where skinned vertices go: pointers to the vectors of the first vertex, at float-aligned
// addresses, and the bytes from each vertex to the next, multiples of 4; 0 = without gaps. All may
// point into one array of interleaved vertices, whose other bytes are not touched.
typedef struct md5_vertex_out {
    void *positions; // 3 floats a vertex
    size_t position_stride;
    void *normals; // 3 floats; NULL = not written
    size_t normal_stride;
    void *tangents; // 4 floats; NULL = not written
    size_t tangent_stride;
} md5_vertex_out;

// md5_skin() into interleaved vertices: the same bits, without a copy.
MD5_API void md5_skin_strided(const md5_mesh *mesh, const md5_mat34 *palette,
                              const md5_vertex_out *out);

// Returns the bounds of all meshes as md5_skin() would pose them, up to rounding error, for files
// whose own bounds are missing or wrong. Takes about as long as skinning positions, and no memory.
// Empty for a model without vertices.
MD5_API md5_bounds md5_skin_bounds(const md5_model *model, const md5_mat34 *palette);

// Dual quaternion skinning preserves volume at twisting joints. md5_skin() interpolates between the
// positions to which each joint would move a vertex, which shrinks joints that twist. Here one
// rigid transform moves it, blended from the dual quaternions of its joints; sharp bends bulge a
// little. Kavan, Collins, Zara and O'Sullivan, "Geometric Skinning with Approximate Dual Quaternion
// Blending", 2008. Vertices of one joint are those of md5_skin(), up to rounding error.
//
// Writes dual[count] from palette[count] of md5_build_palette(). Drops scale, which MD5 joints do
// not have.
MD5_API void md5_build_dual_palette(const md5_mat34 *palette, uint32_t count, md5_dual_quat *dual);

// Writes the same arrays as md5_skin(), from the dual palette, in up to twice the time. The blended
// transform moves mesh->positions, even if a vertex's weights do not meet in one point. Only the
// ratios of the biases count, as if their sum were 1 (md5_skin() scales the vertex by their sum);
// if they cancel out or are all 0, only the first influence counts. A vertex without influences
// goes to the origin, as in md5_skin(). The bind pose is unchanged in any case.
MD5_API void md5_skin_dual(const md5_mesh *mesh, const md5_dual_quat *palette, md5_vec3 *positions,
                           md5_vec3 *normals, md5_vec4 *tangents);

// md5_skin_dual() into interleaved vertices: the same bits, without a copy.
MD5_API void md5_skin_dual_strided(const md5_mesh *mesh, const md5_dual_quat *palette,
                                   const md5_vertex_out *out);

// Packs the influences of each drawn vertex into `slots` (1 to 255) for a vertex format, largest
// first. Drops the rest and scales biases to sum 1 (if they cancel out: weight 1 on the first;
// negative ones stay negative). Empty slots are joint 0 with weight 0. Writes
// joints[num_vertices * slots] and weights[num_vertices * slots]. A shader moves mesh->positions by
// the weighted palette.
MD5_API void md5_pack_influences(const md5_mesh *mesh, uint32_t slots, uint32_t *joints,
                                 float *weights);

// The same as bytes, for vertex formats of 8-bit joints and normalized 8-bit weights, of which most
// engines use four. Writes `slots` (1 to 255) bytes for each drawn vertex to
// joints[vertex * joint_stride ..] and to weights[vertex * weight_stride ..]; strides are in bytes,
// and 0 means `slots`, without gaps. So both may be members of an interleaved vertex.
//
// A vertex's weights sum to exactly 255: each is 255 times that of md5_pack_influences(), rounded
// down, and those with the largest remainders get the missing ones, the first of equal ones first.
// Negative weights, which bytes cannot hold, are dropped with their slots; the others are scaled to
// sum 1. A vertex without influences, which stays at the origin, has weights 0 only.
//
// Returns false, and writes nothing, if a vertex uses a joint above 255.
MD5_API bool md5_pack_influences8(const md5_mesh *mesh, uint32_t slots, uint8_t *joints,
                                  size_t joint_stride, uint8_t *weights, size_t weight_stride);

// Returns the largest error, in units, of drawing meshes[mesh] with `slots` packed influences, for
// any rotation of each joint about its own position in joints[num_joints] (model space):
//   | sum (b_i - w_i) a_i |  +  sum | b_i (p_i - o_i) - w_i (c - o_i) |
// over the joints i of a vertex, with b bias, w packed weight, p bind position of the weight, c
// bind position of the vertex, o and a the joint's bind and posed position. This counts dropped
// weights, sums other than 1, and weights whose offsets do not meet in one point. If `joints` is
// NULL, the posed positions are those of the bind pose, all displaced by the size of the model (the
// diagonal of its bounds), which adds | sum (b_i - w_i) | times that size. 0 up to rounding error
// means that the packed form is exact.
MD5_API float md5_pack_loss(const md5_model *model, uint32_t mesh, uint32_t slots,
                            const md5_mat34 *joints);

// -- What a load left out -------------------------------------------------------------------

// See md5_make_geometry() in md5model.h.

// no_tangents: derives the geometry again, with more vertices if there are mirror seams. If the
// load converted the model by flip_v, or by a scale that is not a power of two, the last bits may
// differ: the file's own numbers are computed from the converted ones. Tangents of version 12 are
// not derived: MD5_ERROR_MISMATCH, unless the load had no_geometry. A build with MD5_NO_TANGENTS
// makes none.
MD5_API bool md5_make_tangents(md5_model *model, md5_error *error);

// no_skin_plan; if memory runs out, some meshes may have got theirs. A build with MD5_NO_SKIN_PLAN
// makes none.
MD5_API bool md5_make_skin_plans(md5_model *model, md5_error *error);

// no_losses
MD5_API bool md5_make_losses(md5_model *model, md5_error *error);

#ifdef __cplusplus
}
#endif

#endif
