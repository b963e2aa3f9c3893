// Text that grows: files that are made in memory.
#ifndef DEMO_VIEWER_SCENE_WORDS_H
#define DEMO_VIEWER_SCENE_WORDS_H

#include "demo/common/memory.h"

typedef struct view_words {
    char *text; // free(); not ended by a NUL
    size_t size, room;
} view_words;

// Appends at most 200 bytes, as printf().
void view_say(view_words *words, const char *format, ...) COMMON_PRINTF(2, 3);

// Appends a name in quotes. Bytes that a quoted name of an MD5 file cannot hold become '_'.
void view_say_name(view_words *words, const char *name);

#endif
