// md5machine: descriptions of state machines, and machines built from them. Clips, masks, motions,
// states, transitions, layers and modifiers are tables, in C or read from a machine file.
//
//   md5_machine_desc --md5_create_machine()--> machine: the states of a kind of character; shared
//
// md5play.h plays it. A game without state machines can use the masks here and the easings of
// md5curve.h with the operations on single poses in md5model.h (blending) and md5pose.h (inverse
// kinematics, ...).
//
// Creating a machine checks everything; messages name the clip, joint or parameter, and its
// location if the tables come from a machine file. {0} means all defaults; if a default is not 0,
// MD5_ZERO (md5pose.h) stands for 0: fields that accept it name it. A machine is read-only and may
// be used by any number of threads.
//
// Rows that are usually written without the names of their members have no reserved ones: events,
// masks, parameters, states, conditions and feet.
//
// Time is seconds. A clip's normalised time runs from 0 to 1 over one cycle; above 1 it counts
// cycles.
#ifndef MD5MACHINE_H
#define MD5MACHINE_H

#include "md5curve.h"
#include "md5gaze.h"
#include "md5pose.h" // beside this file also when installed, like the others

#ifdef __cplusplus
extern "C" {
#endif

// -- Clips ----------------------------------------------------------------------------------

// What a clip does at its end. Each mode works at any speed, negative speeds included.
typedef enum md5_play_mode {
    MD5_PLAY_LOOP,
    MD5_PLAY_ONCE,      // holds its last frame, or its first when played backward
    MD5_PLAY_PING_PONG, // forward and back; one cycle is both
} md5_play_mode;

// Loop duration.
typedef enum md5_period {
    MD5_PERIOD_CLOSED, // id's rule, (num_frames - 1) / rate: the last frame is the first again
    MD5_PERIOD_OPEN,   // num_frames / rate: the last frame blends into the first
} md5_period;

typedef enum md5_interpolation {
    MD5_INTERPOLATE_LINEAR, // slerp and lerp
    MD5_INTERPOLATE_STEP,   // each frame holds until the next
    MD5_INTERPOLATE_CUBIC,  // smooth through the frames: md5_sample_cubic()
    MD5_INTERPOLATE_NLERP,  // as LINEAR, with rotations by md5_quat_nlerp()
} md5_interpolation;

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
} md5_event_kind;

// An event at a frame of a clip, such as a footstep. Frames count from 0 everywhere: in tables,
// machine files and messages.
typedef struct md5_event {
    uint32_t frame;          // 0 is the first
    const char *name, *text; // "footstep" and its parameter, "left"; NULL or "" = none
    // 0 in tables. In reported events `name` is that of the state or clip, `text` that of the
    // state's layer, or "", and `frame` is 0.
    md5_event_kind kind;
    uint32_t layer, index; // of the layer, else 0; of the state in it, or of the clip
} md5_event;

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
    uint32_t num_markers;
    uintptr_t reserved[4]; // 0
} md5_clip_desc;

// -- Masks ----------------------------------------------------------------------------------

// Computes the joint weights of a mask, 0 to 1, from id's channel words: `J` adds a joint, `*J` a
// joint and its descendants, `-J` and `-*J` remove them, from left to right. J is a bare word, or
// any name in quotes of either kind: `*"Bip01 L Hand"`, `'a "b"'`; there are no escapes. All of a
// quoted text is the name; only if no joint has this name, signs at its beginning count as signs:
// `"*Bip01 L Hand"`. With `feather` n > 0, a joint n levels or more below the joint of its word has
// full weight; weights above it rise linearly: (level + 1) / (n + 1). A joint that is added twice
// keeps the larger weight. Names are case-sensitive; if no joint matches, case is ignored, as in
// id's engine. Writes weights[skeleton->num_joints]. `error` may be NULL. Fails with
// MD5_ERROR_SYNTAX for an unknown joint, a stray sign or an open quote; line and column are those
// in `joints`. Time: length of the text plus words times joints.
MD5_API bool md5_build_mask(const md5_skeleton *skeleton, const char *joints, uint32_t feather,
                            float *weights, md5_error *error);

