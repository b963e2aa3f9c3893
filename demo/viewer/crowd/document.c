// Loads, compares, measures and frees documents. A document is everything that the viewer shows: a
// scene, companions, a comparison and a crowd. A scene is a model with its clips. Companions are
// other models, which are next to it or attached to it.
#include "demo/viewer/crowd/document.h"

#include "demo/viewer/assets/model_text.h"

// == Comparison ==================================================================================

// Options for binding a clip to a model that lacks some of its joints, because compared models may
// have only few joints in common.
static const md5_load_opts partial_binding = {.allow_partial_binding = true};

// -- Loading --------------------------------------------------------------------------------

// Finds the joint of the compared model for each joint of the scene: compare->same. For this
// purpose, it binds a clip with the scene's bind pose to the compared model. md5_bind() then finds
// the joints by the same rules as for other clips.
static void match_joints(view_compare *compare, const md5_model *scene_model)
{
    const uint32_t num_compared = compare->model->skeleton.num_joints;
    md5_anim *const bind_pose = view_make_anim(scene_model, 1, 1);
    md5_binding *const binding = md5_bind(compare->model, bind_pose, &partial_binding, NULL);
    for (uint32_t i = 0; i < compare->num_joints; i++)
        compare->same[i] = -1;
    const uint32_t num_bound = binding != NULL ? num_compared : 0;
    for (uint32_t i = 0; i < num_bound; i++) {
        const uint32_t scene_joint = binding->tracks[i];
        if (scene_joint != MD5_NONE) {
            compare->same[scene_joint] = (int32_t)i;
            compare->num_same++;
        }
    }
    md5_free_binding(binding);
    md5_free_anim(bind_pose);
}

// Loads the clip or the model with which the scene is compared. A clip is compared on the scene's
// model. Returns false and fills `error` on failure.
static bool load_compared_file(view_compare *compare, const char *path, md5_error *error)
{
    if (!common_has_suffix(path, ".md5anim")) {
        compare->owned_model = md5_load_model(path, NULL, error);
        compare->model = compare->owned_model;
        return compare->model != NULL;
    }
    compare->owned_anim = md5_load_anim(path, NULL, error);
    compare->bound = compare->owned_anim;
    compare->binding = md5_bind(compare->model, compare->bound, &partial_binding, error);
    return compare->model != NULL && compare->binding != NULL;
}

// Loads the clip (.md5anim) or the model with which the scene is compared. Allocates the results
// per joint, and pairs the joints that both skeletons have. Returns false and logs an error if the
// file cannot be used. `compare` then owns the parts that were created so far. In both cases, the
// caller frees them with view_free_compare().
bool view_load_compare(view_compare *compare, const view_scene *scene, const char *path,
                       view_log *log)
{
    const uint32_t num_joints = scene->num_joints;
    *compare = (view_compare){
        .name = common_copy(common_base(path)),
        .model = scene->model,
        .num_joints = num_joints,
        .same = common_alloc(num_joints, sizeof *compare->same),
        .differences = common_alloc(num_joints, sizeof *compare->differences),
        .peaks = common_alloc(num_joints, sizeof *compare->peaks),
        .scene_joints = common_alloc(num_joints, sizeof *compare->scene_joints),
    };
    md5_error error = {0};
    if (!load_compared_file(compare, path, &error)) {
        view_log_error(log, &error);
        return false;
    }

    const uint32_t num_compared = compare->model->skeleton.num_joints;
    compare->pose = common_alloc(num_compared, sizeof *compare->pose);
    compare->joints = common_alloc(num_compared, sizeof *compare->joints);
    match_joints(compare, scene->model);
    return true;
}

// Frees the members of a comparison. Also frees a comparison that view_load_compare() has left
// incomplete. The model or clip of the scene, if it is compared, belongs to the scene.
void view_free_compare(view_compare *compare)
{
    md5_free_binding(compare->binding);
    md5_free_anim(compare->owned_anim);
    md5_free_model(compare->owned_model);
    free(compare->name);
    free(compare->same);
    free(compare->pose);
    free(compare->joints);
    free(compare->scene_joints);
    free(compare->differences);
    free(compare->peaks);
    free(compare->courses);
    *compare = (view_compare){.name = NULL};
}

// -- Differences ----------------------------------------------------------------------------

// Compares two view_difference for sorting: the larger distance first, then the joint with the
// smaller index.
static int compare_distances(const void *a, const void *b)
{
    const view_difference *const first = a;
    const view_difference *const second = b;
    if (first->distance > second->distance || first->distance < second->distance)
        return first->distance > second->distance ? -1 : 1;
    return (first->joint > second->joint) - (first->joint < second->joint);
}

// Poses the compared model at a sample position of its clip. Uses its bind pose instead if it has
// no clip, or if the scene shows the bind pose.
static void pose_compared_model(view_compare *compare, const view_scene *scene,
                                md5_sample_position sample)
{
    const md5_model *const model = compare->model;
    if (compare->binding == NULL || view_is_bind_pose(scene)) {
        memcpy(compare->joints, model->bind, model->skeleton.num_joints * sizeof *compare->joints);
    } else {
        md5_sample(compare->binding, sample, scene->root, compare->pose);
        md5_local_to_model(&model->skeleton, compare->pose, compare->joints);
    }
}

// Writes the differences between compare->joints and compare->scene_joints, in the order of the
// scene's joints. Skips joints whose name does not exist in the compared model.
static void write_differences(view_compare *compare)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < compare->num_joints; i++) {
        if (compare->same[i] < 0)
            continue;
        const md5_mat34 shown = compare->scene_joints[i];
        const md5_mat34 compared = compare->joints[compare->same[i]];
        const md5_vec3 displacement =
            md5_vec3_sub(md5_mat34_translation(compared), md5_mat34_translation(shown));
        compare->differences[count++] = (view_difference){
            .joint = i,
            .distance = md5_vec3_length(displacement),
            .angle = view_angle_between(shown, compared),
        };
    }
}

// -- Over a clip ----------------------------------------------------------------------------

