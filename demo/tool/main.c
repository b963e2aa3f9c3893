// md5tool: looks into MD5 files without a window.
#include "demo/common/file.h"
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
    "  info FILE...        what is in .md5mesh, .md5anim, .md5camera, .md5machine files\n"
    "  check FILE...       whether files, or all in a folder, can be read,\n"
    "                      and what is odd in them\n"
    "  dump MESH [ANIM]    every number, bind pose and posed, as text\n"
    "\n"
    "  --help              this text; after a command, its own\n"
    "  --version           the library's version\n";

int tool_usage(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("md5tool: ", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, " (see md5tool%s%s --help)\n", command ? " " : "", command ? command : "");
    return TOOL_BAD_USAGE;
}

void tool_print_error(const md5_error *error)
{
    char text[640];
    md5_format_error(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
}

bool tool_load(const char *path, const md5_load_opts *opts, tool_asset *asset, md5_error *error)
{
    *asset = (tool_asset){0};
    if (common_has_ending(path, ".md5anim")) {
        asset->anim = md5_load_anim(path, opts, error);
        asset->num_warnings = asset->anim ? asset->anim->num_warnings : 0;
    } else if (common_has_ending(path, ".md5camera")) {
        asset->camera = md5_load_camera(path, opts, error);
        asset->num_warnings = asset->camera ? asset->camera->num_warnings : 0;
    } else if (common_has_ending(path, ".md5machine")) {
        if (common_load_machine(path, opts, &asset->machine, error))
            asset->num_warnings = asset->machine.file->num_warnings;
    } else {
        asset->model = md5_load_model(path, opts, error);
        asset->num_warnings = asset->model ? asset->model->num_warnings : 0;
    }
    return error->status == MD5_OK;
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

static int run_command(const tool_command *command, int count, char **arguments)
{
    for (int i = 0; i < count; i++) {
        if (asks_for_help(arguments[i])) {
            fputs(command->help, stdout);
            return TOOL_OK;
        }
    }
    return command->run(count, arguments);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return tool_usage(NULL, "a command is missing: info, check or dump");
    if (asks_for_help(argv[1])) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("md5tool %d.%d.%d\n", MD5_VERSION_MAJOR, MD5_VERSION_MINOR, MD5_VERSION_PATCH);
        return TOOL_OK;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        const int status = run_command(&commands[i], argc - 2, argv + 2);
        // A full disk or a closed pipe must not look like success.
        if (fflush(stdout) != 0 || ferror(stdout)) {
            fputs("md5tool: error: cannot write the output\n", stderr);
            return TOOL_BAD_FILE;
        }
        return status;
    }
    return tool_usage(NULL, "there is no command '%s', only info, check and dump", argv[1]);
}
