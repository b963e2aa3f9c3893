// Image programs: their texts, their operations, their files.
#include "md5/material/image.h"

#include "md5/core/assert.h"
#include "md5/decl/decl_lex.h"
#include "md5/decl/game.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// == Texts ========================================================================================

// -- Grammar --------------------------------------------------------------------------------------

// Operations and their arguments: p a program, n a number. The first argument is a program.
static const struct operation {
    const char *word;
    const char *arguments;
    md5_image_kind kind;
} operations[] = {
    {"heightmap", "pn", MD5_IMAGE_HEIGHTMAP},
    {"addnormals", "pp", MD5_IMAGE_ADD_NORMALS},
    {"smoothnormals", "p", MD5_IMAGE_SMOOTH_NORMALS},
    {"add", "pp", MD5_IMAGE_ADD},
    {"scale", "pnnnn", MD5_IMAGE_SCALE},
    {"invertAlpha", "p", MD5_IMAGE_INVERT_ALPHA},
    {"invertColor", "p", MD5_IMAGE_INVERT_COLOR},
    {"makeIntensity", "p", MD5_IMAGE_MAKE_INTENSITY},
    {"makeAlpha", "p", MD5_IMAGE_MAKE_ALPHA},
};

// An operation whose arguments are being read. All of them form a stack, newest first.
typedef struct open_operation {
    struct open_operation *outer;
    const struct operation *operation;
    size_t argument;
    float values[4];
    uint32_t num_values;
} open_operation;

// A step in the list that is being made, newest first.
typedef struct step_node {
    struct step_node *before;
    md5_image_step step;
} step_node;

typedef struct image_reader {
    md5_decl_lex *lex;
    md5_arena *scratch;
    char *text; // [MD5_IMAGE_TEXT], or NULL
    bool makes_steps;
    step_node *steps;
    uint32_t num_steps;
    open_operation *open;
} image_reader;

// -- Text -----------------------------------------------------------------------------------------

static void append(image_reader *reader, const char *bytes, size_t size)
{
    if (!reader->text)
        return;
    const size_t used = strlen(reader->text);
    const size_t room = MD5_IMAGE_TEXT - 1 - used;
    const size_t added = size < room ? size : room;
    memcpy(reader->text + used, bytes, added);
    reader->text[used + added] = '\0';
}

// Reads a bracket or comma. Another token is reported and lost.
static void match(image_reader *reader, const char *text)
{
    if (md5i_decl_lex_expect(reader->lex, text))
        append(reader, text, 1);
}

static md5_token next_token(image_reader *reader)
{
    md5_token token;
    if (!md5i_decl_lex_read(reader->lex, &token))
        token = (md5_token){.text = ""};
    if (reader->text && reader->text[0])
        append(reader, " ", 1);
    append(reader, token.text, token.size);
    return token;
}

// -- Steps ----------------------------------------------------------------------------------------

static bool add_step(image_reader *reader, const md5_image_step *step)
{
    if (!reader->makes_steps)
        return true;
    step_node *const node = (step_node *)md5i_arena_room(reader->scratch, 1, sizeof *node);
    TRY(node);
    node->before = reader->steps;
    node->step = *step;
    reader->steps = node;
    reader->num_steps++;
    return true;
}

// -- Reading --------------------------------------------------------------------------------------

// Reads names of operations up to that of a file.
static bool read_to_file(image_reader *reader)
{
    for (;;) {
        const md5_token token = next_token(reader);
        const struct operation *const operation =
            MD5_TOKEN_ROW(struct operation, operations, &token);
        if (!operation) {
            if (!reader->makes_steps)
                return true;
            char *const name = md5_copy_text(&reader->lex->game->arena, token.text, token.size);
            TRY(name);
            for (size_t i = 0; i < token.size; i++)
                name[i] = md5_lower(name[i]);
            const md5_image_step step = {.kind = MD5_IMAGE_FILE, .file = name};
            return add_step(reader, &step);
        }
        open_operation *const opened = MD5_NEW(reader->scratch, open_operation, 1);
        TRY(opened);
        opened->outer = reader->open;
        opened->operation = operation;
        reader->open = opened;
        match(reader, "(");
    }
}

// Behind a program: reads the numbers that follow it, and closes operations, up to the next
// program. Sets `is_done` if there is none.
static bool read_to_program(image_reader *reader, bool *is_done)
{
    while (reader->open) {
        open_operation *const open = reader->open;
        const char next = open->operation->arguments[++open->argument];
        if (next == '\0') {
            match(reader, ")");
            const open_operation *const done = reader->open;
            md5_image_step step = {.kind = done->operation->kind};
            memcpy(step.values, done->values, sizeof step.values);
            reader->open = done->outer;
            TRY(add_step(reader, &step));
            continue;
        }
        match(reader, ",");
        if (next == 'p')
            return true;
        const md5_token token = next_token(reader);
        open->values[open->num_values++] = md5i_token_float(&token);
    }
    *is_done = true;
    return true;
}

static bool read_program(image_reader *reader)
{
    bool is_done = false;
    while (!is_done)
        TRY(read_to_file(reader) && read_to_program(reader, &is_done));
    return true;
}

