#include "test/ik/test_ik_case.h"

md5_vec3 ik_random_point(double size, uint64_t *random)
{
    return (md5_vec3){(float)test_between(-size, size, random),
                      (float)test_between(-size, size, random),
                      (float)test_between(-size, size, random)};
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
        place.at = real3_add(real3_of(pose[i].translation), turned);
        place.rotation = real4_mul(rotation, place.rotation);
    }
    return place;
}

bool ik_is_sound(const md5_xform *pose, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const md5_vec3 at = pose[i].translation;
        if (!(fabs(real4_length(pose[i].rotation) - 1.0) < 1e-6))
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
