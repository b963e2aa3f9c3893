// The interface to the operating system: a window with OpenGL, its events, the clock, the
// clipboard, sound and threads. It is implemented by platform_sdl.c for desktops, with SDL 2, and
// by demo/web/platform.c for browsers. No other file of the viewer uses the operating system's
// functions for these. All times are in seconds.
#ifndef DEMO_VIEWER_PLATFORM_PLATFORM_H
#define DEMO_VIEWER_PLATFORM_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- Keys (keys.c) --------------------------------------------------------------------------

// The code of a key that produces a character is this character in Unicode, without Shift: 'a',
// '1', ' '. Only these codes are less than VIEW_KEY_NAMED.
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
    VIEW_KEY_PAD_ENTER, // of the number pad, as the codes up to VIEW_KEY_PAD_9
    VIEW_KEY_PAD_PLUS,
    VIEW_KEY_PAD_MINUS,
    VIEW_KEY_PAD_0,
    VIEW_KEY_PAD_9 = VIEW_KEY_PAD_0 + 9,
};
#define VIEW_KEY_F(number) (VIEW_KEY_F0 + (number)) // 1 to 12
#define VIEW_KEY_PAD(digit) (VIEW_KEY_PAD_0 + (digit))

// Returns the name of a key, "PageUp", "F5", "E", which may be stored in text[size], or "" if it
// has no name.
const char *view_name_key(int32_t key, char *text, size_t size);

// -- Events ---------------------------------------------------------------------------------

typedef enum view_input_kind {
    VIEW_INPUT_OTHER, // ends a wait without an event
    VIEW_INPUT_QUIT,
    VIEW_INPUT_KEY_DOWN,
    VIEW_INPUT_KEY_UP,
    VIEW_INPUT_TEXT,
    VIEW_INPUT_PRESS, // of a mouse button
    VIEW_INPUT_RELEASE,
    VIEW_INPUT_MOVE,
    VIEW_INPUT_WHEEL,
    VIEW_INPUT_DROP,
    VIEW_INPUT_SET,    // an option is set
    VIEW_INPUT_WINDOW, // the window must be drawn again
    VIEW_INPUT_RESIZE,
} view_input_kind;

typedef enum view_button {
    VIEW_BUTTON_NONE,
    VIEW_BUTTON_LEFT,
    VIEW_BUTTON_MIDDLE,
    VIEW_BUTTON_RIGHT,
} view_button;

// Members without a comment are valid for all kinds. Members that do not belong to the kind are 0.
typedef struct view_input {
    view_input_kind kind;
    bool shift;       // key, button: held
    bool control;     // key, button: held
    bool alt;         // key, button: held
    bool is_repeated; // key down
    bool is_touch;    // press: a finger
    bool is_given_up; // release: not a click, because a second finger touched the screen
    bool is_long;     // release: of a finger that was down for half a second
    bool is_alone;    // drop: no other file was dropped
    bool is_forced;   // key up: another window has received the keyboard focus
    int32_t key;
    view_button button;
    int clicks;    // press: 2 is a double click
    float x;       // mouse, drop: in points of the system
    float y;       // mouse, drop: in points of the system
    float moved_x; // move: since the last event
    float moved_y; // move: since the last event
    float wheel;   // steps; forward is positive
    char text[32]; // text: UTF-8, NUL-terminated; set: the option's name
    char *path;    // drop: path; set: value of the option; freed by the receiver
} view_input;

// A gamepad acts as keys: Space, Pause, Shift, W, S, A, D, one for each bit.
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
    float x;           // stick, -1 to 1: right; the full deflection is also VIEW_PAD_RUN
    float y;           // stick, -1 to 1: down
    uint32_t reported; // keys that view_next_pad_key() has reported as pressed
} view_pad;

// Writes the next key that is pressed or released. Returns false if no key has changed (keys.c).
bool view_next_pad_key(view_pad *pad, view_input *event);

// Presses of a mouse button that follow each other quickly at one position.
typedef struct view_clicks {
    int count;     // number of presses; 0: no button was pressed
    int button;    // the pressed button
    uint32_t time; // time of the last press, ms; it may wrap around
    float x, y;    // position of the last press, pixels
} view_clicks;

// Adds a press of a mouse button. Returns the number of presses of the same button that follow each
// other within half a second at a distance of at most 16 pixels: 2 is a double click.
int view_count_clicks(view_clicks *clicks, int button, uint32_t time, float x, float y);

// Fingers on a screen, from the first touch until all fingers are gone.
typedef struct view_fingers {
    int down;     // number of fingers that are down
    int max_down; // maximum number of fingers that were down
    double since; // time of the first touch, seconds
} view_fingers;

// Updates the number of fingers that are down. Returns true if three fingers have just tapped,
// which acts as the key Home (keys.c).
bool view_count_fingers(view_fingers *fingers, int down, double now);