// Compares two view_peak for sorting: the larger distance first, then the larger angle, then the
// joint with the smaller index.
static int compare_peaks(const void *a, const void *b)
{
    const view_peak *const first = a;
    const view_peak *const second = b;
    if (first->distance > second->distance || first->distance < second->distance)
        return first->distance > second->distance ? -1 : 1;
    if (first->angle > second->angle || first->angle < second->angle)
        return first->angle > second->angle ? -1 : 1;
    return (first->joint > second->joint) - (first->joint < second->joint);
}

// Binds the compared model to its own clip. If it has none, binds it to the shown clip. If the clip
// does not fit, the binding remains NULL, and the compared model is shown in its bind pose.
static void bind_compared_clip(view_compare *compare, const view_scene *scene)
{
    const md5_anim *anim = compare->owned_anim;
    if (anim == NULL)
        anim = view_shown_anim(scene);
    if (anim == compare->bound)
        return;
    md5_free_binding(compare->binding);
    compare->bound = anim;
    compare->binding = md5_bind(compare->model, anim, &partial_binding, NULL);
}

// Stores the distances of a frame in compare->courses, and updates the peaks of the joints: their
// largest differences in all frames. Frame 0 starts new peaks.
static void record_frame(view_compare *compare, uint32_t frame)
{
    float *const distances = compare->courses + (size_t)frame * compare->num_joints;
    for (uint32_t i = 0; i < compare->num_same; i++) {
        const view_difference *const difference = &compare->differences[i];
        view_peak *const peak = &compare->peaks[i];
        distances[difference->joint] = difference->distance;
        if (frame == 0)
            *peak = (view_peak){.joint = difference->joint};
        if (difference->distance > peak->distance) {
            peak->distance = difference->distance;
            peak->distance_frame = frame;
        }
        if (difference->angle > peak->angle) {
            peak->angle = difference->angle;
            peak->angle_frame = frame;
        }
    }
}

// Returns the sample position of the compared clip at the time of a frame of the shown clip.
static md5_sample_position compared_position(const view_compare *compare, const md5_anim *shown,
                                             uint32_t frame, md5_wrap wrap)
{
    if (compare->binding == NULL)
        return (md5_sample_position){.frame0 = frame, .frame1 = frame};
    const double time = frame / shown->frame_rate;
    // If both clips end together, last frames are compared with each other. Otherwise the time at
    // the end would wrap to the first frame.
    const bool is_inside = time <= compare->bound->duration + 1e-6;
    return md5_sample_position_at(compare->bound, time, is_inside ? MD5_WRAP_CLAMP : wrap);
}

// Measures all frames of the shown clip. Leaves the scene in the pose of the last frame.
static void measure_clip(view_compare *compare, view_scene *scene, const md5_anim *shown,
                         md5_wrap wrap)
{
    for (uint32_t frame = 0; frame < shown->num_frames; frame++) {
        const md5_sample_position position = {.frame0 = frame, .frame1 = frame};
        view_pose_at(scene, &position);
        md5_local_to_model(scene->skeleton, scene->pose, compare->scene_joints);
        pose_compared_model(compare, scene, compared_position(compare, shown, frame, wrap));
        write_differences(compare);
        record_frame(compare, frame);
    }
    common_sort(compare->peaks, compare->num_same, sizeof *compare->peaks, compare_peaks);
}

// Measures the shown clip, unless this was done already. Returns true if the measurement is
// available. There is none if no clip is shown, or if a machine, legs or channels change the poses
// of the clip.
static bool update_measurement(view_compare *compare, view_scene *scene, const view_play *play)
{
    const bool is_as_stored = view_get_motion(scene)->clip_use == VIEW_CLIP_AS_FILE;
    const md5_anim *const shown = is_as_stored ? view_shown_anim(scene) : NULL;
    const bool has_same_clips = shown == compare->measured && compare->bound == compare->against;
    const bool is_current = has_same_clips && scene->root == compare->root;
    if (is_current)
        return shown != NULL;
    compare->measured = shown;
    compare->against = compare->bound;
    compare->root = scene->root;

    const size_t num_frames = shown != NULL ? shown->num_frames : 0;
    free(compare->courses);
    compare->courses = common_alloc(num_frames * compare->num_joints, sizeof *compare->courses);
    if (shown == NULL)
        return false;
    measure_clip(compare, scene, shown, play->wrap);
    view_pose(scene, play); // measuring has changed the pose
    return true;
}

// Writes the joints of the scene's pose in model space to compare->scene_joints. If the scene shows
// no clip, this is the bind pose.
static void write_scene_joints(view_compare *compare, const view_scene *scene)
{
    const bool has_no_clip =
        view_get_motion(scene)->clip_use >= VIEW_CLIP_PLAYED && view_shown_anim(scene) == NULL;
    if (view_is_bind_pose(scene) || has_no_clip)
        memcpy(compare->scene_joints, scene->model->bind,
               compare->num_joints * sizeof *compare->scene_joints);
    else
        md5_local_to_model(scene->skeleton, scene->pose, compare->scene_joints);
}

// Updates the comparison for the current time: poses the compared model, and measures the
// difference of each joint.
void view_pose_compare(view_compare *compare, view_scene *scene, const view_play *play)
{
    if (compare->model == NULL)
        return;
    bind_compared_clip(compare, scene);
    const bool is_measured = update_measurement(compare, scene, play);

    md5_sample_position position = {0};
    if (compare->bound != NULL)
        position = view_sample_position(play, compare->bound);
    write_scene_joints(compare, scene);
    pose_compared_model(compare, scene, position);
    write_differences(compare);
    common_sort(compare->differences, compare->num_same, sizeof *compare->differences,
                compare_distances);
    if (is_measured)
        return;

    // Without a measured clip, the peaks are the differences of the current pose.
    for (uint32_t i = 0; i < compare->num_same; i++) {
        const view_difference *const difference = &compare->differences[i];
        compare->peaks[i] = (view_peak){
            .joint = difference->joint,
            .distance = difference->distance,
            .angle = difference->angle,
        };
    }
}

