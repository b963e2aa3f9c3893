#include "md5/core/assert.h"
#include "md5/motion/retarget.h"

#include "md5/motion/space.h"

// Model-space position of a placed joint.
static md5_vec3 carried_place(const md5_retarget *retarget, uint32_t joint, md5_vec3 source_place)
{
    const md5_vec3 from = md5_bind_place(retarget->source, retarget->links[joint].source);
    const md5_vec3 way = md5_vec3_scale(md5_vec3_sub(source_place, from), retarget->ratio);
    return md5_vec3_add(md5_bind_place(retarget->target, (int32_t)joint), way);
}

// The translation of other joints: that of the bind pose plus the difference of the source from its
// bind pose.
static md5_vec3 carried_translation(const md5_retarget *retarget, uint32_t joint,
                                    const md5_xform *source)
{
    const md5_link *const link = &retarget->links[joint];
    const md5_vec3 own = retarget->target->bind_local[joint].translation;
    if (link->source < 0)
        return own;
    const md5_vec3 from = retarget->source->bind_local[link->source].translation;
    const md5_vec3 moved = md5_vec3_sub(source[link->source].translation, from);
    return md5_vec3_add(own, md5_quat_rotate(link->frame, md5_vec3_scale(moved, retarget->ratio)));
}

// Writes the target's joints in model space.
static void place_target(const md5_retarget *retarget, const md5_xform *source,
                         const md5_xform *source_places, md5_xform *target)
{
    const md5_model *const model = retarget->target;
    for (uint32_t i = 0; i < model->skeleton.num_joints; i++) {
        const uint32_t joint = model->skeleton.order[i];
        const int32_t parent = model->skeleton.joints[joint].parent;
        const md5_link *const link = &retarget->links[joint];
        md5_xform place = {
            .rotation = model->bind_local[joint].rotation,
            .translation = carried_translation(retarget, joint, source),
        };
        if (parent >= 0)
            place = md5_xform_mul(target[parent], place);
        if (link->source >= 0) {
            const md5_xform *const from = &source_places[link->source];
            place.rotation = md5_quat_mul(from->rotation, link->to_target);
            if (link->is_placed)
                place.translation = carried_place(retarget, joint, from->translation);
        }
        place.rotation = md5_quat_trim(place.rotation);
        target[joint] = place;
    }
}

// Children before parents, so the parents are still in model space.
static void make_local(const md5_retarget *retarget, const md5_xform *source, md5_xform *target)
{
    const md5_model *const model = retarget->target;
    for (uint32_t i = model->skeleton.num_joints; i-- > 0;) {
        const uint32_t joint = model->skeleton.order[i];
        const int32_t parent = model->skeleton.joints[joint].parent;
        md5_xform local = target[joint];
        if (parent >= 0)
            local = md5_xform_mul(md5_xform_inverse(target[parent]), local);
        // Not through model space: bones keep their lengths to the last bit.
        if (!retarget->links[joint].is_placed)
            local.translation = carried_translation(retarget, joint, source);
        local.rotation = md5_quat_normalize(local.rotation, model->bind_local[joint].rotation);
        target[joint] = local;
    }
}

void md5_retarget_pose(const md5_retarget *retarget, const md5_xform *source, md5_xform *scratch,
                       md5_xform *target)
{
    MD5_ASSERT(retarget != NULL, "retarget: not NULL");
    MD5_ASSERT(source != NULL, "source: not NULL");
    MD5_ASSERT(scratch != NULL, "scratch: not NULL");
    MD5_ASSERT(target != NULL, "target: not NULL");
    MD5_ASSERT(md5_are_apart(source, retarget->source->skeleton.num_joints * sizeof *source,
                             scratch, retarget->source->skeleton.num_joints * sizeof *scratch),
               "source, scratch: must not overlap");
    MD5_ASSERT(md5_are_apart(source, retarget->source->skeleton.num_joints * sizeof *source, target,
                             retarget->target->skeleton.num_joints * sizeof *target),
               "source, target: must not overlap");
    MD5_ASSERT(md5_are_apart(scratch, retarget->source->skeleton.num_joints * sizeof *scratch,
                             target, retarget->target->skeleton.num_joints * sizeof *target),
               "scratch, target: must not overlap");
    md5i_place_joints(&retarget->source->skeleton, source, scratch);
    place_target(retarget, source, scratch, target);
    make_local(retarget, source, target);
}
