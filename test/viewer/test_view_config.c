// The configuration of a window: every option and the recent files are the
// same after saving and loading. The tests iterate over the table of options, so new options are
// tested without changes here.
#define _POSIX_C_SOURCE 200809L // mkstemp()
#include "test/own.h"
#include "test/viewer/test_view_case.h"

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

static size_t size_of_field(const view_option *option)
{
    static const size_t sizes[] = {
        [COMMON_SWITCH] = sizeof(bool),    [COMMON_OPPOSITE] = sizeof(bool),
        [COMMON_EITHER] = sizeof(bool),    [COMMON_CHOICE] = sizeof(unsigned),
        [COMMON_COUNT] = sizeof(uint32_t), [COMMON_FLOAT] = sizeof(float),
        [COMMON_NUMBER] = sizeof(double),  [COMMON_GRID] = sizeof(uint32_t[2]),
        [COMMON_COLOR] = sizeof(float[3]), [VIEW_OPTION_LIGHTS] = sizeof(view_lights),
        [COMMON_POINT] = sizeof(float[3]),
    };
    return sizes[option->kind];
}

static bool is_same(const view_option *option, const view_options *a, const view_options *b)
{
    const size_t size = size_of_field(option);
    const char *const x = (const char *)a, *const y = (const char *)b;
    return CHECK_THAT(size > 0, "--%s: how large is its field?", option->name)
           && memcmp(x + option->place, y + option->place, size) == 0;
}

static char *any_word(const char *words, uint64_t *random)
{
    uint32_t count = 1;
    for (const char *c = words; *c != '\0'; c++)
        count += *c == '|';
    for (uint32_t skip = test_random_u32(random) % count; skip > 0; skip--)
        words = strchr(words, '|') + 1;
    return common_format("%.*s", (int)strcspn(words, "|"), words);
}

static char *any_lights(uint64_t *random)
{
    char *text = common_copy("");
    FOR (i, VIEW_NUM_LIGHTS) {
        const view_light_range *const range = &view_light_ranges[i];
        const double value = test_between((double)range->low, (double)range->high, random);
        char *const longer =
            common_format("%s%s%s=%.17g", text, i > 0 ? "," : "", range->name, value);
        free(text);
        text = longer;
    }
    return text;
}

// Returns a random valid text for the option, or NULL if its kind is unknown.
static char *any_value(const view_option *option, uint64_t *random)
{
    const double low = option->low, high = option->high;
    switch (option->kind) {
    case COMMON_SWITCH:
    case COMMON_OPPOSITE:
        return any_word("no|yes", random);
    case COMMON_EITHER:
    case COMMON_CHOICE:
        return any_word(option->value, random);
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
        return any_lights(random);
    default:
        return NULL;
    }
}

static view_options usual_options(void)
{
    view_options options;
    char problem[256];
    CHECK(view_read_options(0, NULL, &options, problem, sizeof problem));
    return options;
}

// Sets every option that the file may hold to a value other than the default.
static void set_all(view_options *options, uint64_t *random)
{
    const size_t count = view_num_options;
    const view_option *const table = view_option_rows;
    view_options usual = usual_options();
    FOR (i, count)
        while (view_is_of_user(&table[i]) && is_same(&table[i], options, &usual)) {
            OWN char *const text = any_value(&table[i], random);
            const bool is_read = text != NULL && view_read_option(&table[i], text, options);
            CHECK_THAT(is_read, "--%s does not take '%s'", table[i].name,
                       text != NULL ? text : "NULL");
            if (!is_read)
                break;
        }
    view_free_options(&usual);
}

static void check_all(const view_options *actual, const view_options *expected)
{
    const size_t count = view_num_options;
    const view_option *const table = view_option_rows;
    FOR (i, count)
        if (view_is_of_user(&table[i]))
            CHECK_THAT(is_same(&table[i], actual, expected),
                       "--%s is another after it was saved and loaded", table[i].name);
}

// -- Saving and loading -------------------------------------------------------------------------

