// Which keys of a track are enough.
#include "demo/convert/keys.h"

#include <math.h>

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

static bool spans(const convert_track *track, uint32_t first, uint32_t last)
{
    const double *const a = track->values[first], *const b = track->values[last];
    if (track->is_rotation && distance(track, a, b) > max_angle)
        return false;
    for (uint32_t i = first + 1; i < last; i++) {
        const double t = (double)(i - first) / (double)(last - first);
        for (int is_slerp = 0; is_slerp <= (int)track->is_rotation; is_slerp++) {
            double value[4];
            mix(a, b, t, is_slerp != 0, track->is_rotation, value);
            if (distance(track, value, track->values[i]) > track->tolerance)
                return false;
        }
    }
    return true;
}

uint32_t convert_pick_keys(const convert_track *track, uint32_t *frames)
{
    bool is_constant = true;
    for (uint32_t i = 1; i < track->num_frames && is_constant; i++)
        is_constant = distance(track, track->values[0], track->values[i]) <= track->tolerance;
    uint32_t count = 0;
    frames[count++] = 0;
    for (uint32_t first = 0; !is_constant && first + 1 < track->num_frames;) {
        uint32_t last = first + 1;
        while (track->tolerance > 0.0 && last + 1 < track->num_frames && last - first < MAX_SPAN
               && spans(track, first, last + 1))
            last++;
        frames[count++] = last;
        first = last;
    }
    return count;
}
