// Built-in pictures, whose names begin with _. The engine makes them by code when it starts, so
// that no file is ever looked for. Sizes and contents are the engine's; `_flat` and `_ambient` are
// as in files of normals, while the engine stores x in the channel where its shaders expect it.
#include "md5/game/image_builtin.h"

#include <math.h>
#include <string.h>

typedef void fill_fn(uint8_t *texel, uint32_t x, uint32_t y);

static void set_texel(uint8_t *texel, uint32_t red, uint32_t green, uint32_t blue, uint32_t alpha)
{
    texel[0] = (uint8_t)red;
    texel[1] = (uint8_t)green;
    texel[2] = (uint8_t)blue;
    texel[3] = (uint8_t)alpha;
}

static void fill_clear(uint8_t *texel, uint32_t x, uint32_t y)
{
    (void)x, (void)y;
    set_texel(texel, 0, 0, 0, 0);
}

static void fill_white(uint8_t *texel, uint32_t x, uint32_t y)
{
    (void)x, (void)y;
    set_texel(texel, 255, 255, 255, 255);
}

static void fill_flat(uint8_t *texel, uint32_t x, uint32_t y)
{
    (void)x, (void)y;
    set_texel(texel, 128, 128, 255, 255);
}

// The direction that the engine's ambient lights come from: ( 0.5 0.115 0.8925 ) times 255.
static void fill_ambient(uint8_t *texel, uint32_t x, uint32_t y)
{
    (void)x, (void)y;
    set_texel(texel, 127, 29, 227, 255);
}

static void fill_notch(uint8_t *texel, uint32_t x, uint32_t y)
{
    (void)y;
    set_texel(texel, 255, 255, 255, x == 0 ? 0 : 255);
}

static void fill_ramp(uint8_t *texel, uint32_t x, uint32_t y)
{
    (void)y;
    set_texel(texel, x, x, x, x);
}

static void fill_frame(uint8_t *texel, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    const uint32_t inside = x > 0 && y > 0 && x < width - 1 && y < height - 1 ? 255 : 0;
    set_texel(texel, inside, inside, inside, inside);
}

static void fill_border(uint8_t *texel, uint32_t x, uint32_t y)
{
    fill_frame(texel, x, y, 32, 32);
}

static void fill_no_falloff(uint8_t *texel, uint32_t x, uint32_t y)
{
    fill_frame(texel, x, y, 64, 16);
}

// The highlight that the engine's shaders have: ( 4 ( x - 3/4 ) )^2 from 3/4 on.
static void fill_specular(uint8_t *texel, uint32_t x, uint32_t y)
{
    (void)y;
    const float rise = (float)(((double)((float)x / 255.0f) - 0.75) * 4.0);
    const uint32_t value = rise > 0.0f ? (uint32_t)(rise * rise * 255.0f) : 0;
    set_texel(texel, value, value, value, value);
}

// Light that falls with the square of the distance from the middle.
static void fill_quadratic(uint8_t *texel, uint32_t x, uint32_t y)
{
    (void)y;
    const float near_middle = 1.0f - (fabsf((float)x - 15.5f) - 0.5f) / 16.0f;
    const uint32_t value = (uint32_t)(near_middle * near_middle * 255.0f);
    set_texel(texel, value, value, value, 255);
}

// Fog over the distance from the middle; each 255th of the radius leaves 0.982 of the light.
static void fill_fog(uint8_t *texel, uint32_t x, uint32_t y)
{
    enum { SIDE = 128, MIDDLE = SIDE / 2 };
    const float dx = (float)x - (float)MIDDLE, dy = (float)y - (float)MIDDLE;
    const float steps = sqrtf(dx * dx + dy * dy) / (float)(MIDDLE - 1) * 255.0f;
    const bool is_edge = x == 0 || y == 0 || x == SIDE - 1 || y == SIDE - 1;
    const uint32_t num_steps = (uint32_t)steps & 255; // a byte
    float left = 1.0f;
    for (uint32_t i = 0; i < num_steps; i++)
        left *= 0.982f;
    set_texel(texel, 255, 255, 255, is_edge ? 255 : (uint32_t)(255.0 * (1.0 - (double)left)));
}

// The share of a line of sight that lies in fog, by the heights of its ends over the plane where
// the fog begins: the fog grows over RAMP below it, and a line with an end below DEEP has all of
// it.
static float fog_fraction(float view, float target)
{
    const float RAMP = 8.0f, DEEP = 30.0f;
    const float upper = fmaxf(view, target), lower = fminf(view, target);
    const float length = upper - lower;
    if (lower > 0.0f)
        return 0.0f;
    if (upper < -RAMP)
        return 1.0f;
    if (length <= 0.0f)
        return -view / RAMP;
    const float above = fmaxf(upper, 0.0f);
    const float top = fminf(upper, 0.0f), bottom = fmaxf(lower, -RAMP);
    // The fog that is missing inside the ramp: the mean of its ends, times the length.
    const float lacking = (1.0f + (top + bottom) / RAMP * 0.5f) * (top - bottom);
    const float depth = -lower / DEEP;
    if (depth >= 1.0f)
        return 1.0f;
    return (length - above - lacking) / length * (1.0f - depth) + depth;
}

// Fog near its plane: columns are heights of the eye, rows those of what is seen, 32 being the
// plane.
static void fill_fog_enter(uint8_t *texel, uint32_t x, uint32_t y)
{
    const float fraction = fog_fraction((float)x - 32.0f, (float)y - 32.0f);
    set_texel(texel, 255, 255, 255, (uint32_t)(fraction * 255.0f));
}

