#define _POSIX_C_SOURCE 200809L // fileno()

#include "demo/viewer/jobs/movie.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"
#include "demo/common/write.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
#endif

#include <stb/stb_image_write.h>

typedef enum movie_kind {
    MOVIE_APNG,
    MOVIE_FFMPEG,
} movie_kind;

struct view_movie {
    movie_kind kind;
    common_writer writer; // whose file ffmpeg opens again
    FILE *file;           // NULL: ffmpeg writes the movie
    int pipe;             // to ffmpeg
    int ffmpeg;           // process id
    bool is_broken;       // a write failed
    char *path;
    uint32_t width, height, num_frames;
    double frame_rate;
    uint32_t num_added, num_chunks;
    view_log *log;
};

// -- APNG -----------------------------------------------------------------------------------

static void put_u32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t get_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// CRC-32 of PNG (ISO 3309), bit by bit: its cost is small beside that of compression.
static uint32_t checksum(uint32_t sum, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (0xEDB88320u & (0u - (sum & 1)));
    }
    return sum;
}

// A chunk whose data is in two parts.
static const uint8_t no_bytes[1];
static void write_chunk(FILE *file, const char *kind, const uint8_t *first, size_t first_size,
                        const uint8_t *second, size_t second_size)
{
    uint8_t number[4];
    uint32_t sum = checksum(UINT32_MAX, (const uint8_t *)kind, 4);
    sum = checksum(sum, first, first_size);
    sum = checksum(sum, second, second_size);
    put_u32(number, (uint32_t)(first_size + second_size));
    fwrite(number, 1, 4, file);
    fwrite(kind, 1, 4, file);
    fwrite(first, 1, first_size, file);
    fwrite(second, 1, second_size, file);
    put_u32(number, ~sum);
    fwrite(number, 1, 4, file);
}

// A PNG file in memory.
typedef struct png_bytes {
    uint8_t *bytes;
    size_t size;
} png_bytes;

static void append_bytes(void *user, void *bytes, int size)
{
    png_bytes *const png = user;
    png->bytes = common_realloc(png->bytes, png->size + (size_t)size, 1);
    memcpy(png->bytes + png->size, bytes, (size_t)size);
    png->size += (size_t)size;
}

// Writes the fcTL chunk: a picture's sequence number, size and duration.
static void write_frame_control(view_movie *movie)
{
    uint8_t control[26] = {0};
    put_u32(control, movie->num_chunks++);
    put_u32(control + 4, movie->width);
    put_u32(control + 8, movie->height);
    const uint32_t rate = (uint32_t)fmin(fmax(round(movie->frame_rate * 1000.0), 1.0), 65535.0);
    // The duration is 1000 / rate if that fits into 16 bits, otherwise rounded to whole pictures
    // per second.
    const bool is_fine = movie->frame_rate * 1000.0 <= 65535.0;
    const uint32_t numerator = is_fine ? 1000 : 1;
    const uint32_t denominator = is_fine ? rate : (uint32_t)movie->frame_rate;
    control[20] = (uint8_t)(numerator >> 8);
    control[21] = (uint8_t)numerator;
    control[22] = (uint8_t)(denominator >> 8);
    control[23] = (uint8_t)denominator;
    write_chunk(movie->file, "fcTL", control, sizeof control, no_bytes, 0);
}

// Copies the chunks of a PNG file; from the second picture on its data becomes fdAT chunks.
static void write_png_chunks(view_movie *movie, const png_bytes *png)
{
    const bool is_first = movie->num_added == 0;
    for (size_t at = 8; at + 12 <= png->size;) {
        const uint32_t size = get_u32(png->bytes + at);
        const uint8_t *const kind = png->bytes + at + 4, *const data = kind + 4;
        if (memcmp(kind, "IHDR", 4) == 0 && is_first) {
            uint8_t control[8];
            put_u32(control, movie->num_frames);
            put_u32(control + 4, 0); // loops forever
            fwrite(png->bytes, 1, 8, movie->file);
            write_chunk(movie->file, "IHDR", data, size, no_bytes, 0);
            write_chunk(movie->file, "acTL", control, sizeof control, no_bytes, 0);
        } else if (memcmp(kind, "IDAT", 4) == 0) {
            write_frame_control(movie);
            uint8_t number[4];
            put_u32(number, movie->num_chunks);
            movie->num_chunks += !is_first;
            write_chunk(movie->file, is_first ? "IDAT" : "fdAT", number, is_first ? 0 : 4, data,
                        size);
        }
        at += 12 + (size_t)size;
    }
}

