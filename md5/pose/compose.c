// Composes joints whose track is not relative to their parent in the model.
#include "md5/core/math.h"
#include "md5/pose/binding.h"
#include "md5/pose/root.h"
#include "md5/pose/sampling.h"

md5_xform md5i_sample_joint(const void *sampling, uint32_t joint)
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
