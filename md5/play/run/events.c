// Events of a player: events of clips, windows, and events of states.
//
// A window is a named range of frames. A cue is a phase of a clip at which the player creates an
// event or changes a window: an event, the first or last frame of a window, the end of the cycle.
#include "md5/play/run/player_state.h"

// Progress of a fade at which the weight of its first events is computed: see start_fade().
#define START_FADE (1.0 / 16.0)
// Events with a smaller weight do not fire: such a weight is a rounding error at the end of a fade.
#define MIN_EVENT_WEIGHT 1e-6f

// Returns the weight that the states above a state leave to it and to the states below it, 0..1,
// `shift` seconds from now.
static float weight_left_above(md5_layer_state *layer_state, uint32_t position, double shift)
{
    const md5_chain_range all = md5_complete_chain(layer_state);
    float left = 1;
    for (uint32_t i = layer_state->num_used; i-- > position + 1;)
        left -= left * md5i_fade_in(layer_state, all, i, shift);
    return left;
}

// Returns the weight of the events at the start of a new state. The weight of a fade is 0 at its
// start, but events of weight 0 do not fire. Therefore these events get the weight of the fade at
// the progress START_FADE.
static float start_fade(const md5_active_state *active)
{
    return active->fades ? md5_clamped_ease(active->easing, START_FADE) : 1;
}

// Returns the weight of a clip at the time of its cursor's next event.
static float event_weight(const md5_step_context *context, const md5_event_cursor *cursor)
{
    // Time of the event relative to the end of the interval, seconds. The weight functions count
    // time from the end.
    const double shift = cursor->when - fabs(context->seconds);
    if (cursor->one_shot)
        return md5i_one_shot_weight(context->player, cursor->one_shot, shift, START_FADE);

    md5_layer_state *const layer_state = cursor->layer_state;
    const md5_active_state *const active = md5_active_at(layer_state, cursor->position);
    const bool is_start = context->seconds == 0 && active->is_new;
    float weight;
    if (is_start)
        weight = weight_left_above(layer_state, cursor->position, 0) * start_fade(active);
    else
        weight =
            weight_left_above(layer_state, cursor->position, shift)
            * md5i_fade_in(layer_state, md5_complete_chain(layer_state), cursor->position, shift);
    return weight >= MIN_EVENT_WEIGHT ? weight * active->instances[cursor->instance].weight : 0;
}

// Calls the event callback of md5_player_advance(), unless it is NULL.
static void call_event_callback(const md5_step_context *context, const md5_event *event,
                                float weight)
{
    if (!context->events)
        return;
    context->player->status.num_events++;
    md5_mark_callback(&context->player->internal, MD5_CALLBACK);
    context->events(context->user, context->player, event, weight);
    md5_mark_callback(&context->player->internal, MD5_NO_CALLBACK);
}

// Counts an event of the step. Returns false if the step has too many events; the caller must then
// drop the event.
static bool count_event(md5_player *player)
{
    if (player->num_passed_events >= MD5_MAX_STEP_EVENTS) {
        player->status.num_dropped++;
        return false;
    }
    player->num_passed_events++;
    return true;
}

// Opens or closes a window and reports this with the weight window->max_weight.
static void set_window_open(const md5_step_context *context, uint32_t index, bool opens)
{
    md5_player *const player = context->player;
    md5_window_state *const window = &player->windows[index];
    const md5_machine_window *const events = &player->machine->windows[index];
    window->weight = opens ? window->max_weight : 0;
    call_event_callback(context, opens ? &events->begin : &events->end, window->max_weight);
}

// A window is a named range of frames, for example the frames in which an attack can be answered.
// It is open while at least one clip is inside it. Usually a clip opens or closes it by passing its
// first or last frame: see pass_window_frame(). But a clip can also start or stop inside a window.
// The next two functions handle such changes.

// Compares the state of each window with the clips that it contains. If `opens` is true, opens the
// windows that contain a clip. Otherwise closes the windows that do not contain a clip.
static void set_changed_windows(const md5_step_context *context, bool opens)
{
    md5_player *const player = context->player;
    for (uint32_t i = 0; i < player->machine->num_windows; i++) {
        md5_window_state *const window = &player->windows[i];
        const bool is_open = window->weight > 0;
        const bool has_clips = window->count > 0;
        if (is_open && has_clips)
            window->weight = window->max_weight;

        const bool changes = opens ? has_clips && !is_open : is_open && !has_clips;
        // If the step has too many events, the change is detected again in the next step.
        if (changes && count_event(player))
            set_window_open(context, i, opens);
    }
}

