// Loads a scene: a model, a machine, an md5.cfg or a game entity, with its clips and a camera path.
// Also selects clips, and uploads the model and its textures. See scene.h.
#include "demo/viewer/motion/motion.h"

#include "demo/viewer/assets/cube.h"

// Maximum total size of the animations that are loaded without being named, bytes. With this limit,
// loading takes a fraction of a second, even from a folder with hundreds of files.
#define MAX_FOUND_CLIP_BYTES ((uint64_t)32 << 20)

// Maximum number of warnings per file that the log of a program without a window contains. Further
// warnings are only counted. In a window there is no limit, because it has a list of all reports.
enum { MAX_WARNINGS_PER_FILE = 20 };

// Returns the options for loading files of a scene. A scene with its own file access (scene->files)
// is a thumbnail: it is loaded with limited memory and without data that it does not need. A scene
// from a game reads its files from the game's folders and archives.
static md5_load_opts make_load_options(const view_scene *scene, view_log *log)
{
    const bool has_window = log->reports != NULL; // lists all reports
    const bool is_thumbnail = scene->files != NULL;
    md5_load_opts opts = {
        .warn = view_log_warning,
        .warn_user = log,
        .max_warnings = has_window ? VIEW_MAX_REPORTS : MAX_WARNINGS_PER_FILE,
        .allow_partial_binding = true,
    };
    if (is_thumbnail) {
        opts.files = *scene->files;
        opts.allocator.limit = (size_t)128 << 20; // 128 MiB
        opts.skip_geometry = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS | MD5_GEOMETRY_LOSSES;
    } else if (scene->library != NULL) {
        opts.files = md5_game_files(scene->library->game);
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

// Frees the arrays of the current pose. Call it before the model changes, because it needs the
// number of meshes of the old model.
static void free_pose(view_scene *scene)
{
    if (scene->skinned != NULL) {
        for (uint32_t i = 0; i < view_count_meshes(scene); i++)
            free(scene->skinned[i].positions);
    }
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

// Frees the members of a scene. Objects are freed before the objects to which they refer: the
// player before the clips, and all of them before the library.
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
    md5_free_model(scene->owned_model);
    md5_free_model(scene->model_with_outfits);
    convert_free_scene(&scene->outfit_conversion);
    view_drop_library(scene->library);
    for (uint32_t i = 0; i < scene->num_looks; i++)
        view_free_look(&scene->looks[i]);
    free(scene->looks);
    free_camera_path(&scene->camera_path);
    free(scene->path);
    free(scene->name);
    *scene = (view_scene){0};
}

// Allocates the skinned vertices of each mesh. Positions and normals of a mesh share one block,
// whose address is `positions`; free_pose() frees only this address.
static view_skinned *alloc_skinned(const md5_model *model)
{
    view_skinned *const skinned = common_alloc(model->num_meshes, sizeof *skinned);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const size_t num_vertices = model->meshes[i].num_vertices;
        skinned[i].positions = common_alloc(2 * num_vertices, sizeof(md5_vec3));
        skinned[i].normals = skinned[i].positions + num_vertices;
    }
    return skinned;
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
    scene->skinned = alloc_skinned(scene->model);
}

// Logs a note of the conversion that merges an outfit. Omits the note that the outfit has moved by
// 0 units, because the user does not need it.
static void log_outfit_note(void *log, const char *text)
{
    if (strstr(text, " 0 units elsewhere") == NULL)
        view_warn(log, "%s", text);
}

// Returns the path of the model file. A machine references its model, so its own path is not that
// of the model.
static const char *find_model_path(const view_scene *scene)
{
    const md5_character *const character = scene->machine.character;
    return character != NULL ? character->model_path : scene->path;
}

// Merges outfits, such as clothes, with the scene's model. The converter does it: it matches joints
// by name and writes the merged model as text, which is parsed here.
bool view_attach_outfits(view_scene *scene, const common_texts *files, view_log *log)
{
    const char *const model_path = find_model_path(scene);
    const convert_job job = {.inputs = &model_path,
                             .num_inputs = 1,
                             .outfits = *files,
                             .is_forced = true,
                             .note = log_outfit_note,
                             .user = log};
    md5_error error = {0};
    const bool is_merged = convert_read_all(&job, &scene->outfit_conversion, &error);
    if (is_merged)
        scene->model_with_outfits =
            convert_parse_model(convert_find_model(&scene->outfit_conversion), &error);
    if (scene->model_with_outfits == NULL)
        return view_log_error(log, &error);

    free_pose(scene); // the pose of the model without outfits
    scene->model = scene->model_with_outfits;
    view_make_pose(scene, &scene->model->skeleton);
    return true;
}

// -- Clips ---------------------------------------------------------------------------------------

// Returns true if the clips of a scene can belong to a Quake re-release. This is not possible for
// the clips of other games. Thumbnails do not need the rules of the re-releases.
static bool has_quake_clips(const view_scene *scene)
{
    return scene->files == NULL && scene->library == NULL;
}

// Loads the joint scales of a clip from the file NAME.md5scale, if it is in `scale_files`, the list
// of such files in the folder of the clip. The Quake re-releases store scales there, because an
// .md5anim file cannot contain them. Returns NULL if the file does not exist. If it is faulty, logs
// a warning and also returns NULL.
static md5_scales *load_scales_of_clip(const view_clip *clip, const common_list *scale_files,
                                       const md5_load_opts *opts, view_log *log)
{
    char *const name = common_format("%s.md5scale", clip->name);
    const char *const path = common_find_in_list(scale_files, name);
    free(name);
    if (path == NULL)
        return NULL;
    md5_error error = {0};
    md5_scales *const scales = md5_load_scales(path, clip->anim, opts, &error);
    if (scales == NULL)
        view_log_warning(log, &error);
    return scales;
}

// Applies the rules of the Quake re-releases, a fixed frame rate and joint scales, to a clip that
// was loaded from a file. `scale_files` are the .md5scale files in its folder.
static void apply_quake_conventions(const view_scene *scene, view_clip *clip,
                                    const common_list *scale_files, view_log *log)
{
    // Both games play ten frames per second, independent of the file's rate.
    const double rate = 10;
    if (view_detect_quake_game(clip->path) != VIEW_QUAKE_NONE) {
        clip->anim->frame_rate = rate;
        clip->anim->duration = (clip->anim->num_frames - 1) / rate;
    }
    const md5_load_opts opts = make_load_options(scene, log);
    clip->scales = load_scales_of_clip(clip, scale_files, &opts, log);
}

// Binds a loaded clip to the scene, that is, matches the joints of the clip with the joints of the
// model by name, and appends the clip to the scene.
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

// Loads a clip that the user requested, and appends it to the scene. `file` is the path of a file
// or, in a scene of a game, a name in the game. Returns false and logs an error on failure.
static bool load_clip(view_scene *scene, const char *file, view_log *log)
{
    md5_error error = {0};
    md5_load_opts opts = make_load_options(scene, log);
    view_clip clip = {.name = common_stem(file), .anim = md5_load_anim(file, &opts, &error)};
    if (scene->library != NULL)
        clip.path = view_make_address(scene->library->location, file, NULL);
    else
        clip.path = common_copy(file);

    // The binding can warn of the clip and of the model, so its warnings are listed for the pair.
    const view_about about_before = log->about;
    opts.file_name = file;
    log->about.kind = VIEW_ABOUT_BINDING;
    const bool is_appended = view_append_clip(scene, clip, &opts, &error);
    log->about = about_before;
    if (!is_appended)
        return view_log_error(log, &error);

    if (has_quake_clips(scene)) {
        char *const folder = common_folder(file);
        common_list scale_files = common_list_folder(folder, ".md5scale");
        apply_quake_conventions(scene, &scene->clips[scene->num_clips - 1], &scale_files, log);
        common_free_list(&scale_files);
        free(folder);
    }
    return true;
}

// Removes the last clip of the scene.
static void remove_last_clip(view_scene *scene)
{
    scene->num_clips--;
    free_clip(&scene->clips[scene->num_clips]);
}

// Logs a warning with the number of a clip's warnings. In the interface, it is a link to the clip.
static void report_clip_warnings(const view_scene *scene, uint32_t index, view_log *log)
{
    const view_clip *const clip = &scene->clips[index];
    const uint32_t num_warnings = clip->anim->num_warnings;
    if (num_warnings > 0)
        view_warn_about(log, (view_about){VIEW_ABOUT_CLIP, index, 0, scene->model},
                        "%s: %u warning%s; open it by name for details", clip->name, num_warnings,
                        num_warnings == 1 ? "" : "s");
}

// Loads a clip that the user did not name, from the model's folder. A clip that cannot be read, or
// does not animate all joints of the model, is no error here. It is only noted in the debug log.
// `scale_files` are the .md5scale files in the folder.
static void load_neighbor_clip(view_scene *scene, const char *path, const common_list *scale_files,
                               view_log *log)
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
    const uint32_t num_missing = scene->clips[index].binding->num_missing;
    if (num_missing > 0) {
        view_debug(log, "skipped animation: %s: it does not animate %u joints of the model", path,
                   num_missing);
        remove_last_clip(scene);
        return;
    }
    report_clip_warnings(scene, index, log);
    if (has_quake_clips(scene))
        apply_quake_conventions(scene, &scene->clips[index], scale_files, log);
}

