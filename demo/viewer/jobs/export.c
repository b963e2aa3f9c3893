// Exporting from the window: the command line that does the same, and running it between frames.
#include "demo/viewer/jobs/view.h"

#include "demo/common/text.h"
#include "demo/convert/convert.h"

#include <stdatomic.h>
#include <stb/stb_image_write.h>

// What is exported: a state of its own, without a window, with the window's renderer.
typedef struct view_exporting {
    common_list words; // that the options point into
    view_options options;
    view_state viewer;
    view_output output;
    double begin;
} view_exporting;

// A model that is converted, on a thread where there are some.
typedef struct view_converting {
    view_thread *thread;
    common_list words; // of the conversion: files, or names in the game; then --output and the path
    convert_job job;   // what the words say
    view_library *library; // a user of it, or NULL
    common_list shaders;   // of the meshes, in a game
    common_list notes;
    md5_error error;
    uint32_t num_attached; // models that are not converted
    bool is_done;
    atomic_bool stops;
    atomic_bool has_ended;
} view_converting;

// == The command line =============================================================================

static void add_option(common_list *words, const char *name, char *value)
{
    common_add(words, common_format("--%s", name));
    common_add(words, value);
}

// Each option that says something else than without it, in the order of their table.
static void add_options(common_list *words, const view_options *now)
{
    view_options plain;
    char problem[256], *value;
    char *bare[] = {"--output", "-", "--no-background"};
    view_read_options(now->no_background ? 3 : 2, bare, &plain, problem, sizeof problem);
    plain.no_background = false; // it is written itself, but not what follows from it
    plain.output = NULL;
    char *const lines = view_write_settings(now, &plain, VIEW_SCOPE_JOB, VIEW_SCOPE_PLACE);
    const char *rest = lines;
    for (const view_option *o; (o = view_next_setting(&rest, &value)) != NULL; free(value)) {
        if (view_lacks(o, now) == NULL)
            common_add(words,
                       common_format("--%s%s", o->name,
                                     o->value == NULL && strcmp(value, "no") == 0 ? "=no" : ""));
        if (view_lacks(o, now) == NULL && o->value != NULL)
            common_add(words, common_copy(value));
    }
    free(lines);
    view_free_options(&plain);
}

// What is shown: a name in a game, or files.
static void add_files(common_list *words, const view_document *document)
{
    const view_scene *const scene = &document->scene;
    const common_list *const others = &document->crowd.files;
    view_address address;
    common_list files = {0};
    if (scene->library != NULL && view_read_address(scene->path, &address)) {
        common_list places = view_split_location(address.place);
        for (size_t i = 0; i < places.count; i++)
            add_option(words, i == 0 ? "game" : "base", common_copy(places.names[i]));
        common_free_list(&places);
        common_add(&files, common_copy(address.name));
        view_free_address(&address);
    } else {
        const bool has_clips = !scene->picked_up && !view_is_bind_pose(scene);
        if (scene->model != NULL)
            common_add(&files, common_copy(view_shown_file(document)));
        for (size_t i = 0; i < scene->num_clips && has_clips; i++)
            common_add(&files, common_copy(scene->clips[i].path));
        if (scene->camera_path.camera != NULL)
            common_add(&files, common_copy(scene->camera_path.path));
        for (size_t i = 0; i < others->count && view_shows_crowd(document); i++)
            common_add(&files, common_copy(others->names[i]));
    }
    for (size_t i = 0; i < files.count; i++) {
        const bool is_like_option = files.names[i][0] == '-';
        common_add(words, is_like_option ? common_format("./%s", files.names[i])
                                         : common_copy(files.names[i]));
    }
    common_free_list(&files);
}

