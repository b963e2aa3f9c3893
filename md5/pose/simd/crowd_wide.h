// The kernels for a crowd: several characters of one model, one in each lane. See md5_pose_kernels.
#ifndef MD5_POSE_SIMD_CROWD_WIDE_H
#define MD5_POSE_SIMD_CROWD_WIDE_H

#include "md5/pose/simd/slerp_wide.h"
#include "md5/pose/sample_position.h"
#include "md5/pose/kernels.h"

// == Local matrices to palettes ==================================================================
//
// Converts local matrices to palettes for several characters of the same model, one in each lane.
// Compiled once for each instruction set. Each step processes all joints before the next step
// begins; matrices are stored in the scratch memory.

// The inputs that differ between lanes.
typedef struct crowd_lanes {
    const md5_pose_job *const *jobs;
    // Rotations of the two frames of each lane's sample position.
    const float *rotations[2][MD5_WIDTH];
    const float *translations[2][MD5_WIDTH]; // translations of the same two frames
    md5_wide fraction;                       // fraction of each lane's sample position
    md5_wide fractions[4];                   // `fraction` in row layout: see wide.h
    float *scratch;
} crowd_lanes;

// Returns the matrices of a joint in the scratch memory, one for each lane. Entry k of all lanes is
// at k * MD5_WIDTH.
MD5_WIDE_INLINE float *joint_matrices(const crowd_lanes *lanes, int64_t joint)
{
    return lanes->scratch + joint * 12 * MD5_WIDTH;
}

// Loads the rotation part of the left factor of a product.
MD5_WIDE_INLINE void load_rotation(const float *matrix, md5_wide a[9])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < 9; i++)
        a[i] = md5_wide_load(matrix + (i / 3 * 4 + i % 3) * MD5_WIDTH);
}

// Computes one column of a product from that column of the right factor: see md5_mat34_product().
MD5_WIDE_INLINE void multiply_column(const md5_wide a[9], const md5_wide b[3], md5_wide out[3])
{
    MD5_UNROLL
    for (uint32_t row = 0; row < 3; row++) {
        const md5_wide two =
            md5_wide_add(md5_wide_mul(a[3 * row], b[0]), md5_wide_mul(a[3 * row + 1], b[1]));
        out[row] = md5_wide_add(two, md5_wide_mul(a[3 * row + 2], b[2]));
    }
}

// Adds the translation of joint matrices in the scratch memory to the fourth column of a product.
MD5_WIDE_INLINE void add_translation(const float *matrix, md5_wide column[3])
{
    MD5_UNROLL
    for (uint32_t row = 0; row < 3; row++)
        column[row] = md5_wide_add(column[row], md5_wide_load(matrix + (4 * row + 3) * MD5_WIDTH));
}

// Stores the matrices `m` of joint `joint`. The matrix of each lane goes to the array of its
// character, to[lane]. The rows of `m` are transposed in place.
MD5_WIDE_INLINE void store_matrices(float *const to[MD5_WIDTH], uint32_t joint, md5_wide m[3][4])
{
    MD5_UNROLL
    for (uint32_t row = 0; row < 3; row++) {
        float *rows[MD5_WIDTH];
        MD5_UNROLL
        for (uint32_t i = 0; i < MD5_WIDTH; i++)
            rows[i] = to[i] + 12 * (size_t)joint + 4 * row;
        md5_wide_transpose(m[row]);
        md5_wide_store_rows(rows, m[row]);
    }
}

