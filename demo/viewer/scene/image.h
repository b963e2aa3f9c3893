// Reads images from untrusted files.
//
// Nothing in a file is trusted. The first bytes decide the format. Before anything is allocated,
// the image size is checked against a limit and against what the file's bytes can hold; tables and
// blocks are checked before a decoder reads them. stb_image decodes PNG, the library TGA and DDS
// (md5image.h), and libjpeg JPEG, because stb_image up to 2.27 writes past its Huffman tables if a
// JPEG file is malformed.
#ifndef DEMO_VIEWER_SCENE_IMAGE_H
#define DEMO_VIEWER_SCENE_IMAGE_H

#include "demo/common/memory.h"
#include "demo/viewer/base/image_size.h"
#include "demo/viewer/scene/maps.h"

#include <stddef.h>
#include <stdint.h>

typedef struct view_image_fault {
    char message[200]; // why reading failed; no newline
    bool is_too_large; // that is why: too many pixels, or memory ran out
    uint32_t most;     // pixels, VIEW_IMAGE_MAX_PIXELS at most; set by what reads or decodes
} view_image_fault;

// Decodes `size` bytes of PNG, JPEG, TGA or DDS. Returns false and fills `fault` if the format is
// another or the file is damaged. The caller frees image->rgba, top row first, with free().
// Reentrant.
bool view_decode_image(const uint8_t *bytes, size_t size, view_image *image,
                       view_image_fault *fault);

// Reads a file as it is. Returns NULL and fills `fault` on failure, else the caller frees it.
uint8_t *view_read_image_file(const char *path, size_t *size, view_image_fault *fault);

// Reads and decodes a file; the second function, if it has no more pixels than `most`.
bool view_read_image(const char *path, view_image *image, view_image_fault *fault);
bool view_read_small_image(const char *path, uint32_t most, view_image *image,
                           view_image_fault *fault);

// -- Steps ----------------------------------------------------------------------------------

// What stb_image's input must be checked for.
typedef struct view_image_frame {
    uint32_t width, height;
    size_t palette, palette_size; // PNG: byte offset and size of the palette; 0 if none
} view_image_frame;

// Checks a file's structure: image size, blocks within the file, enough data for the pixels.
bool view_check_png(const uint8_t *bytes, size_t size, view_image_frame *frame,
                    view_image_fault *fault);

// Checks an image size against the limits.
bool view_check_image_size(uint32_t width, uint32_t height, view_image_fault *fault);

// Decodes a JPEG file; see view_decode_image().
bool view_decode_jpeg(const uint8_t *bytes, size_t size, view_image *image,
                      view_image_fault *fault);

// Fills `fault` and returns false: as printf() does, or because memory has run out.
bool view_image_no_memory(view_image_fault *fault);
bool view_image_fail(view_image_fault *fault, const char *format, ...) COMMON_PRINTF(2, 3);

#endif
