// Cross-fade, inertial transition, additive poses, masks; synchronised clips and a state machine.
#include "demo/viewer/pages/page.h"

#include "demo/common/memory.h"
#include "md5/md5play.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float angle_of(md5_quat a, md5_quat b)
{
    const md5_quat d = md5_quat_mul(md5_quat_conjugate(a), b);
    const float sine = md5_vec3_length((md5_vec3){d.x, d.y, d.z});
    return 2.0f * atan2f(sine, fabsf(d.w)) * 57.2957795f;
}

static float largest_angle(const md5_xform *a, const md5_xform *b, uint32_t count)
{
    float largest = 0.0f;
    for (uint32_t i = 0; i < count; i++)
        largest = fmaxf(largest, angle_of(a[i].rotation, b[i].rotation));
    return largest;
}

static const char *easing_word(float value)
{
    return md5_easing_name((md5_ease_kind)(int)value);
}

// -- Cross-fade -----------------------------------------------------------------------------

// lines of crossfade
static float crossfade(const md5_xform *from, const md5_xform *to, uint32_t num_joints,
                       md5_ease_kind easing, double elapsed, double duration, md5_xform *pose)
{
    const md5_easing curve = {.kind = easing};
    const float weight = md5_ease(curve, (float)(elapsed / duration));
    md5_blend_poses(from, to, weight, NULL, num_joints, pose);
    return weight;
}
// end of lines

static void show_crossfade(view_picture *picture)
{
    const uint32_t count = picture->scene->num_joints, hand = view_page_joint(picture, "hand_r");
    const md5_skeleton *const skeleton = picture->scene->skeleton;
    const md5_ease_kind easing = (md5_ease_kind)view_choice(picture, 1);
    const double duration = (double)picture->values[0], begin = 1.0, length = 4.0;
    const double now = fmod(picture->time, length);
    md5_xform *const from = view_spare_pose(picture, 0), *const to = view_spare_pose(picture, 1),
                     *const mix = view_spare_pose(picture, 2);
    static const char *const names[3] = {"walk", "wave", "cross-fade"};
    static const view_color colors[3] = {VIEW_BLUE, VIEW_GREEN, VIEW_YELLOW};
    view_add_plot(picture, "height of the right hand", "seconds", (md5_vec2){0.0f, 0.0f},
                  (md5_vec2){(float)length, 60.0f});
    for (int which = 0; which < 3; which++) {
        view_add_series(picture, names[which], colors[which]);
        for (int i = 0; i <= 128; i++) {
            const double time = length * i / 128.0;
            view_sample_clip(picture, "walk", time, from);
            view_sample_clip(picture, "wave", time, to);
            (void)crossfade(from, to, count, easing, time - begin, duration, mix);
            const md5_xform at = md5_joint_in_model(skeleton,
                                                    which == 0   ? from
                                                    : which == 1 ? to
                                                                 : mix,
                                                    hand);
            view_add_point(picture, (float)time, at.translation.z);
        }
    }
    view_fit_plot(picture);
    view_sample_clip(picture, "walk", now, from);
    view_sample_clip(picture, "wave", now, to);
    float weight = 0.0f;
    for (int which = 0; which < 3; which++) {
        view_figure *const figure = view_add_figure(picture, 0.0f, 36.0f * (float)(which - 1));
        weight = crossfade(from, to, count, easing, now - begin, duration, mix);
        memcpy(figure->pose,
               which == 0   ? from
               : which == 1 ? mix
                            : to,
               count * sizeof *figure->pose);
        view_add_label(picture, (md5_vec3){0.0f, 36.0f * (float)(which - 1), 58.0f},
                       VIEW_PLAIN_TEXT,
                       names[which == 0   ? 0
                             : which == 1 ? 2
                                          : 1]);
    }
    view_add_mark(picture, (float)now, md5_joint_in_model(skeleton, mix, hand).translation.z,
                  VIEW_RED);
    view_show_box(picture, (md5_vec3){-22.0f, -58.0f, 0.0f}, (md5_vec3){22.0f, 58.0f, 60.0f});
    view_add_fact(picture, "weight of the new", (double)weight, "");
    view_add_fact(picture, "to the old pose", (double)largest_angle(from, mix, count), "°");
    view_add_fact(picture, "to the new pose", (double)largest_angle(to, mix, count), "°");
    view_add_fact(picture, "between both", (double)largest_angle(from, to, count), "°");
}

