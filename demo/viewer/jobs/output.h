// Saves pictures to files.
#ifndef DEMO_VIEWER_JOBS_OUTPUT_H
#define DEMO_VIEWER_JOBS_OUTPUT_H

#include "demo/viewer/jobs/view.h"

// Values of a file name's fields: {model} {anim} {frame} {time} {n}; {frame:04} pads with zeros.
typedef struct view_name_values {
    const char *model, *anim;
    uint32_t frame;
    double time;
    uint32_t n; // of the picture, from 1
} view_name_values;

// Writes a PNG file, "-" = standard output. Returns false and logs an error on failure.
bool view_write_png(view_log *log, const char *path, uint32_t width, uint32_t height,
                    const uint8_t *rgba);

// Draws the state into a PNG file, "-" = standard output. Returns false and logs an error on
// failure.
bool view_save_picture(view_state *viewer, const char *path, bool transparent, bool clean);

// Runs --output: a picture for each --animation-time, or those of --frames, --sheet and
// --turntable, in separate files, in one movie or in one sheet.
bool view_run_output(view_state *viewer);

// Runs --frames: draws without a window and prints frame times.
bool view_run_frames(view_state *viewer);

#endif
