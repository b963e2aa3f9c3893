// md5_sample() and what it is made of: joint 0 in the modes of md5_root, smooth curves, whole
// clips.
#include "md5/core/math.h"
#include "md5/md5model.h"
#include "md5/pose/binding.h"
#include "md5/pose/kernels.h"
#include "md5/pose/moment.h"
#include "md5/pose/packed.h"
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

md5_packed_kernel *md5i_packed_kernel_of(md5_cpu level)
{
    switch (level) {
#if MD5_HAS_SSE2
    case MD5_CPU_SSE2:
        return md5i_packed_sample_sse2;
#endif
#if MD5_HAS_AVX2
    case MD5_CPU_AVX2:
    case MD5_CPU_AVX512:
        return md5i_packed_sample_avx2;
#endif
#if MD5_HAS_NEON
    case MD5_CPU_NEON:
        return md5i_packed_sample_neon;
#endif
    default:
        return md5i_packed_sample_scalar;
    }
}

md5_packed_kernel *md5i_packed_kernel_best(void)
{
    return md5i_packed_kernel_of(md5i_cpu_best());
}

void md5i_packed_sample(const md5_packed *packed, const md5_moment *moment, md5_xform *pose)
{
    md5i_packed_sample_with(md5i_packed_kernel_best(), packed, moment, pose);
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

// The interval of a moment, and its neighbours.
typedef struct md5_cubic {
    const md5_anim *anim;
    const md5_moment *moment;
    md5_root root;
    md5_frame_pair before, now, after;
} md5_cubic;

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

static md5_cubic cubic_at(const md5_anim *anim, const md5_moment *moment, md5_root root)
{
    const uint32_t last = anim->num_frames - 1;
    return (md5_cubic){
        .anim = anim,
        .moment = moment,
        .root = root,
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

static md5_vec3 translation_of(const md5_anim *anim, uint32_t frame, uint32_t slot)
{
    if (!anim->packed)
        return anim->translations[(size_t)frame * anim->num_translations + slot];
    const md5_packed_value value = md5i_packed_in_frame(
        anim->packed, anim->translation_joints[slot], MD5_PACKED_TRANSLATION, frame);
    return (md5_vec3){value.v[0], value.v[1], value.v[2]};
}

static md5_vec3 displacement_of(const md5_anim *anim, md5_frame_pair pair, uint32_t slot)
{
    return md5_vec3_sub(translation_of(anim, pair.to, slot), translation_of(anim, pair.from, slot));
}

static md5_vec3 cubic_translation(const md5_cubic *cubic, uint32_t slot)
{
    const md5_anim *const anim = cubic->anim;
    return hermite_vec3(translation_of(anim, cubic->now.from, slot),
                        displacement_of(anim, cubic->before, slot),
                        displacement_of(anim, cubic->now, slot),
                        displacement_of(anim, cubic->after, slot), cubic->moment->fraction);
}

// From the last frame into the first the engine adds the displacement of a cycle: see
// id_translation().
static md5_vec3 root_displacement(const md5_anim *anim, md5_frame_pair pair, md5_vec3 cycle)
{
    const md5_vec3 displacement = displacement_of(anim, pair, 0);
    return pair.to < pair.from ? md5_vec3_add(displacement, cycle) : displacement;
}

// Samples joint 0's translation in the mode `root`.
static md5_vec3 cubic_root(const md5_cubic *cubic)
{
    const md5_anim *const anim = cubic->anim;
    const md5_root root = cubic->root;
    const bool moves = anim->num_translations > 0 && anim->translation_joints[0] == 0;
    if (!moves || root == MD5_ROOT_IN_PLACE)
        return md5i_root_translation(anim, cubic->moment, root);
    if (root == MD5_ROOT_FILE)
        return cubic_translation(cubic, 0);
    const md5_vec3 base = anim->base_frame[0].translation;
    const md5_vec3 cycle = md5_vec3_sub(translation_of(anim, anim->num_frames - 1, 0), base);
    const md5_vec3 position = hermite_vec3(
        md5_vec3_sub(translation_of(anim, cubic->now.from, 0), base),
        root_displacement(anim, cubic->before, cycle), root_displacement(anim, cubic->now, cycle),
        root_displacement(anim, cubic->after, cycle), cubic->moment->fraction);
    return md5_vec3_add(position, md5_vec3_scale(cycle, (float)cubic->moment->cycle));
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
    const md5_packed_value value =
        md5i_packed_in_frame(anim->packed, anim->rotation_joints[slot], MD5_PACKED_ROTATION, frame);
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
static md5_quat cubic_rotation(const md5_cubic *cubic, uint32_t slot)
{
    const md5_anim *const anim = cubic->anim;
    const double t = (double)cubic->moment->fraction, left = 1.0 - t;
    if (cubic->moment->fraction == 0.0f)
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

// Samples one animation joint relative to its parent: the md5_sample_joint_fn of an md5_cubic.
static md5_xform cubic_joint(const void *cubic, uint32_t joint)
{
    const md5_cubic *const from = (const md5_cubic *)cubic;
    const md5_anim *const anim = from->anim;
    md5_xform transform = anim->constant[joint];
    const int64_t rotation = md5_find_slot(anim->rotation_joints, anim->num_rotations, joint);
    const int64_t translation =
        md5_find_slot(anim->translation_joints, anim->num_translations, joint);
    if (rotation >= 0)
        transform.rotation = cubic_rotation(from, (uint32_t)rotation);
    if (joint == 0)
        transform.translation = cubic_root(from);
    else if (translation >= 0)
        transform.translation = cubic_translation(from, (uint32_t)translation);
    return transform;
}

// == Clips =======================================================================================

// Samples one animation joint relative to its parent, with the result of sampling the whole clip;
// `sampling` is that of the function.
typedef md5_xform md5_sample_joint_fn(const void *sampling, uint32_t joint);

// Composes joints whose track is not relative to their parent in the model.
// Time is linear in the number of joints.
static void apply_rebases(const md5_binding *binding, md5_sample_joint_fn *sample,
                          const void *sampling, md5_xform *pose)
{
    const int32_t *targets = md5_binding_targets(binding);
    const md5_joint *joints = binding->skeleton->joints;
    const md5_joint *anim_joints = binding->anim->skeleton.joints;

    for (uint32_t i = 0; i < binding->num_rebases; i++) {
        const md5_rebase *rebase = &binding->rebases[i];
        md5_xform local = pose[rebase->joint];
        for (int32_t extra = rebase->extra; extra >= 0 && targets[extra] < 0;
             extra = anim_joints[extra].parent) {
            const md5_xform above = sample(sampling, (uint32_t)extra);
            local = md5_xform_mul(above, local);
        }
        int32_t ancestor = joints[rebase->joint].parent;
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

// The targets of a clip without a binding: each joint is its own target.
static md5_targets own_targets(const md5_anim *anim)
{
    // The lists ascend: if they are as long as the skeleton, slot k is joint k.
    const uint32_t count = anim->skeleton.num_joints;
    return (md5_targets){
        .rotations = (const int32_t *)anim->rotation_joints,
        .translations = (const int32_t *)anim->translation_joints,
        .rotations_in_order = anim->num_rotations == count,
        .translations_in_order = anim->num_translations == count,
        .rotation_slots = {0, anim->num_rotations},
        .translation_slots = {0, anim->num_translations},
    };
}

void md5i_sample_anim_with(const md5_pose_kernels *kernels, const md5_anim *anim,
                           const md5_moment *moment, md5_root root, md5_xform *pose)
{
    const md5_targets targets = own_targets(anim);
    if (!targets.rotations_in_order || !targets.translations_in_order)
        memcpy(pose, anim->constant, anim->skeleton.num_joints * sizeof *pose);
    kernels->sample(anim, moment, &targets, pose);
    if (root != MD5_ROOT_FILE)
        pose[0].translation = md5i_root_translation(anim, moment, root);
}

// One joint of an md5_sampling.
static md5_xform sample_joint(const void *sampling, uint32_t joint)
{
    const md5_sampling *const from = (const md5_sampling *)sampling;
    const md5_anim *const anim = from->anim;
    md5_xform transform = anim->constant[joint];
    const int64_t rotation = md5_find_slot(anim->rotation_joints, anim->num_rotations, joint);
    const int64_t translation =
        md5_find_slot(anim->translation_joints, anim->num_translations, joint);
    if (rotation >= 0)
        transform.rotation = md5_sample_rotation(from, (uint32_t)rotation);
    if (joint == 0)
        transform.translation = md5i_root_translation(anim, from->moment, from->root);
    else if (translation >= 0)
        transform.translation = md5_sample_translation(from, (uint32_t)translation);
    return transform;
}

static void sample_cubic(const md5_binding *binding, const md5_moment *moment, md5_root root,
                         md5_xform *pose)
{
    const md5_anim *const anim = binding->anim;
    const md5_targets *const targets = &binding->plan->targets;
    const md5_cubic cubic = cubic_at(anim, moment, root);
    md5_copy_constants(binding, 0, binding->skeleton->num_joints, pose);
    for (uint32_t slot = 0; slot < anim->num_rotations; slot++) {
        const int32_t target = targets->rotations[slot];
        if (target >= 0)
            pose[target].rotation = cubic_rotation(&cubic, slot);
    }
    for (uint32_t slot = 0; slot < anim->num_translations; slot++) {
        const int32_t target = targets->translations[slot];
        if (target >= 0)
            pose[target].translation = cubic_translation(&cubic, slot);
    }
    const int32_t first = md5_binding_targets(binding)[0];
    if (first >= 0)
        pose[first].translation = cubic_root(&cubic);
    apply_rebases(binding, cubic_joint, &cubic, pose);
}

// -- Compressed clips -----------------------------------------------------------------------------

// Joints whose values are not between two keys but between two frames.
static md5_quat nlerp_between(const md5_sampling *sampling, uint32_t joint)
{
    const md5_packed *const packed = sampling->anim->packed;
    const md5_packed_value a =
        md5i_packed_in_frame(packed, joint, MD5_PACKED_ROTATION, sampling->moment->frame0);
    const md5_packed_value b =
        md5i_packed_in_frame(packed, joint, MD5_PACKED_ROTATION, sampling->moment->frame1);
    return md5_nlerp_weighted(&sampling->nlerp, (md5_quat){a.v[0], a.v[1], a.v[2], a.v[3]},
                              (md5_quat){b.v[0], b.v[1], b.v[2], b.v[3]});
}

static md5_vec3 lerp_between(const md5_sampling *sampling, uint32_t joint)
{
    const md5_packed *const packed = sampling->anim->packed;
    const md5_packed_value a =
        md5i_packed_in_frame(packed, joint, MD5_PACKED_TRANSLATION, sampling->moment->frame0);
    const md5_packed_value b =
        md5i_packed_in_frame(packed, joint, MD5_PACKED_TRANSLATION, sampling->moment->frame1);
    return md5_vec3_lerp((md5_vec3){a.v[0], a.v[1], a.v[2]}, (md5_vec3){b.v[0], b.v[1], b.v[2]},
                         sampling->moment->fraction);
}

// As sample_joint(), for joints that must be composed.
static md5_xform sample_packed_joint(const void *user, uint32_t joint)
{
    const md5_sampling *const sampling = (const md5_sampling *)user;
    const md5_anim *const anim = sampling->anim;
    md5_xform transform;
    if (sampling->is_nlerp) {
        const bool turns = md5_find_slot(anim->rotation_joints, anim->num_rotations, joint) >= 0;
        const bool moves =
            md5_find_slot(anim->translation_joints, anim->num_translations, joint) >= 0;
        transform = anim->constant[joint];
        transform.rotation = turns ? nlerp_between(sampling, joint) : transform.rotation;
        transform.translation = moves ? lerp_between(sampling, joint) : transform.translation;
    } else {
        md5_packed_place place = anim->packed->places[joint];
        float values[2][4] = {{0.0f}}; // by kind
        for (uint8_t kind = 0; kind < 2; kind++) {
            const md5_packed_head head = md5i_packed_take_head(anim->packed, kind, &place);
            md5i_packed_at(anim->packed, &head, sampling->moment, values[kind]);
        }
        const float *const q = values[MD5_PACKED_ROTATION];
        const float *const t = values[MD5_PACKED_TRANSLATION];
        transform =
            (md5_xform){.rotation = {q[0], q[1], q[2], q[3]}, .translation = {t[0], t[1], t[2]}};
    }
    if (joint == 0 && sampling->root != MD5_ROOT_FILE)
        transform.translation = md5i_root_translation(anim, sampling->moment, sampling->root);
    return transform;
}

void md5i_sample_packed_with(md5_packed_kernel *kernel, const md5_binding *binding,
                             const md5_moment *moment, md5_root root, md5_xform *pose)
{
    const md5_anim *const anim = binding->anim;
    const md5_pose_plan *const plan = binding->plan;
    md5_copy_constants(binding, 0, binding->skeleton->num_joints, pose);
    if (moment->interpolation == MD5_INTERPOLATE_NLERP) {
        const md5_sampling sampling = md5_begin_sampling(anim, moment, root);
        for (uint32_t slot = 0; slot < anim->num_rotations; slot++) {
            const int32_t target = plan->targets.rotations[slot];
            if (target >= 0)
                pose[target].rotation = nlerp_between(&sampling, anim->rotation_joints[slot]);
        }
        for (uint32_t slot = 0; slot < anim->num_translations; slot++) {
            const int32_t target = plan->targets.translations[slot];
            if (target >= 0)
                pose[target].translation = lerp_between(&sampling, anim->translation_joints[slot]);
        }
    } else {
        kernel(anim->packed, plan->groups, plan->num_groups, moment, pose);
    }
    const int32_t first = md5_binding_targets(binding)[0];
    if (first >= 0 && root != MD5_ROOT_FILE)
        pose[first].translation = md5i_root_translation(anim, moment, root);
    if (binding->num_rebases == 0)
        return;
    const md5_sampling sampling = md5_begin_sampling(anim, moment, root);
    apply_rebases(binding, sample_packed_joint, &sampling, pose);
}

// -- All clips ------------------------------------------------------------------------------------

void md5i_sample_with(const md5_pose_kernels *kernels, const md5_binding *binding,
                      const md5_moment *moment, md5_root root, md5_xform *pose)
{
    if (moment->interpolation == MD5_INTERPOLATE_CUBIC) {
        sample_cubic(binding, moment, root, pose);
        return;
    }
    if (binding->anim->packed) {
        md5i_sample_packed_with(md5i_packed_kernel_best(), binding, moment, root, pose);
        return;
    }
    if (binding->same_order && binding->num_extra == 0) {
        md5i_sample_anim_with(kernels, binding->anim, moment, root, pose);
    } else { // tracks are not in the order of the pose
        md5_copy_constants(binding, 0, binding->skeleton->num_joints, pose);
        kernels->sample(binding->anim, moment, &binding->plan->targets, pose);
        const int32_t target = md5_binding_targets(binding)[0];
        if (target >= 0 && root != MD5_ROOT_FILE)
            pose[target].translation = md5i_root_translation(binding->anim, moment, root);
    }
    if (binding->num_rebases == 0)
        return;
    const md5_sampling sampling = md5_begin_sampling(binding->anim, moment, root);
    apply_rebases(binding, sample_joint, &sampling, pose);
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
