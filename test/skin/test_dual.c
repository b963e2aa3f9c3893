// md5_build_dual_palette() and md5_skin_batch() against the same computation in doubles, and the
// properties for which dual quaternions are selected.
#include "test/real.h"
#include "test/skin/generated_mesh.h"
#include "test/skin/skin_jobs.h"

// -- In doubles ---------------------------------------------------------------------------------

static real4 add(real4 a, real4 b, double by)
{
    return (real4){a.x + b.x * by, a.y + b.y * by, a.z + b.z * by, a.w + b.w * by};
}

typedef struct dual_quat {
    real4 real;
    real4 dual;
} dual_quat;

static dual_quat dual_from_transform(md5_xform transform)
{
    const md5_vec3 t = transform.translation;
    const real4 half = {0.5 * (double)t.x, 0.5 * (double)t.y, 0.5 * (double)t.z, 0};
    const real4 real = to_unit_real4(transform.rotation);
    return (dual_quat){real, real4_mul(half, real)};
}

// Returns q * point * real4_conjugate(q), plus the translation 2 * dual * real4_conjugate(real) if
// `position_weight` is 1, not 0: Kavan and others, 2008, equation 4.
static real3 moved(dual_quat q, md5_vec3 point, double position_weight)
{
    const real4 p = {(double)point.x, point.y, point.z, 0};
    const real4 back = real4_conjugate(q.real);
    const real4 sum =
        add(real4_mul(real4_mul(q.real, p), back), real4_mul(q.dual, back), 2 * position_weight);
    return (real3){sum.x, sum.y, sum.z};
}

// -- Meshes ---------------------------------------------------------------------------------------

enum { JOINTS = 12, VERTICES = 64, MAX = 7 };

// A mesh as from a file, but assembled manually; its joints and results.
typedef struct dual_case {
    md5_xform transforms[JOINTS];
    md5_mat34 palette[JOINTS];
    md5_dual_quat dual[JOINTS];
    md5_vec3 positions[VERTICES];
    md5_vec3 normals[VERTICES];
    md5_vec4 tangents[VERTICES];
    md5_vec4 influences[VERTICES * MAX];
    uint32_t first_influence[VERTICES + 1];
    uint32_t joints[VERTICES * MAX];
    md5_mesh mesh;
    // Results.
    md5_vec3 posed[VERTICES];
    md5_vec3 posed_normals[VERTICES];
    md5_vec4 posed_tangents[VERTICES];
} dual_case;

static void begin(dual_case *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    fixture->mesh = (md5_mesh){
        .positions = fixture->positions,
        .normals = fixture->normals,
        .tangents = fixture->tangents,
        .first_influence = fixture->first_influence,
        .influence_joints = fixture->joints,
        .influences = fixture->influences,
    };
}

static void set_joint(dual_case *fixture, uint32_t joint, md5_xform transform)
{
    fixture->transforms[joint] = transform;
    fixture->palette[joint] = md5_mat34_from_xform(transform);
    md5_build_dual_palette(fixture->palette, JOINTS, fixture->dual);
}

static float coordinate(uint64_t *random)
{
    return (float)(20 * test_random(random) - 10);
}

static md5_vec3 direction(uint64_t *random)
{
    return md5_quat_rotate(random_quat(random), (md5_vec3){0, 0, 1});
}

static md5_vec3 random_point(uint64_t *random)
{
    return (md5_vec3){coordinate(random), coordinate(random), coordinate(random)};
}

// Begins a mesh without vertices, with random transforms of its joints.
static void begin_with_random_joints(dual_case *fixture, uint64_t *random)
{
    begin(fixture);
    for (uint32_t i = 0; i < JOINTS; i++)
        set_joint(fixture, i, (md5_xform){random_quat(random), random_point(random), 0});
}

static void add_influence(dual_case *fixture, uint32_t joint, float bias)
{
    const uint32_t vertex = fixture->mesh.num_vertices - 1;
    const md5_vec3 p = fixture->positions[vertex];
    const uint32_t influence = fixture->first_influence[vertex + 1]++;
    fixture->joints[influence] = joint;
    fixture->influences[influence] = (md5_vec4){bias * p.x, bias * p.y, bias * p.z, bias};
    fixture->mesh.num_influences++;
}

