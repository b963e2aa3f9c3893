// Loads, compares, measures and frees documents, with their companions. See document.h.
#include "demo/viewer/crowd/document.h"

#include "demo/viewer/assets/words.h"

// == Comparison ==================================================================================

static const md5_load_opts any = {.allow_partial_binding =
                                      true}; // models that share few joints, too

// -- Loading --------------------------------------------------------------------------------

bool view_load_compare(view_compare *compare, const view_scene *scene, const char *path,
                       view_log *log)
{
    md5_error error = {0};
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
    if (common_has_suffix(path, ".md5anim")) {
        compare->bound = compare->own_anim = md5_load_anim(path, NULL, &error);
        compare->binding = md5_bind(compare->model, compare->bound, &any, &error);
    } else {
        compare->model = compare->own_model = md5_load_model(path, NULL, &error);
    }
    if (compare->model == NULL || (compare->own_model == NULL && compare->binding == NULL)) {
        view_log_error(log, &error);
        return false;
    }
    const md5_skeleton *const other = &compare->model->skeleton;
    compare->pose = common_alloc(other->num_joints, sizeof *compare->pose);
    compare->joints = common_alloc(other->num_joints, sizeof *compare->joints);
    // Match joints like the joints of a clip, with a clip that consists of the scene's bind pose.
    md5_anim *const still = view_make_anim(scene->model, 1, 1);
    md5_binding *const match = md5_bind(compare->model, still, &any, NULL);
    for (uint32_t i = 0; i < num_joints; i++)
        compare->same[i] = -1;
    for (uint32_t i = 0; match != NULL && i < other->num_joints; i++)
        if (match->tracks[i] != MD5_NONE) {
            compare->same[match->tracks[i]] = (int32_t)i;
            compare->num_same++;
        }
    md5_free_binding(match);
    md5_free_anim(still);
    return true;
}

