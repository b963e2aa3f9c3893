// Image programs, such as `addnormals ( a , heightmap ( b , 4 ) )`.
//
// `image_reader` parses the text of a program into steps in postfix order: operands precede their
// operation. Therefore programs of any depth need no recursion. `image_run` executes the steps
// on a stack of images. `image_search` tries the files that may contain the image of a name. This
// file also contains resampling, operations on normal maps, and the built-in images.
#include "md5/material/image.h"

#include "md5/core/assert.h"
#include "md5/decl/decl_lex.h"
#include "md5/decl/game.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// == Texts ========================================================================================

// -- Grammar --------------------------------------------------------------------------------------

// The operations of image programs, and the types of their arguments.
static const struct operation {
    const char *keyword;
    const char *arguments; // 'p' a program, 'n' a number; the first argument is a program
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

// An operation whose arguments are being read. The open operations form a stack.
typedef struct open_operation {
    struct open_operation *outer;
    const struct operation *operation;
    size_t argument; // index of the current argument
    float values[4]; // the arguments that are numbers
    uint32_t num_values;
} open_operation;

// A finished step. The steps form a list, newest first.
typedef struct step_node {
    struct step_node *previous;
    md5_image_step step;
} step_node;

// The state of the reader. A program is read for its text, for its steps, or for both.
typedef struct image_reader {
    md5_decl_lex *lex;
    md5_arena *scratch;
    char *text;       // [MD5_IMAGE_TEXT], receives the text; NULL if not requested
    bool adds_steps;  // `steps` are requested
    step_node *steps; // newest step
    uint32_t num_steps;
    open_operation *open; // innermost open operation
} image_reader;

// -- Text -----------------------------------------------------------------------------------------

// Appends bytes to the text. Bytes past its capacity are dropped.
static void append_text(image_reader *reader, const char *bytes, size_t size)
{
    if (!reader->text)
        return;
    const size_t used = strlen(reader->text);
    const size_t available = MD5_IMAGE_TEXT - 1 - used;
    const size_t added = size < available ? size : available;
    memcpy(reader->text + used, bytes, added);
    reader->text[used + added] = '\0';
}

// Reads a bracket or comma. Any other token is reported and skipped.
static void read_separator(image_reader *reader, const char *text)
{
    if (md5i_decl_lex_expect(reader->lex, text))
        append_text(reader, text, 1);
}

// Reads a token and appends it to the text. Returns an empty token at the end of the file.
static md5_token next_token(image_reader *reader)
{
    md5_token token;
    if (!md5i_decl_lex_read(reader->lex, &token))
        token = (md5_token){.text = ""};
    if (reader->text && reader->text[0])
        append_text(reader, " ", 1);
    append_text(reader, token.text, token.size);
    return token;
}

// -- Steps ----------------------------------------------------------------------------------------

// Appends a step to the list, if steps are requested. Returns false if memory runs out.
static bool add_step(image_reader *reader, const md5_image_step *step)
{
    if (!reader->adds_steps)
        return true;
    step_node *const node = (step_node *)md5i_arena_alloc_raw(reader->scratch, 1, sizeof *node);
    TRY(node);
    node->previous = reader->steps;
    node->step = *step;
    reader->steps = node;
    reader->num_steps++;
    return true;
}

// -- Reading --------------------------------------------------------------------------------------

// Appends the step that loads a file. Its name is converted to lower case.
static bool add_file_step(image_reader *reader, const md5_token *token)
{
    if (!reader->adds_steps)
        return true;
    char *const name = md5_copy_text(&reader->lex->game->arena, token->text, token->size);
    TRY(name);
    for (size_t i = 0; i < token->size; i++)
        name[i] = md5_lower(name[i]);
    const md5_image_step step = {.kind = MD5_IMAGE_FILE, .file = name};
    return add_step(reader, &step);
}

// Pushes an operation whose name was just read, and reads its opening bracket.
static bool open_image_operation(image_reader *reader, const struct operation *operation)
{
    open_operation *const opened = MD5_ALLOC_ZEROED(reader->scratch, open_operation, 1);
    TRY(opened);
    opened->outer = reader->open;
    opened->operation = operation;
    reader->open = opened;
    read_separator(reader, "(");
    return true;
}

// Reads the closing bracket of the innermost operation and removes the operation from the stack.
// Appends its step, which follows the steps of its arguments.
static bool close_image_operation(image_reader *reader)
{
    read_separator(reader, ")");
    const open_operation *const closed = reader->open;
    md5_image_step step = {.kind = closed->operation->kind};
    memcpy(step.values, closed->values, sizeof step.values);
    reader->open = closed->outer;
    return add_step(reader, &step);
}

// Reads an argument that is a program, up to its first file. Opens operations until a token is not
// the name of an operation. Appends this token as a file. Returns false if memory runs out.
static bool read_to_file(image_reader *reader)
{
    for (;;) {
        const md5_token token = next_token(reader);
        const struct operation *const operation =
            MD5_FIND_TOKEN(struct operation, operations, &token);
        if (!operation)
            return add_file_step(reader, &token);
        TRY(open_image_operation(reader, operation));
    }
}

// Continues after an argument that is a program. Reads the following numbers and closes operations,
// until the next argument is a program. Sets `is_done` if no operation is open any more. Returns
// false if memory runs out.
static bool read_to_program(image_reader *reader, bool *is_done)
{
    while (reader->open) {
        open_operation *const open = reader->open;
        open->argument++;
        const char type = open->operation->arguments[open->argument];
        if (type == '\0') { // it was the last argument
            TRY(close_image_operation(reader));
            continue;
        }

        read_separator(reader, ",");
        if (type == 'p')
            return true;
        const md5_token token = next_token(reader);
        open->values[open->num_values++] = md5i_token_float(&token);
    }
    *is_done = true;
    return true;
}

// Reads a program. Each iteration reads one file and the text around it. Returns false if memory
// runs out.
static bool read_image_program(image_reader *reader)
{
    bool is_done = false;
    while (!is_done)
        TRY(read_to_file(reader) && read_to_program(reader, &is_done));
    return true;
}

// Reads a program and writes its text: the tokens, separated by one space, without a space before
// `(`, `,` and `)`.
bool md5i_read_image_text(md5_decl_lex *lex, char text[MD5_IMAGE_TEXT])
{
    image_reader reader = {.lex = lex, .scratch = &lex->game->scratch, .text = text};
    text[0] = '\0';
    return read_image_program(&reader);
}

// -- Programs -------------------------------------------------------------------------------------

// Normalizes the text of a program as the engine does. Removes `.tga` everywhere, and replaces `\`
// by `/`. An empty text, `default` and `_default` become `_default`, in upper or lower case.
static void normalize_program_text(char normalized[MD5_IMAGE_TEXT], const char *text)
{
    static const char extension[] = ".tga";
    const size_t extension_length = sizeof extension - 1;
    const char *next = text;
    size_t length = 0;
    while (*next && length < MD5_IMAGE_TEXT - 1) {
        if (strncmp(next, extension, extension_length) == 0) {
            next += extension_length;
            continue;
        }
        normalized[length++] = *next == '\\' ? '/' : *next;
        next++;
    }
    normalized[length] = '\0';

    const bool is_default = md5_equals_ignore_case(normalized, "default")
                            || md5_equals_ignore_case(normalized, "_default");
    if (length == 0 || is_default)
        memcpy(normalized, "_default", sizeof "_default");
}

// Parses an image program, a text such as "addnormals(a, heightmap(b, 4))", to a list of steps. The
// steps are in the order of execution: operands precede their function. Returns false if memory
// runs out.
bool md5i_build_image_program(md5_game *game, const char *text, md5_image_program *program)
{
    char normalized[MD5_IMAGE_TEXT];
    md5_decl_lex lex;
    normalize_program_text(normalized, text);
    program->text = md5_copy_text(&game->arena, normalized, strlen(normalized));
    TRY(program->text);

    // Errors in the text were reported when the text was read from the material.
    md5i_decl_lex_begin(&lex, game, "", 1, program->text, strlen(program->text));
    lex.is_silent = true;
    image_reader reader = {.lex = &lex, .scratch = &game->scratch, .adds_steps = true};
    TRY(read_image_program(&reader));

    // Copy the list, which begins with the newest step, to an array that begins with the oldest.
    md5_image_step *const steps = MD5_ALLOC_ZEROED(&game->arena, md5_image_step, reader.num_steps);
    TRY(steps);
    uint32_t i = reader.num_steps;
    for (const step_node *node = reader.steps; node; node = node->previous)
        steps[--i] = node->step;

    program->steps = steps;
    program->num_steps = reader.num_steps;
    return true;
}

// == Sizes ========================================================================================
//
// Resampling with the results of the engine. A file is resampled to powers of two when it is
// loaded. If a program combines two images, the second is resampled to the size of the first.

// Returns the greatest power of two that does not exceed `side`.
static uint32_t floor_power_of_two(uint32_t side)
{
    uint32_t power = 1;
    while (power <= side / 2)
        power *= 2;
    return power;
}

// Each texel of a resampled image is the mean of four texels of the source. They are at a quarter
// and at three quarters of the texel's width and height. As in the engine, columns are computed in
// 16.16 fixed point, and rows in floats.

// Returns the column of the source at position `x` + `quarters` / 4 of the result. `step` is the
// width of the source divided by the width of the result, in 16.16 fixed point.
static uint32_t source_column(uint32_t step, uint32_t x, uint32_t quarters)
{
    return (uint32_t)((quarters * (uint64_t)(step >> 2) + (uint64_t)x * step) >> 16);
}

// Returns the row of the source at position `y` + `offset` of the result.
static uint32_t source_row(uint32_t y, float offset, uint32_t source_height, uint32_t height)
{
    return (uint32_t)(((float)y + offset) * (float)source_height / (float)height);
}

static const uint8_t *texel(const md5_image *image, uint32_t x, uint32_t y)
{
    return image->pixels + ((size_t)y * image->width + x) * MD5_IMAGE_CHANNELS;
}

// Writes a row of the resampled image, which has `width` columns, to `to`. `above` and `below` are
// the two rows of `image` that contribute to it.
static void resample_row(const md5_image *image, uint32_t above, uint32_t below, uint32_t width,
                         uint8_t *to)
{
    const uint32_t step = (uint32_t)(((uint64_t)image->width << 16) / width);
    for (uint32_t x = 0; x < width; x++, to += MD5_IMAGE_CHANNELS) {
        const uint32_t left = source_column(step, x, 1);
        const uint32_t right = source_column(step, x, 3);
        const uint8_t *const above_left = texel(image, left, above);
        const uint8_t *const above_right = texel(image, right, above);
        const uint8_t *const below_left = texel(image, left, below);
        const uint8_t *const below_right = texel(image, right, below);
        for (uint32_t i = 0; i < MD5_IMAGE_CHANNELS; i++) {
            const int sum = above_left[i] + above_right[i] + below_left[i] + below_right[i];
            to[i] = (uint8_t)(sum / 4);
        }
    }
}

// Returns `image` resampled to the greatest powers of two that do not exceed its sides, and frees
// `image`. If both sides are powers of two already, returns `image` itself. If memory runs out,
// returns NULL and does not free `image`.
static md5_image *round_image_size(md5_context *context, md5_image *image)
{
    const uint32_t width = floor_power_of_two(image->width);
    const uint32_t height = floor_power_of_two(image->height);
    if (width == image->width && height == image->height)
        return image;

    md5_image *const result = md5i_new_image(context, width, height);
    if (!result)
        return NULL;

    for (uint32_t y = 0; y < height; y++) {
        const uint32_t above = source_row(y, 0.25f, image->height, height);
        const uint32_t below = source_row(y, 0.75f, image->height, height);
        uint8_t *const to = result->pixels + (size_t)y * width * MD5_IMAGE_CHANNELS;
        resample_row(image, above, below, width, to);
    }
    md5i_free_image(context, image);
    return result;
}

// Returns the texel of `second` that belongs to column `x` and row `y` of `image`, as if `second`
// were scaled to the size of `image`. Rounds like the engine: columns are rounded down, and a
// quarter is added to a row before it is rounded down.
static const uint8_t *scaled_texel(const md5_image *image, const md5_image *second, uint32_t x,
                                   uint32_t y)
{
    const uint32_t column = (uint32_t)((uint64_t)x * second->width / image->width);
    const uint32_t row = (uint32_t)((y + 0.25) * second->height / image->height);
    return texel(second, column, row);
}

// == Normal maps ==================================================================================
//
// Channel value c is the coordinate (c - 128) / 127. Coordinate x is written as 128 + 127 x,
// truncated, as in the engine.

// Returns the reciprocal square root with the engine's approximation, because normal maps must be
// the same as in the engine. It is one Newton step from an estimate by the bits of the number. The
// result is too small by up to 0.2 %. For example, z of a flat normal map is 254 instead of 255.
static float fast_inverse_root(float x)
{
    const float half_x = x * 0.5f;
    float root;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = UINT32_C(0x5f3759df) - (bits >> 1);
    memcpy(&root, &bits, sizeof root);
    return root * (1.5f - root * root * half_x);
}

static float squared_length(const float v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

// Normalizes a vector with the engine's approximation of the inverse square root, so that images
// are the same as in the engine.
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

// Computes the normal of a texel from its height and three neighbors: to the right, below, and
// diagonally below to the right. The four heights form two triangles. The result is the mean of the
// normals of these triangles.
static void compute_height_normal(float height, float right, float below, float diagonal,
                                  float scale, float normal[3])
{
    float first[3] = {-(right - height) * scale, -(below - height) * scale, 1.0f};
    float second[3] = {-(diagonal - below) * scale, (height - below) * scale, 1.0f};
    normalize_fast(first);
    normalize_fast(second);
    for (uint32_t i = 0; i < 3; i++)
        normal[i] = first[i] + second[i];
    normalize_fast(normal);
}

// Writes the height of each texel of an image: the mean of its colors.
static void extract_heights(const md5_image *image, uint8_t *heights)
{
    const size_t count = md5_image_texels(image);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *const texel = image->pixels + MD5_IMAGE_CHANNELS * i;
        heights[i] = (uint8_t)((texel[0] + texel[1] + texel[2]) / 3);
    }
}

// Replaces the heights in `image` by their normals. Rows and columns wrap at the edges. Returns
// false if memory runs out.
static bool convert_heights(md5_context *context, md5_image *image, float scale)
{
    const size_t count = md5_image_texels(image);
    uint8_t *const heights = (uint8_t *)md5i_alloc(context, count);
    TRY(heights);
    extract_heights(image, heights);

    for (uint32_t y = 0; y < image->height; y++) {
        const uint32_t width = image->width;
        const uint8_t *const row = heights + (size_t)y * width;
        const uint8_t *const below = heights + (size_t)((y + 1) % image->height) * width;
        uint8_t *texel = image->pixels + (size_t)y * width * MD5_IMAGE_CHANNELS;
        for (uint32_t x = 0; x < width; x++, texel += MD5_IMAGE_CHANNELS) {
            const uint32_t next = x + 1 < width ? x + 1 : 0;
            float normal[3];
            compute_height_normal(row[x], row[next], below[x], below[next], scale / 256.0f, normal);
            write_normal(texel, normal);
            texel[3] = 255;
        }
    }

    md5i_free(context, heights, count);
    return true;
}

// -- Smoothing ------------------------------------------------------------------------------------

// Returns true if a texel does not contain a normal: it is black or medium gray.
static bool is_unused_texel(const uint8_t *texel)
{
    const bool is_gray = texel[0] == texel[1] && texel[0] == texel[2];
    return is_gray && (texel[0] == 0 || texel[0] == 128);
}

// Adds the normals of a texel and of its left and right neighbors to `sum`.
static void add_row_normals(const uint8_t *row, uint32_t width, uint32_t x, int sum[3])
{
    const uint32_t left = x > 0 ? x - 1 : width - 1;
    const uint32_t right = x + 1 < width ? x + 1 : 0;
    const uint32_t columns[3] = {left, x, right};
    for (uint32_t i = 0; i < 3; i++) {
        const uint8_t *const texel = row + (size_t)columns[i] * MD5_IMAGE_CHANNELS;
        if (is_unused_texel(texel))
            continue;
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += texel[axis] - 128;
    }
}

// Writes the normal with the direction of `sum` to a texel. If the sum is 0, all coordinates are 0.
static void write_normalized(uint8_t *texel, const int sum[3])
{
    const float vector[3] = {(float)sum[0], (float)sum[1], (float)sum[2]};
    const float length = sqrtf(squared_length(vector));
    const float factor = length > 0.0f ? 1.0f / length : 0.0f;
    for (uint32_t i = 0; i < 3; i++)
        texel[i] = md5_lowest_byte(128.0f + 127.0f * (vector[i] * factor));
}

// Replaces each normal in `image` by the normalized sum of the 3 x 3 normals around it. Rows and
// columns wrap at the edges. Returns false if memory runs out.
static bool smooth_normals(md5_context *context, md5_image *image)
{
    const size_t stride = (size_t)image->width * MD5_IMAGE_CHANNELS;
    const size_t num_bytes = stride * image->height;
    // The sums are computed from a copy, because `image` is overwritten.
    uint8_t *const source = (uint8_t *)md5i_alloc(context, num_bytes);
    TRY(source);
    memcpy(source, image->pixels, num_bytes);

    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *const row = source + stride * y;
        const uint8_t *const above = source + stride * (y > 0 ? y - 1 : image->height - 1);
        const uint8_t *const below = source + stride * (y + 1 < image->height ? y + 1 : 0);
        for (uint32_t x = 0; x < image->width; x++) {
            int sum[3] = {0, 0, 0};
            add_row_normals(above, image->width, x, sum);
            add_row_normals(row, image->width, x, sum);
            add_row_normals(below, image->width, x, sum);
            write_normalized(image->pixels + stride * y + (size_t)x * MD5_IMAGE_CHANNELS, sum);
        }
    }

    md5i_free(context, source, num_bytes);
    return true;
}

