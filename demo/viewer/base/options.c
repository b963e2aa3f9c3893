// Reads and writes the values of options, from single values to whole command lines and stored
// settings. The table of the options is in option_table.c.
#include "demo/viewer/base/options.h"

#include "demo/common/game_folder.h"

#include "demo/viewer/base/font.h"
#include "demo/viewer/base/removed.h"

#include <assert.h>
#include <float.h>

// == Finding options ==============================================================================

static const view_option *const table = view_option_rows;

const view_option *view_find_option(const char *name, size_t length)
{
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const o = &table[i];
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    }
    return NULL;
}

const view_option *view_get_field_option(size_t offset)
{
    for (size_t i = 0; i < view_num_options; i++)
        if (table[i].offset == offset)
            return &table[i];
    assert(false); // each caller names the field of an option
    return NULL;
}

const view_option *view_get_map_option(md5gl_image_kind map)
{
    for (size_t i = 0; i < view_num_options; i++)
        if (view_is_texture(&table[i]) && view_get_map_kind(&table[i]) == map)
            return &table[i];
    return NULL;
}

// Returns the option with the most similar name, or NULL.
static const view_option *find_nearest(const char *name, size_t length)
{
    const view_option *nearest = NULL;
    size_t min_distance = SIZE_MAX;
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const o = &table[i];
        size_t distance = common_edit_distance(name, length, o->name, false);
        if (distance > 1 && length > 3 && common_edit_distance(name, length, o->name, true) == 0)
            distance = 1; // a part of the name
        if (distance < min_distance) {
            min_distance = distance;
            nearest = o;
        }
    }
    return min_distance <= (length + 2) / 4 ? nearest : NULL; // otherwise not similar enough
}

bool *view_switch_field(const view_option *option, view_shown *shown)
{
    return (bool *)((unsigned char *)shown + (option->offset - offsetof(view_options, shown)));
}

// == Lights and parameters of materials ===========================================================

const view_light_range view_light_ranges[VIEW_NUM_LIGHTS] = {
    {"key", 0, 3, 1}, {"sky", 0, 3, 1},          {"fill", 0, 3, 1},
    {"rim", 0, 3, 1}, {"azimuth", -180, 180, 0}, {"elevation", -60, 60, 0},
};

view_lights view_usual_lights(void)
{
    view_lights lights;
    for (int i = 0; i < VIEW_NUM_LIGHTS; i++)
        lights.values[i] = view_light_ranges[i].usual;
    return lights;
}

// Reads "NAME=VALUE,NAME=VALUE". Returns false if the text is malformed.
static bool read_lights(const char *text, view_lights *lights)
{
    for (;;) {
        const size_t length = strcspn(text, "=");
        int light = 0;
        while (light < VIEW_NUM_LIGHTS
               && (strlen(view_light_ranges[light].name) != length
                   || strncmp(text, view_light_ranges[light].name, length) != 0))
            light++;
        if (light == VIEW_NUM_LIGHTS || text[length] == '\0')
            return false;
        const view_light_range *const range = &view_light_ranges[light];
        double value;
        const char *const end =
            common_parse_number(text + length + 1, range->low, range->high, &value);
        if (end == NULL || (*end != '\0' && *end != ','))
            return false;
        lights->values[light] = (float)value;
        if (*end == '\0')
            return true;
        text = end + 1;
    }
}

// Writes "NAME=VALUE,NAME=VALUE", which is read as the same values. A `size` of LIGHTS_TEXT is
// sufficient.
enum { LIGHTS_TEXT = 192 };
static void write_lights(const view_lights *lights, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < VIEW_NUM_LIGHTS; i++) {
        const float value = lights->values[i];
        char number[24];
        int digits = 7;
        // Use the smallest number of digits, from 7, that is read as the same bits.
        do {
            COMMON_TEXT(number, "%.*g", digits, value);
        } while ((float)strtod(number, NULL) != value && digits++ < 9);
        common_append(text, size, ",", "%s=%s", view_light_ranges[i].name, number);
    }
}

