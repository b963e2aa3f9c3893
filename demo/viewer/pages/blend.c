// Lessons on blending: cross-fade, inertial transition, additive poses, differences of clips,
// masks; and on state machines: synchronized clips and transitions, windows, sections, a hand on a
// weapon.
#include "demo/viewer/pages/page.h"

// -- Cross-fade -----------------------------------------------------------------------------

// lines of crossfade
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
// end of lines

VIEW_SHOW(crossfade)
{
    const uint32_t hand = view_page_joint(picture, "hand_r");
    const double begin = 1;
    const double now = fmod(picture->time, picture->plots->row.high.x);
    md5_xform *const from = picture->figures[0].pose;
    md5_xform *const mix = picture->figures[1].pose;
    md5_xform *const to = picture->figures[2].pose;
    const md5_xform *const poses[3] = {from, to, mix};
    float weight = 0;
    for (int i = 0; i < VIEW_PAGE_POINTS + 1; i++) {
        const double time = view_step_x(picture->plots, i, now);
        view_sample_clip(picture, "walk", time, from);
        view_sample_clip(picture, "wave", time, to);
        weight = crossfade(from, to, picture->scene->num_joints, view_choice(picture, 1),
                           time - begin, v[0], mix);
        for (int k = 0; k < 3; k++)
            view_plot_step(picture->plots, k, i, time, view_posed_place(picture, poses[k], hand).z);
    }
    VIEW_FACTS(picture, now - begin, weight, view_largest_angle(picture, from, mix),
               view_largest_angle(picture, to, mix), view_largest_angle(picture, from, to));
}

// -- Players --------------------------------------------------------------------------------

typedef struct playing {
    md5_machine *machine;
    md5_player *player;
    void *scratch;
} playing;

// Starts a player of a machine. `text` is the text of the machine, which is freed, or NULL for the
// machine of the lesson. Clips are found by name among the character's clips; each attached model
// is `held`. Returns false if a clip is missing. Call end_playing() in both cases.
static bool begin_playing(playing *p, const view_picture *picture, char *text,
                          const md5_model *held)
{
    if (text == NULL)
        text = view_page_lines(picture->page, picture->values);
    md5_machine_file *const file = md5_parse_machine_file(text, strlen(text), NULL, NULL);
    *p = (playing){.machine = NULL};
    free(text);
    if (file == NULL)
        return false;
    for (uint32_t i = 0; i < file->desc.num_clips; i++) {
        const view_clip *const clip = view_page_clip(picture, file->clips[i].name);
        file->clips[i].binding =
            clip != NULL ? clip->binding : NULL; // NULL is reported as an error
    }
    for (uint32_t i = 0; i < file->desc.num_attached; i++)
        file->attached[i].model = held;
    file->desc.model = picture->model;
    p->machine = md5_create_machine(&file->desc, NULL, NULL);
    md5_free_machine_file(file);
    if (p->machine == NULL)
        return false;
    p->player = md5_create_player(p->machine, NULL, NULL);
    p->scratch = common_alloc(1, md5_player_pose_scratch(p->machine));
    return p->player != NULL;
}

static void end_playing(playing *p)
{
    md5_destroy_player(p->player);
    md5_destroy_machine(p->machine);
    free(p->scratch);
}

static void play(playing *p, double seconds, md5_xform *pose)
{
    md5_player_advance(p->player, seconds, NULL, NULL);
    md5_player_pose(p->player, pose, NULL, NULL, p->scratch);
}

// -- Inertial transition --------------------------------------------------------------------

