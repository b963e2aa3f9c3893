// The stored form of a compressed clip. Tracks are in groups of up to 8 lanes, which a register of
// AVX2 holds; a group has one bit width for each component and one distance between keys, so that
// lanes are decoded together. Sorting puts tracks of similar widths into one group.
//
// A track stores three of four components of a rotation, largest range first; the fourth follows
// from the unit length. It is the one that is farthest from 0 in all frames: near 0 the root would
// magnify errors. Tracks that turn so far that there is none are `full` and store all four. Which
// stored component is x, y, z and w is the lane's `order`. Translations have three components.
//
// A component of a key is (offset + bits) * 2^exponent: a sum of integers below 2^25 and a power of
// two, exact in floats on every machine that rounds to nearest.
//
// Bytes of a group, from `at` on, without gaps:
//
// - the joint of each lane: a byte, or two (little-endian) if the clip has more than 256 joints;
// - a byte of each lane: bits 0 to 4 are its order, bits 5 to 7 are added to the group's exponent;
// - a row of offsets, signed, of offset_bits[c] bits;
// - keys: rows of bits[c] bits.
//
// In a row, component c has count * bits bits in lane order, lowest bit first, from a full byte on.
#ifndef MD5_COMPRESS_PACKED_H
#define MD5_COMPRESS_PACKED_H

#include "md5/core/arena.h"
#include "md5/md5compress.h"

enum {
    MD5_LANES = 8,
    MD5_PACKED_BITS = 24,    // of a component, at most, and of an offset
    MD5_PACKED_PADDING = 32, // bytes behind the last group, for loads of whole registers
    MD5_PACKED_JOINTS = 65535,
    MD5_PACKED_ROTATION = 0,
    MD5_PACKED_TRANSLATION = 1,
};

typedef struct md5_packed_group {
    uint32_t at;      // of its bytes
    uint8_t row;      // bytes of a key
    uint8_t shift;    // 2^shift frames from one key to the next; the last frame is a key, too
    uint8_t count;    // lanes, 1 to 8
    uint8_t kind;     // MD5_PACKED_ROTATION or MD5_PACKED_TRANSLATION
    bool is_full;     // four components, which are normalized
    bool is_constant; // one key of no bits
    uint8_t exponent; // of the lane with the smallest one, biased by 127
    uint8_t bits[4], offset_bits[4];
} md5_packed_group;

struct md5_packed {
    uint32_t num_groups, num_frames;
    const md5_packed_group *groups; // all rotations before all translations
    const uint8_t *bytes;
    size_t num_bytes;      // without the padding
    uint32_t num_lanes;    // of all groups: two for each joint
    bool has_short_joints; // a byte for each
    md5_vec3 base;         // joint 0's translation in the base frame
    uint32_t root;         // group of joint 0's translation
    uint32_t root_lane;
};

// Samples into a pose. targets[lane], in the order of the groups: the joint of the pose, -1 =
// drives nothing. NULL: each joint of the clip is its own target. `has_constants`: the pose holds
// what no key changes, so that these groups are skipped.
typedef void md5_packed_sample_fn(const md5_packed *packed, const md5_moment *moment,
                                  const int32_t *targets, bool has_constants, md5_transform *pose);

static inline uint32_t md5_packed_components(const md5_packed_group *group)
{
    return group->is_full ? 4 : 3;
}

static inline uint32_t md5_packed_32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

// Bytes of one component in a row.
static inline uint32_t md5_packed_plane(const md5_packed_group *group, uint32_t bits)
{
    return (group->count * bits + 7) / 8;
}

static inline uint32_t md5_packed_row_bytes(const md5_packed_group *group, const uint8_t bits[4])
{
    uint32_t row = 0;
    for (uint32_t c = 0; c < md5_packed_components(group); c++)
        row += md5_packed_plane(group, bits[c]);
    return row;
}

// Bytes of the joints of a group; behind them are the lanes' bytes, then offsets, then keys.
static inline uint32_t md5_packed_joint_bytes(const md5_packed *packed,
                                              const md5_packed_group *group)
{
    return group->count * (packed->has_short_joints ? 1u : 2u);
}

