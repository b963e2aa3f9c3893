// Stages of materials.
#include "md5/game/decls.h"
#include "md5/game/game.h"
#include "md5/game/image_program.h"
#include "md5/game/material.h"

#include <stdio.h>
#include <string.h>

// A stage that is being read. In the engine's verdict a word sets parser->is_defaulted after a
// mistake.
typedef struct md5_stage_reader {
    md5_material_parser *parser;
    md5_decl_lex *lex;
    md5_stage *stage;
    char image[MD5_IMAGE_TEXT];
    int value; // of the word that is read: see `words`
} md5_stage_reader;

enum { MD5_PROGRAM_VERTEX = 1, MD5_PROGRAM_FRAGMENT = 2 };

// == Texture matrices =============================================================================
//
// Texture matrices: each word multiplies its matrix from the right, in expressions.

static uint32_t product(md5_material_parser *parser, uint32_t a, uint32_t b)
{
    return md5i_add_op(parser, MD5_OP_MULTIPLY, a, b);
}

static uint32_t sum(md5_material_parser *parser, uint32_t a, uint32_t b)
{
    return md5i_add_op(parser, MD5_OP_ADD, a, b);
}

// The order of operations is the engine's, and so are the roundings.
static void multiply(md5_stage_reader *reader, uint32_t by[2][3])
{
    md5_material_parser *const parser = reader->parser;
    md5_stage *const stage = reader->stage;
    uint32_t old[2][3];
    if (!stage->has_matrix) {
        stage->has_matrix = true;
        memcpy(stage->matrix, by, sizeof stage->matrix);
        return;
    }
    memcpy(old, stage->matrix, sizeof old);
    for (int row = 0; row < 2; row++) {
        for (int column = 0; column < 3; column++) {
            uint32_t *const to = &stage->matrix[row][column];
            const uint32_t first = product(parser, old[row][0], by[0][column]);
            *to = sum(parser, first, product(parser, old[row][1], by[1][column]));
            if (column == 2)
                *to = sum(parser, *to, old[row][2]);
        }
    }
}

// Reads `a , b`.
static void read_pair(md5_stage_reader *reader, uint32_t *a, uint32_t *b)
{
    *a = md5i_read_expression(reader->parser, reader->lex);
    md5i_match(reader->parser, reader->lex, ",");
    *b = md5i_read_expression(reader->parser, reader->lex);
}

static void read_scroll(md5_stage_reader *reader)
{
    uint32_t a, b;
    read_pair(reader, &a, &b);
    const uint32_t one = md5i_add_constant(reader->parser, 1.0f);
    const uint32_t zero = md5i_add_constant(reader->parser, 0.0f);
    uint32_t matrix[2][3] = {{one, zero, a}, {zero, one, b}};
    multiply(reader, matrix);
}

static void read_scale(md5_stage_reader *reader)
{
    uint32_t a, b;
    read_pair(reader, &a, &b);
    const uint32_t zero = md5i_add_constant(reader->parser, 0.0f);
    uint32_t matrix[2][3] = {{a, zero, zero}, {zero, b, zero}};
    multiply(reader, matrix);
}

// 0.5 - 0.5 x: what keeps the middle of a texture where it is.
static uint32_t centered(md5_material_parser *parser, uint32_t x)
{
    const uint32_t half = md5i_add_constant(parser, 0.5f);
    return md5i_add_op(parser, MD5_OP_SUBTRACT, half, product(parser, half, x));
}

static void read_center_scale(md5_stage_reader *reader)
{
    uint32_t a, b;
    read_pair(reader, &a, &b);
    const uint32_t zero = md5i_add_constant(reader->parser, 0.0f);
    const uint32_t s = centered(reader->parser, a), t = centered(reader->parser, b);
    uint32_t matrix[2][3] = {{a, zero, s}, {zero, b, t}};
    multiply(reader, matrix);
}

