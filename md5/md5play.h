// md5play: state machines and their players: states and transitions, events, root motion, poses.
//
//   md5_machine_desc --md5_create_machine()--> machine: the states of a kind of character; shared
//   machine --md5_create_player()--> player: the playback state of one character
//        --md5_player_advance()--> advances time: states change, events fire, the root moves
//        --md5_player_pose()--> blends layers, applies modifiers: pose, joints, palette
//
// md5_load_character() loads a machine with its model and clips; md5_play_batch() plays a crowd.
//
// Creating a machine checks everything. After a player is created nothing allocates and nothing can
// fail: what sets something returns false, and changes nothing, if an index is invalid or a number
// not finite. A machine is read-only, for any number of threads, a player for one at a time.
//
// {0} means all defaults; members whose default is not 0 take MD5_ZERO for 0 where they name it.
// Name the members of rows, whose last ones are reserved.
//
// Time is seconds. A clip's normalised time runs from 0 to 1 over one cycle; above 1 it counts
// cycles. A pose is md5_xform[model joints], relative to the parent, in joint order.
#ifndef MD5PLAY_H
#define MD5PLAY_H

#include "md5curve.h" // beside this file also when installed, like the other
#include "md5pose.h"

#ifdef __cplusplus
extern "C" {
#endif

// == Machines ====================================================================================
// Tables, in C or read from a machine file.

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
    uint64_t reserved[2];  // 0
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
    uint64_t reserved[4]; // 0
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

typedef struct md5_condition {
    const char *parameter;
    md5_comparison compare;
    float value;
    uint64_t reserved[2]; // 0
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
    md5_easing easing; // of a cross-fade
    bool keeps_phase;  // `to` begins at the phase of `from`; if it waited, at the fraction of the
                       // exit, so that 1, 2, 3 are all 0. `start` is ignored then
    float start;       // normalised time at which `to` begins, added to its clips' own `start`
    int32_t priority;  // the highest is taken; of equal ones the first in the table
    md5_interrupt interrupt;
    uint64_t reserved[4]; // 0
} md5_transition_desc;

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

// -- Modifiers ------------------------------------------------------------------------------

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
    float weight;         // 0..1 that players begin with; 0 means 1, MD5_ZERO means 0: it is off
    uint64_t reserved[1]; // 0
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
} md5_morph_drive;

// Weights are linear between keys; before the first and after the last they are theirs.
typedef struct md5_morph_key {
    uint32_t frame;       // of the clip; ascending
    float weight;         // magnitude at most a million
    uint64_t reserved[2]; // 0
} md5_morph_key;

// Any number of rows may name a target: its weight is their sum. Weights of states and clips, also
// as one-shots, are those within their layer, after fades, multiplied by the layer's; layers above
// do not hide them, and masks do not matter.
typedef struct md5_morph_desc {
    const char *target;
    md5_morph_drive drive;
    const char *parameter;     // BY_PARAMETER
    const char *layer, *state; // BY_STATE
    const char *clip;          // BY_CLIP
    const md5_morph_key *keys; // BY_CLIP: [num_keys], 1 or more
    uint32_t num_keys;
    float weight;         // factor, magnitude at most a million; 0 means 1, MD5_ZERO means 0
    uint64_t reserved[4]; // 0
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
    uint32_t num_clips, num_masks, num_parameters, num_motions, num_layers, num_modifiers;
    uint32_t num_follows, num_morphs;
    md5_report_desc report;
    // From a machine file: the locations of the tables' words, for messages; NULL for C tables. A
    // table or row that replaces one from the file has no location, which is allowed.
    const md5_locations *locations;
    uint32_t max_shots;   // slots of md5_player_play_shot(): at most MD5_MAX_SHOTS; 0 means 4
    uint64_t reserved[6]; // 0
} md5_machine_desc;

typedef struct md5_machine md5_machine;

// An error in the tables of a machine file has the file, line and column of the word; in C tables,
// line 0 and opts->file_name. MD5_ERROR_MISMATCH: a name that is unknown or used twice, a binding
// of another model, clips that cannot be synchronised; MD5_ERROR_MISSING: no model or binding.
// MD5_ERROR_RANGE: a frame that a clip lacks, a number that is not finite or out of range, a motion
// that is made of more than 4096 others, each counted as often as it is used. MD5_ERROR_SYNTAX: a
// mask. Warns of exits that are never reached. Of `opts`, file_name, allocator, warn, warn_user and
// max_warnings are used. Time and memory: linear in the tables, plus joints, clips and layers for
// each mask, joints for each added item or state, the flattened blend tree of each state, and the
// clips' frames times the joints and times the feet that are held.
MD5_PLAY_API md5_machine *md5_create_machine(const md5_machine_desc *desc,
                                             const md5_load_opts *opts, md5_error *error);
