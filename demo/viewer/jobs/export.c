// Export from the window.
//
// Images and movies are exported by the equivalent command line: its arguments are built from the
// shown document and the dialog, parsed again, and run between frames with a separate state
// (view_export_job). Models are converted on a thread (view_conversion_job).
#include "demo/viewer/jobs/export.h"
#include "demo/viewer/jobs/movie.h"
#include "demo/viewer/jobs/output.h"
#include "demo/viewer/jobs/capture.h"
#include "demo/viewer/jobs/stage.h"
#include "demo/viewer/jobs/view.h"

#include "demo/common/text.h"
#include "demo/convert/convert.h"

#include <stdatomic.h>
#include <stb/stb_image_write.h>

// An export of images: a separate state without a window, which uses the window's renderer.
typedef struct view_export_job {
    common_list words; // arguments; the options point into them
    view_options options;
    view_state viewer;
    view_output output;
    double begin;
} view_export_job;

// The conversion of a model, on a thread if threads are available.
typedef struct view_conversion_job {
    view_thread *thread;
    // Arguments of the conversion: files, or names in the game; then --output and the path.
    common_list words;
    convert_job job;       // the job that the arguments describe
    view_library *library; // game, with a reference to it; or NULL
    common_list shaders;   // shaders of the meshes, for a game
    common_list notes;
    md5_error error;
    uint32_t num_attached; // attached models, which are not converted
    bool is_done;
    atomic_bool stops;
    atomic_bool has_ended;
} view_conversion_job;

// == The command line ============================================================================

static void add_option(common_list *words, const char *name, char *value)
{
    common_add(words, common_format("--%s", name));
    common_add(words, value);
}

// Adds each option that differs from its default, in the order of the option table.
static void add_options(common_list *words, const view_options *now)
{
    // The defaults are those of an output with or without a background.
    view_options defaults;
    char problem[256];
    char *arguments[] = {"--output", "-", "--no-background"};
    view_read_options(now->no_background ? 3 : 2, arguments, &defaults, problem, sizeof problem);
    defaults.no_background = false; // added separately, without the defaults that it implies
    defaults.output = NULL;

    char *const lines = view_write_settings(now, &defaults, VIEW_SCOPE_JOB, VIEW_SCOPE_PLACE);
    const char *rest = lines;
    const view_option *option;
    char *value;
    while ((option = view_next_setting(&rest, &value)) != NULL) {
        const bool is_switch = option->value == NULL;
        const bool is_off = is_switch && strcmp(value, "no") == 0;
        if (view_missing_requirement(option, now) == NULL) {
            common_add(words, common_format("--%s%s", option->name, is_off ? "=no" : ""));
            if (!is_switch)
                common_add(words, common_copy(value));
        }
        free(value);
    }
    free(lines);
    view_free_options(&defaults);
}

// Adds a name in a game, with the options --game and --base that contain it.
static void add_game_name(common_list *words, common_list *files, const view_address *address)
{
    common_list folders = view_split_location(address->place);
    for (size_t i = 0; i < folders.count; i++)
        add_option(words, i == 0 ? "game" : "base", common_copy(folders.names[i]));
    common_free_list(&folders);
    common_add(files, common_copy(address->name));
}

// Lists the model, its clips, the camera path and the other models of a crowd.
static void list_document_files(common_list *files, const view_document *document)
{
    const view_scene *const scene = &document->scene;
    const bool has_clips = !scene->picked_up && !view_is_bind_pose(scene);
    if (scene->model != NULL)
        common_add(files, common_copy(view_shown_file(document)));
    for (size_t i = 0; i < scene->num_clips && has_clips; i++)
        common_add(files, common_copy(scene->clips[i].path));
    if (scene->camera_path.camera != NULL)
        common_add(files, common_copy(scene->camera_path.path));
    if (view_shows_crowd(document))
        for (size_t i = 0; i < document->crowd.files.count; i++)
            common_add(files, common_copy(document->crowd.files.names[i]));
}

// Adds the shown document: a name in a game, or files.
static void add_shown_files(common_list *words, const view_document *document)
{
    const view_scene *const scene = &document->scene;
    view_address address;
    common_list files = {0};
    if (scene->library != NULL && view_read_address(scene->path, &address)) {
        add_game_name(words, &files, &address);
        view_free_address(&address);
    } else {
        list_document_files(&files, document);
    }

    for (size_t i = 0; i < files.count; i++) {
        const bool is_like_option = files.names[i][0] == '-';
        common_add(words, common_format("%s%s", is_like_option ? "./" : "", files.names[i]));
    }
    common_free_list(&files);
}

