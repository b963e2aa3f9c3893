// Stages: { map IMAGE blend ... }
#include "md5/game/image_text.h"
#include "md5/game/material_parser.h"

#include "md5/game/files.h"
#include "md5/game/image_builtin.h"
#include "md5/game/stage_words.h"
#include "md5/game/verdict.h"

#include <string.h>

static md5_quoted material_name(const md5_material_parser *parser)
{
    return md5i_quote(parser->decl->name, strlen(parser->decl->name));
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

static void read_blend(md5_stage_reader *reader, int unused)
{
    md5_token token;
    (void)unused;
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

static void read_map(md5_stage_reader *reader, int cube)
{
    // `map` leaves the kind of an earlier cubeMap as it is.
    if (cube != MD5_IMAGE_2D)
        reader->stage->cube = (md5_image_cube)cube;
    reader->has_memory &= md5i_read_image_text(reader->lex, reader->image);
}

static void read_dynamic(md5_stage_reader *reader, int dynamic)
{
    reader->stage->dynamic = (md5_dynamic_image)dynamic;
    reader->stage->dynamic_width = md5i_decl_lex_int(reader->lex);
    reader->stage->dynamic_height = md5i_decl_lex_int(reader->lex);
    if (dynamic != MD5_IMAGE_REMOTE)
        reader->stage->texgen = MD5_TEXGEN_SCREEN;
}

static void read_video(md5_stage_reader *reader, int is_sound_map)
{
    md5_token token;
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
    reader->has_memory &= reader->stage->video != NULL;
}

static void set_filter(md5_stage_reader *reader, int filter)
{
    reader->stage->filter = (md5_image_filter)filter;
}

static void set_repeat(md5_stage_reader *reader, int repeat)
{
    reader->stage->repeat = (md5_image_repeat)repeat;
}

static void set_quality(md5_stage_reader *reader, int unused)
{
    (void)unused;
    reader->stage->high_quality = true;
}

static void set_no_picmip(md5_stage_reader *reader, int unused)
{
    (void)unused;
    reader->stage->no_picmip = true;
}

// -- State ----------------------------------------------------------------------------------------

static void skip_name(md5_stage_reader *reader, int unused)
{
    (void)unused;
    md5i_decl_lex_skip_line(reader->lex);
}

static void set_ignore_alpha_test(md5_stage_reader *reader, int unused)
{
    (void)unused;
    reader->stage->ignore_alpha_test = true;
}

static void set_vertex_color(md5_stage_reader *reader, int color)
{
    reader->stage->vertex_color = (md5_vertex_color)color;
}

static void add_bits(md5_stage_reader *reader, int bits)
{
    reader->stage->bits |= (uint32_t)bits;
}

static void set_texgen(md5_stage_reader *reader, int texgen)
{
    reader->stage->texgen = (md5_texgen)texgen;
}

static void read_polygon_offset(md5_stage_reader *reader, int unused)
{
    md5_token token;
    (void)unused;
    reader->stage->polygon_offset = 1.0f;
    if (!md5i_decl_lex_read_on_line(reader->lex, &token))
        return;
    md5i_decl_lex_unread(reader->lex, &token);
    (void)md5i_decl_lex_float(reader->lex, &reader->stage->polygon_offset);
}

static void read_texgen(md5_stage_reader *reader, int unused)
{
    md5_token token;
    (void)unused;
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

static void read_alpha_test(md5_stage_reader *reader, int unused)
{
    (void)unused;
    reader->stage->has_alpha_test = true;
    reader->stage->alpha_test = md5i_read_expression(reader->parser, reader->lex);
    reader->parser->material.coverage = MD5_COVERAGE_PERFORATED;
}

static void read_condition(md5_stage_reader *reader, int unused)
{
    (void)unused;
    reader->stage->condition = md5i_read_expression(reader->parser, reader->lex);
}

// -- Color ----------------------------------------------------------------------------------------

static void set_colored(md5_stage_reader *reader, int unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 4; i++)
        reader->stage->color[i] = MD5_REGISTER_PARM0 + i;
}

// color r, g, b, a
static void read_color(md5_stage_reader *reader, int unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 4; i++) {
        if (i > 0)
            md5i_match(reader->parser, reader->lex, ",");
        reader->stage->color[i] = md5i_read_expression(reader->parser, reader->lex);
    }
}

// One value for the channels whose bits are set: red 1, green 2, blue 4, alpha 8.
static void read_channels(md5_stage_reader *reader, int channels)
{
    const uint32_t value = md5i_read_expression(reader->parser, reader->lex);
    for (int i = 0; i < 4; i++) {
        if (channels >> i & 1)
            reader->stage->color[i] = value;
    }
}

// -- Words ----------------------------------------------------------------------------------------

static const struct stage_word {
    const char *word;
    void (*read)(md5_stage_reader *reader, int value);
    int value;
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
    {"ignoreAlphaTest", set_ignore_alpha_test, 0},
    {"nearest", set_filter, MD5_FILTER_NEAREST},
    {"linear", set_filter, MD5_FILTER_LINEAR},
    {"clamp", set_repeat, MD5_CLAMP},
    {"noclamp", set_repeat, MD5_REPEAT},
    {"zeroclamp", set_repeat, MD5_CLAMP_ZERO},
    {"alphazeroclamp", set_repeat, MD5_CLAMP_ZERO_ALPHA},
    {"uncompressed", set_quality, 0},
    {"highquality", set_quality, 0},
    {"forceHighQuality", set_quality, 0},
    {"nopicmip", set_no_picmip, 0},
    {"vertexColor", set_vertex_color, MD5_VERTEX_COLOR_MODULATE},
    {"inverseVertexColor", set_vertex_color, MD5_VERTEX_COLOR_INVERSE},
    {"privatePolygonOffset", read_polygon_offset, 0},
    {"texGen", read_texgen, 0},
    {"scroll", md5i_read_scroll, 0},
    {"translate", md5i_read_scroll, 0},
    {"scale", md5i_read_scale, 0},
    {"centerScale", md5i_read_center_scale, 0},
    {"shear", md5i_read_shear, 0},
    {"rotate", md5i_read_rotate, 0},
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
    {"program", md5i_read_program, MD5_PROGRAM_VERTEX | MD5_PROGRAM_FRAGMENT},
    {"fragmentProgram", md5i_read_program, MD5_PROGRAM_FRAGMENT},
    {"vertexProgram", md5i_read_program, MD5_PROGRAM_VERTEX},
    {"megaTexture", md5i_read_mega_texture, 0},
    {"vertexParm", md5i_read_vertex_parm, 0},
    {"fragmentMap", md5i_read_fragment_map, 0},
};

static void read_word(md5_stage_reader *reader, const md5_token *token)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (md5i_token_is_word(token, words[i].word)) {
            words[i].read(reader, words[i].value);
            return;
        }
    }
    const char *const engine = md5i_engine_of_word(token, MD5_WORD_STAGE);
    const md5_quoted shown = md5i_token_show(token), name = material_name(reader->parser);
    if (engine && md5_is_lenient(reader->lex->game))
        md5i_decl_lex_warn(reader->lex, "%s in material %s is a word of %s, skipped", shown.text,
                           name.text, engine);
    else
        reader->parser->is_defaulted |=
            md5i_mistake(reader->lex, "a word of stages or '}'", "unknown token %s in material %s",
                         shown.text, name.text);
    if (!reader->parser->is_defaulted)
        md5i_skip_unknown_word(reader->lex, token, MD5_WORD_STAGE);
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

