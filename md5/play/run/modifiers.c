// What changes the pose after the layers; feet that are held where they stand: what the clips that
// play have their soles do, and how the character has moved since the last pose.
#include "md5/motion/space.h"
#include "md5/play/run/player_state.h"

// -- Feet that are held --------------------------------------------------------------------------

// How much of what plays has a sole stand, turn as it stands, and slide; how much plays at all.
enum { STANDS, TURNS, SLIDES, PLAYS, FOOTINGS };
typedef struct footing {
    float share[FOOTINGS];
} footing;

static footing blend(footing below, footing above, float weight)
{
    const float left = 1 - weight * above.share[PLAYS];
    for (uint32_t i = 0; i < FOOTINGS; i++)
        below.share[i] = below.share[i] * left + weight * above.share[i];
    return below;
}

// At the sample position of a clip. Within a cycle the later of two frames is the next one.
static footing footing_at(const md5_machine *machine, size_t sole, const md5_source *source,
                          const md5_sample_position *sample)
{
    const uint8_t contact =
        machine->contacts[sole * machine->num_frames + source->first_frame + sample->frame0];
    const bool turns = contact == MD5_CONTACT_TURNS;
    return (footing){{turns || contact == MD5_CONTACT_STANDS ? 1.0f : 0.0f, turns ? 1.0f : 0.0f,
                      contact == MD5_CONTACT_SLIDES ? 1.0f : 0.0f, 1}};
}

// A mean of its clips by their weights.
static footing footing_of_state(const md5_player *player, const md5_active_state *active,
                                size_t sole)
{
    footing sum = {{0}};
    for (uint32_t i = 0; i < active->num_awake; i++) {
        const uint32_t number = active->awake[i];
        const md5_playable *const playable = active->tree->instances[number].playable;
        const md5_clip_instance *const instance = &active->instances[number];
        if (instance->weight == 0)
            continue;
        const md5_sample_position sample = md5_instance_sample_position(playable, instance);
        const footing own = footing_at(player->machine, sole, playable->source, &sample);
        for (uint32_t k = 0; k < FOOTINGS; k++)
            sum.share[k] += instance->weight * own.share[k];
    }
    const float all = sum.share[PLAYS];
    if (all > 0) {
        for (uint32_t k = 0; k < FOOTINGS; k++)
            sum.share[k] /= all;
    }
    return sum;
}

// A frozen pose neither stands nor slides.
static footing footing_of_layer(const md5_player *player, uint32_t number, size_t sole)
{
    md5_layer_state *const layer_state = &player->layer_states[number];
    footing sum = {{0}};
    sum.share[PLAYS] = layer_state->has_snapshot ? layer_state->coverage : 0;
    for (uint32_t i = 0; i < layer_state->num_used; i++) {
        const md5_active_state *const active = md5_active_at(layer_state, i);
        const float fade = md5i_fade_in(layer_state, md5_whole_chain(layer_state), i, 0);
        const footing own = footing_of_state(player, active, sole);
        for (uint32_t k = 0; k < FOOTINGS; k++)
            sum.share[k] += (own.share[k] - sum.share[k]) * fade;
    }
    return sum;
}

static footing footing_of(const md5_player *player, uint32_t joint, size_t sole)
{
    const md5_machine *const machine = player->machine;
    footing sum = {{0}};
    for (uint32_t i = 0; i < machine->tables.num_layers; i++) {
        const md5_play_layer *const layer = &machine->layers[i];
        const float weight =
            md5i_weight_of(player, &layer->weight) * md5_mask_at(machine, layer->mask, joint);
        if (layer->mode == MD5_LAYER_OVERRIDE && weight > 0)
            sum = blend(sum, footing_of_layer(player, i, sole), weight);
    }
    const md5_one_shot *one_shot;
    md5_one_shot_walk walk = {0};
    while ((one_shot = md5_next_one_shot(player, &walk)) != NULL) {
        const md5_sample_position sample = md5_one_shot_sample_position(machine, one_shot);
        if (one_shot->mode != MD5_LAYER_ADD)
            sum =
                blend(sum, footing_at(machine, sole, &machine->sources[one_shot->source], &sample),
                      md5i_one_shot_weight(player, one_shot, 0, 0)
                          * md5_mask_at(machine, one_shot->mask, joint));
    }
    return sum;
}

static md5_vec3 place_of(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t joint)
{
    return md5i_vec3_from_axes(skeleton->axes,
                               md5_joint_in_model(skeleton, pose, joint).translation);
}

static float distance(md5_vec3 a, md5_vec3 b)
{
    const md5_vec3 way = md5_vec3_sub(b, a);
    return sqrtf(md5_vec3_dot(way, way));
}

// -- Modifiers -----------------------------------------------------------------------------------

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
                                           md5i_vec3_from_axes(skeleton->axes, place), 1);
    return md5_vec3_add(place, md5i_vec3_to_axes(skeleton->axes, shift));
}

