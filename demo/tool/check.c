// md5tool check: prints errors and warnings of files, for editors and scripts.
//
// Several threads read the files of a batch (file_batch). Clips are read after the meshes, because
// a clip is checked with its mesh. The diagnostics of a file are stored in a file_report and
// printed in the order of the files, in the format that report.c writes.
//
// The library reports errors of the format. Violations of rules of engines are found by md5edit.h,
// and by folder_rules.c, motion.c and images.c. game_check.c checks game folders and archives.
#include "demo/common/threads.h"
#include "demo/tool/tool.h"

// State of the command `md5tool check`.
typedef struct checker {
    tool_report *report;
    md5_engines requested;    // engines of --for; without --for they are guessed for each file
    uint32_t checked_engines; // engines for which at least one file was checked
    bool shows_progress;      // only standard error is a terminal
    size_t num_failed;        // games that could not be opened
    tool_game_check opened;   // the game of the current files; empty: the files are on disk
    md5_game *game;           // opened.search_paths.game
} checker;

// Derived data of models that the checks do not use, so loading skips it.
enum { UNUSED_GEOMETRY = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS | MD5_GEOMETRY_LOSSES };

// -- Diagnostics ----------------------------------------------------------------------------------

// The diagnostics of one file. Files are read in parallel, so a report stores the diagnostics until
// they are printed in the order of the files.
typedef struct file_report {
    const char *path;
    md5_diagnostic *diagnostics; // errors and warnings of the library
    size_t count;
    unsigned num_unreported;  // warnings that the library only counts, beyond its limit
    md5_check *file_check;    // violations of rules; NULL: there are no rules for this kind of file
    uint32_t checked_engines; // engines for which the file was checked
    bool keeps_model;         // `model` is needed for clips of the same batch
    md5_check **clips;        // [num_clips] checks of the clips, if the file is a mesh
    size_t num_clips;
    md5_model *model; // the loaded mesh if keeps_model is true, otherwise NULL
} file_report;

// Adds an error or a warning of the library to a report. It is a callback for md5_load_opts.warn,
// and `user` is the report.
static void add_diagnostic(void *user, const md5_error *error)
{
    file_report *const report = user;
    report->diagnostics =
        common_grow(report->diagnostics, report->count, sizeof *report->diagnostics);
    report->diagnostics[report->count++] = (md5_diagnostic){.error = *error, .count = 1};
}

// Prints a diagnostic. Its path is preceded by the folder or archive that contains the file. It is
// a callback for tool_game_check.print, and `user` is the checker.
static void print_located(void *user, const md5_diagnostic *found)
{
    const checker *const check = user;
    char *const path = tool_full_path(&check->opened.search_paths, found->error.file);
    md5_diagnostic located = *found;
    convert_name_file(&located.error, path);
    tool_report_diagnostic(check->report, &located);
    free(path);
}

// Prints the diagnostics of a file. Errors and warnings of the library come first, except those
// that a rule reports as well. Violations of rules follow.
static void print_diagnostics(checker *check, const file_report *report)
{
    size_t count = 0;
    const md5_diagnostic *const violations =
        report->file_check ? tool_diagnostics(report->file_check, &count) : NULL;
    for (size_t i = 0; i < report->count; i++) {
        if (!tool_is_reported_by_rule(report->file_check, &report->diagnostics[i].error))
            print_located(check, &report->diagnostics[i]);
    }
    for (size_t k = 0; k < count; k++)
        print_located(check, &violations[k]);
    tool_count_warnings(check->report, report->num_unreported);
}

// -- Files and folders ----------------------------------------------------------------------

static bool is_checked(const char *name)
{
    return tool_file_kind(name) != TOOL_UNKNOWN;
}

// For common_walk: returns true for files and archives that md5tool reads.
static bool is_read(const char *name)
{
    return is_checked(name) || common_is_archive(name);
}

// Files that are read and checked together. The diagnostics are printed when all files of the batch
// have been read.
typedef struct file_batch {
    const checker *check;
    file_report *reports; // [num_read]
    size_t num_before;    // files of earlier batches
    size_t num_files;     // files of all batches
    size_t num_read;
    file_report **order; // [num_read] in the order of reading: clips are last
    file_report **clips; // [num_clips] the end of `order`, sorted by folder and name
    size_t num_clips;
    size_t num_meshes;
    file_report **meshes;    // [num_meshes] sorted by folder and name
    const char **clip_paths; // [num_clips]
    const char **mesh_paths; // [num_meshes]
} file_batch;

