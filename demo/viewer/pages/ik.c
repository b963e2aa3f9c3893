// Lessons on inverse kinematics: solvers, and a procedural gait.
#include "demo/viewer/pages/page.h"

// The lesson "ik" displays the following code, up to "End of the displayed code".

// Two bones have a closed formula: the law of cosines gives the angle of the elbow.
static float elbow_angle(float upper, float lower, float apart)
{
    const float cosine = (upper * upper + lower * lower - apart * apart) / (2.0f * upper * lower);
    return acosf(fminf(fmaxf(cosine, -1.0f), 1.0f));
}

// Cyclic coordinate descent is for longer chains. It visits each joint, from the parent of
// the hand to the root, and rotates it so that the hand is in the direction of the target.
// Returns this rotation in the space of the joint.
static md5_quat aim_joint(md5_xform joint, md5_vec3 hand, md5_vec3 target)
{
    const md5_vec3 x = {1, 0, 0};
    const md5_vec3 a = md5_vec3_normalize(md5_vec3_sub(hand, joint.translation), x);
    const md5_vec3 b = md5_vec3_normalize(md5_vec3_sub(target, joint.translation), a);
    const md5_vec3 axis = md5_vec3_cross(a, b);
    const md5_quat a_to_b = {axis.x, axis.y, axis.z, 1.0f + md5_vec3_dot(a, b)};
    const md5_quat in_model = md5_quat_normalize(a_to_b, (md5_quat){.w = 1});
    const md5_quat to_joint = md5_quat_conjugate(joint.rotation);
    return md5_quat_mul(md5_quat_mul(to_joint, in_model), joint.rotation);
}

// End of the displayed code.

// Computes one iteration of cyclic coordinate descent with the displayed code. `tip` is the hand,
// and `length` the number of joints of the chain.
static void descend(const md5_skeleton *skeleton, uint32_t tip, uint32_t length, md5_vec3 target,
                    md5_xform *pose)
{
    uint32_t joint = skeleton->joints[tip].parent;
    for (; length > 1 && joint != MD5_NONE; joint = skeleton->joints[joint].parent, length--) {
        const md5_xform joint_in_model = md5_joint_in_model(skeleton, pose, joint);
        const md5_vec3 hand = md5_joint_in_model(skeleton, pose, tip).translation;
        const md5_quat rotation = aim_joint(joint_in_model, hand, target);
        pose[joint].rotation = md5_quat_mul(pose[joint].rotation, rotation);
    }
}

// The methods of the lesson, in the order of its choice.
enum { METHOD_TWO_BONE, METHOD_CCD, METHOD_FABRIK, METHOD_LEAST_SQUARES, NUM_METHODS };

