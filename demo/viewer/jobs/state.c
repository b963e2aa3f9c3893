// The state of the viewer: initialization and release, notices, and the log of the state.
#include "demo/viewer/jobs/check.h"
#include "demo/viewer/jobs/view.h"

#include <stdarg.h>

// Applies the options whose values are also stored in other parts of the state. These parts are the
// log, the docks, the scene, the visibility of meshes and the playback.
void view_apply_options(view_state *viewer)
{
    const view_options *const options = viewer->options;
    viewer->log.level = options->level;
    memcpy(viewer->ui.docks.sizes, options->docks, sizeof options->docks);

    viewer->document->scene.root = options->root;
    viewer->document->scene.dual = options->dual;
    view_show_meshes(viewer->document, options->hidden_meshes);

    // If the kind of loop changes, continue from the shown frame: its time in the first cycle.
    const md5_anim *const anim = view_timing_anim(&viewer->document->scene);
    if (viewer->play.wrap != options->wrap && anim != NULL) {
        viewer->play.time = view_cycle_time(&viewer->play, anim);
        viewer->play.held_at_end = false;
    }
    viewer->play.wrap = options->wrap;
    viewer->play.speed = fabs(options->speed);
    viewer->play.backward = options->speed < 0;
}

// Returns true if images can contain parts of the interface. This is always possible in a window
// and with --frames, and in an output if an option requests a part.
static bool needs_interface(const view_options *options)
{
    const view_shown *const shown = &options->shown;
    const bool has_list = shown->light_list || shown->parm_list;
    const bool has_panel = shown->panel || shown->help || has_list;
    const bool has_subject =
        options->page != NULL || options->joint != NULL || options->retarget != NULL;
    return options->output == NULL || has_panel || has_subject;
}

// Allocates the undo history and the retargeting, and sets the initial panels and sections.
static void begin_interface(view_state *viewer)
{
    const view_shown *const shown = &viewer->options->shown;
    viewer->undo.steps = common_alloc(VIEW_MAX_STEPS, sizeof *viewer->undo.steps);
    viewer->panels.retarget.displayed = common_alloc(1, sizeof(view_retargeting));
    view_reset_panels(&viewer->ui, &viewer->panels);
    if (shown->light_list || shown->parm_list)
        viewer->ui.docks.front = VIEW_DOCK_RIGHT;
    // Fold long sections. The list of clips is not necessary, because the time bar names the shown
    // clip.
    viewer->ui.folded = 1u << UI_SECTION_CLIPS | 1u << UI_SECTION_LOOKED | 1u << UI_SECTION_UV;
}

// Initializes the state of the viewer from the options. It does not need a window. The document
// exists from the beginning, but is empty until files are opened.
void view_begin(view_state *viewer, view_options *options)
{
    *viewer = (view_state){.options = options,
                           .has_interface = needs_interface(options),
                           .ui.selection = VIEW_NO_SELECTION,
                           .pages = {.open = -1},
                           .panels = {.curves.kind = 1}};
    if (viewer->has_interface)
        begin_interface(viewer);
    viewer->document = common_alloc(1, sizeof *viewer->document);
    viewer->log.reports = view_shows_window(options) ? &viewer->reports : NULL;
    viewer->width = options->width;
    viewer->height = options->height;
    viewer->cameras.user = VIEW_DEFAULT_CAMERA;
    viewer->play = (view_play){
        .playing = options->output == NULL,
        .time = options->num_times > 0 ? options->times[0] : 0,
    };
    view_apply_options(viewer);
}

void view_close_page(view_state *viewer)
{
    view_open_page(&viewer->pages, -1);
    view_free_pages(&viewer->pages, viewer->renderer);
}

// Frees the texture and the request of previews: of a game if `is_in_game` is true, otherwise of
// files. Visible previews are kept, unless `is_all` is true. An entry without a request is
// unused.
void view_drop_previews(view_state *viewer, bool is_in_game, bool is_all)
{
    for (int i = 0; i < VIEW_MAX_THUMBNAILS; i++) {
        view_thumbnail *const thumbnail = &viewer->ui.pictures[i];
        if (thumbnail->request == NULL || thumbnail->is_in_game != is_in_game)
            continue;
        if (thumbnail->is_visible && !is_all)
            continue;
        if (viewer->renderer != NULL)
            md5gl_destroy_texture(viewer->renderer, thumbnail->texture);
        free(thumbnail->request);
        *thumbnail = (view_thumbnail){.request = NULL};
    }
}

