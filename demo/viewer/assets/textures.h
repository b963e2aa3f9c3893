// Textures of meshes. Materials of a game can also draw stages (images with their own blending) and
// deform a mesh. `view_textures` contains all of these for a model.
#ifndef DEMO_VIEWER_ASSETS_TEXTURES_H
#define DEMO_VIEWER_ASSETS_TEXTURES_H

#include "demo/convert/convert.h"
#include "demo/viewer/assets/ahead.h"
#include "demo/viewer/base/config.h"
#include "render/md5gl_game.h"

// Copies an image of a cameraCubeMap into side `number` of a cube map: +x, -x, +y, -y, +z, -z. The
// images are 0 forward, 1 back, 2 left, 3 right, 4 up and 5 down, as seen by an upright camera.
// They are therefore rotated.
void view_rotate_camera_side(int number, uint32_t side, const uint8_t *from, uint8_t *to);

// -- Lit layers (lit_layers.c) -------------------------------------------------------------------
//
// A material of Doom 3 consists of stages, each with one image. A stage is lit if its image is a
// bump, diffuse or specular map; all other stages are drawn without light. The condition of a stage
// is an expression of the material. The stage is on while its condition is not 0.
//
// As in the engine, the lit stages that are on form layers. A layer is a bump map with the diffuse
// and the specular map that follow it. The light of all layers is added.

typedef struct view_lit_layers {
    // [material->num_stages] textures of the lit stages; 0 if the material has only one layer
    md5gl_texture *textures;
    md5gl_material *shown; // [material->num_stages] the layers, see view_select_lit_layers()
    uint32_t num_shown;
    bool lacks_diffuse; // the diffuse map of the mesh is missing: it reflects no diffuse light
} view_lit_layers;

// Returns true if the color of a lit stage is not always white, or if the stage reads vertex colors
// (stages.c).
bool view_is_colored_stage(const md5_material *material, const md5_stage *stage);

// Returns true if a diffuse or specular color of lit->shown is not 0, 0, 0.
bool view_reflects(md5_vec3 color);

// Writes the layers of a material to lit->shown. `registers` are the evaluated values of its
// expressions. In the first layer, a texture of 0 stands for the map of the mesh. A specular_color
// of 0, 0, 0 means that the layer has no specular map.
void view_select_lit_layers(view_lit_layers *lit, const md5_material *material,
                            const float *registers);

// -- Layers of meshes (layers.c, evaluate.c) -----------------------------------------------------
//
// The stages that the materials of a game draw in addition to lit surfaces. Their expressions
// depend on the time and are evaluated before each frame.

// A mesh whose game material is more than a lit surface.
typedef struct view_layered {
    uint32_t mesh;
    const md5_material *material; // material of the game
    float *registers;             // [material->num_registers]
    md5gl_texture *textures;      // [material->num_stages] 0: the stage is not shown
    md5gl_texture bump;           // normal map for reflections, or 0
    view_lit_layers lit;
    md5gl_stage *stages; // [material->num_stages] the stages that are on come first
    // Results of the evaluation, for the members of md5gl_material with these names.
    bool is_staged;
    bool no_shadow;
    bool is_opaque;
    const md5_table *table;   // table of values that the deform reads, or NULL
    const md5_mesh *deformed; // mesh that is deformed; NULL: it is not deformed
    // Viewer of the deform, in world space, and the placements of the instances.
    md5_deform_view view;
    const md5_mat34 *placements; // [num_placements] NULL: model space is world space
    uint32_t num_placements;
} view_layered;

// A part of a mesh's material that is not shown, and the reason.
typedef struct view_layer_note {
    uint32_t mesh;
    char *text;
} view_layer_note;

