// Runs all panels in their order, for drawing and for events. Also contains the small elements over
// the image: tooltips, notices, the on-screen stick and buttons, and the help while a character is
// controlled.
#include "demo/viewer/ui/panels.h"

void view_reset_panels(view_ui *ui, view_panels *panels)
{
    memset(ui->scrolls, 0, sizeof ui->scrolls);
    view_clear_retargeting(panels->retarget.made);
    panels->retarget = (view_retarget_page){.made = panels->retarget.made};
    ui->measured_from = ui->selected_material = ui->selected_mesh = -1;
    ui->lit.is_set = false;
    ui->lit_end = 0;
    panels->textures.facts.mesh = NULL;
    panels->problems.shown = 0;
    panels->curves.anim = NULL;
    panels->outliner = (view_outliner){.revealed_joint = -1};
}

// == Overlays =============================================================================

// Returns the overlay after the list was closed: the dialog that has opened the list of files for
// one of its values, or none.
static view_overlay closed_list_overlay(const view_browser *browser)
{
    return browser->was == VIEW_BROWSE_FILES ? browser->asked.returns_to : VIEW_OVERLAY_NONE;
}

void view_sync_overlay(view_ui *ui, view_panels *panels)
{
    view_browser *const browser = &panels->browser;
    const bool is_list_open = browser->kind != VIEW_BROWSE_NOTHING;
    const bool is_list_shown = ui->over == VIEW_OVERLAY_FILES;
    if (ui->over != panels->synced_overlay && !is_list_shown) // the overlay replaces the list
        view_close_browser(browser);
    else if (is_list_open && !is_list_shown)
        ui_open_overlay(ui, VIEW_OVERLAY_FILES);
    else if (is_list_shown && !is_list_open)
        ui_open_overlay(ui, closed_list_overlay(browser));
    if (ui->over == VIEW_OVERLAY_NONE && panels->start.is_open)
        ui->over = VIEW_OVERLAY_START;
    const bool is_menu = ui->over == VIEW_OVERLAY_MENU || ui->over == VIEW_OVERLAY_SEARCH;
    if (!is_menu && panels->menu.kind != VIEW_NO_MENU)
        panels->menu = (view_menus){.kind = VIEW_NO_MENU, .used = panels->menu.used};
    panels->synced_overlay = ui->over;
}

void view_open_overlay(view_ui *ui, view_panels *panels, view_overlay over)
{
    ui_open_overlay(ui, over);
    view_sync_overlay(ui, panels);
}

// Opens the context menu that an item has requested in this run.
static void open_context_menu(view_ui *ui, view_panels *panels)
{
    if (ui->context.context == 0)
        return;
    view_open_menu(ui, &panels->menu, VIEW_MENU_OF_CONTEXT, ui->mouse.x, ui->mouse.y);
    panels->menu.target = ui->context;
    ui->context.context = 0;
}

// == Elements over the image ==============================================================

// Draws the name of the marked joint in the image. A crowd has no single pose and no label.
static void label_joint(const view_ui *ui)
{
    const int32_t joint = view_marked_joint(ui, ui->scene);
    float at[2];
    if (joint < 0 || view_shows_crowd(ui->stage->document))
        return;
    if (view_find_pixel(ui->stage, md5_mat34_translation(ui->scene->joints[joint]), at))
        view_mark_pixel(ui->stage, at, ui->scene->skeleton->joints[joint].name);
}

// Draws the tooltip of the item under the mouse.
static void draw_tip(view_ui *ui)
{
    const size_t length = strcspn(ui->tip, "\n");
    const size_t second = length + (ui->tip[length] != '\0');
    ui_line lines[2] = {{.color = VIEW_BRIGHT}, {.color = VIEW_DIM}};
    COMMON_TEXT(lines[0].text, "%.*s", (int)length, ui->tip);
    COMMON_TEXT(lines[1].text, "%s", ui->tip + second);
    ui->is_tip_shown = length > 0 && ui->stage->now - ui->tip_since >= VIEW_TIP_DELAY;
    if (ui->is_tip_shown)
        ui_note(ui, ui->mouse.x, ui->mouse.y + 18 * ui->scale, ui->mouse.y, lines,
                lines[1].text[0] != '\0' ? 2 : 1);
}

