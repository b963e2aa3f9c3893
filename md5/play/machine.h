// A machine: the tables of its description with pointers and indices instead of names, which
// players read. Invariant: every index is valid, or MD5_NONE; md5/play/make has checked them.
#ifndef MD5_PLAY_MACHINE_H
#define MD5_PLAY_MACHINE_H

#include "md5/motion/functions.h"
#include "md5/motion/feet.h"
#include "md5/play/clock.h"
#include "md5/pose/kernels.h"

// The most parts of a flattened blend tree, and so the most poses on the stack while it is blended.
enum { MD5_MAX_PARTS = 4096 };

// The names of events in conditions and exits; an event is heard by one for its name, and by one
// for its name and text. Each is a bit.
enum { MD5_MAX_EARS = 64 };

// A clip, independent of how it is played. Timing and cues are indexed by md5_play_mode.
enum { MD5_PLAY_MODES = 3 };

// Easings of fades: those without parameters.
#define MD5_LAST_FADE_EASING MD5_EASE_BOUNCE_IN_OUT

// The eased weight of a fade. Easings that overshoot stay at 0 and 1.
static inline float md5_eased_weight(const md5_easing *easing, double progress)
{
    const double eased = md5i_eased(easing, progress);
    return (float)(eased < 0 ? 0.0 : eased > 1 ? 1.0 : eased);
}

// Whether an easing is made of constants that exist.
static inline bool md5_is_curve_known(const md5_easing *curve)
{
    return (unsigned)curve->kind <= MD5_EASE_STEPS && (unsigned)curve->jump <= MD5_JUMP_BOTH;
}

// Where the weight of an item or layer comes from.
typedef struct md5_weight_rule {
    float fixed;        // if there is no parameter
    uint32_t parameter; // MD5_NONE: none
    uint32_t easing;    // its index in `easings`; 0: none
} md5_weight_rule;

typedef struct md5_source {
    const md5_binding *binding;
    md5_interpolation interpolation;
    md5_root_extraction root_extraction;
    const md5_root_delta *root_deltas; // [num_frames], unless extract is NONE
    size_t first_frame;                // sum of the frames of the clips before it
    const double *markers;             // [num_markers] phases of a cycle
    uint64_t *ears;    // [num_events + 1, windows of two] that hear each cue; or NULL
    uint64_t all_ears; // that hear one of them
    uint32_t num_markers;
    md5_timing timings[MD5_PLAY_MODES];
    md5_cues cues[MD5_PLAY_MODES];
    uint32_t first_window; // of its windows, in the machine's
} md5_source;

// A clip with a play mode, start and speed.
typedef struct md5_playable {
    const md5_source *source;
    const md5_timing *timing; // of its mode
    md5_play_mode mode;
    double start;  // normalised
    double cycles; // a second
} md5_playable;

// A set of joints with their mask weights. Adjacent joints, such as a branch of the skeleton, are a
// range from the first to the last; joints between that are not in the set are not changed. A few
// scattered joints are listed.
typedef struct md5_joint_set {
    uint32_t first;
    uint32_t count;
    uint32_t *list; // [count] joints, ascending; NULL: they are a range
    float *weights; // [count] NULL: no mask
} md5_joint_set;

// At most so many joints of partial mask weight are saved while the others are overwritten.
enum { MD5_MOST_SAVED = 32 };

// The joints of a mask whose weight is not 0; among them those of weight 1, which can be copied,
// and the others, which must be blended. is_split: doing so is faster.
typedef struct md5_mask_sets {
    md5_joint_set all;
    md5_joint_set whole;
    md5_joint_set partial;
    bool is_split;
} md5_mask_sets;

// Adjacent joints.
typedef struct md5_joint_run {
    uint32_t first;
    uint32_t count;
} md5_joint_run;

// The slots of a clip that drive a run.
typedef struct md5_run_slots {
    md5_slots rotations;
    md5_slots translations;
} md5_run_slots;