typedef struct view_layers {
    view_layered *meshes; // [num_meshes] in the order of the materials' sort
    uint32_t num_meshes;
    md5gl_stage_list *lists; // [num_meshes] results of the last evaluation
    uint32_t *entry_numbers; // [meshes of the model] 1 + index into `meshes`; 0: only a lit surface
    view_layer_note *notes;  // [num_notes] by mesh
    size_t num_notes;
    uint32_t read;    // inputs of the materials: bit 0 time, bit 1 + N parm N
    bool has_deforms; // view_set_deforms() has set a deform
} view_layers;

// Logs that a part of a mesh's material is not shown, and adds a note about it to `layers`. The
// note owns `text`.
void view_note_layer(view_layers *layers, uint32_t mesh, const md5_material *material, char *text,
                     view_log *log);

// Sorts the meshes in the order in which the engine draws them, and fills `lists` and
// `entry_numbers`. Call it after all meshes were added. `num_meshes` is the number of meshes of the
// model.
void view_sort_layers(view_layers *layers, uint32_t num_meshes);

// Evaluates all materials at a time: writes the lists, and the results in `meshes`. Allocates no
// memory.
void view_evaluate_layers(const view_layers *layers, const md5_material_input *input);

// Returns the layers of a mesh, or NULL if it is only a lit surface.
const view_layered *view_find_layered(const view_layers *layers, uint32_t mesh);

// Sets those members of a material that the first evaluated lit layer defines. With `maps`, they
// include the normal and the specular map.
void view_apply_lit_layer(const view_layers *layers, uint32_t mesh, bool maps,
                          md5gl_material *material);

// -- Deforms (deforms.c) -------------------------------------------------------------------------
//
// A material can deform its mesh for each frame, for example to turn sprites to the camera.
// md5material.h describes the deforms.

// Sets the deforms of a model. Notes and logs deforms that are not supported. `layers` must not
// move until the model is destroyed, because the model refers to it.
void view_set_deforms(view_layers *layers, md5gl_renderer *renderer, md5gl_model *drawn,
                      const md5_model *model, view_log *log);

// Sets the view in world space for which meshes are deformed. Call it before the model is posed
// with placements[num_placements]; NULL: the identity. The placements must remain valid while the
// model is drawn. They may only rotate, move and scale uniformly.
void view_set_deform_view(const view_layers *layers, const md5_deform_view *view,
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
    float mask_factor;     // multiplies the masks
    md5gl_texture texture; // 0: the texture could not be read, and the error was logged
    uint32_t width;
    uint32_t height;
    bool has_holes; // a diffuse map with transparent texels
} view_texture;

// The textures of a mesh. They are elements of view_textures.loaded.
typedef struct view_mesh_textures {
    const view_texture *maps[MD5GL_NUM_IMAGE_KINDS]; // NULL: none
    // Images of an animated texture, in Quake ten per second. The first image is the texture.
    const view_texture *images[MD5_MAX_QUAKE_IMAGES]; // [num_images]
    uint32_t num_images;
    bool two_sided;                          // the material or the search requires both sides
    bool is_selected[MD5GL_NUM_IMAGE_KINDS]; // true: an option selects the map for this mesh only
    float alpha_test;                        // threshold of the material file, 0 = none
    bool opaque;                             // true: the material ignores alpha
    bool is_unmeasured;                      // see view_is_unmeasured()
    view_look look;                          // result of the search
} view_mesh_textures;

typedef struct view_textures {
    view_texture **loaded; // each file or image of the game once per use
    size_t num_loaded;
    uint32_t num_meshes;
    view_mesh_textures *meshes;     // [num_meshes]
    view_package **outfit_packages; // [num_outfit_packages] packages of attached outfits
    size_t num_outfit_packages;
    view_package *package; // package that declares the materials of the layers, or NULL
    view_layers layers;    // material stages
} view_textures;

// Options and services that all loading functions need.
typedef struct view_loader {
    const view_options *options;
    md5gl_renderer *renderer; // NULL: nothing is drawn or uploaded
    view_log *log;
    view_prefetch *ahead; // images that may already be decoded, or NULL
} view_loader;

