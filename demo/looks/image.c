#include "demo/looks/image.h"
#include "demo/looks/png.h"

#include "demo/common/file.h"
#include "demo/common/text.h"

#include <limits.h>

#ifdef HAS_JPEG
#include <setjmp.h>

#include <jpeglib.h>
#include <jerror.h>
#endif
#ifdef HAS_STB
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>
#endif

// -- Checks --------------------------------------------------------------------------------------

// Checks what stb_image checks too late or not at all; see image.h.

// Fills `error`, as printf() does, and returns false.
static bool COMMON_PRINTF(3, 4) fail(md5_error *error, md5_status status, const char *format, ...)
{
    va_list arguments;
    *error = (md5_error){.status = status};
    va_start(arguments, format);
    common_write_text(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return false;
}

// Checks an image size against the limits.
static bool check_image_size(uint32_t width, uint32_t height, uint32_t max_pixels, md5_error *error)
{
    if (width == 0 || height == 0)
        return fail(error, MD5_ERROR_RANGE, "invalid image size: %u x %u pixels", width, height);
    return (width <= MD5_MAX_IMAGE_SIDE && height <= MD5_MAX_IMAGE_SIDE
            && (uint64_t)width * height <= max_pixels)
           || fail(
               error, MD5_ERROR_MEMORY,
               "image is too large: %u x %u pixels; expected at most %d per side and %u in total",
               width, height, MD5_MAX_IMAGE_SIDE, max_pixels);
}

// -- PNG ------------------------------------------------------------------------------------

enum { PNG_SIGNATURE = 8, PNG_CHUNK = 12 }; // length, name and checksum

#ifdef HAS_STB
static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// Bits per pixel in the file; 0 if colour type and depth do not go together.
static uint32_t png_pixel_bits(uint8_t colour, uint8_t depth)
{
    static const uint8_t num_channels[7] = {1, 0, 3, 1, 2, 0, 4};
    if (colour > 6 || (depth != 1 && depth != 2 && depth != 4 && depth != 8 && depth != 16))
        return 0;
    if ((depth < 8 && colour != 0 && colour != 3) || (depth == 16 && colour == 3))
        return 0;
    return (uint32_t)num_channels[colour] * depth;
}

// The values that decode_png() needs from the chunks of a file.
typedef struct png_info {
    uint64_t num_pixels;
    size_t palette, palette_size; // offset and size of the palette in bytes; 0 without a palette
} png_info;

// Checks a file's structure: image size, chunks within the file, enough data for the pixels.
static bool check_png(const uint8_t *bytes, size_t size, uint32_t max_pixels, png_info *info,
                      md5_error *error)
{
    enum { MAX_COLOURS = 256, BEST_RATIO = 4 * 258 };
    uint32_t width = 0;
    uint32_t height = 0;
    uint8_t depth = 0;
    uint8_t colour = 0;
    uint64_t packed_size = 0; // of all IDAT chunks
    bool has_palette = false;
    for (size_t offset = PNG_SIGNATURE; size - offset >= PNG_CHUNK;) {
        const uint32_t length = big_endian(bytes + offset);
        const uint8_t *const name = bytes + offset + 4;
        const uint8_t *const body = bytes + offset + 8;
        for (int i = 0; i < 4; i++)
            if ((name[i] | 32) < 'a' || (name[i] | 32) > 'z')
                return fail(error, MD5_ERROR_SYNTAX, "expected a PNG chunk at byte %zu", offset);
        if (length > size - offset - PNG_CHUNK)
            return fail(
                error, MD5_ERROR_SYNTAX,
                "truncated PNG: chunk %.4s at byte %zu has length %u, but only %zu bytes follow",
                (const char *)name, offset, length, size - offset - PNG_CHUNK);
        const bool is_header = memcmp(name, "IHDR", 4) == 0;
        if (is_header != (offset == PNG_SIGNATURE))
            return fail(
                error, MD5_ERROR_SYNTAX,
                "PNG chunk %.4s at byte %zu: IHDR must be the first chunk and must occur once",
                (const char *)name, offset);
        if (memcmp(name, "IEND", 4) == 0) {
            const uint64_t row = ((uint64_t)width * png_pixel_bits(colour, depth) + 7) / 8;
            if (colour == 3 && !has_palette)
                return fail(error, MD5_ERROR_SYNTAX, "PNG palette is missing");
            if (row * height > packed_size * BEST_RATIO) // deflate expands two bits to 258 bytes
                return fail(error, MD5_ERROR_SYNTAX,
                            "truncated PNG: %u x %u pixels cannot be stored in %llu bytes", width,
                            height, (unsigned long long)packed_size);
            return true;
        }
        if (is_header) {
            if (length != 13)
                return fail(error, MD5_ERROR_SYNTAX,
                            "invalid PNG header size: expected 13 bytes, found %u", length);
            width = big_endian(body);
            height = big_endian(body + 4);
            depth = body[8];
            colour = body[9];
            if (png_pixel_bits(colour, depth) == 0)
                return fail(error, MD5_ERROR_SYNTAX,
                            "invalid PNG: colour type %u does not support %u bits", colour, depth);
            if (!check_image_size(width, height, max_pixels, error))
                return false;
            info->num_pixels = (uint64_t)width * height;
        } else if (memcmp(name, "PLTE", 4) == 0) {
            if (has_palette || packed_size > 0)
                return fail(error, MD5_ERROR_SYNTAX,
                            "PNG palette is duplicate or follows the image data");
            if (length == 0 || length % 3 != 0 || length > 3 * MAX_COLOURS)
                return fail(error, MD5_ERROR_SYNTAX,
                            "invalid PNG palette size: expected a multiple of 3 from 3 to 768 "
                            "bytes, found %u",
                            length);
            has_palette = true;
            info->palette = colour == 3 ? offset + 8 : 0;
            info->palette_size = colour == 3 ? length : 0;
        } else if (memcmp(name, "IDAT", 4) == 0) {
            packed_size += length;
        } else if (name[0] < 'a') { // a lower-case first letter marks what a reader may skip
            return fail(error, MD5_ERROR_SYNTAX, "unknown PNG chunk %.4s", (const char *)name);
        }
        offset += PNG_CHUNK + length;
    }
    return fail(error, MD5_ERROR_SYNTAX, "truncated PNG: the IEND chunk is missing");
}

// A pixel may index past the end of a short palette, and stb_image then reads other memory. It is
// given a copy of the file whose palette has all 256 colours, the added ones black. The chunk's
// checksum is then wrong, but stb_image does not check it.
static bool decode_png(const uint8_t *bytes, size_t size, uint32_t max_pixels, view_image *image,
                       md5_error *error)
{
    enum { FULL_SIZE = 256 * 3, LENGTH_AND_NAME = 8 };
    png_info info = {0};
    const char *reason = "";
    if (!check_png(bytes, size, max_pixels, &info, error))
        return false;
    const size_t end = info.palette + info.palette_size;
    const size_t added = end > 0 ? FULL_SIZE - info.palette_size : 0;
    uint8_t *const copy = added > 0 ? calloc(1, size + added) : NULL;
    if (added > 0 && !copy)
        return fail(error, MD5_ERROR_MEMORY, "out of memory");
    if (added > 0) {
        const uint8_t length[4] = {0, 0, FULL_SIZE >> 8, FULL_SIZE & 255};
        memcpy(copy, bytes, end);
        memcpy(copy + end + added, bytes + end, size - end);
        memcpy(copy + info.palette - LENGTH_AND_NAME, length, sizeof length);
    }
    image->rgba = view_load_png(copy ? copy : bytes, size + added, info.num_pixels, &image->width,
                                &image->height, &reason);
    free(copy);
    if (!image->rgba && strcmp(reason, "outofmem") == 0)
        return fail(error, MD5_ERROR_MEMORY, "out of memory");
    return image->rgba || fail(error, MD5_ERROR_SYNTAX, "%s", reason);
}
#else
static bool decode_png(const uint8_t *bytes, size_t size, uint32_t max_pixels, view_image *image,
                       md5_error *error)
{
    (void)bytes, (void)size, (void)max_pixels, (void)image;
    return fail(error, MD5_ERROR_IO, "PNG is not supported: built without stb");
}
#endif

// -- JPEG ----------------------------------------------------------------------------------------

#ifdef HAS_JPEG
// Decodes JPEG with libjpeg, whose error handlers must not return: they leave by longjmp().

// Real files have about ten scans. A scan of a few bytes costs as much as decoding all pixels.
enum { MAX_SCANS = 100, MAX_MEMORY = 1 << 30 };

typedef struct jpeg_reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf failed;
    md5_error *error;
    uint8_t *row, *rgba; // members, since longjmp() may lose the values of locals
} jpeg_reader;

