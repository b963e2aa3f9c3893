#include "demo/viewer/base/options.h"

#include "demo/common/file.h"
#include "demo/viewer/base/option_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool unknown_option(const char *argument, const view_option *nearest, char *problem,
                           size_t size)
{
    if (nearest != NULL)
        (void)snprintf(problem, size, "no option %s; did you mean --%s? (--help lists all)",
                       argument, nearest->name);
    else
        (void)snprintf(problem, size, "no option %s (--help lists all)", argument);
    return false;
}

// The range of an option that takes numbers, for messages.
static void describe_limits(const view_option *option, char *text, size_t size)
{
    const bool is_pair = option->kind == VIEW_OPTION_GRID;
    text[0] = '\0';
    if (option->high > option->low)
        (void)snprintf(text, size, ", %sfrom %g to %g", is_pair ? "each " : "", option->low,
                       option->high);
}

// Reads the option at arguments[*i], advances to its value, and marks its row as given.
static bool read_option(int count, char **arguments, int *i, view_options *options, bool *given,
                        char *problem, size_t size)
{
    const char *const argument = arguments[*i];
    if (strcmp(argument, "-h") == 0 || strcmp(argument, "-?") == 0) {
        options->help = true;
        return true;
    }
    if (argument[1] != '-')
        return unknown_option(argument, NULL, problem, size);

    const char *const name = argument + 2, *equals = strchr(name, '=');
    const size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const view_option *nearest = NULL, *const found = view_find_option(name, length, &nearest);
    if (found == NULL)
        return unknown_option(argument, nearest, problem, size);

    const char *value = equals != NULL ? equals + 1 : NULL;
    if (value == NULL && found->value != NULL) {
        if (*i + 1 >= count) {
            (void)snprintf(problem, size, "--%s needs %s", found->name, found->value);
            return false;
        }
        value = arguments[++*i];
    }
    const bool taken = view_read_option(found, value, options);
    size_t num_rows;
    given[found - view_options_table(&num_rows)] = true;
    char limits[64];
    describe_limits(found, limits, sizeof limits);
    if (!taken)
        (void)snprintf(problem, size, "--%s takes %s%s, not '%s'", found->name,
                       found->value != NULL ? found->value : "yes or no", limits, value);
    return taken;
}

