// Poses: sampling a clip, local transforms to model space and back, palettes, blending, crowds;
// each by the kernels of an instruction set.
#include "md5/core/jobs.h"
#include "md5/pose/kernels.h"
#include "md5/pose/moment.h"
#include "md5/pose/sampling.h"

// == Kernels =====================================================================================

#ifndef MD5_NO_SIMD
const md5_pose_kernels *md5i_pose_kernels_of(md5_cpu level)
{
    static const md5_pose_kernels *const kernels[MD5_CPU_COUNT] =
        MD5_OF_EACH_SET(&md5i_pose_kernels);
    return kernels[level];
}
#endif

md5_combine_kernel *md5i_combine_of(md5_cpu level)
{
    static md5_combine_kernel *const kernels[MD5_CPU_COUNT] = MD5_OF_EACH_SET(md5i_combine);
    return kernels[level];
}

// == Smooth curves ===============================================================================
//
// Samples along smooth curves through the frames.
//
// At each frame a curve has the mean of the speeds of the intervals on both sides (Catmull and Rom
// 1974), so its speed is continuous there. Translations are Hermite's cubics. Rotations are
// Hermite's quaternion curves (Kim, Kim and Shin, "A General Construction Scheme for Unit
// Quaternion Curves with Simple High Order Derivatives", SIGGRAPH 1995): with the speeds v at both
// ends, in each end's own frame,
//
//   q(t) = q0 exp(v0 / 3 * (1 - (1 - t)^3)) exp(w * (3 t^2 - 2 t^3)) exp(v1 / 3 * t^3)
//   exp(w) = exp(-v0 / 3) q0^-1 q1 exp(-v1 / 3)
//
// A rotation at constant speed keeps it. Cycles are continued by differences between frames, not by
// the frames: clips whose last frame is displaced from the first stay smooth.

#ifndef MD5_NO_CUBIC
// An interval between two frames. If both are the same frame, nothing moves.
typedef struct md5_frame_pair {
    uint32_t from, to;
} md5_frame_pair;
#endif

// What all joints of a sample share.
typedef struct sampler {
    md5_sampling linear;
#ifndef MD5_NO_CUBIC
    md5_frame_pair before, now, after; // along curves: the interval of the moment, its neighbours
#endif
} sampler;

#ifdef MD5_NO_CUBIC
static sampler begin_sampler(const md5_anim *anim, const md5_moment *moment)
{
    return (sampler){md5_begin_sampling(anim, moment)};
}

#define sample_root md5i_root_translation
#else
// -- Which frames ---------------------------------------------------------------------------------

static md5_frame_pair pair_before(uint32_t frame, uint32_t last, md5_wrap wrap)
{
    if (frame > 0)
        return (md5_frame_pair){frame - 1, frame};
    if (wrap == MD5_WRAP_LOOP && last > 0)
        return (md5_frame_pair){last - 1, last};
    return (md5_frame_pair){wrap == MD5_WRAP_CYCLE ? last : frame, frame};
}

static md5_frame_pair pair_after(uint32_t frame, uint32_t last, md5_wrap wrap)
{
    if (frame < last)
        return (md5_frame_pair){frame, frame + 1};
    if (wrap == MD5_WRAP_LOOP && last > 0)
        return (md5_frame_pair){0, 1};
    return (md5_frame_pair){frame, wrap == MD5_WRAP_CYCLE ? 0 : frame};
}

static sampler begin_sampler(const md5_anim *anim, const md5_moment *moment)
{
    const uint32_t last = anim->num_frames - 1;
    return (sampler){
        .linear = md5_begin_sampling(anim, moment),
        .before = pair_before(moment->frame0, last, moment->wrap),
        .now = {moment->frame0, moment->frame1},
        .after = pair_after(moment->frame1, last, moment->wrap),
    };
}

// -- Translations ---------------------------------------------------------------------------------

// One axis: `now` is the displacement of the interval, `before` and `after` those of its
// neighbours.
static float hermite(float from, float before, float now, float after, float t)
{
    const float start_speed = 0.5f * (before + now), end_speed = 0.5f * (now + after);
    const float square = 3.0f * now - (start_speed + start_speed) - end_speed;
    const float cube = start_speed + end_speed - (now + now);
    return from + t * (start_speed + t * (square + t * cube));
}

