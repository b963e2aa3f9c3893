// Inverse kinematics: solvers, limits, several targets; walking by rules; a head and eyes that look
// by themselves.
#include "demo/viewer/pages/page.h"

#include "md5/md5pose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *solver_word(float value)
{
    static const char *const words[] = {"two-bone", "CCD", "FABRIK", "damped least sq."};
    return words[(int)value < 4 ? (int)value : 3];
}

static float distance_to_target(const md5_skeleton *skeleton, const md5_xform *pose,
                                const md5_chain_job *job)
{
    const md5_xform tip = md5_joint_in_model(skeleton, pose, job->tip);
    return md5_vec3_length(md5_vec3_sub(tip.translation, job->target));
}

// lines of ik
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
// end of lines

#define MOST_ITERATIONS 24

static void add_chain(view_picture *picture, const view_figure *figure, uint32_t tip,
                      uint32_t length, view_color color)
{
    for (uint32_t i = 1; i < length; i++) {
        const int32_t parent = picture->scene->skeleton->joints[tip].parent;
        if (parent < 0)
            return;
        view_add_stroke(picture, view_joint_place(picture, figure, tip),
                        view_joint_place(picture, figure, (uint32_t)parent), color);
        tip = (uint32_t)parent;
    }
}

// The distance after each number of iterations, from the same pose, as a power of ten.
static void plot_distances(view_picture *picture, const md5_chain_job *job)
{
    static const view_color colors[4] = {VIEW_DIM_LINE, VIEW_YELLOW, VIEW_GREEN, VIEW_VIOLET};
    const md5_skeleton *const skeleton = picture->scene->skeleton;
    md5_xform *const pose = view_spare_pose(picture, 0);
    const size_t size = skeleton->num_joints * sizeof *pose;
    view_add_plot(picture, "distance, powers of ten of a unit", "iterations",
                  (md5_vec2){0.0f, -5.0f}, (md5_vec2){MOST_ITERATIONS, 2.0f});
    for (int solver = 0; solver < 4; solver++) {
        view_add_series(picture, solver_word((float)solver), colors[solver]);
        for (uint32_t count = 0; count <= MOST_ITERATIONS; count++) {
            md5_chain_job some = *job;
            some.iterations = count;
            memcpy(pose, view_spare_pose(picture, 1), size);
            const float distance = solver == 0 && count == 0
                                       ? distance_to_target(skeleton, pose, &some)
                                       : reach(solver, skeleton, pose, &some);
            view_add_point(picture, (float)count, log10f(fmaxf(distance, 1e-5f)));
        }
    }
}

static void show_ik(view_picture *picture)
{
    const float *const v = picture->values;
    const md5_skeleton *const skeleton = picture->scene->skeleton;
    const int solver = view_choice(picture, 0);
    view_figure *const figure = view_add_figure(picture, 0.0f, 0.0f);
    view_sample_clip(picture, "stand", 0.0, figure->pose);
    memcpy(view_spare_pose(picture, 1), figure->pose, skeleton->num_joints * sizeof *figure->pose);
    const float wave = v[5] * 5.0f;
    const md5_vec3 target = {v[2] + wave * cosf(2.0f * (float)picture->time), v[3],
                             v[4] + wave * sinf(2.0f * (float)picture->time)};
    const md5_chain_job job = {.tip = view_page_joint(picture, "hand_l"),
                               .length = (uint32_t)view_choice(picture, 1),
                               .target = target,
                               .iterations = MOST_ITERATIONS,
                               .weight = 1.0f};
    const float distance = reach(solver, skeleton, figure->pose, &job);
    view_add_cross(picture, target, 3.0f, VIEW_RED);
    add_chain(picture, figure, job.tip, solver == 0 ? 3 : job.length, VIEW_YELLOW);
    plot_distances(picture, &job);
    view_show_box(picture, (md5_vec3){-24.0f, -26.0f, 0.0f}, (md5_vec3){30.0f, 36.0f, 56.0f});
    view_add_fact(picture, "distance", (double)distance, "units");
    for (uint32_t i = 1; i < 4; i++) {
        const view_series *const series = &picture->plots[0].series[i];
        uint32_t count = 0;
        while (count < MOST_ITERATIONS && series->points[count].y > -2.0f)
            count++;
        static const char *const names[4] = {"", "CCD to 0.01 units", "FABRIK to 0.01 units",
                                             "DLS to 0.01 units"};
        view_add_fact(picture, names[i], (double)count,
                      count == MOST_ITERATIONS ? "or more" : "iterations");
    }
}

