// Whole files, pipes and character devices.
#ifndef DEMO_COMMON_STREAM_H
#define DEMO_COMMON_STREAM_H

#include <stddef.h>

// The bytes of a file or of what comes through a pipe, up to 2 GiB; free() them. Waits for a pipe's
// writer, but not for one to come. NULL and why not in *reason otherwise.
char *common_read_stream(const char *path, size_t *size, const char **reason);

#endif
