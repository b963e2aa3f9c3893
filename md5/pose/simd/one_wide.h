// The kernels for one character, with one joint in each lane: see md5_pose_kernels. Compiled once
// for each instruction set.
#ifndef MD5_POSE_SIMD_ONE_WIDE_H
#define MD5_POSE_SIMD_ONE_WIDE_H

#include "md5/pose/kernels.h"
#include "md5/pose/sample_position.h"
#include "md5/pose/simd/slerp_wide.h"

// Minimum number of joints for this instruction set. Fewer joints do not fill a register, or are
// not faster in one; they are passed to the next narrower set.
enum { MIN_JOINTS = MD5_WIDTH < 16 ? MD5_WIDTH : 33 };

// Stores the values of MD5_WIDTH slots from `slot` on, one in each row. `pose` is the address of
// the rotation or translation of joint 0; joints are eight floats apart. `in_order`: slot k drives
// joint k.
MD5_WIDE_INLINE void store_targets(const uint32_t *targets, uint32_t slot, bool in_order,
                                   const md5_wide rows[4], float *pose)
{
    float discarded[4]; // values of slots that drive nothing
    float *to[MD5_WIDTH];
    if (in_order) {
        md5_wide_store_run(pose + 8 * (size_t)slot, 8, rows);
        return;
    }
    MD5_UNROLL
    for (uint32_t i = 0; i < MD5_WIDTH; i++) {
        const uint32_t target = targets[slot + i];
        to[i] = target == MD5_NONE ? discarded : pose + 8 * (size_t)target;
    }
    md5_wide_store_rows(to, rows);
}

// Stores the local matrices of MD5_WIDTH joints. Rotations are given as components: a register for
// each of x y z w. Translations are given as rows: a register contains whole translations.
MD5_WIDE_INLINE void store_locals(const md5_wide rotation[4], md5_wide translation[4],
                                  md5_mat34 *locals)
{
    md5_wide m[12];
    md5_wide_transpose(translation);
    matrix_wide(rotation, m);
    MD5_UNROLL
    for (uint32_t row = 0; row < 3; row++) {
        m[4 * row + 3] = translation[row];
        md5_wide_transpose(m + 4 * row);
        md5_wide_store_run(locals->m + 4 * row, 12, m + 4 * row);
    }
}

// Samples the translations into a pose. They are packed triples in memory, but are loaded as rows
// of four floats, whose last float belongs to the next triple and is cleared.
MD5_WIDE_INLINE void sample_translations(const md5_anim *anim, const md5_sample_position *position,
                                         const md5_targets *targets, md5_wide fraction,
                                         md5_xform *pose)
{
    const uint32_t first = targets->translation_slots.first;
    const uint32_t count = targets->translation_slots.count;
    const md5_vec3 *const start =
        anim->translations + (size_t)position->frame0 * anim->num_translations;
    const md5_vec3 *const stop =
        anim->translations + (size_t)position->frame1 * anim->num_translations;

    // A row must not extend past the end of a frame, so the last triple is loaded separately.
    const uint32_t end = first + (count > MD5_WIDTH ? count - 1 : 0);

    for (uint32_t next = first; next < end; next += MD5_WIDTH) {
        const uint32_t slot = next + MD5_WIDTH <= end ? next : end - MD5_WIDTH;
        md5_wide a[4];
        md5_wide b[4];
        md5_wide_load_run((const float *)&start[slot], 3, a);
        md5_wide_load_run((const float *)&stop[slot], 3, b);

        MD5_UNROLL
        for (uint32_t i = 0; i < 4; i++)
            a[i] = lerp_wide(a[i], b[i], fraction);
        md5_wide_clear_w(a);
        store_targets(targets->translations, slot, targets->translations_in_order, a,
                      &pose->translation.x);
    }

    for (uint32_t slot = end; slot < first + count; slot++) {
        const uint32_t target = targets->translations[slot];
        if (target == MD5_NONE)
            continue;
        pose[target].translation = md5_vec3_lerp(start[slot], stop[slot], position->fraction);
        pose[target].pad = 0;
    }
}

