// The pose of an actor: what plays in its channels, blended by the engine's rules.
#include "md5/core/axes.h"
#include "md5/game/actor.h"
#include "md5/game/entity.h"

#include <string.h>

// -- One clip -------------------------------------------------------------------------------------

void md5i_base_frame_pose(const md5_binding *binding, md5_xform *pose)
{
    for (uint32_t i = 0; i < binding->skeleton->num_joints; i++) {
        const int32_t track = binding->tracks[i];
        pose[i] = track >= 0 ? binding->anim->base_frame[track] : binding->bind_local[i];
        if (track == 0)
            pose[i].translation = (md5_vec3){0.0f, 0.0f, 0.0f};
    }
}

// Samples file `file` of a clip. `frames` are those of the first file.
static void sample_file(const md5_entity_clip *clip, uint32_t file, uint32_t held,
                        const md5_moment *frames, md5_xform *pose)
{
    const md5_binding *const binding = clip->bindings[file];
    if (held == 1) {
        md5i_base_frame_pose(binding, pose);
        return;
    }
    md5_moment moment =
        md5_moment_from_frames(binding->anim, frames->frame0, frames->frame1, frames->fraction);
    moment.cycle = frames->cycle;
    md5_sample(binding, moment, MD5_ROOT_ID, pose);
}

// Writes a slot's own pose to actor->clip_pose. Returns false if none of its files has a share.
static bool sample_slot(const md5_actor *actor, const md5_actor_slot *slot)
{
    const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
    const uint32_t num_joints = actor->entity->model->skeleton.num_joints;
    const uint32_t held = slot->held > 0 ? slot->held - 1 : 0;
    const md5_moment frames =
        slot->held > 0 ? md5_moment_from_frames(clip->anims[0], held, held, 0.0f)
                       : md5i_frames_at(clip->anims[0], md5i_slot_time(actor, slot, actor->time),
                                        slot->is_cycling);
    float sum = 0.0f;
    for (uint32_t i = 0; i < clip->num_files; i++) {
        if (slot->shares[i] <= 0.0f)
            continue;
        const bool is_first = sum == 0.0f;
        sum += slot->shares[i];
        sample_file(clip, i, slot->held, &frames, is_first ? actor->clip_pose : actor->file_pose);
        if (!is_first)
            md5_blend_poses(actor->clip_pose, actor->file_pose, slot->shares[i] / sum, NULL,
                            num_joints, actor->clip_pose);
    }
    return sum > 0.0f;
}

// Removes the root motion: the translation and, for clips that turn, the rotation.
static void remove_motion(const md5_model *model, const md5_model_anim *anim, md5_xform *pose)
{
    // The engine's (-half, 0, 0, half), whose rotations are conjugates of ours.
    static const md5_xform turned = {
        .rotation = {-0.70710677f, 0.0f, 0.0f, -0.70710677f},
        .translation = {0.0f, 0.0f, 0.0f},
    };
    pose[0].translation = turned.translation;
    if (anim->flags & MD5_ANIM_TURN)
        pose[0].rotation = md5_transform_to_axes(model->skeleton.axes, turned).rotation;
}

// -- Channels -------------------------------------------------------------------------------------

// Blends a slot into the joints of its channel. `sum` is the weight that they have so far. Returns
// false if it contributes nothing.
static bool blend_slot(const md5_actor *actor, md5_channel channel, const md5_actor_slot *slot,
                       float *sum, md5_xform *pose)
{
    const md5_entity *const entity = actor->entity;
    const float *const mask = channel == MD5_CHANNEL_ALL ? NULL : entity->masks[channel];
    const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
    const float weight = md5i_slot_weight(slot, actor->time);
    if (!clip)
        return false;
    if (*sum > 0.0f) {
        if ((slot->end >= 0 && actor->time >= slot->end) || weight == 0.0f)
            return false;
        if (channel == MD5_CHANNEL_EYELIDS)
            *sum = 1.0f - weight;
    }
    if (!sample_slot(actor, slot))
        return false;
    if (actor->removes_motion)
        remove_motion(entity->model, clip->anim, actor->clip_pose);
    // The first pose is taken as a whole, even without weight, for others to be blended with.
    const float part = *sum == 0.0f ? 1.0f : weight / (*sum + weight);
    *sum += weight;
    md5_blend_poses(pose, actor->clip_pose, part, mask, entity->model->skeleton.num_joints, pose);
    return true;
}

