// Selects the parts of the window from the displayed document and options. ../base/layout.h
// computes their rectangles.
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

view_layout_request view_requested_layout(const view_stage *stage)
{
    const view_shown *const shown = stage->shown;
    const view_scene *const scene = &stage->document->scene;
    const bool is_machine = view_shows_machine(stage);
    const bool is_folded = stage->docks.is_folded;
    const bool is_start = stage->is_start || stage->plays;
    const bool has_panels = shown->panel && !is_start;
    const bool has_curves = view_shows_curves(stage) && !view_shows_crowd(stage->document);
    const bool has_time_line = is_machine || view_timing_anim(scene) != NULL;
    const bool has_bottom = has_panels && has_bottom_content(stage, has_curves);
    const bool has_left = has_panels && shown->hierarchy && !is_folded;
    view_layout_request request = {
        .width = stage->width,
        .height = stage->height - stage->caption,
        .em = view_em(stage->font),
        .is_touched = stage->is_touched,
        .has_menu = shown->panel && (stage->pages == NULL || stage->lists_pages),
        .has_time = has_panels && has_time_line,
        .is_open = {[VIEW_DOCK_LEFT] = has_left,
                    [VIEW_DOCK_RIGHT] = is_right_open(stage, is_start),
                    [VIEW_DOCK_BOTTOM] = has_bottom},
        .docks = stage->docks,
    };
    if ((has_curves || stage->docks.shows_problems) && !(request.docks.sizes[VIEW_DOCK_BOTTOM] > 0))
        request.docks.sizes[VIEW_DOCK_BOTTOM] = 14; // less than a graph
    // In a small window the time bar contains the button that opens the sheet.
    request.has_time = request.has_time
                       || (has_panels && view_lay_out(&request).arrangement == VIEW_ARRANGE_SHEET);
    return request;
}

view_layout view_current_layout(const view_stage *stage)
{
    const view_layout_request request = view_requested_layout(stage);
    return view_lay_out(&request);
}