bool md5i_read_image_text(md5_decl_lex *lex, char text[MD5_IMAGE_TEXT])
{
    image_reader reader = {.lex = lex, .scratch = &lex->game->scratch, .text = text};
    text[0] = '\0';
    return read_program(&reader);
}

// -- Programs -------------------------------------------------------------------------------------

bool md5i_make_image_program(md5_game *game, const char *text, md5_image_program *program)
{
    char cleaned[MD5_IMAGE_TEXT];
    md5_decl_lex lex;
    // Write the text by which the engine knows an image: .tga left out everywhere, / for \.
    static const char extension[] = ".tga";
    const size_t skipped = sizeof extension - 1;
    size_t length = 0;
    while (*text && length < MD5_IMAGE_TEXT - 1) {
        if (strncmp(text, extension, skipped) == 0) {
            text += skipped;
        } else {
            cleaned[length++] = *text == '\\' ? '/' : *text;
            text++;
        }
    }
    cleaned[length] = '\0';
    if (length == 0 || md5_is_same_word(cleaned, "default")
        || md5_is_same_word(cleaned, "_default"))
        memcpy(cleaned, "_default", sizeof "_default");
    program->text = md5_copy_text(&game->arena, cleaned, strlen(cleaned));
    TRY(program->text);
    // What is wrong with the text has been reported where it was read first.
    md5i_decl_lex_begin(&lex, game, "", 1, program->text, strlen(program->text));
    lex.is_silent = true;
    image_reader reader = {.lex = &lex, .scratch = &game->scratch, .makes_steps = true};
    TRY(read_program(&reader));
    md5_image_step *const steps = MD5_NEW(&game->arena, md5_image_step, reader.num_steps);
    uint32_t i = reader.num_steps;
    TRY(steps);
    for (const step_node *node = reader.steps; node; node = node->before)
        steps[--i] = node->step;
    program->steps = steps;
    program->num_steps = reader.num_steps;
    return true;
}

// == Sizes ========================================================================================
//
// Resampling as the engine does it: to powers of two when a file is loaded, and to the size of
// another picture in programs.

// The power of two below, or the side itself if it is one.
static uint32_t power_below(uint32_t side)
{
    uint32_t power = 1;
    while (power <= side / 2)
        power *= 2;
    return power;
}

// Columns are sampled in 16.16 fixed point at a quarter and at three quarters of a texel of the
// result, and rows likewise in floats.

static uint32_t column_of(uint32_t step, uint32_t x, uint32_t quarters)
{
    return (uint32_t)((quarters * (uint64_t)(step >> 2) + (uint64_t)x * step) >> 16);
}

static uint32_t row_of(uint32_t y, float offset, uint32_t from, uint32_t to)
{
    return (uint32_t)(((float)y + offset) * (float)from / (float)to);
}

static const uint8_t *texel(const md5_image *image, uint32_t x, uint32_t y)
{
    return image->pixels + ((size_t)y * image->width + x) * MD5_IMAGE_CHANNELS;
}

// Resamples `image` to the powers of two below its sides and frees it; returns it unchanged if both
// are powers of two. If memory runs out, returns NULL and does not free it.
static md5_image *round_image(md5_context *context, md5_image *image)
{
    const uint32_t width = power_below(image->width);
    const uint32_t height = power_below(image->height);
    if (width == image->width && height == image->height)
        return image;
    md5_image *const result = md5i_new_image(context, width, height);
    if (!result)
        return NULL;
    for (uint32_t y = 0; y < height; y++) {
        const uint32_t step = (uint32_t)(((uint64_t)image->width << 16) / result->width);
        const uint32_t above = row_of(y, 0.25f, image->height, result->height);
        const uint32_t below = row_of(y, 0.75f, image->height, result->height);
        uint8_t *to = result->pixels + (size_t)y * result->width * MD5_IMAGE_CHANNELS;
        for (uint32_t x = 0; x < result->width; x++, to += MD5_IMAGE_CHANNELS) {
            const uint32_t left = column_of(step, x, 1);
            const uint32_t right = column_of(step, x, 3);
            const uint8_t *const a = texel(image, left, above);
            const uint8_t *const b = texel(image, right, above);
            const uint8_t *const c = texel(image, left, below);
            const uint8_t *const d = texel(image, right, below);
            for (uint32_t i = 0; i < MD5_IMAGE_CHANNELS; i++)
                to[i] = (uint8_t)((a[i] + b[i] + c[i] + d[i]) >> 2);
        }
    }
    md5i_drop_image(context, image);
    return result;
}

// The texel of `other` that lies over column x and row y of `image`: the nearest one above and
// left of it.
static const uint8_t *texel_over(const md5_image *image, const md5_image *other, uint32_t x,
                                 uint32_t y)
{
    const uint32_t column = (uint32_t)((uint64_t)x * other->width / image->width);
    const uint32_t row = (uint32_t)((y + 0.25) * other->height / image->height);
    return texel(other, column, row);
}

// == Normal maps ==================================================================================
//
// Normal maps. A channel c is the coordinate (c - 128) / 127, and is written as the engine writes
// it: 128 + 127 x, cut off.

// The engine's reciprocal square root: one Newton step from a guess by the bits of the number, too
// small by up to 0.2 %. So z of a flat normal map is 254, not 255. Results must equal the engine's.
static float fast_inverse_root(float x)
{
    const float half = x * 0.5f;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = UINT32_C(0x5f3759df) - (bits >> 1);
    memcpy(&x, &bits, sizeof x);
    return x * (1.5f - x * x * half);
}

