// Influences packed into bytes: largest remainders, interleaved vertices, joints beyond a byte.
#include "test/test.h"

#include "md5/md5model.h"
#include "md5/md5skin.h"

#include <math.h>
#include <string.h>

enum { MOST = 300, MAX_VERTICES = 4 };

// Four slots without being told.
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

// A mesh that has influences and nothing else.
typedef struct packed_mesh {
    md5_mesh mesh;
    uint32_t first[MAX_VERTICES + 1], joints[MAX_VERTICES * MOST];
    md5_vec4 influences[MAX_VERTICES * MOST];
} packed_mesh;

static void add_vertex(packed_mesh *made, const double *biases, uint32_t count,
                       uint32_t first_joint)
{
    md5_mesh *const mesh = &made->mesh;
    uint32_t next = mesh->num_vertices == 0 ? 0 : made->first[mesh->num_vertices];
    made->first[mesh->num_vertices++] = next;
    for (uint32_t i = 0; i < count; i++, next++) {
        made->joints[next] = first_joint + i;
        made->influences[next] = (md5_vec4){0, 0, 0, (float)biases[i]};
    }
    made->first[mesh->num_vertices] = mesh->num_influences = next;
    mesh->first_influence = made->first;
    mesh->influence_joints = made->joints;
    mesh->influences = made->influences;
}

static void check_bytes(const double *biases, uint32_t count, uint32_t slots,
                        const uint8_t *joints_expected, const uint8_t *weights_expected)
{
    static packed_mesh made;
    made.mesh.num_vertices = 0;
    add_vertex(&made, biases, count, 7);
    uint8_t joints[4] = {99, 99, 99, 99}, weights[4] = {99, 99, 99, 99};
    CHECK(pack_bytes(&made.mesh, slots, joints, 0, weights, 0));
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_UINT(joints[i], i < slots ? joints_expected[i] : 99);
        CHECK_UINT(weights[i], i < slots ? weights_expected[i] : 99);
    }
}

// 255 * 4/7 = 145.7, 255 * 2/7 = 72.9, 255 / 7 = 36.4.
TEST (bytes_get_the_largest_remainders) {
    check_bytes((const double[]){4.0 / 7, 2.0 / 7, 1.0 / 7}, 3, 4, (const uint8_t[]){7, 8, 9, 0},
                (const uint8_t[]){146, 73, 36, 0});
    check_bytes((const double[]){0.5, 0.5}, 2, 2, (const uint8_t[]){7, 8},
                (const uint8_t[]){128, 127});
    check_bytes((const double[]){1.0}, 1, 4, (const uint8_t[]){7, 0, 0, 0},
                (const uint8_t[]){255, 0, 0, 0});
}

TEST (bytes_of_dropped_slots_go_to_the_rest) {
    // 0.4 and 0.35 of 0.75: 136 and 119.
    check_bytes((const double[]){0.4, 0.35, 0.25}, 3, 2, (const uint8_t[]){7, 8},
                (const uint8_t[]){136, 119});
}

TEST (bytes_of_negative_weights_are_dropped) {
    check_bytes((const double[]){1.5, -0.5}, 2, 2, (const uint8_t[]){7, 0},
                (const uint8_t[]){255, 0});
    check_bytes((const double[]){-0.5, -0.5}, 2, 2, (const uint8_t[]){7, 8},
                (const uint8_t[]){128, 127});
    check_bytes((const double[]){0.5, -0.5}, 2, 2, (const uint8_t[]){7, 0},
                (const uint8_t[]){255, 0});
    check_bytes((const double[]){0}, 0, 2, (const uint8_t[]){0, 0}, (const uint8_t[]){0, 0});
}

// Against the weights in doubles: no byte is off by one or more, and together they are 255.
TEST (bytes_are_within_one_of_the_weights_and_sum_to_255) {
    static packed_mesh made;
    uint64_t random = 3;
    for (int round = 0; round < 20000; round++) {
        double biases[MOST], kept_sum = 0.0;
        const uint32_t count = 1 + test_random_u32(&random) % (round % 100 == 0 ? 255 : 8);
        const uint32_t slots = round % 100 == 0 ? 255 : 1 + test_random_u32(&random) % 8;
        double next = 1.0;
        for (uint32_t i = 0; i < count; i++) {
            biases[i] = (double)(float)next;
            next *= 0.5 + 0.5 * test_random(&random);
            kept_sum += i < slots ? biases[i] : 0.0;
        }
        made.mesh.num_vertices = 0;
        add_vertex(&made, biases, count, 0);
        uint8_t joints[255], weights[255];
        CHECK(pack_bytes(&made.mesh, slots, joints, slots, weights, slots));
        uint32_t sum = 0;
        for (uint32_t i = 0; i < slots; i++) {
            const double exact = i < count ? 255.0 * biases[i] / kept_sum : 0.0;
            sum += weights[i];
            if (!CHECK(fabs((double)weights[i] - exact) < 1.0 + 1e-4))
                return;
        }
        CHECK_UINT(sum, 255);
    }
}

typedef struct game_vertex {
    float position[3];
    uint8_t joints[4], weights[4];
    float texcoord[2];
} game_vertex;

TEST (bytes_go_into_an_interleaved_vertex) {
    static packed_mesh made;
    made.mesh.num_vertices = 0;
    add_vertex(&made, (const double[]){0.8, 0.2}, 2, 250);
    add_vertex(&made, (const double[]){1.0}, 1, 255);
    game_vertex vertices[2], before;
    memset(vertices, 0x55, sizeof vertices);
    memcpy(&before, vertices, sizeof before);
    CHECK(pack_bytes(&made.mesh, 4, vertices[0].joints, sizeof vertices[0], vertices[0].weights,
                     sizeof vertices[0]));
    CHECK(memcmp(vertices[0].joints, (const uint8_t[]){250, 251, 0, 0}, 4) == 0);
    CHECK(memcmp(vertices[0].weights, (const uint8_t[]){204, 51, 0, 0}, 4) == 0);
    CHECK(memcmp(vertices[1].joints, (const uint8_t[]){255, 0, 0, 0}, 4) == 0);
    CHECK(memcmp(vertices[1].weights, (const uint8_t[]){255, 0, 0, 0}, 4) == 0);
    for (int i = 0; i < 2; i++) {
        CHECK(memcmp(vertices[i].position, before.position, sizeof before.position) == 0);
        CHECK(memcmp(vertices[i].texcoord, before.texcoord, sizeof before.texcoord) == 0);
    }
}

TEST (bytes_refuse_joints_above_255) {
    static packed_mesh made;
    made.mesh.num_vertices = 0;
    add_vertex(&made, (const double[]){0.8, 0.2}, 2, 0);
    add_vertex(&made, (const double[]){0.8, 0.2}, 2, 255);
    uint8_t joints[4] = {99, 99, 99, 99}, weights[4] = {99, 99, 99, 99};
    CHECK(!pack_bytes(&made.mesh, 2, joints, 0, weights, 0));
    for (int i = 0; i < 4; i++)
        CHECK(joints[i] == 99 && weights[i] == 99);
    // Joint 256 is the smaller one: one slot does not need it.
    CHECK(pack_bytes(&made.mesh, 1, joints, 0, weights, 0));
    CHECK_UINT(joints[1], 255);
}
