// Pictures, and the formats of their files: TGA, PCX, DDS.
#include "md5/core/freed.h"
#include "md5/material/image.h"

#include "md5/core/assert.h"

#include <string.h>

// Says what is wrong with a file, at no line of it. Returns false.
#define DAMAGED(context, ...) MD5_FAIL(context, MD5_ERROR_SYNTAX, __VA_ARGS__)

void md5i_image_begin(md5_context *context, const md5_image_opts *opts, md5_error *error)
{
    md5_load_opts load_opts;
    memset(&load_opts, 0, sizeof load_opts);
    if (opts)
        load_opts.allocator = opts->allocator;
    md5i_context_begin(context, &load_opts, opts ? opts->file_name : NULL, error);
}

// Checks a size against the limits. Returns false and sets the error.
static bool check_image_size(md5_context *context, uint32_t width, uint32_t height)
{
    if (width == 0 || height == 0)
        return MD5_FAIL(context, MD5_ERROR_RANGE, "empty image: %u x %u pixels", width, height);
    if (width > MD5_MAX_IMAGE_SIDE || height > MD5_MAX_IMAGE_SIDE
        || (uint64_t)width * height > MD5_MAX_IMAGE_PIXELS)
        return MD5_FAIL(
            context, MD5_ERROR_RANGE,
            "image is too large: %u x %u pixels; expected at most %d per side and %d in total",
            width, height, MD5_MAX_IMAGE_SIDE, MD5_MAX_IMAGE_PIXELS);
    return true;
}

md5_image *md5i_new_image(md5_context *context, uint32_t width, uint32_t height)
{
    enum { ALIGNMENT = 16 };
    const size_t header = (sizeof(md5_image) + (ALIGNMENT - 1)) & ~(size_t)(ALIGNMENT - 1);
    if (!check_image_size(context, width, height))
        return NULL;
    const size_t size = header + (size_t)width * height * MD5_IMAGE_CHANNELS;
    md5_image *const image = (md5_image *)md5i_alloc(context, size);
    if (!image)
        return NULL;
    memset(image, 0, sizeof *image);
    image->width = width;
    image->height = height;
    image->pixels = (uint8_t *)image + header;
    image->size = size;
    image->internal = (md5_internal){.allocator = context->allocator, .tag = MD5_TAG_IMAGE};
    return image;
}

void md5i_drop_image(md5_context *context, md5_image *image)
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
// The header: 0 size of the identification, 1 whether there is a palette, 2 kind (1 palette, 2
// color, 3 gray; + 8 packed), 3 first index of the palette, 5 its size, 7 its bits, 12 width, 14
// height, 16 bits of a pixel, 17 flags (0x20: the top row first). Colors are blue, green, red,
// alpha, or 5 bits each. (Truevision, TGA File Format Specification 2.0.)

enum { TGA_HEADER_SIZE = 18, TOP_FIRST = 0x20, PACKED = 8 };
enum { KIND_PALETTE = 1, KIND_COLOR = 2, KIND_GRAY = 3 };

