// The states that a character is in: threads of compiled functions, and what these play in its
// channels, by the rules of the engine.
#include "md5/core/freed.h"
#include "md5/game/actor.h"
#include "md5/game/character.h"
#include "md5/game/script.h"

#include <stdlib.h>
#include <string.h>

// Behind those of channels there is one thread for all that frame commands call.
enum { NUM_THREADS = MD5_CHANNEL_HEAD + 1, FRAME_THREAD = NUM_THREADS, MOST_FRAMES = 1000000 };

typedef struct script_call {
    const script_function *function;
    uint32_t at, base; // its next operation, its first local on the stack
} script_call;

// A channel, or what runs state_*(), and its function.
typedef struct script_thread {
    const char *state; // "": none
    uint32_t blend;
    uint32_t last_blend;
    bool is_idle;
    bool is_disabled;
    bool was_stopped;
    bool waits_for_action;
    int64_t wait_until;
    uint32_t num_calls, num_values; // no calls: it has ended
    script_call calls[SCRIPT_DEPTH];
    script_value stack[SCRIPT_STACK];
} script_thread;

// What changes.
typedef struct script_run {
    script_thread threads[NUM_THREADS + 1]; // by md5_channel
    uint32_t next;               // the state that is set for MD5_CHANNEL_ALL; MD5_NONE: none
    script_value action, prefix; // what it waits for; of clips
    bool allows_pain;
    bool allows_movement;
    int64_t pain_time; // when pain is allowed again
} script_run;

struct md5_states {
    md5_states_desc desc;
    const script_block *script;
    md5_internal internal;
    size_t size;
    script_run run;
    script_value *variables; // [script.num_variables]
    // Of the advance.
    md5_channel running;
    bool yields;
    bool has_restarted;
};

// Check the states of a public function and the objects that they use; of a function that changes
// the states, that no callback of these states runs.
// NOLINTBEGIN(bugprone-macro-parentheses): as messages name the arguments
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

static script_value number_of(float number)
{
    return (script_value){.kind = SCRIPT_NUMBER, .v = {number, 0.0f, 0.0f}};
}

static bool is_true(const script_value *value)
{
    return value->kind == SCRIPT_TEXT ? value->text[0] != '\0' : value->v.x != 0.0f;
}

static int32_t whole_of(float number)
{
    return number > -1e9f && number < 1e9f ? (int32_t)number : 0;
}

// Both, cut to what there is room for.
static script_value join(const char *first, const char *second)
{
    script_value value = {.kind = SCRIPT_TEXT};
    if (snprintf(value.text, sizeof value.text, "%s%s", first, second) < 0)
        value.text[0] = '\0';
    return value;
}

// What a value is beside a text.
static script_value as_text(const script_value *value)
{
    script_value text = *value;
    if (value->kind != SCRIPT_TEXT)
        (void)snprintf(text.text, sizeof text.text,
                       value->v.x == (float)whole_of(value->v.x) ? "%.0f" : "%f",
                       (double)value->v.x);
    return text;
}

