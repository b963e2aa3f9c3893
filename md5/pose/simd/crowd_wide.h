// Poses several characters with the same binding, one in each lane: see kernels.h. Compiled once
// for each instruction set, by the file that includes it. MANY_REGISTERS: whether the set has 32 of
// them.
//
// Each step processes all joints before the next step begins, with matrices in the scratch memory.
// Joint by joint, with everything in registers, the same arithmetic takes half as long again: each
// joint is one long chain, and no processor looks far enough ahead to find the next joint's.
//
// The steps are inlined into both kernels, of slerp and of nlerp: as functions that these share
// they take 2 % longer.
#ifndef MD5_POSE_SIMD_CROWD_WIDE_H
#define MD5_POSE_SIMD_CROWD_WIDE_H

#include "md5/pose/simd/hierarchy_wide.h"
#include "md5/pose/root.h"

MD5_WIDE_INLINE void begin_lanes(const md5_pose_job *const *jobs, float *scratch,
                                 crowd_lanes *lanes)
{
    const md5_anim *const anim = jobs[0]->binding->anim;
    float fractions[MD5_WIDTH];
    for (int i = 0; i < MD5_WIDTH; i++) {
        const md5_moment *const moment = &jobs[i]->moment;
        const size_t frames[2] = {moment->frame0, moment->frame1};
        for (int k = 0; k < 2; k++) {
            const size_t rotation = frames[k] * anim->num_rotations;
            const size_t translation = frames[k] * anim->num_translations;
            lanes->rotations[k][i] = (const float *)(anim->rotations + rotation);
            lanes->translations[k][i] = (const float *)(anim->translations + translation);
        }
        fractions[i] = moment->fraction;
    }
    lanes->jobs = jobs;
    lanes->scratch = scratch;
    const md5_wide fraction = md5_wide_load(fractions);
    md5_wide_spread(fraction, lanes->fractions);
    lanes->slerp = wide_slerp_at(fraction);
}

MD5_WIDE_INLINE void load_lanes(const float *const from[MD5_WIDTH], size_t offset, md5_wide rows[4])
{
    const float *pointers[MD5_WIDTH];
    MD5_UNROLL
    for (int i = 0; i < MD5_WIDTH; i++)
        pointers[i] = from[i] + offset;
    md5_wide_load_rows(pointers, rows);
}

MD5_WIDE_INLINE void store_rotation(float *matrix, const md5_wide rotation[4])
{
    md5_wide m[12];
    matrix_wide(rotation, m);
    MD5_UNROLL
    for (int row = 0; row < 3; row++) {
        MD5_UNROLL
        for (int k = 4 * row; k < 4 * row + 3; k++)
            md5_wide_store(matrix + k * MD5_WIDTH, m[k]);
    }
}

MD5_WIDE_INLINE void store_translation(float *matrix, const md5_wide translation[3])
{
    MD5_UNROLL
    for (int row = 0; row < 3; row++)
        md5_wide_store(matrix + (4 * row + 3) * MD5_WIDTH, translation[row]);
}

// By slerp or, if its weights are given, by nlerp. Inlined, so that callers do not test for it.
MD5_WIDE_INLINE void crowd_rotations(const crowd_lanes *lanes, const md5_binding *binding,
                                     const wide_nlerp *nlerp)
{
    const int32_t *const targets = binding->plan->targets.rotations;
    const uint32_t count = binding->anim->num_rotations;
    wide_slerp_set sets[MD5_SLERP_SETS];
    for (uint32_t begin = 0; begin < count; begin += MD5_SLERP_SETS) {
        const uint32_t size = count - begin < MD5_SLERP_SETS ? count - begin : MD5_SLERP_SETS;
        for (uint32_t i = 0; i < size; i++) {
            md5_wide a[4], b[4];
            load_lanes(lanes->rotations[0], 4 * (size_t)(begin + i), a);
            load_lanes(lanes->rotations[1], 4 * (size_t)(begin + i), b);
            slerp_begin(&sets[i], a, b);
        }
        if (nlerp)
            nlerp_weigh_all(nlerp, sets, size);
        else
            slerp_weigh_all(&lanes->slerp, sets, size);
        for (uint32_t i = 0; i < size; i++) {
            md5_wide rotation[4];
            slerp_end(&sets[i], rotation);
            if (targets[begin + i] >= 0)
                store_rotation(matrix_of(lanes, targets[begin + i]), rotation);
        }
    }
}

// Sets one lane's translation.
static inline void set_translation(float *matrix, int lane, md5_vec3 translation)
{
    matrix[3 * MD5_WIDTH + lane] = translation.x;
    matrix[7 * MD5_WIDTH + lane] = translation.y;
    matrix[11 * MD5_WIDTH + lane] = translation.z;
}

// The last triple of a clip cannot be loaded as a row of four: nothing follows it.
MD5_WIDE_INLINE void crowd_last_translation(const crowd_lanes *lanes, const md5_binding *binding)
{
    const size_t last = binding->anim->num_translations - 1;
    const int32_t target = binding->plan->targets.translations[last];
    for (int i = 0; target >= 0 && i < MD5_WIDTH; i++) {
        const float *const a = lanes->translations[0][i] + 3 * last;
        const float *const b = lanes->translations[1][i] + 3 * last;
        const md5_vec3 translation =
            md5_vec3_lerp((md5_vec3){a[0], a[1], a[2]}, (md5_vec3){b[0], b[1], b[2]},
                          lanes->jobs[i]->moment.fraction);
        set_translation(matrix_of(lanes, target), i, translation);
    }
}

