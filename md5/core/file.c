// Reads files. POSIX systems use open(), fstat() and read() for two reasons: C11 cannot distinguish
// a pipe from a file, and opening a pipe must not block. On Windows, paths are UTF-8. A path that
// is not valid UTF-8 is interpreted in the code page of the system.
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

// An open file: a descriptor on POSIX systems, a stream on others.
typedef struct file_source {
#if HAS_POSIX
    int descriptor;
#else
    FILE *stream;
#endif
    size_t size; // 0 if unknown
} file_source;

// Reports that a system call failed. The reason is in errno. Returns false.
static bool fail_io(md5_context *context, const char *problem)
{
    return MD5_FAIL(context, MD5_ERROR_IO, "%s: %s", problem, strerror(errno));
}

// Reports that a path leads to something other than a regular file. Returns false.
static bool fail_kind(md5_context *context, bool is_folder)
{
    return MD5_FAIL(context, MD5_ERROR_IO, "path leads to a %s: expected a regular file",
                    is_folder ? "folder" : "pipe or a device");
}

// -- Operating systems ----------------------------------------------------------------------

#if HAS_POSIX

// Opens a file and finds its size. Folders, pipes and devices are errors. O_NONBLOCK prevents that
// opening a pipe waits for a writer.
static bool open_file_source(md5_context *context, const char *path, file_source *opened)
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

static void close_source(file_source *opened)
{
    if (opened->descriptor >= 0)
        close(opened->descriptor);
}

// Reads up to `size` bytes, and sets *count to the number of bytes that were read. The number is 0
// at the end of the file. Returns false and sets the context's error if reading fails.
static bool read_some(md5_context *context, const file_source *from, char *bytes, size_t size,
                      size_t *count)
{
    ssize_t result;
    do
        result = read(from->descriptor, bytes, size);
    while (result < 0 && errno == EINTR);
    *count = result > 0 ? (size_t)result : 0;
    if (result < 0)
        return fail_io(context, "cannot read the file");
    return true;
}

#else

#if defined(_WIN32)

// A function of kernel32.dll, with which every program is linked. It returns 0 if the text is not
// UTF-8 or the result does not fit.
__declspec(dllimport) int __stdcall MultiByteToWideChar(unsigned code_page, unsigned long flags,
                                                        const char *text, int length, wchar_t *wide,
                                                        int size);

// Opens a file on Windows, whose functions expect UTF-16. A path that is not UTF-8 is passed on
// unchanged.
static FILE *open_stream(const char *path)
{
    enum { UTF8 = 65001, INVALID_IS_ERROR = 8, CAPACITY = 1024 };
    wchar_t wide[CAPACITY];
    if (MultiByteToWideChar(UTF8, INVALID_IS_ERROR, path, -1, wide, CAPACITY) == 0)
        return fopen(path, "rb");
    return _wfopen(wide, L"rb");
}

// Checks that a path is a regular file if it exists. Otherwise reading a device could block.
static bool check_kind(md5_context *context, const char *path)
{
    struct _stat64 status;
    const int kind = _stat64(path, &status) == 0 ? status.st_mode & _S_IFMT : _S_IFREG;
    if (kind != _S_IFREG)
        return fail_kind(context, kind == _S_IFDIR);
    return true;
}

#else

static FILE *open_stream(const char *path)
{
    return fopen(path, "rb");
}

// Does nothing: standard C cannot find out the kind of a file.
static bool check_kind(md5_context *context, const char *path)
{
    (void)context, (void)path;
    return true;
}

#endif

// Opens a file and finds its size, which remains 0 if the stream cannot report it. Clears errno
// first, because C11 does not require that fopen() sets it.
static bool open_file_source(md5_context *context, const char *path, file_source *opened)
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

static void close_source(file_source *opened)
{
    if (opened->stream)
        fclose(opened->stream);
}

