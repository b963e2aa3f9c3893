// Poses one character, one joint in each lane: see kernels.h. Compiled once for each instruction
// set, by the file that includes it.
#ifndef MD5_POSE_SIMD_ONE_WIDE_H
#define MD5_POSE_SIMD_ONE_WIDE_H

#include "md5/pose/kernels.h"
#include "md5/pose/plan.h"
#include "md5/pose/moment.h"
#include "md5/pose/simd/slerp_wide.h"

// The next narrower set takes fewer joints: they do not fill a register, or are no faster in one.
enum { FEWEST = MD5_WIDTH < 16 ? MD5_WIDTH : 33 };

// Rotations between two frames. The last set overlaps the one before, so that every set is full.
typedef struct joint_sets {
    uint32_t slots[MD5_SLERP_SETS]; // the first one of each set, from that of the targets on
    wide_slerp_set sets[MD5_SLERP_SETS];
} joint_sets;

// Loads the sets from slot `begin` on, and finds their weights. Returns their number.
// slots.count is at least MD5_WIDTH.
MD5_WIDE_CODE static uint32_t prepare_sets(const md5_anim *anim, const md5_moment *moment,
                                           md5_slots slots, uint32_t begin, joint_sets *to)
{
    const size_t count = anim->num_rotations;
    const md5_quat *const frame0 = anim->rotations + moment->frame0 * count + slots.first;
    const md5_quat *const frame1 = anim->rotations + moment->frame1 * count + slots.first;
    uint32_t size = 0;
    for (; size < MD5_SLERP_SETS && begin + size * MD5_WIDTH < slots.count; size++) {
        const uint32_t next = begin + size * MD5_WIDTH, last = slots.count - MD5_WIDTH;
        const uint32_t slot = to->slots[size] = next < last ? next : last;
        md5_wide a[4], b[4];
        md5_wide_load_run((const float *)&frame0[slot], 4, a);
        md5_wide_load_run((const float *)&frame1[slot], 4, b);
        slerp_begin(&to->sets[size], a, b);
    }
    weigh_all(moment->interpolation, md5_wide_all(moment->fraction), to->sets, size);
    return size;
}

static inline md5_xform *find_target(const uint32_t *targets, uint32_t slot, md5_xform *pose,
                                     md5_xform *discarded)
{
    return targets[slot] == MD5_NONE ? discarded : &pose[targets[slot]];
}

// Loads rows of four floats from packed triples: the last float of each row is the next triple's.
MD5_WIDE_CODE static void sample_translations(const md5_anim *anim, const md5_moment *moment,
                                              const md5_targets *targets, md5_xform *pose)
{
    const size_t width = anim->num_translations;
    const uint32_t first = targets->translation_slots.first;
    const uint32_t count = targets->translation_slots.count;
    const md5_vec3 *const frame0 = anim->translations + moment->frame0 * width + first;
    const md5_vec3 *const frame1 = anim->translations + moment->frame1 * width + first;
    const uint32_t *const translations = targets->translations + first;
    const md5_wide fraction = md5_wide_all(moment->fraction);
    // A row must not reach past the last triple of a frame, so that is loaded by itself.
    const uint32_t end = count > MD5_WIDTH ? count - 1 : 0;
    md5_xform discarded; // receives translations that drive nothing
    for (uint32_t next = 0; next < end; next += MD5_WIDTH) {
        const uint32_t slot = next + MD5_WIDTH <= end ? next : end - MD5_WIDTH;
        md5_wide a[4], b[4];
        md5_wide_load_run((const float *)&frame0[slot], 3, a);
        md5_wide_load_run((const float *)&frame1[slot], 3, b);
        MD5_UNROLL
        for (int i = 0; i < 4; i++)
            a[i] = lerp_wide(a[i], b[i], fraction);
        md5_wide_cut(a);
        if (targets->translations_in_order) {
            md5_wide_store_run((float *)&pose[first + slot].translation, 8, a);
            continue;
        }
        float *to[MD5_WIDTH];
        MD5_UNROLL
        for (uint32_t i = 0; i < MD5_WIDTH; i++)
            to[i] = &find_target(translations, slot + i, pose, &discarded)->translation.x;
        md5_wide_store_rows(to, a);
    }
    for (uint32_t slot = end; slot < count; slot++) {
        md5_xform *const to = find_target(translations, slot, pose, &discarded);
        to->translation = md5_vec3_lerp(frame0[slot], frame1[slot], moment->fraction);
        to->pad = 0.0f;
    }
}

