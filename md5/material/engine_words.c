// Keywords that other engines added to materials, stages and models, so that a keyword is skipped
// together with its arguments and a warning can name the engine.
#include "md5/material/engine_words.h"

#include "md5/material/image.h"

#include <string.h>

// What follows a word.
typedef enum word_form {
    FORM_ALONE,
    FORM_LINE,  // the rest of the line, up to a brace
    FORM_IMAGE, // an image program
    FORM_BLOCK  // the rest of the line, and then a block in braces if there is one
} word_form;

static const char rbdoom[] = "RBDOOM";
static const char prey[] = "Prey";
static const char quake4[] = "Quake 4";
static const char darkmod[] = "The Dark Mod";

// A * stands for any text at that end of a word.
typedef struct foreign_word {
    const char *word;
    const char *engine;
    word_form form;
} foreign_word;

static const foreign_word material_words[] = {
    {"basecolormap", rbdoom, FORM_IMAGE},
    {"normalmap", rbdoom, FORM_IMAGE},
    {"rmaomap", rbdoom, FORM_IMAGE},
    {"pbrmap", rbdoom, FORM_IMAGE},
    {"reflectionmap", rbdoom, FORM_IMAGE},
    {"unlit", rbdoom, FORM_ALONE},
    {"mikktspace", rbdoom, FORM_ALONE},
    {"lod1", rbdoom, FORM_ALONE},
    {"lod2", rbdoom, FORM_ALONE},
    {"lod3", rbdoom, FORM_ALONE},
    {"lod4", rbdoom, FORM_ALONE},
    {"persistentLOD", rbdoom, FORM_ALONE},
    {"origin", rbdoom, FORM_ALONE},
    {"stencil", rbdoom, FORM_BLOCK},
    {"*_macro", prey, FORM_ALONE},
    {"matter_*", prey, FORM_ALONE},
    {"shaderLevel*", prey, FORM_BLOCK},
    {"shaderFallback*", prey, FORM_BLOCK},
    {"skyboxPortal", prey, FORM_ALONE},
    {"specularExp", prey, FORM_LINE},
    {"glowStage", prey, FORM_ALONE},
    {"materialType", quake4, FORM_LINE},
    {"materialImage", quake4, FORM_LINE},
    {"nomips", quake4, FORM_ALONE},
    {"needCurrentRender", quake4, FORM_ALONE},
    {"portalDistance*", quake4, FORM_LINE},
    {"frobstage_none", darkmod, FORM_ALONE},
    {"frobstage_*", darkmod, FORM_LINE},
    {"islightgemsurf", darkmod, FORM_ALONE},
    {"lightAmbient*", darkmod, FORM_LINE},
    {"cubicLight", darkmod, FORM_ALONE},
    {"afterFog", darkmod, FORM_ALONE},
    {"fogAlpha", darkmod, FORM_LINE},
    {NULL, NULL, FORM_ALONE},
};

static const foreign_word stage_words[] = {
    {"stereoeye", rbdoom, FORM_LINE},
    {"stencil", rbdoom, FORM_BLOCK},
    {"guiRenderMap", rbdoom, FORM_LINE},
    {"renderTargetMap", rbdoom, FORM_LINE},
    {"hdrimap", rbdoom, FORM_IMAGE},
    {"panoramaMap", rbdoom, FORM_IMAGE},
    {"cubeMapSingle", rbdoom, FORM_IMAGE},
    {"vertexParm2", rbdoom, FORM_LINE},
    {"glowStage", prey, FORM_ALONE},
    {"specularExp", prey, FORM_LINE},
    {"fragmentParm", prey, FORM_LINE},
    {"scopeView", prey, FORM_ALONE},
    {"notScopeView", prey, FORM_ALONE},
    {"spiritWalk", prey, FORM_ALONE},
    {"notSpiritWalk", prey, FORM_ALONE},
    {"shuttleView", prey, FORM_ALONE},
    {"notShuttleView", prey, FORM_ALONE},
    {"shaderLevel*", prey, FORM_BLOCK},
    {"nomips", quake4, FORM_ALONE},
    {"glslProgram", quake4, FORM_LINE},
    {"shaderParm", quake4, FORM_LINE},
    {"shaderTexture", quake4, FORM_LINE},
    {"needCurrentRender", quake4, FORM_ALONE},
    {"ignoreDepth", darkmod, FORM_ALONE},
    {"portalRenderMap", darkmod, FORM_ALONE},
    {NULL, NULL, FORM_ALONE},
};

