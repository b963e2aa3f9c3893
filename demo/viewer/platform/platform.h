// What the viewer needs of the system: a window with OpenGL, its events, the clock, the clipboard,
// threads. Each kind of system has its own file: platform_sdl.c for desktops, with SDL 2, and
// demo/web/platform.c for browsers. Nothing else in the viewer knows it. All times are in seconds.
#ifndef DEMO_VIEWER_PLATFORM_PLATFORM_H
#define DEMO_VIEWER_PLATFORM_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- Keys: keys.c ---------------------------------------------------------------------------

// A key that gives a character is that character in Unicode, without Shift: 'a', '1', ' '. Below
// VIEW_KEY_NAMED are only those.
enum {
    VIEW_KEY_BACKSPACE = '\b',
    VIEW_KEY_TAB = '\t',
    VIEW_KEY_RETURN = '\r',
    VIEW_KEY_ESCAPE = 0x1B,
    VIEW_KEY_DELETE = 0x7F,
    VIEW_KEY_NAMED = 1 << 21, // the first number that is no character
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
    VIEW_KEY_F0, // before F1
    VIEW_KEY_F12 = VIEW_KEY_F0 + 12,
    VIEW_KEY_PAD_ENTER, // of the number pad, until VIEW_KEY_PAD_9
    VIEW_KEY_PAD_PLUS,
    VIEW_KEY_PAD_MINUS,
    VIEW_KEY_PAD_0,
    VIEW_KEY_PAD_9 = VIEW_KEY_PAD_0 + 9,
};
#define VIEW_KEY_F(number) (VIEW_KEY_F0 + (number)) // 1 to 12
#define VIEW_KEY_PAD(digit) (VIEW_KEY_PAD_0 + (digit))

// Returns the name of a key, "PageUp", "F5", "E", which may stand in text[size]; "" without one.
const char *view_name_key(int32_t key, char *text, size_t size);

// -- Events ---------------------------------------------------------------------------------

typedef enum view_input_kind {
    VIEW_INPUT_OTHER, // wakes who waits
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
    VIEW_INPUT_WINDOW, // it has to be drawn again
    VIEW_INPUT_RESIZE,
} view_input_kind;

typedef enum view_button {
    VIEW_BUTTON_NONE,
    VIEW_BUTTON_LEFT,
    VIEW_BUTTON_MIDDLE,
    VIEW_BUTTON_RIGHT,
} view_button;

// Members without a comment are of all kinds. Zero: not of this event.
typedef struct view_input {
    view_input_kind kind;
    bool shift, control, alt; // keys and buttons: held meanwhile
    bool is_repeated;         // key down
    bool is_touch;            // press: a finger
    bool is_given_up;         // release: a second finger came, so it is no click
    bool is_long;             // release: of a finger that was down for half a second
    bool is_alone;            // drop: no other file with it
    bool is_forced;           // key up: because another window takes the keys
    int32_t key;
    view_button button;
    int clicks;             // press: 2 is a double click
    float x, y;             // mouse, drop: in points of the system
    float moved_x, moved_y; // move: since the last one
    float wheel;            // steps; forward is positive
    char text[32];          // text: UTF-8, NUL-terminated; set: the option's name
    char *path;             // drop, set: its value; the receiver frees it
} view_input;

// A gamepad is heard as keys: Space, Pause, Shift, W, S, A, D, one for each bit.
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
    uint32_t buttons; // that are down
    float x, y;       // of the stick, -1 to 1: right, down; all the way is VIEW_PAD_RUN too
    uint32_t told;    // keys that were reported as pressed; of view_next_of_pad()
} view_pad;

// Writes the next key that is pressed or released; returns false if there is none: keys.c.
bool view_next_of_pad(view_pad *pad, view_input *event);

// Fingers on a screen, from the first one that comes until all are gone.
typedef struct view_fingers {
    int down, most; // now, and at once so far
    double since;   // when the first one came, seconds
} view_fingers;

// Tells how many are down at a time. Returns whether three have just tapped, which is heard as the
// key Home: keys.c.
bool view_count_fingers(view_fingers *fingers, int down, double now);

// Whether the first one was there for long enough to stand for the right button.
static inline bool view_is_long(const view_fingers *fingers, double now)
{
    return now - fingers->since > 0.5;
}

// -- The window -----------------------------------------------------------------------------

typedef struct view_window view_window;

