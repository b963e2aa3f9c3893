#include "md5/play/run/inertia.h"

#include "md5/core/math.h"

// -- Velocities -----------------------------------------------------------------------------------

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

// In double, because the results are often small differences.
void md5i_pose_velocity(const md5_xform *before, const md5_xform *now, uint32_t num_joints,
                        float seconds, md5_velocity *velocity)
{
    const float rate = seconds > 0.0f ? 1.0f / seconds : 0.0f;
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        md5_quatd turn = md5_quatd_mul(md5_quatd_of(now[joint].rotation),
                                       md5_quatd_conjugate(md5_quatd_of(before[joint].rotation)));
        if (turn.w < 0.0)
            turn = md5_quatd_negate(turn);
        const double sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
        const double scale = sine > 0.0 ? 2.0 * angle_of(sine, turn.w) / sine * (double)rate : 0.0;
        velocity[joint] = (md5_velocity){
            .linear = md5_vec3_scale(
                md5_vec3_sub(now[joint].translation, before[joint].translation), rate),
            .angular = {(float)(turn.x * scale), (float)(turn.y * scale), (float)(turn.z * scale)},
        };
    }
}

// -- Offsets --------------------------------------------------------------------------------------

// Squared lengths of offsets that have a direction, and whose squares can be divided by.
#define SHORTEST 1e-18f
#define LONGEST 1e30f

// fmaxf() without a call, of what is a number.
static float larger(float a, float b)
{
    return a > b ? a : b;
}

// Of the shorter way round, so that its length is at most 1.
static md5_vec3 turn_of(md5_quat q)
{
    const float sign = q.w < 0.0f ? -1.0f : 1.0f;
    return md5_vec3_scale((md5_vec3){q.x, q.y, q.z}, sign / (1.0f + sign * q.w));
}

static md5_quat quat_of(md5_vec3 turn)
{
    const float square = md5_vec3_dot(turn, turn);
    const float scale = 1.0f / (1.0f + square);
    const md5_vec3 axis = md5_vec3_scale(turn, 2.0f * scale);
    return (md5_quat){axis.x, axis.y, axis.z, (1.0f - square) * scale};
}

// How fast the length of an offset x changes with velocity v, as a part of itself: x.v / x.x. What
// would make it longer is dropped; what goes across does not change it. An offset that is next to
// nothing has no direction to keep.
static float rate_of(md5_vec3 offset, md5_vec3 velocity)
{
    const float square = md5_vec3_dot(offset, offset);
    if (!(square > SHORTEST && square < LONGEST))
        return 0.0f;
    const float rate = md5_vec3_dot(offset, velocity) / square;
    return rate < 0.0f ? larger(rate, MD5_FASTEST_DECAY) : 0.0f;
}

void md5i_make_offsets(const md5_xform *from, const md5_velocity *from_velocities,
                       const md5_xform *to, const md5_velocity *to_velocities, uint32_t num_joints,
                       md5_offset *offsets)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_vec3 turn =
            turn_of(md5_quat_mul(from[i].rotation, md5_quat_conjugate(to[i].rotation)));
        const md5_vec3 move = md5_vec3_sub(from[i].translation, to[i].translation);
        // With D = from * to^-1, angular velocities w: that of D is w_from - D w_to D^-1. Along the
        // axis of D, which D does not turn, that is w_from - w_to; and tan(angle / 4) = t changes
        // by (1 + t^2) / 4 times what the angle does.
        const md5_vec3 turning =
            md5_vec3_scale(md5_vec3_sub(from_velocities[i].angular, to_velocities[i].angular),
                           0.25f * (1.0f + md5_vec3_dot(turn, turn)));
        const md5_vec3 moving = md5_vec3_sub(from_velocities[i].linear, to_velocities[i].linear);
        offsets[i] = (md5_offset){turn, rate_of(turn, turning), move, rate_of(move, moving)};
    }
}

// What is left of a length that is 1 at first and changes by `rate` a second, where 1 / x0 v0 is
// `rate` in Bollo's terms. His duration is t1 = min(duration, -5 x0 / v0), and his start
// acceleration a0 = max(0, (-8 v0 t1 - 20 x0) / t1^2). With s = t / t1, u = rate * t1, which is
// -5 to 0, and a = a0 t1^2 / x0 his quintic is
//   (1 - s)^3 (1 + (3 + u) s + (6 + 3 u + a / 2) s^2),   6 + 3 u + a / 2 = max(6 + 3 u, -4 - u)
// whose derivative is not above 0 in 0..1 for any such u: it falls from 1 to 0 and crosses neither.
float md5i_offset_left(float rate, float elapsed, float duration)
{
    if (elapsed < 0.0f)
        return 1.0f + rate * elapsed;
    const float s = larger(elapsed / duration, -0.2f * rate * elapsed);
    if (!(s < 1.0f))
        return 0.0f;
    const float u = larger(rate * duration, -5.0f);
    const float rest = 1.0f - s;
    return rest * rest * rest * (1.0f + s * (3.0f + u + s * larger(6.0f + 3.0f * u, -4.0f - u)));
}

void md5i_add_offsets(const md5_offset *offsets, float elapsed, float duration, uint32_t num_joints,
                      md5_xform *pose)
{
    if (!(elapsed < duration))
        return;
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_offset *const offset = &offsets[i];
        const float turn_left = md5i_offset_left(offset->turn_rate, elapsed, duration);
        const float move_left = md5i_offset_left(offset->move_rate, elapsed, duration);
        if (turn_left > 0.0f)
            pose[i].rotation =
                md5_quat_mul(quat_of(md5_vec3_scale(offset->turn, turn_left)), pose[i].rotation);
        if (move_left > 0.0f)
            pose[i].translation =
                md5_vec3_add(pose[i].translation, md5_vec3_scale(offset->move, move_left));
    }
}
