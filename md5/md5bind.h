// md5bind: automatic weights. Binds the vertices of a bare mesh to the joints of a skeleton, for
// meshes from a scanner, a sculpting program or a game whose skeleton is lost.
//
// The mesh is cut into voxels. From each joint's bones distances are measured along paths inside
// the mesh, so a hand that hangs beside a hip is not bound to the hip. Dionne and de Lasa,
// "Geodesic Voxel Binding for Production Character Meshes", 2013; differences are in
// md5/skin/README.md.
//
// The result is in the form of .md5mesh files: joints, biases and positions in the joints' spaces.
// `md5tool bind` writes such a file.
#ifndef MD5BIND_H
#define MD5BIND_H

#include "md5model.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// What to bind. Zero in a field of the second part means its default.
typedef struct md5_weights_desc {
    const md5_vec3 *positions; // [num_positions] model space, from -1e9 to 1e9
    uint32_t num_positions;    // at least 1
    const uint32_t *indices;   // [3 * num_triangles] positions; front and back do not matter
    uint32_t num_triangles;    // 0 is allowed: the volume is then that of the positions alone
    const md5_skeleton *skeleton;
    const md5_mat34 *bind; // [num_joints] bind pose, model space: rotations and translations

    const bool *excluded;    // [num_joints] joints that get no weights; NULL = none
    uint32_t resolution;     // voxels along the longest side of the mesh, 4 to 256; 0 = 64
    uint32_t max_influences; // of one vertex, 1 to 16; 0 = 4
    uint32_t smoothing;      // rounds over the edges of the mesh, 1 to 64; 0 = 3
    bool no_smoothing;
    float falloff;         // 0..1: how quickly influence ends, see below; 0 = 1, MD5_ZERO = 0
    uintptr_t reserved[4]; // 0
} md5_weights_desc;

// Weights of one mesh, in one block of memory.
typedef struct md5_weights {
    uint32_t num_vertices;      // num_positions
    const md5_vertex *vertices; // [num_vertices] at least one weight each; equal positions share
                                // theirs
    uint32_t num_weights;
    const md5_weight *weights; // [num_weights] largest bias first; those of a vertex sum to 1
    uint32_t num_voxels;       // of the volume
    float voxel_size;          // units
    uint32_t num_bound;        // joints with a bone in the volume; only these get weights
    uint32_t num_distant;      // vertices that no bone reaches inside the mesh
    size_t size;
    md5_allocator allocator;
} md5_weights;

// Creates weights; free them with md5_free_weights().
//
// The volume consists of the voxels that triangles touch and of those that they enclose. If the
// mesh has holes larger than a voxel, what is behind them counts as outside, and paths follow the
// surface. A joint's bones lead from it to each of its children, and end where they first leave the
// volume; that of a joint without children continues its parent's, as far again. A joint outside of
// the volume, such as one on the
// floor that moves everything, has no bones and gets no weights. Paths go from voxel to voxel, in
// 26 directions; the distance is that of the straight line if this stays in the volume.
//
// A joint at distance d, as a share of the mesh's longest side, has the influence
//   1 / ((1 - falloff) d + falloff d^2)^2
// of which the largest `max_influences` are kept, after smoothing, and scaled to sum 1; those below
// 1/200 are dropped. Vertices in parts that no bone reaches, such as a separate button, take the
// straight distance (num_distant).
//
// Returns NULL on failure, and fills `error` in any case. A number out of range, an index of no
// position, or triangles that overlap in more than 2^26 voxels: MD5_ERROR_RANGE. No joint in the
// volume: MD5_ERROR_MISMATCH. `opts` and `error` may be NULL; of the options, memory and its limit
// count. Memory: 6 bytes for each voxel of the mesh's box, 36 for each of the volume, and for each
// position about 16 (max_influences + 4) bytes. Time: the joints times v log v of the voxels, and
// of each position and influence a line through the voxels.
MD5_API md5_weights *md5_make_weights(const md5_weights_desc *desc, const md5_load_opts *opts,
                                      md5_error *error);
MD5_API void md5_free_weights(md5_weights *weights);

#ifdef __cplusplus
}
#endif

#endif