// Describes the shown document and the choices of the dialog as options. Returns false if a choice
// is invalid.
static bool describe_output(view_state *viewer, unsigned number, view_options *now)
{
    view_describe_document(viewer, now);
    const view_stage stage = view_build_stage(viewer, (float)viewer->width, (float)viewer->height);
    if (viewer->panels.export.endings.count == 0)
        viewer->panels.export.endings = convert_list_outputs();
    return view_select_export(&viewer->panels.export, &stage, number, now);
}

static common_list write_words(const view_state *viewer, const view_options *now)
{
    common_list words = {0};
    const view_page *const page = view_shown_page(viewer);
    const float *const values = viewer->pages.values;
    add_options(&words, now);
    for (uint32_t i = 0; page != NULL && i < view_num_sliders(page); i++)
        if (values[i] != page->sliders[i].first)
            add_option(&words, "set", common_format("%s=%.9g", page->sliders[i].name, values[i]));
    if (now->page == NULL) // a lesson has its own files
        add_shown_files(&words, viewer->document);
    return words;
}

common_list view_export_words(view_state *viewer)
{
    view_options now;
    return describe_output(viewer, 1, &now) ? write_words(viewer, &now) : (common_list){0};
}

// Adds the model and its clips. Sets `has_clips` if they contain animations. Returns the reason if
// they cannot be converted, or NULL.
static const char *add_input_files(view_conversion_job *converting, const view_state *viewer,
                                   bool *has_clips)
{
    common_list *const words = &converting->words;
    const bool lists_all_clips = viewer->panels.export.choices.clips == 1;
    *has_clips = false;
    if (view_shows_crowd(viewer->document))
        return "Cannot export a crowd";
    converting->num_attached = view_list_files(&viewer->document->scene, lists_all_clips, words);
    for (size_t i = 0; i < words->count; i++) {
        const char *const file = words->names[i];
        if (!convert_can_read(file))
            return "Multi-file models cannot be exported";
        if (common_has_suffix(file, ".md5anim") || common_has_suffix(file, ".md5machine"))
            *has_clips = true;
    }
    return words->count > 0 ? NULL : "Nothing to export";
}

// Adds the images of the selected skin as options.
static void add_skin_images(common_list *words, const view_textures *textures)
{
    for (uint32_t i = 0; i < textures->num_meshes; i++) {
        const view_texture *const image = view_mesh_image(textures, i, MD5GL_IMAGE_DIFFUSE);
        if (image != NULL && image->program == NULL)
            add_option(words, "texture", common_format("%u=%s", i, image->path));
    }
}

// Adds the options of the shown document that md5tool convert also has.
static void add_shared_options(common_list *words, const common_list *viewer_words, bool has_clips)
{
    static const char *const clip_options[] = {"range", "root"};
    static const char *const model_options[] = {"up",         "outfit",       "hide",    "texture",
                                                "normal-map", "specular-map", "glow-map"};
    for (size_t i = 0; i + 1 < viewer_words->count; i++) {
        const char *const word = viewer_words->names[i];
        if (strncmp(word, "--", 2) != 0)
            continue;
        const char *const name = word + strlen("--");
        if (view_is_name_in(name, model_options, COMMON_LENGTH(model_options))
            || (has_clips && view_is_name_in(name, clip_options, COMMON_LENGTH(clip_options))))
            add_option(words, name, common_copy(viewer_words->names[i + 1]));
    }
}

// Stores the options about meshes, which follow the files as pairs of a name and a value, in the
// job. The job refers to the values.
static void assign_mesh_options(convert_job *job, const common_list *words)
{
    // In the order of convert_job.mesh_options.
    static const char *const mesh_options[CONVERT_NUM_MESH_OPTIONS] = {
        "texture", "normal-map", "specular-map", "glow-map", "hide"};
    for (size_t i = job->num_inputs; i < words->count; i += 2) {
        const char *const name = words->names[i] + strlen("--");
        char *const value = words->names[i + 1];
        for (size_t k = 0; k < COMMON_LENGTH(mesh_options); k++) {
            common_texts *const texts = &job->mesh_options[k];
            if (strcmp(name, mesh_options[k]) == 0)
                *COMMON_ADD_ITEM(texts->names, texts->count) = value;
        }
        if (strcmp(name, "outfit") == 0)
            *COMMON_ADD_ITEM(job->outfits.names, job->outfits.count) = value;
    }
}

