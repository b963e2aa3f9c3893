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

static char *read_all(source from, size_t *size, const char **reason)
{
    size_t room = 1 << 16;
    char *bytes = common_alloc(room, 1);
    *size = 0;
    for (;;) {
        const int64_t count = read_some(from, bytes + *size, room - *size);
        if (count == 0)
            return bytes;
        *size += count > 0 ? (size_t)count : 0;
        *reason = count < 0 ? strerror(errno) : *size >= INT32_MAX ? "it is too large" : NULL;
        if (*reason != NULL)
            break;
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
    common_status status;
    if (common_read_status(path, &status) && status.is_folder) {
        *reason = "it is a folder";
        return NULL;
    }
    FILE *const file = fopen(path, "rb");
    if (file == NULL) {
        *reason = strerror(errno);
        return NULL;
    }
    char *const bytes = read_all(file, size, reason);
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
    if (S_ISDIR(status.st_mode))
        *reason = "it is a folder";
    else
        bytes = read_all(descriptor, size, reason);
    close(descriptor);
    if (bytes != NULL && *size == 0 && S_ISFIFO(status.st_mode)) {
        *reason = "no program writes to this pipe";
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

#endif
