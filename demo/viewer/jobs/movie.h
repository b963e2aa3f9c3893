// Writes movies: APNG, and GIF, MP4 and WebM through ffmpeg if it is installed.
#ifndef DEMO_VIEWER_JOBS_MOVIE_H
#define DEMO_VIEWER_JOBS_MOVIE_H

#include "demo/viewer/base/log.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct view_movie view_movie;

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

#endif
