// Skins: skin NAME { [model FILE] FROM TO ... }
#include "md5/core/assert.h"
#include "md5/decl/containers.h"
#include "md5/decl/decls.h"
#include "md5/material/material.h"

#include <string.h>

// Rows and models while they are read, in game->scratch.
typedef struct skin_reader {
    md5_game *game;
    md5_decl_lex lex;
    md5_skin_def skin;
    md5_skin_replacement *rows;
    const char **models;
    bool is_defaulted; // by an error
} skin_reader;

// Returns the name of a material, which is parsed if a file declares it. Others take only their
// names: a skin may have very many. Returns NULL if memory runs out.
static const char *name_of(md5_game *game, const md5_token *token)
{
    char name[MD5_LONGEST_NAME];
    if (md5i_find_entry(game, MD5_DECL_MATERIAL, token->text, token->size)) {
        const md5_decl_entry *const entry = md5i_parse_material_of(game, token->text, token->size);
        return entry ? entry->decl.name : NULL;
    }
    md5i_canonical_name(name, token->text, token->size);
    return md5_copy_text(&game->arena, name, strlen(name));
}

// Adds a row of two names as they are written.
static bool add_names(skin_reader *reader, const md5_token *from, const md5_token *to)
{
    const bool is_all = md5i_token_is(from, "*");
    const char *const source = is_all ? NULL : name_of(reader->game, from);
    const char *const target = name_of(reader->game, to);
    TRY((is_all || source) && target);
    reader->rows = (md5_skin_replacement *)md5_grow(
        &reader->game->scratch, reader->rows, reader->skin.num_replacements, sizeof *reader->rows);
    TRY(reader->rows);
    reader->rows[reader->skin.num_replacements++] = (md5_skin_replacement){source, target};
    return true;
}

// Makes the engine's substitute for a skin that no file declares, or that has an error: every
// material is replaced by the default one. In lenient mode materials stay as they are, since
// the skin may be in a base folder that is missing.
static bool make_implicit(skin_reader *reader, const char *name)
{
    const md5_token builtin = {.text = "_default", .size = strlen("_default")};
    const md5_token all = {.text = "*", .size = 1};
    const md5_token own = {.text = name, .size = strlen(name)};
    reader->skin.num_replacements = reader->skin.num_models = 0;
    if (!reader->is_defaulted
        && md5i_find_entry(reader->game, MD5_DECL_MATERIAL, own.text, own.size))
        return add_names(reader, &builtin, &own);
    reader->is_defaulted = true;
    return md5_is_lenient(reader->game) || add_names(reader, &all, &builtin);
}

// Parses a skin, unless that has been done. Returns false if memory runs out.
static bool parse_skin(md5_game *game, md5_decl_entry *entry)
{
    skin_reader reader = {.game = game};
    if (entry->parsed)
        return true;
    if (entry->decl.file) {
        md5_token token, second;
        md5i_decl_lex_begin_decl(&reader.lex, game, entry, &reader.is_defaulted);
        (void)md5i_decl_lex_skip_until(&reader.lex, "{");
        while (md5i_decl_lex_read(&reader.lex, &token) && !md5i_token_is(&token, "}")) {
            if (!md5i_decl_lex_read(&reader.lex, &second)) {
                md5i_decl_error(&reader.lex, "a material", "Unexpected end of file");
                break;
            }
            if (md5_is_lenient(game) && second.kind == MD5_TOKEN_PUNCTUATION
                && md5i_token_is(&second, "}")) {
                md5i_decl_lex_warn(&reader.lex, "expected a material after %s but found '}'",
                                   MD5_SHOWN(&token));
                break;
            }
            if (md5i_token_is_word(&token, "model")) {
                reader.models = (const char **)md5_grow(
                    &game->scratch, reader.models, reader.skin.num_models, sizeof *reader.models);
                const char *const copy = md5_copy_text(&game->arena, second.text, second.size);
                TRY(reader.models && copy);
                reader.models[reader.skin.num_models++] = copy;
            } else {
                TRY(add_names(&reader, &token, &second));
            }
        }
    }
    if (!entry->decl.file || reader.is_defaulted)
        TRY(make_implicit(&reader, entry->decl.name));
    md5_arena *const arena = &game->arena;
    md5_skin_def *const skin = MD5_NEW(arena, md5_skin_def, 1);
    TRY(skin);
    *skin = reader.skin;
    skin->decl = &entry->decl;
    skin->replacements = (const md5_skin_replacement *)md5i_arena_copy(
        arena, reader.rows, skin->num_replacements, sizeof *skin->replacements);
    skin->models = (const char *const *)md5i_arena_copy(arena, reader.models, skin->num_models,
                                                        sizeof *skin->models);
    TRY(skin->replacements && skin->models);
    entry->parsed = skin;
    entry->decl.state = reader.is_defaulted ? MD5_DECL_DEFAULTED : MD5_DECL_PARSED;
    return true;
}

md5_decl_entry *md5i_parse_skin_of(md5_game *game, const char *name, size_t size)
{
    md5_decl_entry *const entry = md5i_find_or_add_entry(game, MD5_DECL_SKIN, name, size);
    const md5_arena_mark before = md5i_arena_here(&game->scratch);
    const bool is_parsed = entry && parse_skin(game, entry) && md5_game_has_memory(game);
    md5i_arena_rewind(&game->scratch, before);
    return is_parsed ? entry : NULL;
}

const md5_skin_def *md5_game_skin_def(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_NOT_NULL(name);
    return (const md5_skin_def *)md5i_request(game, MD5_DECL_SKIN, name, parse_skin, error);
}

// -- Use ------------------------------------------------------------------------------------------

const char *md5_skin_def_material(const md5_game *game, const md5_skin_def *skin,
                                  const char *material)
{
    MD5_ASSERT_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_PART(skin, decl);
    MD5_ASSERT_NOT_NULL(material);
    const md5_decl_entry *const entry =
        md5i_find_entry(game, MD5_DECL_MATERIAL, material, strlen(material));
    const md5_material *const parsed = entry ? (const md5_material *)entry->parsed : NULL;
    char name[MD5_LONGEST_NAME];
    if (parsed && parsed->num_stages == 0 && !parsed->gui)
        return material;
    md5i_canonical_name(name, material, strlen(material));
    for (uint32_t i = 0; i < skin->num_replacements; i++) {
        const char *const from = skin->replacements[i].from;
        if (!from || strcmp(from, name) == 0)
            return skin->replacements[i].to;
    }
    return material;
}
