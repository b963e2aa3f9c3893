// Applies the modifiers of a machine to the blended pose, and advances gazes.
//
// To lock a foot, the player determines if its sole is on the ground. The contacts of a clip are
// stored for each frame, and find_contact() blends them over all clips. The locked positions are in
// the space of the character, so they are moved by its root motion between two poses.
#include "md5/motion/space.h"
#include "md5/play/run/player_state.h"

// -- Locked feet ----------------------------------------------------------------------------------

// Weights of the clips in which a sole is standing (at rest on the ground), turning (rotating while
// it stands) or sliding, and the total weight of the clips.
enum { CONTACT_STANDING, CONTACT_TURNING, CONTACT_SLIDING, CONTACT_TOTAL, NUM_CONTACTS };
typedef struct sole_contact {
    float weights[NUM_CONTACTS];
} sole_contact;

// Blends the contact of a layer or one-shot clip (`above`) over the contact of the layers and clips
// below it (`below`).
static sole_contact blend_contacts(sole_contact below, sole_contact above, float weight)
{
    const float left = 1 - weight * above.weights[CONTACT_TOTAL];
    sole_contact blended;
    for (uint32_t i = 0; i < NUM_CONTACTS; i++)
        blended.weights[i] = below.weights[i] * left + weight * above.weights[i];
    return blended;
}

// Returns the contact of a sole at the sample position of a clip. Contacts are stored per interval,
// so this is the contact between frame0 and the next frame. A sole that turns also stands.
static sole_contact clip_contact(const md5_machine *machine, size_t sole, const md5_source *source,
                                 const md5_sample_position *sample)
{
    const size_t frame = source->first_frame + sample->frame0; // in the frames of all clips
    const uint8_t contact = machine->contacts[sole * machine->num_frames + frame];
    const bool is_turning = contact == MD5_CONTACT_TURNS;
    const bool is_standing = is_turning || contact == MD5_CONTACT_STANDS;
    const bool is_sliding = contact == MD5_CONTACT_SLIDES;
    sole_contact result = {{0}};
    result.weights[CONTACT_TOTAL] = 1;
    result.weights[CONTACT_TURNING] = is_turning ? 1 : 0;
    result.weights[CONTACT_STANDING] = is_standing ? 1 : 0;
    result.weights[CONTACT_SLIDING] = is_sliding ? 1 : 0;
    return result;
}

// Returns the weighted mean of the contacts of a state's clips.
static sole_contact state_contact(const md5_player *player, const md5_active_state *active,
                                  size_t sole)
{
    sole_contact sum = {{0}};
    for (uint32_t i = 0; i < active->num_active_instances; i++) {
        const uint32_t index = active->active_instances[i];
        const md5_playable *const playable = active->tree->instances[index].playable;
        const md5_clip_instance *const instance = &active->instances[index];
        if (instance->weight == 0)
            continue;
        const md5_sample_position sample = md5_instance_sample_position(playable, instance);
        const sole_contact contact = clip_contact(player->machine, sole, playable->source, &sample);
        for (uint32_t k = 0; k < NUM_CONTACTS; k++)
            sum.weights[k] += instance->weight * contact.weights[k];
    }

    const float total = sum.weights[CONTACT_TOTAL];
    if (total > 0) {
        for (uint32_t k = 0; k < NUM_CONTACTS; k++)
            sum.weights[k] /= total;
    }
    return sum;
}

// Returns the contact of a sole in a layer: the contacts of its active states, blended like their
// poses. A frozen pose has a weight, but no contact.
static sole_contact layer_contact(const md5_player *player, uint32_t index, size_t sole)
{
    md5_layer_state *const layer_state = &player->layer_states[index];
    sole_contact sum = {{0}};
    sum.weights[CONTACT_TOTAL] = layer_state->has_snapshot ? layer_state->coverage : 0;
    for (uint32_t i = 0; i < layer_state->num_used; i++) {
        const md5_active_state *const active = md5_active_at(layer_state, i);
        const float fade = md5i_fade_in(layer_state, md5_complete_chain(layer_state), i, 0);
        const sole_contact contact = state_contact(player, active, sole);
        for (uint32_t k = 0; k < NUM_CONTACTS; k++)
            sum.weights[k] += (contact.weights[k] - sum.weights[k]) * fade;
    }
    return sum;
}

