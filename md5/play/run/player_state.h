// The playback state of one character (md5_player), and the functions that the files of this folder
// share.
//
// Each layer has a chain of active states, oldest first. An active state is a state that is playing
// or fading out. Each state fades in over the states before it: three states A, B, C give
// blend(blend(A, B), C). When a state has faded in, the states before it end. An active state
// contains one clip instance with a separate clock for each clip of its flattened blend tree.
// Invariant: a chain has at least one state and at most MD5_MAX_ACTIVE.
#ifndef MD5_PLAY_RUN_PLAYER_STATE_H
#define MD5_PLAY_RUN_PLAYER_STATE_H

#include "md5/play/machine.h"

// -- state.c: synchronized clips ----------------------------------------------------------------

// A clip of a synchronized group. All clips of the group follow one shared clock, and so remain in
// phase.
typedef struct md5_sync_item {
    float weight; // weight in the group; the sum of all weights is above 0
    double rate;  // cycles per second without synchronization; negative = backward
    // Phases of the markers, ascending, 0 <= phase < 1. A marker is a position such as a footfall.
    // All clips of a group have the same number of markers. Without markers, all clips have the
    // phase of the shared clock.
    const double *markers;
} md5_sync_item;

// Returns the shared clock `seconds` later. Its rate is the weighted mean of the clips' rates.
//
// With markers, each part of the cycle between two markers has its own rate. It is the weighted
// mean of the rates at which the clips pass this part.
//
// The result does not depend on the division of time into steps.
md5_clock md5i_sync_advance(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                            md5_clock clock, double seconds);

// Returns the seconds that the shared clock needs from one position to another. The result is
// negative if time must run backward, and not finite if the clock never arrives. The other
// parameters are as for md5i_sync_advance().
double md5i_sync_seconds(const md5_sync_item *items, uint32_t num_items, uint32_t num_markers,
                         md5_clock from, md5_clock to);

// Converts the shared clock to the clock of a clip. Without markers, they are equal. With markers,
// phase 0 of the shared clock is the first marker, and the parts between two markers have equal
// lengths in the shared cycle.
md5_clock md5i_sync_clock(const double *markers, uint32_t num_markers, md5_clock shared);

// Converts the clock of a clip to the shared clock. This is the inverse of md5i_sync_clock(), up to
// rounding errors.
md5_clock md5i_sync_shared(const double *markers, uint32_t num_markers, md5_clock clock);

// -- layers.c: inertial transitions --------------------------------------------------------------
//
// An inertial transition plays only the new motion. At its start, the old pose differs from the new
// motion. This difference, the offset, is added to the new motion and decays to 0 (D. Bollo,
// Inertialization: High-Performance Animation Transitions in Gears of War, GDC 2018).
//
// The offset of each joint keeps its direction or axis. Only its length changes, and it never
// grows. The code uses only + - * /, so that every platform computes the same bits.

// Limit of the decay rate of an offset, 1/s. At this rate the offset ends within five microseconds.
#define MD5_FASTEST_DECAY (-1e6f)

// Velocity of a joint in its parent's space: the linear velocity in units/s, and the angular
// velocity as a rotation vector in radians/s.
typedef struct md5_velocity {
    md5_vec3 linear;
    md5_vec3 angular;
} md5_velocity;

// Computes velocity[num_joints] from two poses that are `seconds` apart. If `seconds` is not above
// 0, all velocities are 0.
void md5i_pose_velocity(const md5_xform *before, const md5_xform *after, uint32_t num_joints,
                        float seconds, md5_velocity *velocity);

// The offset of one joint: the old pose minus the new motion at the start of the transition.
//
// A rotation is stored as modified Rodrigues parameters, axis * tan(angle / 4). They are nearly
// proportional to the angle. Their conversion from and to quaternions needs no trigonometry.
//
// A rate is the velocity at which the length changes at the start, divided by the length, 1/s. It
// is at most 0.
typedef struct md5_offset {
    md5_vec3 rotation;
    float rotation_rate;
    md5_vec3 translation; // units
    float translation_rate;
} md5_offset;

// Computes offsets[num_joints], the differences of the pose `from` from the pose `to`. A relative
// velocity that would increase an offset is ignored.
void md5i_compute_offsets(const md5_xform *from, const md5_velocity *from_velocities,
                          const md5_xform *to, const md5_velocity *to_velocities,
                          uint32_t num_joints, md5_offset *offsets);

// Returns the larger number, like fmaxf() without a call. The arguments must not be NaN.
static inline float md5_larger(float a, float b)
{
    return a > b ? a : b;
}

