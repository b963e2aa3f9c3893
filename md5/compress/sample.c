// Sampling of compressed clips by a binding.
#include "md5/compress/packed.h"
#include "md5/pose/binding.h"
#include "md5/pose/plan.h"
#include "md5/pose/root.h"
#include "md5/pose/sampling.h"

// Counts groups, or copies them if there is room.
typedef struct group_list {
    md5_packed_lanes *groups;
    uint32_t count;
} group_list;

static void add_group(void *user, const md5_packed_lanes *group)
{
    group_list *const list = (group_list *)user;
    if (list->groups)
        list->groups[list->count] = *group;
    list->count++;
}

uint32_t md5i_packed_group(const md5_packed *packed, const int32_t *targets,
                           md5_packed_lanes *groups)
{
    group_list list = {groups, 0};
    md5_packed_grouping grouping;
    md5_packed_place place = md5_packed_first(packed);
    md5i_packed_begin_groups(&grouping, add_group, &list);
    for (uint32_t i = 0; i < 2 * packed->num_joints; i++) {
        const md5_packed_head head = md5i_packed_take_head(packed, (uint8_t)(i % 2), &place);
        const int32_t target = targets ? targets[i / 2] : 0;
        if (target >= 0 && head.step != 0)
            md5i_packed_add(&grouping, &head, (uint32_t)target);
    }
    md5i_packed_end_groups(&grouping);
    return list.count;
}

// Joints whose values are not between two keys but between two frames.
static md5_quat nlerp_between(const md5_sampling *sampling, uint32_t joint)
{
    const md5_packed *const packed = sampling->anim->packed;
    const md5_packed_value a =
        md5i_packed_in_frame(packed, joint, MD5_PACKED_ROTATION, sampling->moment->frame0);
    const md5_packed_value b =
        md5i_packed_in_frame(packed, joint, MD5_PACKED_ROTATION, sampling->moment->frame1);
    return md5_nlerp_weighted(&sampling->nlerp, (md5_quat){a.v[0], a.v[1], a.v[2], a.v[3]},
                              (md5_quat){b.v[0], b.v[1], b.v[2], b.v[3]});
}

static md5_vec3 lerp_between(const md5_sampling *sampling, uint32_t joint)
{
    const md5_packed *const packed = sampling->anim->packed;
    const md5_packed_value a =
        md5i_packed_in_frame(packed, joint, MD5_PACKED_TRANSLATION, sampling->moment->frame0);
    const md5_packed_value b =
        md5i_packed_in_frame(packed, joint, MD5_PACKED_TRANSLATION, sampling->moment->frame1);
    return md5_vec3_lerp((md5_vec3){a.v[0], a.v[1], a.v[2]}, (md5_vec3){b.v[0], b.v[1], b.v[2]},
                         sampling->moment->fraction);
}

// md5i_sample_joint(), for joints that must be composed.
static md5_xform sample_joint(const void *user, uint32_t joint)
{
    const md5_sampling *const sampling = (const md5_sampling *)user;
    const md5_anim *const anim = sampling->anim;
    md5_xform transform;
    if (sampling->is_nlerp) {
        const bool turns = md5_find_slot(anim->rotation_joints, anim->num_rotations, joint) >= 0;
        const bool moves =
            md5_find_slot(anim->translation_joints, anim->num_translations, joint) >= 0;
        transform = anim->constant[joint];
        transform.rotation = turns ? nlerp_between(sampling, joint) : transform.rotation;
        transform.translation = moves ? lerp_between(sampling, joint) : transform.translation;
    } else {
        md5_packed_place place = anim->packed->places[joint];
        float values[2][4] = {{0.0f}}; // by kind
        for (uint8_t kind = 0; kind < 2; kind++) {
            const md5_packed_head head = md5i_packed_take_head(anim->packed, kind, &place);
            md5i_packed_at(anim->packed, &head, sampling->moment, values[kind]);
        }
        const float *const q = values[MD5_PACKED_ROTATION];
        const float *const t = values[MD5_PACKED_TRANSLATION];
        transform =
            (md5_xform){.rotation = {q[0], q[1], q[2], q[3]}, .translation = {t[0], t[1], t[2]}};
    }
    if (joint == 0 && sampling->root != MD5_ROOT_FILE)
        transform.translation = md5i_root_translation(anim, sampling->moment, sampling->root);
    return transform;
}

void md5i_sample_packed_with(md5_packed_kernel *kernel, const md5_binding *binding,
                             const md5_moment *moment, md5_root root, md5_xform *pose)
{
    const md5_anim *const anim = binding->anim;
    const md5_pose_plan *const plan = binding->plan;
    const md5_sampling sampling = md5_begin_sampling(anim, moment, root);
    md5i_copy_constants(binding, 0, binding->skeleton->num_joints, pose);
    if (sampling.is_nlerp) {
        for (uint32_t slot = 0; slot < anim->num_rotations; slot++) {
            const int32_t target = plan->targets.rotations[slot];
            if (target >= 0)
                pose[target].rotation = nlerp_between(&sampling, anim->rotation_joints[slot]);
        }
        for (uint32_t slot = 0; slot < anim->num_translations; slot++) {
            const int32_t target = plan->targets.translations[slot];
            if (target >= 0)
                pose[target].translation = lerp_between(&sampling, anim->translation_joints[slot]);
        }
    } else {
        kernel(anim->packed, plan->groups, plan->num_groups, moment, pose);
    }
    const int32_t first = md5_binding_targets(binding)[0];
    if (first >= 0 && root != MD5_ROOT_FILE)
        pose[first].translation = md5i_root_translation(anim, moment, root);
    if (binding->num_rebases > 0)
        md5i_apply_rebases(binding, sample_joint, &sampling, pose);
}
