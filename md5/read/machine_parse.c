// Machine files: md5/play/machine_files.md has the grammar.
#include "md5/read/fields.h"
#include "md5/read/header.h"
#include "md5/read/machine_file.h"

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof((table)[0])))
#define AT(type, member) .offset = offsetof(type, member)

// The source while they grow, in the order of md5_machine_desc, where they are const.
typedef struct machine_reader {
    md5_machine_desc *desc;
    const char *model_file;
    md5_clip_desc *clips;
    md5_mask_desc *masks;
    md5_parameter_desc *parameters;
    md5_motion_desc *motions;
    md5_layer_desc *layers;
    md5_modifier_desc *modifiers;
} machine_reader;

// -- Clips ----------------------------------------------------------------------------------

// A clip while its lists grow.
typedef struct clip_reader {
    md5_clip_desc desc;
    md5_event *events;
    uint32_t *markers;
} clip_reader;

// The rest of the line, without a comment and the white space at its ends.
static bool read_line(md5_lex *lex, const char **text)
{
    while (lex->at < lex->end && (*lex->at == ' ' || *lex->at == '\t'))
        lex->at++;
    const char *const start = lex->at;
    const char *end = start;
    for (; lex->at < lex->end && *lex->at != '\n' && *lex->at != '\r' && *lex->at != '}';
         lex->at++) {
        if (lex->end - lex->at > 1 && lex->at[0] == '/' && (lex->at[1] == '/' || lex->at[1] == '*'))
            break;
        if ((unsigned char)*lex->at > ' ')
            end = lex->at + 1;
    }
    *text = md5_copy_text(lex, start, (size_t)(end - start));
    return *text != NULL;
}

// frame N NAME [TEXT to the end of the line]
static bool read_event(md5_lex *lex, const char *at, void *object)
{
    clip_reader *const clip = object;
    md5_event *const event =
        md5_append(lex, &clip->events, &clip->desc.num_events, sizeof *clip->events);
    TRY(event);
    static const md5_field number = {.word = "frame", .kind = MD5_FIELD_FRAME};
    TRY(md5_read_field(lex, &number, at, &event->frame));
    TRY(md5_read_name(lex, "the name of an event", &event->name));
    return read_line(lex, &event->text);
}

// markers ( N N ... )
static bool read_markers(md5_lex *lex, const char *at, void *object)
{
    clip_reader *const clip = object;
    static const md5_field number = {.word = "marker", .kind = MD5_FIELD_FRAME};
    TRY(md5_lex_expect(lex, '('));
    while (!md5_lex_take(lex, ')')) {
        uint32_t *const marker =
            md5_append(lex, &clip->markers, &clip->desc.num_markers, sizeof *clip->markers);
        TRY(marker);
        TRY(md5_read_field(lex, &number, at, marker));
    }
    return true;
}

#define CLIP(member) AT(clip_reader, desc.member)
static const md5_field CLIP_FIELDS[] = {
    {"closed", MD5_FIELD_CHOICE, CLIP(period), .value = MD5_PERIOD_CLOSED},
    {"open", MD5_FIELD_CHOICE, CLIP(period), .value = MD5_PERIOD_OPEN},
    {"linear", MD5_FIELD_CHOICE, CLIP(interpolation), .value = MD5_INTERPOLATE_LINEAR},
    {"step", MD5_FIELD_CHOICE, CLIP(interpolation), .value = MD5_INTERPOLATE_STEP},
    {"cubic", MD5_FIELD_CHOICE, CLIP(interpolation), .value = MD5_INTERPOLATE_CUBIC},
    {"move", MD5_FIELD_CHOICE, CLIP(extract), .value = MD5_EXTRACT_MOVE},
    {"walk", MD5_FIELD_CHOICE, CLIP(extract), .value = MD5_EXTRACT_WALK},
    {"turn", MD5_FIELD_CHOICE, CLIP(extract), .value = MD5_EXTRACT_TURN},
    {"frame", MD5_FIELD_BLOCK, .read = read_event},
    {"markers", MD5_FIELD_BLOCK, .read = read_markers},
};

