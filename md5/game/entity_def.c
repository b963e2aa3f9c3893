// The parser of entityDefs: entityDef NAME { "key" "value" ... }
//
// The text of an entityDef is parsed once, to the keys that it declares and its parents. Inherited
// keys are collected on request, in one walk over all ancestors. If each entityDef had a copy of
// its inherited keys, a long chain of parents would take quadratic memory.
#include "md5/core/assert.h"
#include "md5/decl/containers.h"
#include "md5/decl/decls.h"
#include "md5/md5entity.h"

#include <string.h>

// A parsed entityDef.
typedef struct parsed_entity {
    // The public part, whose keys are collected on request. It must be the first member: pointers
    // to it are converted to pointers to parsed_entity.
    md5_entity_def def;
    uint32_t num_declared;
    uint32_t num_parents;
    const md5_entity_key *declared; // [num_declared] keys in the text, without `inherit`
    md5_decl_entry **parents;       // [num_parents]
    const void *last_walk;          // identifies the last walk that visited this entityDef
} parsed_entity;

// A growing list of keys, in game->scratch. It contains the keys that are read from one text, or
// that are collected from an entityDef and its ancestors. No two names are equal without regard to
// case.
typedef struct key_list {
    md5_game *game;
    md5_entity_key *keys; // [count]
    uint32_t count;
    md5_name_map names; // maps a name in lower case to a pointer to its index in `keys`
} key_list;

// -- Lists of keys --------------------------------------------------------------------------------

// Returns a copy of a name in lower case, or NULL if memory runs out.
static char *copy_in_lower_case(md5_arena *arena, const char *name)
{
    char *const copy = md5_copy_text(arena, name, strlen(name));
    for (char *letter = copy; letter && *letter; letter++)
        *letter = md5_lower(*letter);
    return copy;
}

// Appends an empty key to the list, and adds its name in lower case to the map. Returns NULL if
// memory runs out. The map stores a pointer to the index of the key instead of a pointer to the
// key, because growing the array moves the keys.
static md5_entity_key *add_key(key_list *list, const char *lower_case_name)
{
    md5_arena *const scratch = &list->game->scratch;
    uint32_t *const index = MD5_ALLOC_ZEROED(scratch, uint32_t, 1);
    if (!index)
        return NULL;
    list->keys = (md5_entity_key *)md5_grow(scratch, list->keys, list->count, sizeof *list->keys);
    if (!list->keys)
        return NULL;
    void **const added = md5i_name_map_add(&list->names, scratch, lower_case_name);
    if (!added)
        return NULL;
    *index = list->count;
    *added = index;
    return &list->keys[list->count++];
}

// Returns the key of the list with a name. If the list does not contain it, sets `is_new` to true
// and adds an empty key, which the caller must fill. Returns NULL if memory runs out.
static md5_entity_key *find_or_add_key(key_list *list, const char *name, bool *is_new)
{
    char *const lower_case_name = copy_in_lower_case(&list->game->scratch, name);
    if (!lower_case_name)
        return NULL;
    void **const found = md5i_name_map_find(&list->names, lower_case_name);
    *is_new = !found;
    if (!found)
        return add_key(list, lower_case_name);
    const uint32_t *const index = (const uint32_t *)*found;
    return &list->keys[*index];
}

// Adds a key to the list and sets `is_new` to true. If the list already contains a key with this
// name, replaces its value and location instead, and sets `is_new` to false. Returns false if
// memory runs out.
static bool set_key(key_list *list, const md5_entity_key *key, bool *is_new)
{
    md5_entity_key *const entry = find_or_add_key(list, key->name, is_new);
    TRY(entry);
    if (*is_new) {
        *entry = *key;
    } else {
        entry->value = key->value;
        entry->line = key->line;
        entry->column = key->column;
    }
    return true;
}

// Copies the keys of a list to the game's memory. Returns NULL if memory runs out.
static const md5_entity_key *store_keys(key_list *list)
{
    return (const md5_entity_key *)md5i_arena_copy(&list->game->arena, list->keys, list->count,
                                                   sizeof *list->keys);
}

// -- Parsing --------------------------------------------------------------------------------------

// Checks the name of a key, and reports a name that is not in double quotes. Returns false if the
// text cannot be used as a name. In lenient mode a name without quotes is used, and punctuation is
// skipped.
static bool accept_key_name(md5_decl_lex *lex, const md5_token *name)
{
    const bool has_double_quotes = name->kind == MD5_TOKEN_STRING && !name->is_literal;
    if (has_double_quotes)
        return true;
    md5i_decl_error(lex, "a key in double quotes", "Expected quoted string, but found %s",
                    MD5_QUOTED_TOKEN(name));
    return !*lex->is_defaulted && name->kind != MD5_TOKEN_PUNCTUATION;
}