static void add_vertex(dual_case *fixture, md5_vec3 position, uint64_t *random)
{
    const uint32_t vertex = fixture->mesh.num_vertices++;
    const md5_vec3 tangent = direction(random);
    fixture->positions[vertex] = position;
    fixture->normals[vertex] = direction(random);
    fixture->tangents[vertex] = (md5_vec4){tangent.x, tangent.y, tangent.z, vertex % 2 ? 1 : -1};
    fixture->first_influence[vertex + 1] = fixture->first_influence[vertex];
}

// 1 to MAX influences, whose biases mostly decrease and need not sum to 1.
static void add_random_vertices(dual_case *fixture, uint64_t *random)
{
    for (uint32_t i = 0; i < VERTICES; i++) {
        const uint32_t count = 1 + i % MAX;
        const uint32_t joint = test_random_u32(random) % JOINTS;
        add_vertex(fixture, random_point(random), random);
        for (uint32_t k = 0; k < count; k++)
            add_influence(fixture, (joint + k) % JOINTS,
                          (float)((1 + 0.2 * test_random(random)) / (count + k)));
    }
}

static void skin(dual_case *fixture)
{
    skin_by_duals(&fixture->mesh, fixture->dual, fixture->posed, fixture->posed_normals,
                  fixture->posed_tangents);
}

// Skins a mesh of random vertices and joints.
static void skin_random_mesh(dual_case *fixture, uint64_t *random)
{
    begin_with_random_joints(fixture, random);
    add_random_vertices(fixture, random);
    skin(fixture);
}

static md5_vec3 xyz(md5_vec4 a)
{
    return (md5_vec3){a.x, a.y, a.z};
}

// Computes the largest errors of positions, whose size is about 40 units, and of directions.
static void compare(const dual_case *fixture, double *position_error, double *direction_error)
{
    *position_error = *direction_error = 0;
    for (uint32_t i = 0; i < fixture->mesh.num_vertices; i++) {
        const uint32_t begin = fixture->first_influence[i];
        const dual_quat first = dual_from_transform(fixture->transforms[fixture->joints[begin]]);
        dual_quat sum = {{0, 0, 0, 0}, {0, 0, 0, 0}};
        for (uint32_t j = begin; j < fixture->first_influence[i + 1]; j++) {
            const dual_quat q = dual_from_transform(fixture->transforms[fixture->joints[j]]);
            const double bias = (double)fixture->influences[j].w;
            const double by = real4_dot(first.real, q.real) < 0 ? -bias : bias;
            sum = (dual_quat){add(sum.real, q.real, by), add(sum.dual, q.dual, by)};
        }

        // Normalizes: the real part to unit length, the dual part orthogonal to it.
        const double scale = 1.0 / sqrt(real4_dot(sum.real, sum.real));
        const real4 real = real4_scale(sum.real, scale);
        const real4 dual = real4_scale(sum.dual, scale);
        const dual_quat q = (dual_quat){real, add(dual, real, -real4_dot(real, dual))};

        *position_error = fmax(*position_error, real3_distance(moved(q, fixture->positions[i], 1),
                                                               to_real3(fixture->posed[i])));
        *direction_error =
            fmax(*direction_error, real3_distance(moved(q, fixture->normals[i], 0),
                                                  to_real3(fixture->posed_normals[i])));
        *direction_error =
            fmax(*direction_error, real3_distance(moved(q, xyz(fixture->tangents[i]), 0),
                                                  to_real3(xyz(fixture->posed_tangents[i]))));
        CHECK(fixture->posed_tangents[i].w == fixture->tangents[i].w);
        CHECK_NEAR(real_length(fixture->posed_normals[i]), 1, 1e-6);
        CHECK_NEAR(real_length(xyz(fixture->posed_tangents[i])), 1, 1e-6);
    }
}

// -- Palettes -------------------------------------------------------------------------------------

