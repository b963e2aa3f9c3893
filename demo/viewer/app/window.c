// The window: its loop and its pace.
#include "demo/viewer/app/window.h"

#include "md5/md5curve.h"

#include <SDL.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// == The clock ====================================================================================

// Handling an event takes less, unless it opens a file.
static const double long_work = 0.1;
static const double longest_frame = 10.0;

double view_pace_frame(view_pace *pace, double now)
{
    const double passed = now - pace->last - pace->held;
    pace->last = now;
    pace->held = 0.0;
    return fmin(fmax(passed, 0.0), longest_frame);
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
    const float rate = 20.0f; // of what remains, 1/s: half takes 35 ms, 99 % of it 0.23 s
    const float share =
        viewer->shown.reduced_motion ? 1.0f : md5_follow_share(rate, (float)seconds);
    view_ui *const ui = &viewer->ui;
    bool is_moving = false;
    viewer->is_smooth = ui->is_smooth = true;
    for (int i = 0; i < UI_NUM_SCROLLS; i++)
        is_moving = approach(&ui->scrolls[i].shown, ui->scrolls[i].wanted, share) || is_moving;
    is_moving =
        approach(&viewer->pages.scroll.shown, viewer->pages.scroll.wanted, share) || is_moving;
    if (viewer->font.scale > 0.0f) { // it was laid out
        const view_stage stage = view_stage_of(viewer, (float)viewer->width, (float)viewer->height);
        const view_rect free = view_free_region(&stage);
        view_rect *const seen = &viewer->seen_region;
        if (!(seen->width > 0.0f))
            *seen = free;
        is_moving = approach(&seen->x, free.x, share) || is_moving;
        is_moving = approach(&seen->y, free.y, share) || is_moving;
        is_moving = approach(&seen->width, free.width, share) || is_moving;
        is_moving = approach(&seen->height, free.height, share) || is_moving;
    }
    return view_follow_camera(&viewer->seen, &viewer->camera, share) || is_moving;
}

// == The window ===================================================================================

// -- Size -----------------------------------------------------------------------------------

float view_scale_of_resources(const char *resources)
{
    static const char name[] = "Xft.dpi:";
    const char *line = resources;
    while (line != NULL && strncmp(line, name, strlen(name)) != 0) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    const float dots = line != NULL ? strtof(line + strlen(name), NULL) : 0.0f;
    return dots >= 1.0f && dots <= 4800.0f ? dots / 96.0f : 0.0f;
}

// The setting of the desktop, 0 if there is none. SDL loads libX11 itself, so that it is there if
// its driver is.
static float desktop_scale(void)
{
    const char *const driver = SDL_GetCurrentVideoDriver();
    if (driver == NULL || strcmp(driver, "x11") != 0)
        return 0.0f;
    void *const library = SDL_LoadObject("libX11.so.6");
    if (library == NULL)
        return 0.0f;
    void *(*const open)(const char *) =
        (void *(*)(const char *))SDL_LoadFunction(library, "XOpenDisplay");
    char *(*const read)(void *) =
        (char *(*)(void *))SDL_LoadFunction(library, "XResourceManagerString");
    int (*const close)(void *) = (int (*)(void *))SDL_LoadFunction(library, "XCloseDisplay");
    void *const display = open != NULL && read != NULL && close != NULL ? open(NULL) : NULL;
    float scale = 0.0f;
    if (display != NULL) {
        scale = view_scale_of_resources(read(display));
        close(display);
    }
    SDL_UnloadObject(library);
    return scale;
}

// The scale of readable text: pixels per point of the system, or the desktop's setting, or by the
// screen's resolution if the system defines neither.
static float screen_scale(const view_state *viewer)
{
    int points = 0, pixels = 0, unused = 0;
    float dots = 0.0f;
    SDL_GetWindowSize(viewer->window, &points, &unused);
    SDL_GL_GetDrawableSize(viewer->window, &pixels, &unused);
    if (points > 0 && pixels > points)
        return (float)pixels / (float)points;
    if (viewer->desktop_scale > 0.0f)
        return viewer->desktop_scale;
    const int display = SDL_GetWindowDisplayIndex(viewer->window);
    if (display < 0 || SDL_GetDisplayDPI(display, NULL, NULL, &dots) != 0)
        return 1.0f;
    // In halves, and only if the resolution is high: many screens report a wrong size.
    const float scale = floorf(dots / 96.0f * 2.0f) / 2.0f;
    return dots >= 144.0f ? fminf(scale, 3.0f) : 1.0f;
}

// -- Loop -----------------------------------------------------------------------------------

static double seconds_since_start(void)
{
    return (double)SDL_GetPerformanceCounter() / (double)SDL_GetPerformanceFrequency();
}

