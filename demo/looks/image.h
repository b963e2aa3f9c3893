// Reads images from untrusted files.
//
// The first bytes of a file determine its format. The image size is compared with a limit and with
// the size of the file before memory is allocated. Tables and blocks are checked before a decoder
// reads them.
//
// stb_image decodes PNG, the library decodes TGA, PCX and DDS (md5image.h), and libjpeg decodes
// JPEG. stb_image is not used for JPEG, because up to 2.27 it writes past its Huffman tables if a
// file is malformed. The exception is a browser, where this can only damage the page. Builds
// without stb (HAS_STB) or libjpeg (HAS_JPEG) report their formats as errors.
#ifndef DEMO_LOOKS_IMAGE_H
#define DEMO_LOOKS_IMAGE_H

#include "md5/md5game.h"

// An image in memory, top row first.
typedef struct view_image {
    uint8_t *rgba; // free with free()
    uint32_t width;
    uint32_t height;
} view_image;

// Decodes `size` bytes of a PNG, JPEG, TGA, PCX or DDS file. `max_pixels` is at most
// MD5_MAX_IMAGE_PIXELS. Returns false and fills `error` if the format is not supported or the file
// is damaged. The error is MD5_ERROR_MEMORY if there are more than `max_pixels` pixels or memory
// runs out. The caller frees image->rgba with free(). Reentrant.
bool view_decode_image(const uint8_t *bytes, size_t size, uint32_t max_pixels, view_image *image,
                       md5_error *error);

// Reads a file and decodes it like view_decode_image().
bool view_read_image(const char *path, uint32_t max_pixels, view_image *image, md5_error *error);

// Reads the image that an image program computes. An image program is an expression of a material
// with image files and operations. Only files of the game are read. Only one thread at a time may
// call this function.
bool view_read_game_image(md5_game *game, const md5_image_program *program, view_image *image,
                          md5_error *error);

// Encodes an image as a PNG file. Alpha is written only if `has_alpha`. Returns the bytes of the
// file, which the caller frees with free(). Returns NULL if the image is empty, memory runs out or
// this build does not have stb.
uint8_t *view_encode_png(const view_image *image, bool has_alpha, size_t *size);

// Encodes an image as a TGA file with 24 bits per pixel, or 32 bits if alpha is used. The bottom
// row is first, because all engines support this order. Returns the bytes of the file or NULL, as
// view_encode_png() does.
uint8_t *view_encode_tga(const view_image *image, size_t *size);

// An image in linear color, whose values can exceed 1. The top row is first.
typedef struct view_panorama {
    float *rgb; // [3 * width * height]; free with free()
    uint32_t width;
    uint32_t height;
} view_panorama;

// Decodes `size` bytes of a Radiance image (.hdr), in which a pixel consists of three mantissas and
// a common exponent. Rows are plain or packed in one of two ways. Returns false and fills `error`
// if the format is not supported or the file is damaged. Reentrant.
//
// Source: G. Ward, "Real Pixels", Graphics Gems II, 1991, and the description of the format in
// Radiance's reference.
bool view_decode_radiance(const uint8_t *bytes, size_t size, view_panorama *panorama,
                          md5_error *error);

// Reads a Radiance image, or any image that view_read_image() reads. The latter is converted from
// sRGB to linear color.
bool view_read_panorama(const char *path, view_panorama *panorama, md5_error *error);

#endif
