// JSON, as much of it as .md5scale files have: an object of objects of numbers and booleans. Other
// values are skipped with a warning, whatever is in them; nothing recurses.
#include "md5/game/scale_text.h"

#include "md5/game/name_map.h"
#include "md5/read/lex_values.h"

typedef struct scale_reader {
    md5_lex *lex;
    const md5_anim *anim;
    md5_name_map joints; // values are 1 + the index
    md5_scale_row *rows; // [count] of `room`
    size_t count, room;
} scale_reader;

static void skip_space(md5_lex *lex)
{
    while (lex->at < lex->end
           && (*lex->at == ' ' || *lex->at == '\t' || *lex->at == '\n' || *lex->at == '\r'))
        lex->at++;
}

// What is at lex->at, for a message.
static md5_quoted found(const md5_lex *lex)
{
    return md5i_lex_token(lex, lex->at);
}

static bool take(md5_lex *lex, char c)
{
    skip_space(lex);
    if (lex->at == lex->end || *lex->at != c)
        return false;
    lex->at++;
    return true;
}

static bool expect(md5_lex *lex, char c, const char *where)
{
    return take(lex, c)
           || md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected '%c' %s, found %s", c, where,
                            found(lex).text);
}

// Reads a string into the arena without its backslashes; \u and its digits stay as they are.
// Returns NULL after an error.
static const char *read_string(md5_lex *lex)
{
    skip_space(lex);
    const char *const start = lex->at;
    if (start == lex->end || *start != '"') {
        md5i_lex_fail(lex, start, MD5_ERROR_SYNTAX, "expected a name in quotes, found %s",
                      found(lex).text);
        return NULL;
    }
    const char *end = start + 1;
    while (end < lex->end && *end != '"' && *end != '\n')
        end += *end == '\\' && lex->end - end > 1 ? 2 : 1;
    if (end >= lex->end || *end != '"') {
        md5i_lex_fail(lex, start, MD5_ERROR_SYNTAX, "this string has no end on its line");
        return NULL;
    }
    char *const copy = (char *)md5i_arena_alloc(lex->arena, (size_t)(end - start), 1);
    if (!copy)
        return NULL;
    char *to = copy;
    for (const char *at = start + 1; at < end; at++) {
        if (*at == '\\' && at[1] != 'u')
            at++;
        *to++ = *at;
    }
    lex->at = end + 1;
    return copy;
}

// -- Values ---------------------------------------------------------------------------------------

// Skips an object or array with all that is in it.
static bool skip_nested(md5_lex *lex)
{
    const char *const start = lex->at;
    size_t depth = 0;
    while (lex->at < lex->end) {
        const char c = *lex->at;
        if (c == '"') {
            TRY(read_string(lex));
            continue;
        }
        lex->at++;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        if (depth == 0)
            return true;
    }
    return md5i_lex_fail(lex, start, MD5_ERROR_SYNTAX, "this bracket is not closed");
}

static const char *end_of_plain(const md5_lex *lex)
{
    const char *at = lex->at;
    while (at<lex->end && * at> ' ' && *at != ',' && *at != '}' && *at != ']' && *at != ':')
        at++;
    return at;
}

// Skips a value of a kind that has no meaning here.
static bool skip_value(md5_lex *lex, const char *expected)
{
    skip_space(lex);
    md5i_lex_warn(lex, lex->at, "expected %s, found %s: skipped", expected, found(lex).text);
    if (lex->at < lex->end && *lex->at == '"')
        return read_string(lex) != NULL;
    if (lex->at < lex->end && (*lex->at == '{' || *lex->at == '['))
        return skip_nested(lex);
    const char *const end = end_of_plain(lex);
    if (end == lex->at)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected a value, found %s",
                             found(lex).text);
    lex->at = end;
    return true;
}

static bool read_number(md5_lex *lex, float *value, bool *is_number)
{
    skip_space(lex);
    const char *const end = end_of_plain(lex);
    const char *const next = md5_scan_float(lex->at, end, value);
    *is_number = next && next == end && md5_is_length(*value);
    if (!*is_number)
        return skip_value(lex, "a number of at most 1e9");
    lex->at = end;
    return true;
}

// As in the engine, the first letter decides.
static bool read_bool(md5_lex *lex, bool *value, bool *is_bool)
{
    skip_space(lex);
    const char first = lex->at < lex->end ? *lex->at : '\0';
    *is_bool = first == 't' || first == 'f';
    *value = first == 't';
    if (!*is_bool)
        return skip_value(lex, "true or false");
    lex->at = end_of_plain(lex);
    return true;
}

