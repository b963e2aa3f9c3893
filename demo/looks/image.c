// Decodes and encodes image files. The decoding libraries do not reject all damaged files, so each
// file is checked before it is decoded. See image.h.
//
// The sections for PNG (png_state) and JPEG (jpeg_reader) check a file and pass it to a library.
// The section for Radiance's .hdr (byte_reader) decodes the rows itself. The last sections select
// the decoder by the first bytes of a file, and encode PNG and TGA.
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

// Fills `error` with a formatted message, like printf(), and returns false.
static bool COMMON_PRINTF(3, 4) fail(md5_error *error, md5_status status, const char *format, ...)
{
    va_list arguments;
    *error = (md5_error){.status = status};
    va_start(arguments, format);
    common_write_text(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return false;
}

// Returns true if the size of an image is within the limits. Otherwise fills the error.
static bool check_image_size(uint32_t width, uint32_t height, uint32_t max_pixels, md5_error *error)
{
    if (width == 0 || height == 0)
        return fail(error, MD5_ERROR_RANGE,
                    "image is empty: expected at least 1 x 1 pixels, found %u x %u", width, height);
    const bool is_too_wide = width > MD5_MAX_IMAGE_SIDE || height > MD5_MAX_IMAGE_SIDE;
    if (!is_too_wide && (uint64_t)width * height <= max_pixels)
        return true;
    return fail(error, MD5_ERROR_MEMORY,
                "image is too large: %u x %u pixels; expected at most %d per side and %u in total",
                width, height, MD5_MAX_IMAGE_SIDE, max_pixels);
}

// -- PNG ------------------------------------------------------------------------------------

// A PNG file consists of a signature and of chunks. A chunk contains a length, a name and a
// checksum of 4 bytes each, and its data. The constants are sizes in bytes: of the signature, and
// of a chunk without its data.
enum { PNG_SIGNATURE = 8, PNG_CHUNK = 12 };

#ifdef HAS_STB
// Returns the big-endian number in 4 bytes.
static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

enum { PNG_GREY = 0, PNG_PALETTE = 3, PNG_MAX_COLOR_TYPE = 6 };

// Returns true if PNG allows this number of bits per channel (`depth`) for a color type.
static bool is_png_depth(uint8_t color, uint8_t depth)
{
    switch (depth) {
    case 1:
    case 2:
    case 4:
        return color == PNG_GREY || color == PNG_PALETTE;
    case 8:
        return true;
    case 16:
        return color != PNG_PALETTE;
    default:
        return false;
    }
}

// Returns the number of bits per pixel in the file. Returns 0 if PNG does not allow this
// combination of color type and depth.
static uint32_t png_pixel_bits(uint8_t color, uint8_t depth)
{
    // By color type; 0 for types that do not exist.
    static const uint8_t num_channels[PNG_MAX_COLOR_TYPE + 1] = {1, 0, 3, 1, 2, 0, 4};
    if (color > PNG_MAX_COLOR_TYPE || !is_png_depth(color, depth))
        return 0;
    return (uint32_t)num_channels[color] * depth;
}

// The values that decode_png() needs from the chunks of a file.
typedef struct png_info {
    uint64_t num_pixels;
    size_t palette;      // offset of the palette in the file, or 0
    size_t palette_size; // bytes; 0 without a palette
} png_info;

// The values of earlier chunks that check_png() needs to check later chunks.
typedef struct png_state {
    uint32_t width;
    uint32_t height;
    uint8_t depth;        // bits per channel
    uint8_t color;        // color type
    uint64_t packed_size; // bytes of all IDAT chunks until now
    bool has_palette;
} png_state;

enum {
    PNG_HEADER_SIZE = 13,
    MAX_PALETTE_SIZE = 3 * 256,
    MAX_DEFLATE_RATIO = 4 * 258, // deflate expands two bits, a quarter of a byte, to 258 bytes
};

// Reads the IHDR chunk, which contains the size and the format of the image. Returns false and
// fills the error if it is invalid.
static bool read_png_header(const uint8_t *body, uint32_t length, uint32_t max_pixels,
                            png_state *png, md5_error *error)
{
    if (length != PNG_HEADER_SIZE)
        return fail(error, MD5_ERROR_SYNTAX, "invalid PNG header size: expected 13 bytes, found %u",
                    length);
    png->width = big_endian(body);
    png->height = big_endian(body + 4);
    png->depth = body[8];
    png->color = body[9];
    if (png_pixel_bits(png->color, png->depth) == 0)
        return fail(error, MD5_ERROR_SYNTAX, "invalid PNG: color type %u does not support %u bits",
                    png->color, png->depth);
    return check_image_size(png->width, png->height, max_pixels, error);
}

// Checks the PLTE chunk, the palette. Returns false and fills the error if it is invalid.
static bool check_palette(const png_state *png, uint32_t length, md5_error *error)
{
    if (png->has_palette)
        return fail(error, MD5_ERROR_SYNTAX, "invalid PNG: expected one palette, found two");
    if (png->packed_size > 0)
        return fail(error, MD5_ERROR_SYNTAX,
                    "invalid PNG: expected the palette before the image data");
    if (length == 0 || length % 3 != 0 || length > MAX_PALETTE_SIZE)
        return fail(error, MD5_ERROR_SYNTAX,
                    "invalid PNG palette size: expected a multiple of 3 from 3 to 768 "
                    "bytes, found %u",
                    length);
    return true;
}

// Makes the checks that are possible only at the IEND chunk: the file has a palette if it needs
// one, and enough data for the pixels.
static bool check_png_end(const png_state *png, md5_error *error)
{
    const uint64_t row_bits = (uint64_t)png->width * png_pixel_bits(png->color, png->depth);
    const uint64_t row_size = (row_bits + 7) / 8;
    if (png->color == PNG_PALETTE && !png->has_palette)
        return fail(error, MD5_ERROR_SYNTAX, "PNG palette is missing: expected the chunk PLTE");
    if (row_size * png->height > png->packed_size * MAX_DEFLATE_RATIO)
        return fail(error, MD5_ERROR_SYNTAX,
                    "truncated PNG: %u x %u pixels cannot be stored in %llu bytes", png->width,
                    png->height, (unsigned long long)png->packed_size);
    return true;
}

// Returns true if a chunk has the expected name. All names of chunks have four letters.
static bool is_chunk(const uint8_t *name, const char *expected)
{
    return memcmp(name, expected, 4) == 0;
}

// Returns true if a name consists of four ASCII letters. All names of PNG chunks do.
static bool is_chunk_name(const uint8_t *name)
{
    for (int i = 0; i < 4; i++) {
        const int lower = name[i] | 32; // the bit that distinguishes lower-case letters
        if (lower < 'a' || lower > 'z')
            return false;
    }
    return true;
}

// Checks the name and the length of the chunk at `offset`. `remaining` is the number of bytes in
// the file after the chunk's length, name and checksum.
static bool check_png_chunk(const uint8_t *name, uint32_t length, size_t offset, size_t remaining,
                            md5_error *error)
{
    if (!is_chunk_name(name))
        return fail(error, MD5_ERROR_SYNTAX, "invalid PNG: expected a chunk at byte %zu", offset);
    if (length > remaining)
        return fail(
            error, MD5_ERROR_SYNTAX,
            "truncated PNG: chunk %.4s at byte %zu has length %u, but only %zu bytes follow",
            (const char *)name, offset, length, remaining);
    const bool is_first = offset == PNG_SIGNATURE;
    if (is_chunk(name, "IHDR") != is_first)
        return fail(error, MD5_ERROR_SYNTAX,
                    "invalid PNG: found chunk %.4s at byte %zu, but IHDR must be the first chunk "
                    "and must occur once",
                    (const char *)name, offset);
    return true;
}

// Reads a chunk other than IEND. `body` is its data of `length` bytes, at `offset` in the file.
// Updates the values that later chunks and decode_png() need. Returns false and fills the error if
// the chunk is invalid.
static bool read_png_chunk(const uint8_t *name, const uint8_t *body, uint32_t length, size_t offset,
                           uint32_t max_pixels, png_state *png, png_info *info, md5_error *error)
{
    if (is_chunk(name, "IHDR")) {
        if (!read_png_header(body, length, max_pixels, png, error))
            return false;
        info->num_pixels = (uint64_t)png->width * png->height;
        return true;
    }
    if (is_chunk(name, "PLTE")) {
        if (!check_palette(png, length, error))
            return false;
        png->has_palette = true;
        if (png->color == PNG_PALETTE) { // in other images, the palette is only a suggestion
            info->palette = offset;
            info->palette_size = length;
        }
        return true;
    }
    if (is_chunk(name, "IDAT")) {
        png->packed_size += length;
        return true;
    }
    const bool is_optional = name[0] >= 'a'; // the first letter is lower case
    if (!is_optional)
        return fail(error, MD5_ERROR_SYNTAX,
                    "unsupported PNG: found the unknown critical chunk %.4s", (const char *)name);
    return true;
}

// Checks the structure of a PNG file chunk by chunk. Chunks must be inside of the file, and the
// image size must be within the limits. The palette must be valid, and there must be enough data
// for the pixels. Writes the values that decode_png() needs to `info`.
static bool check_png(const uint8_t *bytes, size_t size, uint32_t max_pixels, png_info *info,
                      md5_error *error)
{
    png_state png = {0};
    size_t offset = PNG_SIGNATURE; // offset of the chunk
    while (size - offset >= PNG_CHUNK) {
        const uint32_t length = big_endian(bytes + offset);
        const uint8_t *const name = bytes + offset + 4;
        const size_t body = offset + 8;
        if (!check_png_chunk(name, length, offset, size - offset - PNG_CHUNK, error))
            return false;
        if (is_chunk(name, "IEND"))
            return check_png_end(&png, error);
        if (!read_png_chunk(name, bytes + body, length, body, max_pixels, &png, info, error))
            return false;
        offset += PNG_CHUNK + length;
    }
    return fail(error, MD5_ERROR_SYNTAX, "truncated PNG: the IEND chunk is missing");
}

// Returns a copy of a PNG file whose palette is enlarged to 256 colors. The added colors are black.
// Otherwise a pixel could have an index past the end of a short palette, and stb_image would read
// memory outside of the palette. The checksum of the copied chunk is wrong, but stb_image does not
// check it. Returns NULL if memory runs out.
static uint8_t *copy_with_full_palette(const uint8_t *bytes, size_t size, const png_info *info,
                                       size_t *copy_size)
{
    enum { LENGTH_AND_NAME = 8 };
    static const uint8_t length[4] = {0, 0, MAX_PALETTE_SIZE >> 8, MAX_PALETTE_SIZE & 255};
    const size_t end = info->palette + info->palette_size;
    const size_t added = MAX_PALETTE_SIZE - info->palette_size;
    *copy_size = size + added;
    uint8_t *const copy = calloc(1, *copy_size);
    if (copy) {
        memcpy(copy, bytes, end);
        memcpy(copy + end + added, bytes + end, size - end);
        memcpy(copy + info->palette - LENGTH_AND_NAME, length, sizeof length);
    }
    return copy;
}

// Decodes a PNG file that check_png() has accepted. `num_pixels` is the number of its pixels.
static bool decode_checked_png(const uint8_t *bytes, size_t size, uint64_t num_pixels,
                               view_image *image, md5_error *error)
{
    const char *reason = "";
    image->rgba = view_load_png(bytes, size, num_pixels, &image->width, &image->height, &reason);
    if (image->rgba)
        return true;
    if (strcmp(reason, "outofmem") == 0)
        return fail(error, MD5_ERROR_MEMORY, "out of memory: cannot decode the image");
    return fail(error, MD5_ERROR_SYNTAX, "%s", reason);
}

// Checks and decodes a PNG file. If its palette is short, a copy with a full palette is decoded
// instead.
static bool decode_png(const uint8_t *bytes, size_t size, uint32_t max_pixels, view_image *image,
                       md5_error *error)
{
    png_info info = {0};
    if (!check_png(bytes, size, max_pixels, &info, error))
        return false;
    const bool has_short_palette = info.palette > 0 && info.palette_size < MAX_PALETTE_SIZE;
    if (!has_short_palette)
        return decode_checked_png(bytes, size, info.num_pixels, image, error);

    size_t copy_size = 0;
    uint8_t *const copy = copy_with_full_palette(bytes, size, &info, &copy_size);
    if (!copy)
        return fail(error, MD5_ERROR_MEMORY, "out of memory: cannot decode the image");
    const bool is_decoded = decode_checked_png(copy, copy_size, info.num_pixels, image, error);
    free(copy);
    return is_decoded;
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
// Decodes JPEG with libjpeg. libjpeg requires that its error handlers do not return, so they call
// longjmp().

enum {
    // A scan of a few bytes takes as long as decoding all pixels. Real files have about ten scans.
    MAX_SCANS = 100,
    MAX_MEMORY = 1 << 30,
};

// The state of decoding a file, which the callbacks of libjpeg receive as `client_data`.
typedef struct jpeg_reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf failed;   // target of longjmp() after an error
    md5_error *error; // receives the error

    // longjmp() can lose the values of local variables, so these pointers are members.
    uint8_t *row;
    uint8_t *rgba;
} jpeg_reader;

// Handles an error of libjpeg. Stores its message and jumps back to setjmp() in read_jpeg(). The
// number of decoded rows is known if the header was read.
static _Noreturn void fail_by_error(j_common_ptr jpeg)
{
    jpeg_reader *const reader = jpeg->client_data;
    const unsigned num_rows = reader->jpeg.output_height;
    char message[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, message);
    if (jpeg->err->msg_code == JERR_OUT_OF_MEMORY)
        fail(reader->error, MD5_ERROR_MEMORY, "%.150s", message);
    else if (num_rows == 0)
        fail(reader->error, MD5_ERROR_SYNTAX,
             "cannot decode the header of the JPEG file: libjpeg: %.100s; copy the file again, or "
             "save the image again",
             message);
    else
        fail(reader->error, MD5_ERROR_SYNTAX,
             "JPEG file is damaged: expected %u rows of pixels, found %u: libjpeg: %.100s; copy "
             "the file again, or save the image again",
             num_rows, reader->jpeg.output_scanline, message);
    longjmp(reader->failed, 1);
}

// Treats a warning of libjpeg as an error, because libjpeg would continue and fill missing parts
// with gray. Warnings about extra bytes and unusual headers are ignored.
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

// Replaces the function of libjpeg that prints messages to standard error, so that nothing is
// printed.
static void print_nothing(j_common_ptr jpeg)
{
    (void)jpeg;
}

// Stops decoding if a file has too many scans, which would take too long. libjpeg calls this
// function regularly.
static void count_scans(j_common_ptr jpeg)
{
    jpeg_reader *const reader = jpeg->client_data;
    if (reader->jpeg.input_scan_number <= MAX_SCANS)
        return;
    fail(reader->error, MD5_ERROR_SYNTAX,
         "JPEG file has too many scans: expected at most %d; save the image again", MAX_SCANS);
    longjmp(reader->failed, 1);
}

// Converts a row of RGB pixels to RGBA.
static void convert_rgb_row(const uint8_t *rgb, uint32_t width, uint8_t *rgba)
{
    for (size_t x = 0; x < width; x++) {
        memcpy(rgba + 4 * x, rgb + 3 * x, 3);
        rgba[4 * x + 3] = 255;
    }
}

// Converts a row of CMYK pixels to RGBA. The values in files are inverted (255 - ink), because
// Adobe's programs store them in this way and all other programs have followed.
static void convert_cmyk_row(const uint8_t *cmyk, uint32_t width, uint8_t *rgba)
{
    for (size_t x = 0; x < width; x++) {
        const uint8_t *const from = cmyk + 4 * x;
        uint8_t *const to = rgba + 4 * x;
        for (int i = 0; i < 3; i++)
            to[i] = (uint8_t)(from[i] * from[3] / 255);
        to[3] = 255;
    }
}

// Begins decoding. Reads the header, checks the size of the image and selects the format of the
// decoded rows. Returns false and fills the error if the image is too large. After any other error,
// libjpeg jumps to setjmp() in read_jpeg().
static bool start_jpeg(jpeg_reader *reader, const uint8_t *bytes, size_t size, uint32_t max_pixels)
{
    struct jpeg_decompress_struct *const jpeg = &reader->jpeg;
    jpeg_create_decompress(jpeg);
    jpeg->mem->max_memory_to_use = MAX_MEMORY;
    jpeg->progress = &reader->progress;
    jpeg_mem_src(jpeg, bytes, (unsigned long)size);
    jpeg_read_header(jpeg, TRUE);
    if (!check_image_size(jpeg->image_width, jpeg->image_height, max_pixels, reader->error))
        return false;

    const bool is_cmyk = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    jpeg->out_color_space = is_cmyk ? JCS_CMYK : JCS_RGB; // libjpeg does not convert CMYK to RGB
    jpeg_start_decompress(jpeg);
    return true;
}

// Decodes the rows of an image and converts them to RGBA. Returns false and fills the error if
// memory runs out. After any other error, libjpeg jumps to setjmp() in read_jpeg().
static bool read_jpeg_rows(jpeg_reader *reader)
{
    struct jpeg_decompress_struct *const jpeg = &reader->jpeg;
    const bool is_cmyk = jpeg->out_color_space == JCS_CMYK;
    const uint32_t width = jpeg->output_width;
    const size_t stride = (size_t)width * 4;
    reader->row = malloc(stride);
    reader->rgba = malloc(stride * jpeg->output_height);
    if (!reader->row || !reader->rgba)
        return fail(reader->error, MD5_ERROR_MEMORY, "out of memory: cannot decode the image");

    while (jpeg->output_scanline < jpeg->output_height) {
        uint8_t *const rgba = reader->rgba + stride * jpeg->output_scanline;
        jpeg_read_scanlines(jpeg, &reader->row, 1);
        if (is_cmyk)
            convert_cmyk_row(reader->row, width, rgba);
        else
            convert_rgb_row(reader->row, width, rgba);
    }
    return true;
}

// Decodes an image. After an error of libjpeg, setjmp() returns a second time, with a value that is
// not 0. The row and the pixels must be freed then too, so they are members of the reader, and the
// caller frees them.
static bool read_jpeg(jpeg_reader *reader, const uint8_t *bytes, size_t size, uint32_t max_pixels,
                      view_image *image)
{
    struct jpeg_decompress_struct *const jpeg = &reader->jpeg;
    if (setjmp(reader->failed) != 0)
        return false;
    if (!start_jpeg(reader, bytes, size, max_pixels) || !read_jpeg_rows(reader))
        return false;
    jpeg_finish_decompress(jpeg);
    *image = (view_image){reader->rgba, jpeg->output_width, jpeg->output_height};
    return true;
}

// Decodes a JPEG file with libjpeg. The callbacks that are set here report errors, ignore harmless
// warnings, print nothing and count scans.
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
    const bool is_read = read_jpeg(&reader, bytes, size, max_pixels, image);
    jpeg_destroy_decompress(&reader.jpeg);
    free(reader.row);
    if (!is_read)
        free(reader.rgba);
    return is_read;
}

