// Bind positions, smooth normals, tangents and mirror seams of hand-made meshes.
#include "test/scoped.h"
#include "test/real.h"
#include "test/skin/generated_mesh.h"

#include <float.h>

static const md5_mat34 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};

// -- Rigid meshes: one joint at the origin, one weight a vertex ---------------------------------

typedef struct rigid {
    uint32_t num_vertices;
    md5_vertex *vertices;
    md5_weight *weights;
    mesh_source source;
} rigid;

static rigid rigid_mesh(const md5_vec3 *points, const md5_vec2 *texcoords, size_t num_vertices,
                        const uint32_t *triangles, size_t num_triangles)
{
    rigid mesh = {.num_vertices = (uint32_t)num_vertices};
    mesh.vertices = calloc(num_vertices + 1, sizeof *mesh.vertices);
    mesh.weights = calloc(num_vertices + 1, sizeof *mesh.weights);
    for (uint32_t i = 0; i < num_vertices; i++) {
        mesh.vertices[i] = (md5_vertex){i, 1};
        mesh.weights[i] = (md5_weight){0, 1, points[i]};
    }
    mesh.source = (mesh_source){
        .num_vertices = (uint32_t)num_vertices,
        .num_triangles = (uint32_t)num_triangles,
        .num_weights = (uint32_t)num_vertices,
        .vertices = mesh.vertices,
        .texcoords = texcoords,
        .triangles = triangles,
        .weights = mesh.weights,
        .bind = &identity,
    };
    return mesh;
}

static void rigid_free(rigid *mesh)
{
    free(mesh->vertices);
    free(mesh->weights);
}

#define SCOPED_RIGID __attribute__((cleanup(rigid_free))) rigid

// Creates a rigid mesh from the arguments and builds it. The mesh exists until the end of the
// block.
#define BUILD_RIGID(generated, ...)                           \
    SCOPED_RIGID generated##_rigid = rigid_mesh(__VA_ARGS__); \
    SCOPED_MESH generated;                                    \
    REQUIRE(build_generated_mesh(&(generated), &generated##_rigid.source, 1, NULL))

// -- Checks -----------------------------------------------------------------------------------

static md5_vec3 xyz(md5_vec4 a)
{
    return (md5_vec3){a.x, a.y, a.z};
}

static double dot(md5_vec3 a, md5_vec3 b)
{
    return real3_dot(to_real3(a), to_real3(b));
}

static md5_vec3 cross(md5_vec3 a, md5_vec3 b)
{
    return to_vec3(real3_cross(to_real3(a), to_real3(b)));
}

static md5_vec3 random_point(uint64_t *random)
{
    return (md5_vec3){test_betweenf(0, 1, random), test_betweenf(0, 1, random),
                      test_betweenf(0, 1, random)};
}

static md5_vec2 random_texcoord(uint64_t *random)
{
    return (md5_vec2){test_betweenf(0, 1, random), test_betweenf(0, 1, random)};
}

// Checks the properties of every drawn vertex of every mesh.
static void check_frames(const md5_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        const md5_vec3 normal = mesh->normals[i];
        const md5_vec3 tangent = xyz(mesh->tangents[i]);
        CHECK_NEAR(dot(normal, normal), 1, 1e-6);
        CHECK_NEAR(dot(tangent, tangent), 1, 1e-6);
        CHECK_SMALL(dot(normal, tangent), 1e-6);
        CHECK(fabsf(mesh->tangents[i].w) == 1);
        CHECK(mesh->sources[i] < mesh->num_file_vertices);
        CHECK(i >= mesh->num_file_vertices || mesh->sources[i] == i);
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->num_triangles; i++)
        CHECK(mesh->indices[i] < mesh->num_vertices);
}

static md5_vec3 bitangent(const md5_mesh *mesh, uint32_t vertex)
{
    const md5_vec4 tangent = mesh->tangents[vertex];
    return md5_vec3_scale(cross(mesh->normals[vertex], xyz(tangent)), tangent.w);
}

// Returns the point in the plane of a triangle that has the texture coordinate (u, v), by
// barycentric coordinates.
static real3 point_at(const md5_vec3 *p, const md5_vec2 *uv, double u, double v)
{
    const double u0 = uv[0].x;
    const double v0 = uv[0].y;
    const double u1 = uv[1].x;
    const double v1 = uv[1].y;
    const double u2 = uv[2].x;
    const double v2 = uv[2].y;
    const double full = (v1 - v2) * (u0 - u2) + (u2 - u1) * (v0 - v2);
    const double a = ((v1 - v2) * (u - u2) + (u2 - u1) * (v - v2)) / full;
    const double b = ((v2 - v0) * (u - u2) + (u0 - u2) * (v - v2)) / full;
    return real3_add(real3_add(real3_scale(to_real3(p[0]), a), real3_scale(to_real3(p[1]), b)),
                     real3_scale(to_real3(p[2]), 1.0 - a - b));
}

// Returns the unit direction in the plane of a triangle along which the texture coordinates change
// by (du, dv).
static md5_vec3 texture_direction(const md5_vec3 *p, const md5_vec2 *uv, double du, double dv)
{
    return to_vec3(real3_unit(real3_sub(point_at(p, uv, du, dv), point_at(p, uv, 0, 0))));
}

// -- Normals ----------------------------------------------------------------------------------

enum { CUBE_VERTICES = 30, CUBE_TRIANGLES = 24 };

// Creates a cube with corners at +-1. Each face has five separate vertices and four triangles that
// meet in the middle, so that the normal of every corner has equal weights of its three faces.
static void make_cube(md5_vec3 *points, md5_vec2 *texcoords, uint32_t *triangles)
{
    for (uint32_t face = 0; face < 6; face++) {
        const uint32_t axis = face / 2;
        const uint32_t first = 5 * face;
        const float side = face % 2 ? 1.0f : -1.0f;
        for (uint32_t i = 0; i < 5; i++) {
            // The corners of the face, counterclockwise seen from the positive end of the axis, and
            // its middle.
            static const float around[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {0, 0}};
            float coordinates[3];
            coordinates[axis] = side;
            coordinates[(axis + 1) % 3] = around[i][0];
            coordinates[(axis + 2) % 3] = around[i][1];
            points[first + i] = (md5_vec3){coordinates[0], coordinates[1], coordinates[2]};
            texcoords[first + i] = (md5_vec2){around[i][0] * side, around[i][1]};
        }
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t *corners = triangles + 3 * (4 * face + i);
            const uint32_t here = first + i;
            const uint32_t next = first + (i + 1) % 4;
            corners[0] = first + 4;
            corners[1] = side > 0 ? next : here; // clockwise seen from outside
            corners[2] = side > 0 ? here : next;
        }
    }
}

