// The inside of a player: the playback state of one character.
//
// Each layer has a layer state: a chain of active states, oldest first. Each one fades in over
// those before it, so three of them give blend(blend(A, B), C). When one has faded in fully, those
// before it end. An active state holds one clip instance, with its own clock, for each clip of its
// flattened blend tree. Invariant: a chain is never empty, and holds at most MD5_MAX_ACTIVE states.
#ifndef MD5_PLAY_RUN_PLAYER_STATE_H
#define MD5_PLAY_RUN_PLAYER_STATE_H

#include "md5/play/machine.h"

// -- state.c: synchronised clips ----------------------------------------------------------------

// One clip of a group.
typedef struct md5_sync_item {
    float weight; // of all items together more than 0
    double rate;  // own rate, cycles a second; negative = backward
    // Phases of its markers, ascending, 0 <= phase < 1, and how many; the same
    // number for each clip of a group. 0: clips have equal phases.
    const double *markers;
} md5_sync_item;

// The shared clock after `seconds`. Its rate is the weighted mean of the rates; with markers, the
// weighted mean of the rates at which each clip moves from this marker to the next. The result does
// not depend on how the time is split.
md5_clock md5i_sync_advance(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                            md5_clock clock, double seconds);

// Seconds that the shared clock takes from one position to another: negative if time must run
// backward, not finite if it never arrives. `items` as for md5i_sync_advance().
double md5i_sync_seconds(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                         md5_clock from, md5_clock to);

// An item's own clock: equal to the shared one without markers; with them, the shared clock's phase
// 0 is the first marker, and each marker takes an equal part of a cycle.
md5_clock md5i_sync_clock(const double *markers, uint32_t num_markers, md5_clock shared);

// The shared clock when an item's own is `own`: the inverse, up to rounding error.
md5_clock md5i_sync_shared(const double *markers, uint32_t num_markers, md5_clock own);

// -- layers.c: inertial transitions --------------------------------------------------------------
//
// Inertial transitions: the difference between the old pose and the new motion decays over the new
// motion (D. Bollo, Inertialization: High-Performance Animation Transitions in Gears of War,
// GDC 2018). Each joint's offset keeps its direction or axis; only its length changes, and it never
// grows. Only + - * / are used, so every platform gives the same bits.

// No offset decays faster, 1/s: it is gone within five microseconds.
#define MD5_FASTEST_DECAY (-1e6f)

// Velocity of a joint in its parent's space: linear in units/s, angular as rotation vector in
// radians/s.
typedef struct md5_velocity {
    md5_vec3 linear;
    md5_vec3 angular;
} md5_velocity;

// Computes the velocity of each joint from one pose to the next, by the shorter arc; all 0 unless
// seconds > 0. The arrays are [num_joints].
void md5i_pose_velocity(const md5_xform *before, const md5_xform *now, uint32_t num_joints,
                        float seconds, md5_velocity *velocity);

// Difference of one joint: takes the new motion to the old pose when the transition began.
// Rotations are modified Rodrigues parameters, axis * tan(angle / 4): rational both ways, and
// nearly proportional to the angle. The rates are the relative changes of the lengths at the start,
// 1/s; they are never above 0.
typedef struct md5_offset {
    md5_vec3 turn;
    float turn_rate;
    md5_vec3 move; // units
    float move_rate;
} md5_offset;

// Writes offsets[num_joints], which take `to` to `from`. Only the part of the relative velocity
// that shortens an offset is kept.
void md5i_make_offsets(const md5_xform *from, const md5_velocity *from_velocities,
                       const md5_xform *to, const md5_velocity *to_velocities, uint32_t num_joints,
                       md5_offset *offsets);

// fmaxf() without a call, of what is a number.
static inline float md5_larger(float a, float b)
{
    return a > b ? a : b;
}

