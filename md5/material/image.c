// Creates and frees images, and reads TGA, PCX and DDS files. Other formats are passed to the
// caller's decoder.
//
// Each reader first checks the header and the size of the data. Only then does it create the image
// and decode the pixels. md5_parse_image() detects the format by the first bytes of the file.
#include "md5/core/freed.h"
#include "md5/material/image.h"

#include "md5/core/assert.h"

#include <string.h>

// Reports that a binary file is damaged. There is no line number. Returns false.
#define DAMAGED(context, ...) MD5_FAIL(context, MD5_ERROR_SYNTAX, __VA_ARGS__)

// Starts a public call, like md5i_context_begin(): clears `error` and applies `opts`. Both may be
// NULL.
void md5i_image_begin(md5_context *context, const md5_image_opts *opts, md5_error *error)
{
    md5_load_opts load_opts;
    memset(&load_opts, 0, sizeof load_opts);
    if (opts)
        load_opts.allocator = opts->allocator;
    md5i_context_begin(context, &load_opts, opts ? opts->file_name : NULL, error);
}

// Returns false and sets the error if a size is 0 or exceeds the limits.
static bool check_image_size(md5_context *context, uint32_t width, uint32_t height)
{
    if (width == 0 || height == 0)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "image is empty: expected at least 1 x 1 pixels, found %u x %u", width,
                        height);
    if (width > MD5_MAX_IMAGE_SIDE || height > MD5_MAX_IMAGE_SIDE
        || (uint64_t)width * height > MD5_MAX_IMAGE_PIXELS)
        return MD5_FAIL(
            context, MD5_ERROR_RANGE,
            "image is too large: %u x %u pixels; expected at most %d per side and %d in total",
            width, height, MD5_MAX_IMAGE_SIDE, MD5_MAX_IMAGE_PIXELS);
    return true;
}

// Allocates the image and its pixels together. The pixels follow the structure.
md5_image *md5i_new_image(md5_context *context, uint32_t width, uint32_t height)
{
    enum { ALIGNMENT = 16 };
    const size_t header_size = (sizeof(md5_image) + (ALIGNMENT - 1)) & ~(size_t)(ALIGNMENT - 1);
    if (!check_image_size(context, width, height))
        return NULL;

    const size_t size = header_size + (size_t)width * height * MD5_IMAGE_CHANNELS;
    md5_image *const image = (md5_image *)md5i_alloc(context, size);
    if (!image)
        return NULL;

    memset(image, 0, sizeof *image);
    image->width = width;
    image->height = height;
    image->pixels = (uint8_t *)image + header_size;
    image->size = size;
    image->internal = (md5_internal){.allocator = context->allocator, .tag = MD5_TAG_IMAGE};
    return image;
}

// Frees an image that is counted in context->memory_held. `image` may be NULL.
void md5i_free_image(md5_context *context, md5_image *image)
{
    if (image)
        context->memory_held -= image->size;
    md5_free_image(image);
}

void md5_free_image(md5_image *image)
{
    MD5_FREE(image, MD5_TAG_IMAGE);
}

// == TGA ==========================================================================================
//
// TGA: a header of 18 bytes, an identification, a palette, pixels in rows or in packets.
//
// Colors are blue, green, red, alpha, or 5 bits per channel. (Truevision, TGA File Format
// Specification 2.0.)

// Offsets in the header.
enum {
    TGA_ID_SIZE = 0,     // size of the identification
    TGA_HAS_PALETTE = 1, // 1 if the file has a palette, else 0
    TGA_KIND = 2,        // KIND_PALETTE, KIND_COLOR or KIND_GRAY; plus PACKED
    TGA_FIRST_COLOR = 3, // index of the first palette entry
    TGA_NUM_COLORS = 5,  // number of palette entries
    TGA_COLOR_BITS = 7,  // bits per palette entry
    TGA_WIDTH = 12,
    TGA_HEIGHT = 14,
    TGA_PIXEL_BITS = 16,
    TGA_FLAGS = 17, // TOP_FIRST; other bits are ignored
    TGA_HEADER_SIZE = 18
};
enum { KIND_PALETTE = 1, KIND_COLOR = 2, KIND_GRAY = 3, PACKED = 8 };
enum { TOP_FIRST = 0x20 }; // the top row is first
// The first byte of a packet: the number of pixels minus one in the lower 7 bits. If the highest
// bit is set, the packet contains one pixel, which is repeated.
enum { PACKET_LENGTH = 127, PACKET_REPEATED = 128 };

// The header of a TGA file, and where its palette and its pixels are.
typedef struct tga_file {
    uint32_t kind; // KIND_PALETTE, KIND_COLOR or KIND_GRAY
    bool is_packed;
    bool is_top_first;
    uint32_t width;
    uint32_t height;
    uint32_t first_color;
    uint32_t num_colors;
    uint32_t color_bits;
    uint32_t pixel_bits;
    uint32_t pixel_size;    // bytes
    const uint8_t *palette; // [num_colors]
    const uint8_t *data;    // [data_size]
    size_t data_size;
} tga_file;

// -- Header ---------------------------------------------------------------------------------------

// Returns true if TGA files can have this number of bits per pixel.
static bool is_valid_depth(uint32_t bits)
{
    switch (bits) {
    case 8:
    case 15:
    case 16:
    case 24:
    case 32:
        return true;
    default:
        return false;
    }
}

// Returns the size of a pixel or a palette entry.
static uint32_t bytes_per_element(uint32_t bits)
{
    return (bits + 7) / 8;
}

