// The columns of the tables that describe a machine, the iterator over them, and locations in a
// text.
//
// Each kind of row has a list of columns. COLUMN() and similar macros set the kind, the member and
// its offset. Designated initializers set all other fields of a column.
#include "md5/core/freed.h"
#include "md5/motion/numbers.h"
#include "md5/play/schema.h"

// Macros that set fields of a column. RowType is the C type of the rows, `name` the member.
//
// NOLINTBEGIN(bugprone-macro-parentheses): types and members

// Offset of a member. In C, it does not compile unless the member has the type `type`.
#if defined(__cplusplus)
#define OFFSET(RowType, name, type) offsetof(RowType, name)
#else
#define OFFSET(RowType, name, type) \
    (offsetof(RowType, name) + _Generic(((RowType *)0)->name, type : 0u))
#endif
#define ARRAY_SIZE(RowType, name) (sizeof((RowType *)0)->name / sizeof((RowType *)0)->name[0])

// A column whose member has the C type `type`.
#define COLUMN(RowType, name, column_kind, type) \
    .kind = (column_kind), .member = #name, .offset = OFFSET(RowType, name, type)
// A column whose member may have any C type.
#define UNTYPED_COLUMN(RowType, name, column_kind) \
    .kind = (column_kind), .member = #name, .offset = offsetof(RowType, name)
// A column for a member of the structure `part`, which is a member of the row.
#define PART_COLUMN(RowType, part, name, column_kind, type) \
    .kind = (column_kind), .member = #name, .offset = OFFSET(RowType, part.name, type)
// The reserved member at the end of a structure, for future versions. It must be 0, and a machine
// file cannot set it.
#define RESERVED(RowType)                                            \
    {                                                                \
        UNTYPED_COLUMN(RowType, reserved, MD5_COLUMN_RESERVED),      \
            .auxiliary = ARRAY_SIZE(RowType, reserved), .text = "0", \
            .position = MD5_POSITION_NONE, .hash = MD5_HASH_NEVER    \
    }
#define BIT(kind) ((uint64_t)1 << (kind))

// Columns for the parameters of gazes and springs, which md5/motion/numbers.h lists with their
// limits.
#define GAZE_NUMBER(name, low, high, usual, about)                          \
    {PART_COLUMN(md5_modifier_gaze, params, name, MD5_COLUMN_FLOAT, float), \
     .text = (about),                                                       \
     .min = (low),                                                          \
     .max = (high),                                                         \
     .keeps_zero = true,                                                    \
     .is_filled = true,                                                     \
     .otherwise = (usual)},
#define GAZE_LENGTH(name, low, high, usual, about)                          \
    {PART_COLUMN(md5_modifier_gaze, params, name, MD5_COLUMN_FLOAT, float), \
     .text = (about),                                                       \
     .min = (low),                                                          \
     .max = (high),                                                         \
     .keeps_zero = true,                                                    \
     .is_filled = true,                                                     \
     .is_length = true,                                                     \
     .otherwise = (usual)},
#define SPRING_NUMBER(name, low, high, usual, about)                        \
    {PART_COLUMN(md5_modifier_desc, spring, name, MD5_COLUMN_FLOAT, float), \
     .text = (about),                                                       \
     .min = (low),                                                          \
     .max = (high),                                                         \
     .keeps_zero = true,                                                    \
     .is_filled = true,                                                     \
     .otherwise = (usual),                                                  \
     .kinds = BIT(MD5_MODIFIER_SPRING)},

// NOLINTEND(bugprone-macro-parentheses)

// -- Easings ------------------------------------------------------------------------------------

static const md5_choice jumps[] = {
    {"jump_start", MD5_JUMP_START}, {"jump_none", MD5_JUMP_NONE}, {"jump_both", MD5_JUMP_BOTH}};

static const md5_column easing_columns[] = {
    {UNTYPED_COLUMN(md5_easing, kind, MD5_COLUMN_CHOICE), .last = MD5_EASE_STEPS,
     .text = "name of the easing, see [Easings](#easings)", .position = MD5_POSITION_HEAD,
     .label = "easing", .usual = "linear"},
    {COLUMN(md5_easing, x1, MD5_COLUMN_FLOAT, float), .text = "x of the first control point",
     .position = MD5_POSITION_HEAD, .word = "x1", .label = "x1", .min = 0, .max = 1,
     .kinds = BIT(MD5_EASE_CUBIC_BEZIER), .hash = MD5_HASH_USED},
    {COLUMN(md5_easing, y1, MD5_COLUMN_FLOAT, float), .text = "y of the first control point",
     .position = MD5_POSITION_HEAD, .word = "y1", .label = "y1", .range = "any",
     .kinds = BIT(MD5_EASE_CUBIC_BEZIER), .hash = MD5_HASH_USED},
    {COLUMN(md5_easing, x2, MD5_COLUMN_FLOAT, float), .text = "x of the second control point",
     .position = MD5_POSITION_HEAD, .word = "x2", .label = "x2", .min = 0, .max = 1,
     .kinds = BIT(MD5_EASE_CUBIC_BEZIER), .hash = MD5_HASH_USED},
    {COLUMN(md5_easing, y2, MD5_COLUMN_FLOAT, float), .text = "y of the second control point",
     .position = MD5_POSITION_HEAD, .word = "y2", .label = "y2", .range = "any",
     .kinds = BIT(MD5_EASE_CUBIC_BEZIER), .hash = MD5_HASH_USED},
    {COLUMN(md5_easing, steps, MD5_COLUMN_COUNT, uint32_t), .text = "number of equal steps",
     .position = MD5_POSITION_HEAD, .word = "steps", .range = "1 to 65536, 2 with jump_none",
     .kinds = BIT(MD5_EASE_STEPS), .hash = MD5_HASH_USED},
    {UNTYPED_COLUMN(md5_easing, jump, MD5_COLUMN_CHOICE), .last = MD5_JUMP_BOTH, .choices = jumps,
     .num_choices = MD5_COUNT(jumps), .text = "position of the jump within each step, as in CSS",
     .position = MD5_POSITION_HEAD, .form = MD5_FORM_OPTIONAL, .label = "jump",
     .usual = "at its end", .kinds = BIT(MD5_EASE_STEPS), .hash = MD5_HASH_USED},
};

const md5_schema md5i_easing_schema = {
    .description = "an easing",
    .mark = "curve",
    .text = "an easing function and its parameters",
    .kind = offsetof(md5_easing, kind),
    .has_kind = true,
    .has_no_braces = true,
    .size = sizeof(md5_easing),
    .num_columns = MD5_COUNT(easing_columns),
    .columns = easing_columns,
};

// -- Clips, masks, parameters -------------------------------------------------------------------

static const md5_column event_columns[] = {
    {COLUMN(md5_event, frame, MD5_COLUMN_COUNT, uint32_t), .text = "frame of the event",
     .position = MD5_POSITION_HEAD, .range = "a frame of the clip"},
    {COLUMN(md5_event, name, MD5_COLUMN_TEXT, const char *),
     .text = "name of the event, passed to the game", .position = MD5_POSITION_HEAD,
     .form = MD5_FORM_EVENT, .description = "an event name"},
    {COLUMN(md5_event, text, MD5_COLUMN_TEXT, const char *),
     .text = "text of the event, passed to the game, up to the end of the line",
     .position = MD5_POSITION_HEAD, .form = MD5_FORM_LINE, .is_text_filled = true, .usual = "none"},
    {UNTYPED_COLUMN(md5_event, kind, MD5_COLUMN_CHOICE), .last = MD5_EVENT_CLIP, .text = "0",
     .position = MD5_POSITION_NONE, .usual = "an event of a clip", .hash = MD5_HASH_NEVER},
    {UNTYPED_COLUMN(md5_event, layer, MD5_COLUMN_OTHER), .auxiliary = sizeof((md5_event *)0)->layer,
     .text = "0", .position = MD5_POSITION_NONE, .hash = MD5_HASH_NEVER},
    {UNTYPED_COLUMN(md5_event, index, MD5_COLUMN_OTHER), .auxiliary = sizeof((md5_event *)0)->index,
     .text = "0", .position = MD5_POSITION_NONE, .hash = MD5_HASH_NEVER},
    RESERVED(md5_event),
};

static const md5_schema event_schema = {
    .description = "an event",
    .head = "frame",
    .owner = "event",
    .text = "an event at a frame of the clip",
    .name = offsetof(md5_event, name),
    .has_name = true,
    .has_no_braces = true,
    .size = sizeof(md5_event),
    .num_columns = MD5_COUNT(event_columns),
    .columns = event_columns,
};

static const md5_column window_columns[] = {
    {COLUMN(md5_window, name, MD5_COLUMN_TEXT, const char *),
     .text = "name of the window, passed to the game", .position = MD5_POSITION_HEAD,
     .description = "the name of a window"},
    {COLUMN(md5_window, first, MD5_COLUMN_COUNT, uint32_t),
     .text = "first frame of the window; write `first-last` without spaces",
     .position = MD5_POSITION_HEAD, .form = MD5_FORM_SPAN, .range = "a frame of the clip"},
    {COLUMN(md5_window, last, MD5_COLUMN_COUNT, uint32_t), .text = "last frame of the window",
     .position = MD5_POSITION_HEAD, .range = "a frame of the clip, not before the first"},
    {COLUMN(md5_window, text, MD5_COLUMN_TEXT, const char *),
     .text = "text of the window, passed to the game, up to the end of the line",
     .position = MD5_POSITION_HEAD, .form = MD5_FORM_LINE, .is_text_filled = true, .usual = "none"},
    RESERVED(md5_window),
};

const md5_schema md5i_window_schema = {
    .description = "a window",
    .head = "window",
    .text = "an event that lasts from one frame to another",
    .has_name = true,
    .has_no_braces = true,
    .size = sizeof(md5_window),
    .num_columns = MD5_COUNT(window_columns),
    .columns = window_columns,
};

static const md5_column key_columns[] = {
    {COLUMN(md5_morph_key, frame, MD5_COLUMN_COUNT, uint32_t), .text = "frame of the key",
     .position = MD5_POSITION_HEAD, .range = "a frame of the clip, ascending"},
    {COLUMN(md5_morph_key, weight, MD5_COLUMN_FLOAT, float), .text = "weight or value at the frame",
     .position = MD5_POSITION_HEAD, .label = "weight of a key", .min = -1e6, .max = 1e6},
    RESERVED(md5_morph_key),
};

static const md5_schema key_schema = {
    .description = "a key",
    .text = "a weight or value at a frame of a clip",
    .has_no_braces = true,
    .size = sizeof(md5_morph_key),
    .num_columns = MD5_COUNT(key_columns),
    .columns = key_columns,
};

