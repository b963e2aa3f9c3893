// md5_skin() against the sum that the format defines; the construction of test meshes; equal
// points.
#include "test/scoped.h"
#include "test/real.h"
#include "test/skin/generated_mesh.h"
#include "test/skin/skin_jobs.h"

#include "md5/skin/kernels.h"
#include "md5/skin/tangents.h"

// -- Making -----------------------------------------------------------------------------------

struct mesh_memory {
    md5_context context;
    md5_arena arena;
};

static bool derive(generated_mesh *generated, md5_arena *scratch, const mesh_source *source,
                   uint32_t num_joints)
{
    struct mesh_memory *const memory = generated->memory;
    md5_mesh_build build = {
        .num_file_vertices = source->num_vertices,
        .num_weights = source->num_weights,
        .num_triangles = source->num_triangles,
        .file_vertices = (md5_vertex *)source->vertices,
        .weights = (md5_weight *)source->weights,
        .indices = (uint32_t *)source->triangles,
        .texcoords = (md5_vec2 *)source->texcoords,
    };
    TRY(md5i_measure_with_seams(scratch, &build));
    const size_t vertices = build.num_vertices;
    const size_t influences = build.num_influences;
    const md5_mesh_joints joints = {
        num_joints, source->bind,
        md5i_arena_alloc_zeroed(&memory->arena, num_joints, sizeof *joints.scratch)};
    TRY(joints.scratch);
#define MAKE(array, count) \
    TRY(build.array = md5i_arena_alloc_zeroed(&memory->arena, count, sizeof *build.array))
    MAKE(indices, 3 * (size_t)source->num_triangles);
    MAKE(sources, vertices);
    MAKE(texcoords, vertices);
    MAKE(positions, vertices);
    MAKE(normals, vertices);
    MAKE(tangents, vertices);
    MAKE(first_influence, vertices + 1);
    MAKE(influence_joints, influences);
    MAKE(influences, influences);
#undef MAKE
    if (source->num_triangles > 0)
        memcpy(build.indices, source->triangles,
               3 * (size_t)source->num_triangles * sizeof *build.indices);
    if (source->num_vertices > 0)
        memcpy(build.texcoords, source->texcoords, source->num_vertices * sizeof *build.texcoords);
    TRY(md5i_build_with_tangents(scratch, &joints, &build));
    generated->mesh = (md5_mesh){
        .num_file_vertices = source->num_vertices,
        .num_weights = source->num_weights,
        .file_vertices = source->vertices,
        .weights = source->weights,
        .num_vertices = build.num_vertices,
        .num_triangles = source->num_triangles,
        .indices = build.indices,
        .sources = build.sources,
        .texcoords = build.texcoords,
        .positions = build.positions,
        .normals = build.normals,
        .tangents = build.tangents,
        .first_influence = build.first_influence,
        .influence_joints = build.influence_joints,
        .influences = build.influences,
    };
    md5i_geometry_summarize(&generated->mesh);
    return md5i_skin_plan_build(&memory->context, &generated->mesh, &generated->mesh.skin_plan);
}

bool build_generated_mesh(generated_mesh *generated, const mesh_source *source, uint32_t num_joints,
                          const md5_load_opts *opts)
{
    memset(generated, 0, sizeof *generated);
    struct mesh_memory *const memory = test_calloc(1, sizeof *memory);
    generated->memory = memory;
    md5i_context_begin(&memory->context, opts, NULL, &generated->error);
    memory->arena.context = &memory->context;
    md5_arena scratch = {.context = &memory->context};
    const bool is_derived = derive(generated, &scratch, source, num_joints);
    md5i_arena_free(&scratch);
    TRY(is_derived);
    generated->model.skeleton.num_joints = num_joints;
    generated->model.bind = source->bind;
    generated->model.num_meshes = 1;
    generated->model.meshes = &generated->mesh;
    return true;
}

void free_generated_mesh(generated_mesh *generated)
{
    md5i_skin_plan_free(&generated->memory->context.allocator, generated->mesh.skin_plan);
    md5i_arena_free(&generated->memory->arena);
    free(generated->memory);
}

mesh_source single_vertex_source(md5_vertex *vertex, const md5_weight *weights,
                                 uint32_t num_weights, const md5_mat34 *bind)
{
    static const md5_vec2 texcoord;
    *vertex = (md5_vertex){0, num_weights};
    return (mesh_source){
        .num_vertices = 1,
        .num_weights = num_weights,
        .vertices = vertex,
        .texcoords = &texcoord,
        .weights = weights,
        .bind = bind,
    };
}

// Shoemake, "Uniform random rotations", Graphics Gems III, 1992.
md5_quat random_quat(uint64_t *random)
{
    const double tau = 6.283185307179586;
    const double part = test_random(random);
    const double a = tau * test_random(random);
    const double b = tau * test_random(random);
    const double r0 = sqrt(1 - part);
    const double r1 = sqrt(part);
    return (md5_quat){(float)(r0 * sin(a)), (float)(r0 * cos(a)), (float)(r1 * sin(b)),
                      (float)(r1 * cos(b))};
}

void random_joints(md5_mat34 *joints, uint32_t num_joints, double size, uint64_t *random)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_quat rotation = random_quat(random);
        const float extent = (float)size;
        const md5_vec3 position = {test_betweenf(-extent, extent, random),
                                   test_betweenf(-extent, extent, random),
                                   test_betweenf(-extent, extent, random)};
        joints[i] = md5_mat34_from_xform((md5_xform){rotation, position, 0});
    }
}

// -- A patch of cloth on many joints ------------------------------------------------------------

