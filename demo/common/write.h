// Writes files atomically. A reader finds either the former content or the complete new content.
// The former file is unchanged if writing fails, for example on a full disk, or if the program is
// terminated.
//
// The new file is written in the same folder, on Linux without a name. It then replaces the former
// file and gets its permissions. Links are followed. A pipe or a device, such as /dev/stdout, is
// written directly.
#ifndef DEMO_COMMON_WRITE_H
#define DEMO_COMMON_WRITE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct common_writer {
    FILE *file; // stream to write to
    char *path; // file that is replaced, with links resolved; NULL if nothing is replaced
    char *name; // path of the new file, or NULL
    int lock;   // descriptor of the locked folder, or -1
} common_writer;

// Makes a write beyond the process's limit of file sizes fail with an error. Otherwise a signal
// would end the process. common_begin_file() calls this function, too.
void common_ignore_size_signal(void);

// Begins to write a file, or standard output if `path` is NULL. Set `is_shared` if several programs
// can change the file. The function then waits until the folder of the file is not locked, and
// locks it until the end, if the file system supports locks. Others can read the file in the
// meantime. Returns false and sets errno if writing is not possible.
bool common_begin_file(common_writer *writer, const char *path, bool is_shared);

// Replaces the former file by the new one. If `is_complete` is false or a write has failed,
// discards the new file and returns false. Sets errno if a system call has failed.
bool common_end_file(common_writer *writer, bool is_complete);

#endif
