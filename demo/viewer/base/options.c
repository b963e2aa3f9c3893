// Reads and writes the values of options: single values, command lines and stored settings. The
// table of options is in option_table.c.
//
// Terms: The kind of an option (common_kind) determines the type of its value. The field of
// an option is the member of view_options that contains the value. A repeated option can be given
// several times; its value is a list.
#include "demo/viewer/base/options.h"

#include "demo/common/game_folder.h"

#include "demo/viewer/base/font.h"
#include "demo/viewer/base/removed.h"

#include <assert.h>
#include <float.h>

// == Finding options ==============================================================================

static const view_option *const table = view_option_rows;

// Returns the option whose name has these `length` bytes, or NULL. The name is not terminated by
// a zero, because it is often followed by "=VALUE".
const view_option *view_find_option(const char *name, size_t length)
{
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const option = &table[i];
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
            return option;
    }
    return NULL;
}

// Returns the option that sets the field at an offset in view_options. Menu entries and panels
// identify an option by the offset of its field. In contrast to a name, the compiler checks it.
const view_option *view_get_field_option(size_t offset)
{
    for (size_t i = 0; i < view_num_options; i++) {
        if (table[i].offset == offset)
            return &table[i];
    }
    assert(false); // each caller names the field of an option
    return NULL;
}

const view_option *view_get_map_option(md5gl_image_kind map)
{
    for (size_t i = 0; i < view_num_options; i++) {
        if (view_is_texture(&table[i]) && view_get_map_kind(&table[i]) == map)
            return &table[i];
    }
    return NULL;
}

// Returns the option whose name is most similar to the unknown name[length], for the error message.
// Returns NULL if no name is similar enough.
//
// Similarity is measured by edits: changed, added or removed bytes. One edit per four bytes,
// rounded, is accepted. A name that contains the unknown name counts as one edit. Names of up to
// three bytes are part of too many names, so they are only compared with whole names.
static const view_option *find_nearest(const char *name, size_t length)
{
    enum { MIN_PART_LENGTH = 4, BYTES_PER_EDIT = 4 };
    // Values of the parameter `in_part` of common_edit_distance().
    const bool complete_name = false;
    const bool part_of_name = true;
    const view_option *nearest = NULL;
    size_t min_distance = SIZE_MAX;
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const option = &table[i];
        size_t distance = common_edit_distance(name, length, option->name, complete_name);
        const bool is_part = length >= MIN_PART_LENGTH
                             && common_edit_distance(name, length, option->name, part_of_name) == 0;
        if (is_part && distance > 1)
            distance = 1;
        if (distance < min_distance) {
            min_distance = distance;
            nearest = option;
        }
    }
    const size_t max_distance = (length + BYTES_PER_EDIT / 2) / BYTES_PER_EDIT;
    return min_distance <= max_distance ? nearest : NULL;
}

bool *view_switch_field(const view_option *option, view_shown *shown)
{
    return (bool *)((unsigned char *)shown + (option->offset - offsetof(view_options, shown)));
}

// == Lights and parameters of materials ===========================================================

const view_light_range view_light_ranges[VIEW_NUM_LIGHTS] = {
    {"key", "Key", 0, 3, 1},
    {"sky", "Sky", 0, 3, 1},
    {"fill", "Fill", 0, 3, 1},
    {"rim", "Rim", 0, 3, 1},
    {"azimuth", "Azimuth", -180, 180, 0},
    {"elevation", "Elevation", -60, 60, 0},
};

view_lights view_default_lights(void)
{
    view_lights lights;
    for (int i = 0; i < VIEW_NUM_LIGHTS; i++)
        lights.values[i] = view_light_ranges[i].default_value;
    return lights;
}

// Returns the index of the light with a name of `length` bytes, or VIEW_NUM_LIGHTS if the name is
// unknown.
static int find_light(const char *name, size_t length)
{
    for (int i = 0; i < VIEW_NUM_LIGHTS; i++) {
        const char *const light_name = view_light_ranges[i].name;
        if (strlen(light_name) == length && strncmp(name, light_name, length) == 0)
            return i;
    }
    return VIEW_NUM_LIGHTS;
}

// Parses the value of --lights, "NAME=VALUE,NAME=VALUE". Lights that the text does not contain keep
// their values. Returns false if the text is malformed.
static bool read_lights(const char *text, view_lights *lights)
{
    const char *name = text;
    for (;;) {
        const size_t length = strcspn(name, "=");
        const bool has_value = name[length] == '=';
        const int light = find_light(name, length);
        if (light == VIEW_NUM_LIGHTS || !has_value)
            return false;

        const view_light_range *const range = &view_light_ranges[light];
        double value;
        const char *const end =
            common_parse_number(name + length + 1, range->low, range->high, &value);
        if (end == NULL || (*end != '\0' && *end != ','))
            return false;
        lights->values[light] = (float)value;
        if (*end == '\0')
            return true;
        name = end + 1;
    }
}

// Writes a number with as few digits as possible, but at least 7, so that reading it results in the
// same bits.
static void write_exact_number(float value, char text[24])
{
    const int max_digits = 9; // sufficient for each float
    for (int digits = 7; digits <= max_digits; digits++) {
        snprintf(text, 24, "%.*g", digits, value);
        if ((float)strtod(text, NULL) == value)
            return;
    }
}

// Size of a text that is sufficient for write_lights().
enum { LIGHTS_TEXT = 192 };
// Writes the values of all lights as text, "NAME=VALUE,NAME=VALUE", which read_lights() reads as
// the same values.
static void write_lights(const view_lights *lights, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < VIEW_NUM_LIGHTS; i++) {
        char number[24];
        write_exact_number(lights->values[i], number);
        common_append(text, size, ",", "%s=%s", view_light_ranges[i].name, number);
    }
}

// Writes the display switches and the lights as one line to text[size]. Each option with a
// keyword (`word` in the table) is a switch of view_shown. The line describes the display in the
// log.
void view_write_shown(const view_shown *shown, const view_lights *lights, char *text, size_t size)
{
    view_shown copy = *shown;
    text[0] = '\0';
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const option = &table[i];
        if (option->word == NULL)
            continue;
        const bool on = *view_switch_field(option, &copy);
        const char *const values = option->kind == COMMON_EITHER ? option->value : "0|1";
        char *const value = common_copy_word(values, on);
        common_append(text, size, " ", "%s=%s", option->word, value);
        free(value);
    }
    char light_values[LIGHTS_TEXT];
    write_lights(lights, light_values, sizeof light_values);
    common_append(text, size, " ", "lights=%s", light_values);
}

