// Lessons on blending: cross-fades, additive poses and masks. Lessons on state machines:
// synchronized clips, and states with transitions.
#include "demo/viewer/pages/page.h"

// -- Cross-fade -----------------------------------------------------------------------------

// The lesson "crossfade" displays the following code, up to "End of the displayed code".

// Blends from one pose to another over `duration` seconds, and returns the weight of the second
// pose.
static float crossfade(const md5_xform *from, const md5_xform *to, uint32_t num_joints,
                       md5_ease_kind easing, double elapsed, double duration, md5_xform *pose)
{
    const float weight = md5_ease((md5_easing){.kind = easing}, (float)(elapsed / duration));
    for (uint32_t i = 0; i < num_joints; i++) {
        pose[i].rotation = md5_quat_slerp(from[i].rotation, to[i].rotation, weight);
        pose[i].translation = md5_vec3_lerp(from[i].translation, to[i].translation, weight);
    }
    return weight;
}

// End of the displayed code.

// The sliders and choices of the lesson, in the order of pages.txt, and its figures.
enum { CROSSFADE_SECONDS, CROSSFADE_EASING };
enum { FIGURE_WALK, FIGURE_MIX, FIGURE_WAVE };

// Fades from the walk to the wave. Plots the height of the right hand in both clips and in the mix,
// and measures the angles between the three poses.
VIEW_SHOW(crossfade)
{
    enum { NUM_POSES = 3 };
    const double begin = 1; // time at which the cross-fade starts, seconds
    const float duration = v[CROSSFADE_SECONDS];
    const uint32_t easing = view_choice(picture, CROSSFADE_EASING);
    const uint32_t num_joints = picture->scene->num_joints;
    const uint32_t hand = view_page_joint(picture, "hand_r");
    view_plot *const plot = &picture->plots[0];
    const double current_time = fmod(picture->time, plot->row.high.x);
    md5_xform *const walk = picture->figures[FIGURE_WALK].pose;
    md5_xform *const mix = picture->figures[FIGURE_MIX].pose;
    md5_xform *const wave = picture->figures[FIGURE_WAVE].pose;
    const md5_xform *const poses[NUM_POSES] = {walk, wave, mix}; // in the order of the series

    // The last step of the loop is at the current time and computes the poses of the figures.
    float weight = 0; // weight of the wave
    for (int i = 0; i < VIEW_PAGE_POINTS + 1; i++) {
        const double time = view_step_x(plot, i, current_time);
        view_sample_clip(picture, "walk", time, walk);
        view_sample_clip(picture, "wave", time, wave);
        weight = crossfade(walk, wave, num_joints, easing, time - begin, duration, mix);
        for (int series = 0; series < NUM_POSES; series++) {
            const md5_vec3 position = view_posed_position(picture, poses[series], hand);
            view_plot_step(plot, series, i, time, position.z);
        }
    }

    VIEW_FACTS(picture, current_time - begin, weight);
    VIEW_FACTS(picture, view_largest_angle(picture, walk, mix),
               view_largest_angle(picture, wave, mix), view_largest_angle(picture, walk, wave));
}

// -- Players --------------------------------------------------------------------------------

// A state machine that a lesson plays.
typedef struct playing {
    md5_machine *machine;
    md5_player *player;
    void *scratch; // memory for md5_player_pose()
} playing;

// Binds the clips of a machine file to the clips of the character with the same names.
// md5_create_machine() reports a missing binding as an error.
static void bind_clips(md5_machine_file *file, const view_picture *picture)
{
    for (uint32_t i = 0; i < file->desc.num_clips; i++) {
        const view_clip *const clip = view_page_clip(picture, file->clips[i].name);
        file->clips[i].binding = clip != NULL ? clip->binding : NULL;
    }
}

// Parses the machine that the lesson displays, in which the values of the sliders are inserted, and
// starts a player. Returns false if the character lacks a clip of the machine. Call end_playing()
// in both cases.
static bool begin_playing(playing *p, const view_picture *picture)
{
    *p = (playing){.machine = NULL};
    char *const text = view_page_lines(picture->page, picture->values);
    md5_machine_file *const file = md5_parse_machine_file(text, strlen(text), NULL, NULL);
    free(text);
    if (file == NULL)
        return false;
    bind_clips(file, picture);
    file->desc.model = picture->model;
    p->machine = md5_create_machine(&file->desc, NULL, NULL);
    md5_free_machine_file(file);
    if (p->machine == NULL)
        return false;

    p->player = md5_create_player(p->machine, NULL, NULL);
    p->scratch = common_alloc(1, md5_player_pose_scratch(p->machine));
    return p->player != NULL;
}

