#include "test/ik/test_ik_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

real3 real3_of(md5_vec3 v)
{
    return (real3){(double)v.x, (double)v.y, (double)v.z};
}

real3 real3_sub(real3 a, real3 b)
{
    return (real3){a.x - b.x, a.y - b.y, a.z - b.z};
}

double real3_dot(real3 a, real3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

double real3_length(real3 v)
{
    return sqrt(real3_dot(v, v));
}

real3 real3_cross(real3 a, real3 b)
{
    return (real3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

real4 real4_of(md5_quat q)
{
    const double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    const double length = sqrt(x * x + y * y + z * z + w * w);
    return (real4){x / length, y / length, z / length, w / length};
}

real4 real4_mul(real4 a, real4 b)
{
    return (real4){
        a.w * b.x + b.w * a.x + (a.y * b.z - a.z * b.y),
        a.w * b.y + b.w * a.y + (a.z * b.x - a.x * b.z),
        a.w * b.z + b.w * a.z + (a.x * b.y - a.y * b.x),
        a.w * b.w - (a.x * b.x + a.y * b.y + a.z * b.z),
    };
}

// q v q^-1, as it is defined.
real3 real4_rotate(real4 q, real3 v)
{
    const real4 back = {-q.x, -q.y, -q.z, q.w};
    const real4 turned = real4_mul(real4_mul(q, (real4){v.x, v.y, v.z, 0.0}), back);
    return (real3){turned.x, turned.y, turned.z};
}

double real4_angle(real4 a, real4 b)
{
    const real4 way = real4_mul(b, (real4){-a.x, -a.y, -a.z, a.w});
    return 2.0 * atan2(sqrt(way.x * way.x + way.y * way.y + way.z * way.z), fabs(way.w));
}

double ik_between(double low, double high, uint64_t *random)
{
    return low + (high - low) * test_random(random);
}

md5_vec3 ik_random_point(double size, uint64_t *random)
{
    return (md5_vec3){(float)ik_between(-size, size, random),
                      (float)ik_between(-size, size, random),
                      (float)ik_between(-size, size, random)};
}

void ik_make_rig(ik_rig *rig, uint32_t count, double size, uint64_t *random)
{
    const bool is_reversed = test_random_u32(random) % 2 > 0;
    memset(rig, 0, sizeof *rig); // whole rigs are copied and compared
    rig->skeleton = (md5_skeleton){.num_joints = count, .joints = rig->joints, .order = rig->order};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t joint = is_reversed ? count - 1 - i : i;
        snprintf(rig->names[joint], sizeof rig->names[joint], "j%u", (unsigned)i);
        const uint32_t parent = i == 0 ? MD5_NONE : rig->chain[i - 1];
        rig->joints[joint] = (md5_joint){rig->names[joint], parent};
        rig->order[i] = rig->chain[i] = joint;
        rig->pose[joint] = (md5_xform){
            .rotation = made_any_rotation(random),
            .translation = ik_random_point(size, random),
        };
    }
}

real_place ik_place(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t joint)
{
    real_place place = {{0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
    for (uint32_t i = joint; i != MD5_NONE; i = skeleton->joints[i].parent) {
        const real4 rotation = real4_of(pose[i].rotation);
        const real3 turned = real4_rotate(rotation, place.at);
        const real3 step = real3_of(pose[i].translation);
        place.at = (real3){step.x + turned.x, step.y + turned.y, step.z + turned.z};
        place.rotation = real4_mul(rotation, place.rotation);
    }
    return place;
}

bool ik_is_sound(const md5_xform *pose, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const double x = (double)pose[i].rotation.x, y = (double)pose[i].rotation.y;
        const double z = (double)pose[i].rotation.z, w = (double)pose[i].rotation.w;
        const md5_vec3 at = pose[i].translation;
        if (!(fabs(sqrt(x * x + y * y + z * z + w * w) - 1.0) < 1e-6))
            return false;
        if (!isfinite(at.x) || !isfinite(at.y) || !isfinite(at.z))
            return false;
    }
    return true;
}

real3 ik_place_in_chain(const ik_rig *rig, uint32_t i)
{
    return ik_place(&rig->skeleton, rig->pose, rig->chain[i]).at;
}

double ik_reach(const ik_rig *rig, uint32_t count, uint32_t length)
{
    double sum = 0.0;
    for (uint32_t i = count - length + 1; i < count; i++)
        sum += real3_length(real3_of(rig->pose[rig->chain[i]].translation));
    return sum;
}

double real3_distance(real3 a, real3 b)
{
    return real3_length(real3_sub(a, b));
}
