// Inverse kinematics: solvers, limits, several targets; walking by rules and on stairs; a head and
// eyes that look by themselves.
#include "demo/viewer/pages/page.h"

static float distance_to_target(const md5_skeleton *skeleton, const md5_xform *pose,
                                const md5_chain_job *job)
{
    const md5_xform tip = md5_joint_in_model(skeleton, pose, job->tip);
    return view_distance(tip.translation, job->target);
}

// lines of ik
// Cyclic coordinate descent: from the hand's parent to the root of the chain, each joint turns so
// that the hand lies in the direction of the target.
static void descend(const md5_skeleton *skeleton, uint32_t tip, uint32_t length, md5_vec3 target,
                    md5_xform *pose)
{
    uint32_t joint = skeleton->joints[tip].parent;
    for (; length > 1 && joint != MD5_NONE; joint = skeleton->joints[joint].parent, length--) {
        const md5_xform here = md5_joint_in_model(skeleton, pose, joint);
        const md5_vec3 hand = md5_joint_in_model(skeleton, pose, tip).translation, x = {1, 0, 0};
        const md5_vec3 a = md5_vec3_normalize(md5_vec3_sub(hand, here.translation), x);
        const md5_vec3 b = md5_vec3_normalize(md5_vec3_sub(target, here.translation), a);
        const md5_vec3 axis = md5_vec3_cross(a, b); // with 1 + cosine: a turn from a to b
        const md5_quat turn = md5_quat_normalize(
            (md5_quat){axis.x, axis.y, axis.z, 1.0f + md5_vec3_dot(a, b)}, (md5_quat){.w = 1});
        // In the joint's own space, behind its rotation.
        const md5_quat own = md5_quat_conjugate(here.rotation);
        pose[joint].rotation = md5_quat_mul(pose[joint].rotation,
                                            md5_quat_mul(md5_quat_mul(own, turn), here.rotation));
    }
}

// Two bones have a formula: the law of cosines says how far the elbow bends.
static float elbow_angle(float upper, float lower, float apart)
{
    const float cosine = (upper * upper + lower * lower - apart * apart) / (2.0f * upper * lower);
    return acosf(fminf(fmaxf(cosine, -1.0f), 1.0f));
}
// end of lines

static float reach(int solver, const md5_skeleton *skeleton, md5_xform *pose,
                   const md5_chain_job *job)
{
    static const md5_chain_solver solvers[] = {MD5_CHAIN_CCD, MD5_CHAIN_FABRIK,
                                               MD5_CHAIN_LEAST_SQUARES};
    if (solver > 0) {
        md5_chain_job chain = *job;
        chain.solver = solvers[solver - 1];
        return md5_solve_chain(skeleton, &chain, pose);
    }
    const md5_two_bone_job arm = {.tip = job->tip, .target = job->target, .weight = 1.0f};
    (void)md5_solve_two_bone(skeleton, &arm, pose); // in one step
    return distance_to_target(skeleton, pose, job);
}

// The bones of a chain and its target.
static void add_chain(view_picture *picture, const view_figure *figure, md5_vec3 target,
                      uint32_t tip, uint32_t length, view_color target_color, view_color color)
{
    view_add_cross(&picture->lines, md5_xform_point(figure->place, target), 3, target_color);
    for (uint32_t joint = tip; length > 1 && joint != MD5_NONE; length--) {
        view_add_bone(picture, figure, joint, color);
        joint = picture->skeleton->joints[joint].parent;
    }
}