void view_write_shown(const view_shown *shown, const view_lights *lights, char *text, size_t size)
{
    view_shown copy = *shown;
    text[0] = '\0';
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const o = &table[i];
        if (o->word == NULL)
            continue;
        const bool on = *view_switch_field(o, &copy);
        char *const value = common_copy_word(o->kind == COMMON_EITHER ? o->value : "0|1", on);
        common_append(text, size, " ", "%s=%s", o->word, value);
        free(value);
    }
    char values[LIGHTS_TEXT];
    write_lights(lights, values, sizeof values);
    common_append(text, size, " ", "lights=%s", values);
}

// The names describe the use in the engine's scripts. parm7 is the time of death in most games, and
// a number from 0 to 1 in a few.
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

void view_set_parm(view_parms *parms, int row, float value, double clip_time)
{
    const int parm = row - VIEW_FIRST_PARM;
    if (row == VIEW_PARM_TIME)
        parms->ahead = (float)(value - clip_time);
    else
        parms->values[parm] = value;
    if ((parm == 4 || parm == 7) && parms->ahead == view_parm_ranges[VIEW_PARM_TIME].usual)
        parms->ahead = 0;
}

// == Values =======================================================================================
//
// Reads and writes the values of options of each kind. A written value is read as the same bits.

// Choices are stored through an unsigned int.
static_assert(sizeof(md5_root) == sizeof(unsigned) && sizeof(md5_wrap) == sizeof(unsigned)
                  && sizeof(md5gl_path) == sizeof(unsigned)
                  && sizeof(view_level) == sizeof(unsigned)
                  && sizeof(view_shell) == sizeof(unsigned),
              "enums have the size of an unsigned int");

// Reads "NAME=VALUE", or "NAME=VALUE@TIME" if `has_times`, and inserts it. The settings are sorted
// by time; settings of equal time remain in the order given.
static bool add_setting(const char *text, bool has_times, view_settings *settings)
{
    const char *const equals = strchr(text, '=');
    view_setting setting = {.time = 0};
    double value = 0;
    if (equals == NULL || equals == text)
        return false;
    const char *end = common_parse_number(equals + 1, -FLT_MAX, FLT_MAX, &value);
    if (end != NULL && has_times && *end == '@')
        end = common_parse_number(end + 1, -DBL_MAX, DBL_MAX, &setting.time);
    if (end == NULL || *end != '\0')
        return false;
    setting.value = (float)value;
    setting.parameter = common_format("%.*s", (int)(equals - text), text);
    view_setting *last = COMMON_ADD_ITEM(settings->rows, settings->count);
    for (; last > settings->rows && last[-1].time > setting.time; last--)
        *last = last[-1];
    *last = setting;
    return true;
}

void view_copy_settings(view_settings *settings, const view_settings *from)
{
    for (size_t i = 0; i < settings->count; i++) {
        view_setting *const row = &settings->rows[i];
        free(row->parameter);
    }
    free(settings->rows);
    *settings = (view_settings){.count = 0};
    for (size_t i = 0; from != NULL && i < from->count; i++) {
        view_setting *const row = COMMON_ADD_ITEM(settings->rows, settings->count);
        *row = from->rows[i];
        row->parameter = common_copy(row->parameter);
    }
}

static common_option to_common_option(const view_option *o)
{
    return (common_option){o->name, o->value, o->kind, o->offset, o->low, o->high};
}

static void *option_field(const view_option *option, const view_options *options)
{
    return (unsigned char *)(uintptr_t)options + option->offset;
}

// Returns the flag that records that the option was given, or NULL if the option does not have one.
static bool *given_flag(const view_option *option, const view_options *options)
{
    return option->given > 0 ? (bool *)((unsigned char *)(uintptr_t)options + option->given) : NULL;
}

bool view_is_repeated(const view_option *option)
{
    return option->kind == COMMON_TEXTS || option->kind > VIEW_OPTION_LIGHTS;
}

// Returns true if fields of the option's kind point to strings.
static bool is_text(const view_option *option)
{
    return option->kind >= COMMON_TEXT && option->kind < COMMON_NUM_KINDS;
}

unsigned view_count_choices(const view_option *option)
{
    if (option->kind > COMMON_CHOICE)
        return 0;
    if (option->kind < COMMON_CHOICE)
        return 2;
    unsigned count = 1;
    for (const char *at = option->value; *at != '\0'; at++)
        count += *at == '|';
    return count;
}

