// md5tool check: prints errors and warnings of files, for editors and scripts.
#include "demo/common/threads.h"
#include "demo/tool/tool.h"

// State of the command.
typedef struct checker {
    tool_report *report;
    md5_engines requested;    // by --for; none: a guess for each file
    uint32_t checked_engines; // engines for which any file was checked
    bool shows_progress;      // only standard error is a terminal
    size_t num_failed;        // games that cannot be read
    tool_game_check opened;   // the game of the current files; empty: the files are on disk
    md5_game *game;           // opened.search_paths.game
} checker;

// Geometry of models that the checks do not need.
enum { UNUSED_GEOMETRY = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS | MD5_GEOMETRY_LOSSES };

// -- Diagnostics ----------------------------------------------------------------------------------

// Diagnostics of a file until they are printed.
typedef struct report {
    const char *path;
    md5_diagnostic *diagnostics; // of the library
    size_t count;
    unsigned num_unreported;  // warnings that exceed the limit of the library
    md5_check *file_check;    // violations of rules; NULL: there are no rules for this kind of file
    uint32_t checked_engines; // engines for which the file was checked
    bool keeps_model;         // `model` is needed for clips of the same part
    md5_check **clips;        // [num_clips] of a mesh: its clips
    size_t num_clips;
    md5_model *model; // if keeps_model
} report;

// For md5_load_opts.warn. `user` is the report.
static void add_diagnostic(void *user, const md5_error *error)
{
    report *const to = user;
    to->diagnostics = common_grow(to->diagnostics, to->count, sizeof *to->diagnostics);
    to->diagnostics[to->count++] = (md5_diagnostic){.error = *error, .count = 1};
}

// Prints a diagnostic with the folder or archive of its file.
static void print_located(void *user, const md5_diagnostic *found)
{
    const checker *const check = user;
    char *const path = tool_full_path(&check->opened.search_paths, found->error.file);
    md5_diagnostic located = *found;
    convert_name_file(&located.error, path);
    tool_report_diagnostic(check->report, &located);
    free(path);
}