enum { JOINTS = 16, SIDE = 20, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };
enum { MAX_WEIGHTS = 14 };

// A mesh whose vertices have 0 to 14 weights with any bias, on joints that may repeat. Its texture
// is mirrored in the middle.
typedef struct cloth_patch {
    md5_mat34 bind[JOINTS];
    md5_mat34 posed[JOINTS];
    md5_mat34 palette[JOINTS];
    md5_vertex vertices[VERTICES];
    md5_vec2 texcoords[VERTICES];
    uint32_t triangles[3 * TRIANGLES];
    md5_weight weights[VERTICES * MAX_WEIGHTS];
    mesh_source source;
} cloth_patch;

static md5_mat34 inverse(const md5_mat34 *a)
{
    const float *m = a->m;
    md5_mat34 back;
    for (int row = 0; row < 3; row++) {
        double moved = 0;
        for (int column = 0; column < 3; column++) {
            back.m[4 * row + column] = m[4 * column + row];
            moved -= (double)m[4 * column + row] * m[4 * column + 3];
        }
        back.m[4 * row + 3] = (float)moved;
    }
    return back;
}

// Every vertex has n weights of 1 / n at one point. `oddness` modifies them.
static void make_patch(cloth_patch *patch, uint32_t min_weights, uint32_t max_weights,
                       double oddness, uint64_t *random)
{
    random_joints(patch->bind, JOINTS, 20, random);
    random_joints(patch->posed, JOINTS, 20, random);
    for (int i = 0; i < JOINTS; i++) {
        const md5_mat34 back = inverse(&patch->bind[i]);
        patch->palette[i] = md5_mat34_mul(patch->posed[i], back);
    }
    uint32_t *next = patch->triangles;
    for (uint32_t y = 0; y + 1 < SIDE; y++) {
        for (uint32_t x = 0; x + 1 < SIDE; x++) {
            const uint32_t a = SIDE * y + x;
            const uint32_t b = a + 1;
            const uint32_t c = a + SIDE;
            const uint32_t d = c + 1;
            const uint32_t corners[6] = {a, c, b, b, c, d};
            memcpy(next, corners, sizeof corners);
            next += 6;
        }
    }
    uint32_t used = 0;
    for (int i = 0; i < VERTICES; i++) {
        const float x = (float)(i % SIDE);
        const float y = (float)(i / SIDE);
        const md5_vec3 point = {x, y, 3 * (float)test_random(random)};
        const uint32_t count =
            min_weights + test_random_u32(random) % (max_weights - min_weights + 1);
        patch->texcoords[i] = (md5_vec2){fabsf(x - SIDE / 2), y};
        patch->vertices[i] = (md5_vertex){used, count};
        for (uint32_t k = 0; k < count; k++) {
            md5_weight *weight = &patch->weights[used++];
            weight->joint = test_random_u32(random) % JOINTS;
            const md5_mat34 back = inverse(&patch->bind[weight->joint]);
            weight->offset = md5_mat34_point(back, point);
            weight->offset.x += (float)(oddness * test_random(random));
            weight->bias = (float)(1.0 / count + oddness * (test_random(random) - 0.5));
        }
    }
    patch->source = (mesh_source){
        .num_vertices = VERTICES,
        .num_triangles = TRIANGLES,
        .num_weights = used,
        .vertices = patch->vertices,
        .texcoords = patch->texcoords,
        .triangles = patch->triangles,
        .weights = patch->weights,
        .bind = patch->bind,
    };
}

// A patch, and the mesh that is built of it, until the end of the block.
#define BUILD_PATCH(generated, patch, seed, ...)       \
    SCOPED_ARRAY(cloth_patch, patch, 1);               \
    make_patch(patch, __VA_ARGS__, &(uint64_t){seed}); \
    SCOPED_MESH generated;                             \
    REQUIRE(build_generated_mesh(&(generated), &(patch)->source, JOINTS, NULL))

// -- The sums that the format defines, in doubles -------------------------------------------------

// Returns the sum of bias * J * offset over the weights in the file, where J is the matrix of the
// posed joint.
static real3 expected_position(const cloth_patch *patch, uint32_t file_vertex)
{
    const md5_vertex vertex = patch->vertices[file_vertex];
    real3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < vertex.num_weights; i++) {
        const md5_weight *weight = &patch->weights[vertex.first_weight + i];
        const real3 position =
            real3_transform(&patch->posed[weight->joint], to_real3(weight->offset), 1);
        sum = real3_add(sum, real3_scale(position, weight->bias));
    }
    return sum;
}

// Returns the unit vector of the sum of bias * (posed rotation * transposed bind rotation) *
// direction. Writes the length of the sum to *length.
static real3 expected_direction(const cloth_patch *patch, uint32_t file_vertex, md5_vec3 bind,
                                double *length)
{
    const md5_vertex vertex = patch->vertices[file_vertex];
    real3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < vertex.num_weights; i++) {
        const md5_weight *weight = &patch->weights[vertex.first_weight + i];
        const md5_mat34 back = inverse(&patch->bind[weight->joint]);
        const real3 local = real3_transform(&back, to_real3(bind), 0);
        const real3 rotated = real3_transform(&patch->posed[weight->joint], local, 0);
        sum = real3_add(sum, real3_scale(rotated, weight->bias));
    }
    *length = real3_length(sum);
    return real3_unit(sum);
}