// -- Pairs ----------------------------------------------------------------------------------------

static int compare_files(const void *a, const void *b)
{
    return tool_compare_paths(&(*(file_report *const *)a)->path, &(*(file_report *const *)b)->path);
}

// Returns the mesh to which a clip belongs, or NULL.
static file_report *find_mesh(const file_batch *batch, const char *clip)
{
    const size_t found = tool_find_mesh(batch->mesh_paths, batch->num_meshes, clip);
    return found == MD5_NONE ? NULL : batch->meshes[found];
}

// A mesh that another file, such as an md5.cfg, assigns to clips. get_mesh_check() reads the text
// of the mesh when the first clip needs it.
typedef struct cited_mesh {
    const char *path;
    const md5_model *model;
    md5_check *file_check;
    bool is_read; // reading `file_check` was tried; it is NULL if that failed
} cited_mesh;

// Returns true if the clip belongs to the mesh by its folder and name. The batch then checks this
// pair in any case. A file that assigns the mesh to the clip need not check the pair again.
static bool is_mesh_of_clip(const file_batch *batch, const char *mesh, const char *clip)
{
    const size_t index = tool_find_path(batch->clip_paths, batch->num_clips, clip);
    const bool is_read = index < batch->num_clips && strcmp(batch->clip_paths[index], clip) == 0;
    const file_report *const found = is_read ? find_mesh(batch, clip) : NULL;
    return found && strcmp(found->path, mesh) == 0;
}

// Returns the check of a mesh. The first call reads the mesh. Returns NULL if the mesh cannot be
// read.
static md5_check *get_mesh_check(const file_batch *batch, cited_mesh *mesh)
{
    if (mesh->is_read)
        return mesh->file_check;
    mesh->is_read = true;
    mesh->file_check = tool_check_file(batch->check->game, mesh->path, (md5_engines){0});
    if (mesh->file_check)
        md5_check_model(mesh->file_check, mesh->model);
    return mesh->file_check;
}

// Returns the engines for which a clip is checked that another file names. `file` is that other
// file.
static md5_engines select_cited_engines(const file_batch *batch, const char *file, const char *clip)
{
    md5_engines engines = tool_engines(batch->check->requested, batch->check->game, clip);
    const bool is_guess = batch->check->requested.all == 0;
    if (is_guess && tool_file_kind(file) == TOOL_MACHINE)
        engines.sure = 0; // only this library plays machines, and it matches joints by name
    return engines;
}

// Checks a clip with the mesh that a file assigns to it. The diagnostics are added to the report of
// that file.
static void check_cited_clip(const file_batch *batch, file_report *report, cited_mesh *mesh,
                             const char *path, const md5_anim *anim)
{
    if (is_mesh_of_clip(batch, mesh->path, path))
        return;
    md5_check *const mesh_check = get_mesh_check(batch, mesh);
    if (!mesh_check)
        return;
    const md5_engines engines = select_cited_engines(batch, report->path, path);
    md5_check *const clip = tool_check_file(batch->check->game, path, engines);
    if (!clip)
        return;

    clip->num_diagnostics = 0; // the report of the clip itself contains the errors in its text
    md5_check_pair(mesh_check, clip);
    tool_check_motion(clip, mesh->model, anim);

    size_t count = 0;
    const md5_diagnostic *const found = tool_diagnostics(clip, &count);
    for (size_t i = 0; i < count; i++) {
        report->diagnostics =
            common_grow(report->diagnostics, report->count, sizeof *report->diagnostics);
        report->diagnostics[report->count++] = found[i];
    }
    report->checked_engines |= clip->engines.all;
    md5_free_check(clip);
}

// A clip of a machine file, with the path of its file as the sort key.
typedef struct cited_clip {
    const char *path; // sort key
    const md5_anim *anim;
} cited_clip;

// Checks the clips of a machine file with its model. Several clips can use one file, which is
// checked once. For this purpose the clips are sorted by path, so that equal paths are adjacent.
static void check_machine(const file_batch *batch, const md5_character *machine,
                          file_report *report)
{
    cited_mesh mesh = {.path = machine->model_path, .model = machine->model};
    cited_clip *const clips = common_alloc(machine->num_clips, sizeof *clips);
    for (uint32_t i = 0; i < machine->num_clips; i++)
        clips[i] = (cited_clip){machine->anim_paths[i], machine->anims[i]};
    common_sort(clips, machine->num_clips, sizeof *clips, common_order_by_text);
    for (uint32_t i = 0; i < machine->num_clips; i++) {
        const bool is_repeated = i > 0 && strcmp(clips[i].path, clips[i - 1].path) == 0;
        if (!is_repeated)
            check_cited_clip(batch, report, &mesh, clips[i].path, clips[i].anim);
    }
    free(clips);
    md5_free_check(mesh.file_check);
}

