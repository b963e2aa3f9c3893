// Implements test_play_random.h.
#include "test/play/test_play_random.h"

static const char *const clip_names[PLAY_RANDOM_CLIPS] = {"walk", "run", "turn", "two", "still"};
static const char *const motion_names[PLAY_MOTIONS] = {"m0", "m1", "m2", "m3", "m4", "m5"};
static const char *const state_names[PLAY_STATES] = {"s0", "s1", "s2", "s3", "s4"};
static const char *const event_names[PLAY_EVENTS] = {"a", "b", "c", "d", "e"};

static const struct {
    uint32_t num_frames;
    double rate;
    play_walk walk;
} clips[PLAY_RANDOM_CLIPS] = {{21, 20, {40, 0, 0}},
                              {13, 24, {100, 0, 3}},
                              {31, 30, {50, 0.7, 0}},
                              {2, 4, {10, 0, 0}},
                              {1, 10, {0, 0, 0}}};

void play_random_begin(play_random_stock *fixture)
{
    play_begin(&fixture->assets);
    for (uint32_t i = 0; i < PLAY_RANDOM_CLIPS; i++) {
        play_add_clip(&fixture->assets, clips[i].num_frames, clips[i].rate, 0.3, clips[i].walk, i);
        fixture->num_frames[i] = clips[i].num_frames;
    }
}

uint32_t play_below(uint64_t *random, uint32_t count)
{
    return test_random_u32(random) % count;
}

bool play_random_one_in(uint64_t *random, uint32_t count)
{
    return play_below(random, count) == 0;
}

static double random_start(uint64_t *random)
{
    static const double starts[] = {0, 0, 0, 0.25, 0.5, 1, 0.3f, 0.7f, 1.5};
    return play_random_one_in(random, 8) ? 2 * test_random(random) : starts[play_below(random, 9)];
}

static float random_speed(uint64_t *random)
{
    static const float speeds[] = {0, 0, 1, 2, 0.5f, -1, 0.3f, -0.7f};
    return play_random_one_in(random, 4) ? (float)(4 * test_random(random) - 1.5)
                                         : speeds[play_below(random, 8)];
}

// Creates random motions: three of single clips, then stacks and blend spaces.
static void create_motions(play_random_tables *to, uint64_t *random)
{
    for (int i = 0; i < PLAY_MOTIONS; i++) {
        md5_motion_desc *const motion = &to->motions[i];
        *motion = (md5_motion_desc){
            .name = motion_names[i],
            .speed = random_speed(random),
            .speed_parameter = play_random_one_in(random, 3) ? "pace" : NULL,
            .items = to->items[i],
        };
        if (i < 3) {
            motion->clip = clip_names[play_below(random, PLAY_RANDOM_CLIPS)];
            motion->mode = (md5_play_mode)play_below(random, 3);
            motion->start = random_start(random);
            continue;
        }
        motion->kind = play_random_one_in(random, 3) ? MD5_MOTION_STACK : MD5_MOTION_BLEND_1D;
        motion->sync = (md5_sync)play_below(random, 3);
        motion->num_items = 1 + play_below(random, PLAY_ITEMS);
        motion->x_parameter = "x";
        // Synchronized clips must loop; clips that are synchronized by markers must have markers.
        const bool is_free = motion->kind == MD5_MOTION_STACK || motion->sync == MD5_SYNC_NONE;
        for (uint32_t k = 0; k < motion->num_items; k++)
            to->items[i][k] = (md5_motion_item){
                .motion = is_free && play_random_one_in(random, 2)
                              ? motion_names[play_below(random, 3)]
                              : clip_names[play_below(random, 3)],
                .x = (float)k,
                .mode = (md5_layer_mode)(k > 0 && play_random_one_in(random, 2)),
                .weight = 0.5f,
            };
    }
}