typedef struct md5_mask_desc {
    const char *name, *joints;
    uint32_t feather;
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
    float value; // initial value
} md5_parameter_desc;

// How a float parameter follows what md5_player_set() sets. Without a row it is there at once.
typedef enum md5_follow_kind {
    MD5_FOLLOW_SMOOTH, // approaches exponentially, at `rate` of what remains: md5_follow_share()
    MD5_FOLLOW_SPRING, // with inertia, by `stiffness` and `damping`: md5_follow_spring()
    MD5_FOLLOW_EASE,   // within `duration`, eased, from where it is when it is set anew
} md5_follow_kind;

// The value moves while md5_player_advance() advances by a positive time: a function of the time
// since it was set, whatever the steps. In a part of a step (md5_player_advance() says which),
// rates and weights are those of its exact mean; conditions change when it passes their values. It
// is seen at the end of the step, in event callbacks at the end of their part. md5_player_reset()
// puts it at its initial value. Players save and copy how far it is.
typedef struct md5_follow_desc {
    const char *parameter; // a float; one row for each
    md5_follow_kind kind;
    float rate;               // SMOOTH: 1/s, above 0
    float stiffness, damping; // SPRING: 1/s^2, above 0; 1/s, at least 0
    float duration;           // EASE: seconds, at least 0
    md5_easing easing;        // EASE: one without parameters
    // EASE: used instead of `easing`, for cubic Béziers and steps; NULL = `easing`. x1 and x2 must
    // be 0 to 1.
    const md5_easing_curve *curve;
    uintptr_t reserved[3]; // 0
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

// If the items of a BLEND_1D are positioned at the speeds of their clips, the blend moves at the
// speed of its parameter only at the items. Between them a cycle covers the mean of both strides at
// the mean of both rates, and the product of two means is not the mean of the products: with cycles
// of a and b seconds and strides of A and B units, the error is w (1 - w) (A - B) (1/b - 1/a),
// which is 6 % of the speed between Bobbin's walk and run, and up to 17 % for others. Markers also
// change the mean of the rates.
//
// BY_SPEED makes the parameter the speed, in units/s. Speeds are measured from the clips' root
// motion when the machine is made: displacement over a cycle divided by its seconds, along the
// direction of the fastest item; backward (or right, or down) is negative. Items must be clips that
// loop, of ascending speeds; the speed of a clip without root motion is 0. Their weights, and their
// common rate while synchronised, are chosen so that the mean speed over a whole cycle is the
// parameter, from the slowest item to the fastest; beyond these the outermost item plays at its own
// speed. The motion's own `speed` multiplies the result. If an enclosing blend space is
// synchronised, it sets the rate.

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
    // ADD: difference between the motion and frame reference_frame of this clip; NULL = the first
    // frame of its own clip.
    const char *reference;
    uint32_t reference_frame;
    // Eases weight_parameter: the weight is the y of the curve where x is the parameter, both
    // within 0..1; NULL = the parameter itself. With a parameter that follows by MD5_FOLLOW_EASE or
    // at a steady rate, this is the easing of a fade in and out. Without weight_parameter it has no
    // effect.
    const md5_easing_curve *weight_curve;
    uintptr_t reserved[3]; // 0
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
    uintptr_t reserved[4]; // 0
} md5_motion_desc;

// -- States and transitions -----------------------------------------------------------------

typedef enum md5_fade {
    MD5_FADE_CROSS,    // cross-fade: both play, the weight follows `easing`, within 0..1
    MD5_FADE_INERTIAL, // only the new one plays, and the difference decays; see below
} md5_fade;

