// md5tool convert: converts files, or all models of a folder or game with their clips on all cores.
// A batch is the conversion of a folder (model_batch), and an item is one of its models
// (batch_item).
//
// The functions of demo/convert perform each conversion. This file creates their convert_job from
// the options, and checks the written files for the engine of --for, as md5tool check does.
#include "demo/common/threads.h"
#include "demo/tool/tool.h"

// -- Items of a folder ----------------------------------------------------------------------------

// A model of the folder and its clips. They are converted together to one output.
typedef struct batch_item {
    common_list inputs; // paths, or names in the game; the model is the first element
    char *output;
    common_list notes;   // remarks of the conversion for the report
    common_list written; // paths of all written files
    md5_error error;     // if HAS_FAILED
    enum {
        IS_OPEN,     // not converted yet
        IS_DONE,     // converted
        IS_CURRENT,  // skipped, because the output is newer than the inputs
        IS_REPLACED, // skipped, because engines use another input with the same output
        HAS_FAILED,
    } state;
} batch_item;

// State of converting a folder, an archive or a game.
typedef struct model_batch {
    const tool_arguments *arguments;
    const convert_job *pattern;
    const char *ending; // extension of the outputs, such as ".glb"
    batch_item *items;  // [num_items]
    size_t num_items;
    size_t num_clips;         // clips that match no model
    const char *clip;         // the first of these clips, for the message
    common_list files;        // files on disk that were found; empty for a game
    tool_search_paths *games; // [threads] a game for each thread; NULL if the input is not a game
} model_batch;

// Returns true if the outputs are MD5 files; false for other formats, such as glTF.
static bool writes_md5(const model_batch *batch)
{
    return tool_file_kind(batch->ending) != TOOL_UNKNOWN;
}

// Returns the path of an output relative to the output folder. Each model in MD5 format gets a
// separate folder, because clips of different models can have the same names. If clips are
// retargeted to a given model, no model is written, so the path is only that folder. The caller
// frees the path.
static char *name_output(const model_batch *batch, const char *relative, const char *input)
{
    char *const stem = common_stem(relative);
    const int folder_length = (int)(common_base(relative) - relative);
    const bool is_camera =
        common_has_suffix(input, ".md5camera") || common_has_suffix(input, ".bcanim");
    char *name = NULL;
    if (!writes_md5(batch))
        name = common_format("%.*s%s%s", folder_length, relative, stem, batch->ending);
    else if (batch->pattern->target)
        name = common_format("%.*s%s/", folder_length, relative, stem);
    else
        name = common_format("%.*s%s/%s%s", folder_length, relative, stem, stem,
                             is_camera ? ".md5camera" : batch->ending);
    free(stem);
    return name;
}

// Adds an item for a model. `relative` is the path of the model relative to the input folder, and
// selects the path of the output.
static batch_item *add_item(model_batch *batch, const char *relative, char *input)
{
    char *const name = name_output(batch, relative, input);
    const convert_job job = {
        .output = common_format("%s/%s", batch->arguments->output, name),
        .engine = batch->pattern->engine,
    };
    batch->items = common_grow(batch->items, batch->num_items, sizeof *batch->items);
    batch_item *const added = &batch->items[batch->num_items++];
    *added = (batch_item){.output = convert_find_output(&job)};
    common_add(&added->inputs, input);
    free((char *)(uintptr_t)job.output);
    free(name);
    return added;
}

// -- Folders of files -----------------------------------------------------------------------------

// Returns true for clips. A .bvh file with the name of a mesh also counts as a clip of that mesh.
// If it were converted on its own, both results would have the same path.
static bool is_clip(const model_batch *batch, const char *path)
{
    const tool_kind kind = tool_file_kind(path);
    const md5_game *const game = batch->games ? batch->games->game : NULL;
    const bool is_motion =
        common_has_suffix(path, ".bvh") && tool_has_sibling(game, path, "", ".md5mesh");
    const bool is_anim = kind == TOOL_ANIM || kind == TOOL_BFG_ANIM;
    return is_motion || is_anim || convert_is_clip(path);
}

static bool is_model(const char *path)
{
    const tool_kind kind = tool_file_kind(path);
    return kind == TOOL_MODEL || kind == TOOL_BFG_MODEL || common_has_suffix(path, ".iqm");
}

// Returns true if a file already has the requested MD5 format.
static bool has_output_format(const model_batch *batch, const char *path)
{
    const tool_kind kind = tool_file_kind(path);
    const bool is_motion = kind == TOOL_ANIM || kind == TOOL_CAMERA;
    return common_has_suffix(path, batch->ending)
           || (is_motion && tool_file_kind(batch->ending) == TOOL_MODEL);
}

