// Terrain, foot placement and procedural walking; see legs.h.
//
// view_corner_height() is the height field of each kind of terrain. `view_legs_motion` is the kind
// of motion that advances the gait in ticks of 1/60 s.
#include "demo/viewer/motion/motion.h"

#include "demo/viewer/base/math.h"

// Size of the terrain relative to the size of the model: the side of a square, and the height of
// the ground. The slope is inclined by 20 degrees.
static const struct {
    float cell;
    float height;
} ground_sizes[] = {[VIEW_HILLS] = {0.1f, 0.05f},
                    [VIEW_STAIRS] = {0.07f, 0.1f},
                    [VIEW_SLOPE] = {0.1f, 0.412f},
                    [VIEW_LIFT] = {0.07f, 0.3f}};

// Time constant with which the feet follow the height of the terrain, seconds. Without it, feet
// would jump at stairs.
static const float smoothing = 0.06f;

// Returns the parent of a joint; MD5_NONE for a root and for MD5_NONE.
static uint32_t parent_or_none(const md5_skeleton *skeleton, uint32_t joint)
{
    return joint != MD5_NONE ? skeleton->joints[joint].parent : MD5_NONE;
}

// Returns the joint of the body to which a leg is attached. It is three levels above the foot:
// foot, knee, hip, body. Returns MD5_NONE if the foot has fewer ancestors.
static uint32_t body_above_foot(const md5_skeleton *skeleton, uint32_t foot)
{
    const uint32_t knee = parent_or_none(skeleton, foot);
    const uint32_t hip = parent_or_none(skeleton, knee);
    return parent_or_none(skeleton, hip);
}

// Returns true if a joint has "foot" or "ankle" in its name, and a knee, a hip and a body as
// ancestors.
static bool is_foot(const md5_skeleton *skeleton, uint32_t joint)
{
    const char *const name = skeleton->joints[joint].name;
    const bool has_name = common_contains(name, "foot") || common_contains(name, "ankle");
    return has_name && body_above_foot(skeleton, joint) != MD5_NONE;
}

// Returns the number of legs of the scene's monster, or 0 without a monster. A monster with legs
// places its feet itself.
static uint32_t count_monster_legs(const view_scene *scene)
{
    const md5_monster *const monster = scene->entity.monster;
    return monster != NULL ? md5_monster_state(monster).num_legs : 0;
}

// Finds the joints that foot placement puts on the ground, by their names and ancestors.
static void find_ankles(view_terrain *terrain, const md5_skeleton *skeleton)
{
    for (uint32_t i = 0; i < skeleton->num_joints && terrain->num_feet < VIEW_MAX_FEET; i++) {
        if (!is_foot(skeleton, i))
            continue;
        terrain->feet[terrain->num_feet++] = (md5_foot){.ankle = i};
        terrain->pelvis = body_above_foot(skeleton, i);
    }
}

// Creates a terrain for the feet of a model, in proportion to the size of the model. Without feet,
// the ground remains level.
uint32_t view_find_feet(view_terrain *terrain, const view_scene *scene, view_ground_kind kind)
{
    const uint32_t num_monster_legs = count_monster_legs(scene);
    *terrain = (view_terrain){.kind = VIEW_LEVEL};
    // A monster with legs places its feet itself, and only a monster can stand on a lift.
    if (num_monster_legs == 0 && kind != VIEW_LIFT)
        find_ankles(terrain, scene->skeleton);

    const uint32_t num_feet = num_monster_legs + terrain->num_feet;
    const float size = view_size(scene->model->bounds);
    if (num_feet > 0)
        terrain->kind = kind;
    terrain->cell = ground_sizes[kind].cell * size;
    terrain->height = ground_sizes[kind].height * size;
    return num_feet;
}

// Returns a random number from -1 to 1 for a lattice point. The number is a hash of the
// coordinates, so it is always the same for a point. The lattice repeats after `period` points, a
// power of two.
static float random_at(int32_t x, int32_t y, int32_t period)
{
    const uint32_t mask = (uint32_t)period - 1;
    uint32_t hash = ((uint32_t)x & mask) * 0x9E3779B1u ^ ((uint32_t)y & mask) * 0x85EBCA77u;
    hash = (hash ^ hash >> 15) * 0x2C1B3C6Du;
    hash ^= hash >> 13;
    return (float)(hash & 0xFFFF) / 32767.5f - 1;
}

