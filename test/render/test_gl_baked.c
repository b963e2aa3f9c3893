// Instances posed from baked clips: captured vertices against md5_skin_baked() on every path,
// images against images of skinned instances, and invalid input.
#include "test/scoped.h"
#include "test/real.h"
#include "test/render/test_gl_scene.h"

enum { FRAMES = 4, NUM_JOINTS = 6, NUM_VERTICES = 300 };

static const md5_sample_position samples[] = {
    {.frame0 = 0, .frame1 = 1},
    {.frame0 = 1, .frame1 = 2, .fraction = 0.25f},
    {.frame0 = FRAMES - 1, .frame1 = 0, .fraction = 0.75f},
};

// Captures all meshes at each sample position and compares them with the CPU.
static void compare(const gl_scene *scene, md5gl_model *copy, const md5_model *model,
                    md5gl_baked *baked, const md5_baked *const *clips, uint32_t clip)
{
    static md5_vec3 gpu[NUM_VERTICES];
    static md5_vec3 gpu_normals[NUM_VERTICES];
    static md5_vec3 cpu[NUM_VERTICES];
    static md5_vec3 cpu_normals[NUM_VERTICES];
    const double size = real_distance(clips[clip]->bounds.min, clips[clip]->bounds.max);
    double max_distance = 0;
    for (int m = 0; m < 3; m++) {
        const md5gl_clip_job job = {.clip = clip, .sample = samples[m]};
        uint32_t first = 0;
        CHECK(scene_pose_baked(scene->renderer, copy, baked, &job, NULL, 1, NULL));
        for (uint32_t i = 0; i < model->num_meshes; i++) {
            const uint32_t count = model->meshes[i].num_vertices;
            md5_skin_baked(clips[clip], first, count, samples[m], cpu, cpu_normals);
            CHECK(md5gl_capture(scene->renderer, copy, i, NULL, gpu, gpu_normals, NULL, NULL));
            for (uint32_t v = 0; v < count; v++) {
                real_update_max(&max_distance, real_distance(cpu[v], gpu[v]));
                CHECK_SMALL(real_distance(cpu_normals[v], gpu_normals[v]), 2e-6);
            }
            first += count;
        }
    }
    CHECK_SMALL(max_distance / size, 1e-6);
}

// Compares two baked clips of a random model on a path with the CPU.
static void compare_path(const gl_scene *scene, md5gl_path path)
{
    uint64_t random = 11;
    md5_error error = {0};
    SCOPED_MODEL model = scene_cloud(NUM_JOINTS, NUM_VERTICES, 5, false, &random);
    md5_mat34 palettes[2][FRAMES * NUM_JOINTS];
    const md5_baked *clips[2];
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < FRAMES * NUM_JOINTS; j++) {
            palettes[i][j] = scene_rotation(&random);
            for (int row = 0; row < 3; row++)
                palettes[i][j].m[4 * row + 3] = (float)(40 * test_random(&random) - 20);
        }
        clips[i] = md5_create_baked(model, palettes[i], FRAMES, NULL, NULL);
    }
    md5gl_model *const copy = md5gl_create_model(scene->renderer, model, path, NULL);
    md5gl_baked *const baked = md5gl_create_baked(scene->renderer, model, clips, 2, &error);
    CHECK_DONE(baked, error);
    if (CHECK(copy && clips[0] && clips[1]) && baked) {
        CHECK_UINT(md5gl_get_stats(scene->renderer).baked_bytes,
                   2 * 8 * FRAMES * NUM_VERTICES + 2 * 32);
        compare(scene, copy, model, baked, clips, 0);
        compare(scene, copy, model, baked, clips, 1);
        // If the model is captured with a palette, it is skinned again.
        static md5_vec3 gpu[NUM_VERTICES];
        static md5_vec3 cpu[NUM_VERTICES];
        CHECK(md5gl_capture(scene->renderer, copy, 0, palettes[1], gpu, NULL, NULL, NULL));
        md5_skin(&model->meshes[0], palettes[1], cpu, NULL, NULL);
        CHECK(real_distance(gpu[7], cpu[7]) < 1e-3);
    }
    md5gl_destroy_baked(scene->renderer, baked);
    md5gl_destroy_model(scene->renderer, copy);
    for (int i = 0; i < 2; i++)
        md5_destroy_baked((md5_baked *)(uintptr_t)clips[i]);
}

