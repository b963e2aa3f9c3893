#include "demo/viewer/assets/maps.h"

#include "demo/common/memory.h"
#include "demo/viewer/assets/file_words.h"
#include "render/md5gl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Names ------------------------------------------------------------------------------------

enum { MAX_TAILS = 12 };

// The last words of their names; the first one is id's, and NULL ends a row.
static const char *const tails[VIEW_NUM_MAPS][MAX_TAILS] = {
    [VIEW_MAP_NORMALS] = {"local", "n", "nor", "norm", "normal", "normals", "nrm", "bmp", "nm",
                          "nrml", "nrmls"},
    [VIEW_MAP_HEIGHT] = {"h", "height", "bump"},
    [VIEW_MAP_SPECULAR] = {"s", "spec", "specular", "gloss", "specc", "sc"},
    [VIEW_MAP_GLOW] = {"add", "glow", "emit", "luma", "glo"},
};

bool view_is_other_map(const char *path)
{
    const view_name name = view_split_stem(path), last = view_last_word(&name);
    const bool is_letter = strlen(last.words) == 1 + 2;
    return view_has_word(&last, VIEW_WORD_MAP)
           && !(is_letter && strcmp(last.words, name.words) == 0);
}

const char *view_map_name(view_map map)
{
    static const char *const names[VIEW_NUM_MAPS] = {"texture", "normal map", "height map",
                                                     "specular map", "glow map"};
    return names[map];
}

// Whether a file is the map of an image with that word: of the same name, or both are called after
// their purpose alone: "skin.png" and "normals.png".
static bool is_map_of(const view_name *image, const char *path, const char *word)
{
    const view_name name = view_split_stem(path), last = view_last_word(&name);
    const size_t length = strlen(last.words) - 2;
    return length == strlen(word) && strncmp(last.words + 1, word, length) == 0
           && (view_is_same(image, &name, VIEW_WORD_COLOR | VIEW_WORD_MAP)
               || (view_is_all(image, VIEW_WORD_COLOR) && view_is_all(&name, VIEW_WORD_MAP)));
}

const char *view_find_map(const common_list *files, const char *diffuse, view_map map)
{
    const char *best = NULL;
    const char *const *const endings = view_image_endings();
    const view_name image = view_split_stem(diffuse);
    for (int t = 0; t < MAX_TAILS && tails[map][t] != NULL && best == NULL; t++)
        for (size_t e = 0; endings[e] != NULL && best == NULL; e++)
            for (size_t f = 0; f < files->count && best == NULL; f++)
                if (common_has_ending(files->names[f], endings[e])
                    && is_map_of(&image, files->names[f], tails[map][t]))
                    best = files->names[f];
    return best;
}

// -- Pixels -----------------------------------------------------------------------------------

static const uint8_t *texel_at(const view_image *image, uint32_t x, uint32_t y)
{
    return image->rgba + 4 * ((size_t)y * image->width + x);
}

// Slopes along u and v of the surface that a normal map in id's encoding describes.
typedef struct slopes {
    double u, v;
} slopes;

static slopes read_slopes(const uint8_t *texel)
{
    const double x = texel[0] / 127.5 - 1.0, y = texel[1] / 127.5 - 1.0;
    const double z = fmax(texel[2] / 127.5 - 1.0, 0.1);
    return (slopes){-x / z, -y / z};
}

static void write_slopes(slopes s, uint8_t *texel)
{
    const double scale = 127.5 / sqrt(s.u * s.u + s.v * s.v + 1.0);
    texel[0] = (uint8_t)lround(127.5 - s.u * scale);
    texel[1] = (uint8_t)lround(127.5 - s.v * scale);
    texel[2] = (uint8_t)lround(127.5 + scale);
    texel[3] = 255;
}

static bool is_red_empty(const view_image *image)
{
    uint8_t low_red = 255, high_red = 0, low_alpha = 255, high_alpha = 0;
    for (size_t i = 0; i < (size_t)image->width * image->height; i++) {
        const uint8_t red = image->rgba[4 * i], alpha = image->rgba[4 * i + 3];
        low_red = red < low_red ? red : low_red;
        high_red = red > high_red ? red : high_red;
        low_alpha = alpha < low_alpha ? alpha : low_alpha;
        high_alpha = alpha > high_alpha ? alpha : high_alpha;
    }
    return high_red - low_red <= 2 && high_alpha - low_alpha > 8;
}

// How many rows of an image tell what its encoding is: all of a large one would take longer to look
// at than to decode.
enum { ROWS_READ = 256 };

