// States of characters: runs the functions of a compiled script by the rules of the engine. These
// functions play clips in the channels of actors.
//
// A channel is a part of the body: torso, legs or head. It has a state, which is a function of the
// script. The function runs in the thread of the channel, and plays clips on the channel.
// MD5_CHANNEL_ALL is not a part of the body here: its thread runs the main state of the character
// (state_*). Another thread runs functions of frame commands. A thread consists of a stack of calls
// and a stack of values.
//
// A channel can follow another channel, its leader: it then plays the leader's clip. It follows
// while it is idle, after the script has called idleAnim(). It also follows while it is disabled,
// after the script has called overrideAnim(). A blend time is the duration of the fade between two
// clips.
//
// The sections are: values, channels (playing and synchronizing clips), threads, functions of the
// engine, operations, public functions.
#include "md5/core/freed.h"
#include "md5/game/actor.h"
#include "md5/game/character.h"
#include "md5/game/script.h"

#include <stdlib.h>
#include <string.h>

// Each channel up to MD5_CHANNEL_HEAD has a thread. The next thread runs the functions of frame
// commands.
enum { NUM_THREADS = MD5_CHANNEL_HEAD + 1, FRAME_THREAD = NUM_THREADS };

// Largest blend time, in frames of 24 Hz. Longer times have the effect of this time.
enum { MAX_FRAMES = 1000000 };

// A call of a function that has not returned yet.
typedef struct script_call {
    const script_function *function;
    uint32_t at;   // index of the next operation
    uint32_t base; // index of the first local on the stack
} script_call;

// The thread of a channel. Blend times are in frames of 24 Hz.
typedef struct script_thread {
    const char *state;     // name of the state, or ""
    uint32_t blend;        // blend time of the next clip
    uint32_t last_blend;   // last blend time that was set
    bool is_idle;          // the channel follows other channels
    bool is_disabled;      // the thread does not run, because overrideAnim() has disabled the
                           // channel
    bool was_stopped;      // the thread was ended by an error or by the limit of steps
    bool waits_for_action; // the thread waits until script_run.action is finished
    int64_t wait_until;    // the thread waits until this actor time, ms
    uint32_t num_calls;    // 0 if the thread has ended
    uint32_t num_values;
    script_call calls[SCRIPT_DEPTH];
    script_value stack[SCRIPT_STACK];
} script_thread;

// The state that changes while the script runs, except for its variables.
typedef struct script_run {
    script_thread threads[NUM_THREADS + 1]; // by md5_channel, then FRAME_THREAD
    uint32_t next;       // index of the next state of MD5_CHANNEL_ALL, or MD5_NONE
    script_value action; // the action that threads wait for, or ""
    script_value prefix; // prefix of the names of clips
    bool allows_pain;
    bool allows_movement;
    int64_t pain_time; // actor time from which pain is allowed, ms
} script_run;

struct md5_states {
    md5_states_desc desc;
    const script_block *script;
    md5_internal internal;
    size_t size;
    script_run run;
    script_value *variables; // [script.num_variables]
    // The members below are used only while a thread runs.
    md5_channel running; // channel of the thread, MD5_NUM_CHANNELS if no thread runs
    bool yields;         // the thread must stop until the next advance
    bool has_restarted;  // the thread was replaced by the thread of another state
};

// Check the states of a public function and the objects that they use. MD5_ASSERT_STATES_CHANGE()
// is for functions that change the states: it also checks that no callback of these states is
// running. NOLINTBEGIN(bugprone-macro-parentheses): as messages name the arguments
#define MD5_ASSERT_STATES(states)                                        \
    do {                                                                 \
        MD5_ASSERT_ALIVE(states, MD5_TAG_STATES);                        \
        MD5_ASSERT_ALIVE(states->desc.script, MD5_TAG_SCRIPT);           \
        MD5_ASSERT_ALIVE(states->desc.entity, MD5_TAG_ENTITY);           \
        MD5_ASSERT_ALIVE(states->desc.body, MD5_TAG_ACTOR);              \
        MD5_ASSERT_NULL_OR_ALIVE(states->desc.head, MD5_TAG_ACTOR);      \
        MD5_ASSERT_NULL_OR_ALIVE(states->desc.monster, MD5_TAG_MONSTER); \
    } while (0)
#define MD5_ASSERT_STATES_CHANGE(states) \
    do {                                 \
        MD5_ASSERT_STATES(states);       \
        MD5_ASSERT_NO_CALLBACK(states);  \
    } while (0)
// NOLINTEND(bugprone-macro-parentheses)

// == Values =======================================================================================

static script_value number_value(float number)
{
    return (script_value){.kind = SCRIPT_NUMBER, .v = {number, 0.0f, 0.0f}};
}

static bool is_true_value(const script_value *value)
{
    return value->kind == SCRIPT_TEXT ? value->text[0] != '\0' : value->v.x != 0.0f;
}

// Converts a number to an integer. A number that is out of range becomes 0.
static int32_t truncate_script_number(float number)
{
    return number > -1e9f && number < 1e9f ? (int32_t)number : 0;
}

// Concatenates two texts. The result is cut at the capacity of a value.
static script_value join_texts(const char *first, const char *second)
{
    script_value value = {.kind = SCRIPT_TEXT};
    if (snprintf(value.text, sizeof value.text, "%s%s", first, second) < 0)
        value.text[0] = '\0';
    return value;
}

// Converts a value to a text for a concatenation.
static script_value to_text(const script_value *value)
{
    script_value text = *value;
    if (value->kind == SCRIPT_TEXT)
        return text;
    if (value->v.x == (float)truncate_script_number(value->v.x))
        (void)snprintf(text.text, sizeof text.text, "%.0f", (double)value->v.x);
    else
        (void)snprintf(text.text, sizeof text.text, "%f", (double)value->v.x);
    return text;
}

// Returns true if two values of a script are equal. Compares two texts by their characters, and
// other values by their numbers.
static bool are_equal(const script_value *a, const script_value *b)
{
    if (a->kind == SCRIPT_TEXT && b->kind == SCRIPT_TEXT)
        return strcmp(a->text, b->text) == 0;
    return a->v.x == b->v.x && a->v.y == b->v.y && a->v.z == b->v.z;
}

