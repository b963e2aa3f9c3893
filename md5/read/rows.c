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
    const char *const end = md5_scan_uint(at, value);
    return end ? end + 1 : NULL;
}

static inline const char *take_float(const char *at, float *value)
{
    const char *const end = md5_scan_common(at, value);
    return end ? end + 1 : NULL;
}

// -- Rows -----------------------------------------------------------------------------------

// The step begins where the one before ended: a row that fails one is not read.
#define NEXT(step)        \
    do {                  \
        at = (step);      \
        if (at == NULL)   \
            return false; \
    } while (0)

static inline const char *begin_row(md5_lex *lex)
{
    // No row is longer, from its first word to what is looked at behind its last number.
    enum { ROW_BYTES = 160 };
    // A text does not end with a blank.
    const char *at = lex->at;
    while (at < lex->end && md5_is_blank(*at))
        at++;
    lex->at = at;
    return md5_lex_has_room(lex, at, ROW_BYTES) ? at : NULL;
}

bool md5i_row_vertex(md5_lex *lex, const md5_row_number *number, md5_vertex *vertex,
                     md5_vec2 *texcoord)
{
    const char *at;
    NEXT(begin_row(lex));
    NEXT(take_start(at, "vert ", number));
    if (at[0] != '(' || at[1] != ' ')
        return false;
    NEXT(take_float(at + 2, &texcoord->x));
    NEXT(take_float(at, &texcoord->y));
    if (at[0] != ')' || at[1] != ' ')
        return false;
    NEXT(take_uint(at + 2, &vertex->first_weight));
    NEXT(take_uint(at, &vertex->num_weights));
    if (vertex->num_weights > 0)
        lex->at = at;
    return vertex->num_weights > 0;
}

bool md5i_row_triangle(md5_lex *lex, const md5_row_number *number, uint32_t *corners)
{
    const char *at;
    NEXT(begin_row(lex));
    NEXT(take_start(at, "tri ", number));
    NEXT(take_uint(at, &corners[0]));
    NEXT(take_uint(at, &corners[1]));
    NEXT(take_uint(at, &corners[2]));
    lex->at = at;
    return true;
}

bool md5i_row_weight(md5_lex *lex, const md5_row_number *number, uint32_t num_joints,
                     md5_weight *weight)
{
    const char *at;
    NEXT(begin_row(lex));
    NEXT(take_start(at, "weight ", number));
    NEXT(take_uint(at, &weight->joint));
    NEXT(take_float(at, &weight->bias));
    if (at[0] != '(' || at[1] != ' ')
        return false;
    NEXT(take_float(at + 2, &weight->offset.x));
    NEXT(take_float(at, &weight->offset.y));
    NEXT(take_float(at, &weight->offset.z));
    if (*at != ')' || weight->joint >= num_joints || !md5_is_length(weight->bias)
        || !md5_is_point(weight->offset))
        return false;
    lex->at = at + 1;
    return true;
}
