// md5_skin(): chooses a kernel.
#include "md5/md5skin.h"
#include "md5/core/assert.h"
#include "md5/skin/kernels.h"

// Smaller meshes use plain C: wide registers have a longer latency for the first result.
enum { FEWEST_VERTICES = 4 };

void md5i_skin_with(md5_cpu level, const md5i_skin_job *job)
{
    const bool is_wide = job->mesh->skin_plan && job->mesh->num_vertices >= FEWEST_VERTICES;
    switch (is_wide ? level : MD5_CPU_SCALAR) {
#if MD5_HAS_SSE2
    case MD5_CPU_SSE2:
        md5i_skin_sse2(job);
        break;
#endif
#if MD5_HAS_AVX2
    case MD5_CPU_AVX2:
        md5i_skin_avx2(job);
        break;
#endif
#if MD5_HAS_AVX512
    case MD5_CPU_AVX512:
        md5i_skin_avx512(job);
        break;
#endif
#if MD5_HAS_NEON
    case MD5_CPU_NEON:
        md5i_skin_neon(job);
        break;
#endif
    default:
        md5i_skin_scalar(job);
    }
}

static md5_cpu best_level(void)
{
    return md5i_cpu_has(MD5_CPU_AVX512) ? MD5_CPU_AVX512 : md5i_cpu_best();
}

void md5_skin(const md5_mesh *mesh, const md5_mat34 *palette, md5_vec3 *positions,
              md5_vec3 *normals, md5_vec4 *tangents)
{
    MD5_ASSERT(mesh != NULL, "mesh: not NULL");
    MD5_ASSERT(palette != NULL || mesh->num_influences == 0, "palette: not NULL");
    MD5_ASSERT_GEOMETRY(mesh);
    const md5i_skin_job job = {
        .mesh = mesh,
        .palette = palette,
        .positions = positions,
        .normals = normals,
        .tangents = mesh->tangents ? tangents : NULL,
    };
    md5i_skin_with(best_level(), &job);
}

// -- Interleaved vertices -------------------------------------------------------------------

// In floats; 0 if there are no gaps.
static size_t floats_of(size_t stride, size_t tight)
{
    return stride == tight * sizeof(float) ? 0 : stride / sizeof(float);
}

bool md5i_strided_job(const md5_mesh *mesh, const md5_vertex_out *out, md5i_skin_job *job)
{
    *job = (md5i_skin_job){
        .mesh = mesh,
        .positions = (md5_vec3 *)out->positions,
        .normals = (md5_vec3 *)out->normals,
        .tangents = mesh->tangents ? (md5_vec4 *)out->tangents : NULL,
    };
    const size_t strides[3] = {floats_of(out->position_stride, 3), floats_of(out->normal_stride, 3),
                               floats_of(out->tangent_stride, 4)};
    bool fits = true;
    for (int i = 0; i < 3; i++) {
        job->strides[i] = (uint32_t)strides[i];
        fits = fits && (uint64_t)strides[i] * mesh->num_vertices <= UINT32_MAX;
    }
    return fits;
}

void md5_skin_strided(const md5_mesh *mesh, const md5_mat34 *palette, const md5_vertex_out *out)
{
    MD5_ASSERT(mesh != NULL, "mesh: not NULL");
    MD5_ASSERT(palette != NULL || mesh->num_influences == 0, "palette: not NULL");
    MD5_ASSERT_GEOMETRY(mesh);
    MD5_ASSERT_OUT(mesh, out);
    md5i_skin_job job;
    const bool fits = md5i_strided_job(mesh, out, &job);
    job.palette = palette;
    md5i_skin_with(fits ? best_level() : MD5_CPU_SCALAR, &job);
}