// lines of inertial
// Returns the remaining part of a distance x after the time t (D. Bollo's method). It starts with
// the velocity v, ends at rest after at most `seconds`, and its acceleration a starts at 0 or
// above.
static float left_of(float x, float v, float seconds, float t)
{
    v = fminf(v, 0.0f); // ignore a velocity away from the new clip
    const float t1 = v < 0.0f ? fminf(seconds, -5.0f * x / v) : seconds;
    if (t >= t1)
        return 0.0f;
    const float v1 = v * t1;
    const float a1 = fmaxf(0.0f, -8.0f * v1 - 20.0f * x);
    const float s = t / t1;
    const float c5 = -0.5f * (a1 + 6.0f * v1 + 12.0f * x);
    const float c4 = 0.5f * (3.0f * a1 + 16.0f * v1 + 30.0f * x);
    const float c3 = -0.5f * (3.0f * a1 + 12.0f * v1 + 20.0f * x);
    return ((((c5 * s + c4) * s + c3) * s + 0.5f * a1) * s + v1) * s + x;
}
// end of lines

static void change_state(md5_player *player, uint32_t state, float seconds, bool inertial)
{
    // Inertial: only the new clip plays, and the difference to it decays.
    (void)md5_player_fade_to(player, 0, state, seconds,
                             inertial ? MD5_FADE_INERTIAL : MD5_FADE_CROSS, MD5_EASE_SMOOTH);
}

// Plays the transition of each kind over two seconds.
VIEW_SHOW(inertial)
{
    static const char text[] = "machine blow { clip run run { walk } clip attack attack { walk }"
                               " layer body { state run run state attack attack } }";
    const uint32_t hand = view_page_joint(picture, "hand_r");
    const int now = (int)(fmod(picture->time, 2) / 2.0 * (double)VIEW_PAGE_STEPS);
    const double step = 2.0 / (double)VIEW_PAGE_STEPS;
    const double begin = 0.5;
    md5_xform *const before = view_spare_pose(picture, 0);
    md5_xform *const pose = view_spare_pose(picture, 1);
    for (int way = 0; way < 3; way++) {
        playing p;
        const bool plays = begin_playing(&p, picture, common_copy(text), NULL);
        if (plays) {
            for (int i = 0; i < VIEW_PAGE_POINTS; i++) {
                play(&p, i > 0 ? step : 0, pose);
                if (i == (int)(begin / step)) {
                    memcpy(before, pose, picture->scene->num_joints * sizeof *pose);
                    change_state(p.player, 1, way == 2 ? 0 : v[0], way == 1);
                    play(&p, 0, pose); // the pose right after the change
                    VIEW_FACTS(picture, view_largest_angle(picture, before, pose));
                }
                const float height = view_posed_place(picture, pose, hand).z;
                view_add_point(picture->plots, way, i * step, height);
                if (i != now)
                    continue;
                view_add_mark(picture->plots, i * step, height,
                              picture->plots->row.series[way].color | 0xFFu);
                memcpy(picture->figures[way].pose, pose, picture->scene->num_joints * sizeof *pose);
            }
        }
        end_playing(&p);
    }
    const md5_xform *const cut = picture->figures[2].pose;
    VIEW_FACTS(picture, now * step - begin,
               left_of(1, 0, v[0], fmaxf((float)(now * step - begin), 0)),
               view_largest_angle(picture, picture->figures[0].pose, cut),
               view_largest_angle(picture, picture->figures[1].pose, cut));
}

// -- Additive -------------------------------------------------------------------------------

// lines of additive
static md5_quat add_turn(md5_quat pose, md5_quat difference, bool before)
{
    // Apply the difference in the axes of the rotated joint: a nod remains a nod.
    if (!before)
        return md5_quat_mul(pose, difference);
    return md5_quat_mul(difference, pose); // in the parent's axes
}
// end of lines