static const md5_column curve_columns[] = {
    {COLUMN(md5_clip_curve, name, MD5_COLUMN_TEXT, const char *), .text = "name of the curve",
     .position = MD5_POSITION_HEAD, .description = "the name of a curve"},
    {COLUMN(md5_clip_curve, easing, MD5_COLUMN_EASING, md5_easing), .rows = &md5i_easing_schema,
     .last = MD5_EASE_BOUNCE_IN_OUT, .text = "easing with which the number changes from key to key",
     .position = MD5_POSITION_HEAD, .usual = "linear"},
    {UNTYPED_COLUMN(md5_clip_curve, keys, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_clip_curve, num_keys, uint32_t), .rows = &key_schema,
     .text = "frames with the value of the number at each, as `( frame value ... )`",
     .position = MD5_POSITION_HEAD, .form = MD5_FORM_LIST},
    RESERVED(md5_clip_curve),
};

const md5_schema md5i_curve_schema = {
    .description = "a curve",
    .head = "curve",
    .text = "a number that changes over the frames of the clip, for the game and for morphs",
    .has_name = true,
    .has_no_braces = true,
    .size = sizeof(md5_clip_curve),
    .num_columns = MD5_COUNT(curve_columns),
    .columns = curve_columns,
};

typedef struct marker_row {
    uint32_t marker;
} marker_row;

static const md5_column marker_columns[] = {
    {COLUMN(marker_row, marker, MD5_COLUMN_COUNT, uint32_t), .text = "frame of the marker",
     .position = MD5_POSITION_HEAD, .range = "a frame of the cycle, ascending"},
};

static const md5_schema marker_schema = {
    .description = "a marker",
    .text =
        "frames at which synchronized clips are at the same point of the cycle, such as footfalls",
    .has_no_braces = true,
    .size = sizeof(marker_row),
    .num_columns = MD5_COUNT(marker_columns),
    .columns = marker_columns,
};

static const md5_column section_columns[] = {
    {COLUMN(md5_section, name, MD5_COLUMN_TEXT, const char *), .text = "name of the section",
     .position = MD5_POSITION_HEAD, .description = "the name of a section"},
    {COLUMN(md5_section, first, MD5_COLUMN_COUNT, uint32_t), .text = "first frame of the section",
     .position = MD5_POSITION_HEAD, .range = "a frame of the clip"},
    {COLUMN(md5_section, last, MD5_COLUMN_COUNT, uint32_t), .text = "last frame of the section",
     .position = MD5_POSITION_HEAD, .range = "a later frame of the clip"},
    RESERVED(md5_section),
};

static const md5_schema section_schema = {
    .description = "a section",
    .head = "section",
    .text = "a part of the clip in which a one-shot can start or repeat",
    .has_no_braces = true,
    .size = sizeof(md5_section),
    .num_columns = MD5_COUNT(section_columns),
    .columns = section_columns,
};

static const md5_choice periods[] = {{"closed", MD5_PERIOD_CLOSED}, {"open", MD5_PERIOD_OPEN}};
static const md5_choice interpolations[] = {{"linear", MD5_INTERPOLATE_LINEAR},
                                            {"step", MD5_INTERPOLATE_STEP},
                                            {"cubic", MD5_INTERPOLATE_CUBIC},
                                            {"nlerp", MD5_INTERPOLATE_NLERP}};
static const md5_choice root_extractions[] = {{"move", MD5_ROOT_EXTRACTION_MOVE},
                                              {"walk", MD5_ROOT_EXTRACTION_WALK},
                                              {"turn", MD5_ROOT_EXTRACTION_TURN}};

static const md5_column clip_columns[] = {
    {COLUMN(md5_clip_desc, name, MD5_COLUMN_TEXT, const char *),
     .text = "name of the clip, and of a motion that plays it", .position = MD5_POSITION_HEAD,
     .description = "the name of a clip"},
    {COLUMN(md5_clip_desc, file, MD5_COLUMN_TEXT, const char *), .text = "the .md5anim file",
     .position = MD5_POSITION_HEAD, .description = "the file of a clip", .hash = MD5_HASH_NEVER},
    {COLUMN(md5_clip_desc, binding, MD5_COLUMN_BINDING, const md5_binding *),
     .text = "the loaded clip", .position = MD5_POSITION_NONE},
    {UNTYPED_COLUMN(md5_clip_desc, period, MD5_COLUMN_CHOICE), .last = MD5_PERIOD_OPEN,
     .choices = periods, .num_choices = MD5_COUNT(periods),
     .text = "`closed`: the last frame repeats the first; `open`: the first frame follows the last",
     .usual = "closed"},
    {UNTYPED_COLUMN(md5_clip_desc, interpolation, MD5_COLUMN_CHOICE), .last = MD5_INTERPOLATE_NLERP,
     .choices = interpolations, .num_choices = MD5_COUNT(interpolations),
     .text = "interpolation of the pose between two frames", .usual = "linear"},
    {UNTYPED_COLUMN(md5_clip_desc, root_extraction, MD5_COLUMN_CHOICE),
     .last = MD5_ROOT_EXTRACTION_TURN, .choices = root_extractions,
     .num_choices = MD5_COUNT(root_extractions),
     .text =
         "root motion, the motion of joint 0 that moves the character: `move` x, y and z; `walk` "
         "x and y; `turn` x, y and yaw",
     .usual = "none"},
    {UNTYPED_COLUMN(md5_clip_desc, events, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_clip_desc, num_events, uint32_t), .rows = &event_schema,
     .text = "an event at a frame of the clip"},
    {UNTYPED_COLUMN(md5_clip_desc, markers, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_clip_desc, num_markers, uint32_t), .rows = &marker_schema,
     .text = "frames by which clips are synchronized, such as footfalls", .form = MD5_FORM_LIST},
    {UNTYPED_COLUMN(md5_clip_desc, sections, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_clip_desc, num_sections, uint32_t), .rows = &section_schema,
     .text = "a part of the clip in which a one-shot can start or repeat", .hash = MD5_HASH_ROWS},
    {UNTYPED_COLUMN(md5_clip_desc, windows, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_clip_desc, num_windows, uint32_t), .rows = &md5i_window_schema,
     .text = "an event that lasts from one frame to another", .hash = MD5_HASH_ROWS},
    {UNTYPED_COLUMN(md5_clip_desc, curves, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_clip_desc, num_curves, uint32_t), .rows = &md5i_curve_schema,
     .text = "a number that changes over the frames of the clip", .hash = MD5_HASH_ROWS},
    RESERVED(md5_clip_desc),
};

const md5_schema md5i_clip_schema = {
    .description = "a clip",
    .head = "clip",
    .text = "an animation file and its playback properties",
    .has_name = true,
    .size = sizeof(md5_clip_desc),
    .num_columns = MD5_COUNT(clip_columns),
    .columns = clip_columns,
};

static const md5_column mask_columns[] = {
    {COLUMN(md5_mask_desc, name, MD5_COLUMN_TEXT, const char *), .text = "name of the mask",
     .position = MD5_POSITION_HEAD, .description = "the name of a mask"},
    {COLUMN(md5_mask_desc, joints, MD5_COLUMN_TEXT, const char *),
     .text = "joints of the mask, see [Masks](#masks)", .position = MD5_POSITION_HEAD,
     .form = MD5_FORM_JOINTS},
    {COLUMN(md5_mask_desc, feather, MD5_COLUMN_COUNT, uint32_t),
     .text = "number of hierarchy levels below a listed joint over which the weight rises to 1",
     .range = "any", .usual = "0"},
    RESERVED(md5_mask_desc),
};

static const md5_schema mask_schema = {
    .description = "a mask",
    .head = "mask",
    .text = "a set of joints, for layers and items",
    .has_name = true,
    .size = sizeof(md5_mask_desc),
    .num_columns = MD5_COUNT(mask_columns),
    .columns = mask_columns,
};

static const md5_choice parameter_kinds[] = {{"float", MD5_PARAMETER_FLOAT},
                                             {"bool", MD5_PARAMETER_BOOL},
                                             {"trigger", MD5_PARAMETER_TRIGGER}};

static const md5_column parameter_columns[] = {
    {COLUMN(md5_parameter_desc, name, MD5_COLUMN_TEXT, const char *),
     .text = "name of the parameter", .position = MD5_POSITION_HEAD,
     .description = "the name of a parameter"},
    {UNTYPED_COLUMN(md5_parameter_desc, kind, MD5_COLUMN_CHOICE), .last = MD5_PARAMETER_TRIGGER,
     .choices = parameter_kinds, .num_choices = MD5_COUNT(parameter_kinds),
     .text = "keyword before the name", .position = MD5_POSITION_NONE, .usual = "float"},
    {COLUMN(md5_parameter_desc, value, MD5_COLUMN_FLOAT, float), .text = "initial value",
     .position = MD5_POSITION_HEAD, .form = MD5_FORM_OPTIONAL, .range = "any", .usual = "0"},
    RESERVED(md5_parameter_desc),
};

static const md5_schema parameter_schema = {
    .description = "a parameter",
    .head = "float",
    .owner = "parameter",
    .text = "a value that the game sets",
    .kind = offsetof(md5_parameter_desc, kind),
    .has_kind = true,
    .has_name = true,
    .has_no_braces = true,
    .size = sizeof(md5_parameter_desc),
    .num_columns = MD5_COUNT(parameter_columns),
    .columns = parameter_columns,
};

static const md5_choice follow_kinds[] = {
    {"smooth", MD5_FOLLOW_SMOOTH}, {"spring", MD5_FOLLOW_SPRING}, {"ease", MD5_FOLLOW_EASE}};

