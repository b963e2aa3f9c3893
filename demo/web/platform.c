// The viewer's platform layer for browsers. It uses WebGL 2 on the canvas of a page, and
// emscripten's html5.h. The page (view.js) loads the program, passes files to it, and shows its
// output.
//
// Browsers report events between frames. The window stores them in a ring buffer until the viewer
// reads them with view_next_input(). The browser calls step_once() before each frame of the screen,
// and the viewer draws one frame in each call.
#include "demo/viewer/platform/platform.h"

#include "demo/common/memory.h"

#include <GLES3/gl3.h>
#include <emscripten.h>
#include <emscripten/html5.h>
#include <emscripten/html5_webgl.h>
#include <math.h>

enum { MAX_INPUTS = 256 };

struct view_window {
    EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context;

    // Ring buffer of the events since the last frame.
    view_input inputs[MAX_INPUTS];
    size_t first;
    size_t count;

    bool is_shown;
    bool is_full;
    GLsync awaited; // fence of the first frame, until the GPU has finished it
    double width;   // CSS pixels, which are the viewer's points
    double height;  // CSS pixels
    double ratio;   // device pixels per CSS pixel

    // The mouse, or a finger that acts as the mouse.
    view_button held;
    float x;
    float y;
    double last_press; // time of the last press, seconds
    float press_x;
    float press_y;
    int clicks; // number of consecutive clicks

    bool tab_leaves;    // Tab moves the focus out of the canvas: at the start, and after Escape
    double last_escape; // time of the last Escape, ms
    view_fingers fingers;
    float spread; // distance of two fingers; 0 if fewer are down
    view_pad pad;
    view_steps steps; // argument of view_run_steps()
    char *line;       // result of web_command_line()
};

static const char canvas[] = "#canvas";

// == Events =======================================================================================

// Appends an event to the ring buffer, which then owns its path. If the buffer is full, the event
// is dropped. This does not occur in practice, because a user does not type 256 keys within a
// frame.
static void push(view_window *window, view_input input)
{
    if (window->count == MAX_INPUTS) {
        free(input.path);
        return;
    }
    window->inputs[(window->first + window->count++) % MAX_INPUTS] = input;
}

// Reads the state of the first gamepad. Returns false without a gamepad.
static bool sample_gamepad(EmscriptenGamepadEvent *state)
{
    if (emscripten_sample_gamepad_data() != EMSCRIPTEN_RESULT_SUCCESS)
        return false;
    if (emscripten_get_num_gamepads() < 1)
        return false;
    return emscripten_get_gamepad_status(0, state) == EMSCRIPTEN_RESULT_SUCCESS;
}

// Reads the first gamepad. Browsers hide a gamepad until one of its buttons is pressed.
static void read_pad(view_pad *pad)
{
    static const struct {
        int button; // index in the standard layout
        view_pad_button bit;
    } buttons[] = {{0, VIEW_PAD_JUMP},  {9, VIEW_PAD_START}, {2, VIEW_PAD_RUN},
                   {5, VIEW_PAD_RUN},   {12, VIEW_PAD_UP},   {13, VIEW_PAD_DOWN},
                   {14, VIEW_PAD_LEFT}, {15, VIEW_PAD_RIGHT}};
    EmscriptenGamepadEvent state;
    *pad = (view_pad){.reported = pad->reported};
    if (!sample_gamepad(&state))
        return;
    pad->x = (float)state.axis[0];
    pad->y = (float)state.axis[1];
    for (size_t i = 0; i < COMMON_LENGTH(buttons); i++) {
        if (buttons[i].button < state.numButtons && state.digitalButton[buttons[i].button])
            pad->buttons |= buttons[i].bit;
    }
}

