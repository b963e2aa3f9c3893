// md5game: reads the declarations of a Doom 3 game folder by the rules of the original engine, for
// programs that use the data of Doom 3 or of its mods. Declarations are the text blocks in
// materials/*.mtr, skins/*.skin, def/*.def and other files that define materials, skins, entities
// and other objects of the game.
//
//   md5_game_path paths[] = {mod, base};                   // in order of priority
//   md5_game *game = md5_create_game(paths, 2, NULL, &error);
//   const md5_material *material = md5_game_material(game, "models/imp/skin", &error);
//
// Opening a game indexes the names of all declarations. A declaration is parsed when it is
// requested for the first time. An error in a declaration causes a warning; md5_parse_mode of
// md5decl.h determines if only the invalid part or the whole declaration is dropped.
//
// This header includes the following headers. A program may include only the headers that it needs:
//
//   md5decl.h      files of a game folder, and the declarations in these files
//   md5material.h  tables, images, materials, skins, deforms
//   md5entity.h    modelDefs and entityDefs; entities, which are models with clips and attachments
//   md5actor.h     actors: playback of the clips of an entity
//   md5character.h monsters: looking at targets, heads, feet on the ground; states of scripts
//   md5figure.h    articulated figures: bodies and constraints for the physics of dead characters
//   md5skin.h      skinning on the CPU, and queries such as ray casts
//
// md5ragdoll.h, which this header does not include, simulates articulated figures. It belongs to a
// separate library, libmd5ragdoll.
//
// Memory: the results of md5_game_*() functions are owned by the game. They are read-only and
// remain valid until md5_destroy_game(). Objects that md5_load_*() and md5_create_*() return, such
// as images, entities and figures, are owned by the caller. Entities and figures use data of the
// game, so they must be freed before the game is destroyed.
//
// Errors: an md5_game_*() function that returns NULL without an error has not found the name. It
// writes an error only if memory runs out.
//
// Threads: parsing changes the game, so only one thread at a time may call functions with the same
// game. Any number of threads may read the results at the same time.
#ifndef MD5GAME_H
#define MD5GAME_H

#include "md5actor.h" // installed in the same folder, like the following headers
#include "md5character.h"
#include "md5decl.h"
#include "md5entity.h"
#include "md5figure.h"
#include "md5material.h"
#include "md5skin.h"

#endif