TEST (skin_is_the_sum_over_the_weights_of_the_file) {
    SCOPED_ARRAY(cloth_patch, patch, 1);
    uint64_t random = 19;
    static const uint32_t max_weights[] = {1, 2, 4, MAX_WEIGHTS};
    static const double oddness[] = {0, 0.7};
    for (uint32_t round = 0; round < 8; round++) {
        make_patch(patch, round % 2, max_weights[round % 4], oddness[round / 4], &random);
        SCOPED_MESH generated;
        if (CHECK(build_generated_mesh(&generated, &patch->source, JOINTS, NULL))) {
            CHECK_UINT(generated.mesh.num_vertices, VERTICES + SIDE);
            const md5_mesh *mesh = &generated.mesh;
            SCOPED_ARRAY(md5_vec3, positions, mesh->num_vertices);
            SCOPED_ARRAY(md5_vec3, normals, mesh->num_vertices);
            SCOPED_ARRAY(md5_vec4, tangents, mesh->num_vertices);
            md5_skin(mesh, patch->palette, positions, normals, tangents);
            for (uint32_t i = 0; i < mesh->num_vertices; i++) {
                const uint32_t source = mesh->sources[i];
                CHECK_SMALL(
                    real3_distance(to_real3(positions[i]), expected_position(patch, source)),
                    3e-6 * 60.0);
                if (patch->vertices[source].num_weights == 0) {
                    CHECK_BYTES(&normals[i], &mesh->normals[i], sizeof normals[i]);
                    CHECK_BYTES(&tangents[i], &mesh->tangents[i], sizeof tangents[i]);
                    continue;
                }
                const md5_vec4 bind = mesh->tangents[i];
                const md5_vec3 tangent = {tangents[i].x, tangents[i].y, tangents[i].z};
                double length;
                real3 rotated = expected_direction(patch, source, mesh->normals[i], &length);
                CHECK_SMALL(real3_distance(to_real3(normals[i]), rotated), 2e-6 / length);
                rotated =
                    expected_direction(patch, source, (md5_vec3){bind.x, bind.y, bind.z}, &length);
                CHECK_SMALL(real3_distance(to_real3(tangent), rotated), 2e-6 / length);
                CHECK(tangents[i].w == bind.w);
            }
        }
    }
}

TEST (skin_writes_the_same_bits_with_and_without_other_arrays) {
    BUILD_PATCH(generated, patch, 23, 0, 6, 0.3);
    const size_t count = generated.mesh.num_vertices;
    SCOPED_ARRAY(md5_vec3, positions, 4 * count);
    SCOPED_ARRAY(md5_vec3, normals, 2 * count);
    SCOPED_ARRAY(md5_vec4, tangents, 2 * count);
    for (uint32_t i = 0; i < 4; i++) {
        md5_vec3 *const normals_out = i < 2 ? normals + i * count : NULL;
        md5_vec4 *const tangents_out = i % 2 == 0 ? tangents + i / 2 * count : NULL;
        md5_skin(&generated.mesh, patch->palette, positions + i * count, normals_out, tangents_out);
    }
    for (uint32_t i = 1; i < 4u; i++)
        CHECK_BYTES(positions, positions + i * count, count * sizeof *positions);
    CHECK_BYTES(normals, normals + count, count * sizeof *normals);
    CHECK_BYTES(tangents, tangents + count, count * sizeof *tangents);
}

TEST (skin_in_the_bind_pose_equals_the_bind_pose) {
    BUILD_PATCH(generated, patch, 29, 1, 5, 0.3);
    md5_mat34 palette[JOINTS];
    for (int i = 0; i < JOINTS; i++)
        palette[i] = (md5_mat34){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    SCOPED_ARRAY(md5_vec3, positions, generated.mesh.num_vertices);
    md5_skin(&generated.mesh, palette, positions, NULL, NULL);
    for (uint32_t i = 0; i < generated.mesh.num_vertices; i++)
        CHECK_SMALL(real_distance(positions[i], generated.mesh.positions[i]), 1e-5);
}

// Two joints that rotate a normal into opposite directions cancel it out. The normal of the bind
// pose is then used.
TEST (directions_that_cancel_out_keep_the_bind_pose) {
    md5_mat34 palette[2] = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                            {{1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0}}};
    const md5_mat34 bind[2] = {palette[0], palette[0]};
    const md5_weight weights[2] = {{0, 0.5f, {1, 2, 3}}, {1, 0.5f, {1, 2, 3}}};
    md5_vertex vertex;
    const mesh_source source = single_vertex_source(&vertex, weights, 2, bind);
    SCOPED_MESH generated;
    REQUIRE(build_generated_mesh(&generated, &source, 2, NULL));
    md5_vec3 position;
    md5_vec3 normal;
    md5_skin(&generated.mesh, palette, &position, &normal, NULL);
    CHECK(position.x == 1 && position.y == 0 && position.z == 0);
    CHECK(normal.x == 0 && normal.y == 0 && normal.z == 1);
}

// -- The order of the sums ------------------------------------------------------------------------

// Sets order[0 .. count] to the influences of a vertex by ascending joint, or as they are stored if
// they are more than sixteen.
static void sort_influences(const uint32_t *joints, uint32_t count, uint32_t *order)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = i;
        for (; count <= 16 && slot > 0 && joints[order[slot - 1]] > joints[i]; slot--)
            order[slot] = order[slot - 1];
        order[slot] = i;
    }
}