// Writes the next event to `event`. Returns false if there is no event; never waits. Callbacks have
// stored all events except gamepad events. Browsers do not report them, so this function first
// reads the state of the gamepad and compares it with the state that was reported.
bool view_next_input(view_window *window, double timeout, view_input *event)
{
    (void)timeout; // the browser waits between two frames
    read_pad(&window->pad);
    if (view_next_pad_key(&window->pad, event))
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

// Returns true if the text of a key is one character. The text of any other key is a name, such as
// "Enter".
static bool is_character(const char *text)
{
    size_t count = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        if (((unsigned char)text[i] & 0xC0) != 0x80)
            count++;
    }
    return count == 1;
}

// Returns the key of a character on the numeric keypad.
static int32_t keypad_key(char character)
{
    if (character >= '0' && character <= '9')
        return VIEW_KEY_PAD(character - '0');
    if (character == '+')
        return VIEW_KEY_PAD_PLUS;
    return character == '-' ? VIEW_KEY_PAD_MINUS : VIEW_KEY_OTHER;
}

// Returns the key that produces a character without Shift, or 0 if the key is unknown. `code` is
// the position of the key on a US keyboard. Digits with Shift and letters of other alphabets can be
// recognized only by their position.
static int32_t character_key(const char *name, const char *code, bool has_shift)
{
    static const char letter[] = "Key";
    static const char digit[] = "Digit";
    if (*name >= 'A' && *name <= 'Z')
        return *name + ('a' - 'A');
    if (has_shift && strncmp(code, digit, sizeof digit - 1) == 0)
        return code[sizeof digit - 1];
    if ((unsigned char)*name < 0x80)
        return *name;
    if (strncmp(code, letter, sizeof letter - 1) == 0)
        return code[sizeof letter - 1] + ('a' - 'A');
    return 0;
}

// Returns the key with a name such as "Enter". The name is not a character.
static int32_t named_key(const char *name)
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
    if (name[0] == 'F' && name[1] >= '1' && name[1] <= '9') {
        const int number = atoi(name + 1);
        return number <= 12 ? VIEW_KEY_F(number) : VIEW_KEY_OTHER;
    }
    for (size_t i = 0; i < COMMON_LENGTH(names); i++) {
        if (strcmp(names[i].name, name) == 0)
            return names[i].key;
    }
    return VIEW_KEY_OTHER;
}

// Converts a key of the browser to a key of the viewer. A browser names a key by the text that it
// produces or by its function, such as "Enter".
static int32_t event_key(const EmscriptenKeyboardEvent *event)
{
    const char *const name = event->key;
    const bool is_keypad = event->location == DOM_KEY_LOCATION_NUMPAD;
    const bool is_left = event->location == DOM_KEY_LOCATION_LEFT;
    const bool is_right = event->location == DOM_KEY_LOCATION_RIGHT;
    if (is_keypad && is_character(name))
        return keypad_key(*name);
    if (is_keypad && strcmp(name, "Enter") == 0)
        return VIEW_KEY_PAD_ENTER;
    if (strcmp(name, "Shift") == 0)
        return is_right ? VIEW_KEY_RIGHT_SHIFT : VIEW_KEY_LEFT_SHIFT;
    if (strcmp(name, "Alt") == 0)
        return is_left ? VIEW_KEY_LEFT_ALT : VIEW_KEY_OTHER; // the right one is AltGr
    if (!is_character(name))
        return named_key(name);
    const int32_t key = character_key(name, event->code, event->shiftKey);
    return key != 0 ? key : VIEW_KEY_OTHER;
}

// Adds text from a key or from the clipboard. Text that does not fit into an event is cut.
EMSCRIPTEN_KEEPALIVE void web_paste(view_window *window, const char *text)
{
    view_input input = {.kind = VIEW_INPUT_TEXT};
    COMMON_TEXT(input.text, "%s", text);
    push(window, input);
}

// Returns true for keys that the browser must handle. These are the shortcuts of its menus, and
// Ctrl+V. After Ctrl+V, the browser passes the text to web_paste().
static bool is_browser_key(const EmscriptenKeyboardEvent *event, const view_input *input)
{
    if (input->control && strchr("vVcCtTnNwW+-=0", event->key[0]) != NULL)
        return true;
    return input->key == VIEW_KEY_F(5) || input->key == VIEW_KEY_F(12);
}

