// Lessons on inverse kinematics: solvers, limits, a foot on a slope; procedural gait; gaze.
#include "demo/viewer/pages/page.h"

// lines of ik
// Cyclic coordinate descent: from the parent of the hand to the root of the chain, rotates each
// joint so that the hand is in the direction of the target.
static void descend(const md5_skeleton *skeleton, uint32_t tip, uint32_t length, md5_vec3 target,
                    md5_xform *pose)
{
    uint32_t joint = skeleton->joints[tip].parent;
    for (; length > 1 && joint != MD5_NONE; joint = skeleton->joints[joint].parent, length--) {
        const md5_xform here = md5_joint_in_model(skeleton, pose, joint);
        const md5_vec3 hand = md5_joint_in_model(skeleton, pose, tip).translation;
        const md5_vec3 x = {1, 0, 0};
        const md5_vec3 a = md5_vec3_normalize(md5_vec3_sub(hand, here.translation), x);
        const md5_vec3 b = md5_vec3_normalize(md5_vec3_sub(target, here.translation), a);
        const md5_vec3 axis = md5_vec3_cross(a, b); // (axis, 1 + cosine) rotates a to b
        const md5_quat turn = md5_quat_normalize(
            (md5_quat){axis.x, axis.y, axis.z, 1.0f + md5_vec3_dot(a, b)}, (md5_quat){.w = 1});
        // Convert the rotation to the space of the joint.
        const md5_quat own = md5_quat_conjugate(here.rotation);
        pose[joint].rotation = md5_quat_mul(pose[joint].rotation,
                                            md5_quat_mul(md5_quat_mul(own, turn), here.rotation));
    }
}

// Two bones have a closed formula: the law of cosines gives the angle of the elbow.
static float elbow_angle(float upper, float lower, float apart)
{
    const float cosine = (upper * upper + lower * lower - apart * apart) / (2.0f * upper * lower);
    return acosf(fminf(fmaxf(cosine, -1.0f), 1.0f));
}
// end of lines

// The methods of the lesson, in the order of its choice.
enum { METHOD_TWO_BONE, METHOD_CCD, METHOD_FABRIK, METHOD_LEAST_SQUARES, NUM_METHODS };

// Moves the chain's tip to the target with one of the lesson's four methods. Returns the remaining
// distance between tip and target, units.
static float reach(int method, const md5_skeleton *skeleton, md5_chain_job job, md5_xform *pose)
{
    const md5_two_bone_job arm = {.tip = job.tip, .target = job.target, .weight = 1.0f};
    if (method == METHOD_TWO_BONE) { // analytic: one iteration
        if (job.iterations > 0)
            (void)md5_solve_two_bone(skeleton, &arm, pose);
    } else if (method == METHOD_CCD) {
        for (uint32_t i = 0; i < job.iterations; i++)
            descend(skeleton, job.tip, job.length, job.target, pose);
    } else {
        job.solver = method == METHOD_FABRIK ? MD5_CHAIN_FABRIK : MD5_CHAIN_LEAST_SQUARES;
        md5_solve_chain(skeleton, &job, pose);
    }
    return view_distance(md5_joint_in_model(skeleton, pose, job.tip).translation, job.target);
}

// Adds lines for the bones of a chain, and its target.
static void add_chain(view_picture *picture, const view_figure *figure, md5_vec3 target,
                      uint32_t tip, uint32_t length, view_color target_color, view_color color)
{
    view_page_cross(picture, md5_xform_point(figure->place, target), 3, target_color);
    for (uint32_t joint = tip; length > 1 && joint != MD5_NONE; length--) {
        view_add_bone(picture, figure, joint, color);
        joint = picture->skeleton->joints[joint].parent;
    }
}