static void read_shear(md5_stage_reader *reader)
{
    uint32_t a, b;
    read_pair(reader, &a, &b);
    md5_material_parser *const parser = reader->parser;
    const uint32_t one = md5i_add_constant(parser, 1.0f);
    const uint32_t minus_half = md5i_add_constant(parser, -0.5f);
    const uint32_t s = product(parser, minus_half, a), t = product(parser, minus_half, b);
    uint32_t matrix[2][3] = {{one, a, s}, {b, one, t}};
    multiply(reader, matrix);
}

// a * first + b * second + 0.5
static uint32_t turned(md5_material_parser *parser, float a, uint32_t first, float b,
                       uint32_t second)
{
    const uint32_t left = product(parser, md5i_add_constant(parser, a), first);
    const uint32_t right = product(parser, md5i_add_constant(parser, b), second);
    return sum(parser, sum(parser, left, right), md5i_add_constant(parser, 0.5f));
}

static bool read_table(md5_stage_reader *reader, const char *name, uint32_t at, uint32_t *value)
{
    bool found;
    *value = md5i_add_table_op(reader->parser, name, strlen(name), at, &found);
    if (found)
        return true;
    reader->parser->is_defaulted |= md5i_mistake(
        reader->lex, "a table of this name: nothing is rotated", "no %s for rotate defined", name);
    return false;
}

// Rotates by a number of full turns, around the middle of the texture, with the sine and cosine of
// the game's tables.
static void read_rotate(md5_stage_reader *reader)
{
    md5_material_parser *const parser = reader->parser;
    uint32_t sine, cosine;
    const uint32_t at = md5i_read_expression(parser, reader->lex);
    if (!read_table(reader, "sinTable", at, &sine) || !read_table(reader, "cosTable", at, &cosine))
        return;
    const uint32_t zero = md5i_add_constant(parser, 0.0f);
    const uint32_t minus_sine = md5i_add_op(parser, MD5_OP_SUBTRACT, zero, sine);
    const uint32_t s = turned(parser, -0.5f, cosine, 0.5f, sine);
    const uint32_t t = turned(parser, -0.5f, sine, -0.5f, cosine);
    uint32_t matrix[2][3] = {{cosine, minus_sine, s}, {sine, cosine, t}};
    multiply(reader, matrix);
}

// == Shader programs ==============================================================================
//
// Shader programs, and their inputs.

static void set_program(md5_stage_reader *reader, int which, const char *name)
{
    md5_stage_program *const program = &reader->stage->program;
    if (which & MD5_PROGRAM_VERTEX)
        program->vertex = name;
    if (which & MD5_PROGRAM_FRAGMENT)
        program->fragment = name;
}

static void read_program(md5_stage_reader *reader)
{
    md5_token token;
    if (md5i_decl_lex_read_on_line(reader->lex, &token))
        set_program(reader, reader->value, md5i_keep_token(reader->parser->game, &token));
}

// A mega texture is a file of the engine's own format. Without the file, the material is defaulted
// in the engine's verdict.
static void read_mega_texture(md5_stage_reader *reader)
{
    char path[MD5_IMAGE_TEXT];
    md5_token token;
    if (!md5i_decl_lex_read_on_line(reader->lex, &token)) {
        reader->parser->is_defaulted |=
            md5i_mistake(reader->lex, "a file", "missing file of 'megaTexture'");
        return;
    }
    size_t size = token.size < sizeof path / 2 ? token.size : sizeof path / 2;
    for (size_t i = 0; i < size; i++) {
        if (token.text[i] == '.')
            size = i;
    }
    (void)snprintf(path, sizeof path, "megaTextures/%.*s.mega", (int)size, token.text);
    if (md5i_game_find_file(reader->parser->game, path))
        set_program(reader, MD5_PROGRAM_VERTEX | MD5_PROGRAM_FRAGMENT, "megaTexture.vfp");
    else
        reader->parser->is_defaulted |= !md5_is_lenient(reader->lex->game);
}

