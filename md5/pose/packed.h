// The stored form of a compressed clip: a head of each track, then the keys of each track.
//
// A rotation stores three of four components; the fourth follows from the unit length. It is the
// one that is farthest from 0 in all frames: near 0 the root would magnify errors. Rotations that
// turn so far that there is none store all four. Translations store three.
//
// A component of a key is (offset + level) * scale: an integer times a float, of which every
// machine that rounds to nearest makes the same bits.
//
// All is one stream of bits, lowest first. Heads are in the order of joints, the rotation of each
// before its translation:
//
// - 4 bits: 0 for a constant, else the number of frames between keys (md5i_packed_steps);
// - rotations, 3 bits: which component is not stored, or MD5_PACKED_FULL;
// - 5 bits: how many each of the offsets has;
// - 9 bits: the scale in quarters of an octave; absent from constants whose offsets have no bits;
// - unless constant, 5 bits for each component: how many it has in a key;
// - the offsets, signed.
//
// Behind them are the keys of each track that is not constant, each with its components in order.
//
// Heads are decoded in one pass, when a clip is bound. Tracks of one kind and distance of keys are
// then sampled 8 at a time.
#ifndef MD5_POSE_PACKED_H
#define MD5_POSE_PACKED_H

#include "md5/core/arena.h"
#include "md5/core/cpu.h"

enum {
    MD5_PACKED_BITS = 24,        // of a component, at most
    MD5_PACKED_OFFSET_BITS = 26, // of an offset, at most
    MD5_PACKED_WORD = 57,        // bits of a key that one load of 8 bytes has, from any bit on
    MD5_PACKED_PADDING = 32,     // bytes behind the last key: heads and keys are read before checks
    MD5_PACKED_JOINTS = 65535,
    MD5_PACKED_SCALES = 512,
    MD5_PACKED_LEAST_EXPONENT = -80, // of a scale of 0, in quarters of which scales count
    MD5_PACKED_STEPS = 16,
    MD5_PACKED_HEAD_BITS = 4 + 3 + 5 + 9 + 4 * (5 + MD5_PACKED_OFFSET_BITS), // at most
    MD5_LANES = 8,
};

enum { MD5_PACKED_ROTATION, MD5_PACKED_TRANSLATION };

// Forms 0 to 3: the component that is not stored. Translations have the form of W.
enum { MD5_PACKED_WITHOUT_W = 3, MD5_PACKED_FULL = 4 };

// Frames from one key to the next; the last frame is a key, too. 0: constant.
extern const uint8_t md5i_packed_steps[MD5_PACKED_STEPS];

// Where the next track is in the bits.
typedef struct md5_packed_place {
    uint32_t head;
    uint32_t keys;
} md5_packed_place;

// The tracks of a compressed clip.
struct md5_packed {
    uint32_t num_joints;
    uint32_t num_frames;
    const uint8_t *bytes;
    uint32_t num_bytes;             // without the padding
    uint32_t head_bits;             // of all heads
    const md5_packed_place *places; // [num_joints] of each joint's rotation
};

// The head of a track.
typedef struct md5_packed_head {
    uint32_t at; // bit of the first key
    uint8_t kind;
    uint8_t form;
    uint8_t step;
    uint8_t row; // bits of a key
    uint8_t bits[4];
    float scale;
    int32_t offsets[4];
} md5_packed_head;

static inline uint32_t md5_packed_components(uint8_t form)
{
    return form == MD5_PACKED_FULL ? 4 : 3;
}

float md5i_packed_scale(uint32_t scale);

// -- Bits -------------------------------------------------------------------------------------

// Returns the bits from `bit` on: 57 or more of them, above which there may be any.
static inline uint64_t md5_packed_word(const uint8_t *bytes, uint32_t bit)
{
    return md5_load_word(bytes + bit / 8) >> bit % 8;
}

static inline uint32_t md5_packed_bits(const uint8_t *bytes, uint32_t bit, uint32_t count)
{
    return (uint32_t)md5_packed_word(bytes, bit) & (uint32_t)(((uint64_t)1 << count) - 1);
}

// -- Heads ------------------------------------------------------------------------------------

static inline md5_packed_place md5_packed_first(const md5_packed *packed)
{
    return (md5_packed_place){0, packed->head_bits};
}

// Decodes the head at a place, and moves the place to the next track.
md5_packed_head md5i_packed_take_head(const md5_packed *packed, uint8_t kind,
                                      md5_packed_place *place);

uint32_t md5i_packed_num_keys(uint8_t step, uint32_t num_frames);

// -- Keys -------------------------------------------------------------------------------------

// The position of a sample between two keys. `key1` is `key0` or the next one if keys are apart.
typedef struct md5_packed_span {
    uint32_t key0;
    uint32_t key1;
    float fraction;
} md5_packed_span;

// Returns false if the frames of the sample position have no common pair of keys, as at the end of
// an open loop: each is between keys of its own.
bool md5i_packed_between(uint8_t step, uint32_t num_frames, const md5_sample_position *sample,
                         md5_packed_span *span);

// The components of a key in stored order, a rotation with its fourth one.
typedef struct md5_packed_value {
    float v[4];
} md5_packed_value;
md5_packed_value md5i_packed_decode(const md5_packed *packed, const md5_packed_head *head,
                                    uint32_t key);

// Writes a track at a sample position: four floats x y z w, or x y z 0. The reference of all
// kernels.
void md5i_packed_at(const md5_packed *packed, const md5_packed_head *head,
                    const md5_sample_position *sample, float out[4]);

// -- Lanes ------------------------------------------------------------------------------------

// Heads of 8 tracks of one kind that are not constant. Lanes beyond `count` repeat the first one,
// so that they write what it does.
typedef struct md5_packed_lanes {
    uint32_t at[MD5_LANES];
    uint32_t to[MD5_LANES]; // byte of the pose that the lane's value begins at
    int32_t offsets[4][MD5_LANES];
    float scales[MD5_LANES];
    float forms[MD5_LANES]; // as floats, which kernels compare
    uint8_t bits[4][MD5_LANES];
    uint8_t rows[MD5_LANES];
    uint8_t steps[MD5_LANES];
    uint8_t kind;
    uint8_t count;
    bool is_mixed; // of different steps
    bool is_odd;   // a key is wider than MD5_PACKED_WORD, or has four components
} md5_packed_lanes;

static inline uint8_t *md5_packed_target(md5_xform *pose, uint32_t to)
{
    return (uint8_t *)pose + to;
}

// Samples groups into a pose.
typedef void md5_packed_kernel(const md5_packed *packed, const md5_packed_lanes *groups,
                               uint32_t num_groups, const md5_sample_position *sample,
                               md5_xform *pose);

// Samples groups in plain C.
md5_packed_kernel md5i_packed_sample_scalar;

// Samples all tracks into pose[joints of the clip]: decodes the heads.
void md5i_packed_sample_with(md5_packed_kernel *kernel, const md5_packed *packed,
                             const md5_sample_position *sample, md5_xform *pose);

// A joint's rotation or translation (x y z 0) at a sample position. And the groups of the tracks
// that drive a joint, when a clip is bound: returns their number, and writes them if `groups` is
// not NULL. targets[joints]: the joint of the pose, or MD5_NONE; NULL: each drives one, for the
// largest number.
md5_quat md5i_packed_joint_at(const md5_packed *packed, uint32_t joint, uint8_t kind,
                              const md5_sample_position *sample);
uint32_t md5i_packed_group(const md5_packed *packed, const uint32_t *targets,
                           md5_packed_lanes *groups);

#endif
