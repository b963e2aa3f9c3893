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
            has_specular = true;
        } else if (stage->light == MD5_STAGE_DIFFUSE && num_diffuse++ > 0) {
            view_lit_layer added = {.condition = stage->condition};
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

uint32_t view_choose_lit_layers(const view_lit_layers *lit, const float *registers)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < lit->count; i++)
        if (registers[lit->all[i].condition] != 0.0f)
            lit->shown[count++] = lit->all[i].material;
    return count;
}
