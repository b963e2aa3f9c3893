// The description in a machine file, as md5_create_machine() takes it.
#ifndef MD5_READ_MACHINE_FILE_H
#define MD5_READ_MACHINE_FILE_H

#include "md5/md5play.h"
#include "md5/read/lex_values.h"

// Reads `size` bytes of text. The result and all that it points to lie in the arena; the members
// that describe the load (num_warnings and behind it) are left zero. Names are not looked up:
// md5_create_machine() does that. Returns NULL with the context's error set on failure.
md5_machine_file *md5i_read_machine_file(md5_arena *arena, const char *text, size_t size);

#endif