static script_value compute(script_code code, const script_value *a, const script_value *b)
{
    const float x = a->v.x;
    const float y = b->v.x;
    const int32_t i = whole_of(x);
    const int32_t j = whole_of(y);
    const bool are_equal = a->kind == SCRIPT_TEXT && b->kind == SCRIPT_TEXT
                               ? strcmp(a->text, b->text) == 0
                               : x == y && a->v.y == b->v.y && a->v.z == b->v.z;
    switch (code) {
    case SCRIPT_MULTIPLY:
        if (a->kind == b->kind)
            return number_of(md5_vec3_dot(a->v, b->v));
        return (script_value){.kind = SCRIPT_VECTOR,
                              .v = a->kind == SCRIPT_VECTOR ? md5_vec3_scale(a->v, y)
                                                            : md5_vec3_scale(b->v, x)};
    case SCRIPT_DIVIDE:
        return number_of(y != 0.0f ? x / y : 1e30f);
    case SCRIPT_REMAINDER:
        return number_of(j != 0 ? (float)(i % j) : x);
    case SCRIPT_ADD:
        if (a->kind != SCRIPT_TEXT && b->kind != SCRIPT_TEXT)
            return (script_value){.kind = a->kind, .v = md5_vec3_add(a->v, b->v)};
        return join(as_text(a).text, as_text(b).text);
    case SCRIPT_SUBTRACT:
        return (script_value){.kind = a->kind, .v = md5_vec3_sub(a->v, b->v)};
    case SCRIPT_BIT_AND:
        return number_of((float)(i & j));
    case SCRIPT_BIT_OR:
        return number_of((float)(i | j));
    case SCRIPT_LESS:
        return number_of(x < y);
    case SCRIPT_LESS_EQUAL:
        return number_of(x <= y);
    case SCRIPT_GREATER:
        return number_of(x > y);
    case SCRIPT_GREATER_EQUAL:
        return number_of(x >= y);
    case SCRIPT_EQUAL:
        return number_of(are_equal);
    case SCRIPT_NOT_EQUAL:
        return number_of(!are_equal);
    case SCRIPT_AND:
        return number_of(is_true(a) && is_true(b));
    case SCRIPT_OR:
        return number_of(is_true(a) || is_true(b));
    case SCRIPT_NOT:
        return number_of(!is_true(a));
    case SCRIPT_NEGATE:
        return (script_value){.kind = a->kind, .v = md5_vec3_scale(a->v, -1.0f)};
    case SCRIPT_COMPLEMENT:
        return number_of((float)~i);
    default:
        return *b;
    }
}

// == Channels =====================================================================================

static uint32_t milliseconds_of(uint32_t frames)
{
    return frames * 1000 / 24;
}

// The actor that plays a channel, and there the channel: a head plays in all of its own.
static md5_actor *actor_of(const md5_states *states, md5_channel *channel)
{
    if (*channel != MD5_CHANNEL_HEAD || !states->desc.head)
        return states->desc.body;
    *channel = MD5_CHANNEL_ALL;
    return states->desc.head;
}

static bool is_done(const md5_states *states, md5_channel channel, uint32_t frames)
{
    const md5_actor *const actor = actor_of(states, &channel);
    const int64_t end = actor->slots[channel][0].end;
    return end >= 0 && end - milliseconds_of(frames) <= actor->time;
}

static bool prevents(const md5_states *states, md5_channel channel)
{
    if (states->run.threads[channel].is_disabled || is_done(states, channel, 0))
        return false;
    const md5_actor *const actor = actor_of(states, &channel);
    const uint32_t clip = actor->slots[channel][0].clip;
    return clip != MD5_NONE
           && (actor->entity->clips[clip].anim->flags & MD5_ANIM_PREVENTS_IDLE_OVERRIDE) != 0;
}

static bool is_idle(const md5_states *states, md5_channel channel)
{
    return states->run.threads[channel].is_idle || states->run.threads[channel].is_disabled;
}

// Finds a clip for a channel; MD5_NONE: none.
static uint32_t find_clip(const md5_states *states, md5_channel channel, const char *name)
{
    md5_actor *const actor = actor_of(states, &channel);
    return md5_actor_choose(actor, states->run.prefix.text, name);
}

static void play(md5_states *states, md5_channel channel, uint32_t clip, md5_actor_mode mode)
{
    script_thread *const thread = &states->run.threads[channel];
    md5_actor *const actor = actor_of(states, &channel);
    (void)md5_actor_play(actor, channel, clip, mode, 0, milliseconds_of(thread->blend));
    thread->blend = 0;
}