bool view_is_movie(const char *path)
{
    static const char *const endings[] = {".apng", ".gif", ".mp4", ".webm"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (common_has_ending(path, endings[i]))
            return true;
    return false;
}

// Of the other options only few say something about a thumbnail.
static bool contradicts_thumbnail(const view_option *table, size_t num_rows, const bool *given,
                                  const view_options *o, char *problem, size_t size)
{
    static const char allowed[] = " output thumbnail resolution samples skin animation-time "
                                  "verbose config no-config no-auto no-background ";
    char name[64];
    if (o->output == NULL || o->num_times > 1) {
        (void)snprintf(problem, size, "--thumbnail needs --output, and is one picture");
        return true;
    }
    for (size_t i = 0; i < num_rows; i++) {
        (void)snprintf(name, sizeof name, " %s ", table[i].name);
        if (!given[i] || strstr(allowed, name) != NULL)
            continue;
        (void)snprintf(problem, size, "--thumbnail is one picture of files alone, without --%s",
                       table[i].name);
        return true;
    }
    return false;
}

static const char *find_output_contradiction(const view_options *o)
{
    const bool has_sheet = o->sheet_columns > 0;
    if (o->thumbnail > 0)
        return NULL;
    if (o->output == NULL)
        return has_sheet || o->turntable ? "--sheet and --turntable need --output" : NULL;
    const bool is_stdout = strcmp(o->output, "-") == 0;
    if (!is_stdout && !common_has_ending(o->output, ".png") && !view_is_movie(o->output))
        return "--output writes PNG to FILE.png, or to standard output if it is -; movies end in "
               ".apng, .gif, .mp4 or .webm";
    if (o->num_folders > 0
        && (has_sheet || o->turntable || o->num_frames > 0 || o->num_times > 0
            || view_is_movie(o->output)))
        return "a folder becomes one picture of its models, FILE.png, without --sheet, "
               "--turntable, "
               "--frames and times";
    if (has_sheet && (view_is_movie(o->output) || o->num_frames > 0))
        return "--sheet writes one picture, FILE.png; it cannot be used with --frames";
    if (is_stdout && (o->num_times > 1 || o->num_frames > 1 || (o->turntable && !has_sheet)))
        return "--output - writes one picture; give one --animation-time";
    if (has_sheet && (o->sheet_columns > o->width || o->sheet_rows > o->height))
        return "--sheet has more pictures than --resolution has pixels";
    return NULL;
}

static const char *find_contradiction(const view_options *o)
{
    size_t num_models = 0, num_camera_paths = 0;
    for (size_t i = 0; i < o->num_files; i++) {
        const bool is_camera_path = common_has_ending(o->files[i], ".md5camera");
        num_camera_paths += is_camera_path;
        num_models += !is_camera_path && !common_has_ending(o->files[i], ".md5anim");
    }
    if (o->game != NULL && (o->num_files > 1 || o->crowd > 0))
        return "--game takes one name, and no --crowd";
    if (o->num_bases > 0 && o->game == NULL)
        return "--base needs --game, or one folder";
    if (num_models > 1 && o->crowd == 0)
        return "only one model can be shown, except with --crowd; animations end in .md5anim, "
               "camera paths in .md5camera";
    if (num_camera_paths > 1)
        return "only one camera path (.md5camera) can be shown";
    if ((o->output != NULL) + o->verify + o->no_render > 1
        || (o->num_frames > 0 && (o->verify || o->no_render)))
        return "only one of --output, --frames, --verify and --no-render can be given";
    return find_output_contradiction(o);
}

bool view_shows_window(const view_options *options)
{
    return options->output == NULL && options->num_frames == 0 && !options->verify
           && !options->no_render;
}

// Whether a folder is a model of Cube 2's engines, which its md5.cfg describes.
static bool is_model_folder(const char *path)
{
    char *const script = common_join(path, "md5.cfg");
    const bool is_there = common_is_file(script);
    free(script);
    return is_there;
}

bool view_is_archive(const char *path)
{
    return (common_has_ending(path, ".pk4") || common_has_ending(path, ".zip")
            || common_has_ending(path, ".pak"))
           && common_is_file(path);
}

static void add_path(view_options *options, const char *path)
{
    if ((common_is_folder(path) && !is_model_folder(path)) || view_is_archive(path))
        options->folders[options->num_folders++] = path;
    else
        options->files[options->num_files++] = path;
}

static bool read_arguments(int count, char **arguments, view_options *options, bool *given,
                           char *problem, size_t size)
{
    bool only_files = false; // after "--"
    for (int i = 0; i < count; i++) {
        const char *const argument = arguments[i];
        if (!only_files && strcmp(argument, "--") == 0)
            only_files = true;
        else if (only_files || argument[0] != '-' || argument[1] == '\0')
            add_path(options, argument);
        else if (!read_option(count, arguments, &i, options, given, problem, size))
            return false;
    }
    return true;
}

static bool is_usual(view_usual usual, const view_options *options)
{
    switch (usual) {
    case VIEW_USUALLY_IN_WINDOW:
        return options->output == NULL;
    case VIEW_USUALLY_WITH_BACKGROUND:
        return !options->no_background;
    default:
        return false;
    }
}

// With --base, a folder alone is the mod. In a game, names that folders here have by chance are
// names like all others.
static void settle_game(view_options *options)
{
    if (options->num_bases > 0 && options->game == NULL && options->num_folders == 1) {
        options->game = options->folders[0];
        options->num_folders = 0;
    }
    for (size_t i = 0; i < options->num_folders && options->game != NULL; i++)
        options->files[options->num_files++] = options->folders[i];
    if (options->game != NULL)
        options->num_folders = 0;
}

// Sets the switches that were not given.
static void settle_switches(const view_option *table, size_t num_rows, const bool *given,
                            view_options *options)
{
    for (size_t i = 0; i < num_rows; i++)
        if (table[i].word != NULL && !given[i])
            *view_switch_field(&table[i], &options->shown) =
                is_usual(table[i].usual, options) != (table[i].kind == VIEW_OPTION_OPPOSITE);
}

bool view_read_options(int count, char **arguments, view_options *options, char *problem,
                       size_t problem_size)
{
    size_t num_rows;
    const view_option *const table = view_options_table(&num_rows);
    *options = (view_options){
        .width = 1280,
        .height = 720,
        .samples = 4,
        .onion = {.step = 3},
        .parms = view_usual_parms(),
        .speed = 1.0,
        .lights = view_usual_lights(),
        .level = VIEW_INFO,
    };
    options->files = common_alloc((size_t)count + 1, sizeof *options->files);
    options->folders = common_alloc((size_t)count + 1, sizeof *options->folders);

    bool *const given = common_alloc(num_rows, sizeof *given);
    const bool is_read = read_arguments(count, arguments, options, given, problem, problem_size);
    const bool is_wrong =
        is_read && options->thumbnail > 0
        && contradicts_thumbnail(table, num_rows, given, options, problem, problem_size);
    settle_game(options);
    settle_switches(table, num_rows, given, options);
    free(given);
    if (!is_read || is_wrong)
        return false;
    const char *const contradiction = find_contradiction(options);
    if (contradiction != NULL)
        (void)snprintf(problem, problem_size, "%s", contradiction);
    return contradiction == NULL;
}

void view_free_options(view_options *options)
{
    for (size_t i = 0; i < options->num_settings; i++)
        free(options->settings[i].parameter);
    free(options->settings);
    for (size_t i = 0; i < options->num_morphs; i++)
        free(options->morphs[i].parameter);
    free(options->morphs);
    for (size_t i = 0; i < options->num_textures; i++)
        free(options->textures[i].mesh);
    free(options->textures);
    free(options->hidden);
    free(options->bases);
    free(options->times);
    free(options->files);
    free(options->folders);
    *options = (view_options){0};
}
