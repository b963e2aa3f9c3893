// Runs the jobs of the command line. Writes single images, image series, contact sheets and movies;
// measures frame times; prints information about files.
//
// A view_output is the job that writes images. Each step of it draws one image. view_run_job() at
// the end of this file selects the job.
#include "demo/viewer/jobs/movie.h"
#include "demo/viewer/jobs/output.h"
#include "demo/viewer/jobs/view.h"

#include "demo/common/text.h"

#include <errno.h>
#include <stb/stb_image_write.h>

// == Images ======================================================================================

// Writes an image as PNG to a file. If `path` is NULL, writes it to the standard output. Returns
// false and sets errno on failure.
static bool write_png_file(const char *path, const view_image *image)
{
    common_writer writer;
    size_t size = 0;
    if (!common_begin_file(&writer, path, false))
        return false;
    // The filter is "difference to the left". Trying all five filters in each row would take 1.8
    // times as long, and give files that are 3 % larger.
    stbi_write_force_png_filter = 1;
    uint8_t *const png = view_encode_png(image, true, &size);
    const bool is_written = png != NULL && fwrite(png, 1, size, writer.file) == size;
    free(png);
    return common_end_file(&writer, is_written);
}

// Saves an image as PNG, or writes it to the standard output if the path is "-".
bool view_write_png(view_state *viewer, const char *path, uint32_t width, uint32_t height,
                    uint8_t *rgba)
{
    const bool is_standard_output = strcmp(path, "-") == 0;
    const bool is_logged = !is_standard_output && viewer->options->thumbnail == 0;
    const char *const png_path = is_standard_output ? NULL : path;
    if (!write_png_file(png_path, &(view_image){rgba, width, height}))
        return view_error(&viewer->log, "cannot write %s: %s", path, strerror(errno));
    if (is_logged)
        view_info(&viewer->log, "%s", path);
    return true;
}

// Draws a frame into `target` and copies its pixels to rgba[4 * width * height] in memory of the
// CPU. Returns false on failure.
bool view_draw_pixels(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
                      unsigned omitted, uint8_t *rgba)
{
    md5_error error = {0};
    if (target == NULL) // an error was logged when it could not be created
        return false;
    const bool is_drawn =
        view_draw(viewer, target, width, height, omitted, &error)
        && md5gl_read_pixels(viewer->renderer, target, width, height, rgba, &error);
    return is_drawn || view_log_error(&viewer->log, &error);
}

// Creates a render target with the number of samples that the options request. Returns NULL and
// logs an error on failure.
md5gl_target *view_create_target(view_state *viewer, uint32_t width, uint32_t height)
{
    md5_error error = {0};
    md5gl_target *const target =
        md5gl_create_target(viewer->renderer, width, height, viewer->options->samples, &error);
    if (target == NULL)
        view_log_error(&viewer->log, &error);
    return target;
}

// == Image series ================================================================================

// Range of the clip that the options select, seconds.
typedef struct time_range {
    bool is_selected; // false: the whole clip; `first` and `last` are 0
    double first;
    double last;
} time_range;

// Sets the time to the end of the clip or of its range, in the first cycle. At the end of a loop,
// the time alone would select the first frame of the next cycle. view_seek() selects the last frame
// instead.
static void show_end(view_play *play, const md5_anim *anim, double end)
{
    play->time = 0;
    view_seek(play, anim, end);
}

// Sets the time of image `i` of a contact sheet with `count` images per clip. The range or cycle is
// divided into equal parts, and the image shows the middle of part `i`. Many clips begin and end
// with the same pose, which such a sheet does not show twice.
static void set_sheet_time_in_parts(view_play *play, const md5_anim *anim, time_range range,
                                    uint32_t i, uint32_t count)
{
    double end = range.last;
    if (!range.is_selected)
        end = range.first + view_cycle_length(play, anim);
    play->time = range.first + (end - range.first) * (i + 0.5) / count;
}

// Sets the time of image `i` of a contact sheet with `count` images, which are distributed over the
// selected range. The first and the last image show its ends.
static void set_sheet_time_in_range(view_play *play, const md5_anim *anim, time_range range,
                                    uint32_t i, uint32_t count)
{
    const uint32_t num_intervals = count > 1 ? count - 1 : 1;
    const bool is_last_image = count > 1 && i + 1 == count;
    play->time = range.first + (range.last - range.first) * i / num_intervals;
    if (is_last_image)
        show_end(play, anim, range.last);
}

// Sets the time of image `i` of a contact sheet with `count` images. The images are distributed
// over the selected range or over one cycle of the clip. Without a clip, they are distributed over
// count - 1 seconds.
static void set_sheet_time(const view_options *options, view_play *play, const md5_anim *anim,
                           time_range range, uint32_t i, uint32_t count)
{
    if (options->all_clips && anim != NULL) {
        set_sheet_time_in_parts(play, anim, range, i, count);
        return;
    }
    if (range.is_selected) {
        set_sheet_time_in_range(play, anim, range, i, count);
        return;
    }
    const double begin = options->num_times > 0 ? options->times[0] : range.first;
    const double length = anim != NULL ? view_cycle_length(play, anim) : count - 1;
    // The last image shows the end of the clip. In a cyclic clip, the end is equal to the begin, so
    // the last image is one interval before the end.
    const bool includes_end = play->wrap != MD5_WRAP_CYCLE && count > 1;
    const uint32_t num_intervals = includes_end ? count - 1 : count;
    const bool is_last_image = includes_end && i + 1 == count;
    play->time = begin + length * i / num_intervals;
    if (is_last_image && anim != NULL && begin == 0)
        show_end(play, anim, length);
}