// The distance after each number of iterations, from the same pose, as a power of ten.
VIEW_SHOW(ik)
{
    static const char *const names[4] = {"", "CCD to 0.01 units", "FABRIK to 0.01 units",
                                         "least squares to 0.01 units"};
    const float *const v = picture->values;
    const size_t size = picture->skeleton->num_joints * sizeof(md5_xform);
    const int shown = (int)view_choice(picture, 0);
    const uint32_t max_iterations = (uint32_t)picture->plots->row.high.x;
    view_figure *const figure = &picture->figures[0];
    md5_xform *const pose = view_spare_pose(picture, 0), *const begin = view_spare_pose(picture, 1);
    const float angle = 2 * (float)picture->time, wave = v[5] * 5;
    md5_chain_job job = {.tip = view_page_joint(picture, "hand_l"),
                         .length = view_choice(picture, 1),
                         .target = {v[2] + wave * cosf(angle), v[3], v[4] + wave * sinf(angle)},
                         .iterations = max_iterations,
                         .weight = 1};
    memcpy(begin, figure->pose, size);
    view_add_fact(picture, "distance", reach(shown, picture->skeleton, figure->pose, &job),
                  "units");
    add_chain(picture, figure, job.target, job.tip, shown == 0 ? 3 : job.length, VIEW_RED,
              VIEW_YELLOW);
    COMMON_FOR (solver, 4) {
        uint32_t needed = max_iterations;
        for (job.iterations = 0; job.iterations <= max_iterations; job.iterations++) {
            memcpy(pose, begin, size);
            const float distance = solver == 0 && job.iterations == 0
                                       ? distance_to_target(picture->skeleton, pose, &job)
                                       : reach(solver, picture->skeleton, pose, &job);
            view_add_point(picture->plots, solver, job.iterations, log10f(fmaxf(distance, 1e-5f)));
            if (distance <= 0.01f && job.iterations < needed)
                needed = job.iterations;
        }
        if (solver > 0)
            view_add_fact(picture, names[solver], needed,
                          needed == max_iterations ? "or more" : "iterations");
    }
    memcpy(pose, begin, size);
    COMMON_FOR (i, max_iterations)
        descend(picture->skeleton, job.tip, job.length, job.target, pose);
    view_add_fact(picture, "these lines", distance_to_target(picture->skeleton, pose, &job),
                  "units, 24 rounds");
    const md5_joint *const joints = picture->skeleton->joints;
    const uint32_t elbow = joints[job.tip].parent;
    const md5_vec3 shoulder = view_posed_place(picture, begin, joints[elbow].parent);
    const float upper = md5_vec3_length(begin[elbow].translation),
                lower = md5_vec3_length(begin[job.tip].translation),
                apart = view_distance(shoulder, job.target);
    view_add_fact(picture, "upper bone", upper, "units");
    view_add_fact(picture, "lower bone", lower, "units");
    view_add_fact(picture, "shoulder to target", apart, "units");
    view_add_fact(picture, "elbow of two bones", view_degrees(elbow_angle(upper, lower, apart)),
                  "°");
}

// -- Limits ---------------------------------------------------------------------------------

// lines of limits
static void limit_arm(md5_joint_limit *limits, const md5_model *model, const md5_limb *arm,
                      md5_vec3 elbow_axis, const float angles[3])
{
    limits[arm->middle] = (md5_joint_limit){.kind = MD5_LIMIT_HINGE,
                                            .rest = model->bind_local[arm->middle].rotation,
                                            .axis = elbow_axis,
                                            .min = angles[0],
                                            .max = angles[1]};
    limits[arm->root] = (md5_joint_limit){.kind = MD5_LIMIT_CONE,
                                          .rest = model->bind_local[arm->root].rotation,
                                          .axis = {1.0f, 0.0f, 0.0f},
                                          .min = -0.5f,
                                          .max = 0.5f,
                                          .swing = angles[2]};
}
// end of lines

// How far a joint has turned from the bind pose about an axis, and away from it, in radians.
static double measure_turn(const view_picture *picture, const md5_xform *pose, uint32_t joint,
                           md5_vec3 axis, double *swing)
{
    const md5_quat turn = md5_quat_mul(
        md5_quat_conjugate(picture->model->bind_local[joint].rotation), pose[joint].rotation);
    const float along = md5_vec3_dot((md5_vec3){turn.x, turn.y, turn.z}, axis);
    const md5_vec3 now = md5_quat_rotate(turn, axis);
    const double across = md5_vec3_length(md5_vec3_cross(axis, now)), w = turn.w;
    *swing = atan2(across, md5_vec3_dot(axis, now));
    return 2 * atan2(copysign(along, along * w), fabs(w));
}

