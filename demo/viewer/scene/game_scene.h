// A scene of what lies in a game: an entity, a model, or a clip alone.
#ifndef DEMO_VIEWER_SCENE_GAME_SCENE_H
#define DEMO_VIEWER_SCENE_GAME_SCENE_H

#include "demo/viewer/scene/scene.h"

// Loads what an address names. `library`: an open one, which is used if it is that of the address,
// or NULL. Returns false, logs an error, with similar names if there is none of this name, and
// leaves nothing allocated if it cannot be shown.
bool view_load_game_scene(view_scene *scene, view_library *library, const char *address,
                          view_log *log);

// Loads a clip of the scene's library by its name and shows it. Returns false and logs an error if
// it cannot be read or does not fit the model.
bool view_add_game_clip(view_scene *scene, const char *name, view_log *log);

#endif
