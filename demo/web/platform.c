// The platform of browsers: WebGL 2 on the canvas of a page, through emscripten's html5.h. The page
// (view.js) loads the program, gives it files, and shows what it prints.
#include "demo/viewer/platform/platform.h"

#include "demo/common/memory.h"

#include <GLES3/gl3.h>
#include <emscripten.h>
#include <emscripten/html5.h>
#include <emscripten/html5_webgl.h>
#include <math.h>

enum { MAX_INPUTS = 256 };

// What has happened since the last frame, in a ring.
struct view_window {
    EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context;
    view_input inputs[MAX_INPUTS];
    size_t first;
    size_t count;
    bool is_shown;
    bool is_full;
    GLsync awaited;       // the first picture, until the GPU has finished it
    double width, height; // in CSS pixels, which are its points
    double ratio;         // device pixels per CSS pixel
    // The mouse, or the finger that stands for it.
    view_button held;
    float x;
    float y;
    double last_press; // of the left button: when and where
    float press_x;
    float press_y;
    int clicks;
    bool lets_go;       // the key Tab leaves the canvas: after Escape, and before any other
    double last_escape; // milliseconds
    view_fingers fingers;
    float spread; // distance of two fingers; 0: they are not down
    view_pad pad;
    // Of view_run_steps().
    view_steps steps;
    char *line; // of web_command_line()
};

static const char canvas[] = "#canvas";

// == Events =======================================================================================

// The caller's path is taken. Without room the event is lost: nobody types 256 keys within a frame.
static void push(view_window *window, view_input input)
{
    if (window->count == MAX_INPUTS) {
        free(input.path);
        return;
    }
    window->inputs[(window->first + window->count++) % MAX_INPUTS] = input;
}

// Reads the first gamepad, which browsers name after one of its buttons was pressed.
static void read_pad(view_pad *pad)
{
    static const struct {
        int button; // of the standard layout
        view_pad_button bit;
    } buttons[] = {{0, VIEW_PAD_JUMP},  {9, VIEW_PAD_START}, {2, VIEW_PAD_RUN},
                   {5, VIEW_PAD_RUN},   {12, VIEW_PAD_UP},   {13, VIEW_PAD_DOWN},
                   {14, VIEW_PAD_LEFT}, {15, VIEW_PAD_RIGHT}};
    EmscriptenGamepadEvent state;
    *pad = (view_pad){.told = pad->told};
    if (emscripten_sample_gamepad_data() != EMSCRIPTEN_RESULT_SUCCESS
        || emscripten_get_num_gamepads() < 1
        || emscripten_get_gamepad_status(0, &state) != EMSCRIPTEN_RESULT_SUCCESS)
        return;
    pad->x = (float)state.axis[0];
    pad->y = (float)state.axis[1];
    for (size_t i = 0; i < COMMON_LENGTH(buttons); i++)
        if (buttons[i].button < state.numButtons && state.digitalButton[buttons[i].button])
            pad->buttons |= buttons[i].bit;
}

bool view_next_input(view_window *window, double patience, view_input *event)
{
    (void)patience; // the browser waits, between two steps
    read_pad(&window->pad);
    if (view_next_of_pad(&window->pad, event))
        return true;
    if (window->count == 0)
        return false;
    *event = window->inputs[window->first];
    window->first = (window->first + 1) % MAX_INPUTS;
    window->count--;
    return true;
}

bool view_is_interrupted(void)
{
    return false;
}

void view_wake_window(void)
{
}

// -- Keys -----------------------------------------------------------------------------------