MD5_WIDE_CODE static void sample(const md5_anim *anim, const md5_moment *moment,
                                 const md5_targets *targets, md5_xform *pose)
{
    if (targets->rotation_slots.count < FEWEST) {
        MD5_WIDE_NARROWER(md5i_pose_kernels).sample(anim, moment, targets, pose);
        return;
    }
    const uint32_t *const rotations = targets->rotations + targets->rotation_slots.first;
    md5_xform *const in_order = pose + targets->rotation_slots.first;
    md5_xform discarded; // receives rotations that drive nothing
    joint_sets sets;
    const md5_slots slots = targets->rotation_slots;
    for (uint32_t begin = 0; begin < slots.count; begin += MD5_SLERP_SETS * MD5_WIDTH) {
        const uint32_t size = prepare_sets(anim, moment, slots, begin, &sets);
        for (uint32_t i = 0; i < size; i++) {
            const uint32_t slot = sets.slots[i];
            md5_wide rotation[4];
            slerp_end(&sets.sets[i], rotation);
            md5_wide_transpose(rotation);
            if (targets->rotations_in_order) {
                md5_wide_store_run((float *)&in_order[slot].rotation, 8, rotation);
                continue;
            }
            float *to[MD5_WIDTH];
            MD5_UNROLL
            for (uint32_t k = 0; k < MD5_WIDTH; k++)
                to[k] = &find_target(rotations, slot + k, pose, &discarded)->rotation.x;
            md5_wide_store_rows(to, rotation);
        }
    }
    sample_translations(anim, moment, targets, pose);
}

// Converts rotations (components) and translations (rows) to matrices in rows.
MD5_WIDE_INLINE void build_matrices(const md5_wide rotation[4], md5_wide translation[4],
                                    md5_wide m[12])
{
    md5_wide_transpose(translation);
    matrix_wide(rotation, m);
    MD5_UNROLL
    for (int row = 0; row < 3; row++) {
        m[4 * row + 3] = translation[row];
        md5_wide_transpose(m + 4 * row);
    }
}

MD5_WIDE_CODE static void multiply(uint32_t count, const md5_mat34 *joints,
                                   const md5_mat34 *inverse_bind, md5_mat34 *palette)
{
    for (uint32_t i = 0; i < count; i++)
        md5_wide_mat34_store(palette[i].m, md5_wide_mat34_product(md5_wide_mat34_load(joints[i].m),
                                                                  inverse_bind[i].m));
}

// Computes the local matrices of joints with animated rotations; their translations are in
// `translated`.
MD5_WIDE_CODE static void build_animated_locals(const md5_binding *binding,
                                                const md5_moment *moment,
                                                const md5_xform *translated, md5_mat34 *joints)
{
    const md5_targets *const targets = &binding->plan->targets;
    joint_sets sets;
    md5_mat34 discarded = {{0}}; // receives matrices of tracks that drive nothing
    const md5_slots slots = targets->rotation_slots;
    for (uint32_t begin = 0; begin < slots.count; begin += MD5_SLERP_SETS * MD5_WIDTH) {
        const uint32_t size = prepare_sets(binding->anim, moment, slots, begin, &sets);
        for (uint32_t i = 0; i < size; i++) {
            const uint32_t slot = sets.slots[i];
            md5_wide rotation[4], translation[4], m[12];
            slerp_end(&sets.sets[i], rotation);
            if (targets->rotations_in_order) {
                md5_wide_load_run((const float *)&translated[slot].translation, 8, translation);
                build_matrices(rotation, translation, m);
                MD5_UNROLL
                for (int row = 0; row < 3; row++)
                    md5_wide_store_run(joints[slot].m + 4 * row, 12, m + 4 * row);
                continue;
            }
            const float *from[MD5_WIDTH];
            float *to[3][MD5_WIDTH];
            MD5_UNROLL
            for (uint32_t k = 0; k < MD5_WIDTH; k++) {
                const uint32_t target = targets->rotations[slot + k];
                float *const matrix = target == MD5_NONE ? discarded.m : joints[target].m;
                from[k] = target == MD5_NONE ? discarded.m : &translated[target].translation.x;
                to[0][k] = matrix;
                to[1][k] = matrix + 4;
                to[2][k] = matrix + 8;
            }
            md5_wide_load_rows(from, translation);
            build_matrices(rotation, translation, m);
            MD5_UNROLL
            for (int row = 0; row < 3; row++)
                md5_wide_store_rows(to[row], m + 4 * row);
        }
    }
}