// Returns true if the first bytes are a plausible header of a TGA file. The format has no
// signature.
static bool is_tga(const uint8_t *bytes, size_t size)
{
    if (size < TGA_HEADER_SIZE)
        return false;
    const uint32_t kind = bytes[TGA_KIND] & ~(uint32_t)PACKED;
    const uint32_t bits = bytes[TGA_PIXEL_BITS];
    const bool has_valid_palette_flag = bytes[TGA_HAS_PALETTE] <= 1;
    const bool has_palette = bytes[TGA_HAS_PALETTE] == 1;
    const bool is_8_or_16 = bits == 8 || bits == 16;

    if (!has_valid_palette_flag || !is_valid_depth(bits))
        return false;
    switch (kind) {
    case KIND_PALETTE:
        return has_palette && is_8_or_16 && is_valid_depth(bytes[TGA_COLOR_BITS]);
    case KIND_GRAY:
        return is_8_or_16;
    case KIND_COLOR:
        return bits != 8 && (!has_palette || is_valid_depth(bytes[TGA_COLOR_BITS]));
    default:
        return false;
    }
}

// Sets `palette`, `data` and `data_size`. The palette is before the pixels. Color images may also
// have a palette, which is skipped. Returns false and sets the error if the file ends before the
// pixels.
static bool find_tga_data(md5_context *context, const uint8_t *bytes, size_t size, tga_file *file)
{
    const size_t palette_offset = TGA_HEADER_SIZE + (size_t)bytes[TGA_ID_SIZE];
    const size_t palette_size = (size_t)file->num_colors * bytes_per_element(file->color_bits);
    const bool is_palette_empty = file->kind == KIND_PALETTE && file->num_colors == 0;
    const bool is_truncated = palette_offset + palette_size > size;
    // `return false` is written out because static analysers do not detect that DAMAGED() returns
    // false.
    if (is_palette_empty) {
        DAMAGED(context, "TGA palette is empty: expected at least 1 color");
        return false;
    }
    if (is_truncated) {
        DAMAGED(context,
                "truncated TGA file: expected at least %zu bytes before the pixels, found %zu",
                palette_offset + palette_size, size);
        return false;
    }

    file->palette = bytes + palette_offset;
    file->data = file->palette + palette_size;
    file->data_size = size - palette_offset - palette_size;
    return true;
}

// Counts the pixels in the complete packets of a packed file. Stops after the packet that reaches
// `max_count`. The result may therefore exceed `max_count` by less than one packet.
static uint64_t count_packed_pixels(const tga_file *file, uint64_t max_count)
{
    uint64_t count = 0;
    size_t offset = 0;
    while (offset < file->data_size && count < max_count) {
        const uint32_t run = 1u + (file->data[offset] & (uint32_t)PACKET_LENGTH);
        const bool is_repeated = (file->data[offset] & PACKET_REPEATED) != 0;
        const size_t num_stored = is_repeated ? 1 : run;
        const size_t length = 1 + num_stored * file->pixel_size;
        if (length > file->data_size - offset)
            break;
        count += run;
        offset += length;
    }
    return count;
}

// Returns false and sets the error if the file contains fewer pixels than its header declares.
static bool check_tga_data(md5_context *context, const tga_file *file)
{
    const uint64_t expected = (uint64_t)file->width * file->height;
    const uint64_t found =
        file->is_packed ? count_packed_pixels(file, expected) : file->data_size / file->pixel_size;

    if (found < expected)
        return DAMAGED(context, "truncated TGA file: expected %llu pixels, found %llu",
                       (unsigned long long)expected, (unsigned long long)found);
    return true;
}

// -- Pixels ---------------------------------------------------------------------------------------

// Widens a number of 5 bits to 8 bits. Its highest bits are repeated at the end, so that 31 becomes
// 255.
static uint8_t widen5(uint32_t bits)
{
    const uint32_t low = bits & 31;
    return (uint8_t)(low << 3 | low >> 2);
}

// Decodes a color. It has 15 or 16 bits (5 per channel), 24 bits, or 32 bits with alpha. The
// highest of 16 bits is ignored.
static void decode_color(const uint8_t *bytes, uint32_t bits, uint8_t rgba[4])
{
    rgba[3] = 255;
    if (bits < 24) {
        const uint32_t packed = md5_read_u16le(bytes);
        rgba[0] = widen5(packed >> 10);
        rgba[1] = widen5(packed >> 5);
        rgba[2] = widen5(packed);
        return;
    }
    rgba[0] = bytes[2];
    rgba[1] = bytes[1];
    rgba[2] = bytes[0];
    if (bits == 32)
        rgba[3] = bytes[3];
}

// Decodes a gray value of 8 bits, or of 16 bits with alpha.
static void read_gray(const uint8_t *bytes, uint32_t bits, uint8_t rgba[4])
{
    memset(rgba, bytes[0], 3);
    rgba[3] = bits == 16 ? bytes[1] : 255;
}

// Decodes a pixel that is an index of the palette. An index outside the palette is black.
static void read_indexed(const tga_file *file, const uint8_t *bytes, uint8_t rgba[4])
{
    const uint32_t index = file->pixel_bits == 8 ? bytes[0] : md5_read_u16le(bytes);
    const uint32_t color = index - file->first_color; // wraps if the index is below the first

    memset(rgba, 0, 3);
    rgba[3] = 255;
    if (color >= file->num_colors)
        return;

    const uint8_t *const entry =
        file->palette + (size_t)color * bytes_per_element(file->color_bits);
    if (file->color_bits == 8)
        read_gray(entry, 8, rgba);
    else
        decode_color(entry, file->color_bits, rgba);
}

