// md5tool: prints what is in MD5 files, without a window.
#include "demo/common/text.h"
#include "demo/tool/tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct tool_command {
    const char *name;
    int (*run)(int count, char **arguments);
    const char *help;
} tool_command;

static const tool_command commands[] = {
    {"info", tool_info, tool_info_help},
    {"check", tool_check, tool_check_help},
    {"dump", tool_dump, tool_dump_help},
};

static const char help[] =
    "usage: md5tool COMMAND [OPTION...] FILE...\n"
    "\n"
    "  info FILE...        print a summary of .md5mesh, .md5anim, .md5camera, .md5machine files\n"
    "  check FILE...       print errors and warnings of files, or of all files in a folder\n"
    "  dump MESH [ANIM]    print every number as text, in the bind pose and posed\n"
    "\n"
    "  --                  end of options: only files follow\n"
    "  --help              print this text, or the help of a command\n"
    "  --version           print the version of the library\n";

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

void tool_print_error(const md5_error *error)
{
    char text[TOOL_MESSAGE];
    md5_format_error(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
}

void tool_free(tool_asset *asset)
{
    md5_free_model(asset->model);
    md5_free_anim(asset->anim);
    md5_free_camera(asset->camera);
    common_free_machine(&asset->machine);
}

static bool asks_for_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
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

static int run_command(const tool_command *command, int count, char **arguments)
{
    for (int i = 0; i < count && strcmp(arguments[i], "--") != 0; i++) {
        if (asks_for_help(arguments[i])) {
            fputs(command->help, stdout);
            return TOOL_OK;
        }
    }
    return command->run(count, arguments);
}

static int run(int count, char **arguments)
{
    if (count < 1)
        return tool_usage(NULL, "missing command: expected info, check or dump");
    if (asks_for_help(arguments[0])) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    if (strcmp(arguments[0], "--version") == 0) {
        printf("md5tool %d.%d.%d\n", MD5_VERSION_MAJOR, MD5_VERSION_MINOR, MD5_VERSION_PATCH);
        return TOOL_OK;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(arguments[0], commands[i].name) == 0)
            return run_command(&commands[i], count - 1, arguments + 1);
    }
    return tool_usage(NULL, "unknown command '%s': expected info, check or dump", arguments[0]);
}

int main(int argc, char **argv)
{
    const int status = run(argc - 1, argv + 1);
    // A full disk or a closed pipe must not look like success.
    const bool is_written = common_end_output("md5tool") == 0;
    return is_written || status != TOOL_OK ? status : TOOL_BAD_FILE;
}
