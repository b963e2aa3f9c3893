// md5machine: defines the state machine of a character: its clips, states, transitions and
// everything else that determines how it is animated. The definition is written as C tables or as a
// text file, called a machine file.
//
//   tables (md5_machine_desc), or a machine file --md5_create_machine()--> machine: the states of a
//        kind of character, which players (md5play.h) share
//
// md5_create_machine() checks all tables and copies them. The machine is then read-only; any number
// of threads may use it. A player (md5play.h) plays the machine for one character.
//
// A machine consists of the following tables. Entries refer to each other by name.
//
// - Clips: animations with their events, windows, curves, markers and sections.
// - Masks: sets of joints.
// - Parameters: numbers, bools and triggers that the game sets, such as the speed of the character.
// - Motions: sources of poses: clips, blend spaces (several clips blended by parameters), or stacks
//   (clips blended over each other).
// - Layers: state machines. Each state plays a motion; transitions change the state when their
//   conditions hold. The poses of the layers are blended over each other or added.
// - Slots and one-shot clips: clips that play once over the layers, such as a hit or a wave.
// - Modifiers: operations on the blended pose, such as inverse kinematics.
// - Morph targets: weights of facial expressions and other shapes.
//
// Defaults: MD5_INIT initializes a structure with all defaults. If the default of a member is not
// 0, the comment of the member contains the default; MD5_EXPLICIT_ZERO then selects the value 0.
// Use designated initializers for the entries of tables, because entries end with reserved members.
//
// Times are in seconds. The normalized time of a clip runs from 0 to 1 over one cycle; a time above
// 1 counts cycles, so 2.5 is the middle of the third cycle. Frame numbers start at 0 everywhere: in
// tables, in machine files and in messages.
#ifndef MD5MACHINE_H
#define MD5MACHINE_H

#include "md5curve.h" // installed in the same folder
#include "md5pose.h"

