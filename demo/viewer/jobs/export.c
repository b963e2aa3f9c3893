// Export from the window.
//
// An export of images or movies runs the equivalent command line. Its arguments are built from the
// shown document and the dialog, and parsed again. It runs between the frames of the window, with a
// separate state (view_export_job). Models are converted on a thread (view_conversion_job).
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
    common_list words; // arguments of the command line; the options point into them
    view_options options;
    view_state viewer;
    view_output output;
    double begin; // time of the begin, seconds
} view_export_job;

// The conversion of a model, on a thread if threads are available.
typedef struct view_conversion_job {
    view_thread *thread;
    // Arguments of the conversion: files, or names in the game; then --output and the path.
    common_list words;
    convert_job job;       // the job that the arguments describe
    view_library *library; // game, with a reference to it; or NULL
    common_list shaders;   // shaders of the meshes, for a game
    common_list notes;     // notes and warnings of the conversion, for the list of problems
    md5_error error;
    uint32_t num_attached; // attached models, which are not converted
    bool is_done;
    atomic_bool stops;
    atomic_bool has_ended;
} view_conversion_job;

// == The command line ============================================================================

// Adds the arguments "--NAME" and `value`. Takes ownership of `value`.
static void add_option(common_list *words, const char *name, char *value)
{
    common_add(words, common_format("--%s", name));
    common_add(words, value);
}

