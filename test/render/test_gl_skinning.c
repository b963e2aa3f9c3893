// Skinning on the GPU compared with the CPU's exact result: each mesh in the bind pose, in a pose
// that rotates every joint, and at several times of clips, on every path. A position may be off by
// 1/10000 of the model's size, a normal or tangent by 0.001. A path that is chosen explicitly may
// in addition lose as much as md5_pack_loss() predicts.
#define _POSIX_C_SOURCE 200809L // glob(), nftw()
#define _XOPEN_SOURCE 700       // nftw()
#include "test/scoped.h"
#include "test/render/test_gl_scene.h"

#include "md5/md5skin.h"

#include <ftw.h>
#include <glob.h>

// Positions relative to the model's diagonal; normals and tangents, whose length is 1.
static const float position_tolerance = 1e-4f;
static const float direction_tolerance = 1e-3f;

// Blended rotations can nearly cancel out. If the blend is shorter than this, it has no direction
// that could be compared.
static const float min_blend_length = 0.05f;

// Two dual quaternions that are half a turn apart can be blended with either sign. If the absolute
// value of their dot product is smaller than this, rounding decides the sign.
static const float min_side = 1e-5f;

enum { SAMPLES_PER_CLIP = 7, MAX_MODELS = 256 };

// -- One model -----------------------------------------------------------------------------------

// A model on the GPU, and memory for its poses and its largest mesh.
typedef struct skinning {
    const gl_scene *scene;
    const char *name; // for messages
    const md5_model *model;
    md5gl_model *drawn;
    bool is_forced;
    bool is_dual;
    float size; // diagonal of the bounds
    md5_xform *pose;
    md5_mat34 *joints;
    md5_mat34 *palette;
    md5_dual_quat *duals;
    md5_vec3 *gpu_positions;
    md5_vec3 *gpu_normals;
    md5_vec3 *cpu_positions;
    md5_vec3 *cpu_normals;
    md5_vec4 *gpu_tangents;
    md5_vec4 *cpu_tangents;

    // Results over all poses.
    float error, predicted_loss; // largest, units
    uint32_t num_too_large;      // meshes in poses that exceed their tolerance
    uint32_t num_poses;
} skinning;

static uint32_t largest_mesh(const md5_model *model)
{
    uint32_t num_vertices = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        if (model->meshes[i].num_vertices > num_vertices)
            num_vertices = model->meshes[i].num_vertices;
    }
    return num_vertices;
}

// Returns false if the model has no vertices or the driver has no such path.
static bool skinning_open(skinning *fixture, const gl_scene *scene, const md5_model *model,
                          const char *name, md5gl_path path, bool is_dual)
{
    md5_error error = {0};
    *fixture = (skinning){.scene = scene, .name = name, .model = model, .is_dual = is_dual};
    fixture->is_forced = path != MD5GL_PATH_AUTO;
    const uint32_t num_vertices = largest_mesh(model);
    if (num_vertices == 0 || !md5gl_has_path(scene->renderer, path))
        return false;
    fixture->drawn = md5gl_create_model(scene->renderer, model, path, &error);
    const md5gl_blending blending = is_dual ? MD5GL_BLEND_DUAL : MD5GL_BLEND_LINEAR;
    const bool is_ready = fixture->drawn != NULL
                          && md5gl_set_blending(scene->renderer, fixture->drawn, blending, &error);
    if (!CHECK_THAT(is_ready, "%s: %s", name, error.message))
        return false;
    const md5_bounds bounds = fixture->model->bounds;
    const float diagonal = md5_vec3_length(md5_vec3_sub(bounds.max, bounds.min));
    fixture->size = diagonal > 0 ? diagonal : 1;
    const uint32_t num_joints = fixture->model->skeleton.num_joints;
    fixture->pose = test_calloc(num_joints, sizeof *fixture->pose);
    fixture->joints = test_calloc(num_joints, sizeof *fixture->joints);
    fixture->palette = test_calloc(num_joints, sizeof *fixture->palette);
    fixture->duals = test_calloc(num_joints, sizeof *fixture->duals);
    fixture->gpu_positions = test_calloc(num_vertices, sizeof *fixture->gpu_positions);
    fixture->gpu_normals = test_calloc(num_vertices, sizeof *fixture->gpu_normals);
    fixture->gpu_tangents = test_calloc(num_vertices, sizeof *fixture->gpu_tangents);
    fixture->cpu_positions = test_calloc(num_vertices, sizeof *fixture->cpu_positions);
    fixture->cpu_normals = test_calloc(num_vertices, sizeof *fixture->cpu_normals);
    fixture->cpu_tangents = test_calloc(num_vertices, sizeof *fixture->cpu_tangents);
    return true;
}

