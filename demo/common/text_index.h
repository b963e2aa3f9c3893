// A set of texts, each with a number.
#ifndef DEMO_COMMON_TEXT_INDEX_H
#define DEMO_COMMON_TEXT_INDEX_H

#include "demo/common/memory.h"

#include <stdbool.h>

// Begin with {0}. Texts are numbered from 0 in the order in which they are added.
typedef struct common_text_index {
    char **texts;  // [count] copies
    size_t *slots; // [num_slots] 1 + the number of a text; 0: free
    size_t count;
    size_t num_slots;
    uint64_t seed;
} common_text_index;

// Adds a text of `length` bytes unless it is in the set. Returns its number, which is the former
// count if it was added. The time is constant for short texts, also for texts that were chosen to
// make a known hash function slow.
size_t common_index_text(common_text_index *index, const char *text, size_t length);

// Returns whether a text is in the set.
bool common_has_text(const common_text_index *index, const char *text);

void common_free_text_index(common_text_index *index);

#endif