// Adds each option that differs from its default, in the order of the option table.
static void add_options(common_list *words, const view_options *export_options)
{
    // --output and --no-background change the defaults of other options. To find the differences,
    // compare with the defaults after these two options.
    view_options defaults;
    char problem[256];
    char *arguments[] = {"--output", "-", "--no-background"};
    view_read_options(export_options->no_background ? 3 : 2, arguments, &defaults, problem,
                      sizeof problem);
    defaults.no_background = false; // added separately, without the defaults that it implies
    defaults.output = NULL;

    char *const lines =
        view_write_settings(export_options, &defaults, VIEW_SCOPE_JOB, VIEW_SCOPE_CAMERA);
    const char *next_line = lines;
    const view_option *option;
    char *value;
    while ((option = view_next_setting(&next_line, &value)) != NULL) {
        const bool is_switch = option->value == NULL;
        const bool is_off = is_switch && strcmp(value, "no") == 0;
        const bool has_effect = view_missing_requirement(option, export_options) == NULL;
        if (has_effect) {
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
    common_list folders = view_split_location(address->location);
    for (size_t i = 0; i < folders.count; i++)
        add_option(words, i == 0 ? "game" : "base", common_copy(folders.names[i]));
    common_free_list(&folders);
    common_add(files, common_copy(address->name));
}

// Adds the files of the shown document: the model, its clips, the camera path and the other models
// of a crowd. Clips in the model's folder that the user did not name are found again, so they are
// not added. In the bind pose, no clips are added.
static void list_document_files(common_list *files, const view_document *document)
{
    const view_scene *const scene = &document->scene;
    const bool has_clips = !scene->has_found_clips && !view_is_bind_pose(scene);
    if (scene->model != NULL)
        common_add(files, common_copy(view_shown_file(document)));
    if (has_clips) {
        for (size_t i = 0; i < scene->num_clips; i++)
            common_add(files, common_copy(scene->clips[i].path));
    }
    if (scene->camera_path.camera != NULL)
        common_add(files, common_copy(scene->camera_path.path));
    if (view_shows_crowd(document)) {
        for (size_t i = 0; i < document->crowd.files.count; i++)
            common_add(files, common_copy(document->crowd.files.names[i]));
    }
}

// Adds the shown document as arguments: files, or a name in a game with the options --game and
// --base. A file name that starts with `-` would be read as an option, so it gets the prefix "./".
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
// is invalid. `number`: see view_select_export().
static bool describe_output(view_state *viewer, unsigned number, view_options *export_options)
{
    view_describe_document(viewer, export_options);
    const view_stage stage = view_build_stage(viewer, (float)viewer->width, (float)viewer->height);
    if (viewer->panels.export.endings.count == 0)
        viewer->panels.export.endings = convert_list_outputs();
    return view_select_export(&viewer->panels.export, &stage, number, export_options);
}

// Returns the arguments of md5view for options. They are the options that differ from their
// defaults, the changed sliders of the open lesson, and the files of the shown document.
static common_list write_words(const view_state *viewer, const view_options *export_options)
{
    common_list words = {0};
    const view_page *const page = view_shown_page(viewer); // NULL if no lesson is open
    const float *const values = viewer->pages.values;
    add_options(&words, export_options);
    for (uint32_t i = 0; page != NULL && i < view_num_sliders(page); i++) {
        const view_slider *const slider = &page->sliders[i];
        if (values[i] != slider->first)
            add_option(&words, "set", common_format("%s=%.9g", slider->name, values[i]));
    }
    if (export_options->page == NULL) // a lesson has its own files
        add_shown_files(&words, viewer->document);
    return words;
}

common_list view_export_words(view_state *viewer)
{
    view_options export_options;
    return describe_output(viewer, 1, &export_options) ? write_words(viewer, &export_options)
                                                       : (common_list){0};
}

// Adds the model and its clips to the files of a conversion. *has_clips receives true if a clip or
// a machine is among them. Returns NULL, or the reason why they cannot be converted.
static const char *add_input_files(view_conversion_job *conversion, const view_state *viewer,
                                   bool *has_clips)
{
    common_list *const words = &conversion->words;
    const bool lists_all_clips = viewer->panels.export.choices.clips == 1;
    *has_clips = false;
    if (view_shows_crowd(viewer->document))
        return "Cannot export a crowd";
    conversion->num_attached = view_list_files(&viewer->document->scene, lists_all_clips, words);
    for (size_t i = 0; i < words->count; i++) {
        const char *const file = words->names[i];
        if (!convert_can_read(file))
            return "Multi-file models cannot be exported";
        if (common_has_suffix(file, ".md5anim") || common_has_suffix(file, ".md5machine"))
            *has_clips = true;
    }
    return words->count > 0 ? NULL : "Nothing to export";
}

// Adds a --texture option for each mesh whose image the selected skin defines. An image that is
// computed from an image program has no file, so it is omitted.
static void add_skin_images(common_list *words, const view_textures *textures)
{
    for (uint32_t i = 0; i < textures->num_meshes; i++) {
        const view_texture *const image = view_mesh_image(textures, i, MD5GL_IMAGE_DIFFUSE);
        if (image != NULL && image->program == NULL)
            add_option(words, "texture", common_format("%u=%s", i, image->path));
    }
}

// Adds the options of the viewer that md5tool convert also has, with their values, to the
// arguments of md5tool. The options about clips are added only if clips are converted.
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
        const bool is_model_option =
            view_is_name_in(name, model_options, COMMON_LENGTH(model_options));
        const bool is_clip_option =
            has_clips && view_is_name_in(name, clip_options, COMMON_LENGTH(clip_options));
        if (is_model_option || is_clip_option)
            add_option(words, name, common_copy(viewer_words->names[i + 1]));
    }
}

// Stores the options about meshes in the job, which refers to their values. In `words`, the options
// follow the input files as pairs of a name and a value.
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

// Describes the conversion of the shown model. Adds its files and the options that md5tool convert
// also has to conversion->words, and sets the same options in conversion->job. Returns NULL on
// success, otherwise the reason why the model cannot be converted.
static const char *add_sources(view_conversion_job *conversion, const view_state *viewer,
                               const view_options *export_options)
{
    const view_scene *const scene = &viewer->document->scene;
    const view_textures *const textures = &viewer->document->textures;
    common_list *const words = &conversion->words;
    convert_job *const job = &conversion->job;
    bool has_clips;
    const char *const problem = add_input_files(conversion, viewer, &has_clips);
    if (problem != NULL)
        return problem;
    job->num_inputs = words->count;

    if (export_options->skin > 0)
        add_skin_images(words, textures);
    common_list viewer_words = write_words(viewer, export_options);
    add_shared_options(words, &viewer_words, has_clips);
    common_free_list(&viewer_words);
    assign_mesh_options(job, words);

    if (has_clips) {
        job->range[0] = export_options->range_first;
        job->range[1] = export_options->range_last;
        job->is_in_place = export_options->root == MD5_ROOT_IN_PLACE;
        job->is_id_root = export_options->root == MD5_ROOT_ID;
    }
    job->was_y_up = export_options->up_is_y;
    if (scene->library != NULL) {
        for (uint32_t i = 0; i < textures->num_meshes; i++)
            common_add(&conversion->shaders, common_copy(scene->model->meshes[i].shader));
    }
    return NULL;
}

