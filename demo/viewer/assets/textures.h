// Finds, loads and uploads the textures of meshes, and what materials of a game draw besides.
#ifndef DEMO_VIEWER_ASSETS_TEXTURES_H
#define DEMO_VIEWER_ASSETS_TEXTURES_H

#include "demo/convert/convert.h"
#include "demo/viewer/assets/ahead.h"
#include "demo/viewer/base/config.h"
#include "render/md5gl_game.h"

// Turns a picture of a cameraCubeMap (0 forward, 1 back, 2 left, 3 right, 4 up, 5 down), as a
// camera with up above sees it, into side `number` of a cube map: +x, -x, +y, -y, +z, -z.
void view_turn_camera_side(int number, uint32_t side, const uint8_t *from, uint8_t *to);

// -- Lit layers ----------------------------------------------------------------------------------
//
// What the lit stages of a material draw, as in the engine: each layer is a bump map with the
// diffuse and the specular map behind it, of the stages that are on. The light of all layers is
// added.

typedef struct view_lit_layers {
    md5gl_texture *textures; // [material->num_stages] of lit stages, if there may be two layers
    md5gl_material *shown;   // [material->num_stages] see view_select_lit_layers()
    uint32_t num_shown;
    bool lacks_diffuse; // the mesh's own diffuse map is missing, so that it reflects nothing
} view_lit_layers;

// Whether the colour of a lit stage is not always white, or it reads vertex colours.
bool view_is_painted(const md5_material *material, const md5_stage *stage);

// Whether a color of lit->shown is that of a map that reflects anything.
bool view_reflects(md5_vec3 color);

// Writes lit->shown from evaluated registers. In the first layer a texture of 0 is the mesh's own
// map, and a specular_color that reflects nothing means no specular map at all.
void view_select_lit_layers(view_lit_layers *lit, const md5_material *material,
                            const float *registers);

// -- Layers of meshes ----------------------------------------------------------------------------
//
// What the materials of a game folder draw besides lit surfaces: the stages of each mesh, evaluated
// for every picture.

// A mesh that is not just a lit surface.
typedef struct view_layered {
    uint32_t mesh;
    const md5_material *material; // of the game
    float *registers;             // [material->num_registers]
    md5gl_texture *textures;      // [material->num_stages] 0: the stage is not shown
    md5gl_texture bump;           // that reflections use, or 0
    view_lit_layers lit;
    md5gl_stage *stages;                  // [material->num_stages] those that are on come first
    bool is_staged, no_shadow, is_opaque; // of its md5gl_material
    const md5_table *table;               // of its deform, or NULL
    const md5_mesh *deformed;             // what its deform forms; NULL: not shown, or it has none
    // From where that is seen, in world space, and the placements of the instances.
    md5_deform_view view;
    const md5_mat34 *placements; // [num_placements] NULL: model space is world space
    uint32_t num_placements;
} view_layered;

// Something of a mesh's material that is not shown: what, and why.
typedef struct view_layer_note {
    uint32_t mesh;
    char *text;
} view_layer_note;

typedef struct view_layers {
    view_layered *meshes; // [num_meshes] by the materials' sort
    uint32_t num_meshes;
    md5gl_stage_list *lists; // [num_meshes] as evaluated last
    uint32_t *places;        // [meshes of the model] 1 + index into `meshes`; 0: a lit surface
    view_layer_note *notes;  // [num_notes] by mesh
    size_t num_notes;
    uint32_t read;    // what materials depend on: bit 0 time, bit 1 + N parm N
    bool has_deforms; // a mesh is deformed, after view_set_deforms()
} view_layers;

// Ends adding: sorts the meshes. `num_meshes` of the model.
void view_sort_layers(view_layers *layers, uint32_t num_meshes);

// Evaluates all materials: writes lists and flags. Allocates nothing.
void view_evaluate_layers(const view_layers *layers, const md5_material_input *input);

// Returns a mesh, or NULL if it is just a lit surface.
const view_layered *view_find_layered(const view_layers *layers, uint32_t mesh);

// Adds what the evaluated material says of the first lit layer; `maps`: of normals and shine, too.
void view_paint_layer(const view_layers *layers, uint32_t mesh, bool maps,
                      md5gl_material *material);