unsigned view_get_choice(const view_option *option, const view_options *options)
{
    const void *const field = option_field(option, options);
    if (option->kind == COMMON_CHOICE)
        return *(const unsigned *)field;
    return *(const bool *)field ? 1 : 0;
}

void view_set_choice(const view_option *option, unsigned index, view_options *options)
{
    void *const field = option_field(option, options);
    bool *const given = given_flag(option, options);
    if (given != NULL)
        *given = true;
    if (option->kind == COMMON_CHOICE)
        *(unsigned *)field = index;
    else
        *(bool *)field = index != 0;
}

// Sets the option's field to a value, or adds the value if the option may be repeated.
static bool read_single_value(const view_option *option, const char *text, view_options *options)
{
    const common_option row = to_common_option(option);
    double number;
    char *end = NULL;
    if (option->scope == VIEW_SCOPE_FILE
        || (option->scope != VIEW_SCOPE_ANY && option->names != VIEW_NAMES_NOTHING))
        options->names_content = true;
    switch (option->kind) {
    case VIEW_OPTION_LIGHTS:
        return read_lights(text, &options->lights);
    case VIEW_OPTION_TIMES:
        for (const char *rest = text;;) {
            rest = common_parse_number(rest, -DBL_MAX, DBL_MAX, &number);
            if (rest == NULL || (*rest != ',' && *rest != '\0'))
                return false;
            *COMMON_ADD_ITEM(options->times, options->num_times) = number;
            if (*rest++ == '\0')
                return true;
        }
    case VIEW_OPTION_SETTING:
    case VIEW_OPTION_WEIGHT:
        return add_setting(text, option->kind == VIEW_OPTION_SETTING,
                           option_field(option, options));
    case VIEW_OPTION_PARM: {
        const unsigned long parm = strtoul(text, &end, 10);
        if (*text < '0' || *text > '9' || parm >= VIEW_NUM_PARMS || *end != '=')
            return false;
        const char *const rest = common_parse_number(end + 1, -FLT_MAX, FLT_MAX, &number);
        if (rest == NULL || *rest != '\0')
            return false;
        view_set_parm(&options->parms, VIEW_FIRST_PARM + (int)parm, (float)number, 0);
        return true;
    }
    default:
        return common_read_value(&row, text, options);
    }
}

bool view_read_option(const view_option *option, const char *text, view_options *options)
{
    bool *const given = given_flag(option, options);
    if (text == NULL && (option->value != NULL || option->kind >= VIEW_OPTION_LIGHTS))
        return false;
    if (given != NULL)
        *given = true;
    if (text == NULL)
        return read_single_value(option, NULL, options);
    if (is_text(option) && options->own == NULL)
        options->own = common_alloc(view_num_options, sizeof *options->own);
    common_list *const texts = is_text(option) ? &options->own[option - table] : NULL;
    const bool has_lines = view_is_repeated(option) && strchr(text, '\n') != NULL;
    bool is_read = true;
    do {
        const size_t length = strcspn(text, has_lines ? "\n" : "");
        char *const line = common_format("%.*s", (int)length, text);
        is_read = (!has_lines || text[length] == '\n') && read_single_value(option, line, options);
        text += length + has_lines;
        if (texts != NULL)
            common_add(texts, line);
        else
            free(line);
    } while (is_read && has_lines && *text != '\0');
    if (texts != NULL && !view_is_repeated(option) && texts->count > 1) { // replaces the first
        free(texts->names[0]);
        texts->names[0] = texts->names[--texts->count];
    }
    return is_read;
}