// The names describe the use of each parameter in the engine's scripts. parm7 is the time of death
// in most games, and a number from 0 to 1 in a few games.
const view_parm_range view_parm_ranges[VIEW_NUM_PARM_ROWS] = {
    {"time", 10, 60},
    {"0 red", 1, 1},
    {"1 green", 1, 1},
    {"2 blue", 1, 1},
    {"3 time scale", 2, 1},
    {"4 offset", 10, 0},
    {"5 diversity", 1, 0},
    {"6", 1, 0},
    {"7 burn, mode", 10, 0},
    {"8 skin scale", 1, 0},
    {"9", 1, 0},
    {"10", 1, 0},
    {"11", 1, 0},
};

float view_material_time(const view_parms *parms, double clip_time)
{
    const double time = clip_time + parms->ahead;
    return time > 0 ? (float)time : 0;
}

// Sets a slider for the time of materials, or for one of their parameters. `row` is an index
// into view_parm_ranges: VIEW_PARM_TIME, or VIEW_FIRST_PARM plus the index of a parameter of
// materials. `clip_time` is the time of the clip in seconds.
void view_set_parm(view_parms *parms, int row, float value, double clip_time)
{
    if (row == VIEW_PARM_TIME) {
        parms->ahead = (float)(value - clip_time);
        return;
    }

    // The parameters "offset" and "burn" are times of the clip. After one of them was set, the
    // materials must use the same time as the clip. By default, their times differ.
    enum { OFFSET_PARM = 4, BURN_PARM = 7 };
    const int parm = row - VIEW_FIRST_PARM;
    const bool is_time = parm == OFFSET_PARM || parm == BURN_PARM;
    parms->values[parm] = value;
    if (is_time && parms->ahead == view_parm_ranges[VIEW_PARM_TIME].default_value)
        parms->ahead = 0;
}

// == Values =======================================================================================
//
// Reads and writes the values of options of each kind. A written value is read as the same bits.

// All choices are read and written through an unsigned int, so each enumeration must have its size.
static_assert(sizeof(md5_root) == sizeof(unsigned) && sizeof(md5_wrap) == sizeof(unsigned)
                  && sizeof(md5gl_path) == sizeof(unsigned)
                  && sizeof(view_level) == sizeof(unsigned)
                  && sizeof(view_shell) == sizeof(unsigned),
              "enums have the size of an unsigned int");

// Inserts a setting into a list that is sorted by time. Settings of equal time keep the order in
// which they were inserted.
static void insert_setting(view_settings *settings, const view_setting *setting)
{
    view_setting *position = COMMON_ADD_ITEM(settings->rows, settings->count);
    while (position > settings->rows && position[-1].time > setting->time) {
        position[0] = position[-1];
        position--;
    }
    *position = *setting;
}

// Parses the setting of a parameter or of a weight and adds it to a list. The text is "NAME=VALUE"
// or, if `has_times` is true, "NAME=VALUE@TIME". Without a time, the setting is valid from time 0.
// Returns false if the text is malformed.
static bool add_setting(const char *text, bool has_times, view_settings *settings)
{
    const char *const equals = strchr(text, '=');
    if (equals == NULL || equals == text)
        return false;
    double value = 0;
    double time = 0;
    const char *end = common_parse_number(equals + 1, -FLT_MAX, FLT_MAX, &value);
    if (end != NULL && has_times && *end == '@')
        end = common_parse_number(end + 1, -DBL_MAX, DBL_MAX, &time);
    if (end == NULL || *end != '\0')
        return false;

    const view_setting setting = {.parameter = common_format("%.*s", (int)(equals - text), text),
                                  .value = (float)value,
                                  .time = time};
    insert_setting(settings, &setting);
    return true;
}

// Replaces the settings by a copy of `from`, or removes them if `from` is NULL. Frees the old
// settings first, so `from` must not be the same object as `settings`. The copy owns its texts.
void view_copy_settings(view_settings *settings, const view_settings *from)
{
    for (size_t i = 0; i < settings->count; i++)
        free(settings->rows[i].parameter);
    free(settings->rows);
    *settings = (view_settings){.count = 0};
    if (from == NULL)
        return;

    for (size_t i = 0; i < from->count; i++) {
        view_setting *const copy = COMMON_ADD_ITEM(settings->rows, settings->count);
        *copy = from->rows[i];
        copy->parameter = common_copy(copy->parameter);
    }
}

// Converts an option to the type that the functions of demo/common/options.h need. They read and
// write single values.
static common_option to_common_option(const view_option *option)
{
    return (common_option){option->name,   option->value, option->kind,
                           option->offset, option->low,   option->high};
}

// Returns a pointer to the field of an option. The kind of the option determines the type of the
// field. The caller may change the field only if it may change `options`.
static void *option_field(const view_option *option, const view_options *options)
{
    return (unsigned char *)(uintptr_t)options + option->offset;
}

// Returns the flag that is set when the option is given, or NULL if the option has no flag.
static bool *given_flag(const view_option *option, const view_options *options)
{
    if (option->given == 0)
        return NULL;
    unsigned char *const bytes = (unsigned char *)(uintptr_t)options;
    return (bool *)(bytes + option->given);
}

bool view_is_repeated(const view_option *option)
{
    return option->kind == COMMON_TEXTS || option->kind > VIEW_OPTION_LIGHTS;
}

// Returns true if the field of an option points to a string or to several strings.
static bool is_text(const view_option *option)
{
    return option->kind >= COMMON_TEXT && option->kind < COMMON_NUM_KINDS;
}

// Returns the number of values between which an option can be toggled. A switch has 2 values. A
// choice has as many as it has words. Options of other kinds have any number of values, so the
// result is 0.
unsigned view_count_choices(const view_option *option)
{
    if (option->kind > COMMON_CHOICE)
        return 0;
    if (option->kind < COMMON_CHOICE)
        return 2;
    return common_count_words(option->value);
}

