// Checks the files of a game folder: models with their materials, clips with the mesh of their
// model, and images.
#include "demo/looks/image.h"
#include "demo/tool/game.h"

// -- Models and clips -----------------------------------------------------------------------------

// Checks the shaders of all meshes in a file. A shader must be the name of a declared material or
// of an image; otherwise a violation is printed. Empty and absolute names are skipped, because
// other rules report them.
void tool_check_surfaces(tool_game *game, const md5_check *file)
{
    for (uint32_t i = 0; i < file->num_shaders; i++) {
        const md5_check_shader *const shader = &file->shaders[i];
        const char *const name = shader->name;
        const md5_decl *const decl = md5_find_decl(game->md5, MD5_DECL_MATERIAL, name);
        const char *const image = md5_game_image_file(game->md5, name);
        if (decl && decl->file) {
            game->is_on_surface[decl->index] = true;
        } else if (image) {
            common_add(&game->surface_images, common_copy(image));
        } else {
            const bool is_name = name[0] && !common_is_absolute(name);
            const text_position position = {shader->line, shader->column};
            if (is_name && !tool_has_image(game, name))
                tool_print_missing_material(game, file->file, position, name);
        }
    }
}

// Removes stored warnings about problems that a rule reports for the same line.
static void drop_reported_warnings(tool_game *game, const md5_check *file)
{
    size_t num_kept = 0;
    for (size_t i = 0; i < game->num_warnings; i++) {
        if (!tool_is_reported_by_rule(file, &game->warnings[i]))
            game->warnings[num_kept++] = game->warnings[i];
    }
    game->num_warnings = num_kept;
}

// Reads a model, clip or camera path of the game and checks it. Prints the warnings and the error
// of the reader, and then the violations of rules. The check is stored, because clips are later
// checked with their meshes.
static void check_file(tool_game *game, const char *name)
{
    const md5_load_opts opts = {
        .files = md5_game_files(game->md5), .warn = tool_store_game_warning, .warn_user = game};
    tool_asset asset;
    md5_error error = {0};
    tool_load(name, &opts, &asset, &error);
    md5_check *const check = tool_check_file(game->md5, name, game->check->requested);
    if (check && asset.model)
        md5_check_model(check, asset.model);

    drop_reported_warnings(game, check);
    tool_print_game_warnings(game);
    if (error.status != MD5_OK && !tool_is_reported_by_rule(check, &error))
        tool_print_game_error(game, &error);
    tool_print_file_diagnostics(game, check);
    if (check) {
        tool_check_surfaces(game, check);
        game->files = common_grow(game->files, game->num_files, sizeof *game->files);
        game->files[game->num_files++] = (tool_checked_file){.check = check};
    }
    tool_free(&asset);
}

// Orders checked files by path, ignoring case, for sorting and for find_file().
static int compare_files(const void *a, const void *b)
{
    return common_compare_case(((const tool_checked_file *)a)->check->file,
                               ((const tool_checked_file *)b)->check->file);
}

// Reads and checks all models, clips and camera paths of the game, one after the other, and
// sorts the results by name for find_file().
void tool_check_game_files(tool_game *game)
{
    const size_t count = md5_game_num_files(game->md5);
    for (size_t i = 0; i < count; i++) {
        const char *const name = md5_game_file(game->md5, i);
        const tool_kind kind = tool_file_kind(name);
        tool_show_progress(i + 1, count);
        if (kind == TOOL_MODEL || kind == TOOL_ANIM || kind == TOOL_CAMERA) {
            check_file(game, name);
            game->check->num_files++;
        }
    }
    common_sort(game->files, game->num_files, sizeof *game->files, compare_files);
}

// Returns the result of a file by binary search. Returns NULL if the file was not checked.
static tool_checked_file *find_file(const tool_game *game, const char *name)
{
    md5_check check = {.file = name}; // the key for the search; compare_files() reads only the path
    const tool_checked_file key = {.check = &check};
    if (game->num_files == 0)
        return NULL;
    return bsearch(&key, game->files, game->num_files, sizeof *game->files, compare_files);
}

// The mesh of a model, and its clips that were checked with it.
typedef struct mesh_clips {
    const char *mesh_path;
    md5_check *mesh_check;
    md5_model *mesh;   // loaded for the first clip
    md5_check **clips; // [num_clips]
    size_t num_clips;
} mesh_clips;

// Checks the motion of a clip with the mesh of a model. A clip that several models use is checked
// only with the first mesh. The mesh is loaded when the first clip needs it.
static void check_clip_motion(mesh_clips *with, const char *path, tool_checked_file *clip,
                              const md5_load_opts *opts)
{
    md5_error error = {0};
    if (clip->has_motion_check)
        return;
    if (!with->mesh)
        with->mesh = md5_load_model(with->mesh_path, opts, &error);
    md5_anim *const anim = with->mesh ? md5_load_anim(path, opts, &error) : NULL;
    if (!anim)
        return;
    tool_check_motion(clip->check, with->mesh, anim);
    clip->has_motion_check = true;
    with->clips = common_grow(with->clips, with->num_clips, sizeof(md5_check *));
    with->clips[with->num_clips++] = clip->check;
    md5_free_anim(anim);
}

// Checks the files of an animation against the mesh of its model. An animation has several files if
// the engine selects one of them at random.
static void check_anim_files(tool_game *game, mesh_clips *with, const md5_model_anim *anim)
{
    const md5_load_opts opts = {.files = md5_game_files(game->md5),
                                .skip_geometry = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS
                                                 | MD5_GEOMETRY_LOSSES};
    for (uint32_t i = 0; i < anim->num_files; i++) {
        tool_checked_file *const clip = find_file(game, anim->files[i]);
        if (!clip)
            continue;
        md5_check_pair(with->mesh_check, clip->check);
        check_clip_motion(with, anim->files[i], clip, &opts);
        tool_print_file_diagnostics(game, clip->check);
    }
}