// Reads the number of an input, below `count`.
static bool read_number(md5_stage_reader *reader, const char *what, int32_t count, int32_t *number)
{
    md5_token token = {.text = ""};
    (void)md5i_decl_lex_read_on_line(reader->lex, &token);
    *number = md5i_token_int(&token);
    if (token.kind == MD5_TOKEN_NUMBER && *number >= 0 && *number < count)
        return true;
    reader->parser->is_defaulted |=
        md5i_mistake(reader->lex, "a number of an input that there is", "bad %s number", what);
    if (!reader->parser->is_defaulted)
        md5i_skip_unknown_word(reader->lex, &token, MD5_WORD_STAGE);
    return false;
}

// Whether a comma follows on the line. Another token is lost, as in the engine.
static bool take_comma(md5_stage_reader *reader)
{
    md5_token token;
    return md5i_decl_lex_read_on_line(reader->lex, &token) && md5i_token_is(&token, ",");
}

// vertexParm NUMBER x [, y [, z [, w]]]: one value counts for all, a missing z is 0, a missing w 1.
static void read_vertex_parm(md5_stage_reader *reader)
{
    md5_material_parser *const parser = reader->parser;
    md5_stage_program *const program = &reader->stage->program;
    int32_t number;
    if (!read_number(reader, "vertexParm", MD5_MAX_VERTEX_PARMS, &number))
        return;
    if ((uint32_t)number >= program->num_vertex_parms)
        program->num_vertex_parms = (uint32_t)number + 1;
    uint32_t *const values = program->vertex_parms[number];
    values[0] = md5i_read_expression(parser, reader->lex);
    uint32_t count = 1;
    while (count < 4 && take_comma(reader))
        values[count++] = md5i_read_expression(parser, reader->lex);
    for (uint32_t i = count; i < 4; i++)
        values[i] = count == 1 ? values[0] : md5i_add_constant(parser, i == 3 ? 1.0f : 0.0f);
}

// Words between the number of an image and the image. Those that set a filter, a depth or a cube
// are not kept.
static const struct fragment_word {
    const char *word;
    int repeat; // -1 = another word
} fragment_words[] = {
    {"cubeMap", -1},
    {"cameraCubeMap", -1},
    {"nearest", -1},
    {"linear", -1},
    {"clamp", MD5_IMAGE_CLAMP},
    {"noclamp", MD5_IMAGE_REPEAT},
    {"zeroclamp", MD5_IMAGE_CLAMP_ZERO},
    {"alphazeroclamp", MD5_IMAGE_CLAMP_ZERO_ALPHA},
    {"forceHighQuality", -1},
    {"uncompressed", -1},
    {"highquality", -1},
    {"nopicmip", -1},
};

static void read_fragment_map(md5_stage_reader *reader)
{
    md5_stage_program *const program = &reader->stage->program;
    md5_token token = {.text = ""};
    char text[MD5_IMAGE_TEXT];
    int32_t unit;
    if (!read_number(reader, "fragmentMap", MD5_MAX_FRAGMENT_IMAGES, &unit))
        return;
    if ((uint32_t)unit >= program->num_images)
        program->num_images = (uint32_t)unit + 1;
    program->repeat[unit] = MD5_IMAGE_REPEAT;
    for (;;) {
        token = (md5_token){.text = ""};
        (void)md5i_decl_lex_read_on_line(reader->lex, &token);
        const struct fragment_word *const row =
            MD5_TOKEN_ROW(struct fragment_word, fragment_words, &token);
        if (!row)
            break;
        if (row->repeat >= 0)
            program->repeat[unit] = (md5_image_repeat)row->repeat;
    }
    md5i_decl_lex_unread(reader->lex, &token);
    if (md5i_read_image_text(reader->lex, text))
        (void)md5i_make_image_program(reader->parser->game, text, &program->images[unit]);
}

// == Stages =======================================================================================
//
// Stages: { map IMAGE blend ... }

static md5_quoted material_name(const md5_material_parser *parser)
{
    return md5_quote_text(parser->decl->name);
}

// -- Blend ----------------------------------------------------------------------------------------

typedef struct named_bits {
    const char *word;
    uint32_t bits;
} named_bits;

