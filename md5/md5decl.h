// md5decl: the files of a Doom 3 game folder, and the declarations in these files.
//
// A declaration is a named block of text that defines a material, a skin, an entity or another
// object of the game, for example:
//
//   skin skins/imp_pale { models/imp/skin models/imp/pale }
//
// This header finds files and declarations by their names. Parsed declarations are returned by the
// functions of md5material.h, md5entity.h and md5figure.h. md5game.h contains an example, and the
// rules for memory, errors and threads.
#ifndef MD5DECL_H
#define MD5DECL_H

#include "md5model.h" // installed in the same folder

#ifdef __cplusplus
extern "C" {
#endif

// -- Files ----------------------------------------------------------------------------------------

// A search path: a set of files that belong to a game. It can be a folder, an archive (.pk4), or a
// set of files in memory. The caller implements its functions. The search path must remain valid
// until md5_destroy_game().
typedef struct md5_game_path {
    // Number of files in the search path. The parameter `file` of the following functions is the
    // index of a file, 0 to num_files - 1.
    size_t num_files;
    // Returns the name of a file relative to the search path, with / or \ between folders. The name
    // must remain valid until the library function that called `name` returns. A file whose name is
    // NULL is ignored.
    const char *(*name)(void *user, size_t file);
    // Opens a file: returns its content and writes its size to *size. The result is not NULL for an
    // empty file. On failure returns NULL; error->message may contain the reason. If *size is not 0
    // before the call, it is the largest size that the library accepts. The function may then
    // return NULL for a larger file without reading it.
    const void *(*open)(void *user, size_t file, size_t *size, md5_error *error);
    // Releases the content that `open` has returned. The library calls this function once for each
    // successful call of `open`.
    void (*close)(void *user, const void *bytes, size_t size);
    void *user; // first argument of all functions
    // If true, the search path is an archive. As in the engine, the file names of an archive are
    // converted to lower case. If an archive contains two files with the same name, the last file
    // is used.
    bool is_archive;
    // Returns the time at which a file was last changed. The unit and the start of time are chosen
    // by the caller, but must be the same for all search paths. Returns 0 if the time is unknown.
    // The pointer may be NULL, which means that all times are unknown. The time is used only for
    // md5_image_opts.compressed_first. The engine uses 0 for all files in archives.
    int64_t (*time)(void *user, size_t file);
    uint64_t reserved[4]; // must be 0
} md5_game_path;

// A game: an index of the files and the declarations in several search paths, and all declarations
// that have been parsed. The structure is opaque.
typedef struct md5_game md5_game;

// Opens a game: indexes the names of all files and all declarations. Destroy the game with
// md5_destroy_game(). `paths`, [num_paths], are the search paths in order of priority. If several
// search paths contain a file with the same name, the file in the first of these paths is used, and
// it hides the other files. The array `paths` is copied.
//
// The engine has this order:
//
// 1. The folder of the mod, then the archives of the mod.
// 2. The folder of the base game, then the archives of the base game.
//
// The archives of one folder are sorted by name, ignoring case, in descending order.
//
// File names are not case-sensitive. Messages use the spelling of the file that is used. A file
// whose name begins with / or contains .. or :: is ignored.
//
// Uses allocator, warn and max_warnings of `opts`, which may be NULL. The limit of the allocator
// and the limit of warnings apply to the whole game. Returns NULL and writes an error if memory
// runs out. Time and memory are linear in the total size of the file names and of the files with
// declarations.
//
// The following data is skipped with a warning, and counted by md5_game_num_unread():
//
// - files that cannot be read
// - files with declarations that are larger than 16 MiB
// - declarations that are larger than 2 MiB
// - for an archive: all declarations after the first 48 MiB. Each declaration counts as its size
//   and 320 additional bytes.
// - all declarations for which more than half of the allocator's limit would be needed
MD5_GAME_API md5_game *md5_create_game(const md5_game_path *paths, size_t num_paths,
                                       const md5_load_opts *opts, md5_error *error);

// Destroys a game and all data that it owns, such as materials and strings. NULL is allowed and has
// no effect.
MD5_GAME_API void md5_destroy_game(md5_game *game);

// Returns the number of declarations, and of files with declarations, that md5_create_game()
// skipped completely or in part. A warning has reported each of them.
MD5_GAME_API uint32_t md5_game_num_unread(const md5_game *game);

// Returns the memory that a game uses, in bytes. The memory grows when declarations are parsed, and
// is released only by md5_destroy_game(). A program that visits all declarations of a large game
// can limit the memory if it destroys and opens the game from time to time.
MD5_GAME_API size_t md5_game_memory(const md5_game *game);

// Returns the number of files in a game. A file that a file of the same name in an earlier search
// path hides is not counted.
MD5_GAME_API size_t md5_game_num_files(const md5_game *game);

// Returns the name of a file by its index, or NULL if the index is out of range. The files are in
// the order of their search paths. A name has the spelling of its search path, with / between
// folders.
MD5_GAME_API const char *md5_game_file(const md5_game *game, size_t index);

// Finds the search path that contains a file with the given name. Searches paths[from] and the
// following paths, and returns the index of the first path that contains the file, or MD5_NONE. If
// `from` is 0, this is the path whose file the game uses. With a larger value of `from`, the
// function also finds files that this file hides.
//
// The name may contain upper case letters, \ and a leading /. A name that contains .. or :: is
// never found. The time is constant if the function returns the path of the file that is used.
// Otherwise the time is linear in the number of files.
MD5_GAME_API uint32_t md5_game_find_file(const md5_game *game, const char *name, uint32_t from);

// Returns functions that read the files of a game, for the member `files` of md5_load_opts. With
// these functions, md5_load_model("models/imp/imp.md5mesh", ...) loads the file that the engine
// would load.
MD5_GAME_API md5_files md5_game_files(md5_game *game);

// -- Declarations ---------------------------------------------------------------------------------

// Types of declarations. Each comment begins with the keyword of the type, with which its
// declarations begin in a file.
typedef enum md5_decl_type {
    MD5_DECL_TABLE,              // "table": see md5_game_table()
    MD5_DECL_MATERIAL,           // "material": see md5_game_material()
    MD5_DECL_SKIN,               // "skin": see md5_game_skin_def()
    MD5_DECL_SOUND,              // "sound": names of sound files, with their volume and range
    MD5_DECL_ENTITY,             // "entityDef": see md5_game_entity_def()
    MD5_DECL_MAP,                // "mapDef": title and settings of a map
    MD5_DECL_FX,                 // "fx": an effect made of lights, sounds and particles
    MD5_DECL_PARTICLE,           // "particle": a particle system
    MD5_DECL_ARTICULATED_FIGURE, // "articulatedFigure": see md5_game_figure_def()
    MD5_DECL_PDA,                // "pda": a personal data assistant, which the player can read
    MD5_DECL_EMAIL,              // "email": an e-mail in a personal data assistant
    MD5_DECL_VIDEO,              // "video": a video in a personal data assistant
    MD5_DECL_AUDIO,              // "audio": a sound recording in a personal data assistant
    MD5_DECL_MODEL,              // "model": see md5_game_model_def()
    MD5_NUM_DECL_TYPES           // number of values above
} md5_decl_type;

// State of a declaration: a declaration is parsed when it is requested for the first time.
typedef enum md5_decl_state {
    MD5_DECL_UNPARSED, // The declaration has not been requested yet.
    MD5_DECL_PARSED,   // The declaration has been parsed.
    // The declaration was replaced by the default of its type, usually because it contains an
    // error.
    MD5_DECL_DEFAULTED
} md5_decl_state;

// Selects the effect of an error in a declaration. In both modes, an error causes a warning.
typedef enum md5_parse_mode {
    // Only the invalid part of a declaration is dropped:
    // - An unknown keyword is skipped together with the rest of its line. If the keyword belongs to
    //   RBDOOM, Prey, Quake 4 or The Dark Mod, the warning usually names this engine.
    // - An unknown table has the value 1.
    // - Missing commas, files and joints are ignored.
    // - Unknown channels are kept: see md5_model_def.other_channels.
    MD5_PARSE_LENIENT,
    // As in Doom 3: an error usually replaces the whole declaration by the default of its type.
    MD5_PARSE_ENGINE
} md5_parse_mode;

// A declaration. Most declarations are contained in a file. An implicit declaration is not
// contained in a file: the library creates it, as the engine does, when the program requests a name
// that no file declares. See md5_game_material().
typedef struct md5_decl {
    md5_decl_type type; // kind of object that the text defines
    // State of the declaration: not parsed yet, parsed, or replaced by a default.
    md5_decl_state state;
    // Name in lower case, with / between folders. The last dot and the text after it are removed.
    const char *name;
    // Name of the file that contains the declaration, such as "materials/imp.mtr". If NULL, the
    // declaration is implicit.
    const char *file;
    // Line number that the engine prints in messages: the line in which the previous declaration
    // ends.
    uint32_t line;
    // Line and column of the first token of the declaration. Both are 0 if the declaration is
    // implicit.
    uint32_t keyword_line, keyword_column;
    // Index of the declaration among all declarations of the same type.
    uint32_t index;
    // [size] Text of the declaration, from the end of the previous declaration to the closing
    // brace.
    const char *text;
    size_t size;
    // The next declaration with the same type and name. A game uses only the first declaration of a
    // name, so the next declaration has no effect. If NULL, there is no further declaration.
    const struct md5_decl *hidden;
} md5_decl;

// Returns the number of declarations of a type, including implicit declarations.
MD5_GAME_API uint32_t md5_game_num_decls(const md5_game *game, md5_decl_type type);

// Returns a declaration by its type and index, or NULL if the index is out of range. The
// declarations have the order of the engine: by folder, then by file name, ignoring case, then in
// file order. Implicit declarations follow in the order of their creation.
MD5_GAME_API const md5_decl *md5_game_decl(const md5_game *game, md5_decl_type type,
                                           uint32_t index);

// Selects the treatment of errors for all declarations that are requested later, for example to
// show a mod as the engine shows it. The initial mode is MD5_PARSE_LENIENT. Results that the game
// has already returned do not change. Returns false and writes an error if memory runs out.
//
// A game that is used in both modes has a separate set of declarations for each mode. A declaration
// has the same index in both sets, unless it is implicit. The first change of the mode takes time
// and memory linear in the number of declarations, unless no declaration has been requested before.
MD5_GAME_API bool md5_game_set_parse_mode(md5_game *game, md5_parse_mode mode, md5_error *error);

// Finds a declaration by its type and name without parsing it. Returns NULL if it does not exist.
// The name may have any spelling that the engine accepts, such as "Textures\Rock.tga" for
// "textures/rock".
MD5_GAME_API const md5_decl *md5_find_decl(const md5_game *game, md5_decl_type type,
                                           const char *name);

#ifdef __cplusplus
}
#endif

#endif
