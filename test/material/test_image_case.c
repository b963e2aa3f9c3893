#include "test/material/test_image_case.h"

#include "test/test.h"

void image_folder_add(image_folder *folder, const char *name, const void *bytes, size_t size)
{
    if (folder->count == sizeof folder->files / sizeof folder->files[0])
        abort();
    folder->files[folder->count].name = name;
    folder->files[folder->count].bytes = bytes;
    folder->files[folder->count++].size = size;
}

static const char *file_name(void *user, size_t file)
{
    return ((const image_folder *)user)->files[file].name;
}

static const void *open_placed(void *user, size_t file, size_t *size, md5_error *error)
{
    const image_folder *const folder = user;
    char path[1024];
    if (!folder->files[file].bytes) {
        snprintf(path, sizeof path, "%s/%s", folder->folder, folder->files[file].name);
        char *const bytes = test_read_file(path, size);
        if (!bytes)
            snprintf(error->message, sizeof error->message, "not on disk");
        return bytes;
    }
    *size = folder->files[file].size;
    void *const copy = test_copy(folder->files[file].bytes, *size);
    return copy;
}

static void close_placed(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    free((void *)(uintptr_t)bytes);
}

static int64_t time_placed(void *user, size_t file)
{
    return ((const image_folder *)user)->files[file].time;
}

md5_game *open_images(image_folder *folder, const md5_load_opts *opts)
{
    const md5_game_path path = {
        .num_files = folder->count,
        .name = file_name,
        .open = open_placed,
        .close = close_placed,
        .user = folder,
        .time = folder->has_times ? time_placed : NULL,
    };
    md5_game *const game = md5_create_game(&path, 1, opts, NULL);
    CHECK(game);
    return game;
}

md5_image *load_image_text(md5_game *game, const char *text, const md5_image_opts *opts,
                           md5_error *error)
{
    md5_image_program program;
    if (!md5_game_image_program(game, text, &program, error))
        return NULL;
    return md5_load_image(game, &program, opts, error);
}

size_t image_write_tga(uint8_t *file, const uint8_t *texels, uint32_t width, uint32_t height)
{
    const uint8_t header[IMAGE_TGA_HEADER] = {
        [2] = 2,
        [12] = width & 255,
        [13] = (uint8_t)(width >> 8),
        [14] = height & 255,
        [15] = (uint8_t)(height >> 8),
        [16] = 32,
    };
    memcpy(file, header, sizeof header);
    uint8_t *to = file + sizeof header;
    for (uint32_t y = height; y-- > 0;) {
        const uint8_t *from = texels + (size_t)4 * y * width;
        for (uint32_t x = 0; x < width; x++, from += 4, to += 4) {
            to[0] = from[2];
            to[1] = from[1];
            to[2] = from[0];
            to[3] = from[3];
        }
    }
    return sizeof header + (size_t)4 * width * height;
}

md5_image *parse_exact(const void *bytes, size_t size, const md5_image_opts *opts, md5_error *error)
{
    void *const exact = test_copy(bytes, size);
    md5_image *const image = md5_parse_image(exact, size, opts, error);
    free(exact);
    return image;
}