// In a height field the mixed derivatives are equal: the change along v of the slope along u equals
// the change along u of the slope along v. They have opposite signs if green points against v.
double view_green_side(const view_image *image)
{
    double product = 0.0, squares = 0.0;
    const bool in_alpha = is_red_empty(image);
    const uint32_t step = 1 + image->height / (ROWS_READ + 1);
    for (uint32_t y = 0; y + 1 < image->height; y += step) {
        for (uint32_t x = 0; x + 1 < image->width; x++) {
            uint8_t texels[3][4];
            memcpy(texels[0], texel_at(image, x, y), 4);
            memcpy(texels[1], texel_at(image, x + 1, y), 4);
            memcpy(texels[2], texel_at(image, x, y + 1), 4);
            for (int i = 0; i < 3 && in_alpha; i++)
                texels[i][0] = texels[i][3];
            const slopes here = read_slopes(texels[0]);
            const double u_along_v = read_slopes(texels[2]).u - here.u;
            const double v_along_u = read_slopes(texels[1]).v - here.v;
            product += u_along_v * v_along_u;
            squares += 0.5 * (u_along_v * u_along_v + v_along_u * v_along_u);
        }
    }
    return squares > 0.0 ? product / squares : 0.0;
}

uint32_t view_guess_normals(const view_image *image)
{
    uint32_t normals = is_red_empty(image) ? MD5GL_NORMALS_RXGB : 0;
    if (view_green_side(image) < -0.02)
        normals |= MD5GL_NORMALS_GREEN_UP;
    return normals;
}

static double height_at(const view_image *image, uint32_t x, uint32_t y)
{
    const uint8_t *const texel = texel_at(image, x % image->width, y % image->height);
    return (texel[0] + texel[1] + texel[2]) / 3.0;
}

view_image view_normals_of_heights(const view_image *heights, float scale)
{
    view_image normals = {NULL, heights->width, heights->height};
    normals.rgba = common_alloc((size_t)normals.width * normals.height, 4);
    for (uint32_t y = 0; y < normals.height; y++) {
        for (uint32_t x = 0; x < normals.width; x++) {
            const double a = height_at(heights, x, y), b = height_at(heights, x + 1, y);
            const double c = height_at(heights, x, y + 1), d = height_at(heights, x + 1, y + 1);
            const double unit = 0.5 * (double)scale / 256.0;
            write_slopes((slopes){unit * (b - a + d - c), unit * (c - a + d - b)},
                         normals.rgba + 4 * ((size_t)y * normals.width + x));
        }
    }
    return normals;
}

void view_add_slopes(view_image *normals, const view_image *more)
{
    for (uint32_t y = 0; y < normals->height; y++) {
        for (uint32_t x = 0; x < normals->width; x++) {
            uint8_t *const texel = normals->rgba + 4 * ((size_t)y * normals->width + x);
            const uint32_t more_x = (uint32_t)((uint64_t)x * more->width / normals->width);
            const uint32_t more_y = (uint32_t)((uint64_t)y * more->height / normals->height);
            const slopes a = read_slopes(texel);
            const slopes b = read_slopes(texel_at(more, more_x, more_y));
            write_slopes((slopes){a.u + b.u, a.v + b.v}, texel);
        }
    }
}

static uint8_t byte_of(double value)
{
    return (uint8_t)lround(value < 255.0 ? value : 255.0);
}

void view_make_highlights(view_image *masks, float share)
{
    for (size_t i = 0; i < (size_t)masks->width * masks->height; i++) {
        uint8_t *const texel = masks->rgba + 4 * i;
        const uint8_t value = byte_of((double)share * texel[0]);
        texel[0] = texel[1] = texel[2] = value;
        texel[3] = 255;
    }
}

void view_make_glow(view_image *masks, const view_image *texture, float share)
{
    for (uint32_t y = 0; y < masks->height; y++) {
        for (uint32_t x = 0; x < masks->width; x++) {
            uint8_t *const texel = masks->rgba + 4 * ((size_t)y * masks->width + x);
            const uint32_t from_x = (uint32_t)((uint64_t)x * texture->width / masks->width);
            const uint32_t from_y = (uint32_t)((uint64_t)y * texture->height / masks->height);
            const uint8_t *const color = texel_at(texture, from_x, from_y);
            const double glow = (double)share * texel[1] / 255.0;
            for (int i = 0; i < 3; i++)
                texel[i] = byte_of(glow * color[i]);
            texel[3] = 255;
        }
    }
}

bool view_has_holes(const view_image *image)
{
    const size_t count = (size_t)image->width * image->height;
    size_t clear = 0;
    for (size_t i = 0; i < count; i++)
        clear += image->rgba[4 * i + 3] < 128;
    return clear > count / 100;
}