unsigned view_get_choice(const view_option *option, const view_options *options)
{
    const void *const field = option_field(option, options);
    if (option->kind == COMMON_CHOICE)
        return *(const unsigned *)field;
    return *(const bool *)field ? 1 : 0;
}

// Parses a list of times, for example "0.5,1,2", and adds them to options->times. Returns false if
// the text is malformed.
static bool read_times(const char *text, view_options *options)
{
    const char *number = text;
    for (;;) {
        double time;
        const char *const end = common_parse_number(number, -DBL_MAX, DBL_MAX, &time);
        if (end == NULL || (*end != ',' && *end != '\0'))
            return false;
        *COMMON_ADD_ITEM(options->times, options->num_times) = time;
        if (*end == '\0')
            return true;
        number = end + 1;
    }
}

// Parses the setting of a material parameter, "NUMBER=VALUE". Returns false if it is malformed.
static bool read_parm(const char *text, view_parms *parms)
{
    char *end = NULL;
    const unsigned long parm = strtoul(text, &end, 10);
    const bool has_number = *text >= '0' && *text <= '9';
    if (!has_number || parm >= VIEW_NUM_PARMS || *end != '=')
        return false;
    double value;
    const char *const rest = common_parse_number(end + 1, -FLT_MAX, FLT_MAX, &value);
    if (rest == NULL || *rest != '\0')
        return false;
    view_set_parm(parms, VIEW_FIRST_PARM + (int)parm, (float)value, 0);
    return true;
}

// Records that an option was given. Also records if the options name content, which is a file to
// open or a part of a file.
static void mark_given(const view_option *option, view_options *options)
{
    bool *const given = given_flag(option, options);
    if (given != NULL)
        *given = true;
    const bool is_file_option = option->scope == VIEW_SCOPE_FILE;
    const bool has_name = option->scope != VIEW_SCOPE_ANY && option->names != VIEW_NAMES_NOTHING;
    if (is_file_option || has_name)
        options->names_content = true;
}

// Returns a copy of a text that `options` owns. A field contains only a pointer and cannot own it.
static char *copy_owned_text(const view_option *option, const char *text, view_options *options)
{
    char *const copy = common_copy(text);
    if (options->strings == NULL)
        options->strings = common_alloc(view_num_options, sizeof *options->strings);
    common_add(&options->strings[view_option_index(option)], copy);
    return copy;
}

// Parses a text and stores the value in the option's field. If the option is repeated, adds the
// value to the list. Returns false if the text is not a value of the option.
static bool read_single_value(const view_option *option, const char *text, view_options *options)
{
    const common_option row = to_common_option(option);
    switch (option->kind) {
    case VIEW_OPTION_LIGHTS:
        return read_lights(text, &options->lights);
    case VIEW_OPTION_TIMES:
        return read_times(text, options);
    case VIEW_OPTION_SETTING:
        return add_setting(text, true, option_field(option, options));
    case VIEW_OPTION_WEIGHT:
        return add_setting(text, false, option_field(option, options));
    case VIEW_OPTION_PARM:
        return read_parm(text, &options->parms);
    default:
        return common_read_value(&row, text, options);
    }
}

// Frees the former text of an option that is not repeated, after another text was read. The new
// text is the last one of the option's texts.
static void drop_replaced_text(const view_option *option, view_options *options)
{
    common_list *const texts = &options->strings[view_option_index(option)];
    if (texts->count < 2)
        return;
    free(texts->names[0]);
    texts->count--;
    texts->names[0] = texts->names[texts->count];
}

// Reads one value, text[length], of an option. If the field points to a string, it points to a copy
// that the options own.
static bool read_text_part(const view_option *option, const char *text, size_t length,
                           view_options *options)
{
    char *const part = common_format("%.*s", (int)length, text);
    const char *const value = is_text(option) ? copy_owned_text(option, part, options) : part;
    const bool is_read = read_single_value(option, value, options);
    free(part);
    return is_read;
}

// Reads several values of a repeated option. Each line of the text is one value and ends with "\n".
// Stops and returns false at the first invalid line.
static bool read_lines(const view_option *option, const char *text, view_options *options)
{
    const char *line = text;
    while (*line != '\0') {
        const size_t length = strcspn(line, "\n");
        const bool is_complete = line[length] == '\n';
        if (!is_complete || !read_text_part(option, line, length, options))
            return false;
        line += length + 1;
    }
    return true;
}

// Parses the text of an option from the command line or from a file. Returns false if it is
// invalid.
bool view_read_option(const view_option *option, const char *text, view_options *options)
{
    const bool requires_value = option->value != NULL || option->kind >= VIEW_OPTION_LIGHTS;
    if (text == NULL && requires_value)
        return false;
    mark_given(option, options);
    if (text == NULL)
        return read_single_value(option, NULL, options);

    const bool is_repeated = view_is_repeated(option);
    if (is_repeated && strchr(text, '\n') != NULL)
        return read_lines(option, text, options);
    if (!read_text_part(option, text, strlen(text), options))
        return false;
    if (is_text(option) && !is_repeated)
        drop_replaced_text(option, options);
    return true;
}

// Appends each setting of a list as a line, "NAME=VALUE" or "NAME=VALUE@TIME".
static void append_settings(char **text, const view_settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        const view_setting *const setting = &settings->rows[i];
        common_extend(text, "%s=%.9g", setting->parameter, setting->value);
        if (setting->time != 0)
            common_extend(text, "@%.17g", setting->time);
        common_extend(text, "\n");
    }
}

// Appends each material parameter that differs from its default as a line, "NUMBER=VALUE".
static void append_parms(char **text, const view_parms *parms)
{
    for (int i = 0; i < VIEW_NUM_PARMS; i++) {
        const float default_value = view_parm_ranges[VIEW_FIRST_PARM + i].default_value;
        if (parms->values[i] != default_value)
            common_extend(text, "%d=%.9g\n", i, parms->values[i]);
    }
}

