// How much work --verify does: each pose skins a model once, however many meshes it has.
#define _POSIX_C_SOURCE 200809L // mkstemp(), dup()
#define _XOPEN_SOURCE 700       // dup(), fileno(), nftw()
#include "test/own.h"
#include "test/viewer/test_view_shot.h"

#include "render/gl_internal.h"

#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <unistd.h>

enum { NUM_MESHES = 100, NUM_POSES = 2 }; // without clips: the bind pose and one with bent joints

// -- Counting what goes to OpenGL ---------------------------------------------------------------

static uint64_t num_uploads, num_dispatches, num_captures;
static GladGLContext real;
static void(GLAD_API_PTR *real_dispatch)(GLuint x, GLuint y, GLuint z);

static void GLAD_API_PTR count_upload(GLenum target, GLintptr offset, GLsizeiptr size,
                                      const void *data)
{
    num_uploads += target == GL_ARRAY_BUFFER;
    real.BufferSubData(target, offset, size, data);
}

static void GLAD_API_PTR count_dispatch(GLuint x, GLuint y, GLuint z)
{
    num_dispatches++;
    real_dispatch(x, y, z);
}

static void GLAD_API_PTR count_capture(GLenum mode)
{
    num_captures++;
    real.BeginTransformFeedback(mode);
}

// -- A model of many meshes ---------------------------------------------------------------------

static char *write_model(void)
{
    const char *const folder = getenv("TMPDIR");
    char *const path = common_format("%s/md5view_meshes_XXXXXX", folder != NULL ? folder : "/tmp");
    const int number = mkstemp(path);
    FILE *const file = number >= 0 ? fdopen(number, "wb") : NULL;
    if (!CHECK(file))
        return path;
    (void)fprintf(file,
                  "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes %d\njoints {\n"
                  "\t\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n\t\"b\" 0 ( 0 0 9 ) ( 0 0 0 )\n}\n",
                  NUM_MESHES);
    for (unsigned mesh = 0; mesh < NUM_MESHES; mesh++) {
        (void)fprintf(file, "mesh {\n\tshader \"none\"\n\tnumverts 3\n");
        FOR (i, 3u)
            (void)fprintf(file, "\tvert %u ( 0 0 ) %u 1\n", i, i);
        (void)fprintf(file, "\tnumtris 1\n\ttri 0 0 1 2\n\tnumweights 3\n");
        FOR (i, 3u)
            (void)fprintf(file, "\tweight %u %u 1 ( %u %u %u )\n", i, (mesh + i) % 2, i % 2, i / 2,
                          mesh);
        (void)fprintf(file, "}\n");
    }
    (void)fclose(file);
    return path;
}

// -- Verifying ----------------------------------------------------------------------------------

// Discards the report, which is long.
static bool verify_silently(view_state *viewer)
{
    (void)fflush(stdout);
    const int kept = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    (void)dup2(nowhere, STDOUT_FILENO);
    const bool passes = view_run_verify(viewer);
    (void)fflush(stdout);
    (void)dup2(kept, STDOUT_FILENO);
    (void)close(kept);
    (void)close(nowhere);
    return passes;
}

// Verifies the model on a path. Returns false if the driver has no such path.
static bool count_work(const char *path, bool dual)
{
    gl_scene scene;
    view_options options;
    char problem[256], *model = write_model();
    OWN char *path_option = common_format("--path=%s", path);
    char *arguments[] = {"--verify", "--no-auto", path_option, dual ? "--skinning=dual" : model,
                         model};
    bool done = false;
    CHECK(view_read_options(dual ? 5 : 4, arguments, &options, problem, sizeof problem));
    if (scene_share(&scene)) {
        view_state viewer;
        view_begin(&viewer, &options);
        viewer.log.level = VIEW_QUIET;
        viewer.renderer = scene.renderer;
        done = md5gl_has_path(scene.renderer, options.path);
        if (done && CHECK(view_open(&viewer, options.files, options.num_files, true))) {
            md5gl_renderer *renderer = scene.renderer;
            num_uploads = num_dispatches = num_captures = 0;
            real = renderer->gl;
            real_dispatch = renderer->optional.DispatchCompute;
            renderer->gl.BufferSubData = count_upload;
            renderer->gl.BeginTransformFeedback = count_capture;
            renderer->optional.DispatchCompute = count_dispatch;
            CHECK(verify_silently(&viewer));
            scene.renderer->gl = real;
            scene.renderer->optional.DispatchCompute = real_dispatch;
        }
        view_end(&viewer);
        scene_close(&scene);
    }
    view_free_options(&options);
    (void)remove(model);
    free(model);
    return done;
}

// Positions, normals and tangents of each mesh are uploaded once a pose.
TEST (view_verify_skins_a_model_once_a_pose_on_the_cpu) {
    FOR (dual, 2)
        if (count_work("cpu", dual == 1)) {
            CHECK_UINT(num_captures, NUM_POSES * NUM_MESHES);
            CHECK_UINT(num_uploads, 3 * NUM_POSES * NUM_MESHES);
        }
}

TEST (view_verify_skins_a_model_once_a_pose_by_compute_shaders) {
    if (!count_work("compute", false)) {
        test_skip("the driver has no compute shaders");
        return;
    }
    CHECK_UINT(num_captures, NUM_POSES * NUM_MESHES);
    CHECK_UINT(num_dispatches, NUM_POSES * NUM_MESHES);
}

