// Samples along smooth curves through the frames: MD5_INTERPOLATE_CUBIC.
//
// The speed of a curve at a frame is the mean of the speeds in the intervals before and after it
// (Catmull and Rom 1974). Thus the speed is continuous. Translations are cubic Hermite curves.
// Rotations are quaternion Hermite curves (Kim, Kim and Shin, "A General Construction Scheme for
// Unit Quaternion Curves with Simple High Order Derivatives", SIGGRAPH 1995). From the rotation q0
// at t = 0 to q1 at t = 1, with the speeds v0 and v1, each in the coordinate system of its end, the
// curve is
//
//   q(t) = q0 exp(v0 / 3 * (1 - (1 - t)^3)) exp(w * (3 t^2 - 2 t^3)) exp(v1 / 3 * t^3)
//   exp(w) = exp(-v0 / 3) q0^-1 q1 exp(-v1 / 3)
//
// A rotation at constant speed stays at constant speed. Beyond the ends of a cycle, curves use the
// differences between frames instead of the frames. Therefore a clip stays smooth if its last frame
// is displaced from its first frame, as in a walk.

#include "md5/pose/cubic.h"
#include "md5/core/context.h"
#include "md5/core/math.h"
#include "md5/pose/frames.h"
#include "md5/pose/sample_position.h"

// An interval between two frames. An interval from a frame to itself has no motion.
typedef struct md5_frame_pair {
    uint32_t from;
    uint32_t to;
} md5_frame_pair;

// The interval that contains the sample position, and its two neighbors. They are the same for all
// tracks.
typedef struct curve {
    const md5_anim *anim;
    const md5_sample_position *sample;
    md5_frame_pair before;
    md5_frame_pair current;
    md5_frame_pair after;
} curve;

// -- Intervals ------------------------------------------------------------------------------------

// Returns the interval before a frame. Frame 0 has an interval before it only if the clip repeats.
// In a loop this is the last interval of the clip, because the last frame equals the first. In a
// cycle it is the interval from the last frame to frame 0. A clamped clip has no such interval; the
// function then returns an interval without motion.
static md5_frame_pair pair_before(uint32_t frame, uint32_t last, md5_wrap wrap)
{
    if (frame > 0)
        return (md5_frame_pair){frame - 1, frame};
    if (wrap == MD5_WRAP_LOOP && last > 0)
        return (md5_frame_pair){last - 1, last};
    return (md5_frame_pair){wrap == MD5_WRAP_CYCLE ? last : frame, frame};
}

// Returns the interval after a frame. The last frame of a loop or cycle is followed by an interval
// as described at pair_before().
static md5_frame_pair pair_after(uint32_t frame, uint32_t last, md5_wrap wrap)
{
    if (frame < last)
        return (md5_frame_pair){frame, frame + 1};
    if (wrap == MD5_WRAP_LOOP && last > 0)
        return (md5_frame_pair){0, 1};
    return (md5_frame_pair){frame, wrap == MD5_WRAP_CYCLE ? 0 : frame};
}

// Selects the intervals of a cubic interpolation: the interval of the sample position, and those
// before and after it.
static curve begin_curve(const md5_anim *anim, const md5_sample_position *sample)
{
    const uint32_t last = anim->num_frames - 1;
    return (curve){
        .anim = anim,
        .sample = sample,
        .before = pair_before(sample->frame0, last, sample->wrap),
        .current = {sample->frame0, sample->frame1},
        .after = pair_after(sample->frame1, last, sample->wrap),
    };
}

// -- Translations ---------------------------------------------------------------------------------

// Evaluates one coordinate of a Hermite curve that starts at `from`. `before`, `current` and
// `after` are the displacements of the three intervals, which determine the speeds at both ends.
static float hermite(float from, float before, float current, float after, float t)
{
    const float start_speed = 0.5f * (before + current);
    const float end_speed = 0.5f * (current + after);
    const float square = 3.0f * current - (start_speed + start_speed) - end_speed;
    const float cube = start_speed + end_speed - (current + current);
    return from + t * (start_speed + t * (square + t * cube));
}

