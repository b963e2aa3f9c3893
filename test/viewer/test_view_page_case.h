// A page of the viewer without a window: its character is loaded, and `show` called.
#ifndef MD5_TEST_VIEW_PAGE_CASE_H
#define MD5_TEST_VIEW_PAGE_CASE_H

#include "test/test.h"

#include "demo/viewer/pages/page.h"
#include "demo/viewer/motion/morphs.h"

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
bool page_open(page_case *of, const char *name);
void page_close(page_case *of);
#define TEST_PAGE(title, name) \
    TEST_IF (title, page_case, of, page_open(of, name) || (page_close(of), false), page_close(of))

// Describes the picture at a time of the page itself: view_page.start is ignored.
void page_show(page_case *of, double time);

// Sets a slider by its name; does not update the picture.
void page_set(page_case *of, const char *slider, float value);

// Returns a fact of the picture; NAN, and a failed check, if there is none of that name.
double page_fact(const page_case *of, const char *name);

// Returns a series of a plot; an empty one, and a failed check, if there is none.
const view_series *page_series(const page_case *of, uint32_t plot, const char *name);

// Returns the y of a series at x, interpolated between its points.
double page_series_at(const view_series *series, double x);

// Whether the end of a line has a colour.
bool page_has_color(const md5gl_line_vertex *end, view_color color);

#endif