static void skinning_close(skinning *fixture)
{
    if (fixture->drawn != NULL)
        md5gl_destroy_model(fixture->scene->renderer, fixture->drawn);
    free(fixture->pose);
    free(fixture->joints);
    free(fixture->palette);
    free(fixture->duals);
    free(fixture->gpu_positions);
    free(fixture->gpu_normals);
    free(fixture->gpu_tangents);
    free(fixture->cpu_positions);
    free(fixture->cpu_normals);
    free(fixture->cpu_tangents);
}

// -- Comparing -----------------------------------------------------------------------------------

// Returns the length of the blended direction of a vertex before normalization, relative to the sum
// of its biases.
static float blend_length(const md5_mesh *mesh, const md5_mat34 *palette, uint32_t vertex,
                          md5_vec3 direction)
{
    md5_vec3 blend = {0, 0, 0};
    float sum = 0;
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++) {
        const float bias = mesh->influences[i].w;
        const md5_vec3 moved = md5_mat34_direction(palette[mesh->influence_joints[i]], direction);
        blend = md5_vec3_add(blend, md5_vec3_scale(moved, bias));
        sum += fabsf(bias);
    }
    return sum > 0 ? md5_vec3_length(blend) / sum : 0;
}

// Returns true if the signs of the dual quaternions of a vertex's joints are well defined.
static bool has_sides(const md5_mesh *mesh, const md5_dual_quat *duals, uint32_t vertex)
{
    const uint32_t first = mesh->first_influence[vertex];
    for (uint32_t i = first + 1; i < mesh->first_influence[vertex + 1]; i++) {
        const md5_quat a = duals[mesh->influence_joints[first]].real;
        const md5_quat b = duals[mesh->influence_joints[i]].real;
        if (fabsf(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w) < min_side)
            return false;
    }
    return true;
}

// Returns the distance of two points, or infinity if a coordinate is not a number.
static float distance(md5_vec3 a, md5_vec3 b)
{
    const float length = md5_vec3_length(md5_vec3_sub(a, b));
    return isnan(length) ? INFINITY : length;
}

static md5_vec3 tangent_direction(md5_vec4 tangent)
{
    return (md5_vec3){tangent.x, tangent.y, tangent.z};
}

// Returns the largest error of the normals and tangents of a vertex that have a direction.
static float direction_error(const skinning *fixture, const md5_mesh *mesh, uint32_t vertex)
{
    const md5_vec4 gpu = fixture->gpu_tangents[vertex];
    const md5_vec4 cpu = fixture->cpu_tangents[vertex];
    const float normal = distance(fixture->gpu_normals[vertex], fixture->cpu_normals[vertex]);
    float tangent = distance(tangent_direction(gpu), tangent_direction(cpu));
    if (gpu.w != cpu.w)
        tangent = INFINITY;
    const md5_vec3 bind_normal = mesh->normals[vertex];
    const md5_vec3 bind_tangent = tangent_direction(mesh->tangents[vertex]);
    float error = 0;
    if (fixture->is_dual
        || blend_length(mesh, fixture->palette, vertex, bind_normal) >= min_blend_length)
        error = fmaxf(error, normal);
    if (fixture->is_dual
        || blend_length(mesh, fixture->palette, vertex, bind_tangent) >= min_blend_length)
        error = fmaxf(error, tangent);
    return error;
}

// Returns the loss in units that md5gl accepts for the path of a mesh. There is no limit for dual
// quaternions with dropped influences.
static float predict_loss(const skinning *fixture, uint32_t mesh)
{
    const md5gl_path path = md5gl_mesh_path(fixture->drawn, mesh, NULL);
    const uint32_t slots = path == MD5GL_PATH_4 ? 4 : 8;
    if (path != MD5GL_PATH_4 && path != MD5GL_PATH_8)
        return 0;
    if (!fixture->is_dual)
        return md5_pack_loss(fixture->model, mesh, slots, fixture->joints);
    return fixture->model->meshes[mesh].max_influences > slots ? INFINITY : 0;
}

