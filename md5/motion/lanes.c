#include "md5/motion/lanes.h"

#include "md5/motion/space.h"

// Registers for characters that are left: no wider than what half of them fill.
typedef struct lane_set {
    uint32_t width; // 1: none
    md5_limb_kernel *bend;
    md5_aim_kernel *turn;
} lane_set;

static lane_set set_for(md5_cpu level, uint32_t count)
{
#if MD5_HAS_AVX512
    if (level == MD5_CPU_AVX512 && count > 8)
        return (lane_set){16, md5i_bend_lanes_avx512, md5i_turn_lanes_avx512};
#endif
#if MD5_HAS_AVX2
    if ((level == MD5_CPU_AVX512 || level == MD5_CPU_AVX2) && count > 4)
        return (lane_set){8, md5i_bend_lanes_avx2, md5i_turn_lanes_avx2};
#endif
#if MD5_HAS_SSE2
    if (level != MD5_CPU_SCALAR && count > 1)
        return (lane_set){4, md5i_bend_lanes_sse2, md5i_turn_lanes_sse2};
#endif
#if MD5_HAS_NEON
    if (level == MD5_CPU_NEON && count > 1)
        return (lane_set){4, md5i_bend_lanes_neon, md5i_turn_lanes_neon};
#endif
    (void)level, (void)count;
    return (lane_set){1, NULL, NULL};
}

static void put_vec3(md5_lane_vec3 *lanes, uint32_t lane, md5_vec3 v)
{
    lanes->x[lane] = v.x;
    lanes->y[lane] = v.y;
    lanes->z[lane] = v.z;
}

// -- Limbs ------------------------------------------------------------------------------------

// Returns one bit for each character that was solved.
static uint32_t bend_some(const lane_set *set, const md5_skeleton *skeleton,
                          const md5_two_bone_job *jobs, md5_xform *const *poses, uint32_t count)
{
    const float soften = jobs->numbers.soften;
    md5_limb_lanes lanes = {.skeleton = skeleton, .joints = jobs->limb};
    lanes.soften = soften > 0 ? (soften < 1 ? soften : 1) : 0;
    lanes.most = jobs->numbers.stretch > 1 ? jobs->numbers.stretch : 1;
    MD5_FOR (i, set->width) {
        const uint32_t from = i < count ? i : 0; // lanes left over do the first one's work again
        const md5_two_bone_job *const job = &jobs[from];
        lanes.poses[i] = poses[from];
        const bool is_usual = !job->limits && job->weight >= 1 && md5_is_place(job->target);
        lanes.are_usual[i] = is_usual ? 1 : 0;
        put_vec3(&lanes.targets, i, job->target);
        lanes.are_poled[i] = lanes.are_turned[i] = 0;
        if (job->pole && md5_is_place(*job->pole)) {
            lanes.has_poles = true;
            lanes.are_poled[i] = 1;
            put_vec3(&lanes.poles, i, *job->pole);
        }
        if (job->rotation && md5_is_rotation(*job->rotation)) {
            const md5_quat q = md5_quat_normalize(*job->rotation, MD5_NO_TURN);
            lanes.has_rotations = true;
            lanes.are_turned[i] = 1;
            put_vec3(&lanes.axes, i, (md5_vec3){q.x, q.y, q.z});
            lanes.cosines[i] = q.w;
        }
    }
    const uint32_t solved = set->bend(&lanes);
    MD5_FOR (i, count)
        if ((solved >> i & 1) != 0 && lanes.stretches[i] > 1)
            md5i_stretch_limb(skeleton, poses[i], jobs->limb, 1 + (lanes.stretches[i] - 1));
    return solved;
}

void md5i_two_bone_all(md5_cpu level, const md5_skeleton *skeleton, const md5_two_bone_job *jobs,
                       md5_xform *const *poses, uint32_t count)
{
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        const uint32_t left = count - begin;
        const lane_set set = set_for(level, left);
        const uint32_t some = left < set.width ? left : set.width;
        end = begin + some;
        const uint32_t solved =
            some > 1 ? bend_some(&set, skeleton, jobs + begin, poses + begin, some) : 0;
        MD5_FOR (i, some)
            if ((solved >> i & 1) == 0 && jobs[begin + i].weight > 0)
                md5i_bend_limb(skeleton, poses[begin + i], jobs->limb, &jobs[begin + i], NULL);
    }
}

// -- Chains -----------------------------------------------------------------------------------

// Returns false if no register can do what all the jobs have in common.
static bool begin_aim(const md5_skeleton *skeleton, const md5_aim_job *job, md5_aim_batch *batch)
{
    uint32_t joints[MD5_MAX_CHAIN];
    const uint32_t count = md5i_chain_joints(skeleton, job->tip, job->length, joints);
    if (job->numbers.limit == MD5_ZERO || count == 0 || count > MD5_AIM_JOINTS
        || (count & (count - 1)) != 0)
        return false;
    batch->skeleton = skeleton;
    batch->count = count;
    memcpy(batch->joints, joints, count * sizeof *joints);
    batch->rule = md5i_aim_rule_of(skeleton, job);
    return true;
}

void md5i_aim_all(md5_cpu level, const md5_skeleton *skeleton, const md5_aim_job *jobs,
                  md5_xform *const *poses, uint32_t count)
{
    md5_aim_batch batch;
    const bool is_wide = count > 1 && begin_aim(skeleton, jobs, &batch);
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        const uint32_t left = count - begin;
        const lane_set set = set_for(level, left);
        const uint32_t some = left < set.width ? left : set.width;
        end = begin + some;
        uint32_t solved = 0;
        if (is_wide && some > 1) {
            MD5_FOR (i, set.width) {
                const uint32_t from = begin + (i < some ? i : 0);
                const md5_aim_job *const job = &jobs[from];
                batch.poses[i] = poses[from];
                batch.are_usual[i] = job->weight >= 1 && md5_is_place(job->target) ? 1 : 0.0f;
                put_vec3(&batch.targets, i, job->target);
            }
            solved = set.turn(&batch);
        }
        MD5_FOR (i, some)
            if ((solved >> i & 1) == 0)
                md5_solve_aim(skeleton, &jobs[begin + i], poses[begin + i]);
    }
}
