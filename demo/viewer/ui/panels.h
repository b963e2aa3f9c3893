// The interface over the picture: panels, lists and the time bar.
//
// `view_stage` is what it shows. A panel is one function over the core (ui.h). It changes the
// values that the facts let it change; everything else that the user wants is a command.
#ifndef DEMO_VIEWER_UI_PANELS_H
#define DEMO_VIEWER_UI_PANELS_H

#include "demo/viewer/draw/draw.h"
#include "demo/viewer/ui/ui.h"

// The part of the picture that no panel covers, in pixels: there the user's camera shows the model.
// Does not read stage->region, which is computed from it.
view_rect view_free_region(const view_stage *stage);

// The keys of the mode that the document is in, as the help lists them; returns the number of
// lines.
uint32_t view_current_keys(const view_document *document, view_key_line lines[VIEW_MAX_KEY_LINES]);

// The joint that is hovered over or chosen, or -1.
int32_t view_marked_joint(const view_ui *ui, const view_scene *scene);

// -- Drawing and input ----------------------------------------------------------------------

// Without an event, adds panels, if they are shown, and open lists to the stage's canvas. With one,
// draws nothing and returns what it asks for. VIEW_NOTHING: no part of the interface was hit, or
// moving the mouse does not change the picture. From a press on that changes a value until the
// caller clears ui->held and ui->active, the value follows the mouse.
view_command view_run_ui(view_ui *ui, const view_stage *stage, const ui_mouse *event);

// -- What is shown, and where ---------------------------------------------------------------

// Small windows, in which panels of full width leave no space between them, have small panels:
// fewer figures.
static inline bool view_is_compact(const view_stage *stage)
{
    return stage->width < 1000.0f * stage->font->scale;
}

// Whether the machine with its parameters, or the time bar, is shown beside the figures.
static inline bool view_shows_machine(const view_stage *stage)
{
    return view_mode_of(stage->document) == VIEW_MODE_MACHINE && !stage->shown->help
           && !stage->shown->hierarchy;
}

static inline bool view_shows_bar(const view_stage *stage)
{
    return !view_shows_machine(stage) && view_clock(&stage->document->scene) != NULL;
}

#define VIEW_BAR_HEIGHT 40.0f // in units of layout

// The upper edge of the time bar, or the lower one of the picture.
static inline float view_bar_top(const view_stage *stage)
{
    const float height = (VIEW_MARGIN + VIEW_BAR_HEIGHT) * stage->font->scale;
    return stage->height - (view_shows_bar(stage) ? height : 0.0f);
}

// -- The panels -----------------------------------------------------------------------------

// Lists and places the rows of a panel; where its box is then.
typedef void view_list_fn(const view_stage *stage, view_rows *rows);
view_rect view_box_of(const view_stage *stage, view_list_fn *list);

// Figures of the document, at the left: info.c.
view_list_fn view_list_figures;
void view_figures_panel(view_ui *ui, const view_stage *stage);

// What they say of a spot and of a joint:
//
// From one spot to another in the pose that was skinned last, in model space and its units.
md5_vec3 view_pick_difference(const view_scene *scene, const view_pick *from, const view_pick *to);

// A matrix from where the character stands and is turned to the model's space, as in its file.
md5_mat34 view_model_from_world(const view_scene *scene);

// The joint in model space, and relative to its parent.
md5_mat34 view_joint_in_model(const view_scene *scene, uint32_t joint);
md5_mat34 view_joint_in_parent(const view_scene *scene, uint32_t joint);

// A state machine at the right.
view_list_fn view_list_machine;

view_rect view_graph_box(const view_stage *stage);

// Channels of an entity, at the right.
bool view_shows_channels(const view_stage *stage);

// What belongs to the surface that the body shows, at the right. Its box is
// without width if the body shows its materials only.
view_rect view_surface_box(const view_stage *stage);

// The open list, over everything: browser.c.
void view_browser_panel(view_ui *ui, const view_stage *stage);

#endif