static const md5_column follow_columns[] = {
    {COLUMN(md5_follow_desc, parameter, MD5_COLUMN_TEXT, const char *),
     .text = "name of a float parameter", .position = MD5_POSITION_HEAD,
     .description = "a parameter"},
    {UNTYPED_COLUMN(md5_follow_desc, kind, MD5_COLUMN_CHOICE), .last = MD5_FOLLOW_EASE,
     .choices = follow_kinds, .num_choices = MD5_COUNT(follow_kinds), .text = "method of smoothing",
     .position = MD5_POSITION_HEAD, .usual = "smooth"},
    {COLUMN(md5_follow_desc, rate, MD5_COLUMN_FLOAT, float),
     .text = "rate at which the difference to the value of the game decreases, 1/s",
     .position = MD5_POSITION_HEAD, .min = 1e-6, .max = 1e6, .kinds = BIT(MD5_FOLLOW_SMOOTH)},
    {COLUMN(md5_follow_desc, stiffness, MD5_COLUMN_FLOAT, float),
     .text = "stiffness of the spring, 1/s²", .position = MD5_POSITION_HEAD, .min = 1e-6,
     .max = 1e12, .kinds = BIT(MD5_FOLLOW_SPRING)},
    {COLUMN(md5_follow_desc, damping, MD5_COLUMN_FLOAT, float),
     .text = "damping of the spring, 1/s", .position = MD5_POSITION_HEAD, .min = 0, .max = 1e6,
     .kinds = BIT(MD5_FOLLOW_SPRING)},
    {COLUMN(md5_follow_desc, duration, MD5_COLUMN_FLOAT, float),
     .text = "time in which the value of the game is reached, seconds",
     .position = MD5_POSITION_HEAD, .min = 0, .max = 1e6, .kinds = BIT(MD5_FOLLOW_EASE)},
    {COLUMN(md5_follow_desc, easing, MD5_COLUMN_EASING, md5_easing), .rows = &md5i_easing_schema,
     .last = MD5_EASE_BOUNCE_IN_OUT, .text = "easing of the change", .position = MD5_POSITION_HEAD,
     .usual = "linear", .kinds = BIT(MD5_FOLLOW_EASE)},
    RESERVED(md5_follow_desc),
};

static const md5_schema follow_schema = {
    .description = "a follow",
    .head = "follow",
    .owner = "'follow' entry of parameter",
    .text = "makes a parameter follow the value that the game sets without jumps",
    .kind = offsetof(md5_follow_desc, kind),
    .has_kind = true,
    .has_name = true,
    .has_no_braces = true,
    .size = sizeof(md5_follow_desc),
    .num_columns = MD5_COUNT(follow_columns),
    .columns = follow_columns,
};

// -- Motions ------------------------------------------------------------------------------------

static const md5_choice layer_modes[] = {{"override", MD5_LAYER_OVERRIDE}, {"add", MD5_LAYER_ADD}};

#define SPACES (BIT(MD5_MOTION_BLEND_1D) | BIT(MD5_MOTION_BLEND_2D) | BIT(MD5_MOTION_BY_SPEED))

static const md5_column item_columns[] = {
    {COLUMN(md5_motion_item, motion, MD5_COLUMN_TEXT, const char *),
     .text = "a motion or clip that is declared earlier", .position = MD5_POSITION_HEAD,
     .description = "the motion of an item"},
    {COLUMN(md5_motion_item, x, MD5_COLUMN_FLOAT, float), .text = "x position of the item",
     .position = MD5_POSITION_HEAD, .label = "position of an item", .range = "any",
     .kinds = BIT(MD5_MOTION_BLEND_1D) | BIT(MD5_MOTION_BLEND_2D)},
    {COLUMN(md5_motion_item, y, MD5_COLUMN_FLOAT, float), .text = "y position of the item",
     .position = MD5_POSITION_HEAD, .label = "position of an item", .range = "any",
     .kinds = BIT(MD5_MOTION_BLEND_2D)},
    {UNTYPED_COLUMN(md5_motion_item, mode, MD5_COLUMN_CHOICE), .last = MD5_LAYER_ADD,
     .choices = layer_modes, .num_choices = MD5_COUNT(layer_modes),
     .text = "`override`: the item is blended over the previous items; `add`: it is added to them",
     .label = "mode of an item", .usual = "override", .kinds = BIT(MD5_MOTION_STACK)},
    {COLUMN(md5_motion_item, mask, MD5_COLUMN_TEXT, const char *),
     .text = "mask of the joints that the item changes", .usual = "all joints",
     .kinds = BIT(MD5_MOTION_STACK)},
    {COLUMN(md5_motion_item, weight, MD5_COLUMN_FLOAT, float),
     .auxiliary = offsetof(md5_motion_item, weight_parameter), .text = "weight of the item",
     .easing = offsetof(md5_motion_item, weight_easing), .form = MD5_FORM_DRIVEN,
     .label = "weight of an item", .min = 0, .max = 1, .keeps_zero = true, .is_filled = true,
     .otherwise = 1, .start = 1, .kinds = BIT(MD5_MOTION_STACK)},
    {COLUMN(md5_motion_item, weight_parameter, MD5_COLUMN_TEXT, const char *),
     .text = "parameter that replaces `weight`", .position = MD5_POSITION_NONE},
    {COLUMN(md5_motion_item, reference, MD5_COLUMN_TEXT, const char *),
     .text = "with `add`: clip whose pose is subtracted from the pose that is added",
     .description = "the clip of a reference", .usual = "its own clip",
     .kinds = BIT(MD5_MOTION_STACK)},
    {COLUMN(md5_motion_item, reference_frame, MD5_COLUMN_COUNT, uint32_t),
     .text = "frame of the clip of `reference`", .position = MD5_POSITION_AFTER,
     .word = "reference", .range = "a frame of the clip"},
    {COLUMN(md5_motion_item, weight_easing, MD5_COLUMN_EASING, md5_easing),
     .rows = &md5i_easing_schema, .last = MD5_EASE_LINEAR, .text = "an easing of the parameter",
     .position = MD5_POSITION_NONE},
    RESERVED(md5_motion_item),
};

const md5_schema md5i_item_schema = {
    .description = "an item",
    .head = "item",
    .text = "one of the motions that a blend space or a stack blends",
    .kind_is_above = true,
    .size = sizeof(md5_motion_item),
    .num_columns = MD5_COUNT(item_columns),
    .columns = item_columns,
};

static const md5_choice motion_kinds[] = {{"clip", MD5_MOTION_CLIP},
                                          {"line", MD5_MOTION_BLEND_1D},
                                          {"by_speed", MD5_MOTION_BY_SPEED},
                                          {"plane", MD5_MOTION_BLEND_2D},
                                          {"stack", MD5_MOTION_STACK}};
static const md5_choice play_modes[] = {
    {"loop", MD5_PLAY_LOOP}, {"once", MD5_PLAY_ONCE}, {"ping_pong", MD5_PLAY_PING_PONG}};
static const md5_choice syncs[] = {
    {"alone", MD5_SYNC_NONE}, {"phase", MD5_SYNC_PHASE}, {"markers", MD5_SYNC_MARKERS}};

static const md5_column motion_columns[] = {
    {COLUMN(md5_motion_desc, name, MD5_COLUMN_TEXT, const char *), .text = "name of the motion",
     .position = MD5_POSITION_HEAD, .description = "the name of a motion"},
    {UNTYPED_COLUMN(md5_motion_desc, kind, MD5_COLUMN_CHOICE), .last = MD5_MOTION_BY_SPEED,
     .choices = motion_kinds, .num_choices = MD5_COUNT(motion_kinds), .text = "kind of the motion",
     .position = MD5_POSITION_HEAD, .usual = "clip"},
    {COLUMN(md5_motion_desc, clip, MD5_COLUMN_TEXT, const char *),
     .text = "clip that the motion plays", .position = MD5_POSITION_HEAD,
     .description = "the clip of a motion", .kinds = BIT(MD5_MOTION_CLIP)},
    {UNTYPED_COLUMN(md5_motion_desc, mode, MD5_COLUMN_CHOICE), .last = MD5_PLAY_PING_PONG,
     .choices = play_modes, .num_choices = MD5_COUNT(play_modes),
     .text = "behavior at the end of the clip", .usual = "loop", .kinds = BIT(MD5_MOTION_CLIP)},
    {COLUMN(md5_motion_desc, start, MD5_COLUMN_DOUBLE, double),
     .text = "normalized time at which the clip starts: 0 is its start, 1 its end", .range = "any",
     .usual = "0", .kinds = BIT(MD5_MOTION_CLIP)},
    {COLUMN(md5_motion_desc, speed, MD5_COLUMN_FLOAT, float),
     .auxiliary = offsetof(md5_motion_desc, speed_parameter), .text = "playback rate",
     .form = MD5_FORM_DRIVEN, .range = "any", .keeps_zero = true, .is_filled = true,
     .otherwise = 1},
    {COLUMN(md5_motion_desc, speed_parameter, MD5_COLUMN_TEXT, const char *),
     .text = "parameter that replaces `speed`", .position = MD5_POSITION_NONE},
    {COLUMN(md5_motion_desc, x_parameter, MD5_COLUMN_TEXT, const char *),
     .text = "parameter that selects the x position in the blend space; for `by_speed`, the speed",
     .position = MD5_POSITION_HEAD, .description = "a parameter", .kinds = SPACES},
    {COLUMN(md5_motion_desc, y_parameter, MD5_COLUMN_TEXT, const char *),
     .text = "parameter that selects the y position in the blend space",
     .position = MD5_POSITION_HEAD, .description = "a parameter",
     .kinds = BIT(MD5_MOTION_BLEND_2D)},
    {UNTYPED_COLUMN(md5_motion_desc, sync, MD5_COLUMN_CHOICE), .last = MD5_SYNC_MARKERS,
     .choices = syncs, .num_choices = MD5_COUNT(syncs),
     .text = "synchronization of the items: none, by their position in the cycle, or by markers",
     .usual = "alone", .kinds = SPACES},
    {UNTYPED_COLUMN(md5_motion_desc, items, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_motion_desc, num_items, uint32_t), .rows = &md5i_item_schema,
     .text = "one of the motions that are blended", .kinds = SPACES | BIT(MD5_MOTION_STACK)},
    RESERVED(md5_motion_desc),
};

const md5_schema md5i_motion_schema = {
    .description = "a motion",
    .head = "motion",
    .text = "a source of poses: a clip, a blend space or a stack",
    .kind = offsetof(md5_motion_desc, kind),
    .has_kind = true,
    .has_name = true,
    .size = sizeof(md5_motion_desc),
    .num_columns = MD5_COUNT(motion_columns),
    .columns = motion_columns,
};

// -- Layers -------------------------------------------------------------------------------------

static const md5_column state_columns[] = {
    {COLUMN(md5_state_desc, name, MD5_COLUMN_TEXT, const char *), .text = "name of the state",
     .position = MD5_POSITION_HEAD, .description = "the name of a state"},
    {COLUMN(md5_state_desc, motion, MD5_COLUMN_TEXT, const char *),
     .text = "motion or clip that the state plays", .position = MD5_POSITION_HEAD,
     .description = "a motion or 'nothing'", .usual = "nothing"},
    RESERVED(md5_state_desc),
};

static const md5_schema state_schema = {
    .description = "a state",
    .head = "state",
    .text = "a state of the layer; the layer starts in its first state",
    .has_name = true,
    .has_no_braces = true,
    .size = sizeof(md5_state_desc),
    .num_columns = MD5_COUNT(state_columns),
    .columns = state_columns,
};