// The joints that are animated at a reduced level of detail: those with a weight in a mask, their
// ancestors and joint 0. Runs hold all of them, and joints between that are left out, if there are
// few: those are computed for nothing. In the end all that are left out are as in the bind pose.
typedef struct md5_detail_set {
    bool *are_animated;    // [joints]
    md5_joint_run *runs;   // [num_runs] ascending
    md5_run_slots *slots;  // [clips][num_runs]
    uint32_t *left_out;    // [num_left_out] joints
    uint32_t num_left_out; // the first num_outside of them are not in runs
    uint32_t num_outside;
    uint32_t num_runs;
} md5_detail_set;

typedef struct md5_motion md5_motion;
typedef struct md5_blend_tree md5_blend_tree;

typedef struct md5_item {
    const md5_motion *motion;
    md5_layer_mode mode;
    uint32_t mask;
    md5_weight_rule weight;
    const md5_xform *reference; // of an item that is added, else NULL
    md5_joint_set added;        // the joints that it may change
    double place;        // of a blend space in a line; by speed: of its clip's root, units a second
    double seconds;      // by speed: of a cycle
    uint32_t num_before; // clips of the items before it
    uint32_t turn; // the item of its motion that is blended in this one's turn: see check_places()
} md5_item;

// What the clips of a synchronised motion have in common.
typedef struct md5_clip_traits {
    bool has_once;    // one that ends
    bool has_turning; // one that goes there and back
    uint32_t min_markers;
    uint32_t max_markers;
} md5_clip_traits;

// The motions that clips are come first, in the order of clips.
struct md5_motion {
    md5_motion_kind kind;
    md5_sync sync;
    double speed; // md5i_decimal_of() the table's
    uint32_t speed_parameter;
    uint32_t x_parameter;
    uint32_t y_parameter;
    md5_playable playable;         // of a clip
    const md5_item *items;         // [num_items], with
    const md5_motion_item *places; // their rows
    uint32_t num_items;
    uint32_t num_parts; // itself and its inputs, as often as they are used
    uint32_t num_clips; // among these
    md5_clip_traits traits;
    const md5_blend_tree *tree; // when it is a state's
};

// Whether its items have places in a line.
static inline bool md5_is_line(const md5_motion *motion)
{
    return motion->kind == MD5_MOTION_BLEND_1D || motion->kind == MD5_MOTION_BY_SPEED;
}

// One node of a flattened blend tree. Invariant: the inputs of a part precede it, in the order in
// which they are blended, so a forward walk blends poses with a stack, and a backward walk passes
// weights down; no recursion.
typedef struct md5i_part {
    const md5_motion *motion;
    uint32_t parent;      // part of the same tree
    const md5_item *item; // of the parent's motion
    uint32_t weight;      // index into the weights of the tree's parts
    uint32_t children;    // the first such index of its items
    uint32_t first;       // of its clips: their instances in the tree; of a clip its own
    bool leads_group;     // it begins a synchronised group
} md5i_part;

// A clip in a blend tree; each instance has its own clock. In the order of items in their tables.
typedef struct md5_instance_plan {
    const md5_playable *playable;
    uint32_t part;
    uint32_t group; // synchronised group, MD5_NONE = none
} md5_instance_plan;

// Synchronised clips. The first one leads: its start is the start of all.
typedef struct md5_group_plan {
    uint32_t *members; // [num_members] instances
    uint32_t num_members;
    uint32_t num_markers; // of each; 0: equal phases
} md5_group_plan;

// The flattened blend tree of a state.
struct md5_blend_tree {
    const md5_motion *motion;
    md5i_part *parts;             // [num_parts]
    md5_instance_plan *instances; // [num_instances]
    md5_group_plan *groups;       // [num_groups]
    uint32_t *blends;             // parts that are no clips, each before its inputs
    bool is_steady;               // no speed of a motion is a parameter
    uint32_t num_parts;
    uint32_t num_instances;
    uint32_t num_groups;
    uint32_t num_poses;   // on the stack while blending
    bool has_root_motion; // some clip extracts root motion
    bool has_added;       // some item is added
};

// Of a state's first clip with those that are synchronised with it: how many markers they have.
static inline uint32_t md5_step_markers(const md5_blend_tree *tree)
{
    const md5_instance_plan *const first = &tree->instances[0];
    return first->group == MD5_NONE ? first->playable->source->num_markers
                                    : tree->groups[first->group].num_markers;
}

