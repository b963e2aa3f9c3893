// Movies as GIF, decoded by stb_image, which shares no code with the writer. Where a picture is to
// be cleared, it clears only what that picture drew: none here has more to clear. frames.py follows
// the specification.
#include "test/own.h"
#include "test/viewer/test_view_case.h"

// The viewer's has no GIF.
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_GIF
#define STBI_NO_STDIO
#pragma GCC diagnostic ignored "-Wunused-function" // of stb_image
#include <stb/stb_image.h>

// Differences that are not drawn: see view.h.
enum { MAX_OFF = 5, NUM_PICTURES = 5 };

typedef void paint(uint8_t *rgba, uint32_t x, uint32_t y, uint32_t picture);

static void set(uint8_t *rgba, uint32_t red, uint32_t green, uint32_t blue, uint32_t alpha)
{
    rgba[0] = (uint8_t)red;
    rgba[1] = (uint8_t)green;
    rgba[2] = (uint8_t)blue;
    rgba[3] = (uint8_t)alpha;
}

static void paint_one(uint8_t *rgba, uint32_t x, uint32_t y, uint32_t picture)
{
    (void)x, (void)y, (void)picture;
    set(rgba, 10, 200, 77, 255);
}

// 252 colours, each of its own cell, that move.
static void paint_few(uint8_t *rgba, uint32_t x, uint32_t y, uint32_t picture)
{
    const uint32_t n = (x + 7 * y + 13 * picture) % 252;
    set(rgba, n % 6 * 50, n / 6 % 6 * 50, n / 36 * 40, 255);
}

// As many colours as pixels.
static void paint_slope(uint8_t *rgba, uint32_t x, uint32_t y, uint32_t picture)
{
    set(rgba, 2 * x % 256, 3 * y % 256, (x + y + 20 * picture) % 256, 255);
}

// A grey slope that stands still, and a square on it that goes from left to right.
static void paint_square(uint8_t *rgba, uint32_t x, uint32_t y, uint32_t picture)
{
    const bool is_in = x >= 10 * picture && x < 10 * picture + 8 && y >= 8 && y < 16;
    set(rgba, is_in ? 255 : x, is_in ? 0 : 2 * x, is_in ? 0 : 3 * y, 255);
}

// The same square, on nothing; each alpha occurs.
static void paint_hole(uint8_t *rgba, uint32_t x, uint32_t y, uint32_t picture)
{
    const bool is_in = x >= 10 * picture && x < 10 * picture + 8 && y >= 8 && y < 16;
    set(rgba, x, is_in ? 255 : 0, y, is_in ? 120 + x : 3 * x % 128);
}

static void paint_nothing(uint8_t *rgba, uint32_t x, uint32_t y, uint32_t picture)
{
    paint_one(rgba, x, y, picture);
    rgba[3] = 127;
}

// Noise of 8 colours: few strings repeat, tables of LZW get full.
static void paint_noise(uint8_t *rgba, uint32_t x, uint32_t y, uint32_t picture)
{
    const uint32_t n = (x * 2654435761u ^ y * 2246822519u ^ picture * 3266489917u) * 668265263u;
    set(rgba, n >> 31 << 7, (n >> 30 & 1) << 7, (n >> 29 & 1) << 7, 255);
}

// -- Writing and reading --------------------------------------------------------------------

typedef struct gif_movie {
    uint8_t *bytes, *source, *decoded;
    size_t size;
    int *delays; // milliseconds
    int width, height, num_decoded;
} gif_movie;

static void release(gif_movie *movie)
{
    free(movie->bytes);
    free(movie->source);
    stbi_image_free(movie->decoded);
    stbi_image_free(movie->delays);
}

static bool make_movie(gif_movie *movie, paint *pixel, uint32_t width, uint32_t height,
                       uint32_t count, double frame_rate)
{
    static const char path[] = "movie_of_test.gif";
    view_log log = quiet_log;
    const size_t picture_size = (size_t)width * height * 4;
    const char *problem = NULL;
    int channels = 0;
    *movie = (gif_movie){.source = malloc(picture_size * count)};
    view_movie *const written = view_begin_movie(path, width, height, frame_rate, 0, &log);
    if (!CHECK(movie->source) || !CHECK(written))
        return false;
    FOR (n, count) {
        uint8_t *const rgba = movie->source + n * picture_size;
        FOR (i, width * height)
            pixel(rgba + (size_t)4 * i, i % width, i / width, n);
        CHECK(view_add_picture(written, rgba));
    }
    CHECK(view_end_movie(written));
    movie->bytes = (uint8_t *)common_read_stream(path, &movie->size, &problem);
    CHECK(remove(path) == 0);
    movie->decoded =
        stbi_load_gif_from_memory(movie->bytes, (int)movie->size, &movie->delays, &movie->width,
                                  &movie->height, &movie->num_decoded, &channels, 4);
    return CHECK(movie->decoded) && CHECK_UINT((uint64_t)movie->width, width)
           && CHECK_UINT((uint64_t)movie->height, height);
}

// The largest difference of a channel, where a picture is drawn, and the mean one; what is drawn is
// checked.
static int compare(const gif_movie *movie, double *mean)
{
    const size_t count = (size_t)movie->width * (size_t)movie->height * (size_t)movie->num_decoded;
    int most = 0, num_wrong = 0;
    double sum = 0.0;
    for (size_t i = 0; i < 4 * count; i += 4) {
        const uint8_t *const a = movie->source + i, *const b = movie->decoded + i;
        num_wrong += b[3] != (a[3] < 128 ? 0 : 255);
        for (int c = 0; c < 3 && a[3] >= 128; c++) {
            most = abs(a[c] - b[c]) > most ? abs(a[c] - b[c]) : most;
            sum += abs(a[c] - b[c]);
        }
    }
    CHECK_UINT((uint64_t)num_wrong, 0);
    *mean = sum / (3.0 * (double)count);
    return most;
}

