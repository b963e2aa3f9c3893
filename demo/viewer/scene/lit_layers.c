#include "demo/viewer/scene/lit_layers.h"

#include "demo/common/memory.h"

#include <stdlib.h>

void view_load_lit_layers(view_lit_layers *lit, view_layer_textures *textures,
                          md5gl_renderer *renderer, md5_game *game, const md5_material *material,
                          view_log *log)
{
    const md5_stage *bump = NULL;
    uint32_t num_diffuse = 0;
    bool has_specular = false; // the layer that was added last
    *lit = (view_lit_layers){.all = common_alloc(material->num_stages, sizeof *lit->all),
                             .shown = common_alloc(material->num_stages, sizeof *lit->shown)};
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        view_lit_layer *const last = lit->count > 0 ? &lit->all[lit->count - 1] : NULL;
        if (stage->light == MD5_STAGE_BUMP) {
            bump = stage;
            has_specular = true; // what follows belongs to the next layer
        } else if (stage->light == MD5_STAGE_SPECULAR && last != NULL && !has_specular) {
            last->material.specular = view_load_layer(textures, renderer, game, stage, false, log);
            last->specular = stage;
            has_specular = true;
        } else if (stage->light == MD5_STAGE_DIFFUSE && num_diffuse++ > 0) {
            view_lit_layer added = {.condition = stage->condition, .diffuse = stage};
            added.material.flags = view_lit_vertex_color(material);
            added.material.diffuse = view_load_layer(textures, renderer, game, stage, false, log);
            if (bump != NULL && added.material.diffuse != 0)
                added.material.normals =
                    view_load_layer(textures, renderer, game, bump, false, log);
            has_specular = added.material.diffuse == 0;
            if (added.material.diffuse != 0)
                lit->all[lit->count++] = added;
        }
    }
}

void view_free_lit_layers(view_lit_layers *lit)
{
    free(lit->all);
    free(lit->shown);
    *lit = (view_lit_layers){0};
}

bool view_is_painted(const md5_material *material, const md5_stage *stage)
{
    bool is_white = stage->vertex_color == MD5_VERTEX_COLOR_IGNORE;
    if (stage->light != MD5_STAGE_DIFFUSE && stage->light != MD5_STAGE_SPECULAR)
        return false;
    for (int i = 0; i < 3; i++) {
        const uint32_t reg = stage->color[i];
        bool computed = reg < MD5_FIRST_REGISTER;
        for (uint32_t k = 0; k < material->num_ops; k++)
            computed = computed || material->ops[k].result == reg;
        is_white = is_white && !computed && material->registers[reg] >= 1.0f;
    }
    return !is_white;
}

static uintptr_t color_of(const md5_stage *stage, const float *registers)
{
    float rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = registers[stage->color[i]];
    return md5gl_color(rgb);
}

void view_paint_first_layer(const md5_material *material, const float *registers,
                            uintptr_t colors[2])
{
    colors[0] = colors[1] = 0;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        const bool is_specular = stage->light == MD5_STAGE_SPECULAR;
        if (registers[stage->condition] == 0.0f || colors[is_specular] != 0
            || (stage->light != MD5_STAGE_DIFFUSE && !is_specular))
            continue;
        colors[is_specular] = color_of(stage, registers);
    }
}

uintptr_t view_lit_vertex_color(const md5_material *material)
{
    md5_vertex_color mode = MD5_VERTEX_COLOR_IGNORE;
    for (uint32_t i = 0; i < material->num_stages; i++)
        if (material->stages[i].light == MD5_STAGE_DIFFUSE
            || material->stages[i].light == MD5_STAGE_SPECULAR)
            mode = material->stages[i].vertex_color;
    if (mode == MD5_VERTEX_COLOR_INVERSE)
        return (uintptr_t)MD5GL_INVERSE_VERTEX_COLOR;
    return mode == MD5_VERTEX_COLOR_MODULATE ? 0 : (uintptr_t)MD5GL_NO_VERTEX_COLOR;
}

uint32_t view_choose_lit_layers(const view_lit_layers *lit, const float *registers)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < lit->count; i++) {
        const view_lit_layer *const layer = &lit->all[i];
        if (registers[layer->condition] == 0.0f)
            continue;
        md5gl_material *const shown = &lit->shown[count++];
        *shown = layer->material;
        shown->diffuse_color = color_of(layer->diffuse, registers);
        shown->specular_color = layer->specular ? color_of(layer->specular, registers) : 0;
    }
    return count;
}
