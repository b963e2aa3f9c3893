// A machine (md5_machine) is a checked state machine. The caller describes it by tables
// (md5_machine_desc), in which parts refer to each other by names. The machine contains the same
// data with pointers and indices instead of names. Its players share it and do not change it.
//
// Each clip is a source (md5_source). Motions (md5_motion) combine sources and other motions. The
// motion of each state is flattened to a blend tree (md5_blend_tree). Layers (md5_play_layer)
// contain states and transitions. Modifiers (md5_modifier) change the blended pose.
//
// Invariant: every index is valid or MD5_NONE. The functions in md5/play/make check this.
#ifndef MD5_PLAY_MACHINE_H
#define MD5_PLAY_MACHINE_H

#include "md5/motion/functions.h"
#include "md5/motion/feet.h"
#include "md5/play/clock.h"
#include "md5/pose/kernels.h"

// Maximum number of parts of a flattened blend tree. Blending a tree needs a stack of poses, and
// this is also the maximum number of poses on it.
enum { MD5_MAX_PARTS = 4096 };

// Maximum number of event bits of a machine. Conditions and exits refer to events by a name, or by
// a name and a text. Each such reference has a bit, its event bit. If an event has a matching name,
// or name and text, it sets the bit. Players then test conditions by bit masks, without comparing
// names.
enum { MD5_MAX_EVENT_BITS = 64 };

// Number of play modes. A clip has one timing and one list of cues for each md5_play_mode.
enum { MD5_PLAY_MODES = 3 };

// The last easing without parameters. Fades use only easings up to this one.
#define MD5_LAST_FADE_EASING MD5_EASE_BOUNCE_IN_OUT

// Returns the eased progress of a fade. The result is clamped to 0..1, because some easings
// overshoot.
static inline float md5_clamped_ease(const md5_easing *easing, double progress)
{
    const double eased = md5i_eased(easing, progress);
    if (eased < 0)
        return 0;
    return eased > 1 ? 1.0f : (float)eased;
}

// Returns true if the enumerations of an easing have valid values.
static inline bool md5_is_easing_valid(const md5_easing *curve)
{
    return (unsigned)curve->kind <= MD5_EASE_STEPS && (unsigned)curve->jump <= MD5_JUMP_BOTH;
}

// The source of the weight of an item, layer or modifier: a constant, or a parameter with an
// easing.
typedef struct md5_weight_rule {
    float fixed;        // weight if there is no parameter
    uint32_t parameter; // MD5_NONE: no parameter
    uint32_t easing;    // index in `easings`; 0: no easing
} md5_weight_rule;

// A clip of the machine, with the data that do not depend on its playback. Several states and
// motions can play the same source.
typedef struct md5_source {
    const md5_binding *binding;
    md5_interpolation interpolation;
    md5_root_extraction root_extraction;
    const md5_root_delta *root_deltas; // [num_frames], unless root_extraction is NONE
    size_t first_frame;                // number of frames of all preceding clips
    const double *markers;             // [num_markers] phases in the cycle
    uint64_t *event_bits;    // [num_events + 1 + 2 * windows] event bits of each cue; or NULL
    uint64_t all_event_bits; // union of `event_bits`
    uint32_t num_markers;
    md5_timing timings[MD5_PLAY_MODES];
    md5_cues cues[MD5_PLAY_MODES];
    uint32_t first_window; // index of its first window in the machine's windows
} md5_source;

// A clip together with the play mode, start and speed with which a motion plays it.
typedef struct md5_playable {
    const md5_source *source;
    const md5_timing *timing; // timing of the play mode
    md5_play_mode mode;
    double start;  // normalized time
    double cycles; // rate, cycles per second
} md5_playable;

// A set of joints with their mask weights. It is stored in one of two forms. Adjacent joints, such
// as a branch of the skeleton, are a range. Joints of the range that are not in the set have weight
// 0. A few scattered joints are a list.
typedef struct md5_joint_set {
    uint32_t first;
    uint32_t count;
    uint32_t *list; // [count] joints, ascending; NULL: the set is a range
    float *weights; // [count]; NULL: no mask
} md5_joint_set;

