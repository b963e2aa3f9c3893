// Formats errors and warnings as text: file:line:column: error: message.
#include "md5/core/context.h"

// Writes an error as one line: file:line:column: severity: message. Returns the length of the line,
// like snprintf(); `text` contains as much of it as fits into `size` bytes.
size_t md5_format_error(const md5_error *error, char *text, size_t size)
{
    char full_text[sizeof error->file + sizeof error->message + 64];
    char location[32] = "";
    const bool has_file = error->file[0] != '\0';
    const bool has_line = error->line > 0;
    const char *const colon = has_file ? ":" : "";
    const char *const space = has_file || has_line ? " " : "";
    if (has_line)
        snprintf(location, sizeof location, "%u:%u:", error->line, error->column);
    snprintf(full_text, sizeof full_text, "%s%s%s%s%s: %s", error->file, colon, location, space,
             md5i_severity(error->status), error->message);

    // Copy the line with escapes for bytes that are not printable, because a file name may contain
    // control sequences for terminals.
    const char *const end = full_text + strlen(full_text);
    const char *at = full_text;
    size_t length = 0;
    while (at < end) {
        char bytes[MD5_ESCAPED];
        const size_t count = md5i_escape(&at, end, bytes);
        for (size_t i = 0; i < count; i++) {
            if (length + 1 < size)
                text[length] = bytes[i];
            length++;
        }
    }
    if (size > 0)
        text[length < size ? length : size - 1] = '\0';
    return length;
}