// Moves the focus out of the canvas if Escape is pressed twice.
static void handle_escape(view_window *window, double milliseconds)
{
    static const double max_pause = 700; // milliseconds
    if (milliseconds - window->last_escape < max_pause)
        view_send_page_request("leave");
    window->last_escape = milliseconds;
}

// Converts an event of the keyboard to an input of the viewer.
static view_input convert_key(int type, const EmscriptenKeyboardEvent *event)
{
    const bool is_down = type == EMSCRIPTEN_EVENT_KEYDOWN;
    return (view_input){.kind = is_down ? VIEW_INPUT_KEY_DOWN : VIEW_INPUT_KEY_UP,
                        .key = event_key(event),
                        .shift = event->shiftKey,
                        .control = event->ctrlKey || event->metaKey,
                        .alt = event->altKey,
                        .is_repeated = event->repeat};
}

// Updates the state of the focus after a key was pressed. The focus leaves the canvas if Escape is
// pressed twice, or if Tab is pressed after Escape.
static void update_focus(view_window *window, const view_input *pressed, double milliseconds)
{
    const bool is_escape = pressed->key == VIEW_KEY_ESCAPE;
    if (is_escape && !pressed->is_repeated)
        handle_escape(window, milliseconds);
    const bool is_shift =
        pressed->key == VIEW_KEY_LEFT_SHIFT || pressed->key == VIEW_KEY_RIGHT_SHIFT;
    if (!is_shift) // Shift+Tab is also possible after Escape
        window->tab_leaves = is_escape;
}

// Handles a key. F6 moves the focus out of the canvas. Returns true if the viewer uses the key, so
// that the browser must ignore it.
static EM_BOOL handle_key(int type, const EmscriptenKeyboardEvent *event, void *user)
{
    view_window *const window = user;
    const bool is_down = type == EMSCRIPTEN_EVENT_KEYDOWN;
    const view_input input = convert_key(type, event);
    if (input.key == VIEW_KEY_TAB && window->tab_leaves)
        return EM_FALSE;
    if (input.key == VIEW_KEY_F(6))
        return !is_down || view_send_page_request("leave");

    if (is_down)
        update_focus(window, &input, event->timestamp);
    push(window, input);
    const bool is_text = is_character(event->key) && !input.control && !input.alt;
    if (is_down && is_text)
        web_paste(window, event->key);
    return !is_browser_key(event, &input);
}

// -- The mouse ------------------------------------------------------------------------------

// Returns true if a press continues a series of clicks. Fingers may be less exact than a mouse.
static bool is_next_click(const view_window *window, view_button button, double now, bool is_touch)
{
    static const double max_pause = 0.4;                // seconds
    const float max_distance = is_touch ? 24.0f : 5.0f; // pixels
    if (button != VIEW_BUTTON_LEFT || now - window->last_press >= max_pause)
        return false;
    return fabsf(window->x - window->press_x) < max_distance
           && fabsf(window->y - window->press_y) < max_distance;
}

// Counts a press of a button at the position of the pointer. It either continues a series of clicks
// or begins a new one.
static void count_click(view_window *window, view_button button, bool is_touch)
{
    const double now = view_seconds();
    const bool is_next = is_next_click(window, button, now, is_touch);
    window->clicks = is_next ? window->clicks + 1 : 1;
    window->last_press = now;
    window->press_x = window->x;
    window->press_y = window->y;
}

// Adds a press or a release of a button at the position of the pointer. `properties` contains the
// modifier keys and the other properties of the input.
static void press(view_window *window, view_button button, bool down, view_input properties)
{
    if (down)
        count_click(window, button, properties.is_touch);
    window->held = down ? button : VIEW_BUTTON_NONE;

    view_input input = properties;
    input.kind = down ? VIEW_INPUT_PRESS : VIEW_INPUT_RELEASE;
    input.button = button;
    input.x = window->x;
    input.y = window->y;
    input.clicks = window->clicks;
    push(window, input);
}

