// The dialog of all options and keyboard shortcuts, and the tab "Display" of touch screens.
#include "demo/viewer/ui/settings.h"

#include "demo/viewer/ui/menu.h"

// Returns true if a command is an available option of the display or the light, which the tab
// "Display" contains.
static bool is_display_option(const view_ui *ui, const view_menu_entry *command)
{
    if (view_get_option(command) == NULL || view_missing_needs(ui->stage, command) != 0)
        return false;
    const bool is_light = command->menu == VIEW_MENU_LIGHT;
    const bool is_shown_part = strncmp(command->label, "Show/", 5) == 0;
    const bool is_in_context_menu = (command->context & (VIEW_ON_MODEL | VIEW_ON_GROUND)) != 0;
    return is_light || is_shown_part || is_in_context_menu;
}

// Draws the tab "Display" of a touch screen, with the options of the display and the light. Also
// handles its input.
void view_display_panel(view_ui *ui, view_card *card, view_rect area)
{
    ui_column column;
    ui_begin(ui, "look");
    ui_begin_column(ui, &column, area, &ui->scrolls[VIEW_DOCK_RIGHT]);
    view_menu_entries list;
    view_list_menu_entries(&list);
    for (size_t i = 0; i < list.count; i++) {
        if (is_display_option(ui, list.entries[i]))
            ui_setting(ui, card, view_get_option(list.entries[i]));
    }
    ui_end_column(ui);
}

// Draws the heading of a group in the next row. A part in parentheses is omitted. It concerns the
// command line, so only --help prints it.
static void draw_heading(view_ui *ui, const char *heading)
{
    char text[64];
    view_rect rest;
    COMMON_TEXT(text, "%.*s", (int)strcspn(heading, "("), heading);
    ui_begin_row(ui);
    ui->label_width = ui->space.width;
    ui_next_row(ui, text, VIEW_ACCENT, &rest);
}

// Lists the names of the machine's triggers that have keys. Returns their number.
static uint32_t list_trigger_names(const view_machine *machine,
                                   const char *names[VIEW_MAX_TRIGGERS])
{
    for (uint32_t i = 0; i < VIEW_MAX_TRIGGERS; i++) {
        const int32_t trigger = view_find_trigger(machine, i);
        if (trigger < 0)
            return i;
        names[i] = machine->desc->parameters[trigger].name;
    }
    return VIEW_MAX_TRIGGERS;
}

// Lists the shortcuts that affect the document, as the help shows them. Returns the number of
// listed lines.
uint32_t view_current_keys(const view_document *document, view_key_line lines[VIEW_MAX_KEY_LINES])
{
    const view_scene *const scene = &document->scene;
    const bool is_machine = view_get_mode(document) == VIEW_MODE_MACHINE;
    const char *triggers[VIEW_MAX_TRIGGERS];
    uint32_t num_triggers = 0;
    if (is_machine)
        num_triggers = list_trigger_names(&scene->machine, triggers);

    const bool walks =
        is_machine ? view_can_walk(&scene->machine) : view_get_mover(scene)->take_control != NULL;
    const uint32_t have = view_found_needs(document) | VIEW_NEEDS_ENVIRONMENT;
    return view_list_keys(have, triggers, num_triggers, walks, lines);
}

// Returns true if an option or its command contains the search text.
static bool matches_search(const view_option *option, const char *query)
{
    const view_menu_entry *const command = view_get_entry(option);
    if (common_contains(option->name, query) || common_contains(option->help, query))
        return true;
    if (option->tooltip != NULL && common_contains(option->tooltip, query))
        return true;
    return command != NULL && common_contains(command->label, query);
}

