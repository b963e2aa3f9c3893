// The state of the viewer: initialization and release, the user's camera, the drawing of one frame,
// notices and the log of the state.
#include "demo/viewer/jobs/check.h"
#include "demo/viewer/jobs/movie.h"
#include "demo/viewer/jobs/view.h"

#include <stdarg.h>

void view_apply_options(view_state *viewer)
{
    const view_options *const options = viewer->options;
    viewer->log.level = options->level;
    memcpy(viewer->ui.docks.sizes, options->docks, sizeof options->docks);
    viewer->document->scene.root = options->root;
    viewer->document->scene.dual = options->dual;
    view_show_meshes(viewer->document, options->hidden_meshes);
    const md5_anim *const anim = view_clock(&viewer->document->scene);
    if (viewer->play.wrap != options->wrap && anim != NULL) { // keep the frame
        viewer->play.time = view_cycle_time(&viewer->play, anim);
        viewer->play.held_at_end = false;
    }
    viewer->play.wrap = options->wrap;
    viewer->play.speed = fabs(options->speed);
    viewer->play.backward = options->speed < 0;
}

// Returns true if images can contain parts of the interface: always in a window and with --frames,
// otherwise if an option requests a part.
static bool needs_interface(const view_options *options)
{
    const view_shown *const shown = &options->shown;
    const bool has_panel = shown->panel || shown->help || shown->light_list || shown->parm_list;
    const bool has_subject = options->page != NULL || options->joint != NULL;
    return options->output == NULL || options->retarget != NULL || has_panel || has_subject;
}

static void begin_interface(view_state *viewer)
{
    const view_shown *const shown = &viewer->options->shown;
    viewer->undo.steps = common_alloc(VIEW_MAX_STEPS, sizeof *viewer->undo.steps);
    viewer->panels.retarget.made = common_alloc(1, sizeof(view_retargeting));
    view_reset_panels(&viewer->ui, &viewer->panels);
    if (shown->light_list || shown->parm_list)
        viewer->ui.docks.front = VIEW_DOCK_RIGHT;
    // Fold sections that are long; the time bar already names the shown clip.
    viewer->ui.folded = 1u << UI_SECTION_CLIPS | 1u << UI_SECTION_LOOKED | 1u << UI_SECTION_UV;
}

void view_begin(view_state *viewer, view_options *options)
{
    *viewer = (view_state){.options = options,
                           .has_interface = needs_interface(options),
                           .ui = {.hovered_joint = -1,
                                  .selected_joint = -1,
                                  .measured_from = -1,
                                  .selected_material = -1,
                                  .selected_mesh = -1},
                           .panels = {.curves.kind = 1}};
    if (viewer->has_interface)
        begin_interface(viewer);
    view_open_page(&viewer->pages, -1);
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

void view_drop_previews(view_state *viewer, bool is_in_game, bool is_all)
{
    for (int i = 0; i < VIEW_MAX_THUMBNAILS; i++) {
        view_thumbnail *const picture = &viewer->ui.pictures[i];
        if (picture->wish == NULL || picture->is_in_game != is_in_game)
            continue;
        if (picture->is_seen && !is_all)
            continue;
        if (viewer->renderer != NULL)
            md5gl_destroy_texture(viewer->renderer, picture->texture);
        free(picture->wish);
        *picture = (view_thumbnail){.wish = NULL};
    }
}

void view_end_check(view_state *viewer)
{
    struct view_checking *const checking = viewer->jobs.check;
    if (checking == NULL)
        return;
    atomic_store(&checking->stops, true);
    view_wait_thread(checking->thread, "check");
    view_free_reports(&checking->found);
    common_free_list(&checking->files);
    free(checking);
    viewer->jobs.check = NULL;
}

void view_free_step(view_step *step)
{
    free(step->label);
    free(step->lines);
}

void view_clear_steps(view_state *viewer)
{
    while (viewer->undo.num_steps > 0)
        view_free_step(&viewer->undo.steps[--viewer->undo.num_steps]);
    viewer->undo.step = 0;
}

// Frees the interface, and ends the work that belongs to a window.
static void end_interface(view_state *viewer)
{
    view_close_page(viewer);
    view_free_thumbnails(&viewer->pages, viewer->renderer);
    if (viewer->renderer != NULL)
        md5gl_destroy_target(viewer->renderer, viewer->drawing.presented.target);
    view_end_check(viewer);
    view_clear_steps(viewer);
    free(viewer->undo.steps);
    view_clear_browser(&viewer->panels.browser);
    free(viewer->panels.browser.asked.form);
    view_clear_graph(&viewer->panels.graph);
    free(viewer->panels.curves.values);
    view_clear_start(&viewer->ui, &viewer->panels.start);
    view_free_export(&viewer->panels.export);
    view_clear_card(&viewer->panels.card);
    free(viewer->ui.trial.before);
    view_clear_retargeting(viewer->panels.retarget.made);
    view_forget_repair(&viewer->panels.problems);
    free(viewer->panels.retarget.made);
    view_clear_textures(&viewer->panels.textures);
    view_drop_previews(viewer, false, true);
    view_drop_previews(viewer, true, true);
    common_free_list(&viewer->panels.browser.places);
    view_stop_previews(viewer->lists.file_previews);
    view_stop_scan(viewer->jobs.scan);
    view_stop_previews(viewer->lists.game_previews);
}

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
    free(viewer->opening.companion_path);
    view_free_font(&viewer->drawing.font, viewer->renderer);
    free(viewer->drawing.canvas.vertices);
    view_free_lines(&viewer->drawing.lines);
    if (viewer->lists.library != NULL)
        view_drop_library(viewer->lists.library);
}

