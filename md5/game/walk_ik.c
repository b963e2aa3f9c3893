// Walk IK moves legs and waist so that the feet stand on uneven ground, by the rules of the engine.
//
// md5i_read_walk_ik() reads the keys of the entity, and measures the legs in the clip "ik_pose". In
// each tick, md5i_walk_ik() computes how far each foot and the waist must move vertically. It then
// sets the mods (joint modifiers) of waist, hips, knees and ankles.
#include "md5/game/actor.h"
#include "md5/game/character.h"

#include <stdio.h>
#include <string.h>

// == Creation =====================================================================================

// Returns axes of a bone. The first axis is `along`, which has length 1, and the second is the
// perpendicular axis nearest to `bend`. The engine's axes are left-handed, but only differences of
// rotations are used.
static md5_quat bone_axes(md5_vec3d along, md5_vec3d bend)
{
    axes3 axes = {.row = {along}};
    axes.row[1] = md5_vec3d_normalize(
        md5_vec3d_sub(bend, md5_vec3d_scale(along, md5_vec3d_dot(along, bend))));
    axes.row[2] = md5_vec3d_cross(along, axes.row[1]);
    return md5i_quat_from_axes(&axes);
}

// Returns the current position of a joint of the body in model space.
static md5_vec3d monster_joint_position(const md5_monster *monster, uint32_t joint)
{
    return md5_vec3d_from_vec3(monster->body_actor.transforms[joint].translation);
}

// Reads the joints of a leg. `number` counts from 1. Returns false if a joint other than
// IK_DIRECTION is missing.
static bool read_leg(md5_monster *monster, uint32_t number, md5_ik_leg *leg, md5_context *context)
{
    static const char *const keys[IK_NUM_JOINTS] = {
        [IK_HIP] = "hip",   [IK_KNEE] = "knee",     [IK_ANKLE] = "ankle",
        [IK_FOOT] = "foot", [IK_DIRECTION] = "dir",
    };
    for (uint32_t i = 0; i < IK_NUM_JOINTS; i++) {
        char name[24];
        (void)snprintf(name, sizeof name, "ik_%s%u", keys[i], number);
        leg->joints[i] =
            md5i_find_key_joint(&monster->body_actor, monster->desc.entity, name, context);
        TRY(leg->joints[i] != MD5_NONE || i == IK_DIRECTION);
    }
    return true;
}

// Measures the bones of a leg. The body must currently have the pose of the clip "ik_pose". Sets
// three values of each bone: its length, the direction to which the knee bends in the axes of its
// joint, and the rotation of the joint relative to the axes of the bone.
static void measure_leg(const md5_monster *monster, md5_ik_leg *leg)
{
    md5_vec3d forward = {1.0, 0.0, 0.0}; // model space
    if (leg->joints[IK_DIRECTION] != MD5_NONE)
        forward = md5_vec3d_sub(monster_joint_position(monster, leg->joints[IK_DIRECTION]),
                                monster_joint_position(monster, leg->joints[IK_KNEE]));
    for (uint32_t i = 0; i < 2; i++) {
        const md5_xform *const joint = &monster->body_actor.transforms[leg->joints[i]];
        const md5_quat model_to_joint = md5_quat_conjugate(joint->rotation);
        const md5_vec3d start = monster_joint_position(monster, leg->joints[i]);
        const md5_vec3d end = monster_joint_position(monster, leg->joints[i + 1]);
        const md5_vec3d bone = md5_vec3d_sub(end, start);
        const md5_quat bone_to_model = bone_axes(md5_vec3d_normalize(bone), forward);
        const md5_quat bone_to_joint = md5_quat_mul(model_to_joint, bone_to_model);
        leg->forward[i] = md5_quat_rotate(model_to_joint, md5_vec3d_round(forward));
        leg->lengths[i] = md5_vec3d_length(bone);
        leg->joint_to_bone[i] = md5_quat_conjugate(bone_to_joint);
    }
}

