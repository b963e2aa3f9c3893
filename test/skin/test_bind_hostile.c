// Automatic weights: refused input and its messages, random meshes, failing allocations, mistakes
// of callers.
#include "test/mistake.h"
#include "test/skin/test_bind_case.h"
#include "test/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bind_case *box_with_joint(void)
{
    bind_case *const made = bind_new();
    bind_add_box(made, (md5_vec3){0, 0, 0}, (md5_vec3){2, 2, 8}, 2);
    bind_add_joint(made, MD5_NONE, (md5_vec3){1, 1, 1});
    return made;
}

static void check_refused(const bind_case *of, md5_status status, const char *message)
{
    md5_error error = {0};
    md5_weights *const weights = md5_make_weights(&of->desc, NULL, &error);
    CHECK(weights == NULL);
    CHECK_UINT(error.status, status);
    CHECK_STRING(error.message, message);
    md5_free_weights(weights);
}

TEST (bind_refuses_numbers_out_of_range) {
    bind_case *const of = box_with_joint();
    const md5_weights_desc good = of->desc;
    of->desc.resolution = 3;
    check_refused(of, MD5_ERROR_RANGE, "resolution is 3, expected 4 to 256");
    of->desc.resolution = 257;
    check_refused(of, MD5_ERROR_RANGE, "resolution is 257, expected 4 to 256");
    of->desc = good;
    of->desc.max_influences = 17;
    check_refused(of, MD5_ERROR_RANGE, "max_influences is 17, expected 1 to 16");
    of->desc = good;
    of->desc.smoothing = 65;
    check_refused(of, MD5_ERROR_RANGE, "smoothing is 65, expected 1 to 64");
    of->desc = good;
    of->desc.falloff = 1.5f;
    check_refused(of, MD5_ERROR_RANGE, "falloff is 1.5, expected 0 to 1");
    of->desc.falloff = NAN;
    CHECK(md5_make_weights(&of->desc, NULL, NULL) == NULL);
    of->desc = good;
    of->desc.num_positions = 0;
    check_refused(of, MD5_ERROR_RANGE, "num_positions is 0, expected 1 to 134217727");
    of->desc = good;
    of->desc.num_triangles = 1u << 30;
    check_refused(of, MD5_ERROR_RANGE, "1073741824 triangles, expected at most 715827882");
    free(of);
}

TEST (bind_refuses_wrong_positions_indices_and_joints) {
    bind_case *const of = box_with_joint();
    of->positions[5].y = 2e9f;
    check_refused(of, MD5_ERROR_RANGE,
                  "position 5 is 0 2e+09 8, expected numbers from -1e9 to 1e9");
    of->positions[5].y = NAN;
    CHECK(md5_make_weights(&of->desc, NULL, NULL) == NULL);
    of->positions[5].y = 1.0f;
    of->positions[5].x = -INFINITY;
    CHECK(md5_make_weights(&of->desc, NULL, NULL) == NULL);
    of->positions[5].x = 1.0f;
    of->positions[5].z = 2e9f;
    CHECK(md5_make_weights(&of->desc, NULL, NULL) == NULL);
    of->positions[5].z = 1.0f;
    of->indices[10] = of->desc.num_positions;
    check_refused(of, MD5_ERROR_RANGE, "triangle 3 has position 54, but there are 54 positions");
    of->indices[10] = 0;
    of->bind[0].m[7] = INFINITY;
    check_refused(of, MD5_ERROR_RANGE,
                  "the bind matrix of joint 0 has inf, expected numbers from -1e9 to 1e9");
    of->bind[0].m[7] = 5.0f;
    check_refused(of, MD5_ERROR_MISMATCH,
                  "none of the 1 joints is inside the mesh, or they are excluded");
    of->skeleton.num_joints = 0;
    check_refused(of, MD5_ERROR_MISMATCH,
                  "none of the 0 joints is inside the mesh, or they are excluded");
    free(of);
}

// Without this limit small files whose triangles overlap would take minutes.
TEST_LONG (bind_refuses_triangles_that_overlap_everywhere) {
    bind_case *const of = box_with_joint();
    for (uint32_t i = of->desc.num_triangles; i < BIND_TRIANGLES; i++)
        bind_add_triangle(of, 0, of->desc.num_positions - 1, 6);
    of->desc.resolution = 256;
    md5_error error = {0};
    CHECK(md5_make_weights(&of->desc, NULL, &error) == NULL);
    CHECK_UINT(error.status, MD5_ERROR_RANGE);
    CHECK(strstr(error.message, "overlap in more than 67108864 voxels") != NULL);
    free(of);
}

