#include "demo/viewer/assets/textures.h"

#include "demo/common/file.h"
#include "demo/viewer/assets/file_words.h"
#include "demo/viewer/assets/image.h"
#include "demo/viewer/assets/library.h"

#include <stdlib.h>
#include <string.h>

// -- Loading --------------------------------------------------------------------------------

// Creates a normal map from a normal map, a height map, or both.
static md5gl_texture make_normals(md5gl_renderer *renderer, view_image *image,
                                  const view_texture *wanted, md5_error *error)
{
    view_image heights = {NULL, 0, 0};
    view_image_fault fault;
    const char *const height_path = wanted->map == VIEW_MAP_HEIGHT ? wanted->path : wanted->heights;
    uint32_t normals = 0;
    if (wanted->map == VIEW_MAP_HEIGHT) {
        heights = *image;
        *image = view_normals_of_heights(&heights, 4.0f);
    } else {
        normals = view_guess_normals(image);
        // Heights are added only to normals in id's encoding.
        if (normals == 0 && height_path != NULL && view_read_image(height_path, &heights, &fault)) {
            view_image slopes = view_normals_of_heights(&heights, 4.0f);
            view_add_slopes(image, &slopes);
            free(slopes.rgba);
        }
    }
    free(heights.rgba);
    const md5gl_texture_desc desc = {.kind = MD5GL_TEXTURE_NORMALS,
                                     .width = image->width,
                                     .height = image->height,
                                     .texels = image->rgba,
                                     .normals = normals};
    return md5gl_create_texture(renderer, &desc, error);
}

// Makes highlights or a glow map of the masks of an md5.cfg.
static bool use_masks(view_image *image, const view_texture *wanted, view_image_fault *fault)
{
    view_image base;
    if (wanted->map == VIEW_MAP_SPECULAR) {
        view_make_highlights(image, wanted->share);
        return true;
    }
    if (!view_read_image(wanted->base, &base, fault))
        return false;
    view_make_glow(image, &base, wanted->share);
    free(base.rgba);
    return true;
}

static bool upload_image(md5gl_renderer *renderer, view_texture *made, md5_game *game,
                         view_image_fault *fault)
{
    md5_error error;
    view_image image;
    if (made->program != NULL ? !view_read_game_image(game, made->program, &image, fault)
                              : !view_read_image(made->path, &image, fault))
        return false;
    if (made->is_masks && !use_masks(&image, made, fault)) {
        free(image.rgba);
        return false;
    }
    const md5gl_texture_desc desc = {
        .width = image.width, .height = image.height, .texels = image.rgba};
    if (made->map == VIEW_MAP_NORMALS || made->map == VIEW_MAP_HEIGHT)
        made->texture = make_normals(renderer, &image, made, &error);
    else
        made->texture = md5gl_create_texture(renderer, &desc, &error);
    made->width = image.width;
    made->height = image.height;
    made->has_holes = made->map == VIEW_MAP_DIFFUSE && view_has_holes(&image);
    free(image.rgba);
    return made->texture != 0 || view_image_fail(fault, "%s", error.message);
}