// Reads the joints of the waist and the legs, and measures the legs. If the clip "ik_pose" or a
// joint is missing, warns and returns false.
static bool read_legs(md5_monster *monster, uint32_t count, md5_context *context)
{
    const md5_entity *const entity = monster->desc.entity;
    const md5_entity_key *const legs = md5i_find_monster_key(entity, "ik_numLegs");
    const md5_entity_key *const waist = md5i_find_monster_key(entity, "ik_waist");
    md5_walk_ik *const ik = &monster->ik;

    if (!md5i_sample_clip_start(entity, "ik_pose", monster->body_actor.transforms,
                                monster->body_actor.transforms)) {
        (void)md5i_report_key(
            context, MD5_WARNING, legs,
            "walk IK is disabled: clip 'ik_pose' is missing; add it to the modelDef");
        return false;
    }

    ik->waist = md5i_find_key_joint(&monster->body_actor, entity, "ik_waist", context);
    if (ik->waist == MD5_NONE) {
        (void)md5i_report_key(context, MD5_WARNING, waist ? waist : legs,
                              "walk IK is disabled: joint of key 'ik_waist' is missing: expected a "
                              "joint of the model");
        return false;
    }

    for (uint32_t i = 0; i < count; i++) {
        if (!read_leg(monster, i + 1, &ik->legs[i], context)) {
            (void)md5i_report_key(
                context, MD5_WARNING, legs,
                "walk IK is disabled: joints of leg %u are missing; Doom 3 ends the map", i + 1);
            return false;
        }
        measure_leg(monster, &ik->legs[i]);
    }
    return true;
}

// Reads the numbers of walk IK from the keys of the entity. The defaults are the same as in the
// engine.
static void read_walk_numbers(md5_monster *monster)
{
    md5_walk_ik *const ik = &monster->ik;
    ik->smoothing = md5i_monster_float(monster, "ik_smoothing", 0.75f);
    ik->waist_smoothing = md5i_monster_float(monster, "ik_waistSmoothing", 0.75f);
    ik->foot_shift = md5i_monster_float(monster, "ik_footShift", 0.0f);
    ik->waist_shift = md5i_monster_float(monster, "ik_waistShift", 0.0f);
    ik->min_waist_floor = md5i_monster_float(monster, "ik_minWaistFloorDist", 0.0f);
    ik->min_waist_ankle = md5i_monster_float(monster, "ik_minWaistAnkleDist", 0.0f);
    ik->up_trace = md5i_monster_float(monster, "ik_footUpTrace", 32.0f);
    ik->down_trace = md5i_monster_float(monster, "ik_footDownTrace", 32.0f);
    ik->foot_size = md5i_monster_float(monster, "ik_footSize", 4.0f);
    ik->uses_pivot = md5i_monster_float(monster, "ik_usePivot", 0.0f) != 0.0f;
}

// Reads the keys of walk IK, and measures the legs in the clip "ik_pose". Walk IK remains disabled
// if the entity has no legs or lacks a joint. Distances are in units.
void md5i_read_walk_ik(md5_monster *monster, md5_context *context)
{
    const float num_legs = md5i_monster_float(monster, "ik_numLegs", 0.0f);
    md5_walk_ik *const ik = &monster->ik;
    if (!(num_legs >= 1.0f))
        return;
    uint32_t count = MD5_MAX_IK_LEGS;
    if (num_legs < (float)MD5_MAX_IK_LEGS)
        count = (uint32_t)num_legs;
    if (!read_legs(monster, count, context))
        return;
    read_walk_numbers(monster);

    md5i_track_joint(&monster->body_actor, ik->waist, JOINT_NEEDS_POSITION);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = IK_HIP; k <= IK_ANKLE; k++)
            md5i_track_joint(&monster->body_actor, ik->legs[i].joints[k], JOINT_NEEDS_ROTATION);
        md5i_track_joint(&monster->body_actor, ik->legs[i].joints[IK_FOOT], JOINT_TRACKED);
    }
    ik->num_legs = count;
    ik->enabled = (1U << count) - 1;
}

// Removes the mods that walk IK has set in the last tick.
void md5i_clear_walk_ik(md5_monster *monster)
{
    const md5_walk_ik *const ik = &monster->ik;
    if (ik->num_legs == 0)
        return;
    monster->mods[ik->waist].axis = MD5_MOD_NONE;
    monster->mods[ik->waist].position = MD5_MOD_NONE;
    for (uint32_t i = 0; i < ik->num_legs; i++) {
        for (uint32_t k = IK_HIP; k <= IK_ANKLE; k++)
            monster->mods[ik->legs[i].joints[k]].axis = MD5_MOD_NONE;
    }
}

// == Walking ======================================================================================

// Values of the parameter `is_waist` of md5_sweep_fn.
enum { SWEEP_FOOT = false, SWEEP_WAIST = true };