// -- Sums -----------------------------------------------------------------------------------------

// Returns the coordinate of a normal from the value of its channel.
static float coordinate_from_channel(uint8_t channel)
{
    return ((float)channel - 128.0f) / 127.0f;
}

// Replaces z of a normal that is shorter than 1, so that its length becomes 1. The length is
// computed with the engine's approximate root. Therefore lengths up to 1.002 also count as shorter.
static void lengthen_by_z(float normal[3])
{
    const float squared = squared_length(normal);
    if (squared * fast_inverse_root(squared) < 1.0f) { // the length
        const float squared_z = 1.0f - normal[0] * normal[0] - normal[1] * normal[1];
        normal[2] = squared_z > 0.0f ? sqrtf(squared_z) : 0.0f;
    }
}

// Adds the normals of `second` to the normals of `image`. Only x and y are added, and then the
// result is normalized. `second` is scaled to the size of `image`.
static void add_normals(md5_image *image, const md5_image *second)
{
    uint8_t *texel = image->pixels;
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++, texel += MD5_IMAGE_CHANNELS) {
            const uint8_t *const added = scaled_texel(image, second, x, y);
            float normal[3] = {coordinate_from_channel(texel[0]), coordinate_from_channel(texel[1]),
                               coordinate_from_channel(texel[2])};
            lengthen_by_z(normal);
            normal[0] += coordinate_from_channel(added[0]);
            normal[1] += coordinate_from_channel(added[1]);
            const float length = sqrtf(squared_length(normal));
            for (uint32_t i = 0; i < 3; i++)
                normal[i] = length > 0.0f ? normal[i] / length : 0.0f;

            write_normal(texel, normal);
            texel[3] = 255;
        }
    }
}

