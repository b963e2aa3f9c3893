// Morph targets: blended bind poses and skinned vertices against an independent computation in
// doubles, from the files' own numbers; topology; errors.
#include "test/misuse.h"
#include "test/scoped.h"
#include "test/real.h"
#include "test/skin/skin_jobs.h"

enum { VERTICES = 60, JOINTS = 5, TARGETS = 3, TEXT = 40000 };

// -- Models in numbers ------------------------------------------------------------------------

// A mesh whose vertex v has two weights, on joints v % JOINTS and (v + 1) % JOINTS, with biases
// 0.75 and 0.25. Their points meet in point[v] of the bind pose, where joint j is at (j, 2 j, -j).
typedef struct model_points {
    double point[VERTICES][3];
} model_points;

// Writes a model with these points, and loads it.
static md5_model *load(const model_points *points, const md5_load_opts *opts)
{
    SCOPED_TEXT text = {0};
    test_append(&text, "MD5Version 10\ncommandline \"\"\nnumJoints %d\nnumMeshes 1\njoints {\n",
                JOINTS);
    for (int j = 0; j < JOINTS; j++)
        test_append(&text, "\"j%d\" %d ( %d %d %d ) ( 0 0 0 )\n", j, j - 1, j, 2 * j, -j);
    test_append(&text, "}\nmesh {\n// meshes: face\nshader \"\"\nnumverts %d\n", VERTICES);
    for (int v = 0; v < VERTICES; v++)
        test_append(&text, "vert %d ( %g %g ) %d 2\n", v, 0.1 * (v % 7), 0.1 * (v % 5), 2 * v);
    test_append(&text, "numtris %d\n", VERTICES - 2);
    for (int t = 0; t < VERTICES - 2; t++)
        test_append(&text, "tri %d %d %d %d\n", t, t, t + 1 + t % 2, t + 2 - t % 2);
    test_append(&text, "numweights %d\n", 2 * VERTICES);
    for (int w = 0; w < 2 * VERTICES; w++) {
        const int joint = (w / 2 + w % 2) % JOINTS;
        const double *const p = points->point[w / 2];
        test_append(&text, "weight %d %d %g ( %.9g %.9g %.9g )\n", w, joint, w % 2 ? 0.25 : 0.75,
                    p[0] - joint, p[1] - 2 * joint, p[2] + joint);
    }
    test_append(&text, "}\n");
    md5_error error = {0};
    md5_model *const model = md5_parse_model(text.bytes, text.used, opts, &error);
    CHECK_DONE(model, error);
    return model;
}

typedef struct morph_scene {
    model_points base;
    model_points targets[TARGETS];
    md5_model *model;
    md5_model *sources[TARGETS];
    md5_morph *morph;
} morph_scene;

// Creates a model with random points and morph targets that displace every third point.
static void open_scene(morph_scene *scene, const md5_load_opts *opts)
{
    STRINGS(names) = {"smile", "frown", "blink"};
    uint64_t random = 17;
    md5_morph_source sources[TARGETS];
    md5_error error = {0};
    for (int v = 0; v < VERTICES; v++) {
        for (int k = 0; k < 3; k++)
            scene->base.point[v][k] = 20 * test_random(&random) - 10;
    }
    scene->model = load(&scene->base, opts);
    for (int i = 0; i < TARGETS; i++) {
        // Displace every third vertex of the base, beginning with `first`.
        int first = i % 2;
        model_points *target = &scene->targets[i];
        *target = scene->base;
        for (int v = first; v < VERTICES; v += 3) {
            for (int k = 0; k < 3; k++)
                target->point[v][k] += 2 * test_random(&random) - 1;
        }

        scene->sources[i] = load(&scene->targets[i], opts);
        sources[i] = (md5_morph_source){.name = names[i], .model = scene->sources[i]};
    }
    scene->morph = md5_create_morph(scene->model, sources, TARGETS, NULL, &error);
    CHECK_DONE(scene->morph, error);
}

static void close_scene(morph_scene *scene)
{
    md5_destroy_morph(scene->morph);
    md5_free_model(scene->model);
    for (int i = 0; i < TARGETS; i++)
        md5_free_model(scene->sources[i]);
}

