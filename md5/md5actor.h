// md5actor: the entities of a Doom 3 game folder.
//
//   const md5_entity_def *imp = md5_game_entity_def(game, "monster_demon_imp", &error);
//   const char *model = md5_entity_value(imp, "model");
//
// Memory and threads of entityDefs: as those of other declarations, see md5game.h.
#ifndef MD5ACTOR_H
#define MD5ACTOR_H

#include "md5game.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// -- entityDefs -----------------------------------------------------------------------------------

typedef struct md5_entity_key {
    const char *name, *value; // as in the file
    const md5_decl *decl;     // the entityDef that has it: itself, or one that it inherits
} md5_entity_key;

// An entityDef. No two keys have the same name, ignoring case. "classname" is its own name.
typedef struct md5_entity_def {
    const md5_decl *decl;
    uint32_t num_keys;
    const md5_entity_key *keys; // [num_keys] its own in the order of the file, then its parents'
} md5_entity_def;

// Returns an entityDef with all that it inherits, or NULL if there is none of this name. Every key
// that begins with "inherit" names a parent: its own keys win, then those of its parents in order,
// each with what it inherits. Inheritance in circles ends where it began. A mistake makes an
// entityDef one with the keys "DEFAULTED" and "classname" in the engine's verdict; in the lenient
// one keys may be without quotes, and the rest is kept.
//
// Sets `error` (may be NULL) only if memory runs out. Time and memory: linear in the texts of the
// entityDef and of all that it inherits; they are parsed once in a game.
MD5_API const md5_entity_def *md5_game_entity_def(md5_game *game, const char *name,
                                                  md5_error *error);

// Returns the value of a key, ignoring the case of its name, or NULL if there is none. Linear in
// the number of keys.
MD5_API const char *md5_entity_value(const md5_entity_def *def, const char *key);

// Returns the next key whose name begins with `prefix`, ignoring case, after `key`, which is one of
// these keys or NULL for the first; or NULL if there is none. As for "def_attach".
MD5_API const md5_entity_key *md5_next_entity_key(const md5_entity_def *def, const char *prefix,
                                                  const md5_entity_key *key);

#ifdef __cplusplus
}
#endif

#endif