static void check_order(const md5_mesh *mesh, const md5_mat34 *palette)
{
    SCOPED_ARRAY(md5_vec3, positions, mesh->num_vertices);
    SCOPED_ARRAY(md5_vec3, normals, mesh->num_vertices);
    md5_skin(mesh, palette, positions, normals, NULL);
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        float position[3];
        float normal[3];

        // The order that the first comment of md5/skin/skin_scalar.c defines. Faster kernels must
        // use the same order.
        const uint32_t first = mesh->first_influence[i];
        const uint32_t count = mesh->first_influence[i + 1] - first;
        uint32_t order[MAX_WEIGHTS];
        REQUIRE(count <= MAX_WEIGHTS);
        sort_influences(mesh->influence_joints + first, count, order);
        const md5_vec3 bind = mesh->normals[i];
        for (int row = 0; row < 3; row++) {
            float lane[4] = {0};
            float e[4] = {0};
            for (uint32_t j = 0; j < count; j++) {
                const uint32_t from = first + order[j];
                const float *m = palette[mesh->influence_joints[from]].m + 4 * row;
                const md5_vec4 q = mesh->influences[from];
                const float factors[4] = {q.x, q.y, q.z, q.w};
                for (int column = 0; column < 4; column++) {
                    const float a = m[column] * factors[column];
                    const float b = m[column] * q.w;
                    lane[column] = j == 0 ? a : lane[column] + a;
                    e[column] = j == 0 ? b : e[column] + b;
                }
            }
            const md5_vec3 p = mesh->positions[i];
            position[row] = md5i_skin_vertex_kind(mesh, i) == MD5_SKIN_BLEND
                                ? (e[0] * p.x + e[1] * p.y) + (e[2] * p.z + e[3])
                                : (lane[0] + lane[1]) + (lane[2] + lane[3]);
            normal[row] = (e[0] * bind.x + e[1] * bind.y) + e[2] * bind.z;
        }
        const float square =
            (normal[0] * normal[0] + normal[1] * normal[1]) + normal[2] * normal[2];
        const bool is_unit = (square - 1) * (square - 1) < 0x1p-36f;
        const float scale = 1.0f / sqrtf(square);
        if (!is_unit) {
            for (int row = 0; row < 3; row++)
                normal[row] *= scale;
        }

        CHECK_BYTES(position, &positions[i], sizeof position);
        CHECK_BYTES(normal, &normals[i], sizeof normal);
    }
}

static uint32_t count_blended(const md5_mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->num_vertices; i++)
        count += md5i_skin_vertex_kind(mesh, i) == MD5_SKIN_BLEND;
    return count;
}

TEST (skin_sums_in_the_stated_order) {
    BUILD_PATCH(generated, patch, 31, 1, MAX_WEIGHTS, 0.3);
    CHECK_UINT(count_blended(&generated.mesh), 0);
    check_order(&generated.mesh, patch->palette);
}

// Without a plan nothing is blended; the two forms differ by rounding error only.
TEST (skin_blends_matrices_only_where_weight_points_coincide) {
    BUILD_PATCH(generated, patch, 37, 1, MAX_WEIGHTS, 0.0);
    md5_mesh by_hand = generated.mesh;
    by_hand.skin_plan = NULL;
    const size_t count = by_hand.num_vertices;
    CHECK(count_blended(&generated.mesh) > count / 4);
    check_order(&generated.mesh, patch->palette);
    SCOPED_ARRAY(md5_vec3, blended, count);
    SCOPED_ARRAY(md5_vec3, exact, count);
    md5_skin(&generated.mesh, patch->palette, blended, NULL, NULL);
    md5_skin(&by_hand, patch->palette, exact, NULL, NULL);
    for (size_t i = 0; i < count; i++)
        CHECK_SMALL(real_distance(blended[i], exact[i]), 1e-6 * 60.0);
}

// A plan stores the number of floats of positions in 32 bits.
TEST (skin_plan_leaves_too_many_vertices_to_plain_c) {
    const md5_mesh mesh = {.num_vertices = UINT32_MAX / 3 + 1};
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, NULL);
    const md5_skin_plan *plan = NULL;
    CHECK(md5i_skin_plan_build(&context, &mesh, &plan) && !plan);
}

// -- Bounds ---------------------------------------------------------------------------------------
//
// md5_skin_bounds() against the vertices that md5_skin() writes.

TEST (skin_bounds_contain_the_skinned_vertices) {
    SCOPED_MODEL model = our_model("test/reference/data/weights.md5mesh");
    SCOPED_ANIM anim = our_anim("test/reference/data/weights.md5anim");
    SCOPED_BINDING binding = model && anim ? md5_bind(model, anim, NULL, NULL) : NULL;
    REQUIRE(binding);
    md5_xform pose[16];
    md5_mat34 palette[16];
    md5_vec3 points[256];
    CHECK(model->skeleton.num_joints <= 16);
    for (int step = 0; step < 20; step++) {
        const md5_sample_position sample =
            md5_sample_position_at(anim, step * 0.0137, MD5_WRAP_LOOP);
        md5_sample(binding, sample, MD5_ROOT_FILE, pose);
        md5_local_to_model(&model->skeleton, pose, palette);
        md5_build_palette(model, palette, palette);
        md5_bounds skinned = md5_bounds_from_points(NULL, 0);
        for (uint32_t i = 0; i < model->num_meshes; i++) {
            const md5_mesh *const mesh = &model->meshes[i];
            if (!CHECK(mesh->num_vertices <= 256))
                break;
            md5_skin(mesh, palette, points, NULL, NULL);
            skinned = md5_bounds_union(skinned, md5_bounds_from_points(points, mesh->num_vertices));
        }
        const md5_bounds found = md5_skin_bounds(model, palette);
        CHECK_VEC3(found.min, skinned.min.x, skinned.min.y, skinned.min.z, 1e-5);
        CHECK_VEC3(found.max, skinned.max.x, skinned.max.y, skinned.max.z, 1e-5);
    }
}