// -- Models of Cube 2's engines -------------------------------------------------------------------

// Adds a warning about a name in an md5.cfg to a report. The warning has no line, because the
// library does not store it. `nearest` is the suggested name, or NULL.
static void report_name(file_report *report, const char *message, const char *name,
                        const char *nearest)
{
    md5_error error = {0};
    convert_fail(&error, MD5_WARNING, report->path,
                 nearest ? "%s '%.150s': did you mean '%.150s'?" : "%s '%.150s'", message, name,
                 nearest);
    add_diagnostic(report, &error);
}

// Reports a joint name of md5.cfg that the mesh does not have. An empty name is not checked.
static void check_joint(file_report *report, const md5_model *model, const char *message,
                        const char *name)
{
    if (name[0] && md5_find_joint(&model->skeleton, name) == MD5_NONE)
        report_name(report, message, name, NULL);
}

// Checks that the images of a material command exist. Reports each missing image, with a similar
// image as a suggestion. `work` is the remaining number of comparisons for suggestions.
static void check_images(const file_batch *batch, const md5_cube2_material_command *command,
                         file_report *report, size_t *work)
{
    const bool has_images =
        strcmp(command->keyword, "md5skin") == 0 || strcmp(command->keyword, "md5bumpmap") == 0;
    if (!has_images)
        return;
    for (int k = 0; k < 2; k++) {
        const char *const image = command->images[k].path;
        if (!image || tool_is_file(batch->check->game, image))
            continue;
        char *const nearest = tool_near_image(batch->check->game, image, work);
        report_name(report, "image not found:", image, nearest);
        free(nearest);
    }
}

// Checks an animation that a model of Cube 2's engines names: it must be readable and match the
// mesh.
static void check_cube_anim(const file_batch *batch, cited_mesh *mesh, const char *path,
                            file_report *report)
{
    const md5_load_opts opts = {.files = tool_files(batch->check->game)};
    const md5_load_opts bind_opts = {.allow_partial_binding = true};
    md5_error error = {0};
    md5_anim *const anim = md5_load_anim(path, &opts, &error);
    if (!anim) {
        add_diagnostic(report, &error);
        return;
    }
    md5_binding *const binding = md5_bind(mesh->model, anim, &bind_opts, &error);
    if (!binding)
        add_diagnostic(report, &error);
    check_cited_clip(batch, report, mesh, path, anim);
    md5_free_binding(binding);
    md5_free_anim(anim);
}

// Reports the joints that commands of a part name, but that its mesh does not have.
static void check_cube_joints(const md5_cube2_part *cube, const md5_model *model,
                              file_report *report)
{
    for (uint32_t i = 0; i < cube->num_tags; i++)
        check_joint(report, model, "md5tag: joint not found in the mesh:", cube->tags[i].joint);
    for (uint32_t i = 0; i < cube->num_pitches; i++)
        check_joint(report, model,
                    "md5pitch: joint not found in the mesh:", cube->pitches[i].joint);
    for (uint32_t i = 0; i < cube->num_adjustments; i++)
        check_joint(report, model,
                    "md5adjust: joint not found in the mesh:", cube->adjustments[i].joint);
}

// Checks one part of a Cube 2 model. Checks its mesh, the names of joints and meshes in its
// commands, its images, and its animations. `work` is the remaining number of comparisons for
// suggestions of image names.
static void check_cube_part(const file_batch *batch, const md5_cube2_part *cube, size_t *work,
                            file_report *report)
{
    const md5_load_opts opts = {.files = tool_files(batch->check->game)};
    md5_error error = {0};
    md5_model *const model = md5_load_model(cube->mesh, &opts, &error);
    if (!model) {
        add_diagnostic(report, &error);
        return;
    }

    check_cube_joints(cube, model, report);
    for (uint32_t i = 0; i < cube->num_commands; i++) {
        const char *const name = cube->commands[i].mesh;
        if (strcmp(name, "*") != 0 && md5_find_mesh(model, name) == MD5_NONE)
            report_name(report, "unknown mesh", name, NULL);
        check_images(batch, &cube->commands[i], report, work);
    }

    // Several animations often use different frames of one file. They are adjacent, so comparing
    // each path with the previous one avoids further checks of the file.
    cited_mesh mesh = {.path = cube->mesh, .model = model};
    const char *previous = "";
    for (uint32_t i = 0; i < cube->num_anims; i++) {
        const char *const path = cube->anims[i].file;
        if (strcmp(path, previous) != 0)
            check_cube_anim(batch, &mesh, path, report);
        previous = path;
    }
    md5_free_check(mesh.file_check);
    md5_free_model(model);
}

