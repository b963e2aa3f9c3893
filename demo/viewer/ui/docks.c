// The docks at the left, the right and the bottom of the image. This file contains their headers
// with tabs, their content, and the edges that resize them. In a small window, a sheet replaces the
// side docks. A sheet covers a part of the image and shows one dock at a time.
#include "demo/viewer/ui/panels.h"

// Sizes in em.
static const float edge_grip = 0.4f; // distance at which the mouse grips the edge of a dock
static const float tab_line = 0.15f; // height of the line below a selected tab

// The tabs of the bottom dock. Tab i of the side docks is the view_dock with the value i.
enum { TAB_CURVES, TAB_COMPARE, TAB_PROBLEMS, NUM_BOTTOM_TABS, NUM_SIDE_TABS = 2 };

// == Layout ===============================================================================

view_rect view_free_region(const view_stage *stage)
{
    view_rect region = view_current_layout(stage).free;
    if (stage->is_start && stage->font->scale > 0 && view_start_box(stage).x > 0)
        region.width = view_start_box(stage).x;
    return region;
}

// Returns true if a change has switched an option on.
static bool is_switched_on(bool before, bool after)
{
    return after && !before;
}

// Returns true if a change has switched on an option that displays something in the right dock.
static bool is_right_opened(const view_shown *before, const view_shown *after)
{
    return is_switched_on(before->light_list, after->light_list)
           || is_switched_on(before->parm_list, after->parm_list)
           || is_switched_on(before->statistics, after->statistics)
           || is_switched_on(before->frame_time, after->frame_time)
           || is_switched_on(before->inspector, after->inspector);
}

// Brings a panel to the front after a command has switched it on. `before` contains the options
// before the command. Also switches off the panels that the new panel hides, so that the options
// agree with the display.
void view_activate_opened_panels(view_ui *ui, const view_shown *before, view_shown *after)
{
    // While the docks are folded, they are closed although their options are on. A command that
    // toggles one of them then shows both docks.
    const bool has_switched =
        after->hierarchy != before->hierarchy || after->inspector != before->inspector;
    if (ui->docks.is_folded && has_switched) {
        ui->docks.is_folded = false;
        after->hierarchy = after->inspector = true;
    }

    // The bottom dock can show only one of its panels. The panel that was opened last remains.
    const bool are_both_on = after->curves && after->differences;
    if (are_both_on && before->curves)
        after->curves = false;
    else if (are_both_on)
        after->differences = false;

    // If only one dock fits, the opened dock must be in front. The right dock then shows the
    // inspector and not its second tab, "Display".
    const bool opens_left = is_switched_on(before->hierarchy, after->hierarchy);
    const bool opens_right = is_right_opened(before, after);
    if (!opens_left && !opens_right)
        return;
    ui->docks.front = opens_left ? VIEW_DOCK_LEFT : VIEW_DOCK_RIGHT;
    ui->docks.is_sheet_open = true;
    if (opens_right)
        ui->docks.is_second[VIEW_DOCK_RIGHT] = false;
}

// == Headers and edges ====================================================================

// Returns the option that shows the current content of the bottom dock.
static const view_option *bottom_dock_switch(const view_stage *stage)
{
    if (!view_shows_curves(stage))
        return VIEW_OPTION(shown.graph);
    return stage->shown->curves ? VIEW_OPTION(shown.curves) : VIEW_OPTION(shown.differences);
}

// Returns the option that shows the current content of a dock. Switching it off closes the dock.
static const view_option *dock_switch(const view_stage *stage, view_dock dock)
{
    if (dock == VIEW_DOCK_LEFT)
        return VIEW_OPTION(shown.hierarchy);
    if (dock == VIEW_DOCK_BOTTOM)
        return bottom_dock_switch(stage);
    if (stage->shown->light_list)
        return VIEW_OPTION(shown.light_list);
    return stage->shown->parm_list ? VIEW_OPTION(shown.parm_list) : VIEW_OPTION(shown.inspector);
}

// Returns the action that closes an open dock or opens a closed one.
static view_action toggle_action(const view_stage *stage, view_dock dock)
{
    if (dock == VIEW_DOCK_BOTTOM && stage->docks.shows_problems)
        return VIEW_WARNINGS;
    return view_get_toggle(dock_switch(stage, dock));
}