// Returns the contact of a sole with the ground, blended over layers and one-shot clips like the
// pose. `joint` is the joint whose mask weights are used.
static sole_contact find_contact(const md5_player *player, uint32_t joint, size_t sole)
{
    const md5_machine *const machine = player->machine;
    sole_contact sum = {{0}};
    for (uint32_t i = 0; i < machine->tables.num_layers; i++) {
        const md5_play_layer *const layer = &machine->layers[i];
        const float weight =
            md5i_rule_weight(player, &layer->weight) * md5_mask_weight(machine, layer->mask, joint);
        if (layer->mode == MD5_LAYER_OVERRIDE && weight > 0)
            sum = blend_contacts(sum, layer_contact(player, i, sole), weight);
    }

    const md5_one_shot *one_shot;
    md5_one_shot_iterator iterator = {0};
    while ((one_shot = md5_next_one_shot(player, &iterator)) != NULL) {
        if (one_shot->mode == MD5_LAYER_ADD)
            continue;
        const md5_sample_position sample = md5_one_shot_sample_position(machine, one_shot);
        const float weight = md5i_one_shot_weight(player, one_shot, 0, 0)
                             * md5_mask_weight(machine, one_shot->mask, joint);
        const md5_source *const source = &machine->sources[one_shot->source];
        sum = blend_contacts(sum, clip_contact(machine, sole, source, &sample), weight);
    }
    return sum;
}

// Returns the position of a joint in model space, in id's axes.
static md5_vec3 joint_position(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t joint)
{
    return md5i_vec3_from_axes(skeleton->axes,
                               md5_joint_in_model(skeleton, pose, joint).translation);
}

// Returns the distance between two points.
static float point_distance(md5_vec3 a, md5_vec3 b)
{
    const md5_vec3 delta = md5_vec3_sub(b, a);
    return sqrtf(md5_vec3_dot(delta, delta));
}

// -- Modifiers -----------------------------------------------------------------------------------

// Returns the position at which the game is asked for the ground below foot `index`. For a locked
// foot this is the locked position, otherwise the animated position of the ankle.
static md5_vec3 ground_query_position(const md5_player *player, const md5_modifier *modifier,
                                      uint32_t index, const md5_xform *pose)
{
    const md5_skeleton *const skeleton = &player->machine->model->skeleton;
    const uint32_t ankle = player->feet[modifier->first_foot + index].ankle;
    const md5_vec3 position = md5_joint_in_model(skeleton, pose, ankle).translation;
    if (index >= modifier->num_locked_feet)
        return position;
    const md5_vec3 shift =
        md5i_locked_ankle_shift(&player->foot_locks[modifier->first_sole + index],
                                md5i_vec3_from_axes(skeleton->axes, position), 1);
    return md5_vec3_add(position, md5i_vec3_to_axes(skeleton->axes, shift));
}

// Returns true if a sole is in a kind of contact in most clips, by weight.
static bool is_in_contact(const sole_contact *contact, uint32_t kind)
{
    return contact->weights[kind] > 0.5f;
}

// Returns the inputs of a foot lock for this pose: the character's movement since the last pose,
// the animated position of the sole, and its contact with the ground.
static md5_foot_lock_step foot_step(const md5_player *player, const md5_modifier *modifier,
                                    size_t foot, const md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_skeleton *const skeleton = &machine->model->skeleton;
    const size_t sole_index = modifier->first_sole + foot;
    const md5_sole *const sole = &machine->soles[sole_index];
    const md5_limb *const leg = &machine->legs[modifier->first_foot + foot];

    const md5_root_delta back = md5_root_delta_inverse(player->motion_since_pose);
    const sole_contact contact = find_contact(player, leg->tip, sole_index);
    const md5_xform joint = md5_joint_in_model(skeleton, pose, sole->joint);
    const md5_vec3 ahead = md5_quat_rotate(joint.rotation, sole->ahead);
    const md5_vec3 hip = joint_position(skeleton, pose, leg->root);
    const md5_vec3 knee = joint_position(skeleton, pose, leg->middle);
    const md5_vec3 ankle = joint_position(skeleton, pose, leg->tip);
    return (md5_foot_lock_step){
        .seconds = (float)player->since_pose,
        .x = (float)back.x,
        .y = (float)back.y,
        .cosine = (float)back.cosine,
        .sine = (float)back.sine,
        .sole = md5i_vec3_from_axes(skeleton->axes, md5_xform_point(joint, sole->point)),
        .heading = md5i_level_heading(md5i_vec3_from_axes(skeleton->axes, ahead)),
        .is_planted = is_in_contact(&contact, CONTACT_STANDING),
        .is_sliding = is_in_contact(&contact, CONTACT_SLIDING),
        .is_pivoting = is_in_contact(&contact, CONTACT_TURNING),
        .ankle = ankle,
        .leg = md5_vec3_sub(ankle, hip),
        .reach = point_distance(hip, knee) + point_distance(knee, ankle),
    };
}

