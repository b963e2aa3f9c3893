#include "demo/viewer/scene/layers.h"

#include "demo/common/memory.h"

#include <stdlib.h>
#include <string.h>

// -- Adding ---------------------------------------------------------------------------------------

// Adds a note, which belongs to the layers then.
static void note(view_layers *layers, uint32_t mesh, const md5_material *material, char *text,
                 view_log *log)
{
    view_info(log, "material %s: %s", material->decl->name, text);
    layers->notes = common_realloc(layers->notes, layers->num_notes + 1, sizeof *layers->notes);
    layers->notes[layers->num_notes++] = (view_layer_note){mesh, text};
}

void view_note_layer(view_layers *layers, const view_layered *layered, char *text, view_log *log)
{
    note(layers, layered->mesh, layered->material, text, log);
}

// Whether texture coordinates are directions.
static bool needs_cube(md5_texgen texgen)
{
    return texgen == MD5_TEXGEN_NORMAL || texgen == MD5_TEXGEN_REFLECT
           || texgen == MD5_TEXGEN_SKYBOX;
}

// Returns why a stage cannot be shown, to be freed, or NULL.
static char *obstacle_of(const md5_stage *stage)
{
    const md5_stage_program *const program = &stage->program;
    if (program->vertex != NULL || program->fragment != NULL)
        return common_format("program %s",
                             program->vertex != NULL ? program->vertex : program->fragment);
    if (stage->video != NULL)
        return common_format(stage->is_sound_map ? "sound as a picture: %s" : "video %s",
                             stage->video);
    if (stage->dynamic != MD5_IMAGE_STATIC)
        return common_format("view of the world, as a %s",
                             stage->dynamic == MD5_IMAGE_MIRROR   ? "mirror"
                             : stage->dynamic == MD5_IMAGE_REMOTE ? "remote camera"
                                                                  : "xray");
    if (stage->texgen == MD5_TEXGEN_WOBBLE_SKY)
        return common_format("texture coordinates of a wobbling sky");
    if (stage->texgen == MD5_TEXGEN_GLASS_WARP)
        return common_format("texture coordinates of warped glass");
    if ((stage->cube != MD5_IMAGE_2D) != needs_cube(stage->texgen))
        return common_format(needs_cube(stage->texgen) ? "directions without a cube map"
                                                       : "cube map %s without directions",
                             stage->image.text);
    return stage->image.text[0] == '\0' ? common_format("no picture") : NULL;
}

static bool is_lit(const md5_stage *stage)
{
    return stage->light != MD5_STAGE_AMBIENT;
}

// Whether a register never changes.
static bool is_constant(const md5_material *material, uint32_t reg)
{
    bool computed = reg < MD5_FIRST_REGISTER;
    for (uint32_t i = 0; i < material->num_ops; i++)
        computed = computed || material->ops[i].result == reg;
    return !computed;
}

// Whether a stage cuts the surface out, as in the engine: only if that is what covers it.
static bool tests_alpha(const md5_material *material, const md5_stage *stage)
{
    return stage->has_alpha_test && material->coverage == MD5_COVERAGE_PERFORATED;
}

// Whether a lit surface does the same with its diffuse map alone, at all times.
static bool is_usual_cut(const md5_material *material, const md5_stage *stage)
{
    const float *const constants = material->registers;
    return tests_alpha(material, stage) && stage->light == MD5_STAGE_DIFFUSE && !stage->has_matrix
           && is_constant(material, stage->alpha_test) && constants[stage->alpha_test] > 0.0f
           && is_constant(material, stage->condition) && constants[stage->condition] != 0.0f
           && is_constant(material, stage->color[3]) && constants[stage->color[3]] >= 1.0f;
}

// Whether a surface lies on another one.
static bool is_decal(const md5_material *material)
{
    const float decal = 2.0f; // of sort
    return material->has_polygon_offset || material->sort == decal;
}

// Whether a stage cuts the surface out by something else.
static bool cuts_surface(const md5_material *material, const md5_stage *stage)
{
    return tests_alpha(material, stage) && !is_usual_cut(material, stage);
}

