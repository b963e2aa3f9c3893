// Creates and frees games (md5_game), finds the declarations in all files of a game, and reports
// errors in declarations.
#include "md5/core/freed.h"
#include "md5/decl/decls.h"

#include "md5/core/assert.h"
#include "md5/decl/game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// == Parse modes ==================================================================================
//
// A game has two sets of declarations, one for each parse mode. The lenient mode tolerates errors.
// The engine mode handles them like the engine. Two sets are needed, because a declaration refers
// only to declarations that were parsed in the same mode. Implicit declarations, which exist in no
// file, belong to one mode only. Both sets share texts, names and files. The second set is created
// when the mode changes.

// Reports an error in a declaration, with the text that the engine prints. In engine mode the error
// also makes the declaration invalid, as in the engine. In lenient mode the message also contains
// the text `expected`, and reading continues.
void md5i_decl_error(const md5_decl_lex *lex, const char *expected, const char *format, ...)
{
    char message[256];
    MD5_PRINT(message, format);
    if (md5_is_lenient(lex->game))
        md5i_decl_lex_warn(lex, "%s: expected %s", message, expected);
    else
        md5i_decl_lex_warn(lex, "%s", message);
    if (!md5_is_lenient(lex->game))
        *lex->is_defaulted = true;
}

// Copies the declarations that come from files to an empty list, as unparsed declarations. Implicit
// declarations are at the end of a list and are not copied. Returns false if memory runs out.
static bool copy_list(md5_arena *arena, const md5_decl_list *from, md5_decl_list *to)
{
    md5_decl_entry *const copies = MD5_ALLOC_ZEROED(arena, md5_decl_entry, from->count);
    TRY(copies);

    for (uint32_t i = 0; i < from->count && from->entries[i]->decl.file; i++) {
        md5_decl_entry *const copy = &copies[to->count];
        copy->decl = from->entries[i]->decl;
        copy->decl.state = MD5_DECL_UNPARSED;
        copy->line_start = from->entries[i]->line_start;

        void **const added = md5i_name_map_add(&to->names, arena, copy->decl.name);
        to->entries =
            (md5_decl_entry **)md5_grow(arena, to->entries, to->count, sizeof(md5_decl_entry *));
        TRY(added && to->entries);

        *added = copy;
        to->entries[to->count++] = copy;
    }
    return true;
}

// Creates the lists of declarations of the inactive parse mode if they do not exist. Returns false
// if memory runs out.
static bool copy_lists(md5_game *game)
{
    if (game->has_inactive_decls)
        return true;
    memset(game->inactive_decls, 0, sizeof game->inactive_decls);
    for (uint32_t i = 0; i < MD5_NUM_DECL_TYPES; i++)
        TRY(copy_list(&game->arena, &game->decls[i], &game->inactive_decls[i]));
    game->has_inactive_decls = true;
    return true;
}

// Selects the parse mode: MD5_PARSE_LENIENT tolerates errors in declarations, MD5_PARSE_ENGINE
// handles them like the engine. Exchanges the lists of declarations, because a declaration that was
// returned to the caller must not change.
bool md5_game_set_parse_mode(md5_game *game, md5_parse_mode mode, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    if (!game)
        return md5i_fail_missing(error, "game");
    MD5_ASSERT(mode == MD5_PARSE_LENIENT || mode == MD5_PARSE_ENGINE,
               "mode: must be a value of md5_parse_mode");

    // Before the first use no declaration is parsed, so the existing lists can be used in any mode.
    if (mode == game->mode || !game->is_used) {
        game->mode = mode;
        return true;
    }

    (void)md5_game_begin(game, error);
    const bool is_copied = copy_lists(game);
    md5_game_end(game);
    TRY(is_copied);

    // Exchange the lists of both modes.
    for (uint32_t i = 0; i < MD5_NUM_DECL_TYPES; i++) {
        const md5_decl_list list = game->decls[i];
        game->decls[i] = game->inactive_decls[i];
        game->inactive_decls[i] = list;
    }
    game->mode = mode;
    return true;
}

// == Declarations =================================================================================

// -- Names ----------------------------------------------------------------------------------------