const view_page view_page_ik = {
    .name = "ik",
    .title = "Solvers of inverse kinematics",
    .family = "Inverse kinematics",
    .about = "The hand reaches for the red cross. Two bones have a closed formula; longer chains "
             "are solved by iteration. All solvers start from the same pose.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.3,
    .sliders = {{"solver", 0.0f, 3.0f, 1.0f, solver_word, false},
                {"joints", 3.0f, 7.0f, 4.0f, NULL, true},
                {"target, forward", -20.0f, 28.0f, 12.0f, NULL, false},
                {"target, left", -10.0f, 34.0f, 12.0f, NULL, false},
                {"target, up", 4.0f, 54.0f, 32.0f, NULL, false},
                {"moves", 0.0f, 1.0f, 0.0f, NULL, false}},
    .num_sliders = 6,
    .show = show_ik,
};

// -- Limits ---------------------------------------------------------------------------------

// lines of limits
static void limit_arm(md5_joint_limit *limits, const md5_model *model, const md5_limb *arm,
                      md5_vec3 elbow_axis, const float angles[3])
{
    limits[arm->middle] = (md5_joint_limit){.kind = MD5_LIMIT_HINGE,
                                            .rest = model->bind_local[arm->middle].rotation,
                                            .axis = elbow_axis,
                                            .least = angles[0],
                                            .most = angles[1]};
    limits[arm->root] = (md5_joint_limit){.kind = MD5_LIMIT_CONE,
                                          .rest = model->bind_local[arm->root].rotation,
                                          .axis = {1.0f, 0.0f, 0.0f},
                                          .least = -0.5f,
                                          .most = 0.5f,
                                          .swing = angles[2]};
}
// end of lines

// The axis of the elbow in its own space: perpendicular to both bones of the bind pose.
static md5_vec3 find_elbow_axis(const view_picture *picture, const md5_limb *arm)
{
    const md5_model *const model = picture->scene->model;
    const md5_vec3 a = md5_mat34_translation(model->bind[arm->root]),
                   b = md5_mat34_translation(model->bind[arm->middle]),
                   c = md5_mat34_translation(model->bind[arm->tip]);
    const md5_vec3 axis = md5_vec3_cross(md5_vec3_sub(b, a), md5_vec3_sub(c, b));
    const md5_quat turn = md5_quat_from_mat34(model->bind[arm->middle]);
    return md5_vec3_normalize(md5_quat_rotate(md5_quat_conjugate(turn), axis),
                              (md5_vec3){0.0f, 1.0f, 0.0f});
}

// How far a joint has turned from the bind pose about an axis, and away from it, in radians.
static void measure_turn(const view_picture *picture, const md5_xform *pose, uint32_t joint,
                         md5_vec3 axis, double *twist, double *swing)
{
    const md5_quat rest = picture->scene->model->bind_local[joint].rotation;
    md5_quat turn = md5_quat_mul(md5_quat_conjugate(rest), pose[joint].rotation);
    if (turn.w < 0.0f)
        turn = (md5_quat){-turn.x, -turn.y, -turn.z, -turn.w};
    const float along = md5_vec3_dot((md5_vec3){turn.x, turn.y, turn.z}, axis);
    const md5_vec3 now = md5_quat_rotate(turn, axis);
    *twist = 2.0 * atan2((double)along, (double)turn.w);
    *swing =
        atan2((double)md5_vec3_length(md5_vec3_cross(axis, now)), (double)md5_vec3_dot(axis, now));
}

