// Uses open(), fstat(), poll() and read() on POSIX systems: opening a pipe without a writer must
// not block, and C11 cannot detect one.
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#define HAS_POSIX 1
#else
#define HAS_POSIX 0
#endif

#include "md5/file_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#if HAS_POSIX
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

// An open file: a descriptor on POSIX systems, else a stream.
typedef struct source {
#if HAS_POSIX
    int descriptor;
#else
    FILE *stream;
#endif
    bool is_pipe;
    size_t size; // 0 if unknown
} source;

static bool fail_io(md5_context *context, const char *what)
{
    return md5_fail(context, MD5_ERROR_IO, 0, 0, "%s: %s", what, strerror(errno));
}

// -- The system -----------------------------------------------------------------------------

#if HAS_POSIX

static bool open_source(md5_context *context, const char *path, source *opened)
{
    struct stat status;
    opened->descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (opened->descriptor < 0 || fstat(opened->descriptor, &status) != 0)
        return fail_io(context, "cannot open the file");
    if (S_ISDIR(status.st_mode))
        return md5_fail(context, MD5_ERROR_IO, 0, 0, "this is a folder: expected a file");
    opened->is_pipe = S_ISFIFO(status.st_mode);
    if (S_ISREG(status.st_mode) && status.st_size > 0)
        opened->size = (size_t)status.st_size;
    return true;
}

static void close_source(source *opened)
{
    if (opened->descriptor >= 0)
        close(opened->descriptor);
}

// Reads 1 to `size` bytes, 0 at the end of the source. Waits for a slow writer.
static bool read_some(md5_context *context, const source *from, char *bytes, size_t size,
                      size_t *count)
{
    for (;;) {
        const ssize_t result = read(from->descriptor, bytes, size);
        if (result >= 0) {
            *count = (size_t)result;
            return true;
        }
        struct pollfd waiting = {.fd = from->descriptor, .events = POLLIN};
        const bool is_early = errno == EAGAIN;
        if (!(is_early && poll(&waiting, 1, -1) >= 0) && errno != EINTR)
            return fail_io(context, "cannot read the file");
    }
}

#else

static bool open_source(md5_context *context, const char *path, source *opened)
{
    errno = 0;
    opened->stream = fopen(path, "rb");
    return opened->stream || fail_io(context, "cannot open the file");
}

static void close_source(source *opened)
{
    if (opened->stream)
        fclose(opened->stream);
}

static bool read_some(md5_context *context, const source *from, char *bytes, size_t size,
                      size_t *count)
{
    errno = 0;
    *count = fread(bytes, 1, size, from->stream);
    return !ferror(from->stream) || fail_io(context, "cannot read the file");
}

#endif

// -- The text -------------------------------------------------------------------------------

static bool make_room(md5_context *context, md5_file_text *text, size_t room)
{
    TRY(md5_check_text_size(context, room));
    char *const bytes = md5_alloc(context, room);
    TRY(bytes);
    if (text->size > 0)
        memcpy(bytes, text->bytes, text->size);
    md5_free(context, text->bytes, text->room);
    text->bytes = bytes;
    text->room = room;
    return true;
}

// Reads a file into a buffer of its size. The buffer doubles if the size is unknown or the file
// grew: when it is full, reading one more byte tells whether that is necessary.
static bool read_source(md5_context *context, const source *from, md5_file_text *text)
{
    enum { LEAST = 1 << 16 };
    TRY(make_room(context, text, from->size ? from->size : LEAST));
    for (;;) {
        char next;
        size_t count = 0;
        const bool is_full = text->size == text->room;
        char *const to = is_full ? &next : text->bytes + text->size;
        TRY(read_some(context, from, to, is_full ? 1 : text->room - text->size, &count));
        if (count == 0)
            return true;
        if (is_full) {
            TRY(make_room(context, text, 2 * text->room));
            text->bytes[text->size] = next;
        }
        text->size += count;
    }
}

bool md5_read_file_text(md5_context *context, const char *path, md5_file_text *text)
{
    if (!path)
        return md5_fail(context, MD5_ERROR_IO, 0, 0, "no path is given");
    source opened = {0};
    const bool is_read = open_source(context, path, &opened) && read_source(context, &opened, text);
    close_source(&opened);
    if (is_read && opened.is_pipe && text->size == 0)
        return md5_fail(context, MD5_ERROR_IO, 0, 0,
                        "cannot read from this pipe: no program writes to it");
    if (is_read && text->size < opened.size)
        return md5_fail(context, MD5_ERROR_IO, 0, 0,
                        "cannot read the file: it became shorter while it was read");
    return is_read;
}

void md5_free_file_text(md5_context *context, md5_file_text *text)
{
    md5_free(context, text->bytes, text->room);
    *text = (md5_file_text){0};
}

bool md5_check_text_size(md5_context *context, size_t size)
{
    if (size < INT32_MAX)
        return true;
    return md5_fail(context, MD5_ERROR_IO, 0, 0, "the text has %zu bytes: expected less than 2 GiB",
                    size);
}