// The special cases are rotations by half a turn about each axis, so that each of x, y and z is
// once the largest component.
TEST (dual_palette_equals_the_matrix_palette) {
    static const md5_quat special[] = {
        {0, 0, 0, 1},
        {0, 0, 0, -1},
        {1, 0, 0, 0},
        {0, 1, 0, 0},
        {0, 0, 1, 0},
        {0.6f, 0.8f, 0, 0},
        {0.8f, 0, -0.6f, 0},
        {0, 0.6f, 0.8f, 0},
        {0.5f, 0.5f, 0.5f, 0.5f},
        {0.5f, -0.5f, 0.5f, -0.5f},
        {0.70710678f, 0, 0, 0.70710678f},
        {0, 0.70710678f, 0.70710678f, 0},
    };
    const uint32_t num_special = COUNT_OF(special);
    uint64_t random = 3;
    for (uint32_t i = 0; i < 500; i++) {
        const md5_xform transform = {
            i < num_special ? special[i] : random_quat(&random),
            random_point(&random),
            0,
        };
        const md5_mat34 matrix = md5_mat34_from_xform(transform);
        md5_dual_quat q;
        md5_build_dual_palette(&matrix, 1, &q);
        const dual_quat expected = dual_from_transform(transform);
        const double sign = real4_dot(expected.real, to_real4(q.real)) < 0 ? -1 : 1;
        const real4 real = add(to_real4(q.real), expected.real, -sign);
        const real4 dual = add(to_real4(q.dual), expected.dual, -sign);
        CHECK_SMALL(sqrt(real4_dot(real, real)), 5e-7);
        CHECK_SMALL(sqrt(real4_dot(dual, dual)), 5e-6);
        CHECK_NEAR(real4_dot(to_real4(q.real), to_real4(q.real)), 1, 3e-7);
    }
}

// -- Skinning -------------------------------------------------------------------------------------

TEST (dual_skinning_equals_doubles) {
    uint64_t random = 5;
    for (int round = 0; round < 40; round++) {
        dual_case fixture;
        double position_error;
        double direction_error;
        skin_random_mesh(&fixture, &random);
        compare(&fixture, &position_error, &direction_error);
        CHECK_SMALL(position_error, 4e-5);
        CHECK_SMALL(direction_error, 4e-6);
    }
}

TEST (dual_skinning_by_one_joint_equals_matrices) {
    uint64_t random = 7;
    dual_case fixture;
    md5_vec3 positions[VERTICES];
    md5_vec3 normals[VERTICES];
    begin_with_random_joints(&fixture, &random);
    for (uint32_t i = 0; i < VERTICES; i++) {
        add_vertex(&fixture, random_point(&random), &random);
        add_influence(&fixture, i % JOINTS, 1);
    }
    skin(&fixture);
    md5_skin(&fixture.mesh, fixture.palette, positions, normals, NULL);
    for (int i = 0; i < VERTICES; i++) {
        CHECK_SMALL(real_length(md5_vec3_sub(positions[i], fixture.posed[i])), 2e-5);
        CHECK_SMALL(real_length(md5_vec3_sub(normals[i], fixture.posed_normals[i])), 2e-6);
    }
}

// A sleeve along x between two joints. The second joint is twisted by 170 degrees. In the middle
// the sleeve is rotated by 85 degrees and keeps its width; linear blending would reduce the width
// to a twelfth.
TEST (dual_skinning_keeps_the_width_of_a_twisted_sleeve) {
    enum { RING = 16 };
    const double tau = 6.283185307179586;
    const double half = tau * 85.0 / 360.0;
    uint64_t random = 11;
    dual_case fixture;
    md5_vec3 mean[VERTICES];
    begin(&fixture);
    set_joint(&fixture, 0, (md5_xform){{0, 0, 0, 1}, {0, 0, 0}, 0});
    set_joint(&fixture, 1, (md5_xform){{(float)sin(half), 0, 0, (float)cos(half)}, {0, 0, 0}, 0});
    for (uint32_t i = 0; i < RING; i++) {
        const double angle = tau * i / (double)RING;
        add_vertex(&fixture, (md5_vec3){5, (float)cos(angle), (float)sin(angle)}, &random);
        add_influence(&fixture, i % 2, 0.5f);
        add_influence(&fixture, 1 - i % 2, 0.5f);
    }
    skin(&fixture);
    md5_skin(&fixture.mesh, fixture.palette, mean, NULL, NULL);
    for (int i = 0; i < RING; i++) {
        const double angle = tau * i / (double)RING + half;
        const real3 expected = {5, cos(angle), sin(angle)};
        CHECK_SMALL(real3_distance(expected, to_real3(fixture.posed[i])), 1e-6);
        CHECK_NEAR(hypot((double)mean[i].y, (double)mean[i].z), cos(half), 1e-6);
    }
}