// -- Tests ----------------------------------------------------------------------------------

TEST (view_gif_has_the_pictures_that_were_written) {
    static const struct {
        paint *pixel;
        uint32_t width, height;
        int most; // difference
        double mean;
    } rows[] = {
        {paint_one, 1, 1, 0, 0},       {paint_one, 67, 3, 0, 0},
        {paint_few, 1, 1, 0, 0},       {paint_few, 33, 17, 0, 0},
        {paint_few, 1, 300, 0, 0},     {paint_slope, 127, 83, 40, 5},
        {paint_square, 64, 31, 14, 2}, {paint_hole, 64, 31, MAX_OFF, 0.1},
        {paint_nothing, 5, 4, 0, 0},   {paint_noise, 251, 199, 0, 0},
    };
    EACH (row, rows) {
        gif_movie movie;
        double mean = 0.0;
        if (make_movie(&movie, row->pixel, row->width, row->height, NUM_PICTURES, 10.0)
            && CHECK_UINT((uint64_t)movie.num_decoded, NUM_PICTURES)) {
            const int most = compare(&movie, &mean);
            CHECK_THAT(most <= row->most && mean <= row->mean, "row %d: off by %d, mean %g",
                       (int)(row - rows), most, mean);
        }
        release(&movie);
    }
}

// Colours that are mixed: the mean of 8 by 8 pixels is off by less than they are.
TEST (view_gif_mixes_colors_that_it_lacks) {
    enum { SIDE = 128, BLOCK = 8 };
    gif_movie movie;
    double mean = 0.0, worst = 0.0;
    if (make_movie(&movie, paint_slope, SIDE, SIDE, 1, 10.0)) {
        (void)compare(&movie, &mean);
        FOR (block, (size_t)SIDE * SIDE / BLOCK / BLOCK) {
            int off[3] = {0};
            FOR (i, (size_t)BLOCK * BLOCK)
                FOR (c, 3u) {
                    const size_t x = block * BLOCK % SIDE + i % BLOCK;
                    const size_t y = block * BLOCK / SIDE * BLOCK + i / BLOCK;
                    const size_t at = 4 * (y * SIDE + x) + c;
                    off[c] += movie.decoded[at] - movie.source[at];
                }
            FOR (c, 3)
                worst = fmax(worst, fabs((double)off[c]) / (BLOCK * BLOCK));
        }
        CHECK_THAT(worst < 5.5, "means of blocks are off by %g, pixels by %g", worst, mean);
    }
    release(&movie);
}

// What stands still costs little, and has the same colors all the time.
TEST (view_gif_stands_still_where_nothing_changes) {
    enum { WIDTH = 120, HEIGHT = 80 };
    gif_movie movie, alone;
    if (make_movie(&movie, paint_square, WIDTH, HEIGHT, NUM_PICTURES, 10.0)) {
        size_t num_changed = 0;
        for (size_t n = 1; n < NUM_PICTURES; n++)
            FOR (i, (size_t)WIDTH * HEIGHT) {
                const uint8_t *const now = movie.decoded + 4 * (n * WIDTH * HEIGHT + i);
                const bool is_in = i / WIDTH >= 8 && i / WIDTH < 16 && i % WIDTH < 48;
                num_changed += !is_in && memcmp(now, movie.decoded + 4 * i, 4) != 0;
            }
        CHECK_UINT(num_changed, 0);
        if (make_movie(&alone, paint_square, WIDTH, HEIGHT, 1, 10.0))
            CHECK_THAT(movie.size < alone.size * 2, "%zu of one picture, %zu", alone.size,
                       movie.size);
        release(&alone);
    }
    release(&movie);
}

// The delays add up to the length, rounded to a hundredth; none is shorter than browsers take,
// which can make the last picture of a quick movie end two later.
TEST (view_gif_takes_its_time) {
    static const double rates[] = {7.3, 10, 24, 30, 50, 60, 144, 1000, 0.5};
    EACH (rate, rates) {
        const int count = 48;
        gif_movie movie;
        if (make_movie(&movie, paint_few, 4, 3, (uint32_t)count, *rate)) {
            int sum = 0, least = INT_MAX;
            FOR (i, movie.num_decoded) {
                sum += movie.delays[i];
                least = movie.delays[i] < least ? movie.delays[i] : least;
            }
            const int late = sum - (int)round(1000.0 / *rate * count);
            CHECK_THAT(late >= -5 && late <= (*rate > 50.0 ? 20 : 5), "%g: %d ms", *rate, sum);
            CHECK_THAT(least >= 20, "%g: %d ms", *rate, least);
            CHECK(*rate > 50.0 ? movie.num_decoded < count : movie.num_decoded == count);
        }
        release(&movie);
    }
}

// A rate that no clock of hundredths can hold.
TEST (view_gif_bears_the_longest_times) {
    gif_movie movie;
    if (make_movie(&movie, paint_few, 4, 3, 3, 1e-9))
        CHECK(movie.num_decoded >= 1 && movie.delays[0] == 10 * UINT16_MAX);
    release(&movie);
}

TEST (view_gif_has_the_same_bytes_again) {
    gif_movie movie, again;
    if (make_movie(&movie, paint_slope, 61, 47, 3, 10.0)
        && make_movie(&again, paint_slope, 61, 47, 3, 10.0)) {
        CHECK(movie.size == again.size && memcmp(movie.bytes, again.bytes, again.size) == 0);
        release(&again);
    }
    release(&movie);
}