// Lets a channel play what another one plays; between body and head clips of the same name.
static void sync(md5_states *states, md5_channel channel, md5_channel leader, uint32_t frames)
{
    const md5_channel own = channel;
    const md5_channel from = leader;
    md5_actor *const actor = actor_of(states, &channel);
    md5_actor *const other = actor_of(states, &leader);
    const md5_actor_slot *const slot = &other->slots[leader][0];
    if (actor == other && own != MD5_CHANNEL_HEAD && from != MD5_CHANNEL_HEAD)
        md5i_actor_sync(actor, channel, leader, milliseconds_of(frames));
    if (actor == other || slot->clip == MD5_NONE) // also if there is no head
        return;
    const md5_model_anim *const anim = other->entity->clips[slot->clip].anim;
    uint32_t clip = find_clip(states, own, anim->name);
    clip = clip != MD5_NONE ? clip : find_clip(states, own, anim->alias);
    const bool is_found = clip != MD5_NONE;
    if (!is_found && own == MD5_CHANNEL_HEAD) { // which goes on if it plays already
        clip = find_clip(states, own, "idle");
        if (clip == actor->slots[channel][0].clip)
            return;
    }
    if (md5_actor_play(actor, channel, clip, is_found ? MD5_ACTOR_ONCE : MD5_ACTOR_CYCLE, 0,
                       milliseconds_of(frames))
        && is_found) {
        (void)md5_actor_set_cycles(actor, channel, slot->cycles);
        (void)md5_actor_set_start(actor, channel, other->time - slot->start);
    }
}

static void follow(md5_states *states, md5_channel follower, md5_channel leader)
{
    const uint32_t frames = states->run.threads[leader].last_blend;
    states->run.threads[follower].blend = frames;
    sync(states, follower, leader, frames);
}

// playAnim() and playCycle(): what is idle follows, unless the clip prevents it.
static void play_and_lead(md5_states *states, md5_channel channel, uint32_t clip,
                          md5_actor_mode mode)
{
    states->run.threads[channel].is_idle = false;
    play(states, channel, clip, mode);
    if (prevents(states, channel))
        return;
    const bool is_torso = channel == MD5_CHANNEL_TORSO;
    const md5_channel last = channel == MD5_CHANNEL_HEAD ? MD5_CHANNEL_LEGS : MD5_CHANNEL_HEAD;
    const bool leads = is_idle(states, is_torso ? MD5_CHANNEL_LEGS : MD5_CHANNEL_TORSO);
    const bool leads_last = is_idle(states, last) && (is_torso || leads);
    if (leads && (leads_last || mode == MD5_ACTOR_ONCE || channel != MD5_CHANNEL_HEAD))
        follow(states, is_torso ? MD5_CHANNEL_LEGS : MD5_CHANNEL_TORSO, channel);
    if (leads_last)
        follow(states, last, channel);
}

// idleAnim(): a channel copies another one that is not idle, or leads those that are.
static void idle(md5_states *states, md5_channel channel, uint32_t clip)
{
    const script_thread *const thread = &states->run.threads[channel];
    const bool torso = is_idle(states, MD5_CHANNEL_TORSO);
    const bool legs = is_idle(states, MD5_CHANNEL_LEGS);
    const bool head = is_idle(states, MD5_CHANNEL_HEAD);
    const md5_channel other = channel == MD5_CHANNEL_TORSO ? MD5_CHANNEL_LEGS : MD5_CHANNEL_TORSO;
    if (prevents(states, other)) {
        play(states, channel, clip, MD5_ACTOR_CYCLE);
    } else if (channel == MD5_CHANNEL_HEAD ? torso && legs : is_idle(states, other)) {
        play(states, channel, clip, MD5_ACTOR_CYCLE);
        follow(states, other, channel);
        if (channel == MD5_CHANNEL_HEAD)
            follow(states, MD5_CHANNEL_LEGS, channel);
        if (channel == MD5_CHANNEL_LEGS && head)
            sync(states, MD5_CHANNEL_HEAD, channel, thread->last_blend);
    } else if (channel == MD5_CHANNEL_HEAD && torso) {
        sync(states, channel, MD5_CHANNEL_LEGS, thread->blend);
        states->run.threads[MD5_CHANNEL_TORSO].blend = thread->last_blend;
        sync(states, MD5_CHANNEL_TORSO, MD5_CHANNEL_LEGS, thread->last_blend);
    } else {
        sync(states, channel, other, thread->blend);
    }
    if (channel == MD5_CHANNEL_TORSO && head)
        sync(states, MD5_CHANNEL_HEAD, channel, thread->last_blend);
}

