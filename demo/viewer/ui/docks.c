// The docks: their headers with tabs, the edges that resize them, and their content; the sheets of
// small windows.
#include "demo/viewer/ui/panels.h"

// == Layout ===============================================================================

view_rect view_free_region(const view_stage *stage)
{
    view_rect region = view_current_layout(stage).free;
    if (stage->is_start && stage->font->scale > 0 && view_start_box(stage).x > 0)
        region.width = view_start_box(stage).x;
    return region;
}

// Returns true if a panel of the right dock was switched on.
static bool is_right_opened(const view_shown *before, const view_shown *now)
{
    if (now->light_list && !before->light_list)
        return true;
    if (now->parm_list && !before->parm_list)
        return true;
    if (now->statistics && !before->statistics)
        return true;
    if (now->frame_time && !before->frame_time)
        return true;
    return now->inspector && !before->inspector;
}

void view_activate_opened_panels(view_ui *ui, const view_shown *before, view_shown *now)
{
    const bool has_switched =
        now->hierarchy != before->hierarchy || now->inspector != before->inspector;
    if (ui->docks.is_folded && has_switched) {
        ui->docks.is_folded = false; // shows both docks
        now->hierarchy = now->inspector = true;
    }
    // Only one of the bottom panels is open at a time.
    if (now->curves && now->differences) {
        if (before->curves)
            now->curves = false;
        else
            now->differences = false;
    }
    const bool has_left = now->hierarchy && !before->hierarchy;
    const bool has_right = is_right_opened(before, now);
    if (has_left || has_right) {
        ui->docks.front = has_left ? VIEW_DOCK_LEFT : VIEW_DOCK_RIGHT;
        ui->docks.is_sheet_open = true;
        ui->docks.is_second[VIEW_DOCK_RIGHT] &= !has_right;
    }
}

// == Headers and edges ====================================================================

// Returns the option that shows the content of a dock.
static const view_option *dock_switch(const view_stage *stage, view_dock dock)
{
    const view_shown *const shown = stage->shown;
    if (dock == VIEW_DOCK_LEFT)
        return VIEW_OPTION(shown.hierarchy);
    if (dock == VIEW_DOCK_BOTTOM) {
        if (!view_shows_curves(stage))
            return VIEW_OPTION(shown.graph);
        return shown->curves ? VIEW_OPTION(shown.curves) : VIEW_OPTION(shown.differences);
    }
    if (shown->light_list)
        return VIEW_OPTION(shown.light_list);
    return shown->parm_list ? VIEW_OPTION(shown.parm_list) : VIEW_OPTION(shown.inspector);
}

// Returns the action that opens or closes a dock.
static view_action closing(const view_stage *stage, view_dock dock)
{
    if (dock == VIEW_DOCK_BOTTOM && stage->docks.shows_problems)
        return VIEW_WARNINGS;
    return view_get_toggle(dock_switch(stage, dock));
}

// The edge between a dock and the image. Dragging it resizes the dock; a double click resets the
// size.
static void drag_edge(view_ui *ui, view_dock dock, view_rect box)
{
    const view_layout_request request = view_requested_layout(ui->stage);
    const float em = request.em;
    const float grip = ceilf(0.4f * em);
    const float line = fmaxf(1, roundf(0.08f * em));
    const view_rect free = view_lay_out(&request).free;
    const bool is_bottom = dock == VIEW_DOCK_BOTTOM;
    const bool is_left = box.x < free.x + grip;
    const bool is_low = is_bottom || box.y > free.y + grip;
    view_side side = is_left ? VIEW_AT_RIGHT : VIEW_AT_LEFT;
    if (is_low)
        side = VIEW_AT_TOP;
    const view_rect edge = view_cut(&box, side, line);
    if (is_low && !is_bottom) { // a sheet cannot be resized here
        view_draw_rect(ui->canvas, edge, VIEW_EDGE);
        return;
    }
    view_rect area = view_inset(edge, -grip);
    if (is_bottom) {
        area.x = edge.x;
        area.width = edge.width;
    } else {
        area.y = edge.y;
        area.height = edge.height;
    }
    float unused;
    const bool is_pressed = ui_item(ui, area, "");
    const bool is_dragged = ui_drag(ui, is_pressed, area, &unused);
    view_draw_rect(ui->canvas, edge, ui_is_hot(ui) ? VIEW_ACCENT : VIEW_EDGE);
    if (is_pressed && ui->mouse.is_double) {
        ui->docks.sizes[dock] = 0;
        ui->active.panel = NULL;
    }
    if (!is_dragged || !ui->mouse.is_moved)
        return;
    const float size = view_drag_dock(&request, dock, ui->mouse.x, ui->mouse.y);
    if (size > 0) {
        ui->docks.sizes[dock] = size;
        return;
    }
    ui->active.panel = ui->held = NULL;
    ui->command.action = closing(ui->stage, dock);
}

