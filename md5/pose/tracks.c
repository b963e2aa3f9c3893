// Samples tracks in all storage formats with all interpolations. The small form of the library
// (md5/small/) has its own version of this file.
#include "md5/pose/tracks.h"
#include "md5/pose/cubic.h"
#include "md5/pose/frames.h"
#include "md5/pose/kernels.h"
#include "md5/pose/sample_position.h"

// Returns the rotation of a slot at a sample position, for any storage format and interpolation.
md5_quat md5i_sample_rotation(const md5_sampling *sampling, uint32_t slot)
{
    const md5_anim *const anim = sampling->anim;
    const md5_sample_position *const sample = sampling->sample;
    const md5_packed *const packed = anim->internal.packed;
    if (sample->interpolation == MD5_INTERPOLATE_CUBIC)
        return md5i_cubic_rotation(anim, sample, slot);
    if (!packed)
        return md5_sample_rotation(sampling, slot);
    if (!sampling->is_nlerp)
        return md5i_packed_sample_joint(packed, anim->rotation_joints[slot], MD5_PACKED_ROTATION,
                                        sample);
    // Nlerp interpolates between the two frames instead of two keys, which may be farther apart.
    return md5_nlerp_weighted(&sampling->nlerp, md5_frame_rotation(anim, sample->frame0, slot),
                              md5_frame_rotation(anim, sample->frame1, slot));
}

// Returns the translation of a slot at a sample position, for any storage format and interpolation.
md5_vec3 md5i_sample_translation(const md5_sampling *sampling, uint32_t slot)
{
    const md5_anim *const anim = sampling->anim;
    const md5_sample_position *const sample = sampling->sample;
    const md5_packed *const packed = anim->internal.packed;
    if (sample->interpolation == MD5_INTERPOLATE_CUBIC)
        return md5i_cubic_translation(anim, sample, MD5_ROOT_FILE, slot);
    if (!packed)
        return md5_sample_translation(sampling, slot);
    if (!sampling->is_nlerp) {
        // The translation is returned in x, y and z of a quaternion.
        const md5_quat xyz = md5i_packed_sample_joint(packed, anim->translation_joints[slot],
                                                      MD5_PACKED_TRANSLATION, sample);
        return (md5_vec3){xyz.x, xyz.y, xyz.z};
    }
    // Interpolate between the two frames instead of two keys, as for rotations.
    return md5_vec3_lerp(md5_frame_translation(anim, sample->frame0, slot),
                         md5_frame_translation(anim, sample->frame1, slot), sample->fraction);
}

// Samples the translation of joint 0 for MD5_ROOT_ID or MD5_ROOT_IN_PLACE.
md5_vec3 md5i_sample_root(const md5_anim *anim, const md5_sample_position *sample, md5_root root)
{
    const bool is_animated = anim->num_translations > 0 && anim->translation_joints[0] == 0;
    const bool is_cubic = sample->interpolation == MD5_INTERPOLATE_CUBIC;
    if (!is_animated || root == MD5_ROOT_IN_PLACE || !is_cubic)
        return md5i_root_translation(anim, sample, root);
    return md5i_cubic_translation(anim, sample, root, 0);
}

// Samples the tracks of a compressed clip one by one. This is the slow path for interpolations that
// no kernel supports.
static void sample_one_by_one(const md5_anim *anim, const md5_targets *targets,
                              const md5_sample_position *sample, md5_xform *pose)
{
    const md5_sampling sampling = md5_begin_sampling(anim, sample);
    for (uint32_t slot = 0; slot < anim->num_rotations; slot++) {
        const uint32_t target = targets->rotations[slot];
        if (target != MD5_NONE)
            pose[target].rotation = md5i_sample_rotation(&sampling, slot);
    }
    for (uint32_t slot = 0; slot < anim->num_translations; slot++) {
        const uint32_t target = targets->translations[slot];
        if (target == MD5_NONE)
            continue;
        pose[target].translation = md5i_sample_translation(&sampling, slot);
        pose[target].pad = 0;
    }
}

// Samples the tracks that drive a joint, and writes them to a pose that already contains the
// constant joints. The storage format and the interpolation select the method.
void md5i_sample_tracks(const md5_anim *anim, const md5_pose_plan *plan,
                        const md5_sample_position *sample, md5_xform *pose)
{
    const md5_packed *const packed = anim->internal.packed;
    if (sample->interpolation == MD5_INTERPOLATE_CUBIC)
        md5i_sample_curves(anim, &plan->targets, sample, pose);
    else if (!packed)
        plan->kernels->sample(anim, sample, &plan->targets, pose);
    else if (sample->interpolation == MD5_INTERPOLATE_NLERP)
        sample_one_by_one(anim, &plan->targets, sample, pose);
    else
        plan->kernels->sample_packed(packed, plan->groups, plan->num_groups, sample, pose);
}
