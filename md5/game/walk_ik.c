// Walk IK: legs whose feet stand on what is below them, by the rules of the engine.
#include "md5/game/actor.h"
#include "md5/game/character.h"

#include <stdio.h>
#include <string.h>

// == Making =======================================================================================

// The axes of a bone, whose first leads along it, at unit length, and whose second is nearest to
// `bend`. The engine's are left-handed, of which only differences count.
static md5_quat bone_axes(md5_vec3d along, md5_vec3d bend)
{
    axes3 axes = {.row = {along}};
    axes.row[1] = md5_vec3d_normalize(
        md5_vec3d_sub(bend, md5_vec3d_scale(along, md5_vec3d_dot(along, bend))));
    axes.row[2] = md5_vec3d_cross(along, axes.row[1]);
    return md5i_quat_of_axes(&axes);
}

static md5_vec3d place_of(const md5_monster *monster, uint32_t joint)
{
    return md5_vec3d_of(monster->body.places[joint].translation);
}

// Returns false if a joint is not there, after a warning, or not named.
static bool read_leg(md5_monster *monster, uint32_t number, md5_ik_leg *leg, md5_context *context)
{
    static const char *const words[] = {"hip", "knee", "ankle", "foot", "dir"};
    for (uint32_t i = 0; i < 5; i++) {
        char name[24];
        (void)snprintf(name, sizeof name, "ik_%s%u", words[i], number);
        leg->joints[i] = md5i_joint_of_key(&monster->body, monster->desc.entity, name, context);
        TRY(leg->joints[i] != MD5_NONE || i == 4);
    }
    return true;
}

static void measure_leg(const md5_monster *monster, md5_ik_leg *leg)
{
    md5_vec3d forward = {1.0, 0.0, 0.0};
    if (leg->joints[4] != MD5_NONE)
        forward =
            md5_vec3d_sub(place_of(monster, leg->joints[4]), place_of(monster, leg->joints[1]));
    for (uint32_t i = 0; i < 2; i++) {
        const md5_quat into = md5_quat_conjugate(monster->body.places[leg->joints[i]].rotation);
        const md5_vec3d bone =
            md5_vec3d_sub(place_of(monster, leg->joints[i + 1]), place_of(monster, leg->joints[i]));
        const md5_quat axes = bone_axes(md5_vec3d_normalize(bone), forward);
        leg->forward[i] = md5_quat_rotate(into, md5_vec3d_round(forward));
        leg->lengths[i] = md5_vec3d_length(bone);
        leg->in_bone[i] = md5_quat_conjugate(md5_quat_mul(into, axes));
    }
}

void md5i_read_walk_ik(md5_monster *monster, md5_context *context)
{
    const md5_entity *const entity = monster->desc.entity;
    const md5_entity_key *const legs = md5i_monster_key(entity, "ik_numLegs");
    const md5_entity_key *const waist = md5i_monster_key(entity, "ik_waist");
    const float number = md5i_monster_number(monster, "ik_numLegs", 0.0f);
    md5_walk_ik *const ik = &monster->ik;
    if (!(number >= 1.0f))
        return;
    const uint32_t count = number < (float)MD5_MAX_IK_LEGS ? (uint32_t)number : MD5_MAX_IK_LEGS;
    if (!md5i_begin_clip(entity, "ik_pose", monster->body.places, monster->body.places)) {
        (void)md5i_report_key(context, MD5_WARNING, legs,
                              "walk IK is disabled: clip 'ik_pose' is missing");
        return;
    }
    ik->waist = md5i_joint_of_key(&monster->body, entity, "ik_waist", context);
    if (ik->waist == MD5_NONE) {
        (void)md5i_report_key(context, MD5_WARNING, waist ? waist : legs,
                              "walk IK is disabled: joint of 'ik_waist' is missing");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!read_leg(monster, i + 1, &ik->legs[i], context)) {
            (void)md5i_report_key(
                context, MD5_WARNING, legs,
                "walk IK is disabled: joints of leg %u are missing; Doom 3 ends the map", i + 1);
            return;
        }
        measure_leg(monster, &ik->legs[i]);
    }
    ik->smoothing = md5i_monster_number(monster, "ik_smoothing", 0.75f);
    ik->waist_smoothing = md5i_monster_number(monster, "ik_waistSmoothing", 0.75f);
    ik->foot_shift = md5i_monster_number(monster, "ik_footShift", 0.0f);
    ik->waist_shift = md5i_monster_number(monster, "ik_waistShift", 0.0f);
    ik->min_waist_floor = md5i_monster_number(monster, "ik_minWaistFloorDist", 0.0f);
    ik->min_waist_ankle = md5i_monster_number(monster, "ik_minWaistAnkleDist", 0.0f);
    ik->up_trace = md5i_monster_number(monster, "ik_footUpTrace", 32.0f);
    ik->down_trace = md5i_monster_number(monster, "ik_footDownTrace", 32.0f);
    ik->foot_size = md5i_monster_number(monster, "ik_footSize", 4.0f);
    ik->uses_pivot = md5i_monster_number(monster, "ik_usePivot", 0.0f) != 0.0f;
    md5i_know_joint(&monster->body, ik->waist, JOINT_PLACES);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < 4; k++)
            md5i_know_joint(&monster->body, ik->legs[i].joints[k],
                            k < 3 ? JOINT_TURNS : JOINT_KNOWN);
    }
    ik->num_legs = count;
    ik->enabled = (1U << count) - 1;
}

