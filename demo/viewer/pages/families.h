// The pages, family by family; table.c lists them in this order.
#ifndef DEMO_VIEWER_PAGES_FAMILIES_H
#define DEMO_VIEWER_PAGES_FAMILIES_H

#include "demo/viewer/pages/page.h"

extern const view_page view_page_easing, view_page_timing, view_page_follow;
extern const view_page view_page_interpolation, view_page_slerp, view_page_euler;
extern const view_page view_page_curves, view_page_squad;
extern const view_page view_page_crossfade, view_page_inertial, view_page_additive;
extern const view_page view_page_masks, view_page_sync, view_page_machine;
extern const view_page view_page_quaternion_w, view_page_palette, view_page_dual;
extern const view_page view_page_influences, view_page_bind;
extern const view_page view_page_ik, view_page_limits, view_page_goals, view_page_walk;
extern const view_page view_page_gaze;
extern const view_page view_page_morph, view_page_bake, view_page_impostor;

// Lines of pages, made by .ci/embed.py from the sources in this folder: those between
// `// lines of NAME` and `// end of lines`.
typedef struct view_lines_of {
    const char *name, *text;
} view_lines_of;
extern const view_lines_of view_lines_of_pages[];

#endif
