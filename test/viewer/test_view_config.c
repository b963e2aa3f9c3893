// The configuration file of a window: all options and the recent files are the same after saving
// and loading. The tests iterate over the table of options, so new options are tested without
// changes here.
#define _POSIX_C_SOURCE 200809L // mkstemp()
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/base/removed.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUM_ROUNDS = 200 };

// Creates an empty file. The caller removes it and frees the returned path.
static char *new_file(void)
{
    const char *const folder = getenv("TMPDIR");
    char *const path = common_format("%s/md5view_config_XXXXXX", folder != NULL ? folder : "/tmp");
    const int file = mkstemp(path);
    CHECK(file >= 0);
    if (file >= 0)
        (void)close(file);
    return path;
}

// -- Values of options --------------------------------------------------------------------------

static size_t field_size(const view_option *option)
{
    static const size_t sizes[] = {
        [COMMON_SWITCH] = sizeof(bool),    [COMMON_OPPOSITE] = sizeof(bool),
        [COMMON_EITHER] = sizeof(bool),    [COMMON_CHOICE] = sizeof(unsigned),
        [COMMON_COUNT] = sizeof(uint32_t), [COMMON_FLOAT] = sizeof(float),
        [COMMON_NUMBER] = sizeof(double),  [COMMON_GRID] = sizeof(uint32_t[2]),
        [COMMON_COLOR] = sizeof(float[3]), [VIEW_OPTION_LIGHTS] = sizeof(view_lights),
        [COMMON_POINT] = sizeof(float[3]), [COMMON_RANGE] = sizeof(uint32_t[2]),
    };
    return option->kind < (int)COUNT_OF(sizes) ? sizes[option->kind] : 0;
}

static bool is_same(const view_option *option, const view_options *a, const view_options *b)
{
    const size_t size = field_size(option);
    const char *const x = (const char *)a;
    const char *const y = (const char *)b;
    SCOPED_STRING text = size == 0 ? view_write_option(option, a) : NULL;
    SCOPED_STRING second_text = size == 0 ? view_write_option(option, b) : NULL;
    if (memcmp(x + option->offset, y + option->offset, size) != 0)
        return false;
    if (text == NULL || second_text == NULL)
        return text == second_text;
    return strcmp(text, second_text) == 0;
}

static char *random_word(const char *words, uint64_t *random)
{
    uint32_t count = 1;
    for (const char *c = words; *c != '\0'; c++)
        count += *c == '|';
    for (uint32_t skip = test_random_u32(random) % count; skip > 0; skip--)
        words = strchr(words, '|') + 1;
    return common_format("%.*s", (int)strcspn(words, "|"), words);
}

static char *random_lights(uint64_t *random)
{
    char *text = common_copy("");
    for (int i = 0; i < VIEW_NUM_LIGHTS; i++) {
        const view_light_range *const range = &view_light_ranges[i];
        const double value = test_between((double)range->low, (double)range->high, random);
        char *const longer =
            common_format("%s%s%s=%.17g", text, i > 0 ? "," : "", range->name, value);
        free(text);
        text = longer;
    }
    return text;
}

