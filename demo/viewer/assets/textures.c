// Finds and loads the textures of meshes, and uploads models with their textures.
#include "demo/viewer/assets/textures.h"

#include "demo/viewer/assets/library.h"

// == Loading ======================================================================================

// Loads the texture that the search has found for a mesh. An animated texture consists of several
// images; if one of them cannot be read, only the images before it are used. Logs how the texture
// was found.
static void use_found_texture(const view_texture_task *task, view_mesh_textures *mesh_textures)
{
    const uint32_t index = task->search.mesh;
    const view_look *const look = &mesh_textures->look;
    const char *const name = task->search.model->meshes[index].name;
    for (uint32_t i = 0; i <= look->num_later_images; i++) {
        const char *const path = i == 0 ? look->diffuse : look->later_images[i - 1];
        mesh_textures->images[i] = view_load_texture_file(task, MD5GL_IMAGE_DIFFUSE, path, false);
        if (mesh_textures->images[i] == NULL)
            break;
        mesh_textures->num_images++;
    }
    mesh_textures->maps[MD5GL_IMAGE_DIFFUSE] = mesh_textures->images[0];
    if (look->is_guess)
        view_info(task->log, "texture of mesh %u \"%s\" was guessed by %s: %s", index, name,
                  look->why, look->diffuse);
    else
        view_debug(task->log, "texture of mesh %u: %s, found by %s", index, look->diffuse,
                   look->why);
}

// Warns that a mesh has no texture, with the most likely image and the reason why it was rejected.
// Other rejected images are logged.
static void report_missing_texture(const view_texture_task *task, const view_look *look)
{
    const uint32_t index = task->search.mesh;
    const md5_mesh *const mesh = &task->search.model->meshes[index];
    const char *const why = look->tried.count > 0 ? look->tried.names[0] : NULL;
    if (*mesh->shader == '\0' && why == NULL)
        view_warn(task->log,
                  "mesh %u \"%s\" has neither a shader name nor a texture; use --texture to select "
                  "a texture",
                  index, mesh->name);
    else if (why == NULL)
        view_warn(
            task->log,
            "mesh %u \"%s\": texture of shader \"%s\" not found; use --texture to select a texture",
            index, mesh->name, mesh->shader);
    else
        view_warn(task->log,
                  "mesh %u \"%s\": texture of shader \"%s\" not found; use --texture to select a "
                  "texture; rejected image: %s",
                  index, mesh->name, mesh->shader, why);
    for (size_t i = 1; i < look->tried.count; i++)
        view_debug(task->log, "rejected for mesh %u: %s", index, look->tried.names[i]);
}

// Loads the masks of a mesh's material twice: as highlights, and as a glow map. The glow map has
// the colors of the texture with which the masks are declared.
static void use_masks(const view_texture_task *task, const view_mesh_textures *mesh_textures)
{
    const view_look *const look = &mesh_textures->look;
    view_texture masks = {.path = look->masks,
                          .map = MD5GL_IMAGE_SPECULAR,
                          .is_masks = true,
                          .mask_factor = look->specular};
    view_set_map(task, masks);
    // If the masks cannot be read, this was already reported for the highlights.
    const bool has_masks = mesh_textures->maps[MD5GL_IMAGE_DIFFUSE] != NULL
                           && mesh_textures->maps[MD5GL_IMAGE_SPECULAR] != NULL;
    if (!look->is_declared || !has_masks)
        return;
    masks.map = MD5GL_IMAGE_GLOW;
    masks.mask_factor = look->glow;
    masks.base = look->diffuse;
    view_set_map(task, masks);
}

// Searches the textures of a mesh by its names, and fills the `look` of the mesh. Uses the found
// diffuse texture, unless an option selects one. Reports a missing texture. If the mesh has a
// material in a game (`is_in_game`), its missing images were already reported.
static void find_diffuse_by_name(const view_texture_task *task, bool is_in_game)
{
    view_mesh_textures *const mesh_textures = &task->textures->meshes[task->search.mesh];
    view_look *const look = &mesh_textures->look;
    const bool is_selected = mesh_textures->maps[MD5GL_IMAGE_DIFFUSE] != NULL;
    view_free_look(look); // result for a game that lacks the image
    *look = view_find_look(&task->search, view_log_listener(task->log));
    if (look->diffuse != NULL && !is_selected)
        use_found_texture(task, mesh_textures);
    else if (is_in_game)
        common_free_list(&look->tried); // the tried images are not missing
    else if (!is_selected)
        report_missing_texture(task, look);
}