// A text of one character: a key that has a name has a longer one, "Enter".
static bool is_character(const char *text)
{
    size_t count = 0;
    for (size_t i = 0; text[i] != '\0'; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count == 1;
}

static int32_t key_of_event(const EmscriptenKeyboardEvent *event)
{
    static const struct {
        const char *name;
        int32_t key;
    } names[] = {
        {"Backspace", VIEW_KEY_BACKSPACE},
        {"Tab", VIEW_KEY_TAB},
        {"Enter", VIEW_KEY_RETURN},
        {"Escape", VIEW_KEY_ESCAPE},
        {"Delete", VIEW_KEY_DELETE},
        {"ArrowUp", VIEW_KEY_UP},
        {"ArrowDown", VIEW_KEY_DOWN},
        {"ArrowLeft", VIEW_KEY_LEFT},
        {"ArrowRight", VIEW_KEY_RIGHT},
        {"Home", VIEW_KEY_HOME},
        {"End", VIEW_KEY_END},
        {"PageUp", VIEW_KEY_PAGE_UP},
        {"PageDown", VIEW_KEY_PAGE_DOWN},
        {"Pause", VIEW_KEY_PAUSE},
        {"ContextMenu", VIEW_KEY_MENU},
    };
    static const char letter[] = "Key";
    static const char digit[] = "Digit";
    const char *const name = event->key;
    const char *const code = event->code;
    if (event->location == DOM_KEY_LOCATION_NUMPAD && is_character(name))
        return *name >= '0' && *name <= '9' ? VIEW_KEY_PAD(*name - '0')
               : *name == '+'               ? VIEW_KEY_PAD_PLUS
               : *name == '-'               ? VIEW_KEY_PAD_MINUS
                                            : VIEW_KEY_OTHER;
    if (event->location == DOM_KEY_LOCATION_NUMPAD && strcmp(name, "Enter") == 0)
        return VIEW_KEY_PAD_ENTER;
    if (strcmp(name, "Shift") == 0)
        return event->location == DOM_KEY_LOCATION_RIGHT ? VIEW_KEY_RIGHT_SHIFT
                                                         : VIEW_KEY_LEFT_SHIFT;
    if (strcmp(name, "Alt") == 0)
        return event->location == DOM_KEY_LOCATION_LEFT ? VIEW_KEY_LEFT_ALT : VIEW_KEY_OTHER;
    if (name[0] == 'F' && name[1] >= '1' && name[1] <= '9') {
        const int number = atoi(name + 1);
        return number <= 12 ? VIEW_KEY_F(number) : VIEW_KEY_OTHER;
    }
    if (is_character(name)) {
        // A key is what it gives without Shift. Of letters that is the small one; of digits only
        // the code says it.
        if (*name >= 'A' && *name <= 'Z')
            return *name + ('a' - 'A');
        if (event->shiftKey && strncmp(code, digit, sizeof digit - 1) == 0)
            return code[sizeof digit - 1];
        if ((unsigned char)*name < 0x80)
            return *name;
        if (strncmp(code, letter, sizeof letter - 1) == 0)
            return code[sizeof letter - 1] + ('a' - 'A'); // another alphabet: by its position
    }
    for (size_t i = 0; i < COMMON_LENGTH(names); i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].key;
    return VIEW_KEY_OTHER;
}

// A piece of text, from a key or the clipboard, that fits into an event.
EMSCRIPTEN_KEEPALIVE void web_paste(view_window *window, const char *text)
{
    view_input input = {.kind = VIEW_INPUT_TEXT};
    COMMON_TEXT(input.text, "%s", text);
    push(window, input);
}

// Returns whether the browser leaves the key alone: not those of its own menus, nor Ctrl+V, after
// which it gives the text (web_paste), nor Tab where it leaves the canvas. F6 leaves it at once,
// Escape if it is pressed twice in a row.
static EM_BOOL take_key(int type, const EmscriptenKeyboardEvent *event, void *user)
{
    view_window *const window = user;
    const bool down = type == EMSCRIPTEN_EVENT_KEYDOWN;
    const bool control = event->ctrlKey || event->metaKey;
    const view_input input = {.kind = down ? VIEW_INPUT_KEY_DOWN : VIEW_INPUT_KEY_UP,
                              .key = key_of_event(event),
                              .shift = event->shiftKey,
                              .control = control,
                              .alt = event->altKey,
                              .is_repeated = event->repeat};
    if (input.key == VIEW_KEY_TAB && window->lets_go)
        return EM_FALSE;
    if (input.key == VIEW_KEY_F(6))
        return !down || view_ask_page("leave");
    if (down && input.key == VIEW_KEY_ESCAPE && !input.is_repeated) {
        if (event->timestamp - window->last_escape < 700)
            view_ask_page("leave");
        window->last_escape = event->timestamp;
    }
    if (down && input.key != VIEW_KEY_LEFT_SHIFT && input.key != VIEW_KEY_RIGHT_SHIFT)
        window->lets_go = input.key == VIEW_KEY_ESCAPE;
    push(window, input);
    if (down && is_character(event->key) && !control && !event->altKey)
        web_paste(window, event->key);
    const bool is_browsers = (control && strchr("vVcCtTnNwW+-=0", event->key[0]) != NULL)
                             || input.key == VIEW_KEY_F(5) || input.key == VIEW_KEY_F(12);
    return !is_browsers;
}

// -- The mouse ------------------------------------------------------------------------------

static void press(view_window *window, view_button button, bool down, view_input held)
{
    view_input input = held;
    const double now = view_seconds();
    input.kind = down ? VIEW_INPUT_PRESS : VIEW_INPUT_RELEASE;
    input.button = button;
    input.x = window->x;
    input.y = window->y;
    if (down) {
        const float reach = held.is_touch ? 24.0f : 5.0f; // fingers are less exact
        const bool is_again = button == VIEW_BUTTON_LEFT && now - window->last_press < 0.4
                              && fabsf(window->x - window->press_x) < reach
                              && fabsf(window->y - window->press_y) < reach;
        window->clicks = is_again ? window->clicks + 1 : 1;
        window->last_press = now;
        window->press_x = window->x;
        window->press_y = window->y;
    }
    input.clicks = window->clicks;
    window->held = down ? button : VIEW_BUTTON_NONE;
    push(window, input);
}

static void move_to(view_window *window, float x, float y)
{
    push(window, (view_input){.kind = VIEW_INPUT_MOVE,
                              .x = x,
                              .y = y,
                              .moved_x = x - window->x,
                              .moved_y = y - window->y});
    window->x = x;
    window->y = y;
}

static EM_BOOL take_mouse(int type, const EmscriptenMouseEvent *event, void *user)
{
    static const view_button buttons[] = {VIEW_BUTTON_LEFT, VIEW_BUTTON_MIDDLE, VIEW_BUTTON_RIGHT};
    view_window *const window = user;
    const float x = (float)event->clientX;
    const float y = (float)event->clientY;
    if (type == EMSCRIPTEN_EVENT_MOUSEMOVE) {
        move_to(window, x, y);
        return EM_FALSE;
    }
    const bool down = type == EMSCRIPTEN_EVENT_MOUSEDOWN;
    const view_button button = event->button < 3 ? buttons[event->button] : VIEW_BUTTON_NONE;
    if (!down && window->held == VIEW_BUTTON_NONE)
        return EM_FALSE; // was pressed elsewhere on the page
    window->x = x;
    window->y = y;
    press(window, button, down,
          (view_input){.shift = event->shiftKey,
                       .control = event->ctrlKey || event->metaKey,
                       .alt = event->altKey});
    return EM_FALSE; // so that the page gets the focus
}

static EM_BOOL take_wheel(int type, const EmscriptenWheelEvent *event, void *user)
{
    view_window *const window = user;
    (void)type;
    // Browsers count pixels, lines or pages; a step of a wheel is about 100, 3 or 1 of them.
    const double step = event->deltaMode == DOM_DELTA_PIXEL  ? 100.0
                        : event->deltaMode == DOM_DELTA_LINE ? 3.0
                                                             : 1.0;
    push(window, (view_input){.kind = VIEW_INPUT_WHEEL,
                              .x = (float)event->mouse.clientX,
                              .y = (float)event->mouse.clientY,
                              .wheel = (float)(-event->deltaY / step)});
    return EM_TRUE; // the page does not scroll
}

// -- Touch ----------------------------------------------------------------------------------
//
// One finger is the left button. Two are the middle one, which pans, in their middle, and the wheel
// by their distance.

static EM_BOOL take_touch(int type, const EmscriptenTouchEvent *event, void *user)
{
    view_window *const window = user;
    const EmscriptenTouchPoint *down[2] = {NULL};
    int count = 0;
    const bool ends = type == EMSCRIPTEN_EVENT_TOUCHEND || type == EMSCRIPTEN_EVENT_TOUCHCANCEL;
    for (int i = 0; i < event->numTouches; i++) // those that end now are in the list too
        if (!(ends && event->touches[i].isChanged) && count++ < 2)
            down[count - 1] = &event->touches[i];
    const double now = event->timestamp * 0.001;
    if (view_count_fingers(&window->fingers, count, now) && type == EMSCRIPTEN_EVENT_TOUCHEND)
        push(window, (view_input){.kind = VIEW_INPUT_KEY_DOWN, .key = VIEW_KEY_HOME});
    count = count < 2 ? count : 2;
    const view_button button = count == 0   ? VIEW_BUTTON_NONE
                               : count == 1 ? VIEW_BUTTON_LEFT
                                            : VIEW_BUTTON_MIDDLE;
    const view_button before = window->held;
    // After two fingers the one that is left does nothing.
    const bool is_rest = before == VIEW_BUTTON_MIDDLE && count == 1;
    if (before != VIEW_BUTTON_NONE && before != button)
        press(
            window, before, false,
            (view_input){.is_given_up = count > 1, .is_long = view_is_long(&window->fingers, now)});
    window->spread = count == 2 ? window->spread : 0.0f;
    if (count == 0 || is_rest || (ends && count == 1))
        return EM_TRUE;
    const EmscriptenTouchPoint *const other = down[count - 1];
    const float x = 0.5f * (float)(down[0]->clientX + other->clientX);
    const float y = 0.5f * (float)(down[0]->clientY + other->clientY);
    if (button != before) {
        if (type == EMSCRIPTEN_EVENT_TOUCHMOVE)
            return EM_TRUE;
        window->x = x;
        window->y = y;
        press(window, button, true, (view_input){.is_touch = true});
    } else {
        move_to(window, x, y);
    }
    if (count == 2) {
        const float spread = hypotf((float)(down[0]->clientX - other->clientX),
                                    (float)(down[0]->clientY - other->clientY));
        if (window->spread > 0.0f && spread > 0.0f) // a step of the wheel is 1.15
            push(window, (view_input){.kind = VIEW_INPUT_WHEEL,
                                      .x = x,
                                      .y = y,
                                      .wheel = logf(spread / window->spread) / logf(1.15f)});
        window->spread = spread;
    }
    return EM_TRUE;
}

// -- From the page ---------------------------------------------------------------------------

// A file or a folder that was dropped at a point, which view.js has copied to `path`.
EMSCRIPTEN_KEEPALIVE void web_drop(view_window *window, const char *path, float x, float y)
{
    push(window, (view_input){.kind = VIEW_INPUT_DROP, .x = x, .y = y, .path = common_copy(path)});
}

// Sets an option, as the menus do.
EMSCRIPTEN_KEEPALIVE void web_set(view_window *window, const char *option, const char *text)
{
    view_input input = {.kind = VIEW_INPUT_SET, .path = common_copy(text)};
    COMMON_TEXT(input.text, "%s", option);
    push(window, input);
}

// What view.js needs of the program: where to send drops and texts.
EM_JS(void, tell_page, (view_window * window), { Module["opened"](window); })
EM_JS(void, tell_drawn, (void), { Module["drawn"](); })
EM_JS(void, show_problem, (const char *text), { Module["printErr"](UTF8ToString(text)); })
EM_JS(bool, ask_page, (const char *what), { return Module["asked"](UTF8ToString(what)); })
EM_JS(double, text_scale, (void),
      { return matchMedia("(pointer: coarse)").matches ? 1.2 : 1; }) // for fingers
EM_JS(void, set_title, (const char *text), { document.title = UTF8ToString(text); })
EM_JS(void, copy_text, (const char *text), {
    if (navigator.clipboard)
        navigator.clipboard.writeText(UTF8ToString(text)).catch(function(){});
})

// == The window ===================================================================================

// The canvas fills the page, with a pixel for each of the device.
static void fit(view_window *window)
{
    emscripten_get_element_css_size(canvas, &window->width, &window->height);
    window->ratio = emscripten_get_device_pixel_ratio();
    emscripten_set_canvas_element_size(canvas, (int)round(window->width * window->ratio),
                                       (int)round(window->height * window->ratio));
}

static EM_BOOL take_resize(int type, const EmscriptenUiEvent *event, void *user)
{
    view_window *const window = user;
    (void)type;
    (void)event;
    fit(window);
    push(window, (view_input){.kind = VIEW_INPUT_RESIZE});
    return EM_FALSE;
}

static EM_BOOL take_full_screen(int type, const EmscriptenFullscreenChangeEvent *event, void *user)
{
    view_window *const window = user;
    (void)type;
    window->is_full = event->isFullscreen;
    return EM_FALSE;
}

static void listen(view_window *window)
{
    const char *const page = EMSCRIPTEN_EVENT_TARGET_WINDOW;
    emscripten_set_keydown_callback(canvas, window, false, take_key);
    emscripten_set_keyup_callback(canvas, window, false, take_key);
    emscripten_set_mousedown_callback(canvas, window, false, take_mouse);
    emscripten_set_mouseup_callback(page, window, false, take_mouse);
    emscripten_set_mousemove_callback(page, window, false, take_mouse);
    emscripten_set_wheel_callback(canvas, window, false, take_wheel);
    emscripten_set_touchstart_callback(canvas, window, false, take_touch);
    emscripten_set_touchmove_callback(canvas, window, false, take_touch);
    emscripten_set_touchend_callback(canvas, window, false, take_touch);
    emscripten_set_touchcancel_callback(canvas, window, false, take_touch);
    emscripten_set_resize_callback(page, window, false, take_resize);
    emscripten_set_fullscreenchange_callback(EMSCRIPTEN_EVENT_TARGET_DOCUMENT, window, false,
                                             take_full_screen);
}

view_window *view_open_window(const char *title, uint32_t width, uint32_t height, bool visible,
                              char *problem, size_t size)
{
    view_window *const window = common_alloc(1, sizeof *window);
    EmscriptenWebGLContextAttributes attributes;
    (void)width; // it has the size of the page
    (void)height;
    emscripten_webgl_init_context_attributes(&attributes);
    attributes.majorVersion = 2;
    attributes.alpha = false;
    attributes.antialias = false; // pictures of several samples come from a target
    attributes.depth = true;
    fit(window);
    window->context = emscripten_webgl_create_context(canvas, &attributes);
    if (window->context <= 0
        || emscripten_webgl_make_context_current(window->context) != EMSCRIPTEN_RESULT_SUCCESS) {
        snprintf(problem, size, "this browser has no WebGL 2, or it is switched off");
        free(window);
        return NULL;
    }
    window->lets_go = true;
    if (visible) {
        view_set_title(window, title);
        listen(window);
        tell_page(window);
    }
    return window;
}

void view_close_window(view_window *window)
{
    if (window == NULL)
        return;
    emscripten_webgl_destroy_context(window->context);
    while (window->count > 0) {
        view_input input;
        view_next_input(window, 0.0, &input);
        free(input.path);
    }
    free(window->line);
    free(window);
}

// Browsers hide which device draws behind a name of their own, but for those who ask with an
// extension.
static const GLubyte *get_string(GLenum name)
{
    enum { UNMASKED_RENDERER = 0x9246 };
    const EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context = emscripten_webgl_get_current_context();
    const GLubyte *const text = glGetString(name);
    if (name != GL_RENDERER || strcmp((const char *)text, "WebKit WebGL") != 0
        || !emscripten_webgl_enable_extension(context, "WEBGL_debug_renderer_info"))
        return text;
    return glGetString(UNMASKED_RENDERER);
}

void (*view_find_gl(void *user, const char *name))(void)
{
    (void)user;
    if (strcmp(name, "glGetString") == 0)
        return (void (*)(void))get_string;
    return (void (*)(void))emscripten_webgl_get_proc_address(name);
}

bool view_ask_page(const char *what)
{
    return ask_page(what);
}

void view_show_problem(const char *text)
{
    show_problem(text);
}

// -- Steps ----------------------------------------------------------------------------------

// Waits while the context is lost: view.js then stops this program, and starts another. Waits for
// the first picture, too, which would be seen much later if the GPU had to draw a second one.
static void step_once(void *user)
{
    view_window *const window = user;
    const bool is_lost = emscripten_is_webgl_context_lost(window->context);
    if (window->awaited != NULL) {
        GLint status = GL_SIGNALED; // unless it says otherwise
        glGetSynciv(window->awaited, GL_SYNC_STATUS, 1, NULL, &status);
        if (status == GL_SIGNALED && !is_lost) {
            glDeleteSync(window->awaited);
            window->awaited = NULL;
            tell_drawn();
        }
    } else if (!is_lost && !window->steps.step(window->steps.user)) {
        emscripten_cancel_main_loop();
        view_ask_page("about");
    }
}

// The browser calls step_once() before each picture of the screen. This call unwinds to the page,
// and keeps the stack: what it points to stays.
void view_run_steps(view_window *window, const view_steps *steps, bool watched)
{
    (void)watched; // the browser does
    window->steps = *steps;
    emscripten_set_main_loop_arg(step_once, window, 0, true);
}

// The command line that shows what is seen now; it stays until the next call.
EMSCRIPTEN_KEEPALIVE const char *web_command_line(view_window *window)
{
    free(window->line);
    window->line = window->steps.describe(window->steps.user);
    return window->line;
}

EMSCRIPTEN_KEEPALIVE void web_stop(void)
{
    emscripten_cancel_main_loop();
    emscripten_html5_remove_all_event_listeners();
}

// -- State ----------------------------------------------------------------------------------

const char *view_window_driver(const view_window *window)
{
    (void)window;
    return "browser";
}

bool view_is_window_seen(const view_window *window)
{
    (void)window;
    return true;
}

bool view_is_window_hidden(const view_window *window)
{
    return !window->is_shown;
}

void view_show_window(view_window *window)
{
    window->is_shown = true;
    window->awaited = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glFlush();
}

void view_set_title(view_window *window, const char *title)
{
    (void)window;
    set_title(title);
}

bool view_is_full_screen(const view_window *window)
{
    return window != NULL && window->is_full;
}

void view_set_full_screen(view_window *window, bool full)
{
    (void)window;
    if (full)
        emscripten_request_fullscreen("#page", true);
    else
        emscripten_exit_fullscreen();
}

void view_window_points(const view_window *window, int *width, int *height)
{
    *width = window != NULL ? (int)round(window->width) : 0;
    *height = window != NULL ? (int)round(window->height) : 0;
}

void view_window_pixels(const view_window *window, int *width, int *height)
{
    *width = *height = 0;
    if (window != NULL)
        emscripten_get_canvas_element_size(canvas, width, height);
}

float view_screen_scale(const view_window *window)
{
    return (float)(window->ratio * text_scale());
}

double view_screen_rate(const view_window *window)
{
    (void)window;
    return 60.0;
}

void view_swap_window(view_window *window)
{
    (void)window; // the browser shows it at the end of a step
}

void view_set_swap_waits(view_window *window, bool waits)
{
    (void)window;
    (void)waits;
}

// == The rest of the system =======================================================================

double view_seconds(void)
{
    return emscripten_get_now() * 0.001;
}

void view_sleep(double seconds)
{
    (void)seconds; // a page must not
}

bool view_copy_text(const char *text)
{
    copy_text(text);
    return true;
}

// The browser gives it after the key, as text: web_paste().
char *view_paste_text(void)
{
    return NULL;
}

char *view_program_folder(void)
{
    return common_copy("/");
}

// == Sound ========================================================================================

// A context may sound after a key or a touch only: before that it is not made.
EM_JS(void, play_sound, (const float *samples, int count, int rate), {
    if (!navigator.userActivation || !navigator.userActivation.hasBeenActive)
        return;
    Module["sound"] = Module["sound"] || new AudioContext();
    const context = Module["sound"];
    const buffer = context.createBuffer(1, count, rate), source = context.createBufferSource();
    buffer.getChannelData(0).set(HEAPF32.subarray(samples >> 2, (samples >> 2) + count));
    source.buffer = buffer;
    source.connect(context.destination);
    source.start();
})

void view_play_sound(view_window *window, const float *samples, size_t count)
{
    (void)window;
    if (count > 0)
        play_sound(samples, (int)count, VIEW_SOUND_RATE);
}

// == Threads: none ================================================================================
//
// Threads of a page need headers of the server that few hosts send. Folders are then searched in
// one go, and there are no previews.

view_thread *view_start_thread(int (*run)(void *user), const char *name, void *user)
{
    (void)run;
    (void)name;
    (void)user;
    return NULL;
}

void view_wait_thread(view_thread *thread, const char *name)
{
    (void)name;
    (void)thread;
}

view_lock *view_new_lock(const char *thread)
{
    (void)thread;
    return NULL;
}

void view_free_lock(view_lock *lock)
{
    (void)lock;
}

void view_lock_enter(view_lock *lock)
{
    (void)lock;
}

void view_lock_leave(view_lock *lock)
{
    (void)lock;
}

void view_lock_wait(view_lock *lock)
{
    (void)lock;
}

void view_lock_signal(view_lock *lock)
{
    (void)lock;
}
