// TGA: a header of 18 bytes, an identification, a palette, pixels in rows or in packets.
//
// The header: 0 size of the identification, 1 whether there is a palette, 2 kind (1 palette, 2
// color, 3 gray; + 8 packed), 3 first index of the palette, 5 its size, 7 its bits, 12 width, 14
// height, 16 bits of a pixel, 17 flags (0x20: the top row first). Colors are blue, green, red,
// alpha, or 5 bits each. (Truevision, TGA File Format Specification 2.0.)
#include "md5/game/image.h"

#include <string.h>

enum { HEADER_SIZE = 18, TOP_FIRST = 0x20, PACKED = 8 };
enum { KIND_PALETTE = 1, KIND_COLOR = 2, KIND_GRAY = 3 };

typedef struct tga_file {
    uint32_t kind;
    bool is_packed, is_top_first;
    uint32_t width, height;
    uint32_t first_color, num_colors, color_bits;
    uint32_t pixel_bits, pixel_size;
    const uint8_t *palette; // [num_colors]
    const uint8_t *data;    // [data_size]
    size_t data_size;
} tga_file;

// -- Header ---------------------------------------------------------------------------------------

static bool is_depth(uint32_t bits)
{
    return bits == 8 || bits == 15 || bits == 16 || bits == 24 || bits == 32;
}

static uint32_t byte_size(uint32_t bits)
{
    return (bits + 7) / 8;
}

static bool is_tga(const uint8_t *bytes, size_t size)
{
    if (size < HEADER_SIZE)
        return false;
    const uint32_t kind = bytes[2] & ~(uint32_t)PACKED, bits = bytes[16];
    if (bytes[1] > 1 || kind < KIND_PALETTE || kind > KIND_GRAY || !is_depth(bits))
        return false;
    switch (kind) {
    case KIND_PALETTE:
        return bytes[1] == 1 && (bits == 8 || bits == 16) && is_depth(bytes[7]);
    case KIND_GRAY:
        return bits == 8 || bits == 16;
    default:
        return bits != 8 && (bytes[1] == 0 || is_depth(bytes[7]));
    }
}

static void read_header(const uint8_t *bytes, tga_file *file)
{
    memset(file, 0, sizeof *file);
    file->kind = bytes[2] & ~(uint32_t)PACKED;
    file->is_packed = (bytes[2] & PACKED) != 0;
    file->is_top_first = (bytes[17] & TOP_FIRST) != 0;
    file->width = md5_little16(bytes + 12);
    file->height = md5_little16(bytes + 14);
    file->first_color = md5_little16(bytes + 3);
    file->num_colors = bytes[1] ? md5_little16(bytes + 5) : 0;
    file->color_bits = bytes[7];
    file->pixel_bits = bytes[16];
    file->pixel_size = byte_size(bytes[16]);
}

// Sets palette and data. A color picture may have a palette, too, which is ignored.
static bool find_data(md5_context *context, const uint8_t *bytes, size_t size, tga_file *file)
{
    const size_t palette = HEADER_SIZE + (size_t)bytes[0];
    const size_t palette_size = (size_t)file->num_colors * byte_size(file->color_bits);
    if (file->kind == KIND_PALETTE && file->num_colors == 0)
        return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0, "the TGA palette has no colors");
    if (palette + palette_size > size)
        return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0,
                         "the TGA file ends before its pixels, at %zu of %zu bytes", size,
                         palette + palette_size);
    file->palette = bytes + palette;
    file->data = file->palette + palette_size;
    file->data_size = size - palette - palette_size;
    return true;
}

// How many of the wanted pixels the packets hold. The first byte of a packet is the number of its
// pixels less one; its highest bit means that one pixel is repeated.
static uint64_t count_packed(const tga_file *file, uint64_t wanted)
{
    uint64_t count = 0;
    for (size_t at = 0; at < file->data_size && count < wanted;) {
        const uint32_t run = 1u + (file->data[at] & 127u);
        const size_t length = 1 + (file->data[at] & 128 ? 1 : run) * (size_t)file->pixel_size;
        if (length > file->data_size - at)
            break;
        count += run;
        at += length;
    }
    return count;
}

