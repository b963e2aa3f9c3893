// Reads and writes the values of options of each kind. A written value is read as the same bits.
#include "demo/viewer/base/option_table.h"

#include "demo/common/memory.h"
#include "demo/viewer/base/options.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Choices are stored through an unsigned int.
static_assert(sizeof(md5_root) == sizeof(unsigned) && sizeof(md5_wrap) == sizeof(unsigned)
                  && sizeof(md5gl_path) == sizeof(unsigned)
                  && sizeof(view_level) == sizeof(unsigned)
                  && sizeof(view_shell) == sizeof(unsigned),
              "enums have the size of an unsigned int");

static void *field_of(const view_option *option, view_options *options)
{
    return (unsigned char *)options + option->place;
}

static const void *value_of(const view_option *option, const view_options *options)
{
    return (const unsigned char *)options + option->place;
}

// -- Parts of texts -------------------------------------------------------------------------

// Reads the whole text as a finite number, in the C locale.
static bool read_number(const char *text, const view_option *option, double *number)
{
    char *end = NULL;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number >= option->low && *number <= option->high;
}

// Reads a number from 0 to `most` and the `end` after it, and advances.
static bool take_number(const char **text, double most, char end, double *number)
{
    char *rest = NULL;
    *number = strtod(*text, &rest);
    if (rest == *text || *rest != end || !(*number >= 0.0 && *number <= most))
        return false;
    *text = end != '\0' ? rest + 1 : rest;
    return true;
}

// The number of `word` among "a|b|c", or -1.
static int find_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (int number = 0; words != NULL; number++) {
        const char *const bar = strchr(words, '|');
        const size_t end = bar != NULL ? (size_t)(bar - words) : strlen(words);
        if (end == length && strncmp(words, word, length) == 0)
            return number;
        words = bar != NULL ? bar + 1 : NULL;
    }
    return -1;
}

static char *copy_word(const char *words, unsigned number)
{
    for (; number > 0 && words != NULL; number--) {
        words = strchr(words, '|');
        words = words != NULL ? words + 1 : NULL;
    }
    return words != NULL ? common_format("%.*s", (int)strcspn(words, "|"), words) : NULL;
}

// -- Switches and choices -------------------------------------------------------------------

static bool read_yes_or_no(const char *text, bool *on)
{
    static const char words[] = "no|yes|false|true|0|1|off|on";
    const int word = text != NULL ? find_word(words, text) : 1;
    *on = word % 2 == 1;
    return word >= 0;
}

static bool read_switch(const char *text, const view_option *option, view_options *options)
{
    return read_yes_or_no(text, field_of(option, options));
}

static char *write_switch(const view_option *option, const view_options *options)
{
    const bool *const on = value_of(option, options);
    return common_copy(*on ? "yes" : "no");
}

static bool read_opposite(const char *text, const view_option *option, view_options *options)
{
    bool *const field = field_of(option, options);
    const bool is_read = read_yes_or_no(text, field);
    *field = !*field;
    return is_read;
}

static char *write_opposite(const view_option *option, const view_options *options)
{
    const bool *const on = value_of(option, options);
    return common_copy(*on ? "no" : "yes");
}

static bool read_either(const char *text, const view_option *option, view_options *options)
{
    const int word = find_word(option->value, text);
    bool *const second = field_of(option, options);
    *second = word == 1;
    return word >= 0;
}

static char *write_either(const view_option *option, const view_options *options)
{
    const bool *const second = value_of(option, options);
    return copy_word(option->value, *second ? 1 : 0);
}

static bool read_choice(const char *text, const view_option *option, view_options *options)
{
    const int word = find_word(option->value, text);
    const unsigned choice = (unsigned)word;
    memcpy(field_of(option, options), &choice, sizeof choice);
    return word >= 0;
}

static char *write_choice(const view_option *option, const view_options *options)
{
    unsigned choice;
    memcpy(&choice, value_of(option, options), sizeof choice);
    return copy_word(option->value, choice);
}

// -- Numbers --------------------------------------------------------------------------------

static bool read_count(const char *text, const view_option *option, view_options *options)
{
    double number;
    if (!read_number(text, option, &number) || number != floor(number))
        return false;
    uint32_t *const field = field_of(option, options);
    *field = (uint32_t)number;
    return true;
}

static char *write_count(const view_option *option, const view_options *options)
{
    const uint32_t *const count = value_of(option, options);
    return common_format("%u", (unsigned)*count);
}

static bool read_float(const char *text, const view_option *option, view_options *options)
{
    double number;
    if (!read_number(text, option, &number))
        return false;
    float *const field = field_of(option, options);
    *field = (float)number;
    return true;
}

