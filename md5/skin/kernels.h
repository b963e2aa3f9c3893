// Skinning kernels. A kernel skins whole meshes with one instruction set, either by a matrix
// palette or by dual quaternions. The kernel in plain C defines the result. All others compute the
// same bits.
#ifndef MD5_SKIN_KERNELS_H
#define MD5_SKIN_KERNELS_H

#include "md5/md5skin.h"
#include "md5/core/cpu.h"
#include "md5/skin/plan.h"

// Returns true unless md5_release_geometry() has freed the arrays of the mesh.
static inline bool md5_has_geometry(const md5_mesh *mesh)
{
    return mesh->first_influence || mesh->num_vertices == 0;
}

#define MD5_ASSERT_GEOMETRY(mesh)                                                         \
    do {                                                                                  \
        MD5_ASSERT_PART(mesh, name);                                                      \
        MD5_ASSERT(md5_has_geometry(mesh), "mesh: geometry must not have been released"); \
    } while (0)

// Returns true if a stride of `stride` bytes is valid for vectors of `num_floats` floats.
static inline bool md5_is_stride(size_t stride, size_t num_floats)
{
    if (stride == 0)
        return true;
    const size_t stride_floats = stride / sizeof(float);
    if (stride_floats < num_floats || stride_floats > UINT32_MAX)
        return false;
    return stride % sizeof(float) == 0;
}

// The arguments of a kernel.
typedef struct md5i_skin_job {
    const md5_mesh *mesh;
    const md5_mat34 *palette;   // or NULL
    const md5_dual_quat *duals; // or NULL; replaces the palette, and excludes `bounds`
    // md5i_blend_duals if `duals` is set, otherwise NULL. Kernels call the function only through
    // this pointer. A program without such jobs therefore does not refer to the function, and the
    // linker can omit it.
    md5_mat34 (*blend_duals)(const struct md5i_skin_job *job, uint32_t vertex);
    md5_vec3 *positions;
    md5_vec3 *normals;  // or NULL
    md5_vec4 *tangents; // or NULL
    // If not NULL, the kernel extends these bounds to contain the positions, and does not write the
    // positions.
    md5_bounds *bounds;
    // The distance from one vertex to the next in each output array, in floats. 0 means that the
    // vertices follow each other directly. SIMD kernels compute offsets in 32 bits, so the stride
    // times the number of vertices must fit into 32 bits. Plain C has no such limit.
    uint32_t position_stride;
    uint32_t normal_stride;
    uint32_t tangent_stride;
} md5i_skin_job;

// Return the address of a vertex in an output array. `stride` is the member of md5i_skin_job.
static inline md5_vec3 *md5_vec3_out(md5_vec3 *first, uint32_t stride, uint32_t vertex)
{
    return stride > 0 ? (md5_vec3 *)(void *)(&first->x + (size_t)stride * vertex) : first + vertex;
}

static inline md5_vec4 *md5_vec4_out(md5_vec4 *first, uint32_t stride, uint32_t vertex)
{
    return stride > 0 ? (md5_vec4 *)(void *)(&first->x + (size_t)stride * vertex) : first + vertex;
}

// Converts a public job to a job of the kernels. Returns false if a stride times the number of
// vertices exceeds 32 bits. Only plain C can run such a job.
bool md5i_strided_job(const md5_skin_job *from, md5i_skin_job *job);

// Skins `count` vertices one by one in plain C. The vertices are vertices[0..count - 1]. If
// `vertices` is NULL, they are first .. first + count - 1. If `in_place`, vertex v of the mesh is
// written at index v of the output. Otherwise the k-th of these vertices is written at index k.
void md5i_skin_vertices_scalar(const md5i_skin_job *job, const uint32_t *vertices, uint32_t first,
                               uint32_t count, bool in_place);

// Skin a whole mesh. md5i_skin_scalar() supports any mesh. The other kernels require that the mesh
// has a skin plan (plan.h). They use plain C for vertices without influences.
void md5i_skin_scalar(const md5i_skin_job *job);
void md5i_skin_sse2(const md5i_skin_job *job);
void md5i_skin_avx2(const md5i_skin_job *job);
void md5i_skin_avx512(const md5i_skin_job *job);
void md5i_skin_neon(const md5i_skin_job *job);

// Skin one run of a skin plan, which is a list of groups of vertices of the same kind (plan.h). The
// AVX2 version does not support job->bounds.
void md5i_skin_run_scalar(const md5i_skin_job *job, const md5_skin_run *run);
void md5i_skin_run_avx2(const md5i_skin_job *job, const md5_skin_run *run);

// Skins a mesh with the kernel of the instruction set `level`. The processor must support it: see
// md5i_cpu_has().
void md5i_skin_with(md5_cpu level, const md5i_skin_job *job);

// Computes md5_skin_bounds() with the kernel of the instruction set `level`.
md5_bounds md5i_skin_bounds_with(md5_cpu level, const md5_model *model, const md5_mat34 *palette);

// Blending can change the length of a direction. A rotated direction is normalized only if
//
//   (squared length - 1)^2 >= MD5_UNIT_OFF_SQUARED.
//
// All others keep their length, which saves a square root and a division. With MD5_FAST_NORMALS, no
// direction is normalized.
#define MD5_UNIT_OFF_SQUARED 0x1p-36f
#ifdef MD5_FAST_NORMALS
#define MD5_IS_LENGTH_FREE 1
#else
#define MD5_IS_LENGTH_FREE 0
#endif

// -- Dual quaternions ----------------------------------------------------------------------------

// Limit for a valid blend of dual quaternions, as a fraction of the squared first bias. A blend is
// valid if the squared length of its real part exceeds this limit. Biases of a shorter blend cancel
// out, so it contains only rounding errors.
#define MD5_DUAL_MIN_FRACTION 1e-6f

// Biases are used unchanged if the square of the first bias is between these limits. Outside of
// them, the product of two biases could exceed the range of floats. Plain C then multiplies all
// biases of the vertex by a power of two, so that the first bias is about 1.
#define MD5_DUAL_MIN_SQUARE 0x1p-32f
#define MD5_DUAL_MAX_SQUARE 0x1p2f

static inline float md5_quat_dot(md5_quat a, md5_quat b)
{
    return ((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w;
}

// Returns the factor 1 or -1 for the bias of `q`. q and -q are the same rotation. The factor
// selects the one that is nearer to the rotation of the first joint, so that the blend takes the
// shorter way.
static inline float md5_dual_sign(const md5_dual_quat *first, const md5_dual_quat *q)
{
    return md5_quat_dot(first->real, q->real) < 0 ? -1.0f : 1.0f;
}

// Converts a dual quaternion of any length to a matrix.
md5_mat34 md5i_dual_matrix(const md5_dual_quat *q);

// Returns the blended matrix of a vertex of a job with `duals`. It is 0 if the vertex has no
// influences.
md5_mat34 md5i_blend_duals(const md5i_skin_job *job, uint32_t vertex);

// Returns the matrix that transforms a vertex from the bind pose to the current pose. It is 0 if
// the vertex has no influences.
md5_mat34 md5i_vertex_matrix(const md5i_skin_job *job, uint32_t vertex);

#endif