const view_page view_page_crossfade = {
    .name = "crossfade",
    .title = "Cross-fade",
    .family = "Blending",
    .about =
        "Both clips play during the transition; the weight of the new one rises along an easing. "
        "Rotations are slerped, translations lerped.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 1.5,
    .sliders = {{"seconds", 0.05f, 3.0f, 1.2f, NULL, false},
                {"easing", 0.0f, (float)MD5_EASE_CUBIC_IN_OUT, (float)MD5_EASE_SMOOTH, easing_word,
                 false}},
    .num_sliders = 2,
    .show = show_crossfade,
};

// -- Inertial transition --------------------------------------------------------------------

// lines of inertial
static void change_state(md5_player *player, float seconds, bool inertial)
{
    // Inertial: only the new clip plays, and the difference to it decays.
    (void)md5_player_fade_to(player, 0, 1, seconds, inertial ? MD5_FADE_INERTIAL : MD5_FADE_CROSS,
                             MD5_EASE_SMOOTH);
}
// end of lines

static md5_machine *make_two_states(const view_picture *picture)
{
    static const char *const names[2] = {"run", "attack"};
    md5_clip_desc clips[2];
    for (int i = 0; i < 2; i++) {
        const view_clip *const clip = view_page_clip(picture, names[i]);
        if (clip == NULL)
            return NULL;
        clips[i] = (md5_clip_desc){
            .name = names[i], .binding = clip->binding, .extract = MD5_EXTRACT_WALK};
    }
    const md5_state_desc states[2] = {{"run", "run"}, {"attack", "attack"}};
    const md5_layer_desc layer = {.name = "body", .states = states, .num_states = 2};
    const md5_machine_desc desc = {.name = "two",
                                   .model = picture->scene->model,
                                   .clips = clips,
                                   .layers = &layer,
                                   .num_clips = 2,
                                   .num_layers = 1};
    return md5_create_machine(&desc, NULL, NULL);
}

enum { STEPS = 128 };

// Plays both ways over two seconds; writes the hand's height, and the poses at step `now`.
static void play_ways(view_picture *picture, md5_machine *machine, int now)
{
    static const char *const names[3] = {"cross-fade", "inertial", "new clip alone"};
    static const view_color colors[3] = {VIEW_GREEN, VIEW_YELLOW, VIEW_DIM_LINE};
    const uint32_t count = picture->scene->num_joints, hand = view_page_joint(picture, "hand_r");
    const double step = 2.0 / (double)STEPS, begin = 0.5;
    md5_xform *const before = view_spare_pose(picture, 4);
    for (int way = 0; way < 3; way++) {
        md5_player *const player = md5_create_player(machine, NULL, NULL);
        if (player == NULL)
            return;
        md5_xform *const pose = view_spare_pose(picture, 5), *const kept = view_spare_pose(
                                                                 picture, (uint32_t)way);
        void *const scratch = common_alloc(1, md5_player_pose_scratch(machine));
        float jump = 0.0f;
        view_add_series(picture, names[way], colors[way]);
        for (int i = 0; i <= STEPS; i++) {
            if (i > 0)
                md5_player_advance(player, step, NULL, NULL);
            if (i == (int)(begin / step)) {
                (void)md5_player_pose(player, before, NULL, NULL, scratch);
                change_state(player, way == 2 ? 0.0f : picture->values[0], way == 1);
            }
            (void)md5_player_pose(player, pose, NULL, NULL, scratch);
            view_add_point(picture, (float)(i * step),
                           md5_joint_in_model(picture->scene->skeleton, pose, hand).translation.z);
            if (i == now)
                memcpy(kept, pose, count * sizeof *pose);
            if (i == (int)(begin / step))
                jump = largest_angle(before, pose, count); // in no time
        }
        static const char *const jumps[3] = {"jump, cross-fade", "jump, inertial", "jump, cut"};
        view_add_fact(picture, jumps[way], (double)jump, "°");
        free(scratch);
        md5_destroy_player(player);
    }
}