// Advances the locks of a modifier's feet by the time since the last pose, with the animated pose.
// If `is_first` is true, initializes the locks.
static void update_locked_feet(md5_player *player, const md5_modifier *modifier, bool is_first,
                               const md5_xform *pose)
{
    for (size_t i = 0; i < modifier->num_locked_feet; i++) {
        const md5_foot_lock_step step = foot_step(player, modifier, i, pose);
        md5i_advance_foot_lock(&modifier->hold, &step, is_first,
                               &player->foot_locks[modifier->first_sole + i]);
    }
}

// Calls the game's ground callback, if it exists, to get the ground below each foot.
static void query_ground(md5_player *player, const md5_modifier *modifier, const md5_xform *pose)
{
    if (!player->ground)
        return;
    md5_mark_callback(&player->internal, MD5_CALLBACK);
    for (uint32_t i = 0; i < modifier->desc.num_feet; i++) {
        const md5_vec3 position = ground_query_position(player, modifier, i, pose);
        player->ground(player->ground_user, player, position,
                       &player->feet[modifier->first_foot + i]);
    }
    md5_mark_callback(&player->internal, MD5_NO_CALLBACK);
}

// Applies a FEET modifier: updates the locks of its feet, lets the game set the ground below them,
// and places the feet on the ground.
static void apply_feet(md5_player *player, uint32_t index, float weight, md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_modifier *const modifier = &machine->modifiers[index];
    // On the first call there is no previous position, so the feet are placed without smoothing.
    const bool is_placed = player->are_placed[index];
    md5_feet_job job = {
        .pelvis = modifier->joint,
        .feet = player->feet + modifier->first_foot,
        .num_feet = modifier->desc.num_feet,
        .drop = player->drops[index],
        .smoothing = is_placed ? modifier->desc.smoothing : 0,
        .seconds = is_placed ? (float)player->since_pose : 1,
        .weight = weight,
    };

    update_locked_feet(player, modifier, !is_placed, pose);
    query_ground(player, modifier, pose);
    md5i_solve_locked_feet(&machine->model->skeleton, &job,
                           player->foot_locks + modifier->first_sole, modifier->num_locked_feet,
                           pose);
    player->drops[index] = job.drop;
    player->are_placed[index] = true;
}

// -- Gazes ------------------------------------------------------------------------------------

// Returns the description of a gaze with the player's target. The result contains a pointer into
// `target`, so it must not outlive it.
static md5_gaze_desc make_gaze(const md5_machine *machine, const md5_modifier *modifier,
                               const md5_target *target)
{
    md5_gaze_desc gaze = machine->gazes[modifier->gaze];
    const md5_vec3 *const position = &target->position;
    gaze.targets = position;
    const bool is_zero = position->x == 0 && position->y == 0 && position->z == 0;
    gaze.num_targets = md5_is_valid_vec3(*position) && !is_zero ? 1u : 0u;
    return gaze;
}

// Advances all gazes that have a weight by `seconds`, which is above 0. A gaze rotates the head and
// the eyes of a character that looks around.
void md5i_advance_gazes(md5_player *player, double seconds)
{
    const md5_machine *const machine = player->machine;
    for (uint32_t i = 0; i < machine->tables.num_modifiers; i++) {
        const md5_modifier *const modifier = &machine->modifiers[i];
        const md5_target *const target = &player->targets[i];
        if (modifier->desc.kind != MD5_MODIFIER_GAZE || !(target->weight > 0))
            continue;
        const md5_gaze_desc gaze = make_gaze(machine, modifier, target);
        md5_gaze_advance(&gaze, machine->model->skeleton.axes, &player->gazes[modifier->gaze],
                         seconds);
    }
}

// -- All modifiers --------------------------------------------------------------------------------

// Finds the current transform of an anchor's joint in model space. The joint belongs to the
// character or to an attached model. Returns false if the joint is not animated at the level of
// detail, or if the game has not set the attached model.
static bool find_anchor_joint_transform(const md5_player *player, const md5_anchor *anchor,
                                        const md5_xform *pose, md5_xform *transform)
{
    if (anchor->attached != MD5_NONE) {
        const md5_mat34 *const joints = player->attached[anchor->attached];
        if (!joints)
            return false;
        *transform = md5_xform_from_mat34(joints[anchor->joint]);
        return true;
    }
    const md5_detail_set *const detail = md5_player_detail_set(player);
    if (detail && !detail->are_animated[anchor->joint])
        return false;
    *transform = md5_joint_in_model(&player->machine->model->skeleton, pose, anchor->joint);
    return true;
}