MD5_WIDE_INLINE void crowd_translations(const crowd_lanes *lanes, const md5_binding *binding)
{
    const int32_t *const targets = binding->plan->targets.translations;
    const uint32_t count = binding->anim->num_translations;
    for (uint32_t slot = 0; slot + 1 < count; slot++) {
        md5_wide a[4], b[4];
        if (targets[slot] < 0)
            continue;
        load_lanes(lanes->translations[0], 3 * (size_t)slot, a);
        load_lanes(lanes->translations[1], 3 * (size_t)slot, b);
        MD5_UNROLL
        for (int i = 0; i < 4; i++)
            a[i] = lerp_wide(a[i], b[i], lanes->fractions[i]);
        md5_wide_transpose(a);
        store_translation(matrix_of(lanes, targets[slot]), a);
    }
    if (count > 0)
        crowd_last_translation(lanes, binding);
}

// What the clip does not animate is the same in all lanes.
MD5_WIDE_INLINE void crowd_constants(const crowd_lanes *lanes, const md5_binding *binding)
{
    const md5_pose_plan *const plan = binding->plan;
    for (uint32_t i = 0; i < plan->num_fixed_rotations; i++) {
        const md5_quat q = md5_constant_of(binding, plan->fixed_rotations[i])->rotation;
        const md5_wide rotation[4] = {md5_wide_all(q.x), md5_wide_all(q.y), md5_wide_all(q.z),
                                      md5_wide_all(q.w)};
        store_rotation(matrix_of(lanes, plan->fixed_rotations[i]), rotation);
    }
    for (uint32_t i = 0; i < plan->num_fixed_translations; i++) {
        const md5_vec3 t = md5_constant_of(binding, plan->fixed_translations[i])->translation;
        const md5_wide translation[3] = {md5_wide_all(t.x), md5_wide_all(t.y), md5_wide_all(t.z)};
        store_translation(matrix_of(lanes, plan->fixed_translations[i]), translation);
    }
}

// Joint 0 of the animation, for root modes other than the file's.
MD5_WIDE_INLINE void crowd_roots(const crowd_lanes *lanes, const md5_binding *binding)
{
    const int32_t target = md5_binding_targets(binding)[0];
    for (int i = 0; target >= 0 && i < MD5_WIDTH; i++) {
        const md5_pose_job *const job = lanes->jobs[i];
        if (job->root != MD5_ROOT_FILE)
            set_translation(matrix_of(lanes, target), i,
                            md5i_root_translation(binding->anim, &job->moment, job->root));
    }
}

// Both steps in one loop, for sets with enough registers to keep a joint's matrix until its palette
// entry is written. In the order of memory: sixteen palettes that are written here and there are
// more than processors fetch ahead.
MD5_WIDE_INLINE void crowd_joints_and_palettes(const crowd_lanes *lanes, const md5_binding *binding)
{
    const md5_joint *const joints = binding->skeleton->joints;
    float *palettes[MD5_WIDTH];
    find_palettes(lanes, palettes);
    for (uint32_t joint = 0; joint < binding->skeleton->num_joints; joint++) {
        const int32_t parent = joints[joint].parent;
        float *const own = matrix_of(lanes, joint);
        md5_wide m[12], a[9];
        if (parent < 0) {
            load_rotation(own, a);
        } else {
            compose_joint(matrix_of(lanes, parent), own, m);
            MD5_UNROLL
            for (int k = 0; k < 9; k++)
                a[k] = m[k / 3 * 4 + k % 3];
        }
        store_palette(a, own, binding->inverse_bind[joint].m, palettes, joint);
    }
}

// Everything but the rotations.
MD5_WIDE_INLINE void crowd_rest(const crowd_lanes *lanes, const md5_binding *binding)
{
    crowd_translations(lanes, binding);
    crowd_constants(lanes, binding);
    crowd_roots(lanes, binding);
    const bool wanted = any_joints_wanted(lanes);
    if (MANY_REGISTERS && !wanted && has_parents_first(binding->skeleton)) {
        crowd_joints_and_palettes(lanes, binding);
        return;
    }
    crowd_joints(lanes, binding);
    if (wanted)
        crowd_results(lanes, binding);
    crowd_palettes(lanes, binding);
}

MD5_WIDE_CODE static void crowd_by_slerp(const md5_pose_job *const *jobs, float *scratch)
{
    crowd_lanes lanes;
    begin_lanes(jobs, scratch, &lanes);
    crowd_rotations(&lanes, jobs[0]->binding, NULL);
    crowd_rest(&lanes, jobs[0]->binding);
}

MD5_WIDE_CODE static void crowd_by_nlerp(const md5_pose_job *const *jobs, float *scratch)
{
    crowd_lanes lanes;
    float fractions[MD5_WIDTH];
    begin_lanes(jobs, scratch, &lanes);
    for (int i = 0; i < MD5_WIDTH; i++)
        fractions[i] = jobs[i]->moment.fraction;
    const wide_nlerp nlerp = wide_nlerp_at(md5_wide_load(fractions));
    crowd_rotations(&lanes, jobs[0]->binding, &nlerp);
    crowd_rest(&lanes, jobs[0]->binding);
}

static void crowd(const md5_pose_job *const *jobs, float *scratch)
{
    if (jobs[0]->moment.interpolation == MD5_INTERPOLATE_NLERP)
        crowd_by_nlerp(jobs, scratch);
    else
        crowd_by_slerp(jobs, scratch);
}

#endif
