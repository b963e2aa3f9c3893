// Skinning by dual quaternions for each instruction set. All write the bits of the scalar one.
#ifndef MD5_SKIN_DUAL_KERNELS_H
#define MD5_SKIN_DUAL_KERNELS_H

#include "md5/skin/kernels.h"

// The blend of a vertex's dual quaternions is valid if the squared length of its real part exceeds
// this share of the squared first bias. Shorter ones result from biases that cancel out and consist
// of rounding errors.
#define MD5_DUAL_VANISHES 1e-6f

// If the square of the first bias is between these, biases are used unchanged. Otherwise products
// of two could leave the range of floats: plain C first scales the biases to about 1 by a power of
// two.
#define MD5_DUAL_LEAST_SQUARE 0x1p-32f
#define MD5_DUAL_MOST_SQUARE 0x1p2f

// The arguments of a kernel. The palette of `skin` is not used, and there are no bounds.
typedef struct md5_dual_job {
    md5i_skin_job skin;
    const md5_dual_quat *palette;
} md5_dual_job;

static inline float md5_quat_dot(md5_quat a, md5_quat b)
{
    return ((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w;
}

// The sign of a bias with which `q` and the first joint's rotation blend along the shorter arc; q
// and -q are the same rotation.
static inline float md5_dual_sign(const md5_dual_quat *first, const md5_dual_quat *q)
{
    return md5_quat_dot(first->real, q->real) < 0.0f ? -1.0f : 1.0f;
}

// The matrix of a dual quaternion of any length.
md5_mat34 md5i_dual_matrix(const md5_dual_quat *q);

// The matrix that moves a vertex of the bind pose; 0 if it has no influences.
md5_mat34 md5i_dual_vertex_matrix(const md5_mesh *mesh, const md5_dual_quat *palette,
                                  uint32_t vertex);

// Works for any mesh; the others need a plan and call this one for single vertices.
void md5i_dual_scalar(const md5_dual_job *job);
void md5i_dual_sse2(const md5_dual_job *job);
void md5i_dual_avx2(const md5_dual_job *job);
void md5i_dual_neon(const md5_dual_job *job);

// Some vertices, in plain C.
void md5i_dual_vertices_scalar(const md5_dual_job *job, const uint32_t *vertices, uint32_t count);

// As md5i_skin_vertices_scalar().
void md5i_dual_places_scalar(const md5_dual_job *job, const uint32_t *vertices, uint32_t first,
                             uint32_t count);

// Whole meshes with the kernel of `level`, which must be available (md5i_cpu_has).
void md5i_dual_with(md5_cpu level, const md5_dual_job *job);

#endif