static const named_bits sources[] = {
    {"GL_ONE", 0},
    {"GL_ZERO", 1},
    {"GL_DST_COLOR", 3},
    {"GL_ONE_MINUS_DST_COLOR", 4},
    {"GL_SRC_ALPHA", 5},
    {"GL_ONE_MINUS_SRC_ALPHA", 6},
    {"GL_DST_ALPHA", 7},
    {"GL_ONE_MINUS_DST_ALPHA", 8},
    {"GL_SRC_ALPHA_SATURATE", 9},
    {NULL, 0},
};

static const named_bits destinations[] = {
    {"GL_ZERO", 0x00},      {"GL_ONE", 0x20},
    {"GL_SRC_COLOR", 0x30}, {"GL_ONE_MINUS_SRC_COLOR", 0x40},
    {"GL_SRC_ALPHA", 0x50}, {"GL_ONE_MINUS_SRC_ALPHA", 0x60},
    {"GL_DST_ALPHA", 0x70}, {"GL_ONE_MINUS_DST_ALPHA", 0x80},
    {NULL, 0x20},
};

static const named_bits blends[] = {
    {"blend", 0x65}, {"add", 0x20}, {"filter", 0x03}, {"modulate", 0x03}, {"none", 0x21}, {NULL, 0},
};

static const named_bits lights[] = {
    {"bumpmap", MD5_STAGE_BUMP},
    {"diffusemap", MD5_STAGE_DIFFUSE},
    {"specularmap", MD5_STAGE_SPECULAR},
    {NULL, 0},
};

// Returns the row of a word, or the last row, which has none.
static const named_bits *row_of(const named_bits *rows, const md5_token *token)
{
    while (rows->word && !md5i_token_is_word(token, rows->word))
        rows++;
    return rows;
}

static uint32_t factor_of(md5_stage_reader *reader, const named_bits *rows, const md5_token *token)
{
    const named_bits *const row = row_of(rows, token);
    if (!row->word)
        reader->parser->is_defaulted |=
            md5i_mistake(reader->lex, "a blend mode such as blend, or two factors such as GL_ONE",
                         "unknown blend mode %s in material %s", md5i_token_show(token).text,
                         material_name(reader->parser).text);
    return row->bits;
}

static void read_blend(md5_stage_reader *reader)
{
    md5_token token;
    if (!md5i_decl_lex_read(reader->lex, &token))
        return;
    const named_bits *const blend = row_of(blends, &token), *const light = row_of(lights, &token);
    if (blend->word) {
        reader->stage->bits = blend->bits;
        return;
    }
    if (light->word) {
        reader->stage->light = (md5_stage_light)light->bits;
        return;
    }
    const uint32_t source = factor_of(reader, sources, &token);
    const bool is_known = row_of(sources, &token)->word != NULL;
    // An unknown word alone leaves the blend as it is.
    if (!is_known && md5_is_lenient(reader->lex->game) && !md5i_decl_lex_take(reader->lex, ","))
        return;
    if (is_known || !md5_is_lenient(reader->lex->game))
        md5i_match(reader->parser, reader->lex, ",");
    if (md5i_decl_lex_read(reader->lex, &token))
        reader->stage->bits = source | factor_of(reader, destinations, &token);
}

// -- Images ---------------------------------------------------------------------------------------

static void read_map(md5_stage_reader *reader)
{
    // `map` leaves the kind of an earlier cubeMap as it is.
    if (reader->value != MD5_IMAGE_2D)
        reader->stage->cube = (md5_image_cube)reader->value;
    (void)md5i_read_image_text(reader->lex, reader->image);
}

static void read_dynamic(md5_stage_reader *reader)
{
    reader->stage->dynamic = (md5_dynamic_image)reader->value;
    reader->stage->dynamic_width = md5i_decl_lex_int(reader->lex);
    reader->stage->dynamic_height = md5i_decl_lex_int(reader->lex);
    if (reader->value != MD5_IMAGE_REMOTE)
        reader->stage->texgen = MD5_TEXGEN_SCREEN;
}

