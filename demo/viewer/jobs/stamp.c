// Computes a hash of the state of all files of the document, to detect that a file has changed or
// that a missing file has appeared.
#include "demo/viewer/jobs/view.h"

// Mixes the state of a file into a hash. A missing file, or the path NULL, has the state 0.
static void add_file(uint64_t *stamp, const char *path)
{
    *stamp = (*stamp ^ (path != NULL ? common_file_stamp(path) : 0)) * 0x9E3779B97F4A7C15u;
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
    if (scene->picked_up) {
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

// Mixes the states of the textures of a model into a hash. `path` is the path of the model, or
// NULL.
static void add_textures(uint64_t *stamp, const view_textures *textures, const char *path)
{
    for (size_t i = 0; textures != NULL && i < textures->num_loaded; i++) {
        add_file(stamp, textures->loaded[i]->path);
        if (textures->loaded[i]->heights != NULL)
            add_file(stamp, textures->loaded[i]->heights);
    }

    // If a texture is missing, it may appear in one of the folders in which it is searched. This
    // changes the state of the folder.
    bool is_texture_missing = false;
    for (uint32_t i = 0; textures != NULL && i < textures->num_meshes; i++) {
        const bool has_image = textures->meshes[i].maps[MD5GL_IMAGE_DIFFUSE] != NULL;
        is_texture_missing = is_texture_missing || !has_image;
    }
    if (!is_texture_missing || path == NULL)
        return;
    static const char *const subfolders[] = {".", "textures", "images"};
    char *const model_folder = common_folder(path);
    for (size_t i = 0; i < COMMON_LENGTH(subfolders); i++) {
        char *const folder = common_join(model_folder, subfolders[i]);
        add_file(stamp, folder);
        free(folder);
    }
    free(model_folder);
}

// Includes the files of the document, its textures, its machine, its companions and its crowd.
uint64_t view_stamp_files(const view_state *viewer)
{
    const view_options *const options = viewer->options;
    const char *const attached = options->attach != NULL ? strchr(options->attach, '=') : NULL;
    const char *companions[VIEW_NUM_COMPANIONS] = {options->retarget,
                                                   attached != NULL ? attached + 1 : NULL};
    uint64_t stamp = 1;
    add_scene(&stamp, &viewer->document->scene);
    add_file(&stamp, viewer->document->source);
    add_file(&stamp, options->retarget_map);
    add_textures(&stamp, &viewer->document->textures, viewer->document->scene.path);
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++) {
        const view_machine *const machine = viewer->document->companions[i].machine;
        if (machine != NULL) {
            companions[i] = machine->character->model_path;
            add_character(&stamp, machine->character);
        }
        if (i >= VIEW_HELD)
            companions[i] = viewer->document->companions[i].path;
        add_file(&stamp, companions[i]);
        add_textures(&stamp, viewer->document->companions[i].textures, companions[i]);
    }
    for (uint32_t i = 0; i < viewer->document->crowd.num_kinds; i++) {
        view_kind *const kind = &viewer->document->crowd.kinds[i];
        add_scene(&stamp, &kind->loaded);
        add_textures(&stamp, kind->own_textures, kind->loaded.path);
    }
    return stamp;
}