// Creates a random transition between the first `num_states` states, with a random condition.
static void create_transition(md5_transition_desc *to, md5_condition *condition,
                              uint32_t num_states, uint64_t *random)
{
    static const float exits[] = {0, 0.25f, 0.5f, 1, 1, 1.5f, 2, 3, 0.3f, 0.7f};
    static const float durations[] = {0, 0, 0.1f, 0.2f, 0.25f, 0.5f};
    *to = (md5_transition_desc){
        .from = play_random_one_in(random, 6) ? NULL : state_names[play_below(random, num_states)],
        .to = state_names[play_below(random, num_states)],
        .waits = !play_random_one_in(random, 3),
        .exit = play_random_one_in(random, 6) ? (float)(3 * test_random(random))
                                              : exits[play_below(random, 10)],
        .duration = play_random_one_in(random, 6) ? (float)(0.8 * test_random(random))
                                                  : durations[play_below(random, 6)],
        .fade = (md5_fade)play_random_one_in(random, 3),
        .easing.kind = (md5_ease_kind)play_below(random, MD5_EASE_CUBIC_BEZIER),
        .keeps_phase = play_random_one_in(random, 3),
        .start = (float)random_start(random),
        .priority = (int32_t)play_below(random, 3),
        .interrupt = (md5_interrupt)play_below(random, 3),
    };
    static const md5_condition conditions[] = {
        {.parameter = "flag", .compare = MD5_IS_SET},
        {.parameter = "flag", .compare = MD5_IS_CLEAR},
        {.parameter = "leap", .compare = MD5_IS_SET},
        {.parameter = "leap", .compare = MD5_IS_CLEAR},
        {.parameter = "call", .compare = MD5_IS_SET},
        {.parameter = "call", .compare = MD5_IS_CLEAR},
        {.parameter = "x", .compare = MD5_IS_LESS, .value = 0.5f},
        {.parameter = "x", .compare = MD5_IS_AT_LEAST, .value = 0.4f},
    };
    *condition = conditions[play_below(random, 8)];
    to->conditions = condition;
    const uint32_t rarity = to->waits ? 3 : 10;
    to->num_conditions = play_random_one_in(random, rarity) ? 0 : 1;
    if (to->waits && play_random_one_in(random, 2))
        to->num_conditions = 0;
}

// From or to a state without a motion, an inertial transition becomes a cross-fade.
static void add_fade(play_random_tables *to, uint32_t layer, md5_fade fade, float duration)
{
    bool is_inertial = fade == MD5_FADE_INERTIAL;
    for (uint32_t i = 0; i < to->layers[layer].num_states; i++)
        is_inertial = is_inertial && to->states[layer][i].motion;
    to->has_crossfades = to->has_crossfades || (duration > 0 && !is_inertial);
    to->longest = fmax(to->longest, duration);
}

// Creates random states and transitions for all layers.
static void create_layers(play_random_tables *to, uint64_t *random)
{
    static const char *const names[PLAY_LAYERS] = {"body", "arms", "more"};
    for (uint32_t i = 0; i < to->desc.num_layers; i++) {
        const uint32_t num_states = 1 + play_below(random, PLAY_STATES);
        for (uint32_t k = 0; k < num_states; k++) {
            const char *const motion = play_random_one_in(random, 3)
                                           ? clip_names[play_below(random, PLAY_RANDOM_CLIPS)]
                                           : motion_names[play_below(random, PLAY_MOTIONS)];
            to->states[i][k] = (md5_state_desc){
                .name = state_names[k], .motion = play_random_one_in(random, 12) ? NULL : motion};
        }
        to->layers[i] = (md5_layer_desc){
            .name = names[i],
            .mode = (md5_layer_mode)(i > 0 && play_random_one_in(random, 2)),
            .weight = i > 0 ? 0.5f : 1,
            .states = to->states[i],
            .num_states = num_states,
            .transitions = to->transitions[i],
            .num_transitions = play_below(random, PLAY_TRANSITIONS + 1),
        };
        for (uint32_t k = 0; k < to->layers[i].num_transitions; k++) {
            md5_transition_desc *const transition = &to->transitions[i][k];
            create_transition(transition, &to->conditions[i][k], num_states, random);
            if (play_random_one_in(random, 3) && !to->has_fades)
                transition->duration = 0;
            to->has_fades = to->has_fades || transition->duration > 0;
            add_fade(to, i, transition->fade, transition->duration);
        }
    }
}

static double speed_in(const double *speeds, const char *name)
{
    for (int i = 0; i < PLAY_RANDOM_CLIPS; i++) {
        if (strcmp(clip_names[i], name) == 0)
            return speeds[i];
    }
    int motion = 0;
    while (strcmp(motion_names[motion], name) != 0)
        motion++;
    return speeds[PLAY_RANDOM_CLIPS + motion];
}