static void show_inertial(view_picture *picture)
{
    md5_machine *const machine = make_two_states(picture);
    const double now = fmod(picture->time, 2.0);
    const int step = (int)(now / 2.0 * (double)STEPS);
    view_show_box(picture, (md5_vec3){-28.0f, -58.0f, 0.0f}, (md5_vec3){26.0f, 58.0f, 62.0f});
    if (machine == NULL)
        return;
    view_add_plot(picture, "height of the right hand", "seconds", (md5_vec2){0.0f, 0.0f},
                  (md5_vec2){2.0f, 60.0f});
    play_ways(picture, machine, step);
    view_fit_plot(picture);
    const uint32_t count = picture->scene->num_joints;
    static const char *const names[3] = {"cross-fade", "inertial", "cut"};
    for (int way = 0; way < 3; way++) {
        view_figure *const figure = view_add_figure(picture, 0.0f, 37.0f * (float)(way - 1));
        memcpy(figure->pose, view_spare_pose(picture, (uint32_t)way), count * sizeof *figure->pose);
        view_add_label(picture, (md5_vec3){0.0f, 37.0f * (float)(way - 1), 59.0f}, VIEW_PLAIN_TEXT,
                       names[way]);
        view_add_mark(picture, (float)(step * 2.0 / (double)STEPS),
                      picture->plots[0].series[way].points[step].y,
                      picture->plots[0].series[way].color | 0xFFu);
    }
    view_add_fact(picture, "cross-fade to the new",
                  (double)largest_angle(picture->figures[0].pose, picture->figures[2].pose, count),
                  "°");
    view_add_fact(picture, "inertial to the new",
                  (double)largest_angle(picture->figures[1].pose, picture->figures[2].pose, count),
                  "°");
    md5_destroy_machine(machine);
}

const view_page view_page_inertial = {
    .name = "inertial",
    .title = "Inertial transition",
    .family = "Blending",
    .about = "An attack interrupts a run. A cross-fade plays both clips; an inertial transition "
             "plays only the new one and lets the difference between the poses decay. Neither "
             "jumps; a cut does.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.65,
    .sliders = {{"seconds", 0.05f, 1.2f, 0.5f, NULL, false}},
    .num_sliders = 1,
    .show = show_inertial,
};

// -- Additive -------------------------------------------------------------------------------

// lines of additive
static md5_quat add_turn(md5_quat pose, md5_quat difference, bool before)
{
    // The pose first, then the difference in the joint's own axes: a nod stays a nod.
    if (!before)
        return md5_quat_mul(pose, difference);
    return md5_quat_mul(difference, pose); // in the parent's axes
}
// end of lines

