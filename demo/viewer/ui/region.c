// The part of the picture that panels leave free for the model.
#include "demo/viewer/ui/panels.h"

#include <math.h>

// In layout units: the minimum width and height for a model.
static const float least_room = 120.0f;

static float area(view_rect rect)
{
    return rect.width * rect.height;
}

// A panel in a corner leaves the area beside it or the area below it.
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

view_rect view_free_region(const view_facts *facts)
{
    const view_rect all = {0.0f, 0.0f, facts->width, facts->height - facts->caption};
    const float scale = facts->stage.font->scale;
    if (!facts->stage.shown->panel || scale <= 0.0f || facts->stage.document->crowd.count > 0)
        return all;
    view_rect region = all;
    if (view_shows_bar(facts))
        region.height -= (VIEW_MARGIN + VIEW_BAR_HEIGHT) * scale;
    if (view_shows_graph(facts))
        region.height = view_graph_box(facts).y;
    region.width = view_right_column(facts);
    // Without what comes and goes: a click, or a slow frame, must not move the picture.
    const view_pick no_pick = {.is_set = false};
    view_facts lasting = *facts;
    lasting.pick = &no_pick;
    lasting.economy = (view_economy){.scale = 0.0f};
    if (facts->stage.surface != VIEW_SURFACE_WEIGHTS)
        region.width = fminf(region.width, view_surface_box(&lasting).x);
    region = beside_figures(region, view_figures_box(&lasting));
    const float least = least_room * scale;
    return region.width >= least && region.height >= least ? region : all;
}