// Sets the time of image `i` of a series. The images of a series follow each other at the frame
// rate. If a range is selected, the time stays in it. At the end of the range, a clip that plays
// once stops there. Other clips repeat the range.
static void set_series_time(const view_options *options, view_play *play, const md5_anim *anim,
                            time_range range, uint32_t i)
{
    const double begin = options->num_times > 0 ? options->times[0] : range.first;
    const double frame_rate = view_get_frame_rate(options, 24);
    const double direction = play->backward ? -1 : 1;
    play->time = begin;
    if (range.is_selected) { // view_advance() keeps the time in the range
        play->playing = true;
        view_advance(play, anim, i / frame_rate);
        play->playing = false;
    } else {
        play->time = begin + direction * play->speed * i / frame_rate;
    }
}

// Returns true if the images of an output are a series. They then follow each other at constant
// intervals, like the frames of a clip or of a turntable.
static bool is_series_of_images(const view_output *output)
{
    const view_options *const options = output->viewer->options;
    const bool is_movie_of_clips =
        options->all_clips && output->is_movie && options->num_times == 0;
    return options->num_frames > 0 || options->turntable || is_movie_of_clips;
}

// Sets the time and the camera of the next image. The time depends on whether the image belongs to
// a contact sheet or to a series. Otherwise it is one of the times of the options or, without such
// times, the begin of the range.
static void prepare_image(const view_output *output)
{
    view_state *const viewer = output->viewer;
    const view_options *const options = viewer->options;
    const uint32_t i = output->picture;
    const md5_anim *const anim = view_timing_anim(&viewer->document->scene);
    view_play *const play = &viewer->play;
    time_range range = {.is_selected = false};
    range.is_selected = view_find_range(play, anim, &range.first, &range.last);
    play->held_at_end = false;
    if (options->sheet_columns > 0)
        set_sheet_time(options, play, anim, range, i, output->count);
    else if (is_series_of_images(output))
        set_series_time(options, play, anim, range, i);
    else if (options->num_times > 0)
        play->time = options->times[i];
    else
        play->time = range.first;
    if (options->turntable)
        viewer->cameras.user.azimuth = output->azimuth + 360 * (float)i / (float)output->count;
}

// Splits a field, such as "frame:04", into its name and the number of digits. *num_digits becomes 0
// if the field has no number. Returns false if the number is malformed.
static bool parse_field(const char *field, char name[32], int *num_digits)
{
    enum { MAX_DIGITS = 20 };
    snprintf(name, 32, "%s", field);
    char *const colon = strchr(name, ':');
    *num_digits = 0;
    if (colon == NULL)
        return true;
    char *end;
    const long number = strtol(colon + 1, &end, 10);
    if (end == colon + 1 || *end != '\0' || number < 0 || number > MAX_DIGITS)
        return false;
    *colon = '\0';
    *num_digits = (int)number;
    return true;
}

// Returns the value of a field for image `n`, counted from 1. `field` has no braces, such as
// "frame:04". Returns NULL if the field does not exist. The caller frees the text.
static char *field_value(const view_state *viewer, const char *field, uint32_t n)
{
    const view_scene *const scene = &viewer->document->scene;
    char name[32];
    int num_digits;
    if (!parse_field(field, name, &num_digits))
        return NULL;
    if (strcmp(name, "model") == 0)
        return common_copy(scene->name);
    if (strcmp(name, "anim") == 0) {
        const view_clip *const clip = view_shown_clip(scene);
        return common_copy(clip != NULL ? clip->name : "bind-pose");
    }
    if (strcmp(name, "frame") == 0) {
        const md5_anim *const clock = view_timing_anim(scene);
        const uint32_t frame =
            clock != NULL ? view_sample_position(&viewer->play, clock).frame0 : 0;
        return common_format("%0*u", num_digits, frame);
    }
    if (strcmp(name, "n") == 0)
        return common_format("%0*u", num_digits, n);
    if (strcmp(name, "time") == 0)
        return common_format("%0*.3f", num_digits, viewer->play.time);
    return NULL;
}

// If a text begins with a known field, such as "{frame}", returns the value of this field for image
// `n`. Sets *end to its closing brace. Otherwise returns NULL. The caller frees the value.
static char *read_field(const view_state *viewer, const char *text, uint32_t n, const char **end)
{
    char field[32]; // without braces
    if (text[0] != '{')
        return NULL;
    *end = strchr(text, '}');
    if (*end == NULL || (size_t)(*end - text) >= sizeof field)
        return NULL;
    COMMON_TEXT(field, "%.*s", (int)(*end - text - 1), text + 1);
    return field_value(viewer, field, n);
}

