// md5play: what a character does, and when. Clips, blend spaces, layers, state machines,
// transitions, events and root motion, over md5model.h and md5pose.h.
//
//   md5_machine_desc --md5_create_machine()--> machine: what a kind of character can do; shared
//   machine --md5_create_player()--> player: what one character is doing
//        --md5_player_advance()--> time passes: states change, events fire, the root moves
//        --md5_player_pose()--> layers are blended, modifiers applied: pose, joints, palette
//
// or both for a whole crowd at once by md5_play_batch(). A game that wants none of the machine
// uses what there is for poses by themselves: blending (md5model.h), masks (below), inverse
// kinematics, mirroring, retargeting (md5pose.h).
//
// Everything is checked when a machine is made, with messages that name the clip, joint or
// parameter, and where it stands if the tables come from a machine file. {0} means all defaults;
// where that is not 0, MD5_ZERO (md5pose.h) says 0: fields that take it name it. After that nothing
// allocates and nothing can fail. A machine is read-only and may be used by any number of threads;
// a player belongs to one thread at a time.
//
// Time is seconds. A clip's normalised time runs from 0 to 1 over one cycle; above 1 it counts
// cycles. A pose is md5_transform[model joints], relative to the parent, in joint order.
#ifndef MD5PLAY_H
#define MD5PLAY_H

#include "md5pose.h" // beside this file also when installed, like md5model.h

