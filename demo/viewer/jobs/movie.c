#define _POSIX_C_SOURCE 200809L // fileno()

// Writes movies. APNG is written here, and other formats by ffmpeg, which receives the images
// through a pipe.
#include "demo/viewer/jobs/movie.h"
#include "demo/viewer/jobs/files.h"

#include "demo/common/system.h"
#include "demo/common/text.h"

#include <errno.h>
#include <stb/stb_image_write.h>

#if VIEW_STARTS_PROGRAMS
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

// -- APNG ----------------------------------------------------------------------------------------

static void write_u32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

// Computes the CRC-32 of PNG (ISO 3309), bit by bit. Its cost is small compared to the compression.
static uint32_t checksum(uint32_t sum, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (0xEDB88320u & (0u - (sum & 1)));
    }
    return sum;
}

// Writes a chunk whose data consists of two parts.
static const uint8_t no_bytes[1];
static void write_chunk(FILE *file, const char *kind, const uint8_t *first, size_t first_size,
                        const uint8_t *second, size_t second_size)
{
    uint8_t number[4];
    uint32_t sum = checksum(UINT32_MAX, (const uint8_t *)kind, 4);
    sum = checksum(sum, first, first_size);
    sum = checksum(sum, second, second_size);
    write_u32(number, (uint32_t)(first_size + second_size));
    fwrite(number, 1, 4, file);
    fwrite(kind, 1, 4, file);
    fwrite(first, 1, first_size, file);
    fwrite(second, 1, second_size, file);
    write_u32(number, ~sum);
    fwrite(number, 1, 4, file);
}

static bool add_apng(view_movie *movie, const uint8_t *rgba)
{
    const view_image image = {(uint8_t *)(uintptr_t)rgba, movie->width, movie->height};
    size_t png_size = 0;
    stbi_write_force_png_filter = 1; // the same filter as for single images
    uint8_t *const png = view_encode_png(&image, true, &png_size);
    if (png == NULL)
        return false;
    // Copy the chunks of the PNG; from the second image on, its data becomes fdAT chunks.
    const bool is_first = movie->num_added == 0;
    for (size_t offset = 8; offset + 12 <= png_size;) {
        const uint8_t *const chunk = png + offset;
        const uint8_t *const kind = chunk + 4;
        const uint8_t *const data = kind + 4;
        const uint32_t size = (uint32_t)chunk[0] << 24 | (uint32_t)chunk[1] << 16
                              | (uint32_t)chunk[2] << 8 | chunk[3];
        if (memcmp(kind, "IHDR", 4) == 0 && is_first) {
            uint8_t control[8];
            write_u32(control, movie->num_frames);
            write_u32(control + 4, 0); // loops forever
            fwrite(png, 1, 8, movie->file);
            write_chunk(movie->file, "IHDR", data, size, no_bytes, 0);
            write_chunk(movie->file, "acTL", control, sizeof control, no_bytes, 0);
        } else if (memcmp(kind, "IDAT", 4) == 0) {
            // Sequence number, size and duration of the image.
            uint8_t control[26] = {0};
            write_u32(control, movie->num_chunks++);
            write_u32(control + 4, movie->width);
            write_u32(control + 8, movie->height);
            const uint32_t rate = (uint32_t)fmin(fmax(round(movie->frame_rate * 1000), 1), 65535);
            // The duration is 1000 / rate if that fits into 16 bits, otherwise rounded to whole
            // images per second.
            const bool fits_16_bits = movie->frame_rate * 1000 <= 65535;
            const uint32_t numerator = fits_16_bits ? 1000 : 1;
            const uint32_t denominator = fits_16_bits ? rate : (uint32_t)movie->frame_rate;
            control[20] = (uint8_t)(numerator >> 8);
            control[21] = (uint8_t)numerator;
            control[22] = (uint8_t)(denominator >> 8);
            control[23] = (uint8_t)denominator;
            write_chunk(movie->file, "fcTL", control, sizeof control, no_bytes, 0);

            uint8_t number[4];
            write_u32(number, movie->num_chunks);
            movie->num_chunks += !is_first;
            if (is_first)
                write_chunk(movie->file, "IDAT", number, 0, data, size);
            else
                write_chunk(movie->file, "fdAT", number, 4, data, size);
        }
        offset += 12 + (size_t)size;
    }

    free(png);
    return true;
}