char *view_write_option(const view_option *option, const view_options *options)
{
    const common_option row = to_common_option(option);
    const void *const field = option_field(option, options);
    const bool *const given = given_flag(option, options);
    const common_texts *const texts = field;
    const view_settings *const settings = field;
    char lights[LIGHTS_TEXT], *text;
    if (given != NULL && !*given)
        return NULL;
    if (option->kind == COMMON_RANGE && options->range_last <= options->range_first)
        return NULL;
    if (option->kind < COMMON_TEXT)
        return common_write_value(&row, options);
    if (option->kind < COMMON_TEXTS)
        return common_copy(*(const char *const *)field);
    text = common_copy("");
    switch (option->kind) {
    case COMMON_TEXTS:
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
        for (int i = 0; i < VIEW_NUM_PARMS; i++)
            if (options->parms.values[i] != view_parm_ranges[VIEW_FIRST_PARM + i].usual)
                common_extend(&text, "%d=%.9g\n", i, options->parms.values[i]);
        break;
    default: // settings, weights
        for (size_t i = 0; i < settings->count; i++) {
            view_setting *const s = &settings->rows[i];
            common_extend(&text, s->time != 0 ? "%s=%.9g@%.17g\n" : "%s=%.9g\n", s->parameter,
                          s->value, s->time);
        }
    }
    if (text[0] != '\0')
        return text;
    free(text);
    return NULL;
}

const char *view_file_in(const view_option *option, const char *value)
{
    const bool is_pair = option->kind == COMMON_PAIR_TEXT || view_is_texture(option);
    const char *const equals = is_pair ? strchr(value, '=') : NULL;
    const bool is_file = option->names >= VIEW_NAMES_MODEL && option->names <= VIEW_NAMES_PICTURE;
    if (!is_file)
        return NULL;
    return equals != NULL ? equals + 1 : value;
}

bool view_set_text(const view_option *option, const char *text, view_options *options)
{
    view_reset_option(option, options);
    return text == NULL || view_read_option(option, text, options);
}

// Returns the defaults of all options, in a window or for --output. They do not own memory.
static view_options usual_options(bool is_in_window)
{
    // The material time starts at one minute. parm 4 is minus the time of the last shot of a gun;
    // its default is 0, so at time 0 all guns would fire. After a minute no muzzle flash is
    // visible, and effects that repeat a whole number of times per minute look as at time 0.
    view_options usual = {
        .width = 1280,
        .height = 720,
        .samples = 4,
        .parms = {.ahead = view_parm_ranges[VIEW_PARM_TIME].usual},
        .speed = 1,
        .lights = view_usual_lights(),
        .level = VIEW_INFO,
    };
    for (int i = 0; i < VIEW_NUM_PARMS; i++)
        usual.parms.values[i] = view_parm_ranges[VIEW_FIRST_PARM + i].usual;
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const o = &table[i];
        if (o->word != NULL)
            *view_switch_field(o, &usual.shown) =
                (o->usual == VIEW_USUALLY_YES
                 || (o->usual == VIEW_USUALLY_IN_WINDOW && is_in_window))
                != (o->kind == COMMON_OPPOSITE);
    }
    return usual;
}

char *view_write_usual(const view_option *option)
{
    const view_options usual = usual_options(true);
    return view_write_option(option, &usual);
}

void view_reset_option(const view_option *option, view_options *options)
{
    void *const field = option_field(option, options);
    bool *const given = given_flag(option, options);
    const view_options usual = usual_options(true);
    if (given != NULL)
        *given = false;
    if (options->own != NULL)
        common_free_list(&options->own[option - table]);
    switch (option->kind) {
    case COMMON_TEXTS:
        free(((common_texts *)field)->names);
        *(common_texts *)field = (common_texts){.count = 0};
        break;
    case VIEW_OPTION_LIGHTS:
        options->lights = usual.lights;
        break;
    case VIEW_OPTION_TIMES:
        free(options->times);
        options->times = NULL;
        options->num_times = 0;
        break;
    case VIEW_OPTION_PARM:
        options->parms = usual.parms;
        break;
    case VIEW_OPTION_SETTING:
    case VIEW_OPTION_WEIGHT:
        view_copy_settings(field, NULL);
        break;
    default:
        memcpy(field, option_field(option, &usual), common_value_size(option->kind));
    }
}

// == Settings =====================================================================================