// Computes the highest speed of the root in each clip and motion. A motion can only contain motions
// before it, so one pass is sufficient. A stack can add the speeds of its items.
static void find_speeds(const play_random_tables *fixture, double pace, double *speeds)
{
    for (int i = 0; i < PLAY_RANDOM_CLIPS; i++)
        speeds[i] = fixture->clips[i].root_extraction == MD5_ROOT_EXTRACTION_NONE
                        ? 0
                        : hypot(clips[i].walk.speed, clips[i].walk.rise);
    for (int i = 0; i < PLAY_MOTIONS; i++) {
        const md5_motion_desc *const motion = &fixture->motions[i];
        double max_speed = motion->kind == MD5_MOTION_CLIP ? speed_in(speeds, motion->clip) : 0;
        double sum = max_speed;
        for (uint32_t j = 0; j < motion->num_items; j++) {
            const md5_motion_item *const item = &motion->items[j];
            const double speed = speed_in(speeds, item->motion);
            max_speed = fmax(max_speed, speed);
            sum += speed;
        }
        const double speed_factor = motion->speed == 0 ? 1 : fabs((double)motion->speed);
        const double factor = motion->speed_parameter ? fabs(pace) : 1;
        const double items = motion->kind == MD5_MOTION_STACK ? sum : max_speed;
        speeds[PLAY_RANDOM_CLIPS + i] = speed_factor * factor * items;
    }
}

double play_random_speed(const play_random_tables *fixture, double pace)
{
    double speeds[PLAY_RANDOM_CLIPS + PLAY_MOTIONS];
    double sum = 0;
    find_speeds(fixture, pace, speeds);
    for (uint32_t i = 0; i < fixture->desc.num_layers; i++) {
        double max_speed = 0;
        for (uint32_t k = 0; k < fixture->layers[i].num_states; k++) {
            const char *const motion = fixture->states[i][k].motion;
            max_speed = fmax(max_speed, motion ? speed_in(speeds, motion) : 0);
        }
        sum += max_speed;
    }
    return sum;
}

void play_random_make(const play_random_stock *fixture, play_random_tables *to, uint64_t *random)
{
    memset(to, 0, sizeof *to);
    const md5_parameter_desc parameters[PLAY_PARAMETERS] = {
        {.name = "x", .kind = MD5_PARAMETER_FLOAT, .value = (float)play_below(random, 9) / 4.0f},
        {.name = "pace", .kind = MD5_PARAMETER_FLOAT, .value = random_speed(random)},
        {.name = "flag", .kind = MD5_PARAMETER_BOOL, .value = (float)play_below(random, 2)},
        {.name = "leap", .kind = MD5_PARAMETER_TRIGGER},
        {.name = "call", .kind = MD5_PARAMETER_TRIGGER},
    };
    memcpy(to->parameters, parameters, sizeof parameters);
    to->desc = (md5_machine_desc){
        .model = fixture->assets.model,
        ROWS(clips, to->clips),
        ROWS(parameters, to->parameters),
        ROWS(motions, to->motions),
        .layers = to->layers,
        .num_layers = 1 + play_below(random, PLAY_LAYERS),
        .report = {.enter = true,
                   .leave = *random & 32,
                   .transition_end = *random & 64,
                   .clip_end = *random & 128},
    };
    const md5_root_extraction extracts[] = {MD5_ROOT_EXTRACTION_NONE, MD5_ROOT_EXTRACTION_WALK,
                                            MD5_ROOT_EXTRACTION_MOVE, MD5_ROOT_EXTRACTION_TURN};
    const md5_root_extraction extract =
        extracts[play_random_one_in(random, 2) ? 0 : play_below(random, 4)];
    to->extracts_rotation = extract == MD5_ROOT_EXTRACTION_TURN;
    uint64_t aside = *random; // windows and curves must not change the rest of the random machine
    for (uint32_t i = 0; i < PLAY_RANDOM_CLIPS; i++) {
        const uint32_t last = fixture->num_frames[i] - 1;
        for (int k = 0; k < PLAY_EVENTS; k++) {
            const uint32_t frames[4] = {0, last, last / 2, play_below(random, last + 1)};
            to->events[i][k].frame = frames[play_below(random, 4)];
            to->events[i][k].name = event_names[k];
        }
        for (int k = 0; k < PLAY_WINDOWS; k++) {
            const uint32_t frames[4] = {0, last, last / 2, play_below(&aside, last + 1)};
            const uint32_t a = frames[play_below(&aside, 4)];
            const uint32_t b = frames[play_below(&aside, 4)];
            const uint32_t first = a < b ? a : b;
            const uint32_t end = a < b ? b : a;
            to->windows[i][k] = (md5_window){event_names[k], "", first, end, {0}};
        }
        to->keys[i][0].weight = (float)i;
        to->keys[i][1] = (md5_morph_key){.frame = last, .weight = 1};
        to->curves[i] = (md5_clip_curve){.name = "curve", ROWS(keys, to->keys[i])};
        to->curves[i].num_keys = last > 0 ? 2 : 1;
        to->markers[i][0] = play_below(random, last / 2 + 1);
        to->markers[i][1] = last / 2 + 1 + play_below(random, last > 2 ? last / 2 - 1 : 1);
        to->clips[i] = (md5_clip_desc){
            .name = clip_names[i],
            .binding = fixture->assets.bindings[i],
            .period = (md5_period)play_random_one_in(random, 3),
            .root_extraction = extract,
            .events = to->events[i],
            .num_events = play_below(random, PLAY_EVENTS + 1),
            .markers = to->markers[i],
            .num_markers = last > 2 ? PLAY_MARKERS : 0,
            .windows = to->windows[i],
            .num_windows = play_random_one_in(&aside, 2) ? 0 : PLAY_WINDOWS,
            .curves = &to->curves[i],
            .num_curves = i % 2,
        };
    }
    create_motions(to, random);
    create_layers(to, random);
}