TEST (cube_normals_are_smooth_over_vertices_at_one_position) {
    md5_vec3 points[CUBE_VERTICES];
    md5_vec2 texcoords[CUBE_VERTICES];
    uint32_t triangles[3 * CUBE_TRIANGLES];
    make_cube(points, texcoords, triangles);
    BUILD_RIGID(generated, points, texcoords, CUBE_VERTICES, triangles, CUBE_TRIANGLES);
    const md5_mesh *mesh = &generated.mesh;
    CHECK_UINT(mesh->num_vertices, CUBE_VERTICES);
    check_frames(mesh);
    for (int i = 0; i < CUBE_VERTICES; i++) {
        // Normals at corners and in the middle of faces point away from the middle of the cube.
        const real3 outward = real3_unit(to_real3(points[i]));
        CHECK_VEC3(mesh->normals[i], outward.x, outward.y, outward.z, 1e-7);
        CHECK_BYTES(&mesh->positions[i], &points[i], sizeof points[i]);
    }
    for (int i = 0; i < CUBE_VERTICES; i++) {
        for (int j = 0; j < i; j++) {
            if (memcmp(&points[i], &points[j], sizeof points[i]) == 0)
                CHECK_BYTES(&mesh->normals[i], &mesh->normals[j], sizeof points[i]);
        }
    }
    CHECK_EXACT(mesh->bounds.min.x, -1);
    CHECK_EXACT(mesh->bounds.max.z, 1);
}

TEST (degenerate_triangles_do_not_bend_normals) {
    md5_vec3 points[CUBE_VERTICES];
    md5_vec2 texcoords[CUBE_VERTICES];
    uint32_t triangles[3 * CUBE_TRIANGLES + 12];
    make_cube(points, texcoords, triangles);
    const uint32_t degenerate[12] = {
        0, 0, 1, // two corners are one vertex
        3, 3, 3, // all three
        0, 4, 2, // three points on a line
        1, 0, 1,
    };
    memcpy(triangles + 3 * CUBE_TRIANGLES, degenerate, sizeof degenerate);
    BUILD_RIGID(generated, points, texcoords, CUBE_VERTICES, triangles, CUBE_TRIANGLES + 4);
    check_frames(&generated.mesh);
    for (int i = 0; i < CUBE_VERTICES; i++) {
        const real3 outward = real3_unit(to_real3(points[i]));
        CHECK_VEC3(generated.mesh.normals[i], outward.x, outward.y, outward.z, 1e-7);
    }
}

