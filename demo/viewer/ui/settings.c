// Editors of option values. A row consists of the name of an option, an editor for its type of
// value, and a reset button. Two dialogs contain rows. The card has the options of one command, and
// the settings have all options.
//
// When the user changes a value, the editor requests the command VIEW_SET. Typed texts are parsed
// here. A text that cannot be parsed becomes a value of the type text. The option then rejects it
// with an error message. It accepts the text only if it contains all numbers of the option, for
// example "6x4".
#include "demo/viewer/ui/settings.h"

#include "demo/viewer/ui/menu.h"
#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

#include <ctype.h>

// Delays before a changed value is applied, in seconds.
static const double reload_delay = 0.3; // of an option that loads the files again
static const double typing_delay = 0.3;

// Sizes in em, the height of the text.
static const float field_width = 4.4f; // text field of a number
static const float field_step = 4.7f;  // from a field to the next field
static const float unit_gap = 0.4f;    // before and after the unit that follows the numbers
static const float min_slider_width = 2;
static const float browse_width = 5.5f; // button "Browse"
static const float max_card_width = 30;
static const float min_width_for_box = 52; // in a smaller window, the card is a sheet

static const double max_slider_range = 1e6; // a number with a wider range has no slider

// == Names and units ==============================================================================

// The editor in a row of the card. It edits an option, or one of several numbers of an option with
// its own range and name.
typedef struct option_editor {
    view_ui *ui;
    view_card *card;
    const view_stage *stage;
    const view_option *option;
    const char *name;      // displayed at the left of the editor
    const char *unit;      // displayed after a number, or ""
    common_value current;  // current value; COMMON_VALUE_NONE for several values
    view_color color;      // of the name
    double low;            // minimum of a number
    double high;           // maximum of a number
    double default_number; // default of a number
} option_editor;

// Returns the placeholder of an empty field. It describes the effect of the default value.
static const char *placeholder_text(const view_option *option)
{
    if (option->kind == COMMON_COLOR)
        return "scenery";
    if (option->kind == COMMON_RANGE)
        return "all";
    const bool is_automatic = option->given > 0 || option->kind == COMMON_FLOAT;
    return is_automatic ? "auto" : "none";
}

// The longest unit. Every number leaves space for it, so that the fields of all rows are aligned.
static const char longest_unit[] = "units";

// Returns the unit that is displayed after the numbers of an option, or "". It is derived from the
// name of the value in the command-line help, for example "SECONDS".
static const char *unit_text(const view_option *option)
{
    static const char *const units[][2] = {{"PIXELS", "px"},
                                           {"DEG", "\xC2\xB0"},
                                           {"UNITS", longest_unit},
                                           {"X,Y,Z", longest_unit},
                                           {"SECONDS", "s"}};
    if (option->value == NULL)
        return "";
    for (size_t i = 0; i < COMMON_LENGTH(units); i++)
        if (strcmp(option->value, units[i][0]) == 0)
            return units[i][1];
    return "";
}

// == Changing a value =============================================================================

