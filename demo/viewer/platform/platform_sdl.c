// Implements platform.h for desktops with SDL 2. No other file of the viewer includes SDL.
#define SDL_MAIN_HANDLED // the viewer defines main()
#include "demo/viewer/platform/platform_sdl.h"

#include "demo/common/text.h"

#include <math.h>
#include <signal.h>
#include <stdatomic.h>

// == Keys and events ==============================================================================

// Returns the viewer's code of a key, or VIEW_KEY_OTHER. SDL uses the character as the code of a
// printable key, and SDLK_SCANCODE_MASK marks all other keys. Ranges of codes, such as F1 to
// F12, are converted by their offsets.
int32_t view_key_from_sdl(SDL_Keycode code)
{
    static const struct {
        SDL_Keycode code;
        int32_t key;
    } named[] = {
        {SDLK_UP, VIEW_KEY_UP},
        {SDLK_DOWN, VIEW_KEY_DOWN},
        {SDLK_LEFT, VIEW_KEY_LEFT},
        {SDLK_RIGHT, VIEW_KEY_RIGHT},
        {SDLK_HOME, VIEW_KEY_HOME},
        {SDLK_END, VIEW_KEY_END},
        {SDLK_PAGEUP, VIEW_KEY_PAGE_UP},
        {SDLK_PAGEDOWN, VIEW_KEY_PAGE_DOWN},
        {SDLK_PAUSE, VIEW_KEY_PAUSE},
        {SDLK_APPLICATION, VIEW_KEY_MENU},
        {SDLK_LSHIFT, VIEW_KEY_LEFT_SHIFT},
        {SDLK_RSHIFT, VIEW_KEY_RIGHT_SHIFT},
        {SDLK_LALT, VIEW_KEY_LEFT_ALT},
        {SDLK_KP_ENTER, VIEW_KEY_PAD_ENTER},
        {SDLK_KP_PLUS, VIEW_KEY_PAD_PLUS},
        {SDLK_KP_MINUS, VIEW_KEY_PAD_MINUS},
        {SDLK_KP_0, VIEW_KEY_PAD_0},
    };
    if (code > 0 && (code & SDLK_SCANCODE_MASK) == 0)
        return code < VIEW_KEY_NAMED ? code : VIEW_KEY_OTHER; // a character
    if (code >= SDLK_F1 && code <= SDLK_F12)
        return VIEW_KEY_F(1 + (code - SDLK_F1));
    if (code >= SDLK_KP_1 && code <= SDLK_KP_9)
        return VIEW_KEY_PAD(1 + (code - SDLK_KP_1));
    for (size_t i = 0; i < COMMON_LENGTH(named); i++) {
        if (named[i].code == code)
            return named[i].key;
    }
    return VIEW_KEY_OTHER;
}

// Sets the modifier keys of an event. GUI keys, for example the Windows key, count as Alt, because
// the window system also uses them for its own shortcuts.
static void set_held(view_input *event, int modifiers)
{
    event->shift = (modifiers & KMOD_SHIFT) != 0;
    event->control = (modifiers & KMOD_CTRL) != 0;
    event->alt = (modifiers & (KMOD_ALT | KMOD_GUI)) != 0;
}

// Sets the path and the position of a dropped file, and frees the text of SDL. SDL does not report
// mouse motion while a file is dragged. Therefore the position is computed from the global mouse
// state.
static void set_drop(view_input *event, SDL_Window *window, char *path)
{
    int mouse_x = 0;
    int mouse_y = 0;
    int window_x = 0;
    int window_y = 0;
    SDL_GetGlobalMouseState(&mouse_x, &mouse_y);
    SDL_GetWindowPosition(window, &window_x, &window_y);
    event->x = (float)(mouse_x - window_x);
    event->y = (float)(mouse_y - window_y);
    event->path = common_copy(path);
    SDL_free(path);
}

// Sets the position of an event to the current position of the mouse or of the first finger.
static void set_position(view_input *event)
{
    int x = 0;
    int y = 0;
    SDL_GetMouseState(&x, &y);
    event->x = (float)x;
    event->y = (float)y;
}

// Returns the viewer's code of an SDL mouse button, or VIEW_BUTTON_NONE for a button that the
// viewer does not use.
static view_button button_of_sdl(Uint8 button)
{
    switch (button) {
    case SDL_BUTTON_LEFT:
        return VIEW_BUTTON_LEFT;
    case SDL_BUTTON_MIDDLE:
        return VIEW_BUTTON_MIDDLE;
    case SDL_BUTTON_RIGHT:
        return VIEW_BUTTON_RIGHT;
    default:
        return VIEW_BUTTON_NONE;
    }
}

// Converts a key event. When the window loses the focus, SDL reports a release of all keys that are
// down. is_forced marks these events, because the user has not released the keys.
static void set_key(view_input *event, const SDL_KeyboardEvent *from)
{
    const bool is_down = from->type == SDL_KEYDOWN;
    event->kind = is_down ? VIEW_INPUT_KEY_DOWN : VIEW_INPUT_KEY_UP;
    event->key = view_key_from_sdl(from->keysym.sym);
    event->is_repeated = from->repeat != 0;
    event->is_forced = !is_down && SDL_GetKeyboardFocus() == NULL;
    set_held(event, from->keysym.mod);
}