// Converts the matrices of a joint from local to model space in all lanes: multiplies them from the
// left by the matrices `parent`. Writes the result to `matrix` in place, and also returns it in
// `joint`.
MD5_WIDE_INLINE void compose_joint(const float *parent, float *matrix, md5_wide joint[12])
{
    md5_wide a[9];
    load_rotation(parent, a);
    MD5_UNROLL
    for (uint32_t k = 0; k < 4; k++) {
        float *const column_k = matrix + k * MD5_WIDTH;
        const md5_wide b[3] = {md5_wide_load(column_k), md5_wide_load(column_k + 4 * MD5_WIDTH),
                               md5_wide_load(column_k + 8 * MD5_WIDTH)};
        md5_wide column[3];
        multiply_column(a, b, column);
        if (k == 3)
            add_translation(parent, column);
        MD5_UNROLL
        for (uint32_t row = 0; row < 3; row++) {
            joint[4 * row + k] = column[row];
            md5_wide_store(column_k + 4 * row * MD5_WIDTH, column[row]);
        }
    }
}

// Multiplies a joint by its inverse bind matrix in all lanes, and stores the palette entries. `a`
// contains the rotation part of the joint's matrices; the translations are read from `matrix`.
MD5_WIDE_INLINE void store_palette(const md5_wide a[9], const float *matrix,
                                   const float *inverse_bind, float *const palettes[MD5_WIDTH],
                                   uint32_t joint)
{
    md5_wide m[3][4];
    MD5_UNROLL
    for (uint32_t k = 0; k < 4; k++) {
        const md5_wide b[3] = {md5_wide_set1(inverse_bind[k]), md5_wide_set1(inverse_bind[4 + k]),
                               md5_wide_set1(inverse_bind[8 + k])};
        md5_wide column[3];
        multiply_column(a, b, column);
        if (k == 3)
            add_translation(matrix, column);
        MD5_UNROLL
        for (uint32_t row = 0; row < 3; row++)
            m[row][k] = column[row];
    }
    store_matrices(palettes, joint, m);
}

// Writes the 3x3 rotation part of MD5_WIDTH joint matrices; entry k of all matrices is consecutive.
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

// Writes the translation of MD5_WIDTH joint matrices.
MD5_WIDE_INLINE void store_translation(float *matrix, const md5_wide translation[3])
{
    MD5_UNROLL
    for (uint32_t row = 0; row < 3; row++)
        md5_wide_store(matrix + (4 * row + 3) * MD5_WIDTH, translation[row]);
}

// Converts the transforms of a joint to local matrices in all lanes. `joint` is the transform of
// the first character. The transforms of two characters are `stride` floats apart.
MD5_WIDE_INLINE void store_local(const md5_xform *joint, size_t stride, float *matrix)
{
    md5_wide rotation[4];
    md5_wide translation[4];
    md5_wide_load_run(&joint->rotation.x, stride, rotation);
    md5_wide_load_run(&joint->translation.x, stride, translation);
    md5_wide_transpose(rotation);
    md5_wide_transpose(translation);
    store_rotation(matrix, rotation);
    store_translation(matrix, translation);
}

