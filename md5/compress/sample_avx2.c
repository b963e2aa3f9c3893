// Samples a group at a time: one track in each lane of AVX2. The operations of decode.c, in their
// order.
#include "md5/core/cpu.h"

#if MD5_HAS_AVX2

#define MD5_WIDE_AVX2
#include "md5/compress/packed.h"
#include "md5/pose/simd/slerp_wide.h"

// For each number of bits: the bytes in which the values of 4 lanes begin, in either half, and the
// bit. The second half begins at byte bits / 2, and with an odd number at bit 4.
#define BYTES_AT(bit)                                                         \
    (uint8_t)((bit) / 8), (uint8_t)((bit) / 8 + 1), (uint8_t)((bit) / 8 + 2), \
        (uint8_t)((bit) / 8 + 3)
#define HALF_AT(bit, n) \
    BYTES_AT(bit), BYTES_AT((bit) + (n)), BYTES_AT((bit) + 2 * (n)), BYTES_AT((bit) + 3 * (n))
#define BITS_AT(bit, n) (bit) % 8, ((bit) + (n)) % 8, ((bit) + 2 * (n)) % 8, ((bit) + 3 * (n)) % 8
#define WIDTH(n)                                     \
    {                                                \
        {HALF_AT(0, n), HALF_AT(4 * ((n) % 2), n)},  \
        {                                            \
            BITS_AT(0, n), BITS_AT(4 * ((n) % 2), n) \
        }                                            \
    }

typedef struct unpacking {
    uint8_t bytes[32], shifts[8];
} unpacking;

static const unpacking unpackings[MD5_PACKED_BITS + 1] = {
    WIDTH(0),  WIDTH(1),  WIDTH(2),  WIDTH(3),  WIDTH(4),  WIDTH(5),  WIDTH(6),
    WIDTH(7),  WIDTH(8),  WIDTH(9),  WIDTH(10), WIDTH(11), WIDTH(12), WIDTH(13),
    WIDTH(14), WIDTH(15), WIDTH(16), WIDTH(17), WIDTH(18), WIDTH(19), WIDTH(20),
    WIDTH(21), WIDTH(22), WIDTH(23), WIDTH(24),
};

MD5_WIDE_INLINE __m256i widen_bytes(const uint8_t *bytes)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)bytes));
}

// The values of 8 lanes of one component.
MD5_WIDE_INLINE __m256i unpack(const uint8_t *from, uint32_t bits)
{
    const unpacking *const of = &unpackings[bits];
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)from);
    const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(from + bits / 2));
    const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
    const __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)of->bytes);
    const __m256i words = _mm256_shuffle_epi8(both, bytes);
    return _mm256_and_si256(_mm256_srlv_epi32(words, widen_bytes(of->shifts)),
                            _mm256_set1_epi32((1 << bits) - 1));
}

// What the keys of a group share.
typedef struct group_reader {
    const md5_packed_group *group;
    const uint8_t *lanes, *keys;
    __m256i offsets[3];
    md5_wide scale;
} group_reader;

MD5_WIDE_INLINE void begin_group(group_reader *reader, const md5_packed *packed,
                                 const md5_packed_group *group)
{
    const uint8_t *const lanes = packed->bytes + group->at + md5_packed_joint_bytes(packed, group);
    const uint8_t *plane = lanes + group->count;
    reader->group = group;
    reader->lanes = lanes;
    MD5_UNROLL
    for (uint32_t c = 0; c < 3; c++) {
        const uint32_t bits = group->offset_bits[c];
        const __m256i sign = _mm256_set1_epi32((int)(1u << bits >> 1));
        reader->offsets[c] = _mm256_sub_epi32(_mm256_xor_si256(unpack(plane, bits), sign), sign);
        plane += md5_packed_plane(group, bits);
    }
    reader->keys = plane;
    const __m256i exponents = _mm256_add_epi32(_mm256_srli_epi32(widen_bytes(lanes), 5),
                                               _mm256_set1_epi32(group->exponent));
    reader->scale = _mm256_castsi256_ps(_mm256_slli_epi32(exponents, 23));
}

// The fourth component; that of a translation is 0.
MD5_WIDE_INLINE md5_wide complete(uint32_t kind, const md5_wide v[4])
{
    if (kind == MD5_PACKED_TRANSLATION)
        return md5_wide_all(0.0f);
    const md5_wide square = md5_wide_add(
        md5_wide_add(md5_wide_mul(v[0], v[0]), md5_wide_mul(v[1], v[1])), md5_wide_mul(v[2], v[2]));
    const md5_wide rest = md5_wide_sub(md5_wide_all(1.0f), square);
    return md5_wide_sqrt(md5_wide_larger(rest, md5_wide_all(0.0f)));
}