// As in md5view: options in the file are arguments that stand first on the command line.
static view_options options_of(const view_config *config)
{
    view_options options;
    char problem[256] = "";
    const bool is_read = view_read_options((int)config->num_arguments, config->arguments, &options,
                                           problem, sizeof problem);
    CHECK_THAT(is_read, "%s", problem);
    return options;
}

// Saves and loads a configuration; no warning may occur.
static view_config save_and_load(view_config *config)
{
    view_log log = quiet_log;
    view_config loaded;
    CHECK(view_write_config(config, &log));
    view_read_config(&loaded, config->path, &log);
    CHECK_UINT(log.num_warnings, 0);
    return loaded;
}

// Also those whose range does not have what they are without it.
TEST (view_options_are_reset) {
    const size_t count = view_num_options;
    const view_option *const table = view_option_rows;
    view_options options = usual_options(), usual = usual_options();
    uint64_t random = 1;
    FOR (i, count) {
        OWN char *const text = any_value(&table[i], &random);
        if (text == NULL)
            continue;
        CHECK(view_read_option(&table[i], text, &options));
        view_reset_option(&table[i], &options);
        CHECK_THAT(is_same(&table[i], &options, &usual), "--%s stays %s", table[i].name, text);
    }
    view_free_options(&options);
    view_free_options(&usual);
}

TEST (view_config_keeps_every_option_that_it_may_hold) {
    uint64_t random = 9;
    const size_t count = view_num_options;
    const view_option *const table = view_option_rows;
    view_config config = {.path = new_file()};
    FOR (round, NUM_ROUNDS) {
        view_options options = usual_options();
        set_all(&options, &random);
        FOR (i, count) {
            char *const text =
                view_is_of_user(&table[i]) ? view_write_option(&table[i], &options) : NULL;
            CHECK((text != NULL) == view_is_of_user(&table[i]));
            if (text != NULL)
                view_set_config(&config, &table[i], text);
            free(text);
        }
        view_config loaded = save_and_load(&config);
        view_options again = options_of(&loaded);
        check_all(&again, &options);
        view_free_options(&again);
        view_free_options(&options);
        view_free_config(&loaded);
    }
    (void)remove(config.path);
    view_free_config(&config);
}

