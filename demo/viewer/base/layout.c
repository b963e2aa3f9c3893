// Computes the positions of the parts of the window. See layout.h.
#include "demo/viewer/base/layout.h"

#include "demo/viewer/base/math.h"

// Default and minimum size of a dock, em.
static const struct {
    float usual;
    float minimum;
} sizes[VIEW_NUM_DOCKS] = {
    [VIEW_DOCK_LEFT] = {18, 12},
    [VIEW_DOCK_RIGHT] = {25, 18},
    [VIEW_DOCK_BOTTOM] = {27, 8},
};

// Sizes in em.
static const float menu_heights[2] = {2, 2.8f}; // on a desktop, on a phone
static const float time_height = 3;
static const float handle_height = 1.2f;
static const float min_sheet = 3;
static const float min_free[2] = {20, 14}; // width and height of the image
static const float min_beside_width = 76;
static const float min_single_width = 52;
static const float min_single_height = 30;
static const float min_sheet_window[2] = {20, 18}; // a phone of 320 pixels at scale 1.2; 240

static view_arrangement choose_arrangement(const view_layout_request *request)
{
    const float width = request->width / request->em;
    const float height = request->height / request->em;
    if (width < min_sheet_window[0] || height < min_sheet_window[1])
        return VIEW_ARRANGE_ALONE;
    if (width < min_single_width || height < min_single_height)
        return VIEW_ARRANGE_SHEET;
    return width < min_beside_width ? VIEW_ARRANGE_SINGLE : VIEW_ARRANGE_BESIDE;
}

// Returns the maximum height of the bottom dock as a fraction of the height of the window.
static float max_bottom_height(view_arrangement arrangement)
{
    return arrangement == VIEW_ARRANGE_SINGLE ? 0.35f : 0.55f;
}

// Returns the size of a dock, em: the size that the user set, or the default.
static float preferred_size(const view_layout_request *request, view_dock dock)
{
    const float size = request->docks.sizes[dock];
    return size > 0 ? fmaxf(size, sizes[dock].minimum) : sizes[dock].usual;
}

// Lays out the sheet of an upright window, below its handle and the time bar. A sheet of at most
// half the height is below the image; a higher sheet covers a part of the image.
static void lay_out_sheet(const view_layout_request *request, view_dock front, bool is_open,
                          view_layout *layout)
{
    const float em = request->em;
    const float bars = ceilf(time_height * em) + ceilf(handle_height * em);
    const float max_height = fmaxf(layout->free.height - bars, 0);
    const float half = ceilf(fmaxf(0.45f * request->height - bars, 0));
    float height = half;
    if (request->docks.sheet_top > 0)
        height = request->height - request->docks.sheet_top - bars;
    else if (!is_open)
        height = 0;
    else if (request->docks.is_sheet_full)
        height = max_height;
    view_rect covered = layout->free;
    const view_rect sheet =
        view_cut(&covered, VIEW_AT_BOTTOM, ceilf(fmaxf(fminf(height, max_height), 0)));
    if (is_open && sheet.height > min_sheet * em)
        layout->docks[front] = sheet;
    layout->time = view_cut(&covered, VIEW_AT_BOTTOM, ceilf(time_height * em));
    layout->handle = view_cut(&covered, VIEW_AT_BOTTOM, ceilf(handle_height * em));
    layout->free.height = fmaxf(covered.height, max_height - half);
}