// Whether a material draws more, or less, than one lit surface with its bump, diffuse and specular
// map.
static bool has_layers(const md5_material *material)
{
    bool any = material->coverage == MD5_COVERAGE_TRANSLUCENT || material->cull == MD5_CULL_FRONT
               || material->deform != MD5_DEFORM_NONE || is_decal(material) || material->no_shadows
               || material->spectrum != 0;
    uint32_t counts[MD5_STAGE_SPECULAR + 1] = {0};
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        const bool is_on = is_constant(material, stage->condition)
                           && material->registers[stage->condition] != 0.0f;
        any = any || !is_lit(stage) || !is_on || cuts_surface(material, stage)
              || view_is_painted(material, stage) || stage->has_matrix
              || ++counts[stage->light] > 1;
    }
    return any || counts[MD5_STAGE_DIFFUSE] == 0;
}

static bool has_diffuse(const md5_material *material)
{
    for (uint32_t i = 0; i < material->num_stages; i++)
        if (material->stages[i].light == MD5_STAGE_DIFFUSE)
            return true;
    return false;
}

// What is not shown of a material as a whole.
static void report(view_layers *layers, uint32_t mesh, const md5_material *material, view_log *log)
{
    if (material->gui != NULL)
        note(layers, mesh, material, common_format("GUI not shown: %s", material->gui), log);
}

// As in the engine, the first bump stage of a material is also that of its reflections.
static void load_reflected_bump(view_layers *layers, md5gl_renderer *renderer, md5_game *game,
                                view_layered *layered, view_log *log)
{
    const md5_material *const material = layered->material;
    const md5_stage *bump = NULL;
    bool reflects = false;
    for (uint32_t i = material->num_stages; i-- > 0;) {
        reflects = reflects || material->stages[i].texgen == MD5_TEXGEN_REFLECT;
        if (material->stages[i].light == MD5_STAGE_BUMP)
            bump = &material->stages[i];
    }
    if (reflects && bump != NULL)
        layered->bump = view_load_layer(&layers->textures, renderer, game, bump, false, log);
}

// Loads the pictures of the stages. As in the engine, a surface stays what it is without them:
// where an opaque one would show a missing picture, there is a pattern instead, and what would be
// added to or blended with something adds nothing.
static void load_stages(view_layers *layers, md5gl_renderer *renderer, md5_game *game,
                        view_layered *layered, view_log *log)
{
    const md5_material *const material = layered->material;
    const bool is_opaque = material->coverage != MD5_COVERAGE_TRANSLUCENT && !is_decal(material);
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        const bool is_replaced = !is_lit(stage) && (stage->bits & 255) == 0; // one, zero
        if (is_lit(stage) && stage->has_matrix)
            note(layers, layered->mesh, material,
                 common_format("stage %u: lit textures do not move", (unsigned)i + 1), log);
        if (is_lit(stage) && !tests_alpha(material, stage))
            continue;
        char *const obstacle = obstacle_of(stage);
        if (obstacle != NULL) {
            note(layers, layered->mesh, material,
                 common_format("stage %u not shown: %s", (unsigned)i + 1, obstacle), log);
            free(obstacle);
            continue;
        }
        layered->textures[i] = view_load_layer(&layers->textures, renderer, game, stage, true, log);
        if (layered->textures[i] == 0 && is_opaque && is_replaced && stage->cube == MD5_IMAGE_2D)
            layered->textures[i] = md5gl_checker_texture(renderer);
    }
}

static void free_layered(view_layered *layered)
{
    free(layered->registers);
    free(layered->textures);
    free(layered->stages);
    view_free_lit_layers(&layered->lit);
}

static view_layer_surface surface_of(const md5_material *material)
{
    view_layer_surface surface = {.is_declared = true,
                                  .two_sided = material->creates_back_sides
                                               || material->cull == MD5_CULL_NONE};
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (!is_usual_cut(material, stage))
            continue;
        surface.is_cut = true;
        surface.alpha_test = material->registers[stage->alpha_test];
    }
    return surface;
}

static uint32_t read_at(uint32_t reg)
{
    return reg < MD5_REGISTER_GLOBAL0 ? 1u << reg : 0;
}

