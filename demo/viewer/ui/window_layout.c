// Determines which parts of the window are displayed for the current document and options.
// ../base/layout.h computes their rectangles.
#include "demo/viewer/ui/window_layout.h"

// Returns true if the right dock is open. The start page hides it.
static bool is_right_open(const view_stage *stage, bool is_start)
{
    const view_shown *const shown = stage->shown;
    if (is_start)
        return false;
    const bool has_inspector = shown->panel && shown->inspector && !stage->docks.is_folded;
    return has_inspector || shown->light_list || shown->parm_list;
}

// Returns true if the bottom dock has content: problems, curves or a state graph.
static bool has_bottom_content(const view_stage *stage, bool has_curves)
{
    const view_shown *const shown = stage->shown;
    if (stage->docks.shows_problems)
        return true;
    if (has_curves)
        return shown->curves || shown->differences;
    return shown->graph && view_shows_machine(stage);
}

// Returns the input of view_lay_out(): the parts that the window should contain, and their sizes.
view_layout_request view_requested_layout(const view_stage *stage)
{
    const float curves_height = 14; // em, less than a graph
    const view_shown *const shown = stage->shown;
    const bool is_start = stage->is_start || stage->plays_demo;
    const bool has_panels = shown->panel && !is_start;
    const bool has_curves = view_shows_curves(stage) && !view_shows_crowd(stage->document);
    const bool has_playback =
        view_shows_machine(stage) || view_timing_anim(&stage->document->scene) != NULL;
    const bool is_lesson_open = stage->pages != NULL && !stage->lists_pages;
    const bool has_left = has_panels && shown->hierarchy && !stage->docks.is_folded;
    const bool has_bottom = has_panels && has_bottom_content(stage, has_curves);
    view_layout_request request = {
        .width = stage->width,
        .height = stage->height - stage->caption,
        .em = view_em(stage->font),
        .is_touched = stage->is_touched,
        .has_menu = shown->panel && !is_lesson_open,
        .has_time = has_panels && has_playback,
        .is_open = {[VIEW_DOCK_LEFT] = has_left,
                    [VIEW_DOCK_RIGHT] = is_right_open(stage, is_start),
                    [VIEW_DOCK_BOTTOM] = has_bottom},
        .docks = stage->docks,
    };

    // The default height of the dock fits a state graph. Curves and problems need a different
    // height.
    float *const bottom_height = &request.docks.sizes[VIEW_DOCK_BOTTOM];
    const bool has_default_height = !(*bottom_height > 0);
    if (has_default_height && (has_curves || stage->docks.shows_problems))
        *bottom_height = curves_height;

    // In a small window, a button opens the sheet. The time bar contains this button, so it must be
    // displayed.
    if (has_panels && !request.has_time)
        request.has_time = view_lay_out(&request).arrangement == VIEW_ARRANGE_SHEET;
    return request;
}

view_layout view_current_layout(const view_stage *stage)
{
    const view_layout_request request = view_requested_layout(stage);
    return view_lay_out(&request);
}