// Frees the player and the machine.
static void end_playing(playing *p)
{
    md5_destroy_player(p->player);
    md5_destroy_machine(p->machine);
    free(p->scratch);
}

// Advances a player by a time, and writes its pose.
static void play(playing *p, double seconds, md5_xform *pose)
{
    md5_player_advance(p->player, seconds, NULL, NULL);
    md5_player_pose(p->player, pose, NULL, NULL, p->scratch);
}

// -- Additive -------------------------------------------------------------------------------

// The lesson "additive" displays the following code, up to "End of the displayed code".

// Returns the rotation that leads from `from` to `to`, in the axes of the joint or of its parent.
static md5_quat rotation_between(md5_quat from, md5_quat to, bool in_parent)
{
    if (in_parent)
        return md5_quat_mul(to, md5_quat_conjugate(from));
    return md5_quat_mul(md5_quat_conjugate(from), to);
}

// Adds a weighted difference to a rotation. In the axes of the joint, a nod remains a nod.
static md5_quat add_rotation(md5_quat pose, md5_quat difference, float weight, bool in_parent)
{
    if (weight < 0.0f) // a negative weight adds the inverse rotation
        difference = md5_quat_conjugate(difference);
    const md5_quat part = md5_quat_slerp((md5_quat){.w = 1.0f}, difference, fabsf(weight));
    return in_parent ? md5_quat_mul(part, pose) : md5_quat_mul(pose, part);
}

// End of the displayed code.

// Returns the sideways tilt of the head: the elevation of its left axis above the horizon, degrees.
// Draws the axes of the head.
static double show_tilt(view_picture *picture, const view_figure *figure, uint32_t head)
{
    md5_xform placement = md5_joint_in_model(picture->skeleton, figure->pose, head);
    const md5_vec3 left = md5_quat_rotate(placement.rotation, (md5_vec3){0, 1, 0});
    placement.translation = md5_xform_point(figure->placement, placement.translation);
    view_add_frame(picture, placement, 22);
    return view_degrees(asinf(view_clamp(left.z, -1, 1)));
}

// The sliders and choices of the lesson, in the order of pages.txt, and its two figures. One figure
// adds the difference in the axes of each joint, the other in the axes of the joint's parent.
enum { ADDITIVE_DIFFERENCE, ADDITIVE_YAW, ADDITIVE_WEIGHT };
enum { FIGURE_IN_JOINT, FIGURE_IN_PARENT, NUM_ADDITIVE_FIGURES };

// Computes the two poses whose difference is added. `plain` stands. `changed` is a pose of a yawn
// if is_yawn is true, otherwise a nod. The nod is made for a head that looks ahead.
static void get_difference(const view_picture *picture, bool is_yawn, md5_xform *plain,
                           md5_xform *changed)
{
    const double yawn_time = 2.9; // seconds
    const md5_quat nod = md5_quat_from_euler((md5_euler){.pitch = 30});
    view_sample_clip(picture, "stand", 0, plain);
    if (is_yawn) {
        view_sample_clip(picture, "yawn", yawn_time, changed);
        return;
    }
    const uint32_t head = view_page_joint(picture, "head");
    memcpy(changed, plain, picture->scene->num_joints * sizeof *plain);
    changed[head].rotation = md5_quat_mul(plain[head].rotation, nod);
}

// Adds the difference of two poses, from `plain` to `changed`, to the pose of a figure.
static void add_difference(const view_figure *figure, const md5_xform *plain,
                           const md5_xform *changed, uint32_t num_joints, float weight,
                           bool in_parent)
{
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        md5_quat *const rotation = &figure->pose[joint].rotation;
        const md5_quat difference =
            rotation_between(plain[joint].rotation, changed[joint].rotation, in_parent);
        *rotation = add_rotation(*rotation, difference, weight, in_parent);
    }
}

