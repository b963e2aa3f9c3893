// The docks: where they lie, their heads, and the edges that resize them.
#include "demo/viewer/ui/ui.h"

// == Where they lie =======================================================================

view_rect view_free_region(const view_stage *stage)
{
    view_rect region = view_layout_of(stage).free;
    if (stage->is_start && stage->font->scale > 0 && view_start_box(stage).x > 0)
        region.width = view_start_box(stage).x;
    return region;
}

void view_bring_to_front(view_ui *ui, const view_shown *before, view_shown *now)
{
    if (ui->docks.is_folded
        && (now->hierarchy != before->hierarchy || now->inspector != before->inspector)) {
        ui->docks.is_folded = false; // it shows them, whichever were switched on
        now->hierarchy = now->inspector = true;
    }
    // At the bottom one is open at a time.
    if (now->curves && now->differences)
        *(before->curves ? &now->curves : &now->differences) = false;
    const bool has_left = now->hierarchy && !before->hierarchy;
    const bool has_right =
        (now->inspector && !before->inspector) || (now->light_list && !before->light_list)
        || (now->parm_list && !before->parm_list) || (now->statistics && !before->statistics)
        || (now->frame_time && !before->frame_time);
    if (has_left || has_right) {
        ui->docks.front = has_left ? VIEW_DOCK_LEFT : VIEW_DOCK_RIGHT;
        ui->docks.is_sheet_open = true;
        ui->docks.is_second[VIEW_DOCK_RIGHT] &= !has_right;
    }
}

// == Heads and edges ======================================================================

// The action that turns the switch of a dock.
static view_action closing(const view_stage *stage, view_dock dock)
{
    const view_shown *const shown = stage->shown;
    const bool is_bottom = dock == VIEW_DOCK_BOTTOM;
    if (is_bottom && stage->docks.shows_problems)
        return VIEW_WARNINGS;
    return view_toggle_of(dock == VIEW_DOCK_LEFT                   ? "hierarchy"
                          : is_bottom && !view_shows_curves(stage) ? "graph"
                          : is_bottom         ? shown->curves ? "curves" : "differences"
                          : shown->light_list ? "light-list"
                          : shown->parm_list  ? "parm-list"
                                              : "inspector");
}

// The edge between a dock and the picture: dragging it changes the dock's size.
static void drag_edge(view_ui *ui, view_dock dock, view_rect box)
{
    const view_layout_wish wish = view_wish_layout(ui->stage);
    const float em = wish.em;
    const float grip = ceilf(0.4f * em);
    const float line = fmaxf(1, roundf(0.08f * em));
    const view_rect free = view_lay_out(&wish).free;
    const bool is_bottom = dock == VIEW_DOCK_BOTTOM;
    const bool is_left = box.x < free.x + grip;
    const bool is_low = is_bottom || box.y > free.y + grip;
    const view_rect edge = view_cut(&box,
                                    is_low    ? VIEW_AT_TOP
                                    : is_left ? VIEW_AT_RIGHT
                                              : VIEW_AT_LEFT,
                                    line);
    if (is_low && !is_bottom) { // a sheet, which has one size
        view_draw_rect(ui->canvas, edge, VIEW_EDGE);
        return;
    }
    view_rect area = view_inset(edge, -grip);
    if (is_bottom)
        area.x = edge.x, area.width = edge.width;
    else
        area.y = edge.y, area.height = edge.height;
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
    const float size = view_drag_dock(&wish, dock, ui->mouse.x, ui->mouse.y);
    if (size > 0) {
        ui->docks.sizes[dock] = size;
        return;
    }
    ui->active.panel = ui->held = NULL;
    ui->command.action = closing(ui->stage, dock);
}