// Blends the slots of a channel into its joints, which have the weight *sum so far. Returns whether
// one of them contributes something.
static bool blend_channel(const md5_actor *actor, md5_channel channel, float *sum, md5_xform *pose)
{
    bool plays = false;
    for (int i = 0; i < MD5_ACTOR_SLOTS; i++) {
        const bool contributes = blend_slot(actor, channel, &actor->slots[channel][i], sum, pose);
        plays |= contributes;
        if (contributes && *sum >= 1.0f)
            break;
    }
    return plays;
}

// Returns false if nothing plays.
static bool blend_channels(const md5_actor *actor, md5_xform *pose)
{
    float all = 0.0f;
    bool plays = blend_channel(actor, MD5_CHANNEL_ALL, &all, pose);
    for (int i = MD5_CHANNEL_TORSO; i < MD5_NUM_CHANNELS; i++) {
        float sum = all;
        if (all < 1.0f || i == MD5_CHANNEL_EYELIDS)
            plays |= blend_channel(actor, (md5_channel)i, &sum, pose);
    }
    return plays;
}

void md5_actor_pose(md5_actor *actor, md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    const md5_model *const model = actor->entity->model;
    const uint32_t num_joints = model->skeleton.num_joints;
    MD5_ASSERT(pose != NULL || num_joints == 0, "pose: not NULL");
    if (num_joints == 0)
        return;
    memcpy(pose, model->bind_local, num_joints * sizeof *pose);
    if (blend_channels(actor, pose)) {
        memcpy(actor->shown, actor->slots, sizeof actor->shown);
        actor->shown_at = actor->time;
    } else {
        md5_actor last = *actor;
        memcpy(last.slots, actor->shown, sizeof last.slots);
        last.time = actor->shown_at;
        (void)blend_channels(&last, pose);
    }
    pose[0].translation = md5_vec3_add(pose[0].translation, actor->entity->offset);
    if (joints)
        md5_local_to_model(&model->skeleton, pose, joints);
    if (palette && joints)
        md5_build_palette(model, joints, palette);
    else if (palette) {
        md5_local_to_model(&model->skeleton, pose, palette);
        md5_build_palette(model, palette, palette);
    }
}

// -- Bounds ---------------------------------------------------------------------------------------

static md5_bounds move_bounds(md5_bounds bounds, md5_vec3 by)
{
    bounds.min = md5_vec3_add(bounds.min, by);
    bounds.max = md5_vec3_add(bounds.max, by);
    return bounds;
}

// Widens bounds by those of a slot's files. Returns whether it plays.
static bool add_bounds(const md5_actor *actor, const md5_actor_slot *slot, md5_bounds *bounds,
                       bool has_some)
{
    const md5_entity_clip *const clip = md5_slot_clip(actor, slot);
    if (!clip || (slot->end > 0 && actor->time > slot->end)
        || md5i_slot_weight(slot, actor->time) == 0.0f)
        return false;
    const int64_t time = md5i_slot_time(actor, slot, actor->time);
    for (uint32_t i = 0; i < clip->num_files; i++) {
        const md5_anim *const anim = clip->anims[i];
        const md5_moment moment = md5i_frames_at(anim, time, slot->is_cycling);
        md5_bounds own = md5_anim_bounds(anim, moment, MD5_ROOT_ID);
        if (!actor->removes_motion)
            own = move_bounds(own, md5i_root_at(anim, &moment));
        *bounds = has_some || i > 0 ? md5_bounds_union(*bounds, own) : own;
    }
    return true;
}

md5_bounds md5_actor_bounds(const md5_actor *actor)
{
    MD5_ASSERT(actor != NULL, "actor: not NULL");
    md5_bounds bounds = actor->entity->model->bounds;
    bool has_some = false;
    for (int channel = 0; channel < MD5_NUM_CHANNELS; channel++) {
        for (int i = 0; i < MD5_ACTOR_SLOTS; i++)
            has_some |= add_bounds(actor, &actor->slots[channel][i], &bounds, has_some);
    }
    return move_bounds(bounds, actor->entity->offset);
}