// A model whose textures are loaded, and the sources of its textures.
typedef struct view_texture_sources {
    const md5_model *model;
    const char *path; // path of its file, or address in a game
    md5_game *game;   // game that contains it, or NULL
    // [num_cfg_looks] Appearance that an md5.cfg of Cube 2 defines for each mesh, or NULL.
    const view_look *cfg_looks;
    uint32_t num_cfg_looks;
    const view_options *options;            // textures that options select; NULL: none
    const convert_scene *outfit_conversion; // models that were merged into it, or NULL
    const char *file; // file of the model, if `path` is the machine that plays it
} view_texture_sources;

// State of loading the textures of a model. The current mesh is search.mesh.
typedef struct view_texture_task {
    view_textures *textures;
    md5gl_renderer *renderer;
    view_log *log;
    view_prefetch *ahead;    // from the loader
    md5_game *game;          // game that declares the material of the mesh, or NULL
    view_look_search search; // .package is NULL if there is nothing to search
} view_texture_task;

// Reads the material that the game declares for a shader of the mesh. If the material is more than
// a lit surface, adds its layers. Loads the images of its stages, and logs unsupported stages. Does
// nothing if the material is not declared. The game must outlive the textures. Returns true if the
// material has layers and no diffuse map.
bool view_add_layers(const view_texture_task *task, const char *shader);

// Finds and loads the textures of all meshes. The sources, in the order of their priority, are the
// options, view_texture_sources.cfg_looks, and view_find_look(). Further maps are searched next to
// the found textures. Logs a warning for each mesh without a texture. Returns false and logs an
// error if the options name a mesh that does not exist or a file that cannot be read. Uses the
// options of `sources`, not those of the loader.
bool view_load_textures(view_textures *textures, const view_loader *loader,
                        const view_texture_sources *sources);

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

// Returns the material of a mesh at a time in seconds: its texture or the checker texture. With
// `maps`, it includes the other maps. With `layers`, it includes what the evaluated material
// defines for the first lit layer. A texture with holes makes the material two-sided, because its
// back sides can be seen through the holes.
md5gl_material view_mesh_material(const view_textures *textures, const md5gl_renderer *renderer,
                                  uint32_t mesh, bool maps, bool layers, double time);

// Returns true if a mesh is ignored in the bounds of a model with other meshes. This applies to a
// mesh whose material has no stages: skins hide parts by such materials. It also applies to an eye.
// A triangle that is not drawn marks its direction. In Doom 3's heads, this triangle is 64 units in
// front of the eye.
static inline bool view_is_unmeasured(const view_textures *textures, uint32_t mesh)
{
    return mesh < textures->num_meshes && textures->meshes[mesh].is_unmeasured;
}

// Returns the image of a map of a mesh as it was loaded, or NULL.
const view_texture *view_mesh_image(const view_textures *textures, uint32_t mesh,
                                    md5gl_image_kind map);

// Returns the result of the search for a mesh's texture. It is empty if the options select one.
const view_look *view_mesh_look(const view_textures *textures, uint32_t mesh);

// -- Images (images.c, cube_maps.c) --------------------------------------------------------------

// Loads a file as a map of the mesh, unless it is already loaded. `selected` is true if an option
// selects the file. Returns its texture; see load_texture() in images.c for failures.
const view_texture *view_load_texture_file(const view_texture_task *task, md5gl_image_kind map,
                                           const char *path, bool selected);

// Sets a map of the mesh unless the mesh has one. Does nothing if the path is NULL.
void view_set_map(const view_texture_task *task, view_texture desc);

// Loads the image of a stage as a map of a lit surface or, for MD5GL_NUM_IMAGE_KINDS, as the stage
// samples it. Returns 0 if it cannot be loaded.
md5gl_texture view_load_stage(const view_texture_task *task, const md5_stage *stage,
                              md5gl_image_kind map);

