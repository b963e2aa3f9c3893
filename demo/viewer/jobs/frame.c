// Draws one frame of the viewer, into a target or into the window.
//
// draw_frame() poses the document and draws it, the panels and the caption. view_present() draws
// the frame of a window with reduced quality.
#include "demo/viewer/jobs/frame.h"
#include "demo/viewer/jobs/stage.h"
#include "demo/viewer/jobs/view.h"

// Returns true if images can contain text: parts of the interface, or captions.
static bool has_text(const view_state *viewer)
{
    const view_options *const options = viewer->options;
    const bool has_sheet = options->sheet_columns > 0 || options->num_folders > 0;
    return viewer->has_interface || has_sheet || options->labels;
}

// Recreates the glyphs for a scale of texts and panels, unless they have this scale.
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

// == One frame ===================================================================================

// Draws the interface over the image.
static void draw_panels(view_state *viewer, const view_stage *stage)
{
    view_clear_canvas(&viewer->drawing.canvas);
    view_run_ui(&viewer->ui, &viewer->panels, stage, NULL);
    view_draw_canvas(stage);
}

// Returns true if the quality level reduces the resolution, or replaces multisampling by smoothing.
// An image is then laid out for the full window and drawn without panels. Lessons are never
// reduced, because they draw their interface together with their contents.
static bool is_reduced(const view_state *viewer)
{
    const view_quality_level *const level = &viewer->drawing.quality_level;
    const bool smooths = level->one_sample && viewer->options->samples > 1;
    if (viewer->pages.open >= 0 || level->scale <= 0)
        return false;
    return level->scale < 1 || smooths;
}

// Poses the document at the current time. A crowd is posed later, because the camera determines
// which of its members are visible.
static void pose_document(view_state *viewer)
{
    view_document *const document = viewer->document;
    if (view_shows_crowd(document))
        return;
    view_pose(&document->scene, &viewer->play);
    view_pose_compare(&document->compare, &document->scene, &viewer->play);
    if (viewer->options->shown.normals || viewer->options->shown.tangents)
        document->pose_faults = view_find_pose_faults(&document->scene, NULL);
}

// Draws the caption in a bar below the image. If the image is missing because of an error, also
// draws the error at the top.
static void draw_caption(view_state *viewer, const view_stage *stage)
{
    const view_color error_color = 0xff9a8aff;
    const view_color bar_color = 0x1a1c20ff;
    const view_color caption_color = 0xd8dce2ff;
    view_canvas *const canvas = &viewer->drawing.canvas;
    const float top = stage->height - stage->caption;
    const float left = VIEW_CAPTION_BORDER;
    const float available_width = stage->width - 2 * left;
    view_clear_canvas(canvas);

    const char *text = viewer->log.error;
    float y = left;
    while (*text != '\0') {
        char line[VIEW_MAX_LINE];
        text = view_next_line(stage->font, VIEW_TEXT, available_width, text, line);
        view_draw_text(canvas, VIEW_TEXT, left, y, available_width, error_color, line);
        y += stage->caption;
    }
    view_draw_rect(canvas, (view_rect){0, top, stage->width, stage->caption}, bar_color);
    view_draw_text(canvas, VIEW_TEXT, left, top, available_width, caption_color,
                   viewer->drawing.caption);
    view_draw_canvas(stage);
}

// Returns the stage of an image that is laid out for layout_width * layout_height pixels, and then
// scaled to width * height pixels.
static view_stage build_scaled_stage(view_state *viewer, uint32_t layout_width,
                                     uint32_t layout_height, uint32_t width, uint32_t height)
{
    view_stage stage = view_build_stage(viewer, (float)layout_width, (float)layout_height);
    const float x_scale = (float)width / stage.width;
    const float y_scale = (float)height / stage.height;
    stage.region = (view_rect){stage.region.x * x_scale, stage.region.y * y_scale,
                               stage.region.width * x_scale, stage.region.height * y_scale};
    stage.width = (float)width;
    stage.height = (float)height;
    return stage;
}

// Draws one frame into a target: the document or lesson, its caption, marks and panels. Takes the
// same parameters as view_draw().
static bool draw_frame(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
                       unsigned omitted, md5_error *error)
{
    const bool is_page = viewer->pages.open >= 0; // a lesson, or the list of lessons
    const bool is_small = is_reduced(viewer);
    const bool has_interface = viewer->has_interface && !(omitted & VIEW_OMIT_INTERFACE);
    const bool has_panels = has_interface && !is_small;
    const uint32_t layout_width = is_small ? viewer->width : width;
    const uint32_t layout_height = is_small ? viewer->height : height;
    // Pose first, because the camera follows a character that walks.
    pose_document(viewer);
    if (!is_page)
        view_update_framing(viewer, layout_width, layout_height);
    const view_stage stage = build_scaled_stage(viewer, layout_width, layout_height, width, height);

    md5_error draw_error = {0};
    bool is_drawn;
    if (is_page) {
        const unsigned omitted_panels = has_panels ? 0 : VIEW_OMIT_INTERFACE;
        view_prepare_thumbnails(&stage);
        is_drawn = view_draw_page(&stage, fmax(viewer->play.time, 0), target,
                                  omitted | omitted_panels, &draw_error);
    } else {
        const bool is_transparent = (omitted & VIEW_OMIT_BACKGROUND) != 0;
        is_drawn = view_draw_world(&stage, target, is_transparent, &draw_error);
    }
    if (viewer->drawing.caption != NULL)
        draw_caption(viewer, &stage);
    if (has_interface && !is_page)
        view_draw_marks(&stage);
    if (has_panels)
        draw_panels(viewer, &stage);

    // A frame that was begun must be ended, also after an error.
    const bool is_ended = md5gl_end_frame(viewer->renderer, error);
    if (!is_drawn && error != NULL)
        *error = draw_error;
    return is_drawn && is_ended;
}

