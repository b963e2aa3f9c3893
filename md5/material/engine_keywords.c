// Keywords that other engines added to materials, stages and models. The tables have two purposes:
// such a keyword is skipped together with its arguments, and a warning can name the engine.
#include "md5/material/engine_keywords.h"

#include "md5/material/image.h"

#include <string.h>

// Syntax of the arguments of a keyword.
typedef enum keyword_form {
    FORM_NO_ARGUMENT,
    FORM_LINE,  // the remaining tokens of the line, up to a brace
    FORM_IMAGE, // an image program
    FORM_BLOCK  // the remaining tokens of the line, then an optional block in braces
} keyword_form;

static const char rbdoom[] = "RBDOOM";
static const char prey[] = "Prey";
static const char quake4[] = "Quake 4";
static const char darkmod[] = "The Dark Mod";

// The last entry of a table has no pattern.
typedef struct engine_keyword {
    const char *pattern; // a `*` at the start or the end matches any text that is not empty
    const char *engine;
    keyword_form form;
} engine_keyword;

static const engine_keyword material_keywords[] = {
    {"basecolormap", rbdoom, FORM_IMAGE},
    {"normalmap", rbdoom, FORM_IMAGE},
    {"rmaomap", rbdoom, FORM_IMAGE},
    {"pbrmap", rbdoom, FORM_IMAGE},
    {"reflectionmap", rbdoom, FORM_IMAGE},
    {"unlit", rbdoom, FORM_NO_ARGUMENT},
    {"mikktspace", rbdoom, FORM_NO_ARGUMENT},
    {"lod1", rbdoom, FORM_NO_ARGUMENT},
    {"lod2", rbdoom, FORM_NO_ARGUMENT},
    {"lod3", rbdoom, FORM_NO_ARGUMENT},
    {"lod4", rbdoom, FORM_NO_ARGUMENT},
    {"persistentLOD", rbdoom, FORM_NO_ARGUMENT},
    {"origin", rbdoom, FORM_NO_ARGUMENT},
    {"stencil", rbdoom, FORM_BLOCK},
    {"*_macro", prey, FORM_NO_ARGUMENT},
    {"matter_*", prey, FORM_NO_ARGUMENT},
    {"shaderLevel*", prey, FORM_BLOCK},
    {"shaderFallback*", prey, FORM_BLOCK},
    {"skyboxPortal", prey, FORM_NO_ARGUMENT},
    {"specularExp", prey, FORM_LINE},
    {"glowStage", prey, FORM_NO_ARGUMENT},
    {"materialType", quake4, FORM_LINE},
    {"materialImage", quake4, FORM_LINE},
    {"nomips", quake4, FORM_NO_ARGUMENT},
    {"needCurrentRender", quake4, FORM_NO_ARGUMENT},
    {"portalDistance*", quake4, FORM_LINE},
    {"frobstage_none", darkmod, FORM_NO_ARGUMENT},
    {"frobstage_*", darkmod, FORM_LINE},
    {"islightgemsurf", darkmod, FORM_NO_ARGUMENT},
    {"lightAmbient*", darkmod, FORM_LINE},
    {"cubicLight", darkmod, FORM_NO_ARGUMENT},
    {"afterFog", darkmod, FORM_NO_ARGUMENT},
    {"fogAlpha", darkmod, FORM_LINE},
    {NULL, NULL, FORM_NO_ARGUMENT},
};

static const engine_keyword stage_keywords[] = {
    {"stereoeye", rbdoom, FORM_LINE},
    {"stencil", rbdoom, FORM_BLOCK},
    {"guiRenderMap", rbdoom, FORM_LINE},
    {"renderTargetMap", rbdoom, FORM_LINE},
    {"hdrimap", rbdoom, FORM_IMAGE},
    {"panoramaMap", rbdoom, FORM_IMAGE},
    {"cubeMapSingle", rbdoom, FORM_IMAGE},
    {"vertexParm2", rbdoom, FORM_LINE},
    {"glowStage", prey, FORM_NO_ARGUMENT},
    {"specularExp", prey, FORM_LINE},
    {"fragmentParm", prey, FORM_LINE},
    {"scopeView", prey, FORM_NO_ARGUMENT},
    {"notScopeView", prey, FORM_NO_ARGUMENT},
    {"spiritWalk", prey, FORM_NO_ARGUMENT},
    {"notSpiritWalk", prey, FORM_NO_ARGUMENT},
    {"shuttleView", prey, FORM_NO_ARGUMENT},
    {"notShuttleView", prey, FORM_NO_ARGUMENT},
    {"shaderLevel*", prey, FORM_BLOCK},
    {"nomips", quake4, FORM_NO_ARGUMENT},
    {"glslProgram", quake4, FORM_LINE},
    {"shaderParm", quake4, FORM_LINE},
    {"shaderTexture", quake4, FORM_LINE},
    {"needCurrentRender", quake4, FORM_NO_ARGUMENT},
    {"ignoreDepth", darkmod, FORM_NO_ARGUMENT},
    {"portalRenderMap", darkmod, FORM_NO_ARGUMENT},
    {NULL, NULL, FORM_NO_ARGUMENT},
};