// A dual quaternion and its opposite are the same motion, to the last bit.
TEST (dual_skinning_does_not_depend_on_signs) {
    uint64_t random = 13;
    dual_case fixture;
    skin_random_mesh(&fixture, &random);
    for (uint32_t round = 0; round < 8; round++) {
        dual_case reference = fixture; // has the mesh of `fixture`
        for (int i = 0; i < JOINTS; i++) {
            if (test_random_u32(&random) % 2 == 0)
                continue;
            const md5_quat r = reference.dual[i].real;
            const md5_quat d = reference.dual[i].dual;
            reference.dual[i] = (md5_dual_quat){{-r.x, -r.y, -r.z, -r.w}, {-d.x, -d.y, -d.z, -d.w}};
        }
        memset(reference.posed, 0xee, sizeof reference.posed);
        memset(reference.posed_normals, 0xee, sizeof reference.posed_normals);
        skin(&reference);
        CHECK_BYTES(reference.posed, fixture.posed, sizeof fixture.posed);
        CHECK_BYTES(reference.posed_normals, fixture.posed_normals, sizeof fixture.posed_normals);
        CHECK_BYTES(reference.posed_tangents, fixture.posed_tangents,
                    sizeof fixture.posed_tangents);
    }
}

// Blending must not depend on the position and direction of a character.
TEST (dual_skinning_follows_a_common_motion) {
    uint64_t random = 17;
    dual_case fixture;
    dual_case reference;
    skin_random_mesh(&fixture, &random);
    reference = fixture;
    const md5_xform motion = {random_quat(&random), {30, -20, 10}, 0};
    const md5_mat34 matrix = md5_mat34_from_xform(motion);
    for (uint32_t i = 0; i < JOINTS; i++)
        set_joint(&reference, i, md5_xform_mul(motion, fixture.transforms[i]));
    skin(&reference);
    for (int i = 0; i < VERTICES; i++) {
        const md5_vec3 expected = md5_mat34_point(matrix, fixture.posed[i]);
        const md5_vec3 rotated = md5_mat34_direction(matrix, fixture.posed_normals[i]);
        CHECK_SMALL(real_length(md5_vec3_sub(expected, reference.posed[i])), 2e-4);
        CHECK_SMALL(real_length(md5_vec3_sub(rotated, reference.posed_normals[i])), 1e-5);
    }
}

// -- Odd biases -----------------------------------------------------------------------------------

TEST (dual_skinning_keeps_vertices_without_influence) {
    uint64_t random = 19;
    dual_case fixture;
    begin_with_random_joints(&fixture, &random);
    add_vertex(&fixture, (md5_vec3){0, 0, 0}, &random);
    skin(&fixture);
    CHECK(real_length(fixture.posed[0]) == 0);
    CHECK_BYTES(&fixture.posed_normals[0], &fixture.normals[0], sizeof fixture.normals[0]);
    CHECK_BYTES(&fixture.posed_tangents[0], &fixture.tangents[0], sizeof fixture.tangents[0]);
}

// If biases on joints with equal transforms cancel out, or all biases are 0, a blend does not exist
// and the transform of the first joint is used.
TEST (dual_skinning_uses_the_first_joint_if_biases_cancel_out) {
    static const float biases[][2] = {{1, -1}, {0, 0}, {1e-30f, -1e-30f}};
    uint64_t random = 23;
    for (uint32_t i = 0; i < 3; i++) {
        dual_case fixture;
        begin_with_random_joints(&fixture, &random);
        set_joint(&fixture, 1, fixture.transforms[0]);
        add_vertex(&fixture, (md5_vec3){1, 2, 3}, &random);
        add_influence(&fixture, 0, biases[i][0]);
        add_influence(&fixture, 1, biases[i][1]);
        skin(&fixture);
        const dual_quat first = dual_from_transform(fixture.transforms[0]);
        CHECK_SMALL(
            real3_distance(moved(first, fixture.positions[0], 1), to_real3(fixture.posed[0])),
            1e-5);
        CHECK_SMALL(
            real3_distance(moved(first, fixture.normals[0], 0), to_real3(fixture.posed_normals[0])),
            1e-6);
    }
}

TEST (dual_skinning_writes_only_requested_arrays) {
    uint64_t random = 29;
    dual_case fixture;
    dual_case reference;
    skin_random_mesh(&fixture, &random);
    reference = fixture;
    skin_by_duals(&reference.mesh, reference.dual, reference.posed, NULL, NULL);
    CHECK_BYTES(reference.posed, fixture.posed, sizeof fixture.posed);
    skin_by_duals(&reference.mesh, reference.dual, reference.posed, NULL, reference.posed_tangents);
    CHECK_BYTES(reference.posed_tangents, fixture.posed_tangents, sizeof fixture.posed_tangents);
}
