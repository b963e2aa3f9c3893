// Weights merged to influences, packed into slots, and the error of packing.
#include "test/misuse.h"
#include "test/scoped.h"
#include "test/real.h"
#include "test/skin/generated_mesh.h"

#include <float.h>

static const md5_mat34 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};

static real3 matrix_origin(const md5_mat34 *m)
{
    return (real3){(double)m->m[3], m->m[7], (double)m->m[11]};
}

// Returns a weight's bias times its point in the bind pose.
static real3 weighted_point(const md5_mat34 *bind, const md5_weight *weight)
{
    const real3 point = real3_transform(&bind[weight->joint], to_real3(weight->offset), 1);
    return real3_scale(point, weight->bias);
}

static md5_vec3 random_offset(float size, uint64_t *random)
{
    return (md5_vec3){test_betweenf(-size, size, random), test_betweenf(-size, size, random),
                      test_betweenf(-size, size, random)};
}

// Builds a mesh of one vertex with these weights. The mesh exists until the end of the block.
#define BUILD_VERTEX(generated, weights, num_weights, bind, num_joints)        \
    md5_vertex vertex_##generated;                                             \
    const mesh_source source_##generated =                                     \
        single_vertex_source(&vertex_##generated, weights, num_weights, bind); \
    SCOPED_MESH generated;                                                     \
    REQUIRE(build_generated_mesh(&(generated), &source_##generated, num_joints, NULL))

static void pack(const md5_mesh *mesh, uint32_t slots, uint32_t *joints, float *weights)
{
    CHECK(md5_pack_influences(
        &(md5_pack_job){.mesh = mesh, .slots = slots, .joints = joints, .weights = weights}));
}

// -- Merging ----------------------------------------------------------------------------------

static void check_order(const md5_mesh *mesh, uint32_t vertex)
{
    for (uint32_t i = mesh->first_influence[vertex] + 1; i < mesh->first_influence[vertex + 1];
         i++) {
        const float previous_influence = fabsf(mesh->influences[i - 1].w);
        const float here = fabsf(mesh->influences[i].w);
        CHECK(previous_influence > here
              || (previous_influence == here
                  && mesh->influence_joints[i - 1] < mesh->influence_joints[i]));
    }
}

TEST (influences_are_weights_merged_by_joint) {
    enum { MAX = 40, JOINTS = 30 };
    uint64_t random = 3;
    md5_mat34 bind[JOINTS];
    random_joints(bind, JOINTS, 10, &random);
    for (uint32_t round = 0; round < 200; round++) {
        // Up to 14 weights per vertex, the maximum of public models, and then enough weights to
        // select the other sorting algorithm.
        const uint32_t num_weights = round < 140 ? 1 + round % 14 : MAX;
        const uint32_t num_joints = round % 3 == 0 ? 2 : JOINTS; // many repetitions, or few
        md5_weight weights[MAX];
        real3 position = {0, 0, 0};
        for (uint32_t i = 0; i < num_weights; i++) {
            weights[i].joint = test_random_u32(&random) % num_joints;
            // Quarters, so that equal biases are common and zero and negative ones occur.
            weights[i].bias = 0.25f * (float)(test_random_u32(&random) % 8) - 0.5f;
            weights[i].offset = random_offset(5, &random);
            position = real3_add(position, weighted_point(bind, &weights[i]));
        }
        BUILD_VERTEX(generated, weights, num_weights, bind, JOINTS);
        CHECK_UINT(generated.mesh.max_influences, generated.mesh.num_influences);
        CHECK_UINT(generated.mesh.max_weights, num_weights);
        check_order(&generated.mesh, 0);

        // Compare the influences with sums that are computed joint by joint.
        const md5_mesh *mesh = &generated.mesh;
        uint32_t num_expected = 0;
        for (uint32_t joint = 0; joint < JOINTS; joint++) {
            real3 sum = {0, 0, 0};
            double bias = 0;
            bool any = false;
            for (uint32_t i = 0; i < num_weights; i++) {
                if (weights[i].joint != joint || weights[i].bias == 0)
                    continue;
                sum = real3_add(sum, weighted_point(bind, &weights[i]));
                bias += (double)weights[i].bias;
                any = true;
            }
            num_expected += any;
            for (uint32_t i = 0; i < mesh->num_influences; i++) {
                if (mesh->influence_joints[i] != joint)
                    continue;
                CHECK(any);
                CHECK_NEAR(mesh->influences[i].x, sum.x, 1e-6 * (1 + fabs(sum.x)));
                CHECK_NEAR(mesh->influences[i].y, sum.y, 1e-6 * (1 + fabs(sum.y)));
                CHECK_NEAR(mesh->influences[i].z, sum.z, 1e-6 * (1 + fabs(sum.z)));
                CHECK_NEAR(mesh->influences[i].w, bias, 1e-7);
            }
        }
        CHECK_UINT(mesh->num_influences, num_expected);

        CHECK_SMALL(real3_length(real3_sub(to_real3(generated.mesh.positions[0]), position)), 1e-5);
    }
}

TEST (weights_without_effect_have_no_influence) {
    const md5_weight weights[4] = {
        {2, 0, {1, 2, 3}}, // zero bias
        {1, 1, {4, 5, 6}},
        {0, 0.5f, {7, 8, 9}}, // cancelled by the next
        {0, -0.5f, {7, 8, 9}},
    };
    const md5_mat34 bind[3] = {identity, identity, identity};
    BUILD_VERTEX(generated, weights, 4, bind, 3);
    REQUIRE(generated.mesh.num_influences == 1);
    CHECK_UINT(generated.mesh.influence_joints[0], 1);
    CHECK(generated.mesh.influences[0].x == 4 && generated.mesh.influences[0].w == 1);
    CHECK_UINT(generated.mesh.num_off_sums, 0);
}

// The sum of biases that cancel out is a direction that rotates with the joint. It must not be
// omitted, although its bias is 0.
TEST (biases_that_cancel_out_keep_their_direction) {
    const md5_weight weights[3] = {{0, 1, {0, 0, 0}}, {1, 2, {1, 0, 0}}, {1, -2, {0, 1, 0}}};
    const md5_mat34 bind[2] = {identity, identity};
    BUILD_VERTEX(generated, weights, 3, bind, 2);
    REQUIRE(generated.mesh.num_influences == 2);
    CHECK_UINT(generated.mesh.influence_joints[1], 1);
    const md5_vec4 left = generated.mesh.influences[1];
    CHECK(left.x == 2 && left.y == -2);
    CHECK(left.z == 0 && left.w == 0);
}

TEST (vertices_may_share_their_weights) {
    const md5_weight weights[3] = {
        {0, 0.5f, {2, 0, 0}}, {1, 0.5f, {4, 0, 0}}, {2, 0.5f, {6, 0, 0}}};
    const md5_vertex vertices[4] = {{0, 2}, {1, 2}, {0, 3}, {1, 0}};
    const md5_vec2 texcoords[4] = {{0, 0}};
    const md5_mat34 bind[3] = {identity, identity, identity};
    const mesh_source source = {
        .num_vertices = 4,
        .num_weights = 3,
        .vertices = vertices,
        .texcoords = texcoords,
        .weights = weights,
        .bind = bind,
    };
    SCOPED_MESH generated;
    REQUIRE(build_generated_mesh(&generated, &source, 3, NULL));
    static const uint32_t first_influence[5] = {0, 2, 4, 7, 7};
    static const float expected[4] = {3, 5, 6, 0};
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_UINT(generated.mesh.first_influence[i + 1], first_influence[i + 1]);
        CHECK(generated.mesh.positions[i].x == expected[i]);
        check_order(&generated.mesh, i);
    }
    CHECK_UINT(generated.mesh.max_influences, 3);
    CHECK_UINT(generated.mesh.num_off_sums, 1);
}

// Checks one vertex with `count` weights spread over `num_joints` joints. In quadratic time this
// would take minutes.
static void check_crowded_vertex(uint32_t count, uint32_t num_joints)
{
    SCOPED_ARRAY(md5_weight, weights, count);
    SCOPED_ARRAY(md5_mat34, bind, num_joints);
    uint64_t random = 5;
    for (uint32_t i = 0; i < num_joints; i++)
        bind[i] = identity;
    for (uint32_t i = 0; i < count; i++) {
        const float bias = (float)(1 + test_random_u32(&random) % 1000) / (float)count;
        weights[i] = (md5_weight){num_joints - 1 - i % num_joints, bias, {1, 0, 0}};
    }
    BUILD_VERTEX(generated, weights, count, bind, num_joints);
    CHECK_UINT(generated.mesh.num_influences, num_joints);
    check_order(&generated.mesh, 0);
    SCOPED_ARRAY(bool, is_used, num_joints);
    for (uint32_t i = 0; i < generated.mesh.num_influences; i++)
        is_used[generated.mesh.influence_joints[i]] = true;
    uint32_t num_used = 0;
    for (uint32_t i = 0; i < num_joints; i++)
        num_used += is_used[i];
    CHECK_UINT(num_used, num_joints);
}

TEST (crowded_vertex_takes_linear_time) {
    check_crowded_vertex(500000, 500000);
    check_crowded_vertex(500000, 1000);
    check_crowded_vertex(500000, 1);
}

// -- Packing ----------------------------------------------------------------------------------

TEST (packed_influences_are_the_largest_scaled_to_sum_1) {
    enum { JOINTS = 20, MAX = 12 };
    uint64_t random = 9;
    md5_mat34 bind[JOINTS];
    random_joints(bind, JOINTS, 10, &random);
    for (uint32_t round = 0; round < 120; round++) {
        const uint32_t num_weights = round % (MAX + 1);
        const uint32_t slots = 1 + round % 8;
        md5_weight weights[MAX];
        for (uint32_t i = 0; i < num_weights; i++) {
            const float bias = (float)(0.01 + test_random(&random));
            weights[i] = (md5_weight){19 - i, bias, random_offset(5, &random)};
        }
        BUILD_VERTEX(generated, weights, num_weights, bind, JOINTS);
        uint32_t joints[9];
        float packed[9];
        joints[slots] = 12345;
        packed[slots] = 12345;
        pack(&generated.mesh, slots, joints, packed);
        CHECK_UINT(joints[slots], 12345);
        CHECK(packed[slots] == 12345);
        const uint32_t kept = num_weights < slots ? num_weights : slots;
        double sum = 0;
        for (uint32_t i = 0; i < slots; i++) {
            sum += packed[i];
            CHECK_UINT(joints[i], i < kept ? generated.mesh.influence_joints[i] : 0);
            CHECK(i < kept ? packed[i] > 0 : packed[i] == 0);
            if (i < kept && i > 0) // in the same proportions
                CHECK_NEAR((double)packed[i] * generated.mesh.influences[0].w,
                           (double)packed[0] * generated.mesh.influences[i].w, 1e-6);
        }
        CHECK_NEAR(sum, kept > 0 ? 1 : 0, 1e-6);
    }
}

static void check_packed(const float *biases, uint32_t count, uint32_t slots, const float *expected)
{
    md5_weight weights[8];
    md5_mat34 bind[8];
    for (uint32_t i = 0; i < count; i++) {
        weights[i] = (md5_weight){i, biases[i], {(float)i, 1, 2}};
        bind[i] = identity;
    }
    BUILD_VERTEX(generated, weights, count, bind, count);
    uint32_t joints[8];
    float packed[8];
    pack(&generated.mesh, slots, joints, packed);
    for (uint32_t i = 0; i < slots; i++)
        CHECK_NEAR(packed[i], expected[i], 1e-6);
}

TEST (packing_handles_negative_and_cancelling_biases) {
    check_packed((float[]){-0.5f, 1.5f}, 2, 4, (float[]){1.5f, -0.5f, 0, 0});
    check_packed((float[]){-2}, 1, 2, (float[]){1, 0});
    check_packed((float[]){0.25f, 0.25f}, 2, 2, (float[]){0.5f, 0.5f});
    check_packed((float[]){1, -1}, 2, 3, (float[]){1, 0, 0});
    check_packed((float[]){1, -1 + FLT_EPSILON}, 2, 2, (float[]){1, 0});
    check_packed((float[]){1, -1, 0.5f}, 3, 2, (float[]){1, 0});
    check_packed((float[]){1, -1, 0.5f}, 3, 3, (float[]){2, -2, 1});
}

// -- Loss -------------------------------------------------------------------------------------

// Reflects `v` in the plane at right angles to `mirror`. Two reflections rotate unit vector a to
// unit vector b: the first along a - b takes a to b, the second along a vector at right angles to b
// restores the handedness without moving b.
static real3 reflect(real3 v, real3 mirror)
{
    const double square = real3_dot(mirror, mirror);
    if (square < 1e-24)
        return v;
    const double along = real3_dot(v, mirror) / square;
    return real3_add(v, real3_scale(mirror, -2 * along));
}

typedef struct loss_case {
    uint32_t num_weights;
    uint32_t num_joints;
    uint32_t slots;
    md5_weight weights[10];
    md5_mat34 bind[10];
    md5_mat34 posed[10];
} loss_case;

// Rotates `v` by the rotation of joint `joint`. The meaning of `how` depends on the function.
typedef real3 rotate_fn(const loss_case *test, uint32_t joint, real3 v, const void *how);

// Returns the difference between the exact vertex and the packed vertex if each joint is rotated
// about its own origin. The exact vertex is the sum of b * J * offset over the file's weights.
static real3 difference(const loss_case *test, const md5_mesh *mesh, rotate_fn *rotate_joint,
                        const void *how)
{
    uint32_t joints[8];
    float packed[8];
    pack(mesh, test->slots, joints, packed);
    real3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < test->num_weights; i++) {
        const md5_weight *const weight = &test->weights[i];
        const real3 arm = real3_transform(&test->bind[weight->joint], to_real3(weight->offset), 0);
        const real3 exact = real3_add(rotate_joint(test, weight->joint, arm, how),
                                      matrix_origin(&test->posed[weight->joint]));
        sum = real3_add(sum, real3_scale(exact, weight->bias));
    }
    for (uint32_t i = 0; i < test->slots; i++) {
        const uint32_t joint = joints[i];
        const real3 arm =
            real3_sub(to_real3(mesh->positions[0]), matrix_origin(&test->bind[joint]));
        const real3 position =
            real3_add(rotate_joint(test, joint, arm, how), matrix_origin(&test->posed[joint]));
        sum = real3_add(sum, real3_scale(position, -(double)packed[i]));
    }
    return sum;
}

// Rotates `v` by the random rotation of a joint. `how` points to a matrix for each joint.
static real3 rotate_at_random(const loss_case *test, uint32_t joint, real3 v, const void *how)
{
    (void)test;
    return real3_transform((const md5_mat34 *)how + joint, v, 0);
}

// Each joint rotated so that its part of the difference points along one direction: the worst case.
typedef struct worst_rotations {
    real3 from[10];
    real3 to;
    double side[10];
} worst_rotations;

static real3 rotate_worst_case(const loss_case *test, uint32_t joint, real3 v, const void *how)
{
    (void)test;
    const worst_rotations *worst_case = how;
    const real3 from = worst_case->from[joint];
    const real3 to = worst_case->to;
    // The second reflection can use any vector that is perpendicular to `to`.
    const real3 beside = fabs(to.x) < 0.7 ? (real3){0, -to.z, to.y} : (real3){-to.z, 0, to.x};
    return reflect(reflect(v, real3_sub(from, to)), beside);
}

static real3 direction(real3 v)
{
    const double size = real3_length(v);
    return size > 1e-12 ? real3_scale(v, 1.0 / size) : (real3){1, 0, 0};
}

static void make_loss_case(loss_case *test, uint32_t round, uint64_t *random)
{
    memset(test, 0, sizeof *test);
    test->num_joints = 10;
    test->num_weights = 1 + round % 10;
    test->slots = round / 10 % 2 ? 4 : 8;
    random_joints(test->bind, 10, 20, random);
    memcpy(test->posed, test->bind, sizeof test->bind);
    if (round / 20 % 2)
        random_joints(test->posed, 10, 30, random);
    for (uint32_t i = 0; i < test->num_weights; i++) {
        md5_weight *const weight = &test->weights[i];
        weight->joint = test_random_u32(random) % test->num_joints;
        weight->bias = (float)(test_random(random) * (round % 7 ? 0.5 : -0.5));
        weight->offset = random_offset(5, random);
    }
}

// md5_pack_loss() is an upper limit of the error in any pose. No random pose exceeds it, and the
// pose whose rotations align all errors reaches it.
TEST (path_loss_is_never_passed_and_can_be_reached) {
    uint64_t random = 13;
    for (uint32_t round = 0; round < 200; round++) {
        loss_case test;
        make_loss_case(&test, round, &random);
        BUILD_VERTEX(generated, test.weights, test.num_weights, test.bind, test.num_joints);
        const bool moved = memcmp(test.posed, test.bind, sizeof test.bind) != 0;
        const double loss =
            md5_pack_loss(&generated.model, 0, test.slots, moved ? test.posed : NULL);
        const double slack = 1e-4;
        for (uint32_t again = 0; again < 20; again++) {
            md5_mat34 rotations[10];
            random_joints(rotations, 10, 0, &random);
            CHECK(real3_length(difference(&test, &generated.mesh, rotate_at_random, rotations))
                  <= loss + slack);
        }
        worst_rotations worst_case;
        uint32_t joints[8];
        float packed[8];
        pack(&generated.mesh, test.slots, joints, packed);
        real3 parts[10] = {{0, 0, 0}};
        real3 shift = {0, 0, 0};
        for (uint32_t i = 0; i < test.num_weights; i++) {
            md5_weight *const weight = &test.weights[i];
            const double bias = (double)weight->bias;
            const real3 arm =
                real3_transform(&test.bind[weight->joint], to_real3(weight->offset), 0);
            parts[weight->joint] = real3_add(parts[weight->joint], real3_scale(arm, bias));
            shift = real3_add(shift, real3_scale(matrix_origin(&test.posed[weight->joint]), bias));
        }
        for (uint32_t i = 0; i < test.slots; i++) {
            const double weight = (double)packed[i];
            const real3 arm = real3_sub(to_real3(generated.mesh.positions[0]),
                                        matrix_origin(&test.bind[joints[i]]));
            parts[joints[i]] = real3_add(parts[joints[i]], real3_scale(arm, -weight));
            shift = real3_add(shift, real3_scale(matrix_origin(&test.posed[joints[i]]), -weight));
        }
        worst_case.to = direction(shift);
        for (uint32_t i = 0; i < 10; i++)
            worst_case.from[i] = direction(parts[i]);
        CHECK_NEAR(real3_length(difference(&test, &generated.mesh, rotate_worst_case, &worst_case)),
                   loss, slack);
    }
}

// The common case: all weights of a vertex define the same point. With as many slots as weights,
// the loss is only rounding error.
TEST (path_loss_of_ordinary_vertices_is_rounding) {
    enum { JOINTS = 8 };
    uint64_t random = 17;
    md5_mat34 bind[JOINTS];
    random_joints(bind, JOINTS, 20, &random);
    for (uint32_t count = 1; count <= JOINTS; count++) {
        const real3 meet = {3, -4, 5};
        md5_weight weights[JOINTS];
        for (uint32_t i = 0; i < count; i++) {
            const real3 arm = real3_sub(meet, matrix_origin(&bind[i]));
            const float *m = bind[i].m; // its transpose rotates back
            const real3 offset = {m[0] * arm.x + m[4] * arm.y + m[8] * arm.z,
                                  m[1] * arm.x + m[5] * arm.y + m[9] * arm.z,
                                  m[2] * arm.x + m[6] * arm.y + m[10] * arm.z};
            weights[i] = (md5_weight){i, 1.0f / (float)count, to_vec3(offset)};
        }
        BUILD_VERTEX(generated, weights, count, bind, JOINTS);
        CHECK_SMALL(md5_pack_loss(&generated.model, 0, 8, NULL), 1e-4);
        const double loss4 = md5_pack_loss(&generated.model, 0, 4, NULL);
        CHECK(count <= 4 ? loss4 < 1e-4 : loss4 > 1);
    }
}

// Each of the three losses separately, with values that were computed manually.
TEST (path_loss_counts_drops_off_sums_and_points_apart) {
    md5_mat34 bind[5] = {identity, identity, identity, identity, identity};
    // The biases sum to 1.5 for a joint at 10 0 0, and the vertex is at the joint's origin: the
    // error is 0.5 * 10, independent of the rotation.
    bind[0].m[3] = 10;
    const md5_weight off_sum = {0, 1.5f, {0, 0, 0}};
    BUILD_VERTEX(generated, &off_sum, 1, bind, 5);
    // The bind position is 15 0 0, so the packed arm is 5 long: 0.5 * 10 + 5.
    CHECK_NEAR(md5_pack_loss(&generated.model, 0, 4, NULL), 10, 1e-5);
    // Without a pose the assumed movement of joints is the size of the model, here 5, and half of
    // it is lost. With a pose the movement is known.
    generated.model.bounds = (md5_bounds){{0, 0, 0}, {3, 4, 0}};
    CHECK_NEAR(md5_pack_loss(&generated.model, 0, 4, NULL), 12.5, 1e-5);
    CHECK_NEAR(md5_pack_loss(&generated.model, 0, 4, bind), 10, 1e-5);

    // Two halves, of different joints, whose points lie 2 apart: each is 1 from the middle.
    const md5_weight apart[2] = {{0, 0.5f, {0, 1, 0}}, {1, 0.5f, {10, -1, 0}}};
    BUILD_VERTEX(two, apart, 2, bind, 5);
    CHECK_NEAR(md5_pack_loss(&two.model, 0, 4, NULL), 1, 1e-5);

    // Five equal weights in four slots. All joints are at 10 0 0, and the vertex is 2 units away.
    // Each of the four remaining weights is too large by 0.05, and the dropped weight of 0.2 is
    // missing, each times the arm of 2.
    md5_weight dropped[5];
    for (uint32_t i = 0; i < 5; i++) {
        bind[i].m[3] = 10;
        dropped[i] = (md5_weight){i, 0.2f, {0, 0, 2}};
    }
    BUILD_VERTEX(five, dropped, 5, bind, 5);
    CHECK_NEAR(md5_pack_loss(&five.model, 0, 4, NULL), 4 * 0.05 * 2 + 0.2 * 2, 1e-5);
    CHECK_SMALL(md5_pack_loss(&five.model, 0, 5, NULL), 1e-5);
}

// -- Packing into bytes ---------------------------------------------------------------------------
//
// Influences packed into bytes: largest remainders, interleaved vertices, joints beyond a byte.

enum { MAX = 300, MAX_VERTICES = 4 };

// Packs the influences as bytes. Four slots are requested by 0, which selects the default of four.
static bool pack_bytes(const md5_mesh *mesh, uint32_t slots, uint8_t *joints, size_t joint_stride,
                       uint8_t *weights, size_t weight_stride)
{
    return md5_pack_influences(&(md5_pack_job){.mesh = mesh,
                                               .slots = slots == 4 ? 0 : slots,
                                               .format = MD5_PACK_BYTES,
                                               .joints = joints,
                                               .weights = weights,
                                               .joint_stride = joint_stride,
                                               .weight_stride = weight_stride});
}

// A mesh that contains only influences.
typedef struct packed_mesh {
    md5_mesh mesh;
    uint32_t first[MAX_VERTICES + 1];
    uint32_t joints[MAX_VERTICES * MAX];
    md5_vec4 influences[MAX_VERTICES * MAX];
} packed_mesh;

static void add_vertex(packed_mesh *generated, const double *biases, uint32_t count,
                       uint32_t first_joint)
{
    md5_mesh *const mesh = &generated->mesh;
    uint32_t next = mesh->num_vertices == 0 ? 0 : generated->first[mesh->num_vertices];
    generated->first[mesh->num_vertices++] = next;
    for (uint32_t i = 0; i < count; i++, next++) {
        generated->joints[next] = first_joint + i;
        generated->influences[next] = (md5_vec4){0, 0, 0, (float)biases[i]};
    }
    generated->first[mesh->num_vertices] = mesh->num_influences = next;
    mesh->first_influence = generated->first;
    mesh->influence_joints = generated->joints;
    mesh->influences = generated->influences;
}

typedef struct bytes_case {
    double biases[3];
    uint32_t count;
    uint32_t slots;
    uint8_t joints[4];
    uint8_t weights[4];
} bytes_case;

static void check_bytes(const bytes_case *fixture)
{
    static packed_mesh generated;
    generated.mesh.num_vertices = 0;
    add_vertex(&generated, fixture->biases, fixture->count, 7);
    uint8_t joints[4] = {99, 99, 99, 99};
    uint8_t weights[4] = {99, 99, 99, 99};
    CHECK(pack_bytes(&generated.mesh, fixture->slots, joints, 0, weights, 0));
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_UINT(joints[i], i < fixture->slots ? fixture->joints[i] : 99);
        CHECK_UINT(weights[i], i < fixture->slots ? fixture->weights[i] : 99);
    }
}