static bool is_same_file(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool is_same_use(const view_texture *a, const view_texture *b)
{
    return a->map == b->map && strcmp(a->path, b->path) == 0 && a->is_masks == b->is_masks
           && is_same_file(a->base, b->base) && a->share == b->share
           && (a->program == NULL) == (b->program == NULL);
}

static char *copy_or_null(const char *text)
{
    return text != NULL ? common_copy(text) : NULL;
}

// Returns the index in `loaded` of what is wanted, whose paths are copied and which is read on
// first use; VIEW_NO_TEXTURE if it cannot be read. `chosen`: that is an error.
static size_t load_texture(view_textures *textures, md5gl_renderer *renderer, md5_game *game,
                           const view_texture *wanted, view_log *log, bool chosen)
{
    for (size_t i = 0; i < textures->num_loaded; i++)
        if (is_same_use(&textures->loaded[i], wanted))
            return textures->loaded[i].texture != 0 ? i : VIEW_NO_TEXTURE;

    view_image_fault fault;
    view_texture made = *wanted;
    made.path = common_copy(wanted->path);
    made.heights = copy_or_null(wanted->heights);
    made.base = copy_or_null(wanted->base);
    const bool is_there = upload_image(renderer, &made, game, &fault);
    if (!is_there && chosen)
        view_error(log, "%s %s: %s", view_map_name(made.map), made.path, fault.message);
    else if (!is_there && made.program != NULL)
        view_warn_lost(&textures->layers.textures, made.program->text, fault.message, log);
    else if (!is_there)
        view_warn(log, "%s %s: %s", view_map_name(made.map), made.path, fault.message);
    textures->loaded =
        common_realloc(textures->loaded, textures->num_loaded + 1, sizeof *textures->loaded);
    textures->loaded[textures->num_loaded++] = made;
    return is_there ? textures->num_loaded - 1 : VIEW_NO_TEXTURE;
}

// The same for a file as it is; of a normal map with the slopes of `heights`, unless that is NULL.
static size_t load_file(view_textures *textures, md5gl_renderer *renderer, view_map map,
                        const char *path, const char *heights, view_log *log, bool chosen)
{
    const view_texture wanted = {
        .path = (char *)(uintptr_t)path, .heights = (char *)(uintptr_t)heights, .map = map};
    return load_texture(textures, renderer, NULL, &wanted, log, chosen);
}

// Index of the mesh with that name, or else that number; num_meshes if there is none.
static uint32_t find_mesh(const md5_model *model, const char *name)
{
    const int32_t named = md5_find_mesh(model, name);
    if (named >= 0)
        return (uint32_t)named;
    char *end = NULL;
    const unsigned long number = strtoul(name, &end, 10);
    const bool whole = name[0] >= '0' && name[0] <= '9' && *end == '\0';
    return whole && number < model->num_meshes ? (uint32_t)number : model->num_meshes;
}

// Warns about a mesh without a texture, with the likeliest image and why it was not taken; the
// others are logged.
static void warn_missing(const md5_mesh *mesh, uint32_t index, const view_look *look, view_log *log)
{
    const char *const why = look->tried.count > 0 ? look->tried.names[0] : NULL;
    if (*mesh->shader == '\0' && why == NULL)
        view_warn(log, "mesh %u \"%s\" names no shader, so it has no texture; see --texture",
                  (unsigned)index, mesh->name);
    else
        view_warn(log, "mesh %u \"%s\": no texture found for shader \"%s\"%s%s", (unsigned)index,
                  mesh->name, mesh->shader, why != NULL ? "; " : "", why != NULL ? why : "");
    for (size_t i = 1; i < look->tried.count; i++)
        view_debug(log, "not for mesh %u: %s", (unsigned)index, look->tried.names[i]);
}

// Loads the images that a mesh shows in turn. If one cannot be read, that is a warning, and the
// first one stays.
static void use_turns(view_textures *textures, md5gl_renderer *renderer, uint32_t mesh,
                      view_log *log)
{
    const view_look *const look = &textures->looks[mesh];
    view_turns *const turns = &textures->turns[mesh];
    const size_t first = textures->of_mesh[mesh][VIEW_MAP_DIFFUSE];
    for (uint32_t i = 0; i <= look->num_turns && look->num_turns > 0; i++) {
        const size_t loaded = i == 0 ? first
                                     : load_file(textures, renderer, VIEW_MAP_DIFFUSE,
                                                 look->turns[i - 1], NULL, log, false);
        if (loaded == VIEW_NO_TEXTURE)
            return;
        turns->images[i] = loaded;
        turns->count = i + 1;
    }
}

// Searches how a mesh looks, and loads what the options do not choose. If it is `complete` without
// a texture, that is not missing.
static void find_and_use(view_textures *textures, md5gl_renderer *renderer,
                         const view_look_search *search, bool complete, view_log *log)
{
    const uint32_t mesh = search->mesh;
    const char *const name = search->model->meshes[mesh].name;
    size_t *const of_mesh = textures->of_mesh[mesh];
    view_look *const look = &textures->looks[mesh];
    const bool is_chosen = look->is_chosen || of_mesh[VIEW_MAP_DIFFUSE] != VIEW_NO_TEXTURE;
    *look = view_find_look(search, log);
    look->is_chosen = is_chosen;
    if (look->diffuse != NULL && !is_chosen) {
        of_mesh[VIEW_MAP_DIFFUSE] =
            load_file(textures, renderer, VIEW_MAP_DIFFUSE, look->diffuse, NULL, log, false);
        use_turns(textures, renderer, mesh, log);
        if (look->is_guess)
            view_info(log, "texture of mesh %u \"%s\" is a guess, by %s: %s", (unsigned)mesh, name,
                      look->why, look->diffuse);
        else
            view_debug(log, "texture of mesh %u: %s, by %s", (unsigned)mesh, look->diffuse,
                       look->why);
    } else if (complete) {
        common_free_list(&look->tried); // what was tried is not missing
    } else if (!is_chosen) {
        warn_missing(&search->model->meshes[mesh], mesh, look, log);
    }

    if (look->normals != NULL && of_mesh[VIEW_MAP_NORMALS] == VIEW_NO_TEXTURE)
        of_mesh[VIEW_MAP_NORMALS] =
            load_file(textures, renderer, VIEW_MAP_NORMALS, look->normals, NULL, log, false);
    // Masks are highlights, and what glows in the colours of the texture that they are declared
    // with.
    view_texture masks = {
        .path = look->masks, .map = VIEW_MAP_SPECULAR, .is_masks = true, .share = look->specular};
    if (look->masks != NULL && of_mesh[VIEW_MAP_SPECULAR] == VIEW_NO_TEXTURE)
        of_mesh[VIEW_MAP_SPECULAR] = load_texture(textures, renderer, NULL, &masks, log, false);
    masks.map = VIEW_MAP_GLOW;
    masks.share = look->glow;
    masks.base = look->diffuse;
    // Masks that could not be read were reported with the highlights.
    if (look->masks != NULL && look->is_declared && of_mesh[VIEW_MAP_DIFFUSE] != VIEW_NO_TEXTURE
        && of_mesh[VIEW_MAP_SPECULAR] != VIEW_NO_TEXTURE
        && of_mesh[VIEW_MAP_GLOW] == VIEW_NO_TEXTURE)
        of_mesh[VIEW_MAP_GLOW] = load_texture(textures, renderer, NULL, &masks, log, false);
    textures->two_sided[mesh] = textures->two_sided[mesh] || look->two_sided;
    if (look->alpha_test > 0.0f)
        textures->alpha_test[mesh] = look->alpha_test;
}

// Loads the maps that a mesh's material in a game has, and takes what is declared besides. Returns
// whether it needs no other texture.
static bool use_game(view_textures *textures, md5gl_renderer *renderer, uint32_t mesh,
                     md5_game *game, const char *shader, view_log *log)
{
    static const view_map maps[] = {VIEW_MAP_DIFFUSE, VIEW_MAP_NORMALS, VIEW_MAP_SPECULAR};
    const view_layer_surface surface =
        view_add_layers(&textures->layers, renderer, game, mesh, shader, log);
    textures->two_sided[mesh] = textures->two_sided[mesh] || surface.two_sided;
    textures->opaque[mesh] = surface.is_declared && !surface.is_cut;
    if (surface.is_cut)
        textures->alpha_test[mesh] = surface.alpha_test;
    const md5_material *const material = md5_game_material(game, shader, NULL);
    for (size_t i = 0; i < 3 && material != NULL; i++) {
        const md5_image_program *const program = view_material_image(material, maps[i]);
        size_t *const of_mesh = &textures->of_mesh[mesh][maps[i]];
        if (program == NULL || *of_mesh != VIEW_NO_TEXTURE)
            continue;
        const view_texture wanted = {
            .path = (char *)(uintptr_t)program->text, .program = program, .map = maps[i]};
        *of_mesh = load_texture(textures, renderer, game, &wanted, log, false);
    }
    return surface.is_staged || textures->of_mesh[mesh][VIEW_MAP_DIFFUSE] != VIEW_NO_TEXTURE;
}

// Loads the maps beside a mesh's texture that the options do not choose.
static void find_maps(view_textures *textures, md5gl_renderer *renderer, uint32_t mesh,
                      view_log *log)
{
    size_t *const of_mesh = textures->of_mesh[mesh];
    if (of_mesh[VIEW_MAP_DIFFUSE] == VIEW_NO_TEXTURE)
        return;
    char *diffuse = common_copy(textures->loaded[of_mesh[VIEW_MAP_DIFFUSE]].path);
    char *folder = common_folder(diffuse);
    common_list files = common_list_folder(folder, "");
    const char *const heights = view_find_map(&files, diffuse, VIEW_MAP_HEIGHT);
    for (view_map map = VIEW_MAP_NORMALS; map < VIEW_NUM_MAPS; map++) {
        const char *const path = view_find_map(&files, diffuse, map);
        const bool done = map == VIEW_MAP_HEIGHT && of_mesh[VIEW_MAP_NORMALS] != VIEW_NO_TEXTURE;
        if (path == NULL || done || of_mesh[map] != VIEW_NO_TEXTURE || strcmp(path, diffuse) == 0)
            continue;
        const size_t loaded = load_file(textures, renderer, map, path,
                                        map == VIEW_MAP_NORMALS ? heights : NULL, log, false);
        of_mesh[map] = loaded;
        if (loaded != VIEW_NO_TEXTURE)
            view_debug(log, "%s of mesh %u: %s%s%s", view_map_name(map), (unsigned)mesh, path,
                       map == VIEW_MAP_NORMALS && heights != NULL ? " + " : "",
                       map == VIEW_MAP_NORMALS && heights != NULL ? common_base(heights) : "");
    }
    common_free_list(&files);
    free(folder);
    free(diffuse);
}

// Loads what the options choose: for all meshes first, so that a choice for one overrides it.
static bool use_choices(view_textures *textures, md5gl_renderer *renderer, const md5_model *model,
                        const view_options *options, view_log *log)
{
    const size_t count = options != NULL ? options->num_textures : 0;
    for (size_t i = 0; i < 2 * count; i++) {
        const view_texture_choice *const choice = &options->textures[i < count ? i : i - count];
        if ((choice->mesh != NULL) != (i >= count))
            continue;
        const uint32_t mesh = choice->mesh != NULL ? find_mesh(model, choice->mesh) : 0;
        if (mesh >= model->num_meshes && choice->mesh != NULL) {
            view_error(log, "--texture: no mesh \"%s\"; the model has %u", choice->mesh,
                       (unsigned)model->num_meshes);
            return false;
        }
        const size_t loaded =
            load_file(textures, renderer, choice->map, choice->file, NULL, log, true);
        if (loaded == VIEW_NO_TEXTURE)
            return false;
        for (uint32_t m = 0; m < model->num_meshes; m++)
            if (choice->mesh == NULL || m == mesh)
                textures->of_mesh[m][choice->map] = loaded;
    }
    return true;
}

// The file of a model in a game folder, to be freed; NULL if it is an entity or in an archive.
static char *file_in_game(const char *text)
{
    view_address address;
    if (!view_read_address(text, &address))
        return NULL;
    char *path = common_format("%s/%s", address.place, address.name);
    if (!common_is_file(path)) {
        free(path);
        path = NULL;
    }
    view_free_address(&address);
    return path;
}

// Finds the textures of a mesh: in the game, if there is one, then as without.
static void find_mesh_textures(view_textures *textures, md5gl_renderer *renderer,
                               const md5_model *model, uint32_t mesh, view_look_search *search,
                               view_log *log)
{
    const char *const shader = model->meshes[mesh].shader;
    size_t *const diffuse = &textures->of_mesh[mesh][VIEW_MAP_DIFFUSE];
    md5_game *const game = textures->game != NULL || *diffuse != VIEW_NO_TEXTURE
                               ? textures->game
                               : view_package_game(search->package, log);
    const bool is_declared = game != NULL && md5_find_decl(game, MD5_DECL_MATERIAL, shader) != NULL;
    const bool is_in_game = is_declared || textures->game != NULL;
    if (is_in_game
        && (use_game(textures, renderer, mesh, game, shader, log) || search->package == NULL))
        return;
    search->mesh = mesh;
    // What the game lacks has been reported.
    if (*diffuse == VIEW_NO_TEXTURE || search->said != NULL)
        find_and_use(textures, renderer, search, is_in_game, log);
    if (!is_declared)
        find_maps(textures, renderer, mesh, log);
}

bool view_load_textures(view_textures *textures, md5gl_renderer *renderer, const md5_model *model,
                        const char *model_path, md5_game *game, const view_look *said,
                        uint32_t num_said, const view_options *options,
                        const view_chosen_list *chosen, view_log *log)
{
    *textures = (view_textures){.num_meshes = model->num_meshes, .game = game};
    textures->of_mesh = common_alloc(model->num_meshes, sizeof *textures->of_mesh);
    textures->looks = common_alloc(model->num_meshes, sizeof *textures->looks);
    textures->two_sided = common_alloc(model->num_meshes, sizeof *textures->two_sided);
    textures->turns = common_alloc(model->num_meshes, sizeof *textures->turns);
    textures->alpha_test = common_alloc(model->num_meshes, sizeof *textures->alpha_test);
    textures->opaque = common_alloc(model->num_meshes, sizeof *textures->opaque);
    for (uint32_t i = 0; i < model->num_meshes; i++)
        for (int map = 0; map < VIEW_NUM_MAPS; map++)
            textures->of_mesh[i][map] = VIEW_NO_TEXTURE;
    if (!use_choices(textures, renderer, model, options, log)) {
        view_free_textures(textures, renderer);
        return false;
    }
    char *const in_game = game != NULL ? file_in_game(model_path) : NULL;
    const char *const file = game != NULL ? in_game : model_path;
    view_look_search search = {.model_path = file,
                               .model = model,
                               .package = file != NULL ? view_open_package(file) : NULL,
                               .skin = options != NULL ? options->skin : 0};
    if (search.skin > 0 && game == NULL && view_quake_of(model_path) == VIEW_QUAKE_NONE)
        view_warn(log, "--skin: only models of the Quake re-releases have skins by numbers");
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        view_log_progress(log, "textures", i, model->num_meshes);
        if (model->meshes[i].num_triangles == 0)
            continue;
        size_t *const diffuse = &textures->of_mesh[i][VIEW_MAP_DIFFUSE];
        const char *const own = view_chosen_texture(chosen, model_path, i);
        if (own != NULL && *diffuse == VIEW_NO_TEXTURE) { // the options come first
            *diffuse = load_file(textures, renderer, VIEW_MAP_DIFFUSE, own, NULL, log, false);
            textures->looks[i].is_chosen = *diffuse != VIEW_NO_TEXTURE;
        }
        search.said = i < num_said ? &said[i] : NULL;
        find_mesh_textures(textures, renderer, model, i, &search, log);
        if (*diffuse == VIEW_NO_TEXTURE)
            view_lack_diffuse(&textures->layers, i);
    }
    free(in_game);
    textures->package = search.package;
    view_sort_layers(&textures->layers, model->num_meshes);
    view_log_progress(log, "textures", model->num_meshes, model->num_meshes);
    return true;
}

