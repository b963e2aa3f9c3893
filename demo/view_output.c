#include "demo/view_output.h"

#include "demo/common_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

#include <stb/stb_image_write.h>

// -- Names ----------------------------------------------------------------------------------

// The value of one place, "frame:04" without its braces, or NULL if it is none.
static char *place_value(const char *place, const view_name_values *values)
{
    const char *const colon = strchr(place, ':');
    const size_t length = colon != NULL ? (size_t)(colon - place) : strlen(place);
    char *end = NULL;
    const long digits = colon != NULL ? strtol(colon + 1, &end, 10) : 0;
    if (colon != NULL && (*end != '\0' || end == colon + 1 || digits < 0 || digits > 20))
        return NULL;
    const int width = (int)digits;
    if (length == 5 && strncmp(place, "model", length) == 0)
        return common_copy(values->model);
    if (length == 4 && strncmp(place, "anim", length) == 0)
        return common_copy(values->anim);
    if (length == 5 && strncmp(place, "frame", length) == 0)
        return common_format("%0*u", width, (unsigned)values->frame);
    if (length == 1 && place[0] == 'n')
        return common_format("%0*u", width, (unsigned)values->n);
    if (length == 4 && strncmp(place, "time", length) == 0)
        return common_format("%0*.3f", width, values->time);
    return NULL;
}

char *view_fill_name(const char *name, const view_name_values *values)
{
    char *filled = common_copy("");
    while (*name != '\0') {
        const char *const end = *name == '{' ? strchr(name, '}') : NULL;
        char place[32], *value = NULL;
        if (end != NULL && (size_t)(end - name) < sizeof place) {
            (void)snprintf(place, sizeof place, "%.*s", (int)(end - name - 1), name + 1);
            value = place_value(place, values);
        }
        char *const next = value != NULL ? common_format("%s%s", filled, value)
                                         : common_format("%s%c", filled, *name);
        name = value != NULL ? end + 1 : name + 1;
        free(value);
        free(filled);
        filled = next;
    }
    return filled;
}

// The name with a number before its ending: "a.png" gives "a-2.png".
static char *number_name(const char *name, uint32_t n)
{
    const char *const dot = strrchr(common_base(name), '.');
    const size_t stem = dot != NULL ? (size_t)(dot - name) : strlen(name);
    return common_format("%.*s-%u%s", (int)stem, name, (unsigned)n, name + stem);
}

// -- PNG ------------------------------------------------------------------------------------

typedef struct png_file {
    FILE *file;
    bool failed;
} png_file;

static void write_bytes(void *user, void *bytes, int size)
{
    png_file *const png = user;
    if (fwrite(bytes, 1, (size_t)size, png->file) != (size_t)size)
        png->failed = true;
}

static FILE *open_output(const char *path)
{
    if (strcmp(path, "-") != 0)
        return fopen(path, "wb");
#ifdef _WIN32
    (void)_setmode(_fileno(stdout), _O_BINARY);
#endif
    return stdout;
}

static bool write_png(view_log *log, const char *path, uint32_t width, uint32_t height,
                      const uint8_t *rgba)
{
    png_file png = {.file = open_output(path)};
    if (png.file == NULL) {
        view_error(log, "cannot write %s", path);
        return false;
    }
    const int written = stbi_write_png_to_func(write_bytes, &png, (int)width, (int)height, 4, rgba,
                                               (int)(4 * width));
    const bool flushed = fflush(png.file) == 0;
    const bool closed = png.file == stdout || fclose(png.file) == 0;
    if (written != 0 && flushed && closed && !png.failed)
        return true;
    view_error(log, "cannot write all of %s", path);
    return false;
}

// -- Pictures -------------------------------------------------------------------------------

bool view_save_picture(view_state *viewer, const char *path, bool transparent, bool clean)
{
    const uint32_t width = viewer->width, height = viewer->height;
    md5_error error;
    uint8_t *rgba = common_alloc((size_t)width * height, 4);
    md5gl_target *const target =
        md5gl_create_target(viewer->renderer, width, height, viewer->options->samples, &error);
    const bool drawn = target != NULL
                       && view_draw(viewer, target, width, height, transparent, clean, &error)
                       && md5gl_read_pixels(viewer->renderer, target, width, height, rgba, &error);
    if (!drawn)
        view_log_error(&viewer->log, &error);
    const bool saved = drawn && write_png(&viewer->log, path, width, height, rgba);
    md5gl_destroy_target(viewer->renderer, target);
    free(rgba);
    return saved;
}