// Returns a copy of a file name in which each known field, such as "{frame}", is replaced by its
// value for image `n`. Other braces are copied.
static char *replace_fields(const view_state *viewer, const char *name, uint32_t n)
{
    char *filled = common_copy("");
    const char *next = name;
    while (*next != '\0') {
        const char *field_end = NULL;
        char *const value = read_field(viewer, next, n, &field_end);
        if (value != NULL) {
            common_extend(&filled, "%s", value);
            next = field_end + 1;
        } else {
            common_extend(&filled, "%.1s", next);
            next++;
        }
        free(value);
    }
    return filled;
}

// Returns the name of the output file for image `n`, which the caller frees. Inserts "-N" before
// the file extension if `is_numbered` is true, then replaces the fields. The number must be
// inserted first, because the value of a field may contain a dot.
char *view_name_output(const view_state *viewer, uint32_t n, bool is_numbered)
{
    const char *const name = viewer->options->output;
    if (!is_numbered)
        return replace_fields(viewer, name, n);
    // The number is before the file extension.
    const char *const dot = strrchr(common_base(name), '.');
    const size_t stem = dot != NULL ? (size_t)(dot - name) : strlen(name);
    char *const numbered = common_format("%.*s-%u%s", (int)stem, name, n, name + stem);
    char *const filled = replace_fields(viewer, numbered, n);
    free(numbered);
    return filled;
}

// Returns the number of images that the options request of a clip. It need not be the shown clip.
static uint32_t count_images(const view_output *output, const md5_anim *anim)
{
    enum { TURNTABLE = 72 };
    const view_options *const options = output->viewer->options;
    if (output->is_sheet)
        return output->num_cells / output->num_clips;
    if (options->num_frames > 0)
        return options->num_frames;
    if (options->turntable)
        return TURNTABLE;
    if (options->num_times > 0)
        return (uint32_t)options->num_times;
    if (output->is_movie && options->all_clips)
        return view_count_images(&output->viewer->play, anim, view_get_frame_rate(options, 24));
    return 1;
}

// Counts the clips and the images of an output. Warns if a sheet has fewer cells than clips.
static void count_output(view_output *output)
{
    view_state *const viewer = output->viewer;
    const view_scene *const scene = &viewer->document->scene;
    if (viewer->options->all_clips && scene->num_clips > 1)
        output->num_clips = (uint32_t)scene->num_clips;
    if (output->is_sheet && output->num_clips > output->num_cells) {
        view_warn(&viewer->log, "only %u of %u clips fit; use a larger --sheet", output->num_cells,
                  output->num_clips);
        output->num_clips = output->num_cells;
    }
    if (output->num_clips == 1) {
        output->total = count_images(output, view_timing_anim(scene));
        return;
    }
    for (uint32_t i = 0; i < output->num_clips; i++)
        output->total += count_images(output, scene->clips[i].anim);
}

// Sets the size of the images to the size of the sheet's cells, frames the document for this size,
// and allocates the sheet.
static void begin_sheet(view_output *output)
{
    view_state *const viewer = output->viewer;
    view_options *const options = viewer->options;
    // The size is rounded up; copy_cell() cuts off what does not fit into the cell.
    const uint32_t width = (options->width + options->sheet_columns - 1) / options->sheet_columns;
    const uint32_t height = (options->height + options->sheet_rows - 1) / options->sheet_rows;
    // A cell has another aspect ratio than the sheet.
    if (!options->distance_given && !options->target_given)
        view_frame_document(viewer, width, height);
    viewer->width = width;
    viewer->height = height;

    // Light from a higher angle, so that no shadow reaches the edge of a cell.
    float *const light_elevation = &options->lights.values[VIEW_LIGHT_ELEVATION];
    const bool is_default = !(fabsf(*light_elevation) > 0);
    if (is_default)
        *light_elevation = 24;
    output->sheet = common_alloc((size_t)options->height * options->width, 4);
}

// Prepares the output: counts its images, and creates the target in which they are drawn.
bool view_begin_output(view_output *output, view_state *viewer, const common_list *cells)
{
    const view_options *const options = viewer->options;
    const char *const name = options->output;
    const uint32_t columns = options->sheet_columns;
    const uint32_t rows = options->sheet_rows;
    const bool is_png = strcmp(name, "-") == 0 || common_has_suffix(name, ".png");
    *output = (view_output){
        .viewer = viewer, .cells = cells, .num_clips = 1, .azimuth = viewer->cameras.user.azimuth};
    output->is_sheet = columns > 0 && rows > 0;
    output->is_movie = !output->is_sheet && !is_png;
    output->num_cells = columns * rows;
    if (cells != NULL && cells->count < output->num_cells)
        output->num_cells = (uint32_t)cells->count;
    count_output(output);

    // An empty caption reserves its space in the image; view_step_output() writes its text.
    const bool has_clips = output->is_sheet && output->num_clips > 1;
    if (output->cells != NULL || options->labels || has_clips)
        viewer->drawing.caption = common_copy("");
    if (output->is_sheet)
        begin_sheet(output);
    output->rgba = common_alloc((size_t)viewer->width * viewer->height, 4);
    output->target = view_create_target(viewer, viewer->width, viewer->height);
    output->is_saved = output->target != NULL;
    return output->is_saved;
}