// Returns true if images can contain text: parts of the interface, or captions.
static bool has_text(const view_state *viewer)
{
    const view_options *const options = viewer->options;
    const bool has_sheet = options->sheet_columns > 0 || options->num_folders > 0;
    return viewer->has_interface || has_sheet || options->labels;
}

bool view_set_scale(view_state *viewer, float scale)
{
    md5_error error = {0};
    view_font font;
    viewer->drawing.canvas.font = &viewer->drawing.font;
    if (!has_text(viewer)) { // the scale also determines the width of lines
        viewer->drawing.font.scale = scale;
        return true;
    }
    if (viewer->drawing.font.mask != 0 && viewer->drawing.font.scale == scale)
        return true;
    if (!view_make_font(&font, viewer->renderer, scale, &error))
        return view_log_error(&viewer->log, &error);
    view_free_font(&viewer->drawing.font, viewer->renderer);
    viewer->drawing.font = font;
    return true;
}

view_stage view_build_stage(view_state *viewer, float width, float height)
{
    view_camera shot = viewer->cameras.user;
    const bool plays =
        viewer->pages.open < 0 && view_find_demo_camera(&viewer->document->scene.machine, &shot);
    shot.distance *= fmaxf(4.0f / 3 * height / width, 1); // a tall image shows the same width
    if (plays) // afterwards the camera moves smoothly from here to the user's camera
        viewer->cameras.drawn = shot;
    viewer->drawing.shown = viewer->options->shown;
    viewer->drawing.shown.shadows &= !viewer->drawing.economy.no_shadows;
    view_economy economy = viewer->drawing.economy;
    // The economy omits shadows only if the user has turned them on.
    economy.no_shadows &= viewer->options->shown.shadows;
    view_stage stage = {
        .steps = viewer->undo.steps,
        .num_steps = viewer->undo.num_steps,
        .step = viewer->undo.step,
        .options = viewer->options,
        .renderer = viewer->renderer,
        .log = &viewer->log,
        .document = viewer->document,
        .width = width,
        .height = height,
        .region = {0, 0, width, height},
        .play = &viewer->play,
        .camera =
            viewer->cameras.is_smooth || plays ? &viewer->cameras.drawn : &viewer->cameras.user,
        .following = viewer->cameras.follows_path,
        .shown = &viewer->drawing.shown,
        .hidden_meshes = viewer->options->hidden_meshes,
        .joint = view_marked_joint(&viewer->ui, &viewer->document->scene),
        .pick = &viewer->pick,
        .measured = &viewer->measured,
        .measured_from = viewer->ui.measured_from,
        .lit = &viewer->ui.lit,
        .material = viewer->ui.selected_material,
        .lit_mesh = viewer->now < viewer->ui.lit_end ? viewer->ui.selected_mesh : -1,
        .lights = &viewer->options->lights,
        .environment = &viewer->drawing.environment,
        .parms = &viewer->options->parms,
        .retargeting = viewer->panels.retarget.made,
        .font = &viewer->drawing.font,
        .canvas = &viewer->drawing.canvas,
        .lines = &viewer->drawing.lines,
        .config = viewer->config,
        .is_driving = !viewer->input.has_released_control,
        .is_touched = viewer->input.is_touched,
        .stick = &viewer->input.stick,
        .docks = viewer->ui.docks,
        .now = viewer->now,
        .economy = economy,
        .is_moving = viewer->drawing.is_moving,
        .frame_times = viewer->drawing.frame_times,
        .num_frame_times = viewer->drawing.num_frame_times,
        .pages = viewer->pages.open >= 0 ? &viewer->pages : NULL,
        .page_panel = view_page_panel,
        .recorded = viewer->jobs.movie != NULL
                        ? viewer->jobs.movie->num_added / viewer->jobs.movie->frame_rate
                        : -1,
        .is_start = viewer->panels.start.is_open,
        .plays = plays,
        .is_bare = viewer->panels.start.is_open && viewer->ui.over >= VIEW_OVERLAY_FILES
                   && viewer->ui.over < VIEW_OVERLAY_START,
        .caption = viewer->drawing.caption != NULL ? viewer->drawing.font.line[VIEW_TEXT] + 2 : 0,
    };
    if (view_shows_retarget(&viewer->panels.retarget, &stage)) { // instead of the inspector
        viewer->drawing.shown.inspector = true;
        stage.docks.sizes[VIEW_DOCK_RIGHT] =
            fmaxf(stage.docks.sizes[VIEW_DOCK_RIGHT], VIEW_RETARGET_WIDTH);
    }
    // A camera that took over from a camera path shows the same view, in the whole image.
    if (viewer->cameras.framing.width > 0 && !plays)
        stage.region = viewer->cameras.is_smooth && viewer->cameras.drawn_region.width > 0
                           ? viewer->cameras.drawn_region
                           : view_free_region(&stage);
    return stage;
}

