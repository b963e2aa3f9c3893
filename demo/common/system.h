// What the programs ask of the operating system, in POSIX's functions or in those of Windows.
#ifndef DEMO_COMMON_SYSTEM_H
#define DEMO_COMMON_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct common_status {
    bool is_file, is_folder; // neither: a pipe or a device
    uint64_t size;           // in bytes
    uint64_t time;           // of the last change; in nanoseconds where the system has them
    uint64_t file, device;   // identify the file; `file` is 0 on systems without file numbers
} common_status;

// Returns false if there is no file or folder of that name.
bool common_read_status(const char *path, common_status *status);

// Calls `found` with the name of each entry of a folder, "." and ".." included, in any order. Calls
// nothing if the folder cannot be read.
void common_each_entry(const char *folder, void (*found)(void *user, const char *name), void *user);

// Writes the path of the current folder. Returns false if it does not fit or is unknown.
bool common_current_folder(char *path, size_t size);

// Whether standard output (1) or standard error (2) is a terminal.
bool common_is_terminal(int stream);

#endif
