// Machine files: md5/play/machine_files.md has the grammar.
#include "md5/read/header.h"
#include "md5/play/text/machine_blocks.h"

// -- Masks and parameters -------------------------------------------------------------------

// Goes on to the bracket that closes the words of a mask.
static bool skip_joint_words(md5_lex *lex)
{
    for (;;) {
        md5_span word;
        md5i_lex_blanks(lex);
        if (lex->at < lex->end && *lex->at == ')')
            return true;
        TRY(md5i_lex_name(lex, &word, "joints of a mask or ')'"));
    }
}

// The bytes between two round brackets as they stand, so that places in them are places in the
// text, but with blanks for comments.
static bool read_joint_words(md5_lex *lex, md5_record record, const char **words)
{
    TRY(md5i_lex_expect(lex, '('));
    md5i_note_place(lex, record, words);
    const char *const start = lex->at;
    TRY(skip_joint_words(lex));
    const char *const end = lex->at;
    char *const text = (char *)md5i_arena_alloc(lex->arena, (size_t)(end - start) + 1, 1);
    TRY(text);
    for (const char *at = start; at < end; at++)
        text[at - start] = *at == '\n' || *at == '\r' ? *at : ' ';
    for (lex->at = start; md5i_lex_blanks(lex), lex->at < end;) {
        md5_span word;
        const char *const at = lex->at;
        TRY(md5i_lex_name(lex, &word, "a joint"));
        memcpy(text + (at - start), at, (size_t)(lex->at - at));
    }
    *words = text;
    return md5i_lex_expect(lex, ')');
}

static const md5_field MASK_FIELDS[] = {
    {"feather", MD5_FIELD_COUNT, AT(md5_mask_desc, feather)},
};

// mask NAME ( JOINTS ) [{ feather N }]
static bool read_mask(md5_lex *lex, const char *at, md5_record record)
{
    md5_machine_desc *const desc = &((md5_machine_file *)record.row)->desc;
    const md5_record added =
        md5i_append(lex, record, &desc->masks, &desc->num_masks, sizeof *desc->masks);
    md5_mask_desc *const mask = (md5_mask_desc *)added.row;
    (void)at;
    TRY(mask);
    TRY(md5i_read_name(lex, added, "the name of a mask", &mask->name));
    TRY(read_joint_words(lex, added, &mask->joints));
    return md5i_read_optional_fields(lex, WORDS("a mask", MASK_FIELDS, 0), added);
}

static bool read_placed_float(md5_lex *lex, md5_record record, float *value)
{
    md5i_note_place(lex, record, value);
    return md5_lex_float(lex, value);
}

// An easing without numbers needs no row of its own.
static bool read_ease(md5_lex *lex, md5_record record, md5_follow_desc *follow)
{
    TRY(read_placed_float(lex, record, &follow->duration));
    TRY(md5i_read_easing(lex, record, &follow->curve));
    if (follow->curve && follow->curve->easing < MD5_EASE_CUBIC_BEZIER) {
        follow->easing = follow->curve->easing;
        follow->curve = NULL;
    }
    return true;
}

// follow PARAMETER, then smooth RATE, spring STIFFNESS DAMPING or ease SECONDS [EASING]
static bool read_follow(md5_lex *lex, const char *at, md5_record record)
{
    (void)at;
    md5_machine_desc *const desc = &((md5_machine_file *)record.row)->desc;
    const md5_record added =
        md5i_append(lex, record, &desc->follows, &desc->num_follows, sizeof *desc->follows);
    md5_follow_desc *const follow = (md5_follow_desc *)added.row;
    TRY(follow);
    TRY(md5i_read_name(lex, added, "a parameter", &follow->parameter));
    if (md5i_take_keyword(lex, "smooth"))
        return read_placed_float(lex, added, &follow->rate);
    follow->kind = MD5_FOLLOW_SPRING;
    if (md5i_take_keyword(lex, "spring"))
        return read_placed_float(lex, added, &follow->stiffness)
               && read_placed_float(lex, added, &follow->damping);
    follow->kind = MD5_FOLLOW_EASE;
    if (md5i_take_keyword(lex, "ease"))
        return read_ease(lex, added, follow);
    md5_lex_space(lex);
    return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                         "expected 'smooth', 'spring' or 'ease', found %s",
                         md5i_lex_token(lex, lex->at).text);
}

// float NAME [VALUE], bool NAME [VALUE], trigger NAME [VALUE]
static bool read_parameter(md5_lex *lex, const char *at, md5_record record)
{
    md5_machine_desc *const desc = &((md5_machine_file *)record.row)->desc;
    const md5_record added = md5i_append(lex, record, &desc->parameters, &desc->num_parameters,
                                         sizeof *desc->parameters);
    md5_parameter_desc *const parameter = (md5_parameter_desc *)added.row;
    TRY(parameter);
    parameter->kind = *at == 'f'   ? MD5_PARAMETER_FLOAT
                      : *at == 'b' ? MD5_PARAMETER_BOOL
                                   : MD5_PARAMETER_TRIGGER;
    TRY(md5i_read_name(lex, added, "the name of a parameter", &parameter->name));
    md5i_lex_blanks(lex);
    const char *const next = lex->at;
    const md5_span word = md5i_lex_peek_word(lex);
    if (word.size == 0 || md5_span_is_name(word) || word.bytes != next)
        return true;
    return md5_lex_float(lex, &parameter->value);
}