// Returns the number of markers of the first clip of a motion, which is the number for all clips
// that are synchronized with it. Returns -1 if the clip ends or changes its direction, because such
// a clip cannot be synchronized.
static int count_markers(const play_random_tables *fixture, const char *name)
{
    for (int i = 0; i < PLAY_RANDOM_CLIPS; i++) {
        if (strcmp(clip_names[i], name) == 0)
            return (int)fixture->clips[i].num_markers;
    }
    const md5_motion_desc *motion = fixture->motions;
    while (strcmp(motion->name, name) != 0)
        motion++;
    if (motion->kind == MD5_MOTION_CLIP)
        return motion->mode == MD5_PLAY_LOOP ? count_markers(fixture, motion->clip) : -1;
    if (motion->kind == MD5_MOTION_STACK || motion->sync == MD5_SYNC_NONE)
        return count_markers(fixture, motion->items[0].motion);
    return motion->sync == MD5_SYNC_MARKERS ? PLAY_MARKERS : 0;
}

void play_random_step(play_random_tables *to, uint64_t *random)
{
    for (uint32_t i = 0; i < to->desc.num_layers; i++) {
        const md5_layer_desc *const layer = &to->layers[i];
        bool may_interrupt = false;
        for (uint32_t k = 0; k < layer->num_transitions; k++) {
            md5_transition_desc *const transition = &to->transitions[i][k];
            int min_markers = PLAY_MARKERS,
                max_markers = -1; // limits of the states that must match
            for (uint32_t j = 0; j < layer->num_states; j++) {
                const md5_state_desc *const state = &layer->states[j];
                if (transition->from && strcmp(state->name, transition->from) != 0
                    && strcmp(state->name, transition->to) != 0)
                    continue;
                const int markers = state->motion ? count_markers(to, state->motion) : -1;
                min_markers = markers < min_markers ? markers : min_markers;
                max_markers = markers > max_markers ? markers : max_markers;
            }
            transition->in_step = min_markers == max_markers && min_markers >= 0
                                  && play_random_one_in(random, 2) == 0;
            if (transition->in_step && play_random_one_in(random, 3))
                transition->leader = transition->to;
            may_interrupt = may_interrupt
                            || (transition->in_step && transition->interrupt != MD5_INTERRUPT_NONE);
        }
        // Three synchronized states: the mean of a product of two fades has no closed form. It is
        // less exact, by 1e-8 s, if one of the fades has a vertical tangent in the middle of the
        // other. Each transition whose exit depends on this time adds an error.
        if (may_interrupt) {
            for (uint32_t k = 0; k < layer->num_transitions; k++) {
                md5_transition_desc *const transition = &to->transitions[i][k];
                const md5_ease_kind kind = transition->easing.kind;
                const bool is_circular =
                    kind >= MD5_EASE_CIRCULAR_IN && kind <= MD5_EASE_CIRCULAR_IN_OUT;
                if (transition->in_step && (kind == MD5_EASE_SQUARE_ROOT || is_circular))
                    transition->easing.kind = MD5_EASE_SMOOTH;
            }
        }
    }
}