static void show_additive(view_picture *picture)
{
    const uint32_t count = picture->scene->num_joints, head = view_page_joint(picture, "head");
    const double time = picture->time;
    const md5_euler turn = {.yaw = picture->values[0]}, nod = {.pitch = picture->values[1]};
    md5_xform *const base = view_spare_pose(picture, 0),
                     *const source = view_spare_pose(picture, 1),
                     *const difference = view_spare_pose(picture, 2);
    view_sample_clip(picture, "breathe", time, base);
    memcpy(source, base, count * sizeof *base);
    // The difference: a nod, as it was made on a head that looks ahead.
    const md5_quat own = base[head].rotation;
    source[head].rotation = md5_quat_mul(own, md5_quat_from_euler(nod));
    md5_subtract_pose(source, base, count, difference);
    base[head].rotation = md5_quat_mul(own, md5_quat_from_euler(turn));
    for (int before = 0; before < 2; before++) {
        const float y = before == 0 ? -24.0f : 24.0f;
        view_figure *const figure = view_add_figure(picture, 0.0f, y);
        memcpy(figure->pose, base, count * sizeof *base);
        if (before == 0)
            md5_add_pose(base, difference, NULL, picture->values[2], NULL, count, figure->pose);
        else
            figure->pose[head].rotation =
                add_turn(base[head].rotation,
                         md5_quat_slerp((md5_quat){.w = 1.0f}, difference[head].rotation,
                                        picture->values[2]),
                         true);
        view_add_label(picture, (md5_vec3){0.0f, y, 57.0f}, VIEW_PLAIN_TEXT,
                       before == 0 ? "pose * difference" : "difference * pose");
        // How far the head leans to its side: its own left axis over the horizon.
        const md5_xform at = md5_joint_in_model(picture->scene->skeleton, figure->pose, head);
        const md5_vec3 left = md5_quat_rotate(at.rotation, (md5_vec3){0.0f, 1.0f, 0.0f});
        view_add_fact(picture, before == 0 ? "leans, pose first" : "leans, difference first",
                      (double)(asinf(fminf(fmaxf(left.z, -1.0f), 1.0f)) * 57.2957795f), "°");
        const md5_xform frame = {at.rotation, md5_xform_point(figure->place, at.translation), 0.0f};
        view_add_frame(picture, frame, 22.0f);
    }
    const md5_quat ours = picture->figures[0].pose[head].rotation;
    const md5_quat expected = add_turn(
        base[head].rotation,
        md5_quat_slerp((md5_quat){.w = 1.0f}, difference[head].rotation, picture->values[2]),
        false);
    view_add_fact(picture, "between the two",
                  (double)angle_of(ours, picture->figures[1].pose[head].rotation), "°");
    view_add_fact(picture, "library to pose * difference", (double)angle_of(ours, expected), "°");
    view_show_box(picture, (md5_vec3){-22.0f, -46.0f, 0.0f}, (md5_vec3){24.0f, 46.0f, 60.0f});
}

const view_page view_page_additive = {
    .name = "additive",
    .title = "Additive poses: the order of factors",
    .family = "Blending",
    .about =
        "A difference, here a nod, is added to a pose, here a turned head. Multiplied from the "
        "right it turns the joint about its own axes; from the left the nod becomes a lean.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.0,
    .sliders = {{"head turned, degrees", -80.0f, 80.0f, 60.0f, NULL, false},
                {"nod, degrees", -40.0f, 40.0f, 30.0f, NULL, false},
                {"weight", -1.0f, 1.0f, 1.0f, NULL, false}},
    .num_sliders = 3,
    .show = show_additive,
};

// -- Masks ----------------------------------------------------------------------------------

// lines of masks
static bool blend_upper_body(const md5_skeleton *skeleton, const md5_xform *legs,
                             const md5_xform *arms, uint32_t feather, float weight,
                             float *joint_weights, md5_xform *pose)
{
    if (!md5_build_mask(skeleton, "*spine_1", feather, joint_weights, NULL))
        return false;
    md5_blend_poses(legs, arms, weight, joint_weights, skeleton->num_joints, pose);
    return true;
}
// end of lines

