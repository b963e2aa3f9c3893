// Blends one-shots over a pose. One alone in its slot is blended as a layer is. While one replaces
// another, each joint has their weights as shares: older ones are blended first, by more than their
// share, since newer ones then cover a part of them; where masks differ, other parts.
#include "md5/play/run/joint_set.h"
#include "md5/play/run/player_state.h"

float md5i_shot_share(float share, float covered)
{
    const float rest = 1.0f - covered;
    return share < rest ? share / rest : share > 0.0f ? 1.0f : 0.0f;
}

static void sample(const md5_machine *machine, const md5_shot *shot, md5_xform *pose)
{
    const md5_source *const source = &machine->sources[shot->source];
    const md5_timing *const timing = md5i_shot_timing(machine, shot);
    const md5_moment moment = md5i_clock_moment(timing, shot->now, source->interpolation);
    md5i_sample_source(machine, source, &moment, pose);
}

static void sample_reference(const md5_machine *machine, const md5_shot *shot, md5_xform *pose)
{
    const uint32_t frame = shot->reference_frame;
    md5i_sample_source(machine, &machine->sources[shot->reference],
                       &(md5_moment){.frame0 = frame, .frame1 = frame}, pose);
}

// Adds the difference of a one-shot to the joints of its mask.
static void add(const md5_machine *machine, int32_t mask, const md5_xform *source,
                const md5_xform *reference, float weight, md5_xform *pose)
{
    const md5_joint_set all = {.count = machine->num_joints};
    const md5_joint_set *const set = mask < 0 ? &all : &machine->mask_sets[mask].all;
    const float *const weights = mask < 0 ? NULL : md5_mask_of(machine, mask) + set->first;
    md5_xform *const into = pose + set->first;
    machine->kernels->add_difference(into, source + set->first, reference + set->first, weight,
                                     weights, set->count, into);
}

static void blend_one(const md5_machine *machine, const md5_shot *shot, float weight,
                      md5_xform *spare, md5_xform *pose)
{
    md5_xform *const reference = spare + machine->num_joints;
    sample(machine, shot, spare);
    if (shot->mode != MD5_LAYER_ADD) {
        md5i_blend_over(machine, NULL, shot->mask, spare, weight, pose);
        return;
    }
    sample_reference(machine, shot, reference);
    add(machine, shot->mask, spare, reference, weight, pose);
}

static float mask_at(const md5_machine *machine, const md5_shot *shot, uint32_t joint)
{
    return shot->mask < 0 ? 1.0f : md5_mask_of(machine, shot->mask)[joint];
}

// Writes for each joint what md5i_shot_share() says of one of a slot's one-shots.
static void find_shares(const md5_machine *machine, const md5_shot_slot *slot, uint32_t number,
                        const float *weights, float *shares)
{
    for (uint32_t joint = 0; joint < machine->num_joints; joint++) {
        float covered = 0.0f;
        for (uint32_t i = number + 1; i < slot->num_shots; i++) {
            if (slot->shots[i].mode != MD5_LAYER_ADD)
                covered += weights[i] * mask_at(machine, &slot->shots[i], joint);
        }
        const float own = weights[number] * mask_at(machine, &slot->shots[number], joint);
        shares[joint] = md5i_shot_share(own, covered);
    }
}

static void blend_several(md5_player *player, const md5_shot_slot *slot, uint32_t num_below,
                          md5_xform *spare, md5_xform *pose)
{
    const md5_machine *const machine = player->machine;
    const uint32_t num_joints = machine->num_joints;
    md5_xform *const reference = spare + num_joints;
    float *const shares = (float *)(spare + 2 * (size_t)num_joints);
    float weights[MD5_SLOT_SHOTS];
    for (uint32_t i = 0; i < slot->num_shots; i++)
        weights[i] = md5i_shot_weight(player, &slot->shots[i], 0.0);
    for (uint32_t i = 0; i < slot->num_shots; i++) {
        const md5_shot *const shot = &slot->shots[i];
        if (shot->num_below != num_below || weights[i] == 0.0f)
            continue;
        find_shares(machine, slot, i, weights, shares);
        sample(machine, shot, spare);
        if (shot->mode == MD5_LAYER_ADD) {
            sample_reference(machine, shot, reference);
            machine->kernels->add_difference(pose, spare, reference, 1.0f, shares, num_joints,
                                             pose);
        } else {
            machine->kernels->blend(pose, spare, 1.0f, shares, num_joints, pose);
        }
    }
}

void md5i_blend_shots(md5_player *player, uint32_t num_below, md5_xform *spare, md5_xform *pose)
{
    for (uint32_t i = 0; i < player->machine->num_slots; i++) {
        const md5_shot_slot *const slot = &player->slots[i];
        if (slot->num_shots > 1) {
            blend_several(player, slot, num_below, spare, pose);
            continue;
        }
        if (slot->num_shots == 0 || slot->shots[0].num_below != num_below)
            continue;
        const float weight = md5i_shot_weight(player, &slot->shots[0], 0.0);
        if (weight > 0.0f)
            blend_one(player->machine, &slot->shots[0], weight, spare, pose);
    }
}
