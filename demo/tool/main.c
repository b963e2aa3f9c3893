// md5tool: prints what is in MD5 files, without a window.
#include "demo/common/text.h"
#include "demo/tool/tool.h"

#include <stdio.h>
#include <string.h>

static const tool_command commands[] = {
    {"info", tool_info, tool_info_help},
    {"check", tool_check, tool_check_help},
    {"dump", tool_dump, tool_dump_help},
    {"list", tool_list, tool_list_help},
    {"explain", tool_explain, tool_explain_help},
    {"verdicts", tool_verdicts, tool_verdicts_help},
    {"bind", tool_bind, tool_bind_help},
    {"compress", tool_compress, tool_compress_help},
    {"decompress", tool_decompress, tool_decompress_help},
};
enum { NUM_COMMANDS = sizeof commands / sizeof commands[0] };

static const char help[] =
    "usage: md5tool COMMAND [OPTION...] FILE...\n"
    "\n"
    "  info FILE...        print a summary of MD5 files and of Cube 2's md5.cfg\n"
    "  check FILE...       print errors and warnings of files, or of all files in a folder\n"
    "  dump MESH [ANIM]    print every number as text, in the bind pose and posed\n"
    "  list DIR            list the contents of a game folder or a folder of models\n"
    "  explain DIR NAME    print where an item of a game folder comes from and what is missing\n"
    "  verdicts            print how Doom 3 interprets the declarations of a game folder\n"
    "  bind OBJ MESH       bind a bare mesh to a model's joints, with automatic weights\n"
    "  compress ANIM       compress an animation to an error in units at the skin\n"
    "  decompress FILE     print a compressed animation as .md5anim\n"
    "\n"
    "  --                  end of options: only files follow\n"
    "  --help              print this text, or the help of a command\n"
    "  --version           print the version of the library\n"
    "  --man               print the manual page\n"
    "  --completions bash|zsh|fish   print a completion script for the shell\n";

static bool asks_for_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
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
        return tool_usage(
            NULL, "missing command: expected info, check, dump, list, explain, verdicts, bind, "
                  "compress or decompress");
    if (asks_for_help(arguments[0])) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    if (strcmp(arguments[0], "--version") == 0) {
        printf("md5tool %d.%d.%d\n", MD5_VERSION_MAJOR, MD5_VERSION_MINOR, MD5_VERSION_PATCH);
        return TOOL_OK;
    }
    if (strcmp(arguments[0], "--man") == 0) {
        tool_print_manual(commands, NUM_COMMANDS);
        return TOOL_OK;
    }
    if (strcmp(arguments[0], "--completions") == 0)
        return tool_print_completions(count > 1 ? arguments[1] : "", commands, NUM_COMMANDS);
    for (size_t i = 0; i < NUM_COMMANDS; i++) {
        if (strcmp(arguments[0], commands[i].name) == 0)
            return run_command(&commands[i], count - 1, arguments + 1);
    }
    return tool_usage(
        NULL,
        "unknown command '%s': expected info, check, dump, list, explain, verdicts, bind, "
        "compress or decompress",
        arguments[0]);
}

int main(int argc, char **argv)
{
    const int status = run(argc - 1, argv + 1);
    // A full disk or a closed pipe must not look like success.
    const bool is_written = common_end_output("md5tool") == 0;
    return is_written || status != TOOL_OK ? status : TOOL_BAD_FILE;
}