// Adds an input event for a pointer that has moved to a position in CSS pixels.
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

// Converts an event of the mouse. A drag can end outside of the canvas, so buttons can be released
// anywhere on the page.
static EM_BOOL handle_mouse(int type, const EmscriptenMouseEvent *event, void *user)
{
    static const view_button buttons[] = {VIEW_BUTTON_LEFT, VIEW_BUTTON_MIDDLE, VIEW_BUTTON_RIGHT};
    view_window *const window = user;
    const float x = (float)event->clientX;
    const float y = (float)event->clientY;
    if (type == EMSCRIPTEN_EVENT_MOUSEMOVE) {
        move_to(window, x, y);
        return EM_FALSE;
    }

    const bool is_down = type == EMSCRIPTEN_EVENT_MOUSEDOWN;
    const view_button button = event->button < 3 ? buttons[event->button] : VIEW_BUTTON_NONE;
    if (!is_down && window->held == VIEW_BUTTON_NONE)
        return EM_FALSE; // the button was pressed outside of the canvas
    const view_input modifiers = {.shift = event->shiftKey,
                                  .control = event->ctrlKey || event->metaKey,
                                  .alt = event->altKey};
    window->x = x;
    window->y = y;
    press(window, button, is_down, modifiers);
    return EM_FALSE; // the browser moves the focus to the page
}

// Returns the distance of one step of the wheel. Browsers measure distances in pixels, lines or
// pages.
static double wheel_step(const EmscriptenWheelEvent *event)
{
    if (event->deltaMode == DOM_DELTA_PIXEL)
        return 100.0;
    return event->deltaMode == DOM_DELTA_LINE ? 3.0 : 1.0;
}

// Converts an event of the wheel to steps of a mouse wheel.
static EM_BOOL handle_wheel(int type, const EmscriptenWheelEvent *event, void *user)
{
    view_window *const window = user;
    (void)type;
    push(window, (view_input){.kind = VIEW_INPUT_WHEEL,
                              .x = (float)event->mouse.clientX,
                              .y = (float)event->mouse.clientY,
                              .wheel = (float)(-event->deltaY / wheel_step(event))});
    return EM_TRUE; // the page does not scroll
}

// -- Touch ----------------------------------------------------------------------------------
//
// One finger acts as the left button. Two fingers act as the middle button, which pans, at the
// point between them. A change of their distance also acts as the wheel, which zooms.

// Returns the button for which a number of fingers stands.
static view_button finger_button(int count)
{
    if (count == 0)
        return VIEW_BUTTON_NONE;
    return count == 1 ? VIEW_BUTTON_LEFT : VIEW_BUTTON_MIDDLE;
}

// Returns the number of fingers that are down, and stores the first two of them in `down`. The list
// of the event also contains fingers that were just lifted, which must not be counted.
static int find_fingers(const EmscriptenTouchEvent *event, bool is_end,
                        const EmscriptenTouchPoint *down[2])
{
    int count = 0;
    for (int i = 0; i < event->numTouches; i++) {
        if (is_end && event->touches[i].isChanged)
            continue;
        if (count < 2)
            down[count] = &event->touches[i];
        count++;
    }
    return count;
}

// Converts a change of the distance between two fingers to an event of the wheel.
static void zoom(view_window *window, float x, float y, float spread)
{
    static const float factor_per_step = 1.15f; // zoom factor per step of the wheel
    if (window->spread > 0.0f && spread > 0.0f)
        push(window, (view_input){.kind = VIEW_INPUT_WHEEL,
                                  .x = x,
                                  .y = y,
                                  .wheel = logf(spread / window->spread) / logf(factor_per_step)});
    window->spread = spread;
}

