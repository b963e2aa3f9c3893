// Parses skins. A skin replaces materials of a model by other materials. Its declaration is
//
//   skin NAME { [model FILE] FROM TO ... }
//
// skin_reader collects the replacements and the models while a declaration is read. parse_skin()
// copies them to the memory of the game.
#include "md5/core/assert.h"
#include "md5/decl/containers.h"
#include "md5/decl/decls.h"
#include "md5/material/material.h"

#include <string.h>

// The state of the parser. The arrays are in game->scratch.
typedef struct skin_reader {
    md5_game *game;
    md5_decl_lex lex;
    md5_skin_def skin; // contains the counts; its arrays are not set
    md5_skin_replacement *replacements;
    const char **models;
    bool is_defaulted; // the declaration has an error
} skin_reader;

// Returns the name of a material in a skin. If a file declares the material, parses it. If no file
// declares it, only its name is stored, because a hostile skin could name very many materials.
// Returns NULL if memory runs out.
static const char *read_material_name(md5_game *game, const md5_token *token)
{
    char name[MD5_MAX_NAME_SIZE];
    if (md5i_find_entry(game, MD5_DECL_MATERIAL, token->text, token->size)) {
        const md5_decl_entry *const entry =
            md5i_parse_material_named(game, token->text, token->size);
        return entry ? entry->decl.name : NULL;
    }
    md5i_canonical_name(name, token->text, token->size);
    return md5_copy_text(&game->arena, name, strlen(name));
}

// Adds a replacement of the material `from` by the material `to`. If `from` is `*`, every material
// is replaced.
static bool add_replacement(skin_reader *reader, const md5_token *from, const md5_token *to)
{
    const bool is_all = md5i_token_is(from, "*");
    const char *const source = is_all ? NULL : read_material_name(reader->game, from);
    const char *const target = read_material_name(reader->game, to);
    TRY((is_all || source) && target);

    reader->replacements = (md5_skin_replacement *)md5_grow(
        &reader->game->scratch, reader->replacements, reader->skin.num_replacements,
        sizeof *reader->replacements);
    TRY(reader->replacements);
    reader->replacements[reader->skin.num_replacements++] = (md5_skin_replacement){source, target};
    return true;
}

// Adds a model to the list of models for which a skin was made.
static bool add_model(skin_reader *reader, const md5_token *name)
{
    md5_game *const game = reader->game;
    reader->models = (const char **)md5_grow(&game->scratch, reader->models,
                                             reader->skin.num_models, sizeof *reader->models);
    const char *const copy = md5_copy_text(&game->arena, name->text, name->size);
    TRY(reader->models && copy);
    reader->models[reader->skin.num_models++] = copy;
    return true;
}

// Builds the content of a skin that no file declares, or whose declaration has an error.
//
// - If no file declares the skin, but its name is the name of a declared material, this material
//   replaces the material `_default`.
// - Otherwise, `_default` replaces every material, as in the engine. In lenient mode nothing is
//   replaced instead, because the skin may be declared in a base folder that is missing.
static bool build_implicit_skin(skin_reader *reader, const char *name)
{
    const md5_token builtin = {.text = "_default", .size = strlen("_default")};
    const md5_token all = {.text = "*", .size = 1};
    const md5_token material = {.text = name, .size = strlen(name)};
    reader->skin.num_replacements = 0;
    reader->skin.num_models = 0;

    if (!reader->is_defaulted
        && md5i_find_entry(reader->game, MD5_DECL_MATERIAL, material.text, material.size))
        return add_replacement(reader, &builtin, &material);
    reader->is_defaulted = true;
    return md5_is_lenient(reader->game) || add_replacement(reader, &all, &builtin);
}