// Returns a random valid text for the option.
static char *random_value(const view_option *option, uint64_t *random)
{
    const double low = option->low;
    const double high = option->high;
    switch (option->kind) {
    case COMMON_SWITCH:
    case COMMON_OPPOSITE:
        return random_word("no|yes", random);
    case COMMON_EITHER:
    case COMMON_CHOICE:
        return random_word(option->value, random);
    case COMMON_COUNT:
        return common_format("%.0f", test_between(low, high, random));
    case COMMON_FLOAT:
    case COMMON_NUMBER:
        return common_format("%.17g", test_between(low, high, random));
    case COMMON_GRID:
        return common_format("%.0f,%.0f", test_between(low, high, random),
                             test_between(low, high, random));
    case COMMON_POINT:
        return common_format("%.17g,%.17g,%.17g", test_between(low, high, random),
                             test_between(low, high, random), test_between(low, high, random));
    case COMMON_COLOR:
        return common_format("%.17g,%.17g,%.17g", test_random(random), test_random(random),
                             test_random(random));
    case VIEW_OPTION_LIGHTS:
        return random_lights(random);
    case COMMON_RANGE:
        return common_format("%.0f-%.0f", test_between(0, 9, random), test_between(10, 99, random));
    case COMMON_TEXT:
    case COMMON_TEXTS:
        return common_format("a b=%u", test_random_u32(random));
    case VIEW_OPTION_TIMES:
        return common_format("%.17g", test_between(-9, 9, random));
    case VIEW_OPTION_SETTING:
        return common_format("p=%.9g@%.17g", (double)(float)test_between(-9, 9, random),
                             test_between(-9, 9, random));
    case VIEW_OPTION_PARM:
        return common_format("%u=%.9g", test_random_u32(random) % VIEW_NUM_PARMS,
                             (double)(float)test_between(2, 9, random));
    case VIEW_OPTION_WEIGHT:
        return common_format("a b=%.9g", (double)(float)test_between(0, 1, random));
    default: // COMMON_PAIR_TEXT
        return common_format("a b=/c=%u.png", test_random_u32(random));
    }
}

static view_options default_options(void)
{
    view_options options;
    char problem[256];
    CHECK(view_read_options(0, NULL, &options, problem, sizeof problem));
    return options;
}

// Sets every option that is saved in the file to a value other than the default.
static void set_all(view_options *options, uint64_t *random)
{
    const size_t count = view_num_options;
    const view_option *const table = view_option_rows;
    view_options usual = default_options();
    for (size_t i = 0; i < count; i++) {
        while (view_is_of_user(&table[i]) && is_same(&table[i], options, &usual)) {
            SCOPED_STRING text = random_value(&table[i], random);
            const bool is_read = text != NULL && view_read_option(&table[i], text, options);
            CHECK_THAT(is_read, "--%s does not take '%s'", table[i].name,
                       text != NULL ? text : "NULL");
            if (!is_read)
                break;
        }
    }
    view_free_options(&usual);
}

static void check_all(const view_options *actual, const view_options *expected)
{
    const size_t count = view_num_options;
    const view_option *const table = view_option_rows;
    for (size_t i = 0; i < count; i++) {
        if (view_is_of_user(&table[i]))
            CHECK_THAT(is_same(&table[i], actual, expected),
                       "--%s is another after it was saved and loaded", table[i].name);
    }
}

// -- Saving and loading -------------------------------------------------------------------------

// Reads the options as md5view does: options in the file come first on the command line.
static view_options read_options(const view_config *config)
{
    view_options options = default_options();
    const char *end = NULL;
    for (const char *line = config->settings; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        SCOPED_STRING value =
            common_format("%.*s", (int)(end - strchr(line, '=')) - 1, strchr(line, '=') + 1);
        CHECK(view_read_option(view_find_option(line, strcspn(line, "=")), value, &options));
    }
    return options;
}

// Saves and loads a configuration. No warning may occur.
static view_config save_and_load(view_config *config)
{
    view_log log = quiet_log;
    view_config loaded;
    CHECK(view_write_config(config, &log));
    view_read_config(&loaded, config->path, &log);
    CHECK_UINT(log.num_warnings, 0);
    return loaded;
}

// The test includes options whose default is outside of the range of valid values.
TEST (view_options_are_reset) {
    const size_t count = view_num_options;
    const view_option *const table = view_option_rows;
    view_options options = default_options();
    view_options usual = default_options();
    uint64_t random = 1;
    for (size_t i = 0; i < count; i++) {
        SCOPED_STRING text = random_value(&table[i], &random);
        CHECK(view_read_option(&table[i], text, &options));
        view_reset_option(&table[i], &options);
        CHECK_THAT(is_same(&table[i], &options, &usual), "--%s stays %s", table[i].name, text);
    }
    view_free_options(&options);
    view_free_options(&usual);
}