// Presses the button for one or two fingers, or moves the pointer to the point between them.
// down[count] are the fingers. If fingers were ignored when they were put down, their movement is
// ignored, too.
static void press_or_move(view_window *window, const EmscriptenTouchPoint *const down[2], int count,
                          bool is_move)
{
    const EmscriptenTouchPoint *const first = down[0];
    const EmscriptenTouchPoint *const last = down[count - 1]; // the second finger, if it is down
    const view_button button = finger_button(count);
    const bool is_held = button == window->held;
    const float x = 0.5f * (float)(first->clientX + last->clientX);
    const float y = 0.5f * (float)(first->clientY + last->clientY);
    if (!is_held && is_move)
        return;

    if (is_held) {
        move_to(window, x, y);
    } else {
        window->x = x;
        window->y = y;
        press(window, button, true, (view_input){.is_touch = true});
    }
    if (count == 2) {
        const float horizontal = (float)(first->clientX - last->clientX);
        const float vertical = (float)(first->clientY - last->clientY);
        zoom(window, x, y, hypotf(horizontal, vertical));
    }
}

// Releases the held button if the number of fingers has changed. `count` is their number: 0, 1
// or 2. If a second finger is put down, the press by the first finger is given up, so that it is
// not taken for a click.
static void release_for_fingers(view_window *window, int count, double seconds)
{
    const view_button held = window->held;
    if (held == VIEW_BUTTON_NONE || held == finger_button(count))
        return;
    const view_input properties = {.is_canceled = count > 1,
                                   .is_long = view_is_long_touch(&window->fingers, seconds)};
    press(window, held, false, properties);
}

// Converts the fingers on the screen to a mouse. One finger is the left button. Two fingers are the
// middle button, and their distance zooms. A tap with three fingers is the key Home.
static EM_BOOL handle_touch(int type, const EmscriptenTouchEvent *event, void *user)
{
    view_window *const window = user;
    const EmscriptenTouchPoint *down[2] = {NULL};
    const bool is_end = type == EMSCRIPTEN_EVENT_TOUCHEND || type == EMSCRIPTEN_EVENT_TOUCHCANCEL;
    const int num_fingers = find_fingers(event, is_end, down);
    const int count = num_fingers < 2 ? num_fingers : 2; // further fingers have no effect
    const double now = event->timestamp * 0.001;         // seconds
    const bool is_tap = view_count_fingers(&window->fingers, num_fingers, now); // three fingers
    if (is_tap && type == EMSCRIPTEN_EVENT_TOUCHEND)
        push(window, (view_input){.kind = VIEW_INPUT_KEY_DOWN, .key = VIEW_KEY_HOME});

    const view_button previous_button = window->held;
    release_for_fingers(window, count, now);
    if (count != 2)
        window->spread = 0.0f;

    // If one of two fingers is lifted, the other is ignored until it is lifted, too.
    const bool is_remaining = previous_button == VIEW_BUTTON_MIDDLE && count == 1;
    const bool is_lifted = is_end && count == 1; // one of several fingers
    if (count > 0 && !is_remaining && !is_lifted)
        press_or_move(window, down, count, type == EMSCRIPTEN_EVENT_TOUCHMOVE);
    return EM_TRUE;
}

// -- Calls from the page ---------------------------------------------------------------------

// Adds an event for a file or a folder that was dropped at a point. view.js has copied it to
// `path`.
EMSCRIPTEN_KEEPALIVE void web_drop(view_window *window, const char *path, float x, float y)
{
    push(window, (view_input){.kind = VIEW_INPUT_DROP, .x = x, .y = y, .path = common_copy(path)});
}

// Adds an event that sets an option, as a menu does.
EMSCRIPTEN_KEEPALIVE void web_set(view_window *window, const char *option, const char *text)
{
    view_input input = {.kind = VIEW_INPUT_SET, .path = common_copy(text)};
    COMMON_TEXT(input.text, "%s", option);
    push(window, input);
}

// -- Calls to the page -----------------------------------------------------------------------