void view_free_compare(view_compare *compare)
{
    md5_free_binding(compare->binding);
    md5_free_anim(compare->own_anim);
    md5_free_model(compare->own_model);
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

static int compare_distances(const void *a, const void *b)
{
    const view_difference *const first = a;
    const view_difference *const second = b;
    if (first->distance > second->distance || first->distance < second->distance)
        return first->distance > second->distance ? -1 : 1;
    return (first->joint > second->joint) - (first->joint < second->joint);
}

// Poses the compared model at a sample position and writes the differences of its joints from
// scene_joints.
static void write_differences(view_compare *compare, const view_scene *scene,
                              md5_sample_position sample)
{
    const md5_model *const model = compare->model;
    uint32_t count = 0;
    if (compare->binding == NULL || view_is_bind_pose(scene)) {
        memcpy(compare->joints, model->bind, model->skeleton.num_joints * sizeof *compare->joints);
    } else {
        md5_sample(compare->binding, sample, scene->root, compare->pose);
        md5_local_to_model(&model->skeleton, compare->pose, compare->joints);
    }
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

void view_pose_compare(view_compare *compare, view_scene *scene, const view_play *play)
{
    md5_error error = {0};
    if (compare->model == NULL)
        return;
    const md5_anim *const anim =
        compare->own_anim != NULL ? compare->own_anim : view_shown_anim(scene);
    if (anim != compare->bound) {
        md5_free_binding(compare->binding);
        compare->bound = anim;
        compare->binding = md5_bind(compare->model, anim, &any, &error);
    }
    // The clip is measured only if it is shown as stored: no machine, legs or channels move the
    // model.
    const md5_anim *const shown =
        view_motion_of(scene)->clip_use == VIEW_CLIP_AS_FILE ? view_shown_anim(scene) : NULL;
    const bool is_old = shown == compare->measured && compare->bound == compare->against
                        && scene->root == compare->root;
    compare->measured = shown;
    compare->against = compare->bound;
    compare->root = scene->root;
    const uint32_t num_measured = shown != NULL && !is_old ? shown->num_frames : 0;
    if (!is_old) {
        free(compare->courses);
        compare->courses =
            common_alloc((size_t)num_measured * compare->num_joints, sizeof *compare->courses);
    }
    for (uint32_t frame = 0; frame < num_measured; frame++) {
        const md5_sample_position own = {.frame0 = frame, .frame1 = frame};
        const double time = frame / shown->frame_rate;
        md5_sample_position other = own;
        // Sample the compared clip at the same time. If both clips end together, use its last
        // frame.
        if (compare->binding != NULL)
            other = md5_sample_position_at(compare->bound, time,
                                           time <= compare->bound->duration + 1e-6 ? MD5_WRAP_CLAMP
                                                                                   : play->wrap);
        view_pose_at(scene, &own);
        md5_local_to_model(scene->skeleton, scene->pose, compare->scene_joints);
        write_differences(compare, scene, other);
        for (uint32_t i = 0; i < compare->num_same; i++) {
            const view_difference *const now = &compare->differences[i];
            view_peak *const peak = &compare->peaks[i];
            compare->courses[(size_t)frame * compare->num_joints + now->joint] = now->distance;
            if (frame == 0)
                *peak = (view_peak){.joint = now->joint};
            if (now->distance > peak->distance) {
                peak->distance = now->distance;
                peak->distance_frame = frame;
            }
            if (now->angle > peak->angle) {
                peak->angle = now->angle;
                peak->angle_frame = frame;
            }
        }
    }
    if (shown != NULL && !is_old) {
        common_sort(compare->peaks, compare->num_same, sizeof *compare->peaks, compare_peaks);
        view_pose(scene, play);
    }
    const md5_sample_position sample = compare->bound != NULL
                                           ? view_sample_position(play, compare->bound)
                                           : (md5_sample_position){0};
    const bool has_no_clip =
        view_motion_of(scene)->clip_use >= VIEW_CLIP_PLAYED && view_shown_anim(scene) == NULL;
    const bool is_bind = view_is_bind_pose(scene) || has_no_clip;
    if (is_bind)
        memcpy(compare->scene_joints, scene->model->bind,
               compare->num_joints * sizeof *compare->scene_joints);
    else
        md5_local_to_model(scene->skeleton, scene->pose, compare->scene_joints);
    write_differences(compare, scene, sample);
    common_sort(compare->differences, compare->num_same, sizeof *compare->differences,
                compare_distances);
    for (uint32_t i = 0; i < compare->num_same && shown == NULL; i++) {
        const view_difference *const now = &compare->differences[i];
        compare->peaks[i] = (view_peak){now->joint, now->distance, now->angle, 0, 0};
    }
}

// == Companions ==================================================================================
//
// A companion (view_companion) is a second model that is shown with the scene's model, such as a
// retargeted model or an attached weapon.

// Distance of the retargeted model, relative to the sum of both models' sizes.
static const float relative_distance = 0.4f;

// Uploads the model of a companion with the textures of the model file `path`, or with the textures
// of the scene `same`, if it is not NULL.
static bool upload(view_companion *companion, const view_loader *loader, const char *path,
                   const view_scene *same)
{
    const uint32_t num_joints = companion->model->skeleton.num_joints;
    companion->pose = common_alloc(num_joints, sizeof *companion->pose);
    companion->palette = common_alloc(num_joints, sizeof *companion->palette);
    companion->textures = common_alloc(1, sizeof *companion->textures);
    return same != NULL
               ? view_upload_scene(loader, same, false, &companion->drawn, companion->textures)
               : view_upload(loader, &(view_dressing){.model = companion->model, .path = path},
                             &companion->drawn, companion->textures);
}

static bool load(view_companion *companion, const view_loader *loader, const char *path)
{
    md5_error error = {0};
    *companion = (view_companion){.joint = -1};
    companion->model = companion->own_model = md5_load_model(path, NULL, &error);
    if (companion->model == NULL)
        return view_log_error(loader->log, &error);
    return upload(companion, loader, path, NULL);
}

// Loads a machine with its model and textures.
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

// Uploads the models that the scene's machine attaches. The machine has loaded and owns them.
static bool load_held(view_companion companions[VIEW_NUM_COMPANIONS], const view_scene *scene,
                      const view_loader *loader)
{
    const md5_machine_desc *const desc = scene->machine.desc;
    char *const folder = common_folder(scene->path);
    bool is_loaded = true;
    for (uint32_t i = 0; i < desc->num_attached && is_loaded; i++) {
        const md5_attached_desc *const held = &desc->attached[i];
        view_companion *const companion = &companions[VIEW_HELD + i];
        const uint32_t joint = md5_find_joint(scene->skeleton, held->joint);
        if (joint == MD5_NONE)
            continue;
        *companion = (view_companion){
            .model = held->model, .joint = (int32_t)joint, .path = common_join(folder, held->file)};
        is_loaded = upload(companion, loader, companion->path, NULL);
    }
    free(folder);
    return is_loaded;
}

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
    md5_free_model(companion->own_model);
    *companion = (view_companion){.joint = -1};
}

bool view_load_guest(view_document *document, const char *path, const view_loader *loader)
{
    view_companion *const guest = &document->companions[VIEW_GUEST];
    view_scene *const scene = &document->scene;
    const float reach = view_size(scene->model->bounds);
    if (!load_machine(guest, path, loader)) {
        free_companion(guest, loader->renderer);
        return false;
    }
    // The guest starts on the right side of the model, slightly in front, and faces to its left.
    guest->path = common_copy(path);
    guest->machine->start = (md5_xform){
        .rotation = {.z = 0.70710678f, .w = 0.70710678f},
        .translation = {0.3f * reach, -3.79f * reach, 0},
    };
    guest->machine->place = guest->machine->start;
    guest->machine->host = &scene->machine;
    scene->machine.guest = guest->machine;
    return true;
}

// Frees a companion that cannot be loaded. Returns true if the document is opened without it.
static bool skip_companion(view_companion *companion, const view_loader *loader)
{
    free_companion(companion, loader->renderer);
    return loader->log->keeps_rest;
}

// Loads the models of --retarget and --attach. If the scene's model plays a machine, also loads the
// machine `visitor`, if it is not NULL, and the models that are attached to the scene's model.
// Returns false and logs an error on failure; the caller frees the companions in both cases.
static bool load_companions(view_document *document, const char *visitor, const view_loader *loader)
{
    view_companion *const companions = document->companions;
    view_scene *const scene = &document->scene;
    const view_options *const options = loader->options;
    md5_error error = {0};
    if (loader->renderer == NULL || scene->model == NULL)
        return true;
    if (options->retarget != NULL) {
        view_companion *const body = &companions[0];
        bool is_loaded = load(body, loader, options->retarget);
        if (is_loaded) {
            const convert_job job = {.map = options->retarget_map,
                                     .pairs = options->retarget_pairs,
                                     .warn = view_log_warning,
                                     .user = loader->log};
            body->retarget = convert_create_retarget(&job, scene->model, body->model, NULL, &error);
            // In a window the user can map the joints manually.
            const bool is_bare = error.status == MD5_ERROR_MISMATCH && view_shows_window(options);
            if (body->retarget == NULL && is_bare)
                view_warn(loader->log, "%s: %s; map the joints manually", options->retarget,
                          error.message);
            is_loaded = body->retarget != NULL || is_bare || view_log_error(loader->log, &error);
        }
        if (!is_loaded && !skip_companion(body, loader))
            return false;
    }
    if (options->attach != NULL) {
        const char *const equals = strchr(options->attach, '=');
        char *const name = common_format("%.*s", (int)(equals - options->attach), options->attach);
        const uint32_t joint = md5_find_joint(scene->skeleton, name);
        free(name);
        bool is_loaded = load(&companions[1], loader, equals + 1);
        if (is_loaded && joint == MD5_NONE)
            is_loaded = view_error(loader->log, "--attach %s: joint not found in the model",
                                   options->attach);
        companions[1].joint = (int32_t)joint;
        if (!is_loaded && !skip_companion(&companions[1], loader))
            return false;
    }
    if (view_scene_machine(scene) == NULL)
        return true;
    if (visitor != NULL && !view_load_guest(document, visitor, loader) && !loader->log->keeps_rest)
        return false;
    // The model carries the first machine in the folder `attached`, in the model's folder, whose
    // file has the name of a joint. This machine advances with the scene's machine, whose events
    // set its triggers.
    view_companion *const carried = &companions[VIEW_CARRIED];
    char *const model_folder = common_folder(scene->machine.character->model_path);
    char *const folder = common_join(model_folder, "attached");
    common_list files = common_list_folder(folder, ".md5machine");
    bool is_loaded = true;
    for (size_t i = 0; i < files.count && carried->model == NULL && is_loaded; i++) {
        char *const name = common_stem(files.names[i]);
        const uint32_t joint = md5_find_joint(scene->skeleton, name);
        free(name);
        if (joint == MD5_NONE)
            continue;
        is_loaded =
            load_machine(carried, files.names[i], loader) || skip_companion(carried, loader);
        carried->joint = (int32_t)joint;
        scene->machine.carried = is_loaded ? carried->machine : NULL;
    }
    common_free_list(&files);
    free(folder);
    free(model_folder);
    return is_loaded && load_held(companions, scene, loader);
}

// == Documents ===================================================================================

// -- Loading --------------------------------------------------------------------------------

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
    return md5_find_parameter(machine, name) == MD5_NONE ? "unknown parameter" : NULL;
}