// An inertial transition (D. Bollo, Inertialization: High-Performance Animation Transitions in
// Gears of War, GDC 2018) measures, when it begins, the difference between the pose of its layer
// and that of the new motion, and how fast it changes. From then on only the new motion plays, plus
// the remaining difference. The difference of a joint, relative to its parent, keeps its direction
// (translation) or axis (rotation, the shorter arc); its length x, units or tan(angle / 4), follows
// Bollo's quintic from x0 with velocity v0 to 0 at rest. After t seconds, with s = t / t1 and u =
// v0 t1 / x0,
//   x = x0 (1 - s)^3 (1 + (3 + u) s + (6 + 3 u + a / 2) s^2)
// v0 is the rate of change of the length at the start if it is below 0, else 0: velocity away from
//   the new motion, or perpendicular to the difference, is dropped.
// t1 = min(duration, -5 x0 / v0): a fast joint arrives sooner.
// a = max(0, -8 u - 20): the start acceleration, a x0 / t1^2, for which x cannot cross 0.
// So x never grows: no joint is ever farther from its position in the new motion alone, in this
// layer, than when the transition began, also if transitions are interrupted; and the speed at
// which it approaches does not jump. Velocities are measured over 1/256 s: of the old pose before
// the start, of the new motion after it, and not across the ends of a clip's cycles. Clips with
// MD5_INTERPOLATE_STEP have none. From or to a state without a motion the transition is a
// cross-fade.
//
// The velocity of the root, which is not in the pose, goes over likewise. The difference d of the
// velocities before the start and after it, in the space of the character, decays as an offset at
// rest: the root moves as by the new motion, plus d (1 - s)^3 (1 + 3 s + 6 s^2) with s = t /
// duration; turns likewise. Transitions that interrupt each other gather no speed: no component of
// the old velocity exceeds both that of what plays and the old one of the interrupted transition.

typedef enum md5_compare {
    MD5_IS_SET, // a bool or trigger; a float that is not 0
    MD5_IS_CLEAR,
    MD5_IS_LESS,
    MD5_IS_GREATER,
    MD5_IS_AT_MOST,
    MD5_IS_AT_LEAST,
} md5_compare;

typedef struct md5_condition {
    const char *parameter;
    md5_compare compare;
    float value;
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
    const md5_condition *conditions; // [num_conditions], all must hold
    uint32_t num_conditions;
    bool waits;     // for the exit time:
    float exit;     // normalised time of the first clip of `from`; 1 = the end of a cycle or clip.
                    // Backward it counts from the end; a state without motion is always at its end.
                    // Above 1 clips that are played once never reach it, which is a warning
    float duration; // seconds; 0 = cut
    md5_fade fade;
    md5_easing easing;      // of a cross-fade
    md5_easing_curve curve; // its numbers, if `easing` is CUBIC_BEZIER or STEPS; curve.easing is
                            // ignored
    bool keeps_phase; // `to` begins at the phase of `from`; if it waited, at the fraction of the
                      // exit, so that 1, 2, 3 are all 0. `start` is ignored then
    float start;      // normalised time at which `to` begins, added to its clips' own `start`
    int32_t priority; // the highest is taken; of equal ones the first in the table
    md5_interrupt interrupt;
    uintptr_t reserved[4]; // 0
} md5_transition_desc;

typedef struct md5_state_desc {
    const char *name, *motion; // motion NULL: the layers below show through
} md5_state_desc;

// A layer is a state machine. Each layer is blended over, or added to, those before it in the
// table.
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
    const md5_easing_curve *weight_curve; // as in md5_motion_item
    uintptr_t reserved[3];                // 0
} md5_layer_desc;

// -- Modifiers ------------------------------------------------------------------------------

// A modifier changes the pose after the layers are blended, in the order of the table. A player
// begins with the weight of the table, and the game sets the target: md5_player_target(). Springs,
// feet and gazes need none and work at once; the others change nothing until they have one.
typedef enum md5_modifier_kind {
    MD5_MODIFIER_JOINT,    // turns or moves one joint: md5_modify_joint()
    MD5_MODIFIER_AIM,      // points a chain at the target: md5_solve_aim()
    MD5_MODIFIER_TWO_BONE, // moves the tip of an arm or leg to it: md5_solve_two_bone()
    MD5_MODIFIER_FABRIK,   // moves the tip of any chain to it: md5_fabrik()
    MD5_MODIFIER_CCD,      // likewise: md5_ccd()
    MD5_MODIFIER_SPRING,   // lets a chain lag and swing: md5_solve_spring()
    MD5_MODIFIER_FEET,     // places feet on the ground, lowers the pelvis: md5_solve_feet()
    MD5_MODIFIER_GAZE,     // lets a head and eyes look about by themselves: md5_gaze_pose()
} md5_modifier_kind;