// As stored; of joint 0 in the mode MD5_ROOT_ID less the base frame's, and from the last frame into
// the first with the displacement of a cycle, as the engine adds it: see md5i_root_translation().
static md5_vec3 cubic_translation(const sampler *cubic, uint32_t slot, md5_root root)
{
    const md5_anim *const anim = cubic->linear.anim;
    const md5_moment *const moment = cubic->linear.moment;
    const md5_frame_pair pairs[3] = {cubic->before, cubic->now, cubic->after};
    const md5_vec3 base = anim->base_frame[0].translation;
    const bool is_root = root == MD5_ROOT_ID;
    md5_vec3 from = md5_frame_translation(anim, cubic->now.from, slot), cycle = {0, 0, 0};
    if (is_root) {
        from = md5_vec3_sub(from, base);
        cycle = md5_vec3_sub(md5_frame_translation(anim, anim->num_frames - 1, slot), base);
    }
    md5_vec3 moved[3];
    MD5_FOR (i, 3) {
        moved[i] = md5_vec3_sub(md5_frame_translation(anim, pairs[i].to, slot),
                                md5_frame_translation(anim, pairs[i].from, slot));
        if (is_root && pairs[i].to < pairs[i].from)
            moved[i] = md5_vec3_add(moved[i], cycle);
    }
    const float t = moment->fraction;
    const md5_vec3 position = {hermite(from.x, moved[0].x, moved[1].x, moved[2].x, t),
                               hermite(from.y, moved[0].y, moved[1].y, moved[2].y, t),
                               hermite(from.z, moved[0].z, moved[1].z, moved[2].z, t)};
    return is_root ? md5_vec3_add(position, md5_vec3_scale(cycle, (float)moment->cycle)) : position;
}

// -- Rotations ------------------------------------------------------------------------------------

// In double and without libm's trigonometric functions, whose last bits differ between systems.

