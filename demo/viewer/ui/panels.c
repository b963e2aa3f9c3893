// The panels: what each shows and changes, and where they lie. A panel is one function.
#include "demo/viewer/ui/ui.h"

// The name of the marked joint, in the picture.
static void label_joint(const view_ui *ui)
{
    const int32_t joint = view_marked_joint(ui, ui->scene);
    float at[2];
    if (joint >= 0 && !view_shows_crowd(ui->stage->document) // in which there is no single pose
        && view_find_pixel(ui->stage, md5_mat34_translation(ui->scene->joints[joint]), at))
        view_mark_pixel(ui->stage, at, ui->scene->skeleton->joints[joint].name);
}

// == Where they lie =======================================================================

// The interface as a whole: the region that panels leave free, keys, errors, the order of the
// panels, and the events.

// -- Keys -----------------------------------------------------------------------------------

// What explains the item below the mouse, near to it.
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

// A text in the middle of the free region, at a height of it. Returns its box.
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

view_stick view_place_stick(const view_stage *stage)
{
    const view_scene *const scene = &stage->document->scene;
    const view_layout layout = view_layout_of(stage);
    const view_rect free = layout.free;
    const float reach = 4 * view_em(stage->font);
    const bool is_covered = layout.arrangement == VIEW_ARRANGE_SHEET && stage->docks.is_sheet_open
                            && (!(layout.handle.width > 0) || stage->docks.is_sheet_full);
    if (is_covered || !stage->is_touched || !stage->is_driving || stage->plays
        || stage->pages != NULL || view_mode_of(stage->document) != VIEW_MODE_MACHINE
        || view_is_bind_pose(scene) || !view_can_walk(&scene->machine))
        return (view_stick){.reach = 0};
    return (view_stick){
        .x = free.x + 1.5f * reach, .y = free.y + free.height - 1.5f * reach, .reach = reach};
}

static void draw_stick(const view_stage *stage)
{
    const view_stick stick = stage->stick->reach > 0 ? *stage->stick : view_place_stick(stage);
    if (!(stick.reach > 0))
        return;
    view_draw_disc(stage->canvas, stick.x, stick.y, stick.reach, 0xFFFFFF28);
    view_draw_disc(stage->canvas, stick.x + stick.pad.x * stick.reach,
                   stick.y + stick.pad.y * stick.reach, 0.4f * stick.reach, 0xFFC65CB0);
}