static void read_video(md5_stage_reader *reader)
{
    md5_token token;
    const bool is_sound_map = reader->value != 0;
    bool is_read = md5i_decl_lex_read(reader->lex, &token);
    const bool loops = is_read && !is_sound_map && md5i_token_is_word(&token, "loop");
    if (loops)
        is_read = md5i_decl_lex_read(reader->lex, &token);
    if (!is_read) {
        md5i_decl_lex_warn(reader->lex, "missing parameter for '%s' keyword in material %s",
                           is_sound_map ? "soundmap" : "videoMap",
                           material_name(reader->parser).text);
        return;
    }
    reader->stage->video = md5i_keep_token(reader->parser->game, &token);
    reader->stage->video_loops = loops || is_sound_map;
    reader->stage->is_sound_map = is_sound_map;
}

static void set_filter(md5_stage_reader *reader)
{
    reader->stage->filter = (md5_image_filter)reader->value;
}

static void set_repeat(md5_stage_reader *reader)
{
    reader->stage->repeat = (md5_image_repeat)reader->value;
}

// -- State ----------------------------------------------------------------------------------------

// A word that sets one bool of md5_stage, given by its offset.
static void set_flag(md5_stage_reader *reader)
{
    *(bool *)(void *)((char *)reader->stage + reader->value) = true;
}

static void skip_name(md5_stage_reader *reader)
{
    md5i_decl_lex_skip_line(reader->lex);
}

static void set_vertex_color(md5_stage_reader *reader)
{
    reader->stage->vertex_color = (md5_vertex_color)reader->value;
}

static void add_bits(md5_stage_reader *reader)
{
    reader->stage->bits |= (uint32_t)reader->value;
}

static void set_texgen(md5_stage_reader *reader)
{
    reader->stage->texgen = (md5_texgen)reader->value;
}

static void read_polygon_offset(md5_stage_reader *reader)
{
    md5_token token;
    reader->stage->polygon_offset = 1.0f;
    if (!md5i_decl_lex_read_on_line(reader->lex, &token))
        return;
    md5i_decl_lex_unread(reader->lex, &token);
    (void)md5i_decl_lex_float(reader->lex, &reader->stage->polygon_offset);
}

static void read_texgen(md5_stage_reader *reader)
{
    md5_token token;
    (void)md5i_decl_lex_any(reader->lex, &token);
    if (md5i_token_is_word(&token, "normal")) {
        reader->stage->texgen = MD5_TEXGEN_NORMAL;
    } else if (md5i_token_is_word(&token, "reflect")) {
        reader->stage->texgen = MD5_TEXGEN_REFLECT;
    } else if (md5i_token_is_word(&token, "skybox")) {
        reader->stage->texgen = MD5_TEXGEN_SKYBOX;
    } else if (md5i_token_is_word(&token, "wobbleSky")) {
        reader->stage->texgen = MD5_TEXGEN_WOBBLE_SKY;
        for (int i = 0; i < 3; i++)
            reader->parser->material.wobble_registers[i] =
                md5i_read_expression(reader->parser, reader->lex);
    } else {
        // The engine puts no quotes around this name.
        const md5_quoted name = material_name(reader->parser);
        reader->parser->is_defaulted |= md5i_mistake(
            reader->lex, "normal, reflect, skybox or wobbleSky", "bad texGen %s in material %.*s",
            md5i_token_show(&token).text, (int)strlen(name.text) - 2, name.text + 1);
    }
}

static void read_alpha_test(md5_stage_reader *reader)
{
    reader->stage->has_alpha_test = true;
    reader->stage->alpha_test = md5i_read_expression(reader->parser, reader->lex);
    reader->parser->material.coverage = MD5_COVERAGE_PERFORATED;
}

static void read_condition(md5_stage_reader *reader)
{
    reader->stage->condition = md5i_read_expression(reader->parser, reader->lex);
}

// -- Color ----------------------------------------------------------------------------------------

static void set_colored(md5_stage_reader *reader)
{
    for (uint32_t i = 0; i < 4; i++)
        reader->stage->color[i] = MD5_REGISTER_PARM0 + i;
}

// color r, g, b, a
static void read_color(md5_stage_reader *reader)
{
    for (uint32_t i = 0; i < 4; i++) {
        if (i > 0)
            md5i_match(reader->parser, reader->lex, ",");
        reader->stage->color[i] = md5i_read_expression(reader->parser, reader->lex);
    }
}