static float squared_length(const float v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

static void normalize_fast(float v[3])
{
    const float factor = fast_inverse_root(squared_length(v));
    for (uint32_t i = 0; i < 3; i++)
        v[i] *= factor;
}

static void write_normal(uint8_t *texel, const float normal[3])
{
    for (uint32_t i = 0; i < 3; i++)
        texel[i] = md5_lowest_byte(normal[i] * 127.0f + 128.0f);
}

// -- Heights --------------------------------------------------------------------------------------

// The normal of a texel: the mean of those of two triangles, above left and below right of the
// diagonal of the square between it and its neighbors.
static void height_normal(float here, float right, float below, float across, float scale,
                          float normal[3])
{
    float first[3] = {-(right - here) * scale, -(below - here) * scale, 1.0f};
    float second[3] = {-(across - below) * scale, (here - below) * scale, 1.0f};
    normalize_fast(first);
    normalize_fast(second);
    for (uint32_t i = 0; i < 3; i++)
        normal[i] = first[i] + second[i];
    normalize_fast(normal);
}

// Operations of image programs that need more than one texel. They change `image`; the second
// picture may have another size. Return false if memory runs out.
static bool make_heights_normals(md5_context *context, md5_image *image, float scale)
{
    const size_t count = md5_image_texels(image);
    uint8_t *const heights = (uint8_t *)md5i_alloc(context, count);
    TRY(heights);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *const texel = image->pixels + MD5_IMAGE_CHANNELS * i;
        heights[i] = (uint8_t)((texel[0] + texel[1] + texel[2]) / 3);
    }
    for (uint32_t y = 0; y < image->height; y++) {
        const uint32_t width = image->width;
        const uint8_t *const here = heights + (size_t)y * width;
        const uint8_t *const below = heights + (size_t)((y + 1) % image->height) * width;
        uint8_t *texel = image->pixels + (size_t)y * width * MD5_IMAGE_CHANNELS;
        for (uint32_t x = 0; x < width; x++, texel += MD5_IMAGE_CHANNELS) {
            const uint32_t next = x + 1 < width ? x + 1 : 0;
            float normal[3];
            height_normal(here[x], here[next], below[x], below[next], scale / 256.0f, normal);
            write_normal(texel, normal);
            texel[3] = 255;
        }
    }
    md5i_free(context, heights, count);
    return true;
}

// -- Smoothing ------------------------------------------------------------------------------------

// Adds the normals of a texel, its left and its right neighbor.
static void add_three(const uint8_t *row, uint32_t width, uint32_t x, int sum[3])
{
    const uint32_t columns[3] = {x > 0 ? x - 1 : width - 1, x, x + 1 < width ? x + 1 : 0};
    for (uint32_t i = 0; i < 3; i++) {
        const uint8_t *const texel = row + (size_t)columns[i] * MD5_IMAGE_CHANNELS;
        const bool is_unused =
            texel[0] == texel[1] && texel[0] == texel[2] && (texel[0] == 0 || texel[0] == 128);
        for (int axis = 0; axis < 3 && !is_unused; axis++)
            sum[axis] += texel[axis] - 128;
    }
}

// Operations of image programs that need more than one texel. They change `image`; the second
// picture may have another size. Return false if memory runs out.
static bool smooth_normals(md5_context *context, md5_image *image)
{
    const size_t stride = (size_t)image->width * MD5_IMAGE_CHANNELS;
    const size_t size = stride * image->height;
    uint8_t *const source = (uint8_t *)md5i_alloc(context, size);
    TRY(source);
    memcpy(source, image->pixels, size);
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *const above = source + stride * (y > 0 ? y - 1 : image->height - 1);
        const uint8_t *const below = source + stride * (y + 1 < image->height ? y + 1 : 0);
        for (uint32_t x = 0; x < image->width; x++) {
            int sum[3] = {0, 0, 0};
            add_three(above, image->width, x, sum);
            add_three(source + stride * y, image->width, x, sum);
            add_three(below, image->width, x, sum);
            const float vector[3] = {(float)sum[0], (float)sum[1], (float)sum[2]};
            const float length = sqrtf(squared_length(vector));
            const float factor = length > 0.0f ? 1.0f / length : 0.0f;
            for (uint32_t i = 0; i < 3; i++)
                (image->pixels + stride * y + (size_t)x * MD5_IMAGE_CHANNELS)[i] =
                    md5_lowest_byte(128.0f + 127.0f * (vector[i] * factor));
        }
    }
    md5i_free(context, source, size);
    return true;
}

// -- Sums -----------------------------------------------------------------------------------------

static float coordinate(uint8_t channel)
{
    return ((float)channel - 128.0f) / 127.0f;
}

