// Blending by dual quaternions on every path, against md5_skin_batch() on the CPU and as a picture.
#include "test/render/test_gl_scene.h"
#include "test/skin/skin_jobs.h"

#include "render/gl_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NUM_JOINTS = 30, NUM_VERTICES = 400 };

// Tolerance between GPU and CPU, as a fraction of the model's size.
#define AGREEMENT 1e-5

static double distance(md5_vec3 a, md5_vec3 b)
{
    const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

static md5_vec3 along(md5_vec4 tangent)
{
    return (md5_vec3){tangent.x, tangent.y, tangent.z};
}

// Creates a GPU copy of the model that blends by dual quaternions.
static md5gl_model *make_copy(const gl_scene *scene, const md5_model *model, md5gl_path path)
{
    md5_error error = {0};
    md5gl_model *const copy = md5gl_create_model(scene->renderer, model, path, &error);
    if (!CHECK(copy != NULL && copy->blending == MD5GL_BLEND_LINEAR))
        return copy;
    const bool set = md5gl_set_blending(scene->renderer, copy, MD5GL_BLEND_DUAL, &error);
    test_check(set, __FILE__, __LINE__, "path %s: %s", md5gl_path_name(path), error.message);
    CHECK(copy->blending == MD5GL_BLEND_DUAL);
    return copy;
}

static void compare(const gl_scene *scene, md5gl_model *copy, const md5_model *model,
                    const md5_mat34 *palette)
{
    const md5_mesh *const mesh = &model->meshes[0];
    const double size = fmax(distance(model->bounds.min, model->bounds.max), 1.0);
    md5_dual_quat dual[NUM_JOINTS];
    md5_vec3 cpu[NUM_VERTICES], cpu_normals[NUM_VERTICES];
    md5_vec3 gpu[NUM_VERTICES], gpu_normals[NUM_VERTICES];
    md5_vec4 cpu_tangents[NUM_VERTICES], gpu_tangents[NUM_VERTICES];
    md5_build_dual_palette(palette, model->skeleton.num_joints, dual);
    skin_by_duals(mesh, dual, cpu, cpu_normals, cpu_tangents);
    CHECK(md5gl_capture(scene->renderer, copy, 0, palette, gpu, gpu_normals, gpu_tangents, NULL));
    double place = 0.0, turn = 0.0;
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        place = fmax(place, distance(cpu[i], gpu[i]));
        turn = fmax(turn, distance(cpu_normals[i], gpu_normals[i]));
        turn = fmax(turn, distance(along(cpu_tangents[i]), along(gpu_tangents[i])));
        CHECK(cpu_tangents[i].w == gpu_tangents[i].w);
    }
    CHECK_NEAR(place / size, 0.0, AGREEMENT);
    CHECK_NEAR(turn, 0.0, 1e-4);
}

static void check_agreement(const gl_scene *scene, uint32_t most_weights, bool off, md5gl_path path)
{
    uint64_t random = 7 + most_weights;
    md5_model *const model = scene_cloud(NUM_JOINTS, NUM_VERTICES, most_weights, off, &random);
    md5gl_model *const copy = make_copy(scene, model, path);
    for (int pose = 0; pose < 3; pose++) {
        md5_mat34 palette[NUM_JOINTS];
        for (int i = 0; i < NUM_JOINTS; i++) {
            palette[i] = scene_rotation(&random);
            for (int row = 0; row < 3; row++)
                palette[i].m[4 * row + 3] = (float)(40.0 * test_random(&random) - 20.0);
        }
        compare(scene, copy, model, palette);
    }
    md5gl_destroy_model(scene->renderer, copy);
    md5_free_model(model);
}

TEST_OWN_SCENE (gl_dual_agrees_with_the_cpu_on_every_path) {
    check_agreement(scene, 4, false, MD5GL_PATH_4);
    check_agreement(scene, 8, false, MD5GL_PATH_8);
    for (md5gl_path path = MD5GL_PATH_EXACT; path <= MD5GL_PATH_COMPUTE; path++) {
        if (md5gl_has_path(scene->renderer, path))
            check_agreement(scene, 9, true, path);
    }
}