// Converts a press or release of a mouse button. SDL also sends this event for the first finger on
// a touch screen.
static void set_button(view_input *event, const SDL_MouseButtonEvent *from,
                       const view_fingers *fingers, double time)
{
    event->kind = from->type == SDL_MOUSEBUTTONDOWN ? VIEW_INPUT_PRESS : VIEW_INPUT_RELEASE;
    event->button = button_of_sdl(from->button);
    event->clicks = from->clicks;
    event->is_touch = from->which == SDL_TOUCH_MOUSEID;
    event->is_canceled = event->is_touch && fingers->max_down > 1;
    event->is_long = event->is_touch && view_is_long_touch(fingers, time);
    event->x = (float)from->x;
    event->y = (float)from->y;
    set_held(event, (int)SDL_GetModState());
}

// Counts the fingers on the touch screen. SDL already sends mouse events for the first finger.
// Therefore this function creates events only for gestures with several fingers. A tap with three
// fingers is the key Home. Two fingers pan like the middle button.
static void set_finger(view_input *event, const SDL_TouchFingerEvent *from, view_fingers *fingers,
                       double time)
{
    const bool is_touchpad =
        SDL_GetTouchDeviceType(from->touchId) >= SDL_TOUCH_DEVICE_INDIRECT_ABSOLUTE;
    if (is_touchpad)
        return;

    const bool is_down = from->type == SDL_FINGERDOWN;
    const int num_down = is_down ? fingers->down + 1 : fingers->down - 1;
    if (view_count_fingers(fingers, num_down, time)) {
        event->kind = VIEW_INPUT_KEY_DOWN;
        event->key = VIEW_KEY_HOME;
    } else if (is_down && fingers->down == 2) {
        *event =
            (view_input){.kind = VIEW_INPUT_PRESS, .button = VIEW_BUTTON_MIDDLE, .is_touch = true};
        set_position(event);
    }
}

// Converts an event of the mouse wheel. SDL marks events of systems with "natural scrolling" as
// flipped. Their direction is reversed, so that forward is always positive.
static void set_wheel(view_input *event, const SDL_MouseWheelEvent *from)
{
    const bool is_flipped = from->direction == SDL_MOUSEWHEEL_FLIPPED;
    event->kind = VIEW_INPUT_WHEEL;
    event->wheel = is_flipped ? -from->preciseY : from->preciseY;
    set_position(event);
}

// Converts a pinch gesture to an event of the mouse wheel, which zooms. Moving the fingers apart by
// a third of the screen zooms in by a factor of three.
static void set_pinch(view_input *event, const SDL_MultiGestureEvent *from)
{
    const float wheel_per_screen = 24;
    event->kind = VIEW_INPUT_WHEEL;
    event->wheel = wheel_per_screen * from->dDist;
    set_position(event);
}

// Sets an event for a movement of the mouse: the new position and the distance since the last
// event, in pixels.
static void set_motion(view_input *event, const SDL_MouseMotionEvent *from)
{
    event->kind = VIEW_INPUT_MOVE;
    event->x = (float)from->x;
    event->y = (float)from->y;
    event->moved_x = (float)from->xrel;
    event->moved_y = (float)from->yrel;
}

// Converts an event of SDL to an event of the viewer. Selects the function that converts this
// kind of event. Events that the viewer does not use have the kind VIEW_INPUT_OTHER.
view_input view_input_from_sdl(view_window *window, const SDL_Event *from)
{
    view_input event = {.kind = VIEW_INPUT_OTHER};
    view_fingers *const fingers = &window->fingers;
    const double time = from->common.timestamp * 0.001; // seconds
    bool is_resize;
    switch (from->type) {
    case SDL_QUIT:
        event.kind = VIEW_INPUT_QUIT;
        break;
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        set_key(&event, &from->key);
        break;
    case SDL_TEXTINPUT:
        event.kind = VIEW_INPUT_TEXT;
        COMMON_TEXT(event.text, "%s", from->text.text);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        set_button(&event, &from->button, fingers, time);
        break;
    case SDL_FINGERDOWN:
    case SDL_FINGERUP:
        set_finger(&event, &from->tfinger, fingers, time);
        break;
    case SDL_MULTIGESTURE:
        if (fingers->down >= 2) // the fingers are on the screen, and not on a touchpad
            set_pinch(&event, &from->mgesture);
        break;
    case SDL_MOUSEMOTION:
        set_motion(&event, &from->motion);
        break;
    case SDL_MOUSEWHEEL:
        set_wheel(&event, &from->wheel);
        break;
    case SDL_DROPBEGIN: // count the files of this drop, which are already in the queue
        window->num_dropped = SDL_PeepEvents(NULL, 1, SDL_PEEKEVENT, SDL_DROPFILE, SDL_DROPFILE);
        break;
    case SDL_DROPFILE:
        event.kind = VIEW_INPUT_DROP;
        event.is_only_file = window->num_dropped == 1;
        set_drop(&event, window->window, from->drop.file);
        break;
    case SDL_DROPTEXT: // ignored
        SDL_free(from->drop.file);
        break;
    case SDL_WINDOWEVENT:
        is_resize = from->window.event == SDL_WINDOWEVENT_SIZE_CHANGED;
        event.kind = is_resize ? VIEW_INPUT_RESIZE : VIEW_INPUT_WINDOW;
        break;
    default:
        break;
    }
    return event;
}

