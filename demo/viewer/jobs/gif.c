// Movies as GIF: pictures of at most 256 colours, each drawn over the one before.
//
// A picture is written when the next one is known: what is transparent there must be cleared by
// this one. It is the rectangle in which anything changes; what does not change in it is left
// transparent, so that what stands still costs little and cannot flicker. A colour between two of
// the palette is mixed of both, in a pattern that belongs to the place in the picture: it does not
// crawl.
#include "demo/viewer/jobs/view.h"

#include <limits.h>

enum {
    MAX_COLORS = 255, // and one that is transparent
    NUM_CELLS = 1 << 18,
    NUM_CODES = 4096, // of LZW
    NUM_STRINGS = 2 * NUM_CODES,
    MIN_DELAY = 2,   // hundredths of a second
    MIN_ALPHA = 128, // of what is drawn
    MIN_CHANGE = 3,  // of a channel: smaller ones are not drawn
    MIN_ERROR = 160, // of a colour that is mixed, as distance() measures: 4 of each channel
};

// Colours whose channels are equal but for their two lowest bits.
typedef struct gif_cell {
    uint32_t count;
    int error;            // its distance to that color
    uint8_t rgb[3];       // the first one
    uint8_t color, other; // of the palette: the nearest, and the one it is mixed with
} gif_cell;

struct view_gif {
    const view_movie *movie;
    uint32_t begin;                  // hundredths: when the held picture begins
    uint8_t *held, *shown, *indices; // what is written next, what is written already: RGBA
    gif_cell cells[NUM_CELLS];
    uint32_t used[NUM_CELLS]; // cells
    uint32_t num_used, num_colors;
    uint8_t palette[256][3];
    uint32_t strings[NUM_STRINGS]; // prefix << 20 | index << 12 | code; 0 = free
    uint8_t block[256];            // its size first
    uint32_t bits, num_bits;       // that are not in the block yet
};

// -- Colours --------------------------------------------------------------------------------

static const int weights[3] = {3, 6, 1}; // how well differences of channels are seen

