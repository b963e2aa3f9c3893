// Fast readers for items of mesh tables (`vert`, `tri`, `weight`) in the layout of id's exporter.
// In this layout, items are in order, one blank or line end separates two tokens, and there are no
// comments. The functions report no errors or warnings. The lexer reads all other items.
//
// Each function skips blanks and then reads one item. If the item has another form, the function
// returns false and moves the lexer to the start of the item. The output is then undefined. Items
// near the ends of a text are always left to the lexer.
#ifndef MD5_READ_ROWS_H
#define MD5_READ_ROWS_H

#include "md5/core/lex.h"

// The number of an item, 0, 1, 2 ..., as text: its decimal digits and a blank.
typedef struct md5_item_number {
    uint64_t text; // digits and blank, the first byte lowest
    uint64_t mask; // mask of these bytes
    uint64_t one;  // added to `text`, increases the last digit by 1
    uint32_t value;
    uint32_t length; // bytes
} md5_item_number;

#define MD5_ITEM_0                      \
    {                                   \
        '0' | ' ' << 8, 0xFFFF, 1, 0, 2 \
    }

void md5i_write_item_number(md5_item_number *number);
// Increases the number by 1.
static inline void md5_next_item(md5_item_number *number)
{
    number->value++;
    number->text += number->one;
    if (number->value % 10 == 0)
        md5i_write_item_number(number);
}

// Reads vert NUMBER ( u v ) first count, with a count that is not 0.
bool md5i_scan_vertex(md5_lex *lex, const md5_item_number *number, md5_vertex *vertex,
                      md5_vec2 *texcoord);

// Reads tri NUMBER a b c.
bool md5i_scan_triangle(md5_lex *lex, const md5_item_number *number, uint32_t *corners);

// Reads weight NUMBER joint bias ( x y z ), with a joint below `num_joints` and numbers that are
// not too large.
bool md5i_scan_weight(md5_lex *lex, const md5_item_number *number, uint32_t num_joints,
                      md5_weight *weight);

#endif