// Shows the next clip, and counts its images. Begins its movie, if movies are written. Returns
// false and logs an error on failure.
static bool begin_clip(view_output *output)
{
    view_state *const viewer = output->viewer;
    const view_options *const options = viewer->options;
    const view_scene *const scene = &viewer->document->scene;
    if (output->num_clips > 1) {
        view_change_clip(viewer, output->clip);
        if (!options->distance_given && !options->target_given)
            view_frame_document(viewer, viewer->width, viewer->height);
    }
    output->count = count_images(output, view_timing_anim(scene));
    if (!output->is_movie)
        return true;
    output->path = view_name_output(viewer, 1, false);
    output->movie = view_begin_movie(output->path, viewer->width, viewer->height,
                                     view_get_frame_rate(options, 24), output->count, &viewer->log);
    return output->movie != NULL;
}

// Ends the movie of the current clip, if movies are written. Returns false if it is incomplete.
static bool end_clip(view_output *output)
{
    bool is_written = true;
    if (output->movie != NULL) {
        is_written = view_end_movie(output->movie);
        if (is_written)
            view_info(&output->viewer->log, "%s", output->path);
    }
    free(output->path);
    output->path = NULL;
    output->movie = NULL;
    return is_written;
}

// Opens the model of a cell instead of the model of the previous cell. If this fails, the cell
// shows an empty document with the error.
static void open_cell(view_state *viewer, const char *file)
{
    view_log_clear(&viewer->log);
    if (view_open(viewer, &file, 1, false)) {
        view_frame_pose(viewer);
    } else {
        view_free_document(viewer->document, viewer->renderer);
        viewer->document = common_alloc(1, sizeof *viewer->document);
    }
}

// Returns the displayed frame as text. If a sheet has more cells than the clip has frames, cells
// show positions between frames. One decimal is then added, because several cells would have the
// same number.
static char *frame_text(const view_output *output, const md5_anim *anim)
{
    const view_play *const play = &output->viewer->play;
    double first = 0;
    double last = 0;
    double num_frames = anim->num_frames;
    if (view_find_range(play, anim, &first, &last))
        num_frames = (last - first) * anim->frame_rate + 1;
    if (output->is_sheet && output->count > num_frames)
        return common_format("%.1f", view_frame_position(play, anim));
    return common_format("%u", view_sample_position(play, anim).frame0);
}

// Returns the caption of the current cell. It is the path of the model relative to the folder of
// the sheet, without its extension. If the path is wider than available_width (pixels), leading
// folders are removed. The end of a path identifies a model better. The caller frees the text.
static char *name_cell(const view_output *output, float available_width)
{
    static const char extension[] = ".md5mesh";
    const view_state *const viewer = output->viewer;
    const view_font *const font = &viewer->drawing.font;
    const char *const path = output->cells->names[output->num_done];

    // All models of a sheet are in the first folder of the options, so their paths begin with it.
    const char *name = path + strlen(viewer->options->folders[0]);
    name += strspn(name, "/");

    // The path is measured with its extension, which is removed at the end.
    const float max_width = available_width + view_text_width(font, VIEW_TEXT, extension);
    const char *slash = strchr(name, '/');
    while (slash != NULL && view_text_width(font, VIEW_TEXT, name) > max_width) {
        name = slash + 1;
        slash = strchr(name, '/');
    }
    return common_format("%.*s", (int)(strlen(name) - strlen(extension)), name);
}

// Returns the text below an image: the model's path in a sheet of models, otherwise the clip and
// the frame. The caller frees the text.
static char *make_caption(const view_output *output)
{
    const view_state *const viewer = output->viewer;
    const float available_width = (float)viewer->width - 2 * VIEW_CAPTION_BORDER;
    if (output->cells != NULL)
        return name_cell(output, available_width);
    const view_scene *const scene = &viewer->document->scene;
    const view_clip *const clip = view_shown_clip(scene);
    const md5_anim *const clock = view_timing_anim(scene);
    const char *const name = clip != NULL ? clip->name : scene->name;
    if (clock == NULL)
        return common_copy(name);
    char *const frame = frame_text(output, clock);
    char *const text = common_format("%s  %s", name, frame);
    free(frame);
    if (view_text_width(&viewer->drawing.font, VIEW_TEXT, text) <= available_width)
        return text;
    free(text); // a narrow cell shows only the name
    return common_copy(name);
}

