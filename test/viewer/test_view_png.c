// PNG files as the viewer compresses them, with zlib if it was there, and as it does without: the
// same pixels.
#include "test/test.h"

#include <stb/stb_image.h>

// stb's own compression.
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define stbi_write_png_to_func plain_write_png_to_func
#include <stb/stb_image_write.h>
#undef stbi_write_png_to_func
// The viewer's, in demo/looks/png.c.
int stbi_write_png_to_func(stbi_write_func *func, void *context, int width, int height,
                           int components, const void *data, int stride);

enum { WIDTH = 1283, HEIGHT = 719, SIZE = 4 * WIDTH * HEIGHT };

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
static void check_png(png_copy *png, const uint8_t *rgba)
{
    int width = 0, height = 0, components = 0;
    REQUIRE(png->bytes);
    uint8_t *const decoded =
        stbi_load_from_memory(png->bytes, (int)png->size, &width, &height, &components, 4);
    if (CHECK(decoded) && CHECK(width == WIDTH && height == HEIGHT && components == 4))
        CHECK_BYTES(decoded, rgba, SIZE);
    stbi_image_free(decoded);
    free(png->bytes);
}

static void check_picture(const uint8_t *rgba, size_t largest)
{
    png_copy plain = {0}, own = {0};
    CHECK(plain_write_png_to_func(copy_bytes, &plain, WIDTH, HEIGHT, 4, rgba, 4 * WIDTH) != 0);
    CHECK(stbi_write_png_to_func(copy_bytes, &own, WIDTH, HEIGHT, 4, rgba, 4 * WIDTH) != 0);
    CHECK(plain.size <= largest && own.size <= largest);
    CHECK(own.size <= plain.size + plain.size / 100);
    check_png(&plain, rgba);
    check_png(&own, rgba);
}

TEST (view_png_has_the_pixels_that_were_written) {
    static uint8_t rgba[SIZE];
    memset(rgba, 0x5a, SIZE);
    check_picture(rgba, SIZE / 50);
    uint32_t state = 1;
    FOR (i, SIZE) {
        state = state * 1664525u + 1013904223u;
        rgba[i] = (uint8_t)(state >> 24);
    }
    check_picture(rgba, SIZE + SIZE / 1000);
    // Noise between flat rows.
    for (size_t i = 0; i < SIZE; i += (size_t)40 * WIDTH)
        memset(rgba + i, 0x5a, (size_t)20 * WIDTH);
    check_picture(rgba, SIZE / 4 * 3);
}
