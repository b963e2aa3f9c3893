// Decodes JPEG with libjpeg, whose error handlers must not return: they leave by longjmp().
#include "demo/viewer/scene/image.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

// Real files have about ten scans. A scan of a few bytes costs as much as decoding all pixels.
enum { MAX_SCANS = 100, MAX_MEMORY = 1 << 30 };

typedef struct jpeg_reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf failed;
    view_image_fault *fault;
    uint8_t *row, *rgba; // members, since longjmp() may lose the values of locals
} jpeg_reader;

static _Noreturn void fail_by_error(j_common_ptr jpeg)
{
    jpeg_reader *const reader = jpeg->client_data;
    char message[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, message);
    view_image_fail(reader->fault, "%.150s", message);
    reader->fault->is_too_large = jpeg->err->msg_code == JERR_OUT_OF_MEMORY;
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
    view_image_fail(reader->fault, "the JPEG file has more than %d scans", MAX_SCANS);
    longjmp(reader->failed, 1);
}

// CMYK is stored inverted, as 255 - ink: Adobe's programs began it and all others follow.
static void expand_row(const jpeg_reader *reader, uint8_t *rgba)
{
    const bool is_cmyk = reader->jpeg.out_color_space == JCS_CMYK;
    const uint8_t *from = reader->row;
    for (uint32_t x = 0; x < reader->jpeg.output_width; x++, rgba += 4) {
        for (int i = 0; i < 3; i++)
            rgba[i] = is_cmyk ? (uint8_t)(from[i] * from[3] / 255) : from[i];
        rgba[3] = 255;
        from += is_cmyk ? 4 : 3;
    }
}

static void read_pixels(jpeg_reader *reader)
{
    struct jpeg_decompress_struct *const jpeg = &reader->jpeg;
    const bool is_cmyk = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    jpeg->out_color_space = is_cmyk ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(jpeg);
    const size_t stride = (size_t)jpeg->output_width * 4;
    reader->row = malloc(stride);
    reader->rgba = malloc(stride * jpeg->output_height);
    if (reader->row == NULL || reader->rgba == NULL) {
        (void)view_image_no_memory(reader->fault);
        longjmp(reader->failed, 1);
    }
    while (jpeg->output_scanline < jpeg->output_height) {
        uint8_t *const target = reader->rgba + stride * jpeg->output_scanline;
        JSAMPROW row = reader->row;
        jpeg_read_scanlines(jpeg, &row, 1);
        expand_row(reader, target);
    }
    jpeg_finish_decompress(jpeg);
}

static bool read_picture(jpeg_reader *reader, const uint8_t *bytes, size_t size, view_image *image)
{
    struct jpeg_decompress_struct *const jpeg = &reader->jpeg;
    if (setjmp(reader->failed) != 0)
        return false;
    jpeg_create_decompress(jpeg);
    jpeg->mem->max_memory_to_use = MAX_MEMORY;
    jpeg->progress = &reader->progress;
    jpeg_mem_src(jpeg, bytes, (unsigned long)size);
    jpeg_read_header(jpeg, TRUE);
    if (!view_check_image_size(jpeg->image_width, jpeg->image_height, reader->fault))
        return false;
    read_pixels(reader);
    *image = (view_image){reader->rgba, jpeg->output_width, jpeg->output_height};
    return true;
}

bool view_decode_jpeg(const uint8_t *bytes, size_t size, view_image *image, view_image_fault *fault)
{
    jpeg_reader reader = {.fault = fault};
    reader.jpeg.err = jpeg_std_error(&reader.errors);
    reader.jpeg.client_data = &reader;
    reader.errors.error_exit = fail_by_error;
    reader.errors.emit_message = handle_warning;
    reader.errors.output_message = print_nothing;
    reader.progress.progress_monitor = count_scans;
    const bool is_read = read_picture(&reader, bytes, size, image);
    jpeg_destroy_decompress(&reader.jpeg);
    free(reader.row);
    if (!is_read)
        free(reader.rgba);
    return is_read;
}
