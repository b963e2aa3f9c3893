// TGA files of every kind, written by this test.
#include "test/game/test_image_case.h"
#include "test/test.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 5, HEIGHT = 3, TEXELS = WIDTH * HEIGHT, NUM_COLORS = 7, FIRST_COLOR = 2 };

typedef struct tga_kind {
    uint8_t kind, bits, color_bits; // color_bits: of the palette, 0 = none
    bool is_packed, is_top_first;
} tga_kind;

typedef struct tga_bytes {
    uint8_t bytes[1024];
    size_t size;
} tga_bytes;

static void put(tga_bytes *file, uint32_t value, uint32_t bits)
{
    for (uint32_t i = 0; i < bits; i += 8)
        file->bytes[file->size++] = (uint8_t)(value >> i);
}

static uint32_t sample(uint32_t i, uint32_t channel)
{
    return (i * 37 + channel * 71 + 11) & 255;
}

static uint32_t index_of(uint32_t i)
{
    return i % (NUM_COLORS + 1); // the last one is outside the palette
}

// A color, number `i`, as a file stores it in `bits`.
static void put_color(tga_bytes *file, uint32_t i, uint32_t bits)
{
    const uint32_t r = sample(i, 0), g = sample(i, 1), b = sample(i, 2), a = sample(i, 3);
    if (bits == 8)
        put(file, r, 8);
    else if (bits < 24)
        put(file, r >> 3 << 10 | g >> 3 << 5 | b >> 3, 16);
    else
        put(file, b | g << 8 | r << 16 | a << 24, bits);
}

static void put_texel(tga_bytes *file, const tga_kind *kind, uint32_t i)
{
    if (kind->kind == 1)
        put(file, index_of(i) + FIRST_COLOR, kind->bits);
    else if (kind->kind == 3)
        put(file, sample(i, 0) | sample(i, 3) << 8, kind->bits);
    else
        put_color(file, i, kind->bits);
}

// The texel, counted from the top left, that is the n-th of the file.
static uint32_t texel_at(const tga_kind *kind, uint32_t n)
{
    return kind->is_top_first ? n : (HEIGHT - 1 - n / WIDTH) * WIDTH + n % WIDTH;
}

// Packets of four stored texels and one repeated texel, which continue across rows. In the last
// packet the repeated one claims to be two texels long.
static void put_packets(tga_bytes *file, const tga_kind *kind)
{
    for (uint32_t n = 0; n < TEXELS; n += 5) {
        put(file, 3, 8);
        for (uint32_t i = n; i < n + 4; i++)
            put_texel(file, kind, texel_at(kind, i));
        put(file, 128 + (n + 5 < TEXELS ? 0 : 1), 8);
        put_texel(file, kind, texel_at(kind, n + 4));
    }
}

static void write_file(tga_bytes *file, const tga_kind *kind)
{
    memset(file, 0, sizeof *file);
    put(file, 3, 8); // length of the identification
    put(file, kind->color_bits != 0, 8);
    put(file, kind->kind + (kind->is_packed ? 8u : 0u), 8);
    put(file, FIRST_COLOR, 16);
    put(file, kind->color_bits ? NUM_COLORS : 0, 16);
    put(file, kind->color_bits, 8);
    put(file, 0, 32);
    put(file, WIDTH, 16);
    put(file, HEIGHT, 16);
    put(file, kind->bits, 8);
    put(file, kind->is_top_first ? 0x20 : 0, 8);
    put(file, 0xABCDEF, 24);
    for (uint32_t i = 0; i < NUM_COLORS && kind->color_bits; i++)
        put_color(file, i, kind->color_bits);
    if (kind->is_packed)
        put_packets(file, kind);
    else
        for (uint32_t n = 0; n < TEXELS; n++)
            put_texel(file, kind, texel_at(kind, n));
}

// Values of 5 bits are scaled by 255 / 31, to within one unit.
static void expect(const tga_kind *kind, uint32_t i, int expected[4])
{
    const uint32_t color = kind->kind == 1 ? index_of(i) : i;
    const uint32_t bits = kind->kind == 1 ? kind->color_bits : kind->bits;
    const bool is_gray = kind->kind == 3 || bits == 8;
    for (uint32_t j = 0; j < 3; j++) {
        const int value = (int)sample(color, is_gray ? 0 : j);
        expected[j] = !is_gray && bits < 24 ? (value >> 3) * 255 / 31 : value;
    }
    const bool has_alpha = kind->kind == 3 ? bits == 16 : bits == 32;
    expected[3] = has_alpha ? (int)sample(color, 3) : 255;
    if (kind->kind == 1 && color >= NUM_COLORS) {
        expected[0] = expected[1] = expected[2] = 0;
        expected[3] = 255;
    }
}