// Moves the chain's tip to the target with one of the four methods. The two-bone method is a closed
// formula, so more than one iteration does not change its result. Returns the remaining distance
// between tip and target, units.
static float reach(int method, const md5_skeleton *skeleton, md5_chain_job job, md5_xform *pose)
{
    const md5_vec3 pole = {4, 17, 0}; // the elbow bends down, so that the camera shows its angle
    const md5_two_bone_job arm = {
        .tip = job.tip, .target = job.target, .pole = &pole, .weight = 1.0f};
    if (method == METHOD_TWO_BONE) {
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
    view_page_cross(picture, md5_xform_point(figure->placement, target), 3, target_color);
    for (uint32_t joint = tip; length > 1 && joint != MD5_NONE; length--) {
        view_add_bone(picture, figure, joint, color);
        joint = picture->skeleton->joints[joint].parent;
    }
}

enum { MAX_ITERATIONS = 24 }; // the maximum of the plot's axis

// Plots the remaining distance of a method over the number of iterations, on a logarithmic axis.
// Each number of iterations begins at the pose of the figure. Returns the number of iterations
// after which the distance remains below 0.01 units. If it never does, the result exceeds
// MAX_ITERATIONS.
static uint32_t plot_method(view_picture *picture, int method, md5_chain_job job)
{
    md5_xform *const pose = view_spare_pose(picture, 0);
    uint32_t num_needed = 0;
    for (job.iterations = 0; job.iterations <= MAX_ITERATIONS; job.iterations++) {
        memcpy(pose, picture->figures[0].pose, picture->scene->num_joints * sizeof *pose);
        const float distance = reach(method, picture->skeleton, job, pose);
        view_add_point(picture->plots, method, job.iterations, log10f(fmaxf(distance, 1e-5f)));
        if (distance > 0.01f)
            num_needed++;
    }
    return num_needed;
}

// Adds the number of iterations that a method needs as a fact. If plot_method() did not find a
// sufficient number, adds a text instead.
static void add_iterations_fact(view_picture *picture, uint32_t num_needed)
{
    const bool is_reached = num_needed <= MAX_ITERATIONS;
    VIEW_FACTS(picture, is_reached ? (double)num_needed : (double)NAN);
    if (!is_reached)
        picture->facts[picture->num_facts - 1].text = "more than 24 iterations";
}

// Moves the hand to a target with the selected method. Plots the remaining distance of each method
// over the number of iterations, and counts the iterations that each method needs.
VIEW_SHOW(ik)
{
    enum { CHOICE_METHOD, SLIDER_LEFT, SLIDER_UP };
    enum { NUM_CHAIN_JOINTS = 4, NUM_TWO_BONE_JOINTS = 3 };
    const float forward = 4; // x of the target, units
    const int shown_method = (int)view_choice(picture, CHOICE_METHOD);
    view_figure *const figure = &picture->figures[0];
    const md5_chain_job job = {.tip = view_page_joint(picture, "hand_l"),
                               .length = NUM_CHAIN_JOINTS,
                               .target = {forward, v[SLIDER_LEFT], v[SLIDER_UP]},
                               .iterations = MAX_ITERATIONS,
                               .weight = 1};

    // Measure the arm before the figure is posed.
    const md5_joint *const joints = picture->skeleton->joints;
    const uint32_t elbow = joints[job.tip].parent;
    const uint32_t shoulder = joints[elbow].parent;
    const float upper = md5_vec3_length(figure->pose[elbow].translation);
    const float lower = md5_vec3_length(figure->pose[job.tip].translation);
    const float apart =
        view_distance(view_posed_position(picture, figure->pose, shoulder), job.target);

    for (int method = 0; method < NUM_METHODS; method++) {
        const uint32_t num_needed = plot_method(picture, method, job);
        if (method != METHOD_TWO_BONE)
            add_iterations_fact(picture, num_needed);
    }
    VIEW_FACTS(picture, view_degrees(elbow_angle(upper, lower, apart)));

    (void)reach(shown_method, picture->skeleton, job, figure->pose);
    add_chain(picture, figure, job.target, job.tip,
              shown_method == METHOD_TWO_BONE ? NUM_TWO_BONE_JOINTS : NUM_CHAIN_JOINTS, VIEW_RED,
              VIEW_YELLOW);
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

// Returns the height of the hills.
static float height_at(float x, float y)
{
    const float height = 4; // units
    return height * (sinf(0.071f * x) * cosf(0.083f * y) + 0.5f * sinf(0.11f * y + 1));
}

// Implements md5_terrain_fn.
static float terrain(void *user, md5_vec3 at, md5_vec3 *normal)
{
    (void)user;
    const float height = height_at(at.x, at.y);
    *normal = (md5_vec3){height - height_at(at.x + 1, at.y), height - height_at(at.x, at.y + 1), 1};
    return height;
}

// The lesson "walk" displays the following code, up to "End of the displayed code".

// Returns the velocity of a home, the rest position of a foot, in the space of the body.
static md5_vec3 foot_velocity(md5_vec3 home, md5_vec3 velocity, float turn_rate)
{
    return (md5_vec3){velocity.x - turn_rate * home.y, velocity.y + turn_rate * home.x, velocity.z};
}

// Returns the distance of a foot behind its home, which moves at the velocity. If the distance
// exceeds a limit, a group of legs steps.
static float foot_lag(md5_vec3 home, md5_vec3 velocity, md5_vec3 foot)
{
    const md5_vec3 forward = md5_vec3_normalize(velocity, (md5_vec3){0.0f, 0.0f, 0.0f});
    return md5_vec3_dot(md5_vec3_sub(home, foot), forward);
}

// A step ends at the home in the middle of the next stance. Step and stance take equal times.
static md5_vec3 plan_step(md5_vec3 home, md5_vec3 velocity, float seconds)
{
    return md5_vec3_add(home, md5_vec3_scale(velocity, 1.5f * seconds));
}

// Moves a foot along a line with an arc above it. The velocity is 0 at both ends.
static md5_vec3 foot_at(md5_vec3 from, md5_vec3 to, float lift, float t)
{
    md5_vec3 at = md5_vec3_lerp(from, to, t * t * (3.0f - 2.0f * t));
    at.z += 16.0f * lift * t * t * (1.0f - t) * (1.0f - t);
    return at;
}

// End of the displayed code.

// The sliders of the lesson, in the order of pages.txt.
enum { WALK_SPEED, WALK_TURN };

// Measurements of the walk up to the current time. A foot stands while it is on the ground. Its
// ankle should then not slide.
typedef struct walked {
    md5_vec3 prints[MAX_PRINTS]; // ring buffer of the positions where feet were placed
    uint32_t num_prints;
    bool stood[MD5_MAX_LEGS];      // the foot was on the ground in the last pose
    md5_vec3 stands[MD5_MAX_LEGS]; // position of the ankle when the foot touched the ground
    double slid; // maximum distance that an ankle slid while the foot stood, units
} walked;

// Poses the character at the current time of the gait, and measures how far the ankles of standing
// feet have slid since the feet touched the ground.
static void watch_legs(view_picture *picture, const md5_gait_desc *desc, const md5_gait *gait,
                       walked *seen)
{
    view_figure walker = {.pose = view_spare_pose(picture, 0),
                          .placement = md5_gait_placement(gait)};
    view_sample_clip(picture, NULL, 0, walker.pose);
    md5_gait_pose(desc, gait, walker.pose);
    for (uint32_t j = 0; j < gait->num_legs; j++) {
        const bool is_standing = !gait->feet[j].is_stepping;
        const md5_vec3 ankle = view_joint_position(picture, &walker, desc->legs[j].limb.tip);
        if (is_standing && !seen->stood[j])
            seen->stands[j] = ankle;
        if (is_standing)
            seen->slid = fmax(seen->slid, view_distance(ankle, seen->stands[j]));
        seen->stood[j] = is_standing;
    }
}

// Stores the positions of the feet that have ended a step since the state `before`.
static void store_prints(walked *seen, const md5_gait *before, const md5_gait *gait)
{
    for (uint32_t leg = 0; leg < gait->num_legs; leg++) {
        const md5_foothold *const foot = &gait->feet[leg];
        const bool has_landed = before->feet[leg].is_stepping && !foot->is_stepping;
        if (has_landed)
            seen->prints[seen->num_prints++ % MAX_PRINTS] = foot->position;
    }
}

// Plots which feet are in the air at a time. Each leg has its own line, at the height of its
// negative index. The line is higher while the foot is in the air.
static void plot_stepping(view_plot *plot, const md5_gait *gait, double time)
{
    for (uint32_t leg = 0; leg < gait->num_legs && leg < VIEW_PAGE_SERIES; leg++) {
        const double height = gait->feet[leg].is_stepping ? 0.6 : 0;
        view_add_point(plot, (int)leg, time, height - leg);
    }
}

// Simulates the walk from the start to the time `current_time`. Stores the footprints and the
// measurements in `seen`, and plots when each foot was in the air during the last seconds.
static void simulate_walk(view_picture *picture, const md5_gait_desc *desc, double current_time,
                          md5_gait *gait, walked *seen)
{
    enum { TICKS_PER_POINT = 4 };
    const int num_ticks = (int)(current_time / walk_tick);
    const int first_shown = num_ticks - (int)(walk_shown / walk_tick);
    const float turn_rate = view_radians(picture->values[WALK_TURN]);
    const md5_vec3 velocity = {picture->values[WALK_SPEED], 0, 0};
    for (int i = 0; i < num_ticks; i++) {
        const md5_gait before = *gait;
        md5_gait_advance(desc, gait, velocity, turn_rate, walk_tick);
        store_prints(seen, &before, gait);
        if (i < first_shown)
            continue;
        watch_legs(picture, desc, gait, seen);
        if (i % TICKS_PER_POINT == 0)
            plot_stepping(picture->plots, gait, (i - num_ticks) * walk_tick);
    }
}

// Draws the terrain around a position as a grid of lines in both directions.
static void draw_terrain(view_picture *picture, md5_vec3 center)
{
    enum { CELLS = 14 };
    const float cell = 8; // units
    const float first_x = floorf(center.x / cell - 0.5f * (float)CELLS) * cell;
    const float first_y = floorf(center.y / cell - 0.5f * (float)CELLS) * cell;
    for (int direction = 0; direction < 2; direction++) {
        const bool is_along_x = direction == 0;
        for (int line = 0; line <= CELLS; line++) {
            for (int k = 0; k <= CELLS; k++) { // points of the line
                const float x = first_x + cell * (float)(is_along_x ? k : line);
                const float y = first_y + cell * (float)(is_along_x ? line : k);
                const md5_vec3 point = {x, y, height_at(x, y)};
                view_draw_to(picture, point, k > 0 ? VIEW_DIM_LINE : 0);
            }
        }
    }
}

// Draws the arc on which a foot moves to the target of its step.
static void draw_step_arc(view_picture *picture, const md5_foothold *foot)
{
    enum { ARC_CHORDS = 16 };
    for (int i = 0; i <= ARC_CHORDS; i++) {
        const float part = (float)i / (float)ARC_CHORDS;
        const md5_vec3 point = foot_at(foot->from, foot->to, foot->lift, part);
        view_draw_to(picture, point, i > 0 ? VIEW_YELLOW : 0);
    }
}

// Draws the position of each foot. During a step, draws its target and the arc of the step instead.
// Also draws the position that the displayed code plans for the next step. Returns the largest
// distance of a standing foot behind its home. `body` is the placement of the body in the world.
static float draw_feet(view_picture *picture, const md5_gait *gait, md5_xform body)
{
    float largest_lag = 0;
    for (uint32_t i = 0; i < gait->num_legs; i++) {
        const md5_foothold *const foot = &gait->feet[i];
        const md5_vec3 velocity = foot_velocity(foot->home, gait->velocity, gait->turn_rate);
        if (foot->is_stepping) {
            view_page_cross(picture, foot->to, 3, VIEW_YELLOW);
        } else {
            const md5_vec3 in_body = md5_xform_point(md5_xform_inverse(body), foot->position);
            view_page_cross(picture, foot->position, 2.5f, VIEW_GREEN);
            largest_lag = fmaxf(largest_lag, foot_lag(foot->home, velocity, in_body));
        }
        const md5_vec3 planned = plan_step(foot->home, velocity, gait->seconds);
        view_page_cross(picture, md5_xform_point(body, planned), 1, VIEW_VIOLET);
        if (foot->is_stepping)
            draw_step_arc(picture, foot);
    }
    return largest_lag;
}

// Sets the bounding box of the picture to a box around the character, so that the camera follows
// it.
static void follow_walker(view_picture *picture, md5_vec3 position)
{
    picture->bounds.min = md5_vec3_add(position, (md5_vec3){-26, -26, -4});
    picture->bounds.max = md5_vec3_add(position, (md5_vec3){26, 26, 32});
}

// Simulates the walk from its start to the current time on hills, and poses the character. Draws
// the ground, the footprints and the planned steps.
VIEW_SHOW(walk)
{
    view_figure *const figure = &picture->figures[0];
    (void)v;
    view_legs legs;
    if (view_find_legs(picture->scene, &legs) == 0)
        return;
    const md5_gait_desc desc = {.skeleton = picture->skeleton,
                                .legs = legs.legs,
                                .num_legs = legs.num_legs,
                                .num_groups = 2,
                                .body = legs.body,
                                .terrain = terrain,
                                .step_height = 3,
                                .bank = 0.001f};
    md5_gait gait;
    walked seen = {.num_prints = 0};
    const double current_time = fmod(fmax(picture->time, 0), walk_span);
    md5_gait_begin(&desc, figure->pose, figure->placement, &gait);
    simulate_walk(picture, &desc, current_time, &gait, &seen);
    md5_gait_pose(&desc, &gait, figure->pose);
    figure->placement = md5_gait_placement(&gait);
    view_point_pistons(&legs, picture->skeleton, figure->pose);

    draw_terrain(picture, gait.position);
    for (uint32_t i = 0; i < seen.num_prints && i < MAX_PRINTS; i++)
        view_page_cross(picture, seen.prints[i], 1, VIEW_BLUE);
    const float largest_lag = draw_feet(picture, &gait, figure->placement);
    follow_walker(picture, gait.position);
    picture->has_no_floor = true; // the terrain is drawn as lines
    VIEW_FACTS(picture, gait.seconds, largest_lag, seen.slid);
}
