// The columns of a machine's tables, the walk over them, and where their members stand in a text.
#include "md5/core/assert.h"
#include "md5/motion/numbers.h"
#include "md5/play/schema.h"

#include <string.h>

// NOLINTBEGIN(bugprone-macro-parentheses): types, members and lists of initializers

// The place of a member, whose type must be the column's.
#if defined(__cplusplus)
#define OFFSET(member, type) offsetof(ROW, member)
#else
#define OFFSET(member, type) (offsetof(ROW, member) + _Generic(((ROW *)0)->member, type : 0u))
#endif
#define NUMBER_OF(member) (sizeof((ROW *)0)->member / sizeof((ROW *)0)->member[0])

// Columns. What follows the member is in the order of the members of md5_column.
#define TEXT(name, ...) COLUMN(MD5_COLUMN_TEXT, name, OFFSET(name, const char *), __VA_ARGS__)
#define FLOAT(name, ...) COLUMN(MD5_COLUMN_FLOAT, name, OFFSET(name, float), __VA_ARGS__)
#define FLOAT_OF(part, name, ...) \
    COLUMN(MD5_COLUMN_FLOAT, name, OFFSET(part.name, float), __VA_ARGS__) // in a struct of the row
#define DIRECTION_OF(part, name, ...) \
    COLUMN(MD5_COLUMN_DIRECTION, name, OFFSET(part.name, md5_vec3), __VA_ARGS__)
#define DOUBLE(name, ...) COLUMN(MD5_COLUMN_DOUBLE, name, OFFSET(name, double), __VA_ARGS__)
#define NUMBER(name, ...) COLUMN(MD5_COLUMN_COUNT, name, OFFSET(name, uint32_t), __VA_ARGS__)
#define INT(name, ...) COLUMN(MD5_COLUMN_INT, name, OFFSET(name, int32_t), __VA_ARGS__)
#define FLAG(name, ...) COLUMN(MD5_COLUMN_FLAG, name, OFFSET(name, bool), __VA_ARGS__)
#define OTHER(name, ...)                                                                 \
    COLUMN(MD5_COLUMN_OTHER, name, offsetof(ROW, name), .other = sizeof((ROW *)0)->name, \
           __VA_ARGS__)
#define PART(name, ...) COLUMN(MD5_COLUMN_PART, name, offsetof(ROW, name), __VA_ARGS__)
#define ONE(name, schema, ...) \
    COLUMN(MD5_COLUMN_ROW, name, offsetof(ROW, name), .rows = &(schema), __VA_ARGS__)
#define EASING(name, largest, ...)                                                         \
    COLUMN(MD5_COLUMN_EASING, name, OFFSET(name, md5_easing), .rows = &md5i_easing_schema, \
           .last = largest, __VA_ARGS__)
#define TEXTS(name, ...) \
    COLUMN(MD5_COLUMN_TEXTS, name, offsetof(ROW, name), .other = NUMBER_OF(name), __VA_ARGS__)