// Adds the files of the model and the options that md5tool shares, both as arguments and as a job.
// Returns the reason if nothing can be converted, or NULL.
static const char *add_sources(view_conversion_job *converting, const view_state *viewer,
                               const view_options *now)
{
    const view_scene *const scene = &viewer->document->scene;
    const view_textures *const textures = &viewer->document->textures;
    common_list *const words = &converting->words;
    convert_job *const job = &converting->job;
    bool has_clips;
    const char *const problem = add_input_files(converting, viewer, &has_clips);
    if (problem != NULL)
        return problem;
    job->num_inputs = words->count;

    if (now->skin > 0)
        add_skin_images(words, textures);
    common_list viewer_words = write_words(viewer, now);
    add_shared_options(words, &viewer_words, has_clips);
    common_free_list(&viewer_words);
    assign_mesh_options(job, words);

    if (has_clips) {
        job->range[0] = now->range_first;
        job->range[1] = now->range_last;
        job->is_in_place = now->root == MD5_ROOT_IN_PLACE;
        job->is_id_root = now->root == MD5_ROOT_ID;
    }
    job->was_y_up = now->up_is_y;
    if (scene->library != NULL)
        for (uint32_t i = 0; i < textures->num_meshes; i++)
            common_add(&converting->shaders, common_copy(scene->model->meshes[i].shader));
    return NULL;
}

static void free_converting(view_conversion_job *converting)
{
    for (int k = 0; k < CONVERT_NUM_MAPS + 1; k++)
        free(converting->job.mesh_options[k].names);
    free(converting->job.outfits.names);
    common_free_list(&converting->words);
    common_free_list(&converting->shaders);
    common_free_list(&converting->notes);
    free(converting);
}

char *view_command_line(view_state *viewer)
{
    view_options now;
    describe_output(viewer, 1, &now);
    now.output = NULL; // show a window
    now.num_frames = now.sheet_columns = now.sheet_rows = 0;
    now.turntable = now.all_clips = now.labels = now.no_background = false;
    common_list words = write_words(viewer, &now);
    char *const line = view_join_words("md5view", &words);
    common_free_list(&words);
    view_free_export(&viewer->panels.export);
    return line;
}

// == Update of the dialog ========================================================================

// Returns true if one of the output files exists, and sets the name of the first.
static bool find_files(view_state *viewer, view_options *now, char **first)
{
    // The name of a file depends on the options and on the selected clip of the state.
    view_options *const options = viewer->options;
    view_scene *const scene = &viewer->document->scene;
    const size_t shown_clip = scene->clip;
    const bool has_file_per_clip = now->all_clips && now->sheet_columns == 0;
    const size_t count = has_file_per_clip ? scene->num_clips : 1;
    bool exists = false;
    *first = NULL;
    viewer->options = now;
    for (size_t i = 0; i < count; i++) {
        if (count > 1)
            scene->clip = i;
        char *const path = view_name_output(viewer, 1, false);
        exists = exists || common_file_stamp(path) != 0;
        if (*first == NULL)
            *first = path;
        else
            free(path);
    }
    scene->clip = shown_clip;
    viewer->options = options;
    return exists;
}

static void drop_preview(view_state *viewer)
{
    if (viewer->renderer != NULL)
        md5gl_destroy_texture(viewer->renderer, viewer->panels.export.preview);
    viewer->panels.export.preview = 0;
}

// Estimates the size of the exported file from the size of a PNG of the preview. Large images have
// fewer bytes per pixel. For widths of 360 to 3840 pixels the error of this estimate is at most
// 25 %. Returns 0 for several files, or for a file that is not a PNG or APNG.
static double estimate_file_size(const view_options *now, size_t preview_size,
                                 double num_preview_pixels)
{
    const bool is_one_file = !now->all_clips || now->sheet_columns > 0;
    if (!common_has_suffix(now->output, "png") || !is_one_file)
        return 0;
    const double num_pixels = (double)now->width * now->height;
    const uint32_t num_images = now->num_frames > 0 ? now->num_frames : 1;
    return (double)preview_size * pow(num_pixels / num_preview_pixels, 0.8) * num_images;
}

