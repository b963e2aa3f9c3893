// One attempt: steps of all tracks for a budget, groups of similar tracks, bytes.
#include "md5/compress/tracks.h"
#include "md5/core/math.h"

#include <stdlib.h>

// Rotations in steps coarser than this could leave the unit sphere; with finer ones than LEAST_BITS
// of the largest value, sums would not be exact in floats.
enum { COARSEST_ROTATION = -6, COARSEST_TRANSLATION = 30, LEAST_BITS = 22, FINEST = -126 };

// Keys may take that much of a track's budget for what lies between them.
#define MOST_DEVIATION 0.9

// Constants are stored once, and get steps that leave the budget to the others.
#define HELD_SHARE 0.25

// -- Steps ------------------------------------------------------------------------------------

// The power of two that is at most `value`; `value` above 0.
static int32_t exponent_of(double value)
{
    int exponent;
    (void)frexp(value, &exponent);
    return exponent - 1;
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
static int32_t choose_exponent(const md5_packed_track *track, double units, double reach)
{
    const bool is_rotation = track->kind == MD5_PACKED_ROTATION;
    const double root = 1.7320508075688772;
    const double step = !is_rotation     ? units * 2.0 / root
                        : track->is_full ? units / (2.0 * reach)
                                         : units * (double)track->weakest / (root * reach);
    const int32_t most = is_rotation ? COARSEST_ROTATION : COARSEST_TRANSLATION;
    const int32_t from = track->largest > 0.0f ? exponent_of((double)track->largest) : FINEST;
    const int32_t least = from + 1 - LEAST_BITS > FINEST ? from + 1 - LEAST_BITS : FINEST;
    int32_t exponent = step > 0.0 ? exponent_of(step) : FINEST;
    exponent = exponent > least ? exponent : least;
    return exponent < most ? exponent : most;
}

static uint32_t components_of(const md5_packed_track *track)
{
    return track->is_full ? 4 : 3;
}

static double cost_of(const md5_packed_track *track, int32_t exponent, uint32_t key_step)
{
    double bits = 0.0;
    for (uint32_t c = 0; c < components_of(track); c++)
        bits += bits_of((uint64_t)(ldexp((double)track->ranges[c], -exponent) + 0.5));
    return bits / (double)(1u << key_step);
}

static int32_t level_of(float value, int32_t exponent)
{
    return (int32_t)floor(ldexp((double)value, -exponent) + 0.5);
}

static uint32_t keys_of(const md5_packed_track *track, uint32_t num_frames)
{
    const md5_packed_group like = {.shift = track->key_step, .is_constant = track->is_held};
    return md5_packed_num_keys(&like, num_frames);
}

static const float *key_of(const md5_packed_track *track, uint32_t num_frames, uint32_t key)
{
    const uint64_t frame = (uint64_t)key << track->key_step;
    return track->is_held ? track->middle.v
                          : track->values[frame < num_frames ? frame : num_frames - 1].v;
}

// With a sign.
static uint32_t bits_of_signed(int32_t value)
{
    return value == 0 ? 0 : bits_of((uint64_t)(value < 0 ? -((int64_t)value + 1) : value)) + 1;
}

static void find_offsets(md5_packed_track *track, uint32_t num_frames)
{
    const uint32_t num_keys = keys_of(track, num_frames);
    for (uint32_t c = 0; c < components_of(track); c++) {
        int32_t min = level_of(key_of(track, num_frames, 0)[c], track->exponent), max = min;
        for (uint32_t key = 1; key < num_keys; key++) {
            const int32_t level = level_of(key_of(track, num_frames, key)[c], track->exponent);
            min = level < min ? level : min;
            max = level > max ? level : max;
        }
        track->offsets[c] = min;
        track->bits[c] = (uint8_t)bits_of((uint64_t)((int64_t)max - min));
        track->offset_bits[c] = (uint8_t)bits_of_signed(min);
    }
}

static void choose_keys(md5_packed_track *track, double budget, double unit, double reach)
{
    double least = 0.0;
    for (uint32_t k = 0; k < MD5_KEY_STEPS; k++) {
        const double deviation = (double)track->deviations[k] * unit;
        if (k > 0 && !(deviation <= MOST_DEVIATION * budget))
            break;
        const double rest = sqrt(budget * budget - deviation * deviation);
        const int32_t exponent = choose_exponent(track, rest, reach);
        const double cost = cost_of(track, exponent, k);
        if (k > 0 && !(cost < least))
            continue;
        least = cost;
        track->key_step = (uint8_t)k;
        track->exponent = exponent;
    }
}

static void choose_steps(md5_packed_track *track, uint32_t num_frames, double budget, double reach)
{
    const double unit = track->kind == MD5_PACKED_ROTATION ? 2.0 * reach : 1.0;
    const double deviation = (double)track->middle_deviation * unit;
    track->is_held = track->is_constant || deviation <= MOST_DEVIATION * budget;
    track->key_step = 0;
    if (track->is_held)
        track->exponent = choose_exponent(track, budget * HELD_SHARE, reach);
    else
        choose_keys(track, budget, unit, reach);
    find_offsets(track, num_frames);
}

// -- Groups -----------------------------------------------------------------------------------

// Tracks with different classes are in different groups.
static uint32_t class_of(const md5_packed_track *track)
{
    return (uint32_t)track->kind << 5 | (uint32_t)track->is_full << 4
           | (uint32_t)track->is_held << 3 | track->key_step;
}

enum { SORT_BITS = 13 };

static uint32_t sort_key(const md5_packed_track *track)
{
    const uint8_t *const bits = track->is_held ? track->offset_bits : track->bits;
    const uint32_t sum = (uint32_t)bits[0] + bits[1] + bits[2] + bits[3];
    return class_of(track) << 7 | sum; // at most 96
}

// Writes sorted[num_tracks]: a counting sort, which keeps joints in order.
static bool sort_tracks(md5_arena *arena, md5_packed_track *tracks, uint32_t num_tracks,
                        md5_packed_track **sorted)
{
    uint32_t *const starts =
        (uint32_t *)md5_arena_alloc(arena, ((size_t)1 << SORT_BITS) + 1, sizeof *starts);
    TRY(starts);
    for (uint32_t i = 0; i < num_tracks; i++)
        starts[sort_key(&tracks[i]) + 1]++;
    for (uint32_t i = 0; i < 1u << SORT_BITS; i++)
        starts[i + 1] += starts[i];
    for (uint32_t i = 0; i < num_tracks; i++)
        sorted[starts[sort_key(&tracks[i])]++] = &tracks[i];
    return true;
}

static void grow(uint8_t *bits, uint8_t to)
{
    *bits = to > *bits ? to : *bits;
}

static void add_to_group(md5_packed_group *group, const md5_packed_track *track)
{
    const uint8_t exponent = (uint8_t)(track->exponent + 127);
    group->kind = track->kind;
    group->is_full = track->is_full;
    group->is_constant = track->is_held;
    group->shift = track->key_step;
    group->exponent = group->count == 0 || exponent < group->exponent ? exponent : group->exponent;
    for (uint32_t c = 0; c < components_of(track); c++) {
        grow(&group->bits[c], track->is_held ? 0 : track->bits[c]);
        grow(&group->offset_bits[c], track->offset_bits[c]);
    }
    group->count++;
}

// Exponents of a group differ by up to 7.
static bool fits(md5_packed_track *const *first, uint32_t count, const md5_packed_track *track)
{
    for (uint32_t i = 0; i < count; i++) {
        if (abs(first[i]->exponent - track->exponent) > 7)
            return false;
    }
    return count < MD5_LANES && class_of(first[0]) == class_of(track);
}

// Returns the number of groups[], which are cleared.
static uint32_t make_groups(md5_packed_track *const *sorted, uint32_t num_tracks,
                            md5_packed_group *groups)
{
    uint32_t num_groups = 0, count = 0;
    for (uint32_t i = 0; i < num_tracks; i++) {
        const bool is_new = count == 0 || !fits(sorted + i - count, count, sorted[i]);
        count = is_new ? 1 : count + 1;
        num_groups += is_new;
        add_to_group(&groups[num_groups - 1], sorted[i]);
    }
    return num_groups;
}

// -- Bytes ------------------------------------------------------------------------------------

// Bytes are 0 before. `bits` are those of the group, which lanes need not fill.
static void put_bits(uint8_t *to, uint32_t bit, uint32_t value)
{
    const uint64_t shifted = (uint64_t)value << bit % 8;
    to += bit / 8;
    for (uint32_t i = 0; i < 4 && shifted >> (8 * i) != 0; i++)
        to[i] = (uint8_t)(to[i] | shifted >> (8 * i));
}

static uint8_t *write_offsets(const md5_packed_group *group, md5_packed_track *const *tracks,
                              uint8_t *to)
{
    for (uint32_t c = 0; c < md5_packed_components(group); c++) {
        const uint32_t bits = group->offset_bits[c];
        for (uint32_t lane = 0; lane < group->count; lane++)
            put_bits(to, lane * bits, (uint32_t)tracks[lane]->offsets[c] & ((1u << bits) - 1));
        to += md5_packed_plane(group, bits);
    }
    return to;
}

static uint8_t *write_head(const md5_packed *packed, const md5_packed_group *group,
                           md5_packed_track *const *tracks, uint8_t *to)
{
    for (uint32_t lane = 0; lane < group->count; lane++) {
        *to++ = (uint8_t)tracks[lane]->joint;
        if (!packed->has_short_joints)
            *to++ = (uint8_t)(tracks[lane]->joint >> 8);
    }
    for (uint32_t lane = 0; lane < group->count; lane++) {
        const uint32_t more = (uint32_t)(tracks[lane]->exponent + 127) - group->exponent;
        *to++ = (uint8_t)(more << 5 | tracks[lane]->order);
    }
    return write_offsets(group, tracks, to);
}

static void write_keys(const md5_packed_group *group, md5_packed_track *const *tracks,
                       uint32_t num_frames, uint8_t *to)
{
    const uint32_t num_keys = group->row > 0 ? md5_packed_num_keys(group, num_frames) : 0;
    for (uint32_t key = 0; key < num_keys; key++) {
        for (uint32_t c = 0; c < md5_packed_components(group); c++) {
            const uint32_t bits = group->bits[c];
            for (uint32_t lane = 0; lane < group->count; lane++) {
                const md5_packed_track *const track = tracks[lane];
                const int32_t level = level_of(key_of(track, num_frames, key)[c], track->exponent);
                put_bits(to, lane * bits, (uint32_t)(level - track->offsets[c]));
            }
            to += md5_packed_plane(group, bits);
        }
    }
}

static bool write_groups(md5_arena *arena, md5_packed_track *const *sorted,
                         const md5_packed_group *groups, uint64_t size, md5_packed *packed)
{
    if (size >= SIZE_MAX / 2)
        return md5_fail(arena->context, MD5_ERROR_MEMORY, 0, 0,
                        "the compressed clip would exceed 2 GiB");
    packed->num_bytes = (size_t)size;
    uint8_t *const bytes =
        (uint8_t *)md5_arena_alloc(arena, packed->num_bytes + MD5_PACKED_PADDING, 1);
    TRY(bytes);
    packed->groups = groups;
    packed->bytes = bytes;
    for (uint32_t i = 0; i < packed->num_groups; i++) {
        uint8_t *const keys = write_head(packed, &groups[i], sorted, bytes + groups[i].at);
        write_keys(&groups[i], sorted, packed->num_frames, keys);
        sorted += groups[i].count;
    }
    return true;
}

bool md5_pack_tracks(md5_arena *arena, const md5_anim *anim, md5_packed_track *tracks,
                     const float *reach, const float *budgets, md5_packed *packed)
{
    const uint32_t num_tracks = 2 * anim->skeleton.num_joints;
    for (uint32_t i = 0; i < num_tracks; i++) {
        const uint32_t joint = tracks[i].joint;
        choose_steps(&tracks[i], anim->num_frames, (double)budgets[joint], (double)reach[joint]);
    }
    md5_packed_track **const sorted =
        (md5_packed_track **)md5_arena_room(arena, num_tracks, sizeof(md5_packed_track *));
    md5_packed_group *const groups =
        (md5_packed_group *)md5_arena_alloc(arena, num_tracks, sizeof *groups);
    TRY(sorted && groups && sort_tracks(arena, tracks, num_tracks, sorted));
    *packed = (md5_packed){.num_groups = make_groups(sorted, num_tracks, groups),
                           .num_frames = anim->num_frames,
                           .num_lanes = num_tracks,
                           .has_short_joints = anim->skeleton.num_joints <= 256,
                           .base = anim->base_frame[0].translation};
    return write_groups(arena, sorted, groups, md5_packed_measure(packed, groups), packed);
}