typedef struct tga_file {
    uint32_t kind;
    bool is_packed;
    bool is_top_first;
    uint32_t width;
    uint32_t height;
    uint32_t first_color;
    uint32_t num_colors;
    uint32_t color_bits;
    uint32_t pixel_bits;
    uint32_t pixel_size;
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
    if (size < TGA_HEADER_SIZE)
        return false;
    const uint32_t kind = bytes[2] & ~(uint32_t)PACKED;
    const uint32_t bits = bytes[16];
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

// Sets palette and data. A color picture may have a palette, too, which is ignored.
static bool find_tga_data(md5_context *context, const uint8_t *bytes, size_t size, tga_file *file)
{
    const size_t palette = TGA_HEADER_SIZE + (size_t)bytes[0];
    const size_t palette_size = (size_t)file->num_colors * byte_size(file->color_bits);
    const bool lacks_colors = file->kind == KIND_PALETTE && file->num_colors == 0;
    if (lacks_colors)
        DAMAGED(context, "TGA palette is empty");
    else if (palette + palette_size > size)
        DAMAGED(context,
                "truncated TGA file: expected at least %zu bytes before the pixels, found %zu",
                palette + palette_size, size);
    if (lacks_colors || palette + palette_size > size)
        return false; // which analysers cannot know of the macro
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
    for (size_t offset = 0; offset < file->data_size && count < wanted;) {
        const uint32_t run = 1u + (file->data[offset] & 127u);
        const size_t length = 1 + (file->data[offset] & 128 ? 1 : run) * (size_t)file->pixel_size;
        if (length > file->data_size - offset)
            break;
        count += run;
        offset += length;
    }
    return count;
}

static bool check_tga_data(md5_context *context, const tga_file *file)
{
    const uint64_t wanted = (uint64_t)file->width * file->height;
    const uint64_t found =
        file->is_packed ? count_packed(file, wanted) : (file->data_size / file->pixel_size);
    return found >= wanted
           || DAMAGED(context, "truncated TGA file: expected %llu pixels, found %llu",
                      (unsigned long long)wanted, (unsigned long long)found);
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
    const uint8_t *const entry = file->palette + (size_t)color * byte_size(file->color_bits);
    if (file->color_bits == 8)
        read_gray(entry, 8, rgba);
    else
        read_color(entry, file->color_bits, rgba);
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

// Decoders of one format. Return NULL and set the error if the bytes are damaged.
static md5_image *read_tga(md5_context *context, const uint8_t *bytes, size_t size)
{
    tga_file file;
    if (!is_tga(bytes, size)) {
        DAMAGED(context, "unknown image format");
        return NULL;
    }
    memset(&file, 0, sizeof file);
    file.kind = bytes[2] & ~(uint32_t)PACKED;
    file.is_packed = (bytes[2] & PACKED) != 0;
    file.is_top_first = (bytes[17] & TOP_FIRST) != 0;
    file.width = md5_little16(bytes + 12);
    file.height = md5_little16(bytes + 14);
    file.first_color = md5_little16(bytes + 3);
    file.num_colors = bytes[1] ? md5_little16(bytes + 5) : 0;
    file.color_bits = bytes[7];
    file.pixel_bits = bytes[16];
    file.pixel_size = byte_size(bytes[16]);
    if (!check_image_size(context, file.width, file.height)
        || !find_tga_data(context, bytes, size, &file) || !check_tga_data(context, &file))
        return NULL;
    md5_image *const image = md5i_new_image(context, file.width, file.height);
    tga_cursor cursor = {file.data, 0, false};
    if (image) {
        for (uint32_t i = 0; i < image->height; i++) {
            const uint32_t y = file.is_top_first ? i : image->height - 1 - i;
            uint8_t *row = image->pixels + (size_t)y * image->width * MD5_IMAGE_CHANNELS;
            for (uint32_t x = 0; x < image->width; x++, row += MD5_IMAGE_CHANNELS) {
                const uint8_t *const pixel = next_pixel(&file, &cursor);
                if (file.kind == KIND_PALETTE)
                    read_indexed(&file, pixel, row);
                else if (file.kind == KIND_GRAY)
                    read_gray(pixel, file.pixel_bits, row);
                else
                    read_color(pixel, file.pixel_bits, row);
            }
        }
    }
    return image;
}

// == PCX ==========================================================================================
//
// PCX: packed rows of 8 bits, with a palette at the end of the file, or in three planes.
//
// The engine reads only those with a palette. Rows may have more bytes than pixels, as the header
// says; packets are unpacked row by row, and one that is too long for its row ends there.

enum {
    PCX_HEADER_SIZE = 128,
    PALETTE_SIZE = 3 * 256,
    NUM_PLANES_AT = 65,
    ROW_SIZE_AT = 66,
    RUN_MARK = 0xC0, // if both bits are set, the others are the length of a run
    LONGEST_RUN = 63,
};

typedef struct pcx_file {
    const uint8_t *data, *end; // packed rows
    const uint8_t *palette;    // [256][3], NULL: three planes
    uint32_t width;
    uint32_t height;
    uint32_t row_size; // bytes of one plane of a row
    uint32_t num_planes;
} pcx_file;

static bool read_pcx_header(md5_context *context, const uint8_t *bytes, size_t size, pcx_file *file)
{
    if (size < PCX_HEADER_SIZE)
        return DAMAGED(context, "truncated PCX header");
    file->num_planes = bytes[NUM_PLANES_AT];
    file->row_size = md5_little16(bytes + ROW_SIZE_AT);
    const uint32_t left = md5_little16(bytes + 4);
    const uint32_t top = md5_little16(bytes + 6);
    const uint32_t right = md5_little16(bytes + 8);
    const uint32_t bottom = md5_little16(bytes + 10);
    if (bytes[3] != 8 || (file->num_planes != 1 && file->num_planes != 3))
        return DAMAGED(
            context,
            "unsupported PCX format: expected 8 bits in 1 or 3 planes, found %u bits in %u planes",
            bytes[3], file->num_planes);
    if (right < left || bottom < top)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "invalid PCX header: right or bottom edge is before the left or top edge");
    file->width = right - left + 1;
    file->height = bottom - top + 1;
    if (file->row_size < file->width)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "invalid PCX header: rows of %u bytes are too short for %u pixels",
                        file->row_size, file->width);
    return true;
}