// Draws a text in the middle of the free region, `down` pixels below its top. Returns its box.
static view_rect draw_badge(const view_ui *ui, float down, view_color edge, const char *text)
{
    const float scale = ui->scale;
    const view_rect free = view_free_region(ui->stage);
    const float width = fminf(ui_text_width(ui, text), fmaxf(free.width - 40 * scale, 8 * scale));
    enum { MAX_LINES = 4 };
    char lines[MAX_LINES][VIEW_MAX_LINE];
    uint32_t count = 0;
    for (; *text != '\0' && count < MAX_LINES; count++)
        text = view_next_line(ui->stage->font, VIEW_TEXT,
                              count + 1 < MAX_LINES ? width + 1 : INFINITY, text, lines[count]);
    const float more = ((float)count - 1) * ui->line;
    const view_rect box = {roundf(free.x + 0.5f * (free.width - width) - 12 * scale),
                           roundf(free.y + fminf(down, free.height - 50 * scale - more)),
                           width + 24 * scale, 28 * scale + more};
    ui_popover(ui, box, 5, edge);
    for (uint32_t i = 0; i < count; i++)
        ui_text(ui, box.x + 12 * scale, box.y + 14 * scale + ((float)i - 0.5f) * ui->line,
                width + 1, VIEW_BRIGHT, lines[i]);
    return box;
}

// Returns true if the open sheet covers the region of the stick.
static bool is_stick_covered(const view_stage *stage, const view_layout *layout)
{
    if (layout->arrangement != VIEW_ARRANGE_SHEET || !stage->docks.is_sheet_open)
        return false;
    return !(layout->handle.width > 0) || stage->docks.is_sheet_full;
}

// Returns true if the keys control the character of a state machine.
static bool controls_character(const view_stage *stage)
{
    return stage->is_driving && view_mode_of(stage->document) == VIEW_MODE_MACHINE
           && !view_is_bind_pose(&stage->document->scene);
}

view_stick view_stick_position(const view_stage *stage)
{
    const view_layout layout = view_current_layout(stage);
    const view_rect free = layout.free;
    const float reach = 4 * view_em(stage->font);
    const bool is_available = stage->is_touched && !stage->plays && stage->pages == NULL;
    if (!is_available || is_stick_covered(stage, &layout))
        return (view_stick){.reach = 0};
    if (!controls_character(stage) || !view_can_walk(&stage->document->scene.machine))
        return (view_stick){.reach = 0};
    return (view_stick){
        .x = free.x + 1.5f * reach, .y = free.y + free.height - 1.5f * reach, .reach = reach};
}

static void draw_stick(const view_stage *stage)
{
    const view_stick stick = stage->stick->reach > 0 ? *stage->stick : view_stick_position(stage);
    if (!(stick.reach > 0))
        return;
    view_draw_disc(stage->canvas, stick.x, stick.y, stick.reach, 0xFFFFFF28);
    view_draw_disc(stage->canvas, stick.x + stick.pad.x * stick.reach,
                   stick.y + stick.pad.y * stick.reach, 0.4f * stick.reach, 0xFFC65CB0);
}

// The buttons at the right edge of the window of a phone.
static void run_buttons(view_ui *ui, const view_stage *stage)
{
    const struct {
        const char *name;
        const char *sign;
        view_action action;
    } buttons[] = {{"Home", "\xE2\x8C\x82", VIEW_FRAME_ALL},
                   {"Shading", "\xE2\x97\x90", view_get_toggle(VIEW_OPTION(surface))},
                   {"Grid", "\xE2\x96\xA6", view_get_toggle(VIEW_OPTION(shown.grid))}};
    enum { NUM_BUTTONS = COMMON_LENGTH(buttons) };
    const view_layout layout = view_current_layout(stage);
    const view_rect free = layout.free;
    const bool is_upright = layout.handle.width > 0;
    const float em = ui->em;
    const float side = roundf(3.2f * em);
    const float gap = roundf(0.9f * em);
    const float end = is_upright ? layout.handle.y : free.y + free.height;
    view_rect box = {free.x + free.width - side - gap, free.y + side, side, side}; // below a badge
    const bool is_covered = !is_upright && stage->docks.is_sheet_open;
    const bool has_space = end >= box.y + (float)NUM_BUTTONS * (side + gap);
    if (!layout.is_phone || !has_space || is_covered)
        return;
    ui_begin(ui, "button");
    for (int i = 0; i < NUM_BUTTONS; i++) {
        if (ui_item(ui, box, buttons[i].name))
            ui->command.action = buttons[i].action;
        view_draw_round_rect(ui->canvas, box, 0.6f * em, VIEW_BOX);
        const float width = view_text_width(stage->font, VIEW_TITLE, buttons[i].sign);
        view_draw_text(ui->canvas, VIEW_TITLE, box.x + 0.5f * (side - width),
                       box.y + 0.5f * (side - stage->font->line[VIEW_TITLE]), 0,
                       ui_is_hot(ui) ? VIEW_BRIGHT : VIEW_PLAIN, buttons[i].sign);
        ui_tip_command(ui, buttons[i].action);
        box.y += side + gap;
    }
}