// Samples at least MIN_JOINTS rotations into a pose. The last set overlaps the previous set, so
// that it is full. Each step processes several sets: see slerp_wide.h.
MD5_WIDE_INLINE void sample_rotations(const md5_anim *anim, const md5_sample_position *position,
                                      const md5_targets *targets, md5_wide fraction,
                                      md5_xform *pose)
{
    const md5_slots slots = targets->rotation_slots;
    const md5_quat *const frame0 = anim->rotations + (size_t)position->frame0 * anim->num_rotations;
    const md5_quat *const frame1 = anim->rotations + (size_t)position->frame1 * anim->num_rotations;
    const uint32_t slots_end = slots.first + slots.count;
    const uint32_t last = slots_end - MD5_WIDTH; // the last set overlaps the previous set
    wide_slerp_set sets[MD5_SLERP_SETS];

    for (uint32_t begin = slots.first; begin < slots_end; begin += MD5_SLERP_SETS * MD5_WIDTH) {
        uint32_t size = 0;
        uint32_t starts[MD5_SLERP_SETS]; // first slot of each set

        for (uint32_t next = begin; size < MD5_SLERP_SETS && next < slots_end; next += MD5_WIDTH) {
            const uint32_t slot = next < last ? next : last;
            md5_wide a[4];
            md5_wide b[4];
            md5_wide_load_run((const float *)&frame0[slot], 4, a);
            md5_wide_load_run((const float *)&frame1[slot], 4, b);
            slerp_begin(&sets[size], a, b);
            starts[size++] = slot;
        }

        compute_set_weights(position->interpolation, fraction, sets, size);
        for (uint32_t i = 0; i < size; i++) {
            md5_wide rotation[4];
            slerp_end(&sets[i], rotation);
            md5_wide_transpose(rotation);
            store_targets(targets->rotations, starts[i], targets->rotations_in_order, rotation,
                          &pose->rotation.x);
        }
    }
}

// Samples the pose of one character. If the clip drives few joints, uses the kernel of the narrower
// instruction set, because the wide loops would not be filled.
MD5_WIDE_CODE static void sample_pose(const md5_anim *anim, const md5_sample_position *position,
                                      const md5_targets *targets, md5_xform *pose)
{
    if (targets->rotation_slots.count < MIN_JOINTS) {
        MD5_WIDE_NARROWER(md5i_pose_kernels).sample(anim, position, targets, pose);
        return;
    }
    const md5_wide fraction = md5_wide_set1(position->fraction);
    sample_translations(anim, position, targets, fraction, pose);
    sample_rotations(anim, position, targets, fraction, pose);
}

// Computes a palette: multiplies each joint matrix by the inverse bind matrix of its joint.
MD5_WIDE_CODE static void multiply_joints(uint32_t count, const md5_mat34 *joints,
                                          const md5_mat34 *inverse_bind, md5_mat34 *palette)
{
    for (uint32_t i = 0; i < count; i++)
        md5_wide_mat34_store(palette[i].m, md5_wide_mat34_product(md5_wide_mat34_load(joints[i].m),
                                                                  inverse_bind[i].m));
}

// Computes the joint matrices of a pose, and the palette unless it is NULL: first the local
// matrices of MD5_WIDTH joints at a time, then one joint after the other in `order`.
MD5_WIDE_CODE static void finish_pose(const md5_skeleton *skeleton, const md5_mat34 *inverse_bind,
                                      const md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette)
{
    const md5_joint *const list = skeleton->joints;
    const uint32_t *const order = skeleton->order;
    const uint32_t count = skeleton->num_joints;

    if (count < MIN_JOINTS) {
        MD5_WIDE_NARROWER(md5i_pose_kernels).finish(skeleton, inverse_bind, pose, joints, palette);
        return;
    }

    // Convert the rotation and translation of each joint to its local matrix.
    for (uint32_t begin = 0; begin < count; begin += MD5_WIDTH) {
        const uint32_t joint = begin + MD5_WIDTH <= count ? begin : count - MD5_WIDTH;
        md5_wide rotation[4];
        md5_wide translation[4];
        md5_wide_load_run(&pose[joint].rotation.x, 8, rotation);
        md5_wide_load_run(&pose[joint].translation.x, 8, translation);
        md5_wide_transpose(rotation);
        store_locals(rotation, translation, &joints[joint]);
    }

    // Matrices of joints, parents first, and the palette.
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t joint = order[i];
        const uint32_t parent = list[joint].parent;
        md5_wide_mat34 m;
        if (parent == MD5_NONE) {
            m = md5_wide_mat34_load(joints[joint].m);
        } else {
            m = md5_wide_mat34_product(md5_wide_mat34_load(joints[parent].m), joints[joint].m);
            md5_wide_mat34_store(joints[joint].m, m);
        }
        if (palette)
            md5_wide_mat34_store(palette[joint].m,
                                 md5_wide_mat34_product(m, inverse_bind[joint].m));
    }
}

#endif