// Returns the values of a repeated option, one line for each. For the lights, returns one text
// without a line break. Returns "" if there are no values. The caller frees the text.
static char *write_lines(const view_option *option, const view_options *options)
{
    const void *const field = option_field(option, options);
    const common_texts *texts;
    char lights[LIGHTS_TEXT];
    char *text = common_copy("");
    switch (option->kind) {
    case COMMON_TEXTS:
        texts = field;
        for (size_t i = 0; i < texts->count; i++)
            common_extend(&text, "%s\n", texts->names[i]);
        break;
    case VIEW_OPTION_LIGHTS:
        write_lights(&options->lights, lights, sizeof lights);
        common_extend(&text, "%s", lights);
        break;
    case VIEW_OPTION_TIMES:
        for (size_t i = 0; i < options->num_times; i++)
            common_extend(&text, "%.17g\n", options->times[i]);
        break;
    case VIEW_OPTION_PARM:
        append_parms(&text, &options->parms);
        break;
    default: // VIEW_OPTION_SETTING, VIEW_OPTION_WEIGHT
        append_settings(&text, field);
        break;
    }
    return text;
}

// Returns the value of an option as text, which the caller frees. Returns NULL if it has no value.
// Uses the functions of demo/common for a single value. The values of a repeated option, and the
// lights, are written by write_lines().
char *view_write_option(const view_option *option, const view_options *options)
{
    const common_option row = to_common_option(option);
    const common_value value = view_get_value(option, options);
    if (option->kind < COMMON_TEXTS)
        return common_print_value(&row, &value);

    char *const lines = write_lines(option, options);
    if (lines[0] != '\0')
        return lines;
    free(lines);
    return NULL;
}

bool view_parse_value(const view_option *option, const char *text, common_value *value)
{
    const common_option row = to_common_option(option);
    return common_parse_value(&row, text, value);
}

char *view_print_value(const view_option *option, common_value value)
{
    const common_option row = to_common_option(option);
    char *const text = common_print_value(&row, &value);
    return text != NULL ? text : common_copy("");
}

// Returns the file name in a value of an option, or NULL if the option does not name files. If
// the value has the form NAME=FILE, returns the part after the equals sign. The result is a part
// of `value`.
const char *view_file_in(const view_option *option, const char *value)
{
    const bool is_file = option->names >= VIEW_NAMES_MODEL && option->names <= VIEW_NAMES_PICTURE;
    if (!is_file)
        return NULL;
    const bool is_pair = option->kind == COMMON_PAIR_TEXT || view_is_texture(option);
    const char *const equals = is_pair ? strchr(value, '=') : NULL;
    return equals != NULL ? equals + 1 : value;
}

// Returns the default value of a switch's field. The table contains the default of the option,
// which may be the opposite. For example, --no-maps (COMMON_OPPOSITE) clears its field. If
// --no-maps is not given by default, the field is true by default.
static bool default_switch(const view_option *option)
{
    const bool is_given =
        option->default_state == VIEW_ON_IN_WINDOW || option->default_state == VIEW_ON_BY_DEFAULT;
    const bool is_opposite = option->kind == COMMON_OPPOSITE;
    return is_opposite ? !is_given : is_given;
}

// Returns the default values of all options in a window. If an image is written,
// hide_default_panels() changes them. The result owns no memory.
static view_options default_options(void)
{
    // The time of materials is one minute ahead of the clip. Materials of guns show a muzzle flash
    // shortly after the last shot, whose time is minus parameter 4 ("offset"). Its default is 0. At
    // time 0 each gun would therefore just have fired. After one minute no muzzle flash is visible.
    // Effects that repeat a whole number of times per minute look as at time 0.
    view_options defaults = {
        .width = 1280,
        .height = 720,
        .samples = 4,
        .parms = {.ahead = view_parm_ranges[VIEW_PARM_TIME].default_value},
        .speed = 1,
        .lights = view_default_lights(),
        .level = VIEW_INFO,
    };
    for (int i = 0; i < VIEW_NUM_PARMS; i++)
        defaults.parms.values[i] = view_parm_ranges[VIEW_FIRST_PARM + i].default_value;
    for (size_t i = 0; i < view_num_options; i++) {
        if (table[i].word != NULL)
            *view_switch_field(&table[i], &defaults.shown) = default_switch(&table[i]);
    }
    return defaults;
}

// Resets an option to its value in `defaults`. Frees its texts.
static void reset_option(const view_option *option, const view_options *defaults,
                         view_options *options)
{
    void *const field = option_field(option, options);
    bool *const given = given_flag(option, options);
    if (given != NULL)
        *given = false;
    if (options->strings != NULL)
        common_free_list(&options->strings[view_option_index(option)]);
    switch (option->kind) {
    case COMMON_TEXTS:
        free(((common_texts *)field)->names);
        *(common_texts *)field = (common_texts){.count = 0};
        break;
    case VIEW_OPTION_LIGHTS:
        options->lights = defaults->lights;
        break;
    case VIEW_OPTION_TIMES:
        free(options->times);
        options->times = NULL;
        options->num_times = 0;
        break;
    case VIEW_OPTION_PARM:
        options->parms = defaults->parms;
        break;
    case VIEW_OPTION_SETTING:
    case VIEW_OPTION_WEIGHT:
        view_copy_settings(field, NULL);
        break;
    default:
        memcpy(field, option_field(option, defaults), common_value_size(option->kind));
    }
}

void view_reset_option(const view_option *option, view_options *options)
{
    const view_options defaults = default_options();
    reset_option(option, &defaults, options);
}

// == Typed values =================================================================================

// Returns the value of an option, or COMMON_VALUE_DEFAULT if it is not set. An option has its
// default if its flag shows that it was not given, if its range is empty, or if its text is NULL.
common_value view_get_value(const view_option *option, const view_options *options)
{
    const common_value unset = {.type = COMMON_VALUE_DEFAULT};
    if (view_is_repeated(option) || option->kind == VIEW_OPTION_LIGHTS)
        return (common_value){.type = COMMON_VALUE_NONE}; // several values
    const bool *const given = given_flag(option, options);
    if (given != NULL && !*given)
        return unset;
    const bool is_empty_range =
        option->kind == COMMON_RANGE && options->range_last <= options->range_first;
    if (is_empty_range)
        return unset;

    const common_option row = to_common_option(option);
    const common_value value = common_load_value(&row, options);
    const bool is_null_text = value.type == COMMON_VALUE_TEXT && value.text == NULL;
    if (value.type == COMMON_VALUE_NONE || is_null_text)
        return unset;
    return value;
}