TEST_UNSHARED_SCENE (gl_baked_agrees_with_the_cpu_on_every_path) {
    for (md5gl_path path = MD5GL_PATH_AUTO; path <= MD5GL_PATH_COMPUTE; path++) {
        if (path != MD5GL_PATH_4 && md5gl_has_path(scene->renderer, path))
            compare_path(scene, path);
    }
}

// -- Pictures ---------------------------------------------------------------------------------

static int difference(const gl_picture *a, const gl_picture *b)
{
    int max_difference = 0;
    for (int y = 0; y < SCENE_HEIGHT; y++) {
        for (int x = 0; x < SCENE_WIDTH; x++) {
            for (int k = 0; k < 4; k++) {
                const int apart = abs(a->rgba[y][x][k] - b->rgba[y][x][k]);
                max_difference = apart > max_difference ? apart : max_difference;
            }
        }
    }
    return max_difference;
}

// Draws two tinted instances with shadows, first skinned, then baked, and compares the pictures.
static void check_pictures(gl_stage *stage, md5gl_model *copy, md5gl_baked *baked,
                           const md5_mat34 *palettes, uint32_t style)
{
    md5gl_renderer *const renderer = stage->renderer;
    const md5_mat34 placements[] = {scene_moved(0, -30, 0), scene_moved(0, 30, 0)};
    const md5_vec4 tints[] = {{1, 0.2f, 0.2f, 1}, {0.2f, 1, 0.3f, 1}};
    const md5gl_clip_job jobs[] = {{.clip = 0, .sample = {.frame0 = 1, .frame1 = 1}},
                                   {.clip = 0, .sample = {.frame0 = 0, .frame1 = 1}}};
    const md5_mat34 all_palettes[] = {palettes[2], palettes[3], palettes[0], palettes[1]};
    gl_picture pictures[2];
    for (int i = 0; i < 2; i++) {
        stage_begin(stage);
        if (i == 0)
            CHECK(scene_pose(renderer, copy, all_palettes, placements, 2, NULL));
        else
            CHECK(scene_pose_baked(renderer, copy, baked, jobs, placements, 2, NULL));
        CHECK(scene_look(renderer, copy, tints, NULL, NULL));
        md5gl_draw_shadows(renderer, copy);
        md5gl_draw_model(renderer, copy, style);
        stage_finish(stage, &pictures[i]);
    }
    CHECK(difference(&pictures[0], &pictures[1]) <= 3);
    const uint8_t *const left = picture_at(&pictures[1], -30, 0);
    if (style & MD5GL_LIT)
        CHECK(left[0] > 2 * left[1]);
}

TEST_SQUARE (gl_baked_equals_skinning) {
    const md5_mat34 palettes[] = {scene_identity, scene_identity, scene_identity,
                                  scene_moved(0, 0, 8)};
    md5_baked *const clip = md5_create_baked(stage->model, palettes, 2, NULL, NULL);
    const md5_baked *const clips[] = {clip};
    md5gl_renderer *const renderer = stage->renderer;
    md5gl_baked *const baked = md5gl_create_baked(renderer, stage->model, clips, 1, NULL);
    md5_destroy_baked(clip);
    stage->frame.light_direction = (md5_vec3){1, 0.5f, 1};
    stage->frame.light[0] = stage->frame.light[1] = stage->frame.light[2] = 0.5f;
    stage->frame.casters = (md5_bounds){{-10, -60, -40}, {10, 60, 40}};
    for (md5gl_path path = MD5GL_PATH_AUTO; path <= MD5GL_PATH_COMPUTE && CHECK(baked); path++) {
        if (!md5gl_has_path(renderer, path))
            continue;
        md5gl_model *const copy = md5gl_create_model(renderer, stage->model, path, NULL);
        check_pictures(stage, copy, baked, palettes, MD5GL_LIT);
        check_pictures(stage, copy, baked, palettes, MD5GL_LIT | MD5GL_WIREFRAME);
        md5gl_destroy_model(renderer, copy);
    }
    md5gl_destroy_baked(renderer, baked);
}