#elif defined(HAS_STB) && defined(__EMSCRIPTEN__)

// Decodes JPEG with stb_image, which does not support CMYK. If a file is malformed, older versions
// of stb_image write past the end of tables. This function is therefore used only in browsers,
// where only the memory of the page can be damaged. See png.c.
static bool decode_jpeg(const uint8_t *bytes, size_t size, uint32_t max_pixels, view_image *image,
                        md5_error *error)
{
    int width = 0;
    int height = 0;
    int channels = 0;
    if (size > INT_MAX)
        return fail(error, MD5_ERROR_MEMORY, "JPEG file is too large to decode");
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
// Decodes Radiance images. stb_image is not used, because its version 2.27, which is still in use,
// has an infinite loop for truncated rows (CVE-2021-42715).

// The bytes of a file, which are read from `offset` on.
typedef struct byte_reader {
    const uint8_t *bytes;
    size_t offset;
    size_t size;
} byte_reader;

// -- Header ---------------------------------------------------------------------------------

enum { MAX_LINE = 128 };

// Reads a line without its end. If the line is longer than the buffer, the rest is skipped. Returns
// false at the end of the file.
static bool read_line(byte_reader *from, char line[MAX_LINE])
{
    size_t length = 0;
    while (from->offset < from->size && from->bytes[from->offset] != '\n') {
        if (length + 1 < MAX_LINE)
            line[length++] = (char)from->bytes[from->offset];
        from->offset++;
    }
    line[length] = '\0';
    const bool has_line_break = from->offset < from->size;
    if (has_line_break)
        from->offset++;
    return has_line_break;
}

// Returns true if a text begins with another text.
static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// Parses one side of the image size: a sign and an axis, such as "-Y ", and an integer. Returns the
// text after the integer and spaces. Returns NULL if the axis differs. Digits that exceed a limit
// are not read.
static const char *parse_side(const char *text, const char *axis, uint32_t *side)
{
    const uint32_t limit = 1000000; // larger than any supported side
    if (!begins_with(text, axis))
        return NULL;
    const char *digit = text + strlen(axis);
    uint32_t value = 0;
    while (*digit >= '0' && *digit <= '9' && value < limit) {
        value = 10 * value + (uint32_t)(*digit - '0');
        digit++;
    }
    *side = value;
    return digit + strspn(digit, " ");
}

// Reads the lines of properties, up to an empty line. Returns false and fills the error if a
// property specifies another format of pixels than the supported one.
static bool read_properties(byte_reader *from, md5_error *error)
{
    static const char property[] = "FORMAT=";
    static const char format[] = "32-bit_rle_rgbe";
    char line[MAX_LINE] = "";
    do {
        if (!read_line(from, line))
            return fail(error, MD5_ERROR_SYNTAX,
                        "unterminated header: expected an empty line, found the end of the file");
        const char *const value = line + strlen(property);
        if (begins_with(line, property) && !begins_with(value, format))
            return fail(error, MD5_ERROR_SYNTAX,
                        "unsupported Radiance format \"%.40s\": expected %s", value, format);
    } while (line[0] != '\0');
    return true;
}

// Reads the line with the size of the image. Returns false and fills the error if it is missing,
// has another form, or the image is too large.
static bool read_size(byte_reader *from, view_panorama *panorama, md5_error *error)
{
    char line[MAX_LINE] = "";
    if (!read_line(from, line))
        return fail(error, MD5_ERROR_SYNTAX,
                    "image size is missing: expected a line -Y HEIGHT +X WIDTH");
    const char *end = parse_side(line, "-Y ", &panorama->height);
    if (end)
        end = parse_side(end, "+X ", &panorama->width);
    if (!end || *end != '\0')
        return fail(error, MD5_ERROR_SYNTAX,
                    "invalid image size \"%.40s\": expected -Y HEIGHT +X WIDTH", line);
    return check_image_size(panorama->width, panorama->height, MD5_MAX_IMAGE_PIXELS, error);
}

// Reads the header: "#?" with the name of the program, lines of properties, an empty line, and the
// size of the image.
static bool read_header(byte_reader *from, view_panorama *panorama, md5_error *error)
{
    char line[MAX_LINE] = "";
    if (!read_line(from, line) || !begins_with(line, "#?"))
        return fail(error, MD5_ERROR_SYNTAX,
                    "not a Radiance image: expected '#?' at the start of the file");
    return read_properties(from, error) && read_size(from, panorama, error);
}

// -- Rows -----------------------------------------------------------------------------------

enum { MIN_PACKED = 8, MAX_PACKED = 0x7fff }; // widths of rows that can be packed by channel

// Reads a row of pixels of four bytes. The bytes 1, 1, 1, n are not a pixel. They repeat the last
// pixel n times. Directly after such a repetition, they repeat it 256 n times, and so on. Returns
// false if the row is damaged.
static bool read_pixels(byte_reader *from, uint8_t *to, uint32_t width)
{
    // Bit position of the number of repetitions. Successive repetitions increase it.
    uint32_t shift = 0;
    uint32_t x = 0;
    while (x < width) {
        uint8_t *const pixel = to + 4 * (size_t)x;
        if (from->size - from->offset < 4)
            return false;
        memcpy(pixel, from->bytes + from->offset, 4);
        from->offset += 4;

        const bool is_repetition = pixel[0] == 1 && pixel[1] == 1 && pixel[2] == 1;
        if (!is_repetition) {
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

// Returns true if a row is packed by channel. Such a row begins with 2, 2 and its width as a number
// of 15 bits. Very short and very long rows cannot be packed.
static bool is_packed_row(const byte_reader *from, uint32_t width)
{
    const uint8_t *const header = from->bytes + from->offset;
    if (width < MIN_PACKED || width > MAX_PACKED || from->size - from->offset < 4)
        return false;
    return header[0] == 2 && header[1] == 2 && header[2] < 128;
}

// Reads one channel of a packed row, a sequence of codes and bytes. After a code above 128, one
// byte follows, which is repeated code - 128 times. Any other code is the number of bytes that
// follow. `to` points to the channel of the first pixel. Returns false if the row is damaged.
static bool read_channel(byte_reader *from, uint8_t *to, uint32_t width)
{
    uint32_t x = 0;
    while (x < width) {
        if (from->size - from->offset < 2)
            return false;
        const uint8_t code = from->bytes[from->offset++];
        const bool is_repetition = code > 128;
        const uint32_t count = is_repetition ? code - 128u : code; // channels that are written
        const uint32_t num_bytes = is_repetition ? 1 : count;      // bytes that are read
        if (count == 0 || count > width - x)
            return false;
        if (num_bytes > from->size - from->offset)
            return false;

        const uint8_t *const values = from->bytes + from->offset;
        for (uint32_t i = 0; i < count; i++)
            to[4 * (size_t)(x + i)] = is_repetition ? values[0] : values[i];
        from->offset += num_bytes;
        x += count;
    }
    return true;
}

// Reads a row of pixels of four bytes. The row can be packed by channel or pixel by pixel. Returns
// false if the row is damaged.
static bool read_row(byte_reader *from, uint8_t *to, uint32_t width)
{
    const uint8_t *const header = from->bytes + from->offset;
    if (!is_packed_row(from, width))
        return read_pixels(from, to, width);
    if (((uint32_t)header[2] << 8 | header[3]) != width)
        return false;
    from->offset += 4;
    for (int channel = 0; channel < 4; channel++) {
        if (!read_channel(from, to + channel, width))
            return false;
    }
    return true;
}

// Converts a row to floats. A pixel consists of three mantissas m and a common exponent e. A
// channel has the value m / 256 * 2^(e - 128). The exponent 0 means black.
static void decode_row(const uint8_t *row, uint32_t width, float *rgb)
{
    for (size_t x = 0; x < width; x++) {
        const uint8_t *const pixel = row + 4 * x;
        const float unit = pixel[3] > 0 ? ldexpf(1, pixel[3] - (128 + 8)) : 0;
        for (size_t i = 0; i < 3; i++)
            rgb[3 * x + i] = unit * (float)pixel[i];
    }
}

// Reads all rows of an image and converts them to floats. `row` is scratch memory for one row.
static bool read_rows(byte_reader *from, const view_panorama *panorama, uint8_t *row, float *rgb,
                      md5_error *error)
{
    const uint32_t width = panorama->width;
    for (uint32_t y = 0; y < panorama->height; y++) {
        if (!read_row(from, row, width))
            return fail(error, MD5_ERROR_SYNTAX,
                        "damaged image: row %u of %u is invalid at byte %zu", (unsigned)y + 1,
                        (unsigned)panorama->height, from->offset);
        decode_row(row, width, rgb + 3 * (size_t)y * width);
    }
    return true;
}

// Decodes the image row by row. A damaged header can contain any size. The size is therefore
// compared with the size of the file before memory is allocated.
bool view_decode_radiance(const uint8_t *bytes, size_t size, view_panorama *panorama,
                          md5_error *error)
{
    byte_reader from = {bytes, 0, size};
    *panorama = (view_panorama){.rgb = NULL};
    if (!read_header(&from, panorama, error))
        return false;

    const uint32_t width = panorama->width;
    const uint32_t height = panorama->height;
    const size_t num_pixels = (size_t)width * height;
    const size_t remaining = from.size - from.offset;
    const size_t min_row_size = width > 1 ? 8 : 4; // bytes of the shortest possible row
    if (num_pixels == 0 || remaining / min_row_size < height)
        return fail(error, MD5_ERROR_SYNTAX,
                    "truncated image: %u x %u pixels cannot be stored in %zu bytes",
                    (unsigned)width, (unsigned)height, remaining);

    uint8_t *const row = calloc(width, 4);
    float *const rgb = malloc(num_pixels * 3 * sizeof *rgb);
    bool is_read = false;
    if (row && rgb)
        is_read = read_rows(&from, panorama, row, rgb, error);
    else
        fail(error, MD5_ERROR_MEMORY, "out of memory: cannot decode the image");
    free(row);
    if (!is_read) {
        free(rgb);
        return false;
    }
    panorama->rgb = rgb;
    return true;
}

// -- Decoding ----------------------------------------------------------------------------------

enum { MAX_FILE_SIZE = 1 << 29 };

// Copies an image of the library to memory that free() frees, and destroys the original. If
// `decoded` is NULL because decoding has failed, returns false and leaves the library's error
// unchanged. Also returns false if memory runs out.
static bool convert_image(md5_image *decoded, view_image *image, md5_error *error)
{
    *image = (view_image){NULL, 0, 0};
    if (!decoded)
        return false;
    const size_t size = (size_t)decoded->width * decoded->height * 4;
    image->rgba = malloc(size);
    if (image->rgba) {
        memcpy(image->rgba, decoded->pixels, size);
        image->width = decoded->width;
        image->height = decoded->height;
    }
    md5_free_image(decoded);
    return image->rgba || fail(error, MD5_ERROR_MEMORY, "out of memory: cannot decode the image");
}

// Changes an error of the library about an unsupported format. The library advises programmers to
// set a decoder for further formats: "unsupported image format: found BMP; set ...". Users of a
// program cannot do this, so the advice is replaced by the formats that the program reads.
static void replace_decoder_advice(md5_error *error)
{
    if (!strstr(error->message, "md5_image_opts.decoder"))
        return;
    const bool has_found_format = strchr(error->message, ';') != NULL;
    const size_t length = strcspn(error->message, has_found_format ? ";" : ":");
    snprintf(error->message + length, sizeof error->message - length,
             ": expected PNG, JPEG, TGA, PCX or DDS");
}

// Decodes a file in one of the formats that the library supports: TGA, PCX and DDS.
static bool decode_by_library(const uint8_t *bytes, size_t size, uint32_t max_pixels,
                              view_image *image, md5_error *error)
{
    enum { BYTES_PER_PIXEL = 5 };                      // RGBA, and a quarter more for decoding
    md5_image_opts opts = {.allocator = {.limit = 0}}; // the library's limit, MD5_MAX_IMAGE_PIXELS
    if (max_pixels < MD5_MAX_IMAGE_PIXELS)
        opts.allocator.limit = (size_t)BYTES_PER_PIXEL * max_pixels;
    if (convert_image(md5_parse_image(bytes, size, &opts, error), image, error))
        return true;
    replace_decoder_advice(error);
    return false;
}

// Decodes an image file in memory. The first bytes select the decoder for PNG or JPEG; other
// formats are decoded by a library. Returns false and fills `error` on failure; *image is then
// empty.
bool view_decode_image(const uint8_t *bytes, size_t size, uint32_t max_pixels, view_image *image,
                       md5_error *error)
{
    *image = (view_image){NULL, 0, 0};
    if (size == 0)
        return fail(error, MD5_ERROR_SYNTAX, "file is empty: expected an image");
    if (size > MAX_FILE_SIZE)
        return fail(error, MD5_ERROR_SYNTAX, "file is too large: expected at most %d bytes",
                    MAX_FILE_SIZE);
    if (size >= PNG_SIGNATURE && memcmp(bytes, "\x89PNG\r\n\x1a\n", PNG_SIGNATURE) == 0)
        return decode_png(bytes, size, max_pixels, image, error);
    if (size >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0)
        return decode_jpeg(bytes, size, max_pixels, image, error);
    return decode_by_library(bytes, size, max_pixels, image, error);
}

// Reads a file. Returns its bytes, which the caller frees, or NULL with an error.
static uint8_t *read_file(const char *path, size_t *size, md5_error *error)
{
    const char *reason = common_is_folder(path)
                             ? "the path leads to a folder: expected an image file"
                             : "file not found";
    const bool is_file = common_is_file(path);
    if (is_file && common_file_size(path) > MAX_FILE_SIZE) {
        fail(error, MD5_ERROR_MEMORY, "file is too large: expected at most %d bytes",
             MAX_FILE_SIZE);
        return NULL;
    }
    char *const bytes = is_file ? common_read_stream(path, size, &reason) : NULL;
    if (!bytes)
        fail(error, MD5_ERROR_IO, "%s", reason);
    return (uint8_t *)bytes;
}

// Reads a file and decodes it as an image. Sets *image to an empty image first, so that it is
// valid to free after a failure.
bool view_read_image(const char *path, uint32_t max_pixels, view_image *image, md5_error *error)
{
    size_t size = 0;
    *image = (view_image){NULL, 0, 0};
    uint8_t *const bytes = read_file(path, &size, error);
    const bool is_read = bytes && view_decode_image(bytes, size, max_pixels, image, error);
    free(bytes);
    return is_read;
}

// Decodes PNG and JPEG for the library, which has no decoder for them. Returns RGBA texels or NULL.
// The library frees the texels with release().
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

// Frees the result of decode() for the library.
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
    return convert_image(md5_load_image(game, program, &opts, error), image, error);
}

// Returns the linear value of an sRGB value, 0 to 1 (IEC 61966-2-1).
static float linear_from_srgb(float value)
{
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

// Writes the linear colors of `count` RGBA pixels to `rgb`. Alpha is omitted.
static void write_linear_colors(const uint8_t *rgba, size_t count, float *rgb)
{
    float linear[256]; // linear value of each byte, because powf() is slow
    for (int i = 0; i < 256; i++)
        linear[i] = linear_from_srgb((float)i / 255.0f);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 3; k++)
            rgb[3 * i + k] = linear[rgba[4 * i + k]];
    }
}

// Converts an image from sRGB to linear color and frees it. Returns false and fills the error if
// memory runs out.
static bool convert_to_panorama(view_image *image, view_panorama *panorama, md5_error *error)
{
    const size_t count = (size_t)image->width * image->height;
    float *const rgb = count > 0 ? malloc(count * 3 * sizeof *rgb) : NULL;
    if (rgb)
        write_linear_colors(image->rgba, count, rgb);
    free(image->rgba);
    *panorama = (view_panorama){.rgb = rgb, .width = image->width, .height = image->height};
    return rgb || fail(error, MD5_ERROR_MEMORY, "out of memory: cannot decode the image");
}

// Decodes a panorama. The first bytes of a Radiance image identify it. Images of all other formats
// are converted from sRGB to linear color.
static bool decode_panorama(const uint8_t *bytes, size_t size, view_panorama *panorama,
                            md5_error *error)
{
    const bool is_radiance = size >= 2 && bytes[0] == '#' && bytes[1] == '?';
    if (is_radiance)
        return view_decode_radiance(bytes, size, panorama, error);
    view_image image = {.rgba = NULL};
    return view_decode_image(bytes, size, MD5_MAX_IMAGE_PIXELS, &image, error)
           && convert_to_panorama(&image, panorama, error);
}

// Reads a panorama file and decodes it to linear colors. Returns false and fills `error` on
// failure.
bool view_read_panorama(const char *path, view_panorama *panorama, md5_error *error)
{
    size_t size = 0;
    *panorama = (view_panorama){.rgb = NULL};
    uint8_t *const bytes = read_file(path, &size, error);
    if (!bytes)
        return false;
    const bool is_decoded = decode_panorama(bytes, size, panorama, error);
    free(bytes);
    return is_decoded;
}

// -- Encoding -------------------------------------------------------------------------------------

#ifdef HAS_STB
// The bytes that stb_image_write has written so far; a growing array.
typedef struct encoded_bytes {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
} encoded_bytes;

// Appends output of stb_image_write. It is called for each part of a file. `user` is the
// encoded_bytes.
static void append_bytes(void *user, void *bytes, int size)
{
    encoded_bytes *const all = user;
    if (all->capacity - all->size < (size_t)size) {
        all->capacity = 2 * all->size + (size_t)size;
        all->bytes = common_realloc(all->bytes, all->capacity, 1);
    }
    memcpy(all->bytes + all->size, bytes, (size_t)size);
    all->size += (size_t)size;
}

// Returns a copy of an image without alpha, with 3 bytes per pixel. Returns NULL if the image is
// empty or memory runs out. The caller frees the copy.
static uint8_t *copy_colors(const view_image *image)
{
    const size_t count = (size_t)image->width * image->height;
    uint8_t *rgb = NULL;
    if (count > 0)
        rgb = malloc(3 * count);
    if (!rgb)
        return NULL;
    for (size_t i = 0; i < count; i++)
        memcpy(rgb + 3 * i, image->rgba + 4 * i, 3);
    return rgb;
}

// Encodes pixels as TGA or PNG. Each pixel has `channels` bytes, 3 or 4. `image` specifies only the
// size of the image. Returns the bytes of the file, which the caller frees, or NULL if memory runs
// out.
static uint8_t *encode_pixels(const view_image *image, const uint8_t *pixels, int channels,
                              bool is_tga, size_t *size)
{
    const int width = (int)image->width;
    const int height = (int)image->height;
    encoded_bytes encoded = {.bytes = NULL};
    int is_written;
    stbi_write_tga_with_rle = 0;
    if (is_tga)
        is_written =
            stbi_write_tga_to_func(append_bytes, &encoded, width, height, channels, pixels);
    else
        is_written = stbi_write_png_to_func(append_bytes, &encoded, width, height, channels, pixels,
                                            width * channels);
    *size = encoded.size;
    if (is_written)
        return encoded.bytes;
    free(encoded.bytes);
    return NULL;
}

// Encodes an image as TGA or PNG, with or without its alpha channel. Returns the bytes of the file,
// or NULL if memory runs out or the image is empty. The caller frees them.
static uint8_t *encode(const view_image *image, bool has_alpha, bool is_tga, size_t *size)
{
    *size = 0;
    const bool is_empty = image->width == 0 || image->height == 0;
    if (is_empty || !image->rgba) // stb would read the first pixel
        return NULL;
    if (has_alpha)
        return encode_pixels(image, image->rgba, 4, is_tga, size);

    // Without alpha, stb_image_write requires pixels of three bytes.
    uint8_t *const rgb = copy_colors(image);
    if (!rgb)
        return NULL;
    uint8_t *const bytes = encode_pixels(image, rgb, 3, is_tga, size);
    free(rgb);
    return bytes;
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
