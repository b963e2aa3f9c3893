// The lesson on bitmap animation.
#include "demo/viewer/pages/page.h"

// -- Bitmap animation -----------------------------------------------------------------------

// The lesson "bitmap" displays the following code, up to "End of the displayed code".

typedef struct flipbook {
    const float *texels;
    int size, count; // texels along a side of an image, number of images
} flipbook;

// Returns a texel. The images of size * size texels are stored one after another.
static float texel(const flipbook *book, int image, int x, int y)
{
    return book->texels[(image * book->size + y) * book->size + x];
}

// Atlas: samples half a texel to the right. At the border the filter mixes in the next image.
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

// End of the displayed code.

// Array: one image is shown at a time.
static float from_array(const flipbook *book, double frame, int x, int y)
{
    return texel(book, (int)frame % book->count, x, y);
}

// Returns the brightness of a fire. x and y are a position in its image, and `part` is a phase of
// its cycle. All are from 0 to 1. The fire consists of embers and five flames. The flames rise in a
// wind, and become narrow and dark.
static float fire_at(double x, double y, double part)
{
    enum { NUM_FLAMES = 5 };
    double light = fmax(0, 1 - hypot(2.4 * (x - 0.5), 4 * y)); // embers
    for (int i = 0; i < NUM_FLAMES; i++) {
        const double rise = part + 0.2 * i - floor(part + 0.2 * i); // 0: at the bottom
        const double middle_x = 0.45 + 0.45 * rise + 0.1 * sin(9.0 * i + 6.28318530718 * part);
        const double radius = 0.24 * (1 - 0.8 * rise);
        const double distance = hypot(x - middle_x, 0.7 * (y - 0.05 - 0.8 * rise));
        light += fmax(0, 1 - distance / radius) * (1 - rise);
    }
    return (float)fmin(light, 1);
}

// Returns the color of a brightness of the fire: from black over red to light yellow.
static view_color fire_color(float light)
{
    const uint32_t red = (uint32_t)(255 * fminf(1, 2.2f * light));
    const uint32_t green = (uint32_t)(255 * fminf(1, 1.3f * light * light));
    const uint32_t blue = (uint32_t)(120 * light * light * light);
    return red << 24 | green << 16 | blue << 8 | 0xFF;
}

// The sliders and choices of the lesson, in the order of pages.txt.
enum { BITMAP_IMAGES, BITMAP_RATE, BITMAP_TEXELS };

// Draws a square of 30 by 30 units with the image at `frame` as lines. Several lines from bottom to
// top fill a texel. `read` samples the image.
static void draw_image(view_picture *picture, const flipbook *book, double frame, float left,
                       float (*read)(const flipbook *, double, int, int))
{
    const float bottom = 4;
    const int size = book->size;
    const int lines_per_texel = 90 / size;
    const float texel_size = 30.0f / (float)size; // units
    for (int texel_index = 0; texel_index < size * size; texel_index++) {
        const int x = texel_index % size;
        const int y = texel_index / size;
        const view_color color = fire_color(read(book, frame, x, y));
        const float texel_left = left + texel_size * (float)x;
        const float texel_right = left + texel_size * (float)(x + 1);
        for (int line = 0; line < lines_per_texel; line++) {
            // Position within the texel, 0 to 1.
            const float part = ((float)line + 0.5f) / (float)lines_per_texel;
            const float z = bottom + texel_size * ((float)y + part);
            view_page_line(picture, (md5_vec3){0, texel_left, z}, (md5_vec3){0, texel_right, z},
                           color);
        }
    }
}

// Plots the brightness of one texel over time, for an array and for a volume. For both, sets the
// largest change between two steps of the plot.
static void plot_brightness(view_plot *plot, const flipbook *book, double rate, float largest[2])
{
    const int x = book->size / 2;
    const int y = book->size / 3;
    float previous[2] = {0, 0};
    for (int i = 0; i < VIEW_PAGE_POINTS; i++) {
        const double time = view_plot_x(plot, i);
        const float light[2] = {from_array(book, rate * time, x, y),
                                from_volume(book, rate * time, x, y)};
        for (int k = 0; k < 2; k++) {
            if (i > 0)
                largest[k] = fmaxf(largest[k], fabsf(light[k] - previous[k]));
            previous[k] = light[k];
            view_add_point(plot, k, time, light[k]);
        }
    }
}

// Creates the images of one cycle of the fire, one after another: `count` images of size * size
// texels. The caller frees them.
static float *create_fire(int count, int size)
{
    const int num_texels = count * size * size;
    float *const texels = common_alloc((size_t)num_texels, sizeof *texels);
    for (int i = 0; i < num_texels; i++) {
        const int image = i / size / size;
        const double x = (i % size + 0.5) / size;
        const double y = (i / size % size + 0.5) / size;
        texels[i] = fire_at(x, y, (double)image / count);
    }
    return texels;
}

// Returns the largest error of the filtered atlas at the right border of an image. The filter mixes
// in the neighboring image there, which is called bleeding.
static float measure_bleeding(const flipbook *book, double frame)
{
    const int right = book->size - 1;
    float bleeding = 0;
    for (int y = 0; y < book->size; y++) {
        const float error = from_atlas(book, frame, right, y) - from_array(book, frame, right, y);
        bleeding = fmaxf(bleeding, fabsf(error));
    }
    return bleeding;
}

// Draws the fire in three figures, whose images are stored as an array, an atlas and a volume.
// Plots the brightness of a texel, and measures the errors of the three methods.
VIEW_SHOW(bitmap)
{
    enum { NUM_METHODS = 3 };
    static float (*const methods[NUM_METHODS])(const flipbook *, double, int,
                                               int) = {from_array, from_atlas, from_volume};
    const int size = (int)lroundf(v[BITMAP_TEXELS]);
    const int count = (int)view_choice(picture, BITMAP_IMAGES);
    const double rate = v[BITMAP_RATE];
    view_plot *const plot = &picture->plots[0];
    const double span = plot->row.high.x;
    // If the lesson is played backward, the time is negative.
    const double current_time = picture->time - span * floor(picture->time / span);

    float *const texels = create_fire(count, size);
    const flipbook book = {texels, size, count};
    for (int i = 0; i < NUM_METHODS; i++) {
        view_figure *const figure = &picture->figures[i];
        figure->shape = (md5_mat34){{0}}; // no character
        draw_image(picture, &book, rate * current_time, figure->placement.translation.y - 15,
                   methods[i]);
    }

    float largest_steps[2] = {0, 0};
    plot_brightness(plot, &book, rate, largest_steps);
    const double kibibytes = 4 * count * size * size / 1024.0;
    VIEW_FACTS(picture, kibibytes, largest_steps[0], largest_steps[1]);
    VIEW_FACTS(picture, measure_bleeding(&book, rate * current_time));
    free(texels);
}