// -- Bind poses -------------------------------------------------------------------------------

static const float blends[][TARGETS] = {
    {1, 0, 0}, {0, 0.5f, 0}, {0.25f, 0.5f, 0.75f}, {-1, 2, 0.3f}, {0, 0, 3}};

static md5_vec3 xyz(md5_vec4 v)
{
    return (md5_vec3){v.x, v.y, v.z};
}

static real3 file_point(const double point[3])
{
    return (real3){point[0], point[1], point[2]};
}

// Returns the blend of the points in the files, computed in doubles. The drawn vertices are the
// vertices of the file, followed by copies of some of them.
static real3 blended_point(const morph_scene *scene, const float *weights, uint32_t vertex)
{
    const uint32_t v = scene->model->meshes[0].sources[vertex];
    const real3 base = file_point(scene->base.point[v]);
    real3 sum = base;
    for (int i = 0; i < TARGETS; i++)
        sum = real3_add(
            sum, real3_scale(real3_sub(file_point(scene->targets[i].point[v]), base), weights[i]));
    return sum;
}

static real3 normal_or_tangent(const md5_mesh *mesh, uint32_t vertex, bool tangent)
{
    return to_real3(tangent ? xyz(mesh->tangents[vertex]) : mesh->normals[vertex]);
}

// Returns the direction of the base plus the weighted differences of the sources, in doubles.
static real3 sum_direction(const morph_scene *scene, const float *weights, uint32_t vertex,
                           bool tangent)
{
    const real3 base = normal_or_tangent(&scene->model->meshes[0], vertex, tangent);
    real3 sum = base;
    for (int i = 0; i < TARGETS; i++) {
        const real3 source = normal_or_tangent(&scene->sources[i]->meshes[0], vertex, tangent);
        sum = real3_add(sum, real3_scale(real3_sub(source, base), weights[i]));
    }
    return sum;
}

static real3 blended_direction(const morph_scene *scene, const float *weights, uint32_t vertex,
                               bool tangent)
{
    const real3 normal = real3_unit(sum_direction(scene, weights, vertex, false));
    if (!tangent)
        return normal;
    const real3 sum = sum_direction(scene, weights, vertex, true);
    return real3_unit(real3_sub(sum, real3_scale(normal, real3_dot(sum, normal))));
}

// A skinned mesh.
typedef struct skinned {
    md5_vec3 positions[2 * VERTICES];
    md5_vec3 normals[2 * VERTICES];
    md5_vec4 tangents[2 * VERTICES];
} skinned;

static void skin_scene(const morph_scene *scene, const float *weights, const md5_mat34 *palette,
                       const md5_dual_quat *duals, skinned *out)
{
    skin_with_morph(scene->morph, 0, weights, palette, duals, out->positions, out->normals,
                    out->tangents);
}

static void check_near(const skinned *found, const md5_vec3 *positions, const md5_vec3 *normals,
                       const md5_vec4 *tangents, uint32_t count, double max_distance,
                       double max_direction_error)
{
    for (uint32_t v = 0; v < count; v++) {
        CHECK_SMALL(real_distance(positions[v], found->positions[v]), max_distance);
        CHECK_SMALL(real_distance(normals[v], found->normals[v]), max_direction_error);
        CHECK_SMALL(real_distance(xyz(tangents[v]), xyz(found->tangents[v])), max_direction_error);
    }
}

#define TEST_HERE(title) \
    TEST_WITH (title, morph_scene, scene, open_scene(scene, NULL), close_scene(scene))

static void check_bind_poses(const morph_scene *scene)
{
    if (scene->morph) {
        for (size_t i = 0; i < COUNT_OF(blends); i++) {
            const float *weights = blends[i];
            static skinned at;
            const md5_mesh *const mesh = &scene->model->meshes[0];
            skin_scene(scene, weights, NULL, NULL, &at);
            for (uint32_t j = 0; j < mesh->num_vertices; j++) {
                const real3 point = blended_point(scene, weights, j);
                const real3 normal = blended_direction(scene, weights, j, false);
                const real3 tangent = blended_direction(scene, weights, j, true);
                CHECK_SMALL(real3_distance(point, to_real3(at.positions[j])), 1e-5);
                CHECK_SMALL(real3_distance(normal, to_real3(at.normals[j])), 1e-5);
                CHECK_SMALL(real3_distance(tangent, to_real3(xyz(at.tangents[j]))), 1e-5);
                CHECK(at.tangents[j].w == mesh->tangents[j].w);
            }
        }
    }
}

