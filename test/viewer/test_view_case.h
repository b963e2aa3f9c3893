// What several tests of the viewer need: folders of files that they write, waiting for another
// thread, items of the interface, and viewers and pages without a window.
#ifndef TEST_VIEWER_TEST_VIEW_CASE_H
#define TEST_VIEWER_TEST_VIEW_CASE_H

#include "test/render/test_gl_scene.h"

#include "demo/viewer/jobs/view.h"

// -- Folders --------------------------------------------------------------------------------------

// A new folder for temporary files. The caller removes it, which also frees its path.
char *folder_make(void);
void folder_remove(char *folder);

// One that is removed where it goes out of scope.
void folder_end(char *const *folder);
#define OWN_FOLDER __attribute__((cleanup(folder_end))) char *const

// Writes a file in it.
void folder_put(const char *folder, const char *name, const void *bytes, size_t size);
void folder_put_text(const char *folder, const char *name, const char *text);

// -- Other threads --------------------------------------------------------------------------------

// Limit of a loop that waits for another thread, five minutes:
//     for (int i = 0; !view_is_done(job) && CHECK(i < MAX_WAITS); i++)
//         view_sleep(0.001);
enum { MAX_WAITS = 300000 };

// -- Commands -------------------------------------------------------------------------------------

// Carries out a command: an action, and members of view_command.
#define PERFORM(viewer, ...) view_execute((viewer), (view_command){.action = __VA_ARGS__})

// A log that prints nothing.
extern const view_log quiet_log;

// -- Items ----------------------------------------------------------------------------------------
//
// Finds items of the interface by their labels, and presses them.

// Draws the interface over a picture of that size; returns what it shows.
view_stage item_draw(view_state *viewer, float width, float height);

// The rectangle of the first item whose name, "panel/label", begins with these words; without width
// if there is none. Draws the interface.
view_rect item_find(view_state *viewer, const view_stage *facts, const char *name);

// What a row of that name says; "": there is none.
const char *item_text(view_state *viewer, const view_stage *facts, const char *name);

// Presses at a point in pixels. The release returns the panel whose value was held, or NULL.
view_command item_press_at(view_state *viewer, const view_stage *facts, float x, float y);
const char *item_release(view_state *viewer);

// Presses a part of an item: (0, 0) is its upper left corner, (1, 1) the lower right one. If there
// is none the test fails.
view_command item_press(view_state *viewer, const view_stage *facts, const char *name, float across,
                        float down);

// -- Windows --------------------------------------------------------------------------------------
//
// A viewer as in a window, but without the window: quiet, with the usual lights and text, on the
// device that tests share.

typedef struct screen {
    gl_scene gl;
    view_options options;
    view_state viewer;
    view_stage facts; // as of screen_draw()
    float width, height;
    char *folder; // NULL, or of folder_make(): removed at the end
} screen;

// Begins without a document. Returns false without a device; close it even then.
bool screen_begin(screen *s, uint32_t width, uint32_t height);

// The same with a file of the project, posed and drawn once, so that the mouse hits all parts.
bool screen_open(screen *s, const char *file, uint32_t width, uint32_t height);

// Draws the interface.
void screen_draw(screen *s);

// Returns false.
bool screen_close(screen *s);

// A test on a screen `s`, after an expression that opens it.
#define TEST_SCREEN(title, open) \
    TEST_IF (title, screen, s, (open) || screen_close(s), (void)screen_close(s))

// -- Pages ----------------------------------------------------------------------------------------
//
// A page of the viewer without a window: its character is loaded, and `show` called.

typedef struct page_case {
    const view_page *page;
    view_scene scene;
    view_morphs morphs;              // if the page has any
    float values[VIEW_PAGE_SLIDERS]; // initially those of the sliders
    view_picture picture;
    view_kept kept; // if the page keeps anything, made for each picture
    bool has_picture;
} page_case;

// Loads the character of a page. Close it even if that fails.
bool page_open(page_case *fixture, const char *name);
void page_close(page_case *fixture);
#define TEST_PAGE(title, name)                                                                    \
    TEST_IF (title, page_case, fixture, page_open(fixture, name) || (page_close(fixture), false), \
             page_close(fixture))

// Moves sliders, describes the picture at a time of the page itself (view_page.start is ignored),
// and checks facts, as printf:
// "SLIDER = VALUE; ... @ TIME | FACT = VALUE ~ TOLERANCE; FACT < VALUE; FACT > VALUE". What is left
// out stays as it is; without a tolerance there is none. In a claim a value is a number, another
// fact, or both: "0.5 * FACT".
#define CLAIM(...) page_claim(fixture, __FILE__, __LINE__, __VA_ARGS__)
void page_claim(page_case *fixture, const char *file, int line, const char *text, ...)
    TEST_PRINTF(4, 5);

// Returns a fact of the picture; NAN, and a failed check, if there is none of that name.
#define FACT(name) page_fact(fixture, name)
double page_fact(const page_case *fixture, const char *name);

#define JOINT(name) view_page_joint(&fixture->picture, name)
#define DEGREE 0.017453292519943295 // radians

// Returns a series of a plot; an empty one, and a failed check, if there is none.
#define SERIES(plot, name) page_series(fixture, plot, name)
const view_series *page_series(const page_case *fixture, uint32_t plot, const char *name);

// Returns the y of a series at x, interpolated between its points.
double page_series_at(const view_series *series, double x);

// Whether the end of a line has a colour.
bool page_has_color(const md5gl_line_vertex *end, view_color color);

#endif