// Returns true if a file must be converted. A file that already has the requested format is
// converted only for another engine or model. In a folder with morph targets, only the machine file
// refers to the targets. It is then converted instead of the model and the clips.
static bool is_input(const model_batch *batch, const char *path, bool has_targets)
{
    const tool_kind kind = tool_file_kind(path);
    if (has_targets && !writes_md5(batch))
        return kind == TOOL_MACHINE;
    if (kind == TOOL_MACHINE)
        return false;
    return batch->pattern->engine || batch->pattern->target || !has_output_format(batch, path);
}

// Returns true if a folder contains a machine file and a subfolder with morph targets.
static bool has_morphs(const char *folder)
{
    char *const inner = common_join(folder, "morphs");
    common_list machines = common_list_folder(folder, ".md5machine");
    const bool has_both = machines.count > 0 && common_is_folder(inner);
    common_free_list(&machines);
    free(inner);
    return has_both;
}

// Returns true if a folder contains the morph targets of the model in its parent folder.
static bool is_folder_of_targets(const char *folder)
{
    char *const parent = common_folder(folder);
    const bool has_targets = strcmp(common_base(folder), "morphs") == 0 && has_morphs(parent);
    free(parent);
    return has_targets;
}

// Returns a path relative to the folder that is converted. The names of files in a game are
// relative already.
static const char *relative_path(const model_batch *batch, const char *path)
{
    if (batch->games)
        return path + strspn(path, "/");
    path += strlen(batch->arguments->folder);
    return path + strspn(path, "/");
}

// Adds an item for each model among files[count]. Stores the paths of the models that can have
// clips in `models`, and returns the number of these paths.
static size_t add_models(model_batch *batch, char *const *files, size_t count, bool has_targets,
                         const char **models)
{
    size_t num_models = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_clip(batch, files[i]) || !is_input(batch, files[i], has_targets))
            continue;
        const batch_item *const added =
            add_item(batch, relative_path(batch, files[i]), common_copy(files[i]));
        if (is_model(files[i]))
            models[num_models++] = added->inputs.names[0];
    }
    return num_models;
}

// Returns the item whose model is `model`, beginning with item `first`. The search compares
// pointers and not texts, so `model` must point to the path in the item.
static batch_item *find_item(const model_batch *batch, size_t first, const char *model)
{
    for (size_t i = first; i < batch->num_items; i++) {
        if (batch->items[i].inputs.names[0] == model)
            return &batch->items[i];
    }
    return NULL;
}

// Adds the models in one folder, whose files are files[count]. Assigns the clips of the folder to
// the models by the rules of `md5tool check`. Counts the clips to which no model belongs.
static void add_folder(model_batch *batch, const char *folder, char *const *files, size_t count)
{
    if (is_folder_of_targets(folder))
        return;
    const bool has_targets = has_morphs(folder);
    const size_t first = batch->num_items;
    const char **const models = common_alloc(count, sizeof *models);
    const size_t num_models = add_models(batch, files, count, has_targets, models);
    common_sort((void *)models, num_models, sizeof *models, tool_compare_paths);

    // Add each clip to the item of its model.
    for (size_t i = 0; i < count; i++) {
        if (!is_clip(batch, files[i]) || !is_input(batch, files[i], has_targets))
            continue;
        const size_t index = tool_find_mesh(models, num_models, files[i]);
        batch_item *const model = index == MD5_NONE ? NULL : find_item(batch, first, models[index]);
        if (model)
            common_add(&model->inputs, common_copy(files[i]));
        else if (batch->num_clips++ == 0)
            batch->clip = files[i];
    }
    free((void *)models);
}

// Returns the files of the folder or game that can be converted, sorted by their folders.
static common_list list_convertible_files(const model_batch *batch)
{
    common_list files = {0};
    if (batch->games) {
        md5_game *const game = batch->games->game;
        for (size_t i = 0; i < md5_game_num_files(game); i++) {
            const char *const name = md5_game_file(game, i);
            if (convert_can_read(name))
                common_add(&files, common_copy(name));
        }
    } else {
        common_walk walk = {.is_wanted = convert_can_read};
        files = common_walk_folder(batch->arguments->folder, &walk);
    }
    common_sort(files.names, files.count, sizeof *files.names, tool_compare_paths);
    return files;
}

// Returns true if a folder is inside of the output folder. `input` is the converted folder. In a
// game, paths of folders are relative to it.
static bool is_in_output(const model_batch *batch, const char *input, const char *output,
                         const char *relative_path)
{
    char *const path =
        batch->games ? common_join(input, relative_path) : common_copy(relative_path);
    char *const absolute = common_canonical_path(path);
    const bool is_in = common_is_in(absolute, output);
    free(absolute);
    free(path);
    return is_in;
}