static _Noreturn void fail_by_error(j_common_ptr jpeg)
{
    jpeg_reader *const reader = jpeg->client_data;
    char message[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, message);
    fail(reader->error,
         jpeg->err->msg_code == JERR_OUT_OF_MEMORY ? MD5_ERROR_MEMORY : MD5_ERROR_SYNTAX, "%.150s",
         message);
    longjmp(reader->failed, 1);
}

// After a warning libjpeg continues and fills missing parts with grey. Extra bytes and unusual
// headers lose nothing; every other warning means damage and fails.
static void handle_warning(j_common_ptr jpeg, int level)
{
    if (level >= 0)
        return;
    switch (jpeg->err->msg_code) {
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR:
    case JWRN_TOO_MUCH_DATA:
        return;
    default:
        fail_by_error(jpeg);
    }
}

static void print_nothing(j_common_ptr jpeg)
{
    (void)jpeg;
}

static void count_scans(j_common_ptr jpeg)
{
    jpeg_reader *const reader = jpeg->client_data;
    if (reader->jpeg.input_scan_number <= MAX_SCANS)
        return;
    fail(reader->error, MD5_ERROR_SYNTAX, "too many scans in the JPEG file (limit %d)", MAX_SCANS);
    longjmp(reader->failed, 1);
}

