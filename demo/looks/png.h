// Decodes PNG files by stb_image.
#ifndef DEMO_LOOKS_PNG_H
#define DEMO_LOOKS_PNG_H

#include <stddef.h>
#include <stdint.h>

// Decodes a PNG file to RGBA with the top row first. `num_pixels` is the number of pixels in the
// file's header. It limits the memory: data that unpack to more bytes are an error. Returns pixels,
// which the caller frees with free(). On failure returns NULL and sets *reason. Reentrant.
uint8_t *view_load_png(const uint8_t *bytes, size_t size, uint64_t num_pixels, uint32_t *width,
                       uint32_t *height, const char **reason);

#endif