// Returns true if the first finger has been down long enough to act as the right button.
static inline bool view_is_long_touch(const view_fingers *fingers, double now)
{
    return now - fingers->since > 0.5;
}

// -- The window -----------------------------------------------------------------------------

typedef struct view_window view_window;

// Opens a window of this size in points with an OpenGL context, which is made current. The window
// is hidden until view_show_window() is called. If it is not `visible`, it is used only to render
// images and does not need a display. Returns NULL and writes the reason to `problem` on failure.
view_window *view_open_window(const char *title, uint32_t width, uint32_t height, bool visible,
                              char *problem, size_t size);

// Closes the window and shuts down the platform. NULL: only the latter.
void view_close_window(view_window *window);

// Returns the address of a GL function, or NULL; the type is md5gl_opts.load.
void (*view_find_gl(void *user, const char *name))(void);

// Requests an action of the web page around the window: "files", "folder" or "link"; the display of
// a technique, which the page may request later when its models are loaded; or "facts", with a line
// for each number of a technique. Returns true if the page performs it; false without a page.
bool view_ask_page(const char *what);

// Shows the reason why the program ends to a user who does not see a terminal.
void view_show_problem(const char *text);

// Callbacks of the main loop.
typedef struct view_steps {
    bool (*step)(void *user);      // runs a step; returns false at the end
    char *(*describe)(void *user); // returns the command line for the current view, to be freed
    void (*keep)(void *user);      // the display is lost: saves the state; must not draw
    void *user;
} view_steps;

// Runs steps until one returns false. If the display is lost, the program ends with status 3. If it
// is `watched`, a line on standard error reports the operation that a step has waited for for ten
// seconds, and again every ten seconds. In a browser, a step runs before each frame, and
// view_run_steps() does not return; the page requests the command line.
void view_run_steps(view_window *window, const view_steps *steps, bool watched);

const char *view_window_driver(const view_window *window); // window system: "SDL x11"
bool view_is_window_visible(const view_window *window);    // the driver has a display
bool view_is_window_hidden(const view_window *window);
void view_show_window(view_window *window);
void view_set_title(view_window *window, const char *title);
// NULL is allowed; it is never full screen.
bool view_is_full_screen(const view_window *window);
void view_set_full_screen(view_window *window, bool full);

// Write the size in points of the system, which events use, and in pixels. NULL: 0 x 0.
void view_window_points(const view_window *window, int *width, int *height);
void view_window_pixels(const view_window *window, int *width, int *height);

// Returns the scale of readable text: pixels per point of the system, or the setting of the
// desktop, or a value for the resolution of the screen if the system defines neither.
float view_screen_scale(const view_window *window);
double view_screen_rate(const view_window *window); // frames per second

// Shows the drawn frame. If view_set_swap_waits() is on, frames have the rate of the screen.
void view_swap_window(view_window *window);
void view_set_swap_waits(view_window *window, bool waits);

// Waits at most `patience`, seconds, for the next event and writes it to `event`. Returns false if
// no event occurred. A request to quit precedes all other pending events.
bool view_next_input(view_window *window, double patience, view_input *event);

// Returns true if the user wants to abort long work: the user has closed the window, which is also
// the next event, or pressed Escape, which is reported once. Always returns false on a platform
// that receives events only between steps.
bool view_is_interrupted(void);

// Ends a wait for events, from any thread.
void view_wake_window(void);

// -- Other functions of the system ----------------------------------------------------------

double view_seconds(void); // clock that never goes backward
void view_sleep(double seconds);

// The clipboard: view_copy_text() accepts any bytes. view_paste_text() returns UTF-8, to be freed,
// or NULL.
bool view_copy_text(const char *text);
char *view_paste_text(void);

// Returns the folder of the program, ending with a slash, to be freed, or NULL.
char *view_program_folder(void);

// Plays samples[count] from -1 to 1, VIEW_SOUND_RATE per second, mixed with sounds that are still
// playing. The samples are copied. Without a device nothing is played.
enum { VIEW_SOUND_RATE = 22050 };
void view_play_sound(view_window *window, const float *samples, size_t count);

// -- Threads --------------------------------------------------------------------------------

// Runs `run` on a thread; returns NULL if there are no threads. Waiting for NULL does nothing.
typedef struct view_thread view_thread;
view_thread *view_start_thread(int (*run)(void *user), const char *name, void *user);
void view_wait_thread(view_thread *thread, const char *name);

// A mutex between the window and a thread, with a condition variable: view_lock_wait() releases the
// mutex until view_lock_signal(). NULL on failure.
typedef struct view_lock view_lock;
view_lock *view_new_lock(const char *thread);
void view_free_lock(view_lock *lock);
void view_lock_enter(view_lock *lock);
void view_lock_leave(view_lock *lock);
void view_lock_wait(view_lock *lock);
void view_lock_signal(view_lock *lock);

#endif