// Returns the product of two values. It is the dot product of two vectors, the product of two
// numbers, or a vector scaled by a number. A number is stored in v.x with 0 in the other
// components, so the dot product also multiplies numbers.
static script_value multiply(const script_value *a, const script_value *b)
{
    if (a->kind == b->kind)
        return number_value(md5_vec3_dot(a->v, b->v));
    script_value product = {.kind = SCRIPT_VECTOR};
    if (a->kind == SCRIPT_VECTOR)
        product.v = md5_vec3_scale(a->v, b->v.x);
    else
        product.v = md5_vec3_scale(b->v, a->v.x);
    return product;
}

// Computes an operation of a script on one or two values. Operations on bits and remainders convert
// their operands to integers. A division by 0 has the engine's result.
static script_value compute(script_code code, const script_value *a, const script_value *b)
{
    const float x = a->v.x; // the first operand as a number
    const float y = b->v.x; // the second operand as a number
    const int32_t x_int = truncate_script_number(x);
    const int32_t y_int = truncate_script_number(y);

    switch (code) {
    case SCRIPT_MULTIPLY:
        return multiply(a, b);
    case SCRIPT_DIVIDE:
        return number_value(y != 0.0f ? x / y : 1e30f);
    case SCRIPT_REMAINDER:
        return number_value(y_int != 0 ? (float)(x_int % y_int) : x);
    case SCRIPT_ADD:
        if (a->kind != SCRIPT_TEXT && b->kind != SCRIPT_TEXT)
            return (script_value){.kind = a->kind, .v = md5_vec3_add(a->v, b->v)};
        return join_texts(to_text(a).text, to_text(b).text);
    case SCRIPT_SUBTRACT:
        return (script_value){.kind = a->kind, .v = md5_vec3_sub(a->v, b->v)};
    case SCRIPT_BIT_AND:
        return number_value((float)(x_int & y_int));
    case SCRIPT_BIT_OR:
        return number_value((float)(x_int | y_int));
    case SCRIPT_LESS:
        return number_value(x < y);
    case SCRIPT_LESS_EQUAL:
        return number_value(x <= y);
    case SCRIPT_GREATER:
        return number_value(x > y);
    case SCRIPT_GREATER_EQUAL:
        return number_value(x >= y);
    case SCRIPT_EQUAL:
        return number_value(are_equal(a, b));
    case SCRIPT_NOT_EQUAL:
        return number_value(!are_equal(a, b));
    case SCRIPT_AND:
        return number_value(is_true_value(a) && is_true_value(b));
    case SCRIPT_OR:
        return number_value(is_true_value(a) || is_true_value(b));
    case SCRIPT_NOT:
        return number_value(!is_true_value(a));
    case SCRIPT_NEGATE:
        return (script_value){.kind = a->kind, .v = md5_vec3_scale(a->v, -1.0f)};
    case SCRIPT_COMPLEMENT:
        return number_value((float)~x_int);
    default:
        return *b;
    }
}

// == Channels =====================================================================================

// Converts frames to milliseconds. As in the engine, scripts measure times in frames of 1/24
// second.
static uint32_t frames_to_milliseconds(uint32_t frames)
{
    return frames * 1000 / 24;
}

// Returns the actor that plays a channel of the character. A separate head is an actor of its own,
// which plays MD5_CHANNEL_HEAD of the character in its MD5_CHANNEL_ALL. Sets *channel to the
// channel of the returned actor.
static md5_actor *find_actor(const md5_states *states, md5_channel *channel)
{
    if (*channel != MD5_CHANNEL_HEAD || !states->desc.head)
        return states->desc.body;
    *channel = MD5_CHANNEL_ALL;
    return states->desc.head;
}

// Returns true if the clip of a channel has ended, or ends within a number of frames. Returns false
// if the clip repeats without end.
static bool is_animation_done(const md5_states *states, md5_channel channel, uint32_t frames)
{
    md5_channel actor_channel = channel;
    const md5_actor *const actor = find_actor(states, &actor_channel);
    const int64_t end = actor->slots[actor_channel][0].end;
    const bool is_endless = end < 0;
    return !is_endless && end - frames_to_milliseconds(frames) <= actor->time;
}

// Returns true if a channel plays a clip with the flag MD5_ANIM_PREVENTS_IDLE_OVERRIDE. The idle
// clip of another channel must not replace such a clip.
static bool prevents_override(const md5_states *states, md5_channel channel)
{
    if (states->run.threads[channel].is_disabled || is_animation_done(states, channel, 0))
        return false;
    md5_channel actor_channel = channel;
    const md5_actor *const actor = find_actor(states, &actor_channel);
    const uint32_t clip = actor->slots[actor_channel][0].clip;
    if (clip == MD5_NONE)
        return false;
    return (actor->entity->clips[clip].anim->flags & MD5_ANIM_PREVENTS_IDLE_OVERRIDE) != 0;
}

// Returns true if a channel follows other channels, because it is idle or disabled.
static bool is_idle(const md5_states *states, md5_channel channel)
{
    return states->run.threads[channel].is_idle || states->run.threads[channel].is_disabled;
}

// Chooses a clip of the channel's actor by its name or alias, with the prefix that the script has
// set. If several clips have the alias, the choice is random. Returns MD5_NONE if there is no such
// clip.
static uint32_t find_clip(const md5_states *states, md5_channel channel, const char *name)
{
    md5_channel actor_channel = channel;
    md5_actor *const actor = find_actor(states, &actor_channel);
    return md5_actor_choose(actor, states->run.prefix.text, name);
}

// Plays a clip on a channel, with the blend time that the script has set for the next clip.
static void play_clip(md5_states *states, md5_channel channel, uint32_t clip, md5_actor_mode mode)
{
    script_thread *const thread = &states->run.threads[channel];
    const uint32_t milliseconds = frames_to_milliseconds(thread->blend);
    md5_channel actor_channel = channel;
    md5_actor *const actor = find_actor(states, &actor_channel);
    (void)md5_actor_play(actor, actor_channel, clip, mode, 0, milliseconds);
    thread->blend = 0;
}

