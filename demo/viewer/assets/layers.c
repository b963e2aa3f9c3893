// Loads the layers of a mesh from the material of a game: the images of its stages, and notes about
// parts that are not shown.
#include "demo/viewer/assets/textures.h"

void view_note_layer(view_layers *layers, uint32_t mesh, const md5_material *material, char *text,
                     view_log *log)
{
    view_info(log, "material %s: %s", material->decl->name, text);
    *COMMON_ADD_ITEM(layers->notes, layers->num_notes) = (view_layer_note){mesh, text};
}

// Returns the name of the kind of view that a stage shows instead of an image.
static const char *rendered_view(md5_dynamic_image dynamic)
{
    if (dynamic == MD5_IMAGE_MIRROR)
        return "mirror";
    return dynamic == MD5_IMAGE_REMOTE ? "remote camera" : "xray";
}

// Returns the reason why a stage is not supported, such as "video intro.roq", or NULL. The viewer
// does not run the engine's programs (shaders). It shows neither videos nor views that the engine
// renders, such as mirrors. The caller frees the text.
static char *find_obstacle(const md5_stage *stage)
{
    const md5_stage_program *const program = &stage->program;
    const char *const program_name = program->vertex != NULL ? program->vertex : program->fragment;
    if (program_name != NULL)
        return common_format("program %s", program_name);
    if (stage->video != NULL)
        return common_format(stage->is_sound_map ? "sound visualization: %s" : "video %s",
                             stage->video);
    if (stage->dynamic != MD5_IMAGE_STATIC)
        return common_format("rendered view: %s", rendered_view(stage->dynamic));
    if (stage->texgen == MD5_TEXGEN_WOBBLE_SKY)
        return common_format("wobbleSky texture coordinates");
    if (stage->texgen == MD5_TEXGEN_GLASS_WARP)
        return common_format("glassWarp texture coordinates");

    // These kinds of texture coordinates are directions, which only a cube map accepts. A 2D image
    // needs the two coordinates of the mesh.
    const bool is_reflection =
        stage->texgen == MD5_TEXGEN_REFLECT || stage->texgen == MD5_TEXGEN_SKYBOX;
    const bool needs_cube = stage->texgen == MD5_TEXGEN_NORMAL || is_reflection;
    const bool is_cube = stage->cube != MD5_IMAGE_2D;
    if (needs_cube && !is_cube)
        return common_format("cube map coordinates without a cube map");
    if (is_cube && !needs_cube)
        return common_format("cube map %s without cube map coordinates", stage->image.text);
    return stage->image.text[0] == '\0' ? common_format("no image") : NULL;
}

// Returns the bit of a register in view_layers.read, or 0 if the register is neither the time nor a
// parm. A parm is an input of a material that the game sets.
static uint32_t register_bit(uint32_t reg)
{
    return reg < MD5_REGISTER_GLOBAL0 ? 1u << reg : 0;
}

// Returns the registers of time and parms that a stage reads, one bit each.
static uint32_t registers_read_by_stage(const md5_stage *stage)
{
    uint32_t read = register_bit(stage->condition);
    if (stage->has_alpha_test)
        read |= register_bit(stage->alpha_test);
    for (int k = 0; k < 4; k++)
        read |= register_bit(stage->color[k]);
    if (!stage->has_matrix)
        return read;
    for (int row = 0; row < 2; row++) {
        for (int column = 0; column < 3; column++)
            read |= register_bit(stage->matrix[row][column]);
    }
    return read;
}

// Returns the registers of time and parms that a material reads, one bit each. The panel of parms
// dims all others, because they have no effect.
static uint32_t registers_read(const md5_material *material)
{
    uint32_t read = 0;
    for (uint32_t i = 0; i < material->num_ops; i++) {
        const md5_material_op *const op = &material->ops[i];
        if (op->kind == MD5_OP_SOUND) // has no operands
            continue;
        read |= register_bit(op->b);
        if (op->kind != MD5_OP_TABLE) // a table has no operand a
            read |= register_bit(op->a);
    }
    if (material->deform != MD5_DEFORM_NONE) {
        for (int i = 0; i < 3; i++)
            read |= register_bit(material->deform_registers[i]);
    }
    for (uint32_t i = 0; i < material->num_stages; i++)
        read |= registers_read_by_stage(&material->stages[i]);
    return read;
}

// Returns the map that a lit stage corresponds to.
static md5gl_image_kind stage_map(const md5_stage *stage)
{
    if (stage->light == MD5_STAGE_BUMP)
        return MD5GL_IMAGE_NORMALS;
    return stage->light == MD5_STAGE_DIFFUSE ? MD5GL_IMAGE_DIFFUSE : MD5GL_IMAGE_SPECULAR;
}