// Writes the key by which a declaration is found. It is the name in lower case, with / instead of
// \. It ends before the last dot of the name.
void md5i_canonical_name(char result[MD5_MAX_NAME_SIZE], const char *name, size_t size)
{
    size_t length = 0;
    size_t last_dot = SIZE_MAX;
    for (; length < size && length < MD5_MAX_NAME_SIZE - 1 && name[length] != '\0'; length++) {
        result[length] = name[length] == '\\' ? '/' : md5_lower(name[length]);
        if (name[length] == '.')
            last_dot = length;
    }
    result[last_dot != SIZE_MAX ? last_dot : length] = '\0';
}

// Returns the declaration with the name name[size], in any spelling. Returns NULL if it does not
// exist.
md5_decl_entry *md5i_find_entry(const md5_game *game, md5_decl_type type, const char *name,
                                size_t size)
{
    char key[MD5_MAX_NAME_SIZE];
    md5i_canonical_name(key, name, size);
    void **const found = md5i_name_map_find(&game->decls[type].names, key);
    return found ? (md5_decl_entry *)*found : NULL;
}

// Adds an empty declaration to the list of a type. `name` is a key from md5i_canonical_name() that
// the list does not contain. Returns NULL if memory runs out.
static md5_decl_entry *add_decl_entry(md5_game *game, md5_decl_type type, const char *name)
{
    md5_decl_list *const list = &game->decls[type];
    const char *const copy = md5_copy_text(&game->arena, name, strlen(name));
    md5_decl_entry *const entry = MD5_ALLOC_ZEROED(&game->arena, md5_decl_entry, 1);
    md5_decl_entry **const entries = (md5_decl_entry **)md5_grow(
        &game->arena, list->entries, list->count, sizeof(md5_decl_entry *));
    if (entries)
        list->entries = entries;
    if (!copy || !entry || !entries)
        return NULL;

    void **const added = md5i_name_map_add(&list->names, &game->arena, copy);
    if (!added)
        return NULL;
    entry->decl.type = type;
    entry->decl.name = copy;
    entry->decl.text = entry->line_start = "";
    entry->decl.index = list->count;
    list->entries[list->count++] = entry;
    *added = entry;
    return entry;
}

// Like md5i_find_entry(), but adds an implicit declaration, which has no text, if the declaration
// does not exist. Returns NULL and sets the context's error if memory runs out.
md5_decl_entry *md5i_find_or_add_entry(md5_game *game, md5_decl_type type, const char *name,
                                       size_t size)
{
    char key[MD5_MAX_NAME_SIZE];
    md5i_canonical_name(key, name, size);
    void **const found = md5i_name_map_find(&game->decls[type].names, key);
    return found ? (md5_decl_entry *)*found : add_decl_entry(game, type, key);
}

// Returns the parsed declaration with a name, and parses it at the first request. Like the engine,
// creates missing materials and skins with default content. Other missing declarations give NULL.
const void *md5i_request_decl(md5_game *game, md5_decl_type type, const char *name,
                              md5_parse_fn *parse, md5_error *error)
{
    if (!md5_game_begin(game, error))
        return NULL;
    const bool is_implicit = type == MD5_DECL_MATERIAL || type == MD5_DECL_SKIN;
    md5_decl_entry *const entry = is_implicit
                                      ? md5i_find_or_add_entry(game, type, name, strlen(name))
                                      : md5i_find_entry(game, type, name, strlen(name));
    const md5_arena_mark before = md5i_arena_position(&game->scratch);
    const bool is_parsed = entry && parse(game, entry) && md5_game_is_ok(game);
    md5i_arena_rewind(&game->scratch, before);
    md5_game_end(game);
    return is_parsed ? entry->parsed : NULL;
}

// -- Limits ---------------------------------------------------------------------------------------
//
// A small compressed archive may contain very long files of declarations. Therefore declarations,
// files and archives have limits, which are much larger than in any real game. In addition, the
// texts of all declarations may use at most half of the game's memory limit. Text beyond a limit is
// skipped with a warning.

enum {
    MAX_DECL = 2 << 20,     // bytes of a declaration
    MAX_FILE = 16 << 20,    // bytes of a file
    MAX_ARCHIVE = 48 << 20, // bytes of all files of an archive, plus DECL_COST for each declaration
    DECL_COST = 320,        // bytes of memory of a declaration, approximately, without its text
};

// Returns the number of bytes that may still be read from the search path of a file. `cost` is the
// number of bytes that were already read from it. The limits are described above.
static size_t remaining_read_budget(const md5_game *game, const md5_game_entry *entry, size_t cost)
{
    const size_t half_limit = game->context.allocator.limit / 2;
    const size_t memory_held = game->context.memory_held;
    size_t budget = half_limit > memory_held ? half_limit - memory_held : 0;
    const size_t archive_budget = cost < MAX_ARCHIVE ? MAX_ARCHIVE - cost : 0;
    if (game->paths[entry->path].is_archive && archive_budget < budget)
        budget = archive_budget;
    return budget;
}