// == Built-in images ==============================================================================
//
// Built-in images, whose names begin with `_`. The engine generates them when it starts, and never
// searches for their files. Sizes and contents are the same as in the engine. The exception is the
// channel order of `_flat` and `_ambient`, which here is the same as in the files of normal maps.
// The engine instead stores x in the channel that its shaders read.

// Returns a texel as 0xAABBGGRR.
typedef uint32_t fill_fn(uint32_t x, uint32_t y);

// White with alpha 0.
enum { WHITE = 0xFFFFFF };

// Returns a color with the same value in all channels.
static uint32_t all_channels(uint32_t value)
{
    return value * UINT32_C(0x01010101);
}

// Returns a texel that is white, with alpha 0 in the first column.
static uint32_t fill_notch(uint32_t x, uint32_t y)
{
    (void)y;
    return x == 0 ? WHITE : UINT32_MAX;
}

// Returns a texel of a gradient along x, from 0 to 255 in all channels.
static uint32_t fill_ramp(uint32_t x, uint32_t y)
{
    (void)y;
    return all_channels(x);
}

// Returns true for the texels at the edges of an image.
static bool is_edge_texel(uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    const bool is_edge_column = x == 0 || x == width - 1;
    const bool is_edge_row = y == 0 || y == height - 1;
    return is_edge_column || is_edge_row;
}