// And what the dialog says. False if a choice cannot be read.
static bool describe_export(view_state *viewer, unsigned number, view_options *now)
{
    view_describe_shown(viewer, now);
    const view_stage stage = view_stage_of(viewer, (float)viewer->width, (float)viewer->height);
    if (viewer->ui.export.endings.count == 0)
        viewer->ui.export.endings = convert_list_outputs();
    return view_select_export(&viewer->ui.export, &stage, number, now);
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
    if (now->page == NULL) // which has files of its own
        add_files(&words, viewer->document);
    return words;
}

common_list view_export_words(view_state *viewer)
{
    view_options now;
    return describe_export(viewer, 1, &now) ? write_words(viewer, &now) : (common_list){0};
}

// What is converted, and what the options that md5tool has as well say, as words and as a job.
// Returns why nothing can be, or NULL.
static const char *add_sources(view_converting *converting, const view_state *viewer,
                               const view_options *now)
{
    static const char shared[] =
        " range root up outfit hide texture normal-map specular-map glow-map ";
    static const char *const said[] = {"texture",  "normal-map", "specular-map",
                                       "glow-map", "hide",       "outfit"};
    const view_scene *const scene = &viewer->document->scene;
    const view_textures *const textures = &viewer->document->textures;
    common_list *const words = &converting->words;
    convert_job *const job = &converting->job;
    bool has_clips = false;
    if (view_shows_crowd(viewer->document))
        return "Cannot export a crowd";
    converting->num_attached = view_list_files(scene, viewer->ui.export.choices.clips == 1, words);
    for (size_t i = 0; i < words->count; i++) {
        if (!convert_can_read(words->names[i]))
            return "Multi-file models cannot be exported";
        has_clips |= common_has_suffix(words->names[i], ".md5anim")
                     || common_has_suffix(words->names[i], ".md5machine");
    }
    if (words->count == 0)
        return "Nothing to export";
    job->num_inputs = words->count;
    for (uint32_t i = 0; i < textures->num_meshes && now->skin > 0; i++) {
        const view_texture *const image = view_mesh_image(textures, i, MD5GL_IMAGE_DIFFUSE);
        if (image != NULL && image->program == NULL)
            add_option(words, "texture", common_format("%u=%s", i, image->path));
    }
    common_list all = write_words(viewer, now);
    for (size_t i = 0; i + 1 < all.count; i++) {
        char name[64];
        COMMON_TEXT(name, "%s ", all.names[i]);
        name[1] = ' ';
        if (strncmp(all.names[i], "--", 2) == 0
            && strstr(has_clips ? shared : shared + strlen(" range root"), name + 1) != NULL)
            add_option(words, all.names[i] + strlen("--"), common_copy(all.names[i + 1]));
    }
    common_free_list(&all);
    for (size_t i = job->num_inputs; i < words->count; i += 2)
        for (size_t k = 0; k < COMMON_LENGTH(said); k++) {
            common_texts *const to = k > CONVERT_NUM_MAPS ? &job->worn : &job->said[k];
            if (strcmp(words->names[i] + strlen("--"), said[k]) == 0)
                *COMMON_ADD_ITEM(to->names, to->count) = words->names[i + 1];
        }
    if (has_clips) {
        job->range[0] = now->range_first;
        job->range[1] = now->range_last;
        job->is_in_place = now->root == MD5_ROOT_IN_PLACE;
        job->is_id_root = now->root == MD5_ROOT_ID;
    }
    job->was_y_up = now->up_is_y;
    for (uint32_t i = 0; i < textures->num_meshes && scene->library != NULL; i++)
        common_add(&converting->shaders, common_copy(scene->model->meshes[i].shader));
    return NULL;
}

static void free_converting(view_converting *converting)
{
    for (int k = 0; k < CONVERT_NUM_MAPS + 1; k++)
        free(converting->job.said[k].names);
    free(converting->job.worn.names);
    common_free_list(&converting->words);
    common_free_list(&converting->shaders);
    common_free_list(&converting->notes);
    free(converting);
}

