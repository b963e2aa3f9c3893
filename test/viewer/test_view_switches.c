// Keys and switches. A switch is one row of the table of options, which defines its option of the
// command line, its key, its entries in all lists for users, and its word in the debug line. The
// tests of switches iterate over the table, so new rows are tested without changes here.
#include "test/test.h"

#include "demo/common/memory.h"
#include "demo/viewer/app/open.h"
#include "demo/viewer/app/window.h"
#include "demo/viewer/base/manual.h"
#include "demo/viewer/base/options.h"
#include "demo/viewer/jobs/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>

static bool has_key(const view_option *row)
{
    return row->keys[0].code != 0;
}

// -- Keys -----------------------------------------------------------------------------------

static void press(view_state *viewer, const view_key *key)
{
    bool redraw = false;
    SDL_Event event = {.type = SDL_KEYDOWN};
    event.key.keysym.sym = key->code;
    event.key.keysym.mod = key->shift ? KMOD_LSHIFT : KMOD_NONE;
    view_handle_event(viewer, &event, &redraw);
}

// Presses the key twice, and checks all switches after each press.
static void check_key(view_state *viewer, const view_option *row, const view_key *key)
{
    const view_shown before = viewer->shown;
    view_shown turned = before;
    bool *const field = view_switch_field(row, &turned);
    *field = !*field;
    press(viewer, key);
    test_check(memcmp(&viewer->shown, &turned, sizeof turned) == 0, __FILE__, __LINE__,
               "a key of --%s does not turn its switch, or turns another", row->name);
    press(viewer, key);
    test_check(memcmp(&viewer->shown, &before, sizeof before) == 0, __FILE__, __LINE__,
               "a key of --%s does not turn its switch back", row->name);
}

TEST (view_keys_of_switches_toggle_their_fields) {
    size_t count, num_keys = 0;
    const view_option *const table = view_options_table(&count);
    view_options options;
    view_state viewer;
    char problem[256];
    CHECK(view_read_options(0, NULL, &options, problem, sizeof problem));
    view_begin(&viewer, &options);
    view_take_switches(&viewer);
    viewer.log.level = VIEW_QUIET;
    for (size_t i = 0; i < count; i++)
        for (int j = 0; j < VIEW_MAX_SWITCH_KEYS && table[i].keys[j].code != 0; j++)
            if (table[i].keys[j].modes == 0 || (table[i].keys[j].modes & VIEW_IN_CLIPS) != 0) {
                check_key(&viewer, &table[i], &table[i].keys[j]);
                num_keys++;
            }
    CHECK(num_keys >= 18);
    view_close(&viewer);
    view_end(&viewer);
    view_free_options(&options);
}

// No other key of a mode takes precedence over that of a switch.
TEST (view_keys_of_switches_are_found_in_their_modes) {
    size_t count;
    const view_option *const table = view_options_table(&count);
    for (size_t i = 0; i < count; i++)
        for (int j = 0; j < VIEW_MAX_SWITCH_KEYS && table[i].keys[j].code != 0; j++)
            for (int mode = 0; mode < VIEW_NUM_MODES; mode++) {
                const view_key *const key = &table[i].keys[j];
                const view_binding found =
                    view_find_binding((view_mode)mode, key->code, key->shift, false, false);
                if (key->modes == 0 || (key->modes >> mode & 1) != 0)
                    test_check(view_switch_of(found.action) == &table[i], __FILE__, __LINE__,
                               "a key of --%s does something else in mode %d", table[i].name, mode);
            }
}

static view_action toggle_of(const char *option)
{
    size_t count;
    const view_option *nearest;
    const view_option *const row = view_find_option(option, strlen(option), &nearest);
    return (view_action)(VIEW_TOGGLE + (row - view_options_table(&count)));
}