// Maximum number of joints with a partial mask weight in a state that is sampled directly into the
// blended pose of the layers below. These joints are saved before sampling, which overwrites them,
// and blended afterwards.
enum { MD5_MAX_SAVED_JOINTS = 32 };

// The joints of a mask with a weight above 0. Joints of weight 1 can be copied. Joints with a
// smaller weight must be blended.
typedef struct md5_mask_sets {
    md5_joint_set all;
    md5_joint_set full;    // weight 1
    md5_joint_set partial; // weight below 1
    bool is_split;         // copying `full` and blending `partial` is faster than blending `all`
} md5_mask_sets;

// A run: joints with consecutive indices.
typedef struct md5_joint_run {
    uint32_t first;
    uint32_t count;
} md5_joint_run;

// The slots of a clip that move the joints of a run. A slot is one animated rotation or translation
// of the clip.
typedef struct md5_run_slots {
    md5_slots rotations;
    md5_slots translations;
} md5_run_slots;

// The joints that are animated at a reduced level of detail: the joints with a weight in a mask,
// their ancestors, and joint 0. They are grouped to runs. Two runs with a small gap are merged: the
// joints in the gap are computed, but not used. Joints that are not animated are omitted: in the
// final pose they have their bind pose.
typedef struct md5_detail_set {
    bool *are_animated;   // [joints]
    md5_joint_run *runs;  // [num_runs] ascending
    md5_run_slots *slots; // [clips][num_runs]
    uint32_t *omitted;    // [num_omitted] omitted joints; the first num_outside are not in runs
    uint32_t num_omitted;
    uint32_t num_outside;
    uint32_t num_runs;
} md5_detail_set;

typedef struct md5_motion md5_motion;
typedef struct md5_blend_tree md5_blend_tree;

// An item: an input of a blend space or stack.
typedef struct md5_item {
    const md5_motion *motion;
    md5_layer_mode mode;
    uint32_t mask;
    md5_weight_rule weight;
    const md5_xform *reference; // reference pose of an additive item, else NULL
    md5_joint_set added;        // joints that an additive item may change
    // Position in a 1D blend space. For MD5_MOTION_BY_SPEED this is the speed of the clip's root,
    // units/s.
    double position;
    double seconds;       // MD5_MOTION_BY_SPEED: duration of a cycle
    uint32_t num_before;  // number of clips in the preceding items
    uint32_t blend_index; // no property of this item: items[i].blend_index is the index of the item
                          // that is blended as number i, see sort_items()
} md5_item;

// Properties of the clips in a synchronized motion.
typedef struct md5_clip_traits {
    bool has_once;      // at least one clip is played once
    bool has_ping_pong; // at least one clip is played as ping-pong
    uint32_t min_markers;
    uint32_t max_markers;
} md5_clip_traits;

// A motion: a clip, a blend space or a stack. The first motions of a machine play one clip each, in
// the order of the clips.
struct md5_motion {
    md5_motion_kind kind;
    md5_sync sync;
    double speed; // speed in the table, converted by md5i_decimal_from_float()
    uint32_t speed_parameter;
    uint32_t x_parameter;
    uint32_t y_parameter;
    md5_playable playable;            // if the motion plays a clip
    const md5_item *items;            // [num_items]
    const md5_motion_item *item_rows; // [num_items] rows of the items in the tables
    uint32_t num_items;
    uint32_t num_parts; // number of parts of its blend tree: the motion and its inputs
    uint32_t num_clips; // number of clips in its blend tree
    md5_clip_traits traits;
    const md5_blend_tree *tree; // blend tree if a state plays this motion
};

// Returns true if the motion is a blend space with one axis.
static inline bool md5_is_line(const md5_motion *motion)
{
    return motion->kind == MD5_MOTION_BLEND_1D || motion->kind == MD5_MOTION_BY_SPEED;
}

// A part: a node of a flattened blend tree. Invariant: the inputs of a part precede it, in the
// order in which they are blended. A forward pass blends poses with a stack, and a backward pass
// distributes weights. Neither pass needs recursion.
typedef struct md5i_part {
    const md5_motion *motion;
    uint32_t parent;      // index in the tree's parts
    const md5_item *item; // item in the parent's motion
    uint32_t weight;      // index of its weight in md5_active_state.weights
    uint32_t children;    // index of the weight of its first item
    uint32_t first;       // index of the first clip instance below it; of a clip, its own instance
    bool leads_group;     // a synchronized group begins with this part
} md5i_part;

