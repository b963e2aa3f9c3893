// Runs all panels. To run a panel means to draw it or to let it handle an event; the same function
// does both. This file also contains the small elements over the image: tooltips, notices, the
// on-screen stick and buttons, and the help text that is displayed while keys control the
// character.
#include "demo/viewer/ui/panels.h"

// Sizes in layout units.
static const float cursor_height = 18; // height of the mouse cursor, above its tooltip
static const float badge_height = 28;  // height of a badge with one line
static const float badge_margin = 22;  // distance between a badge and the bottom of its region
static const float badge_top = 10;     // distance between a badge and the top of its region

// Sizes in em.
static const float phone_button_size = 3.2f;
static const float phone_button_gap = 0.9f;

// Size and position of the button over the demo, and the width of a window in which the button does
// not reach the badges, which are centered.
static const float demo_button_width = 16;
static const float demo_button_height = 2.2f;
static const float demo_button_right = 1;     // distance between the button and the right edge
static const float demo_button_bottom = 1.8f; // distance between the button and the bottom edge
static const float min_width_beside_badges = 52;

static const float stick_gap = 0.7f; // distance between the stick and the button below it, em

static const double demo_button_delay = 3; // delay of the button over the demo, seconds

// Colors of the on-screen stick.
static const view_color stick_color = 0xFFFFFF28;
static const view_color stick_pad_color = 0xFFC65CB0;

// Resets the selection, the scroll positions and the state of panels that are about one document.
void view_reset_panels(view_ui *ui, view_panels *panels)
{
    memset(ui->scrolls, 0, sizeof ui->scrolls);
    view_clear_retargeting(panels->retarget.displayed);
    panels->retarget = (view_retarget_page){.displayed = panels->retarget.displayed};
    ui->selection = VIEW_NO_SELECTION;
    panels->textures.stats.mesh = NULL;
    panels->problems.shown = 0;
    panels->curves.anim = NULL;
    panels->outliner = (view_outliner){.revealed_joint = -1};
}

// == Overlays =============================================================================

// Returns the overlay that reappears after the list was closed. If a dialog has opened the list to
// select a file for one of its values, it is this dialog. Otherwise it is VIEW_OVERLAY_NONE.
static view_overlay closed_list_overlay(const view_browser *browser)
{
    return browser->was == VIEW_BROWSE_FILES ? browser->purpose.returns_to : VIEW_OVERLAY_NONE;
}