// Returns the delayed value of an option, or NULL. A delayed value is a new value that will be set
// after the user has stopped typing.
static const view_delayed_value *find_delayed(const view_card *card, const view_option *option)
{
    for (size_t i = 0; i < card->num_delayed; i++)
        if (card->delayed[i].set.number == view_option_index(option))
            return &card->delayed[i];
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

// Sets the option to a value. If `delay` is 0, sets it now, otherwise after `delay` seconds without
// another change. An option that loads files is always delayed. A drag of a slider would otherwise
// load them for each value.
static void request_value(const option_editor *editor, common_value value, double delay)
{
    view_card *const card = editor->card;
    const view_command set = view_set_command(editor->option, value);
    const bool loads_files = editor->option->effect == VIEW_EFFECT_RELOAD;
    const double wait = loads_files ? fmax(delay, reload_delay) : delay;
    editor->ui->is_event_handled = true;

    // The new value replaces the delayed value of the same option. Delayed values of other options
    // are due now, because the user has stopped typing them.
    const view_delayed_value *const replaced = find_delayed(card, editor->option);
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
    for (size_t i = 0; i < card->num_delayed; i++)
        if (card->delayed[i].due <= uptime)
            return remove_delayed(card, i);
    return (view_command){.action = VIEW_NOTHING};
}

// == Parts of editors =============================================================================

// Draws the reset button at the right of a row and handles its input. It is invisible if
// `is_default` is true, because the value is the default. Returns true if the button was pressed.
static bool run_reset_button(const option_editor *editor, view_rect row, bool is_default)
{
    const view_rect sign = {row.x + row.width, row.y, row.height, row.height};
    const bool is_pressed = ui_item(editor->ui, sign, is_default ? "" : "reset");
    if (is_default)
        return false;
    ui_text_in(editor->ui, sign, ui_is_hot(editor->ui) ? VIEW_BRIGHT : VIEW_ACCENT, "\xE2\x86\xBA");
    return is_pressed;
}

// Draws a row with a name. Returns the area of its editor, as high as a text field.
static view_rect name_space(const option_editor *editor)
{
    view_rect rest;
    const view_rect row = ui_next_row(editor->ui, editor->name, editor->color, &rest);
    ui_item(editor->ui, row, editor->name);
    return view_inset(rest, editor->ui->scale);
}

// Draws the text field of a value and handles its input. It displays `value` until the user
// edits it. Then it displays card->typed, the text of the edited field. `hint` is the
// placeholder. Returns true if card->typed has changed.
static bool type_value(const option_editor *editor, view_rect box, const char *hint,
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

// == Numbers ======================================================================================

enum { NUMBER_TEXT = 64 };

// Rounds a number to `digits` significant decimal digits. For example, three steps of 0.05 result
// in 0.15 and not in 0.15000000000000002.
static double round_digits(double number, int digits)
{
    if (number == 0 || !isfinite(number))
        return number;
    const int exponent = digits - 1 - (int)floor(log10(fabs(number)));
    const double scale = pow(10, abs(exponent));
    // Negative powers of 10 are not exact in binary. Therefore the scale is always a positive
    // power.
    return exponent >= 0 ? round(number * scale) / scale : round(number / scale) * scale;
}

// Returns true if the range of a number is too wide for a linear slider. Its scale is then linear
// near 0 and logarithmic for large values (asinh), so that small values can also be set precisely.
static bool has_curved_scale(const option_editor *editor)
{
    const double max_linear_range = 1000;
    return editor->high - editor->low >= max_linear_range;
}

// Returns the value of a number at which the linear part of a curved scale ends.
static double linear_scale_end(const option_editor *editor)
{
    return editor->option->kind == COMMON_COUNT ? 1 : 0.1;
}

// Converts a number to its position on the slider.
static double slider_from_number(const option_editor *editor, double number)
{
    return has_curved_scale(editor) ? asinh(number / linear_scale_end(editor)) : number;
}

// Converts a position on the slider to a number; the inverse of slider_from_number().
static double number_from_slider(const option_editor *editor, double position)
{
    return has_curved_scale(editor) ? linear_scale_end(editor) * sinh(position) : position;
}

// Parses a typed number, which may have a unit. Frames ("12f") are converted to seconds by the
// frame rate of the clip. Percentages ("50 %") are relative to the default. If the default is 0,
// they are relative to the maximum. Returns false if the text is not a number or has another unit.
static bool read_number(const option_editor *editor, const char *text, double *number)
{
    char *end;
    const double parsed = strtod(text, &end);
    if (end == text)
        return false;
    *number = parsed;
    if (*end == '\0')
        return true;

    const md5_anim *const anim = view_timing_anim(&editor->stage->document->scene);
    const double frame_rate = anim != NULL ? anim->frame_rate : (double)VIEW_STEPS_PER_SECOND;
    const double hundred_percent =
        editor->default_number != 0 ? editor->default_number : editor->high; // 100 %
    const char unit = *end == ' ' ? end[1] : *end;
    const bool is_in_seconds = editor->unit[0] == 's';
    double converted = parsed;
    if (unit == '%')
        converted = parsed * (hundred_percent / 100);
    else if (unit == 'f' && is_in_seconds)
        converted = parsed / frame_rate;
    else if (unit != editor->unit[0])
        return false;
    *number = round_digits(converted, 9);
    return true;
}

// Returns the step by which arrow keys change a number. The slider also rounds the number to this
// step.
static double number_step(const option_editor *editor)
{
    const double span = editor->high - editor->low;
    if (editor->option->kind == COMMON_COUNT || span > 100)
        return 1;
    return span > 10 ? 0.5 : 0.05;
}

// The numbers of numbers_row() while their text fields are drawn and handled from left to right.
typedef struct number_fields {
    int count;
    const double *current; // [count] current numbers, or NULL if the value is not set
    double first;          // first number, or the default
    common_value edited;   // the numbers after typing
    int num_steps;         // by which the arrow keys have changed the number
    bool is_typed;         // a number was typed
} number_fields;

// Draws the name of a row. If the row has a single number, also draws its slider, unless the
// range is too wide or the row too narrow. Also handles its input. `field_left` is the left edge
// of the first text field. Returns the first number, which the slider may have changed.
static double number_slider(const option_editor *editor, const number_fields *fields,
                            float field_left)
{
    view_ui *const ui = editor->ui;
    const bool is_single = fields->count == 1;
    const bool is_narrow_range = editor->high - editor->low < max_slider_range;
    const float min_field_left = ui->space.x + ui->label_width + min_slider_width * ui->em;
    if (!is_single || !is_narrow_range || field_left <= min_field_left) {
        name_space(editor);
        return fields->first;
    }

    const double number = fmin(fmax(fields->first, editor->low), editor->high);
    float position = (float)slider_from_number(editor, number);
    const float low = (float)slider_from_number(editor, editor->low);
    const float high = (float)slider_from_number(editor, editor->high);
    if (!ui_slider(ui, editor->name, editor->color, NULL, 0, low, high, NULL, &position))
        return fields->first;
    const double step = number_step(editor);
    return round(number_from_slider(editor, (double)position) / step) * step;
}

// Sets number `index` from card->typed, the text of its field. An empty field means 0. If the
// option is a single number, it means the default. If the text is not a number, it becomes the
// value of the option. The option rejects it unless it contains all numbers, for example "6x4".
static void use_typed_number(const option_editor *editor, number_fields *fields, int index)
{
    const char *const typed = editor->card->typed;
    const bool is_empty = typed[0] == '\0';
    double *const number = &fields->edited.numbers[index];
    fields->is_typed = true;
    if (is_empty)
        *number = 0;
    if (is_empty && fields->count == 1)
        fields->edited.type = COMMON_VALUE_DEFAULT;
    else if (!is_empty && !read_number(editor, typed, number))
        fields->edited = common_text_value(typed);
}

// Draws the text fields of the numbers, from `box` to the right. Also handles their input. Sets
// fields->edited to the numbers in the fields. Returns the right edge of the fields.
static float type_numbers(const option_editor *editor, number_fields *fields, view_rect box)
{
    view_ui *const ui = editor->ui;
    // The field of a number below the minimum is empty, because such a number means "automatic".
    const bool is_shown = fields->current != NULL && fields->first >= editor->low;
    fields->edited = (common_value){.type = COMMON_VALUE_NUMBERS};
    for (int i = 0; i < fields->count && is_shown; i++)
        fields->edited.numbers[i] = fields->current[i];

    view_rect field = box;
    for (int i = 0; i < fields->count; i++) {
        char number[NUMBER_TEXT] = "";
        if (is_shown)
            snprintf(number, sizeof number, "%.7g", fields->current[i]);
        const char *const placeholder = i == 0 ? placeholder_text(editor->option) : "";
        if (type_value(editor, field, placeholder, number))
            use_typed_number(editor, fields, i);
        if (ui_is_focused(ui) && fields->count == 1) {
            fields->num_steps += ui_key(ui, VIEW_KEY_UP);
            fields->num_steps -= ui_key(ui, VIEW_KEY_DOWN);
        }
        field.x += field_step * ui->em;
    }
    return field.x;
}

// Draws an editor of `count` numbers and handles its input. It has text fields, arrow keys and,
// for a single number, a slider. `current` contains the current numbers, or is NULL if none are
// set. Returns true if the numbers have changed. `edited` is then their new value, or a text if the
// typed text is not a number.
static bool numbers_row(const option_editor *editor, int count, const double *current,
                        common_value *edited)
{
    view_ui *const ui = editor->ui;
    const float em = ui->em;
    const view_rect row = ui->space;
    const float unit_width = ui_text_width(ui, longest_unit) + unit_gap * em;
    ui->value_width = (float)count * field_step * em + unit_width;
    const view_rect first_field = {row.x + row.width - ui->value_width + 0.3f * em,
                                   row.y + 0.1f * em, field_width * em, row.height - 0.2f * em};

    // A long name may take space from the slider, but leaves at least 3 em for it.
    const float max_label_width =
        fminf(editor->card->label_width, row.width - ui->value_width - 3 * em);
    if (count == 1)
        ui->label_width = fmaxf(ui->label_width, max_label_width);

    number_fields fields = {.count = count,
                            .current = current,
                            .first = current != NULL ? current[0] : editor->default_number};
    double moved = number_slider(editor, &fields, first_field.x);
    if (ui_is_focused(ui)) { // the slider
        fields.num_steps += ui_key(ui, VIEW_KEY_RIGHT);
        fields.num_steps -= ui_key(ui, VIEW_KEY_LEFT);
    }
    const float unit_left = type_numbers(editor, &fields, first_field);
    ui_text(ui, unit_left, row.y + 0.35f * em, 0, VIEW_DIM, editor->unit);
    if (fields.num_steps != 0)
        moved =
            fmin(fmax(moved + fields.num_steps * number_step(editor), editor->low), editor->high);

    // A number that was typed has priority over the slider and the arrow keys.
    const bool is_moved = moved != fields.first;
    if (is_moved && !fields.is_typed) {
        editor->card->typing = 0;
        fields.edited.numbers[0] = round_digits(moved, 9);
    }
    *edited = fields.edited;
    return fields.is_typed || is_moved;
}

// Fills the range, unit, default and color of a material parameter. Materials of games can read
// these numbers. A parameter is dim if no material of the model reads it.
static void describe_parm(option_editor *editor, int index, float value)
{
    const view_parm_range *const parm = &view_parm_ranges[index];
    editor->name = parm->name;
    editor->unit = index == VIEW_PARM_TIME ? "s" : "";
    editor->low = 0;
    editor->default_number = parm->default_value;

    // The time increases without a limit. A value above the range extends the range by whole
    // multiples, so that the slider remains usable.
    const float num_ranges = ceilf(fminf(value, 1e6f) / parm->high);
    editor->high = parm->high * fmaxf(num_ranges, 1);

    const uint64_t read_parms = editor->stage->document->textures.layers.read;
    const bool is_read = (read_parms >> index & 1) != 0;
    editor->color = is_read ? VIEW_BRIGHT : VIEW_DIM;
}

// Fills the range, unit, default and color of a value of the lights.
static void describe_light(option_editor *editor, int index)
{
    const view_light_range *const light = &view_light_ranges[index];
    editor->name = light->label;
    editor->unit = light->default_value == 0 ? "\xC2\xB0" : "";
    editor->low = light->low;
    editor->high = light->high;
    editor->default_number = light->default_value;
    editor->color = VIEW_BRIGHT;
}

// Draws an editor of one number in the next row, with a reset button that sets the number to
// `reset`. Also handles its input. The button is visible unless `is_default` is true. If `has_max`
// is false, the number may be above the maximum. Returns true if the user has changed the number
// to a valid one, and sets `value` to it.
static bool number_editor(option_editor *editor, double current, bool has_max, bool is_default,
                          double reset, double *value)
{
    common_value edited;
    ui_begin_row(editor->ui);
    const view_rect row = editor->ui->space;
    const bool is_changed = numbers_row(editor, 1, &current, &edited);
    if (run_reset_button(editor, row, is_default)) {
        editor->ui->held = editor->ui->item.panel;
        *value = reset;
        return true;
    }

    *value = edited.numbers[0];
    const bool is_number = edited.type == COMMON_VALUE_NUMBERS;
    const bool is_in_range = *value >= editor->low && (!has_max || *value <= editor->high);
    return is_changed && is_number && is_in_range;
}

// Draws the row of the time of materials, which advances during playback. Also handles its
// input. An edit changes the difference between this time and the time of the clip.
static void material_time_row(option_editor *editor)
{
    const view_stage *const stage = editor->stage;
    const float time = view_material_time(stage->parms, stage->play->time);
    describe_parm(editor, VIEW_PARM_TIME, time);
    const bool is_default = stage->parms->ahead == view_parm_ranges[VIEW_PARM_TIME].default_value;
    const double reset = editor->default_number + stage->play->time;

    // The displayed time has only two decimals, because it changes in each frame.
    const double displayed = round(100 * (double)time) / 100;
    double edited;
    if (number_editor(editor, displayed, false, is_default, reset, &edited))
        view_set_parm(stage->parms, VIEW_PARM_TIME, (float)edited, stage->play->time);
}

// Displays an editor for the time of materials and for each material parameter, and stores the
// values that the user changes.
static void edit_parms(option_editor *editor)
{
    const view_stage *const stage = editor->stage;
    for (int i = 0; i < (int)VIEW_NUM_PARM_ROWS; i++) {
        if (i == VIEW_PARM_TIME) {
            material_time_row(editor);
            continue;
        }
        const float value = view_parm_value(stage, i);
        describe_parm(editor, i, value);
        double edited;
        if (number_editor(editor, round_digits((double)value, 7), false,
                          value == editor->default_number, editor->default_number, &edited))
            view_set_parm(stage->parms, i, (float)edited, stage->play->time);
    }
}

// Draws a row for each value of the lights, such as the direction of the main light. Also
// handles its input.
static void edit_lights(option_editor *editor)
{
    for (int i = 0; i < (int)VIEW_NUM_LIGHTS; i++) {
        describe_light(editor, i);
        const float value = editor->stage->lights->values[i];
        double edited;
        if (number_editor(editor, round_digits((double)value, 7), true,
                          value == editor->default_number, editor->default_number, &edited))
            editor->stage->lights->values[i] = (float)edited;
    }
}

// == Choices, names and files =====================================================================

// Returns the kind of list from which the user selects a value of an option, or VIEW_LIST_NONE.
static view_menu_list value_list(const option_editor *editor)
{
    const int kind = editor->option->kind;
    const int names = (int)editor->option->names;
    if (kind == COMMON_EITHER || kind == COMMON_CHOICE)
        return VIEW_LIST_WORDS;
    if (names == VIEW_NAMES_CLIP)
        return VIEW_LIST_CLIPS;
    if (names == VIEW_NAMES_MESH || view_is_texture(editor->option))
        return VIEW_LIST_MESHES;
    if (names == VIEW_NAMES_JOINT || kind == COMMON_PAIR_TEXT)
        return VIEW_LIST_JOINTS;
    return VIEW_LIST_NONE;
}

// Finds a value by its index in an option's list of values. Writes its name to `name` and sets
// `value`. Returns false if the index is out of range. Callers increment the index until then.
static bool value_at(const option_editor *editor, size_t number, char name[128],
                     common_value *value)
{
    const md5_morph *const morph = editor->stage->document->morphs.morph;
    const bool are_morph_targets = editor->option->names == VIEW_NAMES_MORPH && morph != NULL;
    if (are_morph_targets && number < morph->num_targets) {
        snprintf(name, 128, "%s", morph->targets[number].name);
        *value = common_text_value(morph->targets[number].name);
        return true;
    }
    return view_list_item(editor->stage, value_list(editor), editor->option, number, name, value);
}

// Writes a value of a list in the form that the text of an option requires. This is the index of a
// mesh or clip, or a name.
static void print_listed_value(const option_editor *editor, const common_value *value,
                               char text[128])
{
    text[0] = '\0';
    if (value->type == COMMON_VALUE_NUMBERS) {
        snprintf(text, 128, "%.0f", value->numbers[0]);
        return;
    }
    char *const printed = view_print_value(editor->option, *value);
    snprintf(text, 128, "%s", printed);
    free(printed);
}

// Returns the number of vertices that each joint influences. The array has scene->num_joints
// elements, and the caller frees it. Vertices are counted as in the file, before they are split at
// seams.
static uint32_t *count_moved(const view_scene *scene)
{
    uint32_t *const counts = common_alloc((size_t)scene->num_joints + 1, sizeof *counts);
    for (uint32_t m = 0; m < view_count_meshes(scene); m++) {
        const md5_mesh *const mesh = &scene->model->meshes[m];
        const uint32_t end = mesh->first_influence[mesh->num_file_vertices];
        for (uint32_t i = 0; i < end; i++)
            counts[mesh->influence_joints[i]]++;
    }
    return counts;
}

// Writes the parent and the number of influenced vertices of a joint.
static void describe_joint(const md5_skeleton *skeleton, uint32_t joint, uint32_t num_vertices,
                           char text[192])
{
    const uint32_t parent = skeleton->joints[joint].parent;
    const char *const name = parent != MD5_NONE ? skeleton->joints[parent].name : "root";
    if (num_vertices > 0)
        snprintf(text, 192, "%s" VIEW_DOT "%u %s", name, num_vertices,
                 common_noun(num_vertices, "vertex", "vertices"));
    else
        snprintf(text, 192, "%s" VIEW_DOT "no vertices", name);
}

// Displays a value of a list in the next row. `info` is a text at the right. If there is no space
// for it, it becomes the tooltip. Returns true if the row was pressed.
static bool value_tile(view_ui *ui, const char *name, const char *info, bool is_selected)
{
    ui_begin_row(ui);
    const bool is_pressed = ui_tile(ui, ui->space, name, is_selected);
    const bool is_bright = is_selected || ui_is_hot(ui);
    ui_tooltip(ui, info);

    view_rect text = view_inset(ui->space, 0.5f * ui->em);
    text.y = ui_text_top(ui, ui->space);
    const view_color color = is_bright ? VIEW_BRIGHT : VIEW_PLAIN;
    const float name_width = ui_text(ui, text.x, text.y, text.width, color, name);
    if (ui_text_width(ui, info) + name_width < text.width - ui->em)
        ui_right_aligned_text(ui, text.x + text.width, text.y, VIEW_PLAIN, info);
    return is_pressed;
}

// Lists the values of an option whose names contain the search text `query`. A joint also displays
// its parent and its number of vertices. `chosen` is the text of the current value. A press selects
// a value, and Enter selects the first one. Returns true if a value was selected, and sets
// `selected` to it.
static bool list_values(const option_editor *editor, const char *query, const char *chosen,
                        common_value *selected)
{
    enum { MAX_VALUES = 100 };
    view_ui *const ui = editor->ui;
    const view_scene *const scene = &editor->stage->document->scene;
    const bool are_joints = value_list(editor) == VIEW_LIST_JOINTS;
    const bool selects_first = query[0] != '\0' && ui->mouse.key == VIEW_KEY_RETURN;
    uint32_t *const num_vertices = are_joints ? count_moved(scene) : NULL;
    char name[128];
    common_value value;
    int num_listed = 0;
    bool is_selected = false;
    for (size_t i = 0; num_listed < MAX_VALUES && value_at(editor, i, name, &value); i++) {
        if (!common_contains(name, query))
            continue;
        char info[192] = "";
        if (are_joints)
            describe_joint(scene->skeleton, (uint32_t)i, num_vertices[i], info);
        char text[128];
        print_listed_value(editor, &value, text);
        const bool is_pressed = value_tile(ui, name, info, strcmp(text, chosen) == 0);

        // Preview the value under the mouse. A joint is only marked in the image; other values are
        // set temporarily.
        if (are_joints && ui_is_hot(ui) && ui->mouse.is_moved)
            ui->selection.hovered_joint = (int32_t)i;
        ui_preview_option(ui, editor->option, value);

        const bool is_first = num_listed == 0;
        if (is_pressed || (selects_first && is_first)) {
            *selected = value;
            is_selected = true;
        }
        num_listed++;
    }
    free(num_vertices);
    return is_selected;
}

// The two parts of a value "A=B". If a value has no "=", its first part is empty.
typedef char value_parts[2][VIEW_TARGET_TEXT];

// Splits the first line of an option's text into its two parts. If the line is empty and the first
// part is the name of a joint, the selected joint becomes the first part. Returns the length of the
// line.
static size_t split_line(const option_editor *editor, const char *text, bool is_pair,
                         value_parts parts)
{
    const size_t length = strcspn(text, "\n");
    const size_t first_length = is_pair ? strcspn(text, "=\n") : 0;
    const bool has_separator = is_pair && text[first_length] == '=';
    const size_t second_start = first_length + has_separator;
    snprintf(parts[0], sizeof parts[0], "%.*s", (int)first_length, text);
    snprintf(parts[1], sizeof parts[1], "%.*s", (int)(length - second_start), text + second_start);

    const int32_t joint = editor->ui->selection.joint;
    const bool begins_with_joint = editor->option->kind == COMMON_PAIR_TEXT;
    if (length == 0 && begins_with_joint && joint >= 0)
        snprintf(parts[0], sizeof parts[0], "%s",
                 editor->stage->document->scene.skeleton->joints[joint].name);
    return length;
}

// Writes the label of one part of a pair. It comes from the help of the option. "JOINT=MODEL" gives
// the labels "Joint" and "Model". Brackets mark an optional part: "[MESH=]FILE" gives "Mesh" and
// "File".
static void write_part_label(const view_option *option, int part, char label[32])
{
    const char *const pair = option->value;
    const char *const second = pair + strcspn(pair, "=") + 1;
    const char *name = part == 0 ? pair : second;
    name += strspn(name, "[]");
    snprintf(label, 32, "%.*s", (int)strcspn(name, "=["), name);
    if (label[0] == '\0')
        return;
    for (char *at = label + 1; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
}

// One line of the text of an option while its editor is drawn and handled. Each line of an option
// with several values is one value.
typedef struct option_line {
    uint32_t index;
    bool is_pair;
    bool is_file;   // the last part is a file
    bool has_list;  // the first part is selected in a list
    bool has_focus; // a field of the line has the keyboard focus
    value_parts parts;
} option_line;

// Returns the index of the part of a line that the user selects in a list. This is the first part
// of a pair. Without a pair it is the whole value, which is stored as the second part.
static int listed_part(const option_line *line)
{
    return line->is_pair ? 0 : 1;
}

// Returns true if the list of values of a line is open.
static bool is_list_open(const option_editor *editor, const option_line *line)
{
    return editor->card->opened == editor->option && editor->card->line == line->index;
}

// Draws the text field of a part of a line and handles its input. The parts of a pair have a row
// each, with a label. If the values of the part are listed, typing filters the list. Sets
// `browse` to the space for a button after the field. Returns true if the part has changed.
static bool edit_part(const option_editor *editor, option_line *line, int part, view_rect *browse)
{
    view_ui *const ui = editor->ui;
    view_card *const card = editor->card;
    const bool is_name = line->is_pair && part == 0;
    const bool has_button = part == 1 && line->is_file;
    char label[32];
    option_editor row_editor = *editor;
    if (line->is_pair) {
        write_part_label(editor->option, part, label);
        row_editor.name = label;
        ui_begin_row(ui);
    }
    view_rect field = name_space(&row_editor);
    *browse = view_cut(&field, VIEW_AT_RIGHT, has_button ? browse_width * ui->em : 0);

    const bool has_list = line->has_list && part == listed_part(line);
    const char *const placeholder = is_name ? "name" : placeholder_text(editor->option);
    char *const text = line->parts[part];
    bool is_set = false;
    if (type_value(editor, field, placeholder, text)) {
        if (has_list) {
            COMMON_TEXT(card->filter, "%.63s", card->typed);
        } else {
            snprintf(text, VIEW_TARGET_TEXT, "%s", card->typed);
            is_set = true;
        }
    }
    ui_tooltip_if_wider(ui, text, field.width);

    const bool is_focused = ui_is_focused(ui);
    line->has_focus = line->has_focus || is_focused;
    const bool opens_list = is_focused && has_list && !is_list_open(editor, line);
    if (opens_list) {
        card->opened = editor->option;
        card->line = line->index;
        card->filter[0] = '\0';
    }
    return is_set;
}

// Requests the list of files for the file of a line. `before` and `after` are the texts of the
// option before and after the line.
static void browse_files(const option_editor *editor, const option_line *line, const char *before,
                         const char *after)
{
    // The text of the option, in which the file that the user selects will replace "\1".
    const char *const separator = line->is_pair ? "=" : "";
    char *const form = common_format("%s%s%s\1%s", before, line->parts[0], separator, after);
    const size_t option = (size_t)(editor->option - view_option_rows);
    UI_COMMAND(editor->ui, VIEW_FILES, .item = 1 + option, .path = form);
}

// Returns true if Enter was pressed in a line whose file is the only missing part. Enter then lists
// the files, as the button does, and does not close the card.
static bool is_file_requested(const option_editor *editor, const option_line *line)
{
    if (!line->is_file || !line->has_focus || line->parts[1][0] != '\0')
        return false;
    const bool needs_name = editor->option->kind == COMMON_PAIR_TEXT;
    if (needs_name && line->parts[0][0] == '\0')
        return false;
    return ui_key(editor->ui, VIEW_KEY_RETURN);
}

// Draws the list of values of a line if it is open, and handles its input. Returns true if a value
// was selected. The text of the line has then changed.
static bool select_in_list(const option_editor *editor, option_line *line)
{
    view_card *const card = editor->card;
    char *const listed = line->parts[listed_part(line)];
    common_value selected;
    if (!is_list_open(editor, line) || !list_values(editor, card->filter, listed, &selected))
        return false;
    card->opened = NULL;
    card->typing = 0;
    const bool is_text = editor->option->kind >= COMMON_TEXT;
    if (!is_text) {
        request_value(editor, selected, typing_delay);
        return false;
    }
    char text[128];
    print_listed_value(editor, &selected, text);
    snprintf(listed, sizeof line->parts[0], "%s", text);
    return true;
}

// Draws the editor of a line: its text fields, the button that lists files, and the list of
// values. Also handles its input. `before` and `after` are the texts of the option before and
// after the line. Returns true if the line has changed.
static bool edit_line(const option_editor *editor, option_line *line, const char *before,
                      const char *after)
{
    view_ui *const ui = editor->ui;
    view_rect browse;
    line->has_focus = false;
    bool has_changed = line->is_pair && edit_part(editor, line, 0, &browse);
    has_changed = edit_part(editor, line, 1, &browse) || has_changed;

    if (line->is_file && ui_button(ui, browse, "Browse\xE2\x80\xA6", false))
        browse_files(editor, line, before, after);
    has_changed = select_in_list(editor, line) || has_changed;
    if (is_file_requested(editor, line)) {
        browse_files(editor, line, before, after);
        return false; // the command contains the other parts of the line
    }
    return has_changed;
}

// Returns the first line of an option, without its text, to be freed.
static option_line *describe_lines(const option_editor *editor)
{
    const view_option *const option = editor->option;
    option_line *const line = common_alloc(1, sizeof *line);
    char name[128];
    common_value value;
    line->is_pair = option->value != NULL && strchr(option->value, '=') != NULL;
    line->is_file = option->names > 0 && option->names <= VIEW_NAMES_PICTURE;
    line->has_list = value_at(editor, 0, name, &value);
    return line;
}

// Appends an edited line and a separator to `text`, the new text of the option. An empty line is
// skipped, so that clearing a line removes its value.
static void append_line(char **text, const option_line *line, const char *separator)
{
    const char *const first = line->parts[0];
    const char *const second = line->parts[1];
    if (first[0] == '\0' && second[0] == '\0')
        return;
    const char *const equals = first[0] != '\0' ? "=" : "";
    common_extend(text, "%s%s%s%s", first, equals, second, separator);
}

// Converts a typed text to a value of the option. An empty text means the default. If the text
// cannot be parsed, returns it as a text, which the option rejects with an error message.
static common_value parse_typed(const view_option *option, const char *text)
{
    common_value value;
    if (option->kind >= COMMON_TEXT)
        return common_text_value(text);
    if (text[0] == '\0')
        return (common_value){.type = COMMON_VALUE_DEFAULT};
    return view_parse_value(option, text, &value) ? value : common_text_value(text);
}

// Returns the text of the current value, to be freed.
static char *current_text(const option_editor *editor)
{
    if (editor->current.type != COMMON_VALUE_NONE)
        return view_print_value(editor->option, editor->current);
    char *const text = view_write_option(editor->option, editor->stage->options);
    return text != NULL ? text : common_copy("");
}

// Draws the editor of a text and handles its input. An option with several values has a row for
// each value, and an empty row to add a value. A value of the form "A=B" has two rows with
// labels. Names are selected in a list below the row, and files in the list of files.
static void edit_lines(const option_editor *editor)
{
    const bool is_many =
        editor->option->kind == COMMON_TEXTS || editor->option->kind > VIEW_OPTION_TIMES;
    const char *const separator = is_many ? "\n" : "";
    option_line *const line = describe_lines(editor);
    option_editor row_editor = *editor;
    if (line->is_pair)
        (void)name_space(editor); // a heading above the rows of the parts

    // The text has a line for each value. Each line is edited separately, and the edited lines form
    // the new text. An option with several values has one more line, which is empty: typing there
    // adds a value.
    char *const text = current_text(editor);
    char *edited = common_copy("");
    const char *remaining = text;
    bool has_changed = false;
    bool is_complete = true; // each line with a name has a value
    bool has_more = true;
    while (has_more) {
        const size_t length = split_line(editor, remaining, line->is_pair, line->parts);
        const bool has_line_end = remaining[length] != '\0';
        remaining += length + has_line_end;
        has_more = is_many && length > 0;
        if (line->index > 0 && !line->is_pair)
            ui_begin_row(editor->ui);

        char *const after = common_format("%s%s", separator, remaining);
        has_changed = edit_line(&row_editor, line, edited, after) || has_changed;
        free(after);
        append_line(&edited, line, separator);
        is_complete = is_complete && (line->parts[0][0] == '\0' || line->parts[1][0] != '\0');
        line->index++;
        row_editor.name = ""; // only the first row has the name
    }

    // An incomplete value would be an error. It is set only when another option is changed or the
    // card is closed.
    const double delay = is_complete ? typing_delay : INFINITY;
    if (has_changed)
        request_value(editor, parse_typed(editor->option, edited), delay);
    free(edited);
    free(text);
    free(line);
}

// Converts hue, saturation and value, each 0 to 1, to an opaque color.
static view_color hsv_color(float hue, float saturation, float value)
{
    view_color color = 0xFF; // alpha
    for (int channel = 0; channel < 3; channel++) {
        // At hue 0 red is 1, at 1/3 green, and at 2/3 blue. From there, a channel remains 1 for one
        // sextant in both directions and then decreases to 0.
        const float sextant = fmodf(6 * hue + (float)(6 - 2 * channel), 6);
        const float pure = view_clamp(fabsf(sextant - 3) - 1, 0, 1);
        const float intensity = value * (1 - saturation + saturation * pure);
        color |= (view_color)(255 * intensity + 0.5f) << (24 - 8 * channel);
    }
    return color;
}

// A color as hue, saturation and value, each 0 to 1.
typedef struct hsv {
    float hue;
    float saturation;
    float value;
} hsv;

// Returns the hue of a color that is not gray, -1/6 to 5/6, where a whole turn is 1. `high` is the
// largest channel, and `span` is its difference to the smallest channel.
static float color_hue(const float rgb[3], float high, float span)
{
    if (high == rgb[0])
        return (rgb[1] - rgb[2]) / span / 6;
    if (high == rgb[1])
        return ((rgb[2] - rgb[0]) / span + 2) / 6;
    return ((rgb[0] - rgb[1]) / span + 4) / 6;
}

// Draws a square and a bar to choose a color, with a marker of the color in both. In the square,
// saturation increases to the right and brightness increases upward. The bar contains the hues.
static void draw_color_field(view_ui *ui, view_rect square, view_rect bar, const hsv *color)
{
    enum { STEPS = 48 };
    for (int i = 0; i < STEPS; i++) {
        const float part = (float)i / (float)STEPS;
        const view_rect column = {square.x + part * square.width, square.y,
                                  square.width / (float)STEPS, square.height};
        const view_rect row = {bar.x, bar.y + part * bar.height, bar.width,
                               bar.height / (float)STEPS};
        view_draw_gradient(ui->canvas, column, hsv_color(color->hue, part, 1), 0x000000FF);
        view_draw_rect(ui->canvas, row, hsv_color(part, 1, 1));
    }

    view_draw_disc(ui->canvas, square.x + color->saturation * square.width,
                   square.y + (1 - color->value) * square.height, 0.5f * ui->em, VIEW_BRIGHT);
    view_draw_rect(ui->canvas, (view_rect){bar.x, bar.y + color->hue * bar.height, bar.width, 2},
                   VIEW_BRIGHT);
}

// Draws a row of predefined colors and a button, and handles their input. After a press on the
// button, a click in the 3D view selects a color. Returns true if a predefined color was
// pressed, and sets `color` to it.
static bool swatches_row(view_ui *ui, view_card *card, float left, view_color *color)
{
    enum { NUM_SWATCHES = 8 };
    static const view_color swatches[NUM_SWATCHES] = {0x3A424DFF, 0x16181CFF, 0xFFFFFFFF,
                                                      0x808080FF, 0x7A8F6AFF, 0x6A809AFF,
                                                      0x00B140FF, 0x0047BBFF};
    const float em = ui->em;
    const float step = 2.4f * em;
    view_rect row;
    ui_reserve_row(ui, 2 * em, &row);
    view_rect box = {left, row.y, 2 * em, 1.5f * em};
    bool is_set = false;
    for (int i = 0; i < NUM_SWATCHES; i++) {
        view_draw_round_rect(ui->canvas, box, 3, swatches[i]);
        char name[8];
        COMMON_TEXT(name, "#%06x", swatches[i] >> 8); // without alpha
        if (ui_item(ui, box, name)) {
            *color = swatches[i];
            is_set = true;
        }
        box.x += step;
    }

    // The button "Pick" follows the swatches.
    box.width = 6 * em;
    if (ui_button(ui, box, "\xE2\x97\x8E Pick", card->picks_color))
        card->picks_color = !card->picks_color;
    ui_tooltip(ui, "Then click a color in the viewport");
    return is_set;
}

// Draws a row of numbers for the channels of a color, 0 to 255. Also handles its input. Returns
// true if a channel has changed, and sets `color`.
static bool channels_row(const option_editor *editor, const float rgb[3], view_color *color)
{
    double current[3];
    common_value edited;
    for (int i = 0; i < 3; i++)
        current[i] = rint(255 * (double)rgb[i]);
    option_editor numbers = *editor;
    numbers.name = "R G B";
    numbers.high = 255;
    ui_begin_row(editor->ui);
    if (!numbers_row(&numbers, 3, current, &edited) || edited.type != COMMON_VALUE_NUMBERS)
        return false;

    unsigned channels[3];
    for (int i = 0; i < 3; i++)
        channels[i] = (unsigned)fmin(fmax(edited.numbers[i], 0), 255);
    *color = channels[0] << 24 | channels[1] << 16 | channels[2] << 8;
    return true;
}

// Converts a color with channels from 0 to 1 to HSV. Gray has no hue. It gets the hue that the card
// has displayed last, so that the marker does not jump.
static hsv hsv_from_rgb(view_card *card, const float rgb[3])
{
    const float high = fmaxf(fmaxf(rgb[0], rgb[1]), rgb[2]);
    const float low = fminf(fminf(rgb[0], rgb[1]), rgb[2]);
    const float span = high - low;
    if (span > 0)
        card->hue = color_hue(rgb, high, span);
    return (hsv){.hue = card->hue - floorf(card->hue),
                 .saturation = high > 0 ? span / high : 0,
                 .value = high};
}

// Draws the square of saturation and brightness and the bar of hues in the next row. Also
// handles their input. Returns true if `color` has changed.
static bool run_color_field(view_ui *ui, view_card *card, hsv *color)
{
    const float em = ui->em;
    view_rect row;
    ui_reserve_row(ui, 10 * em, &row);
    const view_rect square = {row.x + UI_PADDING * em, row.y, row.width - 4 * em, 9.5f * em};
    const view_rect bar = {square.x + square.width + em, row.y, 1.5f * em, square.height};
    draw_color_field(ui, square, bar, color);

    bool is_set = false;
    float part;
    if (ui_drag(ui, ui_item(ui, square, "square"), square, &part)) {
        color->saturation = part;
        color->value = view_clamp(1 - (ui->mouse.y - square.y) / square.height, 0, 1);
        is_set = true;
    }
    if (ui_drag(ui, ui_item(ui, bar, "hue"), bar, &part)) {
        color->hue = view_clamp((ui->mouse.y - bar.y) / bar.height, 0, 1);
        card->hue = color->hue;
        is_set = true;
    }
    return is_set;
}

// Converts a color to the value of an option: three channels, 0 to 1.
static common_value color_value(view_color color)
{
    common_value value = {.type = COMMON_VALUE_NUMBERS};
    for (int i = 0; i < 3; i++)
        value.numbers[i] = (color >> (24 - 8 * i) & 255) / 255.0;
    return value;
}

// Draws the editor of a color: a square of saturation and brightness, a bar of hues, swatches,
// and the channels as numbers. Also handles its input.
static void color_picker(option_editor *editor)
{
    view_ui *const ui = editor->ui;
    const bool has_color = editor->current.type == COMMON_VALUE_NUMBERS;
    float rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = has_color ? (float)editor->current.numbers[i] : 0.5f;

    // The user can change the color in the square and the bar, in the swatches, or in the channels.
    // `edited` is the color of the part that has changed.
    hsv color = hsv_from_rgb(editor->card, rgb);
    bool has_changed = run_color_field(ui, editor->card, &color);
    view_color edited = hsv_color(color.hue, color.saturation, color.value);
    const float left = ui->column->area.x + UI_PADDING * ui->em;
    has_changed = swatches_row(ui, editor->card, left, &edited) || has_changed;
    has_changed = channels_row(editor, rgb, &edited) || has_changed;
    if (!has_changed)
        return;

    if (ui->active.panel != NULL)
        ui->held = ui->active.panel; // until the mouse button is released
    request_value(editor, color_value(edited), 0);
}

// Draws a segmented control for an option with at most four values and handles its input. The
// control is at the right of the name. If it does not fit there, it is below the name. Returns
// false and draws nothing if there are more values or if the control is wider than the row.
static bool edit_by_segments(const option_editor *editor)
{
    enum { MAX_SEGMENTS = 4 };
    view_ui *const ui = editor->ui;
    char names[MAX_SEGMENTS + 1][128];
    common_value values[MAX_SEGMENTS + 1];
    const char *labels[MAX_SEGMENTS + 1];
    uint32_t count = 0; // MAX_SEGMENTS + 1: too many values
    uint32_t choice = UINT32_MAX;
    float segment_width = 0;
    while (count <= MAX_SEGMENTS && value_at(editor, count, names[count], &values[count])) {
        labels[count] = names[count];
        segment_width = fmaxf(segment_width, ui_text_width(ui, labels[count]) + ui->em);
        if (common_are_values_equal(&values[count], &editor->current))
            choice = count;
        count++;
    }
    const float width = segment_width * (float)count;
    if (count > MAX_SEGMENTS || width > ui->space.width)
        return false;

    view_rect rect = name_space(editor);
    if (width > rect.width) {
        ui_begin_row(editor->ui); // below the name
        rect = ui->space;
    }
    rect.width = width;
    if (ui_segment(ui, rect, labels, count, &choice))
        request_value(editor, values[choice], 0);
    return true;
}

// == A row ========================================================================================

// Returns the number of numbers in the value of an option. Returns 0 if the value is not edited as
// numbers. A color and the index of a clip have their own editors.
static int count_numbers(const view_option *option)
{
    if (option->kind == COMMON_COLOR || option->names == VIEW_NAMES_CLIP)
        return 0;
    return common_count_numbers(option->kind);
}

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
        for (char *at = label; *at != '\0'; at++)
            if (*at == '-')
                *at = ' ';
    } else {
        snprintf(label, 64, "%s", view_get_label(command));
    }

    const size_t length = strlen(label);
    const bool ends_in_ellipsis =
        length >= ellipsis_length && strcmp(label + length - ellipsis_length, ellipsis) == 0;
    if (ends_in_ellipsis)
        label[length - ellipsis_length] = '\0';
}

// Returns true if all numbers of a value are in the range of the option. A value that does not
// consist of numbers is always in range.
static bool are_in_range(const option_editor *editor, const common_value *value)
{
    if (value->type != COMMON_VALUE_NUMBERS)
        return true;
    const int count = common_count_numbers(editor->option->kind);
    for (int i = 0; i < count; i++)
        if (value->numbers[i] < editor->low || value->numbers[i] > editor->high)
            return false;
    return true;
}

// Draws the editor of a value that consists of numbers. Also handles its input.
static void edit_numbers(option_editor *editor)
{
    const bool is_set = editor->current.type == COMMON_VALUE_NUMBERS;
    common_value edited;
    if (!numbers_row(editor, count_numbers(editor->option), is_set ? editor->current.numbers : NULL,
                     &edited))
        return;
    const bool is_typed = editor->card->typing != 0;
    // An error message must contain the number as the user has typed it.
    if (is_typed && !are_in_range(editor, &edited))
        edited = common_text_value(editor->card->typed);
    request_value(editor, edited, is_typed ? typing_delay : 0);
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
            request_value(editor, common_choice_value(!is_on), 0);
    } else if (count_numbers(editor->option) > 0) {
        edit_numbers(editor);
    } else if (kind > COMMON_CHOICE || !edit_by_segments(editor)) {
        edit_lines(editor);
    }

    if (run_reset_button(editor, row, is_default))
        request_value(editor, (common_value){.type = COMMON_VALUE_DEFAULT}, 0);
    if (kind == COMMON_COLOR && ui->over == VIEW_OVERLAY_CARD)
        color_picker(editor);
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
                            .unit = unit_text(option),
                            .current = view_get_value(option, ui->stage->options),
                            .low = option->low,
                            .high = option->high,
                            .default_number = default_value.numbers[0]};
    bool is_default = view_is_default(option, ui->stage->options);

    // If a delayed value could not be parsed, it is a text, although the option is not a text. Only
    // the field in which it was typed displays it.
    const view_delayed_value *const delayed = find_delayed(card, option);
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
        edit_lights(&editor);
    else if (option->kind == VIEW_OPTION_PARM)
        edit_parms(&editor);
    else
        run_editor(&editor, is_default);
    if (card->wrong == option)
        ui_column_text(ui, VIEW_WRONG, card->problem);
    return ui->is_event_handled && !was_handled;
}