// Closes a gamepad that was disconnected. If no gamepad is open, opens the first one. Gamepads can
// be connected at any time, so this is called repeatedly.
static void find_pad(view_window *window)
{
    if (window->controller != NULL && !SDL_GameControllerGetAttached(window->controller)) {
        SDL_GameControllerClose(window->controller);
        window->controller = NULL;
    }
    if (window->controller != NULL || !window->has_gamepads)
        return;
    const int num_joysticks = SDL_NumJoysticks();
    for (int i = 0; i < num_joysticks && window->controller == NULL; i++)
        window->controller = SDL_GameControllerOpen(i); // NULL: not a gamepad
}

// Reads the buttons and the left stick of the gamepad. Without a gamepad, no button is pressed.
static void read_pad(view_window *window)
{
    static const struct {
        SDL_GameControllerButton button;
        view_pad_button bit;
    } buttons[] = {
        {SDL_CONTROLLER_BUTTON_A, VIEW_PAD_JUMP},
        {SDL_CONTROLLER_BUTTON_START, VIEW_PAD_START},
        {SDL_CONTROLLER_BUTTON_X, VIEW_PAD_RUN},
        {SDL_CONTROLLER_BUTTON_RIGHTSHOULDER, VIEW_PAD_RUN},
        {SDL_CONTROLLER_BUTTON_DPAD_UP, VIEW_PAD_UP},
        {SDL_CONTROLLER_BUTTON_DPAD_DOWN, VIEW_PAD_DOWN},
        {SDL_CONTROLLER_BUTTON_DPAD_LEFT, VIEW_PAD_LEFT},
        {SDL_CONTROLLER_BUTTON_DPAD_RIGHT, VIEW_PAD_RIGHT},
    };
    find_pad(window);
    SDL_GameController *const controller = window->controller;
    view_pad *const pad = &window->pad;
    *pad = (view_pad){.reported = pad->reported}; // without a gamepad, its keys are released
    if (controller == NULL)
        return;

    const float max_axis = 32767;
    pad->x = (float)SDL_GameControllerGetAxis(controller, SDL_CONTROLLER_AXIS_LEFTX) / max_axis;
    pad->y = (float)SDL_GameControllerGetAxis(controller, SDL_CONTROLLER_AXIS_LEFTY) / max_axis;
    for (size_t i = 0; i < COMMON_LENGTH(buttons); i++) {
        if (SDL_GameControllerGetButton(controller, buttons[i].button) != 0)
            pad->buttons |= buttons[i].bit;
    }
}

// Signal state. The first signal that ends programs is converted to a request to quit, so that the
// viewer can finish a movie and save the configuration. The second signal ends the program
// immediately.
static volatile sig_atomic_t is_quit_requested;

// Handles a signal. Restores the default handler, so that a second signal ends the program.
static void request_quit(int number)
{
    signal(number, SIG_DFL);
    is_quit_requested = 1;
}

// Makes Ctrl+C and a closed terminal end the main loop, so that files and settings are saved before
// the program ends.
static void handle_signals(void)
{
    signal(SIGINT, request_quit);
    signal(SIGTERM, request_quit);
#ifdef SIGHUP
    signal(SIGHUP, request_quit);
#endif
}

// Returns true if the user has closed the window, or a signal has requested the end of the program.
static bool is_quitting(void)
{
    SDL_PumpEvents();
    return is_quit_requested || SDL_HasEvent(SDL_QUIT);
}

// Event filter that removes presses of Escape from the queue. Sets *found to true if there was one.
static int remove_escape(void *found, SDL_Event *event)
{
    const bool is_escape = event->type == SDL_KEYDOWN && event->key.keysym.sym == SDLK_ESCAPE;
    *(bool *)found |= is_escape;
    return !is_escape;
}

// Returns true if the user wants to stop a long job, by Escape or by closing the window.
// SDL_FilterEvents() visits the pending events without waiting. All events except presses of
// Escape remain in the queue.
bool view_is_interrupted(void)
{
    bool is_escape = false;
    if (is_quitting())
        return true;
    SDL_FilterEvents(remove_escape, &is_escape);
    return is_escape;
}

// Returns true if the next event in the queue is another movement of the same mouse.
static bool is_move_next(const SDL_Event *event)
{
    SDL_Event next;
    if (event->type != SDL_MOUSEMOTION)
        return false;
    if (SDL_PeepEvents(&next, 1, SDL_PEEKEVENT, SDL_FIRSTEVENT, SDL_LASTEVENT) != 1)
        return false;
    return next.type == SDL_MOUSEMOTION && next.motion.which == event->motion.which;
}

