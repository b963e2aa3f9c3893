// Jobs that run instead of a window: images, image series, contact sheets and movies of --output,
// thumbnails, and measurements.
#ifndef DEMO_VIEWER_JOBS_OUTPUT_H
#define DEMO_VIEWER_JOBS_OUTPUT_H

#include "demo/viewer/jobs/movie.h"

typedef struct view_state view_state;

// The images of --output, which are drawn one after another. They are separate files, the images of
// a movie, or the cells of a contact sheet. With --clips all, they show clip by clip.
typedef struct view_output {
    view_state *viewer;
    const common_list *cells; // files of the models of a contact sheet, or NULL
    bool is_sheet;
    bool is_movie;
    bool is_saved; // no failure so far
    uint32_t num_clips;
    uint32_t clip;      // index of the current clip
    uint32_t count;     // number of images of the current clip
    uint32_t picture;   // index of the next image of the current clip
    uint32_t num_cells; // number of cells of a sheet that are filled
    uint32_t num_done;  // number of images that are drawn
    uint32_t total;     // number of images of all clips
    float azimuth;      // azimuth of the first image of a turntable
    md5gl_target *target;
    uint8_t *rgba, *sheet; // sheet: NULL if no sheet is written
    view_movie *movie;     // movie that is written to `path`, or NULL
    char *path;
} view_output;

// view_begin_output() begins to write the output of the options. If `cells` is not NULL, it writes
// a contact sheet of these models instead. view_step_output() draws one image, and returns true if
// images remain. view_end_output() must be called once; it may be called early, and after a
// failure. It returns true if everything was written. Otherwise it leaves no incomplete file, and
// the log contains the reason.
bool view_begin_output(view_output *output, view_state *viewer, const common_list *cells);
bool view_step_output(view_output *output);
bool view_end_output(view_output *output);

// Returns the name of --output with the values of its fields {model} {anim} {frame} {time} {n}.
// {frame:04} pads the number with zeros. Unknown fields remain. With `is_numbered`, adds a number
// before the extension. The caller frees the name.
char *view_name_output(const view_state *viewer, uint32_t n, bool is_numbered);

// -- Single images -------------------------------------------------------------------------------

// Creates a render target with the samples of the options. Returns NULL and logs an error on
// failure.
md5gl_target *view_create_target(view_state *viewer, uint32_t width, uint32_t height);

// Draws the current state into rgba[4 * width * height]. `omitted` is a combination of VIEW_OMIT_*.
// Returns false and logs an error on failure. If `target` is NULL, only returns false, because the
// error was logged when the target could not be created.
bool view_draw_pixels(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
                      unsigned omitted, uint8_t *rgba);

// Writes an image and logs its path; a thumbnail is not logged, because another program requested
// it. Returns false and logs an error on failure.
bool view_write_png(view_state *viewer, const char *path, uint32_t width, uint32_t height,
                    uint8_t *rgba);

// -- Jobs ----------------------------------------------------------------------------------------

// Runs the job of the options instead of a window: --thumbnail, --no-render, --output or --frames.
// All but --thumbnail need an opened document. On failure, returns false, and logs or prints the
// reason.
bool view_run_job(view_state *viewer);

#endif