TEST (faces_have_equal_weight_for_any_size) {
    // Two perpendicular walls that meet at the edge 0-1. One wall is ten times as wide as the
    // other.
    const md5_vec3 points[4] = {{0, 0, 0}, {0, 0, 1}, {10, 0, 0}, {0, 1, 0}};
    const md5_vec2 texcoords[4] = {{0, 0}, {0, 1}, {10, 0}, {-1, 0}};
    const uint32_t triangles[6] = {0, 1, 2, 0, 3, 1};
    BUILD_RIGID(generated, points, texcoords, 4, triangles, 2);
    const double half = sqrt(0.5);
    CHECK_VEC3(generated.mesh.normals[0], -half, -half, 0, 1e-7);
    CHECK_VEC3(generated.mesh.normals[1], -half, -half, 0, 1e-7);
    CHECK_VEC3(generated.mesh.normals[2], 0, -1, 0, 1e-7);
    CHECK_VEC3(generated.mesh.normals[3], -1, 0, 0, 1e-7);
}

TEST (sheet_with_a_back_keeps_the_normals_of_its_sides) {
    const md5_vec3 points[6] = {{0, 0, 5}, {1, 0, 5}, {0, 1, 5}, {0, 0, 5}, {1, 0, 5}, {0, 1, 5}};
    const md5_vec2 texcoords[6] = {{0, 0}, {1, 0}, {0, 1}, {0, 0}, {1, 0}, {0, 1}};
    const uint32_t triangles[6] = {0, 2, 1, 3, 4, 5};
    BUILD_RIGID(generated, points, texcoords, 6, triangles, 2);
    check_frames(&generated.mesh);
    for (uint32_t i = 0; i < 6; i++)
        CHECK_VEC3(generated.mesh.normals[i], 0, 0, i < 3 ? 1.0 : -1.0, 1e-7);
}

// Front and back use the same vertices. The texture is mirrored on the back, so its corners become
// copies with separate normals.
TEST (sheet_of_shared_vertices_is_split_into_its_sides) {
    const md5_vec3 points[3] = {{0, 0, 5}, {1, 0, 5}, {0, 1, 5}};
    const md5_vec2 texcoords[3] = {{0, 0}, {1, 0}, {0, 1}};
    const uint32_t triangles[6] = {0, 2, 1, 0, 1, 2};
    BUILD_RIGID(generated, points, texcoords, 3, triangles, 2);
    REQUIRE(generated.mesh.num_vertices == 6);
    const md5_mesh *mesh = &generated.mesh;
    check_frames(mesh);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_VEC3(mesh->normals[mesh->indices[i]], 0, 0, 1, 1e-7);
        CHECK_VEC3(mesh->normals[mesh->indices[3 + i]], 0, 0, -1, 1e-7);
    }
}

TEST (normals_are_correct_at_any_scale) {
    static const float scales[] = {1e-30f, 1e-12f, 1, 1e12f, 1e30f};
    for (size_t j = 0; j < COUNT_OF(scales); j++) {
        const float s = scales[j];
        const md5_vec3 points[3] = {{0, 0, 0}, {0, s, 0}, {s, s, 0}};
        const md5_vec2 texcoords[3] = {{0, 0}, {0, s}, {s, s}};
        const uint32_t triangles[3] = {0, 1, 2};
        BUILD_RIGID(generated, points, texcoords, 3, triangles, 1);
        check_frames(&generated.mesh);
        for (uint32_t i = 0; i < 3; i++) {
            CHECK_VEC3(generated.mesh.normals[i], 0, 0, 1, 1e-7);
            CHECK_VEC3(xyz(generated.mesh.tangents[i]), 1, 0, 0, 1e-7);
            CHECK_VEC3(bitangent(&generated.mesh, i), 0, 1, 0, 1e-7);
        }
    }
}

// -- Tangents and seams -----------------------------------------------------------------------

TEST (tangents_follow_the_texture_of_any_triangle) {
    uint64_t random = 1;
    for (int round = 0; round < 500; round++) {
        md5_vec3 points[3];
        md5_vec2 texcoords[3];
        for (int i = 0; i < 3; i++) {
            points[i] = random_point(&random);
            texcoords[i] = random_texcoord(&random);
        }
        const md5_vec3 normal =
            cross(md5_vec3_sub(points[2], points[0]), md5_vec3_sub(points[1], points[0]));
        const md5_vec3 u = texture_direction(points, texcoords, 1, 0);
        const md5_vec3 v = texture_direction(points, texcoords, 0, 1);
        const uint32_t triangles[3] = {0, 1, 2};
        BUILD_RIGID(generated, points, texcoords, 3, triangles, 1);
        CHECK_UINT(generated.mesh.num_vertices, 3);
        for (uint32_t i = 0; i < 3; i++) {
            CHECK(dot(generated.mesh.normals[i], normal) > 0);
            CHECK_VEC3(xyz(generated.mesh.tangents[i]), u.x, u.y, u.z, 1e-6);
            // The bitangent is perpendicular to N and T. It is therefore not parallel to P_v, but
            // on the same side of T.
            CHECK(dot(bitangent(&generated.mesh, i), v) > 0);
        }
    }
}