// Returns the remaining fraction of an offset `elapsed` seconds after the start of its transition.
// Returns 0 after the end. `rate` is the decay rate at the start, 1/s.
//
// The formula is the quintic polynomial of Bollo for the initial length x0 = 1 and the initial
// velocity v0 = rate. He chooses the duration t1 and the initial acceleration a0:
//
//   t1 = min(duration, -5 x0 / v0)
//   a0 = max(0, (-8 v0 t1 - 20 x0) / t1^2)
//
// With the relative time s = elapsed / t1 and u = rate * t1, which is -5 to 0, the polynomial is
//
//   (1 - s)^3 (1 + (3 + u) s + max(6 + 3 u, -4 - u) s^2)
//
// Its derivative is at most 0 for s in 0..1. Therefore it decreases from 1 to 0 without overshoot.
static inline float md5_remaining_offset(float rate, float elapsed, float duration)
{
    if (elapsed < 0)
        return 1.0f + rate * elapsed;
    const float s = md5_larger(elapsed / duration, -0.2f * rate * elapsed);
    if (!(s < 1))
        return 0;
    const float u = md5_larger(rate * duration, -5);
    const float t = 1.0f - s;
    return t * t * t * (1.0f + s * (3.0f + u + s * md5_larger(6.0f + 3.0f * u, -4.0f - u)));
}

// Adds the remaining offsets to `pose`, `elapsed` seconds after the start of a transition. At the
// start the offsets are complete. At the end the offsets, their velocities and their accelerations
// are 0. If `elapsed` is negative, the offsets are extrapolated linearly by their rates.
void md5i_add_offsets(const md5_offset *offsets, float elapsed, float duration, uint32_t num_joints,
                      md5_xform *pose);

// -- The state of a player ----------------------------------------------------------------------

// Maximum number of active states in a layer. A frozen pose, which replaces older states, counts as
// one of them. MD5_SLOTS is larger by 1: when an inertial transition begins, the new state is
// stored together with all others to compare them.
enum { MD5_MAX_ACTIVE = 4, MD5_SLOTS = MD5_MAX_ACTIVE + 1 };
// Maximum number of bisections in a search for a time. It exceeds the number of bits of a double.
enum { MD5_MAX_BISECTIONS = 64 };

// A clip instance: the state of one use of a clip in the blend tree of an active state.
//
// To save time, a clip without weight becomes inactive. Three kinds of clips remain active without
// weight: a clip that is still at its start, a clip that is played once, and the first clip of its
// state.
//
// When an inactive clip gets a weight again, it must continue as if it had been played. In a group
// it then gets its clock from the clock of the group. Outside of groups, only its phase is advanced
// while it is inactive.
typedef struct md5_clip_instance {
    md5_clock clock_before; // clock at the start of the last interval
    md5_clock clock;        // clock at the end of the last interval
    double rate;            // cycles per second without synchronization
    double seconds_at_end;  // time since the end of a clip that is played once
    float weight;           // weight in its motion
    float group_weight;     // weight in its synchronized group
    bool is_at_start;       // the clip began at a whole cycle and has not moved since
    bool is_inactive;       // the clip has no weight: see above
    md5_root_position root; // cached displacement at one clock
} md5_clip_instance;

// Returns the sample position of a clip.
static inline md5_sample_position md5_instance_sample_position(const md5_playable *playable,
                                                               const md5_clip_instance *instance)
{
    return md5i_clock_sample_position(playable->timing, instance->clock,
                                      playable->source->interpolation);
}

// Maximum rounding error of a time t that is stored as a float, divided by max(1, t).
#define MD5_FLOAT_ERROR 6e-8

// Returns true if a cached root position is valid for a clock.
static inline bool md5_is_position_at(const md5_root_position *position, md5_clock clock)
{
    return position->clock.phase == clock.phase && position->clock.cycle == clock.cycle;
}

// Returns the smaller number, like fmin() without a call. The arguments must not be NaN.
static inline double md5_smaller(double a, double b)
{
    return b < a ? b : a;
}

// Speed and weights of a part (node) of a blend tree. Each is the product of the values of the part
// itself and of the parts that contain it. For `speed` and `total` these are all such parts. For
// `group_weight` these are only the parts in the synchronized group.
typedef struct md5_flow {
    double speed;       // factor of the rates
    float group_weight; // weight in its synchronized group
    float total;        // weight in the whole motion
} md5_flow;