// -- Refusals ---------------------------------------------------------------------------------

static void check_jobs(const gl_stage *stage, md5gl_baked *baked)
{
    const md5gl_clip_job wrong[] = {{.clip = 1, .sample = {0}},
                                    {.clip = 0, .sample = {.frame0 = 2}},
                                    {.clip = 0, .sample = {.frame1 = 2}},
                                    {.clip = UINT32_MAX, .sample = {0}}};
    md5_error error = {0};
    for (int i = 0; i < 4; i++) {
        CHECK_FAILS(
            scene_pose_baked(stage->renderer, stage->copy, baked, &wrong[i], NULL, 1, &error),
            error, MD5_ERROR_RANGE);
        CHECK_UINT(scene_num_batches(stage->copy), 0);
    }
    CHECK(scene_pose_baked(stage->renderer, stage->copy, baked, NULL, NULL, 0, &error));
}

// Checks that `clips` need exactly `num_texels` texels: creation succeeds with this limit, and
// fails with a limit that is lower by 1.
static void check_texels(md5gl_renderer *renderer, const md5_model *model,
                         const md5_baked *const *clips, uint32_t num_clips, uint32_t num_texels)
{
    const uint32_t max_texels = *scene_limits(renderer).max_texels;
    md5_error error = {0};
    *scene_limits(renderer).max_texels = num_texels;
    md5gl_baked *const baked = md5gl_create_baked(renderer, model, clips, num_clips, &error);
    CHECK_DONE(baked, error);
    md5gl_destroy_baked(renderer, baked);
    *scene_limits(renderer).max_texels = num_texels - 1;
    CHECK_FAILS(md5gl_create_baked(renderer, model, clips, num_clips, &error), error,
                MD5_ERROR_GPU);
    *scene_limits(renderer).max_texels = max_texels;
}

// A texel for each vertex of each frame, and two for each clip.
TEST_SQUARE (gl_baked_has_a_limit_of_texels) {
    const md5_mat34 palettes[] = {scene_identity, scene_identity, scene_identity, scene_identity};
    uint64_t random = 5;
    SCOPED_MODEL point = scene_cloud(2, 1, 1, false, &random);
    SCOPED_BAKED square = md5_create_baked(stage->model, palettes, 2, NULL, NULL);
    SCOPED_BAKED still = md5_create_baked(point, palettes, 1, NULL, NULL);
    const md5_baked *const squares[] = {square, square};
    const md5_baked *const points[] = {still, still, still};
    check_texels(stage->renderer, stage->model, squares, 2, 2 * 2 * 4);
    check_texels(stage->renderer, point, points, 3, 2 * 3);
}

TEST_SQUARE (gl_baked_rejects_mismatched_models) {
    md5_error error = {0};
    md5gl_renderer *const renderer = stage->renderer;
    const md5_mat34 palettes[] = {scene_identity, scene_identity, scene_identity, scene_identity};
    uint64_t random = 5;
    SCOPED_MODEL foreign_model = scene_cloud(2, 10, 1, false, &random);
    SCOPED_BAKED mine = md5_create_baked(stage->model, palettes, 2, NULL, NULL);
    SCOPED_BAKED theirs = md5_create_baked(foreign_model, palettes, 2, NULL, NULL);
    const md5_baked *const clips[] = {mine, theirs};
    CHECK_FAILS(md5gl_create_baked(renderer, stage->model, clips, 0, &error), error,
                MD5_ERROR_RANGE);
    CHECK_FAILS(md5gl_create_baked(renderer, stage->model, clips, 2, &error), error,
                MD5_ERROR_MISMATCH);
    md5gl_baked *const baked = md5gl_create_baked(renderer, stage->model, clips, 1, &error);
    md5gl_baked *const foreign = md5gl_create_baked(renderer, foreign_model, clips + 1, 1, &error);
    if (CHECK(baked && foreign)) {
        const md5gl_clip_job job = {.clip = 0, .sample = {0}};
        check_jobs(stage, baked);
        CHECK_FAILS(scene_pose_baked(renderer, stage->copy, foreign, &job, NULL, 1, &error), error,
                    MD5_ERROR_MISMATCH);
    }
    md5gl_destroy_baked(renderer, foreign);
    md5gl_destroy_baked(renderer, baked);
    md5gl_destroy_baked(renderer, NULL);
}