// Frees a conversion with its arguments and notes.
static void free_conversion(view_conversion_job *conversion)
{
    for (int k = 0; k < CONVERT_NUM_MAPS + 1; k++)
        free(conversion->job.mesh_options[k].names);
    free(conversion->job.outfits.names);
    common_free_list(&conversion->words);
    common_free_list(&conversion->shaders);
    common_free_list(&conversion->notes);
    free(conversion);
}

// Returns the command line that shows the same contents in a window; the caller frees it.
// Describes the document in the same way as an export of images, then resets the options that
// would write a file instead of showing a window.
char *view_command_line(view_state *viewer)
{
    view_options export_options;
    describe_output(viewer, 1, &export_options);
    // The command shows a window, so reset the options of an output.
    export_options.output = NULL;
    export_options.num_frames = 0;
    export_options.sheet_columns = 0;
    export_options.sheet_rows = 0;
    export_options.turntable = false;
    export_options.all_clips = false;
    export_options.labels = false;
    export_options.no_background = false;
    common_list words = write_words(viewer, &export_options);
    char *const line = view_join_words("md5view", &words);
    common_free_list(&words);
    view_free_export(&viewer->panels.export);
    return line;
}

// == Update of the dialog ========================================================================

// Returns true if one of the files of an export exists. With --clips all, there is one file for
// each clip. *first receives the name of the first file, which the caller frees.
static bool find_files(view_state *viewer, view_options *export_options, char **first)
{
    // view_name_output() uses the options and the selected clip of the viewer, so change both
    // temporarily.
    view_options *const options = viewer->options;
    view_scene *const scene = &viewer->document->scene;
    const size_t shown_clip = scene->clip;
    const bool has_file_per_clip = export_options->all_clips && export_options->sheet_columns == 0;
    const size_t count = has_file_per_clip ? scene->num_clips : 1;
    bool exists = false;
    *first = NULL;
    viewer->options = export_options;
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

// Frees the preview of the dialog.
static void drop_preview(view_state *viewer)
{
    if (viewer->renderer != NULL)
        md5gl_destroy_texture(viewer->renderer, viewer->panels.export.preview);
    viewer->panels.export.preview = 0;
}

// Estimates the size of the exported file, bytes, from the size of the preview as a PNG. Larger
// images have fewer bytes per pixel; the exponent was fitted to measurements. The error is at most
// 25 % for widths of 360 to 3840 pixels. Returns 0 if the export writes several files, or a file
// that is not a PNG or APNG.
static double estimate_file_size(const view_options *export_options, size_t preview_size,
                                 double num_preview_pixels)
{
    const bool is_one_file = !export_options->all_clips || export_options->sheet_columns > 0;
    if (!common_has_suffix(export_options->output, "png") || !is_one_file)
        return 0;
    const double num_pixels = (double)export_options->width * export_options->height;
    const uint32_t num_images = export_options->num_frames > 0 ? export_options->num_frames : 1;
    return (double)preview_size * pow(num_pixels / num_preview_pixels, 0.8) * num_images;
}

// Computes the size of the preview in pixels. It has the proportions of the image or, for a sheet,
// of a cell. Its longer side is at most 360 pixels.
static void find_preview_size(const view_options *export_options, uint32_t *width, uint32_t *height)
{
    const double max_side = 360;
    const bool is_sheet_wide = export_options->sheet_columns > 0;
    const bool is_sheet_high = export_options->sheet_rows > 0;
    const uint32_t num_columns = is_sheet_wide ? export_options->sheet_columns : 1;
    const uint32_t num_rows = is_sheet_high ? export_options->sheet_rows : 1;
    const double full_width = (double)export_options->width / num_columns;
    const double full_height = (double)export_options->height / num_rows;
    const double shrink = fmin(max_side / fmax(full_width, full_height), 1);
    *width = (uint32_t)fmax(full_width * shrink, 1);
    *height = (uint32_t)fmax(full_height * shrink, 1);
}

// Initializes `small`, the state that draws a preview of `width` by `height` pixels. It is a copy
// of the viewer with the options of the export. Its caption is the name of the shown clip, if the
// export has labels; the caller frees it.
static void make_preview_state(view_state *small, const view_state *viewer,
                               view_options *export_options, uint32_t width, uint32_t height)
{
    *small = *viewer;
    small->options = export_options;
    small->width = width;
    small->height = height;
    if (export_options->labels) {
        const view_scene *const scene = &viewer->document->scene;
        const view_clip *const clip = view_shown_clip(scene);
        small->drawing.caption = common_copy(clip != NULL ? clip->name : scene->name);
    }
}

// Draws a small preview of the output. It shows the image, the current image of a movie, or one
// cell of a sheet. Also estimates the size of the exported file.
static void draw_preview(view_state *viewer, view_options *export_options)
{
    view_export *const export = &viewer->panels.export;
    const bool is_image = export->choices.kind == VIEW_EXPORT_PICTURE;
    uint32_t width;
    uint32_t height;
    find_preview_size(export_options, &width, &height);
    view_state small;
    make_preview_state(&small, viewer, export_options, width, height);

    uint8_t *const rgba = common_alloc((size_t)width * height, 4);
    size_t preview_size = 0; // bytes as PNG
    drop_preview(viewer);
    const unsigned omitted =
        export_options->no_background ? VIEW_OMIT_BACKGROUND : VIEW_OMIT_NOTHING;
    if (view_draw_small(viewer, &small, is_image, export_options->samples, omitted, rgba)) {
        export->preview = view_make_texture(viewer->renderer, rgba, width, height);
        export->preview_shape = (float)width / (float)height;
        // The file is not kept; its size is the base of the estimate.
        stbi_write_force_png_filter = 1; // the same filter as for the exported file
        free(view_encode_png(&(view_image){rgba, width, height}, true, &preview_size));
    }
    export->bytes = estimate_file_size(export_options, preview_size, (double)width * height);
    free(small.drawing.caption);
    free(rgba);
}

// Updates the names of the files and the equivalent command line. If the export is not possible,
// also sets the reason. md5tool does not accept single names of a game, so the command line of a
// model in a game is empty.
static void describe_export(view_state *viewer, view_options *export_options)
{
    view_export *const export = &viewer->panels.export;
    const bool is_model = export->choices.kind == VIEW_EXPORT_MODEL;
    const bool is_in_game = viewer->document->scene.library != NULL;
    export->exists = find_files(viewer, export_options, &export->file);
    export->problem[0] = '\0';
    if (!is_model) {
        common_list words = write_words(viewer, export_options);
        export->line = view_join_words("md5view", &words);
        common_free_list(&words);
        return;
    }

    view_conversion_job *const trial = common_alloc(1, sizeof *trial); // is not run
    const char *const problem = add_sources(trial, viewer, export_options);
    if (problem != NULL)
        COMMON_TEXT(export->problem, "%s", problem);
    add_option(&trial->words, "output", common_copy(export->file));
    if (is_in_game)
        export->line = common_copy("");
    else
        export->line = view_join_words("md5tool convert", &trial->words);
    free_conversion(trial);
}

// Updates the file names, the problem, the command line and the preview of the dialog. Draws the
// preview again only if the command line has changed, and at most four times a second. Returns true
// if the preview has changed or will change.
static bool update_dialog(view_state *viewer)
{
    view_export *const export = &viewer->panels.export;
    view_options export_options;
    char *const former_line = export->line;
    const bool is_valid = describe_output(viewer, 1, &export_options);
    free(export->file);
    export->line = export->file = NULL;
    export->exists = false;
    if (is_valid)
        describe_export(viewer, &export_options);

    const bool is_unchanged =
        former_line != NULL && export->line != NULL && strcmp(former_line, export->line) == 0;
    if (!is_unchanged)
        export->is_stale = true;
    free(former_line);

    // Without a preview the size is unknown. A larger dialog draws the preview again.
    if (export->is_small) {
        export->bytes = 0;
        export->is_stale = true;
    }

    const bool can_draw = is_valid && !export->is_small && viewer->renderer != NULL;
    if (!can_draw || !export->is_stale)
        return false;
    if (viewer->uptime < export->next) {
        view_wake_window(); // draw again without waiting for an event
        return true;
    }
    export->is_stale = false;
    export->next = viewer->uptime + 0.25;
    draw_preview(viewer, &export_options);
    return true;
}

// == Running =====================================================================================

// Shows a notice with the result of an export of images. After a success, closes the dialog.
static void show_export_result(view_state *viewer, const view_export_job *exporting, bool is_saved,
                               bool is_stopped)
{
    const char *const output = exporting->options.output;
    if (is_saved) {
        const char *const first_file = viewer->panels.export.file;
        view_open_overlay(&viewer->ui, &viewer->panels, VIEW_OVERLAY_NONE);
        view_notice(viewer, "Saved %s", first_file != NULL ? first_file : output);
    } else if (is_stopped) {
        view_notice(viewer, "Export stopped");
    } else {
        memcpy(viewer->log.error, exporting->viewer.log.error, sizeof viewer->log.error);
        view_notice(viewer, "Cannot export %s", output);
    }
}

// Ends the export of images. Completes the output file, shows the result in a notice, and frees the
// job. `is_stopped` is true if the user, or the end of the program, stops the export.
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
    show_export_result(viewer, exporting, is_saved, is_stopped);
    view_end(export_state);
    view_free_options(&exporting->options);
    common_free_list(&exporting->words);
    free(exporting);
    view_log_state(viewer, "exported");
}