// A state that is playing or fading out.
typedef struct md5_active_state {
    const md5_blend_tree *tree; // NULL: no motion
    uint32_t state;
    uint32_t from;            // source of the transition to this state; MD5_NONE: no transition
    const md5_easing *easing; // easing of this transition; belongs to the machine
    double elapsed;           // seconds since this transition began
    double duration;          // duration of this transition, seconds
    int32_t priority;
    md5_interrupt interrupt;
    bool fades;         // it fades in over `duration`; otherwise its weight is always full
    bool in_step;       // it shares its clock with the state below it in the chain
    uint32_t leader;    // if in_step: state that determines the rate; MD5_NONE: the weighted mean
    double state_rate;  // rate that the shared clock would have if only this state, or its leader,
                        // determined it; cycles per second
    double shared_rate; // mean rate of the shared clock in an interval, cycles per second
    bool is_new;        // the events at its start have not fired yet
    double start_time;  // normalized time of its clips when it began
    float weight;       // weight in the layer, mean of the last interval
    // md5_player_copy() copies all members above as a block. The arrays below belong to the player
    // and are copied separately.
    md5_clip_instance *instances; // [num_instances]
    md5_clock *groups;
    float *weights;  // weights of items in their motions, indexed by md5i_part.weight
    md5_flow *flows; // [num_parts]
    // [num_instances] Two lists of indices of instances in one array. The first
    // num_active_instances elements are the active instances, ascending. The elements from
    // first_inactive on are the inactive instances without a group. num_active_instances is 0 until
    // the array is filled.
    uint32_t *active_instances;
    uint32_t num_active_instances;
    uint32_t first_inactive;
} md5_active_state;

// The progress of a fade, in seconds.
typedef struct md5_fade_time {
    double elapsed;
    double duration;
} md5_fade_time;

// Returns the progress of a fade, 0..1.
static inline double md5_fade_progress(double elapsed, double duration)
{
    if (elapsed >= duration - MD5_BORDER)
        return 1;
    return elapsed > MD5_BORDER ? elapsed / duration : 0.0;
}

// Velocity of the root in the space of the character, for time that runs forward. v[0..2] are x, y
// and z in units per second. v[3] is a quarter of the angular velocity in radians per second,
// positive to the left.
typedef struct md5_root_velocity {
    double v[4];
} md5_root_velocity;

// Playback state of one layer.
typedef struct md5_layer_state {
    uint8_t order[MD5_SLOTS]; // slots in use, oldest state first
    uint8_t num_used;         // number of active states
    bool has_snapshot;        // a frozen pose is below the oldest state
    bool has_offsets;         // an inertial transition is in progress
    bool is_resting;          // its open transitions form a cycle: see start_transitions()
    bool is_entered;          // the entry of the newest state was reported
    bool has_arrived;         // the newest state has faded in completely in this interval
    bool is_steered;          // some clips got the rate of a clock that states share (in_step)
    uint32_t entered;         // last state that was reported; MD5_NONE = none
    bool ends_cycle; // the newest state takes an exit at the end of a cycle in this interval
    uint64_t ignored_events;       // event bits that the newest state ignores at this instant
    uint64_t causes;               // causes since a search found no possible transition
    uint64_t random;               // random number state for the random times of conditions
    float coverage;                // weight of the frozen pose, below 1 if a state had no motion
    md5_fade_time settling;        // decay of the offsets
    md5_root_velocity frozen_root; // root velocity of the frozen pose
    // md5_player_copy() copies all members above as a block. The arrays below belong to the player
    // and are copied separately.
    md5_xform *snapshot;      // [joints]
    md5_offset *offsets;      // [joints]
    md5_velocity *velocities; // [joints] velocities of the old pose at the start of the transition
    float *frozen_morphs;     // [num_sums] sums of the frozen pose
    float *morph_offsets;     // [num_sums] differences of sums at the start of the transition
    // If has_offsets: velocity of the root, and its difference from the velocity of the new motion.
    md5_root_velocity root_velocity;
    md5_root_velocity root_offset;
    md5_active_state first;       // slot 0, usually the only slot in use
    md5_active_state *more_slots; // [MD5_SLOTS - 1] other slots
} md5_layer_state;

// Maximum rate of a one-shot clip, cycles per second. It equals the maximum rate of clips in
// states.
#define MD5_MAX_ONE_SHOT_RATE 1e6

// A one-shot clip that is playing or fading out.
typedef struct md5_one_shot {
    uint32_t source;
    uint32_t num_below; // number of layers over which it is played
    md5_layer_mode mode;
    uint32_t mask;
    uint32_t reference;       // additive: source of the reference pose
    uint32_t reference_frame; // additive
    md5_one_shot_end end;
    md5_easing fade_in_curve;
    md5_easing fade_out_curve;
    md5_easing stop_curve;
    float weight; // weight without fades
    float left;   // remaining fraction of the weight when the last stop began
    bool is_new;  // the events at its start have not fired yet
    bool is_stopping;
    bool is_at_start;        // as in md5_clip_instance
    double rate;             // cycles per second
    double fade_out;         // seconds
    md5_clock clock_before;  // clock at the start of the last interval
    md5_clock clock;         // clock at the end of the last interval
    md5_fade_time fade_in;   // `elapsed` continues to increase after the fade
    md5_fade_time stopping;  // if is_stopping
    uint32_t section;        // current section; MD5_NONE: the whole clip
    uint32_t next;           // section after the current section; MD5_NONE: playback continues
    uint32_t desc_index;     // index of its md5_one_shot_desc in the machine; MD5_NONE: none
    bool repeats;            // `next` is repeated
    uint64_t ignored_events; // as in md5_layer_state
} md5_one_shot;