// Draws one frame into a target, or into the window if the target is NULL. Draws the frame again if
// it contained characters whose glyphs were missing. Glyphs are requested during drawing, and are
// added to the texture afterwards.
bool view_draw(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
               unsigned omitted, md5_error *error)
{
    // A frame may contain letters that are not in the glyph texture. view_update_font() adds them,
    // and the frame is drawn again. If other letters had to be removed from the texture for them, a
    // second repetition is necessary.
    enum { MAX_REPETITIONS = 2 };
    view_font *const font = &viewer->drawing.font;
    bool drawn = draw_frame(viewer, target, width, height, omitted, error);
    if (font->letters == NULL)
        return drawn;
    for (int i = 0; i < MAX_REPETITIONS && drawn && view_update_font(font, viewer->renderer); i++)
        drawn = draw_frame(viewer, target, width, height, omitted, error);
    return drawn;
}

// Returns a side of an image in pixels, scaled and rounded to at least one pixel.
static uint32_t scaled(uint32_t side, float scale)
{
    return (uint32_t)fmaxf(roundf((float)side * scale), 1);
}

// Calls draw() to draw over the present contents of the window. Returns false and fills `error` on
// failure.
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

// Creates the target to which the window is drawn, unless it exists with the needed size and number
// of samples. On failure, fills `error` and leaves drawing.presented.target NULL.
static void prepare_target(view_state *viewer, const view_presented *needed, md5_error *error)
{
    view_presented *const present = &viewer->drawing.presented;
    const bool is_same_size = present->width == needed->width && present->height == needed->height;
    if (present->target != NULL && is_same_size && present->samples == needed->samples)
        return;
    md5gl_destroy_target(viewer->renderer, present->target);
    *present = *needed;
    present->target = md5gl_create_target(viewer->renderer, needed->width, needed->height,
                                          needed->samples, error);
}

// Copies the frame in drawing.presented.target to the window. A frame with the size of the window
// and one sample per pixel is smoothed. Returns false and fills `error` on failure.
static bool copy_to_window(view_state *viewer, bool is_small, md5_error *error)
{
    const view_presented *const present = &viewer->drawing.presented;
    const bool is_same_size = present->width == viewer->width && present->height == viewer->height;
    if (is_small && is_same_size)
        return md5gl_smooth_target(viewer->renderer, present->target, 0, error);
    return md5gl_copy_target(viewer->renderer, present->target, 0, viewer->width, viewer->height,
                             error);
}

// Draws one frame of the window in one of two ways: directly to the window, or into a target
// that is then copied to the window. The target is needed for multisampling and for a reduced
// quality. Returns false and fills `error` on failure.
bool view_present(view_state *viewer, md5_error *error)
{
    const bool is_small = is_reduced(viewer);
    const float scale = is_small ? viewer->drawing.quality_level.scale : 1;
    const view_presented needed = {
        .width = scaled(viewer->width, scale),
        .height = scaled(viewer->height, scale),
        .samples = viewer->drawing.quality_level.one_sample ? 1 : viewer->options->samples,
    };
    view_presented *const present = &viewer->drawing.presented;

    // A frame of the size of the window without multisampling needs no target: it is drawn directly
    // to the window. So is a frame for which no target can be created.
    const bool needs_target = is_small || needed.samples > 1;
    if (needs_target)
        prepare_target(viewer, &needed, error);
    if (!needs_target || present->target == NULL) {
        viewer->drawing.quality_level.scale = 0;
        return view_draw(viewer, NULL, viewer->width, viewer->height, VIEW_OMIT_NOTHING, error);
    }
    if (!view_draw(viewer, present->target, needed.width, needed.height, VIEW_OMIT_NOTHING, error))
        return false;
    if (!copy_to_window(viewer, is_small, error))
        return false;
    // Panels keep the resolution of the window.
    return !is_small || draw_on_window(viewer, draw_panels, error);
}

// Draws a sign over the frame, which reminds the user that a movie is being recorded.
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
    view_drawing *const drawing = &viewer->drawing;
    drawing->frame_times[drawing->num_frame_times % VIEW_NUM_FRAME_TIMES] = (float)seconds;
    drawing->num_frame_times++;
}