// Plays a clip in sync with the clip that another actor, `leader`, plays in a slot. The clip has
// the same start time and the same number of cycles.
static void play_in_sync(md5_actor *actor, md5_channel channel, uint32_t clip,
                         const md5_actor *leader, const md5_actor_slot *slot, uint32_t milliseconds)
{
    if (!md5_actor_play(actor, channel, clip, MD5_ACTOR_ONCE, 0, milliseconds))
        return;
    (void)md5_actor_set_cycles(actor, channel, slot->cycles);
    (void)md5_actor_set_start(actor, channel, leader->time - slot->start);
}

// Plays on a channel the clip that `leader`, another actor, plays in a slot: the clip of the
// channel's actor with the same name, or else the same alias. If the actor does not have such a
// clip, a head plays "idle", and any other channel plays nothing. `milliseconds` is the blend time.
static void play_same_clip(md5_states *states, md5_channel channel, const md5_actor *leader,
                           const md5_actor_slot *slot, uint32_t milliseconds)
{
    md5_channel actor_channel = channel;
    md5_actor *const actor = find_actor(states, &actor_channel);
    const md5_model_anim *const anim = leader->entity->clips[slot->clip].anim;
    uint32_t same_clip = find_clip(states, channel, anim->name);
    if (same_clip == MD5_NONE)
        same_clip = find_clip(states, channel, anim->alias);
    if (same_clip != MD5_NONE) {
        play_in_sync(actor, actor_channel, same_clip, leader, slot, milliseconds);
        return;
    }

    uint32_t next_clip = MD5_NONE; // stops the channel
    if (channel == MD5_CHANNEL_HEAD) {
        next_clip = find_clip(states, channel, "idle");
        if (next_clip == actor->slots[actor_channel][0].clip)
            return; // it continues to play
    }
    (void)md5_actor_play(actor, actor_channel, next_clip, MD5_ACTOR_CYCLE, 0, milliseconds);
}

// Plays the clip of channel `leader` on another channel, in sync with it. `frames` is the blend
// time. The two channels can belong to different actors, a body and its head.
static void sync_channel(md5_states *states, md5_channel channel, md5_channel leader,
                         uint32_t frames)
{
    md5_channel actor_channel = channel;
    md5_channel leader_channel = leader;
    md5_actor *const actor = find_actor(states, &actor_channel);
    md5_actor *const leader_actor = find_actor(states, &leader_channel);
    const uint32_t milliseconds = frames_to_milliseconds(frames);
    if (actor == leader_actor) {
        // A body without a head does not play clips of the head.
        if (channel != MD5_CHANNEL_HEAD && leader != MD5_CHANNEL_HEAD)
            md5i_actor_sync(actor, channel, leader, milliseconds);
        return;
    }
    const md5_actor_slot *const slot = &leader_actor->slots[leader_channel][0];
    if (slot->clip != MD5_NONE)
        play_same_clip(states, channel, leader_actor, slot, milliseconds);
}

// Plays the clip of channel `leader` on another channel, with the blend time of `leader`.
static void play_along(md5_states *states, md5_channel follower, md5_channel leader)
{
    const uint32_t frames = states->run.threads[leader].last_blend;
    states->run.threads[follower].blend = frames;
    sync_channel(states, follower, leader, frames);
}

// Implements playAnim() and playCycle(). Plays a clip on a channel, which then is no longer idle.
// Idle channels follow it, unless a flag of the clip prevents that.
static void play_with_followers(md5_states *states, md5_channel channel, uint32_t clip,
                                md5_actor_mode mode)
{
    states->run.threads[channel].is_idle = false;
    play_clip(states, channel, clip, mode);
    if (prevents_override(states, channel))
        return;

    // The other two channels can follow: `first` if it is idle, and `second` if it is idle and
    // either `first` follows too or the clip plays on the torso.
    const bool is_torso = channel == MD5_CHANNEL_TORSO;
    const md5_channel first = is_torso ? MD5_CHANNEL_LEGS : MD5_CHANNEL_TORSO;
    const md5_channel second = channel == MD5_CHANNEL_HEAD ? MD5_CHANNEL_LEGS : MD5_CHANNEL_HEAD;
    const bool leads_first = is_idle(states, first);
    const bool leads_second = is_idle(states, second) && (is_torso || leads_first);
    // As in the engine, a cycle of the head moves the torso only if it also moves the legs.
    const bool is_head_cycle = channel == MD5_CHANNEL_HEAD && mode != MD5_ACTOR_ONCE;
    if (leads_first && (leads_second || !is_head_cycle))
        play_along(states, first, channel);
    if (leads_second)
        play_along(states, second, channel);
}

// Returns true if the channels that can follow an idle channel are idle. These are torso and legs
// for the head, the legs for the torso, and the torso for the legs.
static bool are_followers_idle(const md5_states *states, md5_channel channel)
{
    const bool torso_is_idle = is_idle(states, MD5_CHANNEL_TORSO);
    const bool legs_are_idle = is_idle(states, MD5_CHANNEL_LEGS);
    if (channel == MD5_CHANNEL_HEAD)
        return torso_is_idle && legs_are_idle;
    return channel == MD5_CHANNEL_TORSO ? legs_are_idle : torso_is_idle;
}

// Implements idleAnim(), which plays the clip of an idle channel. The partner of the torso is the
// legs, and the partner of legs and head is the torso. If the partner is not idle, the channel
// follows it. Otherwise the channel plays the clip, and the partner follows. All cases are the same
// as in the engine.
static void play_idle(md5_states *states, md5_channel channel, uint32_t clip)
{
    const script_thread *const thread = &states->run.threads[channel];
    const bool is_head = channel == MD5_CHANNEL_HEAD;
    const bool head_is_idle = is_idle(states, MD5_CHANNEL_HEAD);
    const md5_channel partner = channel == MD5_CHANNEL_TORSO ? MD5_CHANNEL_LEGS : MD5_CHANNEL_TORSO;

    if (prevents_override(states, partner)) {
        // Both channels play their own clips.
        play_clip(states, channel, clip, MD5_ACTOR_CYCLE);
    } else if (are_followers_idle(states, channel)) {
        // The channel leads the idle channels.
        play_clip(states, channel, clip, MD5_ACTOR_CYCLE);
        play_along(states, partner, channel);
        if (is_head)
            play_along(states, MD5_CHANNEL_LEGS, channel);
        if (channel == MD5_CHANNEL_LEGS && head_is_idle)
            sync_channel(states, MD5_CHANNEL_HEAD, channel, thread->last_blend);
    } else if (is_head && is_idle(states, MD5_CHANNEL_TORSO)) {
        // Head and torso follow the legs.
        sync_channel(states, channel, MD5_CHANNEL_LEGS, thread->blend);
        states->run.threads[MD5_CHANNEL_TORSO].blend = thread->last_blend;
        sync_channel(states, MD5_CHANNEL_TORSO, MD5_CHANNEL_LEGS, thread->last_blend);
    } else {
        // The channel follows its partner, which is not idle.
        sync_channel(states, channel, partner, thread->blend);
    }

    // An idle head follows the torso.
    if (channel == MD5_CHANNEL_TORSO && head_is_idle)
        sync_channel(states, MD5_CHANNEL_HEAD, channel, thread->last_blend);
}

