// md5_skin() for each instruction set. All results are bit for bit equal to the scalar ones.
#ifndef MD5_SKIN_KERNELS_H
#define MD5_SKIN_KERNELS_H

#include "md5/core/cpu.h"
#include "md5/skin/plan.h"

// The arguments of md5_skin().
typedef struct md5_skin_job {
    const md5_mesh *mesh;
    const md5_mat34 *palette;
    md5_vec3 *positions;
    md5_vec3 *normals;  // or NULL
    md5_vec4 *tangents; // or NULL
    md5_bounds *bounds; // or NULL; if set, grows to hold the positions, which are not written
} md5_skin_job;

// Works for any mesh. The others need a plan and call this one for single vertices.
void md5_skin_scalar(const md5_skin_job *job);
void md5_skin_sse2(const md5_skin_job *job);
void md5_skin_avx2(const md5_skin_job *job);
void md5_skin_avx512(const md5_skin_job *job);
void md5_skin_neon(const md5_skin_job *job);

// Skins one run in plain C, or with AVX2 (no bounds).
void md5_skin_run_scalar(const md5_skin_job *job, const md5_skin_run *run);
void md5_skin_run_avx2(const md5_skin_job *job, const md5_skin_run *run);

// md5_skin() with the kernel of `level`, which must be available (md5_cpu_has).
void md5_skin_with(md5_cpu level, const md5_skin_job *job);

// md5_skin_bounds() likewise.
md5_bounds md5_skin_bounds_with(md5_cpu level, const md5_model *model, const md5_mat34 *palette);

#endif
