// The description in a machine file, as md5_create_machine() takes it.
#ifndef MD5_READ_MACHINE_FILE_H
#define MD5_READ_MACHINE_FILE_H

#include "md5/md5play.h"
#include "md5/read/lex.h"

typedef struct md5_machine_source {
    md5_machine_desc desc;  // its model is NULL; its places are of all that the text has
    md5_clip_desc *clips;   // desc.clips; their bindings are NULL
    const char *model_file; // "" if none is named
} md5_machine_source;

// Reads `size` bytes of text. All that `source` points to lies in the arena. Names are not looked
// up: md5_create_machine() does that. Returns false with the context's error set.
bool md5_read_machine_file(md5_arena *arena, const char *text, size_t size,
                           md5_machine_source *source);

#endif
