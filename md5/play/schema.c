// The columns of a machine's tables, the walk over them, and where their members stand in a text.
#include "md5/core/freed.h"
#include "md5/motion/numbers.h"
#include "md5/play/schema.h"

// NOLINTBEGIN(bugprone-macro-parentheses): types, members and lists of initializers

// The place of a member, whose type must be the column's.
#if defined(__cplusplus)
#define OFFSET(member, type) offsetof(ROW, member)
#else
#define OFFSET(member, type) (offsetof(ROW, member) + _Generic(((ROW *)0)->member, type : 0u))
#endif
#define NUMBER_OF(member) (sizeof((ROW *)0)->member / sizeof((ROW *)0)->member[0])

// Columns: the member, what else the kind needs, the text for the manual, and what differs from 0,
// in the order of the members of md5_column.
#define TEXT(name, ...) \
    COLUMN(MD5_COLUMN_TEXT, name, OFFSET(name, const char *), .text = __VA_ARGS__)
#define FLOAT(name, ...) COLUMN(MD5_COLUMN_FLOAT, name, OFFSET(name, float), .text = __VA_ARGS__)
#define FLOAT_OF(part, name, ...)                            \
    COLUMN(MD5_COLUMN_FLOAT, name, OFFSET(part.name, float), \
           .text = __VA_ARGS__) // in a struct of the row
#define DIRECTION_OF(part, name, ...) \
    COLUMN(MD5_COLUMN_DIRECTION, name, OFFSET(part.name, md5_vec3), .text = __VA_ARGS__)
#define DOUBLE(name, ...) COLUMN(MD5_COLUMN_DOUBLE, name, OFFSET(name, double), .text = __VA_ARGS__)
#define NUMBER(name, ...) \
    COLUMN(MD5_COLUMN_COUNT, name, OFFSET(name, uint32_t), .text = __VA_ARGS__)
#define INT(name, ...) COLUMN(MD5_COLUMN_INT, name, OFFSET(name, int32_t), .text = __VA_ARGS__)
#define FLAG(name, ...) COLUMN(MD5_COLUMN_FLAG, name, OFFSET(name, bool), .text = __VA_ARGS__)
#define OTHER(name, ...)                                                                 \
    COLUMN(MD5_COLUMN_OTHER, name, offsetof(ROW, name), .other = sizeof((ROW *)0)->name, \
           .text = __VA_ARGS__)