VIEW_SHOW(limits)
{
    static const char *const names[2][4] = {
        {"elbow, free", "elbow sideways, free", "shoulder, free", "distance, free"},
        {"elbow, limited", "elbow sideways, limited", "shoulder, limited", "distance, limited"}};
    const float *const v = picture->values;
    const md5_limb arm = {view_page_joint(picture, "upperarm_l"),
                          view_page_joint(picture, "forearm_l"),
                          view_page_joint(picture, "hand_l")};
    md5_joint_limit limits[128] = {{.kind = MD5_LIMIT_NONE}};
    if (picture->scene->num_joints > 128)
        return;
    // The axis of the elbow in its own space: perpendicular to both bones of the bind pose.
    const md5_mat34 *const bind = picture->model->bind;
    const md5_vec3 shoulder = md5_mat34_translation(bind[arm.root]),
                   elbow = md5_mat34_translation(bind[arm.middle]),
                   hand = md5_mat34_translation(bind[arm.tip]);
    const md5_vec3 across =
        md5_vec3_cross(md5_vec3_sub(elbow, shoulder), md5_vec3_sub(hand, elbow));
    const md5_quat turn = md5_quat_from_mat34(bind[arm.middle]);
    const md5_vec3 axis =
        md5_vec3_normalize(md5_quat_rotate(md5_quat_conjugate(turn), across), (md5_vec3){0, 1, 0});
    const float angles[3] = {fminf(v[1], v[2]), fmaxf(v[1], v[2]), v[3]};
    limit_arm(limits, picture->model, &arm, axis, angles);
    COMMON_FOR (limited, 2) {
        const view_figure *const figure = &picture->figures[limited];
        const md5_chain_job job = {.tip = arm.tip,
                                   .length = 3,
                                   .target = {v[4], 12, v[5]},
                                   .tolerance = 1e-3f,
                                   .iterations = 60,
                                   .weight = 1,
                                   .limits = limited == 1 ? limits : NULL};
        const float distance =
            reach((int)view_choice(picture, 0) + 1, picture->skeleton, figure->pose, &job);
        add_chain(picture, figure, job.target, arm.tip, 3, VIEW_RED, VIEW_YELLOW);
        double swing;
        const double twist = measure_turn(picture, figure->pose, arm.middle, axis, &swing);
        view_add_fact(picture, names[limited][0], twist, "rad");
        view_add_fact(picture, names[limited][1], swing, "rad");
        measure_turn(picture, figure->pose, arm.root, (md5_vec3){1, 0, 0}, &swing);
        view_add_fact(picture, names[limited][2], swing, "rad");
        view_add_fact(picture, names[limited][3], distance, "units");
    }
}

// -- A foot on a slope ----------------------------------------------------------------------

// lines of slope
// The rotation by the shortest way from straight up to a normal: half of it is in the quaternion,
// so it is that of the direction halfway.
static md5_quat lay_on(md5_vec3 normal)
{
    const md5_vec3 up = {0.0f, 0.0f, 1.0f};
    const md5_vec3 half = md5_vec3_normalize(md5_vec3_add(up, normal), up);
    const md5_vec3 axis = md5_vec3_cross(up, half);
    return (md5_quat){axis.x, axis.y, axis.z, md5_vec3_dot(up, half)};
}
// end of lines