TEST_HERE (morph_blends_bind_poses) {
    check_bind_poses(scene);
}

TEST_WITH (morph_follows_the_order_of_grouped_vertices, morph_scene, scene,
           open_scene(scene, &(md5_load_opts){.group_vertices = true}), close_scene(scene)) {
    const md5_mesh *const mesh = &scene->model->meshes[0];
    uint32_t num_moved = 0;
    for (uint32_t v = 0; v < mesh->num_file_vertices; v++)
        num_moved += mesh->sources[v] != v;
    CHECK(num_moved > 0);
    check_bind_poses(scene);
}

TEST_HERE (morph_is_exact_at_0_and_1) {
    static skinned at;
    const md5_mesh *const mesh = &scene->model->meshes[0];
    const float none[TARGETS] = {0, 0, 0};
    skin_scene(scene, none, NULL, NULL, &at);
    CHECK_BYTES(at.positions, mesh->positions, mesh->num_vertices * sizeof *at.positions);
    CHECK_BYTES(at.normals, mesh->normals, mesh->num_vertices * sizeof *at.normals);
    CHECK_BYTES(at.tangents, mesh->tangents, mesh->num_vertices * sizeof *at.tangents);
    for (int i = 0; i < TARGETS; i++) {
        const md5_mesh *const target = &scene->sources[i]->meshes[0];
        float weights[TARGETS] = {0, 0, 0};
        weights[i] = 1;
        skin_scene(scene, weights, NULL, NULL, &at);
        // The tolerance covers two roundings of coordinates up to 11, each with an error of 5e-7.
        check_near(&at, target->positions, target->normals, target->tangents, mesh->num_vertices,
                   4e-6, 1e-6);
    }
}

// -- Skinning ---------------------------------------------------------------------------------

static void make_palette(md5_mat34 *palette, uint64_t *random)
{
    for (int j = 0; j < JOINTS; j++) {
        md5_xform transform = {.rotation = {(float)test_random(random), 0.3f, -0.2f, 0.8f}};
        const float length = sqrtf(transform.rotation.x * transform.rotation.x + 0.77f);
        transform.rotation.x /= length;
        transform.rotation.y /= length;
        transform.rotation.z /= length;
        transform.rotation.w /= length;
        transform.translation = (md5_vec3){(float)(9 * test_random(random)), (float)j, -2};
        palette[j] = md5_mat34_from_xform(transform);
    }
}

TEST_HERE (morph_is_blended_before_skinning) {
    uint64_t random = 4;
    if (scene->morph) {
        for (size_t i = 0; i < COUNT_OF(blends); i++) {
            md5_mat34 palette[JOINTS];
            make_palette(palette, &random);
            const float *weights = blends[i];
            static skinned at;
            const md5_mesh *const mesh = &scene->model->meshes[0];
            skin_scene(scene, weights, palette, NULL, &at);
            for (uint32_t j = 0; j < mesh->num_vertices; j++) {
                const uint32_t v = mesh->sources[j];
                const real3 bind[3] = {blended_point(scene, weights, j),
                                       blended_direction(scene, weights, j, false),
                                       blended_direction(scene, weights, j, true)};
                real3 out[3];
                for (int k = 0; k < 3; k++) {
                    const md5_mat34 *const first = &palette[v % JOINTS],
                                           *const next_joint = &palette[(v + 1) % JOINTS];
                    const real3 sum =
                        real3_add(real3_scale(real3_transform(first, bind[k], k == 0), 0.75),
                                  real3_scale(real3_transform(next_joint, bind[k], k == 0), 0.25));
                    out[k] = k == 0 ? sum : real3_unit(sum);
                }
                CHECK_SMALL(real3_distance(out[0], to_real3(at.positions[j])), 2e-5);
                CHECK_SMALL(real3_distance(out[1], to_real3(at.normals[j])), 1e-5);
                CHECK_SMALL(real3_distance(out[2], to_real3(xyz(at.tangents[j]))), 1e-5);
            }
        }
    }
}

