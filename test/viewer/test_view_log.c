// The log as the window stores it: warnings, with equal warnings once, and the location of the last
// error.
#include "test/test.h"

#include "demo/viewer/base/log.h"

static const md5_error no_mesh = {
    .status = MD5_WARNING, .line = 3, .column = 7, .file = "a.md5mesh", .message = "no mesh"};

typedef struct kept {
    view_reports reports;
    view_log log;
} kept;

#define TEST_HERE(title)                                                                      \
    TEST_IF (title, kept, k,                                                                  \
             (*k = (kept){.log = {.level = VIEW_QUIET}}, k->log.reports = &k->reports, true), \
             view_log_clear(&k->log))

TEST_HERE (view_log_keeps_every_warning) {
    for (int i = 0; i < 100; i++)
        view_warn(&k->log, "warning %d", i);
    CHECK_UINT(k->log.num_warnings, 100);
    if (CHECK_UINT(k->reports.count, 100)) {
        CHECK_STRING(k->reports.rows[0].text, "warning 0");
        CHECK_STRING(k->reports.rows[99].text, "warning 99");
    }
}

TEST_HERE (view_log_counts_equal_warnings) {
    md5_error elsewhere = no_mesh;
    elsewhere.line = 4;
    view_log_warning(&k->log, &no_mesh);
    view_log_warning(&k->log, &elsewhere);
    view_log_warning(&k->log, &no_mesh);
    CHECK_UINT(k->log.num_warnings, 2); // the number of listed warnings
    if (CHECK_UINT(k->reports.count, 2)) {
        CHECK_UINT(k->reports.rows[0].count, 2);
        CHECK_UINT(k->reports.rows[1].count, 1);
    }
}

TEST_HERE (view_log_does_not_count_notes_as_warnings) {
    view_log_warning(&k->log, &no_mesh);
    view_note(&k->log, "out/a.glb", "no picture");
    view_note(&k->log, "out/a.glb", "no picture");
    CHECK_UINT(k->log.num_warnings, 1);
    CHECK_UINT(k->log.num_notes, 1);
    if (CHECK_UINT(k->reports.count, 2))
        CHECK_STRING(k->reports.rows[1].file, "out/a.glb");
}

TEST_HERE (view_log_keeps_the_location_of_a_warning) {
    view_log_warning(&k->log, &no_mesh);
    if (CHECK_UINT(k->reports.count, 1)) {
        CHECK_STRING(k->reports.rows[0].text, "no mesh");
        CHECK_STRING(k->reports.rows[0].file, "a.md5mesh");
        CHECK_UINT(k->reports.rows[0].line, 3);
        CHECK_UINT(k->reports.rows[0].column, 7);
    }
}

TEST_HERE (view_log_does_not_cut_a_long_warning) {
    view_warn(&k->log, "%0900d", 0);
    CHECK_UINT(k->reports.count > 0 ? strlen(k->reports.rows[0].text) : 0, 900);
}

TEST_HERE (view_log_lists_no_more_than_its_bound) {
    for (int i = 0; i < VIEW_MAX_REPORTS + 5; i++)
        view_warn(&k->log, "warning %d", i);
    CHECK_UINT(k->reports.count, VIEW_MAX_REPORTS);
    CHECK_UINT(k->log.num_warnings, VIEW_MAX_REPORTS + 5);
}

TEST_HERE (view_log_is_empty_after_it_was_cleared) {
    view_log_warning(&k->log, &no_mesh);
    view_log_error(&k->log, &no_mesh);
    view_log_clear(&k->log);
    CHECK(k->reports.count == 0 && k->log.num_warnings == 0 && k->log.error[0] == '\0');
}

TEST_HERE (view_log_keeps_the_location_of_the_last_error) {
    view_log_error(&k->log, &no_mesh);
    CHECK_STRING(k->log.error, "a.md5mesh, line 3, column 7: no mesh");
    CHECK_STRING(k->log.failure.file, "a.md5mesh");
    CHECK_UINT(k->log.failure.line, 3);
    view_error(&k->log, "no ffmpeg");
    CHECK_STRING(k->log.error, "no ffmpeg");
    CHECK_STRING(k->log.failure.file, "");
    CHECK_UINT(k->log.num_errors, 2);
}