// Reads the value of a key. If the value is missing, reports this and returns false. In lenient
// mode, a brace that ends the entityDef is then left for the caller.
static bool read_key_value(md5_decl_lex *lex, const md5_token *name, md5_token *value)
{
    if (!md5i_decl_lex_read(lex, value)) {
        md5i_decl_error(lex, "a value", "Unexpected end of file");
        return false;
    }
    const bool is_brace = value->kind == MD5_TOKEN_PUNCTUATION && md5i_token_is(value, "}");
    if (is_brace && md5_is_lenient(lex->game)) {
        md5i_decl_lex_warn(lex, "expected a value after %s but found '}'", MD5_QUOTED_TOKEN(name));
        md5i_decl_lex_unread(lex, value);
        return false;
    }
    return true;
}

// Reads the value that follows the name of a key, and sets the key in the list. Reports an invalid
// name or value, and a key that is defined twice. Returns false if memory runs out.
static bool read_pair(md5_decl_lex *lex, const md5_token *name, const md5_decl *decl,
                      key_list *list)
{
    const uint32_t line = lex->line;
    const uint32_t column = (uint32_t)(name->at - lex->line_start) + 1;
    if (!accept_key_name(lex, name))
        return true;

    const char *const text = md5i_copy_token(lex->game, name);
    TRY(text);
    md5_token value;
    if (!read_key_value(lex, name, &value))
        return true;

    bool is_new;
    const md5_entity_key key = {text, md5i_copy_token(lex->game, &value), decl, line, column};
    TRY(key.value && set_key(list, &key, &is_new));
    lex->token_at = name->at;
    if (!is_new)
        md5i_decl_lex_warn(lex, "key %s already defined", MD5_QUOTED_TOKEN(name));
    return true;
}

// Removes the keys that begin with "inherit" from the list, and stores the parents that they name.
// Warns if a parent does not exist. Returns false if memory runs out.
static bool extract_parents(key_list *list, md5_decl_lex *lex, parsed_entity *parsed)
{
    md5_game *const game = list->game;
    uint32_t count = 0;
    parsed->parents = MD5_ALLOC_ZEROED(&game->arena, md5_decl_entry *, list->count);
    TRY(parsed->parents);

    for (uint32_t i = 0; i < list->count; i++) {
        const md5_entity_key key = list->keys[i];
        const size_t size = strlen(key.value);
        if (!md5_skip_prefix(key.name, "inherit")) {
            list->keys[count++] = key;
            continue;
        }
        md5_decl_entry *const parent = md5i_find_entry(game, MD5_DECL_ENTITY, key.value, size);
        if (parent)
            parsed->parents[parsed->num_parents++] = parent;
        else
            md5i_decl_lex_warn(lex, "Unknown entityDef %s inherited by %s",
                               md5i_quote(key.value, size).text,
                               MD5_QUOTED(parsed->def.decl->name));
    }
    list->count = count;
    return true;
}

// Sets a key that the text of a declaration does not contain. For messages, its location is the
// keyword of the declaration. Returns false if memory runs out.
static bool set_implied_key(key_list *list, const md5_decl *decl, const char *name,
                            const char *value)
{
    bool is_new;
    const md5_entity_key key = {name, value, decl, decl->keyword_line, decl->keyword_column};
    return set_key(list, &key, &is_new);
}

// Parses the text of an entityDef. As in the engine, it gets the key "classname" with its own name.
// An entityDef with an error has only this key and the key "DEFAULTED". Returns false if memory
// runs out.
static bool parse_declaration(md5_game *game, md5_decl_entry *entry, parsed_entity *parsed)
{
    const md5_decl *const decl = &entry->decl;
    md5_decl_lex lex;
    bool is_defaulted = false; // the text has an error
    key_list list = {.game = game};
    md5i_decl_lex_begin_decl(&lex, game, entry, &is_defaulted);

    md5_token token;
    (void)md5i_decl_lex_skip_until(&lex, "{");
    while (!is_defaulted && md5i_decl_lex_read(&lex, &token) && !md5i_token_is(&token, "}"))
        TRY(read_pair(&lex, &token, decl, &list));
    if (is_defaulted) {
        list = (key_list){.game = game};
        TRY(set_implied_key(&list, decl, "DEFAULTED", "1"));
    }
    TRY(set_implied_key(&list, decl, "classname", decl->name));

    parsed->def.decl = decl;
    TRY(extract_parents(&list, &lex, parsed));
    parsed->declared = store_keys(&list);
    parsed->num_declared = list.count;
    TRY(parsed->declared && md5_game_is_ok(game));
    entry->parsed = parsed;
    entry->decl.state = is_defaulted ? MD5_DECL_DEFAULTED : MD5_DECL_PARSED;
    return true;
}

// Returns the parsed entityDef, or NULL if memory runs out.
static parsed_entity *parse_entity_def(md5_game *game, md5_decl_entry *entry)
{
    if (entry->parsed)
        return (parsed_entity *)entry->parsed;
    const md5_arena_mark before = md5i_arena_position(&game->scratch);
    parsed_entity *const parsed = MD5_ALLOC_ZEROED(&game->arena, parsed_entity, 1);
    const bool is_parsed = parsed && parse_declaration(game, entry, parsed);
    md5i_arena_rewind(&game->scratch, before);
    return is_parsed ? parsed : NULL;
}