// Maximum number of one-shot clips in a slot, oldest first. All clips except the newest fade out.
enum { MD5_SLOT_ONE_SHOTS = 4 };
typedef struct md5_one_shot_slot {
    uint32_t num_one_shots;
    md5_one_shot one_shots[MD5_SLOT_ONE_SHOTS];
} md5_one_shot_slot;

// A range of a layer's chain of active states: the states at the positions begin..end - 1. The
// range can also include the frozen pose below the oldest state (has_snapshot), and the offsets of
// an inertial transition (has_offsets).
typedef struct md5_chain_range {
    uint32_t begin;
    uint32_t end;
    bool has_snapshot;
    bool has_offsets;
} md5_chain_range;

// Level of detail: distant characters can animate fewer joints, and compute a new pose less often.
typedef struct md5_detail_state {
    uint32_t mask;     // mask of the animated joints; MD5_NONE: all joints
    uint32_t interval; // a pose is computed in one of `interval` calls; at least 1
    uint32_t phase;    // number of the call in each interval that computes a pose; below `interval`
    uint32_t num_calls; // number of poses that were requested; may wrap around
    uint32_t age;       // number of poses that were requested since the stored pose was computed
    bool has_stored_pose;
} md5_detail_state;

// Iterator over the events that a clip passes in an interval.
typedef struct md5_event_cursor {
    md5_event_iterator iterator;
    uint32_t clip;                // clip whose events are passed
    md5_one_shot *one_shot;       // the one-shot clip, or NULL for a clip of a state
    md5_layer_state *layer_state; // layer of the state
    uint32_t position;            // position of the active state in the layer's order
    uint32_t instance;            // clip of the state
    bool is_new;                  // it begins
    bool is_backward;             // direction in which it plays
    uint32_t event;               // index of the next event; the number of events is the clip's end
    double when;                  // time of the next event, seconds since the start of the interval
    double slack;                 // seconds; later events within this time are simultaneous
} md5_event_cursor;

// Progress of a smoothed parameter from its value `from` to the value `goal`, which the game has
// set. At rest both are equal.
typedef struct md5_parameter_smoothing {
    float goal;
    float from;     // value when the goal was set
    float velocity; // velocity when the goal was set, only for a spring
    float next;     // scratch: value at the end of an interval
    double elapsed; // seconds since the goal was set
} md5_parameter_smoothing;

// State of a window, a named range of frames of a clip. All members except `weight` are computed
// again for each interval.
typedef struct md5_window_state {
    float weight;     // 0: the window is closed
    float max_weight; // maximum weight of the clips that are in the window
    uint32_t count;   // number of clips that are in the window
    union {
        uint32_t count_before; // scratch of an interval: `count` before a clip was added
        uint32_t adopted;      // scratch of a migration: 1 + index of the old window, or 0
    };
} md5_window_state;

struct md5_player {
    const md5_machine *machine;
    bool has_consumed;                // a trigger was consumed at this instant
    uint64_t heard_events;            // event bits of the events that were passed in this interval
    bool has_new;                     // some active state or one-shot clip is new
    bool is_settled;                  // no transition can be taken, and nothing has changed since
    bool is_weighed;                  // weights and speeds are up to date, except for has_moved
    bool has_moved;                   // smoothed parameters moved after is_weighed was set
    bool is_at_kink;                  // a parameter will be at a kink when this interval ends
    bool is_backward;                 // direction of the last step that took time
    md5_root_delta motion;            // root motion of the last md5_player_advance()
    md5_advance_status status;        // status of the last md5_player_advance()
    uint32_t num_passed_events;       // events in this call, including silent events
    uint32_t num_steps;               // intervals and transitions in this call
    uint32_t num_one_shots;           // in all slots
    md5_root_delta motion_since_pose; // root motion since the last pose, if there are soles
    double since_pose;                // seconds since the last pose
    md5_detail_state detail;
    // md5_player_copy() copies all members above as a block. The arrays below belong to the player
    // and are copied separately.
    md5_layer_state *layer_states;       // [layers]
    float *parameters;                   // [parameters]
    md5_parameter_smoothing *smoothings; // [follows]
    uint32_t *consumed; // [parameters] 1 + the layer that has consumed this trigger at this instant
    md5_one_shot_slot *slots; // [num_slots]
    md5_target *targets;      // [modifiers]
    md5_spring_joint *springs;
    bool *are_placed;           // [modifiers] the state of springs or feet is initialized
    md5_foot *feet;             // [num_feet]; the joints of their legs never change
    float *drops;               // [modifiers] of feet: displacement of the pelvis
    md5_foot_lock *foot_locks;  // [num_soles]
    md5_gaze *gazes;            // [num_gazes]
    md5_window_state *windows;  // [num_windows]
    const md5_mat34 **attached; // [attached] joints that the game has set, or NULL
    md5_xform *stored_pose;     // [joints] last computed pose, if detail.has_stored_pose
    md5_ground_fn *ground;      // callback of the game, or NULL
    void *ground_user;          // argument `user` of the callback

