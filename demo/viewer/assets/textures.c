#include "demo/viewer/assets/textures.h"

#include "demo/common/file.h"
#include "demo/viewer/assets/file_words.h"
#include "demo/viewer/assets/image.h"
#include "demo/viewer/assets/library.h"

#include <stdlib.h>
#include <string.h>

// -- Loading --------------------------------------------------------------------------------

// What is common to all meshes while textures are loaded.
typedef struct dresser {
    view_textures *textures;
    md5gl_renderer *renderer;
    view_look_search search; // package: NULL if there is nothing to search
    view_log *log;
} dresser;

static bool upload_image(const dresser *d, view_texture *texture, md5_game *game,
                         view_image_fault *fault)
{
    const view_map map = texture->map;
    const bool is_normals = map == VIEW_MAP_NORMALS || map == VIEW_MAP_HEIGHT;
    view_image image, other = {NULL, 0, 0}; // other: heights, or what glows
    view_image_fault ignored;
    md5_error error = {0};
    uint32_t normals = 0;
    if (texture->program != NULL ? !view_read_game_image(game, texture->program, &image, fault)
                                 : !view_read_image(texture->path, &image, fault))
        return false;
    if (texture->is_masks && map == VIEW_MAP_SPECULAR) {
        view_make_highlights(&image, texture->share);
    } else if (texture->is_masks) {
        if (!view_read_image(texture->base, &other, fault)) {
            free(image.rgba);
            return false;
        }
        view_make_glow(&image, &other, texture->share);
    } else if (map == VIEW_MAP_HEIGHT) {
        other = image;
        image = view_normals_of_heights(&other, 4.0f);
    } else if (is_normals) {
        normals = view_guess_normals(&image);
        // Heights are added only to normals in id's encoding.
        if (normals == 0 && texture->heights != NULL
            && view_read_image(texture->heights, &other, &ignored)) {
            view_image slopes = view_normals_of_heights(&other, 4.0f);
            view_add_slopes(&image, &slopes);
            free(slopes.rgba);
        }
    }
    free(other.rgba);
    const md5gl_texture_desc desc = {.kind =
                                         is_normals ? MD5GL_TEXTURE_NORMALS : MD5GL_TEXTURE_COLOR,
                                     .width = image.width,
                                     .height = image.height,
                                     .texels = image.rgba,
                                     .normals = normals};
    texture->texture = md5gl_create_texture(d->renderer, &desc, &error);
    texture->width = image.width;
    texture->height = image.height;
    texture->has_holes = map == VIEW_MAP_DIFFUSE && view_has_holes(&image);
    free(image.rgba);
    return texture->texture != 0 || view_image_fail(fault, "%s", error.message);
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static char *copy_or_null(const char *text)
{
    return text != NULL ? common_copy(text) : NULL;
}

// Returns what is wanted, whose paths are copied and which is read on first use; NULL if it cannot
// be read. `chosen`: that is an error.
static const view_texture *load_texture(const dresser *d, md5_game *game, view_texture wanted,
                                        bool chosen)
{
    view_textures *const textures = d->textures;
    for (size_t i = 0; i < textures->num_loaded; i++) {
        const view_texture *const known = textures->loaded[i];
        if (known->map == wanted.map && strcmp(known->path, wanted.path) == 0
            && known->is_masks == wanted.is_masks && is_same_text(known->base, wanted.base)
            && known->share == wanted.share && !known->program == !wanted.program)
            return known->texture != 0 ? known : NULL;
    }
    view_image_fault fault;
    view_texture *const texture = common_alloc(1, sizeof *texture);
    *texture = wanted;
    texture->path = common_copy(wanted.path);
    texture->heights = copy_or_null(wanted.heights);
    texture->base = copy_or_null(wanted.base);
    const bool is_there = upload_image(d, texture, game, &fault);
    if (!is_there && chosen)
        view_error(d->log, "%s %s: %s", view_map_name(wanted.map), texture->path, fault.message);
    else if (!is_there && wanted.program != NULL)
        view_warn_lost(&textures->layers.textures, wanted.program->text, fault.message, d->log);
    else if (!is_there)
        view_warn(d->log, "%s %s: %s", view_map_name(wanted.map), texture->path, fault.message);
    textures->loaded =
        common_realloc(textures->loaded, textures->num_loaded + 1, sizeof(view_texture *));
    textures->loaded[textures->num_loaded++] = texture;
    return is_there ? texture : NULL;
}

// The same for a file as it is.
static const view_texture *load_file(const dresser *d, view_map map, const char *path, bool chosen)
{
    return load_texture(d, NULL, (view_texture){.path = (char *)(uintptr_t)path, .map = map},
                        chosen);
}

// Searches how a mesh looks, and loads what the options do not choose. If it is `complete` without
// a texture, that is not missing.
static void find_and_use(const dresser *d, bool complete)
{
    const uint32_t index = d->search.mesh;
    const md5_mesh *const mesh = &d->search.model->meshes[index];
    view_mesh_textures *const own = &d->textures->meshes[index];
    view_look *const look = &own->look;
    const bool is_chosen = look->is_chosen || own->maps[VIEW_MAP_DIFFUSE] != NULL;
    *look = view_find_look(&d->search, d->log);
    look->is_chosen = is_chosen;
    if (look->diffuse != NULL && !is_chosen) {
        const view_texture *image = load_file(d, VIEW_MAP_DIFFUSE, look->diffuse, false);
        own->maps[VIEW_MAP_DIFFUSE] = image;
        // Those that are shown in turn: if one cannot be read, the first one stays.
        for (uint32_t i = 0; i <= look->num_turns && look->num_turns > 0 && image != NULL; i++) {
            own->turns[own->num_turns++] = image;
            if (i < look->num_turns)
                image = load_file(d, VIEW_MAP_DIFFUSE, look->turns[i], false);
        }
        if (look->is_guess)
            view_info(d->log, "texture of mesh %u \"%s\" is a guess, by %s: %s", (unsigned)index,
                      mesh->name, look->why, look->diffuse);
        else
            view_debug(d->log, "texture of mesh %u: %s, by %s", (unsigned)index, look->diffuse,
                       look->why);
    } else if (complete) {
        common_free_list(&look->tried); // what was tried is not missing
    } else if (!is_chosen) {
        // The likeliest image and why it was not taken; the others are logged.
        const char *const why = look->tried.count > 0 ? look->tried.names[0] : NULL;
        if (*mesh->shader == '\0' && why == NULL)
            view_warn(d->log, "mesh %u \"%s\" names no shader, so it has no texture; see --texture",
                      (unsigned)index, mesh->name);
        else
            view_warn(d->log, "mesh %u \"%s\": no texture found for shader \"%s\"%s%s",
                      (unsigned)index, mesh->name, mesh->shader, why != NULL ? "; " : "",
                      why != NULL ? why : "");
        for (size_t i = 1; i < look->tried.count; i++)
            view_debug(d->log, "not for mesh %u: %s", (unsigned)index, look->tried.names[i]);
    }

    if (look->normals != NULL && own->maps[VIEW_MAP_NORMALS] == NULL)
        own->maps[VIEW_MAP_NORMALS] = load_file(d, VIEW_MAP_NORMALS, look->normals, false);
    // Masks are highlights, and what glows in the colours of the texture that they are declared
    // with.
    view_texture masks = {
        .path = look->masks, .map = VIEW_MAP_SPECULAR, .is_masks = true, .share = look->specular};
    if (look->masks != NULL && own->maps[VIEW_MAP_SPECULAR] == NULL)
        own->maps[VIEW_MAP_SPECULAR] = load_texture(d, NULL, masks, false);
    masks.map = VIEW_MAP_GLOW;
    masks.share = look->glow;
    masks.base = look->diffuse;
    // Masks that could not be read were reported with the highlights.
    if (look->masks != NULL && look->is_declared && own->maps[VIEW_MAP_DIFFUSE] != NULL
        && own->maps[VIEW_MAP_SPECULAR] != NULL && own->maps[VIEW_MAP_GLOW] == NULL)
        own->maps[VIEW_MAP_GLOW] = load_texture(d, NULL, masks, false);
    own->two_sided = own->two_sided || look->two_sided;
    if (look->alpha_test > 0.0f)
        own->alpha_test = look->alpha_test;
}

// Loads the maps that a mesh's material in a game has, and takes what is declared besides. Returns
// whether it needs no other texture.
static bool use_game(const dresser *d, uint32_t mesh, md5_game *game, const char *shader)
{
    static const view_map maps[] = {VIEW_MAP_DIFFUSE, VIEW_MAP_NORMALS, VIEW_MAP_SPECULAR};
    view_mesh_textures *const own = &d->textures->meshes[mesh];
    const view_layer_surface surface =
        view_add_layers(&d->textures->layers, d->renderer, game, mesh, shader, d->log);
    own->two_sided = own->two_sided || surface.two_sided;
    own->opaque = surface.is_declared && !surface.is_cut;
    if (surface.is_cut)
        own->alpha_test = surface.alpha_test;
    const md5_material *const material = md5_game_material(game, shader, NULL);
    for (size_t i = 0; i < 3 && material != NULL; i++) {
        const md5_image_program *const program = view_material_image(material, maps[i]);
        if (program != NULL && own->maps[maps[i]] == NULL)
            own->maps[maps[i]] = load_texture(
                d, game,
                (view_texture){
                    .path = (char *)(uintptr_t)program->text, .program = program, .map = maps[i]},
                false);
    }
    return surface.is_staged || own->maps[VIEW_MAP_DIFFUSE] != NULL;
}

// Loads the maps beside a mesh's texture that the options do not choose.
static void find_maps(const dresser *d, uint32_t mesh)
{
    const view_texture **const own = d->textures->meshes[mesh].maps;
    if (own[VIEW_MAP_DIFFUSE] == NULL)
        return;
    const char *const diffuse = own[VIEW_MAP_DIFFUSE]->path;
    char *const folder = common_folder(diffuse);
    common_list files = common_list_folder(folder, "");
    for (view_map map = VIEW_MAP_NORMALS; map < VIEW_NUM_MAPS; map++) {
        const char *const path = view_find_map(&files, diffuse, map);
        const bool is_done = map == VIEW_MAP_HEIGHT && own[VIEW_MAP_NORMALS] != NULL;
        if (path == NULL || is_done || own[map] != NULL || strcmp(path, diffuse) == 0)
            continue;
        // Slopes of heights are added to normals.
        const char *const heights =
            map == VIEW_MAP_NORMALS ? view_find_map(&files, diffuse, VIEW_MAP_HEIGHT) : NULL;
        own[map] = load_texture(d, NULL,
                                (view_texture){.path = (char *)(uintptr_t)path,
                                               .heights = (char *)(uintptr_t)heights,
                                               .map = map},
                                false);
        if (own[map] != NULL)
            view_debug(d->log, "%s of mesh %u: %s%s%s", view_map_name(map), (unsigned)mesh, path,
                       heights != NULL ? " + " : "", heights != NULL ? common_base(heights) : "");
    }
    common_free_list(&files);
    free(folder);
}

// Loads what the options choose: for all meshes first, so that a choice for one overrides it.
static bool use_choices(const dresser *d, const view_options *options)
{
    const md5_model *const model = d->search.model;
    const size_t count = options != NULL ? options->num_textures : 0;
    for (size_t i = 0; i < 2 * count; i++) {
        const view_texture_choice *const choice = &options->textures[i < count ? i : i - count];
        if ((choice->mesh != NULL) != (i >= count))
            continue;
        uint32_t mesh = choice->mesh != NULL ? md5_find_mesh(model, choice->mesh) : 0;
        if (mesh == MD5_NONE && choice->mesh[0] >= '0'
            && choice->mesh[0] <= '9') { // or else its number
            char *end = NULL;
            const unsigned long number = strtoul(choice->mesh, &end, 10);
            mesh = *end == '\0' && number < model->num_meshes ? (uint32_t)number : MD5_NONE;
        }
        if (mesh == MD5_NONE) {
            view_error(d->log, "--texture: no mesh \"%s\"; the model has %u", choice->mesh,
                       (unsigned)model->num_meshes);
            return false;
        }
        const view_texture *const loaded = load_file(d, choice->map, choice->file, true);
        if (loaded == NULL)
            return false;
        for (uint32_t m = 0; m < model->num_meshes; m++)
            if (choice->mesh == NULL || m == mesh)
                d->textures->meshes[m].maps[choice->map] = loaded;
    }
    return true;
}

bool view_load_textures(view_textures *textures, const view_loader *loader,
                        const view_dressing *dressing)
{
    const md5_model *const model = dressing->model;
    md5_game *const game = dressing->game;
    const view_options *const options = dressing->options;
    *textures = (view_textures){
        .num_meshes = model->num_meshes,
        .game = game,
        .meshes = common_alloc(model->num_meshes, sizeof *textures->meshes),
    };
    dresser d = {textures, loader->renderer, {.model = model}, loader->log};
    if (!use_choices(&d, options)) {
        view_free_textures(textures, d.renderer);
        return false;
    }
    // The file of a model in a game folder; none if it is an entity or in an archive.
    view_address address;
    char *file = NULL;
    if (game == NULL) {
        file = common_copy(dressing->path);
    } else if (view_read_address(dressing->path, &address)) {
        file = common_format("%s/%s", address.place, address.name);
        view_free_address(&address);
    }
    const bool has_file = file != NULL && (game == NULL || common_is_file(file));
    d.search.model_path = file;
    d.search.package = textures->package = has_file ? view_open_package(file) : NULL;
    d.search.skin = options != NULL ? options->skin : 0;
    if (d.search.skin > 0 && game == NULL && view_quake_of(dressing->path) == VIEW_QUAKE_NONE)
        view_warn(d.log, "--skin: only models of the Quake re-releases have skins by numbers");
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        view_log_progress(d.log, "textures", i, model->num_meshes);
        if (model->meshes[i].num_triangles == 0)
            continue;
        view_mesh_textures *const own = &textures->meshes[i];
        const view_texture **const diffuse = &own->maps[VIEW_MAP_DIFFUSE];
        const char *const chosen = view_chosen_texture(loader->chosen, dressing->path, i);
        const char *const shader = model->meshes[i].shader;
        if (chosen != NULL && *diffuse == NULL) { // the options come first
            *diffuse = load_file(&d, VIEW_MAP_DIFFUSE, chosen, false);
            own->look.is_chosen = *diffuse != NULL;
        }
        d.search.mesh = i;
        d.search.said = i < dressing->num_said ? &dressing->said[i] : NULL;
        // In the game, if there is one, then as without.
        md5_game *const declares =
            game != NULL || *diffuse != NULL ? game : view_package_game(d.search.package, d.log);
        const bool is_declared =
            declares != NULL && md5_find_decl(declares, MD5_DECL_MATERIAL, shader) != NULL;
        const bool is_in_game = is_declared || game != NULL;
        const bool is_found = is_in_game && use_game(&d, i, declares, shader);
        if (!is_found && (!is_in_game || d.search.package != NULL)) {
            // What the game lacks has been reported.
            if (*diffuse == NULL || d.search.said != NULL)
                find_and_use(&d, is_in_game);
            if (!is_declared)
                find_maps(&d, i);
        }
        if (*diffuse == NULL)
            view_lack_diffuse(&textures->layers, i);
    }
    free(file);
    view_sort_layers(&textures->layers, model->num_meshes);
    view_log_progress(d.log, "textures", model->num_meshes, model->num_meshes);
    return true;
}