VIEW_SHOW(additive)
{
    const uint32_t head = view_page_joint(picture, "head");
    // The difference is a nod, made for a head that looks ahead. A fraction of it scales the angle.
    const md5_quat turn = md5_quat_from_euler((md5_euler){.yaw = v[0]});
    const md5_quat nod = md5_quat_from_euler((md5_euler){.pitch = v[1] * v[2]});
    for (int before = 0; before < 2; before++) {
        const view_figure *const figure = &picture->figures[before];
        view_sample_clip(picture, "breathe", picture->time, figure->pose);
        md5_quat *const own = &figure->pose[head].rotation;
        *own = add_turn(md5_quat_mul(*own, turn), nod, before == 1);
        // Sideways tilt of the head: the elevation of its left axis above the horizon.
        md5_xform place = md5_joint_in_model(picture->skeleton, figure->pose, head);
        const md5_vec3 left = md5_quat_rotate(place.rotation, (md5_vec3){0, 1, 0});
        VIEW_FACTS(picture, view_degrees(asinf(view_clamp(left.z, -1, 1))));
        place.translation = md5_xform_point(figure->place, place.translation);
        view_add_frame(picture, place, 22);
    }
    VIEW_FACTS(picture, view_angle(picture->figures[0].pose[head].rotation,
                                   picture->figures[1].pose[head].rotation));
}

// -- The difference of two clips on a third -------------------------------------------------

static const struct {
    const char *clip;
    double seconds; // time of the pose in the clip
} manner_poses[] = {{"yawn", 2.9}, {"bow", 1.2}, {"carry", 0.5}, {"lean", 0.5}};

// lines of manner
// Adds the difference between `plain` and `manner` to a third pose, in the axes of each joint.
static void add_manner(const md5_xform *manner, const md5_xform *plain, const md5_xform *clip,
                       uint32_t num_joints, float weight, md5_xform *pose)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        md5_quat change = md5_quat_mul(md5_quat_conjugate(plain[i].rotation), manner[i].rotation);
        if (weight < 0.0f) // a negative weight adds the opposite
            change = md5_quat_conjugate(change);
        const md5_quat part = md5_quat_slerp((md5_quat){.w = 1.0f}, change, fabsf(weight));
        const md5_vec3 move = md5_vec3_sub(manner[i].translation, plain[i].translation);
        pose[i].rotation = md5_quat_mul(clip[i].rotation, part);
        pose[i].translation = md5_vec3_add(clip[i].translation, md5_vec3_scale(move, weight));
    }
}
// end of lines

// Shows the pose with the manner, the pose without it, the third clip, and the sum.
VIEW_SHOW(manner)
{
    const uint32_t manner = view_choice(picture, 0);
    const char *const names[3] = {manner_poses[manner].clip, "stand", view_word(picture, 1)};
    const view_clip *const clip = view_page_clip(picture, names[2]);
    const uint32_t foot = view_page_joint(picture, "foot_l");
    const uint32_t head = view_page_joint(picture, "head");
    const uint32_t count = picture->scene->num_joints;
    md5_xform *poses[5] = {[4] = view_spare_pose(picture, 0)}; // poses of the figures, and the mean
    view_plot *const plot = picture->plots;
    if (clip == NULL)
        return;
    plot->row.high.x = (float)clip->anim->duration;
    for (int i = 0; i < VIEW_PAGE_POINTS + 1; i++) {
        const double time = view_step_x(plot, i, picture->time);
        for (int k = 0; k < 4; k++)
            poses[k] = picture->figures[k].pose;
        for (int k = 0; k < 3; k++)
            view_sample_clip(picture, names[k], k == 0 ? manner_poses[manner].seconds : time,
                             poses[k]);
        add_manner(poses[0], poses[1], poses[2], count, v[2], poses[3]);
        md5_blend_poses(poses[2], poses[0], 0.5f, NULL, count, poses[4]);
        if (i < VIEW_PAGE_POINTS) {
            for (int k = 0; k < 3; k++)
                view_add_point(plot, k, time, view_posed_place(picture, poses[2 + k], foot).x);
        }
    }
    for (int k = 0; k < 3; k++) {
        float low = INFINITY;
        float high = -INFINITY;
        for (int i = 0; i < VIEW_PAGE_POINTS; i++) {
            low = fminf(low, plot->series[k].points[i].y);
            high = fmaxf(high, plot->series[k].points[i].y);
        }
        VIEW_FACTS(picture, high - low);
    }
    VIEW_FACTS(picture, view_angle(poses[2][head].rotation, poses[3][head].rotation));
}