static void override(md5_states *states, md5_channel channel)
{
    script_thread *const threads = states->run.threads;
    threads[channel].is_disabled = true;
    threads[channel].is_idle = false;
    const md5_channel leader =
        channel == MD5_CHANNEL_TORSO
                || (channel == MD5_CHANNEL_HEAD && is_idle(states, MD5_CHANNEL_TORSO))
            ? MD5_CHANNEL_LEGS
            : MD5_CHANNEL_TORSO;
    sync(states, channel, leader, threads[leader].last_blend);
    if (channel == MD5_CHANNEL_TORSO && is_idle(states, MD5_CHANNEL_HEAD))
        sync(states, MD5_CHANNEL_HEAD, channel, threads[channel].last_blend);
}

// == Threads ======================================================================================

// The index of a state, MD5_NONE: there is none.
static uint32_t find_state(const md5_states *states, const char *name)
{
    const md5_script *const script = &states->script->script;
    for (uint32_t i = 0; i < script->num_states; i++) {
        if (strcmp(script->states[i].name, name) == 0)
            return i;
    }
    return MD5_NONE;
}

// Calls a function whose arguments are on the stack. False: there is no room.
static bool begin_call(script_thread *thread, const script_function *function, uint32_t count)
{
    const uint32_t base = thread->num_values - count;
    if (thread->num_calls == SCRIPT_DEPTH || base + function->need > SCRIPT_STACK)
        return false;
    for (uint32_t i = count; i < function->num_locals; i++)
        thread->stack[base + i] = (script_value){.kind = SCRIPT_NUMBER};
    thread->num_values = base + function->num_locals;
    thread->calls[thread->num_calls++] = (script_call){function, 0, base};
    return true;
}

static void begin_thread(script_thread *thread, const script_function *function)
{
    thread->wait_until = 0;
    thread->waits_for_action = thread->was_stopped = false;
    thread->num_calls = thread->num_values = 0;
    (void)begin_call(thread, function, 0);
}

static void begin(md5_states *states, md5_channel channel, uint32_t state)
{
    const script_block *const script = states->script;
    script_thread *const thread = &states->run.threads[channel];
    thread->state = script->states[state].name;
    begin_thread(thread, &script->functions[script->state_functions[state]]);
    if (channel == states->running)
        states->yields = states->has_restarted = true;
}

static void enable(md5_states *states, md5_channel channel, uint32_t frames)
{
    script_thread *const thread = &states->run.threads[channel];
    if (!thread->is_disabled)
        return;
    thread->is_disabled = false;
    thread->blend = thread->last_blend = frames;
    const uint32_t state = find_state(states, thread->state);
    if (state != MD5_NONE) {
        thread->is_idle = false;
        begin(states, channel, state);
    }
}

static void set_eyes(md5_states *states, bool are_open)
{
    if (states->desc.monster)
        states->desc.monster->can_move_eyes = states->desc.monster->can_move_eyes_next = are_open;
}

// animState()
static void set_state(md5_states *states, md5_channel channel, uint32_t state, uint32_t frames)
{
    script_thread *const thread = &states->run.threads[channel];
    begin(states, channel, state);
    thread->is_idle = thread->is_disabled = false;
    thread->blend = thread->last_blend = frames;
    set_eyes(states, true);
    if (channel == MD5_CHANNEL_HEAD)
        return;
    enable(states, channel == MD5_CHANNEL_TORSO ? MD5_CHANNEL_LEGS : MD5_CHANNEL_TORSO, frames);
    states->run.allows_pain = true;
}