// A key has one meaning in a mode, which is the one that the help lists.
TEST (view_keys_mean_one_thing_in_each_mode) {
    const view_action skeleton = toggle_of("armature"), help = toggle_of("keys");
    const view_action levels = toggle_of("no-crowd-levels");
    const struct {
        int32_t code;
        bool shift;
        view_action actions[VIEW_NUM_MODES];
    } cases[] = {
        {SDLK_SPACE, false, {VIEW_PLAY, VIEW_TRIGGER, VIEW_PLAY}},
        {SDLK_PAUSE, false, {VIEW_PLAY, VIEW_PLAY, VIEW_PLAY}},
        {SDLK_p, false, {VIEW_BIND_POSE, VIEW_PLAY, VIEW_NOTHING}},
        {SDLK_p, true, {VIEW_NOTHING, VIEW_BIND_POSE, VIEW_NOTHING}},
        {SDLK_w, false, {VIEW_NEXT_CLIP, VIEW_AHEAD, VIEW_NOTHING}},
        {SDLK_w, true, {VIEW_PREVIOUS_CLIP, VIEW_AHEAD, VIEW_NOTHING}},
        {SDLK_a, true, {skeleton, VIEW_TO_LEFT, VIEW_NOTHING}},
        {SDLK_j, false, {skeleton, skeleton, VIEW_NOTHING}},
        {SDLK_l, false, {VIEW_NEXT_LOOP, VIEW_NOTHING, VIEW_NOTHING}},
        {SDLK_d, false, {VIEW_NOTHING, VIEW_TO_RIGHT, levels}},
        {SDLK_o, false, {VIEW_NEXT_ROOT, VIEW_ONE_SHOT, VIEW_NOTHING}},
        {SDLK_PERIOD, false, {VIEW_STEP_ON, VIEW_STEP_ON, VIEW_STEP_ON}},
        {SDLK_h, false, {help, help, help}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int mode = 0; mode < VIEW_NUM_MODES; mode++) {
            const view_binding found =
                view_find_binding((view_mode)mode, cases[i].code, cases[i].shift, false, false);
            CHECK_UINT(found.action, cases[i].actions[mode]);
        }
}

// -- Rows -----------------------------------------------------------------------------------

// view_shown consists of switches only.
TEST (view_each_switch_has_one_row) {
    size_t count;
    const view_option *const table = view_options_table(&count);
    view_shown shown = {0};
    for (size_t i = 0; i < count; i++) {
        const bool is_switch = table[i].kind == VIEW_OPTION_SWITCH
                               || table[i].kind == VIEW_OPTION_OPPOSITE
                               || table[i].kind == VIEW_OPTION_EITHER;
        if (table[i].word == NULL) {
            test_check(!has_key(&table[i]) && table[i].usual == VIEW_USUALLY_NO, __FILE__, __LINE__,
                       "--%s has a key, but is no switch", table[i].name);
            continue;
        }
        bool *const field = view_switch_field(&table[i], &shown);
        test_check(is_switch && !*field, __FILE__, __LINE__, "--%s sets what another option sets",
                   table[i].name);
        *field = true;
    }
    for (size_t i = 0; i < sizeof shown / sizeof(bool); i++)
        test_check(((const bool *)&shown)[i], __FILE__, __LINE__, "switch %zu has no option", i);
}

TEST (view_switches_have_defaults_until_given) {
    char *picture[] = {"--output=a.png"}, *clear[] = {"--no-background"};
    char *given[] = {"--output=a.png", "--no-background", "--panel",     "--grid",
                     "--no-maps",      "--no-shadow=no",  "--frame-time"};
    view_options options;
    char problem[256];
    CHECK(view_read_options(0, NULL, &options, problem, sizeof problem));
    CHECK(options.shown.grid && options.shown.panel && options.shown.frame_time);
    CHECK(options.shown.maps && options.shown.shadows && !options.shown.edges);
    view_free_options(&options);
    CHECK(view_read_options(1, picture, &options, problem, sizeof problem));
    CHECK(options.shown.grid && !options.shown.panel && !options.shown.frame_time);
    view_free_options(&options);
    CHECK(view_read_options(1, clear, &options, problem, sizeof problem));
    CHECK(!options.shown.grid && options.shown.panel && options.shown.frame_time);
    view_free_options(&options);
    CHECK(view_read_options(7, given, &options, problem, sizeof problem));
    CHECK(options.shown.grid && options.shown.panel && options.shown.frame_time);
    CHECK(!options.shown.maps && options.shown.shadows);
    view_free_options(&options);
}

// -- Lists ----------------------------------------------------------------------------------

enum { NUM_TEXTS = 6, BINDINGS = 1, MANUAL = 2 };

// Returns what the viewer prints, without roff's backslashes before hyphens. The caller frees it.
static char *print_text(int number)
{
    FILE *const file = tmpfile();
    CHECK(file != NULL);
    if (file == NULL)
        return common_copy("");
    if (number == 0)
        view_print_help(file);
    else if (number == BINDINGS)
        view_print_bindings(file);
    else if (number == MANUAL)
        view_print_manual(file);
    else
        view_print_completions((view_shell)(number - MANUAL - 1), file);
    char *const text = common_alloc((size_t)ftell(file) + 1, 1);
    rewind(file);
    size_t length = 0;
    for (int c = fgetc(file); c != EOF; c = fgetc(file)) {
        if (c == '-' && length > 0 && text[length - 1] == '\\')
            length--;
        text[length++] = (char)c;
    }
    (void)fclose(file);
    return text;
}

// Whether a text has the words, not as the beginning of a longer name.
static bool has_words(const char *text, const char *words)
{
    const size_t length = strlen(words);
    for (const char *at = strstr(text, words); at != NULL; at = strstr(at + 1, words))
        if (strchr("abcdefghijklmnopqrstuvwxyz-", at[length]) == NULL || at[length] == '\0')
            return true;
    return false;
}

// An empty value is reported as wrong usage, so each row of the table is an option that is read.
TEST (view_options_refuse_empty_values) {
    size_t count;
    const view_option *const table = view_options_table(&count);
    CHECK(count > 30);
    for (size_t i = 0; i < count; i++) {
        char *argument = common_format("--%s=", table[i].name), problem[256] = "";
        char *const takes = common_format("--%s takes ", table[i].name);
        view_options options;
        CHECK(!view_read_options(1, &argument, &options, problem, sizeof problem));
        test_check(strncmp(problem, takes, strlen(takes)) == 0, __FILE__, __LINE__, "%s: %s",
                   argument, problem);
        view_free_options(&options);
        free(takes);
        free(argument);
    }
}

TEST (view_options_are_in_the_help_completions_and_manual) {
    static const char *const names[NUM_TEXTS] = {"--help", NULL, "--man", "bash", "zsh", "fish"};
    size_t count;
    const view_option *const table = view_options_table(&count);
    for (int i = 0; i < NUM_TEXTS; i++) {
        char *const text = print_text(i);
        for (size_t j = 0; j < count && i != BINDINGS; j++) {
            char *const words =
                common_format("%s%s", strcmp(names[i], "fish") == 0 ? "-l " : "--", table[j].name);
            test_check(has_words(text, words), __FILE__, __LINE__, "%s does not tell of --%s",
                       names[i], table[j].name);
            free(words);
        }
        free(text);
    }
}

TEST (view_keys_of_switches_are_in_all_lists_of_keys) {
    size_t count;
    const view_option *const table = view_options_table(&count);
    char *const bindings = print_text(BINDINGS), *const manual = print_text(MANUAL);
    view_key_line lines[VIEW_MAX_KEY_LINES];
    for (size_t i = 0; i < count; i++) {
        if (!has_key(&table[i]))
            continue;
        const uint8_t modes = table[i].keys[0].modes;
        const bool in_machine = modes == VIEW_IN_MACHINE;
        const view_mode mode = modes == VIEW_IN_CROWD ? VIEW_MODE_CROWD
                               : in_machine           ? VIEW_MODE_MACHINE
                                                      : VIEW_MODE_CLIPS;
        const uint32_t num_lines = view_list_keys(mode, NULL, 0, false, lines);
        const char *const help = table[i].key_help != NULL ? table[i].key_help : table[i].help;
        const char *const where = in_machine ? " (state machine)" : "";
        const char *const keys = table[i].keys[0].keys;
        char *const line = common_format("  %-27s %s%s\n", keys, help, where);
        char *const entry = common_format("\\fB%s\\fR\n%s%s\n", keys, help, where);
        bool is_listed = false;
        for (uint32_t j = 0; j < num_lines; j++)
            is_listed = is_listed || strcmp(lines[j].help, help) == 0;
        test_check(is_listed, __FILE__, __LINE__, "H does not list the key of --%s", table[i].name);
        test_check(strstr(bindings, line) != NULL, __FILE__, __LINE__,
                   "--list-bindings does not tell of the key of --%s", table[i].name);
        test_check(strstr(manual, entry) != NULL, __FILE__, __LINE__,
                   "--man does not tell of the key of --%s", table[i].name);
        free(entry);
        free(line);
    }
    free(manual);
    free(bindings);
}

TEST (view_debug_line_has_each_switch) {
    size_t count;
    const view_option *const table = view_options_table(&count);
    const view_shown none = {0};
    char text[640];
    view_write_switches(&none, text, sizeof text);
    for (size_t i = 0; i < count; i++) {
        char *const word =
            table[i].word != NULL ? common_format("%s=", table[i].word) : common_copy("");
        test_check(strstr(text, word) != NULL, __FILE__, __LINE__, "--%s: no %s in '%s'",
                   table[i].name, word, text);
        free(word);
    }
    CHECK(strlen(text) < sizeof text / 2); // room for further switches
}
