// What changes the pose after the layers.
#include "md5/core/axes.h"
#include "md5/motion/hold.h"
#include "md5/motion/lanes.h"
#include "md5/motion/space.h"
#include "md5/play/run/player_state.h"

static void turn_or_move(const md5_skeleton *skeleton, const md5_modifier *modifier,
                         const md5_target *target, md5_xform *pose)
{
    const md5_xform change = {.rotation = target->rotation, .translation = target->position};
    md5_modify_joint(skeleton, pose, modifier->joint, modifier->desc.space, change, target->weight);
}

static md5_aim_job aim_job(const md5_modifier *modifier, const md5_target *target)
{
    return (md5_aim_job){
        .tip = modifier->joint,
        .length = modifier->desc.length,
        .target = target->position,
        .forward = modifier->desc.forward,
        .up = modifier->desc.up,
        .limit = modifier->desc.limit,
        .weight = target->weight,
    };
}

// The limb was checked when the machine was created.
static md5_two_bone_job limb_job(const md5_modifier *modifier, const md5_target *target)
{
    return (md5_two_bone_job){
        .limb = &modifier->limb,
        .target = target->position,
        .pole = target->has_pole ? &target->pole : NULL,
        .rotation = target->has_rotation ? &target->rotation : NULL,
        .soften = modifier->desc.soften,
        .stretch = modifier->desc.stretch,
        .weight = target->weight,
    };
}

static void aim(const md5_skeleton *skeleton, const md5_modifier *modifier,
                const md5_target *target, md5_xform *pose)
{
    const md5_aim_job job = aim_job(modifier, target);
    md5_solve_aim(skeleton, pose, &job);
}

static void bend(const md5_skeleton *skeleton, const md5_modifier *modifier,
                 const md5_target *target, md5_xform *pose)
{
    const md5_two_bone_job job = limb_job(modifier, target);
    md5i_bend_limb(skeleton, pose, job.limb, &job, NULL);
}

static void reach(const md5_skeleton *skeleton, const md5_modifier *modifier,
                  const md5_target *target, md5_xform *pose)
{
    const md5_chain_job job = {
        .tip = modifier->joint,
        .length = modifier->desc.length,
        .target = target->position,
        .tolerance = 0.01f * md5_scale_of(skeleton),
        .iterations = 16,
        .weight = target->weight,
    };
    if (modifier->desc.kind == MD5_MODIFIER_FABRIK)
        md5_fabrik(skeleton, pose, &job);
    else
        md5_ccd(skeleton, pose, &job);
}

static void swing(md5_player *player, const md5_modifier *modifier, bool *is_placed,
                  const md5_target *target, md5_xform *pose)
{
    const md5_skeleton *const skeleton = &player->machine->model->skeleton;
    const md5_spring_job job = {
        .tip = modifier->joint,
        .length = modifier->desc.length,
        .stiffness = modifier->desc.stiffness,
        .damping = modifier->desc.damping,
        .acceleration =
            md5i_vec3_to_axes(skeleton->axes, (md5_vec3){0.0f, 0.0f, -modifier->desc.gravity}),
        .placement = {.rotation = target->rotation, .translation = target->position},
        .weight = target->weight,
    };
    md5_solve_spring(skeleton, pose, &job, player->springs + modifier->first_spring,
                     (float)player->since_pose, !*is_placed);
    *is_placed = true;
}

// Where a foot is animated or held: there is its ground.
static md5_vec3 ankle_of(const md5_player *player, const md5_modifier *modifier, uint32_t number,
                         const md5_xform *pose)
{
    const md5_skeleton *const skeleton = &player->machine->model->skeleton;
    const uint32_t ankle = player->feet[modifier->first_foot + number].ankle;
    const md5_vec3 place = md5_joint_in_model(skeleton, pose, ankle).translation;
    if (number >= modifier->num_held)
        return place;
    const md5_vec3 shift = md5i_held_shift(&player->held[modifier->first_sole + number],
                                           md5i_vec3_from_axes(skeleton->axes, place), 1.0f);
    return md5_vec3_add(place, md5i_vec3_to_axes(skeleton->axes, shift));
}

static void stand(md5_player *player, uint32_t number, md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_skeleton *const skeleton = &machine->model->skeleton;
    const md5_modifier *const modifier = &machine->modifiers[number];
    md5_foot *const feet = player->feet + modifier->first_foot;
    const uint32_t num_feet = modifier->desc.num_feet;
    md5i_hold_feet(player, number, pose);
    for (uint32_t i = 0; player->ground && i < num_feet; i++)
        player->ground(player->ground_user, player, ankle_of(player, modifier, i, pose), &feet[i]);
    // Feet that begin to stand are where they are to be at once.
    const bool is_placed = player->are_placed[number];
    md5i_place_held_feet(
        skeleton, pose, modifier->joint, feet, num_feet, player->held + modifier->first_sole,
        modifier->num_held, &player->drops[number], is_placed ? modifier->desc.smoothing : 0.0f,
        is_placed ? (float)player->since_pose : 1.0f, player->targets[number].weight);
    player->are_placed[number] = true;
}

// -- Gazes ------------------------------------------------------------------------------------