// -- One file -------------------------------------------------------------------------------------

static const char *const type_words[MD5_NUM_DECL_TYPES] = {
    [MD5_DECL_TABLE] = "table",
    [MD5_DECL_MATERIAL] = "material",
    [MD5_DECL_SKIN] = "skin",
    [MD5_DECL_SOUND] = "sound",
    [MD5_DECL_ENTITY] = "entityDef",
    [MD5_DECL_MAP] = "mapDef",
    [MD5_DECL_FX] = "fx",
    [MD5_DECL_PARTICLE] = "particle",
    [MD5_DECL_ARTICULATED_FIGURE] = "articulatedFigure",
    [MD5_DECL_PDA] = "pda",
    [MD5_DECL_EMAIL] = "email",
    [MD5_DECL_VIDEO] = "video",
    [MD5_DECL_AUDIO] = "audio",
    [MD5_DECL_MODEL] = "model",
};

// The beginning of a declaration: `type name`. The type may be missing.
typedef struct decl_head {
    md5_decl_type type;
    bool is_export; // it begins with `export`, which only the engine's model exporter reads
    md5_token name;
    const char *start; // position of the lexer before the declaration
    const char *line_start;
    uint32_t line;
    uint32_t keyword_line;   // line of the first token
    uint32_t keyword_column; // column of the first token
} decl_head;

// The result of read_head(). HEAD_READ: a declaration follows. HEAD_SKIPPED: an error was reported,
// and reading continues with the next declaration. HEAD_END: the file has ended.
typedef enum head_result { HEAD_READ, HEAD_SKIPPED, HEAD_END } head_result;

// Reports a declaration without a name and skips its content. The caller has read its opening
// brace. Returns HEAD_SKIPPED.
static head_result skip_nameless(md5_decl_lex *lex)
{
    md5i_decl_lex_warn(lex, "Missing decl name");
    (void)md5i_decl_lex_skip_braces(lex, 1);
    return HEAD_SKIPPED;
}

static head_result warn_at_end(const md5_decl_lex *lex)
{
    md5i_decl_lex_warn(lex, "Type without definition at end of file");
    return HEAD_END;
}

// Counts the lines of a file for decl->keyword_line. The line of the lexer cannot be used, because
// the lexer reproduces a fault of the engine. It does not count a line that ends directly after a
// comment.
typedef struct line_counter {
    const char *at;
    const char *line_start;
    uint32_t line;
} line_counter;

// Counts the lines from the last counted position to `end`.
static void count_lines_until(line_counter *lines, const char *end)
{
    for (; lines->at < end; lines->at++) {
        if (*lines->at == '\n') {
            lines->line++;
            lines->line_start = lines->at + 1;
        }
    }
}

// Returns the declaration type with the name in a token, such as `material`. Returns
// MD5_NUM_DECL_TYPES if the token is not the name of a type.
static md5_decl_type type_from_token(const md5_token *token)
{
    int type = 0;
    while (type < MD5_NUM_DECL_TYPES && !md5i_token_is_word(token, type_words[type]))
        type++;
    return (md5_decl_type)type;
}

// Reads the type of a declaration from its first token. If the first token is not a type, it is the
// name of the declaration, and the declaration has the type of its folder, `default_type`. Returns
// false if the token is a brace, because the declaration then has no name.
static bool read_decl_type(md5_decl_lex *lex, const md5_token *first, md5_decl_type default_type,
                           decl_head *head)
{
    head->type = type_from_token(first);
    head->is_export = md5i_token_is_word(first, "export");
    const bool is_type = head->type != MD5_NUM_DECL_TYPES || head->is_export;
    if (is_type)
        return true;
    if (md5i_token_is(first, "{"))
        return false;
    md5i_decl_lex_unread(lex, first);
    head->type = default_type;
    return true;
}

// Checks that an opening brace follows the name of a declaration, and reports an error otherwise.
// Does not consume the brace, because it belongs to the text of the declaration.
static head_result check_decl_brace(md5_decl_lex *lex)
{
    md5_token token;
    if (!md5i_decl_lex_read(lex, &token))
        return warn_at_end(lex);
    if (!md5i_token_is(&token, "{")) {
        md5i_decl_lex_warn(lex, "Expecting '{' but found %s", MD5_QUOTED_TOKEN(&token));
        return HEAD_SKIPPED;
    }
    md5i_decl_lex_unread(lex, &token);
    return HEAD_READ;
}

