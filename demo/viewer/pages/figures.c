// The lesson on articulated figures: the limits of their joints, as cones and arcs.
#include "demo/viewer/pages/page.h"

// lines of cones
// Returns the angle between the shaft of body 0 and the axis that is fixed to body 1, in radians.
// For a pyramid, returns the angle in the plane of one of its sides.
static double measure_limit(const md5_body_constraint *constraint, const md5_body_state *bodies,
                            int side)
{
    const md5_quat child = bodies[constraint->bodies[0]].place.rotation;
    const md5_quat parent = bodies[constraint->bodies[1]].place.rotation;
    const md5_vec3 shaft = md5_quat_rotate(child, constraint->limit_shaft);
    const md5_vec3 axis = md5_quat_rotate(parent, constraint->limit_axis);
    const md5_vec3 left = md5_quat_rotate(parent, constraint->limit_base);
    const md5_vec3 across = md5_vec3_cross(axis, shaft);
    const md5_vec3 up = md5_vec3_cross(axis, left);
    float sine = md5_vec3_length(across);
    if (constraint->def->limit == MD5_FIGURE_PYRAMID)
        sine = md5_vec3_dot(side == 0 ? left : up, shaft);
    return atan2f(fabsf(sine), md5_vec3_dot(axis, shaft));
}
// end of lines

static const double allowance = 0.01; // tolerance for rounding errors, degrees
static const double in_degrees = 57.29577951308232;

static bool has_limit(const md5_body_constraint *constraint)
{
    if (constraint->bodies[0] == MD5_NONE || constraint->bodies[1] == MD5_NONE)
        return false;
    if (constraint->def->limit == MD5_FIGURE_NO_LIMIT
        && constraint->def->type != MD5_CONSTRAINT_HINGE)
        return false;
    return constraint->limit_cosines[0] < 1;
}

// Returns the remaining angle to a limit, degrees, which is negative if the limit is exceeded, and
// the side of the limit with the smallest angle.
static double limit_margin(const md5_body_constraint *constraint, const md5_body_state *bodies,
                           int *side)
{
    const int num_sides = constraint->def->limit == MD5_FIGURE_PYRAMID ? 2 : 1;
    double min_margin = INFINITY;
    for (int i = 0; i < num_sides; i++) {
        const double margin =
            (acosf(constraint->limit_cosines[i]) - measure_limit(constraint, bodies, i))
            * in_degrees;
        *side = margin < min_margin ? i : *side;
        min_margin = fmin(min_margin, margin);
    }
    return min_margin;
}

// Returns a direction in the frame of body 1. Its angle to the axis of the limit is `fraction` of
// the limit, `around` is its angle about the axis. A hinge has only two directions, at the ends of
// its arc.
static md5_vec3 direction_in_limit(const md5_body_constraint *constraint, float fraction,
                                   float around)
{
    const md5_vec3 axis = constraint->limit_axis;
    const bool is_hinge = constraint->def->type == MD5_CONSTRAINT_HINGE;
    const bool is_pyramid = constraint->def->limit == MD5_FIGURE_PYRAMID && !is_hinge;
    const md5_vec3 across = fabsf(axis.x) < 0.6f ? (md5_vec3){1, 0, 0} : (md5_vec3){0, 1, 0};
    md5_vec3 left = md5_vec3_normalize(md5_vec3_cross(axis, across), across);
    if (is_pyramid)
        left = constraint->limit_base;
    else if (is_hinge)
        left = md5_vec3_cross(constraint->axes[1], axis);
    const float max_angle = fraction * acosf(constraint->limit_cosines[0]);
    const float limit = 1.5f;
    float c = is_hinge ? copysignf(1, cosf(around)) : cosf(around);
    float s = is_hinge ? 0 : sinf(around);
    float along = cosf(max_angle);
    if (is_pyramid) {
        const float high = fraction * acosf(constraint->limit_cosines[1]);
        const float longer = 1 / fmaxf(fabsf(c), fabsf(s));
        c = tanf(view_clamp(max_angle * c * longer, -limit, limit));
        s = tanf(view_clamp(high * s * longer, -limit, limit));
        along = 1;
    } else {
        c *= sinf(max_angle);
        s *= sinf(max_angle);
    }
    const md5_vec3 side = view_along(md5_vec3_scale(left, c), md5_vec3_cross(axis, left), s);
    return md5_vec3_normalize(view_along(side, axis, along), axis);
}

