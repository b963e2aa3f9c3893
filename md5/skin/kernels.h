// md5_skin() for each instruction set. All write the bits of the scalar one.
#ifndef MD5_SKIN_KERNELS_H
#define MD5_SKIN_KERNELS_H

#include "md5/core/cpu.h"
#include "md5/skin/plan.h"

// What md5_skin() is given.
typedef struct md5_skin_job {
    const md5_mesh *mesh;
    const md5_mat34 *palette;
    md5_vec3 *positions;
    md5_vec3 *normals;  // or NULL
    md5_vec4 *tangents; // or NULL
    md5_bounds *bounds; // or NULL; else places are not written, but this grows to hold them
} md5_skin_job;

// Works for any mesh; the others want a plan, and leave single vertices to this one.
void md5_skin_scalar(const md5_skin_job *job);
void md5_skin_sse2(const md5_skin_job *job);
void md5_skin_avx2(const md5_skin_job *job);
void md5_skin_avx512(const md5_skin_job *job);
void md5_skin_neon(const md5_skin_job *job);

// One run, in plain C; with AVX2, without bounds.
void md5_skin_run_scalar(const md5_skin_job *job, const md5_skin_run *run);
void md5_skin_run_avx2(const md5_skin_job *job, const md5_skin_run *run);

// md5_skin() with the kernel of `level`, which must be there (md5_cpu_has).
void md5_skin_with(md5_cpu level, const md5_skin_job *job);

// md5_skin_bounds() likewise.
md5_bounds md5_skin_bounds_with(md5_cpu level, const md5_model *model, const md5_mat34 *palette);

#endif