// == Companions ==================================================================================
//
// A companion (view_companion) is a second model that is shown with the scene's model, such as a
// retargeted model or an attached weapon.

// Distance of a retargeted or compared model from the scene's model, relative to the sum of the
// sizes of both models.
static const float relative_distance = 0.4f;

// Uploads the model of a companion and allocates its poses. Textures are searched for the model
// file `path`. If `same_scene` is not NULL, the companion has the model and the textures of this
// scene. Returns false and logs an error on failure.
static bool upload(view_companion *companion, const view_loader *loader, const char *path,
                   const view_scene *same_scene)
{
    const uint32_t num_joints = companion->model->skeleton.num_joints;
    companion->pose = common_alloc(num_joints, sizeof *companion->pose);
    companion->palette = common_alloc(num_joints, sizeof *companion->palette);
    companion->textures = common_alloc(1, sizeof *companion->textures);
    if (same_scene != NULL)
        return view_upload_scene(loader, same_scene, false, &companion->drawn, companion->textures);
    return view_upload(loader, &(view_texture_sources){.model = companion->model, .path = path},
                       &companion->drawn, companion->textures);
}

// Loads and uploads the model of a companion without a state machine. Returns false and logs an
// error on failure.
static bool load(view_companion *companion, const view_loader *loader, const char *path)
{
    md5_error error = {0};
    *companion = (view_companion){.joint = -1};
    companion->model = companion->owned_model = md5_load_model(path, NULL, &error);
    if (companion->model == NULL)
        return view_log_error(loader->log, &error);
    return upload(companion, loader, path, NULL);
}

// Loads a companion with a state machine: the machine, its model and the textures. Returns false
// and logs an error on failure.
static bool load_machine(view_companion *companion, const char *path, const view_loader *loader)
{
    view_machine *const machine = common_alloc(1, sizeof *machine);
    *companion = (view_companion){.joint = -1, .machine = machine};
    if (!view_load_machine(machine, path, NULL, loader->log))
        return false;
    companion->model = machine->character->model;
    companion->joints =
        common_alloc(companion->model->skeleton.num_joints, sizeof *companion->joints);
    return upload(companion, loader, machine->character->model_path, NULL);
}

// Uploads the models that the scene's machine attaches to joints. The machine has loaded them and
// owns them. Skips models whose joint does not exist, because only a game defines their positions.
// Returns false and logs an error on failure.
static bool load_held(view_companion companions[VIEW_NUM_COMPANIONS], const view_scene *scene,
                      const view_loader *loader)
{
    const md5_machine_desc *const desc = scene->machine.desc;
    char *const folder = common_folder(scene->path);
    bool is_loaded = true;
    for (uint32_t i = 0; i < desc->num_attached && is_loaded; i++) {
        const md5_attached_desc *const held = &desc->attached[i];
        const uint32_t joint = md5_find_joint(scene->skeleton, held->joint);
        if (joint == MD5_NONE)
            continue;
        view_companion *const companion = &companions[VIEW_HELD + i];
        *companion = (view_companion){
            .model = held->model,
            .joint = (int32_t)joint,
            .path = common_join(folder, held->file),
        };
        is_loaded = upload(companion, loader, companion->path, NULL);
    }
    free(folder);
    return is_loaded;
}

// Frees a companion, also if only a part of it was loaded, and marks it as unused.
static void free_companion(view_companion *companion, md5gl_renderer *renderer)
{
    if (companion->textures != NULL)
        view_free_textures(companion->textures, renderer);
    if (companion->drawn != NULL)
        md5gl_destroy_model(renderer, companion->drawn);
    md5_destroy_retarget(companion->retarget);
    free(companion->textures);
    free(companion->scratch);
    free(companion->pose);
    free(companion->palette);
    free(companion->joints);
    if (companion->machine != NULL)
        view_free_machine(companion->machine);
    free(companion->machine);
    free(companion->path);
    md5_free_model(companion->owned_model);
    *companion = (view_companion){.joint = -1};
}

// Loads the guest, the second character of the demo scene, and places it next to the model. The
// machines of both characters refer to each other, so that their events can fire each other's
// triggers.
bool view_load_guest(view_document *document, const char *path, const view_loader *loader)
{
    view_companion *const guest = &document->companions[VIEW_GUEST];
    view_scene *const scene = &document->scene;
    const float size = view_size(scene->model->bounds);
    if (!load_machine(guest, path, loader)) {
        free_companion(guest, loader->renderer);
        return false;
    }
    // The guest starts on the right side of the model (-y) and slightly in front of it (+x). It is
    // rotated by 90 degrees about z, so it faces to the model's left.
    guest->path = common_copy(path);
    guest->machine->start = (md5_xform){
        .rotation = {.z = 0.70710678f, .w = 0.70710678f},
        .translation = {0.3f * size, -3.79f * size, 0},
    };
    guest->machine->placement = guest->machine->start;
    guest->machine->host = &scene->machine;
    scene->machine.guest = guest->machine;
    return true;
}

// Frees a companion that could not be loaded. Returns true if the document is opened without it,
// which is the case if skips_faulty_files of the log is true.
static bool skip_companion(view_companion *companion, const view_loader *loader)
{
    free_companion(companion, loader->renderer);
    return loader->log->skips_faulty_files;
}

// Loads the model of --retarget and matches its joints with the joints of the scene's model.
// Returns false and logs an error on failure.
static bool load_retargeted(view_companion *companion, const view_scene *scene,
                            const view_loader *loader)
{
    const view_options *const options = loader->options;
    if (!load(companion, loader, options->retarget))
        return false;
    const convert_job job = {.map = options->retarget_map,
                             .pairs = options->retarget_pairs,
                             .warn = view_log_warning,
                             .user = loader->log};
    md5_error error = {0};
    companion->retarget =
        convert_create_retarget(&job, scene->model, companion->model, NULL, &error);
    if (companion->retarget != NULL)
        return true;

    // In a window, the user can map joints that do not match manually.
    if (error.status != MD5_ERROR_MISMATCH || !view_shows_window(options))
        return view_log_error(loader->log, &error);
    view_warn(loader->log, "%s: %s; map the joints manually", options->retarget, error.message);
    return true;
}

