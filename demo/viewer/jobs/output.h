// Pictures into files.
#ifndef DEMO_VIEWER_JOBS_OUTPUT_H
#define DEMO_VIEWER_JOBS_OUTPUT_H

#include "demo/viewer/jobs/view.h"

// What fills a file name's places: {model} {anim} {frame} {time} {n}; {frame:04} pads with zeros.
typedef struct view_name_values {
    const char *model, *anim;
    uint32_t frame;
    double time;
    uint32_t n; // of the picture, from 1
} view_name_values;

// The name with its places filled; what stands in braces and is none of them stays. Free it.
char *view_fill_name(const char *name, const view_name_values *values);

// Draws the state into a PNG file, "-" = standard output. Returns false, having told why, when
// it cannot.
bool view_save_picture(view_state *viewer, const char *path, bool transparent, bool clean);

// The job of --output: a picture for each --animation-time, or those of --frames, --sheet and
// --turntable, in files of their own, in one that moves, or side by side.
bool view_run_output(view_state *viewer);

// The job of --frames: draws without showing, prints the times that it took.
bool view_run_frames(view_state *viewer);

#endif