static const md5_choice comparisons[] = {
    {"<=", MD5_IS_AT_MOST}, {">=", MD5_IS_AT_LEAST}, {"<", MD5_IS_LESS}, {">", MD5_IS_GREATER}};

static const md5_choice condition_kinds[] = {{"state_time", MD5_WHEN_STATE_TIME},
                                             {"time_left", MD5_WHEN_TIME_LEFT},
                                             {"heard", MD5_WHEN_EVENT}};

#define COMPARED \
    (BIT(MD5_IS_LESS) | BIT(MD5_IS_GREATER) | BIT(MD5_IS_AT_MOST) | BIT(MD5_IS_AT_LEAST))

static const md5_column condition_columns[] = {
    {COLUMN(md5_condition, parameter, MD5_COLUMN_TEXT, const char *),
     .text =
         "a parameter, optionally after `not`; or `state_time`; or `time_left`; or `heard` and an "
         "event",
     .position = MD5_POSITION_HEAD, .form = MD5_FORM_COMPARED, .description = "a parameter"},
    {UNTYPED_COLUMN(md5_condition, compare, MD5_COLUMN_CHOICE), .last = MD5_IS_AT_LEAST,
     .choices = comparisons, .num_choices = MD5_COUNT(comparisons),
     .text = "comparison with the value", .position = MD5_POSITION_NONE, .label = "comparison",
     .usual = "is set"},
    {UNTYPED_COLUMN(md5_condition, kind, MD5_COLUMN_CHOICE), .last = MD5_WHEN_EVENT,
     .choices = condition_kinds, .num_choices = MD5_COUNT(condition_kinds),
     .text = "source of the compared value", .position = MD5_POSITION_NONE,
     .label = "kind of a condition", .usual = "a parameter", .hash = MD5_HASH_SET},
    {COLUMN(md5_condition, value, MD5_COLUMN_FLOAT, float), .text = "value for the comparison",
     .position = MD5_POSITION_HEAD, .label = "value of a condition", .range = "any",
     .kinds = COMPARED},
    {COLUMN(md5_condition, longest, MD5_COLUMN_FLOAT, float),
     .text = "only for `state_time`: upper limit of a random time", .position = MD5_POSITION_HEAD,
     .form = MD5_FORM_AFTER, .word = "to", .label = "maximum time of a condition", .min = 1e-6,
     .max = 1e6, .keeps_zero = true, .usual = "the value", .kinds = COMPARED, .hash = MD5_HASH_SET},
    {COLUMN(md5_condition, begins_alternative, MD5_COLUMN_FLAG, bool),
     .text = "the condition follows `or`", .position = MD5_POSITION_NONE, .hash = MD5_HASH_SET},
    RESERVED(md5_condition),
};

const md5_schema md5i_condition_schema = {
    .description = "a condition",
    .head = "when",
    .text = "a condition of a transition or one-shot",
    .kind = offsetof(md5_condition, compare),
    .has_kind = true,
    .has_no_braces = true,
    .size = sizeof(md5_condition),
    .num_columns = MD5_COUNT(condition_columns),
    .columns = condition_columns,
};

static const md5_choice fades[] = {{"cross", MD5_FADE_CROSS}, {"inertial", MD5_FADE_INERTIAL}};
static const md5_choice interrupts[] = {{"interrupt_any", MD5_INTERRUPT_ANY},
                                        {"interrupt_higher", MD5_INTERRUPT_HIGHER},
                                        {"interrupt_none", MD5_INTERRUPT_NONE}};

static const md5_column transition_columns[] = {
    {COLUMN(md5_transition_desc, from, MD5_COLUMN_TEXT, const char *),
     .text = "state in which the transition starts", .position = MD5_POSITION_HEAD,
     .description = "a state or 'any'", .usual = "any"},
    {COLUMN(md5_transition_desc, to, MD5_COLUMN_TEXT, const char *),
     .text = "state to which the transition leads", .position = MD5_POSITION_HEAD,
     .description = "a state"},
    {UNTYPED_COLUMN(md5_transition_desc, conditions, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_transition_desc, num_conditions, uint32_t),
     .rows = &md5i_condition_schema, .text = "conditions under which the transition is taken",
     .form = MD5_FORM_CONDITIONS},
    {COLUMN(md5_transition_desc, waits, MD5_COLUMN_FLAG, bool),
     .text = "the transition waits until the source state is at a time in its cycle",
     .word = "exit"},
    {COLUMN(md5_transition_desc, exit, MD5_COLUMN_FLOAT, float),
     .text = "exit time: 1 is the end of the source state's first clip, or of its first cycle",
     .position = MD5_POSITION_AFTER, .form = MD5_FORM_OR_AT, .range = "any"},
    {COLUMN(md5_transition_desc, exit_event, MD5_COLUMN_TEXT, const char *),
     .text =
         "name of an event; the transition waits for this event of the source state's first clip",
     .word = "at", .description = "an event name", .usual = "the time", .hash = MD5_HASH_SET},
    {COLUMN(md5_transition_desc, exits_each, MD5_COLUMN_FLAG, bool),
     .text = "the exit is repeated in every cycle of the source state", .word = "each",
     .hash = MD5_HASH_SET},
    {COLUMN(md5_transition_desc, duration, MD5_COLUMN_FLOAT, float),
     .text = "duration of the fade, seconds", .min = 0, .max = 1e6, .usual = "0"},
    {UNTYPED_COLUMN(md5_transition_desc, fade, MD5_COLUMN_CHOICE), .last = MD5_FADE_INERTIAL,
     .choices = fades, .num_choices = MD5_COUNT(fades),
     .text = "`cross`: both states are blended; `inertial`: only the target state plays, and the "
             "difference from the old pose decreases to 0",
     .usual = "cross"},
    {UNTYPED_COLUMN(md5_transition_desc, easing.kind, MD5_COLUMN_CHOICE), .last = MD5_EASE_STEPS,
     .text = "easing of the fade", .label = "easing", .usual = "linear"},
    {COLUMN(md5_transition_desc, easing.x1, MD5_COLUMN_FLOAT, float),
     .text = "x of the first control point", .position = MD5_POSITION_AFTER, .word = "x1",
     .label = "x1", .min = 0, .max = 1, .kinds = BIT(MD5_EASE_CUBIC_BEZIER), .hash = MD5_HASH_USED},
    {COLUMN(md5_transition_desc, easing.y1, MD5_COLUMN_FLOAT, float),
     .text = "y of the first control point", .position = MD5_POSITION_AFTER, .word = "y1",
     .label = "y1", .range = "any", .kinds = BIT(MD5_EASE_CUBIC_BEZIER), .hash = MD5_HASH_USED},
    {COLUMN(md5_transition_desc, easing.x2, MD5_COLUMN_FLOAT, float),
     .text = "x of the second control point", .position = MD5_POSITION_AFTER, .word = "x2",
     .label = "x2", .min = 0, .max = 1, .kinds = BIT(MD5_EASE_CUBIC_BEZIER), .hash = MD5_HASH_USED},
    {COLUMN(md5_transition_desc, easing.y2, MD5_COLUMN_FLOAT, float),
     .text = "y of the second control point", .position = MD5_POSITION_AFTER, .word = "y2",
     .label = "y2", .range = "any", .kinds = BIT(MD5_EASE_CUBIC_BEZIER), .hash = MD5_HASH_USED},
    {COLUMN(md5_transition_desc, easing.steps, MD5_COLUMN_COUNT, uint32_t),
     .text = "number of equal steps", .position = MD5_POSITION_AFTER, .word = "steps",
     .range = "1 to 65536, 2 with jump_none", .kinds = BIT(MD5_EASE_STEPS), .hash = MD5_HASH_USED},
    {UNTYPED_COLUMN(md5_transition_desc, easing.jump, MD5_COLUMN_CHOICE), .last = MD5_JUMP_BOTH,
     .choices = jumps, .num_choices = MD5_COUNT(jumps),
     .text = "position of the jump within each step, as in CSS", .position = MD5_POSITION_AFTER,
     .form = MD5_FORM_OPTIONAL, .label = "jump", .usual = "at its end",
     .kinds = BIT(MD5_EASE_STEPS), .hash = MD5_HASH_USED},
    {COLUMN(md5_transition_desc, keeps_phase, MD5_COLUMN_FLAG, bool),
     .text = "the target state starts at the position of the source state in its cycle",
     .word = "keep_phase"},
    {COLUMN(md5_transition_desc, in_step, MD5_COLUMN_FLAG, bool),
     .text = "both states are synchronized by their markers during the fade", .hash = MD5_HASH_SET},
    {COLUMN(md5_transition_desc, leader, MD5_COLUMN_TEXT, const char *),
     .text = "with `in_step`: state whose rate both states use", .description = "a state",
     .usual = "both, weighted", .hash = MD5_HASH_SET},
    {COLUMN(md5_transition_desc, start, MD5_COLUMN_FLOAT, float),
     .text = "normalized time at which the target state starts: 0 is the start of its clips, 1 "
             "their end",
     .range = "any", .usual = "0"},
    {COLUMN(md5_transition_desc, priority, MD5_COLUMN_INT, int32_t),
     .text = "priority; if several transitions are possible, the highest is taken", .range = "any",
     .usual = "0"},
    {UNTYPED_COLUMN(md5_transition_desc, interrupt, MD5_COLUMN_CHOICE), .last = MD5_INTERRUPT_NONE,
     .choices = interrupts, .num_choices = MD5_COUNT(interrupts),
     .text = "transitions that may interrupt this transition", .usual = "interrupt_any"},
    RESERVED(md5_transition_desc),
};

const md5_schema md5i_transition_schema = {
    .description = "a transition",
    .head = "transition",
    .owner = "transition of layer",
    .text = "a change from one state to another",
    .kind = offsetof(md5_transition_desc, easing.kind),
    .has_kind = true,
    .size = sizeof(md5_transition_desc),
    .num_columns = MD5_COUNT(transition_columns),
    .columns = transition_columns,
};

