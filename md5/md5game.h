// md5game: the declarations of a Doom 3 game folder, read as the original engine reads them.
//
//   md5_game_path paths[] = {mod, base};                   // best first
//   md5_game *game = md5_create_game(paths, 2, NULL, &error);
//   const md5_material *material = md5_game_material(game, "models/imp/skin", &error);
//
// Declarations are text in materials/*.mtr, skins/*.skin, def/*.def and so on. Opening a game
// indexes which file declares which name; a declaration is parsed when it is first requested. An
// error in it is a warning; what becomes of the declaration is a matter of the md5_verdict.
//
// It is six headers, of which a program may include those that it needs:
//
//   md5decl.h      the files of a folder, and which of them declares which name
//   md5material.h  tables, images, materials, skins, deforms
//   md5entity.h    modelDefs, entityDefs; entities: models with clips, heads and attachments
//   md5actor.h     actors, which play entities
//   md5character.h what characters do beside: looking, heads, feet on stairs, states of scripts
//   md5ragdoll.h   what they do dead: they fall
//
// Memory: everything that is returned, except pictures and entities, belongs to the game, is
// read-only and stays valid until md5_destroy_game(). Errors: md5_game_*() fail only if memory runs
// out; NULL without an error: there is none of that name. Threads: parsing changes the game, so
// only one thread may use a game at a time; results may be read by all.
#ifndef MD5GAME_H
#define MD5GAME_H

#include "md5actor.h" // beside this file also when installed, like the others
#include "md5character.h"
#include "md5decl.h"
#include "md5entity.h"
#include "md5material.h"
#include "md5ragdoll.h"
#include "md5skin.h"

#endif