// -- Motions --------------------------------------------------------------------------------

#define ITEM(member) AT(md5_motion_item, member)
static bool read_reference(md5_lex *lex, const char *at, md5_record record)
{
    md5_motion_item *const item = (md5_motion_item *)record.row;
    static const md5_field number = {"reference", MD5_FIELD_COUNT, ITEM(reference_frame)};
    TRY(md5i_read_name(lex, record, "the clip of a reference", &item->reference));
    return md5i_read_field(lex, &number, at, record);
}

#define IN_STACK ONLY(MD5_MOTION_STACK)
static const md5_field ITEM_FIELDS[] = {
    {"override", MD5_FIELD_CHOICE, ITEM(mode), .value = MD5_LAYER_OVERRIDE, IN_STACK},
    {"add", MD5_FIELD_CHOICE, ITEM(mode), .value = MD5_LAYER_ADD, IN_STACK},
    {"mask", MD5_FIELD_NAME, ITEM(mask), IN_STACK},
    {"weight", MD5_FIELD_SHARE, ITEM(weight), .other = offsetof(md5_motion_item, weight_parameter),
     IN_STACK, .curve = offsetof(md5_motion_item, weight_curve)},
    {"reference", MD5_FIELD_BLOCK, .read = read_reference, IN_STACK},
};

// item MOTION [X [Y]] [{ ... }]
static bool read_item(md5_lex *lex, const char *at, md5_record record)
{
    md5_motion_desc *const motion = (md5_motion_desc *)record.row;
    static const md5_field x = {"x", MD5_FIELD_FLOAT, ITEM(x)}, y = {"y", MD5_FIELD_FLOAT, ITEM(y)};
    const bool is_plane = motion->kind == MD5_MOTION_BLEND_2D;
    const md5_record added =
        md5i_append(lex, record, &motion->items, &motion->num_items, sizeof *motion->items);
    md5_motion_item *const item = (md5_motion_item *)added.row;
    TRY(item);
    item->weight = 1.0f;
    TRY(md5i_read_name(lex, added, "the motion of an item", &item->motion));
    if (is_plane || motion->kind == MD5_MOTION_BLEND_1D)
        TRY(md5i_read_field(lex, &x, at, added));
    if (is_plane)
        TRY(md5i_read_field(lex, &y, at, added));
    return md5i_read_optional_fields(lex, WORDS("an item", ITEM_FIELDS, motion->kind), added);
}

#define MOTION(member) AT(md5_motion_desc, member)
#define OF_CLIP ONLY(MD5_MOTION_CLIP)
#define OF_SPACE \
    .kinds = (1u << MD5_MOTION_BLEND_1D | 1u << MD5_MOTION_BLEND_2D | 1u << MD5_MOTION_BY_SPEED)
#define OF_ITEMS .kinds = (~(1u << MD5_MOTION_CLIP))
static const md5_field MOTION_FIELDS[] = {
    {"loop", MD5_FIELD_CHOICE, MOTION(mode), .value = MD5_PLAY_LOOP, OF_CLIP},
    {"once", MD5_FIELD_CHOICE, MOTION(mode), .value = MD5_PLAY_ONCE, OF_CLIP},
    {"ping_pong", MD5_FIELD_CHOICE, MOTION(mode), .value = MD5_PLAY_PING_PONG, OF_CLIP},
    {"start", MD5_FIELD_DOUBLE, MOTION(start), OF_CLIP},
    {"speed", MD5_FIELD_SHARE, MOTION(speed), .other = offsetof(md5_motion_desc, speed_parameter)},
    {"alone", MD5_FIELD_CHOICE, MOTION(sync), .value = MD5_SYNC_NONE, OF_SPACE},
    {"phase", MD5_FIELD_CHOICE, MOTION(sync), .value = MD5_SYNC_PHASE, OF_SPACE},
    {"markers", MD5_FIELD_CHOICE, MOTION(sync), .value = MD5_SYNC_MARKERS, OF_SPACE},
    {"item", MD5_FIELD_BLOCK, .read = read_item, OF_ITEMS},
};

// What follows the name says what kind of motion it is: clip CLIP, line X, by_speed X, plane X Y,
// stack.
static bool read_motion_kind(md5_lex *lex, md5_record record)
{
    md5_motion_desc *const motion = (md5_motion_desc *)record.row;
    if (md5i_take_keyword(lex, "clip")) {
        motion->kind = MD5_MOTION_CLIP;
        return md5i_read_name(lex, record, "the clip of a motion", &motion->clip);
    }
    if (md5i_take_keyword(lex, "line")) {
        motion->kind = MD5_MOTION_BLEND_1D;
        return md5i_read_name(lex, record, "a parameter", &motion->x_parameter);
    }
    if (md5i_take_keyword(lex, "by_speed")) {
        motion->kind = MD5_MOTION_BY_SPEED;
        return md5i_read_name(lex, record, "a parameter", &motion->x_parameter);
    }
    if (md5i_take_keyword(lex, "plane")) {
        motion->kind = MD5_MOTION_BLEND_2D;
        TRY(md5i_read_name(lex, record, "a parameter", &motion->x_parameter));
        return md5i_read_name(lex, record, "a parameter", &motion->y_parameter);
    }
    if (md5i_take_keyword(lex, "stack")) {
        motion->kind = MD5_MOTION_STACK;
        return true;
    }
    md5_lex_space(lex);
    return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                         "expected 'clip', 'line', 'by_speed', 'plane' or 'stack', found %s",
                         md5i_lex_token(lex, lex->at).text);
}

