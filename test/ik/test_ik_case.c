#include "test/ik/test_ik_case.h"

md5_vec3 ik_random_point(double size, uint64_t *random)
{
    return (md5_vec3){(float)test_between(-size, size, random),
                      (float)test_between(-size, size, random),
                      (float)test_between(-size, size, random)};
}

md5_vec3 ik_rounded(real3 point)
{
    return (md5_vec3){(float)point.x, (float)point.y, (float)point.z};
}

md5_vec3 ik_point_around(real3 middle, double distance, uint64_t *random)
{
    const real4 rotation = to_unit_real4(random_unit_quat(random));
    return ik_rounded(real3_add(middle, real4_rotate(rotation, (real3){distance, 0, 0})));
}

void ik_make_line(ik_rig *rig, uint32_t count, float step)
{
    uint64_t random = 3;
    ik_make_rig(rig, count, 1, &random);
    for (uint32_t i = 0; i < count; i++)
        rig->pose[rig->chain[i]] = (md5_xform){{0, 0, 0, 1}, {i ? step : 0, 0, 0}, 0};
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
            .rotation = random_unit_quat(random),
            .translation = ik_random_point(size, random),
        };
    }
}

real_transform ik_joint_transform(const md5_skeleton *skeleton, const md5_xform *pose,
                                  uint32_t joint)
{
    real_transform transform = {{0, 0, 0, 1}, {0, 0, 0}};
    for (uint32_t i = joint; i != MD5_NONE; i = skeleton->joints[i].parent) {
        const real4 rotation = to_unit_real4(pose[i].rotation);
        transform.translation =
            real3_add(to_real3(pose[i].translation), real4_rotate(rotation, transform.translation));
        transform.rotation = real4_mul(rotation, transform.rotation);
    }
    return transform;
}

void ik_check_lengths(const ik_rig *rig, const ik_rig *old, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        CHECK_BYTES(&rig->pose[i].translation, &old->pose[i].translation, sizeof(md5_vec3));
}

void ik_check_part(const ik_rig *rig, const ik_rig *full, const ik_rig *part, uint32_t count,
                   float weight, double tolerance)
{
    for (uint32_t i = 0; i < count; i++) {
        const md5_quat expected =
            md5_quat_slerp(rig->pose[i].rotation, full->pose[i].rotation, weight);
        CHECK_SMALL(real_angle(expected, part->pose[i].rotation), tolerance);
    }
}

bool ik_is_sound(const md5_xform *pose, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const md5_vec3 at = pose[i].translation;
        if (!(fabs(real4_length(pose[i].rotation) - 1) < 1e-6))
            return false;
        if (!isfinite(at.x) || !isfinite(at.y) || !isfinite(at.z))
            return false;
    }
    return true;
}

real3 ik_chain_position(const ik_rig *rig, uint32_t i)
{
    return ik_joint_transform(&rig->skeleton, rig->pose, rig->chain[i]).translation;
}

double ik_reach(const ik_rig *rig, uint32_t count, uint32_t length)
{
    double sum = 0;
    for (uint32_t i = count - length + 1; i < count; i++)
        sum += real3_length(to_real3(rig->pose[rig->chain[i]].translation));
    return sum;
}

// -- Limits ---------------------------------------------------------------------------------------

static const double pi = 3.14159265358979323846;

md5_joint_limit limit_random(uint64_t *random)
{
    const uint32_t kind = test_random_u32(random) % 8;
    md5_joint_limit limit = {.kind = MD5_LIMIT_NONE};
    if (kind == 0)
        return limit;
    limit.kind = kind < 4 ? MD5_LIMIT_HINGE : MD5_LIMIT_CONE;
    if (test_random_u32(random) % 4 > 0)
        limit.rest = random_unit_quat(random);
    do
        limit.axis = ik_random_point(3, random);
    while (!(md5_vec3_length(limit.axis) > 0.1f));
    const double first_angle = test_between(-pi, pi, random);
    const double second_angle = test_between(-pi, pi, random);
    limit.min = (float)fmin(first_angle, second_angle);
    limit.max = (float)fmax(first_angle, second_angle);
    limit.swing = test_betweenf(0, 2.5f, random);
    if (test_random_u32(random) % 16 == 0)
        limit.max = limit.min;
    if (test_random_u32(random) % 16 == 0)
        limit.swing = 0;
    return limit;
}

static real4 about(real3 axis, double angle)
{
    const double scale = sin(0.5 * angle) / real3_length(axis);
    return (real4){axis.x * scale, axis.y * scale, axis.z * scale, cos(0.5 * angle)};
}

static real4 rest_rotation(const md5_joint_limit *limit)
{
    const md5_quat rest = limit->rest;
    const bool has_axis = rest.x != 0 || rest.y != 0 || rest.z != 0;
    if (!has_axis && rest.w == 0)
        return (real4){0, 0, 0, 1};
    return to_unit_real4(rest);
}

md5_quat limit_random_rotation(const md5_joint_limit *limit, uint64_t *random)
{
    if (limit->kind == MD5_LIMIT_NONE)
        return random_unit_quat(random);
    const real3 axis = to_real3(limit->axis);
    real4 rotation = about(axis, test_between(limit->min, limit->max, random));
    if (limit->kind == MD5_LIMIT_CONE) {
        const real3 perpendicular = real3_cross(axis, to_real3(ik_random_point(1, random)));
        rotation = real4_mul(about(perpendicular, test_between(0, limit->swing, random)), rotation);
    }
    const real4 local = real4_mul(rest_rotation(limit), rotation);
    return (md5_quat){(float)local.x, (float)local.y, (float)local.z, (float)local.w};
}

// Returns by how much an angle is outside a range on the circle, or 0 if it is inside.
static double outside(double angle, double min_angle, double max_angle)
{
    double nearest = HUGE_VAL;
    for (int cycle = -1; cycle <= 1; cycle++) {
        const double at = angle + 2 * pi * cycle;
        const double off = fmax(fmax(min_angle - at, at - max_angle), 0);
        nearest = off < nearest ? off : nearest;
    }
    return nearest;
}

double limit_excess(const md5_joint_limit *limit, md5_quat local)
{
    if (limit->kind == MD5_LIMIT_NONE)
        return 0;
    const real4 rest = rest_rotation(limit);
    const real4 rotation =
        real4_mul((real4){-rest.x, -rest.y, -rest.z, rest.w}, to_unit_real4(local));
    const real3 axis = to_real3(limit->axis);
    const real3 rotated_axis = real4_rotate(rotation, axis);
    const double swing =
        atan2(real3_length(real3_cross(axis, rotated_axis)), real3_dot(axis, rotated_axis));
    const double max_swing = limit->kind == MD5_LIMIT_CONE ? limit->swing : 0;
    const double along =
        (rotation.x * axis.x + rotation.y * axis.y + rotation.z * axis.z) / real3_length(axis);
    const double twist = outside(2 * atan2(along, rotation.w), limit->min, limit->max);
    const double swung = swing > max_swing ? swing - max_swing : 0;
    return twist > swung ? twist : swung;
}

double max_limit_excess(const ik_rig *rig, uint32_t count, uint32_t length,
                        const md5_joint_limit *limits)
{
    double max_excess = 0;
    for (uint32_t i = count - length; i < count; i++) {
        const uint32_t joint = rig->chain[i];
        const double excess = limit_excess(&limits[joint], rig->pose[joint].rotation);
        max_excess = excess > max_excess ? excess : max_excess;
    }
    return max_excess;
}