static inline uint32_t md5_packed_head_bytes(const md5_packed *packed,
                                             const md5_packed_group *group)
{
    return md5_packed_joint_bytes(packed, group) + group->count
           + md5_packed_row_bytes(group, group->offset_bits);
}

static inline uint32_t md5_packed_num_keys(const md5_packed_group *group, uint32_t num_frames)
{
    const uint64_t step = (uint64_t)1 << group->shift, last = num_frames - 1;
    return group->is_constant ? 1 : (uint32_t)((last + step - 1) / step + 1);
}

static inline uint32_t md5_packed_joint(const md5_packed *packed, const md5_packed_group *group,
                                        uint32_t lane)
{
    const uint8_t *const head = packed->bytes + group->at;
    return packed->has_short_joints ? head[lane]
                                    : head[2 * lane] | (uint32_t)head[2 * lane + 1] << 8;
}

static inline uint8_t md5_packed_lane(const md5_packed *packed, const md5_packed_group *group,
                                      uint32_t lane)
{
    return packed->bytes[group->at + md5_packed_joint_bytes(packed, group) + lane];
}

// The orders of components: two bits each say which stored component is x, y, z and w. Those of
// translations, whose w is the fourth, come first.
enum { MD5_PACKED_ORDERS = 24, MD5_PACKED_ORDERS_OF_3 = 6 };
extern const uint8_t md5_packed_orders[32];

static inline uint32_t md5_packed_source(uint8_t order, uint32_t component)
{
    return (uint32_t)order >> (2 * component) & 3;
}

// Where a moment is between two keys of a group.
typedef struct md5_packed_span {
    uint32_t key0, key1;
    float fraction;
} md5_packed_span;

// Returns false if the frames of the moment have no common pair of keys, as at the end of an open
// loop: each is between keys of its own.
bool md5_packed_between(const md5_packed_group *group, uint32_t num_frames,
                        const md5_moment *moment, md5_packed_span *span);

// The components of a lane in stored order, a rotation with its fourth one.
typedef struct md5_packed_value {
    float v[4];
} md5_packed_value;
md5_packed_value md5_packed_decode(const md5_packed *packed, const md5_packed_group *group,
                                   uint32_t lane, uint32_t key);

// Writes one lane at a moment: four floats x y z w, or x y z 0. The reference of all kernels.
void md5_packed_lane_at(const md5_packed *packed, const md5_packed_group *group, uint32_t lane,
                        const md5_moment *moment, float out[4]);

// Samples one group in plain C; targets[lanes of the group], or NULL.
void md5_packed_sample_group(const md5_packed *packed, const md5_packed_group *group,
                             const md5_moment *moment, const int32_t *targets, md5_transform *pose);

// Sample all groups, in plain C and with the fastest instruction set: the same bits.
md5_packed_sample_fn md5_packed_sample_scalar, md5_packed_sample_avx2, md5_packed_sample;

// Joint 0's translation in a mode of the root other than MD5_ROOT_FILE, and its displacement.
md5_vec3 md5_packed_root(const md5_packed *packed, const md5_moment *moment, md5_root root);
md5_vec3 md5_packed_root_motion(const md5_packed *packed, const md5_moment *from,
                                const md5_moment *to);

// Check what sampling relies on: groups before they are measured; then, with all bytes and the
// padding, joints and keys. The latter finds the root. Report errors; return false.
bool md5_packed_check_groups(md5_context *context, const md5_packed *packed);
bool md5_packed_check(md5_arena *arena, md5_packed *packed, uint32_t num_joints);

// Measures groups: sets `at` and `row` of each and returns the number of bytes; UINT64_MAX if they
// are more than 2^31.
uint64_t md5_packed_measure(const md5_packed *packed, md5_packed_group *groups);

// Copies a packed clip, with a skeleton, into one block of the context's allocator. NULL if memory
// runs out.
md5_compressed *md5_packed_create(md5_context *context, const md5_compressed *source,
                                  const md5_packed *packed);

#endif