// Opens a window of that size in points with an OpenGL context, which is made current. It is
// hidden: until view_show_window(), or to draw pictures; then, not `visible`, it needs no display.
// Returns NULL and writes the reason to `problem` on failure.
view_window *view_open_window(const char *title, uint32_t width, uint32_t height, bool visible,
                              char *problem, size_t size);

// Closes it, and ends the use of the system. NULL: only the latter.
void view_close_window(view_window *window);

// The address of a GL function, or NULL; the type is md5gl_opts.load.
void (*view_find_gl(void *user, const char *name))(void);

// Asks the page around a window for what only a browser can do: "files", "folder", "link"; or tells
// it that a technique is to be shown, which it may ask for later, when our models for that are
// there; or "facts", with a line for each number of a technique. Returns whether the page does it;
// false without a page.
bool view_ask_page(const char *what);

// Tells a user who sees no terminal why the program ends.
void view_show_problem(const char *text);

// What a window does, and for whom.
typedef struct view_steps {
    bool (*step)(void *user);      // once more; false: it has ended
    char *(*describe)(void *user); // the command line that shows what is seen, to be freed
    void (*keep)(void *user);      // the display is gone: writes what shall stay, and draws nothing
    void *user;
} view_steps;

// Takes steps until one returns false; if the display is gone, the program ends with status 3. If
// it is `watched`, a line on standard error says what a step waits for that takes ten seconds, or
// as many more. In a browser a step is taken before each frame, and view_run_steps() does not
// return; its page asks for the command line.
void view_run_steps(view_window *window, const view_steps *steps, bool watched);

const char *view_window_driver(const view_window *window); // of windows: "SDL x11"
bool view_is_window_seen(const view_window *window);       // its driver has a display
bool view_is_window_hidden(const view_window *window);
void view_show_window(view_window *window);
void view_set_title(view_window *window, const char *title);
// NULL is allowed, and never full.
bool view_is_full_screen(const view_window *window);
void view_set_full_screen(view_window *window, bool full);

// The size in points of the system, in which events are, and in pixels. NULL: 0 x 0.
void view_window_points(const view_window *window, int *width, int *height);
void view_window_pixels(const view_window *window, int *width, int *height);

// The scale of readable text: pixels per point of the system, or the desktop's setting, or by the
// screen's resolution if the system defines neither.
float view_screen_scale(const view_window *window);
double view_screen_rate(const view_window *window); // frames per second

// Shows what was drawn. If it waits for the screen, frames come at the screen's rate.
void view_swap_window(view_window *window);
void view_set_swap_waits(view_window *window, bool waits);

// Takes the next event, for which it waits at most `patience`; returns false if there is none. A
// wish to quit comes before all others that wait.
bool view_next_input(view_window *window, double patience, view_input *event);

// Whether the user wants long work to end: closes the window, which the next input then is, or
// pressed Escape, which is told once. Where inputs come between steps only, nobody does.
bool view_is_interrupted(void);

// Ends a wait of the window, from any thread.
void view_wake_window(void);

// -- The rest of the system -----------------------------------------------------------------

double view_seconds(void); // of a clock that never goes backward
void view_sleep(double seconds);

// The clipboard: takes any bytes, gives UTF-8, NULL if there is none; the caller frees it.
bool view_copy_text(const char *text);
char *view_paste_text(void);

// The folder of the program, ending with a slash, or NULL; the caller frees it.
char *view_program_folder(void);

// Plays samples[count] from -1 to 1, VIEW_SOUND_RATE a second, together with those that still play.
// They are copied. Without a device nothing is heard.
enum { VIEW_SOUND_RATE = 22050 };
void view_play_sound(view_window *window, const float *samples, size_t count);

// -- Threads --------------------------------------------------------------------------------

// Runs `run` on a thread; returns NULL if there are no threads. Waiting for NULL does nothing.
typedef struct view_thread view_thread;
view_thread *view_start_thread(int (*run)(void *user), const char *name, void *user);
void view_wait_thread(view_thread *thread, const char *name);

// A lock between the window and a thread, with a condition: view_lock_wait() leaves it until
// view_lock_signal(). NULL on failure.
typedef struct view_lock view_lock;
view_lock *view_new_lock(const char *thread);
void view_free_lock(view_lock *lock);
void view_lock_enter(view_lock *lock);
void view_lock_leave(view_lock *lock);
void view_lock_wait(view_lock *lock);
void view_lock_signal(view_lock *lock);

#endif