// -- Functions of the engine ----------------------------------------------------------------------

static script_value key_of(md5_states *states, script_builtin which, const char *name)
{
    const md5_entity *const entity = states->desc.entity;
    const char *const text = entity->def ? md5_entity_def_value(entity->def, name) : NULL;
    float numbers[3] = {0.0f, 0.0f, 0.0f};
    if (which == SCRIPT_GET_KEY)
        return join(text ? text : "", "");
    md5i_entity_numbers(text, numbers, 3);
    script_value value = number_of(numbers[0]);
    if (which == SCRIPT_GET_INT_KEY)
        value.v.x = (float)whole_of(numbers[0]);
    if (which == SCRIPT_GET_VECTOR_KEY)
        value = (script_value){SCRIPT_VECTOR, {numbers[0], numbers[1], numbers[2]}, ""};
    return value;
}

// Those whose first argument is a channel; `args` follow it.
static script_value call_of_channel(md5_states *states, script_builtin which, md5_channel channel,
                                    const script_value *args)
{
    script_thread *const thread = &states->run.threads[channel];
    const char *const text = args[0].text;
    const int32_t wanted = whole_of(which == SCRIPT_ANIM_STATE ? args[1].v.x : args[0].v.x);
    const uint32_t frames =
        wanted > 0 ? (uint32_t)(wanted < MOST_FRAMES ? wanted : MOST_FRAMES) : 0;
    const uint32_t clip = args[0].kind == SCRIPT_TEXT && which <= SCRIPT_ANIM_DISTANCE
                              ? find_clip(states, channel, text)
                              : MD5_NONE;
    md5_channel own = channel;
    md5_actor *const actor = actor_of(states, &own);
    const md5_entity_clip *const found = clip != MD5_NONE ? &actor->entity->clips[clip] : NULL;
    switch (which) {
    case SCRIPT_PLAY_ANIM:
    case SCRIPT_PLAY_CYCLE:
        if (!found || (channel == MD5_CHANNEL_HEAD && !states->desc.head))
            return number_of(0.0f);
        play_and_lead(states, channel, clip,
                      which == SCRIPT_PLAY_ANIM ? MD5_ACTOR_ONCE : MD5_ACTOR_CYCLE);
        break;
    case SCRIPT_IDLE_ANIM:
        thread->is_idle = true;
        if (found)
            idle(states, channel, clip);
        break;
    case SCRIPT_ANIM_LENGTH:
        return number_of(found ? (float)found->anim->milliseconds * 0.001f : 0.0f);
    case SCRIPT_ANIM_DISTANCE:
        return number_of(found ? md5_vec3_length(md5_entity_clip_movement(found)) : 0.0f);
    case SCRIPT_CHOOSE_ANIM:
        return join(found ? found->anim->name : "", "");
    case SCRIPT_HAS_ANIM:
        break;
    case SCRIPT_OVERRIDE_ANIM:
        override(states, channel);
        break;
    case SCRIPT_ENABLE_ANIM:
        enable(states, channel, frames);
        break;
    case SCRIPT_STOP_ANIM:
        thread->blend = 0;
        (void)md5_actor_clear(actor, own, milliseconds_of(frames));
        break;
    case SCRIPT_ANIM_DONE:
        return number_of(is_done(states, channel, frames));
    case SCRIPT_SET_BLEND:
        thread->blend = thread->last_blend = frames;
        break;
    case SCRIPT_GET_BLEND:
        return number_of((float)thread->blend);
    case SCRIPT_IN_ANIM_STATE:
        return number_of(strcmp(thread->state, text) == 0);
    case SCRIPT_GET_ANIM_STATE:
        return join(thread->state, "");
    default: // animState()
        if (find_state(states, text) != MD5_NONE)
            set_state(states, channel, find_state(states, text), frames);
        break;
    }
    return number_of(found != NULL);
}

