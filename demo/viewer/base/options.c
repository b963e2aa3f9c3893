#include "demo/viewer/base/options.h"

#include "demo/common/file.h"
#include "demo/viewer/base/option_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PICTURE_SIDE = 16384, MAX_FRAMES = 1000000 };

// -- Values ---------------------------------------------------------------------------------

// A whole text as a finite number in the C locale.
static bool read_number(const char *text, double *number)
{
    char *end = NULL;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number);
}

static bool read_float(const char *text, float low, float high, float *value)
{
    double number;
    if (!read_number(text, &number) || number < (double)low || number > (double)high)
        return false;
    *value = (float)number;
    return true;
}

static bool read_count(const char *text, uint32_t low, uint32_t high, uint32_t *value)
{
    double number;
    if (!read_number(text, &number) || number < low || number > high || number != floor(number))
        return false;
    *value = (uint32_t)number;
    return true;
}

// Takes a number from 0 to `most` and the `end` behind it, moving on.
static bool take_number(const char **text, double most, char end, double *number)
{
    char *rest = NULL;
    *number = strtod(*text, &rest);
    if (rest == *text || *rest != end || !(*number >= 0.0 && *number <= most))
        return false;
    *text = end != '\0' ? rest + 1 : rest;
    return true;
}

// "1280,720" or "1280x720".
static bool read_resolution(const char *text, view_options *options)
{
    double width = 0.0, height = 0.0;
    const char separator = strchr(text, 'x') != NULL ? 'x' : ',';
    if (!take_number(&text, MAX_PICTURE_SIDE, separator, &width)
        || !take_number(&text, MAX_PICTURE_SIDE, '\0', &height) || width < 1.0 || height < 1.0
        || width != floor(width) || height != floor(height))
        return false;
    options->width = (uint32_t)width;
    options->height = (uint32_t)height;
    return true;
}

// "6x4", "6,4".
static bool read_sheet(const char *text, view_options *options)
{
    enum { MOST = 64 };
    double columns = 0.0, rows = 0.0;
    const char separator = strchr(text, 'x') != NULL ? 'x' : ',';
    if (!take_number(&text, MOST, separator, &columns) || !take_number(&text, MOST, '\0', &rows)
        || columns < 1.0 || rows < 1.0 || columns != floor(columns) || rows != floor(rows))
        return false;
    options->sheet_columns = (uint32_t)columns;
    options->sheet_rows = (uint32_t)rows;
    return true;
}

static bool read_times(const char *text, view_options *options)
{
    const char *rest = text;
    for (;;) {
        char *end = NULL;
        const double time = strtod(rest, &end);
        if (end == rest || !isfinite(time) || (*end != ',' && *end != '\0'))
            return false;
        options->times =
            common_realloc(options->times, options->num_times + 1, sizeof *options->times);
        options->times[options->num_times++] = time;
        if (*end == '\0')
            return true;
        rest = end + 1;
    }
}

// "#rrggbb" or "R,G,B".
static bool read_color(const char *text, float color[3])
{
    if (text[0] == '#') {
        char *end = NULL;
        const unsigned long hex = strtoul(text + 1, &end, 16);
        for (int i = 0; i < 3; i++)
            color[i] = (float)((hex >> (16 - 8 * i)) & 255) / 255.0f;
        return strlen(text) == 7 && *end == '\0' && text[1] != '-' && text[1] != '+';
    }
    for (int i = 0; i < 3; i++) {
        double value;
        if (!take_number(&text, 1.0, i < 2 ? ',' : '\0', &value))
            return false;
        color[i] = (float)value;
    }
    return true;
}