// Compares the positions and directions of a mesh with the CPU. A path that drops influences may
// differ by the loss that it causes.
static void compare_mesh(skinning *fixture, uint32_t index)
{
    const md5_mesh *const mesh = &fixture->model->meshes[index];
    const md5_skin_job job = {
        .mesh = mesh,
        .palette = fixture->is_dual ? NULL : fixture->palette,
        .duals = fixture->is_dual ? fixture->duals : NULL,
        .positions = fixture->cpu_positions,
        .normals = fixture->cpu_normals,
        .tangents = fixture->cpu_tangents,
    };
    md5_skin_one(&job);
    float position = 0;
    float direction = 0;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        if (fixture->is_dual && !has_sides(mesh, fixture->duals, v))
            continue;
        position = fmaxf(position, distance(fixture->gpu_positions[v], fixture->cpu_positions[v]));
        direction = fmaxf(direction, direction_error(fixture, mesh, v));
    }
    const float tolerance = position_tolerance * fixture->size;
    const float loss = predict_loss(fixture, index);
    const float accepted = fixture->is_forced ? tolerance + loss : tolerance;
    // A path that loses positions beyond the tolerance may also lose directions.
    const bool may_lose_directions = fixture->is_forced && loss > tolerance;
    const bool is_too_large =
        position > accepted || (direction > direction_tolerance && !may_lose_directions);
    fixture->error = fmaxf(fixture->error, position);
    fixture->predicted_loss = fmaxf(fixture->predicted_loss, loss);
    fixture->num_too_large += is_too_large;
    CHECK_THAT(!is_too_large,
               "%s, mesh %u, pose %u, path %s%s: positions are off by %g units of %g, directions "
               "by %g; predicted loss %g",
               fixture->name, index, fixture->num_poses,
               md5gl_path_name(md5gl_mesh_path(fixture->drawn, index, NULL)),
               fixture->is_dual ? ", dual quaternions" : "", (double)position,
               (double)fixture->size, (double)direction, (double)loss);
}

// Compares all meshes in the pose of it->joints and it->palette.
static void compare_pose(skinning *fixture)
{
    md5_error error = {0};
    md5gl_renderer *const renderer = fixture->scene->renderer;
    const md5gl_instances instance = {.count = 1, .palettes = fixture->palette};
    md5_build_dual_palette(fixture->palette, fixture->model->skeleton.num_joints, fixture->duals);
    CHECK_DONE(md5gl_pose(renderer, fixture->drawn, &instance, &error), error);
    for (uint32_t i = 0; i < fixture->model->num_meshes; i++) {
        const bool is_read =
            md5gl_capture(renderer, fixture->drawn, i, NULL, fixture->gpu_positions,
                          fixture->gpu_normals, fixture->gpu_tangents, &error);
        if (CHECK_DONE(is_read, error))
            compare_mesh(fixture, i);
    }
    fixture->num_poses++;
}

// Compares the pose of it->pose.
static void compare_local_pose(skinning *fixture)
{
    md5_local_to_model(&fixture->model->skeleton, fixture->pose, fixture->joints);
    md5_build_palette(fixture->model, fixture->joints, fixture->palette);
    compare_pose(fixture);
}

// -- Poses ---------------------------------------------------------------------------------------

// Compares the bind pose, and a pose in which every joint is rotated by up to 50 degrees about
// different axes. This pose bends joints that clips may not bend.
static void compare_still_poses(skinning *fixture)
{
    const md5_model *const model = fixture->model;
    static const md5_vec3 axes[3] = {{0.6f, 0.8f, 0}, {0, 0.6f, -0.8f}, {0.8f, 0, 0.6f}};
    memcpy(fixture->pose, model->bind_local, model->skeleton.num_joints * sizeof *fixture->pose);
    compare_local_pose(fixture);
    for (uint32_t i = 0; i < model->skeleton.num_joints; i++) {
        const float fraction = (float)(i * 37 % 11) / 10.0f - 0.5f;
        const float half_angle = fraction * 50.0f * 3.14159265f / 180.0f;
        const float s = sinf(half_angle);
        const md5_vec3 axis = axes[i % 3];
        const md5_quat rotation = {axis.x * s, axis.y * s, axis.z * s, cosf(half_angle)};
        fixture->pose[i].rotation = md5_quat_mul(model->bind_local[i].rotation, rotation);
    }
    compare_local_pose(fixture);
}