// Returns white inside and 0 at the edges.
static uint32_t fill_frame(uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    return is_edge_texel(x, y, width, height) ? 0 : UINT32_MAX;
}

static uint32_t fill_border(uint32_t x, uint32_t y)
{
    return fill_frame(x, y, 32, 32);
}

static uint32_t fill_no_falloff(uint32_t x, uint32_t y)
{
    return fill_frame(x, y, 64, 16);
}

// Returns a texel of the specular highlight of the engine's shaders. Let x be 0 to 1 from left to
// right: the value is 0 below x = 3/4, then ( 4 ( x - 3/4 ) )^2.
static uint32_t fill_specular(uint32_t x, uint32_t y)
{
    (void)y;
    const float rise = (float)((((float)x / 255.0f) - 0.75) * 4.0);
    const uint32_t value = rise > 0.0f ? (uint32_t)(rise * rise * 255.0f) : 0;
    return all_channels(value);
}

// Returns a texel of light that decreases with the square of the distance from the center.
static uint32_t fill_quadratic(uint32_t x, uint32_t y)
{
    (void)y;
    const float closeness = 1.0f - (fabsf((float)x - 15.5f) - 0.5f) / 16.0f;
    const uint32_t value = (uint32_t)(closeness * closeness * 255.0f);
    return all_channels(value) | UINT32_C(0xFF000000);
}

// Returns a texel of fog by the distance from the center. Each 255th of the radius transmits 0.982
// of the light.
static uint32_t fill_fog(uint32_t x, uint32_t y)
{
    enum { SIDE = 128, MIDDLE = SIDE / 2 };
    const float dx = (float)x - (float)MIDDLE;
    const float dy = (float)y - (float)MIDDLE;
    const float steps = sqrtf(dx * dx + dy * dy) / (float)(MIDDLE - 1) * 255.0f;
    const uint32_t num_steps = (uint32_t)steps & 255; // the engine stores a byte
    float transmitted = 1.0f;
    for (uint32_t i = 0; i < num_steps; i++)
        transmitted *= 0.982f;
    uint32_t alpha = (uint32_t)(255.0 * (1.0 - transmitted));
    if (is_edge_texel(x, y, SIDE, SIDE))
        alpha = 255;
    return WHITE | alpha << 24;
}

// Returns the fraction of a line of sight that is in fog. `view` and `target` are the heights of
// its ends above the plane of the fog. The fog density increases from 0 at the plane to 1 at RAMP
// below it. A line with an end more than DEEP below the plane is completely in fog. The formulas
// are the same as in the engine.
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

    // The length of the line that is clear. Above the plane, the whole line is clear. In the ramp,
    // the clear fraction is the mean of 1 - density at the two ends of the part that is in the
    // ramp.
    const float above = fmaxf(upper, 0.0f);
    const float top = fminf(upper, 0.0f);
    const float bottom = fmaxf(lower, -RAMP);
    const float clear = (1.0f + (top + bottom) / RAMP * 0.5f) * (top - bottom);

    // A low end makes the whole line denser, up to complete fog at DEEP.
    const float depth = -lower / DEEP;
    if (depth >= 1.0f)
        return 1.0f;
    return (length - above - clear) / length * (1.0f - depth) + depth;
}

// Fog near its plane, as alpha. The column is the height of the eye, the row the height of the
// visible point. Column 32 and row 32 are at the plane.
static uint32_t fill_fog_enter(uint32_t x, uint32_t y)
{
    const float fraction = fog_fraction((float)x - 32.0f, (float)y - 32.0f);
    return WHITE | (uint32_t)(fraction * 255.0f) << 24;
}

