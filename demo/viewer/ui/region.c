// What part of the picture is left to the model, beside the panels.
#include "demo/viewer/jobs/view.h"

#include "demo/viewer/base/panel.h"

#include <math.h>

// In units of layout: below that, panels of full width leave no room between them; and what a model
// needs at least, across and high.
static const float compact_below = 1000.0f, least_room = 120.0f;

bool view_is_compact(const view_state *viewer, float width)
{
    return width < compact_below * viewer->font.scale;
}

bool view_shows_machine(const view_state *viewer)
{
    return view_mode_of(viewer) == VIEW_MODE_MACHINE && !viewer->shown.help
           && !viewer->shown.hierarchy;
}

static float area(view_rect rect)
{
    return rect.width * rect.height;
}

// A panel in a corner leaves what is beside it, or what is below it.
static view_rect beside_figures(view_rect all, view_rect box)
{
    const float right = all.x + all.width, bottom = all.y + all.height;
    const float x = box.x + box.width, y = box.y + box.height;
    const view_rect beside = {x, all.y, right - x, all.height};
    const view_rect below = {all.x, y, all.width, bottom - y};
    // A model fills a square better than a strip.
    const float side = fminf(beside.width, beside.height), low = fminf(below.width, below.height);
    return side > low || (side == low && area(beside) >= area(below)) ? beside : below;
}

// Where the panels at the right begin.
static float right_column(const view_state *viewer, float width, float height)
{
    float left = width;
    if (viewer->shown.hierarchy && viewer->document->scene.skeleton != NULL)
        left = fminf(left, view_hierarchy_left(viewer, width));
    else if (view_mode_of(viewer) == VIEW_MODE_MACHINE)
        left = fminf(left, view_machine_box(viewer, width, height).x);
    return left;
}

view_rect view_free_region(const view_state *viewer, float width, float height)
{
    const view_rect all = {0.0f, 0.0f, width, height};
    const float scale = viewer->font.scale;
    if (!viewer->shown.panel || scale <= 0.0f || viewer->document->crowd.count > 0)
        return all;
    view_rect region = all;
    if (view_shows_bar(viewer))
        region.height -= (VIEW_MARGIN + VIEW_BAR_HEIGHT) * scale;
    region.width = right_column(viewer, width, height);
    region = beside_figures(region, view_figures_box(viewer, width, height));
    const float least = least_room * scale;
    return region.width >= least && region.height >= least ? region : all;
}