// Reads up to `size` bytes, and sets *count to the number of bytes that were read. The number is 0
// at the end of the file. Returns false and sets the context's error if reading fails.
static bool read_some(md5_context *context, const file_source *from, char *bytes, size_t size,
                      size_t *count)
{
    errno = 0;
    *count = fread(bytes, 1, size, from->stream);
    if (ferror(from->stream))
        return fail_io(context, "cannot read the file");
    return true;
}

#endif

// -- Text of a file -------------------------------------------------------------------------

// Moves the text to a new buffer of `capacity` bytes, and frees the previous buffer. Fails if
// `capacity` exceeds the maximum size of a text.
static bool grow_buffer(md5_context *context, md5_file_text *text, size_t capacity)
{
    TRY(md5_check_text_size(context, capacity));
    char *const bytes = (char *)md5i_alloc(context, capacity);
    TRY(bytes);
    if (text->size > 0)
        memcpy(bytes, text->memory, text->size);
    md5i_free(context, text->memory, text->capacity);
    text->bytes = bytes;
    text->memory = bytes;
    text->capacity = capacity;
    return true;
}

// Reads a file into a buffer of the file's size. That size may be unknown, and the file may grow
// while it is read. Therefore, when the buffer is full, one more byte is read. The size of the
// buffer is doubled only if this byte exists.
static bool read_source(md5_context *context, const file_source *from, md5_file_text *text)
{
    enum { DEFAULT_CAPACITY = 1 << 16 };
    TRY(grow_buffer(context, text, from->size ? from->size : DEFAULT_CAPACITY));

    for (;;) {
        char next;
        size_t count = 0;
        const bool is_full = text->size == text->capacity;
        char *const to = is_full ? &next : text->memory + text->size;

        TRY(read_some(context, from, to, is_full ? 1 : text->capacity - text->size, &count));
        if (count == 0)
            return true;
        if (is_full) {
            TRY(grow_buffer(context, text, 2 * text->capacity));
            text->memory[text->size] = next;
        }
        text->size += count;
    }
}

// Reads a whole file of the operating system into a buffer. Fails if the file has fewer bytes than
// when it was opened, because another program may be writing it.
static bool read_system_file(md5_context *context, const char *path, md5_file_text *text)
{
    file_source opened = {0};
    const bool is_read =
        open_file_source(context, path, &opened) && read_source(context, &opened, text);
    close_source(&opened);
    if (is_read && text->size < opened.size)
        return MD5_FAIL(context, MD5_ERROR_IO,
                        "file was truncated while it was read: expected %zu bytes, found %zu",
                        opened.size, text->size);
    return is_read;
}

#else

// Always fails, because this build has no access to the file system (MD5_HAS_FILES=0).
static bool read_system_file(md5_context *context, const char *path, md5_file_text *text)
{
    (void)path, (void)text;
    return MD5_FAIL(context, MD5_ERROR_IO,
                    "cannot open files: the library was built without file functions "
                    "(MD5_HAS_FILES=0); set md5_load_opts.files");
}

#endif

// Opens a file with the function of the caller's md5_files. If that function fails, the message
// contains the reason that it returned, if any.
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

// Reads a whole file. The application's file functions are used if the load options contain them,
// otherwise the operating system. Returns false and sets the context's error on failure.
bool md5i_read_file_text(md5_context *context, const char *path, md5_file_text *text)
{
    if (!path)
        return MD5_FAIL(context, MD5_ERROR_IO,
                        "argument 'path' is missing: expected a file name, found NULL");
    return context->files.open ? open_with(context, path, text)
                               : read_system_file(context, path, text);
}

// Frees the text of a file. If the application's functions opened the file, they also free it.
void md5i_free_file_text(md5_context *context, md5_file_text *text)
{
    if (text->bytes && context->files.open)
        context->files.close(context->files.user, text->bytes, text->size);
    md5i_free(context, text->memory, text->capacity);
    *text = (md5_file_text){0};
}