// -- Conversion of a model -----------------------------------------------------------------------

// Callback of convert_job: adds a note of the conversion.
static void add_note(void *user, const char *text)
{
    common_add(&((view_conversion_job *)user)->notes, common_copy(text));
}

// Callback of convert_job: returns false to stop the conversion.
static bool should_continue(void *user)
{
    return !atomic_load(&((view_conversion_job *)user)->stops);
}

// Main function of the thread of a conversion. Opens the game again, because two threads must not
// use one game. `user` is the view_conversion_job. Always returns 0; the result is in the job.
static int convert_model(void *user)
{
    view_conversion_job *const conversion = user;
    md5_game *game = NULL;
    if (conversion->library != NULL) {
        const common_game_paths *const folders = &conversion->library->search_paths;
        game = md5_create_game(folders->paths, folders->count, NULL, &conversion->error);
    }

    convert_job *const job = &conversion->job;
    job->inputs = (const char *const *)conversion->words.names;
    job->output = conversion->words.names[conversion->words.count - 1];
    job->game = game;
    job->files = game ? md5_game_files(game) : (md5_files){.user = NULL};
    job->shaders = game ? &conversion->shaders : NULL;
    job->note = add_note;
    job->should_continue = should_continue;
    job->user = conversion;

    const bool is_ready = conversion->library == NULL || game != NULL;
    conversion->is_done = is_ready && convert_files(job, &conversion->error);
    md5_destroy_game(game);
    atomic_store(&conversion->has_ended, true);
    return 0;
}

