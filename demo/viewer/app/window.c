// The window: the main loop, the frame pace, and drawing a frame.
#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/stage.h"
#include "demo/viewer/jobs/capture.h"
#include "demo/viewer/jobs/export.h"
#include "demo/viewer/jobs/movie.h"

// == The clock ====================================================================================

static const double long_work = 0.1;    // s; handling an event takes less unless it opens a file
static const double longest_frame = 10; // s

double view_pace_frame(view_pace *pace, double now)
{
    const double passed = now - pace->last - pace->held;
    pace->last = now;
    pace->held = 0;
    return fmin(fmax(passed, 0), longest_frame);
}

void view_adjust_frame_pace(view_pace *pace, double seconds, bool moving)
{
    if (!moving || seconds > long_work)
        pace->held += seconds;
}

// == Smooth motion ================================================================================
//
// In a window, the camera and the lists approach their positions smoothly. Without a window, no
// time passes between two images, so that they are at their positions.

// Moves a value towards its target by a fraction of the distance. Returns true if it has not
// arrived.
static bool approach(float *shown, float wanted, float fraction)
{
    const bool is_moving = fabsf(wanted - *shown) > 0.5f;
    *shown = is_moving ? *shown + (wanted - *shown) * fraction : wanted;
    return is_moving;
}

// Moves the camera and the lists of a window towards their targets.
bool view_follow(view_state *viewer, double seconds)
{
    const float rate = 20; // 1/s: 50 % of the distance takes 35 ms, 99 % takes 0.23 s
    const float fraction =
        viewer->options->shown.reduced_motion ? 1 : md5_smoothing_fraction(rate, (float)seconds);
    view_ui *const ui = &viewer->ui;
    bool is_moving = false;
    viewer->cameras.is_smooth = ui->is_smooth = true;
    for (int i = 0; i < UI_NUM_SCROLLS; i++)
        is_moving |= approach(&ui->scrolls[i].shown, ui->scrolls[i].wanted, fraction);
    is_moving =
        approach(&viewer->pages.scroll.shown, viewer->pages.scroll.wanted, fraction) || is_moving;
    if (viewer->drawing.font.scale > 0) { // the layout is known
        const view_stage stage =
            view_build_stage(viewer, (float)viewer->width, (float)viewer->height);
        const view_rect free = view_free_region(&stage);
        view_rect *const region = &viewer->cameras.drawn_region;
        if (!(region->width > 0))
            *region = free;
        is_moving |= approach(&region->x, free.x, fraction);
        is_moving |= approach(&region->y, free.y, fraction);
        is_moving |= approach(&region->width, free.width, fraction);
        is_moving |= approach(&region->height, free.height, fraction);
    }
    return view_follow_camera(&viewer->cameras.drawn, &viewer->cameras.user, fraction) || is_moving;
}

// == The window ===================================================================================

// Returns the index in view_economies of the quality of the next frame. A still image has the best
// quality for the device. The first frame has low quality, because the window is shown after it.
static uint32_t quality_step(const view_state *viewer, bool is_first, bool is_moving)
{
    const view_quality *const quality = &viewer->drawing.quality;
    const bool can_reduce = viewer->options->shown.auto_quality && viewer->jobs.movie == NULL;
    enum { BEST_STEP = 0, FIRST_FRAME_STEP = 2 };
    if (is_first)
        return FIRST_FRAME_STEP;
    if (!can_reduce)
        return BEST_STEP;
    if (is_moving || quality->step < quality->still)
        return quality->step;
    return quality->still;
}

// Measures the time of a frame and reduces or restores the quality of the next frames.
static void adjust_quality(view_state *viewer, double begin)
{
    const view_quality_offers offers = {.samples = viewer->options->samples > 1,
                                        .shadows = viewer->options->shown.shadows};
    if (!view_judge_quality(&viewer->drawing.quality, view_seconds() - begin, offers))
        return;
    char text[64];
    view_describe_economy(&view_economies[viewer->drawing.quality.step], text, sizeof text);
    view_debug(&viewer->log, "quality: %s", text[0] != '\0' ? text : "full");
    // Swaps do not wait for the screen any more, so that only work is measured.
    view_set_swap_waits(viewer->window, viewer->drawing.quality.step == 0);
}

// Reads the size and the scale of the window. Returns false if the scale cannot be set.
static bool update_window_size(view_state *viewer)
{
    int width;
    int height;
    view_window_pixels(viewer->window, &width, &height);
    viewer->width = width > 0 ? (uint32_t)width : 1;
    viewer->height = height > 0 ? (uint32_t)height : 1;
    const float requested_scale = viewer->options->ui_scale;
    const float scale = requested_scale > 0 ? requested_scale : view_screen_scale(viewer->window);
    return view_set_scale(viewer, view_clamp(scale, VIEW_MIN_SCALE, VIEW_MAX_SCALE));
}