bool view_use_texture(view_textures *textures, md5gl_renderer *renderer, const char *path,
                      view_log *log)
{
    const dresser d = {.textures = textures, .renderer = renderer, .log = log};
    const view_texture *const loaded = load_file(&d, VIEW_MAP_DIFFUSE, path, false);
    for (uint32_t i = 0; i < textures->num_meshes && loaded != NULL; i++)
        textures->meshes[i].maps[VIEW_MAP_DIFFUSE] = loaded;
    char *const dropped = common_copy(path); // `path` may be textures->dropped itself
    free(textures->dropped);
    textures->dropped = dropped;
    return loaded != NULL;
}

void view_free_textures(view_textures *textures, md5gl_renderer *renderer)
{
    for (size_t i = 0; i < textures->num_loaded; i++) {
        view_texture *const texture = textures->loaded[i];
        md5gl_destroy_texture(renderer, texture->texture);
        free(texture->path);
        free(texture->heights);
        free(texture->base);
        free(texture);
    }
    for (uint32_t i = 0; i < textures->num_meshes; i++)
        view_free_look(&textures->meshes[i].look);
    view_free_layers(&textures->layers, renderer);
    view_close_package(textures->package);
    free(textures->meshes);
    free(textures->loaded);
    free(textures->dropped);
    *textures = (view_textures){0};
}

