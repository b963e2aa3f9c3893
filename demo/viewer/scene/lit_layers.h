// Lit layers of a material beyond its first: each diffuse map has its own, with the bump map before
// it and the specular map behind it. Their light is added.
#ifndef DEMO_VIEWER_SCENE_LIT_LAYERS_H
#define DEMO_VIEWER_SCENE_LIT_LAYERS_H

#include "demo/viewer/scene/layer_textures.h"

typedef struct view_lit_layer {
    md5gl_material material;
    uint32_t condition;                  // register of its diffuse stage: 0 = off
    const md5_stage *diffuse, *specular; // specular: NULL if it has none
} view_lit_layer;

typedef struct view_lit_layers {
    view_lit_layer *all; // [count]
    uint32_t count;
    md5gl_material *shown; // [count] those that are on come first
} view_lit_layers;

// Loads what a material has of them. A layer whose diffuse map cannot be shown is left out.
void view_load_lit_layers(view_lit_layers *lit, view_layer_textures *textures,
                          md5gl_renderer *renderer, md5_game *game, const md5_material *material,
                          view_log *log);
void view_free_lit_layers(view_lit_layers *lit);

// Whether the colour of a lit stage is not always white, or it reads vertex colours.
bool view_is_painted(const md5_material *material, const md5_stage *stage);

// Writes the colours of the first diffuse and the first specular stage that are on, from evaluated
// registers, for md5gl_material; 0 if there is none.
void view_paint_first_layer(const md5_material *material, const float *registers,
                            uintptr_t colors[2]);

// What the lit stages do with vertex colours, as flags of md5gl_material: as in the engine, the
// last diffuse or specular stage decides.
uintptr_t view_lit_vertex_color(const md5_material *material);

// Writes lit->shown from evaluated registers; returns how many are on.
uint32_t view_choose_lit_layers(const view_lit_layers *lit, const float *registers);

#endif