// Maps 0..1 to 0..1 by a curve with slope 0 at both ends.
static float smoothstep(float t)
{
    return t * t * (3 - 2 * t);
}

// Interpolates linearly from `a` at t = 0 to `b` at t = 1.
static float interpolate(float a, float b, float t)
{
    return a * (1 - t) + b * t;
}

// Returns smooth noise from -1 to 1 at a corner of the ground. Interpolates between the random
// numbers of the four surrounding lattice points. Every `stride`-th corner is a lattice point;
// `stride` is a power of two.
static float smooth_at(int32_t x, int32_t y, int32_t stride)
{
    const int32_t period = VIEW_GROUND_SQUARES / stride;
    const int32_t column = (int32_t)floorf((float)x / (float)stride);
    const int32_t row = (int32_t)floorf((float)y / (float)stride);
    const float u = smoothstep((float)(x - column * stride) / (float)stride);
    const float v = smoothstep((float)(y - row * stride) / (float)stride);
    const float in_row =
        interpolate(random_at(column, row, period), random_at(column + 1, row, period), u);
    const float in_next_row =
        interpolate(random_at(column, row + 1, period), random_at(column + 1, row + 1, period), u);
    return interpolate(in_row, in_next_row, v);
}

// Returns the height of a stair, units. The index `step` of the stairs increases with x. In each
// cycle of 16 stairs, eight lead down and eight lead up. Stair 0 has the height 0, and the highest
// stair of its cycle is two stairs before it. Each stair has four columns of corners: both ends of
// its tread and of the riser after it.
static float stair_height(const view_terrain *terrain, int32_t step)
{
    const int32_t number = (step + 10) & 15;
    return terrain->height * (float)((number < 8 ? number : 16 - number) - 6);
}

bool view_is_lift(const view_terrain *terrain, int32_t y)
{
    enum { SIDE = 12 };
    return terrain->kind == VIEW_LIFT && ((y + SIDE) & (VIEW_GROUND_SQUARES - 1)) <= 2 * SIDE;
}

void view_set_lift_time(view_terrain *terrain, double time)
{
    const double period = 6, full_circle = 6.283185307179586; // seconds
    terrain->rise = terrain->height * (float)(0.5 - 0.5 * cos(full_circle * time / period));
}

// Returns the x coordinate of column `x` of the grid of a terrain. The corners of the ground's
// squares are at these positions. The columns have equal distances, except for stairs.
float view_corner_x(const view_terrain *terrain, int32_t x)
{
    // A stair has four columns of corners. The first is at the begin of its tread. The other three
    // have the same x coordinate, the end of the tread, where the next stair begins.
    const bool is_tread_end = terrain->kind == VIEW_STAIRS && (x & 3) != 0;
    const int32_t next_stair = (x | 3) + 1;
    return terrain->cell * (float)(is_tread_end ? next_stair : x);
}

// Returns the height of a corner of the ground's grid. The heights repeat after
// VIEW_GROUND_SQUARES corners.
float view_corner_height(const view_terrain *terrain, int32_t x, int32_t y)
{
    if (terrain->kind == VIEW_STAIRS) {
        const bool is_riser_end = (x & 3) == 3; // it has the height of the next stair
        return stair_height(terrain, (x >> 2) + (is_riser_end ? 1 : 0));
    }
    if (terrain->kind == VIEW_LIFT)
        return view_is_lift(terrain, y) ? terrain->rise : 0;
    const int32_t along = (x + y + VIEW_GROUND_SQUARES / 4) & (VIEW_GROUND_SQUARES - 1);
    if (terrain->kind == VIEW_SLOPE)
        return terrain->height * (1 - fabsf((float)(4 * along) / (float)VIEW_GROUND_SQUARES - 2));
    return terrain->height * (0.75f * smooth_at(x, y, 8) + 0.25f * smooth_at(x, y, 2));
}

