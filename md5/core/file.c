// Uses open(), fstat() and read() on POSIX systems: opening a pipe must not block, and C11 cannot
// tell one from a file. On Windows, paths are UTF-8; other bytes are read as the system's code
// page.
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#define HAS_POSIX 1
#else
#define HAS_POSIX 0
#endif

#include "md5/core/file.h"

#if MD5_HAS_FILES

#include <errno.h>
#include <stdio.h>
#include <string.h>

#if HAS_POSIX
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <sys/stat.h>
#include <wchar.h>
#endif

// An open file: a descriptor on POSIX systems, else a stream.
typedef struct source {
#if HAS_POSIX
    int descriptor;
#else
    FILE *stream;
#endif
    size_t size; // 0 if unknown
} source;

static bool fail_io(md5_context *context, const char *what)
{
    return MD5_FAIL(context, MD5_ERROR_IO, "%s: %s", what, strerror(errno));
}

static bool fail_kind(md5_context *context, bool is_folder)
{
    return MD5_FAIL(context, MD5_ERROR_IO, "cannot read a %s: expected a file",
                    is_folder ? "folder" : "pipe or a device");
}

// -- The system -----------------------------------------------------------------------------

#if HAS_POSIX

static bool open_source(md5_context *context, const char *path, source *opened)
{
    struct stat status;
    opened->descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (opened->descriptor < 0 || fstat(opened->descriptor, &status) != 0)
        return fail_io(context, "cannot open the file");
    if (!S_ISREG(status.st_mode))
        return fail_kind(context, S_ISDIR(status.st_mode));
    opened->size = status.st_size > 0 ? (size_t)status.st_size : 0;
    return true;
}

static void close_source(source *opened)
{
    if (opened->descriptor >= 0)
        close(opened->descriptor);
}

// Reads 1 to `size` bytes, 0 at the end of the source.
static bool read_some(md5_context *context, const source *from, char *bytes, size_t size,
                      size_t *count)
{
    ssize_t result;
    do
        result = read(from->descriptor, bytes, size);
    while (result < 0 && errno == EINTR);
    *count = result > 0 ? (size_t)result : 0;
    return result >= 0 || fail_io(context, "cannot read the file");
}

#else

#if defined(_WIN32)

// Of kernel32.dll, which every program has. Returns 0 if the text is not UTF-8 or does not fit.
__declspec(dllimport) int __stdcall MultiByteToWideChar(unsigned code_page, unsigned long flags,
                                                        const char *text, int length, wchar_t *wide,
                                                        int size);

static FILE *open_stream(const char *path)
{
    enum { UTF8 = 65001, INVALID_IS_ERROR = 8, LONGEST = 1024 };
    wchar_t wide[LONGEST];
    if (MultiByteToWideChar(UTF8, INVALID_IS_ERROR, path, -1, wide, LONGEST) == 0)
        return fopen(path, "rb");
    return _wfopen(wide, L"rb");
}

static bool check_kind(md5_context *context, const char *path)
{
    struct _stat64 status;
    const int kind = _stat64(path, &status) == 0 ? status.st_mode & _S_IFMT : _S_IFREG;
    return kind == _S_IFREG || fail_kind(context, kind == _S_IFDIR);
}

#else

static FILE *open_stream(const char *path)
{
    return fopen(path, "rb");
}

static bool check_kind(md5_context *context, const char *path)
{
    (void)context, (void)path;
    return true;
}

#endif

static bool open_source(md5_context *context, const char *path, source *opened)
{
    TRY(check_kind(context, path));
    errno = 0;
    opened->stream = open_stream(path);
    if (!opened->stream)
        return fail_io(context, "cannot open the file");
    if (fseek(opened->stream, 0, SEEK_END) == 0) {
        const long size = ftell(opened->stream);
        opened->size = size > 0 ? (size_t)size : 0;
    }
    rewind(opened->stream);
    return true;
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
    char *const bytes = (char *)md5i_alloc(context, room);
    TRY(bytes);
    if (text->size > 0)
        memcpy(bytes, text->memory, text->size);
    md5i_free(context, text->memory, text->room);
    text->bytes = text->memory = bytes;
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
        char *const to = is_full ? &next : text->memory + text->size;
        TRY(read_some(context, from, to, is_full ? 1 : text->room - text->size, &count));
        if (count == 0)
            return true;
        if (is_full) {
            TRY(make_room(context, text, 2 * text->room));
            text->memory[text->size] = next;
        }
        text->size += count;
    }
}

static bool read_system_file(md5_context *context, const char *path, md5_file_text *text)
{
    source opened = {0};
    const bool is_read = open_source(context, path, &opened) && read_source(context, &opened, text);
    close_source(&opened);
    if (is_read && text->size < opened.size)
        return MD5_FAIL(context, MD5_ERROR_IO,
                        "file was truncated while it was read: expected %zu bytes, found %zu",
                        opened.size, text->size);
    return is_read;
}

#else

static bool read_system_file(md5_context *context, const char *path, md5_file_text *text)
{
    (void)path, (void)text;
    return MD5_FAIL(context, MD5_ERROR_IO,
                    "this build cannot open files (MD5_HAS_FILES=0); set "
                    "md5_load_opts.files");
}

#endif

// A file of the caller's own. The reason of a failure is the caller's text, or none.
static bool open_with(md5_context *context, const char *path, md5_file_text *text)
{
    md5_error reason = {.status = MD5_ERROR_IO};
    text->bytes =
        (const char *)context->files.open(context->files.user, path, &text->size, &reason);
    reason.message[sizeof reason.message - 1] = '\0';
    if (text->bytes)
        return true;
    return MD5_FAIL(context, MD5_ERROR_IO, "cannot open the file%s%s",
                    reason.message[0] ? ": " : "", reason.message);
}

bool md5i_read_file_text(md5_context *context, const char *path, md5_file_text *text)
{
    if (!path)
        return MD5_FAIL(context, MD5_ERROR_IO, "path is missing: expected a file name, found NULL");
    return context->files.open ? open_with(context, path, text)
                               : read_system_file(context, path, text);
}

void md5i_free_file_text(md5_context *context, md5_file_text *text)
{
    if (text->bytes && context->files.open)
        context->files.close(context->files.user, text->bytes, text->size);
    md5i_free(context, text->memory, text->room);
    *text = (md5_file_text){0};
}