// Half a turn about each axis, a vertex without weights, weights that cancel out.
TEST_OWN_SCENE (gl_dual_agrees_with_the_cpu_in_special_cases) {
    static const char *const text =
        "MD5Version 10\ncommandline \"\"\nnumJoints 5\nnumMeshes 1\njoints {\n"
        "\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"b\" 0 ( 0 0 0 ) ( 0 0 0 )\n\"c\" 0 ( 0 0 0 ) ( 0 0 0 )\n"
        "\"d\" 0 ( 0 0 0 ) ( 0 0 0 )\n\"e\" 0 ( 0 0 0 ) ( 0 0 0 )\n}\n"
        "mesh {\nshader \"\"\nnumverts 8\n"
        "vert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1\nvert 3 ( 0 0 ) 3 1\n"
        "vert 4 ( 1 0 ) 0 0\nvert 5 ( 0 1 ) 4 2\nvert 6 ( 0 0 ) 6 2\nvert 7 ( 0 0 ) 8 2\n"
        "numtris 2\ntri 0 0 1 2\ntri 1 3 5 6\n"
        "numweights 10\n"
        "weight 0 1 1 ( 1 2 3 )\nweight 1 2 1 ( 4 2 3 )\nweight 2 3 1 ( 1 2 9 )\n"
        "weight 3 0 1 ( 5 -2 3 )\n"
        "weight 4 1 1 ( 1 7 3 )\nweight 5 1 -1 ( 1 5 3 )\n" // one influence of bias 0
        "weight 6 1 1 ( 1 2 3 )\nweight 7 4 -1 ( 1 2 3 )\n" // the blend is zero
        "weight 8 0 0.5 ( 6 2 3 )\nweight 9 4 0.5 ( 6 2 3 )\n}\n";
    md5_error error = {0};
    md5_model *const model = md5_parse_model(text, strlen(text), NULL, &error);
    const md5_mat34 palette[NUM_JOINTS] = {
        {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},   {{1, 0, 0, 1, 0, -1, 0, 2, 0, 0, -1, 3}},
        {{-1, 0, 0, 4, 0, 1, 0, 5, 0, 0, -1, 6}}, {{-1, 0, 0, 7, 0, -1, 0, 8, 0, 0, 1, 9}},
        {{1, 0, 0, 1, 0, -1, 0, 2, 0, 0, -1, 3}},
    };
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE && CHECK(model); path++) {
        if (!md5gl_has_path(scene->renderer, path))
            continue;
        md5gl_model *const copy = make_copy(scene, model, path);
        compare(scene, copy, model, palette);
        md5gl_destroy_model(scene->renderer, copy);
    }
    md5_free_model(model);
}

// Three vertices on two joints, with biases of 0.6 and 0.4 times `size`.
static md5_model *make_sized(double size)
{
    char text[1024];
    snprintf(text, sizeof text,
             "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {\n"
             "\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"b\" 0 ( 0 0 0 ) ( 0 0 0 )\n}\n"
             "mesh {\nshader \"\"\nnumverts 3\n"
             "vert 0 ( 0 0 ) 0 2\nvert 1 ( 1 0 ) 2 2\nvert 2 ( 0 1 ) 4 2\n"
             "numtris 1\ntri 0 0 1 2\nnumweights 6\n"
             "weight 0 0 %.9g ( 1 0 0 )\nweight 1 1 %.9g ( 1 0 0 )\n"
             "weight 2 0 %.9g ( 0 1 0 )\nweight 3 1 %.9g ( 0 1 0 )\n"
             "weight 4 0 %.9g ( 0 0 1 )\nweight 5 1 %.9g ( 0 0 1 )\n}\n",
             0.6 * size, 0.4 * size, 0.6 * size, 0.4 * size, 0.6 * size, 0.4 * size);
    return md5_parse_model(text, strlen(text), NULL, NULL);
}