// `moving`: the picture changes by itself, and its frames may leave something out. A still picture
// is drawn in full quality. The first one is drawn quickly, and only then the window is shown.
static bool draw_window(view_state *viewer, bool moving)
{
    md5_error error = {0};
    const double begin = seconds_since_start();
    const bool is_first = (SDL_GetWindowFlags(viewer->window) & SDL_WINDOW_HIDDEN) != 0;
    const bool gives_way =
        moving && !is_first && viewer->shown.auto_quality && viewer->movie == NULL;
    int width = 0, height = 0;
    SDL_GL_GetDrawableSize(viewer->window, &width, &height);
    viewer->width = width > 0 ? (uint32_t)width : 1;
    viewer->height = height > 0 ? (uint32_t)height : 1;
    const float base =
        viewer->options->ui_scale > 0.0f ? viewer->options->ui_scale : screen_scale(viewer);
    const float scale = base * viewer->text_scale;
    if (!view_set_scale(viewer, fminf(fmaxf(scale, VIEW_MIN_SCALE), VIEW_MAX_SCALE)))
        return false;
    viewer->is_moving = moving;
    viewer->economy = view_economies[is_first ? 2 : gives_way ? viewer->quality.step : 0];
    if (viewer->ui.menu.kind != VIEW_NO_MENU) // whose ticks are by the options
        view_note_state(viewer);
    const bool drawn = view_present(viewer, &error);
    viewer->economy = (view_economy){0};
    if (!drawn)
        return view_log_error(&viewer->log, &error);
    view_record_frame(viewer);
    if (!view_present_sign(viewer, &error))
        return view_log_error(&viewer->log, &error);
    SDL_GL_SwapWindow(viewer->window);
    if (is_first) { // the picture is finished now, and what a hidden window got is lost
        SDL_ShowWindow(viewer->window);
        SDL_GL_SwapWindow(viewer->window);
    }
    view_note_frame(viewer, seconds_since_start() - begin);
    // Decides what the next frames leave out. Swaps then wait no longer for the screen, so that
    // only work is timed.
    const view_quality_offers offers = {.samples = viewer->options->samples > 1,
                                        .shadows = viewer->shown.shadows};
    if (gives_way && view_judge_quality(&viewer->quality, seconds_since_start() - begin, offers)) {
        char text[64];
        view_describe_economy(&view_economies[viewer->quality.step], text, sizeof text);
        view_debug(&viewer->log, "quality: %s", text[0] != '\0' ? text : "full");
        SDL_GL_SetSwapInterval(viewer->quality.step > 0 ? 0 : 1);
    }
    return true;
}

bool view_run_window(view_state *viewer)
{
    char title[256] = "";
    bool redraw = true, noticed = false, moved = false;
    const double start = seconds_since_start();
    view_pace pace = {.last = start};
    viewer->desktop_scale = desktop_scale();
    SDL_GL_SetSwapInterval(1);
    SDL_EnableScreenSaver();
    SDL_EventState(SDL_DROPFILE, SDL_ENABLE);
    view_tell_state(viewer, "start");
    view_snap(viewer);

    while (!viewer->quit) {
        const double begin = seconds_since_start();
        viewer->now = begin - start;
        const bool recording = viewer->movie != NULL;
        const double real = view_pace_frame(&pace, begin);
        const double passed = recording ? 1.0 / viewer->movie->frame_rate : real;
        const bool following = view_follow(viewer, passed);
        const view_scene *const scene = &viewer->document->scene;
        const md5_anim *const anim = view_clock(scene);
        const bool changes_alone =
            viewer->play.playing && viewer->play.speed > 0.0
            && (view_motion_of(scene)->moves_alone || (anim != NULL && anim->num_frames > 1));
        const bool moving =
            changes_alone || following || recording || view_lacks_thumbnails(&viewer->pages);
        view_advance(&viewer->play, anim, passed);
        redraw = view_follow_files(viewer) || redraw;
        redraw = view_follow_export(viewer) || redraw;
        view_pace_work(&pace, seconds_since_start() - begin, moving);
        // One more frame removes a notice that has ended.
        const bool noticing = viewer->now < viewer->ui.notice_end;
        if (noticed && !noticing)
            view_tell_state(viewer, "quiet");
        // And one more shows a picture that stopped in full quality, and without a frame time.
        const bool stopped =
            moved && !moving && (viewer->quality.step > 0 || viewer->shown.frame_time);
        view_ui *const ui = &viewer->ui;
        const bool awaits_tip = ui->tip[0] != '\0' && !ui->is_tip_shown;
        const bool has_tip = awaits_tip && viewer->now - ui->tip_since >= VIEW_TIP_DELAY;
        if (redraw || moving || stopped || noticing || noticed || has_tip
            || viewer->options->watch) {
            char name[sizeof title];
            (void)snprintf(name, sizeof name, "%s%s - md5view", recording ? "recording: " : "",
                           viewer->document->scene.name);
            if (strcmp(name, title) != 0)
                SDL_SetWindowTitle(viewer->window, name);
            memcpy(title, name, sizeof title);
            if (!draw_window(viewer, moving))
                return false;
            // Sleeps for the rest of the frame's time. The rate is the given one, or slightly more
            // than the screen's: if swapping waits for the screen, that is the limit.
            SDL_DisplayMode mode = {0};
            const int display = SDL_GetWindowDisplayIndex(viewer->window);
            const bool is_known = display >= 0 && SDL_GetCurrentDisplayMode(display, &mode) == 0
                                  && mode.refresh_rate > 0;
            const double rate = viewer->options->frame_rate > 0.0
                                    ? viewer->options->frame_rate
                                    : 1.05 * (is_known ? mode.refresh_rate : 60);
            const double rest = 1.0 / rate - (seconds_since_start() - begin);
            if (rest > 0.0)
                SDL_Delay((Uint32)(fmin(rest, 1.0) * 1000.0));
        }
        noticed = noticing;
        redraw = false;
        moved = moving;
        const double drawn = seconds_since_start();
        // Waits for events: not at all while the picture moves, otherwise until the next event, the
        // end of a notice or the next check of the files.
        SDL_Event event;
        const bool hurried = viewer->now < ui->notice_end || awaits_tip || viewer->options->watch
                             || viewer->scan != NULL;
        const bool hastens = moving || viewer->exporting != NULL;
        if (hastens ? SDL_PollEvent(&event) : SDL_WaitEventTimeout(&event, hurried ? 100 : 1000))
            do
                view_handle_event(viewer, &event, &redraw);
            while (SDL_PollEvent(&event));
        view_pace_work(&pace, seconds_since_start() - drawn, moving);
    }
    view_stop_export(viewer);
    view_remember(viewer);
    return true;
}
