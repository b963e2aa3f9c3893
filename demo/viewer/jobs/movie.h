// Writes movies. APNG needs no other program; GIF, MP4 and WebM are available if ffmpeg is
// installed.
#ifndef DEMO_VIEWER_JOBS_MOVIE_H
#define DEMO_VIEWER_JOBS_MOVIE_H

#include "demo/common/write.h"
#include "demo/viewer/draw/draw.h"

// 1 if the viewer can start other programs: ffmpeg, and the file dialogs of the desktop. This is
// possible on POSIX systems, but not in a browser.
#if defined(_WIN32) || defined(__EMSCRIPTEN__)
#define VIEW_STARTS_PROGRAMS 0
#else
#define VIEW_STARTS_PROGRAMS 1
#endif

// A movie while it is written.
typedef struct view_movie {
    common_writer writer; // file that ffmpeg opens again
    FILE *file;           // file of an APNG; NULL: ffmpeg writes the movie
    int pipe;             // input of ffmpeg
    int ffmpeg;           // process id
    bool is_broken;       // a write failed
    char *path;
    uint8_t *rgba; // [4 * width * height] the last image of a recorded window, or NULL
    uint32_t width;
    uint32_t height;
    uint32_t num_frames; // 0: a recording, whose number of images is not known
    double frame_rate;
    uint32_t num_added;  // images that were written
    uint32_t num_chunks; // next sequence number of an APNG's chunks
    // Size of the complete part of a recording, without its end chunk, bytes. This part can be
    // played after an error.
    long complete_size;
    view_log *log;
} view_movie;

// Begins a movie of `num_frames` images; 0: the number is not known yet, as in a recording. The
// extension of `path` selects the format. Returns NULL and logs an error if the file cannot be
// created or ffmpeg is missing.
view_movie *view_begin_movie(const char *path, uint32_t width, uint32_t height, double frame_rate,
                             uint32_t num_frames, view_log *log);

// Adds an image rgba[4 * width * height]: top row first, color not multiplied by alpha. Returns
// false if this or an earlier image could not be added.
bool view_add_movie_image(view_movie *movie, const uint8_t *rgba);

// Finishes the file and frees the movie. Returns false and logs an error if the file is incomplete.
bool view_end_movie(view_movie *movie);

#endif