static void stand(md5_player *player, uint32_t number, float weight, md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_modifier *const modifier = &machine->modifiers[number];
    // Feet that begin to stand are where they are to be at once.
    const bool is_placed = player->are_placed[number];
    md5_feet_job job = {
        .pelvis = modifier->joint,
        .feet = player->feet + modifier->first_foot,
        .num_feet = modifier->desc.num_feet,
        .drop = player->drops[number],
        .smoothing = is_placed ? modifier->desc.smoothing : 0,
        .seconds = is_placed ? (float)player->since_pose : 1,
        .weight = weight,
    };

    // By how much its feet are to be moved.
    const md5_skeleton *const skeleton = &machine->model->skeleton;
    const md5_root_delta back = md5_root_delta_inverse(player->walked);
    for (size_t i = 0; i < modifier->num_held; i++) {
        const size_t number_of_sole = modifier->first_sole + i;
        const md5_sole *const sole = &machine->soles[number_of_sole];
        const md5_limb *const leg = &machine->legs[modifier->first_foot + i];
        const footing now = footing_of(player, leg->tip, number_of_sole);
        const md5_xform joint = md5_joint_in_model(skeleton, pose, sole->joint);
        const md5_vec3 ahead = md5_quat_rotate(joint.rotation, sole->ahead);
        md5_hold_step step = {
            .seconds = (float)player->since_pose,
            .x = (float)back.x,
            .y = (float)back.y,
            .cosine = (float)back.cosine,
            .sine = (float)back.sine,
            .sole = md5i_vec3_from_axes(skeleton->axes, md5_xform_point(joint, sole->point)),
            .facing = md5i_level_facing(md5i_vec3_from_axes(skeleton->axes, ahead)),
            .stands = now.share[STANDS] > 0.5f,
            .slides = now.share[SLIDES] > 0.5f,
            .turns = now.share[TURNS] > 0.5f,
        };
        const md5_vec3 hip = place_of(skeleton, pose, leg->root);
        const md5_vec3 knee = place_of(skeleton, pose, leg->middle);
        const md5_vec3 ankle = place_of(skeleton, pose, leg->tip);
        step.ankle = ankle;
        step.leg = md5_vec3_sub(ankle, hip);
        step.reach = distance(hip, knee) + distance(knee, ankle);
        md5i_advance_hold(&modifier->hold, &step, !is_placed, &player->held[number_of_sole]);
    }

    if (player->ground) {
        md5_mark_callback(&player->internal, MD5_CALLBACK);
        for (uint32_t i = 0; i < job.num_feet; i++)
            player->ground(player->ground_user, player, ankle_of(player, modifier, i, pose),
                           &job.feet[i]);
        md5_mark_callback(&player->internal, MD5_NO_CALLBACK);
    }
    md5i_solve_held_feet(skeleton, &job, player->held + modifier->first_sole, modifier->num_held,
                         pose);
    player->drops[number] = job.drop;
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
    const bool is_zero = position->x == 0 && position->y == 0 && position->z == 0;
    gaze.num_targets = md5_is_place(*position) && !is_zero ? 1u : 0u;
    return gaze;
}

void md5i_advance_gazes(md5_player *player, double seconds)
{
    const md5_machine *const machine = player->machine;
    for (uint32_t i = 0; i < machine->tables.num_modifiers; i++) {
        const md5_modifier *const modifier = &machine->modifiers[i];
        const md5_target *const target = &player->targets[i];
        if (modifier->desc.kind != MD5_MODIFIER_GAZE || !(target->weight > 0))
            continue;
        const md5_gaze_desc gaze = gaze_of(machine, modifier, target);
        md5_gaze_advance(&gaze, machine->model->skeleton.axes, &player->gazes[modifier->gaze],
                         seconds);
    }
}

// -- All --------------------------------------------------------------------------------------

// Where a place on a joint is now; false: nowhere.
static bool find_place(const md5_player *player, const md5_anchor *anchor, const md5_xform *pose,
                       md5_xform *place)
{
    const bool is_own = anchor->attached == MD5_NONE;
    const md5_mat34 *const given = is_own ? NULL : player->attached[anchor->attached];
    const md5_detail_set *const detail = md5_detail_of(player);
    if (is_own ? detail && !detail->are_animated[anchor->joint] : !given)
        return false;
    *place = is_own ? md5_joint_in_model(&player->machine->model->skeleton, pose, anchor->joint)
                    : md5_xform_from_mat34(given[anchor->joint]);
    *place = md5_xform_mul(*place, anchor->within);
    return md5_is_place(place->translation);
}

// What the game has set, with what the machine drives of it.
static const md5_target *target_of(const md5_player *player, uint32_t number, const md5_xform *pose,
                                   md5_target *driven)
{
    const md5_modifier *const modifier = &player->machine->modifiers[number];
    md5_xform place = {.rotation = {.w = 1}};
    if (!modifier->is_driven)
        return &player->targets[number];
    *driven = player->targets[number];
    driven->weight *= md5i_weight_of(player, &modifier->weight);
    if (modifier->drive != MD5_NONE)
        driven->weight *= fminf(fmaxf(md5i_driven(player, modifier->drive), 0.0f), 1.0f);
    if (modifier->target.is_set) {
        if (!find_place(player, &modifier->target, pose, &place))
            driven->weight = 0;
        driven->position = place.translation;
        driven->has_rotation |= modifier->target.is_aligned;
        driven->rotation = modifier->target.is_aligned ? place.rotation : driven->rotation;
    }
    if (modifier->pole.is_set) {
        driven->has_pole = find_place(player, &modifier->pole, pose, &place);
        driven->pole = place.translation;
    }
    return driven;
}