// The slope falls to his side, so that one leg is bent.
VIEW_SHOW(slope)
{
    const float angle = view_radians(picture->values[0]);
    const md5_vec3 normal = {0, -sinf(angle), cosf(angle)};
    const view_figure *const figure = &picture->figures[1];
    const uint32_t ankles[2] = {view_page_joint(picture, "foot_l"),
                                view_page_joint(picture, "foot_r")};
    md5_foot feet[2];
    md5_quat before[2];
    COMMON_FOR (i, 2) {
        const md5_xform ankle = md5_joint_in_model(picture->skeleton, figure->pose, ankles[i]);
        feet[i] = (md5_foot){
            .ankle = ankles[i], .floor = tanf(angle) * ankle.translation.y, .normal = normal};
        before[i] = ankle.rotation;
    }
    md5_feet_job job = {.pelvis = view_page_joint(picture, "hips"),
                        .feet = feet,
                        .num_feet = 2,
                        .weight = picture->values[1]};
    (void)md5_solve_feet(picture->skeleton, &job, figure->pose);
    picture->has_no_floor = true;
    COMMON_FOR (k, 2) {
        const float y = picture->figures[k].place.translation.y;
        for (int i = -3; i <= 3; i++) {
            const float along = 5 * (float)i, low = -18, high = 18;
            view_draw_to(picture, (md5_vec3){along, y + low, low * tanf(angle)}, 0);
            view_draw_to(picture, (md5_vec3){along, y + high, high * tanf(angle)}, VIEW_DIM_LINE);
        }
    }
    static const char *const names[2][2] = {{"left knee", "right knee"},
                                            {"left sole to the slope", "right sole to the slope"}};
    COMMON_FOR (i, 2) {
        const md5_joint *const joints = picture->skeleton->joints;
        const uint32_t knee = joints[ankles[i]].parent, hip = joints[knee].parent;
        const md5_vec3 a = view_posed_place(picture, figure->pose, hip),
                       b = view_posed_place(picture, figure->pose, knee),
                       c = view_posed_place(picture, figure->pose, ankles[i]);
        const float bend =
            elbow_angle(view_distance(a, b), view_distance(b, c), view_distance(a, c));
        view_add_fact(picture, names[0][i], view_degrees(bend), "°");
        const md5_quat laid = md5_quat_mul(lay_on(normal), before[i]);
        const md5_xform ankle = md5_joint_in_model(picture->skeleton, figure->pose, ankles[i]);
        view_add_fact(picture, names[1][i], view_angle(laid, ankle.rotation), "°");
        view_add_bone(picture, figure, ankles[i], VIEW_YELLOW);
        view_add_bone(picture, figure, knee, VIEW_YELLOW);
    }
    view_add_fact(picture, "hip lowered", -job.drop * picture->values[1], "units");
}

// -- Several targets ------------------------------------------------------------------------

// lines of goals
static float reach_with_both(const md5_skeleton *skeleton, md5_xform *pose, md5_goal hands[2])
{
    const md5_goals_job job = {
        .goals = hands, .num_goals = 2, .tolerance = 1e-3f, .iterations = 80, .weight = 1.0f};
    return md5_solve_goals(skeleton, &job, pose); // one Jacobian for both
}
// end of lines

VIEW_SHOW(goals)
{
    static const view_color colors[2] = {VIEW_RED, VIEW_BLUE};
    const float *const v = picture->values;
    const uint32_t length = view_choice(picture, 4); // with the spine from 5 on
    md5_goal hands[2] = {{.tip = view_page_joint(picture, "hand_l"),
                          .length = length,
                          .target = {v[1], 0.5f * v[0], v[2]},
                          .weight = 1},
                         {.tip = view_page_joint(picture, "hand_r"),
                          .length = length,
                          .target = {v[1], -0.5f * v[0], v[2]},
                          .weight = v[3]}};
    reach_with_both(picture->skeleton, picture->figures[0].pose, hands);
    COMMON_FOR (i, 2)
        add_chain(picture, &picture->figures[0], hands[i].target, hands[i].tip, length, colors[i],
                  colors[i]);
    view_add_fact(picture, "left hand, weight 1", hands[0].distance, "units");
    view_add_fact(picture, "right hand", hands[1].distance, "units");
}

// == Walking ===============================================================================
//
// Legs that walk by rules alone: steps that are planned, feet that are placed.

enum { MAX_PRINTS = 96 };

// A walk begins again after this time; steps are computed at 120 in a second; and the seconds that
// the plot shows.
static const double walk_span = 16, walk_tick = 1.0 / 120.0, walk_shown = 4;

// `user`: the height of the hills, units.
static float height_at(const float *hills, float x, float y)
{
    return *hills * (sinf(0.071f * x) * cosf(0.083f * y) + 0.5f * sinf(0.11f * y + 1));
}