// -- Masks ----------------------------------------------------------------------------------

// lines of masks
// Returns the weight of a joint. With feathering, the weight increases over `feather` levels below
// the root of the mask. Joints below these levels have the weight 1.
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
// end of lines

VIEW_SHOW(masks)
{
    static const char *const joints[5] = {"spine_1", "spine_2", "chest", "neck", "thigh_l"};
    const view_figure *const figure = &picture->figures[0];
    float weights[128];
    md5_xform *const legs = view_spare_pose(picture, 0);
    md5_xform *const arms = view_spare_pose(picture, 1);
    view_sample_clip(picture, "walk", picture->time, legs);
    view_sample_clip(picture, "wave", picture->time, arms);
    if (picture->skeleton->num_joints > 128)
        return;
    for (uint32_t i = 0; i < picture->skeleton->num_joints; i++)
        weights[i] = mask_weight(picture->skeleton, i, view_page_joint(picture, "spine_1"),
                                 view_choice(picture, 0));
    blend_masked(legs, arms, weights, v[1], picture->skeleton->num_joints, figure->pose);
    // Draw each bone in the color of its joint's weight.
    for (uint32_t i = 0; i < picture->skeleton->num_joints; i++) {
        const uint32_t red = (uint32_t)(255 * weights[i]);
        view_add_bone(picture, figure, i, red << 24 | 0x00600000u | (255u - red) << 8 | 0xFFu);
    }
    for (int i = 0; i < 5; i++) {
        const float weight = weights[view_page_joint(picture, joints[i])];
        VIEW_FACTS(picture, weight);
        if (i < 4) { // joints of the spine
            view_add_point(picture->plots, 0, i, weight);
            view_add_mark(picture->plots, i, weight, VIEW_RED);
        }
    }
    const uint32_t thigh = view_page_joint(picture, "thigh_l");
    const uint32_t hand = view_page_joint(picture, "hand_l");
    VIEW_FACTS(picture, view_angle(figure->pose[thigh].rotation, legs[thigh].rotation),
               view_angle(figure->pose[hand].rotation, arms[hand].rotation));
}

// == State machines ========================================================================
//
// Synchronized clips, states with transitions, synchronized transitions, windows, sections, a hand
// on a weapon.

// -- Synchronization ------------------------------------------------------------------------

enum { STEPS_OF_GAIT = 4 * VIEW_PAGE_STEPS };

// Plots the forward position of the left foot over some seconds, and computes the smallest step of
// a cycle.
VIEW_SHOW(sync)
{
    const float gait = v[0];
    const double length = 3;
    const double now = fmod(picture->time, length);
    const double step = length / (double)STEPS_OF_GAIT;
    const uint32_t foot = view_page_joint(picture, "foot_l");
    md5_xform *const pose = view_spare_pose(picture, 0);
    for (int way = 0; way < 2; way++) {
        playing p;
        float places[STEPS_OF_GAIT + 1];
        const bool plays = begin_playing(&p, picture, NULL, NULL);
        if (plays) {
            md5_player_set(p.player, 0, gait);
            change_state(p.player, (uint32_t)way, 0, false);
        }
        for (int i = 0; i <= STEPS_OF_GAIT && plays; i++) {
            play(&p, i > 0 ? step : 0, pose);
            places[i] = view_posed_place(picture, pose, foot).x;
            if (i % 4 == 0)
                view_add_point(picture->plots, way, step * i, places[i]);
            if (step * i <= now)
                memcpy(picture->figures[way].pose, pose, picture->scene->num_joints * sizeof *pose);
        }
        end_playing(&p);
        if (!plays)
            return;
        const double walk = view_page_clip(picture, "walk")->anim->duration;
        const double run = view_page_clip(picture, "run")->anim->duration;
        const double cycle = 1.0 / ((1.0 - gait) / walk + gait / run);
        // The smallest range of the position in any window of one cycle.
        const int num_steps = (int)lround(cycle / step);
        float smallest = INFINITY;
        for (int first = 0; first + num_steps <= STEPS_OF_GAIT; first++) {
            float low = INFINITY;
            float high = -INFINITY;
            for (int i = first; i <= first + num_steps; i++) {
                low = fminf(low, places[i]);
                high = fmaxf(high, places[i]);
            }
            smallest = fminf(smallest, high - low);
        }
        VIEW_FACTS(picture, smallest);
    }
}