// Reads the beginning of a declaration and checks that an opening brace follows. `export` is read
// like a type, but the brace after its name is not checked.
static head_result read_head(md5_decl_lex *lex, md5_decl_type default_type, line_counter *lines,
                             decl_head *head)
{
    *head = (decl_head){.start = lex->at, .line_start = lex->line_start, .line = lex->line};
    md5_token first;
    if (!md5i_decl_lex_read(lex, &first))
        return HEAD_END;
    count_lines_until(lines, first.at);
    head->keyword_line = lines->line;
    head->keyword_column = (uint32_t)(first.at - lines->line_start) + 1;

    if (!read_decl_type(lex, &first, default_type, head))
        return skip_nameless(lex);
    if (!md5i_decl_lex_read(lex, &head->name))
        return warn_at_end(lex);
    if (md5i_token_is(&head->name, "{"))
        return skip_nameless(lex);
    return head->is_export ? HEAD_READ : check_decl_brace(lex);
}

// Sets the text and the location of a declaration. The lexer is at its end.
static void set_text(const md5_decl_lex *lex, const decl_head *head, md5_decl *decl)
{
    decl->file = lex->file;
    decl->line = head->line;
    decl->keyword_line = head->keyword_line;
    decl->keyword_column = head->keyword_column;
    decl->text = head->start;
    decl->size = (size_t)(lex->at - head->start);
}

// Reports a second declaration with the name of `entry`, and appends it to the hidden declarations
// of `entry`. It is hidden, because the engine uses the first declaration of a name. Returns false
// if memory runs out.
static bool add_hidden(md5_decl_lex *lex, const decl_head *head, md5_decl_entry *entry)
{
    lex->token_at = head->name.at;
    md5i_decl_lex_warn(lex, "%s %s previously defined at %s:%u", type_words[head->type],
                       MD5_QUOTED_TOKEN(&head->name), entry->decl.file, entry->decl.line);
    md5_decl *const hidden = MD5_ALLOC_ZEROED(&lex->game->arena, md5_decl, 1);
    TRY(hidden);
    hidden->type = entry->decl.type;
    hidden->name = entry->decl.name;
    hidden->index = entry->decl.index;
    set_text(lex, head, hidden);
    if (entry->last_hidden)
        entry->last_hidden->hidden = hidden;
    else
        entry->decl.hidden = hidden;
    entry->last_hidden = hidden;
    return true;
}

// Adds the declaration that was read. The lexer is at its end. A declaration that is too large is
// skipped with a warning. Returns false if memory runs out.
static bool add_decl(md5_decl_lex *lex, const decl_head *head)
{
    const size_t size = (size_t)(lex->at - head->start);
    if (size > MAX_DECL) {
        md5i_decl_lex_warn(lex, "%s %s is too large: expected at most %d bytes, found %zu; skipped",
                           type_words[head->type], MD5_QUOTED_TOKEN(&head->name), MAX_DECL, size);
        lex->game->num_unread++;
        return true;
    }

    md5_decl_entry *entry =
        md5i_find_entry(lex->game, head->type, head->name.text, head->name.size);
    if (entry)
        return add_hidden(lex, head, entry);

    entry = md5i_find_or_add_entry(lex->game, head->type, head->name.text, head->name.size);
    TRY(entry);

    set_text(lex, head, &entry->decl);
    entry->line_start = head->line_start;
    return true;
}

// -- Folders --------------------------------------------------------------------------------------

// The folders that contain declarations, in the order in which the engine reads them. Like in the
// engine, subfolders are not read.
static const struct decl_folder {
    const char *folder;
    const char *extension;
    md5_decl_type default_type;
} decl_folders[] = {
    {"materials/", ".mtr", MD5_DECL_MATERIAL},
    {"skins/", ".skin", MD5_DECL_SKIN},
    {"sound/", ".sndshd", MD5_DECL_SOUND},
    {"def/", ".def", MD5_DECL_ENTITY},
    {"fx/", ".fx", MD5_DECL_FX},
    {"particles/", ".prt", MD5_DECL_PARTICLE},
    {"af/", ".af", MD5_DECL_ARTICULATED_FIGURE},
    {"newpdas/", ".pda", MD5_DECL_PDA},
};