static void show_limits(view_picture *picture)
{
    const float *const v = picture->values;
    md5_joint_limit limits[128];
    const md5_model *const model = picture->scene->model;
    const md5_limb arm = {view_page_joint(picture, "upperarm_l"),
                          view_page_joint(picture, "forearm_l"),
                          view_page_joint(picture, "hand_l")};
    if (picture->scene->num_joints > 128)
        return;
    memset(limits, 0, sizeof limits);
    const md5_vec3 axis = find_elbow_axis(picture, &arm);
    const float angles[3] = {fminf(v[1], v[2]), fmaxf(v[1], v[2]), v[3]};
    limit_arm(limits, model, &arm, axis, angles);
    const md5_vec3 target = {v[4], 12.0f, v[5]};
    for (int limited = 0; limited < 2; limited++) {
        const float y = limited == 0 ? -27.0f : 27.0f;
        view_figure *const figure = view_add_figure(picture, 0.0f, y);
        view_sample_clip(picture, "stand", 0.0, figure->pose);
        const md5_chain_job job = {.tip = arm.tip,
                                   .length = 3,
                                   .target = target,
                                   .tolerance = 1e-3f,
                                   .iterations = 60,
                                   .weight = 1.0f,
                                   .limits = limited == 1 ? limits : NULL};
        const float distance =
            reach(view_choice(picture, 0) + 1, picture->scene->skeleton, figure->pose, &job);
        view_add_cross(picture, md5_xform_point(figure->place, target), 3.0f, VIEW_RED);
        add_chain(picture, figure, arm.tip, 3, VIEW_YELLOW);
        view_add_label(picture, (md5_vec3){0.0f, y, 57.0f}, VIEW_PLAIN_TEXT,
                       limited == 1 ? "with limits" : "without");
        double twist, swing, shoulder_twist, shoulder_swing;
        measure_turn(picture, figure->pose, arm.middle, axis, &twist, &swing);
        measure_turn(picture, figure->pose, arm.root, (md5_vec3){1.0f, 0.0f, 0.0f}, &shoulder_twist,
                     &shoulder_swing);
        view_add_fact(picture, limited == 1 ? "elbow, limited" : "elbow, free", twist, "rad");
        view_add_fact(picture, limited == 1 ? "elbow sideways, limited" : "elbow sideways, free",
                      swing, "rad");
        view_add_fact(picture, limited == 1 ? "shoulder, limited" : "shoulder, free",
                      shoulder_swing, "rad");
        view_add_fact(picture, limited == 1 ? "distance, limited" : "distance, free",
                      (double)distance, "units");
    }
    view_show_box(picture, (md5_vec3){-20.0f, -48.0f, 0.0f}, (md5_vec3){24.0f, 50.0f, 60.0f});
}

static const char *chain_word(float value)
{
    return solver_word(value + 1.0f);
}

const view_page view_page_limits = {
    .name = "limits",
    .title = "Limits of joints",
    .family = "Inverse kinematics",
    .about = "An elbow is a hinge, a shoulder a cone with twist. A solver that respects these "
             "limits misses what the joints cannot reach.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.0,
    .sliders = {{"solver", 0.0f, 2.0f, 2.0f, chain_word, false},
                {"elbow from, rad", -1.0f, 0.5f, -0.4f, NULL, false},
                {"elbow to, rad", 0.0f, 2.6f, 1.9f, NULL, false},
                {"shoulder, rad", 0.0f, 2.4f, 1.0f, NULL, false},
                {"target, forward", -24.0f, 24.0f, -8.0f, NULL, false},
                {"target, up", 4.0f, 54.0f, 36.0f, NULL, false}},
    .num_sliders = 6,
    .show = show_limits,
};

