// TGA files of all kinds, written by this test.
#include "test/material/test_image_case.h"
#include "test/scoped.h"

enum { WIDTH = 5, HEIGHT = 3, TEXELS = WIDTH * HEIGHT, NUM_COLORS = 7, FIRST_COLOR = 2 };

typedef struct tga_kind {
    uint8_t kind;
    uint8_t bits;
    uint8_t color_bits; // bits per color of the palette; 0: no palette
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

static uint32_t palette_index(uint32_t i)
{
    return i % (NUM_COLORS + 1); // the last one is outside the palette
}

// Writes color `i` as a file stores it in `bits` bits.
static void put_color(tga_bytes *file, uint32_t i, uint32_t bits)
{
    const uint32_t r = sample(i, 0);
    const uint32_t g = sample(i, 1);
    const uint32_t b = sample(i, 2);
    const uint32_t a = sample(i, 3);
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
        put(file, palette_index(i) + FIRST_COLOR, kind->bits);
    else if (kind->kind == 3)
        put(file, sample(i, 0) | sample(i, 3) << 8, kind->bits);
    else
        put_color(file, i, kind->bits);
}

// Returns the index, from the top left, of the n-th texel of the file.
static uint32_t texel_at(const tga_kind *kind, uint32_t n)
{
    return kind->is_top_first ? n : (HEIGHT - 1 - n / WIDTH) * WIDTH + n % WIDTH;
}

// Writes a TGA file of a kind, with texels that texel_at() returns.
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
    if (kind->color_bits) {
        for (uint32_t i = 0; i < NUM_COLORS; i++)
            put_color(file, i, kind->color_bits);
    }
    if (kind->is_packed) {
        // Packets of four stored texels and one repeated texel, which continue across rows. In the
        // last packet the length of the repeated texel is two, one more than the image has left.
        for (uint32_t n = 0; n < TEXELS; n += 5) {
            put(file, 3, 8);
            for (uint32_t i = n; i < n + 4; i++)
                put_texel(file, kind, texel_at(kind, i));
            put(file, 128 + (n + 5 < TEXELS ? 0 : 1), 8);
            put_texel(file, kind, texel_at(kind, n + 4));
        }
    } else
        for (uint32_t n = 0; n < TEXELS; n++)
            put_texel(file, kind, texel_at(kind, n));
}

// Checks that the texels of a TGA file of a kind are read correctly.
static void check_kind(const tga_kind *kind)
{
    tga_bytes file;
    md5_error error = {0};
    write_file(&file, kind);
    SCOPED_IMAGE image = parse_exact(file.bytes, file.size, NULL, &error);
    if (!CHECK_THAT(image && image->width == WIDTH && image->height == HEIGHT,
                    "kind %u of %u bits: %s", kind->kind, kind->bits, error.message))
        return;
    for (uint32_t i = 0; i < TEXELS; i++) {
        int expected[4];

        // Values of 5 bits are scaled by 255 / 31, with an error of at most one unit.
        const uint32_t color = kind->kind == 1 ? palette_index(i) : i;
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

        for (int j = 0; j < 4; j++)
            CHECK_THAT(abs(image->pixels[4 * i + (uint32_t)j] - expected[j]) <= 1,
                       "kind %u of %u bits: channel %d of texel %u is %d, expected %d", kind->kind,
                       kind->bits, j, i, image->pixels[4 * i + (uint32_t)j], expected[j]);
    }
}

static const uint8_t kinds[][3] = {{1, 8, 15}, {1, 8, 16}, {1, 8, 24}, {1, 8, 32}, {1, 16, 24},
                                   {1, 8, 8},  {2, 15, 0}, {2, 16, 0}, {2, 24, 0}, {2, 32, 0},
                                   {3, 8, 0},  {3, 16, 0}, {2, 24, 24}};
enum { NUM_KINDS = COUNT_OF(kinds) };

static tga_kind make_kind(size_t i)
{
    const uint8_t *const kind = kinds[i / 4];
    return (tga_kind){kind[0], kind[1], kind[2], i % 2 == 1, i / 2 % 2 == 1};
}