// -- ffmpeg --------------------------------------------------------------------------------------

#if !VIEW_STARTS_PROGRAMS

#define getpid() 1
#define kill(process, number) (-1)
#define ftruncate(file, size) 0
#define fileno(file) 0

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

// Encoder settings. A recording has no time limit and is encoded while the viewer draws: no format
// may keep all images in memory, or be much slower than drawing. Players guess the color matrix of
// videos that do not specify it, so it is specified; frame sizes are padded to even numbers.
#define VIDEO                                                                                     \
    "-vf",                                                                                        \
        "scale=out_color_matrix=bt709:out_range=tv,pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p", \
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",               \
        "-color_range", "tv"

// Capacity of ffmpeg's argument list.
enum { MAX_WORDS = 40 };

static bool start_ffmpeg(view_movie *movie)
{
    static const char *const mp4[] = {VIDEO,        "-preset", "veryfast", "-movflags",
                                      "+faststart", "-f",      "mp4",      NULL};
    static const char *const webm[] = {VIDEO, "-deadline", "realtime", "-cpu-used", "6",    "-crf",
                                       "32",  "-b:v",      "0",        "-f",        "webm", NULL};
    // A palette for each image, so that no image waits for later ones.
    static const char palette_filter[] = "split[a][b];[a]palettegen=stats_mode=single[p];"
                                         "[b][p]paletteuse=new=1:dither=bayer:bayer_scale=4";
    static const char *const gif[] = {"-vf", palette_filter, "-f", "gif", NULL};
    char *const size = common_format("%ux%u", movie->width, movie->height);
    char *const rate = common_format("%g", movie->frame_rate);
    const common_writer *const writer = &movie->writer;
    char *path;
    if (writer->name != NULL)
        path = common_format("file:%s", writer->name);
    else if (writer->path != NULL)
        path = common_format("file:/proc/self/fd/%d", VIEW_THIRD_FILE);
    else
        path = common_format("file:%s", movie->path);
    // Without -xerror, ffmpeg reports success even if the end of the file could not be written.
    char *const input[] = {"ffmpeg", "-loglevel", "error",    "-xerror", "-y",
                           "-f",     "rawvideo",  "-pix_fmt", "rgba",    "-s",
                           size,     "-r",        rate,       "-i",      "-"};
    char *words[MAX_WORDS] = {NULL};
    size_t count = COMMON_LENGTH(input);
    memcpy(words, input, sizeof input);
    const char *const *word = mp4;
    if (common_has_suffix(movie->path, ".webm"))
        word = webm;
    else if (common_has_suffix(movie->path, ".gif"))
        word = gif;
    for (; *word != NULL; word++)
        words[count++] = (char *)(uintptr_t)*word; // posix_spawn() does not change it
    words[count] = path;
    movie->ffmpeg = view_start_program(words, true, fileno(writer->file), &movie->pipe);
    free(path);
    free(rate);
    free(size);
    // If ffmpeg exits early, a write fails instead of raising SIGPIPE.
    signal(SIGPIPE, SIG_IGN);
    return movie->ffmpeg > 0;
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

// Writes the number of images into the header, and the end chunk at `offset`.
static void finish_apng_at_offset(view_movie *movie, long offset)
{
    enum { CONTROL_OFFSET = 8 + 25 }; // after the signature and the chunk IHDR
    uint8_t control[8] = {0};
    write_u32(control, movie->num_added);
    fseek(movie->file, CONTROL_OFFSET, SEEK_SET);
    write_chunk(movie->file, "acTL", control, sizeof control, no_bytes, 0);
    fseek(movie->file, offset, SEEK_SET);
    write_chunk(movie->file, "IEND", no_bytes, 0, no_bytes, 0);
    movie->is_broken = fflush(movie->file) != 0;
}

// -- All formats ---------------------------------------------------------------------------------

// Lets writes past the size limit of the process fail, instead of ending the process.
#ifdef SIGXFSZ
static void ignore_size_limit(void)
{
    signal(SIGXFSZ, SIG_IGN);
}
#else
static void ignore_size_limit(void)
{
}
#endif

view_movie *view_begin_movie(const char *path, uint32_t width, uint32_t height, double frame_rate,
                             uint32_t num_frames, view_log *log)
{
    view_movie *const movie = common_alloc(1, sizeof *movie);
    *movie = (view_movie){
        .path = common_copy(path),
        .width = width,
        .height = height,
        .num_frames = num_frames,
        .frame_rate = frame_rate,
        .log = log,
    };
    // A recording is written to a named file, so that it remains after the program was killed.
    char *const part = num_frames == 0 ? common_format("%s.part", path) : NULL;
    ignore_size_limit();
    if (part != NULL)
        movie->writer = (common_writer){fopen(part, "wb"), common_copy(path), part, -1};
    const bool is_open =
        part != NULL ? movie->writer.file != NULL : common_begin_file(&movie->writer, path, false);
    const bool is_apng = common_has_suffix(path, ".apng");
    if (is_open && is_apng)
        movie->file = movie->writer.file;
    if (!is_open || (!is_apng && !start_ffmpeg(movie))) {
        if (is_open) {
            common_end_file(&movie->writer, false);
            view_error(log, "%s: ffmpeg is not installed; install ffmpeg, or write an .apng file",
                       path);
        } else {
            view_error(log, "cannot write %s: %s", path, strerror(errno));
            free(movie->writer.path);
            free(part);
        }
        free(movie->path);
        free(movie);
        return NULL;
    }
    return movie;
}

bool view_add_movie_image(view_movie *movie, const uint8_t *rgba)
{
    const size_t size = (size_t)movie->width * movie->height * 4;
    const bool added = movie->file != NULL ? add_apng(movie, rgba) : feed_ffmpeg(movie, rgba, size);
    if (!added || (movie->file && ferror(movie->file) != 0))
        movie->is_broken = true;
    movie->num_added += !movie->is_broken;
    if (movie->num_frames == 0 && movie->file != NULL && !movie->is_broken) {
        // The file can be played in this state. The next image overwrites the end.
        const long offset = ftell(movie->file);
        finish_apng_at_offset(movie, offset);
        movie->whole = movie->is_broken ? movie->whole : offset;
        movie->num_added -= movie->is_broken;
        fseek(movie->file, offset, SEEK_SET);
    }
    return !movie->is_broken;
}

bool view_end_movie(view_movie *movie)
{
    if (movie->file != NULL && movie->num_frames > 0)
        write_chunk(movie->file, "IEND", no_bytes, 0, no_bytes, 0);
    if (movie->whole > 0 && (movie->is_broken || ferror(movie->file) != 0)) {
        // The disk is full: keep the complete part, drop the buffered data.
        FILE *const again = freopen(movie->writer.name, "r+b", movie->file);
        movie->writer.file = movie->file = again != NULL ? again : tmpfile();
        finish_apng_at_offset(movie, movie->whole);
        movie->is_broken |= ftruncate(fileno(movie->file), ftell(movie->file)) != 0;
        view_warn(movie->log, "cannot write %s: the movie was closed after %u frames", movie->path,
                  movie->num_added);
    }
    bool ended =
        !movie->is_broken && (movie->num_frames == 0 || movie->num_added == movie->num_frames);
    ended = (movie->file || end_ffmpeg(movie)) && ended;
    ended = common_end_file(&movie->writer, ended) && ended;
    if (!ended)
        view_error(movie->log, "cannot write %s completely", movie->path);
    free(movie->rgba);
    free(movie->path);
    free(movie);
    return ended;
}