// Returns the height of the terrain at a point, interpolated in the triangle of the grid that
// contains the point. Returns 0 for coordinates that are not finite or too large for the grid.
float view_ground_height(const view_terrain *terrain, float x, float y)
{
    const float max_index = 1e9f; // limit of the indices of columns and rows
    const float column = floorf(x / terrain->cell);
    const float row = floorf(y / terrain->cell);
    const bool is_in_grid = fabsf(column) < max_index && fabsf(row) < max_index; // false for NaN
    if (!is_in_grid || terrain->kind == VIEW_LEVEL)
        return 0;
    const int32_t i = (int32_t)column;
    const int32_t j = (int32_t)row;
    if (terrain->kind == VIEW_STAIRS)
        return stair_height(terrain, i >> 2); // a stair has four columns

    // The square (i, j) consists of two triangles. (u, v) is the position in the square, 0 to 1.
    const float u = x / terrain->cell - column;
    const float v = y / terrain->cell - row;
    const float right = view_corner_height(terrain, i + 1, j);
    const float left = view_corner_height(terrain, i, j + 1);
    const bool is_in_first_triangle = u + v < 1;
    if (is_in_first_triangle)
        return (1 - u - v) * view_corner_height(terrain, i, j) + u * right + v * left;
    return (u + v - 1) * view_corner_height(terrain, i + 1, j + 1) + (1 - v) * right
           + (1 - u) * left;
}

// Returns the maximum height of the ground below the center and the corners of a level square.
// `half_side` is half of the side of the square, in units.
float view_ground_under(const view_terrain *terrain, md5_vec3 middle, float half_side)
{
    // The highest of the middle and the four corners.
    float height = view_ground_height(terrain, middle.x, middle.y);
    for (int i = 0; i < 4; i++) {
        const float x = middle.x + (i & 1 ? half_side : -half_side);
        const float y = middle.y + (i & 2 ? half_side : -half_side);
        height = fmaxf(height, view_ground_height(terrain, x, y));
    }
    return height;
}

// Implements md5_sweep_fn: returns the height at which a box that moves down from `from` to `to`
// stops on the terrain. `size` is the side length of the box.
float view_sweep_ground(void *user, md5_vec3 from, md5_vec3 to, float size, bool is_waist)
{
    (void)is_waist;
    const float ground = view_ground_under(user, from, 0.5f * size);
    return fminf(fmaxf(ground, to.z), from.z);
}

// Implements md5_terrain_fn: returns the height of the ground at a point. Does not write a normal,
// so procedural feet remain level. `user` is a terrain.
static float find_terrain(void *user, md5_vec3 point, md5_vec3 *normal)
{
    (void)normal;
    return view_ground_height(user, point.x, point.y);
}

// Computes the joint matrices and the palette from the scene's pose. `world` transforms the model
// to world space.
static void write_world_joints(view_scene *scene, md5_mat34 world)
{
    md5_local_to_model(scene->skeleton, scene->pose, scene->joints);
    view_move_matrices(world, scene->joints, scene->num_joints);
    md5_build_palette(scene->model, scene->joints, scene->palette);
}

// Sets the height of the ground below each foot of the pose. `to_world` transforms the model to
// world space.
static void measure_floors(view_scene *scene, md5_mat34 to_world)
{
    view_terrain *const terrain = &scene->terrain;
    for (uint32_t i = 0; i < terrain->num_feet; i++) {
        md5_foot *const foot = &terrain->feet[i];
        const md5_xform ankle = md5_joint_in_model(scene->skeleton, scene->pose, foot->ankle);
        foot->floor = find_terrain(terrain, md5_mat34_point(to_world, ankle.translation), NULL);
    }
}

// Places all feet of the pose on the terrain by inverse kinematics, then recomputes joints and
// palette in the world. `time` is the time of playback. Feet follow the terrain gradually, by the
// time that has passed since the last call.
void view_pose_feet(view_scene *scene, const md5_xform *placement, double time)
{
    view_terrain *const terrain = &scene->terrain;
    const md5_mat34 to_world = md5_mat34_from_xform(*placement);
    measure_floors(scene, to_world);
    md5_feet_job job = {
        .pelvis = terrain->pelvis,
        .feet = terrain->feet,
        .num_feet = terrain->num_feet,
        .drop = terrain->drop,
        .smoothing = smoothing,
        .seconds = (float)view_clamp((float)fabs(time - terrain->time), 0, 1),
        .weight = 1,
    };
    md5_solve_feet(scene->skeleton, &job, scene->pose);
    terrain->drop = job.drop;
    terrain->time = time;
    write_world_joints(scene, to_world);
}

// == Legs ========================================================================================

// Speeds of the body in gait radii per second, and the turning speed in radians per second. The
// radius of a gait is the mean distance of the feet from their center.
static const float walk_speed = 0.8f;
static const float run_speed = 1.5f;
static const float turn_rate = 0.9f;

// Inclination of the body into curves per lateral acceleration, in 1/(radius/s^2).
static const float bank_slope = 0.12f;