// Closes the windows that contain no clip, then opens the windows that do.
static void update_windows(const md5_step_context *context)
{
    set_changed_windows(context, false);
    set_changed_windows(context, true);
}

// Two events are simultaneous if their times differ by less than this, in seconds, and by less than
// half of this, in cycles. The value is less than MD5_BORDER, so an interval that ends there passes
// both events.
#define SAME_INSTANT 1e-9

// Returns true if the cursor's cue must not be reported now. There are two cases:
//
// - The cue is the end of a cycle, and the clip is at its start or at the start of a cycle in the
//   direction of playback.
// - The cue belongs to a window, and this is an instant. The indices of such cues are above the
//   index of the end.
static bool is_skipped(const md5_step_context *context, const md5_event_cursor *cursor,
                       md5_clock clock)
{
    const uint32_t end = context->player->machine->tables.clips[cursor->clip].num_events;
    if (cursor->event < end)
        return false;
    if (context->seconds == 0)
        return true;
    return cursor->event == end && (clock.phase == 0) != cursor->iterator.is_backward;
}

// Distance in time from the start of an interval to an event of a cursor's clip.
typedef struct event_distance {
    double seconds; // negative if time runs backward
    double rate;    // cycles per second
} event_distance;

// Returns the time that passes from the start of the interval until a cursor's clip is at `clock`,
// and the rate of the clip.
static event_distance distance_to_event(const md5_step_context *context,
                                        const md5_event_cursor *cursor, md5_clock clock)
{
    if (cursor->one_shot) {
        const double rate = cursor->one_shot->rate;
        const double cycles = md5_cycles_between(cursor->one_shot->clock_before, clock);
        return (event_distance){cycles == 0 ? 0 : cycles / rate, rate};
    }
    const md5_active_state *const active = md5_active_at(cursor->layer_state, cursor->position);
    const md5_clip_instance *const instance = &active->instances[cursor->instance];
    const double seconds = md5i_instance_seconds(context->player, active, cursor->instance,
                                                 instance->clock_before, clock);
    return (event_distance){seconds, instance->rate};
}

// Returns the time of an event, in seconds since the start of the interval. `distance` is the
// movement of the clip from the start of the interval to the event.
static double time_of_event(const md5_step_context *context, const md5_event_cursor *cursor,
                            event_distance distance)
{
    const double interval = fabs(context->seconds);
    const double seconds = context->seconds < 0 ? -distance.seconds : distance.seconds;
    const double when = fmin(seconds, interval);
    const bool has_constant_rate = cursor->one_shot || !cursor->layer_state->is_steered;
    if (has_constant_rate)
        return when;
    return md5i_shared_clock_seconds(cursor->layer_state, cursor->position, cursor->instance,
                                     when / interval, interval);
}

// Moves a cursor to the next event that its clip passes. Returns false if the clip passes no more
// events.
static bool advance_cursor(const md5_step_context *context, md5_event_cursor *cursor)
{
    md5_clock clock;
    do {
        if (!md5i_next_event(&cursor->iterator, &cursor->event, &clock))
            return false;
    } while (is_skipped(context, cursor, clock));
    if (context->seconds == 0)
        return true;

    const event_distance distance = distance_to_event(context, cursor, clock);
    cursor->slack = SAME_INSTANT / fmax(2 * fabs(distance.rate), 1.0);
    // Because of rounding, the event could be before the previous event or after the end of the
    // interval. Keep it in between.
    const double when = time_of_event(context, cursor, distance);
    cursor->when = fmin(fmax(when, cursor->when), fabs(context->seconds));
    return true;
}

// The window to which a cue belongs. A cue has the index of an event, or one of the following
// indices after all events: one for the end of the clip, then two for each window, for its begin
// and its end.
typedef struct window_cue {
    uint32_t window; // index in the clip; MD5_NONE: the cue is an event or the end
    bool is_begin;
} window_cue;