static bool check_data(md5_context *context, const tga_file *file)
{
    const uint64_t wanted = (uint64_t)file->width * file->height;
    const uint64_t found = file->is_packed ? count_packed(file, wanted)
                                           : (uint64_t)(file->data_size / file->pixel_size);
    return found >= wanted
           || md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0,
                        "the TGA file ends after %llu of %llu pixels", (unsigned long long)found,
                        (unsigned long long)wanted);
}

// -- Pixels ---------------------------------------------------------------------------------------

// Widens 5 bits to 8: the highest ones are repeated at the end.
static uint8_t widen5(uint32_t bits)
{
    bits &= 31;
    return (uint8_t)(bits << 3 | bits >> 2);
}

static void read_color(const uint8_t *bytes, uint32_t bits, uint8_t rgba[4])
{
    rgba[3] = 255;
    if (bits < 24) {
        const uint32_t packed = md5_little16(bytes);
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

static void read_gray(const uint8_t *bytes, uint32_t bits, uint8_t rgba[4])
{
    rgba[0] = rgba[1] = rgba[2] = bytes[0];
    rgba[3] = bits == 16 ? bytes[1] : 255;
}

// An index outside the palette is black.
static void read_indexed(const tga_file *file, const uint8_t *bytes, uint8_t rgba[4])
{
    const uint32_t index = file->pixel_bits == 8 ? bytes[0] : md5_little16(bytes);
    const uint32_t color = index - file->first_color; // wraps if it is before the first
    rgba[0] = rgba[1] = rgba[2] = 0;
    rgba[3] = 255;
    if (color >= file->num_colors)
        return;
    const uint8_t *const at = file->palette + (size_t)color * byte_size(file->color_bits);
    if (file->color_bits == 8)
        read_gray(at, 8, rgba);
    else
        read_color(at, file->color_bits, rgba);
}

static void read_pixel(const tga_file *file, const uint8_t *bytes, uint8_t rgba[4])
{
    if (file->kind == KIND_PALETTE)
        read_indexed(file, bytes, rgba);
    else if (file->kind == KIND_GRAY)
        read_gray(bytes, file->pixel_bits, rgba);
    else
        read_color(bytes, file->pixel_bits, rgba);
}

// Packets may continue in the next row.
typedef struct tga_cursor {
    const uint8_t *at;
    uint32_t left; // pixels in this packet
    bool is_repeated;
} tga_cursor;

static const uint8_t *next_pixel(const tga_file *file, tga_cursor *cursor)
{
    if (file->is_packed && cursor->left == 0) {
        const uint32_t head = *cursor->at++;
        cursor->left = 1 + (head & 127);
        cursor->is_repeated = (head & 128) != 0;
    }
    const uint8_t *const pixel = cursor->at;
    cursor->left--;
    if (!cursor->is_repeated || cursor->left == 0)
        cursor->at += file->pixel_size;
    return pixel;
}

static void read_pixels(const tga_file *file, md5_image *image)
{
    tga_cursor cursor = {file->data, 0, false};
    for (uint32_t i = 0; i < image->height; i++) {
        const uint32_t y = file->is_top_first ? i : image->height - 1 - i;
        uint8_t *row = image->pixels + (size_t)y * image->width * MD5_IMAGE_CHANNELS;
        for (uint32_t x = 0; x < image->width; x++, row += MD5_IMAGE_CHANNELS)
            read_pixel(file, next_pixel(file, &cursor), row);
    }
}

md5_image *md5i_read_tga(md5_context *context, const uint8_t *bytes, size_t size)
{
    tga_file file;
    if (!is_tga(bytes, size)) {
        md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0, "the format of the picture is unknown");
        return NULL;
    }
    read_header(bytes, &file);
    if (!md5i_check_image_size(context, file.width, file.height)
        || !find_data(context, bytes, size, &file) || !check_data(context, &file))
        return NULL;
    md5_image *const image = md5i_new_image(context, file.width, file.height);
    if (image)
        read_pixels(&file, image);
    return image;
}