// Searches a mesh's textures by its names. Loads the diffuse texture (see find_diffuse_by_name()),
// the normals and the masks. Copies the material properties that the search has found.
static void load_textures_by_name(const view_texture_task *task, bool is_in_game)
{
    find_diffuse_by_name(task, is_in_game);
    view_mesh_textures *const mesh_textures = &task->textures->meshes[task->search.mesh];
    const view_look *const look = &mesh_textures->look;
    view_set_map(task, (view_texture){.path = look->normals, .map = MD5GL_IMAGE_NORMALS});
    use_masks(task, mesh_textures);
    mesh_textures->two_sided = mesh_textures->two_sided || look->two_sided;
    if (look->alpha_test > 0)
        mesh_textures->alpha_test = look->alpha_test;
}

// Loads a map of the current mesh that was found next to its diffuse texture, and logs it. If the
// folder also contains a height map, its slopes are added to a normal map.
static void load_found_map(const view_texture_task *task, const common_list *files,
                           const char *diffuse, md5gl_image_kind map, const char *path)
{
    const uint32_t mesh = task->search.mesh;
    const char *heights = NULL;
    if (map == MD5GL_IMAGE_NORMALS)
        heights = view_find_map(files, diffuse, MD5GL_IMAGE_HEIGHTS);
    view_set_map(task, (view_texture){.path = path, .heights = heights, .map = map});
    if (task->textures->meshes[mesh].maps[map] == NULL)
        return;
    if (heights != NULL)
        view_debug(task->log, "%s of mesh %u: %s + %s", view_map_name(map), mesh, path,
                   common_base(heights));
    else
        view_debug(task->log, "%s of mesh %u: %s", view_map_name(map), mesh, path);
}

// Loads the maps of the current mesh that are files in the folder of its diffuse texture, except
// the maps that the mesh already has. Their names are the name of the texture with a suffix.
static void find_maps(const view_texture_task *task)
{
    const view_texture **const mesh_maps = task->textures->meshes[task->search.mesh].maps;
    if (mesh_maps[MD5GL_IMAGE_DIFFUSE] == NULL)
        return;
    const char *const diffuse = mesh_maps[MD5GL_IMAGE_DIFFUSE]->path;
    char *const folder = common_folder(diffuse);
    common_list files = common_list_folder(folder, "");
    for (md5gl_image_kind map = MD5GL_IMAGE_NORMALS; map < MD5GL_NUM_IMAGE_KINDS; map++) {
        // A height map is only used if the mesh has no normal map.
        const bool is_unused = map == MD5GL_IMAGE_HEIGHTS && mesh_maps[MD5GL_IMAGE_NORMALS] != NULL;
        if (mesh_maps[map] != NULL || is_unused)
            continue;
        const char *const path = view_find_map(&files, diffuse, map);
        if (path != NULL && strcmp(path, diffuse) != 0)
            load_found_map(task, &files, diffuse, map, path);
    }
    common_free_list(&files);
    free(folder);
}

// Loads a map that an option selects: "PATH" for all meshes, or "MESH=PATH" for one. Returns false
// and logs an error if the mesh does not exist or the file cannot be read. If
// log->skips_faulty_files is true, a file that cannot be read is ignored.
static bool use_choice(const view_texture_task *task, md5gl_image_kind map, const char *choice)
{
    const md5_model *const model = task->search.model;
    const char *const equals = strchr(choice, '=');
    const bool is_for_one_mesh = equals != NULL;
    // Length of the mesh's name.
    const size_t name_length = is_for_one_mesh ? (size_t)(equals - choice) : 0;
    const char *const path = is_for_one_mesh ? equals + 1 : choice;
    const view_texture *const loaded = view_load_texture_file(task, map, path, true);
    if (loaded == NULL && !task->log->skips_faulty_files)
        return false;

    bool is_mesh_found = false;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        if (is_for_one_mesh && !view_is_mesh(model, m, choice, name_length))
            continue;
        view_mesh_textures *const mesh_textures = &task->textures->meshes[m];
        if (loaded != NULL)
            mesh_textures->maps[map] = loaded;
        mesh_textures->is_selected[map] = is_for_one_mesh;
        is_mesh_found = true;
    }
    if (is_for_one_mesh && !is_mesh_found)
        return view_error(task->log, "--%s: mesh \"%.*s\" not found; the model has %u %s",
                          view_get_map_option(map)->name, (int)name_length, choice,
                          model->num_meshes, common_noun(model->num_meshes, "mesh", "meshes"));
    return true;
}