// Draws a dock and its head; returns what is below the head.
static view_rect open_dock(view_ui *ui, const view_stage *stage, const view_layout *layout,
                           view_dock dock)
{
    // Of both sides; of the bottom, with their switches.
    const char *const names[2][3] = {{"Outliner", "Inspector"}, {"Curves", "Compare", "Problems"}};
    const char *const switches[2] = {"curves", "differences"};
    static const char *const panels[VIEW_NUM_DOCKS] = {"outliner", "inspector", "bottom"};
    const view_rect box = layout->docks[dock];
    view_rect rest = box;
    const float em = ui->em;
    const float height = ceilf(2 * em);
    const float gap = 0.7f * em;
    const float text = box.y + floorf(0.5f * (height - ui->line));
    view_draw_rect(ui->canvas, box, VIEW_DOCK);
    ui_begin(ui, panels[dock]);
    ui_item(ui, box, "");
    view_draw_rect(ui->canvas, (view_rect){box.x, box.y + height - 1, box.width, 1}, VIEW_CONTROL);
    float x = box.x + gap;
    const bool is_bottom = dock == VIEW_DOCK_BOTTOM;
    const bool has_tabs = layout->has_tabs || is_bottom;
    const bool has_curves = !is_bottom
                            || (view_shows_curves(stage) // the sheet of a small window has no room
                                && layout->arrangement != VIEW_ARRANGE_SHEET);
    const int front = !is_bottom                    ? (int)dock
                      : stage->docks.shows_problems ? 2
                                                    : !stage->shown->curves;
    for (int side = has_curves ? 0 : 2; has_tabs && side < (is_bottom ? 3 : 2); side++) {
        const char *const name = names[is_bottom][side];
        const float width = ui_text_width(ui, name);
        const view_rect tab = {x - gap, box.y, width + 2 * gap, height};
        const bool is_pressed = ui_item(ui, tab, name) && side != front;
        if (is_pressed && !is_bottom) {
            ui->docks.front = (view_dock)side;
        } else if (is_pressed && side == 2) {
            ui->command.action = VIEW_WARNINGS;
        } else if (is_pressed) {
            ui->docks.shows_problems = false;
            if (!(side == 0 ? stage->shown->curves : stage->shown->differences))
                ui->command.action = view_toggle_of(switches[side]);
        }
        ui_text(ui, x, text, 0, side == front || ui_is_hot(ui) ? VIEW_BRIGHT : VIEW_DIM, name);
        if (side == front)
            view_draw_rect(ui->canvas,
                           (view_rect){tab.x, box.y + height - ceilf(0.15f * em), tab.width,
                                       ceilf(0.15f * em)},
                           VIEW_ACCENT);
        x += width + 2 * gap;
    }
    if (!has_tabs)
        ui_text(ui, x, text, 0, VIEW_BRIGHT, names[0][dock]);
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

// The handle of an upright sheet, which follows the finger; what a release does: view_drop_sheet().
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
    if (ui->docks.sheet_top > 0 || fabsf(top - handle.y) > em) { // a tap trembles
        ui->docks.sheet_top = top;
        ui->docks.is_sheet_open = true;
        ui->docks.is_folded = false;
    }
}

// Draws a sheet for fingers and its tabs; returns what is below them.
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
            if (!view_wish_layout(ui->stage).is_open[dock])
                ui->command.action = closing(ui->stage, dock); // the switch opens it, too
        }
    }
    return rest;
}

void view_dock_panels(view_ui *ui)
{
    const view_stage *const stage = ui->stage;
    const view_layout layout = view_layout_of(stage);
    const bool is_sheet = layout.arrangement == VIEW_ARRANGE_SHEET && ui->docks.is_sheet_open;
    if (is_sheet) { // a click beside it closes it, if it covers the picture
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
        (dock == VIEW_DOCK_LEFT ? view_outliner
         : is_look              ? view_look_panel
                                : view_inspector)(ui, area);
        ui_begin(ui, dock == VIEW_DOCK_LEFT ? "left-edge" : "right-edge");
        drag_edge(ui, dock, layout.docks[dock]);
    }
    if (ui->is_event && view_shows_retarget(ui, stage)) // also while another dock is in front
        view_take_partner(ui, stage);
    const view_rect bottom = layout.docks[VIEW_DOCK_BOTTOM];
    const bool shows_problems = stage->docks.shows_problems;
    if (bottom.width > 0 && (shows_problems || view_shows_curves(stage))) {
        const view_rect area = open_dock(ui, stage, &layout, VIEW_DOCK_BOTTOM);
        (shows_problems ? view_problems_panel : view_curves_panel)(ui, area);
        ui_begin(ui, "bottom-edge");
        drag_edge(ui, VIEW_DOCK_BOTTOM, bottom);
    }
    if (layout.time.width > 0)
        view_time_bar(ui, layout.time);
    if (layout.handle.width > 0)
        drag_handle(ui, layout.handle);
}