TEST (images_tga_of_each_kind) {
    for (size_t i = 0; i < (size_t)NUM_KINDS * 4; i++) {
        const tga_kind kind = make_kind(i);
        check_kind(&kind);
    }
}

// Truncated files do not give an image.
TEST (images_tga_cut_off_anywhere) {
    for (size_t i = 0; i < (size_t)NUM_KINDS * 4; i++) {
        const tga_kind kind = make_kind(i);
        tga_bytes file;
        md5_error error = {0};
        write_file(&file, &kind);
        for (size_t size = 0; size < file.size; size++) {
            SCOPED_IMAGE image = parse_exact(file.bytes, size, NULL, &error);
            CHECK_THAT(!image && error.message[0], "%zu of %zu bytes", size, file.size);
        }
    }
}

static void check_message(const uint8_t *bytes, size_t size, const char *message)
{
    md5_error error = {0};
    SCOPED_IMAGE image = parse_exact(bytes, size, NULL, &error);
    CHECK(!image);
    CHECK_STRING(error.message, message);
}

TEST (images_tga_of_impossible_sizes) {
    static const struct {
        bool has_palette;
        size_t at, count;
        const char *bytes, *message;
    } cases[] = {
        {false, 12, 4, "\xff\xff\xff\xff",
         "image is too large: 65535 x 65535 pixels; expected at most 16384 per side and 67108864 "
         "in total"},
        {false, 12, 4, "\0\x20\0\x20", "truncated TGA file: expected 67108864 pixels, found 16"},
        {false, 12, 4, "\0\0\0", "image is empty: expected at least 1 x 1 pixels, found 0 x 0"},
        {true, 5, 2, "\0", "TGA palette is empty: expected at least 1 color"},
    };
    static const tga_kind plain = {2, 32, 0, true, false};
    static const tga_kind palette = {1, 8, 24, false, false};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tga_bytes file;
        write_file(&file, cases[i].has_palette ? &palette : &plain);
        memcpy(file.bytes + cases[i].at, cases[i].bytes, cases[i].count);
        check_message(file.bytes, file.size, cases[i].message);
    }
    tga_bytes file;
    md5_error error = {0};
    write_file(&file, &palette);
    memset(file.bytes + 5, 0xFF, 2);
    CHECK(!parse_exact(file.bytes, file.size, NULL, &error));
    CHECK(strstr(error.message, "truncated TGA file: expected at least "));
}

// -- DDS ------------------------------------------------------------------------------------------

// DDS files, written by this test; test/material/squish.sh compares compressed blocks with
// libsquish.

enum { HEADER_SIZE = 128, DX10_SIZE = 148 };

// Offsets of members of the header.
enum {
    DDS_SIZE = 4, // of the header without the magic: 124
    DDS_HEIGHT = 12,
    DDS_WIDTH = 16,
    DDS_FORMAT_SIZE = 76, // always 32
    DDS_FORMAT_FLAGS = 80,
    DDS_FORMAT_NAME = 84, // such as "DXT1"
    DDS_BITS = 88,
    DDS_MASKS = 92,
};
enum { DDS_HAS_FORMAT_NAME = 4 };

typedef struct dds_bytes {
    uint8_t bytes[4096];
    size_t size;
} dds_bytes;