static float terrain(void *user, md5_vec3 at, md5_vec3 *normal)
{
    const float height = height_at(user, at.x, at.y);
    *normal = (md5_vec3){height - height_at(user, at.x + 1, at.y),
                         height - height_at(user, at.x, at.y + 1), 1};
    return height;
}

// lines of walk
static void walk_on(const md5_walk_desc *desc, md5_walk *walk, float speed, float direction,
                    float turn, double seconds)
{
    const md5_vec3 velocity = {speed * cosf(direction), speed * sinf(direction), 0.0f};
    md5_walk_advance(desc, walk, velocity, turn, seconds);
}

static uint32_t pose_walker(const md5_walk_desc *desc, const md5_walk *walk, md5_xform *pose,
                            md5_xform *place)
{
    *place = md5_walk_placement(walk);
    return md5_walk_pose(desc, walk, pose);
}
// end of lines

// What the walk has done until now.
typedef struct walked {
    md5_vec3 prints[MAX_PRINTS]; // where feet were placed, the newest going round
    uint32_t num_prints;
    bool stood[MD5_MAX_LEGS];      // in the last pose
    md5_vec3 stands[MD5_MAX_LEGS]; // where the ankle was posed when it came to stand
    double slid;                   // the farthest that a posed ankle moved while it stood
} walked;

static void simulate_walk(view_picture *picture, const md5_walk_desc *desc, double now,
                          md5_walk *walk, walked *seen)
{
    const int steps = (int)(now / walk_tick), first = steps - (int)(walk_shown / walk_tick);
    COMMON_FOR (i, steps) {
        const md5_walk before = *walk;
        walk_on(desc, walk, picture->values[0], picture->values[1] / 57.2957795f,
                picture->values[2] / 57.2957795f, walk_tick);
        if (i >= first) {
            // Whether the ankles of what stands do so, as they are posed.
            view_figure walker = {.pose = view_spare_pose(picture, 0)};
            view_sample_clip(picture, NULL, 0, walker.pose);
            pose_walker(desc, walk, walker.pose, &walker.place);
            COMMON_FOR (j, walk->num_legs) {
                const md5_vec3 ankle = view_joint_place(picture, &walker, desc->legs[j].limb.tip);
                const bool stands = !walk->feet[j].is_stepping;
                if (stands && !seen->stood[j])
                    seen->stands[j] = ankle;
                if (stands)
                    seen->slid = fmax(seen->slid, view_distance(ankle, seen->stands[j]));
                seen->stood[j] = stands;
            }
        }
        COMMON_FOR (leg, walk->num_legs) {
            const md5_foothold *const foot = &walk->feet[leg];
            if (before.feet[leg].is_stepping && !foot->is_stepping)
                seen->prints[seen->num_prints++ % MAX_PRINTS] = foot->position;
            // A leg is in the air: a point of its line in the plot is higher.
            if (i >= first && i % 4 == 0 && leg < VIEW_PAGE_SERIES)
                view_add_point(picture->plots, (int)leg, (i - steps) * walk_tick,
                               (foot->is_stepping ? 0.6 : 0) - leg);
        }
    }
}