static script_value call(md5_states *states, script_builtin which, const script_value *args)
{
    script_run *const run = &states->run;
    const int64_t now = states->desc.body->time;
    const float number = args[0].v.x;
    const char *const text = args[0].text;
    const int32_t channel = whole_of(number);
    if (which <= SCRIPT_ANIM_STATE)
        return channel >= MD5_CHANNEL_TORSO && channel <= MD5_CHANNEL_HEAD
                   ? call_of_channel(states, which, (md5_channel)channel, args + 1)
                   : number_of(0.0f);
    switch (which) {
    case SCRIPT_SET_PREFIX:
        run->prefix = args[0];
        break;
    case SCRIPT_PAIN_ANIM:
        return join("pain", "");
    case SCRIPT_PREVENT_PAIN:
        run->pain_time = now + whole_of(number * 1000.0f);
        break;
    case SCRIPT_DISABLE_PAIN:
    case SCRIPT_ENABLE_PAIN:
        run->allows_pain = which == SCRIPT_ENABLE_PAIN;
        break;
    case SCRIPT_DISABLE_EYES:
    case SCRIPT_ENABLE_EYES:
        set_eyes(states, which == SCRIPT_ENABLE_EYES);
        md5_actor_set_blinking(states->desc.head ? states->desc.head : states->desc.body,
                               which == SCRIPT_ENABLE_EYES);
        break;
    case SCRIPT_ALLOW_MOVEMENT:
        run->allows_movement = is_true(&args[0]);
        break;
    case SCRIPT_SET_STATE:
    case SCRIPT_SET_NEXT_STATE:
        run->next = find_state(states, text);
        states->yields |= which == SCRIPT_SET_STATE;
        break;
    case SCRIPT_WAIT_ACTION:
        run->action = args[0];
        run->threads[states->running].waits_for_action = states->yields = text[0] != '\0';
        break;
    case SCRIPT_FINISH_ACTION:
        if (strcmp(run->action.text, text) == 0)
            run->action.text[0] = '\0';
        break;
    case SCRIPT_WAIT:
        run->threads[states->running].wait_until = now + whole_of(number * 1000.0f);
        states->yields = true;
        break;
    case SCRIPT_WAIT_FRAME:
        states->yields = true;
        break;
    case SCRIPT_GET_TIME:
        return number_of((float)now * 0.001f);
    case SCRIPT_RANDOM:
        return number_of(number
                         * (states->desc.random ? states->desc.random(states->desc.user) : 0.5f));
    case SCRIPT_INT:
        return number_of((float)whole_of(number));
    case SCRIPT_GET_KEY:
    case SCRIPT_GET_INT_KEY:
    case SCRIPT_GET_FLOAT_KEY:
    case SCRIPT_GET_VECTOR_KEY:
        return key_of(states, which, text);
    default:
        break;
    }
    return number_of(0.0f);
}

// -- Operations -----------------------------------------------------------------------------------

// x, y or z: 1 to 3.
static float *part_of(script_value *value, uint8_t part)
{
    return part == 1 ? &value->v.x : part == 2 ? &value->v.y : &value->v.z;
}

