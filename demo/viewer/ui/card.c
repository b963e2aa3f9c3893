// The card: the dialog for the options of a command.
#include "demo/viewer/ui/card.h"

#include "demo/viewer/ui/option_editor.h"
#include "demo/viewer/ui/window_layout.h"

// Sizes in em, the height of the text.
static const float max_card_width = 30;
static const float min_width_for_box = 52; // in a smaller window, the card is a sheet

// Returns true if a command is on the card of another command. The card contains all commands of a
// group. Their labels are equal up to "/".
static bool is_on_card(const view_menu_entry *command, const view_menu_entry *card)
{
    if (command == card)
        return true;
    const char *const slash = strchr(card->label, '/');
    const bool has_group = slash != NULL && slash != card->label;
    if (!has_group || command->menu != card->menu)
        return false;
    return strncmp(command->label, card->label, (size_t)(slash - card->label)) == 0;
}

// Returns the option of a command if the command is on the card of another command, or NULL.
static const view_option *option_on_card(const view_menu_entry *command,
                                         const view_menu_entry *card)
{
    return is_on_card(command, card) ? view_get_option(command) : NULL;
}

bool view_is_on_card(const view_card *card, const view_option *option)
{
    const view_menu_entry *const entry = view_get_entry(option);
    return card->row != NULL && entry != NULL && is_on_card(entry, card->row);
}

// Returns the command that sets an option to the clicked joint or color, which may be NULL. Returns
// VIEW_NOTHING if the option uses neither. `attached` is the value of --attach, "JOINT=MODEL",
// whose joint is replaced. It is NULL if no model is attached.
static view_command set_to_pick(const view_option *option, const char *joint_name,
                                const view_color *color, const char *attached)
{
    if (option->kind == COMMON_COLOR && color != NULL)
        return view_set_command(option, view_color_value(*color));
    if (option->kind == COMMON_PAIR_TEXT && joint_name != NULL && attached != NULL) {
        const char *const equals_model = strchr(attached, '=');
        return view_set_text_command(option, common_format("%s%s", joint_name, equals_model));
    }
    if (option->names == VIEW_NAMES_JOINT && joint_name != NULL)
        return view_set_command(option, common_text_value(joint_name));
    return (view_command){.action = VIEW_NOTHING};
}

// Returns the command that sets an option of the open card by a click in the 3D view. The first
// option on the card that can use the clicked joint or color is set.
view_command view_pick_for_card(view_ui *ui, view_card *card, const view_stage *stage,
                                int32_t joint, const view_color *color)
{
    const view_command nothing = {.action = VIEW_NOTHING};
    if (ui->over != VIEW_OVERLAY_CARD || card->row == NULL)
        return nothing;

    const md5_skeleton *const skeleton = stage->document->scene.skeleton;
    const char *const joint_name = joint >= 0 ? skeleton->joints[joint].name : NULL;
    view_menu_entries list;
    view_list_menu_entries(&list);
    for (size_t i = 0; i < list.count; i++) {
        const view_option *const option = option_on_card(list.entries[i], card->row);
        if (option == NULL)
            continue;
        const view_command set = set_to_pick(option, joint_name, color, stage->options->attach);
        if (set.action == VIEW_NOTHING)
            continue;
        if (option->kind == COMMON_COLOR)
            card->picks_color = false;
        return set;
    }
    return nothing;
}

// Frees the options from before the card was opened, and the commands that have not been
// executed yet.
void view_clear_card(view_card *card)
{
    if (card->before != NULL)
        view_free_options(card->before);
    free(card->before);
    for (size_t i = 0; i < card->num_delayed; i++)
        free(card->delayed[i].set.path);
    free(card->delayed);
    *card = (view_card){.row = NULL};
}

