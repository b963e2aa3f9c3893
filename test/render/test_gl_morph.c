// Morph targets on every path, with both blendings: captured vertices against md5_skin_batch();
// pictures of instances with different weights; refusals.
#include "test/misuse.h"
#include "test/scoped.h"
#include "test/real.h"
#include "test/render/test_gl_scene.h"
#include "test/skin/skin_jobs.h"

enum { NUM_JOINTS = 12, NUM_VERTICES = 300, TARGETS = 3, MAX = 2 * NUM_VERTICES };

// Tolerance between GPU and CPU, as a fraction of the model's size.
#define AGREEMENT 1e-5

static md5_vec3 along(md5_vec4 tangent)
{
    return (md5_vec3){tangent.x, tangent.y, tangent.z};
}

typedef struct morph_case {
    md5_model *model;
    md5_model *sources[TARGETS];
    md5_morph *morph;
} morph_case;

// Creates a random model with TARGETS morph targets.
static void make_case(morph_case *fixture, uint32_t max_weights, bool off)
{
    STRINGS(names) = {"a", "b", "c"};
    uint64_t seed = 21 + max_weights;
    uint64_t random = 3;
    uint64_t again = seed;
    md5_morph_source sources[TARGETS];
    fixture->model = scene_cloud(NUM_JOINTS, NUM_VERTICES, max_weights, off, &seed);
    for (int i = 0; i < TARGETS; i++) {
        uint64_t same = again;
        fixture->sources[i] = scene_cloud(NUM_JOINTS, NUM_VERTICES, max_weights, off, &same);

        // Displaces every `step`-th vertex of a model of one mesh and changes its normal and
        // tangent.
        uint32_t step = (uint32_t)(i + 1);
        const md5_mesh *const mesh = &fixture->sources[i]->meshes[0];
        md5_vec3 *const positions = (md5_vec3 *)(uintptr_t)mesh->positions;
        md5_vec3 *const normals = (md5_vec3 *)(uintptr_t)mesh->normals;
        md5_vec4 *const tangents = (md5_vec4 *)(uintptr_t)mesh->tangents;
        for (uint32_t j = 0; j < mesh->num_vertices; j += step) {
            positions[j].x += test_betweenf(-1, 1, &random);
            positions[j].y += test_betweenf(-1, 1, &random);
            positions[j].z += test_betweenf(-1, 1, &random);
            normals[j] =
                md5_vec3_normalize((md5_vec3){normals[j].x + test_betweenf(-0.3f, 0.3f, &random),
                                              normals[j].y, normals[j].z},
                                   normals[j]);
            const md5_vec3 rotated = md5_vec3_normalize(
                (md5_vec3){tangents[j].x, tangents[j].y + test_betweenf(-0.3f, 0.3f, &random),
                           tangents[j].z},
                along(tangents[j]));
            tangents[j] = (md5_vec4){rotated.x, rotated.y, rotated.z, tangents[j].w};
        }

        sources[i] = (md5_morph_source){.name = names[i], .model = fixture->sources[i]};
    }
    md5_error error = {0};
    fixture->morph = md5_create_morph(fixture->model, sources, TARGETS, NULL, &error);
    CHECK_DONE(fixture->morph, error);
}

static void free_case(morph_case *fixture)
{
    md5_destroy_morph(fixture->morph);
    md5_free_model(fixture->model);
    for (int i = 0; i < TARGETS; i++)
        md5_free_model(fixture->sources[i]);
}

static void make_palette(uint64_t *random, md5_mat34 *palette)
{
    for (int i = 0; i < NUM_JOINTS; i++) {
        palette[i] = scene_rotation(random);
        for (int row = 0; row < 3; row++)
            palette[i].m[4 * row + 3] = test_betweenf(-20, 20, random);
    }
}

