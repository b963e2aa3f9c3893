// Reads whole files and pipes.
#ifndef DEMO_COMMON_STREAM_H
#define DEMO_COMMON_STREAM_H

#include <stddef.h>

// Reads a file or pipe to its end, up to 2 GiB; free() the result. Waits for data from a pipe's
// writer, but a pipe without a writer is an error, and so is a device. On failure returns NULL and
// sets *reason.
char *common_read_stream(const char *path, size_t *size, const char **reason);

#endif