#ifdef __cplusplus
extern "C" {
#endif

// -- Clips ----------------------------------------------------------------------------------

// How a clip goes on at its end. Each works at any speed, also a negative one.
typedef enum md5_play_mode {
    MD5_PLAY_LOOP,
    MD5_PLAY_ONCE,      // holds its last frame, or its first when played backward
    MD5_PLAY_PING_PONG, // forward and back; one cycle is both
} md5_play_mode;

// How long one cycle is.
typedef enum md5_period {
    MD5_PERIOD_CLOSED, // id's rule, (num_frames - 1) / rate: the last frame is the first again
    MD5_PERIOD_OPEN,   // num_frames / rate: the last frame blends into the first
} md5_period;

typedef enum md5_interpolation {
    MD5_INTERPOLATE_LINEAR, // slerp and lerp
    MD5_INTERPOLATE_STEP,   // each frame holds until the next
    MD5_INTERPOLATE_CUBIC,  // smooth through the frames: md5_sample_cubic()
} md5_interpolation;

// What of joint 0's way is taken out of the pose and given by md5_player_root_motion().
typedef enum md5_extract {
    MD5_EXTRACT_NONE, // left in the pose as stored
    MD5_EXTRACT_MOVE, // translation, all three axes
    MD5_EXTRACT_WALK, // translation along x and y; z is left in
    MD5_EXTRACT_TURN, // as WALK, and rotation about z (yaw)
} md5_extract;

// Something that happens at a frame of a clip, like a footstep. Frames count from 0 in all tables;
// in messages, as in machine files, from 1.
typedef struct md5_event {
    uint32_t frame;          // 0 is the first
    const char *name, *text; // "footstep", and what belongs to it, "left"; NULL or "" = nothing
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
    // Frames at which motions of one blend space meet, as "left foot down", "right foot down", with
    // MD5_SYNC_MARKERS: the i-th of one clip goes with the i-th of the other. Ascending.
    const uint32_t *markers; // [num_markers]
    uint32_t num_markers;
} md5_clip_desc;

// -- Masks ----------------------------------------------------------------------------------

// Joint weights of a mask, 0 to 1, from id's channel words: `J` adds a joint, `*J` it and all
// below it, `-J` and `-*J` take away, left to right. J is a bare word, or in quotes of either kind
// whatever the name is: `*"Bip01 L Hand"`, `'a "b"'`; there are no escapes. In quotes all is the
// name; only if no joint has it, signs at its beginning count: `"*Bip01 L Hand"`. With `feather`
// n > 0 a joint n levels or more below the top of what it was added with has its whole weight,
// those above rise linearly: (level + 1) / (n + 1). Writes weights[skeleton->num_joints]. An
// unknown joint, a stray sign or a quote without end is MD5_ERROR_SYNTAX, its line and column the
// place in `joints`. Time linear in the text, times the joints for each word. A joint that was
// added twice keeps the larger weight. Names are case-sensitive, unless none is met so: then, as in
// id's engine, any case will do. `error` may be NULL.
MD5_API bool md5_make_mask(const md5_skeleton *skeleton, const char *joints, uint32_t feather,
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
    float value; // at the start
} md5_parameter_desc;

// -- Motions --------------------------------------------------------------------------------

// What gives a pose. Each clip is one by its own name, looping at speed 1; the others are made of
// motions that stand before them in the table.
typedef enum md5_motion_kind {
    MD5_MOTION_CLIP,     // a clip, played in another way than as it stands
    MD5_MOTION_BLEND_1D, // a place on a line: the two neighbours, by distance
    MD5_MOTION_BLEND_2D, // a place in a plane: gradient band weights (Johansen 2009, 6.3)
    MD5_MOTION_STACK,    // the first item, then each one laid over or added to what is there
    MD5_MOTION_BY_SPEED, // clips on a line, where their own speeds are: see below
} md5_motion_kind;

// A blend of a walk and a run has the speed of its parameter only at its items, if it is a BLEND_1D
// whose items stand at their clips' speeds. Between them a cycle covers the mean of both strides in
// the mean of both rates, and the product of two means is not the mean of the products: with cycles
// of a and b seconds and strides of A and B units, it is off by w (1 - w) (A - B) (1/b - 1/a),
// which is 6 % of the speed between Bobbin's walk and run, and up to 17 % between others. Markers
// change the mean of the rates besides.
//
// BY_SPEED makes the parameter the speed, in units/s. Speeds are measured from the clips' root
// motion when the machine is made: displacement over a cycle divided by its seconds, along the
// direction of the fastest item; backward (or right, or down) is negative. Items must be clips that
// loop, of ascending speeds; one that moves nothing stands at 0. Their weights, and the pace of all
// of them while they keep step, are chosen so that the mean speed over a whole cycle is the
// parameter, from the slowest item to the fastest; beyond these the outermost goes at its own
// speed. The motion's own `speed` multiplies it. If a blend space around it keeps step, that sets
// the pace.

// How the items of a blend space keep step: the clips of all of them, also of spaces within, and
// of stacks their first item's. They must go on for ever, with markers without turning round.
typedef enum md5_sync {
    MD5_SYNC_NONE,    // each in its own time
    MD5_SYNC_PHASE,   // at the same normalised time, at the weighted mean of their speeds
    MD5_SYNC_MARKERS, // likewise, from marker to marker: each clip has as many
} md5_sync;

typedef enum md5_layer_mode {
    MD5_LAYER_OVERRIDE,
    MD5_LAYER_ADD, // the difference between the motion and its reference is added
} md5_layer_mode;

typedef struct md5_motion_item {
    const char *motion;
    float x, y; // blend spaces: its place; x ascending in 1D; BY_SPEED: both 0
    // Stacks, from the second item on. Its weight, 0..1, is that of weight_parameter, or, where
    // that is NULL, `weight`, 0 counting as 1 and MD5_ZERO as 0.
    md5_layer_mode mode;
    const char *mask; // NULL = all joints
    float weight;
    const char *weight_parameter;
    // ADD: the motion is a difference to frame reference_frame of this clip; NULL = its own first.
    const char *reference;
    uint32_t reference_frame;
} md5_motion_item;

typedef struct md5_motion_desc {
    const char *name;
    md5_motion_kind kind;
    const char *clip; // MD5_MOTION_CLIP
    md5_play_mode mode;
    double start;                          // MD5_MOTION_CLIP: normalised time to begin at
    float speed;                           // 0 counts as 1, MD5_ZERO as 0: a still
    const char *speed_parameter;           // times its value; NULL = times 1
    const char *x_parameter, *y_parameter; // blend spaces
    md5_sync sync;                         // blend spaces
    const md5_motion_item *items;          // [num_items]
    uint32_t num_items;
} md5_motion_desc;

// -- States and transitions -----------------------------------------------------------------

typedef enum md5_easing {
    MD5_EASE_LINEAR,
    MD5_EASE_SMOOTH,
    MD5_EASE_QUADRATIC_IN,
    MD5_EASE_QUADRATIC_OUT,
    MD5_EASE_QUADRATIC_IN_OUT,
    MD5_EASE_CUBIC_IN,
    MD5_EASE_CUBIC_OUT,
    MD5_EASE_CUBIC_IN_OUT,
    MD5_EASE_EXPONENTIAL_IN,
    MD5_EASE_EXPONENTIAL_OUT,
    MD5_EASE_SINE_IN_OUT,
} md5_easing;

// The eased part of `t`, clamped to 0..1, NaN counting as 0: 0 at 0, 1 at 1, rising between.
// SMOOTH is 3 t^2 - 2 t^3.
MD5_API float md5_ease(md5_easing easing, float t);

typedef enum md5_fade {
    MD5_FADE_CROSS,    // both play, the weight goes over by `easing`
    MD5_FADE_INERTIAL, // only the new one plays, and the difference decays; see below
} md5_fade;

// An inertial transition (D. Bollo, Inertialization: High-Performance Animation Transitions in
// Gears of War, GDC 2018) takes, when it begins, how the pose of its layer differs from that of the
// new motion, and how fast. From then on only the new motion plays, plus what is left of the
// difference. That of a joint, relative to its parent, keeps its direction (translation) or axis
// (rotation, the shorter way round); its length x, units or tan(angle / 4), follows Bollo's quintic
// from x0 with velocity v0 to 0 at rest. After t seconds, with s = t / t1 and u = v0 t1 / x0,
//   x = x0 (1 - s)^3 (1 + (3 + u) s + (6 + 3 u + a / 2) s^2)
// v0 is the rate at which the length changed at the start if that is below 0, else 0: velocity that
//   leads away from the new motion, or across, is dropped.
// t1 = min(duration, -5 x0 / v0): a joint that is fast enough arrives sooner.
// a = max(0, -8 u - 20): the start acceleration, a x0 / t1^2, for which x cannot cross 0.
// So x never grows: however the new motion goes on, and whatever is broken off, no joint is ever
// farther from where the new motion alone has it in this layer than when the transition began; and
// the speed at which it comes nearer does not jump. Velocities are measured over 1/256 s: of what
// was shown, before the start; of the new motion, after it; not across the ends of a clip's cycles.
// Clips with MD5_INTERPOLATE_STEP have none. From or to a state that is nothing the transition is a
// CROSS one.

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

// What may break off a transition that is under way. What is under way goes on under the new one,
// so that nothing jumps; when there are more than four states the oldest two stop where they are.
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
    float exit;     // normalised time of `from` to be reached; 1 = the end of a cycle or clip.
                    // Backward it counts from the end; what is nothing is always at its end
    float duration; // seconds; 0 = cut
    md5_fade fade;
    md5_easing easing;
    bool keeps_phase; // `to` begins where `from` is within its cycle, if it waited the exit's own
                      // fraction, so that 1, 2, 3 are all 0; instead of:
    float start;      // normalised time at which `to` begins, added to its clips' own `start`
    int32_t priority; // the highest that can be taken is; of equals the first in the table
    md5_interrupt interrupt;
} md5_transition_desc;