// Adds the models of all folders. The output folder is skipped, because it contains results of an
// earlier conversion. It is not skipped if it contains the whole input folder.
//
// batch->files is sorted, so the files of one folder are adjacent.
static void add_folders(model_batch *batch, const char *root, const char *output)
{
    char *const *const names = batch->files.names;
    const size_t count = batch->files.count;
    const bool output_contains_input = common_is_in(root, output);
    size_t begin = 0; // files of one folder
    while (begin < count) {
        size_t end = begin + 1;
        while (end < count && tool_are_in_one_folder(names[begin], names[end]))
            end++;
        char *const folder = common_folder(names[begin]);
        if (output_contains_input || !is_in_output(batch, root, output, folder))
            add_folder(batch, folder, names + begin, end - begin);
        free(folder);
        begin = end;
    }
}

// Finds the models of a folder or game. Fails if the output folder is the input folder.
static bool find_files(model_batch *batch, md5_error *error)
{
    char *const output = common_canonical_path(batch->arguments->output);
    char *const root = common_canonical_path(batch->arguments->folder);
    const bool is_different = strcmp(root, output) != 0;
    batch->files = list_convertible_files(batch);
    if (is_different)
        add_folders(batch, root, output);
    else
        convert_fail(error, MD5_ERROR_IO, batch->arguments->output,
                     "output folder is the input folder: expected a different folder");
    free(output);
    free(root);
    return is_different;
}

// -- Games ----------------------------------------------------------------------------------------

// Returns the meshes of a game and their clips as sorted texts. The text of a mesh is "MESH\n", and
// the text of a clip is "MESH\nCLIP". Clips come from modelDefs; meshes also from files that no
// modelDef names.
//
// A mesh is before its clips in the sorted list. The list may contain duplicates. All texts are in
// lower case, because games ignore case.
static common_list list_game_models(md5_game *game)
{
    common_list pairs = {NULL, 0};

    // The meshes and clips of modelDefs.
    for (uint32_t i = 0; i < md5_game_num_decls(game, MD5_DECL_MODEL); i++) {
        const md5_decl *const decl = md5_game_decl(game, MD5_DECL_MODEL, i);
        const md5_model_def *const def = md5_game_model_def(game, decl->name, NULL);
        if (!def || def->mesh[0] == '\0')
            continue;
        common_add(&pairs, common_format("%s\n", def->mesh));
        for (uint32_t k = 0; k < def->num_anims; k++) {
            const md5_model_anim *const anim = md5_model_def_anim(def, k);
            for (uint32_t f = 0; f < anim->num_files; f++)
                common_add(&pairs, common_format("%s\n%s", def->mesh, anim->files[f]));
        }
    }

    // All mesh files, even if no modelDef contains them.
    for (size_t i = 0; i < md5_game_num_files(game); i++) {
        const char *const file = md5_game_file(game, i);
        if (common_has_suffix(file, ".md5mesh"))
            common_add(&pairs, common_format("%s\n", file));
    }

    for (size_t i = 0; i < pairs.count; i++) {
        for (char *c = pairs.names[i]; *c != '\0'; c++)
            *c = (char)tolower((unsigned char)*c);
    }
    common_sort(pairs.names, pairs.count, sizeof *pairs.names, common_order_by_text);
    return pairs;
}

// Adds an item for each mesh of the game, with the clips of all modelDefs that use the mesh.
static void find_game_models(model_batch *batch)
{
    common_list pairs = list_game_models(batch->games[0].game);
    batch_item *model = NULL;
    for (size_t i = 0; i < pairs.count; i++) {
        const char *const pair = pairs.names[i];
        const bool is_repeated = i > 0 && strcmp(pair, pairs.names[i - 1]) == 0;
        if (is_repeated)
            continue;
        const size_t mesh_length = strcspn(pair, "\n");
        const char *const clip = pair + mesh_length + 1;
        if (*clip != '\0') { // the item of the mesh was added before, because the list is sorted
            common_add(&model->inputs, common_copy(clip));
            continue;
        }
        char *const mesh = common_format("%.*s", (int)mesh_length, pair);
        model = add_item(batch, mesh, common_copy(mesh));
        free(mesh);
    }
    common_free_list(&pairs);
}

// -- Conversion -----------------------------------------------------------------------------------

// Returns the modification time of an input. For an input in an archive, returns the time of the
// archive.
static uint64_t input_time(const tool_search_paths *search_paths, const char *input)
{
    if (!search_paths)
        return common_file_time(input);
    const uint32_t location = md5_game_find_file(search_paths->game, input, 0);
    if (location == MD5_NONE)
        return 0;
    const char *const title = search_paths->list.titles[location];
    char *const path = common_is_folder(title) ? common_find(title, input) : common_copy(title);
    const uint64_t time = path ? common_file_time(path) : 0;
    free(path);
    return time;
}

// Returns true if the output is up to date. It must not be older than the inputs, the model of
// --mesh and the joint map.
static bool is_current(const tool_search_paths *search_paths, const convert_job *job,
                       const batch_item *item)
{
    const uint64_t written = common_file_time(item->output);
    if (written == 0)
        return false;
    if (job->target && common_file_time(job->target) > written)
        return false;
    if (job->map && common_file_time(job->map) > written)
        return false;
    for (size_t i = 0; i < item->inputs.count; i++) {
        if (input_time(search_paths, item->inputs.names[i]) > written)
            return false;
    }
    return true;
}