// Moves the hand to a target with the selected method. Plots the remaining distance of each method
// over the number of iterations, and counts the iterations that each method needs.
VIEW_SHOW(ik)
{
    enum { CHOICE_METHOD, SLIDER_JOINTS, SLIDER_X, SLIDER_Y, SLIDER_Z, SLIDER_MOVES };
    enum { MAX_ITERATIONS = 24 }; // the maximum of the plot's axis
    const int shown_method = (int)view_choice(picture, CHOICE_METHOD);
    const md5_vec3 target = {v[SLIDER_X], v[SLIDER_Y], v[SLIDER_Z]};
    const float wave = v[SLIDER_MOVES] * 5; // radius of the circle of a moving target, units
    const float angle = 2 * (float)picture->time;
    view_figure *const figure = &picture->figures[0];
    md5_chain_job job = {
        .tip = view_page_joint(picture, "hand_l"),
        .length = view_choice(picture, SLIDER_JOINTS),
        .target = {target.x + wave * cosf(angle), target.y, target.z + wave * sinf(angle)},
        .iterations = MAX_ITERATIONS,
        .weight = 1};

    // The lengths of the arm.
    const md5_joint *const joints = picture->skeleton->joints;
    const uint32_t elbow = joints[job.tip].parent;
    const float upper = md5_vec3_length(figure->pose[elbow].translation);
    const float lower = md5_vec3_length(figure->pose[job.tip].translation);
    const float apart =
        view_distance(view_posed_place(picture, figure->pose, joints[elbow].parent), job.target);
    VIEW_FACTS(picture, upper, lower, apart, view_degrees(elbow_angle(upper, lower, apart)));

    // The distance after each number of iterations, always from the same pose.
    md5_xform *const pose = view_spare_pose(picture, 0);
    for (int method = 0; method < NUM_METHODS; method++) {
        uint32_t num_needed = 0;
        for (job.iterations = 0; job.iterations <= MAX_ITERATIONS; job.iterations++) {
            memcpy(pose, figure->pose, picture->scene->num_joints * sizeof *pose);
            const float distance = reach(method, picture->skeleton, job, pose);
            view_add_point(picture->plots, method, job.iterations, log10f(fmaxf(distance, 1e-5f)));
            num_needed += distance > 0.01f;
        }
        if (method != METHOD_TWO_BONE)
            VIEW_FACTS(picture, num_needed);
    }

    job.iterations = MAX_ITERATIONS;
    VIEW_FACTS(picture, reach(shown_method, picture->skeleton, job, figure->pose));
    add_chain(picture, figure, job.target, job.tip,
              shown_method == METHOD_TWO_BONE ? 3 : job.length, VIEW_RED, VIEW_YELLOW);
}

// -- Limits ---------------------------------------------------------------------------------

// lines of limits
static float length_of(md5_quat q)
{
    return sqrtf(q.x * q.x + q.y * q.y + q.z * q.z);
}

// Decomposes a rotation into rest * swing * twist: the twist rotates about the axis, the swing
// changes the direction of the axis. Clamps both to the limits. "angles" receives both angles
// before the limits.
static md5_quat limit_turn(const md5_joint_limit *limit, md5_quat rotation, float angles[2])
{
    const float circle = 6.28318531f;
    const md5_quat turn = md5_quat_mul(md5_quat_conjugate(limit->rest), rotation);
    const float along = md5_vec3_dot((md5_vec3){turn.x, turn.y, turn.z}, limit->axis);
    angles[0] = remainderf(2.0f * atan2f(along, turn.w), circle);
    const md5_quat twist = md5_quat_from_axis_angle(limit->axis, angles[0]);
    const md5_quat swing = md5_quat_mul(turn, md5_quat_conjugate(twist));
    angles[1] = 2.0f * atan2f(length_of(swing), fabsf(swing.w));
    const float widest = limit->kind == MD5_LIMIT_CONE ? limit->swing : 0.0f;
    const float part = angles[1] > widest ? widest / angles[1] : 1.0f;
    const float middle = 0.5f * (limit->min + limit->max);
    const float half = limit->max - middle;
    const float off = fminf(fmaxf(remainderf(angles[0] - middle, circle), -half), half);
    const md5_quat kept = md5_quat_slerp((md5_quat){.w = 1.0f}, swing, part);
    return md5_quat_mul(md5_quat_mul(limit->rest, kept),
                        md5_quat_from_axis_angle(limit->axis, middle + off));
}
// end of lines

