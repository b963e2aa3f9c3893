// md5machine: defines the state machine of a character: its clips, states, transitions and
// everything else that controls its animation. The definition is written as C tables or as a text
// file, called a machine file.
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
// - Slots and one-shot clips: a one-shot clip plays once over the layers, such as a hit or a wave.
//   It plays in a slot, which plays one such clip at a time.
// - Modifiers: operations on the blended pose, such as inverse kinematics.
// - Morph targets: weights of facial expressions and other shapes.
//
// Defaults: MD5_INIT initializes a structure with all defaults. If the default of a member is not
// 0, the comment of the member contains the default; MD5_EXPLICIT_ZERO then selects the value 0.
// Use designated initializers for the entries of tables, because entries end with reserved members.
//
// Terms: in these comments, "the first clip" of a state or motion is its only clip or, if it has
// several, the clip of its first item. A weight, usually from 0 to 1, is the strength of an effect.
//
// Times are in seconds. The normalized time of a clip runs from 0 to 1 over one cycle; a time above
// 1 counts cycles, so 2.5 is the middle of the third cycle. Frame numbers start at 0 everywhere: in
// tables, in machine files and in messages.
//
// Example: a character stands, and walks while the parameter "speed" is above 0. A machine file
// that defines this machine is:
//
//   machine imp {
//       model imp.md5mesh
//       float speed
//       clip stand stand.md5anim
//       clip walk  walk.md5anim
//       layer body {
//           state standing stand
//           state walking  walk
//           transition standing walking { when speed > 0   duration 0.2 }
//           transition walking standing { when speed <= 0  duration 0.2 }
//       }
//   }
//
// These tables in C define the same machine. `stand` and `walk` are bindings of the two animations
// to the model:
//
//   md5_clip_desc clips[2] = MD5_INIT;
//   clips[0].name = "stand";
//   clips[0].binding = stand;
//   clips[1].name = "walk";
//   clips[1].binding = walk;
//   md5_parameter_desc speed = MD5_INIT;
//   speed.name = "speed";
//   md5_state_desc states[2] = MD5_INIT;
//   states[0].name = "standing";
//   states[0].motion = "stand";
//   states[1].name = "walking";
//   states[1].motion = "walk";
//   md5_condition has_speed = MD5_INIT, has_no_speed = MD5_INIT;
//   has_speed.parameter = has_no_speed.parameter = "speed";
//   has_speed.compare = MD5_IS_GREATER;      // compares with the member `value`, which is 0
//   has_no_speed.compare = MD5_IS_AT_MOST;
//   md5_transition_desc transitions[2] = MD5_INIT;
//   transitions[0].from = transitions[1].to = "standing";
//   transitions[0].to = transitions[1].from = "walking";
//   transitions[0].conditions = &has_speed;
//   transitions[1].conditions = &has_no_speed;
//   transitions[0].num_conditions = transitions[1].num_conditions = 1;
//   transitions[0].duration = transitions[1].duration = 0.2f;
//   md5_layer_desc body = MD5_INIT;
//   body.name = "body";
//   body.states = states;                    // a player starts in the first state
//   body.transitions = transitions;
//   body.num_states = body.num_transitions = 2;
//   md5_machine_desc desc = MD5_INIT;
//   desc.name = "imp";
//   desc.model = model;
//   desc.clips = clips;
//   desc.parameters = &speed;
//   desc.layers = &body;
//   desc.num_clips = 2;
//   desc.num_parameters = desc.num_layers = 1;
//   md5_machine *machine = md5_create_machine(&desc, NULL, &error);
#ifndef MD5MACHINE_H
#define MD5MACHINE_H

#include "md5curve.h" // installed in the same folder
#include "md5pose.h"

