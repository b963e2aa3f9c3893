// Reads pictures from files that may come from anywhere.
//
// Nothing in a file is believed: its kind is known by its first bytes, its size is held against a
// limit and against what so many bytes can hold before anything is allocated, and its tables and
// blocks are checked before a decoder sees them. PNG and TGA are decoded by stb_image, JPEG by
// libjpeg: stb_image up to 2.27 writes behind its Huffman tables when a JPEG file says so.
#ifndef DEMO_VIEWER_SCENE_IMAGE_H
#define DEMO_VIEWER_SCENE_IMAGE_H

#include "demo/viewer/base/image_size.h"
#include "demo/viewer/scene/maps.h"

#include <stddef.h>
#include <stdint.h>

typedef struct view_image_fault {
    char message[200]; // why there is no picture; without a newline
} view_image_fault;

// Decodes `size` bytes of PNG, TGA or JPEG. Returns false, having filled `fault`, if they are none
// of these or damaged. Reentrant. image->rgba, top row first, is the caller's to free().
bool view_decode_image(const uint8_t *bytes, size_t size, view_image *image,
                       view_image_fault *fault);

// The same for a file.
bool view_read_image(const char *path, view_image *image, view_image_fault *fault);

// -- The steps ------------------------------------------------------------------------------

// What is to be known of a file before stb_image may read it.
typedef struct view_image_frame {
    uint32_t width, height;
    size_t palette,
        palette_size; // PNG: bytes of the palette, from and how many; 0 if there is none
} view_image_frame;

// Whether the frame of a file is sound: sizes, blocks within the file, and enough data for so many
// pixels. A TGA file has no magic number, so whatever is no PNG is tried as one.
bool view_check_png(const uint8_t *bytes, size_t size, view_image_frame *frame,
                    view_image_fault *fault);
bool view_check_tga(const uint8_t *bytes, size_t size, view_image_frame *frame,
                    view_image_fault *fault);

// Whether a picture may be so large.
bool view_check_image_size(uint32_t width, uint32_t height, view_image_fault *fault);

bool view_decode_jpeg(const uint8_t *bytes, size_t size, view_image *image,
                      view_image_fault *fault);

// Fills `fault`, in printf's way, and returns false.
bool view_image_fail(view_image_fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