// Triangles with a common vertex and random directions, like a tuft of grass. Their smooth normals
// have any direction, also almost the direction of +u.
TEST (tangent_frames_are_valid_for_triangles_in_any_direction) {
    enum { TRIANGLES = 5, VERTICES = 1 + 2 * TRIANGLES };
    uint64_t random = 37;
    for (int round = 0; round < 2000; round++) {
        md5_vec3 points[VERTICES];
        md5_vec2 texcoords[VERTICES];
        uint32_t triangles[3 * TRIANGLES];
        for (int i = 0; i < VERTICES; i++) {
            points[i] = random_point(&random);
            texcoords[i] = random_texcoord(&random);
        }
        for (uint32_t i = 0; i < TRIANGLES; i++) {
            triangles[3 * i] = 0;
            triangles[3 * i + 1] = 1 + 2 * i;
            triangles[3 * i + 2] = 2 + 2 * i;
        }
        BUILD_RIGID(generated, points, texcoords, VERTICES, triangles, TRIANGLES);
        check_frames(&generated.mesh);
    }
}

// Two quads side by side on the plane z = 0, x from -1 to 1, seen from above. The texture runs
// outward from the middle on both: u = |x|, v = y.
TEST (mirror_seam_gets_a_tangent_for_each_side) {
    md5_vec3 points[6];
    md5_vec2 texcoords[6];
    for (uint32_t i = 0; i < 6; i++) {
        points[i] = (md5_vec3){(float)(i % 3) - 1.0f, (float)(i / 3), 0};
        texcoords[i] = (md5_vec2){fabsf(points[i].x), points[i].y};
    }
    const uint32_t triangles[12] = {0, 3, 1, 1, 3, 4, 1, 4, 2, 2, 4, 5};
    BUILD_RIGID(generated, points, texcoords, 6, triangles, 4);
    REQUIRE(generated.mesh.num_vertices == 8);
    const md5_mesh *drawn = &generated.mesh;
    check_frames(drawn);
    CHECK_UINT(drawn->sources[6], 1);
    CHECK_UINT(drawn->sources[7], 4);
    CHECK_UINT(drawn->num_influences, 8);
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t vertex = drawn->indices[i];
        const double side = i < 6 ? -1.0 : 1.0;
        CHECK_UINT(drawn->sources[vertex], triangles[i]);
        CHECK(vertex < 6 || i >= 6); // copies belong to negative texture areas
        CHECK_VEC3(drawn->normals[vertex], 0, 0, 1, 1e-7);
        CHECK_VEC3(xyz(drawn->tangents[vertex]), side, 0, 0, 1e-7);
        CHECK_VEC3(bitangent(drawn, vertex), 0, 1, 0, 1e-7);
    }
    for (uint32_t copy = 6; copy < 8u; copy++) {
        const uint32_t source = drawn->sources[copy];
        CHECK_BYTES(&drawn->positions[copy], &drawn->positions[source], sizeof(md5_vec3));
        CHECK_BYTES(&drawn->texcoords[copy], &drawn->texcoords[source], sizeof(md5_vec2));
        CHECK_BYTES(&drawn->influences[drawn->first_influence[copy]],
                    &drawn->influences[drawn->first_influence[source]], sizeof(md5_vec4));
    }
}

TEST (texture_without_area_splits_nothing_and_still_gives_a_frame) {
    uint64_t random = 7;
    const md5_vec2 textures[3][3] = {
        {{0, 0}, {0, 0}, {0, 0}},                   // a point
        {{0, 0}, {0.5f, 0.5f}, {1, 1}},             // a line
        {{0.25f, 0.5f}, {0.25f, 0.75f}, {0.25f, 1}} // a line of constant u
    };
    for (uint32_t round = 0; round < 90; round++) {
        md5_vec3 points[3];
        for (int i = 0; i < 3; i++)
            points[i] = random_point(&random);
        const uint32_t triangles[6] = {0, 1, 2, 0, 2, 1};
        BUILD_RIGID(generated, points, textures[round % 3], 3, triangles, 1 + round % 2);
        CHECK_UINT(generated.mesh.num_vertices, 3);
        check_frames(&generated.mesh);
        for (uint32_t i = 0; i < 3; i++)
            CHECK(generated.mesh.tangents[i].w == 1);
    }
}

TEST (texture_without_area_counts_as_not_mirrored) {
    const md5_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const uint32_t triangles[6] = {0, 1, 2, 0, 1, 3};
    for (uint32_t round = 0; round < 2; round++) {
        // In the first case the texture of the first triangle is not mirrored, in the second case
        // it is. The second triangle has no area.
        const float u = round ? -1.0f : 1.0f;
        const md5_vec2 texcoords[4] = {{0, 0}, {u, 0}, {0, 1}, {u, 0}};
        BUILD_RIGID(generated, points, texcoords, 4, triangles, 2);
        CHECK_UINT(generated.mesh.num_vertices, round ? 6 : 4);
        check_frames(&generated.mesh);
    }
}