// Returns the axis of the elbow in the space of its joint: perpendicular to both bones of the bind
// pose.
static md5_vec3 elbow_axis(const md5_model *model, uint32_t shoulder, uint32_t elbow, uint32_t hand)
{
    const md5_vec3 position = md5_mat34_translation(model->bind[elbow]);
    const md5_vec3 upper_arm = md5_vec3_sub(position, md5_mat34_translation(model->bind[shoulder]));
    const md5_vec3 forearm = md5_vec3_sub(md5_mat34_translation(model->bind[hand]), position);
    const md5_quat to_joint = md5_quat_conjugate(md5_quat_from_mat34(model->bind[elbow]));
    return md5_vec3_normalize(md5_quat_rotate(to_joint, md5_vec3_cross(upper_arm, forearm)),
                              (md5_vec3){0, 1, 0});
}

// The sliders and choices of the lesson, in the order of pages.txt.
enum {
    LIMITS_SOLVER,
    LIMITS_ELBOW_FROM,
    LIMITS_ELBOW_TO,
    LIMITS_SHOULDER,
    LIMITS_TARGET_X,
    LIMITS_TARGET_Z,
};

// Moves the hand of two figures to a target, without and with limits of the shoulder and the elbow.
// Measures the angles of these joints with the displayed code.
VIEW_SHOW(limits)
{
    static const md5_chain_solver solvers[] = {MD5_CHAIN_CCD, MD5_CHAIN_FABRIK,
                                               MD5_CHAIN_LEAST_SQUARES};
    const md5_model *const model = picture->model;
    const uint32_t shoulder = view_page_joint(picture, "upperarm_l");
    const uint32_t elbow = view_page_joint(picture, "forearm_l");
    const uint32_t hand = view_page_joint(picture, "hand_l");

    // The elbow is a hinge, the shoulder a cone. All other joints have no limits: they are 0.
    md5_joint_limit *const limits = common_alloc(picture->scene->num_joints, sizeof *limits);
    limits[elbow] =
        (md5_joint_limit){.kind = MD5_LIMIT_HINGE,
                          .rest = model->bind_local[elbow].rotation,
                          .axis = elbow_axis(model, shoulder, elbow, hand),
                          .min = view_radians(fminf(v[LIMITS_ELBOW_FROM], v[LIMITS_ELBOW_TO])),
                          .max = view_radians(fmaxf(v[LIMITS_ELBOW_FROM], v[LIMITS_ELBOW_TO]))};
    limits[shoulder] = (md5_joint_limit){.kind = MD5_LIMIT_CONE,
                                         .rest = model->bind_local[shoulder].rotation,
                                         .axis = {1, 0, 0},
                                         .min = -0.5f,
                                         .max = 0.5f,
                                         .swing = view_radians(v[LIMITS_SHOULDER])};

    // The first figure reaches for the target without limits, the second with limits.
    md5_chain_job job = {.solver = solvers[view_choice(picture, LIMITS_SOLVER)],
                         .tip = hand,
                         .length = 3,
                         .target = {v[LIMITS_TARGET_X], 12, v[LIMITS_TARGET_Z]},
                         .tolerance = 1e-3f,
                         .iterations = 60,
                         .weight = 1};
    for (int i = 0; i < 2; i++) {
        const view_figure *const figure = &picture->figures[i];
        job.limits = i == 1 ? limits : NULL;
        const float distance = md5_solve_chain(picture->skeleton, &job, figure->pose);
        add_chain(picture, figure, job.target, hand, 3, VIEW_RED, VIEW_YELLOW);

        float elbow_angles[2]; // twist and swing
        float shoulder_angles[2];
        limit_turn(&limits[shoulder], figure->pose[shoulder].rotation, shoulder_angles);
        limit_turn(&limits[elbow], figure->pose[elbow].rotation, elbow_angles);
        VIEW_FACTS(picture, view_degrees(elbow_angles[0]), view_degrees(elbow_angles[1]),
                   view_degrees(shoulder_angles[1]), distance);
    }
    free(limits);
}