// Draws a small preview of the output: the current image of a movie, a cell of a sheet. Estimates
// the size of the file if it is a PNG or APNG, and not one of several files.
static void draw_preview(view_state *viewer, view_options *now)
{
    const double max_side = 360; // pixels per side
    view_export *const export = &viewer->panels.export;

    // The size of the image, or of a cell of a sheet, reduced to the preview.
    const uint32_t num_columns = now->sheet_columns > 0 ? now->sheet_columns : 1;
    const uint32_t num_rows = now->sheet_rows > 0 ? now->sheet_rows : 1;
    const double full_width = (double)now->width / num_columns;
    const double full_height = (double)now->height / num_rows;
    const double shrink = fmin(max_side / fmax(full_width, full_height), 1);
    const uint32_t width = (uint32_t)fmax(full_width * shrink, 1);
    const uint32_t height = (uint32_t)fmax(full_height * shrink, 1);

    view_state small = *viewer;
    small.options = now;
    small.width = width;
    small.height = height;
    if (now->labels) {
        const view_scene *const scene = &viewer->document->scene;
        const view_clip *const clip = view_shown_clip(scene);
        small.drawing.caption = common_copy(clip != NULL ? clip->name : scene->name);
    }

    uint8_t *const rgba = common_alloc((size_t)width * height, 4);
    size_t preview_size = 0;
    drop_preview(viewer);
    if (view_draw_small(viewer, &small, export->choices.kind == VIEW_EXPORT_PICTURE, now->samples,
                        now->no_background, rgba)) {
        export->preview = view_make_texture(viewer->renderer, rgba, width, height);
        export->preview_shape = (float)width / (float)height;
        stbi_write_force_png_filter = 1; // the same filter as for the file
        free(view_encode_png(&(view_image){rgba, width, height}, true, &preview_size));
    }
    export->bytes = estimate_file_size(now, preview_size, (double)width * height);
    free(small.drawing.caption);
    free(rgba);
}

// Updates the names of the files, the command line and the problem of the dialog.
static void describe_export(view_state *viewer, view_options *now)
{
    view_export *const export = &viewer->panels.export;
    const bool is_model = export->choices.kind == VIEW_EXPORT_MODEL;
    export->exists = find_files(viewer, now, &export->file);

    view_conversion_job *const trial = common_alloc(1, sizeof *trial);
    const char *problem = NULL;
    if (is_model) {
        problem = add_sources(trial, viewer, now);
        add_option(&trial->words, "output", common_copy(export->file));
    } else {
        trial->words = write_words(viewer, now);
    }

    // md5tool does not accept single names of a game.
    const bool is_in_game = viewer->document->scene.library != NULL;
    if (!is_model)
        export->line = view_join_words("md5view", &trial->words);
    else if (!is_in_game)
        export->line = view_join_words("md5tool convert", &trial->words);
    else
        export->line = common_copy("");
    COMMON_TEXT(export->problem, "%s", problem ? problem : "");
    free_converting(trial);
}

// Updates the problem, command line and preview of the dialog. Returns true if the preview changes;
// it is drawn at most four times a second.
static bool update_dialog(view_state *viewer)
{
    view_export *const export = &viewer->panels.export;
    view_options now;
    char *const former_line = export->line;
    const bool is_valid = describe_output(viewer, 1, &now);
    free(export->file);
    export->line = export->file = NULL;
    export->exists = false;
    if (is_valid)
        describe_export(viewer, &now);

    const bool is_unchanged =
        former_line != NULL && export->line != NULL && strcmp(former_line, export->line) == 0;
    if (!is_unchanged)
        export->is_stale = true;
    free(former_line);

    const bool can_draw = is_valid && !export->is_small && viewer->renderer != NULL;
    if (!can_draw || !export->is_stale)
        return false;
    if (viewer->now < export->next) {
        view_wake_window(); // draw again without waiting for an event
        return true;
    }
    export->is_stale = false;
    export->next = viewer->now + 0.25;
    draw_preview(viewer, &now);
    return true;
}

// == Running =====================================================================================

