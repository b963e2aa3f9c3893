// The kernels for compressed clips: sample a group of tracks, one in each lane. They perform the
// operations of packed.c in the same order. Compiled once for each instruction set.
#ifndef MD5_POSE_SIMD_PACKED_WIDE_H
#define MD5_POSE_SIMD_PACKED_WIDE_H

#include "md5/pose/kernels.h"
#include "md5/pose/simd/slerp_wide.h"

#ifdef MD5_WIDE_AVX512

// Samples with the kernel of AVX2 instead of AVX-512, because a group has only eight lanes.
MD5_WIDE_CODE static void sample_packed_pose(const md5_packed *packed,
                                             const md5_packed_group *groups, uint32_t num_groups,
                                             const md5_sample_position *sample, md5_xform *pose)
{
    MD5_WIDE_NARROWER(md5i_pose_kernels).sample_packed(packed, groups, num_groups, sample, pose);
}

#else

// -- Sample positions -------------------------------------------------------------------------

// The keys and the fraction of a sample position in each lane.
typedef struct lane_spans {
    uint32_t key0[MD5_LANES];
    uint32_t key1[MD5_LANES];
    float fractions[MD5_LANES];
    float common_fraction; // fraction of all lanes, or -1 if lanes differ
    bool is_between;       // md5i_packed_find_span() returned true for all lanes
} lane_spans;

// A sample position, and the keys around it for each step of tracks. The keys of a step are
// computed on first use.
typedef struct sample_spans {
    const md5_packed *packed;
    const md5_sample_position *sample;
    lane_spans by_step[MD5_PACKED_NUM_STEPS];
    bool is_computed[MD5_PACKED_NUM_STEPS];
} sample_spans;

// Returns the keys and the fraction for tracks of one step, the same in all lanes. Computes them on
// first use.
MD5_WIDE_INLINE const lane_spans *get_step_spans(sample_spans *spans, uint8_t step)
{
    lane_spans *const lanes = &spans->by_step[step];
    md5_packed_span span;
    if (spans->is_computed[step])
        return lanes;

    spans->is_computed[step] = true;
    lanes->is_between =
        md5i_packed_find_span(step, spans->packed->num_frames, spans->sample, &span);
    if (!lanes->is_between)
        return lanes;

    lanes->common_fraction = span.fraction;
    for (uint32_t lane = 0; lane < MD5_LANES; lane++) {
        lanes->key0[lane] = span.key0;
        lanes->key1[lane] = span.key1;
        lanes->fractions[lane] = span.fraction;
    }
    return lanes;
}

// Writes the keys and fractions of a group whose tracks have different steps, for each lane.
MD5_WIDE_INLINE void mix_spans(sample_spans *spans, const md5_packed_group *group,
                               lane_spans *mixed)
{
    mixed->common_fraction = -1;
    mixed->is_between = true;
    for (uint32_t lane = 0; lane < MD5_LANES; lane++) {
        const lane_spans *const step_spans = get_step_spans(spans, group->steps[lane]);
        mixed->is_between = mixed->is_between && step_spans->is_between;
        mixed->key0[lane] = step_spans->key0[0];
        mixed->key1[lane] = step_spans->key1[0];
        mixed->fractions[lane] = step_spans->fractions[0];
    }
}

// -- Levels of keys ---------------------------------------------------------------------------
//
// A level is the integer that a key stores for a component: see packed.h.

// The positions of the two keys of each lane. With AVX2: byte index and bit in the byte. Otherwise:
// bit index in `bits`. Computed for all groups before a key is read: see slerp_wide.h.
typedef struct key_positions {
    uint32_t bytes[2][MD5_LANES];
    uint32_t bits[2][MD5_LANES];
} key_positions;

