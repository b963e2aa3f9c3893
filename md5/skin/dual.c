// md5_dual_palette(), and md5_skin_dual(): the choice of a kernel. dual_scalar.c has the formulas.
#include "md5/skin/dual_kernels.h"

#include "md5/core/math.h"

// -- Palettes ---------------------------------------------------------------------------------

// From the largest of the four, which is 1/2 at least. Shepperd, "Quaternion from Rotation Matrix",
// Journal of Guidance and Control 1, 1978.
static md5_quat rotation_of(const float *m)
{
    const float xx = m[0], yy = m[5], zz = m[10];
    md5_quat q;
    if (xx + yy + zz > 0.0f)
        q = (md5_quat){m[9] - m[6], m[2] - m[8], m[4] - m[1], 1.0f + (xx + yy + zz)};
    else if (xx >= yy && xx >= zz)
        q = (md5_quat){1.0f + (xx - yy - zz), m[1] + m[4], m[2] + m[8], m[9] - m[6]};
    else if (yy >= zz)
        q = (md5_quat){m[1] + m[4], 1.0f + (yy - xx - zz), m[6] + m[9], m[2] - m[8]};
    else
        q = (md5_quat){m[2] + m[8], m[6] + m[9], 1.0f + (zz - xx - yy), m[4] - m[1]};
    const float scale = 1.0f / sqrtf(md5_quat_dot(q, q));
    return (md5_quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

void md5_dual_palette(const md5_mat34 *palette, uint32_t count, md5_dual_quat *dual)
{
    for (uint32_t i = 0; i < count; i++) {
        const md5_vec3 half = md5_vec3_scale(md5_mat34_translation(&palette[i]), 0.5f);
        const md5_quat rotation = rotation_of(palette[i].m);
        dual[i].real = rotation;
        dual[i].dual = md5_quat_mul((md5_quat){half.x, half.y, half.z, 0.0f}, rotation);
    }
}

// -- Skinning ---------------------------------------------------------------------------------

void md5_dual_with(md5_cpu level, const md5_dual_job *job)
{
    switch (job->skin.mesh->skin_plan ? level : MD5_CPU_SCALAR) {
#if MD5_HAS_SSE2
    case MD5_CPU_SSE2:
        md5_dual_sse2(job);
        break;
#endif
#if MD5_HAS_AVX2
    case MD5_CPU_AVX512: // would gain nothing: see README.md
    case MD5_CPU_AVX2:
        md5_dual_avx2(job);
        break;
#endif
#if MD5_HAS_NEON
    case MD5_CPU_NEON:
        md5_dual_neon(job);
        break;
#endif
    default:
        md5_dual_scalar(job);
    }
}

void md5_skin_dual(const md5_mesh *mesh, const md5_dual_quat *palette, md5_vec3 *positions,
                   md5_vec3 *normals, md5_vec4 *tangents)
{
    const md5_dual_job job = {{mesh, NULL, positions, normals, tangents, NULL}, palette};
    md5_dual_with(md5_cpu_best(), &job);
}