// clip NAME FILE [{ ... }]
static bool read_clip(md5_lex *lex, const char *at, void *object)
{
    machine_reader *const reader = object;
    (void)at;
    clip_reader clip = {0};
    TRY(md5_read_name(lex, "the name of a clip", &clip.desc.name));
    TRY(md5_read_name(lex, "the file of a clip", &clip.desc.file));
    TRY(md5_read_optional_fields(lex, "a clip", CLIP_FIELDS, COUNT(CLIP_FIELDS), &clip));
    clip.desc.events = clip.events;
    clip.desc.markers = clip.markers;
    md5_clip_desc *const added =
        md5_append(lex, &reader->clips, &reader->desc->num_clips, sizeof *added);
    TRY(added);
    *added = clip.desc;
    return true;
}

// -- Masks and parameters -------------------------------------------------------------------

// The bytes between two round brackets, as they stand.
static bool read_joint_words(md5_lex *lex, const char **words)
{
    TRY(md5_lex_expect(lex, '('));
    const char *const start = lex->at;
    while (!md5_lex_take(lex, ')')) {
        md5_span word;
        TRY(md5_lex_text(lex, &word, "joints of a mask or ')'"));
    }
    *words = md5_copy_text(lex, start, (size_t)(lex->at - 1 - start));
    return *words != NULL;
}

static const md5_field MASK_FIELDS[] = {
    {"feather", MD5_FIELD_COUNT, AT(md5_mask_desc, feather)},
};

// mask NAME ( JOINTS ) [{ feather N }]
static bool read_mask(md5_lex *lex, const char *at, void *object)
{
    machine_reader *const reader = object;
    (void)at;
    md5_mask_desc *const mask =
        md5_append(lex, &reader->masks, &reader->desc->num_masks, sizeof *mask);
    TRY(mask);
    TRY(md5_read_name(lex, "the name of a mask", &mask->name));
    TRY(read_joint_words(lex, &mask->joints));
    return md5_read_optional_fields(lex, "a mask", MASK_FIELDS, COUNT(MASK_FIELDS), mask);
}

// float NAME [VALUE], bool NAME [VALUE], trigger NAME
static bool read_parameter(md5_lex *lex, const char *at, void *object)
{
    machine_reader *const reader = object;
    md5_parameter_desc *const parameter =
        md5_append(lex, &reader->parameters, &reader->desc->num_parameters, sizeof *parameter);
    TRY(parameter);
    parameter->kind = *at == 'f'   ? MD5_PARAMETER_FLOAT
                      : *at == 'b' ? MD5_PARAMETER_BOOL
                                   : MD5_PARAMETER_TRIGGER;
    TRY(md5_read_name(lex, "the name of a parameter", &parameter->name));
    const md5_span next = md5_lex_peek_word(lex);
    if (next.size == 0 || md5_span_is_name(next))
        return true;
    return md5_lex_float(lex, &parameter->value);
}

// -- Motions --------------------------------------------------------------------------------

// A motion while its items grow.
typedef struct motion_reader {
    md5_motion_desc desc;
    md5_motion_item *items;
} motion_reader;

#define ITEM(member) AT(md5_motion_item, member)
static bool read_reference(md5_lex *lex, const char *at, void *object)
{
    md5_motion_item *const item = object;
    static const md5_field number = {.word = "reference", .kind = MD5_FIELD_FRAME};
    TRY(md5_read_name(lex, "the clip of a reference", &item->reference));
    return md5_read_field(lex, &number, at, &item->reference_frame);
}

static const md5_field ITEM_FIELDS[] = {
    {"override", MD5_FIELD_CHOICE, ITEM(mode), .value = MD5_LAYER_OVERRIDE},
    {"add", MD5_FIELD_CHOICE, ITEM(mode), .value = MD5_LAYER_ADD},
    {"mask", MD5_FIELD_NAME, ITEM(mask)},
    {"weight", MD5_FIELD_SHARE, ITEM(weight), .other = offsetof(md5_motion_item, weight_parameter)},
    {"reference", MD5_FIELD_BLOCK, .read = read_reference},
};