// The registers of time and parms that a material reads, a bit for each. Constants have others.
static uint32_t registers_read(const md5_material *material)
{
    uint32_t read = 0;
    for (uint32_t i = 0; i < material->num_ops; i++) {
        const md5_material_op *const op = &material->ops[i];
        if (op->kind == MD5_OP_SOUND) // has no operands
            continue;
        read |= read_at(op->b) | (op->kind == MD5_OP_TABLE ? 0 : read_at(op->a));
    }
    for (int i = 0; i < 3 && material->deform != MD5_DEFORM_NONE; i++)
        read |= read_at(material->deform_registers[i]);
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        read |= read_at(stage->condition);
        read |= stage->has_alpha_test ? read_at(stage->alpha_test) : 0;
        for (int k = 0; k < 4; k++)
            read |= read_at(stage->color[k]);
        for (int k = 0; k < 6 && stage->has_matrix; k++)
            read |= read_at(stage->matrix[k / 3][k % 3]);
    }
    return read;
}

view_layer_surface view_add_layers(view_layers *layers, md5gl_renderer *renderer, md5_game *game,
                                   uint32_t mesh, const char *shader, view_log *log)
{
    const view_layer_surface none = {0};
    if (game == NULL || md5_find_decl(game, MD5_DECL_MATERIAL, shader) == NULL)
        return none;
    const md5_material *const material = md5_game_material(game, shader, NULL);
    if (material == NULL || material->decl == NULL)
        return none;
    report(layers, mesh, material, log);
    layers->read |= registers_read(material);
    view_layer_surface surface = surface_of(material);
    if (!has_layers(material))
        return surface;
    const uint32_t count = material->num_stages;
    view_layered layered = {.mesh = mesh, .material = material};
    if (material->deform_decl != NULL)
        layered.table = md5_game_table(game, material->deform_decl, NULL);
    layered.registers = common_alloc(material->num_registers, sizeof *layered.registers);
    layered.textures = common_alloc(count, sizeof *layered.textures);
    layered.stages = common_alloc(count, sizeof *layered.stages);
    view_load_lit_layers(&layered.lit, &layers->textures, renderer, game, material, log);
    load_reflected_bump(layers, renderer, game, &layered, log);
    load_stages(layers, renderer, game, &layered, log);
    layers->meshes = common_realloc(layers->meshes, layers->num_meshes + 1, sizeof *layers->meshes);
    layers->meshes[layers->num_meshes++] = layered;
    surface.is_staged = !has_diffuse(material);
    return surface;
}

void view_lack_diffuse(view_layers *layers, uint32_t mesh)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++) {
        view_layered *const layered = &layers->meshes[i];
        if (layered->mesh == mesh)
            layered->lit.lacks_diffuse = layered->material->coverage == MD5_COVERAGE_TRANSLUCENT
                                         || is_decal(layered->material);
    }
}

static int by_sort(const void *left, const void *right)
{
    const view_layered *const a = left, *const b = right;
    if (a->material->sort != b->material->sort)
        return a->material->sort < b->material->sort ? -1 : 1;
    return a->mesh < b->mesh ? -1 : a->mesh > b->mesh;
}

void view_sort_layers(view_layers *layers, uint32_t num_meshes)
{
    if (layers->num_meshes > 0)
        qsort(layers->meshes, layers->num_meshes, sizeof *layers->meshes, by_sort);
    layers->lists = common_alloc(layers->num_meshes, sizeof *layers->lists);
    layers->places = common_alloc(num_meshes, sizeof *layers->places);
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        layers->places[layers->meshes[i].mesh] = i + 1;
}

void view_free_layers(view_layers *layers, md5gl_renderer *renderer)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        free_layered(&layers->meshes[i]);
    view_free_layer_textures(&layers->textures, renderer);
    free(layers->meshes);
    free(layers->lists);
    free(layers->places);
    for (size_t i = 0; i < layers->num_notes; i++)
        free(layers->notes[i].text);
    free(layers->notes);
    *layers = (view_layers){0};
}

// -- Evaluating -----------------------------------------------------------------------------------

// The factors of the lowest eight bits of md5_stage.bits from code 3 on; for `first` and `second`
// see there.
static md5gl_factor factor_of(uint32_t code, md5gl_factor first, md5gl_factor second)
{
    static const md5gl_factor others[] = {
        MD5GL_FACTOR_TARGET_COLOR,          MD5GL_FACTOR_ONE_MINUS_TARGET_COLOR,
        MD5GL_FACTOR_SOURCE_ALPHA,          MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA,
        MD5GL_FACTOR_TARGET_ALPHA,          MD5GL_FACTOR_ONE_MINUS_TARGET_ALPHA,
        MD5GL_FACTOR_SOURCE_ALPHA_SATURATE,
    };
    if (code < 3)
        return code == 0 ? first : second;
    return code - 3 < sizeof others / sizeof others[0] ? others[code - 3] : first;
}