// Time step of the gait, seconds.
static const double tick = 1.0 / 60.0;
static const double half_tick = 0.5 / 60.0;

// Maximum time by which the gait may be ahead of the requested time, seconds. If it is farther
// ahead, the walk restarts.
static const double max_lead = 4.0 / 60.0;

// Maximum time that one call simulates, seconds. If more time has passed, the walk restarts this
// long before the requested time.
static const double max_simulated = 600;

// Returns the position of a joint in the bind pose, in model space.
static md5_vec3 bind_position(const view_scene *scene, uint32_t joint)
{
    return md5_mat34_translation(scene->model->bind[joint]);
}

// Returns the first child of a joint whose name contains `part`, or -1.
static int32_t find_child(const md5_skeleton *skeleton, uint32_t parent, const char *part)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const md5_joint *const joint = &skeleton->joints[i];
        if (joint->parent == parent && common_contains(joint->name, part))
            return (int32_t)i;
    }
    return -1;
}

// Returns true if each leg has its own joint between the hip and the body, such as the coxa of an
// insect. This is the case if the joints above all hips have the same parent, and no other leg
// shares the joint of the first leg.
static bool has_swivels(const view_legs *legs, const md5_skeleton *skeleton)
{
    const uint32_t first_swivel = parent_or_none(skeleton, legs->legs[0].limb.root);
    const uint32_t body = parent_or_none(skeleton, first_swivel);
    if (body == MD5_NONE)
        return false;
    for (uint32_t i = 1; i < legs->num_legs; i++) {
        const uint32_t swivel = parent_or_none(skeleton, legs->legs[i].limb.root);
        if (swivel == first_swivel || parent_or_none(skeleton, swivel) != body)
            return false;
    }
    return true;
}

// Sets the swivels of the legs, and the body. A swivel rotates a leg forward and backward. If one
// leg lacks a swivel, none is used. The hips then rotate the legs, and the parent of a hip is the
// body.
static void find_swivels(view_legs *legs, const md5_skeleton *skeleton)
{
    const bool uses_swivels = has_swivels(legs, skeleton);
    const uint32_t above_first_hip = parent_or_none(skeleton, legs->legs[0].limb.root);
    legs->body = uses_swivels ? parent_or_none(skeleton, above_first_hip) : above_first_hip;
    for (uint32_t i = 0; i < legs->num_legs; i++) {
        md5_leg *const leg = &legs->legs[i];
        leg->swivel = uses_swivels ? parent_or_none(skeleton, leg->limb.root) : MD5_NONE;
    }
}

// Computes the angle of each foot around the middle of all feet in the bind pose, radians.
static void find_foot_angles(const view_legs *legs, const view_scene *scene,
                             float angles[MD5_MAX_LEGS])
{
    const float share = 1.0f / (float)legs->num_legs;
    md5_vec3 middle = {0, 0, 0};
    for (uint32_t i = 0; i < legs->num_legs; i++) {
        const md5_vec3 foot = bind_position(scene, legs->legs[i].limb.tip);
        middle = md5_vec3_add(middle, md5_vec3_scale(foot, share));
    }
    for (uint32_t i = 0; i < legs->num_legs; i++) {
        const md5_vec3 foot = bind_position(scene, legs->legs[i].limb.tip);
        const md5_vec3 offset = md5_vec3_sub(foot, middle);
        angles[i] = atan2f(offset.y, offset.x);
    }
}

// Returns the position of leg `leg` in the order of the angles: the number of legs before it. Legs
// with the same angle are in the order of their indices.
static uint32_t rank_by_angle(const float *angles, uint32_t num_legs, uint32_t leg)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < num_legs; i++) {
        const bool is_smaller = angles[i] < angles[leg];
        const bool is_equal_before = i < leg && angles[i] == angles[leg];
        if (is_smaller || is_equal_before)
            rank++;
    }
    return rank;
}

// Assigns the legs to two groups. The legs of a group step together, and the groups step
// alternately. Neighbors around the body are in different groups.
static void assign_groups(view_legs *legs, const view_scene *scene)
{
    float angles[MD5_MAX_LEGS] = {0};
    find_foot_angles(legs, scene, angles);
    for (uint32_t i = 0; i < legs->num_legs; i++)
        legs->legs[i].group = rank_by_angle(angles, legs->num_legs, i) % 2;
}