VIEW_SHOW(walk)
{
    const float *const v = picture->values;
    view_figure *const figure = &picture->figures[0];
    float hills = v[3];
    view_legs legs;
    if (view_find_legs(picture->scene, &legs) == 0)
        return;
    const md5_walk_desc desc = {.skeleton = picture->skeleton,
                                .legs = legs.legs,
                                .num_legs = legs.num_legs,
                                .num_groups = 2,
                                .body = legs.body,
                                .terrain = terrain,
                                .user = &hills,
                                .step_height = v[4],
                                .bank = 0.001f * v[5]};
    md5_walk walk;
    walked seen = {.num_prints = 0};
    md5_walk_begin(&desc, figure->pose, figure->place, &walk);
    simulate_walk(picture, &desc, fmod(fmax(picture->time, 0), walk_span), &walk, &seen);
    const uint32_t reached = pose_walker(&desc, &walk, figure->pose, &figure->place);
    view_point_pistons(&legs, picture->skeleton, figure->pose);
    enum { CELLS = 14 };
    const float cell = 8;
    const float x0 = floorf(walk.position.x / cell - 0.5f * (float)CELLS) * cell,
                y0 = floorf(walk.position.y / cell - 0.5f * (float)CELLS) * cell;
    COMMON_FOR (way, 2)
        for (int i = 0; i <= CELLS; i++)
            for (int k = 0; k <= CELLS; k++) {
                const float x = x0 + cell * (float)(way == 0 ? k : i),
                            y = y0 + cell * (float)(way == 0 ? i : k);
                view_draw_to(picture, (md5_vec3){x, y, height_at(&hills, x, y)},
                             k > 0 ? VIEW_DIM_LINE : 0);
            }
    for (uint32_t i = 0; i < seen.num_prints && i < MAX_PRINTS; i++)
        view_add_cross(&picture->lines, seen.prints[i], 1, VIEW_BLUE);

    // Where each foot stands, or from where and to where it steps, along its arc.
    COMMON_FOR (i, walk.num_legs) {
        const md5_foothold *const foot = &walk.feet[i];
        if (!foot->is_stepping) {
            view_add_cross(&picture->lines, foot->position, 2.5f, VIEW_GREEN);
            continue;
        }
        view_add_cross(&picture->lines, foot->to, 3, VIEW_YELLOW);
        for (int k = 0; k <= 16; k++) {
            const float t = (float)k / 16.0f;
            md5_vec3 place = md5_vec3_lerp(foot->from, foot->to, t);
            place.z += 16 * foot->lift * t * t * (1 - t) * (1 - t);
            view_draw_to(picture, place, k > 0 ? VIEW_YELLOW : 0);
        }
    }

    picture->bounds = (md5_bounds){md5_vec3_add(walk.position, (md5_vec3){-34, -34, -6}),
                                   md5_vec3_add(walk.position, (md5_vec3){34, 34, 32})};
    picture->has_no_floor = true;
    view_add_fact(picture, "legs that reach", reached, "");
    view_add_fact(picture, "feet placed", seen.num_prints, "");
    view_add_fact(picture, "a standing ankle moved", seen.slid, "units in 4 s");
    view_add_fact(picture, "a step takes", walk.seconds, "s");
    view_add_fact(picture, "speed", md5_vec3_length(walk.velocity), "units/s");
    view_add_fact(picture, "body tilts", acos(fmin(walk.normal.z, 1)) * 57.29577951, "degrees");
}

// == Stairs ================================================================================
//
// A monster of a game walks on stairs, by the rules of its engine.

// lines of stairs
static void walk_on_stairs(md5_actor *body, md5_monster *monster, const view_terrain *stairs,
                           md5_monster_tick *tick)
{
    md5_vec3 *const at = &tick->origin;
    md5_actor_advance(body, 16, NULL, NULL);
    *at = md5_vec3_add(*at, md5_actor_root_motion(body).translation);
    at->z = view_ground_height(stairs, at->x, at->y);
    tick->time += 16;
    md5_monster_think(monster, tick); // sweeps a box down to the step below each foot
}
// end of lines