// Adds the difference of two poses to a clip. One figure adds it in the axes of each joint, the
// other in the axes of the joint's parent. Compares the rotations of the heads.
VIEW_SHOW(additive)
{
    const bool is_tired = view_choice(picture, ADDITIVE_DIFFERENCE) == 1;
    const char *const clip = is_tired ? "walk" : "breathe";
    const uint32_t head = view_page_joint(picture, "head");
    const md5_quat head_rotation = md5_quat_from_euler((md5_euler){.yaw = v[ADDITIVE_YAW]});
    md5_xform *const plain = view_spare_pose(picture, 0);
    md5_xform *const changed = view_spare_pose(picture, 1);
    get_difference(picture, is_tired, plain, changed);

    for (int i = 0; i < NUM_ADDITIVE_FIGURES; i++) {
        const view_figure *const figure = &picture->figures[i];
        const bool in_parent = i == FIGURE_IN_PARENT;
        view_sample_clip(picture, clip, picture->time, figure->pose);
        figure->pose[head].rotation = md5_quat_mul(figure->pose[head].rotation, head_rotation);
        add_difference(figure, plain, changed, picture->scene->num_joints, v[ADDITIVE_WEIGHT],
                       in_parent);
        VIEW_FACTS(picture, show_tilt(picture, figure, head));
    }

    // Compare the rotations of the head: of both figures, and with the clip before the addition.
    md5_xform *const clip_pose = view_spare_pose(picture, 2);
    view_sample_clip(picture, clip, picture->time, clip_pose);
    const md5_quat before = md5_quat_mul(clip_pose[head].rotation, head_rotation);
    const md5_quat in_joint = picture->figures[FIGURE_IN_JOINT].pose[head].rotation;
    const md5_quat in_parent = picture->figures[FIGURE_IN_PARENT].pose[head].rotation;
    VIEW_FACTS(picture, view_angle(in_joint, in_parent), view_angle(before, in_joint));
}

// -- Masks ----------------------------------------------------------------------------------

// The lesson "masks" displays the following code, up to "End of the displayed code".

// Returns the weight of a joint. With feathering, the weight increases over "feather"
// levels below the root of the mask. Joints below these levels have the weight 1.
static float mask_weight(const md5_skeleton *skeleton, uint32_t joint, uint32_t root,
                         uint32_t feather)
{
    uint32_t level = 1; // level of the root
    while (joint != root && joint != MD5_NONE) {
        joint = skeleton->joints[joint].parent;
        level++;
    }
    return joint == MD5_NONE ? 0.0f : fminf((float)level / (float)(feather + 1), 1.0f);
}

static void blend_masked(const md5_xform *a, const md5_xform *b, const float *mask, float weight,
                         uint32_t num_joints, md5_xform *pose)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        pose[i].rotation = md5_quat_slerp(a[i].rotation, b[i].rotation, weight * mask[i]);
        pose[i].translation = md5_vec3_lerp(a[i].translation, b[i].translation, weight * mask[i]);
    }
}

// End of the displayed code.

// The sliders of the lesson, in the order of pages.txt.
enum { MASKS_FEATHER, MASKS_WEIGHT };

// Draws each bone in the color of its joint's weight, from blue (0) to red (1).
static void draw_weights(view_picture *picture, const view_figure *figure, const float *weights)
{
    for (uint32_t i = 0; i < picture->skeleton->num_joints; i++) {
        const uint32_t red = (uint32_t)(255 * weights[i]);
        const uint32_t green = 0x60;
        const uint32_t blue = 255 - red;
        view_add_bone(picture, figure, i, red << 24 | green << 16 | blue << 8 | 0xFFu);
    }
}

// Adds the weights of some joints as facts, and plots the weights of the spine from bottom to top.
static void show_weights(view_picture *picture, const float *weights)
{
    enum { NUM_SPINE_JOINTS = 4 };
    static const char *const names[] = {"spine_1", "spine_2", "chest", "neck", "thigh_l"};
    for (int i = 0; i < (int)COMMON_LENGTH(names); i++) {
        const float weight = weights[view_page_joint(picture, names[i])];
        VIEW_FACTS(picture, weight);
        const bool is_in_spine = i < NUM_SPINE_JOINTS;
        if (is_in_spine) {
            view_add_point(&picture->plots[0], 0, i, weight);
            view_add_mark(&picture->plots[0], i, weight, VIEW_YELLOW);
        }
    }
}

// Blends the wave into the walk with the mask of the upper body. Plots the weights of the spine's
// joints, and measures how far the joints differ from the two clips.
VIEW_SHOW(masks)
{
    enum { MAX_JOINTS = 128 };
    const md5_skeleton *const skeleton = picture->skeleton;
    const view_figure *const figure = &picture->figures[0];
    if (skeleton->num_joints > MAX_JOINTS)
        return;

    float weights[MAX_JOINTS] = {0};
    md5_xform *const walk = view_spare_pose(picture, 0);
    md5_xform *const wave = view_spare_pose(picture, 1);
    view_sample_clip(picture, "walk", picture->time, walk);
    view_sample_clip(picture, "wave", picture->time, wave);
    const uint32_t root = view_page_joint(picture, "spine_1");
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        weights[i] = mask_weight(skeleton, i, root, view_choice(picture, MASKS_FEATHER));
    blend_masked(walk, wave, weights, v[MASKS_WEIGHT], skeleton->num_joints, figure->pose);
    draw_weights(picture, figure, weights);
    show_weights(picture, weights);

    const uint32_t thigh = view_page_joint(picture, "thigh_l");
    const uint32_t hand = view_page_joint(picture, "hand_l");
    VIEW_FACTS(picture, view_angle(figure->pose[thigh].rotation, walk[thigh].rotation),
               view_angle(figure->pose[hand].rotation, wave[hand].rotation));
}