#define TABLE(name, schema, ...)                                                               \
    COLUMN(MD5_COLUMN_TABLE, name, offsetof(ROW, name), .other = OFFSET(num_##name, uint32_t), \
           .rows = &(schema), __VA_ARGS__)
#define CHOICE(name, list, largest, ...) \
    NUMBERED(name, largest, .choices = list, .num_choices = MD5_COUNT(list), __VA_ARGS__)
#define NUMBERED(name, largest, ...) \
    COLUMN(MD5_COLUMN_CHOICE, name, offsetof(ROW, name), .last = largest, __VA_ARGS__)
#define RESERVED                                                                              \
    {                                                                                         \
        .kind = MD5_COLUMN_RESERVED, .member = "reserved", .offset = offsetof(ROW, reserved), \
        .other = NUMBER_OF(reserved), .place = MD5_PLACE_NOWHERE, .hash = MD5_HASH_NEVER,     \
        .text = "0"                                                                           \
    }
#define COLUMN(type, name, place, ...)                              \
    {                                                               \
        .kind = type, .member = #name, .offset = place, __VA_ARGS__ \
    }

#define HEAD .place = MD5_PLACE_HEAD
#define BEHIND .place = MD5_PLACE_BEHIND
#define NOWHERE .place = MD5_PLACE_NOWHERE
#define RANGE(low, high) .least = (low), .most = (high)
#define FINITE .range = "any"
// What 0 means; a 0 of a file is MD5_ZERO then.
#define OR(number) .keeps_zero = true, .is_filled = true, .otherwise = (number)
#define OR_UNITS(number) \
    .keeps_zero = true, .is_filled = true, .is_length = true, .otherwise = (number)
#define OR_ELSE(words) .keeps_zero = true, .usual = (words)
#define BIT(kind) ((uint64_t)1 << (kind))
#define ONLY(kind) .kinds = BIT(kind)
// Of the schema whose rows are of type ROW.
#define KIND(member) .kind = offsetof(ROW, member), .has_kind = true
#define COLUMNS(list) .size = sizeof(ROW), .num_columns = MD5_COUNT(list), .columns = (list)

// NOLINTEND(bugprone-macro-parentheses)

// -- Easings ------------------------------------------------------------------------------------

static const md5_choice jumps[] = {
    {"jump_start", MD5_JUMP_START},
    {"jump_none", MD5_JUMP_NONE},
    {"jump_both", MD5_JUMP_BOTH},
};

// NOLINTBEGIN(bugprone-macro-parentheses): likewise
// The numbers of an easing, in a row whose kind is the easing.
#define EASING_NUMBERS(of, where)                                                                  \
    FLOAT(of x1, .place = where, .word = "x1", .label = "x1", RANGE(0.0, 1.0),                     \
          ONLY(MD5_EASE_CUBIC_BEZIER), .hash = MD5_HASH_USED, .text = "first control point"),      \
        FLOAT(of y1, .place = where, .word = "y1", .label = "y1", FINITE,                          \
              ONLY(MD5_EASE_CUBIC_BEZIER), .hash = MD5_HASH_USED, .text = "its height"),           \
        FLOAT(of x2, .place = where, .word = "x2", .label = "x2", RANGE(0.0, 1.0),                 \
              ONLY(MD5_EASE_CUBIC_BEZIER), .hash = MD5_HASH_USED, .text = "second control point"), \
        FLOAT(of y2, .place = where, .word = "y2", .label = "y2", FINITE,                          \
              ONLY(MD5_EASE_CUBIC_BEZIER), .hash = MD5_HASH_USED, .text = "its height"),           \
        NUMBER(of steps, .place = where, .word = "steps", .range = "1 to 65536, 2 with jump_none", \
               ONLY(MD5_EASE_STEPS), .hash = MD5_HASH_USED, .text = "how many steps"),             \
        CHOICE(of jump, jumps, MD5_JUMP_BOTH, .place = where, .form = MD5_FORM_OPTIONAL,           \
               .label = "jump", .usual = "after each step", ONLY(MD5_EASE_STEPS),                  \
               .hash = MD5_HASH_USED, .text = "where the steps are")
// NOLINTEND(bugprone-macro-parentheses)

#define ROW md5_easing
static const md5_column easing_columns[] = {
    NUMBERED(kind, MD5_EASE_STEPS, HEAD, .label = "easing", .usual = "linear",
             .text = "the easing"),
    EASING_NUMBERS(, MD5_PLACE_HEAD),
};
const md5_schema md5i_easing_schema = {
    .what = "an easing",
    .mark = "curve",
    .text = "an easing with its numbers",
    KIND(kind),
    .has_no_braces = true,
    COLUMNS(easing_columns),
};
#undef ROW

// -- Clips, masks, parameters -------------------------------------------------------------------

#define ROW md5_event
static const md5_column event_columns[] = {
    NUMBER(frame, HEAD, .range = "a frame of the clip", .text = "when the event is"),
    TEXT(name, HEAD, .form = MD5_FORM_EVENT, .what = "the name of an event",
         .text = "what the game is told"),
    TEXT(text, HEAD, .form = MD5_FORM_LINE, .is_text_filled = true, .usual = "none",
         .text = "the rest of the line"),
    NUMBERED(kind, MD5_EVENT_CLIP, NOWHERE, .usual = "an event of a clip", .hash = MD5_HASH_NEVER,
             .text = "0"),
    OTHER(layer, NOWHERE, .hash = MD5_HASH_NEVER, .text = "0"),
    OTHER(index, NOWHERE, .hash = MD5_HASH_NEVER, .text = "0"),
    RESERVED,
};
static const md5_schema event_schema = {
    .what = "an event",
    .head = "frame",
    .owner = "event",
    .text = "an event of the clip",
    .name = offsetof(ROW, name),
    .has_name = true,
    .has_no_braces = true,
    COLUMNS(event_columns),
};
#undef ROW

typedef struct marker_row {
    uint32_t marker;
} marker_row;
#define ROW marker_row
static const md5_column marker_columns[] = {
    NUMBER(marker, HEAD, .range = "a frame of the cycle, ascending", .text = "a frame"),
};
static const md5_schema marker_schema = {
    .what = "a marker",
    .text = "frames at which clips of a synchronised motion are at the same point",
    .has_no_braces = true,
    COLUMNS(marker_columns),
};
#undef ROW

static const md5_choice periods[] = {
    {"closed", MD5_PERIOD_CLOSED},
    {"open", MD5_PERIOD_OPEN},
};
static const md5_choice interpolations[] = {
    {"linear", MD5_INTERPOLATE_LINEAR},
    {"step", MD5_INTERPOLATE_STEP},
    {"cubic", MD5_INTERPOLATE_CUBIC},
    {"nlerp", MD5_INTERPOLATE_NLERP},
};
static const md5_choice extracts[] = {
    {"move", MD5_EXTRACT_MOVE},
    {"walk", MD5_EXTRACT_WALK},
    {"turn", MD5_EXTRACT_TURN},
};

#define ROW md5_clip_desc
static const md5_column clip_columns[] = {
    TEXT(name, HEAD, .what = "the name of a clip", .text = "also that of a motion that plays it"),
    TEXT(file, HEAD, .what = "the file of a clip", .hash = MD5_HASH_NEVER, .text = "the .md5anim"),
    COLUMN(MD5_COLUMN_BINDING, binding, OFFSET(binding, const md5_binding *), NOWHERE,
           .text = "the clip, loaded"),
    CHOICE(period, periods, MD5_PERIOD_OPEN, .usual = "closed",
           .text = "whether the last frame is the first again, or is followed by it"),
    CHOICE(interpolation, interpolations, MD5_INTERPOLATE_NLERP, .usual = "linear",
           .text = "what is between frames"),
    CHOICE(extract, extracts, MD5_EXTRACT_TURN, .usual = "none",
           .text = "which motion of joint 0 moves the character"),
    TABLE(events, event_schema, .text = "an event of the clip"),
    TABLE(markers, marker_schema, .form = MD5_FORM_LIST,
          .text = "frames at which synchronised clips are at the same point"),
    RESERVED,
};
const md5_schema md5i_clip_schema = {
    .what = "a clip",
    .head = "clip",
    .owner = "clip",
    .text = "a clip and how it is read",
    .has_name = true,
    COLUMNS(clip_columns),
};
#undef ROW

#define ROW md5_mask_desc
static const md5_column mask_columns[] = {
    TEXT(name, HEAD, .what = "the name of a mask", .text = "its name"),
    TEXT(joints, HEAD, .form = MD5_FORM_JOINTS, .text = "joints: see below"),
    NUMBER(feather, .range = "any", .usual = "0",
           .text = "levels of joints over which the weight rises"),
    RESERVED,
};
static const md5_schema mask_schema = {
    .what = "a mask",
    .head = "mask",
    .owner = "mask",
    .text = "joints, for layers and items",
    .has_name = true,
    COLUMNS(mask_columns),
};
#undef ROW

static const md5_choice parameter_kinds[] = {
    {"float", MD5_PARAMETER_FLOAT},
    {"bool", MD5_PARAMETER_BOOL},
    {"trigger", MD5_PARAMETER_TRIGGER},
};

#define ROW md5_parameter_desc
static const md5_column parameter_columns[] = {
    TEXT(name, HEAD, .what = "the name of a parameter", .text = "its name"),
    CHOICE(kind, parameter_kinds, MD5_PARAMETER_TRIGGER, NOWHERE, .usual = "float",
           .text = "the word before its name"),
    FLOAT(value, HEAD, .form = MD5_FORM_OPTIONAL, FINITE, .usual = "0", .text = "initial value"),
    RESERVED,
};
static const md5_schema parameter_schema = {
    .what = "a parameter",
    .head = "float",
    .owner = "parameter",
    .text = "what the game sets",
    KIND(kind),
    .has_name = true,
    .has_no_braces = true,
    COLUMNS(parameter_columns),
};
#undef ROW

static const md5_choice follow_kinds[] = {
    {"smooth", MD5_FOLLOW_SMOOTH},
    {"spring", MD5_FOLLOW_SPRING},
    {"ease", MD5_FOLLOW_EASE},
};

#define ROW md5_follow_desc
static const md5_column follow_columns[] = {
    TEXT(parameter, HEAD, .what = "a parameter", .text = "a float"),
    CHOICE(kind, follow_kinds, MD5_FOLLOW_EASE, HEAD, .usual = "smooth", .text = "how it follows"),
    FLOAT(rate, HEAD, RANGE(1e-6, 1e6), ONLY(MD5_FOLLOW_SMOOTH),
          .text = "share of what remains, 1/s"),
    FLOAT(stiffness, HEAD, RANGE(1e-6, 1e12), ONLY(MD5_FOLLOW_SPRING), .text = "1/s²"),
    FLOAT(damping, HEAD, RANGE(0.0, 1e6), ONLY(MD5_FOLLOW_SPRING), .text = "1/s"),
    FLOAT(duration, HEAD, RANGE(0.0, 1e6), ONLY(MD5_FOLLOW_EASE), .text = "seconds"),
    EASING(easing, MD5_EASE_BOUNCE_IN_OUT, HEAD, .usual = "linear", ONLY(MD5_FOLLOW_EASE),
           .text = "an easing"),
    RESERVED,
};
static const md5_schema follow_schema = {
    .what = "a follow",
    .head = "follow",
    .owner = "the following parameter",
    .text = "how a parameter follows what the game sets",
    KIND(kind),
    .has_name = true,
    .has_no_braces = true,
    COLUMNS(follow_columns),
};
#undef ROW

// -- Motions ------------------------------------------------------------------------------------

static const md5_choice layer_modes[] = {
    {"override", MD5_LAYER_OVERRIDE},
    {"add", MD5_LAYER_ADD},
};

#define SPACES (BIT(MD5_MOTION_BLEND_1D) | BIT(MD5_MOTION_BLEND_2D) | BIT(MD5_MOTION_BY_SPEED))

#define ROW md5_motion_item
static const md5_column item_columns[] = {
    TEXT(motion, HEAD, .what = "the motion of an item", .text = "a motion or clip before this one"),
    FLOAT(x, HEAD, .label = "position of an item", FINITE,
          .kinds = BIT(MD5_MOTION_BLEND_1D) | BIT(MD5_MOTION_BLEND_2D), .text = "its place"),
    FLOAT(y, HEAD, .label = "position of an item", FINITE, ONLY(MD5_MOTION_BLEND_2D),
          .text = "its place"),
    CHOICE(mode, layer_modes, MD5_LAYER_ADD, .label = "mode of an item", .usual = "override",
           ONLY(MD5_MOTION_STACK), .text = "blended over the items before it, or added to them"),
    TEXT(mask, .usual = "all joints", ONLY(MD5_MOTION_STACK), .text = "a mask"),
    FLOAT(weight, .other = offsetof(ROW, weight_parameter), .easing = offsetof(ROW, weight_easing),
          .form = MD5_FORM_SHARE, .label = "weight of an item", RANGE(0.0, 1.0), OR(1.0f),
          .start = 1.0f, ONLY(MD5_MOTION_STACK), .text = "its weight"),
    TEXT(weight_parameter, NOWHERE, .text = "instead of a weight"),
    TEXT(reference, .what = "the clip of a reference", .usual = "its own clip",
         ONLY(MD5_MOTION_STACK), .text = "what is subtracted before it is added"),
    NUMBER(reference_frame, BEHIND, .word = "reference", .range = "a frame of the clip",
           .text = "a frame of that clip"),
    EASING(weight_easing, MD5_EASE_LINEAR, NOWHERE, .text = "an easing of the parameter"),
    RESERVED,
};
const md5_schema md5i_item_schema = {
    .what = "an item",
    .head = "item",
    .text = "a part of a motion",
    .kind_is_above = true,
    COLUMNS(item_columns),
};
#undef ROW

static const md5_choice motion_kinds[] = {
    {"clip", MD5_MOTION_CLIP},         {"line", MD5_MOTION_BLEND_1D},
    {"by_speed", MD5_MOTION_BY_SPEED}, {"plane", MD5_MOTION_BLEND_2D},
    {"stack", MD5_MOTION_STACK},
};
static const md5_choice play_modes[] = {
    {"loop", MD5_PLAY_LOOP},
    {"once", MD5_PLAY_ONCE},
    {"ping_pong", MD5_PLAY_PING_PONG},
};
static const md5_choice syncs[] = {
    {"alone", MD5_SYNC_NONE},
    {"phase", MD5_SYNC_PHASE},
    {"markers", MD5_SYNC_MARKERS},
};

#define ROW md5_motion_desc
static const md5_column motion_columns[] = {
    TEXT(name, HEAD, .what = "the name of a motion", .text = "its name"),
    CHOICE(kind, motion_kinds, MD5_MOTION_BY_SPEED, HEAD, .usual = "clip",
           .text = "what it is made of"),
    TEXT(clip, HEAD, .what = "the clip of a motion", ONLY(MD5_MOTION_CLIP), .text = "a clip"),
    CHOICE(mode, play_modes, MD5_PLAY_PING_PONG, .usual = "loop", ONLY(MD5_MOTION_CLIP),
           .text = "what the clip does at its end"),
    DOUBLE(start, FINITE, .usual = "0", ONLY(MD5_MOTION_CLIP),
           .text = "normalised time at which the clip begins"),
    FLOAT(speed, .other = offsetof(ROW, speed_parameter), .form = MD5_FORM_SHARE, FINITE, OR(1.0f),
          .text = "factor of time"),
    TEXT(speed_parameter, NOWHERE, .text = "instead of a speed"),
    TEXT(x_parameter, HEAD, .what = "a parameter", .kinds = SPACES, .text = "the place x"),
    TEXT(y_parameter, HEAD, .what = "a parameter", ONLY(MD5_MOTION_BLEND_2D),
         .text = "the place y"),
    CHOICE(sync, syncs, MD5_SYNC_MARKERS, .usual = "alone", .kinds = SPACES,
           .text = "how its clips are synchronised"),
    TABLE(items, md5i_item_schema, .kinds = SPACES | BIT(MD5_MOTION_STACK), .text = "a part of it"),
    RESERVED,
};
const md5_schema md5i_motion_schema = {
    .what = "a motion",
    .head = "motion",
    .owner = "motion",
    .text = "what makes a pose",
    KIND(kind),
    .has_name = true,
    COLUMNS(motion_columns),
};
#undef ROW

// -- Layers -------------------------------------------------------------------------------------

#define ROW md5_state_desc
static const md5_column state_columns[] = {
    TEXT(name, HEAD, .what = "the name of a state", .text = "its name"),
    TEXT(motion, HEAD, .what = "a motion or 'nothing'", .usual = "nothing", .text = "a motion"),
    RESERVED,
};
static const md5_schema state_schema = {
    .what = "a state",
    .head = "state",
    .owner = "state",
    .text = "a state of the layer; it starts in the first",
    .has_name = true,
    .has_no_braces = true,
    COLUMNS(state_columns),
};
#undef ROW

static const md5_choice comparisons[] = {
    {"<=", MD5_IS_AT_MOST},
    {">=", MD5_IS_AT_LEAST},
    {"<", MD5_IS_LESS},
    {">", MD5_IS_GREATER},
};

#define ROW md5_condition
static const md5_column condition_columns[] = {
    TEXT(parameter, HEAD, .form = MD5_FORM_COMPARED, .what = "a parameter",
         .text = "a parameter, perhaps behind `not`"),
    CHOICE(compare, comparisons, MD5_IS_AT_LEAST, NOWHERE, .label = "comparison", .usual = "is set",
           .text = "how it is compared"),
    FLOAT(value, HEAD, .label = "value of a condition", FINITE,
          .kinds =
              BIT(MD5_IS_LESS) | BIT(MD5_IS_GREATER) | BIT(MD5_IS_AT_MOST) | BIT(MD5_IS_AT_LEAST),
          .text = "with what"),
    RESERVED,
};
static const md5_schema condition_schema = {
    .what = "a condition",
    .head = "when",
    .text = "what must hold",
    KIND(compare),
    .has_no_braces = true,
    COLUMNS(condition_columns),
};
#undef ROW

static const md5_choice fades[] = {
    {"cross", MD5_FADE_CROSS},
    {"inertial", MD5_FADE_INERTIAL},
};
static const md5_choice interrupts[] = {
    {"interrupt_any", MD5_INTERRUPT_ANY},
    {"interrupt_higher", MD5_INTERRUPT_HIGHER},
    {"interrupt_none", MD5_INTERRUPT_NONE},
};

#define ROW md5_transition_desc
static const md5_column transition_columns[] = {
    TEXT(from, HEAD, .what = "a state or 'any'", .usual = "any", .text = "the state it leaves"),
    TEXT(to, HEAD, .what = "a state", .text = "the state that begins"),
    TABLE(conditions, condition_schema, .form = MD5_FORM_CONDITIONS, .text = "what must hold"),
    FLAG(waits, .word = "exit", .text = "waits for the exit:"),
    FLOAT(exit, BEHIND, FINITE, .text = "normalised time of the state it leaves"),
    FLOAT(duration, RANGE(0.0, 1e6), .usual = "0", .text = "seconds of the fade"),
    CHOICE(fade, fades, MD5_FADE_INERTIAL, .usual = "cross", .text = "how it fades"),
    NUMBERED(easing.kind, MD5_EASE_STEPS, .label = "easing", .usual = "linear",
             .text = "an easing of the fade"),
    EASING_NUMBERS(easing., MD5_PLACE_BEHIND),
    FLAG(keeps_phase, .word = "keep_phase", .text = "begins where the other is in its cycle"),
    FLOAT(start, FINITE, .usual = "0", .text = "normalised time at which the state begins"),
    INT(priority, .range = "any", .usual = "0", .text = "the highest is taken"),
    CHOICE(interrupt, interrupts, MD5_INTERRUPT_NONE, .usual = "interrupt_any",
           .text = "which transitions may interrupt it"),
    RESERVED,
};
static const md5_schema transition_schema = {
    .what = "a transition",
    .head = "transition",
    .owner = "a transition of layer",
    .text = "the way from a state to another one",
    KIND(easing.kind),
    COLUMNS(transition_columns),
};
#undef ROW

#define ROW md5_layer_desc
static const md5_column layer_columns[] = {
    TEXT(name, HEAD, .what = "the name of a layer", .text = "its name"),
    CHOICE(mode, layer_modes, MD5_LAYER_ADD, .usual = "override",
           .text = "blended over the layers before it, or added to them"),
    TEXT(reference, .what = "the clip of a reference", .usual = "the clip of each state",
         .text = "what is subtracted before it is added"),
    NUMBER(reference_frame, BEHIND, .word = "reference", .range = "a frame of the clip",
           .text = "a frame of that clip"),
    TEXT(mask, .usual = "all joints", .text = "a mask"),
    FLOAT(weight, .other = offsetof(ROW, weight_parameter), .easing = offsetof(ROW, weight_easing),
          .form = MD5_FORM_SHARE, RANGE(0.0, 1.0), OR(1.0f), .text = "its weight"),
    TEXT(weight_parameter, NOWHERE, .text = "instead of a weight"),
    EASING(weight_easing, MD5_EASE_LINEAR, NOWHERE, .text = "an easing of the parameter"),
    TABLE(states, state_schema, .text = "a state"),
    TABLE(transitions, transition_schema, .text = "a transition"),
    RESERVED,
};
const md5_schema md5i_layer_schema = {
    .what = "a layer",
    .head = "layer",
    .owner = "layer",
    .text = "a state machine, blended over or added to those before it",
    .has_name = true,
    .needs_braces = true,
    COLUMNS(layer_columns),
};
#undef ROW

// -- Modifiers ----------------------------------------------------------------------------------

#define ROW md5_foot_desc
static const md5_column foot_columns[] = {
    TEXT(ankle, HEAD, .what = "the ankle of a foot", .text = "its joint"),
    TEXT(knee, .usual = "the ankle's parent", .text = "its joint"),
    TEXT(hip, .usual = "the knee's parent", .text = "its joint"),
    RESERVED,
};
static const md5_schema foot_schema = {
    .what = "a foot",
    .head = "foot",
    .text = "a leg of a `feet`",
    COLUMNS(foot_columns),
};
#undef ROW

#define ROW md5_modifier_gaze
static const md5_column gaze_columns[] = {
    TEXTS(eyes, .word = "eye", .what = "an eye", .usual = "none",
          .text = "a joint whose x axis looks ahead, up to 8 times"),
    COLUMN(MD5_COLUMN_COUNT, length, OFFSET(numbers.length, uint32_t), .range = "1 to 64",
           .is_positive = true, .usual = "3", .text = "joints that turn the head"),
#define FILLED(name, low, high, usual, about) \
    FLOAT_OF(numbers, name, RANGE(low, high), OR(usual), .text = (about)),
#define FILLED_UNITS(name, low, high, usual, about) \
    FLOAT_OF(numbers, name, RANGE(low, high), OR_UNITS(usual), .text = (about)),
    MD5_GAZE_NUMBERS(FILLED, FILLED_UNITS)
        NUMBER(seed, .range = "any", .usual = "0", .text = "with which every player begins"),
    RESERVED,
};
const md5_schema md5i_gaze_schema = {
    .what = "a gaze",
    .text = "the eyes and numbers of a `gaze`",
    COLUMNS(gaze_columns),
};
#undef ROW

#define ROW md5_modifier_hold
static const md5_column hold_columns[] = {
    TEXTS(toes, .word = "toe", .what = "a toe", .usual = "the ankles",
          .text = "a joint with the sole, in the order of the feet, up to 8 times"),
    FLOAT_OF(numbers, height, RANGE(0.0, 1e6), OR_UNITS(0.3f), .text = "up to which a sole stands"),
    FLOAT_OF(numbers, speed, RANGE(0.0, 1e9), OR_UNITS(10.0f),
             .text = "up to which a sole stands, 1/s"),
    FLOAT_OF(numbers, distance, RANGE(0.0, 1e6), OR_UNITS(4.0f),
             .text = "how far a foot is held away"),
    FLOAT_OF(numbers, release, RANGE(0.0, 1e6), OR(0.2f), .text = "seconds of the way back"),
    RESERVED,
};
const md5_schema md5i_hold_schema = {
    .what = "a hold",
    .head = "hold",
    .text = "holds the planted feet of a `feet`",
    COLUMNS(hold_columns),
};
#undef ROW

static const md5_choice modifier_kinds[] = {
    {"joint", MD5_MODIFIER_JOINT},       {"aim", MD5_MODIFIER_AIM},
    {"two_bone", MD5_MODIFIER_TWO_BONE}, {"fabrik", MD5_MODIFIER_FABRIK},
    {"ccd", MD5_MODIFIER_CCD},           {"spring", MD5_MODIFIER_SPRING},
    {"feet", MD5_MODIFIER_FEET},         {"gaze", MD5_MODIFIER_GAZE},
};
static const md5_choice spaces[] = {
    {"local", MD5_JOINT_LOCAL},
    {"local_override", MD5_JOINT_LOCAL_OVERRIDE},
    {"model", MD5_JOINT_MODEL},
    {"model_override", MD5_JOINT_MODEL_OVERRIDE},
};

#define CHAINS                                                                \
    (BIT(MD5_MODIFIER_AIM) | BIT(MD5_MODIFIER_FABRIK) | BIT(MD5_MODIFIER_CCD) \
     | BIT(MD5_MODIFIER_SPRING))

#define ROW md5_modifier_desc
static const md5_column modifier_columns[] = {
    TEXT(name, HEAD, .what = "the name of a modifier", .text = "its name"),
    CHOICE(kind, modifier_kinds, MD5_MODIFIER_GAZE, HEAD, .usual = "joint", .text = "what it does"),
    TEXT(joint, HEAD, .what = "a joint",
         .text =
             "the joint; of a chain or limb its tip, of `feet` the pelvis, of a `gaze` the head"),
    TEXT(middle, .usual = "the joint's parent", ONLY(MD5_MODIFIER_TWO_BONE),
         .text = "elbow or knee"),
    TEXT(root, .usual = "the parent of `middle`", ONLY(MD5_MODIFIER_TWO_BONE),
         .text = "shoulder or hip"),
    NUMBER(length, .range = "1 to 64; 2 to 64 but for `aim`", .is_filled = true,
           .is_positive = true, .otherwise = 2.0f, .kinds = CHAINS, .text = "joints of the chain"),
    CHOICE(space, spaces, MD5_JOINT_MODEL_OVERRIDE, .usual = "local", ONLY(MD5_MODIFIER_JOINT),
           .text = "in which the target is, and whether it replaces the joint's own"),
    DIRECTION_OF(aim, forward, .range = "not 0 0 0", .usual = "( 1 0 0 )", ONLY(MD5_MODIFIER_AIM),
                 .text = "where the tip looks, in its own space"),
    DIRECTION_OF(aim, up, .range = "not 0 0 0", .usual = "( 0 0 1 )", ONLY(MD5_MODIFIER_AIM),
                 .text = "what is up there"),
    FLOAT_OF(aim, limit, RANGE(0.0, 1e6), OR_ELSE("any turn"), ONLY(MD5_MODIFIER_AIM),
             .text = "largest turn of one joint, radians"),
    FLOAT_OF(two_bone, soften, RANGE(0.0, 1.0), .usual = "0", ONLY(MD5_MODIFIER_TWO_BONE),
             .text = "last share of the reach, in which it slows down"),
    FLOAT_OF(two_bone, stretch, RANGE(1.0, 1e6), OR(1.0f), ONLY(MD5_MODIFIER_TWO_BONE),
             .text = "largest factor of the limb's length"),
#define SPRING(name, low, high, usual, about) \
    FLOAT_OF(spring, name, RANGE(low, high), OR(usual), ONLY(MD5_MODIFIER_SPRING), .text = (about)),
    MD5_SPRING_NUMBERS(SPRING)
        FLOAT_OF(spring, gravity, FINITE, .usual = "0", ONLY(MD5_MODIFIER_SPRING),
                 .text = "units/s², down the model's z"),
    FLOAT(smoothing, RANGE(0.0, 1e6), OR(0.1f), ONLY(MD5_MODIFIER_FEET),
          .text = "seconds in which feet follow the ground"),
    TABLE(feet, foot_schema, ONLY(MD5_MODIFIER_FEET), .text = "a leg"),
    ONE(gaze, md5i_gaze_schema, NOWHERE, .form = MD5_FORM_ALWAYS, ONLY(MD5_MODIFIER_GAZE),
        .text = "eyes and numbers"),
    ONE(hold, md5i_hold_schema, ONLY(MD5_MODIFIER_FEET), .text = "holds planted feet"),
    FLOAT(weight, RANGE(0.0, 1.0), OR(1.0f), .hash = MD5_HASH_SET,
          .text = "with which players begin"),
    RESERVED,
};
const md5_schema md5i_modifier_schema = {
    .what = "a modifier",
    .head = "modifier",
    .owner = "modifier",
    .text = "changes the pose after the layers",
    KIND(kind),
    .has_name = true,
    COLUMNS(modifier_columns),
};
#undef ROW

// -- Morph targets ------------------------------------------------------------------------------

#define ROW md5_morph_key
static const md5_column key_columns[] = {
    NUMBER(frame, HEAD, .range = "a frame of the clip, ascending", .text = "when"),
    FLOAT(weight, HEAD, .label = "the weight of a key", RANGE(-1e6, 1e6),
          .text = "the weight then"),
    RESERVED,
};
static const md5_schema key_schema = {
    .what = "a key",
    .text = "weights over the frames of a clip",
    .has_no_braces = true,
    COLUMNS(key_columns),
};
#undef ROW

static const md5_choice drives[] = {
    {"parameter", MD5_MORPH_BY_PARAMETER},
    {"state", MD5_MORPH_BY_STATE},
    {"clip", MD5_MORPH_BY_CLIP},
};

#define ROW md5_morph_desc
static const md5_column morph_columns[] = {
    TEXT(target, HEAD, .what = "the name of a morph target", .text = "a morph target"),
    CHOICE(drive, drives, MD5_MORPH_BY_CLIP, HEAD, .usual = "parameter", .text = "what drives it"),
    TEXT(parameter, HEAD, .what = "a parameter", ONLY(MD5_MORPH_BY_PARAMETER),
         .text = "a parameter"),
    TEXT(layer, HEAD, .what = "a layer", ONLY(MD5_MORPH_BY_STATE), .text = "a layer"),
    TEXT(state, HEAD, .what = "a state", ONLY(MD5_MORPH_BY_STATE), .text = "a state of it"),
    TEXT(clip, HEAD, .what = "a clip", ONLY(MD5_MORPH_BY_CLIP), .text = "a clip"),
    TABLE(keys, key_schema, HEAD, .form = MD5_FORM_LIST, ONLY(MD5_MORPH_BY_CLIP),
          .text = "weights at its frames"),
    FLOAT(weight, RANGE(-1e6, 1e6), OR(1.0f), .text = "a factor"),
    RESERVED,
};
const md5_schema md5i_morph_schema = {
    .what = "a morph",
    .head = "morph",
    .owner = "morph",
    .text = "what drives a morph target",
    KIND(drive),
    .has_name = true,
    COLUMNS(morph_columns),
};
#undef ROW

// -- Machines -----------------------------------------------------------------------------------

#define ROW md5_report_desc
static const md5_column report_columns[] = {
    FLAG(enter, .text = "a state begins"),
    FLAG(leave, .text = "a transition away from a state begins"),
    FLAG(transition_end, .text = "a state has faded in"),
    FLAG(clip_end, .text = "a clip ends"),
    RESERVED,
};
static const md5_schema report_schema = {
    .what = "a report",
    .head = "report",
    .text = "events that the player makes",
    .needs_braces = true,
    COLUMNS(report_columns),
};
#undef ROW

#define ROW md5_machine_desc
static const md5_column machine_columns[] = {
    TEXT(name, HEAD, .what = "the name of the machine", .is_text_filled = true, .text = "its name"),
    COLUMN(MD5_COLUMN_MODEL, model, OFFSET(model, const md5_model *),
           .other = offsetof(md5_machine_file, model_file), .text = "the file of the model"),
    TABLE(clips, md5i_clip_schema, .text = "a clip"),
    TABLE(masks, mask_schema, .text = "joints"),
    TABLE(parameters, parameter_schema, .choices = parameter_kinds,
          .num_choices = MD5_COUNT(parameter_kinds), .text = "a parameter"),
    TABLE(follows, follow_schema, .hash = MD5_HASH_ROWS, .text = "how a parameter follows"),
    TABLE(motions, md5i_motion_schema, .text = "a motion"),
    TABLE(layers, md5i_layer_schema, .text = "a layer"),
    NUMBER(max_shots, NOWHERE, .range = "0 to 64", .usual = "4", .text = "slots for one-shots"),
    PART(report, .rows = &report_schema, .text = "events that the player makes"),
    TABLE(modifiers, md5i_modifier_schema, .text = "a modifier"),
    TABLE(morphs, md5i_morph_schema, .hash = MD5_HASH_ROWS, .text = "what drives a morph target"),
    OTHER(locations, NOWHERE, .hash = MD5_HASH_NEVER, .text = "of the words of a file"),
    RESERVED,
};
const md5_schema md5i_machine_schema = {
    .what = "a machine",
    .head = "machine",
    .owner = "machine",
    .text = "the whole file",
    .has_name = true,
    .needs_braces = true,
    COLUMNS(machine_columns),
};
#undef ROW

// -- Walks --------------------------------------------------------------------------------------

const char *md5i_choice_word(const md5_column *column, uint32_t i, uint32_t *value)
{
    *value = i;
    if (!column->choices)
        return i <= column->last ? md5_easing_name((md5_ease_kind)i) : NULL;
    if (i >= column->num_choices)
        return NULL;
    *value = column->choices[i].value;
    return column->choices[i].word;
}

const char *md5i_rows_of(const md5_column *column, const char *row, uint32_t *count)
{
    const char *rows;
    *count = 1;
    if (column->kind == MD5_COLUMN_PART)
        return row + column->offset;
    if (column->kind == MD5_COLUMN_EASING)
        return (uint32_t)md5_easing_of(row, column->offset)->kind > column->last
                   ? row + column->offset
                   : NULL;
    memcpy(&rows, row + column->offset, sizeof rows);
    if (column->kind == MD5_COLUMN_TABLE)
        memcpy(count, row + column->other, sizeof *count);
    return rows;
}

md5_table_walk md5i_begin_columns(const md5_schema *schema, const void *row, void *copy)
{
    const char *const bytes = (const char *)row;
    md5_table_walk walk = {.top = 0};
    walk.levels[0] = (md5_table_level){schema, bytes, (char *)copy, 1, 0, 0};
    walk.levels[0].kind = md5_kind_of(schema, row, 0);
    return walk;
}

bool md5i_next_column(md5_table_walk *walk)
{
    while (walk->top >= 0) {
        md5_table_level *level = &walk->levels[walk->top];
        const md5_column *const column = walk->column;
        char *const copies = walk->copies;
        walk->column = NULL;
        walk->copies = NULL;
        uint32_t count = 0;
        const char *const rows =
            column && column->rows ? md5i_rows_of(column, level->row, &count) : NULL;
        if (rows && count > 0) {
            const uint32_t kind = md5_kind_of(column->rows, rows, level->kind);
            walk->levels[++walk->top] =
                (md5_table_level){column->rows, rows, copies, count, 0, kind};
        } else if (level->next <= level->schema->num_columns) {
            walk->level = level;
            if (level->next < level->schema->num_columns)
                walk->column = &level->schema->columns[level->next];
            level->next++;
            return true;
        } else if (--level->left == 0) {
            walk->top--;
        } else {
            level->row += level->schema->size;
            if (level->copy)
                level->copy += level->schema->size;
            level->next = 0;
            level->kind = md5_kind_of(level->schema, level->row,
                                      walk->top > 0 ? walk->levels[walk->top - 1].kind : 0);
        }
    }
    return false;
}

md5_row_title md5i_title_of(const md5_table_walk *walk)
{
    md5_row_title title = {NULL, NULL};
    for (int i = walk->top; i >= 0 && !(title.kind && title.name); i--) {
        const md5_table_level *const level = &walk->levels[i];
        const char *const *const name =
            (const char *const *)(const void *)(level->row + level->schema->name);
        title.kind = title.kind ? title.kind : level->schema->owner;
        if (!title.name && level->schema->has_name)
            title.name = *name ? *name : "";
    }
    return title;
}

void md5i_fill_defaults(const md5_schema *schema, void *row, float unit)
{
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        const md5_column *const column = &schema->columns[i];
        char *const value = (char *)row + column->offset;
        if (!column->is_filled)
            continue;
        if (column->kind == MD5_COLUMN_COUNT) {
            uint32_t *const number = (uint32_t *)(void *)value;
            *number = *number > 0 ? *number : (uint32_t)column->otherwise;
            continue;
        }
        float *const number = (float *)(void *)value;
        const float usual = column->is_length ? column->otherwise * unit : column->otherwise;
        *number = *number == MD5_ZERO ? 0.0f : *number == 0.0f ? usual : *number;
    }
}

// == Locations ==================================================================================

md5_location md5i_find_location(const md5_locations *locations, const void *member)
{
    const uintptr_t at = (uintptr_t)member;
    for (const md5_located_table *table = locations ? locations->tables : NULL; table;
         table = table->next) {
        const uintptr_t offset = at - (uintptr_t)table->rows; // wraps if `at` is before the rows
        if (offset < table->size)
            return *md5_locations_at(table->rows, table->size, offset);
    }
    return (md5_location){0, 0};
}

void md5i_free_memory(const md5_allocator *allocator, void *memory)
{
    const md5_load_opts opts = {.allocator = *allocator};
    md5_context context;
    md5i_context_begin(&context, &opts, NULL, NULL);
    md5_arena arena = {.context = &context, .chunks = (struct md5_chunk *)memory};
    md5i_arena_free(&arena);
}