static bool read_picture(jpeg_reader *reader, const uint8_t *bytes, size_t size,
                         uint32_t max_pixels, view_image *image)
{
    struct jpeg_decompress_struct *const jpeg = &reader->jpeg;
    if (setjmp(reader->failed) != 0)
        return false;
    jpeg_create_decompress(jpeg);
    jpeg->mem->max_memory_to_use = MAX_MEMORY;
    jpeg->progress = &reader->progress;
    jpeg_mem_src(jpeg, bytes, (unsigned long)size);
    jpeg_read_header(jpeg, TRUE);
    if (!check_image_size(jpeg->image_width, jpeg->image_height, max_pixels, reader->error))
        return false;
    const bool is_cmyk = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    jpeg->out_color_space = is_cmyk ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(jpeg);
    const size_t stride = (size_t)jpeg->output_width * 4;
    reader->row = malloc(stride);
    reader->rgba = malloc(stride * jpeg->output_height);
    if (!reader->row || !reader->rgba)
        return fail(reader->error, MD5_ERROR_MEMORY, "out of memory");
    while (jpeg->output_scanline < jpeg->output_height) {
        uint8_t *rgba = reader->rgba + stride * jpeg->output_scanline;
        const uint8_t *from = reader->row;
        jpeg_read_scanlines(jpeg, &reader->row, 1);
        // CMYK is stored inverted, as 255 - ink: Adobe's programs began it and all others follow.
        for (uint32_t x = 0; x < jpeg->output_width; x++, rgba += 4, from += is_cmyk ? 4 : 3) {
            for (int i = 0; i < 3; i++)
                rgba[i] = is_cmyk ? (uint8_t)(from[i] * from[3] / 255) : from[i];
            rgba[3] = 255;
        }
    }
    jpeg_finish_decompress(jpeg);
    *image = (view_image){reader->rgba, jpeg->output_width, jpeg->output_height};
    return true;
}

static bool decode_jpeg(const uint8_t *bytes, size_t size, uint32_t max_pixels, view_image *image,
                        md5_error *error)
{
    jpeg_reader reader = {.error = error};
    reader.jpeg.err = jpeg_std_error(&reader.errors);
    reader.jpeg.client_data = &reader;
    reader.errors.error_exit = fail_by_error;
    reader.errors.emit_message = handle_warning;
    reader.errors.output_message = print_nothing;
    reader.progress.progress_monitor = count_scans;
    const bool is_read = read_picture(&reader, bytes, size, max_pixels, image);
    jpeg_destroy_decompress(&reader.jpeg);
    free(reader.row);
    if (!is_read)
        free(reader.rgba);
    return is_read;
}