typedef struct md5_state_desc {
    const char *name, *motion; // motion NULL = nothing: the layer lets through what is below
} md5_state_desc;

// Layers are laid over one another in the order of the table. Each is a state machine.
typedef struct md5_layer_desc {
    const char *name;
    md5_layer_mode mode; // MD5_LAYER_ADD: reference as in md5_motion_item
    const char *reference;
    uint32_t reference_frame;
    const char *mask; // NULL = all joints
    float weight;     // as in md5_motion_item
    const char *weight_parameter;
    const md5_state_desc *states;           // [num_states], the first is the one to start in
    const md5_transition_desc *transitions; // [num_transitions]
    uint32_t num_states, num_transitions;
} md5_layer_desc;

// -- Modifiers ------------------------------------------------------------------------------

// What changes the pose after the layers, in the order of the table. Where to and how strongly
// is set for each player: md5_player_target().
typedef enum md5_modifier_kind {
    MD5_MODIFIER_JOINT,    // one joint turned or moved: md5_modify_joint()
    MD5_MODIFIER_AIM,      // a chain that looks at the target: md5_aim()
    MD5_MODIFIER_TWO_BONE, // arm or leg that reaches for it: md5_two_bone()
    MD5_MODIFIER_FABRIK,   // any chain that does: md5_fabrik()
    MD5_MODIFIER_CCD,      // likewise: md5_ccd()
    MD5_MODIFIER_SPRING,   // a chain that lags behind and swings: md5_spring()
} md5_modifier_kind;