// A figure in a pose.
typedef struct limits_shown {
    const md5_figure *figure;
    uint32_t chosen;        // index + 1 of the shown constraint; 0 = all
    md5_mat34 *joints;      // [joints]
    md5_body_state *bodies; // [num_bodies]
} limits_shown;

static bool is_shown(const limits_shown *shown, uint32_t number)
{
    return has_limit(&shown->figure->constraints[number])
           && (shown->chosen == 0 || shown->chosen == number + 1);
}

static void find_bodies(const view_picture *picture, const limits_shown *shown,
                        const md5_xform *pose)
{
    md5_local_to_model(picture->skeleton, pose, shown->joints);
    md5_figure_from_joints(shown->figure, shown->joints, view_at_origin(), 0, shown->bodies);
}

// Rotates a joint so that its shaft has a direction in the frame of body 1.
static void rotate_shaft_to(const view_picture *picture, const limits_shown *shown,
                            const md5_body_constraint *constraint, md5_vec3 direction,
                            md5_xform *pose)
{
    find_bodies(picture, shown, pose);
    const md5_quat child = shown->bodies[constraint->bodies[0]].place.rotation;
    const md5_quat parent = shown->bodies[constraint->bodies[1]].place.rotation;
    const uint32_t joint = shown->figure->bodies[constraint->bodies[0]].joint;
    view_turn_joint(picture, pose, picture->skeleton->joints[joint].name,
                    md5_quat_between(md5_quat_rotate(child, constraint->limit_shaft),
                                     md5_quat_rotate(parent, direction)));
}

// Computes the pose at a time. Joints move around their limits, each ahead of the previous joint by
// a part of a cycle; hinges move back and forth. If a clip is selected, plays the clip instead.
static void move_figure(const view_picture *picture, const limits_shown *shown, double time,
                        md5_xform *pose)
{
    const double period = 4;   // seconds
    const double ahead = 0.25; // cycles
    const md5_figure *const figure = shown->figure;
    if (view_choice(picture, 1) > 0) {
        view_sample_clip(picture, view_word(picture, 1), time, pose);
    } else {
        memcpy(pose, figure->setup_pose, picture->scene->num_joints * sizeof *pose);
        for (uint32_t i = 0; i < figure->num_constraints; i++) {
            const md5_body_constraint *const constraint = &figure->constraints[i];
            const double part = time / period + ahead * i;
            const float around = 2 * VIEW_PI * (float)(part - floor(part));
            const bool is_hinge = constraint->def->type == MD5_CONSTRAINT_HINGE;
            const float fraction = picture->values[2] * (is_hinge ? fabsf(cosf(around)) : 1);
            if (is_shown(shown, i))
                rotate_shaft_to(picture, shown, constraint,
                                direction_in_limit(constraint, fraction, around), pose);
        }
    }
    find_bodies(picture, shown, pose);
}

// Returns the shown constraint that is nearest to its limit, or that exceeds it most, its margin
// and its side. Returns num_constraints if no constraint is shown.
static uint32_t find_nearest(const limits_shown *shown, double *margin, int *side)
{
    uint32_t nearest = shown->figure->num_constraints;
    *margin = INFINITY;
    *side = 0;
    for (uint32_t i = 0; i < shown->figure->num_constraints; i++) {
        int limit_side = 0;
        const double angle = is_shown(shown, i) ? limit_margin(&shown->figure->constraints[i],
                                                               shown->bodies, &limit_side)
                                                : INFINITY;
        if (!(angle < *margin))
            continue;
        nearest = i;
        *margin = angle;
        *side = limit_side;
    }
    return nearest;
}

