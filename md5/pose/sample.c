// Poses of clips: md5_sample().
#include "md5/pose/kernels.h"
#include "md5/pose/sample_position.h"
#include "md5/pose/tracks.h"

// Returns the index of `joint` in an ascending list, or -1.
static int64_t find_slot(const uint32_t *joints, uint32_t count, uint32_t joint)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (joints[middle] < joint)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && joints[low] == joint ? (int64_t)low : -1;
}

// Composes joints whose track is not relative to their parent in the model.
// Time is linear in the number of joints.
static MD5_COLD void apply_rebases(const md5_binding *binding, const md5_sample_position *sample,
                                   md5_root root, md5_xform *pose)
{
    const md5_sampling from = md5_begin_sampling(binding->anim, sample);
    const uint32_t *targets = binding->internal.plan->driven;
    const md5_joint *joints = binding->skeleton->joints;
    const md5_joint *anim_joints = binding->anim->skeleton.joints;

    for (uint32_t i = 0; i < binding->num_rebases; i++) {
        const md5_rebase *rebase = &binding->internal.rebases[i];
        md5_xform local = pose[rebase->joint];
        for (uint32_t extra = rebase->extra; extra != MD5_NONE && targets[extra] == MD5_NONE;
             extra = anim_joints[extra].parent) {
            // One animation joint relative to its parent, as sampling the whole clip has it.
            const md5_anim *const anim = from.anim;
            md5_xform above = anim->constant[extra];
            const int64_t rotation = find_slot(anim->rotation_joints, anim->num_rotations, extra);
            const int64_t translation =
                find_slot(anim->translation_joints, anim->num_translations, extra);
            if (rotation >= 0)
                above.rotation = md5i_sample_rotation(&from, (uint32_t)rotation);
            if (extra == 0 && root != MD5_ROOT_FILE)
                above.translation = md5i_sample_root(anim, sample, root);
            else if (translation >= 0)
                above.translation = md5i_sample_translation(&from, (uint32_t)translation);

            local = md5_xform_mul(above, local);
        }
        uint32_t ancestor = joints[rebase->joint].parent;
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

void md5i_sample_anim_with(const md5_pose_kernels *kernels, const md5_anim *anim,
                           const md5_sample_position *sample, md5_root root, md5_xform *pose)
{
    // The targets of a clip without a binding: each joint is its own target.
    // The lists ascend: if they are as long as the skeleton, slot k is joint k.
    const uint32_t count = anim->skeleton.num_joints;
    const md5_targets targets = {
        .rotations = anim->rotation_joints,
        .translations = anim->translation_joints,
        .rotations_in_order = anim->num_rotations == count,
        .translations_in_order = anim->num_translations == count,
        .rotation_slots = {0, anim->num_rotations},
        .translation_slots = {0, anim->num_translations},
    };
    if (!targets.rotations_in_order || !targets.translations_in_order)
        memcpy(pose, anim->constant, anim->skeleton.num_joints * sizeof *pose);
    kernels->sample(anim, sample, &targets, pose, NULL);
    if (root != MD5_ROOT_FILE)
        pose[0].translation = md5i_root_translation(anim, sample, root);
}

void md5_sample(const md5_binding *binding, md5_sample_position sample, md5_root root,
                md5_xform *pose)
{
    MD5_ASSERT_BINDING(binding);
    MD5_ASSERT_ARRAY(pose, binding->skeleton->num_joints);
    MD5_ASSERT((unsigned)root <= MD5_ROOT_IN_PLACE, "root: must be a value of md5_root");
    MD5_ASSERT_SAMPLE_POSITION(binding->anim, sample);
    md5_clamp_sample_position(binding->anim, &sample);
    const md5_pose_plan *const plan = binding->internal.plan;
    if (!plan->targets.rotations_in_order || !plan->targets.translations_in_order)
        md5_copy_constants(binding, 0, binding->skeleton->num_joints, pose);
    md5i_sample_tracks(binding->anim, plan, &sample, pose);
    if (plan->driven[0] != MD5_NONE && root != MD5_ROOT_FILE)
        pose[plan->driven[0]].translation = md5i_sample_root(binding->anim, &sample, root);
    if (binding->num_rebases > 0)
        apply_rebases(binding, &sample, root, pose);
}
