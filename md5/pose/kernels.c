// Selects the kernels of an instruction set. A kernel is a function that does the work of posing
// for all joints.
#include "md5/pose/kernels.h"

// Returns the kernels that are compiled for an instruction set. The processor must support it.
const md5_pose_kernels *md5i_get_pose_kernels(md5_cpu level)
{
    static const md5_pose_kernels *const kernels[MD5_CPU_COUNT] =
        MD5_KERNEL_PER_SET(&md5i_pose_kernels);
    return kernels[level];
}

md5_combine_kernel *const md5i_combine_kernels[MD5_CPU_COUNT] = MD5_KERNEL_PER_SET(md5i_combine);
