// The lesson on bitmap animation.
#include "demo/viewer/pages/page.h"

// -- Bitmap animation -----------------------------------------------------------------------

// lines of bitmap
typedef struct flipbook {
    const float *texels;
    int size, count; // texels along a side of an image, number of images
} flipbook;

// Returns a texel. The images of size * size texels are stored one after another.
static float texel(const flipbook *book, int image, int x, int y)
{
    return book->texels[(image * book->size + y) * book->size + x];
}

// Atlas: a filter half a texel to the right. At the border it mixes in another image.
static float from_atlas(const flipbook *book, double frame, int x, int y)
{
    const int column = (int)frame % book->count * book->size + x;
    const int next = (column + 1) % (book->count * book->size);
    const float right = texel(book, next / book->size, next % book->size, y);
    return 0.5f * (texel(book, column / book->size, x, y) + right);
}

// Volume: the images are layers of a 3D texture. The filter interpolates between two layers.
static float from_volume(const flipbook *book, double frame, int x, int y)
{
    const int first = (int)frame % book->count;
    const float before = texel(book, first, x, y);
    const float after = texel(book, (first + 1) % book->count, x, y);
    return before + (after - before) * (float)(frame - floor(frame));
}
// end of lines

// Array: one image is shown at a time.
static float from_array(const flipbook *book, double frame, int x, int y)
{
    return texel(book, (int)frame % book->count, x, y);
}

// Returns the brightness of a fire at a position of its image, 0..1 each, at a phase of its cycle,
// 0..1: flames that rise and become narrow, in a wind, over embers.
static float fire_at(double x, double y, double part)
{
    double light = fmax(0, 1 - hypot(2.4 * (x - 0.5), 4 * y));
    for (int i = 0; i < 5; i++) {
        const double rise = part + 0.2 * i - floor(part + 0.2 * i);
        const double middle = 0.45 + 0.45 * rise + 0.1 * sin(9.0 * i + 6.28318530718 * part);
        const double radius = 0.24 * (1 - 0.8 * rise);
        light +=
            fmax(0, 1 - hypot(x - middle, 0.7 * (y - 0.05 - 0.8 * rise)) / radius) * (1 - rise);
    }
    return (float)fmin(light, 1);
}

static view_color fire_color(float light)
{
    const uint32_t red = (uint32_t)(255 * fminf(1, 2.2f * light));
    const uint32_t green = (uint32_t)(255 * fminf(1, 1.3f * light * light));
    const uint32_t blue = (uint32_t)(120 * light * light * light);
    return red << 24 | green << 16 | blue << 8 | 0xFF;
}

// The sliders and choices of the lesson, in the order of pages.txt.
enum { BITMAP_IMAGES, BITMAP_RATE, BITMAP_TEXELS };

// Draws a square of 30 by 30 units with lines, and the image at `frame` on it. A texel is filled by
// several lines. `read` samples the image.
static void draw_image(view_picture *picture, const flipbook *book, double frame, float left,
                       float (*read)(const flipbook *, double, int, int))
{
    const float bottom = 4;
    const int size = book->size;
    const int lines_per_texel = 90 / size;
    const float edge = 30.0f / (float)size; // of a texel
    for (int i = 0; i < size * size * lines_per_texel; i++) {
        const int line = i % lines_per_texel;
        const int x = i / lines_per_texel % size;
        const int y = i / lines_per_texel / size;
        const float light = read(book, frame, x, y);
        const float z = bottom + edge * ((float)y + ((float)line + 0.5f) / (float)lines_per_texel);
        const md5_vec3 from = {0, left + edge * (float)x, z};
        const md5_vec3 to = {0, left + edge * (float)(x + 1), z};
        view_page_line(picture, from, to, fire_color(light));
    }
}

// Plots the brightness of one texel over the time, for an array and for a volume. Sets the largest
// change between two steps of both.
static void plot_brightness(view_plot *plot, const flipbook *book, double rate, float largest[2])
{
    const int x = book->size / 2;
    const int y = book->size / 3;
    for (int i = 0; i < VIEW_PAGE_POINTS; i++) {
        const double time = view_plot_x(plot, i);
        const float shown[2] = {from_array(book, rate * time, x, y),
                                from_volume(book, rate * time, x, y)};
        for (int k = 0; k < 2; k++) {
            const view_series *const series = &plot->series[k];
            const float before = series->count > 0 ? series->points[series->count - 1].y : shown[k];
            largest[k] = fmaxf(largest[k], fabsf(shown[k] - before));
            view_add_point(plot, k, time, shown[k]);
        }
    }
}

VIEW_SHOW(bitmap)
{
    // By figure: the images are an array, an atlas or a volume.
    enum { NUM_METHODS = 3 };
    static float (*const methods[NUM_METHODS])(const flipbook *, double, int,
                                               int) = {from_array, from_atlas, from_volume};
    const int size = (int)lroundf(v[BITMAP_TEXELS]);
    const int count = (int)view_choice(picture, BITMAP_IMAGES);
    const double rate = v[BITMAP_RATE];
    view_plot *const plot = &picture->plots[0];
    const double span = plot->row.high.x;
    // Played backward, time is below 0.
    const double now = picture->time - span * floor(picture->time / span);

    // Draw the images of the fire.
    const size_t num_texels = (size_t)count * (size_t)size * (size_t)size;
    float *const texels = common_alloc(num_texels, sizeof *texels);
    const flipbook book = {texels, size, count};
    for (int i = 0; i < (int)num_texels; i++) {
        const int frame = i / size / size;
        texels[i] =
            fire_at((i % size + 0.5) / size, (i / size % size + 0.5) / size, (double)frame / count);
    }

    for (int i = 0; i < NUM_METHODS; i++) {
        view_figure *const figure = &picture->figures[i];
        figure->shape = (md5_mat34){{0}}; // no character
        draw_image(picture, &book, rate * now, figure->place.translation.y - 15, methods[i]);
    }

    float largest_steps[2] = {0, 0};
    plot_brightness(plot, &book, rate, largest_steps);
    const double kibibytes = 4 * count * size * size / 1024.0;
    VIEW_FACTS(picture, kibibytes, largest_steps[0], largest_steps[1]);

    // The part of the neighboring image that the filter mixes in at the right border of the atlas.
    float bleeding = 0;
    for (int y = 0; y < size; y++)
        bleeding = fmaxf(bleeding, fabsf(from_atlas(&book, rate * now, size - 1, y)
                                         - from_array(&book, rate * now, size - 1, y)));
    VIEW_FACTS(picture, bleeding);
    free(texels);
}