void md5i_clear_walk_ik(md5_monster *monster)
{
    const md5_walk_ik *const ik = &monster->ik;
    if (ik->num_legs == 0)
        return;
    monster->mods[ik->waist].axis = monster->mods[ik->waist].position = MD5_MOD_NONE;
    for (uint32_t i = 0; i < ik->num_legs; i++) {
        for (uint32_t k = 0; k < 3; k++)
            monster->mods[ik->legs[i].joints[k]].axis = MD5_MOD_NONE;
    }
}

// == Walking ======================================================================================

static double sweep(const md5_walk_ik *ik, const md5_monster_tick *tick, md5_vec3d from, double to,
                    bool is_waist)
{
    if (!tick->sweep)
        return to;
    const md5_vec3 start = md5_vec3d_round(from);
    const md5_vec3 end = {start.x, start.y, md5_round_to_float(to)};
    return (double)tick->sweep(tick->user, start, end, ik->foot_size, is_waist);
}

// The lowest foot stays where it has been when it became that, unless the body turns by 30 degrees.
static void hold_pivot(md5_walk_ik *ik, const world_place *body, md5_vec3d *feet)
{
    uint32_t lowest = 0;
    for (uint32_t i = 0; i < ik->num_legs; i++)
        lowest = feet[i].z < feet[lowest].z ? i : lowest;
    const double yaw = md5i_yaw_of(body->axes.row[0]);
    if (!ik->is_valid || lowest != ik->pivot_foot
        || fabs(md5_half_turn(yaw - ik->pivot_yaw)) > 30.0) {
        ik->pivot_foot = lowest;
        ik->pivot_yaw = yaw;
        ik->pivot_at = feet[lowest];
    }
    feet[ik->pivot_foot] = ik->pivot_at;
}

// By how much each foot is moved, and returns the least of them.
static double find_shifts(md5_monster *monster, const md5_monster_tick *tick,
                          const world_place *body, double *shifts)
{
    md5_walk_ik *const ik = &monster->ik;
    md5_vec3d feet[MD5_MAX_IK_LEGS];
    double least = INFINITY;
    for (uint32_t i = 0; i < ik->num_legs; i++)
        feet[i] = md5_through_place(monster->body.places[ik->legs[i].joints[3]].translation, body);
    if (ik->uses_pivot)
        hold_pivot(ik, body, feet);
    for (uint32_t i = 0; i < ik->num_legs; i++) {
        shifts[i] = 0.0;
        if (ik->enabled >> i & 1) {
            const md5_vec3d from = {feet[i].x, feet[i].y, feet[i].z + (double)ik->up_trace};
            const double floor = sweep(ik, tick, from, feet[i].z - (double)ik->down_trace, false);
            if (tick->has_ground)
                shifts[i] = floor - (double)tick->origin.z + (double)ik->foot_shift;
        }
        least = shifts[i] < least ? shifts[i] : least;
    }
    return least;
}

// Where both bones lead, at unit length, so that the knee is ahead: straight to the ankle if they
// do not reach it, or are too long.
static void find_bones(const md5_ik_leg *leg, md5_vec3d way, md5_vec3d forward, md5_vec3d bones[2])
{
    const double square = md5_vec3d_dot(way, way);
    const double length = sqrt(square);
    const double upper = leg->lengths[0];
    const double lower = leg->lengths[1];
    const md5_vec3d along = md5_vec3d_scale(way, length > 0.0 ? 1.0 / length : 0.0);
    bones[0] = bones[1] = along;
    if (length > upper + lower || length < fabs(upper - lower) || !(length * upper * lower > 0.0))
        return;
    const md5_vec3d side = md5_vec3d_normalize(
        md5_vec3d_sub(forward, md5_vec3d_scale(way, md5_vec3d_dot(way, forward) / square)));
    const double x = (square + upper * upper - lower * lower) / (2.0 * length);
    const double ahead = upper * upper - x * x;
    const md5_vec3d knee = md5_vec3d_scale(side, sqrt(ahead > 0.0 ? ahead : 0.0));
    bones[0] = md5_vec3d_scale(md5_vec3d_add(md5_vec3d_scale(along, x), knee), 1.0 / upper);
    bones[1] =
        md5_vec3d_scale(md5_vec3d_sub(md5_vec3d_scale(along, length - x), knee), 1.0 / lower);
}