// One value for the channels whose bits are set: red 1, green 2, blue 4, alpha 8.
static void read_channels(md5_stage_reader *reader)
{
    const uint32_t value = md5i_read_expression(reader->parser, reader->lex);
    for (int i = 0; i < 4; i++) {
        if (reader->value >> i & 1)
            reader->stage->color[i] = value;
    }
}

// -- Words ----------------------------------------------------------------------------------------

#define STAGE_FLAG(member) set_flag, (int)offsetof(md5_stage, member)

static const struct stage_word {
    const char *word;
    void (*read)(md5_stage_reader *reader);
    int value; // reader->value
} words[] = {
    {"name", skip_name, 0},
    {"blend", read_blend, 0},
    {"map", read_map, MD5_IMAGE_2D},
    {"remoteRenderMap", read_dynamic, MD5_IMAGE_REMOTE},
    {"mirrorRenderMap", read_dynamic, MD5_IMAGE_MIRROR},
    {"xrayRenderMap", read_dynamic, MD5_IMAGE_XRAY},
    {"screen", set_texgen, MD5_TEXGEN_SCREEN},
    {"screen2", set_texgen, MD5_TEXGEN_SCREEN2},
    {"glassWarp", set_texgen, MD5_TEXGEN_GLASS_WARP},
    {"videomap", read_video, false},
    {"soundmap", read_video, true},
    {"cubeMap", read_map, MD5_IMAGE_CUBE},
    {"cameraCubeMap", read_map, MD5_IMAGE_CAMERA_CUBE},
    {"ignoreAlphaTest", STAGE_FLAG(ignore_alpha_test)},
    {"nearest", set_filter, MD5_FILTER_NEAREST},
    {"linear", set_filter, MD5_FILTER_LINEAR},
    {"clamp", set_repeat, MD5_IMAGE_CLAMP},
    {"noclamp", set_repeat, MD5_IMAGE_REPEAT},
    {"zeroclamp", set_repeat, MD5_IMAGE_CLAMP_ZERO},
    {"alphazeroclamp", set_repeat, MD5_IMAGE_CLAMP_ZERO_ALPHA},
    {"uncompressed", STAGE_FLAG(high_quality)},
    {"highquality", STAGE_FLAG(high_quality)},
    {"forceHighQuality", STAGE_FLAG(high_quality)},
    {"nopicmip", STAGE_FLAG(no_picmip)},
    {"vertexColor", set_vertex_color, MD5_VERTEX_COLOR_MODULATE},
    {"inverseVertexColor", set_vertex_color, MD5_VERTEX_COLOR_INVERSE},
    {"privatePolygonOffset", read_polygon_offset, 0},
    {"texGen", read_texgen, 0},
    {"scroll", read_scroll, 0},
    {"translate", read_scroll, 0},
    {"scale", read_scale, 0},
    {"centerScale", read_center_scale, 0},
    {"shear", read_shear, 0},
    {"rotate", read_rotate, 0},
    {"maskRed", add_bits, MD5_STAGE_NO_RED},
    {"maskGreen", add_bits, MD5_STAGE_NO_GREEN},
    {"maskBlue", add_bits, MD5_STAGE_NO_BLUE},
    {"maskAlpha", add_bits, MD5_STAGE_NO_ALPHA},
    {"maskColor", add_bits, MD5_STAGE_NO_RED | MD5_STAGE_NO_GREEN | MD5_STAGE_NO_BLUE},
    {"maskDepth", add_bits, MD5_STAGE_NO_DEPTH},
    {"alphaTest", read_alpha_test, 0},
    {"colored", set_colored, 0},
    {"color", read_color, 0},
    {"red", read_channels, 1},
    {"green", read_channels, 2},
    {"blue", read_channels, 4},
    {"alpha", read_channels, 8},
    {"rgb", read_channels, 7},
    {"rgba", read_channels, 15},
    {"if", read_condition, 0},
    {"program", read_program, MD5_PROGRAM_VERTEX | MD5_PROGRAM_FRAGMENT},
    {"fragmentProgram", read_program, MD5_PROGRAM_FRAGMENT},
    {"vertexProgram", read_program, MD5_PROGRAM_VERTEX},
    {"megaTexture", read_mega_texture, 0},
    {"vertexParm", read_vertex_parm, 0},
    {"fragmentMap", read_fragment_map, 0},
};

