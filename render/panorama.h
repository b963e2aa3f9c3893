// Panoramas on the CPU: equirectangular pictures, their smaller levels, and what mirrors of a
// roughness show of them. environment.c uploads the results.
#ifndef MD5GL_PANORAMA_H
#define MD5GL_PANORAMA_H

#include "render/md5gl.h"

// rgb[3 * width * height], linear, as in md5gl.h.
typedef struct md5gl_panorama {
    uint32_t width, height;
    float *rgb;
} md5gl_panorama;

// A picture and its halves, down to one texel: enough for a width of 2^31.
enum { MD5GL_MAX_PANORAMA_LEVELS = 32 };
typedef struct md5gl_pyramid {
    md5gl_panorama levels[MD5GL_MAX_PANORAMA_LEVELS];
    uint32_t num_levels;
    float *texels; // of all levels
    size_t size;   // bytes
} md5gl_pyramid;

// Halves a picture until no side is above `most`, and makes the levels from there on. Components
// are brought to 0..65000. Returns false with MD5_ERROR_MEMORY. Free the pyramid with the same
// allocator.
bool md5gli_create_pyramid(const md5_allocator *allocator, const md5gl_panorama *picture,
                           uint32_t most, md5gl_pyramid *pyramid, md5_error *error);
void md5gli_free_pyramid(const md5_allocator *allocator, md5gl_pyramid *pyramid);

// Writes what a mirror of a roughness, 0 to 1, shows in each direction: the mean of the light
// around it, weighted by GGX and the cosine (Karis, "Real Shading in Unreal Engine 4", 2013, where
// view and normal coincide). `shown` has its size and memory.
void md5gli_blur_panorama(const md5gl_pyramid *from, float roughness, md5gl_panorama *shown);

#endif
