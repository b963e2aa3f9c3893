// Images for tests: creation from bytes and comparison by texels.
#ifndef TEST_IMAGE_CASE_H
#define TEST_IMAGE_CASE_H

#include "md5/md5game.h"

// A search path with at most 16 files, whose bytes are in memory or on disk.
typedef struct image_folder {
    size_t count;
    struct {
        const char *name;
        const void *bytes; // [size], or NULL: the file below `folder`
        size_t size;
        int64_t time;
    } files[16];
    const char *folder;
    bool has_times;
} image_folder;

void image_folder_add(image_folder *folder, const char *name, const void *bytes, size_t size);

// `folder` must outlive the game.
md5_game *open_images(image_folder *folder, const md5_load_opts *opts);

// md5_parse_image() of memory of exactly the size, so that reads past the end are detected.
md5_image *parse_exact(const void *bytes, size_t size, const md5_image_opts *opts,
                       md5_error *error);

// Returns the image of a program's text, or NULL.
md5_image *load_image_text(md5_game *game, const char *text, const md5_image_opts *opts,
                           md5_error *error);

// Writes a TGA file of 32 bits, bottom row first: texels[height][width][4] in the order of
// md5_image. Returns its size.
enum { IMAGE_TGA_HEADER = 18 };
size_t image_write_tga(uint8_t *file, const uint8_t *texels, uint32_t width, uint32_t height);

#endif
