// The joints that may move each vertex: a row of a fixed number of entries for each position, first
// with distances, then with weights.
#ifndef MD5_SKIN_BIND_ROWS_H
#define MD5_SKIN_BIND_ROWS_H

#include "md5/skin/bind_paths.h"

// Number of joints beyond those that are kept which take part in smoothing.
enum { MD5_SPARE_ENTRIES = 4 };

typedef struct md5_bind_entry {
    uint32_t joint;
    float value; // distance in cells, ascending; or weight, descending
} md5_bind_entry;

typedef struct md5_bind_rows {
    uint32_t num_rows, width;
    md5_bind_entry *entries; // [num_rows][width]
    uint32_t *counts;        // [num_rows] entries in use
} md5_bind_rows;

bool md5i_create_rows(md5_arena *arena, uint32_t num_rows, uint32_t width, md5_bind_rows *rows);

static inline md5_bind_entry *md5_row(const md5_bind_rows *rows, uint32_t row)
{
    return rows->entries + (size_t)row * rows->width;
}

// Adds an entry to a row that is sorted by value, ascending, and keeps the smallest.
void md5i_add_to_row(md5_bind_rows *rows, uint32_t row, md5_bind_entry entry);

// Sorts a row by value, descending, removes all but the first `most` values and, except for the
// first, those below `least`, and scales the rest to sum 1.
void md5i_trim_row(md5_bind_rows *rows, uint32_t row, uint32_t most, float least);

// Replaces each row by the mean of itself and the mean of its neighbours along the edges of the
// triangles, `rounds` times. same[vertex] is the row of a vertex. Returns false and sets the error
// if memory runs out.
bool md5i_smooth_rows(md5_arena *arena, const md5_weights_desc *desc, const uint32_t *same,
                      uint32_t rounds, md5_bind_rows *rows);

#endif
