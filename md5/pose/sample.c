// md5_sample(): computes a pose from a clip, a binding and a sample position.
#include "md5/pose/kernels.h"
#include "md5/pose/sample_position.h"
#include "md5/pose/tracks.h"

// Returns the index of the track that drives a joint, or -1 if it has none. joints[count] contains
// the joint of each track. It is ascending, so a binary search finds the joint.
static int64_t find_track(const uint32_t *joints, uint32_t count, uint32_t joint)
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

// Returns the transform of an animation joint relative to its parent at a sample position.
static MD5_COLD md5_xform sample_joint(const md5_sampling *sampling, uint32_t joint, md5_root root)
{
    const md5_anim *const anim = sampling->anim;
    md5_xform local = anim->constant[joint];
    const int64_t rotation = find_track(anim->rotation_joints, anim->num_rotations, joint);
    const int64_t translation = find_track(anim->translation_joints, anim->num_translations, joint);
    if (rotation >= 0)
        local.rotation = md5i_sample_rotation(sampling, (uint32_t)rotation);
    if (joint == 0 && root != MD5_ROOT_FILE)
        local.translation = md5i_sample_root(anim, sampling->sample, root);
    else if (translation >= 0)
        local.translation = md5i_sample_translation(sampling, (uint32_t)translation);
    return local;
}

// Returns the transform of a model joint relative to its ancestor `above`, or in model space if
// `above` is MD5_NONE. This is the product of the transforms of all joints from below `above` down
// to the joint.
static MD5_COLD md5_xform compose_ancestors(const md5_joint *joints, const md5_xform *pose,
                                            uint32_t joint, uint32_t above)
{
    md5_xform relative = pose[joint];
    uint32_t ancestor = joints[joint].parent;
    while (ancestor != above) {
        relative = md5_xform_mul(pose[ancestor], relative);
        ancestor = joints[ancestor].parent;
    }
    return relative;
}

// Corrects the rebased joints of a pose. The parent of such a joint in the animation is not its
// parent in the model, so its sampled transform is relative to the wrong joint. STEPS_PER_JOINT in
// binding.c limits the time of this function.
static MD5_COLD void apply_rebases(const md5_binding *binding, const md5_sample_position *sample,
                                   md5_root root, md5_xform *pose)
{
    const md5_sampling sampling = md5_begin_sampling(binding->anim, sample);
    const uint32_t *targets = binding->internal.plan->driven;
    const md5_joint *joints = binding->skeleton->joints;
    const md5_joint *anim_joints = binding->anim->skeleton.joints;

    for (uint32_t i = 0; i < binding->num_rebases; i++) {
        const md5_rebase *rebase = &binding->internal.rebases[i];
        md5_xform local = pose[rebase->joint];

        // Compose the tracks between the joint and rebase->above, whose joints the model lacks.
        for (uint32_t extra = rebase->extra; extra != MD5_NONE && targets[extra] == MD5_NONE;
             extra = anim_joints[extra].parent)
            local = md5_xform_mul(sample_joint(&sampling, extra, root), local);

        // `local` is relative to rebase->above, which the joint follows in the animation. Make it
        // relative to the joint's parent in the model.
        const uint32_t parent = joints[rebase->joint].parent;
        if (parent != rebase->above) {
            const md5_xform parent_to_above =
                compose_ancestors(joints, pose, parent, rebase->above);
            local = md5_xform_mul(md5_xform_inverse(parent_to_above), local);
        }
        pose[rebase->joint] = local;
    }
}

// Samples a clip without a binding. Joint k of the clip is written to pose[k].
void md5i_sample_anim_with(const md5_pose_kernels *kernels, const md5_anim *anim,
                           const md5_sample_position *sample, md5_root root, md5_xform *pose)
{
    // Without a binding, a track is written to the joint with the same index as in the clip. The
    // tracks are sorted by joint. Thus track k drives joint k if all joints have a track.
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
    kernels->sample(anim, sample, &targets, pose);
    if (root != MD5_ROOT_FILE)
        pose[0].translation = md5i_root_translation(anim, sample, root);
}

// Samples an animation into a pose of the model. The order matters: constant joints first, then the
// tracks, then the root, and finally the joints whose parents differ, because their correction
// reads the other joints.
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