// Returns the window to which a cue of a clip belongs. `event` is the index md5_cue.event.
static inline window_cue decode_window_cue(const md5_clip_desc *clip, uint32_t event)
{
    const uint32_t first_window_cue = clip->num_events + 1;
    if (event < first_window_cue)
        return (window_cue){MD5_NONE, false};
    const uint32_t index = event - first_window_cue;
    return (window_cue){index / 2, index % 2 == 0};
}

// Counts a clip in each window that contains `clock`. The weight of each of these windows becomes
// at least the weight of the clip. `at_start` is true if the clip is at its start and has not
// moved.
static void count_windows(const md5_step_context *context, const md5_event_cursor *cursor,
                          const md5_cues *cues, md5_clock clock, bool at_start)
{
    md5_player *const player = context->player;
    const md5_clip_desc *const clip = &player->machine->tables.clips[cursor->clip];
    md5_window_state *const windows =
        player->windows + player->machine->sources[cursor->clip].first_window;
    for (uint32_t i = 0; i < clip->num_windows; i++)
        windows[i].count_before = windows[i].count;

    // The clip is inside a window if it has passed the beginning of the window but not its end.
    const uint32_t num_below = md5i_count_cues_below(cues, clock, cursor->is_backward, at_start);
    for (uint32_t i = 0; i < num_below; i++) {
        const window_cue cue = decode_window_cue(clip, cues->cues[i].event);
        if (cue.window >= clip->num_windows) // also for MD5_NONE
            continue;
        if (cue.is_begin)
            windows[cue.window].count++;
        else
            windows[cue.window].count--;
    }

    const float weight = event_weight(context, cursor);
    for (uint32_t i = 0; i < clip->num_windows; i++) {
        if (windows[i].count > windows[i].count_before)
            windows[i].max_weight =
                md5_larger(windows[i].max_weight, md5_larger(weight, MIN_EVENT_WEIGHT));
    }
}

// The movement of a clip in an interval.
typedef struct clip_movement {
    md5_clock before;  // clock at the start of the interval
    md5_clock current; // clock at the end of the interval
    bool is_at_start;  // the clip had not moved at the start of the interval
    bool ends_cycle;   // the clip takes an exit at the end of a cycle
} clip_movement;

// Counts a clip in its windows at the start of an interval or at an instant. The events of the
// interval then open and close windows.
static void count_clip_in_windows(const md5_step_context *context, const md5_event_cursor *cursor,
                                  const md5_cues *cues, const clip_movement *moved)
{
    const bool is_instant = context->seconds == 0;
    const bool has_moved = is_instant && !md5_is_same_cycle_boundary(moved->before, moved->current);
    const bool is_at_start = moved->is_at_start && !has_moved;
    const md5_clock start = is_instant ? moved->current : moved->before;
    count_windows(context, cursor, cues, start, is_at_start);
}

// Adds a cursor to player->cursors if its clip passes an event. In an interval, the cursor iterates
// over the events between the clip's clocks. At an instant, it iterates over the events at the
// start of a new clip. Also counts the clip in its windows.
static void add_cursor(const md5_step_context *context, md5_event_cursor cursor,
                       const md5_cues *cues, clip_movement moved, uint32_t *num_cursors)
{
    const bool is_instant = context->seconds == 0;
    const bool has_windows = context->player->machine->tables.clips[cursor.clip].num_windows > 0;
    if (has_windows)
        count_clip_in_windows(context, &cursor, cues, &moved);
    const bool passes_no_event = is_instant && !cursor.is_new;
    if (passes_no_event)
        return;

    if (is_instant)
        cursor.iterator = md5i_begin_start_events(cues, moved.current);
    else
        cursor.iterator = md5i_begin_events(cues, moved.before, moved.current, moved.is_at_start,
                                            moved.ends_cycle);
    md5_event_cursor *const added = &context->player->cursors[*num_cursors];
    *added = cursor;
    if (advance_cursor(context, added))
        (*num_cursors)++;
}

// Opens or closes a window when a clip passes its first or last frame. Several clips can be inside
// the same window. It opens when the first clip enters it, and closes when the last clip leaves it.
static void pass_window_frame(const md5_step_context *context, const md5_event_cursor *cursor,
                              float weight)
{
    md5_player *const player = context->player;
    const md5_source *const source = &player->machine->sources[cursor->clip];
    const md5_clip_desc *const clip = &player->machine->tables.clips[cursor->clip];
    const window_cue cue = decode_window_cue(clip, cursor->event);
    const uint32_t window = source->first_window + cue.window;
    md5_window_state *const state = &player->windows[window];

    const bool enters = cue.is_begin != cursor->iterator.is_backward;
    if (enters)
        state->count++;
    else if (state->count > 0)
        state->count--;
    state->max_weight = md5_larger(weight, MIN_EVENT_WEIGHT);

    const bool is_open = state->weight != 0;
    const bool opens = enters && !is_open;
    const bool closes = !enters && is_open && state->count == 0;
    if (opens || closes)
        set_window_open(context, window, opens);
}

