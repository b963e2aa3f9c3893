#include "demo/viewer/scene/image.h"

#include "demo/common/file.h"
#include "md5/md5image.h"

#include <stb/stb_image.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE_SIZE = 1 << 29 };

static bool begins_with(const uint8_t *bytes, size_t size, const char *magic, size_t length)
{
    return size >= length && memcmp(bytes, magic, length) == 0;
}

static bool decode_by_stb(const uint8_t *bytes, size_t size, view_image *image,
                          view_image_fault *fault)
{
    int width = 0, height = 0, channels = 0;
    image->rgba = stbi_load_from_memory(bytes, (int)size, &width, &height, &channels, 4);
    image->width = (uint32_t)width;
    image->height = (uint32_t)height;
    if (image->rgba == NULL && strcmp(stbi_failure_reason(), "outofmem") == 0)
        return view_image_no_memory(fault);
    return image->rgba != NULL || view_image_fail(fault, "%s", stbi_failure_reason());
}

// A pixel may index past the end of a short palette, and stb_image then reads other memory.
// It is given a copy of the file whose palette has all 256 colours, the added ones black. The
// chunk's checksum is then wrong, but stb_image does not check it.
static bool decode_with_full_palette(const uint8_t *bytes, size_t size,
                                     const view_image_frame *frame, view_image *image,
                                     view_image_fault *fault)
{
    enum { FULL_SIZE = 256 * 3, LENGTH_AND_NAME = 8 };
    const size_t end = frame->palette + frame->palette_size;
    const size_t added = FULL_SIZE - frame->palette_size;
    uint8_t *const copy = calloc(1, size + added);
    if (copy == NULL)
        return view_image_no_memory(fault);
    memcpy(copy, bytes, end);
    memcpy(copy + end + added, bytes + end, size - end);
    const uint8_t length[4] = {0, 0, FULL_SIZE >> 8, FULL_SIZE & 255};
    memcpy(copy + frame->palette - LENGTH_AND_NAME, length, sizeof length);
    const bool is_read = decode_by_stb(copy, size + added, image, fault);
    free(copy);
    return is_read;
}

static bool decode_png(const uint8_t *bytes, size_t size, view_image *image,
                       view_image_fault *fault)
{
    view_image_frame frame = {0};
    if (!view_check_png(bytes, size, &frame, fault))
        return false;
    return frame.palette_size > 0 ? decode_with_full_palette(bytes, size, &frame, image, fault)
                                  : decode_by_stb(bytes, size, image, fault);
}

// The pixels are copied, because callers free them with free().
static bool decode_by_library(const uint8_t *bytes, size_t size, view_image *image,
                              view_image_fault *fault)
{
    md5_error error;
    const bool is_small = fault->most < VIEW_IMAGE_MAX_PIXELS;
    const md5_image_opts opts = {.memory_limit = is_small ? (size_t)5 * fault->most : 0};
    md5_image *const decoded = md5_parse_image(bytes, size, &opts, &error);
    fault->is_too_large = decoded == NULL && error.status == MD5_ERROR_MEMORY;
    if (decoded == NULL)
        return view_image_fail(fault, "%.180s", error.message);
    const size_t num_bytes = (size_t)decoded->width * decoded->height * 4;
    image->rgba = malloc(num_bytes);
    if (image->rgba != NULL) {
        memcpy(image->rgba, decoded->pixels, num_bytes);
        image->width = decoded->width;
        image->height = decoded->height;
    }
    md5_free_image(decoded);
    return image->rgba != NULL || view_image_no_memory(fault);
}

static bool decode(const uint8_t *bytes, size_t size, view_image *image, view_image_fault *fault)
{
    *image = (view_image){NULL, 0, 0};
    fault->is_too_large = false;
    if (size == 0)
        return view_image_fail(fault, "the file is empty");
    if (size > MAX_FILE_SIZE)
        return view_image_fail(fault, "the file is larger than %d bytes", MAX_FILE_SIZE);
    if (begins_with(bytes, size, "\xff\xd8\xff", 3))
        return view_decode_jpeg(bytes, size, image, fault);
    return begins_with(bytes, size, "\x89PNG\r\n\x1a\n", 8)
               ? decode_png(bytes, size, image, fault)
               : decode_by_library(bytes, size, image, fault);
}

bool view_decode_image(const uint8_t *bytes, size_t size, view_image *image,
                       view_image_fault *fault)
{
    fault->most = VIEW_IMAGE_MAX_PIXELS;
    return decode(bytes, size, image, fault);
}

static uint8_t *read_all(FILE *file, size_t *size)
{
    size_t room = 0;
    uint8_t *bytes = NULL;
    for (*size = 0; !feof(file) && !ferror(file) && *size <= MAX_FILE_SIZE;) {
        if (*size == room) {
            room = room ? 2 * room : 65536;
            uint8_t *const larger = realloc(bytes, room);
            if (larger == NULL)
                break;
            bytes = larger;
        }
        *size += fread(bytes + *size, 1, room - *size, file);
    }
    if (bytes != NULL && feof(file) && !ferror(file))
        return bytes;
    free(bytes);
    return NULL;
}

static uint8_t *refuse(view_image_fault *fault, const char *why)
{
    fault->is_too_large = false;
    (void)view_image_fail(fault, "%s", why);
    return NULL;
}

uint8_t *view_read_image_file(const char *path, size_t *size, view_image_fault *fault)
{
    if (common_is_folder(path))
        return refuse(fault, "it is a folder");
    if (!common_is_file(path))
        return refuse(fault, "no such file");
    if (common_file_size(path) > MAX_FILE_SIZE) {
        (void)view_image_fail(fault, "the file is larger than %d bytes", MAX_FILE_SIZE);
        return NULL;
    }
    FILE *const file = fopen(path, "rb");
    if (file == NULL)
        return refuse(fault, strerror(errno));
    uint8_t *const bytes = read_all(file, size);
    fclose(file);
    return bytes != NULL ? bytes : refuse(fault, "cannot be read or out of memory");
}

bool view_read_small_image(const char *path, uint32_t most, view_image *image,
                           view_image_fault *fault)
{
    size_t size = 0;
    *image = (view_image){NULL, 0, 0};
    uint8_t *const bytes = view_read_image_file(path, &size, fault);
    fault->most = most;
    const bool is_read = bytes != NULL && decode(bytes, size, image, fault);
    free(bytes);
    return is_read;
}

bool view_read_image(const char *path, view_image *image, view_image_fault *fault)
{
    return view_read_small_image(path, VIEW_IMAGE_MAX_PIXELS, image, fault);
}