// Makes ui->over, the open overlay, agree with the states of the file list, the menu and the start
// page. These may have been opened or closed since the last call.
void view_sync_overlay(view_ui *ui, view_panels *panels)
{
    // `kind` is the state of the list, and `over` should agree with it. If both differ, either
    // another overlay was opened and replaces the list, or the list itself was opened or closed.
    view_browser *const browser = &panels->browser;
    const bool is_list_open = browser->kind != VIEW_BROWSE_NOTHING;
    const bool is_list_shown = ui->over == VIEW_OVERLAY_FILES;
    const bool is_replaced = ui->over != panels->synced_overlay && !is_list_shown;
    if (is_replaced)
        view_close_browser(browser);
    else if (is_list_open && !is_list_shown)
        ui_open_overlay(ui, VIEW_OVERLAY_FILES);
    else if (is_list_shown && !is_list_open)
        ui_open_overlay(ui, closed_list_overlay(browser));

    // The start page is visible whenever no other overlay covers it.
    if (ui->over == VIEW_OVERLAY_NONE && panels->start.is_open)
        ui->over = VIEW_OVERLAY_START;

    // If the overlay is not the menu any more, the menu was closed.
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

// Draws the name of the selected or hovered joint at its position in the image. A crowd has many
// poses at the same time, so it has no label.
static void label_joint(const view_ui *ui)
{
    const int32_t joint = view_marked_joint(ui, ui->scene);
    float at[2];
    if (joint < 0 || view_shows_crowd(ui->stage->document))
        return;
    if (view_find_pixel(ui->stage, md5_mat34_translation(ui->scene->joints[joint]), at))
        view_mark_pixel(ui->stage, at, ui->scene->skeleton->joints[joint].name);
}

// Draws the tooltip ui->tooltip.text, after the mouse was over its item for VIEW_TOOLTIP_DELAY. The
// text has one or two lines. The second line is dim.
static void draw_tip(view_ui *ui)
{
    const size_t first_length = strcspn(ui->tooltip.text, "\n");
    ui->tooltip.is_shown =
        first_length > 0 && ui->stage->uptime - ui->tooltip.hover_begin >= VIEW_TOOLTIP_DELAY;
    if (!ui->tooltip.is_shown)
        return;

    const bool has_line_break = ui->tooltip.text[first_length] != '\0';
    const size_t second_start = has_line_break ? first_length + 1 : first_length;
    const char *const second = ui->tooltip.text + second_start;
    ui_line lines[2] = {{.color = VIEW_BRIGHT}, {.color = VIEW_DIM}};
    COMMON_TEXT(lines[0].text, "%.*s", (int)first_length, ui->tooltip.text);
    COMMON_TEXT(lines[1].text, "%s", second);
    const size_t num_lines = second[0] != '\0' ? 2 : 1;
    ui_note(ui, ui->mouse.x, ui->mouse.y + cursor_height * ui->scale, ui->mouse.y, lines,
            num_lines);
}

typedef enum badge_position { BADGE_AT_TOP, BADGE_AT_BOTTOM } badge_position;

// Draws a badge: a text in a box with a frame of the color `edge`. The badge is horizontally
// centered in `region`, at its top or bottom. A long text is wrapped into at most four lines and
// then truncated. Returns the box.
static view_rect draw_badge(const view_ui *ui, view_rect region, badge_position position,
                            view_color edge, const char *text)
{
    enum { MAX_LINES = 4 };
    const float scale = ui->scale;
    const float max_width = fmaxf(region.width - 40 * scale, 8 * scale);
    const float width = fminf(ui_text_width(ui, text), max_width);

    // The last line gets the whole remaining text, which is truncated when it is drawn. One pixel
    // is added to the width of the other lines, because rounding errors could otherwise wrap a text
    // that fits.
    char lines[MAX_LINES][VIEW_MAX_LINE];
    uint32_t count = 0;
    const char *remaining = text;
    while (*remaining != '\0' && count < MAX_LINES) {
        const bool is_last = count + 1 == MAX_LINES;
        const float max_line_width = is_last ? INFINITY : width + 1;
        remaining =
            view_next_line(ui->stage->font, VIEW_TEXT, max_line_width, remaining, lines[count]);
        count++;
    }

    const float padding = 12 * scale;
    const float height = badge_height * scale + ((float)count - 1) * ui->line;
    const float bottom = region.y + region.height - badge_margin * scale;
    const float y = position == BADGE_AT_TOP ? region.y + badge_top * scale : bottom - height;
    const view_rect box = {roundf(region.x + 0.5f * (region.width - width) - padding), roundf(y),
                           width + 2 * padding, height};
    ui_popover(ui, box, 5, edge);
    for (uint32_t i = 0; i < count; i++) {
        const float line_y = box.y + 14 * scale + ((float)i - 0.5f) * ui->line;
        ui_text(ui, box.x + padding, line_y, width + 1, VIEW_BRIGHT, lines[i]);
    }
    return box;
}

// Returns true if an open sheet covers the on-screen stick. A sheet replaces the docks in a small
// window.
static bool is_stick_covered(const view_stage *stage, const view_layout *layout)
{
    if (layout->arrangement != VIEW_ARRANGE_SHEET || !stage->docks.is_sheet_open)
        return false;
    const bool is_upright = layout->handle.width > 0; // the sheet is at the bottom
    return !is_upright || stage->docks.is_sheet_full;
}

// Returns true if the keys control the character of a state machine.
static bool controls_character(const view_stage *stage)
{
    return stage->is_driving && view_get_mode(stage->document) == VIEW_MODE_MACHINE
           && !view_is_bind_pose(&stage->document->scene);
}

// Returns the box of the button over the demo. It is in a corner of the free region, so that docks
// and sheets do not cover it.
static view_rect demo_button_box(const view_stage *stage)
{
    const view_rect free = view_current_layout(stage).free;
    const float em = view_em(stage->font);
    const float width = demo_button_width * em;
    const float height = demo_button_height * em;
    return (view_rect){free.x + free.width - demo_button_right * em - width,
                       free.y + free.height - demo_button_bottom * em - height, width, height};
}

// Returns the position and the size of the on-screen stick, with which a finger controls the
// character.
view_stick view_stick_position(const view_stage *stage)
{
    const view_layout layout = view_current_layout(stage);
    const view_stick none = {.reach = 0};
    const bool is_available = stage->is_touched && !stage->plays_demo && stage->pages == NULL;
    if (!is_available || is_stick_covered(stage, &layout))
        return none;
    if (!controls_character(stage) || !view_can_walk(&stage->document->scene.machine))
        return none;

    const view_rect free = layout.free;
    const float em = view_em(stage->font);
    const float reach = 4 * em;
    view_stick stick = {
        .x = free.x + 1.5f * reach, .y = free.y + free.height - 1.5f * reach, .reach = reach};
    // If the window is too narrow for both, the stick is above the button over the demo. It remains
    // there without the button, so that it does not move under a finger when the button disappears.
    const view_rect button = demo_button_box(stage);
    if (button.x < stick.x + reach)
        stick.y = button.y - stick_gap * em - reach;
    return stick;
}

// Draws the on-screen stick. A large disc shows its reach, and a small disc shows the position of
// the finger.
static void draw_stick(const view_stage *stage)
{
    const bool is_held = stage->stick->reach > 0;
    const view_stick stick = is_held ? *stage->stick : view_stick_position(stage);
    if (!(stick.reach > 0))
        return;
    view_draw_disc(stage->canvas, stick.x, stick.y, stick.reach, stick_color);
    view_draw_disc(stage->canvas, stick.x + stick.pad.x * stick.reach,
                   stick.y + stick.pad.y * stick.reach, 0.4f * stick.reach, stick_pad_color);
}

// Returns the rectangle of the first of `count` buttons at the right edge of a phone's image. Its
// width is 0 if the window does not have the layout of a phone, or if not all buttons fit.
static view_rect first_phone_button(const view_ui *ui, int count)
{
    const view_rect none = {0};
    const view_layout layout = view_current_layout(ui->stage);
    const bool is_upright = layout.handle.width > 0;
    const bool is_covered = !is_upright && ui->stage->docks.is_sheet_open;
    if (!layout.is_phone || is_covered)
        return none;

    const view_rect free = layout.free;
    const float side = roundf(phone_button_size * ui->em);
    const float gap = roundf(phone_button_gap * ui->em);
    const float bottom = is_upright ? layout.handle.y : free.y + free.height;
    const view_rect first = {free.x + free.width - side - gap, free.y + side, side, side};
    const bool has_space = bottom >= first.y + (float)count * (side + gap);
    return has_space ? first : none;
}

// Draws the column of buttons at the right edge of the image of a phone and handles its input.
static void run_phone_buttons(view_ui *ui)
{
    const struct {
        const char *name;
        const char *icon;
        view_action action;
    } buttons[] = {{"Home", "\xE2\x8C\x82", VIEW_FRAME_ALL},
                   {"Shading", "\xE2\x97\x90", view_get_toggle(VIEW_OPTION(surface))},
                   {"Grid", "\xE2\x96\xA6", view_get_toggle(VIEW_OPTION(shown.grid))}};
    enum { NUM_BUTTONS = COMMON_LENGTH(buttons) };
    const view_font *const font = ui->stage->font;
    view_rect box = first_phone_button(ui, NUM_BUTTONS);
    if (!(box.width > 0))
        return;

    ui_begin(ui, "button");
    for (int i = 0; i < NUM_BUTTONS; i++) {
        if (ui_item(ui, box, buttons[i].name))
            UI_COMMAND(ui, buttons[i].action);

        const float icon_width = view_text_width(font, VIEW_TITLE, buttons[i].icon);
        view_draw_round_rect(ui->canvas, box, 0.6f * ui->em, VIEW_BOX);
        view_draw_text(ui->canvas, VIEW_TITLE, box.x + 0.5f * (box.width - icon_width),
                       box.y + 0.5f * (box.width - font->line[VIEW_TITLE]), 0,
                       ui_is_hot(ui) ? VIEW_BRIGHT : VIEW_PLAIN, buttons[i].icon);
        ui_command_tooltip(ui, buttons[i].action);
        box.y += box.height + roundf(phone_button_gap * ui->em);
    }
}

// The parts of the help text, in the order in which they are omitted if the text is too wide. The
// help text is displayed while keys control the character. The name of the machine and the key
// Escape are never omitted.
typedef enum help_part {
    HELP_MOVES, // the function keys of the triggers after the first
    HELP_RUN,
    HELP_WALK,
    HELP_JUMP, // the first trigger
    NUM_HELP_PARTS,
} help_part;

// Returns the number of triggers that have keys. The first trigger has the space bar, the others
// have F2 and the following function keys.
static uint32_t count_triggers(const view_machine *machine)
{
    uint32_t count = 0;
    while (count < VIEW_MAX_TRIGGERS && view_find_trigger(machine, count) >= 0)
        count++;
    return count;
}

// Appends the keys of all triggers after the first. They are counted, not named, to keep the text
// short. Examples: "F2: 1 more move", "F2–F5: 4 more moves".
static void append_trigger_keys(uint32_t num_triggers, char *text, size_t size)
{
    const uint32_t num_moves = num_triggers - 1;
    const char *const range_begin = num_moves > 1 ? "F2\xE2\x80\x93" : "";
    common_append(text, size, "", VIEW_DOT "%sF%u: %u more %s", range_begin, num_triggers,
                  num_moves, common_noun(num_moves, "move", "moves"));
}

// Writes the keys with which the user controls the character to text[size]. In a narrow window
// the text must be shorter, so the first `num_omitted` parts in the order of help_part are
// omitted.
static void write_driving_help(const view_machine *machine, int num_omitted, char *text,
                               size_t size)
{
    const bool walks = view_can_walk(machine);
    const uint32_t num_triggers = count_triggers(machine);
    snprintf(text, size, "Controlling %s", machine->desc->name);
    if (walks && num_omitted <= HELP_WALK)
        common_append(text, size, "", VIEW_DOT "W A S D: walk");
    if (walks && num_omitted <= HELP_RUN)
        common_append(text, size, "", VIEW_DOT "Shift: run");

    if (num_triggers > 0 && num_omitted <= HELP_JUMP) {
        const int32_t jump = view_find_trigger(machine, 0);
        common_append(text, size, "", VIEW_DOT "Space: %s", machine->desc->parameters[jump].name);
    }
    if (num_triggers > 1 && num_omitted <= HELP_MOVES)
        append_trigger_keys(num_triggers, text, size);
    common_append(text, size, "", VIEW_DOT "Esc: stop");
}

// Draws the help text while keys control the character. Omits parts of it until it fits in the free
// region.
static void draw_driving(const view_ui *ui, const view_stage *stage)
{
    if (stage->is_touched || !controls_character(stage))
        return;
    const float max_width = view_current_layout(stage).free.width - 40 * ui->scale;
    char text[256];
    for (int num_omitted = 0; num_omitted <= NUM_HELP_PARTS; num_omitted++) {
        write_driving_help(&ui->scene->machine, num_omitted, text, sizeof text);
        if (ui_text_width(ui, text) <= max_width)
            break;
    }
    draw_badge(ui, view_free_region(stage), BADGE_AT_TOP, VIEW_ACCENT, text);
}

// == Running the panels ===================================================================

// Returns true if the button over the demo would cover a part of a badge at the same height.
static bool is_window_narrow(const view_ui *ui)
{
    return ui->stage->width <= min_width_beside_badges * ui->em;
}

// Returns the region for the badges at the bottom of the image. In a narrow window, for example on
// a phone, it ends above the button over the demo.
static view_rect bottom_badge_region(const view_ui *ui, bool has_demo_button)
{
    view_rect region = view_free_region(ui->stage);
    if (has_demo_button && is_window_narrow(ui))
        region.height = demo_button_box(ui->stage).y - region.y;
    return region;
}

// Draws the button that opens the user's own model, and handles its input. The button is displayed
// over the demo. It remains when a click has taken control of the character.
static void run_demo_button(view_ui *ui)
{
    ui_begin(ui, "own");
    if (ui_button(ui, demo_button_box(ui->stage), "Open your own model\xE2\x80\xA6", true))
        UI_COMMAND(ui, VIEW_FILES);
}

// Draws the panels around an open document: the docks, and the elements over the image. Also
// handles their input.
static void run_work_panels(view_ui *ui, view_panels *panels, const view_stage *stage)
{
    if (stage->shown->panel)
        view_surface_panel(ui);
    label_joint(ui);
    if (view_shows_graph(stage))
        view_graph_panel(ui, &panels->graph);
    if (stage->shown->panel && stage->recorded < 0)
        draw_driving(ui, stage);
    if (stage->shown->panel)
        run_phone_buttons(ui);
    view_dock_panels(ui, panels);
}

// Draws the notice about the result of a command and handles its input. A notice may have its
// own command, for example to open the list of problems. A click executes this command.
static void run_notice(view_ui *ui, view_rect region)
{
    const view_rect box = draw_badge(ui, region, BADGE_AT_BOTTOM, VIEW_EDGE, ui->notice.text);
    ui_begin(ui, "notice");
    if (ui->notice.action != VIEW_NOTHING && ui_item(ui, box, ui->notice.text))
        UI_COMMAND(ui, ui->notice.action);
}

// Draws the notice over the demo, which plays until the user takes control of the character.
static void draw_demo_notice(const view_ui *ui, const view_stage *stage, view_rect region)
{
    if (!stage->shown->panel)
        return;
    const bool has_keys = !stage->is_touched && !view_current_layout(stage).is_phone;
    const char *const text = has_keys ? "Press any key to play as Bobbin" : "Tap to play as Bobbin";
    draw_badge(ui, region, BADGE_AT_BOTTOM, VIEW_EDGE, text);
}

// Draws the notice that invites the user to open a model. It appears shortly before the end of the
// demo. A narrow window has too little space for it: there, the button over the demo is enough.
static void draw_invitation(const view_ui *ui, const view_panels *panels, view_rect region)
{
    const double begin = panels->decision.demo_end - (double)VIEW_DEMO_NOTICE_SECONDS;
    if (ui->stage->uptime > begin && !is_window_narrow(ui))
        draw_badge(ui, region, BADGE_AT_BOTTOM, VIEW_ACCENT,
                   "Drop your model here, or press Ctrl+O");
}

// Draws everything over the document and handles its input. Later panels cover earlier ones. The
// order is:
//
// - the panels of the demo
// - the start page, or the panels around a document
// - the message at the bottom
// - the dialogs with lists
static void run_document_panels(view_ui *ui, view_panels *panels, const view_stage *stage)
{
    const bool is_start = stage->is_start && !stage->shown->help;
    const bool is_demo = panels->decision.demo_end > 0 && !is_start;
    const bool has_demo_button = is_demo && stage->uptime > demo_button_delay;
    const view_rect badge_region = bottom_badge_region(ui, has_demo_button);
    if (has_demo_button)
        run_demo_button(ui);
    if (stage->plays_demo) {
        draw_demo_notice(ui, stage, badge_region);
        return;
    }
    if (is_demo)
        draw_invitation(ui, panels, badge_region);

    if (is_start && !stage->is_bare)
        view_start_panel(ui, &panels->start);
    if (!is_start)
        run_work_panels(ui, panels, stage);
    const bool has_notice = stage->uptime < ui->notice.end;
    if (has_notice && (stage->shown->panel || is_start))
        run_notice(ui, badge_region);
    view_card_panel(ui, &panels->card);
    view_browser_panel(ui, &panels->browser);
}

// Runs all panels from the bottom to the top. If items overlap at the mouse, the last one handles
// an event of the mouse.
static void run_panels(view_ui *ui, view_panels *panels, const view_stage *stage)
{
    // Prepare a run: first the properties of the stage, then the results that the panels set.
    ui->canvas = stage->canvas;
    ui->is_touched = stage->is_touched;
    ui->scale = stage->font->scale;
    ui->em = view_em(stage->font);
    ui->line = stage->font->line[VIEW_TEXT];
    ui->top.panel = NULL;
    ui->tooltip.text[0] = '\0';
    ui->focus.is_present = false;
    ui->hover_preview.option = NULL;

    // A recorded movie must not contain the indicator of the recording. Therefore the window draws
    // it after the frame was recorded, and it is only run here for events.
    if (ui->is_event)
        view_recording_panel(ui, stage);
    if (stage->pages != NULL)
        stage->page_panel(ui, stage);
    else
        run_document_panels(ui, panels, stage);
    draw_stick(stage);

    // Run the dialogs and menus, which are above all panels.
    view_decision_panel(ui, &panels->decision);
    view_settings_panel(ui, &panels->card);
    if (ui->over == VIEW_OVERLAY_EXPORT && stage->pages == NULL)
        view_export_panel(ui, &panels->export);
    view_menu_panel(ui, &panels->menu);
    view_reports_panel(ui, &panels->problems);
}

// Returns the name of the topmost panel, which receives all keys, or NULL. The order is the reverse
// of run_panels().
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

// Clears the state that an event ends. A movement ends hovering, a press ends a drag and the
// tooltip, and a key ends the tooltip. The panels set hovered items again in the following run. A
// list of problems receives keys only until the next press.
static void clear_event_state(view_ui *ui, view_panels *panels, const ui_mouse *event)
{
    if (event->is_moved && ui->held == NULL) {
        ui->selection.hovered_joint = -1;
        ui->selection.highlighted_point.is_set &= ui->selection.keeps_highlight;
        panels->textures.hovered = 0;
    }
    if (event->is_pressed) {
        ui->active.panel = ui->held = NULL;
        ui->selection.keeps_highlight = panels->problems.has_keys = false;
    }
    // A press or key can change the item under the mouse, so that its tooltip would be out of date.
    // Hide the tooltip.
    if (event->is_pressed || event->key != 0 || event->text != NULL)
        ui->tooltip.hover_begin = INFINITY;
}

// Prepares the state of the interface for view_run_ui(), which runs the panels in one of two modes:
//
// - Without an event, one run draws the panels.
// - With an event, the first run only finds the item under the mouse (ui->top). The second run,
//   run_event(), passes the event to this item.
//
// Therefore the mouse gets only its position here; run_event() adds buttons and keys. Returns false
// if no panel needs to run. This is the case while the mouse moves after a press that did not begin
// a drag, and before the first frame was drawn.
static bool begin_run(view_ui *ui, view_panels *panels, const view_stage *stage,
                      const ui_mouse *event)
{
    // This state must be valid after each call, even if no panel runs.
    view_sync_overlay(ui, panels);
    ui->stage = stage;
    ui->scene = &stage->document->scene;

    const bool is_moved = event != NULL && event->is_moved;
    const bool is_held_without_drag = ui->held != NULL && ui->active.panel == NULL;
    const bool has_font = stage->font->scale > 0; // set when the first frame is drawn
    if ((is_moved && is_held_without_drag) || !has_font)
        return false;

    // Only one object is selected at a time. The selection of a mesh clears the selected joint. If
    // both are set, the joint was selected later.
    if (ui->selection.joint >= 0)
        ui->selection.mesh = -1;
    if (event != NULL)
        clear_event_state(ui, panels, event);

    // Store the event. A run that only draws uses the last position of the mouse.
    const ui_mouse *const mouse = event != NULL ? event : &ui->mouse;
    ui->mouse = (ui_mouse){.x = mouse->x, .y = mouse->y};
    ui->is_event = event != NULL;
    ui->is_event_handled = false;

    // Set the area of the panels, and the panel that receives all keys.
    const float top = view_current_layout(stage).menu.height;
    ui->window = (view_rect){0, top, stage->width, stage->height - top};
    ui->modal = topmost_panel(ui, panels);
    return true;
}

// Returns true if two items differ. An item is identified by its panel and its number in the panel.
static bool is_different_item(ui_item_id a, ui_item_id b)
{
    return a.number != b.number || a.panel != b.panel;
}

// Converts a key to a press of the mouse in the middle of the focused item. Enter presses the item,
// and the menu key or Shift+F10 opens its context menu. The focus must be visible.
static void press_focused(view_ui *ui, const ui_mouse *event)
{
    const int32_t key = ui->mouse.key;
    const bool is_menu = key == VIEW_KEY_MENU || (key == VIEW_KEY_F(10) && event->shift);
    const bool is_press = key == VIEW_KEY_RETURN;
    const bool has_focus = ui->focus.is_shown && ui->focus.item.panel != NULL;
    if (!has_focus || event->control || (!is_menu && !is_press))
        return;
    const view_rect rect = ui->focus.rect;
    ui->hot = ui->focus.item;
    ui->mouse = (ui_mouse){.x = rect.x + 0.5f * rect.width,
                           .y = rect.y + 0.5f * rect.height,
                           .is_pressed = is_press,
                           .is_right = is_menu};
}

// Completes a change of the focus by Tab or Shift+Tab after the panels were run. After the last
// item, Tab removes the focus. Before the first item, Shift+Tab moves the focus to the last item,
// which is ui->focus.previous then.
static void finish_focus_change(view_ui *ui, const ui_mouse *event)
{
    const bool is_backward = event->shift;
    if (is_backward && ui->focus.item.panel == NULL)
        ui->focus.item = ui->focus.previous;
    if (!is_backward && ui->focus.takes_next)
        ui->focus.item.panel = NULL;
    ui->focus.is_shown = ui->is_event_handled = true;
}

// Runs the panels to handle an event, after a first run has found the topmost item under the mouse,
// ui->top. `was_hot` is the item under the mouse before the event. Clears the canvas, because only
// draw_panels() draws.
static void run_event(view_ui *ui, view_panels *panels, const view_stage *stage,
                      const ui_mouse *event, ui_item_id was_hot)
{
    ui->hot = ui->top;
    ui->mouse = *event;
    if (event->is_pressed) { // the pressed item may take the focus again
        ui->focus.is_shown = false;
        ui->focus.at_press = ui->focus.item;
        ui->focus.item.panel = NULL;
    }
    if (event->text != NULL) // after typing, Enter belongs to the text
        ui->focus.is_shown = false;
    if (event->key == VIEW_KEY_PAD_ENTER)
        ui->mouse.key = VIEW_KEY_RETURN;
    press_focused(ui, event);

    const bool is_press = ui->mouse.is_pressed || ui->mouse.is_right;
    ui->is_event_handled = is_press && ui->hot.panel != NULL;
    if (is_different_item(ui->hot, was_hot))
        ui->tooltip.hover_begin = stage->uptime;

    const bool moves_focus = ui_passes_focus(ui);
    if (moves_focus) {
        ui->focus.previous.panel = NULL;
        ui->focus.takes_next = ui->focus.item.panel == NULL; // the first item gets it
    }
    run_panels(ui, panels, stage);
    if (ui_passes_focus(ui)) // no panel has used the key
        finish_focus_change(ui, event);
    view_clear_canvas(stage->canvas);
}

// Runs the panels to draw them, and draws the tooltip above them. There is no event.
static void draw_panels(view_ui *ui, view_panels *panels, const view_stage *stage)
{
    for (size_t i = 0; i < VIEW_MAX_THUMBNAILS; i++)
        ui->pictures[i].is_visible = false;
    run_panels(ui, panels, stage);
    if (!ui->focus.is_present) // the panel of the item was closed
        ui->focus.item.panel = NULL;
    draw_tip(ui);
}

// The state that a movement of the mouse changes and that the panels display. If it differs after
// an event, the window must be drawn again.
typedef struct hovered_state {
    ui_item_id item;
    int32_t joint;
    size_t list_line;    // selected entry of the list of files
    uint32_t graph_part; // node or edge of the state graph
} hovered_state;

// Copies the hovered state from the interface and the panels, for a comparison before and after an
// event.
static hovered_state get_hovered_state(const view_ui *ui, const view_panels *panels)
{
    return (hovered_state){.item = ui->hot,
                           .joint = ui->selection.hovered_joint,
                           .list_line = panels->browser.selected,
                           .graph_part = panels->graph.hovered};
}

// Returns true if the window must be drawn again, because a part of the hovered state has changed.
static bool has_hover_changed(const hovered_state *before, const hovered_state *after)
{
    if (is_different_item(before->item, after->item) || before->joint != after->joint)
        return true;
    return before->list_line != after->list_line || before->graph_part != after->graph_part;
}

// Runs the panels to handle an event. Requests VIEW_HANDLED if no panel has requested a command,
// but the window must be drawn again. `before` is the state before the event.
static void handle_event(view_ui *ui, view_panels *panels, const view_stage *stage,
                         const ui_mouse *event, const hovered_state *before)
{
    // The panels run twice: the first run finds the topmost item under the mouse, the second run
    // handles the event.
    run_panels(ui, panels, stage);
    run_event(ui, panels, stage, event, before->item);
    open_context_menu(ui, panels);
    view_sync_overlay(ui, panels);

    const hovered_state after = get_hovered_state(ui, panels);
    const bool is_key = event->key != 0 || event->text != NULL;
    const bool changes_hover = !is_key && event->is_moved && has_hover_changed(before, &after);
    if (ui->command.action == VIEW_NOTHING && (ui->is_event_handled || changes_hover))
        UI_COMMAND(ui, VIEW_HANDLED);
}

// Runs all panels: draws them to the canvas of the stage if `event` is NULL, otherwise lets them
// handle the event. Returns the command that they request.
view_command view_run_ui(view_ui *ui, view_panels *panels, const view_stage *stage,
                         const ui_mouse *event)
{
    const hovered_state before = get_hovered_state(ui, panels);
    const bool needs_run = begin_run(ui, panels, stage, event);
    if (needs_run && event == NULL)
        draw_panels(ui, panels, stage);
    else if (needs_run)
        handle_event(ui, panels, stage, event, &before);

    const view_command command = ui->command;
    ui->command = (view_command){.action = VIEW_NOTHING}; // the caller owns the text
    return command;
}
