// PCX: packed rows of 8 bits, with a palette at the end of the file, or in three planes.
//
// The engine reads only those with a palette. Rows may have more bytes than pixels, as the header
// says; packets are unpacked row by row, and one that is too long for its row ends there.
#include "md5/game/image.h"

#include <string.h>

enum {
    HEADER_SIZE = 128,
    PALETTE_SIZE = 3 * 256,
    NUM_PLANES_AT = 65,
    ROW_SIZE_AT = 66,
    RUN_MARK = 0xC0, // if both bits are set, the others are the length of a run
    LONGEST_RUN = 63,
};

typedef struct pcx_file {
    const uint8_t *data, *end; // packed rows
    const uint8_t *palette;    // [256][3], NULL: three planes
    uint32_t width, height;
    uint32_t row_size; // bytes of one plane of a row
    uint32_t num_planes;
} pcx_file;

static bool read_header(md5_context *context, const uint8_t *bytes, size_t size, pcx_file *file)
{
    if (size < HEADER_SIZE)
        return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0, "the PCX file ends in its header");
    file->num_planes = bytes[NUM_PLANES_AT];
    file->row_size = md5_little16(bytes + ROW_SIZE_AT);
    const uint32_t left = md5_little16(bytes + 4), top = md5_little16(bytes + 6);
    const uint32_t right = md5_little16(bytes + 8), bottom = md5_little16(bytes + 10);
    if (bytes[3] != 8 || (file->num_planes != 1 && file->num_planes != 3))
        return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0,
                         "a PCX file of %u bits in %u planes; 8 bits in 1 or 3 planes can be read",
                         bytes[3], file->num_planes);
    if (right < left || bottom < top)
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0, "a PCX file with its sides exchanged");
    file->width = right - left + 1;
    file->height = bottom - top + 1;
    if (file->row_size < file->width)
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0, "PCX rows of %u bytes for %u pixels",
                         file->row_size, file->width);
    return true;
}

// Finds the rows and the palette, and checks that the file can hold its rows.
static bool find_data(md5_context *context, const uint8_t *bytes, size_t size, pcx_file *file)
{
    const size_t rest = size - HEADER_SIZE;
    const size_t palette = file->num_planes == 1 ? PALETTE_SIZE : 0;
    if (rest < palette)
        return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0, "the PCX file has no palette");
    file->data = bytes + HEADER_SIZE;
    file->end = bytes + size - palette;
    file->palette = palette > 0 ? file->end : NULL;
    const uint64_t unpacked = (uint64_t)file->row_size * file->num_planes * file->height;
    if (unpacked > (uint64_t)(rest - palette) * LONGEST_RUN)
        return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0,
                         "a PCX file of %zu bytes cannot hold %u by %u pixels", size, file->width,
                         file->height);
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

// Replaces the indices, which are in the first channel, by their colors.
static void apply_palette(const uint8_t *palette, md5_image *image)
{
    const size_t count = md5_image_texels(image);
    for (size_t i = 0; i < count; i++) {
        uint8_t *const texel = image->pixels + i * MD5_IMAGE_CHANNELS;
        memcpy(texel, palette + 3 * (size_t)texel[0], 3);
    }
}

static bool read_rows(md5_context *context, pcx_file *file, md5_image *image)
{
    memset(image->pixels, 255, md5_image_texels(image) * MD5_IMAGE_CHANNELS);
    for (uint32_t y = 0; y < file->height; y++) {
        uint8_t *const row = image->pixels + (size_t)y * file->width * MD5_IMAGE_CHANNELS;
        for (uint32_t plane = 0; plane < file->num_planes; plane++) {
            if (!unpack_row(file, row + plane, MD5_IMAGE_CHANNELS))
                return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0,
                                 "the PCX file ends in row %u of %u", y + 1, file->height);
        }
    }
    if (file->palette)
        apply_palette(file->palette, image);
    return true;
}

md5_image *md5i_read_pcx(md5_context *context, const uint8_t *bytes, size_t size)
{
    pcx_file file;
    memset(&file, 0, sizeof file);
    if (!read_header(context, bytes, size, &file)
        || !md5i_check_image_size(context, file.width, file.height)
        || !find_data(context, bytes, size, &file))
        return NULL;
    md5_image *const image = md5i_new_image(context, file.width, file.height);
    if (image && !read_rows(context, &file, image)) {
        md5i_drop_image(context, image);
        return NULL;
    }
    return image;
}