// Checks the files and names of a model of Cube 2's engines.
static void check_cube(const file_batch *batch, const md5_cube2 *cube, file_report *report)
{
    size_t work = 1 << 24; // remaining comparisons of image names for suggestions
    for (uint32_t i = 0; i < cube->num_parts; i++)
        check_cube_part(batch, &cube->parts[i], &work, report);
}

// -- Reading --------------------------------------------------------------------------------------

// Checks a clip with its mesh, or alone if the batch does not contain its mesh. If the clip is
// invalid, `anim` is NULL, and only the text of the clip is checked.
static void check_clip(const file_batch *batch, const file_report *report, const md5_anim *anim)
{
    const file_report *const mesh = find_mesh(batch, report->path);
    const bool has_mesh = mesh && mesh->file_check;
    if (has_mesh)
        md5_check_pair(mesh->file_check, report->file_check);
    if (!anim)
        return;

    if (!has_mesh) {
        tool_check_motion(report->file_check, NULL, anim);
        return;
    }
    if (mesh->model) {
        tool_check_motion(report->file_check, mesh->model, anim);
        return;
    }

    // select_kept_models() has limited the number of models in memory, so the model is loaded
    // again. It remains NULL if the mesh is invalid.
    md5_error error = {0};
    const md5_load_opts opts = {.skip_geometry = UNUSED_GEOMETRY,
                                .files = tool_files(batch->check->game)};
    md5_model *const model = md5_load_model(mesh->path, &opts, &error);
    tool_check_motion(report->file_check, model, anim);
    md5_free_model(model);
}

// Stores how many warnings the library counted without passing them on. The library limits the
// number of warnings that it passes on for each file.
static void count_unreported(const tool_asset *asset, file_report *report)
{
    unsigned num_warnings = 0;
    for (size_t i = 0; i < report->count; i++) {
        if (report->diagnostics[i].error.status == MD5_WARNING)
            num_warnings++;
    }
    if (asset->num_warnings > num_warnings)
        report->num_unreported = asset->num_warnings - num_warnings;
}

// Checks the text of a model or a clip by the rules of engines.
static void check_text(const file_batch *batch, const tool_asset *asset, const char *bytes,
                       size_t size, file_report *report)
{
    md5_game *const game = batch->check->game;
    report->file_check = tool_check_text(report->path, bytes, size,
                                         tool_engines(batch->check->requested, game, report->path));
    if (!report->file_check)
        return;
    report->checked_engines = report->file_check->engines.all;
    tool_check_folder(game, report->file_check);
    if (asset->model)
        md5_check_model(report->file_check, asset->model);
    // The batch sorts files by their extensions, so it does not search for the mesh of a clip with
    // another extension.
    if (tool_file_kind(report->path) == TOOL_ANIM)
        check_clip(batch, report, asset->anim);
    else if (asset->anim)
        tool_check_motion(report->file_check, NULL, asset->anim);
}

// Reports a compressed clip if engines are requested that cannot read it.
static void check_compressed_clip(const file_batch *batch, const char *bytes, size_t size,
                                  file_report *report)
{
    md5_error error = {0};
    const uint32_t third_party_engines = batch->check->requested.all & ~MD5_ENGINE_LIBRARY;
    if (third_party_engines == 0 || !convert_is_compressed_clip(bytes, size))
        return;
    convert_fail(&error, MD5_ERROR_VERSION, report->path,
                 "compressed clip is not supported by the engine: expected an engine that uses "
                 "md5model; run md5tool decompress first");
    add_diagnostic(report, &error);
}