// Position of the next pixel. A packet may continue in the next row.
typedef struct tga_cursor {
    const uint8_t *at;
    uint32_t num_left; // remaining pixels of the packet
    bool is_repeated;
} tga_cursor;

// Returns the bytes of the next pixel and moves the cursor past it. check_tga_data() has checked
// that the file contains all pixels.
static const uint8_t *next_pixel(const tga_file *file, tga_cursor *cursor)
{
    if (!file->is_packed) {
        const uint8_t *const pixel = cursor->at;
        cursor->at += file->pixel_size;
        return pixel;
    }

    if (cursor->num_left == 0) {
        const uint32_t header = *cursor->at++;
        cursor->num_left = 1 + (header & PACKET_LENGTH);
        cursor->is_repeated = (header & PACKET_REPEATED) != 0;
    }
    // The cursor advances after each stored pixel, but remains at a repeated pixel until the packet
    // ends.
    const uint8_t *const pixel = cursor->at;
    cursor->num_left--;
    if (!cursor->is_repeated || cursor->num_left == 0)
        cursor->at += file->pixel_size;
    return pixel;
}

// Reads the header of a file for which is_tga() returned true. Does not set `palette` and `data`.
static void read_tga_header(const uint8_t *bytes, tga_file *file)
{
    memset(file, 0, sizeof *file);
    file->kind = bytes[TGA_KIND] & ~(uint32_t)PACKED;
    file->is_packed = (bytes[TGA_KIND] & PACKED) != 0;
    file->is_top_first = (bytes[TGA_FLAGS] & TOP_FIRST) != 0;
    file->width = md5_read_u16le(bytes + TGA_WIDTH);
    file->height = md5_read_u16le(bytes + TGA_HEIGHT);
    file->first_color = md5_read_u16le(bytes + TGA_FIRST_COLOR);
    if (bytes[TGA_HAS_PALETTE])
        file->num_colors = md5_read_u16le(bytes + TGA_NUM_COLORS);
    file->color_bits = bytes[TGA_COLOR_BITS];
    file->pixel_bits = bytes[TGA_PIXEL_BITS];
    file->pixel_size = bytes_per_element(file->pixel_bits);
}

// Decodes all pixels into the rows of an image, the top row first. Most files store the lowest row
// first.
static void read_tga_pixels(const tga_file *file, md5_image *image)
{
    tga_cursor cursor = {file->data, 0, false};
    for (uint32_t i = 0; i < image->height; i++) {
        const uint32_t y = file->is_top_first ? i : image->height - 1 - i;
        uint8_t *texel = image->pixels + (size_t)y * image->width * MD5_IMAGE_CHANNELS;
        for (uint32_t x = 0; x < image->width; x++, texel += MD5_IMAGE_CHANNELS) {
            const uint8_t *const pixel = next_pixel(file, &cursor);
            if (file->kind == KIND_PALETTE)
                read_indexed(file, pixel, texel);
            else if (file->kind == KIND_GRAY)
                read_gray(pixel, file->pixel_bits, texel);
            else
                decode_color(pixel, file->pixel_bits, texel);
        }
    }
}

// Decodes a TGA file. Returns NULL and sets the error if the file is damaged or memory runs out.
static md5_image *read_tga(md5_context *context, const uint8_t *bytes, size_t size)
{
    tga_file file;
    if (!is_tga(bytes, size)) {
        DAMAGED(context, "unknown image format: expected TGA, PCX or DDS, or, with "
                         "md5_image_opts.decoder, PNG, JPEG, BMP, GIF, OpenEXR or Radiance HDR");
        return NULL;
    }
    read_tga_header(bytes, &file);

    if (!check_image_size(context, file.width, file.height)
        || !find_tga_data(context, bytes, size, &file) || !check_tga_data(context, &file))
        return NULL;

    md5_image *const image = md5i_new_image(context, file.width, file.height);
    if (image)
        read_tga_pixels(&file, image);
    return image;
}

// == PCX ==========================================================================================
//
// PCX: packed rows of 8 bits, with a palette at the end of the file, or in three planes.
//
// The engine reads only files with a palette. The header contains the number of bytes per row,
// which may exceed the number of pixels. Packets are unpacked row by row. A packet that is too long
// for its row is cut at the end of the row.

enum {
    PCX_HEADER_SIZE = 128,
    PALETTE_SIZE = 3 * 256,
    BITS_OFFSET = 3, // offsets of the header
    LEFT_OFFSET = 4,
    TOP_OFFSET = 6,
    RIGHT_OFFSET = 8,
    BOTTOM_OFFSET = 10,
    NUM_PLANES_OFFSET = 65,
    ROW_SIZE_OFFSET = 66,
    RUN_MARK = 0xC0, // if both bits are set, the lower bits are the length of a run
    MAX_RUN = 63,
};

// The header of a PCX file, and the position of the reader in its rows.
typedef struct pcx_file {
    const uint8_t *data;    // next byte of the packed rows
    const uint8_t *end;     // end of the packed rows
    const uint8_t *palette; // [256][3]; NULL if the file has three planes
    uint32_t width;
    uint32_t height;
    uint32_t row_size; // bytes per row of one plane
    uint32_t num_planes;
} pcx_file;

// Reads the size of a PCX image from the coordinates of its edges. Reports an error if an edge is
// on the wrong side of the opposite edge.
static bool read_pcx_size(md5_context *context, const uint8_t *bytes, pcx_file *file)
{
    const uint32_t left = md5_read_u16le(bytes + LEFT_OFFSET);
    const uint32_t top = md5_read_u16le(bytes + TOP_OFFSET);
    const uint32_t right = md5_read_u16le(bytes + RIGHT_OFFSET);
    const uint32_t bottom = md5_read_u16le(bytes + BOTTOM_OFFSET);
    if (right < left)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "invalid PCX header: right edge %u is left of the left edge %u", right,
                        left);
    if (bottom < top)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "invalid PCX header: bottom edge %u is above the top edge %u", bottom, top);

    file->width = right - left + 1;
    file->height = bottom - top + 1;
    return true;
}