// Starts the conversion of the shown model to the file `path` on a thread. If threads are not
// available, performs the conversion before it returns. Shows a notice if the model cannot be
// converted.
static void begin_conversion(view_state *viewer, const view_options *export_options,
                             const char *path)
{
    view_conversion_job *const conversion = common_alloc(1, sizeof *conversion);
    viewer->panels.export.asks = false;
    const char *const problem = add_sources(conversion, viewer, export_options);
    if (problem != NULL) {
        view_notice(viewer, "%s", problem);
        free_conversion(conversion);
        return;
    }

    viewer->jobs.conversion = conversion;
    viewer->panels.export.total = 1;
    stbi_write_force_png_filter = -1; // the filter of md5tool
    if (conversion->num_attached > 0)
        common_add(&conversion->notes,
                   common_format("exported without the %u %s attached to its joints",
                                 conversion->num_attached,
                                 common_noun(conversion->num_attached, "model", "models")));

    conversion->library = viewer->document->scene.library;
    if (conversion->library != NULL)
        conversion->library->num_users++;
    // If the file exists, the dialog has asked the user whether to replace it.
    conversion->job.is_forced = common_file_stamp(path) != 0;
    add_option(&conversion->words, "output", common_copy(path));

    conversion->thread = view_start_thread(convert_model, "convert", conversion);
    if (conversion->thread == NULL)
        convert_model(conversion);
}

