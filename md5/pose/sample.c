// md5_sample() and what it is made of: joint 0 in the modes of md5_root, smooth curves, whole
// clips.
#include "md5/core/math.h"
#include "md5/md5model.h"
#include "md5/pose/kernels.h"
#include "md5/pose/moment.h"
#include "md5/pose/sampling.h"

#include <float.h>
#include <string.h>

// == Kernels =====================================================================================

const md5_pose_kernels *md5i_pose_kernels_of(md5_cpu level)
{
    switch (level) {
#if MD5_HAS_SSE2
    case MD5_CPU_SSE2:
        return &md5i_pose_kernels_sse2;
#endif
#if MD5_HAS_AVX2
    case MD5_CPU_AVX2:
        return &md5i_pose_kernels_avx2;
#endif
#if MD5_HAS_AVX512
    case MD5_CPU_AVX512:
        return &md5i_pose_kernels_avx512;
#endif
#if MD5_HAS_NEON
    case MD5_CPU_NEON:
        return &md5i_pose_kernels_neon;
#endif
    default:
        return &md5i_pose_kernels_scalar;
    }
}

const md5_pose_kernels *md5i_pose_kernels_best(void)
{
    return md5i_pose_kernels_of(md5i_cpu_has(MD5_CPU_AVX512) ? MD5_CPU_AVX512 : md5i_cpu_best());
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

// An interval between two frames. If both are the same frame, nothing moves.
typedef struct md5_frame_pair {
    uint32_t from, to;
} md5_frame_pair;

// What all joints of a sample share.
typedef struct sampler {
    md5_sampling linear;
    md5_frame_pair before, now, after; // along curves: the interval of the moment, its neighbours
} sampler;

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

static sampler begin_sampler(const md5_anim *anim, const md5_moment *moment, md5_root root)
{
    const uint32_t last = anim->num_frames - 1;
    return (sampler){
        .linear = md5_begin_sampling(anim, moment, root),
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

static md5_vec3 hermite_vec3(md5_vec3 from, md5_vec3 before, md5_vec3 now, md5_vec3 after, float t)
{
    return (md5_vec3){
        hermite(from.x, before.x, now.x, after.x, t),
        hermite(from.y, before.y, now.y, after.y, t),
        hermite(from.z, before.z, now.z, after.z, t),
    };
}

static md5_vec3 displacement_of(const md5_anim *anim, md5_frame_pair pair, uint32_t slot)
{
    return md5_vec3_sub(md5_frame_translation(anim, pair.to, slot),
                        md5_frame_translation(anim, pair.from, slot));
}

static md5_vec3 cubic_translation(const sampler *cubic, uint32_t slot)
{
    const md5_anim *const anim = cubic->linear.anim;
    return hermite_vec3(md5_frame_translation(anim, cubic->now.from, slot),
                        displacement_of(anim, cubic->before, slot),
                        displacement_of(anim, cubic->now, slot),
                        displacement_of(anim, cubic->after, slot), cubic->linear.moment->fraction);
}

// From the last frame into the first the engine adds the displacement of a cycle: see
// id_translation().
static md5_vec3 root_displacement(const md5_anim *anim, md5_frame_pair pair, md5_vec3 cycle)
{
    const md5_vec3 displacement = displacement_of(anim, pair, 0);
    return pair.to < pair.from ? md5_vec3_add(displacement, cycle) : displacement;
}

// Samples joint 0's translation in a mode that is not MD5_ROOT_FILE.
static md5_vec3 sample_root(const sampler *cubic)
{
    const md5_anim *const anim = cubic->linear.anim;
    const md5_moment *const moment = cubic->linear.moment;
    const bool moves = anim->num_translations > 0 && anim->translation_joints[0] == 0;
    if (!moves || cubic->linear.root == MD5_ROOT_IN_PLACE
        || moment->interpolation != MD5_INTERPOLATE_CUBIC)
        return md5i_root_translation(anim, moment, cubic->linear.root);
    const md5_vec3 base = anim->base_frame[0].translation;
    const md5_vec3 cycle = md5_vec3_sub(md5_frame_translation(anim, anim->num_frames - 1, 0), base);
    const md5_vec3 position = hermite_vec3(
        md5_vec3_sub(md5_frame_translation(anim, cubic->now.from, 0), base),
        root_displacement(anim, cubic->before, cycle), root_displacement(anim, cubic->now, cycle),
        root_displacement(anim, cubic->after, cycle), cubic->linear.moment->fraction);
    return md5_vec3_add(position, md5_vec3_scale(cycle, (float)cubic->linear.moment->cycle));
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
// terms leave less than 1e-10.
static md5_vec3d logarithm(md5_quatd a)
{
    static const double steps[] = {1.0 / 3,  2.0 / 5,  3.0 / 7,  4.0 / 9, 5.0 / 11,
                                   6.0 / 13, 7.0 / 15, 8.0 / 17, 9.0 / 19};
    const double cosine_of_half = sqrt(0.5 + 0.5 * a.w);
    const double cosine = sqrt(0.5 + 0.5 * cosine_of_half);
    const double v = 1.0 - cosine;
    double sum = 1.0;
    for (int k = sizeof steps / sizeof *steps - 1; k >= 0; k--)
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
    double sine = 1.0, cosine = 1.0;
    for (int k = sizeof sine_steps / sizeof *sine_steps - 1; k >= 0; k--) {
        sine = 1.0 - sine * (square * sine_steps[k]);
        cosine = 1.0 - cosine * (square * cosine_steps[k]);
    }
    return (md5_quatd){a.x * sine, a.y * sine, a.z * sine, cosine};
}

// Inlined by force: called seven times a joint along curves, which takes 1.6 times as long
// otherwise.
static MD5_ALWAYS_INLINE md5_quat stored_rotation(const md5_anim *anim, uint32_t frame,
                                                  uint32_t slot)
{
    if (!anim->packed)
        return anim->rotations[(size_t)frame * anim->num_rotations + slot];
    const md5_moment still = {.frame0 = frame, .frame1 = frame};
    const md5_packed_value value = md5i_packed_joint_at(anim->packed, anim->rotation_joints[slot],
                                                        MD5_PACKED_ROTATION, &still);
    return (md5_quat){value.v[0], value.v[1], value.v[2], value.v[3]};
}

static md5_quatd rotation_of(const md5_anim *anim, uint32_t frame, uint32_t slot)
{
    return md5_quatd_of(stored_rotation(anim, frame, slot));
}

// Returns the rotation from one frame to the other, along the shorter arc.
static md5_quatd change_of(const md5_anim *anim, md5_frame_pair pair, uint32_t slot)
{
    const md5_quatd change = md5_quatd_mul(md5_quatd_conjugate(rotation_of(anim, pair.from, slot)),
                                           rotation_of(anim, pair.to, slot));
    if (change.w < 0.0)
        return md5_quatd_negate(change);
    return change;
}

// Samples anim->rotation_joints[slot] or anim->translation_joints[slot].
static md5_quat cubic_rotation(const sampler *cubic, uint32_t slot)
{
    const md5_anim *const anim = cubic->linear.anim;
    const double t = (double)cubic->linear.moment->fraction, left = 1.0 - t;
    if (cubic->linear.moment->fraction == 0.0f)
        return stored_rotation(anim, cubic->now.from, slot);
    const md5_quatd change = change_of(anim, cubic->now, slot);
    const md5_vec3d now = logarithm(change);
    const md5_vec3d start_speed = mean(logarithm(change_of(anim, cubic->before, slot)), now);
    const md5_vec3d end_speed = mean(now, logarithm(change_of(anim, cubic->after, slot)));
    const md5_vec3d middle = logarithm(
        md5_quatd_mul(md5_quatd_mul(exponential(md5_vec3d_scale(start_speed, -1.0 / 3.0)), change),
                      exponential(md5_vec3d_scale(end_speed, -1.0 / 3.0))));
    md5_quatd at = rotation_of(anim, cubic->now.from, slot);
    at = md5_quatd_mul(at,
                       exponential(md5_vec3d_scale(start_speed, (1.0 - left * left * left) / 3.0)));
    at = md5_quatd_mul(at, exponential(md5_vec3d_scale(middle, t * t * (3.0 - 2.0 * t))));
    at = md5_quatd_mul(at, exponential(md5_vec3d_scale(end_speed, t * t * t / 3.0)));
    return (md5_quat){(float)at.x, (float)at.y, (float)at.z, (float)at.w};
}

// -- Joints ---------------------------------------------------------------------------------------

// Samples anim->rotation_joints[slot] or anim->translation_joints[slot].
static md5_quat sample_rotation(const sampler *from, uint32_t slot)
{
    const md5_sampling *const linear = &from->linear;
    const md5_anim *const anim = linear->anim;
    const md5_moment *const moment = linear->moment;
    if (moment->interpolation == MD5_INTERPOLATE_CUBIC)
        return cubic_rotation(from, slot);
    if (!anim->packed)
        return md5_sample_rotation(linear, slot);
    if (linear->is_nlerp) // not between two keys but between two frames
        return md5_nlerp_weighted(&linear->nlerp, stored_rotation(anim, moment->frame0, slot),
                                  stored_rotation(anim, moment->frame1, slot));
    const md5_packed_value q = md5i_packed_joint_at(anim->packed, anim->rotation_joints[slot],
                                                    MD5_PACKED_ROTATION, moment);
    return (md5_quat){q.v[0], q.v[1], q.v[2], q.v[3]};
}

static md5_vec3 sample_translation(const sampler *from, uint32_t slot)
{
    const md5_sampling *const linear = &from->linear;
    const md5_anim *const anim = linear->anim;
    if (linear->moment->interpolation == MD5_INTERPOLATE_CUBIC)
        return cubic_translation(from, slot);
    if (!anim->packed || linear->is_nlerp)
        return md5_sample_translation(linear, slot);
    const md5_packed_value v = md5i_packed_joint_at(anim->packed, anim->translation_joints[slot],
                                                    MD5_PACKED_TRANSLATION, linear->moment);
    return (md5_vec3){v.v[0], v.v[1], v.v[2]};
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
static void apply_rebases(const md5_binding *binding, const md5_moment *moment, md5_root root,
                          md5_xform *pose)
{
    if (binding->num_rebases == 0)
        return;
    const sampler from = begin_sampler(binding->anim, moment, root);
    const uint32_t *targets = md5_binding_targets(binding);
    const md5_joint *joints = binding->skeleton->joints;
    const md5_joint *anim_joints = binding->anim->skeleton.joints;

    for (uint32_t i = 0; i < binding->num_rebases; i++) {
        const md5_rebase *rebase = &binding->rebases[i];
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
            if (extra == 0 && from.linear.root != MD5_ROOT_FILE)
                above.translation = sample_root(&from);
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
    kernels->sample(anim, moment, &targets, pose);
    if (root != MD5_ROOT_FILE)
        pose[0].translation = md5i_root_translation(anim, moment, root);
}

// Samples the tracks one by one.
static void sample_tracks(const md5_binding *binding, const md5_moment *moment, md5_root root,
                          md5_xform *pose)
{
    const md5_anim *const anim = binding->anim;
    const md5_targets *const targets = &binding->plan->targets;
    const sampler from = begin_sampler(anim, moment, root);
    for (uint32_t slot = 0; slot < anim->num_rotations; slot++) {
        const uint32_t target = targets->rotations[slot];
        if (target != MD5_NONE)
            pose[target].rotation = sample_rotation(&from, slot);
    }
    for (uint32_t slot = 0; slot < anim->num_translations; slot++) {
        const uint32_t target = targets->translations[slot];
        if (target != MD5_NONE)
            pose[target].translation = sample_translation(&from, slot);
    }
    const uint32_t first = md5_binding_targets(binding)[0];
    if (first != MD5_NONE && root != MD5_ROOT_FILE)
        pose[first].translation = sample_root(&from);
}

void md5i_sample_with(const md5_pose_kernels *kernels, const md5_binding *binding,
                      const md5_moment *moment, md5_root root, md5_xform *pose)
{
    const md5_anim *const anim = binding->anim;
    const md5_pose_plan *const plan = binding->plan;
    const bool is_cubic = moment->interpolation == MD5_INTERPOLATE_CUBIC;
    const bool is_nlerp = moment->interpolation == MD5_INTERPOLATE_NLERP;
    if (!is_cubic && !anim->packed && binding->same_order && binding->num_extra == 0) {
        md5i_sample_anim_with(kernels, anim, moment, root, pose);
        apply_rebases(binding, moment, root, pose);
        return;
    }
    md5_copy_constants(binding, 0, binding->skeleton->num_joints, pose);
    if (is_cubic || (anim->packed && is_nlerp)) {
        sample_tracks(binding, moment, root, pose);
    } else {
        if (anim->packed)
            kernels->sample_packed(anim->packed, plan->groups, plan->num_groups, moment, pose);
        else
            kernels->sample(anim, moment, &plan->targets, pose);
        const uint32_t first = md5_binding_targets(binding)[0];
        if (first != MD5_NONE && root != MD5_ROOT_FILE)
            pose[first].translation = md5i_root_translation(anim, moment, root);
    }
    apply_rebases(binding, moment, root, pose);
}

void md5_sample(const md5_binding *binding, md5_moment moment, md5_root root, md5_xform *pose)
{
    MD5_ASSERT(binding != NULL, "binding: not NULL");
    MD5_ASSERT(pose != NULL || binding->skeleton->num_joints == 0, "pose: not NULL");
    MD5_ASSERT((unsigned)root <= MD5_ROOT_IN_PLACE, "root: a md5_root");
    MD5_ASSERT_MOMENT(binding->anim, moment);
    const md5_moment clamped = md5_clamp_moment(binding->anim, &moment);
    md5i_sample_with(md5i_pose_kernels_best(), binding, &clamped, root, pose);
}
