#include "demo/viewer/scene/maps.h"

#include "demo/common/memory.h"
#include "demo/viewer/scene/file_words.h"
#include "render/md5gl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Names ------------------------------------------------------------------------------------

enum { MAX_TAILS = 12 };

// The first suffix in each row is id's; NULL ends a row.
static const char *const tails[VIEW_NUM_MAPS][MAX_TAILS] = {
    [VIEW_MAP_DIFFUSE] = {"_d", "_diffuse", "_diff", "_col", "_color", "_albedo", "_cc", ""},
    [VIEW_MAP_NORMALS] = {"_local", "_n", "_nor", "_norm", "_normal", "_normals", "_nrm", "_bmp",
                          "_nm", "_nrml", "_nrmls"},
    [VIEW_MAP_HEIGHT] = {"_h", "_height", "_bump"},
    [VIEW_MAP_SPECULAR] = {"_s", "_spec", "_specular", "_gloss", "_specc", "_sc"},
    [VIEW_MAP_GLOW] = {"_add", "_glow", "_emit", "_luma", "_glo"},
};

static const char *const endings[] = {".tga", ".png", ".jpg", ".jpeg", ".dds", NULL};

const char *const *view_image_endings(void)
{
    return endings;
}

bool view_is_image(const char *path)
{
    for (int i = 0; endings[i] != NULL; i++)
        if (common_has_ending(path, endings[i]))
            return true;
    return false;
}

bool view_is_other_map(const char *path)
{
    char *const stem = common_stem(path);
    const view_name name = view_split_name(stem);
    uint32_t last = name.count;
    // Numbers and single letters that mean nothing may follow: "wall_n2".
    while (last > 1
           && ((name.kind[last - 1] & VIEW_WORD_VARIANT) != 0
               || (name.size[last - 1] == 1 && name.kind[last - 1] == 0)))
        last--;
    free(stem);
    return last > 0 && (name.kind[last - 1] & VIEW_WORD_MAP) != 0
           && (last > 1 || name.size[0] > 1);
}

const char *view_map_name(view_map map)
{
    static const char *const names[VIEW_NUM_MAPS] = {"texture", "normal map", "height map",
                                                     "specular map", "glow map"};
    return names[map];
}

// Whether the file name of `path` is stem + tail + any extension.
static bool is_called(const char *path, const char *stem, const char *tail)
{
    char *wanted = common_format("%s%s", stem, tail);
    char *found = common_stem(path);
    const bool same = strlen(found) == strlen(wanted) && common_has_ending(found, wanted);
    free(found);
    free(wanted);
    return same;
}

const char *view_find_map(const common_list *files, const char *diffuse, view_map map)
{
    const char *best = NULL;
    char *stem = common_stem(diffuse);
    for (int i = 0; i < MAX_TAILS && best == NULL; i++) {
        const char *const own = tails[VIEW_MAP_DIFFUSE][i];
        if (own == NULL || !common_has_ending(stem, own))
            continue;
        char *base = common_copy(stem);
        base[strlen(base) - strlen(own)] = '\0';
        for (int t = 0; t < MAX_TAILS && tails[map][t] != NULL && best == NULL; t++)
            for (size_t e = 0; endings[e] != NULL && best == NULL; e++)
                for (size_t f = 0; f < files->count && best == NULL; f++)
                    if (common_has_ending(files->names[f], endings[e])
                        && is_called(files->names[f], base, tails[map][t]))
                        best = files->names[f];
        free(base);
    }
    // Files that are called after their purpose alone: "skin.png" has "normals.png".
    const view_name name = view_split_name(stem);
    const bool is_purpose = (view_kind_of_all(&name) & VIEW_WORD_COLOR) != 0;
    for (int t = 0; is_purpose && t < MAX_TAILS && tails[map][t] != NULL && best == NULL; t++)
        for (size_t f = 0; f < files->count && best == NULL; f++)
            if (strlen(tails[map][t]) > 2 && view_is_image(files->names[f])
                && is_called(files->names[f], "", tails[map][t] + 1))
                best = files->names[f];
    free(stem);
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