static md5_image *parse(const tga_bytes *file, size_t size, md5_error *error)
{
    uint8_t *const exact = malloc(size ? size : 1); // exact size, to detect reads past the end
    if (!exact)
        abort();
    memcpy(exact, file->bytes, size);
    md5_image *const image = md5_parse_image(exact, size, NULL, error);
    free(exact);
    return image;
}

static void check_kind(const tga_kind *kind)
{
    tga_bytes file;
    md5_error error;
    write_file(&file, kind);
    md5_image *const image = parse(&file, file.size, &error);
    if (!test_check(image && image->width == WIDTH && image->height == HEIGHT, __FILE__, __LINE__,
                    "kind %u of %u bits: %s", kind->kind, kind->bits, error.message))
        return;
    for (uint32_t i = 0; i < TEXELS; i++) {
        int expected[4];
        expect(kind, i, expected);
        for (int j = 0; j < 4; j++)
            test_check(abs(image->pixels[4 * i + (uint32_t)j] - expected[j]) <= 1, __FILE__,
                       __LINE__, "kind %u of %u bits: channel %d of texel %u is %d, expected %d",
                       kind->kind, kind->bits, j, i, image->pixels[4 * i + (uint32_t)j],
                       expected[j]);
    }
    md5_free_image(image);
}

static const uint8_t kinds[][3] = {{1, 8, 15}, {1, 8, 16}, {1, 8, 24}, {1, 8, 32}, {1, 16, 24},
                                   {1, 8, 8},  {2, 15, 0}, {2, 16, 0}, {2, 24, 0}, {2, 32, 0},
                                   {3, 8, 0},  {3, 16, 0}, {2, 24, 24}};
enum { NUM_KINDS = sizeof kinds / sizeof *kinds };

static tga_kind kind_of(size_t i)
{
    const uint8_t *const kind = kinds[i / 4];
    return (tga_kind){kind[0], kind[1], kind[2], i % 2 == 1, i / 2 % 2 == 1};
}

TEST (images_tga_of_each_kind) {
    for (size_t i = 0; i < (size_t)NUM_KINDS * 4; i++) {
        const tga_kind kind = kind_of(i);
        check_kind(&kind);
    }
}

// Files that are cut off anywhere give no picture.
TEST (images_tga_cut_off_anywhere) {
    for (size_t i = 0; i < (size_t)NUM_KINDS * 4; i++) {
        const tga_kind kind = kind_of(i);
        tga_bytes file;
        md5_error error;
        write_file(&file, &kind);
        for (size_t size = 0; size < file.size; size++) {
            md5_image *const image = parse(&file, size, &error);
            test_check(!image && error.message[0], __FILE__, __LINE__, "%zu of %zu bytes", size,
                       file.size);
            md5_free_image(image);
        }
    }
}

TEST (images_tga_of_impossible_sizes) {
    const tga_kind kind = {2, 32, 0, true, false}, palette = {1, 8, 24, false, false};
    tga_bytes file;
    md5_error error;
    write_file(&file, &kind);
    memset(file.bytes + 12, 0xFF, 4);
    CHECK(!parse(&file, file.size, &error));
    CHECK_STRING(error.message, "65535 by 65535 pixels; at most 16384 a side and 67108864 in all");
    memcpy(file.bytes + 12, "\0\x20\0\x20", 4);
    CHECK(!parse(&file, file.size, &error));
    CHECK_STRING(error.message, "the TGA file ends after 16 of 67108864 pixels");
    memset(file.bytes + 12, 0, 4);
    CHECK(!parse(&file, file.size, &error));
    CHECK_STRING(error.message, "0 by 0 pixels");
    write_file(&file, &palette);
    memset(file.bytes + 5, 0, 2);
    CHECK(!parse(&file, file.size, &error));
    CHECK_STRING(error.message, "the TGA palette has no colors");
    memset(file.bytes + 5, 0xFF, 2);
    CHECK(!parse(&file, file.size, &error));
    CHECK(strstr(error.message, "the TGA file ends before its pixels"));
}
