#include "md5/play/text/fields.h"

#include "md5/read/header.h"

enum { MOST_FIELDS = 64 };

const char *md5i_copy_text(md5_lex *lex, const char *bytes, size_t size)
{
    char *const text = (char *)md5i_arena_alloc(lex->arena, size + 1, 1);
    if (text && size > 0)
        memcpy(text, bytes, size);
    return text;
}

// -- Tables ---------------------------------------------------------------------------------

// A table doubles when it is full: when its count is a power of two.
md5_record md5i_append(md5_lex *lex, md5_record owner, void *rows, uint32_t *count, size_t size)
{
    const uint32_t number = *count;
    const size_t used = number * size;
    size_t capacity = 1;
    while (capacity <= number)
        capacity *= 2;
    unsigned char *bytes;
    memcpy(&bytes, rows, sizeof bytes);
    if ((number & (number - 1)) == 0) {
        unsigned char *const grown = md5i_add_located_table(lex->arena, owner.text, capacity, size);
        if (!grown)
            return (md5_record){0};
        if (number > 0) {
            memcpy(grown, bytes, used);
            memcpy(md5_locations_at(grown, capacity * size, 0), md5_locations_at(bytes, used, 0),
                   used / MD5_LOCATION_UNIT * sizeof(md5_location));
        }
        bytes = grown;
        memcpy(rows, &bytes, sizeof bytes);
    }
    (*count)++;
    return (md5_record){bytes + used, md5_locations_at(bytes, capacity * size, used), owner.text,
                        NULL};
}

// `at` is where a token begins.
static void note_place(md5_lex *lex, md5_record record, const void *member, const char *at)
{
    const size_t offset = (size_t)((const char *)member - (const char *)record.row);
    md5_location *const place = &record.places[offset / MD5_LOCATION_UNIT];
    md5i_lex_place(lex, at, &place->line, &place->column);
}

void md5i_note_place(md5_lex *lex, md5_record record, const void *member)
{
    note_place(lex, record, member, lex->at);
}

// -- Names ----------------------------------------------------------------------------------

bool md5i_read_name(md5_lex *lex, md5_record record, const char *what, const char **member)
{
    md5_span span;
    md5i_lex_blanks(lex);
    md5i_note_place(lex, record, member);
    TRY(md5i_lex_name(lex, &span, what));
    *member = md5i_copy_text(lex, span.bytes, span.size);
    return *member != NULL;
}

bool md5i_take_keyword(md5_lex *lex, const char *word)
{
    const char *const start = lex->at;
    if (md5_lex_take_word(lex, word) && (lex->at == lex->end || (unsigned char)*lex->at < 0x80))
        return true;
    lex->at = start;
    return false;
}

// -- Values ---------------------------------------------------------------------------------

static bool read_int(md5_lex *lex, const char *word, int32_t *value)
{
    int64_t number;
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5_lex_int(lex, &number));
    if (number < INT32_MIN || number > INT32_MAX)
        return md5i_lex_fail(lex, at, MD5_ERROR_RANGE, "%s %lld is out of range", word,
                             (long long)number);
    *value = (int32_t)number;
    return true;
}

// 0 in a struct means the default; a text leaves the keyword out instead.
static bool read_number(md5_lex *lex, const char *word, uint32_t *number)
{
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5i_read_uint(lex, word, number));
    return *number > 0 || md5i_lex_fail(lex, at, MD5_ERROR_RANGE, "%s 0: expected 1 or more", word);
}

static bool read_defaulted(md5_lex *lex, float *value)
{
    TRY(md5_lex_float(lex, value));
    if (*value == 0.0f)
        *value = MD5_ZERO;
    return true;
}

static bool read_direction(md5_lex *lex, const char *word, md5_vec3 *value)
{
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5_lex_vec3(lex, value));
    if (value->x != 0.0f || value->y != 0.0f || value->z != 0.0f)
        return true;
    return md5i_lex_fail(lex, at, MD5_ERROR_RANGE, "%s ( 0 0 0 ) is not a direction", word);
}

// -- Easings --------------------------------------------------------------------------------

bool md5i_read_bezier(md5_lex *lex, md5_record record, md5_easing_curve *curve)
{
    float *const numbers[4] = {&curve->x1, &curve->y1, &curve->x2, &curve->y2};
    for (int i = 0; i < 4; i++) {
        md5i_lex_blanks(lex);
        md5i_note_place(lex, record, numbers[i]);
        TRY(md5_lex_float(lex, numbers[i]));
    }
    return true;
}

bool md5i_read_steps(md5_lex *lex, md5_record record, md5_easing_curve *curve)
{
    md5i_lex_blanks(lex);
    md5i_note_place(lex, record, &curve->steps);
    TRY(md5i_read_uint(lex, "steps", &curve->steps));
    curve->jump = md5i_take_keyword(lex, "jump_start")  ? MD5_JUMP_START
                  : md5i_take_keyword(lex, "jump_none") ? MD5_JUMP_NONE
                  : md5i_take_keyword(lex, "jump_both") ? MD5_JUMP_BOTH
                                                        : MD5_JUMP_END;
    return true;
}

static bool take_easing(md5_lex *lex, md5_easing *easing)
{
    for (int i = 0; i <= MD5_EASE_STEPS; i++) {
        *easing = (md5_easing)i;
        if (md5i_take_keyword(lex, md5_easing_name(*easing)))
            return true;
    }
    return false;
}