#define SHARE(name, ...)                                                                          \
    COLUMN(MD5_COLUMN_FLOAT, name, OFFSET(name, float), .other = offsetof(ROW, name##_parameter), \
           .text = __VA_ARGS__)
#define PART(name, schema, ...) \
    COLUMN(MD5_COLUMN_PART, name, offsetof(ROW, name), .rows = &(schema), .text = __VA_ARGS__)
#define ONE(name, schema, ...) \
    COLUMN(MD5_COLUMN_ROW, name, offsetof(ROW, name), .rows = &(schema), .text = __VA_ARGS__)
#define EASING(name, largest, ...)                                                         \
    COLUMN(MD5_COLUMN_EASING, name, OFFSET(name, md5_easing), .rows = &md5i_easing_schema, \
           .last = largest, .text = __VA_ARGS__)
#define TEXTS(name, ...)                                                          \
    COLUMN(MD5_COLUMN_TEXTS, name, offsetof(ROW, name), .other = NUMBER_OF(name), \
           .text = __VA_ARGS__)
#define TABLE(name, schema, ...)                                                               \
    COLUMN(MD5_COLUMN_TABLE, name, offsetof(ROW, name), .other = OFFSET(num_##name, uint32_t), \
           .rows = &(schema), .text = __VA_ARGS__)
#define CHOICE(name, list, largest, ...)                                                   \
    COLUMN(MD5_COLUMN_CHOICE, name, offsetof(ROW, name), .last = largest, .choices = list, \
           .num_choices = MD5_COUNT(list), .text = __VA_ARGS__)
#define NUMBERED(name, largest, ...) \
    COLUMN(MD5_COLUMN_CHOICE, name, offsetof(ROW, name), .last = largest, .text = __VA_ARGS__)
#define RESERVED                                                                              \
    {                                                                                         \
        .kind = MD5_COLUMN_RESERVED, .member = "reserved", .offset = offsetof(ROW, reserved), \
        .other = NUMBER_OF(reserved), .text = "0", .place = MD5_PLACE_NOWHERE,                \
        .hash = MD5_HASH_NEVER,                                                               \
    }
#define COLUMN(type, name, place, ...)                              \
    {                                                               \
        .kind = type, .member = #name, .offset = place, __VA_ARGS__ \
    }

#define HEAD .place = MD5_PLACE_HEAD
#define BEHIND .place = MD5_PLACE_BEHIND
#define NOWHERE .place = MD5_PLACE_NOWHERE
#define IN_HEAD(words) HEAD, .what = (words)
#define NAME(of) TEXT(name, "name", IN_HEAD("the name of " of))
#define HASHED_IF_SET .hash = MD5_HASH_SET
#define HASHED_IF_ROWS .hash = MD5_HASH_ROWS
#define HASHED_IF_USED .hash = MD5_HASH_USED
#define NOT_HASHED .hash = MD5_HASH_NEVER
#define NAMED .has_name = true
#define BRACELESS .has_no_braces = true
#define RANGE(low, high) .least = (low), .most = (high)
#define FINITE .range = "any"
// What 0 means; a 0 of a file is MD5_EXPLICIT_ZERO then.
#define OR(number) .keeps_zero = true, .is_filled = true, .otherwise = (number)
#define OR_UNITS(number) \
    .keeps_zero = true, .is_filled = true, .is_length = true, .otherwise = (number)
#define OR_ELSE(words) .keeps_zero = true, .usual = (words)
#define BIT(kind) ((uint64_t)1 << (kind))
#define ONLY(kind) .kinds = BIT(kind)
// Of the schema whose rows are of type ROW.
#define KIND(member) .kind = offsetof(ROW, member), .has_kind = true
// Its rows in messages of files, and their word.
#define CALLED(rows, word) .what = rows, .head = word
#define A(word) CALLED("a " word, word)
#define COLUMNS(list) .size = sizeof(ROW), .num_columns = MD5_COUNT(list), .columns = (list)

// NOLINTEND(bugprone-macro-parentheses)

// -- Easings ------------------------------------------------------------------------------------

static const md5_choice jumps[] = {
    {"jump_start", MD5_JUMP_START}, {"jump_none", MD5_JUMP_NONE}, {"jump_both", MD5_JUMP_BOTH}};

// NOLINTBEGIN(bugprone-macro-parentheses): likewise
// The numbers of an easing, in a row whose kind is the easing.
#define LABEL(name) .word = name, .label = name
#define OF_CURVE ONLY(MD5_EASE_CUBIC_BEZIER), HASHED_IF_USED
#define OF_STEPS ONLY(MD5_EASE_STEPS), HASHED_IF_USED
#define EASING_NUMBERS(prefix, where)                                                          \
    FLOAT(prefix x1, "x of the first control point", .place = where, LABEL("x1"), RANGE(0, 1), \
          OF_CURVE),                                                                           \
        FLOAT(prefix y1, "y of that point", .place = where, LABEL("y1"), FINITE, OF_CURVE),    \
        FLOAT(prefix x2, "x of the second control point", .place = where, LABEL("x2"),         \
              RANGE(0, 1), OF_CURVE),                                                          \
        FLOAT(prefix y2, "y of that point", .place = where, LABEL("y2"), FINITE, OF_CURVE),    \
        NUMBER(prefix steps, "number of steps", .place = where, .word = "steps",               \
               .range = "1 to 65536, 2 with jump_none", OF_STEPS),                             \
        CHOICE(prefix jump, jumps, MD5_JUMP_BOTH,                                              \
               "position of the jump within each step, as in CSS", .place = where,             \
               .form = MD5_FORM_OPTIONAL, .label = "jump", .usual = "at its end", OF_STEPS)
// NOLINTEND(bugprone-macro-parentheses)

#define ROW md5_easing
static const md5_column easing_columns[] = {
    NUMBERED(kind, MD5_EASE_STEPS, "kind of the easing", HEAD, .label = "easing",
             .usual = "linear"),
    EASING_NUMBERS(, MD5_PLACE_HEAD),
};
const md5_schema md5i_easing_schema = {CALLED("an easing", NULL),
                                       .mark = "curve",
                                       .text = "an easing function and its parameters",
                                       KIND(kind),
                                       BRACELESS,
                                       COLUMNS(easing_columns)};
#undef ROW

// -- Clips, masks, parameters -------------------------------------------------------------------

#define ROW md5_event
static const md5_column event_columns[] = {
    NUMBER(frame, "frame of the event", HEAD, .range = "a frame of the clip"),
    TEXT(name, "name of the event, passed to the game", HEAD, .form = MD5_FORM_EVENT,
         .what = "an event name"),
    TEXT(text, "text of the event, up to the end of the line", HEAD, .form = MD5_FORM_LINE,
         .is_text_filled = true, .usual = "none"),
    NUMBERED(kind, MD5_EVENT_CLIP, "0", NOWHERE, .usual = "an event of a clip", NOT_HASHED),
    OTHER(layer, "0", NOWHERE, NOT_HASHED),
    OTHER(index, "0", NOWHERE, NOT_HASHED),
    RESERVED,
};
static const md5_schema event_schema = {CALLED("an event", "frame"),
                                        .owner = "event",
                                        .text = "an event at a frame of the clip",
                                        .name = offsetof(ROW, name),
                                        NAMED,
                                        BRACELESS,
                                        COLUMNS(event_columns)};
#undef ROW

#define ROW md5_window
static const md5_column window_columns[] = {
    TEXT(name, "name of the window, passed to the game", IN_HEAD("the name of a window")),
    NUMBER(first, "first frame; write `first-last` without spaces", HEAD, .form = MD5_FORM_SPAN,
           .range = "a frame of the clip"),
    NUMBER(last, "last frame", HEAD, .range = "a frame of the clip, not before the first"),
    TEXT(text, "text of the event, up to the end of the line", HEAD, .form = MD5_FORM_LINE,
         .is_text_filled = true, .usual = "none"),
    RESERVED,
};
const md5_schema md5i_window_schema = {A("window"), .text = "an event with a duration", NAMED,
                                       BRACELESS, COLUMNS(window_columns)};
#undef ROW

#define ROW md5_morph_key
static const md5_column key_columns[] = {
    NUMBER(frame, "frame of the key", HEAD, .range = "a frame of the clip, ascending"),
    FLOAT(weight, "weight or value at that frame", HEAD, .label = "weight of a key",
          RANGE(-1e6, 1e6)),
    RESERVED,
};
static const md5_schema key_schema = {CALLED("a key", NULL),
                                      .text = "a weight or value at a frame of a clip", BRACELESS,
                                      COLUMNS(key_columns)};
#undef ROW

#define ROW md5_clip_curve
static const md5_column curve_columns[] = {
    NAME("a curve"),
    EASING(easing, MD5_EASE_BOUNCE_IN_OUT, "easing between the keys", HEAD, .usual = "linear"),
    TABLE(keys, key_schema, "list of frames and values", HEAD, .form = MD5_FORM_LIST),
    RESERVED,
};
const md5_schema md5i_curve_schema = {
    A("curve"),
    .text = "an animated number over the frames of the clip, for the game and for morphs", NAMED,
    BRACELESS, COLUMNS(curve_columns)};
#undef ROW

typedef struct marker_row {
    uint32_t marker;
} marker_row;
#define ROW marker_row
static const md5_column marker_columns[] = {
    NUMBER(marker, "frame of the marker", HEAD, .range = "a frame of the cycle, ascending"),
};
static const md5_schema marker_schema = {
    .what = "a marker",
    .text =
        "frames at which synchronized clips are at the same point of the cycle, such as footfalls",
    BRACELESS,
    COLUMNS(marker_columns)};
#undef ROW

#define ROW md5_section
static const md5_column section_columns[] = {
    NAME("a section"),
    NUMBER(first, "first frame", HEAD, .range = "a frame of the clip"),
    NUMBER(last, "last frame", HEAD, .range = "a later frame of the clip"),
    RESERVED,
};
static const md5_schema section_schema = {A("section"), .text = "a part of the clip, for one-shots",
                                          BRACELESS, COLUMNS(section_columns)};
#undef ROW

static const md5_choice periods[] = {{"closed", MD5_PERIOD_CLOSED}, {"open", MD5_PERIOD_OPEN}};
static const md5_choice interpolations[] = {{"linear", MD5_INTERPOLATE_LINEAR},
                                            {"step", MD5_INTERPOLATE_STEP},
                                            {"cubic", MD5_INTERPOLATE_CUBIC},
                                            {"nlerp", MD5_INTERPOLATE_NLERP}};
static const md5_choice root_extractions[] = {{"move", MD5_ROOT_EXTRACTION_MOVE},
                                              {"walk", MD5_ROOT_EXTRACTION_WALK},
                                              {"turn", MD5_ROOT_EXTRACTION_TURN}};

#define ROW md5_clip_desc
static const md5_column clip_columns[] = {
    TEXT(name, "name of the clip, and of a motion that plays it", IN_HEAD("the name of a clip")),
    TEXT(file, "the .md5anim file", IN_HEAD("the file of a clip"), NOT_HASHED),
    COLUMN(MD5_COLUMN_BINDING, binding, OFFSET(binding, const md5_binding *),
           .text = "the clip, loaded", NOWHERE),
    CHOICE(period, periods, MD5_PERIOD_OPEN,
           "`closed`: the last frame repeats the first; `open`: the first frame follows the last",
           .usual = "closed"),
    CHOICE(interpolation, interpolations, MD5_INTERPOLATE_NLERP, "interpolation between frames",
           .usual = "linear"),
    CHOICE(root_extraction, root_extractions, MD5_ROOT_EXTRACTION_TURN,
           "root motion, the motion of joint 0 that moves the character: `move` x, y and z; `walk` "
           "x and y; `turn` x, y and yaw",
           .usual = "none"),
    TABLE(events, event_schema, "an event at a frame of the clip"),
    TABLE(markers, marker_schema, "frames at which synchronized clips are at the same point",
          .form = MD5_FORM_LIST),
    TABLE(sections, section_schema, "a part of the clip, for one-shots", HASHED_IF_ROWS),
    TABLE(windows, md5i_window_schema, "an event with a duration", HASHED_IF_ROWS),
    TABLE(curves, md5i_curve_schema, "an animated number", HASHED_IF_ROWS),
    RESERVED,
};
const md5_schema md5i_clip_schema = {A("clip"),
                                     .text = "an animation file and its playback properties", NAMED,
                                     COLUMNS(clip_columns)};
#undef ROW

#define ROW md5_mask_desc
static const md5_column mask_columns[] = {
    NAME("a mask"),
    TEXT(joints, "list of joints, see [Masks](#masks)", HEAD, .form = MD5_FORM_JOINTS),
    NUMBER(feather, "number of hierarchy levels over which the weight rises", .range = "any",
           .usual = "0"),
    RESERVED,
};
static const md5_schema mask_schema = {A("mask"), .text = "a set of joints, for layers and items",
                                       NAMED, COLUMNS(mask_columns)};
#undef ROW

static const md5_choice parameter_kinds[] = {{"float", MD5_PARAMETER_FLOAT},
                                             {"bool", MD5_PARAMETER_BOOL},
                                             {"trigger", MD5_PARAMETER_TRIGGER}};

#define ROW md5_parameter_desc
static const md5_column parameter_columns[] = {
    NAME("a parameter"),
    CHOICE(kind, parameter_kinds, MD5_PARAMETER_TRIGGER, "the word before its name", NOWHERE,
           .usual = "float"),
    FLOAT(value, "initial value", HEAD, .form = MD5_FORM_OPTIONAL, FINITE, .usual = "0"),
    RESERVED,
};
static const md5_schema parameter_schema = {CALLED("a parameter", "float"),
                                            .owner = "parameter",
                                            .text = "a value that the game sets",
                                            KIND(kind),
                                            NAMED,
                                            BRACELESS,
                                            COLUMNS(parameter_columns)};
#undef ROW

static const md5_choice follow_kinds[] = {
    {"smooth", MD5_FOLLOW_SMOOTH}, {"spring", MD5_FOLLOW_SPRING}, {"ease", MD5_FOLLOW_EASE}};

#define ROW md5_follow_desc
static const md5_column follow_columns[] = {
    TEXT(parameter, "name of a float parameter", IN_HEAD("a parameter")),
    CHOICE(kind, follow_kinds, MD5_FOLLOW_EASE, "method", HEAD, .usual = "smooth"),
    FLOAT(rate, "fraction of the remaining difference per second, 1/s", HEAD, RANGE(1e-6, 1e6),
          ONLY(MD5_FOLLOW_SMOOTH)),
    FLOAT(stiffness, "spring stiffness, 1/s²", HEAD, RANGE(1e-6, 1e12), ONLY(MD5_FOLLOW_SPRING)),
    FLOAT(damping, "spring damping, 1/s", HEAD, RANGE(0, 1e6), ONLY(MD5_FOLLOW_SPRING)),
    FLOAT(duration, "duration, seconds", HEAD, RANGE(0, 1e6), ONLY(MD5_FOLLOW_EASE)),
    EASING(easing, MD5_EASE_BOUNCE_IN_OUT, "easing", HEAD, .usual = "linear",
           ONLY(MD5_FOLLOW_EASE)),
    RESERVED,
};
static const md5_schema follow_schema = {
    A("follow"),
    .owner = "follow rule of parameter",
    .text = "smoothing of a parameter towards the value that the game sets",
    KIND(kind),
    NAMED,
    BRACELESS,
    COLUMNS(follow_columns)};
#undef ROW

// -- Motions ------------------------------------------------------------------------------------

static const md5_choice layer_modes[] = {{"override", MD5_LAYER_OVERRIDE}, {"add", MD5_LAYER_ADD}};

#define SPACES (BIT(MD5_MOTION_BLEND_1D) | BIT(MD5_MOTION_BLEND_2D) | BIT(MD5_MOTION_BY_SPEED))

#define ROW md5_motion_item
static const md5_column item_columns[] = {
    TEXT(motion, "a motion or clip that is declared earlier", IN_HEAD("the motion of an item")),
    FLOAT(x, "x position of the item", HEAD, .label = "position of an item", FINITE,
          .kinds = BIT(MD5_MOTION_BLEND_1D) | BIT(MD5_MOTION_BLEND_2D)),
    FLOAT(y, "y position of the item", HEAD, .label = "position of an item", FINITE,
          ONLY(MD5_MOTION_BLEND_2D)),
    CHOICE(mode, layer_modes, MD5_LAYER_ADD,
           "whether the item is blended over the previous items or added to them",
           .label = "mode of an item", .usual = "override", ONLY(MD5_MOTION_STACK)),
    TEXT(mask, "mask that restricts the item", .usual = "all joints", ONLY(MD5_MOTION_STACK)),
    SHARE(weight, "weight", .easing = offsetof(ROW, weight_easing), .form = MD5_FORM_SHARE,
          .label = "weight of an item", RANGE(0, 1), OR(1), .start = 1, ONLY(MD5_MOTION_STACK)),
    TEXT(weight_parameter, "instead of a weight", NOWHERE),
    TEXT(reference, "clip whose pose is subtracted before the addition",
         .what = "the clip of a reference", .usual = "its own clip", ONLY(MD5_MOTION_STACK)),
    NUMBER(reference_frame, "frame of that clip", BEHIND, .word = "reference",
           .range = "a frame of the clip"),
    EASING(weight_easing, MD5_EASE_LINEAR, "an easing of the parameter", NOWHERE),
    RESERVED,
};
const md5_schema md5i_item_schema = {CALLED("an item", "item"), .text = "a component of a motion",
                                     .kind_is_above = true, COLUMNS(item_columns)};
#undef ROW

static const md5_choice motion_kinds[] = {{"clip", MD5_MOTION_CLIP},
                                          {"line", MD5_MOTION_BLEND_1D},
                                          {"by_speed", MD5_MOTION_BY_SPEED},
                                          {"plane", MD5_MOTION_BLEND_2D},
                                          {"stack", MD5_MOTION_STACK}};
static const md5_choice play_modes[] = {
    {"loop", MD5_PLAY_LOOP}, {"once", MD5_PLAY_ONCE}, {"ping_pong", MD5_PLAY_PING_PONG}};
static const md5_choice syncs[] = {
    {"alone", MD5_SYNC_NONE}, {"phase", MD5_SYNC_PHASE}, {"markers", MD5_SYNC_MARKERS}};

#define ROW md5_motion_desc
static const md5_column motion_columns[] = {
    NAME("a motion"),
    CHOICE(kind, motion_kinds, MD5_MOTION_BY_SPEED, "kind of the motion", HEAD, .usual = "clip"),
    TEXT(clip, "a clip", IN_HEAD("the clip of a motion"), ONLY(MD5_MOTION_CLIP)),
    CHOICE(mode, play_modes, MD5_PLAY_PING_PONG, "behavior at the end of the clip", .usual = "loop",
           ONLY(MD5_MOTION_CLIP)),
    DOUBLE(start, "normalized time at which the clip starts", FINITE, .usual = "0",
           ONLY(MD5_MOTION_CLIP)),
    SHARE(speed, "playback rate", .form = MD5_FORM_SHARE, FINITE, OR(1)),
    TEXT(speed_parameter, "instead of a speed", NOWHERE),
    TEXT(x_parameter, "parameter with the x position", IN_HEAD("a parameter"), .kinds = SPACES),
    TEXT(y_parameter, "parameter with the y position", IN_HEAD("a parameter"),
         ONLY(MD5_MOTION_BLEND_2D)),
    CHOICE(sync, syncs, MD5_SYNC_MARKERS, "synchronization of the clips", .usual = "alone",
           .kinds = SPACES),
    TABLE(items, md5i_item_schema, "a component", .kinds = SPACES | BIT(MD5_MOTION_STACK)),
    RESERVED,
};
const md5_schema md5i_motion_schema = {
    A("motion"), .text = "a source of poses: a clip, a blend space or a stack", KIND(kind), NAMED,
    COLUMNS(motion_columns)};
#undef ROW

// -- Layers -------------------------------------------------------------------------------------

#define ROW md5_state_desc
static const md5_column state_columns[] = {
    NAME("a state"),
    TEXT(motion, "a motion", IN_HEAD("a motion or 'nothing'"), .usual = "nothing"),
    RESERVED,
};
static const md5_schema state_schema = {
    A("state"), .text = "a state of the layer; the layer starts in its first state", NAMED,
    BRACELESS, COLUMNS(state_columns)};
#undef ROW

static const md5_choice comparisons[] = {
    {"<=", MD5_IS_AT_MOST}, {">=", MD5_IS_AT_LEAST}, {"<", MD5_IS_LESS}, {">", MD5_IS_GREATER}};

static const md5_choice condition_kinds[] = {{"state_time", MD5_WHEN_STATE_TIME},
                                             {"time_left", MD5_WHEN_TIME_LEFT},
                                             {"heard", MD5_WHEN_EVENT}};

#define COMPARED \
    (BIT(MD5_IS_LESS) | BIT(MD5_IS_GREATER) | BIT(MD5_IS_AT_MOST) | BIT(MD5_IS_AT_LEAST))

#define ROW md5_condition
static const md5_column condition_columns[] = {
    TEXT(parameter,
         "a parameter, optionally after `not`; or `state_time`; or `time_left`; or `heard` and an "
         "event",
         HEAD, .form = MD5_FORM_COMPARED, .what = "a parameter"),
    CHOICE(compare, comparisons, MD5_IS_AT_LEAST, "how it is compared", NOWHERE,
           .label = "comparison", .usual = "is set"),
    CHOICE(kind, condition_kinds, MD5_WHEN_EVENT, "what is compared", NOWHERE,
           .label = "kind of a condition", .usual = "a parameter", HASHED_IF_SET),
    FLOAT(value, "value for the comparison", HEAD, .label = "value of a condition", FINITE,
          .kinds = COMPARED),
    FLOAT(longest, "only for `state_time`: upper limit of a random time", HEAD,
          .form = MD5_FORM_AFTER, .word = "to", .label = "maximum time of a condition",
          RANGE(1e-6, 1e6), .keeps_zero = true, .usual = "the value", .kinds = COMPARED,
          HASHED_IF_SET),
    FLAG(begins_alternative, "behind `or`", NOWHERE, HASHED_IF_SET),
    RESERVED,
};
const md5_schema md5i_condition_schema = {CALLED("a condition", "when"),
                                          .text = "a condition of a transition or one-shot",
                                          KIND(compare), BRACELESS, COLUMNS(condition_columns)};
#undef ROW

static const md5_choice fades[] = {{"cross", MD5_FADE_CROSS}, {"inertial", MD5_FADE_INERTIAL}};
static const md5_choice interrupts[] = {{"interrupt_any", MD5_INTERRUPT_ANY},
                                        {"interrupt_higher", MD5_INTERRUPT_HIGHER},
                                        {"interrupt_none", MD5_INTERRUPT_NONE}};

#define ROW md5_transition_desc
static const md5_column transition_columns[] = {
    TEXT(from, "source state", IN_HEAD("a state or 'any'"), .usual = "any"),
    TEXT(to, "target state", IN_HEAD("a state")),
    TABLE(conditions, md5i_condition_schema, "conditions of the transition",
          .form = MD5_FORM_CONDITIONS),
    FLAG(waits, "the transition waits for an exit time", .word = "exit"),
    FLOAT(exit, "exit time, normalized, in cycles of the source state", BEHIND,
          .form = MD5_FORM_OR_AT, FINITE),
    TEXT(exit_event, "event of the source's first clip instead of an exit time", .word = "at",
         .what = "an event name", .usual = "the time", HASHED_IF_SET),
    FLAG(exits_each, "the exit time repeats in each cycle", .word = "each", HASHED_IF_SET),
    FLOAT(duration, "duration of the fade, seconds", RANGE(0, 1e6), .usual = "0"),
    CHOICE(fade, fades, MD5_FADE_INERTIAL, "blending method", .usual = "cross"),
    NUMBERED(easing.kind, MD5_EASE_STEPS, "easing of the fade", .label = "easing",
             .usual = "linear"),
    EASING_NUMBERS(easing., MD5_PLACE_BEHIND),
    FLAG(keeps_phase, "the target starts at the source's position in the cycle",
         .word = "keep_phase"),
    FLAG(in_step, "source and target share one clock during the fade", HASHED_IF_SET),
    TEXT(leader, "with `in_step`: the state whose rate is used", .what = "a state",
         .usual = "both, weighted", HASHED_IF_SET),
    FLOAT(start, "normalized time at which the target starts", FINITE, .usual = "0"),
    INT(priority, "the transition with the highest priority is taken", .range = "any",
        .usual = "0"),
    CHOICE(interrupt, interrupts, MD5_INTERRUPT_NONE,
           "transitions that may interrupt this transition", .usual = "interrupt_any"),
    RESERVED,
};
const md5_schema md5i_transition_schema = {A("transition"), .owner = "transition of layer",
                                           .text = "a change from one state to another",
                                           KIND(easing.kind), COLUMNS(transition_columns)};
#undef ROW

// How a layer or one-shot is blended.
#define BLENDED(clip)                                                              \
    CHOICE(mode, layer_modes, MD5_LAYER_ADD,                                       \
           "whether the pose is blended over the layers below or added to them",   \
           .usual = "override"),                                                   \
        TEXT(reference, "clip whose pose is subtracted before the addition",       \
             .what = "the clip of a reference", .usual = (clip)),                  \
        NUMBER(reference_frame, "frame of that clip", BEHIND, .word = "reference", \
               .range = "a frame of the clip"),                                    \
        TEXT(mask, "name of a mask", .usual = "all joints")

#define ROW md5_layer_desc
static const md5_column layer_columns[] = {
    NAME("a layer"),
    BLENDED("the clip of each state"),
    SHARE(weight, "weight", .easing = offsetof(ROW, weight_easing), .form = MD5_FORM_SHARE,
          RANGE(0, 1), OR(1)),
    TEXT(weight_parameter, "instead of a weight", NOWHERE),
    EASING(weight_easing, MD5_EASE_LINEAR, "an easing of the parameter", NOWHERE),
    TABLE(states, state_schema, "a state"),
    TABLE(transitions, md5i_transition_schema, "a transition"),
    RESERVED,
};
const md5_schema md5i_layer_schema = {
    A("layer"), .text = "a state machine that is blended over the previous layers or added to them",
    NAMED, .needs_braces = true, COLUMNS(layer_columns)};
#undef ROW

// -- One-shots ----------------------------------------------------------------------------------

#define ROW md5_slot_desc
static const md5_column slot_columns[] = {
    NAME("a slot"),
    BLENDED("its own clip"),
    TEXT(layer, "layer over which the clip is played", .usual = "all layers"),
    RESERVED,
};
static const md5_schema slot_schema = {A("slot"),
                                       .text = "a channel that plays at most one clip at a time",
                                       NAMED, COLUMNS(slot_columns)};
#undef ROW

static const md5_choice one_shot_ends[] = {
    {"ends", MD5_ONE_SHOT_ENDS}, {"holds", MD5_ONE_SHOT_HOLDS}, {"loops", MD5_ONE_SHOT_LOOPS}};

#define ROW md5_one_shot_desc
static const md5_column one_shot_columns[] = {
    NAME("a one-shot"),
    TEXT(slot, "a slot", IN_HEAD("a slot")),
    TEXT(clip, "a clip", IN_HEAD("a clip")),
    TABLE(conditions, md5i_condition_schema, "conditions of the start",
          .form = MD5_FORM_CONDITIONS),
    TABLE(until, md5i_condition_schema, "conditions of the stop", .form = MD5_FORM_CONDITIONS,
          .word = "until"),
    INT(priority, "a one-shot of higher priority replaces one of lower priority", .range = "any",
        .usual = "0"),
    BLENDED("its own clip"),
    TEXT(layer, "layer over which the clip is played", .usual = "all layers"),
    FLOAT(weight, "weight outside of the fades", RANGE(0, 1), OR(1)),
    FLOAT(speed, "playback rate; negative values play backward", FINITE, OR(1)),
    DOUBLE(start, "normalized start time within the section", RANGE(0, 0.999999), .usual = "0"),
    FLOAT(fade_in, "duration of the fade-in, seconds", RANGE(0, 1e6), .usual = "0"),
    EASING(fade_in_easing, MD5_EASE_LINEAR, "easing of the fade", BEHIND, .form = MD5_FORM_OPTIONAL,
           .usual = "linear"),
    FLOAT(fade_out, "duration of the fade-out before the end or after a stop, seconds",
          RANGE(0, 1e6), .usual = "0"),
    EASING(fade_out_easing, MD5_EASE_LINEAR, "easing of the fade", BEHIND,
           .form = MD5_FORM_OPTIONAL, .usual = "linear"),
    CHOICE(end, one_shot_ends, MD5_ONE_SHOT_LOOPS,
           "`ends` fades out before the end, `holds` keeps the last frame, `loops` repeats the "
           "section",
           .usual = "ends"),
    TEXT(section, "section of the clip in which playback starts", .usual = "none"),
    RESERVED,
};
static const md5_schema one_shot_schema = {CALLED("a one-shot clip", "one_shot"),
                                           .text = "a clip that is played once over the layers",
                                           NAMED, COLUMNS(one_shot_columns)};
#undef ROW

// -- Modifiers ----------------------------------------------------------------------------------

#define ROW md5_attached_desc
static const md5_column attached_columns[] = {
    TEXT(name, "name", IN_HEAD("the name of an attached model")),
    COLUMN(MD5_COLUMN_MODEL, model, OFFSET(model, const md5_model *), .text = "the model, loaded",
           NOWHERE),
    TEXT(file, "the .md5mesh file", IN_HEAD("the file of an attached model"), NOT_HASHED),
    TEXT(joint, "joint of the character to which the model is attached", HEAD,
         .form = MD5_FORM_AFTER, .word = "on", .what = "a joint", .usual = "set by the game"),
    RESERVED,
};
static const md5_schema attached_schema = {CALLED("an attached model", "attached"),
                                           .mark = "attached",
                                           .text =
                                               "a model whose joints can be a `target` or `pole`",
                                           NAMED,
                                           BRACELESS,
                                           COLUMNS(attached_columns)};
#undef ROW

static const md5_choice limit_kinds[] = {
    {"none", MD5_LIMIT_NONE}, {"hinge", MD5_LIMIT_HINGE}, {"cone", MD5_LIMIT_CONE}};

#define ROW md5_limit_desc
static const md5_column limit_columns[] = {
    TEXT(joint, "a joint", IN_HEAD("a joint")),
    CHOICE(kind, limit_kinds, MD5_LIMIT_CONE, "kind of the limit", HEAD, .usual = "none"),
    COLUMN(MD5_COLUMN_DIRECTION, axis, OFFSET(axis, md5_vec3),
           .text = "twist axis in the joint's space", HEAD, .range = "not 0 0 0"),
    FLOAT(min, "minimum twist from the bind pose, radians", RANGE(-3.1416, 3.1416), .usual = "0"),
    FLOAT(max, "maximum twist from the bind pose, radians", RANGE(-3.1416, 3.1416), .usual = "0"),
    FLOAT(swing, "maximum angle between the axis and its direction in the bind pose, radians",
          RANGE(0, 3.1416), .usual = "0", ONLY(MD5_LIMIT_CONE)),
    RESERVED,
};
static const md5_schema limit_schema = {A("limit"),
                                        .mark = "limit",
                                        .text = "rotation limit of a joint in limbs and chains",
                                        KIND(kind),
                                        .name = offsetof(ROW, joint),
                                        NAMED,
                                        COLUMNS(limit_columns)};
#undef ROW

#define ROW md5_foot_desc
static const md5_column foot_columns[] = {
    TEXT(ankle, "ankle joint", IN_HEAD("the ankle of a foot")),
    TEXT(knee, "knee joint", .usual = "the ankle's parent"),
    TEXT(hip, "hip joint", .usual = "the knee's parent"),
    RESERVED,
};
const md5_schema md5i_foot_schema = {A("foot"), .text = "a leg of a `feet`", COLUMNS(foot_columns)};
#undef ROW

#define ROW md5_modifier_gaze
static const md5_column gaze_columns[] = {
    TEXTS(eyes, "eye joint, whose x axis points forward; up to 8 times", .word = "eye",
          .what = "an eye", .usual = "none"),
    COLUMN(MD5_COLUMN_COUNT, length, OFFSET(params.length, uint32_t),
           .text = "number of joints that rotate the head", .range = "1 to 64", .is_positive = true,
           .usual = "3"),
#define FILLED(name, low, high, usual, about) \
    FLOAT_OF(params, name, (about), RANGE(low, high), OR(usual)),
#define FILLED_UNITS(name, low, high, usual, about) \
    FLOAT_OF(params, name, (about), RANGE(low, high), OR_UNITS(usual)),
    MD5_GAZE_NUMBERS(FILLED, FILLED_UNITS)
        NUMBER(seed, "initial seed of every player", .range = "any", .usual = "0"),
    RESERVED,
};
const md5_schema md5i_gaze_schema = {
    .what = "a gaze", .text = "eyes and parameters of a `gaze`", COLUMNS(gaze_columns)};
#undef ROW

#define ROW md5_modifier_hold
static const md5_column hold_columns[] = {
    TEXTS(toes, "joint of the sole, in the order of the feet; up to 8 times", .word = "toe",
          .what = "a toe", .usual = "the ankles"),
    FLOAT_OF(params, height, "maximum height of a planted sole, units", RANGE(0, 1e6),
             OR_UNITS(0.3f)),
    FLOAT_OF(params, speed, "maximum speed of a planted sole, units/s", RANGE(0, 1e9),
             OR_UNITS(10)),
    FLOAT_OF(params, distance, "maximum distance of a held foot from its animated position, units",
             RANGE(0, 1e6), OR_UNITS(4)),
    FLOAT_OF(params, release,
             "time until a released foot is back at its animated position, seconds", RANGE(0, 1e6),
             OR(0.2f)),
    RESERVED,
};
const md5_schema md5i_hold_schema = {A("hold"), .text = "holds the planted feet of a `feet`",
                                     COLUMNS(hold_columns)};
#undef ROW

#define ROW md5_modifier_point
static const md5_column place_columns[] = {
    TEXT(joint, "name of the joint", IN_HEAD("a joint")),
    TEXT(attached, "attached model that contains the joint", HEAD, .form = MD5_FORM_AFTER,
         .word = "of", .what = "the name of an attached model", .usual = "the machine's model"),
    COLUMN(MD5_COLUMN_DIRECTION, offset, OFFSET(offset, md5_vec3),
           .text = "offset in the joint's space, units", RANGE(-1e6, 1e6), .is_length = true,
           .usual = "none"),
    FLAG(aligned, "only for targets: use the joint's rotation, too"),
    RESERVED,
};
static const md5_schema place_schema = {CALLED("a place", "target"), .mark = "place",
                                        .text = "a point on a joint, for a `target` or a `pole`",
                                        COLUMNS(place_columns)};
#undef ROW

static const md5_choice modifier_kinds[] = {
    {"joint", MD5_MODIFIER_JOINT},       {"aim", MD5_MODIFIER_AIM},
    {"two_bone", MD5_MODIFIER_TWO_BONE}, {"fabrik", MD5_MODIFIER_FABRIK},
    {"ccd", MD5_MODIFIER_CCD},           {"spring", MD5_MODIFIER_SPRING},
    {"feet", MD5_MODIFIER_FEET},         {"gaze", MD5_MODIFIER_GAZE}};
static const md5_choice spaces[] = {{"local", MD5_JOINT_LOCAL},
                                    {"local_override", MD5_JOINT_LOCAL_OVERRIDE},
                                    {"model", MD5_JOINT_MODEL},
                                    {"model_override", MD5_JOINT_MODEL_OVERRIDE}};

#define CHAINS                                                                \
    (BIT(MD5_MODIFIER_AIM) | BIT(MD5_MODIFIER_FABRIK) | BIT(MD5_MODIFIER_CCD) \
     | BIT(MD5_MODIFIER_SPRING))
#define TARGETS (BIT(MD5_MODIFIER_SPRING) - 1) // the kinds before that

const md5_driver md5i_drivers[MD5_DRIVERS] = {
    {"state", "a layer"}, {NULL, "a state"}, {"curve", "a curve"}, {"window", "a window"}};

#define ROW md5_modifier_desc
static const md5_column modifier_columns[] = {
    NAME("a modifier"),
    CHOICE(kind, modifier_kinds, MD5_MODIFIER_GAZE, "kind of the modifier", HEAD, .usual = "joint"),
    TEXT(joint, "joint: the tip of a chain or limb, the pelvis of `feet`, the head of a `gaze`",
         IN_HEAD("a joint")),
    TEXT(middle, "elbow or knee", .usual = "the joint's parent", ONLY(MD5_MODIFIER_TWO_BONE)),
    TEXT(root, "shoulder or hip", .usual = "the parent of `middle`", ONLY(MD5_MODIFIER_TWO_BONE)),
    NUMBER(length, "number of joints in the chain", .range = "1 to 64 for `aim`, otherwise 2 to 64",
           .is_filled = true, .is_positive = true, .otherwise = 2.0f, .kinds = CHAINS),
    CHOICE(
        space, spaces, MD5_JOINT_MODEL_OVERRIDE,
        "space of the target; `_override` replaces the joint's transform instead of adding to it",
        .usual = "local", ONLY(MD5_MODIFIER_JOINT)),
    DIRECTION_OF(aim, forward, "forward direction of the tip, in its space", .range = "not 0 0 0",
                 .usual = "( 1 0 0 )", ONLY(MD5_MODIFIER_AIM)),
    DIRECTION_OF(aim, up, "up direction of the tip, in its space", .range = "not 0 0 0",
                 .usual = "( 0 0 1 )", ONLY(MD5_MODIFIER_AIM)),
    FLOAT_OF(aim, limit, "maximum rotation of one joint, radians", RANGE(0, 1e6),
             OR_ELSE("no limit"), ONLY(MD5_MODIFIER_AIM)),
    FLOAT_OF(two_bone, soften, "last fraction of the reach, in which the tip slows down",
             RANGE(0, 1), .usual = "0", ONLY(MD5_MODIFIER_TWO_BONE)),
    FLOAT_OF(two_bone, stretch, "maximum stretch factor of the limb", RANGE(1, 1e6), OR(1),
             ONLY(MD5_MODIFIER_TWO_BONE)),
#define SPRING(name, low, high, usual, about) \
    FLOAT_OF(spring, name, (about), RANGE(low, high), OR(usual), ONLY(MD5_MODIFIER_SPRING)),
    MD5_SPRING_NUMBERS(SPRING)
        FLOAT_OF(spring, gravity, "gravity along the model's -z axis, units/s²", FINITE,
                 .usual = "0", ONLY(MD5_MODIFIER_SPRING)),
    FLOAT(smoothing, "time in which the feet follow the ground, seconds", RANGE(0, 1e6), OR(0.1f),
          ONLY(MD5_MODIFIER_FEET)),
    TABLE(feet, md5i_foot_schema, "a leg", ONLY(MD5_MODIFIER_FEET)),
    ONE(gaze, md5i_gaze_schema, "eyes and numbers", NOWHERE, .form = MD5_FORM_ALWAYS,
        ONLY(MD5_MODIFIER_GAZE)),
    ONE(hold, md5i_hold_schema, "holds planted feet", ONLY(MD5_MODIFIER_FEET)),
    SHARE(weight, "initial weight of every player, or the source of the weight",
          .easing = offsetof(ROW, weight_easing), .state = OFFSET(weight_layer, const char *),
          .form = MD5_FORM_SHARE, RANGE(0, 1), OR(1), HASHED_IF_SET),
    TEXT(weight_parameter, "instead of a weight", NOWHERE, HASHED_IF_SET),
    TEXT(weight_layer, "instead of a weight", NOWHERE, HASHED_IF_SET),
    TEXT(weight_state, "a state of that layer", NOWHERE, HASHED_IF_SET),
    TEXT(weight_curve, "instead of a weight", NOWHERE, HASHED_IF_SET),
    TEXT(weight_window, "instead of a weight", NOWHERE, HASHED_IF_SET),
    EASING(weight_easing, MD5_EASE_LINEAR, "an easing of the parameter", NOWHERE),
    ONE(target, place_schema, "position of the target", .kinds = TARGETS),
    ONE(pole, place_schema, "point towards which the elbow or knee bends", .word = "pole",
        ONLY(MD5_MODIFIER_TWO_BONE)),
    RESERVED,
};
const md5_schema md5i_modifier_schema = {A("modifier"),
                                         .text = "an operation on the pose after the layers",
                                         KIND(kind), NAMED, COLUMNS(modifier_columns)};
#undef ROW

// -- Morph targets ------------------------------------------------------------------------------

static const md5_choice drives[] = {{"parameter", MD5_MORPH_BY_PARAMETER},
                                    {"state", MD5_MORPH_BY_STATE},
                                    {"clip", MD5_MORPH_BY_CLIP},
                                    {"curve", MD5_MORPH_BY_CURVE},
                                    {"window", MD5_MORPH_BY_WINDOW}};

#define ROW md5_morph_desc
static const md5_column morph_columns[] = {
    TEXT(target, "a morph target", IN_HEAD("the name of a morph target")),
    CHOICE(drive, drives, MD5_MORPH_BY_WINDOW, "source of the weight", HEAD, .usual = "parameter"),
    TEXT(parameter, "a parameter", IN_HEAD("a parameter"), ONLY(MD5_MORPH_BY_PARAMETER)),
    TEXT(layer, "a layer", IN_HEAD("a layer"), ONLY(MD5_MORPH_BY_STATE)),
    TEXT(state, "a state of that layer", IN_HEAD("a state"), ONLY(MD5_MORPH_BY_STATE)),
    TEXT(clip, "a clip", IN_HEAD("a clip"), ONLY(MD5_MORPH_BY_CLIP)),
    TEXT(curve, "a curve of the clips", IN_HEAD("a curve"), ONLY(MD5_MORPH_BY_CURVE),
         HASHED_IF_USED),
    TEXT(window, "a window of the clips", IN_HEAD("a window"), ONLY(MD5_MORPH_BY_WINDOW),
         HASHED_IF_USED),
    TABLE(keys, key_schema, "list of frames and weights", HEAD, .form = MD5_FORM_LIST,
          ONLY(MD5_MORPH_BY_CLIP)),
    FLOAT(weight, "factor of the weight", RANGE(-1e6, 1e6), OR(1)),
    RESERVED,
};
const md5_schema md5i_morph_schema = {A("morph"), .text = "the source of a morph target's weight",
                                      KIND(drive), NAMED, COLUMNS(morph_columns)};
#undef ROW

// -- Machines -----------------------------------------------------------------------------------

#define ROW md5_report_desc
static const md5_column report_columns[] = {
    FLAG(enter, "a state is entered"),
    FLAG(leave, "a transition away from a state starts"),
    FLAG(transition_end, "a state has faded in completely"),
    FLAG(clip_end, "a clip ends"),
    RESERVED,
};
static const md5_schema report_schema = {A("report"), .text = "events that the player reports",
                                         .needs_braces = true, COLUMNS(report_columns)};
#undef ROW

#define ROW md5_machine_desc
static const md5_column machine_columns[] = {
    TEXT(name, "name", IN_HEAD("the name of the machine"), .is_text_filled = true),
    COLUMN(MD5_COLUMN_MODEL, model, OFFSET(model, const md5_model *),
           .other = offsetof(md5_machine_file, model_file),
           .text = "the .md5mesh file of the model"),
    TABLE(clips, md5i_clip_schema, "a clip"),
    TABLE(masks, mask_schema, "a set of joints"),
    COLUMN(MD5_COLUMN_TABLE, parameters, offsetof(ROW, parameters),
           .other = OFFSET(num_parameters, uint32_t), .rows = &parameter_schema,
           .choices = parameter_kinds, .num_choices = MD5_COUNT(parameter_kinds),
           .text = "a parameter"),
    TABLE(follows, follow_schema, "smoothing of a parameter", HASHED_IF_ROWS),
    TABLE(motions, md5i_motion_schema, "a motion"),
    TABLE(layers, md5i_layer_schema, "a layer"),
    TABLE(slots, slot_schema, "a channel for one-shots", HASHED_IF_ROWS),
    TABLE(one_shots, one_shot_schema, "a one-shot clip", HASHED_IF_ROWS),
    NUMBER(max_one_shots, "slots for one-shots", NOWHERE, .range = "0 to 64", .usual = "4"),
    PART(report, report_schema, "events that the player reports"),
    TABLE(attached, attached_schema, "an attached model, such as a weapon", HASHED_IF_ROWS),
    TABLE(limits, limit_schema, "a rotation limit of a joint", HASHED_IF_ROWS),
    TABLE(modifiers, md5i_modifier_schema, "a modifier"),
    TABLE(morphs, md5i_morph_schema, "the source of a morph target's weight", HASHED_IF_ROWS),
    OTHER(locations, "of the words of a file", NOWHERE, NOT_HASHED),
    RESERVED,
};
const md5_schema md5i_machine_schema = {A("machine"), .text = "the whole file", NAMED,
                                        .needs_braces = true, COLUMNS(machine_columns)};
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

double md5i_column_number(const md5_column *column, const char *row)
{
    const void *const value = row + column->offset;
    uint32_t number = 0;
    switch (column->kind) {
    case MD5_COLUMN_FLOAT:
        return *(const float *)value;
    case MD5_COLUMN_DOUBLE:
        return *(const double *)value;
    case MD5_COLUMN_INT:
        return *(const int32_t *)value;
    case MD5_COLUMN_FLAG:
        return *(const bool *)value;
    case MD5_COLUMN_COUNT:
    case MD5_COLUMN_CHOICE:
    case MD5_COLUMN_EASING: // its first member
        memcpy(&number, value, sizeof number);
        return number;
    default:
        return 0;
    }
}

const char *md5i_rows_of(const md5_column *column, const char *row, uint32_t *count)
{
    const char *rows;
    *count = 1;
    if (column->kind == MD5_COLUMN_PART)
        return row + column->offset;
    if (column->kind == MD5_COLUMN_EASING)
        return md5i_column_number(column, row) > column->last ? row + column->offset : NULL;
    memcpy(&rows, row + column->offset, sizeof rows);
    if (column->kind == MD5_COLUMN_TABLE)
        memcpy(count, row + column->other, sizeof *count);
    return rows;
}

md5_table_walk md5i_begin_columns(const md5_schema *schema, const void *row, void *copy)
{
    md5_table_walk walk = {.top = 0};
    walk.levels[0] = (md5_table_level){schema, (const char *)row,          (char *)copy, 1,
                                       0,      md5_kind_of(schema, row, 0)};
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
        title.kind = title.kind                ? title.kind
                     : level->schema->owner    ? level->schema->owner
                     : level->schema->has_name ? level->schema->head
                                               : NULL;
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
        if (*number == MD5_EXPLICIT_ZERO)
            *number = 0;
        else if (*number == 0)
            *number = usual;
    }
}

// == Locations ==================================================================================

md5_location md5i_find_location(const md5_locations *locations, const void *member)
{
    const uintptr_t address = (uintptr_t)member;
    for (const md5_located_table *table = locations ? locations->tables : NULL; table;
         table = table->next) {
        const uintptr_t offset =
            address - (uintptr_t)table->rows; // wraps if `address` is before the rows
        if (offset < table->size)
            return *md5_locations_at(table->rows, table->size, offset);
    }
    return (md5_location){0, 0};
}

void md5i_free_memory(const md5_internal *internal)
{
    md5_context context;
    md5i_context_begin_memory(&context, internal->allocator, NULL);
    md5_arena arena = {.context = &context, .chunks = (struct md5_chunk *)internal->memory};
    md5i_arena_free_object(&arena);
}
