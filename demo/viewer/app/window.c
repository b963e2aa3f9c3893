// The window: its loop and its pace.
#include "demo/viewer/app/window.h"

// == The clock ====================================================================================

// Handling an event takes less, unless it opens a file.
static const double long_work = 0.1;
static const double longest_frame = 10;

double view_pace_frame(view_pace *pace, double now)
{
    const double passed = now - pace->last - pace->held;
    pace->last = now;
    pace->held = 0;
    return fmin(fmax(passed, 0), longest_frame);
}

void view_pace_work(view_pace *pace, double seconds, bool moving)
{
    if (!moving || seconds > long_work)
        pace->held += seconds;
}

// == Smooth motion ================================================================================
//
// In a window the picture follows the user's camera and lists smoothly. Without one no time passes
// between two pictures, so that they are where they were set.

// Comes nearer to what is wanted. Returns whether it is still on its way.
static bool approach(float *shown, float wanted, float share)
{
    const bool is_moving = fabsf(wanted - *shown) > 0.5f;
    *shown = is_moving ? *shown + (wanted - *shown) * share : wanted;
    return is_moving;
}

bool view_follow(view_state *viewer, double seconds)
{
    const float rate = 20; // of what remains, 1/s: half takes 35 ms, 99 % of it 0.23 s
    const float share =
        viewer->options->shown.reduced_motion ? 1 : md5_smoothing_fraction(rate, (float)seconds);
    view_ui *const ui = &viewer->ui;
    bool is_moving = false;
    viewer->is_smooth = ui->is_smooth = true;
    for (int i = 0; i < UI_NUM_SCROLLS; i++)
        is_moving |= approach(&ui->scrolls[i].shown, ui->scrolls[i].wanted, share);
    is_moving =
        approach(&viewer->pages.scroll.shown, viewer->pages.scroll.wanted, share) || is_moving;
    if (viewer->font.scale > 0) { // it was laid out
        const view_stage stage = view_stage_of(viewer, (float)viewer->width, (float)viewer->height);
        const view_rect free = view_free_region(&stage);
        view_rect *const seen = &viewer->seen_region;
        if (!(seen->width > 0))
            *seen = free;
        is_moving |= approach(&seen->x, free.x, share);
        is_moving |= approach(&seen->y, free.y, share);
        is_moving |= approach(&seen->width, free.width, share);
        is_moving |= approach(&seen->height, free.height, share);
    }
    return view_follow_camera(&viewer->seen, &viewer->camera, share) || is_moving;
}

// == The window ===================================================================================

// `moving`: the picture changes by itself, and its frames may leave something out. A still picture
// is drawn in the best quality for the device. The first one is drawn quickly, and only then the
// window is shown.
static bool draw_window(view_state *viewer, bool moving)
{
    md5_error error = {0};
    const double begin = view_seconds();
    const bool is_first = view_is_window_hidden(viewer->window);
    const bool may_give = viewer->options->shown.auto_quality && viewer->movie == NULL;
    const bool gives_way = moving && !is_first && may_give;
    const view_quality *const quality = &viewer->quality;
    const uint32_t still = quality->step < quality->still ? quality->step : quality->still;
    int width, height;
    view_window_pixels(viewer->window, &width, &height);
    viewer->width = width > 0 ? (uint32_t)width : 1;
    viewer->height = height > 0 ? (uint32_t)height : 1;
    const float base = viewer->options->ui_scale > 0 ? viewer->options->ui_scale
                                                     : view_screen_scale(viewer->window);
    if (!view_set_scale(viewer, view_clamp(base, VIEW_MIN_SCALE, VIEW_MAX_SCALE)))
        return false;
    viewer->is_moving = moving;
    viewer->economy = view_economies[is_first    ? 2
                                     : gives_way ? quality->step
                                     : may_give  ? still
                                                 : 0];
    const bool drawn = view_present(viewer, &error);
    viewer->economy = (view_economy){0};
    if (!drawn)
        return view_log_error(&viewer->log, &error);
    view_record_frame(viewer);
    if (!view_present_sign(viewer, &error))
        return view_log_error(&viewer->log, &error);
    if (!viewer->options->mute && view_machine_of(&viewer->document->scene) != NULL)
        view_hear_minute(&viewer->document->scene.machine, viewer->window);
    view_swap_window(viewer->window);
    if (is_first) { // the picture is finished now, and what a hidden window got is lost
        view_show_window(viewer->window);
        view_swap_window(viewer->window);
    }
    view_note_frame(viewer, view_seconds() - begin);
    view_note_risk(viewer, NULL);
    // Decides what the next frames leave out. Swaps then wait no longer for the screen, so that
    // only work is timed.
    const view_quality_offers offers = {.samples = viewer->options->samples > 1,
                                        .shadows = viewer->options->shown.shadows};
    if (gives_way && view_judge_quality(&viewer->quality, view_seconds() - begin, offers)) {
        char text[64];
        view_describe_economy(&view_economies[viewer->quality.step], text, sizeof text);
        view_debug(&viewer->log, "quality: %s", text[0] != '\0' ? text : "full");
        view_set_swap_waits(viewer->window, viewer->quality.step == 0);
    }
    return true;
}

// What the loop keeps from frame to frame.
typedef struct view_loop {
    view_state *viewer;
    view_pace pace;
    double start;
    char title[256];
    bool redraw;
    bool noticed;
    bool moved;
    bool has_failed;
} view_loop;

