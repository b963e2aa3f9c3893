// Loads scenes: a model, a machine, an md5.cfg or a game entity, with clips and a camera path;
// selects clips; uploads the model and its textures. See scene.h.
#include "demo/viewer/motion/motion.h"

#include "demo/viewer/assets/cube.h"

// Maximum total size of animations that are loaded without being named, bytes. Loading them takes a
// fraction of a second, even from a folder with hundreds of files.
#define PICK_UP_LIMIT ((uint64_t)32 << 20)

// Maximum number of warnings per file in a log without a window; further warnings are only counted.
// A window lists all reports.
enum { WARNINGS_A_FILE = 20 };

// Returns the options for loading files of a scene. A scene with its own file access (scene->files)
// is a thumbnail, which is loaded with limited memory and without data that it does not need.
static md5_load_opts make_load_options(const view_scene *scene, view_log *log)
{
    const bool is_small = scene->files != NULL;
    const view_library *const library = scene->library;
    md5_load_opts opts = {
        .warn = view_log_warning,
        .warn_user = log,
        .max_warnings = log->reports != NULL ? VIEW_MAX_REPORTS : WARNINGS_A_FILE,
        .allow_partial_binding = true,
    };
    if (is_small) {
        opts.files = *scene->files;
        opts.allocator.limit = (size_t)128 << 20;
        opts.skip_geometry = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS | MD5_GEOMETRY_LOSSES;
    } else if (library != NULL) {
        opts.files = md5_game_files(library->game);
    }
    return opts;
}

// -- Memory --------------------------------------------------------------------------------------

// Frees a clip. The animations of an entity are owned by the entity.
static void free_clip(view_clip *clip)
{
    md5_free_binding(clip->binding);
    md5_free_scales(clip->scales);
    if (clip->in_entity == 0)
        md5_free_anim(clip->anim);
    free(clip->path);
    free(clip->name);
}

// Frees the arrays of the pose, which another model needs in other sizes.
static void free_pose(view_scene *scene)
{
    for (uint32_t i = 0; i < view_count_meshes(scene) && scene->skinned != NULL; i++)
        free(scene->skinned[i].positions);
    free(scene->skinned);
    free(scene->pose);
    free(scene->joints);
    free(scene->palette);
    free(scene->duals);
    free(scene->joint_bounds);
    scene->pose = NULL;
    scene->joints = NULL;
    scene->palette = NULL;
    scene->duals = NULL;
    scene->joint_bounds = NULL;
    scene->skinned = NULL;
}

static void free_camera_path(view_camera_path *camera_path)
{
    md5_free_camera(camera_path->camera);
    free(camera_path->path);
    free(camera_path->name);
}

void view_free_scene(view_scene *scene)
{
    free_pose(scene);
    view_free_machine(&scene->machine); // uses the clips
    for (size_t i = 0; i < scene->num_clips; i++)
        free_clip(&scene->clips[i]);
    free(scene->clips);
    view_free_fall(scene->fall);
    if (scene->library != NULL) // only models of a game have an entity
        view_free_entity(&scene->entity);
    md5_free_model(scene->own_model);
    md5_free_model(scene->dressed);
    convert_free_scene(&scene->wardrobe);
    view_drop_library(scene->library);
    for (uint32_t i = 0; i < scene->num_looks; i++)
        view_free_look(&scene->looks[i]);
    free(scene->looks);
    free_camera_path(&scene->camera_path);
    free(scene->path);
    free(scene->name);
    *scene = (view_scene){0};
}

// Allocates the arrays of the pose for a skeleton and, if the scene has a model, for its
// vertices.
void view_make_pose(view_scene *scene, const md5_skeleton *skeleton)
{
    free_pose(scene);
    scene->skeleton = skeleton;
    scene->num_joints = skeleton->num_joints;
    scene->pose = common_alloc(skeleton->num_joints, sizeof *scene->pose);
    scene->joints = common_alloc(skeleton->num_joints, sizeof *scene->joints);
    scene->palette = common_alloc(skeleton->num_joints, sizeof *scene->palette);
    scene->duals = common_alloc(skeleton->num_joints, sizeof *scene->duals);
    if (scene->model == NULL)
        return;
    scene->joint_bounds = common_alloc(skeleton->num_joints, sizeof *scene->joint_bounds);
    md5_build_joint_bounds(scene->model, scene->joint_bounds);
    const uint32_t num_meshes = scene->model->num_meshes;
    scene->skinned = common_alloc(num_meshes, sizeof *scene->skinned);
    for (uint32_t i = 0; i < num_meshes; i++) {
        const size_t count = scene->model->meshes[i].num_vertices;
        scene->skinned[i].positions = common_alloc(2 * count, sizeof(md5_vec3));
        scene->skinned[i].normals = scene->skinned[i].positions + count;
    }
}