// Whether a modifier changes the pose now. Without a target it need not be computed.
static bool is_applied(md5_player *player, uint32_t number, const md5_target *target)
{
    const md5_machine *const machine = player->machine;
    const md5_detail_set *const detail = md5_detail_of(player);
    const md5_modifier *const modifier = &machine->modifiers[number];
    const md5_modifier_kind kind = modifier->desc.kind;
    const bool needs_position = kind >= MD5_MODIFIER_AIM && kind <= MD5_MODIFIER_CCD;
    // Chains end in ancestors of their tips, which are animated if the tips are.
    bool are_animated = !detail || detail->are_animated[modifier->joint];
    if (detail && kind == MD5_MODIFIER_FEET) {
        for (uint32_t i = 0; i < modifier->desc.num_feet; i++)
            are_animated =
                are_animated && detail->are_animated[machine->legs[modifier->first_foot + i].tip];
    }
    if (are_animated && target->weight > 0 && (!needs_position || md5_is_place(target->position)))
        return true;
    player->are_placed[number] = false;
    return false;
}

static void apply(md5_player *player, uint32_t number, const md5_target *target, md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_skeleton *const skeleton = &machine->model->skeleton;
    const md5_modifier *const modifier = &machine->modifiers[number];
    const md5_xform place = {.rotation = target->rotation, .translation = target->position};
    switch (modifier->desc.kind) {
    case MD5_MODIFIER_JOINT:
        md5_modify_joint(skeleton, modifier->joint, modifier->desc.space, place, target->weight,
                         pose);
        break;
    case MD5_MODIFIER_AIM: {
        const md5_aim_job job = {
            .tip = modifier->joint,
            .length = modifier->desc.length,
            .target = target->position,
            .params = modifier->desc.aim,
            .weight = target->weight,
        };
        md5_solve_aim(skeleton, &job, pose);
        break;
    }
    case MD5_MODIFIER_TWO_BONE: {
        const md5_two_bone_job job = {
            .limb = &modifier->limb, // checked when the machine was created
            .target = target->position,
            .pole = target->has_pole ? &target->pole : NULL,
            .rotation = target->has_rotation ? &target->rotation : NULL,
            .params = modifier->desc.two_bone,
            .weight = target->weight,
            .limits = machine->limits,
        };
        md5i_bend_limb(skeleton, pose, &modifier->limb, &job, NULL);
        break;
    }
    case MD5_MODIFIER_FABRIK:
    case MD5_MODIFIER_CCD: {
        const md5_chain_job job = {
            .solver = modifier->desc.kind == MD5_MODIFIER_CCD ? MD5_CHAIN_CCD : MD5_CHAIN_FABRIK,
            .tip = modifier->joint,
            .length = modifier->desc.length,
            .target = target->position,
            .tolerance = 0.01f * md5_scale_of(skeleton),
            .iterations = 16,
            .weight = target->weight,
            .limits = machine->limits,
        };
        md5_solve_chain(skeleton, &job, pose);
        break;
    }
    case MD5_MODIFIER_SPRING: {
        const md5_spring_job job = {
            .tip = modifier->joint,
            .length = modifier->desc.length,
            .params = modifier->desc.spring,
            .placement = place,
            .state = player->springs + modifier->first_spring,
            .seconds = (float)player->since_pose,
            .is_first = !player->are_placed[number],
            .weight = target->weight,
        };
        player->are_placed[number] |= md5_solve_spring(skeleton, &job, pose);
        break;
    }
    case MD5_MODIFIER_FEET:
        stand(player, number, target->weight, pose);
        break;
    case MD5_MODIFIER_GAZE: {
        const md5_detail_set *const detail = md5_detail_of(player);
        md5_gaze_desc gaze = gaze_of(machine, modifier, target);
        uint32_t num_eyes = 0;
        for (uint32_t i = 0; i < gaze.num_eyes; i++)
            if (!detail || detail->are_animated[gaze.eyes[i]])
                gaze.eyes[num_eyes++] = gaze.eyes[i];
        gaze.num_eyes = num_eyes;
        md5_gaze_pose(&gaze, &player->gazes[modifier->gaze], skeleton, target->weight, pose);
        break;
    }
    }
}

void md5i_apply_modifiers(md5_player *player, md5_xform *pose)
{
    const uint32_t num_modifiers = player->machine->tables.num_modifiers;
    for (uint32_t i = 0; i < num_modifiers; i++) {
        md5_target driven;
        const md5_target *const target = target_of(player, i, pose, &driven);
        if (is_applied(player, i, target))
            apply(player, i, target, pose);
    }
}