// Loads the choices of an option for one map. If `is_for_one_mesh` is true, loads the choices for
// single meshes, otherwise those for all meshes. Returns false and logs an error on failure.
static bool use_choices_for(const view_texture_task *task, md5gl_image_kind map,
                            const common_texts *choices, bool is_for_one_mesh)
{
    for (size_t i = 0; i < choices->count; i++) {
        const char *const choice = choices->names[i];
        const bool names_mesh = strchr(choice, '=') != NULL;
        if (names_mesh == is_for_one_mesh && !use_choice(task, map, choice))
            return false;
    }
    return true;
}

// Loads the maps that the options select. First applies the choices for all meshes, then the
// choices for single meshes, which replace them. `options` may be NULL. Returns false and logs an
// error on failure.
static bool use_choices(const view_texture_task *task, const view_options *options)
{
    if (options == NULL)
        return true;
    for (md5gl_image_kind map = 0; map < MD5GL_NUM_IMAGE_KINDS; map++) {
        const common_texts *const choices = &options->maps[map];
        if (!use_choices_for(task, map, choices, false)
            || !use_choices_for(task, map, choices, true))
            return false;
    }
    return true;
}

// Returns the path of the model's file, which the caller frees. Returns NULL if the model is an
// entity of a game or is in an archive.
static char *model_file(const view_texture_sources *sources)
{
    if (sources->game == NULL)
        return common_copy(sources->file != NULL ? sources->file : sources->path);
    view_address address;
    if (!view_read_address(sources->path, &address))
        return NULL;
    char *const file = common_format("%s/%s", address.location, address.name);
    view_free_address(&address);
    if (common_is_file(file))
        return file;
    free(file);
    return NULL;
}

// Adds an image to the names that were searched, with the place of its declaration. A material
// declares this image as its diffuse map. The viewer shows these names to the user.
static void note_declared_image(const view_texture_task *task, const md5_material *material,
                                const md5_image_program *program)
{
    const uint32_t index = task->search.mesh;
    view_mesh_textures *const mesh_textures = &task->textures->meshes[index];
    const bool has_file = material->decl != NULL && material->decl->file != NULL;
    const bool is_loaded = mesh_textures->maps[MD5GL_IMAGE_DIFFUSE] != NULL;
    const char *const location =
        has_file ? material->decl->file : task->search.model->meshes[index].shader;
    char *const name = common_format("%s: %s", location, program->text);
    view_add_searched_name(&mesh_textures->look, is_loaded, name);
}

// Sets the maps of the current mesh that its material in a game declares, unless the mesh has them.
static void use_material(const view_texture_task *task, const md5_material *material)
{
    static const md5gl_image_kind kinds[] = {MD5GL_IMAGE_DIFFUSE, MD5GL_IMAGE_NORMALS,
                                             MD5GL_IMAGE_SPECULAR};
    const view_mesh_textures *const mesh_textures = &task->textures->meshes[task->search.mesh];
    for (size_t k = 0; k < COMMON_LENGTH(kinds); k++) {
        const md5gl_image_kind kind = kinds[k];
        const md5_image_program *const program = view_material_image(material, kind);
        if (program == NULL)
            continue;
        view_set_map(task, (view_texture){.path = program->text, .program = program, .map = kind});
        const bool was_searched = kind == MD5GL_IMAGE_DIFFUSE && !mesh_textures->is_selected[kind];
        if (was_searched)
            note_declared_image(task, material, program);
    }
}

// If the last added layers belong to a mesh, records in them that its diffuse map is missing. A
// translucent surface or a decal then reflects no diffuse light.
static void note_missing_diffuse(view_layers *layers, uint32_t mesh)
{
    if (layers->num_meshes == 0)
        return;
    view_layered *const last = &layers->meshes[layers->num_meshes - 1];
    if (last->mesh != mesh)
        return;
    if (last->material->coverage == MD5_COVERAGE_TRANSLUCENT || view_is_decal(last->material))
        last->lit.lacks_diffuse = true;
}