static void end_export(view_state *viewer, bool is_stopped)
{
    view_export_job *const exporting = viewer->jobs.export;
    view_state *const export_state = &exporting->viewer;
    viewer->panels.export.total = 0;
    viewer->jobs.export = NULL;
    if (is_stopped)
        export_state->log.level = VIEW_QUIET; // stopping is not an error

    const bool has_begun = exporting->output.viewer != NULL;
    const bool is_saved = has_begun && view_end_output(&exporting->output);
    char *const file = common_copy(exporting->options.output);
    if (is_saved) {
        const char *const first_file = viewer->panels.export.file;
        view_open_overlay(&viewer->ui, &viewer->panels, VIEW_OVERLAY_NONE);
        view_notice(viewer, "Saved %s", first_file != NULL ? first_file : file);
    } else if (is_stopped) {
        view_notice(viewer, "Export stopped");
    } else {
        memcpy(viewer->log.error, export_state->log.error, sizeof viewer->log.error);
        view_notice(viewer, "Cannot export %s", file);
    }
    free(file);

    view_end(export_state);
    view_free_options(&exporting->options);
    common_free_list(&exporting->words);
    free(exporting);
    view_log_state(viewer, "exported");
}

// -- Conversion of a model -----------------------------------------------------------------------

static void add_note(void *user, const char *text)
{
    common_add(&((view_conversion_job *)user)->notes, common_copy(text));
}

static bool should_continue(void *user)
{
    return !atomic_load(&((view_conversion_job *)user)->stops);
}

// Runs on the thread. It opens the game again, because a game supports only one thread at a time.
static int convert_model(void *user)
{
    view_conversion_job *const converting = user;
    md5_game *game = NULL;
    if (converting->library != NULL) {
        const common_game_paths *const folders = &converting->library->places;
        game = md5_create_game(folders->paths, folders->count, NULL, &converting->error);
    }

    convert_job *const job = &converting->job;
    job->inputs = (const char *const *)converting->words.names;
    job->output = converting->words.names[converting->words.count - 1];
    job->game = game;
    job->files = game ? md5_game_files(game) : (md5_files){.user = NULL};
    job->shaders = game ? &converting->shaders : NULL;
    job->note = add_note;
    job->goes_on = should_continue;
    job->user = converting;

    const bool is_ready = converting->library == NULL || game != NULL;
    converting->is_done = is_ready && convert_files(job, &converting->error);
    md5_destroy_game(game);
    atomic_store(&converting->has_ended, true);
    return 0;
}

static void begin_conversion(view_state *viewer, const view_options *now, const char *path)
{
    view_conversion_job *const converting = common_alloc(1, sizeof *converting);
    viewer->panels.export.asks = false;
    const char *const problem = add_sources(converting, viewer, now);
    if (problem != NULL) {
        view_notice(viewer, "%s", problem);
        free_converting(converting);
        return;
    }

    viewer->jobs.conversion = converting;
    viewer->panels.export.total = 1;
    stbi_write_force_png_filter = -1; // the filter of md5tool
    if (converting->num_attached > 0)
        common_add(&converting->notes,
                   common_format("exported without the %u models attached to its joints",
                                 converting->num_attached));

    converting->library = viewer->document->scene.library;
    if (converting->library != NULL)
        converting->library->num_users++;
    // The dialog has requested confirmation.
    converting->job.is_forced = common_file_stamp(path) != 0;
    add_option(&converting->words, "output", common_copy(path));

    converting->thread = view_start_thread(convert_model, "convert", converting);
    if (converting->thread == NULL)
        convert_model(converting);
}

// Waits for the conversion, and shows its result.
static void end_conversion(view_state *viewer)
{
    view_conversion_job *const converting = viewer->jobs.conversion;
    const char *const path = converting->words.names[converting->words.count - 1];
    view_wait_thread(converting->thread, "convert");
    viewer->jobs.conversion = NULL;
    viewer->panels.export.total = 0;
    for (size_t i = 0; i < converting->notes.count; i++)
        view_note(&viewer->log, path, converting->notes.names[i]);
    if (converting->is_done) {
        view_open_overlay(&viewer->ui, &viewer->panels, VIEW_OVERLAY_NONE);
        view_notice(viewer,
                    converting->notes.count > 0 ? "Saved %s (%zu notes in Problems)" : "Saved %s",
                    path, converting->notes.count);
    } else if (atomic_load(&converting->stops)) {
        view_notice(viewer, "Export stopped");
    } else {
        view_log_error(&viewer->log, &converting->error);
        view_notice(viewer, "Cannot export %s", path);
    }
    view_drop_library(converting->library);
    free_converting(converting);
    view_log_state(viewer, "exported");
}

