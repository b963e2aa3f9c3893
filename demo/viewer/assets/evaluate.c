// Evaluates the materials of meshes at a time: lists the stages that are on, and selects how the
// surface is drawn.
#include "demo/viewer/assets/textures.h"

// Source and target factor of the codes in the lowest eight bits of md5_stage.bits. Unknown codes
// have the factors of code 0.
enum { NUM_CODES = 10 };
static const md5gl_factor factors[NUM_CODES][2] = {
    {MD5GL_FACTOR_ONE, MD5GL_FACTOR_ZERO},
    {MD5GL_FACTOR_ZERO, MD5GL_FACTOR_ONE},
    {MD5GL_FACTOR_ZERO, MD5GL_FACTOR_ONE},
    {MD5GL_FACTOR_TARGET_COLOR, MD5GL_FACTOR_SOURCE_COLOR},
    {MD5GL_FACTOR_ONE_MINUS_TARGET_COLOR, MD5GL_FACTOR_ONE_MINUS_SOURCE_COLOR},
    {MD5GL_FACTOR_SOURCE_ALPHA, MD5GL_FACTOR_SOURCE_ALPHA},
    {MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA, MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA},
    {MD5GL_FACTOR_TARGET_ALPHA, MD5GL_FACTOR_TARGET_ALPHA},
    {MD5GL_FACTOR_ONE_MINUS_TARGET_ALPHA, MD5GL_FACTOR_ONE_MINUS_TARGET_ALPHA},
    {MD5GL_FACTOR_SOURCE_ALPHA_SATURATE, MD5GL_FACTOR_ZERO},
};

static md5gl_factor source_factor(uint32_t code)
{
    return factors[code < NUM_CODES ? code : 0][0];
}

static md5gl_factor target_factor(uint32_t code)
{
    return factors[code < NUM_CODES ? code : 0][1];
}

static const md5gl_texgen texgens[] = {
    [MD5_TEXGEN_NORMAL] = MD5GL_TEXGEN_NORMAL,  [MD5_TEXGEN_REFLECT] = MD5GL_TEXGEN_REFLECT,
    [MD5_TEXGEN_SKYBOX] = MD5GL_TEXGEN_SKYBOX,  [MD5_TEXGEN_SCREEN] = MD5GL_TEXGEN_SCREEN,
    [MD5_TEXGEN_SCREEN2] = MD5GL_TEXGEN_SCREEN, [MD5_TEXGEN_GLASS_WARP] = MD5GL_TEXGEN_MESH,
};

static const float offset_units = -600; // depth units for a polygonOffset of 1: r_offsetUnits

// Converts an active stage for the renderer: its texture, blending and color, with the current
// values of its expressions.
static md5gl_stage drawn_stage(const view_layered *layered, uint32_t index)
{
    const md5_stage *const stage = &layered->material->stages[index];
    const float *const registers = layered->registers;
    // A lit stage is in the list only because of its alpha test, so it has the factors of code 1.
    const uint32_t source = view_is_lit_stage(stage) ? 1 : stage->bits & 15;
    const uint32_t target = view_is_lit_stage(stage) ? 1 : stage->bits >> 4 & 15;
    md5gl_stage drawn = {
        .texture = layered->textures[index],
        .source = source_factor(source),
        .target = target_factor(target),
        .has_matrix = stage->has_matrix,
        .vertex_color = (md5gl_vertex_color)stage->vertex_color, // same order
        .is_tested = view_tests_alpha(layered->material, stage),
        .alpha_test = registers[stage->alpha_test],
        .masked = stage->bits / MD5_STAGE_NO_RED & 15, // in the order of md5gl_mask
        .writes_depth = !view_is_lit_stage(stage) && !(stage->bits & MD5_STAGE_NO_DEPTH),
        .depth_equal = (stage->bits & MD5_STAGE_DEPTH_EQUAL) != 0,
        .depth_offset = offset_units * stage->polygon_offset,
        .texgen = texgens[stage->texgen],
        .normals = layered->bump,
    };
    for (int c = 0; c < 4; c++)
        drawn.color[c] = registers[stage->color[c]];
    if (stage->has_matrix)
        md5_stage_matrix(stage, registers, drawn.matrix);
    return drawn;
}

// Properties of a material's active stages. A stage has a condition, which is an expression that
// depends on the time and the parms. The stage is active while its condition is not 0.
typedef struct stage_summary {
    bool has_active; // at least one stage is active
    bool is_cut;     // an active stage cuts holes that a lit surface cannot have
} stage_summary;

// Fills list->stages with the active stages of a material that have a texture, and returns a
// summary of all active stages.
static stage_summary list_active_stages(view_layered *layered, md5gl_stage_list *list)
{
    stage_summary summary = {.has_active = false};
    const md5_material *const material = layered->material;
    for (uint32_t k = 0; k < material->num_stages; k++) {
        const md5_stage *const stage = &material->stages[k];
        if (layered->registers[stage->condition] == 0)
            continue;
        summary.has_active = true;
        summary.is_cut = summary.is_cut || view_needs_stages_to_cut(material, stage);
        if (layered->textures[k] != 0)
            layered->stages[list->num_stages++] = drawn_stage(layered, k);
    }
    return summary;
}