// -- States ---------------------------------------------------------------------------------

// The speed rises within two seconds, remains constant, and falls again.
VIEW_SHOW(machine)
{
    playing p;
    view_plot *const plots = picture->plots;
    const double length = plots->row.high.x;
    const double now = fmod(picture->time, length);
    const double tick = length / (double)VIEW_PAGE_STEPS;
    const bool plays = begin_playing(&p, picture, NULL, NULL);
    md5_layer_status shown = {.from = MD5_NONE};
    float speed = 0;
    float state = 0;
    float waves = 0;
    for (int i = 0; plays && tick * i <= length; i++) {
        const double time = tick * i;
        const float now_speed = v[0] * (float)fmin(fmin(time, length - time) / 2, 1);
        md5_player_set(p.player, 0, now_speed);
        if (i == (int)lround(v[1] / tick))
            md5_player_set(p.player, 1, 1);
        md5_player_advance(p.player, i > 0 ? tick : 0, NULL, NULL);
        const md5_layer_status status = md5_player_layer(p.player, 0);
        const float to = (float)status.state;
        const float weight = md5_player_one_shot(p.player, 0).weight;
        const float from = status.from != MD5_NONE ? (float)status.from : to;
        const float now_state = from + (to - from) * status.progress;
        view_add_point(plots, 0, time, now_state);
        view_add_point(plots, 1, time, weight);
        view_add_point(&plots[1], 0, time, now_speed);
        if (time > now)
            continue;
        md5_player_pose(p.player, picture->figures[0].pose, NULL, NULL, p.scratch);
        shown = status;
        speed = now_speed;
        state = now_state;
        waves = weight;
    }
    view_add_mark(plots, now, state, VIEW_RED);
    view_add_mark(&plots[1], now, speed, VIEW_RED);
    // Draw the states above the character, and the transitions between them.
    const float apart = 16;
    const float high = 66;
    const float free_space = 9;
    view_add_label(picture, (md5_vec3){0, -apart, high},
                   shown.state == 0 ? VIEW_YELLOW : VIEW_PLAIN, "stand");
    view_add_label(picture, (md5_vec3){0, apart, high}, shown.state == 1 ? VIEW_YELLOW : VIEW_PLAIN,
                   "go");
    view_page_line(picture, (md5_vec3){0, free_space - apart, high},
                   (md5_vec3){0, apart - free_space, high},
                   shown.from != MD5_NONE ? VIEW_RED : VIEW_DIM_LINE);
    VIEW_FACTS(picture, now, speed, waves, shown.state, shown.from != MD5_NONE ? shown.from : -1.0,
               shown.progress);
    end_playing(&p);
}

// -- Synchronized transitions ---------------------------------------------------------------

// Target of events: footsteps are spikes of the series `kind`, downward for the clip `old`.
typedef struct event_plot {
    view_plot *plot;
    int kind;
    double time;
    const char *old;
} event_plot;

static void add_footstep(void *user, md5_player *player, const md5_event *event, float weight)
{
    const event_plot *const prints = user;
    const double spike = strcmp(event->name, prints->old) == 0 ? -0.45 : 0.45;
    (void)player;
    for (int i = 0; i < 3; i++)
        view_add_point(prints->plot, prints->kind, prints->time,
                       2.0 - prints->kind + (i == 1 ? spike * weight : 0.0));
}