// Implements overrideAnim(). Disables a channel, which then follows the torso or the legs.
static void override_channel(md5_states *states, md5_channel channel)
{
    script_thread *const threads = states->run.threads;
    threads[channel].is_disabled = true;
    threads[channel].is_idle = false;
    const bool follows_legs =
        channel == MD5_CHANNEL_TORSO
        || (channel == MD5_CHANNEL_HEAD && is_idle(states, MD5_CHANNEL_TORSO));
    const md5_channel leader = follows_legs ? MD5_CHANNEL_LEGS : MD5_CHANNEL_TORSO;
    sync_channel(states, channel, leader, threads[leader].last_blend);
    if (channel == MD5_CHANNEL_TORSO && is_idle(states, MD5_CHANNEL_HEAD))
        sync_channel(states, MD5_CHANNEL_HEAD, channel, threads[channel].last_blend);
}

// == Threads ======================================================================================

// Returns the index of a state, or MD5_NONE.
static uint32_t find_state(const md5_states *states, const char *name)
{
    const md5_script *const script = &states->script->script;
    for (uint32_t i = 0; i < script->num_states; i++) {
        if (strcmp(script->states[i].name, name) == 0)
            return i;
    }
    return MD5_NONE;
}

// Begins a call of a script function. The `count` arguments on the top of the stack become its
// first locals, and the other locals become 0. Returns false if one of the stacks is too small.
static bool begin_function_call(script_thread *thread, const script_function *function,
                                uint32_t count)
{
    const uint32_t base = thread->num_values - count;
    if (thread->num_calls == SCRIPT_DEPTH || base + function->stack_size > SCRIPT_STACK)
        return false;
    for (uint32_t i = count; i < function->num_locals; i++)
        thread->stack[base + i] = (script_value){.kind = SCRIPT_NUMBER};
    thread->num_values = base + function->num_locals;
    thread->calls[thread->num_calls++] = (script_call){function, 0, base};
    return true;
}

// Resets a thread, and begins a call of a function without arguments. The function runs when
// run_thread() is called next.
static void begin_thread(script_thread *thread, const script_function *function)
{
    thread->wait_until = 0;
    thread->waits_for_action = false;
    thread->was_stopped = false;
    thread->num_calls = 0;
    thread->num_values = 0;
    (void)begin_function_call(thread, function, 0);
}

// Starts the function of a state. If the running thread belongs to the same channel, it stops.
static void begin_state(md5_states *states, md5_channel channel, uint32_t state)
{
    const script_block *const script = states->script;
    script_thread *const thread = &states->run.threads[channel];
    thread->state = script->states[state].name;
    begin_thread(thread, &script->functions[script->state_functions[state]]);
    if (channel == states->running) {
        states->yields = true;
        states->has_restarted = true;
    }
}

// Implements enableAnim(). Enables a disabled channel, and restarts its state.
static void enable_channel(md5_states *states, md5_channel channel, uint32_t frames)
{
    script_thread *const thread = &states->run.threads[channel];
    if (!thread->is_disabled)
        return;
    thread->is_disabled = false;
    thread->blend = frames;
    thread->last_blend = frames;
    const uint32_t state = find_state(states, thread->state);
    if (state != MD5_NONE) {
        thread->is_idle = false;
        begin_state(states, channel, state);
    }
}

// Allows the eyes of the character to move, or stops them. Only monsters move their eyes.
static void allow_eye_movement(md5_states *states, bool is_allowed)
{
    md5_monster *const monster = states->desc.monster;
    if (!monster)
        return;
    monster->can_move_eyes = is_allowed;
    monster->can_move_eyes_next = is_allowed;
}

// Implements animState(). Starts a state in a channel. A state of the torso also enables the legs,
// and a state of the legs enables the torso. `frames` is the blend time.
static void set_state(md5_states *states, md5_channel channel, uint32_t state, uint32_t frames)
{
    script_thread *const thread = &states->run.threads[channel];
    begin_state(states, channel, state);
    thread->is_idle = false;
    thread->is_disabled = false;
    thread->blend = frames;
    thread->last_blend = frames;
    allow_eye_movement(states, true);
    if (channel == MD5_CHANNEL_HEAD)
        return;
    enable_channel(states, channel == MD5_CHANNEL_TORSO ? MD5_CHANNEL_LEGS : MD5_CHANNEL_TORSO,
                   frames);
    states->run.allows_pain = true;
}

// -- Functions of the engine ----------------------------------------------------------------------

// Returns the value of a key of the entity, converted to the type of the function.
static script_value read_key(md5_states *states, script_builtin builtin, const char *name)
{
    const md5_entity *const entity = states->desc.entity;
    const char *const text = entity->def ? md5_entity_def_value(entity->def, name) : NULL;
    float numbers[3] = {0.0f, 0.0f, 0.0f};
    if (builtin == SCRIPT_GET_KEY)
        return join_texts(text ? text : "", "");
    md5i_entity_numbers(text, numbers, 3);
    script_value value = number_value(numbers[0]);
    if (builtin == SCRIPT_GET_INT_KEY)
        value.v.x = (float)truncate_script_number(numbers[0]);
    if (builtin == SCRIPT_GET_VECTOR_KEY)
        value = (script_value){SCRIPT_VECTOR, {numbers[0], numbers[1], numbers[2]}, ""};
    return value;
}