static int distance(const int *a, const uint8_t *b)
{
    int sum = 0;
    COMMON_FOR (c, 3)
        sum += weights[c] * (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

static gif_cell *cell_of(view_gif *gif, const uint8_t *rgb)
{
    return &gif->cells[rgb[0] >> 2 << 12 | rgb[1] >> 2 << 6 | rgb[2] >> 2];
}

// Takes the colour that the palette lacks most, until it has all or is full; then finds for each
// cell the colour on the other side of it.
static void make_palette(view_gif *gif)
{
    double most = 1;
    const gif_cell *worst = &gif->cells[gif->used[0]];
    for (gif->num_colors = 0; gif->num_colors < MAX_COLORS && most > 0; gif->num_colors++) {
        uint8_t *const color = memcpy(gif->palette[gif->num_colors], worst->rgb, 3);
        most = 0;
        COMMON_FOR (i, gif->num_used) {
            gif_cell *const cell = &gif->cells[gif->used[i]];
            const int rgb[3] = {cell->rgb[0], cell->rgb[1], cell->rgb[2]};
            const int error = distance(rgb, color);
            if (gif->num_colors == 0 || error < cell->error) {
                cell->error = error;
                cell->color = cell->other = (uint8_t)gif->num_colors;
            }
            const double lack = cell->error * sqrt(cell->count);
            worst = lack > most ? cell : worst;
            most = lack > most ? lack : most;
        }
    }
    COMMON_FOR (i, gif->num_used) {
        gif_cell *const cell = &gif->cells[gif->used[i]];
        const uint8_t *const rgb = cell->rgb, *const near = gif->palette[cell->color];
        const int beyond[3] = {2 * rgb[0] - near[0], 2 * rgb[1] - near[1], 2 * rgb[2] - near[2]};
        int least = INT_MAX;
        for (uint32_t n = 0; n < gif->num_colors && cell->error >= MIN_ERROR; n++) {
            const int error = distance(beyond, gif->palette[n]);
            cell->other = error < least ? (uint8_t)n : cell->other;
            least = error < least ? error : least;
        }
    }
}

static uint8_t select_color(view_gif *gif, const uint8_t *rgb, uint32_t x, uint32_t y)
{
    static const int thresholds[16] = {0, 8,  2, 10, 12, 4, 14, 6,
                                       3, 11, 1, 9,  15, 7, 13, 5}; // Bayer's
    const gif_cell *const cell = cell_of(gif, rgb);
    int along = 0, length = 0; // of the way from one colour to the other
    COMMON_FOR (c, 3) {
        const int from = gif->palette[cell->color][c], way = gif->palette[cell->other][c] - from;
        along += weights[c] * way * (rgb[c] - from);
        length += weights[c] * way * way;
    }
    return 32 * along > (2 * thresholds[y % 4 * 4 + x % 4] + 1) * length ? cell->other
                                                                         : cell->color;
}

// -- The file -------------------------------------------------------------------------------

// The two bytes of a number, for "%c%c".
#define WORD(number) (int)((number)&255), (int)((number) >> 8)

// Adds a code of `size` bits, lowest first; a full block is written.
static void put_code(view_gif *gif, uint32_t code, uint32_t size)
{
    gif->bits |= code << gif->num_bits;
    for (gif->num_bits += size; gif->num_bits >= 8; gif->num_bits -= 8) {
        gif->block[++gif->block[0]] = (uint8_t)gif->bits;
        gif->bits >>= 8;
        if (gif->block[0] == 255) {
            fwrite(gif->block, 1, 256, gif->movie->file);
            gif->block[0] = 0;
        }
    }
}

// Writes the first `count` indices of so many bits by LZW. Codes get longer when the reader, who
// is a string behind, needs that; a full table of strings is followed by a new one.
static void write_indices(view_gif *gif, size_t count, uint32_t index_bits)
{
    const uint32_t clear = 1u << index_bits;
    uint32_t size = index_bits + 1;
    fputc((int)index_bits, gif->movie->file);
    for (size_t i = 0; i < count;) {
        uint32_t next = clear + 2, prefix = gif->indices[i++];
        put_code(gif, clear, size);
        memset(gif->strings, 0, sizeof gif->strings);
        for (size = index_bits + 1; i < count && next < NUM_CODES; i++) {
            const uint32_t string = prefix << 8 | gif->indices[i];
            uint32_t slot = (string * 2654435761u) >> 19; // Knuth's hash, of 13 bits
            while (gif->strings[slot] != 0 && gif->strings[slot] >> 12 != string)
                slot = (slot + 1) % NUM_STRINGS;
            prefix = gif->strings[slot] % NUM_CODES;
            if (gif->strings[slot] == 0) {
                put_code(gif, string >> 8, size);
                gif->strings[slot] = string << 12 | next;
                size += next++ >> size;
                prefix = gif->indices[i];
            }
        }
        put_code(gif, prefix, size);
        size += next < NUM_CODES ? next >> size : 0;
    }
    put_code(gif, clear + 1, size);
    put_code(gif, 0, 7); // fills the last byte
    fwrite(gif->block, 1, gif->block[0] > 0 ? (size_t)gif->block[0] + 1 : 0, gif->movie->file);
    fputc(0, gif->movie->file);
    gif->bits = gif->num_bits = gif->block[0] = 0;
}

// Writes the held picture, shown until `end`; `next` NULL: it is the last, and clears all.
static void write_held(view_gif *gif, const uint8_t *next, uint32_t end)
{
    const uint32_t width = gif->movie->width, height = gif->movie->height;
    uint32_t left = width, top = height, right = 0, bottom = 0;
    bool clears = false;
    memset(gif->cells, 0, sizeof gif->cells);
    gif->num_used = 0;
    COMMON_FOR (y, height)
        COMMON_FOR (x, width) {
            const size_t i = (size_t)y * width + x;
            const uint8_t *const now = gif->held + 4 * i, *const old = gif->shown + 4 * i;
            const bool is_drawn = now[3] >= MIN_ALPHA;
            const bool goes = is_drawn && (next == NULL || next[4 * i + 3] < MIN_ALPHA);
            bool changes = old[3] == 0;
            COMMON_FOR (c, 3)
                changes = changes || abs(now[c] - old[c]) >= MIN_CHANGE;
            gif->indices[i] = changes = changes && is_drawn;
            clears = clears || goes;
            if (!changes && !goes)
                continue;
            left = x < left ? x : left;
            top = y < top ? y : top;
            right = x >= right ? x + 1 : right;
            bottom = y + 1;
            gif_cell *const cell = cell_of(gif, now);
            if (changes && cell->count++ == 0) {
                memcpy(cell->rgb, now, 3);
                gif->used[gif->num_used++] = (uint32_t)(cell - gif->cells);
            }
        }
    if (right == 0) // there is no empty picture
        left = top = 0, right = bottom = 1;
    make_palette(gif);

    size_t count = 0;
    for (uint32_t y = top; y < bottom; y++)
        for (uint32_t x = left; x < right; x++) {
            const size_t i = (size_t)y * width + x;
            const bool changes = gif->indices[i] != 0;
            gif->indices[count++] =
                changes ? select_color(gif, gif->held + 4 * i, x, y) : (uint8_t)gif->num_colors;
            memcpy(gif->shown + 4 * i, gif->held + 4 * i, changes ? 4 : 0);
            gif->shown[4 * i + 3] &= clears ? 0 : 255;
        }
    uint32_t index_bits = 2; // the fewest of LZW
    while (gif->num_colors >> index_bits != 0)
        index_bits++;
    const uint32_t delay = end - gif->begin < UINT16_MAX ? end - gif->begin : UINT16_MAX;
    FILE *const file = gif->movie->file;
    fprintf(file, "!%c\4%c%c%c%c%c", 0xF9, clears ? 9 : 5, WORD(delay), (int)gif->num_colors, 0);
    fprintf(file, ",%c%c%c%c%c%c%c%c%c", WORD(left), WORD(top), WORD(right - left),
            WORD(bottom - top), 0x7F + index_bits);
    fwrite(gif->palette, 3, (size_t)1 << index_bits, file);
    write_indices(gif, count, index_bits);
}

// -- The movie ------------------------------------------------------------------------------

view_gif *view_begin_gif(const view_movie *movie)
{
    const size_t size = (size_t)movie->width * movie->height;
    view_gif *const gif = common_alloc(1, sizeof *gif);
    gif->movie = movie;
    gif->held = common_alloc(size, 9);
    gif->shown = gif->held + 4 * size;
    gif->indices = gif->shown + 4 * size;
    // Its size and no palette of its own; it repeats for ever.
    fprintf(movie->file, "GIF89a%c%c%c%c%c%c%c", WORD(movie->width), WORD(movie->height), 0, 0, 0);
    fprintf(movie->file, "!%c\vNETSCAPE2.0\3\1%c%c%c", 0xFF, 0, 0, 0);
    return gif;
}

// Hundredths: when the next picture of the movie begins.
static uint32_t next_time(const view_movie *movie)
{
    return (uint32_t)fmin(round(100.0 * movie->num_added / movie->frame_rate), 4e9);
}

bool view_add_gif(view_gif *gif, const uint8_t *rgba)
{
    const view_movie *const movie = gif->movie;
    const uint32_t now = next_time(movie);
    if (movie->num_added > 0 && now - gif->begin < MIN_DELAY)
        return true;
    if (movie->num_added > 0)
        write_held(gif, rgba, now);
    memcpy(gif->held, rgba, (size_t)movie->width * movie->height * 4);
    gif->begin = now;
    return ferror(movie->file) == 0;
}

void view_end_gif(view_gif *gif)
{
    const uint32_t end = next_time(gif->movie), least = gif->begin + MIN_DELAY;
    if (gif->movie->num_added > 0)
        write_held(gif, NULL, end > least ? end : least);
    fputc(0x3B, gif->movie->file);
    free(gif->held);
    free(gif);
}