// -- Empty meshes and extreme numbers ---------------------------------------------------------

TEST (mesh_without_vertices_has_no_influences) {
    const mesh_source source = {.bind = &identity};
    SCOPED_MESH generated;
    REQUIRE(build_generated_mesh(&generated, &source, 1, NULL));
    CHECK_UINT(generated.mesh.num_vertices, 0);
    CHECK_UINT(generated.mesh.num_influences, 0);
    CHECK_UINT(generated.mesh.first_influence[0], 0);
    CHECK_UINT(generated.mesh.max_influences, 0);
    CHECK(generated.mesh.bounds.min.x > generated.mesh.bounds.max.x);
    CHECK_EXACT(md5_pack_loss(&generated.model, 0, 4, NULL), 0);
}

TEST (vertices_that_no_triangle_uses_have_a_frame) {
    const md5_vec3 points[2] = {{1, 2, 3}, {1, 2, 3}};
    const md5_vec2 texcoords[2] = {{0, 0}, {1, 1}};
    BUILD_RIGID(generated, points, texcoords, 2, NULL, 0);
    check_frames(&generated.mesh);
    CHECK_VEC3(generated.mesh.normals[0], 0, 0, 1, 0);
    CHECK_VEC3(generated.mesh.normals[1], 0, 0, 1, 0);
}

// Positions, texture coordinates and biases of FLT_MAX do not cause infinite or undefined normals,
// tangents, positions or losses.
TEST (widest_numbers_stay_finite) {
    const float m = FLT_MAX;
    const md5_vec3 points[4] = {{m, m, m}, {-m, m, -m}, {m, -m, -m}, {-m, -m, m}};
    const md5_vec2 texcoords[4] = {{m, m}, {-m, m}, {m, -m}, {-m, -m}};
    const uint32_t triangles[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
    SCOPED_RIGID mesh = rigid_mesh(points, texcoords, 4, triangles, 4);
    for (uint32_t i = 0; i < 4; i++)
        mesh.weights[i].bias = i % 2 ? m : -m;
    SCOPED_MESH generated;
    REQUIRE(build_generated_mesh(&generated, &mesh.source, 1, NULL));
    check_frames(&generated.mesh);
    for (uint32_t i = 0; i < generated.mesh.num_vertices; i++) {
        CHECK(real_length(generated.mesh.positions[i]) < INFINITY);
    }
    CHECK(md5_pack_loss(&generated.model, 0, 4, NULL) <= FLT_MAX);
}

TEST (summary_counts_weights_and_off_sums) {
    // The sums of the biases of the vertices are 1, 0.99995 (within the tolerance), 0.5, 1.7, none
    // (no weight), and -1.
    const float biases[8] = {1, 0.5f, 0.49995f, 0.5f, 0.9f, 0.8f, -1, 1};
    const md5_vertex vertices[6] = {{0, 1}, {1, 2}, {3, 1}, {4, 2}, {0, 0}, {6, 1}};
    const md5_vec2 texcoords[6] = {{0, 0}};
    md5_weight weights[8];
    for (uint32_t i = 0; i < 8; i++)
        weights[i] = (md5_weight){0, biases[i], {(float)i, 0, 0}};
    const mesh_source source = {
        .num_vertices = 6,
        .num_weights = 8,
        .vertices = vertices,
        .texcoords = texcoords,
        .weights = weights,
        .bind = &identity,
    };
    SCOPED_MESH generated;
    REQUIRE(build_generated_mesh(&generated, &source, 1, NULL));
    CHECK_UINT(generated.mesh.max_weights, 2);
    CHECK_UINT(generated.mesh.max_influences, 1);
    CHECK_UINT(generated.mesh.num_off_sums, 3);
    CHECK_NEAR(generated.mesh.bounds.min.x, -6, 1e-6);
    CHECK_NEAR(generated.mesh.bounds.max.x, 0.9 * 4 + 0.8 * 5, 1e-6);
}

TEST (every_failed_allocation_is_an_error) {
    md5_vec3 points[CUBE_VERTICES];
    md5_vec2 texcoords[CUBE_VERTICES];
    uint32_t triangles[3 * CUBE_TRIANGLES];
    make_cube(points, texcoords, triangles);
    SCOPED_RIGID cube = rigid_mesh(points, texcoords, CUBE_VERTICES, triangles, CUBE_TRIANGLES);
    bool built = false;
    size_t num_failed = 0;
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_MESH generated;
        built = build_generated_mesh(&generated, &cube.source, 1, &failure.opts);
        CHECK_UINT(generated.error.status, built ? MD5_OK : MD5_ERROR_MEMORY);
        num_failed += !built;
    }
    CHECK(built && num_failed > 1);

    // Smaller limits make every array fail, including arrays that share a chunk.
    for (size_t limit = 1; limit < 64 << 10; limit += 97) {
        const md5_load_opts opts = {.allocator = {.limit = limit}};
        SCOPED_MESH generated;
        built = build_generated_mesh(&generated, &cube.source, 1, &opts);
        CHECK_UINT(generated.error.status, built ? MD5_OK : MD5_ERROR_MEMORY);
    }
}

