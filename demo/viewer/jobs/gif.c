#include "demo/viewer/jobs/gif.h"

#include "demo/common/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void write_u16(FILE *file, uint32_t value)
{
    fputc((int)(value & 255), file);
    fputc((int)(value >> 8 & 255), file);
}

// -- Palette: median cut --------------------------------------------------------------------

// Colours are counted at five bits a channel.
enum { BITS = 5, LEVELS = 1 << BITS, NUM_CELLS = LEVELS * LEVELS * LEVELS };

typedef struct color_box {
    uint32_t first, count; // of the list of cells
    uint64_t weight;       // pixels in it
} color_box;

typedef struct palette {
    uint8_t colors[VIEW_GIF_COLORS][3];
    uint8_t nearest[NUM_CELLS]; // of each cell
} palette;

static uint32_t cell_of(const uint8_t *rgb)
{
    return (uint32_t)(rgb[0] >> (8 - BITS)) << (2 * BITS) | (uint32_t)(rgb[1] >> (8 - BITS)) << BITS
           | (uint32_t)(rgb[2] >> (8 - BITS));
}

static uint32_t level_of(uint32_t cell, int channel)
{
    return cell >> (BITS * (2 - channel)) & (LEVELS - 1);
}

// The channel in which a box is widest.
static int widest_channel(const uint32_t *cells, color_box box)
{
    int widest = 0;
    uint32_t most = 0;
    for (int channel = 0; channel < 3; channel++) {
        uint32_t low = LEVELS, high = 0;
        for (uint32_t i = 0; i < box.count; i++) {
            const uint32_t level = level_of(cells[box.first + i], channel);
            low = level < low ? level : low;
            high = level > high ? level : high;
        }
        if (high - low > most) {
            most = high - low;
            widest = channel;
        }
    }
    return widest;
}

// Sorts a box's cells by one channel, by counting.
static void sort_cells(uint32_t *cells, uint32_t *other, color_box box, int channel)
{
    uint32_t places[LEVELS + 1] = {0};
    for (uint32_t i = 0; i < box.count; i++)
        places[level_of(cells[box.first + i], channel) + 1]++;
    for (int level = 0; level < LEVELS; level++)
        places[level + 1] += places[level];
    for (uint32_t i = 0; i < box.count; i++) {
        const uint32_t cell = cells[box.first + i];
        other[places[level_of(cell, channel)]++] = cell;
    }
    memcpy(cells + box.first, other, box.count * sizeof *cells);
}

// Cuts the box with most pixels in two of equal weight. False if none can be cut.
static bool cut_heaviest(color_box *boxes, uint32_t *num_boxes, uint32_t *cells, uint32_t *other,
                         const uint32_t *counts)
{
    color_box *heaviest = NULL;
    for (uint32_t i = 0; i < *num_boxes; i++)
        if (boxes[i].count > 1 && (heaviest == NULL || boxes[i].weight > heaviest->weight))
            heaviest = &boxes[i];
    if (heaviest == NULL)
        return false;
    sort_cells(cells, other, *heaviest, widest_channel(cells, *heaviest));
    uint64_t weight = 0;
    uint32_t split = 0;
    while (split + 1 < heaviest->count && (split == 0 || weight < heaviest->weight / 2))
        weight += counts[cells[heaviest->first + split++]];
    boxes[(*num_boxes)++] =
        (color_box){heaviest->first + split, heaviest->count - split, heaviest->weight - weight};
    heaviest->count = split;
    heaviest->weight = weight;
    return true;
}

static void average_box(const uint32_t *cells, color_box box, const uint32_t *counts,
                        uint8_t color[3])
{
    for (int channel = 0; channel < 3; channel++) {
        uint64_t sum = 0, weight = 0;
        for (uint32_t i = 0; i < box.count; i++) {
            const uint32_t cell = cells[box.first + i];
            sum += (uint64_t)counts[cell] * level_of(cell, channel);
            weight += counts[cell];
        }
        color[channel] =
            (uint8_t)(weight > 0 ? (sum * 255 + weight * (LEVELS - 1) / 2) / (weight * (LEVELS - 1))
                                 : 0);
    }
}

static uint32_t distance(const uint8_t *color, uint32_t cell)
{
    uint32_t sum = 0;
    for (int channel = 0; channel < 3; channel++) {
        const int value = (int)(level_of(cell, channel) * 255 / (LEVELS - 1));
        const int off = (int)color[channel] - value;
        sum += (uint32_t)(off * off);
    }
    return sum;
}

static void find_nearest(palette *made, uint32_t num_colors)
{
    for (uint32_t cell = 0; cell < NUM_CELLS; cell++) {
        uint32_t least = UINT32_MAX;
        for (uint32_t color = 0; color < num_colors; color++) {
            const uint32_t off = distance(made->colors[color], cell);
            if (off < least) {
                least = off;
                made->nearest[cell] = (uint8_t)color;
            }
        }
    }
}

static void make_palette(palette *made, const uint8_t *rgba, size_t num_pixels)
{
    uint32_t *const counts = common_alloc(NUM_CELLS, sizeof *counts);
    uint32_t *const cells = common_alloc(NUM_CELLS, sizeof *cells);
    uint32_t *const other = common_alloc(NUM_CELLS, sizeof *other);
    color_box boxes[VIEW_GIF_COLORS] = {{.weight = num_pixels}};
    uint32_t num_boxes = 1;
    for (size_t i = 0; i < num_pixels; i++)
        counts[cell_of(rgba + 4 * i)]++;
    for (uint32_t cell = 0; cell < NUM_CELLS; cell++)
        if (counts[cell] > 0)
            cells[boxes[0].count++] = cell;
    while (num_boxes < VIEW_GIF_COLORS && cut_heaviest(boxes, &num_boxes, cells, other, counts)) {
    }
    memset(made->colors, 0, sizeof made->colors);
    for (uint32_t i = 0; i < num_boxes; i++)
        average_box(cells, boxes[i], counts, made->colors[i]);
    find_nearest(made, num_boxes);
    free(other);
    free(cells);
    free(counts);
}