// Finds the rows and the palette, and checks that the file can hold its rows.
static bool find_pcx_data(md5_context *context, const uint8_t *bytes, size_t size, pcx_file *file)
{
    const size_t rest = size - PCX_HEADER_SIZE;
    const size_t palette = file->num_planes == 1 ? PALETTE_SIZE : 0;
    if (rest < palette)
        return DAMAGED(context, "PCX palette is missing");
    file->data = bytes + PCX_HEADER_SIZE;
    file->end = bytes + size - palette;
    file->palette = palette > 0 ? file->end : NULL;
    const uint64_t unpacked = (uint64_t)file->row_size * file->num_planes * file->height;
    if (unpacked > (uint64_t)(rest - palette) * LONGEST_RUN)
        return DAMAGED(context, "truncated PCX file: %zu bytes are too few for %u x %u pixels",
                       size, file->width, file->height);
    return true;
}

// Unpacks one plane of a row: `row_size` bytes, of which the first `width` are kept with a distance
// of `step`. Returns false if the file ends before.
static bool unpack_row(pcx_file *file, uint8_t *out, size_t step)
{
    uint32_t x = 0;
    while (x < file->row_size) {
        if (file->data == file->end)
            return false;
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
                out[x * step] = byte;
        }
    }
    return true;
}

static bool read_rows(md5_context *context, pcx_file *file, md5_image *image)
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
    if (file->palette) {
        // Replace the indices, which are in the first channel, by their colors.
        const size_t count = md5_image_texels(image);
        for (size_t i = 0; i < count; i++) {
            uint8_t *const texel = image->pixels + i * MD5_IMAGE_CHANNELS;
            memcpy(texel, file->palette + 3 * (size_t)texel[0], 3);
        }
    }
    return true;
}

static md5_image *read_pcx(md5_context *context, const uint8_t *bytes, size_t size)
{
    pcx_file file;
    memset(&file, 0, sizeof file);
    if (!read_pcx_header(context, bytes, size, &file)
        || !check_image_size(context, file.width, file.height)
        || !find_pcx_data(context, bytes, size, &file))
        return NULL;
    md5_image *const image = md5i_new_image(context, file.width, file.height);
    if (image && !read_rows(context, &file, image)) {
        md5i_drop_image(context, image);
        return NULL;
    }
    return image;
}

typedef enum md5_block_format {
    MD5_BLOCK_NONE, // not compressed
    MD5_BLOCK_DXT1,
    MD5_BLOCK_DXT3,
    MD5_BLOCK_DXT5,
    MD5_BLOCK_RXGB // DXT5 whose alpha is red, as Doom 3 stores normal maps
} md5_block_format;

// == Compressed blocks ============================================================================
//
// Blocks of 4 x 4 texels, compressed by S3TC (DXT): 8 bytes of color, in some formats behind 8
// bytes of alpha. (EXT_texture_compression_s3tc, appendix.) Fractions are cut off, as in libsquish.

// Widens 5 and 6 bits to 8: the highest ones are repeated at the end.
static void widen565(uint32_t packed, uint32_t rgb[3])
{
    const uint32_t r = packed >> 11 & 31;
    const uint32_t g = packed >> 5 & 63;
    const uint32_t b = packed & 31;
    rgb[0] = r << 3 | r >> 2;
    rgb[1] = g << 2 | g >> 4;
    rgb[2] = b << 3 | b >> 2;
}

