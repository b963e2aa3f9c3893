// Random machines: a stretch of time in one step and in any split of it, forward and backward, must
// bring the same events in the same order, the same states, and the same displacement of the root.
// MD5_SPLIT_MACHINES says how many machines are tried, MD5_SPLIT_SEED which one alone.
#include "test/play/test_play_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLIPS = 5, EVENTS = 5, MARKERS = 2, MOTIONS = 6, ITEMS = 3, STATES = 5, TRANSITIONS = 8 };
enum { LAYERS = 3, STEPS = 5, MOST_PARTS = 40, MOST_HEARD = MD5_MAX_STEP_EVENTS };
enum { X, PACE, FLAG, LEAP, CALL, PARAMETERS };

typedef struct heard {
    const md5_event *events[MOST_HEARD];
    float weights[MOST_HEARD];
    uint32_t count;
} heard;

static void hear(void *user, md5_player *player, const md5_event *event, float weight)
{
    heard *const to = user;
    if (to->count == MOST_HEARD)
        return;
    CHECK(player != NULL && weight > 0.0f && weight <= 1.0f);
    to->events[to->count] = event;
    to->weights[to->count++] = weight;
}

// What random machines are made of.
typedef struct stock {
    play_case made;
    uint32_t num_frames[CLIPS];
    heard whole, split;
    bool is_cut_off;      // a step would have done more than a step may
    uint64_t num_cut_off; // machines of which that is true
} stock;

// A machine's tables, and what they point to.
typedef struct tables {
    md5_machine_desc desc;
    md5_clip_desc clips[CLIPS];
    md5_event events[CLIPS][EVENTS];
    uint32_t markers[CLIPS][MARKERS];
    md5_parameter_desc parameters[PARAMETERS];
    md5_motion_desc motions[MOTIONS];
    md5_motion_item items[MOTIONS][ITEMS];
    md5_layer_desc layers[LAYERS];
    md5_state_desc states[LAYERS][STATES];
    md5_transition_desc transitions[LAYERS][TRANSITIONS];
    md5_condition conditions[LAYERS][TRANSITIONS];
    bool has_turns, has_fades;
} tables;

static const char *const clip_names[CLIPS] = {"walk", "run", "turn", "two", "still"};
static const char *const motion_names[MOTIONS] = {"m0", "m1", "m2", "m3", "m4", "m5"};
static const char *const state_names[STATES] = {"s0", "s1", "s2", "s3", "s4"};
static const char *const event_names[EVENTS] = {"a", "b", "c", "d", "e"};

static void begin_stock(stock *of)
{
    static const struct {
        uint32_t num_frames;
        double rate;
        play_walk walk;
    } clips[CLIPS] = {{21, 20.0, {40.0, 0.0, 0.0}},
                      {13, 24.0, {100.0, 0.0, 3.0}},
                      {31, 30.0, {50.0, 0.7, 0.0}},
                      {2, 4.0, {10.0, 0.0, 0.0}},
                      {1, 10.0, {0.0, 0.0, 0.0}}};
    play_begin(&of->made);
    for (uint32_t i = 0; i < CLIPS; i++) {
        play_add_clip(&of->made, clips[i].num_frames, clips[i].rate, 0.3, clips[i].walk, i);
        of->num_frames[i] = clips[i].num_frames;
    }
}

// -- A random machine -------------------------------------------------------------------------

static uint32_t below(uint64_t *random, uint32_t count)
{
    return test_random_u32(random) % count;
}

static bool one_in(uint64_t *random, uint32_t count)
{
    return below(random, count) == 0;
}