// Reads a file and checks it by the rules for its kind. Stores the results in the report of the
// file.
static void read_checked_file(const file_batch *batch, file_report *report)
{
    md5_load_opts opts = {.warn = add_diagnostic,
                          .warn_user = report,
                          .skip_geometry = UNUSED_GEOMETRY,
                          .files = tool_files(batch->check->game)};
    tool_asset asset;
    md5_error error = {0};
    if (!tool_load(report->path, &opts, &asset, &error))
        add_diagnostic(report, &error);

    // The rules of engines apply to the texts of meshes and clips, which may have any extension.
    // Other files have no such rules.
    const tool_kind kind = tool_file_kind(report->path);
    const bool may_have_rules = kind == TOOL_MODEL || kind == TOOL_ANIM || kind == TOOL_UNKNOWN;
    size_t size = 0;
    char *bytes = NULL;
    if (may_have_rules)
        bytes = tool_read_file(batch->check->game, report->path, &size);
    if (bytes)
        check_compressed_clip(batch, bytes, size, report);
    count_unreported(&asset, report);

    if (asset.cube)
        check_cube(batch, asset.cube, report);
    if (asset.character)
        check_machine(batch, asset.character, report);
    if (bytes)
        check_text(batch, &asset, bytes, size, report);

    // The clips of the batch are checked with this model later.
    if (report->keeps_model) {
        report->model = asset.model;
        asset.model = NULL;
    }
    tool_free(&asset);
    free(bytes);
}

// Reads the files order[begin] to order[end - 1] of a batch. It is a md5_range_fn, and several
// threads call it. Worker 0 also prints the progress.
static void read_range(void *user, uint32_t worker, size_t begin, size_t end)
{
    const file_batch *const batch = user;
    for (size_t i = begin; i < end; i++) {
        if (worker == 0 && batch->check->shows_progress)
            tool_show_progress(batch->num_before + i, batch->num_files);
        read_checked_file(batch, batch->order[i]);
    }
}

// Sorts the files of a batch. In `order`, clips follow all other files. The arrays of meshes and
// clips are sorted by path for binary search. Returns the number of files that are not clips.
static size_t sort_batch(file_batch *batch)
{
    size_t num_non_clips = 0;
    batch->num_clips = 0;
    batch->num_meshes = 0;
    for (size_t i = 0; i < batch->num_read; i++) {
        file_report *const report = &batch->reports[i];
        const tool_kind kind = tool_file_kind(report->path);
        if (kind == TOOL_MODEL)
            batch->meshes[batch->num_meshes++] = report;
        if (kind == TOOL_ANIM) {
            batch->num_clips++;
            batch->order[batch->num_read - batch->num_clips] = report; // from the end
        } else {
            batch->order[num_non_clips++] = report;
        }
    }

    // Clips are the last elements of `order`. The paths of clips use the unused end of
    // `mesh_paths`.
    batch->clips = batch->order + num_non_clips;
    batch->clip_paths = batch->mesh_paths + batch->num_meshes;
    common_sort(batch->meshes, batch->num_meshes, sizeof(file_report *), compare_files);
    common_sort(batch->clips, batch->num_clips, sizeof(file_report *), compare_files);

    for (size_t i = 0; i < batch->num_meshes; i++)
        batch->mesh_paths[i] = batch->meshes[i]->path;
    for (size_t i = 0; i < batch->num_clips; i++)
        batch->clip_paths[i] = batch->clips[i]->path;
    return num_non_clips;
}

// Selects the meshes whose models stay in memory, because clips of the batch are checked with them.
// Their number is limited.
static void select_kept_models(const file_batch *batch)
{
    enum { MAX_KEPT = 256 }; // models in memory; further models are read again for each clip
    size_t num_kept = 0;
    for (size_t i = 0; i < batch->num_clips && num_kept < MAX_KEPT; i++) {
        file_report *const mesh = find_mesh(batch, batch->clips[i]->path);
        if (!mesh || mesh->keeps_model)
            continue;
        mesh->keeps_model = true;
        num_kept++;
    }
}

// Collects the clips of each mesh, and checks whether some clips face another direction than the
// others. This rule compares all clips of a mesh, so it is checked after all clips were read.
static void check_clips_of_meshes(const file_batch *batch)
{
    for (size_t i = 0; i < batch->num_clips; i++) {
        file_report *const mesh = find_mesh(batch, batch->clips[i]->path);
        if (!mesh || !batch->clips[i]->file_check)
            continue;
        mesh->clips = common_grow(mesh->clips, mesh->num_clips, sizeof(md5_check *));
        mesh->clips[mesh->num_clips++] = batch->clips[i]->file_check;
    }
    for (size_t i = 0; i < batch->num_meshes; i++)
        md5_check_turns(batch->meshes[i]->clips, batch->meshes[i]->num_clips);
}