// item MOTION [X [Y]] [{ ... }]
static bool read_item(md5_lex *lex, const char *at, void *object)
{
    motion_reader *const motion = object;
    (void)at;
    md5_motion_item *const item =
        md5_append(lex, &motion->items, &motion->desc.num_items, sizeof *item);
    TRY(item);
    item->weight = 1.0f;
    TRY(md5_read_name(lex, "the motion of an item", &item->motion));
    if (motion->desc.kind == MD5_MOTION_BLEND_1D || motion->desc.kind == MD5_MOTION_BLEND_2D)
        TRY(md5_lex_float(lex, &item->x));
    if (motion->desc.kind == MD5_MOTION_BLEND_2D)
        TRY(md5_lex_float(lex, &item->y));
    return md5_read_optional_fields(lex, "an item", ITEM_FIELDS, COUNT(ITEM_FIELDS), item);
}

#define MOTION(member) AT(motion_reader, desc.member)
static const md5_field MOTION_FIELDS[] = {
    {"loop", MD5_FIELD_CHOICE, MOTION(mode), .value = MD5_PLAY_LOOP},
    {"once", MD5_FIELD_CHOICE, MOTION(mode), .value = MD5_PLAY_ONCE},
    {"ping_pong", MD5_FIELD_CHOICE, MOTION(mode), .value = MD5_PLAY_PING_PONG},
    {"start", MD5_FIELD_DOUBLE, MOTION(start)},
    {"speed", MD5_FIELD_SHARE, MOTION(speed),
     .other = offsetof(motion_reader, desc.speed_parameter)},
    {"alone", MD5_FIELD_CHOICE, MOTION(sync), .value = MD5_SYNC_NONE},
    {"phase", MD5_FIELD_CHOICE, MOTION(sync), .value = MD5_SYNC_PHASE},
    {"markers", MD5_FIELD_CHOICE, MOTION(sync), .value = MD5_SYNC_MARKERS},
    {"item", MD5_FIELD_BLOCK, .read = read_item},
};

// What follows the name says what kind of motion it is: clip CLIP, line X, plane X Y, stack.
static bool read_motion_kind(md5_lex *lex, md5_motion_desc *motion)
{
    if (md5_lex_take_word(lex, "clip")) {
        motion->kind = MD5_MOTION_CLIP;
        return md5_read_name(lex, "the clip of a motion", &motion->clip);
    }
    if (md5_lex_take_word(lex, "line")) {
        motion->kind = MD5_MOTION_BLEND_1D;
        return md5_read_name(lex, "a parameter", &motion->x_parameter);
    }
    if (md5_lex_take_word(lex, "plane")) {
        motion->kind = MD5_MOTION_BLEND_2D;
        TRY(md5_read_name(lex, "a parameter", &motion->x_parameter));
        return md5_read_name(lex, "a parameter", &motion->y_parameter);
    }
    if (md5_lex_take_word(lex, "stack")) {
        motion->kind = MD5_MOTION_STACK;
        return true;
    }
    return md5_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                        "expected 'clip', 'line', 'plane' or 'stack', found %s",
                        md5_lex_token(lex, lex->at).text);
}

// motion NAME KIND [{ ... }]
static bool read_motion(md5_lex *lex, const char *at, void *object)
{
    machine_reader *const reader = object;
    (void)at;
    motion_reader motion = {0};
    TRY(md5_read_name(lex, "the name of a motion", &motion.desc.name));
    TRY(read_motion_kind(lex, &motion.desc));
    TRY(md5_read_optional_fields(lex, "a motion", MOTION_FIELDS, COUNT(MOTION_FIELDS), &motion));
    motion.desc.items = motion.items;
    md5_motion_desc *const added =
        md5_append(lex, &reader->motions, &reader->desc->num_motions, sizeof *added);
    TRY(added);
    *added = motion.desc;
    return true;
}

// -- Transitions ----------------------------------------------------------------------------

// A transition while its conditions grow.
typedef struct transition_reader {
    md5_transition_desc desc;
    md5_condition *conditions;
} transition_reader;

static md5_compare take_comparison(md5_lex *lex)
{
    if (md5_lex_take_word(lex, "<="))
        return MD5_IS_AT_MOST;
    if (md5_lex_take_word(lex, ">="))
        return MD5_IS_AT_LEAST;
    if (md5_lex_take_word(lex, "<"))
        return MD5_IS_LESS;
    if (md5_lex_take_word(lex, ">"))
        return MD5_IS_GREATER;
    return MD5_IS_SET;
}