TEST (bind_survives_failure_of_every_allocation) {
    bind_case *const of = box_with_joint();
    bool is_done = false;
    for (size_t fail_at = 1; !is_done && fail_at < 100; fail_at++) {
        test_heap heap = {.fail_at = fail_at};
        const md5_load_opts opts = {.allocator = {test_heap_alloc, test_heap_free, &heap, 0}};
        md5_error error = {0};
        md5_weights *const weights = md5_make_weights(&of->desc, &opts, &error);
        is_done = weights != NULL;
        CHECK_UINT(error.status, weights ? MD5_OK : MD5_ERROR_MEMORY);
        md5_free_weights(weights);
        CHECK_UINT(heap.live, 0);
    }
    CHECK(is_done);
    md5_error error = {0};
    const md5_load_opts small = {.allocator = {.limit = 10000}};
    CHECK(md5_make_weights(&of->desc, &small, &error) == NULL);
    CHECK_UINT(error.status, MD5_ERROR_MEMORY);
    free(of);
}

static void check_any(const bind_case *of)
{
    md5_weights *const weights = md5_make_weights(&of->desc, NULL, NULL);
    if (!weights)
        return;
    for (uint32_t i = 0; i < weights->num_vertices; i++) {
        double sum = 0.0;
        for (uint32_t k = 0; k < weights->vertices[i].num_weights; k++)
            sum += (double)weights->weights[weights->vertices[i].first_weight + k].bias;
        CHECK_NEAR(sum, 1.0, 1e-5);
    }
    md5_free_weights(weights);
}

static float any_number(uint64_t *seed, float size)
{
    const double random = test_random(seed);
    return random < 0.1 ? 0.0f : random > 0.9 ? size : (float)(random * 2.0 - 1.0) * size;
}

TEST (bind_takes_any_triangles) {
    uint64_t seed = 7;
    static const float sizes[] = {1e9f, 1.0f, 1e-30f, 1e-44f, 0.0f};
    for (int round = 0; round < 100; round++) {
        bind_case *const of = bind_new();
        const float size = sizes[round % 5], thin = round % 3 == 0 ? 0.0f : size;
        for (int i = 0; i < 20; i++)
            bind_add_position(of, (md5_vec3){any_number(&seed, size), any_number(&seed, size),
                                             any_number(&seed, thin)});
        for (int i = 0; i < 30 * (round % 2); i++)
            bind_add_triangle(of, test_random_u32(&seed) % 20, test_random_u32(&seed) % 20,
                              test_random_u32(&seed) % 20);
        for (int i = 0; i < 4; i++) {
            const md5_vec3 at = of->positions[i];
            bind_add_joint(of, (uint32_t)(i % 3 - 1), i == 3 ? (md5_vec3){1e9f, -1e9f, 1e9f} : at);
        }
        of->desc.resolution = 4 + (uint32_t)round % 29;
        check_any(of);
        free(of);
    }
}

TEST (bind_takes_one_position_alone) {
    bind_case *const of = bind_new();
    bind_add_position(of, (md5_vec3){3, 4, 5});
    bind_add_joint(of, MD5_NONE, (md5_vec3){3, 4, 5});
    md5_weights *const weights = md5_make_weights(&of->desc, NULL, NULL);
    if (CHECK(weights != NULL)) {
        CHECK_UINT(weights->num_weights, 1);
        CHECK_UINT(weights->num_voxels, 1);
        CHECK(bind_weight(weights, 0, 0) == 1.0);
    }
    md5_free_weights(weights);
    md5_free_weights(NULL);
    free(of);
}

#if !defined(NDEBUG)

static void create(const void *context)
{
    (void)md5_make_weights(context, NULL, NULL);
}

TEST (mistakes_in_binding_are_reported) {
    bind_case *const of = box_with_joint();
    const md5_weights_desc good = of->desc;
    CHECK(strstr(test_message_of(create, test_null()), "desc: not NULL") != NULL);
    of->desc.positions = NULL;
    CHECK(strstr(test_message_of(create, &of->desc), "positions: not NULL") != NULL);
    of->desc = good;
    of->desc.indices = NULL;
    CHECK(strstr(test_message_of(create, &of->desc), "indices: not NULL") != NULL);
    of->desc = good;
    of->desc.skeleton = NULL;
    CHECK(strstr(test_message_of(create, &of->desc), "skeleton: not NULL") != NULL);
    of->desc = good;
    of->desc.bind = NULL;
    CHECK(strstr(test_message_of(create, &of->desc), "bind: not NULL") != NULL);
    of->desc = good;
    of->desc.reserved[1] = 1;
    CHECK(strstr(test_message_of(create, &of->desc), "reserved members must be 0") != NULL);
    free(of);
}

#endif