// Makes an event available to conditions. Conditions are evaluated at the end of an interval, so
// only events there count. An interval ends at each event that conditions use. The only exception
// is the event at the start of a clip that begins to play backward. It is ignored.
static void record_event(const md5_step_context *context, const md5_event_cursor *cursor,
                         uint64_t event_bits)
{
    if (cursor->when - fabs(context->seconds) >= -MD5_BORDER)
        context->player->heard_events |= event_bits;
    if (context->seconds != 0)
        return;
    if (!cursor->one_shot)
        cursor->layer_state->ignored_events |= event_bits;
    else if (cursor->one_shot->fade_in.elapsed <= MD5_BORDER) // not if a later section starts
        cursor->one_shot->ignored_events |= event_bits;
}

// Makes an event available to conditions and calls the event callback, unless the event is silent
// because its weight is 0.
static void fire_event(const md5_step_context *context, const md5_event_cursor *cursor)
{
    const md5_machine *const machine = context->player->machine;
    const md5_clip_desc *const clip = &machine->tables.clips[cursor->clip];
    const uint64_t *const event_bits = machine->sources[cursor->clip].event_bits;
    const float weight = event_weight(context, cursor);
    if (cursor->event > clip->num_events) {
        pass_window_frame(context, cursor, weight);
        return;
    }

    if (!(weight > 0) || (cursor->one_shot && weight < MIN_EVENT_WEIGHT))
        return;
    if (event_bits)
        record_event(context, cursor, event_bits[cursor->event]);
    const bool is_end = cursor->event == clip->num_events;
    call_event_callback(
        context, is_end ? &machine->clip_ends[cursor->clip] : &clip->events[cursor->event], weight);
}

// Adds a cursor for each clip of an active state that has events. A cursor iterates over the events
// that its clip passes in this interval. The earliest event of all cursors fires next.
static void add_state_cursors(const md5_step_context *context, md5_layer_state *layer_state,
                              uint32_t position, uint32_t *num_cursors)
{
    const md5_player *const player = context->player;
    const md5_machine *const machine = player->machine;
    const md5_active_state *const active = md5_active_at(layer_state, position);
    const bool ends_cycle = layer_state->ends_cycle && position + 1 == layer_state->num_used;
    for (uint32_t j = 0; j < active->num_active_instances; j++) {
        const uint32_t index = active->active_instances[j];
        const md5_clip_instance *const instance = &active->instances[index];
        const md5_playable *const playable = active->tree->instances[index].playable;
        const md5_cues *const cues = &playable->source->cues[playable->mode];
        if (instance->weight == 0 || cues->num_cues == 0)
            continue;

        md5_event_cursor cursor = {
            .clip = (uint32_t)(playable->source - machine->sources),
            .layer_state = layer_state,
            .position = position,
            .instance = index,
            .is_new = active->is_new,
        };
        if (machine->num_windows > 0)
            cursor.is_backward = md5i_is_playing_backward(active, index) != player->is_backward;
        const clip_movement moved = {
            .before = instance->clock_before,
            .current = instance->clock,
            .is_at_start = instance->is_at_start,
            .ends_cycle = ends_cycle,
        };
        add_cursor(context, cursor, cues, moved, num_cursors);
    }
}

// Adds the cursors of one-shot clips.
static void add_one_shot_cursors(const md5_step_context *context, uint32_t *num_cursors)
{
    const md5_player *const player = context->player;
    const md5_machine *const machine = player->machine;
    md5_one_shot *one_shot;
    md5_one_shot_iterator iterator = {0};
    while ((one_shot = md5_next_one_shot(player, &iterator)) != NULL) {
        const md5_play_mode mode = md5_one_shot_timing(machine, one_shot)->mode;
        const md5_cues *const cues = &machine->sources[one_shot->source].cues[mode];
        if (cues->num_cues == 0)
            continue;
        const md5_event_cursor cursor = {
            .clip = one_shot->source,
            .one_shot = one_shot,
            .is_new = one_shot->is_new,
            .is_backward = (one_shot->rate < 0) != player->is_backward,
        };
        const clip_movement moved = {
            .before = one_shot->clock_before,
            .current = one_shot->clock,
            .is_at_start = one_shot->is_at_start,
        };
        add_cursor(context, cursor, cues, moved, num_cursors);
    }
}

