// What the programs ask of the operating system, in POSIX's functions or in those of Windows.
#ifndef DEMO_COMMON_SYSTEM_H
#define DEMO_COMMON_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

// Makes a new folder for the user alone where the system keeps what lasts for a while: NAME-NUMBER.
// Returns its path, to be freed; NULL if none can be made.
char *common_make_temporary(const char *name);

// Returns the size of the process's address space in bytes, or 0 if the system does not have
// /proc/self/statm.
size_t common_address_space(void);

// Limits the memory and the processor time that the process may take from now on, where the system
// can; 0 seconds: without limit. When the time is over, writes `late` to standard error and exits
// with status 1. When memory runs out, allocations fail.
void common_limit_process(size_t bytes, unsigned seconds, const char *late);

// Runs work(user, out) in a process of its own, as a library needs that files can crash, with
// limits as above, and returns the bytes [*size] that it wrote, whatever became of it; free() them.
// NULL, and *reason, if it wrote nothing, more than 2 GiB, or the system has no such processes.
char *common_run_apart(bool (*work)(void *user, FILE *out), void *user, size_t bytes,
                       unsigned seconds, size_t *size, const char **reason);

// Whether standard output (1) or standard error (2) is a terminal.
bool common_is_terminal(int stream);

#endif