static md5_vec3d mean(md5_vec3d a, md5_vec3d b)
{
    return (md5_vec3d){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
}

// The angle of the quaternion, A, times the axis. For g = A / 4 and v = 1 - cos(g), Euler's series
// arcsin(x) / (x sqrt(1 - x^2)) with x^2 = sin(g / 2)^2 = v / 2 says
//
//   g / sin(g) = sum of v^k 2^k (k!)^2 / (2 k + 1)!
//
// and A / sin(A) = g / sin(g) / cos(g) / cos(2 g). Angles reach 5 / 6 pi, where v is 0.21 and these
// terms leave less than 1e-10. Inlined by force: a call would pass it through memory, and sampling
// along curves would take 1.09 times as long.
static MD5_ALWAYS_INLINE md5_vec3d logarithm(md5_quatd a)
{
    static const double steps[] = {1.0 / 3,  2.0 / 5,  3.0 / 7,  4.0 / 9, 5.0 / 11,
                                   6.0 / 13, 7.0 / 15, 8.0 / 17, 9.0 / 19};
    const double cosine_of_half = sqrt(0.5 + 0.5 * a.w);
    const double cosine = sqrt(0.5 + 0.5 * cosine_of_half);
    const double v = 1.0 - cosine;
    double sum = 1;
    for (int k = MD5_COUNT(steps) - 1; k >= 0; k--)
        sum = 1.0 + sum * (v * steps[k]);
    return md5_vec3d_scale((md5_vec3d){a.x, a.y, a.z}, sum / (cosine * cosine_of_half));
}

// The series of sine and cosine: what these terms leave is less than 1e-12.
static md5_quatd exponential(md5_vec3d a)
{
    static const double sine_steps[] = {1.0 / 6,   1.0 / 20,  1.0 / 42,  1.0 / 72,  1.0 / 110,
                                        1.0 / 156, 1.0 / 210, 1.0 / 272, 1.0 / 342, 1.0 / 420};
    static const double cosine_steps[] = {1.0 / 2,   1.0 / 12,  1.0 / 30,  1.0 / 56,  1.0 / 90,
                                          1.0 / 132, 1.0 / 182, 1.0 / 240, 1.0 / 306, 1.0 / 380};
    const double square = a.x * a.x + a.y * a.y + a.z * a.z;
    double sine = 1, cosine = 1;
    for (int k = MD5_COUNT(sine_steps) - 1; k >= 0; k--) {
        sine = 1.0 - sine * (square * sine_steps[k]);
        cosine = 1.0 - cosine * (square * cosine_steps[k]);
    }
    return (md5_quatd){a.x * sine, a.y * sine, a.z * sine, cosine};
}

static md5_quatd rotation_of(const md5_anim *anim, uint32_t frame, uint32_t slot)
{
    return md5_quatd_of(md5_frame_rotation(anim, frame, slot));
}

// Returns the rotation from one frame to the other, along the shorter arc.
static md5_quatd change_of(const md5_anim *anim, md5_frame_pair pair, uint32_t slot)
{
    const md5_quatd change = md5_quatd_mul(md5_quatd_conjugate(rotation_of(anim, pair.from, slot)),
                                           rotation_of(anim, pair.to, slot));
    if (change.w < 0)
        return md5_quatd_negate(change);
    return change;
}

// Samples anim->rotation_joints[slot] or anim->translation_joints[slot].
static md5_quat cubic_rotation(const sampler *cubic, uint32_t slot)
{
    const md5_anim *const anim = cubic->linear.anim;
    const double t = (double)cubic->linear.moment->fraction, left = 1.0 - t;
    if (cubic->linear.moment->fraction == 0)
        return md5_frame_rotation(anim, cubic->now.from, slot);
    const md5_quatd change = change_of(anim, cubic->now, slot);
    const md5_vec3d now = logarithm(change);
    const md5_vec3d start_speed = mean(logarithm(change_of(anim, cubic->before, slot)), now);
    const md5_vec3d end_speed = mean(now, logarithm(change_of(anim, cubic->after, slot)));
    const md5_vec3d middle = logarithm(
        md5_quatd_mul(md5_quatd_mul(exponential(md5_vec3d_scale(start_speed, -1.0 / 3.0)), change),
                      exponential(md5_vec3d_scale(end_speed, -1.0 / 3.0))));
    const md5_vec3d steps[3] = {md5_vec3d_scale(start_speed, (1.0 - left * left * left) / 3.0),
                                md5_vec3d_scale(middle, t * t * (3.0 - 2.0 * t)),
                                md5_vec3d_scale(end_speed, t * t * t / 3.0)};
    md5_quatd q = rotation_of(anim, cubic->now.from, slot);
    MD5_FOR (i, 3)
        q = md5_quatd_mul(q, exponential(steps[i]));
    return (md5_quat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
}

// Samples joint 0's translation in a mode that is not MD5_ROOT_FILE.
static md5_vec3 sample_root(const md5_anim *anim, const md5_moment *moment, md5_root root)
{
    const bool moves = anim->num_translations > 0 && anim->translation_joints[0] == 0;
    if (!moves || root == MD5_ROOT_IN_PLACE || !MD5_IS_CUBIC(moment))
        return md5i_root_translation(anim, moment, root);
    const sampler cubic = begin_sampler(anim, moment);
    return cubic_translation(&cubic, 0, root);
}
#endif

// -- Joints ---------------------------------------------------------------------------------------

// Samples anim->rotation_joints[slot] or anim->translation_joints[slot].
static md5_quat sample_rotation(const sampler *from, uint32_t slot)
{
    const md5_sampling *const linear = &from->linear;
#ifndef MD5_NO_CUBIC
    if (MD5_IS_CUBIC(linear->moment))
        return cubic_rotation(from, slot);
#endif
#ifndef MD5_NO_COMPRESSED
    const md5_anim *const anim = linear->anim;
    const md5_moment *const moment = linear->moment;
    if (MD5_PACKED(anim) && linear->is_nlerp) // not between two keys but between two frames
        return md5_nlerp_weighted(&linear->nlerp, md5_frame_rotation(anim, moment->frame0, slot),
                                  md5_frame_rotation(anim, moment->frame1, slot));
    if (MD5_PACKED(anim))
        return md5i_packed_joint_at(MD5_PACKED(anim), anim->rotation_joints[slot],
                                    MD5_PACKED_ROTATION, moment);
#endif
    return md5_sample_rotation(linear, slot);
}

static md5_vec3 sample_translation(const sampler *from, uint32_t slot)
{
    const md5_sampling *const linear = &from->linear;
#ifndef MD5_NO_CUBIC
    if (MD5_IS_CUBIC(linear->moment))
        return cubic_translation(from, slot, MD5_ROOT_FILE);
#endif
#ifndef MD5_NO_COMPRESSED
    const md5_anim *const anim = linear->anim;
    if (MD5_PACKED(anim) && !linear->is_nlerp) {
        const md5_quat v = md5i_packed_joint_at(MD5_PACKED(anim), anim->translation_joints[slot],
                                                MD5_PACKED_TRANSLATION, linear->moment);
        return (md5_vec3){v.x, v.y, v.z};
    }
#endif
    return md5_sample_translation(linear, slot);
}

// Returns the index of `joint` in an ascending list, or -1.
static int64_t find_slot(const uint32_t *joints, uint32_t count, uint32_t joint)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (joints[middle] < joint)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && joints[low] == joint ? (int64_t)low : -1;
}

// == Clips =======================================================================================

// Composes joints whose track is not relative to their parent in the model.
// Time is linear in the number of joints.
static MD5_COLD void apply_rebases(const md5_binding *binding, const md5_moment *moment,
                                   md5_root root, md5_xform *pose)
{
    const sampler from = begin_sampler(binding->anim, moment);
    const uint32_t *targets = binding->internal.plan->driven;
    const md5_joint *joints = binding->skeleton->joints;
    const md5_joint *anim_joints = binding->anim->skeleton.joints;

    MD5_FOR (i, binding->num_rebases) {
        const md5_rebase *rebase = &binding->internal.rebases[i];
        md5_xform local = pose[rebase->joint];
        for (uint32_t extra = rebase->extra; extra != MD5_NONE && targets[extra] == MD5_NONE;
             extra = anim_joints[extra].parent) {
            // One animation joint relative to its parent, as sampling the whole clip has it.
            const md5_anim *const anim = from.linear.anim;
            md5_xform above = anim->constant[extra];
            const int64_t rotation = find_slot(anim->rotation_joints, anim->num_rotations, extra);
            const int64_t translation =
                find_slot(anim->translation_joints, anim->num_translations, extra);
            if (rotation >= 0)
                above.rotation = sample_rotation(&from, (uint32_t)rotation);
            if (extra == 0 && root != MD5_ROOT_FILE)
                above.translation = sample_root(anim, moment, root);
            else if (translation >= 0)
                above.translation = sample_translation(&from, (uint32_t)translation);

            local = md5_xform_mul(above, local);
        }
        uint32_t ancestor = joints[rebase->joint].parent;
        if (ancestor != rebase->above) {
            md5_xform chain = pose[ancestor];
            for (ancestor = joints[ancestor].parent; ancestor != rebase->above;
                 ancestor = joints[ancestor].parent)
                chain = md5_xform_mul(pose[ancestor], chain);
            local = md5_xform_mul(md5_xform_inverse(chain), local);
        }
        pose[rebase->joint] = local;
    }
}

void md5i_sample_anim_with(const md5_pose_kernels *kernels, const md5_anim *anim,
                           const md5_moment *moment, md5_root root, md5_xform *pose)
{
    // The targets of a clip without a binding: each joint is its own target.
    // The lists ascend: if they are as long as the skeleton, slot k is joint k.
    const uint32_t count = anim->skeleton.num_joints;
    const md5_targets targets = {
        .rotations = anim->rotation_joints,
        .translations = anim->translation_joints,
        .rotations_in_order = anim->num_rotations == count,
        .translations_in_order = anim->num_translations == count,
        .rotation_slots = {0, anim->num_rotations},
        .translation_slots = {0, anim->num_translations},
    };
    if (!targets.rotations_in_order || !targets.translations_in_order)
        memcpy(pose, anim->constant, anim->skeleton.num_joints * sizeof *pose);
    kernels->sample(anim, moment, &targets, pose, NULL);
    if (root != MD5_ROOT_FILE)
        pose[0].translation = md5i_root_translation(anim, moment, root);
}

// Writes what the clip animates.
static void sample_tracks(const md5_anim *anim, const md5_pose_plan *plan, const md5_moment *moment,
                          md5_xform *pose)
{
    const md5_targets *const targets = &plan->targets;
#if !defined(MD5_NO_CUBIC) || !defined(MD5_NO_COMPRESSED)
    if (MD5_IS_CUBIC(moment)
        || (MD5_PACKED(anim) && moment->interpolation == MD5_INTERPOLATE_NLERP)) {
        // The kernels have neither: one track after the other.
        const sampler from = begin_sampler(anim, moment);
        MD5_FOR (slot, anim->num_rotations) {
            const uint32_t target = targets->rotations[slot];
            if (target != MD5_NONE)
                pose[target].rotation = sample_rotation(&from, slot);
        }
        MD5_FOR (slot, anim->num_translations) {
            const uint32_t target = targets->translations[slot];
            if (target == MD5_NONE)
                continue;
            pose[target].translation = sample_translation(&from, slot);
            pose[target].pad = 0;
        }
        return;
    }
#endif
#ifndef MD5_NO_COMPRESSED
    if (MD5_PACKED(anim)) {
        plan->kernels->sample_packed(MD5_PACKED(anim), plan->groups, plan->num_groups, moment,
                                     pose);
        return;
    }
#endif
    plan->kernels->sample(anim, moment, targets, pose, NULL);
}

// What one kernel can pose.
static bool fits_kernels(const md5_binding *binding, const md5_moment *moment)
{
    return binding->num_rebases == 0 && !MD5_PACKED(binding->anim)
           && md5_is_moment_of(binding->anim, moment)
           && (moment->interpolation == MD5_INTERPOLATE_LINEAR
               || moment->interpolation == MD5_INTERPOLATE_NLERP);
}

void md5_sample(const md5_binding *binding, md5_moment moment, md5_root root, md5_xform *pose)
{
    MD5_ASSERT_ASSET(binding);
    MD5_ASSERT_ARRAY(pose, binding->skeleton->num_joints);
    MD5_ASSERT((unsigned)root <= MD5_ROOT_IN_PLACE, "root: a md5_root");
    MD5_ASSERT_MOMENT(binding->anim, moment);
    md5_clamp_moment(binding->anim, &moment);
    const md5_pose_plan *const plan = binding->internal.plan;
    if (!plan->targets.rotations_in_order || !plan->targets.translations_in_order)
        md5_copy_constants(binding, 0, binding->skeleton->num_joints, pose);
    sample_tracks(binding->anim, plan, &moment, pose);
    if (plan->driven[0] != MD5_NONE && root != MD5_ROOT_FILE)
        pose[plan->driven[0]].translation = sample_root(binding->anim, &moment, root);
    if (binding->num_rebases > 0)
        apply_rebases(binding, &moment, root, pose);
}

// == Hierarchy ===================================================================================
//
// Converts local transforms to model space and back, and model space to palettes.

// Without joints they are composed where the palette is then multiplied.
static void finish(const md5_pose_kernels *kernels, const md5_skeleton *skeleton,
                   const md5_mat34 *inverse_bind, const md5_xform *pose, md5_mat34 *joints,
                   md5_mat34 *palette)
{
    if (joints || palette)
        kernels->finish(skeleton, inverse_bind, pose, joints ? joints : palette,
                        joints ? palette : NULL);
    if (palette && !joints)
        kernels->multiply(skeleton->num_joints, palette, inverse_bind, palette);
}

void md5_local_to_model(const md5_skeleton *skeleton, const md5_xform *pose, md5_mat34 *joints)
{
    MD5_ASSERT_NOT_NULL(skeleton);
    MD5_ASSERT_ARRAY(pose, skeleton->num_joints);
    MD5_ASSERT_ARRAY(joints, skeleton->num_joints);
    // Each joint waits for its parent, so the instruction set with the lowest latency is fastest.
    MD5_POSE_KERNELS(AVX2)->finish(skeleton, NULL, pose, joints, NULL);
}

// -- Transforms -----------------------------------------------------------------------------

// a * b at unit length. Rounding errors of a long chain of joints would add up.
static md5_xform product(md5_xform a, md5_xform b)
{
    md5_xform result = md5_xform_mul(a, b);
    const md5_quat q = result.rotation;
    const float scale = 1.0f / sqrtf(((q.x * q.x + q.y * q.y) + q.z * q.z) + q.w * q.w);
    result.rotation = (md5_quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
    return result;
}

void md5_local_to_model_xforms(const md5_skeleton *skeleton, const md5_xform *pose,
                               md5_xform *joints)
{
    MD5_ASSERT_NOT_NULL(skeleton);
    MD5_ASSERT_ARRAY(pose, skeleton->num_joints);
    MD5_ASSERT_ARRAY(joints, skeleton->num_joints);
    MD5_FOR (i, skeleton->num_joints) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        joints[joint] = parent == MD5_NONE ? pose[joint] : product(joints[parent], pose[joint]);
    }
}

// Children first, so that the parent's transform is still there if both arrays are one.
void md5_model_to_local_xforms(const md5_skeleton *skeleton, const md5_xform *joints,
                               md5_xform *pose)
{
    MD5_ASSERT_NOT_NULL(skeleton);
    MD5_ASSERT_ARRAY(joints, skeleton->num_joints);
    MD5_ASSERT_ARRAY(pose, skeleton->num_joints);
    for (uint32_t i = skeleton->num_joints; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        pose[joint] = parent == MD5_NONE
                          ? joints[joint]
                          : product(md5_xform_inverse(joints[parent]), joints[joint]);
    }
}

// -- Palettes -------------------------------------------------------------------------------

md5_mat34 md5_attach_to_joint(const md5_mat34 *joints, uint32_t joint, md5_xform offset)
{
    MD5_ASSERT_NOT_NULL(joints);
    const md5_mat34 local = md5_mat34_of(offset.rotation, offset.translation);
    return md5_mat34_product(&joints[joint], &local);
}

void md5_build_palette(const md5_model *model, const md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT_ASSET(model);
    MD5_ASSERT_ARRAY(joints, model->skeleton.num_joints);
    MD5_ASSERT_ARRAY(palette, model->skeleton.num_joints);
    MD5_POSE_KERNELS(AVX512)->multiply(model->skeleton.num_joints, joints, model->inverse_bind,
                                       palette);
}

void md5_local_to_palette(const md5_model *model, const md5_xform *pose, md5_mat34 *joints,
                          md5_mat34 *palette)
{
    MD5_ASSERT_ASSET(model);
    MD5_ASSERT_ARRAY(pose, model->skeleton.num_joints);
    MD5_ASSERT_APART(joints, model->skeleton.num_joints, palette, model->skeleton.num_joints);
    finish(MD5_POSE_KERNELS(AVX512), &model->skeleton, model->inverse_bind, pose, joints, palette);
}

void md5_pose_palette(const md5_binding *binding, md5_moment moment, md5_root root, md5_xform *pose,
                      md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT_ASSET(binding);
    MD5_ASSERT_ARRAY(pose, binding->skeleton->num_joints);
    MD5_ASSERT((unsigned)root <= MD5_ROOT_IN_PLACE, "root: a md5_root");
    MD5_ASSERT_APART(joints, binding->skeleton->num_joints, palette, binding->skeleton->num_joints);
    MD5_ASSERT_MOMENT(binding->anim, moment);
    const md5_pose_plan *const plan = binding->internal.plan;
    md5_mat34 *const locals = joints ? joints : palette;
    bool is_whole = false;
#if MD5_HAS_KERNELS
    // If each joint is animated, its rotation need not be written, only its local matrix. In plain
    // C these are the same operations.
    is_whole = plan->targets.rotations_in_order && plan->targets.translations_in_order
               && root == MD5_ROOT_FILE && locals && fits_kernels(binding, &moment);
#endif
    if (is_whole)
        plan->kernels->sample(binding->anim, &moment, &plan->targets, pose, locals);
    else
        md5_sample(binding, moment, root, pose);
    // By depth, so that a joint's matrix is not needed right after it is computed.
    md5_skeleton by_depth = *binding->skeleton;
    by_depth.order = plan->order;
    finish(plan->kernels, &by_depth, binding->inverse_bind, is_whole ? NULL : pose, joints,
           palette);
}

// == Blending ====================================================================================
//
// Blends, adds and subtracts poses: checks arguments and selects a kernel.

static void blend_by(const md5_blend_job *job)
{
    const bool is_nlerp = job->interpolation == MD5_INTERPOLATE_NLERP;
#ifdef MD5_NO_SIMD // without the kernel's lanes, which take ten times as much code: the same bits
    md5_xform *const pose = job->pose;
    MD5_FOR (i, job->count) {
        const md5_xform a = job->from[i], b = job->to[i];
        const float t = job->joint_weights ? job->weight * job->joint_weights[i] : job->weight;
        pose[i] = t >= 1 ? b : a;
        if (!(t > 0 && t < 1))
            continue;
        const md5_slerp_weights weights = md5i_slerp_weights_at(t);
        const md5_nlerp_weights sums = md5_nlerp_weights_at(t);
        const md5_quat p = a.rotation, q = b.rotation;
        const float cosine = (p.x * q.x + p.z * q.z) + (p.y * q.y + p.w * q.w);
        pose[i].rotation = is_nlerp ? md5_nlerp_by_cosine(&sums, cosine, p, q)
                                    : md5_slerp_by_cosine(&weights, cosine, p, q);
        const md5_vec3 v = a.translation, w = b.translation;
        pose[i].translation.x = v.x - (v.x * t - w.x * t);
        pose[i].translation.y = v.y - (v.y * t - w.y * t);
        pose[i].translation.z = v.z - (v.z * t - w.z * t);
        pose[i].pad = a.pad - (a.pad * t - b.pad * t);
    }
#else
    md5i_combine_of(md5i_cpu_best(MD5_CPU_AVX512))(
        &(md5_combination){is_nlerp ? MD5_BLEND_NLERP : MD5_BLEND, job->from, job->to, NULL,
                           job->pose, job->joint_weights, job->weight, job->count});
#endif
}

void md5_blend_poses(const md5_xform *from, const md5_xform *to, float weight,
                     const float *joint_weights, uint32_t count, md5_xform *pose)
{
    MD5_ASSERT_ARRAY(from, count);
    MD5_ASSERT_ARRAY(to, count);
    MD5_ASSERT_ARRAY(pose, count);
    blend_by(&(md5_blend_job){.from = from,
                              .to = to,
                              .joint_weights = joint_weights,
                              .pose = pose,
                              .weight = weight,
                              .count = count});
}

void md5_blend_batch(const md5_blend_job *jobs, size_t count)
{
    MD5_ASSERT_ARRAY(jobs, count);
    MD5_VALIDATE_RESERVED(jobs, count);
    for (size_t i = 0; i < count; i++) {
        const md5_blend_job *const job = &jobs[i];
        MD5_ASSERT((job->from && job->to && job->pose) || job->count == 0,
                   "jobs: each has its three poses");
        MD5_ASSERT(job->interpolation == MD5_INTERPOLATE_LINEAR
                       || job->interpolation == MD5_INTERPOLATE_NLERP,
                   "jobs: interpolation: LINEAR or NLERP");
        blend_by(job);
    }
}

md5_xform md5_xform_blend(md5_xform a, md5_xform b, float t)
{
    md5_xform blend;
    md5_blend_poses(&a, &b, t, NULL, 1, &blend);
    return blend;
}

void md5_subtract_pose(const md5_xform *source, const md5_xform *reference, uint32_t count,
                       md5_xform *difference)
{
    MD5_ASSERT_ARRAY(source, count);
    MD5_ASSERT_ARRAY(reference, count);
    MD5_ASSERT_ARRAY(difference, count);
    md5i_combine_of(md5i_cpu_best(MD5_CPU_AVX512))(
        &(md5_combination){MD5_SUBTRACT, source, reference, NULL, difference, NULL, -1, count});
}

void md5_add_pose(const md5_xform *pose, const md5_xform *source, const md5_xform *reference,
                  float weight, const float *joint_weights, uint32_t count, md5_xform *out)
{
    MD5_ASSERT_ARRAY(pose, count);
    MD5_ASSERT_ARRAY(source, count);
    MD5_ASSERT_ARRAY(out, count);
    const md5_combining kind = reference ? MD5_ADD_DIFFERENCE : MD5_ADD;
    md5i_combine_of(md5i_cpu_best(MD5_CPU_AVX512))(
        &(md5_combination){kind, pose, source, reference, out, joint_weights, weight, count});
}

// == Crowds ======================================================================================
//
// Poses many characters: those with the same binding are computed together, one in each lane.

enum {
    MAX_WIDTH = 16,
    NUM_GROUPS = 64, // a power of two
    NUM_PROBES = 4,
};

// Jobs of one binding and one interpolation, waiting until they fill all lanes.
typedef struct job_group {
    const md5_binding *binding;
    md5_interpolation interpolation;
    const md5_pose_job *jobs[MAX_WIDTH];
    uint32_t num_jobs;
} job_group;

// State of one call. The scratch memory holds the matrices of all joints in all lanes, or pose and
// joints of a single character.
typedef struct crowd {
    const md5_pose_kernels *kernels;
    float *scratch;
    job_group groups[NUM_GROUPS];
} crowd;

enum {
    BYTES_OF_A_JOINT = MAX_WIDTH * sizeof(md5_mat34),
    CACHE_LINE = 64, // accesses that cross its border take twice as long
};

// Of one worker.
static size_t scratch_size(const md5_pose_job *jobs, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t num_joints = jobs[i].binding->skeleton->num_joints;
        most = num_joints > most ? num_joints : most;
    }
    return most * BYTES_OF_A_JOINT + CACHE_LINE;
}