static void simulate_stairs(view_picture *picture, md5_actor *body, md5_monster *monster)
{
    enum { TICKS = 1000, SHOWN = 125 }; // after which it begins again; of the plot
    static const char *const facts[2] = {"ankle over its step, without", "with walk IK"};
    const double seconds = 0.016;
    const float *const v = picture->values;
    const uint32_t ankle = view_page_joint(picture, v[0] > 0.5f ? "foot_r" : "foot_l");
    view_figure *const figures = picture->figures;
    view_terrain stairs = {.kind = VIEW_STAIRS, .cell = 0.25f * v[2], .height = v[1]};
    md5_monster_tick tick = {
        .rotation = {.w = 1}, .has_ground = true, .sweep = view_sweep_ground, .user = &stairs};
    const int ticks = (int)fmod(fmax(picture->time, 0) / seconds, TICKS);
    md5_actor_set_in_place(body, true);
    md5_actor_play(body, MD5_CHANNEL_ALL, 0, MD5_ACTOR_CYCLE, 0, 0);
    for (int i = 0; i <= ticks; i++) {
        walk_on_stairs(body, monster, &stairs, &tick);
        if (i < ticks - SHOWN)
            continue;
        md5_actor_pose(body, figures[0].pose, NULL, NULL);
        md5_monster_pose(monster, figures[1].pose, NULL, NULL);
        COMMON_FOR (way, 2) {
            const md5_vec3 at =
                md5_vec3_add(tick.origin, view_posed_place(picture, figures[way].pose, ankle));
            const float step = view_ground_height(&stairs, at.x, at.y);
            const double x = seconds * (i - ticks);
            view_add_point(picture->plots, (int)way + 1, x, at.z);
            if (way == 0)
                view_add_point(picture->plots, 0, x, step);
            if (i == ticks)
                view_add_fact(picture, facts[way], at.z - step, "units");
        }
    }
    // The picture goes along with the waist.
    const float waist = md5_monster_state(monster).waist_offset.z;
    const int32_t middle = (int32_t)(tick.origin.x / stairs.cell);
    for (int32_t i = middle - 14; i <= middle + 14; i++) {
        const md5_vec3 at = {view_corner_x(&stairs, i) - tick.origin.x, 50,
                             view_corner_height(&stairs, i, 0) - tick.origin.z - waist};
        view_draw_to(picture, at, i > middle - 14 ? VIEW_DIM_LINE : 0);
        view_add_line(&picture->lines, at, (md5_vec3){at.x, -50, at.z}, VIEW_DIM_LINE);
    }
    picture->has_no_floor = true;
    COMMON_FOR (way, 2)
        figures[way].place.translation.z = -waist;
    view_add_fact(picture, "waist moved", waist, "units");
}

// Our character becomes an entity of a game, with the clips and keys that walk IK needs.
VIEW_SHOW(stairs)
{
    enum { NUM_KEYS = 13 };
    static const char *const names[2][2] = {{"walk", "walk"}, {"idle", "ik_pose"}};
    md5_model_anim anims[2];
    md5_entity_clip clips[2];
    COMMON_FOR (i, 2) {
        const view_clip *const clip = view_page_clip(picture, names[i][0]);
        if (clip == NULL)
            return;
        anims[i] = (md5_model_anim){.name = names[i][1],
                                    .alias = names[i][1],
                                    .num_frames = clip->anim->num_frames,
                                    .milliseconds = (uint32_t)(1000 * clip->anim->duration),
                                    .rate = 1};
        clips[i] = (md5_entity_clip){&anims[i], 1, {clip->anim}, {clip->binding}};
    }
    char *const smoothing = common_format("%g", (double)picture->values[3]);
    const char *const words[2 * NUM_KEYS] = {
        "ik_numLegs", "2",        "ik_waist",     "hips",      "ik_minWaistAnkleDist",
        "3",          "ik_hip1",  "thigh_l",      "ik_knee1",  "shin_l",
        "ik_ankle1",  "foot_l",   "ik_foot1",     "toes_l",    "ik_hip2",
        "thigh_r",    "ik_knee2", "shin_r",       "ik_ankle2", "foot_r",
        "ik_foot2",   "toes_r",   "ik_smoothing", smoothing,   "ik_waistSmoothing",
        smoothing};
    const md5_decl decl = {.name = ""};
    md5_entity_key keys[NUM_KEYS];
    const float *masks[MD5_NUM_CHANNELS];
    const uint32_t count = picture->scene->num_joints;
    float *const mask = common_alloc(count, sizeof *mask);
    COMMON_FOR (i, count)
        mask[i] = 1;
    COMMON_FOR (i, MD5_NUM_CHANNELS)
        masks[i] = mask;
    COMMON_FOR (i, NUM_KEYS)
        keys[i] = (md5_entity_key){.name = words[2 * i], .value = words[2 * i + 1]};
    const md5_entity_def def = {&decl, NUM_KEYS, keys};
    const md5_entity entity = {
        .def = &def, .model = picture->model, .num_clips = 2, .clips = clips, .masks = masks};
    md5_actor *const body = md5_create_actor(&entity, NULL, NULL);
    const md5_monster_desc desc = {.entity = &entity, .body = body};
    md5_monster *const monster = body != NULL ? md5_create_monster(&desc, NULL, NULL) : NULL;
    if (monster != NULL)
        simulate_stairs(picture, body, monster);
    md5_destroy_monster(monster);
    md5_destroy_actor(body);
    free(smoothing);
    free(mask);
}