// The pixels as places in the palette. A fixed pattern hides the steps between colours, and does
// not crawl from picture to picture.
static void dither(const palette *made, const uint8_t *rgba, uint32_t width, uint32_t height,
                   uint8_t *places)
{
    static const int8_t pattern[4][4] = {
        {-8, 0, -6, 2}, {4, -4, 6, -2}, {-5, 3, -7, 1}, {7, -1, 5, -3}};
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *const pixel = rgba + 4 * ((size_t)y * width + x);
            uint8_t moved[3];
            for (int channel = 0; channel < 3; channel++) {
                const int value = (int)pixel[channel] + pattern[y % 4][x % 4] / 2;
                moved[channel] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
            }
            places[(size_t)y * width + x] = made->nearest[cell_of(moved)];
        }
    }
}

// -- Data: LZW ------------------------------------------------------------------------------

enum { MOST_CODES = 4096, TABLE_SIZE = 1 << 14, CLEAR = 256, STOP = 257, FIRST_CODE = 258 };

// Codes packed into blocks of at most 255 bytes.
typedef struct packer {
    FILE *file;
    uint32_t bits, num_bits;
    uint8_t block[255];
    uint32_t used;
} packer;

static void flush_block(packer *pack)
{
    if (pack->used == 0)
        return;
    fputc((int)pack->used, pack->file);
    fwrite(pack->block, 1, pack->used, pack->file);
    pack->used = 0;
}

static void put_byte(packer *pack, uint8_t byte)
{
    pack->block[pack->used++] = byte;
    if (pack->used == sizeof pack->block)
        flush_block(pack);
}

static void put_code(packer *pack, uint32_t code, uint32_t width)
{
    pack->bits |= code << pack->num_bits;
    pack->num_bits += width;
    for (; pack->num_bits >= 8; pack->num_bits -= 8) {
        put_byte(pack, (uint8_t)pack->bits);
        pack->bits >>= 8;
    }
}

// Strings that have a code: prefix code and next byte, hashed.
typedef struct string_table {
    uint32_t keys[TABLE_SIZE];  // (prefix << 8 | byte) + 1; 0 = free
    uint16_t codes[TABLE_SIZE]; // of the string
} string_table;

// Where a string stands, or where it is to be put.
static uint32_t find_string(const string_table *table, uint32_t key)
{
    uint32_t place = key * 2654435761u >> 18 & (TABLE_SIZE - 1);
    while (table->keys[place] != 0 && table->keys[place] != key + 1)
        place = (place + 1) & (TABLE_SIZE - 1);
    return place;
}

static void write_lzw(FILE *file, const uint8_t *places, size_t count)
{
    packer pack = {.file = file};
    string_table *const table = common_alloc(1, sizeof *table);
    uint32_t width = 9, next = FIRST_CODE, prefix = places[0];
    fputc(8, file);
    put_code(&pack, CLEAR, width);
    for (size_t i = 1; i < count; i++) {
        const uint32_t key = prefix << 8 | places[i], place = find_string(table, key);
        if (table->keys[place] != 0) {
            prefix = table->codes[place];
            continue;
        }
        put_code(&pack, prefix, width);
        prefix = places[i];
        if (next == MOST_CODES) {
            put_code(&pack, CLEAR, width);
            memset(table, 0, sizeof *table);
            width = 9;
            next = FIRST_CODE;
            continue;
        }
        if (next == 1u << width)
            width++;
        table->keys[place] = key + 1;
        table->codes[place] = (uint16_t)next++;
    }
    put_code(&pack, prefix, width);
    // What reads it has made one more code by now.
    if (next == 1u << width && width < 12)
        width++;
    put_code(&pack, STOP, width);
    if (pack.num_bits > 0)
        put_byte(&pack, (uint8_t)pack.bits);
    flush_block(&pack);
    fputc(0, file);
    free(table);
}

// -- File -----------------------------------------------------------------------------------

void view_write_gif_header(FILE *file, uint32_t width, uint32_t height)
{
    fwrite("GIF89a", 1, 6, file);
    write_u16(file, width);
    write_u16(file, height);
    fwrite("\x70\0\0", 1, 3, file); // no palette for all
    fwrite("\x21\xFF\x0BNETSCAPE2.0\x03\x01\0\0\0", 1, 19, file);
}

void view_write_gif_picture(FILE *file, uint32_t width, uint32_t height, uint32_t delay,
                            const uint8_t *rgba)
{
    const size_t num_pixels = (size_t)width * height;
    palette *const made = common_alloc(1, sizeof *made);
    uint8_t *const places = common_alloc(num_pixels, 1);
    make_palette(made, rgba, num_pixels);
    dither(made, rgba, width, height, places);
    fwrite("\x21\xF9\x04\x04", 1, 4, file);
    write_u16(file, delay);
    fwrite("\0\0\x2C\0\0\0\0", 1, 7, file);
    write_u16(file, width);
    write_u16(file, height);
    fputc(0x87, file); // a palette of 256
    fwrite(made->colors, 1, sizeof made->colors, file);
    write_lzw(file, places, num_pixels);
    free(places);
    free(made);
}

void view_write_gif_end(FILE *file)
{
    fputc(0x3B, file);
}