// == The card =====================================================================================

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
        return view_set_command(option, color_value(*color));
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

    const int pressed = ui_buttons(ui, &footer, labels, NUM_BUTTONS, DONE, true);
    ui_text(ui, footer.x, footer.y + 0.3f * em, fmaxf(footer.width, 1), VIEW_DIM, "Esc cancels");
    // If an item has used Enter, for example the button that lists files, the card remains open.
    const bool is_enter = ui->mouse.key == VIEW_KEY_RETURN && !ui->is_event_handled;
    const bool is_done = is_closed || pressed == DONE || is_enter;
    if (pressed == RESET || is_escape)
        UI_COMMAND(ui, VIEW_REVERT_CARD, .number = !is_escape); // 1: set the defaults
    else if (is_done)
        finish_card(ui, card);
}

// == The settings =================================================================================

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

    const bool is_done = ui_buttons(ui, &foot, done, 1, 0, true) == 0;
    const bool is_closed = is_done || ui_key(ui, VIEW_KEY_RETURN) || ui_key(ui, VIEW_KEY_ESCAPE);
    if (!is_closed)
        return;
    card->query[0] = '\0';
    ui_open_overlay(ui, VIEW_OVERLAY_NONE);
    if (shows_only_keys)
        UI_COMMAND(ui, view_get_toggle(VIEW_OPTION(shown.help)));
}