static void make_clips(const stock *of, tables *to, uint64_t *random)
{
    const md5_extract extracts[] = {MD5_EXTRACT_NONE, MD5_EXTRACT_WALK, MD5_EXTRACT_MOVE,
                                    MD5_EXTRACT_TURN};
    const md5_extract extract = extracts[one_in(random, 2) ? 0 : below(random, 4)];
    to->has_turns = extract == MD5_EXTRACT_TURN;
    for (uint32_t i = 0; i < CLIPS; i++) {
        const uint32_t last = of->num_frames[i] - 1;
        for (uint32_t k = 0; k < EVENTS; k++) {
            const uint32_t frames[4] = {0, last, last / 2, below(random, last + 1)};
            to->events[i][k] =
                (md5_event){.frame = frames[below(random, 4)], .name = event_names[k]};
        }
        to->markers[i][0] = below(random, last / 2 + 1);
        to->markers[i][1] = last / 2 + 1 + below(random, last > 2 ? last / 2 - 1 : 1);
        to->clips[i] = (md5_clip_desc){
            .name = clip_names[i],
            .binding = of->made.bindings[i],
            .period = (md5_period)one_in(random, 3),
            .extract = extract,
            .events = to->events[i],
            .num_events = below(random, EVENTS + 1),
            .markers = to->markers[i],
            .num_markers = last > 2 ? MARKERS : 0,
        };
    }
}

static double random_start(uint64_t *random)
{
    static const double starts[] = {0.0, 0.0, 0.0, 0.25, 0.5, 1.0, 0.3f, 0.7f, 1.5};
    return one_in(random, 8) ? 2.0 * test_random(random) : starts[below(random, 9)];
}

static float random_speed(uint64_t *random)
{
    static const float speeds[] = {0.0f, 0.0f, 1.0f, 2.0f, 0.5f, -1.0f, 0.3f, -0.7f};
    return one_in(random, 4) ? (float)(4.0 * test_random(random) - 1.5) : speeds[below(random, 8)];
}

static void make_motions(tables *to, uint64_t *random)
{
    for (uint32_t i = 0; i < MOTIONS; i++) {
        md5_motion_desc *const motion = &to->motions[i];
        *motion = (md5_motion_desc){
            .name = motion_names[i],
            .speed = random_speed(random),
            .speed_parameter = one_in(random, 3) ? "pace" : NULL,
            .items = to->items[i],
        };
        if (i < 3) {
            motion->clip = clip_names[below(random, CLIPS)];
            motion->mode = (md5_play_mode)below(random, 3);
            motion->start = random_start(random);
            continue;
        }
        motion->kind = one_in(random, 3) ? MD5_MOTION_STACK : MD5_MOTION_BLEND_1D;
        motion->sync = (md5_sync)below(random, 3);
        motion->num_items = 1 + below(random, ITEMS);
        motion->x_parameter = "x";
        // Synchronised clips must loop; with markers they must have them.
        const bool is_free = motion->kind == MD5_MOTION_STACK || motion->sync == MD5_SYNC_NONE;
        for (uint32_t k = 0; k < motion->num_items; k++)
            to->items[i][k] = (md5_motion_item){
                .motion = is_free && one_in(random, 2) ? motion_names[below(random, 3)]
                                                       : clip_names[below(random, 3)],
                .x = (float)k,
                .mode = (md5_layer_mode)(k > 0 && one_in(random, 2)),
                .weight = 0.5f,
            };
    }
}

static void make_condition(md5_condition *condition, md5_transition_desc *transition,
                           uint64_t *random)
{
    static const md5_condition conditions[] = {
        {"flag", MD5_IS_SET, 0.0f},   {"flag", MD5_IS_CLEAR, 0.0f}, {"leap", MD5_IS_SET, 0.0f},
        {"leap", MD5_IS_CLEAR, 0.0f}, {"call", MD5_IS_SET, 0.0f},   {"call", MD5_IS_CLEAR, 0.0f},
        {"x", MD5_IS_LESS, 0.5f},     {"x", MD5_IS_AT_LEAST, 0.4f},
    };
    *condition = conditions[below(random, 8)];
    transition->conditions = condition;
    transition->num_conditions = one_in(random, transition->waits ? 3 : 10) ? 0 : 1;
    if (transition->waits && one_in(random, 2))
        transition->num_conditions = 0;
}