static char *write_float(const view_option *option, const view_options *options)
{
    const float *const number = value_of(option, options);
    const bool is_set = (double)*number >= option->low && (double)*number <= option->high;
    return is_set ? common_format("%.9g", (double)*number) : NULL;
}

static bool read_double(const char *text, const view_option *option, view_options *options)
{
    return read_number(text, option, field_of(option, options));
}

static char *write_double(const view_option *option, const view_options *options)
{
    const double *const number = value_of(option, options);
    const bool is_set = *number >= option->low && *number <= option->high;
    return is_set ? common_format("%.17g", *number) : NULL;
}

static bool read_grid(const char *text, const view_option *option, view_options *options)
{
    double across = 0.0, down = 0.0;
    const char separator = strchr(text, 'x') != NULL ? 'x' : ',';
    if (!take_number(&text, option->high, separator, &across)
        || !take_number(&text, option->high, '\0', &down) || across < option->low
        || down < option->low || across != floor(across) || down != floor(down))
        return false;
    uint32_t *const field = field_of(option, options);
    field[0] = (uint32_t)across;
    field[1] = (uint32_t)down;
    return true;
}

static char *write_grid(const view_option *option, const view_options *options)
{
    const uint32_t *const grid = value_of(option, options);
    return common_format("%u,%u", (unsigned)grid[0], (unsigned)grid[1]);
}

static bool read_range(const char *text, const view_option *option, view_options *options)
{
    double first = 0.0, last = 0.0;
    if (!take_number(&text, option->high, '-', &first)
        || !take_number(&text, option->high, '\0', &last) || first < option->low || first >= last
        || first != floor(first) || last != floor(last))
        return false;
    uint32_t *const field = field_of(option, options);
    field[0] = (uint32_t)first;
    field[1] = (uint32_t)last;
    return true;
}

static bool read_color(const char *text, const view_option *option, view_options *options)
{
    float *const color = field_of(option, options);
    if (text[0] == '#') {
        char *end = NULL;
        const unsigned long hex = strtoul(text + 1, &end, 16);
        for (int i = 0; i < 3; i++)
            color[i] = (float)((hex >> (16 - 8 * i)) & 255) / 255.0f;
        return strlen(text) == 7 && *end == '\0' && text[1] != '-' && text[1] != '+';
    }
    for (int i = 0; i < 3; i++) {
        double value;
        if (!take_number(&text, 1.0, i < 2 ? ',' : '\0', &value))
            return false;
        color[i] = (float)value;
    }
    return true;
}

static char *write_color(const view_option *option, const view_options *options)
{
    const float *const color = value_of(option, options);
    return common_format("%.9g,%.9g,%.9g", (double)color[0], (double)color[1], (double)color[2]);
}

static bool read_lights(const char *text, const view_option *option, view_options *options)
{
    return view_read_lights(text, field_of(option, options));
}

static char *write_lights(const view_option *option, const view_options *options)
{
    char text[VIEW_LIGHTS_TEXT];
    view_write_lights(value_of(option, options), text, sizeof text);
    return common_copy(text);
}

// -- Texts and lists ------------------------------------------------------------------------

static bool read_text(const char *text, const view_option *option, view_options *options)
{
    const char **const field = field_of(option, options);
    *field = text;
    return text[0] != '\0';
}

static bool read_pair_text(const char *text, const view_option *option, view_options *options)
{
    const char *const equals = strchr(text, '=');
    return read_text(text, option, options) && equals != NULL && equals > text && equals[1] != '\0';
}

static bool read_times(const char *text, const view_option *option, view_options *options)
{
    (void)option;
    for (const char *rest = text;;) {
        char *end = NULL;
        const double time = strtod(rest, &end);
        if (end == rest || !isfinite(time) || (*end != ',' && *end != '\0'))
            return false;
        options->times =
            common_realloc(options->times, options->num_times + 1, sizeof *options->times);
        options->times[options->num_times++] = time;
        if (*end == '\0')
            return true;
        rest = end + 1;
    }
}

// Sorted by time; those of equal time in the order given.
static bool read_setting(const char *text, const view_option *option, view_options *options)
{
    (void)option;
    const char *const equals = strchr(text, '=');
    char *end = NULL;
    if (equals == NULL || equals == text)
        return false;
    view_setting setting = {.value = (float)strtod(equals + 1, &end)};
    if (end == equals + 1 || !isfinite(setting.value))
        return false;
    if (*end == '@') {
        const char *const time = end + 1;
        setting.time = strtod(time, &end);
        if (end == time || !isfinite(setting.time))
            return false;
    }
    if (*end != '\0')
        return false;
    setting.parameter = common_format("%.*s", (int)(equals - text), text);
    options->settings =
        common_realloc(options->settings, options->num_settings + 1, sizeof *options->settings);
    size_t place = options->num_settings++;
    for (; place > 0 && options->settings[place - 1].time > setting.time; place--)
        options->settings[place] = options->settings[place - 1];
    options->settings[place] = setting;
    return true;
}

