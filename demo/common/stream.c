#define _POSIX_C_SOURCE 200809L // open(), fstat(), poll()

#include "demo/common/stream.h"

#include "demo/common/memory.h"
#include "demo/common/system.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An open file: a descriptor, or where opening a pipe cannot block a stream.
#ifdef _WIN32

typedef FILE *source;

// Reads up to `size` bytes. Returns how many, 0 at the end, or -1 and sets errno.
static int64_t read_some(source from, char *bytes, size_t size)
{
    const size_t count = fread(bytes, 1, size, from);
    return count == 0 && ferror(from) ? -1 : (int64_t)count;
}

#else

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

typedef int source;

static int64_t read_some(source from, char *bytes, size_t size)
{
    for (;;) {
        const ssize_t count = read(from, bytes, size);
        struct pollfd waiting = {.fd = from, .events = POLLIN};
        if (count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
            return count;
        (void)poll(&waiting, 1, -1);
    }
}

#endif

// `expected`: the size of a file, 0 for a pipe.
static char *read_all(source from, uint64_t expected, size_t *size, const char **reason)
{
    static const char too_large[] = "it is too large";
    size_t room = expected < INT32_MAX ? (size_t)expected + (1 << 12) : 0;
    char *bytes = room > 0 ? common_alloc(room, 1) : NULL;
    *reason = room > 0 ? NULL : too_large;
    *size = 0;
    while (*reason == NULL) {
        const int64_t count = read_some(from, bytes + *size, room - *size);
        if (count == 0)
            return bytes;
        *size += count > 0 ? (size_t)count : 0;
        *reason = count < 0 ? strerror(errno) : *size >= INT32_MAX ? too_large : NULL;
        if (*size == room) {
            room *= 2;
            bytes = common_realloc(bytes, room, 1);
        }
    }
    free(bytes);
    return NULL;
}

#ifdef _WIN32

char *common_read_stream(const char *path, size_t *size, const char **reason)
{
    common_status status = {.is_file = true};
    if (common_read_status(path, &status) && !status.is_file) {
        *reason = status.is_folder ? "it is a folder" : "it is a device";
        return NULL;
    }
    FILE *const file = fopen(path, "rb");
    if (file == NULL) {
        *reason = strerror(errno);
        return NULL;
    }
    char *const bytes = read_all(file, status.size, size, reason);
    fclose(file);
    return bytes;
}

#else

char *common_read_stream(const char *path, size_t *size, const char **reason)
{
    struct stat status = {0};
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        *reason = strerror(errno);
        return NULL;
    }
    char *bytes = NULL;
    const bool is_file = S_ISREG(status.st_mode);
    if (is_file || S_ISFIFO(status.st_mode))
        bytes = read_all(descriptor, is_file ? (uint64_t)status.st_size : 0, size, reason);
    else
        *reason = S_ISDIR(status.st_mode) ? "it is a folder" : "it is a device";
    close(descriptor);
    if (bytes != NULL && *size == 0 && S_ISFIFO(status.st_mode)) {
        *reason = "no program writes to this pipe";
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

#endif