// Returns true for an item that consists of an MD5 model only, in a conversion that retargets clips
// to another model. Such an item has nothing to convert.
static bool has_no_clips(const model_batch *batch, const batch_item *item)
{
    if (!batch->pattern->target || item->inputs.count != 1 || batch->games)
        return false;
    const char *const input = item->inputs.names[0];
    return is_model(input) && tool_file_kind(input) != TOOL_UNKNOWN;
}

// Stores a note of the conversion of one item. It is a callback for convert_job.note, and `user` is
// the item.
static void store_note(void *user, const char *text)
{
    common_add(&((batch_item *)user)->notes, common_copy(text));
}

// Stores the path of a file that the conversion of one item has written. It is a callback for
// convert_job.on_file_written, and `user` is the item.
static void store_written_file(void *user, const char *path)
{
    common_add(&((batch_item *)user)->written, common_copy(path));
}

// Converts an item. `paths` is the game of this thread, which opens it for its first item, because
// a game is not thread-safe. For files on disk, `paths` is NULL.
static bool convert_item(const model_batch *batch, batch_item *item, tool_search_paths *paths)
{
    convert_job job = *batch->pattern;
    job.inputs = (const char *const *)item->inputs.names;
    job.num_inputs = item->inputs.count;
    job.output = item->output;
    job.is_forced = true; // is_current() has found that an existing output must be replaced
    job.note = store_note;
    job.on_file_written = store_written_file;
    job.user = item;
    bool is_open = true;
    if (paths) {
        is_open =
            paths->game || tool_open_search_paths(batch->arguments, NULL, paths, &item->error);
        job.game = paths->game;
        if (is_open)
            job.files = md5_game_files(paths->game);
    }
    common_create_folders(item->output, 0777);
    return is_open && convert_files(&job, &item->error);
}

// Converts the items from `begin` to `end` - 1. It is a md5_range_fn, and several threads call it.
// Worker 0 also prints the progress.
static void convert_range(void *user, uint32_t worker, size_t begin, size_t end)
{
    const model_batch *const batch = user;
    tool_search_paths *const paths = batch->games ? &batch->games[worker] : NULL;
    for (size_t i = begin; i < end; i++) {
        batch_item *const item = &batch->items[i];
        if (worker == 0)
            tool_show_progress(i, batch->num_items);
        if (item->state != IS_OPEN)
            continue;
        const bool may_skip = !batch->pattern->is_forced;
        if (has_no_clips(batch, item) || (may_skip && is_current(paths, batch->pattern, item)))
            item->state = IS_CURRENT;
        else
            item->state = convert_item(batch, item, paths) ? IS_DONE : HAS_FAILED;
    }
}

// Orders items by output, for qsort(). Items with the same output are ordered by input, but meshes
// are first.
static int compare_outputs(const void *a, const void *b)
{
    const batch_item *const x = a;
    const batch_item *const y = b;
    const char *const input_x = x->inputs.names[0];
    const char *const input_y = y->inputs.names[0];
    const bool is_mesh_x = tool_file_kind(input_x) == TOOL_MODEL;
    const bool is_mesh_y = tool_file_kind(input_y) == TOOL_MODEL;
    const int order = strcmp(x->output, y->output);
    if (order != 0)
        return order;
    if (is_mesh_x != is_mesh_y)
        return is_mesh_x ? -1 : 1;
    return strcmp(input_x, input_y);
}

static bool is_quake_model(const char *path)
{
    return common_has_suffix(path, ".mdl") || common_has_suffix(path, ".md2")
           || common_has_suffix(path, ".md3");
}

// Finds items with the same output and selects one of them. An .md5mesh replaces .mdl, .md2 and
// .md3 files, as it does in the engines. Any other duplicate is an error.
static void find_duplicates(const model_batch *batch)
{
    common_sort(batch->items, batch->num_items, sizeof *batch->items, compare_outputs);
    for (size_t i = 1; i < batch->num_items; i++) {
        const batch_item *const before = &batch->items[i - 1];
        batch_item *const item = &batch->items[i];
        if (strcmp(before->output, item->output) != 0)
            continue;
        const char *const input = item->inputs.names[0];
        const bool has_mesh =
            before->state == IS_REPLACED || common_has_suffix(before->inputs.names[0], ".md5mesh");
        if (has_mesh && is_quake_model(input)) {
            item->state = IS_REPLACED;
            common_add(&item->notes,
                       common_copy("skipped: engines read the .md5mesh of the same name instead"));
        } else {
            item->state = HAS_FAILED;
            convert_fail(
                &item->error, MD5_ERROR_MISMATCH, input,
                "duplicate output file %.120s: expected different output files for all inputs",
                item->output);
        }
    }
}