void play_random_add_times(play_random_tables *to, uint64_t *random)
{
    for (uint32_t i = 0; i < PLAY_LAYERS * PLAY_TRANSITIONS; i++) {
        const uint32_t number = i / PLAY_LAYERS;
        const md5_layer_desc *const layer = &to->layers[i % PLAY_LAYERS];
        md5_transition_desc *const transition = &to->transitions[i % PLAY_LAYERS][number];
        md5_condition *const added = to->added[i % PLAY_LAYERS][number];
        if (!transition->to)
            continue;
        added[0] = to->conditions[i % PLAY_LAYERS][number];
        added[1] = (md5_condition){.compare = (md5_comparison)(2 + play_below(random, 4)),
                                   .value = 0.0625f * (float)play_below(random, 24),
                                   .kind = (md5_condition_kind)(1 + play_below(random, 3))};
        if (added[1].kind == MD5_WHEN_STATE_TIME && i % 2 == 1)
            added[1].longest = added[1].value + 0.75f;
        const md5_clip_desc *const clip = &to->clips[play_below(random, PLAY_RANDOM_CLIPS)];
        if (added[1].kind == MD5_WHEN_EVENT && clip->num_events == 0)
            continue;
        if (added[1].kind == MD5_WHEN_EVENT)
            added[1] = (md5_condition){.parameter = clip->events[0].name, .kind = MD5_WHEN_EVENT};
        added[1].begins_alternative =
            transition->num_conditions > 0 && play_random_one_in(random, 2);
        transition->conditions = added + 1 - transition->num_conditions;
        transition->num_conditions++;
        transition->exits_each = play_random_one_in(random, 2);
        // A phase that is passed from clip to clip, at times that depend on the phase, is only as
        // exact as these times: its error grows unequally.
        transition->keeps_phase = false;
        // If the source state plays a clip with events, an event of the clip can be the exit of the
        // transition.
        for (uint32_t k = 0; k < layer->num_states * PLAY_RANDOM_CLIPS; k++) {
            const md5_state_desc *const state = &layer->states[k / PLAY_RANDOM_CLIPS];
            const md5_clip_desc *const slot_clip = &to->clips[k % PLAY_RANDOM_CLIPS];
            const bool is_source =
                transition->waits && transition->from && strcmp(transition->from, state->name) == 0;
            const bool plays_clip = state->motion && strcmp(state->motion, slot_clip->name) == 0;
            if (is_source && plays_clip && slot_clip->num_events > 0
                && play_random_one_in(random, 2))
                transition->exit_event = slot_clip->events[0].name;
        }
    }
}