static void add_normals(md5_image *image, const md5_image *other)
{
    uint8_t *texel = image->pixels;
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++, texel += MD5_IMAGE_CHANNELS) {
            // x and y of the other normal are added. z stays, but is computed for length 1 if the
            // first normal is shorter. With the engine's fast root, lengths up to 1.002 count as
            // shorter.
            const uint8_t *const added = texel_over(image, other, x, y);
            float normal[3] = {coordinate(texel[0]), coordinate(texel[1]), coordinate(texel[2])};
            const float squared = squared_length(normal);
            if (squared * fast_inverse_root(squared) < 1.0f) {
                const float rest = 1.0f - normal[0] * normal[0] - normal[1] * normal[1];
                normal[2] = rest > 0.0f ? sqrtf(rest) : 0.0f;
            }
            normal[0] += coordinate(added[0]);
            normal[1] += coordinate(added[1]);
            const float length = sqrtf(squared_length(normal));
            for (uint32_t i = 0; i < 3; i++)
                normal[i] = length > 0.0f ? normal[i] / length : 0.0f;
            write_normal(texel, normal);
            texel[3] = 255;
        }
    }
}

// == Built-in pictures ============================================================================
//
// Built-in pictures, whose names begin with _. The engine makes them by code when it starts, so
// that no file is ever looked for. Sizes and contents are the engine's; `_flat` and `_ambient` are
// as in files of normals, while the engine stores x in the channel where its shaders expect it.

// Colors are 0xAABBGGRR here.
typedef uint32_t fill_fn(uint32_t x, uint32_t y);

enum { WHITE = 0xFFFFFF }; // without alpha

// The same number in all channels.
static uint32_t all_channels(uint32_t value)
{
    return value * UINT32_C(0x01010101);
}

static uint32_t fill_notch(uint32_t x, uint32_t y)
{
    (void)y;
    return x == 0 ? WHITE : UINT32_MAX;
}

static uint32_t fill_ramp(uint32_t x, uint32_t y)
{
    (void)y;
    return all_channels(x);
}

static uint32_t fill_frame(uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    return x > 0 && y > 0 && x < width - 1 && y < height - 1 ? UINT32_MAX : 0;
}

static uint32_t fill_border(uint32_t x, uint32_t y)
{
    return fill_frame(x, y, 32, 32);
}

static uint32_t fill_no_falloff(uint32_t x, uint32_t y)
{
    return fill_frame(x, y, 64, 16);
}

// The highlight that the engine's shaders have: ( 4 ( x - 3/4 ) )^2 from 3/4 on.
static uint32_t fill_specular(uint32_t x, uint32_t y)
{
    (void)y;
    const float rise = (float)((((float)x / 255.0f) - 0.75) * 4.0);
    const uint32_t value = rise > 0.0f ? (uint32_t)(rise * rise * 255.0f) : 0;
    return all_channels(value);
}

// Light that falls with the square of the distance from the middle.
static uint32_t fill_quadratic(uint32_t x, uint32_t y)
{
    (void)y;
    const float near_middle = 1.0f - (fabsf((float)x - 15.5f) - 0.5f) / 16.0f;
    const uint32_t value = (uint32_t)(near_middle * near_middle * 255.0f);
    return all_channels(value) | UINT32_C(0xFF000000);
}

// Fog over the distance from the middle; each 255th of the radius leaves 0.982 of the light.
static uint32_t fill_fog(uint32_t x, uint32_t y)
{
    enum { SIDE = 128, MIDDLE = SIDE / 2 };
    const float dx = (float)x - (float)MIDDLE;
    const float dy = (float)y - (float)MIDDLE;
    const float steps = sqrtf(dx * dx + dy * dy) / (float)(MIDDLE - 1) * 255.0f;
    const bool is_edge = x == 0 || y == 0 || x == SIDE - 1 || y == SIDE - 1;
    const uint32_t num_steps = (uint32_t)steps & 255; // a byte
    float left = 1.0f;
    for (uint32_t i = 0; i < num_steps; i++)
        left *= 0.982f;
    return WHITE | (is_edge ? 255 : (uint32_t)(255.0 * (1.0 - left))) << 24;
}

// The share of a line of sight that lies in fog, by the heights of its ends over the plane where
// the fog begins: the fog grows over RAMP below it, and a line with an end below DEEP has all of
// it.
static float fog_fraction(float view, float target)
{
    const float RAMP = 8.0f;
    const float DEEP = 30.0f;
    const float upper = fmaxf(view, target);
    const float lower = fminf(view, target);
    const float length = upper - lower;
    if (lower > 0.0f)
        return 0.0f;
    if (upper < -RAMP)
        return 1.0f;
    if (length <= 0.0f)
        return -view / RAMP;
    const float above = fmaxf(upper, 0.0f);
    const float top = fminf(upper, 0.0f);
    const float bottom = fmaxf(lower, -RAMP);
    // The fog that is missing inside the ramp: the mean of its ends, times the length.
    const float lacking = (1.0f + (top + bottom) / RAMP * 0.5f) * (top - bottom);
    const float depth = -lower / DEEP;
    if (depth >= 1.0f)
        return 1.0f;
    return (length - above - lacking) / length * (1.0f - depth) + depth;
}

// Fog near its plane: columns are heights of the eye, rows those of what is seen, 32 being the
// plane.
static uint32_t fill_fog_enter(uint32_t x, uint32_t y)
{
    const float fraction = fog_fraction((float)x - 32.0f, (float)y - 32.0f);
    return WHITE | (uint32_t)(fraction * 255.0f) << 24;
}