// Passes the window to view.js, which calls the functions above with it.
EM_JS(void, report_window, (view_window * window), { Module["opened"](window); })
EM_JS(void, report_first_frame, (void), { Module["drawn"](); })
EM_JS(void, show_problem, (const char *text), { Module["printErr"](UTF8ToString(text)); })
EM_JS(bool, send_request, (const char *request),
      { return Module["handle_request"](UTF8ToString(request)); })

// Returns the factor by which text is enlarged. It is above 1 if the page is used with fingers.
EM_JS(double, text_scale, (void), { return matchMedia("(pointer: coarse)").matches ? 1.2 : 1; })
EM_JS(void, set_title, (const char *text), { document.title = UTF8ToString(text); })
EM_JS(void, copy_text, (const char *text), {
    if (navigator.clipboard)
        navigator.clipboard.writeText(UTF8ToString(text)).catch(function(){});
})

// == The window ===================================================================================

// Sets the size of the canvas, which fills the page, to the number of device pixels.
static void fit(view_window *window)
{
    emscripten_get_element_css_size(canvas, &window->width, &window->height);
    window->ratio = emscripten_get_device_pixel_ratio();
    emscripten_set_canvas_element_size(canvas, (int)round(window->width * window->ratio),
                                       (int)round(window->height * window->ratio));
}

// Adapts the canvas to the window and asks for a new frame.
static EM_BOOL handle_resize(int type, const EmscriptenUiEvent *event, void *user)
{
    view_window *const window = user;
    (void)type;
    (void)event;
    fit(window);
    push(window, (view_input){.kind = VIEW_INPUT_RESIZE});
    return EM_FALSE;
}

// Stores whether the page is in full screen. The user can change this without the viewer.
static EM_BOOL handle_full_screen(int type, const EmscriptenFullscreenChangeEvent *event,
                                  void *user)
{
    view_window *const window = user;
    (void)type;
    window->is_full = event->isFullscreen;
    return EM_FALSE;
}

// Registers all functions that handle events of the browser. Releases and movements of the mouse
// are registered for the whole page, so that they are not lost outside of the canvas.
static void listen(view_window *window)
{
    const char *const page = EMSCRIPTEN_EVENT_TARGET_WINDOW;
    emscripten_set_keydown_callback(canvas, window, false, handle_key);
    emscripten_set_keyup_callback(canvas, window, false, handle_key);
    emscripten_set_mousedown_callback(canvas, window, false, handle_mouse);
    emscripten_set_mouseup_callback(page, window, false, handle_mouse);
    emscripten_set_mousemove_callback(page, window, false, handle_mouse);
    emscripten_set_wheel_callback(canvas, window, false, handle_wheel);
    emscripten_set_touchstart_callback(canvas, window, false, handle_touch);
    emscripten_set_touchmove_callback(canvas, window, false, handle_touch);
    emscripten_set_touchend_callback(canvas, window, false, handle_touch);
    emscripten_set_touchcancel_callback(canvas, window, false, handle_touch);
    emscripten_set_resize_callback(page, window, false, handle_resize);
    emscripten_set_fullscreenchange_callback(EMSCRIPTEN_EVENT_TARGET_DOCUMENT, window, false,
                                             handle_full_screen);
}

// Creates the WebGL 2 context of the canvas and makes it current. Returns false on failure.
static bool create_context(view_window *window)
{
    EmscriptenWebGLContextAttributes attributes;
    emscripten_webgl_init_context_attributes(&attributes);
    attributes.majorVersion = 2;
    attributes.alpha = false;
    attributes.antialias = false; // multisampled frames are drawn into a separate target
    attributes.depth = true;
    window->context = emscripten_webgl_create_context(canvas, &attributes);
    if (window->context <= 0)
        return false;
    return emscripten_webgl_make_context_current(window->context) == EMSCRIPTEN_RESULT_SUCCESS;
}

