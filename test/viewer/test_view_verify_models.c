// The reports of --verify about the reference's models, on every path: one viewer after another, on
// one OpenGL context.
#define _XOPEN_SOURCE 700 // dup(), fileno(), nftw()
#include "test/viewer/test_view_shot.h"

#include "demo/common/memory.h"
#include "demo/viewer/jobs/output.h"

#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// -- Reports ----------------------------------------------------------------------------------

typedef struct verify_report {
    bool passes;
    char *text; // what is printed
} verify_report;

// Runs the job and returns what it prints to the standard output.
static verify_report verify(view_state *viewer)
{
    FILE *const file = tmpfile();
    verify_report report = {0};
    if (file == NULL) {
        CHECK(file != NULL);
        return report;
    }
    (void)fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    (void)dup2(fileno(file), STDOUT_FILENO);
    report.passes = view_run_verify(viewer);
    (void)fflush(stdout);
    (void)dup2(kept, STDOUT_FILENO);
    (void)close(kept);
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    rewind(file);
    report.text = common_alloc((size_t)size + 1, 1);
    report.text[fread(report.text, 1, (size_t)size, file)] = '\0';
    (void)fclose(file);
    return report;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

// The largest number before " of the size".
static double largest_error(const char *text)
{
    double largest = 0.0;
    for (const char *at = strstr(text, " of the size"); at; at = strstr(at + 1, " of the size")) {
        const char *number = at;
        while (number > text && number[-1] != ' ')
            number--;
        const double error = strtod(number, NULL);
        largest = error > largest ? error : largest;
    }
    return largest;
}

// The printed errors themselves are within a ten-thousandth of the model's size.
static bool is_exact(const verify_report *report)
{
    return report->passes && ends_with(report->text, ": ok\n")
           && strstr(report->text, " of the size") != NULL && largest_error(report->text) <= 1e-4;
}

// A forced path is exact, or it fails by no more than predicted.
static bool is_predicted(const verify_report *report)
{
    const char *const text = report->text;
    if (strstr(text, "ERROR TOO LARGE") != NULL)
        return false;
    return report->passes
               ? strstr(text, "loses") == NULL
               : strstr(text, "loss as predicted\n") != NULL && ends_with(text, "FAILED\n");
}

// -- Models -----------------------------------------------------------------------------------

// Verifies what the line names. `accepts` judges the report, which must contain `words`.
static void check_report(const gl_scene *scene, const char *line,
                         bool (*accepts)(const verify_report *report), const char *words)
{
    shot_viewer viewer;
    if (shot_open(&viewer, scene, line)) {
        const verify_report report = verify(&viewer.state);
        test_check(report.text != NULL && accepts(&report) && strstr(report.text, words) != NULL,
                   __FILE__, __LINE__, "%s, expected \"%s\":\n%s", line, words, report.text);
        free(report.text);
    }
    shot_close(&viewer);
}

static void check_model(const gl_scene *scene, const char *path)
{
    static const char *const paths[] = {"4", "8", "exact"};
    char *const line = common_format("--verify %s %.*sanim", path, (int)(strlen(path) - 4), path);
    check_report(scene, line, is_exact, "");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char *const forced = common_format("%s --path %s", line, paths[i]);
        check_report(scene, forced, is_predicted, "");
        free(forced);
    }
    free(line);
}

TEST_SCENE (view_verify_accepts_the_models_of_the_reference) {
    glob_t found;
    if (CHECK(glob(test_path("test/reference/data/*.md5mesh"), 0, NULL, &found) == 0)) {
        CHECK(found.gl_pathc > 5);
        for (size_t i = 0; i < found.gl_pathc; i++)
            check_model(scene, found.gl_pathv[i]);
        globfree(&found);
    }
}

// -- Real models ------------------------------------------------------------------------------

static struct {
    char *paths[256];
    size_t count;
} real_models;

static int note_model(const char *path, const struct stat *status, int kind, struct FTW *visit)
{
    (void)status, (void)visit;
    if (kind == FTW_F && ends_with(path, ".md5mesh") && strstr(path, "invalid") == NULL
        && strstr(path, "malformed") == NULL
        && CHECK(real_models.count < sizeof real_models.paths / sizeof *real_models.paths))
        real_models.paths[real_models.count++] = common_copy(path);
    return 0;
}

// With the animations of the same folder that fit, on the path that the viewer chooses.
TEST_SCENE (view_verify_accepts_the_corpus) {
    if (!test_corpus()) {
        test_skip("MD5_CORPUS is not set");
        return;
    }
    char *const folder = common_format("%s/corpus", test_corpus());
    real_models.count = 0;
    CHECK(nftw(folder, note_model, 16, FTW_PHYS) == 0);
    CHECK(real_models.count > 0);
    for (size_t i = 0; i < real_models.count; i++) {
        char *const line = common_format("--verify %s", real_models.paths[i]);
        check_report(scene, line, is_exact, "");
        free(line);
        free(real_models.paths[i]);
    }
    free(folder);
}

// -- Forced paths -----------------------------------------------------------------------------

#define OWN "--verify models/bobbin/bobbin.md5mesh"

TEST_SCENE (view_verify_accepts_our_model_on_lossless_paths) {
    check_report(scene, OWN " --path 8", is_exact, "path 8 (forced)");
    check_report(scene, OWN " --path exact", is_exact, "path exact (forced)");
}

// The number behind `word` in the line of mesh "skin".
static double number_of_skin(const char *text, const char *word)
{
    const char *const line = strstr(text, "\"skin\"");
    const char *const at = line != NULL ? strstr(line, word) : NULL;
    return CHECK(at != NULL) ? strtod(at + strlen(word), NULL) : 0.0;
}

static bool loses_no_more_than_predicted(const verify_report *report)
{
    const double error = number_of_skin(report->text, "largest error ");
    return !report->passes && is_predicted(report) && error > 0.01
           && error <= number_of_skin(report->text, "predicted loss ");
}

// Its vertices have more than four influences.
TEST_SCENE (view_verify_reports_what_four_influences_lose) {
    check_report(scene, OWN " --path 4", loses_no_more_than_predicted, "path 4 (forced)");
}

#define STILL "--verify test/reference/data/still.md5mesh test/reference/data/still.md5anim"

// Four vertices with one influence each lose nothing on any path.
TEST_SCENE (view_verify_reports_the_path_that_is_forced) {
    static const char *const paths[] = {"4", "8", "exact", "cpu", "compute"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char *const line = common_format(STILL " --path %s", paths[i]);
        char *const words = common_format("path %s (forced)", paths[i]);
        check_report(scene, line, is_exact, words);
        free(line);
        free(words);
    }
}

TEST_SCENE (view_verify_reports_dual_quaternions) {
    static const char *const paths[] = {"auto", "exact", "cpu", "compute"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char *const line = common_format(STILL " --skinning dual --path %s", paths[i]);
        check_report(scene, line, is_exact, "dual quaternions: largest error");
        free(line);
    }
}