    // The arrays below are scratch memory of one call.
    float *blended_weights;      // [max_parts] weight that was blended into each part
    md5_clock *group_clocks;     // [max_groups]
    md5_sync_item *sync_items;   // [max_instances]
    md5_root_delta *root_deltas; // [max_poses]
    md5_event_cursor *cursors;
    md5_xform *spare;         // [joints * see lay_out_rarely_used()] poses for changes of states
    md5_velocity *velocities; // [joints]
    float *morphs;            // [num_sums]

    size_t size;
    md5_internal internal;
};

// Returns true if the binding or animation of a clip was freed.
static inline bool md5_has_freed_clip(const md5_machine *machine)
{
    for (uint32_t i = 0; i < machine->tables.num_clips; i++) {
        const md5_binding *const binding = machine->sources[i].binding;
        if (md5_was_freed(&binding->internal) || md5_was_freed(&binding->anim->internal))
            return true;
    }
    return false;
}

// Check the player of a public function and the objects that it uses. The variants for functions
// that change the player also check that the function is not called by a callback of this player.
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

// Returns the active state in a slot of a layer.
static inline md5_active_state *md5_slot(md5_layer_state *layer_state, uint32_t index)
{
    return index == 0 ? &layer_state->first : &layer_state->more_slots[index - 1];
}

// Returns the active state at a position in the layer's chain: position 0 is the oldest state.
static inline md5_active_state *md5_active_at(md5_layer_state *layer_state, uint32_t position)
{
    return md5_slot(layer_state, layer_state->order[position]);
}

// Returns the joints that are animated at the player's level of detail, or NULL for all joints.
static inline const md5_detail_set *md5_player_detail_set(const md5_player *player)
{
    const uint32_t mask = player->detail.mask;
    return mask == MD5_NONE ? NULL : &player->machine->details[mask];
}

// Returns the range of all active states of a layer, with its frozen pose and its offsets.
static inline md5_chain_range md5_complete_chain(const md5_layer_state *layer_state)
{
    return (md5_chain_range){0, layer_state->num_used, layer_state->has_snapshot,
                             layer_state->has_offsets};
}

// Removes the `count` oldest states from the chain.
static inline void md5_end_oldest(md5_layer_state *layer_state, uint32_t count)
{
    layer_state->num_used = (uint8_t)(layer_state->num_used - count);
    memmove(layer_state->order, layer_state->order + count, layer_state->num_used);
}

// Returns the state that fades in, or the only state.
static inline md5_active_state *md5_newest(md5_layer_state *layer_state)
{
    return md5_active_at(layer_state, layer_state->num_used - 1u);
}

// Returns the current weight of a rule. This is its fixed weight or, if it has a parameter, the
// eased value of the parameter, clamped to 0..1.
float md5i_rule_weight(const md5_player *player, const md5_weight_rule *rule);

// -- state.c: playing one state -----------------------------------------------------------------

// Makes `active` a new active state: sets its state and its blend tree, and starts its clips at the
// positions that `change` determines.
void md5i_begin_state(md5_player *player, const md5_play_layer *layer, md5_active_state *active,
                      const md5_change *change);

// Sets the clocks of a new state to the clocks of another player's state. The players may have
// different machines, so clips are matched by name. Both states must have a motion.
void md5i_copy_clocks(md5_player *player, md5_active_state *active, const md5_player *old_player,
                      const md5_active_state *old_active);

// Returns the current clock of a clip, which may be inactive.
md5_clock md5i_instance_clock(const md5_active_state *active, uint32_t index);

// Computes the clocks of all synchronized groups of a state, `seconds` from now. Stores them in
// player->group_clocks. The clocks of the state do not change.
void md5i_advance_group_clocks(md5_player *player, const md5_active_state *active, double seconds);

// Returns the clock of an active clip `seconds` from now. Call md5i_advance_group_clocks() first. A
// clip that is played once stays at its end for the time since it arrived there.
md5_clock md5i_instance_clock_after(const md5_player *player, const md5_active_state *active,
                                    uint32_t index, double seconds);

// Computes weights and speeds of all active states from the parameters if a parameter has changed.
void md5i_update_weights(md5_player *player);