// Draws a frame. `moving`: the image changes without input.
static bool draw_window(view_state *viewer, bool moving)
{
    md5_error error = {0};
    const double begin = view_seconds();
    const bool is_first = view_is_window_hidden(viewer->window);
    const bool can_reduce = viewer->options->shown.auto_quality && viewer->jobs.movie == NULL;
    if (!update_window_size(viewer))
        return false;

    // The reduced quality applies only to this image.
    viewer->drawing.is_moving = moving;
    viewer->drawing.economy = view_economies[quality_step(viewer, is_first, moving)];
    const bool drawn = view_present(viewer, &error);
    viewer->drawing.economy = (view_economy){0};
    if (!drawn)
        return view_log_error(&viewer->log, &error);

    view_record_frame(viewer);
    if (!view_present_recording_sign(viewer, &error))
        return view_log_error(&viewer->log, &error);
    if (!viewer->options->mute && view_scene_machine(&viewer->document->scene) != NULL)
        view_play_demo_sounds(&viewer->document->scene.machine, viewer->window);
    view_swap_window(viewer->window);
    if (is_first) { // the image is complete; images of a hidden window are lost
        view_show_window(viewer->window);
        view_swap_window(viewer->window);
    }

    view_store_frame_time(viewer, view_seconds() - begin);
    view_write_crash_note(viewer, NULL);
    if (moving && !is_first && can_reduce)
        adjust_quality(viewer, begin);
    return true;
}

// State of the main loop between frames.
typedef struct view_loop {
    view_state *viewer;
    view_pace pace;
    double start;    // time of the first frame, seconds
    char title[256]; // of the window
    bool redraw;     // the image has changed and must be drawn
    bool had_notice; // the last frame displayed a notice
    bool was_moving; // the last frame was a part of a movement
    bool has_failed; // a frame could not be drawn
} view_loop;

// Prepares the main loop: the time starts at 0, and the quality of drawing depends on the
// graphics device.
static void begin_loop(view_loop *loop, view_state *viewer)
{
    const double start = view_seconds();
    *loop = (view_loop){.viewer = viewer, .pace = {.last = start}, .start = start, .redraw = true};
    const char *const device = md5gl_device_name(viewer->renderer);
    viewer->drawing.quality = view_begin_quality(device);
    view_debug(&viewer->log, "quality: step %u on %s", viewer->drawing.quality.step, device);
    view_set_swap_waits(viewer->window, viewer->drawing.quality.step == 0);
    view_log_state(viewer, "start");
    view_snap(viewer);
}

// Draws a frame and sleeps until the end of the frame's time. The rate is --frame-rate or slightly
// more than the rate of the screen, which is the limit if swaps wait for the screen.
static bool draw_frame(view_loop *loop, bool moving, double begin)
{
    view_state *const viewer = loop->viewer;
    char name[sizeof loop->title];
    COMMON_TEXT(name, "%s%s - md5view", viewer->jobs.movie != NULL ? "recording: " : "",
                viewer->document->scene.name);
    if (strcmp(name, loop->title) != 0)
        view_set_title(viewer->window, name);
    memcpy(loop->title, name, sizeof name);
    if (!draw_window(viewer, moving))
        return false;
    const double rate =
        view_get_frame_rate(viewer->options, 1.05 * view_screen_rate(viewer->window));
    const double rest = 1.0 / rate - (view_seconds() - begin);
    if (rest > 0)
        view_sleep(fmin(rest, 1));
    return true;
}

// Returns true if the image changes without input because a clip or machine is playing.
static bool is_animated(const view_state *viewer)
{
    const view_scene *const scene = &viewer->document->scene;
    const md5_anim *const anim = view_timing_anim(scene);
    if (!viewer->play.playing || !(viewer->play.speed > 0))
        return false;
    return view_get_motion(scene)->moves_alone || (anim != NULL && anim->num_frames > 1);
}

// Opens the card after the first minute if its time is reached and nothing covers the image.
// Returns true if the card was opened.
static bool end_first_minute(view_state *viewer)
{
    view_ui *const ui = &viewer->ui;
    if (!(viewer->panels.decision.demo_end > 0) || viewer->now < viewer->panels.decision.demo_end)
        return false;
    if (ui->over != VIEW_OVERLAY_NONE || viewer->pages.open >= 0)
        return false;
    viewer->panels.decision.demo_end = -1;
    view_log_state(viewer, "end");
    return true;
}

// Returns the time to wait for an event, in seconds: none while the image moves, else until the end
// of a notice or the next check of the files.
static double event_timeout(const view_state *viewer, bool is_moving, bool awaits_tip)
{
    const view_ui *const ui = &viewer->ui;
    if (is_moving || viewer->jobs.export != NULL || viewer->jobs.conversion != NULL)
        return 0;
    const bool has_notice = viewer->now < fmax(ui->notice_end, ui->lit_end);
    const bool has_hover = awaits_tip || ui->hover_preview.option != NULL;
    const bool reads_files = viewer->options->watch || viewer->jobs.scan != NULL;
    return has_notice || has_hover || reads_files ? 0.1 : 1;
}

