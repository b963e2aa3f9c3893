// Fuzz target for the image formats of the library: TGA, DDS or PCX. The first byte is the length
// of an image program, which follows; the rest is the content of every file that the program opens.
// Without a program the file is decoded directly.
#include "test/fuzz/folder.h"

// Reads every byte of the image, so that a sanitizer detects missing bytes, and frees it.
static const char *texture_fault(md5_image *image, const md5_error *error)
{
    const char *fault = NULL;
    if (!image)
        return error->status == MD5_OK || error->message[0] == '\0'
                   ? "no picture and no error message"
                   : NULL;
    if (image->width == 0 || image->width > MD5_MAX_IMAGE_SIDE)
        fault = "a size beyond the limits";
    if (image->height == 0 || image->height > MD5_MAX_IMAGE_SIDE)
        fault = "a size beyond the limits";
    uint32_t sum = 0;
    if (!fault) {
        for (size_t i = 0; i < (size_t)image->width * image->height * 4; i++)
            sum |= image->pixels[i];
    }
    if (sum > 255)
        fault = "a byte of more than 8 bits";
    md5_free_image(image);
    return fault;
}

static const char *program_fault(const char *text, const char *bytes, size_t size,
                                 const md5_image_opts *opts)
{
    const fuzz_file files[] = {
        {"a.tga", bytes, size}, {"b.jpg", bytes, size}, {"dds/heightmap/c 4.dds", bytes, size}};
    const md5_game_path path = fuzz_folder(files, COUNT_OF(files));
    md5_image_program program;
    md5_error error = {0};
    const char *fault = NULL;
    md5_game *const game = md5_create_game(&path, 1, NULL, &error);
    if (game && md5_game_image_program(game, text, &program, &error))
        fault = texture_fault(md5_load_image(game, &program, opts, &error), &error);
    md5_destroy_game(game);
    return fault;
}

const char *fuzz_texture(const uint8_t *data, size_t size)
{
    char text[256] = "";
    const md5_image_opts opts = {
        .allocator = {.limit = FUZZ_MEMORY_LIMIT},
        .compressed_first = size % 2 == 1,
    };
    const size_t length = size > 0 && data[0] < size ? data[0] : 0;
    if (size == 0)
        return NULL;
    memcpy(text, data + 1, length);
    const uint8_t *const file = data + 1 + length;
    size -= 1 + length;
    if (length > 0)
        return program_fault(text, (const char *)file, size, &opts);
    md5_error error = {0};
    md5_image *const image = md5_parse_image(file, size, &opts, &error);
    return texture_fault(image, &error);
}
