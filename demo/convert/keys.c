// Which keys of a clip are enough.
#include "demo/convert/keys.h"

#include "demo/common/memory.h"
#include "demo/convert/space.h"

#include <stdlib.h>

// Programs that interpolate components move away from slerp with the cube of the angle.
enum { MAX_SPAN = 64 };
static const double max_angle = 15.0 * 3.14159265358979323846 / 180.0;

static double dot4(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// The distance of two values; of rotations the angle, for which the chord is exact enough: it is
// used for small ones.
static double distance(const convert_track *track, const double *a, const double *b)
{
    const double sign = track->is_rotation && dot4(a, b) < 0.0 ? -1.0 : 1.0;
    double square = 0.0;
    for (int i = 0; i < 4; i++)
        square += (a[i] - sign * b[i]) * (a[i] - sign * b[i]);
    const double chord = sqrt(square);
    return track->is_rotation ? 4.0 * asin(chord < 2.0 ? chord / 2.0 : 1.0) : chord;
}

void convert_join_signs(convert_track *track)
{
    for (uint32_t i = 1; i < track->num_frames; i++)
        if (dot4(track->values[i - 1], track->values[i]) < 0.0)
            for (int k = 0; k < 4; k++)
                track->values[i][k] = -track->values[i][k];
}

// Weights of two rotations; with is_slerp those of the arc.
static void mix(const double *a, const double *b, double t, bool is_slerp, bool is_unit,
                double *out)
{
    double wa = 1.0 - t, wb = t;
    const double cosine = dot4(a, b);
    if (is_slerp && cosine < 0.9999999) {
        const double angle = acos(cosine);
        wa = sin((1.0 - t) * angle) / sin(angle);
        wb = sin(t * angle) / sin(angle);
    }
    for (int i = 0; i < 4; i++)
        out[i] = wa * a[i] + wb * b[i];
    const double length = is_unit ? sqrt(dot4(out, out)) : 1.0;
    for (int i = 0; i < 4; i++)
        out[i] /= length;
}

// Whether the frames between two keys are near what interpolation gives.
static bool spans(const convert_track *track, uint32_t first, uint32_t last, double tolerance)
{
    const double *const a = track->values[first], *const b = track->values[last];
    if (track->is_rotation && distance(track, a, b) > max_angle)
        return false;
    for (uint32_t i = first + 1; i < last; i++) {
        const double t = (double)(i - first) / (double)(last - first);
        for (int is_slerp = 0; is_slerp <= (int)track->is_rotation; is_slerp++) {
            double value[4];
            mix(a, b, t, is_slerp != 0, track->is_rotation, value);
            if (distance(track, value, track->values[i]) > tolerance)
                return false;
        }
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

// The value of a track by its keys at a frame; *at is the last key before it, from frame to frame.
static void rebuild(const convert_track *track, uint32_t frame, uint32_t *at, double *value)
{
    while (*at + 1 < track->num_keys && track->keys[*at + 1] <= frame)
        ++*at;
    const uint32_t first = track->keys[*at];
    const uint32_t last = *at + 1 < track->num_keys ? track->keys[*at + 1] : first;
    const double t = last > first ? (double)(frame - first) / (double)(last - first) : 0.0;
    mix(track->values[first], track->values[last], t, track->is_rotation, track->is_rotation,
        value);
}

// The largest displacement of a vertex, which is never more than that of the points that move with
// its joints: their origins', and what their turn makes of their own reach.
static double measure(const convert_track *tracks, const md5_skeleton *skeleton,
                      const convert_reach *reach)
{
    const uint32_t count = skeleton->num_joints;
    uint32_t *const at = common_alloc(count, 2 * sizeof *at);
    convert_xform *const world[2] = {common_alloc(count, sizeof(convert_xform)),
                                     common_alloc(count, sizeof(convert_xform))};
    double worst = 0.0;
    for (uint32_t frame = 0; frame < tracks->num_frames; frame++)
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t joint = skeleton->order[i], parent = skeleton->joints[joint].parent;
            const convert_track *const moved = &tracks[2 * (size_t)joint], *const turned =
                                                                               moved + 1;
            double t[2][4], q[2][4];
            for (int k = 0; k < 4; k++)
                t[0][k] = moved->values[frame][k], q[0][k] = turned->values[frame][k];
            rebuild(moved, frame, &at[2 * (size_t)joint], t[1]);
            rebuild(turned, frame, &at[2 * (size_t)joint + 1], q[1]);
            for (int k = 0; k < 2; k++) {
                const convert_xform local = {{q[k][0], q[k][1], q[k][2], q[k][3]},
                                             {t[k][0], t[k][1], t[k][2]}};
                world[k][joint] = parent == MD5_NONE ? local : convert_mul(world[k][parent], local);
            }
            const convert_vec gap =
                convert_sub(world[0][joint].translation, world[1][joint].translation);
            const convert_quat a = world[0][joint].rotation, b = world[1][joint].rotation;
            const double from[4] = {a.x, a.y, a.z, a.w}, to[4] = {b.x, b.y, b.z, b.w};
            worst = fmax(worst, sqrt(convert_dot(gap, gap))
                                    + reach[joint].own * distance(turned, from, to));
        }
    free(world[1]);
    free(world[0]);
    free(at);
    return worst;
}

void convert_pick_keys(convert_track *tracks, const md5_skeleton *skeleton,
                       const convert_reach *reach, double tolerance)
{
    enum { ATTEMPTS = 6 };
    double part = 0.5 * tolerance; // of one track
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        for (size_t joint = 0; joint < skeleton->num_joints; joint++) {
            pick(&tracks[2 * joint], part);
            pick(&tracks[2 * joint + 1], part / reach[joint].all);
        }
        const double error = tolerance > 0.0 ? measure(tracks, skeleton, reach) : 0.0;
        if (error <= tolerance)
            return;
        // The last attempt keeps all.
        part = attempt + 2 < ATTEMPTS ? part * 0.8 * tolerance / error : 0.0;
    }
}