static void show_masks(view_picture *picture)
{
    static const char *const joints[4] = {"spine_1", "spine_2", "chest", "neck"};
    const md5_skeleton *const skeleton = picture->scene->skeleton;
    float weights[128];
    if (skeleton->num_joints > 128)
        return;
    md5_xform *const legs = view_spare_pose(picture, 0), *const arms = view_spare_pose(picture, 1);
    view_sample_clip(picture, "walk", picture->time, legs);
    view_sample_clip(picture, "wave", picture->time, arms);
    view_figure *const figure = view_add_figure(picture, 0.0f, 0.0f);
    if (!blend_upper_body(skeleton, legs, arms, (uint32_t)view_choice(picture, 0),
                          picture->values[1], weights, figure->pose))
        return;
    // Each bone in the colour of its joint's weight.
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const int32_t parent = skeleton->joints[i].parent;
        const uint32_t red = (uint32_t)(255.0f * weights[i]);
        if (parent >= 0)
            view_add_stroke(picture, view_joint_place(picture, figure, (uint32_t)parent),
                            view_joint_place(picture, figure, i),
                            red << 24 | 0x00600000u | (255u - red) << 8 | 0xFFu);
    }
    view_add_plot(picture, "weight along the spine", "joint: spine_1, spine_2, chest, neck",
                  (md5_vec2){0.0f, 0.0f}, (md5_vec2){3.0f, 1.05f});
    view_add_series(picture, "weight", VIEW_YELLOW);
    for (uint32_t i = 0; i < 4; i++) {
        const float weight = weights[view_page_joint(picture, joints[i])];
        view_add_point(picture, (float)i, weight);
        view_add_mark(picture, (float)i, weight, VIEW_RED);
        view_add_fact(picture, joints[i], (double)weight, "");
    }
    view_add_fact(picture, "thigh_l", (double)weights[view_page_joint(picture, "thigh_l")], "");
    const uint32_t thigh = view_page_joint(picture, "thigh_l"),
                   hand = view_page_joint(picture, "hand_l");
    view_add_fact(picture, "thigh to the walk",
                  (double)angle_of(figure->pose[thigh].rotation, legs[thigh].rotation), "°");
    view_add_fact(picture, "hand to the wave",
                  (double)angle_of(figure->pose[hand].rotation, arms[hand].rotation), "°");
    view_show_box(picture, (md5_vec3){-26.0f, -28.0f, 0.0f}, (md5_vec3){24.0f, 28.0f, 56.0f});
}

const view_page view_page_masks = {
    .name = "masks",
    .title = "Masks and feathering",
    .family = "Blending",
    .about =
        "The legs walk, the upper body waves. A mask has a weight for each joint; feathered, it "
        "rises over several joints of the spine instead of breaking at one.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.9,
    .sliders = {{"feather, levels", 0.0f, 4.0f, 3.0f, NULL, true},
                {"weight", 0.0f, 1.0f, 1.0f, NULL, false}},
    .num_sliders = 2,
    .show = show_masks,
};

// == Synchronised clips and a state machine ================================================
//
// State machines: synchronisation of clips in a blend, and states with transitions.

enum { MOST_CLIPS = 4, STEPS_OF_PLOT = 128 };

// Fills clips with those of the character. Returns false if one is missing.
static bool fill_clips(const view_picture *picture, const char *const *names, uint32_t count,
                       md5_clip_desc clips[MOST_CLIPS])
{
    for (uint32_t i = 0; i < count; i++) {
        const view_clip *const clip = view_page_clip(picture, names[i]);
        if (clip == NULL)
            return false;
        clips[i] = (md5_clip_desc){
            .name = names[i], .binding = clip->binding, .extract = MD5_EXTRACT_WALK};
    }
    return true;
}

typedef struct playing {
    md5_machine *machine;
    md5_player *player;
    void *scratch;
} playing;

static bool begin_playing(playing *p, md5_machine *machine)
{
    *p = (playing){.machine = machine};
    if (machine != NULL)
        p->player = md5_create_player(machine, NULL, NULL);
    if (p->player == NULL)
        return false;
    p->scratch = common_alloc(1, md5_player_pose_scratch(machine));
    return true;
}

static void end_playing(playing *p)
{
    md5_destroy_player(p->player);
    md5_destroy_machine(p->machine);
    free(p->scratch);
}

// -- Synchronisation ------------------------------------------------------------------------

// lines of sync
// MD5_SYNC_PHASE: both clips at the same phase, at the mean of their rates.
static md5_motion_desc blend_gaits(const md5_motion_item items[2], md5_sync sync)
{
    return (md5_motion_desc){.name = "move",
                             .kind = MD5_MOTION_BLEND_1D,
                             .x_parameter = "gait",
                             .sync = sync,
                             .items = items,
                             .num_items = 2};
}
// end of lines