// Prints the diagnostics of a file.
static void print_diagnostics(checker *check, const report *from)
{
    size_t count = 0;
    const md5_diagnostic *const violations =
        from->file_check ? tool_diagnostics(from->file_check, &count) : NULL;
    for (size_t i = 0; i < from->count; i++)
        if (!tool_is_reported_by_rule(from->file_check, &from->diagnostics[i].error))
            print_located(check, &from->diagnostics[i]);
    for (size_t k = 0; k < count; k++)
        print_located(check, &violations[k]);
    tool_count_warnings(check->report, from->num_unreported);
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

// A part of the files, which is read completely before its diagnostics are printed.
typedef struct reading {
    const checker *check;
    report *reports;   // [num_read]
    size_t num_before; // files of earlier parts
    size_t num_files;  // files of all parts
    size_t num_read;
    report **order; // [num_read] clips after all others
    report **clips; // [num_clips] of `order`, sorted by folder and name
    size_t num_clips;
    size_t num_meshes;
    report **meshes;         // [num_meshes] sorted by folder and name
    const char **clip_paths; // [num_clips]
    const char **mesh_paths; // [num_meshes]
} reading;

// -- Pairs ----------------------------------------------------------------------------------------

static int compare_files(const void *a, const void *b)
{
    return tool_compare_paths(&(*(report *const *)a)->path, &(*(report *const *)b)->path);
}

// Returns the mesh to which a clip belongs, or NULL.
static report *find_mesh(const reading *part, const char *clip)
{
    const size_t found = tool_find_mesh(part->mesh_paths, part->num_meshes, clip);
    return found == MD5_NONE ? NULL : part->meshes[found];
}

// A mesh that a file assigns to clips. `file_check` are read for the first clip.
typedef struct cited_mesh {
    const char *path;
    const md5_model *model;
    md5_check *file_check;
    bool is_read;
} cited_mesh;

// Returns true if find_mesh() selects the mesh of a clip anyway. Then the clip is checked with it
// in its own report.
static bool is_mesh_of_clip(const reading *part, const char *mesh, const char *clip)
{
    const size_t index = tool_find_path(part->clip_paths, part->num_clips, clip);
    const bool is_read = index < part->num_clips && strcmp(part->clip_paths[index], clip) == 0;
    const report *const found = is_read ? find_mesh(part, clip) : NULL;
    return found && strcmp(found->path, mesh) == 0;
}

// Returns the check of a mesh, which is read for its first clip; NULL if it cannot be read.
static md5_check *get_mesh_check(const reading *part, cited_mesh *mesh)
{
    if (mesh->is_read)
        return mesh->file_check;
    mesh->is_read = true;
    mesh->file_check = tool_check_file(part->check->game, mesh->path, (md5_engines){0});
    if (mesh->file_check)
        md5_check_model(mesh->file_check, mesh->model);
    return mesh->file_check;
}

// Returns the engines for the check of a clip that a file cites.
static md5_engines select_cited_engines(const reading *part, const char *file, const char *clip)
{
    md5_engines engines = tool_engines(part->check->requested, part->check->game, clip);
    const bool is_guess = part->check->requested.all == 0;
    if (is_guess && tool_file_kind(file) == TOOL_MACHINE)
        engines.sure = 0; // only this library plays machines, and it matches joints by name
    return engines;
}

// Checks a clip with the mesh that a file assigns to it, and adds the diagnostics to the report of
// the file.
static void check_cited_clip(const reading *part, report *to, cited_mesh *mesh, const char *path,
                             const md5_anim *anim)
{
    if (is_mesh_of_clip(part, mesh->path, path))
        return;
    md5_check *const mesh_check = get_mesh_check(part, mesh);
    if (!mesh_check)
        return;
    const md5_engines engines = select_cited_engines(part, to->path, path);
    md5_check *const clip = tool_check_file(part->check->game, path, engines);
    if (!clip)
        return;

    clip->num_diagnostics = 0; // the report of the clip has the errors in its text
    md5_check_pair(mesh_check, clip);
    tool_check_motion(clip, mesh->model, anim);

    size_t count = 0;
    const md5_diagnostic *const found = tool_diagnostics(clip, &count);
    for (size_t i = 0; i < count; i++) {
        to->diagnostics = common_grow(to->diagnostics, to->count, sizeof *to->diagnostics);
        to->diagnostics[to->count++] = found[i];
    }
    to->checked_engines |= clip->engines.all;
    md5_free_check(clip);
}

typedef struct cited_clip {
    const char *path; // sort key
    const md5_anim *anim;
} cited_clip;

// Checks the clips of a machine file, each once.
static void check_machine(const reading *part, const md5_character *machine, report *to)
{
    cited_mesh mesh = {.path = machine->model_path, .model = machine->model};
    cited_clip *const clips = common_alloc(machine->num_clips, sizeof *clips);
    for (uint32_t i = 0; i < machine->num_clips; i++)
        clips[i] = (cited_clip){machine->anim_paths[i], machine->anims[i]};
    common_sort(clips, machine->num_clips, sizeof *clips, common_order_by_text);
    for (uint32_t i = 0; i < machine->num_clips; i++)
        if (i == 0 || strcmp(clips[i].path, clips[i - 1].path) != 0)
            check_cited_clip(part, to, &mesh, clips[i].path, clips[i].anim);
    free(clips);
    md5_free_check(mesh.file_check);
}

// -- Models of Cube 2's engines -------------------------------------------------------------------

// Warns of a name in md5.cfg. The library does not store its line. `nearest` is a suggestion or
// NULL.
static void report_name(report *to, const char *what, const char *name, const char *nearest)
{
    md5_error error = {0};
    convert_fail(&error, MD5_WARNING, to->path,
                 nearest ? "%s '%.150s': did you mean '%.150s'?" : "%s '%.150s'", what, name,
                 nearest);
    add_diagnostic(to, &error);
}

static void check_joint(report *to, const md5_model *model, const char *message, const char *name)
{
    if (name[0] && md5_find_joint(&model->skeleton, name) == MD5_NONE)
        report_name(to, message, name, NULL);
}

// Checks that an image of a command exists. `work` limits the search for a suggestion.
static void check_images(const reading *part, const md5_cube2_material_command *command, report *to,
                         size_t *work)
{
    const bool has_images =
        strcmp(command->keyword, "md5skin") == 0 || strcmp(command->keyword, "md5bumpmap") == 0;
    for (int k = 0; k < 2 && has_images; k++) {
        const char *const image = command->images[k].path;
        if (!image || tool_is_file(part->check->game, image))
            continue;
        char *const nearest = tool_near_image(part->check->game, image, work);
        report_name(to, "image not found:", image, nearest);
        free(nearest);
    }
}

// Checks an animation that a model of Cube 2's engines names.
static void check_cube_anim(const reading *part, cited_mesh *mesh, const char *path, report *to)
{
    const md5_load_opts opts = {.files = tool_files(part->check->game)};
    const md5_load_opts bind_opts = {.allow_partial_binding = true};
    md5_error error = {0};
    md5_anim *const anim = md5_load_anim(path, &opts, &error);
    if (!anim) {
        add_diagnostic(to, &error);
        return;
    }
    md5_binding *const binding = md5_bind(mesh->model, anim, &bind_opts, &error);
    if (!binding)
        add_diagnostic(to, &error);
    check_cited_clip(part, to, mesh, path, anim);
    md5_free_binding(binding);
    md5_free_anim(anim);
}

// Checks that the joints exist that the commands of a part name.
static void check_cube_joints(const md5_cube2_part *cube, const md5_model *model, report *to)
{
    for (uint32_t i = 0; i < cube->num_tags; i++)
        check_joint(to, model, "md5tag: the mesh has no joint", cube->tags[i].joint);
    for (uint32_t i = 0; i < cube->num_pitches; i++)
        check_joint(to, model, "md5pitch: the mesh has no joint", cube->pitches[i].joint);
    for (uint32_t i = 0; i < cube->num_adjustments; i++)
        check_joint(to, model, "md5adjust: the mesh has no joint", cube->adjustments[i].joint);
}

// Checks a part of a model of Cube 2's engines. `work` limits the search for similar image names.
static void check_cube_part(const reading *part, const md5_cube2_part *cube, size_t *work,
                            report *to)
{
    const md5_load_opts opts = {.files = tool_files(part->check->game)};
    md5_error error = {0};
    md5_model *const model = md5_load_model(cube->mesh, &opts, &error);
    if (!model) {
        add_diagnostic(to, &error);
        return;
    }

    check_cube_joints(cube, model, to);
    for (uint32_t i = 0; i < cube->num_commands; i++) {
        const char *const name = cube->commands[i].mesh;
        if (strcmp(name, "*") != 0 && md5_find_mesh(model, name) == MD5_NONE)
            report_name(to, "unknown mesh", name, NULL);
        check_images(part, &cube->commands[i], to, work);
    }

    // Loads a file once if successive animations use it.
    cited_mesh mesh = {.path = cube->mesh, .model = model};
    const char *previous = "";
    for (uint32_t i = 0; i < cube->num_anims; i++) {
        const char *const path = cube->anims[i].file;
        if (strcmp(path, previous) != 0)
            check_cube_anim(part, &mesh, path, to);
        previous = path;
    }
    md5_free_check(mesh.file_check);
    md5_free_model(model);
}

// Checks the files and names of a model of Cube 2's engines.
static void check_cube(const reading *part, const md5_cube2 *cube, report *to)
{
    size_t work = 1 << 24;
    for (uint32_t i = 0; i < cube->num_parts; i++)
        check_cube_part(part, &cube->parts[i], &work, to);
}

// -- Reading --------------------------------------------------------------------------------------

// Checks a clip, with its mesh if the part contains it. `anim` is NULL if the clip is invalid.
static void check_clip(const reading *part, const report *to, const md5_anim *anim)
{
    const report *const mesh = find_mesh(part, to->path);
    const bool has_mesh = mesh && mesh->file_check;
    if (has_mesh)
        md5_check_pair(mesh->file_check, to->file_check);
    if (!anim)
        return;
    if (!has_mesh || mesh->model) {
        tool_check_motion(to->file_check, has_mesh ? mesh->model : NULL, anim);
        return;
    }
    md5_error error = {0};
    const md5_load_opts opts = {.skip_geometry = UNUSED_GEOMETRY,
                                .files = tool_files(part->check->game)};
    md5_model *const model = md5_load_model(mesh->path, &opts, &error);
    tool_check_motion(to->file_check, model, anim);
    md5_free_model(model);
}

// Counts the warnings of an asset that were not reported.
static void count_unreported(const tool_asset *asset, report *to)
{
    unsigned num_warnings = 0;
    for (size_t i = 0; i < to->count; i++)
        num_warnings += to->diagnostics[i].error.status == MD5_WARNING;
    if (asset->num_warnings > num_warnings)
        to->num_unreported = asset->num_warnings - num_warnings;
}

// Checks the text of a model or a clip by the rules of engines.
static void check_text(const reading *part, const tool_asset *asset, const char *bytes, size_t size,
                       report *to)
{
    md5_game *const game = part->check->game;
    to->file_check = tool_check_text(to->path, bytes, size,
                                     tool_engines(part->check->requested, game, to->path));
    if (!to->file_check)
        return;
    to->checked_engines = to->file_check->engines.all;
    tool_check_folder(game, to->file_check);
    if (asset->model)
        md5_check_model(to->file_check, asset->model);
    if (tool_file_kind(to->path) == TOOL_ANIM)
        check_clip(part, to, asset->anim);
}

// Reports a compressed clip if engines are requested that cannot read it.
static void check_compressed_clip(const reading *part, const char *bytes, size_t size, report *to)
{
    md5_error error = {0};
    const uint32_t third_party_engines = part->check->requested.all & ~MD5_ENGINE_LIBRARY;
    if (third_party_engines == 0 || !tool_is_compressed_clip(bytes, size))
        return;
    convert_fail(&error, MD5_ERROR_VERSION, to->path,
                 "compressed clips are supported only by engines that use md5model");
    add_diagnostic(to, &error);
}

// Reads a file and fills its report.
static void read_checked_file(const reading *part, report *to)
{
    md5_load_opts opts = {.warn = add_diagnostic,
                          .warn_user = to,
                          .skip_geometry = UNUSED_GEOMETRY,
                          .files = tool_files(part->check->game)};
    tool_asset asset;
    md5_error error = {0};
    if (!tool_load(to->path, &opts, &asset, &error))
        add_diagnostic(to, &error);

    // Engine rules are for the texts of meshes and clips.
    const tool_kind kind = tool_file_kind(to->path);
    const bool is_text = kind == TOOL_MODEL || kind == TOOL_ANIM;
    size_t size = 0;
    char *const bytes = is_text ? tool_read_file(part->check->game, to->path, &size) : NULL;
    if (bytes)
        check_compressed_clip(part, bytes, size, to);
    count_unreported(&asset, to);

    if (asset.cube)
        check_cube(part, asset.cube, to);
    if (asset.character)
        check_machine(part, asset.character, to);
    if (bytes)
        check_text(part, &asset, bytes, size, to);

    if (to->keeps_model) {
        to->model = asset.model;
        asset.model = NULL;
    }
    tool_free(&asset);
    free(bytes);
}

// Reads some of the files. Called from several threads; the first prints the progress.
static void read_range(void *user, uint32_t worker, size_t begin, size_t end)
{
    const reading *const part = user;
    for (size_t i = begin; i < end; i++) {
        if (worker == 0 && part->check->shows_progress)
            tool_show_progress(part->num_before + i, part->num_files);
        read_checked_file(part, part->order[i]);
    }
}

// Sorts the files of a part: `order` begins with the files that are not clips and ends with the
// clips. The lists of meshes and clips are sorted for searches. Returns the number of files that
// are not clips.
static size_t sort_part(reading *part)
{
    size_t num_others = 0;
    part->num_clips = 0;
    part->num_meshes = 0;
    for (size_t i = 0; i < part->num_read; i++) {
        report *const to = &part->reports[i];
        const tool_kind kind = tool_file_kind(to->path);
        if (kind == TOOL_MODEL)
            part->meshes[part->num_meshes++] = to;
        if (kind == TOOL_ANIM) {
            part->num_clips++;
            part->order[part->num_read - part->num_clips] = to; // from the end
        } else {
            part->order[num_others++] = to;
        }
    }

    // The lists of clips are the ends of `order` and `mesh_paths`.
    part->clips = part->order + num_others;
    part->clip_paths = part->mesh_paths + part->num_meshes;
    common_sort(part->meshes, part->num_meshes, sizeof(report *), compare_files);
    common_sort(part->clips, part->num_clips, sizeof(report *), compare_files);

    for (size_t i = 0; i < part->num_meshes; i++)
        part->mesh_paths[i] = part->meshes[i]->path;
    for (size_t i = 0; i < part->num_clips; i++)
        part->clip_paths[i] = part->clips[i]->path;
    return num_others;
}

// Marks the meshes of clips, whose models stay in memory until the clips are read.
static void select_kept_models(const reading *part)
{
    enum { MAX_KEPT = 256 }; // models in memory; further models are read again for each clip
    size_t num_kept = 0;
    for (size_t i = 0; i < part->num_clips && num_kept < MAX_KEPT; i++) {
        report *const mesh = find_mesh(part, part->clips[i]->path);
        if (!mesh || mesh->keeps_model)
            continue;
        mesh->keeps_model = true;
        num_kept++;
    }
}

// Checks all clips of each mesh together.
static void check_clips_of_meshes(const reading *part)
{
    for (size_t i = 0; i < part->num_clips; i++) {
        report *const mesh = find_mesh(part, part->clips[i]->path);
        if (!mesh || !part->clips[i]->file_check)
            continue;
        mesh->clips = common_grow(mesh->clips, mesh->num_clips, sizeof(md5_check *));
        mesh->clips[mesh->num_clips++] = part->clips[i]->file_check;
    }
    for (size_t i = 0; i < part->num_meshes; i++)
        md5_check_turns(part->meshes[i]->clips, part->meshes[i]->num_clips);
}

// Reads the files of a part: first all other files, then the clips, which need the meshes.
static void read_part(reading *part, const md5_threads *threads)
{
    const size_t num_others = sort_part(part);
    select_kept_models(part);
    md5_threads_run(threads, num_others, read_range, part);
    reading clips = *part;
    clips.order = part->clips;
    clips.num_before += num_others;
    md5_threads_run(threads, part->num_clips, read_range, &clips);
    check_clips_of_meshes(part);
}

// -- The command ----------------------------------------------------------------------------------

enum { FILES_PER_PART = 4096, MAX_FILES_PER_PART = 16 * FILES_PER_PART };

// Returns the number of files of the next part. Clips are checked with meshes of the same part,
// therefore a part does not end within a folder, unless the folder is huge.
static size_t count_part(char *const *names, size_t num_names)
{
    size_t count = num_names < FILES_PER_PART ? num_names : FILES_PER_PART;
    while (count < num_names && count < MAX_FILES_PER_PART
           && tool_are_in_one_folder(names[count - 1], names[count]))
        count++;
    return count;
}

// Prints the diagnostics of a file and frees its report.
static void finish_report(checker *check, const report *from)
{
    print_diagnostics(check, from);
    check->checked_engines |= from->checked_engines;
    md5_free_check(from->file_check);
    md5_free_model(from->model);
    free(from->diagnostics);
    free(from->clips);
}

// Reads all files in parts, on all cores, and prints the diagnostics in the order of the files. At
// the end of a part all cores wait; a part has so many files that this time does not matter.
static void check_files(checker *check, const common_list *files)
{
    const size_t max_files = files->count < MAX_FILES_PER_PART ? files->count : MAX_FILES_PER_PART;
    const md5_threads *const threads =
        files->count > 1 && !check->game ? common_start_threads(0) : NULL;
    reading part = {.check = check,
                    .reports = common_alloc(max_files, sizeof *part.reports),
                    .order = common_alloc(max_files, sizeof(report *)),
                    .meshes = common_alloc(max_files, sizeof(report *)),
                    .mesh_paths = common_alloc(max_files, sizeof(char *)),
                    .num_files = files->count};

    while (part.num_before < files->count) {
        char *const *const names = files->names + part.num_before;
        part.num_read = count_part(names, files->count - part.num_before);
        for (size_t i = 0; i < part.num_read; i++)
            part.reports[i] = (report){.path = names[i]};
        read_part(&part, threads);
        for (size_t i = 0; i < part.num_read; i++)
            finish_report(check, &part.reports[i]);
        part.num_before += part.num_read;
        if (check->shows_progress)
            tool_show_progress(part.num_before, part.num_files);
    }

    free(part.reports);
    free(part.order);
    free(part.meshes);
    free((void *)part.mesh_paths);
    common_stop_threads(threads);
}

// Prints how many declarations were read.
static void print_num_decls(const tool_game_check *game)
{
    if (game->requested.all & md5_find_engines("doom3"))
        printf("%zu declarations; Doom 3 would replace %zu with defaults\n", game->num_decls,
               game->num_defaulted);
    else
        printf("%zu declarations\n", game->num_decls);
}

// Returns the files of a game that are checked like files on disk. If the game has declarations,
// tool_check_game() has checked models, clips and camera paths already.
static common_list list_remaining_files(md5_game *game, bool has_decls)
{
    const tool_kind last_checked = has_decls ? TOOL_CAMERA : TOOL_UNKNOWN;
    common_list files = {0};
    for (size_t i = 0; game && i < md5_game_num_files(game); i++) {
        const char *const name = md5_game_file(game, i);
        if (tool_file_kind(name) > last_checked)
            common_add(&files, common_copy(name));
    }
    // Sort by folders, as check_files() requires.
    common_sort(files.names, files.count, sizeof *files.names, tool_compare_paths);
    return files;
}

// Checks a game folder or an archive. Returns its number of files.
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
            print_num_decls(game);
    }

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