// Returns true if a file is in a folder, but not in a subfolder, and has the folder's file
// extension.
static bool is_in_folder(const char *name, const struct decl_folder *folder)
{
    const size_t start = strlen(folder->folder);
    const size_t extension = strlen(folder->extension);
    const size_t length = strlen(name);
    if (length <= start + extension || memcmp(name, folder->folder, start) != 0)
        return false;
    const bool is_in_subfolder = strchr(name + start, '/') != NULL;
    return !is_in_subfolder && memcmp(name + length - extension, folder->extension, extension) == 0;
}

static int compare_decl_entries(const void *a, const void *b)
{
    return strcmp((*(const md5_game_entry *const *)a)->name,
                  (*(const md5_game_entry *const *)b)->name);
}

// Copies the bytes of a file to the arena. If the file cannot be read or has more than `max_size`
// bytes, reports a warning and returns NULL. Also returns NULL if memory runs out.
static const char *read_file(md5_game *game, const md5_game_entry *entry, size_t max_size,
                             size_t *size)
{
    md5_error reason = {.status = MD5_OK};
    const char *const bytes = md5i_game_open_file(game, entry, max_size, size, &reason);
    reason.message[sizeof reason.message - 1] = '\0';
    if (!bytes) {
        md5_decl_lex nowhere;
        md5i_decl_lex_begin(&nowhere, game, entry->spelled, 0, "", 0);
        md5i_decl_lex_warn(&nowhere, "cannot read the file%s%s", reason.message[0] ? ": " : "",
                           MD5_QUOTED(reason.message));
        game->num_unread++;
        return NULL;
    }
    const char *const copy = md5_copy_text(&game->arena, bytes, *size);
    md5i_game_close_file(game, entry, bytes, *size);
    return copy;
}

// Adds the declarations of text[size], the content of a file. Adds their memory to `cost`. If the
// limit is reached, ignores the rest of the file with a warning. Returns false if memory runs out.
static bool index_text(md5_game *game, const struct decl_folder *folder,
                       const md5_game_entry *entry, const char *text, size_t size, size_t *cost)
{
    md5_decl_lex lex;
    line_counter lines = {.at = text, .line_start = text, .line = 1};
    md5i_decl_lex_begin(&lex, game, entry->spelled, 1, text, size);

    for (;;) {
        decl_head head;
        const head_result result = read_head(&lex, folder->default_type, &lines, &head);
        if (result == HEAD_END)
            break;
        if (result == HEAD_SKIPPED)
            continue;

        // Only find the end of the declaration. Its content is parsed when it is requested.
        (void)md5i_decl_lex_skip_braces(&lex, 0);
        if (!head.is_export)
            TRY(add_decl(&lex, &head));

        *cost += DECL_COST;
        if (remaining_read_budget(game, entry, *cost) == 0) {
            md5i_decl_lex_warn(&lex, "too many declarations: the rest of the file is ignored");
            game->num_unread++;
            break;
        }
    }
    return md5_game_is_ok(game);
}

// Adds the declarations of a file. `cost` is the number of bytes that were read from the file's
// search path. The function adds the bytes of the file to it. A file that cannot be read is skipped
// with a warning. Returns false if memory runs out.
static bool index_file(md5_game *game, const struct decl_folder *folder,
                       const md5_game_entry *entry, size_t *cost)
{
    size_t max_size = remaining_read_budget(game, entry, *cost);
    if (max_size > MAX_FILE)
        max_size = MAX_FILE;
    if (max_size == 0)
        max_size = 1; // a maximum of 0 would mean no limit

    size_t size = 0;
    const char *const text = read_file(game, entry, max_size, &size);
    const md5_arena_mark before = md5i_arena_position(&game->scratch);
    if (text) {
        *cost += size;
        TRY(index_text(game, folder, entry, text, size, cost));
    }
    md5i_arena_rewind(&game->scratch, before);
    return md5_game_is_ok(game);
}