// Highlights of all exponents: ( x / 255 )^y. Products instead of pow(), which differs between
// systems in the last bit; bytes are cut off, and so may be 1 less than where floats are rounded.
static uint32_t fill_specular_2d(uint32_t x, uint32_t y)
{
    const double base = ((float)x / 255.0f);
    double power = 255.0;
    for (uint32_t i = 0; i < y && power >= 1.0; i++)
        power *= base;
    const uint32_t value = (uint32_t)power;
    return all_channels(value);
}

// Directions as colors on the sides of a cube, in OpenGL's order and orientation of sides: +x, -x,
// +y, -y, +z, -z.
static uint32_t fill_normal_cube(uint32_t x, uint32_t y)
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
    uint32_t color = 255;
    for (int i = 2; i >= 0; i--)
        color = color << 8 | (uint32_t)(128.0f + scale * direction[i]);
    return color;
}

static const struct builtin_image {
    const char *name; // lower case
    uint32_t width;
    uint32_t height;
    fill_fn *fill; // NULL: all of `color`; without a width: made while drawing
    md5_image_repeat repeat;
    bool is_nearest; // not filtered
    uint32_t color;
} builtin_images[] = {
    {"_default", 16, 16, NULL, MD5_IMAGE_REPEAT, false, 0},
    {"_white", 16, 16, NULL, MD5_IMAGE_REPEAT, false, UINT32_MAX},
    {"_black", 16, 16, NULL, MD5_IMAGE_REPEAT, false, 0},
    {"_flat", 2, 2, NULL, MD5_IMAGE_REPEAT, false, 0xFFFF8080},
    // The direction that the engine's ambient lights come from: ( 0.5 0.115 0.8925 ) times 255.
    {"_ambient", 2, 2, NULL, MD5_IMAGE_REPEAT, false, 0xFFE31D7F},
    {"_alphanotch", 2, 1, fill_notch, MD5_IMAGE_CLAMP, true, 0},
    {"_ramp", 256, 1, fill_ramp, MD5_IMAGE_CLAMP, true, 0},
    {"_alpharamp", 256, 1, fill_ramp, MD5_IMAGE_CLAMP, true, 0},
    {"_borderclamp", 32, 32, fill_border, MD5_IMAGE_CLAMP_BORDER, false, 0},
    {"_nofalloff", 64, 16, fill_no_falloff, MD5_IMAGE_CLAMP_ZERO, false, 0},
    {"_speculartable", 256, 1, fill_specular, MD5_IMAGE_CLAMP, false, 0},
    {"_specular2dtable", 256, 256, fill_specular_2d, MD5_IMAGE_CLAMP, false, 0},
    {"_quadratic", 32, 4, fill_quadratic, MD5_IMAGE_CLAMP, false, 0},
    {"_fog", 128, 128, fill_fog, MD5_IMAGE_CLAMP, false, 0},
    {"_fogenter", 64, 64, fill_fog_enter, MD5_IMAGE_CLAMP, false, 0},
    {"_normalcubemap", 32, 6 * 32, fill_normal_cube, MD5_IMAGE_REPEAT, false, 0},
    {"_scratchcubemap", 32, 6 * 32, fill_normal_cube, MD5_IMAGE_REPEAT, false, 0}, // until drawn
    {"_currentrender", 0, 0, NULL, MD5_IMAGE_REPEAT, false, 0},
    {"_scratch", 0, 0, NULL, MD5_IMAGE_REPEAT, false, 0},
    {"_scratch2", 0, 0, NULL, MD5_IMAGE_REPEAT, false, 0},
    {"_accum", 0, 0, NULL, MD5_IMAGE_REPEAT, false, 0},
    {"_cinematic", 0, 0, NULL, MD5_IMAGE_REPEAT, false, 0},
};

// Returns the built-in picture of a name in lower case, or NULL.
static const struct builtin_image *find_builtin(const char *name)
{
    return (const struct builtin_image *)md5i_find_row(
        name, builtin_images, MD5_COUNT(builtin_images), sizeof builtin_images[0]);
}

void md5i_set_builtin_sampling(const char *name, md5_stage *stage)
{
    const struct builtin_image *const builtin = find_builtin(name);
    stage->repeat = builtin ? builtin->repeat : MD5_IMAGE_REPEAT;
    stage->filter = builtin && builtin->is_nearest ? MD5_FILTER_NEAREST : MD5_FILTER_DEFAULT;
}

// Makes a built-in picture. Returns NULL and sets `error` if memory runs out, or if the engine
// makes the picture while drawing.
static md5_image *make_builtin_image(const char *name, const md5_image_opts *opts, md5_error *error)
{
    md5_context context;
    const struct builtin_image *const builtin = find_builtin(name);
    md5_image_opts named = opts ? *opts : (md5_image_opts){.file_name = NULL};
    named.file_name = name;
    md5i_image_begin(&context, &named, error);
    if (builtin->width == 0) {
        MD5_FAIL(&context, MD5_ERROR_MISMATCH, "%s is created by the game while it runs", name);
        return NULL;
    }
    md5_image *const image = md5i_new_image(&context, builtin->width, builtin->height);
    for (uint32_t y = 0; image && y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++) {
            const uint32_t color = builtin->fill ? builtin->fill(x, y) : builtin->color;
            for (uint32_t i = 0; i < MD5_IMAGE_CHANNELS; i++)
                image->pixels[((size_t)y * image->width + x) * MD5_IMAGE_CHANNELS + i] =
                    (uint8_t)(color >> 8 * i);
        }
    }
    return image;
}

