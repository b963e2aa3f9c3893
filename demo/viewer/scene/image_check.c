// Checks what stb_image checks too late or not at all; see image.h.
#include "demo/viewer/scene/image.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool view_image_fail(view_image_fault *fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->message, sizeof fault->message, format, arguments);
    va_end(arguments);
    return false;
}

bool view_image_no_memory(view_image_fault *fault)
{
    fault->is_too_large = true;
    return view_image_fail(fault, "out of memory");
}

bool view_check_image_size(uint32_t width, uint32_t height, view_image_fault *fault)
{
    if (width == 0 || height == 0)
        return view_image_fail(fault, "%u by %u pixels", width, height);
    fault->is_too_large = width > VIEW_IMAGE_MAX_SIDE || height > VIEW_IMAGE_MAX_SIDE
                          || (uint64_t)width * height > fault->most;
    return !fault->is_too_large
           || view_image_fail(fault, "%u by %u pixels; at most %d a side and %u in all", width,
                              height, VIEW_IMAGE_MAX_SIDE, fault->most);
}

// -- PNG ------------------------------------------------------------------------------------

enum { PNG_SIGNATURE = 8, PNG_CHUNK = 12, PNG_MOST_COLOURS = 256 }; // length, name and checksum

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

typedef struct png_header {
    uint8_t depth, colour;
    uint64_t packed_size; // of all IDAT chunks
    bool has_palette;
} png_header;

// Bits per pixel in the file; 0 if colour type and depth do not go together.
static uint32_t png_pixel_bits(const png_header *header)
{
    static const uint8_t num_channels[7] = {1, 0, 3, 1, 2, 0, 4};
    const uint8_t depth = header->depth, colour = header->colour;
    if (colour > 6 || (depth != 1 && depth != 2 && depth != 4 && depth != 8 && depth != 16))
        return 0;
    if ((depth < 8 && colour != 0 && colour != 3) || (depth == 16 && colour == 3))
        return 0;
    return (uint32_t)num_channels[colour] * depth;
}

static bool check_png_header(const uint8_t *body, uint32_t length, png_header *header,
                             view_image_frame *frame, view_image_fault *fault)
{
    if (length != 13)
        return view_image_fail(fault, "the PNG header has %u bytes, expected 13", length);
    frame->width = big_endian(body);
    frame->height = big_endian(body + 4);
    header->depth = body[8];
    header->colour = body[9];
    if (png_pixel_bits(header) == 0)
        return view_image_fail(fault, "PNG colour type %u cannot have %u bits", header->colour,
                               header->depth);
    return view_check_image_size(frame->width, frame->height, fault);
}

static bool check_png_palette(size_t at, uint32_t length, png_header *header,
                              view_image_frame *frame, view_image_fault *fault)
{
    if (header->has_palette || header->packed_size > 0)
        return view_image_fail(fault, "PNG palette is repeated or follows the image data");
    if (length == 0 || length % 3 != 0 || length > 3 * PNG_MOST_COLOURS)
        return view_image_fail(fault, "PNG palette has %u bytes, expected 3 to 768 in steps of 3",
                               length);
    header->has_palette = true;
    if (header->colour == 3) {
        frame->palette = at;
        frame->palette_size = length;
    }
    return true;
}

// Deflate expands two bits to 258 bytes at most.
static bool check_png_data(const png_header *header, const view_image_frame *frame,
                           view_image_fault *fault)
{
    enum { BEST_RATIO = 4 * 258 };
    const uint64_t row = ((uint64_t)frame->width * png_pixel_bits(header) + 7) / 8;
    if (header->colour == 3 && !header->has_palette)
        return view_image_fail(fault, "PNG palette is missing");
    if (row * frame->height > header->packed_size * BEST_RATIO)
        return view_image_fail(fault, "%u by %u pixels cannot be in %llu bytes of PNG data",
                               frame->width, frame->height,
                               (unsigned long long)header->packed_size);
    return true;
}

static bool is_letter(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A lower-case first letter marks an ancillary chunk, which a reader may skip.
static bool check_png_chunk(const uint8_t *name, size_t at, uint32_t length, png_header *header,
                            view_image_frame *frame, view_image_fault *fault)
{
    if (memcmp(name, "PLTE", 4) == 0)
        return check_png_palette(at, length, header, frame, fault);
    if (memcmp(name, "IDAT", 4) == 0) {
        header->packed_size += length;
        return true;
    }
    return name[0] >= 'a' || view_image_fail(fault, "unknown PNG chunk %.4s", (const char *)name);
}

bool view_check_png(const uint8_t *bytes, size_t size, view_image_frame *frame,
                    view_image_fault *fault)
{
    png_header header = {0};
    for (size_t at = PNG_SIGNATURE; size - at >= PNG_CHUNK;) {
        const uint32_t length = big_endian(bytes + at);
        const uint8_t *const name = bytes + at + 4;
        for (int i = 0; i < 4; i++)
            if (!is_letter(name[i]))
                return view_image_fail(fault, "expected a PNG chunk at byte %zu", at);
        if (length > size - at - PNG_CHUNK)
            return view_image_fail(
                fault, "PNG chunk %.4s at byte %zu has length %u, but only %zu bytes follow",
                (const char *)name, at, length, size - at - PNG_CHUNK);
        const bool is_header = memcmp(name, "IHDR", 4) == 0;
        if (is_header != (at == PNG_SIGNATURE))
            return view_image_fail(fault,
                                   "PNG chunk %.4s at byte %zu: IHDR must come first, and once",
                                   (const char *)name, at);
        if (memcmp(name, "IEND", 4) == 0)
            return check_png_data(&header, frame, fault);
        const size_t body = at + 8;
        if (!(is_header ? check_png_header(bytes + body, length, &header, frame, fault)
                        : check_png_chunk(name, body, length, &header, frame, fault)))
            return false;
        at += PNG_CHUNK + length;
    }
    return view_image_fail(fault, "the PNG file ends before its IEND chunk");
}