static void put32(dds_bytes *file, size_t at, uint32_t value)
{
    for (uint32_t i = 0; i < 4; i++)
        file->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static void begin(dds_bytes *file, uint32_t width, uint32_t height, const char *name)
{
    memset(file, 0, sizeof *file);
    memcpy(file->bytes, "DDS ", 4);
    put32(file, DDS_SIZE, 124);
    put32(file, DDS_HEIGHT, height);
    put32(file, DDS_WIDTH, width);
    put32(file, DDS_FORMAT_SIZE, 32);
    put32(file, DDS_FORMAT_FLAGS, name ? DDS_HAS_FORMAT_NAME : 0);
    if (name)
        memcpy(file->bytes + DDS_FORMAT_NAME, name, 4);
    file->size = HEADER_SIZE;
}

static void set_masks(dds_bytes *file, uint32_t flags, uint32_t bits, const uint32_t masks[4])
{
    put32(file, DDS_FORMAT_FLAGS, flags);
    put32(file, DDS_BITS, bits);
    for (uint32_t i = 0; i < 4; i++)
        put32(file, DDS_MASKS + 4 * i, masks[i]);
}

static void add(dds_bytes *file, const void *bytes, size_t size)
{
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

static void check_texel(const dds_bytes *file, uint32_t texel, const uint8_t expected[4])
{
    md5_error error = {0};
    SCOPED_IMAGE image = parse_exact(file->bytes, file->size, NULL, &error);
    if (!CHECK_DONE(image, error))
        return;
    for (uint32_t i = 0; i < 4; i++)
        CHECK_UINT(image->pixels[4 * texel + i], expected[i]);
}

// -- Compressed blocks of DDS files ---------------------------------------------------------------

// White and black ends; texels 0 to 3 are the first, second, third and fourth color, the others
// the first.
#define COLORS(first, second) first, second, 0xE4, 0, 0, 0
#define WHITE 0xFF, 0xFF
#define BLACK 0x00, 0x00

// Checks a texel of a file with one block.
static void check_block(const char *name, const uint8_t *block, size_t size, uint32_t texel,
                        const uint8_t expected[4])
{
    dds_bytes file;
    begin(&file, 4, 4, name);
    add(&file, block, size);
    check_texel(&file, texel, expected);
}

TEST (images_dds_of_four_and_three_colors) {
    static const uint8_t four[8] = {COLORS(WHITE, BLACK)};
    static const uint8_t three[8] = {COLORS(BLACK, WHITE)};
    static const uint8_t expected_four[4][4] = {
        {255, 255, 255, 255}, {0, 0, 0, 255}, {170, 170, 170, 255}, {85, 85, 85, 255}};
    static const uint8_t expected_three[4][4] = {
        {0, 0, 0, 255}, {255, 255, 255, 255}, {127, 127, 127, 255}, {0, 0, 0, 0}};
    for (uint32_t i = 0; i < 4; i++) {
        check_block("DXT1", four, 8, i, expected_four[i]);
        check_block("DXT1", three, 8, i, expected_three[i]);
    }
}

TEST (images_of_dds_files_have_the_alpha_of_their_format) {
    // Alpha of four bits; 250 to 40 in seven steps of 30, and in five; texels 0 to 3 have values 0,
    // 1, 2 and 7.
    static const uint8_t blocks[3][16] = {{0x5F, 0xA0, 0, 0, 0, 0, 0, 0, COLORS(BLACK, WHITE)},
                                          {250, 40, 0x88, 0x0E, 0, 0, 0, 0, COLORS(BLACK, WHITE)},
                                          {40, 250, 0x88, 0x0E, 0, 0, 0, 0, COLORS(BLACK, WHITE)}};
    static const uint8_t alphas[3][4] = {{255, 85, 0, 170}, {250, 40, 220, 70}, {40, 250, 82, 255}};
    static const uint8_t grays[4] = {0, 255, 85, 170}; // never three colors
    for (uint32_t i = 0; i < 4; i++) {
        const uint8_t gray = grays[i];
        for (int kind = 0; kind < 3; kind++)
            check_block(kind == 0 ? "DXT3" : "DXT5", blocks[kind], 16, i,
                        (const uint8_t[]){gray, gray, gray, alphas[kind][i]});
        check_block("RXGB", blocks[1], 16, i, (const uint8_t[]){alphas[1][i], gray, gray, 255});
    }
}

// 5 by 6 texels are in 2 by 2 blocks, each with a different color.
TEST (images_dds_of_any_size) {
    static const uint8_t blocks[4][8] = {{0x00, 0xF8}, {0xE0, 0x07}, {0x1F, 0x00}, {0xFF, 0xFF}};
    static const uint8_t red[4] = {255, 0, 0, 255};
    static const uint8_t green[4] = {0, 255, 0, 255};
    static const uint8_t blue[4] = {0, 0, 255, 255};
    static const uint8_t white[4] = {255, 255, 255, 255};
    dds_bytes file;
    begin(&file, 5, 6, "DXT1");
    add(&file, blocks, sizeof blocks);
    check_texel(&file, 3 * 5 + 3, red);
    check_texel(&file, 3 * 5 + 4, green);
    check_texel(&file, 4 * 5 + 3, blue);
    check_texel(&file, 5 * 5 + 4, white);
    file.size--;
    check_message(file.bytes, file.size,
                  "truncated DDS file: expected 32 bytes of pixels, found 31");
}

// -- Texels ---------------------------------------------------------------------------------------

typedef struct dds_texel {
    uint32_t flags;
    uint32_t bits;
    uint32_t masks[4];
    uint32_t texel;
    uint8_t expected[4];
} dds_texel;

// One texel of each uncompressed format: flags, bits per texel, masks of the channels, the
// texel, and its color.
TEST (images_dds_without_blocks) {
    static const dds_texel texels[] = {
        {0x41, 32, {0xFF0000, 0xFF00, 0xFF, 0xFF000000}, 0x04010203, {1, 2, 3, 4}},
        {0x40, 32, {0xFF0000, 0xFF00, 0xFF, 0xFF000000}, 0x04010203, {1, 2, 3, 255}},
        {0x41, 32, {0xFF, 0xFF00, 0xFF0000, 0xFF000000}, 0x04030201, {1, 2, 3, 4}},
        {0x40, 24, {0xFF0000, 0xFF00, 0xFF, 0}, 0x010203, {1, 2, 3, 255}},
        {0x40, 16, {0xF800, 0x07E0, 0x001F, 0}, 0xF810, {255, 0, 132, 255}},
        {0x41, 16, {0x7C00, 0x03E0, 0x001F, 0x8000}, 0x8001, {0, 0, 8, 255}},
        {0x41, 16, {0x0F00, 0x00F0, 0x000F, 0xF000}, 0x3012, {0, 17, 34, 51}},
        {0x20000, 8, {0xFF, 0, 0, 0}, 0x7F, {127, 127, 127, 255}},
        {0x20001, 16, {0xFF, 0, 0, 0xFF00}, 0x207F, {127, 127, 127, 32}},
        {0x2, 8, {0, 0, 0, 0xFF}, 0x21, {0, 0, 0, 33}},
        {0x41, 32, {0x3FF00000, 0xFFC00, 0x3FF, 0xC0000000}, 0x7FF00200, {255, 0, 128, 85}},
    };
    for (size_t i = 0; i < COUNT_OF(texels); i++) {
        const dds_texel *const row = &texels[i];
        dds_bytes file;
        begin(&file, 1, 1, NULL);
        set_masks(&file, row->flags, row->bits, row->masks);
        put32(&file, HEADER_SIZE, row->texel);
        file.size += row->bits / 8;
        check_texel(&file, 0, row->expected);
    }
}

// Rows of 3 bytes are 4 bytes apart if the header contains a pitch of 4 bytes.
TEST (images_dds_with_padded_rows) {
    static const uint32_t masks[4] = {0xFF0000, 0xFF00, 0xFF, 0};
    static const uint8_t rows[7] = {3, 2, 1, 9, 6, 5, 4};
    static const uint8_t padded[4] = {4, 5, 6, 255};
    static const uint8_t dense[4] = {5, 6, 9, 255};
    dds_bytes file;
    begin(&file, 1, 2, NULL);
    set_masks(&file, 0x40, 24, masks);
    add(&file, rows, sizeof rows);
    check_texel(&file, 1, dense);
    put32(&file, 8, 0x8);
    put32(&file, 20, 4);
    check_texel(&file, 1, padded);
    put32(&file, 20, 2); // less than a row: wrong, and ignored
    check_texel(&file, 1, dense);
}

// Formats by DXGI numbers.
TEST (images_dds_of_numbered_formats) {
    static const uint8_t block[16] = {0x5F, 0, 0, 0, 0, 0, 0, 0, COLORS(BLACK, WHITE)};
    static const uint8_t texel[4] = {1, 2, 3, 4};
    static const struct {
        uint32_t number;
        uint8_t expected[4];
    } formats[] = {{27, {1, 2, 3, 4}},    {32, {1, 2, 3, 4}},    {70, {0, 0, 0, 255}},
                   {72, {0, 0, 0, 255}},  {73, {0, 0, 0, 255}},  {75, {0, 0, 0, 255}},
                   {76, {0, 0, 0, 0x5F}}, {78, {0, 0, 0, 0x5F}}, {87, {3, 2, 1, 4}},
                   {88, {3, 2, 1, 255}},  {90, {3, 2, 1, 4}},    {91, {3, 2, 1, 4}},
                   {92, {3, 2, 1, 255}},  {93, {3, 2, 1, 255}}};
    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        const uint32_t number = formats[i].number;
        dds_bytes file;
        begin(&file, 1, 1, "DX10");
        put32(&file, HEADER_SIZE, number);
        file.size = DX10_SIZE;
        if (number >= 70 && number <= 72)
            add(&file, block + 8, 8);
        else if (number >= 73 && number <= 78)
            add(&file, block, 16);
        else
            add(&file, texel, 4);
        check_texel(&file, 0, formats[i].expected);
    }
}

// -- Damage ---------------------------------------------------------------------------------------

TEST (images_dds_that_are_damaged_are_rejected) {
    static const uint32_t masks[4] = {0xFF, 0, 0, 0};
    dds_bytes file;
    begin(&file, 4, 4, "DXT1");
    check_message(file.bytes, file.size, "truncated DDS file: expected 8 bytes of pixels, found 0");
    file.size = 40;
    check_message(file.bytes, file.size, "truncated DDS header: expected 128 bytes, found 40");
    begin(&file, 4, 4, "ATI2");
    check_message(file.bytes, file.size,
                  "unsupported DDS format: expected DXT1, DXT3, DXT5, RXGB or DX10, found 'ATI2'");
    begin(&file, 4, 4, "DX10");
    check_message(file.bytes, file.size, "truncated DDS header: expected 148 bytes, found 128");
    file.size = DX10_SIZE;
    static const uint32_t unsupported[] = {26, 33, 69, 79, 86, 89, 94};
    for (size_t i = 0; i < COUNT_OF(unsupported); i++) {
        put32(&file, HEADER_SIZE, unsupported[i]);
        char message[200];
        snprintf(message, sizeof message,
                 "unsupported DDS format: expected BC1, BC2, BC3 or 8 bits per channel, found "
                 "DXGI format %u",
                 unsupported[i]);
        check_message(file.bytes, file.size, message);
    }
    begin(&file, 4, 4, NULL);
    set_masks(&file, 0x40, 12, masks);
    check_message(file.bytes, file.size,
                  "unsupported DDS format: expected 8, 16, 24 or 32 bits per texel, found 12");
    set_masks(&file, 0x20, 8, masks);
    check_message(file.bytes, file.size,
                  "unsupported DDS format: expected a format code, color, luminance or alpha, "
                  "found flags 0x20");
    begin(&file, 0x4000, 0x4000, "DXT1");
    check_message(file.bytes, file.size,
                  "image is too large: 16384 x 16384 pixels; expected at most 16384 per side and "
                  "67108864 in total");
    begin(&file, 0x2000, 0x2000, "DXT5");
    check_message(file.bytes, file.size,
                  "truncated DDS file: expected 67108864 bytes of pixels, found 0");
    begin(&file, 4, 4, "DXT1");
    put32(&file, 4, 100);
    check_message(file.bytes, file.size,
                  "invalid DDS header: expected a size of 124 bytes, found 100");
    put32(&file, 4, 124);
    put32(&file, 112, 0x200000);
    check_message(file.bytes, file.size, "unsupported DDS file: volume textures are not supported");
}
