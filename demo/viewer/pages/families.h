// The pages, family by family; table.c lists them in this order.
#ifndef DEMO_VIEWER_PAGES_FAMILIES_H
#define DEMO_VIEWER_PAGES_FAMILIES_H

#include "demo/viewer/pages/page.h"

extern const view_page view_page_easing, view_page_timing, view_page_follow;
extern const view_page view_page_interpolation, view_page_slerp;

// Lines of pages, made by test/build/embed.py from the sources in this folder: those between
// `// lines of NAME` and `// end of lines`.
typedef struct view_lines_of {
    const char *name, *text;
} view_lines_of;
extern const view_lines_of view_lines_of_pages[];

#endif