// == The user's camera ===========================================================================
//
// The camera frames the whole document until the user moves it.

void view_frame_document(view_state *viewer, uint32_t width, uint32_t height)
{
    const view_document *const document = viewer->document;
    view_camera *const camera = &viewer->cameras.user;
    const view_stage stage = view_build_stage(viewer, (float)width, (float)height);
    const view_rect region = view_free_region(&stage);
    view_frame_all(camera, document->bounds, &document->hull, region.width, region.height);
    viewer->cameras.framing =
        (view_framing){*camera, view_size(document->bounds), region.width, region.height};
}

void view_update_framing(view_state *viewer, uint32_t width, uint32_t height)
{
    const view_framing *const framed = &viewer->cameras.framing;
    const md5_vec3 was = framed->camera.target;
    const md5_vec3 is = viewer->cameras.user.target;
    const bool has_same_target = is.x == was.x && is.y == was.y && is.z == was.z;
    const bool has_same_distance = viewer->cameras.user.distance == framed->camera.distance;
    const bool is_framed = framed->width > 0 && has_same_distance && has_same_target;
    if (viewer->cameras.follows_path || !is_framed)
        return;
    const view_document *const document = viewer->document;
    const view_stage stage = view_build_stage(viewer, (float)width, (float)height);
    const view_rect region = view_free_region(&stage);
    // The framing still fits the document if the document is not cut off, up to a margin of 8 %,
    // and not too small.
    const bool is_same_region = region.width == framed->width && region.height == framed->height;
    const bool is_large_enough = view_size(document->bounds) >= 0.5f * framed->size;
    const float fitting = view_fitting_distance(&viewer->cameras.user, &document->hull, 0.92f,
                                                region.width, region.height);
    if (!is_same_region || !is_large_enough || fitting > viewer->cameras.user.distance)
        view_frame_document(viewer, width, height);
}

void view_measure(view_state *viewer)
{
    view_measure_document(viewer->document, NULL);
    view_pose(&viewer->document->scene, &viewer->play);
}

void view_change_clip(view_state *viewer, size_t clip)
{
    view_select_clip(&viewer->document->scene, clip);
    viewer->play.time = 0;
    viewer->play.range_first = viewer->play.range_last = 0;
    viewer->play.held_at_end = false;
    view_measure(viewer);
}

