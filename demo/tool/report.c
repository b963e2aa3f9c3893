// What all commands report on stderr: wrong arguments and errors in files.
#include "demo/common/text.h"
#include "demo/tool/tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int tool_usage(const char *command, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs("md5tool: ", stderr);
    common_print_text(stderr, text);
    fprintf(stderr, " (see md5tool%s%s --help)\n", command ? " " : "", command ? command : "");
    return TOOL_BAD_USAGE;
}

int tool_take_files(const char *command, int count, char **arguments)
{
    int num_files = 0;
    bool is_file = false;
    for (int i = 0; i < count; i++) {
        const bool is_option = !is_file && arguments[i][0] == '-' && arguments[i][1] == '-';
        if (is_option && arguments[i][2] != '\0') {
            tool_usage(command, "%s: unknown option '%s'", command, arguments[i]);
            return -1;
        }
        if (is_option)
            is_file = true;
        else
            arguments[num_files++] = arguments[i];
    }
    if (num_files > 0)
        return num_files;
    tool_usage(command, "%s: missing file", command);
    return -1;
}

void tool_print_error(const md5_error *error)
{
    char text[TOOL_MESSAGE];
    md5_format_error(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
}

bool tool_fail_to_write(const char *path, md5_error *error)
{
    *error = (md5_error){.status = MD5_ERROR_IO};
    (void)snprintf(error->file, sizeof error->file, "%s", path);
    (void)snprintf(error->message, sizeof error->message, "cannot write the file: %s",
                   strerror(errno));
    return false;
}