MD5_WIDE_INLINE void read_key(const group_reader *reader, uint32_t kind, uint32_t key,
                              md5_wide v[4])
{
    const md5_packed_group *const group = reader->group;
    const uint8_t *plane = reader->keys + (size_t)key * group->row;
    MD5_UNROLL
    for (uint32_t c = 0; c < 3; c++) {
        const uint32_t bits = group->bits[c];
        const __m256i levels = _mm256_add_epi32(reader->offsets[c], unpack(plane, bits));
        v[c] = md5_wide_mul(_mm256_cvtepi32_ps(levels), reader->scale);
        plane += md5_packed_plane(group, bits);
    }
    v[3] = complete(kind, v);
}

// Slerp weights are those of a fraction, which groups with the same distance of keys share.
typedef struct shared_slerp {
    float fraction;
    wide_slerp slerp;
} shared_slerp;

MD5_WIDE_INLINE void interpolate(const group_reader *reader, uint32_t kind,
                                 const md5_packed_span *span, shared_slerp *shared, md5_wide a[4])
{
    md5_wide b[4];
    read_key(reader, kind, span->key1, b);
    if (kind == MD5_PACKED_TRANSLATION) {
        const md5_wide fraction = md5_wide_all(span->fraction);
        MD5_UNROLL
        for (int c = 0; c < 3; c++)
            a[c] = lerp_wide(a[c], b[c], fraction);
        return;
    }
    if (shared->fraction != span->fraction) {
        shared->fraction = span->fraction;
        shared->slerp = wide_slerp_at(md5_wide_all(span->fraction));
    }
    const wide_slerp_pair weights = wide_slerp_weigh(&shared->slerp, dot4_wide(a, b));
    MD5_UNROLL
    for (int c = 0; c < 4; c++)
        a[c] = md5_wide_sub(
            a[c], md5_wide_sub(md5_wide_mul(a[c], weights.of_a), md5_wide_mul(b[c], weights.of_b)));
}

// Puts components in order, by the low two bits of each index. The pose is written 16 bytes at a
// time: a translation with its padding.
MD5_WIDE_INLINE void store_lanes(const md5_packed *packed, const group_reader *reader,
                                 uint32_t kind, md5_wide rows[4], const int32_t *targets,
                                 md5_transform *pose)
{
    const md5_packed_group *const group = reader->group;
    const __m128i shifts = _mm_set_epi32(6, 4, 2, 0);
    float values[MD5_LANES][4];
    md5_wide_transpose(rows);
    md5_wide_store_run(values[0], 4, rows);
    for (uint32_t lane = 0; lane < group->count; lane++) {
        const int32_t target =
            targets ? targets[lane] : (int32_t)md5_packed_joint(packed, group, lane);
        if (target < 0)
            continue;
        const __m128i order = _mm_set1_epi32(md5_packed_orders[reader->lanes[lane] & 31]);
        const __m128 value =
            _mm_permutevar_ps(_mm_loadu_ps(values[lane]), _mm_srlv_epi32(order, shifts));
        float *const to =
            kind == MD5_PACKED_ROTATION ? &pose[target].rotation.x : &pose[target].translation.x;
        _mm_storeu_ps(to, value);
    }
}

MD5_WIDE_INLINE void sample_group(const md5_packed *packed, const md5_packed_group *group,
                                  uint32_t kind, const md5_packed_span *span, shared_slerp *shared,
                                  const int32_t *targets, md5_transform *pose)
{
    group_reader reader;
    md5_wide a[4];
    begin_group(&reader, packed, group);
    read_key(&reader, kind, span->key0, a);
    if (!group->is_constant)
        interpolate(&reader, kind, span, shared, a);
    store_lanes(packed, &reader, kind, a, targets, pose);
}

// Groups with four components are rare, as are moments without a common pair of keys: these are
// sampled in plain C.
MD5_WIDE_CODE void md5_packed_sample_avx2(const md5_packed *packed, const md5_moment *moment,
                                          const int32_t *targets, bool has_constants,
                                          md5_transform *pose)
{
    shared_slerp shared = {.fraction = -1.0f};
    for (uint32_t i = 0; i < packed->num_groups; i++) {
        const md5_packed_group *const group = &packed->groups[i];
        md5_packed_span span;
        if (has_constants && group->is_constant)
            ;
        else if (!md5_packed_between(group, packed->num_frames, moment, &span) || group->is_full)
            md5_packed_sample_group(packed, group, moment, targets, pose);
        else if (group->kind == MD5_PACKED_ROTATION)
            sample_group(packed, group, MD5_PACKED_ROTATION, &span, &shared, targets, pose);
        else
            sample_group(packed, group, MD5_PACKED_TRANSLATION, &span, &shared, targets, pose);
        targets = targets ? targets + group->count : NULL;
    }
}

#endif
