#include "md5/pose/kernels.h"

const md5_pose_kernels *md5i_pose_kernels_of(md5_cpu level)
{
    switch (level) {
#if MD5_HAS_SSE2
    case MD5_CPU_SSE2:
        return &md5i_pose_kernels_sse2;
#endif
#if MD5_HAS_AVX2
    case MD5_CPU_AVX2:
        return &md5i_pose_kernels_avx2;
#endif
#if MD5_HAS_AVX512
    case MD5_CPU_AVX512:
        return &md5i_pose_kernels_avx512;
#endif
#if MD5_HAS_NEON
    case MD5_CPU_NEON:
        return &md5i_pose_kernels_neon;
#endif
    default:
        return &md5i_pose_kernels_scalar;
    }
}

const md5_pose_kernels *md5i_pose_kernels_best(void)
{
    return md5i_pose_kernels_of(md5i_cpu_has(MD5_CPU_AVX512) ? MD5_CPU_AVX512 : md5i_cpu_best());
}