// Adds a cursor for each clip and one-shot clip that passes an event. Returns their number.
static uint32_t collect_cursors(const md5_step_context *context)
{
    md5_player *const player = context->player;
    const md5_machine *const machine = player->machine;
    const bool is_instant = context->seconds == 0;
    uint32_t num_cursors = 0;
    for (uint32_t layer = 0; layer < machine->tables.num_layers; layer++) {
        md5_layer_state *const layer_state = &player->layer_states[layer];
        for (uint32_t i = 0; i < layer_state->num_used; i++) {
            const md5_active_state *const active = md5_active_at(layer_state, i);
            const bool can_pass = !is_instant || active->is_new || machine->num_windows > 0;
            if (active->tree && can_pass)
                add_state_cursors(context, layer_state, i, &num_cursors);
        }
    }
    add_one_shot_cursors(context, &num_cursors);
    return num_cursors;
}

// Returns the cursor with the earliest event. If several events are simultaneous, returns the first
// of their cursors.
static md5_event_cursor *earliest_cursor(md5_event_cursor *cursors, uint32_t num_cursors)
{
    md5_event_cursor *earliest = cursors;
    for (uint32_t i = 1; i < num_cursors; i++) {
        if (cursors[i].when < earliest->when - earliest->slack)
            earliest = &cursors[i];
    }
    return earliest;
}

// Fires the events of all clips in an interval or at an instant, in the order of time. Simultaneous
// events are in the order of layers and clips.
void md5i_fire_events(const md5_step_context *context)
{
    md5_player *const player = context->player;
    const md5_machine *const machine = player->machine;
    const bool is_instant = context->seconds == 0;
    for (uint32_t i = 0; i < machine->num_windows; i++)
        player->windows[i] = (md5_window_state){.weight = player->windows[i].weight};
    uint32_t num_cursors = collect_cursors(context);
    if (!is_instant)
        update_windows(context);

    while (num_cursors > 0 && player->num_passed_events < MD5_MAX_STEP_EVENTS) {
        md5_event_cursor *const cursor = earliest_cursor(player->cursors, num_cursors);
        fire_event(context, cursor);
        player->num_passed_events++;
        if (advance_cursor(context, cursor))
            continue;

        // Remove the cursor, and keep the order of the other cursors.
        num_cursors--;
        const size_t num_after = (size_t)(player->cursors + num_cursors - cursor);
        memmove(cursor, cursor + 1, num_after * sizeof *cursor);
    }

    // If the step has too many events, the remaining events are dropped. Count them.
    for (uint32_t i = 0; i < num_cursors; i++)
        player->status.num_dropped += 1 + player->cursors[i].iterator.num_left;
    if (is_instant)
        update_windows(context);
}

// Returns true if events of clips have an effect: on the game, on windows or on conditions.
bool md5i_needs_clip_events(const md5_step_context *context)
{
    const md5_machine *const machine = context->player->machine;
    if (!machine->has_clip_events)
        return false;
    return context->events || machine->num_windows > 0 || machine->num_event_bits > 0;
}

// Returns true if the machine reports a kind of event of a state.
static bool is_reported(const md5_report_desc *reports, md5_event_kind kind)
{
    switch (kind) {
    case MD5_EVENT_ENTER:
        return reports->enter;
    case MD5_EVENT_LEAVE:
        return reports->leave;
    default:
        return reports->transition_end;
    }
}

// Calls the event callback for an event of a state if the machine reports events of its kind.
void md5i_report_state_event(const md5_step_context *context, uint32_t layer, uint32_t state,
                             md5_event_kind kind)
{
    const md5_machine *const machine = context->player->machine;
    if (!context->events || !is_reported(&machine->tables.report, kind))
        return;
    if (count_event(context->player))
        call_event_callback(
            context, &machine->layers[layer].states[state].events[kind - MD5_EVENT_ENTER], 1);
}