#elif defined(HAS_STB) && defined(__EMSCRIPTEN__)

// stb_image reads no CMYK, and its older versions write past their tables if a file is malformed.
// In a browser the program reaches nothing but its own memory; see png.c.
static bool decode_jpeg(const uint8_t *bytes, size_t size, uint32_t max_pixels, view_image *image,
                        md5_error *error)
{
    int width = 0;
    int height = 0;
    int channels = 0;
    if (size > INT_MAX)
        return fail(error, MD5_ERROR_MEMORY, "the JPEG file is too large");
    if (!stbi_info_from_memory(bytes, (int)size, &width, &height, &channels))
        return fail(error, MD5_ERROR_SYNTAX, "%s", stbi_failure_reason());
    if (!check_image_size((uint32_t)width, (uint32_t)height, max_pixels, error))
        return false;
    *image = (view_image){stbi_load_from_memory(bytes, (int)size, &width, &height, &channels, 4),
                          (uint32_t)width, (uint32_t)height};
    return image->rgba || fail(error, MD5_ERROR_SYNTAX, "%s", stbi_failure_reason());
}

#else
static bool decode_jpeg(const uint8_t *bytes, size_t size, uint32_t max_pixels, view_image *image,
                        md5_error *error)
{
    (void)bytes, (void)size, (void)max_pixels, (void)image;
    return fail(error, MD5_ERROR_IO, "JPEG is not supported: built without libjpeg");
}
#endif

// -- Radiance's .hdr -----------------------------------------------------------------------------
//
// Decodes Radiance pictures. Not by stb_image, whose version 2.27, which systems
// still have, never ends on a row that is cut off (CVE-2021-42715).

typedef struct byte_reader {
    const uint8_t *bytes;
    size_t offset;
    size_t size;
} byte_reader;

// -- Header ---------------------------------------------------------------------------------

enum { MAX_LINE = 128 };

// Takes a line without its end; false at the end of the file. The rest of a long line is dropped.
static bool take_line(byte_reader *from, char line[MAX_LINE])
{
    size_t length = 0;
    for (; from->offset < from->size && from->bytes[from->offset] != '\n'; from->offset++)
        if (length + 1 < MAX_LINE)
            line[length++] = (char)from->bytes[from->offset];
    line[length] = '\0';
    return from->offset++ < from->size;
}

// Takes a whole number after a sign and an axis, "-Y 512 ".
static const char *take_side(const char *text, const char *axis, uint32_t *side)
{
    uint32_t value = 0;
    if (strncmp(text, axis, strlen(axis)) != 0)
        return NULL;
    text += strlen(axis);
    for (; *text >= '0' && *text <= '9' && value < 1000000; text++)
        value = 10 * value + (uint32_t)(*text - '0');
    *side = value;
    return text + strspn(text, " ");
}

static bool read_header(byte_reader *from, view_panorama *panorama, md5_error *error)
{
    static const char format[] = "FORMAT=";
    char line[MAX_LINE] = "";
    if (!take_line(from, line) || strncmp(line, "#?", 2) != 0)
        return fail(error, MD5_ERROR_SYNTAX,
                    "not a Radiance image: expected '#?' at the start of the file");
    do {
        if (!take_line(from, line))
            return fail(error, MD5_ERROR_SYNTAX,
                        "unterminated header: expected an empty line, found the end of the file");
        const char *const value = line + sizeof format - 1;
        if (strncmp(line, format, sizeof format - 1) == 0
            && strncmp(value, "32-bit_rle_rgbe", 15) != 0)
            return fail(error, MD5_ERROR_SYNTAX,
                        "unsupported Radiance format \"%.40s\": expected 32-bit_rle_rgbe", value);
    } while (line[0] != '\0');
    if (!take_line(from, line))
        return fail(error, MD5_ERROR_SYNTAX, "the image size is missing");
    const char *rest = take_side(line, "-Y ", &panorama->height);
    rest = rest ? take_side(rest, "+X ", &panorama->width) : NULL;
    if (!rest || *rest != '\0')
        return fail(error, MD5_ERROR_SYNTAX,
                    "invalid image size \"%.40s\": expected -Y HEIGHT +X WIDTH", line);
    return check_image_size(panorama->width, panorama->height, MD5_MAX_IMAGE_PIXELS, error);
}

