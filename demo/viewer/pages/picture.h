// Draws pages: the picture of the character, plots, and the panel with text, lines and sliders.
#ifndef DEMO_VIEWER_PAGES_PICTURE_H
#define DEMO_VIEWER_PAGES_PICTURE_H

#include "demo/viewer/assets/surfaces.h"
#include "demo/viewer/draw/draw.h"
#include "demo/viewer/pages/page.h"
#include "render/md5gl_game.h"

// The character of a page on the GPU, in each of the ways in which pages draw it.
// Everything is NULL until a figure needs it. Lit figures are the document's own model.
typedef struct view_figures {
    md5gl_model *models[VIEW_NUM_FIGURE_KINDS]; // of dual, baked and bound figures
    view_heat heat;
    int32_t heat_joint; // that the colours are of
    const float *heat_values;
    md5gl_baked *baked;
    md5gl_impostors *impostors;
    view_impostor_look look;  // of the impostors
    const md5_model *made_of; // the model that all were made of
} view_figures;

enum { VIEW_MAX_LISTED = 64 };

// Which page is open, and what the mouse does with it. {.open = -1}: none.
typedef struct view_pages {
    int32_t open; // number of a page; VIEW_CONTENTS: the list of all; -1: none
    float values[VIEW_PAGE_SLIDERS];
    int32_t dragged; // slider, or -1

    // Rectangles as last drawn, in pixels.
    view_rect panel;
    view_rect sliders[VIEW_PAGE_SLIDERS];
    view_rect listed[VIEW_MAX_LISTED]; // of the contents
    float shrunk;                      // the factor by which the panel's text was scaled down

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

// Draws the open page into `target`, as view_draw_world(), and its text onto the stage's canvas,
// which view_draw_canvas() draws. `seconds` is the time since it was opened. Begins a frame; the
// caller ends it. Returns false and fills `error` on failure.
bool view_draw_page(view_pages *pages, const view_stage *stage, double seconds,
                    md5gl_target *target, uint32_t width, uint32_t height, bool transparent,
                    bool clean, md5_error *error);

// Presses at (x, y): takes hold of a slider, or returns the page that is to be opened. -1: nothing.
// *was_taken: whether the page has used the press.
int32_t view_press_page(view_pages *pages, float x, float y, bool *was_taken);

// Moves the held slider to x. Returns false if none is held.
bool view_drag_page(view_pages *pages, float x);

#endif