// Logs a warning for each --set that has no effect.
static void check_settings(const view_scene *scene, const view_loader *loader)
{
    const view_options *const options = loader->options;
    const md5_machine *const machine = view_scene_machine(scene);
    for (size_t i = 0; i < options->settings.count && options->page == NULL; i++) {
        const char *const name = options->settings.rows[i].parameter;
        const char *const reason = unused_setting(machine, options->crowd > 0, name);
        if (reason != NULL)
            view_warn(loader->log, "--set %s: %s", name, reason);
    }
}

// Returns the subject of a diagnostic: the vertex, mesh or joint at its line of a model's text.
// A diagnostic without a line may name a mesh in its message.
static view_about find_about(const char *text, const md5_error *found)
{
    view_about about = {.kind = VIEW_ABOUT_FILE};
    uint32_t num_joints = 0;
    uint32_t line = found->line;
    const bool names_mesh =
        strncmp(found->message, "mesh ", 5) == 0 && isdigit((unsigned char)found->message[5]) != 0;
    if (text != NULL && line == 0 && names_mesh) {
        about.kind = VIEW_ABOUT_MESH;
        about.number = (uint32_t)strtoul(found->message + 5, NULL, 10);
    }
    for (; text != NULL && line > 0; line--) {
        text += strspn(text, "\r\t ");
        const bool is_mesh = strncmp(text, "mesh", 4) == 0;
        about.number += is_mesh && about.kind == VIEW_ABOUT_MESH;
        about.kind = is_mesh ? VIEW_ABOUT_MESH : about.kind;
        num_joints += *text == '"';
        if (line > 1 && (text = strchr(text, '\n')) != NULL)
            text++;
    }
    if (text != NULL && about.kind == VIEW_ABOUT_MESH && strncmp(text, "vert ", 5) == 0) {
        about.kind = VIEW_ABOUT_VERTEX;
        about.vertex = (uint32_t)strtoul(text + 5, NULL, 10);
    } else if (text != NULL && about.kind == VIEW_ABOUT_FILE && *text == '"') {
        about = (view_about){VIEW_ABOUT_JOINT, num_joints - 1, 0, NULL};
    }
    return about;
}

