// Bounds of a posed model, without writing its vertices.
#include "md5/core/assert.h"
#include "md5/core/math.h"
#include "md5/skin/kernels.h"

// Which of 0 and -0 comes first depends on the instruction set.
static md5_vec3 without_negative_zero(md5_vec3 a)
{
    return (md5_vec3){a.x + 0.0f, a.y + 0.0f, a.z + 0.0f};
}

md5_bounds md5i_skin_bounds_with(md5_cpu level, const md5_model *model, const md5_mat34 *palette)
{
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5i_skin_job job = {
            .mesh = &model->meshes[i], .palette = palette, .bounds = &bounds};
        md5i_skin_with(level, &job);
    }
    return (md5_bounds){without_negative_zero(bounds.min), without_negative_zero(bounds.max)};
}

#if !defined(NDEBUG)
static bool has_all_geometry(const md5_model *model)
{
    for (uint32_t i = 0; i < model->num_meshes; i++)
        if (!md5_has_geometry(&model->meshes[i]))
            return false;
    return true;
}
#endif

md5_bounds md5_skin_bounds(const md5_model *model, const md5_mat34 *palette)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_VALIDATE(has_all_geometry(model), "model: its geometry was not released");
    MD5_ASSERT(palette != NULL || model->skeleton.num_joints == 0, "palette: not NULL");
    return md5i_skin_bounds_with(md5i_cpu_best(), model, palette);
}
