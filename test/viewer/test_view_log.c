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

// -- Causes -------------------------------------------------------------------------------------

static void warn_in(view_log *log, const char *file, view_level level, const char *text)
{
    md5_error warning = {.status = MD5_WARNING};
    snprintf(warning.file, sizeof warning.file, "%s", file);
    snprintf(warning.message, sizeof warning.message, "%s", text);
    view_log_warning(log, &warning);
    log->reports->rows[log->reports->count - 1].level = level;
}

// Texts that differ only in numbers and quoted names have one cause in each file.
TEST_HERE (view_log_groups_warnings_by_cause) {
    warn_in(&k->log, "a.md5mesh", VIEW_WARNING, "joint 1 'hips' has weight 0.5");
    warn_in(&k->log, "a.md5mesh", VIEW_WARNING, "joint 1 'hips' has no weight");
    warn_in(&k->log, "a.md5mesh", VIEW_WARNING, "joint 22 'head 3' has weight 12");
    warn_in(&k->log, "b.md5mesh", VIEW_WARNING, "joint 1 'hips' has weight 0.5");
    warn_in(&k->log, "b.md5mesh", VIEW_WARNING, "the name 'is not closed");
    warn_in(&k->log, "b.md5mesh", VIEW_WARNING, "the name 'was not closed");
    view_find_causes(&k->reports);
    if (CHECK_UINT(k->reports.num_causes, 5)) {
        CHECK_UINT(k->reports.causes[0].num_reports, 2);
        CHECK_UINT(k->reports.order[k->reports.causes[0].first], 0);
        CHECK_UINT(k->reports.order[k->reports.causes[0].first + 1], 2);
        CHECK_UINT(k->reports.causes[1].num_reports, 1);
    }
    CHECK_UINT(view_count_problems(&k->log), 5);
}

// The order is: errors, clips of other skeletons, other warnings, notes.
TEST_HERE (view_log_lists_the_worst_cause_first) {
    warn_in(&k->log, "a.md5mesh", VIEW_INFO, "a note");
    warn_in(&k->log, "a.md5mesh", VIEW_WARNING, "a warning");
    k->log.about.kind = VIEW_ABOUT_BINDING;
    warn_in(&k->log, "z.md5anim", VIEW_WARNING, "joint 1 is missing");
    warn_in(&k->log, "z.md5anim", VIEW_WARNING, "joint 2 is ignored");
    k->log.about.kind = VIEW_ABOUT_FILE;
    warn_in(&k->log, "z.md5mesh", VIEW_ERROR, "an error");
    view_find_causes(&k->reports);
    if (CHECK_UINT(k->reports.num_causes, 4)) {
        static const uint32_t first[] = {4, 2, 1, 0};
        for (size_t i = 0; i < COUNT_OF(first); i++)
            CHECK_UINT(k->reports.order[k->reports.causes[i].first], first[i]);
        CHECK(k->reports.causes[1].is_binding);
        CHECK_UINT(k->reports.causes[1].num_reports, 2);
    }
    CHECK_UINT(view_count_problems(&k->log), 3);
}

// A file with VIEW_MAX_CAUSES causes lists all of them. If a file has one more, the mildest causes
// are merged into one.
TEST_HERE (view_log_lists_ten_causes_per_file) {
    char text[] = "cause a";
    for (int i = 0; i < VIEW_MAX_CAUSES; i++, text[6]++)
        warn_in(&k->log, "a.md5mesh", i < 3 ? VIEW_INFO : VIEW_WARNING, text);
    warn_in(&k->log, "b.md5mesh", VIEW_WARNING, text);
    view_find_causes(&k->reports);
    CHECK_UINT(k->reports.num_causes, VIEW_MAX_CAUSES + 1);
    warn_in(&k->log, "a.md5mesh", VIEW_ERROR, text);
    view_find_causes(&k->reports);
    CHECK_UINT(k->reports.num_causes, VIEW_MAX_CAUSES + 1);
    const view_cause *const rest = &k->reports.causes[VIEW_MAX_CAUSES];
    CHECK(rest->is_merged);
    CHECK_UINT(rest->level, VIEW_INFO);
    CHECK_UINT(rest->num_reports, 2);
    CHECK_UINT(k->reports.order[rest->first], 1);
    CHECK_UINT(k->reports.order[k->reports.causes[0].first], VIEW_MAX_CAUSES + 1);
    size_t sum = 0;
    for (size_t i = 0; i < k->reports.num_causes; i++)
        sum += k->reports.causes[i].num_reports;
    CHECK_UINT(sum, k->reports.count);
}

TEST_HERE (view_log_groups_any_number_of_causes) {
    char text[32];
    for (int i = 0; i < VIEW_MAX_REPORTS; i++) {
        for (int digit = 0; digit < 4; digit++)
            text[digit] = (char)('a' + (i >> (4 * digit) & 15));
        text[4] = '\0';
        view_warn(&k->log, "%s", text);
    }
    CHECK_UINT(view_count_problems(&k->log), VIEW_MAX_CAUSES);
    CHECK_UINT(k->reports.causes[VIEW_MAX_CAUSES - 1].num_reports,
               VIEW_MAX_REPORTS - VIEW_MAX_CAUSES + 1);
}