void view_check_files(const common_list *files, view_reports *reports, const atomic_bool *stops)
{
    const uint32_t engine = md5_find_engines("doom3");
    view_log log = {.level = VIEW_QUIET, .reports = reports};
    md5_check *mesh = NULL;
    for (size_t i = 0; i < files->count && !atomic_load(stops); i++) {
        const char *const path = files->names[i];
        const char *reason;
        const bool is_clip = i > 0;
        const md5_load_opts opts = {.file_name = path};
        size_t size = 0;
        char *const text = common_read_stream(path, &size, &reason);
        const md5_doc_kind kind = is_clip ? MD5_DOC_ANIM : MD5_DOC_MODEL;
        md5_check *check = NULL;
        if (text != NULL)
            check = md5_check_doc(kind, text, size, (md5_engines){engine, engine}, &opts, NULL);
        md5_model *const model = is_clip || check == NULL ? NULL : md5_load_model(path, NULL, NULL);
        if (model != NULL)
            (void)md5_check_model(check, model);
        if (is_clip && check != NULL && mesh != NULL)
            (void)md5_check_pair(mesh, check);
        for (uint32_t k = 0; check != NULL && k < check->num_diagnostics; k++) {
            const md5_diagnostic *const found = &check->diagnostics[k];
            if (found->is_silent && !found->is_library_too)
                continue;
            log.about = find_about(is_clip ? NULL : text, &found->error);
            view_log_warning(&log, &found->error);
            if (reports->count == 0)
                continue;
            view_level *const level = &reports->rows[reports->count - 1].level;
            if (found->is_library_too)
                *level = VIEW_DEBUG;
            else
                *level = found->error.status == MD5_WARNING ? VIEW_INFO : VIEW_WARNING;
        }
        free(text);
        md5_free_model(model);
        if (is_clip)
            md5_free_check(check);
        else
            mesh = check;
    }
    md5_free_check(mesh);
}