TEST (skin_bounds_without_vertices_are_empty) {
    static const md5_model none;
    const md5_bounds bounds = md5_skin_bounds(&none, NULL);
    CHECK(bounds.min.x > bounds.max.x);
}

// -- Biases of any magnitude ----------------------------------------------------------------------
//
// Skinning by biases of any magnitude that a float can hold, on every instruction set.

enum { SIZES_JOINTS = 3, SHAPES = 6, COPIES = 11, SIZES_VERTICES = SHAPES * COPIES };

// Biases of a vertex, the largest first. Some sum to 1, others do not.
static const struct {
    int count;
    double biases[SIZES_JOINTS];
    bool meet; // true if the points of all weights coincide
} shapes[SHAPES] = {
    {2, {0.5, 0.5}, true},  {3, {0.5, 0.3, 0.2}, true},  {3, {0.9, 0.4, -0.3}, true},
    {2, {0.6, 0.4}, false}, {3, {0.5, 0.3, 0.2}, false}, {3, {-0.9, -0.4, 0.3}, false},
};

static void add_weights(test_text *text, double magnitude)
{
    int weight = 0;
    for (int vertex = 0; vertex < SIZES_VERTICES; vertex++) {
        const int shape = vertex / COPIES;
        for (int i = 0; i < shapes[shape].count; i++, weight++) {
            const double apart = shapes[shape].meet ? 0 : 0.01 * i;
            test_append(text, "weight %d %d %.9g ( %g %g %g )\n", weight, i,
                        shapes[shape].biases[i] * magnitude, 0.3 - apart, 0.01 * (vertex % COPIES),
                        -0.2 + apart);
        }
    }
}

// Creates a mesh with COPIES consecutive vertices of each shape. Kernels process some of them in
// full groups, some in incomplete groups, and some separately. The joints are at the origin.
static md5_model *make_model(double magnitude)
{
    SCOPED_TEXT text = {0};
    test_append(&text,
                "MD5Version 10\ncommandline \"\"\nnumJoints 3\nnumMeshes 1\n"
                "joints {\n\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
                "\"b\" 0 ( 0 0 0 ) ( 0 0 0 )\n\"c\" 0 ( 0 0 0 ) ( 0 0 0 )\n}\n"
                "mesh {\nshader \"\"\nnumverts %d\n",
                SIZES_VERTICES);
    int num_weights = 0;
    for (int i = 0; i < SIZES_VERTICES; i++) {
        const int count = shapes[i / COPIES].count;
        test_append(&text, "vert %d ( 0 0 ) %d %d\n", i, num_weights, count);
        num_weights += count;
    }
    test_append(&text, "numtris %d\n", SIZES_VERTICES / 3);
    for (int i = 0; i + 2 < SIZES_VERTICES; i += 3)
        test_append(&text, "tri %d %d %d %d\n", i / 3, i, i + 1, i + 2);
    test_append(&text, "numweights %d\n", num_weights);
    add_weights(&text, magnitude);
    test_append(&text, "}\n");
    md5_error error = {0};
    md5_model *const model = md5_parse_model(text.bytes, text.used, NULL, &error);
    CHECK_STRING(error.message, "");
    return model;
}

typedef struct skinned {
    md5_vec3 positions[2 * SIZES_VERTICES];
    md5_vec3 normals[2 * SIZES_VERTICES];
    md5_vec4 tangents[2 * SIZES_VERTICES];
} skinned;

typedef struct size_case {
    const md5_mesh *mesh;
    md5_xform transforms[SIZES_JOINTS];
    md5_mat34 palette[SIZES_JOINTS];
    md5_dual_quat dual[SIZES_JOINTS];
    double magnitude;
} size_case;

static void run(const size_case *fixture, bool is_dual, md5_cpu level, skinned *result)
{
    memset(result, 0, sizeof *result);
    const md5i_skin_job job = {.mesh = fixture->mesh,
                               .palette = fixture->palette,
                               .duals = is_dual ? fixture->dual : NULL,
                               .blend_duals = md5i_blend_duals,
                               .positions = result->positions,
                               .normals = result->normals,
                               .tangents = result->tangents};
    md5i_skin_with(level, &job);
}

static bool is_unit(md5_vec3 v)
{
    return fabs(sqrt((double)md5_vec3_dot(v, v)) - 1) < 1e-5;
}

// Checks for finite positions, unit directions, and the same bits with all instruction sets.
static bool check_sound(const size_case *fixture, bool is_dual, skinned *result)
{
    skinned repeated;
    bool sound = true;
    run(fixture, is_dual, MD5_CPU_SCALAR, result);
    for (uint32_t i = 0; i < fixture->mesh->num_vertices; i++) {
        const md5_vec3 p = result->positions[i];
        const md5_vec4 t = result->tangents[i];
        sound = sound && isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
        sound = sound && is_unit(result->normals[i]) && is_unit((md5_vec3){t.x, t.y, t.z});
    }
    for (md5_cpu level = MD5_CPU_SCALAR + 1; level < MD5_CPU_COUNT; level++) {
        if (!md5i_cpu_has(level))
            continue;
        run(fixture, is_dual, level, &repeated);
        CHECK_BYTES(&repeated, result, sizeof repeated);
    }
    return CHECK_THAT(sound, "%s, biases of %g: not finite, or not unit length",
                      is_dual ? "dual" : "linear", fixture->magnitude);
}

static double sizes_difference(real3 expected, md5_vec3 actual)
{
    return real3_distance(expected, to_real3(actual));
}

