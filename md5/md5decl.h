// md5decl: the files of a Doom 3 game folder, and which of them declares which name.
//
// An example, memory, errors and threads: see md5game.h.
#ifndef MD5DECL_H
#define MD5DECL_H

#include "md5model.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// -- Files ----------------------------------------------------------------------------------------

// A search path: a folder, an archive, or files in memory; valid until md5_destroy_game().
typedef struct md5_game_path {
    size_t num_files;
    // Returns the name of a file, relative to the search path, with / or \ between folders, valid
    // until the library function that called this one returns.
    const char *(*name)(void *user, size_t file);
    // As in md5_files. If *size is not 0 before the call, a file of more bytes need not be read.
    const void *(*open)(void *user, size_t file, size_t *size, md5_error *error);
    void (*close)(void *user, const void *bytes, size_t size);
    void *user;
    bool is_archive; // names become lower case; of two files of one name the last is used
    // Returns when a file was last changed, in a unit common to all search paths; 0: unknown, as
    // if this is NULL. Only for md5_image_opts.compressed_first. The engine has 0 for archives.
    int64_t (*time)(void *user, size_t file);
    uint64_t reserved[4]; // 0
} md5_game_path;

typedef struct md5_game md5_game;

// Opens a game from its search paths, best first. The engine's order: the mod before its base; in
// each the folder itself before its archives; archives by name, ignoring case, the last one first.
// A file hides all files of the same name in later paths. Case does not matter; messages use the
// spelling of the file that is used. Files named /... or with .. or :: are ignored.
//
// The array of paths is copied. Of `opts`, allocator, warn and max_warnings are used; both limits
// apply to the whole game. Time and memory are linear in the sizes of the names and files. Not
// read, with a warning: what cannot be; files of declarations of more than 16 MiB; declarations of
// more than 2 MiB; of an archive what is beyond 48 MiB, where each declaration counts as 320 bytes
// more; and what is beyond half of the allocator's limit.
MD5_GAME_API md5_game *md5_create_game(const md5_game_path *paths, size_t num_paths,
                                       const md5_load_opts *opts, md5_error *error);

MD5_GAME_API void md5_destroy_game(md5_game *game); // and all that it returned; NULL is allowed

// Returns how many declarations, or files of them, were not read to their end, as warnings say.
MD5_GAME_API uint32_t md5_game_num_unread(const md5_game *game);

// Returns the bytes that a game holds. What is parsed stays until it is freed, so a program that
// goes through all declarations of a large one may free it and open it again.
MD5_GAME_API size_t md5_game_memory(const md5_game *game);

// The files of a game, without hidden ones, in the order of the search paths. Names are spelled as
// in their paths, with / between folders. NULL if there is no such index.
MD5_GAME_API size_t md5_game_num_files(const md5_game *game);
MD5_GAME_API const char *md5_game_file(const md5_game *game, size_t index);

// Returns the index of the first search path, from `from` on, that has a file of this name, or
// MD5_NONE: from 0 on that of the file that is used, behind it those of hidden files. The name may
// have upper case, \ and a leading /; one with .. or :: is never found. Time: constant for the file
// that is used, else linear in the number of the paths' files.
MD5_GAME_API uint32_t md5_game_find_file(const md5_game *game, const char *name, uint32_t from);

// For md5_load_opts.files: md5_load_model("models/imp/imp.md5mesh") finds what the engine would.
MD5_GAME_API md5_files md5_game_files(md5_game *game);

// -- Declarations ---------------------------------------------------------------------------------

typedef enum md5_decl_type {
    MD5_DECL_TABLE,
    MD5_DECL_MATERIAL,
    MD5_DECL_SKIN,
    MD5_DECL_SOUND,
    MD5_DECL_ENTITY,
    MD5_DECL_MAP,
    MD5_DECL_FX,
    MD5_DECL_PARTICLE,
    MD5_DECL_ARTICULATED_FIGURE,
    MD5_DECL_PDA,
    MD5_DECL_EMAIL,
    MD5_DECL_VIDEO,
    MD5_DECL_AUDIO,
    MD5_DECL_MODEL,
    MD5_NUM_DECL_TYPES
} md5_decl_type;

typedef enum md5_decl_state {
    MD5_DECL_UNPARSED, // not requested yet
    MD5_DECL_PARSED,
    MD5_DECL_DEFAULTED // replaced by the default of its type, usually after an error
} md5_decl_state;

// What becomes of a declaration with an error, of which there is a warning in either case.
typedef enum md5_verdict {
    // Only the wrong part is dropped. Unknown words are skipped with the rest of their line; for
    // many words of RBDOOM, Prey, Quake 4 and The Dark Mod the warning names the engine. Unknown
    // tables read as 1. Missing commas, files and joints are ignored; unknown channels are kept.
    MD5_VERDICT_LENIENT,
    // As in Doom 3: most often the whole declaration is replaced by the default of its type.
    MD5_VERDICT_ENGINE
} md5_verdict;

// A declaration. Names are in lower case, with / between folders, and end before the last dot.
typedef struct md5_decl {
    md5_decl_type type;
    md5_decl_state state;
    const char *name;
    const char *file; // "materials/imp.mtr"; NULL if it is implicit: see md5_game_material()
    uint32_t line;    // as in the engine: where the declaration before it ends
    uint32_t index;   // among those of its type
    const char *text; // [size] from the end of the declaration before it to its last brace
    size_t size;
    const struct md5_decl *hidden; // the next of this type and name, without effect; or NULL
} md5_decl;

// The declarations of a type, in the order in which the engine finds them: files by folder and
// name, ignoring case; implicit ones last, as they are made. NULL: no such index.
MD5_GAME_API uint32_t md5_game_num_decls(const md5_game *game, md5_decl_type type);
MD5_GAME_API const md5_decl *md5_game_decl(const md5_game *game, md5_decl_type type,
                                           uint32_t index);

// Sets the verdict for all later calls, initially MD5_VERDICT_LENIENT; earlier results stay. Each
// verdict has its own declarations, with equal indices except for implicit ones. The first change
// takes time and memory linear in their number, unless nothing was requested yet.
MD5_GAME_API bool md5_game_set_verdict(md5_game *game, md5_verdict verdict, md5_error *error);

// Finds a declaration, without parsing it, by a name as in any file: Textures\Rock.tga. NULL: none.
MD5_GAME_API const md5_decl *md5_find_decl(const md5_game *game, md5_decl_type type,
                                           const char *name);

#ifdef __cplusplus
}
#endif

#endif