// One use of a clip in a blend tree. A player has one clip instance with a separate clock for each
// plan. The plans are in the order of the items in the tables.
typedef struct md5_instance_plan {
    const md5_playable *playable;
    uint32_t part;
    uint32_t group; // synchronized group; MD5_NONE: none
} md5_instance_plan;

// A synchronized group: clips of a blend tree that share one clock, so that they remain in phase.
// All clips of the group start at the position at which its first clip starts.
typedef struct md5_group_plan {
    uint32_t *members; // [num_members] instances
    uint32_t num_members;
    uint32_t num_markers; // number of markers of each member; 0: equal phases
} md5_group_plan;

// The flattened blend tree of a state.
struct md5_blend_tree {
    const md5_motion *motion;
    md5i_part *parts;             // [num_parts]
    md5_instance_plan *instances; // [num_instances]
    md5_group_plan *groups;       // [num_groups]
    uint32_t *blends;             // parts that are not clips, each before its inputs
    bool is_steady;               // all speeds are constant
    uint32_t num_parts;
    uint32_t num_instances;
    uint32_t num_groups;
    uint32_t num_poses;   // maximum number of poses on the stack while the tree is blended
    bool has_root_motion; // at least one clip extracts root motion
    bool has_added;       // at least one item is additive
};

// Returns the number of markers at which a state can be synchronized with other states: the markers
// of its first clip and of the clips in this clip's group.
static inline uint32_t md5_num_step_markers(const md5_blend_tree *tree)
{
    const md5_instance_plan *const first = &tree->instances[0];
    return first->group == MD5_NONE ? first->playable->source->num_markers
                                    : tree->groups[first->group].num_markers;
}

// A condition of a transition or one-shot clip, which is its owner. The conditions of an owner are
// adjacent and form alternatives. An alternative holds if all of its conditions hold. The owner is
// possible if any alternative holds.
typedef struct md5_play_condition {
    uint32_t parameter;
    md5_comparison compare;
    float value;
    md5_condition_kind kind;
    uint32_t num_following; // number of following conditions of the same alternative
    double seconds;         // md5i_decimal_from_float(value)
    uint64_t event_bit;     // MD5_WHEN_EVENT: event bit of the event
    double spread;          // random time: maximum minus minimum, seconds
} md5_play_condition;

// Returns true if the threshold `a` precedes `b` in md5_machine.thresholds, which is sorted by
// parameter, then by value.
static inline bool md5_is_threshold_before(const md5_play_condition *a, const md5_play_condition *b)
{
    return a->parameter != b->parameter ? a->parameter < b->parameter : a->value < b->value;
}

// Start position of the clips of a new state.
typedef enum md5_begin {
    MD5_BEGIN_AT,                // at `start`; events at this position do not fire
    MD5_BEGIN_AFTER_START,       // `start` after the start of each clip
    MD5_BEGIN_AT_PREVIOUS_PHASE, // at the phase of the previous state
} md5_begin;

// A change of a layer to another state. It results from a transition, or from a call by the game.
typedef struct md5_change {
    uint32_t state;
    double start;
    md5_begin begin;
    double duration;
    md5_fade fade;
    uint32_t easing; // index in `easings`
    int32_t priority;
    md5_interrupt interrupt;
    bool in_step;    // the new state is synchronized with the newest state
    uint32_t leader; // if in_step: state that determines the rate; MD5_NONE: the weighted mean
} md5_change;

// A cause is a reason why a transition that was not possible may have become possible. Players test
// a transition only after one of its causes. Causes are bits of a mask. One bit represents time,
// exits and events. The other 63 bits represent parameters. A machine with more parameters uses
// some bits for several parameters.
#define MD5_CAUSE_TIME (UINT64_C(1) << 63)
#define MD5_ALL_CAUSES UINT64_MAX

static inline uint64_t md5_parameter_cause(uint32_t parameter)
{
    return UINT64_C(1) << parameter % 63;
}