// Splits a note of the form "PATH: TEXT". Returns the input with this path, and sets *text to the
// text. If the note has no path, returns the first input.
static const char *find_input_of_note(const batch_item *item, const char *note, const char **text)
{
    for (size_t i = 0; i < item->inputs.count; i++) {
        const char *const path = item->inputs.names[i];
        const size_t length = strlen(path);
        if (strncmp(note, path, length) == 0 && note[length] == ':') {
            *text = note + length + strlen(": ");
            return path;
        }
    }
    *text = note;
    return item->inputs.names[0];
}

// Prints the error and the notes of an item as diagnostics. A note begins with the path of an
// input, which becomes the location of the diagnostic.
static void report_item(tool_report *report, const batch_item *item)
{
    if (item->state == HAS_FAILED) {
        md5_diagnostic failure = {.error = item->error, .count = 1};
        if (failure.error.file[0] == '\0')
            convert_name_file(&failure.error, item->inputs.names[0]);
        tool_report_diagnostic(report, &failure);
    }
    for (size_t i = 0; i < item->notes.count; i++) {
        const char *text = NULL;
        const char *const path = find_input_of_note(item, item->notes.names[i], &text);
        md5_diagnostic note = {.count = 1};
        convert_fail(&note.error, MD5_WARNING, path, "%s", text);
        tool_report_diagnostic(report, &note);
    }
}

// Prints the errors and notes of all items, and the totals. Similar notes are grouped as in the
// output of `md5tool check`. Returns an exit status.
static int print_report(const model_batch *batch)
{
    size_t counts[HAS_FAILED + 1] = {0};
    tool_report *const report = tool_begin_report(batch->arguments);
    for (size_t i = 0; i < batch->num_items; i++) {
        counts[batch->items[i].state]++;
        report_item(report, &batch->items[i]);
    }
    tool_end_report(report, batch->num_items, 0);
    if (batch->num_clips > 0)
        common_print(stdout, "%zu %s in their folder; the first is %s\n", batch->num_clips,
                     common_noun(batch->num_clips, "clip does not match a model",
                                 "clips do not match a model"),
                     batch->clip);
    common_print(stdout, "%zu %s: %zu converted, %zu up to date, %zu failed\n", batch->num_items,
                 common_noun(batch->num_items, "model", "models"), counts[IS_DONE],
                 counts[IS_CURRENT], counts[HAS_FAILED]);
    return counts[HAS_FAILED] > 0 ? TOOL_BAD_FILE : TOOL_OK;
}

// Opens the game of a folder, for the first of `num_workers` threads, and sets *num_unread to the
// number of its archives that cannot be read. batch->games remains NULL if the folder does not
// belong to a game.
static bool open_game(model_batch *batch, uint32_t num_workers, size_t *num_unread,
                      md5_error *error)
{
    const tool_arguments *const arguments = batch->arguments;
    if (!convert_can_write(batch->ending))
        return convert_fail(error, MD5_ERROR_IO, arguments->folder,
                            "unsupported output format: --to %.40s is not the extension of a "
                            "format that can be written; run md5tool convert --formats to list "
                            "the formats",
                            batch->ending + 1);
    batch->games = common_alloc(num_workers, sizeof *batch->games);
    const bool is_open =
        tool_open_search_paths(arguments, &(md5_load_opts){0}, batch->games, error);
    *num_unread = batch->games->num_unread;
    if (!arguments->base && !arguments->mod && !common_is_game_folder(arguments->folder)) {
        tool_close_search_paths(batch->games);
        free(batch->games);
        batch->games = NULL;
    }
    return is_open;
}

// Finds the inputs of a folder: the models of its game, or its files.
static bool find_inputs(model_batch *batch, md5_error *error)
{
    if (!batch->games || md5_game_num_decls(batch->games->game, MD5_DECL_MODEL) == 0)
        return find_files(batch, error);
    find_game_models(batch);
    return true;
}

// Frees the items with their lists of files, and the game that each worker has opened.
// `num_workers` is the length of batch->games.
static void free_batch(model_batch *batch, uint32_t num_workers)
{
    for (size_t i = 0; i < batch->num_items; i++) {
        batch_item *const item = &batch->items[i];
        common_free_list(&item->inputs);
        common_free_list(&item->notes);
        common_free_list(&item->written);
        free(item->output);
    }
    for (uint32_t i = 0; batch->games && i < num_workers; i++)
        tool_close_search_paths(&batch->games[i]);
    free(batch->games);
    free(batch->items);
    common_free_list(&batch->files);
}

// Returns the extension of the outputs for --to NAME. The default is MD5 if there is a target
// model.
static char *output_extension(const tool_arguments *arguments)
{
    const char *kind = arguments->mesh ? "md5" : "glb";
    if (arguments->to)
        kind = arguments->to + strspn(arguments->to, ".");
    return common_format(".%s", strcmp(kind, "md5") == 0 ? "md5mesh" : kind);
}