// Specular highlights for all exponents: ( x / 255 )^y. The power is computed by products, because
// results of pow() differ between systems in the last bit. Values are truncated, so they may be 1
// less than in an implementation that rounds.
static uint32_t fill_specular_2d(uint32_t x, uint32_t y)
{
    const double base = ((float)x / 255.0f);
    double power = 255.0;
    for (uint32_t i = 0; i < y && power >= 1.0; i++)
        power *= base;
    const uint32_t value = (uint32_t)power;
    return all_channels(value);
}

// Directions as colors on the faces of a cube map, in OpenGL's order and orientation of faces: +x,
// -x, +y, -y, +z, -z.
static uint32_t fill_normal_cube(uint32_t x, uint32_t y)
{
    enum { SIDE = 32 };
    const float s = ((float)x + 0.5f) / (float)SIDE * 2.0f - 1.0f;
    const float t = ((float)(y % SIDE) + 0.5f) / (float)SIDE * 2.0f - 1.0f;
    const float directions[6][3] = {
        {1.0f, -t, -s}, {-1.0f, -t, s}, {s, 1.0f, t},
        {s, -1.0f, -t}, {s, -t, 1.0f},  {-s, -t, -1.0f},
    };
    const float *const direction = directions[y / SIDE]; // the faces are below each other
    const float scale = 127.0f / sqrtf(1.0f + s * s + t * t);
    uint32_t color = 255; // alpha, which the loop moves to the highest byte
    for (int i = 2; i >= 0; i--)
        color = color << 8 | (uint32_t)(128.0f + scale * direction[i]);
    return color;
}

static const struct builtin_image {
    const char *name; // lower case
    uint32_t width;
    uint32_t height;
    fill_fn *fill; // NULL: all texels are `color`
    md5_image_repeat repeat;
    bool is_nearest; // sampled without a filter
    uint32_t color;
} builtin_images[] = {
    // An image with width 0 is created by the engine while it draws.
    {.name = "_default", .width = 16, .height = 16},
    {.name = "_white", .width = 16, .height = 16, .color = UINT32_MAX},
    {.name = "_black", .width = 16, .height = 16},
    {.name = "_flat", .width = 2, .height = 2, .color = 0xFFFF8080},
    // Direction to the engine's ambient lights: ( 0.5 0.115 0.8925 ) times 255.
    {.name = "_ambient", .width = 2, .height = 2, .color = 0xFFE31D7F},
    {.name = "_alphanotch",
     .width = 2,
     .height = 1,
     .fill = fill_notch,
     .repeat = MD5_IMAGE_CLAMP,
     .is_nearest = true},
    {.name = "_ramp",
     .width = 256,
     .height = 1,
     .fill = fill_ramp,
     .repeat = MD5_IMAGE_CLAMP,
     .is_nearest = true},
    {.name = "_alpharamp",
     .width = 256,
     .height = 1,
     .fill = fill_ramp,
     .repeat = MD5_IMAGE_CLAMP,
     .is_nearest = true},
    {.name = "_borderclamp",
     .width = 32,
     .height = 32,
     .fill = fill_border,
     .repeat = MD5_IMAGE_CLAMP_BORDER},
    {.name = "_nofalloff",
     .width = 64,
     .height = 16,
     .fill = fill_no_falloff,
     .repeat = MD5_IMAGE_CLAMP_ZERO},
    {.name = "_speculartable",
     .width = 256,
     .height = 1,
     .fill = fill_specular,
     .repeat = MD5_IMAGE_CLAMP},
    {.name = "_specular2dtable",
     .width = 256,
     .height = 256,
     .fill = fill_specular_2d,
     .repeat = MD5_IMAGE_CLAMP},
    {.name = "_quadratic",
     .width = 32,
     .height = 4,
     .fill = fill_quadratic,
     .repeat = MD5_IMAGE_CLAMP},
    {.name = "_fog", .width = 128, .height = 128, .fill = fill_fog, .repeat = MD5_IMAGE_CLAMP},
    {.name = "_fogenter",
     .width = 64,
     .height = 64,
     .fill = fill_fog_enter,
     .repeat = MD5_IMAGE_CLAMP},
    {.name = "_normalcubemap", .width = 32, .height = 6 * 32, .fill = fill_normal_cube},
    {.name = "_scratchcubemap",
     .width = 32,
     .height = 6 * 32,
     .fill = fill_normal_cube}, // until drawn
    {.name = "_currentrender"},
    {.name = "_scratch"},
    {.name = "_scratch2"},
    {.name = "_accum"},
    {.name = "_cinematic"},
};

// Returns the built-in image with a name in lower case, or NULL.
static const struct builtin_image *find_builtin_image(const char *name)
{
    return (const struct builtin_image *)md5i_find_in_table(
        name, builtin_images, MD5_COUNT(builtin_images), sizeof builtin_images[0]);
}

// Sets the repeat mode and the filter of a stage to the modes of a built-in image, regardless of
// the material's keywords.
void md5i_set_builtin_sampling(const char *name, md5_stage *stage)
{
    const struct builtin_image *const builtin = find_builtin_image(name);
    const bool is_nearest = builtin && builtin->is_nearest;
    stage->repeat = builtin ? builtin->repeat : MD5_IMAGE_REPEAT;
    stage->filter = is_nearest ? MD5_FILTER_NEAREST : MD5_FILTER_DEFAULT;
}

// Fills an image with the colors of a built-in image.
static void fill_builtin_image(const struct builtin_image *builtin, md5_image *image)
{
    uint8_t *texel = image->pixels;
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++, texel += MD5_IMAGE_CHANNELS) {
            const uint32_t color = builtin->fill ? builtin->fill(x, y) : builtin->color;
            for (uint32_t i = 0; i < MD5_IMAGE_CHANNELS; i++)
                texel[i] = (uint8_t)(color >> 8 * i);
        }
    }
}