// Adds the cone of a limit, or the arc of a hinge, at the joint, and the shaft.
static void add_limit(view_picture *picture, const md5_body_constraint *constraint,
                      const md5_body_state *bodies, float size, bool is_chosen)
{
    enum { SIDES = 24, SPOKE = 3 };
    const md5_body_state *const child = &bodies[constraint->bodies[0]];
    const md5_body_state *const parent = &bodies[constraint->bodies[1]];
    const bool is_hinge = constraint->def->type == MD5_CONSTRAINT_HINGE;
    int side = 0;
    const bool is_beyond = limit_margin(constraint, bodies, &side) < -allowance;
    const view_color color = is_chosen ? VIEW_CYAN : VIEW_DIM_LINE;
    const md5_vec3 anchor = md5_xform_point(parent->place, constraint->anchors[1]);
    for (int i = 0; i <= SIDES; i++) {
        const float part = (float)i / (float)SIDES;
        const float way = 2 * part - 1;
        float around = 2 * VIEW_PI * part;
        if (is_hinge)
            around = way < 0 ? VIEW_PI : 0;
        const md5_vec3 direction =
            direction_in_limit(constraint, is_hinge ? fabsf(way) : 1, around);
        const md5_vec3 end =
            view_along(anchor, md5_quat_rotate(parent->place.rotation, direction), size);
        view_draw_to(picture, end, i > 0 ? color : 0);
        if (is_hinge ? i % SIDES == 0 : i % SPOKE == 0)
            view_page_line(picture, anchor, end, color);
    }
    const md5_vec3 shaft = md5_quat_rotate(child->place.rotation, constraint->limit_shaft);
    view_page_line(picture, anchor, view_along(anchor, shaft, 1.2f * size),
                   is_beyond ? VIEW_RED : VIEW_YELLOW);
}

static void show_limits(view_picture *picture, const limits_shown *shown)
{
    enum { STEP = 4 }; // steps of the plot between two points
    md5_xform *const spare = view_spare_pose(picture, 0);
    double margin;
    int side;
    for (int i = 0; i <= VIEW_PAGE_STEPS; i += STEP) {
        const double x = view_plot_x(picture->plots, i);
        move_figure(picture, shown, picture->time + x, spare);
        find_nearest(shown, &margin, &side);
        view_add_point(picture->plots, 0, x, margin);
    }
    move_figure(picture, shown, picture->time, picture->figures[0].pose);
    uint32_t num_beyond = 0;
    for (uint32_t i = 0; i < shown->figure->num_constraints; i++) {
        const md5_body_constraint *const constraint = &shown->figure->constraints[i];
        if (!has_limit(constraint))
            continue;
        num_beyond += limit_margin(constraint, shown->bodies, &side) < -allowance;
        add_limit(picture, constraint, shown->bodies, shown->chosen == i + 1 ? 12 : 7,
                  is_shown(shown, i));
    }
    VIEW_FACTS(picture, num_beyond);
    const uint32_t nearest = find_nearest(shown, &margin, &side);
    if (nearest < shown->figure->num_constraints) {
        const md5_body_constraint *const constraint = &shown->figure->constraints[nearest];
        VIEW_FACTS(picture, measure_limit(constraint, shown->bodies, side) * in_degrees,
                   acosf(constraint->limit_cosines[side]) * in_degrees, margin);
        view_add_mark(picture->plots, 0, margin, VIEW_RED);
    }
}

VIEW_SHOW(cones)
{
    (void)v;
    const view_fall *const fall = picture->scene->fall;
    if (fall == NULL)
        return;
    const limits_shown shown = {
        .figure = fall->bodies,
        .chosen = view_choice(picture, 0),
        .joints = common_alloc(picture->scene->num_joints, sizeof *shown.joints),
        .bodies = common_alloc(fall->bodies->num_bodies, sizeof *shown.bodies),
    };
    show_limits(picture, &shown);
    free(shown.bodies);
    free(shown.joints);
}