static md5_machine *walk_and_run(const md5_model *model, const md5_clip_desc clips[2],
                                 md5_sync sync)
{
    const md5_parameter_desc gait = {.name = "gait", .kind = MD5_PARAMETER_FLOAT};
    const md5_motion_item items[2] = {{.motion = "walk", .x = 0.0f}, {.motion = "run", .x = 1.0f}};
    const md5_motion_desc motion = blend_gaits(items, sync);
    const md5_state_desc state = {"move", "move"};
    const md5_layer_desc layer = {.name = "body", .states = &state, .num_states = 1};
    const md5_machine_desc desc = {.name = "gaits",
                                   .model = model,
                                   .clips = clips,
                                   .parameters = &gait,
                                   .motions = &motion,
                                   .layers = &layer,
                                   .num_clips = 2,
                                   .num_parameters = 1,
                                   .num_motions = 1,
                                   .num_layers = 1};
    return md5_create_machine(&desc, NULL, NULL);
}

enum { STEPS_OF_GAIT = 4 * 128 };

// The smallest range of so many steps in a row.
static float smallest_range(const float places[STEPS_OF_GAIT + 1], int num_steps)
{
    float smallest = INFINITY;
    for (int first = 0; first + num_steps <= STEPS_OF_GAIT; first++) {
        float low = INFINITY, high = -INFINITY;
        for (int i = first; i <= first + num_steps; i++) {
            low = fminf(low, places[i]);
            high = fmaxf(high, places[i]);
        }
        smallest = fminf(smallest, high - low);
    }
    return smallest;
}

// The left foot over some seconds, forward and backward; returns the smallest step of a cycle.
static float play_gait(view_picture *picture, playing *p, const char *name, view_color color,
                       float gait, md5_xform *kept)
{
    const double length = 3.0, now = fmod(picture->time, length);
    const uint32_t foot = view_page_joint(picture, "foot_l");
    md5_xform *const pose = view_spare_pose(picture, 0);
    (void)md5_player_set(p->player, 0, gait);
    view_add_series(picture, name, color);
    float places[STEPS_OF_GAIT + 1];
    for (int i = 0; i <= STEPS_OF_GAIT; i++) {
        const double step = length / (double)STEPS_OF_GAIT, time = step * i;
        md5_player_advance(p->player, i > 0 ? step : 0.0, NULL, NULL);
        (void)md5_player_pose(p->player, pose, NULL, NULL, p->scratch);
        places[i] = md5_joint_in_model(picture->scene->skeleton, pose, foot).translation.x;
        if (i % 4 == 0)
            view_add_point(picture, (float)time, places[i]);
        if (time <= now)
            memcpy(kept, pose, picture->scene->num_joints * sizeof *pose);
    }
    const double walk = view_page_clip(picture, "walk")->anim->duration,
                 run = view_page_clip(picture, "run")->anim->duration;
    const double cycle = 1.0 / ((1.0 - (double)gait) / walk + (double)gait / run);
    return smallest_range(places, (int)lround(cycle / length * (double)STEPS_OF_GAIT));
}

static void show_sync(view_picture *picture)
{
    static const char *const clip_names[2] = {"walk", "run"};
    static const char *const names[2] = {"each at its own rate", "synchronised"};
    static const md5_sync syncs[2] = {MD5_SYNC_NONE, MD5_SYNC_PHASE};
    md5_clip_desc clips[MOST_CLIPS];
    view_show_box(picture, (md5_vec3){-28.0f, -48.0f, 0.0f}, (md5_vec3){26.0f, 48.0f, 60.0f});
    if (!fill_clips(picture, clip_names, 2, clips))
        return;
    view_add_plot(picture, "left foot, forward", "seconds", (md5_vec2){0.0f, 0.0f},
                  (md5_vec2){3.0f, 1.0f});
    for (int i = 0; i < 2; i++) {
        playing p;
        const float y = i == 0 ? -25.0f : 25.0f;
        view_figure *const figure = view_add_figure(picture, 0.0f, y);
        if (begin_playing(&p, walk_and_run(picture->scene->model, clips, syncs[i]))) {
            const float stride = play_gait(picture, &p, names[i], i == 0 ? VIEW_GREEN : VIEW_YELLOW,
                                           picture->values[0], figure->pose);
            view_add_fact(picture, i == 0 ? "smallest step, own rates" : "smallest step, in phase",
                          (double)stride, "units");
        }
        end_playing(&p);
        view_add_label(picture, (md5_vec3){0.0f, y, 58.0f}, VIEW_PLAIN_TEXT, names[i]);
    }
    view_fit_plot(picture);
}