// Creates the built-in image `name`, which must exist. Returns NULL and sets `error` if memory runs
// out, or if the engine creates the image while it draws.
static md5_image *create_builtin_image(const char *name, const md5_image_opts *opts,
                                       md5_error *error)
{
    md5_context context;
    const struct builtin_image *const builtin = find_builtin_image(name);
    md5_image_opts named = opts ? *opts : (md5_image_opts){.file_name = NULL};

    named.file_name = name;
    md5i_image_begin(&context, &named, error);
    if (builtin->width == 0) {
        MD5_FAIL(&context, MD5_ERROR_MISMATCH,
                 "image %s has no file: the game creates it at run time", name);
        return NULL;
    }

    md5_image *const image = md5i_new_image(&context, builtin->width, builtin->height);
    if (image)
        fill_builtin_image(builtin, image);
    return image;
}

// == Files ========================================================================================
//
// Image files of a game: the paths that are tried for a name, and the reason why each failed.

// Size of a path: the text of a program, `dds/` and a file extension.
enum { MAX_PATH_SIZE = MD5_IMAGE_TEXT + 16 };

// A search for the file of an image.
typedef struct image_search {
    md5_game *game;
    const md5_image_opts *opts;
    md5_image *image;                            // the decoded image; NULL if not found
    const md5_game_entry *at;                    // file of `image`, or of the last failure
    char tried[sizeof((md5_error *)0)->message]; // the tried paths, each with its failure
    md5_error error;                             // error of the first file that exists
} image_search;

// -- Names ----------------------------------------------------------------------------------------

// Builds the path of the compressed image of a program. Characters that file names cannot contain
// are replaced or dropped. The first four separators become folders, and later separators become
// spaces.
static void build_compressed_path(char path[MAX_PATH_SIZE], const char *text)
{
    enum { MAX_FOLDERS = 4 };
    size_t length = strlen("dds/");
    size_t num_folders = 0;
    memcpy(path, "dds/", sizeof "dds/");

    for (const char *next = text; *next && length < MAX_PATH_SIZE - sizeof ".dds"; next++) {
        const bool is_separator = strchr("/\\(", *next) != NULL;
        const bool is_replaced = strchr("<>:|\".", *next) != NULL;
        const bool is_space_after_folder = *next == ' ' && path[length - 1] == '/';
        const bool is_dropped = is_space_after_folder || strchr("),", *next) != NULL;
        if (is_separator) {
            path[length++] = num_folders < MAX_FOLDERS ? '/' : ' ';
            num_folders++;
        } else if (is_replaced) {
            path[length++] = '_';
        } else if (!is_dropped) {
            path[length++] = *next;
        }
    }

    memcpy(path + length, ".dds", sizeof ".dds");
}

// Returns the file extension in a name, with its dot, or the end of the name if it does not have
// one.
static const char *find_extension(const char *name)
{
    const char *const dot = strrchr(name, '.');
    return dot && !strchr(dot, '/') ? dot : name + strlen(name);
}

// -- Search ---------------------------------------------------------------------------------------

// Builds the path of candidate `index` for the file of a name. The first candidates have the
// engine's extensions .tga and .jpg, and the next has .png, which later engines read. A name with
// any other extension is its only candidate. Returns false if there is no candidate with this
// index.
static bool build_candidate_path(char path[MAX_PATH_SIZE], const char *name, size_t index)
{
    static const char *const extensions[] = {".tga", ".jpg", ".png"};
    const char *const extension = find_extension(name);
    const bool is_replaced = *extension == '\0' || md5_equals_ignore_case(extension, ".tga");
    const size_t stem_length = (size_t)(extension - name);
    const size_t num_candidates = is_replaced ? MD5_COUNT(extensions) : 1;
    if (strlen(name) + sizeof ".tga" > MAX_PATH_SIZE || index >= num_candidates)
        return false;
    memcpy(path, name, strlen(name) + 1);
    if (is_replaced)
        memcpy(path + stem_length, extensions[index], sizeof ".tga");
    return true;
}

// Returns the name of the file of an image, in the spelling of its search path, or NULL. Tries the
// .tga file, then the .jpg file.
const char *md5_game_image_file(const md5_game *game, const char *name)
{
    enum { MAX_TRIED = 2 }; // as in the engine
    char path[MAX_PATH_SIZE];
    const md5_game_entry *entry = NULL;
    MD5_ASSERT_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_NOT_NULL(name);
    if (name[0] == '_')
        return NULL;
    for (size_t i = 0; i < MAX_TRIED; i++) {
        if (!build_candidate_path(path, name, i))
            return NULL;
        entry = md5i_game_find_file(game, path);
        if (entry)
            return entry->spelled;
    }
    return NULL;
}

// Appends a path or file extension and the reason of its failure to `tried`. Text that does not fit
// is cut.
static void add_failure(image_search *search, const char *name, const char *reason)
{
    const size_t used = strlen(search->tried);
    (void)snprintf(search->tried + used, sizeof search->tried - used, "%s%s: %s", used ? "; " : "",
                   name, reason);
}

// Reads and decodes a file. Returns NULL and sets `error` if the file cannot be read or decoded.
// The bytes of the file do not count toward the memory limit of the image.
static md5_image *read_image_entry(image_search *search, const md5_game_entry *entry,
                                   md5_error *error)
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

// Tries to read the image from a file. On failure, appends `display_name` and the reason to
// `tried`. Returns true if the search has ended, because the image was read or memory ran out.
static bool try_file(image_search *search, const char *path, const char *display_name)
{
    md5_error error = {.status = MD5_OK};
    const md5_game_entry *const entry = md5i_game_find_file(search->game, path);
    if (!entry) {
        add_failure(search, display_name, "file not found");
        return false;
    }

    search->at = entry;
    search->image = read_image_entry(search, entry, &error);
    if (search->image)
        return true;

    add_failure(search, display_name, error.message);
    if (search->error.status == MD5_OK)
        search->error = error;
    return error.status == MD5_ERROR_MEMORY;
}

// Tries a name with each file extension. Returns true if the search has ended.
static bool try_extensions(image_search *search, const char *name)
{
    char path[MAX_PATH_SIZE];
    for (size_t i = 0; build_candidate_path(path, name, i); i++) {
        if (try_file(search, path, find_extension(path)))
            return true;
    }
    return false;
}

