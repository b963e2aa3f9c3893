// Uses open() and fstat() on POSIX systems: opening a pipe must not block, and C11 cannot tell one
// from a file. On Windows, paths are UTF-8; other bytes are read as the system's code
// page.
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#define HAS_POSIX 1
#else
#define HAS_POSIX 0
#endif

#include "md5/core/file.h"

#ifndef MD5_NO_FILES

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

static bool fail_io(md5_context *context, const char *what)
{
    return md5i_fail(context, MD5_ERROR_IO, 0, 0, "%s: %s", what, strerror(errno));
}

static bool fail_kind(md5_context *context, bool is_folder)
{
    return md5i_fail(context, MD5_ERROR_IO, 0, 0, "this is a %s: expected a file",
                     is_folder ? "folder" : "pipe or a device");
}

// -- The system -----------------------------------------------------------------------------

#if HAS_POSIX

static FILE *open_stream(md5_context *context, const char *path)
{
    struct stat status;
    FILE *stream = NULL;
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    const bool is_open = descriptor >= 0 && fstat(descriptor, &status) == 0;
    if (is_open && !S_ISREG(status.st_mode))
        (void)fail_kind(context, S_ISDIR(status.st_mode));
    else if (!is_open || !(stream = fdopen(descriptor, "rb")))
        (void)fail_io(context, "cannot open the file");
    if (!stream && descriptor >= 0)
        close(descriptor);
    return stream;
}

#else

#if defined(_WIN32)

// Of kernel32.dll, which every program has. Returns 0 if the text is not UTF-8 or does not fit.
__declspec(dllimport) int __stdcall MultiByteToWideChar(unsigned code_page, unsigned long flags,
                                                        const char *text, int length, wchar_t *wide,
                                                        int size);

static FILE *open_stream(md5_context *context, const char *path)
{
    enum { UTF8 = 65001, INVALID_IS_ERROR = 8, LONGEST = 1024 };
    wchar_t wide[LONGEST];
    struct _stat64 status;
    const int kind = _stat64(path, &status) == 0 ? status.st_mode & _S_IFMT : _S_IFREG;
    if (kind != _S_IFREG) {
        (void)fail_kind(context, kind == _S_IFDIR);
        return NULL;
    }
    errno = 0;
    const bool is_wide = MultiByteToWideChar(UTF8, INVALID_IS_ERROR, path, -1, wide, LONGEST) != 0;
    FILE *const stream = is_wide ? _wfopen(wide, L"rb") : fopen(path, "rb");
    if (!stream)
        (void)fail_io(context, "cannot open the file");
    return stream;
}

#else

static FILE *open_stream(md5_context *context, const char *path)
{
    errno = 0;
    FILE *const stream = fopen(path, "rb");
    if (!stream)
        (void)fail_io(context, "cannot open the file");
    return stream;
}

#endif

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
static bool read_system_file(md5_context *context, const char *path, md5_file_text *text)
{
    enum { FIRST_ROOM = 1 << 16 };
    FILE *const stream = open_stream(context, path);
    TRY(stream);
    const long end = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : 0;
    const size_t size = end > 0 ? (size_t)end : 0; // 0 if unknown
    rewind(stream);
    bool is_read = make_room(context, text, size ? size : FIRST_ROOM);
    while (is_read) {
        errno = 0;
        text->size += fread(text->memory + text->size, 1, text->room - text->size, stream);
        const int next = text->size < text->room ? EOF : getc(stream);
        if (next == EOF)
            break;
        is_read = make_room(context, text, 2 * text->room);
        if (is_read)
            text->memory[text->size++] = (char)next;
    }
    if (is_read && ferror(stream))
        is_read = fail_io(context, "cannot read the file");
    (void)fclose(stream);
    if (is_read && text->size < size)
        return md5i_fail(context, MD5_ERROR_IO, 0, 0,
                         "cannot read the file: it became shorter while it was read");
    return is_read;
}

#else

static bool read_system_file(md5_context *context, const char *path, md5_file_text *text)
{
    (void)path, (void)text;
    return md5i_fail(context, MD5_ERROR_IO, 0, 0,
                     "this build reads no files (MD5_NO_FILES): expected md5_load_opts.files");
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
    return md5i_fail(context, MD5_ERROR_IO, 0, 0, "cannot open the file%s%s",
                     reason.message[0] ? ": " : "", reason.message);
}

bool md5i_read_file_text(md5_context *context, const char *path, md5_file_text *text)
{
    if (!path)
        return md5i_fail(context, MD5_ERROR_IO, 0, 0, "no path is given");
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