// Converts a value to a number of frames, 0..MAX_FRAMES.
static uint32_t to_frames(const script_value *value)
{
    const int32_t frames = truncate_script_number(value->v.x);
    if (frames <= 0)
        return 0;
    return (uint32_t)(frames < MAX_FRAMES ? frames : MAX_FRAMES);
}

// Returns true if the first argument of a function is a channel. script_builtin is sorted by
// arguments, so a comparison suffices.
static bool has_channel_argument(script_builtin builtin)
{
    return builtin <= SCRIPT_ANIM_STATE;
}

// Returns true if the arguments of a function are a channel and the name of a clip. See
// script_builtin.
static bool has_clip_argument(script_builtin builtin)
{
    return builtin <= SCRIPT_ANIM_DISTANCE;
}

// Implements playAnim() and playCycle(). Returns false if the channel cannot play, because `clip`
// is MD5_NONE or the character has no separate head.
static bool call_play(md5_states *states, md5_channel channel, uint32_t clip, md5_actor_mode mode)
{
    const bool is_missing_head = channel == MD5_CHANNEL_HEAD && !states->desc.head;
    if (clip == MD5_NONE || is_missing_head)
        return false;
    play_with_followers(states, channel, clip, mode);
    return true;
}

// Implements idleAnim(). The channel becomes idle, and plays the clip or follows another channel.
// Returns false if `clip` is MD5_NONE.
static bool call_idle(md5_states *states, md5_channel channel, uint32_t clip)
{
    states->run.threads[channel].is_idle = true;
    if (clip == MD5_NONE)
        return false;
    play_idle(states, channel, clip);
    return true;
}

// Returns a clip of a channel's actor, or NULL if `clip` is MD5_NONE.
static const md5_entity_clip *get_channel_clip(const md5_states *states, md5_channel channel,
                                               uint32_t clip)
{
    if (clip == MD5_NONE)
        return NULL;
    md5_channel actor_channel = channel;
    return &find_actor(states, &actor_channel)->entity->clips[clip];
}

// Calls a function of the engine whose arguments are a channel and the name of a clip. Returns its
// result. If `name` is not a text, it counts as the name of no clip.
static script_value call_clip_builtin(md5_states *states, script_builtin builtin,
                                      md5_channel channel, const script_value *name)
{
    const bool is_text = name->kind == SCRIPT_TEXT;
    const uint32_t clip = is_text ? find_clip(states, channel, name->text) : MD5_NONE;
    const md5_entity_clip *const found = get_channel_clip(states, channel, clip);
    switch (builtin) {
    case SCRIPT_PLAY_ANIM:
        return number_value(call_play(states, channel, clip, MD5_ACTOR_ONCE));
    case SCRIPT_PLAY_CYCLE:
        return number_value(call_play(states, channel, clip, MD5_ACTOR_CYCLE));
    case SCRIPT_IDLE_ANIM:
        return number_value(call_idle(states, channel, clip));
    case SCRIPT_CHOOSE_ANIM:
        return join_texts(found ? found->anim->name : "", "");
    case SCRIPT_ANIM_LENGTH: // in seconds
        return number_value(found ? (float)found->anim->milliseconds * 0.001f : 0.0f);
    case SCRIPT_ANIM_DISTANCE:
        return number_value(found ? md5_vec3_length(md5_entity_clip_movement(found)) : 0.0f);
    default: // SCRIPT_HAS_ANIM
        return number_value(found != NULL);
    }
}

// Implements stopAnim(): fades out the clips of a channel over a number of frames.
static void stop_channel(md5_states *states, md5_channel channel, uint32_t frames)
{
    md5_channel actor_channel = channel;
    md5_actor *const actor = find_actor(states, &actor_channel);
    states->run.threads[channel].blend = 0;
    (void)md5_actor_clear(actor, actor_channel, frames_to_milliseconds(frames));
}

// Calls a function of the engine whose first argument is a channel, and returns its result. `args`
// are the other arguments: the name of a clip or state, or a number of frames. For animState(),
// they are the name of a state and a number of frames. Functions without a result return 0.
static script_value call_channel_builtin(md5_states *states, script_builtin builtin,
                                         md5_channel channel, const script_value *args)
{
    if (has_clip_argument(builtin))
        return call_clip_builtin(states, builtin, channel, &args[0]);

    const script_value no_result = number_value(0.0f);
    const bool has_two_arguments = builtin == SCRIPT_ANIM_STATE;
    const uint32_t frames = to_frames(has_two_arguments ? &args[1] : &args[0]);
    const char *const state_name = args[0].text;
    script_thread *const thread = &states->run.threads[channel];
    switch (builtin) {
    case SCRIPT_OVERRIDE_ANIM:
        override_channel(states, channel);
        return no_result;
    case SCRIPT_ENABLE_ANIM:
        enable_channel(states, channel, frames);
        return no_result;
    case SCRIPT_STOP_ANIM:
        stop_channel(states, channel, frames);
        return no_result;
    case SCRIPT_ANIM_DONE:
        return number_value(is_animation_done(states, channel, frames));

    case SCRIPT_SET_BLEND:
        thread->blend = frames;
        thread->last_blend = frames;
        return no_result;
    case SCRIPT_GET_BLEND:
        return number_value((float)thread->blend);

    case SCRIPT_IN_ANIM_STATE:
        return number_value(strcmp(thread->state, state_name) == 0);
    case SCRIPT_GET_ANIM_STATE:
        return join_texts(thread->state, "");
    default: { // SCRIPT_ANIM_STATE
        const uint32_t state = find_state(states, state_name);
        if (state != MD5_NONE)
            set_state(states, channel, state, frames);
        return no_result;
    }
    }
}

static float next_random(const md5_states *states)
{
    return states->desc.random ? states->desc.random(states->desc.user) : 0.5f;
}

// Returns the actor time after `seconds` from now, ms.
static int64_t time_after(const md5_states *states, float seconds)
{
    return states->desc.body->time + truncate_script_number(seconds * 1000.0f);
}

