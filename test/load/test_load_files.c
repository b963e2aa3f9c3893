// Tests of loading through the caller's file functions, and of characters: a machine file with all
// files that it refers to, also with threads and with limited memory.
#include "test/scoped.h"

#include <time.h>

// -- Files in memory ------------------------------------------------------------------------------

typedef struct memory_file {
    const char *path, *text;
} memory_file;

// An archive that counts open files, and fails to open the file `fails_at` with a reason.
typedef struct archive {
    const memory_file *files;
    size_t num_files;
    const char *fails_at;
    uint32_t num_opened, num_open;
    char last[64];
} archive;

static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    archive *const in = user;
    snprintf(in->last, sizeof in->last, "%s", path);
    if (in->fails_at && strcmp(path, in->fails_at) == 0) {
        snprintf(error->message, sizeof error->message, "the archive is damaged");
        return NULL;
    }
    for (uint32_t i = 0; i < in->num_files; i++) {
        const memory_file *const file = &in->files[i];
        if (strcmp(file->path, path) == 0) {
            *size = strlen(file->text);
            in->num_opened++;
            in->num_open++;
            // A block of exactly the size of the file: a sanitizer detects a read past its end.
            void *const bytes = malloc(*size ? *size : 1);
            return bytes ? memcpy(bytes, file->text, *size) : NULL;
        }
    }
    return NULL;
}

static void close_file(void *user, const void *bytes, size_t size)
{
    archive *const in = user;
    (void)size;
    in->num_open--;
    free((void *)(uintptr_t)bytes);
}

static const char mesh_text[] = "MD5Version 10 commandline \"\" numJoints 2 numMeshes 0\n"
                                "joints {\n"
                                "\"hips\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
                                "\"head\" 0 ( 0 0 5 ) ( 0 0 0 )\n"
                                "}\n";
static const char anim_text[] = "MD5Version 10 commandline \"\" numFrames 2 numJoints 2\n"
                                "frameRate 10 numAnimatedComponents 1\n"
                                "hierarchy {\n\"hips\" -1 1 0\n\"head\" 0 0 0\n}\n"
                                "bounds {\n( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n}\n"
                                "baseframe {\n( 0 0 0 ) ( 0 0 0 )\n( 0 0 5 ) ( 0 0 0 )\n}\n"
                                "frame 0 {\n0\n}\nframe 1 {\n1\n}\n";
static const char extra_text[] = "MD5Version 10 commandline \"\" numFrames 1 numJoints 1\n"
                                 "frameRate 10 numAnimatedComponents 0\n"
                                 "hierarchy {\n\"hips\" -1 0 0\n}\n"
                                 "bounds {\n( 0 0 0 ) ( 1 1 1 )\n}\n"
                                 "baseframe {\n( 0 0 0 ) ( 0 0 0 )\n}\n"
                                 "frame 0 {\n}\n";
static const char other_clip_text[] = "MD5Version 10 commandline \"\" numFrames 1 numJoints 1\n"
                                      "frameRate 10 numAnimatedComponents 0\n"
                                      "hierarchy {\n\"wheel\" -1 0 0\n}\n"
                                      "bounds {\n( 0 0 0 ) ( 1 1 1 )\n}\n"
                                      "baseframe {\n( 0 0 0 ) ( 0 0 0 )\n}\n"
                                      "frame 0 {\n}\n";
static const char machine_text[] = "machine hero {\n"
                                   "    model hero.md5mesh\n"
                                   "    clip walk anims/walk.md5anim { move }\n"
                                   "    clip stroll anims/walk.md5anim\n"
                                   "    clip rest /shared/rest.md5anim\n"
                                   "    layer body { state s walk state t rest }\n"
                                   "}\n";

static const memory_file good_files[] = {
    {"chars/hero.md5machine", machine_text},
    {"chars/hero.md5mesh", mesh_text},
    {"chars/anims/walk.md5anim", anim_text},
    {"/shared/rest.md5anim", extra_text},
    {"empty.md5mesh", ""},
    {"broken.md5anim", "MD5Version 11"},
    {"chars\\windows.md5machine",
     "machine m { model D:m.md5mesh clip c \\c.md5anim layer l { state s c } }"},
    {"chars/remote.md5machine",
     "machine m { model \"\\\\host\\share/m.md5mesh\" clip c c.md5anim layer l { state s c } }"},
    {"chars/late.md5machine",
     "machine m { model hero.md5mesh clip c anims/walk.md5anim motion o clip c { once }\n"
     "layer l { state s o transition s s { exit 1.5 } } }"},
    {"D:m.md5mesh", mesh_text},
    {"\\c.md5anim", anim_text},
};

