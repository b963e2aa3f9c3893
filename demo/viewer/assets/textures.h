// Finds, loads and uploads the textures of meshes.
#ifndef DEMO_VIEWER_ASSETS_TEXTURES_H
#define DEMO_VIEWER_ASSETS_TEXTURES_H

#include "md5/md5model.h"
#include "render/md5gl.h"
#include "demo/viewer/base/config.h"
#include "demo/viewer/base/log.h"
#include "demo/viewer/assets/layers.h"
#include "demo/viewer/assets/look.h"
#include "demo/viewer/base/options.h"

typedef struct view_texture {
    char *path;
    // The picture in a game that it is, whose text is the path; NULL: it is a file.
    const struct md5_image_program *program;
    char *heights;         // a height map whose slopes are added to it, or NULL
    view_map map;          // what it is used as
    bool is_masks;         // it holds the masks of an md5.cfg: specular map or glow map
    char *base;            // of a glow map that is made of masks: the texture that glows
    float share;           // of the masks that counts
    md5gl_texture texture; // 0: could not be read, which was logged
    uint32_t width, height;
    bool has_holes; // VIEW_MAP_DIFFUSE
} view_texture;

// Images of a mesh that are shown in turn, as in Quake ten a second; the first one is its texture.
typedef struct view_turns {
    uint32_t count; // 0 = none
    size_t images[MD5_MAX_QUAKE_IMAGES];
} view_turns;

typedef struct view_textures {
    view_texture *loaded; // each file once per use
    size_t num_loaded;
    char *dropped; // the last file of view_use_texture(), or NULL
    uint32_t num_meshes;
    size_t (*of_mesh)[VIEW_NUM_MAPS]; // [num_meshes] into `loaded`, or VIEW_NO_TEXTURE
    bool *two_sided;                  // [num_meshes] a look says that both sides are drawn
    float *alpha_test;                // [num_meshes] what a look says, 0 = nothing
    bool *opaque;                     // [num_meshes] a material says that alpha cuts nothing out
    view_turns *turns;                // [num_meshes]
    view_look *looks;                 // [num_meshes] result of each search
    view_package *package;            // whose game the layers are of, or NULL
    md5_game *game;                   // whose materials the shaders are, or NULL
    view_layers layers;               // what materials draw besides lit surfaces
} view_textures;

#define VIEW_NO_TEXTURE SIZE_MAX

// Finds and loads the textures of all meshes: those of the options, those that the user chose,
// those of said[num_said], one for each mesh if there are any, then those that
// view_find_look() finds, then their other maps. Logs a warning for each mesh without a texture,
// and for each chosen file that cannot be read. Returns false and logs an error if the options name
// a mesh that the model lacks or a file that cannot be read. `options` and `chosen` may be NULL.
bool view_load_textures(view_textures *textures, md5gl_renderer *renderer, const md5_model *model,
                        const char *model_path, md5_game *game, const view_look *said,
                        uint32_t num_said, const view_options *options,
                        const view_chosen_list *chosen, view_log *log);

// Sets a file as the texture of all meshes. Returns false and logs a warning if it cannot be read.
bool view_use_texture(view_textures *textures, md5gl_renderer *renderer, const char *path,
                      view_log *log);

void view_free_textures(view_textures *textures, md5gl_renderer *renderer);

// Material of a mesh at a time in seconds: its texture or the checker; if `maps` is set, also its
// other maps. A texture with holes makes it two-sided.
md5gl_material view_mesh_material(const view_textures *textures, const md5gl_renderer *renderer,
                                  uint32_t mesh, bool maps, double time);

// The image of a mesh's texture or of another map as it was loaded, or NULL.
const view_texture *view_mesh_image(const view_textures *textures, uint32_t mesh, view_map map);

// The path of a mesh's texture, or of another map, or NULL.
const char *view_mesh_map_path(const view_textures *textures, uint32_t mesh, view_map map);

// The result of the search for a mesh's texture; empty if the options name one.
const view_look *view_mesh_look(const view_textures *textures, uint32_t mesh);

// -- Uploading models ----------------------------------------------------------------------------

// Input of loading besides the files.
typedef struct view_loader {
    const view_options *options;
    md5gl_renderer *renderer; // NULL: nothing is drawn or uploaded
    view_log *log;
    const view_chosen_list *chosen; // NULL: no textures were chosen
} view_loader;

// Creates a model on the GPU with the vertex path of the options. If that path is not available,
// logs a warning and uses another one, except for --verify. Returns NULL and logs an error on
// failure.
md5gl_model *view_create_model(const view_loader *loader, const md5_model *model);

#endif