// Step by step for all legs: within one of them everything waits for what is before.
static void bend_legs(md5_monster *monster, const md5_vec3d *ways)
{
    const md5_walk_ik *const ik = &monster->ik;
    md5_vec3d forward[MD5_MAX_IK_LEGS][2], bones[MD5_MAX_IK_LEGS][2];
    for (uint32_t i = 0; i < ik->num_legs; i++) {
        for (uint32_t k = 0; k < 2; k++)
            forward[i][k] = md5_vec3d_of(md5_quat_rotate(
                monster->body.places[ik->legs[i].joints[k]].rotation, ik->legs[i].forward[k]));
        find_bones(&ik->legs[i], ways[i], forward[i][1], bones[i]);
    }
    for (uint32_t i = 0; i < ik->num_legs; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            const md5_ik_leg *const leg = &ik->legs[i];
            md5_joint_mod *const mod = &monster->mods[leg->joints[k]];
            mod->axis = MD5_MOD_WORLD_OVERRIDE;
            mod->rotation =
                k < 2 ? md5_quat_mul(bone_axes(bones[i][k], forward[i][k]), leg->in_bone[k])
                      : monster->body.places[leg->joints[k]].rotation;
        }
    }
}

// How far the waist is moved up.
static double find_waist_shift(const md5_walk_ik *ik, const md5_monster_tick *tick, md5_vec3d waist,
                               double least, double highest)
{
    double shift = least + (double)ik->waist_shift;
    if (ik->min_waist_floor > 0.0f && shift < 0.0) {
        const double hit =
            sweep(ik, tick, waist, waist.z + shift - (double)ik->min_waist_floor, true);
        const double missing = hit + (double)ik->min_waist_floor - (waist.z + shift);
        shift += missing > 0.0 ? missing : 0.0;
    }
    if (ik->min_waist_ankle > 0.0f) {
        const double missing = highest + (double)ik->min_waist_ankle - (waist.z + shift);
        shift += missing > 0.0 ? missing : 0.0;
    }
    return shift;
}

void md5i_walk_ik(md5_monster *monster, const md5_monster_tick *tick, const world_place *body)
{
    md5_walk_ik *const ik = &monster->ik;
    double shifts[MD5_MAX_IK_LEGS];
    md5_vec3d ankles[MD5_MAX_IK_LEGS];
    double highest = -INFINITY;
    if (ik->enabled == 0)
        return;
    const double least = find_shifts(monster, tick, body, shifts);
    const md5_vec3d up = {body->axes.row[0].z, body->axes.row[1].z, body->axes.row[2].z};
    for (uint32_t i = 0; i < ik->num_legs; i++) {
        ankles[i] = place_of(monster, ik->legs[i].joints[2]);
        const double height = body->origin.z + md5_vec3d_dot(ankles[i], up);
        if (ik->is_valid && !tick->is_on_a_lift)
            shifts[i] -= (double)ik->smoothing * (height + shifts[i] - ik->old_ankles[i]);
        ik->old_ankles[i] = height + shifts[i];
        ankles[i] = md5_vec3d_add(ankles[i], md5_vec3d_scale(up, shifts[i]));
        highest = ik->old_ankles[i] > highest ? ik->old_ankles[i] : highest;
    }
    const md5_xform *const waist = &monster->body.places[ik->waist];
    const md5_vec3d waist_at = md5_through_place(waist->translation, body);
    double shift = find_waist_shift(ik, tick, waist_at, least, highest);
    if (ik->is_valid)
        shift -= (double)ik->waist_smoothing * (waist_at.z + shift - ik->old_waist);
    // A negative smoothing carries it away, farther each tick.
    shift = fmin(fmax(shift, -1e14), 1e14);
    ik->old_waist = waist_at.z + shift;
    ik->waist_offset = (md5_vec3d){0.0, 0.0, shift};
    if (!ik->is_valid) { // it has only measured
        ik->is_valid = true;
        return;
    }
    const md5_vec3d raised = md5_vec3d_scale(up, shift); // in model space
    md5_joint_mod *const mod = &monster->mods[ik->waist];
    mod->axis = mod->position = MD5_MOD_WORLD_OVERRIDE;
    mod->rotation = waist->rotation;
    mod->translation = md5_vec3d_round(md5_vec3d_add(md5_vec3d_of(waist->translation), raised));
    for (uint32_t i = 0; i < ik->num_legs; i++) {
        const md5_vec3d hip = md5_vec3d_add(place_of(monster, ik->legs[i].joints[0]), raised);
        ankles[i] = md5_vec3d_sub(ankles[i], hip);
    }
    bend_legs(monster, ankles);
}