static void read_word(md5_stage_reader *reader, const md5_token *token)
{
    const struct stage_word *const row = MD5_TOKEN_ROW(struct stage_word, words, token);
    if (row) {
        reader->value = row->value;
        row->read(reader);
        return;
    }
    reader->parser->is_defaulted |=
        md5i_unknown_word(reader->lex, token, MD5_WORD_STAGE, "unknown token",
                          reader->parser->decl->name, "a word of stages or '}'");
}

// -- Stages ---------------------------------------------------------------------------------------

static md5_stage *new_stage(md5_material_parser *parser)
{
    md5_stage *const stage = &parser->stages[parser->material.num_stages];
    memset(stage, 0, sizeof *stage);
    stage->repeat = parser->repeat;
    stage->filter = MD5_FILTER_DEFAULT;
    stage->condition = md5i_add_constant(parser, 1.0f);
    for (int i = 0; i < 4; i++)
        stage->color[i] = stage->condition;
    for (int i = 0; i < MD5_MAX_FRAGMENT_IMAGES; i++)
        stage->program.images[i].text = "";
    return stage;
}

static bool has_room(md5_material_parser *parser, const md5_decl_lex *lex)
{
    if (parser->material.num_stages < MD5_MAX_STAGES)
        return true;
    md5i_decl_lex_warn(lex, "material %s exceeded %d stages", material_name(parser).text,
                       (int)MD5_MAX_STAGES);
    parser->is_defaulted = true;
    return false;
}

// A built-in image has its own ways of being sampled.
static bool set_image(md5_material_parser *parser, const char *image, md5_stage *stage)
{
    TRY(md5i_make_image_program(parser->game, image, &stage->image));
    if (stage->image.text[0] == '_')
        md5i_set_builtin_sampling(stage->image.steps[0].file, stage);
    return true;
}

// Reads a token. A text that ends within a stage ends the stage, which in the engine's verdict is a
// mistake; in the lenient one the material reports the end.
static bool read_token(md5_material_parser *parser, md5_decl_lex *lex, md5_token *token)
{
    if (md5_is_lenient(lex->game))
        return md5i_decl_lex_read(lex, token);
    parser->is_defaulted |= !md5i_decl_lex_any(lex, token);
    return true;
}

void md5i_read_stage(md5_material_parser *parser, md5_decl_lex *lex)
{
    md5_token token;
    md5_stage_reader reader = {.parser = parser, .lex = lex};
    if (!has_room(parser, lex))
        return;
    reader.stage = new_stage(parser);
    while (!parser->is_defaulted && md5_game_has_memory(parser->game)) {
        const bool is_read = read_token(parser, lex, &token);
        if (parser->is_defaulted)
            break;
        if (!is_read || md5i_token_is(&token, "}")) {
            parser->material.num_stages++;
            // The image of a stage, once its last word has been read.
            md5_stage *const stage = reader.stage;
            const bool has_other =
                stage->video || stage->dynamic || stage->program.vertex || stage->program.fragment;
            if (reader.image[0] == '\0' && has_other) {
                stage->image.text = "";
                return;
            }
            if (reader.image[0] == '\0')
                md5i_decl_lex_warn(reader.lex, "material %s had stage with no image",
                                   material_name(reader.parser).text);
            (void)set_image(reader.parser, reader.image, stage);
            return;
        }
        read_word(&reader, &token);
    }
}

bool md5i_add_plain_stage(md5_material_parser *parser, md5_stage_light light, const char *image)
{
    md5_stage *const stage = new_stage(parser);
    parser->material.num_stages++;
    stage->light = light;
    stage->repeat = MD5_IMAGE_REPEAT;
    return set_image(parser, image, stage);
}