// Opens the packages of the attached outfits whose meshes begin at or before the current mesh. A
// package is the folder of a game or mod in which the materials and images of a file are searched.
// The current mesh belongs to the last of these outfits, so its textures are searched in this
// package.
static void open_outfits(view_texture_task *task, const convert_scene *outfit_conversion)
{
    view_textures *const textures = task->textures;
    while (textures->num_outfit_packages < outfit_conversion->num_outfits) {
        const convert_outfit *const outfit =
            &outfit_conversion->outfits[textures->num_outfit_packages];
        if (outfit->first > task->search.mesh)
            break;
        task->search.package = view_open_package(outfit->path, NULL);
        *COMMON_ADD_ITEM(textures->outfit_packages, textures->num_outfit_packages) =
            task->search.package;
    }
}

// Reads the material that a game or package declares for the current mesh. Adds its maps. Also adds
// its layers, unless an option selects the diffuse map of the mesh. Returns true if the mesh is
// drawn only with the images of the layers, without a diffuse map.
static bool load_declared(const view_texture_task *task, const char *shader)
{
    const view_mesh_textures *const mesh_textures = &task->textures->meshes[task->search.mesh];
    const bool is_selected = mesh_textures->is_selected[MD5GL_IMAGE_DIFFUSE];
    const bool is_staged = !is_selected && view_add_layers(task, shader);
    const md5_material *const material = md5_game_material(task->game, shader, NULL);
    if (material != NULL)
        use_material(task, material);
    return is_staged;
}

// Finds and loads the textures of the current mesh. The options have priority, and were applied
// before. The next source is the material of the mesh in the game or in the package of the file.
// The last is a search by names.
static void load_mesh(view_texture_task *task, const view_texture_sources *sources)
{
    const uint32_t index = task->search.mesh;
    md5_game *const game = sources->game;
    const view_texture *const *const diffuse =
        &task->textures->meshes[index].maps[MD5GL_IMAGE_DIFFUSE];
    const char *const shader = sources->model->meshes[index].shader;
    if (sources->outfit_conversion != NULL)
        open_outfits(task, sources->outfit_conversion);
    task->search.cfg_look = index < sources->num_cfg_looks ? &sources->cfg_looks[index] : NULL;

    // Use the material in the game, or else in the package of the file.
    task->game = game;
    if (game == NULL && *diffuse == NULL)
        task->game = view_package_game(task->search.package, view_log_listener(task->log));
    const bool is_declared =
        task->game != NULL && md5_find_decl(task->game, MD5_DECL_MATERIAL, shader) != NULL;
    const bool is_in_game = is_declared || game != NULL;
    const bool is_staged = is_in_game && load_declared(task, shader);

    // Search by names. Images that the game lacks were reported.
    const bool has_declared_image = is_staged || (is_in_game && *diffuse != NULL);
    const bool can_search = !is_in_game || task->search.package != NULL;
    if (!has_declared_image && can_search) {
        if (*diffuse == NULL || task->search.cfg_look != NULL)
            load_textures_by_name(task, is_in_game);
        if (!is_declared)
            find_maps(task);
    }
    if (*diffuse == NULL)
        note_missing_diffuse(&task->textures->layers, index);
}

// Ensures that the bounds of the model contain at least one mesh. Meshes with is_unmeasured are
// ignored in the bounds. If this is set for all meshes, clears it for all.
static void require_measured_mesh(const view_textures *textures)
{
    for (uint32_t i = 0; i < textures->num_meshes; i++) {
        if (!textures->meshes[i].is_unmeasured)
            return;
    }
    for (uint32_t i = 0; i < textures->num_meshes; i++)
        textures->meshes[i].is_unmeasured = false;
}

// Returns true if the option --skin can have an effect on a model. Only models of the Quake
// re-releases have numbered skins. In a game, the option is not reported as ignored.
static bool has_numbered_skins(const view_texture_sources *sources)
{
    return sources->game != NULL || view_detect_quake_game(sources->path) != VIEW_QUAKE_NONE;
}

// Loads the textures of each mesh that has triangles. Ends if the user stops the operation.
static void load_meshes(view_texture_task *task, const view_texture_sources *sources)
{
    const md5_model *const model = sources->model;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        if (!view_log_progress(task->log, "textures", i, model->num_meshes))
            return;
        task->log->about = (view_about){VIEW_ABOUT_MESH, i, 0, model};
        if (model->meshes[i].num_triangles == 0)
            continue;
        task->search.mesh = i;
        load_mesh(task, sources);
    }
}