// Reads the size and the number of planes (color channels) of a PCX file. Reports an error if the
// format is not supported.
static bool read_pcx_header(md5_context *context, const uint8_t *bytes, size_t size, pcx_file *file)
{
    if (size < PCX_HEADER_SIZE)
        return DAMAGED(context, "truncated PCX header: expected %d bytes, found %zu",
                       PCX_HEADER_SIZE, size);
    const uint32_t bits = bytes[BITS_OFFSET];
    file->num_planes = bytes[NUM_PLANES_OFFSET];
    file->row_size = md5_read_u16le(bytes + ROW_SIZE_OFFSET);
    const bool has_palette = file->num_planes == 1;
    const bool has_channels = file->num_planes == 3;
    if (bits != 8 || (!has_palette && !has_channels))
        return DAMAGED(
            context,
            "unsupported PCX format: expected 8 bits in 1 or 3 planes, found %u bits in %u planes",
            bits, file->num_planes);

    TRY(read_pcx_size(context, bytes, file));
    if (file->row_size < file->width)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "invalid PCX header: rows of %u bytes are too short for %u pixels",
                        file->row_size, file->width);
    return true;
}

// Finds the rows and the palette, and checks that the file is large enough for its rows.
static bool find_pcx_data(md5_context *context, const uint8_t *bytes, size_t size, pcx_file *file)
{
    const size_t body_size = size - PCX_HEADER_SIZE;
    const size_t palette_size = file->num_planes == 1 ? PALETTE_SIZE : 0;
    if (body_size < palette_size)
        return DAMAGED(context,
                       "PCX palette is missing: expected %d bytes after the header, found %zu",
                       PALETTE_SIZE, body_size);

    file->data = bytes + PCX_HEADER_SIZE;
    file->end = bytes + size - palette_size;
    file->palette = palette_size > 0 ? file->end : NULL;

    // Each byte of the file produces at most MAX_RUN bytes of rows. Reject a small file that
    // declares a large size before memory for the image is allocated.
    const uint64_t unpacked_size = (uint64_t)file->row_size * file->num_planes * file->height;
    if (unpacked_size > (uint64_t)(body_size - palette_size) * MAX_RUN)
        return DAMAGED(context, "truncated PCX file: %zu bytes are too few for %u x %u pixels",
                       size, file->width, file->height);
    return true;
}

// Unpacks one plane of a row, which has `row_size` bytes. Writes the first `width` bytes to `out`,
// each `stride` bytes after the previous one. Returns false if the file ends within the row.
static bool unpack_row(pcx_file *file, uint8_t *out, size_t stride)
{
    uint32_t x = 0;
    while (x < file->row_size) {
        if (file->data == file->end)
            return false;

        // A packet is a byte, or the length of a run and the byte that is repeated.
        uint32_t run = 1;
        uint8_t byte = *file->data++;
        if ((byte & RUN_MARK) == RUN_MARK) {
            if (file->data == file->end)
                return false;
            run = byte & ~(uint32_t)RUN_MARK;
            byte = *file->data++;
        }

        for (; run > 0 && x < file->row_size; run--, x++) {
            if (x < file->width)
                out[x * stride] = byte;
        }
    }
    return true;
}

// Replaces the palette indices in the first channel by the colors of the palette.
static void apply_pcx_palette(const pcx_file *file, md5_image *image)
{
    const size_t count = md5_image_texels(image);
    for (size_t i = 0; i < count; i++) {
        uint8_t *const texel = image->pixels + i * MD5_IMAGE_CHANNELS;
        memcpy(texel, file->palette + 3 * (size_t)texel[0], 3);
    }
}

// Unpacks all rows. The planes of a row are the channels of its texels, and alpha is 255. A file
// with a palette has one plane of palette indices, which are replaced by colors at the end. Returns
// false and sets the error if the file ends too early.
static bool unpack_image(md5_context *context, pcx_file *file, md5_image *image)
{
    memset(image->pixels, 255, md5_image_texels(image) * MD5_IMAGE_CHANNELS);
    for (uint32_t y = 0; y < file->height; y++) {
        uint8_t *const row = image->pixels + (size_t)y * file->width * MD5_IMAGE_CHANNELS;
        for (uint32_t plane = 0; plane < file->num_planes; plane++) {
            if (!unpack_row(file, row + plane, MD5_IMAGE_CHANNELS))
                return DAMAGED(context, "truncated PCX file: it ends in row %u of %u", y + 1,
                               file->height);
        }
    }
    if (file->palette)
        apply_pcx_palette(file, image);
    return true;
}

// Decodes a PCX file. Returns NULL and sets the error if the file is damaged or memory runs out.
static md5_image *read_pcx(md5_context *context, const uint8_t *bytes, size_t size)
{
    pcx_file file;
    memset(&file, 0, sizeof file);
    if (!read_pcx_header(context, bytes, size, &file)
        || !check_image_size(context, file.width, file.height)
        || !find_pcx_data(context, bytes, size, &file))
        return NULL;

    md5_image *const image = md5i_new_image(context, file.width, file.height);
    if (image && !unpack_image(context, &file, image)) {
        md5i_free_image(context, image);
        return NULL;
    }
    return image;
}

