#include "demo/viewer/scene/lit_layers.h"

#include "demo/common/memory.h"

#include <stdlib.h>

// Whether a stage is the first one of its kind, whose texture the mesh itself has.
static bool is_first(const md5_material *material, const md5_stage *stage)
{
    const md5_stage *first = material->stages;
    while (first->light != stage->light)
        first++;
    return first == stage;
}

void view_load_lit_layers(view_lit_layers *lit, view_layer_textures *textures,
                          md5gl_renderer *renderer, md5_game *game, const md5_material *material,
                          view_log *log)
{
    bool is_single = true;
    *lit = (view_lit_layers){.textures = common_alloc(material->num_stages, sizeof *lit->textures),
                             .shown = common_alloc(material->num_stages, sizeof *lit->shown)};
    for (uint32_t i = 0; i < material->num_stages; i++)
        is_single = is_single
                    && (material->stages[i].light == MD5_STAGE_AMBIENT
                        || is_first(material, &material->stages[i]));
    for (uint32_t i = 0; i < material->num_stages && !is_single; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (stage->light != MD5_STAGE_AMBIENT)
            lit->textures[i] = view_load_layer(textures, renderer, game, stage, false, log);
    }
}

void view_free_lit_layers(view_lit_layers *lit)
{
    free(lit->textures);
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

// -- Layers -----------------------------------------------------------------------------------

// The stages of a layer by their light; NULL: none.
typedef struct lit_walk {
    const md5_stage *stages[MD5_STAGE_SPECULAR + 1];
    md5_vertex_color vertex_color; // the last stage decides
} lit_walk;

// The colour of a stage for md5gl_material, or 0 if it reflects nothing. Sets *texture.
static uintptr_t reflect(const view_lit_layers *lit, const md5_material *material,
                         const md5_stage *stage, const float *registers, md5gl_texture *texture)
{
    float rgb[3];
    bool is_black = true;
    for (int i = 0; i < 3 && stage != NULL; i++) {
        rgb[i] = registers[stage->color[i]];
        is_black = is_black && !(rgb[i] > 0.0f);
    }
    if (is_black)
        return 0;
    const bool is_own = lit->num_shown == 0 && is_first(material, stage);
    const bool is_missing = stage->light == MD5_STAGE_DIFFUSE && lit->lacks_diffuse;
    *texture = is_own ? 0 : lit->textures[stage - material->stages];
    return (is_own ? is_missing : *texture == 0) ? 0 : md5gl_color(rgb);
}

// Ends a layer. As in the engine it is nothing without a bump map, and keeps its stages.
static void end_layer(view_lit_layers *lit, const md5_material *material, const float *registers,
                      const lit_walk *walk)
{
    static const uintptr_t vertex_flags[] = {MD5GL_NO_VERTEX_COLOR, 0, MD5GL_INVERSE_VERTEX_COLOR};
    static const float black[3] = {0.0f, 0.0f, 0.0f};
    const md5_stage *const bump = walk->stages[MD5_STAGE_BUMP];
    md5gl_material shown = {.flags = vertex_flags[walk->vertex_color]};
    if (bump == NULL)
        return;
    if (lit->num_shown > 0 || !is_first(material, bump))
        shown.normals = lit->textures[bump - material->stages];
    shown.diffuse_color =
        reflect(lit, material, walk->stages[MD5_STAGE_DIFFUSE], registers, &shown.diffuse);
    shown.specular_color =
        reflect(lit, material, walk->stages[MD5_STAGE_SPECULAR], registers, &shown.specular);
    if (shown.diffuse_color == 0 && shown.specular_color == 0)
        return;
    if (shown.diffuse_color == 0)
        shown.diffuse_color = md5gl_color(black);
    lit->shown[lit->num_shown++] = shown;
}

void view_choose_lit_layers(view_lit_layers *lit, const md5_material *material,
                            const float *registers)
{
    lit_walk walk = {.stages = {NULL}};
    lit->num_shown = 0;
    // Another spectrum is lit by lights of that alone.
    for (uint32_t i = 0; i < material->num_stages && material->spectrum == 0; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (stage->light == MD5_STAGE_AMBIENT || registers[stage->condition] == 0.0f)
            continue;
        if (stage->light == MD5_STAGE_BUMP || walk.stages[stage->light] != NULL)
            end_layer(lit, material, registers, &walk);
        if (stage->light == MD5_STAGE_BUMP)
            walk = (lit_walk){.vertex_color = walk.vertex_color};
        else
            walk.vertex_color = stage->vertex_color;
        walk.stages[stage->light] = stage;
    }
    end_layer(lit, material, registers, &walk);
}