// Adds the paths of all files that a batch has written to a list.
static void list_written_files(const model_batch *batch, common_list *written)
{
    for (size_t i = 0; i < batch->num_items; i++) {
        const common_list *const files = &batch->items[i].written;
        for (size_t k = 0; k < files->count; k++)
            common_add(written, common_copy(files->names[k]));
    }
}

// Converts the models of the folder or archive arguments->folder, each with its clips, with the
// options of `pattern`. Outputs have the same relative paths in arguments->output. Outputs that are
// newer than their inputs are skipped unless forced. Prints a report and adds the written files to
// `written`. Returns the exit status.
static int convert_folder(const tool_arguments *arguments, const convert_job *pattern,
                          common_list *written)
{
    char *const ending = output_extension(arguments);
    model_batch batch = {.arguments = arguments, .pattern = pattern, .ending = ending};
    md5_error error = {0};
    size_t num_unread = 0;
    const md5_threads *const threads = common_start_threads(0);
    const uint32_t num_workers = threads ? threads->num_workers : 1;

    int status = TOOL_BAD_FILE;
    if (open_game(&batch, num_workers, &num_unread, &error) && find_inputs(&batch, &error)) {
        find_duplicates(&batch);
        md5_threads_run(threads, batch.num_items, convert_range, &batch);
        tool_show_progress(0, 0);
        status = print_report(&batch);
        if (batch.num_items == 0 && num_unread > 0)
            status = TOOL_BAD_FILE;
    } else {
        tool_print_error(NULL, &error);
    }

    common_stop_threads(threads);
    list_written_files(&batch, written);
    free_batch(&batch, num_workers);
    free(ending);
    return status;
}

// -- The command ----------------------------------------------------------------------------------

// Prints a note on standard error. It is a callback for convert_job.note.
static void print_note(void *user, const char *text)
{
    (void)user;
    common_print(stderr, "note: %s\n", text);
}

// Adds the path of a written file to a list. It is a callback for convert_job.on_file_written, and
// `user` is the list.
static void list_written_file(void *user, const char *path)
{
    common_add(user, common_copy(path));
}

// Adds a written file to `operands`, the operands for `md5tool check`. For a .def file, the game
// folder is added instead and replaces earlier operands inside of this folder. The path of the file
// in the game is added to `only`, which selects the messages to print.
static void add_written_file(const char *name, common_list *operands, common_list *only)
{
    char *const path = common_canonical_path(name);
    char *const folder = common_folder(path);
    char *const root = common_folder(folder); // the game folder is two levels above the file
    common_add(only, common_copy(path + strlen(root) + 1));
    if (common_has_suffix(path, ".def")) {
        while (operands->count > 0 && common_is_in(operands->names[operands->count - 1], root))
            free(operands->names[--operands->count]);
        common_add(operands, common_copy(root));
    } else if (tool_file_kind(path) != TOOL_UNKNOWN) {
        common_add(operands, common_copy(path));
    }
    free(root);
    free(folder);
    free(path);
}

// Checks the written files for the requested engine, as `md5tool check --for` does. Only messages
// about these files are printed. A missing image is a warning, because the written files are
// correct, and the user can add the image later. Returns an exit status.
static int check_written(const tool_arguments *arguments, const common_list *written)
{
    common_list operands = {NULL, 0};
    common_list only = {NULL, 0};
    for (size_t i = 0; i < written->count; i++)
        add_written_file(written->names[i], &operands, &only);

    tool_arguments check = {.command = "check",
                            .operands = operands.names,
                            .num_operands = (int)operands.count,
                            .requested = arguments->requested,
                            .only = {(const char **)only.names, only.count},
                            .allows_missing_images = true};
    const int status = operands.count > 0 ? tool_check.run(&check) : TOOL_OK;
    common_free_list(&operands);
    common_free_list(&only);
    return status;
}

// Reads the angle of --rotate in degrees. Returns an exit status, and prints an error if the angle
// is invalid.
static int read_yaw(const char *text, double *yaw)
{
    char *end = NULL;
    *yaw = strtod(text, &end);
    const bool is_number = end != text && *end == '\0';
    if (is_number && fabs(*yaw) <= 360)
        return TOOL_OK;
    return tool_usage("convert",
                      "--rotate: angle is out of range: expected -360 to 360 degrees, found '%s'",
                      text);
}

// Checks the arguments of a conversion. Sets *yaw to the angle of --rotate in degrees. Returns an
// exit status, and prints an error if the arguments are invalid.
static int check_arguments(const tool_arguments *arguments, bool is_folder, double *yaw)
{
    const bool can_print_map = arguments->mesh && !arguments->output && !is_folder;
    if (arguments->prints_map && !can_print_map)
        return tool_usage(
            "convert", "--print-map: expected input files and --mesh, without folders or --output");
    if (!arguments->output && !arguments->prints_map)
        return tool_usage(
            "convert", "option --output FILE|FOLDER is missing: expected the name of the output");
    if (tool_lacks_root_motion(arguments, "convert"))
        return TOOL_BAD_USAGE;
    return arguments->rotate ? read_yaw(arguments->rotate, yaw) : TOOL_OK;
}