void view_check_clips(const view_scene *scene, size_t clip, view_log *log)
{
    md5_check **const checks = common_alloc(scene->num_clips, sizeof(md5_check *));
    size_t count = 0;
    for (size_t i = 0; i < scene->num_clips && scene->model != NULL
                       && view_log_progress(log, "clips", i, scene->num_clips);
         i++) {
        const md5_load_opts opts = {.file_name = scene->clips[i].path};
        checks[count] = md5_check_doc(MD5_DOC_ANIM, NULL, 0, (md5_engines){0}, &opts, NULL);
        if (checks[count] != NULL)
            (void)md5_check_binding(checks[count++], scene->clips[i].binding);
    }
    (void)md5_check_turns(checks, count);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < checks[i]->num_diagnostics && (clip >= count || i == clip); k++)
            view_log_warning(log, &checks[i]->diagnostics[k].error);
        md5_free_check(checks[i]);
    }
    free(checks);
}

// Returns true if the options can show the articulated figure of a model: a window can let it fall
// at any time. For an image, only the files that it shows are read.
static bool needs_figure(const view_options *options)
{
    return view_shows_window(options) || options->dies_given || options->shown.joint_bounds
           || options->page != NULL;
}

// Returns true if all diagnostics of the files are needed: for the lists of a window, for a panel
// in an image, and for --no-render. Otherwise only clips that the user named are checked.
static bool reports_diagnostics(const view_options *options)
{
    const bool has_panel = options->shown.panel || options->shown.statistics;
    return view_shows_window(options) || options->no_render || has_panel;
}