char *view_write_settings(const view_options *options, const view_options *usual, view_scope first,
                          view_scope last)
{
    const view_options none = usual_options(true);
    char *lines = common_copy("");
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const o = &table[i];
        const bool is_in_scope = o->scope >= first && o->scope <= last;
        if (!is_in_scope)
            continue;
        char *const text = view_write_option(o, options);
        char *const usual_text = view_write_option(o, usual != NULL ? usual : &none);
        const bool is_usual = text == NULL || (usual_text != NULL && strcmp(text, usual_text) == 0);
        const char *value = is_usual ? "" : text;
        for (size_t length; *value != '\0'; value += length + (value[length] != '\0')) {
            length = strcspn(value, "\n");
            common_extend(&lines, "--%s=%.*s\n", o->name, (int)length, value);
        }
        free(usual_text);
        free(text);
    }
    return lines;
}

const view_option *view_next_setting(const char **lines, char **value)
{
    while (**lines != '\0') {
        const char *const line = *lines;
        const char *const equals = strchr(line, '=');
        const size_t length = strcspn(line, "\n");
        *lines += length + (line[length] != '\0');
        const view_option *const option =
            strncmp(line, "--", 2) == 0 && equals != NULL && equals < line + length
                ? view_find_option(line + 2, (size_t)(equals - line) - 2)
                : NULL;
        if (option == NULL)
            continue;
        *value = common_format("%.*s", (int)(line + length - equals) - 1, equals + 1);
        return option;
    }
    return NULL;
}

void view_take_settings(view_options *options, const char *lines, view_scope first, view_scope last)
{
    char *value;
    for (size_t i = 0; i < view_num_options; i++)
        if (table[i].scope >= first && table[i].scope <= last)
            view_reset_option(&table[i], options);
    for (const view_option *o; (o = view_next_setting(&lines, &value)) != NULL; free(value))
        if (o->scope >= first && o->scope <= last && !view_read_option(o, value, options))
            view_reset_option(o, options);
}

// == The command line =============================================================================

// Writes the error message. Returns false.
static bool report_unknown_option(const char *argument, const view_option *nearest, char *problem,
                                  size_t size)
{
    if (nearest != NULL)
        snprintf(problem, size,
                 "unknown option %s; did you mean --%s? Use --help to list all options", argument,
                 nearest->name);
    else
        snprintf(problem, size, "unknown option %s; use --help to list all options", argument);
    return false;
}

static bool report_removed_option(const common_removed *option, char *problem, size_t size)
{
    snprintf(problem, size, "--%s was removed: %s", option->name, option->advice);
    return false;
}

// Reads the option at arguments[*i], advances *i to its value, and marks the option as given.
static bool read_option(int count, char **arguments, int *i, view_options *options, bool *given,
                        char *problem, size_t size)
{
    const char *const argument = arguments[*i];
    if (strcmp(argument, "-h") == 0 || strcmp(argument, "-?") == 0) {
        options->help = true;
        return true;
    }
    if (argument[1] != '-')
        return report_unknown_option(argument, NULL, problem, size);

    const char *const name = argument + 2;
    const char *equals = strchr(name, '=');
    const size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const view_option *const found = view_find_option(name, length);
    if (found == NULL) {
        const common_removed *const removed = view_find_removed_option(name, length);
        if (removed != NULL)
            return report_removed_option(removed, problem, size);
        return report_unknown_option(argument, find_nearest(name, length), problem, size);
    }

    const char *value = equals != NULL ? equals + 1 : NULL;
    if (value == NULL && found->value != NULL && *i + 1 < count)
        value = arguments[++*i];
    given[found - table] = true;
    const common_option row = to_common_option(found);
    const bool is_read = view_read_option(found, value, options);
    if (!is_read)
        common_explain_value(&row, value, problem, size);
    return is_read;
}

static bool is_movie(const char *path)
{
    static const char *const endings[] = {".apng", ".gif", ".mp4", ".webm"};
    for (size_t i = 0; i < COMMON_LENGTH(endings); i++)
        if (common_has_suffix(path, endings[i]))
            return true;
    return false;
}

// Returns true and writes the error message if an option was given that cannot be combined with
// --thumbnail. Only a few can.
static bool contradicts_thumbnail(const bool *given, const view_options *o, char *problem,
                                  size_t size)
{
    static const char allowed[] = " output thumbnail resolution samples skin animation-time "
                                  "verbose config no-config no-auto no-background ";
    char name[64];
    if (o->output == NULL || o->num_times > 1) {
        snprintf(problem, size, "--thumbnail requires --output and at most one --animation-time");
        return true;
    }
    for (size_t i = 0; i < view_num_options; i++) {
        COMMON_TEXT(name, " %s ", table[i].name);
        if (!given[i] || strstr(allowed, name) != NULL)
            continue;
        snprintf(problem, size, "--thumbnail cannot be combined with --%s", table[i].name);
        return true;
    }
    return false;
}