// Adds the declarations of all files of a folder, in the order of their paths. costs[] contains the
// number of bytes that were read from each search path, and is updated. Returns false if memory
// runs out.
static bool index_folder(md5_game *game, const struct decl_folder *folder, size_t *costs)
{
    const md5_arena_mark before = md5i_arena_position(&game->scratch);
    const md5_game_entry **const files =
        MD5_ALLOC_ZEROED(&game->scratch, const md5_game_entry *, game->num_entries);
    TRY(files);

    size_t count = 0;
    for (size_t i = 0; i < game->num_entries; i++) {
        if (is_in_folder(game->entries[i].name, folder))
            files[count++] = &game->entries[i];
    }
    qsort(files, count, sizeof *files, compare_decl_entries);

    for (size_t i = 0; i < count; i++)
        TRY(index_file(game, folder, files[i], &costs[files[i]->path]));
    md5i_arena_rewind(&game->scratch, before);
    return true;
}

// Finds all declarations in the files of the game and fills game->decls. Returns false if memory
// runs out.
static bool index_decls(md5_game *game)
{
    const md5_arena_mark before = md5i_arena_position(&game->scratch);
    size_t *const costs = MD5_ALLOC_ZEROED(&game->scratch, size_t, game->num_paths);
    TRY(costs);
    for (uint32_t i = 0; i < MD5_COUNT(decl_folders); i++)
        TRY(index_folder(game, &decl_folders[i], costs));
    md5i_arena_rewind(&game->scratch, before);
    return true;
}

// -- Public ---------------------------------------------------------------------------------------

static bool is_type(md5_decl_type type)
{
    return (int)type >= 0 && (int)type < MD5_NUM_DECL_TYPES;
}

uint32_t md5_game_num_decls(const md5_game *game, md5_decl_type type)
{
    MD5_ASSERT_ALIVE(game, MD5_TAG_GAME);
    return is_type(type) ? game->decls[type].count : 0;
}

const md5_decl *md5_game_decl(const md5_game *game, md5_decl_type type, uint32_t index)
{
    MD5_ASSERT_ALIVE(game, MD5_TAG_GAME);
    return index < md5_game_num_decls(game, type) ? &game->decls[type].entries[index]->decl : NULL;
}

// Finds a declaration by its type and name without parsing it. Returns NULL if it does not exist.
// The name may have any spelling that the engine accepts: "Textures\Rock.tga" finds the declaration
// "textures/rock".
const md5_decl *md5_find_decl(const md5_game *game, md5_decl_type type, const char *name)
{
    MD5_ASSERT_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_NOT_NULL(name);
    const md5_decl_entry *const entry =
        is_type(type) ? md5i_find_entry(game, type, name, strlen(name)) : NULL;
    return entry ? &entry->decl : NULL;
}

// == Games ========================================================================================

// Opens a game: lists the files of all search paths and finds all declarations in them. A search
// path is a folder or an archive. Declarations are parsed later, when they are requested. Returns
// NULL and sets the error on failure.
md5_game *md5_create_game(const md5_game_path *paths, size_t num_paths, const md5_load_opts *opts,
                          md5_error *error)
{
    MD5_ASSERT(paths != NULL || num_paths == 0, "paths: must not be NULL unless num_paths is 0");
    MD5_VALIDATE_RESERVED(paths, num_paths);

    md5_context context;
    md5i_context_begin(&context, opts, NULL, error);
    md5_game *const game = (md5_game *)md5i_alloc(&context, sizeof *game);
    if (!game)
        return NULL;

    *game = (md5_game){.internal = {.tag = MD5_TAG_GAME}, .context = context};
    game->context.files = (md5_files){.open = NULL};
    game->arena.context = game->scratch.context = &game->context;
    md5_game_begin(game, error);

    game->paths =
        (const md5_game_path *)md5i_arena_copy(&game->arena, paths, num_paths, sizeof *paths);
    game->num_paths = num_paths;

    if (game->paths && md5i_game_index_files(game) && index_decls(game)) {
        md5_game_end(game);
        game->is_used = false;
        return game;
    }
    md5_destroy_game(game);
    return NULL;
}

uint32_t md5_game_num_unread(const md5_game *game)
{
    MD5_ASSERT_ALIVE(game, MD5_TAG_GAME);
    return game->num_unread;
}

size_t md5_game_memory(const md5_game *game)
{
    MD5_ASSERT_ALIVE(game, MD5_TAG_GAME);
    return game->context.memory_held;
}

// Frees a game with all its declarations and files. Pointers that the game returned become invalid.
// `game` may be NULL.
void md5_destroy_game(md5_game *game)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    if (!game)
        return;
    md5_game_end(game);
    md5i_arena_free_object(&game->arena);
    md5i_arena_free(&game->scratch);
    const md5_allocator allocator = game->context.allocator;
    md5i_free_object(&allocator, game, sizeof *game);
}
