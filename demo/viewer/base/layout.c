// Computes the rectangles of the menu bar, the docks, the time bar and the image. A dock is a panel
// at the left, the right or the bottom of the window. A small window has no space for docks at the
// sides. There, a sheet replaces them: it covers a part of the image and shows one dock at a time.
#include "demo/viewer/base/layout.h"

#include "demo/viewer/base/math.h"
#include <string.h>

// Default and minimum size of a dock, em.
static const struct {
    float default_size;
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
static const float min_sheet_window[2] = {20, 18}; // width and height of the window

// Selects the arrangement of the docks by the size of the window in em, the size of the text. A
// window with large text is therefore arranged like a smaller window.
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

// Returns the maximum height of the bottom dock, as a fraction of the window's height.
static float max_bottom_height(view_arrangement arrangement)
{
    return arrangement == VIEW_ARRANGE_SINGLE ? 0.35f : 0.55f;
}

// Returns the size of a dock in em. It is the size that the user has set, but at least the minimum.
// If the user has set none, it is the default.
static float preferred_size(const view_layout_request *request, view_dock dock)
{
    const float size = request->docks.sizes[dock];
    return size > 0 ? fmaxf(size, sizes[dock].minimum) : sizes[dock].default_size;
}

// Returns the height of the sheet of an upright window, in pixels: 0, half or full. While the user
// drags the handle of the sheet, the height follows the handle. `bars` is the total height of the
// time bar and the handle, which are above the sheet.
static float upright_sheet_height(const view_layout_request *request, bool is_open,
                                  float half_height, float full_height, float bars)
{
    const float dragged_top = request->docks.sheet_top;
    float height = half_height;
    if (dragged_top > 0)
        height = request->height - dragged_top - bars;
    else if (!is_open)
        height = 0;
    else if (request->docks.is_sheet_full)
        height = full_height;
    return ceilf(fmaxf(fminf(height, full_height), 0));
}

// Lays out the sheet at the bottom of an upright window, with the time bar and the handle above it.
// Up to half of the height, the image becomes smaller when the sheet becomes higher. A higher sheet
// covers a part of the image.
static void lay_out_upright_sheet(const view_layout_request *request, view_dock front, bool is_open,
                                  view_layout *layout)
{
    const float em = request->em;
    const float time_bar = ceilf(time_height * em);
    const float handle = ceilf(handle_height * em);
    const float bars = time_bar + handle;
    const float full_height = fmaxf(layout->free.height - bars, 0);
    const float half_height = ceilf(fmaxf(0.45f * request->height - bars, 0));
    const float height = upright_sheet_height(request, is_open, half_height, full_height, bars);

    view_rect remaining = layout->free;
    const view_rect sheet = view_cut(&remaining, VIEW_AT_BOTTOM, height);
    if (is_open && sheet.height > min_sheet * em)
        layout->docks[front] = sheet;
    layout->time = view_cut(&remaining, VIEW_AT_BOTTOM, time_bar);
    layout->handle = view_cut(&remaining, VIEW_AT_BOTTOM, handle);

    // The image keeps the height that a half-open sheet leaves.
    const float min_image_height = full_height - half_height;
    layout->free.height = fmaxf(remaining.height, min_image_height);
}

// Lays out the sheet of a wide but low window. The sheet covers one side of the image.
static void lay_out_side_sheet(const view_layout_request *request, view_dock front,
                               view_layout *layout)
{
    const view_side side = request->is_touched ? VIEW_AT_RIGHT : VIEW_AT_LEFT;
    const view_dock sized_dock = request->is_touched ? VIEW_DOCK_RIGHT : front;
    const float preferred = preferred_size(request, sized_dock) * request->em;
    const float width = fminf(preferred, 0.8f * request->width);
    view_rect covered = layout->free;
    layout->docks[front] = view_cut(&covered, side, floorf(width));
}

// Lays out a small window, in which a sheet shows one dock at a time. `front` is the side dock that
// is shown.
static void lay_out_sheets(const view_layout_request *request, view_dock front, bool is_upright,
                           view_layout *layout)
{
    const bool *const is_open = request->is_open;
    const bool has_side = is_open[VIEW_DOCK_LEFT] || is_open[VIEW_DOCK_RIGHT];
    const bool is_sheet_open = has_side && request->docks.is_sheet_open;
    layout->has_tabs = is_open[VIEW_DOCK_LEFT] && is_open[VIEW_DOCK_RIGHT];
    if (is_upright && request->has_time)
        lay_out_upright_sheet(request, front, is_sheet_open, layout);
    else if (is_sheet_open)
        lay_out_side_sheet(request, front, layout);

    // A phone has little space, so only the list of problems may cover the image. In a small window
    // of a desktop, the state graph may also cover it.
    if (is_open[VIEW_DOCK_BOTTOM] && (request->docks.shows_problems || !layout->is_phone)) {
        view_rect covered = layout->free;
        layout->docks[front] = (view_rect){0};
        layout->docks[VIEW_DOCK_BOTTOM] =
            view_cut(&covered, VIEW_AT_BOTTOM, ceilf(0.65f * covered.height));
    }
}

// Returns the size by which the docks exceed the space that is available for them, in em. A result
// of 0 or less means that they fit. The bottom dock is compared with the available height. The left
// and the right dock together are compared with the available width.
static float excess_size(const float *dock_sizes, view_dock dock, const float available_size[2])
{
    if (dock == VIEW_DOCK_BOTTOM)
        return dock_sizes[VIEW_DOCK_BOTTOM] - available_size[1];
    return dock_sizes[VIEW_DOCK_LEFT] + dock_sizes[VIEW_DOCK_RIGHT] - available_size[0];
}

// Reduces the sizes of the docks (em) until the image has its minimum size. In the first pass the
// docks shrink to their minimum. In the second pass they close. In both passes, docks are reduced
// in the sequence of `order`.
static void shrink_docks(const view_layout_request *request, view_rect free, float *dock_sizes)
{
    static const view_dock order[VIEW_NUM_DOCKS] = {VIEW_DOCK_RIGHT, VIEW_DOCK_BOTTOM,
                                                    VIEW_DOCK_LEFT};
    // Width and height that are available for docks. The subtracted fractions of an em compensate
    // for rounding to whole pixels.
    const float available_size[2] = {free.width / request->em - min_free[0] - 0.2f,
                                     free.height / request->em - min_free[1] - 0.1f};
    for (int pass = 0; pass < 2; pass++) {
        const bool closes_docks = pass == 1;
        for (int i = 0; i < VIEW_NUM_DOCKS; i++) {
            const view_dock dock = order[i];
            const float excess = excess_size(dock_sizes, dock, available_size);
            const bool is_open = dock_sizes[dock] > 0;
            if (!is_open || excess <= 0)
                continue;
            const float minimum = fminf(sizes[dock].minimum, dock_sizes[dock]);
            dock_sizes[dock] = closes_docks ? 0 : fmaxf(dock_sizes[dock] - excess, minimum);
        }
    }
}

// Lays out docks that are next to the image and do not cover it.
static void lay_out_docks(const view_layout_request *request,
                          const bool is_open[static VIEW_NUM_DOCKS], view_layout *layout)
{
    const float em = request->em;
    const bool is_single = layout->arrangement == VIEW_ARRANGE_SINGLE;
    float dock_sizes[VIEW_NUM_DOCKS] = {0};
    for (view_dock dock = 0; dock < VIEW_NUM_DOCKS; dock++) {
        if (is_open[dock])
            dock_sizes[dock] = preferred_size(request, dock);
    }
    const float max_bottom = max_bottom_height(layout->arrangement) * request->height / em;
    dock_sizes[VIEW_DOCK_BOTTOM] = fminf(dock_sizes[VIEW_DOCK_BOTTOM], max_bottom);
    shrink_docks(request, layout->free, dock_sizes);

    // The bottom dock is as wide as the window. Therefore its space is removed before the space of
    // the side docks.
    if (dock_sizes[VIEW_DOCK_BOTTOM] > 0)
        layout->docks[VIEW_DOCK_BOTTOM] =
            view_cut(&layout->free, VIEW_AT_BOTTOM, ceilf(dock_sizes[VIEW_DOCK_BOTTOM] * em));
    for (view_dock dock = VIEW_DOCK_LEFT; dock <= VIEW_DOCK_RIGHT; dock++) {
        const bool is_at_right = is_single || dock == VIEW_DOCK_RIGHT;
        if (dock_sizes[dock] > 0)
            layout->docks[dock] =
                view_cut(&layout->free, is_at_right ? VIEW_AT_RIGHT : VIEW_AT_LEFT,
                         ceilf(dock_sizes[dock] * em));
    }
}

// Returns the side dock that is shown if only one of them fits. It is the dock that the user has
// chosen, or the other one if the chosen dock is closed.
static view_dock front_dock(const view_layout_request *request)
{
    view_dock front = VIEW_DOCK_RIGHT;
    view_dock back = VIEW_DOCK_LEFT;
    if (request->docks.front == VIEW_DOCK_LEFT) {
        front = VIEW_DOCK_LEFT;
        back = VIEW_DOCK_RIGHT;
    }
    return request->is_open[front] ? front : back;
}

// Divides the window into the menu bar, the docks, the time bar and the region for the image.
view_layout view_lay_out(const view_layout_request *request)
{
    const float em = request->em;
    view_layout layout = {.free = {0, 0, request->width, request->height}};
    layout.arrangement = em > 0 ? choose_arrangement(request) : VIEW_ARRANGE_ALONE;
    if (layout.arrangement == VIEW_ARRANGE_ALONE)
        return layout;

    const bool has_sheets = layout.arrangement == VIEW_ARRANGE_SHEET;
    const bool is_upright = has_sheets && request->height > request->width;
    layout.is_phone = is_upright || (has_sheets && request->is_touched);

    // In an upright window, lay_out_upright_sheet() places the time bar, because it is above the
    // sheet.
    const float menu_height = ceilf(menu_heights[layout.is_phone] * em);
    if (request->has_menu)
        layout.menu = view_cut(&layout.free, VIEW_AT_TOP, menu_height);
    if (request->has_time && !is_upright)
        layout.time = view_cut(&layout.free, VIEW_AT_BOTTOM, ceilf(time_height * em));

    const view_dock front = front_dock(request);
    if (has_sheets) {
        lay_out_sheets(request, front, is_upright, &layout);
        return layout;
    }

    bool is_open[VIEW_NUM_DOCKS];
    memcpy(is_open, request->is_open, sizeof is_open);
    const bool has_side = is_open[VIEW_DOCK_LEFT] || is_open[VIEW_DOCK_RIGHT];
    if (layout.arrangement == VIEW_ARRANGE_SINGLE && has_side) {
        layout.has_tabs = is_open[VIEW_DOCK_LEFT] && is_open[VIEW_DOCK_RIGHT];
        is_open[VIEW_DOCK_LEFT] = front == VIEW_DOCK_LEFT;
        is_open[VIEW_DOCK_RIGHT] = front == VIEW_DOCK_RIGHT;
    }
    lay_out_docks(request, is_open, &layout);
    return layout;
}

// Returns the size of a dock in em while the user drags its edge to the pixel (x, y). Returns 0 if
// the dock becomes too small and closes. The user drags the inner edge of the dock, and the
// opposite edge does not move. The size is therefore the distance from the mouse to the opposite
// edge.
float view_drag_dock(const view_layout_request *request, view_dock dock, float x, float y)
{
    const view_layout layout = view_lay_out(request);
    const view_rect box = layout.docks[dock];
    const bool is_left_sheet = layout.arrangement == VIEW_ARRANGE_SHEET && !request->is_touched;
    const bool is_left_dock = dock == VIEW_DOCK_LEFT && layout.arrangement == VIEW_ARRANGE_BESIDE;
    float pixels = box.x + box.width - x; // from the right edge of the dock to the mouse
    if (dock == VIEW_DOCK_BOTTOM)
        pixels = box.y + box.height - y;
    else if (is_left_sheet || is_left_dock)
        pixels = x - box.x;

    const float size = pixels / request->em;
    const float minimum = sizes[dock].minimum;
    const bool is_closed = size < 0.5f * minimum;
    return is_closed ? 0 : fmaxf(size, minimum);
}

// The heights at which the sheet of an upright window can rest.
typedef enum sheet_height { SHEET_CLOSED, SHEET_HALF, SHEET_FULL, NUM_SHEET_HEIGHTS } sheet_height;

// Returns the height after a click on the handle. A click changes closed to half, half to full, and
// full to closed.
static sheet_height next_sheet_height(const view_docks *docks)
{
    const bool is_open = docks->is_sheet_open && !docks->is_folded;
    if (!is_open)
        return SHEET_HALF;
    return docks->is_sheet_full ? SHEET_CLOSED : SHEET_FULL;
}

// Returns the height at which the handle would be nearest to its dragged position.
static sheet_height nearest_sheet_height(const view_layout_request *request, float dragged_top)
{
    view_layout_request resting = *request;
    resting.is_open[VIEW_DOCK_LEFT] = true; // any side dock, because all have the same height

    sheet_height nearest = SHEET_CLOSED;
    float min_distance = INFINITY;
    for (sheet_height height = 0; height < NUM_SHEET_HEIGHTS; height++) {
        resting.docks = (view_docks){.is_sheet_open = height != SHEET_CLOSED,
                                     .is_sheet_full = height == SHEET_FULL};
        const float distance = fabsf(view_lay_out(&resting).handle.y - dragged_top);
        if (distance < min_distance) {
            min_distance = distance;
            nearest = height;
        }
    }
    return nearest;
}

// Ends a drag or a click of the sheet's handle, and moves the sheet to one of its heights.
void view_drop_sheet(const view_layout_request *request, view_docks *docks)
{
    const bool was_dragged = docks->sheet_top > 0;
    const sheet_height height =
        was_dragged ? nearest_sheet_height(request, docks->sheet_top) : next_sheet_height(docks);
    docks->sheet_top = 0;
    docks->is_sheet_open = height != SHEET_CLOSED;
    docks->is_sheet_full = height == SHEET_FULL;
    docks->is_folded = docks->is_folded && height == SHEET_CLOSED;
}