// Compares the vertices of GPU and CPU. If `morph` is NULL, the model has no morph targets, which
// must equal weights of 0.
static void compare(const gl_scene *scene, md5gl_model *copy, const morph_case *fixture,
                    const md5gl_morph *morph, const float *weights, const md5_mat34 *palette)
{
    static md5_vec3 cpu[MAX];
    static md5_vec3 cpu_normals[MAX];
    static md5_vec3 gpu[MAX];
    static md5_vec3 gpu_normals[MAX];
    static md5_vec4 cpu_tangents[MAX];
    static md5_vec4 gpu_tangents[MAX];
    const md5_mesh *const mesh = &fixture->model->meshes[0];
    const double size = real_distance(fixture->model->bounds.min, fixture->model->bounds.max);
    if (scene_blending(copy) == MD5GL_BLEND_DUAL) {
        md5_dual_quat dual[NUM_JOINTS];
        md5_build_dual_palette(palette, NUM_JOINTS, dual);
        skin_with_morph(fixture->morph, 0, weights, NULL, dual, cpu, cpu_normals, cpu_tangents);
    } else {
        skin_with_morph(fixture->morph, 0, weights, palette, NULL, cpu, cpu_normals, cpu_tangents);
    }
    const md5gl_instances instance = {
        .count = 1, .palettes = palette, .morph = morph, .weights = weights};
    md5_error error = {0};
    CHECK_THAT(md5gl_pose(scene->renderer, copy, &instance, &error), "path %s: %s",
               md5gl_path_name(md5gl_mesh_path(copy, 0, NULL)), error.message);
    CHECK(md5gl_capture(scene->renderer, copy, 0, NULL, gpu, gpu_normals, gpu_tangents, NULL));
    double max_distance = 0;
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        real_update_max(&max_distance, real_distance(cpu[i], gpu[i]));
        CHECK_SMALL(real_distance(cpu_normals[i], gpu_normals[i]), 1e-4);
        CHECK_SMALL(real_distance(along(cpu_tangents[i]), along(gpu_tangents[i])), 1e-4);
        CHECK(cpu_tangents[i].w == gpu_tangents[i].w);
    }
    CHECK_SMALL(max_distance / size, AGREEMENT);
}

// Compares the morphed vertices of a path with the CPU, with and without morph targets.
static void check_path(const gl_scene *scene, md5gl_path path, uint32_t max_weights, bool off,
                       md5gl_blending blending)
{
    static const float weights[][TARGETS] = {{0, 0, 0}, {1, 0, 0}, {0.25f, -0.5f, 2}, {0, 0, 0.7f}};
    morph_case fixture;
    uint64_t random = 5;
    make_case(&fixture, max_weights, off);
    md5gl_model *const copy = md5gl_create_model(scene->renderer, fixture.model, path, NULL);
    md5gl_morph *const morph = md5gl_create_morph(scene->renderer, fixture.morph, NULL);
    if (CHECK(copy && morph)) {
        CHECK(md5gl_set_blending(scene->renderer, copy, blending, NULL));
        for (size_t i = 0; i < COUNT_OF(weights); i++) {
            md5_mat34 palette[NUM_JOINTS];
            make_palette(&random, palette);
            compare(scene, copy, &fixture, morph, weights[i], palette);
        }
        // The model must be correct again without morph targets.
        md5_mat34 palette[NUM_JOINTS];
        make_palette(&random, palette);
        compare(scene, copy, &fixture, NULL, weights[0], palette);
    }
    md5gl_destroy_model(scene->renderer, copy);
    md5gl_destroy_morph(scene->renderer, morph);
    free_case(&fixture);
}

static void check_blending(md5gl_blending blending)
{
    gl_scene scene;
    if (!scene_open(&scene, NULL))
        return;
    check_path(&scene, MD5GL_PATH_4, 4, false, blending);
    check_path(&scene, MD5GL_PATH_8, 7, false, blending);
    for (md5gl_path path = MD5GL_PATH_EXACT; path <= MD5GL_PATH_COMPUTE; path++) {
        if (md5gl_has_path(scene.renderer, path))
            check_path(&scene, path, 9, blending == MD5GL_BLEND_LINEAR, blending);
    }
    scene_close(&scene);
}

TEST (gl_morph_agrees_with_the_cpu_on_every_path) {
    check_blending(MD5GL_BLEND_LINEAR);
}