static const foreign_word model_words[] = {
    {"options", rbdoom, FORM_LINE},
    {"addoptions", rbdoom, FORM_LINE},
    {"rate", quake4, FORM_LINE},
    {"sync_cycle", quake4, FORM_ALONE},
    {"speak", quake4, FORM_LINE},
    {"speak_random", quake4, FORM_LINE},
    {"guievent", quake4, FORM_LINE},
    {"eventArgs", quake4, FORM_LINE},
    {"attachment_show", quake4, FORM_LINE},
    {"attachment_hide", quake4, FORM_LINE},
    {"ai_*", quake4, FORM_LINE},
    {"*Blinking", quake4, FORM_ALONE},
    {"*autoblink", quake4, FORM_ALONE},
    {"activate_at_joint", darkmod, FORM_LINE},
    {"activate_near", darkmod, FORM_LINE},
    {"attach", darkmod, FORM_LINE},
    {"reattach", darkmod, FORM_LINE},
    {"destroy", darkmod, FORM_LINE},
    {"drop", darkmod, FORM_LINE},
    {"pickup", darkmod, FORM_LINE},
    {"putdown", darkmod, FORM_LINE},
    {"pause", darkmod, FORM_LINE},
    {"setrate", darkmod, FORM_LINE},
    {"melee_*", darkmod, FORM_LINE},
    {"*_combat_flag", darkmod, FORM_LINE},
    {"create_missile_from_def", darkmod, FORM_LINE},
    {"no_random_headturning", darkmod, FORM_ALONE},
    {NULL, NULL, FORM_ALONE},
};

static bool fits(const char *pattern, const md5_token *word)
{
    const size_t length = strlen(pattern);
    if (pattern[0] != '*' && pattern[length - 1] != '*')
        return md5i_token_is_word(word, pattern);
    const size_t fixed = length - 1;
    md5_token part = *word;
    if (word->size <= fixed)
        return false;
    part.size = fixed;
    part.text = pattern[0] == '*' ? word->text + word->size - fixed : word->text;
    for (size_t i = 0; i < fixed; i++) {
        if (md5_lower(part.text[i]) != md5_lower(pattern[i + (pattern[0] == '*')]))
            return false;
    }
    return true;
}

static const foreign_word *find(const md5_token *word, md5_word_place place)
{
    const foreign_word *row = place == MD5_WORD_MATERIAL ? material_words
                              : place == MD5_WORD_STAGE  ? stage_words
                                                         : model_words;
    while (row->word && !fits(row->word, word))
        row++;
    return row;
}

// -- Skipping -------------------------------------------------------------------------------------

static bool is_punctuation(const md5_token *token, const char *text)
{
    return token->kind == MD5_TOKEN_PUNCTUATION && md5i_token_is(token, text);
}

void md5i_skip_unknown_word(md5_decl_lex *lex, const md5_token *word, md5_word_place place)
{
    char image[MD5_IMAGE_TEXT];
    const foreign_word *const row = find(word, place);
    const bool has_line = !row->word || row->form == FORM_LINE || row->form == FORM_BLOCK;
    md5_token token;
    while (has_line && md5i_decl_lex_read_on_line(lex, &token)) {
        if (is_punctuation(&token, "{") || is_punctuation(&token, "}")
            || (place == MD5_WORD_MODEL && md5i_token_is(&token, "frame"))) {
            md5i_decl_lex_unread(lex, &token);
            break;
        }
    }
    if (row->word && row->form == FORM_BLOCK && md5i_decl_lex_take(lex, "{"))
        (void)md5i_decl_lex_skip_braces(lex, 1);
    if (row->word && row->form == FORM_IMAGE)
        (void)md5i_read_image_text(lex, image);
}

void md5i_unknown_word(md5_decl_lex *lex, const md5_token *word, md5_word_place place,
                       const char *what, const char *name, const char *expected)
{
    const char *const engine = find(word, place)->engine;
    const char *const in = place == MD5_WORD_STAGE ? " in material " : name ? " in " : "";
    const md5_quoted shown = md5i_quote(word->text, word->size);
    const md5_quoted owner = name ? md5i_quote(name, strlen(name)) : (md5_quoted){""};
    if (engine && md5_is_lenient(lex->game))
        md5i_decl_lex_warn(lex, "%s%s%s is a keyword of %s, skipped", shown.text, in, owner.text,
                           engine);
    else
        md5i_decl_error(lex, expected, "%s %s%s%s", what, shown.text, in, owner.text);
    if (md5_is_lenient(lex->game))
        md5i_skip_unknown_word(lex, word, place);
}