// One foot of a modifier of kind MD5_MODIFIER_FEET.
typedef struct md5_foot_desc {
    const char *ankle;
    const char *knee, *hip; // as `middle` and `root` of TWO_BONE
} md5_foot_desc;

// The eyes and numbers of a modifier of kind MD5_MODIFIER_GAZE. Except for the names they are those
// of md5_gaze_desc, with its ranges and defaults; the default distance is that many of id's units.
// The gaze starts from the middle between the eyes in the bind pose, or from the head's position.
typedef struct md5_gaze_rule {
    const char *eyes[MD5_MAX_EYES]; // joints; those after the first NULL are ignored
    uint32_t length;
    float interest; // in the target's position
    float wide, high;
    float distance;
    float least_seconds, most_seconds; // the second at least the first
    float head_share, head_seconds;
    float head_limit, eye_limit;
    uint32_t seed;         // with which players begin: see md5_player_gaze()
    uintptr_t reserved[4]; // 0
} md5_gaze_rule;

// Holds planted feet of a modifier of kind MD5_MODIFIER_FEET where they stand in the world, while
// blends and transitions move the animated ones. A foot is held by its sole: the point of the
// ground plane below its toe in the bind pose. When the machine is made, each clip is searched for
// the frames between which a sole stands: both its heights above the ground plane are at most
// `height`, and it moves at most at `speed`, as the clip moves with its root. If it is as low and
// faster, it slides on purpose. If it stands and turns by more than 30 degrees a second, it turns
// on purpose.
//
// A sole is held from the pose in which it is animated within `height` and more than half of what
// plays has it stand. It is also held if it is within half of that and moves at most at three times
// `speed`, unless more than half has it slide: a transition may keep a foot down that its clip has
// in the air. It is held where it is shown in that pose, or, if it was as low and slow in the one
// before, where it was then. It is held until it is animated higher or more than half has it slide.
// It is let go earlier if it would be farther than `distance` from where it is animated, or if its
// leg would be stretched; then it is not held for `release` seconds, in which it makes a step: it
// is lifted by a parabola whose height is a third of how far it was held away, unless it is
// animated higher.
//
// A foot that is not held returns to its animated place like a critically damped spring, to 1 %
// within `release`. It begins with the velocity it had relative to the animation, but does not go
// farther away than 1.22 times as far.
//
// The place of a sole is held level, and where it points to left or right, its heading: height and
// tilt are the animation's and the ground's. The heading is held while the place is, unless more
// than half of what plays turns the sole on purpose, and returns as the place does. A foot is
// turned about its sole by at most 45 degrees; from then on it goes along with the character. The
// character moves by md5_player_root_motion(); a game that also moves it otherwise carries its feet
// along. What plays counts by its weight at the ankle; what is added does not count.
enum { MD5_MOST_HELD = 8 };
typedef struct md5_hold_rule {
    // Joints at or below the ankles, in the order of `feet`; after the first NULL the ankles
    // themselves. Feet after the last element are not held.
    const char *toes[MD5_MOST_HELD];
    float height;          // units; 0 means 0.3 of id's units, MD5_ZERO means 0
    float speed;           // units/s; 0 means 10 of id's units, MD5_ZERO means 0
    float distance;        // units; 0 means 4 of id's units, MD5_ZERO means 0: feet are not held
    float release;         // seconds; 0 means 0.2, MD5_ZERO means 0: at once
    uintptr_t reserved[4]; // 0
} md5_hold_rule;

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
    md5_joint_space space; // JOINT
    md5_vec3 forward;      // AIM: viewing direction of the tip, in its own space; 0 0 0 means 1 0 0
    md5_vec3 up;           // AIM: up direction of the tip; 0 0 0 means 0 0 1
    float limit;           // AIM: largest turn of one joint, radians; 0 = any turn, MD5_ZERO = none
    float soften;          // TWO_BONE: last share of the reach, where it slows down; 0 = none
    float stretch;         // TWO_BONE: largest stretch factor; 0 means 1, no stretch
    float stiffness;       // SPRING: stiffness, 1/s^2; 0 means 120. MD5_ZERO: no effect
    float damping;         // SPRING: damping, 1/s; 0 means 8, MD5_ZERO means 0
    float gravity;         // SPRING: units/s^2, down model z
    const md5_foot_desc *feet; // FEET: [num_feet], 1 or more
    uint32_t num_feet;
    float smoothing; // FEET: time constant of their heights, s; 0 means 0.1, MD5_ZERO means 0
    const md5_gaze_rule *gaze; // GAZE; NULL = no eyes, and defaults
    const md5_hold_rule *hold; // FEET; NULL = feet are not held
    float weight;          // 0..1 that players begin with; 0 means 1, MD5_ZERO means 0: it is off
    uintptr_t reserved[1]; // 0
} md5_modifier_desc;

