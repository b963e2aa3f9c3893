// What the materials of a game folder draw besides lit surfaces: the stages of each mesh, evaluated
// for every picture.
#ifndef DEMO_VIEWER_SCENE_LAYERS_H
#define DEMO_VIEWER_SCENE_LAYERS_H

#include "demo/viewer/scene/lit_layers.h"
#include "md5/md5game.h"

// A mesh that is not just a lit surface.
typedef struct view_layered {
    uint32_t mesh;
    const md5_material *material; // of the game
    float *registers;             // [material->num_registers]
    md5gl_texture *textures;      // [material->num_stages] 0: the stage is not shown
    md5gl_texture bump;           // that reflections use, or 0
    view_lit_layers lit;
    md5gl_stage *stages;      // [material->num_stages] those that are on come first
    uintptr_t flags;          // of its md5gl_material
    const md5_table *table;   // of its deform, or NULL
    const md5_mesh *deformed; // what its deform forms; NULL: not shown, or it has none
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
    view_layer_textures textures;
    view_layer_note *notes; // [num_notes] by mesh
    size_t num_notes;
    uint32_t read; // what materials depend on: bit 0 time, bit 1 + N parm N
} view_layers;

// What can be taken over for the lit surface of a mesh.
typedef struct view_layer_surface {
    bool is_declared; // then the rest holds
    bool two_sided;
    bool is_cut;      // its own diffuse map cuts it out; else it is opaque
    float alpha_test; // of that
    bool is_staged;   // has no diffuse map
} view_layer_surface;

// Notes what is not shown of a layered mesh; `text` belongs to the layers then.
void view_note_layer(view_layers *layers, const view_layered *layered, char *text, view_log *log);

// Adds a mesh whose shader is a material that the game declares, unless that is just a lit surface.
// Loads the pictures of its stages. Logs which of its stages are not shown, and why. The game must
// outlive the layers.
view_layer_surface view_add_layers(view_layers *layers, md5gl_renderer *renderer, md5_game *game,
                                   uint32_t mesh, const char *shader, view_log *log);

// Says that the diffuse map of a mesh could not be loaded.
void view_lack_diffuse(view_layers *layers, uint32_t mesh);

// Ends adding: sorts the meshes. `num_meshes` of the model.
void view_sort_layers(view_layers *layers, uint32_t num_meshes);
void view_free_layers(view_layers *layers, md5gl_renderer *renderer);

// Evaluates all materials: writes lists and flags. Allocates nothing.
void view_evaluate_layers(const view_layers *layers, const md5_material_input *input);

// Returns a mesh, or NULL if it is just a lit surface.
const view_layered *view_find_layered(const view_layers *layers, uint32_t mesh);

// Flags of a mesh's md5gl_material, without those of vertex colours.
uintptr_t view_layer_flags(const view_layers *layers, uint32_t mesh);

// Adds what the evaluated material says of the first lit layer; `maps`: of normals and shine, too.
void view_paint_layer(const view_layers *layers, uint32_t mesh, bool maps,
                      md5gl_material *material);

#endif