const view_page view_page_sync = {
    .name = "sync",
    .title = "Synchronised clips",
    .family = "Blending",
    .about = "A walk and a run of different durations are blended. At their own rates they drift "
             "out of phase, and opposite leg swings cancel out; synchronised, they share one "
             "phase.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 2.0,
    .sliders = {{"walk 0, run 1", 0.0f, 1.0f, 0.5f, NULL, false}},
    .num_sliders = 1,
    .show = show_sync,
};

// -- States ---------------------------------------------------------------------------------

// lines of machine
static const md5_condition is_moving = {"speed", MD5_IS_GREATER, 0.5f},
                           is_still = {"speed", MD5_IS_AT_MOST, 0.5f},
                           is_fast = {"speed", MD5_IS_GREATER, 25.0f},
                           is_slow = {"speed", MD5_IS_AT_MOST, 25.0f};
static const md5_state_desc states[3] = {{"idle", "idle"}, {"walk", "walk"}, {"run", "run"}};

static md5_transition_desc change(const char *from, const char *to, const md5_condition *when,
                                  float fade)
{
    return (md5_transition_desc){
        .from = from, .to = to, .conditions = when, .num_conditions = 1, .duration = fade};
}

static void make_transitions(md5_transition_desc rows[4], float fade)
{
    rows[0] = change("idle", "walk", &is_moving, fade);
    rows[1] = change("walk", "idle", &is_still, fade);
    rows[2] = change("walk", "run", &is_fast, fade);
    rows[3] = change("run", "walk", &is_slow, fade);
}
// end of lines

static md5_machine *make_gaits(const md5_model *model, const md5_clip_desc *clips, float fade)
{
    md5_transition_desc transitions[4];
    make_transitions(transitions, fade);
    const md5_parameter_desc speed = {.name = "speed", .kind = MD5_PARAMETER_FLOAT};
    const md5_layer_desc layer = {.name = "body",
                                  .states = states,
                                  .transitions = transitions,
                                  .num_states = 3,
                                  .num_transitions = 4};
    const md5_machine_desc desc = {.name = "gaits",
                                   .model = model,
                                   .clips = clips,
                                   .parameters = &speed,
                                   .layers = &layer,
                                   .num_clips = 3,
                                   .num_parameters = 1,
                                   .num_layers = 1};
    return md5_create_machine(&desc, NULL, NULL);
}

// The parameter: rises within two seconds, stays, falls again.
static float speed_at(double time, float most)
{
    const double length = 8.0, rise = fmin(time / 2.0, 1.0),
                 fall = fmin((length - time) / 2.0, 1.0);
    return most * (float)fmax(fmin(rise, fall), 0.0);
}

// The states from left to right above the character, and arrows for the transitions: there above,
// back below. What plays now is bright.
static void draw_graph(view_picture *picture, const md5_machine *machine,
                       const md5_layer_status *status)
{
    const md5_layer_desc *const layer = md5_machine_tables(machine)->layers;
    const float apart = 32.0f, high = 66.0f, free_space = 9.0f;
    for (uint32_t i = 0; i < layer->num_states; i++)
        view_add_label(picture, (md5_vec3){0.0f, apart * ((float)i - 1.0f), high},
                       status->state == i ? VIEW_YELLOW : VIEW_PLAIN_TEXT, layer->states[i].name);
    for (uint32_t i = 0; i < layer->num_transitions; i++) {
        const uint32_t from = md5_find_state(machine, 0, layer->transitions[i].from),
                       to = md5_find_state(machine, 0, layer->transitions[i].to);
        const bool is_now = status->from == from && status->state == to;
        const float way = to > from ? 1.0f : -1.0f, z = high + 1.5f * way;
        const float begin = apart * ((float)from - 1.0f) + free_space * way,
                    end = apart * ((float)to - 1.0f) - free_space * way;
        const view_color color = is_now ? VIEW_RED : VIEW_DIM_LINE;
        view_add_stroke(picture, (md5_vec3){0.0f, begin, z}, (md5_vec3){0.0f, end, z}, color);
        view_add_stroke(picture, (md5_vec3){0.0f, end - 2.0f * way, z + 1.2f * way},
                        (md5_vec3){0.0f, end, z}, color);
    }
}