// Creates the window, which is the canvas of the page. If the browser does not support WebGL 2,
// returns NULL and writes the problem to problem[size].
view_window *view_open_window(const char *title, uint32_t width, uint32_t height, bool visible,
                              char *problem, size_t size)
{
    view_window *const window = common_alloc(1, sizeof *window);
    (void)width; // the canvas has the size of the page
    (void)height;
    fit(window);
    if (!create_context(window)) {
        snprintf(problem, size,
                 "WebGL 2 is not available: the browser does not support it, or it is turned off");
        free(window);
        return NULL;
    }
    window->tab_leaves = true;
    if (visible) {
        view_set_title(window, title);
        listen(window);
        report_window(window);
    }
    return window;
}

// Frees the window and its WebGL context. Frees the paths of pending events, such as dropped
// files.
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

// Replaces glGetString(). Some browsers return the real name of the device only by an extension.
static const GLubyte *get_string(GLenum name)
{
    enum { UNMASKED_RENDERER = 0x9246 };
    const EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context = emscripten_webgl_get_current_context();
    const GLubyte *const text = glGetString(name);
    if (name != GL_RENDERER || strcmp((const char *)text, "WebKit WebGL") != 0)
        return text;
    if (!emscripten_webgl_enable_extension(context, "WEBGL_debug_renderer_info"))
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

bool view_send_page_request(const char *request)
{
    return send_request(request);
}

void view_show_problem(const char *text)
{
    show_problem(text);
}

// -- Steps ----------------------------------------------------------------------------------

// Reports the first frame to the page if the GPU has finished it.
static void await_first_frame(view_window *window)
{
    GLint status = GL_SIGNALED; // the value if the call fails
    glGetSynciv(window->awaited, GL_SYNC_STATUS, 1, NULL, &status);
    if (status != GL_SIGNALED)
        return;
    glDeleteSync(window->awaited);
    window->awaited = NULL;
    report_first_frame();
}

// Draws a frame. Does nothing while the context is lost, because view.js then stops this program
// and starts another. Also does nothing until the GPU has finished the first frame. That frame
// would appear much later if the GPU had to draw a second frame.
static void step_once(void *user)
{
    view_window *const window = user;
    if (emscripten_is_webgl_context_lost(window->context))
        return;
    if (window->awaited != NULL) {
        await_first_frame(window);
        return;
    }
    const bool goes_on = window->steps.step(window->steps.user);
    if (!goes_on) {
        emscripten_cancel_main_loop();
        view_send_page_request("about");
    }
}

// Makes the browser call step_once() before each frame of the screen. This call returns to the page
// but preserves the stack, so that pointers to it remain valid.
void view_run_steps(view_window *window, const view_steps *steps, bool watched)
{
    (void)watched; // the browser detects hangs
    window->steps = *steps;
    emscripten_set_main_loop_arg(step_once, window, 0, true);
}

// Returns the command line that shows the current view. The text is valid until the next call.
EMSCRIPTEN_KEEPALIVE const char *web_command_line(view_window *window)
{
    free(window->line);
    window->line = window->steps.describe(window->steps.user);
    return window->line;
}

// Ends the program. view.js calls it before it starts another.
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

bool view_is_window_visible(const view_window *window)
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

// Requests full screen for the element "page", which contains the canvas and the controls of the
// page.
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
    (void)window; // the browser shows the frame after step_once()
}

void view_set_swap_waits(view_window *window, bool waits)
{
    (void)window;
    (void)waits;
}

// == System =======================================================================================

double view_seconds(void)
{
    return emscripten_get_now() * 0.001;
}

void view_sleep(double seconds)
{
    (void)seconds; // a page must not block
}

bool view_copy_text(const char *text)
{
    copy_text(text);
    return true;
}

// There is no text yet. The browser passes the text of the clipboard to web_paste() after the key.
char *view_paste_text(void)
{
    return NULL;
}

char *view_program_folder(void)
{
    return common_copy("/");
}

// == Sound ========================================================================================

// Browsers allow sound only after a key or a touch. The audio context is created after that.
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

// == Threads ======================================================================================
// Threads are not supported: a page needs HTTP headers for them that few servers send. Without
// threads, folders are searched in one call and there are no previews.

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
