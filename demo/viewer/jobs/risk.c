// Crash recovery. While a file is opened or a movie is recorded, a note is stored next to the
// configuration file. It contains the path of the file and the process id. If this process no
// longer runs, it has crashed, and the viewer reports the file.
#include "demo/common/system.h"
#include "demo/viewer/jobs/movie.h"
#include "demo/viewer/jobs/view.h"

#include <errno.h>

// Returns the path of the note, which is in the folder of the configuration. The caller frees it.
static char *note_path(const view_state *viewer)
{
    char *const folder = common_folder(viewer->config->path);
    char *const path = common_join(folder, "opening");
    free(folder);
    return path;
}

// Writes the note about the file `path`. If it is NULL, the note is about the recorded movie.
// Removes the note if there is neither.
void view_write_crash_note(view_state *viewer, const char *path)
{
    const char *noted_path = path;
    if (path == NULL && viewer->jobs.movie != NULL)
        noted_path = viewer->jobs.movie->path;
    if (viewer->config == NULL || viewer->config->path == NULL)
        return;
    if (noted_path == viewer->opening.noted_path)
        return;
    viewer->opening.noted_path = noted_path;

    char *const note = note_path(viewer);
    char *const full_path = common_absolute(noted_path != NULL ? noted_path : "");
    common_create_folders(note, 0700);
    FILE *const file = noted_path != NULL ? fopen(note, "wb") : NULL;
    if (file != NULL) {
        fprintf(file, "%ld %s", common_process_id(), full_path);
        fclose(file);
    } else {
        remove(note);
    }
    free(full_path);
    free(note);
}

// Returns the number of images in an APNG file that was not finished, or 0 if its header is
// missing.
static double count_movie_images(FILE *file)
{
    enum { COUNT_OFFSET = 41, HEADER_SIZE = 45 }; // the count is stored in 4 bytes, big-endian
    uint8_t header[HEADER_SIZE];
    if (fread(header, 1, HEADER_SIZE, file) != HEADER_SIZE)
        return 0;
    const uint8_t *const count = header + COUNT_OFFSET;
    return count[1] * 65536.0 + count[2] * 256.0 + count[3]; // the first byte is 0
}

// Reads the note. It contains the id of a process, a space, and the path of the file that the
// process opened or recorded. Returns the path, to be freed, and sets *process. Without a note, the
// path is "" and the process 0.
static char *read_note(const view_state *viewer, long *process)
{
    size_t size;
    const char *reason;
    char *const note = note_path(viewer);
    char *const text = common_read_stream(note, &size, &reason);
    char *path = "";
    *process = text != NULL ? strtol(text, &path, 10) : 0;
    char *const copy = common_copy(*path == ' ' ? path + 1 : path);
    free(text);
    free(note);
    return copy;
}

// Reads the note that each viewer stores while it opens or records a file. If the process of the
// note still runs, it is another open viewer, and the note is ignored. Otherwise stores the file
// in panels.decision, where the user can open it again, or decide about the unfinished movie.
void view_read_crash_note(view_state *viewer)
{
    view_decision *const decision = &viewer->panels.decision;
    if (viewer->config == NULL || viewer->config->path == NULL)
        return;
    long process;
    char *const path = read_note(viewer, &process);
    // If the process has crashed, offer the unfinished movie or the file.
    char *const movie_path = common_format("%s.part", path);
    FILE *const movie = fopen(movie_path, "rb");
    const bool has_crashed = process > 0 && !common_process_runs(process);
    decision->is_movie = has_crashed && movie != NULL;
    if (decision->is_movie || (has_crashed && common_is_file(path)))
        COMMON_TEXT(decision->file, "%s", path);
    if (movie != NULL) {
        decision->movie_seconds =
            count_movie_images(movie) / view_get_frame_rate(viewer->options, 25);
        fclose(movie);
    }
    free(movie_path);
    if (decision->file[0] == '\0') {
        free(path);
        return;
    }
    // The interface offers to open the file again.
    viewer->opening.failed = (view_command){.action = VIEW_OPEN_FILE, .path = path};
}

// Renames the unfinished movie to its final name, or deletes it.
void view_resolve_lost_movie(view_state *viewer, bool is_kept)
{
    const char *const path = viewer->panels.decision.file;
    char *const part = common_format("%s.part", path);
    const int failure = is_kept ? rename(part, path) : remove(part);
    const char *result = is_kept ? "kept" : "deleted";
    if (failure != 0)
        result = strerror(errno);
    view_notice(viewer, "%s: %s", path, result);
    viewer->panels.decision.file[0] = '\0';
    free(part);
}
