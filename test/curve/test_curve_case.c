#include "test/curve/test_curve_case.h"

#include <math.h>

void curve_points(md5_vec3 points[CURVE_POINTS], uint64_t seed)
{
    for (int i = 0; i < CURVE_POINTS; i++) {
        points[i].x = (float)(20.0 * test_random(&seed) - 10.0);
        points[i].y = (float)(20.0 * test_random(&seed) - 10.0);
        points[i].z = (float)(20.0 * test_random(&seed) - 10.0);
    }
}

md5_curve *curve_of(const md5_curve_desc *desc)
{
    md5_error error = {0};
    md5_curve *const curve = md5_create_curve(desc, NULL, &error);
    test_check(curve != NULL, __FILE__, __LINE__, "%s", error.message);
    return curve;
}

double curve_distance(md5_vec3 a, point3 b)
{
    const double x = (double)a.x - b.x[0], y = (double)a.y - b.x[1], z = (double)a.z - b.x[2];
    return sqrt(x * x + y * y + z * z);
}