// Opens the card of an option, with all options of its group. `option` is the index of the option.
// Returns VIEW_NOTHING, or the command that opens the list of files for --retarget.
view_command view_open_card(view_ui *ui, view_card *card, const view_stage *stage, size_t option)
{
    const view_option *const opened = &view_option_rows[option];
    const bool is_first_retarget =
        opened == VIEW_OPTION(retarget) && stage->options->retarget == NULL;
    if (is_first_retarget) {
        ui_open_overlay(ui, VIEW_OVERLAY_NONE); // the list must not return to another card
        return (view_command){.action = VIEW_FILES, .item = 1 + option, .path = common_copy("\1")};
    }

    view_clear_card(card);
    ui_open_overlay(ui, VIEW_OVERLAY_CARD);
    card->focused = opened;
    card->row = view_get_entry(opened);
    // Store the values that Escape restores when it closes the card.
    card->before = common_alloc(1, sizeof *card->before);
    *card->before = view_copy_options(stage->options, VIEW_SCOPE_JOB, VIEW_SCOPE_CAMERA);
    return (view_command){.action = VIEW_NOTHING};
}

// Reports the result of setting an option to the open card, if the card contains the option. If the
// user has requested to close the card, it closes after its last value was set successfully. On
// failure, it remains open and displays the error instead of a notice.
void view_report_to_card(view_ui *ui, view_card *card, view_log *log, const view_option *option,
                         bool is_set)
{
    if (ui->over != VIEW_OVERLAY_CARD || !view_is_on_card(card, option))
        return;
    if (is_set) {
        card->wrong = NULL;
        const bool is_last = card->num_delayed == 0;
        if (card->closes && is_last)
            ui_open_overlay(ui, VIEW_OVERLAY_NONE);
        return;
    }

    card->wrong = option;
    card->closes = false;
    const bool has_range = option->high > option->low;
    if (log->error[0] != '\0')
        COMMON_TEXT(card->problem, "%.250s", log->error);
    else if (has_range)
        COMMON_TEXT(card->problem, "Enter %g to %g", option->low, option->high);
    else
        COMMON_TEXT(card->problem, "Invalid value");
    log->error[0] = '\0';
    ui->notice.end = 0;
}

// Returns the width of the longest name of a number on the card, with its margin, in pixels. It
// becomes the label width of all numbers, so that their sliders begin at the same position.
static float measure_names(const view_ui *ui, const view_card *card)
{
    float widest = 0;
    view_menu_entries list;
    view_list_menu_entries(&list);
    for (size_t i = 0; i < list.count; i++) {
        const view_option *const option = option_on_card(list.entries[i], card->row);
        if (option != NULL && (option->kind == COMMON_COUNT || option->kind == COMMON_FLOAT))
            widest = fmaxf(widest, ui_text_width(ui, view_get_label(view_get_entry(option))));
    }
    return widest + 9 * ui->scale;
}

// Returns the rectangle of the card. In a narrow window, the card is a sheet at the bottom.
// Otherwise it is in the upper right corner of the image, and the user can drag it by card->moved.
// `height` is the height of its content in pixels.
static view_rect card_box(const view_ui *ui, const view_card *card, float height)
{
    const view_stage *const stage = ui->stage;
    if (stage->width < min_width_for_box * ui->em) {
        const float sheet_height = fminf(height, 0.6f * stage->height);
        return (view_rect){0, stage->height - sheet_height, stage->width, sheet_height};
    }

    const view_rect free = view_current_layout(stage).free;
    const float gap = 0.85f * ui->em; // to the edges of the image
    view_rect box = {.width = fminf(max_card_width * ui->em, free.width - 2 * gap),
                     .height = fminf(height, free.height - 2 * gap)};
    const float x = free.x + free.width - gap - box.width + card->moved[0];
    const float y = free.y + gap + card->moved[1];
    box.x = roundf(view_clamp(x, 0, stage->width - box.width));
    box.y = roundf(view_clamp(y, ui->window.y, stage->height - box.height));
    return box;
}

// Moves the card while its header is dragged. card->moved is the distance from its default
// position, and card->grip the position of the mouse relative to it, in pixels.
static void drag_card(view_ui *ui, view_card *card, view_rect box, view_rect header)
{
    const bool is_gripped = ui_item(ui, header, "");
    if (is_gripped) {
        card->grip[0] = ui->mouse.x - card->moved[0];
        card->grip[1] = ui->mouse.y - card->moved[1];
    }
    float unused;
    if (ui_drag(ui, is_gripped, box, &unused)) {
        card->moved[0] = ui->mouse.x - card->grip[0];
        card->moved[1] = ui->mouse.y - card->grip[1];
    }
}