typedef struct md5_play_condition {
    uint32_t parameter;
    md5_comparison compare;
    float value;
    md5_condition_kind kind;
    uint32_t num_behind; // conditions that must hold too: those up to the next alternative
    double seconds;      // md5i_decimal_of() `value`
    uint64_t ear;        // of HEARD
    double spread;       // of a time at random: seconds up to the longest
} md5_play_condition;

// The order of thresholds: of each parameter, by value.
static inline bool md5_is_lower(const md5_play_condition *a, const md5_play_condition *b)
{
    return a->parameter != b->parameter ? a->parameter < b->parameter : a->value < b->value;
}

// Where clips begin.
typedef enum md5_begin {
    MD5_BEGIN_AT,      // at `start`; events there do not fire
    MD5_BEGIN_BEHIND,  // `start` after the start of each clip
    MD5_BEGIN_AS_LEFT, // at the phase of the state that is left
} md5_begin;

// A change to another state.
typedef struct md5_change {
    uint32_t state;
    double start;
    md5_begin begin;
    double duration;
    md5_fade fade;
    uint32_t easing; // its index in `easings`
    int32_t priority;
    md5_interrupt interrupt;
    bool in_step;    // with the newest state, and
    uint32_t leader; // the state that leads, MD5_NONE: all by their weights
} md5_change;

// What may open a transition that was not open, in bits: time, exits and what is heard; a parameter
// that changes. Parameters share bits if there are many.
#define MD5_CAUSE_TIME (UINT64_C(1) << 63)
#define MD5_ALL_CAUSES UINT64_MAX

static inline uint64_t md5_cause_of(uint32_t parameter)
{
    return UINT64_C(1) << parameter % 63;
}

// Order in a layer: transitions from any state, then those of each state; each by priority.
typedef struct md5_transition {
    uint32_t from;
    md5_change change; // what it does; its times are md5i_decimal_of() those of the table
    const md5_play_condition *conditions; // [num_conditions], in the machine's
    uint32_t num_conditions;
    uint32_t number;   // in the layer's table
    double exit;       // md5i_decimal_of() that of the table; of each cycle, at most 1, and above 0
    uint64_t exit_ear; // of the event where it leaves, or 0
    bool waits, keeps_phase, exits_each; // the last also at an event
} md5_transition;

// Kinds of events of a state: ENTER, LEAVE, TRANSITION_END.
enum { MD5_STATE_EVENTS = 3 };

typedef struct md5_state {
    const md5_blend_tree *tree;                 // NULL: no motion
    const md5_xform *reference;                 // in an additive layer
    uint32_t first_transition, num_transitions; // of the layer's
    uint64_t causes;                            // of one of them
    const md5_event *events;                    // [MD5_STATE_EVENTS], if the machine reports states
    bool is_partial;     // a clip of which only the layer's joints need be sampled:
    md5_targets targets; // by these, which
    bool is_exact;       // write no other joints, and there are none between the layer's
} md5_state;

typedef struct md5_play_layer {
    md5_layer_mode mode;
    uint32_t mask;
    md5_weight_rule weight;
    md5_state *states;                 // [num_states]
    const md5_transition *transitions; // the first num_any are from any state
    const uint64_t *causes;            // of each of them
    uint64_t any_causes;               // of one from any state
    uint32_t num_states;
    uint32_t num_any;
    bool has_waits;       // some transition waits for its exit
    bool has_steps;       // some transition is in step
    bool has_root_motion; // some state extracts root motion
    md5_joint_set joints; // the joints that it may change: where it is added, or has a mask
    // Maxima over its states.
    uint32_t max_instances;
    uint32_t max_groups;
    uint32_t max_parts;
} md5_play_layer;

// A row of the table of one-shots.
typedef struct md5_play_one_shot {
    uint32_t slot;
    const md5_play_condition *conditions, *until; // in the machine's
} md5_play_one_shot;

// What a sole does between a frame of a clip and the next one.
typedef enum md5_contact {
    MD5_CONTACT_NONE,   // it is in the air
    MD5_CONTACT_STANDS, // it is on the ground plane and does not move
    MD5_CONTACT_TURNS,  // likewise, but it turns
    MD5_CONTACT_SLIDES, // it is on it and moves
} md5_contact;