// Sets --animation-time to a single time. Returns false if the value is not a number.
static bool set_time(common_value value, view_options *options)
{
    if (value.type != COMMON_VALUE_NUMBERS)
        return false;
    options->num_times = 0;
    *COMMON_ADD_ITEM(options->times, options->num_times) = value.numbers[0];
    return true;
}

common_value view_get_default(const view_option *option)
{
    const view_options defaults = default_options();
    return view_get_value(option, &defaults); // the defaults contain no texts
}

// Sets an option to a value. COMMON_VALUE_DEFAULT and an empty text set it to its default. Returns
// false if the value is invalid. Values of other types than text are stored directly in the field.
// The option is then recorded as given.
bool view_set_value(const view_option *option, common_value value, view_options *options)
{
    const bool is_default = value.type == COMMON_VALUE_DEFAULT;
    const bool is_text_value = value.type == COMMON_VALUE_TEXT;
    const bool is_empty = is_text_value && value.text[0] == '\0'; // an empty text means the default
    if (is_text_value || is_default)
        view_reset_option(option, options);
    if (is_empty || is_default)
        return true;
    if (is_text_value)
        return view_read_option(option, value.text, options);
    if (option->kind == VIEW_OPTION_TIMES)
        return set_time(value, options);

    const common_option row = to_common_option(option);
    if (!common_store_value(&row, &value, options))
        return false;
    mark_given(option, options);
    return true;
}

// Returns true if two lists of texts are equal.
static bool are_texts_equal(const common_texts *a, const common_texts *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (strcmp(a->names[i], b->names[i]) != 0)
            return false;
    }
    return true;
}

// Returns true if two lists of settings of machine parameters are equal.
static bool are_settings_equal(const view_settings *a, const view_settings *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const view_setting *const first = &a->rows[i];
        const view_setting *const second = &b->rows[i];
        const bool has_same_name = strcmp(first->parameter, second->parameter) == 0;
        if (!has_same_name || first->value != second->value || first->time != second->time)
            return false;
    }
    return true;
}

// Returns true if two command lines request images at the same times.
static bool are_times_equal(const view_options *a, const view_options *b)
{
    if (a->num_times != b->num_times)
        return false;
    for (size_t i = 0; i < a->num_times; i++) {
        if (a->times[i] != b->times[i])
            return false;
    }
    return true;
}

// Returns true if two sets of material parameters are equal. The time of materials is ignored,
// because it follows the playback.
static bool are_parms_equal(const view_parms *a, const view_parms *b)
{
    for (int i = 0; i < VIEW_NUM_PARMS; i++) {
        if (a->values[i] != b->values[i])
            return false;
    }
    return true;
}

// Returns true if the values of an option with a single value are equal.
static bool is_value_equal(const view_option *option, const view_options *a, const view_options *b)
{
    const common_value first = view_get_value(option, a);
    const common_value second = view_get_value(option, b);
    return common_are_values_equal(&first, &second);
}

// Returns true if an option has the same value in `a` and `b`.
bool view_is_equal(const view_option *option, const view_options *a, const view_options *b)
{
    const void *const first = option_field(option, a);
    const void *const second = option_field(option, b);
    switch (option->kind) {
    case COMMON_TEXTS:
        return are_texts_equal(first, second);
    case VIEW_OPTION_LIGHTS:
        return memcmp(&a->lights, &b->lights, sizeof a->lights) == 0;
    case VIEW_OPTION_TIMES:
        return are_times_equal(a, b);
    case VIEW_OPTION_SETTING:
    case VIEW_OPTION_WEIGHT:
        return are_settings_equal(first, second);
    case VIEW_OPTION_PARM:
        return are_parms_equal(&a->parms, &b->parms);
    default:
        return is_value_equal(option, a, b);
    }
}

bool view_is_default(const view_option *option, const view_options *options)
{
    const view_options defaults = default_options();
    return view_is_equal(option, options, &defaults);
}

// Copies a list of texts to the field of an option. `to` owns the copies.
static void copy_texts(const view_option *option, const common_texts *from, view_options *to)
{
    common_texts *const texts = option_field(option, to);
    for (size_t i = 0; i < from->count; i++)
        *COMMON_ADD_ITEM(texts->names, texts->count) = copy_owned_text(option, from->names[i], to);
}

// Copies a text to the field of an option. `to` owns the copy. `from` may be NULL.
static void copy_text(const view_option *option, const char *from, view_options *to)
{
    const char **const text = option_field(option, to);
    *text = from != NULL ? copy_owned_text(option, from, to) : NULL;
}

// Copies the value of an option from `from` to `to`. The option in `to` first gets its value in
// `defaults`, which frees the memory of its old value.
static void copy_value(const view_option *option, const view_options *from,
                       const view_options *defaults, view_options *to)
{
    const void *const source = option_field(option, from);
    void *const target = option_field(option, to);
    const bool *const source_given = given_flag(option, from);
    reset_option(option, defaults, to);
    if (source_given != NULL)
        *given_flag(option, to) = *source_given;
    switch (option->kind) {
    case COMMON_TEXT:
    case COMMON_PAIR_TEXT:
        copy_text(option, *(const char *const *)source, to);
        break;
    case COMMON_TEXTS:
        copy_texts(option, source, to);
        break;
    case VIEW_OPTION_LIGHTS:
        to->lights = from->lights;
        break;
    case VIEW_OPTION_TIMES:
        for (size_t i = 0; i < from->num_times; i++)
            *COMMON_ADD_ITEM(to->times, to->num_times) = from->times[i];
        break;
    case VIEW_OPTION_PARM:
        to->parms = from->parms;
        break;
    case VIEW_OPTION_SETTING:
    case VIEW_OPTION_WEIGHT:
        view_copy_settings(target, source);
        break;
    default:
        memcpy(target, source, common_value_size(option->kind));
    }
}

void view_copy_value(const view_option *option, const view_options *from, view_options *to)
{
    const view_options defaults = default_options();
    copy_value(option, from, &defaults, to);
}

// Sets the options with scopes from `first` to `last` to their values in `copy`. If `copy` is NULL,
// sets them to their defaults. Copies one option after the other, because some values, such as
// texts and lists, own memory.
void view_restore_options(view_options *options, const view_options *copy, view_scope first,
                          view_scope last)
{
    const view_options defaults = default_options();
    const view_options *const source = copy != NULL ? copy : &defaults;
    for (size_t i = 0; i < view_num_options; i++) {
        if (table[i].scope >= first && table[i].scope <= last)
            copy_value(&table[i], source, &defaults, options);
    }
}

