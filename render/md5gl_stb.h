// Connects the image library stb_image with md5gl_load_materials(), so that materials can be loaded
// from PNG, JPEG, TGA and other image files:
//
//   desc.load = md5gl_stb_load;
//   desc.release = md5gl_stb_release;
//   md5gl_material_set *material_set = md5gl_load_materials(renderer, &desc, &error);
//
// One source file of the program must define STB_IMAGE_IMPLEMENTATION and include stb_image.h. If a
// source file includes both stb_image.h and this header, include stb_image.h first.
//
// Security: do not use stb_image for files from untrusted sources. Versions before 2.28 write
// outside their tables if a JPEG or PNG file is malformed.
#ifndef MD5GL_STB_H
#define MD5GL_STB_H

#ifndef MD5GL_MATERIAL_FILES_H
#include "md5gl_material_files.h" // installed in the same folder
#endif

#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

// The functions of stb_image that this header calls, for source files without stb_image.h.
#ifndef STBI_INCLUDE_STB_IMAGE_H
int stbi_info_from_memory(const unsigned char *bytes, int size, int *x, int *y, int *channels);
unsigned char *stbi_load_from_memory(const unsigned char *bytes, int size, int *x, int *y,
                                     int *channels, int wanted);
const char *stbi_failure_reason(void);
void stbi_image_free(void *pixels);
#endif

// Decodes an image file in memory. Use it in your own function for md5gl_material_set_desc.load if
// the files are not files of the operating system, for example if they are in an archive. It also
// has the form of the decoder that md5image.h requires.
//
// `bytes` contains `size` bytes of the file, at most 2^29. The image may have at most 2^26 pixels
// and at most 16384 pixels per side. Returns the pixels as md5gl_material_set_desc.load does, and
// stores the size of the image in *width and *height. Free the result with md5gl_stb_release(). On
// failure the function returns NULL and writes the reason to *error. `user` is not used.
static inline const void *md5gl_stb_decode(void *user, const void *bytes, size_t size,
                                           uint32_t *width, uint32_t *height, md5_error *error)
{
    const unsigned char *const file = (const unsigned char *)bytes;
    const int max = 1 << 14;
    const int length = size <= 1 << 29 ? (int)size : 0;
    int x = 0;
    int y = 0;
    int channels = 0;
    const bool is_readable = stbi_info_from_memory(file, length, &x, &y, &channels) != 0;
    const bool fits = is_readable && x > 0 && y > 0 && x <= max && y <= max && x <= (1 << 26) / y;
    const unsigned char *const pixels =
        fits ? stbi_load_from_memory(file, length, &x, &y, &channels, 4) : NULL;
    (void)user;
    *width = (uint32_t)x;
    *height = (uint32_t)y;
    if (pixels == NULL) {
        const bool is_too_large = is_readable && !fits;
        error->status = MD5_ERROR_SYNTAX;
        snprintf(error->message, sizeof error->message, "%dx%d: %s", x, y,
                 is_too_large ? "image is too large" : stbi_failure_reason());
    }
    return pixels;
}

// Reads and decodes an image file of the operating system. Assign this function to
// md5gl_material_set_desc.load. Returns NULL if the file does not exist. If the file cannot be
// decoded, returns NULL and writes the reason to *error. `user` is not used.
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
        snprintf(error->message, sizeof error->message, "cannot read an image file of %ld bytes",
                 size);
    free(bytes);
    fclose(file);
    return pixels;
}

// Frees an image that md5gl_stb_load() or md5gl_stb_decode() returned. Assign this function to
// md5gl_material_set_desc.release. `user` is not used.
static inline void md5gl_stb_release(void *user, const void *pixels)
{
    (void)user;
    stbi_image_free((void *)(uintptr_t)pixels);
}

#ifdef __cplusplus
}
#endif

#endif