// when [not] PARAMETER [< > <= >= VALUE] [and ...]
static bool read_conditions(md5_lex *lex, const char *at, void *object)
{
    transition_reader *const transition = object;
    (void)at;
    do {
        md5_condition *const condition = md5_append(
            lex, &transition->conditions, &transition->desc.num_conditions, sizeof *condition);
        TRY(condition);
        const bool is_clear = md5_lex_take_word(lex, "not");
        TRY(md5_read_name(lex, "a parameter", &condition->parameter));
        condition->compare = is_clear ? MD5_IS_CLEAR : take_comparison(lex);
        if (condition->compare >= MD5_IS_LESS)
            TRY(md5_lex_float(lex, &condition->value));
    } while (md5_lex_take_word(lex, "and"));
    return true;
}

// exit TIME: waits for it.
static bool read_exit(md5_lex *lex, const char *at, void *object)
{
    transition_reader *const transition = object;
    (void)at;
    transition->desc.waits = true;
    return md5_lex_float(lex, &transition->desc.exit);
}

#define TRANSITION(member) AT(transition_reader, desc.member)
static const md5_field TRANSITION_FIELDS[] = {
    {"when", MD5_FIELD_BLOCK, .read = read_conditions},
    {"exit", MD5_FIELD_BLOCK, .read = read_exit},
    {"duration", MD5_FIELD_FLOAT, TRANSITION(duration)},
    {"cross", MD5_FIELD_CHOICE, TRANSITION(fade), .value = MD5_FADE_CROSS},
    {"inertial", MD5_FIELD_CHOICE, TRANSITION(fade), .value = MD5_FADE_INERTIAL},
    {"keep_phase", MD5_FIELD_FLAG, TRANSITION(keeps_phase)},
    {"start", MD5_FIELD_FLOAT, TRANSITION(start)},
    {"priority", MD5_FIELD_INT, TRANSITION(priority)},
    {"interrupt_any", MD5_FIELD_CHOICE, TRANSITION(interrupt), .value = MD5_INTERRUPT_ANY},
    {"interrupt_higher", MD5_FIELD_CHOICE, TRANSITION(interrupt), .value = MD5_INTERRUPT_HIGHER},
    {"interrupt_none", MD5_FIELD_CHOICE, TRANSITION(interrupt), .value = MD5_INTERRUPT_NONE},
    {"linear", MD5_FIELD_CHOICE, TRANSITION(easing), .value = MD5_EASE_LINEAR},
    {"smooth", MD5_FIELD_CHOICE, TRANSITION(easing), .value = MD5_EASE_SMOOTH},
    {"quadratic_in", MD5_FIELD_CHOICE, TRANSITION(easing), .value = MD5_EASE_QUADRATIC_IN},
    {"quadratic_out", MD5_FIELD_CHOICE, TRANSITION(easing), .value = MD5_EASE_QUADRATIC_OUT},
    {"quadratic_in_out", MD5_FIELD_CHOICE, TRANSITION(easing), .value = MD5_EASE_QUADRATIC_IN_OUT},
    {"cubic_in", MD5_FIELD_CHOICE, TRANSITION(easing), .value = MD5_EASE_CUBIC_IN},
    {"cubic_out", MD5_FIELD_CHOICE, TRANSITION(easing), .value = MD5_EASE_CUBIC_OUT},
    {"cubic_in_out", MD5_FIELD_CHOICE, TRANSITION(easing), .value = MD5_EASE_CUBIC_IN_OUT},
    {"exponential_in", MD5_FIELD_CHOICE, TRANSITION(easing), .value = MD5_EASE_EXPONENTIAL_IN},
    {"exponential_out", MD5_FIELD_CHOICE, TRANSITION(easing), .value = MD5_EASE_EXPONENTIAL_OUT},
    {"sine_in_out", MD5_FIELD_CHOICE, TRANSITION(easing), .value = MD5_EASE_SINE_IN_OUT},
};

// -- Layers ---------------------------------------------------------------------------------

// A layer while its lists grow.
typedef struct layer_reader {
    md5_layer_desc desc;
    md5_state_desc *states;
    md5_transition_desc *transitions;
} layer_reader;