// Advances a state by `seconds`: its transition, and the clocks of its clips and groups at the
// current rates. Clips that lost their weight become inactive.
void md5i_advance_state(md5_player *player, md5_active_state *active, double seconds);

// Sets the rates of all clips that share a clock to the mean rate of the clock over the next
// `seconds`, which may be negative. Other clips keep their own rates.
//
// Returns the time for which these rates are valid, at most `max_seconds`. It ends at a marker, at
// a change of direction, or after a part of a fade.
double md5i_update_shared_rates(md5_player *player, double seconds, double max_seconds);

// Returns the time at which a clip of a state had moved by `fraction` of its distance in the last
// interval. The time counts from the start of the interval, whose length was `seconds`.
//
// For most clips the result is `fraction` * `seconds`. If a clip shares its clock with other
// states, its rate changes within the interval, because it follows the weights of the states.
double md5i_shared_clock_seconds(md5_layer_state *layer_state, uint32_t position, uint32_t instance,
                                 double fraction, double seconds);

// Returns the seconds until the remaining time of the newest state's first clip becomes `value`.
// `left` is the remaining time now, computed with the mean rate of the interval. If the clip shares
// its clock with other states, its rate changes. Then only the next `max_seconds` are searched. The
// result is INFINITY if the remaining time does not become `value` there.
double md5i_seconds_until_time_left(md5_layer_state *layer_state, double left, double value,
                                    double max_seconds);

// Returns true if states of at least one layer share a clock.
bool md5i_has_shared_clock(const md5_player *player);

// Returns the normalized time at which a state begins that shares its clock with another state.
double md5i_shared_start_time(const md5_active_state *left, const md5_blend_tree *tree);

// Returns the normalized time of a state's first clip.
double md5i_active_time(const md5_active_state *active);

// Returns the seconds that a clip needs from one clock to another at the current weights and
// speeds. The result is negative if time must run backward, and not finite if the clip never
// arrives.
double md5i_instance_seconds(const md5_player *player, const md5_active_state *active,
                             uint32_t index, md5_clock from, md5_clock to);

// Returns the progress of the transition to a state, 0..1.
static inline double md5_progress(const md5_active_state *active)
{
    return md5_fade_progress(active->elapsed, active->duration);
}

// Returns the weight of a state over the states below it in a range of the chain, `shift` seconds
// from now. This is the eased progress of its fade, 0..1. The lowest state has the weight 1.
float md5i_fade_in(md5_layer_state *layer_state, md5_chain_range part, uint32_t position,
                   double shift);

// -- player.c -------------------------------------------------------------------------------------

// Copies an array of `count` elements of `size` bytes. An array without elements may be NULL.
static inline void md5_copy_items(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0)
        memcpy(to, from, count * size);
}

// Copies the first `count` elements of an array that both objects have.
#define MD5_COPY_ARRAY(to, from, member, count) \
    md5_copy_items((to)->member, (from)->member, (count), sizeof *(to)->member)

// Copies the poses of a layer that are in use.
void md5i_copy_layer_poses(md5_layer_state *to, const md5_layer_state *from, uint32_t num_joints);

// Sets a parameter without smoothing. A bool or trigger becomes 0 or 1. If the value changes,
// weights must be computed again, and transitions may be possible.
void md5i_store_parameter(md5_player *player, uint32_t parameter, float value);

// -- parameters.c ---------------------------------------------------------------------------------

// Sets a parameter without smoothing, for all layers.
void md5i_set_value(md5_player *player, uint32_t parameter, float value);

// Sets the goal of a smoothed parameter. Returns false if the parameter is not smoothed.
bool md5i_set_goal(md5_player *player, uint32_t parameter, float goal);

// The task of md5i_follow_goals(). Every task also computes md5_parameter_smoothing.next, the value
// at the end of the interval.
typedef enum md5_smoothing_task {
    MD5_SMOOTHING_PREDICT, // changes no parameter
    MD5_SMOOTHING_MEAN,    // sets parameters to their means over the interval
    MD5_SMOOTHING_MOVE,    // moves parameters to the end of the interval
} md5_smoothing_task;

// Moves all smoothed parameters toward their goals in an interval of `seconds`, which is above 0.
void md5i_follow_goals(md5_player *player, double seconds, md5_smoothing_task task);

// Returns true if a smoothed parameter has not reached its goal.
bool md5i_is_following(const md5_player *player);

// Returns the seconds, at most `max_seconds`, until a smoothed parameter is at a kink, which is a
// value at which its effect changes.
double md5i_seconds_to_kink(md5_player *player, double max_seconds);

// -- transitions.c --------------------------------------------------------------------------------

// Returns true if a clip of a state plays backward.
bool md5i_is_playing_backward(const md5_active_state *active, uint32_t instance);

