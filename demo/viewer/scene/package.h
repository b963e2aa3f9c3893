// The package that a model lies in: the folder around it that a game or a mod is spread over, its
// pictures and its declarations.
#ifndef DEMO_VIEWER_SCENE_PACKAGE_H
#define DEMO_VIEWER_SCENE_PACKAGE_H

#include "demo/common/file.h"
#include "demo/viewer/base/log.h"
#include "md5/md5game.h"

typedef struct view_package view_package;

// Opens the package that contains the model; if there is none, searches find nothing. Files are
// read on the first search. Never fails. Free with view_close_package().
view_package *view_open_package(const char *model_path);
void view_close_package(view_package *package);

// The package's folder, or NULL.
const char *view_package_root(const view_package *package);

// Returns the package's declarations, or NULL if it has none.
md5_game *view_package_game(view_package *package, view_log *log);

// Returns the image of a material in the package's declarations: a file name relative to the root,
// without extension; the diffuse map of a lit material, else the map of the first stage. NULL if no
// file declares the material. Owned by the package.
const char *view_package_material(view_package *package, const char *material, view_log *log);

// Returns the image of a mesh in an md5.cfg (Cube 2 engines) in the model's folder or the one
// above. NULL if there is none. Owned by the package.
const char *view_package_skin(view_package *package, const char *model_path, const char *mesh);

// All images of the package, by folders; if there is no package, those beside `model_path`. Owned
// by the package.
const common_list *view_package_images(view_package *package, const char *model_path);

// Returns an image anywhere in the package whose base name without extension is `stem`, ignoring
// case; if there are several, the one that shares most folders with the path `near`. NULL if there
// is none. Owned by the package.
const char *view_package_image(view_package *package, const char *stem, const char *near);

#endif