// Copies the upper left part of the image into the next cell. The size of the sheet may not be a
// multiple of the number of cells. Some cells are then one pixel smaller than the image, so that
// the cells cover the sheet exactly.
static void copy_cell(view_output *output)
{
    const view_options *const options = output->viewer->options;
    const uint32_t column = output->num_done % options->sheet_columns;
    const uint32_t row = output->num_done / options->sheet_columns;
    const size_t left = (size_t)options->width * column / options->sheet_columns;
    const size_t right = (size_t)options->width * (column + 1) / options->sheet_columns;
    const size_t top = (size_t)options->height * row / options->sheet_rows;
    const size_t bottom = (size_t)options->height * (row + 1) / options->sheet_rows;
    for (size_t y = top; y < bottom; y++)
        memcpy(output->sheet + (y * options->width + left) * 4,
               output->rgba + (y - top) * output->viewer->width * 4, (right - left) * 4);
}

// Writes the drawn image to its own file. Adds a number to the file name if several images would
// otherwise have the same name. Returns false and logs an error on failure.
static bool write_single_image(const view_output *output)
{
    view_state *const viewer = output->viewer;
    const char *const name = viewer->options->output;
    const bool has_distinct_names = strstr(name, "{n") != NULL || strstr(name, "{frame") != NULL
                                    || strstr(name, "{time") != NULL;
    const bool is_numbered = output->count > 1 && !has_distinct_names;
    char *const file = view_name_output(viewer, output->picture + 1, is_numbered);
    const bool is_written =
        view_write_png(viewer, file, viewer->width, viewer->height, output->rgba);
    free(file);
    return is_written;
}

// Sets the content of the next image, and its caption. In a sheet of models, the content is the
// next model. Otherwise it is a time of the clip and the camera.
static void prepare_next(view_output *output)
{
    view_state *const viewer = output->viewer;
    if (output->cells != NULL)
        open_cell(viewer, output->cells->names[output->num_done]);
    else
        prepare_image(output);
    const bool is_single_image = !output->is_sheet && !output->is_movie;
    const bool is_framed_alone = is_single_image || output->num_clips > 1;
    if (output->count == 1 && is_framed_alone)
        view_frame_pose(viewer);
    if (viewer->drawing.caption != NULL) {
        free(viewer->drawing.caption);
        viewer->drawing.caption = make_caption(output);
    }
}

// Stores the drawn image: copies it to the sheet, or writes it to the movie or to its own file.
// Returns false and logs an error on failure.
static bool store_image(view_output *output)
{
    if (output->is_sheet) {
        copy_cell(output);
        return true;
    }
    if (output->is_movie)
        return view_add_movie_image(output->movie, output->rgba);
    return write_single_image(output);
}

// Draws the image that prepare_next() has set up and stores it. Returns false and logs an error on
// failure.
static bool draw_next_image(view_output *output)
{
    view_state *const viewer = output->viewer;
    unsigned omitted = VIEW_OMIT_NOTHING;
    if (viewer->options->no_background)
        omitted |= VIEW_OMIT_BACKGROUND;
    if (output->is_sheet) // the cells of a sheet have no interface
        omitted |= VIEW_OMIT_INTERFACE;
    return view_draw_pixels(viewer, output->target, viewer->width, viewer->height, omitted,
                            output->rgba)
           && store_image(output);
}

// Draws the next image and writes it, or copies it to the contact sheet or to the movie.
bool view_step_output(view_output *output)
{
    if (!output->is_saved || output->num_done == output->total)
        return false;
    const bool is_first_of_clip = output->picture == 0;
    if (is_first_of_clip && !begin_clip(output)) {
        output->is_saved = false;
        return false;
    }

    prepare_next(output);
    view_log_progress(&output->viewer->log, "images", output->num_done, output->total);
    output->is_saved = draw_next_image(output);

    // Continue with the next image or clip.
    output->num_done++;
    output->picture++;
    const bool is_last_of_clip = output->picture >= output->count;
    if (is_last_of_clip) {
        output->picture = 0;
        output->clip++;
        const bool is_complete = end_clip(output);
        output->is_saved = output->is_saved && is_complete;
    }
    return output->is_saved && output->num_done < output->total;
}

// Ends the output, and writes the contact sheet, if the output is one. Returns true if all
// images were written.
bool view_end_output(view_output *output)
{
    view_state *const viewer = output->viewer;
    const view_options *const options = viewer->options;
    const bool is_complete = output->is_saved && output->num_done == output->total;
    if (is_complete)
        view_log_progress(&viewer->log, "images", output->total, output->total);
    bool is_saved = end_clip(output) && is_complete;
    if (is_saved && output->is_sheet) {
        char *const file = view_name_output(viewer, 1, false);
        is_saved = view_write_png(viewer, file, options->width, options->height, output->sheet);
        free(file);
    }
    md5gl_destroy_target(viewer->renderer, output->target);
    free(viewer->drawing.caption);
    viewer->drawing.caption = NULL;
    free(output->sheet);
    free(output->rgba);
    return is_saved;
}

// Writes the output of the options; `cells`: see view_begin_output().
static bool write_output(view_state *viewer, const common_list *cells)
{
    view_output output;
    view_begin_output(&output, viewer, cells);
    while (view_step_output(&output))
        continue;
    return view_end_output(&output);
}

// Maximum number of models of a contact sheet.
enum { MAX_SHEET_MODELS = 4096 };

