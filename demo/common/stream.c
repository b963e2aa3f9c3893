#define _POSIX_C_SOURCE 200809L // open(), fstat(), poll()

#include "demo/common/stream.h"

#include "demo/common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Reads up to `size` bytes. Returns how many, 0 at the end, or -1 and sets errno.
static ssize_t read_some(int descriptor, char *bytes, size_t size)
{
    for (;;) {
        const ssize_t count = read(descriptor, bytes, size);
        struct pollfd waiting = {.fd = descriptor, .events = POLLIN};
        if (count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
            return count;
        (void)poll(&waiting, 1, -1);
    }
}

static char *read_all(int descriptor, size_t *size, const char **reason)
{
    size_t room = 1 << 16;
    char *bytes = common_alloc(room, 1);
    *size = 0;
    for (;;) {
        const ssize_t count = read_some(descriptor, bytes + *size, room - *size);
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
