// Parts that all editors of option values share: names, text fields, reset buttons, and changes of
// values.
//
// When the user changes a value, the editor requests the command VIEW_SET. Typed texts are parsed
// by the editors. A text that cannot be parsed becomes a value of the type text. The option then
// rejects it with an error message. It accepts the text only if it contains all numbers of the
// option, for example "6x4".
#include "demo/viewer/ui/option_editor.h"

static const double reload_delay = 0.3; // delay of an option that loads the files again, seconds

const char *view_placeholder_text(const view_option *option)
{
    if (option->kind == COMMON_COLOR)
        return "scenery";
    if (option->kind == COMMON_RANGE)
        return "all";
    const bool is_automatic = option->given > 0 || option->kind == COMMON_FLOAT;
    return is_automatic ? "auto" : "none";
}

// == Changing a value =============================================================================

const view_delayed_value *view_find_delayed(const view_card *card, const view_option *option)
{
    for (size_t i = 0; i < card->num_delayed; i++) {
        if (card->delayed[i].set.number == view_option_index(option))
            return &card->delayed[i];
    }
    return NULL;
}

// Removes card->delayed[index] and returns the command that sets this value. The caller owns the
// command. The order of the other delayed values may change.
static view_command remove_delayed(view_card *card, size_t index)
{
    const view_command command = card->delayed[index].set;
    card->num_delayed--;
    card->delayed[index] = card->delayed[card->num_delayed];
    return command;
}

void view_request_value(const option_editor *editor, common_value value, double delay)
{
    view_card *const card = editor->card;
    const view_command set = view_set_command(editor->option, value);
    const bool loads_files = editor->option->effect == VIEW_EFFECT_RELOAD;
    const double wait = loads_files ? fmax(delay, reload_delay) : delay;
    editor->ui->is_event_handled = true;

    // The new value replaces the delayed value of the same option. Delayed values of other options
    // are due now, because the user has stopped typing them.
    const view_delayed_value *const replaced = view_find_delayed(card, editor->option);
    if (replaced != NULL)
        free(remove_delayed(card, (size_t)(replaced - card->delayed)).path);
    for (size_t i = 0; i < card->num_delayed; i++)
        card->delayed[i].due = editor->stage->uptime;

    // An event can request only one command. Further values are set before the next frame.
    const bool can_request = editor->ui->command.action == VIEW_NOTHING;
    if (wait <= 0 && can_request) {
        ui_request(editor->ui, set);
        return;
    }
    *COMMON_ADD_ITEM(card->delayed, card->num_delayed) =
        (view_delayed_value){.set = set, .due = editor->stage->uptime + wait};
}

view_command view_pop_delayed_command(view_card *card, double uptime)
{
    for (size_t i = 0; i < card->num_delayed; i++) {
        if (card->delayed[i].due <= uptime)
            return remove_delayed(card, i);
    }
    return (view_command){.action = VIEW_NOTHING};
}

// == Parts of editors =============================================================================

bool view_run_reset_button(const option_editor *editor, view_rect row, bool is_default)
{
    const view_rect sign = {row.x + row.width, row.y, row.height, row.height};
    const bool is_pressed = ui_item(editor->ui, sign, is_default ? "" : "reset");
    if (is_default)
        return false;
    ui_text_in(editor->ui, sign, ui_is_hot(editor->ui) ? VIEW_BRIGHT : VIEW_ACCENT, "\xE2\x86\xBA");
    return is_pressed;
}

view_rect view_name_row(const option_editor *editor)
{
    view_rect rest;
    const view_rect row = ui_next_row(editor->ui, editor->name, editor->color, &rest);
    ui_item(editor->ui, row, editor->name);
    return view_inset(rest, editor->ui->scale);
}

bool view_type_value(const option_editor *editor, view_rect box, const char *hint,
                     const char *value)
{
    view_ui *const ui = editor->ui;
    view_card *const card = editor->card;
    if (card->focused == editor->option) {
        ui_focus_next(ui);
        card->focused = NULL;
    }

    // card->typing is the item number of the edited field, or 0. When a field gets the focus, its
    // text is the current value, which is selected.
    const uint32_t item = ui->item.number + 1;
    const bool has_focus = ui->focus.item.panel == ui->item.panel && ui->focus.item.number == item;
    const bool was_edited = card->typing == item;
    if (has_focus && !was_edited) {
        COMMON_TEXT(card->typed, "%s", value);
        ui->focus.selects_all = true;
    }
    if (has_focus)
        card->typing = item;
    else if (was_edited)
        card->typing = 0;

    // Only the field with the focus can change the typed text. Other fields edit a copy of their
    // value, which is discarded.
    char unedited[sizeof card->typed];
    COMMON_TEXT(unedited, "%s", value);
    char *const text = has_focus ? card->typed : unedited;
    const bool has_changed = ui_field(ui, box, hint, text, sizeof unedited);
    return has_changed && has_focus;
}