// Draws the rows of the card in `body` and handles their input. Stores their height in
// card->length, because the next frame needs it to lay out the card.
static void list_card_options(view_ui *ui, view_card *card, view_rect body)
{
    const float padding = 0.5f * ui->em; // above and below the rows
    ui_column column;
    view_rect space;
    ui_begin_column(ui, &column, body, &ui->scrolls[UI_SCROLL_CARD]);
    const float top = column.y;
    ui_reserve_row(ui, padding, &space);

    card->label_width = measure_names(ui, card);
    view_menu_entries list;
    view_list_menu_entries(&list);
    for (size_t i = 0; i < list.count; i++) {
        const view_option *const option = option_on_card(list.entries[i], card->row);
        if (option != NULL)
            ui_setting(ui, card, option);
    }
    card->label_width = 0;
    card->length = column.y - top + padding;
    ui_end_column(ui);
}

// Closes the card after "Done" or a key. Delayed values are set first. The card closes only if all
// of them are valid.
static void finish_card(view_ui *ui, view_card *card)
{
    if (card->num_delayed == 0) {
        ui_open_overlay(ui, VIEW_OVERLAY_NONE);
        ui->is_event_handled = true;
        return;
    }

    for (size_t i = 0; i < card->num_delayed; i++)
        card->delayed[i].due = 0;
    if (ui->command.action == VIEW_NOTHING) // an event can request only one command
        ui_request(ui, view_pop_delayed_command(card, INFINITY));
    card->closes = true;
}

// Draws the header of the card: its title and the button "Close". Also handles its input.
// Returns true if the button was pressed.
static bool run_card_header(view_ui *ui, const view_card *card, view_rect header)
{
    // The title is the label of the command up to the '/' of a group or an ellipsis.
    char title[64];
    COMMON_TEXT(title, "%s", card->row->label);
    title[strcspn(title, "/\xE2")] = '\0';
    ui_text(ui, header.x + UI_PADDING * ui->em, header.y + 0.3f * ui->em, 0, VIEW_BRIGHT, title);
    view_rect rest = header;
    const view_rect cross = view_cut(&rest, VIEW_AT_RIGHT, header.height);
    return ui_sign(ui, cross, "Close", "\xE2\x9C\x95");
}

// Draws the open card and handles its input. "Done", Enter and "Close" accept the values. Escape
// restores the values that were set before the card was opened. "Reset" sets the defaults.
void view_card_panel(view_ui *ui, view_card *card)
{
    enum { RESET, DONE, NUM_BUTTONS };
    static const char *const labels[] = {"Reset", "Done"};
    const float em = ui->em;
    const float header_height = 2 * em;
    const float footer_height = 2.7f * em;
    if (ui->over != VIEW_OVERLAY_CARD || card->row == NULL)
        return;

    const float rows_height = fmaxf(card->length, 3 * em);
    const view_rect box = card_box(ui, card, header_height + rows_height + footer_height);
    view_rect body = box;
    const view_rect header = view_cut(&body, VIEW_AT_TOP, header_height);
    view_rect footer = view_inset(view_cut(&body, VIEW_AT_BOTTOM, footer_height), 0.42f * em);
    ui_popover(ui, box, 6, VIEW_EDGE);
    ui_begin(ui, "card");
    ui_item(ui, box, "");
    drag_card(ui, card, box, header);
    const bool is_escape = ui_key(ui, VIEW_KEY_ESCAPE);
    const bool is_closed = run_card_header(ui, card, header);
    view_draw_rect(ui->canvas, (view_rect){body.x, body.y, body.width, ui->scale}, VIEW_EDGE);

    list_card_options(ui, card, body);

    const int pressed = ui_buttons(ui, &footer, labels, NUM_BUTTONS, DONE);
    ui_text(ui, footer.x, footer.y + 0.3f * em, fmaxf(footer.width, 1), VIEW_DIM, "Esc cancels");
    // If an item has used Enter, for example the button that lists files, the card remains open.
    const bool is_enter = ui->mouse.key == VIEW_KEY_RETURN && !ui->is_event_handled;
    const bool is_done = is_closed || pressed == DONE || is_enter;
    if (pressed == RESET || is_escape)
        UI_COMMAND(ui, VIEW_REVERT_CARD, .number = !is_escape); // 1: set the defaults
    else if (is_done)
        finish_card(ui, card);
}