// Returns the share of an offset that is left, for its rate: 0 once it is over.
//
// What is left of a length that is 1 at first and changes by `rate` a second, where 1 / x0 v0 is
// `rate` in Bollo's terms. His duration is t1 = min(duration, -5 x0 / v0), and his start
// acceleration a0 = max(0, (-8 v0 t1 - 20 x0) / t1^2). With s = t / t1, u = rate * t1, which is
// -5 to 0, and a = a0 t1^2 / x0 his quintic is
//   (1 - s)^3 (1 + (3 + u) s + (6 + 3 u + a / 2) s^2),   6 + 3 u + a / 2 = max(6 + 3 u, -4 - u)
// whose derivative is not above 0 in 0..1 for any such u: it falls from 1 to 0 and crosses neither.
static inline float md5_offset_left(float rate, float elapsed, float duration)
{
    if (elapsed < 0)
        return 1.0f + rate * elapsed;
    const float s = md5_larger(elapsed / duration, -0.2f * rate * elapsed);
    if (!(s < 1))
        return 0;
    const float u = md5_larger(rate * duration, -5);
    const float rest = 1.0f - s;
    return rest * rest * rest
           * (1.0f + s * (3.0f + u + s * md5_larger(6.0f + 3.0f * u, -4.0f - u)));
}

// Adds to `pose` the remaining offsets `elapsed` seconds into a transition of `duration`: all at 0,
// nothing at the end, where velocity and acceleration are 0. Before 0 they change linearly, at the
// rates.
void md5i_add_offsets(const md5_offset *offsets, float elapsed, float duration, uint32_t num_joints,
                      md5_xform *pose);

// -- The state of a player ----------------------------------------------------------------------

// The largest number of active states in a layer; the frozen pose that replaces older ones counts
// as one. There is one more while an inertial transition begins, which compares it with the others.
enum { MD5_MAX_ACTIVE = 4, MD5_SLOTS = MD5_MAX_ACTIVE + 1 };
enum { MD5_MOST_HALVES = 64 }; // of a time, to find an instant: a long one has no more digits

// A playing clip. One that has no weight sleeps, unless it stands where it began, may end, or is
// the first of its state: in a group its clock is set when it wakes, elsewhere that goes on, and
// nothing else does.
typedef struct md5_clip_instance {
    md5_clock before, now; // before and after the last step
    double rate;           // cycles a second when not synchronised
    double seconds_at_end; // since it reached its end, if it is played once
    float weight;          // in its motion
    float share;           // in its synchronised group
    bool is_at_start;      // it began at a whole cycle and has not moved since
    bool is_asleep;
    md5_root_position root; // cached, of the last clock that was asked for
} md5_clip_instance;

static inline md5_sample_position md5_instance_sample_position(const md5_playable *playable,
                                                               const md5_clip_instance *instance)
{
    return md5i_clock_sample_position(playable->timing, instance->now,
                                      playable->source->interpolation);
}

// Times of tables and descriptions are floats: their error, relative to the larger of 1 and the
// time.
#define MD5_FLOAT_ERROR 6e-8

static inline bool md5_is_at(const md5_root_position *position, md5_clock clock)
{
    return position->clock.phase == clock.phase && position->clock.cycle == clock.cycle;
}

// fmin() without a call; neither argument is NaN.
static inline double md5_least(double a, double b)
{
    return b < a ? b : a;
}

// Speed of a part, and its weight in its synchronised group and in the whole motion.
typedef struct md5_flow {
    double speed;
    float share;
    float total;
} md5_flow;

// A state that is playing or fading out.
typedef struct md5_active_state {
    const md5_blend_tree *tree; // NULL: no motion
    uint32_t state;
    uint32_t from;            // source of its transition, MD5_NONE = none
    const md5_easing *easing; // of the machine
    double elapsed, duration; // of its transition
    int32_t priority;
    md5_interrupt interrupt;
    bool fades;         // it fades in over `duration`; else its weight was full from the start
    bool in_step;       // it shares its clock with the state below it in the chain, and
    uint32_t leader;    // the state that leads, MD5_NONE: all by their weights
    double own_rate;    // cycles a second of that clock by this state alone, or the leader's,
    double shared_rate; // and of all of them, the mean of an interval
    bool is_new;        // events where it begins have not fired yet
    double start_time;  // normalised time at which it began
    float weight;       // in the layer, mean of the last interval
    // Up to here md5_player_copy() copies it as a whole; it has its own arrays.
    md5_clip_instance *instances; // [num_instances]
    md5_clock *groups;
    float *weights;  // of items in their motion: parts[].weight
    md5_flow *flows; // of parts
    // [num_instances] Those that are awake, ascending; from first_loose on those that sleep and are
    // in no group. num_awake is 0 before they are listed.
    uint32_t *awake;
    uint32_t num_awake;
    uint32_t first_loose;
} md5_active_state;