// == Files ========================================================================================
//
// Pictures of a game: which files are tried for a name, and what became of each.

// A name of a program, with `dds/` before it and an ending.
enum { LONGEST_PATH = MD5_IMAGE_TEXT + 16 };

// A search for the picture of a name.
typedef struct image_search {
    md5_game *game;
    const md5_image_opts *opts;
    md5_image *image;                            // what was found
    const md5_game_entry *at;                    // its file
    char tried[sizeof((md5_error *)0)->message]; // each name, and why it failed
    md5_error error;                             // the first one of a file that exists
} image_search;

// -- Names ----------------------------------------------------------------------------------------

// Writes the file of the compressed form of an image program: characters that no file name can have
// are replaced or dropped. The first four separators become folders, later ones blanks.
static void compressed_path(char path[LONGEST_PATH], const char *text)
{
    enum { MAX_FOLDERS = 4 };
    size_t length = strlen("dds/");
    size_t num_folders = 0;
    memcpy(path, "dds/", sizeof "dds/");
    for (; *text && length < LONGEST_PATH - sizeof ".dds"; text++) {
        if (strchr("/\\(", *text))
            path[length++] = num_folders++ < MAX_FOLDERS ? '/' : ' ';
        else if (strchr("<>:|\".", *text))
            path[length++] = '_';
        else if (!strchr("),", *text) && !(*text == ' ' && path[length - 1] == '/'))
            path[length++] = *text;
    }
    memcpy(path + length, ".dds", sizeof ".dds");
}

// Returns where the extension of a name begins, or the end of the name if there is none.
static const char *extension_of(const char *name)
{
    const char *const dot = strrchr(name, '.');
    return dot && !strchr(dot, '/') ? dot : name + strlen(name);
}

// -- Trying ---------------------------------------------------------------------------------------

// Writes candidate `number` for the file of a name: the engine's .tga and .jpg, then .png, which
// later engines take. Returns false if there is no further one.
static bool candidate(char path[LONGEST_PATH], const char *name, size_t number)
{
    static const char *const endings[] = {".tga", ".jpg", ".png"};
    const char *const extension = extension_of(name);
    const bool is_replaced = *extension == '\0' || md5_is_same_word(extension, ".tga");
    const size_t stem = (size_t)(extension - name);
    if (strlen(name) + sizeof ".tga" > LONGEST_PATH
        || number >= (is_replaced ? MD5_COUNT(endings) : 1))
        return false;
    memcpy(path, name, strlen(name) + 1);
    if (is_replaced)
        memcpy(path + stem, endings[number], sizeof ".tga");
    return true;
}

const char *md5_game_image_file(const md5_game *game, const char *name)
{
    enum { MAX_TRIED = 2 }; // as in the engine
    char path[LONGEST_PATH];
    const md5_game_entry *entry = NULL;
    MD5_ASSERT_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_NOT_NULL(name);
    for (size_t i = 0; name[0] != '_' && !entry && i < MAX_TRIED && candidate(path, name, i); i++)
        entry = md5i_game_find_file(game, path);
    return entry ? entry->spelled : NULL;
}

// Adds a name and why it failed. Text that does not fit is cut.
static void note_failure(image_search *search, const char *name, const char *reason)
{
    const size_t used = strlen(search->tried);
    (void)snprintf(search->tried + used, sizeof search->tried - used, "%s%s: %s", used ? "; " : "",
                   name, reason);
}

// Reads and decodes a file. Its bytes count as memory of the search path, not of the picture.
static md5_image *read_image(image_search *search, const md5_game_entry *entry, md5_error *error)
{
    md5_image_opts opts = search->opts ? *search->opts : (md5_image_opts){.file_name = NULL};
    size_t size = 0;
    const char *const bytes = md5i_game_open_file(search->game, entry, 0, &size, error);
    error->message[sizeof error->message - 1] = '\0';
    if (!bytes) {
        error->status = MD5_ERROR_IO;
        return NULL;
    }
    opts.file_name = entry->spelled;
    md5_image *const image = md5_parse_image(bytes, size, &opts, error);
    md5i_game_close_file(search->game, entry, bytes, size);
    return image;
}

// Tries a file; in messages it is called `shown`. Returns whether the search has ended.
static bool try_file(image_search *search, const char *path, const char *shown)
{
    md5_error error = {.status = MD5_OK};
    const md5_game_entry *const entry = md5i_game_find_file(search->game, path);
    if (!entry) {
        note_failure(search, shown, "file not found");
        return false;
    }
    search->at = entry;
    search->image = read_image(search, entry, &error);
    if (search->image)
        return true;
    note_failure(search, shown, error.message);
    if (search->error.status == MD5_OK)
        search->error = error;
    return error.status == MD5_ERROR_MEMORY;
}

// Tries a name with each extension that its file may have.
static bool try_extensions(image_search *search, const char *name)
{
    char path[LONGEST_PATH];
    for (size_t i = 0; candidate(path, name, i); i++) {
        if (try_file(search, path, extension_of(path)))
            return true;
    }
    return false;
}