// Compares several times of a clip, half of them between two frames. Clips that do not fit the
// model are skipped.
static void compare_clip(skinning *fixture, const char *path)
{
    SCOPED_ANIM anim = md5_load_anim(path, NULL, NULL);
    if (anim == NULL)
        return;
    SCOPED_BINDING binding = md5_bind(fixture->model, anim, NULL, NULL);
    if (binding == NULL)
        return;
    for (int i = 0; i < SAMPLES_PER_CLIP; i++) {
        const double last_frame = anim->num_frames - 1;
        const double frame = floor(last_frame * i / (SAMPLES_PER_CLIP - 1));
        const double fraction = i % 2 == 1 ? 0.37 : 0;
        const double time = (frame + fraction) / anim->frame_rate;
        const md5_sample_position sample = md5_sample_position_at(anim, time, MD5_WRAP_CLAMP);
        md5_pose_palette(binding, sample, MD5_ROOT_FILE, fixture->pose, fixture->joints,
                         fixture->palette);
        compare_pose(fixture);
    }
}

// Compares all clips in the folder of the model.
static void compare_clips_of_folder(skinning *fixture)
{
    glob_t found;
    const char *const slash = strrchr(fixture->name, '/');
    const int folder_length = slash != NULL ? (int)(slash - fixture->name) : 0;
    SCOPED_TEXT pattern = {0};
    test_append(&pattern, "%.*s/*.md5anim", folder_length, fixture->name);
    if (glob(pattern.bytes, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        compare_clip(fixture, found.gl_pathv[i]);
    globfree(&found);
}

// -- Models of the reference ---------------------------------------------------------------------

// Compares a model with a clip on a path. Returns false if the driver has no such path.
static bool check_model(const gl_scene *scene, const char *model_path, const char *clip_path,
                        md5gl_path path, bool is_dual)
{
    md5_error error = {0};
    SCOPED_MODEL model = md5_load_model(model_path, NULL, &error);
    if (!CHECK_DONE(model != NULL, error))
        return false;
    skinning fixture;
    const bool is_open = skinning_open(&fixture, scene, model, model_path, path, is_dual);
    if (is_open) {
        compare_still_poses(&fixture);
        compare_clip(&fixture, clip_path);
    }
    skinning_close(&fixture);
    return is_open;
}

TEST_SCENE (gl_skins_the_models_of_the_reference) {
    static const md5gl_path paths[] = {MD5GL_PATH_AUTO, MD5GL_PATH_4, MD5GL_PATH_8,
                                       MD5GL_PATH_EXACT};
    glob_t found;
    REQUIRE(glob(test_path("test/reference/data/*.md5mesh"), 0, NULL, &found) == 0);
    CHECK(found.gl_pathc > 5);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *const model = found.gl_pathv[i];
        SCOPED_TEXT clip = {0};
        test_append(&clip, "%.*sanim", (int)strlen(model) - 4, model);
        for (size_t k = 0; k < COUNT_OF(paths); k++)
            CHECK(check_model(scene, model, clip.bytes, paths[k], false));
    }
    globfree(&found);
}

// Four vertices with one influence each lose nothing on any path, with either blending.
TEST_SCENE (gl_skins_a_small_model_on_every_path) {
    const char *const model = test_path("test/reference/data/still.md5mesh");
    const char *const clip = test_path("test/reference/data/still.md5anim");
    for (md5gl_path path = MD5GL_PATH_AUTO; path <= MD5GL_PATH_COMPUTE; path++) {
        if (!md5gl_has_path(scene->renderer, path))
            continue;
        for (int is_dual = 0; is_dual < 2; is_dual++)
            CHECK(check_model(scene, model, clip, path, is_dual == 1));
    }
}

// -- Our model -----------------------------------------------------------------------------------

#define BOBBIN "models/bobbin/bobbin.md5mesh"

// Bobbin's vertices have more than four influences and at most eight.
TEST_SCENE (gl_skins_our_model_without_loss_by_eight_influences) {
    static const md5gl_path paths[] = {MD5GL_PATH_8, MD5GL_PATH_EXACT};
    SCOPED_MODEL model = our_model(BOBBIN);
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        skinning fixture;
        if (CHECK(skinning_open(&fixture, scene, model, BOBBIN, paths[i], false))) {
            compare_still_poses(&fixture);
            compare_clip(&fixture, test_path("models/bobbin/dance.md5anim"));
            CHECK(fixture.error <= position_tolerance * fixture.size);
        }
        skinning_close(&fixture);
    }
}

