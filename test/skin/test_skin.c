// md5_skin() against the sum that the format defines; and the making of test meshes.
#include "md5/md5skin.h"
#include "test/skin/made_mesh.h"
#include "test/test.h"

#include "md5/skin/plan.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Making -----------------------------------------------------------------------------------

static bool derive(made_mesh *made, md5_arena *scratch, const made_source *source,
                   uint32_t num_joints)
{
    md5_mesh_build build = {
        .num_file_vertices = source->num_vertices,
        .num_weights = source->num_weights,
        .num_triangles = source->num_triangles,
        .file_vertices = (md5_vertex *)source->vertices,
        .weights = (md5_weight *)source->weights,
        .indices = (uint32_t *)source->triangles,
        .texcoords = (md5_vec2 *)source->texcoords,
    };
    TRY(md5i_geometry_measure(scratch, &build));
    const size_t vertices = build.num_vertices, influences = build.num_influences;
    const md5_mesh_joints joints = {
        num_joints, source->bind,
        md5i_arena_alloc(&made->arena, num_joints, sizeof *joints.scratch)};
    TRY(joints.scratch);
#define MAKE(array, count) \
    TRY(build.array = md5i_arena_alloc(&made->arena, count, sizeof *build.array))
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
    TRY(md5i_geometry_build(scratch, &joints, &build));
    made->mesh = (md5_mesh){
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
    md5i_geometry_summarize(&made->mesh);
    return md5i_skin_plan_build(&made->context, &made->mesh, &made->mesh.skin_plan);
}

bool made_mesh_build(made_mesh *made, const made_source *source, uint32_t num_joints,
                     const md5_load_opts *opts)
{
    memset(made, 0, sizeof *made);
    md5i_context_begin(&made->context, opts, NULL, &made->error);
    made->arena.context = &made->context;
    md5_arena scratch = {.context = &made->context};
    const bool is_derived = derive(made, &scratch, source, num_joints);
    md5i_arena_free(&scratch);
    TRY(is_derived);
    made->model.skeleton.num_joints = num_joints;
    made->model.bind = source->bind;
    made->model.num_meshes = 1;
    made->model.meshes = &made->mesh;
    return true;
}

void made_mesh_free(made_mesh *made)
{
    md5i_skin_plan_free(&made->context.allocator, made->mesh.skin_plan);
    md5i_arena_free(&made->arena);
}

made_source made_vertex(md5_vertex *vertex, const md5_weight *weights, uint32_t num_weights,
                        const md5_mat34 *bind)
{
    static const md5_vec2 texcoord;
    *vertex = (md5_vertex){0, num_weights};
    return (made_source){
        .num_vertices = 1,
        .num_weights = num_weights,
        .vertices = vertex,
        .texcoords = &texcoord,
        .weights = weights,
        .bind = bind,
    };
}

// Shoemake, "Uniform random rotations", Graphics Gems III, 1992.
md5_quat made_rotation(uint64_t *random)
{
    const double tau = 6.283185307179586, part = test_random(random);
    const double a = tau * test_random(random), b = tau * test_random(random);
    const double r0 = sqrt(1.0 - part), r1 = sqrt(part);
    return (md5_quat){(float)(r0 * sin(a)), (float)(r0 * cos(a)), (float)(r1 * sin(b)),
                      (float)(r1 * cos(b))};
}

void made_joints(md5_mat34 *joints, uint32_t num_joints, double size, uint64_t *random)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_quat rotation = made_rotation(random);
        md5_vec3 position;
        position.x = (float)(size * (2.0 * test_random(random) - 1.0));
        position.y = (float)(size * (2.0 * test_random(random) - 1.0));
        position.z = (float)(size * (2.0 * test_random(random) - 1.0));
        joints[i] = md5_mat34_from_xform((md5_xform){rotation, position, 0.0f});
    }
}

// -- A patch of cloth on many joints ------------------------------------------------------------