// motion NAME KIND [{ ... }]
static bool read_motion(md5_lex *lex, const char *at, md5_record record)
{
    md5_machine_desc *const desc = &((md5_machine_file *)record.row)->desc;
    const md5_record added =
        md5i_append(lex, record, &desc->motions, &desc->num_motions, sizeof *desc->motions);
    md5_motion_desc *const motion = (md5_motion_desc *)added.row;
    (void)at;
    TRY(motion);
    TRY(md5i_read_name(lex, added, "the name of a motion", &motion->name));
    TRY(read_motion_kind(lex, added));
    return md5i_read_optional_fields(lex, WORDS("a motion", MOTION_FIELDS, motion->kind), added);
}

// -- The file -------------------------------------------------------------------------------

#define REPORT(member) AT(md5_machine_file, desc.report.member)
static const md5_field REPORT_FIELDS[] = {
    {"enter", MD5_FIELD_FLAG, REPORT(enter)},
    {"leave", MD5_FIELD_FLAG, REPORT(leave)},
    {"transition_end", MD5_FIELD_FLAG, REPORT(transition_end)},
    {"clip_end", MD5_FIELD_FLAG, REPORT(clip_end)},
};

// report { KINDS }
static bool read_report(md5_lex *lex, const char *at, md5_record record)
{
    (void)at;
    return md5i_read_fields(lex, WORDS("a report", REPORT_FIELDS, 0), record);
}

static const md5_field MACHINE_FIELDS[] = {
    {"model", MD5_FIELD_NAME, AT(md5_machine_file, model_file)},
    {"report", MD5_FIELD_BLOCK, .read = read_report},
    {"float", MD5_FIELD_BLOCK, .read = read_parameter},
    {"bool", MD5_FIELD_BLOCK, .read = read_parameter},
    {"trigger", MD5_FIELD_BLOCK, .read = read_parameter},
    {"follow", MD5_FIELD_BLOCK, .read = read_follow},
    {"mask", MD5_FIELD_BLOCK, .read = read_mask},
    {"clip", MD5_FIELD_BLOCK, .read = md5i_read_clip_block},
    {"motion", MD5_FIELD_BLOCK, .read = read_motion},
    {"layer", MD5_FIELD_BLOCK, .read = md5i_read_layer_block},
    {"modifier", MD5_FIELD_BLOCK, .read = md5i_read_modifier_block},
    {"morph", MD5_FIELD_BLOCK, .read = md5i_read_morph_block},
};

// The file is a table of one row, so that its words have locations too.
static md5_record begin_file(md5_lex *lex, md5_arena *arena)
{
    const char *const name = arena->context->error->file;
    md5_locations *const places = (md5_locations *)md5i_arena_alloc(arena, 1, sizeof *places);
    unsigned char *const row =
        places ? md5i_add_located_table(arena, places, 1, sizeof(md5_machine_file)) : NULL;
    if (row)
        places->file = md5i_copy_text(lex, name, strlen(name));
    if (!row || !places->file)
        return (md5_record){0};
    *(md5_machine_file *)(void *)row =
        (md5_machine_file){.desc = {.locations = places}, .model_file = ""};
    return (md5_record){row, md5_locations_at(row, sizeof(md5_machine_file), 0), places, NULL};
}

static bool read_file(md5_lex *lex, md5_record record)
{
    md5_machine_file *const file = (md5_machine_file *)record.row;
    TRY(file);
    if (!md5_lex_take_word(lex, "machine"))
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected 'machine', found %s",
                             md5i_lex_token(lex, lex->at).text);
    TRY(md5i_read_name(lex, record, "the name of the machine", &file->desc.name));
    TRY(md5i_read_fields(lex, WORDS("a machine", MACHINE_FIELDS, 0), record));
    md5_lex_space(lex);
    if (lex->arena->context->error->status != MD5_OK) // a comment without an end
        return false;
    if (lex->at < lex->end)
        md5i_lex_warn(lex, lex->at, "text after the machine is ignored: found %s",
                      md5i_lex_token(lex, lex->at).text);
    file->desc.clips = file->clips;
    return true;
}

md5_machine_file *md5i_read_machine_file(md5_arena *arena, const char *text, size_t size)
{
    md5_lex lex;
    md5i_lex_begin(&lex, arena, text, size);
    const md5_record record = begin_file(&lex, arena);
    return read_file(&lex, record) ? (md5_machine_file *)record.row : NULL;
}