static archive good_archive(void)
{
    return (archive){.files = good_files, .num_files = COUNT_OF(good_files)};
}

static md5_load_opts reading(archive *from)
{
    return (md5_load_opts){.files = {open_file, close_file, from}};
}

// -- Single files ---------------------------------------------------------------------------------

TEST (load_reads_models_clips_and_machines_through_file_functions) {
    archive from = good_archive();
    const md5_load_opts opts = reading(&from);
    SCOPED_MODEL model = md5_load_model("chars/hero.md5mesh", &opts, NULL);
    SCOPED_ANIM anim = md5_load_anim("chars/anims/walk.md5anim", &opts, NULL);
    SCOPED_MACHINE_FILE file = md5_load_machine_file("chars/hero.md5machine", &opts, NULL);
    CHECK(model && model->skeleton.num_joints == 2);
    CHECK(anim && anim->num_frames == 2);
    CHECK(file && file->desc.num_clips == 3);
    CHECK_UINT(from.num_opened, 3);
    CHECK_UINT(from.num_open, 0);
}

TEST (load_closes_a_file_with_an_error_and_names_it) {
    archive from = good_archive();
    const md5_load_opts opts = reading(&from);
    md5_error error = {0};
    CHECK(md5_load_anim("broken.md5anim", &opts, &error) == NULL);
    CHECK_STRING(error.file, "broken.md5anim");
    CHECK(error.status == MD5_ERROR_VERSION);
    CHECK_FAILS(md5_load_model("empty.md5mesh", &opts, &error), error, MD5_ERROR_SYNTAX);
    CHECK_UINT(from.num_opened, 2);
    CHECK_UINT(from.num_open, 0);
}

TEST (load_reports_why_a_file_function_fails) {
    archive from = good_archive();
    from.fails_at = "chars/hero.md5mesh";
    const md5_load_opts opts = reading(&from);
    md5_error error = {0};
    CHECK_FAILS(md5_load_model("chars/hero.md5mesh", &opts, &error), error, MD5_ERROR_IO);
    CHECK_STRING(error.message, "cannot open the file: the archive is damaged");
    CHECK(md5_load_model("none.md5mesh", &opts, &error) == NULL);
    CHECK_STRING(error.message, "cannot open the file");
    CHECK_STRING(error.file, "none.md5mesh");
    CHECK_UINT(from.num_open, 0);
}

// -- Characters -----------------------------------------------------------------------------------

// The name of a file on another machine is treated as a name in the folder of the machine file.
TEST (character_does_not_read_network_paths) {
    archive from = good_archive();
    const md5_load_opts opts = reading(&from);
    md5_error error = {0};
    CHECK_FAILS(md5_load_character("chars/remote.md5machine", &opts, &error), error, MD5_ERROR_IO);
    CHECK_STRING(from.last, "chars/host\\share/m.md5mesh");
}

TEST (character_loads_everything_its_machine_names) {
    archive from = good_archive();
    const md5_load_opts opts = reading(&from);
    md5_error error = {0};
    SCOPED_CHARACTER hero = md5_load_character("chars/hero.md5machine", &opts, &error);
    if (!CHECK_DONE(hero, error))
        return;
    CHECK_UINT(from.num_opened, 4); // each file once
    CHECK_UINT(from.num_open, 0);
    CHECK_UINT(hero->num_clips, 3);
    CHECK_STRING(hero->model_path, "chars/hero.md5mesh");
    CHECK_STRING(hero->anim_paths[0], "chars/anims/walk.md5anim");
    CHECK_STRING(hero->anim_paths[2], "/shared/rest.md5anim");
    CHECK(hero->anims[0] == hero->anims[1] && hero->bindings[0] == hero->bindings[1]);
    CHECK(hero->anims[2] != hero->anims[0]);
    CHECK_UINT(hero->anims_size, hero->anims[0]->size + hero->anims[2]->size);
    CHECK(hero->bindings[0]->model == hero->model);
    CHECK_STRING(md5_machine_tables(hero->machine)->clips[1].name, "stroll");
    CHECK(md5_machine_tables(hero->machine)->clips[0].root_extraction == MD5_ROOT_EXTRACTION_MOVE);
    CHECK(md5_machine_tables(hero->machine)->clips[1].root_extraction == MD5_ROOT_EXTRACTION_NONE);

    SCOPED_PLAYER player = md5_create_player(hero->machine, NULL, &error);
    CHECK(player);
    md5_player_advance(player, 0.05, NULL, NULL);
    CHECK_NEAR(md5_player_root_motion(player).translation.x, 0.5, 1e-6);
    md5_free_character(NULL);
}