// Computes the sum of palette * influence in doubles. Returns the error of the float result,
// relative to the magnitude of the biases.
static double linear_error(const size_case *fixture, const skinned *result, uint32_t vertex)
{
    const md5_mesh *const mesh = fixture->mesh;
    real3 sum = {0};
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++) {
        const md5_vec4 q = mesh->influences[i];
        sum = real3_add(sum, real3_transform(&fixture->palette[mesh->influence_joints[i]],
                                             (real3){q.x, q.y, q.z}, q.w));
    }
    return sizes_difference(sum, result->positions[vertex]) / fixture->magnitude;
}

// Returns the error of the float result against the blend r + d (real and dual part) of the dual
// quaternions in doubles. The biases are divided by the first. The blend is applied to the bind
// position: the rotation of r / |r|, then the translation 2 d r* / |r|^2.
static double dual_error(const size_case *fixture, const skinned *result, uint32_t vertex)
{
    const md5_mesh *const mesh = fixture->mesh;
    const uint32_t begin = mesh->first_influence[vertex];
    const uint32_t end = mesh->first_influence[vertex + 1];
    const md5_quat first = fixture->dual[mesh->influence_joints[begin]].real;
    real4 r = {0};
    real4 d = {0};
    for (uint32_t i = begin; i < end; i++) {
        const md5_dual_quat q = fixture->dual[mesh->influence_joints[i]];
        const double ratio = (double)mesh->influences[i].w / mesh->influences[begin].w;
        const double by = md5_quat_dot(first, q.real) < 0 ? -ratio : ratio;
        r = real4_add(r, real4_scale(to_real4(q.real), by));
        d = real4_add(d, real4_scale(to_real4(q.dual), by));
    }
    const double square = real4_dot(r, r);
    const real3 p = to_real3(mesh->positions[vertex]);
    const real4 moved = real4_scale(real4_mul(d, real4_conjugate(r)), 2.0 / square);
    const real3 rotated = real4_rotate(real4_scale(r, 1.0 / sqrt(square)), p);
    return sizes_difference(real3_add(rotated, (real3){moved.x, moved.y, moved.z}),
                            result->positions[vertex])
           / (1 + fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
}

// Files contain no bias above 1e9.
TEST (skin_accepts_biases_from_the_smallest_to_the_largest_float) {
    static const double mantissas[] = {1, 1.7, 3.1, 6.3};
    uint64_t random = 1;
    for (int exponent = -44; exponent <= 8; exponent++) {
        for (int i = 0; i < 4; i++) {
            double magnitude = mantissas[i] * pow(10, exponent);
            size_case fixture = {.magnitude = magnitude};
            SCOPED_MODEL model = make_model(magnitude);
            if (!CHECK(model && model->meshes[0].num_vertices <= 2 * SIZES_VERTICES)) {
                continue;
            }
            fixture.mesh = &model->meshes[0];
            for (int j = 0; j < SIZES_JOINTS; j++) {
                fixture.transforms[j] = (md5_xform){random_quat(&random),
                                                    {test_betweenf(-0.5f, 0.5f, &random),
                                                     test_betweenf(-0.5f, 0.5f, &random),
                                                     test_betweenf(-0.5f, 0.5f, &random)},
                                                    0};
                fixture.palette[j] = md5_mat34_from_xform(fixture.transforms[j]);
            }
            md5_build_dual_palette(fixture.palette, SIZES_JOINTS, fixture.dual);
            skinned linear;
            skinned dual;
            double max_linear_error = 0;
            double max_dual_error = 0;
            check_sound(&fixture, false, &linear);
            check_sound(&fixture, true, &dual);
            for (uint32_t j = 0; j < fixture.mesh->num_vertices; j++) {
                max_linear_error = fmax(max_linear_error, linear_error(&fixture, &linear, j));
                max_dual_error = fmax(max_dual_error, dual_error(&fixture, &dual, j));
            }
            // Products below 1e-37 have fewer digits: the smallest digit is 2^-149.
            const double last_digit = 16 * 0x1p-149 / magnitude;
            CHECK_THAT(max_linear_error <= 1e-6 + last_digit, "linear, biases of %g: off by %g",
                       magnitude, max_linear_error);
            CHECK_THAT(max_dual_error <= 2e-5, "dual, biases of %g: off by %g", magnitude,
                       max_dual_error);
        }
    }
}

// Sums of 1e-20 to 1e-22 once gave NaN. If all biases are multiplied by the same factor, the motion
// is the same, and bit-identical if the factor is a power of two.
TEST (skin_sizes_by_powers_of_two_move_by_the_same_motion) {
    SCOPED_MODEL plain = make_model(1);
    const md5_mesh *const mesh = &plain->meshes[0];
    uint64_t random = 2;
    size_case fixture = {.mesh = mesh};
    for (int i = 0; i < SIZES_JOINTS; i++) {
        fixture.palette[i] = md5_mat34_from_xform((md5_xform){random_quat(&random), {1, -2, 3}, 0});
    }
    md5_build_dual_palette(fixture.palette, SIZES_JOINTS, fixture.dual);
    skinned expected;
    skinned actual;
    run(&fixture, true, MD5_CPU_SCALAR, &expected);
    SCOPED_ARRAY(md5_vec4, influences, mesh->num_influences);
    md5_mesh scaled = *mesh;
    scaled.skin_plan = NULL; // the plan contains the biases before scaling
    scaled.influences = influences;
    fixture.mesh = &scaled;
    for (int exponent = -100; exponent <= 120; exponent++) {
        memcpy(influences, mesh->influences, mesh->num_influences * sizeof *influences);
        for (uint32_t i = 0; i < mesh->num_influences; i++)
            influences[i].w = ldexpf(influences[i].w, exponent);
        run(&fixture, true, MD5_CPU_SCALAR, &actual);
        CHECK_BYTES(&actual, &expected, sizeof actual);
    }
}

// -- Interleaved vertices -------------------------------------------------------------------------

// Skinning into interleaved vertices gives the same bits as skinning into separate arrays, and
// changes no byte between the values.

// A vertex in the layout of a game. Only the requested members may change.
typedef struct game_vertex {
    uint8_t before[4];
    float position[3];
    float texcoord[2];
    float normal[3];
    uint8_t color[4];
    float tangent[4];
    uint8_t after[8];
} game_vertex;

typedef struct strided_skinned {
    md5_vec3 *positions;
    md5_vec3 *normals;
    md5_vec4 *tangents;
    game_vertex *vertices;
} strided_skinned;

static bool is_filled(const void *bytes, size_t size)
{
    bool filled = true;
    for (size_t i = 0; i < size; i++)
        filled = filled && ((const uint8_t *)bytes)[i] == 0xa5;
    return filled;
}

static bool is_right(const strided_skinned *output, uint32_t vertex, bool normals, bool tangents)
{
    const game_vertex *const v = &output->vertices[vertex];
    const bool normal_is_right =
        normals ? memcmp(v->normal, &output->normals[vertex], sizeof v->normal) == 0
                : is_filled(v->normal, sizeof v->normal);
    const bool tangent_is_right =
        tangents ? memcmp(v->tangent, &output->tangents[vertex], sizeof v->tangent) == 0
                 : is_filled(v->tangent, sizeof v->tangent);
    const bool position_is_right =
        memcmp(v->position, &output->positions[vertex], sizeof v->position) == 0;
    bool padding_is_filled = is_filled(v->before, sizeof v->before);
    padding_is_filled = padding_is_filled && is_filled(v->texcoord, sizeof v->texcoord);
    padding_is_filled = padding_is_filled && is_filled(v->color, sizeof v->color);
    padding_is_filled = padding_is_filled && is_filled(v->after, sizeof v->after);
    return position_is_right && normal_is_right && tangent_is_right && padding_is_filled;
}

static void check_level(const md5_mesh *mesh, const md5_mat34 *palette, const md5_dual_quat *dual,
                        md5_cpu level, bool normals, bool tangents)
{
    const size_t count = mesh->num_vertices;
    SCOPED_ARRAY(md5_vec3, positions, count);
    SCOPED_ARRAY(md5_vec3, expected_normals, count);
    SCOPED_ARRAY(md5_vec4, expected_tangents, count);
    SCOPED_ARRAY(game_vertex, vertices, count);
    const strided_skinned output = {positions, expected_normals, expected_tangents, vertices};
    const md5_skin_job out = {
        .mesh = mesh,
        .palette = palette,
        .duals = dual,
        .positions = output.vertices->position,
        .position_stride = sizeof *output.vertices,
        .normals = normals ? output.vertices->normal : NULL,
        .normal_stride = sizeof *output.vertices,
        .tangents = tangents ? output.vertices->tangent : NULL,
        .tangent_stride = sizeof *output.vertices,
    };
    md5i_skin_job job;
    CHECK(md5i_strided_job(&out, &job));
    memset(output.vertices, 0xa5, count * sizeof *output.vertices);
    if (dual)
        skin_by_duals(mesh, dual, output.positions, output.normals, output.tangents);
    else
        md5_skin(mesh, palette, output.positions, output.normals, output.tangents);
    md5i_skin_with(level, &job);
    for (uint32_t i = 0; i < count; i++)
        CHECK(is_right(&output, i, normals, tangents));
}

static void check_model(const char *path)
{
    SCOPED_MODEL model = our_model(path);
    REQUIRE(model);
    const uint32_t num_joints = model->skeleton.num_joints;
    uint64_t random = 17;
    SCOPED_ARRAY(md5_mat34, palette, num_joints);
    SCOPED_ARRAY(md5_dual_quat, dual, num_joints);
    random_joints(palette, num_joints, 10, &random);
    md5_build_dual_palette(palette, num_joints, dual);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        for (md5_cpu level = MD5_CPU_SCALAR; level < MD5_CPU_COUNT; level++) {
            if (!md5i_cpu_has(level))
                continue;
            for (int which = 0; which < 8; which++)
                check_level(mesh, palette, which & 4 ? dual : NULL, level, which & 1, which & 2);
        }
    }
}