typedef struct md5_modifier_desc {
    const char *name;
    md5_modifier_kind kind;
    const char *joint; // the joint; of a chain, its tip: hand, foot, head, end of a tail
    // TWO_BONE: elbow or knee, and shoulder or hip, for rigs with other joints between them; NULL:
    // the parent of the joint below. They must hang on each other and, in the bind pose, lie apart.
    const char *middle, *root;
    uint32_t length; // AIM, FABRIK, CCD, SPRING: joints of the chain, tip included; 0 counts as 2
    md5_joint_space space; // JOINT
    md5_vec3 forward;      // AIM: which way the tip looks, in its own space; 0 0 0 counts as 1 0 0
    md5_vec3 up;           // AIM: its own up; 0 0 0 counts as 0 0 1
    float limit;           // AIM: largest turn of one joint, radians; 0 = any turn, MD5_ZERO = none
    float soften;          // TWO_BONE: last share of the reach, where it slows down; 0 = nowhere
    float stretch;         // TWO_BONE: how far it may stretch; 0 counts as 1, not at all
    float stiffness; // SPRING: how fast it comes back, 1/s^2; 0 counts as 120. MD5_ZERO: no effect
    float damping;   // SPRING: how fast it calms, 1/s; 0 counts as 8, MD5_ZERO as 0
    float gravity;   // SPRING: units/s^2, down model z
} md5_modifier_desc;

typedef struct md5_target {
    float weight;      // 0..1; 0, as at the start: the modifier does nothing
    md5_vec3 position; // model space; SPRING: of the character in the world
    md5_quat rotation; // JOINT; SPRING: likewise; TWO_BONE: of the tip, where has_rotation
    bool has_rotation;
    md5_vec3 pole; // TWO_BONE: model-space point that knee or elbow bends towards, where has_pole
    bool has_pole; // false: it bends as the animation has it
} md5_target;

// -- Machine --------------------------------------------------------------------------------

typedef struct md5_places md5_places; // opaque: of a machine file

// All of what a kind of character can do. Names are unique within their table; clips and motions
// share one. Everything that is named is copied; bindings and the model are referred to.
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
    // From a machine file: the locations of the tables' words, for messages; NULL: tables of C. A
    // table or row that replaces one from the file has no location, which does no harm.
    const md5_places *places;
} md5_machine_desc;

typedef struct md5_machine md5_machine;
typedef struct md5_player md5_player;

// Returns NULL on failure; the message names what it is about. An error in the tables of a machine
// file has the file, line and column of that word; in other tables line 0 and opts->file_name. One
// about a binding has the location of the clip's name. MD5_ERROR_MISMATCH: a name that is unknown
// or there twice, a binding of another model, clips that cannot keep step. MD5_ERROR_RANGE: a frame
// that a clip lacks, a number that is not finite or outside what it may be, a motion that is made
// of more than 4096 others, each counted as often as it is used. MD5_ERROR_SYNTAX: a mask. Of
// `opts`, file_name, allocator and memory_limit are used. Time and memory linear in the tables,
// each mask and each added item or state times the joints, each state's motion times what it is
// made of.
MD5_API md5_machine *md5_create_machine(const md5_machine_desc *desc, const md5_load_opts *opts,
                                        md5_error *error);
MD5_API void md5_free_machine(md5_machine *machine); // after all of its players

// The number that stands for a name, or -1. Linear in the table: ask once.
MD5_API int32_t md5_find_parameter(const md5_machine *machine, const char *name);
MD5_API int32_t md5_find_layer(const md5_machine *machine, const char *name);
MD5_API int32_t md5_find_state(const md5_machine *machine, uint32_t layer, const char *name);
MD5_API int32_t md5_find_modifier(const md5_machine *machine, const char *name);

// The speed, in units a second, at which an item of a motion of kind MD5_MOTION_BY_SPEED moves the
// root: the value of its parameter that shows this item alone. `motion` and `item` are indices into
// the tables. 0 for other kinds and invalid indices.
MD5_API float md5_item_speed(const md5_machine *machine, uint32_t motion, uint32_t item);

