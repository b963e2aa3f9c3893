// Composes joints whose track is not relative to their parent in the model.
#include "md5/core/math.h"
#include "md5/pose/binding.h"
#include "md5/pose/root.h"
#include "md5/pose/sampling.h"

// Returns the index of `joint` in an ascending list, or -1.
static int64_t find_slot(const uint32_t *joints, uint32_t count, uint32_t joint)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (joints[middle] < joint)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && joints[low] == joint ? (int64_t)low : -1;
}

// Samples one animation joint relative to its parent, with the result of sampling the whole clip.
static md5_transform sample_joint(const md5_sampling *sampling, uint32_t joint)
{
    const md5_anim *anim = sampling->anim;
    md5_transform transform = anim->constant[joint];
    const int64_t rotation_slot = find_slot(anim->rotation_joints, anim->num_rotations, joint);
    const int64_t translation_slot =
        find_slot(anim->translation_joints, anim->num_translations, joint);
    const md5_cubic *const cubic = sampling->cubic;
    if (rotation_slot >= 0)
        transform.rotation = cubic ? md5_cubic_rotation(cubic, (uint32_t)rotation_slot)
                                   : md5_sample_rotation(sampling, (uint32_t)rotation_slot);
    if (joint == 0)
        transform.translation = cubic
                                    ? md5_cubic_root(cubic, sampling->root)
                                    : md5_root_translation(anim, sampling->moment, sampling->root);
    else if (translation_slot >= 0)
        transform.translation = cubic
                                    ? md5_cubic_translation(cubic, (uint32_t)translation_slot)
                                    : md5_sample_translation(sampling, (uint32_t)translation_slot);
    return transform;
}

void md5_apply_rebases(const md5_binding *binding, const md5_sampling *sampling,
                       md5_transform *pose)
{
    const int32_t *targets = md5_binding_targets(binding);
    const md5_joint *joints = binding->skeleton->joints;
    const md5_joint *anim_joints = binding->anim->skeleton.joints;

    for (uint32_t i = 0; i < binding->num_rebases; i++) {
        const md5_rebase *rebase = &binding->rebases[i];
        md5_transform local = pose[rebase->joint];
        for (int32_t extra = rebase->extra; extra >= 0 && targets[extra] < 0;
             extra = anim_joints[extra].parent) {
            const md5_transform above = sample_joint(sampling, (uint32_t)extra);
            local = md5_transform_mul(above, local);
        }
        int32_t ancestor = joints[rebase->joint].parent;
        if (ancestor != rebase->above) {
            md5_transform chain = pose[ancestor];
            for (ancestor = joints[ancestor].parent; ancestor != rebase->above;
                 ancestor = joints[ancestor].parent)
                chain = md5_transform_mul(pose[ancestor], chain);
            local = md5_transform_mul(md5_transform_inverse(chain), local);
        }
        pose[rebase->joint] = local;
    }
}
