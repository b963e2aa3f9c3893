// Vectors and rotations in double precision, with which tests compare the floats of the library.
// real3 is a vector, real4 a quaternion, real_transform a rotation and a translation.
#ifndef TEST_REAL_H
#define TEST_REAL_H

#include "test/test.h"

#include "md5/md5model.h"

typedef struct real3 {
    double x;
    double y;
    double z;
} real3;

typedef struct real4 {
    double x;
    double y;
    double z;
    double w;
} real4;

typedef struct real_transform {
    real4 rotation;
    real3 translation;
} real_transform;

static inline void test_check_vec3(md5_vec3 actual, double x, double y, double z, double tolerance,
                                   const char *file, int line, const char *expression)
{
    test_check_near(actual.x, x, tolerance, file, line, expression);
    test_check_near(actual.y, y, tolerance, file, line, expression);
    test_check_near(actual.z, z, tolerance, file, line, expression);
}
#define CHECK_VEC3(actual, x, y, z, tolerance) \
    test_check_vec3((actual), (x), (y), (z), (tolerance), __FILE__, __LINE__, #actual)

// Stores `value` in `*maximum` if it is greater, or not a number.
static inline void real_update_max(double *maximum, double value)
{
    if (!(value <= *maximum))
        *maximum = value;
}

static inline real3 to_real3(md5_vec3 v)
{
    return (real3){v.x, v.y, v.z};
}

static inline md5_vec3 to_vec3(real3 v)
{
    return (md5_vec3){(float)v.x, (float)v.y, (float)v.z};
}

static inline real3 real3_add(real3 a, real3 b)
{
    return (real3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline real3 real3_scale(real3 v, double by)
{
    return (real3){v.x * by, v.y * by, v.z * by};
}

static inline real3 real3_sub(real3 a, real3 b)
{
    return (real3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline double real3_dot(real3 a, real3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline double real3_length(real3 v)
{
    return sqrt(real3_dot(v, v));
}

static inline real3 real3_unit(real3 v)
{
    return real3_scale(v, 1.0 / real3_length(v));
}

static inline double real3_distance(real3 a, real3 b)
{
    return real3_length(real3_sub(a, b));
}

static inline real3 real3_cross(real3 a, real3 b)
{
    return (real3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Returns M v, with the translation of M times `w`.
static inline real3 real3_transform(const md5_mat34 *matrix, real3 v, double w)
{
    const float *const m = matrix->m;
    return (real3){m[0] * v.x + m[1] * v.y + m[2] * v.z + m[3] * w,
                   m[4] * v.x + m[5] * v.y + m[6] * v.z + m[7] * w,
                   m[8] * v.x + m[9] * v.y + m[10] * v.z + m[11] * w};
}

// Return the distance between two points, and the length of a vector.
static inline double real_distance(md5_vec3 a, md5_vec3 b)
{
    return real3_distance(to_real3(a), to_real3(b));
}

static inline double real_length(md5_vec3 v)
{
    return real3_length(to_real3(v));
}

static inline double real4_dot(real4 a, real4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static inline real4 real4_scale(real4 q, double by)
{
    return (real4){q.x * by, q.y * by, q.z * by, q.w * by};
}

static inline real4 real4_add(real4 a, real4 b)
{
    return (real4){a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

// Converts a quaternion without changing its length.
static inline real4 to_real4(md5_quat q)
{
    return (real4){q.x, q.y, q.z, q.w};
}

static inline double real4_length(md5_quat q)
{
    return sqrt(real4_dot(to_real4(q), to_real4(q)));
}

// Converts a quaternion to unit length.
static inline real4 to_unit_real4(md5_quat q)
{
    return real4_scale(to_real4(q), 1.0 / real4_length(q));
}

static inline real4 real4_conjugate(real4 q)
{
    return (real4){-q.x, -q.y, -q.z, q.w};
}

static inline real4 real4_mul(real4 a, real4 b)
{
    return (real4){
        a.w * b.x + b.w * a.x + (a.y * b.z - a.z * b.y),
        a.w * b.y + b.w * a.y + (a.z * b.x - a.x * b.z),
        a.w * b.z + b.w * a.z + (a.x * b.y - a.y * b.x),
        a.w * b.w - (a.x * b.x + a.y * b.y + a.z * b.z),
    };
}

// Computes q v q^-1 according to the definition.
static inline real3 real4_rotate(real4 q, real3 v)
{
    const real4 rotated = real4_mul(real4_mul(q, (real4){v.x, v.y, v.z, 0}), real4_conjugate(q));
    return (real3){rotated.x, rotated.y, rotated.z};
}

// Returns the angle of the rotation from `a` to `b`, 0..pi.
static inline double real4_angle(real4 a, real4 b)
{
    const real4 delta = real4_mul(b, real4_conjugate(a));
    return 2.0
           * atan2(sqrt(delta.x * delta.x + delta.y * delta.y + delta.z * delta.z), fabs(delta.w));
}

static inline double real_angle(md5_quat a, md5_quat b)
{
    return real4_angle(to_unit_real4(a), to_unit_real4(b));
}

// Returns `q` or -q, which is the same rotation: the quaternion that is nearer to `to`.
static inline real4 real4_towards(real4 q, real4 to)
{
    return real4_dot(q, to) < 0 ? real4_scale(q, -1) : q;
}

// Interpolates by sines along the arc from one quaternion to the other; accurate for any angle.
static inline real4 real4_slerp(real4 a, real4 b, double t)
{
    const real4 sum = real4_add(a, b);
    const real4 delta = real4_add(a, real4_scale(b, -1));
    const double angle = 2.0 * atan2(sqrt(real4_dot(delta, delta)), sqrt(real4_dot(sum, sum)));
    if (angle == 0)
        return a;
    return real4_add(real4_scale(a, sin((1.0 - t) * angle) / sin(angle)),
                     real4_scale(b, sin(t * angle) / sin(angle)));
}

// A time step of a damped spring x'' = -k x - c x'. Afterwards x is keep * x + drift * x', with the
// x and x' before the step. There are three textbook formulas: for underdamped, overdamped and
// critically damped springs.
typedef struct real_swing {
    double keep;
    double drift;
} real_swing;
static inline real_swing real_spring_step(double k, double c, double t)
{
    const double half = c / 2.0;
    const double square = k - half * half;
    if (square > 1e-6) {
        const double w = sqrt(square);
        const double fade = exp(-half * t);
        return (real_swing){fade * (cos(w * t) + half / w * sin(w * t)), fade * sin(w * t) / w};
    }
    if (square < -1e-6) {
        const double w = sqrt(-square);
        const double slow = k / (half + w);
        const double fast = half + w;
        const double drift = (exp(-slow * t) - exp(-fast * t)) / (fast - slow);
        return (real_swing){exp(-slow * t) + slow * drift, drift};
    }
    return (real_swing){exp(-half * t) * (1 + half * t), exp(-half * t) * t};
}

#endif