// -- Ancestors ------------------------------------------------------------------------------------

// An entityDef whose parents are being visited. The visited entityDefs form a stack: each inherits,
// directly or through others, the entityDefs above it. The stack replaces recursion.
typedef struct open_ancestor {
    struct open_ancestor *below;
    const parsed_entity *parsed;
    uint32_t next_parent;
} open_ancestor;

// Visits an entityDef: adds its keys to the list and pushes it on the stack. `walk` identifies the
// walk over the ancestors. An entityDef that this walk has visited before is skipped, so that
// cycles of parents end. Returns false if memory runs out.
static bool enter_ancestor(key_list *list, const void *walk, md5_decl_entry *entry,
                           open_ancestor **top)
{
    parsed_entity *const parsed = parse_entity_def(list->game, entry);
    TRY(parsed);
    if (parsed->last_walk == walk)
        return true;

    open_ancestor *const added = MD5_ALLOC_ZEROED(&list->game->scratch, open_ancestor, 1);
    TRY(added);
    for (uint32_t i = 0; i < parsed->num_declared; i++) {
        // The list contains the keys of the entityDefs that inherit this one. They override its
        // keys.
        bool is_new;
        md5_entity_key *const key = find_or_add_key(list, parsed->declared[i].name, &is_new);
        TRY(key);
        if (is_new)
            *key = parsed->declared[i];
    }

    parsed->last_walk = walk;
    added->below = *top;
    added->parsed = parsed;
    *top = added;
    return true;
}

// Parses an entityDef and all its ancestors, and adds their keys to the list. The keys have the
// same order as in the engine: depth first. Returns false if memory runs out.
static bool list_ancestors(key_list *list, md5_decl_entry *entry)
{
    open_ancestor *top = NULL;
    // A new address identifies this walk. It is never reused, even if the walk fails.
    const void *const walk = md5i_arena_alloc_zeroed(&list->game->arena, 1, 1);
    TRY(walk && enter_ancestor(list, walk, entry, &top));
    while (top) {
        open_ancestor *const current = top;
        if (current->next_parent == current->parsed->num_parents) {
            top = current->below; // all its parents were visited
        } else {
            md5_decl_entry *const parent = current->parsed->parents[current->next_parent++];
            TRY(enter_ancestor(list, walk, parent, &top));
        }
    }
    return true;
}

// Collects the keys of an entityDef if they have not been collected. Returns false if memory runs
// out.
static bool collect_keys(md5_game *game, md5_decl_entry *entry)
{
    parsed_entity *const root = parse_entity_def(game, entry);
    if (!root || root->def.keys)
        return root != NULL;
    key_list list = {.game = game};
    const md5_entity_key *const keys = list_ancestors(&list, entry) ? store_keys(&list) : NULL;
    TRY(keys);
    root->def.num_keys = list.count;
    root->def.keys = keys;
    return true;
}

// -- Public ---------------------------------------------------------------------------------------

// Returns the entityDef with the given name, including all inherited keys. Returns NULL without an
// error if no file declares this name.
const md5_entity_def *md5_game_entity_def(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_NOT_NULL(name);
    const parsed_entity *const parsed =
        (const parsed_entity *)md5i_request_decl(game, MD5_DECL_ENTITY, name, collect_keys, error);
    return parsed ? &parsed->def : NULL;
}

// Checks the text of an entityDef for errors without collecting inherited keys, for example to
// check all entityDefs of a game in linear time.
bool md5_game_check_entity_def(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    TRY(md5_game_begin(game, error));
    MD5_ASSERT_NOT_NULL(name);
    md5_decl_entry *const entry = md5i_find_entry(game, MD5_DECL_ENTITY, name, strlen(name));
    const bool is_done = !entry || parse_entity_def(game, entry);
    md5_game_end(game);
    return is_done;
}

// Returns the value of a key, such as "model", or NULL if the entityDef does not have the key. The
// name of the key is not case-sensitive.
const char *md5_entity_def_value(const md5_entity_def *def, const char *key)
{
    MD5_ASSERT_PART(def, decl);
    MD5_ASSERT_NOT_NULL(key);
    for (uint32_t i = 0; i < def->num_keys; i++) {
        if (md5_equals_ignore_case(def->keys[i].name, key))
            return def->keys[i].value;
    }
    return NULL;
}

// Returns the next key after `key`, or the first key if it is NULL, whose name begins with
// `prefix`. Returns NULL after the last such key.
const md5_entity_key *md5_entity_def_next_key(const md5_entity_def *def, const char *prefix,
                                              const md5_entity_key *key)
{
    MD5_ASSERT_PART(def, decl);
    MD5_ASSERT_NOT_NULL(prefix);
    MD5_ASSERT(!key || (key >= def->keys && key < def->keys + def->num_keys),
               "key: must be a key of this entityDef");
    for (uint32_t i = key ? (uint32_t)(key - def->keys) + 1 : 0; i < def->num_keys; i++) {
        if (md5_skip_prefix(def->keys[i].name, prefix))
            return &def->keys[i];
    }
    return NULL;
}
