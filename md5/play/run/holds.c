// Feet that are held where they stand: what the clips that play have their soles do, and how the
// character has moved since the last pose.
#include "md5/core/axes.h"
#include "md5/play/run/player_state.h"

// How much of what plays has a sole stand, turn as it stands, and slide; how much plays at all.
typedef struct footing {
    float stands, turns, slides, all;
} footing;

static footing blend(footing below, footing above, float weight)
{
    const float left = 1.0f - weight * above.all;
    return (footing){
        below.stands * left + weight * above.stands, below.turns * left + weight * above.turns,
        below.slides * left + weight * above.slides, below.all * left + weight * above.all};
}

// At a clip's moment. Within a cycle the later of two frames is the next one.
static footing footing_at(const md5_machine *machine, size_t sole, const md5_source *source,
                          const md5_moment *moment)
{
    const uint8_t contact =
        machine->contacts[sole * machine->num_frames + source->first_frame + moment->frame0];
    const bool turns = contact == MD5_CONTACT_TURNS;
    return (footing){turns || contact == MD5_CONTACT_STANDS ? 1.0f : 0.0f, turns ? 1.0f : 0.0f,
                     contact == MD5_CONTACT_SLIDES ? 1.0f : 0.0f, 1.0f};
}

// A mean of its clips by their weights.
static footing footing_of_state(const md5_player *player, const md5_active_state *active,
                                size_t sole)
{
    const md5_machine *const machine = player->machine;
    const md5_blend_tree *const tree = md5_tree_of(player, active);
    footing sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (uint32_t i = 0; tree && i < tree->num_instances; i++) {
        const md5_instance_plan *const plan = &machine->instances[tree->first_instance + i];
        const md5_playable *const playable = &machine->playables[plan->playable];
        const md5_source *const source = &machine->sources[playable->source];
        const md5_clip_instance *const instance = &active->instances[i];
        if (instance->weight == 0.0f)
            continue;
        const md5_moment moment = md5i_clock_moment(&source->timings[playable->mode], instance->now,
                                                    source->interpolation);
        const footing own = footing_at(machine, sole, source, &moment);
        sum.stands += instance->weight * own.stands;
        sum.turns += instance->weight * own.turns;
        sum.slides += instance->weight * own.slides;
        sum.all += instance->weight;
    }
    if (!(sum.all > 0.0f))
        return sum;
    return (footing){sum.stands / sum.all, sum.turns / sum.all, sum.slides / sum.all, 1.0f};
}

// A frozen pose neither stands nor slides.
static footing footing_of_layer(const md5_player *player, uint32_t number, size_t sole)
{
    md5_layer_state *const layer_state = &player->layer_states[number];
    footing sum = {0.0f, 0.0f, 0.0f, layer_state->has_snapshot ? layer_state->coverage : 0.0f};
    for (uint32_t i = 0; i < layer_state->num_used; i++) {
        const md5_active_state *const active = md5_active_at(layer_state, i);
        const bool is_bottom = i == 0 && !layer_state->has_snapshot;
        const float fade = is_bottom ? 1.0f : md5i_fade_at(active, 0.0);
        const footing own = footing_of_state(player, active, sole);
        sum.stands += (own.stands - sum.stands) * fade;
        sum.turns += (own.turns - sum.turns) * fade;
        sum.slides += (own.slides - sum.slides) * fade;
        sum.all += (own.all - sum.all) * fade;
    }
    return sum;
}

static float mask_at(const md5_machine *machine, int32_t mask, uint32_t joint)
{
    return mask < 0 ? 1.0f : md5_mask_of(machine, mask)[joint];
}

static footing footing_of_shots(const md5_player *player, uint32_t joint, size_t sole,
                                footing below)
{
    const md5_machine *const machine = player->machine;
    for (uint32_t i = 0; i < machine->num_slots; i++) {
        for (uint32_t k = 0; k < player->slots[i].num_shots; k++) {
            const md5_shot *const shot = &player->slots[i].shots[k];
            if (shot->mode == MD5_LAYER_ADD)
                continue;
            const md5_source *const source = &machine->sources[shot->source];
            const md5_moment moment = md5i_clock_moment(md5i_shot_timing(machine, shot), shot->now,
                                                        source->interpolation);
            below =
                blend(below, footing_at(machine, sole, source, &moment),
                      md5i_shot_weight(player, shot, 0.0) * mask_at(machine, shot->mask, joint));
        }
    }
    return below;
}

static footing footing_of(const md5_player *player, uint32_t joint, size_t sole)
{
    const md5_machine *const machine = player->machine;
    footing sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (uint32_t i = 0; i < machine->tables.num_layers; i++) {
        const md5_play_layer *const layer = &machine->layers[i];
        const float weight =
            md5i_weight_of(player, &layer->weight) * mask_at(machine, layer->mask, joint);
        if (layer->mode == MD5_LAYER_OVERRIDE && weight > 0.0f)
            sum = blend(sum, footing_of_layer(player, i, sole), weight);
    }
    return player->num_shots > 0 ? footing_of_shots(player, joint, sole, sum) : sum;
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

static void measure_leg(const md5_skeleton *skeleton, const md5_xform *pose, const md5_limb *leg,
                        md5_hold_step *step)
{
    const md5_vec3 hip = place_of(skeleton, pose, leg->root);
    const md5_vec3 knee = place_of(skeleton, pose, leg->middle);
    const md5_vec3 ankle = place_of(skeleton, pose, leg->tip);
    step->ankle = ankle;
    step->leg = md5_vec3_sub(ankle, hip);
    step->reach = distance(hip, knee) + distance(knee, ankle);
}

void md5i_hold_feet(md5_player *player, uint32_t number, const md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const md5_skeleton *const skeleton = &machine->model->skeleton;
    const md5_modifier *const modifier = &machine->modifiers[number];
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
            .stands = now.stands > 0.5f,
            .slides = now.slides > 0.5f,
            .turns = now.turns > 0.5f,
        };
        measure_leg(skeleton, pose, leg, &step);
        md5i_advance_hold(&modifier->hold, &step, !player->are_placed[number],
                          &player->held[number_of_sole]);
    }
}