#ifdef __cplusplus
extern "C" {
#endif

// -- Clips ----------------------------------------------------------------------------------

// Behavior of a clip at its end. For a clip that plays backward, the end is its first frame.
typedef enum md5_play_mode {
    MD5_PLAY_LOOP, // The clip starts again from its first frame.
    // The clip continues to show the last frame, or the first frame if it plays backward.
    MD5_PLAY_ONCE,
    // The clip plays forward, then backward. One cycle consists of both directions.
    MD5_PLAY_PING_PONG,
} md5_play_mode;

// Selects the duration of one cycle of a looping clip. It depends on how the clip was exported.
typedef enum md5_period {
    // The last frame repeats the first frame, as in id's engine. A cycle lasts (num_frames - 1) /
    // rate.
    MD5_PERIOD_CLOSED,
    // After the last frame, the clip continues with the first frame. A cycle lasts num_frames /
    // rate.
    MD5_PERIOD_OPEN,
} md5_period;

// Selects the root motion of a clip: the part of the motion of joint 0 that moves the character
// through the world instead of moving it within its pose. md5_player_pose() omits this part, and
// md5_player_root_motion() returns it.
typedef enum md5_root_extraction {
    // The clip has no root motion: the pose contains the whole motion that the file stores.
    MD5_ROOT_EXTRACTION_NONE,
    MD5_ROOT_EXTRACTION_MOVE, // The root motion is the translation along all three axes.
    // The root motion is the translation along x and y. The motion along z, such as a jump, remains
    // in the pose.
    MD5_ROOT_EXTRACTION_WALK,
    // The root motion is the translation along x and y, and the rotation around z (yaw).
    MD5_ROOT_EXTRACTION_TURN,
} md5_root_extraction;

// The kind of an event that the program's event function (md5_event_fn in md5play.h) receives. The
// events of clips, and the windows of clips (events with a duration), are defined in the tables of
// the clips. The other kinds are called reports: the player creates them if md5_machine_desc.report
// enables them.
typedef enum md5_event_kind {
    // A clip reaches a frame for which its table contains an event.
    MD5_EVENT_CLIP,
    MD5_EVENT_ENTER, // A layer changes to a state, which starts. This is a report.
    // A transition or an immediate change from one state to another starts. This is a report.
    MD5_EVENT_LEAVE,
    // A state has faded in completely. After an immediate change, this is reported immediately.
    // This is a report.
    MD5_EVENT_TRANSITION_END,
    // A clip reaches its end, or the end of a cycle. This is a report.
    MD5_EVENT_CLIP_END,
    MD5_EVENT_BEGIN, // A clip opens a window (an event with a duration) of its table.
    MD5_EVENT_END,   // A clip closes a window of its table.
} md5_event_kind;

// An event at a frame of a clip, such as a footstep. The structure has two uses. In the table of a
// clip, it defines an event; set only `frame`, `name` and `text`. As the argument of the event
// function md5_event_fn, it describes an event of any kind that has just happened.
typedef struct md5_event {
    // Index of the frame at which the event happens. 0 is the first frame of the clip.
    uint32_t frame;
    // `name` is the name of the event, such as "footstep". `text` is an argument for the program,
    // such as "left"; NULL and "" mean that the event has no argument.
    const char *name, *text;
    // Kind of the event; 0 in tables. The kind determines the meaning of the other members:
    //
    //   kind, without MD5_EVENT_      name           text               frame      layer  index
    //   CLIP                          of the event   of the event       its frame  0      clip
    //   BEGIN, END                    of the window  of the window      its frame  0      clip
    //   ENTER, LEAVE, TRANSITION_END  of the state   name of its layer  0          layer  state
    //   CLIP_END                      of the clip    ""                 0          0      clip
    md5_event_kind kind;
    // Index of the layer, and index of the clip in the machine or of the state in its layer: see
    // the table above. In tables of clips, both are 0.
    uint32_t layer, index;
    uint64_t reserved[2]; // must be 0
} md5_event;

// An event with a duration, for example the frames of a sword stroke in which the sword can hit.
// The window is open from frame `first` to frame `last`, or from `last` to `first` if the clip
// plays backward. It also closes at the end of a cycle of the clip. md5_player_window() returns the
// weight with which it is open.
typedef struct md5_window {
    // `name` is the name of the window, such as "hit". `text` is an argument for the program, such
    // as "sword"; NULL and "" mean that the window has no argument.
    const char *name, *text;
    // First and last frame of the clip at which the window is open. `first` must not be larger than
    // `last`.
    uint32_t first, last;
    uint64_t reserved[2]; // must be 0
} md5_window;

// A key of an animated number (md5_clip_curve or md5_morph_desc). It defines the value of the
// number at one frame of a clip.
typedef struct md5_morph_key {
    uint32_t frame; // frame of the clip, which must be larger than the frame of the previous key
    // Value at this frame, with a magnitude of at most 1 million. For a morph target, the value is
    // its weight.
    float weight;
    uint64_t reserved[2]; // must be 0
} md5_morph_key;

// A number that is animated over the frames of a clip, for example the brightness of an effect or
// the weight of a morph target. md5_player_curve() returns its current value.
//
// At whole frames, the value is interpolated between the two neighboring keys with `easing`.
// Between two frames, the value changes linearly. Before the first key, the value is equal to the
// first key. After the last key, it is equal to the last key.
typedef struct md5_clip_curve {
    // Name of the curve, unique in a clip. Several clips may have a curve with the same name.
    const char *name;
    const md5_morph_key *keys; // [num_keys] values at some frames, by ascending frame
    uint32_t num_keys;         // number of keys, at least 1
    md5_easing easing;         // course of the value between two keys
    uint64_t reserved[2];      // must be 0
} md5_clip_curve;

// A section is a named range of frames of a clip, for one-shot clips (clips that play once over the
// other animations). A one-shot clip can start in a section, jump to a section, or repeat a
// section, for example to reload any number of shells. The sections of a clip may touch and
// overlap.
typedef struct md5_section {
    const char *name;
    uint32_t first, last; // first and last frame of the section, first < last
    uint64_t reserved[2]; // must be 0
} md5_section;

// A clip: an animation, and the information that a machine adds to it.
typedef struct md5_clip_desc {
    const char *name;
    // The animation, bound to the machine's model. The binding must exist as long as the machine.
    const md5_binding *binding;
    // Path of the .md5anim file of `binding`, if the tables were read from a machine file.
    // md5_create_machine() ignores it.
    const char *file;
    md5_period period;                   // duration of one cycle if the clip loops
    md5_interpolation interpolation;     // method of interpolation between two frames
    md5_root_extraction root_extraction; // part of the motion of joint 0 that moves the character
    const md5_event *events;             // [num_events] events at frames of the clip, in any order
    uint32_t num_events;
    // [num_markers] The markers of the clip: frames that correspond to each other in similar clips,
    // in ascending order, such as the frames at which the left and the right foot land. If clips
    // are synchronized by markers (MD5_SYNC_MARKERS or md5_transition_desc.in_step), they reach
    // marker i at the same time.
    const uint32_t *markers;
    uint32_t num_markers, num_sections, num_windows, num_curves;
    // [num_sections] ranges of frames in which a one-shot clip can start or repeat
    const md5_section *sections;
    const md5_window *windows;    // [num_windows] events with a duration
    const md5_clip_curve *curves; // [num_curves] numbers that are animated over the frames
    uint64_t reserved[3];         // must be 0
} md5_clip_desc;

// A named set of joints with weights. A layer, an item of a stack or a one-shot clip that has a
// mask moves only the joints of the mask. `joints` and `feather` are the arguments of
// md5_build_mask().
typedef struct md5_mask_desc {
    // Name of the mask, and the list of its joints, such as "*spine_2 -*hand_l".
    const char *name, *joints;
    // Number of hierarchy levels below a listed joint over which the weight increases to 1, so that
    // the border of the mask is soft. If 0, the weight of each listed joint is 1.
    uint32_t feather;
    uint64_t reserved[2]; // must be 0
} md5_mask_desc;

// -- Parameters -----------------------------------------------------------------------------

// The kind of a parameter. A parameter is a number that the game sets with md5_player_set(), such
// as the speed of the character. Conditions of transitions, playback speeds, weights and blend
// spaces can depend on it.
typedef enum md5_parameter_kind {
    MD5_PARAMETER_FLOAT, // the parameter is any number
    MD5_PARAMETER_BOOL,  // the parameter is 0 or 1
    // A bool that causes one transition, such as "jump". The game sets the trigger. When a
    // transition that has the trigger in its conditions is taken, it resets the trigger. If several
    // layers have such a transition, each layer can take one transition with the trigger at the
    // same instant.
    MD5_PARAMETER_TRIGGER,
} md5_parameter_kind;

// A parameter of a machine.
typedef struct md5_parameter_desc {
    const char *name;
    md5_parameter_kind kind;
    float value;          // value in a new player and after md5_player_reset()
    uint64_t reserved[2]; // must be 0
} md5_parameter_desc;

// Selects how a smoothed float parameter approaches the value that the game has set with
// md5_player_set().
typedef enum md5_follow_kind {
    // The parameter approaches the value exponentially, with the rate `rate`, as computed by
    // md5_smoothing_fraction().
    MD5_FOLLOW_SMOOTH,
    // The parameter moves like a spring with `stiffness` and `damping`, as computed by
    // md5_spring_damp().
    MD5_FOLLOW_SPRING,
    // The parameter moves along `easing` and reaches the value after `duration` seconds. The
    // movement starts at the value at the time of the change.
    MD5_FOLLOW_EASE,
} md5_follow_kind;

// Smooths one parameter: after the game sets the parameter, its value approaches the new value
// gradually. A parameter without such an entry changes immediately.
//
// - While time runs forward, the smoothed value depends only on the time since the change, not on
//   the lengths of the steps of md5_player_advance().
// - md5_player_advance() divides a step into parts where something changes (see md5play.h). Within
//   a part, rates and weights use the exact mean of the smoothed value. A condition changes at the
//   instant at which the smoothed value passes the value of the condition.
// - md5_player_get() returns the smoothed value at the end of the step. In an event callback, it
//   returns the value at the end of the current part of the step.
// - md5_player_reset() sets the smoothed value to the initial value of the parameter.
typedef struct md5_follow_desc {
    // Name of a float parameter. A machine can have at most one entry per parameter.
    const char *parameter;
    md5_follow_kind kind;
    // Rate at which the parameter approaches its new value, in 1/s, above 0. Only MD5_FOLLOW_SMOOTH
    // uses it.
    float rate;
    // Stiffness of the spring, in 1/s^2, above 0, and its damping, in 1/s, at least 0. Only
    // MD5_FOLLOW_SPRING uses them.
    float stiffness, damping;
    float duration; // Duration of the change, in seconds, at least 0. Only MD5_FOLLOW_EASE uses it.
    // Course of the change. Only MD5_FOLLOW_EASE uses it. The members x1 and x2 of a cubic Bézier
    // easing must be from 0 to 1; this applies to all easings in the tables of a machine.
    md5_easing easing;
    uint64_t reserved[4]; // must be 0
} md5_follow_desc;

// -- Motions --------------------------------------------------------------------------------

// The kind of a motion. A motion is a source of poses: it produces a pose from one or more clips.
// For each clip there is also a predefined motion with the same name, which loops the clip at speed
// 1. All kinds except MD5_MOTION_CLIP combine other motions, called items. An item must be defined
// before the motion that contains it.
typedef enum md5_motion_kind {
    // The motion plays one clip with its play mode, start and speed.
    MD5_MOTION_CLIP,
    // Blend space on a line. Each item has a position x on the line, and a parameter selects a
    // position. The two items next to the selected position are blended. The nearer an item is to
    // the position, the larger is its weight: the weights are linear.
    MD5_MOTION_BLEND_1D,
    // Blend space in a plane. Each item has a position (x, y), and two parameters select a
    // position. The weights of the items are gradient band weights (Johansen 2009, section 6.3).
    // The result does not depend on the order in the table: items are blended in the order of
    // ascending x, and of ascending y if x is equal.
    MD5_MOTION_BLEND_2D,
    // Stack of poses. The first item is the base pose. Each following item is blended over the
    // result of the previous items, or added to it.
    MD5_MOTION_STACK,
    // Blend space on a line in which the position of each item is the speed of its root motion, so
    // that feet do not slide. The rules are explained below.
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
//   parameter. If the items are synchronized, their common rate is chosen together with the
//   weights.
// - If the parameter is below the speed of the slowest item or above the speed of the fastest item,
//   that item plays at its own speed.
// - The member `speed` of the motion is a further factor of the speed. If the motion is an item of
//   a synchronized motion, the rate of the enclosing motion is used instead.

// Selects how the items of a blend space are synchronized, for example so that the feet of a walk
// and of a run touch the ground at the same time. The setting applies to the clips of all items,
// including the clips of nested blend spaces and of the first items of stacks. These clips must
// loop. With MD5_SYNC_MARKERS, they must not play in ping-pong mode.
typedef enum md5_sync {
    MD5_SYNC_NONE, // The clips are not synchronized: each clip plays at its own rate.
    // All clips have the same normalized time (fraction of their cycle). Their common rate is the
    // mean of their rates, weighted by the weights of the items.
    MD5_SYNC_PHASE,
    // The same as MD5_SYNC_PHASE, but the clips also reach their markers (md5_clip_desc.markers) at
    // the same time. All clips must have the same number of markers.
    MD5_SYNC_MARKERS,
} md5_sync;

// Selects how a pose is combined with the pose below it. The pose below is the result of the
// previous items of a stack or of the previous layers.
typedef enum md5_layer_mode {
    // The result is interpolated between the pose below and this pose, by the weight.
    MD5_LAYER_OVERRIDE,
    // The difference between this pose and a reference pose is added to the pose below.
    MD5_LAYER_ADD,
} md5_layer_mode;

// An item of a blend space or of a stack: a motion, and its position or its weight.
typedef struct md5_motion_item {
    const char *motion; // name of the motion, or of a clip
    // Position of the item in a blend space. On a line, `x` must ascend from item to item. For
    // MD5_MOTION_BY_SPEED, both must be 0.
    float x, y;
    // Operation that combines the item with the items before it. This member and all following
    // members have an effect only in stacks, and not for the first item of a stack.
    md5_layer_mode mode;
    // Name of a mask: the item affects only the joints of this mask. If NULL, it affects all
    // joints.
    const char *mask;
    // Weight of the item, 0 to 1. The value 0 means 1; MD5_EXPLICIT_ZERO means 0.
    float weight;
    // Name of a parameter whose value is the weight, instead of `weight`. If NULL, `weight` is
    // used.
    const char *weight_parameter;
    // For MD5_LAYER_ADD, `reference` is the name of the clip that contains the reference pose, and
    // `reference_frame` is the frame of this pose. If NULL, the reference pose is in the first clip
    // of the item's motion.
    const char *reference;
    uint32_t reference_frame;
    // Easing that is applied to the value of weight_parameter; the result is the weight. The value
    // and the weight are both clamped to 0 to 1. For example, if a parameter is smoothed by
    // MD5_FOLLOW_EASE with a linear easing and the game sets it to 1, the item fades in along
    // weight_easing. It has no effect without weight_parameter.
    md5_easing weight_easing;
    uint64_t reserved[4]; // must be 0
} md5_motion_item;

// A motion: a source of poses. See md5_motion_kind for the kinds of motions.
typedef struct md5_motion_desc {
    const char *name;
    md5_motion_kind kind;
    const char *clip;   // name of the clip; only MD5_MOTION_CLIP uses it
    md5_play_mode mode; // behavior at the end of the clip; only MD5_MOTION_CLIP uses it
    // Normalized time at which the clip starts: 0 is its start, 1 its end. Only MD5_MOTION_CLIP
    // uses it.
    double start;
    // Factor of the playback rate. The value 0 means 1; MD5_EXPLICIT_ZERO means 0, which shows a
    // still pose.
    float speed;
    // Name of a parameter by which `speed` is multiplied. If NULL, `speed` is not multiplied.
    const char *speed_parameter;
    // Names of the parameters that select the position in a blend space. x_parameter is used by all
    // blend spaces, y_parameter only by MD5_MOTION_BLEND_2D.
    const char *x_parameter, *y_parameter;
    md5_sync sync; // synchronization of the clips of the items, for blend spaces
    // [num_items] The motions that this motion combines. MD5_MOTION_CLIP does not use them.
    const md5_motion_item *items;
    uint32_t num_items;
    uint64_t reserved[4]; // must be 0
} md5_motion_desc;

// -- States and transitions -----------------------------------------------------------------

// Selects how the pose changes from the old state to the new state during a transition.
typedef enum md5_fade {
    // Crossfade. Both states play, and their poses are blended. The weight of the new state follows
    // the easing, clamped to 0 to 1.
    MD5_FADE_CROSS,
    // Inertial transition. Only the new state plays. The difference between its pose and the last
    // pose of the old state is added to its pose, so that the pose does not jump. The difference
    // decays to 0 during the transition.
    MD5_FADE_INERTIAL,
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

// Selects how a condition compares a parameter or a time. "The value" is md5_condition.value.
typedef enum md5_comparison {
    // True if a bool or trigger is set, or if a float is not 0.
    MD5_IS_SET,
    // True if a bool or trigger is not set, or if a float is 0.
    MD5_IS_CLEAR,
    MD5_IS_LESS,     // true if the number is less than the value
    MD5_IS_GREATER,  // true if the number is greater than the value
    MD5_IS_AT_MOST,  // true if the number is less than or equal to the value
    MD5_IS_AT_LEAST, // true if the number is greater than or equal to the value
} md5_comparison;

// The kind of a condition, which a transition or a one-shot clip must satisfy to start.
//
// Conditions on times (MD5_WHEN_STATE_TIME and MD5_WHEN_TIME_LEFT) must use the comparisons
// MD5_IS_LESS, MD5_IS_GREATER, MD5_IS_AT_MOST or MD5_IS_AT_LEAST. For times, MD5_IS_LESS is the
// same as MD5_IS_AT_MOST, and MD5_IS_GREATER is the same as MD5_IS_AT_LEAST. For example, when a
// state has been active for 2 seconds, both "state time > 2" and "state time >= 2" hold. When 0.3
// seconds are left until the end of a clip, both "time left < 0.3" and "time left <= 0.3" hold.
typedef enum md5_condition_kind {
    // The condition compares the value of a parameter.
    MD5_WHEN_PARAMETER,
    // The condition compares the seconds since the start of the state that the transition leaves.
    MD5_WHEN_STATE_TIME,
    // The condition compares the seconds that remain, at the current playback rate, until the first
    // clip of the state ends or, if the clip loops, until its cycle ends. The time is 0 for a state
    // without a motion. The condition is false while time runs backward.
    MD5_WHEN_TIME_LEFT,
    // The condition is true at the instant at which a clip or one-shot clip of the player fires an
    // event; `compare` must be MD5_IS_SET. A state or one-shot clip that starts at this instant
    // does not react to the event. No condition reacts to the events of a clip that it starts
    // itself. Initial states, and values that the game sets, count as earlier than the events of
    // the same instant.
    MD5_WHEN_EVENT,
} md5_condition_kind;

// A condition of a transition or one-shot clip. A table of conditions is divided into alternatives.
// The whole table is true if at least one alternative is true, and an alternative is true if all
// its conditions are true.
typedef struct md5_condition {
    // Name of the parameter. For MD5_WHEN_EVENT, this is the name of the event, or its name and its
    // text, separated by a space. Conditions on times do not use this member.
    const char *parameter;
    md5_comparison compare;
    float value; // value with which the number is compared
    md5_condition_kind kind;
    // Upper limit of a random time, which only MD5_WHEN_STATE_TIME uses. If this member is not 0,
    // the time is compared with a random number between `value` and `longest` instead of `value`,
    // for example to let a character blink. A new number is drawn each time a state starts,
    // separately for each condition: see md5_player_seed().
    float longest;
    // If true, this condition starts a new alternative, so it is combined with the previous
    // conditions by "or". If false, it is combined with the condition before it by "and", which has
    // the higher precedence. The first condition of a table always starts an alternative.
    bool begins_alternative;
    uint64_t reserved[1]; // must be 0
} md5_condition;

// Selects which transitions may interrupt a transition while it is active. The interrupted
// transition continues to be blended below the new transition, so that the pose does not jump. If
// more than four states of a layer are active at a time, the poses of the two oldest states are
// frozen: their clips do not continue to play.
typedef enum md5_interrupt {
    // Every transition that leaves the target state, and every transition from any state (`from` is
    // NULL).
    MD5_INTERRUPT_ANY,
    // The same transitions as for MD5_INTERRUPT_ANY, if their priority is higher than the active
    // transition's priority.
    MD5_INTERRUPT_HIGHER,
    MD5_INTERRUPT_NONE, // no transition may interrupt it
} md5_interrupt;

// A transition between two states of a layer. It is taken when its conditions are true. It can also
// wait until the first clip of the state `from` reaches an exit, for example until a foot lands.
// There are three kinds of exits: a time (`waits` and `exit`), a time in every cycle
// (`exits_each`), or each position of an event (`exit_event`).
typedef struct md5_transition_desc {
    // Name of the state from which the transition leads. If NULL, the transition leads from any
    // state except `to`.
    const char *from;
    const char *to; // name of the state to which the transition leads
    // [num_conditions] The conditions of the transition, divided into alternatives (see
    // md5_condition). All conditions of at least one alternative must be true. The first such
    // alternative causes the transition, and its triggers are reset.
    const md5_condition *conditions;
    uint32_t num_conditions;
    // If true, the transition waits until the first clip of `from` reaches the time `exit`.
    bool waits;
    // Exit time, as normalized time of the first clip of `from`: 1 is the end of the clip or of its
    // first cycle. If the clip plays backward, the time is measured from the end of the clip. A
    // state without a motion is always at its exit. A clip that plays once never reaches a time
    // above 1; md5_create_machine() warns about this.
    float exit;
    // Duration during which the old state fades out and the new state fades in, in seconds. If 0,
    // the state changes immediately (a cut).
    float duration;
    md5_fade fade;     // kind of the transition: crossfade or inertial
    md5_easing easing; // course of the weight of the new state in a crossfade
    // If true, the target state starts at the same position of its cycle that the state `from` has
    // reached, for example with the same foot in the air. `start` is then ignored. If the
    // transition waits for an exit, the position is the fractional part of the exit time: 0 for the
    // exit times 1, 2 and 3. If the conditions become true after the exit, the position at that
    // time is used.
    bool keeps_phase;
    // If true, the target state starts and plays synchronized with `from` until the transition
    // ends, so that the feet of both clips touch the ground together. The rules are explained
    // below.
    bool in_step;
    // Normalized time at which `to` starts: 0 is the start of its clips, 1 is their end. It is
    // added to md5_motion_desc.start of these clips.
    float start;
    // If several transitions can be taken, the one with the highest priority is taken. If several
    // have this priority, the first in the table is taken.
    int32_t priority;
    md5_interrupt interrupt; // which transitions may interrupt this transition while it is active
    // Name of an event, or its name and its text, separated by a space. If it is not NULL, each
    // position at which the first clip of `from` has this event is an exit, and `waits` and `exit`
    // are not used. If NULL, the transition has no exit event.
    const char *exit_event;
    // If true, the exit is at the normalized time `exit` of every cycle. A transition with
    // exits_each or exit_event is only taken at the instant at which the clip passes the exit. It
    // is not taken while time runs backward, nor at the position at which the state started.
    bool exits_each;
    // Name of the state, `from` or `to`, whose playback rate both states use if `in_step` is true.
    // If NULL, they use the mean of both rates, weighted by the weights of the states.
    const char *leader;
    uint64_t reserved[2]; // must be 0
} md5_transition_desc;

// Rules of transitions with `in_step`, for example from a walk to a run with synchronized feet:
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
// - The clips must repeat (not MD5_PLAY_ONCE). If they have markers, they must not play in
//   ping-pong mode either.

// A state of a layer: a name, and the motion that plays while the layer is in this state.
typedef struct md5_state_desc {
    // `name` is the name of the state, and `motion` the name of the motion or clip that it plays. A
    // motion of NULL means that the state has no pose, so that the poses of the layers below are
    // shown.
    const char *name, *motion;
    uint64_t reserved[2]; // must be 0
} md5_state_desc;

// A layer: a state machine with one current state, whose motion produces a pose. This pose is
// blended over the result of the previous layers in the table, or added to it. For example, the
// first layer moves the whole body, and a second layer with a mask moves the arms.
typedef struct md5_layer_desc {
    const char *name;
    // Operation that combines the pose of the layer with the result of the previous layers.
    md5_layer_mode mode;
    // For MD5_LAYER_ADD, `reference` is the name of the clip that contains the reference pose, and
    // `reference_frame` is the frame of this pose. If NULL, the reference pose is in the first clip
    // of the state's motion.
    const char *reference;
    uint32_t reference_frame;
    // Name of a mask: the layer affects only the joints of this mask. If NULL, it affects all
    // joints.
    const char *mask;
    // Weight of the layer, 0 to 1. The value 0 means 1; MD5_EXPLICIT_ZERO means 0.
    float weight;
    // Name of a parameter whose value is the weight, instead of `weight`. If NULL, `weight` is
    // used.
    const char *weight_parameter;
    const md5_state_desc *states; // [num_states] the states; a new player is in the first state
    const md5_transition_desc *transitions; // [num_transitions] the transitions between the states
    uint32_t num_states, num_transitions;
    // Easing that is applied to the value of weight_parameter; the result, clamped to 0 to 1, is
    // the weight.
    md5_easing weight_easing;
    uint64_t reserved[4]; // must be 0
} md5_layer_desc;

// -- One-shots ------------------------------------------------------------------------------

// The behavior of a one-shot clip at its end. A one-shot clip, such as a hit, a wave or a reload,
// plays once over the poses of the layers.
typedef enum md5_one_shot_end {
    // The clip fades out before its end, so that its weight is 0 when it reaches the end.
    MD5_ONE_SHOT_ENDS,
    MD5_ONE_SHOT_HOLDS, // The clip shows its last frame until it is stopped.
    MD5_ONE_SHOT_LOOPS, // The clip repeats until it is stopped.
} md5_one_shot_end;

// A slot plays one-shot clips (clips that play once over the layers), one at a time. It determines
// after which layer its clips are blended, and which joints they move. All members except `name`
// are defaults for the members of the same name in md5_one_shot_desc.
typedef struct md5_slot_desc {
    const char *name;
    // Operation that combines a clip with the pose below it. MD5_LAYER_ADD adds the difference
    // between the clip and a reference pose.
    md5_layer_mode mode;
    // Name of a mask: the clips affect only the joints of this mask. If NULL, they affect all
    // joints.
    const char *mask;
    // Name of a layer: the clips are blended over the result of this layer, and the next layers are
    // blended over the clips. If NULL, the clips are blended over all layers.
    const char *layer;
    // For MD5_LAYER_ADD, `reference` is the name of the clip that contains the reference pose, and
    // `reference_frame` is the frame of this pose. If NULL, the reference pose is in the one-shot
    // clip itself.
    const char *reference;
    uint32_t reference_frame;
    uint64_t reserved[2]; // must be 0
} md5_slot_desc;

// A one-shot clip: a clip that plays once over the layers, in a slot that plays one such clip at a
// time. The structure is an entry in the table of a machine, or an argument of
// md5_player_play_one_shot().
//
// The game starts an entry by a call, or the entry starts by itself if it has start conditions:
// when its `conditions` are true, its `until` conditions are not, and its slot is free. A slot is
// free in these cases:
//
// - No clip plays in the slot.
// - The clip in the slot has a lower priority. The new clip replaces it.
// - The clip in the slot has started to fade out. A clip that is not longer than its fade-out is an
//   exception: the slot is only free after the clip ends or a stop begins to fade it out.
//
// The conditions of entries are tested in the order of the table, after all layers. An entry that
// starts resets its triggers, as a transition does.
typedef struct md5_one_shot_desc {
    // Name of the entry, name of the slot in which it plays, and name of the clip.
    const char *name, *slot, *clip;
    // `conditions` are the start conditions and `until` are the stop conditions. When the stop
    // conditions are true, the clip fades out. An entry without start conditions is only started by
    // the game. An entry without stop conditions ends at the end of its clip, or is stopped by the
    // game.
    //
    // md5_player_play_one_shot() does not use these conditions. If `name` is the name of an entry
    // of the machine, the stop conditions of that entry apply.
    const md5_condition *conditions, *until; // [num_conditions], [num_until]
    uint32_t num_conditions, num_until;
    // Priority of the entry in its slot. When its start conditions are true, it replaces a clip
    // with a lower priority.
    int32_t priority;
    // These members have the same meaning as in md5_slot_desc. If a member is 0 or NULL, the value
    // of the slot is used.
    md5_layer_mode mode;
    const char *mask, *layer, *reference;
    uint32_t reference_frame;
    // Weight of the clip, 0 to 1. The value 0 means 1; MD5_EXPLICIT_ZERO means 0.
    float weight;
    // Playback rate. The value 0 means 1; MD5_EXPLICIT_ZERO means 0, which shows a still pose. If
    // the rate is negative, the clip plays backward from its end.
    float speed;
    // Normalized time at which the clip starts, 0 to 1. If `section` is set, it is the time within
    // the section. The value must be below 1 in the tables of a machine and if `section` is set. If
    // the clip plays backward, the time is measured from the end.
    double start;
    // Durations in seconds of the fade in after the start, and of the fade out before the end or
    // after a stop. 0 means that there is no fade.
    float fade_in, fade_out;
    md5_one_shot_end end; // behavior of the clip at its end
    // Easings of the fades. The weight is the eased progress of the fade in, or 1 minus the eased
    // progress of the fade out. If an easing exceeds 0 to 1, the weight is clamped to this range.
    md5_easing fade_in_easing, fade_out_easing;
    // Name of the section (a named range of frames) of the clip in which it starts. If NULL, it
    // starts in the whole clip. After the section, the clip continues. With MD5_ONE_SHOT_LOOPS, it
    // repeats the section until md5_player_one_shot_section() makes it continue to its end.
    const char *section;
    uint64_t reserved[2]; // must be 0
} md5_one_shot_desc;

// -- Modifiers ------------------------------------------------------------------------------

// A second model, such as a weapon in a hand or another character next to this one, whose joints
// modifiers (operations on the pose) can use as targets. A machine can have at most
// MD5_MAX_ATTACHED attached models.
enum { MD5_MAX_ATTACHED = 16 };
typedef struct md5_attached_desc {
    const char *name;
    // The second model, which must have the same axes and units as the machine's model. It must
    // exist as long as the machine.
    const md5_model *model;
    // Path of the .md5mesh file of `model`, if the tables were read from a machine file.
    // md5_create_machine() ignores it.
    const char *file;
    // Joint of the machine's model to which the attached model is fixed. The attached model then
    // remains in its bind pose. If NULL, the game sets the joints of the attached model with
    // md5_player_attach().
    const char *joint;
    uint64_t reserved[2]; // must be 0
} md5_attached_desc;

// A rotation limit of a joint, such as an elbow that cannot bend backward. Modifiers of the kinds
// TWO_BONE, FABRIK and CCD (inverse kinematics) respect it. The rotation is measured relative to
// the bind pose. The members have the same meaning as in md5_joint_limit (md5pose.h). Each joint
// can have at most one limit.
typedef struct md5_limit_desc {
    const char *joint; // name of the joint
    md5_limit_kind kind;
    md5_vec3 axis; // axis around which the twist is measured, in joint space
    // Smallest and largest twist (rotation around the axis), and largest swing (rotation of the
    // axis away from its direction in the bind pose), in radians.
    float min, max, swing;
    uint64_t reserved[2]; // must be 0
} md5_limit_desc;

// The kind of a modifier. A modifier is an operation, such as inverse kinematics, on the pose that
// results from blending all layers. Modifiers are applied in the order of the table. Many of them
// move a chain, which consists of a joint, called the tip, and some of its ancestors.
//
// Modifiers of the kinds SPRING, FEET and GAZE are active from the start. All other kinds have no
// effect until the game sets a target with md5_player_target().
typedef enum md5_modifier_kind {
    // The modifier rotates or moves one joint, like md5_modify_joint().
    MD5_MODIFIER_JOINT,
    // The modifier rotates a chain, such as spine and head, so that it points at the target, like
    // md5_solve_aim().
    MD5_MODIFIER_AIM,
    // The modifier moves the tip of an arm or a leg to the target, like md5_solve_two_bone().
    MD5_MODIFIER_TWO_BONE,
    // The modifier moves the tip of a chain of any length to the target, like md5_solve_chain()
    // with MD5_CHAIN_FABRIK.
    MD5_MODIFIER_FABRIK,
    // The same as MD5_MODIFIER_FABRIK, with the algorithm MD5_CHAIN_CCD.
    MD5_MODIFIER_CCD,
    // The modifier lets a chain, such as hair, lag behind the animation and swing, like
    // md5_solve_spring().
    MD5_MODIFIER_SPRING,
    // The modifier places the feet on the ground and lowers the pelvis, like md5_solve_feet().
    MD5_MODIFIER_FEET,
    // The modifier lets the head and the eyes look around automatically, like md5_gaze_pose().
    MD5_MODIFIER_GAZE,
} md5_modifier_kind;

// The joints of one leg for a modifier of kind MD5_MODIFIER_FEET, which places feet on the ground.
typedef struct md5_foot_desc {
    // Names of the joints of the ankle, the knee and the hip. If `knee` is NULL, the knee is the
    // parent of the ankle. If `hip` is NULL, the hip is the parent of the knee. Set both if the
    // skeleton has other joints between them.
    const char *ankle, *knee, *hip;
    uint64_t reserved[2]; // must be 0
} md5_foot_desc;

// Settings of a modifier of kind MD5_MODIFIER_GAZE, which lets a character look around. The
// direction of the look starts at the center between the eyes in the bind pose. Without eyes, it
// starts at the position of the head.
typedef struct md5_modifier_gaze {
    const char *eyes[MD5_MAX_EYES]; // names of the eye joints; the first NULL ends the list
    // Settings of the gaze; max_seconds must be at least min_seconds. The default of `distance` is
    // 100 units of the file, so the library multiplies it by md5_load_opts.scale.
    md5_gaze_params params;
    // Random seed of a new player; md5_player_seed() combines it with the seed of the player.
    uint32_t seed;
    uint64_t reserved[4]; // must be 0
} md5_modifier_gaze;

// Foot locking prevents planted feet from sliding while blends and transitions move the animated
// feet. It is a part of a modifier of kind MD5_MODIFIER_FEET, which places feet on the ground.
//
// - The sole of a foot is a point of the ground plane: the point below the toe joint in the bind
//   pose.
// - A sole stands, in a clip, while it is at most params.height above the ground plane (or below
//   it) and its horizontal speed is at most params.speed. The speed includes the root motion of the
//   clip.
// - A foot is locked while its sole stands in more than half of the active clips, counted by
//   weight. A locked foot remains at the position in the world that its sole had when it was
//   locked.
// - A locked foot is released if the animation moves it farther than params.distance from this
//   position, or if the leg would be stretched. The foot then moves to its animated position within
//   params.release seconds.
// - Positions in the world are computed by adding up md5_player_root_motion(). If the game moves
//   the character in another way, the locked feet move with the character.
//
// md5/docs/inverse_kinematics.md contains all rules.
enum { MD5_MAX_HELD = 8 };
typedef struct md5_modifier_hold {
    // Names of the toe joints, in the order of md5_modifier_desc.feet. A toe joint is the ankle of
    // its foot or a joint below it. The first NULL ends the list; all feet after it use their
    // ankles. A modifier can lock MD5_MAX_HELD feet; further feet are not locked.
    const char *toes[MD5_MAX_HELD];
    md5_hold_params params; // distances, speed and durations of foot locking
    uint64_t reserved[4];   // must be 0
} md5_modifier_hold;

// A target that is a point on a joint, such as the grip of a weapon. The position of the joint is
// read when the modifier is applied, after the layers and the previous modifiers. The modifier
// itself must not move this joint.
typedef struct md5_modifier_point {
    // `joint` is the name of the joint. `attached` is the name of the attached model
    // (md5_attached_desc) that has the joint; NULL means that the machine's model has it.
    const char *joint, *attached;
    md5_vec3 offset; // position of the point in joint space
    // If true, the target has the rotation of the joint. If false, the target has only a position.
    bool aligned;
    uint64_t reserved[2]; // must be 0
} md5_modifier_point;

// A modifier of a machine: an operation on the pose after the layers were blended, such as inverse
// kinematics. Many members are used only by modifiers of certain kinds. Their comments name these
// kinds without the prefix MD5_MODIFIER_, for example FEET for MD5_MODIFIER_FEET.
typedef struct md5_modifier_desc {
    const char *name;
    md5_modifier_kind kind;
    // Name of the joint to which the modifier is applied. For a chain it is the tip, the joint at
    // its end: a hand, a foot, the head, or the end of a tail. For FEET it is the pelvis, and for
    // GAZE the head.
    const char *joint;
    // The other two joints of a limb, which only TWO_BONE uses: `middle` is the elbow or knee, and
    // `root` is the shoulder or hip. If `middle` is NULL, the parent of `joint` is used; if `root`
    // is NULL, the parent of `middle` is used. Set both if the skeleton has other joints between
    // them. `joint` must be a descendant of `middle`, and `middle` a descendant of `root`. No two
    // of the three joints may have the same position in the bind pose.
    const char *middle, *root;
    // Number of joints of the chain, including the tip. The value 0 means 2. Only AIM, FABRIK, CCD
    // and SPRING use it.
    uint32_t length;
    // Space in which the rotation and the translation of the target are given. Only JOINT uses it.
    md5_joint_space space;
    // Settings of AIM: the forward and up direction of the tip, and the largest rotation of a
    // joint. The defaults of `forward` and `up` are (1, 0, 0) and (0, 0, 1) in the space of the
    // tip, for every value of md5_load_opts.axes.
    md5_aim_params aim;
    // Settings of the solver of TWO_BONE: softening and stretch.
    md5_two_bone_params two_bone;
    // Settings of SPRING: stiffness, damping and gravity.
    md5_spring_params spring;
    // [num_feet] The joints of each leg. Only FEET uses them.
    const md5_foot_desc *feet;
    // Number of legs of FEET, at least 1.
    uint32_t num_feet;
    // Time constant, in seconds, with which the feet and the pelvis follow changes of the ground's
    // height. The value 0 means 0.1; MD5_EXPLICIT_ZERO means 0, so that they follow immediately.
    // Only FEET uses it.
    float smoothing;
    // Settings of GAZE. If NULL, the model has no eye joints, and all settings have their defaults.
    const md5_modifier_gaze *gaze;
    // Settings of the foot locking of FEET, which prevents planted feet from sliding. If NULL, feet
    // are not locked.
    const md5_modifier_hold *hold;
    // Weight of the modifier in a new player, 0 to 1. The value 0 means 1; MD5_EXPLICIT_ZERO means
    // 0, which disables it.
    float weight;
    // Sources that control the weight while the machine plays. A source that is NULL is not used.
    // The weight of the modifier is the weight that the game sets (md5_target.weight), multiplied
    // by the value of each source that is set:
    //
    // - weight_parameter: the value of a parameter, to which weight_easing is applied as in
    //   md5_motion_item.
    // - weight_layer and weight_state: the weight of this state of this layer, as in
    //   md5_morph_desc.
    // - weight_curve: the value of a curve, which md5_player_curve() returns, clamped to 0 to 1.
    // - weight_window: the weight with which a window is open, which md5_player_window() returns.
    //
    // At most one of the sources state, curve and window may be set.
    const char *weight_parameter, *weight_layer, *weight_state, *weight_curve, *weight_window;
    // Easing that is applied to the value of weight_parameter.
    md5_easing weight_easing;
    // A point on a joint that is the target, instead of the position and rotation in md5_target. If
    // NULL, the game sets the target. If the joint is not animated (see md5_detail.mask) or its
    // model is not attached, the modifier has no target. Only AIM, TWO_BONE, FABRIK and CCD use
    // this member, and JOINT with MD5_JOINT_MODEL_OVERRIDE.
    const md5_modifier_point *target;
    // A point on a joint towards which the knee or elbow bends, instead of md5_target.pole. If
    // NULL, the game sets the point. Only TWO_BONE uses it.
    const md5_modifier_point *pole;
    uint64_t reserved[1]; // must be 0
} md5_modifier_desc;

// The values with which the game controls a modifier of one player; md5_player_target() returns
// them for writing. In a new player, `weight` is the weight in the machine's table, `position` is
// not finite and `rotation` is 0 0 0 0; these values mean that there is no target.
typedef struct md5_target {
    // Weight of the modifier, 0 to 1; 0 disables it. For FEET, the other members have no effect.
    float weight;
    // Position of the target in model space. The meaning depends on the kind:
    //
    // - For JOINT, AIM, TWO_BONE, FABRIK and CCD, it is the point to which the joint or chain moves
    //   or at which it points. If a coordinate is not finite, nothing is moved.
    // - For SPRING, it is the position of the character in the world, so that springs react to its
    //   movement. The value (0, 0, 0) means that the position is not used.
    // - For GAZE, it is a point of interest, at which the character looks sometimes. The value (0,
    //   0, 0) means that there is no such point.
    md5_vec3 position;
    // Rotation of the target. For JOINT and SPRING, (0, 0, 0, 0) means that there is no rotation.
    // For TWO_BONE, it is the rotation of the tip, which is only used if has_rotation is set.
    md5_quat rotation;
    // If true, the tip of TWO_BONE gets the rotation `rotation`. Other kinds ignore this member.
    bool has_rotation;
    // Point in model space towards which the knee or elbow bends. Only TWO_BONE uses it.
    md5_vec3 pole;
    // If true, `pole` is used. If false, the limb bends in the same direction as in the animation.
    // Only TWO_BONE uses this member.
    bool has_pole;
    uint64_t reserved[2]; // must be 0
} md5_target;

// -- Morph targets --------------------------------------------------------------------------

// Selects the source of the weight of a morph target, which is a shape of the model such as a
// facial expression (md5skin.h). A machine only computes weights: it refers to morph targets by
// name, and md5_player_morphs() returns the weights.
typedef enum md5_morph_drive {
    // The value of a parameter, clamped to a magnitude of 1 million.
    MD5_MORPH_BY_PARAMETER,
    // The weight of a state, which is 1 while the layer plays only this state.
    MD5_MORPH_BY_STATE,
    // The value of a table of keys over the frames of a clip, multiplied by the weight of the clip.
    MD5_MORPH_BY_CLIP,
    // The value of a curve of the clips, as md5_player_curve() returns it.
    MD5_MORPH_BY_CURVE,
    // The weight with which a window is open, as md5_player_window() returns it.
    MD5_MORPH_BY_WINDOW,
} md5_morph_drive;

// Computes the weight of one morph target (a shape of the model, such as a facial expression) from
// one source. If several entries have the same target, the weight of the target is the sum of their
// values.
//
// The weight of a state, a clip or a one-shot clip is its weight within its layer, including fades,
// multiplied by the weight of the layer. Layers above do not reduce it, and masks have no effect.
typedef struct md5_morph_desc {
    const char *target; // name of the morph target
    // The source of the weight. Each of the following members is used only by the source that its
    // comment names.
    md5_morph_drive drive;
    // Name of the parameter, for MD5_MORPH_BY_PARAMETER.
    const char *parameter;
    // Name of the layer and name of the state, for MD5_MORPH_BY_STATE.
    const char *layer, *state;
    // Name of the clip, for MD5_MORPH_BY_CLIP.
    const char *clip;
    // [num_keys] Values at frames of the clip, for MD5_MORPH_BY_CLIP. Between two keys the value
    // changes linearly.
    const md5_morph_key *keys;
    // Number of keys, at least 1, for MD5_MORPH_BY_CLIP.
    uint32_t num_keys;
    // Factor by which the value of the source is multiplied, with a magnitude of at most 1 million.
    // All sources use it. The value 0 means 1; MD5_EXPLICIT_ZERO means 0.
    float weight;
    // Name of the curve, for MD5_MORPH_BY_CURVE.
    const char *curve;
    // Name of the window, for MD5_MORPH_BY_WINDOW.
    const char *window;
    uint64_t reserved[2]; // must be 0
} md5_morph_desc;

// -- Machines -------------------------------------------------------------------------------

// The line and column of each token of a machine file, for messages. The structure is opaque.
typedef struct md5_locations md5_locations;

// Largest number of slots of a machine. A slot plays one one-shot clip at a time.
enum { MD5_MAX_ONE_SHOTS = 64 };

// Selects the reports of a machine: the kinds of events that a player creates in addition to the
// events that are defined in clips. md5_event_kind explains each kind. A kind that is not selected
// costs no time.
typedef struct md5_report_desc {
    bool enter, leave, transition_end, clip_end;
    uint64_t reserved[2]; // must be 0
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
    // Line and column of each token of the machine file from which the tables were read, for
    // messages. The pointer is NULL if the tables were written in C. A program may replace tables
    // or entries that were read; the new tables and entries have no location.
    const md5_locations *locations;
    // `max_one_shots` is the number of slots, each of which plays one one-shot clip at a time; it
    // is at most MD5_MAX_ONE_SHOTS. The value 0 means num_slots, or 4 if num_slots is 0. The
    // entries of the table `slots` are the first slots; the remaining slots have no name.
    uint32_t max_one_shots, num_slots, num_one_shots;
    uint32_t num_attached; // number of entries of `attached`, at most MD5_MAX_ATTACHED
    uint32_t num_limits;
    const md5_slot_desc *slots;
    const md5_one_shot_desc *one_shots;
    uint64_t reserved[3]; // must be 0
} md5_machine_desc;

// A machine that md5_create_machine() created. It is read-only, and the structure is opaque.
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
//   clips cannot be synchronized. An event in a condition is unknown if no clip has the event. An
//   event in exit_event is unknown if the first clip of the transition's state `from` does not have
//   it.
// - MD5_ERROR_RANGE: a number is not finite or out of range; a clip does not have a frame;
//   conditions and exits contain more than 64 different names of events; or a motion consists of
//   more than 4096 other motions. A motion that is used several times counts once for each use.
// - MD5_ERROR_SYNTAX: the joint list of a mask is invalid.
// - MD5_ERROR_MEMORY: memory runs out.
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

// These functions search for an entry by its name and return its index. The functions of md5play.h
// expect such an index, for example md5_player_set() the index of a parameter. The functions return
// MD5_NONE if no entry has this name or `name` is NULL. Their time is linear in the size of the
// table, so call them once and store the indices. `layer` is an index that md5_find_layer()
// returned.
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
// md5_find_parameter() to detect misspelled names early. If the parameter does not exist, debug
// builds stop the program with a message that contains its name; release builds return MD5_NONE.
MD5_PLAY_API uint32_t md5_require_parameter(const md5_machine *machine, const char *name);

// md5_machine_num_morphs() returns the number of morph targets whose weights the machine computes.
// md5_machine_morph_name() returns the name of one of them, or NULL if the index is invalid; the
// string is owned by the machine. Morph targets are numbered in the order in which they first occur
// in md5_machine_desc.morphs. md5_player_morphs() writes the weights in the same order.
MD5_PLAY_API uint32_t md5_machine_num_morphs(const md5_machine *machine);
MD5_PLAY_API const char *md5_machine_morph_name(const md5_machine *machine, uint32_t morph);

// Returns the speed of an item of a motion of kind MD5_MOTION_BY_SPEED, in units/s, as the library
// has computed it from the root motion of the clip. While the motion's parameter has this value,
// only this item plays. `motion` is the index of the motion in md5_machine_desc.motions. Returns 0
// if the motion has another kind or an index is invalid.
MD5_PLAY_API float md5_machine_item_speed(const md5_machine *machine, uint32_t motion,
                                          uint32_t item);

// Returns a hash of the machine, by which a program can check if a saved state belongs to this
// machine. The state of a player (md5_player_save()) can be restored by any machine with the same
// fingerprint. The hash includes the tables without file names, the names and parents of the
// joints, and the frame counts and rates of the clips.
MD5_PLAY_API uint64_t md5_machine_fingerprint(const md5_machine *machine);

// Returns the machine's copy of the tables from which it was created. Viewers and debuggers use it
// to display names. The result is valid until the machine is freed.
MD5_PLAY_API const md5_machine_desc *md5_machine_tables(const md5_machine *machine);

// -- Machine files --------------------------------------------------------------------------

// A parsed machine file: a text file that contains the tables of a machine.
// md5/play/machine_files.md describes the format.
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
    // [desc.num_clips] The table desc.clips. The program may change its entries.
    md5_clip_desc *clips;
    // [desc.num_attached] The table desc.attached. The program may change its entries.
    md5_attached_desc *attached;
    // Path of the .md5mesh file of the model, as the machine file contains it. The path is "" if
    // the machine file does not contain one.
    const char *model_file;
    uint32_t num_warnings; // number of warnings that reading the file produced
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

// Writes the tables of a machine as the text of a machine file, for example in an editor of state
// machines. The text and a NUL are written to text[size]. Returns the length of the text, without
// the NUL; pass NULL and 0 to get only the length. The time is linear in the size of the tables.
//
// `model_file` is the path of the model that is written. If NULL, no model is written. A clip
// without a `file` is written with the file name "".
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
// - a weight_easing without a weight_parameter;
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