// -- Hostile meshes ---------------------------------------------------------------------------

// Returns the peak memory for `count` parallel triangles. Each vertex is at one of three positions,
// in one of `spread` variants that differ by multiples of FLT_EPSILON. Lists of neighbors and hash
// chains would be long.
static size_t crowded_fan_peak(uint32_t count, uint32_t spread)
{
    SCOPED_ARRAY(md5_vec3, points, 3 * (size_t)count);
    SCOPED_ARRAY(md5_vec2, texcoords, 3 * (size_t)count);
    SCOPED_ARRAY(uint32_t, triangles, 3 * (size_t)count);
    for (uint32_t i = 0; i < 3 * count; i++) {
        const float shift = (float)(i / 3 % spread) * FLT_EPSILON;
        points[i] = (md5_vec3){1.0f + shift, 0, 0};
        if (i % 3 == 1)
            points[i].y = 1;
        if (i % 3 == 2)
            points[i].z = 1;
        texcoords[i] = (md5_vec2){points[i].y, points[i].z};
        triangles[i] = i;
    }
    SCOPED_RIGID mesh = rigid_mesh(points, texcoords, 3 * (size_t)count, triangles, count);
    test_heap heap = {0};
    const md5_load_opts opts = heap_opts(&heap, 0);
    SCOPED_MESH generated;
    if (CHECK(build_generated_mesh(&generated, &mesh.source, 1, &opts))) {
        CHECK_UINT(generated.mesh.num_vertices, 3 * count);
        for (uint32_t i = 0; i < 3 * count; i++)
            CHECK(fabsf(generated.mesh.normals[i].x + 1.0f) < 1e-6f);
    }
    return heap.peak_bytes;
}

TEST (crowded_points_take_linear_time_and_memory) {
    for (uint32_t spread = 1; spread <= 100000; spread *= 10) {
        const size_t half = crowded_fan_peak(50000, spread);
        const size_t full = crowded_fan_peak(100000, spread);
        // Chunks double in size, so the peak can be up to twice the memory that is used.
        CHECK(full <= 4 * half);
        CHECK(full <= 3 * 100000 * (size_t)1000);
    }
}

// -- Real geometry --------------------------------------------------------------------------------

// Geometry derived for real models of the corpus.

static md5_model *load(const char *path)
{
    md5_error error = {0};
    md5_model *model = md5_load_model(test_pathf("corpus/%s", path), NULL, &error);
    CHECK_THAT(model != NULL, "%s: %s", path, error.message);
    return model;
}

static double model_size(const md5_model *model)
{
    return real_distance(model->bounds.max, model->bounds.min);
}

// Corners of triangles that disagree with their vertex.
typedef struct disagreements {
    uint32_t corners;
    uint32_t normals;
    uint32_t tangents;
    uint32_t bitangents;
} disagreements;

// Counts the corners of a triangle, and those whose normal, tangent or bitangent points away from
// the direction that the triangle defines.
static void count_triangle(const md5_mesh *mesh, const uint32_t *corners, disagreements *count)
{
    const md5_vec3 *p = mesh->positions;
    const md5_vec2 *uv = mesh->texcoords;
    const uint32_t a = corners[0];
    const uint32_t b = corners[1];
    const uint32_t c = corners[2];
    const md5_vec3 e0 = md5_vec3_sub(p[b], p[a]);
    const md5_vec3 e1 = md5_vec3_sub(p[c], p[a]);
    const float du0 = uv[b].x - uv[a].x;
    const float dv0 = uv[b].y - uv[a].y;
    const float du1 = uv[c].x - uv[a].x;
    const float dv1 = uv[c].y - uv[a].y;
    const float area = du0 * dv1 - dv0 * du1;
    if (fabsf(area) < 1e-9f)
        return;
    const md5_vec3 along_u =
        md5_vec3_sub(md5_vec3_scale(e0, dv1 / area), md5_vec3_scale(e1, dv0 / area));
    const md5_vec3 along_v =
        md5_vec3_sub(md5_vec3_scale(e1, du0 / area), md5_vec3_scale(e0, du1 / area));
    const md5_vec3 outward = cross(e1, e0);
    for (int i = 0; i < 3; i++) {
        const md5_vec3 normal = mesh->normals[corners[i]];
        const md5_vec4 t = mesh->tangents[corners[i]];
        const md5_vec3 tangent = xyz(t);
        count->corners++;
        count->normals += dot(normal, outward) < 0;
        count->tangents += dot(tangent, along_u) < 0;
        count->bitangents += dot(cross(normal, tangent), along_v) * t.w < 0;
    }
}