// Passes each item to a different worker, in descending order, like a thread pool could do.
static void run_backwards(void *pool, size_t count, md5_range_fn *range, void *user)
{
    (void)pool;
    for (size_t i = count; i-- > 0;)
        range(user, (uint32_t)(i % 3), i, i + 1);
}

// A range or a list of vertices, strided, on threads, has the bits of the whole mesh, by a palette,
// by dual quaternions and in the bind pose, with and without targets; nothing else is written.
TEST_HERE (skinned_parts_have_the_bits_of_the_whole) {
    enum { KINDS = 6, PARTS = 2, FIRST = 7, COUNT = 23 };
    typedef struct placed {
        md5_vec3 position, normal;
        md5_vec4 tangent;
        float padding;
    } placed;
    uint64_t random = 12;
    md5_mat34 palette[JOINTS];
    md5_dual_quat dual[JOINTS];
    static md5_vec3 at[2 * VERTICES], normals[2 * VERTICES];
    static md5_vec4 tangents[2 * VERTICES];
    make_palette(palette, &random);
    md5_build_dual_palette(palette, JOINTS, dual);
    const md5_mesh *const mesh = &scene->model->meshes[0];
    const md5_threads threads = {.run = run_backwards, .num_workers = 3};
    uint32_t list[COUNT];
    for (int i = 0; i < COUNT; i++)
        list[i] = test_random_u32(&random) % mesh->num_vertices;
    placed parts[PARTS][COUNT + 1];
    if (scene->morph) {
        for (int kind = 0; kind < KINDS; kind++) {
            const md5_skin_job full_job = {.mesh = mesh,
                                           .palette = kind / 2 == 1 ? palette : NULL,
                                           .duals = kind / 2 == 2 ? dual : NULL,
                                           .morph = kind % 2 ? scene->morph : NULL,
                                           .morph_weights = blends[2],
                                           .positions = at,
                                           .normals = normals,
                                           .tangents = tangents};
            md5_skin_job jobs[PARTS];
            memset(parts, 0x5a, sizeof parts);
            for (int i = 0; i < PARTS; i++) {
                jobs[i] = full_job;
                jobs[i].vertices = i == 0 ? NULL : list;
                jobs[i].first = FIRST;
                jobs[i].count = COUNT;
                jobs[i].positions = &parts[i]->position;
                jobs[i].normals = &parts[i]->normal;
                jobs[i].tangents = &parts[i]->tangent;
                jobs[i].position_stride = jobs[i].normal_stride = jobs[i].tangent_stride =
                    sizeof(placed);
            }
            md5_skin_one(&full_job);
            md5_skin_batch(jobs, PARTS, &threads);
            for (int i = 0; i < PARTS; i++) {
                for (uint32_t k = 0; k < COUNT; k++) {
                    const uint32_t vertex = i == 0 ? FIRST + k : list[k];
                    const placed *const part = &parts[i][k];
                    CHECK_BYTES(&part->position, &at[vertex], sizeof part->position);
                    CHECK_BYTES(&part->normal, &normals[vertex], sizeof part->normal);
                    CHECK_BYTES(&part->tangent, &tangents[vertex], sizeof part->tangent);
                    CHECK_BYTES(&part->padding, &parts[i][COUNT], sizeof part->padding);
                }
                CHECK_BYTES(&parts[i][COUNT], &parts[1 - i][COUNT], sizeof(placed));
            }
        }
    }
}

// Dual quaternions move a vertex by one rigid motion, so a target of weight 1 gives what
// md5_skin_batch() gives for the model of the target itself.
TEST_HERE (morph_with_dual_quaternions_equals_the_skinned_target) {
    uint64_t random = 9;
    md5_mat34 palette[JOINTS];
    md5_dual_quat dual[JOINTS];
    static skinned found, expected;
    make_palette(palette, &random);
    md5_build_dual_palette(palette, JOINTS, dual);
    if (scene->morph) {
        for (int i = 0; i < TARGETS; i++) {
            float weights[TARGETS] = {0, 0, 0};
            weights[i] = 1;
            skin_scene(scene, weights, NULL, dual, &found);
            skin_by_duals(&scene->sources[i]->meshes[0], dual, expected.positions, expected.normals,
                          expected.tangents);
            check_near(&found, expected.positions, expected.normals, expected.tangents,
                       scene->model->meshes[0].num_vertices, 2e-5, 1e-5);
        }
    }
}