// Loads the clips in the model's folder that fit the model. Stops before the sum of the file sizes
// exceeds MAX_FOUND_CLIP_BYTES bytes, or when the user cancels.
static void load_clips_in_folder(view_scene *scene, view_log *log)
{
    char *const folder = common_folder(scene->path);
    common_list list = common_list_folder(folder, ".md5anim");
    common_list scale_files = common_list_folder(folder, ".md5scale");
    uint64_t total_size = 0; // bytes
    for (size_t i = 0; i < list.count; i++) {
        total_size += common_file_size(list.names[i]);
        if (total_size > MAX_FOUND_CLIP_BYTES) {
            scene->num_unopened = list.count - i;
            view_info(log,
                      "%zu animations in the model's folder were not loaded; open them by name",
                      scene->num_unopened);
            break;
        }
        const bool is_canceled = !view_log_progress(log, "animations", i, list.count);
        if (is_canceled)
            break;
        load_neighbor_clip(scene, list.names[i], &scale_files, log);
    }
    common_free_list(&scale_files);
    common_free_list(&list);
    free(folder);
}

// Returns the index of the clip to show first. A clip with several frames is preferred to a single
// frame. If the user did not name the clips, an idle clip is preferred to the others.
static size_t first_clip(const view_scene *scene)
{
    size_t best = 0;
    int best_merit = -1;
    for (size_t i = 0; i < scene->num_clips; i++) {
        const view_clip *const clip = &scene->clips[i];
        const bool is_idle = scene->has_found_clips && common_contains(clip->name, "idle");
        int merit = 0;
        if (clip->anim->num_frames > 1)
            merit += 2;
        if (is_idle)
            merit += 1;
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

// Adds a clip that the user has opened or dropped on the window, and shows it. If the scene already
// has a clip from the same file, the loaded clip takes its position.
bool view_add_clip(view_scene *scene, const char *path, view_log *log)
{
    const size_t old_num_clips = scene->num_clips;
    const size_t index = find_clip(scene, path);
    const bool is_new = index == old_num_clips;
    if (!load_clip(scene, path, log)) // appends the clip
        return false;
    if (!is_new) {
        free_clip(&scene->clips[index]);
        scene->clips[index] = scene->clips[old_num_clips];
        scene->num_clips--;
    } else if (scene->library == NULL) {
        scene->has_found_clips = false; // a named clip is loaded again when the files are reloaded
    }
    view_select_clip(scene, index);
    return true;
}

// Loads a camera path and creates its clock: a clip without joints, whose time the time bar shows.
bool view_load_camera_path(view_scene *scene, const char *path, view_log *log)
{
    md5_error error = {0};
    const md5_load_opts opts = make_load_options(scene, log);
    md5_camera *const camera = md5_load_camera(path, &opts, &error);
    if (camera == NULL)
        return view_log_error(log, &error);

    // At a cut, the last frame of a shot and the first frame of the next shot have the same time.
    // Therefore the clock has one frame less for each cut.
    const uint32_t last_frame = camera->num_frames - 1;
    const uint32_t num_hidden = camera->num_cuts < last_frame ? camera->num_cuts : last_frame;
    const double smoothing = scene->camera_path.smoothing; // a setting of the user
    free_camera_path(&scene->camera_path);
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

// Revives a character that has fallen. A new clip begins, and the time of death, which refers to
// the previous clip, has no meaning for it.
static void clear_death(view_scene *scene)
{
    if (scene->fall != NULL)
        view_set_death_time(scene->fall, INFINITY);
}

// Shows another clip of the scene. A clip of an entity plays in the focused channel.
void view_select_clip(view_scene *scene, size_t clip)
{
    scene->clip = clip;
    clear_death(scene);
    view_entity *const entity = &scene->entity;
    const uint32_t in_entity = scene->clips[clip].in_entity; // index + 1, or 0
    entity->is_played =
        in_entity > 0 && view_play_channel(entity, entity->focus, (int32_t)in_entity - 1);
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
    if (playing >= 0) {
        for (size_t i = 0; i < scene->num_clips; i++) {
            if (scene->clips[i].in_entity == (uint32_t)playing + 1)
                scene->clip = i;
        }
    }
    clear_death(scene);
    play->time = scene->entity.time;
    play->range_first = 0;
    play->range_last = 0;
    play->held_at_end = false;
}

// Plays a clip in a channel of the scene's entity, or stops the channel (SIZE_MAX), on request of
// the user.
bool view_play_in_channel(view_scene *scene, uint32_t channel, size_t clip, view_play *play)
{
    if (scene->entity.entity == NULL || channel >= MD5_NUM_CHANNELS)
        return false;
    int32_t entity_clip = -1; // stops the channel
    if (clip != SIZE_MAX) {
        const bool is_entity_clip = clip < scene->num_clips && scene->clips[clip].in_entity > 0;
        if (!is_entity_clip)
            return false;
        entity_clip = (int32_t)scene->clips[clip].in_entity - 1;
    }
    if (!view_play_channel(&scene->entity, (md5_channel)channel, entity_clip))
        return false;

    scene->entity.is_played = true;
    view_select_motion(scene);
    view_show_bind_pose(scene, false, NULL);
    show_focused_clip(scene, play);
    return true;
}

// Selects the channel of an entity whose clip the time bar shows, and updates the clip and the
// time in `play`. Returns false if the scene is not an entity or the channel does not exist.
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
    const uint32_t num_meshes = model != NULL ? model->num_meshes : 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < num_meshes; i++)
        count += model->meshes[i].num_vertices;
    return count;
}

uint32_t view_count_triangles(const md5_model *model)
{
    const uint32_t num_meshes = model != NULL ? model->num_meshes : 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < num_meshes; i++)
        count += model->meshes[i].num_triangles;
    return count;
}

