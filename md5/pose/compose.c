// Composing joints whose track is relative to something else than their parent in the model.
#include "md5/core/math.h"
#include "md5/pose/binding.h"
#include "md5/pose/root.h"
#include "md5/pose/sampling.h"

// The place of `joint` in an ascending list, or -1.
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

// One animation joint's transform relative to its parent: what sampling the whole clip writes.
static md5_transform sample_joint(const md5_sampling *sampling, uint32_t joint)
{
    const md5_anim *anim = sampling->anim;
    md5_transform transform = anim->constant[joint];
    const int64_t turning = find_slot(anim->rotation_joints, anim->num_rotations, joint);
    const int64_t moving = find_slot(anim->translation_joints, anim->num_translations, joint);
    const md5_cubic *const cubic = sampling->cubic;
    if (turning >= 0)
        transform.rotation = cubic ? md5_cubic_rotation(cubic, (uint32_t)turning)
                                   : md5_sample_rotation(sampling, (uint32_t)turning);
    if (joint == 0)
        transform.translation = cubic
                                    ? md5_cubic_root(cubic, sampling->root)
                                    : md5_root_translation(anim, sampling->moment, sampling->root);
    else if (moving >= 0)
        transform.translation = cubic ? md5_cubic_translation(cubic, (uint32_t)moving)
                                      : md5_sample_translation(sampling, (uint32_t)moving);
    return transform;
}

void md5_apply_rebases(const md5_binding *binding, const md5_sampling *sampling,
                       md5_transform *pose)
{
    const int32_t *targets = md5_binding_targets(binding);
    const md5_joint *joints = binding->model->skeleton.joints;
    const md5_joint *anim_joints = binding->anim->skeleton.joints;

    for (uint32_t i = 0; i < binding->num_rebases; i++) {
        const md5_rebase *rebase = &binding->rebases[i];
        md5_transform local = pose[rebase->joint];
        for (int32_t extra = rebase->extra; extra >= 0 && targets[extra] < 0;
             extra = anim_joints[extra].parent) {
            const md5_transform above = sample_joint(sampling, (uint32_t)extra);
            local = md5_transform_mul(above, local);
        }
        int32_t between = joints[rebase->joint].parent;
        if (between != rebase->above) {
            md5_transform undone = pose[between];
            for (between = joints[between].parent; between != rebase->above;
                 between = joints[between].parent)
                undone = md5_transform_mul(pose[between], undone);
            local = md5_transform_mul(md5_transform_inverse(undone), local);
        }
        pose[rebase->joint] = local;
    }
}