void view_stop_export(view_state *viewer)
{
    drop_preview(viewer);
    viewer->panels.export.is_stale = true;
    if (viewer->jobs.export != NULL)
        end_export(viewer, true);
    if (viewer->jobs.conversion != NULL) {
        atomic_store(&viewer->jobs.conversion->stops, true);
        end_conversion(viewer);
    }
}

// Stores the choices of the dialog for the next session.
static void store_choices(view_state *viewer)
{
    char *const choices = view_write_choices(&viewer->panels.export.choices);
    if (viewer->config != NULL && viewer->panels.export.is_set)
        view_note_export(viewer->config, choices);
    free(choices);
}

// Starts an export of images or of a movie in a separate state.
static void begin_image_export(view_state *viewer, const view_options *now)
{
    view_export_job *const exporting = common_alloc(1, sizeof *exporting);
    view_state *const export_state = &exporting->viewer;
    char problem[256];
    viewer->jobs.export = exporting;
    exporting->words = write_words(viewer, now);
    exporting->begin = view_seconds();
    bool is_ready = view_read_options((int)exporting->words.count, exporting->words.names,
                                      &exporting->options, problem, sizeof problem);
    view_begin(export_state, &exporting->options);
    export_state->renderer = viewer->renderer;
    export_state->log.level = viewer->log.level;
    if (!is_ready)
        view_error(&export_state->log, "%s", problem);

    const float scale = exporting->options.ui_scale > 0 ? exporting->options.ui_scale : 1;
    is_ready = is_ready && view_open_first(export_state) && view_set_scale(export_state, scale);
    is_ready = is_ready && view_begin_output(&exporting->output, export_state, NULL);
    viewer->panels.export.asks = false;
    viewer->panels.export.done = 0;
    viewer->panels.export.total = exporting->output.total;
    if (!is_ready)
        end_export(viewer, false);
}

// Starts an export. `number`: see view_select_export().
static void begin_export(view_state *viewer, unsigned number)
{
    view_options now;
    const bool is_running = viewer->jobs.export != NULL || viewer->jobs.conversion != NULL;
    if (is_running || !describe_output(viewer, number, &now))
        return;

    store_choices(viewer);
    if (viewer->panels.export.choices.kind == VIEW_EXPORT_MODEL) {
        char *path;
        find_files(viewer, &now, &path);
        begin_conversion(viewer, &now, path);
        free(path);
    } else {
        begin_image_export(viewer, &now);
    }
}

void view_select_named_export(view_state *viewer, const char *words)
{
    view_options now;
    if (viewer->ui.over != VIEW_OVERLAY_EXPORT)
        return;
    view_name_export(&viewer->panels.export, words);
    describe_output(viewer, 1, &now);
}

// Opens or closes the dialog.
static void toggle_dialog(view_state *viewer)
{
    const bool is_open = viewer->ui.over == VIEW_OVERLAY_EXPORT;
    view_options now;
    view_open_overlay(&viewer->ui, &viewer->panels,
                      is_open ? VIEW_OVERLAY_NONE : VIEW_OVERLAY_EXPORT);
    store_choices(viewer);
    describe_output(viewer, 1, &now); // the first frame of the dialog needs the choices
    viewer->panels.export.asks = false;
}

// Exports with the first number in the file name for which no file exists.
static void export_to_unused_name(view_state *viewer)
{
    enum { MAX_NAMES = 10000 };
    view_export *const export = &viewer->panels.export;
    view_options now;
    for (unsigned number = 1; number < MAX_NAMES && describe_output(viewer, number, &now);
         number++) {
        free(export->file);
        if (!find_files(viewer, &now, &export->file)) {
            begin_export(viewer, number);
            return;
        }
    }
}

void view_perform_export(view_state *viewer, view_action action)
{
    view_conversion_job *const conversion = viewer->jobs.conversion;
    if (action == VIEW_STOP_EXPORT && conversion != NULL)
        atomic_store(&conversion->stops, true); // the thread ends after the current file
    else if (action == VIEW_STOP_EXPORT)
        view_stop_export(viewer);
    else if (viewer->pages.open >= 0)
        view_notice(viewer, "Lessons cannot be exported here; use --lesson with --output");
    else if (action == VIEW_EXPORT)
        toggle_dialog(viewer);
    else if (action == VIEW_RUN_EXPORT)
        begin_export(viewer, 1);
    else
        export_to_unused_name(viewer);
}