// Logs a note of the conversion that merges an outfit, except the note that nothing has moved.
static void log_outfit_note(void *log, const char *text)
{
    if (strstr(text, " 0 units elsewhere") == NULL)
        view_warn(log, "%s", text);
}

// Joins models, such as clothes, with the scene's model by the converter, which matches joints
// by name.
bool view_attach_outfits(view_scene *scene, const common_texts *files, view_log *log)
{
    const md5_character *const character = scene->machine.character;
    const char *const path = character != NULL ? character->model_path : scene->path;
    const convert_job job = {.inputs = &path,
                             .num_inputs = 1,
                             .outfits = *files,
                             .is_forced = true,
                             .note = log_outfit_note,
                             .user = log};
    md5_error error = {0};
    if (convert_read_all(&job, &scene->wardrobe, &error))
        scene->dressed = convert_parse_model(convert_find_model(&scene->wardrobe), &error);
    if (scene->dressed == NULL)
        return view_log_error(log, &error);
    free_pose(scene);
    scene->model = scene->dressed;
    view_make_pose(scene, &scene->model->skeleton);
    return true;
}

// -- Clips ---------------------------------------------------------------------------------------

// Applies the rules of the Quake re-releases to a clip that was loaded from a file: their frame
// rate, and the joint scales in an .md5scale file of the same name.
static void apply_quake_conventions(const view_scene *scene, view_clip *clip, view_log *log)
{
    md5_error error = {0};
    const md5_load_opts opts = make_load_options(scene, log);
    if (scene->files != NULL || scene->library != NULL)
        return;
    // Both games play ten frames per second, independent of the file's rate.
    const double rate = 10;
    if (view_detect_quake_game(clip->path) != VIEW_QUAKE_NONE) {
        clip->anim->frame_rate = rate;
        clip->anim->duration = (clip->anim->num_frames - 1) / rate;
    }
    char *const folder = common_folder(clip->path);
    char *const name = common_format("%s.md5scale", clip->name);
    char *const path = common_find(folder, name);
    clip->scales = path != NULL ? md5_load_scales(path, clip->anim, &opts, &error) : NULL;
    if (clip->scales == NULL && path != NULL)
        view_log_warning(log, &error);
    free(folder);
    free(name);
    free(path);
}

// Binds a loaded clip to the scene and takes it over.
bool view_append_clip(view_scene *scene, view_clip clip, const md5_load_opts *opts,
                      md5_error *error)
{
    const md5_anim *const anim = clip.anim;
    if (anim != NULL && scene->model != NULL)
        clip.binding = md5_bind(scene->model, anim, opts, error);
    else if (anim != NULL)
        clip.binding = md5_bind_skeleton(&anim->skeleton, anim->base_frame, anim, opts, error);
    if (clip.binding == NULL) {
        free_clip(&clip);
        return false;
    }
    scene->clips = common_realloc(scene->clips, scene->num_clips + 1, sizeof *scene->clips);
    scene->clips[scene->num_clips++] = clip;
    return true;
}

// Loads and binds a clip that was requested: a file, or a name in the scene's library.
static bool load_clip(view_scene *scene, const char *file, view_log *log)
{
    md5_error error = {0};
    md5_load_opts opts = make_load_options(scene, log);
    view_clip clip = {.name = common_stem(file), .anim = md5_load_anim(file, &opts, &error)};
    if (scene->library != NULL)
        clip.path = view_make_address(scene->library->place, file, NULL);
    else
        clip.path = common_copy(file);

    // Warnings of the binding are about the clip and the model.
    opts.file_name = file;
    const view_about before = log->about;
    log->about.kind = VIEW_ABOUT_BINDING;
    const bool is_bound = view_append_clip(scene, clip, &opts, &error);
    log->about = before;
    if (!is_bound)
        return view_log_error(log, &error);
    apply_quake_conventions(scene, &scene->clips[scene->num_clips - 1], log);
    return true;
}