// Smoothing around a sharp edge can tilt the tangent frame of a vertex away from a triangle, but
// rarely does. An incorrect sign would tilt half of the frames, or all.
TEST (tangent_frames_of_real_models_agree_with_their_triangles) {
    STRINGS(paths) = {
        "frankie/Frankie.md5mesh",
        "redeclipse/drone/mesh.md5mesh",
        "stromar/stromar.md5mesh",
        "terasology/lasr/queen.md5mesh",
        "terasology/gooeysquests/skeleton.md5mesh",
    };
    REQUIRE_CORPUS();
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        SCOPED_MODEL model = load(paths[i]);
        disagreements count = {0};
        if (model) {
            for (uint32_t m = 0; m < model->num_meshes; m++) {
                const md5_mesh *mesh = &model->meshes[m];
                for (uint32_t t = 0; t < mesh->num_triangles; t++)
                    count_triangle(mesh, mesh->indices + 3 * t, &count);
            }
        }
        CHECK(count.corners > 1000);
        CHECK(count.normals * 50 < count.corners);
        CHECK(count.tangents * 50 < count.corners);
        CHECK(count.bitangents * 50 < count.corners);
    }
}

// The drone has at most three weights per vertex, which sum to 1 and define the same point: nothing
// is lost. Frankie has up to six weights, so four slots lose a little. Rounded sums and offsets
// lose less than a ten-thousandth of the model's size.
TEST (real_models_report_the_expected_loss) {
    REQUIRE_CORPUS();
    SCOPED_MODEL drone = load("redeclipse/drone/mesh.md5mesh");
    if (drone) {
        for (uint32_t m = 0; m < drone->num_meshes; m++) {
            CHECK_UINT(drone->meshes[m].max_influences, 3);
            CHECK(drone->meshes[m].loss4 < 1e-4 * model_size(drone));
        }
    }
    SCOPED_MODEL frankie = load("frankie/Frankie.md5mesh");
    if (frankie) {
        const md5_mesh *body = &frankie->meshes[1];
        CHECK_UINT(body->max_influences, 6);
        CHECK(body->loss4 > 1e-3 * model_size(frankie));
        CHECK(body->loss8 < 1e-4 * model_size(frankie));
    }
}

// The weights of 332 of the rook's 2 076 vertices do not meet in one point.
TEST (weights_with_different_points_are_found) {
    REQUIRE_CORPUS();
    SCOPED_MODEL rook = load("terasology/redElephantrook.md5mesh");
    if (!rook)
        return;
    const md5_mesh *mesh = &rook->meshes[0];
    uint32_t num_apart = 0;
    for (uint32_t i = 0; i < mesh->num_file_vertices; i++) {
        const md5_vertex vertex = mesh->file_vertices[i];
        const md5_weight *weights = mesh->weights + vertex.first_weight;
        double max_distance = 0;
        for (uint32_t k = 1; k < vertex.num_weights; k++) {
            const md5_vec3 first = md5_mat34_point(rook->bind[weights[0].joint], weights[0].offset);
            max_distance = fmax(max_distance,
                                real_distance(first, md5_mat34_point(rook->bind[weights[k].joint],
                                                                     weights[k].offset)));
        }
        num_apart += max_distance > 1e-3 * model_size(rook);
    }
    CHECK_UINT(mesh->num_file_vertices, 2076);
    CHECK_UINT(num_apart, 332);
    CHECK(mesh->loss4 > 1e-2 * model_size(rook));
    CHECK(mesh->loss8 == mesh->loss4); // more slots do not help
}

// -- Memory ---------------------------------------------------------------------------------------

// Loading and binding with any allocation failing. The table sizes make each table in turn need a
// separate memory chunk.

// Writes a model with num_joints joints in a chain, and one mesh with num_vertices vertices. Each
// vertex has a separate weight, and every second triangle is mirrored.
static void make_model(test_text *text, unsigned num_joints, unsigned num_vertices)
{
    test_append(text, "MD5Version 10 commandline \"\" numJoints %u numMeshes 1 joints {\n",
                num_joints);
    for (uint32_t i = 0; i < num_joints; i++)
        test_append(text, "j%u %d ( 0 0 1 ) ( 0 0 0 )\n", i, (int)i - 1);
    test_append(text, "} mesh { shader \"\" numverts %u\n", num_vertices);
    for (uint32_t i = 0; i < num_vertices; i++)
        test_append(text, "vert %u ( %u %u ) %u 1\n", i, i % 2, 1 - i % 2, i);
    test_append(text, "numtris %u\n", num_vertices - 2);
    for (unsigned i = 0; i + 2 < num_vertices; i++)
        test_append(text, "tri %u 0 1 %u\n", i, i + 2);
    test_append(text, "numweights %u\n", num_vertices);
    for (uint32_t i = 0; i < num_vertices; i++)
        test_append(text, "weight %u 0 1 ( %u 0 0 )\n", i, i);
    test_append(text, "}\n");
}