// Draws a help text while the keys control the character. Parts of the text that do not fit are
// omitted, but never the key Escape.
static void draw_driving(const view_ui *ui, const view_stage *stage)
{
    char text[256];
    char jump[64] = "";
    char more[32] = "";
    const view_machine *const machine = &ui->scene->machine;
    if (stage->is_touched || !controls_character(stage))
        return;
    const float max_width = view_current_layout(stage).free.width - 40 * ui->scale;
    const bool walks = view_can_walk(machine);
    uint32_t count = 0;
    while (count < VIEW_MAX_TRIGGERS && view_find_trigger(machine, count) >= 0)
        count++;
    if (count > 0)
        COMMON_TEXT(jump, VIEW_DOT "Space: %s",
                    machine->desc->parameters[view_find_trigger(machine, 0)].name);
    if (count > 1)
        COMMON_TEXT(more, VIEW_DOT "%sF%u: %u more moves", count > 2 ? "F2\xE2\x80\x93" : "", count,
                    count - 1);
    for (int i = 0; i < 5; i++) { // omits one more part in each step
        COMMON_TEXT(text, "Controlling");
        if (i < 4)
            common_append(text, sizeof text, "", " %s", machine->desc->name);
        if (walks && i < 3)
            common_append(text, sizeof text, "", VIEW_DOT "W A S D: walk");
        if (walks && i < 2)
            common_append(text, sizeof text, "", VIEW_DOT "Shift: run");
        if (i < 4)
            common_append(text, sizeof text, "", "%s", jump);
        if (i < 1)
            common_append(text, sizeof text, "", "%s", more);
        common_append(text, sizeof text, "", VIEW_DOT "Esc: release keyboard");
        if (ui_text_width(ui, text) <= max_width)
            break;
    }
    draw_badge(ui, 10 * ui->scale, VIEW_ACCENT, text);
}

// == Running the panels ===================================================================

// Runs the panels over the document.
static void run_document_panels(view_ui *ui, view_panels *panels, const view_stage *stage)
{
    const bool is_start = stage->is_start && !stage->shown->help;
    const float low = view_current_layout(stage).free.height - 50 * ui->scale;
    const float em = ui->em;
    const bool ends = panels->decision.demo_end > 0 && !is_start;
    if (ends && stage->now > 3) { // also after a click took control of the character
        ui_begin(ui, "own");
        if (ui_button(
                ui, (view_rect){stage->width - 17 * em, stage->height - 7 * em, 16 * em, 2.2f * em},
                "Open your own model\xE2\x80\xA6", true))
            ui->command.action = VIEW_FILES;
    }
    if (stage->plays) {
        const bool has_keys = !stage->is_touched && !view_current_layout(stage).is_phone;
        if (stage->shown->panel)
            draw_badge(ui, low, VIEW_EDGE,
                       has_keys ? "Press any key to play as Bobbin" : "Tap to play as Bobbin");
        return;
    }
    const bool is_inviting = ends && stage->now > panels->decision.demo_end - (double)VIEW_INVITING;
    if (is_inviting && stage->width > 52 * em) // in a narrow window the button is there
        draw_badge(ui, low, VIEW_ACCENT, "Drop your model here, or press Ctrl+O");
    if (is_start && !stage->is_bare)
        view_start_panel(ui, &panels->start);
    if (!is_start) {
        if (stage->shown->panel)
            view_surface_panel(ui);
        label_joint(ui);
        if (view_shows_graph(stage))
            view_graph_panel(ui, &panels->graph);
        if (stage->shown->panel && stage->recorded < 0)
            draw_driving(ui, stage);
        if (stage->shown->panel)
            run_buttons(ui, stage);
        view_dock_panels(ui, panels);
    }
    if ((stage->shown->panel || is_start) && stage->now < ui->notice_end) {
        const view_rect box = draw_badge(ui, low, VIEW_EDGE, ui->notice);
        ui_begin(ui, "notice");
        if (ui->notice_action != VIEW_NOTHING && ui_item(ui, box, ui->notice))
            ui->command.action = ui->notice_action;
    }
    view_card_panel(ui, &panels->card);
    view_browser_panel(ui, &panels->browser);
}

