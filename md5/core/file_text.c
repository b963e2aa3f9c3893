#include "md5/core/file_text.h"

#include "md5/core/system_file.h"

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
                               : md5i_read_system_file(context, path, text);
}

void md5i_free_file_text(md5_context *context, md5_file_text *text)
{
    if (text->bytes && context->files.open)
        context->files.close(context->files.user, text->bytes, text->size);
    md5i_free(context, text->memory, text->room);
    *text = (md5_file_text){0};
}