// -- Several targets ------------------------------------------------------------------------

// lines of goals
static float reach_with_both(const md5_skeleton *skeleton, md5_xform *pose, md5_goal hands[2])
{
    const md5_goals_job job = {
        .goals = hands, .num_goals = 2, .tolerance = 1e-3f, .iterations = 80, .weight = 1.0f};
    return md5_solve_goals(skeleton, &job, pose); // one Jacobian for both
}
// end of lines

static void show_goals(view_picture *picture)
{
    const float *const v = picture->values;
    view_figure *const figure = view_add_figure(picture, 0.0f, 0.0f);
    view_sample_clip(picture, "stand", 0.0, figure->pose);
    const uint32_t length = (uint32_t)view_choice(picture, 4); // with the spine from 5 on
    md5_goal hands[2] = {{.tip = view_page_joint(picture, "hand_l"),
                          .length = length,
                          .target = {v[1], 0.5f * v[0], v[2]},
                          .weight = 1.0f},
                         {.tip = view_page_joint(picture, "hand_r"),
                          .length = length,
                          .target = {v[1], -0.5f * v[0], v[2]},
                          .weight = v[3]}};
    (void)reach_with_both(picture->scene->skeleton, figure->pose, hands);
    for (int i = 0; i < 2; i++) {
        view_add_cross(picture, hands[i].target, 3.0f, i == 0 ? VIEW_RED : VIEW_BLUE);
        add_chain(picture, figure, hands[i].tip, length, i == 0 ? VIEW_RED : VIEW_BLUE);
    }
    view_show_box(picture, (md5_vec3){-24.0f, -40.0f, 0.0f}, (md5_vec3){30.0f, 40.0f, 56.0f});
    view_add_fact(picture, "left hand, weight 1", (double)hands[0].distance, "units");
    view_add_fact(picture, "right hand", (double)hands[1].distance, "units");
}

const view_page view_page_goals = {
    .name = "goals",
    .title = "Several targets at once",
    .family = "Inverse kinematics",
    .about = "Both hands share the spine. If they cannot both reach their targets, the weights "
             "decide which one has priority.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.0,
    .sliders = {{"apart, units", 0.0f, 76.0f, 60.0f, NULL, false},
                {"forward", -10.0f, 28.0f, 12.0f, NULL, false},
                {"up", 8.0f, 52.0f, 30.0f, NULL, false},
                {"weight of the right", 0.1f, 8.0f, 1.0f, NULL, false},
                {"joints of a chain", 3.0f, 8.0f, 7.0f, NULL, true}},
    .num_sliders = 5,
    .show = show_goals,
};

// == Walking ===============================================================================
//
// Legs that walk by rules alone: steps that are planned, feet that are placed.

enum { MOST_PRINTS = 96 };

// A walk begins again after this time; steps are computed at 120 in a second.
static const double walk_span = 16.0, walk_tick = 1.0 / 120.0;

// Seconds that the plot shows.
static const double walk_shown = 4.0;

// -- Ground ---------------------------------------------------------------------------------

typedef struct hills {
    float height; // units
} hills;

static float height_at(const hills *ground, float x, float y)
{
    return ground->height * (sinf(0.071f * x) * cosf(0.083f * y) + 0.5f * sinf(0.11f * y + 1.0f));
}

static float terrain(void *user, md5_vec3 at, md5_vec3 *normal)
{
    const float height = height_at(user, at.x, at.y);
    *normal = (md5_vec3){height - height_at(user, at.x + 1.0f, at.y),
                         height - height_at(user, at.x, at.y + 1.0f), 1.0f};
    return height;
}

// lines of walk
static void walk_on(const md5_walk_desc *desc, md5_walk *walk, float speed, float direction,
                    float turn, double seconds)
{
    const md5_vec3 velocity = {speed * cosf(direction), speed * sinf(direction), 0.0f};
    md5_walk_advance(desc, walk, velocity, turn, seconds);
}