// Lists the options that match the search text card->query. If `are_modified` is true, lists the
// modified options, otherwise all others. The heading of a group is above its first listed option.
// Options of jobs, which do not affect the window, are skipped. Returns the number of listed
// options.
static uint32_t list_options(view_ui *ui, view_card *card, bool are_modified)
{
    uint32_t count = 0;
    const char *next_heading = are_modified ? "Modified" : NULL; // NULL: already drawn
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const option = &view_option_rows[i];
        if (!are_modified && option->heading != NULL)
            next_heading = option->heading;
        if (option->scope == VIEW_SCOPE_JOB || !matches_search(option, card->query))
            continue;
        const bool is_modified = !view_is_default(option, ui->stage->options);
        if (is_modified != are_modified)
            continue;

        if (next_heading != NULL)
            draw_heading(ui, next_heading);
        next_heading = NULL;
        ui_setting(ui, card, option);
        count++;
    }
    return count;
}

// Lists the keyboard shortcuts that match the search text. Returns their number.
static uint32_t list_shortcuts(view_ui *ui, const char *query)
{
    uint32_t num_listed = 0;
    view_key_line lines[VIEW_MAX_KEY_LINES];
    const uint32_t count = view_current_keys(ui->stage->document, lines);
    for (uint32_t i = 0; i < count; i++) {
        const view_key_line *const line = &lines[i];
        if (!common_contains(line->help, query) && !common_contains(line->keys, query))
            continue;
        if (line->heading != NULL)
            draw_heading(ui, line->heading);

        view_rect rest;
        ui_begin_row(ui);
        ui->label_width = 0.5f * ui->space.width;
        ui_next_row(ui, line->help, VIEW_PLAIN, &rest);
        ui_text(ui, rest.x, rest.y + 0.35f * ui->em, rest.width, VIEW_BRIGHT, line->keys);
        num_listed++;
    }
    return num_listed;
}

// Lists the options and shortcuts that match the search text card->query: the modified options,
// all other options by group, and the keyboard shortcuts.
static void list_settings(view_ui *ui, view_card *card, view_rect area, bool shows_only_keys)
{
    ui_column column;
    ui_begin_list(ui, &column, area, &ui->scrolls[UI_SCROLL_SETTINGS]);
    uint32_t num_listed = 0;
    if (!shows_only_keys) {
        num_listed += list_options(ui, card, true);
        num_listed += list_options(ui, card, false);
    }
    num_listed += list_shortcuts(ui, card->query);
    if (num_listed == 0)
        ui_column_text(ui, VIEW_DIM, "No matches");
    ui_end_column(ui);
}

// Draws the dialog of the settings: a search field, and the list of options and keyboard
// shortcuts. Also handles its input. The same dialog shows only the shortcuts if the user has
// requested the help.
void view_settings_panel(view_ui *ui, view_card *card)
{
    static const char *const done[] = {"Done"};
    const bool shows_only_keys = ui->stage->shown->help;
    if (ui->over != VIEW_OVERLAY_SETTINGS && !shows_only_keys)
        return;
    const char *const title = shows_only_keys ? "Keyboard shortcuts" : "Settings";
    view_rect foot;
    view_rect area = ui_footed_dialog(ui, "settings", 680, 520, title, &foot);
    ui_focus_next(ui);
    const view_rect field = view_cut(&area, VIEW_AT_TOP, UI_FIELD_HEIGHT * ui->em);
    ui_field(ui, field, "Search", card->query, sizeof card->query);
    view_cut(&area, VIEW_AT_TOP, 0.35f * ui->em); // gap

    list_settings(ui, card, area, shows_only_keys);

    const bool is_done = ui_buttons(ui, &foot, done, 1, 0) == 0;
    const bool is_closed = is_done || ui_key(ui, VIEW_KEY_RETURN) || ui_key(ui, VIEW_KEY_ESCAPE);
    if (!is_closed)
        return;
    card->query[0] = '\0';
    ui_open_overlay(ui, VIEW_OVERLAY_NONE);
    if (shows_only_keys)
        UI_COMMAND(ui, view_get_toggle(VIEW_OPTION(shown.help)));
}