// The sole of a foot that may be held: a point in the space of a joint at or below the ankle.
typedef struct md5_sole {
    uint32_t joint;
    md5_vec3 point;
    md5_vec3 ahead; // the direction of the joint's space that points ahead in the bind pose
} md5_sole;

// A place in the space of a joint of the model, or of an attached one that stands on none.
typedef struct md5_anchor {
    bool is_set;
    bool is_aligned;
    uint32_t joint, attached; // MD5_NONE: of the model
    md5_xform within;
} md5_anchor;

typedef struct md5_modifier {
    md5_modifier_desc desc; // with defaults filled in
    uint32_t joint;
    md5_weight_rule weight; // these drive its weight: if not MD5_NONE, a parameter, and
    uint32_t drive;         // what `morph_rows` has there
    md5_anchor target;
    md5_anchor pole;
    bool is_driven;      // by any of these
    md5_limb limb;       // TWO_BONE
    size_t first_spring; // of a spring: place of its joints' states in a player
    size_t first_foot;   // of feet: place of their legs in the machine, of their states in a player
    size_t first_sole;   // of feet that are held: place of the first ones' soles and states
    uint32_t num_held;   // so many are
    md5_hold_params hold; // likewise: the rules for them
    size_t gaze;          // of a gaze: its index in the machine, and of its state in a player
    uint32_t seed;        // likewise: with which it begins
} md5_modifier;

// A window of a clip.
typedef struct md5_window_row {
    const char *name;
    uint32_t window; // the first of its name
    md5_event begin;
    md5_event end;
} md5_window_row;

// What drives a morph target or the weight of a modifier, or a curve over a clip. Players blend the
// rows of each target to a sum, which fades, freezes and is saved: one for each name of a morph;
// two for each name of a curve, its values and the weights of the clips that have it; one for the
// modifier.
typedef enum md5_sum { MD5_SUM_MORPH, MD5_SUM_CURVE, MD5_SUM_MODIFIER } md5_sum;

typedef struct md5_morph_row {
    const char *name; // of the target, curve or modifier
    md5_sum of;
    md5_morph_drive drive;
    uint32_t target; // its sum
    uint32_t first;  // not of this row: the first row of the name that has this row's number
    uint32_t source; // parameter, state in its layer, clip, or curve
    uint32_t layer;  // of the state
    float weight;
    const md5_morph_key *keys; // [num_keys] of a clip
    uint32_t num_keys;
    const md5_easing *easing; // NULL: linear
} md5_morph_row;

static inline uint32_t md5_num_sums(const md5_morph_row *row)
{
    return row->of == MD5_SUM_CURVE ? 2 : 1;
}

struct md5_machine {
    md5_machine_desc tables;
    const md5_model *model;
    uint32_t num_joints;
    uint64_t fingerprint; // md5_machine_fingerprint()

    md5_source *sources;          // [clips]
    float *masks;                 // [masks][joints]
    md5_mask_sets *mask_sets;     // [masks]
    md5_detail_set *details;      // [masks]
    md5_detail_set *rests;        // [masks] runs of the joints that are seen below a mask; or none
    uint32_t *followers;          // [parameters] its row in tables.follows, or MD5_NONE
    bool *are_seen;               // [masks][layers] the layer may change animated joints
    md5_motion *motions;          // [clips + motions]
    md5_play_layer *layers;       // [layers]
    md5_play_one_shot *one_shots; // [num_one_shots]
    md5_play_condition *conditions;
    md5_play_condition *thresholds; // [num_thresholds] parameters and values of all conditions
    md5_play_condition *kinks; // of parameters that follow: what they drive changes otherwise there
    md5_easing *easings;       // those without numbers, by kind; then of weights and transitions
    md5_modifier *modifiers;   // [modifiers]
    md5_event *clip_ends;      // [clips], if they are reported
    md5_limb *legs;            // [num_feet]
    md5_sole *soles;           // [num_soles]
    uint8_t *contacts;         // [num_soles][num_frames] md5_contact
    md5_gaze_desc *gazes;      // [num_gazes] without targets
    md5_window_row *windows;   // [num_windows] of clip after clip
    md5_morph_row *morph_rows; // [num_rows] of the table, then
    md5_morph_row *curves;     // [num_curves] of clip after clip, then of modifiers
    md5_joint_limit *limits;   // [joints] or NULL
    float *reaches;            // [joints] how far vertices lie from each; -1: it has none