// Finds the next cue of a clip in the direction of playback that is more than `min_cycles` away.
// Returns its distance in cycles, and sets *target to the clock there. Returns INFINITY if the clip
// does not pass another cue.
//
// `event_bits` contains the event bits of each cue. If it is not NULL, only events with one of the
// bits in `event_bit` are found.
double md5i_cycles_to_cue(const md5_cues *cues, const uint64_t *event_bits, uint64_t event_bit,
                          md5_clock current, bool backward, double min_cycles, md5_clock *target);

// Returns true if a condition on a parameter holds for the value `value` of the parameter.
bool md5i_condition_holds_for(const md5_play_condition *condition, float value);

// Takes transitions of all layers until none is possible at this instant.
void md5i_start_transitions(md5_player *player);

// Returns true if a layer takes a transition at this instant because its clip has reached an exit
// that is not an event.
bool md5i_takes_exit(const md5_player *player, uint32_t layer);

// Stops and starts the entries of the one-shot table whose conditions hold.
void md5i_update_one_shots(md5_player *player);

// Returns the seconds, at most `max_seconds`, until a condition about time or an event may change
// in a layer.
double md5i_seconds_to_layer_time_change(const md5_player *player, uint32_t layer, bool goes_back,
                                         double max_seconds);

// Returns the seconds, at most `max_seconds`, until a transition of a layer reaches its exit, if
// the conditions of the transition are true.
double md5i_seconds_to_next_exit(md5_player *player, uint32_t layer, double max_seconds);

// -- events.c -------------------------------------------------------------------------------------

// The player that is advanced, the event callback, and the current interval.
typedef struct md5_step_context {
    md5_player *player;
    md5_event_fn *events;
    void *user;
    double seconds; // length of the interval; 0: an instant
} md5_step_context;

// Returns true if events of clips have an effect: on the game, on windows or on conditions.
bool md5i_needs_clip_events(const md5_step_context *context);

// Fires the events of all clips in an interval or at an instant, in the order of time.
void md5i_fire_events(const md5_step_context *context);

// Calls the event callback for an event of a state if the machine reports events of its kind.
void md5i_report_state_event(const md5_step_context *context, uint32_t layer, uint32_t state,
                             md5_event_kind kind);

// -- motion.c: root motion, morphs --------------------------------------------------------------

// Returns the root motion of the last interval, which was `seconds` long.
md5_root_delta md5i_step_root_delta(md5_player *player, double seconds);

// Returns the current value of the source of a row of morph_rows. Sources are parameters, curves,
// windows, states, and clips that one-shot clips play. The value of a state is its weight in its
// layer times the weight of the layer.
float md5i_driver_value(const md5_player *player, uint32_t row_index);

// Begins an inertial transition of a layer's root motion and morphs. The transition leads from
// `old_chain` to `new_chain`, which may belong to different layers or players.
void md5i_begin_motion_offsets(md5_player *from, uint32_t old_layer, md5_chain_range old_chain,
                               md5_player *player, uint32_t layer, md5_chain_range new_chain);

// Stores the root motion and morphs of a range of a layer's chain. The range is replaced by a
// frozen pose, which keeps them.
void md5i_freeze_motion(md5_player *player, uint32_t layer, md5_chain_range oldest);

// Copies the sums of morph_rows from another player. Sums are matched by name. Sums that the other
// player does not have become 0.
void md5i_copy_sums(const md5_player *player, const md5_player *old_player,
                    const float *old_weights, float *weights);

// -- one_shots.c: one-shot clips ----------------------------------------------------------------

// Iterator over the one-shot clips of all slots.
typedef struct md5_one_shot_iterator {
    uint32_t slot;
    uint32_t next;
} md5_one_shot_iterator;

// Returns the next one-shot clip of any slot, or NULL after the last.
static inline md5_one_shot *md5_next_one_shot(const md5_player *player,
                                              md5_one_shot_iterator *iterator)
{
    for (; player->num_one_shots > 0 && iterator->slot < player->machine->num_slots;
         iterator->slot++) {
        if (iterator->next < player->slots[iterator->slot].num_one_shots)
            return &player->slots[iterator->slot].one_shots[iterator->next++];
        iterator->next = 0;
    }
    return NULL;
}

// Removes a one-shot clip from its slot; later clips move up.
static inline void md5_remove_one_shot(md5_player *player, md5_one_shot_slot *slot, uint32_t index)
{
    slot->num_one_shots--;
    player->num_one_shots--;
    memmove(&slot->one_shots[index], &slot->one_shots[index + 1],
            (slot->num_one_shots - index) * sizeof slot->one_shots[0]);
}

// Returns the number of cycles until the end of a one-shot clip, in the direction of playback.
static inline double md5_one_shot_cycles_left(const md5_one_shot *one_shot, double phase)
{
    return one_shot->rate < 0 ? phase : 1.0 - phase;
}