void view_snap(view_state *viewer)
{
    viewer->cameras.drawn = viewer->cameras.user;
    viewer->cameras.drawn_region.width = 0;
    for (int i = 0; i < UI_NUM_SCROLLS; i++)
        viewer->ui.scrolls[i].shown = viewer->ui.scrolls[i].wanted;
}

void view_frame_pose(view_state *viewer)
{
    const float distance = viewer->cameras.user.distance;
    if (viewer->options->target_given || viewer->cameras.follows_path)
        return;
    if (view_shows_crowd(viewer->document) || viewer->pages.open >= 0)
        return;
    view_measure_document(viewer->document, &viewer->play);
    view_frame_document(viewer, viewer->width, viewer->height);
    if (viewer->options->distance_given)
        viewer->cameras.user.distance = distance;
    // The camera follows a character that walks.
    const md5_vec3 walked = view_walked(&viewer->document->scene, &viewer->play);
    viewer->cameras.user.target = md5_vec3_sub(viewer->cameras.user.target, walked);
    view_snap(viewer);
}

// == One frame ===================================================================================

static void draw_panels(view_state *viewer, const view_stage *stage)
{
    view_clear_canvas(&viewer->drawing.canvas);
    view_run_ui(&viewer->ui, &viewer->panels, stage, NULL);
    view_draw_canvas(stage);
}

// Returns true if the economy reduces the resolution or replaces multisampling by smoothing. Then
// an image is laid out for the full window and drawn without panels. Lessons are never reduced,
// because they draw their interface together with their contents.
static bool is_reduced(const view_state *viewer)
{
    const view_economy *const economy = &viewer->drawing.economy;
    const bool smooths = economy->one_sample && viewer->options->samples > 1;
    if (viewer->pages.open >= 0 || economy->scale <= 0)
        return false;
    return economy->scale < 1 || smooths;
}

static bool draw_frame(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
                       bool transparent, bool clean, md5_error *error)
{
    view_document *const document = viewer->document;
    const bool is_page = viewer->pages.open >= 0;
    const bool is_small = is_reduced(viewer);
    const bool has_interface = viewer->has_interface && !clean;
    const bool has_panels = has_interface && !is_small;
    uint32_t layout_size[2] = {width, height};
    if (is_small) {
        layout_size[0] = viewer->width;
        layout_size[1] = viewer->height;
    }
    md5_error draw_error = {0};
    // Pose first, because a machine's character walks and the camera follows it. In a crowd the
    // camera determines which characters are visible.
    if (!view_shows_crowd(document)) {
        view_pose(&document->scene, &viewer->play);
        view_pose_compare(&document->compare, &document->scene, &viewer->play);
        if (viewer->options->shown.normals || viewer->options->shown.tangents)
            document->pose_faults = view_find_pose_faults(&document->scene, NULL);
    }
    if (!is_page)
        view_update_framing(viewer, layout_size[0], layout_size[1]);
    view_stage stage = view_build_stage(viewer, (float)layout_size[0], (float)layout_size[1]);
    const float x_scale = (float)width / stage.width;
    const float y_scale = (float)height / stage.height;
    stage.region = (view_rect){stage.region.x * x_scale, stage.region.y * y_scale,
                               stage.region.width * x_scale, stage.region.height * y_scale};
    stage.width = (float)width;
    stage.height = (float)height;
    if (is_page)
        view_prepare_thumbnails(&stage);
    const bool drawn = is_page ? view_draw_page(&stage, fmax(viewer->play.time, 0), target,
                                                transparent, !has_panels, &draw_error)
                               : view_draw_world(&stage, target, transparent, &draw_error);
    if (viewer->drawing.caption != NULL) {
        // Draw the caption below the image, or the reason above it if the image is missing.
        const float top = stage.height - stage.caption;
        const float left = VIEW_CAPTION_BORDER;
        const float available_width = stage.width - 2 * left;
        view_clear_canvas(&viewer->drawing.canvas);

        const char *text = viewer->log.error;
        float y = left;
        while (*text != '\0') {
            char line[VIEW_MAX_LINE];
            text = view_next_line(stage.font, VIEW_TEXT, available_width, text, line);
            view_draw_text(&viewer->drawing.canvas, VIEW_TEXT, left, y, available_width, 0xff9a8aff,
                           line);
            y += stage.caption;
        }
        view_draw_rect(&viewer->drawing.canvas, (view_rect){0, top, stage.width, stage.caption},
                       0x1a1c20ff);
        view_draw_text(&viewer->drawing.canvas, VIEW_TEXT, left, top, available_width, 0xd8dce2ff,
                       viewer->drawing.caption);
        view_draw_canvas(&stage);
    }
    if (has_interface && !is_page)
        view_draw_marks(&stage);
    if (has_panels)
        draw_panels(viewer, &stage);
    const bool ended = md5gl_end_frame(viewer->renderer, error);
    if (!drawn && error != NULL)
        *error = draw_error;
    return drawn && ended;
}

