// md5view: shows animated MD5 models in a window, or draws them to files.
#include "demo/common/text.h"
#include "demo/viewer/app/window.h"
#include "demo/viewer/base/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h> // of which some systems need SDL_main

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_NO_DISPLAY };

static md5gl_proc load_proc(void *user, const char *name)
{
    (void)user;
    return (md5gl_proc)SDL_GL_GetProcAddress(name);
}

static bool start_video(bool visible)
{
    // Interrupts end the program at once, also in the middle of a long job without a window.
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    // Keeps the desktop's effects: the viewer is not a full-screen game.
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
#if defined(_WIN32) || defined(__APPLE__)
    const bool has_display = true;
#else
    const char *const x11 = getenv("DISPLAY"), *const wayland = getenv("WAYLAND_DISPLAY");
    const bool has_display = (x11 != NULL && *x11 != '\0') || (wayland != NULL && *wayland != '\0');
#endif
    const char *const chosen = getenv("SDL_VIDEODRIVER");
    const bool is_chosen = chosen != NULL && *chosen != '\0';
    if ((is_chosen || has_display) && SDL_InitSubSystem(SDL_INIT_VIDEO) == 0) {
        // If the named display is missing, SDL falls back to drivers without output.
        const char *const driver = SDL_GetCurrentVideoDriver();
        const bool is_seen = driver != NULL && strcmp(driver, "offscreen") != 0
                             && strcmp(driver, "dummy") != 0 && strcmp(driver, "evdev") != 0;
        if (is_seen || (is_chosen && !visible))
            return true;
        SDL_QuitSubSystem(SDL_INIT_VIDEO);
    } else if (is_chosen) {
        return false; // SDL reports why
    }
    if (visible) {
        SDL_SetError("no display available");
        return false;
    }
    SDL_SetHint(SDL_HINT_VIDEODRIVER, "offscreen");
    return SDL_InitSubSystem(SDL_INIT_VIDEO) == 0;
}

// Opens a window and the renderer in it. It is hidden: for pictures, or until it has its first one.
static bool open_window(view_state *viewer, bool visible)
{
    md5_error error = {0};
    if (start_video(visible)) {
        // The window itself has one sample per pixel: pictures of several come from a target, so
        // that they can be left out.
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_FLAGS, SDL_GL_CONTEXT_FORWARD_COMPATIBLE_FLAG);
        SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 24);
        SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
        const Uint32 flags = SDL_WINDOW_OPENGL | SDL_WINDOW_ALLOW_HIGHDPI | SDL_WINDOW_HIDDEN
                             | (visible ? SDL_WINDOW_RESIZABLE : 0u);
        // One that stays hidden needs no size: pictures have their own targets.
        viewer->window = SDL_CreateWindow("md5view", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                                          visible ? (int)viewer->width : 16,
                                          visible ? (int)viewer->height : 16, flags);
        if (viewer->window != NULL)
            viewer->context = SDL_GL_CreateContext(viewer->window);
    }
    if (viewer->context == NULL)
        return view_error(&viewer->log, "no window with OpenGL 3.3: %s%s", SDL_GetError(),
                          visible ? "; --output FILE.png draws a picture without one" : "");
    viewer->renderer = md5gl_create_renderer(&(md5gl_opts){.load = load_proc}, &error);
    if (viewer->renderer == NULL)
        return view_log_error(&viewer->log, &error);
    view_debug(&viewer->log, "device: %s (SDL %s)", md5gl_device_name(viewer->renderer),
               SDL_GetCurrentVideoDriver());
    return true;
}

// Shows what the options name in a window, or runs the job that they ask for. The arguments are
// those that the options were read from: the configuration is put before them. Returns the exit
// status.
static int run(int count, char **arguments, view_options *options)
{
    view_state viewer;
    view_config config = {0};
    view_log log = {.level = options->level};
    const bool has_window = view_shows_window(options), is_thumbnail = options->thumbnail > 0;
    int status = EXIT_FAILED;
    if (!options->no_config && !is_thumbnail && (has_window || options->output != NULL))
        view_take_config(&config, count, arguments, options, &log);
    view_begin(&viewer, options);
    viewer.config = config.path != NULL ? &config : NULL;
    viewer.chosen = &config.chosen;
    // Reading files needs no GL.
    if (!is_thumbnail && !options->no_render && !open_window(&viewer, has_window)) {
        status = EXIT_NO_DISPLAY;
        if (has_window && SDL_WasInit(SDL_INIT_VIDEO) != 0) // a file manager shows no messages
            (void)SDL_ShowSimpleMessageBox(SDL_MESSAGEBOX_ERROR, "md5view", viewer.log.error, NULL);
    } else if (is_thumbnail || view_open_first(&viewer)) {
        if (log.num_warnings > 0 && viewer.log.error[0] == '\0')
            memcpy(viewer.log.error, log.warning, sizeof viewer.log.error);
        if (has_window ? view_run_window(&viewer) : view_run_job(&viewer))
            status = EXIT_DONE;
        if (viewer.movie != NULL)
            view_toggle_recording(&viewer);
    }
    view_end(&viewer);
    md5gl_destroy_renderer(viewer.renderer);
    if (viewer.context != NULL)
        SDL_GL_DeleteContext(viewer.context);
    if (viewer.window != NULL)
        SDL_DestroyWindow(viewer.window);
    SDL_Quit();
    view_free_config(&config);
    return status;
}

int main(int count, char **arguments)
{
    view_options options;
    char problem[256];
    int status = EXIT_DONE;
    if (!view_read_options(count - 1, arguments + 1, &options, problem, sizeof problem)) {
        common_print(stderr, "md5view: %s\n", problem);
        status = EXIT_USAGE;
    } else if (view_print_asked(&options, stdout)) {
        status = EXIT_DONE;
    } else if (options.page != NULL && strcmp(options.page, "list") == 0) {
        for (uint32_t i = 0; i < view_num_pages(); i++)
            puts(view_page_at(i)->name);
    } else {
        status = run(count - 1, arguments + 1, &options);
    }
    view_free_options(&options);
    const bool is_written = common_end_output("md5view") == 0;
    return is_written || status != EXIT_DONE ? status : EXIT_FAILED;
}