enum { JOINTS = 16, SIDE = 20, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };
enum { MOST_WEIGHTS = 14 };

// Its vertices have 0 to 14 weights of any bias, on joints that may repeat; its texture is
// mirrored in the middle.
typedef struct cloth_patch {
    md5_mat34 bind[JOINTS], posed[JOINTS], palette[JOINTS];
    md5_vertex vertices[VERTICES];
    md5_vec2 texcoords[VERTICES];
    uint32_t triangles[3 * TRIANGLES];
    md5_weight weights[VERTICES * MOST_WEIGHTS];
    made_source source;
} cloth_patch;

static md5_mat34 inverse(const md5_mat34 *a)
{
    const float *m = a->m;
    md5_mat34 back;
    for (int row = 0; row < 3; row++) {
        double moved = 0.0;
        for (int column = 0; column < 3; column++) {
            back.m[4 * row + column] = m[4 * column + row];
            moved -= (double)m[4 * column + row] * (double)m[4 * column + 3];
        }
        back.m[4 * row + 3] = (float)moved;
    }
    return back;
}

static void make_triangles(cloth_patch *patch)
{
    uint32_t *next = patch->triangles;
    for (uint32_t y = 0; y + 1 < SIDE; y++) {
        for (uint32_t x = 0; x + 1 < SIDE; x++) {
            const uint32_t a = SIDE * y + x, b = a + 1, c = a + SIDE, d = c + 1;
            const uint32_t corners[6] = {a, c, b, b, c, d};
            memcpy(next, corners, sizeof corners);
            next += 6;
        }
    }
}