// Loads the model of --attach JOINT=FILE. The options contain a "=". Returns false and logs an
// error if the model cannot be loaded or the joint does not exist.
static bool load_attached(view_companion *companion, const view_scene *scene,
                          const view_loader *loader)
{
    const char *const attach = loader->options->attach;
    const char *const equals = strchr(attach, '=');
    char *const joint_name = common_format("%.*s", (int)(equals - attach), attach);
    const uint32_t joint = md5_find_joint(scene->skeleton, joint_name);
    free(joint_name);

    const bool is_loaded = load(companion, loader, equals + 1);
    companion->joint = (int32_t)joint;
    if (!is_loaded)
        return false;
    if (joint == MD5_NONE)
        return view_error(loader->log, "--attach %s: joint not found in the model", attach);
    return true;
}

// Returns the joint that has the name of a file without its extension, or MD5_NONE.
static uint32_t find_joint_of_file(const md5_skeleton *skeleton, const char *path)
{
    char *const name = common_stem(path);
    const uint32_t joint = md5_find_joint(skeleton, name);
    free(name);
    return joint;
}

// Loads the machine of an object that the scene's model carries. It is the first machine in the
// folder `attached`, next to the model, whose file has the name of a joint. It advances together
// with the scene's machine, whose events fire its triggers. Returns true also if there is no such
// file. Returns false if the machine cannot be loaded and the document cannot be shown without it.
static bool load_carried(view_companion *companion, view_scene *scene, const view_loader *loader)
{
    char *const model_folder = common_folder(scene->machine.character->model_path);
    char *const folder = common_join(model_folder, "attached");
    common_list files = common_list_folder(folder, ".md5machine");
    const char *path = NULL;
    uint32_t joint = MD5_NONE;
    for (size_t i = 0; i < files.count && path == NULL; i++) {
        joint = find_joint_of_file(scene->skeleton, files.names[i]);
        if (joint != MD5_NONE)
            path = files.names[i];
    }

    bool is_accepted = true;
    if (path != NULL && load_machine(companion, path, loader)) {
        companion->joint = (int32_t)joint;
        scene->machine.carried = companion->machine;
    } else if (path != NULL) {
        is_accepted = skip_companion(companion, loader);
    }
    common_free_list(&files);
    free(folder);
    free(model_folder);
    return is_accepted;
}

// Loads the models of --retarget and --attach. If the scene's model plays a machine, also loads the
// models that are attached to the scene's model, and the machine `guest`. `guest` may be NULL.
// Without a renderer, loads nothing. Returns false and logs an error on failure; the caller frees
// the companions in both cases.
static bool load_companions(view_document *document, const char *guest, const view_loader *loader)
{
    view_companion *const companions = document->companions;
    view_scene *const scene = &document->scene;
    const view_options *const options = loader->options;
    if (loader->renderer == NULL || scene->model == NULL)
        return true;

    view_companion *const retargeted = &companions[VIEW_RETARGETED];
    if (options->retarget != NULL && !load_retargeted(retargeted, scene, loader)
        && !skip_companion(retargeted, loader))
        return false;
    view_companion *const attached = &companions[VIEW_ATTACHED];
    if (options->attach != NULL && !load_attached(attached, scene, loader)
        && !skip_companion(attached, loader))
        return false;
    if (view_scene_machine(scene) == NULL)
        return true;

    if (guest != NULL && !view_load_guest(document, guest, loader)
        && !loader->log->skips_faulty_files)
        return false;
    return load_carried(&companions[VIEW_CARRIED], scene, loader)
           && load_held(companions, scene, loader);
}

// == Documents ===================================================================================

// -- Loading --------------------------------------------------------------------------------

// Loads the morph targets of the model, unless they are loaded. Most models are shown without them,
// so they are loaded when a feature first needs them.
bool view_prepare_morphs(view_document *document, const view_loader *loader)
{
    if (document->morphs.morph != NULL)
        return true;
    const view_scene *const scene = &document->scene;
    if (!view_load_morphs(&document->morphs, scene->path, scene->model, view_scene_machine(scene),
                          true, loader))
        return false;
    document->scene.morph = document->morphs.morph;
    document->scene.morph_weights = document->morphs.weights;
    document->scene.morphs = &document->morphs;
    return true;
}

// Returns the reason why --set NAME=VALUE has no effect, or NULL if it has one.
static const char *unused_setting(const md5_machine *machine, bool is_crowd, const char *name)
{
    if (machine == NULL)
        return "the model has no state machine";
    if (is_crowd)
        return "ignored for the machines of a crowd";
    return md5_find_parameter(machine, name) == MD5_NONE ? "parameter not found" : NULL;
}

// Logs a warning for each --set that has no effect.
static void check_settings(const view_scene *scene, const view_loader *loader)
{
    const view_options *const options = loader->options;
    const md5_machine *const machine = view_scene_machine(scene);
    if (options->page != NULL)
        return;
    for (size_t i = 0; i < options->settings.count; i++) {
        const char *const name = options->settings.rows[i].parameter;
        const char *const reason = unused_setting(machine, options->crowd > 0, name);
        if (reason != NULL)
            view_warn(loader->log, "--set %s: %s", name, reason);
    }
}

// Returns the subject of a diagnostic without a line number. If the message begins with "mesh N",
// this is mesh N. Otherwise it is the file.
static view_about find_about_in_message(const char *message)
{
    static const char prefix[] = "mesh ";
    const char *const number = message + strlen(prefix);
    if (strncmp(message, prefix, strlen(prefix)) != 0 || isdigit((unsigned char)*number) == 0)
        return (view_about){.kind = VIEW_ABOUT_FILE};
    return (view_about){.kind = VIEW_ABOUT_MESH, .number = (uint32_t)strtoul(number, NULL, 10)};
}