TEST (gl_morph_agrees_with_the_cpu_in_dual_blending) {
    check_blending(MD5GL_BLEND_DUAL);
}

// -- Instances --------------------------------------------------------------------------------

// Checks a square whose target is 12 units higher. Of three instances side by side with weights 0,
// 1 and 0, only the second one moves. Draws `count` of these instances, beginning with `first`.
// With `max_texels` 12 a batch holds two instances.
static void check_instances(gl_stage *stage, const md5gl_morph *morph, md5gl_path path,
                            uint32_t max_texels, int first, int count)
{
    md5gl_renderer *const renderer = stage->renderer;
    const md5_mat34 placements[] = {scene_moved(0, -50, 0), scene_identity, scene_moved(0, 50, 0)};
    const float weights[] = {0, 1, 0};
    const uint32_t usual_texels = *scene_limits(renderer).max_texels;
    md5_mat34 palettes[6];
    gl_picture picture;
    for (int i = 0; i < 6; i++)
        palettes[i] = scene_identity;
    md5gl_model *const copy = md5gl_create_model(renderer, stage->model, path, NULL);
    *scene_limits(renderer).max_texels = max_texels;
    const md5gl_instances instances = {.count = (uint32_t)count,
                                       .palettes = palettes,
                                       .placements = placements + first,
                                       .morph = morph,
                                       .weights = weights + first};
    stage_begin(stage);
    CHECK(md5gl_pose(renderer, copy, &instances, NULL));
    md5gl_draw_model(renderer, copy, MD5GL_LIT);
    stage_finish(stage, &picture);
    *scene_limits(renderer).max_texels = usual_texels;
    for (int i = first; i < first + count; i++) {
        const bool moved = i == 1;
        CHECK_THAT((picture_at(&picture, 50 * (i - 1), 27)[0] > 50) == moved,
                   "path %s: top of instance %d", md5gl_path_name(path), i);
        CHECK_THAT((picture_at(&picture, 50 * (i - 1), -15)[0] > 50) != moved,
                   "path %s: bottom of instance %d", md5gl_path_name(path), i);
    }
    md5gl_destroy_model(renderer, copy);
}

TEST_SQUARE (gl_morph_has_weights_for_each_instance) {
    SCOPED_MODEL higher = scene_square();
    md5_vec3 *const positions = (md5_vec3 *)(uintptr_t)higher->meshes[0].positions;
    for (int i = 0; i < 4; i++)
        positions[i].z += 12;
    const md5_morph_source source = {.name = "higher", .model = higher};
    SCOPED_MORPH targets = md5_create_morph(stage->model, &source, 1, NULL, NULL);
    md5gl_morph *const morph = md5gl_create_morph(stage->renderer, targets, NULL);
    for (md5gl_path path = MD5GL_PATH_AUTO; path <= MD5GL_PATH_COMPUTE && CHECK(morph); path++) {
        if (!md5gl_has_path(stage->renderer, path))
            continue;
        const uint32_t max_texels = *scene_limits(stage->renderer).max_texels;
        check_instances(stage, morph, path, max_texels, 1, 1);
        check_instances(stage, morph, path, max_texels, 0, 3);
        check_instances(stage, morph, path, 12, 0, 3);
    }
    md5gl_destroy_morph(stage->renderer, morph);
}

// -- Refusals ---------------------------------------------------------------------------------

