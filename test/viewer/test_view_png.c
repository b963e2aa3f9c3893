// PNG files of the viewer, which are compressed with zlib if it is available, and otherwise without
// it: the pixels are the same.
#include "test/test.h"

#include "demo/looks/image.h"

#include <stb/stb_image.h>

// The writer with the compression of stb_image_write, under another name.
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define stbi_write_png_to_func plain_write_png_to_func
#include <stb/stb_image_write.h>
#undef stbi_write_png_to_func
// The writer of the viewer, which demo/looks/png.c implements.
int stbi_write_png_to_func(stbi_write_func *func, void *context, int width, int height,
                           int components, const void *data, int stride);

typedef struct format {
    int width;
    int height;
    int components;
} format;

typedef struct png_copy {
    uint8_t *bytes;
    size_t size;
} png_copy;

static void copy_bytes(void *user, void *bytes, int size)
{
    png_copy *const png = user;
    png->size = (size_t)size;
    png->bytes = malloc(png->size);
    if (png->bytes != NULL)
        memcpy(png->bytes, bytes, png->size);
}

// Decodes the file, checks its pixels, and frees it.
static void check_png(png_copy *png, format image_format, const uint8_t *pixels)
{
    format is = {0};
    REQUIRE(png->bytes);
    uint8_t *const decoded =
        stbi_load_from_memory(png->bytes, (int)png->size, &is.width, &is.height, &is.components, 0);
    if (CHECK(decoded)
        && CHECK(is.width == image_format.width && is.height == image_format.height
                 && is.components == image_format.components))
        CHECK_BYTES(decoded, pixels,
                    (size_t)(image_format.width * image_format.height * image_format.components));
    stbi_image_free(decoded);
    free(png->bytes);
}

static void check_picture(format image_format, const uint8_t *pixels, int largest)
{
    png_copy plain = {0};
    png_copy decoded_copy = {0};
    const int stride = image_format.components * image_format.width;
    CHECK(plain_write_png_to_func(copy_bytes, &plain, image_format.width, image_format.height,
                                  image_format.components, pixels, stride)
          != 0);
    CHECK(stbi_write_png_to_func(copy_bytes, &decoded_copy, image_format.width, image_format.height,
                                 image_format.components, pixels, stride)
          != 0);
    CHECK(plain.size <= (size_t)largest && decoded_copy.size <= (size_t)largest);
    CHECK(decoded_copy.size <= plain.size + plain.size / 100);
    check_png(&plain, image_format, pixels);
    check_png(&decoded_copy, image_format, pixels);
}

// Rows begin with a filter byte. Sizes: several parts of 512 KiB, which are compressed in parallel;
// exactly one part and exactly two parts; and the sizes nearest to one part, 2 bytes less and 2
// bytes more.
TEST (view_png_has_the_pixels_that_were_written) {
    static const format formats[] = {
        {1283, 719, 4}, {5461, 32, 3}, {5461, 64, 3}, {1040, 126, 4}, {354, 370, 4}};
    static uint8_t pixels[4 * 1283 * 719];
    uint32_t state = 1;
    for (size_t j = 0; j < COUNT_OF(formats); j++) {
        const format *const image_format = &formats[j];
        const int size = image_format->components * image_format->width * image_format->height;
        memset(pixels, 0x5a, (size_t)size);
        check_picture(*image_format, pixels, size / 50);
        for (int i = 0; i < size; i++) {
            state = state * 1664525u + 1013904223u;
            pixels[i] = (uint8_t)(state >> 24);
        }
        check_picture(*image_format, pixels, size + size / 1000 + 100);
        // Replace stripes of the noise, half of all bytes, by a constant.
        for (int i = 0; i + size / 36 < size; i += size / 18)
            memset(pixels + i, 0x5a, (size_t)size / 36);
        check_picture(*image_format, pixels, size / 4 * 3);
    }
}

// An image without pixels reads no byte, which sanitizers check.
TEST (view_png_without_pixels_is_rejected) {
    uint8_t *const none = malloc(1);
    for (uint32_t shape = 0; shape < 4; shape++) {
        size_t size = 1;
        const view_image image = {none + 1, shape % 2, 0};
        CHECK(view_encode_png(&image, shape > 1, &size) == NULL && size == 0);
    }
    free(none);
}