const char *view_missing_requirement(const view_option *option, const view_options *o)
{
    bool has_camera = o->game != NULL;
    for (size_t i = 0; i < o->num_files; i++)
        has_camera |= common_has_suffix(o->files[i], ".md5camera");
    const struct {
        const char *names;
        bool is_there;
        const char *what;
    } rows[] = {
        {" crowd-reduced crowd-baked crowd-impostors ", o->crowd > 0, "--crowd"},
        {" retarget-map retarget-pairs retarget-layout ", o->retarget != NULL, "--retarget"},
        {" no-environment environment-background ", o->environment != NULL, "--environment"},
        {" camera-path camera-smoothing ", has_camera, "a camera path (.md5camera)"},
        {" watch record-as no-auto-quality reduced-motion open-last mute ", false, "a window"},
    };
    char name[64];
    COMMON_TEXT(name, " %s ", option->name);
    for (size_t i = 0; i < COMMON_LENGTH(rows); i++)
        if (!rows[i].is_there && strstr(rows[i].names, name) != NULL)
            return rows[i].what;
    return NULL;
}

// Returns the error of options that cannot be combined with this --output, or NULL.
static const char *find_output_contradiction(const view_options *o)
{
    const bool has_sheet = o->sheet_columns > 0;
    const bool is_stdout = strcmp(o->output, "-") == 0;
    if (!is_stdout && !common_has_suffix(o->output, ".png") && !is_movie(o->output))
        return "--output: unknown file extension; expected .png, .apng, .gif, .mp4 or .webm, or - "
               "for standard output";
    const bool has_times = o->num_frames > 0 || o->num_times > 0;
    const bool has_layout = has_sheet || o->turntable || o->all_clips;
    if (o->num_folders > 0 && (has_layout || has_times || is_movie(o->output)))
        return "a folder can only be drawn to one image, FILE.png, without --sheet, --turntable, "
               "--clips, --frames and --animation-time";
    if (has_sheet && (is_movie(o->output) || o->num_frames > 0))
        return "--sheet writes one image, FILE.png, and cannot be combined with --frames";
    const bool has_images = o->num_times > 1 || o->num_frames > 1 || (o->turntable && !has_sheet);
    if (is_stdout && has_images)
        return "--output - can write only one image; use one --animation-time";
    if (o->all_clips && !has_sheet && strstr(o->output, "{anim}") == NULL)
        return "--clips all writes one file per clip; add {anim} to the name in --output";
    if (has_sheet && (o->sheet_columns > o->width || o->sheet_rows > o->height))
        return "--sheet has more cells than --resolution has pixels";
    return NULL;
}

// Returns the error of options that cannot be combined, or NULL.
static const char *find_contradiction(const view_options *o)
{
    size_t num_camera_paths = 0;
    for (size_t i = 0; i < o->num_files; i++)
        num_camera_paths += common_has_suffix(o->files[i], ".md5camera");
    if (o->game != NULL && (o->num_files > 1 || o->crowd > 0))
        return "--game requires at most one name and cannot be combined with --crowd";
    if (o->bases.count > 0 && o->game == NULL)
        return "--base requires --game, or one folder";
    const bool has_model = o->num_files + o->num_folders > 0 || o->game != NULL || o->crowd > 0;
    if (o->page != NULL && has_model)
        return "--lesson has its own model; it cannot be combined with files, --game or --crowd";
    if (o->wear.count > 0 && (o->game != NULL || o->crowd > 0))
        return "--outfit cannot be combined with --game or --crowd";
    if (num_camera_paths > 1)
        return "only one camera path (.md5camera) can be shown";
    if (o->no_render && (o->output != NULL || o->num_frames > 0))
        return "--no-render cannot be combined with --output or --frames";
    if (o->thumbnail > 0)
        return NULL;
    if (o->output != NULL)
        return find_output_contradiction(o);
    if (o->sheet_columns > 0 || o->turntable || o->all_clips || o->labels)
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
    const bool is_model = common_is_file(script);
    free(script);
    return common_contains_files(path) && !is_model;
}