// Returns the subject of a line of a model's text. This is the vertex, mesh or joint that the line
// defines. For other lines, it is the file. Line numbers begin at 1.
static view_about find_about_in_line(const char *text, uint32_t line_number)
{
    static const char mesh_keyword[] = "mesh";
    static const char vertex_keyword[] = "vert ";

    // Count joints and meshes up to the line. The line of a joint begins with a name in quotes. The
    // lines after a "mesh" line belong to this mesh, until the next "mesh" line.
    view_about about = {.kind = VIEW_ABOUT_FILE};
    uint32_t num_joints = 0;
    const char *line = text;
    for (uint32_t number = 1;; number++) {
        line += strspn(line, "\r\t ");
        if (strncmp(line, mesh_keyword, strlen(mesh_keyword)) == 0) {
            if (about.kind == VIEW_ABOUT_MESH)
                about.number++;
            about.kind = VIEW_ABOUT_MESH;
        }
        if (*line == '"')
            num_joints++;
        if (number == line_number)
            break;
        const char *const line_end = strchr(line, '\n');
        if (line_end == NULL) // the text has fewer lines
            return about;
        line = line_end + 1;
    }

    const bool is_in_mesh = about.kind == VIEW_ABOUT_MESH;
    const bool is_vertex = strncmp(line, vertex_keyword, strlen(vertex_keyword)) == 0;
    const bool is_joint = *line == '"';
    if (is_in_mesh && is_vertex) {
        about.kind = VIEW_ABOUT_VERTEX;
        about.vertex = (uint32_t)strtoul(line + strlen(vertex_keyword), NULL, 10);
    } else if (!is_in_mesh && is_joint) {
        about.kind = VIEW_ABOUT_JOINT;
        about.number = num_joints - 1;
    }
    return about;
}

// Returns the subject of a diagnostic in a model's text, or the file if `text` is NULL.
static view_about find_about(const char *text, const md5_error *found)
{
    if (text == NULL)
        return (view_about){.kind = VIEW_ABOUT_FILE};
    if (found->line == 0)
        return find_about_in_message(found->message);
    return find_about_in_line(text, found->line);
}

// Adds the diagnostics of a file to the reports. `text` is the text of a model, or NULL for a clip.
// An error of the engine has the level VIEW_WARNING, a warning of the engine VIEW_INFO. If the
// library also reports a problem when the viewer loads the file, the level is VIEW_DEBUG. The
// diagnostic is then not listed again, but the library's report gets its subject.
static void report_diagnostics(view_reports *reports, const md5_check *check, const char *text)
{
    view_log log = {.level = VIEW_QUIET, .reports = reports};
    for (uint32_t i = 0; i < check->num_diagnostics; i++) {
        const md5_diagnostic *const found = &check->diagnostics[i];
        if (found->is_silent && !found->is_library_too)
            continue;
        log.about = find_about(text, &found->error);
        view_log_warning(&log, &found->error);
        if (reports->count == 0)
            continue;

        view_level *const level = &reports->rows[reports->count - 1].level;
        if (found->is_library_too)
            *level = VIEW_DEBUG;
        else
            *level = found->error.status == MD5_WARNING ? VIEW_INFO : VIEW_WARNING;
    }
}

// Returns the check of a file, with its text, or NULL if the file cannot be read. The caller frees
// both.
static md5_check *check_file(const char *path, md5_doc_kind kind, char **text)
{
    const uint32_t engine = md5_find_engines("doom3");
    const md5_load_opts opts = {.file_name = path};
    const char *reason;
    size_t size = 0;
    *text = common_read_stream(path, &size, &reason);
    if (*text == NULL)
        return NULL;
    return md5_check_doc(kind, *text, size, (md5_engines){engine, engine}, &opts, NULL);
}

// Checks the text and the content of a model, and adds the diagnostics to the reports. Returns the
// check, which the caller frees, or NULL if the file cannot be read.
static md5_check *check_model_file(const char *path, view_reports *reports)
{
    char *text;
    md5_check *const check = check_file(path, MD5_DOC_MODEL, &text);
    if (check != NULL) {
        md5_model *const model = md5_load_model(path, NULL, NULL);
        if (model != NULL)
            (void)md5_check_model(check, model);
        report_diagnostics(reports, check, text);
        md5_free_model(model);
    }
    free(text);
    return check;
}

// Checks the text of a clip, and whether the clip fits its model. Skips the second part if
// `model_check` is NULL. Adds the diagnostics to the reports.
static void check_clip_file(const char *path, md5_check *model_check, view_reports *reports)
{
    char *text;
    md5_check *const check = check_file(path, MD5_DOC_ANIM, &text);
    if (check != NULL) {
        if (model_check != NULL)
            (void)md5_check_pair(model_check, check);
        report_diagnostics(reports, check, NULL);
    }
    free(text);
    md5_free_check(check);
}

// Checks a model and its clips by the rules of id's engine. Runs on another thread than the viewer.
void view_check_files(const common_list *files, view_reports *reports, const atomic_bool *stops)
{
    md5_check *model_check = NULL; // check of the first file, the model; clips follow
    for (size_t i = 0; i < files->count && !atomic_load(stops); i++) {
        if (i == 0)
            model_check = check_model_file(files->names[i], reports);
        else
            check_clip_file(files->names[i], model_check, reports);
    }
    md5_free_check(model_check);
}

// Checks whether clips fit the model of the scene. Scale and rotation are judged by all clips
// together.
void view_check_clips(const view_scene *scene, size_t clip, view_log *log)
{
    if (scene->model == NULL)
        return;
    md5_check **const checks = common_alloc(scene->num_clips, sizeof(md5_check *));
    size_t count = 0;
    for (size_t i = 0; i < scene->num_clips; i++) {
        if (!view_log_progress(log, "clips", i, scene->num_clips))
            break;
        const md5_load_opts opts = {.file_name = scene->clips[i].path};
        checks[count] = md5_check_doc(MD5_DOC_ANIM, NULL, 0, (md5_engines){0}, &opts, NULL);
        if (checks[count] == NULL)
            continue;
        (void)md5_check_binding(checks[count], scene->clips[i].binding);
        count++;
    }
    (void)md5_check_turns(checks, count); // compares the clips with each other

    // Only the diagnostics of the requested clip are reported, but its check needs all clips.
    const bool reports_all = clip >= count;
    for (size_t i = 0; i < count; i++) {
        const bool is_reported = reports_all || i == clip;
        const uint32_t num_reported = is_reported ? checks[i]->num_diagnostics : 0;
        for (uint32_t k = 0; k < num_reported; k++)
            view_log_warning(log, &checks[i]->diagnostics[k].error);
        md5_free_check(checks[i]);
    }
    free(checks);
}

