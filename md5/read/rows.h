// Fast readers for rows of tables in their usual form: numbers in order, one blank or line end
// between two tokens, no comments, nothing to report. The lexer reads all other rows.
//
// Each call skips blanks and then reads a whole row. If it cannot, it returns false, leaves the
// lexer before the row, and its outputs are undefined. It never can near the ends of a text.
#ifndef MD5_READ_ROWS_H
#define MD5_READ_ROWS_H

#include "md5/core/lex.h"

// A row number, 0, 1, 2 ..., as text: its decimal digits and a blank.
typedef struct md5_row_number {
    uint64_t text, mask, one; // digits and blank; mask of their bytes; 1 in the last digit
    uint32_t value;
    uint32_t length;
} md5_row_number;

#define MD5_ROW_0                       \
    {                                   \
        '0' | ' ' << 8, 0xFFFF, 1, 0, 2 \
    }

void md5i_row_write_number(md5_row_number *number);
static inline void md5_row_next(md5_row_number *number)
{
    number->value++;
    number->text += number->one;
    if (number->value % 10 == 0)
        md5i_row_write_number(number);
}

// vert NUMBER ( u v ) first count, with a count that is not 0
bool md5i_row_vertex(md5_lex *lex, const md5_row_number *number, md5_vertex *vertex,
                     md5_vec2 *texcoord);

// tri NUMBER a b c
bool md5i_row_triangle(md5_lex *lex, const md5_row_number *number, uint32_t *corners);

// weight NUMBER joint bias ( x y z ), with a joint below num_joints, and no number too large
bool md5i_row_weight(md5_lex *lex, const md5_row_number *number, uint32_t num_joints,
                     md5_weight *weight);

#endif