// Changes the gait with each kind of transition, and plots the lead of the new clip over the old
// clip during the transition, in steps.
VIEW_SHOW(in_step)
{
    enum { STEPS = 240 };
    // The first string replaces the keyword in the text of the machine by itself; the others turn
    // the remaining keywords of the line into a comment.
    static const char *const gait_ways[3] = {"in_step", "keep_phase //", "//"};
    const uint32_t old = view_choice(picture, 0);
    const double tick = 3.0 / (double)STEPS;
    const double now = fmod(picture->time, 3);
    const double fade = v[2];
    view_plot *const plots = picture->plots;
    plots[0].row.high.x = v[2];
    for (int way = 0; way < 3; way++) {
        const view_color color = plots[0].row.series[way].color | 0xFFu;
        event_plot prints = {&plots[1], way, 0, view_word(picture, 0)};
        playing p;
        double apart = 0;
        char *const text = view_page_lines(picture->page, picture->values);
        memcpy(strstr(text, gait_ways[0]), gait_ways[way], strlen(gait_ways[way]));
        const bool plays = begin_playing(&p, picture, text, NULL);
        for (int i = 0; i <= STEPS && plays; i++) {
            float phases[2] = {0, 0};
            prints.time = tick * i;
            md5_player_advance(p.player, i > 0 ? tick : 0, add_footstep, &prints);
            const md5_layer_status status = md5_player_layer(p.player, 0);
            const bool fades = status.from != MD5_NONE && status.progress < 0.999f;
            const bool is_now = prints.time <= now && now < prints.time + tick;
            if (fades) {
                md5_player_morphs(p.player, phases);
                // A cycle has two steps, so the lead is ambiguous: use the value that is nearest to
                // the previous one.
                const double ahead = 2.0 * (status.time - phases[old] / (1.0 - status.progress));
                apart = ahead + 2.0 * round((apart - ahead) / 2.0);
                view_add_point(&plots[0], way, fade * status.progress, apart);
            }
            if (fades && is_now)
                view_add_mark(&plots[0], fade * status.progress, apart, color);
            if (is_now)
                play(&p, 0, picture->figures[way].pose);
        }
        view_add_point(&plots[1], way, 3.0, 2.0 - way);
        view_add_mark(&plots[1], now, 2.0 - way, color);
        VIEW_FACTS(picture, apart);
        end_playing(&p);
    }
}

// -- Windows and sections -------------------------------------------------------------------

static void add_window(void *user, md5_player *player, const md5_event *event, float weight)
{
    const event_plot *const to = user;
    const double top = (double)to->plot->row.high.y - 1 + 0.8 * weight;
    (void)player;
    for (int row = 0; to->plot->row.series[row].name != NULL; row++)
        if (strcmp(event->name, to->plot->row.series[row].name) == 0)
            view_add_mark(to->plot, to->time, top - row,
                          event->kind == MD5_EVENT_END ? VIEW_RED : VIEW_GREEN);
}