// Highlights of all exponents: ( x / 255 )^y. Products instead of pow(), which differs between
// systems in the last bit; bytes are cut off, and so may be 1 less than where floats are rounded.
static void fill_specular_2d(uint8_t *texel, uint32_t x, uint32_t y)
{
    const double base = (double)((float)x / 255.0f);
    double power = 255.0;
    for (uint32_t i = 0; i < y && power >= 1.0; i++)
        power *= base;
    const uint32_t value = (uint32_t)power;
    set_texel(texel, value, value, value, value);
}

// Directions as colors on the sides of a cube, in OpenGL's order and orientation of sides: +x, -x,
// +y, -y, +z, -z.
static void fill_normal_cube(uint8_t *texel, uint32_t x, uint32_t y)
{
    enum { SIDE = 32 };
    const float s = ((float)x + 0.5f) / (float)SIDE * 2.0f - 1.0f;
    const float t = ((float)(y % SIDE) + 0.5f) / (float)SIDE * 2.0f - 1.0f;
    const float directions[6][3] = {
        {1.0f, -t, -s}, {-1.0f, -t, s}, {s, 1.0f, t},
        {s, -1.0f, -t}, {s, -t, 1.0f},  {-s, -t, -1.0f},
    };
    const float *const direction = directions[y / SIDE];
    const float scale = 127.0f / sqrtf(1.0f + s * s + t * t);
    set_texel(texel, (uint32_t)(128.0f + scale * direction[0]),
              (uint32_t)(128.0f + scale * direction[1]), (uint32_t)(128.0f + scale * direction[2]),
              255);
}

static const struct builtin_image {
    const char *name; // lower case
    uint32_t width, height;
    fill_fn *fill; // NULL: made while drawing
    md5_image_repeat repeat;
    bool is_nearest; // not filtered
} builtin_images[] = {
    {"_default", 16, 16, fill_clear, MD5_REPEAT, false},
    {"_white", 16, 16, fill_white, MD5_REPEAT, false},
    {"_black", 16, 16, fill_clear, MD5_REPEAT, false},
    {"_flat", 2, 2, fill_flat, MD5_REPEAT, false},
    {"_ambient", 2, 2, fill_ambient, MD5_REPEAT, false},
    {"_alphanotch", 2, 1, fill_notch, MD5_CLAMP, true},
    {"_ramp", 256, 1, fill_ramp, MD5_CLAMP, true},
    {"_alpharamp", 256, 1, fill_ramp, MD5_CLAMP, true},
    {"_borderclamp", 32, 32, fill_border, MD5_CLAMP_BORDER, false},
    {"_nofalloff", 64, 16, fill_no_falloff, MD5_CLAMP_ZERO, false},
    {"_speculartable", 256, 1, fill_specular, MD5_CLAMP, false},
    {"_specular2dtable", 256, 256, fill_specular_2d, MD5_CLAMP, false},
    {"_quadratic", 32, 4, fill_quadratic, MD5_CLAMP, false},
    {"_fog", 128, 128, fill_fog, MD5_CLAMP, false},
    {"_fogenter", 64, 64, fill_fog_enter, MD5_CLAMP, false},
    {"_normalcubemap", 32, 6 * 32, fill_normal_cube, MD5_REPEAT, false},
    {"_scratchcubemap", 32, 6 * 32, fill_normal_cube, MD5_REPEAT, false}, // until drawn
    {"_currentrender", 0, 0, NULL, MD5_REPEAT, false},
    {"_scratch", 0, 0, NULL, MD5_REPEAT, false},
    {"_scratch2", 0, 0, NULL, MD5_REPEAT, false},
    {"_accum", 0, 0, NULL, MD5_REPEAT, false},
    {"_cinematic", 0, 0, NULL, MD5_REPEAT, false},
};

static const struct builtin_image *find_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof builtin_images / sizeof builtin_images[0]; i++) {
        if (strcmp(builtin_images[i].name, name) == 0)
            return &builtin_images[i];
    }
    return NULL;
}

bool md5i_is_builtin_image(const char *name)
{
    return find_builtin(name) != NULL;
}

void md5i_set_builtin_sampling(const char *name, md5_stage *stage)
{
    const struct builtin_image *const builtin = find_builtin(name);
    stage->repeat = builtin ? builtin->repeat : MD5_REPEAT;
    stage->filter = builtin && builtin->is_nearest ? MD5_FILTER_NEAREST : MD5_FILTER_DEFAULT;
}

md5_image *md5i_make_builtin_image(const char *name, const md5_image_opts *opts, md5_error *error)
{
    md5_context context;
    const struct builtin_image *const builtin = find_builtin(name);
    md5_image_opts named;
    memset(&named, 0, sizeof named);
    if (opts)
        named = *opts;
    named.file_name = name;
    md5i_image_begin(&context, &named, error);
    if (!builtin->fill) {
        md5i_fail(&context, MD5_ERROR_MISMATCH, 0, 0, "%s is made while the game is drawn", name);
        return NULL;
    }
    md5_image *const image = md5i_new_image(&context, builtin->width, builtin->height);
    for (uint32_t y = 0; image && y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++)
            builtin->fill(image->pixels + ((size_t)y * image->width + x) * MD5_IMAGE_CHANNELS, x,
                          y);
    }
    return image;
}
