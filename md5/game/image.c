// Making and freeing pictures.
#include "md5/game/image.h"

#include "md5/core/assert.h"

#include <string.h>

void md5i_image_begin(md5_context *context, const md5_image_opts *opts, md5_error *error)
{
    md5_load_opts load_opts;
    memset(&load_opts, 0, sizeof load_opts);
    if (opts) {
        load_opts.allocator = opts->allocator;
        load_opts.memory_limit = opts->memory_limit;
    }
    md5i_context_begin(context, &load_opts, opts ? opts->file_name : NULL, error);
}

bool md5i_check_image_size(md5_context *context, uint32_t width, uint32_t height)
{
    if (width == 0 || height == 0)
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0, "%u by %u pixels", width, height);
    if (width > MD5_IMAGE_MAX_SIDE || height > MD5_IMAGE_MAX_SIDE
        || (uint64_t)width * height > MD5_IMAGE_MAX_PIXELS)
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                         "%u by %u pixels; at most %d a side and %d in all", width, height,
                         MD5_IMAGE_MAX_SIDE, MD5_IMAGE_MAX_PIXELS);
    return true;
}

md5_image *md5i_new_image(md5_context *context, uint32_t width, uint32_t height)
{
    enum { ALIGNMENT = 16 };
    const size_t header = (sizeof(md5_image) + (ALIGNMENT - 1)) & ~(size_t)(ALIGNMENT - 1);
    if (!md5i_check_image_size(context, width, height))
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
    image->allocator = context->allocator;
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
    if (image)
        image->allocator.free(image->allocator.user, image, image->size);
}

md5_image *md5_create_image(uint32_t width, uint32_t height, const md5_image_opts *opts,
                            md5_error *error)
{
    md5_context context;
    MD5_ASSERT_IMAGE_OPTS(opts);
    md5i_image_begin(&context, opts, error);
    md5_image *const image = md5i_new_image(&context, width, height);
    if (image)
        memset(image->pixels, 0, md5_image_texels(image) * MD5_IMAGE_CHANNELS);
    return image;
}