// Tries the compressed file of an image program: the engine can store the result of a program as a
// .dds file, whose path consists of the program's text. Returns true if the search has ended.
static bool try_compressed(image_search *search, const char *text)
{
    char path[MAX_PATH_SIZE];
    build_compressed_path(path, text);
    return try_file(search, path, path);
}

// -- Results --------------------------------------------------------------------------------------

// Warns, without a line number, that files which were tried before the file of the image are
// damaged.
static void warn_of_damaged_files(image_search *search, const char *name)
{
    md5_decl_lex lex;
    md5i_decl_lex_begin(&lex, search->game, name, 0, "", 0);
    md5i_decl_lex_warn(&lex, "%s; using %s instead", search->tried, search->at->spelled);
}

// Sets the error of a search that found no image: all tried paths with their failures.
static void set_search_error(const image_search *search, const char *name, md5_error *error)
{
    const bool has_damaged_file = search->error.status != MD5_OK;
    md5_error_clear(error);
    error->status = has_damaged_file ? search->error.status : MD5_ERROR_IO;
    (void)snprintf(error->file, sizeof error->file, "%s", name);
    memcpy(error->message, search->tried, sizeof error->message);
}

// Loads the image of a file name in a program. It is a built-in image, a file with the name and one
// of the extensions, or the compressed image of the name. If no file could be read, returns NULL
// and sets `error`, whose message contains all failures.
static md5_image *load_named(md5_game *game, const char *file, const md5_image_opts *opts,
                             md5_error *error)
{
    image_search search = {.game = game, .opts = opts};
    if (md5_is_lenient(game) && find_builtin_image(file))
        return create_builtin_image(file, opts, error);

    const bool has_ended = try_extensions(&search, file);
    if (!has_ended)
        (void)try_compressed(&search, file);
    if (!search.image) {
        set_search_error(&search, file, error);
        return NULL;
    }
    const bool has_damaged_file = search.error.status != MD5_OK;
    if (has_damaged_file)
        warn_of_damaged_files(&search, file);
    return search.image;
}

// -- Evaluation -----------------------------------------------------------------------------------

// The evaluation of a program. Each step replaces the images on the top of the stack by its result.
typedef struct image_run {
    md5_context context;
    const md5_image_opts *opts; // may be NULL
    md5_game *game;
    md5_image **stack; // [capacity]
    size_t capacity;
    size_t depth;
} image_run;

// -- Operations on single texels ------------------------------------------------------------------

// Adds the channels of `second`, scaled to the size of `image`, to the channels of `image`. Sums
// above 255 become 255.
static void add_images(md5_image *image, const md5_image *second)
{
    uint8_t *texel = image->pixels;
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++, texel += MD5_IMAGE_CHANNELS) {
            const uint8_t *const added = scaled_texel(image, second, x, y);
            for (uint32_t i = 0; i < MD5_IMAGE_CHANNELS; i++) {
                const int sum = texel[i] + added[i];
                texel[i] = (uint8_t)(sum < 255 ? sum : 255);
            }
        }
    }
}

// Applies an operation that changes each texel independently.
static void apply_image_step(const md5_image_step *step, md5_image *image)
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
            memset(texel + 1, texel[0], 3);
            break;
        default: // MD5_IMAGE_MAKE_ALPHA
            texel[3] = (uint8_t)((texel[0] + texel[1] + texel[2]) / 3);
            memset(texel, 255, 3);
            break;
        }
    }
}

// -- Steps ----------------------------------------------------------------------------------------

// Loads a file and pushes its image, resampled to powers of two unless the options keep its size.
// Returns false and sets the context's error on failure.
static bool push_file_image(image_run *run, const char *file)
{
    md5_image_opts opts = run->opts ? *run->opts : (md5_image_opts){.file_name = NULL};
    md5_error reason = {.status = MD5_OK};

    // The loader has its own context. Its limit must not include the memory that this context
    // already holds.
    opts.allocator = run->context.allocator;
    opts.allocator.limit -= run->context.memory_held;
    opts.file_name = file;
    if (opts.allocator.limit == 0) // 0 would be the default limit
        opts.allocator.limit = 1;

    md5_image *image = load_named(run->game, file, &opts, &reason);
    if (!image) {
        if (reason.status == MD5_OK)
            reason.status = MD5_ERROR_IO;
        return md5i_fail_as(&run->context, &reason);
    }

    run->context.memory_held += image->size;
    md5_image *const rounded = opts.keep_size ? image : round_image_size(&run->context, image);
    // If memory runs out, push the image as well, so that the caller frees it together with the
    // stack.
    run->stack[run->depth++] = rounded ? rounded : image;
    return rounded != NULL;
}

// Executes a step: pops its operands from the stack, and pushes its result. An operation changes
// the image of its first operand in place. Therefore only the second operand is popped, if there is
// one. Returns false and sets the context's error on failure.
static bool run_step(image_run *run, const md5_image_step *step)
{
    if (step->kind == MD5_IMAGE_FILE)
        return push_file_image(run, step->file);

    md5_image *const last = run->stack[run->depth - 1];
    switch (step->kind) {
    case MD5_IMAGE_HEIGHTMAP:
        return convert_heights(&run->context, last, step->values[0]);
    case MD5_IMAGE_SMOOTH_NORMALS:
        return smooth_normals(&run->context, last);
    case MD5_IMAGE_ADD_NORMALS:
    case MD5_IMAGE_ADD:
        run->depth--;
        if (step->kind == MD5_IMAGE_ADD)
            add_images(run->stack[run->depth - 1], last);
        else
            add_normals(run->stack[run->depth - 1], last);
        md5i_free_image(&run->context, last);
        return true;
    default:
        apply_image_step(step, last);
        return true;
    }
}

// -- Program --------------------------------------------------------------------------------------

// Returns true if an operation combines two images.
static bool is_binary(md5_image_kind kind)
{
    return kind == MD5_IMAGE_ADD || kind == MD5_IMAGE_ADD_NORMALS;
}

