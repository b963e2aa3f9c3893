// Inverse kinematics: solvers on one chain, limits of joints, several targets.
#include "demo/viewer/pages/families.h"

#include "md5/md5pose.h"

#include <math.h>
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
    if (solver == 1)
        return md5_ccd(skeleton, pose, job);
    if (solver == 2)
        return md5_fabrik(skeleton, pose, job);
    if (solver == 3)
        return md5_dls(skeleton, pose, job);
    const md5_two_bone_job arm = {.tip = job->tip, .target = job->target, .weight = 1.0f};
    (void)md5_solve_two_bone(skeleton, pose, &arm); // in one step
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
    return md5_solve_goals(skeleton, pose, &job); // one Jacobian for both
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