// == Compressed blocks ============================================================================
//
// Blocks of 4 x 4 texels, compressed by S3TC (DXT): 8 bytes of color, in some formats after 8 bytes
// of alpha. (EXT_texture_compression_s3tc, appendix.) Fractions are truncated, as in libsquish.

// The ways in which the colors and the alpha of a block are compressed.
typedef enum md5_block_format {
    MD5_BLOCK_NONE, // the texels of the file are not compressed
    MD5_BLOCK_DXT1,
    MD5_BLOCK_DXT3,
    MD5_BLOCK_DXT5,
    MD5_BLOCK_RXGB // DXT5 with red in the alpha channel: Doom 3's normal maps
} md5_block_format;

// Returns the bytes of a block: 8 bytes of color, and, except for DXT1, 8 bytes of alpha.
static size_t compressed_block_size(md5_block_format format)
{
    return format == MD5_BLOCK_DXT1 ? 8 : 16;
}

// Widens 5 and 6 bits to 8 by repeating the highest bits at the end.
static void widen565(uint32_t packed, uint32_t rgb[3])
{
    const uint32_t r = packed >> 11 & 31;
    const uint32_t g = packed >> 5 & 63;
    const uint32_t b = packed & 31;
    rgb[0] = r << 3 | r >> 2;
    rgb[1] = g << 2 | g >> 4;
    rgb[2] = b << 3 | b >> 2;
}

// Computes the palette of a compressed block (S3TC) from its two end colors, which are RGB 5:6:5.
// If the palette has three colors, the third color is the mean of the ends, and the fourth is black
// and transparent. Otherwise the third and the fourth color are at one third and two thirds of the
// way from the first end to the second.
static void compute_palette(uint32_t first, uint32_t second, bool has_three_colors,
                            uint8_t palette[4][4])
{
    uint32_t ends[2][3];
    widen565(first, ends[0]);
    widen565(second, ends[1]);
    for (uint32_t channel = 0; channel < 3; channel++) {
        const uint32_t a = ends[0][channel];
        const uint32_t b = ends[1][channel];
        palette[0][channel] = (uint8_t)a;
        palette[1][channel] = (uint8_t)b;
        if (has_three_colors) {
            palette[2][channel] = (uint8_t)((a + b) / 2);
            palette[3][channel] = 0;
        } else {
            palette[2][channel] = (uint8_t)((2 * a + b) / 3);
            palette[3][channel] = (uint8_t)((a + 2 * b) / 3);
        }
    }

    palette[0][3] = 255;
    palette[1][3] = 255;
    palette[2][3] = 255;
    palette[3][3] = has_three_colors ? 0 : 255;
}

// Decodes the colors of a compressed block of 4 x 4 texels (S3TC). The block contains two end
// colors and a 2-bit index for each texel, which selects one of four palette colors. A block that
// can be transparent (DXT1) has three colors if its first end is not greater than the second.
static void read_colors(const uint8_t *block, bool has_transparent, uint8_t texels[16][4])
{
    const uint32_t first = md5_read_u16le(block);
    const uint32_t second = md5_read_u16le(block + 2);
    const uint32_t indices = md5_read_u32le(block + 4);
    const bool has_three_colors = has_transparent && first <= second;
    uint8_t palette[4][4];
    compute_palette(first, second, has_three_colors, palette);
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t index = indices >> 2 * i & 3;
        memcpy(texels[i], palette[index], 4);
    }
}

// Decodes the alpha of DXT3: 4 bits per texel.
static void read_dxt3_alpha(const uint8_t *block, uint8_t texels[16][4])
{
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t shift = i % 2 == 0 ? 0 : 4;
        const uint32_t alpha = block[i / 2] >> shift & 15;
        texels[i][3] = (uint8_t)(alpha * 17); // 15 becomes 255
    }
}

// Decodes the alpha of DXT5. The block contains two end values and a 3-bit index for each texel,
// which selects one of eight values. If the first end is greater than the second, the other six
// values are interpolated. Otherwise four are interpolated, and the last two are 0 and 255.
static void read_dxt5_alpha(const uint8_t *block, uint8_t texels[16][4])
{
    const uint32_t first = block[0];
    const uint32_t second = block[1];
    const uint32_t steps = first > second ? 7 : 5;
    uint8_t palette[8] = {block[0], block[1], 0, 0, 0, 0, 0, 255};

    // With 7 steps, the six interpolated values overwrite the 0 and the 255 at the end of the
    // palette.
    for (uint32_t i = 1; i < steps; i++)
        palette[i + 1] = (uint8_t)(((steps - i) * first + i * second) / steps);

    const uint64_t indices = md5_read_u32le(block + 2) | (uint64_t)md5_read_u16le(block + 6) << 32;
    for (uint32_t i = 0; i < 16; i++)
        texels[i][3] = palette[indices >> 3 * i & 7];
}

// Decodes a block of 8 bytes (DXT1) or 16 bytes to texels in rows, from the top left.
static void decode_block(md5_block_format format, const uint8_t *block, uint8_t texels[16][4])
{
    switch (format) {
    case MD5_BLOCK_DXT1:
        read_colors(block, true, texels);
        break;
    case MD5_BLOCK_DXT3:
        read_colors(block + 8, false, texels);
        read_dxt3_alpha(block, texels);
        break;
    default: // MD5_BLOCK_DXT5, MD5_BLOCK_RXGB
        read_colors(block + 8, false, texels);
        read_dxt5_alpha(block, texels);
        break;
    }

    if (format == MD5_BLOCK_RXGB) {
        for (int i = 0; i < 16; i++) {
            texels[i][0] = texels[i][3];
            texels[i][3] = 255;
        }
    }
}

