// Takes the tracks from an animation: which components are stored, in which order, and how far
// frames are from what their neighbours make of them.
#include "md5/compress/tracks.h"
#include "md5/core/math.h"
#include "md5/core/slerp.h"

#include <string.h>

// A component that is never nearer to 0 follows from the others with at most five times their
// error.
#define WEAKEST 0.2f

// -- Values -----------------------------------------------------------------------------------

static md5_packed_value *copy_values(md5_arena *arena, const float *first, size_t step,
                                     uint32_t components, uint32_t count)
{
    md5_packed_value *const values =
        (md5_packed_value *)md5i_arena_alloc(arena, count, sizeof *values);
    for (uint32_t frame = 0; values && frame < count; frame++)
        memcpy(values[frame].v, first + frame * step, components * sizeof(float));
    return values;
}

static void negate(md5_packed_value *value)
{
    for (int c = 0; c < 4; c++)
        value->v[c] = -value->v[c];
}

static uint32_t strongest_component(const md5_packed_value *values, uint32_t count, float *weakest)
{
    float least[4] = {2.0f, 2.0f, 2.0f, 2.0f};
    uint32_t strongest = 0;
    for (uint32_t frame = 0; frame < count; frame++) {
        for (int c = 0; c < 4; c++) {
            const float size = fabsf(values[frame].v[c]);
            least[c] = size < least[c] ? size : least[c];
        }
    }
    for (uint32_t c = 1; c < 4; c++) {
        if (least[c] >= least[strongest])
            strongest = c;
    }
    *weakest = least[strongest];
    return strongest;
}

// q and -q are the same rotation: the sign is that of the component that is not stored or, if all
// are, that of the frame before.
static void choose_signs(md5_packed_value *values, uint32_t count, uint32_t strongest, bool is_full)
{
    for (uint32_t frame = 0; frame < count; frame++) {
        const float *const v = values[frame].v;
        const float *const u = frame > 0 ? values[frame - 1].v : v;
        const float cosine = u[0] * v[0] + u[1] * v[1] + u[2] * v[2] + u[3] * v[3];
        if (is_full ? cosine < 0.0f : v[strongest] < 0.0f)
            negate(&values[frame]);
    }
}

static void measure_ranges(md5_packed_track *track, uint32_t count)
{
    for (int c = 0; c < 4; c++) {
        float min = track->values[0].v[c], max = min;
        for (uint32_t frame = 1; frame < count; frame++) {
            const float value = track->values[frame].v[c];
            min = value < min ? value : min;
            max = value > max ? value : max;
        }
        track->ranges[c] = max - min;
        track->largest = fmaxf(track->largest, fmaxf(fabsf(min), fabsf(max)));
    }
}

// Puts components into stored order: `last` behind the others.
static void put_last(md5_packed_value *values, uint32_t count, uint32_t last)
{
    for (uint32_t frame = 0; frame < count; frame++) {
        float *const v = values[frame].v;
        const float moved = v[last];
        for (uint32_t c = last; c < 3; c++)
            v[c] = v[c + 1];
        v[3] = moved;
    }
}

// -- Keys -------------------------------------------------------------------------------------

static double difference_of_rotations(const md5_packed_value *a, const md5_packed_value *b,
                                      const md5_packed_value *at, float fraction)
{
    const md5_quat q = md5_quat_slerp((md5_quat){a->v[0], a->v[1], a->v[2], a->v[3]},
                                      (md5_quat){b->v[0], b->v[1], b->v[2], b->v[3]}, fraction);
    const double r[4] = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
    double same = 0.0, opposite = 0.0;
    for (int c = 0; c < 4; c++) {
        const double v = (double)at->v[c];
        same += (r[c] - v) * (r[c] - v);
        opposite += (r[c] + v) * (r[c] + v);
    }
    return sqrt(same < opposite ? same : opposite);
}

static double difference_of_translations(const md5_packed_value *a, const md5_packed_value *b,
                                         const md5_packed_value *at, float fraction)
{
    double square = 0.0;
    for (int c = 0; c < 3; c++) {
        const double from = (double)a->v[c], to = (double)b->v[c];
        const double off = from + (to - from) * (double)fraction - (double)at->v[c];
        square += off * off;
    }
    return sqrt(square);
}

static float deviation_of_step(const md5_packed_track *track, uint32_t num_frames, uint32_t step)
{
    double worst = 0.0;
    const md5_packed_value *const values = track->values;
    for (uint32_t from = 0; from < num_frames - 1; from += step) {
        const uint32_t to = num_frames - 1 - from > step ? from + step : num_frames - 1;
        for (uint32_t at = from + 1; at < to; at++) {
            const float fraction = (float)(at - from) / (float)(to - from);
            const double off =
                track->kind == MD5_PACKED_ROTATION
                    ? difference_of_rotations(&values[from], &values[to], &values[at], fraction)
                    : difference_of_translations(&values[from], &values[to], &values[at], fraction);
            worst = off > worst ? off : worst;
        }
    }
    return (float)worst;
}