// The exact weights of the first case are 255 * 4/7 = 145.7, 255 * 2/7 = 72.9 and 255 / 7 = 36.4.
TEST (bytes_get_the_largest_remainders) {
    static const bytes_case cases[] = {
        {{4.0 / 7, 2.0 / 7, 1.0 / 7}, 3, 4, {7, 8, 9, 0}, {146, 73, 36, 0}},
        {{0.5, 0.5}, 2, 2, {7, 8}, {128, 127}},
        {{1}, 1, 4, {7, 0, 0, 0}, {255, 0, 0, 0}}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const bytes_case *const row = &cases[i];
        check_bytes(row);
    }
}

// The weights 0.4 and 0.35 remain. Divided by their sum of 0.75 they are 136 / 255 and 119 / 255.
TEST (bytes_of_dropped_influences_are_distributed) {
    check_bytes(&(bytes_case){{0.4, 0.35, 0.25}, 3, 2, {7, 8}, {136, 119}});
}

TEST (bytes_of_negative_weights_are_dropped) {
    static const bytes_case cases[] = {{{1.5, -0.5}, 2, 2, {7, 0}, {255, 0}},
                                       {{-0.5, -0.5}, 2, 2, {7, 8}, {128, 127}},
                                       {{0.5, -0.5}, 2, 2, {7, 0}, {255, 0}},
                                       {{0}, 0, 2, {0}, {0}}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const bytes_case *const row = &cases[i];
        check_bytes(row);
    }
}

