// Finds the image file of a mesh, by all that its names say.
#ifndef DEMO_VIEWER_SCENE_FIND_TEXTURE_H
#define DEMO_VIEWER_SCENE_FIND_TEXTURE_H

#include "demo/common/file.h"
#include "demo/viewer/base/log.h"
#include "demo/viewer/scene/package.h"

#include <stdbool.h>

typedef struct view_texture_search {
    const char *model_path;
    const char *shader; // of the mesh; may be ""
    const char *mesh;   // its name
    view_package *package;
} view_texture_search;

typedef struct view_texture_found {
    char *path;        // or NULL
    const char *guess; // NULL, or what it was guessed by: "by the name of the mesh"
    common_list tried; // names that were looked for in vain, without endings
} view_texture_found;

// In this order:
// 1. what a material of the package that the shader names is made of, or an md5.cfg beside the
// model says;
// 2. the shader as a path, which may be one of the author's machine: with and without its folders,
// in the current
//    folder, the model's and those above, and in "textures" and "images" beside the model; with the
//    usual endings, also behind the suffixes of colour maps (_d, _diffuse, ...). A tiny picture
//    does not hide one with a suffix;
// 3. as guesses: the shader's base name anywhere in the package, the mesh's and the model's name,
// the only picture
//    beside the model that is no other map.
// Case does not matter. Free with view_free_texture_found().
view_texture_found view_find_texture(const view_texture_search *search, view_log *log);
void view_free_texture_found(view_texture_found *found);

#endif