// Executes a press on a tab of a dock. `tab` is the index of the tab.
static void press_tab(view_ui *ui, const view_stage *stage, bool is_bottom, int tab)
{
    if (!is_bottom) {
        ui->docks.front = (view_dock)tab;
        return;
    }
    if (tab == 2) {
        ui->command.action = VIEW_WARNINGS;
        return;
    }
    ui->docks.shows_problems = false;
    const bool is_shown = tab == 0 ? stage->shown->curves : stage->shown->differences;
    if (!is_shown)
        ui->command.action =
            view_get_toggle(tab == 0 ? VIEW_OPTION(shown.curves) : VIEW_OPTION(shown.differences));
}

// Draws the tabs of a dock beginning at (x, y) and handles presses.
static void run_dock_tabs(view_ui *ui, const view_stage *stage, const view_layout *layout,
                          view_dock dock, float x, float y)
{
    static const char *const side_names[] = {"Outliner", "Inspector"};
    static const char *const bottom_names[] = {"Curves", "Compare", "Problems"};
    const float em = ui->em;
    const float height = ceilf(2 * em);
    const float gap = 0.7f * em;
    const float text = y + floorf(0.5f * (height - ui->line));
    const bool is_bottom = dock == VIEW_DOCK_BOTTOM;
    const char *const *const names = is_bottom ? bottom_names : side_names;
    const int num_tabs = is_bottom ? 3 : 2;
    int first = 0;
    int front = (int)dock;
    if (is_bottom) {
        // The sheet of a small window has no space for the curves.
        const bool is_sheet = layout->arrangement == VIEW_ARRANGE_SHEET;
        first = view_shows_curves(stage) && !is_sheet ? 0 : 2;
        front = stage->shown->curves ? 0 : 1;
        if (stage->docks.shows_problems)
            front = 2;
    }
    for (int i = first; i < num_tabs; i++) {
        const float width = ui_text_width(ui, names[i]);
        const view_rect tab = {x - gap, y, width + 2 * gap, height};
        if (ui_item(ui, tab, names[i]) && i != front)
            press_tab(ui, stage, is_bottom, i);
        ui_text(ui, x, text, 0, i == front || ui_is_hot(ui) ? VIEW_BRIGHT : VIEW_DIM, names[i]);
        if (i == front) {
            const float line = ceilf(0.15f * em);
            view_draw_rect(ui->canvas, (view_rect){tab.x, y + height - line, tab.width, line},
                           VIEW_ACCENT);
        }
        x += width + 2 * gap;
    }
}

// Draws a dock and its header. Returns the area below the header.
static view_rect open_dock(view_ui *ui, const view_stage *stage, const view_layout *layout,
                           view_dock dock)
{
    static const char *const names[] = {"Outliner", "Inspector"};
    static const char *const panels[VIEW_NUM_DOCKS] = {"outliner", "inspector", "bottom"};
    const view_rect box = layout->docks[dock];
    view_rect rest = box;
    const float em = ui->em;
    const float height = ceilf(2 * em);
    const float x = box.x + 0.7f * em;
    view_draw_rect(ui->canvas, box, VIEW_DOCK);
    ui_begin(ui, panels[dock]);
    ui_item(ui, box, "");
    view_draw_rect(ui->canvas, (view_rect){box.x, box.y + height - 1, box.width, 1}, VIEW_CONTROL);
    if (layout->has_tabs || dock == VIEW_DOCK_BOTTOM)
        run_dock_tabs(ui, stage, layout, dock, x, box.y);
    else
        ui_text(ui, x, box.y + floorf(0.5f * (height - ui->line)), 0, VIEW_BRIGHT, names[dock]);
    view_rect head = view_cut(&rest, VIEW_AT_TOP, height);
    const bool is_closed =
        ui_sign(ui, view_cut(&head, VIEW_AT_RIGHT, height), "close", "\xE2\x9C\x95");
    ui_tip(ui, "Close");
    if (is_closed) {
        if (layout->arrangement == VIEW_ARRANGE_SHEET)
            ui->docks.is_sheet_open = false;
        else
            ui->command.action = closing(stage, dock);
    }
    return rest;
}

// The handle of the sheet of an upright phone, which follows the finger. view_drop_sheet() handles
// the release.
static void drag_handle(view_ui *ui, view_rect handle)
{
    const float em = ui->em;
    float unused;
    view_draw_rect(ui->canvas, handle, VIEW_DOCK);
    view_draw_rect(ui->canvas,
                   (view_rect){handle.x, handle.y, handle.width, fmaxf(1, roundf(0.08f * em))},
                   VIEW_EDGE);
    view_draw_round_rect(ui->canvas,
                         (view_rect){roundf(handle.x + 0.5f * handle.width - 1.5f * em),
                                     roundf(handle.y + 0.5f * handle.height), 3 * em, 0.3f * em},
                         0.15f * em, VIEW_EDGE);
    ui_begin(ui, VIEW_SHEET_HANDLE);
    const bool is_pressed = ui_item(ui, handle, "handle");
    if (!ui_drag(ui, is_pressed, handle, &unused) || is_pressed)
        return;
    const float top = fmaxf(ui->mouse.y - 0.5f * handle.height, 1);
    if (ui->docks.sheet_top > 0 || fabsf(top - handle.y) > em) { // ignores small movements of a tap
        ui->docks.sheet_top = top;
        ui->docks.is_sheet_open = true;
        ui->docks.is_folded = false;
    }
}