view_options view_copy_options(const view_options *options, view_scope first, view_scope last)
{
    view_options copy = default_options();
    view_restore_options(&copy, options, first, last);
    return copy;
}

// == Settings =====================================================================================

// Appends a line "--NAME=LINE" for each line of an option's value.
static void append_option_lines(char **lines, const view_option *option, const char *value)
{
    const char *line = value;
    while (*line != '\0') {
        const size_t length = strcspn(line, "\n");
        const bool has_line_end = line[length] != '\0';
        common_extend(lines, "--%s=%.*s\n", option->name, (int)length, line);
        line += has_line_end ? length + 1 : length;
    }
}

// Writes the options that differ from `reference` as lines. Files and the undo history store them.
// If `reference` is NULL, compares with the default options of a window.
char *view_write_settings(const view_options *options, const view_options *reference,
                          view_scope first, view_scope last)
{
    const view_options window_defaults = default_options();
    const view_options *const defaults = reference != NULL ? reference : &window_defaults;
    char *lines = common_copy("");
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const option = &table[i];
        const bool is_in_scope = option->scope >= first && option->scope <= last;
        if (!is_in_scope || view_is_equal(option, options, defaults))
            continue;
        char *const value = view_write_option(option, options);
        if (value != NULL)
            append_option_lines(&lines, option, value);
        free(value);
    }
    return lines;
}

// Reads the next line "--NAME=VALUE" of stored settings, and advances *lines. Returns its option
// and sets *value, which the caller frees. Returns NULL at the end. Skips lines of other forms
// and unknown options, because another version may have written them.
const view_option *view_next_setting(const char **lines, char **value)
{
    while (**lines != '\0') {
        const char *const line = *lines;
        const char *const end = line + strcspn(line, "\n");
        const bool has_line_end = *end != '\0';
        *lines = has_line_end ? end + 1 : end;

        const char *const equals = strchr(line, '=');
        const bool has_value = equals != NULL && equals < end;
        const bool is_setting = has_value && strncmp(line, "--", 2) == 0;
        if (!is_setting)
            continue;

        const char *const name = line + 2;
        const view_option *const option = view_find_option(name, (size_t)(equals - name));
        if (option == NULL) // an option of another version
            continue;
        const char *const text = equals + 1;
        *value = common_format("%.*s", (int)(end - text), text);
        return option;
    }
    return NULL;
}

// == The command line =============================================================================

// Writes the error message about an unknown option. `nearest` is the option with the most similar
// name, or NULL.
static void report_unknown_option(const char *argument, const view_option *nearest, char *problem,
                                  size_t size)
{
    if (nearest != NULL)
        snprintf(problem, size,
                 "unknown option %s; did you mean --%s? Use --help to list all options", argument,
                 nearest->name);
    else
        snprintf(problem, size, "unknown option %s; use --help to list all options", argument);
}

// Writes the error message about an option of an earlier version. It names the replacement.
static void report_removed_option(const common_removed *option, char *problem, size_t size)
{
    snprintf(problem, size, "--%s was removed: %s", option->name, option->advice);
}

// Returns the option of an argument "--name" or "--name=value". If the option is unknown, returns
// NULL and writes an error message. The message names the replacement of a removed option, or the
// option with the most similar name.
static const view_option *find_given_option(const char *argument, char *problem, size_t size)
{
    if (argument[1] != '-') { // there are no short options
        report_unknown_option(argument, NULL, problem, size);
        return NULL;
    }
    const char *const name = argument + 2;
    const size_t length = strcspn(name, "=");
    const view_option *const found = view_find_option(name, length);
    if (found != NULL)
        return found;

    const common_removed *const removed = view_find_removed_option(name, length);
    if (removed != NULL)
        report_removed_option(removed, problem, size);
    else
        report_unknown_option(argument, find_nearest(name, length), problem, size);
    return NULL;
}

// Reads the option at arguments[*i] and marks it as given. If its value is the next argument,
// increments *i. Returns false and writes an error message to `problem` if the option is invalid.
static bool read_option(int count, char **arguments, int *i, view_options *options, bool *given,
                        char *problem, size_t size)
{
    const char *const argument = arguments[*i];
    const bool is_short_help = strcmp(argument, "-h") == 0 || strcmp(argument, "-?") == 0;
    if (is_short_help) {
        options->help = true;
        return true;
    }
    const view_option *const option = find_given_option(argument, problem, size);
    if (option == NULL)
        return false;

    // The value follows '=', or is the next argument.
    const char *const equals = strchr(argument, '=');
    const char *value = equals != NULL ? equals + 1 : NULL;
    const bool takes_next = value == NULL && option->value != NULL && *i + 1 < count;
    if (takes_next) {
        ++*i;
        value = arguments[*i];
    }
    given[view_option_index(option)] = true;
    if (view_read_option(option, value, options))
        return true;
    const common_option row = to_common_option(option);
    common_explain_value(&row, value, problem, size);
    return false;
}

// Returns true if the output has the file extension of a movie.
static bool is_movie(const char *path)
{
    static const char *const endings[] = {".apng", ".gif", ".mp4", ".webm"};
    for (size_t i = 0; i < COMMON_LENGTH(endings); i++) {
        if (common_has_suffix(path, endings[i]))
            return true;
    }
    return false;
}