// Two end colors and 2 bits for each texel. In DXT1, if the first color is not the greater one, the
// third is their mean and the fourth black and transparent; else both lie between them.
static void read_colors(const uint8_t *block, bool has_transparent, uint8_t texels[16][4])
{
    const uint32_t first = md5_little16(block);
    const uint32_t second = md5_little16(block + 2);
    const uint32_t indices = md5_little32(block + 4);
    const bool is_three = has_transparent && first <= second;
    uint32_t ends[2][3];
    uint8_t palette[4][4];
    widen565(first, ends[0]);
    widen565(second, ends[1]);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t a = ends[0][i];
        const uint32_t b = ends[1][i];
        palette[0][i] = (uint8_t)a;
        palette[1][i] = (uint8_t)b;
        palette[2][i] = (uint8_t)(is_three ? (a + b) / 2 : (2 * a + b) / 3);
        palette[3][i] = (uint8_t)(is_three ? 0 : (a + 2 * b) / 3);
    }
    palette[0][3] = palette[1][3] = palette[2][3] = 255;
    palette[3][3] = is_three ? 0 : 255;
    for (uint32_t i = 0; i < 16; i++)
        memcpy(texels[i], palette[indices >> 2 * i & 3], 4);
}

// Decodes a block, of 8 bytes in DXT1, else of 16: texels from the top left.
static void read_block(md5_block_format format, const uint8_t *block, uint8_t texels[16][4])
{
    switch (format) {
    case MD5_BLOCK_DXT1:
        read_colors(block, true, texels);
        break;
    case MD5_BLOCK_DXT3:
        read_colors(block + 8, false, texels);
        // 4 bits for each texel.
        for (uint32_t i = 0; i < 16; i++)
            texels[i][3] = (uint8_t)((block[i / 2] >> (i % 2 ? 4 : 0) & 15) * 17);
        break;
    default:
        read_colors(block + 8, false, texels);
        // Two end values and 3 bits for each texel. If the first is not the greater one, there are
        // four values between them, 0 and 255; else six.
        const uint32_t a = block[0];
        const uint32_t b = block[1];
        const uint32_t steps = a > b ? 7 : 5;
        uint8_t palette[8] = {block[0], block[1], 0, 0, 0, 0, 0, 255};
        for (uint32_t i = 1; i < steps; i++)
            palette[i + 1] = (uint8_t)(((steps - i) * a + i * b) / steps);
        uint64_t indices = md5_little32(block + 2) | (uint64_t)md5_little16(block + 6) << 32;
        for (int i = 0; i < 16; i++, indices >>= 3)
            texels[i][3] = palette[indices & 7];
        break;
    }
    for (int i = 0; i < 16 && format == MD5_BLOCK_RXGB; i++) {
        texels[i][0] = texels[i][3];
        texels[i][3] = 255;
    }
}

// == DDS ==========================================================================================
//
// DDS: "DDS ", a header of 124 bytes, pixels. Only the first surface is read: the largest level,
// and of a cube map its first side.
//
// Offsets from the start of the file: 8 flags, 12 height, 16 width, 20 bytes of a row, 80 flags of
// the format, 84 its name (four characters), 88 bits of a texel, 92 masks of red, green, blue and
// alpha, 112 flags of cubes and volumes, 128 pixels; if the name is "DX10", 128 a number of a
// format and 148 pixels. (Microsoft, Programming Guide for DDS.)

enum { DDS_HEADER_SIZE = 128, DX10_SIZE = 148, STRUCTURE_SIZE = 124, BLOCK_SIDE = 4 };
enum { HAS_PITCH = 0x8 };      // flags
enum { IS_VOLUME = 0x200000 }; // flags of cubes and volumes
enum {
    HAS_ALPHA = 0x1,
    IS_ALPHA = 0x2,
    HAS_NAME = 0x4,
    IS_COLOR = 0x40,
    IS_LUMINANCE = 0x20000
}; // flags of the format

typedef struct dds_file {
    uint32_t width;
    uint32_t height;
    md5_block_format blocks;
    uint32_t bits;     // of a texel without blocks: 8, 16, 24 or 32
    uint32_t masks[4]; // red, green, blue, alpha; 0 = no such channel
    size_t row_size;   // bytes between rows of texels or blocks
    size_t start;      // of the pixels
} dds_file;

// -- Header ---------------------------------------------------------------------------------------