// A fade over time: seconds that have passed, of how many.
typedef struct md5_fade_time {
    double elapsed;
    double duration;
} md5_fade_time;

// Its progress, 0..1.
static inline double md5_progress_of(double elapsed, double duration)
{
    if (elapsed >= duration - MD5_BORDER)
        return 1;
    return elapsed > MD5_BORDER ? elapsed / duration : 0.0;
}

// How the root moves in time that goes forward, in the space of the character: x, y, z in units a
// second, and a quarter of its turn to the left, radians a second.
typedef struct md5_root_velocity {
    double v[4];
} md5_root_velocity;

// Playback state of one layer.
typedef struct md5_layer_state {
    uint8_t order[MD5_SLOTS]; // slots in use, oldest first
    uint8_t num_used;
    bool has_snapshot; // below the oldest
    bool has_offsets;
    bool is_resting;  // its open transitions form a cycle: see take_in_layer()
    bool is_entered;  // MD5_EVENT_ENTER of the newest state need not be reported any more
    bool has_arrived; // in this interval the newest state has faded in completely
    bool is_steered;  // rates of some states are those of the clock that they share
    uint32_t entered; // the last state that was reported, MD5_NONE = none
    bool ends_cycle;  // in this interval the newest state reaches an exit and takes it
    uint64_t deaf;    // ears at this instant: all, if it began now, or of what it fires itself
    uint64_t causes;  // that came up since none of the newest state's transitions was open
    uint64_t random;  // from which the newest state's conditions draw
    float coverage;   // of the snapshot
    md5_fade_time settling;        // of the offsets
    md5_root_velocity frozen_root; // velocity that goes with the snapshot
    // Up to here md5_player_copy() copies it as a whole; it has its own arrays.
    md5_xform *snapshot;      // [joints]
    md5_offset *offsets;      // [joints]
    md5_velocity *velocities; // [joints] of the old pose when the offsets began
    float *frozen_morphs;     // [num_sums] that go with the snapshot
    float *morph_offsets;     // [num_sums] with the offsets
    // With the offsets: the velocity of the root, and how far it was from that of the new motion.
    md5_root_velocity root_velocity;
    md5_root_velocity root_offset;
    md5_active_state first, *others; // the slots; usually one is used
} md5_layer_state;

// Cycles a second, as those of states.
#define MD5_MOST_ONE_SHOT_RATE 1e6

// A one-shot that plays or fades out.
typedef struct md5_one_shot {
    uint32_t source;
    uint32_t num_below; // layers that it is played over
    md5_layer_mode mode;
    uint32_t mask;
    uint32_t reference, reference_frame; // ADD: source
    md5_one_shot_end end;
    md5_easing fade_in_curve;
    md5_easing fade_out_curve;
    md5_easing stop_curve;
    float weight; // before fades
    float left;   // share of it that was left when the last stop began
    bool is_new;  // events where it begins have not fired yet
    bool is_stopping;
    bool is_at_start;       // as in a md5_clip_instance
    double rate;            // cycles a second
    double fade_out;        // seconds
    md5_clock before, now;  // before and after the last step
    md5_fade_time fade_in;  // `elapsed` goes on after it
    md5_fade_time stopping; // if is_stopping
    uint32_t section;       // MD5_NONE: the whole clip
    uint32_t next;          // section to which it goes at the end of that; MD5_NONE: it plays on
    uint32_t row;           // of the machine's table, or MD5_NONE
    bool repeats;           // `next` is played over and over
    uint64_t deaf;          // as in a md5_layer_state
} md5_one_shot;

// The one-shots of a slot, oldest first: all but the newest one fade out.
enum { MD5_SLOT_ONE_SHOTS = 4 };
typedef struct md5_one_shot_slot {
    uint32_t num_one_shots;
    md5_one_shot one_shots[MD5_SLOT_ONE_SHOTS];
} md5_one_shot_slot;

