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
#include "md5/pose/cubic.h"

#include "md5/core/math.h"
#include "md5/pose/packed.h"
#include "md5/pose/root.h"
#include "md5/pose/sampling.h"

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

md5_cubic md5i_cubic_at(const md5_anim *anim, const md5_moment *moment, md5_root root)
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

md5_vec3 md5i_cubic_translation(const md5_cubic *cubic, uint32_t slot)
{
    const md5_anim *const anim = cubic->anim;
    return hermite_vec3(translation_of(anim, cubic->now.from, slot),
                        displacement_of(anim, cubic->before, slot),
                        displacement_of(anim, cubic->now, slot),
                        displacement_of(anim, cubic->after, slot), cubic->moment->fraction);
}

// From the last frame into the first the engine adds the displacement of a cycle: see root.c.
static md5_vec3 root_displacement(const md5_anim *anim, md5_frame_pair pair, md5_vec3 cycle)
{
    const md5_vec3 displacement = displacement_of(anim, pair, 0);
    return pair.to < pair.from ? md5_vec3_add(displacement, cycle) : displacement;
}

md5_vec3 md5i_cubic_root(const md5_cubic *cubic)
{
    const md5_anim *const anim = cubic->anim;
    const md5_root root = cubic->root;
    const bool moves = anim->num_translations > 0 && anim->translation_joints[0] == 0;
    if (!moves || root == MD5_ROOT_IN_PLACE)
        return md5i_root_translation(anim, cubic->moment, root);
    if (root == MD5_ROOT_FILE)
        return md5i_cubic_translation(cubic, 0);
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

static md5_quat stored_rotation(const md5_anim *anim, uint32_t frame, uint32_t slot)
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

md5_quat md5i_cubic_rotation(const md5_cubic *cubic, uint32_t slot)
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

md5_xform md5i_cubic_joint(const void *cubic, uint32_t joint)
{
    const md5_cubic *const from = (const md5_cubic *)cubic;
    const md5_anim *const anim = from->anim;
    md5_xform transform = anim->constant[joint];
    const int64_t rotation = md5_find_slot(anim->rotation_joints, anim->num_rotations, joint);
    const int64_t translation =
        md5_find_slot(anim->translation_joints, anim->num_translations, joint);
    if (rotation >= 0)
        transform.rotation = md5i_cubic_rotation(from, (uint32_t)rotation);
    if (joint == 0)
        transform.translation = md5i_cubic_root(from);
    else if (translation >= 0)
        transform.translation = md5i_cubic_translation(from, (uint32_t)translation);
    return transform;
}