// Plays the machine of the lesson. The series of the last plot are names of windows and sections,
// which are shown as bars. If `change_time` >= 0, the one-shot changes to the section `lower` then.
static void show_bars(view_picture *picture, double change_time)
{
    view_plot *const plot = &picture->plots[picture->num_plots - 1];
    const double length = plot->row.high.x;
    const double tick = length / (double)VIEW_PAGE_STEPS;
    const double now = fmod(picture->time, length);
    event_plot to = {.plot = plot};
    playing p;
    const bool plays = begin_playing(&p, picture, NULL, NULL);
    if (plays) {
        for (int i = 0; i < VIEW_PAGE_POINTS; i++) {
            const bool is_now = tick * i <= now && now < tick * (i + 1);
            to.time = tick * i;
            md5_player_advance(p.player, i > 0 ? tick : 0, add_window, &to);
            if (i == 0) // has no effect without a one-shot
                md5_player_one_shot_section(p.player, 0, "wave", MD5_SECTION_LOOP);
            if (i == (int)lround(change_time / tick)) {
                md5_player_one_shot_section(p.player, 0, "lower",
                                            (md5_section_change)view_choice(picture, 0));
                view_add_mark(picture->plots, to.time, md5_player_one_shot(p.player, 0).time * 84,
                              VIEW_RED);
            }
            const md5_one_shot_status one_shot = md5_player_one_shot(p.player, 0);
            for (int row = 0; plot->row.series[row].name != NULL; row++) {
                const char *const name = plot->row.series[row].name;
                const bool is_section =
                    one_shot.section != NULL && strcmp(one_shot.section, name) == 0;
                const uint32_t window = md5_find_window(p.machine, name);
                const float weight =
                    is_section ? one_shot.weight : md5_player_window(p.player, window);
                const double height = (double)plot->row.high.y - 1 - row + 0.8 * weight;
                view_add_point(plot, row, to.time, height);
                if (!is_now)
                    continue;
                view_add_mark(plot, to.time, height, plot->row.series[row].color);
                VIEW_FACTS(picture, weight);
            }
            if (change_time >= 0)
                view_add_point(picture->plots, 0, to.time, one_shot.time * 84);
            if (is_now)
                play(&p, 0, picture->figures[0].pose);
        }
    }
    end_playing(&p);
}

VIEW_SHOW(windows)
{
    (void)v;
    show_bars(picture, -1);
}

VIEW_SHOW(sections)
{
    show_bars(picture, v[1]);
}

// -- A hand on a weapon ---------------------------------------------------------------------

// A staff in the right hand: plots the distance of the left hand from its grip over four seconds.
VIEW_SHOW(grip)
{
    static const char model[] = "MD5Version 10 commandline \"\" numJoints 1 numMeshes 0 "
                                "joints { \"shaft\" -1 ( 0 0 0 ) ( 0 0 -0.6088 ) }";
    const md5_vec3 grip = {.x = v[1]};
    const md5_vec3 ends[2] = {{.x = -10}, {.x = 26}};
    const double length = 4;
    const double now = fmod(picture->time, length);
    const uint32_t hand = view_page_joint(picture, "hand_l");
    const uint32_t prop = view_page_joint(picture, "prop_r");
    md5_model *const staff = md5_parse_model(model, strlen(model), NULL, NULL);
    md5_xform *const pose = view_spare_pose(picture, 0);
    for (int both = 0; both < 2; both++) {
        view_figure *const figure = &picture->figures[both];
        md5_xform shown = figure->place;
        playing p;
        double farthest = 0;
        const bool plays = begin_playing(&p, picture, NULL, staff);
        if (plays)
            md5_player_target(p.player, 0)->weight = both == 1 ? v[2] : 0;
        if (plays) {
            for (int i = 0; i < VIEW_PAGE_POINTS; i++) {
                const double time = view_plot_x(picture->plots, i);
                play(&p, i > 0 ? length / (double)VIEW_PAGE_STEPS : 0, pose);
                const md5_xform shaft = md5_xform_mul(
                    md5_joint_in_model(picture->skeleton, pose, prop), staff->bind_local[0]);
                const double distance = view_distance(md5_xform_point(shaft, grip),
                                                      view_posed_place(picture, pose, hand));
                view_add_point(picture->plots, both, time, distance);
                farthest = fmax(farthest, distance);
                if (time > now)
                    continue;
                memcpy(figure->pose, pose, picture->scene->num_joints * sizeof *pose);
                shown = md5_xform_mul(figure->place, shaft);
            }
        }
        view_page_line(picture, md5_xform_point(shown, ends[0]), md5_xform_point(shown, ends[1]),
                       VIEW_YELLOW);
        view_page_cross(picture, md5_xform_point(shown, grip), 2, VIEW_RED);
        VIEW_FACTS(picture, farthest);
        end_playing(&p);
    }
    md5_free_model(staff);
}