MD5_PLAY_API void md5_destroy_machine(md5_machine *machine); // after all of its players

// Return a name's index in its table, MD5_NONE if there is none or it is NULL. Linear: call once.
MD5_PLAY_API uint32_t md5_find_parameter(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_clip(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_layer(const md5_machine *machine, const char *name);
MD5_PLAY_API uint32_t md5_find_state(const md5_machine *machine, uint32_t layer, const char *name);
MD5_PLAY_API uint32_t md5_find_modifier(const md5_machine *machine, const char *name);

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
// set its `binding` and desc.model, then md5_create_machine(); or call md5_load_character().
typedef struct md5_machine_file {
    md5_machine_desc desc;
    md5_clip_desc *clips;   // [desc.num_clips]
    const char *model_file; // "" if none
    uint32_t num_warnings;
    md5_allocator allocator;
    void *memory; // holds all of this
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

// == Players =====================================================================================

typedef struct md5_player md5_player;

// Creates a player in the machine's start states at time 0, in one block of memory. The machine
// must outlive it. `allocator` may be NULL: the machine's. Fails only if memory runs out.
MD5_PLAY_API md5_player *md5_create_player(const md5_machine *machine,
                                           const md5_allocator *allocator, md5_error *error);
MD5_PLAY_API void md5_destroy_player(md5_player *player);
MD5_PLAY_API void md5_player_reset(md5_player *player); // to its state after md5_create_player()

// Sets a parameter; any value but 0 sets a trigger or bool.
MD5_PLAY_API bool md5_player_set(md5_player *player, uint32_t parameter, float value);
MD5_PLAY_API float md5_player_get(const md5_player *player, uint32_t parameter); // 0 if invalid
// Whether a condition is met by the parameters as they are; false if it names none of them.
MD5_PLAY_API bool md5_player_is_met(const md5_player *player, const md5_condition *condition);

// Starts a transition to a state over `duration` seconds, whatever the machine's own.
MD5_PLAY_API bool md5_player_fade_to(md5_player *player, uint32_t layer, uint32_t state,
                                     float duration, md5_fade fade, md5_ease_kind easing);

// Switches to a state at a normalised time; no event fires and the root does not move.
MD5_PLAY_API bool md5_player_seek(md5_player *player, uint32_t layer, uint32_t state, double time);

// -- One-shots ------------------------------------------------------------------------------

// A one-shot is a clip that a game plays over the layers: a hit, a wave, a reload. A player has
// md5_machine_desc.max_shots slots for them, numbered from 0; a one-shot in a higher slot is played
// over those in lower ones. What it does at the end of its clip:
typedef enum md5_shot_end {
    MD5_SHOT_ENDS,  // has faded out by then
    MD5_SHOT_HOLDS, // holds the last frame until it is stopped
    MD5_SHOT_LOOPS, // plays on until it is stopped
} md5_shot_end;

typedef struct md5_shot_desc {
    md5_layer_mode mode; // MD5_LAYER_ADD: the difference between the clip and a reference is added
    const char *mask;    // of the machine; NULL = all joints
    const char *layer;   // it is played over this layer, below the next; NULL = over all layers
    const char *reference; // ADD: clip; NULL = its own
    uint32_t reference_frame;
    float weight; // 0..1; 0 means 1, MD5_ZERO means 0
    float speed;  // 0 means 1, MD5_ZERO means 0: a still. Negative: backward from its end
    double start; // normalised time at which it begins, 0..1; backward it counts from the end
    float fade_in, fade_out; // seconds at its start, and before its end; 0 = cut
    md5_shot_end end;
    // A weight is the eased share of the fade in that has passed, or 1 minus that of the fade out;
    // where an easing overshoots, it stays at 0 or 1.
    md5_easing fade_in_easing, fade_out_easing;
    uint64_t reserved[4]; // 0
} md5_shot_desc;

// Plays a clip as a one-shot. `desc` may be NULL. One that plays in the slot already fades out
// while the new one fades in, by the same easing, joint by joint, so that nothing jumps; of five in
// one slot the one of least weight ends abruptly. Its weight is the product of `weight` and both
// fades, which may overlap. Events of its clip fire as those of a state; within the fades their
// weight is at least that in the middle of the first or last eighth. Its root motion is added as a
// layer's is, by its weight at joint 0; one without root motion that covers joint 0 stops the
// character. Backward in time it plays backward and does not end.
MD5_PLAY_API bool md5_player_play_shot(md5_player *player, uint32_t slot, uint32_t clip,
                                       const md5_shot_desc *desc);

// Stops what plays in a slot, over `fade_out` seconds and by the easing of its own fade out, or at
// once if that is not above 0. One that would be gone earlier anyway is left to it. Returns false
// if nothing plays there.
MD5_PLAY_API bool md5_player_stop_shot(md5_player *player, uint32_t slot, float fade_out);

typedef struct md5_shot_status {
    bool is_playing;  // or fading out; else all is 0
    bool is_stopping; // by md5_player_stop_shot()
    uint32_t clip;
    double time;          // normalised time
    float weight;         // after fades
    uint64_t reserved[2]; // 0
} md5_shot_status;
// Returns the status of the newest one-shot in a slot.
MD5_PLAY_API md5_shot_status md5_player_shot(const md5_player *player, uint32_t slot);

// -- Targets, events, time ------------------------------------------------------------------

// Returns a modifier's target, which may be written at any time, or NULL if the index is invalid.
MD5_PLAY_API md5_target *md5_player_target(md5_player *player, uint32_t modifier);

// Returns the feet of a modifier of kind MD5_MODIFIER_FEET, [num_feet] in the order of its table,
// or NULL for other kinds and invalid indices. `floor`, initially 0, and `normal` may be written at
// any time, if no md5_ground_fn is set; `result` and `miss` are those of the last pose.
MD5_PLAY_API md5_foot *md5_player_feet(md5_player *player, uint32_t modifier);

// Returns the state of a modifier of kind MD5_MODIFIER_GAZE, or NULL likewise. It may be written at
// any time: md5_gaze_begin() with another seed lets members of a crowd look about each by itself.
// It advances, forward in time, while the modifier has a weight; what is not finite begins anew.
MD5_PLAY_API md5_gaze *md5_player_gaze(md5_player *player, uint32_t modifier);

// Writes foot->floor, and foot->normal or not, of the ground below `ankle`, the animated position
// of the foot's ankle in model space: a game transforms it by the character's placement and casts a
// ray. Called for each foot of a modifier with a weight, when the character is posed, on the
// calling thread. It must not change or pose the player.
typedef void md5_ground_fn(void *user, const md5_player *player, md5_vec3 ankle, md5_foot *foot);

// NULL, as at first: the game writes md5_player_feet(). md5_player_reset() does not change it.
MD5_PLAY_API void md5_player_set_ground(md5_player *player, md5_ground_fn *ground, void *user);

// Called for each event that is passed, in the order of time; of the same instant in the order of
// layers and clips, then of one-shots. `weight` is that of the clip in its layer at this instant,
// above 0 and at most 1; the layer's own weight does not count. Events below a weight of 1e-6 are
// silent. `event` belongs to the machine. It must not change the player.
//
// Of the events that the machine reports, those of states have a weight of 1. At one instant come
// events of clips, ends of transitions, states that are left and entered, events where states
// begin. The first states, and what md5_player_fade_to() changes, are reported by the next
// md5_player_advance(), what md5_player_seek() changes is not. A state that is left as it begins is
// silent, and a transition that is interrupted has no end. MD5_EVENT_CLIP_END comes after the
// events of the last frame, backward of the first; a clip that begins at its end does not end
// there.
typedef void md5_event_fn(void *user, md5_player *player, const md5_event *event, float weight);

// Limits of one md5_player_advance(), each of which takes well under a microsecond: events, silent
// ones included; intervals and transitions.
enum { MD5_MAX_STEP_EVENTS = 65536, MD5_MAX_STEP_PARTS = 65536 };

// What happened in a step. The last two are 0 except for extreme steps.
typedef struct md5_advance_status {
    uint32_t num_events;  // that fired
    uint64_t num_dropped; // that were dropped, silent ones included
    double undivided;     // seconds at the end that passed in one piece
    uint64_t reserved[2]; // 0
} md5_advance_status;

// Advances a player by `seconds`, which may be 0 or negative; not finite means 0, and the magnitude
// is limited to a million. `events` may be NULL.
//
// Transitions are taken as soon as they become active: at the start of the step, wherever within it
// a fade ends, an exit is reached or a parameter that follows passes the value of a condition, and
// at its end. The step is divided there; between these instants clips advance, and the events in
// (before, now] fire.
//
// A state also fires the events at the position where it begins, unless it is left at that instant;
// if it fades in, with the weight in the middle of the first eighth of the fade. At the end of a
// cycle both the last and the first frame fire, and the pose is that of the first; but a state that
// is left at its exit fires none of a cycle that would begin there. At the position from which a
// state that keeps the phase goes on within a cycle, events fire in the state that is left.
//
// The result does not depend on how time is split into steps, forward or backward (but not both),
// steps of 0 included, which have the direction of the step before, up to rounding error; nor on
// calls of md5_player_pose(). A time within 1e-9 of a cycle or second counts as reached, which is
// enough for a million cycles in one step and a million steps since a clip began; an exit or a
// start within 6e-8 of a frame is at that frame. Exceptions, of the second order in parts of at
// most 1/4 s: root motion while weights change or while it turns and is blended, and what is not
// linear in a parameter that follows (.github/docs/blending.md).
//
// Backward in time clips play backward, but fades advance by |seconds|, and exits are not reached.
// If transitions form a cycle that takes no time, the layer goes around it once; then it rests
// until a parameter is set anew, one that follows ends a part, a fade ends, or an exit is reached
// that was not at the start. Events beyond MD5_MAX_STEP_EVENTS are dropped and counted; beyond
// MD5_MAX_STEP_PARTS the rest of the step passes in one piece without transitions.
MD5_PLAY_API md5_advance_status md5_player_advance(md5_player *player, double seconds,
                                                   md5_event_fn *events, void *user);

// Returns the root motion of the last md5_player_advance(): what MD5_EXTRACT_* removed from the
// playing clips, blended as their poses are, in the space of the character before the step: the new
// placement is placement * motion. Motions of parts of a step compose to that of the whole.
MD5_PLAY_API md5_xform md5_player_root_motion(const md5_player *player);

// Writes the current pose[model joints]; `joints` and `palette`, [model joints] each, may be NULL
// and must not overlap. The result does not depend on earlier calls, to the bit; only springs and
// feet advance from pose to pose: call this regularly for a player that has some, also while it is
// not visible. With md5_detail.interval it may write the kept pose; returns whether it computed a
// new one. `scratch` is md5_player_pose_scratch() bytes of any alignment.
MD5_PLAY_API bool md5_player_pose(md5_player *player, md5_xform *pose, md5_mat34 *joints,
                                  md5_mat34 *palette, void *scratch);
MD5_PLAY_API size_t md5_player_pose_scratch(const md5_machine *machine);

// Writes weights[md5_machine_num_morphs()] for the morph targets of the machine's names, whatever
// the level of detail. Finite. Time: layers times rows times playing clips.
MD5_PLAY_API void md5_player_morphs(md5_player *player, float *weights);

// -- Level of detail ------------------------------------------------------------------------

// How much of a player's pose is computed, for characters that are far away or many. Time, states,
// events and root motion do not depend on it.
typedef struct md5_detail {
    // The joints to animate: those with a weight above 0 in this mask of the machine, their
    // ancestors, and joint 0: with the bits of full detail, all others as in the bind pose. A
    // modifier is not applied if its `joint` or the ankle of one of its feet is not animated;
    // springs begin anew when it is. NULL: all joints.
    const char *mask;
    // The pose is computed in every interval-th call of md5_player_pose() or md5_play_batch(), 0
    // and 1: in each, and early if there is none yet or it would become older than this. Other
    // calls write the last one and its matrices. Springs and feet pass the whole time between two
    // computed poses in one step; ground callbacks are called for computed poses only.
    uint32_t interval;
    uint32_t
        phase; // in which: their number plus it is a multiple; with 0, 1, 2, ... players take turns
    uint64_t reserved[4]; // 0
} md5_detail;

// From the next computed pose on; NULL means full detail, as at first. Saved and copied with the
// player. Time: linear in the machine's masks.
MD5_PLAY_API bool md5_player_set_detail(md5_player *player, const md5_detail *detail);

// -- Saving and copying ---------------------------------------------------------------------

// Saves all of a player's state in bytes[size], the same bytes on all platforms; a restored player
// continues with the same bits. Returns their number, which changes with what is active.
MD5_PLAY_API size_t md5_player_save(const md5_player *player, void *bytes, size_t size);

// Restores a player of a machine of the same fingerprint, from bytes from anywhere: every number is
// checked. On failure returns false and changes nothing. MD5_ERROR_MISMATCH: of another machine, or
// of a version of the format that is too new or too old; MD5_ERROR_SYNTAX: too few or too many
// bytes, or not of a player; MD5_ERROR_RANGE: a number is out of range.
MD5_PLAY_API bool md5_player_restore(md5_player *player, const void *bytes, size_t size,
                                     md5_error *error);

// Copies a player's state to another one of the same md5_machine, fast: for rollback or lookahead.
MD5_PLAY_API void md5_player_copy(md5_player *to, const md5_player *from);

typedef struct md5_layer_status { // for a debug panel
    uint32_t state;               // current state, or target of the transition
    // Source of the transition, of several at one instant of the first; MD5_NONE: none is active.
    uint32_t from;
    float progress;       // of the transition, 0..1, before easing
    double time;          // normalised time of `state`
    float weight;         // of the layer
    uint64_t reserved[2]; // 0
} md5_layer_status;
// {.from = MD5_NONE} if the index is invalid.
MD5_PLAY_API md5_layer_status md5_player_layer(const md5_player *player, uint32_t layer);

// Returns the model-space bounds of joints[model joints], widened by the distance of the model's
// vertices from their joints. Cheap, never too small.
MD5_PLAY_API md5_bounds md5_player_bounds(const md5_player *player, const md5_mat34 *joints);

typedef struct md5_play_job md5_play_job;

// For a game's own inverse kinematics, a ragdoll, or a copy of the pose: called after layers and
// modifiers, before joints and palettes are computed, also for a kept pose unless the job keeps its
// matrices. jobs[count], 1 to MD5_MAX_HOOKED, are adjacent jobs with the same hook and hook_user;
// poses[i], which it may change, is that of jobs[i]. It runs on a thread of the batch and must not
// change or pose these players, except to set parameters and targets for the next step.
typedef void md5_pose_hook_fn(void *hook_user, const md5_play_job *jobs, uint32_t count,
                              md5_xform *const *poses);
enum { MD5_MAX_HOOKED = 16 };

struct md5_play_job {   // one character of a crowd
    md5_player *player; // in one job only
    double seconds;
    md5_event_fn *events; // or NULL
    void *user;
    md5_pose_hook_fn *hook; // or NULL
    void *hook_user;
    md5_mat34 *joints;  // [model joints] or NULL
    md5_mat34 *palette; // [model joints] or NULL
    // `joints` and `palette` still hold what the last job of this player, which was not restored or
    // copied to since, wrote: they are not written again for a kept pose, which then costs nothing.
    bool keeps_matrices;
    bool is_computed; // written: whether the pose was computed, as md5_player_pose() returns
    md5_advance_status status; // written: as md5_player_advance() returns
    md5_xform motion;          // written: md5_player_root_motion()
    uint64_t reserved[4];      // 0
};

// Calls md5_player_advance() and md5_player_pose() for `count` characters of any machines, with the
// same bits, and their hooks; fastest if characters of one model are adjacent. Events and hooks of
// different players are called on different threads, those of one player on one, in order.
// `scratch` is md5_play_batch_scratch() bytes of any alignment, for these jobs or any part of them:
// about 1.3 KB per joint of the largest model, for each worker.
MD5_PLAY_API void md5_play_batch(md5_play_job *jobs, size_t count, const md5_threads *threads,
                                 void *scratch);
MD5_PLAY_API size_t md5_play_batch_scratch(const md5_play_job *jobs, size_t count,
                                           const md5_threads *threads);

// == Characters ==================================================================================
//
// A machine file with everything it names. One serves any number of players, which must be freed
// first; read-only. Arrays have one entry for each clip of the machine, in its order:
// md5_machine_tables(machine)->clips. Clips of the same file share its animation and binding.
typedef struct md5_character {
    const md5_machine *machine;
    const md5_model *model;
    uint32_t num_clips;
    const md5_anim *const *anims;       // [num_clips]
    const md5_binding *const *bindings; // [num_clips]
    const char *model_path;             // as it was opened
    const char *const *anim_paths;      // [num_clips]
    size_t anims_size;                  // bytes of the animations, each counted once
    uint32_t num_warnings;              // of the machine file, the model and the animations
    md5_allocator allocator;
    void *memory; // holds the arrays and paths
} md5_character;

// Loads a machine file, the model and animations that it names, binds them and creates the machine.
// A file name in the text is relative to the folder of `path`, unless it begins with one / or \ or
// a drive letter: no file of another machine is read. Reads each file once, on opts->threads with
// the same result; limits of memory and warnings hold for each by itself. Warnings about a binding
// name the clip. A file that cannot be read is an error at its name in the machine file; other
// errors are at their location in the file that has them.
MD5_PLAY_API md5_character *md5_load_character(const char *path, const md5_load_opts *opts,
                                               md5_error *error);
MD5_PLAY_API void md5_free_character(md5_character *character);

#ifdef __cplusplus
}
#endif

#endif