// A transition. A layer first contains the transitions from any state, then the transitions of each
// state. Each of these groups is sorted by priority.
typedef struct md5_transition {
    uint32_t from;
    md5_change change; // effect; its times were converted by md5i_decimal_from_float()
    const md5_play_condition *conditions; // [num_conditions], in the machine's conditions
    uint32_t num_conditions;
    uint32_t number;         // index in the layer's table
    double exit;             // exit time, normalized; if exits_each: 0 < exit <= 1
    uint64_t exit_event_bit; // event bit of its exit event; 0: the exit is a time
    bool waits;              // it waits for its exit
    bool keeps_phase;        // the target starts at the phase of the source
    bool exits_each;         // the exit repeats in each cycle; always true for an event
} md5_transition;

// Kinds of events of a state: ENTER, LEAVE, TRANSITION_END.
enum { MD5_STATE_EVENTS = 3 };

// A state of a layer.
typedef struct md5_state {
    const md5_blend_tree *tree; // NULL: no motion
    const md5_xform *reference; // reference pose in an additive layer
    uint32_t first_transition;  // index in the layer's transitions
    uint32_t num_transitions;
    uint64_t causes;         // union of the causes of its transitions
    const md5_event *events; // [MD5_STATE_EVENTS] if the machine reports states
    bool is_partial;         // its clip is sampled only for the joints of the layer
    md5_targets targets;     // if is_partial: joints to sample
    bool is_exact;           // `targets` contains only joints of the layer
} md5_state;

// A layer with its states and transitions.
typedef struct md5_play_layer {
    md5_layer_mode mode;
    uint32_t mask;
    md5_weight_rule weight;
    md5_state *states;                 // [num_states]
    const md5_transition *transitions; // the first num_any are from any state
    const uint64_t *causes;            // causes of each transition
    uint64_t any_causes;               // union of the causes of the transitions from any state
    uint32_t num_states;
    uint32_t num_any;
    bool has_waits;       // at least one transition waits for its exit
    bool has_steps;       // some transition is synchronized with its source (in_step)
    bool has_root_motion; // at least one state extracts root motion
    md5_joint_set joints; // joints that an additive or masked layer may change
    // Maxima over the blend trees of all states, for the allocation of players.
    uint32_t max_instances;
    uint32_t max_groups;
    uint32_t max_parts;
} md5_play_layer;

// A one-shot clip of the machine's table, which starts when its conditions hold.
typedef struct md5_play_one_shot {
    uint32_t slot;
    const md5_play_condition *conditions; // start conditions, in the machine's conditions
    const md5_play_condition *until;      // stop conditions, in the machine's conditions
} md5_play_one_shot;

// Contact of a sole with the ground in the interval from one frame of a clip to the next.
typedef enum md5_contact {
    MD5_CONTACT_NONE,   // in the air
    MD5_CONTACT_STANDS, // on the ground plane, at rest
    MD5_CONTACT_TURNS,  // on the ground plane, rotating at the same position
    MD5_CONTACT_SLIDES, // on the ground plane, moving
} md5_contact;

// The sole of a foot that may be locked to the ground. It is a point in the space of a joint at or
// below the ankle.
typedef struct md5_sole {
    uint32_t joint;
    md5_vec3 point;
    md5_vec3 ahead; // forward direction in the bind pose, in the joint's space
} md5_sole;

// An anchor: a transform in the space of a joint, which belongs to the model or to an attached
// model. If the target or the pole of a modifier is an anchor, it moves with the joint.
typedef struct md5_anchor {
    bool is_set;
    bool is_aligned;
    uint32_t joint;    // MD5_NONE: the anchor is relative to the attached model
    uint32_t attached; // index of the attached model; MD5_NONE: the machine's model
    md5_xform within;
} md5_anchor;