static void play_gaits(view_picture *picture, playing *p, md5_xform *kept)
{
    const double length = 8.0, now = fmod(picture->time, length);
    md5_layer_status shown = {.from = MD5_NONE};
    float speed = 0.0f, state[STEPS_OF_PLOT + 1];
    for (int i = 0; i <= STEPS_OF_PLOT; i++) {
        const double time = length * i / (double)STEPS_OF_PLOT;
        (void)md5_player_set(p->player, 0, speed_at(time, picture->values[0]));
        md5_player_advance(p->player, i > 0 ? length / (double)STEPS_OF_PLOT : 0.0, NULL, NULL);
        const md5_layer_status status = md5_player_layer(p->player, 0);
        const float from = status.from != MD5_NONE ? (float)status.from : (float)status.state;
        state[i] =
            from
            + ((float)status.state - from) * (status.from != MD5_NONE ? status.progress : 1.0f);
        if (time <= now || i == 0) {
            (void)md5_player_pose(p->player, kept, NULL, NULL, p->scratch);
            shown = status;
            speed = speed_at(time, picture->values[0]);
        }
    }
    view_add_plot(picture, "state: 0 idle, 1 walk, 2 run", "seconds", (md5_vec2){0.0f, -0.1f},
                  (md5_vec2){(float)length, 2.1f});
    view_add_series(picture, "state", VIEW_YELLOW);
    for (int i = 0; i <= STEPS_OF_PLOT; i++)
        view_add_point(picture, (float)(length * i / (double)STEPS_OF_PLOT), state[i]);
    view_add_mark(picture, (float)now, state[(int)(now / length * (double)STEPS_OF_PLOT)],
                  VIEW_RED);
    view_add_plot(picture, "speed", "seconds", (md5_vec2){0.0f, 0.0f},
                  (md5_vec2){(float)length, 50.0f});
    view_add_series(picture, "parameter", VIEW_BLUE);
    for (int i = 0; i <= STEPS_OF_PLOT; i++)
        view_add_point(picture, (float)(length * i / (double)STEPS_OF_PLOT),
                       speed_at(length * i / (double)STEPS_OF_PLOT, picture->values[0]));
    view_add_mark(picture, (float)now, speed, VIEW_RED);
    draw_graph(picture, p->machine, &shown);
    view_add_fact(picture, "speed", (double)speed, ""); // of the parameter, not of the clips
    view_add_fact(picture, "state", (double)shown.state, states[shown.state].name);
    view_add_fact(picture, "from", shown.from != MD5_NONE ? (double)shown.from : -1.0,
                  shown.from != MD5_NONE ? states[shown.from].name : "");
    view_add_fact(picture, "progress", (double)shown.progress, "");
}

static void show_machine(view_picture *picture)
{
    static const char *const names[3] = {"idle", "walk", "run"};
    md5_clip_desc clips[MOST_CLIPS];
    playing p;
    view_figure *const figure = view_add_figure(picture, 0.0f, 0.0f);
    view_show_box(picture, (md5_vec3){-22.0f, -38.0f, 0.0f}, (md5_vec3){22.0f, 38.0f, 70.0f});
    if (!fill_clips(picture, names, 3, clips))
        return;
    if (begin_playing(&p, make_gaits(picture->scene->model, clips, picture->values[1])))
        play_gaits(picture, &p, figure->pose);
    end_playing(&p);
}

const view_page view_page_machine = {
    .name = "machine",
    .title = "State machine",
    .family = "Blending",
    .about =
        "States with clips, transitions with conditions on parameters. The parameter rises and "
        "falls in eight seconds; the machine decides which clip plays, at its own speed.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 1.4,
    .sliders = {{"highest speed", 0.0f, 50.0f, 40.0f, NULL, false},
                {"fade, seconds", 0.0f, 1.0f, 0.35f, NULL, false}},
    .num_sliders = 2,
    .show = show_machine,
};