void view_free_step(view_step *step)
{
    free(step->label);
    view_free_options(&step->options);
}

void view_clear_steps(view_state *viewer)
{
    while (viewer->undo.num_steps > 0)
        view_free_step(&viewer->undo.steps[--viewer->undo.num_steps]);
    viewer->undo.step = 0;
}

// Frees the panels, the lessons, the undo steps and the previews, and stops the check and the
// scan, which run on threads.
static void end_interface(view_state *viewer)
{
    view_panels *const panels = &viewer->panels;

    // Lessons and the check of files.
    view_close_page(viewer);
    view_free_thumbnails(&viewer->pages, viewer->renderer);
    if (viewer->renderer != NULL)
        md5gl_destroy_target(viewer->renderer, viewer->drawing.presented.target);
    view_end_check(viewer);

    view_clear_steps(viewer);
    free(viewer->undo.steps);

    // Panels.
    view_clear_browser(&panels->browser);
    free(panels->browser.purpose.form);
    view_clear_graph(&panels->graph);
    free(panels->curves.values);
    view_clear_start(&viewer->ui, &panels->start);
    view_free_export(&panels->export);
    view_clear_card(&panels->card);
    if (viewer->ui.hover_preview.before != NULL)
        view_free_options(viewer->ui.hover_preview.before);
    free(viewer->ui.hover_preview.before);
    view_clear_retargeting(panels->retarget.displayed);
    view_clear_repair(&panels->problems);
    free(panels->retarget.displayed);
    view_clear_textures(&panels->textures);

    // Previews and lists of files and games.
    view_drop_previews(viewer, false, true);
    view_drop_previews(viewer, true, true);
    common_free_list(&panels->browser.locations);
    view_stop_previews(viewer->lists.file_previews);
    view_stop_scan(viewer->jobs.scan);
    view_stop_previews(viewer->lists.game_previews);
}

// Frees everything that the state of the viewer owns. Ends the interface first, because its
// background threads use data that is freed after them.
void view_end(view_state *viewer)
{
    view_end_warnings(&viewer->log);
    if (viewer->has_interface)
        end_interface(viewer);
    view_free_document(viewer->document, viewer->renderer);
    if (viewer->renderer != NULL)
        md5gl_destroy_environment(viewer->renderer, viewer->drawing.environment.light);
    view_free_reports(&viewer->reports);
    free(viewer->opening.failed.path);
    free(viewer->opening.guest_path);
    view_free_font(&viewer->drawing.font, viewer->renderer);
    free(viewer->drawing.canvas.vertices);
    view_free_lines(&viewer->drawing.lines);
    if (viewer->lists.game != NULL)
        view_drop_library(viewer->lists.game);
}

// == Notices and the log =========================================================================
//
// Notices in the image, and the state in the log.

// Shows a line of text, formatted like printf(), at the bottom of the window for
// VIEW_NOTICE_SECONDS. It replaces the visible notice and its action.
void view_notice(view_state *viewer, const char *format, ...)
{
    char text[sizeof viewer->ui.notice.text];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    ui_show_notice(&viewer->ui, viewer->uptime, "%s", text);
}

// The line of view_log_state() consists of "name=value" fields. Each of these functions appends a
// group of fields, each with a space before it.

// Appends the clip, the time and the speed to a line of the log.
static void append_playback(char **line, const view_state *viewer)
{
    const view_scene *const scene = &viewer->document->scene;
    const view_play *const play = &viewer->play;
    const view_clip *const clip = view_shown_clip(scene);
    if (clip != NULL)
        common_extend(line, " clip=%s %zu/%zu", clip->name, scene->clip + 1, scene->num_clips);
    else
        common_extend(line, " clip=bind-pose 0/%zu", scene->num_clips);

    const md5_anim *const anim = view_timing_anim(scene);
    if (anim != NULL)
        common_extend(line, " time=%.4f frame=%.3f/%u", view_cycle_time(play, anim),
                      view_frame_position(play, anim), anim->num_frames - 1);
    else
        common_extend(line, " time=%.4f frame=%.3f/0", 0.0, 0.0);

    common_extend(line, " playing=%d speed=%g backward=%d loop=%s range=%u-%u", play->playing,
                  play->speed, play->backward, view_wrap_name(play->wrap), play->range_first,
                  play->range_last);
}