// Every vertex has weights of 1 / n at one point, plus what `oddness` adds to them.
static void make_patch(cloth_patch *patch, uint32_t least, uint32_t most, double oddness,
                       uint64_t *random)
{
    made_joints(patch->bind, JOINTS, 20.0, random);
    made_joints(patch->posed, JOINTS, 20.0, random);
    for (uint32_t i = 0; i < JOINTS; i++) {
        const md5_mat34 back = inverse(&patch->bind[i]);
        patch->palette[i] = md5_mat34_mul(patch->posed[i], back);
    }
    make_triangles(patch);
    uint32_t used = 0;
    for (uint32_t i = 0; i < VERTICES; i++) {
        const float x = (float)(i % SIDE), y = (float)(i / SIDE);
        const md5_vec3 point = {x, y, 3.0f * (float)test_random(random)};
        const uint32_t count = least + test_random_u32(random) % (most - least + 1);
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
    patch->source = (made_source){
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

// -- The sums that the format defines, in doubles -------------------------------------------------

typedef struct point {
    double x, y, z;
} point;

static point apply(const md5_mat34 *m, point v, double w)
{
    point out;
    out.x =
        (double)m->m[0] * v.x + (double)m->m[1] * v.y + (double)m->m[2] * v.z + (double)m->m[3] * w;
    out.y =
        (double)m->m[4] * v.x + (double)m->m[5] * v.y + (double)m->m[6] * v.z + (double)m->m[7] * w;
    out.z = (double)m->m[8] * v.x + (double)m->m[9] * v.y + (double)m->m[10] * v.z
            + (double)m->m[11] * w;
    return out;
}

static point add_scaled(point a, point b, double s)
{
    return (point){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static point point_of(md5_vec3 a)
{
    return (point){(double)a.x, (double)a.y, (double)a.z};
}

static point unit(point a)
{
    const double length = sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
    return (point){a.x / length, a.y / length, a.z / length};
}

static double distance(md5_vec3 a, point b)
{
    const double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

// Sum of bias * J * offset over the file's weights.
static point expected_place(const cloth_patch *patch, uint32_t file_vertex)
{
    const md5_vertex vertex = patch->vertices[file_vertex];
    point sum = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < vertex.num_weights; i++) {
        const md5_weight *weight = &patch->weights[vertex.first_weight + i];
        const point position = apply(&patch->posed[weight->joint], point_of(weight->offset), 1.0);
        sum = add_scaled(sum, position, (double)weight->bias);
    }
    return sum;
}

// Sum of bias * (posed rotation * bind rotation transposed) * direction. `length` is the sum's.
static point expected_direction(const cloth_patch *patch, uint32_t file_vertex, md5_vec3 bind,
                                double *length)
{
    const md5_vertex vertex = patch->vertices[file_vertex];
    point sum = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < vertex.num_weights; i++) {
        const md5_weight *weight = &patch->weights[vertex.first_weight + i];
        const md5_mat34 back = inverse(&patch->bind[weight->joint]);
        const point local = apply(&back, point_of(bind), 0.0);
        const point rotated = apply(&patch->posed[weight->joint], local, 0.0);
        sum = add_scaled(sum, rotated, (double)weight->bias);
    }
    *length = sqrt(sum.x * sum.x + sum.y * sum.y + sum.z * sum.z);
    return unit(sum);
}

static void check_skinned(const cloth_patch *patch, const md5_mesh *mesh)
{
    md5_vec3 *positions = calloc(mesh->num_vertices, sizeof *positions);
    md5_vec3 *normals = calloc(mesh->num_vertices, sizeof *normals);
    md5_vec4 *tangents = calloc(mesh->num_vertices, sizeof *tangents);
    md5_skin(mesh, patch->palette, positions, normals, tangents);
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        const uint32_t source = mesh->sources[i];
        CHECK_NEAR(distance(positions[i], expected_place(patch, source)), 0.0, 3e-6 * 60.0);
        if (patch->vertices[source].num_weights == 0) {
            CHECK(memcmp(&normals[i], &mesh->normals[i], sizeof normals[i]) == 0);
            CHECK(memcmp(&tangents[i], &mesh->tangents[i], sizeof tangents[i]) == 0);
            continue;
        }
        const md5_vec4 bind = mesh->tangents[i];
        const md5_vec3 tangent = {tangents[i].x, tangents[i].y, tangents[i].z};
        double length;
        point rotated = expected_direction(patch, source, mesh->normals[i], &length);
        CHECK_NEAR(distance(normals[i], rotated), 0.0, 2e-6 / length);
        rotated = expected_direction(patch, source, (md5_vec3){bind.x, bind.y, bind.z}, &length);
        CHECK_NEAR(distance(tangent, rotated), 0.0, 2e-6 / length);
        CHECK(tangents[i].w == bind.w);
    }
    free(positions);
    free(normals);
    free(tangents);
}

TEST (skin_is_the_sum_over_the_weights_of_the_file) {
    cloth_patch *patch = calloc(1, sizeof *patch);
    uint64_t random = 19;
    static const uint32_t most[] = {1, 2, 4, MOST_WEIGHTS};
    static const double oddness[] = {0.0, 0.7};
    for (uint32_t round = 0; round < 8; round++) {
        make_patch(patch, round % 2, most[round % 4], oddness[round / 4], &random);
        made_mesh made;
        if (CHECK(made_mesh_build(&made, &patch->source, JOINTS, NULL))) {
            CHECK_UINT(made.mesh.num_vertices, VERTICES + SIDE);
            check_skinned(patch, &made.mesh);
        }
        made_mesh_free(&made);
    }
    free(patch);
}

TEST (skin_writes_the_same_bits_whatever_else_it_writes) {
    cloth_patch *patch = calloc(1, sizeof *patch);
    uint64_t random = 23;
    make_patch(patch, 0, 6, 0.3, &random);
    made_mesh made;
    if (CHECK(made_mesh_build(&made, &patch->source, JOINTS, NULL))) {
        const size_t count = made.mesh.num_vertices;
        md5_vec3 *positions[4], *normals[2];
        md5_vec4 *tangents[2];
        for (int i = 0; i < 4; i++)
            positions[i] = calloc(count, sizeof(md5_vec3));
        for (int i = 0; i < 2; i++) {
            normals[i] = calloc(count, sizeof(md5_vec3));
            tangents[i] = calloc(count, sizeof(md5_vec4));
        }
        md5_skin(&made.mesh, patch->palette, positions[0], normals[0], tangents[0]);
        md5_skin(&made.mesh, patch->palette, positions[1], normals[1], NULL);
        md5_skin(&made.mesh, patch->palette, positions[2], NULL, tangents[1]);
        md5_skin(&made.mesh, patch->palette, positions[3], NULL, NULL);
        for (int i = 1; i < 4; i++)
            CHECK(memcmp(positions[0], positions[i], count * sizeof(md5_vec3)) == 0);
        CHECK(memcmp(normals[0], normals[1], count * sizeof(md5_vec3)) == 0);
        CHECK(memcmp(tangents[0], tangents[1], count * sizeof(md5_vec4)) == 0);
        for (int i = 0; i < 4; i++)
            free(positions[i]);
        for (int i = 0; i < 2; i++) {
            free(normals[i]);
            free(tangents[i]);
        }
    }
    made_mesh_free(&made);
    free(patch);
}

TEST (skin_in_the_bind_pose_changes_nothing) {
    cloth_patch *patch = calloc(1, sizeof *patch);
    uint64_t random = 29;
    make_patch(patch, 1, 5, 0.3, &random);
    made_mesh made;
    if (CHECK(made_mesh_build(&made, &patch->source, JOINTS, NULL))) {
        md5_mat34 palette[JOINTS];
        for (uint32_t i = 0; i < JOINTS; i++)
            palette[i] = (md5_mat34){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
        md5_vec3 *positions = calloc(made.mesh.num_vertices, sizeof *positions);
        md5_skin(&made.mesh, palette, positions, NULL, NULL);
        for (uint32_t i = 0; i < made.mesh.num_vertices; i++)
            CHECK_NEAR(distance(positions[i], point_of(made.mesh.positions[i])), 0.0, 1e-5);
        free(positions);
    }
    made_mesh_free(&made);
    free(patch);
}

// Two joints that rotate a normal into opposite directions cancel it out: the bind pose's remains.
TEST (vanished_direction_stays_as_it_was) {
    md5_mat34 palette[2] = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                            {{1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0}}};
    const md5_mat34 bind[2] = {palette[0], palette[0]};
    const md5_weight weights[2] = {{0, 0.5f, {1, 2, 3}}, {1, 0.5f, {1, 2, 3}}};
    md5_vertex vertex;
    const made_source source = made_vertex(&vertex, weights, 2, bind);
    made_mesh made;
    if (CHECK(made_mesh_build(&made, &source, 2, NULL))) {
        md5_vec3 position, normal;
        md5_skin(&made.mesh, palette, &position, &normal, NULL);
        CHECK(position.x == 1.0f && position.y == 0.0f && position.z == 0.0f);
        CHECK(normal.x == 0.0f && normal.y == 0.0f && normal.z == 1.0f);
    }
    made_mesh_free(&made);
}

// -- The order of the sums ------------------------------------------------------------------------

// The order that the head of md5/skin/skin_scalar.c states, which faster kernels have to keep.
static void skin_as_stated(const md5_mesh *mesh, uint32_t vertex, const md5_mat34 *palette,
                           float position[3], float normal[3])
{
    const uint32_t first = mesh->first_influence[vertex], end = mesh->first_influence[vertex + 1];
    const md5_vec3 bind = mesh->normals[vertex];
    for (int row = 0; row < 3; row++) {
        float lane[4] = {0}, e[4] = {0};
        for (uint32_t i = first; i < end; i++) {
            const float *m = palette[mesh->influence_joints[i]].m + 4 * row;
            const md5_vec4 q = mesh->influences[i];
            const float factors[4] = {q.x, q.y, q.z, q.w};
            for (int column = 0; column < 4; column++) {
                const float a = m[column] * factors[column], b = m[column] * q.w;
                lane[column] = i == first ? a : lane[column] + a;
                e[column] = i == first ? b : e[column] + b;
            }
        }
        const md5_vec3 p = mesh->positions[vertex];
        position[row] = md5i_skin_kind_of(mesh, vertex) == MD5_SKIN_BLEND
                            ? (e[0] * p.x + e[1] * p.y) + (e[2] * p.z + e[3])
                            : (lane[0] + lane[1]) + (lane[2] + lane[3]);
        normal[row] = (e[0] * bind.x + e[1] * bind.y) + e[2] * bind.z;
    }
    const float square = (normal[0] * normal[0] + normal[1] * normal[1]) + normal[2] * normal[2];
    const float scale = 1.0f / sqrtf(square);
    for (int row = 0; row < 3; row++)
        normal[row] *= scale;
}

static void check_order(const md5_mesh *mesh, const md5_mat34 *palette)
{
    md5_vec3 *positions = calloc(mesh->num_vertices, sizeof *positions);
    md5_vec3 *normals = calloc(mesh->num_vertices, sizeof *normals);
    md5_skin(mesh, palette, positions, normals, NULL);
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        float position[3], normal[3];
        skin_as_stated(mesh, i, palette, position, normal);
        CHECK(memcmp(position, &positions[i], sizeof position) == 0);
        CHECK(memcmp(normal, &normals[i], sizeof normal) == 0);
    }
    free(positions);
    free(normals);
}

static uint32_t count_blended(const md5_mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->num_vertices; i++)
        count += md5i_skin_kind_of(mesh, i) == MD5_SKIN_BLEND;
    return count;
}

TEST (skin_sums_in_the_stated_order) {
    cloth_patch *patch = calloc(1, sizeof *patch);
    uint64_t random = 31;
    make_patch(patch, 1, MOST_WEIGHTS, 0.3, &random);
    made_mesh made;
    if (CHECK(made_mesh_build(&made, &patch->source, JOINTS, NULL))) {
        CHECK_UINT(count_blended(&made.mesh), 0);
        check_order(&made.mesh, patch->palette);
    }
    made_mesh_free(&made);
    free(patch);
}

// Without a plan nothing is blended; the two forms differ by rounding error only.
TEST (skin_blends_where_points_meet_and_only_there) {
    cloth_patch *patch = calloc(1, sizeof *patch);
    uint64_t random = 37;
    make_patch(patch, 1, MOST_WEIGHTS, 0.0, &random);
    made_mesh made;
    if (CHECK(made_mesh_build(&made, &patch->source, JOINTS, NULL))) {
        md5_mesh by_hand = made.mesh;
        by_hand.skin_plan = NULL;
        const size_t count = by_hand.num_vertices;
        CHECK(count_blended(&made.mesh) > count / 4);
        check_order(&made.mesh, patch->palette);
        md5_vec3 *blended = calloc(count, sizeof *blended), *exact = calloc(count, sizeof *exact);
        md5_skin(&made.mesh, patch->palette, blended, NULL, NULL);
        md5_skin(&by_hand, patch->palette, exact, NULL, NULL);
        for (size_t i = 0; i < count; i++)
            CHECK_NEAR(distance(blended[i], point_of(exact[i])), 0.0, 1e-6 * 60.0);
        free(blended);
        free(exact);
    }
    made_mesh_free(&made);
    free(patch);
}

// A plan counts floats of positions in 32 bits.
TEST (skin_plan_leaves_too_many_vertices_to_plain_c) {
    const md5_mesh mesh = {.num_vertices = UINT32_MAX / 3 + 1};
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, NULL);
    const md5_skin_plan *plan = NULL;
    CHECK(md5i_skin_plan_build(&context, &mesh, &plan) && plan == NULL);
}