static void pose_walker(const md5_walk_desc *desc, const md5_walk *walk, md5_xform *pose,
                        md5_xform *place)
{
    *place = md5_walk_placement(walk);
    md5_walk_pose(desc, walk, pose);
}
// end of lines

// -- Simulation -----------------------------------------------------------------------------

// What the walk has done until now.
typedef struct walked {
    md5_vec3 prints[MOST_PRINTS]; // where feet were placed, the newest going round
    uint32_t num_prints;
    bool stood[MD5_MAX_LEGS];      // in the last pose
    md5_vec3 stands[MD5_MAX_LEGS]; // where the ankle was posed when it came to stand
    double slid;                   // the farthest that a posed ankle moved while it stood
} walked;

static void watch_steps(const md5_walk *before, const md5_walk *after, walked *seen)
{
    for (uint32_t i = 0; i < after->num_legs; i++)
        if (before->feet[i].is_stepping && !after->feet[i].is_stepping)
            seen->prints[seen->num_prints++ % MOST_PRINTS] = after->feet[i].position;
}

// Whether the ankles of what stands do so, as they are posed.
static void watch_ankles(view_picture *picture, const md5_walk_desc *desc, const md5_walk *walk,
                         walked *seen)
{
    md5_xform *const pose = view_spare_pose(picture, 1), place;
    memcpy(pose, picture->scene->model->bind_local, picture->scene->num_joints * sizeof *pose);
    pose_walker(desc, walk, pose, &place);
    for (uint32_t i = 0; i < walk->num_legs; i++) {
        const md5_xform ankle = md5_joint_in_model(desc->skeleton, pose, desc->legs[i].limb.tip);
        const md5_vec3 at = md5_xform_point(place, ankle.translation);
        const bool stands = !walk->feet[i].is_stepping;
        if (stands && !seen->stood[i])
            seen->stands[i] = at;
        if (stands)
            seen->slid =
                fmax(seen->slid, (double)md5_vec3_length(md5_vec3_sub(at, seen->stands[i])));
        seen->stood[i] = stands;
    }
}

// A leg is in the air: a point of its line in the plot is higher.
static void plot_feet(const md5_walk *walk, float time, view_plot *plot)
{
    for (uint32_t i = 0; i < plot->num_series && i < walk->num_legs; i++) {
        view_series *const series = &plot->series[i];
        if (series->count < VIEW_PAGE_POINTS)
            series->points[series->count++] =
                (md5_vec2){time, -(float)i + (walk->feet[i].is_stepping ? 0.6f : 0.0f)};
    }
}

static void simulate_walk(view_picture *picture, const md5_walk_desc *desc, double now,
                          md5_walk *walk, walked *seen)
{
    const float *const v = picture->values;
    const int steps = (int)(now / walk_tick), first = steps - (int)(walk_shown / walk_tick);
    for (int i = 0; i < steps; i++) {
        const md5_walk before = *walk;
        walk_on(desc, walk, v[0], v[1] / 57.2957795f, v[2] / 57.2957795f, walk_tick);
        watch_steps(&before, walk, seen);
        if (i >= first)
            watch_ankles(picture, desc, walk, seen);
        if (i >= first && i % 4 == 0)
            plot_feet(walk, (float)((i - steps) * walk_tick), &picture->plots[0]);
    }
}

// -- Lines ----------------------------------------------------------------------------------