bool view_is_skeleton_only(const view_scene *scene)
{
    return view_count_triangles(scene->model) == 0;
}

// -- Loading -------------------------------------------------------------------------------------

// Returns the index of the first file that is neither an animation nor a camera path, or
// num_files if it does not exist. A file with any other extension counts as a model.
size_t view_find_model(const char *const *files, size_t num_files)
{
    size_t i = 0;
    while (
        i < num_files
        && (common_has_suffix(files[i], ".md5anim") || common_has_suffix(files[i], ".md5camera")))
        i++;
    return i;
}

// Returns true if a model file can be read and the clip animates all of its joints.
static bool animates_all_joints(const md5_anim *anim, const char *model_path)
{
    const md5_load_opts opts = {.skip_geometry = MD5_GEOMETRY_ALL}; // only the joints are needed
    md5_model *const model = md5_load_model(model_path, &opts, NULL);
    md5_binding *const binding = model != NULL ? md5_bind(model, anim, NULL, NULL) : NULL;
    const bool is_complete = binding != NULL && binding->num_missing == 0;
    md5_free_binding(binding);
    md5_free_model(model);
    return is_complete;
}

// Finds models for a clip that was opened without a model. A model fits if it is in the clip's
// folder and the clip animates all of its joints.
common_list view_list_models_for_clip(const char *path)
{
    enum { MAX_TRIED = 64 }; // limits the number of files that are read
    common_list fitting = {NULL, 0};
    md5_anim *const anim = md5_load_anim(path, NULL, NULL);
    if (anim == NULL)
        return fitting;
    char *const full_path = common_canonical_path(path);
    char *const folder = common_folder(full_path);
    common_list models = common_list_folder(folder, ".md5mesh");
    for (size_t i = 0; i < models.count && i < MAX_TRIED; i++) {
        if (animates_all_joints(anim, models.names[i]))
            common_add(&fitting, common_copy(models.names[i]));
    }
    common_free_list(&models);
    free(folder);
    free(full_path);
    md5_free_anim(anim);
    return fitting;
}