    size_t num_conditions, num_thresholds, num_kinks, num_easings, num_springs, num_feet, num_gazes,
        num_soles, num_frames; // the last: of all clips
    // Maxima over all trees.
    uint32_t max_instances;
    uint32_t max_groups;
    uint32_t max_parts;
    uint32_t max_poses;
    uint32_t num_ears;
    uint32_t num_slots;          // of a player's one-shots
    uint32_t num_morphs;         // with names; their sums come first
    uint32_t num_sums, num_rows; // that players blend
    uint32_t num_windows;
    uint32_t num_curves;
    bool has_root_motion;
    bool has_full_layers; // at a reduced level of detail: that may change joints that are left out
    bool has_clip_events; // in tables, or at the ends of clips
    bool has_times;       // some condition is about time or an event
    bool has_chances;     // and some at random
    bool has_steps;       // some transition is in step
    bool reports_states;  // ENTER, LEAVE or TRANSITION_END
    // Sums of a vertex's biases: of those above 0, at least and at most; of those below, at most.
    // Largest distance of a vertex from where its joints and `reaches` bound it.
    float least_bias;
    float most_bias;
    float most_negative;
    float beside;
    bool has_vertices;

    md5_internal internal; // whose memory holds all of this
};

// The number of joints that poses of a layer's states hold while they are blended: an additive
// layer blends the differences of the joints that it may change.
static inline uint32_t md5_blended_joints(const md5_machine *machine, const md5_play_layer *layer)
{
    return layer->mode == MD5_LAYER_ADD ? layer->joints.count : machine->num_joints;
}

static inline const float *md5_mask_of(const md5_machine *machine, uint32_t mask)
{
    return mask == MD5_NONE ? NULL : machine->masks + (size_t)mask * machine->num_joints;
}

static inline float md5_mask_at(const md5_machine *machine, uint32_t mask, uint32_t joint)
{
    return mask == MD5_NONE ? 1.0f : md5_mask_of(machine, mask)[joint];
}

static inline md5_root_track md5_track_of(const md5_source *source)
{
    return (md5_root_track){
        .root_extraction = source->root_extraction,
        .num_frames = source->binding->anim->num_frames,
        .frames = source->root_deltas,
    };
}

// Whether only all joints of a clip can be sampled together.
static inline bool md5_is_sampled_whole(const md5_source *source)
{
    return source->binding->num_rebases > 0 || source->binding->anim->packed_size
           || source->interpolation == MD5_INTERPOLATE_CUBIC;
}

// The index of the mask of that name, or MD5_NONE.
uint32_t md5i_find_mask(const md5_machine *machine, const char *name);

// The index of a section of a clip, or MD5_NONE.
uint32_t md5i_find_section(const md5_machine *machine, uint32_t clip, const char *name);

// What the description of a one-shot leaves 0 is its slot's.
static inline md5_one_shot_desc md5_placed_one_shot(const md5_machine *machine, uint32_t slot,
                                                    md5_one_shot_desc desc)
{
    if (slot >= machine->tables.num_slots)
        return desc;
    const md5_slot_desc *const row = &machine->tables.slots[slot];
    desc.mode = desc.mode ? desc.mode : row->mode;
    desc.mask = desc.mask ? desc.mask : row->mask;
    desc.layer = desc.layer ? desc.layer : row->layer;
    desc.reference_frame = desc.reference ? desc.reference_frame : row->reference_frame;
    desc.reference = desc.reference ? desc.reference : row->reference;
    return desc;
}

// Writes the pose of a clip at a sample position without the extracted motion of joint 0.
void md5i_sample_source(const md5_machine *machine, const md5_source *source,
                        const md5_sample_position *sample, md5_xform *pose);

#endif