static void make_transition(md5_transition_desc *to, md5_condition *condition, uint32_t num_states,
                            uint64_t *random)
{
    static const float exits[] = {0.0f, 0.25f, 0.5f, 1.0f, 1.0f, 1.5f, 2.0f, 3.0f, 0.3f, 0.7f};
    static const float durations[] = {0.0f, 0.0f, 0.1f, 0.2f, 0.25f, 0.5f};
    *to = (md5_transition_desc){
        .from = one_in(random, 6) ? NULL : state_names[below(random, num_states)],
        .to = state_names[below(random, num_states)],
        .waits = !one_in(random, 3),
        .exit = one_in(random, 6) ? (float)(3.0 * test_random(random)) : exits[below(random, 10)],
        .duration =
            one_in(random, 6) ? (float)(0.8 * test_random(random)) : durations[below(random, 6)],
        .fade = (md5_fade)one_in(random, 3),
        .easing = (md5_easing)below(random, MD5_EASE_SINE_IN_OUT + 1),
        .keeps_phase = one_in(random, 3),
        .start = (float)random_start(random),
        .priority = (int32_t)below(random, 3),
        .interrupt = (md5_interrupt)below(random, 3),
    };
    make_condition(condition, to, random);
}

static void make_layers(tables *to, uint64_t *random)
{
    static const char *const names[LAYERS] = {"body", "arms", "more"};
    for (uint32_t i = 0; i < to->desc.num_layers; i++) {
        const uint32_t num_states = 1 + below(random, STATES);
        for (uint32_t k = 0; k < num_states; k++) {
            const char *const motion = one_in(random, 3) ? clip_names[below(random, CLIPS)]
                                                         : motion_names[below(random, MOTIONS)];
            to->states[i][k] = (md5_state_desc){state_names[k], one_in(random, 12) ? NULL : motion};
        }
        to->layers[i] = (md5_layer_desc){
            .name = names[i],
            .mode = (md5_layer_mode)(i > 0 && one_in(random, 2)),
            .weight = i > 0 ? 0.5f : 1.0f,
            .states = to->states[i],
            .num_states = num_states,
            .transitions = to->transitions[i],
            .num_transitions = below(random, TRANSITIONS + 1),
        };
        for (uint32_t k = 0; k < to->layers[i].num_transitions; k++) {
            md5_transition_desc *const transition = &to->transitions[i][k];
            make_transition(transition, &to->conditions[i][k], num_states, random);
            if (one_in(random, 3) && !to->has_fades)
                transition->duration = 0.0f;
            to->has_fades = to->has_fades || transition->duration > 0.0f;
        }
    }
}

static void make_tables(const stock *of, tables *to, uint64_t *random)
{
    memset(to, 0, sizeof *to);
    const md5_parameter_desc parameters[PARAMETERS] = {
        {"x", MD5_PARAMETER_FLOAT, (float)below(random, 9) / 4.0f},
        {"pace", MD5_PARAMETER_FLOAT, random_speed(random)},
        {"flag", MD5_PARAMETER_BOOL, (float)below(random, 2)},
        {"leap", MD5_PARAMETER_TRIGGER, 0.0f},
        {"call", MD5_PARAMETER_TRIGGER, 0.0f},
    };
    memcpy(to->parameters, parameters, sizeof parameters);
    to->desc = (md5_machine_desc){
        .model = of->made.model,
        .clips = to->clips,
        .num_clips = CLIPS,
        .parameters = to->parameters,
        .num_parameters = PARAMETERS,
        .motions = to->motions,
        .num_motions = MOTIONS,
        .layers = to->layers,
        .num_layers = 1 + below(random, LAYERS),
    };
    make_clips(of, to, random);
    make_motions(to, random);
    make_layers(to, random);
}

// -- One step, and a split of it --------------------------------------------------------------

// Ends at borders as often as not: a twentieth of a second is a frame of one clip, a second a
// cycle.
static double random_seconds(uint64_t *random)
{
    const double units[] = {0.05, 0.25, 0.5, 1.0, 1.0 / 24.0, 1.0 / 60.0, 0.1, 1.0 / 240.0};
    const double way = one_in(random, 3) ? -1.0 : 1.0;
    if (one_in(random, 3))
        return way * 6.0 * test_random(random);
    return way * units[below(random, 8)] * (double)below(random, 20);
}

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