// Seven instances take three batches if a table holds three: limits of tables apply to baked
// instances as to palettes.
TEST_SQUARE (gl_baked_draws_in_batches) {
    md5gl_renderer *const renderer = stage->renderer;
    const md5_mat34 palettes[] = {scene_identity, scene_identity, scene_identity,
                                  scene_moved(0, 0, 8)};
    SCOPED_BAKED clip = md5_create_baked(stage->model, palettes, 2, NULL, NULL);
    const md5_baked *const clips[] = {clip};
    md5gl_baked *const baked = md5gl_create_baked(renderer, stage->model, clips, 1, NULL);
    const uint32_t max_texels = *scene_limits(renderer).max_texels;
    *scene_limits(renderer).max_texels = 9;
    md5gl_clip_job jobs[7];
    md5_mat34 placements[7];
    for (int i = 0; i < 7; i++) {
        jobs[i] = (md5gl_clip_job){.clip = 0, .sample = {0}};
        placements[i] = scene_moved(0, (float)(i == 6 ? 40 : -40), 0);
    }
    if (CHECK(baked)) {
        gl_picture picture;
        stage_begin(stage);
        CHECK(scene_pose_baked(renderer, stage->copy, baked, jobs, placements, 7, NULL));
        CHECK_UINT(scene_num_batches(stage->copy), 3);
        md5gl_draw_model(renderer, stage->copy, MD5GL_LIT);
        stage_finish(stage, &picture);
        CHECK(picture_at(&picture, 40, 0)[0] > 100);
        CHECK(picture_at(&picture, 0, 0)[0] == 0);
    }
    *scene_limits(renderer).max_texels = max_texels;
    md5gl_destroy_baked(renderer, baked);
}

// -- Capture --------------------------------------------------------------------------------------

// Vertices skinned by the vertex shader, read back, against md5_skin() on the CPU.

enum { CAPTURE_NUM_JOINTS = 40, CAPTURE_NUM_VERTICES = 600 };

// Tolerance between GPU and CPU, as a fraction of the model's size.
#define AGREEMENT 1e-5

static md5_vec3 along(md5_vec4 tangent)
{
    return (md5_vec3){tangent.x, tangent.y, tangent.z};
}

static double model_size(const md5_model *model)
{
    return real_distance(model->bounds.min, model->bounds.max);
}

// Gives every joint a random position and rotation: joints[i] in model space, palette[i] from the
// bind pose.
static void pose_at_random(const md5_model *model, md5_mat34 *joints, md5_mat34 *palette,
                           uint64_t *random)
{
    for (uint32_t i = 0; i < model->skeleton.num_joints; i++) {
        joints[i] = scene_rotation(random);
        for (int row = 0; row < 3; row++)
            joints[i].m[4 * row + 3] = (float)(40 * test_random(random) - 20);
    }
    md5_build_palette(model, joints, palette);
}

typedef struct errors {
    // The largest errors of all vertices.
    double position;
    double normal;
    double tangent;
} errors;