// Runs all panels and lists, the topmost last.
static void run_panels(view_ui *ui, view_panels *panels, const view_stage *stage)
{
    ui->canvas = stage->canvas;
    ui->is_touched = stage->is_touched;
    ui->scale = stage->font->scale;
    ui->em = view_em(stage->font);
    ui->line = stage->font->line[VIEW_TEXT];
    ui->top = (ui_item_id){NULL, 0};
    ui->tip[0] = '\0';
    ui->is_focus_there = false;
    ui->hover_preview.option = NULL;
    if (ui->is_event) // drawn separately, because movies do not contain it
        view_recording_panel(ui, stage);
    if (stage->pages != NULL)
        stage->page_panel(ui, stage);
    else
        run_document_panels(ui, panels, stage);
    draw_stick(stage);
    view_decision_panel(ui, &panels->decision);
    view_settings_panel(ui, &panels->card);
    if (ui->over == VIEW_OVERLAY_EXPORT && stage->pages == NULL)
        view_export_panel(ui, &panels->export);
    view_menu_panel(ui, &panels->menu);
    view_reports_panel(ui, &panels->problems);
}

// Returns the only panel that receives keys, or NULL. The order is the reverse of run_panels().
static const char *topmost_panel(const view_ui *ui, const view_panels *panels)
{
    const char *const report = view_open_report(ui, &panels->problems);
    if (report != NULL)
        return report;
    if (panels->menu.kind != VIEW_NO_MENU)
        return "menu";
    if (ui->over == VIEW_OVERLAY_EXPORT && ui->stage->pages == NULL)
        return VIEW_EXPORT_PANEL;
    if (ui->over == VIEW_OVERLAY_SETTINGS || ui->stage->shown->help)
        return "settings";
    return view_needs_decision(&panels->decision) ? VIEW_DECISION_PANEL : NULL;
}

// Prepares the state of the interface for a run. Returns false if nothing needs to run: the press
// did not begin a drag, or no frame was drawn yet.
static bool begin_run(view_ui *ui, view_panels *panels, const view_stage *stage,
                      const ui_mouse *event)
{
    const bool is_moved = event != NULL && event->is_moved;
    view_sync_overlay(ui, panels);
    ui->command = (view_command){.action = VIEW_NOTHING};
    ui->stage = stage;
    ui->scene = &stage->document->scene;
    if (is_moved && ui->held != NULL && ui->active.panel == NULL)
        return false;
    if (!(stage->font->scale > 0))
        return false;
    if (is_moved && ui->held == NULL) {
        ui->hovered_joint = -1;
        ui->lit.is_set &= ui->keeps_lit;
        panels->textures.hovered = 0;
    }
    if (ui->selected_joint >= 0) // a joint was selected after the mesh
        ui->selected_mesh = -1;
    if (event != NULL && event->is_pressed) {
        ui->active.panel = ui->held = NULL;
        ui->keeps_lit = panels->problems.has_keys = false;
        ui->tip_since = INFINITY;
    }
    const ui_mouse *const mouse = event != NULL ? event : &ui->mouse;
    ui->mouse = (ui_mouse){.x = mouse->x, .y = mouse->y};
    ui->is_event = event != NULL;
    ui->has_taken = false;
    const float top = view_current_layout(stage).menu.height;
    ui->window = (view_rect){0, top, stage->width, stage->height - top};
    ui->modal = topmost_panel(ui, panels);
    return true;
}