// Returns the translation of a slot at the sample position, on a Hermite curve. A slot is the
// position of a value in a frame.
//
// MD5_ROOT_ID subtracts the translation of the base frame, like md5i_root_translation(). The
// interval from the last frame to the first frame then continues into the next cycle. Therefore the
// displacement of a cycle is added to that interval.
static md5_vec3 cubic_translation(const curve *cubic, uint32_t slot, md5_root root)
{
    const md5_anim *const anim = cubic->anim;
    const md5_sample_position *const sample = cubic->sample;
    const md5_frame_pair pairs[3] = {cubic->before, cubic->current, cubic->after};
    const md5_vec3 base = anim->base_frame[0].translation;
    const bool is_root = root == MD5_ROOT_ID;

    md5_vec3 from = md5_frame_translation(anim, cubic->current.from, slot);
    md5_vec3 cycle = {0, 0, 0}; // displacement of the root in one cycle
    if (is_root) {
        from = md5_vec3_sub(from, base);
        cycle = md5_vec3_sub(md5_frame_translation(anim, anim->num_frames - 1, slot), base);
    }

    md5_vec3 moved[3]; // displacements of the intervals before, at and after the sample position
    for (uint32_t i = 0; i < 3; i++) {
        moved[i] = md5_vec3_sub(md5_frame_translation(anim, pairs[i].to, slot),
                                md5_frame_translation(anim, pairs[i].from, slot));
        if (is_root && pairs[i].to < pairs[i].from)
            moved[i] = md5_vec3_add(moved[i], cycle);
    }

    const float t = sample->fraction;
    const md5_vec3 position = {hermite(from.x, moved[0].x, moved[1].x, moved[2].x, t),
                               hermite(from.y, moved[0].y, moved[1].y, moved[2].y, t),
                               hermite(from.z, moved[0].z, moved[1].z, moved[2].z, t)};
    return is_root ? md5_vec3_add(position, md5_vec3_scale(cycle, (float)sample->cycle)) : position;
}

// -- Rotations ------------------------------------------------------------------------------------

// Quaternion logarithms and exponentials are computed in double from series. The trigonometric
// functions of libm are not used, because their last bits differ between systems.