// Calls a function that changes the state of the character or lets its thread wait. Such functions
// have no result. Returns false, without an effect, if the function is not one of them.
static bool call_state_builtin(md5_states *states, script_builtin builtin, const script_value *arg)
{
    script_run *const run = &states->run;
    script_thread *const thread = &run->threads[states->running];
    switch (builtin) {
    case SCRIPT_SET_STATE:
        run->next = find_state(states, arg->text);
        states->yields = true;
        return true;
    case SCRIPT_SET_NEXT_STATE:
        run->next = find_state(states, arg->text);
        return true;
    case SCRIPT_WAIT_ACTION:
        run->action = *arg;
        states->yields = arg->text[0] != '\0';
        thread->waits_for_action = states->yields;
        return true;
    case SCRIPT_FINISH_ACTION:
        if (strcmp(run->action.text, arg->text) == 0)
            run->action.text[0] = '\0';
        return true;
    case SCRIPT_WAIT:
        thread->wait_until = time_after(states, arg->v.x);
        states->yields = true;
        return true;
    case SCRIPT_WAIT_FRAME:
        states->yields = true;
        return true;
    default:
        return false;
    }
}

// Calls a function that enables or disables an ability of the character, such as feeling pain. Such
// functions have no result. Returns false, without an effect, if the function is not one of them.
static bool call_ability_builtin(md5_states *states, script_builtin builtin,
                                 const script_value *arg)
{
    script_run *const run = &states->run;
    switch (builtin) {
    case SCRIPT_PREVENT_PAIN:
        run->pain_time = time_after(states, arg->v.x);
        return true;
    case SCRIPT_DISABLE_PAIN:
    case SCRIPT_ENABLE_PAIN:
        run->allows_pain = builtin == SCRIPT_ENABLE_PAIN;
        return true;
    case SCRIPT_DISABLE_EYES:
    case SCRIPT_ENABLE_EYES: {
        const bool is_enabled = builtin == SCRIPT_ENABLE_EYES;
        allow_eye_movement(states, is_enabled);
        md5_actor_set_blinking(states->desc.head ? states->desc.head : states->desc.body,
                               is_enabled);
        return true;
    }
    case SCRIPT_ALLOW_MOVEMENT:
        run->allows_movement = is_true_value(arg);
        return true;
    default:
        return false;
    }
}

// Calls a function of the engine from a script, and returns its result, or 0 if it has none. `args`
// contains 0 for missing arguments. Calls for channels that scripts cannot control have no effect.
static script_value call_builtin(md5_states *states, script_builtin builtin,
                                 const script_value *args)
{
    const float number = args[0].v.x;
    if (has_channel_argument(builtin)) {
        const int32_t channel = truncate_script_number(number);
        if (channel < MD5_CHANNEL_TORSO || channel > MD5_CHANNEL_HEAD)
            return number_value(0.0f);
        return call_channel_builtin(states, builtin, (md5_channel)channel, args + 1);
    }

    if (call_state_builtin(states, builtin, &args[0])
        || call_ability_builtin(states, builtin, &args[0]))
        return number_value(0.0f);

    switch (builtin) {
    case SCRIPT_SET_PREFIX:
        states->run.prefix = args[0];
        return number_value(0.0f);
    case SCRIPT_PAIN_ANIM:
        return join_texts("pain", "");
    case SCRIPT_GET_TIME:
        return number_value((float)states->desc.body->time * 0.001f);
    case SCRIPT_RANDOM:
        return number_value(number * next_random(states));
    case SCRIPT_INT:
        return number_value((float)truncate_script_number(number));
    case SCRIPT_GET_KEY:
    case SCRIPT_GET_INT_KEY:
    case SCRIPT_GET_FLOAT_KEY:
    case SCRIPT_GET_VECTOR_KEY:
        return read_key(states, builtin, args[0].text);
    default: // functions without an effect on animations
        return number_value(0.0f);
    }
}

// -- Operations -----------------------------------------------------------------------------------

// Returns a component of a vector. `number` is 1 for x, 2 for y and 3 for z.
static float *vector_component(script_value *value, uint8_t number)
{
    switch (number) {
    case 1:
        return &value->v.x;
    case 2:
        return &value->v.y;
    default:
        return &value->v.z;
    }
}

// Calls a function of the engine. Its result replaces its arguments on the top of the stack. If the
// function has started another state in this thread, the stack belongs to that state, and the
// result is dropped.
static void run_builtin(md5_states *states, script_thread *thread, script_op op)
{
    enum { MAX_ARGS = 4 };
    script_value args[MAX_ARGS] = {{.kind = SCRIPT_NUMBER}};
    const size_t num_args = op.count < MAX_ARGS ? op.count : MAX_ARGS;
    thread->num_values -= op.count;
    memcpy(args, &thread->stack[thread->num_values], sizeof *args * num_args);
    states->has_restarted = false;
    const script_value result = call_builtin(states, (script_builtin)op.arg, args);
    if (!states->has_restarted)
        thread->stack[thread->num_values++] = result;
}

// Returns a variable, or one of its components as a number. `component` is 0 for the whole
// variable, otherwise as in vector_component().
static script_value load_value(script_value *variable, uint8_t component)
{
    if (component == 0)
        return *variable;
    return number_value(*vector_component(variable, component));
}

// Sets a variable, or one of its components, to a value. `component` is as in load_value().
static void store_value(script_value *variable, uint8_t component, const script_value *value)
{
    if (component == 0)
        *variable = *value;
    else
        *vector_component(variable, component) = value->v.x;
}