// Initially the weight is that of the table, `position` is not finite and `rotation` 0 0 0 0, which
// stand for none.
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
} md5_target;

// -- Morph targets --------------------------------------------------------------------------

// What drives a morph target (md5morph.h). The machine does not know the targets themselves, only
// their names; md5_player_morphs() (md5play.h) reports their weights.
typedef enum md5_morph_drive {
    MD5_MORPH_BY_PARAMETER, // the value of a parameter; beyond a million it counts as a million
    MD5_MORPH_BY_STATE,     // the weight of a state in its layer: 1 while only it plays
    MD5_MORPH_BY_CLIP,      // a curve over the frames of a clip, by the clip's weight in its layer
} md5_morph_drive;

// Between keys the weight is interpolated linearly; before the first and after the last it is
// theirs.
typedef struct md5_morph_key {
    uint32_t frame; // of the clip; ascending
    float weight;   // magnitude at most a million
} md5_morph_key;

// Any number of rows may name a target: its weight is their sum. Weights of states and clips are
// those within their layer, after fades, multiplied by the layer's; layers above do not hide them,
// and masks do not matter. In an inertial transition the difference decays as that of a joint at
// rest. A clip counts wherever it plays: in motions by its weight there, as a one-shot by that of
// the one-shot.
typedef struct md5_morph_desc {
    const char *target;
    md5_morph_drive drive;
    const char *parameter;     // BY_PARAMETER
    const char *layer, *state; // BY_STATE
    const char *clip;          // BY_CLIP
    const md5_morph_key *keys; // BY_CLIP: [num_keys], 1 or more
    uint32_t num_keys;
    float weight;          // factor, magnitude at most a million; 0 means 1, MD5_ZERO means 0
    uintptr_t reserved[4]; // 0
} md5_morph_desc;

// -- Machine --------------------------------------------------------------------------------

typedef struct md5_locations md5_locations; // opaque: of a machine file

enum { MD5_MOST_SHOTS = 64 };

// The kinds of events that players report besides those of clips. Those that are not reported cost
// nothing.
typedef struct md5_report_desc {
    bool enter, leave, transition_end, clip_end;
} md5_report_desc;

// Description of a machine. Names are unique within their table; clips and motions share one.
// md5_create_machine() copies the tables and names, but not the bindings and the model.
typedef struct md5_machine_desc {
    const char *name;
    const md5_model *model;
    const md5_clip_desc *clips;
    const md5_mask_desc *masks;
    const md5_parameter_desc *parameters;
    const md5_motion_desc *motions;
    const md5_layer_desc *layers;
    const md5_modifier_desc *modifiers;
    uint32_t num_clips, num_masks, num_parameters, num_motions, num_layers, num_modifiers;
    const md5_follow_desc *follows; // [num_follows]
    uint32_t num_follows;
    uint32_t
        max_shots; // slots for one-shots, md5_player_play_shot(): at most MD5_MOST_SHOTS; 0 means 4
    md5_report_desc report;
    // From a machine file: the locations of the tables' words, for messages; NULL for C tables. A
    // table or row that replaces one from the file has no location, which is allowed.
    const md5_locations *locations;
    const md5_morph_desc *morphs; // [num_morphs]
    uint32_t num_morphs;
    uintptr_t reserved[6]; // 0
} md5_machine_desc;

typedef struct md5_machine md5_machine;