static const md5_column layer_columns[] = {
    {COLUMN(md5_layer_desc, name, MD5_COLUMN_TEXT, const char *), .text = "name of the layer",
     .position = MD5_POSITION_HEAD, .description = "the name of a layer"},
    {UNTYPED_COLUMN(md5_layer_desc, mode, MD5_COLUMN_CHOICE), .last = MD5_LAYER_ADD,
     .choices = layer_modes, .num_choices = MD5_COUNT(layer_modes),
     .text =
         "`override`: the pose is blended over the layers below; `add`: it is added to their pose",
     .usual = "override"},
    {COLUMN(md5_layer_desc, reference, MD5_COLUMN_TEXT, const char *),
     .text = "with `add`: clip whose pose is subtracted from the pose that is added",
     .description = "the clip of a reference", .usual = "the clip of each state"},
    {COLUMN(md5_layer_desc, reference_frame, MD5_COLUMN_COUNT, uint32_t),
     .text = "frame of the clip of `reference`", .position = MD5_POSITION_AFTER,
     .word = "reference", .range = "a frame of the clip"},
    {COLUMN(md5_layer_desc, mask, MD5_COLUMN_TEXT, const char *),
     .text = "mask of the joints that the layer changes", .usual = "all joints"},
    {COLUMN(md5_layer_desc, weight, MD5_COLUMN_FLOAT, float),
     .auxiliary = offsetof(md5_layer_desc, weight_parameter), .text = "weight of the layer",
     .easing = offsetof(md5_layer_desc, weight_easing), .form = MD5_FORM_DRIVEN, .min = 0, .max = 1,
     .keeps_zero = true, .is_filled = true, .otherwise = 1},
    {COLUMN(md5_layer_desc, weight_parameter, MD5_COLUMN_TEXT, const char *),
     .text = "parameter that replaces `weight`", .position = MD5_POSITION_NONE},
    {COLUMN(md5_layer_desc, weight_easing, MD5_COLUMN_EASING, md5_easing),
     .rows = &md5i_easing_schema, .last = MD5_EASE_LINEAR, .text = "an easing of the parameter",
     .position = MD5_POSITION_NONE},
    {UNTYPED_COLUMN(md5_layer_desc, states, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_layer_desc, num_states, uint32_t), .rows = &state_schema,
     .text = "a state; the layer starts in its first state"},
    {UNTYPED_COLUMN(md5_layer_desc, transitions, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_layer_desc, num_transitions, uint32_t),
     .rows = &md5i_transition_schema, .text = "a change from one state to another"},
    RESERVED(md5_layer_desc),
};

const md5_schema md5i_layer_schema = {
    .description = "a layer",
    .head = "layer",
    .text = "a state machine that is blended over the previous layers or added to them",
    .has_name = true,
    .needs_braces = true,
    .size = sizeof(md5_layer_desc),
    .num_columns = MD5_COUNT(layer_columns),
    .columns = layer_columns,
};

// -- One-shots ----------------------------------------------------------------------------------

static const md5_column slot_columns[] = {
    {COLUMN(md5_slot_desc, name, MD5_COLUMN_TEXT, const char *), .text = "name of the slot",
     .position = MD5_POSITION_HEAD, .description = "the name of a slot"},
    {UNTYPED_COLUMN(md5_slot_desc, mode, MD5_COLUMN_CHOICE), .last = MD5_LAYER_ADD,
     .choices = layer_modes, .num_choices = MD5_COUNT(layer_modes),
     .text =
         "`override`: the pose is blended over the layers below; `add`: it is added to their pose",
     .usual = "override"},
    {COLUMN(md5_slot_desc, reference, MD5_COLUMN_TEXT, const char *),
     .text = "with `add`: clip whose pose is subtracted from the pose that is added",
     .description = "the clip of a reference", .usual = "its own clip"},
    {COLUMN(md5_slot_desc, reference_frame, MD5_COLUMN_COUNT, uint32_t),
     .text = "frame of the clip of `reference`", .position = MD5_POSITION_AFTER,
     .word = "reference", .range = "a frame of the clip"},
    {COLUMN(md5_slot_desc, mask, MD5_COLUMN_TEXT, const char *),
     .text = "mask of the joints that the one-shots of the slot change", .usual = "all joints"},
    {COLUMN(md5_slot_desc, layer, MD5_COLUMN_TEXT, const char *),
     .text = "layer over which the clip is played", .usual = "all layers"},
    RESERVED(md5_slot_desc),
};

static const md5_schema slot_schema = {
    .description = "a slot",
    .head = "slot",
    .text = "a channel that plays at most one clip at a time",
    .has_name = true,
    .size = sizeof(md5_slot_desc),
    .num_columns = MD5_COUNT(slot_columns),
    .columns = slot_columns,
};

static const md5_choice one_shot_ends[] = {
    {"ends", MD5_ONE_SHOT_ENDS}, {"holds", MD5_ONE_SHOT_HOLDS}, {"loops", MD5_ONE_SHOT_LOOPS}};

static const md5_column one_shot_columns[] = {
    {COLUMN(md5_one_shot_desc, name, MD5_COLUMN_TEXT, const char *), .text = "name of the one-shot",
     .position = MD5_POSITION_HEAD, .description = "the name of a one-shot"},
    {COLUMN(md5_one_shot_desc, slot, MD5_COLUMN_TEXT, const char *),
     .text = "slot in which the clip plays", .position = MD5_POSITION_HEAD,
     .description = "a slot"},
    {COLUMN(md5_one_shot_desc, clip, MD5_COLUMN_TEXT, const char *), .text = "clip that is played",
     .position = MD5_POSITION_HEAD, .description = "a clip"},
    {UNTYPED_COLUMN(md5_one_shot_desc, conditions, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_one_shot_desc, num_conditions, uint32_t),
     .rows = &md5i_condition_schema, .text = "conditions under which the one-shot starts",
     .form = MD5_FORM_CONDITIONS},
    {UNTYPED_COLUMN(md5_one_shot_desc, until, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_one_shot_desc, num_until, uint32_t), .rows = &md5i_condition_schema,
     .text = "conditions under which the one-shot stops", .form = MD5_FORM_CONDITIONS,
     .word = "until"},
    {COLUMN(md5_one_shot_desc, priority, MD5_COLUMN_INT, int32_t),
     .text = "priority; a one-shot replaces a clip of lower priority in its slot", .range = "any",
     .usual = "0"},
    {UNTYPED_COLUMN(md5_one_shot_desc, mode, MD5_COLUMN_CHOICE), .last = MD5_LAYER_ADD,
     .choices = layer_modes, .num_choices = MD5_COUNT(layer_modes),
     .text =
         "`override`: the pose is blended over the layers below; `add`: it is added to their pose",
     .usual = "override"},
    {COLUMN(md5_one_shot_desc, reference, MD5_COLUMN_TEXT, const char *),
     .text = "with `add`: clip whose pose is subtracted from the pose that is added",
     .description = "the clip of a reference", .usual = "its own clip"},
    {COLUMN(md5_one_shot_desc, reference_frame, MD5_COLUMN_COUNT, uint32_t),
     .text = "frame of the clip of `reference`", .position = MD5_POSITION_AFTER,
     .word = "reference", .range = "a frame of the clip"},
    {COLUMN(md5_one_shot_desc, mask, MD5_COLUMN_TEXT, const char *),
     .text = "mask of the joints that the one-shot changes", .usual = "all joints"},
    {COLUMN(md5_one_shot_desc, layer, MD5_COLUMN_TEXT, const char *),
     .text = "layer over which the clip is played", .usual = "all layers"},
    {COLUMN(md5_one_shot_desc, weight, MD5_COLUMN_FLOAT, float),
     .text = "weight between fade-in and fade-out", .min = 0, .max = 1, .keeps_zero = true,
     .is_filled = true, .otherwise = 1},
    {COLUMN(md5_one_shot_desc, speed, MD5_COLUMN_FLOAT, float),
     .text = "playback rate; negative values play backward", .range = "any", .keeps_zero = true,
     .is_filled = true, .otherwise = 1},
    {COLUMN(md5_one_shot_desc, start, MD5_COLUMN_DOUBLE, double),
     .text = "normalized time at which the one-shot starts, in its section or in the whole clip",
     .min = 0, .max = 0.999999, .usual = "0"},
    {COLUMN(md5_one_shot_desc, fade_in, MD5_COLUMN_FLOAT, float),
     .text = "duration of the fade-in, seconds", .min = 0, .max = 1e6, .usual = "0"},
    {COLUMN(md5_one_shot_desc, fade_in_easing, MD5_COLUMN_EASING, md5_easing),
     .rows = &md5i_easing_schema, .last = MD5_EASE_LINEAR, .text = "easing of the fade",
     .position = MD5_POSITION_AFTER, .form = MD5_FORM_OPTIONAL, .usual = "linear"},
    {COLUMN(md5_one_shot_desc, fade_out, MD5_COLUMN_FLOAT, float),
     .text = "duration of the fade-out before the end or after a stop, seconds", .min = 0,
     .max = 1e6, .usual = "0"},
    {COLUMN(md5_one_shot_desc, fade_out_easing, MD5_COLUMN_EASING, md5_easing),
     .rows = &md5i_easing_schema, .last = MD5_EASE_LINEAR, .text = "easing of the fade",
     .position = MD5_POSITION_AFTER, .form = MD5_FORM_OPTIONAL, .usual = "linear"},
    {UNTYPED_COLUMN(md5_one_shot_desc, end, MD5_COLUMN_CHOICE), .last = MD5_ONE_SHOT_LOOPS,
     .choices = one_shot_ends, .num_choices = MD5_COUNT(one_shot_ends),
     .text = "`ends` fades out before the end, `holds` keeps the last frame, `loops` repeats the "
             "section",
     .usual = "ends"},
    {COLUMN(md5_one_shot_desc, section, MD5_COLUMN_TEXT, const char *),
     .text = "section of the clip in which playback starts", .usual = "none"},
    RESERVED(md5_one_shot_desc),
};

static const md5_schema one_shot_schema = {
    .description = "a one-shot clip",
    .head = "one_shot",
    .text = "a clip that is played once over the layers",
    .has_name = true,
    .size = sizeof(md5_one_shot_desc),
    .num_columns = MD5_COUNT(one_shot_columns),
    .columns = one_shot_columns,
};

// -- Modifiers ----------------------------------------------------------------------------------

static const md5_column attached_columns[] = {
    {COLUMN(md5_attached_desc, name, MD5_COLUMN_TEXT, const char *),
     .text = "name of the attached model", .position = MD5_POSITION_HEAD,
     .description = "the name of an attached model"},
    {COLUMN(md5_attached_desc, model, MD5_COLUMN_MODEL, const md5_model *),
     .text = "the loaded model", .position = MD5_POSITION_NONE},
    {COLUMN(md5_attached_desc, file, MD5_COLUMN_TEXT, const char *), .text = "the .md5mesh file",
     .position = MD5_POSITION_HEAD, .description = "the file of an attached model",
     .hash = MD5_HASH_NEVER},
    {COLUMN(md5_attached_desc, joint, MD5_COLUMN_TEXT, const char *),
     .text = "joint of the character to which the model is attached", .position = MD5_POSITION_HEAD,
     .form = MD5_FORM_AFTER, .word = "on", .description = "a joint", .usual = "set by the game"},
    RESERVED(md5_attached_desc),
};