// Checks all clips of a model declaration, and prints their diagnostics. Loads the mesh of the
// model only once for all clips.
void tool_check_clips(tool_game *game, const md5_decl *decl)
{
    md5_error error = {0};
    const md5_model_def *const model = md5_game_model_def(game->md5, decl->name, &error);
    const tool_checked_file *const mesh =
        model && model->mesh ? find_file(game, model->mesh) : NULL;
    if (!mesh)
        return;
    mesh_clips with = {.mesh_path = model->mesh, .mesh_check = mesh->check};
    for (uint32_t i = 0; i < model->num_anims; i++)
        check_anim_files(game, &with, md5_model_def_anim(model, i));

    // This rule compares the directions of all clips of the model, so it is checked last.
    md5_check_turns(with.clips, with.num_clips);
    for (size_t i = 0; i < with.num_clips; i++)
        tool_print_file_diagnostics(game, with.clips[i]);
    free(with.clips);
    md5_free_model(with.mesh);
}

// -- Images ---------------------------------------------------------------------------------------

// Returns the length of a path without the extension, if it has one.
static size_t length_without_extension(const char *path)
{
    const char *const dot = strrchr(common_base(path), '.');
    return dot ? (size_t)(dot - path) : strlen(path);
}

// Returns true if two paths are equal or differ only in their extensions.
static bool is_same_without_extension(const char *a, const char *b)
{
    const size_t length = length_without_extension(a);
    return length == length_without_extension(b) && memcmp(a, b, length) == 0;
}

// Prints that an image of a material is missing, with a similar image as a suggestion, or with the
// image in a format that the engine does not read.
static void print_missing_image(tool_game *game, const md5_decl *decl, const char *name)
{
    const text_position position = tool_decl_position(decl);
    char *const similar = tool_near_image(game->md5, name, &game->work);
    if (similar && is_same_without_extension(name, similar))
        tool_print_violation(
            game, decl->file, position, "no-image",
            "material '%.100s': image '%.150s' not found: expected a .tga or .jpg file, found "
            "'%.150s'",
            decl->name, name, similar);
    else if (similar)
        tool_print_violation(game, decl->file, position, "no-image",
                             "material '%.100s': image '%.150s' not found: did you mean '%.150s'?",
                             decl->name, name, similar);
    else
        tool_print_violation(game, decl->file, position, "no-image",
                             "material '%.100s': image '%.150s' not found", decl->name, name);
    free(similar);
}

// Looks up every image of a material's stages. Images of materials on surfaces are stored in a
// separate list, because only these are decoded.
void tool_check_material_images(tool_game *game, const md5_decl *decl)
{
    md5_error error = {0};
    const md5_material *const material = md5_game_material(game->md5, decl->name, &error);
    common_list *const images =
        game->is_on_surface[decl->index] ? &game->surface_images : &game->non_surface_images;
    for (uint32_t i = 0; material && i < material->num_stages; i++) {
        const md5_stage *const stage = &material->stages[i];
        for (uint32_t k = 0; k < stage->image.num_steps; k++) {
            if (stage->image.steps[k].kind != MD5_IMAGE_FILE)
                continue;
            const char *const name = stage->image.steps[k].file;
            const char *const file = md5_game_image_file(game->md5, name);
            if (file)
                common_add(images, common_copy(file));
            else if (!stage->cube && !tool_has_image(game, name)) // a cube map is six other files
                print_missing_image(game, decl, name);
        }
    }
}

// Decodes an image on a surface, and adds a violation if its content is damaged. Images in .bmp
// files and in formats that this build does not read are skipped.
static void decode_surface_image(tool_game *game, const char *name, md5_check *check)
{
    if (common_has_suffix(name, ".bmp"))
        return;
    size_t size = 0;
    char *const bytes = tool_read_file(game->md5, name, &size);
    if (!bytes)
        return;

    md5_error error = {0};
    view_image image = {.rgba = NULL};
    const bool is_decoded =
        view_decode_image((uint8_t *)bytes, size, MD5_MAX_IMAGE_PIXELS, &image, &error);
    const bool is_supported = error.status != MD5_ERROR_IO;
    if (!is_decoded && is_supported)
        tool_add_violation(check, "no-image/unreadable", 0, "cannot read the image: %.250s",
                           error.message);
    free(image.rgba);
    free(bytes);
}

// Checks each image of a list once, although the list contains an image several times if several
// materials use it. Images on surfaces are also decoded. Clears the list.
static void check_images(tool_game *game, common_list *images, bool are_on_surfaces)
{
    common_sort(images->names, images->count, sizeof *images->names, common_order_by_case);
    for (size_t i = 0; i < images->count; i++) {
        const char *const name = images->names[i];
        const bool is_repeated = i > 0 && strcmp(name, images->names[i - 1]) == 0;
        if (is_repeated)
            continue;
        md5_check *const check = tool_check_text(name, NULL, 0, game->check->requested);
        tool_check_image(game->md5, check, 0, name);
        if (are_on_surfaces)
            decode_surface_image(game, name, check);
        tool_print_file_diagnostics(game, check);
        md5_free_check(check);
    }
    common_free_list(images);
}

void tool_check_stored_images(tool_game *game)
{
    check_images(game, &game->non_surface_images, false);
    check_images(game, &game->surface_images, true);
}
