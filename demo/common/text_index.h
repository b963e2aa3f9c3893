// A set of texts that maps each text to its index in constant time.
#ifndef DEMO_COMMON_TEXT_INDEX_H
#define DEMO_COMMON_TEXT_INDEX_H

#include "demo/common/memory.h"

#include <stdbool.h>

// A set of texts. Initialize it with {0}. A text's index is the number of texts that were added
// before it.
typedef struct common_text_index {
    char **texts;  // [count] copies
    size_t *slots; // [num_slots] 1 + index of a text; 0 if free
    size_t count;
    size_t num_slots;
    uint64_t seed; // seed of the hash function
} common_text_index;

// Adds a text of `length` bytes unless it is in the set. If the bytes contain a NUL, the text ends
// before it. Returns the index of the text. If the text was added, the index is the former count.
// The time is constant for short texts. This is also true for texts that were chosen to collide in
// a known hash function.
size_t common_index_text(common_text_index *index, const char *text, size_t length);

// Returns true if a text is in the set.
bool common_has_text(const common_text_index *index, const char *text);

void common_free_text_index(common_text_index *index);

#endif