static void make_anim(test_text *text, unsigned num_joints)
{
    test_append(text,
                "MD5Version 10 commandline \"\" numFrames 1 numJoints %u frameRate 24\n"
                "numAnimatedComponents 0 hierarchy {\n",
                num_joints);
    for (uint32_t i = 0; i < num_joints; i++)
        test_append(text, "j%u -1 0 0\n", num_joints - 1 - i);
    test_append(text, "} bounds { ( 0 0 0 ) ( 0 0 0 ) } baseframe {\n");
    for (uint32_t i = 0; i < num_joints; i++)
        test_append(text, "( 0 0 0 ) ( 0 0 0 )\n");
    test_append(text, "} frame 0 { }\n");
}

// Few vertices with the same large number of weights, each on a different joint: deriving them
// takes more memory than reading them.
static void make_sharing_model(test_text *text, unsigned num_joints, unsigned num_vertices)
{
    test_append(text, "MD5Version 10 commandline \"\" numJoints %u numMeshes 1 joints {\n",
                num_joints);
    for (uint32_t i = 0; i < num_joints; i++)
        test_append(text, "j -1 ( 0 0 1 ) ( 0 0 0 )\n");
    test_append(text, "} mesh { shader \"\" numverts %u\n", num_vertices);
    for (uint32_t i = 0; i < num_vertices; i++)
        test_append(text, "vert %u ( 0 0 ) 0 %u\n", i, num_joints);
    test_append(text, "numtris 0 numweights %u\n", num_joints);
    for (uint32_t i = 0; i < num_joints; i++)
        test_append(text, "weight %u %u .01 ( 0 0 0 )\n", i, i);
    test_append(text, "}\n");
}

// Makes each allocation fail in turn. Returns the number of allocations without a failure.
static size_t load_with_failures(const test_text *text)
{
    size_t num_failed = 0;
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_MODEL model =
            md5_parse_model(text->bytes, text->used, &failure.opts, &failure.error);
        CHECK_FAILURE(failure, model);
        num_failed += !model;
    }
    return num_failed;
}

TEST (derive_survives_failed_allocation_of_any_table) {
    static const unsigned sizes[] = {3, 30, 150, 300, 500, 700, 1000, 1400, 2000, 3000, 4500};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        SCOPED_TEXT text = {0};
        make_model(&text, 3, sizes[i]);
        load_with_failures(&text);
    }
    SCOPED_TEXT text = {0};
    make_sharing_model(&text, 200, 10);
    CHECK(load_with_failures(&text) > 2);
}

// If the limit is too low to reserve all memory in one chunk, the memory is allocated in several
// chunks.
TEST (derive_survives_any_memory_limit) {
    static const unsigned sizes[] = {3, 30, 150, 300, 500, 1000, 3000};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        SCOPED_TEXT text = {0};
        make_model(&text, 3, sizes[i]);
        bool is_loaded = false;
        for (size_t limit = 1000; !is_loaded && CHECK(limit < 1 << 20); limit += limit / 32) {
            test_heap heap = {0};
            const md5_load_opts opts = heap_opts(&heap, limit);
            md5_error error = {0};
            md5_model *const model = md5_parse_model(text.bytes, text.used, &opts, &error);
            is_loaded = model != NULL;
            CHECK_UINT(error.status, is_loaded ? MD5_OK : MD5_ERROR_MEMORY);
            CHECK(heap.peak_bytes <= limit);
            md5_free_model(model);
            CHECK_UINT(heap.live, 0);
        }
    }
}

// The animation has another order and other parents, so that names are sorted and hierarchies
// compared.
TEST (bind_survives_failed_allocation_of_any_table) {
    static const unsigned sizes[] = {3,    100,  200,  400,  600,  800,
                                     1100, 1500, 2100, 3000, 4200, 6000};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        SCOPED_TEXT mesh = {0};
        SCOPED_TEXT clip = {0};
        make_model(&mesh, sizes[i], 3);
        make_anim(&clip, sizes[i]);
        SCOPED_MODEL model = md5_parse_model(mesh.bytes, mesh.used, NULL, NULL);
        SCOPED_ANIM anim = md5_parse_anim(clip.bytes, clip.used, NULL, NULL);
        REQUIRE(model && anim);
        for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
            SCOPED_BINDING binding = md5_bind(model, anim, &failure.opts, &failure.error);
            CHECK_FAILURE(failure, binding);
            CHECK(!binding || (!binding->same_order && binding->num_missing == 0));
        }
    }
}
