// md5_skin_dual() for each instruction set. All write the bits of the scalar one.
#ifndef MD5_SKIN_DUAL_KERNELS_H
#define MD5_SKIN_DUAL_KERNELS_H

#include "md5/skin/kernels.h"

// The blend of a vertex's dual quaternions is used where its real part is longer than this part of
// the first bias: squared. Shorter ones come of biases that cancel out, and are mere rounding.
#define MD5_DUAL_VANISHES 1e-6f

// Squares of a first bias between these are blended as they are. Of biases beyond, products of two
// would leave the range of floats: they are brought to about 1 first, by a power of two, in plain
// C.
#define MD5_DUAL_LEAST_SQUARE 0x1p-32f
#define MD5_DUAL_MOST_SQUARE 0x1p2f

// What md5_skin_dual() is given. The palette of `skin` is not used, and there are no bounds.
typedef struct md5_dual_job {
    md5_skin_job skin;
    const md5_dual_quat *palette;
} md5_dual_job;

static inline float md5_quat_dot(md5_quat a, md5_quat b)
{
    return ((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w;
}

// By what a bias is multiplied so that `q` does not lead the long way round from the first joint's
// rotation: q and -q are the same one.
static inline float md5_dual_sign(const md5_dual_quat *first, const md5_dual_quat *q)
{
    return md5_quat_dot(first->real, q->real) < 0.0f ? -1.0f : 1.0f;
}

// The matrix of a dual quaternion of any length.
md5_mat34 md5_dual_matrix(const md5_dual_quat *q);

// The matrix that moves a vertex of the bind pose; 0 if it has no influences.
md5_mat34 md5_dual_vertex_matrix(const md5_mesh *mesh, const md5_dual_quat *palette,
                                 uint32_t vertex);

// Works for any mesh; the others want a plan, and leave single vertices to this one.
void md5_dual_scalar(const md5_dual_job *job);
void md5_dual_sse2(const md5_dual_job *job);
void md5_dual_avx2(const md5_dual_job *job);
void md5_dual_neon(const md5_dual_job *job);

// Some vertices, in plain C.
void md5_dual_vertices_scalar(const md5_dual_job *job, const uint32_t *vertices, uint32_t count);

// md5_skin_dual() with the kernel of `level`, which must be there (md5_cpu_has).
void md5_dual_with(md5_cpu level, const md5_dual_job *job);

#endif
