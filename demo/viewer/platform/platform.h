// The interface to the operating system: a window with OpenGL, its events, the clock, the
// clipboard, sound and threads. There are two implementations: platform_sdl.c uses SDL 2 on
// desktops, and demo/web/platform.c runs in browsers. Other files of the viewer must use this
// interface. All times are in seconds.
#ifndef DEMO_VIEWER_PLATFORM_PLATFORM_H
#define DEMO_VIEWER_PLATFORM_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- Keys (keys.c) --------------------------------------------------------------------------

// Key codes. If a key produces a character without Shift, its code is the Unicode code point of
// this character: 'a', '1', ' '. Codes from VIEW_KEY_NAMED on do not represent characters.
enum {
    VIEW_KEY_BACKSPACE = '\b',
    VIEW_KEY_TAB = '\t',
    VIEW_KEY_RETURN = '\r',
    VIEW_KEY_ESCAPE = 0x1B,
    VIEW_KEY_DELETE = 0x7F,
    VIEW_KEY_NAMED = 1 << 21, // the first code that is not a character
    VIEW_KEY_OTHER = VIEW_KEY_NAMED,
    VIEW_KEY_UP,
    VIEW_KEY_DOWN,
    VIEW_KEY_LEFT,
    VIEW_KEY_RIGHT,
    VIEW_KEY_HOME,
    VIEW_KEY_END,
    VIEW_KEY_PAGE_UP,
    VIEW_KEY_PAGE_DOWN,
    VIEW_KEY_PAUSE,
    VIEW_KEY_MENU, // opens context menus
    VIEW_KEY_LEFT_SHIFT,
    VIEW_KEY_RIGHT_SHIFT,
    VIEW_KEY_LEFT_ALT,
    VIEW_KEY_F0, // F1 follows
    VIEW_KEY_F12 = VIEW_KEY_F0 + 12,
    VIEW_KEY_PAD_ENTER, // from here to VIEW_KEY_PAD_9: keys of the number pad
    VIEW_KEY_PAD_PLUS,
    VIEW_KEY_PAD_MINUS,
    VIEW_KEY_PAD_0,
    VIEW_KEY_PAD_9 = VIEW_KEY_PAD_0 + 9,
};
#define VIEW_KEY_F(number) (VIEW_KEY_F0 + (number)) // 1 to 12
#define VIEW_KEY_PAD(digit) (VIEW_KEY_PAD_0 + (digit))

// Returns the name of a key, for example "PageUp", "F5" or "E". Returns "" if the key has no name.
// The name may be stored in text[size], so the result is valid as long as `text`.
const char *view_name_key(int32_t key, char *text, size_t size);

// -- Events ---------------------------------------------------------------------------------

typedef enum view_input_kind {
    VIEW_INPUT_OTHER, // has no effect except that view_next_input() returns
    VIEW_INPUT_QUIT,
    VIEW_INPUT_KEY_DOWN,
    VIEW_INPUT_KEY_UP,
    VIEW_INPUT_TEXT,
    VIEW_INPUT_PRESS, // press of a mouse button or finger
    VIEW_INPUT_RELEASE,
    VIEW_INPUT_MOVE,
    VIEW_INPUT_WHEEL,
    VIEW_INPUT_DROP,
    VIEW_INPUT_SET,    // the web page sets an option
    VIEW_INPUT_WINDOW, // the window must be drawn again
    VIEW_INPUT_RESIZE,
} view_input_kind;

typedef enum view_button {
    VIEW_BUTTON_NONE,
    VIEW_BUTTON_LEFT,
    VIEW_BUTTON_MIDDLE,
    VIEW_BUTTON_RIGHT,
} view_button;

