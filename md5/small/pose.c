// Posing in the small form: clips with frames, interpolation between two frames, bindings of a
// model. Replaces bind.c, tracks.c, frames.c and simd/table_scalar.c of md5/pose.
#include "md5/pose/binding.h"
#include "md5/pose/kernels.h"
#include "md5/pose/sample_position.h"
#include "md5/pose/tracks.h"

const md5_pose_kernels md5i_pose_kernels_scalar = {
    .sample = md5i_sample_scalar,
    .multiply = md5i_multiply_scalar,
    .finish = md5i_finish_scalar,
    .width = 1,
};

// == Tracks ======================================================================================

void md5i_sample_tracks(const md5_anim *anim, const md5_pose_plan *plan,
                        const md5_sample_position *sample, md5_xform *pose)
{
    plan->kernels->sample(anim, sample, &plan->targets, pose);
}

md5_quat md5i_sample_rotation(const md5_sampling *sampling, uint32_t slot)
{
    return md5_sample_rotation(sampling, slot);
}

md5_vec3 md5i_sample_translation(const md5_sampling *sampling, uint32_t slot)
{
    return md5_sample_translation(sampling, slot);
}

md5_vec3 md5i_sample_root(const md5_anim *anim, const md5_sample_position *sample, md5_root root)
{
    return md5i_root_translation(anim, sample, root);
}

// Writes the translations of joint 0 in frames[count].
void md5i_read_root(const md5_anim *anim, const uint32_t *frames, uint32_t count, md5_vec3 *out)
{
    // The list is ascending: if it contains joint 0, joint 0 is its first element.
    const bool is_animated = anim->num_translations > 0 && anim->translation_joints[0] == 0;
    for (uint32_t i = 0; i < count; i++)
        out[i] = is_animated ? anim->translations[(size_t)frames[i] * anim->num_translations]
                             : anim->constant[0].translation;
}

// == Bindings ====================================================================================

// Matches the joints of a clip and a model by name, in the small form of the library. The binding
// is laid out twice: first to measure the memory block, then to assign addresses in it.
md5_binding *md5_bind(const md5_model *model, const md5_anim *anim, const md5_load_opts *opts,
                      md5_error *error)
{
    MD5_ASSERT_OPTS(opts);
    if (!model) {
        md5i_fail_missing(error, "model");
        return NULL;
    }
    if (!anim) {
        md5i_fail_missing(error, "anim");
        return NULL;
    }
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    MD5_ASSERT_ALIVE(anim, MD5_TAG_ANIM);
    const md5_binding parts = {
        .model = model,
        .skeleton = &model->skeleton,
        .bind_local = model->bind_local,
        .inverse_bind = model->inverse_bind,
        .anim = anim,
    };
    md5_binding_job job;
    if (!md5i_begin_binding(&job, &parts, opts, error))
        return NULL;
    md5i_lay_out_binding(&job);
    if (md5i_allocate_binding(&job)) {
        md5i_lay_out_binding(&job);
        md5i_fill_binding(&job);
    }
    return md5i_end_binding(&job);
}