static const md5_schema attached_schema = {
    .description = "an attached model",
    .head = "attached",
    .mark = "attached",
    .text = "a model whose joints can be a `target` or `pole`",
    .has_name = true,
    .has_no_braces = true,
    .size = sizeof(md5_attached_desc),
    .num_columns = MD5_COUNT(attached_columns),
    .columns = attached_columns,
};

static const md5_choice limit_kinds[] = {
    {"none", MD5_LIMIT_NONE}, {"hinge", MD5_LIMIT_HINGE}, {"cone", MD5_LIMIT_CONE}};

static const md5_column limit_columns[] = {
    {COLUMN(md5_limit_desc, joint, MD5_COLUMN_TEXT, const char *),
     .text = "joint whose rotation is limited", .position = MD5_POSITION_HEAD,
     .description = "a joint"},
    {UNTYPED_COLUMN(md5_limit_desc, kind, MD5_COLUMN_CHOICE), .last = MD5_LIMIT_CONE,
     .choices = limit_kinds, .num_choices = MD5_COUNT(limit_kinds), .text = "kind of the limit",
     .position = MD5_POSITION_HEAD, .usual = "none"},
    {COLUMN(md5_limit_desc, axis, MD5_COLUMN_DIRECTION, md5_vec3),
     .text = "axis of the twist, in the space of the joint", .position = MD5_POSITION_HEAD,
     .range = "not 0 0 0"},
    {COLUMN(md5_limit_desc, min, MD5_COLUMN_FLOAT, float),
     .text = "minimum twist from the bind pose, radians", .min = -3.1416, .max = 3.1416,
     .usual = "0"},
    {COLUMN(md5_limit_desc, max, MD5_COLUMN_FLOAT, float),
     .text = "maximum twist from the bind pose, radians", .min = -3.1416, .max = 3.1416,
     .usual = "0"},
    {COLUMN(md5_limit_desc, swing, MD5_COLUMN_FLOAT, float),
     .text = "maximum angle between the axis and its direction in the bind pose, radians", .min = 0,
     .max = 3.1416, .usual = "0", .kinds = BIT(MD5_LIMIT_CONE)},
    RESERVED(md5_limit_desc),
};

static const md5_schema limit_schema = {
    .description = "a limit",
    .head = "limit",
    .mark = "limit",
    .text = "rotation limit of a joint in limbs and chains",
    .kind = offsetof(md5_limit_desc, kind),
    .has_kind = true,
    .name = offsetof(md5_limit_desc, joint),
    .has_name = true,
    .size = sizeof(md5_limit_desc),
    .num_columns = MD5_COUNT(limit_columns),
    .columns = limit_columns,
};

static const md5_column foot_columns[] = {
    {COLUMN(md5_foot_desc, ankle, MD5_COLUMN_TEXT, const char *), .text = "ankle joint",
     .position = MD5_POSITION_HEAD, .description = "the ankle of a foot"},
    {COLUMN(md5_foot_desc, knee, MD5_COLUMN_TEXT, const char *), .text = "knee joint",
     .usual = "the ankle's parent"},
    {COLUMN(md5_foot_desc, hip, MD5_COLUMN_TEXT, const char *), .text = "hip joint",
     .usual = "the knee's parent"},
    RESERVED(md5_foot_desc),
};

const md5_schema md5i_foot_schema = {
    .description = "a foot",
    .head = "foot",
    .text = "a leg of a modifier of the kind `feet`",
    .size = sizeof(md5_foot_desc),
    .num_columns = MD5_COUNT(foot_columns),
    .columns = foot_columns,
};

static const md5_column gaze_columns[] = {
    {UNTYPED_COLUMN(md5_modifier_gaze, eyes, MD5_COLUMN_TEXTS),
     .auxiliary = ARRAY_SIZE(md5_modifier_gaze, eyes),
     .text = "eye joint, whose x axis points forward; up to 8 times", .word = "eye",
     .description = "an eye", .usual = "none"},
    {PART_COLUMN(md5_modifier_gaze, params, length, MD5_COLUMN_COUNT, uint32_t),
     .text = "number of joints, from the head towards the root, that share the rotation",
     .range = "1 to 64", .is_positive = true, .usual = "3"},
    MD5_GAZE_NUMBERS(GAZE_NUMBER, GAZE_LENGTH){
        COLUMN(md5_modifier_gaze, seed, MD5_COLUMN_COUNT, uint32_t),
        .text = "seed of the random directions with which every player starts", .range = "any",
        .usual = "0"},
    RESERVED(md5_modifier_gaze),
};

const md5_schema md5i_gaze_schema = {
    .description = "a gaze",
    .text = "eye joints and parameters of a modifier of the kind `gaze`",
    .size = sizeof(md5_modifier_gaze),
    .num_columns = MD5_COUNT(gaze_columns),
    .columns = gaze_columns,
};

static const md5_column hold_columns[] = {
    {UNTYPED_COLUMN(md5_modifier_hold, toes, MD5_COLUMN_TEXTS),
     .auxiliary = ARRAY_SIZE(md5_modifier_hold, toes),
     .text = "joint of the sole, in the order of the feet; up to 8 times", .word = "toe",
     .description = "a toe", .usual = "the ankles"},
    {PART_COLUMN(md5_modifier_hold, params, height, MD5_COLUMN_FLOAT, float),
     .text = "maximum height of a planted sole, units", .min = 0, .max = 1e6, .keeps_zero = true,
     .is_filled = true, .is_length = true, .otherwise = 0.3f},
    {PART_COLUMN(md5_modifier_hold, params, speed, MD5_COLUMN_FLOAT, float),
     .text = "maximum speed of a planted sole, units/s", .min = 0, .max = 1e9, .keeps_zero = true,
     .is_filled = true, .is_length = true, .otherwise = 10},
    {PART_COLUMN(md5_modifier_hold, params, distance, MD5_COLUMN_FLOAT, float),
     .text = "maximum distance of a held foot from its animated position, units", .min = 0,
     .max = 1e6, .keeps_zero = true, .is_filled = true, .is_length = true, .otherwise = 4},
    {PART_COLUMN(md5_modifier_hold, params, release, MD5_COLUMN_FLOAT, float),
     .text = "time until a released foot is back at its animated position, seconds", .min = 0,
     .max = 1e6, .keeps_zero = true, .is_filled = true, .otherwise = 0.2f},
    RESERVED(md5_modifier_hold),
};

const md5_schema md5i_hold_schema = {
    .description = "a hold",
    .head = "hold",
    .text = "keeps planted feet in place, in a modifier of the kind `feet`",
    .size = sizeof(md5_modifier_hold),
    .num_columns = MD5_COUNT(hold_columns),
    .columns = hold_columns,
};

static const md5_column location_columns[] = {
    {COLUMN(md5_modifier_point, joint, MD5_COLUMN_TEXT, const char *), .text = "name of the joint",
     .position = MD5_POSITION_HEAD, .description = "a joint"},
    {COLUMN(md5_modifier_point, attached, MD5_COLUMN_TEXT, const char *),
     .text = "attached model that contains the joint", .position = MD5_POSITION_HEAD,
     .form = MD5_FORM_AFTER, .word = "of", .description = "the name of an attached model",
     .usual = "the machine's model"},
    {COLUMN(md5_modifier_point, offset, MD5_COLUMN_DIRECTION, md5_vec3),
     .text = "offset from the joint, in the space of the joint, units", .min = -1e6, .max = 1e6,
     .is_length = true, .usual = "none"},
    {COLUMN(md5_modifier_point, aligned, MD5_COLUMN_FLAG, bool),
     .text = "only for `target`: the tip also gets the rotation of the joint"},
    RESERVED(md5_modifier_point),
};

static const md5_schema location_schema = {
    .description = "a place",
    .head = "target",
    .mark = "place",
    .text = "a point on a joint, for a `target` or a `pole`",
    .size = sizeof(md5_modifier_point),
    .num_columns = MD5_COUNT(location_columns),
    .columns = location_columns,
};

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
#define TARGETS (BIT(MD5_MODIFIER_SPRING) - 1) // all kinds before MD5_MODIFIER_SPRING

const md5_driver md5i_drivers[MD5_NUM_DRIVERS] = {
    {"state", "a layer"}, {NULL, "a state"}, {"curve", "a curve"}, {"window", "a window"}};

