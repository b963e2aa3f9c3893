// Both ways of skinning for each instruction set. All results are bit for bit equal to the scalar
// ones.
#ifndef MD5_SKIN_KERNELS_H
#define MD5_SKIN_KERNELS_H

#include "md5/md5skin.h"
#include "md5/core/cpu.h"
#include "md5/skin/plan.h"

// Whether the mesh has its arrays: see md5_release_geometry().
static inline bool md5_has_geometry(const md5_mesh *mesh)
{
    return mesh->first_influence || mesh->num_vertices == 0;
}

#define MD5_ASSERT_GEOMETRY(mesh)                                                         \
    do {                                                                                  \
        MD5_ASSERT_PART(mesh, name);                                                      \
        MD5_ASSERT(md5_has_geometry(mesh), "mesh: geometry must not have been released"); \
    } while (0)

// Whether a stride in bytes is that of vectors of so many floats.
static inline bool md5_is_stride(size_t stride, size_t floats)
{
    const size_t whole = stride / sizeof(float);
    return stride == 0 || (whole >= floats && whole <= UINT32_MAX && stride % sizeof(float) == 0);
}

// The arguments of a kernel.
typedef struct md5i_skin_job {
    const md5_mesh *mesh;
    const md5_mat34 *palette;   // or NULL
    const md5_dual_quat *duals; // or NULL; if set, used instead of the palette, and without bounds
    // md5i_blend_duals if `duals` is set. A pointer: programs without such jobs are linked without
    // it.
    md5_mat34 (*blend_duals)(const struct md5i_skin_job *job, uint32_t vertex);
    md5_vec3 *positions;
    md5_vec3 *normals;  // or NULL
    md5_vec4 *tangents; // or NULL
    md5_bounds *bounds; // or NULL; if set, grows to hold the positions, which are not written
    // Floats from one vertex to the next of positions, normals, tangents; 0 = no gaps. The product
    // with the number of vertices has 32 bits, except in plain C.
    uint32_t strides[3];
} md5i_skin_job;

// Return where plain C writes the vector of a vertex.
static inline md5_vec3 *md5_vec3_out(md5_vec3 *first, uint32_t stride, uint32_t vertex)
{
    return stride > 0 ? (md5_vec3 *)(void *)(&first->x + (size_t)stride * vertex) : first + vertex;
}

static inline md5_vec4 *md5_vec4_out(md5_vec4 *first, uint32_t stride, uint32_t vertex)
{
    return stride > 0 ? (md5_vec4 *)(void *)(&first->x + (size_t)stride * vertex) : first + vertex;
}

// Makes the kernels' job of a job. Returns whether its products have 32 bits.
bool md5i_strided_job(const md5_skin_job *from, md5i_skin_job *job);

// Skins vertices one by one in plain C; the k-th goes to place k, or to its own. `vertices` NULL:
// those from `first` on.
void md5i_skin_vertices_scalar(const md5i_skin_job *job, const uint32_t *vertices, uint32_t first,
                               uint32_t count, bool in_place);

// Works for any mesh. The others need a plan and call this one for single vertices.
void md5i_skin_scalar(const md5i_skin_job *job);
void md5i_skin_sse2(const md5i_skin_job *job);
void md5i_skin_avx2(const md5i_skin_job *job);
void md5i_skin_avx512(const md5i_skin_job *job);
void md5i_skin_neon(const md5i_skin_job *job);

// Skins one run in plain C, or with AVX2 (no bounds).
void md5i_skin_run_scalar(const md5i_skin_job *job, const md5_skin_run *run);
void md5i_skin_run_avx2(const md5i_skin_job *job, const md5_skin_run *run);

// Skins a mesh with the kernel of `level`, which must be available (md5i_cpu_has).
void md5i_skin_with(md5_cpu level, const md5i_skin_job *job);

// md5_skin_bounds() likewise.
md5_bounds md5i_skin_bounds_with(md5_cpu level, const md5_model *model, const md5_mat34 *palette);

// What is rotated stays if its squared length is off 1 by less, squared: without root and division.
// With MD5_FAST_NORMALS all does, which then is as long as the blend of the matrices makes it.
#define MD5_UNIT_OFF_SQUARED 0x1p-36f
#ifdef MD5_FAST_NORMALS
#define MD5_IS_LENGTH_FREE 1
#else
#define MD5_IS_LENGTH_FREE 0
#endif

// -- Dual quaternions ----------------------------------------------------------------------------

// The blend of a vertex's dual quaternions is valid if the squared length of its real part exceeds
// this share of the squared first bias. Shorter ones result from biases that cancel out and consist
// of rounding errors.
#define MD5_DUAL_VANISHES 1e-6f

// If the square of the first bias is between these, biases are used unchanged. Otherwise products
// of two could leave the range of floats: plain C first scales the biases to about 1 by a power of
// two.
#define MD5_DUAL_LEAST_SQUARE 0x1p-32f
#define MD5_DUAL_MOST_SQUARE 0x1p2f

static inline float md5_quat_dot(md5_quat a, md5_quat b)
{
    return ((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w;
}

// The sign of a bias with which `q` and the first joint's rotation blend along the shorter arc; q
// and -q are the same rotation.
static inline float md5_dual_sign(const md5_dual_quat *first, const md5_dual_quat *q)
{
    return md5_quat_dot(first->real, q->real) < 0 ? -1.0f : 1.0f;
}

// The matrix of a dual quaternion of any length.
md5_mat34 md5i_dual_matrix(const md5_dual_quat *q);

// The matrix of a vertex of a job with `duals`; 0 if it has no influences.
md5_mat34 md5i_blend_duals(const md5i_skin_job *job, uint32_t vertex);

// The matrix of a job that moves a vertex of the bind pose; 0 if it has no influences.
md5_mat34 md5i_vertex_matrix(const md5i_skin_job *job, uint32_t vertex);

#endif