// == State machines ========================================================================
//
// Synchronized clips, states with transitions, windows.

// -- Synchronization ------------------------------------------------------------------------

enum { STEPS_OF_GAIT = 4 * VIEW_PAGE_STEPS };

// The states of the lesson's machine, which are also the indices of the figures and series. In the
// first, each clip plays at its own rate; in the second, the clips are synchronized.
enum { GAIT_OWN_RATES, GAIT_SYNCHRONIZED, NUM_GAITS };

// Returns the smallest range of the values in any window of `num_steps` steps.
static float smallest_range(const float values[STEPS_OF_GAIT + 1], int num_steps)
{
    float smallest = INFINITY;
    for (int first = 0; first + num_steps <= STEPS_OF_GAIT; first++) {
        float low = INFINITY;
        float high = -INFINITY;
        for (int i = first; i <= first + num_steps; i++) {
            low = fminf(low, values[i]);
            high = fmaxf(high, values[i]);
        }
        smallest = fminf(smallest, high - low);
    }
    return smallest;
}

static const double gait_span = 3; // time that the plot shows, seconds

// Returns the duration of one cycle of the mix of both clips, seconds. `gait` is 0 for the walk and
// 1 for the run. The rate of the mix is the mean of both rates, weighted by `gait`.
static double mixed_cycle(const view_picture *picture, float gait)
{
    const double walk = view_page_clip(picture, "walk")->anim->duration;
    const double run = view_page_clip(picture, "run")->anim->duration;
    return 1.0 / ((1.0 - gait) / walk + gait / run);
}

// Plays a state of the lesson's machine. Plots the forward position of the left foot, and stores it
// in forward[STEPS_OF_GAIT + 1]. Poses the figure of this state at the current time. Returns false
// if the machine cannot be played.
static bool play_gait(view_picture *picture, int state, float gait, float *forward)
{
    enum { STEPS_PER_POINT = STEPS_OF_GAIT / VIEW_PAGE_STEPS };
    const double current_time = fmod(picture->time, gait_span);
    const double step = gait_span / (double)STEPS_OF_GAIT;
    const uint32_t foot = view_page_joint(picture, "foot_l");
    md5_xform *const pose = view_spare_pose(picture, 0);
    playing p;
    if (!begin_playing(&p, picture)) {
        end_playing(&p);
        return false;
    }
    md5_player_set(p.player, 0, gait);
    (void)md5_player_fade_to(p.player, 0, (uint32_t)state, 0, MD5_FADE_CROSS, MD5_EASE_SMOOTH);
    for (int i = 0; i <= STEPS_OF_GAIT; i++) {
        play(&p, i > 0 ? step : 0, pose);
        forward[i] = view_posed_position(picture, pose, foot).x;
        if (i % STEPS_PER_POINT == 0)
            view_add_point(&picture->plots[0], state, step * i, forward[i]);
        if (step * i <= current_time)
            memcpy(picture->figures[state].pose, pose, picture->scene->num_joints * sizeof *pose);
    }
    end_playing(&p);
    return true;
}

// Plots the forward position of the left foot over some seconds. Computes the smallest step of the
// foot: the smallest range of this position in any interval of one cycle.
VIEW_SHOW(sync)
{
    const float gait = v[0]; // 0 = walk, 1 = run
    const double step = gait_span / (double)STEPS_OF_GAIT;
    for (int state = 0; state < NUM_GAITS; state++) {
        float forward[STEPS_OF_GAIT + 1];
        if (!play_gait(picture, state, gait, forward))
            return;
        const int steps_per_cycle = (int)lround(mixed_cycle(picture, gait) / step);
        VIEW_FACTS(picture, smallest_range(forward, steps_per_cycle));
    }
}

// -- States ---------------------------------------------------------------------------------

// The states of the machine, in their order.
static const char *const state_names[] = {"stand", "go"};