// A modifier of the pose, such as inverse kinematics. Some members are used only by one kind of
// modifier; their comments begin with this kind.
typedef struct md5_modifier {
    md5_modifier_desc desc; // with defaults filled in
    uint32_t joint;
    md5_weight_rule weight; // constant weight, or parameter that drives it
    uint32_t drive;         // row in `morph_rows` whose value multiplies the weight, or MD5_NONE
    md5_anchor target;
    md5_anchor pole;
    bool is_driven;           // the weight, target or pole is driven
    md5_limb limb;            // TWO_BONE
    size_t first_spring;      // SPRING: index of its first joint state in a player
    size_t first_foot;        // FEET: index of its first leg in the machine and in a player
    size_t first_sole;        // FEET: index of its first sole in the machine and in a player
    uint32_t num_locked_feet; // FEET: number of feet that are locked while planted
    md5_hold_params hold;     // FEET: parameters of locked feet
    size_t gaze;              // GAZE: index in the machine and of its state in a player
    uint32_t seed;            // GAZE: initial seed
} md5_modifier;

// A window of a clip: a named range of frames, for example the frames in which a sword can hit. For
// the game, windows of several clips with the same name are one window.
typedef struct md5_machine_window {
    const char *name;
    uint32_t window; // index of the first window with this name
    md5_event begin;
    md5_event end;
} md5_machine_window;

// The kind of object whose value a row of morph_rows contributes to. Several rows can contribute to
// one object: for example, a state and a parameter can both drive the morph target `smile`. A
// player adds up the weighted values of these rows. The result is called a sum. Sums fade with
// their states, are frozen together with poses, and are saved. The numbers of sums are:
//
//   morph target   1: its weight
//   curve          2: its value, and the weight of the clips that contain the curve
//   modifier       1: its weight
typedef enum md5_sum { MD5_SUM_MORPH, MD5_SUM_CURVE, MD5_SUM_MODIFIER } md5_sum;

// Positions of the two adjacent sums of a curve: its value, and the weight of the clips that
// contain the curve.
enum { MD5_CURVE_VALUE, MD5_CURVE_CLIP_WEIGHT, MD5_NUM_CURVE_SUMS };

// A row of morph_rows: one source of the weight of a morph target, of the weight of a modifier, or
// of the value of a curve.
typedef struct md5_sum_row {
    const char *name;    // name of the target, curve or modifier
    md5_sum target_kind; // kind of the target
    md5_morph_drive drive;
    uint32_t target; // index of its first sum
    uint32_t first;  // no property of this row: morph_rows[i].first is the first row of name i
    uint32_t source; // parameter, state in its layer, clip, curve or window
    uint32_t layer;  // layer of the state
    float weight;
    const md5_morph_key *keys; // [num_keys] of a clip
    uint32_t num_keys;
    const md5_easing *easing; // NULL: linear
} md5_sum_row;

// Returns the number of adjacent sums of a row's target.
static inline uint32_t md5_num_row_sums(const md5_sum_row *row)
{
    return row->target_kind == MD5_SUM_CURVE ? MD5_NUM_CURVE_SUMS : 1;
}

struct md5_machine {
    md5_machine_desc tables;
    const md5_model *model;
    uint32_t num_joints;
    uint64_t fingerprint; // md5_machine_fingerprint()

    md5_source *sources;       // [clips]
    float *masks;              // [masks][joints]
    md5_mask_sets *mask_sets;  // [masks]
    md5_detail_set *details;   // [masks]
    md5_detail_set *uncovered; // [masks] runs of joints that remain visible below a layer with this
                               // mask
    uint32_t *smoothing_rows;  // [parameters] row in tables.follows, or MD5_NONE
    bool *are_visible;         // [masks][layers] the layer may change a joint that is animated at
                               // the level of detail of the mask
    md5_motion *motions;       // [clips + motions]
    md5_play_layer *layers;    // [layers]
    md5_play_one_shot *one_shots;   // [num_one_shots]
    md5_play_condition *conditions; // [num_conditions]
    md5_play_condition *thresholds; // [num_thresholds] sorted by md5_is_threshold_before()
    md5_play_condition *kinks;      // [num_kinks] values of smoothed parameters; see build_kinks()
    md5_easing *easings;            // easings without parameters, by kind; then all others
    md5_modifier *modifiers;        // [modifiers]
    md5_event *clip_ends;           // [clips] if ends of clips are reported
    md5_limb *legs;                 // [num_feet]
    md5_sole *soles;                // [num_soles]
    uint8_t *contacts;              // [num_soles][num_frames] md5_contact
    md5_gaze_desc *gazes;           // [num_gazes] without targets
    md5_machine_window *windows;    // [num_windows] in the order of the clips
    md5_sum_row *morph_rows;        // [num_rows] rows of the table, `curves`, rows of modifiers
    md5_sum_row *curves;            // [num_curves] in morph_rows, in the order of the clips
    md5_joint_limit *limits;        // [joints] or NULL
    float *reaches;                 // [joints] maximum distance of its vertices; -1: no vertices