// Reads the files of a batch in two parallel loops. The first loop reads all files that are not
// clips. The second loop reads the clips and checks them with the meshes from the first loop.
static void read_batch(file_batch *batch, const md5_threads *threads)
{
    const size_t num_non_clips = sort_batch(batch);
    select_kept_models(batch);
    md5_threads_run(threads, num_non_clips, read_range, batch);
    file_batch clips = *batch;
    clips.order = batch->clips;
    clips.num_before += num_non_clips;
    md5_threads_run(threads, batch->num_clips, read_range, &clips);
    check_clips_of_meshes(batch);
}

// -- The command ----------------------------------------------------------------------------------

enum { FILES_PER_BATCH = 4096, MAX_FILES_PER_BATCH = 16 * FILES_PER_BATCH };

// Returns the number of files in the next batch. A clip is checked with the mesh of its folder, so
// a batch ends between two folders. Only a huge folder is divided.
static size_t count_batch(char *const *names, size_t num_names)
{
    size_t count = num_names < FILES_PER_BATCH ? num_names : FILES_PER_BATCH;
    while (count < num_names && count < MAX_FILES_PER_BATCH
           && tool_are_in_one_folder(names[count - 1], names[count]))
        count++;
    return count;
}

// Prints the diagnostics of a file and frees its report.
static void finish_report(checker *check, const file_report *report)
{
    print_diagnostics(check, report);
    check->checked_engines |= report->checked_engines;
    md5_free_check(report->file_check);
    md5_free_model(report->model);
    free(report->diagnostics);
    free(report->clips);
}

// Reads all files in batches, on all cores, and prints the diagnostics in the order of the files.
// Files of a game are read by one thread, because a game is not thread-safe.
static void check_files(checker *check, const common_list *files)
{
    const size_t max_files =
        files->count < MAX_FILES_PER_BATCH ? files->count : MAX_FILES_PER_BATCH;
    const md5_threads *const threads =
        files->count > 1 && !check->game ? common_start_threads(0) : NULL;
    file_batch batch = {.check = check,
                        .reports = common_alloc(max_files, sizeof *batch.reports),
                        .order = common_alloc(max_files, sizeof(file_report *)),
                        .meshes = common_alloc(max_files, sizeof(file_report *)),
                        .mesh_paths = common_alloc(max_files, sizeof(char *)),
                        .num_files = files->count};

    while (batch.num_before < files->count) {
        char *const *const names = files->names + batch.num_before;
        batch.num_read = count_batch(names, files->count - batch.num_before);
        for (size_t i = 0; i < batch.num_read; i++)
            batch.reports[i] = (file_report){.path = names[i]};
        read_batch(&batch, threads);
        for (size_t i = 0; i < batch.num_read; i++)
            finish_report(check, &batch.reports[i]);
        batch.num_before += batch.num_read;
        if (check->shows_progress)
            tool_show_progress(batch.num_before, batch.num_files);
    }

    free(batch.reports);
    free(batch.order);
    free(batch.meshes);
    free((void *)batch.mesh_paths);
    common_stop_threads(threads);
}

// Prints the declarations that Doom 3 replaces with defaults without a diagnostic. Prints only the
// first, unless --all is given.
static void print_unreported_defaults(const common_list *defaults, bool prints_all)
{
    enum { MAX_PRINTED = 5 };
    const bool is_cut = !prints_all && defaults->count > MAX_PRINTED;
    const size_t num_printed = is_cut ? MAX_PRINTED : defaults->count;
    for (size_t i = 0; i < num_printed; i++)
        common_print(stdout, "replaced: %s\n", defaults->names[i]);
    if (is_cut)
        printf("replaced: %zu more; use --all to list them\n", defaults->count - num_printed);
}

// Prints how many declarations were read and how many of them Doom 3 replaces.
static void print_num_decls(const tool_game_check *game, bool prints_all)
{
    const char *const noun = common_noun(game->num_decls, "declaration", "declarations");
    if (game->requested.all & md5_find_engines("doom3")) {
        printf("%zu %s, of which Doom 3 replaces %zu with defaults\n", game->num_decls, noun,
               game->num_defaulted);
        print_unreported_defaults(&game->unreported_defaults, prints_all);
    } else {
        printf("%zu %s\n", game->num_decls, noun);
    }
}

