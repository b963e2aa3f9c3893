// The character of a page on the GPU, in each of the ways in which pages draw it.
#ifndef DEMO_VIEWER_PAGES_FIGURES_H
#define DEMO_VIEWER_PAGES_FIGURES_H

#include "demo/viewer/draw/stage.h"
#include "demo/viewer/assets/surfaces.h"
#include "demo/viewer/pages/page.h"
#include "render/md5gl_game.h"

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

// Creates what the figures of a picture need, before the frame begins. Returns false and fills
// `error` on failure.
bool view_ready_page_figures(view_figures *figures, const view_stage *stage,
                             const view_picture *picture, md5_error *error);

// Draws all figures and their shadows, in a frame.
bool view_draw_page_figures(view_figures *figures, const view_stage *stage,
                            const view_picture *picture, md5_error *error);

// Frees everything, outside of a frame.
void view_free_page_figures(view_figures *figures, md5gl_renderer *renderer);

#endif