// An option that is written as text and read again has the same value. An option with several
// values is written as several lines.
TEST (view_options_of_all_kinds_are_written_and_read) {
    uint64_t random = 3;
    for (int round = 0; round < NUM_ROUNDS; round++) {
        for (size_t i = 0; i < view_num_options; i++) {
            const view_option *const row = &view_option_rows[i];
            view_options options = default_options();
            view_options again = default_options();
            SCOPED_STRING value = random_value(row, &random);
            SCOPED_STRING second_value = random_value(row, &random);
            SCOPED_STRING lines = common_format("%s\n%s\n", value, second_value);
            CHECK(view_read_option(row, value, &options));
            CHECK(!view_is_repeated(row) || view_read_option(row, second_value, &options));
            SCOPED_STRING text = view_write_option(row, &options);
            CHECK_THAT(text != NULL && view_set_value(row, common_text_value(text), &again),
                       "--%s of %s", row->name, value);
            CHECK_THAT(is_same(row, &options, &again), "--%s: %s became %s", row->name, value,
                       text);
            if (row->kind == COMMON_TEXT || row->kind == COMMON_PAIR_TEXT)
                CHECK_STRING(text, value);
            else if (view_is_repeated(row) && row->kind != VIEW_OPTION_PARM
                     && row->kind != VIEW_OPTION_SETTING) // settings are sorted
                CHECK_STRING(text, lines);
            view_free_options(&again);
            view_free_options(&options);
        }
    }
}

// Copies and typed values are equal to the option they were taken from.
TEST (view_options_of_all_kinds_are_copied) {
    uint64_t random = 4;
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const row = &view_option_rows[i];
        view_options options = default_options();
        view_options typed = default_options();
        SCOPED_STRING text = random_value(row, &random);
        CHECK(view_read_option(row, text, &options));
        view_options copy = view_copy_options(&options, VIEW_SCOPE_JOB, VIEW_SCOPE_CAMERA);
        CHECK_THAT(is_same(row, &options, &copy), "--%s %s: the copy differs", row->name, text);
        CHECK_THAT(view_is_equal(row, &options, &copy), "--%s %s is not equal", row->name, text);
        CHECK_THAT(is_same(row, &options, &typed) || !view_is_default(row, &options),
                   "--%s %s is the default", row->name, text);

        const common_value value = view_get_value(row, &options);
        CHECK((value.type == COMMON_VALUE_NONE) == (row->kind >= COMMON_TEXTS));
        if (value.type != COMMON_VALUE_NONE) {
            CHECK_THAT(view_set_value(row, value, &typed), "--%s refuses %s", row->name, text);
            CHECK_THAT(is_same(row, &options, &typed), "--%s %s differs", row->name, text);
        }
        view_free_options(&copy);
        view_free_options(&typed);
        view_free_options(&options);
    }
}

// Checks that an option refuses a value and that its previous value is unchanged.
static void check_refusal(const view_option *row, common_value value, view_options *options)
{
    view_options before = view_copy_options(options, VIEW_SCOPE_JOB, VIEW_SCOPE_CAMERA);
    const bool is_set = view_set_value(row, value, options);
    CHECK_THAT(!is_set, "--%s takes a wrong value of type %d", row->name, (int)value.type);
    CHECK_THAT(is_same(row, options, &before), "--%s is changed by a wrong value", row->name);
    view_free_options(&before);
}

