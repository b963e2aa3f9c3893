// Fixtures for tests of the viewer: temporary folders, a time limit for other threads, items of the
// interface, a viewer without a window (screen) and a page without a window (page_case).
#ifndef TEST_VIEWER_TEST_VIEW_CASE_H
#define TEST_VIEWER_TEST_VIEW_CASE_H

#include "test/render/test_gl_scene.h"

#include "demo/viewer/jobs/view.h"

// -- Folders --------------------------------------------------------------------------------------

// Creates a folder for temporary files. The caller removes it, which also frees the path.
char *folder_make(void);
void folder_remove(char *folder);

// A folder that is removed at the end of its scope.
void folder_end(char *const *folder);
#define SCOPED_FOLDER __attribute__((cleanup(folder_end))) char *const

// Writes a file into the folder.
void folder_write(const char *folder, const char *name, const void *bytes, size_t size);
void folder_write_text(const char *folder, const char *name, const char *text);

// -- Other threads --------------------------------------------------------------------------------

// Limit of a loop that waits for another thread, five minutes: for (int i = 0; !view_is_done(job)
// && CHECK(i < MAX_WAITS); i++) view_sleep(0.001);
enum { MAX_WAITS = 300000 };

// -- Commands -------------------------------------------------------------------------------------

// Executes a command. The arguments are an action and initializers of further members of
// view_command.
#define PERFORM(viewer, ...) view_execute((viewer), (view_command){.action = __VA_ARGS__})

// A log that prints nothing.
extern const view_log quiet_log;

// -- Items ----------------------------------------------------------------------------------------
//
// Functions that find items of the interface by their labels and press them.

// Draws the interface over an image of this size, and returns the stage of that frame.
view_stage item_draw(view_state *viewer, float width, float height);

// Draws the interface, and returns the rectangle of the first item whose name, "panel/label",
// begins with `name`. Its width is 0 if there is no such item.
view_rect item_find(view_state *viewer, const view_stage *stage, const char *name);

// Returns the text of the row with this name, or "" if the row does not exist.
const char *item_text(view_state *viewer, const view_stage *stage, const char *name);

// Returns the number of vertices of ellipses in a rectangle of the last drawn image. An ellipsis is
// the last letter of a text that is cut off. Draw the image twice before, because the letter is in
// the font's texture only after it was needed.
uint32_t item_count_cut_texts(const view_state *viewer, view_rect rect);

// Presses at a point in pixels. item_release() returns the panel whose value was held, or NULL.
view_command item_press_at(view_state *viewer, const view_stage *stage, float x, float y);
const char *item_release(view_state *viewer);

// Presses a point of an item: (0, 0) is its upper left corner, (1, 1) its lower right corner. The
// test fails if the item does not exist.
view_command item_press(view_state *viewer, const view_stage *stage, const char *name, float across,
                        float down);

// -- Windows --------------------------------------------------------------------------------------
//
// A viewer that is set up like a window's viewer, but has no window. It is quiet, has the usual
// lights and text, and uses the device that all tests share.

typedef struct screen {
    gl_scene gl;
    view_options options;
    view_state viewer;
    view_stage stage; // from the last screen_draw()
    float width, height;
    char *folder; // NULL, or a path from folder_make(), which screen_close() removes
} screen;

// Creates the viewer without a document. Returns false without a device. Call screen_close() even
// then.
bool screen_begin(screen *s, uint32_t width, uint32_t height);

// Creates the viewer with a file of the project. The model is posed and drawn once, so that the
// mouse can hit all parts.
bool screen_open(screen *s, const char *file, uint32_t width, uint32_t height);

void screen_draw(screen *s);

// Always returns false.
bool screen_close(screen *s);

// Defines a test with a screen `s`. `open` is an expression that opens it.
#define TEST_SCREEN(title, open) \
    TEST_IF (title, screen, s, (open) || screen_close(s), (void)screen_close(s))

// -- Pages ----------------------------------------------------------------------------------------
//
// A page of the viewer without a window. Its character is loaded, and its `show` function has been
// called.

typedef struct page_case {
    const view_page *page;
    view_scene scene;
    view_morphs morphs;              // if the page has morph targets
    float values[VIEW_PAGE_SLIDERS]; // initially the values of the sliders
    view_picture picture;
    view_lesson_cache cache; // if the page stores anything; created again for each image
    bool has_picture;
} page_case;

// Loads the character of a page. Call page_close() even if that fails.
bool page_open(page_case *fixture, const char *name);
void page_close(page_case *fixture);
#define TEST_PAGE(title, name)                                                                    \
    TEST_IF (title, page_case, fixture, page_open(fixture, name) || (page_close(fixture), false), \
             page_close(fixture))

// Moves sliders, describes the page at a time (view_page.start is ignored), and checks facts. The
// text is formatted as by printf: "SLIDER = VALUE; ... @ TIME | FACT = VALUE ~ TOLERANCE; FACT <
// VALUE; FACT > VALUE". Omitted parts are unchanged; the default tolerance is 0. A value after a
// fact is a number, another fact, or their product: "0.5 * FACT".
#define CLAIM(...) page_claim(fixture, __FILE__, __LINE__, __VA_ARGS__)
void page_claim(page_case *fixture, const char *file, int line, const char *text, ...)
    TEST_PRINTF(4, 5);

// Returns the value of a fact of the page. A fact in a table has the name "ROW, COLUMN". If the
// fact does not exist, a check fails and the result is NAN.
#define FACT(name) page_fact(fixture, name)
double page_fact(const page_case *fixture, const char *name);

#define JOINT(name) view_page_joint(&fixture->picture, name)
#define DEGREE 0.017453292519943295 // radians

// Returns a series of a plot. If it does not exist, a check fails and the result is an empty
// series.
#define SERIES(plot, name) page_series(fixture, plot, name)
const view_series *page_series(const page_case *fixture, uint32_t plot, const char *name);

// Returns the value of a series at x, interpolated between its points.
double page_series_at(const view_series *series, double x);

// Returns true if the end of a line has this color.
bool page_has_color(const md5gl_line_vertex *end, view_color color);

#endif