// Part of a chain, as positions in its order; the frozen pose precedes the first.
typedef struct md5_chain_range {
    uint32_t begin;
    uint32_t end;
    bool has_snapshot;
    bool has_offsets;
} md5_chain_range;

// Level of detail.
typedef struct md5_detail_state {
    uint32_t mask;            // whose joints are animated, MD5_NONE: all
    uint32_t interval, phase; // `interval` is 1 or more, `phase` less than that
    uint32_t num_calls;       // poses that were asked for; may wrap
    uint32_t age;             // of the kept pose: poses that were asked for since, 0: it is new
    bool is_kept;
} md5_detail_state;

// Walks through the events that a clip passes in an interval.
typedef struct md5_walker {
    md5_event_walk walk;
    uint32_t clip;          // whose events; one more than there are is its end
    md5_one_shot *one_shot; // NULL: of a state, in
    md5_layer_state *layer_state;
    uint32_t position; // of the active state in the layer's order
    uint32_t instance;
    bool is_new, is_backward; // it begins; the direction in which it plays
    uint32_t event;           // the next one
    double when;              // seconds since the start of the interval
    double slack;             // seconds: what is not earlier than this is simultaneous
} md5_walker;

// How far a parameter is on its way to what was set. At rest it is at `from`, which is its goal.
typedef struct md5_following {
    float goal, from, velocity; // the last: of a spring, when it was at `from`
    float next;                 // scratch memory
    double elapsed;             // seconds since then
} md5_following;

// A window of a clip. How many clips are at its frames is found anew for each interval.
typedef struct md5_window_state {
    float weight; // 0: it is closed
    float most;   // of the clips that are at its frames
    uint32_t count;
    uint32_t before;
} md5_window_state;

struct md5_player {
    const md5_machine *machine;
    bool has_consumed;
    uint64_t heard;            // ears of events that were passed in this interval
    bool has_new;              // some active state is new
    bool is_settled;           // no transition can be taken, and nothing has changed since
    bool is_weighed;           // weights and speeds are up to date, unless
    bool has_moved;            // parameters that follow have moved since; within a step
    bool is_at_kink;           // one will be at a kink when this interval ends
    bool is_backward;          // direction of the last step that took time
    md5_root_delta motion;     // of the last md5_player_advance()
    md5_advance_status status; // likewise
    uint32_t num_walked;       // likewise: events, silent ones included
    uint32_t num_steps;        // likewise: intervals and transitions
    uint32_t num_one_shots;    // in all slots
    md5_root_delta walked;     // since the last pose, if there are soles
    double since_pose;         // seconds
    md5_detail_state detail;
    // Up to here md5_player_copy() copies it as a whole; it has its own arrays.
    md5_layer_state *layer_states; // [layers]
    float *parameters;             // [parameters]
    md5_following *followings;     // [follows]
    uint32_t *consumed; // [parameters] 1 + the layer that has consumed this trigger in this step
    md5_one_shot_slot *slots; // [num_slots]
    md5_target *targets;      // [modifiers]
    md5_spring_joint *springs;
    bool *are_placed;           // [modifiers] of springs and feet: their state is initialised
    md5_foot *feet;             // [num_feet]; the joints of their legs never change
    float *drops;               // [modifiers] of feet: displacement of the pelvis
    md5_held *held;             // [num_soles]
    md5_gaze *gazes;            // [num_gazes]
    md5_window_state *windows;  // [num_windows]
    const md5_mat34 **attached; // [attached] joints or NULL; the game's
    md5_xform *kept_pose;       // [joints] the last pose that was computed, if detail.is_kept
    md5_ground_fn *ground;      // or NULL; the game's, as `ground_user` is
    void *ground_user;

    // Scratch memory.
    float *gathered;             // [max_parts]
    md5_clock *group_clocks;     // [max_groups]
    md5_sync_item *sync_items;   // [max_leaves]
    md5_root_delta *root_deltas; // [max_poses]
    md5_walker *walkers;
    md5_xform *spare;         // [lay_out() counts them][joints] while states change
    md5_velocity *velocities; // [joints]
    float *morphs;            // [num_sums]

    size_t size;
    md5_internal internal;
};