// Returns true if a list contains a name. NULL elements of the list are skipped.
bool view_is_name_in(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (names[i] != NULL && strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

// Returns true and writes an error message if a given option cannot be combined with --thumbnail.
// Most options cannot, because a file manager requests a small image of the file itself.
static bool contradicts_thumbnail(const bool *given, const view_options *options, char *problem,
                                  size_t size)
{
    static const char *const allowed[] = {"output",    "thumbnail",      "resolution",   "samples",
                                          "skin",      "animation-time", "verbose",      "config",
                                          "no-config", "no-auto",        "no-background"};
    const bool has_several_times = options->num_times > 1;
    if (options->output == NULL || has_several_times) {
        snprintf(problem, size, "--thumbnail requires --output and at most one --animation-time");
        return true;
    }
    for (size_t i = 0; i < view_num_options; i++) {
        const char *const name = table[i].name;
        const bool is_allowed = view_is_name_in(name, allowed, COMMON_LENGTH(allowed));
        if (given[i] && !is_allowed) {
            snprintf(problem, size, "--thumbnail cannot be combined with --%s", name);
            return true;
        }
    }
    return false;
}

// Returns the number of camera paths among the files of the command line.
static size_t count_camera_paths(const view_options *options)
{
    size_t count = 0;
    for (size_t i = 0; i < options->num_files; i++) {
        if (common_has_suffix(options->files[i], ".md5camera"))
            count++;
    }
    return count;
}

// Returns the option or file without which an option has no effect, if it is missing. Returns NULL
// otherwise. A missing requirement is an error on the command line.
const char *view_missing_requirement(const view_option *option, const view_options *options)
{
    enum { MAX_NAMES = 6 };
    const bool may_have_camera = options->game != NULL || count_camera_paths(options) > 0;
    const struct {
        const char *requirement;
        bool is_met;
        const char *names[MAX_NAMES]; // options that have the requirement
    } requirements[] = {
        {"--crowd", options->crowd > 0, {"crowd-reduced", "crowd-baked", "crowd-impostors"}},
        {"--retarget",
         options->retarget != NULL,
         {"retarget-map", "retarget-pairs", "retarget-layout"}},
        {"--environment",
         options->environment != NULL,
         {"no-environment", "environment-background"}},
        {"a camera path (.md5camera)", may_have_camera, {"camera-path", "camera-smoothing"}},
        {"a window",
         false,
         {"watch", "record-as", "no-auto-quality", "reduced-motion", "open-last", "mute"}},
    };
    for (size_t i = 0; i < COMMON_LENGTH(requirements); i++) {
        if (!requirements[i].is_met
            && view_is_name_in(option->name, requirements[i].names, MAX_NAMES))
            return requirements[i].requirement;
    }
    return NULL;
}

// Returns an error message if the options contradict the number of files that --output writes.
// Returns NULL otherwise.
static const char *find_file_count_contradiction(const view_options *options)
{
    const char *const output = options->output;
    const bool is_stdout = strcmp(output, "-") == 0;
    const bool has_sheet = options->sheet_columns > 0; // all frames are in one image
    const bool has_turntable_images = options->turntable && !has_sheet;
    const bool has_images =
        options->num_times > 1 || options->num_frames > 1 || has_turntable_images;
    if (has_sheet && (is_movie(output) || options->num_frames > 0))
        return "--sheet writes one image, FILE.png, and cannot be combined with --frames";
    if (is_stdout && has_images)
        return "--output - writes only one image; use one --animation-time";
    if (options->all_clips && !has_sheet && strstr(output, "{anim}") == NULL)
        return "--clips all writes one file per clip; add {anim} to the name in --output";
    return NULL;
}

// Returns an error message if other options contradict --output, and NULL otherwise. Checks the
// file extension, the input files and the layout of the image.
static const char *find_output_contradiction(const view_options *options)
{
    const char *const output = options->output;
    const bool is_stdout = strcmp(output, "-") == 0;
    const bool writes_movie = is_movie(output);
    if (!is_stdout && !writes_movie && !common_has_suffix(output, ".png"))
        return "--output: unknown file extension; expected .png, .apng, .gif, .mp4 or .webm, or - "
               "for standard output";

    const bool has_sheet = options->sheet_columns > 0;
    const bool has_layout = has_sheet || options->turntable || options->all_clips;
    const bool has_times = options->num_frames > 0 || options->num_times > 0;
    const bool draws_folder = options->num_folders > 0;
    if (draws_folder && (has_layout || has_times || writes_movie))
        return "a folder can only be drawn to one image, FILE.png, without --sheet, --turntable, "
               "--clips, --frames and --animation-time";

    const char *const contradiction = find_file_count_contradiction(options);
    if (contradiction != NULL)
        return contradiction;

    const bool has_tiny_cells =
        options->sheet_columns > options->width || options->sheet_rows > options->height;
    if (has_sheet && has_tiny_cells)
        return "--sheet has more cells than --resolution has pixels; use a larger --resolution";
    return NULL;
}

// Returns an error message if options that select the content, such as files, games, crowds and
// lessons, contradict each other. Returns NULL otherwise.
static const char *find_content_contradiction(const view_options *options)
{
    const bool has_game = options->game != NULL;
    const bool has_crowd = options->crowd > 0;
    const bool has_files = options->num_files + options->num_folders > 0;
    const bool has_model = has_files || has_game || has_crowd;
    if (has_game && (options->num_files > 1 || has_crowd))
        return "--game requires at most one name and cannot be combined with --crowd";
    if (options->bases.count > 0 && !has_game)
        return "--base has no effect without --game or a single folder";
    if (options->page != NULL && has_model)
        return "--lesson cannot be combined with files, --game or --crowd, because it has its own "
               "model";
    if (options->outfits.count > 0 && (has_game || has_crowd))
        return "--outfit cannot be combined with --game or --crowd";
    if (count_camera_paths(options) > 1)
        return "only one camera path (.md5camera) can be shown";
    return NULL;
}

// Returns an error message if any options of the command line contradict each other, and NULL
// otherwise.
static const char *find_contradiction(const view_options *options)
{
    const char *const contradiction = find_content_contradiction(options);
    if (contradiction != NULL)
        return contradiction;

    const bool has_output = options->output != NULL;
    if (options->no_render && (has_output || options->num_frames > 0))
        return "--no-render cannot be combined with --output or --frames";
    if (options->thumbnail > 0) // see contradicts_thumbnail()
        return NULL;
    if (has_output)
        return find_output_contradiction(options);
    const bool has_layout = options->sheet_columns > 0 || options->turntable || options->all_clips;
    if (has_layout || options->labels)
        return "--sheet, --turntable, --clips and --labels require --output";
    return NULL;
}

bool view_shows_window(const view_options *options)
{
    return options->output == NULL && options->num_frames == 0 && !options->no_render;
}

bool view_is_listed(const char *path)
{
    char *const script = common_join(path, "md5.cfg");
    const bool is_model = common_is_file(script); // a model of the engine Cube 2
    free(script);
    return common_contains_files(path) && !is_model;
}

// Interprets folders on the command line as a game, or as names in a game. With --base, a single
// folder is the mod. With --game, an argument is a name in the game, even if the current folder
// contains a folder of this name.
static void assign_game_folders(view_options *options)
{
    const bool is_mod =
        options->bases.count > 0 && options->game == NULL && options->num_folders == 1;
    if (is_mod) {
        options->game = options->folders[0];
        options->num_folders = 0;
    }
    if (options->game == NULL)
        return;
    for (size_t i = 0; i < options->num_folders; i++)
        options->files[options->num_files++] = options->folders[i];
    options->num_folders = 0;
}

// Moves all models except the first from the list of files to the outfits. Outfits are models that
// are attached to the first model. The models of a crowd and names in a game are not moved.
static void move_outfits(view_options *options)
{
    if (options->crowd > 0 || options->game != NULL)
        return;
    size_t num_remaining = 0;
    bool has_model = false;
    for (size_t i = 0; i < options->num_files; i++) {
        const char *const file = options->files[i];
        const bool is_model =
            !common_has_suffix(file, ".md5anim") && !common_has_suffix(file, ".md5camera");
        if (is_model && has_model)
            *COMMON_ADD_ITEM(options->outfits.names, options->outfits.count) = file;
        else
            options->files[num_remaining++] = file;
        has_model |= is_model;
    }
    options->num_files = num_remaining;
}

// Returns true and writes an error message if an option was given without the option or file that
// it requires. A window never reports this error, because the user can open the file later.
static bool has_option_without_effect(const view_options *options, const bool *given, char *problem,
                                      size_t size)
{
    if (view_shows_window(options))
        return false;
    for (size_t i = 0; i < view_num_options; i++) {
        const char *const missing = given[i] ? view_missing_requirement(&table[i], options) : NULL;
        if (missing != NULL) {
            snprintf(problem, size, "--%s has no effect without %s", table[i].name, missing);
            return true;
        }
    }
    return false;
}

// Hides the panels that are shown by default, unless the options request them. An image should
// contain only requested panels.
static void hide_default_panels(view_options *options, const bool *given)
{
    for (size_t i = 0; i < view_num_options; i++) {
        if (table[i].default_state == VIEW_ON_IN_WINDOW && !given[i])
            *view_switch_field(&table[i], &options->shown) = false;
    }
}

// Reads the arguments of a command line in order: options with their values, folders and files. All
// arguments after "--" are files or folders. Stops at the first invalid option, writes an error
// message and returns false.
static bool read_arguments(int count, char **arguments, view_options *options, bool *given,
                           char *problem, size_t problem_size)
{
    bool has_only_files = false; // after "--"
    for (int i = 0; i < count; i++) {
        const char *const argument = arguments[i];
        const bool is_option = !has_only_files && argument[0] == '-' && argument[1] != '\0';
        if (is_option && strcmp(argument, "--") == 0) {
            has_only_files = true;
        } else if (is_option) {
            if (!read_option(count, arguments, &i, options, given, problem, problem_size))
                return false;
        } else if (view_is_listed(argument)) {
            options->folders[options->num_folders++] = argument;
        } else {
            options->files[options->num_files++] = argument;
        }
    }
    return true;
}

// Parses a command line. First reads the options and files. Then checks the conditions that involve
// several options.
bool view_read_options(int count, char **arguments, view_options *options, char *problem,
                       size_t problem_size)
{
    *options = default_options();
    options->files = common_alloc((size_t)count + 1, sizeof *options->files);
    options->folders = common_alloc((size_t)count + 1, sizeof *options->folders);
    options->is_given = common_alloc(view_num_options, sizeof *options->is_given);
    bool *const given = options->is_given;
    const bool is_read = read_arguments(count, arguments, options, given, problem, problem_size);
    const bool is_thumbnail_wrong = is_read && options->thumbnail > 0
                                    && contradicts_thumbnail(given, options, problem, problem_size);

    // These steps also run after an error, so that `options` is always complete.
    assign_game_folders(options);
    move_outfits(options);
    if (options->output != NULL)
        hide_default_panels(options, given);

    if (!is_read || is_thumbnail_wrong)
        return false;
    if (has_option_without_effect(options, given, problem, problem_size))
        return false;
    const char *const contradiction = find_contradiction(options);
    if (contradiction != NULL) {
        snprintf(problem, problem_size, "%s", contradiction);
        return false;
    }
    return true;
}

// Frees the memory of all options: resets each option, which frees its value, then frees the
// lists that belong to all options.
void view_free_options(view_options *options)
{
    const view_options defaults = default_options();
    for (size_t i = 0; i < view_num_options; i++)
        reset_option(&table[i], &defaults, options);
    free(options->strings);
    free(options->is_given);
    free(options->files);
    free(options->folders);
    *options = (view_options){0};
}

// Returns a word in single quotes for a shell. The caller frees it. Single quotes cannot contain a
// quote. Each quote of the word therefore ends the quoted part, follows as an escaped quote, and
// begins the next quoted part: '\''.
static char *quote_word(const char *word)
{
    static const char escaped_quote[] = "'\\''";
    const size_t max_length = (sizeof escaped_quote - 1) * strlen(word) + 2;
    char *const quoted = common_alloc(max_length + 1, 1);
    char *end = quoted;
    *end++ = '\'';
    for (const char *c = word; *c != '\0'; c++) {
        if (*c == '\'') {
            memcpy(end, escaped_quote, sizeof escaped_quote - 1);
            end += sizeof escaped_quote - 1;
        } else {
            *end++ = *c;
        }
    }
    *end = '\'';
    return quoted;
}

// Returns the command line of a program with arguments, for a shell. The caller frees it. Quotes
// a word if it is empty or contains a character that a shell may interpret.
char *view_join_words(const char *program, const common_list *words)
{
    static const char unquoted[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                   "_-+=.,:/@%";
    char *line = common_copy(program);
    for (size_t i = 0; i < words->count; i++) {
        const char *const word = words->names[i];
        const bool needs_quotes = word[0] == '\0' || word[strspn(word, unquoted)] != '\0';
        char *const quoted = needs_quotes ? quote_word(word) : common_copy(word);
        common_extend(&line, " %s", quoted);
        free(quoted);
    }
    return line;
}