// The range of floats on a GPU may end at 1e-38, but squares of biases must not leave it.
TEST_OWN_SCENE (gl_dual_agrees_with_the_cpu_on_tiny_and_huge_biases) {
    static const double sizes[] = {1e-34, 1e-22, 1e-21, 1e-20, 1e-15, 1e-6, 1e4, 1e8};
    const md5_mat34 palette[NUM_JOINTS] = {
        {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
        {{1, 0, 0, 1, 0, 0, -1, 2, 0, 1, 0, 3}},
    };
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        md5_model *const model = make_sized(sizes[i]);
        for (md5gl_path path = MD5GL_PATH_EXACT; path <= MD5GL_PATH_COMPUTE && CHECK(model);
             path++) {
            if (!md5gl_has_path(scene->renderer, path))
                continue;
            md5gl_model *const copy = make_copy(scene, model, path);
            compare(scene, copy, model, palette);
            md5gl_destroy_model(scene->renderer, copy);
        }
        md5_free_model(model);
    }
}

// Counts the lit pixels of the white square.
static unsigned count_lit(const gl_picture *picture)
{
    unsigned count = 0;
    for (int y = 0; y < SCENE_HEIGHT; y++) {
        for (int x = 0; x < SCENE_WIDTH; x++)
            count += picture->rgba[y][x][0] > 60;
    }
    return count;
}

static unsigned draw_twisted(gl_stage *stage, md5gl_model *copy)
{
    // Joint 1 is rotated by 170 degrees about the view direction.
    static const md5_mat34 palette[2] = {
        {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
        {{1, 0, 0, 0, 0, -0.98480775f, -0.17364818f, 0, 0, 0.17364818f, -0.98480775f, 0}}};
    gl_picture picture;
    md5gl_begin_frame(stage->scene.renderer, &stage->frame);
    CHECK(scene_pose_and_draw(stage->scene.renderer, copy, palette, NULL, 1, MD5GL_LIT, NULL));
    scene_finish(&stage->scene, &stage->frame, &picture);
    return count_lit(&picture);
}

// A square of 40 x 40 pixels whose vertices have half their weight on each joint: linear blending
// shrinks it to a twelfth of its width, dual blending keeps its size, and linear blending shrinks
// it again.
TEST_STAGE (gl_dual_preserves_volume_when_twisted, scene_hinge, 1) {
    md5gl_renderer *const renderer = stage->scene.renderer;
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        if (!md5gl_has_path(renderer, path))
            continue;
        md5gl_model *const copy = make_copy(&stage->scene, stage->model, path);
        CHECK_NEAR(draw_twisted(stage, copy), 1600.0, 30.0);
        CHECK(md5gl_set_blending(renderer, copy, MD5GL_BLEND_LINEAR, NULL));
        CHECK(draw_twisted(stage, copy) < 40);
        md5gl_destroy_model(renderer, copy);
    }
}

static void GLAD_API_PTR say_no(GLuint shader, GLenum what, GLint *value)
{
    (void)shader, (void)what;
    *value = GL_FALSE;
}

TEST_STAGE (gl_dual_compile_failure_changes_nothing, scene_hinge, 1) {
    md5_error error = {0};
    md5gl_renderer *const renderer = stage->scene.renderer;
    const PFNGLGETSHADERIVPROC real = renderer->gl.GetShaderiv;
    renderer->gl.GetShaderiv = say_no;
    CHECK(!md5gl_set_blending(renderer, stage->copy, MD5GL_BLEND_DUAL, &error));
    CHECK_UINT(error.status, MD5_ERROR_GPU);
    CHECK(stage->copy->blending == MD5GL_BLEND_LINEAR);
    renderer->gl.GetShaderiv = real;
    CHECK(draw_twisted(stage, stage->copy) < 40);
    CHECK(md5gl_set_blending(renderer, stage->copy, MD5GL_BLEND_DUAL, &error));
    CHECK_NEAR(draw_twisted(stage, stage->copy), 1600.0, 30.0);
}