// -- What is stored ---------------------------------------------------------------------------

TEST_HERE (morph_stores_only_differences) {
    const md5_morph *const morph = scene->morph;
    if (CHECK(morph)) {
        CHECK_UINT(morph->num_targets, TARGETS);
        CHECK_STRING(morph->targets[1].name, "frown");
        CHECK(md5_find_morph_target(morph, "blink") == 2);
        CHECK(md5_find_morph_target(morph, "Blink") == MD5_NONE);
        CHECK(md5_find_morph_target(morph, NULL) == MD5_NONE);
        const md5_morph_mesh *const mesh = &morph->meshes[0];
        CHECK_UINT(mesh->first[0], 0);
        CHECK_UINT(mesh->first[mesh->num_vertices], mesh->num_deltas);
        uint32_t counted[TARGETS] = {0};
        for (uint32_t i = 0; i < mesh->num_vertices; i++) {
            CHECK(i == 0 || mesh->vertices[i - 1] < mesh->vertices[i]);
            CHECK(mesh->first[i] < mesh->first[i + 1]);
            for (uint32_t k = mesh->first[i]; k < mesh->first[i + 1]; k++) {
                CHECK(k == mesh->first[i] || mesh->deltas[k - 1].target < mesh->deltas[k].target);
                counted[mesh->deltas[k].target]++;
            }
        }
        for (int i = 0; i < TARGETS; i++) {
            double reach = 0;
            for (int v = 0; v < VERTICES; v++) {
                real_update_max(&reach, real3_distance(file_point(scene->targets[i].point[v]),
                                                       file_point(scene->base.point[v])));
            }
            CHECK_UINT(morph->targets[i].num_vertices, counted[i]);
            CHECK_NEAR(morph->targets[i].reach, reach, 1e-5);
        }
    }
    // A target that is the model itself and an empty list of targets change nothing.
    const md5_morph_source same[] = {{.name = "same", .model = scene->model}};
    md5_morph *const none = md5_create_morph(scene->model, same, 1, NULL, NULL);
    CHECK(none && none->meshes[0].num_vertices == 0 && none->targets[0].reach == 0);
    md5_destroy_morph(none);
    SCOPED_MORPH empty = md5_create_morph(scene->model, NULL, 0, NULL, NULL);
    CHECK(empty && empty->num_targets == 0 && empty->meshes[0].num_deltas == 0);
}

// The options of the load convert the model and the targets, so a blend is the converted blend of
// id's axes.
TEST (morph_follows_the_options_of_the_load) {
    const md5_load_opts opts = {.axes = MD5_AXES_Y_UP, .scale = 0.5f, .flip_v = true};
    const md5_load_opts bare = {.skip_geometry = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS};
    morph_scene plain, converted, without;
    open_scene(&plain, NULL);
    open_scene(&converted, &opts);
    open_scene(&without, &bare);
    const md5_mat34 to = md5_mat34_from_axes(opts.axes, opts.scale);
    static md5_vec3 a[2 * VERTICES], b[2 * VERTICES], c[2 * VERTICES];
    static md5_vec4 unwritten[2 * VERTICES];
    if (CHECK(plain.morph && converted.morph && without.morph)) {
        skin_with_morph(plain.morph, 0, blends[2], NULL, NULL, a, NULL, NULL);
        skin_with_morph(converted.morph, 0, blends[2], NULL, NULL, b, NULL, NULL);
        double max_distance = 0;
        for (int i = 0; i < VERTICES; i++) {
            real_update_max(&max_distance, real_distance(md5_mat34_point(to, a[i]), b[i]));
        }
        CHECK_SMALL(max_distance, 1e-5);
        md5_mat34 palette[JOINTS];
        uint64_t random = 8;
        make_palette(palette, &random);
        unwritten[0] = (md5_vec4){9, 9, 9, 9};
        skin_with_morph(without.morph, 0, blends[2], palette, NULL, c, NULL, unwritten);
        CHECK(unwritten[0].x == 9);
        skin_with_morph(plain.morph, 0, blends[2], palette, NULL, a, NULL, NULL);
        max_distance = 0;
        for (int i = 0; i < VERTICES; i++)
            real_update_max(&max_distance, real_distance(a[i], c[i]));
        CHECK_SMALL(max_distance, 1e-5);
        // A target that was loaded with other axes and a target without tangents are rejected.
        md5_error error = {0};
        const md5_morph_source wrong[] = {{.name = "turned", .model = converted.sources[0]},
                                          {.name = "bare", .model = without.sources[0]}};
        CHECK(md5_create_morph(plain.model, wrong, 1, NULL, &error) == NULL);
        CHECK_STRING(error.message, "morph target 'turned': axes differ from the model; "
                                    "load both with the same options");
        CHECK_FAILS(md5_create_morph(plain.model, wrong + 1, 1, NULL, &error), error,
                    MD5_ERROR_MISMATCH);
    }
    close_scene(&plain);
    close_scene(&converted);
    close_scene(&without);
}