// DXGI's numbers of the formats that the older ones correspond to. The variants of one format, such
// as those for other color spaces, have consecutive numbers.
static bool set_numbered_format(uint32_t number, dds_file *file)
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
    const char *const name = (const char *)bytes + 84;
    for (uint32_t i = 0; i < MD5_COUNT(formats); i++) {
        if (memcmp(name, formats[i].name, 4) == 0) {
            file->blocks = formats[i].blocks;
            return true;
        }
    }
    if (memcmp(name, "DX10", 4) != 0)
        return DAMAGED(context,
                       "unsupported DDS format: expected DXT1, DXT3, DXT5, RXGB or DX10, found %s",
                       md5i_quote(name, 4).text);
    if (size < DX10_SIZE)
        return DAMAGED(context, "truncated DDS header: found %zu bytes", size);
    file->start = DX10_SIZE;
    return set_numbered_format(md5_little32(bytes + DDS_HEADER_SIZE), file)
           || DAMAGED(context,
                      "unsupported DDS format: expected BC1, BC2, BC3 or 8 bits per channel, found "
                      "DXGI format %u",
                      md5_little32(bytes + DDS_HEADER_SIZE));
}

static bool read_masked_format(md5_context *context, const uint8_t *bytes, dds_file *file)
{
    const uint32_t flags = md5_little32(bytes + 80);
    const bool has_alpha = (flags & (HAS_ALPHA | IS_ALPHA)) != 0;
    file->bits = md5_little32(bytes + 88);
    if (file->bits != 8 && file->bits != 16 && file->bits != 24 && file->bits != 32)
        return DAMAGED(context,
                       "unsupported DDS format: expected 8, 16, 24 or 32 bits per texel, found %u",
                       file->bits);
    if (!(flags & (IS_COLOR | IS_LUMINANCE | IS_ALPHA)))
        return DAMAGED(context,
                       "unsupported DDS format: expected a format code, color, luminance or alpha, "
                       "found flags 0x%x",
                       flags);
    for (uint32_t i = 0; i < 4; i++)
        file->masks[i] = md5_little32(bytes + 92 + 4 * i);
    if (flags & IS_LUMINANCE)
        file->masks[1] = file->masks[2] = file->masks[0];
    if (!(flags & (IS_COLOR | IS_LUMINANCE)))
        file->masks[0] = file->masks[1] = file->masks[2] = 0;
    if (!has_alpha)
        file->masks[3] = 0;
    return true;
}

static bool read_dds_header(md5_context *context, const uint8_t *bytes, size_t size, dds_file *file)
{
    memset(file, 0, sizeof *file);
    if (size < DDS_HEADER_SIZE)
        return DAMAGED(context, "truncated DDS header: found %zu bytes", size);
    if (md5_little32(bytes + 4) != STRUCTURE_SIZE)
        return DAMAGED(context, "invalid DDS header: expected a size of %d bytes, found %u",
                       STRUCTURE_SIZE, md5_little32(bytes + 4));
    if (md5_little32(bytes + 112) & IS_VOLUME)
        return DAMAGED(context, "unsupported DDS file: volume textures are not supported");
    file->height = md5_little32(bytes + 12);
    file->width = md5_little32(bytes + 16);
    file->start = DDS_HEADER_SIZE;
    TRY(check_image_size(context, file->width, file->height));
    return md5_little32(bytes + 80) & HAS_NAME ? read_named_format(context, bytes, size, file)
                                               : read_masked_format(context, bytes, file);
}

// Sets row_size and checks that the file holds all rows.
static bool check_dds_data(md5_context *context, const uint8_t *bytes, size_t size, dds_file *file)
{
    const bool has_blocks = file->blocks != MD5_BLOCK_NONE;
    const uint32_t block_size = file->blocks == MD5_BLOCK_DXT1 ? 8 : 16;
    const size_t columns = has_blocks ? (file->width + 3) / BLOCK_SIDE : file->width;
    const size_t rows = has_blocks ? (file->height + 3) / BLOCK_SIDE : file->height;
    const size_t least = columns * (has_blocks ? block_size : file->bits / 8);
    const size_t pitch = md5_little32(bytes + 20);
    const bool has_pitch = !has_blocks && (md5_little32(bytes + 8) & HAS_PITCH) && pitch >= least
                           && pitch < 2 * least + 16;
    file->row_size = has_pitch ? pitch : least;
    const size_t wanted = file->row_size * (rows - 1) + least;
    return size - file->start >= wanted
           || DAMAGED(context, "truncated DDS file: expected %zu bytes of pixels, found %zu",
                      wanted, size - file->start);
}

// -- Pixels ---------------------------------------------------------------------------------------

