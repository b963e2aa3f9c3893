// One attempt: scales of all tracks for a budget, distances of keys, bits.
#include "md5/compress/tracks.h"
#include "md5/core/math.h"

#include <stdlib.h>

// Rotations in steps coarser than this could leave the unit sphere; with finer ones than so many of
// the largest value, sums would not be exact in floats.
#define COARSEST_ROTATION 0x1p-6
#define COARSEST_TRANSLATION 0x1p30
#define LEAST_STEPS 0x1p22

// Keys may take that much of a track's budget for what lies between them.
#define MOST_DEVIATION 0.9

// Constants are stored once, and get steps that leave the budget to the others.
#define HELD_SHARE 0.25

// -- Scales -----------------------------------------------------------------------------------

// The largest scale that is at most `value`; `value` above 0.
static int32_t scale_below(double value)
{
    int exponent;
    const double mantissa = frexp(value, &exponent) * 2.0;
    int32_t quarter = 3;
    while (quarter > 0
           && mantissa
                  < (double)md5i_packed_scale((uint32_t)(quarter - 4 * MD5_PACKED_LEAST_EXPONENT)))
        quarter--;
    const int32_t scale = (exponent - 1 - MD5_PACKED_LEAST_EXPONENT) * 4 + quarter;
    return scale < 0 ? 0 : scale < MD5_PACKED_SCALES ? scale : MD5_PACKED_SCALES - 1;
}

static uint32_t bits_of(uint64_t value)
{
    uint32_t bits = 0;
    for (; value > 0; value >>= 1)
        bits++;
    return bits;
}

// The largest error of a component is half a step. Three of them turn a rotation by up to
// sqrt(3) / weakest steps, in radians, since the fourth component errs the more the nearer it is to
// 0; four by 2 steps. Three move a translation by sqrt(3) / 2 steps.
static uint32_t choose_scale(const md5_packed_track *track, double units, double reach)
{
    const bool is_rotation = track->kind == MD5_PACKED_ROTATION;
    const double root = 1.7320508075688772;
    const double step = !is_rotation ? units * 2.0 / root
                        : track->form == MD5_PACKED_FULL
                            ? units / (2.0 * reach)
                            : units * (double)track->weakest / (root * reach);
    const double most = is_rotation ? COARSEST_ROTATION : COARSEST_TRANSLATION;
    const double least = (double)track->largest / LEAST_STEPS;
    const double bounded = step > least ? step : least;
    return (uint32_t)(bounded > 0.0 ? scale_below(bounded < most ? bounded : most) : 0);
}

static uint32_t components_of(const md5_packed_track *track)
{
    return md5_packed_components(track->form);
}

static double cost_of(const md5_packed_track *track, uint32_t scale, uint32_t step,
                      uint32_t num_frames)
{
    const double size = (double)md5i_packed_scale(scale);
    double bits = 0.0;
    for (uint32_t c = 0; c < components_of(track); c++)
        bits += bits_of((uint64_t)((double)track->ranges[c] / size + 0.5));
    return bits * md5i_packed_num_keys((uint8_t)step, num_frames);
}

static int32_t level_of(float value, uint32_t scale)
{
    return (int32_t)floor((double)value / (double)md5i_packed_scale(scale) + 0.5);
}

static const float *key_of(const md5_packed_track *track, uint32_t num_frames, uint32_t key)
{
    const uint64_t frame = (uint64_t)key * md5i_packed_steps[track->step];
    return track->step == 0 ? track->middle.v
                            : track->values[frame < num_frames ? frame : num_frames - 1].v;
}

// With a sign.
static uint32_t bits_of_signed(int32_t value)
{
    return value == 0 ? 0 : bits_of((uint64_t)(value < 0 ? -((int64_t)value + 1) : value)) + 1;
}

// A track whose keys are all the same is constant.
static void find_offsets(md5_packed_track *track, uint32_t num_frames)
{
    const uint32_t num_keys = md5i_packed_num_keys(track->step, num_frames);
    uint32_t row = 0;
    track->offset_bits = 0;
    for (uint32_t c = 0; c < components_of(track); c++) {
        int32_t min = level_of(key_of(track, num_frames, 0)[c], track->scale), max = min;
        for (uint32_t key = 1; key < num_keys; key++) {
            const int32_t level = level_of(key_of(track, num_frames, key)[c], track->scale);
            min = level < min ? level : min;
            max = level > max ? level : max;
        }
        const uint32_t bits = bits_of_signed(min);
        track->offsets[c] = min;
        track->bits[c] = (uint8_t)bits_of((uint64_t)((int64_t)max - min));
        track->offset_bits = (uint8_t)(bits > track->offset_bits ? bits : track->offset_bits);
        row += track->bits[c];
    }
    track->step = row > 0 ? track->step : 0;
}

static void choose_keys(md5_packed_track *track, uint32_t num_frames, double budget, double unit,
                        double reach)
{
    double least = 0.0;
    for (uint32_t k = 1; k < MD5_PACKED_STEPS; k++) {
        const double deviation = (double)track->deviations[k] * unit;
        if (k > 1 && !(deviation <= MOST_DEVIATION * budget))
            continue;
        const double rest = sqrt(budget * budget - deviation * deviation);
        const uint32_t scale = choose_scale(track, k == 1 ? budget : rest, reach);
        const double cost = cost_of(track, scale, k, num_frames);
        if (k > 1 && !(cost < least))
            continue;
        least = cost;
        track->step = (uint8_t)k;
        track->scale = scale;
    }
}

