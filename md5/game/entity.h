// Entities while they are loaded, and what they own.
//
//   entity_load.c: one entity without parts ◀── entity_parts.c: heads and attachments ◀── entity.c
//
// An entity, its parts, their parts and so on form a tree. Its owners form a list, parents before
// their parts, so that the tree is walked without recursion. The list begins at the requested
// entity, whose arena holds the tables of parts of the whole tree.
#ifndef MD5_GAME_ENTITY_H
#define MD5_GAME_ENTITY_H

#include "md5/game/decls.h"
#include "md5/md5game.h"

// An animation file, loaded and bound once for all clips of an entity that name it.
typedef struct md5_entity_file {
    struct md5_entity_file *next;
    md5_anim *anim;
    md5_binding *binding;
} md5_entity_file;

// An entity with what it frees. All of this is in its arena.
typedef struct md5_entity_owner {
    md5_entity entity;                   // first: the public part
    struct md5_entity_owner *next;       // in the list of the tree
    const struct md5_entity_owner *body; // what it is a part of, NULL for the first one
    const char *name;                    // as in the key, or as asked for
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
// false and sets the context's error if there is no such entity or memory runs out. Then call
// md5i_finish_entity(), or md5i_end_entity_load() after a failure.
bool md5i_load_entity(md5_entity_load *load, md5_game *game, const char *name, bool is_model,
                      md5_context *context, const md5_load_opts *opts);
md5_entity *md5i_finish_entity(md5_entity_load *load);
void md5i_end_entity_load(md5_entity_load *load);

// Frees a finished entity, but not its parts.
void md5i_free_lone_entity(const md5_entity *entity);

static inline md5_entity_owner *md5_owner_of(const md5_entity *entity)
{
    return (md5_entity_owner *)entity->owned;
}

// Returns false if `error`, of another call, says that memory ran out, and then sets the context's
// error. Else returns true.
bool md5i_entity_has_memory(md5_context *context, const md5_error *error);

// Fails, or warns, with the location of a declaration, which may be NULL.
bool md5i_entity_fail(md5_context *context, const md5_decl *decl, const char *format, ...)
    MD5_PRINTF(3, 4);
void md5i_entity_warn(md5_context *context, const md5_decl *decl, const char *format, ...)
    MD5_PRINTF(3, 4);

// -- actor_pose.c ---------------------------------------------------------------------------------

// Writes the base frame with its root at the origin: what the engine shows for a held frame 1.
void md5i_base_frame_pose(const md5_binding *binding, md5_xform *pose);

// -- entity_values.c ------------------------------------------------------------------------------

// Reads up to `count` numbers, as the engine does with keys. Missing ones leave their values as
// they are. `text` may be NULL.
void md5i_entity_numbers(md5_game *game, const char *text, float *values, int count);

// Sets the members that depend only on the keys of an entity and on its modelDef.
void md5i_set_entity_values(md5_game *game, md5_entity *entity);

// A vector or transform of a file, in the axes and units of a model.
md5_vec3 md5i_entity_vector(const md5_model *model, md5_vec3 vector);
md5_xform md5i_entity_transform(const md5_model *model, md5_xform transform);

// -- entity_parts.c -------------------------------------------------------------------------------

// Loads the heads and attachments of the tree. Returns false if memory runs out; then the caller
// frees the parts in the list.
bool md5i_load_entity_parts(md5_entity_load *load);

#endif