// Draws the names of the states above the character; the current state is yellow. The line between
// the names is red during a transition.
static void draw_states(view_picture *picture, md5_layer_status status)
{
    const float distance = 16; // distance of the names from the middle, units
    const float height = 66;
    const float free_space = 9; // distance between a name and the line
    for (uint32_t state = 0; state < 2; state++) {
        const md5_vec3 position = {0, state == 0 ? -distance : distance, height};
        view_add_label(picture, position, status.state == state ? VIEW_YELLOW : VIEW_PLAIN,
                       state_names[state]);
    }
    const bool is_changing = status.from != MD5_NONE;
    const float line_end = distance - free_space;
    view_page_line(picture, (md5_vec3){0, -line_end, height}, (md5_vec3){0, line_end, height},
                   is_changing ? VIEW_RED : VIEW_DIM_LINE);
}

// The values that the plots of the lesson about state machines show for one point in time.
typedef struct machine_values {
    md5_layer_status status;
    float speed; // parameter
    float state; // during a transition between the indices of both states
    float wave;  // weight of the one-shot clip
} machine_values;

// Reads the state and the weights of a player whose parameter has been set to `speed`.
static machine_values read_machine(const md5_player *player, float speed)
{
    const md5_layer_status status = md5_player_layer(player, 0);
    const float to = (float)status.state;
    const float from = status.from != MD5_NONE ? (float)status.from : to;
    return (machine_values){
        .status = status,
        .speed = speed,
        .state = from + (to - from) * status.progress,
        .wave = md5_player_one_shot(player, 0).weight,
    };
}

// Adds the facts of the lesson: the values at the time `current_time` of the plot.
static void add_machine_facts(view_picture *picture, double current_time,
                              const machine_values *shown)
{
    const md5_layer_status status = shown->status;
    VIEW_FACTS(picture, current_time, shown->speed, shown->wave);
    view_add_text_fact(picture, "state", status.state, state_names[status.state & 1]);
    if (status.from != MD5_NONE)
        view_add_text_fact(picture, "transition from", status.from, state_names[status.from & 1]);
    else
        view_add_text_fact(picture, "transition from", -1, "no transition");
    VIEW_FACTS(picture, status.progress);
}

// Plots the values of the machine at a time. The first plot shows the state and the weight of the
// one-shot, the second the speed.
static void plot_machine(view_plot plots[2], double time, const machine_values *values)
{
    enum { SERIES_STATE, SERIES_WAVE };
    view_add_point(&plots[0], SERIES_STATE, time, values->state);
    view_add_point(&plots[0], SERIES_WAVE, time, values->wave);
    view_add_point(&plots[1], 0, time, values->speed);
}

// Plays the machine of the lesson from the start, and plots its state, its one-shot and its speed.
// The speed rises within two seconds, remains constant, and falls again.
VIEW_SHOW(machine)
{
    enum { SLIDER_SPEED, SLIDER_WAVE_TIME };
    enum { PARAMETER_SPEED, TRIGGER_WAVE };
    const float top_speed = v[SLIDER_SPEED];
    const float wave_time = v[SLIDER_WAVE_TIME];
    view_plot *const plots = picture->plots;
    const double length = plots->row.high.x;
    const double current_time = fmod(picture->time, length);
    const double tick = length / (double)VIEW_PAGE_STEPS;
    const int wave_tick = (int)lround(wave_time / tick);

    // Show the values at the last step of the plot before `current_time`.
    machine_values shown = {.status = {.from = MD5_NONE}};
    playing p;
    const bool plays = begin_playing(&p, picture);
    for (int i = 0; plays && tick * i <= length; i++) {
        const double time = tick * i;
        const double seconds_to_end = fmin(time, length - time); // to the nearer end
        const float speed = top_speed * (float)fmin(seconds_to_end / 2, 1);
        md5_player_set(p.player, PARAMETER_SPEED, speed);
        if (i == wave_tick)
            md5_player_set(p.player, TRIGGER_WAVE, 1);
        md5_player_advance(p.player, i > 0 ? tick : 0, NULL, NULL);

        const machine_values values = read_machine(p.player, speed);
        plot_machine(plots, time, &values);
        if (time <= current_time) {
            md5_player_pose(p.player, picture->figures[0].pose, NULL, NULL, p.scratch);
            shown = values;
        }
    }
    end_playing(&p);

    view_add_mark(&plots[0], current_time, shown.state, VIEW_YELLOW);
    view_add_mark(&plots[1], current_time, shown.speed, VIEW_BLUE);
    draw_states(picture, shown.status);
    add_machine_facts(picture, current_time, &shown);
}