// == DDS ==========================================================================================
//
// DDS: "DDS ", a header of 124 bytes, pixels. Only the first surface is read: the largest mip
// level, and the first face of a cube map.
//
// The pixels are at offset 128. If the format code is "DX10", the DXGI format is there, and the
// pixels are at 148.
//
// (Microsoft, Programming Guide for DDS.)

enum { DDS_HEADER_SIZE = 128, DX10_SIZE = 148, STRUCTURE_SIZE = 124, BLOCK_SIDE = 4 };
// Offsets from the start of the file.
enum {
    DDS_SIZE = 4, // size of the header: STRUCTURE_SIZE
    DDS_FLAGS = 8,
    DDS_HEIGHT = 12,
    DDS_WIDTH = 16,
    DDS_PITCH = 20, // bytes per row
    DDS_FORMAT_FLAGS = 80,
    DDS_FORMAT_CODE = 84, // four characters
    DDS_BITS = 88,        // bits per texel
    DDS_MASKS = 92,       // masks of red, green, blue and alpha
    DDS_CAPS2 = 112       // flags of cube maps and volumes
};
// Bits of DDS_FLAGS.
enum { HAS_PITCH = 0x8 };
// Bits of DDS_CAPS2.
enum { IS_VOLUME = 0x200000 };
// Bits of DDS_FORMAT_FLAGS.
enum {
    HAS_ALPHA = 0x1,
    IS_ALPHA = 0x2,
    HAS_FORMAT_CODE = 0x4,
    IS_COLOR = 0x40,
    IS_LUMINANCE = 0x20000
};

// The header of a DDS file: how its texels are stored. Texels are either compressed in blocks, or
// numbers of `bits` bits, in which a mask selects the bits of each channel.
typedef struct dds_file {
    uint32_t width;
    uint32_t height;
    md5_block_format blocks;
    uint32_t bits;     // bits per texel if the format has no blocks: 8, 16, 24 or 32
    uint32_t masks[4]; // red, green, blue, alpha; 0 if the channel is missing
    size_t row_size;   // bytes between rows of texels or blocks
    size_t start;      // offset of the pixels
} dds_file;

// -- Header ---------------------------------------------------------------------------------------

// Sets `blocks`, `bits` and `masks` for a DXGI format number. Variants of a format have consecutive
// numbers, such as those for different color spaces. Returns false if the format is not supported.
static bool set_dxgi_format(uint32_t number, dds_file *file)
{
    static const struct {
        uint32_t first;
        uint32_t last;
        md5_block_format blocks;
        uint32_t masks[4];
    } formats[] = {
        {27, 32, MD5_BLOCK_NONE, {0xFF, 0xFF00, 0xFF0000, 0xFF000000}}, // R8G8B8A8
        {70, 72, MD5_BLOCK_DXT1, {0}},
        {73, 75, MD5_BLOCK_DXT3, {0}},
        {76, 78, MD5_BLOCK_DXT5, {0}},
        {87, 87, MD5_BLOCK_NONE, {0xFF0000, 0xFF00, 0xFF, 0xFF000000}}, // B8G8R8A8
        {88, 88, MD5_BLOCK_NONE, {0xFF0000, 0xFF00, 0xFF, 0}},          // B8G8R8X8
        {90, 91, MD5_BLOCK_NONE, {0xFF0000, 0xFF00, 0xFF, 0xFF000000}},
        {92, 93, MD5_BLOCK_NONE, {0xFF0000, 0xFF00, 0xFF, 0}},
    };
    for (uint32_t i = 0; i < MD5_COUNT(formats); i++) {
        if (number >= formats[i].first && number <= formats[i].last) {
            file->blocks = formats[i].blocks;
            file->bits = file->blocks == MD5_BLOCK_NONE ? 32 : 0;
            memcpy(file->masks, formats[i].masks, sizeof file->masks);
            return true;
        }
    }
    return false;
}

// Reads the DXGI format, which follows the header in files with the format code DX10.
static bool read_dxgi_format(md5_context *context, const uint8_t *bytes, size_t size,
                             dds_file *file)
{
    if (size < DX10_SIZE)
        return DAMAGED(context, "truncated DDS header: expected %d bytes, found %zu", DX10_SIZE,
                       size);
    const uint32_t number = md5_read_u32le(bytes + DDS_HEADER_SIZE);
    file->start = DX10_SIZE;
    if (!set_dxgi_format(number, file))
        return DAMAGED(
            context,
            "unsupported DDS format: expected BC1, BC2, BC3 or 8 bits per channel, found "
            "DXGI format %u",
            number);
    return true;
}

// Reads the format from the format code, four characters in the header.
static bool read_named_format(md5_context *context, const uint8_t *bytes, size_t size,
                              dds_file *file)
{
    static const struct {
        const char *name;
        md5_block_format blocks;
    } formats[] = {
        {"DXT1", MD5_BLOCK_DXT1},
        {"DXT3", MD5_BLOCK_DXT3},
        {"DXT5", MD5_BLOCK_DXT5},
        {"RXGB", MD5_BLOCK_RXGB},
    };
    const char *const name = (const char *)bytes + DDS_FORMAT_CODE;
    for (uint32_t i = 0; i < MD5_COUNT(formats); i++) {
        if (memcmp(name, formats[i].name, 4) == 0) {
            file->blocks = formats[i].blocks;
            return true;
        }
    }

    if (memcmp(name, "DX10", 4) == 0)
        return read_dxgi_format(context, bytes, size, file);
    return DAMAGED(context,
                   "unsupported DDS format: expected DXT1, DXT3, DXT5, RXGB or DX10, found %s",
                   md5i_quote(name, 4).text);
}

