// The hull that frames a shape: the farthest points of clouds in 26 directions, against a plain
// search in double precision.
#include "test/test.h"

#include "demo/viewer/scene/scene.h"

#include <math.h>

enum { MOST_POINTS = 500 };

static md5_vec3 random_point(uint64_t *random, double size)
{
    const double x = test_random(random), y = test_random(random), z = test_random(random);
    return (md5_vec3){(float)(size * (x - 0.3)), (float)(size * (y - 0.6)),
                      (float)(size * (z - 0.5))};
}

static double reach_of(const int direction[3], md5_vec3 point)
{
    const double x = direction[0], y = direction[1], z = direction[2];
    return (x * point.x + y * point.y + z * point.z) / sqrt(x * x + y * y + z * z);
}

// The reach of the hull in a direction: no point of the hull is farther than the one for it.
static double reach_of_hull(const view_hull *hull, const int direction[3])
{
    double farthest = -INFINITY;
    for (int i = 0; i < VIEW_HULL_POINTS; i++)
        farthest = fmax(farthest, reach_of(direction, hull->points[i]));
    return farthest;
}

static void check_hull(const view_hull *hull, const md5_vec3 *points, uint32_t count)
{
    for (int cell = 0; cell < 27; cell++) {
        const int direction[3] = {cell % 3 - 1, cell / 3 % 3 - 1, cell / 9 - 1};
        double farthest = -INFINITY;
        for (uint32_t i = 0; i < count && cell != 13; i++)
            farthest = fmax(farthest, reach_of(direction, points[i]));
        if (cell == 13)
            continue;
        CHECK_NEAR(reach_of_hull(hull, direction), farthest, 1e-4);
        CHECK_NEAR(hull->reach[cell < 13 ? cell : cell - 1], farthest, 1e-4);
    }
}

// Points come in several calls; later clouds are larger or lie within earlier ones.
TEST (view_hull_reaches_the_farthest_points_in_each_direction) {
    static const double sizes[] = {10.0, 80.0, 30.0, 81.0};
    static const uint32_t counts[] = {1, 500, 33, 128};
    static md5_vec3 points[4 * MOST_POINTS];
    uint64_t random = 7;
    uint32_t used = 0;
    view_hull hull = {0};
    for (int i = 0; i < VIEW_HULL_POINTS; i++)
        hull.reach[i] = -INFINITY;
    for (int call = 0; call < 4; call++) {
        const uint32_t first = used;
        for (uint32_t i = 0; i < counts[call]; i++)
            points[used++] = random_point(&random, sizes[call]);
        view_widen_hull(&hull, points + first, counts[call]);
        check_hull(&hull, points, used);
    }
}