size_t md5_pose_batch_scratch(const md5_pose_job *jobs, size_t count, const md5_threads *threads)
{
    return md5i_scratch_of_all(threads, scratch_size(jobs, count));
}

static void pose_single(const crowd *all, const md5_pose_job *job)
{
    const size_t num_joints = job->binding->skeleton->num_joints;
    md5_mat34 *const joints = (md5_mat34 *)all->scratch;
    md5_xform *const pose = (md5_xform *)(joints + num_joints);
    md5_pose_palette(job->binding, job->moment, job->root, pose, job->joints ? job->joints : joints,
                     job->palette);
}

// Up to half of the lanes, single characters are faster.
static void pose_group(const crowd *all, job_group *waiting)
{
    const uint32_t width = all->kernels->width;
    if (2 * waiting->num_jobs <= width) {
        MD5_FOR (i, waiting->num_jobs)
            pose_single(all, waiting->jobs[i]);
    } else {
        // Unused lanes repeat the first job.
        MD5_FOR_FROM (i, waiting->num_jobs, width)
            waiting->jobs[i] = waiting->jobs[0];
        all->kernels->crowd(waiting->jobs, all->scratch);
    }
    waiting->num_jobs = 0;
}

// Returns the group of jobs like this one, or a new one: empties the one with the fewest jobs of a
// few slots.
static job_group *find_group(crowd *all, const md5_pose_job *job)
{
    const md5_binding *const binding = job->binding;
    const uint64_t bits = (uint64_t)(uintptr_t)binding * UINT64_C(0x9e3779b97f4a7c15);
    const uint32_t begin = (uint32_t)(bits >> 32);
    job_group *emptiest = NULL;
    MD5_FOR (probe, NUM_PROBES) {
        job_group *const candidate = &all->groups[(begin + probe) % NUM_GROUPS];
        if (candidate->binding == binding && candidate->interpolation == job->moment.interpolation)
            return candidate;
        if (!emptiest || candidate->num_jobs < emptiest->num_jobs)
            emptiest = candidate;
    }
    pose_group(all, emptiest);
    emptiest->binding = binding;
    emptiest->interpolation = job->moment.interpolation;
    return emptiest;
}

