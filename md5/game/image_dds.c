// DDS: "DDS ", a header of 124 bytes, pixels. Only the first surface is read: the largest level,
// and of a cube map its first side.
//
// Offsets from the start of the file: 8 flags, 12 height, 16 width, 20 bytes of a row, 80 flags of
// the format, 84 its name (four characters), 88 bits of a texel, 92 masks of red, green, blue and
// alpha, 112 flags of cubes and volumes, 128 pixels; if the name is "DX10", 128 a number of a
// format and 148 pixels. (Microsoft, Programming Guide for DDS.)
#include "md5/game/image_dds.h"

#include <string.h>

enum { HEADER_SIZE = 128, DX10_SIZE = 148, STRUCTURE_SIZE = 124, BLOCK_SIDE = 4 };
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
    uint32_t width, height;
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
        uint32_t first, last;
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
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
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
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (memcmp(name, formats[i].name, 4) == 0) {
            file->blocks = formats[i].blocks;
            return true;
        }
    }
    if (memcmp(name, "DX10", 4) != 0)
        return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0,
                         "the DDS format %s, expected DXT1, DXT3, DXT5, RXGB or DX10",
                         md5i_quote(name, 4).text);
    if (size < DX10_SIZE)
        return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0, "the DDS header ends after %zu bytes",
                         size);
    file->start = DX10_SIZE;
    return set_numbered_format(md5_little32(bytes + HEADER_SIZE), file)
           || md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0,
                        "the DDS format has number %u, expected BC1, BC2, BC3 or 8 bits a channel",
                        md5_little32(bytes + HEADER_SIZE));
}

static bool read_masked_format(md5_context *context, const uint8_t *bytes, dds_file *file)
{
    const uint32_t flags = md5_little32(bytes + 80);
    const bool has_alpha = (flags & (HAS_ALPHA | IS_ALPHA)) != 0;
    file->bits = md5_little32(bytes + 88);
    if (file->bits != 8 && file->bits != 16 && file->bits != 24 && file->bits != 32)
        return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0,
                         "DDS texels of %u bits, expected 8, 16, 24 or 32", file->bits);
    if (!(flags & (IS_COLOR | IS_LUMINANCE | IS_ALPHA)))
        return md5i_fail(
            context, MD5_ERROR_SYNTAX, 0, 0,
            "the DDS format has flags 0x%x, expected a name, color, luminance or alpha", flags);
    for (size_t i = 0; i < 4; i++)
        file->masks[i] = md5_little32(bytes + 92 + 4 * i);
    if (flags & IS_LUMINANCE)
        file->masks[1] = file->masks[2] = file->masks[0];
    if (!(flags & (IS_COLOR | IS_LUMINANCE)))
        file->masks[0] = file->masks[1] = file->masks[2] = 0;
    if (!has_alpha)
        file->masks[3] = 0;
    return true;
}

static bool read_header(md5_context *context, const uint8_t *bytes, size_t size, dds_file *file)
{
    memset(file, 0, sizeof *file);
    if (size < HEADER_SIZE)
        return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0, "the DDS header ends after %zu bytes",
                         size);
    if (md5_little32(bytes + 4) != STRUCTURE_SIZE)
        return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0,
                         "the DDS header says that it has %u bytes, expected %d",
                         md5_little32(bytes + 4), STRUCTURE_SIZE);
    if (md5_little32(bytes + 112) & IS_VOLUME)
        return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0, "the DDS file is a volume");
    file->height = md5_little32(bytes + 12);
    file->width = md5_little32(bytes + 16);
    file->start = HEADER_SIZE;
    TRY(md5i_check_image_size(context, file->width, file->height));
    return md5_little32(bytes + 80) & HAS_NAME ? read_named_format(context, bytes, size, file)
                                               : read_masked_format(context, bytes, file);
}

// Sets row_size and checks that the file holds all rows.
static bool check_data(md5_context *context, const uint8_t *bytes, size_t size, dds_file *file)
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
           || md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0,
                        "the DDS file has %zu of %zu bytes of pixels", size - file->start, wanted);
}

// -- Pixels ---------------------------------------------------------------------------------------

static void read_block_row(const dds_file *file, const uint8_t *blocks, uint32_t y,
                           md5_image *image)
{
    const size_t block_size = file->blocks == MD5_BLOCK_DXT1 ? 8 : 16;
    const uint32_t rows = image->height - y < BLOCK_SIDE ? image->height - y : BLOCK_SIDE;
    for (uint32_t x = 0; x < image->width; x += BLOCK_SIDE, blocks += block_size) {
        uint8_t texels[16][4];
        const size_t columns = image->width - x < BLOCK_SIDE ? image->width - x : BLOCK_SIDE;
        md5i_read_block(file->blocks, blocks, texels);
        for (uint32_t row = 0; row < rows; row++)
            memcpy(image->pixels + 4 * ((size_t)(y + row) * image->width + x),
                   texels[BLOCK_SIDE * row], 4 * columns);
    }
}

// A channel of a texel as 8 bits, rounded.
static uint8_t channel_of(uint32_t texel, uint32_t mask)
{
    uint64_t most = mask, value = texel & mask;
    while (!(most & 1)) {
        most >>= 1;
        value >>= 1;
    }
    return (uint8_t)((value * 255 + most / 2) / most);
}

static void read_texel(const dds_file *file, const uint8_t *bytes, uint8_t rgba[4])
{
    uint32_t texel = 0;
    for (uint32_t i = 0; i < file->bits / 8; i++)
        texel |= (uint32_t)bytes[i] << 8 * i;
    for (int i = 0; i < 4; i++)
        rgba[i] = file->masks[i] ? channel_of(texel, file->masks[i]) : i == 3 ? 255 : 0;
}

md5_image *md5i_read_dds(md5_context *context, const uint8_t *bytes, size_t size)
{
    dds_file file;
    if (!read_header(context, bytes, size, &file) || !check_data(context, bytes, size, &file))
        return NULL;
    md5_image *const image = md5i_new_image(context, file.width, file.height);
    if (!image)
        return NULL;
    const uint8_t *row = bytes + file.start;
    if (file.blocks != MD5_BLOCK_NONE) {
        for (uint32_t y = 0; y < file.height; y += BLOCK_SIDE, row += file.row_size)
            read_block_row(&file, row, y, image);
        return image;
    }
    for (uint32_t y = 0; y < file.height; y++, row += file.row_size) {
        for (uint32_t x = 0; x < file.width; x++)
            read_texel(&file, row + (size_t)x * (file.bits / 8),
                       image->pixels + 4 * ((size_t)y * image->width + x));
    }
    return image;
}
