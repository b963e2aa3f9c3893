// Rows of options. A row consists of the name of an option, the editor for its type of value, and a
// reset button.
#include "demo/viewer/ui/option_editor.h"

// Writes the label of an option. It is the label of its command without an ellipsis. An option
// without a command has its name as the label, with a capital letter and without hyphens:
// "frame-rate" becomes "Frame rate".
static void write_label(const view_option *option, char label[64])
{
    static const char ellipsis[] = "\xE2\x80\xA6";
    const size_t ellipsis_length = sizeof ellipsis - 1;
    const view_menu_entry *const command = view_get_entry(option);
    if (command == NULL) {
        snprintf(label, 64, "%s", option->name);
        label[0] = (char)(label[0] - 'a' + 'A');
        for (char *at = label; *at != '\0'; at++) {
            if (*at == '-')
                *at = ' ';
        }
    } else {
        snprintf(label, 64, "%s", view_get_label(command));
    }

    const size_t length = strlen(label);
    const bool ends_in_ellipsis =
        length >= ellipsis_length && strcmp(label + length - ellipsis_length, ellipsis) == 0;
    if (ends_in_ellipsis)
        label[length - ellipsis_length] = '\0';
}

// Draws the editor for the type of an option in the next row, and the reset button. Also handles
// its input. The card also contains the color editor, which needs several rows.
static void run_editor(option_editor *editor, bool is_default)
{
    view_ui *const ui = editor->ui;
    const int kind = editor->option->kind;
    const bool is_switch = kind <= COMMON_OPPOSITE;
    ui_begin_row(ui);
    const view_rect row = ui->space;
    if (is_switch) {
        const bool is_on = editor->current.choice != 0;
        if (ui_switch(ui, editor->name, is_on, false, ""))
            view_request_value(editor, common_choice_value(!is_on), 0);
    } else if (view_count_option_numbers(editor->option) > 0) {
        view_edit_numbers(editor);
    } else if (kind > COMMON_CHOICE || !view_edit_segments(editor)) {
        view_edit_lines(editor);
    }

    if (view_run_reset_button(editor, row, is_default))
        view_request_value(editor, (common_value){.type = COMMON_VALUE_DEFAULT}, 0);
    if (kind == COMMON_COLOR && ui->over == VIEW_OVERLAY_CARD)
        view_color_picker(editor);
}

// Draws a row for an option in the column: its name, an editor for the type of its value, and a
// reset button. Also handles its input. A value that is still delayed is displayed as if it were
// set. Returns true if the row has handled an event.
bool ui_setting(view_ui *ui, view_card *card, const view_option *option)
{
    const bool was_handled = ui->is_event_handled;
    const common_value default_value = view_get_default(option);
    char name[64];
    write_label(option, name);
    option_editor editor = {.ui = ui,
                            .card = card,
                            .stage = ui->stage,
                            .option = option,
                            .name = name,
                            .unit = view_unit_text(option),
                            .current = view_get_value(option, ui->stage->options),
                            .low = option->low,
                            .high = option->high,
                            .default_number = default_value.numbers[0]};
    bool is_default = view_is_default(option, ui->stage->options);

    // If a delayed value could not be parsed, it is a text, although the option is not a text. Only
    // the field in which it was typed displays it.
    const view_delayed_value *const delayed = view_find_delayed(card, option);
    const bool is_invalid =
        delayed != NULL && option->kind < COMMON_TEXT && delayed->set.path != NULL;
    if (delayed != NULL && !is_invalid) {
        editor.current = view_command_value(&delayed->set);
        // An option with an empty text has its default.
        const bool is_empty =
            editor.current.type == COMMON_VALUE_TEXT && editor.current.text[0] == '\0';
        is_default = is_empty || common_are_values_equal(&editor.current, &default_value);
    }

    editor.color = is_default ? VIEW_PLAIN : VIEW_BRIGHT;
    if (card->wrong == option)
        editor.color = VIEW_WRONG;
    if (option->kind == VIEW_OPTION_LIGHTS)
        view_edit_lights(&editor);
    else if (option->kind == VIEW_OPTION_PARM)
        view_edit_parms(&editor);
    else
        run_editor(&editor, is_default);
    if (card->wrong == option)
        ui_column_text(ui, VIEW_WRONG, card->problem);
    return ui->is_event_handled && !was_handled;
}