// Draws a sheet for touch screens and its tabs. Returns the area below the tabs.
static view_rect open_sheet(view_ui *ui, view_dock front, view_rect box)
{
    const struct {
        const char *name;
        view_dock dock;
        bool is_second;
    } tabs[] = {{view_shows_machine(ui->stage) ? "States" : "Clips", VIEW_DOCK_LEFT, false},
                {"Joints", VIEW_DOCK_LEFT, true},
                {"Display", VIEW_DOCK_RIGHT, true},
                {"Info", VIEW_DOCK_RIGHT, false},
                {"Export", VIEW_NUM_DOCKS, false}};
    enum { NUM_TABS = COMMON_LENGTH(tabs) };
    const float line = ceilf(0.15f * ui->em);
    view_rect rest = box;
    view_rect head = view_cut(&rest, VIEW_AT_TOP, ceilf(2.6f * ui->em));
    view_draw_rect(ui->canvas, box, VIEW_DOCK);
    ui_begin(ui, "tab");
    ui_item(ui, box, "");
    for (int i = 0; i < NUM_TABS; i++) {
        const view_dock dock = tabs[i].dock;
        const bool is_front = dock == front && ui->docks.is_second[dock] == tabs[i].is_second;
        const view_rect tab = view_cut(&head, VIEW_AT_LEFT, box.width / (float)NUM_TABS);
        const bool is_pressed = ui_item(ui, tab, tabs[i].name);
        ui_text_in(ui, tab, is_front || ui_is_hot(ui) ? VIEW_BRIGHT : VIEW_PLAIN, tabs[i].name);
        view_draw_rect(ui->canvas, (view_rect){tab.x, tab.y + tab.height - line, tab.width, line},
                       is_front ? VIEW_ACCENT : VIEW_CONTROL);
        if (is_pressed && dock == VIEW_NUM_DOCKS) {
            ui->command.action = VIEW_EXPORT;
        } else if (is_pressed) {
            ui->docks.front = dock;
            ui->docks.is_second[dock] = tabs[i].is_second;
            if (!view_requested_layout(ui->stage).is_open[dock])
                ui->command.action = closing(ui->stage, dock); // the same command opens the dock
        }
    }
    return rest;
}

// Runs the content of the left or right dock.
static void run_side_dock(view_ui *ui, view_panels *panels, view_dock dock, bool is_look,
                          view_rect area)
{
    if (dock == VIEW_DOCK_LEFT)
        view_outliner_panel(ui, &panels->outliner, &panels->graph, area);
    else if (is_look)
        view_display_panel(ui, &panels->card, area);
    else
        view_inspector_panel(ui, &panels->card, &panels->textures, &panels->retarget, area);
}

void view_dock_panels(view_ui *ui, view_panels *panels)
{
    const view_stage *const stage = ui->stage;
    const view_layout layout = view_current_layout(stage);
    const bool is_sheet = layout.arrangement == VIEW_ARRANGE_SHEET && ui->docks.is_sheet_open;
    if (is_sheet) { // a click outside closes a sheet that covers the image
        ui_begin(ui, "sheet");
        if (!(layout.handle.width > 0) && ui_item(ui, layout.free, ""))
            ui->docks.is_sheet_open = false;
        if (ui_key(ui, VIEW_KEY_ESCAPE))
            ui->docks.is_sheet_open = false;
    }
    for (view_dock dock = VIEW_DOCK_LEFT; dock <= VIEW_DOCK_RIGHT; dock++) {
        const bool is_look = layout.is_phone && ui->docks.is_second[VIEW_DOCK_RIGHT];
        if (!(layout.docks[dock].width > 0))
            continue;
        const view_rect area = layout.is_phone ? open_sheet(ui, dock, layout.docks[dock])
                                               : open_dock(ui, stage, &layout, dock);
        run_side_dock(ui, panels, dock, is_look, area);
        ui_begin(ui, dock == VIEW_DOCK_LEFT ? "left-edge" : "right-edge");
        drag_edge(ui, dock, layout.docks[dock]);
    }
    if (ui->is_event
        && view_shows_retarget(&panels->retarget, stage)) // also if another dock is in front
        view_map_picked_joint(ui, &panels->retarget, stage);
    const view_rect bottom = layout.docks[VIEW_DOCK_BOTTOM];
    const bool shows_problems = stage->docks.shows_problems;
    if (bottom.width > 0 && (shows_problems || view_shows_curves(stage))) {
        const view_rect area = open_dock(ui, stage, &layout, VIEW_DOCK_BOTTOM);
        if (shows_problems)
            view_problems_panel(ui, &panels->problems, &panels->retarget, area);
        else
            view_curves_panel(ui, &panels->curves, area);

        ui_begin(ui, "bottom-edge");
        drag_edge(ui, VIEW_DOCK_BOTTOM, bottom);
    }
    if (layout.time.width > 0)
        view_time_bar(ui, layout.time);
    if (layout.handle.width > 0)
        drag_handle(ui, layout.handle);
}