// Returns the largest differences between GPU and CPU.
static errors capture_compare(const gl_scene *scene, md5gl_model *copy, const md5_model *model,
                              const md5_mat34 *palette)
{
    const md5_mesh *const mesh = &model->meshes[0];
    const size_t count = mesh->num_vertices;
    md5_vec3 *const cpu = calloc(count, 2 * sizeof *cpu);
    md5_vec3 *const cpu_normals = cpu + count;
    md5_vec3 *const gpu = calloc(count, 2 * sizeof *gpu);
    md5_vec3 *const gpu_normals = gpu + count;
    errors largest = {0, 0, 0};
    SCOPED md5_vec4 *const tangents = calloc(count, 2 * sizeof *tangents);
    md5_vec4 *const gpu_tangents = tangents + count;
    md5_skin(mesh, palette, cpu, cpu_normals, tangents);
    CHECK(md5gl_capture(scene->renderer, copy, 0, palette, gpu, gpu_normals, gpu_tangents, NULL));
    for (size_t i = 0; i < count; i++) {
        largest.position = fmax(largest.position, real_distance(cpu[i], gpu[i]));
        largest.normal = fmax(largest.normal, real_distance(cpu_normals[i], gpu_normals[i]));
        CHECK_NEAR(real_length(gpu_normals[i]), 1, 1e-5);
        largest.tangent =
            fmax(largest.tangent, real_distance(along(tangents[i]), along(gpu_tangents[i])));
        CHECK_EXACT(gpu_tangents[i].w, tangents[i].w);
    }
    free(cpu);
    free(gpu);
    return largest;
}

// Compares the vertices of the GPU with the vertices of the CPU for a random model. `wanted` is the
// requested path, and `expected` is the path that the renderer must use.
static void check_agreement(uint32_t max_weights, bool off, md5gl_path wanted, md5gl_path expected)
{
    uint64_t random = 7 + max_weights;
    gl_scene scene;
    if (!scene_open(&scene, NULL))
        return;
    md5_model *const model =
        scene_cloud(CAPTURE_NUM_JOINTS, CAPTURE_NUM_VERTICES, max_weights, off, &random);
    md5gl_model *const copy = md5gl_create_model(scene.renderer, model, wanted, NULL);
    CHECK(copy && md5gl_mesh_path(copy, 0, NULL) == expected);
    for (int i = 0; i < 5; i++) {
        md5_mat34 joints[CAPTURE_NUM_JOINTS];
        md5_mat34 palette[CAPTURE_NUM_JOINTS];
        pose_at_random(model, joints, palette, &random);
        const errors largest = capture_compare(&scene, copy, model, palette);
        CHECK_SMALL(largest.position / model_size(model), AGREEMENT);
        CHECK_SMALL(largest.normal, 1e-3);
        CHECK_SMALL(largest.tangent, 1e-3);
    }
    md5gl_destroy_model(scene.renderer, copy);
    md5_free_model(model);
    scene_close(&scene);
}

TEST (gl_capture_path_4_agrees_with_the_cpu) {
    check_agreement(4, false, MD5GL_PATH_AUTO, MD5GL_PATH_4);
}

TEST (gl_capture_path_8_agrees_with_the_cpu) {
    check_agreement(8, false, MD5GL_PATH_AUTO, MD5GL_PATH_8);
}

TEST (gl_capture_exact_path_agrees_with_the_cpu_for_many_weights) {
    check_agreement(30, false, MD5GL_PATH_AUTO, MD5GL_PATH_EXACT);
}

TEST (gl_capture_exact_path_agrees_for_other_sums_and_scattered_offsets) {
    check_agreement(3, true, MD5GL_PATH_AUTO, MD5GL_PATH_EXACT);
}

TEST (gl_capture_forced_paths_agree_if_lossless) {
    check_agreement(4, false, MD5GL_PATH_8, MD5GL_PATH_8);
    check_agreement(4, false, MD5GL_PATH_EXACT, MD5GL_PATH_EXACT);
}

