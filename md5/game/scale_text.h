// The text of a .md5scale file: its rows, before they are sorted.
#ifndef MD5_GAME_SCALE_TEXT_H
#define MD5_GAME_SCALE_TEXT_H

#include "md5/md5dialects.h"
#include "md5/read/lex.h"

// A scale, or whether positions are scaled.
typedef struct md5_scale_row {
    uint32_t joint;
    bool is_position;
    uint32_t frame; // unless is_position
    uint32_t order; // in the text: of rows for the same frame the last one counts
    float value;    // of is_position 0 or 1
} md5_scale_row;

// Reads all rows into memory of the lexer's arena. Returns false with the context's error set.
bool md5i_read_scale_rows(md5_lex *lex, const md5_anim *anim, md5_scale_row **rows, size_t *count);

#endif