// -- Rows -----------------------------------------------------------------------------------

enum { MIN_PACKED = 8, MAX_PACKED = 0x7fff }; // widths of rows that are packed by channel

// A row of pixels: 1, 1, 1, n repeats the last pixel n times, and 256 n times right after another.
static bool take_pixels(byte_reader *from, uint8_t *to, uint32_t width)
{
    uint32_t shift = 0;
    for (uint32_t x = 0; x < width;) {
        uint8_t *const pixel = to + 4 * (size_t)x;
        if (from->size - from->offset < 4)
            return false;
        memcpy(pixel, from->bytes + from->offset, 4);
        from->offset += 4;
        if (pixel[0] != 1 || pixel[1] != 1 || pixel[2] != 1) {
            x++;
            shift = 0;
            continue;
        }
        const uint32_t count = shift < 24 ? (uint32_t)pixel[3] << shift : 0;
        if (x == 0 || count > width - x)
            return false;
        for (uint32_t i = 0; i < count; i++)
            memcpy(pixel + 4 * (size_t)i, pixel - 4, 4);
        x += count;
        shift += 8;
        if (shift > 24)
            return false;
    }
    return true;
}

static bool take_row(byte_reader *from, uint8_t *to, uint32_t width)
{
    const uint8_t *const head = from->bytes + from->offset;
    const bool is_packed = width >= MIN_PACKED && width <= MAX_PACKED
                           && from->size - from->offset >= 4 && head[0] == 2 && head[1] == 2
                           && head[2] < 128;
    if (!is_packed)
        return take_pixels(from, to, width);
    if (((uint32_t)head[2] << 8 | head[3]) != width)
        return false;
    from->offset += 4;
    // Each channel of the row by itself: runs of one byte, or bytes as they are.
    for (int channel = 0; channel < 4; channel++)
        for (uint32_t x = 0, count; x < width; x += count) {
            if (from->size - from->offset < 2)
                return false;
            const uint8_t code = from->bytes[from->offset++];
            const bool is_run = code > 128;
            count = is_run ? code - 128u : code;
            if (count == 0 || count > width - x || (!is_run && count > from->size - from->offset))
                return false;
            for (uint32_t i = 0; i < count; i++)
                to[4 * (size_t)(x + i) + (size_t)channel] =
                    from->bytes[from->offset + (is_run ? 0 : i)];
            from->offset += is_run ? 1 : count;
        }
    return true;
}

// A row takes 8 bytes at least, however it is packed.
bool view_decode_radiance(const uint8_t *bytes, size_t size, view_panorama *panorama,
                          md5_error *error)
{
    byte_reader from = {bytes, 0, size};
    *panorama = (view_panorama){.rgb = NULL};
    if (!read_header(&from, panorama, error))
        return false;
    const uint32_t width = panorama->width;
    const uint32_t height = panorama->height;
    const size_t pixels = (size_t)width * height;
    const size_t least = width > 1 ? 8 : 4;
    if (pixels == 0 || (from.size - from.offset) / least < height)
        return fail(error, MD5_ERROR_SYNTAX,
                    "truncated image: %u x %u pixels cannot be stored in %zu bytes",
                    (unsigned)width, (unsigned)height, from.size - from.offset);
    uint8_t *const row = calloc(width, 4);
    float *const rgb = malloc(pixels * 3 * sizeof *rgb);
    bool is_read = true;
    if (!row || !rgb) {
        free(row);
        free(rgb);
        return fail(error, MD5_ERROR_MEMORY, "out of memory");
    }
    for (uint32_t y = 0; y < height && is_read; y++) {
        is_read = take_row(&from, row, width)
                  || fail(error, MD5_ERROR_SYNTAX, "image row %u of %u is damaged at byte %zu",
                          (unsigned)y + 1, (unsigned)height, from.offset);
        // A mantissa of m / 256 and an exponent of e - 128.
        if (is_read) {
            for (uint32_t x = 0; x < width; x++) {
                const uint8_t *const pixel = row + 4 * x;
                const float unit = pixel[3] > 0 ? ldexpf(1, pixel[3] - (128 + 8)) : 0;
                for (size_t i = 0; i < 3; i++)
                    rgb[3 * ((size_t)y * width + x) + i] = unit * (float)pixel[i];
            }
        }
    }
    free(row);
    if (is_read)
        panorama->rgb = rgb;
    else
        free(rgb);
    return is_read;
}