// Computes the current transform of an anchor in model space. An anchor has a fixed transform
// relative to a joint. Returns false if the joint is not available, or if the position is invalid.
static bool find_anchor_transform(const md5_player *player, const md5_anchor *anchor,
                                  const md5_xform *pose, md5_xform *transform)
{
    md5_xform joint;
    if (!find_anchor_joint_transform(player, anchor, pose, &joint))
        return false;
    *transform = md5_xform_mul(joint, anchor->within);
    return md5_is_valid_vec3(transform->translation);
}

// Returns the target of a modifier, which contains its weight and transform. Usually these are the
// values that the game has set. If the machine computes some of them (is_driven), returns a copy in
// *driven.
static const md5_target *driven_target(const md5_player *player, uint32_t index,
                                       const md5_xform *pose, md5_target *driven)
{
    const md5_modifier *const modifier = &player->machine->modifiers[index];
    if (!modifier->is_driven)
        return &player->targets[index];

    *driven = player->targets[index];
    driven->weight *= md5i_rule_weight(player, &modifier->weight);
    if (modifier->drive != MD5_NONE)
        driven->weight *= fminf(fmaxf(md5i_driver_value(player, modifier->drive), 0.0f), 1.0f);

    md5_xform transform = {.rotation = {.w = 1}};
    if (modifier->target.is_set) {
        if (!find_anchor_transform(player, &modifier->target, pose, &transform))
            driven->weight = 0;
        driven->position = transform.translation;
        if (modifier->target.is_aligned) {
            driven->has_rotation = true;
            driven->rotation = transform.rotation;
        }
    }
    if (modifier->pole.is_set) {
        driven->has_pole = find_anchor_transform(player, &modifier->pole, pose, &transform);
        driven->pole = transform.translation;
    }
    return driven;
}

// Returns true if all joints that a modifier rotates are animated at the level of detail.
static bool has_animated_joints(const md5_player *player, const md5_modifier *modifier)
{
    const md5_detail_set *const detail = md5_player_detail_set(player);
    if (!detail)
        return true;
    // If the tip of a chain is animated, all its ancestors are animated too, so the whole chain is.
    if (!detail->are_animated[modifier->joint])
        return false;
    if (modifier->desc.kind != MD5_MODIFIER_FEET)
        return true;
    for (uint32_t i = 0; i < modifier->desc.num_feet; i++) {
        const md5_limb *const leg = &player->machine->legs[modifier->first_foot + i];
        if (!detail->are_animated[leg->tip])
            return false;
    }
    return true;
}

// Returns true if a modifier changes the pose. If not, its state is reset when it is used again.
static bool is_applied(md5_player *player, uint32_t index, const md5_target *target)
{
    const md5_modifier *const modifier = &player->machine->modifiers[index];
    const md5_modifier_kind kind = modifier->desc.kind;
    const bool needs_position = kind >= MD5_MODIFIER_AIM && kind <= MD5_MODIFIER_CCD;
    const bool has_position = !needs_position || md5_is_valid_vec3(target->position);
    if (target->weight > 0 && has_position && has_animated_joints(player, modifier))
        return true;
    player->are_placed[index] = false;
    return false;
}

// Applies a TWO_BONE modifier.
static void apply_two_bone(const md5_machine *machine, const md5_modifier *modifier,
                           const md5_target *target, md5_xform *pose)
{
    const md5_two_bone_job job = {
        .limb = &modifier->limb, // checked when the machine was created
        .target = target->position,
        .pole = target->has_pole ? &target->pole : NULL,
        .rotation = target->has_rotation ? &target->rotation : NULL,
        .params = modifier->desc.two_bone,
        .weight = target->weight,
        .limits = machine->limits,
    };
    md5i_bend_limb(&machine->model->skeleton, pose, &modifier->limb, &job, NULL);
}

// Tolerance of FABRIK and CCD modifiers, in units of the files. The solvers stop when the tip is
// nearer to the target than this. Loading can scale all lengths of a model, so the tolerance is
// multiplied by the scale of the skeleton.
#define MODIFIER_TOLERANCE 0.01f
enum { MODIFIER_ITERATIONS = 16 };