// Merges pending movements of the mouse into one event. Otherwise a window that draws slowly would
// react to old positions.
static void merge_moves(SDL_Event *event)
{
    while (is_move_next(event)) {
        SDL_Event next;
        (void)SDL_PeepEvents(&next, 1, SDL_GETEVENT, SDL_MOUSEMOTION, SDL_MOUSEMOTION);
        next.motion.xrel += event->motion.xrel;
        next.motion.yrel += event->motion.yrel;
        *event = next;
    }
}

// Stores the next SDL event in `event`. If no event is pending, waits for at most `timeout`
// seconds, which may be 0. Returns false if there is no event.
static bool wait_for_event(double timeout, SDL_Event *event)
{
    const int milliseconds = (int)(timeout * 1000);
    if (milliseconds > 0)
        return SDL_WaitEventTimeout(event, milliseconds) != 0;
    return SDL_PollEvent(event) != 0;
}

// Writes the most urgent event to *event. A request to quit is first, and removes all other
// requests to quit. A key of the gamepad is second. The next event in SDL's queue is last. Returns
// false if there is no event after `timeout`.
bool view_next_input(view_window *window, double timeout, view_input *event)
{
    if (is_quitting()) {
        is_quit_requested = 0;
        SDL_FlushEvent(SDL_QUIT);
        *event = (view_input){.kind = VIEW_INPUT_QUIT};
        return true;
    }

    read_pad(window);
    if (view_next_pad_key(&window->pad, event))
        return true;

    SDL_Event sdl_event;
    if (!wait_for_event(timeout, &sdl_event))
        return false;
    merge_moves(&sdl_event);
    *event = view_input_from_sdl(window, &sdl_event);
    return true;
}

// Removes all pending events and frees their memory. SDL does not free the text of a dropped
// file when an event is removed.
void view_discard_events(void)
{
    SDL_Event event;
    SDL_PumpEvents();
    // SDL_PollEvent() is not used, because it may return false before the queue is empty: it stops
    // at the marker that separates two updates of the queue.
    while (SDL_PeepEvents(&event, 1, SDL_GETEVENT, SDL_FIRSTEVENT, SDL_LASTEVENT) > 0) {
        if (event.type == SDL_DROPFILE || event.type == SDL_DROPTEXT)
            SDL_free(event.drop.file);
    }
}

void view_wake_window(void)
{
    (void)SDL_PushEvent(&(SDL_Event){.type = SDL_USEREVENT});
}

// == Watchdog =====================================================================================

// A watchdog thread writes a report if the main thread has not finished a step for ten seconds. The
// report names the operation for which the main thread waits, and the thread that performs this
// operation. For this purpose, each thread stores these two texts before it waits. The texts must
// be constants, because another thread reads them.
static _Thread_local _Atomic(const char *) waited_operation;
static _Thread_local _Atomic(const char *) waited_thread;

// Stores the operation for which this thread begins to wait. `thread` is the name of the thread
// that performs it, or NULL. If `operation` is NULL, the wait has ended.
static void note_wait(const char *operation, const char *thread)
{
    atomic_store(&waited_thread, thread);
    atomic_store(&waited_operation, operation);
}

typedef struct watch_state {
    _Atomic(const char *) *operation; // operation of the thread that runs the steps
    _Atomic(const char *) *thread;
    SDL_atomic_t num_steps;
    SDL_sem *ends;
} watch_state;

// Runs the watchdog until the semaphore `ends` is posted. Checks the number of steps once per
// second. Writes a report after each ten seconds without a step.
static int run_watchdog(void *user)
{
    enum { MILLISECONDS_PER_CHECK = 1000, SECONDS_PER_REPORT = 10 };
    watch_state *const watch = user;
    int last_num_steps = -1;
    int seconds = 0; // since the last step
    while (SDL_SemWaitTimeout(watch->ends, MILLISECONDS_PER_CHECK) == SDL_MUTEX_TIMEDOUT) {
        const int num_steps = SDL_AtomicGet(&watch->num_steps);
        seconds = num_steps == last_num_steps ? seconds + 1 : 0;
        last_num_steps = num_steps;
        if (seconds == 0 || seconds % SECONDS_PER_REPORT != 0)
            continue;

        const char *const operation = atomic_load(watch->operation);
        const char *const thread = atomic_load(watch->thread);
        const char *const operation_text = operation != NULL ? operation : "an unknown operation";
        const char *const thread_text = thread != NULL ? thread : "";
        common_print(stderr, "md5view: no frame was drawn for %d s: waiting for %s%s\n", seconds,
                     operation_text, thread_text);
    }
    return 0;
}

// == The window ===================================================================================

// -- Opening --------------------------------------------------------------------------------

#if defined(_WIN32) || defined(__APPLE__)
static bool has_display(void)
{
    return true;
}
#else
static bool is_set(const char *name)
{
    const char *const value = getenv(name);
    return value != NULL && *value != '\0';
}

static bool has_display(void)
{
    return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}
#endif

