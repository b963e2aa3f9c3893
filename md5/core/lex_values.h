// Values in a text: names, numbers, points. The short forms of numbers, which nearly all are, are
// read inline.
#ifndef MD5_CORE_LEX_VALUES_H
#define MD5_CORE_LEX_VALUES_H

#include "md5/core/lex.h"
#include "md5/core/number.h"

// -- Names ------------------------------------------------------------------------------------

// Reads the name of a thing in a machine file, a quoted string or a bare word; bare names may have
// bytes from 0x80 on, as in UTF-8. md5i_lex_blanks() skips white space and comments before such a
// name.
bool md5i_lex_name(md5_lex *lex, md5_span *name, const char *what);
void md5i_lex_blanks(md5_lex *lex);

// Reads a joint's name in a model: as before, but bare names may have bytes from 0x80 on, and
// blanks followed by another word: `Bip01 L Hand 3 ( ...` names "Bip01 L Hand".
bool md5i_lex_joint_name(md5_lex *lex, md5_span *name);

// Skips the values of an unknown word: everything up to the next word that begins a line or that
// `is_known` accepts, or the end of the block. Skips nested blocks in braces as a whole.
bool md5i_lex_skip_values(md5_lex *lex, bool (*is_known)(md5_span word));

// -- Numbers ----------------------------------------------------------------------------------

// Largest absolute value of positions, offsets, biases and fields of view, as md5model.h states.
// Results computed from them are finite for any number of joints and weights that a text can hold.
#define MD5_MOST_LENGTH 1e9f

static inline bool md5_is_length(float value)
{
    return value >= -MD5_MOST_LENGTH && value <= MD5_MOST_LENGTH;
}

static inline bool md5_is_point(md5_vec3 value)
{
    return md5_is_length(value.x) && md5_is_length(value.y) && md5_is_length(value.z);
}

// Reports that the number at `at` exceeds this limit.
bool md5i_lex_fail_length(md5_lex *lex, const char *at);

// Read a number. White space may separate a `-` from its number.
bool md5i_lex_float_slow(md5_lex *lex, float *value);
bool md5i_lex_double(md5_lex *lex, double *value);

// Reads a whole number; beyond the range of int64_t it becomes +-INT64_MAX. `2.0` is accepted, and
// `2.9` is read as 2 with a warning, as id's lexer does.
bool md5i_lex_int_slow(md5_lex *lex, int64_t *value);

static inline bool md5_lex_float(md5_lex *lex, float *value)
{
    md5_lex_space(lex);
    if (lex->end - lex->at > 1 && md5i_char_classes[(unsigned char)lex->at[1]] != 0) {
        const unsigned digit = (unsigned char)(*lex->at - '0');
        if (digit < 10) {
            *value = (float)digit;
            lex->at++;
            return true;
        }
    }
    const char *const next = md5_scan_float(lex->at, lex->end, value);
    if (!next || !md5_lex_ends(lex, next) || *value - *value != 0.0f)
        return md5i_lex_float_slow(lex, value);
    lex->at = next;
    return true;
}

static inline bool md5_lex_int(md5_lex *lex, int64_t *value)
{
    enum { SAFE_DIGITS = 18 };
    md5_lex_space(lex);
    const char *next = lex->at;
    const bool negative = next < lex->end && *next == '-';
    next += negative;
    const char *const first = next;
    int64_t digits = 0;
    while (next < lex->end && (unsigned char)(*next - '0') < 10 && next - first < SAFE_DIGITS)
        digits = 10 * digits + (*next++ - '0');
    const bool is_plain = next > first && (*first != '0' || next - first == 1);
    if (!is_plain || !md5_lex_ends(lex, next))
        return md5i_lex_int_slow(lex, value);
    *value = negative ? -digits : digits;
    lex->at = next;
    return true;
}

// Reads a number within MD5_MOST_LENGTH.
static inline bool md5_lex_length(md5_lex *lex, float *value)
{
    md5_lex_space(lex);
    const char *const at = lex->at;
    if (!md5_lex_float(lex, value))
        return false;
    return md5_is_length(*value) || md5i_lex_fail_length(lex, at);
}

// ( x y z ) of such numbers
static inline bool md5_lex_point(md5_lex *lex, md5_vec3 *value)
{
    return md5_lex_bracket(lex, '(') && md5_lex_length(lex, &value->x)
           && md5_lex_length(lex, &value->y) && md5_lex_length(lex, &value->z)
           && md5_lex_bracket(lex, ')');
}

// ( x y z )
static inline bool md5_lex_vec3(md5_lex *lex, md5_vec3 *value)
{
    return md5_lex_bracket(lex, '(') && md5_lex_float(lex, &value->x)
           && md5_lex_float(lex, &value->y) && md5_lex_float(lex, &value->z)
           && md5_lex_bracket(lex, ')');
}

// Reads a whole number from 0 to UINT32_MAX. Messages call it `what`.
bool md5i_read_uint(md5_lex *lex, const char *what, uint32_t *value);

#endif