// Compares the bytes with the weights in doubles. The error of each byte must be below 1, and their
// sum must be 255.
TEST (bytes_are_within_one_of_the_weights_and_sum_to_255) {
    static packed_mesh generated;
    uint64_t random = 3;
    for (int round = 0; round < 20000; round++) {
        double biases[MAX];
        double kept_sum = 0;
        const uint32_t count = 1 + test_random_u32(&random) % (round % 100 == 0 ? 255 : 8);
        const uint32_t slots = round % 100 == 0 ? 255 : 1 + test_random_u32(&random) % 8;
        double next = 1;
        for (uint32_t i = 0; i < count; i++) {
            biases[i] = (float)next;
            next *= 0.5 + 0.5 * test_random(&random);
            kept_sum += i < slots ? biases[i] : 0;
        }
        generated.mesh.num_vertices = 0;
        add_vertex(&generated, biases, count, 0);
        uint8_t joints[255];
        uint8_t weights[255];
        CHECK(pack_bytes(&generated.mesh, slots, joints, slots, weights, slots));
        uint32_t sum = 0;
        for (uint32_t i = 0; i < slots; i++) {
            const double exact = i < count ? 255 * biases[i] / kept_sum : 0;
            sum += weights[i];
            REQUIRE(fabs(weights[i] - exact) < 1 + 1e-4);
        }
        CHECK_UINT(sum, 255);
    }
}

