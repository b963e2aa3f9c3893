// Which format a file has, by its first bytes.
#include "md5/game/image.h"

#include "md5/core/assert.h"

#include <string.h>

static bool begins_with(const uint8_t *bytes, size_t size, const char *magic, size_t length)
{
    return size >= length && memcmp(bytes, magic, length) == 0;
}

// The name of a format that is not decoded here, or NULL.
static const char *foreign_format(const uint8_t *bytes, size_t size)
{
    static const struct {
        const char *name, *magic;
        size_t length;
    } formats[] = {
        {"PNG", "\x89PNG\r\n\x1a\n", 8},
        {"JPEG", "\xff\xd8\xff", 3},
        {"BMP", "BM", 2},
        {"GIF", "GIF8", 4},
        {"OpenEXR", "v/1\x01", 4},
        {"Radiance HDR", "#?RA", 4},
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (begins_with(bytes, size, formats[i].magic, formats[i].length))
            return formats[i].name;
    }
    return NULL;
}

static md5_image *copy_decoded(md5_context *context, const void *pixels, uint32_t width,
                               uint32_t height)
{
    md5_image *const image = md5i_new_image(context, width, height);
    if (image)
        memcpy(image->pixels, pixels, md5_image_texels(image) * MD5_IMAGE_CHANNELS);
    return image;
}

static md5_image *decode_by_caller(md5_context *context, const md5_image_decoder *decoder,
                                   const void *bytes, size_t size)
{
    uint32_t width = 0, height = 0;
    md5_error reason;
    memset(&reason, 0, sizeof reason);
    const void *const pixels =
        decoder->decode(decoder->user, bytes, size, &width, &height, &reason);
    if (!pixels) {
        md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0, "%.*s", (int)(sizeof reason.message - 1),
                  reason.message[0] ? reason.message : "the picture cannot be decoded");
        return NULL;
    }
    md5_image *const image = copy_decoded(context, pixels, width, height);
    decoder->release(decoder->user, pixels);
    return image;
}

// TGA files have no signature, so bytes of no other known format are read as TGA.
md5_image *md5_parse_image(const void *bytes, size_t size, const md5_image_opts *opts,
                           md5_error *error)
{
    md5_context context;
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: not NULL unless size is 0");
    MD5_ASSERT_IMAGE_OPTS(opts);
    md5i_image_begin(&context, opts, error);
    const uint8_t *const file = (const uint8_t *)bytes;
    const char *const foreign = foreign_format(file, size);
    if (size == 0) {
        md5i_fail(&context, MD5_ERROR_SYNTAX, 0, 0, "the file is empty");
        return NULL;
    }
    if (begins_with(file, size, "DDS ", 4))
        return md5i_read_dds(&context, file, size);
    if (begins_with(file, size, "\x0a\x05\x01", 3))
        return md5i_read_pcx(&context, file, size);
    if (!foreign)
        return md5i_read_tga(&context, file, size);
    if (opts && opts->decoder.decode)
        return decode_by_caller(&context, &opts->decoder, bytes, size);
    md5i_fail(&context, MD5_ERROR_SYNTAX, 0, 0, "%s, for which no decoder is given", foreign);
    return NULL;
}