// Converts a key that presses the focused item or opens its menu to a press of the mouse.
static void press_focused(view_ui *ui, const ui_mouse *event)
{
    const bool is_menu =
        ui->mouse.key == VIEW_KEY_MENU || (ui->mouse.key == VIEW_KEY_F(10) && event->shift);
    const bool is_press = is_menu || ui->mouse.key == VIEW_KEY_RETURN;
    const bool has_focus = ui->is_focus_shown && ui->focus.panel != NULL;
    if (!is_press || !has_focus || event->control)
        return;
    ui->hot = ui->focus;
    ui->mouse = (ui_mouse){.x = ui->focus_rect.x + 0.5f * ui->focus_rect.width,
                           .y = ui->focus_rect.y + 0.5f * ui->focus_rect.height,
                           .is_pressed = !is_menu,
                           .is_right = is_menu};
}

// Runs the panels with the event, after the item under the mouse was determined. Draws nothing.
// `was_hot` is the item under the mouse before the event.
static void run_event(view_ui *ui, view_panels *panels, const view_stage *stage,
                      const ui_mouse *event, ui_item_id was_hot)
{
    ui->hot = ui->top;
    ui->mouse = *event;
    if (event->is_pressed) {
        ui->is_focus_shown = false;
        ui->focus.panel = NULL;
    }
    ui->is_focus_shown &= event->text == NULL; // Enter belongs to the typed text
    if (event->key == VIEW_KEY_PAD_ENTER)
        ui->mouse.key = VIEW_KEY_RETURN;
    press_focused(ui, event);
    ui->has_taken = (ui->mouse.is_pressed || ui->mouse.is_right) && ui->hot.panel != NULL;
    if (ui->hot.number != was_hot.number || ui->hot.panel != was_hot.panel)
        ui->tip_since = stage->now;
    if (ui_passes_focus(ui)) {
        ui->before.panel = NULL;
        ui->takes_next = ui->focus.panel == NULL;
    }
    run_panels(ui, panels, stage);
    if (ui_passes_focus(ui)) {
        const bool is_past_end = event->shift ? ui->focus.panel == NULL : ui->takes_next;
        if (is_past_end)
            ui->focus = event->shift ? ui->before : (ui_item_id){NULL, 0};
        ui->is_focus_shown = ui->has_taken = true;
    }
    view_clear_canvas(stage->canvas);
}

view_command view_run_ui(view_ui *ui, view_panels *panels, const view_stage *stage,
                         const ui_mouse *event)
{
    const int32_t hovered = ui->hovered_joint;
    const size_t selected = panels->browser.selected;
    const ui_item_id was_hot = ui->hot;
    const uint32_t hovered_edge = panels->graph.hovered;
    if (!begin_run(ui, panels, stage, event))
        return ui->command;
    for (size_t i = 0; i < VIEW_MAX_THUMBNAILS && event == NULL; i++)
        ui->pictures[i].is_visible = false;
    run_panels(ui, panels, stage);
    if (event == NULL) {
        if (!ui->is_focus_there) // the panel of the item was closed
            ui->focus.panel = NULL;
        draw_tip(ui);
        return ui->command;
    }
    run_event(ui, panels, stage, event, was_hot);
    open_context_menu(ui, panels);
    view_sync_overlay(ui, panels);
    const bool has_command = ui->command.action != VIEW_NOTHING;
    if (event->key != 0 || event->text != NULL) { // the mouse has not moved
        if (has_command || !ui->has_taken)
            return ui->command;
        return (view_command){.action = VIEW_HANDLED};
    }
    const bool has_other_item = ui->hot.number != was_hot.number || ui->hot.panel != was_hot.panel;
    const bool has_other_line =
        panels->browser.selected != selected || panels->graph.hovered != hovered_edge;
    const bool has_changed = has_other_item || has_other_line || ui->hovered_joint != hovered;
    const bool is_handled = ui->has_taken || (event->is_moved && has_changed);
    if (!has_command && is_handled)
        ui->command.action = VIEW_HANDLED;
    return ui->command;
}
