// Reads images from untrusted files.
//
// Nothing in a file is trusted. The first bytes decide the format. Before anything is allocated,
// the image size is checked against a limit and against what the file's bytes can hold; tables and
// blocks are checked before a decoder reads them. stb_image decodes PNG, the library TGA and DDS
// (md5image.h), and libjpeg JPEG, because stb_image up to 2.27 writes past its Huffman tables if a
// JPEG file is malformed; only in a browser, where that harms nothing else, does it decode JPEG
// too. Any other build without stb (HAS_STB) or libjpeg (HAS_JPEG) says so of such files.
#ifndef DEMO_LOOKS_IMAGE_H
#define DEMO_LOOKS_IMAGE_H

#include "md5/md5game.h"

// An image in memory, top row first.
typedef struct view_image {
    uint8_t *rgba; // free()
    uint32_t width;
    uint32_t height;
} view_image;

// Decodes `size` bytes of PNG, JPEG, TGA or DDS, of `max_pixels` at most, which is no more than
// MD5_MAX_IMAGE_PIXELS. Returns false and fills `error` if the format is another or the file is
// damaged; with MD5_ERROR_MEMORY, if there are more pixels or memory runs out. The caller frees
// image->rgba, top row first, with free(). Reentrant.
bool view_decode_image(const uint8_t *bytes, size_t size, uint32_t max_pixels, view_image *image,
                       md5_error *error);

// Reads and decodes a file.
bool view_read_image(const char *path, uint32_t max_pixels, view_image *image, md5_error *error);

// Reads the picture of an image program. Of the game, only its files are read: one thread at a
// time.
bool view_read_game_image(md5_game *game, const md5_image_program *program, view_image *image,
                          md5_error *error);

// Encodes a picture as a PNG file, without its alpha unless `has_alpha`. Returns its bytes, to be
// freed with free(), or NULL if there is no pixel, memory runs out or this build has no stb.
uint8_t *view_encode_png(const view_image *image, bool has_alpha, size_t *size);

// The same as a TGA file, 24 or, where alpha is used, 32 bits a pixel, the bottom row first, as all
// engines read it.
uint8_t *view_encode_tga(const view_image *image, size_t *size);

// A picture in linear colour of any brightness, top row first.
typedef struct view_panorama {
    float *rgb; // [3 * width * height]; free()
    uint32_t width;
    uint32_t height;
} view_panorama;

// Decodes `size` bytes of a Radiance picture (.hdr), which store a common exponent for three bytes
// of each pixel, plain or packed in either way. Source: G. Ward, "Real Pixels", Graphics Gems II,
// 1991, and the description of the format in Radiance's reference. Returns false and fills `error`
// if it is another file or damaged. Reentrant.
bool view_decode_radiance(const uint8_t *bytes, size_t size, view_panorama *panorama,
                          md5_error *error);

// Reads a Radiance picture, or an image as view_read_image() does, which is decoded from sRGB.
bool view_read_panorama(const char *path, view_panorama *panorama, md5_error *error);

#endif