// transition FROM TO [{ ... }], FROM being `any` for every state
static bool read_transition(md5_lex *lex, const char *at, void *object)
{
    layer_reader *const layer = object;
    (void)at;
    transition_reader transition = {0};
    if (!md5_lex_take_word(lex, "any"))
        TRY(md5_read_name(lex, "a state or 'any'", &transition.desc.from));
    TRY(md5_read_name(lex, "a state", &transition.desc.to));
    TRY(md5_read_optional_fields(lex, "a transition", TRANSITION_FIELDS, COUNT(TRANSITION_FIELDS),
                                 &transition));
    transition.desc.conditions = transition.conditions;
    md5_transition_desc *const added =
        md5_append(lex, &layer->transitions, &layer->desc.num_transitions, sizeof *added);
    TRY(added);
    *added = transition.desc;
    return true;
}

// state NAME MOTION, MOTION being `nothing` for none
static bool read_state(md5_lex *lex, const char *at, void *object)
{
    layer_reader *const layer = object;
    (void)at;
    md5_state_desc *const state =
        md5_append(lex, &layer->states, &layer->desc.num_states, sizeof *state);
    TRY(state);
    TRY(md5_read_name(lex, "the name of a state", &state->name));
    if (md5_lex_take_word(lex, "nothing"))
        return true;
    return md5_read_name(lex, "a motion or 'nothing'", &state->motion);
}

static bool read_layer_reference(md5_lex *lex, const char *at, void *object)
{
    layer_reader *const layer = object;
    static const md5_field number = {.word = "reference", .kind = MD5_FIELD_FRAME};
    TRY(md5_read_name(lex, "the clip of a reference", &layer->desc.reference));
    return md5_read_field(lex, &number, at, &layer->desc.reference_frame);
}

#define LAYER(member) AT(layer_reader, desc.member)
static const md5_field LAYER_FIELDS[] = {
    {"override", MD5_FIELD_CHOICE, LAYER(mode), .value = MD5_LAYER_OVERRIDE},
    {"add", MD5_FIELD_CHOICE, LAYER(mode), .value = MD5_LAYER_ADD},
    {"reference", MD5_FIELD_BLOCK, .read = read_layer_reference},
    {"mask", MD5_FIELD_NAME, LAYER(mask)},
    {"weight", MD5_FIELD_SHARE, LAYER(weight),
     .other = offsetof(layer_reader, desc.weight_parameter)},
    {"state", MD5_FIELD_BLOCK, .read = read_state},
    {"transition", MD5_FIELD_BLOCK, .read = read_transition},
};

// layer NAME { ... }
static bool read_layer(md5_lex *lex, const char *at, void *object)
{
    machine_reader *const reader = object;
    (void)at;
    layer_reader layer = {0};
    TRY(md5_read_name(lex, "the name of a layer", &layer.desc.name));
    TRY(md5_read_fields(lex, "a layer", LAYER_FIELDS, COUNT(LAYER_FIELDS), &layer));
    layer.desc.states = layer.states;
    layer.desc.transitions = layer.transitions;
    md5_layer_desc *const added =
        md5_append(lex, &reader->layers, &reader->desc->num_layers, sizeof *added);
    TRY(added);
    *added = layer.desc;
    return true;
}

// -- Modifiers ------------------------------------------------------------------------------

#define MODIFIER(member) AT(md5_modifier_desc, member)
static const md5_field MODIFIER_FIELDS[] = {
    {"length", MD5_FIELD_COUNT, MODIFIER(length)},
    {"local", MD5_FIELD_CHOICE, MODIFIER(space), .value = MD5_JOINT_LOCAL},
    {"local_override", MD5_FIELD_CHOICE, MODIFIER(space), .value = MD5_JOINT_LOCAL_OVERRIDE},
    {"model", MD5_FIELD_CHOICE, MODIFIER(space), .value = MD5_JOINT_MODEL},
    {"model_override", MD5_FIELD_CHOICE, MODIFIER(space), .value = MD5_JOINT_MODEL_OVERRIDE},
    {"forward", MD5_FIELD_VECTOR, MODIFIER(forward)},
    {"up", MD5_FIELD_VECTOR, MODIFIER(up)},
    {"limit", MD5_FIELD_FLOAT, MODIFIER(limit)},
    {"soften", MD5_FIELD_FLOAT, MODIFIER(soften)},
    {"stretch", MD5_FIELD_FLOAT, MODIFIER(stretch)},
    {"stiffness", MD5_FIELD_FLOAT, MODIFIER(stiffness)},
    {"damping", MD5_FIELD_FLOAT, MODIFIER(damping)},
    {"gravity", MD5_FIELD_FLOAT, MODIFIER(gravity)},
};