static void choose_steps(md5_packed_track *track, uint32_t num_frames, double budget, double reach)
{
    const double unit = track->kind == MD5_PACKED_ROTATION ? 2.0 * reach : 1.0;
    const double deviation = (double)track->middle_deviation * unit;
    track->step = 0;
    if (track->is_constant || deviation <= MOST_DEVIATION * budget)
        track->scale = choose_scale(track, budget * HELD_SHARE, reach);
    else
        choose_keys(track, num_frames, budget, unit, reach);
    find_offsets(track, num_frames);
}

// -- Bits -------------------------------------------------------------------------------------

static uint32_t head_bits(const md5_packed_track *track)
{
    const uint32_t components = components_of(track);
    const uint32_t form = track->kind == MD5_PACKED_ROTATION ? 3 : 0;
    const uint32_t scale = track->step != 0 || track->offset_bits > 0 ? 9 : 0;
    return 4 + form + 5 + scale + components * ((track->step != 0 ? 5u : 0u) + track->offset_bits);
}

static uint64_t key_bits(const md5_packed_track *track, uint32_t num_frames)
{
    uint64_t row = 0;
    for (uint32_t c = 0; track->step != 0 && c < components_of(track); c++)
        row += track->bits[c];
    return row * md5i_packed_num_keys(track->step, num_frames);
}

// Bytes are 0 before.
static void put_bits(uint8_t *bytes, uint64_t *bit, uint32_t value, uint32_t count)
{
    const uint64_t mask = ((uint64_t)1 << count) - 1;
    const uint64_t shifted = (value & mask) << *bit % 8;
    uint8_t *const to = bytes + *bit / 8;
    for (uint32_t i = 0; i < 8 && shifted >> (8 * i) != 0; i++)
        to[i] = (uint8_t)(to[i] | shifted >> (8 * i));
    *bit += count;
}

static void write_head(const md5_packed_track *track, uint8_t *bytes, uint64_t *bit)
{
    const uint32_t components = components_of(track);
    put_bits(bytes, bit, track->step, 4);
    if (track->kind == MD5_PACKED_ROTATION)
        put_bits(bytes, bit, track->form, 3);
    put_bits(bytes, bit, track->offset_bits, 5);
    if (track->step != 0 || track->offset_bits > 0)
        put_bits(bytes, bit, track->scale, 9);
    for (uint32_t c = 0; track->step != 0 && c < components; c++)
        put_bits(bytes, bit, track->bits[c], 5);
    for (uint32_t c = 0; c < components; c++)
        put_bits(bytes, bit, (uint32_t)track->offsets[c], track->offset_bits);
}

static void write_keys(const md5_packed_track *track, uint32_t num_frames, uint8_t *bytes,
                       uint64_t *bit)
{
    const uint32_t num_keys = track->step != 0 ? md5i_packed_num_keys(track->step, num_frames) : 0;
    for (uint32_t key = 0; key < num_keys; key++) {
        for (uint32_t c = 0; c < components_of(track); c++) {
            const int32_t level = level_of(key_of(track, num_frames, key)[c], track->scale);
            put_bits(bytes, bit, (uint32_t)(level - track->offsets[c]), track->bits[c]);
        }
    }
}

static bool write_tracks(md5_arena *arena, const md5_packed_track *tracks, uint32_t num_tracks,
                         md5_packed *packed)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < num_tracks; i++)
        bits += head_bits(&tracks[i]);
    uint64_t head = 0, key = bits;
    packed->head_bits = (uint32_t)bits;
    for (uint32_t i = 0; i < num_tracks; i++)
        bits += key_bits(&tracks[i], packed->num_frames);
    if (bits > UINT32_MAX - 64)
        return md5i_fail(arena->context, MD5_ERROR_MEMORY, 0, 0,
                         "the compressed clip would exceed 512 MiB");
    packed->num_bytes = (size_t)((bits + 7) / 8);
    uint8_t *const bytes =
        (uint8_t *)md5i_arena_alloc(arena, packed->num_bytes + MD5_PACKED_PADDING, 1);
    TRY(bytes);
    packed->bytes = bytes;
    for (uint32_t i = 0; i < num_tracks; i++) {
        write_head(&tracks[i], bytes, &head);
        write_keys(&tracks[i], packed->num_frames, bytes, &key);
    }
    return true;
}

bool md5i_pack_tracks(md5_arena *arena, const md5_anim *anim, md5_packed_track *tracks,
                      const float *reach, const float *budgets, md5_packed *packed)
{
    const uint32_t num_tracks = 2 * anim->skeleton.num_joints;
    for (uint32_t i = 0; i < num_tracks; i++) {
        const uint32_t joint = tracks[i].joint;
        choose_steps(&tracks[i], anim->num_frames, (double)budgets[joint], (double)reach[joint]);
    }
    *packed = (md5_packed){.num_joints = anim->skeleton.num_joints, .num_frames = anim->num_frames};
    return write_tracks(arena, tracks, num_tracks, packed);
}
