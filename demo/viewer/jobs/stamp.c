// Computes a hash of the state of all files of the document. It shows whether a file has changed,
// or a missing file has appeared.
#include "demo/viewer/jobs/view.h"

// Mixes the state of a file into a hash, which is multiplied by 2^64 divided by the golden ratio.
// The state of a missing file, and of the path NULL, is 0.
static void add_file(uint64_t *stamp, const char *path)
{
    const uint64_t state = path != NULL ? common_file_stamp(path) : 0;
    *stamp = (*stamp ^ state) * 0x9E3779B97F4A7C15u;
    *stamp ^= *stamp >> 32;
}

// Adds the files of a state machine to the stamp.
static void add_character(uint64_t *stamp, const md5_character *character)
{
    if (character == NULL)
        return;
    add_file(stamp, character->model_path);
    for (uint32_t i = 0; i < character->num_clips; i++)
        add_file(stamp, character->anim_paths[i]);
}

// Adds all files of a scene to the stamp, which changes if one of them changes.
static void add_scene(uint64_t *stamp, const view_scene *scene)
{
    if (scene->path == NULL)
        return;
    add_file(stamp, scene->path);
    if (scene->fall != NULL)
        add_file(stamp, scene->fall->path);
    for (size_t i = 0; i < scene->num_clips; i++)
        add_file(stamp, scene->clips[i].path);
    add_character(stamp, scene->machine.character);
    if (scene->camera_path.camera != NULL)
        add_file(stamp, scene->camera_path.path);
    if (scene->has_found_clips) {
        // Animations in the model's folder were loaded automatically. Include new files, and files
        // that do not fit yet.
        char *const folder = common_folder(scene->path);
        common_list list = common_list_folder(folder, ".md5anim");
        for (size_t i = 0; i < list.count; i++)
            add_file(stamp, list.names[i]);
        common_free_list(&list);
        free(folder);
    }
}

// Returns true if a mesh has no diffuse texture.
static bool lacks_texture(const view_textures *textures)
{
    for (uint32_t i = 0; i < textures->num_meshes; i++) {
        if (textures->meshes[i].maps[MD5GL_IMAGE_DIFFUSE] == NULL)
            return true;
    }
    return false;
}

// Mixes the states of the textures of a model into a hash. `textures` and the path of the model may
// be NULL.
static void add_textures(uint64_t *stamp, const view_textures *textures, const char *path)
{
    static const char *const subfolders[] = {".", "textures", "images"};
    if (textures == NULL)
        return;
    for (size_t i = 0; i < textures->num_loaded; i++) {
        add_file(stamp, textures->loaded[i]->path);
        if (textures->loaded[i]->heights != NULL)
            add_file(stamp, textures->loaded[i]->heights);
    }

    // A missing texture may appear in one of the folders in which it is searched. This changes the
    // state of the folder, so add the folders to the hash.
    if (path == NULL || !lacks_texture(textures))
        return;
    char *const model_folder = common_folder(path);
    for (size_t i = 0; i < COMMON_LENGTH(subfolders); i++) {
        char *const folder = common_join(model_folder, subfolders[i]);
        add_file(stamp, folder);
        free(folder);
    }
    free(model_folder);
}

// Adds the files of all companions. The files of retargeted and attached models are taken from the
// options, so that files which could not be loaded are included.
static void add_companions(uint64_t *stamp, const view_document *document,
                           const view_options *options)
{
    const char *const attach = options->attach != NULL ? strchr(options->attach, '=') : NULL;
    const char *const attached_path = attach != NULL ? attach + 1 : NULL;
    const char *paths[VIEW_NUM_COMPANIONS] = {options->retarget, attached_path};
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++) {
        const view_companion *const companion = &document->companions[i];
        const view_machine *const machine = companion->machine;
        if (machine != NULL) {
            paths[i] = machine->character->model_path;
            add_character(stamp, machine->character);
        }
        if (i >= VIEW_HELD)
            paths[i] = companion->path;
        add_file(stamp, paths[i]);
        add_textures(stamp, companion->textures, paths[i]);
    }
}

// Includes the files of the document, its textures, its machine, its companions and its crowd.
uint64_t view_stamp_files(const view_state *viewer)
{
    const view_options *const options = viewer->options;
    const view_document *const document = viewer->document;
    uint64_t stamp = 1;
    add_scene(&stamp, &document->scene);
    add_file(&stamp, document->source);
    add_file(&stamp, options->retarget_map);
    add_textures(&stamp, &document->textures, document->scene.path);
    add_companions(&stamp, document, options);
    for (uint32_t i = 0; i < document->crowd.num_kinds; i++) {
        const view_kind *const kind = &document->crowd.kinds[i];
        add_scene(&stamp, &kind->loaded);
        add_textures(&stamp, kind->owned_textures, kind->loaded.path);
    }
    return stamp;
}