// Reads the format of a file without a format code: the bits per texel, and the mask of the bits of
// each channel.
static bool read_masked_format(md5_context *context, const uint8_t *bytes, dds_file *file)
{
    const uint32_t flags = md5_read_u32le(bytes + DDS_FORMAT_FLAGS);
    const bool is_color = (flags & IS_COLOR) != 0;
    const bool is_luminance = (flags & IS_LUMINANCE) != 0;
    const bool is_alpha = (flags & IS_ALPHA) != 0;
    const bool has_alpha = is_alpha || (flags & HAS_ALPHA) != 0;
    file->bits = md5_read_u32le(bytes + DDS_BITS);
    if (file->bits == 0 || file->bits > 32 || file->bits % 8 != 0)
        return DAMAGED(context,
                       "unsupported DDS format: expected 8, 16, 24 or 32 bits per texel, found %u",
                       file->bits);
    if (!is_color && !is_luminance && !is_alpha)
        return DAMAGED(context,
                       "unsupported DDS format: expected a format code, color, luminance or alpha, "
                       "found flags 0x%x",
                       flags);

    for (uint32_t i = 0; i < 4; i++)
        file->masks[i] = md5_read_u32le(bytes + DDS_MASKS + 4 * i);

    // Luminance has one mask for three channels. Files with only alpha have no mask for them.
    if (is_luminance) {
        file->masks[1] = file->masks[0];
        file->masks[2] = file->masks[0];
    } else if (!is_color) {
        for (uint32_t i = 0; i < 3; i++)
            file->masks[i] = 0;
    }
    if (!has_alpha)
        file->masks[3] = 0;
    return true;
}

// Reads the size and the format. Sets everything except row_size.
static bool read_dds_header(md5_context *context, const uint8_t *bytes, size_t size, dds_file *file)
{
    memset(file, 0, sizeof *file);
    if (size < DDS_HEADER_SIZE)
        return DAMAGED(context, "truncated DDS header: expected %d bytes, found %zu",
                       DDS_HEADER_SIZE, size);
    if (md5_read_u32le(bytes + DDS_SIZE) != STRUCTURE_SIZE)
        return DAMAGED(context, "invalid DDS header: expected a size of %d bytes, found %u",
                       STRUCTURE_SIZE, md5_read_u32le(bytes + DDS_SIZE));
    if (md5_read_u32le(bytes + DDS_CAPS2) & IS_VOLUME)
        return DAMAGED(context, "unsupported DDS file: volume textures are not supported");

    file->height = md5_read_u32le(bytes + DDS_HEIGHT);
    file->width = md5_read_u32le(bytes + DDS_WIDTH);
    file->start = DDS_HEADER_SIZE;
    TRY(check_image_size(context, file->width, file->height));

    if (md5_read_u32le(bytes + DDS_FORMAT_FLAGS) & HAS_FORMAT_CODE)
        return read_named_format(context, bytes, size, file);
    return read_masked_format(context, bytes, file);
}

// Sets row_size, and checks that the file contains all rows. Rows can be longer than their texels.
// The header then contains the pitch, which is the number of bytes from row to row. The pitch is
// used only if it is at least the size of a row, and less than twice that size plus 16.
static bool check_dds_data(md5_context *context, const uint8_t *bytes, size_t size, dds_file *file)
{
    // A row consists of blocks or of texels. The last block of a row may extend past the right
    // edge, and the last row of blocks past the lower edge.
    const bool has_blocks = file->blocks != MD5_BLOCK_NONE;
    const size_t columns = has_blocks ? (file->width + BLOCK_SIDE - 1) / BLOCK_SIDE : file->width;
    const size_t rows = has_blocks ? (file->height + BLOCK_SIDE - 1) / BLOCK_SIDE : file->height;
    const size_t element_size = has_blocks ? compressed_block_size(file->blocks) : file->bits / 8;
    const size_t min_row_size = columns * element_size;

    const size_t pitch = md5_read_u32le(bytes + DDS_PITCH);
    const bool has_pitch = !has_blocks && (md5_read_u32le(bytes + DDS_FLAGS) & HAS_PITCH);
    const bool is_pitch_plausible = pitch >= min_row_size && pitch < 2 * min_row_size + 16;
    file->row_size = has_pitch && is_pitch_plausible ? pitch : min_row_size;

    const size_t expected_size = file->row_size * (rows - 1) + min_row_size;
    if (size - file->start < expected_size)
        return DAMAGED(context, "truncated DDS file: expected %zu bytes of pixels, found %zu",
                       expected_size, size - file->start);
    return true;
}

// -- Pixels ---------------------------------------------------------------------------------------

// Scales a channel of a texel to 8 bits, rounded. `mask` is not 0.
static uint8_t extract_channel(uint32_t texel, uint32_t mask)
{
    uint64_t max_value = mask;
    uint64_t value = texel & mask;
    while (!(max_value & 1)) {
        max_value >>= 1;
        value >>= 1;
    }
    return (uint8_t)((value * 255 + max_value / 2) / max_value);
}

// Decodes the blocks of a compressed image. If a side is not a multiple of 4, the blocks at the
// right and lower edges extend past the image. Only their texels inside of the image are copied.
static void read_dds_blocks(const dds_file *file, const uint8_t *bytes, md5_image *image)
{
    const size_t block_size = compressed_block_size(file->blocks);
    const uint8_t *row = bytes + file->start;
    for (uint32_t y = 0; y < file->height; y += BLOCK_SIDE, row += file->row_size) {
        const uint8_t *block = row;
        const uint32_t rows = image->height - y < BLOCK_SIDE ? image->height - y : BLOCK_SIDE;
        for (uint32_t x = 0; x < image->width; x += BLOCK_SIDE, block += block_size) {
            uint8_t texels[16][4];
            const size_t columns = image->width - x < BLOCK_SIDE ? image->width - x : BLOCK_SIDE;
            decode_block(file->blocks, block, texels);

            for (uint32_t i = 0; i < rows; i++) {
                uint8_t *const target = image->pixels + 4 * ((size_t)(y + i) * image->width + x);
                memcpy(target, texels[BLOCK_SIDE * i], 4 * columns);
            }
        }
    }
}

