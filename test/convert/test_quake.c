// The directions of normals in files of Quake.
#include "test/real.h"
#include "test/test.h"

#include "demo/convert/quake.h"

// Each direction is a point of a sphere; -d is a direction if d is. The directions along the axes
// have the indices of the table anorms.h of Quake.
TEST (quake_has_162_directions_of_normals) {
    static const struct {
        uint32_t index;
        real3 direction;
    } rows[] = {
        {0, {-0.525731, 0, 0.850651}},
        {5, {0, 0, 1}},
        {32, {0, 1, 0}},
        {52, {1, 0, 0}},
        {84, {0, 0, -1}},
        {104, {0, -1, 0}},
        {143, {-1, 0, 0}},
    };
    convert_vec directions[QUAKE_NUM_NORMALS];
    quake_make_normals(directions);
    CHECK_UINT(QUAKE_NUM_NORMALS, 162);
    for (uint32_t i = 0; i < QUAKE_NUM_NORMALS; i++) {
        CHECK_NEAR(convert_dot(directions[i], directions[i]), 1, 1e-9);
        double min_cosine = 1;
        for (uint32_t k = 0; k < QUAKE_NUM_NORMALS; k++) {
            const double cosine = convert_dot(directions[i], directions[k]);
            CHECK(k == i || cosine < 0.999);
            min_cosine = fmin(min_cosine, cosine);
        }
        CHECK_NEAR(min_cosine, -1, 1e-9);
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const convert_vec found = directions[rows[i].index];
        CHECK_NEAR(found.x, rows[i].direction.x, 1e-6);
        CHECK_NEAR(found.y, rows[i].direction.y, 1e-6);
        CHECK_NEAR(found.z, rows[i].direction.z, 1e-6);
    }
}