// Sets the options of SDL's video subsystem, before it is initialized.
static void set_video_hints(void)
{
    SDL_SetMainReady();
    // SDL's own handlers would convert a signal to an event. A long job without a window does not
    // read events, so that the signal must end the program directly.
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    // A full-screen game may disable the effects of the desktop. The viewer keeps them.
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
}

// Initializes SDL's video subsystem. The user can select a driver with an environment variable. If
// `visible` is false and there is no display, uses a driver that renders without output. Returns
// false on failure; SDL_GetError() then returns the reason.
static bool start_video(bool visible)
{
    set_video_hints();
    const char *const selected = getenv("SDL_VIDEODRIVER");
    const bool is_selected = selected != NULL && *selected != '\0';
    if (is_selected || has_display()) {
        const bool has_begun = SDL_InitSubSystem(SDL_INIT_VIDEO) == 0;
        // If the display cannot be opened, SDL selects a driver without output, which would hide
        // the window.
        const bool has_output = has_begun && view_is_window_visible(NULL);
        if (has_output || (has_begun && is_selected && !visible))
            return true;
        if (has_begun)
            SDL_QuitSubSystem(SDL_INIT_VIDEO);
        else if (is_selected)
            return false;
    }

    if (visible) {
        SDL_SetError("no display available");
        return false;
    }
    SDL_SetHint(SDL_HINT_VIDEODRIVER, "offscreen");
    return SDL_InitSubSystem(SDL_INIT_VIDEO) == 0;
}

// Returns the text scale that is defined in the resources of an X server, or 0. Searches for the
// line that begins with "Xft.dpi:", and parses the number after it. A value that is not
// plausible counts as missing.
float view_scale_from_resources(const char *resources)
{
    static const char name[] = "Xft.dpi:"; // dots per inch
    const float dpi_of_scale_1 = 96;
    const float max_dpi = 4800; // larger values are invalid
    const char *line = resources;
    while (line != NULL && strncmp(line, name, strlen(name)) != 0) {
        const char *const line_end = strchr(line, '\n');
        line = line_end != NULL ? line_end + 1 : NULL;
    }
    const float dpi = line != NULL ? strtof(line + strlen(name), NULL) : 0;
    const bool is_valid = dpi >= 1 && dpi <= max_dpi;
    return is_valid ? dpi / dpi_of_scale_1 : 0;
}

// A copy of XErrorEvent. The build must not require X's headers.
typedef struct x_error {
    int type;
    void *display;
    unsigned long resource;
    unsigned long serial;
    unsigned char code;
    unsigned char request;
    unsigned char minor;
} x_error;

// A copy of the first members of XButtonEvent, the press of a mouse button.
typedef struct x_button {
    int type;
    unsigned long serial;
    int is_sent;
    void *display;
    unsigned long window;
    unsigned long root;
    unsigned long child;
    unsigned long time;
} x_button;

// A copy of SDL_SysWMmsg for an X event, with the members that are used here.
typedef struct x_message {
    SDL_version version;
    int subsystem;
    x_button button;
} x_message;

// Stores the time at which the X server has registered a press of a mouse button. `event` contains
// the X event. SDL reports it before its own event of the same press.
static void store_press_time(view_window *window, const SDL_SysWMEvent *event)
{
    enum { X11 = 2, BUTTON_PRESS = 4 };
    const x_message *const message = (const x_message *)(const void *)event->msg;
    if (message->subsystem != X11 || message->button.type != BUTTON_PRESS)
        return;
    window->press_time = (uint32_t)message->button.time;
    window->has_press_time = true;
}

// Event filter of SDL. It returns 0 for events that SDL must remove. SDL counts clicks by the time
// at which it reads them. If a frame takes long, this time is later than the click, and a double
// click is missed. Therefore this filter counts clicks by the times of the X server.
static int count_clicks(void *user, SDL_Event *event)
{
    view_window *const window = user;
    if (event->type == SDL_SYSWMEVENT) {
        store_press_time(window, &event->syswm);
        return 0;
    }
    if (event->type == SDL_MOUSEBUTTONDOWN && window->has_press_time) {
        SDL_MouseButtonEvent *const button = &event->button;
        const int count = view_count_clicks(&window->clicks, button->button, window->press_time,
                                            (float)button->x, (float)button->y);
        button->clicks = (Uint8)(count < UINT8_MAX ? count : UINT8_MAX);
        window->has_press_time = false;
    }
    return 1;
}

// Error handler of Xlib. The default handler ends the program. This handler only reports the error,
// because the cause can be another program. Examples are a program that has ended during a drag, or
// before it has received the clipboard.
static int ignore_x_error(void *display, const x_error *error)
{
    (void)display;
    common_print(stderr, "ignored X error %u of request %u, %u\n", error->code, error->request,
                 error->minor);
    return 0;
}

// The callbacks for end_without_display(). They are global, because Xlib passes only the display to
// the handler.
static const view_steps *active_steps;

// Handles the loss of the X server. Xlib ends the program after this handler. No function of X may
// be called, and therefore no OpenGL function.
static int end_without_display(void *display)
{
    (void)display;
    common_print(stderr, "md5view: lost the connection to the X server\n");
    if (active_steps != NULL)
        active_steps->save(active_steps->user);
    (void)fflush(NULL);
    _Exit(3);
}