// Loads a clip from the model's folder. A clip that does not fit is ignored.
static void load_neighbor_clip(view_scene *scene, const char *path, view_log *log)
{
    md5_error error = {0};
    const view_clip clip = {.path = common_copy(path),
                            .name = common_stem(path),
                            .anim = md5_load_anim(path, NULL, &error)};
    if (!view_append_clip(scene, clip, NULL, &error)) {
        char text[640];
        md5_format_error(&error, text, sizeof text);
        view_debug(log, "skipped animation: %s", text);
        return;
    }

    const uint32_t index = (uint32_t)scene->num_clips - 1;
    view_clip *const added = &scene->clips[index];
    if (added->binding->num_missing > 0) {
        view_debug(log, "skipped animation: %s: it does not animate %u joints of the model", path,
                   added->binding->num_missing);
        free_clip(added);
        scene->num_clips--;
        return;
    }
    if (added->anim->num_warnings > 0)
        view_warn_about(log, (view_about){VIEW_ABOUT_CLIP, index, 0, scene->model},
                        "%s: %u warning%s; open it by name for details", added->name,
                        added->anim->num_warnings, added->anim->num_warnings == 1 ? "" : "s");
    apply_quake_conventions(scene, added, log);
}

// Loads the clips in the model's folder that fit, up to a sum of PICK_UP_LIMIT bytes.
static void load_clips_in_folder(view_scene *scene, view_log *log)
{
    char *folder = common_folder(scene->path);
    common_list list = common_list_folder(folder, ".md5anim");
    uint64_t size = 0;
    for (size_t i = 0; i < list.count; i++) {
        size += common_file_size(list.names[i]);
        if (size > PICK_UP_LIMIT) {
            scene->num_unopened = list.count - i;
            view_info(log,
                      "%zu animations in the model's folder were not loaded; open them by name",
                      scene->num_unopened);
            break;
        }
        if (!view_log_progress(log, "animations", i, list.count))
            break;
        load_neighbor_clip(scene, list.names[i], log);
    }
    common_free_list(&list);
    free(folder);
}

// Returns the index of the clip to show first. A clip with several frames is preferred to a single
// frame; if the user did not name the clips, an idle clip is preferred to the others.
static size_t first_clip(const view_scene *scene)
{
    size_t best = 0;
    int best_merit = -1;
    for (size_t i = 0; i < scene->num_clips; i++) {
        const view_clip *const clip = &scene->clips[i];
        const bool is_idle = scene->picked_up && common_contains(clip->name, "idle");
        const int merit = 2 * (clip->anim->num_frames > 1) + is_idle;
        if (merit > best_merit) {
            best = i;
            best_merit = merit;
        }
    }
    return best;
}

// Returns the index of the clip from this file, or num_clips.
static size_t find_clip(const view_scene *scene, const char *path)
{
    size_t clip = 0;
    while (clip < scene->num_clips && !common_same_file(scene->clips[clip].path, path))
        clip++;
    return clip;
}

// Adds a clip that the user has opened or dropped. The same file replaces the clip that was
// loaded from it.
bool view_add_clip(view_scene *scene, const char *path, view_log *log)
{
    const size_t index = find_clip(scene, path); // num_clips: the clip is new
    const size_t last = scene->num_clips;
    if (!load_clip(scene, path, log))
        return false;
    if (index < last) { // replace the clip by the loaded clip, which is the last
        free_clip(&scene->clips[index]);
        scene->clips[index] = scene->clips[last];
        scene->num_clips--;
    } else if (scene->library == NULL) {
        scene->picked_up = false; // a named clip is loaded again when the files are reloaded
    }
    view_select_clip(scene, index);
    return true;
}