// The life of a window: the command line sets it up, its state is saved at the end, and a second
// window starts from that.
TEST (view_window_restores_the_last_state) {
    uint64_t random = 10;
    FOR (round, NUM_ROUNDS) {
        view_options first = usual_options();
        set_all(&first, &random);
        view_config config = {.path = new_file()};
        view_state viewer;
        view_begin(&viewer, &first);
        viewer.log.level = VIEW_QUIET;
        viewer.config = &config;
        view_remember(&viewer);
        CHECK_UINT(viewer.log.num_warnings, 0);
        view_end(&viewer);

        view_log log = quiet_log;
        view_config loaded;
        view_read_config(&loaded, config.path, &log);
        CHECK_UINT(log.num_warnings, 0);
        view_options second = options_of(&loaded);
        view_begin(&viewer, &second);
        view_note_state(&viewer);
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

TEST (view_config_keeps_recent_files) {
    view_config config = {.path = new_file()};
    FOR (i, VIEW_MAX_RECENT + 3) {
        OWN char *const path = common_format("/a folder/=%d #\xC3\xA4.md5mesh", i);
        view_note_recent(&config, path);
    }
    view_note_recent(&config, "/a folder/x/../b.md5mesh");
    CHECK_STRING(config.recent.names[0], "/a folder/b.md5mesh");
    view_config loaded = save_and_load(&config);
    CHECK_UINT(loaded.recent.count, VIEW_MAX_RECENT);
    FOR (i, loaded.recent.count)
        CHECK_STRING(loaded.recent.names[i], config.recent.names[i]);
    view_free_config(&loaded);
    (void)remove(config.path);
    view_free_config(&config);
}

// What is no text is not read, but kept beside the new file.
TEST (view_config_sets_a_broken_file_aside) {
    OWN char *const path = new_file(), *const aside = common_format("%s.broken", path);
    view_log log = quiet_log;
    view_config config;
    FILE *const file = fopen(path, "wb");
    if (file == NULL)
        return;
    (void)fputs("grid=no\n\x01\x02\x7f\n", file);
    (void)fclose(file);
    view_read_config(&config, path, &log);
    CHECK(strstr(log.warning, ".broken") != NULL);
    CHECK(!common_is_file(path) && common_is_file(aside));
    CHECK(view_write_config(&config, &log) && common_is_file(path));
    view_free_config(&config);
    (void)remove(path);
    (void)remove(aside);
}

// Values that a line cannot hold or that the reader would refuse are not written.
TEST (view_config_writes_nothing_that_it_does_not_read) {
    view_config config = {.path = new_file()};
    static char longest[6000];
    memset(longest, 'x', sizeof longest - 1);
    longest[0] = '/';
    view_note_recent(&config, longest);
    view_note_recent(&config, "/two\nlines.md5mesh");
    view_config loaded = save_and_load(&config);
    CHECK_UINT(loaded.recent.count, 0);
    view_free_config(&loaded);
    (void)remove(config.path);
    view_free_config(&config);
}

// Of an option that stands twice in the file only one line is kept, and view_set_config() replaces
// it.
TEST (view_config_keeps_one_value_of_an_option) {
    view_log log = quiet_log;
    OWN char *const path = new_file();
    FILE *const file = fopen(path, "wb");
    CHECK(file);
    if (file == NULL)
        return;
    (void)fputs("grid=no\nlights=key=2\ngrid=yes\n", file);
    (void)fclose(file);
    view_config config;
    const view_option *const grid = view_find_option("grid", 4);
    view_read_config(&config, path, &log);
    CHECK_UINT(config.num_arguments, 2);
    view_set_config(&config, grid, "no");
    CHECK_UINT(config.num_arguments, 2);
    view_options options = options_of(&config);
    CHECK(!options.shown.grid);
    CHECK_NEAR(options.lights.values[VIEW_LIGHT_KEY], 2.0, 0.0);
    view_free_options(&options);
    (void)remove(path);
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

// Both began with the same file; each opens a model and selects textures.
TEST (view_config_keeps_what_another_viewer_has_written) {
    view_log log = quiet_log;
    OWN char *const path = new_file();
    view_config first = read_config(path);
    view_note_recent(&first, "/0.md5mesh");
    view_select_texture(&first.selected, "/a.md5mesh", 0, MD5GL_PICTURE_DIFFUSE, "/0.png");
    view_select_texture(&first.selected, "/a.md5mesh", 3, MD5GL_PICTURE_DIFFUSE, "/3.png");
    CHECK(view_write_config(&first, &log));

    view_config second = read_config(path);
    view_note_recent(&first, "/1.md5mesh");
    view_select_texture(&first.selected, "/a.md5mesh", 1, MD5GL_PICTURE_DIFFUSE, "/1.png");
    view_select_texture(&first.selected, "/a.md5mesh", 3, MD5GL_PICTURE_DIFFUSE, NULL);
    CHECK(view_write_config(&first, &log));

    view_note_recent(&second, "/2.md5mesh");
    view_note_recent(&second, "/0.md5mesh");
    view_select_texture(&second.selected, "/a.md5mesh", 0, MD5GL_PICTURE_DIFFUSE, "/new.png");
    CHECK(view_write_config(&second, &log));

    view_config stored = read_config(path);
    check_recent(&stored, (const char *const[]){"/0.md5mesh", "/2.md5mesh", "/1.md5mesh"}, 3);
    CHECK_UINT(stored.selected.count, 2);
    CHECK_STRING(view_selected_texture(&stored.selected, "/a.md5mesh", 0, MD5GL_PICTURE_DIFFUSE),
                 "/new.png");
    CHECK_STRING(view_selected_texture(&stored.selected, "/a.md5mesh", 1, MD5GL_PICTURE_DIFFUSE),
                 "/1.png");
    CHECK(!view_selected_texture(&stored.selected, "/a.md5mesh", 3, MD5GL_PICTURE_DIFFUSE));
    view_free_config(&stored);

    // What the first one has written before is not new any more.
    view_select_texture(&second.selected, "/a.md5mesh", 1, MD5GL_PICTURE_DIFFUSE, NULL);
    CHECK(view_write_config(&second, &log) && view_write_config(&first, &log));
    stored = read_config(path);
    CHECK_UINT(stored.selected.count, 1);
    CHECK_UINT(log.num_warnings, 0);
    (void)remove(path);
    view_free_config(&first);
    view_free_config(&second);
    view_free_config(&stored);
}

// A disk is full for a while: the file stays as it was, and nothing that is new is forgotten.
TEST (view_config_keeps_what_could_not_be_written) {
    view_log log = quiet_log;
    size_t size;
    OWN char *const path = new_file();
    view_config config = read_config(path);
    view_select_texture(&config.selected, "/a.md5mesh", 0, MD5GL_PICTURE_DIFFUSE, "/0.png");
    CHECK(view_write_config(&config, &log));
    OWN char *const before = test_read_file(path, &size);

    view_note_recent(&config, "/1.md5mesh");
    view_select_texture(&config.selected, "/a.md5mesh", 0, MD5GL_PICTURE_DIFFUSE, NULL);
    view_select_texture(&config.selected, "/a.md5mesh", 1, MD5GL_PICTURE_DIFFUSE, "/1.png");
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){16, limit.rlim_max}) == 0);
    CHECK(!view_write_config(&config, &log));
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK_UINT(log.num_warnings, 1);
    OWN char *const after = test_read_file(path, &size);
    CHECK_STRING(after, before);

    CHECK(view_write_config(&config, &log));
    view_config stored = read_config(path);
    check_recent(&stored, (const char *const[]){"/1.md5mesh"}, 1);
    CHECK_UINT(stored.selected.count, 1);
    CHECK_STRING(view_selected_texture(&stored.selected, "/a.md5mesh", 1, MD5GL_PICTURE_DIFFUSE),
                 "/1.png");
    (void)remove(path);
    view_free_config(&config);
    view_free_config(&stored);
}