// -- Decoding ----------------------------------------------------------------------------------

enum { MAX_FILE_SIZE = 1 << 29 };

// Copies a picture of the library to memory that free() frees, and frees it. Returns false if it is
// NULL, with the error that is there, or if memory runs out.
static bool take_picture(md5_image *picture, view_image *image, md5_error *error)
{
    *image = (view_image){NULL, 0, 0};
    if (!picture)
        return false;
    const size_t size = (size_t)picture->width * picture->height * 4;
    image->rgba = malloc(size);
    if (image->rgba) {
        memcpy(image->rgba, picture->pixels, size);
        image->width = picture->width;
        image->height = picture->height;
    }
    md5_free_image(picture);
    return image->rgba || fail(error, MD5_ERROR_MEMORY, "out of memory");
}

bool view_decode_image(const uint8_t *bytes, size_t size, uint32_t max_pixels, view_image *image,
                       md5_error *error)
{
    *image = (view_image){NULL, 0, 0};
    if (size == 0)
        return fail(error, MD5_ERROR_SYNTAX, "the file is empty");
    if (size > MAX_FILE_SIZE)
        return fail(error, MD5_ERROR_SYNTAX, "the file is too large (limit %d bytes)",
                    MAX_FILE_SIZE);
    if (size >= PNG_SIGNATURE && memcmp(bytes, "\x89PNG\r\n\x1a\n", PNG_SIGNATURE) == 0)
        return decode_png(bytes, size, max_pixels, image, error);
    if (size < 3 || memcmp(bytes, "\xff\xd8\xff", 3) != 0) {
        const bool is_small = max_pixels < MD5_MAX_IMAGE_PIXELS;
        const md5_image_opts opts = {.allocator = {.limit = is_small ? (size_t)5 * max_pixels : 0}};
        return take_picture(md5_parse_image(bytes, size, &opts, error), image, error);
    }
    return decode_jpeg(bytes, size, max_pixels, image, error);
}

// Reads a file as it is. Returns NULL and fills `error` on failure, else the caller frees it.
static uint8_t *read_file(const char *path, size_t *size, md5_error *error)
{
    const char *why = common_is_folder(path) ? "the path is a folder" : "file not found";
    const bool is_file = common_is_file(path);
    const bool is_large = is_file && common_file_size(path) > MAX_FILE_SIZE;
    char *const bytes = is_file && !is_large ? common_read_stream(path, size, &why) : NULL;
    if (is_large)
        fail(error, MD5_ERROR_MEMORY, "the file is too large (limit %d bytes)", MAX_FILE_SIZE);
    else if (!bytes)
        fail(error, MD5_ERROR_IO, "%s", why);
    return (uint8_t *)bytes;
}

bool view_read_image(const char *path, uint32_t max_pixels, view_image *image, md5_error *error)
{
    size_t size = 0;
    *image = (view_image){NULL, 0, 0};
    uint8_t *const bytes = read_file(path, &size, error);
    const bool is_read = bytes && view_decode_image(bytes, size, max_pixels, image, error);
    free(bytes);
    return is_read;
}

static const void *decode(void *user, const void *bytes, size_t size, uint32_t *width,
                          uint32_t *height, md5_error *error)
{
    view_image image;
    (void)user;
    view_decode_image(bytes, size, MD5_MAX_IMAGE_PIXELS, &image, error);
    *width = image.width;
    *height = image.height;
    return image.rgba;
}

static void release(void *user, const void *pixels)
{
    (void)user;
    free((void *)(uintptr_t)pixels);
}