// The image of a stage, once its last word has been read.
static bool finish_image(md5_stage_reader *reader)
{
    md5_stage *const stage = reader->stage;
    const bool has_other =
        stage->video || stage->dynamic || stage->program.vertex || stage->program.fragment;
    if (reader->image[0] == '\0' && has_other) {
        stage->image.text = "";
        return true;
    }
    if (reader->image[0] == '\0')
        md5i_decl_lex_warn(reader->lex, "material %s had stage with no image",
                           material_name(reader->parser).text);
    return set_image(reader->parser, reader->image, stage);
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

bool md5i_read_stage(md5_material_parser *parser, md5_decl_lex *lex)
{
    md5_token token;
    md5_stage_reader reader = {.parser = parser, .lex = lex, .has_memory = true};
    if (!has_room(parser, lex))
        return true;
    reader.stage = new_stage(parser);
    while (!parser->is_defaulted && reader.has_memory) {
        const bool is_read = read_token(parser, lex, &token);
        if (parser->is_defaulted)
            break;
        if (!is_read || md5i_token_is(&token, "}")) {
            parser->material.num_stages++;
            return finish_image(&reader);
        }
        read_word(&reader, &token);
    }
    return reader.has_memory;
}

bool md5i_add_plain_stage(md5_material_parser *parser, md5_stage_light light, const char *image)
{
    md5_stage *const stage = new_stage(parser);
    parser->material.num_stages++;
    stage->light = light;
    stage->repeat = MD5_REPEAT;
    return set_image(parser, image, stage);
}