static void begin_loop(view_loop *loop, view_state *viewer)
{
    const double start = view_seconds();
    *loop = (view_loop){.viewer = viewer, .pace = {.last = start}, .start = start, .redraw = true};
    const char *const device = md5gl_device_name(viewer->renderer);
    viewer->quality = view_begin_quality(device);
    view_debug(&viewer->log, "quality: step %u on %s", viewer->quality.step, device);
    view_set_swap_waits(viewer->window, viewer->quality.step == 0);
    view_tell_state(viewer, "start");
    view_snap(viewer);
}

// Draws, and sleeps for the rest of the frame's time. The rate is the given one, or slightly more
// than the screen's: if swapping waits for the screen, that is the limit.
static bool draw_frame(view_loop *loop, bool moving, double begin)
{
    view_state *const viewer = loop->viewer;
    char name[sizeof loop->title];
    COMMON_TEXT(name, "%s%s - md5view", viewer->movie != NULL ? "recording: " : "",
                viewer->document->scene.name);
    if (strcmp(name, loop->title) != 0)
        view_set_title(viewer->window, name);
    memcpy(loop->title, name, sizeof name);
    if (!draw_window(viewer, moving))
        return false;
    const double rate = view_rate_of(viewer->options, 1.05 * view_screen_rate(viewer->window));
    const double rest = 1.0 / rate - (view_seconds() - begin);
    if (rest > 0)
        view_sleep(fmin(rest, 1));
    return true;
}

// One frame, if anything has changed, and the events after it. Returns false at the end.
static bool step_loop(void *user)
{
    view_loop *const loop = user;
    view_state *const viewer = loop->viewer;
    view_ui *const ui = &viewer->ui;
    const double begin = view_seconds();
    viewer->now = begin - loop->start;
    const bool recording = viewer->movie != NULL;
    const double real = view_pace_frame(&loop->pace, begin);
    const double passed = recording ? 1.0 / viewer->movie->frame_rate : real;
    if (!view_is_window_hidden(viewer->window))
        loop->redraw |= view_open_rest(viewer);
    const bool following = view_follow(viewer, passed);
    const view_scene *const scene = &viewer->document->scene;
    const md5_anim *const anim = view_clock(scene);
    const bool changes_alone =
        viewer->play.playing && viewer->play.speed > 0
        && (view_motion_of(scene)->moves_alone || (anim != NULL && anim->num_frames > 1));
    const bool moving =
        changes_alone || following || recording || view_lacks_thumbnails(&viewer->pages);
    view_advance(&viewer->play, anim, passed);
    loop->redraw |= view_follow_files(viewer);
    loop->redraw |= view_follow_export(viewer);
    view_pace_work(&loop->pace, view_seconds() - begin, moving);
    if (ui->end_at > 0 && viewer->now >= ui->end_at && ui->over == VIEW_OVER_NOTHING
        && viewer->pages.open < 0) {
        ui->end_at = -1;
        loop->redraw = true;
        view_tell_state(viewer, "end");
    }
    // One more frame removes a notice that has ended.
    const bool noticing = viewer->now < fmax(ui->notice_end, ui->lit_end);
    if (loop->noticed && !noticing)
        view_tell_state(viewer, "quiet");
    // And one more shows a picture that stopped in full quality, and without a frame time.
    const bool stopped =
        loop->moved && !moving
        && (viewer->quality.step > viewer->quality.still || viewer->options->shown.frame_time);
    const bool awaits_tip = ui->tip[0] != '\0' && !ui->is_tip_shown;
    const bool has_tip = awaits_tip && viewer->now - ui->tip_since >= VIEW_TIP_DELAY;
    if (loop->redraw || moving || stopped || noticing || loop->noticed || has_tip
        || viewer->options->watch)
        loop->has_failed = !draw_frame(loop, moving, begin);
    if (loop->has_failed)
        return false;
    loop->noticed = noticing;
    loop->redraw = false;
    loop->moved = moving;
    const double drawn = view_seconds();
    // Waits for events: not at all while the picture moves, otherwise until the next event, the
    // end of a notice or the next check of the files.
    const bool hurried = viewer->now < fmax(ui->notice_end, ui->lit_end) || awaits_tip
                         || ui->trial.option != NULL || viewer->options->watch
                         || viewer->scan != NULL;
    const bool hastens = moving || viewer->exporting != NULL || viewer->converting != NULL;
    double patience = hastens ? 0 : hurried ? 0.1 : 1;
    // Not for long: they may come faster than they are handled.
    for (view_input event; !viewer->quit && view_seconds() - drawn < 1
                           && view_next_input(viewer->window, patience, &event);) {
        view_handle_event(viewer, &event, &loop->redraw);
        patience = 0;
    }
    view_pace_work(&loop->pace, view_seconds() - drawn, moving);
    if (viewer->quit)
        view_stop_export(viewer);
    return !viewer->quit;
}

static char *describe(void *user)
{
    return view_command_line(((view_loop *)user)->viewer);
}

// A movie up to its last picture, and the configuration.
static void keep(void *user)
{
    view_state *const viewer = ((view_loop *)user)->viewer;
    viewer->window = NULL; // nothing is asked of it
    if (viewer->movie != NULL)
        view_toggle_recording(viewer);
    view_remember(viewer);
}

bool view_run_window(view_state *viewer)
{
    view_loop loop;
    begin_loop(&loop, viewer);
    const view_steps steps = {step_loop, describe, keep, &loop};
    view_run_steps(viewer->window, &steps, viewer->log.level >= VIEW_DEBUG);
    if (loop.has_failed)
        return false;
    view_remember(viewer);
    return true;
}