static bool add_apng(view_movie *movie, const uint8_t *rgba)
{
    png_bytes png = {0};
    const int width = (int)movie->width, height = (int)movie->height;
    stbi_write_force_png_filter = 1; // as in output.c
    if (stbi_write_png_to_func(append_bytes, &png, width, height, 4, rgba, 4 * width) == 0)
        return false;
    write_png_chunks(movie, &png);
    free(png.bytes);
    return true;
}

// -- ffmpeg ---------------------------------------------------------------------------------

#ifdef _WIN32

static bool start_ffmpeg(view_movie *movie)
{
    (void)movie;
    return false;
}

static bool feed_ffmpeg(view_movie *movie, const uint8_t *bytes, size_t size)
{
    (void)movie, (void)bytes, (void)size;
    return false;
}

static bool end_ffmpeg(view_movie *movie)
{
    (void)movie;
    return false;
}

#else

// How the pictures are encoded. The windows of recordings are as long as somebody lets them be, and
// are drawn while ffmpeg runs: no format may hold all pictures in memory, as one palette for a
// whole GIF does, or take much longer than drawing. Players guess the color matrix of videos that
// do not name it; frame sizes of videos are even.
#define VIDEO                                                                                     \
    "-vf",                                                                                        \
        "scale=out_color_matrix=bt709:out_range=tv,pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p", \
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",               \
        "-color_range", "tv"

static const char *const *words_for(const char *path)
{
    static const char *const gif[] = {
        "-vf", "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1", "-f", "gif",
        NULL};
    static const char *const mp4[] = {VIDEO,        "-preset", "veryfast", "-movflags",
                                      "+faststart", "-f",      "mp4",      NULL};
    static const char *const webm[] = {VIDEO, "-deadline", "realtime", "-cpu-used", "6",    "-crf",
                                       "32",  "-b:v",      "0",        "-f",        "webm", NULL};
    if (common_has_ending(path, ".gif"))
        return gif;
    return common_has_ending(path, ".webm") ? webm : mp4;
}

// Of the command line of ffmpeg.
enum { MOST_WORDS = 40 };

// Where ffmpeg finds the file to write: its name, or the descriptor of a file without one.
enum { FFMPEG_OUTPUT = 3 };