// Returns the side of a dock at which the image is. `box` is the rectangle of the dock. If the top
// of the dock is below the top of the image, it is a sheet at the bottom of a small window.
static view_side image_side(const view_ui *ui, view_dock dock, view_rect box)
{
    const view_layout_request request = view_requested_layout(ui->stage);
    const view_rect image = view_lay_out(&request).free;
    const float tolerance = ceilf(edge_grip * request.em);
    if (dock == VIEW_DOCK_BOTTOM || box.y > image.y + tolerance)
        return VIEW_AT_TOP;
    return box.x < image.x + tolerance ? VIEW_AT_RIGHT : VIEW_AT_LEFT;
}

// Returns the area around an edge in which the mouse can drag the edge.
static view_rect grip_area(const view_ui *ui, view_rect edge, bool is_horizontal)
{
    view_rect area = view_inset(edge, -ceilf(edge_grip * ui->em));
    if (is_horizontal) {
        area.x = edge.x;
        area.width = edge.width;
    } else {
        area.y = edge.y;
        area.height = edge.height;
    }
    return area;
}

// Resizes a dock while its edge is dragged, so that the edge follows the mouse. If the dock becomes
// too small, closes it and ends the drag.
static void resize_dock(view_ui *ui, view_dock dock)
{
    const view_layout_request request = view_requested_layout(ui->stage);
    const float size = view_drag_dock(&request, dock, ui->mouse.x, ui->mouse.y);
    const bool is_too_small = !(size > 0);
    if (is_too_small) {
        ui->active.panel = ui->held = NULL; // ends the drag
        UI_COMMAND(ui, toggle_action(ui->stage, dock));
        return;
    }
    ui->docks.sizes[dock] = size;
}

// Draws the edge between a dock and the image, and handles its input. A drag resizes the dock. A
// double click restores its default size. `box` is the rectangle of the dock.
static void drag_edge(view_ui *ui, view_dock dock, view_rect box)
{
    const view_side side = image_side(ui, dock, box);
    view_rect rest = box;
    const view_rect edge = view_cut(&rest, side, ui_thin_line(ui));
    const bool is_bottom = dock == VIEW_DOCK_BOTTOM;
    const bool is_sheet = side == VIEW_AT_TOP && !is_bottom;
    if (is_sheet) { // its handle resizes a sheet
        view_draw_rect(ui->canvas, edge, VIEW_EDGE);
        return;
    }

    const view_rect area = grip_area(ui, edge, is_bottom);
    float unused;
    const bool is_pressed = ui_item(ui, area, "");
    const bool is_dragged = ui_drag(ui, is_pressed, area, &unused);
    view_draw_rect(ui->canvas, edge, ui_is_hot(ui) ? VIEW_ACCENT : VIEW_EDGE);
    if (is_pressed && ui->mouse.is_double) {
        ui->docks.sizes[dock] = 0; // the default size
        ui->active.panel = NULL;   // ends the drag
    }
    if (is_dragged && ui->mouse.is_moved)
        resize_dock(ui, dock);
}

// Handles a press on a tab that is not selected. In a side dock, the state of the docks selects the
// tab. In the bottom dock, a command shows the content of the tab.
static void press_tab(view_ui *ui, const view_stage *stage, bool is_bottom, int tab)
{
    if (!is_bottom) {
        ui->docks.front = (view_dock)tab;
        return;
    }
    if (tab == TAB_PROBLEMS) {
        UI_COMMAND(ui, VIEW_WARNINGS);
        return;
    }

    const bool is_curves = tab == TAB_CURVES;
    const bool is_on = is_curves ? stage->shown->curves : stage->shown->differences;
    const view_option *const option =
        is_curves ? VIEW_OPTION(shown.curves) : VIEW_OPTION(shown.differences);
    ui->docks.shows_problems = false;
    if (!is_on)
        UI_COMMAND(ui, view_get_toggle(option));
}

// Returns the selected tab of a dock.
static int front_tab(const view_stage *stage, view_dock dock)
{
    if (dock != VIEW_DOCK_BOTTOM)
        return (int)dock;
    if (stage->docks.shows_problems)
        return TAB_PROBLEMS;
    return stage->shown->curves ? TAB_CURVES : TAB_COMPARE;
}