// Loads the image of a stage that is drawn by itself: an unlit stage, or a stage that cuts the
// surface. If the image is missing, the stage is usually not drawn. In two cases, a checker pattern
// shows the error, as in the engine: the stage replaces the colors of an opaque surface, or the
// material is not declared.
static void load_sampled_stage(const view_texture_task *task, view_layered *layered, uint32_t index)
{
    // Mask of stage->bits. 0 stands for the factors 1 and 0, which replace colors.
    enum { BLEND_BITS = 255 };
    const md5_material *const material = layered->material;
    const md5_stage *const stage = &material->stages[index];
    char *const obstacle = find_obstacle(stage);
    if (obstacle != NULL) {
        view_note_layer(&task->textures->layers, layered->mesh, material,
                        common_format("stage %u is not shown: %s", index + 1, obstacle), task->log);
        free(obstacle);
        return;
    }

    const md5gl_texture loaded = view_load_stage(task, stage, MD5GL_NUM_IMAGE_KINDS);
    layered->textures[index] = loaded;
    if (loaded != 0 || stage->cube != MD5_IMAGE_2D)
        return;
    const bool is_opaque =
        material->coverage != MD5_COVERAGE_TRANSLUCENT && !view_is_decal(material);
    const bool is_replacing = !view_is_lit_stage(stage) && (stage->bits & BLEND_BITS) == 0;
    const bool is_declared = material->decl->file != NULL;
    if (!is_declared || (is_opaque && is_replacing))
        layered->textures[index] = md5gl_checker_texture(task->renderer);
}

// Loads the normal map for the reflections of a material. As in the engine, it is the normal map of
// the first bump stage.
static void load_reflection_bump(const view_texture_task *task, view_layered *layered)
{
    const md5_material *const material = layered->material;
    const md5_stage *bump = NULL;
    bool reflects = false;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        reflects = reflects || stage->texgen == MD5_TEXGEN_REFLECT;
        if (bump == NULL && stage->light == MD5_STAGE_BUMP)
            bump = stage;
    }
    if (reflects && bump != NULL)
        layered->bump = view_load_stage(task, bump, MD5GL_IMAGE_NORMALS);
}

// Returns true if a material has two lit stages of the same kind, such as two diffuse maps. A mesh
// has only one map of each kind, so these stages need their own textures.
static bool has_lit_layers(const md5_material *material)
{
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (view_is_lit_stage(stage) && !view_is_first_stage(material, stage))
            return true;
    }
    return false;
}

// Loads the images of the stages of a material, and notes the stages that are not supported.
static void load_stages(const view_texture_task *task, view_layered *layered)
{
    const md5_material *const material = layered->material;
    view_layers *const layers = &task->textures->layers;
    const bool loads_lit_stages = has_lit_layers(material);
    load_reflection_bump(task, layered);
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        const bool has_lit_image = view_is_lit_stage(stage) && loads_lit_stages;
        const bool is_moving = view_is_lit_stage(stage) && stage->has_matrix;
        const bool is_drawn_itself = !view_is_lit_stage(stage) || view_tests_alpha(material, stage);
        if (has_lit_image)
            layered->lit.textures[i] = view_load_stage(task, stage, stage_map(stage));
        if (is_moving)
            view_note_layer(layers, layered->mesh, material,
                            common_format("stage %u: moving lit textures are not supported", i + 1),
                            task->log);
        if (is_drawn_itself)
            load_sampled_stage(task, layered, i);
    }
}

// Returns true if a property of a material other than its stages requires more than a lit, opaque
// surface that casts a shadow.
static bool is_special_surface(const md5_material *material)
{
    if (material->coverage == MD5_COVERAGE_TRANSLUCENT || material->cull == MD5_CULL_FRONT)
        return true;
    if (material->deform != MD5_DEFORM_NONE || view_is_decal(material))
        return true;
    return material->no_shadows || material->spectrum != 0;
}

// Returns true if a stage cannot be drawn as one of the maps of a lit surface. This is the case if
// it is unlit, not always on, moves its texture, or cuts or colors the surface.
static bool is_special_stage(const md5_material *material, const md5_stage *stage)
{
    if (!view_is_lit_stage(stage) || view_constant_value(material, stage->condition) == 0)
        return true;
    if (view_needs_stages_to_cut(material, stage) || view_is_colored_stage(material, stage))
        return true;
    return stage->has_matrix;
}

