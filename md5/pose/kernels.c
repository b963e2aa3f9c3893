#include "md5/pose/kernels.h"

#include <stddef.h>

static const md5_pose_kernels scalar = {
    .sample = md5_sample_scalar,
    .compose = md5_compose_scalar,
    .multiply = md5_multiply_scalar,
    .single = md5_single_scalar,
    .crowd = NULL,
    .width = 1,
};

const md5_pose_kernels *md5_pose_kernels_of(md5_cpu level)
{
    switch (level) {
#if MD5_HAS_SSE2
    case MD5_CPU_SSE2:
        return &md5_pose_kernels_sse2;
#endif
#if MD5_HAS_AVX2
    case MD5_CPU_AVX2:
        return &md5_pose_kernels_avx2;
#endif
#if MD5_HAS_AVX512
    case MD5_CPU_AVX512:
        return &md5_pose_kernels_avx512;
#endif
#if MD5_HAS_NEON
    case MD5_CPU_NEON:
        return &md5_pose_kernels_neon;
#endif
    default:
        return &scalar;
    }
}

const md5_pose_kernels *md5_pose_kernels_best(void)
{
    return md5_pose_kernels_of(md5_cpu_has(MD5_CPU_AVX512) ? MD5_CPU_AVX512 : md5_cpu_best());
}