// Returns the first tab of the bottom dock that is displayed. "Curves" and "Differences" require a
// clip, and more space than the sheet of a small window has. Without them, the dock has only the
// tab "Problems".
static int first_bottom_tab(const view_stage *stage, const view_layout *layout)
{
    const bool is_sheet = layout->arrangement == VIEW_ARRANGE_SHEET;
    return view_shows_curves(stage) && !is_sheet ? TAB_CURVES : TAB_PROBLEMS;
}

// Draws the tabs in the header of a dock and handles their input. The text of the first tab
// begins at the x coordinate `left`. `top` is the y coordinate of the header. Both are in
// pixels.
static void run_dock_tabs(view_ui *ui, const view_stage *stage, const view_layout *layout,
                          view_dock dock, float left, float top)
{
    static const char *const side_names[] = {"Outliner", "Inspector"};
    static const char *const bottom_names[] = {"Curves", "Differences", "Problems"};
    const bool is_bottom = dock == VIEW_DOCK_BOTTOM;
    const char *const *const names = is_bottom ? bottom_names : side_names;
    const int num_tabs = is_bottom ? NUM_BOTTOM_TABS : NUM_SIDE_TABS;
    const int first = is_bottom ? first_bottom_tab(stage, layout) : 0;
    const int front = front_tab(stage, dock);

    const float height = ceilf(UI_DOCK_HEADER * ui->em);
    const float text_y = top + floorf(0.5f * (height - ui->line));
    const float padding = UI_PADDING * ui->em;
    const float line_height = ceilf(tab_line * ui->em);
    float text_x = left;
    for (int i = first; i < num_tabs; i++) {
        const float width = ui_text_width(ui, names[i]);
        const view_rect tab = {text_x - padding, top, width + 2 * padding, height};
        const bool is_front = i == front;
        if (ui_item(ui, tab, names[i]) && !is_front)
            press_tab(ui, stage, is_bottom, i);
        const bool is_bright = is_front || ui_is_hot(ui);
        ui_text(ui, text_x, text_y, 0, is_bright ? VIEW_BRIGHT : VIEW_DIM, names[i]);
        if (is_front) {
            const view_rect line = {tab.x, top + height - line_height, tab.width, line_height};
            view_draw_rect(ui->canvas, line, VIEW_ACCENT);
        }
        text_x += width + 2 * padding;
    }
}

// Draws the button that closes a dock or a sheet. Also handles its input. `button` is a square
// at the right end of the header.
static void run_dock_closing(view_ui *ui, const view_layout *layout, view_dock dock,
                             view_rect button)
{
    const bool is_pressed = ui_sign(ui, button, "close", "\xE2\x9C\x95");
    ui_tooltip(ui, "Close");
    if (!is_pressed)
        return;
    if (layout->arrangement == VIEW_ARRANGE_SHEET)
        ui->docks.is_sheet_open = false;
    else
        UI_COMMAND(ui, toggle_action(ui->stage, dock));
}

// Draws the background and the header of a dock. The header contains a title or tabs, and the
// button that closes the dock. Returns the area below the header. The panels that follow are in the
// dock until the caller clears ui->dock.
static view_rect begin_dock(view_ui *ui, const view_stage *stage, const view_layout *layout,
                            view_dock dock)
{
    static const char *const titles[] = {"Outliner", "Inspector"};
    static const char *const panels[VIEW_NUM_DOCKS] = {"outliner", "inspector", "bottom"};
    const view_rect box = layout->docks[dock];
    const float header_height = ceilf(UI_DOCK_HEADER * ui->em);
    const float text_x = box.x + UI_PADDING * ui->em;
    const float text_y = box.y + floorf(0.5f * (header_height - ui->line));
    const view_rect line = {box.x, box.y + header_height - 1, box.width, 1};
    view_draw_rect(ui->canvas, box, VIEW_DOCK);
    ui->dock = UI_DOCK_HEADER_AREA;
    ui_begin(ui, panels[dock]);
    ui_item(ui, box, "");
    view_draw_rect(ui->canvas, line, VIEW_CONTROL);
    if (layout->has_tabs || dock == VIEW_DOCK_BOTTOM)
        run_dock_tabs(ui, stage, layout, dock, text_x, box.y);
    else
        ui_text(ui, text_x, text_y, 0, VIEW_BRIGHT, titles[dock]);

    view_rect content = box;
    view_rect header = view_cut(&content, VIEW_AT_TOP, header_height);
    run_dock_closing(ui, layout, dock, view_cut(&header, VIEW_AT_RIGHT, header_height));
    ui->dock = panels[dock];
    return content;
}