typedef struct game_vertex {
    float position[3];
    uint8_t joints[4];
    uint8_t weights[4];
    float texcoord[2];
} game_vertex;

TEST (bytes_are_written_to_interleaved_vertices) {
    static packed_mesh generated;
    generated.mesh.num_vertices = 0;
    add_vertex(&generated, (const double[]){0.8, 0.2}, 2, 250);
    add_vertex(&generated, (const double[]){1}, 1, 255);
    game_vertex vertices[2];
    game_vertex before;
    memset(vertices, 0x55, sizeof vertices);
    memcpy(&before, vertices, sizeof before);
    CHECK(pack_bytes(&generated.mesh, 4, vertices[0].joints, sizeof vertices[0],
                     vertices[0].weights, sizeof vertices[0]));
    static const uint8_t expected[2][2][4] = {{{250, 251, 0, 0}, {204, 51, 0, 0}},
                                              {{255, 0, 0, 0}, {255, 0, 0, 0}}};
    for (int i = 0; i < 2; i++) {
        CHECK_BYTES(vertices[i].joints, expected[i][0], 4);
        CHECK_BYTES(vertices[i].weights, expected[i][1], 4);
        CHECK_BYTES(vertices[i].position, before.position, sizeof before.position);
        CHECK_BYTES(vertices[i].texcoord, before.texcoord, sizeof before.texcoord);
    }
}