// An event. The comment of a member starts with the kinds of events for which it is valid. Members
// without such kinds are valid for all events. All other members are 0.
typedef struct view_input {
    view_input_kind kind;
    bool shift;        // key, button: held
    bool control;      // key, button: held
    bool alt;          // key, button: held
    bool is_repeated;  // key down
    bool is_touch;     // press: a finger
    bool is_canceled;  // release: no click, because a second finger touched the screen
    bool is_long;      // release: the finger was down for half a second
    bool is_only_file; // drop: this is the only file of the drop
    bool is_forced;    // key up: the key is released because another window gets the focus
    int32_t key;
    view_button button;
    int clicks;    // press: 2 is a double click
    float x;       // mouse, drop: position in points of the operating system
    float y;       // mouse, drop: position in points of the operating system
    float moved_x; // move: movement since the last event, in points
    float moved_y; // move: movement since the last event, in points
    float wheel;   // steps; forward is positive
    char text[32]; // text: UTF-8, NUL-terminated; set: the option's name
    char *path;    // drop: path; set: value of the option; freed by the receiver
} view_input;

// Buttons of a gamepad, as bits. Each button acts as a key: Space, Pause, Shift, W, S, A, D.
typedef enum view_pad_button {
    VIEW_PAD_JUMP = 1,
    VIEW_PAD_START = 2,
    VIEW_PAD_RUN = 4,
    VIEW_PAD_UP = 8,
    VIEW_PAD_DOWN = 16,
    VIEW_PAD_LEFT = 32,
    VIEW_PAD_RIGHT = 64,
} view_pad_button;

typedef struct view_pad {
    uint32_t buttons;  // pressed buttons
    float x;           // position of the stick to the right, -1 to 1
    float y;           // position of the stick downward, -1 to 1
    uint32_t reported; // bits of the keys that view_next_pad_key() has reported as pressed
} view_pad;

// Writes one key event for a button of the gamepad whose state differs from the reported state of
// its key. Returns false if there is no such button. The caller repeats the call until then
// (keys.c).
bool view_next_pad_key(view_pad *pad, view_input *event);

// The current series of quick presses of a mouse button at one position.
typedef struct view_clicks {
    int count;     // number of presses in the series; 0 before the first press
    int button;    // the pressed button
    uint32_t time; // time of the last press, ms; it may wrap around
    float x, y;    // position of the last press, pixels
} view_clicks;

// Adds a press of a mouse button. Returns its number in the series; 2 is a double click. A press
// continues the series under three conditions: the button is the same, at most half a second has
// passed, and the distance is at most 16 pixels in each direction.
int view_count_clicks(view_clicks *clicks, int button, uint32_t time, float x, float y);

// Fingers on a touch screen. The state covers one gesture, from the first touch until all fingers
// are lifted.
typedef struct view_fingers {
    int down;     // number of fingers on the screen
    int max_down; // maximum of `down` during the gesture
    double begin; // time of the first touch, seconds
} view_fingers;

// Updates the number of fingers on the screen. Returns true if a tap with three fingers has just
// ended. This gesture acts as the key Home (keys.c).
bool view_count_fingers(view_fingers *fingers, int down, double time);

// Returns true if the first finger has been down long enough to replace the right mouse button.
static inline bool view_is_long_touch(const view_fingers *fingers, double time)
{
    return time - fingers->begin > 0.5;
}

// -- The window -----------------------------------------------------------------------------

typedef struct view_window view_window;

// Opens a window with a size in points and makes its OpenGL context current. The window is hidden
// until view_show_window() is called. If `visible` is false, the window is used only to render
// images and does not need a display. Returns NULL and writes the reason to `problem` on failure.
view_window *view_open_window(const char *title, uint32_t width, uint32_t height, bool visible,
                              char *problem, size_t size);

// Closes the window and shuts down the platform. If `window` is NULL, only shuts down the platform.
void view_close_window(view_window *window);

// Returns the address of an OpenGL function, or NULL. Has the type of md5gl_opts.load.
void (*view_find_gl(void *user, const char *name))(void);

// Sends a request to the web page that contains the viewer. Returns true if the page handles it.
// The desktop version has no page and always returns false. The requests are:
// - "files" or "folder": let the user choose files or a folder
// - "link": copy a link to the current view
// - the name of a lesson: load the models of the lesson and then open it
// - "facts", followed by one line for each value of the open lesson: show these values
bool view_send_page_request(const char *request);

// Shows the reason for the end of the program, for users who started it without a terminal.
void view_show_problem(const char *text);