static void draw_ground(view_picture *picture, const hills *ground, md5_vec3 centre)
{
    enum { CELLS = 14 };
    const float cell = 8.0f;
    const float x0 = floorf(centre.x / cell - 0.5f * (float)CELLS) * cell,
                y0 = floorf(centre.y / cell - 0.5f * (float)CELLS) * cell;
    for (int i = 0; i <= CELLS; i++)
        for (int k = 0; k <= CELLS; k++) {
            const float x = x0 + cell * (float)i, y = y0 + cell * (float)k;
            const md5_vec3 at = {x, y, height_at(ground, x, y)};
            const md5_vec3 right = {x + cell, y, height_at(ground, x + cell, y)},
                           ahead = {x, y + cell, height_at(ground, x, y + cell)};
            if (i < CELLS)
                view_add_stroke(picture, at, right, VIEW_DIM_LINE);
            if (k < CELLS)
                view_add_stroke(picture, at, ahead, VIEW_DIM_LINE);
        }
}

// Where each foot stands, or from where and to where it steps, along its arc.
static void draw_feet(view_picture *picture, const md5_walk *walk)
{
    for (uint32_t i = 0; i < walk->num_legs; i++) {
        const md5_foothold *const foot = &walk->feet[i];
        if (!foot->is_stepping) {
            view_add_cross(picture, foot->position, 2.5f, VIEW_GREEN);
            continue;
        }
        view_add_cross(picture, foot->to, 3.0f, VIEW_YELLOW);
        md5_vec3 last = foot->from;
        for (int k = 1; k <= 16; k++) {
            const float t = (float)k / 16.0f;
            md5_vec3 at = md5_vec3_lerp(foot->from, foot->to, t);
            at.z += 16.0f * foot->lift * t * t * (1.0f - t) * (1.0f - t);
            view_add_stroke(picture, last, at, VIEW_YELLOW);
            last = at;
        }
    }
}

static void draw_prints(view_picture *picture, const walked *seen)
{
    const uint32_t count = seen->num_prints < MOST_PRINTS ? seen->num_prints : MOST_PRINTS;
    for (uint32_t i = 0; i < count; i++)
        view_add_cross(picture, seen->prints[i], 1.0f, VIEW_BLUE);
}

// -- Picture --------------------------------------------------------------------------------

static void begin_plot(view_picture *picture, uint32_t num_legs)
{
    static const view_color colors[] = {VIEW_RED,    VIEW_GREEN,  VIEW_BLUE,
                                        VIEW_YELLOW, VIEW_VIOLET, VIEW_CYAN};
    static const char *const names[] = {"front left",   "front right", "middle left",
                                        "middle right", "back left",   "back right"};
    view_add_plot(picture, "feet in the air", "seconds", (md5_vec2){-(float)walk_shown, -5.4f},
                  (md5_vec2){0.0f, 1.0f});
    for (uint32_t i = 0; i < VIEW_PAGE_SERIES && i < num_legs; i++)
        view_add_series(picture, names[i], colors[i]);
}

static void show_walk(view_picture *picture)
{
    const float *const v = picture->values;
    const view_scene *const scene = picture->scene;
    hills ground = {.height = v[3]};
    view_legs legs;
    view_show_box(picture, (md5_vec3){-60.0f, -60.0f, 0.0f}, (md5_vec3){60.0f, 60.0f, 60.0f});
    if (view_find_legs(scene, &legs) == 0)
        return;
    const md5_walk_desc desc = {.skeleton = scene->skeleton,
                                .legs = legs.legs,
                                .num_legs = legs.num_legs,
                                .num_groups = 2,
                                .body = legs.body,
                                .terrain = terrain,
                                .user = &ground,
                                .step_height = v[4],
                                .bank = 0.001f * v[5]};
    md5_walk walk;
    walked seen = {.num_prints = 0};
    view_figure *const figure = view_add_figure(picture, 0.0f, 0.0f);
    (void)md5_walk_begin(&desc, figure->pose, figure->place, &walk);
    begin_plot(picture, legs.num_legs);
    simulate_walk(picture, &desc, fmod(fmax(picture->time, 0.0), walk_span), &walk, &seen);
    pose_walker(&desc, &walk, figure->pose, &figure->place);
    view_point_pistons(&legs, scene->skeleton, figure->pose);
    draw_ground(picture, &ground, walk.position);
    draw_prints(picture, &seen);
    draw_feet(picture, &walk);
    const md5_vec3 at = walk.position;
    view_show_box(picture, (md5_vec3){at.x - 34.0f, at.y - 34.0f, at.z - 6.0f},
                  (md5_vec3){at.x + 34.0f, at.y + 34.0f, at.z + 32.0f});
    picture->has_no_floor = true;
    md5_xform *const again = view_spare_pose(picture, 0);
    memcpy(again, scene->model->bind_local, scene->num_joints * sizeof *again);
    view_add_fact(picture, "legs that reach", (double)md5_walk_pose(&desc, &walk, again), "");
    view_add_fact(picture, "feet placed", (double)seen.num_prints, "");
    view_add_fact(picture, "a standing ankle moved", seen.slid, "units in 4 s");
    view_add_fact(picture, "a step takes", (double)walk.seconds, "s");
    view_add_fact(picture, "speed", (double)md5_vec3_length(walk.velocity), "units/s");
    view_add_fact(picture, "body tilts", acos(fmin((double)walk.normal.z, 1.0)) * 57.29577951,
                  "degrees");
}