// Returns the model of a folder that the user opened, if the choice is unique. The first format of
// the list that occurs in the folder is used. The folder must contain at most one file of each
// format.
char *view_only_model(const char *folder)
{
    static const char *const extensions[] = {".md5machine", ".md5mesh", ".glb", ".gltf"};
    if (view_is_game(folder))
        return NULL;
    char *model = NULL;
    bool is_unique = true;
    for (size_t i = 0; is_unique && i < COMMON_LENGTH(extensions); i++) {
        common_list list = common_list_folder(folder, extensions[i]);
        is_unique = list.count <= 1;
        if (is_unique && list.count > 0 && model == NULL)
            model = common_copy(list.names[0]);
        common_free_list(&list);
    }
    if (!is_unique) {
        free(model);
        return NULL;
    }
    return model;
}

// Sets the path and the name of the scene from its main file. In games of the Cube 2 engine, a
// model is a folder with a description "md5.cfg". The path of such a folder is extended to this
// file, and the name of the folder becomes the name of the scene.
static void set_main_file(view_scene *scene, const char *path)
{
    scene->path = common_is_folder(path) ? common_join(path, "md5.cfg") : common_copy(path);
    const bool is_description = strcmp(common_base(scene->path), "md5.cfg") == 0;
    if (!is_description) {
        scene->name = common_stem(scene->path);
        return;
    }
    char *const folder = common_folder(scene->path);
    char *const full_folder = common_absolute(folder);
    scene->name = common_copy(common_base(full_folder));
    free(folder);
    free(full_folder);
}

