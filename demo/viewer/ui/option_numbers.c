// Editors of options that consist of numbers: text fields, a slider and arrow keys. The lights and
// the parameters of materials have a row for each number.
#include "demo/viewer/ui/option_editor.h"

// Sizes in em, the height of the text.
static const float field_width = 4.4f; // text field of a number
static const float field_step = 4.7f;  // from a field to the next field
static const float unit_gap = 0.4f;    // before and after the unit that follows the numbers
static const float min_slider_width = 2;

static const double max_slider_range = 1e6; // a number with a wider range has no slider

// The longest unit. Every number leaves space for it, so that the fields of all rows are aligned.
static const char longest_unit[] = "units";

const char *view_unit_text(const view_option *option)
{
    static const char *const units[][2] = {{"PIXELS", "px"},
                                           {"DEG", "\xC2\xB0"},
                                           {"UNITS", longest_unit},
                                           {"X,Y,Z", longest_unit},
                                           {"SECONDS", "s"}};
    if (option->value == NULL)
        return "";
    for (size_t i = 0; i < COMMON_LENGTH(units); i++) {
        if (strcmp(option->value, units[i][0]) == 0)
            return units[i][1];
    }
    return "";
}

// == A row of numbers =============================================================================

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

// Returns the number up to which a curved scale is about linear: the unit of its logarithm.
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

// The numbers of view_numbers_row() while their text fields are drawn and handled from left to
// right.
typedef struct number_fields {
    int count;
    const double *current; // [count] current numbers, or NULL if the value is not set
    double first;          // first number, or the default
    common_value edited;   // the numbers after typing
    int num_steps;         // number of steps by which the arrow keys have changed the number
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
        view_name_row(editor);
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
    if (is_shown) {
        for (int i = 0; i < fields->count; i++)
            fields->edited.numbers[i] = fields->current[i];
    }

    view_rect field = box;
    for (int i = 0; i < fields->count; i++) {
        char number[NUMBER_TEXT] = "";
        if (is_shown)
            snprintf(number, sizeof number, "%.7g", fields->current[i]);
        const char *const placeholder = i == 0 ? view_placeholder_text(editor->option) : "";
        if (view_type_value(editor, field, placeholder, number))
            use_typed_number(editor, fields, i);
        if (ui_is_focused(ui) && fields->count == 1) {
            fields->num_steps += ui_key(ui, VIEW_KEY_UP);
            fields->num_steps -= ui_key(ui, VIEW_KEY_DOWN);
        }
        field.x += field_step * ui->em;
    }
    return field.x;
}

bool view_numbers_row(const option_editor *editor, int count, const double *current,
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
    const bool is_changed = view_numbers_row(editor, 1, &current, &edited);
    if (view_run_reset_button(editor, row, is_default)) {
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

void view_edit_parms(option_editor *editor)
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

void view_edit_lights(option_editor *editor)
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

// == Options of one or more numbers ===============================================================

int view_count_option_numbers(const view_option *option)
{
    if (option->kind == COMMON_COLOR || option->names == VIEW_NAMES_CLIP)
        return 0;
    return common_count_numbers(option->kind);
}

// Returns true if all numbers of a value are in the range of the option. A value that does not
// consist of numbers is always in range.
static bool are_in_range(const option_editor *editor, const common_value *value)
{
    if (value->type != COMMON_VALUE_NUMBERS)
        return true;
    const int count = common_count_numbers(editor->option->kind);
    for (int i = 0; i < count; i++) {
        if (value->numbers[i] < editor->low || value->numbers[i] > editor->high)
            return false;
    }
    return true;
}

void view_edit_numbers(option_editor *editor)
{
    const bool is_set = editor->current.type == COMMON_VALUE_NUMBERS;
    common_value edited;
    if (!view_numbers_row(editor, view_count_option_numbers(editor->option),
                          is_set ? editor->current.numbers : NULL, &edited))
        return;
    const bool is_typed = editor->card->typing != 0;
    // An error message must contain the number as the user has typed it.
    if (is_typed && !are_in_range(editor, &edited))
        edited = common_text_value(editor->card->typed);
    view_request_value(editor, edited, is_typed ? VIEW_TYPING_DELAY : 0);
}