static bool load_parts(view_document *document, const view_loader *loader, const char *const *files,
                       size_t num_files, bool pick_up, const view_manner *manner)
{
    const uint32_t crowd = loader->options->crowd;
    view_scene *const scene = &document->scene;
    // The files before the second model belong to the first kind of a crowd.
    const size_t first_model = view_find_model(files, num_files);
    const size_t own =
        crowd > 0 && first_model < num_files
            ? first_model + 1
                  + view_find_model(files + first_model + 1, num_files - first_model - 1)
            : num_files;
    const bool is_in_game = own > 0 && strstr(files[0], "::") != NULL;
    if (is_in_game && crowd > 0)
        return view_error(loader->log,
                          "--crowd requires files; names in a game folder are not supported");
    if (is_in_game ? !view_load_game_scene(scene, manner->library, files[0], loader->log)
                   : !view_load_scene(scene, files, own, NULL, pick_up, loader->log))
        return false;
    if (!is_in_game && needs_figure(loader->options))
        view_load_figure(scene, loader->log);
    const common_texts *const wear = &loader->options->wear;
    if (document->uses_options && wear->count > 0) {
        const bool is_worn = scene->model != NULL
                                 ? view_attach_outfits(scene, wear, loader->log)
                                 : view_error(loader->log, "--outfit requires a model");
        if (!is_worn && !loader->log->keeps_rest)
            return false;
    }
    const bool has_diagnostics = reports_diagnostics(loader->options);
    if (has_diagnostics || !scene->picked_up)
        view_check_clips(scene, scene->num_clips, loader->log);
    scene->root = manner->root;
    scene->dual = manner->dual;
    scene->turn = manner->turn;
    for (uint32_t i = 0; has_diagnostics && i < view_count_meshes(scene); i++)
        document->faults = view_add_defects(
            document->faults, view_find_defects(&scene->model->meshes[i], NULL, NULL));
    if (crowd > 0 && scene->turn.is_set)
        view_warn(loader->log, "--up and rotations are ignored for a crowd");
    scene->textures = &document->textures;
    scene->camera_path.smoothing = loader->options->camera_smoothing;
    view_copy_settings(&scene->machine.settings, &loader->options->settings);
    check_settings(scene, loader);
    if (!view_upload_scene(loader, scene, document->uses_options, &document->drawn,
                           &document->textures))
        return false;
    const bool has_morphs =
        loader->options->morphs.count > 0 || view_has_driven_morphs(view_scene_machine(scene));
    const bool keeps_rest = loader->log->keeps_rest;
    if (has_morphs && scene->dressed != NULL)
        view_warn(loader->log, "morph targets are not supported together with --outfit");
    else if (has_morphs && !view_prepare_morphs(document, loader)) {
        view_free_morphs(&document->morphs, loader->renderer);
        if (!keeps_rest)
            return false;
    }
    const view_ground_kind terrain = loader->options->terrain;
    if (terrain != VIEW_LEVEL && scene->model != NULL
        && view_find_feet(&scene->terrain, scene, terrain) == 0)
        view_warn(
            loader->log,
            "--terrain ignored: no joint name contains foot or ankle, or a lift was requested for "
            "a model that is not a monster of a game");
    if (scene->terrain.kind != VIEW_LEVEL && loader->renderer != NULL
        && !view_load_ground(&document->uneven, &scene->terrain, loader))
        return false;
    if (loader->options->walk && scene->model != NULL && !view_begin_walk(scene))
        view_warn(loader->log, "--walk ignored: no two joint names contain foot or ankle");
    if (!load_companions(document, manner->guest, loader))
        return false;
    if (manner->place != NULL && loader->renderer != NULL
        && load(&document->place, loader, manner->place)) {
        document->place.path = common_copy(manner->place);
        md5_local_to_palette(document->place.model, document->place.model->bind_local, NULL,
                             document->place.palette);
        md5gl_set_visible(document->place.drawn, 0, false); // mesh 0 is drawn as an image
    }
    const char *other = loader->options->compare;
    if (other != NULL && scene->model == NULL)
        return view_error(loader->log, "--compare %s: no model to compare with", other);
    if (other != NULL && !view_load_compare(&document->compare, scene, other, loader->log)) {
        view_free_compare(&document->compare);
        other = NULL;
        if (!keeps_rest)
            return false;
    }
    if (other != NULL && loader->renderer != NULL) { // otherwise only the differences are computed
        view_companion *const compared = &document->companions[VIEW_COMPARED];
        const bool is_same = document->compare.own_model == NULL;
        *compared = (view_companion){.model = document->compare.model, .joint = -1};
        const bool is_uploaded = is_same ? upload(compared, loader, scene->path, scene)
                                         : upload(compared, loader, other, NULL);
        if (!is_uploaded)
            return false;
    }
    // Companion 0 stands to the left of the scene's model, the compared model to the right.
    for (int i = 0; i <= VIEW_COMPARED; i += VIEW_COMPARED) {
        view_companion *const companion = &document->companions[i];
        const float distance = i == 0 ? relative_distance : -relative_distance;
        if (scene->model != NULL && companion->model != NULL)
            companion->aside =
                distance * (view_size(scene->model->bounds) + view_size(companion->model->bounds));
    }
    const view_kind first = {.drawn = document->drawn,
                             .textures = &document->textures,
                             .morphs = document->morphs.morph != NULL ? &document->morphs : NULL};
    if (crowd == 0
        || view_make_crowd(&document->crowd, scene, &first, files + own, num_files - own, loader))
        return true;
    if (keeps_rest)
        view_free_crowd(&document->crowd, loader->renderer);
    return keeps_rest;
}

void view_remove_folder(char *folder)
{
    common_list files = {0};
    if (folder != NULL) {
        files = common_walk_folder(folder, &(common_walk){.user = NULL});
        common_add(&files, common_copy(folder));
    }
    for (size_t i = 0; i < files.count; i++) // also removes folders that become empty
        while (remove(files.names[i]) == 0 && strcmp(files.names[i], folder) != 0)
            *strrchr(files.names[i], '/') = '\0';
    common_free_list(&files);
    free(folder);
}

const char *view_shown_file(const view_document *document)
{
    return document->folder != NULL ? document->source : document->scene.path;
}

view_document *view_load_document(const view_loader *loader, const char *const *files,
                                  size_t num_files, bool pick_up, bool uses_options,
                                  view_manner manner)
{
    view_document *const document = common_alloc(1, sizeof *document);
    *document = (view_document){.uses_options = uses_options};
    if (load_parts(document, loader, files, num_files, pick_up, &manner)
        && view_log_progress(loader->log, "", 0, 0))
        return document;
    view_free_document(document, loader->renderer);
    return NULL;
}