// Returns true if the last frame showed a movement with reduced quality or a frame time, which one
// more frame must replace after the movement has ended.
static bool needs_still_frame(const view_loop *loop, bool is_moving)
{
    const view_state *const viewer = loop->viewer;
    if (!loop->was_moving || is_moving)
        return false;
    return viewer->drawing.quality.step > viewer->drawing.quality.still
           || viewer->options->shown.frame_time;
}

// Advances playback and smooth movements by the time since the last frame, and continues the jobs
// in the background. Sets loop->redraw if a job has changed the image. Returns true if the image
// moves without input. `begin` is the time at which the frame begins, seconds.
static bool advance_loop(view_loop *loop, double begin)
{
    view_state *const viewer = loop->viewer;
    const bool is_recording = viewer->jobs.movie != NULL;
    double seconds = view_pace_frame(&loop->pace, begin);
    if (is_recording) // each frame of a movie lasts equally long
        seconds = 1.0 / viewer->jobs.movie->frame_rate;
    if (!view_is_window_hidden(viewer->window))
        loop->redraw |= view_finish_opening(viewer);

    const bool is_following = view_follow(viewer, seconds);
    const md5_anim *const anim = view_timing_anim(&viewer->document->scene);
    const bool is_played = is_animated(viewer) || is_recording;
    const bool is_moving = is_played || is_following || view_lacks_thumbnails(&viewer->pages);
    view_advance(&viewer->play, anim, seconds);
    loop->redraw |= view_follow_files(viewer);
    loop->redraw |= view_follow_export(viewer);
    view_adjust_frame_pace(&loop->pace, view_seconds() - begin, is_moving);
    loop->redraw |= end_first_minute(viewer);
    return is_moving;
}

// Waits for an event, at most `timeout` seconds, and handles it and all events that have arrived
// since. Ends after one second, because events may arrive faster than they are handled.
static void handle_events(view_loop *loop, double timeout)
{
    view_state *const viewer = loop->viewer;
    const double begin = view_seconds();
    while (!viewer->input.quits && view_seconds() - begin < 1) {
        view_input event;
        if (!view_next_input(viewer->window, timeout, &event))
            break;
        view_handle_event(viewer, &event, &loop->redraw);
        timeout = 0;
    }
}

// One step of the main loop: draws a frame if anything has changed, and handles the events after
// it. Returns false at the end of the program.
static bool step_loop(void *user)
{
    view_loop *const loop = user;
    view_state *const viewer = loop->viewer;
    const view_ui *const ui = &viewer->ui;
    const double begin = view_seconds();
    viewer->now = begin - loop->start;
    const bool is_moving = advance_loop(loop, begin);

    // Notices and tooltips. One more frame removes a notice after its end.
    const bool has_notice = viewer->now < fmax(ui->notice_end, ui->lit_end);
    if (loop->had_notice && !has_notice)
        view_log_state(viewer, "quiet");
    const bool awaits_tip = ui->tip[0] != '\0' && !ui->is_tip_shown;
    const bool is_tip_due = awaits_tip && viewer->now - ui->tip_since >= VIEW_TIP_DELAY;

    const bool has_changed = loop->redraw || is_moving || needs_still_frame(loop, is_moving);
    const bool has_text = has_notice || loop->had_notice || is_tip_due;
    if (has_changed || has_text || viewer->options->watch)
        loop->has_failed = !draw_frame(loop, is_moving, begin);
    if (loop->has_failed)
        return false;
    loop->had_notice = has_notice;
    loop->redraw = false;
    loop->was_moving = is_moving;

    const double drawn = view_seconds();
    handle_events(loop, event_timeout(viewer, is_moving, awaits_tip));
    view_adjust_frame_pace(&loop->pace, view_seconds() - drawn, is_moving);
    if (viewer->input.quits)
        view_stop_export(viewer);
    return !viewer->input.quits;
}

static char *describe_view(void *user)
{
    return view_command_line(((view_loop *)user)->viewer);
}

// Finishes a movie and saves the configuration when the system ends the program.
static void save_state(void *user)
{
    view_state *const viewer = ((view_loop *)user)->viewer;
    viewer->window = NULL; // the window must not be used any more
    if (viewer->jobs.movie != NULL)
        view_toggle_recording(viewer);
    view_save_config(viewer);
}

bool view_run_window(view_state *viewer)
{
    view_loop loop;
    begin_loop(&loop, viewer);
    const view_steps steps = {step_loop, describe_view, save_state, &loop};
    view_run_steps(viewer->window, &steps, viewer->log.level >= VIEW_DEBUG);
    if (loop.has_failed)
        return false;
    view_save_config(viewer);
    return true;
}
