// The window: the main loop, the time between frames, and the drawing of a frame.
#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/stage.h"
#include "demo/viewer/jobs/capture.h"
#include "demo/viewer/jobs/export.h"
#include "demo/viewer/jobs/movie.h"

// == The clock ====================================================================================

static const double long_work = 0.1;    // s; handling an event takes less unless it opens a file
static const double longest_frame = 10; // s

double view_pace_frame(view_pace *pace, double time)
{
    const double passed = time - pace->last - pace->held;
    pace->last = time;
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

// Moves a displayed value by a fraction of its distance to the target. If the distance is at most
// half a pixel, the value becomes the target. Returns true while the value is moving.
static bool approach(float *shown, float wanted, float fraction)
{
    const bool is_moving = fabsf(wanted - *shown) > 0.5f;
    *shown = is_moving ? *shown + (wanted - *shown) * fraction : wanted;
    return is_moving;
}

// Moves the region in which the image is displayed towards the region that the docks leave free.
// Returns true while it is moving.
static bool follow_free_region(view_state *viewer, float fraction)
{
    const view_stage stage = view_build_stage(viewer, (float)viewer->width, (float)viewer->height);
    const view_rect free = view_free_region(&stage);
    view_rect *const region = &viewer->cameras.drawn_region;
    if (!(region->width > 0))
        *region = free; // the first frame
    bool is_moving = false;
    is_moving |= approach(&region->x, free.x, fraction);
    is_moving |= approach(&region->y, free.y, fraction);
    is_moving |= approach(&region->width, free.width, fraction);
    is_moving |= approach(&region->height, free.height, fraction);
    return is_moving;
}

// Moves the camera, the scrolled lists and the region of the image towards their targets. `seconds`
// is the time since the last call. With reduced motion, they reach their targets immediately.
// Returns true while any of them is moving.
bool view_follow(view_state *viewer, double seconds)
{
    const float rate = 20; // 1/s: 50 % of the distance takes 35 ms, 99 % takes 0.23 s
    const bool is_immediate = viewer->options->shown.reduced_motion;
    const float fraction = is_immediate ? 1 : md5_smoothing_fraction(rate, (float)seconds);
    view_ui *const ui = &viewer->ui;
    ui_scroll *const lesson_scroll = &viewer->pages.scroll;
    viewer->cameras.is_smooth = ui->is_smooth = true;

    bool is_moving = false;
    for (int i = 0; i < UI_NUM_SCROLLS; i++)
        is_moving |= approach(&ui->scrolls[i].shown, ui->scrolls[i].wanted, fraction);
    is_moving |= approach(&lesson_scroll->shown, lesson_scroll->wanted, fraction);
    const bool has_layout = viewer->drawing.font.scale > 0;
    if (has_layout)
        is_moving |= follow_free_region(viewer, fraction);
    is_moving |= view_follow_camera(&viewer->cameras.drawn, &viewer->cameras.user, fraction);
    return is_moving;
}

// == The window ===================================================================================

// Returns true if image quality may be reduced to keep the frame rate. The user must allow it. A
// recorded movie always has full quality.
static bool can_reduce_quality(const view_state *viewer)
{
    return viewer->options->shown.auto_quality && viewer->jobs.movie == NULL;
}

// Returns the quality of the next frame as an index in view_quality_levels; 0 is full quality. A
// moving image has the quality that the measured frame times allow. A still image has the best
// quality of the device. The first frame has low quality, because the window appears only after it.
static uint32_t choose_quality_level(const view_state *viewer, bool is_first, bool is_moving)
{
    enum { BEST_LEVEL = 0, FIRST_FRAME_LEVEL = 2 };
    const view_quality *const quality = &viewer->drawing.quality;
    if (is_first)
        return FIRST_FRAME_LEVEL;
    if (!can_reduce_quality(viewer))
        return BEST_LEVEL;
    if (is_moving || quality->level < quality->still_level)
        return quality->level;
    return quality->still_level;
}

// Measures the duration of the frame that began at `begin` (seconds). Reduces or restores the
// quality of the following frames.
static void adjust_quality(view_state *viewer, double begin)
{
    const view_quality_offers offers = {.samples = viewer->options->samples > 1,
                                        .shadows = viewer->options->shown.shadows};
    if (!view_update_quality(&viewer->drawing.quality, view_seconds() - begin, offers))
        return;
    char text[64];
    view_describe_quality_level(&view_quality_levels[viewer->drawing.quality.level], text,
                                sizeof text);
    view_debug(&viewer->log, "quality: %s", text[0] != '\0' ? text : "full");
    // While the quality is reduced, swaps do not wait for the screen. The measured time then
    // contains only the work of the frame.
    view_set_swap_waits(viewer->window, viewer->drawing.quality.level == 0);
}

// Reads the size and the scale of the window. Returns false if the scale cannot be set.
static bool update_window_size(view_state *viewer)
{
    const bool was_upright = view_is_upright(viewer);
    int width;
    int height;
    view_window_pixels(viewer->window, &width, &height);
    viewer->width = width > 0 ? (uint32_t)width : 1;
    viewer->height = height > 0 ? (uint32_t)height : 1;
    const bool is_rotated = view_is_upright(viewer) != was_upright; // such as a phone
    if (is_rotated && viewer->document != NULL && !viewer->opening.has_deferred_work)
        view_measure(viewer);
    const float requested_scale = viewer->options->ui_scale;
    const float scale = requested_scale > 0 ? requested_scale : view_screen_scale(viewer->window);
    return view_set_scale(viewer, view_clamp(scale, VIEW_MIN_SCALE, VIEW_MAX_SCALE));
}

// Draws the image with the quality for a still or a moving image. Restores the full quality for
// later images, for example screenshots. Returns false and logs the error on failure.
static bool draw_image(view_state *viewer, bool is_first, bool is_moving)
{
    md5_error error = {0};
    viewer->drawing.is_moving = is_moving;
    viewer->drawing.quality_level =
        view_quality_levels[choose_quality_level(viewer, is_first, is_moving)];
    const bool is_drawn = view_present(viewer, &error);
    viewer->drawing.quality_level = (view_quality_level){0};
    if (!is_drawn)
        return view_log_error(&viewer->log, &error);

    view_record_frame(viewer);
    if (!view_present_recording_sign(viewer, &error))
        return view_log_error(&viewer->log, &error);
    return true;
}

// Draws a frame, shows it in the window, and measures its duration. `is_moving` is true if the
// image changes without input. Returns false and logs the error on failure.
static bool draw_window(view_state *viewer, bool is_moving)
{
    const double begin = view_seconds();
    const bool is_first = view_is_window_hidden(viewer->window);
    const bool can_reduce = can_reduce_quality(viewer);
    if (!update_window_size(viewer))
        return false;
    if (!draw_image(viewer, is_first, is_moving))
        return false;

    const bool has_machine = view_scene_machine(&viewer->document->scene) != NULL;
    if (has_machine && !viewer->options->mute)
        view_play_demo_sounds(&viewer->document->scene.machine, viewer->window);
    view_swap_window(viewer->window);
    if (is_first) { // swap again, because images of a hidden window are lost
        view_show_window(viewer->window);
        view_swap_window(viewer->window);
    }

    view_store_frame_time(viewer, view_seconds() - begin);
    view_write_crash_note(viewer, NULL);
    if (is_moving && !is_first && can_reduce)
        adjust_quality(viewer, begin);
    return true;
}

// State of the main loop between frames.
typedef struct view_loop {
    view_state *viewer;
    view_pace pace;
    double start;    // time of the first frame, seconds
    char title[256]; // title of the window
    bool redraw;     // the image has changed and must be drawn
    bool had_notice; // the last frame displayed a notice
    bool was_moving; // the last frame was a part of a movement
    bool has_failed; // a frame could not be drawn
} view_loop;

// Initializes the main loop. The clock of the program starts now. The graphics device determines
// the initial quality of the image.
static void begin_loop(view_loop *loop, view_state *viewer)
{
    const double start = view_seconds();
    *loop = (view_loop){.viewer = viewer, .pace = {.last = start}, .start = start, .redraw = true};
    const char *const device = md5gl_device_name(viewer->renderer);
    viewer->drawing.quality = view_begin_quality(device);
    view_debug(&viewer->log, "quality: step %u on %s", viewer->drawing.quality.level, device);
    view_set_swap_waits(viewer->window, viewer->drawing.quality.level == 0);
    view_log_state(viewer, "start");
    view_snap(viewer);
}

// Shows the name of the document in the title of the window. Changes the title only if it differs,
// because this is a request to the window system.
static void update_title(view_loop *loop)
{
    view_state *const viewer = loop->viewer;
    char title[sizeof loop->title];
    COMMON_TEXT(title, "%s%s - md5view", viewer->jobs.movie != NULL ? "recording: " : "",
                viewer->document->scene.name);
    if (strcmp(title, loop->title) != 0)
        view_set_title(viewer->window, title);
    memcpy(loop->title, title, sizeof title);
}

// Draws a frame and waits for the end of its time. `begin` is the time at which the frame has
// begun, in seconds. --frame-rate determines the frame rate. The default is slightly more than the
// rate of the screen. Then only the swaps limit the rate, because they may wait for the screen.
static bool draw_frame(view_loop *loop, bool is_moving, double begin)
{
    view_state *const viewer = loop->viewer;
    update_title(loop);
    if (!draw_window(viewer, is_moving))
        return false;

    const double default_rate = 1.05 * view_screen_rate(viewer->window);
    const double rate = view_get_frame_rate(viewer->options, default_rate);
    const double remaining = 1.0 / rate - (view_seconds() - begin);
    if (remaining > 0)
        view_sleep(fmin(remaining, 1));
    return true;
}

// Returns true if the image changes without input, because a clip or a state machine is playing.
static bool is_animated(const view_state *viewer)
{
    const view_scene *const scene = &viewer->document->scene;
    const md5_anim *const anim = view_timing_anim(scene);
    if (!viewer->play.playing || !(viewer->play.speed > 0))
        return false;
    return view_get_motion(scene)->moves_alone || (anim != NULL && anim->num_frames > 1);
}

// Ends the demo scene, which plays by itself after the first start of the program. It ends when its
// time is over, nothing covers the image, and nothing is held, such as the stick by a finger that
// does not move and therefore sends no events. Then a card offers the next choices to the user.
// Returns true if the demo has ended in this call.
static bool end_demo(view_state *viewer)
{
    double *const demo_end = &viewer->panels.decision.demo_end; // 0 or less: no demo is playing
    const bool is_over = *demo_end > 0 && viewer->uptime >= *demo_end;
    const bool is_covered = viewer->ui.over != VIEW_OVERLAY_NONE || viewer->pages.open >= 0;
    const bool is_held = viewer->input.drag != VIEW_DRAG_NONE;
    if (!is_over || is_covered || is_held)
        return false;
    *demo_end = -1;
    view_log_state(viewer, "end");
    return true;
}

// Returns the maximum time to wait for an event, in seconds. It is 0 while the image moves or a job
// works between frames. It is short while a notice, a tooltip or a watched file may require a frame
// without an event.
static double event_timeout(const view_state *viewer, bool is_moving, bool awaits_tooltip)
{
    const double short_wait = 0.1;
    const double long_wait = 1;
    const view_ui *const ui = &viewer->ui;
    if (is_moving || viewer->jobs.export != NULL || viewer->jobs.conversion != NULL)
        return 0;
    const bool has_notice = viewer->uptime < fmax(ui->notice.end, ui->selection.highlight_end);
    const bool has_hover = awaits_tooltip || ui->hover_preview.option != NULL;
    const bool reads_files = viewer->options->watch || viewer->jobs.scan != NULL;
    return has_notice || has_hover || reads_files ? short_wait : long_wait;
}

// Returns true if a movement has just ended and one more frame is needed. The last frame of the
// movement may have reduced quality. It may also display a frame time, which is out of date in a
// still image.
static bool needs_still_frame(const view_loop *loop, bool is_moving)
{
    const view_state *const viewer = loop->viewer;
    if (!loop->was_moving || is_moving)
        return false;
    return viewer->drawing.quality.level > viewer->drawing.quality.still_level
           || viewer->options->shown.frame_time;
}

// Advances playback, smooth movements and background jobs by the time since the last frame. `begin`
// is the time at which the new frame begins, in seconds. Sets loop->redraw if a job has changed the
// image. Returns true if the image moves without input.
static bool advance_loop(view_loop *loop, double begin)
{
    view_state *const viewer = loop->viewer;
    const bool is_recording = viewer->jobs.movie != NULL;
    double seconds = view_pace_frame(&loop->pace, begin);
    if (is_recording) // the time between two frames of a movie is constant
        seconds = 1.0 / viewer->jobs.movie->frame_rate;
    if (!view_is_window_hidden(viewer->window))
        loop->redraw |= view_finish_opening(viewer);

    // Check for motion before playback advances. Otherwise the last frame of a clip would not be
    // drawn.
    const bool is_following = view_follow(viewer, seconds);
    const md5_anim *const anim = view_timing_anim(&viewer->document->scene);
    const bool is_played = is_animated(viewer) || is_recording;
    const bool is_moving = is_played || is_following || view_lacks_thumbnails(&viewer->pages);
    view_advance(&viewer->play, anim, seconds);

    loop->redraw |= view_update_files(viewer);
    loop->redraw |= view_update_export(viewer);
    view_adjust_frame_pace(&loop->pace, view_seconds() - begin, is_moving);
    loop->redraw |= end_demo(viewer);
    return is_moving;
}

// Waits for an event for at most `timeout` seconds. Handles this event and all events that follow.
// Stops after one second, because events may arrive faster than they can be handled.
static void handle_events(view_loop *loop, double timeout)
{
    const double max_duration = 1;
    view_state *const viewer = loop->viewer;
    const double begin = view_seconds();
    double wait = timeout; // only for the first event
    while (!viewer->input.quits && view_seconds() - begin < max_duration) {
        view_input event;
        if (!view_next_input(viewer->window, wait, &event))
            break;
        view_handle_event(viewer, &event, &loop->redraw);
        wait = 0;
    }
}

// Runs one step of the main loop: advances the time, draws a frame if the image has changed, and
// handles events. `user` is the view_loop. Returns false when the program must end.
static bool step_loop(void *user)
{
    view_loop *const loop = user;
    view_state *const viewer = loop->viewer;
    const view_ui *const ui = &viewer->ui;
    const double begin = view_seconds();
    viewer->uptime = begin - loop->start;
    const bool is_moving = advance_loop(loop, begin);

    // One more frame removes a notice whose time is over. A tooltip needs a frame without an event,
    // because it appears after a delay.
    const bool has_notice = viewer->uptime < fmax(ui->notice.end, ui->selection.highlight_end);
    if (loop->had_notice && !has_notice)
        view_log_state(viewer, "quiet");
    const bool awaits_tooltip = ui->tooltip.text[0] != '\0' && !ui->tooltip.is_shown;
    const bool is_tooltip_due =
        awaits_tooltip && viewer->uptime - ui->tooltip.hover_begin >= VIEW_TOOLTIP_DELAY;

    const bool has_changed = loop->redraw || is_moving || needs_still_frame(loop, is_moving);
    const bool has_text = has_notice || loop->had_notice || is_tooltip_due;
    if (has_changed || has_text || viewer->options->watch)
        loop->has_failed = !draw_frame(loop, is_moving, begin);
    if (loop->has_failed)
        return false;
    loop->had_notice = has_notice;
    loop->redraw = false;
    loop->was_moving = is_moving;

    const double drawn = view_seconds();
    handle_events(loop, event_timeout(viewer, is_moving, awaits_tooltip));
    view_adjust_frame_pace(&loop->pace, view_seconds() - drawn, is_moving);
    if (viewer->input.quits)
        view_stop_export(viewer);
    return !viewer->input.quits;
}

// Returns the command line that shows the current view. The caller frees it. `user` is the
// view_loop.
static char *describe_view(void *user)
{
    return view_command_line(((view_loop *)user)->viewer);
}

// Finishes the recorded movie and saves the configuration because the operating system ends the
// program. `user` is the view_loop. The window must not be used any more, so the pointer to it is
// removed.
static void save_state(void *user)
{
    view_state *const viewer = ((view_loop *)user)->viewer;
    viewer->window = NULL;
    if (viewer->jobs.movie != NULL)
        view_toggle_recording(viewer);
    view_save_config(viewer);
}

// Runs the main loop until the user closes the window, and saves the configuration. Returns
// false after a failure; the configuration is then not saved.
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