// -- A foot on a slope ----------------------------------------------------------------------

// lines of slope
// Returns the shortest rotation from straight up to a normal. A quaternion contains half of the
// angle, so it is computed from the direction halfway between both.
static md5_quat lay_on(md5_vec3 normal)
{
    const md5_vec3 up = {0.0f, 0.0f, 1.0f};
    const md5_vec3 half = md5_vec3_normalize(md5_vec3_add(up, normal), up);
    const md5_vec3 axis = md5_vec3_cross(up, half);
    return (md5_quat){axis.x, axis.y, axis.z, md5_vec3_dot(up, half)};
}
// end of lines

// Draws the slope below both figures.
static void draw_slope(view_picture *picture, float angle)
{
    for (int k = 0; k < 2; k++) {
        const float y = picture->figures[k].place.translation.y;
        for (int i = -3; i <= 3; i++) {
            const float along = 5 * (float)i;
            const float low = -18;
            const float high = 18;
            view_draw_to(picture, (md5_vec3){along, y + low, low * tanf(angle)}, 0);
            view_draw_to(picture, (md5_vec3){along, y + high, high * tanf(angle)}, VIEW_DIM_LINE);
        }
    }
}

// Adds the bones of a leg, the bend of its knee, and the angle between its sole and the slope.
// `laid` is the rotation of the ankle with which the sole is parallel to the slope.
static void add_leg(view_picture *picture, const view_figure *figure, uint32_t ankle, md5_quat laid)
{
    const md5_joint *const joints = picture->skeleton->joints;
    const uint32_t knee = joints[ankle].parent;
    const uint32_t hip = joints[knee].parent;
    const md5_vec3 a = view_posed_place(picture, figure->pose, hip);
    const md5_vec3 b = view_posed_place(picture, figure->pose, knee);
    const md5_vec3 c = view_posed_place(picture, figure->pose, ankle);
    const float bend = elbow_angle(view_distance(a, b), view_distance(b, c), view_distance(a, c));
    const md5_xform posed_ankle = md5_joint_in_model(picture->skeleton, figure->pose, ankle);
    VIEW_FACTS(picture, view_degrees(bend), view_angle(laid, posed_ankle.rotation));
    view_add_bone(picture, figure, ankle, VIEW_YELLOW);
    view_add_bone(picture, figure, knee, VIEW_YELLOW);
}

// Places the feet of the second figure on a slope, and measures the bends of the knees and the
// angles of the soles. The slope falls sideways, so that one leg is bent.
VIEW_SHOW(slope)
{
    enum { SLIDER_ANGLE, SLIDER_WEIGHT }; // in the order of pages.txt
    const float angle = view_radians(v[SLIDER_ANGLE]);
    const float weight = v[SLIDER_WEIGHT];
    const md5_vec3 normal = {0, -sinf(angle), cosf(angle)};
    const view_figure *const figure = &picture->figures[1];
    const uint32_t ankles[2] = {view_page_joint(picture, "foot_l"),
                                view_page_joint(picture, "foot_r")};

    // Place both feet on the slope.
    md5_foot feet[2];
    md5_quat before[2];
    float sides[2];
    for (int i = 0; i < 2; i++) {
        const md5_xform ankle = md5_joint_in_model(picture->skeleton, figure->pose, ankles[i]);
        feet[i] = (md5_foot){
            .ankle = ankles[i], .floor = tanf(angle) * ankle.translation.y, .normal = normal};
        before[i] = ankle.rotation;
        sides[i] = ankle.translation.y;
    }
    md5_feet_job job = {
        .pelvis = view_page_joint(picture, "hips"), .feet = feet, .num_feet = 2, .weight = weight};
    (void)md5_solve_feet(picture->skeleton, &job, figure->pose);

    picture->has_no_floor = true;
    draw_slope(picture, angle);
    for (int i = 0; i < 2; i++)
        add_leg(picture, figure, ankles[i], md5_quat_mul(lay_on(normal), before[i]));
    const float lower_side = angle > 0 ? fminf(sides[0], sides[1]) : fmaxf(sides[0], sides[1]);
    VIEW_FACTS(picture, lower_side, -job.drop * weight);
}