// Runs the next operation of a script thread. Returns false if a stack is full. Only calls check
// this, because they reserve space for all values of the called function.
static bool run_operation(md5_states *states, script_thread *thread)
{
    script_call *const current = &thread->calls[thread->num_calls - 1];
    const script_op op = current->function->ops[current->at++];
    script_value *const locals = &thread->stack[current->base];
    script_value *const end = &thread->stack[thread->num_values]; // after the top of the stack

    switch ((script_code)op.code) {
    // The operations below push a value.
    case SCRIPT_CONSTANT:
        *end = *op.value;
        thread->num_values++;
        return true;
    case SCRIPT_LOCAL:
        *end = load_value(&locals[op.arg], op.count);
        thread->num_values++;
        return true;
    case SCRIPT_VARIABLE:
        *end = load_value(&states->variables[op.arg], op.count);
        thread->num_values++;
        return true;

    // The operations below use the top of the stack.
    case SCRIPT_SET_LOCAL:
        store_value(&locals[op.arg], op.count, &end[-1]);
        return true;
    case SCRIPT_SET_VARIABLE:
        store_value(&states->variables[op.arg], op.count, &end[-1]);
        return true;
    case SCRIPT_POP:
        thread->num_values--;
        return true;

    // The operations below jump, call or return.
    case SCRIPT_JUMP:
        current->at = op.arg;
        return true;
    case SCRIPT_JUMP_UNLESS:
        if (!is_true_value(&end[-1]))
            current->at = op.arg;
        thread->num_values--;
        return true;
    case SCRIPT_CALL:
        return begin_function_call(thread, &states->script->functions[op.arg], op.count);
    case SCRIPT_RETURN: // the value replaces the arguments of the call
        *locals = end[-1];
        thread->num_values = current->base + 1;
        thread->num_calls--;
        return true;
    case SCRIPT_BUILTIN:
        run_builtin(states, thread, op);
        return true;

    // The operations below are computations, which replace their operands.
    case SCRIPT_NOT:
    case SCRIPT_NEGATE:
    case SCRIPT_COMPLEMENT:
        end[-1] = compute((script_code)op.code, &end[-1], &end[-1]);
        return true;
    default:
        end[-2] = compute((script_code)op.code, &end[-2], &end[-1]);
        thread->num_values--;
        return true;
    }
}

// Runs the thread of a channel until it ends or yields. Does nothing while the thread waits for a
// time or an action. If the thread exceeds the limit of steps or of its stacks, it is ended, and
// was_stopped is set.
static void run_thread(md5_states *states, md5_channel channel)
{
    script_thread *const thread = &states->run.threads[channel];
    const bool waits_for_time = thread->wait_until > states->desc.body->time;
    const bool waits_for_action = thread->waits_for_action && states->run.action.text[0] != '\0';
    if (waits_for_time || waits_for_action)
        return;

    thread->waits_for_action = false;
    states->running = channel;
    states->yields = false;
    for (int step = 0; thread->num_calls > 0 && !states->yields; step++) {
        thread->was_stopped = step == MD5_MAX_SCRIPT_STEPS || !run_operation(states, thread);
        if (thread->was_stopped) {
            thread->num_calls = 0;
            thread->num_values = 0;
        }
    }
    states->running = MD5_NUM_CHANNELS;
}

// The receiver of the frame commands of an advance.
typedef struct frame_caller {
    md5_states *states;
    md5_frame_fn *on_frame;
    void *user;
} frame_caller;

// Marks the start or the end of a callback of the states and of their actors. During the callback,
// the program may set variables of the states, but must not change the actors.
static void mark_callback(md5_states *states, md5_callback states_mark, md5_callback actors_mark)
{
    md5_mark_callback(&states->internal, states_mark);
    md5_mark_callback(&states->desc.body->internal, actors_mark);
    if (states->desc.head)
        md5_mark_callback(&states->desc.head->internal, actors_mark);
}

// Runs the script function that a frame command calls, then calls the program's callback. If the
// function of an earlier frame command has not ended, it is dropped.
static void call_frame(void *user, const md5_frame_command *command, const md5_entity_clip *clip,
                       md5_channel channel)
{
    const frame_caller *const caller = (const frame_caller *)user;
    md5_states *const states = caller->states;
    const script_block *const script = states->script;
    const script_frame_call key = {command->code, command->text, 0};
    const script_frame_call *const called = (const script_frame_call *)bsearch(
        &key, script->frame_calls, script->num_frame_calls, sizeof key, md5i_compare_frame_calls);

    // If a function was stopped, no other function of a frame command runs in this advance.
    script_thread *const thread = &states->run.threads[FRAME_THREAD];
    if (called && !thread->was_stopped) {
        begin_thread(thread, &script->functions[called->function]);
        run_thread(states, (md5_channel)FRAME_THREAD);
    }

    if (!caller->on_frame)
        return;
    mark_callback(states, MD5_SETTING_CALLBACK, MD5_CALLBACK);
    caller->on_frame(caller->user, command, clip, channel);
    mark_callback(states, MD5_NO_CALLBACK, MD5_NO_CALLBACK);
}

// == Public functions =============================================================================

// Initializes a run whose bytes are 0. No thread runs yet. All channels except for MD5_CHANNEL_ALL
// are idle and disabled until the script enables them.
static void initialize_run(script_run *run)
{
    run->next = MD5_NONE;
    run->allows_pain = true;
    run->allows_movement = true;
    for (uint32_t i = 0; i < NUM_THREADS; i++) {
        script_thread *const thread = &run->threads[i];
        const bool has_channel = i != MD5_CHANNEL_ALL;
        thread->state = "";
        thread->is_idle = has_channel;
        thread->is_disabled = has_channel;
    }
}

// Creates the states of a character, which run the animation functions of its script. Returns NULL
// and sets the error if memory runs out.
md5_states *md5_create_states(const md5_states_desc *desc, const md5_allocator *allocator,
                              md5_error *error)
{
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_RESERVED(desc);
    MD5_ASSERT_ALLOCATOR(allocator);
    MD5_ASSERT_ALIVE(desc->script, MD5_TAG_SCRIPT);
    MD5_ASSERT_ALIVE(desc->entity, MD5_TAG_ENTITY);
    MD5_ASSERT_ALIVE(desc->body, MD5_TAG_ACTOR);
    MD5_ASSERT_NULL_OR_ALIVE(desc->head, MD5_TAG_ACTOR);
    MD5_ASSERT_NULL_OR_ALIVE(desc->monster, MD5_TAG_MONSTER);

    // The variables are stored after the states, in the same block.
    const script_block *const script = (const script_block *)(const void *)desc->script;
    const uint32_t num_variables = desc->script->num_variables;
    const size_t size = sizeof(md5_states) + num_variables * sizeof(script_value);
    md5_context context;
    md5i_context_begin_memory(&context, allocator ? *allocator : (md5_allocator){0}, error);
    md5_states *const states = (md5_states *)md5i_alloc(&context, size);
    if (!states)
        return NULL;

    memset(states, 0, size);
    states->desc = *desc;
    states->script = script;
    states->internal = (md5_internal){.allocator = context.allocator, .tag = MD5_TAG_STATES};
    states->size = size;
    states->variables = (script_value *)(void *)(states + 1);
    if (num_variables > 0)
        memcpy(states->variables, script->initial, num_variables * sizeof(script_value));

    states->running = MD5_NUM_CHANNELS;
    initialize_run(&states->run);
    return states;
}