// Finds and loads the textures of all meshes, each from the first source that has one. Returns
// false and logs an error if an option names a mesh or an image that does not exist.
bool view_load_textures(view_textures *textures, const view_loader *loader,
                        const view_texture_sources *sources)
{
    const md5_model *const model = sources->model;
    const view_options *const options = sources->options;
    *textures = (view_textures){
        .num_meshes = model->num_meshes,
        .meshes = common_alloc(model->num_meshes, sizeof *textures->meshes),
    };
    view_texture_task task = {
        .textures = textures,
        .renderer = loader->renderer,
        .log = loader->log,
        .ahead = loader->ahead,
        .game = sources->game,
        .search = {.model = model},
    };
    if (!use_choices(&task, options)) {
        view_free_textures(textures, task.renderer);
        return false;
    }

    // The package of a file is the folder of the game or mod that contains the model.
    char *const file = model_file(sources);
    if (file != NULL)
        textures->package = view_open_package(file, NULL);
    free(file);
    task.search.package = textures->package;
    task.search.skin = options != NULL ? options->skin : 0;
    if (task.search.skin > 0 && !has_numbered_skins(sources))
        view_warn(task.log,
                  "--skin is ignored: only models of the Quake re-releases have numbered skins");

    load_meshes(&task, sources);
    view_silence_package(textures->package);
    require_measured_mesh(textures);
    task.log->about.kind = VIEW_ABOUT_FILE;
    view_sort_layers(&textures->layers, model->num_meshes);
    view_log_progress(task.log, "textures", model->num_meshes, model->num_meshes);
    return true;
}

// Uploads the textures of a preview without reading files. The images were decoded before, on
// the thread that loads previews. All meshes are drawn two-sided.
void view_load_preview_textures(view_textures *textures, const view_loader *loader,
                                const md5_model *model, md5_game *game,
                                const view_preview_mesh *meshes)
{
    *textures = (view_textures){
        .num_meshes = model->num_meshes,
        .meshes = common_alloc(model->num_meshes, sizeof *textures->meshes),
    };
    view_texture_task task = {
        .textures = textures,
        .renderer = loader->renderer,
        .log = loader->log,
        .ahead = loader->ahead,
        .game = game,
        .search = {.model = model},
    };
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_material *const material = meshes[i].material;
        view_mesh_textures *const mesh_textures = &textures->meshes[i];
        task.search.mesh = i;
        mesh_textures->opaque = material != NULL && material->coverage == MD5_COVERAGE_OPAQUE;
        mesh_textures->two_sided = true;
        if (meshes[i].image == NULL)
            continue;
        if (material != NULL && material->coverage == MD5_COVERAGE_TRANSLUCENT)
            view_add_layers(&task, model->meshes[i].shader);
        else
            view_set_map(&task,
                         (view_texture){.path = meshes[i].image, .map = MD5GL_IMAGE_DIFFUSE});
    }
    view_sort_layers(&textures->layers, model->num_meshes);
}

// Frees the images that were loaded, with their textures on the GPU; the looks and layers of all
// meshes; and the lists of images of the model and its outfits.
void view_free_textures(view_textures *textures, md5gl_renderer *renderer)
{
    for (size_t i = 0; i < textures->num_loaded; i++) {
        view_texture *const texture = textures->loaded[i];
        md5gl_destroy_texture(renderer, texture->texture);
        free((char *)(uintptr_t)texture->path);
        free((char *)(uintptr_t)texture->heights);
        free((char *)(uintptr_t)texture->base);
        free(texture);
    }
    for (uint32_t i = 0; i < textures->num_meshes; i++)
        view_free_look(&textures->meshes[i].look);
    view_layers *const layers = &textures->layers;
    for (uint32_t i = 0; i < layers->num_meshes; i++) {
        view_layered *const layered = &layers->meshes[i];
        free(layered->registers);
        free(layered->textures);
        free(layered->stages);
        free(layered->lit.textures);
        free(layered->lit.shown);
    }
    for (size_t i = 0; i < layers->num_notes; i++)
        free(layers->notes[i].text);
    free(layers->meshes);
    free(layers->lists);
    free(layers->entry_numbers);
    free(layers->notes);
    view_close_package(textures->package);
    for (size_t i = 0; i < textures->num_outfit_packages; i++)
        view_close_package(textures->outfit_packages[i]);
    free(textures->outfit_packages);
    free(textures->meshes);
    free(textures->loaded);
    *textures = (view_textures){0};
}

// == Results for a mesh ===========================================================================

// Returns the texture of a map of a mesh, or 0 if the mesh does not have the map.
static md5gl_texture map_texture(const view_mesh_textures *mesh_textures, md5gl_image_kind map)
{
    return mesh_textures->maps[map] != NULL ? mesh_textures->maps[map]->texture : 0;
}

