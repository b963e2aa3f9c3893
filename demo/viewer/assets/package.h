// The package that a model lies in: the folder around it that a game or a mod is spread over, its
// pictures and its declarations.
//
// Whatever a file names is looked for among the pictures that were listed here: no name out of a
// file is opened as it is, so that none leads out of the package or to another machine.
#ifndef DEMO_VIEWER_ASSETS_PACKAGE_H
#define DEMO_VIEWER_ASSETS_PACKAGE_H

#include "demo/common/file.h"
#include "demo/viewer/base/log.h"
#include "demo/viewer/assets/look.h"
#include "md5/md5game.h"

typedef struct view_package view_package;

// Opens the package that contains the model; if there is none, the folders around the model are
// searched alone. Files are read on the first search. Never fails. Free with view_close_package().
view_package *view_open_package(const char *model_path);
void view_close_package(view_package *package);

// The same, but of the model's folder and those in it alone, links left out: there is no root then,
// and no game. An md5.cfg is read through `reader`, which must outlive the package.
view_package *view_open_folder(const char *model_path, const md5_files *reader);
bool view_is_inside(const view_package *package);

// The package's folder, or NULL.
const char *view_package_root(const view_package *package);

// Returns the package's declarations, or NULL if it has none or is NULL.
md5_game *view_package_game(view_package *package, view_log *log);

// Returns the image of a material in the package's declarations: a file name relative to the root,
// without extension; the diffuse map of a lit material, else the map of the first stage. NULL if no
// file declares the material. Owned by the package.
const char *view_package_material(view_package *package, const char *material, view_log *log);

// Finds how a mesh looks by an md5.cfg (Cube 2 engines) near the model that loads it. Returns false
// if there is none that gives the mesh a texture. Free the look with view_free_look(); its paths
// are those in the file.
bool view_package_look(view_package *package, const char *mesh, view_look *look);

// Where a picture lies, as seen from the model.
typedef enum view_place {
    VIEW_BESIDE, // or in a folder "textures" beside it
    VIEW_BELOW,  // in a folder beside the model, or deeper
    VIEW_ABOVE,  // beside the model's folder
    VIEW_AROUND, // in a folder beside the model's, or deeper
    VIEW_ELSEWHERE,
    VIEW_NUM_PLACES,
} view_place;

typedef struct view_image_file {
    char *path;
    view_place place;
} view_image_file;

// The pictures around the model, by folders, the nearest first; with `all` also those of the rest
// of the package. Owned by the package, and valid until the next call.
const view_image_file *view_package_pictures(view_package *package, bool all, size_t *count);

// Adds the pictures of the folder that `name` is in, ignoring case: of an absolute name, if it
// leads into the package or, without one, around the model; of a relative one, below the model's
// folder and below those above it. Returns the name as common_clean() does, to be freed.
char *view_seek_pictures(view_package *package, const char *name);

// The stems of the other models in the model's folder.
const common_list *view_package_models(const view_package *package);

#endif
