// Draws pages: the picture of the character, and the panel with text, lines of C, sliders and
// plots, which takes the place of the interface's own panels.
#ifndef DEMO_VIEWER_PAGES_PICTURE_H
#define DEMO_VIEWER_PAGES_PICTURE_H

#include "demo/viewer/assets/surfaces.h"
#include "demo/viewer/draw/draw.h"
#include "demo/viewer/pages/page.h"
#include "demo/viewer/ui/ui.h"
#include "render/md5gl_game.h"

// The character of a page on the GPU, in each of the ways in which pages draw it.
// Everything is NULL until a figure needs it.
typedef struct view_figures {
    md5gl_model *models[VIEW_NUM_FIGURE_KINDS]; // lit: the document's own; heat: that of `heat`
    view_heat heat;
    int32_t heat_joint; // that the colours are of
    const float *heat_values;
    md5gl_baked *baked;
    md5gl_impostors *impostors;
    view_impostor_look look;  // of the impostors
    const md5_model *made_of; // the model that all were made of
} view_figures;

// Which page is open. {.open = -1}: none.
typedef struct view_pages {
    int32_t open; // number of a page; VIEW_CONTENTS: the list of all; -1: none
    float values[VIEW_PAGE_SLIDERS];
    view_picture picture; // as last drawn
    view_lens lens;
    view_rect panel; // likewise, pixels
    float shrunk;    // the factor by which the panel's text was scaled down

    view_figures drawn; // the open page's character on the GPU
    view_kept kept;     // what the open page keeps, and from what it was made
    float kept_values[VIEW_PAGE_SLIDERS];
    const view_page *kept_by;
    const md5_model *kept_of;
} view_pages;

enum { VIEW_CONTENTS = 1000 };

// Opens a page, or the contents, with its sliders as they begin.
void view_open_page(view_pages *pages, int32_t number);

// Frees what pages keep, on the GPU and beside it. Call it before the document is freed, and
// outside of a frame.
void view_free_pages(view_pages *pages, md5gl_renderer *renderer);

// Draws the stage's open page into `target`, as view_draw_world(). `seconds` is the time since it
// was opened; `clean`: no panel will cover it. Begins a frame; the caller ends it. Returns false
// and fills `error` on failure.
bool view_draw_page(const view_stage *stage, double seconds, md5gl_target *target, bool transparent,
                    bool clean, md5_error *error);

// The panel of the stage's open page or contents, as last drawn by view_draw_page().
void view_page_panel(view_ui *ui, const view_stage *stage);

#endif