static view_name_values name_values(const view_state *viewer, uint32_t n)
{
    const view_clip *const clip = view_shown_clip(&viewer->scene);
    const md5_anim *const clock = view_clock(&viewer->scene);
    return (view_name_values){
        .model = viewer->scene.name,
        .anim = clip != NULL ? clip->name : "bind-pose",
        .frame = clock != NULL ? view_moment(&viewer->play, clock).frame0 : 0,
        .time = viewer->play.time,
        .n = n,
    };
}

bool view_run_output(view_state *viewer)
{
    const view_options *const options = viewer->options;
    const uint32_t count = options->num_times > 0 ? (uint32_t)options->num_times : 1;
    const char *const name = options->output;
    const bool tells_apart = strstr(name, "{n") != NULL || strstr(name, "{frame") != NULL
                             || strstr(name, "{time") != NULL;
    bool saved = true;
    for (uint32_t i = 0; i < count && saved; i++) {
        viewer->play.time = options->num_times > 0 ? options->times[i] : 0.0;
        const view_name_values values = name_values(viewer, i + 1);
        char *const numbered =
            count > 1 && !tells_apart ? number_name(name, i + 1) : common_copy(name);
        char *const path = view_fill_name(numbered, &values);
        view_log_progress(&viewer->log, "pictures", i, count);
        saved = view_save_picture(viewer, path, options->no_background, false);
        if (saved && strcmp(path, "-") != 0)
            view_info(&viewer->log, "%s", path);
        free(path);
        free(numbered);
    }
    view_log_progress(&viewer->log, "pictures", count, count);
    return saved;
}

void view_save_screenshot(view_state *viewer, bool clean)
{
    char *path = NULL;
    for (uint32_t n = 1; path == NULL && n < 10000; n++) {
        char *const candidate = common_format("%s-%u.png", viewer->scene.name, (unsigned)n);
        if (common_file_stamp(candidate) == 0)
            path = candidate;
        else
            free(candidate);
    }
    // The message of the last one is not to be in the next.
    viewer->notice_end = 0.0;
    if (path != NULL && view_save_picture(viewer, path, clean, clean)) {
        view_info(&viewer->log, "%s", path);
        view_notice(viewer, "Saved %s", path);
    } else {
        view_notice(viewer, "The picture cannot be saved in this folder");
    }
    free(path);
}

// -- Frames ---------------------------------------------------------------------------------

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double wall_seconds(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_times(const view_state *viewer, double *seconds, uint32_t count)
{
    qsort(seconds, count, sizeof *seconds, compare_doubles);
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++)
        sum += seconds[i];
    printf("%u frames of %ux%u in %.3f s: min %.3f ms, median %.3f ms, max %.3f ms\n",
           (unsigned)count, (unsigned)viewer->width, (unsigned)viewer->height, sum,
           1e3 * seconds[0], 1e3 * seconds[count / 2], 1e3 * seconds[count - 1]);
}

bool view_run_frames(view_state *viewer)
{
    const uint32_t count = viewer->options->num_frames;
    const double rate = viewer->options->frame_rate > 0.0 ? viewer->options->frame_rate : 60.0;
    md5_error error;
    uint8_t pixel[4];
    double *seconds = common_alloc(count, sizeof *seconds);
    md5gl_target *const target = md5gl_create_target(
        viewer->renderer, viewer->width, viewer->height, viewer->options->samples, &error);
    bool drawn = target != NULL;
    viewer->play.playing = true;
    for (uint32_t i = 0; i < count && drawn; i++) {
        const double begin = wall_seconds();
        // Reading one pixel back waits until the frame is really there.
        drawn = view_draw(viewer, target, viewer->width, viewer->height, false, false, &error)
                && md5gl_read_pixels(viewer->renderer, target, 1, 1, pixel, &error);
        seconds[i] = wall_seconds() - begin;
        viewer->frame_seconds = seconds[i];
        view_advance(&viewer->play, view_clock(&viewer->scene), 1.0 / rate);
        view_log_progress(&viewer->log, "frames", i, count);
    }
    view_log_progress(&viewer->log, "frames", count, count);
    if (drawn)
        print_times(viewer, seconds, count);
    else
        view_log_error(&viewer->log, &error);
    md5gl_destroy_target(viewer->renderer, target);
    free(seconds);
    return drawn;
}
