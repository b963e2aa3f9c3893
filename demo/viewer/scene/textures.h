// Which picture belongs on which mesh, and its way to the GPU.
#ifndef DEMO_VIEWER_SCENE_TEXTURES_H
#define DEMO_VIEWER_SCENE_TEXTURES_H

#include "md5/md5model.h"
#include "render/md5gl.h"
#include "demo/viewer/base/log.h"
#include "demo/viewer/scene/maps.h"
#include "demo/viewer/base/options.h"

typedef struct view_texture {
    char *path;
    char *heights;         // a height map whose slopes are added to it, or NULL
    view_map map;          // what it is used as
    md5gl_texture texture; // 0: could not be read, which was told
    bool has_holes;        // VIEW_MAP_DIFFUSE
} view_texture;

typedef struct view_textures {
    view_texture *loaded; // every file once
    size_t num_loaded;
    char *dropped; // the file that view_use_texture() put on all meshes last, or NULL
    uint32_t num_meshes;
    size_t (*of_mesh)[VIEW_NUM_MAPS]; // [num_meshes] into `loaded`, or VIEW_NO_TEXTURE
} view_textures;

#define VIEW_NO_TEXTURE SIZE_MAX

// The file that the shader name of a mesh means, or NULL. A shader is a name of a material, an
// image path of the author's machine, or both at once, so it is looked for with and without its
// folders, in the model's folder and those above it, with the usual endings, with "_d" behind
// the name, and without regard to upper and lower case. Free the result.
char *view_find_texture(const char *model_path, const char *shader);

// Finds and loads the textures of all meshes: those that were chosen, then those that the shader
// names lead to, then the maps that lie beside these. Each mesh without one is told of. What a
// choice names and the model lacks, or a file that was chosen and cannot be read, is an error:
// returns false. `options` may be NULL.
bool view_load_textures(view_textures *textures, md5gl_renderer *renderer, const md5_model *model,
                        const char *model_path, const view_options *options, view_log *log);

// Puts a file on all meshes; returns false, having told why, if it cannot be read.
bool view_use_texture(view_textures *textures, md5gl_renderer *renderer, const char *path,
                      view_log *log);

void view_free_textures(view_textures *textures, md5gl_renderer *renderer);

// What to draw a mesh with: its texture, or the checker; with `maps`, also its other maps. What has
// holes is seen from both sides.
md5gl_material view_mesh_material(const view_textures *textures, const md5gl_renderer *renderer,
                                  uint32_t mesh, bool maps);

// The diffuse texture alone, or the checker.
md5gl_texture view_mesh_texture(const view_textures *textures, const md5gl_renderer *renderer,
                                uint32_t mesh);

// The path of a mesh's texture, or of another map, or NULL.
const char *view_mesh_map_path(const view_textures *textures, uint32_t mesh, view_map map);

// Whether a dropped file is to be a texture, by its ending.
bool view_is_image(const char *path);

#endif