static md5gl_factor source_of(uint32_t bits)
{
    return factor_of(bits & 15, MD5GL_FACTOR_ONE, MD5GL_FACTOR_ZERO);
}

static md5gl_factor target_of(uint32_t bits)
{
    const uint32_t code = bits >> 4 & 15;
    if (code == 3 || code == 4)
        return code == 3 ? MD5GL_FACTOR_SOURCE_COLOR : MD5GL_FACTOR_ONE_MINUS_SOURCE_COLOR;
    return code == 9 ? MD5GL_FACTOR_ZERO : factor_of(code, MD5GL_FACTOR_ZERO, MD5GL_FACTOR_ONE);
}

static md5gl_texgen texgen_of(md5_texgen texgen)
{
    switch (texgen) {
    case MD5_TEXGEN_NORMAL:
        return MD5GL_TEXGEN_NORMAL;
    case MD5_TEXGEN_REFLECT:
        return MD5GL_TEXGEN_REFLECT;
    case MD5_TEXGEN_SKYBOX:
        return MD5GL_TEXGEN_SKYBOX;
    case MD5_TEXGEN_SCREEN:
    case MD5_TEXGEN_SCREEN2:
        return MD5GL_TEXGEN_SCREEN;
    default:
        return MD5GL_TEXGEN_MESH;
    }
}

static uint32_t mask_of(uint32_t bits)
{
    return (bits & MD5_STAGE_NO_RED ? (uint32_t)MD5GL_MASK_RED : 0)
           | (bits & MD5_STAGE_NO_GREEN ? (uint32_t)MD5GL_MASK_GREEN : 0)
           | (bits & MD5_STAGE_NO_BLUE ? (uint32_t)MD5GL_MASK_BLUE : 0)
           | (bits & MD5_STAGE_NO_ALPHA ? (uint32_t)MD5GL_MASK_ALPHA : 0);
}

static const float offset_units = -600.0f; // of depth, for a polygonOffset of 1: r_offsetUnits

// A lit stage is there for its alpha test alone.
static md5gl_stage stage_of(const view_layered *layered, const md5_stage *stage,
                            md5gl_texture texture)
{
    const md5_material *const material = layered->material;
    const float *const registers = layered->registers;
    md5gl_stage drawn = {.texture = texture,
                         .source = is_lit(stage) ? MD5GL_FACTOR_ZERO : source_of(stage->bits),
                         .target = is_lit(stage) ? MD5GL_FACTOR_ONE : target_of(stage->bits),
                         .has_matrix = stage->has_matrix,
                         .is_tested = tests_alpha(material, stage),
                         .alpha_test = registers[stage->alpha_test],
                         .masked = mask_of(stage->bits),
                         .writes_depth = !is_lit(stage) && !(stage->bits & MD5_STAGE_NO_DEPTH),
                         .depth_equal = (stage->bits & MD5_STAGE_DEPTH_EQUAL) != 0,
                         .depth_offset = offset_units * stage->polygon_offset,
                         .texgen = texgen_of(stage->texgen),
                         .normals = layered->bump};
    for (int i = 0; i < 4; i++)
        drawn.color[i] = registers[stage->color[i]];
    if (stage->has_matrix)
        md5_stage_matrix(stage, registers, drawn.matrix);
    if (stage->vertex_color == MD5_VERTEX_COLOR_MODULATE)
        drawn.vertex_color = MD5GL_VERTEX_COLOR_MODULATE;
    if (stage->vertex_color == MD5_VERTEX_COLOR_INVERSE)
        drawn.vertex_color = MD5GL_VERTEX_COLOR_INVERSE;
    return drawn;
}

static md5gl_cull cull_of(const md5_material *material)
{
    if (material->cull == MD5_CULL_NONE || material->creates_back_sides)
        return MD5GL_CULL_NONE;
    return material->cull == MD5_CULL_FRONT ? MD5GL_CULL_FRONT : MD5GL_CULL_BACK;
}

