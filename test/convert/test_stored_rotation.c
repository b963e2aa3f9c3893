// Rotations as MD5 stores them: readers compute w from x, y and z.
#include "test/scoped.h"

#include "demo/convert/convert.h"
#include "demo/convert/space.h"

#include <math.h>

// Returns the angle in radians between a rotation and the rotation that readers compute.
static double stored_angle(convert_quat q)
{
    const md5_vec3 stored = convert_stored_rotation(q);
    const md5_quat read = md5_quat_from_xyz(stored.x, stored.y, stored.z);
    const convert_quat difference = {read.x - q.x, read.y - q.y, read.z - q.z, read.w - q.w};
    return 2 * sqrt(convert_quat_dot(difference, difference));
}

// Near a rotation by 180 degrees, the squares of three floats have a sum that is not exactly 1, and
// w becomes 2.4e-4 instead of 0.
TEST (stored_rotations_by_180_degrees_are_accurate) {
    const double max_angle = 1e-5;
    // l-frontleg of a public model, for which neighboring floats are not sufficient.
    CHECK(stored_angle((convert_quat){0.0144126817, -0.9998961329, 0, 0}) < max_angle);
    const double step = 0.0625;
    for (double latitude = step; latitude < 1.5; latitude += step) {
        for (double longitude = step; longitude < 1.5; longitude += step) {
            const double radius = cos(latitude);
            const convert_quat q = {radius * cos(longitude), radius * sin(longitude), sin(latitude),
                                    0};
            CHECK(stored_angle(q) < max_angle);
        }
    }
}