static bool read_modifier_kind(md5_lex *lex, md5_modifier_kind *kind)
{
    static const char *const words[] = {
        [MD5_MODIFIER_JOINT] = "joint",       [MD5_MODIFIER_AIM] = "aim",
        [MD5_MODIFIER_TWO_BONE] = "two_bone", [MD5_MODIFIER_FABRIK] = "fabrik",
        [MD5_MODIFIER_CCD] = "ccd",           [MD5_MODIFIER_SPRING] = "spring",
    };
    for (uint32_t i = 0; i < COUNT(words); i++) {
        if (md5_lex_take_word(lex, words[i])) {
            *kind = (md5_modifier_kind)i;
            return true;
        }
    }
    return md5_lex_fail(
        lex, lex->at, MD5_ERROR_SYNTAX,
        "expected 'joint', 'aim', 'two_bone', 'fabrik', 'ccd' or 'spring', found %s",
        md5_lex_token(lex, lex->at).text);
}

// modifier NAME KIND JOINT [{ ... }]
static bool read_modifier(md5_lex *lex, const char *at, void *object)
{
    machine_reader *const reader = object;
    (void)at;
    md5_modifier_desc *const modifier =
        md5_append(lex, &reader->modifiers, &reader->desc->num_modifiers, sizeof *modifier);
    TRY(modifier);
    TRY(md5_read_name(lex, "the name of a modifier", &modifier->name));
    TRY(read_modifier_kind(lex, &modifier->kind));
    TRY(md5_read_name(lex, "a joint", &modifier->joint));
    return md5_read_optional_fields(lex, "a modifier", MODIFIER_FIELDS, COUNT(MODIFIER_FIELDS),
                                    modifier);
}

// -- The file -------------------------------------------------------------------------------

static const md5_field MACHINE_FIELDS[] = {
    {"model", MD5_FIELD_NAME, AT(machine_reader, model_file)},
    {"float", MD5_FIELD_BLOCK, .read = read_parameter},
    {"bool", MD5_FIELD_BLOCK, .read = read_parameter},
    {"trigger", MD5_FIELD_BLOCK, .read = read_parameter},
    {"mask", MD5_FIELD_BLOCK, .read = read_mask},
    {"clip", MD5_FIELD_BLOCK, .read = read_clip},
    {"motion", MD5_FIELD_BLOCK, .read = read_motion},
    {"layer", MD5_FIELD_BLOCK, .read = read_layer},
    {"modifier", MD5_FIELD_BLOCK, .read = read_modifier},
};

bool md5_read_machine_file(md5_arena *arena, const char *text, size_t size,
                           md5_machine_source *source)
{
    *source = (md5_machine_source){.model_file = ""};
    machine_reader reader = {.desc = &source->desc, .model_file = ""};
    md5_lex lex;
    md5_lex_begin(&lex, arena, text, size);
    if (!md5_lex_take_word(&lex, "machine"))
        return md5_lex_fail(&lex, lex.at, MD5_ERROR_SYNTAX, "expected 'machine', found %s",
                            md5_lex_token(&lex, lex.at).text);
    TRY(md5_read_name(&lex, "the name of the machine", &source->desc.name));
    TRY(md5_read_fields(&lex, "a machine", MACHINE_FIELDS, COUNT(MACHINE_FIELDS), &reader));
    md5_lex_space(&lex);
    if (arena->context->error->status != MD5_OK) // a comment without an end
        return false;
    if (lex.at < lex.end)
        md5_lex_warn(&lex, lex.at, "text behind the machine is not read: found %s",
                     md5_lex_token(&lex, lex.at).text);
    source->model_file = reader.model_file;
    source->clips = reader.clips;
    source->desc.clips = reader.clips;
    source->desc.masks = reader.masks;
    source->desc.parameters = reader.parameters;
    source->desc.motions = reader.motions;
    source->desc.layers = reader.layers;
    source->desc.modifiers = reader.modifiers;
    return true;
}