// As the engine: light is added to what is behind translucent surfaces; opaque ones are black below
// what is drawn, unless all their stages are off, or they are decals that lack their pictures.
static void choose_base(view_layered *layered, bool is_on, bool is_cut, md5gl_stage_list *list)
{
    const md5_material *const material = layered->material;
    const bool is_translucent = material->coverage == MD5_COVERAGE_TRANSLUCENT;
    const bool has_shadow = material->force_shadows || (!material->no_shadows && !is_translucent);
    const bool has_light = layered->lit.num_shown > 0;
    const bool is_lost = is_decal(material) && list->num_stages == 0 && !has_light;
    // What is cut out by stages has their shadow, and is not cut out again by its diffuse map.
    layered->flags = has_shadow && !is_cut && !is_lost ? 0 : (uintptr_t)MD5GL_NO_SHADOW;
    layered->flags |= is_cut ? (uintptr_t)MD5GL_OPAQUE : 0;
    list->casts_shadow = has_shadow && is_cut;
    if (is_translucent || !has_light || is_cut)
        layered->flags |= (uintptr_t)MD5GL_STAGED;
    if (is_translucent)
        list->base = has_light ? MD5GL_BASE_ADDED : MD5GL_BASE_NONE;
    else if (!is_on || is_lost || (has_light && !is_cut))
        list->base = MD5GL_BASE_NONE;
    else
        list->base = has_light ? MD5GL_BASE_LIT : MD5GL_BASE_BLACK;
}

static void evaluate(view_layered *layered, const md5_material_input *input, md5gl_stage_list *list)
{
    const md5_material *const material = layered->material;
    const float *const registers = layered->registers;
    bool is_on = false, is_cut = false;
    md5_evaluate_material(material, input, layered->registers);
    *list = (md5gl_stage_list){
        .mesh = layered->mesh, .cull = cull_of(material), .stages = layered->stages};
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (registers[stage->condition] == 0.0f)
            continue;
        is_on = true;
        is_cut = is_cut || cuts_surface(material, stage);
        if (layered->textures[i] != 0)
            layered->stages[list->num_stages++] = stage_of(layered, stage, layered->textures[i]);
    }
    // A lit decal is lifted off what is below it; further lit layers are drawn over a lit base;
    // md5gl_draw_model() shows front sides.
    view_choose_lit_layers(&layered->lit, material, registers);
    if (layered->lit.num_shown > 1) {
        list->lit_layers = layered->lit.shown + 1;
        list->num_lit_layers = layered->lit.num_shown - 1;
    }
    const bool is_lifted =
        material->has_polygon_offset || list->num_lit_layers > 0 || list->cull == MD5GL_CULL_FRONT;
    is_cut = is_cut || (is_lifted && material->coverage != MD5_COVERAGE_TRANSLUCENT);
    choose_base(layered, is_on, is_cut, list);
    // What md5gl_draw_model() draws is not offset, and it is cut out already.
    const bool over_lit = !(layered->flags & MD5GL_STAGED);
    for (uint32_t i = 0; i < list->num_stages && over_lit; i++)
        layered->stages[i].is_tested = false;
    if (material->has_polygon_offset && !over_lit)
        list->depth_offset = offset_units * material->polygon_offset;
}

void view_evaluate_layers(const view_layers *layers, const md5_material_input *input)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        evaluate(&layers->meshes[i], input, &layers->lists[i]);
}

const view_layered *view_find_layered(const view_layers *layers, uint32_t mesh)
{
    const uint32_t place = layers->num_meshes > 0 ? layers->places[mesh] : 0;
    return place > 0 ? &layers->meshes[place - 1] : NULL;
}

uintptr_t view_layer_flags(const view_layers *layers, uint32_t mesh)
{
    const view_layered *const layered = view_find_layered(layers, mesh);
    return layered != NULL ? layered->flags : 0;
}

void view_paint_layer(const view_layers *layers, uint32_t mesh, bool maps, md5gl_material *material)
{
    const view_layered *const layered = view_find_layered(layers, mesh);
    if (layered == NULL)
        return;
    material->flags |= layered->flags;
    if (layered->lit.num_shown == 0)
        return;
    const md5gl_material *const first = &layered->lit.shown[0];
    material->flags |= first->flags;
    material->diffuse_color = first->diffuse_color;
    material->specular_color = first->specular_color;
    if (first->diffuse != 0)
        material->diffuse = first->diffuse;
    if (maps && first->normals != 0)
        material->normals = first->normals;
    if (maps && (first->specular != 0 || first->specular_color == 0))
        material->specular = first->specular;
}
