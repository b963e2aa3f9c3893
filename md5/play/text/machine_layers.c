// Layers of a machine file: their states, and the transitions between these.
#include "md5/play/text/machine_blocks.h"

// -- Transitions ----------------------------------------------------------------------------

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
static bool read_conditions(md5_lex *lex, const char *at, md5_record record)
{
    md5_transition_desc *const transition = (md5_transition_desc *)record.row;
    (void)at;
    do {
        const md5_record added =
            md5i_append(lex, record, &transition->conditions, &transition->num_conditions,
                        sizeof *transition->conditions);
        md5_condition *const condition = (md5_condition *)added.row;
        TRY(condition);
        const bool is_clear = md5i_take_keyword(lex, "not");
        TRY(md5i_read_name(lex, added, "a parameter", &condition->parameter));
        condition->compare = is_clear ? MD5_IS_CLEAR : take_comparison(lex);
        if (condition->compare >= MD5_IS_LESS)
            TRY(md5_lex_float(lex, &condition->value));
    } while (md5_lex_take_word(lex, "and"));
    return true;
}

// exit TIME: waits for it.
static bool read_exit(md5_lex *lex, const char *at, md5_record record)
{
    md5_transition_desc *const transition = (md5_transition_desc *)record.row;
    (void)at;
    transition->waits = true;
    md5i_lex_blanks(lex);
    md5i_note_place(lex, record, &transition->exit);
    return md5_lex_float(lex, &transition->exit);
}

// cubic_bezier X1 Y1 X2 Y2
static bool read_bezier(md5_lex *lex, const char *at, md5_record record)
{
    md5_transition_desc *const transition = (md5_transition_desc *)record.row;
    (void)at;
    transition->easing = MD5_EASE_CUBIC_BEZIER;
    return md5i_read_bezier(lex, record, &transition->curve);
}

// steps N [jump_start, jump_none or jump_both]
static bool read_steps(md5_lex *lex, const char *at, md5_record record)
{
    md5_transition_desc *const transition = (md5_transition_desc *)record.row;
    (void)at;
    transition->easing = MD5_EASE_STEPS;
    return md5i_read_steps(lex, record, &transition->curve);
}

#define TRANSITION(member) AT(md5_transition_desc, member)
#define EASING(word, kind)                                          \
    {                                                               \
        word, MD5_FIELD_CHOICE, TRANSITION(easing), .value = (kind) \
    }
static const md5_field TRANSITION_FIELDS[] = {
    {"when", MD5_FIELD_BLOCK, .read = read_conditions},
    {"exit", MD5_FIELD_BLOCK, .read = read_exit},
    {"cubic_bezier", MD5_FIELD_BLOCK, .read = read_bezier},
    {"steps", MD5_FIELD_BLOCK, .read = read_steps},
    {"duration", MD5_FIELD_FLOAT, TRANSITION(duration)},
    {"cross", MD5_FIELD_CHOICE, TRANSITION(fade), .value = MD5_FADE_CROSS},
    {"inertial", MD5_FIELD_CHOICE, TRANSITION(fade), .value = MD5_FADE_INERTIAL},
    {"keep_phase", MD5_FIELD_FLAG, TRANSITION(keeps_phase)},
    {"start", MD5_FIELD_FLOAT, TRANSITION(start)},
    {"priority", MD5_FIELD_INT, TRANSITION(priority)},
    {"interrupt_any", MD5_FIELD_CHOICE, TRANSITION(interrupt), .value = MD5_INTERRUPT_ANY},
    {"interrupt_higher", MD5_FIELD_CHOICE, TRANSITION(interrupt), .value = MD5_INTERRUPT_HIGHER},
    {"interrupt_none", MD5_FIELD_CHOICE, TRANSITION(interrupt), .value = MD5_INTERRUPT_NONE},
    EASING("linear", MD5_EASE_LINEAR),
    EASING("smooth", MD5_EASE_SMOOTH),
    EASING("quadratic_in", MD5_EASE_QUADRATIC_IN),
    EASING("quadratic_out", MD5_EASE_QUADRATIC_OUT),
    EASING("quadratic_in_out", MD5_EASE_QUADRATIC_IN_OUT),
    EASING("cubic_in", MD5_EASE_CUBIC_IN),
    EASING("cubic_out", MD5_EASE_CUBIC_OUT),
    EASING("cubic_in_out", MD5_EASE_CUBIC_IN_OUT),
    EASING("exponential_in", MD5_EASE_EXPONENTIAL_IN),
    EASING("exponential_out", MD5_EASE_EXPONENTIAL_OUT),
    EASING("sine_in_out", MD5_EASE_SINE_IN_OUT),
    EASING("square_root", MD5_EASE_SQUARE_ROOT),
    EASING("quartic_in", MD5_EASE_QUARTIC_IN),
    EASING("quartic_out", MD5_EASE_QUARTIC_OUT),
    EASING("quartic_in_out", MD5_EASE_QUARTIC_IN_OUT),
    EASING("quintic_in", MD5_EASE_QUINTIC_IN),
    EASING("quintic_out", MD5_EASE_QUINTIC_OUT),
    EASING("quintic_in_out", MD5_EASE_QUINTIC_IN_OUT),
    EASING("exponential_in_out", MD5_EASE_EXPONENTIAL_IN_OUT),
    EASING("sine_in", MD5_EASE_SINE_IN),
    EASING("sine_out", MD5_EASE_SINE_OUT),
    EASING("circular_in", MD5_EASE_CIRCULAR_IN),
    EASING("circular_out", MD5_EASE_CIRCULAR_OUT),
    EASING("circular_in_out", MD5_EASE_CIRCULAR_IN_OUT),
    EASING("back_in", MD5_EASE_BACK_IN),
    EASING("back_out", MD5_EASE_BACK_OUT),
    EASING("back_in_out", MD5_EASE_BACK_IN_OUT),
    EASING("elastic_in", MD5_EASE_ELASTIC_IN),
    EASING("elastic_out", MD5_EASE_ELASTIC_OUT),
    EASING("elastic_in_out", MD5_EASE_ELASTIC_IN_OUT),
    EASING("bounce_in", MD5_EASE_BOUNCE_IN),
    EASING("bounce_out", MD5_EASE_BOUNCE_OUT),
    EASING("bounce_in_out", MD5_EASE_BOUNCE_IN_OUT),
};

