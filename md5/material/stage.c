// Stages of materials: their keywords, texture matrices and shader programs. Stages refer to
// registers of expressions for their colors, conditions and texture matrices. The parser's state is
// md5_material_parser.
#include "md5/core/assert.h"
#include "md5/decl/containers.h"
#include "md5/decl/decls.h"
#include "md5/decl/game.h"
#include "md5/material/engine_keywords.h"
#include "md5/material/image.h"
#include "md5/material/material.h"
#include "md5/material/material_parser.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// == Texture matrices =============================================================================
//
// The entries of a texture matrix are registers: uint32_t matrix[2][3] contains their indices. Each
// keyword multiplies the matrix of its stage by another matrix from the right. The products and
// sums become operations, because the entries are known only when the material is evaluated.

static uint32_t multiply_registers(md5_material_parser *parser, uint32_t a, uint32_t b)
{
    return md5i_add_op(parser, MD5_OP_MULTIPLY, a, b);
}

static uint32_t add_registers(md5_material_parser *parser, uint32_t a, uint32_t b)
{
    return md5i_add_op(parser, MD5_OP_ADD, a, b);
}

// Multiplies the matrix of the stage: matrix = matrix * factor. Both matrices have an implied third
// row 0 0 1. The order of the operations is the same as in the engine, so that results are rounded
// in the same way.
static void multiply_matrix(md5_material_parser *parser, uint32_t factor[2][3])
{
    md5_stage *const stage = parser->stage;
    uint32_t matrix[2][3];
    if (!stage->has_matrix) {
        stage->has_matrix = true;
        memcpy(stage->matrix, factor, sizeof stage->matrix);
        return;
    }

    memcpy(matrix, stage->matrix, sizeof matrix);
    for (uint32_t row = 0; row < 2; row++) {
        for (uint32_t column = 0; column < 3; column++) {
            const uint32_t first = multiply_registers(parser, matrix[row][0], factor[0][column]);
            const uint32_t second = multiply_registers(parser, matrix[row][1], factor[1][column]);
            uint32_t sum = add_registers(parser, first, second);
            if (column == 2) // the 1 of the third row
                sum = add_registers(parser, sum, matrix[row][2]);
            stage->matrix[row][column] = sum;
        }
    }
}

// Returns the register of the offset 0.5 - 0.5 x, which leaves the center of a texture in its
// position after scaling by `x`.
static uint32_t centered_offset(md5_material_parser *parser, uint32_t x)
{
    const uint32_t half = md5i_add_constant(parser, 0.5f);
    return md5i_add_op(parser, MD5_OP_SUBTRACT, half, multiply_registers(parser, half, x));
}

// Reads `a , b`: the arguments of a transform of texture coordinates. a applies to the first
// coordinate, s, and b to the second, t.
static void read_transform_pair(md5_material_parser *parser, uint32_t *a, uint32_t *b)
{
    *a = md5i_read_expression(parser);
    md5i_expect_token(parser, ",");
    *b = md5i_read_expression(parser);
}

// Reads shear a, b, and shears the texture about its center:
//
//   s += a (t - 0.5)
//   t += b (s - 0.5).
static void read_shear(md5_material_parser *parser)
{
    uint32_t a;
    uint32_t b;
    read_transform_pair(parser, &a, &b);
    const uint32_t one = md5i_add_constant(parser, 1.0f);
    const uint32_t minus_half = md5i_add_constant(parser, -0.5f);
    const uint32_t s = multiply_registers(parser, minus_half, a);
    const uint32_t t = multiply_registers(parser, minus_half, b);
    uint32_t shear[2][3] = {{one, a, s}, {b, one, t}};
    multiply_matrix(parser, shear);
}

// Values of parser->value for read_scroll_or_scale().
enum { PAIR_SCROLL, PAIR_SCALE, PAIR_CENTER_SCALE };