// Callbacks of the main loop. `user` is passed to each of them.
typedef struct view_steps {
    bool (*step)(void *user);      // runs one step; returns false to end the loop
    char *(*describe)(void *user); // returns the command line for the current view, to be freed
    void (*save)(void *user);      // saves the state after the display was lost; must not draw
    void *user;
} view_steps;

// Runs steps until one of them returns false. If the display is lost, the program ends with status
// 3. If `watched` is true, a watchdog writes to standard error after each ten seconds in which a
// step has not ended. It names the operation for which the step waits.
//
// In a browser, a step runs before each frame, and view_run_steps() does not return. The web page
// calls `describe` to create links.
void view_run_steps(view_window *window, const view_steps *steps, bool watched);

const char *view_window_driver(const view_window *window); // window system: "SDL x11"
bool view_is_window_visible(const view_window *window);    // the driver has a display
bool view_is_window_hidden(const view_window *window);
void view_show_window(view_window *window);
void view_set_title(view_window *window, const char *title);
// Returns true if the window covers the screen. Returns false if `window` is NULL.
bool view_is_full_screen(const view_window *window);
void view_set_full_screen(view_window *window, bool full);

// Write the size of the window in points of the operating system, which are the unit of event
// positions, and in pixels. Write 0 x 0 if `window` is NULL.
void view_window_points(const view_window *window, int *width, int *height);
void view_window_pixels(const view_window *window, int *width, int *height);

// Returns the scale at which text is readable. It is the number of pixels per point, or the setting
// of the desktop. If the system defines neither, it depends on the resolution of the screen.
float view_screen_scale(const view_window *window);
double view_screen_rate(const view_window *window); // frames per second

// Shows the frame that was drawn. If view_set_swap_waits() was called with true, the function waits
// for the screen, so that the frame rate is the refresh rate of the screen.
void view_swap_window(view_window *window);
void view_set_swap_waits(view_window *window, bool waits);

// Waits for the next event for at most `timeout` seconds and writes it to `event`. Returns false
// if no event occurred. A request to quit is returned before all other pending events.
bool view_next_input(view_window *window, double timeout, view_input *event);

// Returns true if the user wants to abort a long job, by closing the window or pressing Escape. A
// closed window is also reported as the next event. Escape is reported only here, and only once.
// Returns false on platforms that receive events only between steps.
bool view_is_interrupted(void);

// Ends a wait for events. It may be called from any thread.
void view_wake_window(void);

// -- Other functions of the system ----------------------------------------------------------

double view_seconds(void); // seconds on a clock that never goes backward
void view_sleep(double seconds);

// Access to the clipboard. view_copy_text() accepts any bytes, because file names may contain them.
// view_paste_text() returns UTF-8 that the caller frees, or NULL.
bool view_copy_text(const char *text);
char *view_paste_text(void);

// Returns the folder of the program, which ends with a slash, or NULL. The caller frees it.
char *view_program_folder(void);

// Plays samples between -1 and 1 at VIEW_SOUND_RATE samples per second. The sound is mixed with
// sounds that are still playing. The function copies the samples. It does nothing if there is no
// audio device.
enum { VIEW_SOUND_RATE = 22050 };
void view_play_sound(view_window *window, const float *samples, size_t count);

// -- Threads --------------------------------------------------------------------------------

// Calls `run` in a new thread. Returns NULL if the platform has no threads or the thread cannot be
// created. view_wait_thread() returns immediately for NULL.
typedef struct view_thread view_thread;
view_thread *view_start_thread(int (*run)(void *user), const char *name, void *user);
void view_wait_thread(view_thread *thread, const char *name);

// A mutex with a condition variable, for data that the window shares with a thread.
// view_lock_wait() releases the mutex and waits for view_lock_signal(). view_new_lock() returns
// NULL on failure.
typedef struct view_lock view_lock;
view_lock *view_new_lock(const char *thread);
void view_free_lock(view_lock *lock);
void view_lock_enter(view_lock *lock);
void view_lock_leave(view_lock *lock);
void view_lock_wait(view_lock *lock);
void view_lock_signal(view_lock *lock);

#endif