bool view_use_texture(view_textures *textures, md5gl_renderer *renderer, const char *path,
                      view_log *log)
{
    const size_t loaded = load_file(textures, renderer, VIEW_MAP_DIFFUSE, path, NULL, log, false);
    for (uint32_t i = 0; i < textures->num_meshes && loaded != VIEW_NO_TEXTURE; i++)
        textures->of_mesh[i][VIEW_MAP_DIFFUSE] = loaded;
    char *const dropped = common_copy(path); // `path` may be textures->dropped itself
    free(textures->dropped);
    textures->dropped = dropped;
    return loaded != VIEW_NO_TEXTURE;
}

void view_free_textures(view_textures *textures, md5gl_renderer *renderer)
{
    for (size_t i = 0; i < textures->num_loaded; i++) {
        md5gl_destroy_texture(renderer, textures->loaded[i].texture);
        free(textures->loaded[i].path);
        free(textures->loaded[i].heights);
        free(textures->loaded[i].base);
    }
    for (uint32_t i = 0; i < textures->num_meshes; i++)
        view_free_look(&textures->looks[i]);
    view_free_layers(&textures->layers, renderer);
    view_close_package(textures->package);
    free(textures->looks);
    free(textures->two_sided);
    free(textures->alpha_test);
    free(textures->opaque);
    free(textures->turns);
    free(textures->loaded);
    free(textures->dropped);
    free(textures->of_mesh);
    *textures = (view_textures){0};
}