// Reads and uploads a cube map. Returns 0 and fills `error` on failure.
md5gl_texture view_upload_cube(md5gl_renderer *renderer, md5_game *game, const md5_stage *stage,
                               md5_error *error);

// -- Properties of materials and stages (stages.c) -----------------------------------------------

// Returns true if no earlier stage of the material has the same kind, such as diffuse. A mesh has
// one map per kind, which is the texture of this first stage.
bool view_is_first_stage(const md5_material *material, const md5_stage *stage);

// Returns the value of a register if it never changes, otherwise 0. The registers before
// MD5_FIRST_REGISTER are the inputs of a material: the time and the parms. The results of
// operations can change with them.
float view_constant_value(const md5_material *material, uint32_t reg);

// Returns true if a stage reflects light: it is a bump, diffuse or specular map.
bool view_is_lit_stage(const md5_stage *stage);

// Returns true if a stage cuts holes into the surface, by discarding pixels whose alpha is too
// small. As in the engine, only stages of perforated materials do this.
bool view_tests_alpha(const md5_material *material, const md5_stage *stage);

// Returns true if a lit surface can do the alpha test of a stage itself
// (md5gl_material.alpha_test), so that the stage need not be drawn. The stage must be always on,
// and test the alpha of the diffuse map with a constant threshold. The map must not be moved or
// scaled.
bool view_is_alpha_test_of_lit_surface(const md5_material *material, const md5_stage *stage);

// Returns true if a surface is a decal on another surface.
bool view_is_decal(const md5_material *material);

// Returns true if a stage cuts holes that md5gl_draw_model() cannot cut, so that the surface must
// be drawn by md5gl_draw_stages().
bool view_needs_stages_to_cut(const md5_material *material, const md5_stage *stage);

// -- Saving (mtr.c) ------------------------------------------------------------------------------
//
// Textures are saved as declarations of materials. The names of the images are relative to the
// folder of the package. Without a package, they are relative to the folder of the model.

// Returns the path of the file in the folder "materials" of that folder, to be freed. Returns NULL
// if the model is in an archive.
char *view_materials_path(const view_textures *textures);

// Writes a material for the shader of each mesh to this file. Logs a warning for each mesh and each
// map that is skipped. Returns the number of written materials.
uint32_t view_save_materials(const view_textures *textures, const md5_model *model, view_log *log);

// -- Pixels of maps (images.c) -------------------------------------------------------------------

// Converts the masks of a Cube 2 model. Their channels have the same meaning as in Sauerbraten's
// models: red is the specular intensity, green the glow in the color of the texture, and blue the
// reflection. Replaces the masks by a map. If `glowing`, the texture that glows, is not NULL, this
// is a glow map. Otherwise it is a specular map. Multiplies the result by `factor` from 0 to 1. The
// sizes of the images may differ.
void view_apply_masks(view_image *masks, const view_image *glowing, float factor);

// -- Uploading models ----------------------------------------------------------------------------

// Creates a model on the GPU with the skinning method of the options. If this method is not
// available, logs a warning and uses another. Returns NULL and logs an error on failure.
md5gl_model *view_create_model(const view_loader *loader, const md5_model *model);

// Creates a model on the GPU with its textures and the deforms of its materials. Returns false and
// logs an error on failure; otherwise the caller frees both.
bool view_upload(const view_loader *loader, const view_texture_sources *sources,
                 md5gl_model **drawn, view_textures *textures);

// == Environment light, for --environment ======================================================

// A panorama that lights the scene.
typedef struct view_environment {
    md5gl_environment *light; // to be destroyed; NULL: none
    float exposure;           // factor that makes its mean as bright as the studio
    md5_vec3 brightest;       // unit direction from which most of its light comes
} view_environment;

// Replaces the environment by the panorama of a file. On failure logs an error and changes nothing.
bool view_load_environment(view_environment *environment, md5gl_renderer *renderer,
                           const char *path, view_log *log);

#endif
