#include "md5/play/run/joint_set.h"

// Joints of a list that are gathered at a time.
enum { CHUNK = 32 };

// A part of a set's joints: a chunk of its list, or all of them where they lie.
typedef struct joint_part {
    const uint32_t *listed; // NULL: no list
    const float *weights;
    uint32_t begin, first, count;
} joint_part;

// Goes on to the next part: begin with {0}. False at the end.
static bool next_part(const md5_machine *machine, const md5_joint_set *set, joint_part *part)
{
    const uint32_t begin = part->begin + part->count, left = set->count - begin;
    if (left == 0)
        return false;
    *part = (joint_part){.begin = begin, .first = set->first, .count = left};
    if (set->is_listed) {
        part->listed = machine->listed + set->list + begin;
        part->weights = machine->listed_weights + set->list + begin;
        part->count = left < CHUNK ? left : CHUNK;
    } else if (set->mask >= 0) {
        part->weights = md5_mask_of(machine, set->mask) + set->first;
    }
    return true;
}

// The part's joints of a pose, which are brought to `room` if they do not stand together.
static const md5_xform *take(const joint_part *part, const md5_xform *pose, md5_xform room[CHUNK])
{
    if (!part->listed)
        return pose + part->first;
    for (uint32_t i = 0; i < part->count; i++)
        room[i] = pose[part->listed[i]];
    return room;
}

// Where they are worked on. What is done there is not in the pose before put().
static md5_xform *take_out(const joint_part *part, md5_xform *pose, md5_xform room[CHUNK])
{
    if (!part->listed)
        return pose + part->first;
    take(part, pose, room);
    return room;
}

static void put(const joint_part *part, const md5_xform *changed, md5_xform *pose)
{
    for (uint32_t i = 0; part->listed && i < part->count; i++)
        pose[part->listed[i]] = changed[i];
}

static void blend_joints(const md5_machine *machine, const md5_joint_set *set,
                         const md5_xform *other, float weight, md5_xform *pose)
{
    md5_xform of_pose[CHUNK], of_other[CHUNK];
    for (joint_part part = {0}; next_part(machine, set, &part);) {
        md5_xform *const into = take_out(&part, pose, of_pose);
        md5_blend_poses(into, take(&part, other, of_other), weight, part.weights, part.count, into);
        put(&part, into, pose);
    }
}

void md5i_blend_all(const md5_machine *machine, const md5_detail_set *detail, const md5_xform *from,
                    const md5_xform *to, float weight, md5_xform *pose)
{
    if (!detail)
        md5_blend_poses(from, to, weight, NULL, machine->num_joints, pose);
    for (uint32_t i = 0; detail && i < detail->num_runs; i++) {
        const md5_joint_run run = machine->runs[detail->first_run + i];
        md5_blend_poses(from + run.first, to + run.first, weight, NULL, run.count,
                        pose + run.first);
    }
}

// Where the mask's weight is 0, joints keep their bits.
static void blend_runs(const md5_machine *machine, const md5_detail_set *detail, int32_t mask,
                       const md5_xform *other, float weight, md5_xform *pose)
{
    const float *const weights = md5_mask_of(machine, mask);
    for (uint32_t i = 0; i < detail->num_runs; i++) {
        const md5_joint_run run = machine->runs[detail->first_run + i];
        if (md5_meets(run, &machine->mask_sets[mask].all))
            md5_blend_poses(pose + run.first, other + run.first, weight, weights + run.first,
                            run.count, pose + run.first);
    }
}

void md5i_blend_over(const md5_machine *machine, const md5_detail_set *detail, int32_t mask,
                     const md5_xform *other, float weight, md5_xform *pose)
{
    if (mask < 0) {
        md5i_blend_all(machine, detail, pose, other, weight, pose);
        return;
    }
    if (detail) {
        blend_runs(machine, detail, mask, other, weight, pose);
        return;
    }
    const md5_mask_sets *const sets = &machine->mask_sets[mask];
    if (weight < 1.0f || !sets->is_split) {
        blend_joints(machine, &sets->all, other, weight, pose);
        return;
    }
    const uint32_t *const whole = machine->listed + sets->whole.list;
    for (uint32_t i = 0; i < sets->whole.count; i++)
        pose[whole[i]] = other[whole[i]];
    blend_joints(machine, &sets->partial, other, weight, pose);
}

void md5i_save_between(const md5_machine *machine, int32_t mask, const md5_xform *pose,
                       md5_xform saved[MD5_MOST_SAVED])
{
    const md5_joint_set *const set = &machine->mask_sets[mask].partial;
    for (uint32_t i = 0; i < set->count; i++)
        saved[i] = pose[machine->listed[set->list + i]];
}

void md5i_blend_saved(const md5_machine *machine, int32_t mask, const md5_xform *saved,
                      md5_xform *pose)
{
    md5_xform of_pose[CHUNK];
    for (joint_part part = {0}; next_part(machine, &machine->mask_sets[mask].partial, &part);) {
        md5_xform *const other = take_out(&part, pose, of_pose);
        md5_blend_poses(saved + part.begin, other, 1.0f, part.weights, part.count, other);
        put(&part, other, pose);
    }
}

void md5i_subtract_joints(const md5_machine *machine, const md5_joint_set *set,
                          const md5_xform *source, int32_t reference, md5_xform *difference)
{
    const md5_xform *const from = md5_reference_of(machine, reference);
    md5_xform of_source[CHUNK], of_reference[CHUNK];
    for (joint_part part = {0}; next_part(machine, set, &part);)
        md5_subtract_pose(take(&part, source, of_source), take(&part, from, of_reference),
                          part.count, difference + part.begin);
}

void md5i_add_joints(const md5_machine *machine, const md5_joint_set *set,
                     const md5_xform *difference, float weight, md5_xform *pose)
{
    md5_xform of_pose[CHUNK];
    for (joint_part part = {0}; next_part(machine, set, &part);) {
        md5_xform *const into = take_out(&part, pose, of_pose);
        md5_add_pose(into, difference + part.begin, NULL, weight, part.weights, part.count, into);
        put(&part, into, pose);
    }
}

void md5i_add_difference_of_joints(const md5_machine *machine, const md5_joint_set *set,
                                   const md5_xform *source, int32_t reference, float weight,
                                   md5_xform *pose)
{
    const md5_xform *const from = md5_reference_of(machine, reference);
    md5_xform of_pose[CHUNK], of_source[CHUNK], of_reference[CHUNK];
    for (joint_part part = {0}; next_part(machine, set, &part);) {
        md5_xform *const into = take_out(&part, pose, of_pose);
        md5_add_pose(into, take(&part, source, of_source), take(&part, from, of_reference), weight,
                     part.weights, part.count, into);
        put(&part, into, pose);
    }
}