// Draws images of the export for a part of a frame, so that the window remains responsive.
static void continue_export(view_state *viewer)
{
    const double max_seconds = 0.025;
    const double begin = view_seconds();
    view_export_job *const exporting = viewer->jobs.export;
    view_output *const output = &exporting->output;
    view_export *const export = &viewer->panels.export;
    bool has_more = true;
    while (has_more && view_seconds() - begin < max_seconds)
        has_more = view_step_output(output);

    const double passed = view_seconds() - exporting->begin;
    const uint32_t num_left = output->total - output->num_done;
    export->done = output->num_done;
    export->left = output->num_done > 0 ? passed * num_left / output->num_done : 0;
    if (viewer->ui.over != VIEW_OVERLAY_EXPORT)
        view_notice(viewer, "Exporting: %u of %u", export->done, export->total);
    if (!has_more)
        end_export(viewer, false);
}

bool view_follow_export(view_state *viewer)
{
    view_conversion_job *const conversion = viewer->jobs.conversion;
    if (conversion != NULL) {
        if (atomic_load(&conversion->has_ended))
            end_conversion(viewer);
        return true;
    }
    if (viewer->jobs.export != NULL) {
        continue_export(viewer);
        return true;
    }
    if (viewer->ui.over == VIEW_OVERLAY_EXPORT)
        return update_dialog(viewer);
    drop_preview(viewer);
    return false;
}

// == Retargeted clips ============================================================================

// Returns an unused path in the folder of the target model, for a clip that was retargeted to it or
// for a map of joints. Returns NULL if all names are used. The caller frees the path.
static char *name_retargeted(const view_state *viewer, const view_clip *clip, bool is_map)
{
    const char *const target_path = viewer->options->retarget;
    char *const target = common_stem(target_path);
    char *const folder = common_folder(target_path);
    char *name;
    if (is_map)
        name = common_format("%s-%s", viewer->document->scene.name, target);
    else
        name = common_format("%s_%s", target, clip->name);

    const char *const extension = is_map ? "map" : "md5anim";
    char *path = common_format("%s/%s.%s", folder, name, extension);
    if (common_file_stamp(path) != 0) { // do not replace an existing file
        free(path);
        path = view_find_unused_path(folder, name, extension);
    }
    free(name);
    free(folder);
    free(target);
    return path;
}

// Writes a retargeted clip or, if `is_map` is true, the map of joints for it. Returns false and
// fills `error` on failure, also if `path` is NULL.
static bool write_retargeted(const view_state *viewer, const view_clip *clip, bool is_map,
                             const char *path, md5_error *error)
{
    common_list inputs = {0};
    convert_job job =
        view_retarget_job(viewer->options, &viewer->document->scene, clip->path, &inputs);
    convert_fail(error, MD5_ERROR_IO, path, "cannot write the file");

    bool is_saved;
    if (is_map) {
        job.prints_map = path != NULL ? fopen(path, "w") : NULL;
        is_saved = job.prints_map != NULL && convert_files(&job, error);
        if (job.prints_map != NULL)
            is_saved = fclose(job.prints_map) == 0 && is_saved;
    } else {
        job.output = path;
        is_saved = path != NULL && convert_files(&job, error);
    }
    common_free_list(&inputs);
    return is_saved;
}

void view_save_retargeted(view_state *viewer, size_t what)
{
    const view_scene *const scene = &viewer->document->scene;
    const bool is_map = what == VIEW_SAVE_MAP;
    bool is_saved = viewer->options->retarget != NULL;
    for (size_t i = 0; i < scene->num_clips && is_saved; i++) {
        const view_clip *const clip = &scene->clips[i];
        if (clip != view_shown_clip(scene) && what != VIEW_SAVE_CLIPS)
            continue;

        md5_error error;
        char *const path = name_retargeted(viewer, clip, is_map);
        is_saved = write_retargeted(viewer, clip, is_map, path, &error);
        if (is_saved && !is_map)
            COMMON_TEXT(viewer->panels.retarget.saved, "%s", path);
        if (is_saved)
            view_notice(viewer, "Saved %s", path);
        else
            view_log_error(&viewer->log, &error);
        free(path);
    }
}
