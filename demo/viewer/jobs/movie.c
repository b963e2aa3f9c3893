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

enum {
    PNG_SIGNATURE_SIZE = 8,
    CHUNK_OVERHEAD = 12, // bytes of a chunk's size, kind and checksum
};

// Writes a number in the byte order of PNG, big-endian.
static void write_u32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

// Continues the CRC-32 of PNG (ISO 3309). It begins with `sum` UINT32_MAX, and all bits are
// inverted at the end. A bit-by-bit computation is fast enough, because compression takes much
// longer.
static uint32_t checksum(uint32_t sum, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (0xEDB88320u & (0u - (sum & 1)));
    }
    return sum;
}

static const uint8_t no_bytes[1]; // for parts with the size 0

// Writes a chunk of a PNG file: size, kind, data and checksum. The data consists of two parts.
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

// Writes a number of 16 bits in the byte order of PNG, big-endian.
static void write_u16(uint8_t *bytes, uint32_t value)
{
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

// Writes the signature of a PNG, its header, and the number of images.
static void write_apng_header(view_movie *movie, const uint8_t *png, const uint8_t *header,
                              uint32_t header_size)
{
    uint8_t control[8];
    write_u32(control, movie->num_frames);
    write_u32(control + 4, 0); // loops forever
    fwrite(png, 1, PNG_SIGNATURE_SIZE, movie->file);
    write_chunk(movie->file, "IHDR", header, header_size, no_bytes, 0);
    write_chunk(movie->file, "acTL", control, sizeof control, no_bytes, 0);
}

// Writes the chunk fcTL of an APNG. It precedes the data of an image, and contains its sequence
// number, its size, the offset 0 and its duration.
static void write_frame_control(view_movie *movie)
{
    uint8_t control[26] = {0};
    write_u32(control, movie->num_chunks++);
    write_u32(control + 4, movie->width);
    write_u32(control + 8, movie->height);
    // The duration is stored as a fraction with 16-bit numbers. It is 1000 / (1000 * frame rate)
    // seconds if the denominator fits. Otherwise the frame rate is rounded to whole images per
    // second.
    const uint32_t rate = (uint32_t)fmin(fmax(round(movie->frame_rate * 1000), 1), 65535);
    const bool fits_16_bits = movie->frame_rate * 1000 <= 65535;
    write_u16(control + 20, fits_16_bits ? 1000 : 1);
    write_u16(control + 22, fits_16_bits ? rate : (uint32_t)movie->frame_rate);
    write_chunk(movie->file, "fcTL", control, sizeof control, no_bytes, 0);
}

// Writes a part of the compressed image. The first image of an APNG is in chunks IDAT. The others
// are in chunks fdAT, whose data begins with a sequence number.
static void write_image_data(view_movie *movie, const uint8_t *data, uint32_t size)
{
    const bool is_first = movie->num_added == 0;
    if (is_first) {
        write_chunk(movie->file, "IDAT", no_bytes, 0, data, size);
        return;
    }
    uint8_t number[4];
    write_u32(number, movie->num_chunks++);
    write_chunk(movie->file, "fdAT", number, sizeof number, data, size);
}

// Adds an image to an APNG file: encodes it as a PNG, and copies the chunks of the PNG. Returns
// false if memory runs out.
static bool add_apng(view_movie *movie, const uint8_t *rgba)
{
    const view_image image = {(uint8_t *)(uintptr_t)rgba, movie->width, movie->height};
    size_t png_size = 0;
    stbi_write_force_png_filter = 1; // the same filter as for single images
    uint8_t *const png = view_encode_png(&image, true, &png_size);
    if (png == NULL)
        return false;
    // A chunk consists of the size of its data, its kind, the data and a checksum.
    const bool is_first = movie->num_added == 0;
    size_t offset = PNG_SIGNATURE_SIZE;
    while (offset + CHUNK_OVERHEAD <= png_size) {
        const uint8_t *const chunk = png + offset;
        const uint8_t *const kind = chunk + 4;
        const uint8_t *const data = kind + 4;
        const uint32_t size = (uint32_t)chunk[0] << 24 | (uint32_t)chunk[1] << 16
                              | (uint32_t)chunk[2] << 8 | chunk[3];
        if (memcmp(kind, "IHDR", 4) == 0 && is_first) {
            write_apng_header(movie, png, data, size);
        } else if (memcmp(kind, "IDAT", 4) == 0) {
            write_frame_control(movie);
            write_image_data(movie, data, size);
        }
        offset += CHUNK_OVERHEAD + (size_t)size;
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

// Encoder settings of videos. A recording has no time limit and is encoded while the viewer draws.
// No format may therefore keep all images in memory, or be much slower than drawing. The color
// matrix is specified, because players would otherwise guess it. The pixel format requires even
// frame sizes, so frames are padded.
#define VIDEO                                                                                     \
    "-vf",                                                                                        \
        "scale=out_color_matrix=bt709:out_range=tv,pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p", \
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",               \
        "-color_range", "tv"

// Capacity of ffmpeg's argument list.
enum { MAX_WORDS = 40 };

// Returns ffmpeg's arguments for the format of a file, up to NULL: MP4, unless the file extension
// is webm or gif.
static const char *const *format_arguments(const char *path)
{
    static const char *const mp4[] = {VIDEO,        "-preset", "veryfast", "-movflags",
                                      "+faststart", "-f",      "mp4",      NULL};
    static const char *const webm[] = {VIDEO, "-deadline", "realtime", "-cpu-used", "6",    "-crf",
                                       "32",  "-b:v",      "0",        "-f",        "webm", NULL};
    // A palette for all images would require all images first, so each image has its own.
    static const char palette_filter[] = "split[a][b];[a]palettegen=stats_mode=single[p];"
                                         "[b][p]paletteuse=new=1:dither=bayer:bayer_scale=4";
    static const char *const gif[] = {"-vf", palette_filter, "-f", "gif", NULL};
    if (common_has_suffix(path, ".webm"))
        return webm;
    return common_has_suffix(path, ".gif") ? gif : mp4;
}

// Returns the path of the file that ffmpeg writes. If the writer has opened a file without a name,
// ffmpeg inherits it as VIEW_THIRD_FILE. The caller frees the path.
static char *ffmpeg_output_path(const view_movie *movie)
{
    const common_writer *const writer = &movie->writer;
    if (writer->name != NULL)
        return common_format("file:%s", writer->name);
    if (writer->path != NULL)
        return common_format("file:/proc/self/fd/%d", VIEW_THIRD_FILE);
    return common_format("file:%s", movie->path);
}

// Starts ffmpeg, which reads images from movie->pipe and writes the movie. Returns false if it
// cannot be started.
static bool start_ffmpeg(view_movie *movie)
{
    char *const size = common_format("%ux%u", movie->width, movie->height);
    char *const rate = common_format("%g", movie->frame_rate);
    char *const path = ffmpeg_output_path(movie);
    // Without -xerror, ffmpeg reports success even if the end of the file could not be written.
    char *const input[] = {"ffmpeg", "-loglevel", "error",    "-xerror", "-y",
                           "-f",     "rawvideo",  "-pix_fmt", "rgba",    "-s",
                           size,     "-r",        rate,       "-i",      "-"};
    char *words[MAX_WORDS] = {NULL};
    size_t count = COMMON_LENGTH(input);
    memcpy(words, input, sizeof input);
    const char *const *const format = format_arguments(movie->path);
    for (size_t i = 0; format[i] != NULL; i++)
        words[count++] = (char *)(uintptr_t)format[i]; // posix_spawn() does not change it
    words[count] = path;
    movie->ffmpeg = view_start_program(words, true, fileno(movie->writer.file), &movie->pipe);
    free(path);
    free(rate);
    free(size);
    // If ffmpeg exits early, a write fails instead of raising SIGPIPE.
    signal(SIGPIPE, SIG_IGN);
    return movie->ffmpeg > 0;
}

// Writes bytes to the input of ffmpeg. Returns false if ffmpeg has ended.
static bool feed_ffmpeg(view_movie *movie, const uint8_t *bytes, size_t size)
{
    while (size > 0) { // a pipe may accept only a part of the bytes
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

// Closes the input of ffmpeg, so that it finishes the movie, and waits for its end. Returns true if
// ffmpeg reports success.
static bool end_ffmpeg(view_movie *movie)
{
    int status = 1;
    close(movie->pipe);
    pid_t ended = waitpid((pid_t)movie->ffmpeg, &status, 0);
    while (ended < 0 && errno == EINTR)
        ended = waitpid((pid_t)movie->ffmpeg, &status, 0);
    return ended > 0 && status == 0;
}

#endif

// Makes an APNG file playable: writes the number of images into the header, and the end chunk at
// `offset`. If the file cannot be written, sets movie->is_broken.
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

// On POSIX systems, a write past the size limit of the process ends the process. Lets the write
// fail instead.
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

// Creates the file of a movie. A recording has the named file PATH.part, which remains if the
// program is killed. Other movies leave no file if they are incomplete. Returns false and sets
// errno on failure.
static bool begin_movie_file(view_movie *movie)
{
    const bool is_recording = movie->num_frames == 0;
    if (!is_recording)
        return common_begin_file(&movie->writer, movie->path, false);
    char *const part = common_format("%s.part", movie->path);
    movie->writer = (common_writer){fopen(part, "wb"), common_copy(movie->path), part, -1};
    return movie->writer.file != NULL;
}

// Frees a movie whose file could not be created.
static void free_unopened_movie(view_movie *movie)
{
    const bool is_recording = movie->num_frames == 0;
    if (is_recording)
        free(movie->writer.name);
    free(movie->writer.path);
    free(movie->path);
    free(movie);
}

// Creates the file of a movie: APNG is written by the viewer, other formats by ffmpeg through a
// pipe.
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
    ignore_size_limit();
    if (!begin_movie_file(movie)) {
        view_error(log, "cannot write %s: %s", path, strerror(errno));
        free_unopened_movie(movie);
        return NULL;
    }

    const bool is_apng = common_has_suffix(path, ".apng");
    if (is_apng) {
        movie->file = movie->writer.file;
        return movie;
    }
    if (!start_ffmpeg(movie)) {
        common_end_file(&movie->writer, false);
        view_error(log, "%s: ffmpeg is not installed; install ffmpeg, or write an .apng file",
                   path);
        free(movie->path);
        free(movie);
        return NULL;
    }
    return movie;
}

// Finishes the file of a recording after an image, so that it can be played even if the program
// ends unexpectedly. The next image overwrites the end chunk. If this fails, the new image is not
// counted. movie->complete_size remains the size of the part with the previous images.
static void finish_recorded_image(view_movie *movie)
{
    const long offset = ftell(movie->file);
    finish_apng_at_offset(movie, offset);
    if (movie->is_broken)
        movie->num_added--;
    else
        movie->complete_size = offset;
    fseek(movie->file, offset, SEEK_SET);
}

// Adds one image rgba[4 * width * height] to the movie. Returns false if this image or an earlier
// image could not be added. The number of images of a recorded APNG is not known in advance;
// num_frames is then 0. Such a file is finished after each image, so that it can be played if the
// program crashes.
bool view_add_movie_image(view_movie *movie, const uint8_t *rgba)
{
    const size_t size = (size_t)movie->width * movie->height * 4;
    const bool is_apng = movie->file != NULL;
    bool is_added;
    if (is_apng)
        is_added = add_apng(movie, rgba) && ferror(movie->file) == 0;
    else
        is_added = feed_ffmpeg(movie, rgba, size);
    if (!is_added)
        movie->is_broken = true;
    if (movie->is_broken)
        return false;
    movie->num_added++;
    const bool is_recording = movie->num_frames == 0;
    if (is_recording && is_apng)
        finish_recorded_image(movie);
    return !movie->is_broken;
}

// Repairs a recording after a write error, usually because the disk is full. Keeps the part that is
// complete. The file is opened again to drop the buffered data that could not be written.
static void keep_complete_part(view_movie *movie)
{
    FILE *const reopened = freopen(movie->writer.name, "r+b", movie->file);
    movie->file = reopened != NULL ? reopened : tmpfile();
    movie->writer.file = movie->file;
    finish_apng_at_offset(movie, movie->complete_size);
    movie->is_broken |= ftruncate(fileno(movie->file), ftell(movie->file)) != 0;
    view_warn(movie->log, "cannot write %s: the movie was closed after %u %s", movie->path,
              movie->num_added, common_noun(movie->num_added, "frame", "frames"));
}

// Finishes the file and frees the movie. Returns false and logs an error if the file is
// incomplete. An incomplete movie is deleted. The exception is a recorded APNG after a write
// error: the images that were written completely remain as a shorter movie.
bool view_end_movie(view_movie *movie)
{
    if (movie->file != NULL && movie->num_frames > 0)
        write_chunk(movie->file, "IEND", no_bytes, 0, no_bytes, 0);
    if (movie->complete_size > 0 && (movie->is_broken || ferror(movie->file) != 0))
        keep_complete_part(movie);

    // An incomplete movie is removed by common_end_file().
    const bool has_all_images = movie->num_frames == 0 || movie->num_added == movie->num_frames;
    bool is_complete = !movie->is_broken && has_all_images;
    if (movie->file == NULL)
        is_complete = end_ffmpeg(movie) && is_complete;
    is_complete = common_end_file(&movie->writer, is_complete) && is_complete;
    if (!is_complete)
        view_error(movie->log, "cannot write %s completely", movie->path);
    free(movie->rgba);
    free(movie->path);
    free(movie);
    return is_complete;
}
