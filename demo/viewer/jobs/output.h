// What runs without a window. Pictures and movies: PNG, APNG, and GIF, MP4 and WebM through ffmpeg
// if it is installed.
#ifndef DEMO_VIEWER_JOBS_OUTPUT_H
#define DEMO_VIEWER_JOBS_OUTPUT_H

#include "demo/viewer/base/log.h"
#include "demo/viewer/jobs/view.h"

#include <stdbool.h>
#include <stdint.h>

// Begins a movie of `num_frames` pictures, or of a number that is not known yet: 0; the extension
// of `path` chooses the format. Returns NULL and logs an error if the file cannot be created or
// ffmpeg is missing.
view_movie *view_begin_movie(const char *path, uint32_t width, uint32_t height, double frame_rate,
                             uint32_t num_frames, view_log *log);

// Adds rgba[4 * width * height], top row first, straight alpha. Returns false after any failure.
bool view_add_picture(view_movie *movie, const uint8_t *rgba);

// Finishes the file and frees the movie. Returns false and logs an error if it was not written
// completely.
bool view_end_movie(view_movie *movie);

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

// Runs --verify: compares skinning on the GPU with the CPU's exact result.
//
// Compares every mesh in the bind pose, in a pose that turns every joint, and at several times of
// every clip, also between frames. Prints a line for each mesh. Returns false if a position is off
// by more than 1/10000 of the model's size, or a normal or tangent by more than 0.001. With a
// forced path, the line also says whether the loss is what md5_pack_loss() predicts.
bool view_run_verify(view_state *viewer);

#endif