void play_random_add_one_shots(play_random_tables *to, uint64_t *random)
{
    static const char *const slots[PLAY_SLOTS] = {"up", "down"};
    static const char *const names[PLAY_ONE_SHOTS] = {"w", "x", "y", "z"};
    static const md5_mask_desc upper = {.name = "upper", .joints = "*spine"}; // the root continues
    for (int i = 0; i < PLAY_ONE_SHOTS; i++) {
        const md5_clip_desc *const clip = &to->clips[play_below(random, PLAY_RANDOM_CLIPS)];
        const md5_clip_desc *const other_clip = &to->clips[play_below(random, PLAY_RANDOM_CLIPS)];
        if (clip->num_events == 0 || other_clip->num_events == 0)
            continue;
        to->untils[i] = (md5_condition){.parameter = clip->events[0].name, .kind = MD5_WHEN_EVENT};
        const uint32_t row = play_below(random, to->layers[0].num_transitions + 1);
        if (row < to->layers[0].num_transitions)
            to->whens[i][0] = to->conditions[0][row];
        if (!to->whens[i][0].parameter)
            to->whens[i][0] =
                (md5_condition){.parameter = other_clip->events[0].name, .kind = MD5_WHEN_EVENT};
        to->one_shots[to->desc.num_one_shots++] =
            (md5_one_shot_desc){.name = names[i],
                                .slot = slots[play_below(random, PLAY_SLOTS)],
                                .clip = clip_names[play_below(random, PLAY_RANDOM_CLIPS)],
                                .conditions = to->whens[i],
                                .num_conditions = 1,
                                .until = &to->untils[i],
                                .num_until = !play_random_one_in(random, 4),
                                .speed = random_speed(random),
                                .fade_in = 0.125f * (float)play_below(random, 3),
                                .fade_out = 0.125f * (float)play_below(random, 3),
                                .end = (md5_one_shot_end)play_below(random, 3),
                                .priority = (int32_t)play_below(random, 2)};
    }
    for (int i = 0; i < PLAY_SLOTS; i++)
        to->slots[i] = (md5_slot_desc){.name = slots[i], .mask = "upper"};
    to->desc.masks = &upper;
    to->desc.num_masks = 1;
    to->desc.slots = to->slots;
    to->desc.num_slots = PLAY_SLOTS;
    to->desc.one_shots = to->one_shots;
}

double play_random_seconds(uint64_t *random)
{
    const double units[] = {0.05, 0.25, 0.5, 1, 1.0 / 24.0, 1.0 / 60.0, 0.1, 1.0 / 240.0};
    const double direction = play_random_one_in(random, 3) ? -1 : 1;
    if (play_random_one_in(random, 3))
        return direction * 6 * test_random(random);
    return direction * units[play_below(random, 8)] * play_below(random, 20);
}

void play_random_change(md5_player *const *players, uint32_t num_players,
                        play_random_tables *fixture, uint64_t *random)
{
    const uint32_t kind = play_below(random, 12);
    const uint32_t layer = play_below(random, fixture->desc.num_layers);
    const uint32_t state = play_below(random, fixture->layers[layer].num_states);
    const float duration = (float)(0.3 * play_below(random, 3));
    const md5_fade fade = (md5_fade)play_random_one_in(random, 3);
    const double time = random_start(random);
    const float x = (float)play_below(random, 9) / 4.0f;
    const float pace = random_speed(random);
    fixture->has_fades = fixture->has_fades || (kind == 9 && duration > 0);
    if (kind == 9)
        add_fade(fixture, layer, fade, duration);
    for (uint32_t i = 0; i < num_players; i++) {
        if (kind < 4)
            md5_player_set(players[i], PLAY_LEAP, 1);
        if (kind >= 2 && kind < 6)
            md5_player_set(players[i], PLAY_CALL, 1);
        if (kind == 6)
            md5_player_set(players[i], PLAY_FLAG, 1 - md5_player_get(players[i], PLAY_FLAG));
        if (kind == 7)
            md5_player_set(players[i], PLAY_X, x);
        if (kind == 8)
            md5_player_set(players[i], PLAY_PACE, pace);
        if (kind == 9)
            md5_player_fade_to(players[i], layer, state, duration, fade, MD5_EASE_LINEAR);
        if (kind == 10)
            md5_player_seek(players[i], layer, state, time);
    }
}

void play_log_event(void *user, md5_player *player, const md5_event *event, float weight)
{
    play_event_log *const to = user;
    (void)player;
    REQUIRE(to->count < PLAY_MAX_EVENTS);
    to->events[to->count] = event;
    to->weights[to->count++] = weight;
}

bool play_same_events(const play_event_log *a, const play_event_log *b)
{
    bool is_same = CHECK_UINT(
        b->count, a->count); // events of one machine, or of two machines with the same tables
    for (uint32_t i = 0; i < a->count && is_same; i++)
        is_same = CHECK_STRING(b->events[i]->name, a->events[i]->name)
                  && CHECK_UINT(b->events[i]->frame, a->events[i]->frame);
    return is_same && CHECK_BYTES(a->weights, b->weights, a->count * sizeof a->weights[0]);
}