// Does an operation. False: it cannot be done.
static bool step(md5_states *states, script_thread *thread)
{
    script_call *const here = &thread->calls[thread->num_calls - 1];
    const script_op op = here->function->ops[here->at++];
    script_value *const top = &thread->stack[thread->num_values];
    const bool is_local = op.code == SCRIPT_LOCAL || op.code == SCRIPT_SET_LOCAL;
    script_value *const variables = is_local ? &thread->stack[here->base] : states->variables;
    script_value args[4] = {{.kind = SCRIPT_NUMBER}};
    switch ((script_code)op.code) {
    case SCRIPT_CONSTANT:
        *top = *op.value;
        break;
    case SCRIPT_LOCAL:
    case SCRIPT_VARIABLE:
        *top = variables[op.arg];
        if (op.count > 0)
            *top = number_of(*part_of(top, op.count));
        break;
    case SCRIPT_SET_LOCAL:
    case SCRIPT_SET_VARIABLE:
        if (op.count == 0)
            variables[op.arg] = top[-1];
        else
            *part_of(&variables[op.arg], op.count) = top[-1].v.x;
        return true;
    case SCRIPT_POP:
        thread->num_values--;
        return true;
    case SCRIPT_JUMP:
        here->at = op.arg;
        return true;
    case SCRIPT_JUMP_UNLESS:
        here->at = is_true(&top[-1]) ? here->at : op.arg;
        thread->num_values--;
        return true;
    case SCRIPT_CALL:
        return begin_call(thread, &states->script->functions[op.arg], op.count);
    case SCRIPT_RETURN:
        thread->stack[here->base] = top[-1];
        thread->num_values = here->base + 1;
        thread->num_calls--;
        return true;
    case SCRIPT_BUILTIN:
        thread->num_values -= op.count;
        memcpy(args, top - op.count, sizeof *args * (op.count < 4 ? op.count : 4));
        states->has_restarted = false;
        *args = call(states, (script_builtin)op.arg, args);
        if (states->has_restarted)
            return true;
        thread->stack[thread->num_values] = *args;
        break;
    case SCRIPT_NOT:
    case SCRIPT_NEGATE:
    case SCRIPT_COMPLEMENT:
        top[-1] = compute((script_code)op.code, &top[-1], &top[-1]);
        return true;
    default:
        top[-2] = compute((script_code)op.code, &top[-2], &top[-1]);
        thread->num_values--;
        return true;
    }
    thread->num_values++;
    return true;
}

static void run(md5_states *states, md5_channel channel)
{
    script_thread *const thread = &states->run.threads[channel];
    if (thread->wait_until > states->desc.body->time
        || (thread->waits_for_action && states->run.action.text[0]))
        return;
    thread->waits_for_action = false;
    states->running = channel;
    states->yields = false;
    for (int i = 0; thread->num_calls > 0 && !states->yields; i++) {
        thread->was_stopped = i == MD5_MAX_SCRIPT_STEPS || !step(states, thread);
        if (thread->was_stopped)
            thread->num_calls = thread->num_values = 0;
    }
    states->running = MD5_NUM_CHANNELS;
}

// Whom the frame commands of an advance are for.
typedef struct frame_caller {
    md5_states *states;
    md5_frame_fn *on_frame;
    void *user;
} frame_caller;

// Marks the states, whose variables the program may set in its callback, and their actors.
static void mark_callback(md5_states *states, md5_callback of_states, md5_callback of_actors)
{
    md5_mark_callback(&states->internal, of_states);
    md5_mark_callback(&states->desc.body->internal, of_actors);
    if (states->desc.head)
        md5_mark_callback(&states->desc.head->internal, of_actors);
}

// Runs what a frame command calls, which ends what another one began, and passes it on.
static void call_frame(void *user, const md5_frame_command *command, const md5_entity_clip *clip,
                       md5_channel channel)
{
    const frame_caller *const caller = (const frame_caller *)user;
    const script_block *const script = caller->states->script;
    const script_frame_call wanted = {command->code, command->text, 0};
    const script_frame_call *const called =
        (const script_frame_call *)bsearch(&wanted, script->frame_calls, script->num_frame_calls,
                                           sizeof wanted, md5i_compare_frame_calls);
    script_thread *const thread = &caller->states->run.threads[FRAME_THREAD];
    if (called && !thread->was_stopped) {
        begin_thread(thread, &script->functions[called->function]);
        run(caller->states, (md5_channel)FRAME_THREAD);
    }
    if (!caller->on_frame)
        return;
    md5_states *const states = caller->states;
    mark_callback(states, MD5_SETTING_CALLBACK, MD5_CALLBACK);
    caller->on_frame(caller->user, command, clip, channel);
    mark_callback(states, MD5_NO_CALLBACK, MD5_NO_CALLBACK);
}