// A value of another type, or out of range, is refused and changes nothing.
TEST (view_wrong_typed_values_are_rejected) {
    uint64_t random = 6;
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const row = &view_option_rows[i];
        const bool is_choice = row->kind <= COMMON_CHOICE;
        const bool is_number = common_count_numbers(row->kind) > 0;
        view_options options = default_options();
        SCOPED_STRING text = random_value(row, &random);
        CHECK(view_read_option(row, text, &options));
        check_refusal(row, (common_value){.type = COMMON_VALUE_NONE}, &options);
        check_refusal(row, common_choice_value(is_choice ? view_count_choices(row) : 0), &options);
        if (is_number) {
            const double high = row->kind == COMMON_COLOR ? 1 : row->high;
            const common_value below = {.type = COMMON_VALUE_NUMBERS,
                                        .numbers = {row->low - 1, row->low, row->low}};
            const common_value above = {.type = COMMON_VALUE_NUMBERS,
                                        .numbers = {high + 1, high, high}};
            check_refusal(row, below, &options);
            check_refusal(row, above, &options);
            check_refusal(row, common_number_value(NAN), &options);
        } else if (row->kind != VIEW_OPTION_TIMES) {
            check_refusal(row, common_number_value(1), &options);
        }
        view_free_options(&options);
    }
}

// Integers must be whole numbers, and the first number of a range is below the second.
TEST (view_typed_integers_and_ranges_are_checked) {
    const common_value range = {.type = COMMON_VALUE_NUMBERS, .numbers = {5, 5}};
    view_options options = default_options();
    CHECK(!view_set_value(VIEW_OPTION(crowd), common_number_value(2.5), &options));
    CHECK(!view_set_value(VIEW_OPTION(range_first), range, &options));
    CHECK(options.crowd == 0 && options.range_last == 0);
    CHECK(view_set_value(VIEW_OPTION(crowd), common_number_value(2), &options));
    CHECK_UINT(options.crowd, 2);
    view_free_options(&options);
}

TEST (view_config_stores_every_persistent_option) {
    uint64_t random = 9;
    view_log log = quiet_log;
    view_config config = {.path = new_file(), .settings = common_copy("")};
    for (int round = 0; round < NUM_ROUNDS; round++) {
        view_options options = default_options();
        set_all(&options, &random);
        CHECK(view_store_config(&config, &options, true, &log));
        view_config loaded = save_and_load(&config);
        view_options again = read_options(&loaded);
        check_all(&again, &options);
        view_free_options(&again);
        view_free_options(&options);
        view_free_config(&loaded);
    }
    (void)remove(config.path);
    view_free_config(&config);
}

// A session: the command line sets up a window, its state is saved at the end, and a second window
// starts from the saved state.
TEST (view_window_restores_the_last_state) {
    uint64_t random = 10;
    for (int round = 0; round < NUM_ROUNDS; round++) {
        view_options first = default_options();
        set_all(&first, &random);
        view_config config = {.path = new_file(), .settings = common_copy("")};
        view_state viewer;
        view_begin(&viewer, &first);
        viewer.log.level = VIEW_QUIET;
        viewer.config = &config;
        view_save_config(&viewer);
        CHECK_UINT(viewer.log.num_warnings, 0);
        view_end(&viewer);

        view_log log = quiet_log;
        view_config loaded;
        view_read_config(&loaded, config.path, &log);
        CHECK_UINT(log.num_warnings, 0);
        view_options second = read_options(&loaded);
        view_begin(&viewer, &second);
        view_update_options(&viewer);
        check_all(&second, &first);
        view_end(&viewer);
        (void)remove(config.path);
        view_free_options(&second);
        view_free_options(&first);
        view_free_config(&loaded);
        view_free_config(&config);
    }
}

// -- Files --------------------------------------------------------------------