// Returns the position of a joint in the bind pose, in the space of another joint.
static md5_vec3 bind_position_in(const view_scene *scene, uint32_t space, uint32_t joint)
{
    return md5_mat34_point(scene->model->inverse_bind[space], bind_position(scene, joint));
}

// Finds the piston of each leg: the joint "cylinder" below the hip and the joint "rod" below the
// knee. The two joints point at each other. A leg need not have a piston.
static void find_pistons(view_legs *legs, const view_scene *scene)
{
    for (uint32_t i = 0; i < legs->num_legs; i++) {
        const md5_limb *const limb = &legs->legs[i].limb;
        const int32_t found_cylinder = find_child(scene->skeleton, limb->root, "cylinder");
        const int32_t found_rod = find_child(scene->skeleton, limb->middle, "rod");
        if (found_cylinder < 0 || found_rod < 0)
            continue;
        const uint32_t cylinder = (uint32_t)found_cylinder;
        const uint32_t rod = (uint32_t)found_rod;
        legs->pistons[legs->num_pistons++] = (view_piston){
            .joints = {cylinder, rod},
            .forward = {bind_position_in(scene, cylinder, rod),
                        bind_position_in(scene, rod, cylinder)},
        };
    }
}

// Finds the legs of a model that can walk without clips, and assigns them to the two groups that
// step alternately.
uint32_t view_find_legs(const view_scene *scene, view_legs *legs)
{
    const md5_skeleton *const skeleton = scene->skeleton;
    *legs = (view_legs){.time = -1}; // not started
    for (uint32_t foot = 0; foot < skeleton->num_joints && legs->num_legs < MD5_MAX_LEGS; foot++) {
        if (!is_foot(skeleton, foot))
            continue;
        const uint32_t knee = parent_or_none(skeleton, foot);
        const uint32_t hip = parent_or_none(skeleton, knee);
        legs->legs[legs->num_legs++] = (md5_leg){.limb = {hip, knee, foot}, .swivel = MD5_NONE};
    }
    if (legs->num_legs < 2) {
        legs->num_legs = 0;
        return 0;
    }
    find_swivels(legs, skeleton);
    assign_groups(legs, scene);
    find_pistons(legs, scene);
    return legs->num_legs;
}

// -- Walking -------------------------------------------------------------------------------------

// Rotates a joint of a pose so that it points at the joint `target`. `forward` is the direction
// that the joint points in, in its own space.
static void point_joint_at(const md5_skeleton *skeleton, uint32_t joint, md5_vec3 forward,
                           uint32_t target, md5_xform *pose)
{
    const md5_xform target_in_model = md5_joint_in_model(skeleton, pose, target);
    const md5_xform joint_in_model = md5_joint_in_model(skeleton, pose, joint);
    const md5_vec3 current = md5_quat_rotate(joint_in_model.rotation, forward);
    const md5_vec3 wanted = md5_vec3_sub(target_in_model.translation, joint_in_model.translation);
    const md5_xform rotation = {.rotation = md5_quat_between(current, wanted)};
    md5_modify_joint(skeleton, joint, MD5_JOINT_MODEL, rotation, 1, pose);
}

// Rotates both parts of each piston so that they point at each other. A piston consists of a
// cylinder and a rod, which are attached to different joints. Pointing each at the other keeps
// the rod in the cylinder.
void view_point_pistons(const view_legs *legs, const md5_skeleton *skeleton, md5_xform *pose)
{
    for (uint32_t i = 0; i < legs->num_pistons; i++) {
        const view_piston *const piston = &legs->pistons[i];
        const uint32_t cylinder = piston->joints[0];
        const uint32_t rod = piston->joints[1];
        point_joint_at(skeleton, cylinder, piston->forward[0], rod, pose);
        point_joint_at(skeleton, rod, piston->forward[1], cylinder, pose);
    }
}

static const double wander_period = 24; // seconds

// Sets the movement of legs that no key controls. Within wander_period seconds, they walk forward
// in curves, then sideways, then fast forward, then stand still. `phase` is the time in this cycle.
// `speed` is the normal speed in units/s. *velocity is in units/s, and *yaw_rate is in radians/s.
static void wander(double phase, float speed, md5_vec3 *velocity, float *yaw_rate)
{
    *yaw_rate = 0;
    if (phase < 8)
        *yaw_rate = 0.35f;
    else if (phase < 14)
        *yaw_rate = -0.5f;
    *velocity = (md5_vec3){speed, 0, 0};
    if (phase > 22)
        *velocity = (md5_vec3){0, 0, 0};
    else if (phase >= 18)
        *velocity = (md5_vec3){1.6f * speed, 0, 0};
    else if (phase > 14)
        *velocity = (md5_vec3){0, speed, 0};
}

