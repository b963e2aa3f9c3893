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

// The textures of a mesh, each of view_textures.loaded.
typedef struct view_mesh_textures {
    const view_texture *maps[VIEW_NUM_MAPS]; // NULL: none
    // Images that are shown in turn, as in Quake ten a second; the first one is its texture.
    const view_texture *turns[MD5_MAX_QUAKE_IMAGES]; // [num_turns]
    uint32_t num_turns;
    bool two_sided;   // a look says that both sides are drawn
    float alpha_test; // what a look says, 0 = nothing
    bool opaque;      // a material says that alpha cuts nothing out
    view_look look;   // result of the search
} view_mesh_textures;

typedef struct view_textures {
    view_texture **loaded; // each file once per use
    size_t num_loaded;
    char *dropped; // the last file of view_use_texture(), or NULL
    uint32_t num_meshes;
    view_mesh_textures *meshes; // [num_meshes]
    view_package *package;      // whose game the layers are of, or NULL
    md5_game *game;             // whose materials the shaders are, or NULL
    view_layers layers;         // what materials draw besides lit surfaces
} view_textures;

// Input of loading besides the files.
typedef struct view_loader {
    const view_options *options;
    md5gl_renderer *renderer; // NULL: nothing is drawn or uploaded
    view_log *log;
    const view_chosen_list *chosen; // NULL: no textures were chosen
} view_loader;

// What textures are loaded for.
typedef struct view_dressing {
    const md5_model *model;
    const char *path;      // of its file, or an address in a game
    md5_game *game;        // where it is, or NULL
    const view_look *said; // [num_said] what an md5.cfg says of each mesh, if there is one
    uint32_t num_said;
    const view_options *options; // the textures that they name; NULL: none
} view_dressing;

// Finds and loads the textures of all meshes: those of the options, those that the user chose,
// those that are said, then those that view_find_look() finds, then their other maps. Logs a
// warning for each mesh without a texture, and for each chosen file that cannot be read. Returns
// false and logs an error if the options name a mesh that the model lacks or a file that cannot be
// read. Of the loader it reads renderer, log and chosen.
bool view_load_textures(view_textures *textures, const view_loader *loader,
                        const view_dressing *dressing);

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

// Creates a model on the GPU with the vertex path of the options. If that path is not available,
// logs a warning and uses another one, except for --verify. Returns NULL and logs an error on
// failure.
md5gl_model *view_create_model(const view_loader *loader, const md5_model *model);

// The same with its textures and the deforms of its materials. Returns false and logs an error on
// failure; free both in the other case.
bool view_upload(const view_loader *loader, const view_dressing *dressing, md5gl_model **drawn,
                 view_textures *textures);

#endif