// Capturing without a palette reads the first instance, needs one, and keeps all instances.
TEST_SCENE (gl_capture_without_a_palette_reads_the_first_instance) {
    md5_vec3 once[4], again[4];
    md5_error error = {0};
    OWN_MODEL square = scene_square();
    md5gl_model *const drawn = md5gl_create_model(scene->renderer, square, MD5GL_PATH_AUTO, &error);
    const md5_mat34 palettes[4] = {scene_moved(1, 2, 3), scene_moved(4, 5, 6), scene_identity,
                                   scene_identity};
    CHECK_FAILS(md5gl_capture(scene->renderer, drawn, 0, NULL, once, NULL, NULL, &error), error,
                MD5_ERROR_RANGE);
    CHECK(md5gl_capture(scene->renderer, drawn, 0, palettes, once, NULL, NULL, &error));
    CHECK(!md5gl_capture(scene->renderer, drawn, 0, NULL, again, NULL, NULL, &error));
    CHECK(scene_pose(scene->renderer, drawn, palettes, NULL, 2, &error));
    FOR (i, 2) {
        memset(again, 0, sizeof again);
        CHECK(md5gl_capture(scene->renderer, drawn, 0, NULL, again, NULL, NULL, &error));
        CHECK_BYTES(once, again, sizeof once);
    }
    md5gl_destroy_model(scene->renderer, drawn);
}

// -- Verify models --------------------------------------------------------------------------------

// The reports of --verify about the reference's models, on every path: one viewer after another, on
// one OpenGL context.

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
        CHECK(file);
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
    OWN_SHOT viewer;
    if (shot_open(&viewer, scene, line)) {
        const verify_report report = verify(&viewer.state);
        CHECK_THAT(report.text != NULL && accepts(&report) && strstr(report.text, words) != NULL,
                   "%s, expected \"%s\":\n%s", line, words, report.text);
        free(report.text);
    }
}

TEST_SCENE (view_verify_accepts_the_models_of_the_reference) {
    glob_t found;
    REQUIRE(glob(test_path("test/reference/data/*.md5mesh"), 0, NULL, &found) == 0);
    CHECK(found.gl_pathc > 5);
    FOR (i, found.gl_pathc) {
        const char *path = found.gl_pathv[i];
        STRINGS(paths) = {"4", "8", "exact"};
        OWN_STRING line =
            common_format("--verify %s %.*sanim", path, (int)(strlen(path) - 4), path);
        check_report(scene, line, is_exact, "");
        EACH (row, paths) {
            OWN_STRING forced = common_format("%s --path %s", line, *row);
            check_report(scene, forced, is_predicted, "");
        }
    }
    globfree(&found);
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

// With the animations of the same folder that fit, on the path that the viewer selects.
TEST_SCENE (view_verify_accepts_the_corpus) {
    REQUIRE_CORPUS();
    real_models.count = 0;
    CHECK(nftw(test_path("corpus"), note_model, 16, FTW_PHYS) == 0);
    CHECK(real_models.count > 0);
    FOR (i, real_models.count) {
        OWN_STRING line = common_format("--verify %s", real_models.paths[i]);
        check_report(scene, line, is_exact, "");
        free(real_models.paths[i]);
    }
}

// -- Forced paths -----------------------------------------------------------------------------

#define BOBBIN "--verify models/bobbin/bobbin.md5mesh"

TEST_SCENE (view_verify_accepts_our_model_on_lossless_paths) {
    check_report(scene, BOBBIN " --path 8", is_exact, "path 8 (forced)");
    check_report(scene, BOBBIN " --path exact", is_exact, "path exact (forced)");
}

// The number behind `word` in the line of mesh "skin".
static double number_of_skin(const char *text, const char *word)
{
    const char *const line = strstr(text, "\"skin\"");
    const char *const at = line != NULL ? strstr(line, word) : NULL;
    return CHECK(at) ? strtod(at + strlen(word), NULL) : 0.0;
}

static bool loses_no_more_than_predicted(const verify_report *report)
{
    const double error = number_of_skin(report->text, "largest error ");
    return !report->passes && is_predicted(report) && error > 0.01
           && error <= number_of_skin(report->text, "predicted loss ");
}

// Its vertices have more than four influences.
TEST_SCENE (view_verify_reports_what_four_influences_lose) {
    check_report(scene, BOBBIN " --path 4", loses_no_more_than_predicted, "path 4 (forced)");
}

#define STILL "--verify test/reference/data/still.md5mesh test/reference/data/still.md5anim"

// Four vertices with one influence each lose nothing on any path.
TEST_SCENE (view_verify_reports_the_path_that_is_forced) {
    STRINGS(paths) = {"4", "8", "exact", "cpu", "compute"};
    EACH (row, paths) {
        OWN_STRING line = common_format(STILL " --path %s", *row);
        OWN_STRING words = common_format("path %s (forced)", *row);
        check_report(scene, line, is_exact, words);
    }
}

TEST_SCENE (view_verify_reports_dual_quaternions) {
    STRINGS(paths) = {"auto", "exact", "cpu", "compute"};
    EACH (row, paths) {
        OWN_STRING line = common_format(STILL " --skinning dual --path %s", *row);
        check_report(scene, line, is_exact, "dual quaternions: largest error");
    }
}
