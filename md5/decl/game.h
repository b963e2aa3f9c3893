// The state of a game (md5_game): its files, and its declarations with the results of their
// parsing.
#ifndef MD5_DECL_GAME_H
#define MD5_DECL_GAME_H

#include "md5/core/arena.h"
#include "md5/decl/containers.h"
#include "md5/md5decl.h"

#include <string.h>

// A file of the game. A search path is a folder or an archive in which the engine searches for
// files. If several search paths contain the same name, the entry is the file that the engine uses.
typedef struct md5_game_entry {
    const char *name;    // lower case, / between folders
    const char *spelled; // original spelling, / between folders
    uint32_t path;       // index of its search path in game->paths
    size_t file;         // index of the file in its search path
} md5_game_entry;

// A declaration and, after it was parsed, its content.
typedef struct md5_decl_entry {
    md5_decl decl;
    const char *line_start; // start of the line in which its text begins
    void *parsed;           // md5_table, md5_material, and so on; NULL until it is parsed
    md5_decl *last_hidden;  // last element of the list decl.hidden
    bool is_open;           // only for modelDefs: true from the first visit of parse_with_parents()
                            // until it is parsed, so that a cycle of parents ends
} md5_decl_entry;

// The declarations of one type, such as all materials.
typedef struct md5_decl_list {
    md5_name_map names;       // name to md5_decl_entry
    md5_decl_entry **entries; // [count]
    uint32_t count;
} md5_decl_list;

// A game: its search paths, files and declarations. `arena` contains everything that is freed with
// the game. `scratch` contains the temporary memory of one parsing call.
struct md5_game {
    md5_internal internal;
    md5_context context;
    md5_arena arena;
    md5_arena scratch;
    const md5_game_path *paths; // [num_paths]
    size_t num_paths;
    md5_name_map files;      // folded name to md5_game_entry
    md5_game_entry *entries; // [num_entries] in the order of the search paths
    size_t num_entries;
    md5_decl_list decls[MD5_NUM_DECL_TYPES];
    md5_decl_list inactive_decls[MD5_NUM_DECL_TYPES]; // lists of the other parse mode: see decls.c
    bool has_inactive_decls;                          // inactive_decls is filled
    uint32_t num_unread; // declarations and files of declarations that could not be read
    bool is_used;        // a public function was called, so declarations may have been parsed
    md5_parse_mode mode;
    struct md5_material_parser *parser; // created when the first material is parsed
    md5_name_map assets;     // path to a mesh or animation that a model declaration has loaded
    md5_name_map anim_names; // names of animations of models; values are md5_anim_name
    uint32_t num_anim_names;
    uint32_t num_model_joints[2]; // by parse mode: see charge_joint_budget()
};

// Returns true in lenient mode. In this mode, an error that the engine reports does not make a
// declaration invalid. The parser reads as much of the declaration as possible.
static inline bool md5_is_lenient(const md5_game *game)
{
    return game->mode == MD5_PARSE_LENIENT;
}

// md5_game_begin() and md5_game_end() enclose the work of a public function. A failure between them
// is stored in `error`, which may be NULL. md5_game_begin() returns false if the game is NULL.
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

// Returns true if the current public call has not failed. It fails if memory runs out, which sets
// the context's error.
static inline bool md5_game_is_ok(const md5_game *game)
{
    return game->context.error.status == MD5_OK;
}

static inline char md5_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// Returns the text after a prefix, ignoring case. Returns NULL if the text does not begin with the
// prefix.
static inline const char *md5_skip_prefix(const char *text, const char *prefix)
{
    for (; *prefix; text++, prefix++) {
        if (md5_lower(*text) != md5_lower(*prefix))
            return NULL;
    }
    return text;
}

// Returns true if two words are equal, ignoring case.
static inline bool md5_equals_ignore_case(const char *a, const char *b)
{
    const char *const end = md5_skip_prefix(a, b);
    return end && *end == '\0';
}

// == Files ========================================================================================
//
// The index of the files in all search paths. If several search paths contain a file of the same
// name, the engine's rules select one of them.

// Fills game->files and game->entries. Returns false if memory runs out.
bool md5i_game_index_files(md5_game *game);

// Returns the file that the engine would open for a name, or NULL.
const md5_game_entry *md5i_game_find_file(const md5_game *game, const char *name);

// Opens a file and returns its bytes. `max_size` limits the size, unless it is 0. The caller must
// close the file with md5i_game_close_file(). On failure returns NULL and writes the reason to
// error->message.
const char *md5i_game_open_file(const md5_game *game, const md5_game_entry *entry, size_t max_size,
                                size_t *size, md5_error *error);
void md5i_game_close_file(const md5_game *game, const md5_game_entry *entry, const char *bytes,
                          size_t size);

#endif
