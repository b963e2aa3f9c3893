// Decodes PNG files by stb_image.
#ifndef DEMO_LOOKS_PNG_H
#define DEMO_LOOKS_PNG_H

#include <stddef.h>
#include <stdint.h>

// Decodes a PNG file of num_pixels pixels, as its header declares, to RGBA with the top row first.
// The memory is limited by that number: data that unpack to more are an error. Returns NULL and a
// reason on failure, else the caller frees the result with free(). Reentrant.
uint8_t *view_load_png(const uint8_t *bytes, size_t size, uint64_t num_pixels, uint32_t *width,
                       uint32_t *height, const char **reason);

#endif