bool view_draw(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
               bool transparent, bool clean, md5_error *error)
{
    // Draw again if letters were drawn for the first time: once if the glyph texture has space for
    // them, and once more if other letters must be removed.
    enum { MAX_REPETITIONS = 2 };
    view_font *const font = &viewer->drawing.font;
    bool drawn = draw_frame(viewer, target, width, height, transparent, clean, error);
    if (font->letters == NULL)
        return drawn;
    for (int i = 0; i < MAX_REPETITIONS && drawn && view_update_font(font, viewer->renderer); i++)
        drawn = draw_frame(viewer, target, width, height, transparent, clean, error);
    return drawn;
}

static uint32_t scaled(uint32_t side, float scale)
{
    return (uint32_t)fmaxf(roundf((float)side * scale), 1);
}

// Draws over the contents of the window.
static bool draw_on_window(view_state *viewer, void (*draw)(view_state *, const view_stage *),
                           md5_error *error)
{
    const uint32_t width = viewer->width;
    const uint32_t height = viewer->height;
    const view_stage stage = view_build_stage(viewer, (float)width, (float)height);
    const md5gl_frame frame = {
        .width = width, .height = height, .keep_contents = true, .no_shadows = true};
    md5gl_begin_frame(viewer->renderer, &frame);
    draw(viewer, &stage);
    return md5gl_end_frame(viewer->renderer, error);
}

bool view_present(view_state *viewer, md5_error *error)
{
    const uint32_t width = viewer->width;
    const uint32_t height = viewer->height;
    const bool is_small = is_reduced(viewer);
    const float scale = is_small ? viewer->drawing.economy.scale : 1;
    const view_presented needed = {
        .width = scaled(width, scale),
        .height = scaled(height, scale),
        .samples = viewer->drawing.economy.one_sample ? 1 : viewer->options->samples,
    };
    view_presented *const present = &viewer->drawing.presented;
    const bool needs_target = is_small || needed.samples > 1;
    const bool is_same_size = present->width == needed.width && present->height == needed.height;
    const bool has_target =
        present->target != NULL && is_same_size && present->samples == needed.samples;
    if (needs_target && !has_target) {
        md5gl_destroy_target(viewer->renderer, present->target);
        *present = needed;
        present->target = md5gl_create_target(viewer->renderer, needed.width, needed.height,
                                              needed.samples, error);
    }
    if (!needs_target || present->target == NULL) {
        viewer->drawing.economy.scale = 0;
        return view_draw(viewer, NULL, width, height, false, false, error);
    }
    if (!view_draw(viewer, present->target, needed.width, needed.height, false, false, error))
        return false;
    const bool is_smoothed = is_small && needed.width == width && needed.height == height;
    const bool is_presented =
        is_smoothed ? md5gl_smooth_target(viewer->renderer, present->target, 0, error)
                    : md5gl_copy_target(viewer->renderer, present->target, 0, width, height, error);
    if (!is_presented)
        return false;
    if (!is_small)
        return true;
    return draw_on_window(viewer, draw_panels, error); // panels keep the resolution of the window
}

static void draw_recording_sign(view_state *viewer, const view_stage *stage)
{
    view_clear_canvas(&viewer->drawing.canvas);
    view_recording_panel(&viewer->ui, stage);
    view_draw_canvas(stage);
}

bool view_present_recording_sign(view_state *viewer, md5_error *error)
{
    return viewer->jobs.movie == NULL || draw_on_window(viewer, draw_recording_sign, error);
}

void view_store_frame_time(view_state *viewer, double seconds)
{
    viewer->drawing.frame_times[viewer->drawing.num_frame_times++ % VIEW_NUM_FRAME_TIMES] =
        (float)seconds;
}