// The tables that a machine was made from, as it keeps them: for a viewer or a debugger.
MD5_API const md5_machine_desc *md5_machine_tables(const md5_machine *machine);

// -- Player ---------------------------------------------------------------------------------

// One block of memory, in the machine's start states at time 0. Of `opts`, allocator and
// memory_limit are used. NULL only when there is no memory.
MD5_API md5_player *md5_create_player(const md5_machine *machine, const md5_load_opts *opts,
                                      md5_error *error);
MD5_API void md5_free_player(md5_player *player);

// Back to how md5_create_player() made it.
MD5_API void md5_player_reset(md5_player *player);

// False when the value is not finite or there is no such parameter. Any but 0 sets a trigger or
// bool.
MD5_API bool md5_player_set(md5_player *player, uint32_t parameter, float value);
MD5_API float md5_player_get(const md5_player *player, uint32_t parameter); // 0 if there is none

// Goes to a state without asking the machine's transitions: by a fade of `duration` seconds.
// False, and nothing happens, when layer or state is none.
MD5_API bool md5_player_go(md5_player *player, uint32_t layer, uint32_t state, float duration,
                           md5_fade fade, md5_easing easing);

// The same at once, at a normalised time; no event fires and the root does not move.
MD5_API bool md5_player_seek(md5_player *player, uint32_t layer, uint32_t state, double time);

// A modifier's target, to be written at any time; NULL if there is none.
MD5_API md5_target *md5_player_target(md5_player *player, uint32_t modifier);

// Called for each event that is passed, in the order of time, at one moment in the order of layers
// and clips, with the weight that its clip has in its layer at that moment, above 0 and at most 1.
// What weighs nothing (less than 1e-6 in its layer) is silent: a clip without weight in its motion,
// a motion that has faded out, one that gives way to an inertial transition. The layer's own weight
// does not count. `event` is the machine's. The player must not be changed meanwhile.
typedef void md5_event_fn(void *user, md5_player *player, const md5_event *event, float weight);

// In one md5_player_advance(): events that it walks through, silent ones included, and stretches
// and transitions that it makes of its time, each in well under a microsecond for a small machine.
enum { MD5_MAX_STEP_EVENTS = 65536, MD5_MAX_STEP_PARTS = 65536 };

// Lets `seconds` pass, which may be 0 or negative; what is not finite counts as 0, more than a
// million as that. Transitions are taken as soon as they can be: before time passes, wherever
// within the step one ends or comes to its exit, and once more at the end. The step is divided
// there, so that a transition takes up exactly where the last one left. Clips go on between, and
// events fire.
//
// Which events: in each stretch those in (before, now]. To these comes what lies where a state
// begins, as soon as it does; if it comes in by a fade, with the weight of the middle of the fade's
// first eighth. A state that leads on in the same moment is silent. Of what lies at the very exit
// the state that is left fires all but what belongs to a cycle that would begin there, and the new
// one what lies where it begins. So at a whole cycle the last frame of the one sounds and the first
// frame of the other, never both first frames. A state that keeps the phase and begins within a
// cycle goes on from there: what lies there has been passed, and sounds in the state that is left.
// Backward likewise, in the opposite order; what lies where a state begins is in the table's order.
//
// It makes no difference how a stretch of time is split into steps, forward or backward (but not
// both), also into steps of 0: the same events come in the same order, each with the same weight to
// rounding, in the same states at the same times; nor does it matter whether md5_player_pose() is
// called. So that rounding of the times makes none, what is nearer than 1e-9 of a cycle or second
// counts as reached: this holds as long as cycles in one step and steps since a clip began are
// fewer than a million. An exit or a start that is within the rounding of a float (6e-8) of a frame
// is at that frame.
//
// Backward in time clips go back, but transitions go on: fades proceed by the amount of `seconds`.
// An exit is then not reached, as clips go away from it.
//
// Transitions that lead in a circle in which no time passes are gone round once; then the layer
// rests, until a parameter changes, a fade ends, or an exit is reached that was not at the start.
//
// Time is bounded: beyond MD5_MAX_STEP_EVENTS events are dropped and counted, beyond
// MD5_MAX_STEP_PARTS the rest of the step passes in one piece, in which no transition is taken:
// md5_player_last_advance(). `events` may be NULL.
MD5_API void md5_player_advance(md5_player *player, double seconds, md5_event_fn *events,
                                void *user);