// Returns true if the options can show the articulated figure of a model. A window can let the
// model fall at any time. For an image, only the files that it shows are read.
static bool needs_figure(const view_options *options)
{
    return view_shows_window(options) || options->ragdoll_time_given || options->shown.joint_bounds
           || options->page != NULL;
}

// Returns true if all diagnostics of the files are needed. The lists of a window, a panel in an
// image, and --no-render show them. Otherwise only clips that the user named are checked.
static bool reports_diagnostics(const view_options *options)
{
    const bool has_panel = options->shown.panel || options->shown.statistics;
    return view_shows_window(options) || options->no_render || has_panel;
}

// Returns the number of files that belong to the scene. In a crowd, these are the files before the
// second model: the model of the first kind and its clips.
static size_t count_scene_files(const view_loader *loader, const char *const *files,
                                size_t num_files)
{
    const size_t first_model = view_find_model(files, num_files);
    if (loader->options->crowd == 0 || first_model == num_files)
        return num_files;
    const size_t after_model = first_model + 1;
    return after_model + view_find_model(files + after_model, num_files - after_model);
}

// Loads the scene from files. If the first file is a name in a game, loads the scene from the open
// library. If `finds_clips` is true, also loads the animations in the model's folder. Returns false
// and logs an error on failure.
static bool load_scene(view_scene *scene, const view_loader *loader, const char *const *files,
                       size_t num_files, bool finds_clips, view_library *library)
{
    const bool is_in_game = num_files > 0 && strstr(files[0], "::") != NULL;
    if (is_in_game && loader->options->crowd > 0)
        return view_error(loader->log,
                          "--crowd: expected files, found the name of an asset in a game");
    if (is_in_game)
        return view_load_game_scene(scene, library, files[0], loader->log);
    if (!view_load_scene(scene, files, num_files, NULL, finds_clips, loader->log))
        return false;
    if (needs_figure(loader->options))
        view_load_figure(scene, loader->log);
    return true;
}

// Attaches the outfits of the command line to the model. Returns false if this fails and the
// document cannot be shown without them.
static bool load_outfits(view_scene *scene, const view_loader *loader)
{
    const common_texts *const outfits = &loader->options->outfits;
    if (outfits->count == 0)
        return true;
    bool is_loaded = false;
    if (scene->model != NULL)
        is_loaded = view_attach_outfits(scene, outfits, loader->log);
    else
        view_error(loader->log, "--outfit has no effect without a model; name a model first");
    return is_loaded || loader->log->skips_faulty_files;
}

// Reports problems of the clips and meshes if the options show them. Otherwise only checks the
// clips that the user has named.
static void check_scene(view_document *document, const view_loader *loader)
{
    view_scene *const scene = &document->scene;
    const bool has_diagnostics = reports_diagnostics(loader->options);
    if (has_diagnostics || !scene->has_found_clips)
        view_check_clips(scene, scene->num_clips, loader->log);
    if (!has_diagnostics)
        return;
    for (uint32_t i = 0; i < view_count_meshes(scene); i++) {
        const view_mesh_defects defects = view_find_defects(&scene->model->meshes[i], NULL, NULL);
        document->faults = view_add_defects(document->faults, defects);
    }
}

// Loads the morph targets that the options or the machine use. Returns false if this fails and the
// document cannot be shown without them.
static bool load_used_morphs(view_document *document, const view_loader *loader)
{
    view_scene *const scene = &document->scene;
    const bool has_morphs =
        loader->options->morphs.count > 0 || view_has_driven_morphs(view_scene_machine(scene));
    if (!has_morphs)
        return true;
    if (scene->model_with_outfits != NULL) {
        view_warn(loader->log, "morph targets are not supported together with --outfit");
        return true;
    }
    if (view_prepare_morphs(document, loader))
        return true;
    view_free_morphs(&document->morphs, loader->renderer);
    return loader->log->skips_faulty_files;
}

// Finds the feet that --terrain places on the ground, and sets scene->terrain. If the model has no
// feet, warns and leaves the ground level.
static void find_terrain_feet(view_scene *scene, view_ground_kind terrain, view_log *log)
{
    if (terrain == VIEW_LEVEL || scene->model == NULL)
        return;
    if (view_find_feet(&scene->terrain, scene, terrain) > 0)
        return;
    const char *reason = "no joint name contains foot or ankle";
    if (terrain == VIEW_LIFT)
        reason = "a lift requires a monster of a game";
    view_warn(log, "--terrain ignored: %s", reason);
}

// Applies --terrain: finds the feet of the model and loads the uneven ground. Returns false and
// logs an error if the ground cannot be loaded.
static bool load_terrain(view_document *document, const view_loader *loader)
{
    view_scene *const scene = &document->scene;
    find_terrain_feet(scene, loader->options->terrain, loader->log);
    if (scene->terrain.kind == VIEW_LEVEL || loader->renderer == NULL)
        return true;
    return view_load_ground(&document->uneven, &scene->terrain, loader);
}

// Loads the scenery, a model of the surroundings. It has one joint and never moves, so its palette
// is computed here. Does nothing if `path` is NULL or there is no renderer. A failure is only
// logged, because the document can be shown without scenery.
static void load_scenery(view_document *document, const char *path, const view_loader *loader)
{
    view_companion *const scenery = &document->scenery;
    if (path == NULL || loader->renderer == NULL)
        return;
    const bool is_loaded = load(scenery, loader, path);
    if (!is_loaded)
        return;

    scenery->path = common_copy(path);
    md5_local_to_palette(scenery->model, scenery->model->bind_local, NULL, scenery->palette);
    md5gl_set_visible(scenery->drawn, 0, false); // mesh 0 is drawn as an image
}

