// Writes the test images of test_view_image.h: encoders for PNG, TGA and DDS that use every variant
// of the formats, JPEG by libjpeg, and random damage.
#include "test/scoped.h"
#include "test/viewer/test_view_image.h"

#include <jpeglib.h>

enum { NUM_COLORS = 16 };

void image_pixel(int x, int y, uint8_t rgba[4])
{
    rgba[0] = (uint8_t)(x * 6);
    rgba[1] = (uint8_t)(y * 8);
    rgba[2] = (uint8_t)(x * 2 + y * 3);
    rgba[3] = (uint8_t)(255 - x);
}

void image_append(image_file *file, const void *bytes, size_t size)
{
    if (file->size + size > file->room) {
        file->room = 2 * (file->size + size);
        file->bytes = realloc(file->bytes, file->room);
        if (!file->bytes)
            abort();
    }
    if (size > 0)
        memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

static void append_byte(image_file *file, uint32_t byte)
{
    const uint8_t b = (uint8_t)byte;
    image_append(file, &b, 1);
}

static void append_big_endian(image_file *file, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        append_byte(file, value >> shift);
}

static void append_little_endian(image_file *file, uint32_t value)
{
    append_byte(file, value);
    append_byte(file, value >> 8);
}

// -- PNG ------------------------------------------------------------------------------------

static uint32_t checksum(const uint8_t *bytes, size_t size)
{
    uint32_t sum = ~0u;
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return ~sum;
}

static void append_chunk(image_file *file, const char *name, const image_file *body)
{
    append_big_endian(file, (uint32_t)body->size);
    const size_t start = file->size;
    image_append(file, name, 4);
    if (body->size)
        image_append(file, body->bytes, body->size);
    append_big_endian(file, checksum(file->bytes + start, file->size - start));
}

// Writes the samples of one pixel in the file's channels, and returns their number.
static int png_samples(int color, int x, int y, uint8_t sample[4])
{
    uint8_t rgba[4];
    image_pixel(x, y, rgba);
    switch (color) {
    case 0:
        sample[0] = rgba[0];
        return 1;
    case 3:
        sample[0] = (uint8_t)((x + y) % NUM_COLORS);
        return 1;
    case 4:
        sample[0] = rgba[0];
        sample[1] = rgba[3];
        return 2;
    default:
        memcpy(sample, rgba, 4);
        return color == 2 ? 3 : 4;
    }
}

// Writes one unfiltered row of a pass, and returns its size in bytes.
static size_t png_row(int color, int depth, int y, int x0, int step, uint8_t *row)
{
    size_t num_bits = 0;
    memset(row, 0, IMAGE_WIDTH * 8);
    for (int x = x0; x < IMAGE_WIDTH; x += step) {
        uint8_t sample[4];
        const int num_samples = png_samples(color, x, y, sample);
        for (int i = 0; i < num_samples; i++) {
            const int value = color == 3 ? sample[i] & ((1 << depth) - 1) : sample[i];
            if (depth == 16)
                row[num_bits / 8] = row[num_bits / 8 + 1] = sample[i];
            else if (color == 3 || depth == 8)
                row[num_bits / 8] |= (uint8_t)(value << (8 - depth - (int)(num_bits % 8)));
            else
                row[num_bits / 8] |=
                    (uint8_t)(value >> (8 - depth) << (8 - depth - (int)(num_bits % 8)));
            num_bits += (size_t)depth;
        }
    }
    return (num_bits + 7) / 8;
}

static int paeth(int a, int b, int c)
{
    const int p = a + b - c;
    const int pa = abs(p - a);
    const int pb = abs(p - b);
    const int pc = abs(p - c);
    if (pa <= pb && pa <= pc)
        return a;
    return pb <= pc ? b : c;
}

image_file image_make_png(int color, int depth, int interlaced)
{
    static const int passes[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                     {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    static const int full_pass[4] = {0, 0, 1, 1};
    image_file file = {0};
    image_file raw = {0};
    image_file head = {0};
    image_file palette = {0};
    image_file none = {0};
    append_big_endian(&head, IMAGE_WIDTH);
    append_big_endian(&head, IMAGE_HEIGHT);
    const uint8_t kind[5] = {(uint8_t)depth, (uint8_t)color, 0, 0, (uint8_t)interlaced};
    image_append(&head, kind, 5);
    for (int i = 0; i < (interlaced ? 7 : 1); i++) {
        const int *pass = interlaced ? passes[i] : full_pass;
        static const int num_channels[7] = {1, 0, 3, 1, 2, 0, 4};
        const int bits = num_channels[color] * depth;
        uint8_t rows[2][IMAGE_WIDTH * 8] = {{0}};
        if (pass[0] >= IMAGE_WIDTH)
            continue;
        for (int y = pass[1], n = 0; y < IMAGE_HEIGHT; y += pass[3], n++) {
            uint8_t *const row = rows[n & 1];
            const size_t size = png_row(color, depth, y, pass[0], pass[2], row);
            const uint8_t *above = rows[~n & 1];
            size_t pixel_size = bits >= 8 ? (size_t)bits / 8 : 1;
            int filter = n % 5;
            append_byte(&raw, (uint32_t)filter);
            for (size_t j = 0; j < size; j++) {
                const int a = j >= pixel_size ? row[j - pixel_size] : 0;
                const int b = above[j];
                const int c = j >= pixel_size ? above[j - pixel_size] : 0;
                const int guess[5] = {0, a, b, (a + b) / 2, paeth(a, b, c)};
                append_byte(&raw, (uint32_t)(row[j] - guess[filter]));
            }
        }
    }
    for (int i = 0; i < 3 * (1 << (depth < 4 ? depth : 4)); i++)
        append_byte(&palette, (uint32_t)(i * 5));

    // Returns the bytes as a zlib stream of one stored block.
    image_file packed = {0};
    uint32_t a = 1;
    uint32_t b = 0;
    for (size_t i = 0; i < raw.size; i++) {
        a = (a + raw.bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    image_append(&packed, "\x78\x01\x01", 3);
    append_little_endian(&packed, (uint32_t)raw.size);
    append_little_endian(&packed, ~(uint32_t)raw.size);
    image_append(&packed, raw.bytes, raw.size);
    append_big_endian(&packed, b << 16 | a);

    image_append(&file, "\x89PNG\r\n\x1a\n", 8);
    append_chunk(&file, "IHDR", &head);
    if (color == 3)
        append_chunk(&file, "PLTE", &palette);
    append_chunk(&file, "IDAT", &packed);
    append_chunk(&file, "IEND", &none);
    free(raw.bytes);
    free(head.bytes);
    free(palette.bytes);
    free(packed.bytes);
    return file;
}

// Appends the lowest bits of a value to a deflate stream, starting with the lowest bit.
static void append_bits(image_file *file, uint32_t *num_bits, uint32_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (*num_bits % 8 == 0)
            append_byte(file, 0);
        file->bytes[file->size - 1] |= (uint8_t)((value >> i & 1) << *num_bits % 8);
        ++*num_bits;
    }
}

image_file image_make_png_bomb(size_t num_bytes, size_t size)
{
    image_file file = {0};
    image_file head = {0};
    image_file packed = {0};
    image_file padding = {0};
    image_file none = {0};
    uint32_t num_bits = 16;
    append_big_endian(&head, 1);
    append_big_endian(&head, 1);
    image_append(&head, "\x08\x06\0\0\0", 5);
    // One block of fixed codes (RFC 1951, 3.2.6): a 0, then repeatedly 258 copies of the byte
    // before. Codes begin with their highest bit.
    image_append(&packed, "\x78\x01", 2);
    append_bits(&packed, &num_bits, 3, 3);
    append_bits(&packed, &num_bits, 0x0C, 8); // literal 0: 00110000
    for (size_t i = 1; i < num_bytes; i += 258)
        append_bits(&packed, &num_bits, 0xA3, 13); // length 285: 11000101; distance 0: 00000
    append_bits(&packed, &num_bits, 0, 7);         // end of block
    append_big_endian(&packed, 0);                 // the checksum, which readers may ignore
    image_append(&file, "\x89PNG\r\n\x1a\n", 8);
    append_chunk(&file, "IHDR", &head);
    append_chunk(&file, "IDAT", &packed);
    while (file.size + 12 + padding.size + 12 < size)
        append_byte(&padding, 0);
    append_chunk(&file, "paDd", &padding);
    append_chunk(&file, "IEND", &none);
    free(head.bytes);
    free(packed.bytes);
    free(padding.bytes);
    return file;
}

// -- TGA ------------------------------------------------------------------------------------

static void append_tga_pixel(image_file *file, int bits, int has_palette, int x, int y)
{
    uint8_t rgba[4];
    image_pixel(x, y, rgba);
    if (bits == 8)
        append_byte(file, has_palette ? (uint32_t)((x + y) % NUM_COLORS) : rgba[0]);
    else if (bits == 16)
        append_little_endian(file,
                             (uint32_t)(rgba[0] >> 3 << 10 | rgba[1] >> 3 << 5 | rgba[2] >> 3));
    else
        image_append(file, (const uint8_t[]){rgba[2], rgba[1], rgba[0], rgba[3]}, (size_t)bits / 8);
}

image_file image_make_tga(int bits, int has_palette, int packed)
{
    image_file file = {0};
    int kind = bits == 8 ? 3 : 2;
    if (has_palette)
        kind = 1;
    if (packed)
        kind += 8;
    const uint8_t head[12] = {
        0, (uint8_t)has_palette, (uint8_t)kind, 0, 0, has_palette ? NUM_COLORS : 0, 0, 24};
    image_append(&file, head, sizeof head);
    append_little_endian(&file, IMAGE_WIDTH);
    append_little_endian(&file, IMAGE_HEIGHT);
    append_byte(&file, (uint32_t)bits);
    append_byte(&file, 32); // top row first
    if (has_palette) {
        for (int i = 0; i < 3 * NUM_COLORS; i++)
            append_byte(&file, (uint32_t)(i * 5));
    }
    if (packed) {
        // Packets alternate: four literal pixels, then a run of three, which differs from the
        // unpacked image.
        for (int i = 0; i < IMAGE_WIDTH * IMAGE_HEIGHT; i += 7) {
            append_byte(&file, 3);
            for (int j = i; j < i + 4; j++)
                append_tga_pixel(&file, bits, has_palette, j % IMAGE_WIDTH, j / IMAGE_WIDTH);
            append_byte(&file, 128 + 2);
            append_tga_pixel(&file, bits, has_palette, (i + 4) % IMAGE_WIDTH,
                             (i + 4) / IMAGE_WIDTH);
        }
    } else
        for (int i = 0; i < IMAGE_WIDTH * IMAGE_HEIGHT; i++)
            append_tga_pixel(&file, bits, has_palette, i % IMAGE_WIDTH, i / IMAGE_WIDTH);
    return file;
}

// -- DDS ------------------------------------------------------------------------------------

image_file image_make_dds(int bits)
{
    image_file file = {0};
    uint32_t header[32] = {0};
    memcpy(header, "DDS ", 4);
    header[1] = 124;
    header[3] = IMAGE_HEIGHT;
    header[4] = IMAGE_WIDTH;
    header[20] = bits == 32 ? 0x41 : 0x40; // color, and alpha
    header[22] = (uint32_t)bits;
    header[23] = 0xff0000;
    header[24] = 0xff00;
    header[25] = 0xff;
    header[26] = 0xff000000;
    image_append(&file, header, 4);
    for (int i = 1; i < 32; i++) {
        append_little_endian(&file, header[i] & 0xffff);
        append_little_endian(&file, header[i] >> 16);
    }
    for (int i = 0; i < IMAGE_WIDTH * IMAGE_HEIGHT; i++)
        append_tga_pixel(&file, bits, 0, i % IMAGE_WIDTH, i / IMAGE_WIDTH);
    return file;
}

// -- JPEG -----------------------------------------------------------------------------------

image_file image_make_jpeg(image_jpeg_options options)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    jpeg_scan_info scans[128];
    SCOPED unsigned char *bytes = NULL;
    unsigned long size = 0;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = IMAGE_WIDTH;
    jpeg.image_height = IMAGE_HEIGHT;
    jpeg.input_components = options.num_channels;
    jpeg.in_color_space = JCS_CMYK;
    if (options.num_channels == 1)
        jpeg.in_color_space = JCS_GRAYSCALE;
    else if (options.num_channels == 3)
        jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 95, TRUE);
    jpeg.restart_interval = (unsigned)options.restart_interval;
    if (options.no_subsampling)
        jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = 1;
    if (options.progressive)
        jpeg_simple_progression(&jpeg);
    if (options.one_scan_per_channel) {
        // A scan for each channel, without progression.
        for (int i = 0; i < jpeg.num_components; i++)
            scans[i] = (jpeg_scan_info){.comps_in_scan = 1, .component_index = {i}, .Se = 63};
        jpeg.scan_info = scans;
        jpeg.num_scans = jpeg.num_components;
    }
    if (options.scan_each_bit) {
        // A scan for each coefficient, and again for its lowest bit.
        int count = 0;
        for (int low = 1; low >= 0; low--) {
            for (int i = 0; i < 64; i++)
                scans[count++] = (jpeg_scan_info){
                    .comps_in_scan = 1, .Ss = i, .Se = i, .Ah = low == 0, .Al = low};
        }
        jpeg.scan_info = scans;
        jpeg.num_scans = count;
    }
    jpeg_start_compress(&jpeg, TRUE);
    uint8_t row[IMAGE_WIDTH * 4];
    while (jpeg.next_scanline < jpeg.image_height) {
        for (int x = 0; x < IMAGE_WIDTH; x++) {
            uint8_t rgba[4];
            image_pixel(x, (int)jpeg.next_scanline, rgba);
            rgba[3] = 255; // no black ink: Adobe stores the inverted value
            memcpy(row + x * jpeg.input_components, rgba, (size_t)jpeg.input_components);
        }
        JSAMPROW rows = row;
        jpeg_write_scanlines(&jpeg, &rows, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    image_file file = {0};
    image_append(&file, bytes, size);
    return file;
}

// -- All images -----------------------------------------------------------------------------

int image_make(int index, image_file *file, const char **name)
{
    static const struct {
        const char *name;
        int color, depth;
    } pngs[] = {{"png-gray-1", 0, 1},         {"png-gray-2", 0, 2},    {"png-gray-4", 0, 4},
                {"png-gray-8", 0, 8},         {"png-gray-16", 0, 16},  {"png-rgb-8", 2, 8},
                {"png-rgb-16", 2, 16},        {"png-palette-1", 3, 1}, {"png-palette-2", 3, 2},
                {"png-palette-4", 3, 4},      {"png-palette-8", 3, 8}, {"png-gray-alpha-8", 4, 8},
                {"png-gray-alpha-16", 4, 16}, {"png-rgba-8", 6, 8},    {"png-rgba-16", 6, 16}};
    static const struct {
        const char *name;
        int bits, has_palette;
    } tgas[] = {{"tga-8", 8, 0},
                {"tga-16", 16, 0},
                {"tga-24", 24, 0},
                {"tga-32", 32, 0},
                {"tga-palette", 8, 1}};
    static const struct {
        const char *name;
        image_jpeg_options options;
    } jpegs[] = {
        {"jpeg-gray", {.num_channels = 1}},
        {"jpeg", {.num_channels = 3}},
        {"jpeg-444", {.num_channels = 3, .no_subsampling = 1}},
        {"jpeg-ink", {.num_channels = 4}},
        {"jpeg-scans", {.num_channels = 3, .one_scan_per_channel = 1}},
        {"jpeg-restart", {.num_channels = 3, .restart_interval = 2}},
        {"jpeg-progressive", {.num_channels = 3, .progressive = 1}},
        {"jpeg-progressive-restart", {.num_channels = 3, .progressive = 1, .restart_interval = 3}},
        {"jpeg-progressive-ink", {.num_channels = 4, .progressive = 1}}};
    enum { PNGS = sizeof pngs / sizeof *pngs, TGAS = sizeof tgas / sizeof *tgas };
    enum { JPEGS = sizeof jpegs / sizeof *jpegs };

    const int tga = index - 2 * PNGS;
    const int jpeg = tga - 2 * TGAS;
    if (tga < 0) {
        *name = pngs[index / 2].name;
        *file = image_make_png(pngs[index / 2].color, pngs[index / 2].depth, index % 2);
    } else if (jpeg < 0) {
        *name = tgas[tga / 2].name;
        *file = image_make_tga(tgas[tga / 2].bits, tgas[tga / 2].has_palette, tga % 2);
    } else if (jpeg < JPEGS) {
        *name = jpegs[jpeg].name;
        *file = image_make_jpeg(jpegs[jpeg].options);
    } else if (jpeg < JPEGS + 2) {
        *name = jpeg == JPEGS ? "dds" : "dds-alpha";
        *file = image_make_dds(jpeg == JPEGS ? 24 : 32);
    } else {
        return 0;
    }
    return 1;
}

// -- Damage ---------------------------------------------------------------------------------

static size_t random_below(uint64_t *random, size_t count)
{
    return count ? (size_t)(test_random(random) * (double)count) % count : 0;
}

// Returns a random offset, half of the time within the first 700 bytes, because damage to headers
// and tables has more effect than damage to pixels.
static size_t random_offset(const image_file *file, uint64_t *random)
{
    const size_t front = file->size < 700 ? file->size : 700;
    return random_below(random, random_below(random, 2) ? front : file->size);
}

static void double_piece(image_file *file, uint64_t *random)
{
    const size_t from = random_offset(file, random);
    const size_t to = random_offset(file, random);
    const size_t max_size = file->size - from < 200 ? file->size - from : 200;
    const size_t size = random_below(random, max_size);
    image_file truncated = {0};
    image_append(&truncated, file->bytes, to);
    image_append(&truncated, file->bytes + from, size);
    image_append(&truncated, file->bytes + to, file->size - to);
    free(file->bytes);
    *file = truncated;
}

void image_damage(image_file *file, uint64_t *random)
{
    for (size_t left = 1 + random_below(random, 4); left > 0 && file->size > 0; left--) {
        switch (random_below(random, 12)) {
        case 0:
            file->size = random_offset(file, random);
            break;
        case 1:
            double_piece(file, random);
            break;
        case 2: {
            const size_t from = random_offset(file, random);
            const size_t max_size = file->size - from < 100 ? file->size - from : 100;
            const size_t size = random_below(random, max_size);
            memmove(file->bytes + from, file->bytes + from + size, file->size - from - size);
            file->size -= size;
        } break;
        default: {
            static const uint8_t values[] = {0, 1, 2, 3, 15, 16, 127, 128, 254, 255};
            const size_t at = random_offset(file, random);
            for (size_t i = at; i < file->size && i < at + 1 + random_below(random, 4); i++) {
                if (random_below(random, 3) == 0)
                    file->bytes[i] ^= (uint8_t)(1u << random_below(random, 8));
                else if (random_below(random, 2) == 0)
                    file->bytes[i] = (uint8_t)random_below(random, 256);
                else
                    file->bytes[i] = values[random_below(random, sizeof values)];
            }
        }
        }
    }
}