TEST_SQUARE (gl_morph_rejects_mismatched_models) {
    md5_error error = {0};
    morph_case fixture;
    md5gl_renderer *const renderer = stage->renderer;
    make_case(&fixture, 2, false);
    const uint32_t max_texels = *scene_limits(renderer).max_texels;
    for (uint32_t few = 100; few <= 400; few += 300) { // too few for the vertices, for the deltas
        *scene_limits(renderer).max_texels = few;
        CHECK_FAILS(md5gl_create_morph(renderer, fixture.morph, &error), error, MD5_ERROR_GPU);
    }
    *scene_limits(renderer).max_texels = max_texels;
    md5gl_morph *const morph = md5gl_create_morph(renderer, fixture.morph, &error);
    const float weights[2 * TARGETS] = {0};
    const md5_mat34 palettes[2 * NUM_JOINTS] = {{{0}}};
    md5gl_instances instances = {
        .count = 1, .palettes = palettes, .morph = morph, .weights = weights};
    if (CHECK(morph)) {
        CHECK_FAILS(md5gl_pose(renderer, stage->copy, &instances, &error), error,
                    MD5_ERROR_MISMATCH);
        md5gl_model *const copy =
            md5gl_create_model(renderer, fixture.model, MD5GL_PATH_AUTO, NULL);
        *scene_limits(renderer).max_texels = 2 * TARGETS - 1;
        instances.count = 2;
        CHECK_SAYS(md5gl_pose(renderer, copy, &instances, &error), error, MD5_ERROR_GPU, "weights");
        *scene_limits(renderer).max_texels = max_texels;
        md5gl_destroy_model(renderer, copy);
    }
    md5gl_destroy_morph(renderer, morph);
    md5gl_destroy_morph(renderer, NULL);
    free_case(&fixture);
}

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))
typedef struct misused {
    md5gl_renderer *renderer;
    md5gl_model *copy;
    md5gl_morph *morph;
} misused;

static void pose_misused(const misused *all, const float *weights)
{
    const md5_mat34 palettes[NUM_JOINTS] = {{{0}}};
    const md5gl_instances instance = {
        .count = 1, .palettes = palettes, .morph = all->morph, .weights = weights};
    md5gl_pose(all->renderer, all->copy, &instance, NULL);
}

// Invalid weights of a caller stop debug builds with a message that names the argument.
TEST_UNSHARED_SCENE (gl_morph_ends_with_the_callers_errors) {
    morph_case fixture;
    make_case(&fixture, 2, false);
    const misused all = {scene->renderer,
                         md5gl_create_model(scene->renderer, fixture.model, MD5GL_PATH_AUTO, NULL),
                         md5gl_create_morph(scene->renderer, fixture.morph, NULL)};
    MISUSE("weights: must be finite", {
        const float weights[TARGETS] = {0, NAN, 0};
        pose_misused(&all, weights);
    });
    MISUSE("weights: must not be NULL", pose_misused(&all, test_null()));
    md5gl_destroy_model(scene->renderer, all.copy);
    md5gl_destroy_morph(scene->renderer, all.morph);
    free_case(&fixture);
}
#endif

// -- Dual quaternions -----------------------------------------------------------------------------

// Blending by dual quaternions on every path, against md5_skin_batch() on the CPU and as a picture.

enum { DUAL_NUM_JOINTS = 30, DUAL_NUM_VERTICES = 400 };

static double dual_distance(md5_vec3 a, md5_vec3 b)
{
    const double x = a.x - b.x;
    const double y = a.y - b.y;
    const double z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

// Creates a GPU copy of the model that blends by dual quaternions.
static md5gl_model *make_copy(const gl_scene *scene, const md5_model *model, md5gl_path path)
{
    md5_error error = {0};
    md5gl_model *const copy = md5gl_create_model(scene->renderer, model, path, &error);
    if (!CHECK(copy && scene_blending(copy) == MD5GL_BLEND_LINEAR))
        return copy;
    const bool set = md5gl_set_blending(scene->renderer, copy, MD5GL_BLEND_DUAL, &error);
    CHECK_THAT(set, "path %s: %s", md5gl_path_name(path), error.message);
    CHECK(scene_blending(copy) == MD5GL_BLEND_DUAL);
    return copy;
}

// Compares dual quaternion skinning of the GPU with the CPU.
static void dual_compare(const gl_scene *scene, md5gl_model *copy, const md5_model *model,
                         const md5_mat34 *palette)
{
    const md5_mesh *const mesh = &model->meshes[0];
    const double size = fmax(dual_distance(model->bounds.min, model->bounds.max), 1);
    md5_dual_quat dual[DUAL_NUM_JOINTS];
    md5_vec3 cpu[DUAL_NUM_VERTICES];
    md5_vec3 cpu_normals[DUAL_NUM_VERTICES];
    md5_vec3 gpu[DUAL_NUM_VERTICES];
    md5_vec3 gpu_normals[DUAL_NUM_VERTICES];
    md5_vec4 cpu_tangents[DUAL_NUM_VERTICES];
    md5_vec4 gpu_tangents[DUAL_NUM_VERTICES];
    md5_build_dual_palette(palette, model->skeleton.num_joints, dual);
    skin_by_duals(mesh, dual, cpu, cpu_normals, cpu_tangents);
    CHECK(md5gl_capture(scene->renderer, copy, 0, palette, gpu, gpu_normals, gpu_tangents, NULL));
    double max_distance = 0;
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        max_distance = fmax(max_distance, dual_distance(cpu[i], gpu[i]));
        CHECK_SMALL(dual_distance(cpu_normals[i], gpu_normals[i]), 1e-4);
        CHECK_SMALL(dual_distance(along(cpu_tangents[i]), along(gpu_tangents[i])), 1e-4);
        CHECK(cpu_tangents[i].w == gpu_tangents[i].w);
    }
    CHECK_SMALL(max_distance / size, AGREEMENT);
}