// Returns the .md5mesh files in a folder and its subfolders, up to the limit.
static common_list list_models(const char *folder)
{
    enum { MAX_FOLDERS = 4096 };
    common_list folders = common_list_subfolders(folder, "", MAX_FOLDERS, false);
    common_list models = {0};
    for (size_t i = 0; i < folders.count; i++) {
        common_list files = common_list_folder(folders.names[i], ".md5mesh");
        for (size_t m = 0; m < files.count && models.count < MAX_SHEET_MODELS; m++)
            common_add(&models, common_copy(files.names[m]));
        common_free_list(&files);
    }
    common_free_list(&folders);
    return models;
}

// Sets the columns and rows of a contact sheet of `count` models. The cells are about square and at
// least MIN_SIDE pixels wide and high. Therefore not all models may fit.
static void choose_grid(view_options *options, size_t count)
{
    enum { MIN_SIDE = 80 };
    const uint32_t max_columns = options->width / MIN_SIDE > 1 ? options->width / MIN_SIDE : 1;
    const uint32_t max_rows = options->height / MIN_SIDE > 1 ? options->height / MIN_SIDE : 1;
    // Square cells: columns / rows = width / height, and columns * rows = count.
    const double columns = ceil(sqrt((double)count * options->width / options->height));
    options->sheet_columns = columns < max_columns ? (uint32_t)columns : max_columns;
    const size_t rows = (count + options->sheet_columns - 1) / options->sheet_columns;
    options->sheet_rows = rows < max_rows ? (uint32_t)rows : max_rows;
}

// Draws the .md5mesh files of the first folder of the options, and of its subfolders, into
// options->output. A file that cannot be shown leaves its error in its cell. Warns if some models
// do not fit. Returns false and logs an error if no model exists or the output cannot be written.
static bool run_contact_sheet(view_state *viewer)
{
    view_options *const options = viewer->options;
    common_list models = list_models(options->folders[0]);
    const size_t count = models.count;
    if (count == 0)
        return view_error(&viewer->log,
                          "%s: .md5mesh file not found: expected at least one in the folder",
                          options->folders[0]);

    view_options sheet = *options;
    choose_grid(&sheet, count);
    const size_t num_cells = (size_t)sheet.sheet_columns * sheet.sheet_rows;
    if (num_cells < count || count == MAX_SHEET_MODELS)
        view_warn(&viewer->log, "%s: only %zu of %zu models fit; use a larger --resolution",
                  options->folders[0], num_cells < count ? num_cells : count, count);
    viewer->options = &sheet;
    const bool is_saved = write_output(viewer, &models);
    viewer->options = options;
    common_free_list(&models);
    return is_saved;
}

// == Frame times =================================================================================
//
// Draws frames and reports their durations, and the durations of crowd updates.

// Measurements of --frames. The arrays contain a duration per frame, in seconds. The counts are
// characters of a crowd, summed over all frames.
typedef struct frame_statistics {
    uint32_t count;
    double *frames;         // whole frames
    double *updates;        // updates of the crowd, which are parts of the frames
    double *remaining_work; // the other parts of the frames
    double *joints;         // updates per posed joint
    double sum;             // sum over all frames
    uint64_t num_visible;
    uint64_t num_posed;
    uint64_t num_baked; // drawn from baked clips
    uint64_t num_far;   // drawn as impostors
    uint64_t num_faded; // drawn both as impostors and as models
} frame_statistics;

// Returns statistics for `count` frames. The caller frees `frames`, which begins the block of all
// arrays.
static frame_statistics create_statistics(uint32_t count)
{
    enum { NUM_ARRAYS = 4 };
    double *const block = common_alloc(count, NUM_ARRAYS * sizeof *block);
    return (frame_statistics){
        .count = count,
        .frames = block,
        .updates = block + count,
        .remaining_work = block + 2 * (size_t)count,
        .joints = block + 3 * (size_t)count,
    };
}

// Stores the duration of frame `i`, and adds the numbers of the crowd.
static void add_frame(frame_statistics *statistics, uint32_t i, double seconds,
                      const view_crowd *crowd)
{
    statistics->frames[i] = seconds;
    statistics->updates[i] = crowd->last_seconds;
    statistics->remaining_work[i] = seconds - crowd->last_seconds;
    statistics->joints[i] =
        crowd->last_seconds / (crowd->num_joints > 0 ? (double)crowd->num_joints : 1);
    statistics->sum += seconds;
    statistics->num_visible += view_count_visible(crowd);
    statistics->num_posed += crowd->num_posed;
    statistics->num_baked += crowd->num_baked;
    statistics->num_far += crowd->num_far;
    statistics->num_faded += crowd->num_faded;
}

// Returns the median of durations. Sorts them, so that the first is the minimum.
static double sort_for_median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, common_compare_doubles);
    return values[count / 2];
}

// Prints the statistics of --frames: minimum, median and maximum time of a frame. Sorts the
// times.
static void print_frame_times(const frame_statistics *statistics, uint32_t width, uint32_t height)
{
    const uint32_t count = statistics->count;
    const double *const frames = statistics->frames;
    const double median = sort_for_median(statistics->frames, count);
    printf("%u frames of %ux%u in %.3f s: min %.3f ms, median %.3f ms, max %.3f ms\n", count, width,
           height, statistics->sum, 1e3 * frames[0], 1e3 * median, 1e3 * frames[count - 1]);
}