// Returns the files of a game that tool_check_game() has not checked. If the game has declarations,
// that function has already checked the models, clips and camera paths.
static common_list list_remaining_files(md5_game *game, bool has_decls)
{
    const tool_kind last_checked = has_decls ? TOOL_CAMERA : TOOL_UNKNOWN;
    common_list files = {0};
    const size_t num_files = game ? md5_game_num_files(game) : 0;
    for (size_t i = 0; i < num_files; i++) {
        const char *const name = md5_game_file(game, i);
        if (tool_file_kind(name) > last_checked)
            common_add(&files, common_copy(name));
    }
    // Sort by folders, as check_files() requires.
    common_sort(files.names, files.count, sizeof *files.names, tool_compare_paths);
    return files;
}

// Checks a game folder or an archive: first its declarations and their files, then the remaining
// files. Returns the number of files.
static size_t check_game(checker *check, const tool_arguments *arguments)
{
    tool_game_check *const game = &check->opened;
    *game = (tool_game_check){.print = print_located, .user = check, .requested = check->requested};
    if (tool_check_game(arguments, game) != TOOL_OK)
        check->num_failed++;

    check->game = game->search_paths.game;
    if (game->has_decls) {
        check->checked_engines |= game->requested.all;
        if (tool_is_for_people(check->report))
            print_num_decls(game, arguments->shows_all);
    }
    common_free_list(&game->unreported_defaults);

    common_list files = list_remaining_files(check->game, game->has_decls);
    check_files(check, &files);
    const size_t num_files = game->num_files + files.count;
    common_free_list(&files);

    if (num_files == 0)
        tool_suggest_convert(&game->search_paths);
    tool_close_search_paths(&game->search_paths);
    game->search_paths.game = NULL;
    check->game = NULL;
    return num_files;
}

