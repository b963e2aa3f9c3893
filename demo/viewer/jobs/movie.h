// Many pictures in one file: APNG, and through ffmpeg, if it is installed, GIF, MP4 and WebM.
#ifndef DEMO_VIEWER_JOBS_MOVIE_H
#define DEMO_VIEWER_JOBS_MOVIE_H

#include "demo/viewer/base/log.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct view_movie view_movie;

// NULL, having told why, where the file cannot be made or there is no ffmpeg for it.
view_movie *view_begin_movie(const char *path, uint32_t width, uint32_t height, double frame_rate,
                             uint32_t num_frames, view_log *log);

// rgba[4 * width * height], top row first, straight alpha. False once something went wrong.
bool view_add_picture(view_movie *movie, const uint8_t *rgba);

// Finishes the file and frees the movie. False, having told so, where not all of it was written.
bool view_end_movie(view_movie *movie);

#endif