// == Walking ===============================================================================
//
// Procedural gait: steps are planned and feet are placed without clips.

enum { MAX_PRINTS = 96 };

// The walk restarts after walk_span seconds and is simulated at 120 steps per second. The plot
// shows the last walk_shown seconds.
static const double walk_span = 16;
static const double walk_tick = 1.0 / 120.0;
static const double walk_shown = 4;

// Returns the height of the terrain. `hills` is the height of the hills, units.
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
// Returns the velocity of a home, the rest position of a foot, in the space of the body.
static md5_vec3 way_of(md5_vec3 home, md5_vec3 velocity, float turn)
{
    return (md5_vec3){velocity.x - turn * home.y, velocity.y + turn * home.x, velocity.z};
}

// Returns the distance of a foot behind its home. If all feet stand, and one foot is farther behind
// than the slack, its group steps.
static float lag_of(md5_vec3 home, md5_vec3 way, md5_vec3 foot)
{
    return md5_vec3_dot(md5_vec3_sub(home, foot),
                        md5_vec3_normalize(way, (md5_vec3){0.0f, 0.0f, 0.0f}));
}

// A step ends at the position of the home in the middle of the next stance, which takes the same
// time.
static md5_vec3 plan_step(md5_vec3 home, md5_vec3 way, float seconds)
{
    return md5_vec3_add(home, md5_vec3_scale(way, 1.5f * seconds));
}

// Moves a foot along a line with an arc above it. The velocity is 0 at both ends.
static md5_vec3 foot_at(md5_vec3 from, md5_vec3 to, float lift, float t)
{
    md5_vec3 at = md5_vec3_lerp(from, to, t * t * (3.0f - 2.0f * t));
    at.z += 16.0f * lift * t * t * (1.0f - t) * (1.0f - t);
    return at;
}
// end of lines

// The sliders of the lesson, in the order of pages.txt.
enum { WALK_SPEED, WALK_DIRECTION, WALK_TURN, WALK_HILLS, WALK_STEP_HEIGHT, WALK_BANK };

// Measurements of the walk so far.
typedef struct walked {
    md5_vec3 prints[MAX_PRINTS]; // ring buffer of the positions where feet were placed
    uint32_t num_prints;
    bool stood[MD5_MAX_LEGS];      // the foot was on the ground in the last pose
    md5_vec3 stands[MD5_MAX_LEGS]; // position of the ankle when the foot touched the ground
    double slid; // maximum distance that an ankle slid while the foot stood, units
} walked;

// Poses the character at the current time of the gait, and measures how far the ankles of standing
// feet have slid.
static void watch_legs(view_picture *picture, const md5_gait_desc *desc, const md5_gait *gait,
                       walked *seen)
{
    view_figure walker = {.pose = view_spare_pose(picture, 0), .place = md5_gait_placement(gait)};
    view_sample_clip(picture, NULL, 0, walker.pose);
    md5_gait_pose(desc, gait, walker.pose);
    for (uint32_t j = 0; j < gait->num_legs; j++) {
        const md5_foothold *const foot = &gait->feet[j];
        const md5_vec3 ankle = view_joint_place(picture, &walker, desc->legs[j].limb.tip);
        if (!foot->is_stepping && !seen->stood[j])
            seen->stands[j] = ankle;
        if (!foot->is_stepping)
            seen->slid = fmax(seen->slid, view_distance(ankle, seen->stands[j]));
        seen->stood[j] = !foot->is_stepping;
    }
}