// Completes the poses of MD5_WIDTH characters, one in each lane: composes their local matrices,
// which are relative to the parents, to joint matrices in model space, and multiplies these by the
// inverse bind matrices to get the palettes. The local matrices are in the scratch memory. If
// `poses` is not NULL, they are computed first, from poses that are `stride` floats apart.
//
// There are two methods with the same results. If the matrices of a joint fit into registers, one
// pass over the joints performs all steps. Otherwise, each step is a pass over all joints. Sampled
// crowds and given poses share this function, because two functions would be no faster and twice as
// large.
MD5_WIDE_CODE MD5_NO_INLINE static void end_crowd(const crowd_lanes *lanes,
                                                  const md5_binding *binding,
                                                  const md5_xform *poses, size_t stride)
{
    const md5_pose_plan *const plan = binding->internal.plan;
    const md5_joint *const skeleton = binding->skeleton->joints;
    const uint32_t count = binding->skeleton->num_joints;
    float *palettes[MD5_WIDTH];
    float *joints[MD5_WIDTH];
    bool has_joints = false; // a job requests joints

    // Collect the output arrays of all lanes.
    for (uint32_t i = 0; i < MD5_WIDTH; i++) {
        const md5_pose_job *const job = lanes->jobs[i];
        has_joints = has_joints || job->joints;
        palettes[i] = job->palette->m;
        // Joints that a job does not request are written to its palette, which is overwritten
        // later.
        joints[i] = job->joints ? job->joints->m : palettes[i];
    }

    // Instruction sets with enough registers hold a joint's matrix in registers until its palette
    // entry is written. This requires the order of memory: writes to sixteen palettes at scattered
    // addresses are more streams than a processor can prefetch.
    bool fits_registers = MD5_WIDE_REGISTERS > 16 && !has_joints;
    for (uint32_t i = 0; i < count && fits_registers; i++)
        fits_registers = skeleton[i].parent == MD5_NONE || skeleton[i].parent < i;

    // First pass, in the order of memory: convert the poses to local matrices, and if the matrices
    // fit into registers, also compute the palettes. Do not change the order of the two tests in
    // the loop condition: in the reverse order, the AVX-512 code of gcc 12 takes 10 % longer.
    for (uint32_t joint = 0; joint < count && (poses || fits_registers); joint++) {
        float *const matrix = joint_matrices(lanes, joint);
        if (poses)
            store_local(&poses[joint], stride, matrix);

        if (!fits_registers)
            continue;
        md5_wide m[12]; // the joint in model space
        md5_wide a[9];  // its rotation part
        if (skeleton[joint].parent == MD5_NONE) {
            load_rotation(matrix, a);
        } else {
            compose_joint(joint_matrices(lanes, skeleton[joint].parent), matrix, m);
            MD5_UNROLL
            for (uint32_t k = 0; k < 9; k++)
                a[k] = m[k / 3 * 4 + k % 3];
        }

        store_palette(a, matrix, binding->inverse_bind[joint].m, palettes, joint);
    }

    if (fits_registers)
        return;

    // Otherwise three more passes are needed. Second pass: compose the joint matrices, parents
    // before their children. The local matrices of roots are already in model space.
    for (uint32_t i = plan->num_roots; i < count; i++) {
        const uint32_t joint = plan->order[i];
        md5_wide m[12];
        compose_joint(joint_matrices(lanes, skeleton[joint].parent), joint_matrices(lanes, joint),
                      m);
    }

    // Third pass: write the joint matrices to the arrays of the jobs that request them.
    if (has_joints) {
        for (uint32_t joint = 0; joint < count; joint++) {
            md5_wide m[3][4];
            MD5_UNROLL
            for (uint32_t k = 0; k < 12; k++)
                m[k / 4][k % 4] = md5_wide_load(joint_matrices(lanes, joint) + k * MD5_WIDTH);
            store_matrices(joints, joint, m);
        }
    }

    // Fourth pass: compute the palettes.
    for (uint32_t joint = 0; joint < count; joint++) {
        const float *const matrix = joint_matrices(lanes, joint);
        md5_wide a[9];
        load_rotation(matrix, a);
        store_palette(a, matrix, binding->inverse_bind[joint].m, palettes, joint);
    }
}

// == Characters with one binding =================================================================
//
// Poses several characters with the same binding, one in each lane: see md5_pose_kernels. Compiled
// once for each instruction set.
//
// Each step processes all joints before the next step begins; matrices are stored in the scratch
// memory. The alternative is to perform all steps for one joint after the other, in registers. It
// takes 1.5 times as long for the same arithmetic: the operations of a joint form one long chain,
// and no processor looks far enough ahead to find the operations of the next joint.