// Prints the numbers of characters that were drawn in each way, per frame, and the durations of the
// crowd's updates.
static void print_crowd_times(const frame_statistics *statistics, const view_crowd *crowd)
{
    const double num_frames = statistics->count;
    printf("%u characters of %u models: per frame %.1f drawn, %.1f posed by %u threads\n",
           crowd->count, crowd->num_kinds, (double)statistics->num_visible / num_frames,
           (double)statistics->num_posed / num_frames, crowd->threads->num_workers);

    const uint64_t num_models =
        statistics->num_visible - statistics->num_far + statistics->num_faded;
    if (crowd->baked_pixels > 0 || crowd->impostor_pixels > 0)
        printf("%.1f skinned, %.1f baked, %.1f impostors, %.1f of them fading into models\n",
               (double)(num_models - statistics->num_baked) / num_frames,
               (double)statistics->num_baked / num_frames, (double)statistics->num_far / num_frames,
               (double)statistics->num_faded / num_frames);

    const double update_median = sort_for_median(statistics->updates, statistics->count);
    printf("update: min %.3f ms, median %.3f ms", 1e3 * statistics->updates[0],
           1e3 * update_median);
    if (statistics->num_posed > 0)
        printf(", %.2f ns per joint", 1e9 * sort_for_median(statistics->joints, statistics->count));
    printf("; other work: median %.3f ms\n",
           1e3 * sort_for_median(statistics->remaining_work, statistics->count));
}

// Draws a frame and waits until the GPU has finished it. Sets *seconds to its duration. Returns
// false and logs an error on failure.
static bool measure_frame(view_state *viewer, md5gl_target *target, double *seconds)
{
    md5_error error = {0};
    uint8_t pixel[4]; // reading back one pixel waits for the GPU
    const double begin = view_seconds();
    if (!view_draw(viewer, target, viewer->width, viewer->height, VIEW_OMIT_NOTHING, &error)
        || !md5gl_read_pixels(viewer->renderer, target, 1, 1, pixel, &error))
        return view_log_error(&viewer->log, &error);
    *seconds = view_seconds() - begin;
    return true;
}

// Runs --frames: draws the frames, and prints their durations. Returns false and logs an error on
// failure.
static bool measure_frames(view_state *viewer)
{
    const uint32_t count = viewer->options->num_frames;
    const double rate = view_get_frame_rate(viewer->options, 60);
    const view_crowd *const crowd = &viewer->document->crowd;
    frame_statistics statistics = create_statistics(count);
    md5gl_target *const target = view_create_target(viewer, viewer->width, viewer->height);
    bool is_drawn = target != NULL;
    viewer->play.playing = true;
    viewer->drawing.is_moving = true;
    for (uint32_t i = 0; i < count && is_drawn; i++) {
        double seconds = 0;
        is_drawn = measure_frame(viewer, target, &seconds);
        if (!is_drawn)
            break;
        view_store_frame_time(viewer, seconds);
        add_frame(&statistics, i, seconds, crowd);
        view_advance(&viewer->play, view_timing_anim(&viewer->document->scene), 1.0 / rate);
        view_log_progress(&viewer->log, "frames", i, count);
    }

    if (is_drawn) {
        view_log_progress(&viewer->log, "frames", count, count);
        print_frame_times(&statistics, viewer->width, viewer->height);
        if (view_shows_crowd(viewer->document))
            print_crowd_times(&statistics, crowd);
    }
    md5gl_destroy_target(viewer->renderer, target);
    free(statistics.frames);
    return is_drawn;
}

// == Information about the files =================================================================

// Prints the joints that are farthest from their counterparts in --compare. Also prints the largest
// differences of all joints over the clip, with their frames.
static void print_differences(view_state *viewer)
{
    enum { MAX_JOINTS = 20 };
    view_document *const document = viewer->document;
    const view_compare *const compare = &document->compare;
    if (compare->model == NULL)
        return;
    const md5_joint *const joints = document->scene.skeleton->joints;
    view_pose(&document->scene, &viewer->play);
    view_pose_compare(&document->compare, &document->scene, &viewer->play);

    common_print(stdout, "  compared with %s at %.3f s: %u %s, %u without counterpart\n",
                 compare->name, viewer->play.time, compare->num_same,
                 common_noun(compare->num_same, "joint", "joints"),
                 (compare->num_joints - compare->num_same));
    for (uint32_t i = 0; i < compare->num_same && i < MAX_JOINTS; i++) {
        const view_difference *const difference = &compare->differences[i];
        common_print(stdout, "    %.4f units, %.2f degrees: %s\n", difference->distance,
                     difference->angle, joints[difference->joint].name);
    }
    if (compare->measured == NULL)
        return;

    common_print(stdout, "  largest differences over the clip %s: %u %s\n",
                 view_shown_clip(&document->scene)->name, compare->measured->num_frames,
                 common_noun(compare->measured->num_frames, "frame", "frames"));
    for (uint32_t i = 0; i < compare->num_same; i++) {
        const view_peak *const peak = &compare->peaks[i];
        common_print(stdout, "    %.4f units at frame %u, %.2f degrees at frame %u: %s\n",
                     peak->distance, peak->distance_frame, peak->angle, peak->angle_frame,
                     joints[peak->joint].name);
    }
}