static void check_agreement(const gl_scene *scene, uint32_t max_weights, bool off, md5gl_path path)
{
    uint64_t random = 7 + max_weights;
    SCOPED_MODEL model = scene_cloud(DUAL_NUM_JOINTS, DUAL_NUM_VERTICES, max_weights, off, &random);
    md5gl_model *const copy = make_copy(scene, model, path);
    for (int pose = 0; pose < 3; pose++) {
        md5_mat34 palette[DUAL_NUM_JOINTS];
        for (int i = 0; i < DUAL_NUM_JOINTS; i++) {
            palette[i] = scene_rotation(&random);
            for (int row = 0; row < 3; row++)
                palette[i].m[4 * row + 3] = (float)(40 * test_random(&random) - 20);
        }
        dual_compare(scene, copy, model, palette);
    }
    md5gl_destroy_model(scene->renderer, copy);
}

TEST_UNSHARED_SCENE (gl_dual_agrees_with_the_cpu_on_every_path) {
    check_agreement(scene, 4, false, MD5GL_PATH_4);
    check_agreement(scene, 8, false, MD5GL_PATH_8);
    for (md5gl_path path = MD5GL_PATH_EXACT; path <= MD5GL_PATH_COMPUTE; path++) {
        if (md5gl_has_path(scene->renderer, path))
            check_agreement(scene, 9, true, path);
    }
}

// Half a turn about each axis, a vertex without weights, weights that cancel out.
TEST_UNSHARED_SCENE (gl_dual_agrees_with_the_cpu_in_special_cases) {
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
    SCOPED_MODEL model = text_model(text, NULL);
    const md5_mat34 palette[DUAL_NUM_JOINTS] = {
        {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},   {{1, 0, 0, 1, 0, -1, 0, 2, 0, 0, -1, 3}},
        {{-1, 0, 0, 4, 0, 1, 0, 5, 0, 0, -1, 6}}, {{-1, 0, 0, 7, 0, -1, 0, 8, 0, 0, 1, 9}},
        {{1, 0, 0, 1, 0, -1, 0, 2, 0, 0, -1, 3}},
    };
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE && CHECK(model); path++) {
        if (!md5gl_has_path(scene->renderer, path))
            continue;
        md5gl_model *const copy = make_copy(scene, model, path);
        dual_compare(scene, copy, model, palette);
        md5gl_destroy_model(scene->renderer, copy);
    }
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
    return text_model(text, NULL);
}

