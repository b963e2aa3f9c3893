#include "demo/viewer/base/config.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef _WIN32
#include <direct.h>
#define getcwd(folder, size) _getcwd(folder, (int)(size))
#else
#include <unistd.h>
#endif

// -- Where it is ----------------------------------------------------------------------------

static const char *variable(const char *name)
{
    const char *const value = getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

char *view_config_path(void)
{
#ifdef _WIN32
    const char *const folder = variable("APPDATA");
    return folder != NULL ? common_format("%s/md5view/config", folder) : NULL;
#else
    const char *const folder = variable("XDG_CONFIG_HOME"), *const home = variable("HOME");
    if (folder != NULL && common_is_absolute(folder)) // a relative one is to be ignored
        return common_format("%s/md5view/config", folder);
    return home != NULL ? common_format("%s/.config/md5view/config", home) : NULL;
#endif
}

static int make_folder(const char *path)
{
#ifdef _WIN32
    return _mkdir(path);
#else
    return mkdir(path, 0700);
#endif
}

// The folder of a file, with those above it.
static void make_folders(const char *path)
{
    char *folder = common_copy(path);
    for (char *c = folder + 1; *c != '\0'; c++)
        if (*c == '/') {
            *c = '\0';
            (void)make_folder(folder); // may be there; if it cannot be, writing says so
            *c = '/';
        }
    free(folder);
}

static char *absolute_path(const char *path)
{
    char folder[4096];
    if (common_is_absolute(path) || getcwd(folder, sizeof folder) == NULL)
        return common_copy(path);
    return common_join(folder, path);
}

// -- Reading --------------------------------------------------------------------------------

// Whether an option belongs to a window, and not to a job or a model.
static bool is_remembered(const char *name, size_t length)
{
    static const char *const names[] = {
        "resolution",      "grid",         "axis",       "edges",     "armature",
        "normal-glyphs",   "bounds",       "no-maps",    "two-sided", "light",
        "no-shadow",       "checkerboard", "untextured", "panel",     "statistics",
        "frame-time",      "hierarchy",    "samples",    "ui-scale",  "frame-rate",
        "background-color"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return true;
    return false;
}

static bool read_camera(const char *text, view_camera *camera)
{
    float numbers[7];
    for (int i = 0; i < 7; i++) {
        char *end = NULL;
        const double number = strtod(text, &end);
        if (end == text || !(fabs(number) < 1e9))
            return false;
        numbers[i] = (float)number;
        text = end;
    }
    if (text[strspn(text, " \t")] != '\0' || fabsf(numbers[1]) > 90.0f || !(numbers[2] > 1e-6f))
        return false;
    *camera = (view_camera){
        .azimuth = numbers[0],
        .elevation = numbers[1],
        .distance = numbers[2],
        .target = {numbers[3], numbers[4], numbers[5]},
        .orthographic = numbers[6] != 0.0f,
    };
    return true;
}

static void add_argument(view_config *config, const char *line)
{
    config->arguments =
        common_realloc(config->arguments, config->num_arguments + 1, sizeof *config->arguments);
    config->arguments[config->num_arguments++] = common_format("--%s", line);
}

// One line, NAME=VALUE. Returns false if it means nothing.
static bool read_line(view_config *config, const char *line)
{
    const char *const equals = strchr(line, '=');
    if (equals == NULL)
        return false;
    const char *const value = equals + 1;
    const size_t length = (size_t)(equals - line);
    if (strncmp(line, "model=", 6) == 0) {
        free(config->model);
        config->model = common_copy(value);
    } else if (strncmp(line, "recent=", 7) == 0) {
        if (config->num_recent < VIEW_MAX_RECENT)
            config->recent[config->num_recent++] = common_copy(value);
    } else if (strncmp(line, "camera=", 7) == 0) {
        config->has_camera = read_camera(value, &config->camera);
        return config->has_camera;
    } else if (is_remembered(line, length)) {
        add_argument(config, line);
    } else {
        return false;
    }
    return true;
}

static bool is_text(const char *line)
{
    for (; *line != '\0'; line++)
        if ((unsigned char)*line < ' ' && *line != '\t')
            return false;
    return true;
}

void view_read_config(view_config *config, const char *path, view_log *log)
{
    enum { MOST_LINES = 200, MOST_TOLD = 3 };
    char line[4200];
    unsigned number = 0, num_wrong = 0;
    *config = (view_config){.path = common_copy(path)};
    FILE *const file = fopen(path, "rb");
    if (file == NULL) {
        if (errno != ENOENT)
            view_warn(log, "%s: %s; nothing is remembered from it", path, strerror(errno));
        return;
    }
    while (number < MOST_LINES && fgets(line, sizeof line, file) != NULL) {
        number++;
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '\0' || line[0] == '#')
            continue;
        if (is_text(line) && read_line(config, line))
            continue;
        if (num_wrong++ < MOST_TOLD)
            view_warn(log, "%s:%u: this line means nothing, and is left out", path, number);
    }
    (void)fclose(file);
}

// -- Writing --------------------------------------------------------------------------------

static void write_lines(const view_config *config, FILE *file)
{
    const view_camera *const c = &config->camera;
    (void)fputs("# What md5view remembers of its window. Lines are options of its command line;\n"
                "# what is not one is told and left out.\n",
                file);
    for (size_t i = 0; i < config->num_arguments; i++)
        (void)fprintf(file, "%s\n", config->arguments[i] + strlen("--"));
    if (config->model != NULL)
        (void)fprintf(file, "model=%s\n", config->model);
    if (config->has_camera)
        (void)fprintf(file, "camera=%.9g %.9g %.9g %.9g %.9g %.9g %d\n", (double)c->azimuth,
                      (double)c->elevation, (double)c->distance, (double)c->target.x,
                      (double)c->target.y, (double)c->target.z, c->orthographic);
    for (size_t i = 0; i < config->num_recent; i++)
        (void)fprintf(file, "recent=%s\n", config->recent[i]);
}

// Into a file beside it first: another viewer that reads it now sees the old or the new.
bool view_write_config(const view_config *config, view_log *log)
{
    make_folders(config->path);
    char *beside = common_format("%s.new", config->path);
    FILE *const file = fopen(beside, "wb");
    bool written = file != NULL;
    if (file != NULL) {
        write_lines(config, file);
        written = ferror(file) == 0;
        written = fclose(file) == 0 && written;
    }
#ifdef _WIN32
    if (written)
        (void)remove(config->path); // which rename() does not there
#endif
    written = written && rename(beside, config->path) == 0;
    if (!written)
        view_warn(log, "%s: cannot be written: %s", config->path, strerror(errno));
    free(beside);
    return written;
}

void view_free_config(view_config *config)
{
    for (size_t i = 0; i < config->num_arguments; i++)
        free(config->arguments[i]);
    for (size_t i = 0; i < config->num_recent; i++)
        free(config->recent[i]);
    free(config->arguments);
    free(config->model);
    free(config->path);
    *config = (view_config){0};
}

// -- Recent files ---------------------------------------------------------------------------

static void add_recent(view_config *config, const char *full)
{
    size_t place = 0;
    while (place < config->num_recent && strcmp(config->recent[place], full) != 0)
        place++;
    if (place == VIEW_MAX_RECENT)
        place--;
    if (place < config->num_recent)
        free(config->recent[place]);
    else
        config->num_recent++;
    memmove(&config->recent[1], &config->recent[0], place * sizeof config->recent[0]);
    config->recent[0] = common_copy(full);
}

void view_note_model(view_config *config, const char *path)
{
    free(config->model);
    config->model = path != NULL ? absolute_path(path) : NULL;
    config->has_camera = false;
    if (config->model != NULL && !is_text(config->model)) { // a line could not hold it
        free(config->model);
        config->model = NULL;
    }
    if (config->model != NULL)
        add_recent(config, config->model);
}