static bool try_compressed(image_search *search, const char *text)
{
    char path[LONGEST_PATH];
    compressed_path(path, text);
    return try_file(search, path, path);
}

// -- Results --------------------------------------------------------------------------------------

// Loads a file that a program names.
static md5_image *load_named(md5_game *game, const char *file, const md5_image_opts *opts,
                             md5_error *error)
{
    image_search search = {.game = game, .opts = opts};
    if (md5_is_lenient(game) && find_builtin(file))
        return make_builtin_image(file, opts, error);
    if (!try_extensions(&search, file))
        (void)try_compressed(&search, file);
    if (search.image && search.error.status != MD5_OK) {
        // A damaged file was tried before the one that was read.
        md5_decl_lex nowhere;
        md5i_decl_lex_begin(&nowhere, game, file, 0, "", 0);
        md5i_decl_lex_warn(&nowhere, "%s; using %s instead", search.tried, search.at->spelled);
    }
    if (search.image)
        return search.image;
    md5_error_clear(error);
    error->status = search.error.status != MD5_OK ? search.error.status : MD5_ERROR_IO;
    (void)snprintf(error->file, sizeof error->file, "%s", file);
    memcpy(error->message, search.tried, sizeof error->message);
    return NULL;
}

// -- Evaluation -----------------------------------------------------------------------------------

// The run of a program. Its steps are run one after the other over a stack of pictures.
typedef struct image_run {
    md5_context context;
    const md5_image_opts *opts; // may be NULL
    md5_game *game;
    md5_image **stack; // [room]
    size_t room;
    size_t depth;
} image_run;

// -- Operations on single texels ------------------------------------------------------------------

static void add_images(md5_image *image, const md5_image *other)
{
    uint8_t *texel = image->pixels;
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++, texel += MD5_IMAGE_CHANNELS) {
            const uint8_t *const added = texel_over(image, other, x, y);
            for (uint32_t i = 0; i < MD5_IMAGE_CHANNELS; i++)
                texel[i] = (uint8_t)(texel[i] + added[i] < 255 ? texel[i] + added[i] : 255);
        }
    }
}

static void change_texels(const md5_image_step *step, md5_image *image)
{
    const size_t count = md5_image_texels(image);
    for (size_t i = 0; i < count; i++) {
        uint8_t *const texel = image->pixels + MD5_IMAGE_CHANNELS * i;
        switch (step->kind) {
        case MD5_IMAGE_SCALE:
            for (uint32_t k = 0; k < MD5_IMAGE_CHANNELS; k++)
                texel[k] = md5_lowest_byte((float)texel[k] * step->values[k]);
            break;
        case MD5_IMAGE_INVERT_ALPHA:
            texel[3] = (uint8_t)(255 - texel[3]);
            break;
        case MD5_IMAGE_INVERT_COLOR:
            for (uint32_t k = 0; k < 3; k++)
                texel[k] = (uint8_t)(255 - texel[k]);
            break;
        case MD5_IMAGE_MAKE_INTENSITY:
            texel[1] = texel[2] = texel[3] = texel[0];
            break;
        default: // MD5_IMAGE_MAKE_ALPHA
            texel[3] = (uint8_t)((texel[0] + texel[1] + texel[2]) / 3);
            texel[0] = texel[1] = texel[2] = 255;
            break;
        }
    }
}

// -- Steps ----------------------------------------------------------------------------------------

static bool run_step(image_run *run, const md5_image_step *step)
{
    if (step->kind == MD5_IMAGE_FILE) {
        md5_image_opts opts = run->opts ? *run->opts : (md5_image_opts){.file_name = NULL};
        md5_error reason = {.status = MD5_OK};
        opts.allocator = run->context.allocator;
        opts.allocator.limit -= run->context.memory_held;
        opts.file_name = step->file;
        // 0 would mean the default.
        opts.allocator.limit += opts.allocator.limit == 0;
        md5_image *image = load_named(run->game, step->file, &opts, &reason);
        if (!image) {
            reason.status = reason.status == MD5_OK ? MD5_ERROR_IO : reason.status;
            return md5i_fail_as(&run->context, &reason);
        }
        run->context.memory_held += image->size;
        md5_image *const rounded = opts.keep_size ? image : round_image(&run->context, image);
        run->stack[run->depth++] = rounded ? rounded : image;
        return rounded != NULL;
    }
    md5_image *const last = run->stack[run->depth - 1];
    switch (step->kind) {
    case MD5_IMAGE_HEIGHTMAP:
        return make_heights_normals(&run->context, last, step->values[0]);
    case MD5_IMAGE_SMOOTH_NORMALS:
        return smooth_normals(&run->context, last);
    case MD5_IMAGE_ADD_NORMALS:
    case MD5_IMAGE_ADD:
        run->depth--;
        if (step->kind == MD5_IMAGE_ADD)
            add_images(run->stack[run->depth - 1], last);
        else
            add_normals(run->stack[run->depth - 1], last);
        md5i_drop_image(&run->context, last);
        return true;
    default:
        change_texels(step, last);
        return true;
    }
}

// -- Program --------------------------------------------------------------------------------------

static bool is_pair(md5_image_kind kind)
{
    return kind == MD5_IMAGE_ADD || kind == MD5_IMAGE_ADD_NORMALS;
}