// Appends how the model is posed and skinned to a line of the log.
static void append_model(char **line, const view_scene *scene)
{
    static const char *const roots[] = {"file", "id", "in_place"};
    char up[3];
    char front[3];
    view_name_axes(&scene->rotation, up, front);
    common_extend(line, " root=%s axes-of-file=up%s,front%s skinning=%s", roots[scene->root], up,
                  front, scene->dual ? "dual" : "linear");
}

// Appends the camera to a line of the log.
static void append_camera(char **line, const view_camera *camera)
{
    common_extend(line,
                  " azimuth=%.1f elevation=%.1f distance=%.4g target=%.4g,%.4g,%.4g"
                  " orthographic=%d",
                  camera->azimuth, camera->elevation, camera->distance, camera->target.x,
                  camera->target.y, camera->target.z, camera->orthographic);
}

// Appends everything that determines the look of the image to a line of the log.
static void append_image(char **line, const view_state *viewer)
{
    static const char *const surfaces[VIEW_NUM_SURFACES] = {"lit", "weights", "uv", "textures"};
    const view_options *const options = viewer->options;
    char shown[840];
    view_write_shown(&options->shown, &options->lights, shown, sizeof shown);
    common_extend(line, " surface=%s %s warnings=%u size=%ux%u", surfaces[options->surface], shown,
                  viewer->log.num_warnings, viewer->width, viewer->height);
}

// Appends the camera path and its current shot to a line of the log.
static void append_camera_path(char **line, const view_state *viewer)
{
    const view_scene *const scene = &viewer->document->scene;
    const char *name = "none";
    view_camera_path_position position = {0};
    if (scene->camera_path.camera != NULL) {
        name = scene->camera_path.name;
        position = view_find_path_position(&scene->camera_path, &viewer->play);
    }
    common_extend(line, " camera-path=%s following=%d shot=%u camera-frame=%.3f", name,
                  viewer->cameras.follows_path, position.shot, position.frame);
}

// Appends the open list, the selected joint and the picked triangle to a line of the log.
static void append_selection(char **line, const view_state *viewer)
{
    static const char *const lists[] = {"none", "files", "clips", "channel", "game"};
    const view_scene *const scene = &viewer->document->scene;
    const view_browser *const browser = &viewer->panels.browser;
    common_extend(line, " list=%s found=%zu joint=%d", lists[browser->kind], browser->num_found,
                  view_marked_joint(&viewer->ui, scene));
    const view_pick *const pick = &viewer->ui.selection.pick;
    if (pick->is_set)
        common_extend(line, " picked=%d/%d", (int)pick->mesh, (int)pick->triangle);
    else
        common_extend(line, " picked=-1/-1");
    common_extend(line, " hidden=%u crowd=%u", (unsigned)viewer->options->hidden_meshes,
                  viewer->document->crowd.count);
}

// Logs one line of "name=value" fields, for debugging and for tests. A kind of motion with its own
// state, such as a machine, logs this state in a second line.
void view_log_state(view_state *viewer, const char *action)
{
    const view_scene *const scene = &viewer->document->scene;
    if (viewer->log.level < VIEW_DEBUG)
        return;

    char *line = common_format("%s: model=%s", action, scene->name);
    append_playback(&line, viewer);
    append_model(&line, scene);
    append_camera(&line, &viewer->cameras.user);
    append_image(&line, viewer);
    append_camera_path(&line, viewer);
    append_selection(&line, viewer);
    common_extend(&line, " error=%d notice=%d", viewer->log.error[0] != '\0',
                  viewer->uptime < viewer->ui.notice.end);
    view_debug(&viewer->log, "%s", line);
    free(line);

    const view_motion_kind *const mover = view_get_mover(scene);
    if (mover->write_log_line != NULL) {
        char text[512];
        mover->write_log_line(scene, text, sizeof text);
        view_debug(&viewer->log, "%s %s", action, text);
    }
}
