// How much work --verify does: each pose skins a model once, however many meshes it has.
#define _POSIX_C_SOURCE 200809L // mkstemp(), dup()
#include "test/render/test_gl_scene.h"

#include "demo/common/memory.h"
#include "demo/viewer/jobs/view.h"
#include "demo/viewer/jobs/output.h"
#include "demo/viewer/app/open.h"
#include "render/gl_internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void begin_counting(md5gl_renderer *renderer)
{
    num_uploads = num_dispatches = num_captures = 0;
    real = renderer->gl;
    real_dispatch = renderer->optional.DispatchCompute;
    renderer->gl.BufferSubData = count_upload;
    renderer->gl.BeginTransformFeedback = count_capture;
    renderer->optional.DispatchCompute = count_dispatch;
}

// -- A model of many meshes ---------------------------------------------------------------------

static void write_mesh(FILE *file, unsigned mesh)
{
    (void)fprintf(file, "mesh {\n\tshader \"none\"\n\tnumverts 3\n");
    for (unsigned i = 0; i < 3; i++)
        (void)fprintf(file, "\tvert %u ( 0 0 ) %u 1\n", i, i);
    (void)fprintf(file, "\tnumtris 1\n\ttri 0 0 1 2\n\tnumweights 3\n");
    for (unsigned i = 0; i < 3; i++)
        (void)fprintf(file, "\tweight %u %u 1 ( %u %u %u )\n", i, (mesh + i) % 2, i % 2, i / 2,
                      mesh);
    (void)fprintf(file, "}\n");
}

static char *write_model(void)
{
    const char *const folder = getenv("TMPDIR");
    char *const path = common_format("%s/md5view_meshes_XXXXXX", folder != NULL ? folder : "/tmp");
    const int number = mkstemp(path);
    FILE *const file = number >= 0 ? fdopen(number, "wb") : NULL;
    if (!CHECK(file != NULL))
        return path;
    (void)fprintf(file,
                  "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes %d\njoints {\n"
                  "\t\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n\t\"b\" 0 ( 0 0 9 ) ( 0 0 0 )\n}\n",
                  NUM_MESHES);
    for (unsigned mesh = 0; mesh < NUM_MESHES; mesh++)
        write_mesh(file, mesh);
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
    char *path_option = common_format("--path=%s", path);
    char *arguments[] = {"--verify", "--no-auto", path_option, dual ? "--skinning=dual" : model,
                         model};
    bool done = false;
    CHECK(view_read_options(dual ? 5 : 4, arguments, &options, problem, sizeof problem));
    if (scene_share(&scene)) {
        view_state viewer;
        view_begin(&viewer, &options);
        view_take_switches(&viewer);
        viewer.log.level = VIEW_QUIET;
        viewer.renderer = scene.renderer;
        done = md5gl_has_path(scene.renderer, options.path);
        if (done && CHECK(view_open(&viewer, options.files, options.num_files, true))) {
            begin_counting(scene.renderer);
            CHECK(verify_silently(&viewer));
            scene.renderer->gl = real;
            scene.renderer->optional.DispatchCompute = real_dispatch;
        }
        view_close(&viewer);
        view_end(&viewer);
        scene_close(&scene);
    }
    view_free_options(&options);
    (void)remove(model);
    free(path_option);
    free(model);
    return done;
}

// Positions, normals and tangents of each mesh are uploaded once a pose.
TEST (view_verify_skins_a_model_once_a_pose_on_the_cpu) {
    for (int dual = 0; dual < 2; dual++)
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
    md5_error error;
    md5_model *const square = scene_square();
    md5gl_model *const drawn = md5gl_create_model(scene->renderer, square, MD5GL_PATH_AUTO, &error);
    const md5_mat34 palettes[4] = {scene_moved(1, 2, 3), scene_moved(4, 5, 6), scene_identity,
                                   scene_identity};
    CHECK(!md5gl_capture(scene->renderer, drawn, 0, NULL, once, NULL, NULL, &error));
    CHECK_UINT(error.status, MD5_ERROR_RANGE);
    CHECK(md5gl_capture(scene->renderer, drawn, 0, palettes, once, NULL, NULL, &error));
    CHECK(!md5gl_capture(scene->renderer, drawn, 0, NULL, again, NULL, NULL, &error));
    CHECK(scene_pose(scene->renderer, drawn, palettes, NULL, 2, &error));
    for (int i = 0; i < 2; i++) {
        memset(again, 0, sizeof again);
        CHECK(md5gl_capture(scene->renderer, drawn, 0, NULL, again, NULL, NULL, &error));
        CHECK(memcmp(once, again, sizeof once) == 0);
    }
    md5gl_destroy_model(scene->renderer, drawn);
    md5_free_model(square);
}