// The smallest float on a GPU can be 1e-38. Squares of biases must not be smaller.
TEST_UNSHARED_SCENE (gl_dual_agrees_with_the_cpu_on_tiny_and_huge_biases) {
    static const double sizes[] = {1e-34, 1e-22, 1e-21, 1e-20, 1e-15, 1e-6, 1e4, 1e8};
    const md5_mat34 palette[DUAL_NUM_JOINTS] = {
        {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
        {{1, 0, 0, 1, 0, 0, -1, 2, 0, 1, 0, 3}},
    };
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        SCOPED_MODEL model = make_sized(sizes[i]);
        for (md5gl_path path = MD5GL_PATH_EXACT; path <= MD5GL_PATH_COMPUTE && CHECK(model);
             path++) {
            if (!md5gl_has_path(scene->renderer, path))
                continue;
            md5gl_model *const copy = make_copy(scene, model, path);
            dual_compare(scene, copy, model, palette);
            md5gl_destroy_model(scene->renderer, copy);
        }
    }
}

static unsigned draw_twisted(gl_stage *stage, md5gl_model *copy)
{
    // Joint 1 is rotated by 170 degrees about the view direction.
    static const md5_mat34 palette[2] = {
        {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
        {{1, 0, 0, 0, 0, -0.98480775f, -0.17364818f, 0, 0, 0.17364818f, -0.98480775f, 0}}};
    gl_picture picture;
    stage_begin(stage);
    CHECK(scene_pose_and_draw(stage->renderer, copy, palette, NULL, 1, MD5GL_LIT, NULL));
    stage_finish(stage, &picture);

    // Counts the lit pixels of the white square.
    unsigned count = 0;
    for (int y = 0; y < SCENE_HEIGHT; y++) {
        for (int x = 0; x < SCENE_WIDTH; x++)
            count += picture.rgba[y][x][0] > 60;
    }
    return count;
}

// A square of 40 x 40 pixels whose vertices have half their weight on each joint: linear blending
// shrinks it to a twelfth of its width, dual blending keeps its size, and linear blending shrinks
// it again.
TEST_STAGE (gl_dual_preserves_volume_when_twisted, scene_hinge, 1) {
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        if (!md5gl_has_path(stage->renderer, path))
            continue;
        md5gl_model *const copy = make_copy(&stage->scene, stage->model, path);
        CHECK_NEAR(draw_twisted(stage, copy), 1600, 30);
        CHECK(md5gl_set_blending(stage->renderer, copy, MD5GL_BLEND_LINEAR, NULL));
        CHECK(draw_twisted(stage, copy) < 40);
        md5gl_destroy_model(stage->renderer, copy);
    }
}

static void GLAD_API_PTR report_failure(GLuint shader, GLenum parameter, GLint *value)
{
    (void)shader, (void)parameter;
    *value = GL_FALSE;
}

TEST_STAGE (gl_dual_compile_failure_changes_nothing, scene_hinge, 1) {
    md5_error error = {0};
    md5gl_renderer *const renderer = stage->renderer;
    const PFNGLGETSHADERIVPROC real = scene_gl(renderer)->GetShaderiv;
    scene_gl(renderer)->GetShaderiv = report_failure;
    CHECK_FAILS(md5gl_set_blending(renderer, stage->copy, MD5GL_BLEND_DUAL, &error), error,
                MD5_ERROR_GPU);
    CHECK(scene_blending(stage->copy) == MD5GL_BLEND_LINEAR);
    scene_gl(renderer)->GetShaderiv = real;
    CHECK(draw_twisted(stage, stage->copy) < 40);
    CHECK(md5gl_set_blending(renderer, stage->copy, MD5GL_BLEND_DUAL, &error));
    CHECK_NEAR(draw_twisted(stage, stage->copy), 1600, 30);
}

// The program that resolves a target's samples is also built when it is first needed.
TEST_STAGE (gl_samples_that_cannot_be_averaged_are_reported, scene_hinge, 4) {
    md5gl_renderer *const renderer = stage->renderer;
    const PFNGLGETSHADERIVPROC real = scene_gl(renderer)->GetShaderiv;
    stage_begin(stage);
    scene_gl(renderer)->GetShaderiv = report_failure;
    const bool is_copied = scene_is_es(renderer) || scene_limits(renderer).max_samples < 4;
    CHECK(md5gl_end_frame(renderer, NULL) == is_copied);
    scene_gl(renderer)->GetShaderiv = real;
    stage_begin(stage);
    CHECK(md5gl_end_frame(renderer, NULL));
}
