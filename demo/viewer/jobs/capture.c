// Images and movies of the window.
//
// During a recording, each frame advances the clock by the duration of one image of the movie. The
// movie is therefore smooth, however long drawing takes.
#include "demo/viewer/jobs/capture.h"
#include "demo/viewer/jobs/output.h"
#include "demo/viewer/jobs/movie.h"
#include "demo/viewer/jobs/view.h"

// Finds a file name for a screenshot or a recording. A name is also in use if its unfinished file
// NAME.part exists.
char *view_find_unused_path(const char *folder, const char *model, const char *ending)
{
    for (unsigned n = 1; n < 10000; n++) {
        char *const name = common_format("%s-%u.%s", model, n, ending);
        char *const path = common_join(folder, name);
        char *const part = common_format("%s.part", path);
        const bool is_free = common_file_stamp(path) == 0 && common_file_stamp(part) == 0;
        free(name);
        free(part);
        if (is_free)
            return path;
        free(path);
    }
    return NULL;
}

// Returns the current image of the window, [4 * width * height]. The image does not contain
// notices, but they remain visible in the window. With `clean`, the image has no interface and a
// transparent background. Returns NULL on failure. The caller frees the image.
static uint8_t *capture_window(view_state *viewer, bool clean)
{
    const double notice_end = viewer->ui.notice.end;
    viewer->ui.notice.end = 0;
    const uint32_t width = viewer->width;
    const uint32_t height = viewer->height;
    const unsigned omitted = clean ? VIEW_OMIT_BACKGROUND | VIEW_OMIT_INTERFACE : VIEW_OMIT_NOTHING;
    uint8_t *rgba = common_alloc((size_t)width * height, 4);
    md5gl_target *const target = view_create_target(viewer, width, height);
    if (!view_draw_pixels(viewer, target, width, height, omitted, rgba)) {
        free(rgba);
        rgba = NULL;
    }
    md5gl_destroy_target(viewer->renderer, target);
    viewer->ui.notice.end = notice_end;
    return rgba;
}

// Draws the window again without notices, after all smooth movements have ended. Writes the image,
// and shows the name of the file, or the failure, in a notice.
void view_save_screenshot(view_state *viewer, bool clean)
{
    view_snap(viewer);
    char *const folder = common_absolute(".");
    char *const path = view_find_unused_path(folder, viewer->document->scene.name, "png");
    uint8_t *const rgba = path != NULL ? capture_window(viewer, clean) : NULL;
    if (rgba != NULL && view_write_png(viewer, path, viewer->width, viewer->height, rgba))
        view_notice(viewer, "Saved %s in %s", common_base(path), folder);
    else
        view_notice(viewer, "Cannot save a screenshot in %s", folder);
    free(rgba);
    free(path);
    free(folder);
}

// Reads the color of the window at the pixel (x, y), for the color picker. Draws the window again
// for this purpose. The camera and the notice do not change.
bool view_read_window_color(view_state *viewer, float x, float y, view_color *color)
{
    uint8_t *const rgba = capture_window(viewer, false);
    if (rgba == NULL)
        return false;
    const size_t column = (size_t)view_clamp(x, 0, (float)viewer->width - 1);
    const size_t row = (size_t)view_clamp(y, 0, (float)viewer->height - 1);
    const uint8_t *const pixel = rgba + 4 * (row * viewer->width + column);
    *color =
        (view_color)pixel[0] << 24 | (view_color)pixel[1] << 16 | (view_color)pixel[2] << 8 | 0xFF;
    free(rgba);
    return true;
}

// Ends the recording. A notice shows its file and its number of frames, or that it is incomplete.
// Removes the crash note, which names the file.
static void end_recording(view_state *viewer)
{
    char *const path = common_copy(viewer->jobs.movie->path);
    const uint32_t num_frames = viewer->jobs.movie->num_added;
    if (view_end_movie(viewer->jobs.movie)) {
        view_info(&viewer->log, "%s", path);
        view_notice(viewer, "Saved %s: %u %s", common_base(path), num_frames,
                    common_noun(num_frames, "frame", "frames"));
    } else {
        view_notice(viewer, "Cannot write %s completely", common_base(path));
    }
    free(path);
    viewer->jobs.movie = NULL;
    view_write_crash_note(viewer, NULL);
}

// Starts or ends the recording of the window to a movie in the current folder. The option
// record_as selects its format.
void view_toggle_recording(view_state *viewer)
{
    static const char *const extensions[] = {"apng", "gif", "mp4", "webm"}; // by options.record_as
    if (viewer->jobs.movie != NULL) {
        end_recording(viewer);
        return;
    }

    char *const folder = common_absolute(".");
    char *const path = view_find_unused_path(folder, viewer->document->scene.name,
                                             extensions[viewer->options->record_as]);
    free(folder);
    const double rate = view_get_frame_rate(viewer->options, 25);
    if (path != NULL)
        viewer->jobs.movie =
            view_begin_movie(path, viewer->width, viewer->height, rate, 0, &viewer->log);
    free(path);
    if (viewer->jobs.movie == NULL) {
        view_notice(viewer, "Cannot record a movie; choose another movie format");
        return;
    }
    viewer->jobs.movie->rgba = common_alloc((size_t)viewer->width * viewer->height, 4);
    viewer->ui.notice.end = 0; // the notice must not be in the movie
}

// Adds the frame in the framebuffer of the window to the recording. Does nothing if the window
// is not recorded. All images of a movie have the same size, so a change of the window's size
// ends the recording.
void view_record_frame(view_state *viewer)
{
    md5_error error = {0};
    view_movie *const movie = viewer->jobs.movie;
    if (movie == NULL)
        return;
    bool is_added = viewer->width == movie->width && viewer->height == movie->height;
    if (is_added)
        is_added = md5gl_read_pixels(viewer->renderer, NULL, movie->width, movie->height,
                                     movie->rgba, &error);
    if (is_added)
        is_added = view_add_movie_image(movie, movie->rgba);
    if (!is_added)
        view_toggle_recording(viewer); // ends the recording
}