static inline bool md5_has_freed_clip(const md5_machine *machine)
{
    bool has_freed = false;
    for (uint32_t i = 0; i < machine->tables.num_clips; i++) {
        const md5_binding *const binding = machine->sources[i].binding;
        has_freed = has_freed || md5_was_freed(&binding->internal)
                    || md5_was_freed(&binding->anim->internal);
    }
    return has_freed;
}

// Check the player of a public function and the objects that it uses; of a function that changes
// the player, that no callback of this player runs.
// NOLINTBEGIN(bugprone-macro-parentheses): the messages name the arguments
#define MD5_ASSERT_PLAYER(player)                                \
    do {                                                         \
        MD5_ASSERT_ALIVE(player, MD5_TAG_PLAYER);                \
        MD5_ASSERT_ALIVE(player->machine, MD5_TAG_MACHINE);      \
        MD5_ASSERT_ALIVE(player->machine->model, MD5_TAG_MODEL); \
    } while (0)
// NOLINTEND(bugprone-macro-parentheses)
#define MD5_VALIDATE_CLIPS(player)                       \
    MD5_VALIDATE(!md5_has_freed_clip((player)->machine), \
                 #player "->machine: binding of a clip must not have been freed")
#define MD5_ASSERT_PLAYER_SET(player) \
    do {                              \
        MD5_ASSERT_PLAYER(player);    \
        MD5_ASSERT_MAY_SET(player);   \
    } while (0)
#define MD5_ASSERT_PLAYER_CHANGE(player) \
    do {                                 \
        MD5_ASSERT_PLAYER(player);       \
        MD5_ASSERT_NO_CALLBACK(player);  \
    } while (0)

static inline md5_active_state *md5_slot(md5_layer_state *layer_state, uint32_t number)
{
    return number == 0 ? &layer_state->first : &layer_state->others[number - 1];
}

static inline md5_active_state *md5_active_at(md5_layer_state *layer_state, uint32_t position)
{
    return md5_slot(layer_state, layer_state->order[position]);
}

// The joints to animate; NULL: all.
static inline const md5_detail_set *md5_detail_of(const md5_player *player)
{
    const uint32_t mask = player->detail.mask;
    return mask == MD5_NONE ? NULL : &player->machine->details[mask];
}

static inline md5_chain_range md5_whole_chain(const md5_layer_state *layer_state)
{
    return (md5_chain_range){0, layer_state->num_used, layer_state->has_snapshot,
                             layer_state->has_offsets};
}

// Removes the oldest states from the chain.
static inline void md5_end_oldest(md5_layer_state *layer_state, uint32_t count)
{
    layer_state->num_used = (uint8_t)(layer_state->num_used - count);
    memmove(layer_state->order, layer_state->order + count, layer_state->num_used);
}

// The state that fades in, or the only one.
static inline md5_active_state *md5_newest(md5_layer_state *layer_state)
{
    return md5_active_at(layer_state, layer_state->num_used - 1u);
}

// Returns the fixed weight, or the eased value of the parameter, clamped to 0..1.
float md5i_weight_of(const md5_player *player, const md5_weight_rule *rule);

// -- state.c: playing one state -----------------------------------------------------------------

// Initialises the clips of an active state.
void md5i_begin_state(md5_player *player, const md5_play_layer *layer, md5_active_state *active,
                      const md5_change *change);

// Sets the clocks of a state that has begun to those that clips of the same names have in a state
// of another machine's player. Both have a motion.
void md5i_adopt_clocks(md5_player *player, md5_active_state *active, const md5_player *old,
                       const md5_active_state *was);

// The clock of a clip now, also of one that sleeps.
md5_clock md5i_clock_now(const md5_active_state *active, uint32_t number);

// Computes the clocks of groups `seconds` from now: player->group_clocks.
void md5i_find_clocks(md5_player *player, const md5_active_state *active, double seconds);

// The clock of a clip that is awake, so many seconds from now, once groups have theirs. At its end
// it has stood still for as long as it has been there.
md5_clock md5i_clock_after(const md5_player *player, const md5_active_state *active,
                           uint32_t number, double seconds);

// Computes weights and speeds of all active states from the parameters, if one has changed.
void md5i_weigh_all(md5_player *player);

void md5i_advance_state(md5_player *player, md5_active_state *active, double seconds);

// Gives all clips that are in step the rate of the clock that they share, the mean over the next
// `seconds`, which may be negative; elsewhere each has its own again. Returns for how many seconds,
// up to `most`, that is their rate: until the next marker, a turn, and part of a fade.
double md5i_keep_in_step(md5_player *player, double seconds, double most);

// Seconds since the last interval of so many began, until a clip of a state had gone a share of its
// way in it: in step its rate, of which it has the mean, was that of weights that changed.
double md5i_seconds_in_step(md5_layer_state *layer_state, uint32_t position, uint32_t instance,
                            double share, double seconds);

// Seconds until the time that the newest state's first clip has left, which is `left` at the mean
// rate, passes a value. Where its rate changes in step, that is looked for up to `most`.
double md5i_seconds_until_left(md5_layer_state *layer_state, double left, double value,
                               double most);

// Whether states of some layer are in step.
bool md5i_is_in_step(const md5_player *player);

// The normalised time at which a state begins in step with another one.
double md5i_start_in_step(const md5_active_state *left, const md5_blend_tree *tree);

// Normalised time of the first clip.
double md5i_active_time(const md5_active_state *active);

// Seconds that a clip takes from one clock to another at the current weights and speeds: negative
// if time must run backward, not finite if it never arrives.
double md5i_instance_seconds(const md5_player *player, const md5_active_state *active,
                             uint32_t number, md5_clock from, md5_clock to);

// Progress of its transition, 0..1.
static inline double md5_progress(const md5_active_state *active)
{
    return md5_progress_of(active->elapsed, active->duration);
}

// Weight of a state over those below it in a part of the chain, `shift` seconds from now: the eased
// progress of its fade, 0..1, or 1 at the bottom.
float md5i_fade_in(md5_layer_state *layer_state, md5_chain_range part, uint32_t position,
                   double shift);

// -- advance.c: parameters ----------------------------------------------------------------------

// Sets a parameter now, for all layers.
void md5i_set_value(md5_player *player, uint32_t parameter, float value);

// Sets what a parameter goes to; returns false if it does not follow.
bool md5i_set_goal(md5_player *player, uint32_t parameter, float goal);

// -- motion.c: root motion, morphs --------------------------------------------------------------

// Root motion of the last interval, of so many seconds.
md5_root_delta md5i_root_delta_of_step(md5_player *player, double seconds);

// The value now of what drives a row of morph_rows: a parameter; a state, by its weight in its
// layer and that of the layer; a curve; a window; a clip, as far as one-shots play it.
float md5i_driven(const md5_player *player, uint32_t number);

// Begins an inertial transition of a layer's root motion and morphs, from one part of a chain to
// another, of the same layer or of another player's.
void md5i_carry_motion(md5_player *from, uint32_t old_layer, md5_chain_range old,
                       md5_player *player, uint32_t layer, md5_chain_range fresh);

// Keeps what root motion and morphs have of a part of a layer's chain that becomes a frozen pose.
void md5i_freeze_motion(md5_player *player, uint32_t layer, md5_chain_range oldest);

// Writes the sums of a player's morph_rows from those of another, by name; 0 if it has none.
void md5i_carry_morphs(const md5_player *player, const md5_player *old, const float *old_weights,
                       float *weights);

// -- one_shots.c: one-shots
// -------------------------------------------------------------------------

// Goes through the one-shots of all slots.
typedef struct md5_one_shot_walk {
    uint32_t slot;
    uint32_t next;
} md5_one_shot_walk;

static inline md5_one_shot *md5_next_one_shot(const md5_player *player, md5_one_shot_walk *walk)
{
    for (; player->num_one_shots > 0 && walk->slot < player->machine->num_slots; walk->slot++) {
        if (walk->next < player->slots[walk->slot].num_one_shots)
            return &player->slots[walk->slot].one_shots[walk->next++];
        walk->next = 0;
    }
    return NULL;
}

static inline void md5_remove_one_shot(md5_player *player, md5_one_shot_slot *slot, uint32_t number)
{
    slot->num_one_shots--;
    player->num_one_shots--;
    memmove(&slot->one_shots[number], &slot->one_shots[number + 1],
            (slot->num_one_shots - number) * sizeof slot->one_shots[0]);
}

// Cycles until a clip's end, in the direction in which it is played.
static inline double md5_cycles_left(const md5_one_shot *one_shot, double phase)
{
    return one_shot->rate < 0 ? phase : 1.0 - phase;
}

// Cycles until the end of its section likewise; infinite if it has none and will go to none.
double md5i_section_left(const md5_machine *machine, const md5_one_shot *one_shot);

// Lets it go to the next section at once, or on.
void md5i_end_section(md5_player *player, md5_one_shot *one_shot);

// The newest one-shot of a slot, or NULL.
static inline md5_one_shot *md5_newest_one_shot(const md5_player *player, uint32_t slot)
{
    const uint32_t count = player->slots[slot].num_one_shots;
    return count == 0 ? NULL : &player->slots[slot].one_shots[count - 1];
}

// Weight, `shift` seconds from now, at most 0. Events at the ends of fades must not be silent: they
// have the weight of a `least` progress, 0 for poses.
float md5i_one_shot_weight(const md5_player *player, const md5_one_shot *one_shot, double shift,
                           double least);

// The clip of a one-shot.
static inline const md5_timing *md5_one_shot_timing(const md5_machine *machine,
                                                    const md5_one_shot *one_shot)
{
    const md5_play_mode mode = one_shot->end == MD5_ONE_SHOT_LOOPS ? MD5_PLAY_LOOP : MD5_PLAY_ONCE;
    return &machine->sources[one_shot->source].timings[mode];
}

static inline md5_sample_position md5_one_shot_sample_position(const md5_machine *machine,
                                                               const md5_one_shot *one_shot)
{
    return md5i_clock_sample_position(md5_one_shot_timing(machine, one_shot), one_shot->now,
                                      machine->sources[one_shot->source].interpolation);
}

// The weight to blend or add a one-shot with where its mask has `mask`, so that it and those that
// are newer than it in its slot have the shares weight * mask of the result. `shares` are their
// weights, and masks those of the newer ones at the joint.
float md5i_one_shot_share(float share, float covered);

// -- layers.c, modifiers.c ----------------------------------------------------------------------

// Lets another state begin.
void md5i_change_state(md5_player *player, uint32_t layer, const md5_change *change);

// Lets a layer that has taken over the states of another player's go on from that one's pose by an
// inertial transition, if both have a pose. They have the same joints and are weighed.
void md5i_continue_layer(md5_player *player, uint32_t layer, md5_player *old, uint32_t old_layer);

// Writes the blended pose of all layers. spare[] are as many scratch poses as
// md5_player_pose_scratch() counts.
void md5i_blend_layers(md5_player *player, md5_xform *spare, md5_xform *pose);

// Applies the machine's modifiers to a blended pose, in the order of their table.
void md5i_apply_modifiers(md5_player *player, md5_xform *pose);

// Lets gazes go on by `seconds`, above 0.
void md5i_advance_gazes(md5_player *player, double seconds);

// -- state.c: blend spaces ----------------------------------------------------------------------
//
// Weights of the items of a blend space. They are not negative and sum to 1.

// items[num_items], num_items >= 1, places strictly ascending: the two neighbours of `x` are
// weighted by distance; beyond the ends the outermost item has weight 1. Returns the first of the
// two, or that.
uint32_t md5i_blend_weights_1d(const md5_item *items, uint32_t num_items, double x, float *weights);

// No two items have the same position. Gradient band interpolation (R. S. Johansen, Automated
// Semi-Procedural Animation for Character Locomotion, 2009, 6.3): an item's influence falls from 1
// at its own position to 0 at that of every other item, w_i = min over j of 1 - (p - p_i) . (p_j -
// p_i) / |p_j - p_i|^2, clamped to 0..1, then all are scaled to sum 1. Time: at most the square of
// num_items; items without influence take a few steps.
void md5i_blend_weights_2d(const md5_motion_item *items, uint32_t num_items, float x, float y,
                           float *weights);

// Whether a run has joints between the first and the last one of a set that is not listed.
static inline bool md5_meets(md5_joint_run run, const md5_joint_set *set)
{
    return run.first < set->first + set->count && set->first < run.first + run.count;
}

#endif