// == Use ==========================================================================================

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
    const script_block *const script = (const script_block *)(const void *)desc->script;
    const uint32_t count = desc->script->num_variables;
    md5_context context;
    const size_t size = sizeof(md5_states) + count * sizeof(script_value);
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
    if (count > 0)
        memcpy(states->variables, script->initial, count * sizeof(script_value));
    states->running = MD5_NUM_CHANNELS;
    states->run.next = MD5_NONE;
    states->run.allows_pain = states->run.allows_movement = true;
    for (uint32_t i = 0; i < NUM_THREADS; i++) {
        states->run.threads[i].state = "";
        states->run.threads[i].is_idle = states->run.threads[i].is_disabled = i > 0;
    }
    return states;
}

void md5_destroy_states(md5_states *states)
{
    MD5_FREE(states, MD5_TAG_STATES);
}

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
        set_state(states, channel, state, blend_frames < MOST_FRAMES ? blend_frames : MOST_FRAMES);
    return true;
}

static script_value *find_variable(const md5_states *states, const char *name)
{
    const md5_script *const script = &states->script->script;
    for (uint32_t i = 0; i < script->num_variables; i++) {
        if (strcmp(script->variables[i].name, name) == 0)
            return &states->variables[i];
    }
    return NULL;
}

float md5_states_variable(const md5_states *states, const char *name)
{
    MD5_ASSERT_STATES(states);
    MD5_ASSERT_NOT_NULL(name);
    const script_value *const variable = find_variable(states, name);
    return variable ? variable->v.x : 0.0f;
}

bool md5_states_set_variable(md5_states *states, const char *name, float value)
{
    MD5_ASSERT_STATES(states);
    MD5_ASSERT_NOT_NULL(name);
    script_value *const variable = find_variable(states, name);
    TRY(variable && variable->kind == SCRIPT_NUMBER);
    variable->v.x = value;
    return true;
}

void md5_states_advance(md5_states *states, uint32_t milliseconds, md5_frame_fn *on_frame,
                        void *user)
{
    static const char *const flags[] = {"AI_PAIN", "AI_SPECIAL_DAMAGE", "AI_PUSHED"};
    MD5_ASSERT_STATES_CHANGE(states);
    md5_actor *const body = states->desc.body;
    md5_actor *const head = states->desc.head;
    md5i_actor_advance_time(body, milliseconds);
    if (head)
        md5i_actor_advance_time(head, milliseconds);
    states->run.threads[FRAME_THREAD].was_stopped = false;
    run(states, (md5_channel)FRAME_THREAD);
    for (uint32_t i = 0; i < 20; i++) {
        const uint32_t next = states->run.next;
        states->run.next = MD5_NONE;
        if (next != MD5_NONE)
            begin(states, MD5_CHANNEL_ALL, next);
        run(states, MD5_CHANNEL_ALL);
        if (states->run.next == MD5_NONE)
            break;
    }
    static const md5_channel order[] = {MD5_CHANNEL_HEAD, MD5_CHANNEL_TORSO, MD5_CHANNEL_LEGS};
    for (uint32_t i = 0; i < (int)MD5_COUNT(order); i++) {
        if (!states->run.threads[order[i]].is_disabled)
            run(states, order[i]);
    }
    for (uint32_t i = 0; i < (int)MD5_COUNT(flags); i++)
        (void)md5_states_set_variable(states, flags[i], 0.0f);
    frame_caller caller = {states, on_frame, user};
    md5i_actor_call_frame_commands(body, call_frame, &caller);
    if (head)
        md5i_actor_call_frame_commands(head, call_frame, &caller);
}

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

md5_states_status md5_states_state(const md5_states *states)
{
    MD5_ASSERT_STATES(states);
    const script_run *const run = &states->run;
    return (md5_states_status){.waits_for = run->action.text,
                               .allows_pain =
                                   run->allows_pain && states->desc.body->time >= run->pain_time,
                               .allows_movement = run->allows_movement};
}