// Starts ffmpeg without a shell, so that file names need no quoting.
static bool start_ffmpeg(view_movie *movie)
{
    int ends[2];
    posix_spawn_file_actions_t actions;
    pid_t process = 0;
    if (pipe(ends) != 0)
        return false;
    char *const size = common_format("%ux%u", (unsigned)movie->width, (unsigned)movie->height);
    char *const rate = common_format("%g", movie->frame_rate);
    const common_writer *const writer = &movie->writer;
    char *const path = writer->path != NULL && writer->name == NULL
                           ? common_format("file:/proc/self/fd/%d", (int)FFMPEG_OUTPUT)
                           : common_format("file:%s", writer->name ? writer->name : movie->path);
    // Without -xerror it ends well although the end of the file could not be written.
    char *const input[] = {"ffmpeg", "-loglevel", "error",    "-xerror", "-y",
                           "-f",     "rawvideo",  "-pix_fmt", "rgba",    "-s",
                           size,     "-r",        rate,       "-i",      "-"};
    char *words[MOST_WORDS] = {NULL};
    size_t count = sizeof input / sizeof input[0];
    memcpy(words, input, sizeof input);
    for (const char *const *word = words_for(movie->path); *word != NULL; word++)
        words[count++] = (char *)(uintptr_t)*word; // which posix_spawn() does not change
    words[count] = path;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    posix_spawn_file_actions_adddup2(&actions, fileno(writer->file), FFMPEG_OUTPUT);
    const bool started = posix_spawnp(&process, words[0], &actions, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    free(path);
    free(rate);
    free(size);
    if (!started) {
        close(ends[1]);
        return false;
    }
    // If ffmpeg exits early, a write fails instead of raising SIGPIPE.
    signal(SIGPIPE, SIG_IGN);
    movie->pipe = ends[1];
    movie->ffmpeg = (int)process;
    return true;
}

static bool feed_ffmpeg(view_movie *movie, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(movie->pipe, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

static bool end_ffmpeg(view_movie *movie)
{
    int status = 1;
    close(movie->pipe);
    pid_t ended;
    do
        ended = waitpid((pid_t)movie->ffmpeg, &status, 0);
    while (ended < 0 && errno == EINTR);
    return ended > 0 && status == 0;
}

#endif

// -- All kinds ------------------------------------------------------------------------------

static movie_kind kind_of(const char *path)
{
    return common_has_ending(path, ".apng") ? MOVIE_APNG : MOVIE_FFMPEG;
}

view_movie *view_begin_movie(const char *path, uint32_t width, uint32_t height, double frame_rate,
                             uint32_t num_frames, view_log *log)
{
    view_movie *const movie = common_alloc(1, sizeof *movie);
    *movie = (view_movie){
        .kind = kind_of(path),
        .path = common_copy(path),
        .width = width,
        .height = height,
        .num_frames = num_frames,
        .frame_rate = frame_rate,
        .log = log,
    };
    const bool is_open = common_begin_file(&movie->writer, path);
    if (movie->kind == MOVIE_APNG)
        movie->file = movie->writer.file;
    if (!is_open || (movie->kind == MOVIE_FFMPEG && !start_ffmpeg(movie))) {
        if (is_open) {
            (void)common_end_file(&movie->writer, false);
            view_error(log, "%s: ffmpeg is not installed; .apng needs no other program", path);
        } else {
            view_error(log, "cannot write %s: %s", path, strerror(errno));
        }
        free(movie->path);
        free(movie);
        return NULL;
    }
    return movie;
}

bool view_add_picture(view_movie *movie, const uint8_t *rgba)
{
    const size_t size = (size_t)movie->width * movie->height * 4;
    bool added = true;
    switch (movie->kind) {
    case MOVIE_APNG:
        added = add_apng(movie, rgba);
        break;
    case MOVIE_FFMPEG:
        added = feed_ffmpeg(movie, rgba, size);
        break;
    }
    movie->num_added++;
    movie->is_broken = movie->is_broken || !added || (movie->file && ferror(movie->file) != 0);
    return !movie->is_broken;
}

// Writes the number of pictures where the first one left it open.
static void correct_count(view_movie *movie)
{
    enum { BEFORE = 8 + 25 }; // the signature and the chunk IHDR
    uint8_t control[8] = {0};
    put_u32(control, movie->num_added);
    if (fseek(movie->file, BEFORE, SEEK_SET) == 0)
        write_chunk(movie->file, "acTL", control, sizeof control, no_bytes, 0);
    else
        movie->is_broken = true;
}

bool view_end_movie(view_movie *movie)
{
    if (movie->kind == MOVIE_APNG) {
        write_chunk(movie->file, "IEND", no_bytes, 0, no_bytes, 0);
        if (movie->num_frames == 0 && movie->num_added > 0)
            correct_count(movie);
    }
    bool ended =
        !movie->is_broken && (movie->num_frames == 0 || movie->num_added == movie->num_frames);
    ended = (movie->file || end_ffmpeg(movie)) && ended;
    ended = common_end_file(&movie->writer, ended) && ended;
    if (!ended)
        view_error(movie->log, "cannot write all of %s", movie->path);
    free(movie->path);
    free(movie);
    return ended;
}