bool md5i_read_easing(md5_lex *lex, md5_record record, const md5_easing_curve **curve)
{
    md5_easing easing;
    uint32_t count = 0;
    *curve = NULL;
    if (!take_easing(lex, &easing))
        return true;
    const md5_record added = md5i_append(lex, record, curve, &count, sizeof **curve);
    md5_easing_curve *const row = (md5_easing_curve *)added.row;
    TRY(row);
    row->easing = easing;
    if (easing == MD5_EASE_CUBIC_BEZIER)
        return md5i_read_bezier(lex, added, row);
    return easing != MD5_EASE_STEPS || md5i_read_steps(lex, added, row);
}

// A number or the name of a parameter. The last one is used: it clears the other form.
static bool read_share(md5_lex *lex, const md5_field *field, md5_record record)
{
    float *const value = (float *)(void *)((unsigned char *)record.row + field->offset);
    const char **const name = (const char **)(void *)((unsigned char *)record.row + field->other);
    const char *const start = lex->at;
    md5i_lex_blanks(lex);
    const char first = lex->at < lex->end ? *lex->at : '0';
    const bool is_name = first == '"' || first == '\'' || (unsigned char)first >= 0x80
                         || md5_span_is_name(md5i_lex_peek_word(lex));
    const md5_easing_curve **const curve =
        (const md5_easing_curve **)(void *)((unsigned char *)record.row + field->curve);
    lex->at = start;
    if (is_name) {
        *value = 0.0f;
        TRY(md5i_read_name(lex, record, field->word, name));
        return field->curve == 0 || md5i_read_easing(lex, record, curve);
    }
    *name = NULL;
    if (field->curve > 0)
        *curve = NULL;
    md5i_lex_blanks(lex);
    md5i_note_place(lex, record, value);
    return read_defaulted(lex, value);
}

// Reads a value that has a token, and so a location, of its own.
static bool read_value(md5_lex *lex, const md5_field *field, void *value)
{
    switch (field->kind) {
    case MD5_FIELD_FLOAT:
        return md5_lex_float(lex, (float *)value);
    case MD5_FIELD_DEFAULTED:
        return read_defaulted(lex, (float *)value);
    case MD5_FIELD_DOUBLE:
        return md5i_lex_double(lex, (double *)value);
    case MD5_FIELD_COUNT:
        return md5i_read_uint(lex, field->word, (uint32_t *)value);
    case MD5_FIELD_NUMBER:
        return read_number(lex, field->word, (uint32_t *)value);
    case MD5_FIELD_INT:
        return read_int(lex, field->word, (int32_t *)value);
    default: // MD5_FIELD_DIRECTION
        return read_direction(lex, field->word, (md5_vec3 *)value);
    }
}

bool md5i_read_field(md5_lex *lex, const md5_field *field, const char *at, md5_record record)
{
    if (field->of_owner)
        record = *record.owner;
    unsigned char *const value = (unsigned char *)record.row + field->offset;
    switch (field->kind) {
    case MD5_FIELD_NAME:
        return md5i_read_name(lex, record, field->word, (const char **)(void *)value);
    case MD5_FIELD_CHOICE:
        note_place(lex, record, value, at);
        memcpy(value, &field->value, sizeof field->value);
        return true;
    case MD5_FIELD_FLAG:
        *(bool *)value = true;
        return true;
    case MD5_FIELD_SHARE:
        return read_share(lex, field, record);
    case MD5_FIELD_BLOCK:
        return field->read(lex, at, record);
    default:
        md5i_lex_blanks(lex);
        md5i_note_place(lex, record, value);
        return read_value(lex, field, value);
    }
}

// -- Blocks ---------------------------------------------------------------------------------

const md5_field *md5i_find_field(const md5_block_words *words, md5_span word)
{
    for (uint32_t i = 0; i < words->num_fields; i++) {
        if (md5_span_is(word, words->fields[i].word))
            return &words->fields[i];
    }
    return NULL;
}

static bool fail_unknown(md5_lex *lex, const char *what, const char *at)
{
    return md5i_lex_fail(lex, at, MD5_ERROR_SYNTAX, "expected a word of %s or '}', found %s", what,
                         md5i_lex_token(lex, at).text);
}

bool md5i_read_fields(md5_lex *lex, const md5_block_words *words, md5_record record)
{
    uint64_t seen = 0;
    TRY(md5i_lex_expect(lex, '{'));
    while (!md5i_lex_take(lex, '}')) {
        const char *const at = lex->at;
        const md5_span word = md5i_lex_peek_word(lex);
        const md5_field *const field = md5i_find_field(words, word);
        if (!field)
            return fail_unknown(lex, words->what, at);
        const uint64_t bit = (uint64_t)1 << (field - words->fields) % MOST_FIELDS;
        if ((seen & bit) && field->kind != MD5_FIELD_BLOCK)
            md5i_lex_warn(lex, at, "'%s' appears a second time: the last is used", field->word);
        seen |= bit;
        if (field->kinds && !(field->kinds >> words->kind & 1))
            md5i_lex_warn(lex, at, "'%s' has no effect in %s of this kind", field->word,
                          words->what);
        lex->at += word.size;
        TRY(md5i_read_field(lex, field, at, record));
    }
    return true;
}

bool md5i_read_optional_fields(md5_lex *lex, const md5_block_words *words, md5_record record)
{
    md5_lex_space(lex);
    if (lex->at == lex->end || *lex->at != '{')
        return true;
    return md5i_read_fields(lex, words, record);
}