// Parts of a step, as places in it: any, some of no length, some at borders; or all equal.
static uint32_t split_step(double seconds, double parts[MOST_PARTS], uint64_t *random)
{
    const uint32_t count = 1 + below(random, MOST_PARTS - 1);
    const bool is_even = one_in(random, 3);
    double cuts[MOST_PARTS + 1];
    cuts[0] = 0.0;
    for (uint32_t i = 1; i < count; i++) {
        const double at = fabs(seconds) * test_random(random);
        cuts[i] = one_in(random, 4)   ? fmin(floor(at * 20.0) / 20.0, fabs(seconds))
                  : one_in(random, 8) ? 0.0
                                      : at;
        if (is_even)
            cuts[i] = fabs(seconds) * i / count;
    }
    cuts[count] = fabs(seconds);
    qsort(cuts, count + 1, sizeof *cuts, compare_doubles);
    for (uint32_t i = 0; i < count; i++)
        parts[i] = seconds < 0.0 ? cuts[i] - cuts[i + 1] : cuts[i + 1] - cuts[i];
    return count;
}

static void change_both(md5_player *const players[2], tables *of, uint64_t *random)
{
    const uint32_t kind = below(random, 12), layer = below(random, of->desc.num_layers);
    const uint32_t state = below(random, of->layers[layer].num_states);
    const float duration = (float)(0.3 * below(random, 3));
    const md5_fade fade = (md5_fade)one_in(random, 3);
    const double time = random_start(random);
    const float x = (float)below(random, 9) / 4.0f, pace = random_speed(random);
    of->has_fades = of->has_fades || (kind == 9 && duration > 0.0f);
    for (int i = 0; i < 2; i++) {
        if (kind < 4)
            md5_player_set(players[i], LEAP, 1.0f);
        if (kind >= 2 && kind < 6)
            md5_player_set(players[i], CALL, 1.0f);
        if (kind == 6)
            md5_player_set(players[i], FLAG, 1.0f - md5_player_get(players[i], FLAG));
        if (kind == 7)
            md5_player_set(players[i], X, x);
        if (kind == 8)
            md5_player_set(players[i], PACE, pace);
        if (kind == 9)
            md5_player_go(players[i], layer, state, duration, fade, MD5_EASE_LINEAR);
        if (kind == 10)
            md5_player_seek(players[i], layer, state, time);
    }
}

static bool same_events(const heard *whole, const heard *split)
{
    const uint32_t count = whole->count < split->count ? whole->count : split->count;
    uint32_t i = 0;
    while (i < count && whole->events[i] == split->events[i])
        i++;
    const bool is_same = i == whole->count && i == split->count;
    if (!test_check(is_same, __FILE__, __LINE__,
                    "event %u of %u in one step, of %u in a split: %s %s", i, whole->count,
                    split->count, i < whole->count ? whole->events[i]->name : "-",
                    i < split->count ? split->events[i]->name : "-"))
        return false;
    for (i = 0; i < count; i++) {
        if (!CHECK_NEAR((double)split->weights[i], (double)whole->weights[i], 1e-5))
            return false;
    }
    return true;
}

static bool same_states(md5_player *const players[2], uint32_t num_layers)
{
    for (uint32_t i = 0; i < num_layers; i++) {
        const md5_layer_status a = md5_player_layer(players[0], i);
        const md5_layer_status b = md5_player_layer(players[1], i);
        if (!CHECK_UINT(b.state, a.state) || !CHECK_NEAR(b.time, a.time, 1e-7)
            || !CHECK_NEAR((double)b.progress, (double)a.progress, 1e-5)
            || !CHECK_UINT((uint64_t)b.from, (uint64_t)a.from))
            return false;
    }
    return true;
}

