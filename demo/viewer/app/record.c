#include "demo/viewer/app/record.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"
#include "demo/viewer/jobs/output.h"

#include <stdlib.h>

// MODEL-1.png, MODEL-2.png, ... in the folder, or with another ending: the first that does not
// exist, or NULL. free() it.
static char *free_name(const char *folder, const char *model, const char *ending)
{
    for (unsigned n = 1; n < 10000; n++) {
        char *const name = common_format("%s-%u.%s", model, n, ending);
        char *const path = common_join(folder, name);
        free(name);
        if (common_file_stamp(path) == 0)
            return path;
        free(path);
    }
    return NULL;
}

void view_save_screenshot(view_state *viewer, bool clean)
{
    char *const folder = common_absolute(".");
    char *const path = free_name(folder, viewer->document->scene.name, "png");
    // The notice of the last picture must not appear in the next.
    viewer->ui.notice_end = 0.0;
    view_snap(viewer);
    if (path != NULL && view_save_picture(viewer, path, clean, clean)) {
        view_info(&viewer->log, "%s", path);
        view_notice(viewer, "Saved %s in %s", common_base(path), folder);
    } else {
        view_notice(viewer, "Cannot save a screenshot in %s", folder);
    }
    free(path);
    free(folder);
}

// -- Movies --------------------------------------------------------------------------------------

bool view_is_recording(const view_state *viewer)
{
    return viewer->recording.movie != NULL;
}

double view_recording_rate(const view_state *viewer)
{
    const double usual = 25.0, given = viewer->options->frame_rate;
    return given > 0.0 ? given : usual;
}

static void begin(view_state *viewer)
{
    static const char *const endings[] = {"apng", "gif", "mp4", "webm"};
    view_recording *const recording = &viewer->recording;
    char *const folder = common_absolute(".");
    char *const path =
        free_name(folder, viewer->document->scene.name, endings[viewer->options->record_as]);
    free(folder);
    *recording = (view_recording){.width = viewer->width, .height = viewer->height, .path = path};
    if (path != NULL)
        recording->movie = view_begin_movie(path, recording->width, recording->height,
                                            view_recording_rate(viewer), 0, &viewer->log);
    if (recording->movie == NULL) {
        view_notice(viewer, "Cannot record: see --record-as");
        free(path);
        *recording = (view_recording){.movie = NULL};
        return;
    }
    recording->rgba = common_alloc((size_t)recording->width * recording->height, 4);
    viewer->ui.notice_end = 0.0; // of the last one: it must not be in the movie
}

void view_end_recording(view_state *viewer)
{
    view_recording *const recording = &viewer->recording;
    if (recording->movie == NULL)
        return;
    if (view_end_movie(recording->movie)) {
        view_info(&viewer->log, "%s", recording->path);
        view_notice(viewer, "Saved %s: %u pictures", common_base(recording->path),
                    (unsigned)recording->count);
    } else {
        view_notice(viewer, "Cannot write all of %s", common_base(recording->path));
    }
    free(recording->path);
    free(recording->rgba);
    *recording = (view_recording){.movie = NULL};
}

void view_toggle_recording(view_state *viewer)
{
    if (view_is_recording(viewer))
        view_end_recording(viewer);
    else
        begin(viewer);
}

void view_record_frame(view_state *viewer)
{
    md5_error error = {0};
    view_recording *const recording = &viewer->recording;
    if (recording->movie == NULL)
        return;
    const bool is_same = viewer->width == recording->width && viewer->height == recording->height;
    if (is_same
        && md5gl_read_pixels(viewer->renderer, NULL, recording->width, recording->height,
                             recording->rgba, &error)
        && view_add_picture(recording->movie, recording->rgba))
        recording->count++;
    else
        view_end_recording(viewer);
}