TEST (view_config_keeps_documents_and_files) {
    view_config config = {.path = new_file(), .settings = common_copy("")};
    for (int i = 0; i < VIEW_MAX_RECENT + 3; i++) {
        SCOPED_STRING path = common_format("/a folder/=%d #\xC3\xA4.md5mesh", i);
        view_add_recent(&config, path);
    }
    view_add_recent(&config, "/a folder/x/../b.md5mesh");
    CHECK_STRING(config.recent.names[0], "/a folder/b.md5mesh");
    for (int round = 0; round < NUM_ROUNDS; round++) {
        SCOPED_STRING path = common_format("/a folder/%d.md5mesh", round);
        view_store_document_settings(&config, path,
                                     round % 2 == 0 ? "--hide=a b\n--joint=c\n" : "--hide=a b\n");
        view_config loaded = save_and_load(&config);
        CHECK_STRING(view_find_document(&loaded.documents, path),
                     round % 2 == 0 ? "--hide=a b\n--joint=c\n" : "--hide=a b\n");
        CHECK_UINT(loaded.documents.count,
                   round < VIEW_MAX_DOCUMENTS ? (unsigned)round + 1 : VIEW_MAX_DOCUMENTS);
        CHECK_UINT(loaded.recent.count, VIEW_MAX_RECENT);
        for (size_t i = 0; i < loaded.recent.count; i++)
            CHECK_STRING(loaded.recent.names[i], config.recent.names[i]);
        view_free_config(&loaded);
    }
    (void)remove(config.path);
    view_free_config(&config);
}

// A file that is not text is not read, but renamed and kept next to the new file.
TEST (view_config_renames_a_broken_file) {
    SCOPED_STRING path = new_file();
    SCOPED_STRING aside = common_format("%s.broken", path);
    view_log log = quiet_log;
    view_config config;
    FILE *const file = fopen(path, "wb");
    if (file == NULL)
        return;
    (void)fputs("grid=no\n\x01\x02\x7f\n", file);
    (void)fclose(file);
    view_read_config(&config, path, &log);
    CHECK(strstr(log.warning, ".broken"));
    CHECK(!common_is_file(path) && common_is_file(aside));
    CHECK(view_write_config(&config, &log) && common_is_file(path));
    view_free_config(&config);
    (void)remove(path);
    (void)remove(aside);
}

// Values that do not fit into a line are not written.
TEST (view_config_writes_only_values_that_it_can_read) {
    view_config config = {.path = new_file(), .settings = common_copy("")};
    static char longest[6000];
    memset(longest, 'x', sizeof longest - 1);
    longest[0] = '/';
    for (int i = 0; i < 2; i++) {
        const char *const path = i == 0 ? longest : "/two\nlines.md5mesh";
        view_add_recent(&config, path);
        view_store_document_settings(&config, path, "--terrain=hills\n");
        view_store_document_settings(&config, "/tab\t.md5mesh", "--terrain=hills\n");
        view_store_document_settings(&config, "/long.md5mesh", longest);
        view_config loaded = save_and_load(&config);
        CHECK(loaded.recent.count == 0 && loaded.documents.count == 0);
        view_free_config(&loaded);
    }
    (void)remove(config.path);
    view_free_config(&config);
}

// If an option occurs twice in the file, the last line is used, and only one line is written.
TEST (view_config_keeps_one_value_of_an_option) {
    view_log log = quiet_log;
    SCOPED_FOLDER folder = folder_make();
    folder_write_text(folder, "config", "grid=no\nlights=key=2\ngrid=yes\n");
    SCOPED_STRING path = common_join(folder, "config");
    view_config config;
    view_read_config(&config, path, &log);
    view_options options = read_options(&config);
    CHECK(options.shown.grid);
    CHECK_EXACT(options.lights.values[VIEW_LIGHT_KEY], 2);
    CHECK(view_store_config(&config, &options, false, &log));
    const char *const line = strstr(config.settings, "grid=");
    CHECK(line != NULL && strncmp(line, "grid=yes\n", 9) == 0
          && strstr(line + 9, "\ngrid=") == NULL);
    view_free_options(&options);
    view_free_config(&config);
}

// -- Removed options ----------------------------------------------------------------------------

