// Warnings that a file gives cause for again and again: each kind of them is reported once.
#include "test/read/read_case.h"
#include "test/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An animation of 50 frames; its rotations are too long in all but frame 3.
static size_t write_anim(char *text)
{
    size_t size =
        (size_t)sprintf(text, "MD5Version 10\ncommandline \"\"\nnumFrames 50\nnumJoints 2\n"
                              "frameRate 24\nnumAnimatedComponents 6\nhierarchy {\n"
                              "\"a\" -1 56 0\n\"b\" 0 56 3\n}\nbounds {\n");
    for (int i = 0; i < 50; i++)
        size += (size_t)sprintf(text + size, "( -1 -1 -1 ) ( 1 1 1 )\n");
    size +=
        (size_t)sprintf(text + size, "}\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n( 0 0 0 ) ( 0 0 0 )\n"
                                     "}\nwibble 1\nwobble 2\nwibble 3\n");
    for (int i = 0; i < 50; i++)
        size += (size_t)sprintf(text + size, "frame %d {\n%s 0 0\n%s 0 0\n}\n", i,
                                i == 3 ? "1" : "2", i % 2 || i == 3 ? "0" : "3");
    return size;
}

static read_case_log parse(const char *text, size_t size, bool is_anim, uint32_t most,
                           uint32_t *num_warnings)
{
    read_case_log log = {0};
    const md5_load_opts opts = {
        .warn = most > 0 ? read_case_warn : NULL, .warn_user = &log, .max_warnings = most};
    md5_error error;
    const read_asset made = read_asset_parse(is_anim, text, size, &opts, &error);
    if (!read_asset_is_there(made))
        read_case_add(&log, &error);
    *num_warnings = read_asset_is_there(made) ? read_asset_warnings(made) : 0;
    read_asset_free(made);
    return log;
}

TEST (load_reports_each_kind_of_warning_once) {
    static char text[16384];
    uint32_t count;
    const size_t size = write_anim(text);
    const read_case_log log = parse(text, size, true, 100, &count);
    CHECK_STRING(log.text,
                 "67:1: warning: 'wibble' is unknown here: skipped with its values (2 times, last "
                 "in line 69)\n"
                 "68:1: warning: 'wobble' is unknown here: skipped with its values\n"
                 "71:1: warning: 2 rotations, the first of length 2, are longer than 1: they are "
                 "normalized (49 times, last in line 267)");
    CHECK_UINT(count, 3);
    (void)parse(text, size, true, 0, &count);
    CHECK_UINT(count, 3);
    CHECK_STRING(parse(text, size, true, 2, &count).text,
                 "67:1: warning: 'wibble' is unknown here: skipped with its values (2 times, last "
                 "in line 69)\n"
                 "68:1: warning: 'wobble' is unknown here: skipped with its values (further "
                 "warnings suppressed)");
    CHECK_UINT(count, 3);
}

TEST (load_reports_warnings_before_the_error) {
    static char text[16384];
    uint32_t count;
    const size_t size = write_anim(text);
    const read_case_log log = parse(text, size - strlen("}\n"), true, 100, &count);
    CHECK_STRING(strstr(log.text, " (48 times"),
                 " (48 times, last in line 263)\n"
                 "268:6: error: expected '}' after the 6 numbers of this frame, found the end of "
                 "the file");
}

// More kinds than are kept at a time: none is lost, and all are in order.
TEST (load_reports_more_kinds_than_it_keeps) {
    enum { KINDS = 40 };
    char text[8192];
    uint32_t count;
    size_t size = (size_t)sprintf(text, "MD5Version 10 commandline \"\"\n");
    for (int i = 0; i < KINDS; i++)
        size += (size_t)sprintf(text + size, "w%d 1\nw%d 1\n", i, i);
    size += (size_t)sprintf(text + size, "numJoints 1 numMeshes 0 joints { a -1 (0 0 0) (0 0 0) }");
    const read_case_log log = parse(text, size, false, 100, &count);
    CHECK_UINT(count, KINDS);
    const char *at = log.text;
    for (int i = 0; i < KINDS; i++) {
        char line[64];
        snprintf(line, sizeof line, "%d:1: warning: 'w%d' is", 2 + 2 * i, i);
        at = at ? strstr(at, line) : NULL;
        CHECK(at != NULL);
    }
    CHECK(at && strstr(at, "(2 times, last in line 81)"));
}
