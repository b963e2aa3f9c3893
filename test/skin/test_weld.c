// Finding equal points.
#include "test/test.h"

#include "md5/skin/weld.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static md5_vec3 *random_points(uint32_t count, uint32_t values, uint64_t *random)
{
    md5_vec3 *points = calloc(count, sizeof *points);
    for (uint32_t i = 0; i < count; i++) {
        float coordinates[3];
        for (int axis = 0; axis < 3; axis++) {
            const uint32_t value = test_random_u32(random) % values;
            coordinates[axis] = (float)value * (test_random_u32(random) % 2 ? 0.1f : -0.1f);
        }
        points[i] = (md5_vec3){coordinates[0], coordinates[1], coordinates[2]};
    }
    return points;
}

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

TEST (weld_finds_the_first_equal_point) {
    enum { COUNT_MOST = 600 };
    uint64_t random = 11;
    for (uint32_t round = 0; round < 20; round++) {
        const uint32_t count = round * COUNT_MOST / 20;
        md5_vec3 *points = random_points(count, 2 + round % 4, &random);
        uint32_t first_equal[COUNT_MOST];
        md5_context context;
        md5i_context_begin(&context, NULL, NULL, NULL);
        md5_arena arena = {.context = &context};
        if (CHECK(md5i_weld(&arena, points, count, first_equal)))
            check_first_equal(points, count, first_equal);
        if (CHECK(md5i_weld_by_sorting(&arena, points, count, first_equal)))
            check_first_equal(points, count, first_equal);
        md5i_arena_free(&arena);
        free(points);
    }
}

TEST (minus_zero_welds_to_zero) {
    const md5_vec3 points[3] = {{0.0f, -0.0f, 1.0f}, {-0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, -1.0f}};
    uint32_t first_equal[3];
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, NULL);
    md5_arena arena = {.context = &context};
    if (CHECK(md5i_weld(&arena, points, 3, first_equal))) {
        CHECK_UINT(first_equal[0], 0);
        CHECK_UINT(first_equal[1], 0);
        CHECK_UINT(first_equal[2], 2);
    }
    md5i_arena_free(&arena);
}

// -- Points chosen against the hash ---------------------------------------------------------

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Returns a point whose x and y give the bits upper << 32 | lower in the first step of hash_of() in
// weld.c, and whose z cancels the lower half: all such points of one upper half have the same hash.
static md5_vec3 colliding_point(uint32_t upper, uint32_t lower)
{
    const uint64_t factor = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t inverse = factor; // right in its lowest three bits; each step doubles their number
    for (int i = 0; i < 5; i++)
        inverse *= 2 - factor * inverse;
    const uint64_t product = ((uint64_t)upper << 32 | lower) * inverse;
    const uint64_t xy = product ^ product >> 29 ^ product >> 58;
    return (md5_vec3){float_of((uint32_t)xy), float_of((uint32_t)(xy >> 32)), float_of(lower)};
}

TEST (weld_is_right_where_all_points_have_one_hash) {
    enum { COUNT = 2000 };
    md5_vec3 points[COUNT];
    uint32_t first_equal[COUNT], count = 0;
    for (uint32_t lower = 1; count < COUNT; lower++) {
        const md5_vec3 point = colliding_point(12345, lower);
        if (isfinite(point.x) && isfinite(point.y))
            points[count++] = point;
    }
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, NULL);
    md5_arena arena = {.context = &context};
    if (CHECK(md5i_weld(&arena, points, COUNT, first_equal))) {
        for (uint32_t i = 0; i < COUNT; i++)
            CHECK_UINT(first_equal[i], i);
    }
    md5i_arena_free(&arena);
}
