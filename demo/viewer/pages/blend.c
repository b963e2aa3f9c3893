// Cross-fade, inertial transition, additive poses, masks; what state machines do.
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
    const double begin = 1, length = 4, now = fmod(picture->time, length);
    md5_xform *const from = picture->figures[0].pose, *const mix = picture->figures[1].pose,
                     *const to = picture->figures[2].pose;
    const md5_xform *const poses[3] = {from, to, mix};
    float weight = 0;
    for (int i = 0; i <= VIEW_PAGE_STEPS + 1; i++) { // the last one is now
        const double time = i > VIEW_PAGE_STEPS ? now : view_plot_x(picture->plots, i);
        view_sample_clip(picture, "walk", time, from);
        view_sample_clip(picture, "wave", time, to);
        weight = crossfade(from, to, picture->scene->num_joints, view_choice(picture, 1),
                           time - begin, picture->values[0], mix);
        for (int k = 0; k < 3 && i <= VIEW_PAGE_STEPS; k++)
            view_add_point(picture->plots, k, time, view_posed_place(picture, poses[k], hand).z);
    }
    view_add_mark(picture->plots, now, view_posed_place(picture, mix, hand).z, VIEW_RED);
    view_add_fact(picture, "weight of the new", weight, "");
    view_add_fact(picture, "to the old pose", view_largest_angle(picture, from, mix), "°");
    view_add_fact(picture, "to the new pose", view_largest_angle(picture, to, mix), "°");
    view_add_fact(picture, "between both", view_largest_angle(picture, from, to), "°");
}

// -- Players --------------------------------------------------------------------------------

typedef struct playing {
    md5_machine *machine;
    md5_player *player;
    void *scratch;
} playing;