// Reads texels that are not compressed: extracts each channel by its mask. A missing channel is 0,
// missing alpha is 255.
static void read_dds_texels(const dds_file *file, const uint8_t *bytes, md5_image *image)
{
    const uint32_t texel_size = file->bits / 8;
    const uint8_t missing[4] = {0, 0, 0, 255};
    const uint8_t *row = bytes + file->start;

    for (uint32_t y = 0; y < file->height; y++, row += file->row_size) {
        for (uint32_t x = 0; x < file->width; x++) {
            const uint8_t *const source = row + (size_t)x * texel_size;
            uint8_t *const rgba = image->pixels + 4 * ((size_t)y * image->width + x);

            uint32_t texel = 0;
            for (uint32_t i = 0; i < texel_size; i++)
                texel |= (uint32_t)source[i] << 8 * i;
            for (uint32_t i = 0; i < 4; i++)
                rgba[i] = file->masks[i] ? extract_channel(texel, file->masks[i]) : missing[i];
        }
    }
}

// Decodes a DDS file. Returns NULL and sets the error if the file is damaged or memory runs out.
static md5_image *read_dds(md5_context *context, const uint8_t *bytes, size_t size)
{
    dds_file file;
    if (!read_dds_header(context, bytes, size, &file)
        || !check_dds_data(context, bytes, size, &file))
        return NULL;

    md5_image *const image = md5i_new_image(context, file.width, file.height);
    if (!image)
        return NULL;
    if (file.blocks != MD5_BLOCK_NONE)
        read_dds_blocks(&file, bytes, image);
    else
        read_dds_texels(&file, bytes, image);
    return image;
}

// == Any format ===================================================================================
//
// Detection of the format by the first bytes of the file.

static bool begins_with(const uint8_t *bytes, size_t size, const char *magic, size_t length)
{
    return size >= length && memcmp(bytes, magic, length) == 0;
}

// Returns the name of a format that this library does not decode, or NULL if the bytes do not begin
// like a file of such a format.
static const char *detect_unsupported_format(const uint8_t *bytes, size_t size)
{
    static const struct {
        const char *name;
        const char *magic;
        size_t length;
    } formats[] = {
        {"PNG", "\x89PNG\r\n\x1a\n", 8},
        {"JPEG", "\xff\xd8\xff", 3},
        {"BMP", "BM", 2},
        {"GIF", "GIF8", 4},
        {"OpenEXR", "v/1\x01", 4},
        {"Radiance HDR", "#?RA", 4},
    };
    for (uint32_t i = 0; i < MD5_COUNT(formats); i++) {
        if (begins_with(bytes, size, formats[i].magic, formats[i].length))
            return formats[i].name;
    }
    return NULL;
}

// Decodes an image with the caller's decoder and copies the pixels. Returns NULL and sets the error
// if the decoder fails or memory runs out. The error contains the decoder's message if there is
// one.
static md5_image *decode_with_callback(md5_context *context, const void *bytes, size_t size,
                                       const md5_image_decoder *decoder)
{
    uint32_t width = 0;
    uint32_t height = 0;
    md5_error reason = {.status = MD5_OK};
    const void *const pixels =
        decoder->decode(decoder->user, bytes, size, &width, &height, &reason);

    if (!pixels) {
        const char *const message =
            reason.message[0]
                ? reason.message
                : "cannot decode the image: md5_image_opts.decoder failed without a message";
        DAMAGED(context, "%.*s", (int)(sizeof reason.message - 1), message);
        return NULL;
    }

    md5_image *const image = md5i_new_image(context, width, height);
    if (image)
        memcpy(image->pixels, pixels, md5_image_texels(image) * MD5_IMAGE_CHANNELS);
    decoder->release(decoder->user, pixels);
    return image;
}

// Decodes an image file. This library reads DDS, PCX and TGA. Other formats are passed to the
// caller's decoder. TGA files have no signature, so a file of an unknown format is read as TGA.
// Returns NULL and sets `error` on failure.
md5_image *md5_parse_image(const void *bytes, size_t size, const md5_image_opts *opts,
                           md5_error *error)
{
    md5_context context;
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: must not be NULL unless size is 0");
    MD5_ASSERT_IMAGE_OPTS(opts);
    md5i_image_begin(&context, opts, error);

    const uint8_t *const file = (const uint8_t *)bytes;
    if (size == 0) {
        DAMAGED(&context, "image file is empty: expected at least 1 byte");
        return NULL;
    }

    if (begins_with(file, size, "DDS ", 4))
        return read_dds(&context, file, size);
    // A PCX file begins with the manufacturer, the version 3.0 and the run-length encoding.
    if (begins_with(file, size, "\x0a\x05\x01", 3))
        return read_pcx(&context, file, size);
    const char *const format = detect_unsupported_format(file, size);
    if (!format)
        return read_tga(&context, file, size);
    if (opts && opts->decoder.decode)
        return decode_with_callback(&context, bytes, size, &opts->decoder);
    DAMAGED(&context, "unsupported image format: found %s; set md5_image_opts.decoder to read it",
            format);
    return NULL;
}
