#include "md5/file_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool fail_io(md5_context *context, const char *what)
{
    const char *const reason = errno ? strerror(errno) : "it became shorter meanwhile";
    return md5_fail(context, MD5_ERROR_IO, 0, 0, "%s: %s", what, reason);
}

// A byte is read first: of a folder, which can be opened and has a size too, none can.
static bool find_size(md5_context *context, FILE *file, size_t *size)
{
    errno = 0;
    if (fgetc(file) == EOF && ferror(file))
        return fail_io(context, "cannot read the file");
    const long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end < 0 || fseek(file, 0, SEEK_SET) != 0)
        return fail_io(context, "not a regular file");
    *size = (size_t)end;
    return true;
}

static bool read_open_file(md5_context *context, FILE *file, md5_file_text *text)
{
    size_t size = 0;
    TRY(find_size(context, file, &size));
    text->bytes = md5_alloc(context, size);
    TRY(text->bytes);
    text->size = size;
    errno = 0;
    if (fread(text->bytes, 1, size, file) != size)
        return fail_io(context, "cannot read the file");
    return true;
}

bool md5_read_file_text(md5_context *context, const char *path, md5_file_text *text)
{
    if (!path)
        return md5_fail(context, MD5_ERROR_IO, 0, 0, "no file name is given");
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail_io(context, "cannot open the file");
    const bool is_read = read_open_file(context, file, text);
    fclose(file);
    return is_read;
}

bool md5_check_text_size(md5_context *context, size_t size)
{
    if (size < INT32_MAX)
        return true;
    return md5_fail(context, MD5_ERROR_IO, 0, 0, "%zu bytes are too large for one file", size);
}