// Simulates the walk from the start to the time `now`. Stores the footprints and the measurements
// in `seen`, and plots when each foot was in the air.
static void simulate_walk(view_picture *picture, const md5_gait_desc *desc, double now,
                          md5_gait *gait, walked *seen)
{
    const int steps = (int)(now / walk_tick);
    const int first = steps - (int)(walk_shown / walk_tick);
    const float speed = picture->values[WALK_SPEED];
    const float direction = view_radians(picture->values[WALK_DIRECTION]);
    const float turn_rate = view_radians(picture->values[WALK_TURN]);
    const md5_vec3 velocity = {speed * cosf(direction), speed * sinf(direction), 0};
    for (int i = 0; i < steps; i++) {
        const md5_gait before = *gait;
        md5_gait_advance(desc, gait, velocity, turn_rate, walk_tick);
        if (i >= first)
            watch_legs(picture, desc, gait, seen);
        for (uint32_t leg = 0; leg < gait->num_legs; leg++) {
            const md5_foothold *const foot = &gait->feet[leg];
            if (before.feet[leg].is_stepping && !foot->is_stepping)
                seen->prints[seen->num_prints++ % MAX_PRINTS] = foot->position;
            // The line of a leg in the plot is higher while the leg is in the air.
            if (i >= first && i % 4 == 0 && leg < VIEW_PAGE_SERIES)
                view_add_point(picture->plots, (int)leg, (i - steps) * walk_tick,
                               (foot->is_stepping ? 0.6 : 0) - leg);
        }
    }
}

// Draws the terrain around a position as a grid of lines in both directions.
static void draw_terrain(view_picture *picture, const float *hills, md5_vec3 center)
{
    enum { CELLS = 14 };
    const float cell = 8; // units
    const float x0 = floorf(center.x / cell - 0.5f * (float)CELLS) * cell;
    const float y0 = floorf(center.y / cell - 0.5f * (float)CELLS) * cell;
    for (int direction = 0; direction < 2; direction++) {
        for (int i = 0; i <= CELLS; i++) {
            for (int k = 0; k <= CELLS; k++) {
                const float x = x0 + cell * (float)(direction == 0 ? k : i);
                const float y = y0 + cell * (float)(direction == 0 ? i : k);
                view_draw_to(picture, (md5_vec3){x, y, height_at(hills, x, y)},
                             k > 0 ? VIEW_DIM_LINE : 0);
            }
        }
    }
}

// Draws the position of each foot, or the target and the arc of its step, and the position that the
// displayed code plans for its next step. Returns the largest distance of a standing foot behind
// its home.
static float draw_feet(view_picture *picture, const md5_gait *gait, md5_xform body)
{
    enum { ARC_CHORDS = 16 };
    float largest_lag = 0;
    for (uint32_t i = 0; i < gait->num_legs; i++) {
        const md5_foothold *const foot = &gait->feet[i];
        const md5_vec3 velocity = way_of(foot->home, gait->velocity, gait->turn_rate);
        if (foot->is_stepping) {
            view_page_cross(picture, foot->to, 3, VIEW_YELLOW);
        } else {
            const md5_vec3 in_body = md5_xform_point(md5_xform_inverse(body), foot->position);
            view_page_cross(picture, foot->position, 2.5f, VIEW_GREEN);
            largest_lag = fmaxf(largest_lag, lag_of(foot->home, velocity, in_body));
        }
        const md5_vec3 planned = plan_step(foot->home, velocity, gait->seconds);
        view_page_cross(picture, md5_xform_point(body, planned), 1, VIEW_VIOLET);
        for (int k = 0; k <= ARC_CHORDS && foot->is_stepping; k++) {
            const float part = (float)k / (float)ARC_CHORDS;
            view_draw_to(picture, foot_at(foot->from, foot->to, foot->lift, part),
                         k > 0 ? VIEW_YELLOW : 0);
        }
    }
    return largest_lag;
}