static const md5_column modifier_columns[] = {
    {COLUMN(md5_modifier_desc, name, MD5_COLUMN_TEXT, const char *), .text = "name of the modifier",
     .position = MD5_POSITION_HEAD, .description = "the name of a modifier"},
    {UNTYPED_COLUMN(md5_modifier_desc, kind, MD5_COLUMN_CHOICE), .last = MD5_MODIFIER_GAZE,
     .choices = modifier_kinds, .num_choices = MD5_COUNT(modifier_kinds),
     .text = "kind of the modifier", .position = MD5_POSITION_HEAD, .usual = "joint"},
    {COLUMN(md5_modifier_desc, joint, MD5_COLUMN_TEXT, const char *),
     .text = "joint that is changed: the tip of a chain or limb, the pelvis of `feet`, the head of "
             "`gaze`",
     .position = MD5_POSITION_HEAD, .description = "a joint"},
    {COLUMN(md5_modifier_desc, middle, MD5_COLUMN_TEXT, const char *),
     .text = "joint of the elbow or knee", .usual = "the joint's parent",
     .kinds = BIT(MD5_MODIFIER_TWO_BONE)},
    {COLUMN(md5_modifier_desc, root, MD5_COLUMN_TEXT, const char *),
     .text = "joint of the shoulder or hip", .usual = "the parent of `middle`",
     .kinds = BIT(MD5_MODIFIER_TWO_BONE)},
    {COLUMN(md5_modifier_desc, length, MD5_COLUMN_COUNT, uint32_t),
     .text = "number of joints in the chain", .range = "1 to 64 for `aim`, otherwise 2 to 64",
     .is_filled = true, .is_positive = true, .otherwise = 2.0f, .kinds = CHAINS},
    {UNTYPED_COLUMN(md5_modifier_desc, space, MD5_COLUMN_CHOICE), .last = MD5_JOINT_MODEL_OVERRIDE,
     .choices = spaces, .num_choices = MD5_COUNT(spaces),
     .text =
         "space of the target; `_override` replaces the joint's transform instead of adding to it",
     .usual = "local", .kinds = BIT(MD5_MODIFIER_JOINT)},
    {PART_COLUMN(md5_modifier_desc, aim, forward, MD5_COLUMN_DIRECTION, md5_vec3),
     .text = "forward direction of the tip, in its space", .range = "not 0 0 0",
     .usual = "( 1 0 0 )", .kinds = BIT(MD5_MODIFIER_AIM)},
    {PART_COLUMN(md5_modifier_desc, aim, up, MD5_COLUMN_DIRECTION, md5_vec3),
     .text = "up direction of the tip, in its space", .range = "not 0 0 0", .usual = "( 0 0 1 )",
     .kinds = BIT(MD5_MODIFIER_AIM)},
    {PART_COLUMN(md5_modifier_desc, aim, limit, MD5_COLUMN_FLOAT, float),
     .text = "maximum rotation of each joint, radians", .min = 0, .max = 1e6, .keeps_zero = true,
     .usual = "no limit", .kinds = BIT(MD5_MODIFIER_AIM)},
    {PART_COLUMN(md5_modifier_desc, two_bone, soften, MD5_COLUMN_FLOAT, float),
     .text = "fraction of the reach, at its end, in which the tip slows down", .min = 0, .max = 1,
     .usual = "0", .kinds = BIT(MD5_MODIFIER_TWO_BONE)},
    {PART_COLUMN(md5_modifier_desc, two_bone, stretch, MD5_COLUMN_FLOAT, float),
     .text = "maximum length of the stretched limb, divided by its reach", .min = 1, .max = 1e6,
     .keeps_zero = true, .is_filled = true, .otherwise = 1, .kinds = BIT(MD5_MODIFIER_TWO_BONE)},
    MD5_SPRING_NUMBERS(SPRING_NUMBER){
        PART_COLUMN(md5_modifier_desc, spring, gravity, MD5_COLUMN_FLOAT, float),
        .text = "gravity along the model's -z axis, units/s²", .range = "any", .usual = "0",
        .kinds = BIT(MD5_MODIFIER_SPRING)},
    {COLUMN(md5_modifier_desc, smoothing, MD5_COLUMN_FLOAT, float),
     .text = "time constant with which the feet follow a change of the ground, seconds", .min = 0,
     .max = 1e6, .keeps_zero = true, .is_filled = true, .otherwise = 0.1f,
     .kinds = BIT(MD5_MODIFIER_FEET)},
    {UNTYPED_COLUMN(md5_modifier_desc, feet, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_modifier_desc, num_feet, uint32_t), .rows = &md5i_foot_schema,
     .text = "a leg of the character", .kinds = BIT(MD5_MODIFIER_FEET)},
    {UNTYPED_COLUMN(md5_modifier_desc, gaze, MD5_COLUMN_ROW), .rows = &md5i_gaze_schema,
     .text = "eye joints and parameters", .position = MD5_POSITION_NONE, .form = MD5_FORM_ALWAYS,
     .kinds = BIT(MD5_MODIFIER_GAZE)},
    {UNTYPED_COLUMN(md5_modifier_desc, hold, MD5_COLUMN_ROW), .rows = &md5i_hold_schema,
     .text = "keeps planted feet in place", .kinds = BIT(MD5_MODIFIER_FEET)},
    {COLUMN(md5_modifier_desc, weight, MD5_COLUMN_FLOAT, float),
     .auxiliary = offsetof(md5_modifier_desc, weight_parameter),
     .text = "initial weight of every player, or the source of the weight",
     .easing = offsetof(md5_modifier_desc, weight_easing),
     .state = OFFSET(md5_modifier_desc, weight_layer, const char *), .form = MD5_FORM_DRIVEN,
     .min = 0, .max = 1, .keeps_zero = true, .is_filled = true, .otherwise = 1,
     .hash = MD5_HASH_SET},
    {COLUMN(md5_modifier_desc, weight_parameter, MD5_COLUMN_TEXT, const char *),
     .text = "parameter that replaces `weight`", .position = MD5_POSITION_NONE,
     .hash = MD5_HASH_SET},
    {COLUMN(md5_modifier_desc, weight_layer, MD5_COLUMN_TEXT, const char *),
     .text = "layer of the state that replaces `weight`", .position = MD5_POSITION_NONE,
     .hash = MD5_HASH_SET},
    {COLUMN(md5_modifier_desc, weight_state, MD5_COLUMN_TEXT, const char *),
     .text = "a state of that layer", .position = MD5_POSITION_NONE, .hash = MD5_HASH_SET},
    {COLUMN(md5_modifier_desc, weight_curve, MD5_COLUMN_TEXT, const char *),
     .text = "curve that replaces `weight`", .position = MD5_POSITION_NONE, .hash = MD5_HASH_SET},
    {COLUMN(md5_modifier_desc, weight_window, MD5_COLUMN_TEXT, const char *),
     .text = "window that replaces `weight`", .position = MD5_POSITION_NONE, .hash = MD5_HASH_SET},
    {COLUMN(md5_modifier_desc, weight_easing, MD5_COLUMN_EASING, md5_easing),
     .rows = &md5i_easing_schema, .last = MD5_EASE_LINEAR, .text = "an easing of the parameter",
     .position = MD5_POSITION_NONE},
    {UNTYPED_COLUMN(md5_modifier_desc, target, MD5_COLUMN_ROW), .rows = &location_schema,
     .text = "joint that is the target", .kinds = TARGETS},
    {UNTYPED_COLUMN(md5_modifier_desc, pole, MD5_COLUMN_ROW), .rows = &location_schema,
     .text = "point towards which the elbow or knee bends", .word = "pole",
     .kinds = BIT(MD5_MODIFIER_TWO_BONE)},
    RESERVED(md5_modifier_desc),
};

const md5_schema md5i_modifier_schema = {
    .description = "a modifier",
    .head = "modifier",
    .text = "an operation on the pose after the layers",
    .kind = offsetof(md5_modifier_desc, kind),
    .has_kind = true,
    .has_name = true,
    .size = sizeof(md5_modifier_desc),
    .num_columns = MD5_COUNT(modifier_columns),
    .columns = modifier_columns,
};

// -- Morph targets ------------------------------------------------------------------------------

static const md5_choice drives[] = {{"parameter", MD5_MORPH_BY_PARAMETER},
                                    {"state", MD5_MORPH_BY_STATE},
                                    {"clip", MD5_MORPH_BY_CLIP},
                                    {"curve", MD5_MORPH_BY_CURVE},
                                    {"window", MD5_MORPH_BY_WINDOW}};

static const md5_column morph_columns[] = {
    {COLUMN(md5_morph_desc, target, MD5_COLUMN_TEXT, const char *),
     .text = "name of the morph target", .position = MD5_POSITION_HEAD,
     .description = "the name of a morph target"},
    {UNTYPED_COLUMN(md5_morph_desc, drive, MD5_COLUMN_CHOICE), .last = MD5_MORPH_BY_WINDOW,
     .choices = drives, .num_choices = MD5_COUNT(drives), .text = "source of the weight",
     .position = MD5_POSITION_HEAD, .usual = "parameter"},
    {COLUMN(md5_morph_desc, parameter, MD5_COLUMN_TEXT, const char *),
     .text = "parameter whose value is used as the weight", .position = MD5_POSITION_HEAD,
     .description = "a parameter", .kinds = BIT(MD5_MORPH_BY_PARAMETER)},
    {COLUMN(md5_morph_desc, layer, MD5_COLUMN_TEXT, const char *), .text = "layer of the state",
     .position = MD5_POSITION_HEAD, .description = "a layer", .kinds = BIT(MD5_MORPH_BY_STATE)},
    {COLUMN(md5_morph_desc, state, MD5_COLUMN_TEXT, const char *),
     .text = "state whose weight is used", .position = MD5_POSITION_HEAD, .description = "a state",
     .kinds = BIT(MD5_MORPH_BY_STATE)},
    {COLUMN(md5_morph_desc, clip, MD5_COLUMN_TEXT, const char *),
     .text = "clip whose frames determine the weight", .position = MD5_POSITION_HEAD,
     .description = "a clip", .kinds = BIT(MD5_MORPH_BY_CLIP)},
    {COLUMN(md5_morph_desc, curve, MD5_COLUMN_TEXT, const char *),
     .text = "curve of the clips whose value is used as the weight", .position = MD5_POSITION_HEAD,
     .description = "a curve", .kinds = BIT(MD5_MORPH_BY_CURVE), .hash = MD5_HASH_USED},
    {COLUMN(md5_morph_desc, window, MD5_COLUMN_TEXT, const char *),
     .text = "window of the clips; the weight with which it is open is used",
     .position = MD5_POSITION_HEAD, .description = "a window", .kinds = BIT(MD5_MORPH_BY_WINDOW),
     .hash = MD5_HASH_USED},
    {UNTYPED_COLUMN(md5_morph_desc, keys, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_morph_desc, num_keys, uint32_t), .rows = &key_schema,
     .text = "frames of the clip with the weight at each, as `( frame weight ... )`",
     .position = MD5_POSITION_HEAD, .form = MD5_FORM_LIST, .kinds = BIT(MD5_MORPH_BY_CLIP)},
    {COLUMN(md5_morph_desc, weight, MD5_COLUMN_FLOAT, float),
     .text = "factor by which the weight is multiplied", .min = -1e6, .max = 1e6,
     .keeps_zero = true, .is_filled = true, .otherwise = 1},
    RESERVED(md5_morph_desc),
};

const md5_schema md5i_morph_schema = {
    .description = "a morph",
    .head = "morph",
    .text = "the source of a morph target's weight",
    .kind = offsetof(md5_morph_desc, drive),
    .has_kind = true,
    .has_name = true,
    .size = sizeof(md5_morph_desc),
    .num_columns = MD5_COUNT(morph_columns),
    .columns = morph_columns,
};

// -- Machines -----------------------------------------------------------------------------------

static const md5_column report_columns[] = {
    {COLUMN(md5_report_desc, enter, MD5_COLUMN_FLAG, bool), .text = "a state is entered"},
    {COLUMN(md5_report_desc, leave, MD5_COLUMN_FLAG, bool),
     .text = "a transition away from a state starts"},
    {COLUMN(md5_report_desc, transition_end, MD5_COLUMN_FLAG, bool),
     .text = "a state has faded in completely"},
    {COLUMN(md5_report_desc, clip_end, MD5_COLUMN_FLAG, bool), .text = "a clip ends"},
    RESERVED(md5_report_desc),
};

static const md5_schema report_schema = {
    .description = "a report",
    .head = "report",
    .text = "events that the player reports",
    .needs_braces = true,
    .size = sizeof(md5_report_desc),
    .num_columns = MD5_COUNT(report_columns),
    .columns = report_columns,
};

