// Terrain, foot placement and procedural walking; see legs.h.
//
// view_corner_height() is the height field of each kind of terrain. `view_legs_motion` is the kind
// of motion that advances the gait in ticks of 1/60 s.
#include "demo/viewer/motion/motion.h"

#include "demo/viewer/base/math.h"

// Side of a square and height of the ground relative to the model's size. The slope has 20 degrees.
static const struct {
    float cell;
    float height;
} ground_sizes[] = {[VIEW_HILLS] = {0.1f, 0.05f},
                    [VIEW_STAIRS] = {0.07f, 0.1f},
                    [VIEW_SLOPE] = {0.1f, 0.412f},
                    [VIEW_LIFT] = {0.07f, 0.3f}};

// Time constant of feet that follow the terrain, seconds.
static const float smoothing = 0.06f;

static uint32_t parent_or_none(const md5_skeleton *skeleton, uint32_t joint)
{
    return joint != MD5_NONE ? skeleton->joints[joint].parent : MD5_NONE;
}

// Returns the joint of the body to which a leg is attached: the parent of the hip of the knee of
// a foot. Returns MD5_NONE if the foot has fewer ancestors.
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

// Finds the joints that are placed on the ground, and sets the size of the terrain in proportion
// to the model.
uint32_t view_find_feet(view_terrain *terrain, const view_scene *scene, view_ground_kind kind)
{
    const md5_skeleton *const skeleton = scene->skeleton;
    const md5_monster *const monster = scene->entity.monster;
    const uint32_t num_legs = monster != NULL ? md5_monster_state(monster).num_legs : 0;
    *terrain = (view_terrain){.kind = VIEW_LEVEL};
    // A monster with legs places its feet itself, and only a monster can stand on a lift.
    for (uint32_t i = 0; i < skeleton->num_joints && terrain->num_feet < VIEW_MAX_FEET; i++) {
        if (num_legs > 0 || kind == VIEW_LIFT || !is_foot(skeleton, i))
            continue;
        terrain->feet[terrain->num_feet++] = (md5_foot){.ankle = i};
        terrain->pelvis = body_above_foot(skeleton, i);
    }
    const float size = view_size(scene->model->bounds);
    terrain->kind = num_legs + terrain->num_feet > 0 ? kind : VIEW_LEVEL;
    terrain->cell = ground_sizes[kind].cell * size;
    terrain->height = ground_sizes[kind].height * size;
    return num_legs + terrain->num_feet;
}

// Returns a random number from -1 to 1 for a point of a lattice, which is always the same for the
// point. The lattice repeats after `period` points, a power of two.
static float random_at(int32_t x, int32_t y, int32_t period)
{
    const uint32_t mask = (uint32_t)period - 1;
    uint32_t hash = ((uint32_t)x & mask) * 0x9E3779B1u ^ ((uint32_t)y & mask) * 0x85EBCA77u;
    hash = (hash ^ hash >> 15) * 0x2C1B3C6Du;
    hash ^= hash >> 13;
    return (float)(hash & 0xFFFF) / 32767.5f - 1;
}

// Returns smooth noise from -1 to 1 at a corner: interpolates between random numbers at every
// `stride`-th corner. `stride` is a power of two.
static float smooth_at(int32_t x, int32_t y, int32_t stride)
{
    const int32_t period = VIEW_GROUND_SQUARES / stride;
    const int32_t column = (int32_t)floorf((float)x / (float)stride);
    const int32_t row = (int32_t)floorf((float)y / (float)stride);
    const float across = (float)(x - column * stride) / (float)stride;
    const float along = (float)(y - row * stride) / (float)stride;
    const float u = across * across * (3 - 2 * across);
    const float v = along * along * (3 - 2 * along);
    const float near =
        random_at(column, row, period) * (1 - u) + random_at(column + 1, row, period) * u;
    const float far =
        random_at(column, row + 1, period) * (1 - u) + random_at(column + 1, row + 1, period) * u;
    return near * (1 - v) + far * v;
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
    const double period = 6, turn = 6.283185307179586; // seconds
    terrain->rise = terrain->height * (float)(0.5 - 0.5 * cos(turn * time / period));
}