// Sets the normal, specular and glow maps of a material. If a mesh has no normal map, its height
// map replaces it.
static void set_material_maps(md5gl_material *material, const view_mesh_textures *mesh_textures)
{
    const view_texture *const specular = mesh_textures->maps[MD5GL_IMAGE_SPECULAR];
    material->normals = map_texture(mesh_textures, MD5GL_IMAGE_NORMALS);
    if (material->normals == 0)
        material->normals = map_texture(mesh_textures, MD5GL_IMAGE_HEIGHTS);
    material->specular = map_texture(mesh_textures, MD5GL_IMAGE_SPECULAR);
    // In other engines, the alpha of TGA and DDS files has other meanings, so only PNG files have
    // thin parts.
    material->has_thin_parts = material->specular != 0 && common_has_suffix(specular->path, ".png");
    material->glow = map_texture(mesh_textures, MD5GL_IMAGE_GLOW);
}

// Returns the material with which a mesh is drawn. Begins with the texture of the mesh, or the
// checker texture if it has none. Then replaces the image of an animated Quake skin by the image
// at `time`, and adds the maps and the lit layer.
md5gl_material view_mesh_material(const view_textures *textures, const md5gl_renderer *renderer,
                                  uint32_t mesh, bool maps, bool layers, double time)
{
    const view_mesh_textures *const mesh_textures = &textures->meshes[mesh];
    const view_texture *const diffuse = mesh_textures->maps[MD5GL_IMAGE_DIFFUSE];
    const bool has_holes = !mesh_textures->opaque && diffuse != NULL && diffuse->has_holes;
    md5gl_material material = {
        .diffuse = diffuse != NULL ? diffuse->texture : md5gl_checker_texture(renderer),
        .alpha_test = mesh_textures->alpha_test,
        .is_opaque = mesh_textures->opaque,
        .two_sided = mesh_textures->two_sided || has_holes,
    };
    const bool is_animated = mesh_textures->num_images > 0 && diffuse == mesh_textures->images[0];
    if (is_animated) {
        const md5_quake_skins skins = {.num_skins = 1, .num_images = {mesh_textures->num_images}};
        material.diffuse = mesh_textures->images[md5_quake_image_at(&skins, 0, time)]->texture;
    }
    if (maps)
        set_material_maps(&material, mesh_textures);
    if (layers)
        view_apply_lit_layer(&textures->layers, mesh, maps, &material);
    return material;
}

const view_texture *view_mesh_image(const view_textures *textures, uint32_t mesh,
                                    md5gl_image_kind map)
{
    return textures->meshes != NULL ? textures->meshes[mesh].maps[map] : NULL;
}

const view_look *view_mesh_look(const view_textures *textures, uint32_t mesh)
{
    static const view_look none = {0};
    return textures->meshes != NULL ? &textures->meshes[mesh].look : &none;
}

// == Uploading models =============================================================================

// Creates a model on the GPU with the skinning method of the options. Returns NULL and logs an
// error on failure. The second attempt selects the method automatically. It is made only if the
// user has requested a method that the GPU does not support.
md5gl_model *view_create_model(const view_loader *loader, const md5_model *model)
{
    const view_options *const options = loader->options;
    md5_error error = {0};
    md5gl_model *drawn = md5gl_create_model(loader->renderer, model, options->path, &error);
    if (drawn == NULL && options->path != MD5GL_PATH_AUTO && error.status == MD5_ERROR_GPU) {
        view_warn(loader->log, "%s; using another skinning path", error.message);
        drawn = md5gl_create_model(loader->renderer, model, MD5GL_PATH_AUTO, &error);
    }
    if (drawn == NULL)
        view_log_error(loader->log, &error);
    return drawn;
}

// Creates a model on the GPU with its textures and deforms. Returns false on failure. The model
// exists on the GPU before its textures are loaded. If they cannot be loaded, the model is
// destroyed again.
bool view_upload(const view_loader *loader, const view_texture_sources *sources,
                 md5gl_model **drawn, view_textures *textures)
{
    *textures = (view_textures){0};
    *drawn = view_create_model(loader, sources->model);
    if (*drawn == NULL)
        return false;
    if (!view_load_textures(textures, loader, sources)) {
        md5gl_destroy_model(loader->renderer, *drawn);
        *drawn = NULL;
        return false;
    }
    view_set_deforms(&textures->layers, loader->renderer, *drawn, sources->model, loader->log);
    return true;
}