// Sets the inputs of each lane: the addresses of both frames of its sample position, and the
// fraction.
MD5_WIDE_INLINE void begin_lanes(const md5_pose_job *const *jobs, float *scratch,
                                 crowd_lanes *lanes)
{
    const md5_anim *const anim = jobs[0]->binding->anim;
    float fractions[MD5_WIDTH];
    for (uint32_t i = 0; i < MD5_WIDTH; i++) {
        const md5_sample_position *const sample = &jobs[i]->sample;
        const size_t frames[2] = {sample->frame0, sample->frame1};
        for (uint32_t k = 0; k < 2; k++) {
            const size_t rotation = frames[k] * anim->num_rotations;
            const size_t translation = frames[k] * anim->num_translations;
            lanes->rotations[k][i] = (const float *)(anim->rotations + rotation);
            lanes->translations[k][i] = (const float *)(anim->translations + translation);
        }
        fractions[i] = sample->fraction;
    }

    lanes->jobs = jobs;
    lanes->scratch = scratch;
    lanes->fraction = md5_wide_load(fractions);
    md5_wide_spread(lanes->fraction, lanes->fractions);
}

// Loads four floats of each lane, at the same offset in the lane's frame: row i contains the floats
// of some lanes, in the order of md5_wide_load_rows().
MD5_WIDE_INLINE void load_lanes(const float *const from[MD5_WIDTH], size_t offset, md5_wide rows[4])
{
    const float *pointers[MD5_WIDTH];
    MD5_UNROLL
    for (uint32_t i = 0; i < MD5_WIDTH; i++)
        pointers[i] = from[i] + offset;
    md5_wide_load_rows(pointers, rows);
}

// Samples all rotations of several characters and stores them in the local matrices of the joints
// that they drive. Processes MD5_SLERP_SETS rotations in each of three steps: load, compute the
// weights of slerp or nlerp, store.
MD5_WIDE_INLINE void crowd_rotations(const crowd_lanes *lanes, const md5_binding *binding)
{
    const uint32_t *const targets = binding->internal.plan->targets.rotations;
    const uint32_t count = binding->anim->num_rotations;
    wide_slerp_set sets[MD5_SLERP_SETS];

    for (uint32_t begin = 0; begin < count; begin += MD5_SLERP_SETS) {
        const uint32_t size = count - begin < MD5_SLERP_SETS ? count - begin : MD5_SLERP_SETS;

        for (uint32_t i = 0; i < size; i++) {
            md5_wide a[4];
            md5_wide b[4];
            load_lanes(lanes->rotations[0], 4 * (size_t)(begin + i), a);
            load_lanes(lanes->rotations[1], 4 * (size_t)(begin + i), b);
            slerp_begin(&sets[i], a, b);
        }

        compute_set_weights(lanes->jobs[0]->sample.interpolation, lanes->fraction, sets, size);

        for (uint32_t i = 0; i < size; i++) {
            md5_wide rotation[4];
            slerp_end(&sets[i], rotation);
            if (targets[begin + i] != MD5_NONE)
                store_rotation(joint_matrices(lanes, targets[begin + i]), rotation);
        }
    }
}

// Sets the translation of one lane.
static inline void set_translation(float *matrix, int lane, md5_vec3 translation)
{
    matrix[3 * MD5_WIDTH + lane] = translation.x;
    matrix[7 * MD5_WIDTH + lane] = translation.y;
    matrix[11 * MD5_WIDTH + lane] = translation.z;
}

// Samples the last translation of a frame, one lane after the other. It cannot be loaded as a row
// of four floats, because the last triple of a clip is at the end of its array.
MD5_WIDE_INLINE void crowd_last_translation(const crowd_lanes *lanes, const md5_binding *binding)
{
    const size_t last = binding->anim->num_translations - 1;
    const uint32_t target = binding->internal.plan->targets.translations[last];
    if (target == MD5_NONE)
        return;
    for (int i = 0; i < MD5_WIDTH; i++) {
        const float *const a = lanes->translations[0][i] + 3 * last;
        const float *const b = lanes->translations[1][i] + 3 * last;
        const md5_vec3 translation =
            md5_vec3_lerp((md5_vec3){a[0], a[1], a[2]}, (md5_vec3){b[0], b[1], b[2]},
                          lanes->jobs[i]->sample.fraction);
        set_translation(joint_matrices(lanes, target), i, translation);
    }
}