// Computes the capacity that the stack needs. Returns false if the steps do not form a tree, which
// is possible if a caller built the program. Then a step has too few operands or an unknown kind,
// or no step uses some result.
static bool measure_stack(const md5_image_program *program, size_t *capacity)
{
    size_t depth = 0;
    *capacity = 0;
    for (uint32_t i = 0; i < program->num_steps; i++) {
        const md5_image_step *const step = &program->steps[i];
        if (step->kind == MD5_IMAGE_FILE) {
            TRY(step->file);
            depth++;
        } else {
            const size_t num_operands = is_binary(step->kind) ? 2 : 1;
            TRY(depth >= num_operands);
            TRY(step->kind >= MD5_IMAGE_FILE && step->kind <= MD5_IMAGE_MAKE_ALPHA);
            depth -= num_operands - 1;
        }
        if (depth > *capacity)
            *capacity = depth;
    }
    return depth == 1;
}

// Executes all steps of a program. Its image is then the only one on the stack. Returns false and
// sets the context's error on failure. The stack may then contain images.
static bool run_program(image_run *run, const md5_image_program *program)
{
    if (program->num_steps == 0)
        return MD5_FAIL(
            &run->context, MD5_ERROR_SYNTAX,
            "image program is empty: expected an image name or a function such as addnormals");
    if (!measure_stack(program, &run->capacity))
        return MD5_FAIL(&run->context, MD5_ERROR_SYNTAX,
                        "invalid image program: its steps do not form a tree");

    run->stack = (md5_image **)md5i_alloc(&run->context, run->capacity * sizeof *run->stack);
    TRY(run->stack);
    for (uint32_t i = 0; i < program->num_steps; i++)
        TRY(run_step(run, &program->steps[i]));
    return true;
}

// -- Images ---------------------------------------------------------------------------------------

// Selects if a damaged file of a compressed image causes a warning. In both cases, the image is
// treated as missing.
typedef enum damage_policy { IGNORE_DAMAGE, WARN_ABOUT_DAMAGE } damage_policy;

// Loads the compressed image of a program. Many game folders contain it instead of the program's
// files. Returns NULL without an error if there is no such image, or if it is damaged.
static md5_image *load_compressed(md5_game *game, const md5_image_program *program,
                                  const md5_image_opts *opts, damage_policy policy)
{
    image_search search = {.game = game, .opts = opts};
    md5_decl_lex lex;
    if (try_compressed(&search, program->text))
        return search.image;
    if (policy == WARN_ABOUT_DAMAGE && search.error.status != MD5_OK) {
        md5i_decl_lex_begin(&lex, game, program->text, 0, "", 0);
        md5i_decl_lex_warn(&lex, "%s", search.tried);
    }
    return NULL;
}

// Returns the modification time of a file: see md5_game_path.time.
static int64_t file_time(const md5_game *game, const md5_game_entry *entry)
{
    const md5_game_path *const path = &game->paths[entry->path];
    return path->time ? path->time(path->user, entry->file) : 0;
}

// Returns the first file that exists of the candidates for a name, or NULL.
static const md5_game_entry *find_source_file(const md5_game *game, const char *name)
{
    char path[MAX_PATH_SIZE];
    for (size_t i = 0; build_candidate_path(path, name, i); i++) {
        const md5_game_entry *const entry = md5i_game_find_file(game, path);
        if (entry)
            return entry;
    }
    return NULL;
}

// Returns true if the compressed image of a program is older than a file in the program.
static bool is_outdated(const md5_game *game, const md5_image_program *program)
{
    char path[MAX_PATH_SIZE];
    build_compressed_path(path, program->text);
    const md5_game_entry *const compressed = md5i_game_find_file(game, path);
    if (!compressed)
        return false;

    const int64_t time = file_time(game, compressed);
    for (uint32_t step = 0; step < program->num_steps; step++) {
        const char *const file = program->steps[step].file;
        const md5_game_entry *const source = file ? find_source_file(game, file) : NULL;
        if (source && file_time(game, source) > time)
            return true;
    }
    return false;
}

// Computes the image of a program from its files. Returns NULL and sets `error` on failure.
static md5_image *compute_image(md5_game *game, const md5_image_program *program,
                                const md5_image_opts *opts, md5_error *error)
{
    image_run run = {.opts = opts, .game = game};
    md5_image *result = NULL;

    md5i_image_begin(&run.context, opts, error);
    if (run_program(&run, program))
        result = run.stack[--run.depth];

    while (run.depth > 0)
        md5i_free_image(&run.context, run.stack[--run.depth]);
    md5i_free(&run.context, run.stack, run.capacity * sizeof *run.stack);
    return result;
}

// Returns the image of an image program. It is computed from the program's files, unless a built-in
// image or a compressed (DDS) copy replaces it. Returns NULL and sets the error on failure.
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

    // A built-in image does not need files.
    const char *const first = program->num_steps == 1 ? program->steps[0].file : NULL;
    if (first && find_builtin_image(first))
        return create_builtin_image(first, opts, error);

    // Try the compressed image first if the caller prefers it.
    const bool prefers_compressed = opts && opts->compressed_first && !is_outdated(game, program);
    md5_image *image = NULL;
    if (prefers_compressed)
        image = load_compressed(game, program, opts, WARN_ABOUT_DAMAGE);
    if (image)
        return image;

    // If a file that the program combines with others is missing, the compressed image is the last
    // resort.
    md5_error reason = {.status = MD5_OK};
    image = compute_image(game, program, opts, &reason);
    const bool is_file_missing = reason.status == MD5_ERROR_IO;
    if (!image && is_file_missing && program->num_steps > 1)
        image = load_compressed(game, program, opts, IGNORE_DAMAGE);
    if (!image && error)
        *error = reason;
    return image;
}

// Parses an image program that is written as in a material. The game owns the result.
bool md5_game_image_program(md5_game *game, const char *text, md5_image_program *program,
                            md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    char normalized[MD5_IMAGE_TEXT];
    md5_decl_lex lex;
    TRY(md5_game_begin(game, error));
    MD5_ASSERT_NOT_NULL(text);
    MD5_ASSERT_NOT_NULL(program);

    md5i_decl_lex_begin(&lex, game, text, 1, text, strlen(text));

    const md5_arena_mark before = md5i_arena_position(&game->scratch);
    const bool is_built = md5i_read_image_text(&lex, normalized)
                          && md5i_build_image_program(game, normalized, program);
    md5i_arena_rewind(&game->scratch, before);
    md5_game_end(game);
    return is_built;
}
