// Distance between poses, and joint velocities. In double, because the results are often small
// differences; by series, so that every platform gives the same bits.
#include "md5/core/assert.h"
#include "md5/motion/space.h"

// The angle with the given sine and cosine, both >= 0 and times any factor. It is halved three
// times, so that a short series of the arc tangent is enough.
static double angle_of(double sine, double cosine)
{
    enum { HALVINGS = 3, TERMS = 9 };
    for (int i = 0; i < HALVINGS; i++)
        cosine += sqrt(cosine * cosine + sine * sine);
    const double t = cosine > 0.0 ? sine / cosine : 0.0, square = t * t;
    double sum = 0.0;
    for (int term = TERMS; term > 0; term--)
        sum = 1.0 / (2 * term - 1) - square * sum;
    return t * sum * (1 << HALVINGS);
}

// The rotation from `a` to `b`, in their common parent space: a quaternion of any length, w >= 0.
typedef struct turning {
    double x, y, z, w, sine;
} turning;

static turning turn_between(md5_quat a, md5_quat b)
{
    const double ax = -(double)a.x, ay = -(double)a.y, az = -(double)a.z, aw = (double)a.w;
    const double bx = (double)b.x, by = (double)b.y, bz = (double)b.z, bw = (double)b.w;
    const double w = bw * aw - bx * ax - by * ay - bz * az;
    const double sign = w < 0.0 ? -1.0 : 1.0;
    turning turned = {
        .x = sign * (bw * ax + bx * aw + by * az - bz * ay),
        .y = sign * (bw * ay + by * aw + bz * ax - bx * az),
        .z = sign * (bw * az + bz * aw + bx * ay - by * ax),
        .w = sign * w,
    };
    turned.sine = sqrt(turned.x * turned.x + turned.y * turned.y + turned.z * turned.z);
    return turned;
}

float md5_pose_distance(const md5_skeleton *skeleton, const md5_xform *a, const md5_xform *b,
                        const float *weights, float size, md5_xform *scratch)
{
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(a != NULL || skeleton->num_joints == 0, "a: not NULL");
    MD5_ASSERT(b != NULL || skeleton->num_joints == 0, "b: not NULL");
    MD5_ASSERT(scratch != NULL || skeleton->num_joints == 0, "scratch: not NULL");
    MD5_ASSERT(md5_are_apart(scratch, 2 * (size_t)skeleton->num_joints * sizeof *scratch, a,
                             skeleton->num_joints * sizeof *a),
               "scratch, a: must not overlap");
    MD5_ASSERT(md5_are_apart(scratch, 2 * (size_t)skeleton->num_joints * sizeof *scratch, b,
                             skeleton->num_joints * sizeof *b),
               "scratch, b: must not overlap");
    const uint32_t count = skeleton->num_joints;
    md5_xform *const of_a = scratch, *const of_b = scratch + count;
    md5i_place_joints(skeleton, a, of_a);
    md5i_place_joints(skeleton, b, of_b);
    double sum = 0.0, whole = 0.0;
    for (uint32_t joint = 0; joint < count; joint++) {
        const double weight = weights ? (double)weights[joint] : 1.0;
        const md5_vec3 from = of_a[joint].translation, to = of_b[joint].translation;
        const double x = (double)to.x - (double)from.x, y = (double)to.y - (double)from.y;
        const double z = (double)to.z - (double)from.z;
        const turning turned = turn_between(a[joint].rotation, b[joint].rotation);
        const double angle = 2.0 * angle_of(turned.sine, turned.w);
        sum += weight * (sqrt(x * x + y * y + z * z) + (double)size * angle);
        whole += weight;
    }
    return whole > 0.0 ? (float)(sum / whole) : 0.0f;
}

void md5_pose_velocity(const md5_xform *before, const md5_xform *now, uint32_t num_joints,
                       float seconds, md5_velocity *velocity)
{
    MD5_ASSERT(before != NULL || num_joints == 0, "before: not NULL");
    MD5_ASSERT(now != NULL || num_joints == 0, "now: not NULL");
    MD5_ASSERT(velocity != NULL || num_joints == 0, "velocity: not NULL");
    const float rate = seconds > 0.0f ? 1.0f / seconds : 0.0f;
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        const turning turned = turn_between(before[joint].rotation, now[joint].rotation);
        const double angle = 2.0 * angle_of(turned.sine, turned.w);
        const double scale = turned.sine > 0.0 ? angle / turned.sine * (double)rate : 0.0;
        velocity[joint] = (md5_velocity){
            .linear = md5_vec3_scale(
                md5_vec3_sub(now[joint].translation, before[joint].translation), rate),
            .angular = {(float)(turned.x * scale), (float)(turned.y * scale),
                        (float)(turned.z * scale)},
        };
    }
}