TEST (character_accepts_folders_and_drives_of_windows) {
    archive from = good_archive();
    const md5_load_opts opts = reading(&from);
    md5_error error = {0};
    SCOPED_CHARACTER hero = md5_load_character("chars\\windows.md5machine", &opts, &error);
    if (!CHECK_DONE(hero, error))
        return;
    CHECK_STRING(hero->model_path, "D:m.md5mesh");
    CHECK_STRING(hero->anim_paths[0], "\\c.md5anim");
}

TEST (character_loads_the_machine_of_our_model) {
    md5_error error = {0};
    SCOPED_CHARACTER bobbin =
        md5_load_character(test_path("models/bobbin/bobbin.md5machine"), NULL, &error);
    if (!CHECK_DONE(bobbin, error))
        return;
    CHECK(bobbin->num_clips > 5);
    CHECK_UINT(bobbin->num_warnings, 0);
    CHECK(md5_find_parameter(bobbin->machine, "speed") != MD5_NONE);
}

// Runs the items on a pool of one thread that processes the last item first.
static void run_backwards(void *pool, size_t count, md5_range_fn *range, void *user)
{
    *(size_t *)pool += count;
    for (size_t i = count; i-- > 0;)
        range(user, (uint32_t)(i % 2), i, i + 1);
}

// Replaces one file of the archive and returns the error as text, which must be the same with
// threads.
static const char *error_with(const char *path, const char *text)
{
    static char message[600];
    memory_file files[COUNT_OF(good_files)];
    archive from = good_archive();
    memcpy(files, good_files, sizeof good_files);
    from.files = files;
    for (size_t i = 0; i < from.num_files; i++) {
        if (strcmp(files[i].path, path) == 0)
            files[i] = text ? (memory_file){path, text} : (memory_file){"gone", ""};
    }
    const md5_load_opts opts = reading(&from);
    md5_error error = {0};
    md5_character *const hero = md5_load_character("chars/hero.md5machine", &opts, &error);
    CHECK(!hero);
    CHECK_UINT(from.num_open, 0);
    md5_free_character(hero);
    md5_format_error(&error, message, sizeof message);

    size_t num_items = 0;
    const md5_threads threads = {run_backwards, &num_items, 2};
    md5_load_opts threaded = opts;
    md5_error threaded_error = {0};
    threaded.threads = &threads;
    CHECK(md5_load_character("chars/hero.md5machine", &threaded, &threaded_error) == NULL);
    CHECK_BYTES(&error, &threaded_error, sizeof error);
    CHECK_UINT(from.num_open, 0);
    return message;
}

TEST (character_reports_a_missing_file_at_its_name_in_the_machine) {
    CHECK_STRING(error_with("chars/hero.md5mesh", NULL),
                 "chars/hero.md5machine:2:11: error: 'hero.md5mesh': cannot open the file");
    CHECK_STRING(error_with("/shared/rest.md5anim", NULL),
                 "chars/hero.md5machine:5:15: error: '/shared/rest.md5anim': cannot open the file");
    CHECK_STRING(error_with("chars/hero.md5machine", NULL),
                 "chars/hero.md5machine: error: cannot open the file");
}

TEST (character_reports_errors_with_the_file_that_contains_them) {
    CHECK_STRING(error_with("chars/anims/walk.md5anim", "MD5Version x"),
                 "chars/anims/walk.md5anim:1:12: error: expected an integer, found 'x'");
    CHECK_STRING(
        error_with("/shared/rest.md5anim", other_clip_text),
        "/shared/rest.md5anim: error: clip 'rest': animation and model have no common joint names: "
        "joint 0 is 'hips' in the model, 'wheel' in the animation");
    CHECK_STRING(error_with("chars/hero.md5machine", "machine hero {\n}"),
                 "chars/hero.md5machine:1:9: error: machine has no model file: expected 'model' "
                 "and a file name");
    CHECK_STRING(error_with("chars/hero.md5machine",
                            "machine m { model hero.md5mesh\nlayer l { state s none } }"),
                 "chars/hero.md5machine:2:19: error: state 's' refers to unknown motion 'none'");
}

