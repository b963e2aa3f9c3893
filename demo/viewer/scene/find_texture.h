// Finds the image file of a mesh by the names of its shader, mesh and model.
#ifndef DEMO_VIEWER_SCENE_FIND_TEXTURE_H
#define DEMO_VIEWER_SCENE_FIND_TEXTURE_H

#include "demo/common/file.h"
#include "demo/viewer/base/log.h"
#include "demo/viewer/scene/package.h"
#include "md5/md5quake.h"

#include <stdbool.h>

typedef struct view_texture_search {
    const char *model_path;
    const char *shader; // of the mesh; may be ""
    const char *mesh;   // its name
    view_package *package;
    uint32_t skin; // of a model of the Quake re-releases
} view_texture_search;

typedef struct view_texture_found {
    char *path;                            // or NULL
    char *normals;                         // a normal map that the material names, or NULL
    bool two_sided;                        // the material says so
    char *turns[MD5_QUAKE_MAX_IMAGES - 1]; // images that are shown in turn with `path`
    uint32_t num_turns;
    const char *guess; // NULL, or how it was guessed: "by the name of the mesh"
    bool is_chosen;    // the user chose `path`: nothing was searched
    common_list tried; // names that were not found, without extensions
} view_texture_found;

// Searches in this order:
// 1. the material that the shader names, in materials/*.mtr of the package (Doom 3) or
// scripts/*.shader
//    (Unvanquished); an md5.cfg beside the model; the skin of a model of the Quake
//    re-releases, or the first one if there is no such skin, which is a warning;
// 2. the shader as a path, which may come from the author's machine: with and without its folders,
//    in the model's folder, in "textures" and "images" beside the model, in the folders above, and
//    in the current folder; with the usual extensions, also after the suffixes of colour maps (_d,
//    _diffuse, ...). A file with a suffix is preferred to a tiny image without one;
// 3. guesses: the shader's base name anywhere in the package, the names of mesh and model, the only
//    colour map beside the model.
// Names are compared without regard to case. Free with view_free_texture_found().
view_texture_found view_find_texture(const view_texture_search *search, view_log *log);
void view_free_texture_found(view_texture_found *found);

#endif