// `path` is how far the root went, there and back. While weights change, or root motions that turn
// are blended, only short steps are exact; clips of 100 units a second, at up to eight times their
// speed, stop and turn round within one.
static bool same_places(play_place whole, play_place split, double path, const tables *made)
{
    const double share = made->has_turns ? 0.2 : made->has_fades ? 0.05 : 1e-6;
    const double least = made->has_turns ? 5.0 : made->has_fades ? 1.0 : 1e-3;
    const double most = least + share * path;
    return CHECK_NEAR(split.x, whole.x, most) && CHECK_NEAR(split.y, whole.y, most)
           && CHECK_NEAR(split.z, whole.z, most)
           && CHECK_NEAR(remainder(split.yaw - whole.yaw, 6.283185307179586), 0.0, 0.02 * most);
}

static bool check_step(stock *of, const tables *made, md5_player *const players[2],
                       uint64_t *random)
{
    const double seconds = random_seconds(random);
    double parts[MOST_PARTS];
    const uint32_t num_parts = split_step(seconds, parts, random);
    play_place whole = {0}, split = {0};
    double path = 0.0;
    // Poses make no difference.
    const bool is_seen = one_in(random, 4);
    of->whole.count = of->split.count = 0;
    md5_player_advance(players[0], seconds, hear, &of->whole);
    play_go_on(&whole, md5_player_root_motion(players[0]));
    for (uint32_t i = 0; i < num_parts; i++) {
        md5_player_advance(players[1], parts[i], hear, &of->split);
        const md5_transform motion = md5_player_root_motion(players[1]);
        md5_transform pose[PLAY_JOINTS];
        if (is_seen && one_in(random, 3)) {
            play_pose(players[1], pose);
            if (!CHECK(play_is_sound(pose, PLAY_JOINTS)))
                return false;
        }
        const md5_vec3 by = motion.translation;
        path += sqrt((double)by.x * (double)by.x + (double)by.y * (double)by.y
                     + (double)by.z * (double)by.z);
        play_go_on(&split, motion);
    }
    const md5_advance_status status = md5_player_last_advance(players[0]);
    if (status.num_dropped > 0 || status.undivided > 0.0) {
        of->is_cut_off = true;
        return true;
    }
    return same_events(&of->whole, &of->split) && same_states(players, made->desc.num_layers)
           && same_places(whole, split, path, made);
}

static bool check_machine(stock *of, uint64_t seed)
{
    static tables made;
    uint64_t random = seed * 0x2545F4914F6CDD1Du + 1;
    make_tables(of, &made, &random);
    md5_machine *const machine = play_machine(&made.desc);
    md5_player *const players[2] = {play_player(machine), play_player(machine)};
    bool is_same = true;
    of->is_cut_off = false;
    for (int i = 0; is_same && !of->is_cut_off && i < STEPS; i++) {
        change_both(players, &made, &random);
        is_same = check_step(of, &made, players, &random);
    }
    of->num_cut_off += of->is_cut_off;
    test_check(is_same, __FILE__, __LINE__, "machine of seed %llu: MD5_SPLIT_SEED tries it alone",
               (unsigned long long)seed);
    md5_free_player(players[0]);
    md5_free_player(players[1]);
    md5_free_machine(machine);
    return is_same;
}

TEST (any_split_of_a_step_of_any_machine_is_the_same) {
    enum { USUAL_MACHINES = 3000, MOST_FAILED = 5 };
    const char *const wanted = getenv("MD5_SPLIT_MACHINES"), *const alone =
                                                                 getenv("MD5_SPLIT_SEED");
    stock *const of = calloc(1, sizeof *of);
    begin_stock(of);
    if (alone) {
        check_machine(of, strtoull(alone, NULL, 10));
    } else {
        const uint64_t count = wanted ? strtoull(wanted, NULL, 10) : USUAL_MACHINES;
        int num_failed = 0;
        for (uint64_t seed = 1; seed <= count && num_failed < MOST_FAILED; seed++)
            num_failed += !check_machine(of, seed);
    }
    play_end(&of->made);
    free(of);
}