const view_page view_page_walk = {
    .name = "walk",
    .title = "Walking by rules",
    .family = "Inverse kinematics",
    .about = "No clip: a group of legs steps when its feet lag behind. Each step is planned "
             "(yellow) to where the foot's rest position will be; planted feet (green) do not "
             "move. Blue: footprints.",
    .model = "thimble/thimble.md5mesh",
    .start = 3.3,
    .sliders = {{"speed, units/s", 0.0f, 50.0f, 18.0f, NULL, false},
                {"direction, degrees", -180.0f, 180.0f, 0.0f, NULL, false},
                {"turn, degrees/s", -60.0f, 60.0f, 20.0f, NULL, false},
                {"hills, units", 0.0f, 8.0f, 4.0f, NULL, false},
                {"step height, units", 0.5f, 12.0f, 3.0f, NULL, false},
                {"lean into curves", 0.0f, 5.0f, 1.0f, NULL, false}},
    .num_sliders = 6,
    .show = show_walk,
};

// == Gaze ==================================================================================
//
// A head and eyes that look by themselves.

// The look begins again after this time, and the plot shows this many seconds.
static const double gaze_span = 60.0, gaze_shown = 6.0, gaze_tick = 1.0 / 60.0;

// A ball that flies in front of him.
static md5_vec3 ball_at(double time)
{
    return (md5_vec3){48.0f, 26.0f * (float)sin(1.1 * time), 42.0f + 9.0f * (float)sin(1.7 * time)};
}

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

// The head is late: its part of the way is drawn beside that of the eyes.
static void plot(view_picture *picture, const md5_gaze_desc *desc, const md5_gaze *gaze,
                 double seconds)
{
    const md5_vec3 way =
        md5_vec3_sub(md5_gaze_point(desc, picture->scene->skeleton->axes, gaze), desc->origin);
    view_plot *const last = &picture->plots[0];
    const double values[2] = {degrees(way.y / way.x), degrees(gaze->head.x)};
    for (int i = 0; i < 2; i++) {
        view_series *const series = &last->series[i];
        if (series->count < VIEW_PAGE_POINTS)
            series->points[series->count++] = (md5_vec2){(float)seconds, (float)values[i]};
    }
}

static uint32_t simulate_gaze(view_picture *picture, const md5_gaze_desc *desc, md5_vec3 *ball,
                              double now, md5_gaze *gaze)
{
    const int steps = (int)(now / gaze_tick + 0.5), first = steps - (int)(gaze_shown / gaze_tick);
    uint32_t saccades = 0;
    *ball = ball_at(0.0);
    for (int i = 1; i <= steps; i++) {
        const float before = i > 1 ? gaze->seconds : INFINITY; // the first is at once
        *ball = ball_at(gaze_tick * i);
        look_on(desc, picture->scene->skeleton, gaze, gaze_tick);
        saccades += gaze->seconds < before ? 1u : 0u;
        if (i >= first && i % 3 == 0)
            plot(picture, desc, gaze, gaze_tick * (i - steps));
    }
    return saccades;
}