TEST (strided_vertices_have_the_same_bits_with_every_instruction_set) {
    check_model("models/bobbin/bobbin.md5mesh");   // groups, gathered groups
    check_model("models/thimble/thimble.md5mesh"); // blended vertices, seams
}

TEST (strides_of_0_mean_no_gaps) {
    SCOPED_MODEL model = our_model("models/thimble/thimble.md5mesh");
    const md5_mesh *const mesh = &model->meshes[0];
    const size_t count = mesh->num_vertices;
    SCOPED_ARRAY(md5_mat34, palette, model->skeleton.num_joints);
    uint64_t random = 18;
    random_joints(palette, model->skeleton.num_joints, 10, &random);
    SCOPED md5_vec3 *const expected = calloc(count, 2 * sizeof *expected);
    SCOPED md5_vec3 *const found = calloc(count, 2 * sizeof *found);
    md5_skin(mesh, palette, expected, expected + count, NULL);
    const md5_skin_job job = {
        .mesh = mesh, .palette = palette, .positions = found, .normals = found + count};
    md5_skin_one(&job);
    CHECK_BYTES(expected, found, count * 2 * sizeof *found);
}

TEST (dual_quaternions_skin_into_interleaved_vertices_with_the_same_bits) {
    SCOPED_MODEL model = our_model("models/thimble/thimble.md5mesh");
    const md5_mesh *const mesh = &model->meshes[0];
    const size_t count = mesh->num_vertices;
    SCOPED_ARRAY(md5_mat34, palette, model->skeleton.num_joints);
    SCOPED_ARRAY(md5_dual_quat, dual, model->skeleton.num_joints);
    uint64_t random = 19;
    random_joints(palette, model->skeleton.num_joints, 10, &random);
    md5_build_dual_palette(palette, model->skeleton.num_joints, dual);
    SCOPED md5_vec3 *const expected = calloc(count, 2 * sizeof *expected);
    SCOPED md5_vec3 *const found = calloc(count, 2 * sizeof *found);
    skin_by_duals(mesh, dual, expected, expected + count, NULL);
    const md5_skin_job job = {.mesh = mesh,
                              .duals = dual,
                              .positions = found,
                              .position_stride = 2 * sizeof *found,
                              .normals = found + 1,
                              .normal_stride = 2 * sizeof *found};
    md5_skin_one(&job);
    for (size_t i = 0; i < count; i++) {
        CHECK_BYTES(&expected[i], &found[2 * i], sizeof *found);
        CHECK_BYTES(&expected[count + i], &found[2 * i + 1], sizeof *found);
    }
}