TEST_SCENE (gl_four_influences_lose_at_most_the_predicted_error) {
    SCOPED_MODEL model = our_model(BOBBIN);
    skinning fixture;
    if (CHECK(skinning_open(&fixture, scene, model, BOBBIN, MD5GL_PATH_4, false))) {
        compare_still_poses(&fixture);
        compare_clip(&fixture, test_path("models/bobbin/dance.md5anim"));
        CHECK(fixture.error > 0.01f && fixture.error <= fixture.predicted_loss);
    }
    skinning_close(&fixture);
}

// -- Real models ---------------------------------------------------------------------------------

static struct {
    char *paths[MAX_MODELS];
    size_t count;
} real_models;

static int note_model(const char *path, const struct stat *status, int kind, struct FTW *visit)
{
    (void)status, (void)visit;
    static const char extension[] = ".md5mesh";
    const size_t length = strlen(path);
    const size_t extension_length = strlen(extension);
    if (kind != FTW_F || length < extension_length
        || strcmp(path + length - extension_length, extension) != 0
        || strstr(path, "invalid") != NULL || strstr(path, "malformed") != NULL)
        return 0;
    if (CHECK(real_models.count < MAX_MODELS))
        real_models.paths[real_models.count++] = test_copy(path, length + 1);
    return 0;
}

static void find_real_models(const char *folder)
{
    real_models.count = 0;
    CHECK(nftw(folder, note_model, 16, FTW_PHYS) == 0);
    CHECK(real_models.count > 0);
}

static void free_real_models(void)
{
    for (size_t i = 0; i < real_models.count; i++)
        free(real_models.paths[i]);
    real_models.count = 0;
}

typedef struct path_result {
    uint32_t num_exact, num_predicted; // models without and with a loss
} path_result;

// Compares a model on a path, with both blendings; with linear blending also in the clips of its
// folder, the results of which are counted.
static void check_real_model(const gl_scene *scene, const char *name, md5gl_path path,
                             path_result *result)
{
    md5_error error = {0};
    SCOPED_MODEL model = md5_load_model(name, NULL, &error);
    if (!CHECK_DONE(model != NULL, error))
        return;
    for (int is_dual = 0; is_dual < 2; is_dual++) {
        skinning fixture;
        if (skinning_open(&fixture, scene, model, name, path, is_dual == 1)) {
            compare_still_poses(&fixture);
            if (is_dual == 0)
                compare_clips_of_folder(&fixture);
            const bool is_exact = fixture.error <= position_tolerance * fixture.size;
            result->num_exact += is_dual == 0 && is_exact;
            result->num_predicted += is_dual == 0 && !is_exact;
        }
        skinning_close(&fixture);
    }
}

// Prints the number of models that each path skins exactly, and the number of models with a
// predicted loss.
static void check_real_models(const gl_scene *scene, const char *folder, md5gl_path first,
                              md5gl_path last)
{
    find_real_models(folder);
    for (md5gl_path path = first; path <= last; path++) {
        path_result result = {0};
        for (size_t i = 0; i < real_models.count && md5gl_has_path(scene->renderer, path); i++)
            check_real_model(scene, real_models.paths[i], path, &result);
        printf("note: path %s: %u models exact, %u off as predicted\n", md5gl_path_name(path),
               result.num_exact, result.num_predicted);
    }
    free_real_models();
}

// Checks the models of the corpus on the path that md5gl selects.
TEST_SCENE (gl_skins_real_models) {
    REQUIRE_CORPUS();
    check_real_models(scene, test_path("corpus"), MD5GL_PATH_AUTO, MD5GL_PATH_AUTO);
}

static void check_all_paths(const char *folder)
{
    gl_scene scene;
    if (!scene_share(&scene))
        return;
    check_real_models(&scene, folder, MD5GL_PATH_4, MD5GL_PATH_COMPUTE);
    scene_close(&scene);
}

TEST_LONG (gl_skins_real_models_on_every_path) {
    REQUIRE_CORPUS();
    check_all_paths(test_path("corpus"));
}

TEST_LONG (gl_skins_our_models_on_every_path) {
    check_all_paths(test_path("models"));
}

// -- Work ----------------------------------------------------------------------------------------

// Posing skins a model once, independent of the number of captured meshes.

enum { NUM_MESHES = 100, NUM_POSES = 2 };

static uint64_t num_uploads;
static uint64_t num_dispatches;
static uint64_t num_captures;
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