// Reads the arguments of scroll, scale or centerScale, and multiplies the texture matrix of the
// stage by the transform. parser->value is one of PAIR_*.
static void read_scroll_or_scale(md5_material_parser *parser)
{
    uint32_t a;
    uint32_t b;
    read_transform_pair(parser, &a, &b);
    const uint32_t one = md5i_add_constant(parser, 1.0f);
    const uint32_t zero = md5i_add_constant(parser, 0.0f);
    const bool is_centered = parser->value == PAIR_CENTER_SCALE;
    const uint32_t s = is_centered ? centered_offset(parser, a) : zero;
    const uint32_t t = is_centered ? centered_offset(parser, b) : zero;

    uint32_t scroll[2][3] = {{one, zero, a}, {zero, one, b}};
    uint32_t scale[2][3] = {{a, zero, s}, {zero, b, t}};
    multiply_matrix(parser, parser->value == PAIR_SCROLL ? scroll : scale);
}

// Returns the register of a * first + b * second + 0.5, where `first` and `second` are registers.
// Such an offset leaves the center of a rotated texture in its position.
static uint32_t rotated_offset(md5_material_parser *parser, float a, uint32_t first, float b,
                               uint32_t second)
{
    const uint32_t left = multiply_registers(parser, md5i_add_constant(parser, a), first);
    const uint32_t right = multiply_registers(parser, md5i_add_constant(parser, b), second);
    return add_registers(parser, add_registers(parser, left, right),
                         md5i_add_constant(parser, 0.5f));
}

// Samples the table `name` of the game, a sine or cosine, at the value of the register `turns`.
// Stores the register of the result in `value`. Returns false and reports an error if the game does
// not have the table.
static bool lookup_rotation(md5_material_parser *parser, const char *name, uint32_t turns,
                            uint32_t *value)
{
    md5_decl_entry *const entry = md5i_find_entry(parser->game, MD5_DECL_TABLE, name, strlen(name));
    if (!entry || !md5i_parse_table(parser->game, entry)) {
        md5i_decl_error(parser->lex, "the name of a table; the image is not rotated",
                        "no %s for rotate defined", name);
        return false;
    }
    *value =
        md5i_emit_material_op(parser, MD5_OP_TABLE, 0, turns, (const md5_table *)entry->parsed);
    return true;
}

// Reads rotate ANGLE, and rotates the texture about its center. The angle is in full turns. Sine
// and cosine are tables that the files of the game declare.
static void read_rotate(md5_material_parser *parser)
{
    uint32_t sine;
    uint32_t cosine;
    const uint32_t turns = md5i_read_expression(parser);
    if (!lookup_rotation(parser, "sinTable", turns, &sine)
        || !lookup_rotation(parser, "cosTable", turns, &cosine))
        return;

    const uint32_t zero = md5i_add_constant(parser, 0.0f);
    const uint32_t minus_sine = md5i_add_op(parser, MD5_OP_SUBTRACT, zero, sine);
    const uint32_t s = rotated_offset(parser, -0.5f, cosine, 0.5f, sine);
    const uint32_t t = rotated_offset(parser, -0.5f, sine, -0.5f, cosine);
    uint32_t matrix[2][3] = {{cosine, minus_sine, s}, {sine, cosine, t}};
    multiply_matrix(parser, matrix);
}

// == Shader programs ==============================================================================
//
// Keywords for shader programs and their inputs.

enum { MD5_PROGRAM_VERTEX = 1, MD5_PROGRAM_FRAGMENT = 2 };

// Sets the name of the programs in the bit set `programs`.
static void set_program(md5_material_parser *parser, int programs, const char *name)
{
    md5_stage_program *const program = &parser->stage->program;
    if (programs & MD5_PROGRAM_VERTEX)
        program->vertex = name;
    if (programs & MD5_PROGRAM_FRAGMENT)
        program->fragment = name;
}

// Reads the name of a vertex or fragment program, which parser->value selects.
static void read_stage_program(md5_material_parser *parser)
{
    md5_token token;
    if (md5i_decl_lex_read_on_line(parser->lex, &token))
        set_program(parser, parser->value, md5i_copy_token(parser->game, &token));
}