// -- Deforms -------------------------------------------------------------------------------------
//
// Meshes that their materials deform: see md5material.h.

// Sets the deforms of a model. Notes and logs those that cannot be shown. The layers stay where
// they are until the model is destroyed.
void view_set_deforms(view_layers *layers, md5gl_renderer *renderer, md5gl_model *drawn,
                      const md5_model *model, view_log *log);

// Sets from where deformed meshes are seen, in world space, before the model is posed with
// placements[num_placements], which stay valid while it is. They rotate, move and scale equally in
// all directions; NULL: the model is where its file puts it.
void view_see_deforms(const view_layers *layers, const md5_deform_view *view,
                      const md5_mat34 *placements, uint32_t num_placements);

// -- Textures of meshes --------------------------------------------------------------------------

typedef struct view_texture {
    const char *path;
    // The image program of a game, whose text is the path. NULL: the texture is a file.
    const md5_image_program *program;
    // The stage of a game's material that samples the texture. NULL: the texture is a map.
    const md5_stage *stage;
    const char *heights;   // path of a height map whose slopes are added to a normal map, or NULL
    md5gl_image_kind map;  // the kind of map; MD5GL_NUM_IMAGE_KINDS: image of a stage
    bool is_masks;         // the file contains the masks of an md5.cfg for specular and glow maps
    const char *base;      // path of the texture that glows, for a glow map made of masks
    float share;           // factor for the masks
    md5gl_texture texture; // 0: the texture could not be read, and the error was logged
    uint32_t width;
    uint32_t height;
    bool has_holes; // MD5GL_IMAGE_DIFFUSE
} view_texture;

// The textures of a mesh, each of view_textures.loaded.
typedef struct view_mesh_textures {
    const view_texture *maps[MD5GL_NUM_IMAGE_KINDS]; // NULL: none
    // Images that are shown in turn, as in Quake ten a second; the first one is its texture.
    const view_texture *turns[MD5_MAX_QUAKE_IMAGES]; // [num_turns]
    uint32_t num_turns;
    bool two_sided;                          // a look says that both sides are drawn
    bool is_selected[MD5GL_NUM_IMAGE_KINDS]; // true: an option selects the map for this mesh only
    float alpha_test;                        // threshold of the material file, 0 = none
    bool opaque;                             // true: the material ignores alpha
    bool is_unmeasured;                      // see view_is_unmeasured()
    view_look look;                          // result of the search
} view_mesh_textures;

typedef struct view_textures {
    view_texture **loaded; // each file or picture of the game once per use
    size_t num_loaded;
    uint32_t num_meshes;
    view_mesh_textures *meshes; // [num_meshes]
    view_package **worn;        // [num_worn] those of worn models
    size_t num_worn;
    view_package *package; // whose game the layers are of, or NULL
    view_layers layers;    // what materials draw besides lit surfaces
} view_textures;

// Input of loading besides the files.
typedef struct view_loader {
    const view_options *options;
    md5gl_renderer *renderer; // NULL: nothing is drawn or uploaded
    view_log *log;
    view_ahead *ahead; // where pictures may be already, or NULL
} view_loader;

// What textures are loaded for.
typedef struct view_dressing {
    const md5_model *model;
    const char *path;      // of its file, or an address in a game
    md5_game *game;        // where it is, or NULL
    const view_look *said; // [num_said] what an md5.cfg says of each mesh, if there is one
    uint32_t num_said;
    const view_options *options;   // the textures that they name; NULL: none
    const convert_scene *wardrobe; // which models became a part of it, or NULL
    const char *file;              // of the model, if `path` is that of a machine that plays it
} view_dressing;

// What textures are loaded with, and for which mesh.
typedef struct view_dresser {
    view_textures *textures;
    md5gl_renderer *renderer;
    view_log *log;
    view_ahead *ahead;       // of the loader
    md5_game *game;          // that declares the mesh's shader, or NULL
    view_look_search search; // package: NULL if there is nothing to search
} view_dresser;

// Takes what the material of a shader says of the mesh, and adds its layers unless it is just a lit
// surface: loads the pictures of its stages, and logs which of these are not shown, and why. Does
// nothing if the game, which must outlive the textures, does not declare it. Returns whether it has
// layers and no diffuse map.
bool view_add_layers(const view_dresser *d, const char *shader);