// -- Topology ---------------------------------------------------------------------------------

static const char head[] = "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {\n"
                           "\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"b\" 0 ( 4 0 0 ) ( 0 0 0 )\n}\n";
static const char quad[] =
    "mesh {\n// meshes: face\nshader \"one\"\nnumverts 4\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\n"
    "vert 2 ( 0 1 ) 2 1\nvert 3 ( 1 1 ) 3 1\nnumtris 2\ntri 0 0 1 2\ntri 1 2 1 3\nnumweights 4\n"
    "weight 0 0 1 ( 0 0 0 )\nweight 1 0 1 ( 0 4 0 )\nweight 2 0 1 ( 0 0 4 )\n"
    "weight 3 1 1 ( 0 4 4 )\n}\n";

typedef struct topology_case {
    const char *find; // text that is replaced
    const char *put;  // replacement
    const char *message;
} topology_case;

static const topology_case topology_cases[] = {
    {"\"b\" 0", "\"c\" 0", "morph target 't': wrong name of joint 1: expected 'b', found 'c'"},
    {"\"b\" 0", "\"b\" -1",
     "morph target 't': wrong parent of joint 1 'b': expected 'a', found no parent"},
    {"numJoints 2\nnumMeshes 1\njoints {\n\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n",
     "numJoints 3\nnumMeshes 1\njoints {\n\"z\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
     "\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n",
     "morph target 't': wrong number of joints: expected 2, found 3"},
    {"numverts 4\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1\n",
     "numverts 5\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1\nvert 4 ( 0 1 ) 2 1\n",
     "morph target 't' does not match mesh 0 'face': wrong numverts: expected 4, found 5"},
    {"numtris 2\ntri 0 0 1 2\ntri 1 2 1 3\n", "numtris 1\ntri 0 0 1 2\n",
     "morph target 't' does not match mesh 0 'face': wrong numtris: expected 2, found 1"},
    {"tri 1 2 1 3", "tri 1 1 3 2",
     "morph target 't': mesh 0: wrong vertex 0 of triangle 1: expected index 2, found 1"},
    // The second triangle is mirrored: its corners 1 and 2 are copied.
    {"vert 3 ( 1 1 )", "vert 3 ( -1 -1 )",
     "morph target 't' does not match mesh 0 'face': wrong number of drawn vertices with copies at "
     "mirror seams: expected 4, found 6"},
};

static md5_model *replaced(const char *find, const char *put)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", head, quad);
    const char *const at = strstr(text, find);
    char full_text[2048];
    snprintf(full_text, sizeof full_text, "%.*s%s%s", (int)(at - text), text, put,
             at + strlen(find));
    md5_error error = {0};
    md5_model *const model = text_model(full_text, &error);
    CHECK_DONE(model, error);
    return model;
}