// At the right edge of a window for fingers.
static void run_buttons(view_ui *ui, const view_stage *stage)
{
    const struct {
        const char *name;
        const char *sign;
        view_action action;
    } buttons[] = {{"Home", "\xE2\x8C\x82", VIEW_FRAME_ALL},
                   {"Shading", "\xE2\x97\x90", view_toggle_of("shading")},
                   {"Grid", "\xE2\x96\xA6", view_toggle_of("grid")}};
    enum { NUM_BUTTONS = COMMON_LENGTH(buttons) };
    const view_layout layout = view_layout_of(stage);
    const view_rect free = layout.free;
    const bool is_upright = layout.handle.width > 0;
    const float em = ui->em;
    const float side = roundf(3.2f * em);
    const float gap = roundf(0.9f * em);
    const float end = is_upright ? layout.handle.y : free.y + free.height;
    view_rect box = {free.x + free.width - side - gap, free.y + side, side, side}; // below a badge
    if (!layout.is_phone || end < box.y + (float)NUM_BUTTONS * (side + gap)
        || (!is_upright && stage->docks.is_sheet_open))
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

// Where keys go to the character, so that nobody looks for what they did before. What does not fit
// is left out, but never Esc.
static void draw_driving(const view_ui *ui, const view_stage *stage)
{
    char text[256];
    char jump[64] = "";
    char more[32] = "";
    const view_machine *const machine = &ui->scene->machine;
    if (!stage->is_driving || stage->is_touched
        || view_mode_of(stage->document) != VIEW_MODE_MACHINE || view_is_bind_pose(ui->scene))
        return;
    const float room = view_layout_of(stage).free.width - 40 * ui->scale;
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
    for (int i = 0; i < 5; i++) {
        COMMON_TEXT(
            text, "Controlling%s%s%s%s%s%s" VIEW_DOT "Esc: release keyboard", i < 4 ? " " : "",
            i < 4 ? machine->desc->name : "", walks && i < 3 ? VIEW_DOT "W A S D: walk" : "",
            walks && i < 2 ? VIEW_DOT "Shift: run" : "", i < 4 ? jump : "", i < 1 ? more : "");
        if (ui_text_width(ui, text) <= room)
            break;
    }
    draw_badge(ui, 10 * ui->scale, VIEW_ACCENT, text);
}

// -- Drawing and input ----------------------------------------------------------------------

// What lies over the document.
static void run_document_panels(view_ui *ui, const view_stage *stage)
{
    const bool is_start = stage->is_start && !stage->shown->help;
    const float low = view_layout_of(stage).free.height - 50 * ui->scale;
    const float em = ui->em;
    const bool ends = ui->end_at > 0 && !is_start;
    if (ends && stage->now > 3) { // also when he was taken over by a click
        ui_begin(ui, "own");
        if (ui_button(
                ui, (view_rect){stage->width - 17 * em, stage->height - 7 * em, 16 * em, 2.2f * em},
                "Open your own model\xE2\x80\xA6", true))
            ui->command.action = VIEW_FILES;
    }
    if (stage->plays) {
        if (stage->shown->panel)
            draw_badge(ui, low, VIEW_EDGE, "Press any key to play as Bobbin");
        return;
    }
    if (ends && stage->now > ui->end_at - (double)VIEW_INVITING
        && stage->width > 52 * em) // else the button is where it would be
        draw_badge(ui, low, VIEW_ACCENT, "Drop your model here, or press Ctrl+O");
    if (is_start && !stage->is_bare)
        view_start_panel(ui);
    if (!is_start) {
        if (stage->shown->panel)
            view_surface_panel(ui);
        label_joint(ui);
        if (view_shows_graph(stage))
            view_graph_panel(ui);
        if (stage->shown->panel && stage->recorded < 0)
            draw_driving(ui, stage);
        if (stage->shown->panel)
            run_buttons(ui, stage);
        view_dock_panels(ui);
    }
    if ((stage->shown->panel || is_start) && stage->now < ui->notice_end) {
        const view_rect box = draw_badge(ui, low, VIEW_EDGE, ui->notice);
        ui_begin(ui, "notice");
        if (ui->notice_action != VIEW_NOTHING && ui_item(ui, box, ui->notice))
            ui->command.action = ui->notice_action;
    }
    view_card_panel(ui);
    view_browser_panel(ui);
}

// All panels and lists, the upper ones last.
static void run_panels(view_ui *ui, const view_stage *stage)
{
    ui->canvas = stage->canvas;
    ui->is_touched = stage->is_touched;
    ui->scale = stage->font->scale;
    ui->em = view_em(stage->font);
    ui->line = stage->font->line[VIEW_TEXT];
    ui->top = (ui_item_id){NULL, 0};
    ui->tip[0] = '\0';
    ui->is_focus_there = false;
    ui->trial.option = NULL;
    if (ui->is_event) // it is drawn by itself
        view_recording_panel(ui, stage);
    if (stage->pages != NULL)
        stage->page_panel(ui, stage);
    else
        run_document_panels(ui, stage);
    draw_stick(stage);
    view_choice_panel(ui);
    view_settings_panel(ui);
    if (ui->over == VIEW_OVER_EXPORT && stage->pages == NULL)
        view_export_panel(ui);
    view_menu_panel(ui);
    view_reports_panel(ui);
}

// The one that keys go to alone, or NULL: the order is that of run_panels(), backward.
static const char *topmost_panel(const view_ui *ui)
{
    const char *const report = view_open_report(ui);
    return report != NULL                                             ? report
           : ui->menu.kind != VIEW_NO_MENU                            ? "menu"
           : ui->over == VIEW_OVER_EXPORT && ui->stage->pages == NULL ? VIEW_EXPORT_PANEL
           : ui->over == VIEW_OVER_SETTINGS || ui->stage->shown->help ? "settings"
           : view_has_choice(ui)                                      ? VIEW_CHOICE_PANEL
                                                                      : NULL;
}

view_command view_run_ui(view_ui *ui, const view_stage *stage, const ui_mouse *event)
{
    const int32_t hovered = ui->hovered_joint;
    const size_t selected = ui->browser.selected;
    const ui_item_id was_hot = ui->hot;
    const uint32_t hovered_edge = ui->graph.hovered;
    bool is_pressed = event != NULL && event->is_pressed;
    const bool is_moved = event != NULL && event->is_moved;
    view_note_over(ui);
    ui->command = (view_command){.action = VIEW_NOTHING};
    ui->stage = stage;
    ui->scene = &stage->document->scene;
    if (is_moved && ui->held != NULL && ui->active.panel == NULL)
        return ui->command; // what was pressed does not follow the mouse
    if (!(stage->font->scale > 0))
        return ui->command; // nothing was drawn yet
    if (is_moved && ui->held == NULL) {
        ui->hovered_joint = -1;
        ui->lit.is_set &= ui->keeps_lit;
        ui->textures.hovered = 0;
    }
    if (ui->selected_joint >= 0) // it was selected later
        ui->selected_mesh = -1;
    if (is_pressed) {
        ui->active.panel = ui->held = NULL;
        ui->keeps_lit = ui->problems.has_keys = false;
        ui->tip_since = INFINITY;
    }
    const ui_mouse *const place = event != NULL ? event : &ui->mouse;
    ui->mouse = (ui_mouse){.x = place->x, .y = place->y};
    ui->is_event = event != NULL;
    ui->has_taken = false;
    const float top = view_layout_of(stage).menu.height;
    ui->window = (view_rect){0, top, stage->width, stage->height - top};
    ui->modal = topmost_panel(ui);
    for (size_t i = 0; i < VIEW_MAX_PICTURES && event == NULL; i++)
        ui->pictures[i].is_seen = false;
    run_panels(ui, stage);
    if (event == NULL) {
        if (!ui->is_focus_there) // its panel was closed
            ui->focus.panel = NULL;
        draw_tip(ui);
        return ui->command;
    }
    // Again with the event, now that it is known what is below the mouse. Nothing is drawn.
    const bool is_key = event->key != 0 || event->text != NULL;
    ui->hot = ui->top;
    ui->mouse = *event;
    if (is_pressed) {
        ui->is_focus_shown = false;
        ui->focus.panel = NULL;
    }
    ui->is_focus_shown &= event->text == NULL; // Return is for what was typed, then
    if (event->key == VIEW_KEY_PAD_ENTER)      // is that for all panels
        ui->mouse.key = VIEW_KEY_RETURN;
    // What has the focus is pressed by a key too, or its menu opened.
    const bool is_menu =
        ui->mouse.key == VIEW_KEY_MENU || (ui->mouse.key == VIEW_KEY_F(10) && event->shift);
    if (ui->is_focus_shown && ui->focus.panel != NULL && !event->control
        && (is_menu || ui->mouse.key == VIEW_KEY_RETURN)) {
        ui->hot = ui->focus;
        ui->mouse = (ui_mouse){.x = ui->focus_rect.x + 0.5f * ui->focus_rect.width,
                               .y = ui->focus_rect.y + 0.5f * ui->focus_rect.height,
                               .is_pressed = !is_menu,
                               .is_right = is_menu};
        is_pressed = !is_menu;
    }
    ui->has_taken = (is_pressed || ui->mouse.is_right) && ui->hot.panel != NULL;
    if (ui->hot.number != was_hot.number || ui->hot.panel != was_hot.panel)
        ui->tip_since = stage->now;
    if (ui_passes_focus(ui)) {
        ui->before.panel = NULL;
        ui->takes_next = ui->focus.panel == NULL;
    }
    run_panels(ui, stage);
    if (ui_passes_focus(ui)) {
        if (event->shift ? ui->focus.panel == NULL : ui->takes_next)
            ui->focus = event->shift ? ui->before : (ui_item_id){NULL, 0};
        ui->is_focus_shown = ui->has_taken = true;
    }
    view_clear_canvas(stage->canvas);
    if (is_key) // the mouse is where it was
        return ui->command.action != VIEW_NOTHING || !ui->has_taken
                   ? ui->command
                   : (view_command){.action = VIEW_HANDLED};
    const bool has_changed = ui->hovered_joint != hovered || ui->browser.selected != selected
                             || ui->graph.hovered != hovered_edge
                             || ui->hot.number != was_hot.number || ui->hot.panel != was_hot.panel;
    if (ui->command.action == VIEW_NOTHING && (ui->has_taken || (is_moved && has_changed)))
        ui->command.action = VIEW_HANDLED;
    return ui->command;
}
