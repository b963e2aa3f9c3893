// Shader programs, and their inputs.
#include "md5/game/stage_words.h"

#include "md5/game/files.h"
#include "md5/game/verdict.h"

#include <stdio.h>
#include <string.h>

static void set_program(md5_stage_reader *reader, int which, const char *name)
{
    md5_stage_program *const program = &reader->stage->program;
    if (which & MD5_PROGRAM_VERTEX)
        program->vertex = name;
    if (which & MD5_PROGRAM_FRAGMENT)
        program->fragment = name;
    reader->has_memory &= name != NULL;
}

void md5i_read_program(md5_stage_reader *reader, int which)
{
    md5_token token;
    if (md5i_decl_lex_read_on_line(reader->lex, &token))
        set_program(reader, which, md5i_keep_token(reader->parser->game, &token));
}

// A mega texture is a file of the engine's own format. Without the file, the material is defaulted
// in the engine's verdict.
void md5i_read_mega_texture(md5_stage_reader *reader, int unused)
{
    char path[MD5_IMAGE_TEXT];
    md5_token token;
    (void)unused;
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
void md5i_read_vertex_parm(md5_stage_reader *reader, int unused)
{
    md5_material_parser *const parser = reader->parser;
    md5_stage_program *const program = &reader->stage->program;
    int32_t number;
    (void)unused;
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
    {"clamp", MD5_CLAMP},
    {"noclamp", MD5_REPEAT},
    {"zeroclamp", MD5_CLAMP_ZERO},
    {"alphazeroclamp", MD5_CLAMP_ZERO_ALPHA},
    {"forceHighQuality", -1},
    {"uncompressed", -1},
    {"highquality", -1},
    {"nopicmip", -1},
};

static bool take_fragment_word(const md5_token *token, md5_image_repeat *repeat)
{
    for (size_t i = 0; i < sizeof fragment_words / sizeof fragment_words[0]; i++) {
        if (md5i_token_is_word(token, fragment_words[i].word)) {
            if (fragment_words[i].repeat >= 0)
                *repeat = (md5_image_repeat)fragment_words[i].repeat;
            return true;
        }
    }
    return false;
}

void md5i_read_fragment_map(md5_stage_reader *reader, int unused)
{
    md5_stage_program *const program = &reader->stage->program;
    md5_token token = {.text = ""};
    char text[MD5_IMAGE_TEXT];
    int32_t unit;
    (void)unused;
    if (!read_number(reader, "fragmentMap", MD5_MAX_FRAGMENT_IMAGES, &unit))
        return;
    if ((uint32_t)unit >= program->num_images)
        program->num_images = (uint32_t)unit + 1;
    program->repeat[unit] = MD5_REPEAT;
    do {
        token = (md5_token){.text = ""};
        (void)md5i_decl_lex_read_on_line(reader->lex, &token);
    } while (take_fragment_word(&token, &program->repeat[unit]));
    md5i_decl_lex_unread(reader->lex, &token);
    reader->has_memory &=
        md5i_read_image_text(reader->lex, text)
        && md5i_make_image_program(reader->parser->game, text, &program->images[unit]);
}