// A channel of a texel as 8 bits, rounded.
static uint8_t channel_of(uint32_t texel, uint32_t mask)
{
    uint64_t most = mask;
    uint64_t value = texel & mask;
    while (!(most & 1)) {
        most >>= 1;
        value >>= 1;
    }
    return (uint8_t)((value * 255 + most / 2) / most);
}

static md5_image *read_dds(md5_context *context, const uint8_t *bytes, size_t size)
{
    dds_file file;
    if (!read_dds_header(context, bytes, size, &file)
        || !check_dds_data(context, bytes, size, &file))
        return NULL;
    md5_image *const image = md5i_new_image(context, file.width, file.height);
    if (!image)
        return NULL;
    const uint8_t *row = bytes + file.start;
    if (file.blocks != MD5_BLOCK_NONE) {
        for (uint32_t y = 0; y < file.height; y += BLOCK_SIDE, row += file.row_size) {
            const uint8_t *blocks = row;
            const size_t block_size = file.blocks == MD5_BLOCK_DXT1 ? 8 : 16;
            const uint32_t rows = image->height - y < BLOCK_SIDE ? image->height - y : BLOCK_SIDE;
            for (uint32_t x = 0; x < image->width; x += BLOCK_SIDE, blocks += block_size) {
                uint8_t texels[16][4];
                const size_t columns =
                    image->width - x < BLOCK_SIDE ? image->width - x : BLOCK_SIDE;
                read_block(file.blocks, blocks, texels);
                for (uint32_t i = 0; i < rows; i++)
                    memcpy(image->pixels + 4 * ((size_t)(y + i) * image->width + x),
                           texels[BLOCK_SIDE * i], 4 * columns);
            }
        }
        return image;
    }
    for (uint32_t y = 0; y < file.height; y++, row += file.row_size) {
        for (uint32_t x = 0; x < file.width; x++) {
            const uint8_t *const from = row + (size_t)x * (file.bits / 8);
            uint8_t *const rgba = image->pixels + 4 * ((size_t)y * image->width + x);
            uint32_t texel = 0;
            for (uint32_t i = 0; i < file.bits / 8; i++)
                texel |= (uint32_t)from[i] << 8 * i;
            for (uint32_t i = 0; i < 4; i++)
                rgba[i] = file.masks[i] ? channel_of(texel, file.masks[i]) : i == 3 ? 255 : 0;
        }
    }
    return image;
}

// == Any format ===================================================================================
//
// Which format a file has, by its first bytes.

static bool begins_with(const uint8_t *bytes, size_t size, const char *magic, size_t length)
{
    return size >= length && memcmp(bytes, magic, length) == 0;
}

// The name of a format that is not decoded here, or NULL.
static const char *foreign_format(const uint8_t *bytes, size_t size)
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

// TGA files have no signature, so bytes of no other known format are read as TGA.
md5_image *md5_parse_image(const void *bytes, size_t size, const md5_image_opts *opts,
                           md5_error *error)
{
    md5_context context;
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: must not be NULL unless size is 0");
    MD5_ASSERT_IMAGE_OPTS(opts);
    md5i_image_begin(&context, opts, error);
    const uint8_t *const file = (const uint8_t *)bytes;
    const char *const foreign = foreign_format(file, size);
    if (size == 0) {
        DAMAGED(&context, "empty image file");
        return NULL;
    }
    if (begins_with(file, size, "DDS ", 4))
        return read_dds(&context, file, size);
    if (begins_with(file, size, "\x0a\x05\x01", 3))
        return read_pcx(&context, file, size);
    if (!foreign)
        return read_tga(&context, file, size);
    if (opts && opts->decoder.decode) {
        uint32_t width = 0;
        uint32_t height = 0;
        md5_error reason = {.status = MD5_OK};
        const void *const pixels =
            opts->decoder.decode(opts->decoder.user, bytes, size, &width, &height, &reason);
        if (!pixels) {
            DAMAGED(&context, "%.*s", (int)(sizeof reason.message - 1),
                    reason.message[0] ? reason.message : "cannot decode the image");
            return NULL;
        }
        md5_image *const image = md5i_new_image(&context, width, height);
        if (image)
            memcpy(image->pixels, pixels, md5_image_texels(image) * MD5_IMAGE_CHANNELS);
        opts->decoder.release(opts->decoder.user, pixels);
        return image;
    }
    DAMAGED(&context, "unsupported image format: found %s; set md5_image_opts.decoder to read it",
            foreign);
    return NULL;
}
