// Tests that pipes and everything else that is not a regular file are rejected immediately, with or
// without a program that writes to them. Further parts test repeated warnings and errors of the
// caller.
#define _GNU_SOURCE // mkdtemp() and mkfifo()
#include "test/scoped.h"
#include "test/misuse.h"
#include "test/read/read_case.h"

// WebAssembly's system does not have pipes.
#if (defined(__unix__) || defined(__APPLE__)) && !defined(__EMSCRIPTEN__)

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_refused(const char *path)
{
    md5_error errors[4];
    CHECK(!md5_load_model(path, NULL, &errors[0]));
    CHECK(!md5_load_anim(path, NULL, &errors[1]));
    CHECK(!md5_load_camera(path, NULL, &errors[2]));
    CHECK(!md5_load_machine_file(path, NULL, &errors[3]));
    for (int i = 0; i < 4; i++) {
        CHECK_UINT(errors[i].status, MD5_ERROR_IO);
        CHECK_STRING(errors[i].file, path);
        CHECK_STRING(errors[i].message,
                     "path leads to a pipe or a device: expected a regular file");
    }
}

TEST (load_rejects_pipes_without_waiting) {
    char folder[] = "/tmp/md5model_XXXXXX";
    char path[64];
    int ends[2];
    REQUIRE(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pipe", folder);
    if (CHECK(mkfifo(path, 0600) == 0)) {
        check_refused(path);
        const int writer = open(path, O_RDWR | O_NONBLOCK); // writes nothing
        if (CHECK(writer >= 0)) {
            check_refused(path);
            close(writer);
        }
        unlink(path);
    }
    rmdir(folder);
    if (access("/dev/fd/0", F_OK) != 0 || !CHECK(pipe(ends) == 0))
        return;
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    check_refused(path);
    close(ends[0]);
    close(ends[1]);
}

TEST (load_reports_unreadable_files) {
    static const char unreadable[] = "/proc/self/mem"; // can be opened, but not read from byte 0
    md5_error error = {0};
    if (access(unreadable, R_OK) == 0) {
        CHECK_SAYS(md5_load_model(unreadable, NULL, &error), error, MD5_ERROR_IO,
                   "cannot read the file");
    }
}

#endif

// -- Repeated warnings ----------------------------------------------------------------------------
//
// Warnings that a file causes repeatedly: each kind is reported once.

// Writes an animation of 50 frames whose rotations are too long in all frames but frame 3.
static void write_anim(test_text *text)
{
    test_append(text, "MD5Version 10\ncommandline \"\"\nnumFrames 50\nnumJoints 2\n"
                      "frameRate 24\nnumAnimatedComponents 6\nhierarchy {\n"
                      "\"a\" -1 56 0\n\"b\" 0 56 3\n}\nbounds {\n");
    for (int i = 0; i < 50; i++)
        test_append(text, "( -1 -1 -1 ) ( 1 1 1 )\n");
    test_append(text, "}\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n( 0 0 0 ) ( 0 0 0 )\n"
                      "}\nwibble 1\nwobble 2\nwibble 3\n");
    for (int i = 0; i < 50; i++) {
        const char *const first = i == 3 ? "1" : "2";
        const char *const second = i % 2 || i == 3 ? "0" : "3";
        test_append(text, "frame %d {\n%s 0 0\n%s 0 0\n}\n", i, first, second);
    }
}

static read_case_log parse(const char *text, size_t size, bool is_anim, uint32_t max_warnings,
                           uint32_t *num_warnings)
{
    read_case_log log = {0};
    const md5_load_opts opts = {.warn = max_warnings > 0 ? read_case_warn : NULL,
                                .warn_user = &log,
                                .max_warnings = max_warnings};
    md5_error error = {0};
    const read_asset asset = read_asset_parse(is_anim, text, size, &opts, &error);
    if (!read_asset_is_loaded(asset))
        read_case_add(&log, &error);
    *num_warnings = read_asset_is_loaded(asset) ? read_asset_warnings(asset) : 0;
    read_asset_free(asset);
    return log;
}

TEST (load_reports_each_kind_of_warning_once) {
    SCOPED_TEXT text = {0};
    uint32_t count;
    write_anim(&text);
    const read_case_log log = parse(text.bytes, text.used, true, 100, &count);
    CHECK_STRING(log.text,
                 "67:1: warning: 'wibble' is an unknown keyword: skipped with its values (2 times, "
                 "last in line 69)\n"
                 "68:1: warning: 'wobble' is an unknown keyword: skipped with its values\n"
                 "71:1: warning: 2 rotations are not normalized: expected x, y, z of length 1 or "
                 "less, found 2 in "
                 "the first; normalized (49 times, last in line 267)");
    CHECK_UINT(count, 3);
    parse(text.bytes, text.used, true, 0, &count);
    CHECK_UINT(count, 3);
    CHECK_STRING(parse(text.bytes, text.used, true, 2, &count).text,
                 "67:1: warning: 'wibble' is an unknown keyword: skipped with its values (2 times, "
                 "last in line 69)\n"
                 "68:1: warning: 'wobble' is an unknown keyword: skipped with its values (further "
                 "warnings suppressed)");
    CHECK_UINT(count, 3);
}

TEST (load_reports_warnings_before_the_error) {
    SCOPED_TEXT text = {0};
    uint32_t count;
    write_anim(&text);
    const read_case_log log = parse(text.bytes, text.used - strlen("}\n"), true, 100, &count);
    CHECK_STRING(
        strstr(log.text, " (48 times"),
        " (48 times, last in line 263)\n"
        "268:6: error: unterminated frame: expected '}' after 6 values, found the end of the file");
}

// More kinds than can be stored at a time: all are reported, in order.
TEST (load_reports_more_kinds_than_it_keeps) {
    enum { KINDS = 40 };
    SCOPED_TEXT text = {0};
    uint32_t count;
    test_append(&text, "MD5Version 10 commandline \"\"\n");
    for (int i = 0; i < KINDS; i++)
        test_append(&text, "w%d 1\nw%d 1\n", i, i);
    test_append(&text, "numJoints 1 numMeshes 0 joints { a -1 (0 0 0) (0 0 0) }");
    const read_case_log log = parse(text.bytes, text.used, false, 100, &count);
    CHECK_UINT(count, KINDS);
    const char *at = log.text;
    for (int i = 0; i < KINDS; i++) {
        char line[64];
        snprintf(line, sizeof line, "%d:1: warning: 'w%d' is", 2 + 2 * i, i);
        at = at ? strstr(at, line) : NULL;
        CHECK(at);
    }
    CHECK(at && strstr(at, "(2 times, last in line 81)"));
}

// -- Errors ---------------------------------------------------------------------------------------
//
// Invalid calls of load functions: builds with assertions abort with a message that contains
// function and argument; release builds report an error.

#if defined(NDEBUG)

TEST (load_without_a_path_is_an_error) {
    md5_error error = {0};
    CHECK_REFUSED(md5_load_model(NULL, NULL, &error), error, MD5_ERROR_IO,
                  "argument 'path' is missing: expected a file name, found NULL");
    CHECK_FAILS(md5_load_anim(NULL, NULL, &error), error, MD5_ERROR_IO);
    CHECK(!md5_load_camera(NULL, NULL, NULL));
    CHECK(!md5_load_machine_file(NULL, NULL, NULL));
}

TEST (parse_reads_a_null_text_as_empty) {
    md5_error error = {0};
    CHECK_FAILS(md5_parse_model(NULL, 5, NULL, &error), error, MD5_ERROR_SYNTAX);
    CHECK_FAILS(md5_parse_anim(NULL, 5, NULL, &error), error, MD5_ERROR_SYNTAX);
    CHECK_FAILS(md5_parse_camera(NULL, 5, NULL, &error), error, MD5_ERROR_SYNTAX);
    CHECK_FAILS(md5_parse_machine_file(NULL, 5, NULL, &error), error, MD5_ERROR_SYNTAX);
}

#elif defined(__unix__) || defined(__APPLE__)

static void *alloc_nothing(void *user, size_t size)
{
    (void)user, (void)size;
    return NULL;
}

static const md5_load_opts half_an_allocator = {.allocator = {.alloc = alloc_nothing}};

TEST (load_reports_an_error_with_function_and_argument) {
    MISUSE("md5_load_model(): path: must not be NULL", md5_load_model(NULL, NULL, NULL));
    MISUSE("md5_load_anim(): path: must not be NULL", md5_load_anim(NULL, NULL, NULL));
    MISUSE("md5_load_camera(): path: must not be NULL", md5_load_camera(NULL, NULL, NULL));
    MISUSE("md5_load_machine_file(): path: must not be NULL",
           md5_load_machine_file(NULL, NULL, NULL));
    MISUSE("md5_parse_model(): text: must not be NULL unless size is 0",
           md5_parse_model(NULL, 5, NULL, NULL));
    MISUSE("md5_parse_anim(): text: must not be NULL unless size is 0",
           md5_parse_anim(NULL, 5, NULL, NULL));
    MISUSE("md5_parse_camera(): opts: allocator.alloc",
           md5_parse_camera("x", 1, &half_an_allocator, NULL));
    MISUSE("md5_load_model(): opts: reserved members must be 0",
           md5_load_model("", &(md5_load_opts){.reserved = {1}}, NULL));
    MISUSE("md5_parse_machine_file(): text: must not be NULL unless size is 0",
           md5_parse_machine_file(NULL, 5, NULL, NULL));
}

#endif