// The values that are the same for all keys of a group. AVX2 unpacks all lanes in a register; other
// instruction sets unpack lanes one by one.
typedef struct key_reader {
    const uint8_t *bytes;
#if defined(MD5_WIDE_AVX2)
    __m256i masks[3];
    __m256i offsets[3];
    __m256i even[2]; // end bits of the first two components, in even lanes
    __m256i odd[2];  // the same, in odd lanes
#else
    const md5_packed_group *group;
    uint32_t first;
#endif
} key_reader;

#if defined(MD5_WIDE_AVX2)

// Loads eight bytes and extends each to a 32-bit integer.
MD5_WIDE_INLINE __m256i widen_bytes(const uint8_t *bytes)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)bytes));
}

// Loads eight 32-bit integers, one for each lane.
MD5_WIDE_INLINE __m256i load_lane_words(const void *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

// Stores eight 32-bit integers, one for each lane.
MD5_WIDE_INLINE void store_lane_words(uint32_t *to, __m256i lanes)
{
    _mm256_storeu_si256((__m256i *)(void *)to, lanes);
}

// Clears odd lanes: regards the register as four 64-bit words and keeps the lower 32 bits of each
// word.
MD5_WIDE_INLINE __m256i low_halves(__m256i lanes)
{
    return _mm256_and_si256(lanes, _mm256_set1_epi64x(0xffffffff));
}

// Unpacks the widths, masks and offsets of the first three components of all lanes. `end` is the
// bit at which a component ends, in each lane. It is stored for even and odd lanes separately,
// because shifts of 64-bit words process four lanes at a time.
MD5_WIDE_INLINE void begin_keys(key_reader *reader, const md5_packed *packed,
                                const md5_packed_group *group, uint32_t first)
{
    const __m256i one = _mm256_set1_epi32(1);
    __m256i end = _mm256_setzero_si256();
    (void)first; // always 0: a register has all lanes
    reader->bytes = packed->bytes;
    MD5_UNROLL
    for (uint32_t c = 0; c < 3; c++) {
        const __m256i bits = widen_bytes(group->component_bits[c]);
        reader->masks[c] = _mm256_sub_epi32(_mm256_sllv_epi32(one, bits), one);
        reader->offsets[c] = load_lane_words(group->offsets[c]);
        end = _mm256_add_epi32(end, bits);
        if (c == 2)
            break;
        reader->even[c] = low_halves(end);
        reader->odd[c] = _mm256_srli_epi64(end, 32);
    }
}

// Loads eight bytes from each of two addresses.
MD5_WIDE_INLINE __m128i load_two(const uint8_t *first, const uint8_t *second)
{
    const __m128i low = _mm_loadl_epi64((const __m128i *)(const void *)first);
    return _mm_castps_si128(
        _mm_loadh_pi(_mm_castsi128_ps(low), (const __m64 *)(const void *)second));
}

// Loads eight bytes from each of the indices at[0], at[2], at[4] and at[6].
MD5_WIDE_INLINE __m256i load_words(const uint8_t *bytes, const uint32_t *at)
{
    const __m128i low = load_two(bytes + at[0], bytes + at[2]);
    const __m128i high = load_two(bytes + at[4], bytes + at[6]);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

// Interleaves the low halves of the words of even and odd lanes.
MD5_WIDE_INLINE __m256i merge_lanes(__m256i even, __m256i odd)
{
    return _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
}

// Computes where the two keys of each lane begin in the bytes of the clip: the index of the byte,
// and the bit in that byte.
MD5_WIDE_INLINE void find_keys(const md5_packed_group *group, const lane_spans *spans,
                               key_positions *positions)
{
    const __m256i at = load_lane_words(group->first_bits);
    const __m256i rows = widen_bytes(group->key_bits);
    MD5_UNROLL
    for (uint32_t k = 0; k < 2; k++) {
        const __m256i keys = load_lane_words(k == 0 ? spans->key0 : spans->key1);
        const __m256i bit = _mm256_add_epi32(at, _mm256_mullo_epi32(rows, keys));
        store_lane_words(positions->bytes[k], _mm256_srli_epi32(bit, 3));
        store_lane_words(positions->bits[k], _mm256_and_si256(bit, _mm256_set1_epi32(7)));
    }
}

// Reads three components of key `k` of each lane, as (offset + level) floats. Loads 64 bits for
// each lane, even and odd lanes in separate registers, and shifts the components out of them.
MD5_WIDE_INLINE void read_levels(const key_reader *reader, const key_positions *positions, int k,
                                 md5_wide v[4])
{
    const uint32_t *const bytes = positions->bytes[k];
    const __m256i bits = load_lane_words(positions->bits[k]);
    const __m256i even = _mm256_srlv_epi64(load_words(reader->bytes, bytes), low_halves(bits));
    const __m256i odd =
        _mm256_srlv_epi64(load_words(reader->bytes, bytes + 1), _mm256_srli_epi64(bits, 32));
    MD5_UNROLL
    for (uint32_t c = 0; c < 3; c++) {
        const __m256i fields = c == 0 ? merge_lanes(even, odd)
                                      : merge_lanes(_mm256_srlv_epi64(even, reader->even[c - 1]),
                                                    _mm256_srlv_epi64(odd, reader->odd[c - 1]));
        const __m256i level = _mm256_and_si256(fields, reader->masks[c]);
        v[c] = _mm256_cvtepi32_ps(_mm256_add_epi32(level, reader->offsets[c]));
    }
}

#else

// Stores the values that the keys of MD5_WIDTH lanes have in common. `first` is the first of these
// lanes in the group.
MD5_WIDE_INLINE void begin_keys(key_reader *reader, const md5_packed *packed,
                                const md5_packed_group *group, uint32_t first)
{
    *reader = (key_reader){packed->bytes, group, first};
}

// Computes the bit at which each lane's keys begin: all keys of a track have the same number of
// bits.
MD5_WIDE_INLINE void find_keys(const md5_packed_group *group, const lane_spans *spans,
                               key_positions *positions)
{
    for (uint32_t lane = 0; lane < MD5_LANES; lane++) {
        const uint32_t start = group->first_bits[lane];
        const uint32_t key_bits = group->key_bits[lane];
        positions->bits[0][lane] = start + spans->key0[lane] * key_bits;
        positions->bits[1][lane] = start + spans->key1[lane] * key_bits;
    }
}

// Reads three components of key `k` of each lane, as (offset + level) floats. Each lane loads one
// word, from which the components are shifted out one after the other.
MD5_WIDE_INLINE void read_levels(const key_reader *reader, const key_positions *positions, int k,
                                 md5_wide v[4])
{
    const md5_packed_group *const group = reader->group;
    float levels[3][MD5_WIDTH];
    for (uint32_t i = 0; i < MD5_WIDTH; i++) {
        const uint32_t lane = reader->first + i;
        uint64_t word = md5_packed_load_word(reader->bytes, positions->bits[k][lane]);
        MD5_UNROLL
        for (uint32_t c = 0; c < 3; c++) {
            const uint32_t bits = group->component_bits[c][lane];
            const uint32_t level = (uint32_t)word & ((1u << bits) - 1);
            levels[c][i] = (float)(group->offsets[c][lane] + (int32_t)level);
            word >>= bits;
        }
    }
    MD5_UNROLL
    for (uint32_t c = 0; c < 3; c++)
        v[c] = md5_wide_load(levels[c]);
}

#endif

// -- Values -----------------------------------------------------------------------------------

// Computes the omitted component of a rotation.
MD5_WIDE_INLINE md5_wide missing_component(const md5_wide v[4])
{
    const md5_wide square = md5_wide_add(
        md5_wide_add(md5_wide_mul(v[0], v[0]), md5_wide_mul(v[1], v[1])), md5_wide_mul(v[2], v[2]));
    const md5_wide last_square = md5_wide_sub(md5_wide_set1(1.0f), square);
    return md5_wide_sqrt(md5_wide_max(last_square, md5_wide_set1(0.0f)));
}

// Reads the key k (0 or 1) of each lane.
MD5_WIDE_INLINE void read_key(const key_reader *reader, md5_wide scale,
                              const key_positions *positions, int k, md5_wide v[4])
{
    read_levels(reader, positions, k, v);
    MD5_UNROLL
    for (uint32_t c = 0; c < 3; c++)
        v[c] = md5_wide_mul(v[c], scale);
}

// Reorders the components of rotations from stored order, in which the omitted component is last,
// to x y z w. `forms` is the omitted component of each lane; the masks select lanes by it.
MD5_WIDE_INLINE void reorder_components(const float *forms, md5_wide v[4])
{
    const md5_wide form = md5_wide_load(forms);
    const md5_mask x = md5_wide_less(form, md5_wide_set1(0.5f));
    const md5_mask x_y = md5_wide_less(form, md5_wide_set1(1.5f));
    const md5_mask w = md5_wide_greater(form, md5_wide_set1(2.5f));
    const md5_wide a = v[0];
    const md5_wide b = v[1];
    const md5_wide c = v[2];
    const md5_wide last = v[3];
    v[0] = md5_wide_select(x, last, a);
    v[1] = md5_wide_select(x, a, md5_wide_select(x_y, last, b));
    v[2] = md5_wide_select(x_y, b, md5_wide_select(w, c, last));
    v[3] = md5_wide_select(w, last, c);
}

// Writes four floats of each lane to the pose, at the target of the lane's track: a rotation or a
// translation. The transposition turns registers of equal components into registers of complete
// values.
MD5_WIDE_INLINE void store_lanes(md5_wide v[4], const uint32_t *target_offsets, md5_xform *pose)
{
    float *rows[MD5_WIDTH];
    MD5_UNROLL
    for (uint32_t i = 0; i < MD5_WIDTH; i++)
        rows[i] = (float *)(void *)md5_packed_target(pose, target_offsets[i]);
    md5_wide_transpose(v);
    md5_wide_store_rows(rows, v);
}

// -- Groups -----------------------------------------------------------------------------------

// A set of MD5_WIDTH rotations for slerp: see slerp_wide.h.
typedef struct rotation_set {
    wide_slerp_set slerp;
    md5_wide fraction;
    float common_fraction; // see lane_spans
    const float *forms;
    const uint32_t *target_offsets;
} rotation_set;

enum {
    GROUPS = 16, // groups that are sampled together
    SETS = GROUPS * MD5_LANES / MD5_WIDTH,
};

typedef struct rotation_sets {
    uint32_t count;
    rotation_set sets[SETS];
} rotation_sets;

// Interpolates and stores all collected sets of rotations, and empties the collection. Consecutive
// sets with the same fraction reuse the values that slerp computes from the fraction.
MD5_WIDE_INLINE void finish_rotations(rotation_sets *rotations, md5_xform *pose)
{
    float fraction = -1;
    wide_slerp slerp;

    for (uint32_t i = 0; i < rotations->count; i++) {
        wide_slerp_set *const set = &rotations->sets[i].slerp;
        set->a[3] = missing_component(set->a);
        set->b[3] = missing_component(set->b);
        set->cosine = dot4_wide(set->a, set->b);
    }

    for (uint32_t i = 0; i < rotations->count; i++) {
        rotation_set *const set = &rotations->sets[i];
        if (i == 0 || set->common_fraction != fraction || fraction < 0)
            slerp = wide_slerp_at(set->fraction);
        fraction = set->common_fraction;
        set->slerp.weights = wide_slerp_weights(&slerp, set->slerp.cosine);
    }

    for (uint32_t i = 0; i < rotations->count; i++) {
        const rotation_set *const set = &rotations->sets[i];
        md5_wide v[4];
        slerp_end(&set->slerp, v);
        reorder_components(set->forms, v);
        store_lanes(v, set->target_offsets, pose);
    }
    rotations->count = 0;
}

// Reads both keys of each track of a group, which contains MD5_LANES tracks. Translations are
// interpolated and stored. Rotations are only collected in `rotations`, because finish_rotations()
// interpolates many of them together.
MD5_WIDE_INLINE void sample_group(const md5_packed *packed, const md5_packed_group *group,
                                  const lane_spans *spans, const key_positions *positions,
                                  rotation_sets *rotations, md5_xform *pose)
{
    for (uint32_t first = 0; first < MD5_LANES; first += MD5_WIDTH) {
        key_reader reader;
        const md5_wide scale = md5_wide_load(group->scales + first);
        const md5_wide fraction = md5_wide_load(spans->fractions + first);
        begin_keys(&reader, packed, group, first);

        if (group->kind == MD5_PACKED_ROTATION) {
            rotation_set *const set = &rotations->sets[rotations->count++];
            read_key(&reader, scale, positions, 0, set->slerp.a);
            read_key(&reader, scale, positions, 1, set->slerp.b);
            set->fraction = fraction;
            set->common_fraction = spans->common_fraction;
            set->forms = group->forms + first;
            set->target_offsets = group->target_offsets + first;
            continue;
        }

        md5_wide a[4];
        md5_wide b[4];
        read_key(&reader, scale, positions, 0, a);
        read_key(&reader, scale, positions, 1, b);

        MD5_UNROLL
        for (uint32_t c = 0; c < 3; c++)
            a[c] = lerp_wide(a[c], b[c], fraction);
        a[3] = md5_wide_set1(0.0f);
        store_lanes(a, group->target_offsets + first, pose);
    }
}

// Samples up to GROUPS groups of tracks into a pose, in three steps: finds the keys around the
// sample position (spans), computes the positions of their bits, and reads and interpolates them.
// Each step processes all groups, so that its results are in memory when the next step loads them.
// Groups with wide keys, and sample positions whose frames are not between the same keys, are rare,
// so they are sampled in plain C.
MD5_WIDE_INLINE void sample_groups(sample_spans *spans, const md5_packed_group *groups,
                                   uint32_t count, md5_xform *pose)
{
    const lane_spans *group_spans[GROUPS];
    lane_spans mixed[GROUPS];
    key_positions positions[GROUPS];
    rotation_sets rotations;

    for (uint32_t i = 0; i < count; i++) {
        group_spans[i] = groups[i].is_mixed ? &mixed[i] : get_step_spans(spans, groups[i].steps[0]);
        if (groups[i].is_mixed)
            mix_spans(spans, &groups[i], &mixed[i]);
    }

    rotations.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (group_spans[i]->is_between)
            find_keys(&groups[i], group_spans[i], &positions[i]);
    }

    for (uint32_t i = 0; i < count; i++) {
        if (groups[i].is_scalar_only || !group_spans[i]->is_between)
            md5i_packed_sample_scalar(spans->packed, &groups[i], 1, spans->sample, pose);
        else
            sample_group(spans->packed, &groups[i], group_spans[i], &positions[i], &rotations,
                         pose);
    }
    finish_rotations(&rotations, pose);
}

// Samples all groups of a compressed clip into a pose.
MD5_WIDE_CODE static void sample_packed_pose(const md5_packed *packed,
                                             const md5_packed_group *groups, uint32_t num_groups,
                                             const md5_sample_position *sample, md5_xform *pose)
{
    sample_spans spans;
    spans.packed = packed;
    spans.sample = sample;
    memset(spans.is_computed, 0, sizeof spans.is_computed);
    for (uint32_t i = 0; i < num_groups; i += GROUPS) {
        const uint32_t left = num_groups - i;
        sample_groups(&spans, groups + i, left < GROUPS ? left : (uint32_t)GROUPS, pose);
    }
}

#endif

#endif