// Creates a model of NUM_MESHES triangles on two joints.
static md5_model *create_meshes(void)
{
    SCOPED_TEXT text = {0};
    test_append(&text,
                "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes %d\njoints {\n"
                "\t\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n\t\"b\" 0 ( 0 0 9 ) ( 0 0 0 )\n}\n",
                NUM_MESHES);
    for (unsigned mesh = 0; mesh < NUM_MESHES; mesh++) {
        test_append(&text, "mesh {\n\tshader \"none\"\n\tnumverts 3\n");
        for (unsigned i = 0; i < 3; i++)
            test_append(&text, "\tvert %u ( 0 0 ) %u 1\n", i, i);
        test_append(&text, "\tnumtris 1\n\ttri 0 0 1 2\n\tnumweights 3\n");
        for (unsigned i = 0; i < 3; i++)
            test_append(&text, "\tweight %u %u 1 ( %u %u %u )\n", i, (mesh + i) % 2, i % 2, i / 2,
                        mesh);
        test_append(&text, "}\n");
    }
    return md5_parse_model(text.bytes, text.used, NULL, NULL);
}

// Counts the work for two poses on a path. Returns false if the driver has no such path.
static bool count_work(const gl_scene *scene, md5gl_path path, bool is_dual)
{
    SCOPED_MODEL model = create_meshes();
    if (!CHECK(model != NULL))
        return false;
    skinning fixture;
    const bool is_open = skinning_open(&fixture, scene, model, "meshes", path, is_dual);
    if (is_open) {
        md5gl_renderer *const renderer = scene->renderer;
        num_uploads = num_dispatches = num_captures = 0;
        real = *scene_gl(renderer);
        real_dispatch = *scene_optional(renderer).dispatch;
        scene_gl(renderer)->BufferSubData = count_upload;
        scene_gl(renderer)->BeginTransformFeedback = count_capture;
        *scene_optional(renderer).dispatch = count_dispatch;
        compare_still_poses(&fixture);
        CHECK_UINT(fixture.num_poses, NUM_POSES);
        *scene_gl(renderer) = real;
        *scene_optional(renderer).dispatch = real_dispatch;
    }
    skinning_close(&fixture);
    return is_open;
}

// Positions, normals and tangents of each mesh are uploaded once per pose.
TEST_SCENE (gl_skins_a_model_once_per_pose_on_the_cpu) {
    for (int is_dual = 0; is_dual < 2; is_dual++) {
        if (CHECK(count_work(scene, MD5GL_PATH_CPU, is_dual == 1))) {
            CHECK_UINT(num_captures, NUM_POSES * NUM_MESHES);
            CHECK_UINT(num_uploads, 3 * NUM_POSES * NUM_MESHES);
        }
    }
}

TEST_SCENE (gl_skins_a_model_once_per_pose_by_compute_shaders) {
    if (!count_work(scene, MD5GL_PATH_COMPUTE, false)) {
        test_skip("the driver has no compute shaders");
        return;
    }
    CHECK_UINT(num_captures, NUM_POSES * NUM_MESHES);
    CHECK_UINT(num_dispatches, NUM_POSES * NUM_MESHES);
}

// Capturing without a palette reads the first instance, needs one, and keeps all instances.
TEST_SCENE (gl_capture_without_a_palette_reads_the_first_instance) {
    md5_vec3 once[4];
    md5_vec3 second_positions[4];
    md5_error error = {0};
    SCOPED_MODEL square = scene_square();
    md5gl_model *const drawn = md5gl_create_model(scene->renderer, square, MD5GL_PATH_AUTO, &error);
    const md5_mat34 palettes[4] = {scene_moved(1, 2, 3), scene_moved(4, 5, 6), scene_identity,
                                   scene_identity};
    CHECK_FAILS(md5gl_capture(scene->renderer, drawn, 0, NULL, once, NULL, NULL, &error), error,
                MD5_ERROR_RANGE);
    CHECK(md5gl_capture(scene->renderer, drawn, 0, palettes, once, NULL, NULL, &error));
    CHECK(!md5gl_capture(scene->renderer, drawn, 0, NULL, second_positions, NULL, NULL, &error));
    CHECK(scene_pose(scene->renderer, drawn, palettes, NULL, 2, &error));
    for (int i = 0; i < 2; i++) {
        memset(second_positions, 0, sizeof second_positions);
        CHECK(md5gl_capture(scene->renderer, drawn, 0, NULL, second_positions, NULL, NULL, &error));
        CHECK_BYTES(once, second_positions, sizeof once);
    }
    md5gl_destroy_model(scene->renderer, drawn);
}