// Reads the name of a mega texture, a very large texture in a file of the engine. If the file
// exists, the stage uses the shader program of mega textures. Otherwise the stage is unchanged. In
// engine mode, the material is then also defaulted.
static void read_mega_texture(md5_material_parser *parser)
{
    char path[MD5_IMAGE_TEXT];
    md5_token token;
    if (!md5i_decl_lex_read_on_line(parser->lex, &token)) {
        md5i_decl_error(parser->lex, "a file", "missing file name after 'megaTexture'");
        return;
    }

    // Use the name up to its first period. A long name is cut to fit into the path.
    size_t size = token.size < sizeof path / 2 ? token.size : sizeof path / 2;
    for (size_t i = 0; i < size; i++) {
        if (token.text[i] == '.')
            size = i;
    }

    (void)snprintf(path, sizeof path, "megaTextures/%.*s.mega", (int)size, token.text);
    if (md5i_game_find_file(parser->game, path))
        set_program(parser, MD5_PROGRAM_VERTEX | MD5_PROGRAM_FRAGMENT, "megaTexture.vfp");
    else if (!md5_is_lenient(parser->game))
        parser->is_defaulted = true;
}

// Reads the index of an input of a shader program. `keyword` is for the message. If the index is
// not in 0 .. count - 1, reports an error and returns false. In lenient mode, also skips the
// arguments after such an index.
static bool read_input_index(md5_material_parser *parser, const char *keyword, int32_t count,
                             int32_t *index)
{
    md5_token token = {.text = ""};
    (void)md5i_decl_lex_read_on_line(parser->lex, &token);
    *index = md5i_token_int(&token);
    if (token.kind == MD5_TOKEN_NUMBER && *index >= 0 && *index < count)
        return true;
    md5i_decl_error(parser->lex, "a valid input index", "bad %s number", keyword);
    if (!parser->is_defaulted)
        md5i_skip_unknown_keyword(parser->lex, &token, MD5_SCOPE_STAGE);
    return false;
}

// Reads vertexParm INDEX x [, y [, z [, w]]]. If only x is given, all values are x. Otherwise a
// missing z is 0 and a missing w is 1.
static void read_vertex_parm(md5_material_parser *parser)
{
    md5_stage_program *const program = &parser->stage->program;
    int32_t index;
    if (!read_input_index(parser, "vertexParm", MD5_MAX_VERTEX_PARMS, &index))
        return;

    if ((uint32_t)index >= program->num_vertex_parms)
        program->num_vertex_parms = (uint32_t)index + 1;

    // Read the given values. A token that is not a comma ends them and is skipped, as in the
    // engine.
    uint32_t *const values = program->vertex_parms[index];
    values[0] = md5i_read_expression(parser);
    uint32_t count = 1;
    md5_token comma;
    while (count < 4 && md5i_decl_lex_read_on_line(parser->lex, &comma)
           && md5i_token_is(&comma, ","))
        values[count++] = md5i_read_expression(parser);

    // A single value applies to all four. Otherwise the defaults are 0 0 0 1.
    for (uint32_t i = count; i < 4; i++) {
        const float missing_value = i == 3 ? 1.0f : 0.0f;
        values[i] = count == 1 ? values[0] : md5i_add_constant(parser, missing_value);
    }
}

