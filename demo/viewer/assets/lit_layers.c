// Selects the lit layers of a material: the bump, diffuse and specular stages that are on.
#include "demo/viewer/assets/textures.h"

#include <float.h>

bool view_reflects(md5_vec3 color)
{
    return color.x != 0 || color.y != 0 || color.z != 0;
}

// Returns the color of a stage for md5gl_material, or 0, 0, 0 if the stage reflects no light. Sets
// *texture to the texture of the stage, or to 0 if the stage uses the map of the mesh. In the first
// lit layer, the first stage of each kind does so.
static md5_vec3 reflect(const view_lit_layers *lit, const md5_material *material,
                        const md5_stage *stage, const float *registers, md5gl_texture *texture)
{
    const md5_vec3 none = {0, 0, 0};
    if (stage == NULL)
        return none;
    const md5_vec3 color = {registers[stage->color[0]], registers[stage->color[1]],
                            registers[stage->color[2]]};
    const bool has_positive = color.x > 0 || color.y > 0 || color.z > 0;
    if (!has_positive)
        return none;

    const bool uses_mesh_map = lit->num_shown == 0 && view_is_first_stage(material, stage);
    if (uses_mesh_map) {
        const bool is_missing = stage->light == MD5_STAGE_DIFFUSE && lit->lacks_diffuse;
        *texture = 0;
        return is_missing ? none : color;
    }
    *texture = lit->textures[stage - material->stages];
    return *texture == 0 ? none : color;
}

// Adds a lit layer to lit->shown, unless it reflects no light. parts[kind] is the stage of the
// layer for a kind of map (bump, diffuse or specular), or NULL. There is always a bump stage.
static void add_lit_layer(view_lit_layers *lit, const md5_material *material,
                          const md5_stage *const *parts, md5_vertex_color vertex_color,
                          const float *registers)
{
    static const md5_vec3 black = {FLT_MIN, FLT_MIN, FLT_MIN}; // 0, 0, 0 would be white
    const md5_stage *const bump = parts[MD5_STAGE_BUMP];
    md5gl_material layer = {
        .no_vertex_color = vertex_color == MD5_VERTEX_COLOR_IGNORE,
        .inverse_vertex_color = vertex_color == MD5_VERTEX_COLOR_INVERSE,
    };
    const bool uses_mesh_normals = lit->num_shown == 0 && view_is_first_stage(material, bump);
    if (!uses_mesh_normals)
        layer.normals = lit->textures[bump - material->stages];
    layer.diffuse_color =
        reflect(lit, material, parts[MD5_STAGE_DIFFUSE], registers, &layer.diffuse);
    layer.specular_color =
        reflect(lit, material, parts[MD5_STAGE_SPECULAR], registers, &layer.specular);

    const bool has_diffuse = view_reflects(layer.diffuse_color);
    const bool has_specular = view_reflects(layer.specular_color);
    if (!has_diffuse && !has_specular)
        return;
    if (!has_diffuse)
        layer.diffuse_color = black;
    lit->shown[lit->num_shown++] = layer;
}

// Groups the stages of a Doom 3 material to lit layers, as the engine does. Each layer has a bump,
// a diffuse and a specular map.
void view_select_lit_layers(view_lit_layers *lit, const md5_material *material,
                            const float *registers)
{
    const md5_stage *parts[MD5_STAGE_SPECULAR + 1] = {NULL}; // stages of the layer, by their kind
    // The use of vertex colors in the last stage of the layer.
    md5_vertex_color vertex_color = MD5_VERTEX_COLOR_IGNORE;
    lit->num_shown = 0;
    // Only lights of the same spectrum light a surface. The viewer has no lights of another
    // spectrum.
    if (material->spectrum != 0)
        return;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        const bool is_on = registers[stage->condition] != 0;
        if (stage->light == MD5_STAGE_AMBIENT || !is_on)
            continue;
        // A bump stage begins a new layer, and so does a second stage of the same kind. As in the
        // engine, a layer that has no bump map yet continues.
        const bool begins_layer = stage->light == MD5_STAGE_BUMP;
        const bool is_end_of_layer = begins_layer || parts[stage->light] != NULL;
        if (parts[MD5_STAGE_BUMP] != NULL && is_end_of_layer)
            add_lit_layer(lit, material, parts, vertex_color, registers);
        if (begins_layer)
            memset(parts, 0, sizeof parts);
        else
            vertex_color = stage->vertex_color;
        parts[stage->light] = stage;
    }
    if (parts[MD5_STAGE_BUMP] != NULL) // the last layer
        add_lit_layer(lit, material, parts, vertex_color, registers);
}
