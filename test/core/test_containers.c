// Tests of md5/decl/containers.h: compares arrays that share their elements with complete copies.
#include "test/test.h"

#include "md5/decl/containers.h"

enum { NUM_ARRAYS = 40, LENGTH = 300 };

// Arrays that share unchanged elements with the array from which they were copied. Each has the
// same elements as a complete copy.
TEST (shared_arrays_equal_copies) {
    static int values[NUM_ARRAYS][LENGTH];
    static char base[256], owners[NUM_ARRAYS];
    md5_shared_array arrays[NUM_ARRAYS] = {{.root = NULL}};
    md5_context context;
    md5_arena arena = {.context = &context};
    uint64_t random = 7;
    md5i_context_begin(&context, NULL, NULL, NULL);
    for (uint32_t i = 0; i < NUM_ARRAYS; i++) {
        const uint32_t parent = i > 0 ? test_random_u32(&random) % i : 0;
        arrays[i] = arrays[parent];
        memcpy(values[i], values[parent], sizeof values[i]);
        for (int change = 0; change < 25; change++) {
            const uint32_t at = test_random_u32(&random) % (change % 5 ? LENGTH : 9);
            const int value = (int)(test_random_u32(&random) % 3 * (1 + (unsigned)change));
            values[i][at] = value;
            CHECK(md5i_shared_set(&arrays[i], &arena, &owners[i], at, value ? base + value : NULL));
        }
    }
    for (int i = 0; i < NUM_ARRAYS; i++) {
        // Compares an array with a list of values; 0 is a missing element.
        const md5_shared_array *array = &arrays[i];
        uint32_t count = 0;
        for (uint32_t j = 0; j < LENGTH; j++) {
            const char *const expected = values[i][j] ? base + values[i][j] : NULL;
            CHECK(md5i_shared_get(array, j) == expected);
            if (expected)
                CHECK(md5i_shared_array_at(array, count++) == expected);
        }
        CHECK_UINT(md5i_shared_count(array), count);
        CHECK(!md5i_shared_array_at(array, count));
    }
    CHECK(!md5i_shared_get(&arrays[1], UINT32_MAX));
    md5i_arena_free(&arena);
}