// Draws the handle of a phone's sheet: a short bar in the middle of a strip. It indicates that the
// sheet can be dragged.
static void draw_handle(const view_ui *ui, view_rect handle)
{
    const float width = 3 * ui->em;
    const float height = 0.3f * ui->em;
    const view_rect bar = {roundf(handle.x + 0.5f * handle.width - 0.5f * width),
                           roundf(handle.y + 0.5f * handle.height), width, height};
    const view_rect edge = {handle.x, handle.y, handle.width, ui_thin_line(ui)};
    view_draw_rect(ui->canvas, handle, VIEW_DOCK);
    view_draw_rect(ui->canvas, edge, VIEW_EDGE);
    view_draw_round_rect(ui->canvas, bar, 0.5f * height, VIEW_EDGE);
}

// Draws the handle of the sheet in an upright window and handles its input. While a finger drags
// the handle, the sheet follows the finger. After that, view_drop_sheet() moves the sheet to the
// nearest of its heights.
static void drag_handle(view_ui *ui, view_rect handle)
{
    draw_handle(ui, handle);
    float unused;
    ui_begin(ui, VIEW_SHEET_HANDLE);
    const bool is_pressed = ui_item(ui, handle, "handle");
    const bool is_moved = ui_drag(ui, is_pressed, handle, &unused) && !is_pressed;
    if (!is_moved)
        return;

    // A finger moves a little during a tap. Therefore the drag begins only after a movement of one
    // em.
    const float top = fmaxf(ui->mouse.y - 0.5f * handle.height, 1);
    const bool was_dragged = ui->docks.sheet_top > 0;
    const bool is_dragged = was_dragged || fabsf(top - handle.y) > ui->em;
    if (!is_dragged)
        return;
    ui->docks.sheet_top = top;
    ui->docks.is_sheet_open = true;
    ui->docks.is_folded = false;
}

// Handles a press on a tab of a sheet. Brings its dock to the front, and opens the dock if it is
// closed.
static void press_sheet_tab(view_ui *ui, view_dock dock, bool is_second)
{
    ui->docks.front = dock;
    ui->docks.is_second[dock] = is_second;
    if (!view_requested_layout(ui->stage).is_open[dock])
        UI_COMMAND(ui, toggle_action(ui->stage, dock));
}

// Draws the background of a sheet for touch screens, and its tabs. `front` is the dock whose
// content the sheet displays. Returns the area below the tabs.
static view_rect begin_sheet(view_ui *ui, view_dock front, view_rect box)
{
    const view_dock no_dock = VIEW_NUM_DOCKS; // the tab opens a dialog
    const struct {
        const char *name;
        view_dock dock;
        bool is_second; // the tab shows the second of two contents of the dock
    } tabs[] = {{view_shows_machine(ui->stage) ? "States" : "Clips", VIEW_DOCK_LEFT, false},
                {"Joints", VIEW_DOCK_LEFT, true},
                {"Display", VIEW_DOCK_RIGHT, true},
                {"Info", VIEW_DOCK_RIGHT, false},
                {"Export", no_dock, false}};
    enum { NUM_TABS = COMMON_LENGTH(tabs) };
    const float line = ceilf(tab_line * ui->em);
    view_rect content = box;
    view_rect header = view_cut(&content, VIEW_AT_TOP, ceilf(2.6f * ui->em));
    view_draw_rect(ui->canvas, box, VIEW_DOCK);
    ui_begin(ui, "tab");
    ui_item(ui, box, "");

    for (int i = 0; i < NUM_TABS; i++) {
        const view_dock dock = tabs[i].dock;
        const bool is_front = dock == front && ui->docks.is_second[dock] == tabs[i].is_second;
        const view_rect tab = view_cut(&header, VIEW_AT_LEFT, box.width / (float)NUM_TABS);
        const bool is_pressed = ui_item(ui, tab, tabs[i].name);
        const bool is_bright = is_front || ui_is_hot(ui);
        ui_text_in(ui, tab, is_bright ? VIEW_BRIGHT : VIEW_PLAIN, tabs[i].name);
        view_draw_rect(ui->canvas, (view_rect){tab.x, tab.y + tab.height - line, tab.width, line},
                       is_front ? VIEW_ACCENT : VIEW_CONTROL);
        if (is_pressed && dock == no_dock)
            UI_COMMAND(ui, VIEW_EXPORT);
        else if (is_pressed)
            press_sheet_tab(ui, dock, tabs[i].is_second);
    }
    return content;
}