// Loads a camera, and creates a clock for it that passes over cuts.
bool view_load_camera_path(view_scene *scene, const char *path, view_log *log)
{
    md5_error error = {0};
    const md5_load_opts opts = make_load_options(scene, log);
    md5_camera *const camera = md5_load_camera(path, &opts, &error);
    if (camera == NULL)
        return view_log_error(log, &error);

    const double smoothing = scene->camera_path.smoothing;
    free_camera_path(&scene->camera_path);

    // No time passes at a cut, so the clock has one frame less for each.
    const uint32_t last = camera->num_frames - 1;
    const uint32_t num_hidden = camera->num_cuts < last ? camera->num_cuts : last;
    scene->camera_path = (view_camera_path){
        .path = common_copy(path),
        .name = common_stem(path),
        .camera = camera,
        .clock = {.num_frames = camera->num_frames - num_hidden,
                  .frame_rate = camera->frame_rate,
                  .duration = camera->duration},
        .smoothing = smoothing,
    };
    return true;
}

// Ends the death of a character, because the time of a new clip begins.
static void clear_death(view_scene *scene)
{
    if (scene->fall != NULL)
        view_set_death_time(scene->fall, INFINITY);
}

// Shows another clip of the scene.
void view_select_clip(view_scene *scene, size_t clip)
{
    const uint32_t in_entity = scene->clips[clip].in_entity;
    scene->clip = clip;
    clear_death(scene);
    scene->entity.is_played =
        in_entity > 0
        && view_play_channel(&scene->entity, scene->entity.focus, (int32_t)in_entity - 1);
    view_select_motion(scene);
    view_show_bind_pose(scene, false, NULL);
    // Without a model each clip has its own joints.
    if (scene->model == NULL)
        view_make_pose(scene, &scene->clips[clip].anim->skeleton);
}

// Selects the clip that plays in the focused channel of the entity, and sets the time bar to it.
static void show_focused_clip(view_scene *scene, view_play *play)
{
    const int32_t playing = scene->entity.channels[scene->entity.focus].clip;
    for (size_t i = 0; i < scene->num_clips && playing >= 0; i++) {
        if (scene->clips[i].in_entity == (uint32_t)playing + 1)
            scene->clip = i;
    }
    clear_death(scene);
    play->time = scene->entity.time;
    play->range_first = 0;
    play->range_last = 0;
    play->held_at_end = false;
}

// Plays a clip in a channel of the scene's entity, as a choice of the user.
bool view_play_in_channel(view_scene *scene, uint32_t channel, size_t clip, view_play *play)
{
    // SIZE_MAX stops the channel; the entity then plays clip -1.
    const bool is_entity_clip = clip < scene->num_clips && scene->clips[clip].in_entity > 0;
    const int32_t played = is_entity_clip ? (int32_t)scene->clips[clip].in_entity - 1 : -1;
    if (scene->entity.entity == NULL || channel >= MD5_NUM_CHANNELS)
        return false;
    if (!is_entity_clip && clip != SIZE_MAX)
        return false;
    if (!view_play_channel(&scene->entity, (md5_channel)channel, played))
        return false;
    scene->entity.is_played = true;
    view_select_motion(scene);
    view_show_bind_pose(scene, false, NULL);
    show_focused_clip(scene, play);
    return true;
}

bool view_focus_in_scene(view_scene *scene, uint32_t channel, view_play *play)
{
    if (scene->entity.entity == NULL || channel >= MD5_NUM_CHANNELS)
        return false;
    view_focus_channel(&scene->entity, (md5_channel)channel);
    show_focused_clip(scene, play);
    return true;
}

uint32_t view_count_vertices(const md5_model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; model != NULL && i < model->num_meshes; i++)
        count += model->meshes[i].num_vertices;
    return count;
}

uint32_t view_count_triangles(const md5_model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; model != NULL && i < model->num_meshes; i++)
        count += model->meshes[i].num_triangles;
    return count;
}

bool view_is_skeleton_only(const view_scene *scene)
{
    return view_count_triangles(scene->model) == 0;
}

// -- Loading -------------------------------------------------------------------------------------

size_t view_find_model(const char *const *files, size_t num_files)
{
    size_t i = 0;
    while (
        i < num_files
        && (common_has_suffix(files[i], ".md5anim") || common_has_suffix(files[i], ".md5camera")))
        i++;
    return i;
}

