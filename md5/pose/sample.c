#include "md5/pose/sampling.h"

#include "md5/core/math.h"
#include "md5/pose/binding.h"
#include "md5/pose/cubic.h"
#include "md5/pose/kernels.h"
#include "md5/pose/moment.h"
#include "md5/pose/packed.h"
#include "md5/pose/root.h"

#include <string.h>

void md5i_sample_anim_with(const md5_pose_kernels *kernels, const md5_anim *anim,
                           const md5_moment *moment, md5_root root, md5_xform *pose)
{
    const md5_targets targets = md5i_own_targets(anim);
    if (!targets.rotations_in_order || !targets.translations_in_order)
        memcpy(pose, anim->constant, anim->skeleton.num_joints * sizeof *pose);
    kernels->sample(anim, moment, &targets, pose);
    if (root != MD5_ROOT_FILE)
        pose[0].translation = md5i_root_translation(anim, moment, root);
}

// Samples through a binding whose tracks are not in the order of the pose.
static void sample_scattered(const md5_pose_kernels *kernels, const md5_binding *binding,
                             const md5_moment *moment, md5_root root, md5_xform *pose)
{
    md5_copy_constants(binding, 0, binding->skeleton->num_joints, pose);
    kernels->sample(binding->anim, moment, &binding->plan->targets, pose);
    const int32_t target = md5_binding_targets(binding)[0];
    if (target >= 0 && root != MD5_ROOT_FILE)
        pose[target].translation = md5i_root_translation(binding->anim, moment, root);
}

// One joint of an md5_sampling.
static md5_xform sample_joint(const void *sampling, uint32_t joint)
{
    const md5_sampling *const from = (const md5_sampling *)sampling;
    const md5_anim *const anim = from->anim;
    md5_xform transform = anim->constant[joint];
    const int64_t rotation = md5_find_slot(anim->rotation_joints, anim->num_rotations, joint);
    const int64_t translation =
        md5_find_slot(anim->translation_joints, anim->num_translations, joint);
    if (rotation >= 0)
        transform.rotation = md5_sample_rotation(from, (uint32_t)rotation);
    if (joint == 0)
        transform.translation = md5i_root_translation(anim, from->moment, from->root);
    else if (translation >= 0)
        transform.translation = md5_sample_translation(from, (uint32_t)translation);
    return transform;
}

// Composes joints whose track is not relative to their parent in the model.
void md5i_apply_rebases(const md5_binding *binding, md5_sample_joint_fn *sample,
                        const void *sampling, md5_xform *pose)
{
    const int32_t *targets = md5_binding_targets(binding);
    const md5_joint *joints = binding->skeleton->joints;
    const md5_joint *anim_joints = binding->anim->skeleton.joints;

    for (uint32_t i = 0; i < binding->num_rebases; i++) {
        const md5_rebase *rebase = &binding->rebases[i];
        md5_xform local = pose[rebase->joint];
        for (int32_t extra = rebase->extra; extra >= 0 && targets[extra] < 0;
             extra = anim_joints[extra].parent) {
            const md5_xform above = sample(sampling, (uint32_t)extra);
            local = md5_xform_mul(above, local);
        }
        int32_t ancestor = joints[rebase->joint].parent;
        if (ancestor != rebase->above) {
            md5_xform chain = pose[ancestor];
            for (ancestor = joints[ancestor].parent; ancestor != rebase->above;
                 ancestor = joints[ancestor].parent)
                chain = md5_xform_mul(pose[ancestor], chain);
            local = md5_xform_mul(md5_xform_inverse(chain), local);
        }
        pose[rebase->joint] = local;
    }
}

static void sample_cubic(const md5_binding *binding, const md5_moment *moment, md5_root root,
                         md5_xform *pose)
{
    const md5_anim *const anim = binding->anim;
    const md5_targets *const targets = &binding->plan->targets;
    const md5_cubic cubic = md5i_cubic_at(anim, moment, root);
    md5_copy_constants(binding, 0, binding->skeleton->num_joints, pose);
    for (uint32_t slot = 0; slot < anim->num_rotations; slot++) {
        const int32_t target = targets->rotations[slot];
        if (target >= 0)
            pose[target].rotation = md5i_cubic_rotation(&cubic, slot);
    }
    for (uint32_t slot = 0; slot < anim->num_translations; slot++) {
        const int32_t target = targets->translations[slot];
        if (target >= 0)
            pose[target].translation = md5i_cubic_translation(&cubic, slot);
    }
    const int32_t first = md5_binding_targets(binding)[0];
    if (first >= 0)
        pose[first].translation = md5i_cubic_root(&cubic);
    md5i_apply_rebases(binding, md5i_cubic_joint, &cubic, pose);
}

void md5i_sample_with(const md5_pose_kernels *kernels, const md5_binding *binding,
                      const md5_moment *moment, md5_root root, md5_xform *pose)
{
    if (moment->interpolation == MD5_INTERPOLATE_CUBIC) {
        sample_cubic(binding, moment, root, pose);
        return;
    }
    if (binding->anim->packed) {
        md5i_sample_packed_with(md5i_packed_kernel_best(), binding, moment, root, pose);
        return;
    }
    if (binding->same_order && binding->num_extra == 0)
        md5i_sample_anim_with(kernels, binding->anim, moment, root, pose);
    else
        sample_scattered(kernels, binding, moment, root, pose);
    if (binding->num_rebases == 0)
        return;
    const md5_sampling sampling = md5_begin_sampling(binding->anim, moment, root);
    md5i_apply_rebases(binding, sample_joint, &sampling, pose);
}

void md5_sample(const md5_binding *binding, md5_moment moment, md5_root root, md5_xform *pose)
{
    MD5_ASSERT(binding != NULL, "binding: not NULL");
    MD5_ASSERT(pose != NULL || binding->skeleton->num_joints == 0, "pose: not NULL");
    MD5_ASSERT((unsigned)root <= MD5_ROOT_IN_PLACE, "root: a md5_root");
    MD5_ASSERT_MOMENT(binding->anim, moment);
    const md5_moment clamped = md5_clamp_moment(binding->anim, &moment);
    md5i_sample_with(md5i_pose_kernels_best(), binding, &clamped, root, pose);
}
