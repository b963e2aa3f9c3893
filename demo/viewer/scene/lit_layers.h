// What the lit stages of a material draw, as in the engine: each layer is a bump map with the
// diffuse and the specular map behind it, of the stages that are on. The light of all layers is
// added.
#ifndef DEMO_VIEWER_SCENE_LIT_LAYERS_H
#define DEMO_VIEWER_SCENE_LIT_LAYERS_H

#include "demo/viewer/scene/layer_textures.h"

typedef struct view_lit_layers {
    md5gl_texture *textures; // [material->num_stages] of lit stages, if there may be two layers
    md5gl_material *shown;   // [material->num_stages] see view_choose_lit_layers()
    uint32_t num_shown;
    bool lacks_diffuse; // the mesh's own diffuse map is missing, so that it reflects nothing
} view_lit_layers;

// Loads the textures of layers beyond the first.
void view_load_lit_layers(view_lit_layers *lit, view_layer_textures *textures,
                          md5gl_renderer *renderer, md5_game *game, const md5_material *material,
                          view_log *log);
void view_free_lit_layers(view_lit_layers *lit);

// Whether the colour of a lit stage is not always white, or it reads vertex colours.
bool view_is_painted(const md5_material *material, const md5_stage *stage);

// Writes lit->shown from evaluated registers. In the first layer a texture of 0 is the mesh's own
// map, and a specular_color of 0 means no specular map at all.
void view_choose_lit_layers(view_lit_layers *lit, const md5_material *material,
                            const float *registers);

#endif