// Returns the height at which a box of the size of a foot hits the ground when it moves from `from`
// down to the height `to`. Both are in world space. Returns `to` if the game does not provide a
// sweep. `is_waist` is SWEEP_FOOT or SWEEP_WAIST.
static double sweep_foot(const md5_walk_ik *ik, const md5_monster_tick *tick, md5_vec3d from,
                         double to, bool is_waist)
{
    if (!tick->sweep)
        return to;
    const md5_vec3 start = md5_vec3d_round(from);
    const md5_vec3 end = {start.x, start.y, md5_round_to_float(to)};
    return (double)tick->sweep(tick->user, start, end, ik->foot_size, is_waist);
}

// Body rotation, in degrees, after which the pivot foot may move.
#define MAX_PIVOT_ROTATION 30.0

// Limit of the displacement of the waist. If the smoothing is negative, the displacement would grow
// in each tick.
#define MAX_WAIST_SHIFT 1e14

// Locks the lowest foot (the pivot) at the position where it became the lowest foot. It is locked
// until another foot is the lowest, or the body has rotated by more than MAX_PIVOT_ROTATION. `feet`
// are the positions of the feet in world space.
static void lock_pivot(md5_walk_ik *ik, const world_transform *body, md5_vec3d *feet)
{
    uint32_t lowest = 0;
    for (uint32_t i = 0; i < ik->num_legs; i++) {
        if (feet[i].z < feet[lowest].z)
            lowest = i;
    }
    const double yaw = md5i_yaw_degrees(body->axes.row[0]);
    const double rotation = fabs(md5_wrap_degrees(yaw - ik->pivot_yaw));
    const bool is_same_pivot = ik->has_heights && lowest == ik->pivot_foot;
    if (!is_same_pivot || rotation > MAX_PIVOT_ROTATION) {
        ik->pivot_foot = lowest;
        ik->pivot_yaw = yaw;
        ik->pivot_position = feet[lowest];
    }
    feet[ik->pivot_foot] = ik->pivot_position;
}

// Returns the vertical displacement of a foot at a position in world space. It is the height of the
// ground below the foot, relative to the origin of the character.
static double find_foot_shift(const md5_walk_ik *ik, const md5_monster_tick *tick, md5_vec3d foot)
{
    const md5_vec3d from = {foot.x, foot.y, foot.z + (double)ik->up_trace};
    const double ground = sweep_foot(ik, tick, from, foot.z - (double)ik->down_trace, SWEEP_FOOT);
    if (!tick->has_ground)
        return 0.0;
    return ground - (double)tick->origin.z + (double)ik->foot_shift;
}

// Computes the vertical displacement of each foot from the animation to the ground, and returns the
// smallest. The displacement of a leg that is not enabled is 0.
static double find_shifts(md5_monster *monster, const md5_monster_tick *tick,
                          const world_transform *body, double *shifts)
{
    md5_walk_ik *const ik = &monster->ik;
    md5_vec3d feet[MD5_MAX_IK_LEGS];
    double min_shift = INFINITY;
    for (uint32_t i = 0; i < ik->num_legs; i++) {
        const uint32_t joint = ik->legs[i].joints[IK_FOOT];
        feet[i] = md5_transform_to_world(monster->body_actor.transforms[joint].translation, body);
    }
    if (ik->uses_pivot)
        lock_pivot(ik, body, feet);
    for (uint32_t i = 0; i < ik->num_legs; i++) {
        const bool is_enabled = (ik->enabled >> i & 1) != 0;
        shifts[i] = is_enabled ? find_foot_shift(ik, tick, feet[i]) : 0.0;
        if (shifts[i] < min_shift)
            min_shift = shifts[i];
    }
    return min_shift;
}

