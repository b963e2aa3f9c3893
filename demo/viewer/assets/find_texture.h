// Finds the image of a mesh: all that speaks for an image is evidence with a score, and the one
// with the highest is taken, or none if the evidence is weak or two are equal.
#ifndef DEMO_VIEWER_ASSETS_FIND_TEXTURE_H
#define DEMO_VIEWER_ASSETS_FIND_TEXTURE_H

#include "demo/common/file.h"
#include "demo/viewer/base/log.h"
#include "demo/viewer/assets/package.h"
#include "md5/md5dialects.h"

#include <stdbool.h>

typedef struct view_texture_search {
    const char *model_path;
    const md5_model *model;
    uint32_t mesh;
    view_package *package;
    uint32_t skin;         // of a model of the Quake re-releases
    const view_look *look; // that the opened md5.cfg gives the mesh, or NULL
} view_texture_search;

typedef struct view_texture_found {
    char *path;     // or NULL
    bool is_guess;  // by likely names, not by what a file says
    bool is_chosen; // the user chose `path`: nothing was searched
    char *why;      // NULL, or why it was taken: "the model's name, in a folder beside it (85)"
    view_look look; // what a declaration says besides; its paths are those of files, or NULL
    char *turns[MD5_MAX_QUAKE_IMAGES - 1]; // images that are shown in turn with `path`
    uint32_t num_turns;
    common_list tried; // without a path: the likeliest ones, and why they were not taken
} view_texture_found;

// Evidence is, in falling order: what declares the mesh's look (materials/*.mtr and
// scripts/*.shader of the package, an md5.cfg around the model that loads it); the images of a
// model of the Quake re-releases; the shader as a path below the model's folder or one above, which
// may come from the author's machine; then the names of shader, model, mesh and folder, words such
// as "skin", and that there is but one. A name counts less where it is less specific, in a model of
// several materials, and the farther the image is. An image that is declared but missing is not
// replaced by another. Names are compared without regard to case, ending and the suffixes of
// colour maps (_d, _diffuse, ...); a tiny image yields to another of its name.
//
// Images are those of `package`: no name out of a file is opened. Free with
// view_free_texture_found().
view_texture_found view_find_texture(const view_texture_search *search, view_log *log);
void view_free_texture_found(view_texture_found *found);

#endif