// A gaze with what its player's target says. It points into `target`.
static md5_gaze_desc gaze_of(const md5_machine *machine, const md5_modifier *modifier,
                             const md5_target *target)
{
    md5_gaze_desc gaze = machine->gazes[modifier->gaze];
    const md5_vec3 *const position = &target->position;
    gaze.targets = position;
    const bool is_zero = position->x == 0.0f && position->y == 0.0f && position->z == 0.0f;
    gaze.num_targets = md5_is_place(*position) && !is_zero ? 1u : 0u;
    return gaze;
}

void md5i_advance_gazes(md5_player *player, double seconds)
{
    const md5_machine *const machine = player->machine;
    for (uint32_t i = 0; i < machine->tables.num_modifiers; i++) {
        const md5_modifier *const modifier = &machine->modifiers[i];
        const md5_target *const target = &player->targets[i];
        if (modifier->desc.kind != MD5_MODIFIER_GAZE || !(target->weight > 0.0f))
            continue;
        const md5_gaze_desc gaze = gaze_of(machine, modifier, target);
        md5_gaze_advance(&gaze, machine->model->skeleton.axes, &player->gazes[modifier->gaze],
                         seconds);
    }
}

static void look(const md5_player *player, uint32_t number, const md5_detail_set *detail,
                 md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_modifier *const modifier = &machine->modifiers[number];
    const md5_target *const target = &player->targets[number];
    md5_gaze_desc gaze = gaze_of(machine, modifier, target);
    uint32_t num_eyes = 0;
    for (uint32_t i = 0; i < gaze.num_eyes; i++)
        if (!detail || machine->are_animated[detail->first_joint + gaze.eyes[i]])
            gaze.eyes[num_eyes++] = gaze.eyes[i];
    gaze.num_eyes = num_eyes;
    md5_gaze_pose(&gaze, &player->gazes[modifier->gaze], &machine->model->skeleton, target->weight,
                  pose);
}

// -- All --------------------------------------------------------------------------------------

// Whether a modifier changes the pose now. Without a target it need not be computed.
static bool is_applied(md5_player *player, uint32_t number)
{
    const md5_machine *const machine = player->machine;
    const md5_detail_set *const detail = md5_detail_of(player);
    const md5_modifier_kind kind = machine->modifiers[number].desc.kind;
    const bool needs_position = kind >= MD5_MODIFIER_AIM && kind <= MD5_MODIFIER_CCD;
    if (player->targets[number].weight > 0.0f
        && (!needs_position || md5_is_place(player->targets[number].position))
        && (!detail || md5i_is_animated(machine, detail, &machine->modifiers[number])))
        return true;
    player->are_placed[number] = false;
    return false;
}

static void apply(md5_player *player, uint32_t number, md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_skeleton *const skeleton = &machine->model->skeleton;
    const md5_modifier *const modifier = &machine->modifiers[number];
    const md5_target *const target = &player->targets[number];
    switch (modifier->desc.kind) {
    case MD5_MODIFIER_JOINT:
        turn_or_move(skeleton, modifier, target, pose);
        break;
    case MD5_MODIFIER_AIM:
        aim(skeleton, modifier, target, pose);
        break;
    case MD5_MODIFIER_TWO_BONE:
        bend(skeleton, modifier, target, pose);
        break;
    case MD5_MODIFIER_FABRIK:
    case MD5_MODIFIER_CCD:
        reach(skeleton, modifier, target, pose);
        break;
    case MD5_MODIFIER_SPRING:
        swing(player, modifier, &player->are_placed[number], target, pose);
        break;
    case MD5_MODIFIER_FEET:
        stand(player, number, pose);
        break;
    case MD5_MODIFIER_GAZE:
        look(player, number, md5_detail_of(player), pose);
        break;
    }
}

void md5i_apply_modifiers(md5_player *player, md5_xform *pose)
{
    for (uint32_t i = 0; i < player->machine->tables.num_modifiers; i++)
        if (is_applied(player, i))
            apply(player, i, pose);
}

// Of players of the same machine: one modifier of all, then the next. Limbs and chains that aim are
// solved together.
void md5i_apply_all_modifiers(md5_player *const *players, md5_xform *const *poses, uint32_t count)
{
    const md5_machine *const machine = players[0]->machine;
    const md5_skeleton *const skeleton = &machine->model->skeleton;
    for (uint32_t number = 0; number < machine->tables.num_modifiers; number++) {
        const md5_modifier *const modifier = &machine->modifiers[number];
        const md5_modifier_kind kind = modifier->desc.kind;
        md5_two_bone_job limbs[MD5_IK_MOST];
        md5_aim_job aims[MD5_IK_MOST];
        md5_xform *changed[MD5_IK_MOST];
        uint32_t num_changed = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (!is_applied(players[i], number))
                continue;
            if (kind == MD5_MODIFIER_TWO_BONE)
                limbs[num_changed] = limb_job(modifier, &players[i]->targets[number]);
            else if (kind == MD5_MODIFIER_AIM)
                aims[num_changed] = aim_job(modifier, &players[i]->targets[number]);
            else
                apply(players[i], number, poses[i]);
            changed[num_changed++] = poses[i];
        }
        if (kind == MD5_MODIFIER_TWO_BONE)
            md5i_two_bone_all(skeleton, limbs, changed, num_changed);
        else if (kind == MD5_MODIFIER_AIM)
            md5i_aim_all(skeleton, aims, changed, num_changed);
    }
}