// Types of Xlib functions, which are loaded at run time. X's headers are not required. A display is
// an opaque pointer.
typedef int x_error_handler(void *display, const x_error *error);
typedef int x_end_handler(void *display);
typedef void x_set_error_handler(x_error_handler *handler);
typedef void x_set_end_handler(x_end_handler *handler);
typedef void *x_open_display(const char *name);
typedef char *x_read_resources(void *display);
typedef int x_close_display(void *display);

// Replaces the error handlers of Xlib, so that errors are reported and settings are saved.
static void install_x_handlers(void *library)
{
    x_set_error_handler *const set_error_handler =
        (x_set_error_handler *)SDL_LoadFunction(library, "XSetErrorHandler");
    x_set_end_handler *const set_end_handler =
        (x_set_end_handler *)SDL_LoadFunction(library, "XSetIOErrorHandler");
    if (set_error_handler == NULL || set_end_handler == NULL)
        return;
    set_error_handler(ignore_x_error);
    set_end_handler(end_without_display);
}

// Reads the scale of the desktop from the resources of the X server. Returns 0 if they do not
// define it.
static float read_desktop_scale(void *library)
{
    x_open_display *const open_display =
        (x_open_display *)SDL_LoadFunction(library, "XOpenDisplay");
    x_read_resources *const read_resources =
        (x_read_resources *)SDL_LoadFunction(library, "XResourceManagerString");
    x_close_display *const close_display =
        (x_close_display *)SDL_LoadFunction(library, "XCloseDisplay");
    if (open_display == NULL || read_resources == NULL || close_display == NULL)
        return 0;
    void *const display = open_display(NULL);
    if (display == NULL)
        return 0;
    const float scale = view_scale_from_resources(read_resources(display));
    close_display(display);
    return scale;
}

// Prepares a window on an X server. Counts clicks by the times of the server, handles its errors,
// and reads the scale of the desktop. Does nothing with other window systems. libX11 is loaded
// already, because SDL's driver uses it.
static void use_x11(view_window *window)
{
    if (strcmp(SDL_GetCurrentVideoDriver(), "x11") != 0)
        return;
    SDL_SetEventFilter(count_clicks, window);
    SDL_EventState(SDL_SYSWMEVENT, SDL_ENABLE);
    void *const library = SDL_LoadObject("libX11.so.6");
    if (library == NULL)
        return;
    install_x_handlers(library);
    window->desktop_scale = read_desktop_scale(library);
    SDL_UnloadObject(library);
}

// Creates a hidden window and its OpenGL context. The window itself has one sample per pixel.
// Images with several samples are drawn to a separate target, so that multisampling can be changed
// without a new window. Sets window->context to NULL on failure.
static void create_window(view_window *window, const char *title, int width, int height,
                          Uint32 size_flags)
{
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_FLAGS, SDL_GL_CONTEXT_FORWARD_COMPATIBLE_FLAG);
    SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 24);
    SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
    const Uint32 flags =
        SDL_WINDOW_OPENGL | SDL_WINDOW_ALLOW_HIGHDPI | SDL_WINDOW_HIDDEN | size_flags;
    window->window = SDL_CreateWindow(title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width,
                                      height, flags);
    window->context = NULL;
    if (window->window != NULL)
        window->context = SDL_GL_CreateContext(window->window);
}

// Opens a window with an OpenGL context. Returns NULL and writes the reason to problem[size] on
// failure. A window that only renders images is tiny and hidden. Settings for users, such as
// dropped files, are made only for a visible window.
view_window *view_open_window(const char *title, uint32_t width, uint32_t height, bool visible,
                              char *problem, size_t size)
{
    enum { HIDDEN_SIDE = 16 }; // any size: images are drawn to separate targets
    view_window *const window = common_alloc(1, sizeof *window);
    const bool has_video = start_video(visible);
    if (has_video && visible)
        create_window(window, title, (int)width, (int)height, SDL_WINDOW_RESIZABLE);
    else if (has_video)
        create_window(window, title, HIDDEN_SIDE, HIDDEN_SIDE, 0);
    if (window->context == NULL) {
        snprintf(problem, size, "%s", SDL_GetError());
        if (window->window != NULL)
            SDL_DestroyWindow(window->window);
        free(window);
        return NULL;
    }

    COMMON_TEXT(window->driver, "SDL %s", SDL_GetCurrentVideoDriver());
    if (visible) {
        use_x11(window);
        SDL_EnableScreenSaver();
        SDL_EventState(SDL_DROPFILE, SDL_ENABLE);
    }
    return window;
}

// Closes the window and shuts down SDL. Discards pending events first, because events of dropped
// files own memory.
void view_close_window(view_window *window)
{
    if (window != NULL) {
        view_discard_events();
        if (window->controller != NULL)
            SDL_GameControllerClose(window->controller);
        if (window->speaker != 0)
            SDL_CloseAudioDevice(window->speaker);
        SDL_GL_DeleteContext(window->context);
        SDL_DestroyWindow(window->window);
        free(window);
    }
    SDL_Quit();
}