// The error of a forced lossy path is at most the predicted loss, and not zero.
TEST_UNSHARED_SCENE (gl_capture_forced_path_loses_as_predicted) {
    static const md5gl_path paths[2] = {MD5GL_PATH_4, MD5GL_PATH_8};
    uint64_t random = 99;
    SCOPED_MODEL model = scene_cloud(CAPTURE_NUM_JOINTS, CAPTURE_NUM_VERTICES, 12, true, &random);
    for (int i = 0; i < 2; i++) {
        md5gl_model *const copy = md5gl_create_model(scene->renderer, model, paths[i], NULL);
        CHECK(copy && md5gl_mesh_path(copy, 0, NULL) == paths[i]);
        md5_mat34 joints[CAPTURE_NUM_JOINTS];
        md5_mat34 palette[CAPTURE_NUM_JOINTS];
        pose_at_random(model, joints, palette, &random);
        const double lost = capture_compare(scene, copy, model, palette).position;
        const double foretold = md5_pack_loss(model, 0, i ? 8 : 4, joints);
        CHECK(lost <= foretold + AGREEMENT * model_size(model));
        CHECK(lost > 0.02 * foretold && foretold > 0);
        md5gl_destroy_model(scene->renderer, copy);
    }
}

// More joints than 16 bits can index. Joint 70000 and joint 70000 - 65536 are far apart.
TEST (gl_capture_distinguishes_many_joints) {
    uint64_t random = 5;
    gl_scene scene;
    if (!scene_open(&scene, NULL))
        return;
    const uint32_t num_joints = 70001;
    if (*scene_limits(scene.renderer).max_texels < 3 * num_joints) {
        test_skip("GL_MAX_TEXTURE_BUFFER_SIZE is %u",
                  (unsigned)*scene_limits(scene.renderer).max_texels);
        scene_close(&scene);
        return;
    }
    SCOPED_MODEL model = scene_cloud(num_joints, CAPTURE_NUM_VERTICES, 3, false, &random);
    SCOPED md5_mat34 *const joints = calloc(num_joints, 2 * sizeof *joints);
    pose_at_random(model, joints, joints + num_joints, &random);
    for (int path = MD5GL_PATH_4; path <= MD5GL_PATH_EXACT; path++) {
        md5gl_model *const copy = md5gl_create_model(scene.renderer, model, (md5gl_path)path, NULL);
        const errors largest = capture_compare(&scene, copy, model, joints + num_joints);
        CHECK_SMALL(largest.position / model_size(model), AGREEMENT);
        md5gl_destroy_model(scene.renderer, copy);
    }
    scene_close(&scene);
}

TEST_UNSHARED_SCENE (gl_capture_without_normals) {
    SCOPED_MODEL model = scene_square();
    md5gl_model *const copy = md5gl_create_model(scene->renderer, model, MD5GL_PATH_AUTO, NULL);
    const md5_mat34 palette[2] = {scene_identity, scene_moved(1, 2, 3)};
    md5_vec3 positions[4];
    CHECK(md5gl_capture(scene->renderer, copy, 0, palette, positions, NULL, NULL, NULL));
    CHECK_EXACT(positions[0].z, -20);
    CHECK_EXACT(positions[3].x, 1);
    CHECK_EXACT(positions[3].y, 22);
    CHECK_EXACT(positions[3].z, 23);
    md5gl_destroy_model(scene->renderer, copy);
}

// Opposite rotations cancel out, so the normal does not have a direction. The normal of the bind
// pose is then used.
TEST_UNSHARED_SCENE (gl_capture_keeps_the_bind_normal_if_rotations_cancel_out) {
    static const md5_mat34 half_rotation = {{-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0}};
    SCOPED_MODEL model = scene_hinge();
    const md5_mat34 palette[2] = {scene_identity, half_rotation};
    for (int path = MD5GL_PATH_4; path <= MD5GL_PATH_EXACT; path++) {
        md5gl_model *const copy =
            md5gl_create_model(scene->renderer, model, (md5gl_path)path, NULL);
        md5_vec3 positions[4];
        md5_vec3 normals[4];
        CHECK(md5gl_capture(scene->renderer, copy, 0, palette, positions, normals, NULL, NULL));
        CHECK_SMALL(positions[3].y, 1e-6);
        CHECK_NEAR(positions[3].z, 20, 1e-5);
        CHECK_NEAR(normals[3].x, 1, 1e-6);
        CHECK_SMALL(normals[3].z, 1e-6);
        md5gl_destroy_model(scene->renderer, copy);
    }
}