// -- Of meshes -----------------------------------------------------------------------------------

// The textures that were loaded for a mesh: as its material, and as the panel lists them.

static md5gl_texture map_texture(const view_textures *textures, uint32_t mesh, view_map map)
{
    const size_t loaded = textures->of_mesh[mesh][map];
    return loaded != VIEW_NO_TEXTURE ? textures->loaded[loaded].texture : 0;
}

md5gl_material view_mesh_material(const view_textures *textures, const md5gl_renderer *renderer,
                                  uint32_t mesh, bool maps, double time)
{
    const size_t diffuse = textures->of_mesh[mesh][VIEW_MAP_DIFFUSE];
    const view_turns *const turns = &textures->turns[mesh];
    md5gl_material material = {.diffuse = map_texture(textures, mesh, VIEW_MAP_DIFFUSE)};
    if (material.diffuse == 0)
        material.diffuse = md5gl_checker_texture(renderer);
    if (turns->count > 0 && diffuse == turns->images[0]) { // no other file was dropped on it
        const md5_quake_skins skins = {.num_skins = 1, .num_images = {turns->count}};
        const uint32_t image = md5_quake_image_at(&skins, 0, time);
        material.diffuse = textures->loaded[turns->images[image]].texture;
    }
    const bool is_opaque = textures->opaque[mesh] && textures->dropped == NULL;
    material.is_opaque = is_opaque;
    material.two_sided =
        !is_opaque && diffuse != VIEW_NO_TEXTURE && textures->loaded[diffuse].has_holes;
    material.two_sided = material.two_sided || textures->two_sided[mesh];
    material.alpha_test = textures->alpha_test[mesh];
    if (!maps)
        return material;
    material.normals = map_texture(textures, mesh, VIEW_MAP_NORMALS);
    if (material.normals == 0)
        material.normals = map_texture(textures, mesh, VIEW_MAP_HEIGHT);
    material.specular = map_texture(textures, mesh, VIEW_MAP_SPECULAR);
    material.glow = map_texture(textures, mesh, VIEW_MAP_GLOW);
    return material;
}

