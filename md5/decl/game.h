// The state of a game: its files, its declarations, and the parsed declarations. `arena` contains
// everything that is freed with the game; `scratch` contains the temporary memory of one parse.
#ifndef MD5_DECL_GAME_H
#define MD5_DECL_GAME_H

#include "md5/core/arena.h"
#include "md5/decl/containers.h"
#include "md5/md5decl.h"

#include <string.h>

// A file of the game. If several files have the same name, this is the one that the game uses.
typedef struct md5_game_entry {
    const char *name;    // lower case, / between folders
    const char *spelled; // as its search path spells it, / between folders
    uint32_t path;       // index of its search path
    size_t file;         // index in that path
} md5_game_entry;

// A declaration and the result of its parse.
typedef struct md5_decl_entry {
    md5_decl decl;
    const char *line_start; // start of the line in which its text begins
    void *parsed;           // md5_table, md5_material, and so on; NULL until it is parsed
    md5_decl *last_hidden;  // last element of the list decl.hidden
    bool is_open;           // for models: its parents are being parsed
} md5_decl_entry;

// The declarations of one type, such as all materials.
typedef struct md5_decl_list {
    md5_name_map names;       // of md5_decl_entry
    md5_decl_entry **entries; // [count]
    uint32_t count;
} md5_decl_list;

// A game folder: its search paths, files and declarations. `arena` contains everything that is
// freed with the game, `scratch` the temporary memory of one parse.
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
    md5_decl_list inactive_decls[MD5_NUM_DECL_TYPES]; // of the inactive parse mode: see decls.c
    bool has_inactive_decls;                          // inactive_decls is filled
    uint32_t num_unread; // declarations and files of declarations that could not be read
    bool is_used;        // a public function was called, so that declarations may be parsed
    md5_parse_mode mode;
    struct md5_material_parser *parser; // created for the first material
    md5_name_map assets;                // meshes and animations that models have loaded
    md5_name_map anim_names;            // of md5_anim_name: names of animations of models
    uint32_t num_anim_names;
    uint32_t num_model_joints[2]; // by parse mode: see charge_joint_budget()
};

// Returns true if errors that the engine reports do not make a declaration invalid: the parser then
// reads as much of it as possible.
static inline bool md5_is_lenient(const md5_game *game)
{
    return game->mode == MD5_PARSE_LENIENT;
}

// Begin and end a public call. A failure is stored in `error`, which may be NULL. md5_game_begin()
// returns false if the game is NULL.
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

// Returns true if the public call has not failed. Running out of memory sets the context's error.
static inline bool md5_game_is_ok(const md5_game *game)
{
    return game->context.error.status == MD5_OK;
}

static inline char md5_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// Returns the text after a prefix, ignoring case; NULL if the text does not begin with the prefix.
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
// The files of a game. If several search paths contain a file of the same name, the engine's rules
// select one of them.

// Fills game->files and game->entries. Returns false if memory runs out.
bool md5i_game_index_files(md5_game *game);

// Returns the file of a name as the engine would find it, or NULL.
const md5_game_entry *md5i_game_find_file(const md5_game *game, const char *name);

// Opens a file of at most `max_size` bytes; 0 = any size. The caller closes it with
// md5i_game_close_file(). Returns NULL and writes the reason to error->message if it fails.
const char *md5i_game_open_file(const md5_game *game, const md5_game_entry *entry, size_t max_size,
                                size_t *size, md5_error *error);
void md5i_game_close_file(const md5_game *game, const md5_game_entry *entry, const char *bytes,
                          size_t size);

#endif