// Returns true if a path begins with a folder.
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

// Checks the files and archives in a folder that is not a game folder: checks archives, and adds
// the files to `files`. If the folder is the folder of an engine, its folder `base` is checked as a
// game. Returns the number of checked files in archives and in the game.
static size_t check_folder(checker *check, tool_arguments *arguments, const char *path,
                           common_list *files)
{
    size_t num_files = 0;
    char *const base = common_join(path, "base");
    const bool has_base = common_is_folder(base) && common_is_game_folder(base);
    if (has_base) {
        arguments->folder = base;
        num_files += check_game(check, arguments);
    }

    common_walk walk = {.is_wanted = is_read,
                        .goes_on = check->shows_progress ? tool_show_search : NULL};
    common_list found = common_walk_folder(path, &walk);
    for (size_t i = 0; i < found.count; i++) {
        if (has_base && is_below(found.names[i], base))
            continue;
        if (is_checked(found.names[i])) {
            common_add(files, common_copy(found.names[i]));
        } else { // an archive, which is checked separately
            arguments->folder = found.names[i];
            num_files += check_game(check, arguments);
        }
    }

    arguments->folder = path;
    if (found.count == 0 && !has_base)
        check_game(check, arguments); // reports a model of another format
    common_free_list(&found);
    free(base);
    if (walk.warning[0] != '\0')
        report_unread_folder(check, path, walk.warning);
    return num_files;
}

// Checks the games, folders and archives of the arguments, and adds all other files to `files`.
// Returns the number of checked files.
static size_t check_folders(checker *check, tool_arguments *arguments, common_list *files)
{
    if (arguments->num_words == 0) // the folder of --base
        return check_game(check, arguments);

    size_t num_checked = 0;
    for (int i = 0; i < arguments->num_words; i++) {
        const char *const path = arguments->words[i];
        // A folder with the extension of a file is reported as a file that cannot be read.
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

static int check_all(tool_arguments *arguments)
{
    if (arguments->shows_rules) {
        tool_print_rules();
        return TOOL_OK;
    }
    if (arguments->num_words == 0 && !arguments->base)
        return tool_usage("check", "missing argument: expected a file or a folder");

    checker check = {.shows_progress = common_is_terminal(2) && !common_is_terminal(1)};
    check.requested = arguments->requested;
    check.report = tool_begin_report(arguments);
    common_list files = {0};
    const size_t num_game_files = check_folders(&check, arguments, &files);
    check_files(&check, &files);

    const size_t num_files = files.count + num_game_files;
    common_free_list(&files);
    const int status = tool_end_report(check.report, num_files, check.checked_engines);
    return check.num_failed > 0 ? TOOL_BAD_FILE : status;
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