// Reads the declaration of a skin, which consists of pairs of tokens: the keyword `model` and a
// file, or a material and the material that replaces it. Returns false if memory runs out.
static bool read_skin_decl(skin_reader *reader, md5_decl_entry *entry)
{
    md5_token first;
    md5_token second;
    md5i_decl_lex_begin_decl(&reader->lex, reader->game, entry, &reader->is_defaulted);
    (void)md5i_decl_lex_skip_until(&reader->lex, "{");

    while (md5i_decl_lex_read(&reader->lex, &first) && !md5i_token_is(&first, "}")) {
        if (!md5i_decl_lex_read(&reader->lex, &second)) {
            md5i_decl_error(&reader->lex, "a material", "Unexpected end of file");
            return true;
        }

        // In engine mode, a brace is the name of a material here.
        const bool is_brace = second.kind == MD5_TOKEN_PUNCTUATION && md5i_token_is(&second, "}");
        if (is_brace && md5_is_lenient(reader->game)) {
            md5i_decl_lex_warn(&reader->lex, "expected a material after %s but found '}'",
                               MD5_QUOTED_TOKEN(&first));
            return true;
        }

        if (md5i_token_is_word(&first, "model"))
            TRY(add_model(reader, &second));
        else
            TRY(add_replacement(reader, &first, &second));
    }
    return true;
}

// Copies a skin that was read to the memory of the game, and sets entry->parsed. Returns false if
// memory runs out.
static bool store_skin(const skin_reader *reader, md5_decl_entry *entry)
{
    md5_arena *const arena = &reader->game->arena;
    md5_skin_def *const skin = MD5_ALLOC_ZEROED(arena, md5_skin_def, 1);
    TRY(skin);
    *skin = reader->skin;
    skin->decl = &entry->decl;
    skin->replacements = (const md5_skin_replacement *)md5i_arena_copy(
        arena, reader->replacements, skin->num_replacements, sizeof *skin->replacements);
    skin->models = (const char *const *)md5i_arena_copy(arena, reader->models, skin->num_models,
                                                        sizeof *skin->models);
    TRY(skin->replacements && skin->models);

    entry->parsed = skin;
    entry->decl.state = reader->is_defaulted ? MD5_DECL_DEFAULTED : MD5_DECL_PARSED;
    return true;
}

// Parses a skin if it has not been parsed. A skin that no file declares, or that has an error, gets
// implicit content. Returns false if memory runs out.
static bool parse_skin(md5_game *game, md5_decl_entry *entry)
{
    if (entry->parsed)
        return true;
    skin_reader reader = {.game = game};
    const bool is_declared = entry->decl.file != NULL;
    if (is_declared)
        TRY(read_skin_decl(&reader, entry));
    if (!is_declared || reader.is_defaulted)
        TRY(build_implicit_skin(&reader, entry->decl.name));
    return store_skin(&reader, entry);
}

// Returns the parsed skin with a name, which is created with default content if it does not exist.
// Returns NULL if memory runs out.
md5_decl_entry *md5i_parse_skin_named(md5_game *game, const char *name, size_t size)
{
    md5_decl_entry *const entry = md5i_find_or_add_entry(game, MD5_DECL_SKIN, name, size);
    const md5_arena_mark before = md5i_arena_position(&game->scratch);
    const bool is_parsed = entry && parse_skin(game, entry) && md5_game_is_ok(game);
    md5i_arena_rewind(&game->scratch, before);
    return is_parsed ? entry : NULL;
}

// Returns the skin with the given name. The result is NULL only if memory runs out. If no file
// declares the skin, the game creates an implicit skin, as the engine does.
const md5_skin_def *md5_game_skin_def(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_NOT_NULL(name);
    return (const md5_skin_def *)md5i_request_decl(game, MD5_DECL_SKIN, name, parse_skin, error);
}

// -- Lookup ---------------------------------------------------------------------------------------

// Returns the name of the material that a skin draws instead of `material`, or `material` itself.
// The first matching replacement is used. A replacement without a name matches every material. As
// in the engine, an invisible material, such as a collision surface, is never replaced.
const char *md5_skin_def_material(const md5_game *game, const md5_skin_def *skin,
                                  const char *material)
{
    MD5_ASSERT_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_PART(skin, decl);
    MD5_ASSERT_NOT_NULL(material);

    const md5_decl_entry *const entry =
        md5i_find_entry(game, MD5_DECL_MATERIAL, material, strlen(material));
    const md5_material *const parsed = entry ? (const md5_material *)entry->parsed : NULL;
    char name[MD5_MAX_NAME_SIZE];
    const bool is_invisible = parsed && parsed->num_stages == 0 && !parsed->gui;
    if (is_invisible)
        return material;

    md5i_canonical_name(name, material, strlen(material));
    for (uint32_t i = 0; i < skin->num_replacements; i++) {
        const char *const from = skin->replacements[i].from;
        if (!from || strcmp(from, name) == 0)
            return skin->replacements[i].to;
    }
    return material;
}