// The place of `text` in `names`, or -1.
static int read_choice(const char *text, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    return -1;
}
#define CHOICE(text, ...)                                 \
    read_choice(text, (const char *const[]){__VA_ARGS__}, \
                (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

static bool read_switch(const char *text, bool *on)
{
    if (text == NULL) {
        *on = true;
        return true;
    }
    const int choice = CHOICE(text, "no", "yes", "false", "true", "0", "1", "off", "on");
    *on = choice % 2 == 1;
    return choice >= 0;
}

// NAME=VALUE, NAME=VALUE@TIME. They are kept by time, those of one time as given.
static bool add_setting(const char *text, view_options *options)
{
    const char *const equals = strchr(text, '=');
    char *end = NULL;
    if (equals == NULL || equals == text)
        return false;
    view_setting setting = {.value = (float)strtod(equals + 1, &end)};
    if (end == equals + 1 || !isfinite(setting.value))
        return false;
    if (*end == '@') {
        const char *const time = end + 1;
        setting.time = strtod(time, &end);
        if (end == time || !isfinite(setting.time))
            return false;
    }
    if (*end != '\0')
        return false;
    setting.parameter = common_alloc((size_t)(equals - text) + 1, 1);
    memcpy(setting.parameter, text, (size_t)(equals - text));
    options->settings =
        common_realloc(options->settings, options->num_settings + 1, sizeof *options->settings);
    size_t place = options->num_settings++;
    for (; place > 0 && options->settings[place - 1].time > setting.time; place--)
        options->settings[place] = options->settings[place - 1];
    options->settings[place] = setting;
    return true;
}

static void add_texture(const char *text, view_map map, view_options *options)
{
    const char *equals = strchr(text, '=');
    view_texture_choice choice = {.map = map, .mesh = NULL, .file = text};
    if (equals != NULL) {
        choice.mesh = common_copy(text);
        choice.mesh[equals - text] = '\0';
        choice.file = equals + 1;
    }
    options->textures =
        common_realloc(options->textures, options->num_textures + 1, sizeof *options->textures);
    options->textures[options->num_textures++] = choice;
}

// -- Options --------------------------------------------------------------------------------

// Where a switch is kept, or NULL if it is none.
static bool *find_switch(view_options *o, view_option_id id)
{
    switch (id) {
    case OPTION_HELP:
        return &o->help;
    case OPTION_VERSION:
        return &o->version;
    case OPTION_LIST_BINDINGS:
        return &o->list_bindings;
    case OPTION_VERIFY:
        return &o->verify;
    case OPTION_NO_RENDER:
        return &o->no_render;
    case OPTION_NO_CONFIG:
        return &o->no_config;
    case OPTION_NO_AUTO:
        return &o->no_auto;
    case OPTION_WATCH:
        return &o->watch;
    case OPTION_ORTHOGRAPHIC:
        return &o->orthographic;
    case OPTION_CAMERA_PATH:
        return &o->camera_path;
    case OPTION_AXIS:
        return &o->axis;
    case OPTION_EDGES:
        return &o->edges;
    case OPTION_ARMATURE:
        return &o->armature;
    case OPTION_NORMALS:
        return &o->normals;
    case OPTION_BOUNDS:
        return &o->bounds;
    case OPTION_HIERARCHY:
        return &o->hierarchy;
    case OPTION_LAMPS:
        return &o->show_lamps;
    case OPTION_CHECKERBOARD:
        return &o->checkerboard;
    case OPTION_STEPS:
        return &o->steps;
    case OPTION_CROWD_EXACT:
        return &o->crowd_exact;
    case OPTION_TURNTABLE:
        return &o->turntable;
    case OPTION_UNTEXTURED:
        return &o->untextured;
    case OPTION_NO_MAPS:
        return &o->no_maps;
    case OPTION_TWO_SIDED:
        return &o->two_sided;
    case OPTION_NO_SHADOW:
        return &o->no_shadow;
    case OPTION_STATISTICS:
        return &o->statistics;
    case OPTION_KEYS:
        return &o->keys;
    case OPTION_NO_BACKGROUND:
        return &o->no_background;
    default:
        return NULL;
    }
}

static bool set_choice(view_options *o, view_option_id id, const char *value)
{
    int choice = -1;
    if (id == OPTION_PATH) {
        choice = CHOICE(value, "auto", "4", "8", "exact", "cpu", "compute", "storage");
        o->path = (md5gl_path)choice;
    } else if (id == OPTION_SKINNING) {
        choice = CHOICE(value, "linear", "dual");
        o->skinning = (md5gl_blending)choice;
    } else if (id == OPTION_ANIMATE) {
        choice = CHOICE(value, "cpu", "gpu");
        o->animates_on_gpu = choice == 1;
    } else if (id == OPTION_LIGHT) {
        choice = CHOICE(value, "studio", "classic");
        o->lighting = (md5gl_lighting)choice;
    } else if (id == OPTION_ROOT) {
        choice = CHOICE(value, "file", "id", "in_place");
        o->root = (md5_root)choice;
    } else if (id == OPTION_LOOP) {
        choice = CHOICE(value, "loop", "cycle", "once");
        o->wrap = (md5_wrap)choice;
    } else {
        choice = CHOICE(value, "quiet", "error", "warning", "info", "debug");
        o->level = (view_level)choice;
    }
    return choice >= 0;
}

// Switches that are otherwise as it suits.
static int *find_choosing_switch(view_options *o, view_option_id id)
{
    return id == OPTION_GRID         ? &o->grid
           : id == OPTION_PANEL      ? &o->panel
           : id == OPTION_FRAME_TIME ? &o->frame_time
                                     : NULL;
}

// `value` may be NULL: on.
static bool set_switch(view_options *o, view_option_id id, const char *value)
{
    int *const choosing = find_choosing_switch(o, id);
    bool on = false, *const plain = find_switch(o, id);
    if (!read_switch(value, &on))
        return false;
    if (choosing != NULL)
        *choosing = on;
    else if (plain != NULL)
        *plain = on;
    return true;
}

static view_map map_of(view_option_id id)
{
    return id == OPTION_NORMAL_MAP     ? VIEW_MAP_NORMALS
           : id == OPTION_SPECULAR_MAP ? VIEW_MAP_SPECULAR
           : id == OPTION_GLOW_MAP     ? VIEW_MAP_GLOW
                                       : VIEW_MAP_DIFFUSE;
}

// Returns false when the value is not one that the option takes.
static bool set_value(view_options *o, view_option_id id, const char *value)
{
    switch (id) {
    case OPTION_OUTPUT:
        o->output = value;
        return value[0] != '\0';
    case OPTION_RESOLUTION:
        return read_resolution(value, o);
    case OPTION_JOINT:
        o->joint = value;
        return value[0] != '\0';
    case OPTION_CONFIG:
        o->config = value;
        return value[0] != '\0';
    case OPTION_RETARGET:
        o->retarget = value;
        return value[0] != '\0';
    case OPTION_ATTACH:
        o->attach = value;
        return strchr(value, '=') > value && strchr(value, '=')[1] != '\0';
    case OPTION_CROWD:
        return read_count(value, 1, 100000, &o->crowd);
    case OPTION_SHEET:
        return read_sheet(value, o);
    case OPTION_SAMPLES:
        return read_count(value, 1, 64, &o->samples);
    case OPTION_FRAMES:
        return read_count(value, 1, MAX_FRAMES, &o->num_frames);
    case OPTION_SET:
        return add_setting(value, o);
    case OPTION_TEXTURE:
    case OPTION_NORMAL_MAP:
    case OPTION_SPECULAR_MAP:
    case OPTION_GLOW_MAP:
        add_texture(value, map_of(id), o);
        return value[0] != '\0';
    case OPTION_LAMP:
        return view_read_lamps(value, &o->lamps);
    case OPTION_PATH:
    case OPTION_SKINNING:
    case OPTION_ANIMATE:
    case OPTION_LIGHT:
    case OPTION_ROOT:
    case OPTION_LOOP:
    case OPTION_VERBOSE:
        return set_choice(o, id, value);
    case OPTION_ANIMATION_INDEX:
        o->animation_index_given = true;
        return read_count(value, 0, 1000000, &o->animation_index);
    case OPTION_ANIMATION_TIME:
        return read_times(value, o);
    case OPTION_ANIMATION_SPEED:
        return read_number(value, &o->speed) && fabs(o->speed) <= 1000.0;
    case OPTION_FRAME_RATE:
        return read_number(value, &o->frame_rate) && o->frame_rate > 0.0;
    case OPTION_AZIMUTH:
        o->azimuth_given = true;
        return read_float(value, -1e6f, 1e6f, &o->azimuth);
    case OPTION_ELEVATION:
        o->elevation_given = true;
        return read_float(value, -90, 90, &o->elevation);
    case OPTION_DISTANCE:
        o->distance_given = true;
        return read_float(value, 1e-6f, 1e9f, &o->distance);
    case OPTION_UI_SCALE:
        return read_float(value, 0.5f, 8.0f, &o->ui_scale);
    case OPTION_BACKGROUND_COLOR:
        o->background_given = true;
        return read_color(value, o->background);
    default:
        return false; // switches: see set_switch()
    }
}

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

// Reads the option at arguments[*i], moving on to its value.
static bool read_option(int count, char **arguments, int *i, view_options *options, char *problem,
                        size_t size)
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
    const bool taken = value != NULL && found->value != NULL
                           ? set_value(options, found->id, value)
                           : set_switch(options, found->id, value);
    const char *const limits = found->id == OPTION_RESOLUTION ? ", each from 1 to 16384" : "";
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

static const char *find_output_contradiction(const view_options *o)
{
    const bool has_sheet = o->sheet_columns > 0;
    if (o->output == NULL)
        return has_sheet || o->turntable ? "--sheet and --turntable need --output" : NULL;
    const bool is_stdout = strcmp(o->output, "-") == 0;
    if (!is_stdout && !common_has_ending(o->output, ".png") && !view_is_movie(o->output))
        return "--output writes PNG: name it FILE.png, or - for standard output; movies end in "
               ".apng, .gif, .mp4 or .webm";
    if (has_sheet && (view_is_movie(o->output) || o->num_frames > 0))
        return "--sheet is one picture: FILE.png, without --frames";
    if (is_stdout && (o->num_times > 1 || o->num_frames > 1 || (o->turntable && !has_sheet)))
        return "--output - holds one picture; give one --animation-time";
    if (has_sheet && (o->sheet_columns > o->width || o->sheet_rows > o->height))
        return "--sheet has more pictures than --resolution has pixels";
    return NULL;
}

static const char *find_contradiction(const view_options *o)
{
    size_t num_models = 0, num_flights = 0;
    for (size_t i = 0; i < o->num_files; i++) {
        const bool is_flight = common_has_ending(o->files[i], ".md5camera");
        num_flights += is_flight;
        num_models += !is_flight && !common_has_ending(o->files[i], ".md5anim");
    }
    if (num_models > 1 && o->crowd == 0)
        return "one model at a time, but in a --crowd; animations end in .md5anim, flights in "
               ".md5camera";
    if (num_flights > 1)
        return "one flight (.md5camera) at a time";
    if ((o->output != NULL) + o->verify + o->no_render > 1
        || (o->num_frames > 0 && (o->verify || o->no_render)))
        return "only one of --output, --frames, --verify and --no-render at a time";
    return find_output_contradiction(o);
}

bool view_read_options(int count, char **arguments, view_options *options, char *problem,
                       size_t problem_size)
{
    *options = (view_options){
        .width = 1280,
        .height = 720,
        .samples = 4,
        .speed = 1.0,
        .lamps = view_usual_lamps(),
        .grid = -1,
        .panel = -1,
        .frame_time = -1,
        .level = VIEW_INFO,
    };
    options->files = common_alloc((size_t)count + 1, sizeof *options->files);

    bool only_files = false; // after "--"
    for (int i = 0; i < count; i++) {
        const char *const argument = arguments[i];
        if (!only_files && strcmp(argument, "--") == 0)
            only_files = true;
        else if (only_files || argument[0] != '-' || argument[1] == '\0')
            options->files[options->num_files++] = argument;
        else if (!read_option(count, arguments, &i, options, problem, problem_size))
            return false;
    }
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
    for (size_t i = 0; i < options->num_textures; i++)
        free(options->textures[i].mesh);
    free(options->textures);
    free(options->times);
    free(options->files);
    *options = (view_options){0};
}