// Applies a FABRIK or CCD modifier.
static void apply_chain(const md5_machine *machine, const md5_modifier *modifier,
                        const md5_target *target, md5_xform *pose)
{
    const md5_skeleton *const skeleton = &machine->model->skeleton;
    const md5_chain_job job = {
        .solver = modifier->desc.kind == MD5_MODIFIER_CCD ? MD5_CHAIN_CCD : MD5_CHAIN_FABRIK,
        .tip = modifier->joint,
        .length = modifier->desc.length,
        .target = target->position,
        .tolerance = MODIFIER_TOLERANCE * md5_skeleton_scale(skeleton),
        .iterations = MODIFIER_ITERATIONS,
        .weight = target->weight,
        .limits = machine->limits,
    };
    md5_solve_chain(skeleton, &job, pose);
}

// Applies a SPRING modifier. The states of its springs are stored in the player, because they
// continue from pose to pose.
static void apply_spring(md5_player *player, uint32_t index, const md5_target *target,
                         md5_xform *pose)
{
    const md5_modifier *const modifier = &player->machine->modifiers[index];
    const md5_spring_job job = {
        .tip = modifier->joint,
        .length = modifier->desc.length,
        .params = modifier->desc.spring,
        .placement = {.rotation = target->rotation, .translation = target->position},
        .state = player->springs + modifier->first_spring,
        .seconds = (float)player->since_pose,
        .is_first = !player->are_placed[index],
        .weight = target->weight,
    };
    if (md5_solve_spring(&player->machine->model->skeleton, &job, pose))
        player->are_placed[index] = true;
}

// Applies a GAZE modifier. Rotates only the eyes that are animated at the level of detail.
static void apply_gaze(const md5_player *player, const md5_modifier *modifier,
                       const md5_target *target, md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_detail_set *const detail = md5_player_detail_set(player);
    md5_gaze_desc gaze = make_gaze(machine, modifier, target);
    uint32_t num_eyes = 0;
    for (uint32_t i = 0; i < gaze.num_eyes; i++) {
        if (!detail || detail->are_animated[gaze.eyes[i]])
            gaze.eyes[num_eyes++] = gaze.eyes[i];
    }
    gaze.num_eyes = num_eyes;
    md5_gaze_pose(&gaze, &player->gazes[modifier->gaze], &machine->model->skeleton, target->weight,
                  pose);
}

// Applies a JOINT modifier.
static void apply_joint(const md5_machine *machine, const md5_modifier *modifier,
                        const md5_target *target, md5_xform *pose)
{
    const md5_xform transform = {.rotation = target->rotation, .translation = target->position};
    md5_modify_joint(&machine->model->skeleton, modifier->joint, modifier->desc.space, transform,
                     target->weight, pose);
}

// Applies an AIM modifier.
static void apply_aim(const md5_machine *machine, const md5_modifier *modifier,
                      const md5_target *target, md5_xform *pose)
{
    const md5_aim_job job = {
        .tip = modifier->joint,
        .length = modifier->desc.length,
        .target = target->position,
        .params = modifier->desc.aim,
        .weight = target->weight,
    };
    md5_solve_aim(&machine->model->skeleton, &job, pose);
}

// Applies a modifier of any kind.
static void apply_modifier(md5_player *player, uint32_t index, const md5_target *target,
                           md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_modifier *const modifier = &machine->modifiers[index];
    switch (modifier->desc.kind) {
    case MD5_MODIFIER_JOINT:
        apply_joint(machine, modifier, target, pose);
        break;
    case MD5_MODIFIER_AIM:
        apply_aim(machine, modifier, target, pose);
        break;
    case MD5_MODIFIER_TWO_BONE:
        apply_two_bone(machine, modifier, target, pose);
        break;
    case MD5_MODIFIER_FABRIK:
    case MD5_MODIFIER_CCD:
        apply_chain(machine, modifier, target, pose);
        break;
    case MD5_MODIFIER_SPRING:
        apply_spring(player, index, target, pose);
        break;
    case MD5_MODIFIER_FEET:
        apply_feet(player, index, target->weight, pose);
        break;
    case MD5_MODIFIER_GAZE:
        apply_gaze(player, modifier, target, pose);
        break;
    }
}

// Applies the modifiers of the machine, such as inverse kinematics, to a blended pose, in the order
// of their table.
void md5i_apply_modifiers(md5_player *player, md5_xform *pose)
{
    const uint32_t num_modifiers = player->machine->tables.num_modifiers;
    for (uint32_t i = 0; i < num_modifiers; i++) {
        md5_target driven;
        const md5_target *const target = driven_target(player, i, pose, &driven);
        if (is_applied(player, i, target))
            apply_modifier(player, i, target, pose);
    }
}