#ifdef __cplusplus
extern "C" {
#endif

// -- Clips ----------------------------------------------------------------------------------

// Behavior of a clip at its end. A clip that plays backward ends at its first frame.
typedef enum md5_play_mode {
    MD5_PLAY_LOOP,      // starts again
    MD5_PLAY_ONCE,      // holds the last frame, or the first frame if it plays backward
    MD5_PLAY_PING_PONG, // plays forward, then backward; one cycle consists of both directions
} md5_play_mode;

// Duration of a clip that loops. It depends on the way in which the clip was exported.
typedef enum md5_period {
    // The last frame repeats the first frame, as in id's engine: (num_frames - 1) / rate.
    MD5_PERIOD_CLOSED,
    // After the last frame, the clip continues with the first frame: num_frames / rate.
    MD5_PERIOD_OPEN,
} md5_period;

// Root motion of a clip: the part of the motion of joint 0, the root, that moves the character.
// This part is removed from the pose and returned by md5_player_root_motion().
typedef enum md5_root_extraction {
    MD5_ROOT_EXTRACTION_NONE, // nothing: the pose contains the motion as stored in the file
    MD5_ROOT_EXTRACTION_MOVE, // translation along all three axes
    MD5_ROOT_EXTRACTION_WALK, // translation along x and y; the pose contains the motion along z
    MD5_ROOT_EXTRACTION_TURN, // translation along x and y, and rotation around z (yaw)
} md5_root_extraction;

// Kinds of events that md5_event_fn (md5play.h) receives. Events of clips and windows are entries
// of the tables of clips. All other kinds are reports: the player creates them if
// md5_machine_desc.report enables them.
typedef enum md5_event_kind {
    MD5_EVENT_CLIP,           // a clip passes the frame of an event in its table
    MD5_EVENT_ENTER,          // report: a state starts
    MD5_EVENT_LEAVE,          // report: a transition or a cut from a state to another state starts
    MD5_EVENT_TRANSITION_END, // report: a state has faded in completely; after a cut, immediately
    MD5_EVENT_CLIP_END,       // report: a clip reaches its end or the end of a cycle
    MD5_EVENT_BEGIN,          // a window in the table of a clip opens
    MD5_EVENT_END,            // a window in the table of a clip closes
} md5_event_kind;

// An event at a frame of a clip, such as a footstep. The same structure is used in two ways. In the
// table of a clip, it defines an event: set `frame`, `name` and `text`. As an argument of
// md5_event_fn, it describes an event of any kind.
typedef struct md5_event {
    uint32_t frame; // frame of the clip; 0 is the first
    // Name of the event, such as "footstep", and its argument, such as "left"; a text of NULL or ""
    // means that the event has no argument.
    const char *name, *text;
    // Kind of the event; 0 in tables. For reports, `name` is the name of the state or clip, `text`
    // is the name of the layer of the state, or "" for a clip, and `frame` is 0. For windows,
    // `name`, `text` and `frame` are those of the window: the frame at which it opens or closes.
    md5_event_kind kind;
    // For events of states: index of the layer, and index of the state in the layer. For events of
    // clips: 0, and index of the clip.
    uint32_t layer, index;
    uint64_t reserved[2]; // 0
} md5_event;

// A window is an event with a duration, such as the frames of a sword stroke in which the sword can
// hit. It is open from frame `first` to frame `last`, both if the clip plays forward and if it
// plays backward. It also closes at the end of a cycle. md5_player_window() returns its weight.
typedef struct md5_window {
    // Name of the window, such as "hit", and its argument, such as "sword"; a text of NULL or ""
    // means that the window has no argument.
    const char *name, *text;
    uint32_t first, last; // frames of the clip, first <= last
    uint64_t reserved[2]; // 0
} md5_window;

// A key of a curve: a value at a frame of a clip.
typedef struct md5_morph_key {
    uint32_t frame; // frame of the clip; the frames of consecutive keys are ascending
    float weight;   // value of the curve, or weight of a morph target; magnitude at most 1 million
    uint64_t reserved[2]; // 0
} md5_morph_key;

// A curve is a number that is animated over the frames of a clip, for example for an effect of the
// game or as the weight of a morph target. md5_player_curve() returns its current value.
//
// At whole frames, the value is interpolated between two keys with the easing. Between two frames,
// the value changes linearly. Before the first key and after the last key, it is constant.
typedef struct md5_clip_curve {
    const char *name; // unique in a clip; several clips may have a curve with the same name
    const md5_morph_key *keys; // [num_keys]
    uint32_t num_keys;         // at least 1
    md5_easing easing;
    uint64_t reserved[2]; // 0
} md5_clip_curve;

// A section is a part of a clip in which a one-shot clip can start, continue or repeat. Sections of
// a clip may touch and overlap.
typedef struct md5_section {
    const char *name;
    uint32_t first, last; // frames of the clip, first < last
    uint64_t reserved[2]; // 0
} md5_section;

// A clip: an animation, and the information that a machine adds to it.
typedef struct md5_clip_desc {
    const char *name;
    const md5_binding *binding; // animation, bound to the machine's model; must outlive the machine
    // Path of the .md5anim file that belongs to `binding`, if the tables are from a machine file.
    // md5_create_machine() does not use it.
    const char *file;
    md5_period period;               // duration of a cycle
    md5_interpolation interpolation; // interpolation between two frames
    md5_root_extraction root_extraction;
    const md5_event *events; // [num_events] events of the clip, in any order
    uint32_t num_events;
    // Markers are the frames at which synchronized clips are at the same point of their cycles,
    // such as "left foot down" and "right foot down", in ascending order. MD5_SYNC_MARKERS and
    // md5_transition_desc.in_step use them: marker i of one clip is at the same time as marker i of
    // the other clips.
    const uint32_t *markers; // [num_markers]
    uint32_t num_markers, num_sections, num_windows, num_curves;
    const md5_section *sections;  // [num_sections] for one-shot clips
    const md5_window *windows;    // [num_windows]
    const md5_clip_curve *curves; // [num_curves]
    uint64_t reserved[3];         // 0
} md5_clip_desc;

// A mask: a set of joints with weights, to which a layer, an item of a stack or a one-shot clip is
// limited. `joints` and `feather` are the arguments of md5_build_mask().
typedef struct md5_mask_desc {
    const char *name, *joints; // name; list of joint patterns, such as "*spine_2 -*hand_l"
    uint32_t feather;          // number of hierarchy levels over which the weights increase
    uint64_t reserved[2];      // 0
} md5_mask_desc;

// -- Parameters -----------------------------------------------------------------------------

// Kinds of parameters. A parameter is a number that the game sets with md5_player_set().
// Conditions, speeds, weights and blend spaces use parameters.
typedef enum md5_parameter_kind {
    MD5_PARAMETER_FLOAT, // any number
    MD5_PARAMETER_BOOL,  // 0 or 1
    // A bool that causes one transition, such as "jump". The game sets the trigger. The transition
    // whose conditions contain the trigger resets it. If several layers have such a transition,
    // each layer can take one transition with the trigger at the same instant.
    MD5_PARAMETER_TRIGGER,
} md5_parameter_kind;

// A parameter of a machine.
typedef struct md5_parameter_desc {
    const char *name;
    md5_parameter_kind kind;
    float value;          // initial value
    uint64_t reserved[2]; // 0
} md5_parameter_desc;

// Smoothing of a float parameter: the way in which the parameter approaches the value that the game
// has set with md5_player_set().
typedef enum md5_follow_kind {
    MD5_FOLLOW_SMOOTH, // exponentially, as in md5_smoothing_fraction() with `rate`
    MD5_FOLLOW_SPRING, // with inertia, as in md5_spring_damp() with `stiffness` and `damping`
    MD5_FOLLOW_EASE,   // within `duration`, with `easing`, from the value at the time of the change
} md5_follow_kind;

// Smoothing of one parameter. A parameter without such an entry changes immediately.
//
// - The smoothed value depends only on the time since the change. If time runs forward, the lengths
//   of the steps of md5_player_advance() have no effect on it.
// - During a part of a step (see md5play.h), rates and weights use the exact mean of the smoothed
//   value. A condition changes at the instant at which the smoothed value passes the value of the
//   condition.
// - md5_player_get() returns the smoothed value at the end of the step. In an event callback, it
//   returns the value at the end of the current part of the step.
// - md5_player_reset() sets the smoothed value to the initial value of the parameter.
typedef struct md5_follow_desc {
    const char *parameter; // name of a float parameter; at most one entry per parameter
    md5_follow_kind kind;
    float rate; // SMOOTH: rate of the approach, 1/s, above 0
    // SPRING: stiffness of the spring, 1/s^2, above 0; damping of the spring, 1/s, at least 0.
    float stiffness, damping;
    float duration; // EASE: duration of the change, seconds, at least 0
    // EASE: easing of the change. In all tables of a machine, x1 and x2 of a cubic Bézier easing
    // must be from 0 to 1.
    md5_easing easing;
    uint64_t reserved[4]; // 0
} md5_follow_desc;

// -- Motions --------------------------------------------------------------------------------

// Kinds of motions. A motion produces a pose from one or more clips. For each clip, there is also a
// motion of the same name, which loops the clip at speed 1. All kinds except MD5_MOTION_CLIP
// combine other motions, called items. An item must precede the motion in the table.
typedef enum md5_motion_kind {
    // One clip, with its play mode, start and speed.
    MD5_MOTION_CLIP,
    // Blend space on a line. Each item has a position x; a parameter selects a position on the
    // line, and the two items next to this position are blended by their distances from the
    // position.
    MD5_MOTION_BLEND_1D,
    // Blend space in a plane. Each item has a position (x, y), and two parameters select a
    // position. The weights are gradient band weights (Johansen 2009, section 6.3). Items are
    // blended in the order of ascending x, then y; the order in the table has no effect.
    MD5_MOTION_BLEND_2D,
    // The first item is the base pose; the following items are blended over it or added to it.
    MD5_MOTION_STACK,
    // Blend space of clips on a line, which are positioned by the speed of their root motion.
    MD5_MOTION_BY_SPEED,
} md5_motion_kind;

// Rules of MD5_MOTION_BY_SPEED, which prevents feet from sliding while a character changes its
// speed:
//
// - The parameter is the speed of the root in units/s. (With MD5_MOTION_BLEND_1D, a root moves at
//   the speed of the parameter only at the positions of the items, not between them.)
// - The speed of an item is the displacement of the root over one cycle of its clip, divided by the
//   duration of the cycle. The displacement is measured along the line on which the fastest item
//   moves. Forward, left and up are positive; backward, right and down are negative.
//   md5_machine_item_speed() returns the speed.
// - The items must be looping clips, in the order of ascending speeds.
// - The weights of the items are chosen so that the mean speed of the root over a cycle equals the
//   parameter. If the items are synchronized, so is their common rate.
// - If the parameter is below the speed of the slowest item or above the speed of the fastest item,
//   that item plays at its own speed.
// - The member `speed` of the motion is a further factor of the speed. If the motion is an item of
//   a synchronized motion, the rate of the enclosing motion is used instead.

// Synchronization of the items of a blend space: for example, the feet of a walk and a run then
// touch the ground at the same time. It applies to the clips of all items, including the clips of
// nested blend spaces and of the first items of stacks. The clips must loop. With MD5_SYNC_MARKERS,
// they must not play in ping-pong mode.
typedef enum md5_sync {
    MD5_SYNC_NONE,  // each clip plays at its own rate
    MD5_SYNC_PHASE, // all clips have the same normalized time; the rate is the weighted mean
    // As PHASE, but the clips are synchronized from marker to marker instead of from start to end.
    // All clips must have the same number of markers.
    MD5_SYNC_MARKERS,
} md5_sync;

// The way in which a pose is combined with the pose below it: the previous items of a stack, or the
// previous layers.
typedef enum md5_layer_mode {
    MD5_LAYER_OVERRIDE, // the pose is blended over the pose below
    MD5_LAYER_ADD,      // the difference between the pose and a reference pose is added
} md5_layer_mode;

// An item of a blend space or of a stack: a motion together with its position or weight.
typedef struct md5_motion_item {
    const char *motion; // name of a motion or clip
    float x, y;         // position in a blend space; ascending x on a line; both 0 for BY_SPEED
    // The following members are only used for the items of a stack after the first item.
    md5_layer_mode mode;
    const char *mask;             // joints to which the item is limited; NULL = all joints
    float weight;                 // weight of the item, 0 to 1; 0 = 1, MD5_EXPLICIT_ZERO = 0
    const char *weight_parameter; // parameter that is used instead of `weight`; NULL = none
    // ADD: the reference pose is frame `reference_frame` of the clip `reference`. NULL = the first
    // clip of the item's motion.
    const char *reference;
    uint32_t reference_frame;
    // Easing of weight_parameter: the weight is the eased value of the parameter. Both are limited
    // to 0 to 1. For example, if the parameter is smoothed by MD5_FOLLOW_EASE with a linear easing,
    // and the game sets it to 1, the item fades in along weight_easing. No effect without
    // weight_parameter.
    md5_easing weight_easing;
    uint64_t reserved[4]; // 0
} md5_motion_item;

// A motion: a source of poses. md5_motion_kind explains the kinds of motions.
typedef struct md5_motion_desc {
    const char *name;
    md5_motion_kind kind;
    const char *clip;            // MD5_MOTION_CLIP: name of the clip
    md5_play_mode mode;          // MD5_MOTION_CLIP: behavior at the end of the clip
    double start;                // MD5_MOTION_CLIP: normalized time at which the clip starts
    float speed;                 // playback rate; 0 = 1, MD5_EXPLICIT_ZERO = 0: a still pose
    const char *speed_parameter; // parameter by which `speed` is multiplied; NULL = none
    const char *x_parameter, *y_parameter; // blend spaces: parameters that select the position
    md5_sync sync;                         // blend spaces: synchronization of the items
    const md5_motion_item *items;          // [num_items]; not used by MD5_MOTION_CLIP
    uint32_t num_items;
    uint64_t reserved[4]; // 0
} md5_motion_desc;

// -- States and transitions -----------------------------------------------------------------

// Blending method of a transition.
typedef enum md5_fade {
    MD5_FADE_CROSS,    // crossfade: both states play; the weight follows the easing, within 0 to 1
    MD5_FADE_INERTIAL, // only the new state plays; the difference from the old pose decays
} md5_fade;

// Rules of inertial transitions (D. Bollo, Inertialization: High-Performance Animation Transitions
// in Gears of War, GDC 2018):
//
// - When the transition starts, the difference between the current pose of the layer and the pose
//   of the new motion is measured, and also the difference between their velocities.
// - During the transition, only the new motion is played. The decaying difference is added to it.
//   The velocity of the root decays in the same manner.
// - If the old or the new state has no motion, the transition is a crossfade instead.
// - A clip with MD5_INTERPOLATE_STEP counts as having no velocity.
//
// md5/docs/blending.md contains the formulas.

// Comparison of a condition. md5_condition.value is the value.
typedef enum md5_comparison {
    MD5_IS_SET,      // a bool or trigger is set, or a float is not 0
    MD5_IS_CLEAR,    // the opposite of MD5_IS_SET
    MD5_IS_LESS,     // less than the value
    MD5_IS_GREATER,  // greater than the value
    MD5_IS_AT_MOST,  // less than or equal to the value
    MD5_IS_AT_LEAST, // greater than or equal to the value
} md5_comparison;

// Kinds of conditions of transitions and one-shot clips.
//
// The two kinds that use a time must be compared with a value (LESS, GREATER, AT_MOST or AT_LEAST).
// For times, LESS is the same as AT_MOST, and GREATER is the same as AT_LEAST. For example, when a
// state has been active for 2 seconds, both "state time > 2" and "state time >= 2" hold. When 0.3
// seconds are left until the end of a clip, both "time left < 0.3" and "time left <= 0.3" hold.
typedef enum md5_condition_kind {
    // Compares a parameter.
    MD5_WHEN_PARAMETER,
    // Compares the seconds since the start of the state that the transition leaves.
    MD5_WHEN_STATE_TIME,
    // Compares the seconds, at the current rate, until the first clip of the state ends or, if the
    // clip loops, until its cycle ends. The time is 0 for a state without a motion. The condition
    // does not hold while time runs backward.
    MD5_WHEN_TIME_LEFT,
    // Holds at the instant at which a clip or one-shot clip of the player fires an event; the
    // comparison is MD5_IS_SET. A state or one-shot clip that starts at this instant does not react
    // to the event. No condition reacts to the events of a clip that it starts itself. Initial
    // states, and values that the game sets, count as earlier than the events of the same instant.
    MD5_WHEN_EVENT,
} md5_condition_kind;

// A condition of a transition or one-shot clip. Several conditions form a table. They are divided
// into alternatives: the conditions of one alternative are combined by "and", and the alternatives
// are combined by "or".
typedef struct md5_condition {
    // Name of the parameter. For MD5_WHEN_EVENT, the name of the event, or its name and its text,
    // separated by a space. Not used for times.
    const char *parameter;
    md5_comparison compare;
    float value; // value with which the parameter or the time is compared
    md5_condition_kind kind;
    // STATE_TIME: if not 0, the time is compared with a random number between `value` and `longest`
    // instead of `value`. A new number is drawn each time a state starts, separately for each
    // condition: see md5_player_seed().
    float longest;
    // If true, this condition starts a new alternative: it is combined with the previous conditions
    // by "or" instead of "and". "and" has the higher precedence. The first condition of a table
    // always starts an alternative.
    bool begins_alternative;
    uint64_t reserved[1]; // 0
} md5_condition;

// The transitions that may interrupt a transition while it is active. The interrupted transition
// continues to be blended below the new transition, so that the pose does not jump. If more than
// four states of a layer are active at a time, the poses of the two oldest are frozen: they do not
// continue to play.
typedef enum md5_interrupt {
    MD5_INTERRUPT_ANY,    // every transition from the target state, and transitions from any state
    MD5_INTERRUPT_HIGHER, // as ANY, but only transitions with a higher priority
    MD5_INTERRUPT_NONE,   // no transition
} md5_interrupt;

// A transition between two states of a layer.
//
// A transition is taken when its conditions hold and, if it waits for an exit, when the exit is
// reached. The exit is a position of the first clip of the state `from`: a time (`exit`), a time in
// every cycle (`exits_each`), or an event (`exit_event`).
typedef struct md5_transition_desc {
    const char *from; // name of the state to leave; NULL = any state except `to`
    const char *to;   // name of the target state
    // The conditions. All conditions of at least one alternative must hold. The first alternative
    // that holds is the cause of the transition; its triggers are reset.
    const md5_condition *conditions; // [num_conditions]
    uint32_t num_conditions;
    bool waits; // true: the transition waits for the exit time `exit`
    // Exit time: normalized time of the first clip of `from`. 1 is the end of the clip or of its
    // first cycle. If the clip plays backward, the time is measured from the end of the clip. A
    // state without a motion is always at its exit. A clip that plays once never reaches a time
    // above 1; this causes a warning.
    float exit;
    float duration;    // duration of the fade, seconds; 0 = cut
    md5_fade fade;     // blending method
    md5_easing easing; // easing of a crossfade
    // If true, `to` starts at the position in the cycle at which `from` is, and `start` is ignored.
    // At an exit, the position is the fraction of the exit time: 0 for exit times of 1, 2 and 3. If
    // the conditions hold later than the exit, the position at that time is used.
    bool keeps_phase;
    bool in_step; // if true, `to` starts and plays synchronized with `from`: see below
    float start;  // normalized time at which `to` starts, added to the `start` of its clips
    // Of all transitions that can be taken, the one with the highest priority is taken. If several
    // have the same priority, the first in the table is taken.
    int32_t priority;
    md5_interrupt interrupt;
    // Name of an event, or its name and its text, separated by a space. If not NULL, the exit is
    // each position at which the first clip of `from` has this event. `waits` and `exit` are not
    // used.
    const char *exit_event;
    // If true, the exit is in every cycle, at the normalized time `exit` within the cycle. A
    // transition with exits_each or exit_event is only taken at the instant at which the clip
    // passes the exit. It is not taken while time runs backward, nor at the position at which the
    // state started.
    bool exits_each;
    // in_step: name of the state, `from` or `to`, whose rate both states use. NULL: the rate is the
    // mean of both rates by weight.
    const char *leader;
    uint64_t reserved[2]; // 0
} md5_transition_desc;

// Rules of transitions with in_step, for example from a walk to a run without losing the step:
//
// - During the crossfade, the first clips of both states share one clock. The clips that are
//   synchronized with them (md5_sync) use the same clock.
// - The clock runs from marker to marker. Both clips must have the same number of markers. If
//   neither has markers, the clock is the normalized time.
// - The target state starts at the current position of the clock.
// - The rate of the clock is the mean of the rates of both states by weight, or the rate of the
//   leader.
// - If a transition with in_step interrupts another one, the three or four states that fade over
//   each other share one clock.
// - In an inertial transition, only the start is synchronized, because the old state does not
//   continue to play.
// - The clips must not play once. With markers, they must not play in ping-pong mode.

// A state of a layer.
typedef struct md5_state_desc {
    // Name of the state, and name of the motion that it plays. A motion of NULL means that the
    // state has no pose, so that the layers below are visible.
    const char *name, *motion;
    uint64_t reserved[2]; // 0
} md5_state_desc;

// A layer is a state machine with one current state. Its pose is blended over the pose of the
// previous layers in the table, or added to it. For example, the first layer moves the whole body,
// and a second layer with a mask moves the arms.
typedef struct md5_layer_desc {
    const char *name;
    md5_layer_mode mode;
    // MD5_LAYER_ADD: the reference pose is frame `reference_frame` of the clip `reference`. NULL =
    // the first clip of the state's motion.
    const char *reference;
    uint32_t reference_frame;
    const char *mask;             // joints to which the layer is limited; NULL = all joints
    float weight;                 // weight of the layer, 0 to 1; 0 = 1, MD5_EXPLICIT_ZERO = 0
    const char *weight_parameter; // parameter that is used instead of `weight`; NULL = none
    const md5_state_desc *states; // [num_states]; the layer starts in the first state
    const md5_transition_desc *transitions; // [num_transitions]
    uint32_t num_states, num_transitions;
    md5_easing weight_easing; // easing of weight_parameter, as in md5_motion_item
    uint64_t reserved[4];     // 0
} md5_layer_desc;

// -- One-shots ------------------------------------------------------------------------------

// Behavior of a one-shot clip at its end. A one-shot clip plays once over the layers, such as a
// hit, a wave or a reload. It plays in a slot.
typedef enum md5_one_shot_end {
    MD5_ONE_SHOT_ENDS,  // fades out before the end, so that its weight is 0 at the end
    MD5_ONE_SHOT_HOLDS, // holds the last frame until it is stopped
    MD5_ONE_SHOT_LOOPS, // loops until it is stopped
} md5_one_shot_end;

// A slot: a channel that plays one one-shot clip at a time. It defines the layer over which its
// clips play, and the joints that they move. The members `mode`, `mask`, `layer`, `reference` and
// `reference_frame` are defaults for the members of the same name in md5_one_shot_desc.
typedef struct md5_slot_desc {
    const char *name;
    md5_layer_mode mode; // MD5_LAYER_ADD: adds the difference between the clip and a reference pose
    const char *mask;    // joints that the clips move; NULL = all joints
    // Name of a layer. The clips play over this layer and below the next layer. NULL = over all
    // layers.
    const char *layer;
    // ADD: the reference pose is frame `reference_frame` of the clip `reference`. NULL = the
    // one-shot clip itself.
    const char *reference;
    uint32_t reference_frame;
    uint64_t reserved[2]; // 0
} md5_slot_desc;

// A one-shot clip: an entry in the table of a machine, or an argument of
// md5_player_play_one_shot().
//
// Entries with conditions start without a call of the game. An entry starts when its `conditions`
// hold, its `until` conditions do not hold, and its slot is free. A slot is free in these cases:
//
// - No clip plays in the slot.
// - The clip in the slot has a lower priority. The new clip replaces it.
// - The clip in the slot has started to fade out. This does not count at the instant at which that
//   clip starts.
//
// The conditions of entries are tested in the order of the table, after all layers. An entry that
// starts resets its triggers, as a transition does.
typedef struct md5_one_shot_desc {
    const char *name, *slot, *clip; // names of the entry, its slot and its clip
    // Start conditions and stop conditions. When the stop conditions hold, the clip fades out. An
    // entry without start conditions is only started by the game; an entry without stop conditions
    // ends at the end of its clip or is stopped by the game.
    //
    // md5_player_play_one_shot() does not use these conditions. If `name` is the name of an entry
    // of the machine, the stop conditions of that entry apply.
    const md5_condition *conditions, *until; // [num_conditions], [num_until]
    uint32_t num_conditions, num_until;
    int32_t priority; // an entry replaces a clip with a lower priority in its slot
    // These members have the same meaning as in md5_slot_desc. If a member is 0 or NULL, the member
    // of the slot is used.
    md5_layer_mode mode;
    const char *mask, *layer, *reference;
    uint32_t reference_frame;
    float weight; // weight of the clip, 0 to 1; 0 = 1, MD5_EXPLICIT_ZERO = 0
    // Playback rate; 0 = 1, MD5_EXPLICIT_ZERO = 0: a still pose. If the rate is negative, the clip
    // plays backward from its end.
    float speed;
    // Normalized time at which the clip starts, 0 to 1. If `section` is set, it is the time within
    // the section. In tables, and with a section, it must be below 1. If the clip plays backward,
    // it is measured from the end.
    double start;
    // Durations in seconds of the fade in after the start, and of the fade out before the end or
    // after a stop. 0 means that there is no fade.
    float fade_in, fade_out;
    md5_one_shot_end end;
    // Easings of the fades. The weight is the eased progress of the fade in, or 1 minus the eased
    // progress of the fade out. If an easing exceeds 0 to 1, the weight is clamped to this range.
    md5_easing fade_in_easing, fade_out_easing;
    // Name of the section of the clip in which it starts; NULL = the whole clip. After the section,
    // the clip continues. With MD5_ONE_SHOT_LOOPS, it repeats the section until
    // md5_player_one_shot_section() makes it continue to its end.
    const char *section;
    uint64_t reserved[2]; // 0
} md5_one_shot_desc;

// -- Modifiers ------------------------------------------------------------------------------

// An attached model, such as a weapon in a hand, or another character next to this one. Modifiers
// can use its joints as targets. A machine can have at most MD5_MAX_ATTACHED attached models.
enum { MD5_MAX_ATTACHED = 16 };
typedef struct md5_attached_desc {
    const char *name;
    // Model with the same axes and units as the machine's model. It must outlive the machine.
    const md5_model *model;
    // `file`: path of the .md5mesh file of `model`, if the tables are from a machine file.
    // md5_create_machine() does not use it.
    //
    // `joint`: joint of the machine's model to which the attached model is fixed, in its bind pose.
    // NULL: the game sets the joints of the attached model with md5_player_attach().
    const char *file, *joint;
    uint64_t reserved[2]; // 0
} md5_attached_desc;

// A rotation limit of a joint, such as an elbow that cannot bend backward. It applies to modifiers
// of the kinds TWO_BONE, FABRIK and CCD. The rotation is measured relative to the bind pose. The
// members have the same meaning as in md5_joint_limit (md5pose.h). Each joint can have at most one
// limit.
typedef struct md5_limit_desc {
    const char *joint;
    md5_limit_kind kind;
    md5_vec3 axis;         // axis of the twist, in joint space
    float min, max, swing; // range of the twist and largest swing, radians
    uint64_t reserved[2];  // 0
} md5_limit_desc;

// Kinds of modifiers. A modifier is an operation on the pose after all layers are blended.
// Modifiers are applied in the order of the table. A chain is a joint, called the tip, and some of
// its ancestors.
//
// SPRING, FEET and GAZE are active from the start. All other kinds have no effect until the game
// sets a target with md5_player_target().
typedef enum md5_modifier_kind {
    MD5_MODIFIER_JOINT,    // rotates or moves one joint: md5_modify_joint()
    MD5_MODIFIER_AIM,      // points a chain, such as spine and head, at the target: md5_solve_aim()
    MD5_MODIFIER_TWO_BONE, // moves the tip of an arm or leg to the target: md5_solve_two_bone()
    MD5_MODIFIER_FABRIK,   // moves the tip of any chain to the target: md5_solve_chain()
    MD5_MODIFIER_CCD,      // as FABRIK, with another algorithm: MD5_CHAIN_CCD
    MD5_MODIFIER_SPRING,   // makes a chain, such as hair, lag behind and swing: md5_solve_spring()
    MD5_MODIFIER_FEET,     // places feet on the ground and lowers the pelvis: md5_solve_feet()
    MD5_MODIFIER_GAZE,     // makes a head and eyes look around by themselves: md5_gaze_pose()
} md5_modifier_kind;

// A foot of a modifier of kind MD5_MODIFIER_FEET.
typedef struct md5_foot_desc {
    // Joints of the ankle, the knee and the hip. If `knee` is NULL, it is the parent of the ankle.
    // If `hip` is NULL, it is the parent of the knee. Set both for rigs with other joints in
    // between, as `middle` and `root` in md5_modifier_desc.
    const char *ankle, *knee, *hip;
    uint64_t reserved[2]; // 0
} md5_foot_desc;

// Parameters of a modifier of kind MD5_MODIFIER_GAZE. The gaze starts from the center between the
// eyes in the bind pose. Without eyes, it starts from the position of the head.
typedef struct md5_modifier_gaze {
    const char *eyes[MD5_MAX_EYES]; // names of the eye joints; the first NULL ends the list
    // Parameters of the gaze; max_seconds must be at least min_seconds. The default of `distance`
    // is 100 units of the file: it is multiplied by md5_load_opts.scale.
    md5_gaze_params params;
    uint32_t seed;        // initial random seed of every player: see md5_player_gaze()
    uint64_t reserved[4]; // 0
} md5_modifier_gaze;

// Foot locking: prevents planted feet from sliding while blends and transitions move the animated
// feet. It belongs to a modifier of kind MD5_MODIFIER_FEET.
//
// - The sole of a foot is the point of the ground plane below the toe joint in the bind pose.
// - In a clip, a sole stands while it is within params.height of the ground plane and its speed is
//   at most params.speed. The speed includes the root motion of the clip.
// - A foot is locked at the position of its sole in the world while its sole stands in more than
//   half of the active clips, by weight.
// - If the locked position is farther than params.distance from the animated position of the foot,
//   or if the leg would be stretched, the foot steps to its animated position within params.release
//   seconds.
// - The positions in the world follow from md5_player_root_motion(). If the game moves the
//   character in another way, the locked feet move with the character.
//
// md5/docs/inverse_kinematics.md contains all rules.
enum { MD5_MAX_HELD = 8 };
typedef struct md5_modifier_hold {
    // Names of the toe joints, in the order of md5_modifier_desc.feet. A toe joint is the ankle of
    // its foot or a joint below it. From the first NULL on, the ankles are used. A modifier can
    // lock MD5_MAX_HELD feet; further feet are not locked.
    const char *toes[MD5_MAX_HELD];
    md5_hold_params params;
    uint64_t reserved[4]; // 0
} md5_modifier_hold;

// A target that is a point on a joint, such as the grip of a weapon. The joint must not be moved by
// the modifier that uses the target. The position of the joint is read when the modifier is
// applied, after the layers and the previous modifiers.
typedef struct md5_modifier_point {
    // Name of the joint, and name of the attached model to which the joint belongs. An `attached`
    // of NULL means that the joint belongs to the machine's model.
    const char *joint, *attached;
    md5_vec3 offset;      // position of the point in joint space
    bool aligned;         // if true, the target also has the rotation of the joint
    uint64_t reserved[2]; // 0
} md5_modifier_point;

// A modifier of a machine. The comments of most members begin with the kinds that use the member.
typedef struct md5_modifier_desc {
    const char *name;
    md5_modifier_kind kind;
    // Joint to which the modifier is applied. For chains it is the tip: hand, foot, head, or end of
    // a tail. For FEET it is the pelvis, and for GAZE the head.
    const char *joint;
    // TWO_BONE: `middle` is the elbow or knee, and `root` is the shoulder or hip. NULL: the parent
    // of `joint`, and the parent of `middle`. Set them for rigs with other joints in between.
    // `joint` must be a descendant of `middle`, and `middle` a descendant of `root`. No two of the
    // three joints may have the same position in the bind pose.
    const char *middle, *root;
    // AIM, FABRIK, CCD, SPRING: number of joints of the chain, including the tip; 0 = 2
    uint32_t length;
    md5_joint_space space; // JOINT: space of the rotation and translation
    // AIM: directions and largest rotation. The defaults of `forward` and `up` are (1, 0, 0) and
    // (0, 0, 1) in the space of the tip, for every value of md5_load_opts.axes.
    md5_aim_params aim;
    md5_two_bone_params two_bone; // TWO_BONE: parameters of the solver
    md5_spring_params spring;     // SPRING: parameters of the spring
    const md5_foot_desc *feet;    // FEET: [num_feet]
    uint32_t num_feet;            // FEET: at least 1
    // FEET: time constant with which the feet and the pelvis follow changes of the ground's height,
    // seconds; 0 = 0.1, MD5_EXPLICIT_ZERO = 0: immediately
    float smoothing;
    const md5_modifier_gaze *gaze; // GAZE: parameters; NULL = no eyes, and default parameters
    const md5_modifier_hold *hold; // FEET: foot locking; NULL = feet are not locked
    float weight; // initial weight of each player, 0 to 1; 0 = 1, MD5_EXPLICIT_ZERO = 0: disabled
    // Sources that control the weight while the machine plays; NULL = not used. The weight of the
    // modifier is the weight of its target (md5_target.weight), multiplied by the value of each
    // source that is set:
    //
    // - weight_parameter: value of a parameter, eased by weight_easing as in md5_motion_item.
    // - weight_layer and weight_state: weight of this state of this layer, as in md5_morph_desc.
    // - weight_curve: value of a curve, clamped to 0 to 1: md5_player_curve().
    // - weight_window: weight with which a window is open: md5_player_window().
    //
    // At most one of state, curve and window may be set.
    const char *weight_parameter, *weight_layer, *weight_state, *weight_curve, *weight_window;
    md5_easing weight_easing; // easing of weight_parameter
    // Target on a joint, which is used instead of the members of md5_target; NULL = not used. If
    // the joint is not animated (md5_detail.mask) or its model is not attached, the modifier has no
    // target. Used by AIM, TWO_BONE, FABRIK and CCD, and by JOINT with MD5_JOINT_MODEL_OVERRIDE.
    const md5_modifier_point *target;
    const md5_modifier_point *pole; // TWO_BONE: as `target`, for the pole
    uint64_t reserved[1];           // 0
} md5_modifier_desc;

// Target of a modifier: the values with which the game controls the modifier of one player. See
// md5_player_target(). Initially, `weight` is the weight in the table, `position` is not finite and
// `rotation` is 0 0 0 0, which means that there is no target.
typedef struct md5_target {
    float weight; // weight of the modifier, 0 to 1; 0 disables it. FEET uses only this member.
    // Position of the target in model space. The meaning depends on the kind:
    //
    // - JOINT, AIM, TWO_BONE, FABRIK, CCD: the point that the joint or chain points at or moves to.
    //   If a coordinate is not finite, nothing is moved.
    // - SPRING: position of the character in the world, so that springs react to its movement. The
    //   value (0, 0, 0) means that the position is not used.
    // - GAZE: a point of interest, at which the character looks sometimes. The value (0, 0, 0)
    //   means that there is no such point.
    md5_vec3 position;
    // Rotation of the target. For JOINT and SPRING, (0, 0, 0, 0) means that there is no rotation.
    // For TWO_BONE, it is the rotation of the tip, which is only used if has_rotation is set.
    md5_quat rotation;
    bool has_rotation;    // TWO_BONE: `rotation` is used
    md5_vec3 pole;        // TWO_BONE: model-space point towards which the knee or elbow bends
    bool has_pole;        // TWO_BONE: `pole` is used; if false, the limb bends as in the animation
    uint64_t reserved[2]; // 0
} md5_target;

// -- Morph targets --------------------------------------------------------------------------

// Sources of the weight of a morph target. A morph target is a shape of the model, such as a facial
// expression (md5skin.h). A machine only computes weights: it refers to morph targets by name, and
// md5_player_morphs() returns the weights.
typedef enum md5_morph_drive {
    MD5_MORPH_BY_PARAMETER, // value of a parameter, clamped to a magnitude of 1 million
    MD5_MORPH_BY_STATE,     // weight of a state: 1 while only this state of the layer plays
    MD5_MORPH_BY_CLIP,      // value of keys over the frames of a clip, times the weight of the clip
    MD5_MORPH_BY_CURVE,     // value of a curve: md5_player_curve()
    MD5_MORPH_BY_WINDOW,    // weight of a window: md5_player_window()
} md5_morph_drive;

// A source of the weight of one morph target. Several entries may have the same target; the weight
// of the target is then the sum of their values.
//
// The weight of a state, a clip or a one-shot clip is its weight within its layer, including fades,
// multiplied by the weight of the layer. Layers above do not reduce it, and masks have no effect.
typedef struct md5_morph_desc {
    const char *target; // name of the morph target
    md5_morph_drive drive;
    const char *parameter;     // BY_PARAMETER: name of the parameter
    const char *layer, *state; // BY_STATE: names of the layer and the state
    const char *clip;          // BY_CLIP: name of the clip
    const md5_morph_key *keys; // BY_CLIP: [num_keys]; the value is linear between keys
    uint32_t num_keys;         // BY_CLIP: at least 1
    float weight; // factor of the value, magnitude at most 1 million; 0 = 1, MD5_EXPLICIT_ZERO = 0
    const char *curve;    // BY_CURVE: name of the curve
    const char *window;   // BY_WINDOW: name of the window
    uint64_t reserved[2]; // 0
} md5_morph_desc;

// -- Machines -------------------------------------------------------------------------------

// Opaque: the locations of the tokens of a machine file.
typedef struct md5_locations md5_locations;

enum { MD5_MAX_ONE_SHOTS = 64 }; // largest number of slots of a machine

// Selects the reports of a machine: the kinds of events that players create in addition to the
// events of clips. md5_event_kind explains each kind. Kinds that are not selected cost nothing.
typedef struct md5_report_desc {
    bool enter, leave, transition_end, clip_end;
    uint64_t reserved[2]; // 0
} md5_report_desc;

// The tables of a machine. A name must be unique within its table; clips and motions share one
// table of names. md5_create_machine() copies the tables and their strings. It does not copy the
// model and the bindings, which must outlive the machine.
//
// Each table has a number of entries: `clips` has num_clips entries, `masks` has num_masks entries,
// and so on. A table without entries may be NULL.
typedef struct md5_machine_desc {
    const char *name;       // name of the machine
    const md5_model *model; // model of the characters that the machine animates
    const md5_clip_desc *clips;
    const md5_mask_desc *masks;
    const md5_parameter_desc *parameters;
    const md5_motion_desc *motions;
    const md5_layer_desc *layers;
    const md5_modifier_desc *modifiers;
    const md5_follow_desc *follows;
    const md5_morph_desc *morphs;
    const md5_attached_desc *attached;
    const md5_limit_desc *limits;
    uint32_t num_clips, num_masks, num_parameters, num_motions, num_layers, num_modifiers;
    uint32_t num_follows, num_morphs;
    md5_report_desc report;
    // Locations of the tokens in the machine file, which are used in messages. NULL for C tables. A
    // program may replace tables or entries of a machine file; these have no location.
    const md5_locations *locations;
    // Number of slots for one-shot clips, at most MD5_MAX_ONE_SHOTS. 0 means num_slots, or 4 if
    // num_slots is 0. The slots of the table are the first slots; the remaining slots have no name.
    uint32_t max_one_shots, num_slots, num_one_shots;
    uint32_t num_attached; // at most MD5_MAX_ATTACHED
    uint32_t num_limits;
    const md5_slot_desc *slots;
    const md5_one_shot_desc *one_shots;
    uint64_t reserved[3]; // 0
} md5_machine_desc;

// A machine, created by md5_create_machine(). It is read-only.
typedef struct md5_machine md5_machine;

// Creates a machine from tables: checks them, resolves the names, and prepares all data that
// players need. Free the machine with md5_destroy_machine(), after its players.
//
// On failure returns NULL. If the tables are from a machine file, the error contains the file, line
// and column of the token. If they are C tables, the line is 0, and the file is opts->file_name.
// The error is one of the following:
//
// - MD5_ERROR_MISSING: the model or a binding is NULL.
// - MD5_ERROR_MISMATCH: a name is unknown or duplicate; a binding belongs to another model; or
//   clips cannot be synchronized. The name of an event in a condition is unknown if no clip has the
//   event; the name of an event in exit_event is unknown if the first clip of the state that is
//   left does not have the event.
// - MD5_ERROR_RANGE: a number is not finite or out of range; a clip does not have a frame;
//   conditions and exits contain more than 64 different names of events; or a motion consists of
//   more than 4096 other motions. A motion that is used several times counts once for each use.
// - MD5_ERROR_SYNTAX: the joint list of a mask is invalid.
//
// The function warns about exits that are never reached. It uses the members file_name, allocator,
// warn, warn_user and max_warnings of `opts`.
//
// Time and memory are linear in the size of the tables, plus the following terms:
//
// - for each mask: the number of joints, clips and layers;
// - for each added item or state: the number of joints;
// - for each state: the number of motions of which its motion consists, counted for each use;
// - for all clips: the number of frames times the number of joints, and times the number of locked
//   feet.
MD5_PLAY_API md5_machine *md5_create_machine(const md5_machine_desc *desc,
                                             const md5_load_opts *opts, md5_error *error);

// Frees a machine. Its players must be freed before. `machine` may be NULL.
MD5_PLAY_API void md5_destroy_machine(md5_machine *machine);

// These functions return the index of an entry, which the functions of md5play.h use. They return
// MD5_NONE if no entry has this name or `name` is NULL. They take time linear in the size of the
// table, so call them once and store the indices. `layer` is an index from md5_find_layer().
//
// The index of a parameter, clip, layer, state, modifier, slot or one-shot clip is its position in
// the table. Windows and curves are tables of the clips; all windows (or curves) with the same name
// have one index. These indices are not contiguous.
MD5_PLAY_API uint32_t md5_find_parameter(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_clip(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_layer(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_state(const md5_machine *machine, uint32_t layer, const char *name);
MD5_PLAY_API uint32_t md5_find_modifier(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_slot(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_one_shot(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_window(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_curve(const md5_machine *machine, const char *name);

// Returns the index of a parameter that the program requires. Use this function instead of
// md5_find_parameter() to detect spelling mistakes early. If the parameter does not exist, debug
// builds stop the program with a message that contains its name; release builds return MD5_NONE.
MD5_PLAY_API uint32_t md5_require_parameter(const md5_machine *machine, const char *name);

// md5_machine_num_morphs() returns the number of morph targets whose weights the machine computes.
// md5_machine_morph_name() returns the name of one of them, or NULL if the index is invalid; the
// string is owned by the machine. Morph targets are numbered in the order in which they first occur
// in md5_machine_desc.morphs. md5_player_morphs() writes the weights in the same order.
MD5_PLAY_API uint32_t md5_machine_num_morphs(const md5_machine *machine);
MD5_PLAY_API const char *md5_machine_morph_name(const md5_machine *machine, uint32_t morph);

// Returns the speed of an item of a motion of kind MD5_MOTION_BY_SPEED, in units/s. If the
// parameter has this value, only this item plays. `motion` is the position of the motion in
// md5_machine_desc.motions. Returns 0 if the motion has another kind or an index is invalid.
MD5_PLAY_API float md5_machine_item_speed(const md5_machine *machine, uint32_t motion,
                                          uint32_t item);

// Returns a hash of the machine. The state of a player (md5_player_save()) can be restored by any
// machine with the same fingerprint. The hash includes the tables without file names, the names and
// parents of the joints, and the frame counts and rates of the clips.
MD5_PLAY_API uint64_t md5_machine_fingerprint(const md5_machine *machine);

// Returns the machine's copy of the tables from which it was created. Viewers and debuggers use it
// to display names. The result is valid until the machine is freed.
MD5_PLAY_API const md5_machine_desc *md5_machine_tables(const md5_machine *machine);

// -- Machine files --------------------------------------------------------------------------

// A parsed machine file: a text file that contains the tables of a machine.
// md5/play/machine_files.md describes the format. `clips` and `attached` are the tables desc.clips
// and desc.attached, which may be changed.
//
// md5_load_character() (md5play.h) creates a machine from a machine file in one call. To do the
// same in separate steps:
//
// - Load the model `model_file` and set desc.model.
// - Load the `file` of each clip, bind the animation to the model (md5_bind()), and set the
//   `binding` of the clip.
// - Load the `file` of each attached model and set its `model`.
// - Call md5_create_machine() with `desc`.
typedef struct md5_machine_file {
    md5_machine_desc desc;
    md5_clip_desc *clips;        // [desc.num_clips]
    md5_attached_desc *attached; // [desc.num_attached]
    const char *model_file;      // path of the .md5mesh file of the model; "" if missing
    uint32_t num_warnings;       // number of warnings
    md5_internal internal;
} md5_machine_file;

// md5_load_machine_file() reads a machine file; md5_parse_machine_file() parses the text of a
// machine file in memory, `size` bytes. Both follow the rules of md5_load_model() for options and
// errors, and return NULL on failure. Free the result with md5_free_machine_file().
//
// These functions do not resolve the names in the tables; md5_create_machine() does. A program may
// therefore change the tables before it calls md5_create_machine(). If the file contains the number
// 0 for a member whose default is not 0, the member is MD5_EXPLICIT_ZERO.
MD5_PLAY_API md5_machine_file *md5_load_machine_file(const char *path, const md5_load_opts *opts,
                                                     md5_error *error);
MD5_PLAY_API md5_machine_file *md5_parse_machine_file(const void *text, size_t size,
                                                      const md5_load_opts *opts, md5_error *error);
MD5_PLAY_API void md5_free_machine_file(md5_machine_file *file);

// Writes the tables of a machine as the text of a machine file, followed by a NUL, to text[size].
// Returns the length of the text, without the NUL; pass NULL and 0 to get only the length. Takes
// time linear in the size of the tables.
//
// `model_file` is the path of the model that is written; NULL = none. A clip without a `file` is
// written with the file name "".
//
// Parsing the text results in bit-identical tables, and in a machine with the same fingerprint.
// There are two exceptions:
//
// - The weight 0 of an item means 1, and is parsed as 1.
// - A `start` with more than 15 digits may differ by 4 units of its last digit.
//
// Returns 0 with MD5_ERROR_MISMATCH if the tables contain data that a file cannot represent:
//
// - a value of max_one_shots;
// - a number that is not finite;
// - a number together with a parameter that replaces it;
// - an exit without `waits`, or a frame without the clip to which it belongs;
// - members that are only used by another kind of entry;
// - a name that contains both kinds of quotes or a line break;
// - a joint list of a mask that contains a bracket or a comment outside quotes.
MD5_PLAY_API size_t md5_write_machine(const md5_machine_desc *desc, const char *model_file,
                                      char *text, size_t size, md5_error *error);

#ifdef __cplusplus
}
#endif

#endif