static void keep_warning(void *user, const md5_error *warning)
{
    md5_format_error(warning, user, 300);
}

TEST (character_names_the_clip_in_warnings_about_its_binding) {
    archive from = good_archive();
    char warned[300] = "";
    md5_load_opts opts = reading(&from);
    opts.warn = keep_warning;
    opts.warn_user = warned;
    SCOPED_CHARACTER hero = md5_load_character("chars/hero.md5machine", &opts, NULL);
    CHECK(hero);
    CHECK(strncmp(warned, "/shared/rest.md5anim: warning: clip 'rest': ", 44) == 0);
}

TEST (character_names_the_file_in_warnings_about_its_machine) {
    archive from = good_archive();
    char warned[300] = "";
    md5_load_opts opts = reading(&from);
    opts.warn = keep_warning;
    opts.warn_user = warned;
    SCOPED_CHARACTER late = md5_load_character("chars/late.md5machine", &opts, NULL);
    CHECK(late);
    CHECK_STRING(warned, "chars/late.md5machine:2:43: warning: layer 'l': exit 1.5 of the "
                         "transition to 's' is never reached: clips that play once end at 1");
}

static double seconds_since(clock_t start)
{
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

// The missing file of the first of many clips is found in a small multiple of the time to parse the
// text: 8.4 times was measured on a busy machine. A comparison of each clip with all previous clips
// takes 450 times as long.
TEST (character_of_many_clips_takes_linear_time) {
    enum { NUM_CLIPS = 48000 };
    SCOPED_TEXT text = {0};
    test_append(&text, "machine m { model m\n");
    for (int i = 0; i < NUM_CLIPS; i++)
        test_append(&text, "clip a x%06x\n", i);
    test_append(&text, "layer l { state s a } }");
    const memory_file files[] = {{"m.md5machine", text.bytes}, {"m", mesh_text}};
    double parsed = 1e9;
    double loaded = 1e9;
    for (int i = 0; i < 5; i++) {
        archive from = {.files = files, .num_files = 2};
        const md5_load_opts opts = reading(&from);
        md5_error error = {0};
        clock_t start = clock();
        md5_free_machine_file(md5_parse_machine_file(text.bytes, text.used, NULL, NULL));
        parsed = fmin(parsed, seconds_since(start));
        start = clock();
        CHECK(md5_load_character("m.md5machine", &opts, &error) == NULL);
        loaded = fmin(loaded, seconds_since(start));
        CHECK_STRING(error.message, "'x000000': cannot open the file");
    }
    CHECK_THAT(loaded < 30 * parsed, "parsed in %.1f ms, loaded in %.1f", parsed * 1e3,
               loaded * 1e3);
}

// -- Threads --------------------------------------------------------------------------------------

// Each of these files has a warning. Two clips of the machine have the same file.
static const memory_file warning_files[] = {
    {"m.md5machine", "machine m { model m clip a a clip b b clip a2 a clip c c\n"
                     "layer l { state s a state t b state u c } }"},
    {"m", "MD5Version 10 numJoints 1 numMeshes 0 joints { \"hips\" -1 ( 0 0 0 ) ( 0 0 0 ) }"},
    {"a", extra_text},
    {"b", anim_text},
    {"c", "MD5Version 10 numFrames 1 numJoints 1 frameRate 10 numAnimatedComponents 0\n"
          "hierarchy { \"hips\" -1 0 0 } bounds { ( 0 0 0 ) ( 1 1 1 ) }\n"
          "baseframe { ( 0 0 0 ) ( 0 0 0 ) } frame 0 { } more"},
};

static void add_warning(void *user, const md5_error *warning)
{
    char *const warnings = user;
    const size_t size = strlen(warnings);
    md5_format_error(warning, warnings + size, 2000 - size);
    strcat(warnings, "\n");
}

TEST (character_has_the_same_warnings_and_parts_with_threads) {
    char warned[2][2000] = {"", ""};
    md5_character *heroes[2];
    size_t num_items = 0;
    const md5_threads threads = {run_backwards, &num_items, 2};
    archive from = {.files = warning_files, .num_files = 5};
    for (int i = 0; i < 2; i++) {
        md5_load_opts opts = reading(&from);
        opts.warn = add_warning;
        opts.warn_user = warned[i];
        opts.threads = i == 1 ? &threads : NULL;
        md5_error error = {0};
        heroes[i] = md5_load_character("m.md5machine", &opts, &error);
        if (!CHECK_DONE(heroes[i], error))
            return;
        CHECK_STRING(error.message, "");
    }
    CHECK_UINT(num_items, 4);
    CHECK_UINT(from.num_opened, 10);
    CHECK_UINT(from.num_open, 0);
    CHECK(strncmp(warned[0], "m:", 2) == 0);
    CHECK(strstr(warned[0], "\nb: warning: clip 'b': "));
    CHECK(strstr(warned[0], "\nc:") > strstr(warned[0], "\nb:"));
    CHECK_STRING(warned[1], warned[0]);
    CHECK_UINT(heroes[1]->num_warnings, heroes[0]->num_warnings);
    CHECK(heroes[1]->anims[0] == heroes[1]->anims[2] && heroes[1]->anims[0] != heroes[1]->anims[1]);
    for (int i = 0; i < 2; i++)
        md5_free_character(heroes[i]);
}

TEST (character_reports_the_first_error_of_several_with_threads) {
    memory_file files[5];
    memcpy(files, warning_files, sizeof files);
    files[3].text = "MD5Version 10 numFrames x";
    files[4].text = "MD5Version y";
    char warned[2000] = "";
    size_t num_items = 0;
    const md5_threads threads = {run_backwards, &num_items, 2};
    archive from = {.files = files, .num_files = 5};
    md5_load_opts opts = reading(&from);
    opts.warn = add_warning;
    opts.warn_user = warned;
    opts.threads = &threads;
    md5_error error = {0};
    CHECK(md5_load_character("m.md5machine", &opts, &error) == NULL);
    CHECK_STRING(error.file, "b");
    CHECK_UINT(error.column, 25);
    CHECK(strncmp(warned, "m:", 2) == 0 && strstr(warned, "\nc:") == NULL);
    CHECK_UINT(from.num_open, 0);
}

// -- Memory ---------------------------------------------------------------------------------------

static void ignore_warning(void *user, const md5_error *warning)
{
    (void)user;
    (void)warning;
}

// Makes each allocation fail in turn until the character loads.
static void load_with_less_memory(archive from, const char *path, const md5_threads *threads)
{
    uint32_t num_loaded = 0;
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        md5_load_opts opts = reading(&from);
        opts.warn = ignore_warning;
        opts.threads = threads;
        opts.allocator = failure.opts.allocator;
        md5_character *const hero = md5_load_character(path, &opts, &failure.error);
        num_loaded += hero != NULL;
        CHECK((failure.error.status == MD5_ERROR_MEMORY) == (hero == NULL));
        md5_free_character(hero);
        CHECK_UINT(from.num_open, 0);
    }
    CHECK_UINT(num_loaded, 1);
}