static bool read_weight(const char *text, const view_option *option, view_options *options)
{
    (void)option;
    const char *const equals = strchr(text, '=');
    char *end = NULL;
    if (equals == NULL || equals == text)
        return false;
    view_setting morph = {.value = (float)strtod(equals + 1, &end)};
    if (end == equals + 1 || *end != '\0' || !isfinite(morph.value))
        return false;
    morph.parameter = common_format("%.*s", (int)(equals - text), text);
    options->morphs =
        common_realloc(options->morphs, options->num_morphs + 1, sizeof *options->morphs);
    options->morphs[options->num_morphs++] = morph;
    return true;
}

static bool read_parm(const char *text, const view_option *option, view_options *options)
{
    char *end = NULL;
    (void)option;
    if (*text < '0' || *text > '9')
        return false;
    const unsigned long parm = strtoul(text, &end, 10);
    if (parm >= VIEW_NUM_PARMS || *end != '=')
        return false;
    const char *const number = end + 1;
    const double value = strtod(number, &end);
    if (end == number || *end != '\0' || !(fabs(value) <= FLT_MAX))
        return false;
    view_set_parm(&options->parms, VIEW_FIRST_PARM + (int)parm, (float)value, 0.0);
    return true;
}

static bool read_texture(const char *text, const view_option *option, view_options *options)
{
    const char *const equals = strchr(text, '=');
    view_texture_choice choice = {.map = option->map, .mesh = NULL, .file = text};
    if (equals != NULL) {
        choice.mesh = common_format("%.*s", (int)(equals - text), text);
        choice.file = equals + 1;
    }
    options->textures =
        common_realloc(options->textures, options->num_textures + 1, sizeof *options->textures);
    options->textures[options->num_textures++] = choice;
    return text[0] != '\0';
}

static bool read_base(const char *text, const view_option *option, view_options *options)
{
    (void)option;
    options->bases = common_realloc(options->bases, options->num_bases + 1, sizeof *options->bases);
    options->bases[options->num_bases++] = text;
    return text[0] != '\0';
}

static bool read_mesh(const char *text, const view_option *option, view_options *options)
{
    (void)option;
    options->hidden =
        common_realloc(options->hidden, options->num_hidden + 1, sizeof *options->hidden);
    options->hidden[options->num_hidden++] = text;
    return text[0] != '\0';
}

// -- By kind --------------------------------------------------------------------------------

static const struct {
    bool (*read)(const char *text, const view_option *option, view_options *options);
    char *(*write)(const view_option *option, const view_options *options); // NULL: read only
} kinds[VIEW_OPTION_NUM_KINDS] = {
    [VIEW_OPTION_SWITCH] = {read_switch, write_switch},
    [VIEW_OPTION_OPPOSITE] = {read_opposite, write_opposite},
    [VIEW_OPTION_EITHER] = {read_either, write_either},
    [VIEW_OPTION_CHOICE] = {read_choice, write_choice},
    [VIEW_OPTION_COUNT] = {read_count, write_count},
    [VIEW_OPTION_FLOAT] = {read_float, write_float},
    [VIEW_OPTION_NUMBER] = {read_double, write_double},
    [VIEW_OPTION_GRID] = {read_grid, write_grid},
    [VIEW_OPTION_RANGE] = {read_range, NULL},
    [VIEW_OPTION_COLOR] = {read_color, write_color},
    [VIEW_OPTION_LIGHTS] = {read_lights, write_lights},
    [VIEW_OPTION_TEXT] = {read_text, NULL},
    [VIEW_OPTION_PAIR_TEXT] = {read_pair_text, NULL},
    [VIEW_OPTION_TIMES] = {read_times, NULL},
    [VIEW_OPTION_SETTING] = {read_setting, NULL},
    [VIEW_OPTION_WEIGHT] = {read_weight, NULL},
    [VIEW_OPTION_PARM] = {read_parm, NULL},
    [VIEW_OPTION_TEXTURE] = {read_texture, NULL},
    [VIEW_OPTION_MESH] = {read_mesh, NULL},
    [VIEW_OPTION_BASE] = {read_base, NULL},
};

bool view_read_option(const view_option *option, const char *text, view_options *options)
{
    if (text == NULL && option->value != NULL)
        return false;
    if (option->given > 0)
        *(bool *)((unsigned char *)options + option->given) = true;
    options->names_content = options->names_content || option->names_content;
    return kinds[option->kind].read(text, option, options);
}

char *view_write_option(const view_option *option, const view_options *options)
{
    return kinds[option->kind].write != NULL ? kinds[option->kind].write(option, options) : NULL;
}
