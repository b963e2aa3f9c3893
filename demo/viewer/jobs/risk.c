// Crash recovery. While a file is opened or a movie is recorded, a note next to the configuration
// file contains its path and the process id. If the process of a note no longer runs, the viewer
// reports the file.
#include "demo/common/system.h"
#include "demo/viewer/jobs/movie.h"
#include "demo/viewer/jobs/view.h"

#include <errno.h>

static char *note_path(const view_state *viewer)
{
    char *const folder = common_folder(viewer->config->path);
    char *const path = common_join(folder, "opening");
    free(folder);
    return path;
}

void view_write_crash_note(view_state *viewer, const char *path)
{
    if (path == NULL && viewer->jobs.movie != NULL)
        path = viewer->jobs.movie->path;
    if (viewer->config == NULL || viewer->config->path == NULL
        || path == viewer->opening.noted_path)
        return;
    viewer->opening.noted_path = path;
    char *const note = note_path(viewer);
    char *const whole = common_absolute(path != NULL ? path : "");
    common_create_folders(note, 0700);
    FILE *const file = path != NULL ? fopen(note, "wb") : NULL;
    if (file != NULL) {
        fprintf(file, "%ld %s", common_process_id(), whole);
        fclose(file);
    } else {
        remove(note);
    }
    free(whole);
    free(note);
}

void view_read_crash_note(view_state *viewer)
{
    enum { BEFORE = 41, SIZE = 45 }; // bytes of an APNG that contain the number of images
    size_t size;
    const char *reason;
    view_decision *const decision = &viewer->panels.decision;
    if (viewer->config == NULL || viewer->config->path == NULL)
        return;
    char *const note = note_path(viewer);
    char *const text = common_read_stream(note, &size, &reason);
    char *path = "";
    const long process = text != NULL ? strtol(text, &path, 10) : 0;
    path += *path == ' ';
    char *const part = common_format("%s.part", path);
    uint8_t bytes[SIZE] = {0};
    FILE *const file = fopen(part, "rb");
    const bool is_gone = process > 0 && !common_process_runs(process);
    decision->is_movie = is_gone && file != NULL;
    if (decision->is_movie || (is_gone && common_is_file(path)))
        COMMON_TEXT(decision->file, "%s", path);
    if (file != NULL) {
        decision->movie_seconds = fread(bytes, 1, SIZE, file) == SIZE;
        fclose(file);
    }
    decision->movie_seconds *=
        (bytes[BEFORE + 1] * 65536.0 + bytes[BEFORE + 2] * 256.0 + bytes[BEFORE + 3])
        / view_get_frame_rate(viewer->options, 25);
    if (decision->file[0] != '\0') // so that the user can open it again
        viewer->opening.failed =
            (view_command){.action = VIEW_OPEN_FILE, .path = common_copy(path)};
    free(part);
    free(text);
    free(note);
}

void view_resolve_lost_movie(view_state *viewer, bool is_kept)
{
    const char *const path = viewer->panels.decision.file;
    char *const part = common_format("%s.part", path);
    const bool is_done = (is_kept ? rename(part, path) : remove(part)) == 0;
    const char *result = is_kept ? "kept" : "deleted";
    if (!is_done)
        result = strerror(errno);
    view_notice(viewer, "%s: %s", path, result);
    viewer->panels.decision.file[0] = '\0';
    free(part);
}