// Returns the number of cycles until the end of a one-shot clip's section, in the direction of
// playback. The result is infinite if the clip has neither a section nor a next section.
double md5i_section_cycles_left(const md5_machine *machine, const md5_one_shot *one_shot);

// Ends the current section of a one-shot clip. Jumps to the next section, or continues with the
// rest of the clip.
void md5i_end_section(md5_player *player, md5_one_shot *one_shot);

// Returns the newest clip of a slot, or NULL.
static inline md5_one_shot *md5_newest_one_shot(const md5_player *player, uint32_t slot)
{
    const uint32_t count = player->slots[slot].num_one_shots;
    return count == 0 ? NULL : &player->slots[slot].one_shots[count - 1];
}

// Returns the weight of a one-shot clip `shift` seconds from now; shift <= 0. It is the clip's own
// weight times the factors of its fades.
//
// The fade-in is evaluated at least at the progress `min_progress`. The fade-out is evaluated at
// most at 1 - `min_progress`. Poses use 0. Events use a small value: an event at the start or end
// of a fade must fire, but an event of a clip with weight 0 would not.
float md5i_one_shot_weight(const md5_player *player, const md5_one_shot *one_shot, double shift,
                           double min_progress);

// Returns the timing of a one-shot clip.
static inline const md5_timing *md5_one_shot_timing(const md5_machine *machine,
                                                    const md5_one_shot *one_shot)
{
    const md5_play_mode mode = one_shot->end == MD5_ONE_SHOT_LOOPS ? MD5_PLAY_LOOP : MD5_PLAY_ONCE;
    return &machine->sources[one_shot->source].timings[mode];
}

// Returns the frames of a one-shot clip at its current clock.
static inline md5_sample_position md5_one_shot_sample_position(const md5_machine *machine,
                                                               const md5_one_shot *one_shot)
{
    return md5i_clock_sample_position(md5_one_shot_timing(machine, one_shot), one_shot->clock,
                                      machine->sources[one_shot->source].interpolation);
}

// Returns the weight with which a one-shot clip must be blended to have the weight `weight` in the
// result. The newer clips of its slot are blended over it later and reduce its weight. `covered` is
// the sum of their weights. All weights include the masks at the joint.
float md5i_one_shot_blend_weight(float weight, float covered);

// -- layers.c, modifiers.c ----------------------------------------------------------------------

// Changes a layer to another state, with a fade if `change` has a duration.
void md5i_change_state(md5_player *player, uint32_t layer_index, const md5_change *change);

// Begins an inertial transition from the pose of another player's layer. The layer has already
// taken over the states of the other layer. Has no effect unless both have a pose. Both models must
// have the same joints, and weights must be up to date.
void md5i_continue_layer(md5_player *player, uint32_t layer, md5_player *old_player,
                         uint32_t old_layer);

// Computes the blended pose of all layers. spare[] contains scratch poses;
// md5_player_pose_scratch() returns their number.
void md5i_blend_layers(md5_player *player, md5_xform *spare, md5_xform *pose);

// Applies the machine's modifiers to a blended pose, in the order of their table.
void md5i_apply_modifiers(md5_player *player, md5_xform *pose);

// Advances gazes by `seconds`, above 0.
void md5i_advance_gazes(md5_player *player, double seconds);

// -- state.c: blend spaces ----------------------------------------------------------------------
//
// These functions compute the weights of the items of a blend space. Weights are not negative, and
// their sum is 1.

// Computes the weights of items[num_items] in a 1D blend space. num_items >= 1, and the positions
// are strictly ascending. The two neighbors of `x` are weighted by their distances. Outside of the
// range, the first or last item has the weight 1. Returns the index of the first item with a
// weight.
uint32_t md5i_blend_weights_1d(const md5_item *items, uint32_t num_items, double x, float *weights);

// Computes the weights of the items of a 2D blend space by gradient band interpolation (R. S.
// Johansen, Automated Semi-Procedural Animation for Character Locomotion, 2009, 6.3). No two items
// may have the same position.
//
// The influence of item i at the point p decreases from 1 at its position p_i to 0 at the position
// of every other item. It is clamped to 0..1:
//
//   influence_i = min over j of 1 - (p - p_i) . (p_j - p_i) / |p_j - p_i|^2
//
// The weights are the influences, scaled to the sum 1. The time is at most quadratic in num_items.
// Items without influence usually need only a few steps.
void md5i_blend_weights_2d(const md5_motion_item *items, uint32_t num_items, float x, float y,
                           float *weights);

// Returns true if a run, which is a range of joints, overlaps a joint set. The set must be a range,
// not a list.
static inline bool md5_run_overlaps_set(md5_joint_run run, const md5_joint_set *set)
{
    return run.first < set->first + set->count && set->first < run.first + run.count;
}

#endif