// Simulates the walk from its start to the current time on hills, and poses the character. Draws
// the ground, the footprints and the planned steps.
VIEW_SHOW(walk)
{
    view_figure *const figure = &picture->figures[0];
    float hills = v[WALK_HILLS];
    view_legs legs;
    if (view_find_legs(picture->scene, &legs) == 0)
        return;
    const md5_gait_desc desc = {.skeleton = picture->skeleton,
                                .legs = legs.legs,
                                .num_legs = legs.num_legs,
                                .num_groups = 2,
                                .body = legs.body,
                                .terrain = terrain,
                                .user = &hills,
                                .step_height = v[WALK_STEP_HEIGHT],
                                .bank = 0.001f * v[WALK_BANK]};
    md5_gait gait;
    walked seen = {.num_prints = 0};
    md5_gait_begin(&desc, figure->pose, figure->place, &gait);
    simulate_walk(picture, &desc, fmod(fmax(picture->time, 0), walk_span), &gait, &seen);
    const uint32_t reached = md5_gait_pose(&desc, &gait, figure->pose);
    figure->place = md5_gait_placement(&gait);
    view_point_pistons(&legs, picture->skeleton, figure->pose);

    draw_terrain(picture, &hills, gait.position);
    for (uint32_t i = 0; i < seen.num_prints && i < MAX_PRINTS; i++)
        view_page_cross(picture, seen.prints[i], 1, VIEW_BLUE);

    const float largest_lag = draw_feet(picture, &gait, figure->place);
    picture->bounds = (md5_bounds){md5_vec3_add(gait.position, (md5_vec3){-34, -34, -6}),
                                   md5_vec3_add(gait.position, (md5_vec3){34, 34, 32})};
    picture->has_no_floor = true;
    VIEW_FACTS(picture, reached, seen.num_prints, seen.slid);
    VIEW_FACTS(picture, gait.seconds, md5_vec3_length(gait.velocity));
    VIEW_FACTS(picture, view_degrees(acosf(fminf(gait.normal.z, 1))), largest_lag);
}

// == Gaze ==================================================================================
//
// A head and eyes with automatic gaze.

// The gaze restarts after gaze_span seconds; the plot shows gaze_shown seconds.
static const double gaze_span = 60;
static const double gaze_shown = 6;
static const double gaze_tick = 1.0 / 60.0;

// lines of gaze
// Directions are tangents of the angles to the left and upward. A jump takes 21 ms plus 126 ms per
// radian (2.2 ms per degree).
static float seconds_of_jump(md5_vec2 from, md5_vec2 to)
{
    const md5_vec3 x = {1.0f, 0.0f, 0.0f};
    const md5_vec3 p = md5_vec3_normalize((md5_vec3){1.0f, from.x, from.y}, x);
    const md5_vec3 q = md5_vec3_normalize((md5_vec3){1.0f, to.x, to.y}, x);
    return 0.021f + 0.126f * md5_vec3_length(md5_vec3_sub(p, q));
}

// The eyes jump, with velocity 0 at both ends, and then rest.
static float eyes_at(float from, float to, float part)
{
    const float t = fminf(part, 1.0f);
    return from + (to - from) * t * t * (3.0f - 2.0f * t);
}

// The head follows by its share of the angle. After "time" seconds, 1/e of the difference remains.
static float follow_eyes(float head, float eyes, float share, float time, float dt)
{
    return share * eyes + (head - share * eyes) * expf(-dt / time);
}
// end of lines

// Returns the angle of a tangent, degrees.
static double degrees(float tangent)
{
    return atan((double)tangent) * 57.29577951;
}

// The sliders of the lesson, in the order of pages.txt.
enum { GAZE_SEED, GAZE_INTEREST, GAZE_MAX_REST, GAZE_HEAD_SHARE, GAZE_HEAD_SECONDS };