// Loads the file of --compare, and uploads the compared model. Returns false if this fails and the
// document cannot be shown without it.
static bool load_compared(view_document *document, const view_loader *loader)
{
    view_scene *const scene = &document->scene;
    const char *const path = loader->options->compare;
    if (path == NULL)
        return true;
    if (scene->model == NULL)
        return view_error(
            loader->log, "--compare %s: model is missing: name the model to compare this file with",
            path);
    if (!view_load_compare(&document->compare, scene, path, loader->log)) {
        view_free_compare(&document->compare);
        return loader->log->skips_faulty_files;
    }
    if (loader->renderer == NULL) // only the differences are computed
        return true;
    view_companion *const compared = &document->companions[VIEW_COMPARED];
    *compared = (view_companion){.model = document->compare.model, .joint = -1};
    if (document->compare.owned_model == NULL) // a clip on the scene's model
        return upload(compared, loader, scene->path, scene);
    return upload(compared, loader, path, NULL);
}

// Moves a companion to the left of the scene's model, so that the models do not overlap. `relative`
// is the distance relative to the sum of both models' sizes. A negative distance moves it to the
// right.
static void move_aside(view_companion *companion, const view_scene *scene, float relative)
{
    if (scene->model == NULL || companion->model == NULL)
        return;
    const float scene_size = view_size(scene->model->bounds);
    const float companion_size = view_size(companion->model->bounds);
    companion->aside = relative * (scene_size + companion_size);
}

// Loads the crowd of --crowd. Its first kind is the scene's model. `files` are the models and clips
// of the other kinds. Returns false if this fails and the document cannot be shown without it.
static bool load_crowd(view_document *document, const view_loader *loader, const char *const *files,
                       size_t num_files)
{
    if (loader->options->crowd == 0)
        return true;
    const view_kind first = {.drawn = document->drawn,
                             .textures = &document->textures,
                             .morphs = document->morphs.morph != NULL ? &document->morphs : NULL};
    if (view_make_crowd(&document->crowd, &document->scene, &first, files, num_files, loader))
        return true;
    if (loader->log->skips_faulty_files)
        view_free_crowd(&document->crowd, loader->renderer);
    return loader->log->skips_faulty_files;
}

// Applies the settings of the document and the options about motion to the scene. Warns of options
// that have no effect.
static void apply_document_settings(view_scene *scene, const view_document_settings *settings,
                                    const view_loader *loader)
{
    const view_options *const options = loader->options;
    scene->root = settings->root;
    scene->dual = settings->dual;
    scene->rotation = settings->rotation;
    if (options->crowd > 0 && scene->rotation.is_set)
        view_warn(loader->log, "--up and rotations are ignored for a crowd; rotate the model with "
                               "md5tool fix --rotate");
    scene->camera_path.smoothing = options->camera_smoothing;
    view_copy_settings(&scene->machine.settings, &options->settings);
    check_settings(scene, loader);
}

// Loads all parts of a document. The order matters, because some parts need others. Takes the same
// parameters as view_load_document(). Returns false and logs an error on failure; the caller frees
// the document in both cases.
static bool load_parts(view_document *document, const view_loader *loader, const char *const *files,
                       size_t num_files, bool finds_clips, const view_document_settings *settings)
{
    view_scene *const scene = &document->scene;
    const size_t num_scene_files = count_scene_files(loader, files, num_files);
    if (!load_scene(scene, loader, files, num_scene_files, finds_clips, settings->library))
        return false;
    if (document->uses_options && !load_outfits(scene, loader))
        return false;
    check_scene(document, loader);

    apply_document_settings(scene, settings, loader);
    scene->textures = &document->textures;
    if (!view_upload_scene(loader, scene, document->uses_options, &document->drawn,
                           &document->textures))
        return false;

    if (!load_used_morphs(document, loader) || !load_terrain(document, loader))
        return false;
    if (loader->options->walk && scene->model != NULL && !view_begin_walk(scene))
        view_warn(loader->log,
                  "--walk is ignored: expected two joints whose names contain foot or ankle");

    if (!load_companions(document, settings->guest_path, loader))
        return false;
    load_scenery(document, settings->scenery, loader);
    if (!load_compared(document, loader))
        return false;
    move_aside(&document->companions[VIEW_RETARGETED], scene, relative_distance);
    move_aside(&document->companions[VIEW_COMPARED], scene, -relative_distance);
    return load_crowd(document, loader, files + num_scene_files, num_files - num_scene_files);
}

// Removes a file in a folder, then each parent folder that has become empty, up to the folder
// itself. Afterwards, `path` is the last path that it tried to remove.
static void remove_with_empty_folders(char *path, const char *folder)
{
    while (remove(path) == 0) {
        if (strcmp(path, folder) == 0)
            return;
        *strrchr(path, '/') = '\0'; // the parent
    }
}

// Removes a folder with its contents from the disk, and frees its path. Removes each file, and
// then the folders that have become empty. A file that cannot be removed remains, with its
// folders.
void view_remove_folder(char *folder)
{
    if (folder == NULL)
        return;
    common_list files = common_walk_folder(folder, &(common_walk){.user = NULL});
    common_add(&files, common_copy(folder)); // for a folder without files
    for (size_t i = 0; i < files.count; i++)
        remove_with_empty_folders(files.names[i], folder);
    common_free_list(&files);
    free(folder);
}

const char *view_shown_file(const view_document *document)
{
    return document->folder != NULL ? document->source : document->scene.path;
}

// Loads everything that a window shows: the scene, its companions and its crowd.
view_document *view_load_document(const view_loader *loader, const char *const *files,
                                  size_t num_files, bool finds_clips, bool uses_options,
                                  view_document_settings settings)
{
    view_document *const document = common_alloc(1, sizeof *document);
    *document = (view_document){.uses_options = uses_options};
    if (load_parts(document, loader, files, num_files, finds_clips, &settings)
        && view_log_progress(loader->log, "", 0, 0))
        return document;
    view_free_document(document, loader->renderer);
    return NULL;
}

