// md5machine: the tables of state machines: clips, parameters, motions, states and transitions,
// modifiers, morph targets; in C or read from a machine file.
//
//   tables (md5_machine_desc), or a machine file --md5_create_machine()--> machine: the states of a
//        kind of character, which players (md5play.h) share
//
// Creating a machine checks everything. A machine is read-only, for any number of threads.
//
// {0} means all defaults; members whose default is not 0 take MD5_ZERO for 0 where they name it.
// Name the members of rows, whose last ones are reserved.
//
// Time is seconds. A clip's normalised time runs from 0 to 1 over one cycle; above 1 it counts
// cycles.
#ifndef MD5MACHINE_H
#define MD5MACHINE_H

#include "md5curve.h" // beside this file also when installed, like the other
#include "md5pose.h"

#ifdef __cplusplus
extern "C" {
#endif

// -- Clips ----------------------------------------------------------------------------------

typedef enum md5_play_mode { // what a clip does at its end, forward or backward
    MD5_PLAY_LOOP,
    MD5_PLAY_ONCE,      // holds its last frame, or its first when played backward
    MD5_PLAY_PING_PONG, // forward and back; one cycle is both
} md5_play_mode;

typedef enum md5_period { // the duration of a loop
    MD5_PERIOD_CLOSED,    // id's rule, (num_frames - 1) / rate: the last frame is the first again
    MD5_PERIOD_OPEN,      // num_frames / rate: the last frame blends into the first
} md5_period;

// Which part of the motion of joint 0 is removed from the pose and reported by
// md5_player_root_motion().
typedef enum md5_extract {
    MD5_EXTRACT_NONE, // left in the pose as stored
    MD5_EXTRACT_MOVE, // translation, all three axes
    MD5_EXTRACT_WALK, // translation along x and y; z stays in the pose
    MD5_EXTRACT_TURN, // as WALK, and rotation about z (yaw)
} md5_extract;

// Events are those of clips, which their tables give, and those that a machine reports if
// md5_machine_desc.report says so.
typedef enum md5_event_kind {
    MD5_EVENT_CLIP,           // an event of a clip's table
    MD5_EVENT_ENTER,          // a state begins
    MD5_EVENT_LEAVE,          // a transition away from a state begins, or a cut
    MD5_EVENT_TRANSITION_END, // a state has faded in completely; after a cut at once
    MD5_EVENT_CLIP_END,       // a clip is at its end, or, if it goes on, at the end of a cycle
    MD5_EVENT_BEGIN,          // a window of a clip's table opens, or
    MD5_EVENT_END,            // closes
} md5_event_kind;

// An event at a frame of a clip, such as a footstep. Frames count from 0 everywhere: in tables,
// machine files and messages.
typedef struct md5_event {
    uint32_t frame;          // 0 is the first
    const char *name, *text; // "footstep" and its parameter, "left"; NULL or "" = none
    // 0 in tables. In reported events `name` is that of the state or clip, `text` that of the
    // state's layer, or "", and `frame` is 0; for windows all three are the window's.
    md5_event_kind kind;
    uint32_t layer, index; // of the layer, else 0; of the state in it, or of the clip
    uint64_t reserved[2];  // 0
} md5_event;

// An event with a length, such as the part of a stroke that hits: open from frame `first` to
// `last`, in either direction. At the end of a cycle it closes.
typedef struct md5_window {
    const char *name, *text; // as an event's
    uint32_t first, last;    // first <= last
    uint64_t reserved[2];    // 0
} md5_window;

typedef struct md5_morph_key {
    uint32_t frame;       // of the clip; ascending
    float weight;         // of a morph, or the value of a curve; magnitude at most a million
    uint64_t reserved[2]; // 0
} md5_morph_key;

// A number over the frames of a clip, for md5_player_curve(): at whole frames eased between the
// keys, before the first and after the last theirs; linear from frame to frame.
typedef struct md5_clip_curve {
    const char *name;          // once in a clip; the same in others
    const md5_morph_key *keys; // [num_keys], 1 or more
    uint32_t num_keys;
    md5_easing easing;
    uint64_t reserved[2]; // 0
} md5_clip_curve;
// A part of a clip, where a one-shot begins or goes on. Sections of a clip may meet and overlap.
typedef struct md5_section {
    const char *name;
    uint32_t first, last; // frames, the last is later
    uint64_t reserved[2]; // 0
} md5_section;

typedef struct md5_clip_desc {
    const char *name;
    const md5_binding *binding; // must outlive the machine
    const char *file;           // from a machine file: the .md5anim to load; else unused
    md5_period period;
    md5_interpolation interpolation;
    md5_extract extract;
    const md5_event *events; // [num_events] in any order
    uint32_t num_events;
    // MD5_SYNC_MARKERS: frames such as "left foot down", "right foot down". Marker i of one clip is
    // synchronised with marker i of the others in a blend space. Ascending.
    const uint32_t *markers; // [num_markers]
    uint32_t num_markers, num_sections, num_windows, num_curves;
    const md5_section *sections;  // [num_sections] for one-shots
    const md5_window *windows;    // [num_windows]
    const md5_clip_curve *curves; // [num_curves]
    uint64_t reserved[3];         // 0
} md5_clip_desc;

typedef struct md5_mask_desc { // for md5_build_mask()
    const char *name, *joints;
    uint32_t feather;
    uint64_t reserved[2]; // 0
} md5_mask_desc;

// -- Parameters -----------------------------------------------------------------------------

typedef enum md5_parameter_kind {
    MD5_PARAMETER_FLOAT,
    MD5_PARAMETER_BOOL,    // 0 or 1
    MD5_PARAMETER_TRIGGER, // set by the game, reset by what it sets off, one transition a layer
} md5_parameter_kind;

typedef struct md5_parameter_desc {
    const char *name;
    md5_parameter_kind kind;
    float value;          // initial value
    uint64_t reserved[2]; // 0
} md5_parameter_desc;

// How a float parameter follows what md5_player_set() sets. Without a row it is there at once.
typedef enum md5_follow_kind {
    MD5_FOLLOW_SMOOTH, // approaches exponentially, at `rate` of what remains: md5_follow_share()
    MD5_FOLLOW_SPRING, // with inertia, by `stiffness` and `damping`: md5_follow_spring()
    MD5_FOLLOW_EASE,   // within `duration`, eased, from where it is when it is set anew
} md5_follow_kind;

// The value is a function of the time since it was set, whatever the steps of md5_player_advance()
// forward in time. In a part of a step rates and weights are those of its exact mean; conditions
// change when it passes their values. It is seen at the end of the step, in event callbacks at the
// end of their part. md5_player_reset() puts it at its initial value.
typedef struct md5_follow_desc {
    const char *parameter; // a float; one row for each
    md5_follow_kind kind;
    float rate;               // SMOOTH: 1/s, above 0
    float stiffness, damping; // SPRING: 1/s^2, above 0; 1/s, at least 0
    float duration;           // EASE: seconds, at least 0
    md5_easing easing;        // EASE: x1 and x2 of a cubic Bézier must be 0 to 1, here and below
    uint64_t reserved[4];     // 0
} md5_follow_desc;

// -- Motions --------------------------------------------------------------------------------

// A motion produces a pose. Each clip is a motion of the same name, looping at speed 1; the others
// are made of motions that precede them in the table.
typedef enum md5_motion_kind {
    MD5_MOTION_CLIP,     // a clip with its own mode, start and speed
    MD5_MOTION_BLEND_1D, // position on a line: blends the two neighbours by distance
    MD5_MOTION_BLEND_2D, // position in a plane: gradient band weights (Johansen 2009, 6.3). Blended
                         // by ascending x, then y, whatever the order of the table
    MD5_MOTION_STACK,    // the first item; each other one is blended over or added to it
    MD5_MOTION_BY_SPEED, // clips on a line, positioned by their own speeds: see below
} md5_motion_kind;

// BY_SPEED makes the parameter the speed of the root, in units/s, which a BLEND_1D only is at its
// items. An item's speed is its clip's root displacement over a cycle, along the direction of the
// fastest item, by seconds; backward (or right, or down) is negative. Items must be clips that
// loop, of ascending speeds. Weights, and the common rate while synchronised, give a cycle the
// parameter as its mean speed, from the slowest item to the fastest; beyond these the outermost
// item plays at its own. The motion's `speed` multiplies it; an enclosing synchronised one rules.

// How the items of a blend space are synchronised: all their clips, including those of nested blend
// spaces and of the first items of stacks. Clips must not end; with markers, not ping-pong either.
typedef enum md5_sync {
    MD5_SYNC_NONE,    // each clip at its own rate
    MD5_SYNC_PHASE,   // same normalised time, at the weighted mean of their rates
    MD5_SYNC_MARKERS, // likewise, from marker to marker: all clips have equally many
} md5_sync;

typedef enum md5_layer_mode {
    MD5_LAYER_OVERRIDE,
    MD5_LAYER_ADD, // the difference between the motion and its reference is added
} md5_layer_mode;

typedef struct md5_motion_item {
    const char *motion;
    float x, y; // blend spaces: position; x ascending in 1D; BY_SPEED: both 0
    // Stacks, from the second item on. Its weight, 0..1, is the value of weight_parameter, or, if
    // that is NULL, `weight`; 0 means 1 and MD5_ZERO means 0.
    md5_layer_mode mode;
    const char *mask; // NULL = all joints
    float weight;
    const char *weight_parameter;
    // ADD: the difference from frame reference_frame of this clip; NULL = the first of its own clip
    const char *reference;
    uint32_t reference_frame;
    // Eases weight_parameter: the weight is the eased parameter, both within 0..1. With a parameter
    // that follows by MD5_FOLLOW_EASE or at a steady rate, this is the easing of a fade in and out.
    // Without weight_parameter it has no effect.
    md5_easing weight_easing;
    uint64_t reserved[4]; // 0
} md5_motion_item;

typedef struct md5_motion_desc {
    const char *name;
    md5_motion_kind kind;
    const char *clip; // MD5_MOTION_CLIP
    md5_play_mode mode;
    double start;                          // MD5_MOTION_CLIP: normalised time to begin at
    float speed;                           // 0 means 1, MD5_ZERO means 0: a still
    const char *speed_parameter;           // multiplies `speed`; NULL = 1
    const char *x_parameter, *y_parameter; // blend spaces
    md5_sync sync;                         // blend spaces
    const md5_motion_item *items;          // [num_items]
    uint32_t num_items;
    uint64_t reserved[4]; // 0
} md5_motion_desc;

// -- States and transitions -----------------------------------------------------------------

typedef enum md5_fade {
    MD5_FADE_CROSS,    // cross-fade: both play, the weight follows `easing`, within 0..1
    MD5_FADE_INERTIAL, // only the new one plays, and the difference decays; see below
} md5_fade;

// An inertial transition (D. Bollo, Inertialization: High-Performance Animation Transitions in
// Gears of War, GDC 2018) plays only the new motion, plus what remains of the difference, measured
// when it begins, between the pose of its layer and that of the new motion, and of its velocity;
// the root's goes over likewise. From or to a state without a motion it is a cross-fade; clips with
// MD5_INTERPOLATE_STEP have no velocity. Formulas: .github/docs/blending.md.

typedef enum md5_comparison {
    MD5_IS_SET, // a bool or trigger; a float that is not 0
    MD5_IS_CLEAR,
    MD5_IS_LESS,
    MD5_IS_GREATER,
    MD5_IS_AT_MOST,
    MD5_IS_AT_LEAST,
} md5_comparison;

// Times must be compared, and are passed where they are equal, with and without `=`: from 2 s on
// STATE_TIME is > 2 and >= 2, from 0.3 s before the end on TIME_LEFT is < 0.3 and <= 0.3.
typedef enum md5_condition_kind {
    MD5_WHEN_PARAMETER,
    MD5_WHEN_STATE_TIME, // seconds since the state that is left began
    MD5_WHEN_TIME_LEFT,  // seconds, at the present rate, until its first clip or the clip's cycle
                         // ends. 0 without a motion. Does not hold while time goes backward
    MD5_WHEN_HEARD, // MD5_IS_SET, at the instant at which a clip or one-shot of the player fires
                    // an event. What begins at that instant does not hear it, nor anything what it
                    // begins with itself; the start states, and what a game sets, were there before
} md5_condition_kind;

typedef struct md5_condition {
    const char *parameter; // HEARD: the event's name, or name and text with a blank between
    md5_comparison compare;
    float value;
    md5_condition_kind kind;
    // STATE_TIME, at random: if not 0, the time is not `value`, but one from there to this, drawn
    // anew whenever a state begins, for each condition by itself: see md5_player_seed().
    float longest;
    bool begins_alternative; // "or", but not the first; "and" binds tighter
    uint64_t reserved[1];    // 0
} md5_condition;

// What may interrupt a transition. The interrupted one continues below the new one, so that nothing
// jumps; if more than four states are active, the oldest two freeze.
typedef enum md5_interrupt {
    MD5_INTERRUPT_ANY,    // every transition out of its target, and those from any state
    MD5_INTERRUPT_HIGHER, // those of higher priority
    MD5_INTERRUPT_NONE,
} md5_interrupt;

typedef struct md5_transition_desc {
    const char *from; // state; NULL = any but `to`
    const char *to;
    const md5_condition *conditions; // [num_conditions], all must hold of an alternative. The first
                                     // one that holds uses up its triggers
    uint32_t num_conditions;
    bool waits;     // for the exit time:
    float exit;     // normalised time of the first clip of `from`; 1 = the end of a cycle or clip.
                    // Backward it counts from the end; a state without motion is always at its end.
                    // Above 1 clips that are played once never reach it, which is a warning
    float duration; // seconds; 0 = cut
    md5_fade fade;
    md5_easing easing; // of a cross-fade
    bool keeps_phase;  // `to` begins at the phase of `from`; at the exit that it waited for, at
                       // the fraction of that, so that 1, 2, 3 are all 0; if conditions hold only
                       // later, at the phase that it has by then. `start` is ignored
    bool in_step;      // `to` begins and goes on in step with `from`: see below
    float start;       // normalised time at which `to` begins, added to its clips' own `start`
    int32_t priority;  // the highest is taken; of equal ones the first in the table
    md5_interrupt interrupt;
    // Instead of `exit`: where the first clip of `from` has an event of this name, or of this name
    // and text with a blank between. With exits_each, where it is at this share of any cycle. Both
    // only there, as time goes forward, and not where the state began.
    const char *exit_event;
    bool exits_each;
    const char *leader;   // in_step: `from` or `to`, whose own rate both follow; NULL: by weight
    uint64_t reserved[2]; // 0
} md5_transition_desc;

// In step: the first clips of both states, with those that are synchronised with them, share one
// clock while one fades over the other: by markers, of which both have equally many, or, if they
// have none, by phase. `to` begins where that clock is, and the clock's rate is the mean of both
// states' own by their weights, or the leader's. Three or four states that fade over each other in
// step share one clock likewise. Of an inertial transition only the beginning is in step: `from`
// plays no more. Clips that are played once cannot be in step, with markers not ping-pong either.

typedef struct md5_state_desc {
    const char *name, *motion; // motion NULL: the layers below show through
    uint64_t reserved[2];      // 0
} md5_state_desc;

// A layer is a state machine, blended over, or added to, those before it in the table.
typedef struct md5_layer_desc {
    const char *name;
    md5_layer_mode mode; // MD5_LAYER_ADD: reference as in md5_motion_item
    const char *reference;
    uint32_t reference_frame;
    const char *mask; // NULL = all joints
    float weight;     // as in md5_motion_item
    const char *weight_parameter;
    const md5_state_desc *states;           // [num_states], starts in the first
    const md5_transition_desc *transitions; // [num_transitions]
    uint32_t num_states, num_transitions;
    md5_easing weight_easing; // as in md5_motion_item
    uint64_t reserved[4];     // 0
} md5_layer_desc;

// -- One-shots ------------------------------------------------------------------------------

// A one-shot is a clip that is played over the layers, in a slot: a hit, a wave, a reload. What it
// does at the end of its clip:
typedef enum md5_shot_end {
    MD5_SHOT_ENDS,  // has faded out by then
    MD5_SHOT_HOLDS, // holds the last frame until it is stopped
    MD5_SHOT_LOOPS, // plays on until it is stopped
} md5_shot_end;

// Where the one-shots of a slot are played: what their own descriptions leave 0 is the slot's.
typedef struct md5_slot_desc {
    const char *name;
    md5_layer_mode mode; // MD5_LAYER_ADD: the difference between the clip and a reference is added
    const char *mask;    // NULL = all joints
    const char *layer;   // they are played over this layer, below the next; NULL = over all layers
    const char *reference; // ADD: clip; NULL = their own
    uint32_t reference_frame;
    uint64_t reserved[2]; // 0
} md5_slot_desc;

// A row of a machine, or what a game gives md5_player_play_shot(). A row begins as soon as its
// conditions hold, and `until` does not, if nothing plays in its slot, or only what is of lower
// priority, which it replaces, or what has begun to fade out, but not as it began. Rows are looked
// at in their order and consume triggers as one more layer behind all layers.
typedef struct md5_shot_desc {
    const char *name, *slot, *clip;          // of rows, as the next two
    const md5_condition *conditions, *until; // [num_conditions] when it begins, [num_until] when it
    uint32_t num_conditions, num_until;      // is stopped over its fade out; 0 = not by itself
    int32_t priority;
    md5_layer_mode mode; // this and the next four as in md5_slot_desc
    const char *mask, *layer, *reference;
    uint32_t reference_frame;
    float weight; // 0..1; 0 means 1, MD5_ZERO means 0
    float speed;  // 0 means 1, MD5_ZERO means 0: a still. Negative: backward from its end
    double start; // normalised time at which it begins, 0..1, of its section if it has one, in rows
                  // and sections below 1; backward it counts from the end
    float fade_in, fade_out; // seconds at its start, and before its end; 0 = cut
    md5_shot_end end;
    // A weight is the eased share of the fade in that has passed, or 1 minus that of the fade out;
    // where an easing overshoots, it stays at 0 or 1.
    md5_easing fade_in_easing, fade_out_easing;
    // Of the clip, in which it begins; it plays on behind it. With MD5_SHOT_LOOPS it plays the
    // section over and over, until md5_player_shot_section() lets it go on to its end.
    const char *section;
    uint64_t reserved[2]; // 0
} md5_shot_desc;

// -- Modifiers ------------------------------------------------------------------------------

// A model that is held or beside the character: in its bind pose on a joint of the machine's model;
// where the game says by md5_player_attach(), if `joint` is NULL.
enum { MD5_MAX_ATTACHED = 16 };
typedef struct md5_attached_desc {
    const char *name;
    const md5_model *model;   // of the same axes and unit; must outlive the machine
    const char *file, *joint; // file: from a machine file, the .md5mesh to load; else unused
    uint64_t reserved[2];     // 0
} md5_attached_desc;

// How far limbs and chains (TWO_BONE, FABRIK, CCD) may turn a joint, from the bind pose on: as in
// md5_joint_limit of md5pose.h. At most one row for each joint.
typedef struct md5_limit_desc {
    const char *joint;
    md5_limit_kind kind;
    md5_vec3 axis;
    float min, max, swing; // radians
    uint64_t reserved[2];  // 0
} md5_limit_desc;

// A modifier changes the pose after the layers are blended, in the order of the table. A player
// begins with the weight of the table, and the game sets the target: md5_player_target(). Springs,
// feet and gazes need none and work at once; the others change nothing until they have one.
typedef enum md5_modifier_kind {
    MD5_MODIFIER_JOINT,    // turns or moves one joint: md5_modify_joint()
    MD5_MODIFIER_AIM,      // points a chain at the target: md5_solve_aim()
    MD5_MODIFIER_TWO_BONE, // moves the tip of an arm or leg to it: md5_solve_two_bone()
    MD5_MODIFIER_FABRIK,   // moves the tip of any chain to it: md5_solve_chain()
    MD5_MODIFIER_CCD,      // likewise, by MD5_CHAIN_CCD
    MD5_MODIFIER_SPRING,   // lets a chain lag and swing: md5_solve_spring()
    MD5_MODIFIER_FEET,     // places feet on the ground, lowers the pelvis: md5_solve_feet()
    MD5_MODIFIER_GAZE,     // lets a head and eyes look about by themselves: md5_gaze_pose()
} md5_modifier_kind;

typedef struct md5_foot_desc {      // one of a modifier of kind MD5_MODIFIER_FEET
    const char *ankle, *knee, *hip; // knee and hip as `middle` and `root` of TWO_BONE
    uint64_t reserved[2];           // 0
} md5_foot_desc;

// Of MD5_MODIFIER_GAZE; the default distance is that many of id's units. The gaze starts from the
// middle between the eyes in the bind pose, or from the head's position.
typedef struct md5_modifier_gaze {
    const char *eyes[MD5_MAX_EYES]; // joints; those after the first NULL are ignored
    md5_gaze_numbers numbers;       // max_seconds at least min_seconds
    uint32_t seed;                  // with which players begin: see md5_player_gaze()
    uint64_t reserved[4];           // 0
} md5_modifier_gaze;

// Holds planted feet of a modifier of kind MD5_MODIFIER_FEET where they stand in the world, while
// blends and transitions move the animated ones: a foot by its sole, the point of the ground plane
// below its toe in the bind pose, while more than half of what plays has it stand, within `height`
// of the ground plane and moving at most at `speed`, as the clips move with their roots. It steps
// to its animated place within `release` seconds if it would be farther than `distance` from there,
// or if its leg would be stretched. The character moves by md5_player_root_motion(); a game that
// moves it otherwise carries its feet along. All rules: .github/docs/inverse_kinematics.md.
enum { MD5_MAX_HELD = 8 };
typedef struct md5_modifier_hold {
    // Joints at or below the ankles, in the order of `feet`; after the first NULL the ankles
    // themselves. Feet after the last element are not held.
    const char *toes[MD5_MAX_HELD];
    md5_hold_numbers numbers;
    uint64_t reserved[4]; // 0
} md5_modifier_hold;

// A place on a joint that the modifier does not move itself, in the pose when its turn comes.
typedef struct md5_modifier_place {
    const char *joint, *attached; // of that; NULL: of the machine's model
    md5_vec3 offset;              // in the joint's space
    bool aligned;                 // a target has the joint's rotation, too
    uint64_t reserved[2];         // 0
} md5_modifier_place;

typedef struct md5_modifier_desc {
    const char *name;
    md5_modifier_kind kind;
    const char *joint; // the joint; of a chain, its tip: hand, foot, head, end of a tail; of FEET,
                       // the pelvis; of GAZE, the head
    // TWO_BONE: elbow or knee, and shoulder or hip, for rigs with other joints between them; NULL:
    // the parent of the joint below. Each must descend from the next; no two may have the same
    // position in the bind pose.
    const char *middle, *root;
    uint32_t length; // AIM, FABRIK, CCD, SPRING: joints of the chain, tip included; 0 counts as 2
    md5_joint_space space;         // JOINT
    md5_aim_numbers aim;           // AIM; here forward and up are 1 0 0 and 0 0 1 in any axes
    md5_two_bone_numbers two_bone; // TWO_BONE
    md5_spring_numbers spring;     // SPRING
    const md5_foot_desc *feet;     // FEET: [num_feet], 1 or more
    uint32_t num_feet;
    float smoothing; // FEET: time constant of their heights, s; 0 means 0.1, MD5_ZERO means 0
    const md5_modifier_gaze *gaze; // GAZE; NULL = no eyes, and defaults
    const md5_modifier_hold *hold; // FEET; NULL = feet are not held
    float weight; // 0..1 that players begin with; 0 means 1, MD5_ZERO means 0: it is off
    // If not NULL, a parameter (eased as in md5_motion_item), or a state, curve or window (as in
    // md5_morph_desc, clamped to 0..1) drives the weight, of which the target's own is a factor
    // then. Of the last three at most one.
    const char *weight_parameter, *weight_layer, *weight_state, *weight_curve, *weight_window;
    md5_easing weight_easing;
    // If not NULL, for md5_target's. While its joint is not animated or not attached there is none.
    const md5_modifier_place *target; // AIM to CCD; JOINT: by MD5_JOINT_MODEL_OVERRIDE
    const md5_modifier_place *pole;   // TWO_BONE
    uint64_t reserved[1];             // 0
} md5_modifier_desc;

// At first the weight is the table's, `position` is not finite and `rotation` 0 0 0 0: none.
typedef struct md5_target {
    float weight;      // 0..1; 0: the modifier does nothing. FEET: only this
    md5_vec3 position; // model space. JOINT, AIM, TWO_BONE, FABRIK, CCD: not finite = none, nothing
                       // is moved there. SPRING: of the character in the world, none = 0 0 0. GAZE:
                       // a point that is worth a look now and then, 0 0 0 = none
    md5_quat rotation; // JOINT, 0 0 0 0 = none; SPRING: likewise; TWO_BONE: of the tip, if
                       // has_rotation
    bool has_rotation;
    md5_vec3 pole; // TWO_BONE: model-space point that knee or elbow bends towards, if has_pole
    bool has_pole; // false: it bends as the animation has it
    uint64_t reserved[2]; // 0
} md5_target;

// -- Morph targets --------------------------------------------------------------------------

// What drives a morph target (md5skin.h), which the machine only knows by name.
typedef enum md5_morph_drive {
    MD5_MORPH_BY_PARAMETER, // the value of a parameter; beyond a million it counts as a million
    MD5_MORPH_BY_STATE,     // the weight of a state in its layer: 1 while only it plays
    MD5_MORPH_BY_CLIP,      // a curve over the frames of a clip, by the clip's weight in its layer
    MD5_MORPH_BY_CURVE,     // md5_player_curve()
    MD5_MORPH_BY_WINDOW,    // md5_player_window()
} md5_morph_drive;

// Any number of rows may name a target: its weight is their sum. Weights of states and clips, also
// as one-shots, are those within their layer, after fades, multiplied by the layer's; layers above
// do not hide them, and masks do not matter.
typedef struct md5_morph_desc {
    const char *target;
    md5_morph_drive drive;
    const char *parameter;     // BY_PARAMETER
    const char *layer, *state; // BY_STATE
    const char *clip;          // BY_CLIP
    const md5_morph_key *keys; // BY_CLIP: [num_keys], 1 or more, linear as a curve
    uint32_t num_keys;
    float weight;         // factor, magnitude at most a million; 0 means 1, MD5_ZERO means 0
    const char *curve;    // BY_CURVE
    const char *window;   // BY_WINDOW
    uint64_t reserved[2]; // 0
} md5_morph_desc;

typedef struct md5_locations md5_locations; // opaque: of a machine file

enum { MD5_MAX_SHOTS = 64 };

typedef struct md5_report_desc { // events besides those of clips; what is not set costs nothing
    bool enter, leave, transition_end, clip_end;
    uint64_t reserved[2]; // 0
} md5_report_desc;

// Names are unique within their table; clips and motions share one. md5_create_machine() copies the
// tables and names, but not the bindings and the model.
typedef struct md5_machine_desc {
    const char *name;
    const md5_model *model;
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
    // From a machine file: the locations of the tables' words, for messages; NULL for C tables. A
    // table or row that replaces one from the file has no location, which is allowed.
    const md5_locations *locations;
    // Slots of one-shots, at most MD5_MAX_SHOTS; 0 means 4, but num_slots if there are rows, which
    // are the first ones.
    uint32_t max_shots, num_slots, num_shots;
    uint32_t num_attached; // at most MD5_MAX_ATTACHED
    uint32_t num_limits;
    const md5_slot_desc *slots;
    const md5_shot_desc *shots;
    uint64_t reserved[3]; // 0
} md5_machine_desc;

typedef struct md5_machine md5_machine;

// An error in the tables of a machine file has the file, line and column of the word; in C tables,
// line 0 and opts->file_name. MD5_ERROR_MISMATCH: a name that is unknown or used twice, also of an
// event that is no clip's, or at an exit not that of a first clip of what is left; a binding
// of another model, clips that cannot be synchronised; MD5_ERROR_MISSING: no model or binding.
// MD5_ERROR_RANGE: more than 64 names of events in conditions and exits, a frame that a clip lacks,
// a number that is not finite or out of range, a motion that is made of more than 4096 others, each
// counted as often as it is used. MD5_ERROR_SYNTAX: a mask. Warns of exits that are never reached.
// Of `opts`, file_name, allocator, warn, warn_user and max_warnings are used. Time and memory:
// linear in the tables, plus joints, clips and layers for each mask, joints for each added item or
// state, the flattened blend tree of each state, and the clips' frames times the joints and times
// the feet that are held.
MD5_PLAY_API md5_machine *md5_create_machine(const md5_machine_desc *desc,
                                             const md5_load_opts *opts, md5_error *error);
MD5_PLAY_API void md5_destroy_machine(md5_machine *machine); // after its players; NULL is allowed

// Return a name's index in its table, MD5_NONE if there is none or it is NULL. Linear: call once.
// Windows and curves, which are of all clips, have one for each name, with gaps between.
MD5_PLAY_API uint32_t md5_find_parameter(const md5_machine *machine, const char *name);
// The same for names that the program relies on: one that does not exist meets an assertion in
// debug builds.
MD5_PLAY_API uint32_t md5_require_parameter(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_clip(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_layer(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_state(const md5_machine *machine, uint32_t layer, const char *name);
MD5_PLAY_API uint32_t md5_find_modifier(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_slot(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_shot(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_window(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_curve(const md5_machine *machine, const char *name);

// The morph targets that the machine drives, in the order in which they are first named: their
// number; the name of one, which belongs to the machine, or NULL if the index is invalid.
MD5_PLAY_API uint32_t md5_machine_num_morphs(const md5_machine *machine);
MD5_PLAY_API const char *md5_machine_morph_name(const md5_machine *machine, uint32_t morph);

// Returns the speed of an item of a MD5_MOTION_BY_SPEED, in units/s: the value of the parameter at
// which only it plays. 0 for other kinds and invalid indices.
MD5_PLAY_API float md5_machine_item_speed(const md5_machine *machine, uint32_t motion,
                                          uint32_t item);

// Returns a hash of the tables, without file names, and of what they refer to: names and parents of
// joints, frame counts and rates of clips. Machines of equal ones can exchange saved players.
MD5_PLAY_API uint64_t md5_machine_fingerprint(const md5_machine *machine);

// Returns the machine's copy of the tables that it was created from: for a viewer or a debugger.
MD5_PLAY_API const md5_machine_desc *md5_machine_tables(const md5_machine *machine);

// -- Machine files --------------------------------------------------------------------------

// md5/play/machine_files.md describes the format. `clips` are desc.clips: load each clip's `file`,
// set its `binding` and desc.model, likewise the `model` of what is attached, then
// md5_create_machine(); or call md5_load_character().
typedef struct md5_machine_file {
    md5_machine_desc desc;
    md5_clip_desc *clips;        // [desc.num_clips]
    md5_attached_desc *attached; // [desc.num_attached]
    const char *model_file;      // "" if none
    uint32_t num_warnings;
    md5_internal internal;
} md5_machine_file;

// As md5_load_model(). md5_create_machine() looks up the names; the tables may be changed before. A
// 0 in the text is 0: MD5_ZERO where 0 means a default.
MD5_PLAY_API md5_machine_file *md5_load_machine_file(const char *path, const md5_load_opts *opts,
                                                     md5_error *error);
MD5_PLAY_API md5_machine_file *md5_parse_machine_file(const void *text, size_t size,
                                                      const md5_load_opts *opts, md5_error *error);
MD5_PLAY_API void md5_free_machine_file(md5_machine_file *file);

// Writes tables as a machine file and a NUL to text[size]. Reading it gives the same tables, to the
// bit, and so a machine of the same fingerprint; but an item's weight of 0, which means 1, comes
// back as 1, and a start of more than 15 digits within 4 units of its last. `model_file` is the
// model's name, NULL for none; a clip without a `file` has "". Returns the length of the text; 0,
// with MD5_ERROR_MISMATCH, if the tables hold what a file cannot have: max_shots, a number beside
// the parameter that replaces it, an exit or a frame without what it belongs to, numbers of another
// kind of row that stand in its head, a name with both kinds of quotes or more than one line.
// Linear time.
MD5_PLAY_API size_t md5_write_machine(const md5_machine_desc *desc, const char *model_file,
                                      char *text, size_t size, md5_error *error);

#ifdef __cplusplus
}
#endif

#endif