// Simulates the gaze from its start to the current time, while a ball flies in front of the
// character. Plots the horizontal angles of the eyes and of the head.
VIEW_SHOW(gaze)
{
    const uint32_t left = view_page_joint(picture, "eye_l");
    const uint32_t right = view_page_joint(picture, "eye_r");
    md5_vec3 ball;
    md5_vec3 point = {0, 0, 0};
    // In md5_gaze_desc, 0 stands for the default value.
    const float interest = v[GAZE_INTEREST] > 0 ? v[GAZE_INTEREST] : MD5_EXPLICIT_ZERO;
    const float head_share = v[GAZE_HEAD_SHARE] > 0 ? v[GAZE_HEAD_SHARE] : MD5_EXPLICIT_ZERO;
    const md5_gaze_desc desc = {
        .head = view_page_joint(picture, "head"),
        .eyes = {left, right},
        .num_eyes = 2,
        .origin = md5_vec3_lerp(md5_mat34_translation(picture->model->bind[left]),
                                md5_mat34_translation(picture->model->bind[right]), 0.5f),
        .targets = &ball,
        .num_targets = 1,
        .params = {.interest = interest,
                   .distance = 60,
                   .max_seconds = v[GAZE_MAX_REST],
                   .head_share = head_share,
                   .head_seconds = v[GAZE_HEAD_SECONDS]},
    };
    md5_gaze gaze;
    md5_gaze_begin(view_choice(picture, GAZE_SEED), &gaze);
    const int steps = (int)(fmod(fmax(picture->time, 0), gaze_span) / gaze_tick + 0.5);
    const int first = steps - (int)(gaze_shown / gaze_tick);
    uint32_t num_saccades = 0;
    float head = 0;
    for (int i = 1; i <= steps; i++) {
        const double time = gaze_tick * i;
        const float before = gaze.seconds;
        // A ball that flies in front of the character.
        ball = (md5_vec3){48, 26 * (float)sin(1.1 * time), 42 + 9 * (float)sin(1.7 * time)};
        md5_gaze_advance(&desc, picture->skeleton->axes, &gaze, gaze_tick);
        // The first saccade starts immediately. Each saccade restarts gaze.seconds.
        if (i == 1 || gaze.seconds < before)
            num_saccades++;
        head = follow_eyes(head, gaze.to.x, v[GAZE_HEAD_SHARE], v[GAZE_HEAD_SECONDS],
                           (float)gaze_tick);
        if (i < first || i % 3 != 0)
            continue;
        // The head follows the eyes with a delay; plot the progress of both.
        view_add_point(picture->plots, 0, gaze_tick * (i - steps),
                       degrees(eyes_at(gaze.from.x, gaze.to.x, gaze.seconds / gaze.duration)));
        view_add_point(picture->plots, 1, gaze_tick * (i - steps), degrees(head));
    }
    point = md5_gaze_point(&desc, picture->skeleton->axes, &gaze);
    md5_gaze_pose(&desc, &gaze, picture->skeleton, 1, picture->figures[0].pose);
    view_page_cross(picture, ball, 3, VIEW_RED);
    view_page_cross(picture, point, 1.5f, VIEW_YELLOW);
    for (int i = 0; i < 2; i++)
        view_page_line(picture, view_joint_place(picture, &picture->figures[0], desc.eyes[i]),
                       point, 0xF2C14E70u);
    const md5_vec3 jump_from = {1, gaze.from.x, gaze.from.y};
    const md5_vec3 jump_to = {1, gaze.to.x, gaze.to.y};
    const double jump_sine = md5_vec3_length(md5_vec3_cross(jump_from, jump_to));
    const double jump_cosine = md5_vec3_dot(jump_from, jump_to);
    const double jump_angle = atan2(jump_sine, jump_cosine) * 57.29577951;
    const float jump_seconds = seconds_of_jump(gaze.from, gaze.to);
    VIEW_FACTS(picture, num_saccades, gaze.target == 0);
    VIEW_FACTS(picture, jump_angle, jump_seconds, degrees(head));
}