static void show_gaze(view_picture *picture)
{
    const float *const v = picture->values;
    const md5_skeleton *const skeleton = picture->scene->skeleton;
    const uint32_t left = view_page_joint(picture, "eye_l"),
                   right = view_page_joint(picture, "eye_r");
    const md5_mat34 *const bind = picture->scene->model->bind;
    md5_vec3 ball = {0.0f, 0.0f, 0.0f};
    const md5_gaze_desc desc = {
        .head = view_page_joint(picture, "head"),
        .eyes = {left, right},
        .num_eyes = 2,
        .origin = md5_vec3_lerp(md5_mat34_translation(bind[left]),
                                md5_mat34_translation(bind[right]), 0.5f),
        .targets = &ball,
        .num_targets = 1,
        .numbers = {.interest = v[1] > 0.0f ? v[1] : MD5_ZERO,
                    .distance = 60.0f,
                    .most_seconds = v[2],
                    .head_share = v[3] > 0.0f ? v[3] : MD5_ZERO,
                    .head_seconds = v[4]},
    };
    md5_gaze gaze;
    view_add_plot(picture, "to his left, degrees", "seconds",
                  (md5_vec2){-(float)gaze_shown, -45.0f}, (md5_vec2){0.0f, 45.0f});
    view_add_series(picture, "eyes", VIEW_YELLOW);
    view_add_series(picture, "head", VIEW_BLUE);
    md5_gaze_begin((uint64_t)view_choice(picture, 0), &gaze);
    const uint32_t saccades =
        simulate_gaze(picture, &desc, &ball, fmod(fmax(picture->time, 0.0), gaze_span), &gaze);
    view_figure *const figure = view_add_figure(picture, 0.0f, 0.0f);
    view_sample_clip(picture, "stand", 0.0, figure->pose);
    look(&desc, &gaze, skeleton, figure->pose);
    const md5_vec3 point = md5_gaze_point(&desc, skeleton->axes, &gaze);
    view_add_cross(picture, ball, 3.0f, VIEW_RED);
    view_add_cross(picture, point, 1.5f, VIEW_YELLOW);
    for (int i = 0; i < 2; i++)
        view_add_stroke(picture, view_joint_place(picture, figure, i == 0 ? left : right), point,
                        0xF2C14E70u);
    view_show_box(picture, (md5_vec3){-20.0f, -34.0f, 8.0f}, (md5_vec3){50.0f, 34.0f, 60.0f});
    view_add_fact(picture, "saccades", (double)saccades, "");
    view_add_fact(picture, "looks at the ball", gaze.target == 0 ? 1.0 : 0.0, "");
    view_add_fact(picture, "the last one took", (double)gaze.duration, "s");
    view_add_fact(picture, "head to his left", degrees(gaze.head.x), "degrees");
}

const view_page view_page_gaze = {
    .name = "gaze",
    .title = "Looking by itself",
    .family = "Inverse kinematics",
    .about = "The eyes fixate a point, then jump to the next: a random direction, or the ball, "
             "which they track. The head follows part of the way. The same seed gives the same "
             "motion.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 9.0,
    .sliders = {{"seed", 0.0f, 99.0f, 1.0f, NULL, true},
                {"interest in the ball", 0.0f, 1.0f, 0.5f, NULL, false},
                {"longest rest, seconds", 0.5f, 5.0f, 2.0f, NULL, false},
                {"head's share", 0.0f, 1.0f, 0.6f, NULL, false},
                {"head's time, seconds", 0.05f, 1.0f, 0.2f, NULL, false}},
    .num_sliders = 5,
    .show = show_gaze,
};