// Begins to play a machine file, in which clips of the character stand for files, and `held` for
// each model that is attached. Returns false if a clip is missing; end it in both cases.
static bool begin_playing(playing *p, const view_picture *picture, const char *text,
                          const md5_model *held)
{
    md5_machine_file *const file = md5_parse_machine_file(text, strlen(text), NULL, NULL);
    *p = (playing){.machine = NULL};
    if (file == NULL)
        return false;
    COMMON_FOR (i, file->desc.num_clips) {
        const view_clip *const clip = view_page_clip(picture, file->clips[i].file);
        file->clips[i].binding = clip != NULL ? clip->binding : NULL; // which is an error
    }
    COMMON_FOR (i, file->desc.num_attached)
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

// Puts another word, or number, in place of one that the text of a machine has, wherever it has it.
static void put(char *text, size_t size, const char *from, const char *to)
{
    char *const before = common_copy(text);
    char *rest = before, *found;
    *text = '\0';
    for (; (found = strstr(rest, from)) != NULL; rest = found + strlen(from)) {
        *found = '\0';
        common_append(text, size, "", "%s%s", rest, to);
    }
    common_append(text, size, "", "%s", rest);
    free(before);
}

static void put_number(char *text, size_t size, const char *from, const char *format, double to)
{
    char words[64];
    snprintf(words, sizeof words, format, to);
    put(text, size, from, words);
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
// D. Bollo's: what is left of a distance x, which changes by v a second, after t of so many
// seconds. It begins as fast as it was and ends at rest; a begins at zero or above.
static float left_of(float x, float v, float seconds, float t)
{
    v = fminf(v, 0.0f); // what leads away from the new clip is dropped
    const float t1 = v < 0.0f ? fminf(seconds, -5.0f * x / v) : seconds;
    if (t >= t1)
        return 0.0f;
    const float v1 = v * t1, a1 = fmaxf(0.0f, -8.0f * v1 - 20.0f * x), s = t / t1;
    const float c5 = -0.5f * (a1 + 6.0f * v1 + 12.0f * x);
    const float c4 = 0.5f * (3.0f * a1 + 16.0f * v1 + 30.0f * x);
    const float c3 = -0.5f * (3.0f * a1 + 12.0f * v1 + 20.0f * x);
    return ((((c5 * s + c4) * s + c3) * s + 0.5f * a1) * s + v1) * s + x;
}
// end of lines

static void change_state(md5_player *player, float seconds, bool inertial)
{
    // Inertial: only the new clip plays, and the difference to it decays.
    (void)md5_player_fade_to(player, 0, 1, seconds, inertial ? MD5_FADE_INERTIAL : MD5_FADE_CROSS,
                             MD5_EASE_SMOOTH);
}

// Plays each way over two seconds.
VIEW_SHOW(inertial)
{
    static const char text[] = "machine blow { clip run run { walk } clip attack attack { walk }"
                               " layer body { state run run state attack attack } }";
    static const char *const jumps[3] = {"jump, cross-fade", "jump, inertial", "jump, cut"};
    const uint32_t hand = view_page_joint(picture, "hand_r");
    const int now = (int)(fmod(picture->time, 2) / 2.0 * (double)VIEW_PAGE_STEPS);
    const double step = 2.0 / (double)VIEW_PAGE_STEPS, begin = 0.5;
    md5_xform *const before = view_spare_pose(picture, 0), *const pose =
                                                               view_spare_pose(picture, 1);
    COMMON_FOR (way, 3) {
        playing p;
        const bool plays = begin_playing(&p, picture, text, NULL);
        for (int i = 0; i <= VIEW_PAGE_STEPS && plays; i++) {
            play(&p, i > 0 ? step : 0, pose);
            if (i == (int)(begin / step)) {
                memcpy(before, pose, picture->scene->num_joints * sizeof *pose);
                change_state(p.player, way == 2 ? 0 : picture->values[0], way == 1);
                play(&p, 0, pose); // in no time
                view_add_fact(picture, jumps[way], view_largest_angle(picture, before, pose), "°");
            }
            const float height = view_posed_place(picture, pose, hand).z;
            view_add_point(picture->plots, way, i * step, height);
            if (i != now)
                continue;
            view_add_mark(picture->plots, i * step, height,
                          picture->plots->row.series[way].color | 0xFFu);
            memcpy(picture->figures[way].pose, pose, picture->scene->num_joints * sizeof *pose);
        }
        end_playing(&p);
    }
    const md5_xform *const cut = picture->figures[2].pose;
    view_add_fact(picture, "left of 1 at rest",
                  left_of(1, 0, picture->values[0], fmaxf((float)(now * step - begin), 0)), "");
    view_add_fact(picture, "cross-fade to the new",
                  view_largest_angle(picture, picture->figures[0].pose, cut), "°");
    view_add_fact(picture, "inertial to the new",
                  view_largest_angle(picture, picture->figures[1].pose, cut), "°");
}

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

VIEW_SHOW(additive)
{
    const uint32_t count = picture->scene->num_joints, head = view_page_joint(picture, "head");
    const md5_euler turn = {.yaw = picture->values[0]}, nod = {.pitch = picture->values[1]};
    const float weight = picture->values[2];
    md5_xform *const base = picture->figures[1].pose, *const source = view_spare_pose(picture, 0),
                     *const difference = view_spare_pose(picture, 1);
    view_sample_clip(picture, "breathe", picture->time, base);
    memcpy(source, base, count * sizeof *base);
    // The difference: a nod, as it was made on a head that looks ahead.
    const md5_quat own = base[head].rotation;
    source[head].rotation = md5_quat_mul(own, md5_quat_from_euler(nod));
    md5_subtract_pose(source, base, count, difference);
    base[head].rotation = md5_quat_mul(own, md5_quat_from_euler(turn));
    md5_add_pose(base, difference, NULL, weight, NULL, count, picture->figures[0].pose);
    const md5_quat part = md5_quat_slerp((md5_quat){.w = 1}, difference[head].rotation, weight);
    const md5_quat expected = add_turn(base[head].rotation, part, false);
    base[head].rotation = add_turn(base[head].rotation, part, true);
    COMMON_FOR (before, 2) {
        // How far the head leans to its side: its own left axis over the horizon.
        md5_xform place =
            md5_joint_in_model(picture->skeleton, picture->figures[before].pose, head);
        const md5_vec3 left = md5_quat_rotate(place.rotation, (md5_vec3){0, 1, 0});
        view_add_fact(picture, before == 0 ? "leans, pose first" : "leans, difference first",
                      asinf(fminf(fmaxf(left.z, -1), 1)) * 57.2957795f, "°");
        place.translation = md5_xform_point(picture->figures[before].place, place.translation);
        view_add_frame(picture, place, 22);
    }
    const md5_quat ours = picture->figures[0].pose[head].rotation;
    view_add_fact(picture, "between the two", view_angle(ours, base[head].rotation), "°");
    view_add_fact(picture, "library to pose * difference", view_angle(ours, expected), "°");
}

// -- The difference of two clips on a third -------------------------------------------------

static const struct {
    const char *clip;
    double seconds; // at which it is so
} manner_poses[] = {{"yawn", 2.9}, {"bow", 1.2}, {"carry", 0.5}, {"lean", 0.5}};

// lines of manner
static void add_manner(const md5_xform *manner, const md5_xform *plain, const md5_xform *clip,
                       uint32_t num_joints, float weight, md5_xform *difference, md5_xform *pose)
{
    md5_subtract_pose(manner, plain, num_joints, difference);
    md5_add_pose(clip, difference, NULL, weight, NULL, num_joints, pose);
}
// end of lines

// The pose that has the manner, the same without it, the third clip, and the sum.
VIEW_SHOW(manner)
{
    const uint32_t manner = view_choice(picture, 0);
    const char *const names[3] = {manner_poses[manner].clip, "stand", view_word(picture, 1)};
    const view_clip *const clip = view_page_clip(picture, names[2]);
    const uint32_t foot = view_page_joint(picture, "foot_l"), count = picture->scene->num_joints;
    md5_xform *const difference = view_spare_pose(picture, 0), *const mean =
                                                                   view_spare_pose(picture, 1);
    const md5_xform *const shown[3] = {picture->figures[2].pose, picture->figures[3].pose, mean};
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (clip == NULL)
        return;
    picture->plots[0].row.high.x = (float)clip->anim->duration;
    for (int i = 0; i <= VIEW_PAGE_STEPS + 1; i++) { // the last one is now
        const double time = i > VIEW_PAGE_STEPS ? picture->time : view_plot_x(picture->plots, i);
        COMMON_FOR (k, 3)
            view_sample_clip(picture, names[k], k == 0 ? manner_poses[manner].seconds : time,
                             picture->figures[k].pose);
        add_manner(picture->figures[0].pose, picture->figures[1].pose, picture->figures[2].pose,
                   count, picture->values[2], difference, picture->figures[3].pose);
        md5_blend_poses(picture->figures[2].pose, picture->figures[0].pose, 0.5f, NULL, count,
                        mean);
        for (int k = 0; k < 3 && i <= VIEW_PAGE_STEPS; k++) {
            const float x = view_posed_place(picture, shown[k], foot).x;
            view_add_point(picture->plots, k, time, x);
            low[k] = fminf(low[k], x);
            high[k] = fmaxf(high[k], x);
        }
    }
    view_add_fact(picture, "step of the third clip", high[0] - low[0], "units");
    view_add_fact(picture, "step, difference added", high[1] - low[1], "units");
    view_add_fact(picture, "step, blended by half", high[2] - low[2], "units");
    const uint32_t head = view_page_joint(picture, "head");
    view_add_fact(picture, "head to the third clip",
                  view_angle(shown[0][head].rotation, shown[1][head].rotation), "°");
}

// -- Masks ----------------------------------------------------------------------------------

// lines of masks
// Feathered: a joint so many levels below the root of the mask has a full weight, each above it
// less.
static float mask_weight(const md5_skeleton *skeleton, uint32_t joint, uint32_t root,
                         uint32_t feather)
{
    uint32_t level = 1; // the root's
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
    md5_xform *const legs = view_spare_pose(picture, 0), *const arms = view_spare_pose(picture, 1);
    view_sample_clip(picture, "walk", picture->time, legs);
    view_sample_clip(picture, "wave", picture->time, arms);
    if (picture->skeleton->num_joints > 128)
        return;
    COMMON_FOR (i, picture->skeleton->num_joints)
        weights[i] = mask_weight(picture->skeleton, i, view_page_joint(picture, "spine_1"),
                                 view_choice(picture, 0));
    blend_masked(legs, arms, weights, picture->values[1], picture->skeleton->num_joints,
                 figure->pose);
    // Each bone in the colour of its joint's weight.
    COMMON_FOR (i, picture->skeleton->num_joints) {
        const uint32_t red = (uint32_t)(255 * weights[i]);
        view_add_bone(picture, figure, i, red << 24 | 0x00600000u | (255u - red) << 8 | 0xFFu);
    }
    COMMON_FOR (i, 5) {
        const float weight = weights[view_page_joint(picture, joints[i])];
        view_add_fact(picture, joints[i], weight, "");
        if (i < 4) { // of the spine
            view_add_point(picture->plots, 0, i, weight);
            view_add_mark(picture->plots, i, weight, VIEW_RED);
        }
    }
    const uint32_t thigh = view_page_joint(picture, "thigh_l"),
                   hand = view_page_joint(picture, "hand_l");
    view_add_fact(picture, "thigh to the walk",
                  view_angle(figure->pose[thigh].rotation, legs[thigh].rotation), "°");
    view_add_fact(picture, "hand to the wave",
                  view_angle(figure->pose[hand].rotation, arms[hand].rotation), "°");
}

// == State machines ========================================================================
//
// Synchronised clips, states with transitions, transitions in step, windows, sections, a hand on a
// weapon.

// -- Synchronisation ------------------------------------------------------------------------

// lines of sync
// `alone`, or `phase`: both clips at the same phase, at the mean of their rates.
static const char gait_blend[] = // text
    "machine gaits {"
    " float gait"
    " clip walk walk { walk }"
    " clip run run { walk }"
    " motion move line gait {"
    "  phase item walk 0 item run 1 }"
    " layer body { state move move }"
    "}";
// end of lines

enum { STEPS_OF_GAIT = 4 * VIEW_PAGE_STEPS };

// The left foot over some seconds, forward and backward, and the smallest step of a cycle.
VIEW_SHOW(sync)
{
    const float gait = picture->values[0];
    const double length = 3, now = fmod(picture->time, length);
    const double step = length / (double)STEPS_OF_GAIT;
    const uint32_t foot = view_page_joint(picture, "foot_l");
    md5_xform *const pose = view_spare_pose(picture, 0);
    COMMON_FOR (way, 2) {
        playing p;
        float places[STEPS_OF_GAIT + 1];
        char text[256];
        COMMON_TEXT(text, "%s", gait_blend);
        put(text, sizeof text, "phase", way == 0 ? "alone" : "phase");
        const bool plays = begin_playing(&p, picture, text, NULL);
        if (plays)
            md5_player_set(p.player, 0, gait);
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
        const double walk = view_page_clip(picture, "walk")->anim->duration,
                     run = view_page_clip(picture, "run")->anim->duration;
        const double cycle = 1.0 / ((1.0 - gait) / walk + gait / run);
        // The smallest range of a cycle's steps in a row.
        const int num_steps = (int)lround(cycle / step);
        float smallest = INFINITY;
        for (int first = 0; first + num_steps <= STEPS_OF_GAIT; first++) {
            float low = INFINITY, high = -INFINITY;
            for (int i = first; i <= first + num_steps; i++) {
                low = fminf(low, places[i]);
                high = fmaxf(high, places[i]);
            }
            smallest = fminf(smallest, high - low);
        }
        view_add_fact(picture, way == 0 ? "smallest step, own rates" : "smallest step, in phase",
                      smallest, "units");
    }
}

// -- States ---------------------------------------------------------------------------------

// lines of machine
static const char speeds[] = // text
    "machine speeds {"
    " float speed"
    " clip idle idle { walk }"
    " clip walk walk { walk }"
    " clip run run { walk }"
    " layer body {"
    "  state idle idle"
    "  state walk walk state run run"
    "  transition idle walk {"
    "   when speed > 0.5 duration 0.35 }"
    "  transition walk idle {"
    "   when speed <= 0.5 duration 0.35 }"
    "  transition walk run {"
    "   when speed > 25 duration 0.35 }"
    "  transition run walk {"
    "   when speed <= 25 duration 0.35 } }"
    "}";
// end of lines

// The parameter rises within two seconds, stays, and falls again.
VIEW_SHOW(machine)
{
    static const char *const state_names[3] = {"idle", "walk", "run"};
    const double fade = picture->values[1];
    char text[1024];
    playing p;
    COMMON_TEXT(text, "%s", speeds);
    put_number(text, sizeof text, "duration 0.35", "duration %g", fade);
    const double length = 8, now = fmod(picture->time, length);
    const bool plays = begin_playing(&p, picture, text, NULL);
    const md5_layer_desc *const layer = plays ? md5_machine_tables(p.machine)->layers : NULL;
    view_plot *const plots = picture->plots;
    md5_layer_status shown = {.from = MD5_NONE};
    float shown_speed = 0, shown_state = 0;
    for (int i = 0; i <= VIEW_PAGE_STEPS && plays; i++) {
        const double time = view_plot_x(plots, i);
        const double share = fmin(fmin(time, length - time) / 2.0, 1);
        const float speed = picture->values[0] * (float)share;
        md5_player_set(p.player, 0, speed);
        md5_player_advance(p.player, i > 0 ? length / (double)VIEW_PAGE_STEPS : 0, NULL, NULL);
        const md5_layer_status status = md5_player_layer(p.player, 0);
        const float to = (float)status.state;
        const float from = status.from != MD5_NONE ? (float)status.from : to;
        const float state = from + (to - from) * status.progress;
        view_add_point(&plots[0], 0, time, state);
        view_add_point(&plots[1], 0, time, speed);
        if (time > now)
            continue;
        md5_player_pose(p.player, picture->figures[0].pose, NULL, NULL, p.scratch);
        shown = status;
        shown_speed = speed; // of the parameter, not of the clips
        shown_state = state;
    }
    view_add_mark(&plots[0], now, shown_state, VIEW_RED);
    view_add_mark(&plots[1], now, shown_speed, VIEW_RED);
    // The states from left to right above the character, and arrows for the transitions: there
    // above, back below. What plays now is bright.
    const float apart = 32, high = 66, free_space = 9;
    for (uint32_t i = 0; plays && i < 3; i++)
        view_add_label(picture, (md5_vec3){0, apart * ((float)i - 1), high},
                       shown.state == i ? VIEW_YELLOW : VIEW_PLAIN, state_names[i]);
    for (uint32_t i = 0; plays && i < layer->num_transitions; i++) {
        const uint32_t from = md5_find_state(p.machine, 0, layer->transitions[i].from),
                       to = md5_find_state(p.machine, 0, layer->transitions[i].to);
        const bool is_now = shown.from == from && shown.state == to;
        const float way = to > from ? 1 : -1, z = high + 1.5f * way;
        const float end = apart * ((float)to - 1) - free_space * way;
        const view_color color = is_now ? VIEW_RED : VIEW_DIM_LINE;
        view_draw_to(picture, (md5_vec3){0, apart * ((float)from - 1) + free_space * way, z}, 0);
        view_draw_to(picture, (md5_vec3){0, end, z}, color);
        view_draw_to(picture, (md5_vec3){0, end - 2 * way, z + 1.2f * way}, color);
    }
    view_add_fact(picture, "speed", shown_speed, "");
    view_add_fact(picture, "state", shown.state, state_names[shown.state]);
    view_add_fact(picture, "from", shown.from != MD5_NONE ? shown.from : -1.0,
                  shown.from != MD5_NONE ? state_names[shown.from] : "");
    view_add_fact(picture, "progress", shown.progress, "");
    end_playing(&p);
}

// -- In step --------------------------------------------------------------------------------

// lines of in_step
// The morph: where the old clip is, times its weight.
static const char gait_change[] = // text
    "machine gaits {"
    " clip old walk { walk"
    "  frame 0 old frame 12 old }"
    " clip new run { walk"
    "  frame 0 new frame 16 new }"
    " layer body {"
    "  state old old state new new"
    "  transition old new {"
    "   exit 0.75 duration 1 in_step } }"
    " morph time clip old ( 0 0 24 1 )"
    "}";
// end of lines

// Where events are drawn; footsteps of one way as spikes of a line, those of the old clip below it.
typedef struct event_plot {
    view_plot *plot;
    int way;
    double time;
} event_plot;

static void add_footstep(void *user, md5_player *player, const md5_event *event, float weight)
{
    const event_plot *const prints = user;
    const double spike = strcmp(event->name, "old") == 0 ? -0.45 : 0.45;
    (void)player;
    COMMON_FOR (i, 3)
        view_add_point(prints->plot, prints->way, prints->time,
                       2.0 - prints->way + (i == 1 ? spike * weight : 0.0));
}

// A change of gait in each way; how far the new clip is ahead of the old one meanwhile.
VIEW_SHOW(in_step)
{
    enum { STEPS = 240 };
    static const char *const names[3] = {"apart, in step", "apart, keep_phase", "apart, neither"},
                             *const gait_ways[3] = {"in_step", "keep_phase", ""};
    const uint32_t old = view_choice(picture, 0);
    const double tick = 3.0 / (double)STEPS, now = fmod(picture->time, 3);
    const double fade = picture->values[1];
    const char *const *const gaits = picture->page->sliders[0].words;
    uint32_t frames[2]; // of a cycle, of the old clip and the new one; the right foot lands halfway
    COMMON_FOR (i, 2u)
        frames[i] = view_page_clip(picture, gaits[i == 0 ? old : 1 - old])->anim->num_frames - 1;
    view_plot *const plots = picture->plots;
    plots[0].row.high.x = picture->values[1];
    COMMON_FOR (way, 3) {
        const view_color color = plots[0].row.series[way].color | 0xFFu;
        event_plot prints = {&plots[1], way, 0};
        char text[512];
        playing p;
        double apart = 0;
        COMMON_TEXT(text, "%s", gait_change);
        put_number(text, sizeof text, "0 24 1", "0 %g 1", frames[0]);
        put_number(text, sizeof text, "12 old", "%g old", 0.5 * frames[0]);
        put_number(text, sizeof text, "16 new", "%g new", 0.5 * frames[1]);
        put_number(text, sizeof text, "0.75", "%g", picture->values[2]);
        put_number(text, sizeof text, "duration 1", "duration %g", fade);
        put(text, sizeof text, "old walk", old == 0 ? "old walk" : "old run");
        put(text, sizeof text, "new run", old == 0 ? "new run" : "new walk");
        put(text, sizeof text, "in_step", gait_ways[way]);
        const bool plays = begin_playing(&p, picture, text, NULL);
        for (int i = 0; i <= STEPS && plays; i++) {
            float phase = 0;
            prints.time = tick * i;
            md5_player_advance(p.player, i > 0 ? tick : 0, add_footstep, &prints);
            const md5_layer_status status = md5_player_layer(p.player, 0);
            const bool fades = status.from != MD5_NONE && status.progress < 0.999f;
            const bool is_now = prints.time <= now && now < prints.time + tick;
            if (fades) {
                md5_player_morphs(p.player, &phase);
                // Cycles have two steps: of all such distances the one nearest to the last.
                const double ahead = 2.0 * (status.time - phase / (1.0 - status.progress));
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
        view_add_fact(picture, names[way], apart, "steps");
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

// Plays a text. Windows and sections with the names of the last plot's series are its bars. At
// `told`, if that is not negative, its one-shot goes to the section `lower`.
static void show_bars(view_picture *picture, const char *text, double told)
{
    view_plot *const plot = &picture->plots[picture->num_plots - 1];
    const double length = plot->row.high.x, tick = length / (double)VIEW_PAGE_STEPS;
    const double now = fmod(picture->time, length);
    event_plot to = {plot, 0, 0};
    playing p;
    const bool plays = begin_playing(&p, picture, text, NULL);
    for (int i = 0; i <= VIEW_PAGE_STEPS && plays; i++) {
        const bool is_now = tick * i <= now && now < tick * (i + 1);
        to.time = tick * i;
        md5_player_advance(p.player, i > 0 ? tick : 0, add_window, &to);
        if (i == 0) // without effect if there is none
            md5_player_shot_section(p.player, 0, "wave", MD5_SECTION_LOOP);
        if (i == (int)lround(told / tick)) {
            md5_player_shot_section(p.player, 0, "lower",
                                    (md5_section_change)view_choice(picture, 0));
            view_add_mark(picture->plots, to.time, md5_player_shot(p.player, 0).time * 84,
                          VIEW_RED);
        }
        const md5_shot_status shot = md5_player_shot(p.player, 0);
        for (int row = 0; plot->row.series[row].name != NULL; row++) {
            const char *const name = plot->row.series[row].name;
            const bool is_section = shot.section != NULL && strcmp(shot.section, name) == 0;
            const uint32_t window = md5_find_window(p.machine, name);
            const float weight = is_section ? shot.weight : md5_player_window(p.player, window);
            const double height = (double)plot->row.high.y - 1 - row + 0.8 * weight;
            view_add_point(plot, row, to.time, height);
            if (!is_now)
                continue;
            view_add_mark(plot, to.time, height, plot->row.series[row].color);
            view_add_fact(picture, name, weight, "");
        }
        if (told >= 0)
            view_add_point(picture->plots, 0, to.time, shot.time * 84);
        if (is_now)
            play(&p, 0, picture->figures[0].pose);
    }
    end_playing(&p);
}

// lines of windows
static const char blows[] = // text
    "machine blows {"
    " clip attack attack { walk"
    "  window swing 6-26 window hit 12-18 }"
    " clip blow hit { walk"
    "  window dazed 2-20 }"
    " layer body {"
    "  state attack attack state blow blow"
    "  transition attack blow { exit 1.4 duration 0.5 } }"
    "}";
// end of lines

VIEW_SHOW(windows)
{
    char text[512];
    COMMON_TEXT(text, "%s", blows);
    put_number(text, sizeof text, "1.4", "%g", picture->values[0]);
    put_number(text, sizeof text, "duration 0.5", "duration %g", picture->values[1]);
    show_bars(picture, text, -1);
}

// lines of sections
// Its one-shot goes from section to section by md5_player_shot_section().
static const char greeting[] = // text
    "machine greeting {"
    " trigger hello 1"
    " clip stand stand"
    " clip wave wave {"
    "  section raise 0 32"
    "  section wave 32 60"
    "  section lower 66 84 }"
    " layer body { state stand stand }"
    " slot arm"
    " shot greet arm wave {"
    "  when hello section raise fade_out 0.3 }"
    "}";
// end of lines

VIEW_SHOW(sections)
{
    show_bars(picture, greeting, picture->values[1]);
}

// -- A hand on a weapon ---------------------------------------------------------------------

// lines of grip
static const char on_staff[] = // text
    "machine staff {"
    " clip body walk { walk }"
    " clip carry carry"
    " mask arm ( *clavicle_r )"
    " motion hold stack { item body"
    "  item carry { mask arm } }"
    " layer body { state hold hold }"
    " attached staff x on prop_r"
    " modifier left two_bone hand_l {"
    "  target shaft of staff {"
    "   offset ( 18 0 0 ) } }"
    "}";
// end of lines

// A staff in the right hand: how far the left one is from its place on it, over four seconds.
VIEW_SHOW(grip)
{
    static const char model[] = "MD5Version 10 commandline \"\" numJoints 1 numMeshes 0 "
                                "joints { \"shaft\" -1 ( 0 0 0 ) ( 0 0 -0.6088 ) }";
    static const char *const names[2] = {"farthest, right hand alone", "farthest, both hands"};
    const md5_vec3 grip = {.x = picture->values[1]}, ends[2] = {{.x = -10}, {.x = 26}};
    const double length = 4, now = fmod(picture->time, length);
    const uint32_t hand = view_page_joint(picture, "hand_l"),
                   prop = view_page_joint(picture, "prop_r");
    md5_model *const staff = md5_parse_model(model, strlen(model), NULL, NULL);
    md5_xform *const pose = view_spare_pose(picture, 0);
    COMMON_FOR (both, 2) {
        view_figure *const figure = &picture->figures[both];
        md5_xform shown = figure->place;
        char text[512], clip[64];
        playing p;
        double farthest = 0;
        COMMON_TEXT(clip, "body %s", view_word(picture, 0));
        COMMON_TEXT(text, "%s", on_staff);
        put(text, sizeof text, "body walk", clip);
        put_number(text, sizeof text, "18 0 0", "%g 0 0", grip.x);
        const bool plays = begin_playing(&p, picture, text, staff);
        if (plays)
            md5_player_target(p.player, 0)->weight = both == 1 ? picture->values[2] : 0;
        for (int i = 0; i <= VIEW_PAGE_STEPS && plays; i++) {
            const double time = view_plot_x(picture->plots, i);
            play(&p, i > 0 ? length / (double)VIEW_PAGE_STEPS : 0, pose);
            const md5_xform shaft = md5_xform_mul(md5_joint_in_model(picture->skeleton, pose, prop),
                                                  staff->bind_local[0]);
            const double distance =
                view_distance(md5_xform_point(shaft, grip), view_posed_place(picture, pose, hand));
            view_add_point(picture->plots, both, time, distance);
            farthest = fmax(farthest, distance);
            if (time > now)
                continue;
            memcpy(figure->pose, pose, picture->scene->num_joints * sizeof *pose);
            shown = md5_xform_mul(figure->place, shaft);
        }
        view_add_line(&picture->lines, md5_xform_point(shown, ends[0]),
                      md5_xform_point(shown, ends[1]), VIEW_YELLOW);
        view_add_cross(&picture->lines, md5_xform_point(shown, grip), 2, VIEW_RED);
        view_add_fact(picture, names[both], farthest, "units");
        end_playing(&p);
    }
    md5_free_model(staff);
}