// Computes the directions of thigh and shin, with length 1, so that the leg ends at the ankle.
// `reach` is the vector from hip to ankle, and the knee bends in the direction `forward`. If the
// ankle cannot be reached, both bones point at it.
static void solve_leg(const md5_ik_leg *leg, md5_vec3d reach, md5_vec3d forward, md5_vec3d bones[2])
{
    const double square = md5_vec3d_dot(reach, reach);
    const double length = sqrt(square);
    const double upper = leg->lengths[0];
    const double lower = leg->lengths[1];
    const md5_vec3d along = md5_vec3d_scale(reach, length > 0.0 ? 1.0 / length : 0.0);
    bones[0] = along;
    bones[1] = along;
    const bool is_reachable = !(length > upper + lower || length < fabs(upper - lower));
    const bool has_triangle = length * upper * lower > 0.0;
    if (!is_reachable || !has_triangle)
        return;

    // Find the knee in the plane of the leg by the law of cosines: its distance `x` from the hip
    // along the line to the ankle, and its height above this line.
    const md5_vec3d forward_along = md5_vec3d_scale(reach, md5_vec3d_dot(reach, forward) / square);
    const md5_vec3d side = md5_vec3d_normalize(md5_vec3d_sub(forward, forward_along));
    const double x = (square + upper * upper - lower * lower) / (2.0 * length);
    const double squared_height = upper * upper - x * x;
    const md5_vec3d height =
        md5_vec3d_scale(side, sqrt(squared_height > 0.0 ? squared_height : 0.0));
    const md5_vec3d thigh = md5_vec3d_add(md5_vec3d_scale(along, x), height);
    const md5_vec3d shin = md5_vec3d_sub(md5_vec3d_scale(along, length - x), height);
    bones[0] = md5_vec3d_scale(thigh, 1.0 / upper);
    bones[1] = md5_vec3d_scale(shin, 1.0 / lower);
}

// Computes the direction to which the knee bends in the animation, in model space. forward[0] is
// fixed in the thigh, and forward[1] in the shin.
static void find_forward(const md5_monster *monster, const md5_ik_leg *leg, md5_vec3d forward[2])
{
    for (uint32_t k = 0; k < 2; k++) {
        const md5_quat rotation = monster->body_actor.transforms[leg->joints[k]].rotation;
        forward[k] = md5_vec3d_from_vec3(md5_quat_rotate(rotation, leg->forward[k]));
    }
}

// Sets the mods of the legs so that the ankles are at the given vectors from their hips. Within a
// leg, every operation depends on the previous one. Each step is therefore computed for all legs
// before the next step, so that the processor can overlap the legs.
static void bend_legs(md5_monster *monster, const md5_vec3d *hip_to_ankle)
{
    const md5_walk_ik *const ik = &monster->ik;
    md5_vec3d forward[MD5_MAX_IK_LEGS][2];
    md5_vec3d bones[MD5_MAX_IK_LEGS][2];
    for (uint32_t i = 0; i < ik->num_legs; i++) {
        find_forward(monster, &ik->legs[i], forward[i]);
        solve_leg(&ik->legs[i], hip_to_ankle[i], forward[i][1], bones[i]);
    }

    for (uint32_t i = 0; i < ik->num_legs; i++) {
        const md5_ik_leg *const leg = &ik->legs[i];
        for (uint32_t k = 0; k < 2; k++) {
            md5_joint_mod *const mod = &monster->mods[leg->joints[k]];
            const md5_quat axes = bone_axes(bones[i][k], forward[i][k]);
            mod->axis = MD5_MOD_WORLD_OVERRIDE;
            mod->rotation = md5_quat_mul(axes, leg->joint_to_bone[k]);
        }
        // The foot keeps its animated rotation.
        const uint32_t ankle = leg->joints[IK_ANKLE];
        monster->mods[ankle].axis = MD5_MOD_WORLD_OVERRIDE;
        monster->mods[ankle].rotation = monster->body_actor.transforms[ankle].rotation;
    }
}

// Returns the vertical displacement of the waist. It follows the lowest foot, but keeps minimum
// heights above the floor and above the highest ankle. `min_shift` is the smallest displacement of
// a foot, and `max_ankle` the height of the highest ankle.
static double find_waist_shift(const md5_walk_ik *ik, const md5_monster_tick *tick, md5_vec3d waist,
                               double min_shift, double max_ankle)
{
    const double min_above_floor = (double)ik->min_waist_floor;
    const double min_above_ankle = (double)ik->min_waist_ankle;
    double shift = min_shift + (double)ik->waist_shift;
    if (min_above_floor > 0.0 && shift < 0.0) {
        const double sweep_end = waist.z + shift - min_above_floor;
        const double floor_height = sweep_foot(ik, tick, waist, sweep_end, SWEEP_WAIST);
        const double missing = floor_height + min_above_floor - (waist.z + shift);
        shift += missing > 0.0 ? missing : 0.0;
    }
    if (min_above_ankle > 0.0) {
        const double missing = max_ankle + min_above_ankle - (waist.z + shift);
        shift += missing > 0.0 ? missing : 0.0;
    }
    return shift;
}

