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

// Whether the path itself is a symbolic link; false on Windows.
bool common_is_link(const char *path);

// Makes the folders that a file is to lie in, with this mode, unless they are there. Of what cannot
// be made nothing is said: writing the file fails.
void common_make_folders(const char *file, unsigned mode);

// Limits the memory and the processor time that the process may take from now on, where the system
// can; 0 seconds: without limit. When the time is over, writes `late` to standard error and exits
// with status 1. When memory runs out, allocations fail.
void common_limit_process(size_t bytes, unsigned seconds, const char *late);

// Whether standard output (1) or standard error (2) is a terminal.
bool common_is_terminal(int stream);

#endif