// Draws the content of the left or right dock in `area` and handles its input. If `is_display`
// is true, the right dock shows the display options of a touch screen instead of the inspector.
static void run_side_dock(view_ui *ui, view_panels *panels, view_dock dock, bool is_display,
                          view_rect area)
{
    if (dock == VIEW_DOCK_LEFT)
        view_outliner_panel(ui, &panels->outliner, &panels->graph, area);
    else if (is_display)
        view_display_panel(ui, &panels->card, area);
    else
        view_inspector_panel(ui, &panels->card, &panels->textures, &panels->retarget, area);
}

// Closes the sheet if the user has pressed Escape. Also closes a sheet that covers the image if the
// user has pressed outside of it.
static void run_sheet_closing(view_ui *ui, const view_layout *layout)
{
    if (layout->arrangement != VIEW_ARRANGE_SHEET || !ui->docks.is_sheet_open)
        return;
    const bool covers_image = !(layout->handle.width > 0);
    ui_begin(ui, "sheet");
    if (covers_image && ui_item(ui, layout->free, ""))
        ui->docks.is_sheet_open = false;
    if (ui_key(ui, VIEW_KEY_ESCAPE))
        ui->docks.is_sheet_open = false;
}

// Draws the side docks, or the sheet that replaces them in a small window. Also handles their
// input.
static void run_side_docks(view_ui *ui, view_panels *panels, const view_layout *layout)
{
    for (view_dock dock = VIEW_DOCK_LEFT; dock <= VIEW_DOCK_RIGHT; dock++) {
        const view_rect box = layout->docks[dock];
        const bool is_open = box.width > 0;
        if (!is_open)
            continue;
        const bool is_display = layout->is_phone && ui->docks.is_second[VIEW_DOCK_RIGHT];
        const view_rect area =
            layout->is_phone ? begin_sheet(ui, dock, box) : begin_dock(ui, ui->stage, layout, dock);
        run_side_dock(ui, panels, dock, is_display, area);
        ui->dock = NULL;
        ui_begin(ui, dock == VIEW_DOCK_LEFT ? "left-edge" : "right-edge");
        drag_edge(ui, dock, box);
    }
}

// Draws the bottom dock with the problems or the curves and handles its input. The dock can also
// contain the state graph. The state graph has its own header, so view_graph_panel() draws it.
static void run_bottom_dock(view_ui *ui, view_panels *panels, const view_layout *layout)
{
    const view_stage *const stage = ui->stage;
    const view_rect box = layout->docks[VIEW_DOCK_BOTTOM];
    const bool is_open = box.width > 0;
    const bool shows_problems = stage->docks.shows_problems;
    const bool shows_graph = !shows_problems && !view_shows_curves(stage);
    if (!is_open || shows_graph)
        return;
    const view_rect area = begin_dock(ui, stage, layout, VIEW_DOCK_BOTTOM);
    if (shows_problems)
        view_problems_panel(ui, &panels->problems, &panels->retarget, area);
    else
        view_curves_panel(ui, &panels->curves, area);
    ui->dock = NULL;
    ui_begin(ui, "bottom-edge");
    drag_edge(ui, VIEW_DOCK_BOTTOM, box);
}

// Draws all docks, with their content, headers and edges, and the time bar. Also handles their
// input.
void view_dock_panels(view_ui *ui, view_panels *panels)
{
    const view_stage *const stage = ui->stage;
    const view_layout layout = view_current_layout(stage);
    run_sheet_closing(ui, &layout);
    run_side_docks(ui, panels, &layout);
    // On the page of retargeting, the user selects two joints to pair them. The outliner can select
    // the second joint, even while it hides this page.
    if (ui->is_event && view_shows_retarget(&panels->retarget, stage))
        view_map_picked_joint(ui, &panels->retarget, stage);
    run_bottom_dock(ui, panels, &layout);
    if (layout.time.width > 0)
        view_time_bar(ui, layout.time);
    if (layout.handle.width > 0)
        drag_handle(ui, layout.handle);
}
