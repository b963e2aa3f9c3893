// What the commands share: arguments, messages, and loading files of any kind.
#include "demo/tool/tool.h"

#include "demo/common/file.h"
#include "demo/common/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// == Arguments and messages =======================================================================

int tool_usage(const char *command, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "md5tool: %s%s", command ? command : "", command ? ": " : "");
    common_print_text(stderr, text);
    fprintf(stderr, " (see md5tool%s%s --help)\n", command ? " " : "", command ? command : "");
    return TOOL_BAD_USAGE;
}

bool tool_read_name(const char *value, void *to)
{
    *(const char **)to = value;
    return true;
}

int tool_read_arguments(const char *command, int count, char **arguments,
                        const tool_option *options, size_t num_options, int min_words,
                        int max_words, const char *words)
{
    int num_words = 0;
    bool has_ended = false; // by --
    for (int i = 0; i < count; i++) {
        char *const argument = arguments[i];
        if (has_ended || argument[0] != '-' || argument[1] == '\0') {
            arguments[num_words++] = argument;
            continue;
        }
        has_ended = strcmp(argument, "--") == 0;
        if (has_ended)
            continue;
        size_t k = 0;
        while (k < num_options && strcmp(options[k].name, argument) != 0)
            k++;
        if (k == num_options) {
            tool_usage(command, "unknown option '%s'", argument);
            return -1;
        }
        if (!options[k].read) {
            *(bool *)options[k].to = true;
            continue;
        }
        if (++i == count || !options[k].read(arguments[i], options[k].to)) {
            tool_usage(command, "%s takes %s", argument, options[k].takes);
            return -1;
        }
    }
    if (num_words < min_words)
        tool_usage(command, "missing file: expected %s", words);
    else if (num_words > max_words)
        tool_usage(command, "expected %s, not also '%s'", words, arguments[max_words]);
    else
        return num_words;
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

// == Loading ======================================================================================
//
// Files of any kind are recognized by their extension or contents.

typedef enum file_kind {
    KIND_UNKNOWN,
    KIND_MODEL,
    KIND_ANIM,
    KIND_CAMERA,
    KIND_MACHINE,
    KIND_CUBE
} file_kind;

static file_kind kind_of_name(const char *path)
{
    return common_has_ending(path, ".md5mesh")      ? KIND_MODEL
           : common_has_ending(path, ".bmd5mesh")   ? KIND_MODEL
           : common_has_ending(path, ".md5anim")    ? KIND_ANIM
           : common_has_ending(path, ".bmd5anim")   ? KIND_ANIM
           : common_has_ending(path, ".md5camera")  ? KIND_CAMERA
           : common_has_ending(path, ".md5machine") ? KIND_MACHINE
           : common_has_ending(path, "md5.cfg")     ? KIND_CUBE
                                                    : KIND_UNKNOWN;
}

static bool stands_at(const char *text, size_t left, const char *word)
{
    const size_t length = strlen(word);
    return left >= length && memcmp(text, word, length) == 0;
}

// Returns the kind of the first keyword that only one kind has; compressed clips begin with M5CC.
// Without one: a model, whose reader has the best messages for other files.
static file_kind kind_of_text(const char *text, size_t size)
{
    if (stands_at(text, size, "M5CC"))
        return KIND_ANIM;
    for (size_t i = 0; i < size; i++) {
        if (text[i] != 'n')
            continue;
        if (stands_at(text + i, size - i, "numMeshes"))
            return KIND_MODEL;
        if (stands_at(text + i, size - i, "numAnimatedComponents"))
            return KIND_ANIM;
        if (stands_at(text + i, size - i, "numCuts"))
            return KIND_CAMERA;
    }
    return KIND_MODEL;
}

bool tool_load(const char *path, const md5_load_opts *opts, tool_asset *asset, md5_error *error)
{
    const file_kind kind = kind_of_name(path);
    *asset = (tool_asset){0};
    if (kind == KIND_UNKNOWN) {
        // Without a known extension the text is read first and then parsed: a pipe can be read only
        // once.
        md5_load_opts named = opts ? *opts : (md5_load_opts){0};
        named.file_name = path;
        const char *reason = NULL;
        size_t size = 0;
        char *const text = common_read_stream(path, &size, &reason);
        const file_kind found = text ? kind_of_text(text, size) : KIND_UNKNOWN;
        if (found == KIND_MODEL)
            asset->model = md5_parse_model(text, size, &named, error);
        if (found == KIND_ANIM)
            asset->anim = md5_parse_anim(text, size, &named, error);
        if (found == KIND_CAMERA)
            asset->camera = md5_parse_camera(text, size, &named, error);
        if (found == KIND_UNKNOWN) {
            *error = (md5_error){.status = MD5_ERROR_IO};
            snprintf(error->file, sizeof error->file, "%s", path);
            snprintf(error->message, sizeof error->message, "cannot read the file: %s", reason);
        }
        free(text);
    } else {
        if (kind == KIND_MODEL)
            asset->model = md5_load_model(path, opts, error);
        else if (kind == KIND_ANIM)
            asset->anim = md5_load_anim(path, opts, error);
        else if (kind == KIND_CAMERA)
            asset->camera = md5_load_camera(path, opts, error);
        else if (kind == KIND_CUBE)
            asset->cube = md5_load_cube2(path, NULL, opts, error);
        else
            asset->character = md5_load_character(path, opts, error);
    }
    if (asset->model)
        asset->num_warnings = asset->model->num_warnings;
    if (asset->anim)
        asset->num_warnings = asset->anim->num_warnings;
    if (asset->camera)
        asset->num_warnings = asset->camera->num_warnings;
    if (asset->character)
        asset->num_warnings = asset->character->num_warnings;
    if (asset->cube)
        asset->num_warnings = asset->cube->num_warnings;
    return asset->model || asset->anim || asset->camera || asset->cube || asset->character;
}

void tool_free(tool_asset *asset)
{
    md5_free_model(asset->model);
    md5_free_anim(asset->anim);
    md5_free_camera(asset->camera);
    md5_free_character(asset->character);
    md5_free_cube2(asset->cube);
}