// Finds models for a clip that was opened alone: they are in its folder and have all of its
// joints.
common_list view_list_models_for_clip(const char *path)
{
    enum { MAX_TRIED = 64 }; // files that are read, at most
    const md5_load_opts opts = {.skip_geometry = MD5_GEOMETRY_ALL};
    char *const whole = common_canonical_path(path);
    char *const folder = common_folder(whole);
    common_list models = common_list_folder(folder, ".md5mesh");
    common_list fitting = {NULL, 0};
    md5_anim *const anim = md5_load_anim(path, NULL, NULL);
    for (size_t i = 0; anim != NULL && i < models.count && i < MAX_TRIED; i++) {
        md5_model *const model = md5_load_model(models.names[i], &opts, NULL);
        md5_binding *const binding = model != NULL ? md5_bind(model, anim, NULL, NULL) : NULL;
        if (binding != NULL && binding->num_missing == 0)
            common_add(&fitting, common_copy(models.names[i]));
        md5_free_binding(binding);
        md5_free_model(model);
    }
    md5_free_anim(anim);
    common_free_list(&models);
    free(folder);
    free(whole);
    return fitting;
}

// Returns the model of a folder that was opened, if the choice is clear.
char *view_only_model(const char *folder)
{
    // A folder may contain one file of each kind; the first kind has priority.
    static const char *const extensions[] = {".md5machine", ".md5mesh", ".glb", ".gltf"};
    char *model = NULL;
    bool is_unique = !view_is_game(folder);
    for (size_t i = 0; is_unique && i < COMMON_LENGTH(extensions); i++) {
        common_list list = common_list_folder(folder, extensions[i]);
        is_unique = list.count <= 1;
        if (is_unique && list.count > 0 && model == NULL)
            model = common_copy(list.names[0]);
        common_free_list(&list);
    }
    if (is_unique)
        return model;
    free(model);
    return NULL;
}

// Sets the path and the name of the scene. A folder stands for its md5.cfg, and the scene has the
// name of the folder.
static void set_main_file(view_scene *scene, const char *path)
{
    scene->path = common_is_folder(path) ? common_join(path, "md5.cfg") : common_copy(path);
    if (strcmp(common_base(scene->path), "md5.cfg") != 0) {
        scene->name = common_stem(scene->path);
        return;
    }
    char *const folder = common_folder(scene->path);
    char *const full_folder = common_absolute(folder);
    scene->name = common_copy(common_base(full_folder));
    free(folder);
    free(full_folder);
}

// Returns the file that names a scene without a model: the first animation, otherwise the first
// file.
static const char *find_naming_file(const char *const *files, size_t num_files)
{
    for (size_t i = 0; i < num_files; i++) {
        if (common_has_suffix(files[i], ".md5anim"))
            return files[i];
    }
    return files[0];
}

// Loads the md5.cfg of a Cube 2 game, scene->path, with its clips.
static bool load_cube_model(view_scene *scene, const md5_load_opts *opts, bool pick_up,
                            view_log *log)
{
    view_cube cube = {0};
    if (!view_load_cube(&cube, scene->path, opts, pick_up, log))
        return false;
    scene->model = scene->own_model = cube.model;
    scene->looks = cube.looks;
    scene->num_looks = cube.num_looks;
    if (scene->model != NULL)
        view_make_pose(scene, &scene->model->skeleton);
    for (uint32_t i = 0; i < cube.num_clips; i++) {
        view_cube_clip *const cube_clip = &cube.clips[i];
        const view_clip clip = {
            .path = cube_clip->file, .name = cube_clip->name, .anim = cube_clip->anim};
        md5_error error = {0};
        if (!view_append_clip(scene, clip, NULL, &error))
            view_log_error(log, &error);
    }
    free(cube.clips); // the scene owns their contents
    return true;
}

// Loads a machine with its model, or a model.
static bool load_machine_or_model(view_scene *scene, const char *path, const md5_load_opts *opts,
                                  view_log *log)
{
    if (common_has_suffix(path, ".md5machine")) {
        if (!view_load_machine(&scene->machine, path, opts, log))
            return false;
        scene->model = scene->machine.character->model;
        view_select_motion(scene);
    } else {
        md5_error error = {0};
        scene->model = scene->own_model = md5_load_model(path, opts, &error);
        if (scene->model == NULL)
            return view_log_error(log, &error);
    }
    view_make_pose(scene, &scene->model->skeleton);
    return true;
}

