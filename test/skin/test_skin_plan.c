// How much memory is reserved for the plan of a mesh before it is built.
#include "test/test.h"

#include "md5/skin/plan.h"

// Words for rigid vertices, in contiguous groups if eight in a row are on one joint, else in
// gathered ones; for others as if their points did not meet; for copies; and an eighth more, and
// some.
TEST (skin_plan_is_measured_by_what_real_models_need) {
    enum { ROW = 20, PAIRS = 4, MANY = 9 };
    md5_weight weights[ROW + 3 + 2 * PAIRS + MANY] = {{0}};
    md5_vertex vertices[ROW + 3 + PAIRS + 2] = {{0, 0}};
    uint32_t num_vertices = 0, num_weights = 0;
    for (uint32_t i = 0; i < ROW + 3;
         i++) { // two contiguous groups and four, three of them elsewhere
        vertices[num_vertices++] = (md5_vertex){num_weights, 1};
        weights[num_weights++] = (md5_weight){.joint = i < ROW ? 5 : i, .bias = 1.0f};
    }
    for (uint32_t i = 0; i < PAIRS; i++) {
        vertices[num_vertices++] = (md5_vertex){num_weights, 2};
        weights[num_weights++] = (md5_weight){.joint = 5, .bias = 0.5f};
        weights[num_weights++] = (md5_weight){.joint = 6, .bias = 0.5f};
    }
    vertices[num_vertices++] = (md5_vertex){num_weights, MANY}; // never in a group
    num_weights += MANY;
    vertices[num_vertices++] = (md5_vertex){num_weights, 0};
    const uint32_t words = (2 * 8 + 7 * 25 + PAIRS * 2 * 33) / 8;
    md5_skin_plan_size size =
        md5_skin_plan_measure(vertices, num_vertices, weights, NULL, num_weights);
    CHECK_UINT(size.max_influences, MANY);
    CHECK_UINT(size.num_contiguous, 2);
    CHECK_UINT(size.num_words, words + words / 8 + 64);

    const uint32_t copies = 40, with_copies = (2 * 8 + 7 * 25 + (PAIRS * 2 + copies) * 33) / 8;
    size = md5_skin_plan_measure(vertices, num_vertices, weights, NULL, num_weights + copies);
    CHECK_UINT(size.num_words, with_copies + with_copies / 8 + 64);
    // Contiguous groups need no more; a row of three needs a gathered group; a mesh needs no more
    // than a gathered group of three takes.
    size = md5_skin_plan_measure(vertices, 16, weights, NULL, 16);
    CHECK_UINT(size.num_words, 2);
    size = md5_skin_plan_measure(vertices, 3, weights, NULL, 3);
    CHECK_UINT(size.num_words, 3 * 25 / 8 + 3 * 25 / 8 / 8 + 16);
    size = md5_skin_plan_measure(vertices, 1, weights, NULL, 1);
    CHECK_UINT(size.num_words, 9);
    size = md5_skin_plan_measure(vertices, num_vertices, weights, NULL, UINT32_MAX);
    CHECK_UINT(size.num_words, UINT32_MAX);
    size = md5_skin_plan_measure(vertices, 0, weights, NULL, 0);
    CHECK(size.max_influences == 0 && size.num_words == 0);
}

// Vertices of three weights, of which some meet in a point.
static uint32_t measure_threes(uint32_t num_meeting, uint32_t num_apart,
                               const md5_transform *joints)
{
    enum { MOST = 200 };
    static md5_vertex vertices[MOST];
    static md5_weight weights[3 * MOST];
    const uint32_t count = num_meeting + num_apart;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_apart = i >= num_meeting;
        vertices[i] = (md5_vertex){3 * i, 3};
        for (uint32_t k = 0; k < 3; k++) {
            const float up = 10.0f + (is_apart ? (float)k : 0.0f);
            weights[3 * i + k] = (md5_weight){k, k == 0 ? 0.5f : 0.25f, {(float)i, 5.0f, up}};
        }
    }
    return md5_skin_plan_measure(vertices, count, weights, joints, 3 * count).num_words;
}

TEST (skin_plan_is_measured_by_whether_points_meet) {
    md5_transform joints[3];
    for (int i = 0; i < 3; i++)
        joints[i] = (md5_transform){.rotation = {0.0f, 0.0f, 0.0f, -1.0f}};
    const uint32_t exact = 200 * 3 * 33 / 8, blended = 200 * (3 * 9 + 24) / 8;
    CHECK_UINT(measure_threes(200, 0, NULL), exact + exact / 8 + 64);
    CHECK_UINT(measure_threes(0, 200, joints), exact + exact / 8 + 64);
    CHECK_UINT(measure_threes(200, 0, joints), blended + blended / 8 + 64);
    const uint32_t mixed = measure_threes(100, 100, joints), middle = (exact + blended) / 2;
    CHECK_NEAR((double)mixed, middle * 9.0 / 8.0 + 64.0, exact * 0.02);
}
