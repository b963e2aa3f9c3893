// Images for tests: small images of every kind that demo/looks/image.h reads, written by our own
// encoders and libjpeg, and damaged images.
#ifndef TEST_VIEWER_TEST_VIEW_IMAGE_H
#define TEST_VIEWER_TEST_VIEW_IMAGE_H

#include <stddef.h>
#include <stdint.h>

typedef struct image_file {
    uint8_t *bytes; // owned by the caller, from malloc()
    size_t size, room;
} image_file;

enum { IMAGE_WIDTH = 37, IMAGE_HEIGHT = 29 };

// Computes the pixel of a test image at x, y: a ramp in each channel, which JPEG nearly preserves.
void image_pixel(int x, int y, uint8_t rgba[4]);

void image_append(image_file *file, const void *bytes, size_t size);

// Creates a PNG of a color type and depth, without compression. Its rows use the five filters in
// rotation.
image_file image_make_png(int color, int depth, int interlaced);
// Creates a PNG of `size` bytes, with one black pixel without alpha and data that unpack to at
// least num_bytes.
image_file image_make_png_bomb(size_t num_bytes, size_t size);
// Creates a TGA of 8 (gray or, with a palette, indexed), 16, 24 or 32 bits.
image_file image_make_tga(int bits, int has_palette, int packed);
// Creates a DDS of 24 or 32 bits, without compression.
image_file image_make_dds(int bits);
typedef struct image_jpeg_options {
    int num_channels; // 1, 3 or 4
    int progressive;
    int restart_interval;
    int one_scan_per_channel;
    int scan_each_bit;
    int no_subsampling;
} image_jpeg_options;
image_file image_make_jpeg(image_jpeg_options options);

// Creates image `index`, counted from 0, and sets its name. Returns 0 after the last image.
int image_make(int index, image_file *file, const char **name);

// Damages a file at random: changes bytes, removes or doubles pieces, cuts off the end.
void image_damage(image_file *file, uint64_t *random);

#endif