char *view_command_line(view_state *viewer)
{
    view_options now;
    describe_export(viewer, 1, &now);
    now.output = NULL; // in a window
    now.num_frames = now.sheet_columns = now.sheet_rows = 0;
    now.turntable = now.all_clips = now.labels = now.no_background = false;
    common_list words = write_words(viewer, &now);
    char *const line = view_join_words("md5view", &words);
    common_free_list(&words);
    view_free_export(&viewer->ui.export);
    return line;
}

// == What the dialog needs to know ================================================================

// Whether one of the files exists, and the name of the first.
static bool find_files(view_state *viewer, view_options *now, char **first)
{
    view_options *const options = viewer->options;
    view_scene *const scene = &viewer->document->scene;
    const size_t shown = scene->clip;
    const size_t count = now->all_clips && now->sheet_columns == 0 ? scene->num_clips : 1;
    bool exists = false;
    *first = NULL;
    viewer->options = now;
    for (size_t i = 0; i < count; i++) {
        scene->clip = count > 1 ? i : shown;
        char *const path = view_name_output(viewer, 1, false);
        exists = exists || common_file_stamp(path) != 0;
        if (*first == NULL)
            *first = path;
        else
            free(path);
    }
    scene->clip = shown;
    viewer->options = options;
    return exists;
}

static void drop_preview(view_state *viewer)
{
    if (viewer->renderer != NULL)
        md5gl_destroy_texture(viewer->renderer, viewer->ui.export.preview);
    viewer->ui.export.preview = 0;
}

// Draws what is written, small: of a movie the picture of now, of a sheet a cell. Estimates the
// size of the file if it is PNG or APNG, and not one of several of any length.
static void draw_preview(view_state *viewer, view_options *now)
{
    const double most = 360; // pixels of a side
    view_export *const export = &viewer->ui.export;
    const view_clip *const clip = view_shown_clip(&viewer->document->scene);
    const uint32_t num_columns = now->sheet_columns > 0 ? now->sheet_columns : 1;
    const uint32_t num_rows = now->sheet_rows > 0 ? now->sheet_rows : 1;
    const double whole[2] = {(double)now->width / num_columns, (double)now->height / num_rows};
    const double fit = fmin(most / fmax(whole[0], whole[1]), 1);
    const uint32_t width = (uint32_t)fmax(whole[0] * fit, 1);
    const uint32_t height = (uint32_t)fmax(whole[1] * fit, 1);
    uint8_t *const rgba = common_alloc((size_t)width * height, 4);
    size_t size = 0;
    view_state small = *viewer;
    small.options = now;
    small.width = width;
    small.height = height;
    if (now->labels)
        small.caption = common_copy(clip != NULL ? clip->name : viewer->document->scene.name);
    drop_preview(viewer);
    if (view_draw_small(viewer, &small, export->choices.kind == VIEW_EXPORT_PICTURE, now->samples,
                        now->no_background, rgba)) {
        export->preview = view_make_texture(viewer->renderer, rgba, width, height);
        export->preview_shape = (float)width / (float)height;
        stbi_write_force_png_filter = 1; // as it is written
        free(view_encode_png(&(view_image){rgba, width, height}, true, &size));
    }
    // Large pictures have fewer bytes a pixel: of 360 to 3840 pixels of width this is off by a
    // quarter at most.
    const double enlarged = (double)now->width * now->height / ((double)width * height);
    const bool is_known =
        common_has_suffix(now->output, "png") && (!now->all_clips || now->sheet_columns > 0);
    const uint32_t num_images = now->num_frames > 0 ? now->num_frames : 1;
    export->bytes = is_known ? (double)size * pow(enlarged, 0.8) * num_images : 0;
    free(small.caption);
    free(rgba);
}