// What came of the last md5_player_advance(). In all but extreme steps the last two are 0.
typedef struct md5_advance_status {
    uint32_t num_events;  // that fired
    uint64_t num_dropped; // that did not for MD5_MAX_STEP_EVENTS, silent ones included
    double undivided;     // seconds at the end that passed in one piece for MD5_MAX_STEP_PARTS
} md5_advance_status;
MD5_API md5_advance_status md5_player_last_advance(const md5_player *player);

// How the root moved in the last md5_player_advance(), by MD5_EXTRACT_* of what is playing, blended
// as the poses are: in the space of the character as it was before. The new place is place *
// motion; composed over any split of a stretch of time it is the whole: to rounding, but to the
// second order of short steps while weights change or ways that turn are blended.
MD5_API md5_transform md5_player_root_motion(const md5_player *player);

// Writes the pose as it is now; `joints` and `palette`, [model joints], may be NULL. It is the same
// bits however often, or whether, a pose was written before: everything else is done when time
// passes. Springs alone go on from pose to pose, see md5_spring(): a player that has some is to be
// posed regularly, also unseen.
// `scratch` is md5_player_scratch() bytes at any address, used by no other thread meanwhile.
MD5_API void md5_player_pose(md5_player *player, void *scratch, md5_transform *pose,
                             md5_mat34 *joints, md5_mat34 *palette);
MD5_API size_t md5_player_scratch(const md5_machine *machine);

// What one layer is doing, for a panel.
typedef struct md5_layer_status {
    uint32_t state; // the one it is in, or going to
    int32_t from;   // the one that it comes from, or -1: no transition is running
    float progress; // of the transition, 0..1, before easing
    double time;    // normalised time of `state`
    float weight;   // of the layer
} md5_layer_status;
MD5_API md5_layer_status md5_player_layer(const md5_player *player, uint32_t layer);

// The box of the pose: of model-space joints, widened by how far the model's vertices lie from
// their joints. Cheap, never too small.
MD5_API md5_bounds md5_player_bounds(const md5_player *player, const md5_mat34 *joints);

// One character of a crowd.
typedef struct md5_play_job {
    md5_player *player; // in one job only
    double seconds;
    md5_event_fn *events; // or NULL
    void *user;
    md5_mat34 *joints;    // [model joints] or NULL
    md5_mat34 *palette;   // [model joints] or NULL
    md5_transform motion; // written: md5_player_root_motion()
} md5_play_job;

// md5_player_advance() and md5_player_pose() for `count` characters of any machines, the same bits.
// Fastest where those of one model stand together. `scratch` is md5_play_batch_scratch() bytes at
// any address, for these jobs or any part of them: some 1.3 KB for each joint of the largest model.
// To spread a crowd over threads, give each a part of the array and scratch of its own.
MD5_API void md5_play_batch(md5_play_job *jobs, size_t count, void *scratch);
MD5_API size_t md5_play_batch_scratch(const md5_play_job *jobs, size_t count);

// -- Machine files --------------------------------------------------------------------------

// A machine as text; md5/play/machine_files.md describes it. `clips` are desc.clips: load each
// clip's `file`, set its `binding` and desc.model, then md5_create_machine(&file->desc).
typedef struct md5_machine_file {
    md5_machine_desc desc;
    md5_clip_desc *clips;   // [desc.num_clips]
    const char *model_file; // "" if it names none
    uint32_t num_warnings;
    md5_allocator allocator;
    void *memory; // that all of this lies in
} md5_machine_file;

// As md5_load_model(). Names are not looked up yet: md5_create_machine() does that. The tables may
// be changed first. What stands in the text as 0 is 0: MD5_ZERO where 0 is a default.
MD5_API md5_machine_file *md5_load_machine_file(const char *path, const md5_load_opts *opts,
                                                md5_error *error);
MD5_API md5_machine_file *md5_parse_machine_file(const void *text, size_t size,
                                                 const md5_load_opts *opts, md5_error *error);
MD5_API void md5_free_machine_file(md5_machine_file *file);

#ifdef __cplusplus
}
#endif

#endif