// Frees the thumbnails of the clips. A thumbnail without a texture was requested but not drawn.
void view_free_pictures(view_document *document, md5gl_renderer *renderer)
{
    for (size_t i = 0; i < document->num_pictures; i++) {
        if (document->pictures[i].texture != 0)
            md5gl_destroy_texture(renderer, document->pictures[i].texture);
    }
    free(document->pictures);
    document->pictures = NULL;
    document->num_pictures = 0;
}

// Frees the parts of the document in the order of their references, and removes its temporary
// folder from the disk. `renderer` may be NULL if nothing was uploaded. Accepts NULL.
void view_free_document(view_document *document, md5gl_renderer *renderer)
{
    if (document == NULL)
        return;
    view_free_pictures(document, renderer);
    if (renderer != NULL) {
        view_free_heat(&document->surfaces.heat, renderer);
        md5gl_destroy_texture(renderer, document->surfaces.uv_grid);
        view_free_textures(&document->textures, renderer);
        md5gl_destroy_model(renderer, document->drawn);
    }
    view_free_ground(&document->uneven, renderer);
    view_free_morphs(&document->morphs, renderer);
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++)
        free_companion(&document->companions[i], renderer);
    free_companion(&document->scenery, renderer);
    view_free_compare(&document->compare);
    view_free_crowd(&document->crowd, renderer); // before the scene, to which it refers
    view_free_scene(&document->scene);
    view_remove_folder(document->folder);
    free(document->source);
    free(document);
}

// -- Measuring ------------------------------------------------------------------------------

// Extends the bounds and the hull of a document, which the camera frames, by a box at an offset.
static void widen_by_box(view_document *document, md5_bounds box, md5_vec3 offset)
{
    const md5_bounds moved = {md5_vec3_add(box.min, offset), md5_vec3_add(box.max, offset)};
    document->bounds = md5_bounds_union(document->bounds, moved);
    document->hull.lowest = fminf(document->hull.lowest, moved.min.z);
    if (view_is_empty(moved))
        return;
    for (unsigned corner = 0; corner < 8; corner++) {
        const md5_vec3 point = view_corner(moved, corner);
        view_widen_hull(&document->hull, &point, 1);
    }
}

// Extends the bounds and the hull horizontally by a distance, so that they contain the members of a
// crowd.
static void widen_horizontally(view_document *document, float distance)
{
    for (int i = 0; i < VIEW_HULL_POINTS; i++) {
        md5_vec3 *const point = &document->hull.points[i];
        point->x += point->x > 0 ? distance : -distance;
        point->y += point->y > 0 ? distance : -distance;
    }
    document->bounds.min.x -= distance;
    document->bounds.max.x += distance;
    document->bounds.min.y -= distance;
    document->bounds.max.y += distance;
}

// Extends the bounds and the hull by the companions that are not attached to a joint. If a single
// pose is measured, the guest is omitted: it walks past the model and is visible only for a while.
static void widen_by_companions(view_document *document, bool is_pose)
{
    if (document->scene.machine.plays_demo) // the demo scene controls its own camera
        return;
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++) {
        const view_companion *const companion = &document->companions[i];
        const bool is_guest = companion->machine != NULL;
        if (companion->model == NULL || companion->joint >= 0 || (is_guest && is_pose))
            continue;
        md5_bounds box = companion->model->bounds;
        md5_vec3 offset = {0, 0, 0};
        if (is_guest) { // it walks past the model, in front of it
            offset.x = companion->machine->start.translation.x;
        } else {
            box = view_rotate_bounds(&document->scene.rotation, box);
            offset.y = companion->aside;
        }
        widen_by_box(document, box, offset);
    }
}

// Returns the height of the ground. It is usually 0, where the characters of id's games stand. It
// differs if a part of the content is below 0, or if the whole content is clearly above 0.
static float find_ground(const view_document *document)
{
    const view_crowd *const crowd = &document->crowd;
    float low = document->hull.lowest;
    for (uint32_t i = 0; i < crowd->num_kinds; i++)
        low = fminf(low, crowd->kinds[i].lowest);
    const bool is_slightly_above = low > 0 && low <= 0.1f * view_size(document->bounds);
    if (is_slightly_above || !isfinite(low))
        return 0;
    return low;
}

// Measures the document for the camera and for the height of the ground.
void view_measure_document(view_document *document, const view_play *still)
{
    const view_crowd *const crowd = &document->crowd;
    document->bounds =
        view_clip_bounds(&document->scene, crowd->count == 0 ? still : NULL, &document->hull);
    for (uint32_t i = 1; i < crowd->num_kinds; i++)
        widen_by_box(document, crowd->kinds[i].model->bounds, (md5_vec3){0, 0, 0});
    if (crowd->count > 0)
        widen_horizontally(document, crowd->spread);
    else
        widen_by_companions(document, still != NULL);
    if (still == NULL) // a single pose, such as a jump, does not move the ground
        document->ground = find_ground(document);
}

// Shows and hides meshes in all levels of detail. The first kind of a crowd shows the scene's
// model. Its level 0 is document->drawn, its other levels are copies of the model.
void view_show_meshes(const view_document *document, uint64_t hidden)
{
    const md5_model *const model = document->scene.model;
    const view_kind *const kind = &document->crowd.kinds[0];
    if (document->drawn == NULL)
        return;
    for (uint32_t i = 0; i < model->num_meshes && i < 64; i++) {
        const bool is_shown = (hidden & (uint64_t)1 << i) == 0;
        md5gl_set_visible(document->drawn, i, is_shown);
        for (uint32_t k = 1; k < kind->num_levels; k++) {
            if (kind->levels[k].drawn != NULL)
                md5gl_set_visible(kind->levels[k].drawn, i, is_shown);
        }
    }
}

view_mode view_get_mode(const view_document *document)
{
    return view_shows_crowd(document) ? VIEW_MODE_CROWD : view_get_mover(&document->scene)->mode;
}