// Returns whether there is another preview: they are drawn four times a second at most.
static bool tell_dialog(view_state *viewer)
{
    view_export *const export = &viewer->ui.export;
    view_options now;
    char *const before = export->line;
    const bool is_right = describe_export(viewer, 1, &now);
    free(export->file);
    export->line = export->file = NULL;
    export->exists = false;
    if (is_right) {
        export->exists = find_files(viewer, &now, &export->file);
        const bool is_model = export->choices.kind == VIEW_EXPORT_MODEL;
        view_converting *const trial = common_alloc(1, sizeof *trial);
        const char *problem = NULL;
        if (is_model) {
            problem = add_sources(trial, viewer, &now);
            add_option(&trial->words, "output", common_copy(export->file));
        } else {
            trial->words = write_words(viewer, &now);
        }
        // The tool takes no single names of a game.
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
    const bool has_line = before != NULL && export->line != NULL;
    if (!has_line || strcmp(before, export->line) != 0)
        export->is_stale = true;
    free(before);
    if (!is_right || export->is_small)
        return false;
    if (!export->is_stale || viewer->renderer == NULL)
        return false;
    if (viewer->now < export->next) {
        view_wake_window(); // not to wait for another one
        return true;
    }
    export->is_stale = false;
    export->next = viewer->now + 0.25;
    draw_preview(viewer, &now);
    return true;
}

// == Running ======================================================================================

static void end_export(view_state *viewer, bool is_stopped)
{
    view_exporting *const exporting = viewer->exporting;
    view_state *const own = &exporting->viewer;
    viewer->ui.export.total = 0;
    viewer->exporting = NULL;
    if (is_stopped)
        own->log.level = VIEW_QUIET; // that it is not whole is no error
    const bool is_saved = exporting->output.viewer != NULL && view_end_output(&exporting->output);
    char *const file = common_copy(exporting->options.output);
    if (is_saved) {
        view_open_overlay(&viewer->ui, VIEW_OVERLAY_NONE);
        view_notice(viewer, "Saved %s",
                    viewer->ui.export.file != NULL ? viewer->ui.export.file : file);
    } else if (is_stopped) {
        view_notice(viewer, "Export stopped");
    } else {
        memcpy(viewer->log.error, own->log.error, sizeof viewer->log.error);
        view_notice(viewer, "Cannot export %s", file);
    }
    free(file);
    view_end(own);
    view_free_options(&exporting->options);
    common_free_list(&exporting->words);
    free(exporting);
    view_tell_state(viewer, "exported");
}

// -- A model ------------------------------------------------------------------------------

static void take_note(void *user, const char *text)
{
    common_add(&((view_converting *)user)->notes, common_copy(text));
}

static bool goes_on(void *user)
{
    return !atomic_load(&((view_converting *)user)->stops);
}

// On the thread: a game serves one at a time, so it is opened again.
static int convert_model(void *user)
{
    view_converting *const converting = user;
    const common_game_paths *const places =
        converting->library ? &converting->library->places : NULL;
    md5_game *const game =
        places ? md5_create_game(places->paths, places->count, NULL, &converting->error) : NULL;
    convert_job *const job = &converting->job;
    job->inputs = (const char *const *)converting->words.names;
    job->output = converting->words.names[converting->words.count - 1];
    job->game = game;
    job->files = game ? md5_game_files(game) : (md5_files){.user = NULL};
    job->shaders = game ? &converting->shaders : NULL;
    job->note = take_note;
    job->goes_on = goes_on;
    job->user = converting;
    converting->is_done = (!places || game) && convert_files(job, &converting->error);
    md5_destroy_game(game);
    atomic_store(&converting->has_ended, true);
    return 0;
}

static void begin_model(view_state *viewer, const view_options *now, const char *path)
{
    view_converting *const converting = common_alloc(1, sizeof *converting);
    viewer->ui.export.asks = false;
    const char *const problem = add_sources(converting, viewer, now);
    if (problem != NULL) {
        view_notice(viewer, "%s", problem);
        free_converting(converting);
        return;
    }
    viewer->converting = converting;
    viewer->ui.export.total = 1;
    stbi_write_force_png_filter = -1; // as in md5tool
    if (converting->num_attached > 0)
        common_add(&converting->notes,
                   common_format("exported without the %u models attached to its joints",
                                 converting->num_attached));
    converting->library = viewer->document->scene.library;
    if (converting->library != NULL)
        converting->library->num_users++;
    converting->job.is_forced = common_file_stamp(path) != 0; // the dialog has asked
    add_option(&converting->words, "output", common_copy(path));
    converting->thread = view_start_thread(convert_model, "convert", converting);
    if (converting->thread == NULL)
        convert_model(converting);
}

// Waits for it.
static void end_model(view_state *viewer)
{
    view_converting *const converting = viewer->converting;
    const char *const path = converting->words.names[converting->words.count - 1];
    view_wait_thread(converting->thread, "convert");
    viewer->converting = NULL;
    viewer->ui.export.total = 0;
    for (size_t i = 0; i < converting->notes.count; i++)
        view_note(&viewer->log, path, converting->notes.names[i]);
    if (converting->is_done) {
        view_open_overlay(&viewer->ui, VIEW_OVERLAY_NONE);
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
    view_tell_state(viewer, "exported");
}

void view_stop_export(view_state *viewer)
{
    drop_preview(viewer);
    viewer->ui.export.is_stale = true;
    if (viewer->exporting != NULL)
        end_export(viewer, true);
    if (viewer->converting != NULL) {
        atomic_store(&viewer->converting->stops, true);
        end_model(viewer);
    }
}

// For the next time.
static void note_choices(view_state *viewer)
{
    char *const choices = view_write_choices(&viewer->ui.export.choices);
    if (viewer->config != NULL && viewer->ui.export.is_set)
        view_note_export(viewer->config, choices);
    free(choices);
}

// `number`: see view_select_export().
static void begin_export(view_state *viewer, unsigned number)
{
    view_options now;
    char problem[256];
    if (viewer->exporting != NULL || viewer->converting != NULL
        || !describe_export(viewer, number, &now))
        return;
    if (viewer->ui.export.choices.kind == VIEW_EXPORT_MODEL) {
        char *path;
        find_files(viewer, &now, &path);
        note_choices(viewer);
        begin_model(viewer, &now, path);
        free(path);
        return;
    }
    view_exporting *const exporting = common_alloc(1, sizeof *exporting);
    view_state *const own = &exporting->viewer;
    viewer->exporting = exporting;
    note_choices(viewer);
    exporting->words = write_words(viewer, &now);
    exporting->begin = view_seconds();
    bool is_ready = view_read_options((int)exporting->words.count, exporting->words.names,
                                      &exporting->options, problem, sizeof problem);
    view_begin(own, &exporting->options);
    own->renderer = viewer->renderer;
    own->log.level = viewer->log.level;
    if (!is_ready)
        view_error(&own->log, "%s", problem);
    const float scale = exporting->options.ui_scale > 0 ? exporting->options.ui_scale : 1;
    is_ready = is_ready && view_open_first(own) && view_set_scale(own, scale)
               && view_begin_output(&exporting->output, own);
    viewer->ui.export.asks = false;
    viewer->ui.export.done = 0;
    viewer->ui.export.total = exporting->output.total;
    if (!is_ready)
        end_export(viewer, false);
}

void view_perform_export(view_state *viewer, view_action action)
{
    enum { MAX_NAMES = 10000 };
    view_export *const export = &viewer->ui.export;
    view_options now;
    if (action == VIEW_STOP_EXPORT && viewer->converting != NULL) {
        atomic_store(&viewer->converting->stops, true); // it ends after the file that it writes
    } else if (action == VIEW_STOP_EXPORT) {
        view_stop_export(viewer);
    } else if (viewer->pages.open >= 0) {
        view_notice(viewer, "Lessons cannot be exported here; use --lesson with --output");
    } else if (action == VIEW_EXPORT) {
        view_open_overlay(&viewer->ui, viewer->ui.over == VIEW_OVERLAY_EXPORT
                                           ? VIEW_OVERLAY_NONE
                                           : VIEW_OVERLAY_EXPORT);
        note_choices(viewer);
        describe_export(viewer, 1, &now); // the first picture of the form has them
        export->has_desktop = view_has_desktop(viewer);
        export->asks = false;
    } else if (action == VIEW_RUN_EXPORT) {
        begin_export(viewer, 1);
    } else { // again
        unsigned number = 1;
        bool exists = true;
        for (; exists && number < MAX_NAMES && describe_export(viewer, number, &now); number++) {
            free(export->file);
            exists = find_files(viewer, &now, &export->file);
        }
        if (!exists)
            begin_export(viewer, number - 1);
    }
}

bool view_follow_export(view_state *viewer)
{
    const double slice = 0.025;
    const double begin = view_seconds();
    view_exporting *const exporting = viewer->exporting;
    view_export *const export = &viewer->ui.export;
    if (viewer->converting != NULL) {
        if (atomic_load(&viewer->converting->has_ended))
            end_model(viewer);
        return true;
    }
    if (exporting == NULL) {
        if (viewer->ui.over != VIEW_OVERLAY_EXPORT)
            drop_preview(viewer);
        return viewer->ui.over == VIEW_OVERLAY_EXPORT && tell_dialog(viewer);
    }
    view_output *const output = &exporting->output;
    bool has_more = true;
    while (has_more && view_seconds() - begin < slice)
        has_more = view_step_output(output);
    const double passed = view_seconds() - exporting->begin;
    export->done = output->num_done;
    export->left =
        output->num_done > 0 ? passed * (output->total - output->num_done) / output->num_done : 0;
    if (viewer->ui.over != VIEW_OVERLAY_EXPORT)
        view_notice(viewer, "Exporting: %u of %u", export->done, export->total);
    if (!has_more)
        end_export(viewer, false);
    return true;
}

// == For a model that is retargeted ===============================================================

void view_save_retargeted(view_state *viewer, size_t what)
{
    const view_options *const options = viewer->options;
    const view_scene *const scene = &viewer->document->scene;
    const bool is_map = what == VIEW_SAVE_MAP;
    bool is_saved = options->retarget != NULL;
    for (size_t i = 0; i < scene->num_clips && is_saved; i++) {
        const view_clip *const clip = &scene->clips[i];
        if (clip != view_shown_clip(scene) && what != VIEW_SAVE_CLIPS)
            continue;
        char *const target = common_stem(options->retarget);
        char *const folder = common_folder(options->retarget);
        char *const name = is_map ? common_format("%s-%s", scene->name, target)
                                  : common_format("%s_%s", target, clip->name);
        const char *const ending = is_map ? "map" : "md5anim";
        char *path = common_format("%s/%s.%s", folder, name, ending);
        if (common_file_stamp(path) != 0) { // of somebody else, perhaps
            free(path);
            path = view_free_name(folder, name, ending);
        }
        common_list inputs = {0};
        convert_job job = view_retarget_job(options, scene, clip->path, &inputs);
        md5_error error;
        convert_fail(&error, MD5_ERROR_IO, path, "cannot write the file");
        if (!is_map)
            job.output = path;
        else if (path != NULL)
            job.prints_map = fopen(path, "w");
        is_saved =
            path != NULL && (!is_map || job.prints_map != NULL) && convert_files(&job, &error);
        if (job.prints_map != NULL)
            is_saved = fclose(job.prints_map) == 0 && is_saved;
        if (is_saved && !is_map)
            COMMON_TEXT(viewer->ui.retarget.saved, "%s", path);
        if (is_saved)
            view_notice(viewer, "Saved %s", path);
        else
            view_log_error(&viewer->log, &error);
        common_free_list(&inputs);
        free(path);
        free(name);
        free(folder);
        free(target);
    }
}
