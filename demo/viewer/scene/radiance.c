// Decodes Radiance pictures; see panorama.h. Not by stb_image, whose version 2.27, which systems
// still have, never ends on a row that is cut off (CVE-2021-42715).
#include "demo/viewer/scene/panorama.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct byte_reader {
    const uint8_t *bytes;
    size_t at, size;
} byte_reader;

// -- Header ---------------------------------------------------------------------------------

enum { MOST_LINE = 128 };

// Takes a line without its end; false at the end of the file. The rest of a long line is dropped.
static bool take_line(byte_reader *from, char line[MOST_LINE])
{
    size_t length = 0;
    for (; from->at < from->size && from->bytes[from->at] != '\n'; from->at++)
        if (length + 1 < MOST_LINE)
            line[length++] = (char)from->bytes[from->at];
    line[length] = '\0';
    return from->at++ < from->size;
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

static bool read_size(const char *line, view_panorama *panorama, view_image_fault *fault)
{
    const char *rest = take_side(line, "-Y ", &panorama->height);
    rest = rest != NULL ? take_side(rest, "+X ", &panorama->width) : NULL;
    if (rest == NULL || *rest != '\0')
        return view_image_fail(fault, "size \"%.40s\", expected -Y HEIGHT +X WIDTH", line);
    fault->most = VIEW_IMAGE_MAX_PIXELS;
    return view_check_image_size(panorama->width, panorama->height, fault);
}

static bool read_header(byte_reader *from, view_panorama *panorama, view_image_fault *fault)
{
    static const char format[] = "FORMAT=";
    char line[MOST_LINE] = "";
    if (!take_line(from, line) || strncmp(line, "#?", 2) != 0)
        return view_image_fail(fault, "not a Radiance picture: it does not begin with #?");
    do {
        if (!take_line(from, line))
            return view_image_fail(fault, "the header does not end");
        const char *const value = line + sizeof format - 1;
        if (strncmp(line, format, sizeof format - 1) == 0
            && strncmp(value, "32-bit_rle_rgbe", 15) != 0)
            return view_image_fail(fault, "format \"%.40s\", expected 32-bit_rle_rgbe", value);
    } while (line[0] != '\0');
    if (!take_line(from, line))
        return view_image_fail(fault, "the size is missing");
    return read_size(line, panorama, fault);
}

// -- Rows -----------------------------------------------------------------------------------

enum { LEAST_PACKED = 8, MOST_PACKED = 0x7fff }; // widths of rows that are packed by channel

static bool take_bytes(byte_reader *from, uint8_t *to, size_t count)
{
    if (count > from->size - from->at)
        return false;
    memcpy(to, from->bytes + from->at, count);
    from->at += count;
    return true;
}

// A row of `width` bytes of one channel, each `4` apart: runs of one byte, or bytes as they are.
static bool take_channel(byte_reader *from, uint8_t *to, uint32_t width)
{
    for (uint32_t x = 0; x < width;) {
        if (from->size - from->at < 2)
            return false;
        const uint8_t code = from->bytes[from->at++];
        const bool is_run = code > 128;
        const uint32_t count = is_run ? code - 128u : code;
        if (count == 0 || count > width - x || (!is_run && count > from->size - from->at))
            return false;
        for (uint32_t i = 0; i < count; i++)
            to[4 * (size_t)(x + i)] = from->bytes[from->at + (is_run ? 0 : i)];
        from->at += is_run ? 1 : count;
        x += count;
    }
    return true;
}

// A row of pixels: 1, 1, 1, n repeats the last pixel n times, and 256 n times right after another.
static bool take_pixels(byte_reader *from, uint8_t *to, uint32_t width)
{
    uint32_t shift = 0;
    for (uint32_t x = 0; x < width;) {
        uint8_t *const pixel = to + 4 * (size_t)x;
        if (!take_bytes(from, pixel, 4))
            return false;
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
    const uint8_t *const head = from->bytes + from->at;
    const bool is_packed = width >= LEAST_PACKED && width <= MOST_PACKED
                           && from->size - from->at >= 4 && head[0] == 2 && head[1] == 2
                           && head[2] < 128;
    if (!is_packed)
        return take_pixels(from, to, width);
    if (((uint32_t)head[2] << 8 | head[3]) != width)
        return false;
    from->at += 4;
    for (int channel = 0; channel < 4; channel++)
        if (!take_channel(from, to + channel, width))
            return false;
    return true;
}

// A mantissa of m / 256 and an exponent of e - 128.
static void unpack_row(const uint8_t *row, uint32_t width, float *rgb)
{
    for (size_t x = 0; x < width; x++) {
        const uint8_t *const pixel = row + 4 * x;
        const float unit = pixel[3] > 0 ? ldexpf(1.0f, pixel[3] - (128 + 8)) : 0.0f;
        for (size_t i = 0; i < 3; i++)
            rgb[3 * x + i] = unit * (float)pixel[i];
    }
}

static bool read_rows(byte_reader *from, view_panorama *panorama, view_image_fault *fault)
{
    uint8_t *const row = calloc(panorama->width, 4);
    bool is_read = true;
    if (row == NULL)
        return view_image_fail(fault, "out of memory");
    for (uint32_t y = 0; y < panorama->height && is_read; y++) {
        is_read = take_row(from, row, panorama->width)
                  || view_image_fail(fault, "row %u of %u is damaged at byte %zu", (unsigned)y + 1,
                                     (unsigned)panorama->height, from->at);
        if (is_read)
            unpack_row(row, panorama->width, panorama->rgb + 3 * (size_t)y * panorama->width);
    }
    free(row);
    return is_read;
}

// A row takes 8 bytes at least, however it is packed.
bool view_decode_radiance(const uint8_t *bytes, size_t size, view_panorama *panorama,
                          view_image_fault *fault)
{
    byte_reader from = {bytes, 0, size};
    *panorama = (view_panorama){.rgb = NULL};
    if (!read_header(&from, panorama, fault))
        return false;
    const size_t pixels = (size_t)panorama->width * panorama->height;
    const size_t least = panorama->width > 1 ? 8 : 4;
    if (pixels == 0 || (from.size - from.at) / least < panorama->height)
        return view_image_fail(fault, "%u by %u pixels cannot be in %zu bytes",
                               (unsigned)panorama->width, (unsigned)panorama->height,
                               from.size - from.at);
    panorama->rgb = malloc(pixels * 3 * sizeof *panorama->rgb);
    if (panorama->rgb == NULL)
        return view_image_fail(fault, "out of memory");
    if (read_rows(&from, panorama, fault))
        return true;
    free(panorama->rgb);
    panorama->rgb = NULL;
    return false;
}