static const engine_keyword model_keywords[] = {
    {"options", rbdoom, FORM_LINE},
    {"addoptions", rbdoom, FORM_LINE},
    {"rate", quake4, FORM_LINE},
    {"sync_cycle", quake4, FORM_NO_ARGUMENT},
    {"speak", quake4, FORM_LINE},
    {"speak_random", quake4, FORM_LINE},
    {"guievent", quake4, FORM_LINE},
    {"eventArgs", quake4, FORM_LINE},
    {"attachment_show", quake4, FORM_LINE},
    {"attachment_hide", quake4, FORM_LINE},
    {"ai_*", quake4, FORM_LINE},
    {"*Blinking", quake4, FORM_NO_ARGUMENT},
    {"*autoblink", quake4, FORM_NO_ARGUMENT},
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
    {"no_random_headturning", darkmod, FORM_NO_ARGUMENT},
    {NULL, NULL, FORM_NO_ARGUMENT},
};

// Returns true if a keyword matches a pattern. Case is ignored.
static bool matches_pattern(const char *pattern, const md5_token *keyword)
{
    const size_t length = strlen(pattern);
    const bool is_suffix = pattern[0] == '*';
    if (!is_suffix && pattern[length - 1] != '*')
        return md5i_token_is_word(keyword, pattern);

    // The pattern without its `*` is a fixed text with which the keyword must begin or, if the `*`
    // comes first, end.
    const size_t fixed_size = length - 1;
    if (keyword->size <= fixed_size)
        return false;
    const char *fixed = pattern;
    const char *text = keyword->text;
    if (is_suffix) {
        fixed = pattern + 1;
        text = keyword->text + keyword->size - fixed_size;
    }

    for (size_t i = 0; i < fixed_size; i++) {
        if (md5_lower(text[i]) != md5_lower(fixed[i]))
            return false;
    }
    return true;
}

// Returns the keywords of other engines for a kind of block. The last element has no pattern.
static const engine_keyword *keyword_table(md5_keyword_scope scope)
{
    switch (scope) {
    case MD5_SCOPE_MATERIAL:
        return material_keywords;
    case MD5_SCOPE_STAGE:
        return stage_keywords;
    default: // MD5_SCOPE_MODEL
        return model_keywords;
    }
}

// Returns the entry of a keyword. If no engine is known to have the keyword, returns the last entry
// of the table, which has no pattern.
static const engine_keyword *find_engine_keyword(const md5_token *keyword, md5_keyword_scope scope)
{
    const engine_keyword *entry = keyword_table(scope);
    while (entry->pattern && !matches_pattern(entry->pattern, keyword))
        entry++;
    return entry;
}

// -- Skipping -------------------------------------------------------------------------------------

static bool is_punctuation(const md5_token *token, const char *text)
{
    return token->kind == MD5_TOKEN_PUNCTUATION && md5i_token_is(token, text);
}

// Skips the remaining tokens of the line, up to a brace. In a model, `frame` also ends the
// arguments because it begins the next command.
static void skip_line_arguments(md5_decl_lex *lex, md5_keyword_scope scope)
{
    md5_token token;
    while (md5i_decl_lex_read_on_line(lex, &token)) {
        const bool is_brace = is_punctuation(&token, "{") || is_punctuation(&token, "}");
        if (is_brace || (scope == MD5_SCOPE_MODEL && md5i_token_is(&token, "frame"))) {
            md5i_decl_lex_unread(lex, &token);
            return;
        }
    }
}

// Skips the arguments of an unknown keyword. If its engine is known, the table contains the form of
// the arguments. Otherwise the arguments extend to the end of the line.
void md5i_skip_unknown_keyword(md5_decl_lex *lex, const md5_token *keyword, md5_keyword_scope scope)
{
    char image[MD5_IMAGE_TEXT];
    const engine_keyword *const entry = find_engine_keyword(keyword, scope);
    const keyword_form form = entry->pattern ? entry->form : FORM_LINE;
    switch (form) {
    case FORM_NO_ARGUMENT:
        break;
    case FORM_LINE:
        skip_line_arguments(lex, scope);
        break;
    case FORM_IMAGE:
        (void)md5i_read_image_text(lex, image);
        break;
    case FORM_BLOCK:
        skip_line_arguments(lex, scope);
        if (md5i_decl_lex_accept(lex, "{"))
            (void)md5i_decl_lex_skip_braces(lex, 1);
        break;
    }
}

// Reports an unknown keyword, with the engine that added it if that is known. In lenient mode, also
// skips its arguments. In engine mode, the declaration becomes invalid.
void md5i_report_unknown_keyword(md5_decl_lex *lex, const md5_token *keyword,
                                 md5_keyword_scope scope, const char *problem, const char *name,
                                 const char *expected)
{
    const char *const engine = find_engine_keyword(keyword, scope)->engine;
    const md5_quoted shown = md5i_quote(keyword->text, keyword->size);
    md5_quoted quoted_name = {""};
    const char *preposition = "";

    if (name) {
        quoted_name = md5i_quote(name, strlen(name));
        preposition = " in ";
    }
    if (scope == MD5_SCOPE_STAGE)
        preposition = " in material ";

    if (engine && md5_is_lenient(lex->game))
        md5i_decl_lex_warn(lex, "%s%s%s is a keyword of %s, skipped", shown.text, preposition,
                           quoted_name.text, engine);
    else
        md5i_decl_error(lex, expected, "%s %s%s%s", problem, shown.text, preposition,
                        quoted_name.text);
    if (md5_is_lenient(lex->game))
        md5i_skip_unknown_keyword(lex, keyword, scope);
}