float view_corner_x(const view_terrain *terrain, int32_t x)
{
    // Of the four columns of a stair, the first is at the begin of its tread. The other columns are
    // at the end of the tread, which is the first column of the next stair.
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
// contains the point.
float view_ground_height(const view_terrain *terrain, float x, float y)
{
    const float column = floorf(x / terrain->cell);
    const float row = floorf(y / terrain->cell);
    const float u = x / terrain->cell - column;
    const float v = y / terrain->cell - row;
    if (!(fabsf(column) < 1e9f && fabsf(row) < 1e9f) || terrain->kind == VIEW_LEVEL)
        return 0; // far away, or NaN
    const int32_t i = (int32_t)column;
    const int32_t j = (int32_t)row;
    if (terrain->kind == VIEW_STAIRS)
        return stair_height(terrain, i >> 2);
    // A square consists of two triangles. Interpolate in the triangle that contains the point.
    const float right = view_corner_height(terrain, i + 1, j);
    const float left = view_corner_height(terrain, i, j + 1);
    if (u + v < 1)
        return (1 - u - v) * view_corner_height(terrain, i, j) + u * right + v * left;
    return (u + v - 1) * view_corner_height(terrain, i + 1, j + 1) + (1 - v) * right
           + (1 - u) * left;
}

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

float view_sweep_ground(void *user, md5_vec3 from, md5_vec3 to, float size, bool is_waist)
{
    (void)is_waist;
    return fminf(fmaxf(view_ground_under(user, from, 0.5f * size), to.z), from.z);
}

// Implements md5_terrain_fn.
static float find_terrain(void *user, md5_vec3 point, md5_vec3 *normal)
{
    (void)normal;
    return view_ground_height(user, point.x, point.y);
}

// Writes the joints in world space and the palette of the scene's pose.
static void write_world_joints(view_scene *scene, md5_mat34 world)
{
    md5_local_to_model(scene->skeleton, scene->pose, scene->joints);
    view_move_matrices(world, scene->joints, scene->num_joints);
    md5_build_palette(scene->model, scene->joints, scene->palette);
}

// Places all feet of the pose on the terrain by inverse kinematics, then recomputes joints and
// palette in the world.
void view_place_feet(view_scene *scene, const md5_xform *place, double time)
{
    view_terrain *const terrain = &scene->terrain;
    const md5_mat34 to_world = md5_mat34_from_xform(*place);
    for (uint32_t i = 0; i < terrain->num_feet; i++) {
        md5_foot *const foot = &terrain->feet[i];
        const md5_xform ankle = md5_joint_in_model(scene->skeleton, scene->pose, foot->ankle);
        foot->floor = find_terrain(terrain, md5_mat34_point(to_world, ankle.translation), NULL);
    }
    const float seconds = (float)view_clamp((float)fabs(time - terrain->time), 0, 1);
    md5_feet_job job = {
        .pelvis = terrain->pelvis,
        .feet = terrain->feet,
        .num_feet = terrain->num_feet,
        .drop = terrain->drop,
        .smoothing = smoothing,
        .seconds = seconds,
        .weight = 1,
    };
    md5_solve_feet(scene->skeleton, &job, scene->pose);
    terrain->drop = job.drop;
    terrain->time = time;
    write_world_joints(scene, to_world);
}

// == Legs ========================================================================================

// Speeds, radii of the circle of feet per second; turning speed, radians per second.
static const float walk_speed = 0.8f;
static const float run_speed = 1.5f;
static const float turn_rate = 0.9f;

// Slope of the body in curves, per radius/s^2 of acceleration.
static const float bank_slope = 0.12f;

// Time step of the gait, seconds.
static const double tick = 1.0 / 60.0;
static const double half_tick = 0.5 / 60.0;

// Largest time by which the gait may be ahead of the requested time without a restart, seconds.
static const double max_lead = 4.0 / 60.0;

// Largest time that is simulated in one call, seconds. After a longer pause the walk restarts
// this long before the requested time.
static const double max_simulated = 600;

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

// Sets the swivels of the legs and their common body. A swivel is a joint between the hip and the
// body that only this leg has. If a leg has no swivel, none is used.
static void find_swivels(view_legs *legs, const md5_skeleton *skeleton)
{
    const uint32_t num_legs = legs->num_legs;
    const uint32_t first = parent_or_none(skeleton, legs->legs[0].limb.root);
    bool has_swivels = true;
    for (uint32_t i = 0; i < num_legs; i++) {
        const uint32_t swivel = parent_or_none(skeleton, legs->legs[i].limb.root);
        const uint32_t body = parent_or_none(skeleton, swivel);
        if (body == MD5_NONE || body != parent_or_none(skeleton, first))
            has_swivels = false;
        if (i > 0 && swivel == first)
            has_swivels = false;
        legs->legs[i].swivel = swivel;
    }
    legs->body = has_swivels ? parent_or_none(skeleton, first) : first;
    for (uint32_t i = 0; i < num_legs && !has_swivels; i++)
        legs->legs[i].swivel = MD5_NONE;
}

// Assigns the legs, sorted by the angle of their feet around the middle of all feet, to two
// alternating groups, which step in turn.
static void assign_groups(view_legs *legs, const view_scene *scene)
{
    const uint32_t num_legs = legs->num_legs;
    float angles[MD5_MAX_LEGS] = {0};
    md5_vec3 middle = {0, 0, 0};
    for (uint32_t i = 0; i < num_legs; i++)
        middle = md5_vec3_add(middle, md5_vec3_scale(bind_position(scene, legs->legs[i].limb.tip),
                                                     1.0f / (float)num_legs));
    for (uint32_t i = 0; i < num_legs; i++) {
        const md5_vec3 from = md5_vec3_sub(bind_position(scene, legs->legs[i].limb.tip), middle);
        angles[i] = atan2f(from.y, from.x);
    }
    for (uint32_t i = 0; i < num_legs; i++) {
        uint32_t rank = 0; // number of legs before leg i in the order of angles
        for (uint32_t k = 0; k < num_legs; k++)
            rank += angles[k] < angles[i] || (k < i && angles[k] == angles[i]);
        legs->legs[i].group = rank % 2;
    }
}

// Finds the piston of each leg: a joint "cylinder" at the hip and a joint "rod" at the knee, which
// point at each other. Stores the direction to the partner in the space of each joint.
static void find_pistons(view_legs *legs, const view_scene *scene)
{
    for (uint32_t i = 0; i < legs->num_legs; i++) {
        const md5_limb *const limb = &legs->legs[i].limb;
        const int32_t cylinder = find_child(scene->skeleton, limb->root, "cylinder");
        const int32_t rod = find_child(scene->skeleton, limb->middle, "rod");
        if (cylinder < 0 || rod < 0)
            continue;
        view_piston *const piston = &legs->pistons[legs->num_pistons++];
        *piston = (view_piston){.joints = {(uint32_t)cylinder, (uint32_t)rod}};
        for (int end = 0; end < 2; end++) {
            const uint32_t partner = piston->joints[1 - end];
            piston->forward[end] = md5_mat34_point(scene->model->inverse_bind[piston->joints[end]],
                                                   bind_position(scene, partner));
        }
    }
}

// Finds the legs of a model that can walk without clips, and how they alternate.
uint32_t view_find_legs(const view_scene *scene, view_legs *legs)
{
    const md5_skeleton *const skeleton = scene->skeleton;
    *legs = (view_legs){.time = -1};
    for (uint32_t i = 0; i < skeleton->num_joints && legs->num_legs < MD5_MAX_LEGS; i++) {
        const uint32_t knee = parent_or_none(skeleton, i);
        if (is_foot(skeleton, i))
            legs->legs[legs->num_legs++] =
                (md5_leg){.limb = {parent_or_none(skeleton, knee), knee, i}, .swivel = MD5_NONE};
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

void view_point_pistons(const view_legs *legs, const md5_skeleton *skeleton, md5_xform *pose)
{
    // Rotate each end of a piston so that it points at the other end.
    for (uint32_t i = 0; i < legs->num_pistons; i++) {
        const view_piston *const piston = &legs->pistons[i];
        for (int end = 0; end < 2; end++) {
            const uint32_t joint = piston->joints[end];
            const md5_xform partner = md5_joint_in_model(skeleton, pose, piston->joints[1 - end]);
            const md5_xform current = md5_joint_in_model(skeleton, pose, joint);
            const md5_vec3 forward = md5_quat_rotate(current.rotation, piston->forward[end]);
            const md5_vec3 to_partner = md5_vec3_sub(partner.translation, current.translation);
            const md5_xform rotation = {.rotation = md5_quat_between(forward, to_partner)};
            md5_modify_joint(skeleton, joint, MD5_JOINT_MODEL, rotation, 1, pose);
        }
    }
}

static const double wander_period = 24; // seconds

// Sets the automatic movement of legs at a time in a cycle of `wander_period`: forward in curves,
// then sideways, then fast forward, then standing still. `speed` is the normal speed, units/s.
static void wander(double phase, float speed, md5_vec3 *velocity, float *turn)
{
    *turn = 0;
    if (phase < 8)
        *turn = 0.35f;
    else if (phase < 14)
        *turn = -0.5f;
    *velocity = (md5_vec3){speed, 0, 0};
    if (phase > 22)
        *velocity = (md5_vec3){0, 0, 0};
    else if (phase >= 18)
        *velocity = (md5_vec3){1.6f * speed, 0, 0};
    else if (phase > 14)
        *velocity = (md5_vec3){0, speed, 0};
}

// Sets the velocity, units/s in the body's space, and the turning speed, radians/s, of the next
// tick.
static void choose_velocity(const view_legs *legs, md5_vec3 *velocity, float *turn)
{
    const float radius = legs->gait.radius; // of the circle of feet
    if (!legs->is_driven) {
        wander(fmod(legs->time, wander_period), walk_speed * radius, velocity, turn);
        return;
    }
    const float radii_per_second = legs->control.fast ? run_speed : walk_speed;
    *velocity = (md5_vec3){radii_per_second * radius * (float)legs->control.ahead, 0, 0};
    *turn = -turn_rate * (float)legs->control.side;
}

// Returns true if the gait must start again to reach a time: the time is before the last update or
// too far after it. The last update ends at a whole tick, which can be slightly after the time of
// its frame.
static bool needs_restart(const view_legs *legs, double time)
{
    const bool is_started = legs->time >= 0;
    const bool is_earlier = time < legs->time - max_lead;
    return !is_started || is_earlier || time > legs->time + max_simulated;
}

// Advances the gait to the time of `play` in steps of 1/60 s, and writes the pose of the scene. The
// joints and the palette are in world space.
static void walk_legs(view_scene *scene, const view_play *play)
{
    const double time = play->time;
    view_legs *const legs = &scene->legs;
    md5_gait_desc desc = {
        .skeleton = scene->skeleton,
        .legs = legs->legs,
        .num_legs = legs->num_legs,
        .num_groups = 2,
        .body = legs->body,
        .terrain = scene->terrain.kind != VIEW_LEVEL ? find_terrain : NULL,
        .user = &scene->terrain,
    };
    if (needs_restart(legs, time)) {
        md5_gait_begin(&desc, scene->model->bind_local, view_at_origin(), &legs->gait);
        legs->time = fmax(time - max_simulated, 0);
    }
    desc.bank = legs->gait.radius > 0 ? bank_slope / legs->gait.radius : 0;
    while (legs->time + half_tick < time) { // ends at the tick that is nearest to the time
        md5_vec3 velocity;
        float turn;
        choose_velocity(legs, &velocity, &turn);
        md5_gait_advance(&desc, &legs->gait, velocity, turn, tick);
        legs->time += tick;
    }
    memcpy(scene->pose, scene->model->bind_local, scene->num_joints * sizeof *scene->pose);
    md5_gait_pose(&desc, &legs->gait, scene->pose);
    view_point_pistons(legs, scene->skeleton, scene->pose);
    write_world_joints(scene, md5_mat34_from_xform(md5_gait_placement(&legs->gait)));
}

// -- Kind of motion ------------------------------------------------------------------------------

static bool has_legs(const view_scene *scene)
{
    return scene->legs.num_legs > 0;
}

static md5_vec3 walked(const view_scene *scene, const view_play *play)
{
    (void)play;
    return scene->legs.gait.position;
}

static view_control *take_over(view_scene *scene, bool down)
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
    .take_over = take_over,
};