// -- Of meshes -----------------------------------------------------------------------------------

// The textures that were loaded for a mesh: as its material, and as the panel lists them.

md5gl_material view_mesh_material(const view_textures *textures, const md5gl_renderer *renderer,
                                  uint32_t mesh, bool maps, double time)
{
    const view_mesh_textures *const own = &textures->meshes[mesh];
    const view_texture *const diffuse = own->maps[VIEW_MAP_DIFFUSE];
    const bool is_opaque = own->opaque && textures->dropped == NULL;
    md5gl_texture drawn[VIEW_NUM_MAPS];
    for (int map = 0; map < VIEW_NUM_MAPS; map++)
        drawn[map] = own->maps[map] != NULL ? own->maps[map]->texture : 0;
    md5gl_material material = {
        .diffuse = diffuse != NULL ? diffuse->texture : md5gl_checker_texture(renderer),
        .alpha_test = own->alpha_test,
        .is_opaque = is_opaque,
        .two_sided = own->two_sided || (!is_opaque && diffuse != NULL && diffuse->has_holes),
    };
    if (own->num_turns > 0 && diffuse == own->turns[0]) { // no other file was dropped on it
        const md5_quake_skins skins = {.num_skins = 1, .num_images = {own->num_turns}};
        material.diffuse = own->turns[md5_quake_image_at(&skins, 0, time)]->texture;
    }
    if (!maps)
        return material;
    material.normals = drawn[drawn[VIEW_MAP_NORMALS] != 0 ? VIEW_MAP_NORMALS : VIEW_MAP_HEIGHT];
    material.specular = drawn[VIEW_MAP_SPECULAR];
    material.glow = drawn[VIEW_MAP_GLOW];
    return material;
}