// Prints the number of defects of normals and tangents. `where` is the suffix that names the pose,
// such as " at 0.500 s", or "" for the bind pose.
static void print_defects(const char *where, const view_mesh_defects *faults)
{
    char text[192];
    view_describe_defects(faults, text, sizeof text);
    printf("  normal and tangent defects%s: %s\n", where, text);
}

// Prints one line for each clip.
static void print_motions(const view_scene *scene)
{
    for (size_t i = 0; i < scene->num_clips; i++) {
        const md5_anim *const anim = scene->clips[i].anim;
        common_print(stdout, "  %zu %s: %u %s, %g fps, %.3f s\n", i, scene->clips[i].name,
                     anim->num_frames, common_noun(anim->num_frames, "frame", "frames"),
                     anim->frame_rate, anim->duration);
    }
}

// Prints a line about the camera path, for the summary.
static void print_camera_path(const view_scene *scene)
{
    const md5_camera *const camera = scene->camera_path.camera;
    if (camera != NULL)
        common_print(stdout, "  camera path %s: %u %s, %u %s, %g fps, %.3f s\n",
                     scene->camera_path.name, camera->num_frames,
                     common_noun(camera->num_frames, "frame", "frames"), camera->num_cuts,
                     common_noun(camera->num_cuts, "cut", "cuts"), camera->frame_rate,
                     camera->duration);
}

// Prints the defects of normals and tangents in two cases: in the pose at --animation-time, and
// over all frames of the shown clip.
static void print_pose_defects(view_state *viewer)
{
    view_scene *const scene = &viewer->document->scene;
    char where[64];
    view_pose(scene, &viewer->play);
    const view_mesh_defects posed = view_find_pose_faults(scene, NULL);
    COMMON_TEXT(where, " at %.3f s", viewer->play.time);
    print_defects(where, &posed);

    const view_clip_faults all = view_find_clip_faults(scene);
    COMMON_TEXT(where, " in %u of %u frames, worst at frame %u", all.num_faulty, all.num_frames,
                all.worst_frame);
    print_defects(where, &all.worst);
}

// Runs --no-render: prints the contents of the statistics panel, and the defects also at
// --animation-time and over the shown clip.
static void print_summary(view_state *viewer)
{
    const view_scene *const scene = &viewer->document->scene;
    const uint32_t num_meshes = view_count_meshes(scene);
    const uint32_t num_vertices = view_count_vertices(scene->model);
    const uint32_t num_triangles = view_count_triangles(scene->model);
    common_print(stdout, "%s: %u %s, %u %s, %u %s, %u %s, %zu %s, %u %s\n", scene->name,
                 scene->num_joints, common_noun(scene->num_joints, "joint", "joints"), num_meshes,
                 common_noun(num_meshes, "mesh", "meshes"), num_vertices,
                 common_noun(num_vertices, "vertex", "vertices"), num_triangles,
                 common_noun(num_triangles, "triangle", "triangles"), scene->num_clips,
                 common_noun(scene->num_clips, "animation", "animations"), viewer->log.num_warnings,
                 common_noun(viewer->log.num_warnings, "warning", "warnings"));
    print_motions(scene);
    if (scene->model != NULL)
        print_defects("", &viewer->document->faults);
    print_camera_path(scene);
    if (scene->model != NULL && view_shown_anim(scene) != NULL)
        print_pose_defects(viewer);
}

// == Jobs ========================================================================================

// Runs --thumbnail: draws a thumbnail of the file and writes it to --output. Returns false and logs
// an error on failure.
static bool write_thumbnail(view_state *viewer)
{
    const view_options *const options = viewer->options;
    const view_preview_drawer drawer = {view_draw_preview, viewer};
    if (!view_set_scale(viewer, 1))
        return false;
    const view_image image = view_make_thumbnail(options, &drawer, &viewer->log);
    const bool is_written =
        image.rgba != NULL
        && view_write_png(viewer, options->output, image.width, image.height, image.rgba);
    free(image.rgba);
    return is_written;
}

// Runs the job that the options request instead of a window. Returns false on failure. --thumbnail
// is checked first, because it opens its file itself and needs no opened document.
bool view_run_job(view_state *viewer)
{
    const view_options *const options = viewer->options;
    if (options->thumbnail > 0)
        return write_thumbnail(viewer);
    if (options->no_render) {
        print_summary(viewer);
        print_differences(viewer);
        return true;
    }
    if (!view_set_scale(viewer, options->ui_scale > 0 ? options->ui_scale : 1))
        return false;
    if (options->output == NULL)
        return measure_frames(viewer);
    return options->num_folders > 0 ? run_contact_sheet(viewer) : write_output(viewer, NULL);
}