// -- Equal points ---------------------------------------------------------------------------------

// Finding equal points.

static void check_first_equal(const md5_vec3 *points, uint32_t count, const uint32_t *first_equal)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t expected = 0;
        while (points[expected].x != points[i].x || points[expected].y != points[i].y
               || points[expected].z != points[i].z)
            expected++;
        CHECK_UINT(first_equal[i], expected);
    }
}

static void check_weld(const md5_vec3 *points, uint32_t count)
{
    SCOPED_ARRAY(uint32_t, first_equal, count);
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, NULL);
    md5_arena arena = {.context = &context};
    memset(first_equal, 0xFF, count * sizeof *first_equal);
    if (CHECK(md5i_weld(&arena, points, count, first_equal)))
        check_first_equal(points, count, first_equal);
    memset(first_equal, 0xFF, count * sizeof *first_equal);
    if (CHECK(md5i_weld_by_sorting(&arena, points, count, first_equal)))
        check_first_equal(points, count, first_equal);
    md5i_arena_free(&arena);
}

TEST (weld_finds_the_first_equal_point) {
    enum { MAX_COUNT = 600 };
    uint64_t random = 11;
    for (uint32_t round = 0; round < 20; round++) {
        const uint32_t count = round * MAX_COUNT / 20;
        uint32_t values = 2 + round % 4;
        SCOPED_ARRAY(md5_vec3, points, count);
        for (uint32_t i = 0; i < count; i++) {
            float coordinates[3];
            for (int axis = 0; axis < 3; axis++) {
                const uint32_t value = test_random_u32(&random) % values;
                coordinates[axis] = (float)value * (test_random_u32(&random) % 2 ? 0.1f : -0.1f);
            }
            points[i] = (md5_vec3){coordinates[0], coordinates[1], coordinates[2]};
        }
        check_weld(points, count);
    }
}

TEST (minus_zero_welds_to_zero) {
    const md5_vec3 points[3] = {{0, -0.0f, 1}, {-0.0f, 0, 1}, {0, 0, -1}};
    check_weld(points, 3);
}

// -- Points selected against the hash ---------------------------------------------------------

static float float_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Writes distinct points[count] of one hash.
static void collide(md5_vec3 *points, uint32_t count)
{
    uint32_t num_points = 0;
    for (uint32_t lower = 1; num_points < count; lower++) {
        // A point whose x and y give the bits upper << 32 | lower in the first step of hash_point()
        // in weld.c, and whose z cancels the lower half: all such points of one upper half have
        // the same hash.
        const uint64_t factor = UINT64_C(0x9E3779B97F4A7C15);
        uint64_t inverse = factor; // right in its lowest three bits; each step doubles their number
        for (int i = 0; i < 5; i++)
            inverse *= 2 - factor * inverse;
        const uint64_t product = ((uint64_t)12345 << 32 | lower) * inverse;
        const uint64_t xy = product ^ product >> 29 ^ product >> 58;
        const md5_vec3 point =
            (md5_vec3){float_from_bits((uint32_t)xy), float_from_bits((uint32_t)(xy >> 32)),
                       float_from_bits(lower)};

        if (isfinite(point.x) && isfinite(point.y))
            points[num_points++] = point;
    }
}

TEST (weld_is_correct_if_all_points_have_one_hash) {
    enum { COUNT = 2000 };
    md5_vec3 points[COUNT];
    collide(points, COUNT);
    check_weld(points, COUNT);
}

// A repeated point takes one step for each earlier point that collides. For one number of points
// exactly no step remains for the last point.
TEST (weld_is_correct_for_any_number_of_collisions) {
    enum { MAX_COUNT = 64 };
    md5_vec3 distinct[MAX_COUNT];
    md5_vec3 points[MAX_COUNT + 2];
    collide(distinct, MAX_COUNT);
    for (int count = 1; count < MAX_COUNT; count++) {
        for (int again = 0; again < count; again++) {
            memcpy(points, distinct, sizeof distinct);
            points[count] = distinct[again];
            points[count + 1] = distinct[0];
            check_weld(points, (uint32_t)count + 2);
        }
    }
}