void (*view_find_gl(void *user, const char *name))(void)
{
    (void)user;
    return (void (*)(void))SDL_GL_GetProcAddress(name);
}

bool view_send_page_request(const char *request)
{
    (void)request;
    return false;
}

void view_show_problem(const char *text)
{
    if (SDL_WasInit(SDL_INIT_VIDEO) != 0)
        (void)SDL_ShowSimpleMessageBox(SDL_MESSAGEBOX_ERROR, "md5view", text, NULL);
}

// Runs the main loop: calls the step function until it returns false. A step handles the pending
// events and draws a frame. The watchdog is a thread that compares the number of completed steps
// every ten seconds.
void view_run_steps(view_window *window, const view_steps *steps, bool watched)
{
    (void)window;
    watch_state watch = {
        .operation = &waited_operation, .thread = &waited_thread, .ends = SDL_CreateSemaphore(0)};
    SDL_Thread *const thread = watched ? SDL_CreateThread(run_watchdog, "watch", &watch) : NULL;
    handle_signals();
    active_steps = steps;
    while (steps->step(steps->user))
        (void)SDL_AtomicAdd(&watch.num_steps, 1);
    active_steps = NULL;
    SDL_SemPost(watch.ends);
    SDL_WaitThread(thread, NULL);
    SDL_DestroySemaphore(watch.ends);
}

// -- State ----------------------------------------------------------------------------------

const char *view_window_driver(const view_window *window)
{
    return window->driver;
}

// Returns true if SDL's video driver has an output. Some drivers only render.
bool view_is_window_visible(const view_window *window)
{
    (void)window;
    static const char *const hidden[] = {"offscreen", "dummy", "evdev"};
    const char *const driver = SDL_GetCurrentVideoDriver();
    if (driver == NULL)
        return false;
    for (size_t i = 0; i < COMMON_LENGTH(hidden); i++) {
        if (strcmp(driver, hidden[i]) == 0)
            return false;
    }
    return true;
}

bool view_is_window_hidden(const view_window *window)
{
    return (SDL_GetWindowFlags(window->window) & SDL_WINDOW_HIDDEN) != 0;
}

void view_show_window(view_window *window)
{
    SDL_ShowWindow(window->window);
    window->has_gamepads = SDL_InitSubSystem(SDL_INIT_GAMECONTROLLER) == 0;
}

void view_set_title(view_window *window, const char *title)
{
    SDL_SetWindowTitle(window->window, title);
}

bool view_is_full_screen(const view_window *window)
{
    const Uint32 full = SDL_WINDOW_FULLSCREEN_DESKTOP;
    return window != NULL && (SDL_GetWindowFlags(window->window) & full) == full;
}