bool view_read_game_image(md5_game *game, const md5_image_program *program, view_image *image,
                          md5_error *error)
{
    // The library does not decode PNG and JPEG.
    const md5_image_opts opts = {.decoder = {decode, release, NULL}, .keep_size = true};
    return take_picture(md5_load_image(game, program, &opts, error), image, error);
}

bool view_read_panorama(const char *path, view_panorama *panorama, md5_error *error)
{
    size_t size = 0;
    *panorama = (view_panorama){.rgb = NULL};
    uint8_t *const bytes = read_file(path, &size, error);
    if (!bytes)
        return false;
    const bool is_radiance = size >= 2 && bytes[0] == '#' && bytes[1] == '?';
    view_image image = {.rgba = NULL};
    const bool is_read = is_radiance
                             ? view_decode_radiance(bytes, size, panorama, error)
                             : view_decode_image(bytes, size, MD5_MAX_IMAGE_PIXELS, &image, error);
    free(bytes);
    if (is_radiance || !is_read)
        return is_read;
    float linear[256];
    for (int i = 0; i < 256; i++) {
        const float value = (float)i / 255.0f;
        linear[i] = value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
    }
    const size_t count = (size_t)image.width * image.height;
    panorama->width = image.width;
    panorama->height = image.height;
    panorama->rgb = count > 0 ? malloc(count * 3 * sizeof *panorama->rgb) : NULL;
    if (panorama->rgb != NULL) {
        for (size_t i = 0; i < 3 * count; i++)
            panorama->rgb[i] = linear[image.rgba[i / 3 * 4 + i % 3]];
    }
    free(image.rgba);
    return panorama->rgb || fail(error, MD5_ERROR_MEMORY, "out of memory");
}

// -- Encoding -------------------------------------------------------------------------------------

#ifdef HAS_STB
// What stb_image_write appends; NULL after memory ran out.
typedef struct png_bytes {
    uint8_t *bytes;
    size_t size;
    size_t room;
} png_bytes;

static void take_bytes(void *user, void *bytes, int size)
{
    png_bytes *const all = user;
    if (all->room - all->size < (size_t)size) {
        all->room = 2 * all->size + (size_t)size;
        all->bytes = common_realloc(all->bytes, all->room, 1);
    }
    memcpy(all->bytes + all->size, bytes, (size_t)size);
    all->size += (size_t)size;
}

static uint8_t *encode(const view_image *image, bool has_alpha, bool is_tga, size_t *size)
{
    const size_t count = (size_t)image->width * image->height;
    const int width = (int)image->width;
    const int channels = has_alpha ? 4 : 3;
    png_bytes png = {.bytes = NULL};
    uint8_t *rgb = NULL;
    if (!has_alpha && count > 0)
        rgb = malloc(3 * count);
    if (rgb != NULL) {
        for (size_t i = 0; i < count; i++)
            memcpy(rgb + 3 * i, image->rgba + 4 * i, 3);
    }
    const uint8_t *const from = has_alpha ? image->rgba : rgb;
    stbi_write_tga_with_rle = 0;
    if (!from || count == 0 // stb would read a first pixel
        || (is_tga ? stbi_write_tga_to_func(take_bytes, &png, width, (int)image->height, channels,
                                            from)
                   : stbi_write_png_to_func(take_bytes, &png, width, (int)image->height, channels,
                                            from, width * channels))
               == 0) {
        free(png.bytes);
        png.bytes = NULL;
    }
    free(rgb);
    *size = png.size;
    return png.bytes;
}
#else
static uint8_t *encode(const view_image *image, bool has_alpha, bool is_tga, size_t *size)
{
    (void)image, (void)has_alpha, (void)is_tga;
    *size = 0;
    return NULL;
}
#endif

uint8_t *view_encode_png(const view_image *image, bool has_alpha, size_t *size)
{
    return encode(image, has_alpha, false, size);
}

uint8_t *view_encode_tga(const view_image *image, size_t *size)
{
    bool has_alpha = false;
    for (size_t i = 0; i < (size_t)image->width * image->height && !has_alpha; i++)
        has_alpha = image->rgba[4 * i + 3] != 255;
    return encode(image, has_alpha, true, size);
}