// Moves the ankles vertically by the displacements of the feet, `shifts`. Their heights are
// smoothed over time, except on a lift and in the first tick. Writes the positions of the ankles in
// model space. Returns the height of the highest ankle in world space.
static double move_ankles(md5_monster *monster, const md5_monster_tick *tick,
                          const world_transform *body, md5_vec3d up, const double *shifts,
                          md5_vec3d *ankles)
{
    md5_walk_ik *const ik = &monster->ik;
    const bool is_smoothed = ik->has_heights && !tick->is_on_a_lift;
    double max_height = -INFINITY;
    for (uint32_t i = 0; i < ik->num_legs; i++) {
        const md5_vec3d ankle = monster_joint_position(monster, ik->legs[i].joints[IK_ANKLE]);
        const double height = body->origin.z + md5_vec3d_dot(ankle, up); // in the animation
        double shift = shifts[i];
        if (is_smoothed) { // keep a fraction of the previous height
            const double change = height + shift - ik->ankle_heights[i];
            shift -= (double)ik->smoothing * change;
        }
        ik->ankle_heights[i] = height + shift;
        ankles[i] = md5_vec3d_add(ankle, md5_vec3d_scale(up, shift));
        if (ik->ankle_heights[i] > max_height)
            max_height = ik->ankle_heights[i];
    }
    return max_height;
}

// Returns the vertical displacement of the waist, smoothed over time and limited to
// MAX_WAIST_SHIFT. Stores the new height of the waist. `waist` is its animated position in world
// space. The other parameters are the same as for find_waist_shift().
static double move_waist(md5_walk_ik *ik, const md5_monster_tick *tick, md5_vec3d waist,
                         double min_shift, double max_ankle)
{
    double shift = find_waist_shift(ik, tick, waist, min_shift, max_ankle);
    if (ik->has_heights) { // keep a fraction of the previous height
        const double change = waist.z + shift - ik->waist_height;
        shift -= (double)ik->waist_smoothing * change;
    }
    shift = fmin(fmax(shift, -MAX_WAIST_SHIFT), MAX_WAIST_SHIFT);
    ik->waist_height = waist.z + shift;
    ik->waist_offset = (md5_vec3d){0.0, 0.0, shift};
    return shift;
}

// Places the feet of a monster on the ground: computes the heights of feet and waist, and sets the
// mods that move them there. Heights are in world space, and all vectors in model space.
void md5i_walk_ik(md5_monster *monster, const md5_monster_tick *tick, const world_transform *body)
{
    md5_walk_ik *const ik = &monster->ik;
    double foot_shifts[MD5_MAX_IK_LEGS];
    md5_vec3d ankles[MD5_MAX_IK_LEGS];
    if (ik->enabled == 0)
        return;

    // `up` is the upward direction of the world in model space.
    const double min_shift = find_shifts(monster, tick, body, foot_shifts);
    const md5_vec3d up = {body->axes.row[0].z, body->axes.row[1].z, body->axes.row[2].z};
    const double max_ankle = move_ankles(monster, tick, body, up, foot_shifts, ankles);
    const md5_xform *const waist = &monster->body_actor.transforms[ik->waist];
    const md5_vec3d waist_in_world = md5_transform_to_world(waist->translation, body);
    const double waist_shift = move_waist(ik, tick, waist_in_world, min_shift, max_ankle);
    if (!ik->has_heights) { // the first tick only measures heights
        ik->has_heights = true;
        return;
    }

    // Raise the waist by its displacement.
    const md5_vec3d raise = md5_vec3d_scale(up, waist_shift);
    md5_joint_mod *const mod = &monster->mods[ik->waist];
    mod->axis = MD5_MOD_WORLD_OVERRIDE;
    mod->position = MD5_MOD_WORLD_OVERRIDE;
    mod->rotation = waist->rotation;
    mod->translation =
        md5_vec3d_round(md5_vec3d_add(md5_vec3d_from_vec3(waist->translation), raise));

    // The hips move with the waist, which shortens or lengthens the way to the ankles.
    md5_vec3d hip_to_ankle[MD5_MAX_IK_LEGS];
    for (uint32_t i = 0; i < ik->num_legs; i++) {
        const md5_vec3d hip = monster_joint_position(monster, ik->legs[i].joints[IK_HIP]);
        hip_to_ankle[i] = md5_vec3d_sub(ankles[i], md5_vec3d_add(hip, raise));
    }
    bend_legs(monster, hip_to_ankle);
}
