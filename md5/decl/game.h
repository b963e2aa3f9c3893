// The state of a game: its files, its declarations, and what has been parsed. Two arenas: `arena`
// holds what stays until the game is freed, `scratch` what one parse needs.
#ifndef MD5_DECL_GAME_H
#define MD5_DECL_GAME_H

#include "md5/core/arena.h"
#include "md5/decl/containers.h"
#include "md5/md5decl.h"

#include <string.h>

// A file of the game, the best of its name.
typedef struct md5_game_entry {
    const char *name;    // lower case, / between folders
    const char *spelled; // as its search path spells it, / between folders
    uint32_t path;       // index of its search path
    size_t file;         // index in that path
} md5_game_entry;

// A declaration with the result of its parse: md5_table, md5_material, and so on; NULL before.
typedef struct md5_decl_entry {
    md5_decl decl;
    const char *line_start; // of the line in which its text begins
    void *parsed;
    md5_decl *last_hidden; // the end of the list decl.hidden
    bool is_open;          // a model whose parents are being parsed
} md5_decl_entry;

typedef struct md5_decl_list {
    md5_name_map names;       // of md5_decl_entry
    md5_decl_entry **entries; // [count]
    uint32_t count;
} md5_decl_list;

struct md5_game {
    md5_internal internal;
    md5_context context;
    md5_arena arena;
    md5_arena scratch;
    const md5_game_path *paths; // [num_paths]
    size_t num_paths;
    md5_name_map files;      // of md5_game_entry
    md5_game_entry *entries; // [num_entries] in the order of the search paths
    size_t num_entries;
    md5_decl_list decls[MD5_NUM_DECL_TYPES];
    md5_decl_list other_decls[MD5_NUM_DECL_TYPES]; // of the other mode: see decls.c
    uint32_t num_unread;                           // declarations or files of them
    bool has_other_decls;
    bool is_used; // something was requested, so declarations may be parsed
    md5_parse_mode mode;
    struct md5_material_parser *parser; // made by the first material
    md5_name_map assets;                // meshes and animations that were read, for models
    md5_name_map anim_names;            // of md5_anim_name: names of animations, for models
    uint32_t num_anim_names;
    uint32_t num_model_joints[2]; // by mode; see model_spend()
};

static inline bool md5_is_lenient(const md5_game *game)
{
    return game->mode == MD5_PARSE_LENIENT;
}

// Begin and end a public call whose failure is the caller's error, which may be NULL. A call
// without a game fails: md5_game_begin() returns false.
static inline bool md5_game_begin(md5_game *game, md5_error *error)
{
    if (!game) {
        (void)md5i_fail_missing(error, "game");
        return false;
    }
    md5_error_clear(&game->context.error);
    game->context.caller = error;
    game->is_used = true;
    return true;
}

static inline void md5_game_end(md5_game *game)
{
    game->context.caller = NULL;
}

// Whether the public call has not failed: memory that runs out is the context's error.
static inline bool md5_game_has_memory(const md5_game *game)
{
    return game->context.error.status == MD5_OK;
}

static inline char md5_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// Returns what is behind the prefix of a text, ignoring case; NULL if it begins otherwise.
static inline const char *md5_behind_prefix(const char *text, const char *prefix)
{
    for (; *prefix; text++, prefix++) {
        if (md5_lower(*text) != md5_lower(*prefix))
            return NULL;
    }
    return text;
}

// Whether two words are the same, ignoring case.
static inline bool md5_is_same_word(const char *a, const char *b)
{
    const char *const rest = md5_behind_prefix(a, b);
    return rest && *rest == '\0';
}

// == Files ========================================================================================
//
// The files of a game: the best of each name among all search paths.

// Fills game->files and game->entries. Returns false if memory runs out.
bool md5i_game_index_files(md5_game *game);

// Returns the file of a name as the engine would find it, or NULL.
const md5_game_entry *md5i_game_find_file(const md5_game *game, const char *name);

// Opens a file of at most `most` bytes, 0 = any; close it with md5i_game_close_file(). Returns NULL
// with a reason in error->message.
const char *md5i_game_open_file(const md5_game *game, const md5_game_entry *entry, size_t most,
                                size_t *size, md5_error *error);
void md5i_game_close_file(const md5_game *game, const md5_game_entry *entry, const char *bytes,
                          size_t size);

#endif