view_layout view_lay_out(const view_layout_request *request)
{
    const float em = request->em;
    view_layout layout = {.free = {0, 0, request->width, request->height}};
    layout.arrangement = em > 0 ? choose_arrangement(request) : VIEW_ARRANGE_ALONE;
    if (layout.arrangement == VIEW_ARRANGE_ALONE)
        return layout;
    view_rect *const free_part = &layout.free;
    const bool is_upright =
        layout.arrangement == VIEW_ARRANGE_SHEET && request->height > request->width;
    layout.is_phone =
        is_upright || (layout.arrangement == VIEW_ARRANGE_SHEET && request->is_touched);
    if (request->has_menu)
        layout.menu = view_cut(free_part, VIEW_AT_TOP, ceilf(menu_heights[layout.is_phone] * em));
    if (request->has_time && !is_upright)
        layout.time = view_cut(free_part, VIEW_AT_BOTTOM, ceilf(time_height * em));
    bool is_open[VIEW_NUM_DOCKS];
    for (view_dock dock = 0; dock < VIEW_NUM_DOCKS; dock++)
        is_open[dock] = request->is_open[dock];
    const bool has_side = is_open[VIEW_DOCK_LEFT] || is_open[VIEW_DOCK_RIGHT];
    view_dock front = request->docks.front == VIEW_DOCK_LEFT ? VIEW_DOCK_LEFT : VIEW_DOCK_RIGHT;
    if (!is_open[front]) // use the dock of the other side
        front = front == VIEW_DOCK_LEFT ? VIEW_DOCK_RIGHT : VIEW_DOCK_LEFT;
    if (layout.arrangement == VIEW_ARRANGE_SHEET) {
        layout.has_tabs = is_open[VIEW_DOCK_LEFT] && is_open[VIEW_DOCK_RIGHT];
        const bool is_there = has_side && request->docks.is_sheet_open;
        view_rect covered = layout.free;
        if (is_upright && request->has_time)
            lay_out_sheet(request, front, is_there, &layout);
        else if (is_there) {
            const view_side side = request->is_touched ? VIEW_AT_RIGHT : VIEW_AT_LEFT;
            const view_dock sized = request->is_touched ? VIEW_DOCK_RIGHT : front;
            const float width = fminf(preferred_size(request, sized) * em, 0.8f * request->width);
            layout.docks[front] = view_cut(&covered, side, floorf(width));
        }
        // On a phone only the list of problems may cover the image. In a small window the state
        // graph may cover it, too.
        if (is_open[VIEW_DOCK_BOTTOM] && (request->docks.shows_problems || !layout.is_phone)) {
            covered = layout.free;
            layout.docks[front] = (view_rect){0};
            layout.docks[VIEW_DOCK_BOTTOM] =
                view_cut(&covered, VIEW_AT_BOTTOM, ceilf(0.65f * covered.height));
        }
        return layout;
    }
    if (layout.arrangement == VIEW_ARRANGE_SINGLE && has_side) {
        layout.has_tabs = is_open[VIEW_DOCK_LEFT] && is_open[VIEW_DOCK_RIGHT];
        is_open[VIEW_DOCK_LEFT] = front == VIEW_DOCK_LEFT;
        is_open[VIEW_DOCK_RIGHT] = front == VIEW_DOCK_RIGHT;
    }

    // Until the image has its minimum size, docks shrink to their minimum, then close, in this
    // order.
    static const view_dock order[VIEW_NUM_DOCKS] = {VIEW_DOCK_RIGHT, VIEW_DOCK_BOTTOM,
                                                    VIEW_DOCK_LEFT};
    float available[2] = {free_part->width / em - min_free[0] - 0.2f,
                          free_part->height / em - min_free[1]
                              - 0.1f}; // reserve pixels for rounding
    float wanted[VIEW_NUM_DOCKS] = {0};
    for (view_dock dock = 0; dock < VIEW_NUM_DOCKS; dock++)
        wanted[dock] = is_open[dock] ? preferred_size(request, dock) : 0;
    if (is_open[VIEW_DOCK_BOTTOM])
        wanted[VIEW_DOCK_BOTTOM] = fminf(
            wanted[VIEW_DOCK_BOTTOM], max_bottom_height(layout.arrangement) * request->height / em);
    for (int closing = 0; closing < 2; closing++)
        for (int i = 0; i < VIEW_NUM_DOCKS; i++) {
            const view_dock dock = order[i];
            const bool is_side = dock != VIEW_DOCK_BOTTOM;
            const float used = is_side ? wanted[VIEW_DOCK_LEFT] + wanted[VIEW_DOCK_RIGHT]
                                       : wanted[VIEW_DOCK_BOTTOM];
            const float excess = used - available[is_side ? 0 : 1];
            if (wanted[dock] > 0 && excess > 0)
                wanted[dock] = closing != 0 ? 0
                                            : fmaxf(wanted[dock] - excess,
                                                    fminf(sizes[dock].minimum, wanted[dock]));
        }
    if (wanted[VIEW_DOCK_BOTTOM] > 0)
        layout.docks[VIEW_DOCK_BOTTOM] =
            view_cut(free_part, VIEW_AT_BOTTOM, ceilf(wanted[VIEW_DOCK_BOTTOM] * em));
    const bool is_single = layout.arrangement == VIEW_ARRANGE_SINGLE;
    for (view_dock dock = VIEW_DOCK_LEFT; dock <= VIEW_DOCK_RIGHT; dock++)
        if (wanted[dock] > 0)
            layout.docks[dock] = view_cut(
                free_part, is_single || dock == VIEW_DOCK_RIGHT ? VIEW_AT_RIGHT : VIEW_AT_LEFT,
                ceilf(wanted[dock] * em));
    return layout;
}

float view_drag_dock(const view_layout_request *request, view_dock dock, float x, float y)
{
    const view_layout layout = view_lay_out(request);
    const view_rect box = layout.docks[dock];
    const bool is_left_sheet = layout.arrangement == VIEW_ARRANGE_SHEET && !request->is_touched;
    const bool is_left_dock = dock == VIEW_DOCK_LEFT && layout.arrangement == VIEW_ARRANGE_BESIDE;
    float size = box.x + box.width - x;
    if (dock == VIEW_DOCK_BOTTOM)
        size = box.y + box.height - y;
    else if (is_left_sheet || is_left_dock)
        size = x - box.x;
    const float ems = size / request->em;
    return ems < 0.5f * sizes[dock].minimum ? 0 : fmaxf(ems, sizes[dock].minimum);
}

void view_drop_sheet(const view_layout_request *request, view_docks *docks)
{
    const float top = docks->sheet_top;
    const bool was_open = docks->is_sheet_open && !docks->is_folded;
    view_layout_request still = *request;
    float best = 0;
    int number = 1;
    if (was_open)
        number = docks->is_sheet_full ? 0 : 2;
    for (int i = 0; i < 3 && top > 0; i++) {
        still.docks = (view_docks){.is_sheet_open = i > 0, .is_sheet_full = i == 2};
        still.is_open[VIEW_DOCK_LEFT] = true; // any side dock: the height does not depend on it
        const float away = fabsf(view_lay_out(&still).handle.y - top);
        if (i == 0 || away < best) {
            best = away;
            number = i;
        }
    }
    docks->sheet_top = 0;
    docks->is_sheet_open = number > 0;
    docks->is_sheet_full = number == 2;
    docks->is_folded = docks->is_folded && number == 0;
}