// Samples all translations and stores them in the local matrices of the joints that they drive.
MD5_WIDE_INLINE void crowd_translations(const crowd_lanes *lanes, const md5_binding *binding)
{
    const uint32_t *const targets = binding->internal.plan->targets.translations;
    const uint32_t count = binding->anim->num_translations;
    for (uint32_t slot = 0; slot + 1 < count; slot++) {
        md5_wide a[4];
        md5_wide b[4];
        if (targets[slot] == MD5_NONE)
            continue;

        load_lanes(lanes->translations[0], 3 * (size_t)slot, a);
        load_lanes(lanes->translations[1], 3 * (size_t)slot, b);
        MD5_UNROLL
        for (uint32_t i = 0; i < 4; i++)
            a[i] = lerp_wide(a[i], b[i], lanes->fractions[i]);

        md5_wide_transpose(a);
        store_translation(joint_matrices(lanes, targets[slot]), a);
    }
    if (count > 0)
        crowd_last_translation(lanes, binding);
}

// Stores the rotations and translations that the clip does not animate in the local matrices. They
// are the same in all lanes.
MD5_WIDE_INLINE void crowd_constants(const crowd_lanes *lanes, const md5_binding *binding)
{
    const md5_pose_plan *const plan = binding->internal.plan;
    for (uint32_t i = 0; i < plan->num_fixed_rotations; i++) {
        const md5_quat q = md5_constant_xform(binding, plan->fixed_rotations[i])->rotation;
        const md5_wide rotation[4] = {md5_wide_set1(q.x), md5_wide_set1(q.y), md5_wide_set1(q.z),
                                      md5_wide_set1(q.w)};
        store_rotation(joint_matrices(lanes, plan->fixed_rotations[i]), rotation);
    }
    for (uint32_t i = 0; i < plan->num_fixed_translations; i++) {
        const md5_vec3 t = md5_constant_xform(binding, plan->fixed_translations[i])->translation;
        const md5_wide translation[3] = {md5_wide_set1(t.x), md5_wide_set1(t.y),
                                         md5_wide_set1(t.z)};
        store_translation(joint_matrices(lanes, plan->fixed_translations[i]), translation);
    }
}

// Replaces the translation of animation joint 0 in the lanes whose root mode is not MD5_ROOT_FILE.
MD5_WIDE_INLINE void crowd_roots(const crowd_lanes *lanes, const md5_binding *binding)
{
    const uint32_t target = binding->internal.plan->driven[0];
    if (target == MD5_NONE)
        return;
    for (int i = 0; i < MD5_WIDTH; i++) {
        const md5_pose_job *const job = lanes->jobs[i];
        if (job->root != MD5_ROOT_FILE)
            set_translation(joint_matrices(lanes, target), i,
                            md5i_root_translation(binding->anim, &job->sample, job->root));
    }
}

// Samples and poses MD5_WIDTH characters with the same binding together, one in each lane of the
// registers.
MD5_WIDE_CODE static void pose_crowd(const md5_pose_job *const *jobs, float *scratch)
{
    const md5_binding *const binding = jobs[0]->binding;
    crowd_lanes lanes;
    begin_lanes(jobs, scratch, &lanes);
    crowd_rotations(&lanes, binding);
    crowd_translations(&lanes, binding);
    crowd_constants(&lanes, binding);
    crowd_roots(&lanes, binding);
    end_crowd(&lanes, binding, NULL, 0);
}

// == Characters of one model =====================================================================

// Computes joints and palettes of MD5_WIDTH characters from their poses, which are complete.
// `first` is the first pose, and `step` is the number of transforms from one pose to the next.
MD5_WIDE_CODE static void finish_crowd_poses(const md5_pose_job *const *jobs,
                                             const md5_xform *first, size_t step, float *scratch)
{
    const crowd_lanes lanes = {.jobs = jobs, .scratch = scratch};
    end_crowd(&lanes, jobs[0]->binding, first, step * (sizeof *first / sizeof(float)));
}

#endif
