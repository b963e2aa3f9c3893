// Pictures for tests: small ones of every kind that view_image.h reads, written by encoders of our
// own (and libjpeg), and damaged ones.
#ifndef TEST_VIEWER_TEST_VIEW_IMAGE_H
#define TEST_VIEWER_TEST_VIEW_IMAGE_H

#include <stddef.h>
#include <stdint.h>

typedef struct image_file {
    uint8_t *bytes; // free()
    size_t size, room;
} image_file;

enum { IMAGE_WIDTH = 37, IMAGE_HEIGHT = 29 };

// The pixel that a picture shows at x, y: a slope in each channel, so that JPEG keeps it nearly.
void image_pixel(int x, int y, uint8_t rgba[4]);

void image_put(image_file *file, const void *bytes, size_t size);

// PNG of a colour type and depth, stored without compression, its rows filtered in turn in each
// way.
image_file image_make_png(int colour, int depth, int interlaced);
// TGA of 8 (grey or, with a palette, indexed), 16, 24 or 32 bits.
image_file image_make_tga(int bits, int has_palette, int packed);
// DDS of 24 or 32 bits, without compression.
image_file image_make_dds(int bits);
typedef struct image_jpeg_options {
    int num_channels; // 1, 3 or 4
    int progressive, restart_interval, one_scan_each, scan_each_bit, no_subsampling;
} image_jpeg_options;
image_file image_make_jpeg(image_jpeg_options options);

// All of them, `index` counted up: false behind the last. `name` gives it a name.
int image_make(int index, image_file *file, const char **name);

// Damages a file as `random` decides: bytes, fields, pieces taken out or doubled, the end cut off.
void image_damage(image_file *file, uint64_t *random);

#endif
