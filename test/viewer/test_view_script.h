// A user of the viewer, who presses keys, clicks on items by their labels and drops files, and
// label scripts, which list such actions and the expected results. README.md describes the
// commands.
#ifndef TEST_VIEWER_TEST_VIEW_SCRIPT_H
#define TEST_VIEWER_TEST_VIEW_SCRIPT_H

#include "test/viewer/test_view_case.h"

// -- The user -------------------------------------------------------------------------------------

typedef enum gesture_kind {
    GESTURE_KEY,  // presses and releases a key
    GESTURE_TEXT, // types a text
    GESTURE_MOVE,
    GESTURE_CLICK,
    GESTURE_DRAG,
    GESTURE_WHEEL,
    GESTURE_DROP, // drops a file
} gesture_kind;

// One action of a user. Members that do not belong to the kind are 0. Positions are in pixels.
typedef struct gesture {
    gesture_kind kind;
    int32_t key; // may include VIEW_WITH_SHIFT and VIEW_WITH_CTRL
    const char *text;
    float x, y;
    float to_x; // drag: the end
    float wheel;
    view_button button;
    int clicks; // click: 2 is a double click
    bool control, alt;
    const char *path;
} gesture;

typedef struct user {
    gl_scene gl;
    view_options options;
    view_state viewer;
    view_stage stage;                 // from the last user_draw()
    char *root, *home;                // folders of the project and of the person who runs the test
    char *folder;                     // folder for files of the test, also the home folder
    bool has_document;                // user_open_file() has succeeded
    const md5_model *drawn_companion; // companion, and time when it was last drawn, in seconds
    double drawn_time;
    unsigned actions; // number of gestures, except movements
} user;

// Creates a viewer without a document, whose image has this size in pixels. Returns false without a
// device. Call user_close() even then.
bool user_begin(user *u, uint32_t width, uint32_t height);

// Opens a file of the project, or the default document if `file` is NULL.
bool user_open_file(user *u, const char *file);

// Creates a viewer of 1280 x 720 pixels and opens a file: user_begin() and user_open_file().
bool user_open(user *u, const char *file);
void user_close(user *u);

// Draws the interface and waits for exports.
void user_draw(user *u);

// Sends one event to a viewer without a window.
void user_send(user *u, view_input event);

void user_perform(user *u, const gesture *input);
void user_press_key(user *u, int32_t key);
void user_click(user *u, const char *item);
void user_click_at(user *u, float x, float y, view_button button);

// Returns a path in the project, or in the user's folder if it begins with $. The caller frees it.
char *user_path(const user *u, const char *name);

static inline view_scene *user_scene(user *u)
{
    return &u->viewer.document->scene;
}

// -- Scripts --------------------------------------------------------------------------------------

// A script whose tests run one after another. Begin it with script_begin().
typedef struct script {
    user u; // begun for each test by the program that runs the script
    const char *path;
    char *text;
    char *rest;          // the text after the current line
    const char *title;   // title of the current test
    const char *current; // line, without `small` and `wide`
    unsigned line;       // its number
    uint32_t width, height;
    unsigned num_gestures; // number of gestures of the current line
    unsigned max_actions;  // limit of the current test; 0: no limit
    char problem[1024];    // text of the last LINE_FAILED
} script;

typedef enum line_result {
    LINE_DONE,
    LINE_CONTINUES, // the line made a gesture; try it again after the viewer has handled it
    LINE_FAILED,    // an item is missing or an expectation does not hold; nothing was changed
} line_result;

// Reads a script of the project, for an image of this size.
bool script_begin(script *s, const char *path, uint32_t width, uint32_t height);
void script_end(script *s);

// Continues to the next test of the script. Returns false at the end of the script.
bool script_next_test(script *s);

// Continues to the next line of the current test. Returns false at its end.
bool script_next_line(script *s);

line_result script_try_line(script *s);

// Fails the running test with the place and the problem of the current line.
void script_report(const script *s);

// Checks the number of actions at the end of a task. A task without a limit fails.
void script_check_limit(const script *s);

// Registers a test for each script in a folder of the project. Its name is the path of the script.
void script_register_folder(const char *folder, void (*run)(void));

#endif
