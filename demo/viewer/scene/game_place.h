// Where a game lies: a folder or an archive, or several of them, the mod before its base, as
// "games/mod|games/base". A path that exists is one place even if it contains "|".
#ifndef DEMO_VIEWER_SCENE_GAME_PLACE_H
#define DEMO_VIEWER_SCENE_GAME_PLACE_H

#include "demo/common/file.h"

// Whether a path is no folder, or one with what games have: declarations or archives.
bool view_is_game(const char *path);

// Returns the folders and archives of a place, best first, without slashes at their ends. Free with
// common_free_list().
common_list view_split_place(const char *place);

// Returns a place with another one behind it. To be freed.
char *view_put_behind(const char *place, const char *behind);

// Returns a place with the engine's base behind it: the folder "base" or "q4base" beside a mod's
// folder, if that is a game; else the place alone. To be freed.
char *view_with_base(const char *place);

// Returns a title: the first path, then the last components of the others, "games/mod + base". To
// be freed.
char *view_title_of_place(const char *place);

#endif