void view_free_pictures(view_document *document, md5gl_renderer *renderer)
{
    for (size_t i = 0; i < document->num_pictures; i++)
        if (document->pictures[i].texture != 0)
            md5gl_destroy_texture(renderer, document->pictures[i].texture);
    free(document->pictures);
    document->pictures = NULL;
    document->num_pictures = 0;
}

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
    free_companion(&document->place, renderer);
    view_free_compare(&document->compare);
    view_free_crowd(&document->crowd, renderer); // before the scene, to which it refers
    view_free_scene(&document->scene);
    view_remove_folder(document->folder);
    free(document->source);
    free(document);
}

// -- Measuring ------------------------------------------------------------------------------

// Extends the bounds and the hull of a document by a box at an offset.
static void widen_by_box(view_document *document, md5_bounds box, md5_vec3 offset)
{
    box = (md5_bounds){md5_vec3_add(box.min, offset), md5_vec3_add(box.max, offset)};
    document->bounds = md5_bounds_union(document->bounds, box);
    document->hull.lowest = fminf(document->hull.lowest, box.min.z);
    for (unsigned corner = 0; corner < 8 && !view_is_empty(box); corner++) {
        const md5_vec3 point = view_corner(box, corner);
        view_widen_hull(&document->hull, &point, 1);
    }
}

void view_measure_document(view_document *document, const view_play *still)
{
    const view_crowd *const crowd = &document->crowd;
    document->bounds =
        view_clip_bounds(&document->scene, crowd->count == 0 ? still : NULL, &document->hull);
    for (uint32_t i = 1; i < crowd->num_kinds; i++)
        widen_by_box(document, crowd->kinds[i].model->bounds, (md5_vec3){0, 0, 0});
    if (crowd->count > 0) {
        for (int i = 0; i < VIEW_HULL_POINTS; i++) {
            md5_vec3 *const point = &document->hull.points[i];
            point->x += point->x > 0 ? crowd->spread : -crowd->spread;
            point->y += point->y > 0 ? crowd->spread : -crowd->spread;
        }
        document->bounds.min.x -= crowd->spread;
        document->bounds.max.x += crowd->spread;
        document->bounds.min.y -= crowd->spread;
        document->bounds.max.y += crowd->spread;
    } else {
        for (int i = 0; i < VIEW_NUM_COMPANIONS; i++) { // companions that are not attached
            const view_companion *const companion = &document->companions[i];
            if (companion->model == NULL || companion->joint >= 0)
                continue;
            // A guest walks in front of the model; the opening scene controls its own camera.
            if (document->scene.machine.acts)
                continue;
            if (companion->machine != NULL)
                widen_by_box(document, companion->model->bounds,
                             (md5_vec3){companion->machine->start.translation.x, 0, 0});
            else
                widen_by_box(document,
                             view_rotate_bounds(&document->scene.turn, companion->model->bounds),
                             (md5_vec3){0, companion->aside, 0});
        }
    }
    if (still != NULL) // a jumping pose does not move the ground
        return;
    // The ground is at 0, where id's characters stand, unless a part of the content is below 0 or
    // the whole content is clearly above 0.
    float low = document->hull.lowest;
    for (uint32_t i = 0; i < crowd->num_kinds; i++)
        low = fminf(low, crowd->kinds[i].lowest);
    const bool stands = low > 0 && low <= 0.1f * view_size(document->bounds);
    document->ground = stands || !isfinite(low) ? 0 : low;
}

void view_show_meshes(const view_document *document, uint64_t hidden)
{
    const md5_model *const model = document->scene.model;
    const view_kind *const kind = &document->crowd.kinds[0]; // uses the same model
    for (uint32_t i = 0; document->drawn != NULL && i < model->num_meshes && i < 64; i++) {
        const bool is_shown = (hidden >> i & 1) == 0;
        md5gl_set_visible(document->drawn, i, is_shown);
        for (uint32_t k = 1; k < kind->num_levels; k++)
            if (kind->levels[k].drawn != NULL)
                md5gl_set_visible(kind->levels[k].drawn, i, is_shown);
    }
}

view_mode view_mode_of(const view_document *document)
{
    return view_shows_crowd(document) ? VIEW_MODE_CROWD : view_mover_of(&document->scene)->mode;
}
