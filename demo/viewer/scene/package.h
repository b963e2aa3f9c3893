// The package that a model lies in: the folder around it that a game or a mod is spread over, its
// pictures and its declarations.
#ifndef DEMO_VIEWER_SCENE_PACKAGE_H
#define DEMO_VIEWER_SCENE_PACKAGE_H

#include "demo/viewer/base/log.h"

typedef struct view_package view_package;

// Never fails: without a package around the model there is nothing to find. Nothing is read before
// something is asked for. Free with view_close_package().
view_package *view_open_package(const char *model_path);
void view_close_package(view_package *package);

// The package's folder, or NULL.
const char *view_package_root(const view_package *package);

// The picture that the package's declarations give the material: a file name relative to the root,
// without an ending; of a lit material its colours, else its first stage. NULL if no file declares
// the material. Belongs to the package.
const char *view_package_material(view_package *package, const char *material, view_log *log);

// The picture that an md5.cfg of Cube 2's engines, in the model's folder or the one above, gives a
// mesh of the model. NULL if there is none. Belongs to the package.
const char *view_package_skin(view_package *package, const char *model_path, const char *mesh);

// The picture anywhere in the package whose name without folders and ending is `stem`, ignoring
// case; of several that which has most folders in common with `near`, a path. NULL if there is
// none. Belongs to the package.
const char *view_package_image(view_package *package, const char *stem, const char *near);

#endif