// Returns true if a path begins with the path of a folder.
static bool is_below(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

// Warns that a folder was not read completely.
static void report_unread_folder(checker *check, const char *path, const char *warning)
{
    md5_diagnostic unread = {.count = 1};
    convert_fail(&unread.error, MD5_WARNING, path, "%s", warning);
    tool_report_diagnostic(check->report, &unread);
}

// Divides the files that were found in a folder: archives are checked immediately, and other files
// are added to `files`. Files in the folder `base` are skipped, because they are checked as a game.
// `base` may be NULL. Returns the number of checked files in archives.
static size_t check_found_files(checker *check, tool_arguments *arguments, const common_list *found,
                                const char *base, common_list *files)
{
    size_t num_checked = 0;
    for (size_t i = 0; i < found->count; i++) {
        const char *const name = found->names[i];
        if (base && is_below(name, base))
            continue;
        if (is_checked(name)) {
            common_add(files, common_copy(name));
        } else { // an archive, which is checked separately
            arguments->folder = name;
            num_checked += check_game(check, arguments);
        }
    }
    return num_checked;
}

// Checks a folder that is not a game folder. Its files are added to `files`, and archives in it are
// checked immediately. If an engine is installed in the folder, its subfolder `base` is checked as
// a game. Returns the number of files that were checked in archives and in the game.
static size_t check_folder(checker *check, tool_arguments *arguments, const char *path,
                           common_list *files)
{
    size_t num_checked = 0;
    char *const base = common_join(path, "base");
    const bool has_base = common_is_folder(base) && common_is_game_folder(base);
    if (has_base) {
        arguments->folder = base;
        num_checked += check_game(check, arguments);
    }

    common_walk walk = {.is_wanted = is_read,
                        .should_continue = check->shows_progress ? tool_show_search : NULL};
    common_list found = common_walk_folder(path, &walk);
    num_checked += check_found_files(check, arguments, &found, has_base ? base : NULL, files);

    arguments->folder = path;
    if (found.count == 0 && !has_base)
        check_game(check, arguments); // reports a model of another format
    common_free_list(&found);
    free(base);
    if (walk.warning[0] != '\0')
        report_unread_folder(check, path, walk.warning);
    return num_checked;
}

// Checks the games, folders and archives among the arguments. Adds the other files to `files`.
// Returns the number of checked files.
static size_t check_folders(checker *check, tool_arguments *arguments, common_list *files)
{
    if (arguments->num_operands == 0) // without operands, the folder of --base is checked
        return check_game(check, arguments);

    size_t num_checked = 0;
    for (int i = 0; i < arguments->num_operands; i++) {
        const char *const path = arguments->operands[i];
        // A folder can have a name such as a.md5mesh. It is treated as a file, and reading it then
        // reports an error.
        if (is_checked(path) || !common_contains_files(path)) {
            common_add(files, common_copy(path));
            continue;
        }
        arguments->folder = path;
        if (arguments->base || arguments->mod || common_is_game_folder(path))
            num_checked += check_game(check, arguments);
        else
            num_checked += check_folder(check, arguments, path, files);
    }
    return num_checked;
}

// Returns true and prints an error if --for had no effect, because no file has rules of engines.
// `--for md5model` always has an effect: the library reads every file.
static bool is_request_unused(const checker *check, size_t num_files)
{
    const uint32_t third_party_engines = check->requested.all & ~MD5_ENGINE_LIBRARY;
    if (third_party_engines == 0 || check->checked_engines != 0 || num_files == 0)
        return false;
    tool_usage("check", "--for has no effect: expected a mesh or a clip as text, which is a file "
                        "and not a pipe");
    return true;
}

// md5tool check: checks the games, folders and archives of the arguments, then the other files, and
// prints the summary. Returns an exit status.
static int check_all(tool_arguments *arguments)
{
    if (arguments->shows_rules) {
        tool_print_rules();
        return TOOL_OK;
    }
    if (arguments->num_operands == 0 && !arguments->base)
        return tool_usage("check", "argument is missing: expected a file or a folder");

    checker check = {.shows_progress = common_is_terminal(2) && !common_is_terminal(1)};
    check.requested = arguments->requested;
    check.report = tool_begin_report(arguments);
    common_list files = {0};
    const size_t num_game_files = check_folders(&check, arguments, &files);
    check_files(&check, &files);

    const size_t num_files = files.count + num_game_files;
    common_free_list(&files);
    const int status = tool_end_report(check.report, num_files, check.checked_engines);
    if (check.num_failed > 0 || status != TOOL_OK)
        return TOOL_BAD_FILE;
    return is_request_unused(&check, num_files) ? TOOL_BAD_USAGE : TOOL_OK;
}

const tool_command tool_check = {
    "check",
    check_all,
    0,
    INT_MAX,
    "folder",
    "usage: md5tool check [OPTION...] FILE|FOLDER...\n"
    "\n"
    "Checks .md5mesh, .md5anim, .md5camera, .md5machine and md5.cfg files, including all files in\n"
    "folders and their subfolders, and compressed clips that are given by name. Prints one line\n"
    "for each error or warning: file:line:column: error|warning: message. Violations of engine\n"
    "rules also have [RULE] and the reaction of each engine. At most five similar messages are\n"
    "printed, followed by their total number; on a terminal the line of the file is shown, too.\n"
    "The remedies of all violated rules follow. The last line is a summary.\n"
    "The exit status is 1 if any file has an error, 2 if the arguments are invalid.\n"
    "\n"
    "A clip is checked with its mesh: the mesh of the same name in its folder, the only mesh of\n"
    "the folder, or the mesh that a .md5machine file, md5.cfg or a game's model assigns to it.\n"
    "This finds bounds that do not contain the skin, loops that jump, roots that drift and feet\n"
    "that slide.\n"
    "\n"
    "Without --for, the engines are chosen by location: Quake engines in a folder named progs or\n"
    "next to a .mdl file, Quake 2 engines in a folder named md5 or next to a .md2 file, Cube 2\n"
    "next to an md5.cfg file, otherwise id's engines. A mesh and a clip with the same name are\n"
    "checked for all engines, and only violations in id's engines are errors.\n"
    "\n"
    "Archives (.pak .pk3 .pk4 .zip) are checked like folders. In a game folder with declarations,\n"
    "all tables, materials, skins, models and entities are parsed leniently, and the figures,\n"
    "heads, legs, joints, script objects, dropped items and particles of entities must exist.\n"
    "In other folders, only images of Quake and Cube 2 models are searched; \"md5tool info\"\n"
    "prints the texture of each mesh, or the images that it did not use.\n"
    "\n"
    "  --for ENGINE        check for this engine, a version of it (ENGINE:VERSION), or md5model\n"
    "                      (this library); may be repeated\n"
    "  --rules             print all rules, the reaction of each engine, and the remedy\n"
    "  --only NAME         print only messages of this rule or with this text; may be repeated\n"
    "  --ignore NAME       skip messages of this rule or with this text; may be repeated\n"
    "  --all               print all similar messages\n"
    "  --json              print one JSON object per message: file, line, column, severity,\n"
    "                      rule, message, count, engines, fix\n"
    "  --github            print annotations for GitHub Actions\n"
    "  --base DIR          for folders: the base game folder that the folder extends\n"
    "  --mod DIR           for folders: a mod folder, whose files override the others\n"};
