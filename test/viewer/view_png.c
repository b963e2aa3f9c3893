// Inspects PNG images as the viewer writes them: 8 bits per channel, RGB or RGBA.
// test/viewer/png.py does the same without our code, for the tests of this program and of the
// viewer's PNG files, but is a hundred times slower.
//
// view_png size FILE            "width height"
// view_png covered FILE         fraction of pixels that are not transparent, and their bounding
//                               box: "fraction left top right bottom", from 0 to 1
// view_png corner FILE          "r g b a" of the pixel in the top left corner
// view_png colors FILE         number of different colors, counted up to 1000
// view_png differ FILE FILE     fraction of pixels with a channel that differs by more than 24
// view_png shrink FILE SIDE     halves the image until no side is longer, and writes it to standard
//                               output
#include "demo/looks/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_image_write.h>

enum { MAX_COLORS = 1000, BUCKETS = 4096, LARGE_DIFFERENCE = 24 };

static view_image read_or_exit(const char *path)
{
    view_image image;
    md5_error error;
    if (!view_read_image(path, MD5_MAX_IMAGE_PIXELS, &image, &error)) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        exit(1);
    }
    return image;
}

static void print_covered(const view_image *image)
{
    size_t count = 0;
    uint32_t left = image->width;
    uint32_t top = image->height;
    uint32_t right = 0;
    uint32_t bottom = 0;
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++) {
            if (image->rgba[4 * ((size_t)y * image->width + x) + 3] == 0)
                continue;
            count++;
            left = x < left ? x : left;
            top = y < top ? y : top;
            right = x + 1 > right ? x + 1 : right;
            bottom = y + 1;
        }
    }
    const double width = image->width;
    const double height = image->height;
    printf("%.4f %.4f %.4f %.4f %.4f\n", (double)count / (width * height), left / width,
           top / height, right / width, bottom / height);
}

// Counts different colors, up to MAX_COLORS, with a hash table.
static int count_colors(const view_image *image)
{
    static uint32_t colors[MAX_COLORS];
    static int next[MAX_COLORS], first[BUCKETS];
    int count = 0;
    memset(first, -1, sizeof first);
    for (size_t i = 0; i < (size_t)image->width * image->height && count < MAX_COLORS; i++) {
        uint32_t color;
        memcpy(&color, image->rgba + 4 * i, 4);
        const uint32_t bucket = color * 2654435761u >> 20;
        int at = first[bucket];
        while (at >= 0 && colors[at] != color)
            at = next[at];
        if (at >= 0)
            continue;
        colors[count] = color;
        next[count] = first[bucket];
        first[bucket] = count++;
    }
    return count;
}

static void print_difference(const view_image *a, const view_image *b)
{
    const size_t num_pixels = (size_t)a->width * a->height;
    if (a->width != b->width || a->height != b->height) {
        printf("1 other size\n");
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < num_pixels; i++) {
        int largest = 0;
        for (size_t c = 4 * i; c < 4 * i + 4; c++) {
            const int off = abs(a->rgba[c] - b->rgba[c]);
            largest = off > largest ? off : largest;
        }
        count += largest > LARGE_DIFFERENCE;
    }
    printf("%.5f\n", (double)count / (double)num_pixels);
}

static void halve(view_image *image)
{
    const size_t width = image->width / 2;
    const size_t height = image->height / 2;
    const size_t row = (size_t)image->width * 4;
    for (size_t i = 0; i < 4 * width * height; i++) {
        const uint8_t *const from =
            image->rgba + 2 * (i / 4 / width) * row + 8 * (i / 4 % width) + i % 4;
        image->rgba[i] = (uint8_t)((from[0] + from[4] + from[row] + from[row + 4] + 2) / 4);
    }
    image->width = (uint32_t)width;
    image->height = (uint32_t)height;
}

static void write_bytes(void *user, void *bytes, int size)
{
    bool *const written = user;
    *written = fwrite(bytes, 1, (size_t)size, stdout) == (size_t)size && fflush(stdout) == 0;
}

static bool print_shrunk(view_image *image, uint32_t side)
{
    bool written = false;
    while (image->width > side || image->height > side) {
        if (image->width <= 1 || image->height <= 1)
            break;
        halve(image);
    }
    return stbi_write_png_to_func(write_bytes, &written, (int)image->width, (int)image->height, 4,
                                  image->rgba, 0)
           && written;
}

int main(int argc, char **argv)
{
    const char *const command = argc > 2 ? argv[1] : "";
    const bool has_two = strcmp(command, "differ") == 0 || strcmp(command, "shrink") == 0;
    if (argc != (has_two ? 4 : 3)) {
        fprintf(stderr, "usage: view_png size|covered|corner|colors FILE, differ FILE FILE, "
                        "or shrink FILE SIDE\n");
        return 2;
    }
    int status = 0;
    view_image image = read_or_exit(argv[2]);
    if (strcmp(command, "size") == 0) {
        printf("%u %u\n", image.width, image.height);
    } else if (strcmp(command, "covered") == 0) {
        print_covered(&image);
    } else if (strcmp(command, "corner") == 0) {
        printf("%d %d %d %d\n", image.rgba[0], image.rgba[1], image.rgba[2], image.rgba[3]);
    } else if (strcmp(command, "colors") == 0) {
        printf("%d\n", count_colors(&image));
    } else if (strcmp(command, "differ") == 0) {
        view_image second = read_or_exit(argv[3]);
        print_difference(&image, &second);
        free(second.rgba);
    } else if (strcmp(command, "shrink") == 0) {
        status = !print_shrunk(&image, (uint32_t)strtoul(argv[3], NULL, 10));
    }
    free(image.rgba);
    return status;
}