void md5i_pose_batch_with(const md5_pose_kernels *kernels, const md5_pose_job *jobs, size_t count,
                          void *scratch)
{
    crowd all; // not initialised in full: the groups are large
    all.kernels = kernels;
    MD5_FOR (i, NUM_GROUPS) {
        all.groups[i].binding = NULL;
        all.groups[i].num_jobs = 0;
    }
    const uintptr_t misaligned = (uintptr_t)scratch % CACHE_LINE;
    unsigned char *const bytes = (unsigned char *)scratch;
    all.scratch = (float *)(void *)(bytes + (misaligned > 0 ? CACHE_LINE - misaligned : 0));
    for (size_t i = 0; i < count; i++) {
        if (kernels->width <= 1 || !fits_kernels(jobs[i].binding, &jobs[i].moment)) {
            pose_single(&all, &jobs[i]);
            continue;
        }
        job_group *const waiting = find_group(&all, &jobs[i]);
        waiting->jobs[waiting->num_jobs++] = &jobs[i];
        if (waiting->num_jobs == kernels->width)
            pose_group(&all, waiting);
    }
    MD5_FOR (i, NUM_GROUPS)
        pose_group(&all, &all.groups[i]);
}

static void pose_some(void *user, size_t begin, size_t end, void *scratch)
{
    const md5_pose_job *const jobs = (const md5_pose_job *)user;
    md5i_pose_batch_with(MD5_POSE_KERNELS(AVX512), jobs + begin, end - begin, scratch);
}

#if !defined(NDEBUG)
static bool are_jobs_complete(const md5_pose_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!jobs[i].binding || (!jobs[i].palette && jobs[i].binding->skeleton->num_joints > 0)
            || (jobs[i].num_joints > 0
                && jobs[i].num_joints < jobs[i].binding->skeleton->num_joints)
            || !md5_is_moment_of(jobs[i].binding->anim, &jobs[i].moment))
            return false;
    return true;
}
#endif

void md5_pose_batch(const md5_pose_job *jobs, size_t count, const md5_threads *threads,
                    void *scratch)
{
    MD5_ASSERT_ARRAY(jobs, count);
    MD5_VALIDATE_RESERVED(jobs, count);
    MD5_ASSERT_ARRAY(scratch, count);
    MD5_VALIDATE(are_jobs_complete(jobs, count),
                 "jobs: each has a binding, a moment of its clip, a palette of its joints");
    const md5_batch batch = {.run = pose_some,
                             .user = (void *)jobs, // which pose_some() only reads
                             .count = count,
                             .scratch = scratch,
                             .size = threads ? scratch_size(jobs, count) : 0};
    md5i_run_batch(threads, &batch);
}