// Returns true if the main file of a scene is a model description of Cube 2's engines.
static bool is_cube_description(const view_scene *scene)
{
    return common_has_suffix(scene->path, ".cfg");
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

// Appends the clips of a Cube 2 model to the scene, which takes over their contents. Logs an error
// for each clip that does not fit the model.
static void append_cube_clips(view_scene *scene, const view_cube *cube, view_log *log)
{
    for (uint32_t i = 0; i < cube->num_clips; i++) {
        const view_cube_clip *const source = &cube->clips[i];
        const view_clip clip = {.path = source->file, .name = source->name, .anim = source->anim};
        md5_error error = {0};
        if (!view_append_clip(scene, clip, NULL, &error))
            view_log_error(log, &error);
    }
}

// Loads the model that the md5.cfg of a Cube 2 game describes (scene->path): its meshes, materials
// and clips. Returns false and logs an error on failure.
static bool load_cube_model(view_scene *scene, const md5_load_opts *opts, bool finds_clips,
                            view_log *log)
{
    view_cube cube = {0};
    if (!view_load_cube(&cube, scene->path, opts, finds_clips, log))
        return false;
    scene->owned_model = cube.model;
    scene->model = cube.model;
    scene->looks = cube.looks;
    scene->num_looks = cube.num_looks;
    if (scene->model != NULL)
        view_make_pose(scene, &scene->model->skeleton);
    append_cube_clips(scene, &cube, log);
    free(cube.clips); // the scene owns their contents
    return true;
}

// Loads a state machine with its model, which the machine owns.
static bool load_machine(view_scene *scene, const char *path, const md5_load_opts *opts,
                         view_log *log)
{
    if (!view_load_machine(&scene->machine, path, opts, log))
        return false;
    scene->model = scene->machine.character->model;
    view_select_motion(scene);
    return true;
}

// Loads a model, which the scene owns.
static bool load_model(view_scene *scene, const char *path, const md5_load_opts *opts,
                       view_log *log)
{
    md5_error error = {0};
    scene->owned_model = md5_load_model(path, opts, &error);
    scene->model = scene->owned_model;
    return scene->model != NULL || view_log_error(log, &error);
}

// Loads the model of a scene from a file: a Cube 2 description, a state machine or a model. Returns
// false and logs an error on failure.
static bool load_main_file(view_scene *scene, const char *path, bool finds_clips, view_log *log)
{
    const md5_load_opts opts = make_load_options(scene, log);
    if (is_cube_description(scene))
        return load_cube_model(scene, &opts, finds_clips, log);
    const bool is_machine = common_has_suffix(path, ".md5machine");
    const bool is_loaded =
        is_machine ? load_machine(scene, path, &opts, log) : load_model(scene, path, &opts, log);
    if (!is_loaded)
        return false;
    view_make_pose(scene, &scene->model->skeleton);
    return true;
}

// Loads a camera path or a clip that the user named. Skips the model, which is loaded separately,
// and clips that the scene already has. Returns false and logs an error on failure.
static bool load_named_motion(view_scene *scene, const char *file, const char *model_path,
                              view_log *log)
{
    if (common_has_suffix(file, ".md5camera"))
        return view_load_camera_path(scene, file, log);
    const bool is_model = file == model_path;
    const bool is_loaded_before = !is_model && find_clip(scene, file) < scene->num_clips;
    if (is_model || is_loaded_before)
        return true;
    return load_clip(scene, file, log);
}

// Loads the clips and camera paths that the user named. Returns false if the user cancels or a file
// cannot be loaded. If the log allows faulty files, the other files are still loaded.
static bool load_named_motions(view_scene *scene, const char *const *files, size_t num_files,
                               const char *model_path, view_log *log)
{
    for (size_t i = 0; i < num_files; i++) {
        if (!view_log_progress(log, "files", i, num_files))
            return false;
        const bool is_loaded = load_named_motion(scene, files[i], model_path, log);
        if (!is_loaded && !log->skips_faulty_files)
            return false;
    }
    return true;
}

// Names a scene without a model after its first clip. Until then, it may have the name of an
// animation that could not be loaded.
static void rename_after_first_clip(view_scene *scene)
{
    free(scene->path);
    free(scene->name);
    scene->path = common_copy(scene->clips[0].path);
    scene->name = common_copy(scene->clips[0].name);
}

// Loads the model, the clips and the camera path of a scene, and selects the first clip. Takes the
// same parameters as view_load_scene(). With `finds_clips`, a model for which no animation was
// named plays the animations in its folder. scene->has_found_clips is true in this case. Returns
// false and logs an error on failure. The caller frees the scene.
static bool load_all(view_scene *scene, const char *const *files, size_t num_files,
                     bool finds_clips, view_log *log)
{
    // The main file is the model. Without a model, it is the first animation, otherwise the first
    // file. The scene has its name.
    const size_t model = view_find_model(files, num_files);
    const bool has_model = model < num_files;
    const char *const model_path = has_model ? files[model] : NULL;
    set_main_file(scene, has_model ? model_path : find_naming_file(files, num_files));
    if (has_model && !load_main_file(scene, model_path, finds_clips, log))
        return false;
    if (has_model && view_is_skeleton_only(scene))
        view_warn(log, "%s: the model has no triangles: only its joints are shown", scene->name);

    if (!load_named_motions(scene, files, num_files, model_path, log))
        return false;
    if (!has_model && scene->num_clips == 0 && scene->camera_path.camera == NULL)
        return false; // nothing could be loaded

    // A machine has its own clips, so it does not play the animations in its folder. For a Cube 2
    // description, load_cube_model() has already loaded the animations.
    const bool is_cube = has_model && is_cube_description(scene);
    const bool has_motion = scene->machine.player != NULL || scene->num_clips > 0;
    scene->has_found_clips = finds_clips && (is_cube || (has_model && !has_motion));
    if (scene->has_found_clips && !is_cube)
        load_clips_in_folder(scene, log);

    if (scene->num_clips > 0) {
        view_select_clip(scene, first_clip(scene));
        if (!has_model)
            rename_after_first_clip(scene);
    }
    return true;
}

// Loads a model, its animations and a camera path. On failure, returns false and leaves nothing
// allocated. load_all() may stop at any step, so that the scene is partly loaded. Members that
// were not loaded are 0, which view_free_scene() accepts.
bool view_load_scene(view_scene *scene, const char *const *files, size_t num_files,
                     const md5_files *reader, bool finds_clips, view_log *log)
{
    *scene = (view_scene){.files = reader};
    if (load_all(scene, files, num_files, finds_clips, log))
        return true;
    view_free_scene(scene);
    return false;
}

// Loads the articulated figure with which the model falls as a ragdoll. Models of Cube 2 (.cfg)
// do not have articulated figures. Does nothing if the scene already has a figure.
void view_load_figure(view_scene *scene, view_log *log)
{
    const char *const model_path = find_model_path(scene);
    if (scene->model == NULL || scene->fall != NULL || common_has_suffix(model_path, ".cfg"))
        return;
    const md5_load_opts opts = make_load_options(scene, log);
    view_load_fall(scene, model_path, &opts, log);
}

// -- Game folders --------------------------------------------------------------------------------

// Appends the clips of the loaded entity to the scene. The entity remains the owner of their
// animations.
static void add_entity_clips(view_scene *scene, view_log *log)
{
    for (uint32_t i = 0; i < scene->entity.entity->num_clips; i++) {
        const md5_entity_clip *const entity_clip = &scene->entity.entity->clips[i];
        if (entity_clip->num_files == 0)
            continue;
        const char *const file = entity_clip->anim->files[0];
        const view_clip clip = {.path = view_make_address(scene->library->location, file, NULL),
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
    scene->model = scene->owned_model =
        view_load_entity(&scene->entity, scene->library, address, log);
    if (scene->model == NULL)
        return false;
    view_make_pose(scene, &scene->model->skeleton);
    view_load_fall(scene, NULL, NULL, log);
    add_entity_clips(scene, log);
    return true;
}

// Returns the library of a game. If `open_library` is the library of this game, it is shared, and
// gets one more user. Otherwise the game is opened. A library contains the declarations of the
// game, which take long to read. Returns NULL and fills `error` on failure.
static view_library *share_library(view_library *open_library, const char *game_folder,
                                   md5_error *error)
{
    if (open_library == NULL || strcmp(open_library->location, game_folder) != 0)
        return view_open_library(game_folder, NULL, NULL, error);
    open_library->num_users++;
    return open_library;
}

// Returns the name of a scene that shows an asset of a game. A model is named like its file,
// without the extension. The name of an entity has no extension.
static char *name_game_scene(const char *asset)
{
    return common_has_suffix(asset, ".md5mesh") ? common_stem(asset)
                                                : common_copy(common_base(asset));
}

// Loads a scene from a game folder. `address` contains the folder and the name of the asset in the
// game.
bool view_load_game_scene(view_scene *scene, view_library *library, const char *address,
                          view_log *log)
{
    md5_error error = {0};
    view_address parts;
    *scene = (view_scene){0};
    if (!view_read_address(address, &parts))
        return view_error(log, "%s: invalid name of an asset: expected FOLDER::NAME", address);

    scene->library = share_library(library, parts.location, &error);
    scene->path = common_copy(address);
    scene->name = name_game_scene(parts.name);
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

    scene->has_found_clips = scene->entity.entity != NULL;
    if (scene->num_clips > 0)
        view_select_clip(scene, first_clip(scene));
    return true;
}

// -- Uploading -----------------------------------------------------------------------------------

// Returns the sources in which the materials and textures of the scene's model are searched. With
// `uses_options`, the textures of the command line are among them.
static view_texture_sources make_texture_sources(const view_loader *loader, const view_scene *scene,
                                                 bool uses_options)
{
    view_texture_sources sources = {
        .model = scene->model,
        .path = scene->path,
        .cfg_looks = scene->looks,
        .num_cfg_looks = scene->num_looks,
        .outfit_conversion = &scene->outfit_conversion,
    };
    if (scene->library != NULL)
        sources.game = scene->library->game;
    if (uses_options)
        sources.options = loader->options;
    if (scene->machine.character != NULL)
        sources.file = scene->machine.character->model_path;
    return sources;
}

bool view_upload_scene(const view_loader *loader, const view_scene *scene, bool uses_options,
                       md5gl_model **drawn, view_textures *textures)
{
    const view_texture_sources sources = make_texture_sources(loader, scene, uses_options);
    return scene->model == NULL || loader->renderer == NULL
           || view_upload(loader, &sources, drawn, textures);
}

bool view_load_scene_textures(const view_loader *loader, const view_scene *scene,
                              view_textures *textures)
{
    const view_texture_sources sources = make_texture_sources(loader, scene, true);
    return view_load_textures(textures, loader, &sources);
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

// Lists the file of the scene's model: the mesh of an entity, otherwise the scene's main file.
static void list_model(const view_scene *scene, common_list *files)
{
    const md5_entity *const entity = scene->entity.entity;
    if (entity != NULL && entity->model_def != NULL)
        common_add(files, common_copy(entity->model_def->mesh));
    else if (scene->model != NULL)
        list_file(files, scene->path);
}

// Lists the files of all clips, or of the shown clip. Lists nothing for a machine, whose file
// already names its clips.
static void list_clips(const view_scene *scene, bool has_all_clips, common_list *files)
{
    if (scene->machine.player != NULL)
        return;
    for (size_t i = 0; i < scene->num_clips; i++) {
        const bool is_shown = i == scene->clip && !view_is_bind_pose(scene);
        if (has_all_clips || is_shown)
            list_file(files, scene->clips[i].path);
    }
}

// Lists the files that a command line needs to show the scene again. Attached models cannot be
// listed; the result is their number.
uint32_t view_list_files(const view_scene *scene, bool has_all_clips, common_list *files)
{
    list_model(scene, files);
    list_clips(scene, has_all_clips, files);
    if (scene->camera_path.camera != NULL && scene->library == NULL)
        common_add(files, common_copy(scene->camera_path.path));
    const md5_entity *const entity = scene->entity.entity;
    return entity != NULL ? entity->num_parts : 0;
}
