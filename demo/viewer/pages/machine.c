// State machines: synchronisation of clips in a blend, and states with transitions.
#include "demo/viewer/pages/families.h"

#include "md5/md5play.h"
#include "demo/common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        (void)md5_player_pose(p->player, p->scratch, pose, NULL, NULL);
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
        const int32_t from = md5_find_state(machine, 0, layer->transitions[i].from),
                      to = md5_find_state(machine, 0, layer->transitions[i].to);
        const bool is_now = status->from == from && (int32_t)status->state == to;
        const float way = to > from ? 1.0f : -1.0f, z = high + 1.5f * way;
        const float begin = apart * (float)(from - 1) + free_space * way,
                    end = apart * (float)(to - 1) - free_space * way;
        const view_color color = is_now ? VIEW_RED : VIEW_DIM_LINE;
        view_add_stroke(picture, (md5_vec3){0.0f, begin, z}, (md5_vec3){0.0f, end, z}, color);
        view_add_stroke(picture, (md5_vec3){0.0f, end - 2.0f * way, z + 1.2f * way},
                        (md5_vec3){0.0f, end, z}, color);
    }
}

static void play_gaits(view_picture *picture, playing *p, md5_xform *kept)
{
    const double length = 8.0, now = fmod(picture->time, length);
    md5_layer_status shown = {.from = -1};
    float speed = 0.0f, state[STEPS_OF_PLOT + 1];
    for (int i = 0; i <= STEPS_OF_PLOT; i++) {
        const double time = length * i / (double)STEPS_OF_PLOT;
        (void)md5_player_set(p->player, 0, speed_at(time, picture->values[0]));
        md5_player_advance(p->player, i > 0 ? length / (double)STEPS_OF_PLOT : 0.0, NULL, NULL);
        const md5_layer_status status = md5_player_layer(p->player, 0);
        const float from = status.from >= 0 ? (float)status.from : (float)status.state;
        state[i] =
            from + ((float)status.state - from) * (status.from >= 0 ? status.progress : 1.0f);
        if (time <= now || i == 0) {
            (void)md5_player_pose(p->player, p->scratch, kept, NULL, NULL);
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
    view_add_fact(picture, "from", (double)shown.from,
                  shown.from >= 0 ? states[shown.from].name : "");
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