// Creates a machine; free it with md5_destroy_machine(). Returns NULL on failure; the message names
// the object. An error in the tables of a machine file has the file, line and column of the word;
// in C tables, line 0 and opts->file_name. An error of a binding has the location of the clip's
// name. MD5_ERROR_MISMATCH: a name that is unknown or used twice, a binding of another model, clips
// that cannot be synchronised. MD5_ERROR_RANGE: a frame that a clip lacks, a number that is not
// finite or out of range, a motion that is made of more than 4096 others, each counted as often as
// it is used. MD5_ERROR_SYNTAX: a mask. Warns of exits that are never reached. Of `opts`,
// file_name, allocator, memory_limit, warn, warn_user and max_warnings are used. Time and memory:
// linear in the tables, plus joints, clips and layers for each mask, plus joints for each added
// item or state, plus the size of the flattened blend tree of each state, plus the clips' frames
// times the joints and times the feet that are held.
MD5_API md5_machine *md5_create_machine(const md5_machine_desc *desc, const md5_load_opts *opts,
                                        md5_error *error);
MD5_API void md5_destroy_machine(md5_machine *machine); // after all of its players

// Return the index of a name in its table, or -1 if there is none or the name is NULL. Linear in
// the table: call them once.
MD5_API int32_t md5_find_parameter(const md5_machine *machine, const char *name);
MD5_API int32_t md5_find_clip(const md5_machine *machine, const char *name);
MD5_API int32_t md5_find_motion(const md5_machine *machine, const char *name);
MD5_API int32_t md5_find_layer(const md5_machine *machine, const char *name);
MD5_API int32_t md5_find_state(const md5_machine *machine, uint32_t layer, const char *name);
MD5_API int32_t md5_find_modifier(const md5_machine *machine, const char *name);
MD5_API int32_t md5_find_mask(const md5_machine *machine, const char *name);

// The morph targets that the machine drives, each once, in the order in which they are first named.
// Returns their number; the name of one, which belongs to the machine, or NULL if the index is
// invalid; the index of a name, or -1.
MD5_API uint32_t md5_machine_num_morphs(const md5_machine *machine);
MD5_API const char *md5_machine_morph_name(const md5_machine *machine, uint32_t morph);
MD5_API int32_t md5_find_morph(const md5_machine *machine, const char *name);

// Returns the speed, in units/s, at which an item of a motion of kind MD5_MOTION_BY_SPEED moves the
// root: at this value of the parameter, only this item plays. `motion` and `item` are indices into
// the tables. Returns 0 for other kinds and invalid indices.
MD5_API float md5_machine_item_speed(const md5_machine *machine, uint32_t motion, uint32_t item);

// Returns a hash of the tables, without file names, and of what they refer to: names and parents of
// joints, frame counts and frame rates of clips. It is equal on all platforms. Machines of equal
// fingerprints can exchange saved players: md5_player_save().
MD5_API uint64_t md5_machine_fingerprint(const md5_machine *machine);

// Returns the machine's copy of the tables that it was created from: for a viewer or a debugger.
MD5_API const md5_machine_desc *md5_machine_tables(const md5_machine *machine);

// -- Machine files --------------------------------------------------------------------------

// A machine file; md5/play/machine_files.md describes the format. `clips` are desc.clips: load each
// clip's `file`, set its `binding` and desc.model, then md5_create_machine(&file->desc). In one
// call: md5_load_character() (md5character.h).
typedef struct md5_machine_file {
    md5_machine_desc desc;
    md5_clip_desc *clips;   // [desc.num_clips]
    const char *model_file; // "" if none
    uint32_t num_warnings;
    md5_allocator allocator;
    void *memory; // holds all of this
} md5_machine_file;

// Load a machine file, with parameters and failures as md5_load_model(). md5_create_machine() looks
// up the names; the tables may be changed before. A 0 in the text is 0: MD5_ZERO where 0 means a
// default.
MD5_API md5_machine_file *md5_load_machine_file(const char *path, const md5_load_opts *opts,
                                                md5_error *error);
MD5_API md5_machine_file *md5_parse_machine_file(const void *text, size_t size,
                                                 const md5_load_opts *opts, md5_error *error);
MD5_API void md5_free_machine_file(md5_machine_file *file);

#ifdef __cplusplus
}
#endif

#endif
