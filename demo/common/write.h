// Writes files as a whole: who reads one finds what it was before or all that was written. If
// anything fails, the disk is full or the program is ended, the old file stays as it was.
//
// The new file is written beside the old one, without a name where the system has such files (on
// Linux), and then takes its place and its permissions. Links are followed. A pipe or a device, as
// /dev/stdout may be, is written directly.
#ifndef DEMO_COMMON_WRITE_H
#define DEMO_COMMON_WRITE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct common_writer {
    FILE *file; // to write to
    char *path; // what is replaced, behind links; NULL: nothing is
    char *name; // of the new file; NULL if it has none
    int lock;   // of its folder, or -1
} common_writer;

// Begins to write a file, or standard output if `path` is NULL. If several programs change the
// file, `is_shared`, locks its folder until the end, after waiting for another one that has locked
// it, where that is possible; what the file holds can be read meanwhile. Returns false and sets
// errno if writing is not possible.
bool common_begin_file(common_writer *writer, const char *path, bool is_shared);

// Ends the file. If it is not whole, or anything else was wrong with writing, forgets what was
// written, returns false and sets errno if the system failed.
bool common_end_file(common_writer *writer, bool is_whole);

#endif