// == Gaze ==================================================================================
//
// A head and eyes that look by themselves.

// The look begins again after this time, and the plot shows this many seconds.
static const double gaze_span = 60, gaze_shown = 6, gaze_tick = 1.0 / 60.0;

// lines of gaze
static void look_on(const md5_gaze_desc *desc, const md5_skeleton *skeleton, md5_gaze *gaze,
                    double seconds)
{
    md5_gaze_advance(desc, skeleton->axes, gaze, seconds);
}

static void look(const md5_gaze_desc *desc, const md5_gaze *gaze, const md5_skeleton *skeleton,
                 md5_xform *pose)
{
    md5_gaze_pose(desc, gaze, skeleton, 1.0f, pose);
}
// end of lines

static double degrees(float tangent)
{
    return atan((double)tangent) * 57.29577951;
}

VIEW_SHOW(gaze)
{
    const float *const v = picture->values;
    const uint32_t left = view_page_joint(picture, "eye_l"),
                   right = view_page_joint(picture, "eye_r");
    md5_vec3 ball, point = {0, 0, 0};
    const md5_gaze_desc desc = {
        .head = view_page_joint(picture, "head"),
        .eyes = {left, right},
        .num_eyes = 2,
        .origin = md5_vec3_lerp(md5_mat34_translation(picture->model->bind[left]),
                                md5_mat34_translation(picture->model->bind[right]), 0.5f),
        .targets = &ball,
        .num_targets = 1,
        .numbers = {.interest = v[1] > 0 ? v[1] : MD5_ZERO,
                    .distance = 60,
                    .max_seconds = v[2],
                    .head_share = v[3] > 0 ? v[3] : MD5_ZERO,
                    .head_seconds = v[4]},
    };
    md5_gaze gaze;
    md5_gaze_begin(view_choice(picture, 0), &gaze);
    const int steps = (int)(fmod(fmax(picture->time, 0), gaze_span) / gaze_tick + 0.5),
              first = steps - (int)(gaze_shown / gaze_tick);
    uint32_t saccades = 0;
    for (int i = 0; i <= steps; i++) {
        const double time = gaze_tick * i;
        const float before = i > 1 ? gaze.seconds : INFINITY; // the first is at once
        // A ball that flies in front of him.
        ball = (md5_vec3){48, 26 * (float)sin(1.1 * time), 42 + 9 * (float)sin(1.7 * time)};
        if (i > 0) {
            look_on(&desc, picture->skeleton, &gaze, gaze_tick);
            saccades += gaze.seconds < before ? 1u : 0u;
        }
        point = md5_gaze_point(&desc, picture->skeleton->axes, &gaze);
        if (i == 0 || i < first || i % 3 != 0)
            continue;
        // The head is late: its part of the way is drawn beside that of the eyes.
        const md5_vec3 way = md5_vec3_sub(point, desc.origin);
        view_add_point(picture->plots, 0, gaze_tick * (i - steps), degrees(way.y / way.x));
        view_add_point(picture->plots, 1, gaze_tick * (i - steps), degrees(gaze.head.x));
    }
    look(&desc, &gaze, picture->skeleton, picture->figures[0].pose);
    view_add_cross(&picture->lines, ball, 3, VIEW_RED);
    view_add_cross(&picture->lines, point, 1.5f, VIEW_YELLOW);
    COMMON_FOR (i, 2)
        view_add_line(&picture->lines,
                      view_joint_place(picture, &picture->figures[0], desc.eyes[i]), point,
                      0xF2C14E70u);
    view_add_fact(picture, "saccades", saccades, "");
    view_add_fact(picture, "looks at the ball", gaze.target == 0, "");
    view_add_fact(picture, "the last one took", gaze.duration, "s");
    view_add_fact(picture, "head to his left", degrees(gaze.head.x), "degrees");
}