    size_t num_conditions;
    size_t num_thresholds;
    size_t num_kinks;
    size_t num_easings;
    size_t num_springs;
    size_t num_feet;
    size_t num_gazes;
    size_t num_soles;
    size_t num_frames; // number of frames of all clips

    // Maxima over all blend trees.
    uint32_t max_instances;
    uint32_t max_groups;
    uint32_t max_parts;
    uint32_t max_poses;

    uint32_t num_event_bits;
    uint32_t num_slots;  // one-shot slots of a player
    uint32_t num_morphs; // names of morph targets; their sums come first
    uint32_t num_sums;
    uint32_t num_rows;
    uint32_t num_windows;
    uint32_t num_curves;
    bool has_root_motion;
    bool has_full_layers; // at least one layer may change joints that are omitted at reduced detail
    bool has_clip_events; // in tables, or at the ends of clips
    bool has_times;       // at least one condition depends on time or an event
    bool has_chances;     // at least one condition has a random time
    bool has_steps;       // some transition is synchronized with its source (in_step)
    bool reports_states;  // ENTER, LEAVE or TRANSITION_END
    // The position of a vertex is a sum over joints of bias * joint position + offset. For each
    // vertex, its positive biases are added up, and the absolute values of its negative biases.
    // These are the bounds of both sums over all vertices.
    float min_positive_bias;
    float max_positive_bias;
    float max_negative_bias;
    // `reaches` does not include an influence whose bias is almost 0. This is the maximum over all
    // vertices of the sum of the lengths of such offsets, units.
    float loose_distance;
    bool has_vertices;

    md5_internal internal; // contains the memory of the machine
};

// Returns the number of joints that must be blended for a layer's states. An additive layer blends
// only the joints that it may change, as differences from the reference pose.
static inline uint32_t md5_blended_joints(const md5_machine *machine, const md5_play_layer *layer)
{
    return layer->mode == MD5_LAYER_ADD ? layer->joints.count : machine->num_joints;
}

static inline const float *md5_mask_weights(const md5_machine *machine, uint32_t mask)
{
    return mask == MD5_NONE ? NULL : machine->masks + (size_t)mask * machine->num_joints;
}

static inline float md5_mask_weight(const md5_machine *machine, uint32_t mask, uint32_t joint)
{
    return mask == MD5_NONE ? 1.0f : md5_mask_weights(machine, mask)[joint];
}

// Returns the root motion of a clip: the displacement of joint 0 for each frame.
static inline md5_root_track md5_get_root_track(const md5_source *source)
{
    return (md5_root_track){
        .root_extraction = source->root_extraction,
        .num_frames = source->binding->anim->num_frames,
        .frames = source->root_deltas,
    };
}

// Returns true if a clip cannot be sampled for a subset of the joints, but only for all joints in
// one call.
static inline bool md5_requires_full_sampling(const md5_source *source)
{
    return source->binding->num_rebases > 0 || source->binding->anim->packed_size
           || source->interpolation == MD5_INTERPOLATE_CUBIC;
}

// Returns the index of the mask with a name, or MD5_NONE.
uint32_t md5i_find_mask(const md5_machine *machine, const char *name);

// Returns the index of a section of a clip, or MD5_NONE.
uint32_t md5i_find_section(const md5_machine *machine, uint32_t clip, const char *name);

// Completes the description of a one-shot clip: each member that is 0 gets the value of the slot.
static inline md5_one_shot_desc md5_apply_slot_defaults(const md5_machine *machine, uint32_t slot,
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

// Writes the pose of a clip at a sample position. Extracted root motion is removed from joint 0.
void md5i_sample_source(const md5_machine *machine, const md5_source *source,
                        const md5_sample_position *sample, md5_xform *pose);

#endif