bool view_read_options(int count, char **arguments, view_options *options, char *problem,
                       size_t problem_size)
{
    *options = usual_options(true);
    options->files = common_alloc((size_t)count + 1, sizeof *options->files);
    options->folders = common_alloc((size_t)count + 1, sizeof *options->folders);

    bool *const given = options->is_given = common_alloc(view_num_options, sizeof *given);
    bool only_files = false, is_read = true; // only_files: after "--"
    for (int i = 0; i < count && is_read; i++) {
        const char *const argument = arguments[i];
        if (!only_files && strcmp(argument, "--") == 0)
            only_files = true;
        else if (!only_files && argument[0] == '-' && argument[1] != '\0')
            is_read = read_option(count, arguments, &i, options, given, problem, problem_size);
        else if (view_is_listed(argument))
            options->folders[options->num_folders++] = argument;
        else
            options->files[options->num_files++] = argument;
    }
    bool is_wrong = is_read && options->thumbnail > 0
                    && contradicts_thumbnail(given, options, problem, problem_size);

    // With --base, a single folder is the mod. With --game, an argument is a name in the game, even
    // if a folder of that name exists here.
    if (options->bases.count > 0 && options->game == NULL && options->num_folders == 1) {
        options->game = options->folders[0];
        options->num_folders = 0;
    }
    for (size_t i = 0; i < options->num_folders && options->game != NULL; i++)
        options->files[options->num_files++] = options->folders[i];
    if (options->game != NULL)
        options->num_folders = 0;

    // All models after the first are outfits.
    const size_t num_files = options->num_files;
    bool has_model = false;
    options->num_files = 0;
    for (size_t i = 0; i < num_files; i++) {
        const char *const file = options->files[i];
        const bool is_model =
            !common_has_suffix(file, ".md5anim") && !common_has_suffix(file, ".md5camera");
        const bool has_outfits = options->crowd == 0 && options->game == NULL;
        if (is_model && has_model && has_outfits)
            *COMMON_ADD_ITEM(options->wear.names, options->wear.count) = file;
        else
            options->files[options->num_files++] = file;
        has_model |= is_model;
    }

    for (size_t i = 0; i < view_num_options && is_read && !view_shows_window(options); i++) {
        const char *const what = given[i] ? view_missing_requirement(&table[i], options) : NULL;
        if (what != NULL && !is_wrong)
            snprintf(problem, problem_size, "--%s has no effect without %s", table[i].name, what);
        is_wrong |= what != NULL;
    }

    // Images contain panels only if an option requests them.
    for (size_t i = 0; i < view_num_options && options->output != NULL; i++)
        if (table[i].usual == VIEW_USUALLY_IN_WINDOW && !given[i])
            *view_switch_field(&table[i], &options->shown) = false;

    if (!is_read || is_wrong)
        return false;
    const char *const contradiction = find_contradiction(options);
    if (contradiction != NULL)
        snprintf(problem, problem_size, "%s", contradiction);
    return contradiction == NULL;
}

void view_free_options(view_options *options)
{
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const o = &table[i];
        view_reset_option(o, options);
    }
    free(options->own);
    free(options->is_given);
    free(options->files);
    free(options->folders);
    *options = (view_options){0};
}

char *view_join_words(const char *program, const common_list *words)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_-+=.,:/@%";
    char *line = common_copy(program);
    for (size_t i = 0; i < words->count; i++) {
        const char *const word = words->names[i];
        const bool is_plain = word[0] != '\0' && word[strspn(word, plain)] == '\0';
        char *const quoted = common_alloc(4 * strlen(word) + 3, 1);
        char *end = quoted;
        for (const char *c = word; *c != '\0'; c++) {
            const bool is_quote = *c == '\'';
            const size_t length = is_quote ? 4 : 1;
            memcpy(end, is_quote ? "'\\''" : c, length);
            end += length;
        }
        common_extend(&line, is_plain ? " %s" : " '%s'", quoted);
        free(quoted);
    }
    return line;
}
