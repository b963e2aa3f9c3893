// Entities while they are loaded, and what they own.
//
//   entity_load.c: one entity without parts ◀── entity_parts.c: heads and attachments ◀── entity.c
#ifndef MD5_GAME_ENTITY_H
#define MD5_GAME_ENTITY_H

#include "md5/game/decls.h"
#include "md5/md5actor.h"

// An animation file, loaded and bound once for all clips of an entity that name it.
typedef struct md5_entity_file {
    struct md5_entity_file *next;
    md5_anim *anim;
    md5_binding *binding;
} md5_entity_file;

// An entity with what it frees. All of this is in its arena.
typedef struct md5_entity_owner {
    md5_entity entity; // first: the public part
    md5_model *model;
    md5_entity_file *files;
    md5_allocator allocator;  // of the arena, once it is loaded
    struct md5_chunk *chunks; // likewise
} md5_entity_owner;

// The load of one entity.
typedef struct md5_entity_load {
    md5_context *context;
    md5_arena arena;
    md5_game *game;
    const char *name;
    md5_load_opts opts;              // for files of the game
    const md5_game_entry *open_file; // the one that is being read
    md5_entity_owner *owner;
    md5_name_map files; // of md5_entity_file; NULL for one that cannot be used
} md5_entity_load;

// -- entity_load.c --------------------------------------------------------------------------------

// Loads an entity without parts. `is_model`: the name is that of a modelDef or of a file. Returns
// false and sets the context's error if there is no such entity or memory runs out. Then comes
// md5_finish_entity() or md5_end_entity_load().
bool md5_load_entity(md5_entity_load *load, md5_game *game, const char *name, bool is_model,
                     md5_context *context, const md5_load_opts *opts);
md5_entity *md5_finish_entity(md5_entity_load *load);
void md5_end_entity_load(md5_entity_load *load);

// Frees a finished entity, but not its parts.
void md5_free_lone_entity(const md5_entity *entity);

// Passes on an error of a call with its own `error`, if it was memory that ran out. Returns whether
// that is not so.
bool md5_entity_has_memory(md5_context *context, const md5_error *error);

// Fails, or warns, at the place of a declaration, which may be NULL.
bool md5_entity_fail(md5_context *context, const md5_decl *decl, const char *format, ...)
    MD5_PRINTF(3, 4);
void md5_entity_warn(md5_context *context, const md5_decl *decl, const char *format, ...)
    MD5_PRINTF(3, 4);

// -- entity_parts.c -------------------------------------------------------------------------------

// Loads the head and the attachments. Returns false if memory runs out.
bool md5_load_entity_parts(md5_entity_load *load);

#endif