void view_set_full_screen(view_window *window, bool full)
{
    if (window != NULL)
        SDL_SetWindowFullscreen(window->window, full ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
}

void view_window_points(const view_window *window, int *width, int *height)
{
    *width = *height = 0;
    if (window != NULL)
        SDL_GetWindowSize(window->window, width, height);
}

void view_window_pixels(const view_window *window, int *width, int *height)
{
    *width = *height = 0;
    if (window != NULL)
        SDL_GL_GetDrawableSize(window->window, width, height);
}

// Returns the scale of the interface at which text is readable on the screen. Uses the first
// available of three sources: the ratio of pixels to points, the setting of the desktop, the dots
// per inch of the screen.
float view_screen_scale(const view_window *window)
{
    int points = 0;
    int pixels = 0;
    int unused = 0;
    view_window_points(window, &points, &unused);
    view_window_pixels(window, &pixels, &unused);
    if (points > 0 && pixels > points)
        return (float)pixels / (float)points;
    if (window->desktop_scale > 0)
        return window->desktop_scale;

    // The system does not define a scale. Choose it by the dots per inch of the screen, in steps of
    // 0.5. Small values are ignored, because many screens report a wrong size.
    const float min_dpi = 144;
    const float max_scale = 3;
    float dpi = 0;
    const int display = SDL_GetWindowDisplayIndex(window->window);
    if (display < 0 || SDL_GetDisplayDPI(display, NULL, NULL, &dpi) != 0)
        return 1;
    const float scale = floorf(dpi / 96.0f * 2) / 2.0f;
    return dpi >= min_dpi ? fminf(scale, max_scale) : 1;
}

// Returns the refresh rate of the screen with the window in Hz, or 60 if it is unknown.
double view_screen_rate(const view_window *window)
{
    SDL_DisplayMode mode = {0};
    const int display = SDL_GetWindowDisplayIndex(window->window);
    const bool has_rate =
        display >= 0 && SDL_GetCurrentDisplayMode(display, &mode) == 0 && mode.refresh_rate > 0;
    return has_rate ? mode.refresh_rate : 60;
}

void view_swap_window(view_window *window)
{
    note_wait("the screen", NULL);
    SDL_GL_SwapWindow(window->window);
    note_wait(NULL, NULL);
}

void view_set_swap_waits(view_window *window, bool waits)
{
    (void)window;
    SDL_GL_SetSwapInterval(waits ? 1 : 0);
}

// == Other functions of the system ================================================================

double view_seconds(void)
{
    return (double)SDL_GetPerformanceCounter() / (double)SDL_GetPerformanceFrequency();
}

void view_sleep(double seconds)
{
    SDL_Delay((Uint32)(seconds * 1000));
}

// The clipboard requires UTF-8, but file names may contain any bytes. The conversion removes
// invalid bytes.
bool view_copy_text(const char *text)
{
    char *const clean = SDL_iconv_string("UTF-8", "UTF-8", text, strlen(text) + 1);
    const bool is_copied = SDL_SetClipboardText(clean != NULL ? clean : text) == 0;
    SDL_free(clean);
    return is_copied;
}

// Copies a text of SDL to memory that free() can free, and frees the original. Returns NULL for
// NULL.
static char *copy_sdl_text(char *text)
{
    char *const copy = common_copy(text);
    SDL_free(text);
    return copy;
}

char *view_paste_text(void)
{
    return copy_sdl_text(SDL_GetClipboardText());
}

char *view_program_folder(void)
{
    return copy_sdl_text(SDL_GetBasePath());
}

// == Sound ========================================================================================

// Callback of the audio device, which runs on its own thread. Moves samples from the ring buffer to
// the device. The ring buffer contains the sum of all sounds.
static void audio_callback(void *user, Uint8 *bytes, int size)
{
    view_window *const window = user;
    float *const samples = (float *)(void *)bytes;
    const size_t num_samples = (size_t)size / sizeof *samples;
    for (size_t i = 0; i < num_samples; i++) {
        float *const sum = &window->ring[window->next_sample];
        samples[i] = fminf(fmaxf(*sum, -1), 1);
        *sum = 0; // the next sound that reaches this sample is added to silence
        window->next_sample = (window->next_sample + 1) % VIEW_RING;
    }
}

// Opens and starts the audio device. On failure, window->speaker remains 0 and the viewer is
// silent.
static void open_speaker(view_window *window)
{
    if (SDL_InitSubSystem(SDL_INIT_AUDIO) != 0)
        return;
    const SDL_AudioSpec spec = {.freq = VIEW_SOUND_RATE,
                                .format = AUDIO_F32SYS,
                                .channels = 1,
                                .samples = 512,
                                .callback = audio_callback,
                                .userdata = window};
    window->speaker = SDL_OpenAudioDevice(NULL, 0, &spec, NULL, 0);
    if (window->speaker != 0)
        SDL_PauseAudioDevice(window->speaker, 0);
}

// Mixes samples[count] into the ring buffer that the audio thread plays, starting at the sample
// that is played next. The first sound opens the audio device. Without a device, does nothing.
void view_play_sound(view_window *window, const float *samples, size_t count)
{
    if (!window->has_sound_begun)
        open_speaker(window);
    window->has_sound_begun = true;
    if (window->speaker == 0)
        return;
    SDL_LockAudioDevice(window->speaker);
    for (size_t i = 0; i < count && i < VIEW_RING; i++)
        window->ring[(window->next_sample + i) % VIEW_RING] += samples[i];
    SDL_UnlockAudioDevice(window->speaker);
}

// == Threads ======================================================================================

// A mutex with a condition variable. `thread` is the name of the other thread that uses it.
struct view_lock {
    SDL_mutex *mutex;
    SDL_cond *changed;
    const char *thread;
};

view_thread *view_start_thread(int (*run)(void *user), const char *name, void *user)
{
    return (view_thread *)SDL_CreateThread(run, name, user);
}

void view_wait_thread(view_thread *thread, const char *name)
{
    note_wait("the end of thread ", name);
    SDL_WaitThread((SDL_Thread *)thread, NULL);
    note_wait(NULL, NULL);
}

// Creates a mutex with a condition variable. `thread` is the name of the other thread that uses
// them, for reports of the watchdog. Returns NULL on failure.
view_lock *view_new_lock(const char *thread)
{
    view_lock *const lock = common_alloc(1, sizeof *lock);
    lock->thread = thread;
    lock->mutex = SDL_CreateMutex();
    lock->changed = SDL_CreateCond();
    if (lock->mutex != NULL && lock->changed != NULL)
        return lock;
    view_free_lock(lock);
    return NULL;
}

// Frees a lock. Accepts NULL and a lock that was created only partly, whose mutex or condition
// variable is NULL.
void view_free_lock(view_lock *lock)
{
    if (lock == NULL)
        return;
    SDL_DestroyCond(lock->changed);
    SDL_DestroyMutex(lock->mutex);
    free(lock);
}

void view_lock_enter(view_lock *lock)
{
    note_wait("the lock held by thread ", lock->thread);
    SDL_LockMutex(lock->mutex);
    note_wait(NULL, NULL);
}

void view_lock_leave(view_lock *lock)
{
    SDL_UnlockMutex(lock->mutex);
}

void view_lock_wait(view_lock *lock)
{
    SDL_CondWait(lock->changed, lock->mutex);
}

void view_lock_signal(view_lock *lock)
{
    SDL_CondSignal(lock->changed);
}