// Each removed option is an error that names the replacement. A removed option does not exist, and
// its replacement is not a removed option.
TEST (view_removed_options_are_errors_that_name_a_replacement) {
    CHECK(view_num_removed_options > 0);
    for (size_t i = 0; i < view_num_removed_options; i++) {
        const common_removed *const removed = &view_removed_options[i];
        CHECK(view_find_option(removed->name, strlen(removed->name)) == NULL);
        SCOPED_STRING switch_argument = common_format("--%s", removed->name);
        SCOPED_STRING value_argument = common_format("--%s=3", removed->name);
        SCOPED_STRING expected = common_format("--%s was removed: ", removed->name);
        const char *const arguments[] = {switch_argument, value_argument};
        for (size_t k = 0; k < COUNT_OF(arguments); k++) {
            char *argument = common_copy(arguments[k]);
            char problem[256];
            view_options options;
            CHECK(!view_read_options(1, &argument, &options, problem, sizeof problem));
            CHECK_THAT(strncmp(problem, expected, strlen(expected)) == 0, "%s", problem);
            CHECK(strlen(problem) > strlen(expected) && strlen(problem) + 1 < sizeof problem);
            view_free_options(&options);
            free(argument);
        }
    }
    CHECK(view_find_removed_option("onio", 4) == NULL);
    CHECK(view_find_removed_option("onion-ste", 9) == NULL);
}

// The error for the former name of a renamed option names the new option, which exists.
TEST (view_renamed_options_are_errors_that_name_the_new_option) {
    static const struct {
        const char *old_name;
        const char *new_name;
        const char *problem;
    } renames[] = {
        {"bounds-of-joints", "joint-bounds",
         "--bounds-of-joints was removed: use its new name --joint-bounds"},
        {"dies", "ragdoll-time", "--dies was removed: use its new name --ragdoll-time"},
        {"docks", "panel-sizes", "--docks was removed: use its new name --panel-sizes"},
        {"page", "lesson", "--page was removed: use its new name --lesson"},
        {"path", "skinning-path", "--path was removed: use its new name --skinning-path"},
        {"retarget-place", "retarget-layout",
         "--retarget-place was removed: use --retarget-layout side-by-side, overlay or "
         "target-only"},
        {"surface", "shading", "--surface was removed: use its new name --shading"},
        {"wear", "outfit", "--wear was removed: use its new name --outfit"},
    };
    for (size_t i = 0; i < COUNT_OF(renames); i++) {
        CHECK(view_find_option(renames[i].new_name, strlen(renames[i].new_name)) != NULL);
        char *argument = common_format("--%s=1", renames[i].old_name);
        char problem[256];
        view_options options;
        CHECK(!view_read_options(1, &argument, &options, problem, sizeof problem));
        CHECK_STRING(problem, renames[i].problem);
        view_free_options(&options);
        free(argument);
    }
}

// -- Tooltips -----------------------------------------------------------------------------------

// Each command of a menu has a tooltip of one line that is not the beginning of a longer help text.
TEST (view_tooltips_are_texts_of_one_line) {
    enum { MAX_LENGTH = 70 };
    view_menu_entries list;
    view_list_menu_entries(&list);
    for (size_t i = 0; i < list.count; i++) {
        const view_menu_entry *const row = list.entries[i];
        const view_option *const option = view_get_option(row);
        const char *const tooltip = view_get_tooltip(row);
        CHECK_THAT(tooltip[0] != '\0' && strlen(tooltip) <= MAX_LENGTH, "%s", tooltip);
        CHECK_THAT(strchr(tooltip, '\n') == NULL, "%s", tooltip);
        CHECK_THAT(option == NULL || row->tooltip != NULL || option->tooltip != NULL, "%s",
                   row->label);
        const bool is_cut = option != NULL && strlen(option->help) > strlen(tooltip)
                            && strncmp(option->help, tooltip, strlen(tooltip)) == 0;
        CHECK_THAT(!is_cut, "%s", tooltip);
    }
}