// Finds and loads the textures of all meshes: those of the options, those that are said, then those
// that view_find_look() finds, then their other maps. Logs a warning for each mesh without a
// texture. Returns false and logs an error if the options name a mesh that the model lacks or a
// file that cannot be read. Of the loader it reads all but the options.
bool view_load_textures(view_textures *textures, const view_loader *loader,
                        const view_dressing *dressing);

// Appearance of a mesh in a preview.
typedef struct view_preview_mesh {
    const md5_material *material; // declared by a game or a file in the model's folder; may be NULL
    char *image;                  // name of the image in loader->ahead, or NULL
    bool is_hidden;
} view_preview_mesh;

// Uploads the textures of a preview: the diffuse maps of meshes[number of meshes of the model], or
// the stages of translucent materials of `game`. Takes the images from loader->ahead and reads no
// files.
void view_load_preview_textures(view_textures *textures, const view_loader *loader,
                                const md5_model *model, md5_game *game,
                                const view_preview_mesh *meshes);

void view_free_textures(view_textures *textures, md5gl_renderer *renderer);

// Material of a mesh at a time in seconds: its texture or the checker; if `maps` is set, also its
// other maps; if `layers` is set, with what its evaluated material says of the first lit layer. A
// texture with holes makes it two-sided.
md5gl_material view_mesh_material(const view_textures *textures, const md5gl_renderer *renderer,
                                  uint32_t mesh, bool maps, bool layers, double time);

// Whether a mesh counts in no bounds beside others: one whose material has no stages, as those that
// skins put in place of others to hide a part, or turns an eye: where that looks is marked by a
// triangle that is not drawn, in Doom 3's heads 64 units ahead of them.
static inline bool view_is_unmeasured(const view_textures *textures, uint32_t mesh)
{
    return mesh < textures->num_meshes && textures->meshes[mesh].is_unmeasured;
}

// The image of a mesh's texture or of another map as it was loaded, or NULL.
const view_texture *view_mesh_image(const view_textures *textures, uint32_t mesh,
                                    md5gl_image_kind map);

// The result of the search for a mesh's texture; empty if the options name one.
const view_look *view_mesh_look(const view_textures *textures, uint32_t mesh);

// -- Saving --------------------------------------------------------------------------------------
//
// As declarations of materials that name the images from the folder of the package on, or from that
// of the model if it lies in none: mtr.c.

// The file, in the folder "materials" of that folder; free it. NULL: the model is in an archive.
char *view_materials_path(const view_textures *textures);

// Writes there a material for the shader of each mesh. Logs a warning for each mesh and each map
// that is left out. Returns how many were written.
uint32_t view_save_materials(const view_textures *textures, const md5_model *model, view_log *log);

// -- Pixels of maps ------------------------------------------------------------------------------

// Masks of Cube 2's engines, by the reference of Sauerbraten's models: red is how much a texel
// shines, green how much it glows in the color of the texture, blue how much it reflects. Replaces
// the masks by highlights or, with the texture that glows, by a glow map, times a share from 0 to
// 1. That texture may have another size.
void view_apply_masks(view_image *masks, const view_image *glowing, float share);

// -- Uploading models ----------------------------------------------------------------------------

// Creates a model on the GPU with the vertex path of the options. If that path is not available,
// logs a warning and uses another one. Returns NULL and logs an error on failure.
md5gl_model *view_create_model(const view_loader *loader, const md5_model *model);

// The same with its textures and the deforms of its materials. Returns false and logs an error on
// failure; free both in the other case.
bool view_upload(const view_loader *loader, const view_dressing *dressing, md5gl_model **drawn,
                 view_textures *textures);

// == The light of a picture of all around, for --environment ===================================

// An environment, and what the viewer makes of it.
typedef struct view_environment {
    md5gl_environment *light; // to be destroyed; NULL: none
    float exposure;           // factor that makes its mean as bright as that of the studio
    md5_vec3 brightest;       // unit direction to where most of its light comes from
} view_environment;

// Replaces the environment by that of a file. On failure logs an error, and changes nothing.
bool view_load_environment(view_environment *environment, md5gl_renderer *renderer,
                           const char *path, view_log *log);

#endif
