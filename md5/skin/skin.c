// md5_skin(): chooses a kernel.
#include "md5/core/assert.h"
#include "md5/skin/kernels.h"

// Smaller meshes use plain C: wide registers have a longer latency for the first result.
enum { FEWEST_VERTICES = 4 };

void md5_skin_with(md5_cpu level, const md5_skin_job *job)
{
    const bool is_wide = job->mesh->skin_plan && job->mesh->num_vertices >= FEWEST_VERTICES;
    switch (is_wide ? level : MD5_CPU_SCALAR) {
#if MD5_HAS_SSE2
    case MD5_CPU_SSE2:
        md5_skin_sse2(job);
        break;
#endif
#if MD5_HAS_AVX2
    case MD5_CPU_AVX2:
        md5_skin_avx2(job);
        break;
#endif
#if MD5_HAS_AVX512
    case MD5_CPU_AVX512:
        md5_skin_avx512(job);
        break;
#endif
#if MD5_HAS_NEON
    case MD5_CPU_NEON:
        md5_skin_neon(job);
        break;
#endif
    default:
        md5_skin_scalar(job);
    }
}

void md5_skin(const md5_mesh *mesh, const md5_mat34 *palette, md5_vec3 *positions,
              md5_vec3 *normals, md5_vec4 *tangents)
{
    MD5_ASSERT(mesh != NULL, "mesh: not NULL");
    MD5_ASSERT(palette != NULL || mesh->num_influences == 0, "palette: not NULL");
    const md5_skin_job job = {mesh, palette, positions, normals, tangents, NULL};
    md5_skin_with(md5_cpu_has(MD5_CPU_AVX512) ? MD5_CPU_AVX512 : md5_cpu_best(), &job);
}