// Many that write at the same time: none loses what another one has added.
TEST (view_config_is_locked_while_it_is_changed) {
    enum { NUM_VIEWERS = 6 };
    view_log log = quiet_log;
    OWN char *const path = new_file();
    pid_t viewers[NUM_VIEWERS];
    for (uint32_t i = 0; i < NUM_VIEWERS; i++) {
        viewers[i] = fork();
        if (viewers[i] != 0)
            continue;
        view_config config;
        view_read_config(&config, path, &log);
        char *const name = common_format("/%u.md5mesh", (unsigned)i);
        FOR (round, 8u) {
            view_note_recent(&config, name);
            view_select_texture(&config.selected, "/a.md5mesh", NUM_VIEWERS * round + i,
                                MD5GL_PICTURE_DIFFUSE, "/a.png");
            view_write_config(&config, &log);
        }
        _exit(log.num_warnings > 0);
    }
    FOR (i, NUM_VIEWERS) {
        int status = 1;
        CHECK(waitpid(viewers[i], &status, 0) == viewers[i] && status == 0);
    }
    view_config stored = read_config(path);
    CHECK_UINT(stored.recent.count, NUM_VIEWERS);
    CHECK_UINT(stored.selected.count, 8 * NUM_VIEWERS);
    (void)remove(path);
    view_free_config(&stored);
}

// A device, as `--config /dev/null` is, is written, but neither read nor replaced.
TEST (view_config_may_be_a_device) {
    view_log log = quiet_log;
    view_config config = read_config("/dev/zero"), nowhere = read_config("/dev/null");
    CHECK(view_write_config(&nowhere, &log) && view_write_config(&nowhere, &log));
    struct stat status;
    CHECK(stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode));
    view_free_config(&config);
    view_free_config(&nowhere);
}