TEST (morph_reports_differences_in_topology) {
    md5_error error = {0};
    SCOPED_MODEL model = replaced("", "");
    for (size_t i = 0; i < COUNT_OF(topology_cases); i++) {
        const topology_case *const topology = &topology_cases[i];
        SCOPED_MODEL source = replaced(topology->find, topology->put);
        const md5_morph_source target = {.name = "t", .model = source};
        CHECK_FAILS(md5_create_morph(model, &target, 1, NULL, &error), error, MD5_ERROR_MISMATCH);
        CHECK_STRING(error.message, topology->message);
    }
    char text[2048];
    snprintf(text, sizeof text, "%s", head);
    memcpy(strstr(text, "numMeshes 1"), "numMeshes 0", 11);
    md5_model *const bare = text_model(text, &error);
    const md5_morph_source none = {.name = "none", .model = bare};
    CHECK(md5_create_morph(model, &none, 1, NULL, &error) == NULL);
    CHECK_STRING(error.message, "morph target 'none': wrong number of meshes: expected 1, found 0");
    md5_free_model(bare);
    md5_release_geometry(model);
    SCOPED_MODEL source = replaced("", "");
    const md5_morph_source target = {.name = "t", .model = source};
    CHECK(md5_create_morph(model, &target, 1, NULL, &error) == NULL);
    CHECK_STRING(error.message,
                 "morph target 't': geometry of the model was released; load the model again");
    md5_destroy_morph(NULL);
}

// Deltas in the opposite direction cancel the direction out. The direction of the model is then
// used.
TEST (morph_keeps_directions_that_cancel_out) {
    SCOPED_MODEL model = replaced("", "");
    SCOPED_MODEL inverted =
        replaced("numtris 2\ntri 0 0 1 2\ntri 1 2 1 3\n", "numtris 2\ntri 0 0 1 2\ntri 1 2 1 3\n");
    // The same square seen from the other side: all normals are reversed.
    md5_vec3 *const normals = (md5_vec3 *)(uintptr_t)inverted->meshes[0].normals;
    for (int i = 0; i < 4; i++)
        normals[i] = (md5_vec3){-normals[i].x, -normals[i].y, -normals[i].z};
    const md5_morph_source target = {.name = "inside out", .model = inverted};
    SCOPED_MORPH morph = md5_create_morph(model, &target, 1, NULL, NULL);
    md5_vec3 at[4];
    md5_vec3 out[4];
    const float half = 0.5f;
    if (CHECK(morph)) {
        skin_with_morph(morph, 0, &half, NULL, NULL, at, out, NULL);
        for (int i = 0; i < 4; i++)
            CHECK(out[i].x == model->meshes[0].normals[i].x);
    }
}

TEST_HERE (morph_survives_failure_of_every_allocation) {
    const md5_morph_source source = {.name = "smile", .model = scene->sources[0]};
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_MORPH morph =
            md5_create_morph(scene->model, &source, 1, &failure.opts, &failure.error);
        CHECK_FAILURE(failure, morph);
    }
}

// -- The caller's errors ----------------------------------------------------------------------

#if !defined(NDEBUG)
static void weigh_with(const md5_morph *morph, float weight)
{
    static md5_vec3 at[2 * VERTICES];
    const float weights[TARGETS] = {0, weight, 0};
    skin_with_morph(morph, 0, weights, NULL, NULL, at, NULL, NULL);
}

// Invalid arguments of a caller stop debug builds with a message that names the argument.
TEST_HERE (morph_ends_with_the_callers_errors) {
    MISUSE("morph_weights: must be finite", weigh_with(scene->morph, NAN));
    MISUSE("morph_weights: must be finite", weigh_with(scene->morph, INFINITY));
    MISUSE("must be a mesh of the morph's model", {
        md5_vec3 at;
        const float weights[TARGETS] = {0, 0, 0};
        const md5_mesh stray = {.num_vertices = 1, .first_influence = &(uint32_t){0}};
        const md5_skin_job job = {
            .mesh = &stray, .morph = scene->morph, .morph_weights = weights, .positions = &at};
        md5_skin_one(&job);
    });
    MISUSE("morph_weights: must not be NULL", {
        md5_vec3 at;
        skin_with_morph(scene->morph, 0, test_null(), NULL, NULL, &at, NULL, NULL);
    });
    MISUSE("sources: must have names", {
        const md5_morph_source source = {.name = test_null(), .model = scene->model};
        md5_create_morph(scene->model, &source, 1, NULL, NULL);
    });
}
#endif