const view_texture *view_mesh_image(const view_textures *textures, uint32_t mesh, view_map map)
{
    return textures->meshes != NULL ? textures->meshes[mesh].maps[map] : NULL;
}

const char *view_mesh_map_path(const view_textures *textures, uint32_t mesh, view_map map)
{
    const view_texture *const image = view_mesh_image(textures, mesh, map);
    return image != NULL ? image->path : NULL;
}

const view_look *view_mesh_look(const view_textures *textures, uint32_t mesh)
{
    static const view_look none = {0};
    return textures->meshes != NULL ? &textures->meshes[mesh].look : &none;
}

// -- Uploading models ----------------------------------------------------------------------------

md5gl_model *view_create_model(const view_loader *loader, const md5_model *model)
{
    const view_options *const options = loader->options;
    md5_error error = {0};
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

bool view_upload(const view_loader *loader, const view_dressing *dressing, md5gl_model **drawn,
                 view_textures *textures)
{
    *textures = (view_textures){0};
    *drawn = view_create_model(loader, dressing->model);
    if (*drawn == NULL)
        return false;
    if (!view_load_textures(textures, loader, dressing)) {
        md5gl_destroy_model(loader->renderer, *drawn);
        *drawn = NULL;
        return false;
    }
    view_set_deforms(&textures->layers, loader->renderer, *drawn, dressing->model, loader->log);
    return true;
}