// Returns the files of the arguments. Retargeting needs the model of the clips: if no file is a
// model, adds the mesh in the folder of the first clip.
static common_list list_inputs(const tool_arguments *arguments)
{
    common_list inputs = {NULL, 0};
    bool has_model = !arguments->mesh;
    for (int i = 0; i < arguments->num_operands; i++) {
        const tool_kind kind = tool_file_kind(arguments->operands[i]);
        has_model |= kind != TOOL_ANIM && kind != TOOL_BFG_ANIM;
        common_add(&inputs, common_copy(arguments->operands[i]));
    }
    char *const clip_model = has_model ? NULL : tool_find_sibling_mesh(arguments->operands[0]);
    if (clip_model)
        common_add(&inputs, clip_model);
    return inputs;
}

// Returns a conversion of files with the options of the arguments, without its inputs. The paths of
// all written files are added to `written`. convert_item() replaces the callbacks for a folder.
static convert_job create_job(const tool_arguments *arguments, bool is_folder, double yaw,
                              common_list *written)
{
    convert_job job = {
        .output = arguments->output,
        .is_forced = arguments->is_forced,
        .influences = arguments->influences,
        .scale = arguments->scale,
        .yaw = yaw,
        .rate = arguments->rate,
        .tolerance = (double)arguments->tolerance,
        .is_y_up = arguments->is_y_up,
        .was_y_up = arguments->was_y_up,
        .range = {arguments->range[0], arguments->range[1]},
        .is_in_place = arguments->root == MD5_ROOT_IN_PLACE,
        .root = arguments->root_edit,
        .new_root = arguments->joint_edit.root,
        .is_id_root = arguments->root == MD5_ROOT_ID,
        .keeps_root = arguments->has_root && arguments->root != MD5_ROOT_IN_PLACE,
        .tags = arguments->tags.names,
        .num_tags = arguments->tags.count,
        .outfits = arguments->outfits,
        .is_quantized = arguments->is_quantized,
        .is_fitted = arguments->is_fitted,
        .is_batch = is_folder,
        .map = arguments->map,
        .palette = arguments->palette,
        .target = arguments->mesh,
        .scene_name = arguments->scene,
        .engines = arguments->engines.names,
        .num_engines = arguments->engines.count,
        .note = print_note,
        .on_file_written = list_written_file,
        .user = written,
    };

    if (arguments->prints_map) {
        job.output = "x.md5anim"; // not written; it only selects the kind of the output
        job.prints_map = stdout;
    }
    if (arguments->engines.count > 0)
        job.engine = arguments->engines.names[0];
    memcpy(job.mesh_options, arguments->mesh_options, sizeof job.mesh_options);
    return job;
}

// Converts the folder or the files of the arguments with the options of `job`. Adds the paths of
// all written files to `written`. Returns an exit status.
static int convert_inputs(const tool_arguments *arguments, bool is_folder, const convert_job *job,
                          common_list *written)
{
    if (is_folder && arguments->num_operands > 1)
        return tool_usage("convert", "wrong arguments: expected one folder, or one or more files");
    if (is_folder)
        return convert_folder(arguments, job, written);
    md5_error error = {0};
    return tool_end(convert_files(job, &error), &error);
}

// md5tool convert: converts the files or the folder of the arguments. If an engine is requested,
// checks the written files for it. Returns an exit status.
static int convert(tool_arguments *arguments)
{
    if (arguments->shows_formats) {
        convert_print_formats();
        return TOOL_OK;
    }
    if (arguments->num_operands == 0)
        return tool_usage("convert", "argument is missing: expected files or a folder");

    const bool is_folder = common_contains_files(arguments->operands[0]);
    arguments->folder = arguments->operands[0];
    double yaw = 0;
    if (check_arguments(arguments, is_folder, &yaw) != TOOL_OK)
        return TOOL_BAD_USAGE;

    common_list written = {NULL, 0};
    common_list inputs = list_inputs(arguments);
    convert_job job = create_job(arguments, is_folder, yaw, &written);
    job.inputs = (const char *const *)inputs.names;
    job.num_inputs = inputs.count;
    int status = convert_inputs(arguments, is_folder, &job, &written);

    if (job.engine && written.count > 0) {
        const int check_status = check_written(arguments, &written);
        if (status == TOOL_OK)
            status = check_status;
    }
    common_free_list(&written);
    common_free_list(&inputs);
    return status;
}