// Loads the clips and the camera path among the files; `model_path` is already loaded.
static bool load_named_motions(view_scene *scene, const char *const *files, size_t num_files,
                               const char *model_path, view_log *log)
{
    for (size_t i = 0; i < num_files; i++) {
        if (!view_log_progress(log, "files", i, num_files))
            return false;
        const bool is_camera_path = common_has_suffix(files[i], ".md5camera");
        const bool is_clip = !is_camera_path && files[i] != model_path;
        const bool is_new = is_clip && find_clip(scene, files[i]) == scene->num_clips;
        bool is_loaded = true;
        if (is_camera_path)
            is_loaded = view_load_camera_path(scene, files[i], log);
        else if (is_new)
            is_loaded = load_clip(scene, files[i], log);
        if (!is_loaded && !log->keeps_rest)
            return false;
    }
    return true;
}

// Loads the model, the clips and the camera path of a scene, and selects the first clip. The
// parameters are those of view_load_scene(). Returns false and logs an error on failure; the caller
// frees the scene.
static bool load_all(view_scene *scene, const char *const *files, size_t num_files, bool pick_up,
                     view_log *log)
{
    // The scene has the name of its model, otherwise of the first animation or file.
    const size_t model = view_find_model(files, num_files);
    const char *const model_path = model < num_files ? files[model] : NULL;
    const bool has_model = model_path != NULL;
    set_main_file(scene, has_model ? model_path : find_naming_file(files, num_files));

    const bool is_cube = has_model && common_has_suffix(scene->path, ".cfg");
    const md5_load_opts opts = make_load_options(scene, log);
    if (is_cube && !load_cube_model(scene, &opts, pick_up, log))
        return false;
    if (has_model && !is_cube && !load_machine_or_model(scene, model_path, &opts, log))
        return false;
    if (has_model && view_is_skeleton_only(scene))
        view_warn(log, "%s: the model has no triangles: only its joints are shown", scene->name);

    if (!load_named_motions(scene, files, num_files, model_path, log))
        return false;
    if (!has_model && scene->num_clips == 0 && scene->camera_path.camera == NULL)
        return false; // nothing could be loaded

    // A model without animations plays those in its folder. An md5.cfg has already loaded them.
    const bool is_bare = has_model && scene->machine.player == NULL && scene->num_clips == 0;
    scene->picked_up = pick_up && (is_cube || is_bare);
    if (scene->picked_up && !is_cube)
        load_clips_in_folder(scene, log);
    if (scene->num_clips > 0)
        view_select_clip(scene, first_clip(scene));

    // Without a model, the first named clip may have been skipped.
    if (!has_model && scene->num_clips > 0) {
        free(scene->path);
        free(scene->name);
        scene->path = common_copy(scene->clips[0].path);
        scene->name = common_copy(scene->clips[0].name);
    }
    return true;
}

bool view_load_scene(view_scene *scene, const char *const *files, size_t num_files,
                     const md5_files *reader, bool pick_up, view_log *log)
{
    *scene = (view_scene){.files = reader};
    if (load_all(scene, files, num_files, pick_up, log))
        return true;
    view_free_scene(scene);
    return false;
}

void view_load_figure(view_scene *scene, view_log *log)
{
    const md5_character *const character = scene->machine.character;
    const char *const model_path = character != NULL ? character->model_path : scene->path;
    if (scene->model == NULL || scene->fall != NULL || common_has_suffix(model_path, ".cfg"))
        return;
    const md5_load_opts opts = make_load_options(scene, log);
    view_load_fall(scene, model_path, &opts, log);
}

// -- Game folders --------------------------------------------------------------------------------

// Adds the clips of the loaded entity, which remains their owner.
static void add_entity_clips(view_scene *scene, view_log *log)
{
    for (uint32_t i = 0; i < scene->entity.entity->num_clips; i++) {
        const md5_entity_clip *const entity_clip = &scene->entity.entity->clips[i];
        if (entity_clip->num_files == 0)
            continue;
        const char *const file = entity_clip->anim->files[0];
        const view_clip clip = {.path = view_make_address(scene->library->place, file, NULL),
                                .name = common_copy(entity_clip->anim->name),
                                .anim = &scene->entity.paced[i],
                                .in_entity = i + 1};
        md5_error error = {0};
        if (!view_append_clip(scene, clip, NULL, &error))
            view_log_error(log, &error);
    }
}