// Returns the base, the surface that is drawn below the stages of a material. As in the engine,
// opaque surfaces are black below their stages, and light is added to the background of translucent
// surfaces. If `is_cut`, the lit surface is drawn together with the stages. If `is_lost`, the
// surface is invisible, because it is a decal without images.
static md5gl_base stage_base(const md5_material *material, bool has_light, bool has_active,
                             bool is_cut, bool is_lost)
{
    if (material->coverage == MD5_COVERAGE_TRANSLUCENT)
        return has_light ? MD5GL_BASE_ADDED : MD5GL_BASE_NONE;
    if (!has_active || is_lost)
        return MD5GL_BASE_NONE;
    if (has_light)
        return is_cut ? MD5GL_BASE_LIT : MD5GL_BASE_NONE;
    return MD5GL_BASE_BLACK;
}

// Evaluates the expressions of a mesh's material; their values are its registers. Fills `list` with
// the active stages and the active lit layers.
static stage_summary evaluate_material(view_layered *layered, const md5_material_input *input,
                                       md5gl_stage_list *list)
{
    const md5_material *const material = layered->material;
    md5_evaluate_material(material, input, layered->registers);
    *list = (md5gl_stage_list){
        .mesh = layered->mesh,
        .cull = material->creates_back_sides ? MD5GL_CULL_NONE
                                             : (md5gl_cull)material->cull, // same order
        .stages = layered->stages,
    };
    const stage_summary summary = list_active_stages(layered, list);
    view_select_lit_layers(&layered->lit, material, layered->registers);
    // md5gl_draw_model() draws the first lit layer, the list contains the others.
    if (layered->lit.num_shown > 1) {
        list->lit_layers = layered->lit.shown + 1;
        list->num_lit_layers = layered->lit.num_shown - 1;
    }
    return summary;
}

// Evaluates the material of a mesh, fills its list of stages, and selects the function that draws
// its surface. md5gl_draw_model() can draw a surface with one lit layer, visible front sides and no
// depth offset. It cuts holes only by the alpha of the diffuse map. md5gl_draw_stages() draws all
// other surfaces (layered->is_staged).
static void evaluate_layered(view_layered *layered, md5gl_stage_list *list,
                             const md5_material_input *input)
{
    const md5_material *const material = layered->material;
    const stage_summary summary = evaluate_material(layered, input, list);
    const bool is_translucent = material->coverage == MD5_COVERAGE_TRANSLUCENT;
    const bool has_light = layered->lit.num_shown > 0;

    // Opaque surfaces that md5gl_draw_model() cannot draw are treated like surfaces with holes.
    const bool shows_back_sides = list->cull == MD5GL_CULL_FRONT;
    const bool has_more_layers = list->num_lit_layers > 0;
    const bool needs_stages = material->has_polygon_offset || has_more_layers || shows_back_sides;
    const bool is_cut = summary.is_cut || (needs_stages && !is_translucent);
    layered->is_opaque = is_cut;
    layered->is_staged = is_translucent || !has_light || is_cut;

    // A surface that its stages cut has the shadow of these stages. Its diffuse map must not cut it
    // again.
    const bool has_shadow = material->force_shadows || (!material->no_shadows && !is_translucent);
    const bool is_lost = view_is_decal(material) && list->num_stages == 0 && !has_light;
    layered->no_shadow = !has_shadow || is_cut || is_lost;
    list->casts_shadow = has_shadow && is_cut;
    list->base = stage_base(material, has_light, summary.has_active, is_cut, is_lost);

    // md5gl_draw_model() tests the alpha of this surface itself and uses no depth offset, so its
    // stages do neither.
    if (!layered->is_staged) {
        for (uint32_t k = 0; k < list->num_stages; k++)
            layered->stages[k].is_tested = false;
    } else if (material->has_polygon_offset) {
        list->depth_offset = offset_units * material->polygon_offset;
    }
}

void view_evaluate_layers(const view_layers *layers, const md5_material_input *input)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        evaluate_layered(&layers->meshes[i], &layers->lists[i], input);
}

const view_layered *view_find_layered(const view_layers *layers, uint32_t mesh)
{
    if (layers->num_meshes == 0)
        return NULL;
    const uint32_t number = layers->entry_numbers[mesh]; // 1 + index, or 0
    return number > 0 ? &layers->meshes[number - 1] : NULL;
}

// Applies the first lit layer of a mesh's game material to the material with which the mesh is
// drawn. A layer is a normal map with a diffuse and a specular map; see "Lit layers" in
// textures.h. Without a lit layer, sets only the flags of the material. With a layer, the use of
// vertex colors and the colors are replaced. A map is replaced only if the layer has one, so a map
// that the caller has set remains. A layer without a specular color removes the specular map.
// Normal and specular maps are applied only if `maps` is true. Does nothing if the mesh does not
// have a game material.
void view_apply_lit_layer(const view_layers *layers, uint32_t mesh, bool maps,
                          md5gl_material *material)
{
    const view_layered *const layered = view_find_layered(layers, mesh);
    if (layered == NULL)
        return;
    material->is_staged = layered->is_staged;
    material->no_shadow = layered->no_shadow;
    material->is_opaque = material->is_opaque || layered->is_opaque;
    if (layered->lit.num_shown == 0)
        return;
    const md5gl_material *const first = &layered->lit.shown[0];
    material->no_vertex_color = first->no_vertex_color;
    material->inverse_vertex_color = first->inverse_vertex_color;
    material->diffuse_color = first->diffuse_color;
    material->specular_color = first->specular_color;
    if (first->diffuse != 0)
        material->diffuse = first->diffuse;
    if (maps && first->normals != 0)
        material->normals = first->normals;
    if (maps && (first->specular != 0 || !view_reflects(first->specular_color)))
        material->specular = first->specular;
}