static void measure_deviations(md5_packed_track *track, uint32_t num_frames)
{
    for (uint32_t k = 2; k < MD5_PACKED_STEPS && !track->is_constant; k++)
        track->deviations[k] = deviation_of_step(track, num_frames, md5i_packed_steps[k]);
}

// The middle of the range of each component, and how far frames are from it.
static void measure_middle(md5_packed_track *track, uint32_t count)
{
    md5_packed_value *const middle = &track->middle;
    for (int c = 0; c < 4; c++) {
        float min = track->values[0].v[c], max = min;
        for (uint32_t frame = 1; frame < count; frame++) {
            const float value = track->values[frame].v[c];
            min = value < min ? value : min;
            max = value > max ? value : max;
        }
        middle->v[c] = count > 1 ? min + (max - min) * 0.5f : min;
    }
    if (count > 1 && track->kind == MD5_PACKED_ROTATION && track->form != MD5_PACKED_FULL) {
        const float *const v = middle->v;
        middle->v[3] = sqrtf(fmaxf(0.0f, 1.0f - (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])));
    }
    double worst = 0.0;
    for (uint32_t frame = 0; frame < count; frame++) {
        double square = 0.0;
        for (int c = 0; c < 4; c++) {
            const double off = (double)track->values[frame].v[c] - (double)middle->v[c];
            square += off * off;
        }
        worst = square > worst ? square : worst;
    }
    track->middle_deviation = (float)sqrt(worst);
}

// -- Tracks -----------------------------------------------------------------------------------

static bool take_rotation(md5_arena *arena, const float *first, size_t step, uint32_t count,
                          md5_packed_track *track)
{
    md5_packed_value *const values = copy_values(arena, first, step, 4, count);
    TRY(values);
    const uint32_t last = strongest_component(values, count, &track->weakest);
    const bool is_full = track->weakest < WEAKEST;
    track->kind = MD5_PACKED_ROTATION;
    track->form = (uint8_t)(is_full ? (uint32_t)MD5_PACKED_FULL : last);
    track->values = values;
    choose_signs(values, count, last, is_full);
    if (!is_full)
        put_last(values, count, last);
    measure_ranges(track, count);
    measure_middle(track, count);
    return true;
}

static bool take_translation(md5_arena *arena, const float *first, size_t step, uint32_t count,
                             md5_packed_track *track)
{
    md5_packed_value *const values = copy_values(arena, first, step, 3, count);
    TRY(values);
    track->kind = MD5_PACKED_TRANSLATION;
    track->form = MD5_PACKED_WITHOUT_W;
    track->values = values;
    measure_ranges(track, count);
    measure_middle(track, count);
    return true;
}

static bool take_constants(md5_arena *arena, const md5_anim *anim, md5_packed_track *tracks)
{
    for (uint32_t joint = 0; joint < anim->skeleton.num_joints; joint++) {
        const md5_xform *const constant = &anim->constant[joint];
        for (uint32_t k = 0; k < 2; k++) {
            tracks[2 * joint + k].joint = joint;
            tracks[2 * joint + k].is_constant = true;
        }
        TRY(take_rotation(arena, &constant->rotation.x, 4, 1, &tracks[2 * joint])
            && take_translation(arena, &constant->translation.x, 3, 1, &tracks[2 * joint + 1]));
    }
    return true;
}

md5_packed_track *md5i_take_tracks(md5_arena *arena, const md5_anim *anim)
{
    const size_t num_tracks = 2 * (size_t)anim->skeleton.num_joints;
    const uint32_t num_frames = anim->num_frames;
    md5_packed_track *const tracks =
        (md5_packed_track *)md5i_arena_alloc(arena, num_tracks, sizeof *tracks);
    if (!tracks || !take_constants(arena, anim, tracks))
        return NULL;
    for (uint32_t slot = 0; slot < anim->num_rotations; slot++) {
        md5_packed_track *const track = &tracks[2 * (size_t)anim->rotation_joints[slot]];
        const float *const first = &anim->rotations[slot].x;
        *track = (md5_packed_track){.joint = track->joint};
        if (!take_rotation(arena, first, 4 * (size_t)anim->num_rotations, num_frames, track))
            return NULL;
        measure_deviations(track, num_frames);
    }
    for (uint32_t slot = 0; slot < anim->num_translations; slot++) {
        md5_packed_track *const track = &tracks[2 * (size_t)anim->translation_joints[slot] + 1];
        const float *const first = &anim->translations[slot].x;
        *track = (md5_packed_track){.joint = track->joint};
        if (!take_translation(arena, first, 3 * (size_t)anim->num_translations, num_frames, track))
            return NULL;
        measure_deviations(track, num_frames);
    }
    return tracks;
}
