// Fast readers for the items of mesh tables. An item is a line that begins with `vert`, `tri` or
// `weight`. These functions read only the layout of id's exporter and report no errors. The lexer
// reads all other items, because it accepts any layout.
#include "md5/read/rows.h"

enum { WORD = sizeof(uint64_t), BYTE = 8 }; // bytes in a word, bits in a byte

// -- Numbers of items -----------------------------------------------------------------------

// Stores the number of an item as text: the digits of number->value and a blank, in one 64-bit
// integer. begin_row() compares this integer with the text of a file in one operation.
// md5_next_item() increments the last digit itself, and calls this function only after the digit 9.
void md5i_write_item_number(md5_item_number *number)
{
    enum { LIMIT = 10000000 }; // smaller numbers, of seven digits, fit into a word with the blank
    uint32_t left = number->value;
    // Insert the digits before the blank, the last digit first.
    number->text = ' ';
    number->length = 1;
    do {
        number->text = number->text << BYTE | ('0' + left % 10);
        number->length++;
        left /= 10;
    } while (left > 0);

    // `one` is a 1 in the byte of the last digit, which is before the blank. Adding it to `text`
    // increments this digit.
    number->one = UINT64_C(1) << (BYTE * (number->length - 2));

    if (number->value < LIMIT) {
        number->mask = ~UINT64_C(0) >> (BYTE * (WORD - number->length));
    } else {
        // Longer numbers are left to the lexer: with these values the comparison never succeeds.
        number->mask = 0;
        number->text = 1;
    }
}

// -- Items ----------------------------------------------------------------------------------

// The functions md5_scan_uint() and md5_scan_run() of md5/core/number.h read numbers in the usual
// form. They return the position of the blank after the last number, so the next token begins one
// byte later. They return NULL if a number has another form.

// Skips blanks, then reads the keyword and the number of an item. `word` is the keyword with a
// blank after it. Returns the position after the blank that follows the number, or NULL if the text
// has another form.
static inline const char *begin_row(md5_lex *lex, const char *word, const md5_item_number *number)
{
    // No item in this layout is longer. The lexer reads items that are nearer to the end of the
    // text, so that the scanner need not check for the end at each byte.
    enum { ROW_BYTES = 160 };
    const char *next = lex->at;
    while (next < lex->end && md5_is_blank(*next))
        next++;
    lex->at = next;
    const size_t length = strlen(word);
    if (!md5_lex_can_scan(lex, next, ROW_BYTES) || memcmp(next, word, length) != 0)
        return NULL;
    next += length;
    const bool has_number = (md5_read_u64le(next) & number->mask) == number->text;
    return has_number ? next + number->length : NULL;
}

// Reads `vert NUMBER ( u v ) first count` in the layout of id's exporter. A vertex without weights
// is left to the lexer, which warns about it.
bool md5i_scan_vertex(md5_lex *lex, const md5_item_number *number, md5_vertex *vertex,
                      md5_vec2 *texcoord)
{
    const char *next = begin_row(lex, "vert ", number);
    TRY(next);
    if (next[0] != '(' || next[1] != ' ')
        return false;
    next = md5_scan_run(next + 2, (float *)texcoord, 2);
    TRY(next);
    if (next[1] != ')' || next[2] != ' ')
        return false;
    next = md5_scan_uint(next + 3, &vertex->first_weight);
    TRY(next);
    next = md5_scan_uint(next + 1, &vertex->num_weights);
    TRY(next);
    if (vertex->num_weights == 0)
        return false;
    lex->at = next;
    return true;
}

// Reads `tri NUMBER a b c` in the layout of id's exporter, with one blank between two tokens.
// Returns false if the line has another layout.
bool md5i_scan_triangle(md5_lex *lex, const md5_item_number *number, uint32_t *corners)
{
    const char *next = begin_row(lex, "tri ", number);
    TRY(next);
    next = md5_scan_uint(next, &corners[0]);
    TRY(next);
    next = md5_scan_uint(next + 1, &corners[1]);
    TRY(next);
    next = md5_scan_uint(next + 1, &corners[2]);
    TRY(next);
    lex->at = next;
    return true;
}

// Reads `weight NUMBER joint bias ( x y z )` in the layout of id's exporter. A joint or a number
// that is out of range is left to the lexer, which reports the error.
bool md5i_scan_weight(md5_lex *lex, const md5_item_number *number, uint32_t num_joints,
                      md5_weight *weight)
{
    const char *next = begin_row(lex, "weight ", number);
    TRY(next);
    next = md5_scan_uint(next, &weight->joint);
    TRY(next);
    next = md5_scan_common(next + 1, &weight->bias);
    TRY(next);

    if (next[1] != '(' || next[2] != ' ')
        return false;
    next = md5_scan_run(next + 3, (float *)&weight->offset, 3);
    TRY(next);

    if (next[1] != ')' || weight->joint >= num_joints)
        return false;
    if (!md5_length_in_range(weight->bias) || !md5_vec3_in_range(weight->offset))
        return false;

    lex->at = next + 2;
    return true;
}