// Finds the greatest depth of the stack of pictures. Returns false if the steps form no tree.
static bool measure(const md5_image_program *program, size_t *room)
{
    size_t depth = 0;
    *room = 0;
    for (uint32_t i = 0; i < program->num_steps; i++) {
        const md5_image_step *const step = &program->steps[i];
        if (step->kind == MD5_IMAGE_FILE) {
            TRY(step->file);
            depth++;
        } else {
            TRY(depth >= (is_pair(step->kind) ? 2u : 1u));
            TRY(step->kind >= MD5_IMAGE_FILE && step->kind <= MD5_IMAGE_MAKE_ALPHA);
            depth -= is_pair(step->kind);
        }
        *room = depth > *room ? depth : *room;
    }
    return depth == 1;
}

static bool run_program(image_run *run, const md5_image_program *program)
{
    if (program->num_steps == 0)
        return MD5_FAIL(&run->context, MD5_ERROR_SYNTAX, "image program is empty");
    if (!measure(program, &run->room))
        return MD5_FAIL(&run->context, MD5_ERROR_SYNTAX,
                        "invalid image program: its steps do not form a tree");
    run->stack = (md5_image **)md5i_alloc(&run->context, run->room * sizeof *run->stack);
    TRY(run->stack);
    for (uint32_t i = 0; i < program->num_steps; i++)
        TRY(run_step(run, &program->steps[i]));
    return true;
}

// -- Pictures -------------------------------------------------------------------------------------

// Loads the compressed form of a program's result, which many game folders have instead of its
// files. If it is damaged and `is_first`, that is a warning.
static md5_image *load_compressed(md5_game *game, const md5_image_program *program,
                                  const md5_image_opts *opts, bool is_first)
{
    image_search search = {.game = game, .opts = opts};
    md5_decl_lex nowhere;
    if (try_compressed(&search, program->text))
        return search.image;
    if (is_first && search.error.status != MD5_OK) {
        md5i_decl_lex_begin(&nowhere, game, program->text, 0, "", 0);
        md5i_decl_lex_warn(&nowhere, "%s", search.tried);
    }
    return NULL;
}

// When a file was last changed: see md5_game_path.time.
static int64_t file_time(const md5_game *game, const md5_game_entry *entry)
{
    const md5_game_path *const path = &game->paths[entry->path];
    return path->time ? path->time(path->user, entry->file) : 0;
}

// Whether the compressed form of a program is older than a file that the program names.
static bool is_outdated(const md5_game *game, const md5_image_program *program)
{
    char path[LONGEST_PATH];
    compressed_path(path, program->text);
    const md5_game_entry *const compressed = md5i_game_find_file(game, path);
    const int64_t time = compressed ? file_time(game, compressed) : 0;
    bool is_newer = false;
    for (uint32_t step = 0; compressed && step < program->num_steps && !is_newer; step++) {
        const char *const file = program->steps[step].file;
        const md5_game_entry *source = NULL;
        for (size_t i = 0; file && !source && candidate(path, file, i); i++)
            source = md5i_game_find_file(game, path);
        is_newer = source && file_time(game, source) > time;
    }
    return is_newer;
}

md5_image *md5_load_image(md5_game *game, const md5_image_program *program,
                          const md5_image_opts *opts, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    if (!game) {
        md5i_fail_missing(error, "game");
        return NULL;
    }
    MD5_ASSERT_NOT_NULL(program);
    MD5_ASSERT_IMAGE_OPTS(opts);
    (void)md5_game_begin(game, NULL);
    const char *const first = program->num_steps == 1 ? program->steps[0].file : NULL;
    if (first && find_builtin(first))
        return make_builtin_image(first, opts, error);
    md5_error reason = {.status = MD5_OK};
    const bool is_first = opts && opts->compressed_first && !is_outdated(game, program);
    md5_image *image = is_first ? load_compressed(game, program, opts, true) : NULL;
    if (!image) {
        // Computes the picture of a program.
        image_run run = {.opts = opts, .game = game};
        md5i_image_begin(&run.context, opts, &reason);
        md5_image *result = NULL;
        if (run_program(&run, program))
            result = run.stack[--run.depth];
        while (run.depth > 0)
            md5i_drop_image(&run.context, run.stack[--run.depth]);
        md5i_free(&run.context, run.stack, run.room * sizeof *run.stack);
        image = result;
    }
    if (!image && reason.status == MD5_ERROR_IO && program->num_steps > 1)
        image = load_compressed(game, program, opts, false);
    if (!image && error)
        *error = reason;
    return image;
}

bool md5_game_image_program(md5_game *game, const char *text, md5_image_program *program,
                            md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    char whole[MD5_IMAGE_TEXT];
    md5_decl_lex lex;
    TRY(md5_game_begin(game, error));
    MD5_ASSERT_NOT_NULL(text);
    MD5_ASSERT_NOT_NULL(program);
    md5i_decl_lex_begin(&lex, game, text, 1, text, strlen(text));
    const md5_arena_mark before = md5i_arena_here(&game->scratch);
    const bool is_made =
        md5i_read_image_text(&lex, whole) && md5i_make_image_program(game, whole, program);
    md5i_arena_rewind(&game->scratch, before);
    md5_game_end(game);
    return is_made;
}