// -- Layers ---------------------------------------------------------------------------------

// transition FROM TO [{ ... }], FROM being `any` for every state
static bool read_transition(md5_lex *lex, const char *at, md5_record record)
{
    md5_layer_desc *const layer = (md5_layer_desc *)record.row;
    const md5_record added = md5i_append(lex, record, &layer->transitions, &layer->num_transitions,
                                         sizeof *layer->transitions);
    md5_transition_desc *const transition = (md5_transition_desc *)added.row;
    (void)at;
    TRY(transition);
    if (!md5i_take_keyword(lex, "any"))
        TRY(md5i_read_name(lex, added, "a state or 'any'", &transition->from));
    TRY(md5i_read_name(lex, added, "a state", &transition->to));
    return md5i_read_optional_fields(lex, WORDS("a transition", TRANSITION_FIELDS, 0), added);
}

// state NAME MOTION, or `nothing` for none
static bool read_state(md5_lex *lex, const char *at, md5_record record)
{
    md5_layer_desc *const layer = (md5_layer_desc *)record.row;
    const md5_record added =
        md5i_append(lex, record, &layer->states, &layer->num_states, sizeof *layer->states);
    md5_state_desc *const state = (md5_state_desc *)added.row;
    (void)at;
    TRY(state);
    TRY(md5i_read_name(lex, added, "the name of a state", &state->name));
    if (md5i_take_keyword(lex, "nothing"))
        return true;
    return md5i_read_name(lex, added, "a motion or 'nothing'", &state->motion);
}

#define LAYER(member) AT(md5_layer_desc, member)
static bool read_layer_reference(md5_lex *lex, const char *at, md5_record record)
{
    md5_layer_desc *const layer = (md5_layer_desc *)record.row;
    static const md5_field number = {"reference", MD5_FIELD_COUNT, LAYER(reference_frame)};
    TRY(md5i_read_name(lex, record, "the clip of a reference", &layer->reference));
    return md5i_read_field(lex, &number, at, record);
}

static const md5_field LAYER_FIELDS[] = {
    {"override", MD5_FIELD_CHOICE, LAYER(mode), .value = MD5_LAYER_OVERRIDE},
    {"add", MD5_FIELD_CHOICE, LAYER(mode), .value = MD5_LAYER_ADD},
    {"reference", MD5_FIELD_BLOCK, .read = read_layer_reference},
    {"mask", MD5_FIELD_NAME, LAYER(mask)},
    {"weight", MD5_FIELD_SHARE, LAYER(weight), .other = offsetof(md5_layer_desc, weight_parameter),
     .curve = offsetof(md5_layer_desc, weight_curve)},
    {"state", MD5_FIELD_BLOCK, .read = read_state},
    {"transition", MD5_FIELD_BLOCK, .read = read_transition},
};

// layer NAME { ... }
bool md5i_read_layer_block(md5_lex *lex, const char *at, md5_record record)
{
    md5_machine_desc *const desc = &((md5_machine_file *)record.row)->desc;
    const md5_record added =
        md5i_append(lex, record, &desc->layers, &desc->num_layers, sizeof *desc->layers);
    md5_layer_desc *const layer = (md5_layer_desc *)added.row;
    (void)at;
    TRY(layer);
    TRY(md5i_read_name(lex, added, "the name of a layer", &layer->name));
    return md5i_read_fields(lex, WORDS("a layer", LAYER_FIELDS, 0), added);
}