void md5_destroy_states(md5_states *states)
{
    MD5_FREE(states, MD5_TAG_STATES);
}

// Starts a state in a channel. The state begins to run in the next md5_states_advance(). Its first
// clip fades in over `blend_frames` frames of 1/24 second. Returns false if the state or the
// channel does not exist.
bool md5_states_set(md5_states *states, md5_channel channel, const char *name,
                    uint32_t blend_frames)
{
    MD5_ASSERT_STATES_CHANGE(states);
    MD5_ASSERT_NOT_NULL(name);
    const uint32_t state = find_state(states, name);
    TRY(state != MD5_NONE && (unsigned)channel < NUM_THREADS);
    if (channel == MD5_CHANNEL_ALL)
        states->run.next = state;
    else
        set_state(states, channel, state, blend_frames < MAX_FRAMES ? blend_frames : MAX_FRAMES);
    return true;
}

// Returns the value of the script's variable with a name, or NULL.
static script_value *find_state_variable(const md5_states *states, const char *name)
{
    const md5_script *const script = &states->script->script;
    for (uint32_t i = 0; i < script->num_variables; i++) {
        if (strcmp(script->variables[i].name, name) == 0)
            return &states->variables[i];
    }
    return NULL;
}

// Returns the value of a numeric variable of the object, or of a global numeric variable. Returns 0
// if there is no such variable.
float md5_states_variable(const md5_states *states, const char *name)
{
    MD5_ASSERT_STATES(states);
    MD5_ASSERT_NOT_NULL(name);
    const script_value *const variable = find_state_variable(states, name);
    return variable ? variable->v.x : 0.0f;
}

// Sets a numeric variable of the object, or a global numeric variable, for example "AI_FORWARD" to
// 1 to let the character walk.
bool md5_states_set_variable(md5_states *states, const char *name, float value)
{
    MD5_ASSERT_STATES(states);
    MD5_ASSERT_NOT_NULL(name);
    script_value *const variable = find_state_variable(states, name);
    TRY(variable && variable->kind == SCRIPT_NUMBER);
    variable->v.x = value;
    return true;
}

// Largest number of changes of the main state in one advance. The engine reports an error if there
// are more.
enum { MAX_STATE_CHANGES = 20 };

// Runs the main state, and any state that it changes to, until it does not change any more.
static void run_main_state(md5_states *states)
{
    for (uint32_t i = 0; i < MAX_STATE_CHANGES; i++) {
        const uint32_t next = states->run.next;
        states->run.next = MD5_NONE;
        if (next != MD5_NONE)
            begin_state(states, MD5_CHANNEL_ALL, next);
        run_thread(states, MD5_CHANNEL_ALL);
        if (states->run.next == MD5_NONE)
            break;
    }
}

// Advances a character by one tick: the time of its actors, then its script threads, then the frame
// commands.
void md5_states_advance(md5_states *states, uint32_t milliseconds, md5_frame_fn *on_frame,
                        void *user)
{
    // The game sets these variables before an advance.
    static const char *const flags[] = {"AI_PAIN", "AI_SPECIAL_DAMAGE", "AI_PUSHED"};
    static const md5_channel order[] = {MD5_CHANNEL_HEAD, MD5_CHANNEL_TORSO, MD5_CHANNEL_LEGS};
    MD5_ASSERT_STATES_CHANGE(states);
    md5_actor *const body = states->desc.body;
    md5_actor *const head = states->desc.head;
    md5i_actor_advance_time(body, milliseconds);
    if (head)
        md5i_actor_advance_time(head, milliseconds);

    // Run the threads: a waiting function of a frame command, the main state, then the channels.
    states->run.threads[FRAME_THREAD].was_stopped = false;
    run_thread(states, (md5_channel)FRAME_THREAD);
    run_main_state(states);
    for (uint32_t i = 0; i < MD5_COUNT(order); i++) {
        if (!states->run.threads[order[i]].is_disabled)
            run_thread(states, order[i]);
    }
    for (uint32_t i = 0; i < MD5_COUNT(flags); i++)
        (void)md5_states_set_variable(states, flags[i], 0.0f);

    // Run the frame commands of the time that has passed.
    frame_caller caller = {states, on_frame, user};
    md5i_actor_call_frame_commands(body, call_frame, &caller);
    if (head)
        md5i_actor_call_frame_commands(head, call_frame, &caller);
}

// Returns the script state that is active in a channel of the character. If the channel is invalid,
// the name of the state is "".
md5_channel_state md5_states_channel(const md5_states *states, md5_channel channel)
{
    MD5_ASSERT_STATES(states);
    if ((unsigned)channel >= NUM_THREADS)
        return (md5_channel_state){.name = ""};
    const script_thread *const thread = &states->run.threads[channel];
    return (md5_channel_state){.name = thread->state,
                               .blend = thread->blend,
                               .last_blend = thread->last_blend,
                               .is_idle = thread->is_idle,
                               .is_disabled = thread->is_disabled,
                               .is_running = thread->num_calls > 0,
                               .was_stopped = thread->was_stopped};
}

// Copies the current states and variables from `from` to `to`. Both must have been created for the
// same script and entity.
void md5_copy_states(md5_states *to, const md5_states *from)
{
    MD5_ASSERT_STATES_CHANGE(to);
    MD5_ASSERT_STATES(from);
    MD5_ASSERT(to->script == from->script, "to, from: must belong to the same script");
    const uint32_t count = to->script->script.num_variables;
    to->run = from->run;
    if (count > 0)
        memcpy(to->variables, from->variables, count * sizeof *to->variables);
}

// Returns the values that the script of a character has set, which the game can read.
md5_states_status md5_states_state(const md5_states *states)
{
    MD5_ASSERT_STATES(states);
    const script_run *const run = &states->run;
    return (md5_states_status){.waits_for = run->action.text,
                               .allows_pain =
                                   run->allows_pain && states->desc.body->time >= run->pain_time,
                               .allows_movement = run->allows_movement};
}