const view_texture *view_mesh_image(const view_textures *textures, uint32_t mesh, view_map map)
{
    if (textures->of_mesh == NULL) // none were loaded
        return NULL;
    const size_t loaded = textures->of_mesh[mesh][map];
    return loaded != VIEW_NO_TEXTURE ? &textures->loaded[loaded] : NULL;
}

const char *view_mesh_map_path(const view_textures *textures, uint32_t mesh, view_map map)
{
    const view_texture *const image = view_mesh_image(textures, mesh, map);
    return image != NULL ? image->path : NULL;
}

const view_look *view_mesh_look(const view_textures *textures, uint32_t mesh)
{
    static const view_look none = {0};
    return textures->looks != NULL ? &textures->looks[mesh] : &none;
}

// -- Uploading models ----------------------------------------------------------------------------

md5gl_model *view_create_model(const view_loader *loader, const md5_model *model)
{
    const view_options *const options = loader->options;
    md5_error error;
    md5gl_model *drawn = md5gl_create_model(loader->renderer, model, options->path, &error);
    if (drawn == NULL && options->path != MD5GL_PATH_AUTO && !options->verify
        && error.status == MD5_ERROR_GPU) {
        view_warn(loader->log, "%s; using another vertex path", error.message);
        drawn = md5gl_create_model(loader->renderer, model, MD5GL_PATH_AUTO, &error);
    }
    if (drawn == NULL)
        view_log_error(loader->log, &error);
    return drawn;
}