// Converts local matrices to model space, in place, and writes the palette.
MD5_WIDE_CODE static void compose_steps(const md5_binding *binding, float *joints, float *palette)
{
    const md5_pose_plan *const plan = binding->plan;
    const float *const inverse_bind = binding->inverse_bind->m;
    for (uint32_t i = 0; i < plan->num_roots; i++) {
        const size_t own = plan->steps[i].own;
        md5_wide_mat34_store(
            palette + own,
            md5_wide_mat34_product(md5_wide_mat34_load(joints + own), inverse_bind + own));
    }
    for (uint32_t i = plan->num_roots; i < binding->skeleton->num_joints; i++) {
        const size_t own = plan->steps[i].own;
        const md5_wide_mat34 parent = md5_wide_mat34_load(joints + plan->steps[i].parent);
        const md5_wide_mat34 m = md5_wide_mat34_product(parent, joints + own);
        md5_wide_mat34_store(joints + own, m);
        md5_wide_mat34_store(palette + own, md5_wide_mat34_product(m, inverse_bind + own));
    }
}

MD5_WIDE_CODE static void finish(const md5_skeleton *skeleton, const md5_mat34 *inverse_bind,
                                 const md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette)
{
    const md5_joint *const list = skeleton->joints;
    const uint32_t *const order = skeleton->order;
    const uint32_t count = skeleton->num_joints;
    if (count < FEWEST) {
        MD5_WIDE_NARROWER(md5i_pose_kernels).finish(skeleton, inverse_bind, pose, joints, palette);
        return;
    }
    for (uint32_t begin = 0; begin < count; begin += MD5_WIDTH) { // local matrices
        const uint32_t joint = begin + MD5_WIDTH <= count ? begin : count - MD5_WIDTH;
        md5_wide rotation[4], translation[4], m[12];
        md5_wide_load_run((const float *)&pose[joint].rotation, 8, rotation);
        md5_wide_load_run((const float *)&pose[joint].translation, 8, translation);
        md5_wide_transpose(rotation);
        build_matrices(rotation, translation, m);
        MD5_UNROLL
        for (int row = 0; row < 3; row++)
            md5_wide_store_run(joints[joint].m + 4 * row, 12, m + 4 * row);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t joint = order[i];
        const uint32_t parent = list[joint].parent;
        md5_wide_mat34 m = md5_wide_mat34_load(joints[joint].m);
        if (parent != MD5_NONE) {
            m = md5_wide_mat34_product(md5_wide_mat34_load(joints[parent].m), joints[joint].m);
            md5_wide_mat34_store(joints[joint].m, m);
        }
        if (palette)
            md5_wide_mat34_store(palette[joint].m,
                                 md5_wide_mat34_product(m, inverse_bind[joint].m));
    }
}

MD5_WIDE_CODE static void single(const md5_binding *binding, const md5_moment *moment,
                                 md5_root root, md5_xform *scratch, md5_mat34 *joints,
                                 md5_mat34 *palette)
{
    const md5_anim *const anim = binding->anim;
    const md5_pose_plan *const plan = binding->plan;
    if (anim->num_rotations < FEWEST) {
        MD5_WIDE_NARROWER(md5i_pose_kernels)
            .single(binding, moment, root, scratch, joints, palette);
        return;
    }
    for (uint32_t i = 0; i < plan->num_fixed_translations; i++)
        scratch[plan->fixed_translations[i]].translation =
            md5_constant_of(binding, plan->fixed_translations[i])->translation;
    sample_translations(anim, moment, &plan->targets, scratch);
    const uint32_t first = binding->plan->driven[0];
    if (root != MD5_ROOT_FILE && first != MD5_NONE)
        scratch[first].translation = md5i_root_translation(anim, moment, root);

    build_animated_locals(binding, moment, scratch, joints);
    for (uint32_t i = 0; i < plan->num_fixed_rotations; i++) {
        const uint32_t joint = plan->fixed_rotations[i];
        joints[joint] =
            md5_mat34_of(md5_constant_of(binding, joint)->rotation, scratch[joint].translation);
    }

    compose_steps(binding, joints->m, palette->m);
}

#endif