TEST (character_frees_all_memory_on_failure) {
    size_t num_items = 0;
    const md5_threads threads = {run_backwards, &num_items, 2};
    load_with_less_memory(good_archive(), "chars/hero.md5machine", NULL);
    load_with_less_memory((archive){.files = warning_files, .num_files = 5}, "m.md5machine",
                          &threads);
}

// Paths and arrays are so large that each step allocates a separate chunk.
TEST (large_character_frees_all_memory_on_failure) {
    enum { LENGTH = 200000, CLIPS = 4000, CAPACITY = 2 * LENGTH + 40 * CLIPS + 1000 };
    SCOPED_STRING text = malloc(CAPACITY);
    SCOPED_STRING model = malloc(LENGTH);
    SCOPED_STRING anim = malloc(LENGTH);
    memset(model, 'm', LENGTH);
    memset(anim, 'a', LENGTH);
    model[0] = anim[0] = '/';
    model[LENGTH - 1] = anim[LENGTH - 1] = '\0';
    int used = snprintf(text, CAPACITY, "machine m { model %s layer l { state s c }\nclip c %s\n",
                        model, anim);
    for (int i = 0; i < CLIPS; i++)
        used += snprintf(text + used, CAPACITY - (size_t)used, "clip c%d /c\n", i);
    snprintf(text + used, CAPACITY - (size_t)used, "}");
    const memory_file files[4] = {
        {"m.md5machine", text}, {model, mesh_text}, {anim, anim_text}, {"/c", anim_text}};
    load_with_less_memory((archive){.files = files, .num_files = 4}, "m.md5machine", NULL);
}
