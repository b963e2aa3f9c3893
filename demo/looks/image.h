// Reads images from untrusted files.
//
// The first bytes of a file determine its format. Before memory is allocated, the image size is
// compared with a limit and with the size of the file; tables and blocks are checked before a
// decoder reads them. stb_image decodes PNG, the library decodes TGA and DDS (md5image.h), and
// libjpeg decodes JPEG, because stb_image up to 2.27 writes past its Huffman tables if a JPEG file
// is malformed. Only in a browser, where this can only damage the page, stb_image also decodes
// JPEG. In builds without stb (HAS_STB) or libjpeg (HAS_JPEG), their formats are errors.
#ifndef DEMO_LOOKS_IMAGE_H
#define DEMO_LOOKS_IMAGE_H

#include "md5/md5game.h"

// An image in memory, top row first.
typedef struct view_image {
    uint8_t *rgba; // free with free()
    uint32_t width;
    uint32_t height;
} view_image;

// Decodes `size` bytes of a PNG, JPEG, TGA or DDS file with at most `max_pixels` pixels, which is
// at most MD5_MAX_IMAGE_PIXELS. Returns false and fills `error` if the format is not supported or
// the file is damaged, or with MD5_ERROR_MEMORY if there are more pixels or memory runs out. The
// caller frees image->rgba with free(). Reentrant.
bool view_decode_image(const uint8_t *bytes, size_t size, uint32_t max_pixels, view_image *image,
                       md5_error *error);

// Reads and decodes a file.
bool view_read_image(const char *path, uint32_t max_pixels, view_image *image, md5_error *error);

// Reads the image of an image program. Only the files of the game are read. Only one thread at a
// time may call it.
bool view_read_game_image(md5_game *game, const md5_image_program *program, view_image *image,
                          md5_error *error);

// Encodes an image as a PNG file, without alpha unless `has_alpha`. Returns its bytes, which the
// caller frees with free(), or NULL if the image is empty, memory runs out or this build does not
// have stb.
uint8_t *view_encode_png(const view_image *image, bool has_alpha, size_t *size);

// Encodes an image as a TGA file with 24 bits per pixel, or 32 if alpha is used. The bottom row is
// first, because all engines support this order. Returns its bytes or NULL, like view_encode_png().
uint8_t *view_encode_tga(const view_image *image, size_t *size);

// An image in linear color of any brightness, top row first.
typedef struct view_panorama {
    float *rgb; // [3 * width * height]; free with free()
    uint32_t width;
    uint32_t height;
} view_panorama;

// Decodes `size` bytes of a Radiance image (.hdr), which contains three mantissas and a common
// exponent per pixel. Rows are plain or packed in one of two ways. Source: G. Ward, "Real Pixels",
// Graphics Gems II, 1991, and the description of the format in Radiance's reference. Returns false
// and fills `error` if the format is not supported or the file is damaged. Reentrant.
bool view_decode_radiance(const uint8_t *bytes, size_t size, view_panorama *panorama,
                          md5_error *error);

// Reads a Radiance image, or an image of view_read_image(), which is converted from sRGB.
bool view_read_panorama(const char *path, view_panorama *panorama, md5_error *error);

#endif
