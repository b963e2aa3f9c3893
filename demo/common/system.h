// Functions of the operating system, implemented for POSIX and for Windows.
#ifndef DEMO_COMMON_SYSTEM_H
#define DEMO_COMMON_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// The status of a path. A pipe or a device is neither a file nor a folder.
typedef struct common_status {
    bool is_file;
    bool is_folder;
    uint64_t size; // bytes
    uint64_t time; // time of the last change, in nanoseconds if the system supports it

    // Both numbers together identify the file. `file` is 0 on systems without file numbers.
    uint64_t file;
    uint64_t device;
} common_status;

// Returns false if the path does not exist.
bool common_read_status(const char *path, common_status *status);

// Returns true if the path itself is a symbolic link. Always returns false on Windows.
bool common_is_link(const char *path);

// Creates all folders of a file's path that do not exist yet, with this mode. Errors are not
// reported: writing the file then fails and reports the reason.
void common_create_folders(const char *file, unsigned mode);

// Creates a folder NAME-NUMBER in the system's folder for temporary files. Only the user can access
// it. Returns its path, which the caller frees, or NULL on failure.
char *common_create_temporary_folder(const char *name);

// Returns the size of the process's address space in bytes, or 0 if the system does not have
// /proc/self/statm.
size_t common_address_space(void);

// Returns the id of this process.
long common_process_id(void);

// Returns true if a process with this id runs and belongs to the same user.
bool common_process_runs(long id);

// Limits the memory and the processor time of this process, if the system supports it. `seconds` is
// 0 for no time limit. If the time is exceeded, writes `message` to standard error and exits with
// status 1. If the memory is exceeded, allocations fail.
void common_limit_process(size_t bytes, unsigned seconds, const char *message);

// The reason why common_run_in_child() has failed.
typedef struct common_child_failure {
    bool is_started;    // false: the system could not start the process, or does not support it
    const char *reason; // text for messages
} common_child_failure;

// Runs work(user, out) in a child process, for libraries that can crash because of hostile files.
// Limits memory and time like common_limit_process(). The child inherits the address space of this
// process, so the limit of memory applies to additional memory only.
//
// Returns the bytes [*size] that the child has written, even if it has crashed. Free them with
// free(). Returns NULL and fills *failure if the child could not be started, or if it wrote nothing
// or more than 2 GiB.
char *common_run_in_child(bool (*work)(void *user, FILE *out), void *user, size_t bytes,
                          unsigned seconds, size_t *size, common_child_failure *failure);

// Makes standard output a text stream again after common_begin_file() has made it binary. It has an
// effect only on Windows.
void common_set_text_output(void);

// Returns true if standard output (1) or standard error (2) is a terminal.
bool common_is_terminal(int stream);

#endif