// Shows a notice with the result of a conversion. After a success, closes the dialog.
static void show_conversion_result(view_state *viewer, const view_conversion_job *conversion,
                                   const char *path)
{
    const size_t num_notes = conversion->notes.count;
    if (conversion->is_done) {
        view_open_overlay(&viewer->ui, &viewer->panels, VIEW_OVERLAY_NONE);
        if (num_notes > 0)
            view_notice(viewer, "Saved %s (%zu %s in Problems)", path, num_notes,
                        common_noun(num_notes, "note", "notes"));
        else
            view_notice(viewer, "Saved %s", path);
    } else if (atomic_load(&conversion->stops)) {
        view_notice(viewer, "Export stopped");
    } else {
        view_log_error(&viewer->log, &conversion->error);
        view_notice(viewer, "Cannot export %s", path);
    }
}

// Waits for the conversion, shows its result and its notes, and frees it.
static void end_conversion(view_state *viewer)
{
    view_conversion_job *const conversion = viewer->jobs.conversion;
    const char *const path = conversion->words.names[conversion->words.count - 1];
    view_wait_thread(conversion->thread, "convert");
    viewer->jobs.conversion = NULL;
    viewer->panels.export.total = 0;
    for (size_t i = 0; i < conversion->notes.count; i++)
        view_note(&viewer->log, path, conversion->notes.names[i]);
    show_conversion_result(viewer, conversion, path);
    view_drop_library(conversion->library);
    free_conversion(conversion);
    view_log_state(viewer, "exported");
}

// Ends the export of images or the conversion of a model, if one runs. Waits for the thread of
// the conversion.
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
        view_store_export_choices(viewer->config, choices);
    free(choices);
}

// Prepares the separate state of an export of images. Its arguments are in exporting->words. Parses
// the arguments, opens the document and begins the output. Returns false and logs an error in the
// state on failure.
static bool prepare_image_export(view_export_job *exporting, const view_state *viewer)
{
    view_state *const export_state = &exporting->viewer;
    char problem[256];
    const bool is_read = view_read_options((int)exporting->words.count, exporting->words.names,
                                           &exporting->options, problem, sizeof problem);
    view_begin(export_state, &exporting->options);
    export_state->renderer = viewer->renderer;
    export_state->log.level = viewer->log.level;
    if (!is_read)
        return view_error(&export_state->log, "%s", problem);

    const float scale = exporting->options.ui_scale > 0 ? exporting->options.ui_scale : 1;
    if (!view_open_first(export_state) || !view_set_scale(export_state, scale))
        return false;
    return view_begin_output(&exporting->output, export_state, NULL);
}

// Starts an export of images or of a movie. It is drawn in a separate state between the frames of
// the window, so that the user can continue to work.
static void begin_image_export(view_state *viewer, const view_options *export_options)
{
    view_export_job *const exporting = common_alloc(1, sizeof *exporting);
    viewer->jobs.export = exporting;
    exporting->words = write_words(viewer, export_options);
    exporting->begin = view_seconds();
    const bool is_ready = prepare_image_export(exporting, viewer);
    viewer->panels.export.asks = false;
    viewer->panels.export.done = 0;
    viewer->panels.export.total = exporting->output.total;
    if (!is_ready)
        end_export(viewer, false);
}

// Starts an export, unless another is running or the choices of the dialog are invalid. `number`
// selects the file name; see view_select_export().
static void begin_export(view_state *viewer, unsigned number)
{
    view_options export_options;
    const bool is_running = viewer->jobs.export != NULL || viewer->jobs.conversion != NULL;
    if (is_running || !describe_output(viewer, number, &export_options))
        return;

    store_choices(viewer);
    if (viewer->panels.export.choices.kind == VIEW_EXPORT_MODEL) {
        char *path;
        find_files(viewer, &export_options, &path);
        begin_conversion(viewer, &export_options, path);
        free(path);
    } else {
        begin_image_export(viewer, &export_options);
    }
}

// Selects the kind and the format in the export dialog from a search text such as "export glb".
// Then describes the output once, although its options are not used. This call checks the new
// choices, and updates the name of the output file in the dialog.
void view_select_named_export(view_state *viewer, const char *words)
{
    view_options export_options;
    if (viewer->ui.over != VIEW_OVERLAY_EXPORT)
        return;
    view_name_export(&viewer->panels.export, words);
    describe_output(viewer, 1, &export_options);
}