static const md5_column machine_columns[] = {
    {COLUMN(md5_machine_desc, name, MD5_COLUMN_TEXT, const char *), .text = "name of the machine",
     .position = MD5_POSITION_HEAD, .description = "the name of the machine",
     .is_text_filled = true},
    {COLUMN(md5_machine_desc, model, MD5_COLUMN_MODEL, const md5_model *),
     .auxiliary = offsetof(md5_machine_file, model_file), .text = "the .md5mesh file of the model"},
    {UNTYPED_COLUMN(md5_machine_desc, clips, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_machine_desc, num_clips, uint32_t), .rows = &md5i_clip_schema,
     .text = "an animation file and its playback properties"},
    {UNTYPED_COLUMN(md5_machine_desc, masks, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_machine_desc, num_masks, uint32_t), .rows = &mask_schema,
     .text = "a set of joints"},
    {UNTYPED_COLUMN(md5_machine_desc, parameters, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_machine_desc, num_parameters, uint32_t), .rows = &parameter_schema,
     .choices = parameter_kinds, .num_choices = MD5_COUNT(parameter_kinds),
     .text = "a value that the game sets"},
    {UNTYPED_COLUMN(md5_machine_desc, follows, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_machine_desc, num_follows, uint32_t), .rows = &follow_schema,
     .text = "makes a parameter follow the value that the game sets without jumps",
     .hash = MD5_HASH_ROWS},
    {UNTYPED_COLUMN(md5_machine_desc, motions, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_machine_desc, num_motions, uint32_t), .rows = &md5i_motion_schema,
     .text = "a source of poses: a clip, a blend space or a stack"},
    {UNTYPED_COLUMN(md5_machine_desc, layers, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_machine_desc, num_layers, uint32_t), .rows = &md5i_layer_schema,
     .text = "a state machine that is blended over the previous layers or added to them"},
    {UNTYPED_COLUMN(md5_machine_desc, slots, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_machine_desc, num_slots, uint32_t), .rows = &slot_schema,
     .text = "a channel that plays at most one one-shot at a time", .hash = MD5_HASH_ROWS},
    {UNTYPED_COLUMN(md5_machine_desc, one_shots, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_machine_desc, num_one_shots, uint32_t), .rows = &one_shot_schema,
     .text = "a clip that is played once over the layers", .hash = MD5_HASH_ROWS},
    {COLUMN(md5_machine_desc, max_one_shots, MD5_COLUMN_COUNT, uint32_t),
     .text = "slots for one-shots", .position = MD5_POSITION_NONE, .range = "0 to 64",
     .usual = "4"},
    {UNTYPED_COLUMN(md5_machine_desc, report, MD5_COLUMN_PART), .rows = &report_schema,
     .text = "events that the player reports"},
    {UNTYPED_COLUMN(md5_machine_desc, attached, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_machine_desc, num_attached, uint32_t), .rows = &attached_schema,
     .text = "a model that is attached to a joint, such as a weapon", .hash = MD5_HASH_ROWS},
    {UNTYPED_COLUMN(md5_machine_desc, limits, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_machine_desc, num_limits, uint32_t), .rows = &limit_schema,
     .text = "limit of the rotation of a joint", .hash = MD5_HASH_ROWS},
    {UNTYPED_COLUMN(md5_machine_desc, modifiers, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_machine_desc, num_modifiers, uint32_t), .rows = &md5i_modifier_schema,
     .text = "an operation on the pose after the layers, such as inverse kinematics"},
    {UNTYPED_COLUMN(md5_machine_desc, morphs, MD5_COLUMN_TABLE),
     .auxiliary = OFFSET(md5_machine_desc, num_morphs, uint32_t), .rows = &md5i_morph_schema,
     .text = "the source of a morph target's weight", .hash = MD5_HASH_ROWS},
    {UNTYPED_COLUMN(md5_machine_desc, locations, MD5_COLUMN_OTHER),
     .auxiliary = sizeof((md5_machine_desc *)0)->locations,
     .text = "positions of the tokens in the file", .position = MD5_POSITION_NONE,
     .hash = MD5_HASH_NEVER},
    RESERVED(md5_machine_desc),
};

const md5_schema md5i_machine_schema = {
    .description = "a machine",
    .head = "machine",
    .text = "the whole file",
    .has_name = true,
    .needs_braces = true,
    .size = sizeof(md5_machine_desc),
    .num_columns = MD5_COUNT(machine_columns),
    .columns = machine_columns,
};

// -- Iteration ----------------------------------------------------------------------------------

// Returns the keyword of choice `i` of a column and sets *value to the value of the choice. Returns
// NULL after the last choice.
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

// Returns the value of a number, flag or choice, or the kind of an easing. Returns 0 for other
// columns.
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
    case MD5_COLUMN_EASING: // its first member is its kind
        memcpy(&number, value, sizeof number);
        return number;
    default:
        return 0;
    }
}

// Returns the rows of a column and sets *count to their number. They are an array, a single row, or
// a part of the row itself.
const char *md5i_column_rows(const md5_column *column, const char *row, uint32_t *count)
{
    const char *rows;
    *count = 1;
    if (column->kind == MD5_COLUMN_PART)
        return row + column->offset;
    if (column->kind == MD5_COLUMN_EASING)
        return md5i_column_number(column, row) > column->last ? row + column->offset : NULL;
    memcpy(&rows, row + column->offset, sizeof rows);
    if (column->kind == MD5_COLUMN_TABLE)
        memcpy(count, row + column->auxiliary, sizeof *count);
    return rows;
}

// Begins an iteration over the columns of a row and of all rows below it. `copy` is the copy of the
// row if the caller copies rows, else NULL.
md5_table_iterator md5i_begin_columns(const md5_schema *schema, const void *row, void *copy)
{
    md5_table_iterator iterator = {.top = 0};
    iterator.levels[0] = (md5_table_level){schema, (const char *)row,           (char *)copy, 1,
                                           0,      md5_row_kind(schema, row, 0)};
    return iterator;
}

// Adds a level to an iterator for the rows of a column, and begins at the first row. `copies` are
// the copies of these rows, or NULL. Has no effect if the column is NULL or has no rows.
// NOLINTNEXTLINE(readability-non-const-parameter): the iterator writes to the copies
static void enter_rows(md5_table_iterator *iterator, const md5_column *column, char *copies)
{
    if (!column || !column->rows)
        return;
    const md5_table_level *const owner = &iterator->levels[iterator->top];
    uint32_t count = 0;
    const char *const rows = md5i_column_rows(column, owner->row, &count);
    if (!rows || count == 0)
        return;

    iterator->top++;
    iterator->levels[iterator->top] = (md5_table_level){
        .schema = column->rows,
        .row = rows,
        .copy = copies,
        .left = count,
        .next = 0,
        .kind = md5_row_kind(column->rows, rows, owner->kind),
    };
}

// Moves a level of an iterator to the first column of the next row of its table.
static void next_row(md5_table_iterator *iterator, md5_table_level *level)
{
    const uint32_t owner_kind = iterator->top > 0 ? iterator->levels[iterator->top - 1].kind : 0;
    level->row += level->schema->size;
    if (level->copy)
        level->copy += level->schema->size;
    level->next = 0;
    level->kind = md5_row_kind(level->schema, level->row, owner_kind);
}

// Moves an iterator to the next column, in depth-first order: the rows of a table follow directly
// after its column. At the end of each row, iterator->column is NULL. Returns false after the last
// row.
bool md5i_next_column(md5_table_iterator *iterator)
{
    enter_rows(iterator, iterator->column, iterator->copies);
    iterator->column = NULL;
    iterator->copies = NULL;

    while (iterator->top >= 0) {
        md5_table_level *const level = &iterator->levels[iterator->top];
        const uint32_t num_columns = level->schema->num_columns;
        if (level->next <= num_columns) { // after the last column, `column` is NULL
            iterator->level = level;
            if (level->next < num_columns)
                iterator->column = &level->schema->columns[level->next];
            level->next++;
            return true;
        }

        // The row has ended: continue with the next row, or with the row that contains the table.
        level->left--;
        if (level->left == 0)
            iterator->top--;
        else
            next_row(iterator, level);
    }
    return false;
}

// Returns the kind and the name of the current row for error messages. If the row does not have a
// kind or name, uses the nearest row above it that has one.
md5_row_title md5i_row_title_at(const md5_table_iterator *iterator)
{
    md5_row_title title = {NULL, NULL};
    for (int i = iterator->top; i >= 0; i--) {
        const md5_table_level *const level = &iterator->levels[i];
        const md5_schema *const schema = level->schema;
        if (!title.kind)
            title.kind = schema->owner;
        if (!title.kind && schema->has_name)
            title.kind = schema->head;
        if (!title.name && schema->has_name) {
            const char *const name =
                *(const char *const *)(const void *)(level->row + schema->name);
            title.name = name ? name : "";
        }
    }
    return title;
}

// Replaces a count of 0 by the default value of its column.
static void fill_count(const md5_column *column, uint32_t *value)
{
    if (*value == 0)
        *value = (uint32_t)column->otherwise;
}

// Replaces a number of 0 by the default value of its column, and MD5_EXPLICIT_ZERO by 0. The
// default value of a length is a multiple of `unit`.
static void fill_float(const md5_column *column, float unit, float *value)
{
    if (*value == MD5_EXPLICIT_ZERO)
        *value = 0;
    else if (*value == 0)
        *value = column->is_length ? column->otherwise * unit : column->otherwise;
}

// Replaces the values of a row that select a default, usually 0, by this default. `unit` is the
// length of one of id's units in the units of the model.
void md5i_fill_defaults(const md5_schema *schema, void *row, float unit)
{
    for (uint32_t i = 0; i < schema->num_columns; i++) {
        const md5_column *const column = &schema->columns[i];
        void *const value = (char *)row + column->offset;
        if (!column->is_filled)
            continue;
        if (column->kind == MD5_COLUMN_COUNT)
            fill_count(column, (uint32_t *)value);
        else
            fill_float(column, unit, (float *)value);
    }
}

// == Locations ==================================================================================

// Returns the line and column of a member in the machine file. Returns 0:0 if the member was not
// read from the file. `member` is the address of the member.
md5_location md5i_find_location(const md5_locations *locations, const void *member)
{
    const uintptr_t address = (uintptr_t)member;
    for (const md5_located_table *table = locations ? locations->tables : NULL; table;
         table = table->next) {
        // If the member is before the rows, the difference wraps to a value above all sizes.
        const uintptr_t offset = address - (uintptr_t)table->rows;
        if (offset < table->size)
            return *md5_locations_at(table->rows, table->size, offset);
    }
    return (md5_location){0, 0};
}

// Frees the arena of an object. The object may be in the arena.
void md5i_free_memory(const md5_internal *internal)
{
    md5_context context;
    md5i_context_begin_memory(&context, internal->allocator, NULL);
    md5_arena arena = {.context = &context, .chunks = (struct md5_chunk *)internal->memory};
    md5i_arena_free_object(&arena);
}