// -- Rows -----------------------------------------------------------------------------------------

static bool add_row(scale_reader *reader, md5_scale_row row)
{
    if (reader->count == reader->room) {
        const size_t room = reader->room ? 2 * reader->room : 64;
        md5_scale_row *const grown =
            (md5_scale_row *)md5i_arena_room(reader->lex->arena, room, sizeof *grown);
        TRY(grown);
        if (reader->count > 0)
            memcpy(grown, reader->rows, reader->count * sizeof *grown);
        reader->rows = grown;
        reader->room = room;
    }
    row.order = (uint32_t)reader->count;
    reader->rows[reader->count++] = row;
    return true;
}

// The number of a frame; UINT32_MAX if the name is none.
static uint32_t frame_of(const char *name)
{
    uint64_t number = 0;
    if (*name == '\0')
        return UINT32_MAX;
    for (; *name; name++) {
        if (*name < '0' || *name > '9' || number > UINT32_MAX)
            return UINT32_MAX;
        number = 10 * number + (uint64_t)(*name - '0');
    }
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

// "scale_positions": true, or "12": 0.5
static bool read_member(scale_reader *reader, uint32_t joint, bool is_known)
{
    md5_lex *const lex = reader->lex;
    md5_scale_row row = {.joint = joint};
    bool is_read, scales = false;
    skip_space(lex);
    const char *const at = lex->at;
    const char *const name = read_string(lex);
    TRY(name && expect(lex, ':', "after a name"));
    row.is_position = strcmp(name, "scale_positions") == 0;
    if (row.is_position) {
        TRY(read_bool(lex, &scales, &is_read));
        row.value = scales ? 1.0f : 0.0f;
    } else {
        row.frame = frame_of(name);
        TRY(read_number(lex, &row.value, &is_read));
        if (row.frame >= reader->anim->num_frames) {
            md5i_lex_warn(lex, at, "there is no frame %s: the last is %u",
                          md5i_quote(name, strlen(name)).text, reader->anim->num_frames - 1);
            return true;
        }
    }
    return !is_read || !is_known || add_row(reader, row);
}

// "joint": { ... }
static bool read_joint(scale_reader *reader)
{
    md5_lex *const lex = reader->lex;
    skip_space(lex);
    const char *const at = lex->at;
    const char *const name = read_string(lex);
    TRY(name && expect(lex, ':', "after a name"));
    skip_space(lex);
    if (lex->at < lex->end && *lex->at != '{')
        return skip_value(lex, "an object");
    TRY(expect(lex, '{', "before the scales of a joint"));
    void **const joint = md5i_name_map_find(&reader->joints, name);
    if (!joint)
        md5i_lex_warn(lex, at, "the animation has no joint %s",
                      md5i_quote(name, strlen(name)).text);
    const uint32_t index = joint ? (uint32_t)((uintptr_t)*joint - 1) : 0;
    if (take(lex, '}'))
        return true;
    do
        TRY(read_member(reader, index, joint != NULL));
    while (take(lex, ','));
    return expect(lex, '}', "or ',' after a scale");
}

static bool name_joints(scale_reader *reader)
{
    const md5_skeleton *const skeleton = &reader->anim->skeleton;
    for (uint32_t i = skeleton->num_joints; i-- > 0;) { // of equal names the first one counts
        void **const joint =
            md5i_name_map_add(&reader->joints, reader->lex->arena, skeleton->joints[i].name);
        TRY(joint);
        *joint = (void *)((uintptr_t)i + 1);
    }
    return true;
}

bool md5i_read_scale_rows(md5_lex *lex, const md5_anim *anim, md5_scale_row **rows, size_t *count)
{
    scale_reader reader = {.lex = lex, .anim = anim};
    TRY(name_joints(&reader));
    TRY(expect(lex, '{', "at the start of scales"));
    if (!take(lex, '}')) {
        do
            TRY(read_joint(&reader));
        while (take(lex, ','));
        TRY(expect(lex, '}', "or ',' after a joint"));
    }
    skip_space(lex);
    if (lex->at < lex->end)
        md5i_lex_warn(lex, lex->at, "text after the last brace is ignored");
    *rows = reader.rows;
    *count = reader.count;
    return true;
}