TEST (bytes_reject_joints_above_255) {
    static packed_mesh generated;
    generated.mesh.num_vertices = 0;
    add_vertex(&generated, (const double[]){0.8, 0.2}, 2, 0);
    add_vertex(&generated, (const double[]){0.8, 0.2}, 2, 255);
    uint8_t joints[4] = {99, 99, 99, 99};
    uint8_t weights[4] = {99, 99, 99, 99};
    CHECK(!pack_bytes(&generated.mesh, 2, joints, 0, weights, 0));
    for (int i = 0; i < 4; i++)
        CHECK(joints[i] == 99 && weights[i] == 99);
    // Joint 256 has the smaller weight, so it is dropped with one slot.
    CHECK(pack_bytes(&generated.mesh, 1, joints, 0, weights, 0));
    CHECK_UINT(joints[1], 255);
}

// -- Limits ---------------------------------------------------------------------------------

// A vertex of 255 equal influences fills 255 slots, each with a weight of one unit.
TEST (influences_fill_up_to_255_slots) {
    enum { SLOTS = 255 };
    static packed_mesh generated;
    static uint8_t joints[SLOTS];
    static uint8_t weights[SLOTS];
    double biases[SLOTS];
    for (int i = 0; i < SLOTS; i++)
        biases[i] = 1.0 / (double)SLOTS;
    generated.mesh.num_vertices = 0;
    add_vertex(&generated, biases, SLOTS, 0);
    CHECK(pack_bytes(&generated.mesh, SLOTS, joints, SLOTS, weights, SLOTS));
    for (uint32_t i = 0; i < SLOTS; i++) {
        CHECK_UINT(joints[i], i);
        CHECK_UINT(weights[i], 1);
    }
}

#if !defined(NDEBUG)
TEST (errors_in_packing_are_reported) {
    static packed_mesh generated;
    static uint8_t joints[256];
    static uint8_t weights[256];
    generated.mesh.num_vertices = 0;
    add_vertex(&generated, (const double[]){1}, 1, 0);
    MISUSE("job->slots: must be 1 to 255", pack_bytes(&generated.mesh, 256, joints, 0, weights, 0));
    MISUSE("job->joint_stride: must be 0, or at least the number of slots",
           pack_bytes(&generated.mesh, 8, joints, 7, weights, 8));
    MISUSE("job->weight_stride: must be 0, or at least the number of slots",
           pack_bytes(&generated.mesh, 8, joints, 8, weights, 7));
}
#endif