// Keywords between the index of an image and the image. Filters, depths and cube maps are ignored.
static const struct fragment_keyword {
    const char *keyword;
    int repeat; // md5_image_repeat, or -1 if the keyword does not set it
} fragment_keywords[] = {
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

// Reads the keywords of a fragment map up to the first token that is not a keyword, which begins
// the image and is not consumed. Returns the repeat mode of the last keyword that sets it.
static md5_image_repeat read_fragment_keywords(md5_material_parser *parser)
{
    md5_image_repeat repeat = MD5_IMAGE_REPEAT;
    for (;;) {
        md5_token token = {.text = ""};
        (void)md5i_decl_lex_read_on_line(parser->lex, &token);
        const struct fragment_keyword *const keyword =
            MD5_FIND_TOKEN(struct fragment_keyword, fragment_keywords, &token);
        if (!keyword) {
            md5i_decl_lex_unread(parser->lex, &token);
            return repeat;
        }
        if (keyword->repeat >= 0)
            repeat = (md5_image_repeat)keyword->repeat;
    }
}

// Reads fragmentMap UNIT [keywords] IMAGE: an image for a texture unit of the fragment program.
static void read_fragment_map(md5_material_parser *parser)
{
    md5_stage_program *const program = &parser->stage->program;
    int32_t unit;
    if (!read_input_index(parser, "fragmentMap", MD5_MAX_FRAGMENT_IMAGES, &unit))
        return;

    if ((uint32_t)unit >= program->num_images)
        program->num_images = (uint32_t)unit + 1;
    program->repeat[unit] = read_fragment_keywords(parser);

    char text[MD5_IMAGE_TEXT];
    if (md5i_read_image_text(parser->lex, text))
        (void)md5i_build_image_program(parser->game, text, &program->images[unit]);
}

// == Stages =======================================================================================
//
// Stages: { map IMAGE blend ... }

static md5_quoted quote_material_name(const md5_material_parser *parser)
{
    return md5i_quote(parser->decl->name, strlen(parser->decl->name));
}

// -- Blend ----------------------------------------------------------------------------------------

// A keyword with its value. The last entry of a table has no keyword. Its value is the default.
typedef struct named_bits {
    const char *keyword;
    uint32_t bits;
} named_bits;

// The factors of the source color: values of the lower 4 bits of md5_stage.bits.
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

// The factors of the destination color: the next 4 bits of md5_stage.bits.
static const named_bits destinations[] = {
    {"GL_ZERO", 0x00},      {"GL_ONE", 0x20},
    {"GL_SRC_COLOR", 0x30}, {"GL_ONE_MINUS_SRC_COLOR", 0x40},
    {"GL_SRC_ALPHA", 0x50}, {"GL_ONE_MINUS_SRC_ALPHA", 0x60},
    {"GL_DST_ALPHA", 0x70}, {"GL_ONE_MINUS_DST_ALPHA", 0x80},
    {NULL, 0x20},
};

// Names of pairs of a source and a destination factor.
static const named_bits blends[] = {
    {"blend", 0x65},    // GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA
    {"add", 0x20},      // GL_ONE, GL_ONE
    {"filter", 0x03},   // GL_DST_COLOR, GL_ZERO
    {"modulate", 0x03}, // GL_DST_COLOR, GL_ZERO
    {"none", 0x21},     // GL_ZERO, GL_ONE
    {NULL, 0},
};

static const named_bits lights[] = {
    {"bumpmap", MD5_STAGE_BUMP},
    {"diffusemap", MD5_STAGE_DIFFUSE},
    {"specularmap", MD5_STAGE_SPECULAR},
    {NULL, 0},
};

// Returns the entry of a keyword, or the last entry, which has no keyword.
static const named_bits *find_named_bits(const named_bits *table, const md5_token *token)
{
    const named_bits *entry = table;
    while (entry->keyword && !md5i_token_is_word(token, entry->keyword))
        entry++;
    return entry;
}

// Returns the bits of the blend factor in a token. `table` is `sources` or `destinations`. Reports
// an unknown factor and returns the default of the table.
static uint32_t parse_blend_factor(md5_material_parser *parser, const named_bits *table,
                                   const md5_token *token)
{
    const named_bits *const factor = find_named_bits(table, token);
    if (!factor->keyword)
        md5i_decl_error(parser->lex, "a blend mode such as blend, or two factors such as GL_ONE",
                        "unknown blend mode %s in material %s", MD5_QUOTED_TOKEN(token),
                        quote_material_name(parser).text);
    return factor->bits;
}

// Reads the remaining part of `blend SOURCE, DESTINATION`. `first` is the token of the first
// factor. In lenient mode, if `first` is not a factor and no comma follows, it is an unknown
// keyword such as `blend foo`. It is reported and does not change the blend mode.
static void read_blend_factors(md5_material_parser *parser, const md5_token *first)
{
    const uint32_t source = parse_blend_factor(parser, sources, first);
    const bool is_factor = find_named_bits(sources, first)->keyword != NULL;
    const bool requires_comma = is_factor || !md5_is_lenient(parser->game);
    if (requires_comma)
        md5i_expect_token(parser, ",");
    else if (!md5i_decl_lex_accept(parser->lex, ","))
        return;

    md5_token second;
    if (md5i_decl_lex_read(parser->lex, &second))
        parser->stage->bits = source | parse_blend_factor(parser, destinations, &second);
}

// Reads the arguments of `blend`. They are the name of a blend mode, two blend factors, or the name
// of a part of the lighting, such as diffusemap. In the last case, the image of the stage belongs
// to this part.
static void read_blend(md5_material_parser *parser)
{
    md5_token token;
    if (!md5i_decl_lex_read(parser->lex, &token))
        return;
    const named_bits *const blend = find_named_bits(blends, &token);
    const named_bits *const light = find_named_bits(lights, &token);
    if (blend->keyword)
        parser->stage->bits = blend->bits;
    else if (light->keyword)
        parser->stage->light = (md5_stage_light)light->bits;
    else
        read_blend_factors(parser, &token);
}

// -- Images ---------------------------------------------------------------------------------------

// Reads the image of a stage. parser->value is the kind of texture: an image or a form of cube map.
static void read_map(md5_material_parser *parser)
{
    // `map` does not change the kind of an earlier cubeMap.
    if (parser->value != MD5_IMAGE_2D)
        parser->stage->cube = (md5_image_cube)parser->value;
    (void)md5i_read_image_text(parser->lex, parser->image);
}

// Returns true if the size of a rendered image follows, which Doom 3 requires. In lenient mode the
// size may be missing, as in The Dark Mod, and "inclusive" or "exclusive" is skipped.
static bool has_dynamic_size(md5_material_parser *parser)
{
    md5_token token;
    if (!md5_is_lenient(parser->game))
        return true;
    if (!md5i_decl_lex_read_on_line(parser->lex, &token))
        return false;
    if (md5i_token_is_word(&token, "inclusive") || md5i_token_is_word(&token, "exclusive"))
        return false;
    md5i_decl_lex_unread(parser->lex, &token);
    return !md5i_token_is(&token, "}");
}

// Reads the size of an image that is rendered in each frame, such as the image of a mirror or a
// camera. parser->value is the kind of the image. All kinds except camera images are drawn at the
// positions of their texels on the screen.
static void read_dynamic(md5_material_parser *parser)
{
    parser->stage->dynamic = (md5_dynamic_image)parser->value;
    if (has_dynamic_size(parser)) {
        parser->stage->dynamic_width = md5i_decl_lex_int(parser->lex);
        parser->stage->dynamic_height = md5i_decl_lex_int(parser->lex);
    }
    if (parser->value != MD5_IMAGE_REMOTE)
        parser->stage->texgen = MD5_TEXGEN_SCREEN;
}

// Reads videoMap [loop] [withAudio] FILE, or soundmap FILE: a video as the image of the stage.
// parser->value is true for soundmap.
static void read_video(md5_material_parser *parser)
{
    // After each optional keyword, `token` is the token after it.
    md5_token token;
    const bool is_sound_map = parser->value != 0;
    bool is_read = md5i_decl_lex_read(parser->lex, &token);
    const bool loops = is_read && !is_sound_map && md5i_token_is_word(&token, "loop");
    if (loops)
        is_read = md5i_decl_lex_read(parser->lex, &token);

    // Only The Dark Mod has the keyword withAudio.
    if (is_read && md5_is_lenient(parser->game) && md5i_token_is_word(&token, "withAudio"))
        is_read = md5i_decl_lex_read(parser->lex, &token);

    if (!is_read) {
        md5i_decl_lex_warn(parser->lex, "missing parameter for '%s' keyword in material %s",
                           is_sound_map ? "soundmap" : "videoMap",
                           quote_material_name(parser).text);
        return;
    }

    parser->stage->video = md5i_copy_token(parser->game, &token);
    parser->stage->video_loops = loops || is_sound_map;
    parser->stage->is_sound_map = is_sound_map;
}

static void set_filter(md5_material_parser *parser)
{
    parser->stage->filter = (md5_image_filter)parser->value;
}

static void set_stage_repeat(md5_material_parser *parser)
{
    parser->stage->repeat = (md5_image_repeat)parser->value;
}

// -- State ----------------------------------------------------------------------------------------

// Sets a bool member of md5_stage. parser->value is the offset of the member.
static void set_stage_flag(md5_material_parser *parser)
{
    *(bool *)(void *)((char *)parser->stage + parser->value) = true;
}

static void skip_name(md5_material_parser *parser)
{
    md5i_decl_lex_skip_line(parser->lex);
}

static void set_vertex_color(md5_material_parser *parser)
{
    parser->stage->vertex_color = (md5_vertex_color)parser->value;
}

static void add_stage_bits(md5_material_parser *parser)
{
    parser->stage->bits |= (uint32_t)parser->value;
}

static void set_texgen(md5_material_parser *parser)
{
    parser->stage->texgen = (md5_texgen)parser->value;
}

// Reads privatePolygonOffset [NUMBER]. The default is 1. A token on the line that is not a number
// is reported.
static void read_stage_polygon_offset(md5_material_parser *parser)
{
    md5_token token;
    parser->stage->polygon_offset = 1.0f;
    if (!md5i_decl_lex_read_on_line(parser->lex, &token))
        return;
    md5i_decl_lex_unread(parser->lex, &token);
    (void)md5i_decl_lex_float(parser->lex, &parser->stage->polygon_offset);
}

static const named_bits texgens[] = {
    {"normal", MD5_TEXGEN_NORMAL},
    {"reflect", MD5_TEXGEN_REFLECT},
    {"skybox", MD5_TEXGEN_SKYBOX},
    {"wobbleSky", MD5_TEXGEN_WOBBLE_SKY},
    {NULL, 0},
};

// Reads texGen NAME. wobbleSky has three arguments.
static void read_texgen(md5_material_parser *parser)
{
    md5_token token;
    (void)md5i_decl_lex_read_any(parser->lex, &token);
    const named_bits *const texgen = find_named_bits(texgens, &token);
    if (texgen->keyword) {
        parser->stage->texgen = (md5_texgen)texgen->bits;
    } else {
        // As in the engine's message, the name is not in quotes: cut the first and the last
        // character of the quoted name.
        const md5_quoted name = quote_material_name(parser);
        md5i_decl_error(parser->lex, "normal, reflect, skybox or wobbleSky",
                        "bad texGen %s in material %.*s", MD5_QUOTED_TOKEN(&token),
                        (int)strlen(name.text) - 2, name.text + 1);
    }

    if (texgen->bits == MD5_TEXGEN_WOBBLE_SKY) {
        for (int i = 0; i < 3; i++)
            parser->material.wobble_registers[i] = md5i_read_expression(parser);
    }
}

// Reads the argument of `alphaTest`: texels whose alpha is not larger than this expression are not
// drawn. A surface with an alpha test counts as opaque with holes.
static void read_alpha_test(md5_material_parser *parser)
{
    parser->stage->has_alpha_test = true;
    parser->stage->alpha_test = md5i_read_expression(parser);
    parser->material.coverage = MD5_COVERAGE_PERFORATED;
}

static void read_stage_condition(md5_material_parser *parser)
{
    parser->stage->condition = md5i_read_expression(parser);
}

// -- Color ----------------------------------------------------------------------------------------

static void set_colored(md5_material_parser *parser)
{
    for (uint32_t i = 0; i < 4; i++)
        parser->stage->color[i] = MD5_REGISTER_PARM0 + i;
}

// Reads color r, g, b, a.
static void read_stage_color(md5_material_parser *parser)
{
    for (uint32_t i = 0; i < 4; i++) {
        if (i > 0)
            md5i_expect_token(parser, ",");
        parser->stage->color[i] = md5i_read_expression(parser);
    }
}

// Channels of a color, as bits of parser->value. Bit i is the channel md5_stage.color[i].
enum {
    CHANNEL_RED = 1,
    CHANNEL_GREEN = 2,
    CHANNEL_BLUE = 4,
    CHANNEL_ALPHA = 8,
    CHANNELS_RGB = CHANNEL_RED | CHANNEL_GREEN | CHANNEL_BLUE,
    CHANNELS_RGBA = CHANNELS_RGB | CHANNEL_ALPHA,
};

// Reads one expression and assigns it to several channels of the color. For example, `rgb 0.5` sets
// red, green and blue. parser->value contains the channels as bits.
static void read_channels(md5_material_parser *parser)
{
    const uint32_t value = md5i_read_expression(parser);
    for (uint32_t i = 0; i < 4; i++) {
        const bool is_channel_set = (parser->value & 1 << i) != 0;
        if (is_channel_set)
            parser->stage->color[i] = value;
    }
}

// -- Keywords -------------------------------------------------------------------------------------

// The offset of a member, for set_stage_flag().
#define STAGE_MEMBER(name) (int)offsetof(md5_stage, name)

static const struct stage_keyword {
    const char *keyword;
    void (*read)(md5_material_parser *parser);
    int value; // copied to parser->value for `read`
} stage_keyword_rows[] = {
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
    {"ignoreAlphaTest", set_stage_flag, STAGE_MEMBER(ignore_alpha_test)},
    {"nearest", set_filter, MD5_FILTER_NEAREST},
    {"linear", set_filter, MD5_FILTER_LINEAR},
    {"clamp", set_stage_repeat, MD5_IMAGE_CLAMP},
    {"noclamp", set_stage_repeat, MD5_IMAGE_REPEAT},
    {"zeroclamp", set_stage_repeat, MD5_IMAGE_CLAMP_ZERO},
    {"alphazeroclamp", set_stage_repeat, MD5_IMAGE_CLAMP_ZERO_ALPHA},
    {"uncompressed", set_stage_flag, STAGE_MEMBER(high_quality)},
    {"highquality", set_stage_flag, STAGE_MEMBER(high_quality)},
    {"forceHighQuality", set_stage_flag, STAGE_MEMBER(high_quality)},
    {"nopicmip", set_stage_flag, STAGE_MEMBER(no_picmip)},
    {"vertexColor", set_vertex_color, MD5_VERTEX_COLOR_MODULATE},
    {"inverseVertexColor", set_vertex_color, MD5_VERTEX_COLOR_INVERSE},
    {"privatePolygonOffset", read_stage_polygon_offset, 0},
    {"texGen", read_texgen, 0},
    {"scroll", read_scroll_or_scale, PAIR_SCROLL},
    {"translate", read_scroll_or_scale, PAIR_SCROLL},
    {"scale", read_scroll_or_scale, PAIR_SCALE},
    {"centerScale", read_scroll_or_scale, PAIR_CENTER_SCALE},
    {"shear", read_shear, 0},
    {"rotate", read_rotate, 0},
    {"maskRed", add_stage_bits, MD5_STAGE_NO_RED},
    {"maskGreen", add_stage_bits, MD5_STAGE_NO_GREEN},
    {"maskBlue", add_stage_bits, MD5_STAGE_NO_BLUE},
    {"maskAlpha", add_stage_bits, MD5_STAGE_NO_ALPHA},
    {"maskColor", add_stage_bits, MD5_STAGE_NO_RED | MD5_STAGE_NO_GREEN | MD5_STAGE_NO_BLUE},
    {"maskDepth", add_stage_bits, MD5_STAGE_NO_DEPTH},
    {"alphaTest", read_alpha_test, 0},
    {"colored", set_colored, 0},
    {"color", read_stage_color, 0},
    {"red", read_channels, CHANNEL_RED},
    {"green", read_channels, CHANNEL_GREEN},
    {"blue", read_channels, CHANNEL_BLUE},
    {"alpha", read_channels, CHANNEL_ALPHA},
    {"rgb", read_channels, CHANNELS_RGB},
    {"rgba", read_channels, CHANNELS_RGBA},
    {"if", read_stage_condition, 0},
    {"program", read_stage_program, MD5_PROGRAM_VERTEX | MD5_PROGRAM_FRAGMENT},
    {"fragmentProgram", read_stage_program, MD5_PROGRAM_FRAGMENT},
    {"vertexProgram", read_stage_program, MD5_PROGRAM_VERTEX},
    {"megaTexture", read_mega_texture, 0},
    {"vertexParm", read_vertex_parm, 0},
    {"fragmentMap", read_fragment_map, 0},
};

// -- Stages ---------------------------------------------------------------------------------------

// Sets the stage after the last finished stage to the default values of a stage, and returns it.
// The stage is not counted yet. There must be space for it.
static md5_stage *init_stage(md5_material_parser *parser)
{
    md5_stage *const stage = &parser->stages[parser->material.num_stages];
    memset(stage, 0, sizeof *stage);
    stage->repeat = parser->repeat;
    stage->filter = MD5_FILTER_DEFAULT;
    stage->condition = md5i_add_constant(parser, 1.0f);
    for (uint32_t i = 0; i < 4; i++)
        stage->color[i] = stage->condition;
    for (uint32_t i = 0; i < MD5_MAX_FRAGMENT_IMAGES; i++)
        stage->program.images[i].text = "";
    return stage;
}

// Builds the image program of a stage from its text. A built-in image also sets the repeat mode and
// the filter. Returns false if memory runs out.
static bool set_stage_image(md5_material_parser *parser, const char *image, md5_stage *stage)
{
    TRY(md5i_build_image_program(parser->game, image, &stage->image));
    if (stage->image.text[0] == '_')
        md5i_set_builtin_sampling(stage->image.steps[0].file, stage);
    return true;
}

// Counts the current stage, after its last keyword was read, and builds its image program. A stage
// without an image and without another source of its color is reported, and receives the default
// image.
static void finish_stage(md5_material_parser *parser)
{
    md5_stage *const stage = parser->stage;
    const bool has_dynamic_image = stage->video || stage->dynamic;
    const bool has_program = stage->program.vertex || stage->program.fragment;
    parser->material.num_stages++;

    if (parser->image[0] == '\0') {
        if (has_dynamic_image || has_program) {
            stage->image.text = "";
            return;
        }
        md5i_decl_lex_warn(parser->lex, "material %s had stage with no image",
                           quote_material_name(parser).text);
    }
    (void)set_stage_image(parser, parser->image, stage);
}

// Reads the next token of a stage. Returns false at the end of the text. In engine mode, this is an
// error. In lenient mode, the end of the text ends the stage, and the parser of the material
// reports it.
static bool read_stage_token(md5_material_parser *parser, md5_token *token)
{
    if (md5_is_lenient(parser->game))
        return md5i_decl_lex_read(parser->lex, token);
    const bool is_read = md5i_decl_lex_read_any(parser->lex, token);
    if (!is_read)
        parser->is_defaulted = true;
    return is_read;
}

// Reads the arguments of a keyword of a stage and applies the keyword. Reports an unknown keyword.
static void read_stage_keyword(md5_material_parser *parser, const md5_token *token)
{
    const struct stage_keyword *const keyword =
        MD5_FIND_TOKEN(struct stage_keyword, stage_keyword_rows, token);
    if (!keyword) {
        md5i_report_unknown_keyword(parser->lex, token, MD5_SCOPE_STAGE, "unknown token",
                                    parser->decl->name, "a stage keyword or '}'");
        return;
    }
    parser->value = keyword->value;
    keyword->read(parser);
}

// Reads a stage, which is one texture layer of a material, from the token after its first brace,
// and adds it.
void md5i_read_stage(md5_material_parser *parser)
{
    if (parser->material.num_stages == MD5_MAX_STAGES) {
        md5i_decl_lex_warn(parser->lex, "material %s exceeded %d stages",
                           quote_material_name(parser).text, MD5_MAX_STAGES);
        parser->is_defaulted = true;
        return;
    }

    parser->stage = init_stage(parser);
    parser->image[0] = '\0';

    // If an error occurs or memory runs out, the loop ends and the stage is not added.
    while (!parser->is_defaulted && md5_game_is_ok(parser->game)) {
        md5_token token;
        const bool is_read = read_stage_token(parser, &token);
        if (parser->is_defaulted)
            return;
        if (!is_read || md5i_token_is(&token, "}")) {
            finish_stage(parser);
            return;
        }
        read_stage_keyword(parser, &token);
    }
}

// Adds a stage with one image. Returns false if memory runs out.
bool md5i_add_plain_stage(md5_material_parser *parser, md5_stage_light light, const char *image)
{
    md5_stage *const stage = init_stage(parser);
    parser->material.num_stages++;
    stage->light = light;
    stage->repeat = MD5_IMAGE_REPEAT;
    return set_stage_image(parser, image, stage);
}