// Chooses the movement of the next tick. If the user controls the legs, it follows the keys,
// otherwise wander(). *velocity is in the body's space, in units/s. *yaw_rate is in radians/s;
// positive values turn to the left.
static void choose_velocity(const view_legs *legs, md5_vec3 *velocity, float *yaw_rate)
{
    const float radius = legs->gait.radius;
    if (!legs->is_driven) {
        wander(fmod(legs->time, wander_period), walk_speed * radius, velocity, yaw_rate);
        return;
    }
    const float radii_per_second = legs->control.fast ? run_speed : walk_speed;
    *velocity = (md5_vec3){radii_per_second * radius * (float)legs->control.ahead, 0, 0};
    *yaw_rate = -turn_rate * (float)legs->control.side;
}

// Returns true if the gait must start again to reach `time`. This is the case if `time` is before
// the last update or too far after it. The last update ended at the nearest whole tick. legs->time
// can therefore be slightly later than `time`, although time has not gone backward.
static bool needs_restart(const view_legs *legs, double time)
{
    const bool is_started = legs->time >= 0;
    const bool is_earlier = time < legs->time - max_lead;
    return !is_started || is_earlier || time > legs->time + max_simulated;
}

// Describes the scene's legs for the functions of md5_gait, which is the state of walking legs.
static md5_gait_desc describe_gait(view_scene *scene)
{
    const view_legs *const legs = &scene->legs;
    return (md5_gait_desc){
        .skeleton = scene->skeleton,
        .legs = legs->legs,
        .num_legs = legs->num_legs,
        .num_groups = 2,
        .body = legs->body,
        .terrain = scene->terrain.kind != VIEW_LEVEL ? find_terrain : NULL,
        .user = &scene->terrain,
    };
}

// Advances the gait in ticks of 1/60 s to the tick that is nearest to `time`.
static void advance_gait(view_legs *legs, const md5_gait_desc *desc, double time)
{
    while (legs->time + half_tick < time) {
        md5_vec3 velocity;
        float yaw_rate;
        choose_velocity(legs, &velocity, &yaw_rate);
        md5_gait_advance(desc, &legs->gait, velocity, yaw_rate, tick);
        legs->time += tick;
    }
}

// Poses the scene by walking legs. Advances the gait to the time of `play`, and moves the legs from
// the bind pose to their steps. The joints and the palette are in world space.
static void walk_legs(view_scene *scene, const view_play *play)
{
    view_legs *const legs = &scene->legs;
    md5_gait_desc desc = describe_gait(scene);
    if (needs_restart(legs, play->time)) {
        md5_gait_begin(&desc, scene->model->bind_local, view_at_origin(), &legs->gait);
        legs->time = fmax(play->time - max_simulated, 0);
    }
    // The radius is known after md5_gait_begin().
    desc.bank = legs->gait.radius > 0 ? bank_slope / legs->gait.radius : 0;
    advance_gait(legs, &desc, play->time);

    memcpy(scene->pose, scene->model->bind_local, scene->num_joints * sizeof *scene->pose);
    md5_gait_pose(&desc, &legs->gait, scene->pose);
    view_point_pistons(legs, scene->skeleton, scene->pose);
    write_world_joints(scene, md5_mat34_from_xform(md5_gait_placement(&legs->gait)));
}

// -- Kind of motion ------------------------------------------------------------------------------

// Returns true if the legs of the scene walk.
static bool has_legs(const view_scene *scene)
{
    return scene->legs.num_legs > 0;
}

static md5_vec3 walked(const view_scene *scene, const view_play *play)
{
    (void)play;
    return scene->legs.gait.position;
}

// Ends the automatic movement of the legs, and returns their controls.
static view_control *take_control(view_scene *scene, bool down)
{
    (void)down;
    scene->legs.is_driven = true;
    return &scene->legs.control;
}

const view_motion_kind view_legs_motion = {
    .name = "legs",
    .clip_use = VIEW_CLIP_TIMES,
    .mode = VIEW_MODE_CLIPS,
    .moves_alone = true,
    .moves = has_legs,
    .pose = walk_legs,
    .walked = walked,
    .take_control = take_control,
};
