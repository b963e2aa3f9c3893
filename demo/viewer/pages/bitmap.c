// The lesson on bitmap animation.
#include "demo/viewer/pages/page.h"

// -- Bitmap animation -----------------------------------------------------------------------

// lines of bitmap
// `count` images of size * size texels, one after another.
typedef struct flipbook {
    const float *texels;
    int size;
    int count;
} flipbook;

static float texel(const flipbook *book, int frame, int x, int y)
{
    return book->texels[(frame * book->size + y) * book->size + x];
}

static float from_array(const flipbook *book, double frame, int x, int y)
{
    return texel(book, (int)frame % book->count, x, y); // show one image at a time
}

// The images are next to each other. Read half a texel to the right: at the border, the filter
// mixes in the neighboring image.
static float from_atlas(const flipbook *book, double frame, int x, int y)
{
    const int column = (int)frame % book->count * book->size + x;
    const int next = (column + 1) % (book->count * book->size);
    return 0.5f * texel(book, column / book->size, x, y)
           + 0.5f * texel(book, next / book->size, next % book->size, y);
}

// The images are layers of a 3D texture. The filter interpolates between two layers.
static float from_volume(const flipbook *book, double frame, int x, int y)
{
    const int first = (int)frame % book->count;
    const int second = (first + 1) % book->count;
    const float part = (float)(frame - floor(frame));
    return texel(book, first, x, y) * (1.0f - part) + texel(book, second, x, y) * part;
}
// end of lines

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

VIEW_SHOW(bitmap)
{
    static float (*const ways[3])(const flipbook *, double, int, int) = {from_array, from_atlas,
                                                                         from_volume};
    const int size = (int)lroundf(v[2]);
    const int count = (int)view_choice(picture, 0);
    const int rows = 90 / size; // lines that fill a texel
    const double rate = v[1];
    const double high = picture->plots->row.high.x;
    // Played backward, time is below 0.
    const double now = picture->time - high * floor(picture->time / high);
    const size_t num_texels = (size_t)count * (size_t)size * (size_t)size;
    float *const texels = common_alloc(num_texels, sizeof *texels);
    const flipbook book = {texels, size, count};
    for (int i = 0; i < (int)num_texels; i++) {
        const int frame = i / size / size;
        texels[i] =
            fire_at((i % size + 0.5) / size, (i / size % size + 0.5) / size, (double)frame / count);
    }
    for (int way = 0; way < 3; way++) {
        view_figure *const figure = &picture->figures[way];
        const float left = figure->place.translation.y - 15;
        const float edge = 30.0f / (float)size;
        figure->shape = (md5_mat34){{0}}; // no character
        for (int i = 0; i < size * size * rows; i++) {
            const int x = i / rows % size;
            const int y = i / rows / size;
            const float light = ways[way](&book, rate * now, x, y);
            const float z = 4 + edge * ((float)y + ((float)(i % rows) + 0.5f) / (float)rows);
            const md5_vec3 from = {0, left + edge * (float)x, z};
            const md5_vec3 to = {0, left + edge * (float)(x + 1), z};
            view_page_line(picture, from, to, fire_color(light));
        }
    }
    float largest[2] = {0, 0};
    for (int i = 0; i < VIEW_PAGE_POINTS; i++) {
        const double time = view_plot_x(picture->plots, i);
        const float shown[2] = {from_array(&book, rate * time, size / 2, size / 3),
                                from_volume(&book, rate * time, size / 2, size / 3)};
        for (int k = 0; k < 2; k++) {
            view_series *const series = &picture->plots->series[k];
            const float before = series->count > 0 ? series->points[series->count - 1].y : shown[k];
            largest[k] = fmaxf(largest[k], fabsf(shown[k] - before));
            view_add_point(picture->plots, k, time, shown[k]);
        }
    }
    VIEW_FACTS(picture, 4 * count * size * size / 1024.0, largest[0], largest[1]);
    float bleeds = 0;
    for (int y = 0; y < size; y++)
        bleeds = fmaxf(bleeds, fabsf(from_atlas(&book, rate * now, size - 1, y)
                                     - from_array(&book, rate * now, size - 1, y)));
    VIEW_FACTS(picture, bleeds);
    free(texels);
}