const tool_command tool_convert = {
    "convert",
    convert,
    0,
    INT_MAX,
    "files",
    "usage: md5tool convert FILE...|FOLDER --output FILE|FOLDER\n"
    "\n"
    "Converts a model and its clips to another format. The file extensions select the formats.\n"
    "Notes name all data that the output format cannot store, and the size of the error. Models\n"
    "that share joints with the first model are merged into it as outfits; models with the same\n"
    "vertices become morph targets.\n"
    "\n"
    "Reads and writes .md5mesh .md5anim .md5camera, .bmd5mesh .bmd5anim .bcanim, .glb .gltf, "
    ".iqm;\n"
    "reads .md5machine, .bvh, .smd, .psk .psa, .vrm .vrma, and with libassimp .fbx .dae .x .b3d\n"
    ".ms3d;\n"
    "writes .obj;\n"
    "reads and writes vertex animation: .mdl .md2 .md3.\n"
    "\n"
    "A folder or archive is converted model by model, each with its clips: in a game the clips of\n"
    "its modelDefs, otherwise the clips with its name in its folder, or all clips of the folder "
    "if\n"
    "it contains one model. Files whose output is up to date are skipped.\n"
    "\n"
    "  --formats         print the formats that are read and written\n"
    "  --output NAME     the file to write; a folder for MD5 files; -o is short for it\n"
    "  --to KIND         for folders: extension of the files to write, such as md5mesh (default "
    "glb)\n"
    "  --base DIR        for folders: the base game folder that it extends\n"
    "  --mod DIR         for folders: a mod, whose files override the others\n"
    "  --for ENGINE      for MD5 and game output: follow the limits, names and folders of this\n"
    "                    engine (see check --rules) and check the written files for it; for .mdl\n"
    "                    .md2 .md3 also quake, quake2, quake3, ioq3, darkplaces\n"
    "  --force           overwrite files, and accept errors above 1 % of the model's size\n"
    "  --scale FACTOR    output units per input unit; glTF: 0.0254 (meters per inch)\n"
    "  --rotate DEGREES  rotate around the vertical axis, counterclockwise from above\n"
    "  --influences N    for glTF output: maximum weights per vertex, 1 to 16 (default 4; few\n"
    "                    programs read more than 8)\n"
    "  --root MODE       for clips: in_place removes the root's movement along the ground; "
    "default\n"
    "                    file (unchanged), for .mdl .md2 .md3 in_place\n"
    "  --root-motion JOINT  for clips: move the displacement of JOINT, such as the hips, along "
    "the\n"
    "                    ground to the first joint, by which games move a character; before "
    "--root\n"
    "  --root-height     for clips: with --root-motion, also move the displacement along z\n"
    "  --root-heading    for clips: with --root-motion, also move the rotation around z\n"
    "  --add-root NAME   add a root joint above all others, for example if the hips are the root\n"
    "  --rate R          for clips: frames per second; default as in the files, for .mdl .md2 .md3 "
    "10\n"
    "  --range A-B       for clips: convert only these frames, counted from 0; 12-0 reverses\n"
    "                    frames 0 to 12\n"
    "  --texture FILE    texture of all meshes or, as MESH=FILE, of the meshes with this name, "
    "shader\n"
    "                    or index; replaces the images found automatically; .md5mesh output gets\n"
    "                    materials; may be repeated, as may the next four options\n"
    "  --normal-map FILE    same for normal maps\n"
    "  --specular-map FILE  same for specular maps\n"
    "  --glow-map FILE      same for emissive maps\n"
    "  --hide MESH       skip meshes with this name, shader or index\n"
    "  --outfit MODEL    merge a model that uses joints of the first model, by name; may be "
    "repeated\n"
    "  --up z|y          up axis of the input (default z); y is rotated to z\n"
    "  --tag JOINT       for MD3 output: write a tag tag_JOINT with the joint's transform in each\n"
    "                    frame, or NAME if given as JOINT=NAME\n"
    "  --scene NAME      for glTF input: convert this scene or subtree of a node (name or index)\n"
    "  --error UNITS     for glTF output: remove keys that interpolation restores within this "
    "error\n"
    "  --quantize        for glTF output: halve the file size by storing vertices in 8 and 16 "
    "bits\n"
    "  --fit             for glTF output: adjust vertices that glTF cannot represent to fit the "
    "clips\n"
    "  --y-up            for OBJ output: y up, z forward and x left, instead of MD5's z up\n"
    "  --palette FILE    for MDL files: palette of skins; default gfx/palette.lmp of the game or "
    "gray\n"
    "  --mesh MODEL      for clips: retarget to this model, with any joint names; give the clip's "
    "own\n"
    "                    model, too, or store it in the clip's folder; for folders, output is "
    ".md5anim\n"
    "  --map FILE        for clips: joint map for --mesh, with lines SOURCE TARGET (\"-\": no "
    "joint;\n"
    "                    \"~\" after a pair: do not align it) or chain A..B C..D; default "
    "automatic\n"
    "  --print-map       for clips: print the joint map of --mesh and write no files\n"
    "  --all             for folders: also print similar notes\n"};