// Opens the export dialog, or closes it if it is open.
static void toggle_dialog(view_state *viewer)
{
    const bool is_open = viewer->ui.over == VIEW_OVERLAY_EXPORT;
    view_options export_options;
    view_open_overlay(&viewer->ui, &viewer->panels,
                      is_open ? VIEW_OVERLAY_NONE : VIEW_OVERLAY_EXPORT);
    store_choices(viewer);
    describe_output(viewer, 1, &export_options); // the first frame of the dialog needs the choices
    viewer->panels.export.asks = false;
}

// Starts the export under the first numbered name for which no file exists, so that no file is
// replaced.
static void export_to_unused_name(view_state *viewer)
{
    enum { MAX_NAMES = 10000 };
    view_export *const export = &viewer->panels.export;
    view_options export_options;
    for (unsigned number = 1;
         number < MAX_NAMES && describe_output(viewer, number, &export_options); number++) {
        free(export->file);
        if (!find_files(viewer, &export_options, &export->file)) {
            begin_export(viewer, number);
            return;
        }
    }
}

// Performs the commands of the export dialog. They open or close it, start an export, start it
// again under an unused name, or stop it.
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

// Continues an export between frames: a conversion runs on a thread, and images are drawn one at
// a time.
bool view_update_export(view_state *viewer)
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

// Returns an unused path in the folder of the target model. It is for a clip that was retargeted to
// this model, or for a map of joints. Returns NULL if all names are used. The caller frees the
// path.
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

// Writes the map of joints of a conversion job to a file. Returns false and fills `error` on
// failure.
static bool write_map(convert_job *job, const char *path, md5_error *error)
{
    job->prints_map = fopen(path, "w");
    if (job->prints_map == NULL)
        return false;
    const bool is_printed = convert_files(job, error);
    const bool is_closed = fclose(job->prints_map) == 0;
    return is_printed && is_closed;
}

// Writes a retargeted clip. If `is_map` is true, writes the map of joints for it instead. Returns
// false and fills `error` on failure, also if `path` is NULL.
static bool write_retargeted(const view_state *viewer, const view_clip *clip, bool is_map,
                             const char *path, md5_error *error)
{
    convert_fail(error, MD5_ERROR_IO, path, "cannot write the file");
    if (path == NULL)
        return false;
    common_list inputs = {0};
    convert_job job =
        view_retarget_job(viewer->options, &viewer->document->scene, clip->path, &inputs);
    bool is_saved;
    if (is_map) {
        is_saved = write_map(&job, path, error);
    } else {
        job.output = path;
        is_saved = convert_files(&job, error);
    }
    common_free_list(&inputs);
    return is_saved;
}

// Saves the retargeted form of a clip, or its map of joints, to an unused path, and shows a notice.
// Returns false and logs an error on failure.
static bool save_retargeted_clip(view_state *viewer, const view_clip *clip, bool is_map)
{
    md5_error error;
    char *const path = name_retargeted(viewer, clip, is_map);
    const bool is_saved = write_retargeted(viewer, clip, is_map, path, &error);
    if (!is_saved)
        view_log_error(&viewer->log, &error);
    if (is_saved && !is_map)
        COMMON_TEXT(viewer->panels.retarget.saved, "%s", path);
    if (is_saved)
        view_notice(viewer, "Saved %s", path);
    free(path);
    return is_saved;
}

// Saves the shown clip, all clips or the map of joints in the folder of the model to which they
// are retargeted. Saves one file per selected clip, and stops at the first file that cannot be
// written. Does nothing if the clips are not retargeted.
void view_save_retargeted(view_state *viewer, size_t content)
{
    const view_scene *const scene = &viewer->document->scene;
    if (viewer->options->retarget == NULL)
        return;
    for (size_t i = 0; i < scene->num_clips; i++) {
        const view_clip *const clip = &scene->clips[i];
        const bool is_selected = content == VIEW_SAVE_CLIPS || clip == view_shown_clip(scene);
        if (is_selected && !save_retargeted_clip(viewer, clip, content == VIEW_SAVE_MAP))
            return;
    }
}
