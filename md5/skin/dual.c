// Dual palettes, and the choice of a kernel. dual_scalar.c has the formulas.
#include "md5/md5skin.h"
#include "md5/skin/dual_kernels.h"

#include "md5/core/math.h"

// -- Palettes ---------------------------------------------------------------------------------

void md5_build_dual_palette(const md5_mat34 *palette, uint32_t count, md5_dual_quat *dual)
{
    for (uint32_t i = 0; i < count; i++) {
        const md5_vec3 half = md5_vec3_scale(md5_mat34_translation(palette[i]), 0.5f);
        const md5_quat rotation = md5_quat_from_mat34(palette[i]);
        dual[i].real = rotation;
        dual[i].dual = md5_quat_mul((md5_quat){half.x, half.y, half.z, 0.0f}, rotation);
    }
}

// -- Skinning ---------------------------------------------------------------------------------

void md5i_dual_with(md5_cpu level, const md5_dual_job *job)
{
    switch (job->skin.mesh->skin_plan ? level : MD5_CPU_SCALAR) {
#if MD5_HAS_SSE2
    case MD5_CPU_SSE2:
        md5i_dual_sse2(job);
        break;
#endif
#if MD5_HAS_AVX2
    case MD5_CPU_AVX512: // no faster: see README.md
    case MD5_CPU_AVX2:
        md5i_dual_avx2(job);
        break;
#endif
#if MD5_HAS_NEON
    case MD5_CPU_NEON:
        md5i_dual_neon(job);
        break;
#endif
    default:
        md5i_dual_scalar(job);
    }
}