// Returns the material that the game declares for a shader name of a mesh, or NULL.
static const md5_material *find_declared_material(md5_game *game, const char *shader)
{
    if (md5_find_decl(game, MD5_DECL_MATERIAL, shader) == NULL)
        return NULL;
    const md5_material *const material = md5_game_material(game, shader, NULL);
    return material != NULL && material->decl != NULL ? material : NULL;
}

// Returns true if a material needs layers. Otherwise it is one lit surface with at most one bump,
// diffuse and specular stage; the maps of the mesh suffice for it. Adds the number of stages of
// each kind to `counts`.
static bool needs_layers(const md5_material *material, uint32_t counts[MD5_STAGE_SPECULAR + 1])
{
    bool has_special_stage = false;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        counts[stage->light]++;
        const bool is_repeated = counts[stage->light] > 1;
        if (is_repeated || is_special_stage(material, stage))
            has_special_stage = true;
    }
    return has_special_stage || is_special_surface(material);
}

// Copies two properties that a material declares to its mesh: which sides are drawn, and the alpha
// test that cuts holes.
static void set_surface(view_mesh_textures *mesh_textures, const md5_material *material)
{
    const bool has_no_stages = material->num_stages == 0; // as a part that a skin hides
    mesh_textures->two_sided = material->creates_back_sides || material->cull == MD5_CULL_NONE;
    mesh_textures->opaque = true;
    mesh_textures->is_unmeasured = has_no_stages || material->deform == MD5_DEFORM_EYEBALL;
    for (uint32_t i = 0; i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        if (view_is_alpha_test_of_lit_surface(material, stage)) {
            mesh_textures->opaque = false;
            mesh_textures->alpha_test = material->registers[stage->alpha_test];
        }
    }
}

// Reads the Doom 3 material that a game declares for the current mesh. Adds layers to the mesh if
// the material is more than one lit surface, for example if it is translucent or animated. Returns
// true if the mesh is drawn only with the images of these layers, without a diffuse map.
bool view_add_layers(const view_texture_task *task, const char *shader)
{
    const uint32_t mesh = task->search.mesh;
    view_layers *const layers = &task->textures->layers;
    const md5_material *const material = find_declared_material(task->game, shader);
    if (material == NULL)
        return false;
    if (material->gui != NULL)
        view_note_layer(layers, mesh, material,
                        common_format("GUI is not shown: %s", material->gui), task->log);
    layers->read |= registers_read(material);
    set_surface(&task->textures->meshes[mesh], material);

    // A material without a diffuse stage always needs layers, because no map shows it.
    uint32_t num_stages_by_light[MD5_STAGE_SPECULAR + 1] = {0};
    const bool has_layers = needs_layers(material, num_stages_by_light);
    const bool has_diffuse = num_stages_by_light[MD5_STAGE_DIFFUSE] > 0;
    if (!has_layers && has_diffuse)
        return false;

    const uint32_t count = material->num_stages;
    view_layered layered = {
        .mesh = mesh,
        .material = material,
        .registers = common_alloc(material->num_registers, sizeof *layered.registers),
        .textures = common_alloc(count, sizeof *layered.textures),
        .stages = common_alloc(count, sizeof *layered.stages),
        .lit = {.textures = common_alloc(count, sizeof *layered.lit.textures),
                .shown = common_alloc(count, sizeof *layered.lit.shown)},
    };
    if (material->deform_decl != NULL)
        layered.table = md5_game_table(task->game, material->deform_decl, NULL);
    load_stages(task, &layered);
    *COMMON_ADD_ITEM(layers->meshes, layers->num_meshes) = layered;
    return !has_diffuse;
}

// Compares two view_layered for sorting: by the order of drawing of their materials, then by mesh.
static int by_sort(const void *left, const void *right)
{
    const view_layered *const a = left;
    const view_layered *const b = right;
    if (a->material->sort != b->material->sort)
        return a->material->sort < b->material->sort ? -1 : 1;
    return a->mesh < b->mesh ? -1 : a->mesh > b->mesh;
}

// Sorts the meshes with layers in the order in which the engine draws them.
void view_sort_layers(view_layers *layers, uint32_t num_meshes)
{
    layers->lists = common_alloc(layers->num_meshes, sizeof *layers->lists);
    layers->entry_numbers = common_alloc(num_meshes, sizeof *layers->entry_numbers);
    if (layers->meshes == NULL)
        return;
    qsort(layers->meshes, layers->num_meshes, sizeof *layers->meshes, by_sort);
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        layers->entry_numbers[layers->meshes[i].mesh] = i + 1;
}