// Loads a clip, or an entity with its clips, from the scene's library.
static bool load_game_item(view_scene *scene, const view_address *address, view_log *log)
{
    if (common_has_suffix(address->name, ".md5anim"))
        return load_clip(scene, address->name, log);
    scene->model = scene->own_model =
        view_load_entity(&scene->entity, scene->library, address, log);
    if (scene->model == NULL)
        return false;
    view_make_pose(scene, &scene->model->skeleton);
    view_load_fall(scene, NULL, NULL, log);
    add_entity_clips(scene, log);
    return true;
}

// Loads a scene from a game folder. The library, which has read the declarations of the game, is
// shared by all scenes of one game.
bool view_load_game_scene(view_scene *scene, view_library *library, const char *address,
                          view_log *log)
{
    md5_error error = {0};
    view_address parts;
    *scene = (view_scene){0};
    if (!view_read_address(address, &parts))
        return view_error(log, "%s: invalid name of an asset: expected FOLDER::NAME", address);

    if (library != NULL && strcmp(library->place, parts.place) == 0) {
        library->num_users++;
        scene->library = library;
    } else {
        scene->library = view_open_library(parts.place, NULL, NULL, &error);
    }
    scene->path = common_copy(address);
    if (common_has_suffix(parts.name, ".md5mesh"))
        scene->name = common_stem(parts.name);
    else
        scene->name = common_copy(common_base(parts.name));

    bool is_loaded;
    if (scene->library != NULL)
        is_loaded = load_game_item(scene, &parts, log);
    else
        is_loaded = view_log_error(log, &error);
    view_free_address(&parts);
    if (!is_loaded) {
        view_free_scene(scene);
        return false;
    }

    scene->picked_up = scene->entity.entity != NULL;
    if (scene->num_clips > 0)
        view_select_clip(scene, first_clip(scene));
    return true;
}

// -- Uploading -----------------------------------------------------------------------------------

// Returns the sources of the scene's materials and textures. If `uses_options` is true, they
// include the textures of the command line.
static view_dressing make_dressing(const view_loader *loader, const view_scene *scene,
                                   bool uses_options)
{
    view_dressing dressing = {
        .model = scene->model,
        .path = scene->path,
        .cfg_looks = scene->looks,
        .num_cfg_looks = scene->num_looks,
        .wardrobe = &scene->wardrobe,
    };
    if (scene->library != NULL)
        dressing.game = scene->library->game;
    if (uses_options)
        dressing.options = loader->options;
    if (scene->machine.character != NULL)
        dressing.file = scene->machine.character->model_path;
    return dressing;
}

bool view_upload_scene(const view_loader *loader, const view_scene *scene, bool uses_options,
                       md5gl_model **drawn, view_textures *textures)
{
    const view_dressing dressing = make_dressing(loader, scene, uses_options);
    return scene->model == NULL || loader->renderer == NULL
           || view_upload(loader, &dressing, drawn, textures);
}

bool view_load_scene_textures(const view_loader *loader, const view_scene *scene,
                              view_textures *textures)
{
    const view_dressing dressing = make_dressing(loader, scene, true);
    return view_load_textures(textures, loader, &dressing);
}

// Adds the path of a file, or its name in a game.
static void list_file(common_list *files, const char *path)
{
    view_address address;
    const bool is_in_game = view_read_address(path, &address);
    common_add(files, common_copy(is_in_game ? address.name : path));
    if (is_in_game)
        view_free_address(&address);
}

// Lists the files that reproduce the scene. The result is the number of attached models, because
// the list cannot contain them.
uint32_t view_list_files(const view_scene *scene, bool has_all_clips, common_list *files)
{
    const md5_entity *const entity = scene->entity.entity;
    if (entity != NULL && entity->model_def != NULL)
        common_add(files, common_copy(entity->model_def->mesh));
    else if (scene->model != NULL)
        list_file(files, scene->path);
    // A machine file contains the names of its clips, so they are not listed again.
    const bool has_machine = scene->machine.player != NULL;
    for (size_t i = 0; i < scene->num_clips && !has_machine; i++) {
        const bool is_shown = i == scene->clip && !view_is_bind_pose(scene);
        if (has_all_clips || is_shown)
            list_file(files, scene->clips[i].path);
    }
    if (scene->camera_path.camera != NULL && scene->library == NULL)
        common_add(files, common_copy(scene->camera_path.path));
    return entity != NULL ? entity->num_parts : 0;
}