// A removed key is reported once, in lines of the user and of documents. All other lines are read.
TEST (view_config_reports_removed_options_and_reads_the_rest) {
    view_log log = quiet_log;
    SCOPED_FOLDER folder = folder_make();
    folder_write_text(
        folder, "config",
        "onion-step=5\ngrid=yes\ndocument=/a.md5mesh\t--onion=2\t--hide=1\t--onion-step=2\n"
        "document=/b.md5mesh\t--onion=3\n");
    SCOPED_STRING path = common_join(folder, "config");
    view_config config;
    view_read_config(&config, path, &log);
    CHECK_UINT(log.num_warnings, 2); // onion-step, onion
    CHECK_THAT(strstr(log.warning, "config:3: option onion was removed") != NULL, "%s",
               log.warning);
    CHECK_STRING(config.settings, "grid=yes\n");
    CHECK_UINT(config.documents.count, 2);
    CHECK_STRING(view_find_document(&config.documents, "/a.md5mesh"), "--hide=1\n");
    CHECK_STRING(view_find_document(&config.documents, "/b.md5mesh"), "");
    view_config again = save_and_load(&config);
    CHECK_STRING(view_find_document(&again.documents, "/a.md5mesh"), "--hide=1\n");
    view_free_config(&again);
    view_free_config(&config);
}

// Former names of renamed options in a configuration file are reported with the new names.
TEST (view_config_reports_renamed_options_with_their_new_names) {
    view_log log = quiet_log;
    SCOPED_FOLDER folder = folder_make();
    folder_write_text(folder, "config",
                      "docks=1,2,3\ngrid=yes\ndocument=/a.md5mesh\t--wear=b.md5mesh\t--hide=1\n");
    SCOPED_STRING path = common_join(folder, "config");
    view_config config;
    view_read_config(&config, path, &log);
    CHECK_UINT(log.num_warnings, 2); // docks, wear
    SCOPED_STRING expected = common_format(
        "%s:3: option wear was removed and is ignored: use its new name --outfit", path);
    CHECK_THAT(strstr(log.warning, expected) != NULL, "%s", log.warning);
    CHECK_STRING(config.settings, "grid=yes\n");
    CHECK_STRING(view_find_document(&config.documents, "/a.md5mesh"), "--hide=1\n");
    view_free_config(&config);
}

// -- Several viewers ----------------------------------------------------------------------------

static view_config read_config(const char *path)
{
    view_log log = quiet_log;
    view_config config;
    view_read_config(&config, path, &log);
    CHECK_UINT(log.num_warnings, 0);
    return config;
}

static void check_recent(const view_config *config, const char *const *names, size_t count)
{
    CHECK_UINT(config->recent.count, count);
    for (size_t i = 0; i < count && i < config->recent.count; i++)
        CHECK_STRING(config->recent.names[i], names[i]);
}

// Two viewers begin with the same configuration file. Each of them opens a model and changes
// documents, and neither may lose the lines of the other.
TEST (view_config_keeps_lines_of_another_viewer) {
    view_log log = quiet_log;
    SCOPED_STRING path = new_file();
    view_config first = read_config(path);
    view_add_recent(&first, "/0.md5mesh");
    view_store_document_settings(&first, "/0.md5mesh", "--hide=0\n");
    view_store_document_settings(&first, "/3.md5mesh", "--hide=3\n");
    CHECK(view_write_config(&first, &log));

    view_config second = read_config(path);
    view_add_recent(&first, "/1.md5mesh");
    view_store_document_settings(&first, "/1.md5mesh", "--hide=1\n");
    view_delete_document_settings(&first, "/3.md5mesh");
    CHECK(view_write_config(&first, &log));

    view_add_recent(&second, "/2.md5mesh");
    view_add_recent(&second, "/0.md5mesh");
    view_store_document_settings(&second, "/0.md5mesh", "--hide=new\n");
    CHECK(view_write_config(&second, &log));

    view_config stored = read_config(path);
    check_recent(&stored, (const char *const[]){"/0.md5mesh", "/2.md5mesh", "/1.md5mesh"}, 3);
    CHECK_UINT(stored.documents.count, 2);
    CHECK_STRING(view_find_document(&stored.documents, "/0.md5mesh"), "--hide=new\n");
    CHECK_STRING(view_find_document(&stored.documents, "/1.md5mesh"), "--hide=1\n");
    CHECK(view_find_document(&stored.documents, "/3.md5mesh") == NULL);
    view_free_config(&stored);

    // Lines that the first viewer wrote earlier are no longer treated as new.
    view_delete_document_settings(&second, "/1.md5mesh");
    CHECK(view_write_config(&second, &log) && view_write_config(&first, &log));
    stored = read_config(path);
    CHECK_UINT(stored.documents.count, 1);
    view_free_config(&stored);

    view_delete_document_settings(&first, NULL); // all documents
    CHECK(view_write_config(&first, &log));
    stored = read_config(path);
    CHECK(stored.documents.count == 0 && stored.recent.count == 0);
    CHECK_UINT(log.num_warnings, 0);
    (void)remove(path);
    view_free_config(&first);
    view_free_config(&second);
    view_free_config(&stored);
}

