#include "md5/read/fields.h"

#include "md5/read/header.h"

enum { MOST_FIELDS = 32 };

const char *md5_copy_text(md5_lex *lex, const char *bytes, size_t size)
{
    char *const text = md5_arena_alloc(lex->arena, size + 1, 1);
    if (text && size > 0)
        memcpy(text, bytes, size);
    return text;
}

bool md5_read_name(md5_lex *lex, const char *what, const char **name)
{
    md5_span span;
    TRY(md5_lex_text(lex, &span, what));
    *name = md5_copy_text(lex, span.bytes, span.size);
    return *name != NULL;
}

// Doubled when full, which a count says by being a power of two.
void *md5_append(md5_lex *lex, void *items, uint32_t *count, size_t size)
{
    unsigned char **const bytes = items;
    const uint32_t number = *count;
    if ((number & (number - 1)) == 0) {
        unsigned char *const grown =
            md5_arena_alloc(lex->arena, number == 0 ? 1 : 2 * (size_t)number, size);
        if (!grown)
            return NULL;
        if (number > 0)
            memcpy(grown, *bytes, number * size);
        *bytes = grown;
    }
    (*count)++;
    return *bytes + number * size;
}

// -- Values ---------------------------------------------------------------------------------

static bool read_int(md5_lex *lex, const char *word, int32_t *value)
{
    int64_t number;
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5_lex_int(lex, &number));
    if (number < INT32_MIN || number > INT32_MAX)
        return md5_lex_fail(lex, at, MD5_ERROR_RANGE, "%s %lld is out of range", word,
                            (long long)number);
    *value = (int32_t)number;
    return true;
}

static bool read_frame(md5_lex *lex, const char *word, uint32_t *frame)
{
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5_read_uint(lex, word, frame));
    if (*frame == 0)
        return md5_lex_fail(lex, at, MD5_ERROR_RANGE, "%s 0: the first frame is 1", word);
    (*frame)--;
    return true;
}

static bool read_share(md5_lex *lex, const md5_field *field, unsigned char *object)
{
    const md5_span word = md5_lex_peek_word(lex);
    if (md5_span_is_name(word) || (lex->at < lex->end && *lex->at == '"')) {
        const char *name;
        TRY(md5_read_name(lex, field->word, &name));
        memcpy(object + field->other, &name, sizeof name);
        return true;
    }
    return md5_lex_float(lex, (float *)(void *)(object + field->offset));
}

bool md5_read_field(md5_lex *lex, const md5_field *field, const char *at, void *object)
{
    void *const place = (unsigned char *)object + field->offset;
    switch (field->kind) {
    case MD5_FIELD_NAME:
        return md5_read_name(lex, field->word, place);
    case MD5_FIELD_FLOAT:
        return md5_lex_float(lex, place);
    case MD5_FIELD_DOUBLE:
        return md5_lex_double(lex, place);
    case MD5_FIELD_COUNT:
        return md5_read_uint(lex, field->word, place);
    case MD5_FIELD_INT:
        return read_int(lex, field->word, place);
    case MD5_FIELD_FRAME:
        return read_frame(lex, field->word, place);
    case MD5_FIELD_VECTOR:
        return md5_lex_vec3(lex, place);
    case MD5_FIELD_CHOICE:
        memcpy(place, &field->value, sizeof field->value);
        return true;
    case MD5_FIELD_FLAG:
        memcpy(place, &(bool){true}, sizeof(bool));
        return true;
    case MD5_FIELD_SHARE:
        return read_share(lex, field, object);
    case MD5_FIELD_BLOCK:
        break;
    }
    return field->read(lex, at, object);
}

// -- Blocks ---------------------------------------------------------------------------------

static const md5_field *find_field(const md5_field *fields, uint32_t num_fields, md5_span word)
{
    for (uint32_t i = 0; i < num_fields; i++) {
        if (md5_span_is(word, fields[i].word))
            return &fields[i];
    }
    return NULL;
}

static bool fail_unknown(md5_lex *lex, const char *what, const char *at)
{
    return md5_lex_fail(lex, at, MD5_ERROR_SYNTAX, "expected a word of %s or '}', found %s", what,
                        md5_lex_token(lex, at).text);
}

bool md5_read_fields(md5_lex *lex, const char *what, const md5_field *fields, uint32_t num_fields,
                     void *object)
{
    uint32_t seen = 0;
    TRY(md5_lex_expect(lex, '{'));
    while (!md5_lex_take(lex, '}')) {
        const char *const at = lex->at;
        const md5_span word = md5_lex_peek_word(lex);
        const md5_field *const field = find_field(fields, num_fields, word);
        if (!field)
            return fail_unknown(lex, what, at);
        const uint32_t bit = 1u << (field - fields) % MOST_FIELDS;
        if ((seen & bit) && field->kind != MD5_FIELD_BLOCK)
            md5_lex_warn(lex, at, "'%s' is given a second time, which counts", field->word);
        seen |= bit;
        lex->at += word.size;
        TRY(md5_read_field(lex, field, at, object));
    }
    return true;
}

bool md5_read_optional_fields(md5_lex *lex, const char *what, const md5_field *fields,
                              uint32_t num_fields, void *object)
{
    md5_lex_space(lex);
    if (lex->at == lex->end || *lex->at != '{')
        return true;
    return md5_read_fields(lex, what, fields, num_fields, object);
}