// == Notices and the log =========================================================================
//
// Notices in the image, and the state in the log.

void view_notice(view_state *viewer, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(viewer->ui.notice, sizeof viewer->ui.notice, format, values);
    va_end(values);
    viewer->ui.notice_end = viewer->now + 2.5;
    viewer->ui.notice_action = VIEW_NOTHING;
}

// Logs one line of names and numbers, for debugging and for tests, and a second line if the motion
// of the model writes one.
void view_log_state(view_state *viewer, const char *action)
{
    const view_scene *const scene = &viewer->document->scene;
    const view_play *const play = &viewer->play;
    const view_camera *const camera = &viewer->cameras.user;
    const view_clip *const clip = view_shown_clip(scene);
    const md5_anim *const anim = view_clock(scene);
    const bool has_camera_path = scene->camera_path.camera != NULL;
    const view_camera_path_place place = has_camera_path
                                             ? view_find_path_position(&scene->camera_path, play)
                                             : (view_camera_path_place){0};
    static const char *const roots[] = {"file", "id", "in_place"};
    static const char *const lists[] = {"none", "files", "clips", "channel", "game"};
    static const char *const surfaces[VIEW_NUM_SURFACES] = {"lit", "weights", "uv", "textures"};
    if (viewer->log.level < VIEW_DEBUG)
        return;
    char shown[840], up[3], front[3];
    view_name_axes(&scene->turn, up, front);
    view_write_shown(&viewer->options->shown, &viewer->options->lights, shown, sizeof shown);
    const char *clip_name = "bind-pose";
    size_t clip_number = 0;
    if (clip != NULL) {
        clip_name = clip->name;
        clip_number = scene->clip + 1;
    }
    double cycle_time = 0;
    double frame = 0;
    uint32_t last_frame = 0;
    if (anim != NULL) {
        cycle_time = view_cycle_time(play, anim);
        frame = view_frame_place(play, anim);
        last_frame = anim->num_frames - 1;
    }
    int picked_mesh = -1;
    int picked_triangle = -1;
    if (viewer->pick.is_set) {
        picked_mesh = (int)viewer->pick.mesh;
        picked_triangle = (int)viewer->pick.triangle;
    }
    const char *const skinning = scene->dual ? "dual" : "linear";
    const char *const camera_path = has_camera_path ? scene->camera_path.name : "none";
    view_debug(
        &viewer->log,
        "%s: model=%s clip=%s %zu/%zu time=%.4f frame=%.3f/%u playing=%d speed=%g backward=%d "
        "loop=%s range=%u-%u root=%s axes-of-file=up%s,front%s skinning=%s azimuth=%.1f "
        "elevation=%.1f "
        "distance=%.4g "
        "target=%.4g,%.4g,%.4g "
        "orthographic=%d surface=%s %s warnings=%u "
        "size=%ux%u camera-path=%s following=%d shot=%u camera-frame=%.3f list=%s found=%zu "
        "joint=%d "
        "picked=%d/%d hidden=%u crowd=%u error=%d notice=%d",
        action, scene->name, clip_name, clip_number, scene->num_clips, cycle_time, frame,
        last_frame, play->playing, play->speed, play->backward, view_wrap_name(play->wrap),
        play->range_first, play->range_last, roots[scene->root], up, front, skinning,
        camera->azimuth, camera->elevation, camera->distance, camera->target.x, camera->target.y,
        camera->target.z, camera->orthographic, surfaces[viewer->options->surface], shown,
        viewer->log.num_warnings, viewer->width, viewer->height, camera_path,
        viewer->cameras.follows_path, place.shot, place.frame, lists[viewer->panels.browser.kind],
        viewer->panels.browser.num_found, view_marked_joint(&viewer->ui, scene), picked_mesh,
        picked_triangle, (unsigned)viewer->options->hidden_meshes, viewer->document->crowd.count,
        viewer->log.error[0] != '\0', viewer->now < viewer->ui.notice_end);
    const view_motion_kind *const mover = view_mover_of(scene);
    if (mover->tell != NULL) {
        char text[512];
        mover->tell(scene, text, sizeof text);
        view_debug(&viewer->log, "%s %s", action, text);
    }
}