// A disk is full for a while: the file is unchanged, and no new value is lost.
TEST (view_config_keeps_values_after_a_failed_write) {
    view_log log = quiet_log;
    size_t size;
    SCOPED_STRING path = new_file();
    view_config config = read_config(path);
    view_store_document_settings(&config, "/a.md5mesh", "--hide=0\n");
    CHECK(view_write_config(&config, &log));
    SCOPED_STRING before = test_read_file(path, &size);

    view_add_recent(&config, "/1.md5mesh");
    view_delete_document_settings(&config, "/a.md5mesh");
    view_store_document_settings(&config, "/b.md5mesh", "--hide=1\n");
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){16, limit.rlim_max}) == 0);
    CHECK(!view_write_config(&config, &log));
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK_UINT(log.num_warnings, 1);
    SCOPED_STRING after = test_read_file(path, &size);
    CHECK_STRING(after, before);

    CHECK(view_write_config(&config, &log));
    view_config stored = read_config(path);
    check_recent(&stored, (const char *const[]){"/1.md5mesh"}, 1);
    CHECK_UINT(stored.documents.count, 1);
    CHECK_STRING(view_find_document(&stored.documents, "/b.md5mesh"), "--hide=1\n");
    (void)remove(path);
    view_free_config(&config);
    view_free_config(&stored);
}

// Many viewers write at the same time, and none removes a line that another viewer has added.
TEST (view_config_is_locked_while_it_is_changed) {
    enum { NUM_VIEWERS = 6 };
    view_log log = quiet_log;
    SCOPED_STRING path = new_file();
    pid_t viewers[NUM_VIEWERS];
    for (int i = 0; i < NUM_VIEWERS; i++) {
        viewers[i] = fork();
        if (viewers[i] != 0)
            continue;
        view_config config;
        view_read_config(&config, path, &log);
        char *const name = common_format("/%u.md5mesh", (unsigned)i);
        for (uint32_t round = 0; round < 8; round++) {
            view_add_recent(&config, name);
            SCOPED_STRING second_value = common_format("/%u.%u.md5mesh", (unsigned)i, round);
            view_store_document_settings(&config, second_value, "--hide=0\n");
            view_write_config(&config, &log);
        }
        _exit(log.num_warnings > 0);
    }
    for (int i = 0; i < NUM_VIEWERS; i++) {
        int status = 1;
        CHECK(waitpid(viewers[i], &status, 0) == viewers[i] && status == 0);
    }
    view_config stored = read_config(path);
    CHECK_UINT(stored.recent.count, NUM_VIEWERS);
    CHECK_UINT(stored.documents.count, 8 * NUM_VIEWERS);
    (void)remove(path);
    view_free_config(&stored);
}

// A device, such as `--config /dev/null`, is written to, but neither read nor replaced.
TEST (view_config_may_be_a_device) {
    view_log log = quiet_log;
    view_config config = read_config("/dev/zero");
    view_config nowhere = read_config("/dev/null");
    CHECK(view_write_config(&nowhere, &log) && view_write_config(&nowhere, &log));
    struct stat status;
    CHECK(stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode));
    view_free_config(&config);
    view_free_config(&nowhere);
}
