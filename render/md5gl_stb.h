// Reads PNG, JPEG, TGA and other pictures for md5gl_load_looks() by stb_image, which the program
// has: one of its files defines STB_IMAGE_IMPLEMENTATION and includes stb_image.h.
//
//   desc.load = md5gl_stb_load;
//   desc.release = md5gl_stb_release;
//
// Include this behind stb_image.h where that is included too. stb_image is not made for files from
// strangers: versions before 2.28 write past their tables if a JPEG or PNG is malformed.
#ifndef MD5GL_STB_H
#define MD5GL_STB_H

#ifndef MD5GL_LOOK_H
#include "md5gl_look.h" // beside this file also when installed
#endif

#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef STBI_INCLUDE_STB_IMAGE_H
int stbi_info_from_memory(const unsigned char *bytes, int size, int *x, int *y, int *channels);
unsigned char *stbi_load_from_memory(const unsigned char *bytes, int size, int *x, int *y,
                                     int *channels, int wanted);
const char *stbi_failure_reason(void);
void stbi_image_free(void *pixels);
#endif

// Decodes the bytes of a file, up to 2^29, to 2^26 pixels at most, as md5image.h; also for the
// decoder there. Returns NULL and a reason in *error on failure. `user` is not used.
static inline const void *md5gl_stb_decode(void *user, const void *bytes, size_t size,
                                           uint32_t *width, uint32_t *height, md5_error *error)
{
    const unsigned char *const file = (const unsigned char *)bytes;
    const int max = 1 << 14, length = size <= 1 << 29 ? (int)size : 0;
    int x = 0, y = 0, channels = 0;
    const bool is_known = stbi_info_from_memory(file, length, &x, &y, &channels) != 0;
    const bool fits = is_known && x > 0 && y > 0 && x <= max && y <= max && x <= (1 << 26) / y;
    const unsigned char *const pixels =
        fits ? stbi_load_from_memory(file, length, &x, &y, &channels, 4) : NULL;
    (void)user;
    *width = (uint32_t)x;
    *height = (uint32_t)y;
    error->status = pixels != NULL ? error->status : MD5_ERROR_SYNTAX;
    if (pixels == NULL)
        snprintf(error->message, sizeof error->message, "%dx%d: %s", x, y,
                 is_known && !fits ? "too large" : stbi_failure_reason());
    return pixels;
}

// md5gl_looks_desc.load, for files of the system; for others write a function that passes their
// bytes to md5gl_stb_decode(). `user` is not used.
static inline const void *md5gl_stb_load(void *user, const char *path, uint32_t *width,
                                         uint32_t *height, md5_error *error)
{
    const void *pixels = NULL;
    FILE *const file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    void *const bytes = size > 0 && size <= 1 << 29 ? malloc((size_t)size) : NULL;
    rewind(file);
    if (bytes != NULL && fread(bytes, 1, (size_t)size, file) == (size_t)size)
        pixels = md5gl_stb_decode(user, bytes, (size_t)size, width, height, error);
    else
        snprintf(error->message, sizeof error->message, "cannot read a file of %ld bytes", size);
    free(bytes);
    fclose(file);
    return pixels;
}

// md5gl_looks_desc.release
static inline void md5gl_stb_release(void *user, const void *pixels)
{
    (void)user;
    stbi_image_free((void *)(uintptr_t)pixels);
}

#ifdef __cplusplus
}
#endif

#endif
