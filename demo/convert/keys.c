// Which keys of a clip are enough.
#include "demo/convert/keys.h"

#include "demo/common/memory.h"

#include <stdlib.h>

// Programs that interpolate components move away from slerp with the cube of the angle.
enum { MAX_SPAN = 64 };
static const double max_angle = 15.0 * 3.14159265358979323846 / 180.0;

static double dot(convert_quat a, convert_quat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static convert_quat mix(convert_quat a, double p, convert_quat b, double q)
{
    return (convert_quat){p * a.x + q * b.x, p * a.y + q * b.y, p * a.z + q * b.z,
                          p * a.w + q * b.w};
}

// The distance of two values; of rotations the angle, for which the chord is exact enough: it is
// used for small ones.
static double distance(const convert_track *track, convert_quat a, convert_quat b)
{
    const convert_quat gap = mix(a, 1.0, b, track->is_rotation && dot(a, b) < 0.0 ? 1.0 : -1.0);
    const double chord = sqrt(dot(gap, gap));
    return track->is_rotation ? 4.0 * asin(fmin(chord / 2.0, 1.0)) : chord;
}

void convert_join_signs(convert_track *track)
{
    for (uint32_t i = 1; i < track->num_frames; i++)
        if (dot(track->values[i - 1], track->values[i]) < 0.0)
            track->values[i] = mix(track->values[i], -1.0, track->values[i], 0.0);
}

// Whether the frames between two keys are near what interpolation gives.
static bool spans(const convert_track *track, uint32_t first, uint32_t last, double tolerance)
{
    const convert_quat a = track->values[first], b = track->values[last];
    if (track->is_rotation && distance(track, a, b) > max_angle)
        return false;
    for (uint32_t i = first + 1; i < last; i++) {
        const double t = (double)(i - first) / (double)(last - first);
        const convert_quat sum = mix(a, 1.0 - t, b, t), value = track->values[i];
        if (distance(track, track->is_rotation ? convert_unit(sum) : sum, value) > tolerance
            || (track->is_rotation && distance(track, convert_slerp(a, b, t), value) > tolerance))
            return false;
    }
    return true;
}

static void pick(convert_track *track, double tolerance)
{
    bool is_constant = true;
    for (uint32_t i = 1; i < track->num_frames && is_constant; i++)
        is_constant = distance(track, track->values[0], track->values[i]) <= tolerance;
    uint32_t count = 0;
    track->keys[count++] = 0;
    for (uint32_t first = 0; !is_constant && first + 1 < track->num_frames;) {
        uint32_t last = first + 1;
        while (tolerance > 0.0 && last + 1 < track->num_frames && last - first < MAX_SPAN
               && spans(track, first, last + 1, tolerance))
            last++;
        track->keys[count++] = last;
        first = last;
    }
    track->num_keys = count;
}

void convert_pick_keys(convert_track *tracks, const md5_skeleton *skeleton, const double *reach,
                       double tolerance)
{
    const uint32_t count = skeleton->num_joints;
    // Of each joint the tracks that change in the chain down to it, and in the longest one below.
    uint32_t *const above = common_alloc(count, sizeof *above);
    uint32_t *const below = common_alloc(count, sizeof *below);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t joint = skeleton->order[i], parent = skeleton->joints[joint].parent;
        above[joint] = parent == MD5_NONE ? 0 : above[parent];
        for (size_t k = 2 * (size_t)joint; k < 2 * (size_t)joint + 2; k++) {
            pick(&tracks[k], 0.0);
            above[joint] += tracks[k].num_keys > 1;
        }
    }
    for (uint32_t i = count; i-- > 0 && tolerance > 0.0;) {
        const uint32_t joint = skeleton->order[i], parent = skeleton->joints[joint].parent;
        const uint32_t own = above[joint] - (parent == MD5_NONE ? 0 : above[parent]);
        const double part = tolerance / fmax(1.0, (double)above[joint] + below[joint]);
        if (parent != MD5_NONE && below[parent] < below[joint] + own)
            below[parent] = below[joint] + own;
        pick(&tracks[2 * (size_t)joint], part);
        pick(&tracks[2 * (size_t)joint + 1], part / reach[joint]);
    }
    free(below);
    free(above);
}