// Returns the mean of two vectors.
static md5_vec3d mean(md5_vec3d a, md5_vec3d b)
{
    return (md5_vec3d){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
}

// Returns the logarithm of a unit quaternion: its axis times A, where A is half of the rotation
// angle, so that a = (axis * sin(A), cos(A)).
//
// Let g = A / 4 and v = 1 - cos(g). Euler's series of arcsin(x) / (x sqrt(1 - x^2)) gives, for
// x^2 = v / 2,
//
//   g / sin(g) = sum of v^k 2^k (k!)^2 / (2 k + 1)!
//
// From this follows the factor of the axis:
//
//   A / sin(A) = g / sin(g) / cos(g) / cos(2 g)
//
// Angles reach 5 / 6 pi, where v is 0.21 and the remaining terms are less than 1e-10. Always
// inlined: a call would pass the quaternion through memory, and sampling along curves would take
// 1.09 times as long.
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

// Returns the unit quaternion whose logarithm is `a`, from the power series of sine and cosine. The
// remaining terms are less than 1e-12.
static md5_quatd exponential(md5_vec3d a)
{
    static const double sine_steps[] = {1.0 / 6,   1.0 / 20,  1.0 / 42,  1.0 / 72,  1.0 / 110,
                                        1.0 / 156, 1.0 / 210, 1.0 / 272, 1.0 / 342, 1.0 / 420};
    static const double cosine_steps[] = {1.0 / 2,   1.0 / 12,  1.0 / 30,  1.0 / 56,  1.0 / 90,
                                          1.0 / 132, 1.0 / 182, 1.0 / 240, 1.0 / 306, 1.0 / 380};
    const double square = a.x * a.x + a.y * a.y + a.z * a.z;
    double sine = 1;
    double cosine = 1;
    for (int k = MD5_COUNT(sine_steps) - 1; k >= 0; k--) {
        sine = 1.0 - sine * (square * sine_steps[k]);
        cosine = 1.0 - cosine * (square * cosine_steps[k]);
    }
    return (md5_quatd){a.x * sine, a.y * sine, a.z * sine, cosine};
}

// Returns the rotation of a slot in a frame, converted to double precision.
static md5_quatd read_frame_rotation(const md5_anim *anim, uint32_t frame, uint32_t slot)
{
    return md5_quatd_from_quat(md5_frame_rotation(anim, frame, slot));
}

// Returns the rotation by which a slot changes from pair.from to pair.to, along the shorter arc.
static md5_quatd rotation_between(const md5_anim *anim, md5_frame_pair pair, uint32_t slot)
{
    const md5_quatd change =
        md5_quatd_mul(md5_quatd_conjugate(read_frame_rotation(anim, pair.from, slot)),
                      read_frame_rotation(anim, pair.to, slot));
    if (change.w < 0)
        return md5_quatd_negate(change);
    return change;
}

// Returns the rotation of a slot at the sample position, on a quaternion Hermite curve. The file
// comment contains the formula. start_speed is its v0, end_speed its v1, and middle its w.
static md5_quat cubic_rotation(const curve *cubic, uint32_t slot)
{
    const md5_anim *const anim = cubic->anim;
    const double t = (double)cubic->sample->fraction;
    const double left = 1.0 - t;

    if (cubic->sample->fraction == 0)
        return md5_frame_rotation(anim, cubic->current.from, slot);

    const md5_quatd change = rotation_between(anim, cubic->current, slot);
    const md5_vec3d speed = logarithm(change);
    // The speeds at both frames are the means of the speeds on both sides.
    const md5_vec3d start_speed =
        mean(logarithm(rotation_between(anim, cubic->before, slot)), speed);
    const md5_vec3d end_speed = mean(speed, logarithm(rotation_between(anim, cubic->after, slot)));

    // This is w of the formula.
    const md5_vec3d middle = logarithm(
        md5_quatd_mul(md5_quatd_mul(exponential(md5_vec3d_scale(start_speed, -1.0 / 3.0)), change),
                      exponential(md5_vec3d_scale(end_speed, -1.0 / 3.0))));

    // These are the exponents of the three factors after q0.
    const md5_vec3d steps[3] = {md5_vec3d_scale(start_speed, (1.0 - left * left * left) / 3.0),
                                md5_vec3d_scale(middle, t * t * (3.0 - 2.0 * t)),
                                md5_vec3d_scale(end_speed, t * t * t / 3.0)};

    md5_quatd q = read_frame_rotation(anim, cubic->current.from, slot);
    for (uint32_t i = 0; i < 3; i++)
        q = md5_quatd_mul(q, exponential(steps[i]));
    return (md5_quat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
}

// -- Clips ----------------------------------------------------------------------------------------

// Samples the rotation of the joint anim->rotation_joints[slot] along a smooth curve.
md5_quat md5i_cubic_rotation(const md5_anim *anim, const md5_sample_position *sample, uint32_t slot)
{
    const curve cubic = begin_curve(anim, sample);
    return cubic_rotation(&cubic, slot);
}

// Samples the translation of the joint anim->translation_joints[slot] along a smooth curve.
// MD5_ROOT_FILE returns it as stored. MD5_ROOT_ID is valid for joint 0 only, and returns the
// translation that the original engine computes.
md5_vec3 md5i_cubic_translation(const md5_anim *anim, const md5_sample_position *sample,
                                md5_root root, uint32_t slot)
{
    const curve cubic = begin_curve(anim, sample);
    return cubic_translation(&cubic, slot, root);
}

// Samples all tracks that drive a joint along smooth curves, and writes the values to a pose. Does
// not write values that are constant in the clip.
void md5i_sample_curves(const md5_anim *anim, const md5_targets *targets,
                        const md5_sample_position *sample, md5_xform *pose)
{
    const curve cubic = begin_curve(anim, sample);
    for (uint32_t slot = 0; slot < anim->num_rotations; slot++) {
        const uint32_t target = targets->rotations[slot];
        if (target != MD5_NONE)
            pose[target].rotation = cubic_rotation(&cubic, slot);
    }
    for (uint32_t slot = 0; slot < anim->num_translations; slot++) {
        const uint32_t target = targets->translations[slot];
        if (target == MD5_NONE)
            continue;
        pose[target].translation = cubic_translation(&cubic, slot, MD5_ROOT_FILE);
        pose[target].pad = 0;
    }
}
