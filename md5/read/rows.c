#include "md5/read/rows.h"

enum { WORD = sizeof(uint64_t), BYTE = 8 };

// -- Numbers of rows ------------------------------------------------------------------------

void md5i_row_write_number(md5_row_number *number)
{
    enum { FITTING = 10000000 }; // seven digits and a blank are a word
    uint32_t left = number->value;
    number->text = ' ';
    number->length = 1;
    do {
        number->text = number->text << BYTE | ('0' + left % 10);
        number->length++;
        left /= 10;
    } while (left > 0);
    number->one = UINT64_C(1) << (BYTE * (number->length - 2));
    number->mask = number->value < FITTING ? ~UINT64_C(0) >> (BYTE * (WORD - number->length)) : 0;
    number->text = number->value < FITTING ? number->text : 1;
}

// -- Parts of a row -------------------------------------------------------------------------
//
// Each returns where the next part begins, or NULL.

#define NEXT(step)       \
    do {                 \
        at = (step);     \
        if (at == NULL)  \
            return NULL; \
    } while (0)

#if MD5_HAS_WORDS

// No row is longer, from its first word to what is looked at behind its last number.
enum { ROW_BYTES = 160 };

static inline bool has_room(const md5_lex *lex, const char *at)
{
    return at >= lex->text + MD5_BYTES_BEFORE && at + ROW_BYTES <= lex->end;
}

// WORD NUMBER, where the word is given with its blank.
static inline const char *take_start(const char *at, const char *word, const md5_row_number *number)
{
    const size_t length = strlen(word);
    if (memcmp(at, word, length) != 0)
        return NULL;
    at += length;
    return (md5_load_word(at) & number->mask) == number->text ? at + number->length : NULL;
}

static inline const char *take_uint(const char *at, uint32_t *value)
{
    // Sums reach the highest bit of the first byte that is no digit.
    const uint64_t values = md5_load_word(at) ^ '0' * MD5_ONES;
    const uint64_t others = ((values + (0x80 - 10) * MD5_ONES) | values) & 0x80 * MD5_ONES;
    if (others == 0)
        return NULL;
    const size_t length = md5_lowest_bit(others) / BYTE;
    // Of a leading zero may have to be warned.
    if (length == 0 || !md5_is_blank(at[length]) || (*at == '0' && length > 1))
        return NULL;
    *value = md5_eight_digits(values << (BYTE * (WORD - length)));
    return at + length + 1;
}

static inline const char *take_float(const char *at, float *value)
{
    const char *const end = md5_scan_common(at, value);
    return end ? end + 1 : NULL;
}

#else // everything is left to the lexer

static bool has_room(const md5_lex *lex, const char *at)
{
    (void)lex, (void)at;
    return false;
}

static const char *take_start(const char *at, const char *word, const md5_row_number *number)
{
    (void)at, (void)word, (void)number;
    return NULL;
}

static const char *take_uint(const char *at, uint32_t *value)
{
    (void)at, (void)value;
    return NULL;
}

static const char *take_float(const char *at, float *value)
{
    (void)at, (void)value;
    return NULL;
}

#endif

static inline const char *begin_row(md5_lex *lex)
{
    // A text does not end with a blank.
    const char *at = lex->at;
    while (at < lex->end && md5_is_blank(*at))
        at++;
    lex->at = at;
    return has_room(lex, at) ? at : NULL;
}

// ( x y z )
static inline const char *take_vec3(const char *at, md5_vec3 *value)
{
    if (at[0] != '(' || at[1] != ' ')
        return NULL;
    NEXT(take_float(at + 2, &value->x));
    NEXT(take_float(at, &value->y));
    NEXT(take_float(at, &value->z));
    return *at == ')' ? at + 1 : NULL;
}

static const char *take_vertex(const char *at, const md5_row_number *number, md5_vertex *vertex,
                               md5_vec2 *texcoord)
{
    NEXT(take_start(at, "vert ", number));
    if (at[0] != '(' || at[1] != ' ')
        return NULL;
    NEXT(take_float(at + 2, &texcoord->x));
    NEXT(take_float(at, &texcoord->y));
    if (at[0] != ')' || at[1] != ' ')
        return NULL;
    NEXT(take_uint(at + 2, &vertex->first_weight));
    NEXT(take_uint(at, &vertex->num_weights));
    return vertex->num_weights > 0 ? at : NULL;
}

static const char *take_triangle(const char *at, const md5_row_number *number, uint32_t *corners)
{
    NEXT(take_start(at, "tri ", number));
    NEXT(take_uint(at, &corners[0]));
    NEXT(take_uint(at, &corners[1]));
    return take_uint(at, &corners[2]);
}

static const char *take_weight(const char *at, const md5_row_number *number, md5_weight *weight)
{
    NEXT(take_start(at, "weight ", number));
    NEXT(take_uint(at, &weight->joint));
    NEXT(take_float(at, &weight->bias));
    return take_vec3(at, &weight->offset);
}

// -- Rows -----------------------------------------------------------------------------------

// Ends a row that was read up to `next`, or was not.
static inline bool end_row(md5_lex *lex, const char *next)
{
    if (next)
        lex->at = next;
    return next != NULL;
}

bool md5i_row_vertex(md5_lex *lex, const md5_row_number *number, md5_vertex *vertex,
                     md5_vec2 *texcoord)
{
    const char *const at = begin_row(lex);
    return at && end_row(lex, take_vertex(at, number, vertex, texcoord));
}

bool md5i_row_triangle(md5_lex *lex, const md5_row_number *number, uint32_t *corners)
{
    const char *const at = begin_row(lex);
    return at && end_row(lex, take_triangle(at, number, corners));
}

bool md5i_row_weight(md5_lex *lex, const md5_row_number *number, uint32_t num_joints,
                     md5_weight *weight)
{
    const char *const at = begin_row(lex);
    const char *const next = at ? take_weight(at, number, weight) : NULL;
    return next && weight->joint < num_joints && md5_is_length(weight->bias)
           && md5_is_point(weight->offset) && end_row(lex, next);
}

bool md5i_row_vec3(md5_lex *lex, md5_vec3 *value)
{
    const char *const at = begin_row(lex);
    return at && end_row(lex, take_vec3(at, value));
}

size_t md5i_row_numbers(md5_lex *lex, float *numbers, size_t count)
{
    const char *at = lex->at;
    size_t known = 0;
    for (; known < count; known++) {
        while (at < lex->end && md5_is_blank(*at))
            at++;
        const char *const next = has_room(lex, at) ? take_float(at, &numbers[known]) : NULL;
        if (!next)
            break;
        at = next;
    }
    lex->at = at;
    return known;
}

bool md5i_read_vec3(md5_lex *lex, md5_vec3 *value)
{
    return md5i_row_vec3(lex, value) || md5i_lex_vec3(lex, value);
}

bool md5i_read_point(md5_lex *lex, md5_vec3 *value)
{
    const char *const at = lex->at;
    if (md5i_row_vec3(lex, value) && md5_is_point(*value))
        return true;
    lex->at = at;
    return md5i_lex_point(lex, value);
}
