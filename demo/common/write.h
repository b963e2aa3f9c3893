// Writes files atomically: a reader finds either the former content or the complete new content. If
// writing fails, the disk is full or the program is terminated, the former file is unchanged.
//
// The new file is written in the same folder (on Linux without a name) and then replaces the former
// file; it gets the permissions of the former file. Links are followed. A pipe or a device, such as
// /dev/stdout, is written directly.
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

// Makes a write that exceeds the size limit of the process fail with an error, instead of ending
// the process. Writing a file does this, too.
void common_ignore_size_signal(void);

// Begins to write a file, or standard output if `path` is NULL. If `is_shared`, several programs
// can change the file: waits until its folder is not locked and locks it until the end, if the file
// system supports locks. The file can be read in the meantime. Returns false and sets errno if
// writing is not possible.
bool common_begin_file(common_writer *writer, const char *path, bool is_shared);

// Commits the file. If `is_complete` is false or a write failed, discards the file and returns
// false. Sets errno if a system call failed.
bool common_end_file(common_writer *writer, bool is_complete);

#endif
