// The storage format of a compressed clip: a header for each track, then the keys of each track. A
// key is the value of a track at one of the frames.
//
// A rotation stores three of its four components. The fourth component is computed from the unit
// length by a square root, which magnifies errors near 0. Therefore a track omits the component
// that stays farthest from 0: the one whose smallest magnitude over all frames is largest. If every
// component comes near 0 in some frame, all four are stored. Translations store three components.
//
// A component of a key is an integer times a float:
//
//   (offset + level) * scale
//
// Each key stores the levels of its components. The offsets and the scale are the same for all keys
// of the track. The product has the same bits on every machine that rounds to nearest.
//
// The data is one stream of bits, lowest bit first. Headers are in the order of the joints, the
// rotation of each joint before its translation:
//
// - 4 bits: step, 0 for a constant track; md5i_packed_key_steps[step] is the number of frames
//   between two keys;
// - rotations, 3 bits: form, the component that is omitted, or MD5_PACKED_FULL;
// - 5 bits: number of bits of each offset;
// - 9 bits: the scale in quarters of an octave; omitted if the track is constant and its offsets
//   have no bits;
// - unless the track is constant, 5 bits for each component: its number of bits in a key;
// - the offsets, signed.
//
// The keys of each track that is not constant follow the headers. The components of a key are
// stored in order.
//
// md5_bind() decodes the headers once. Kernels then sample 8 tracks of the same kind and step at a
// time (md5_packed_group).
#ifndef MD5_POSE_PACKED_H
#define MD5_POSE_PACKED_H

#include "md5/core/arena.h"
#include "md5/core/cpu.h"

enum {
    MD5_PACKED_MAX_COMPONENT_BITS = 24,
    MD5_PACKED_MAX_OFFSET_BITS = 26,
    MD5_PACKED_WORD_BITS = 57, // bits that a load of 8 bytes returns, starting at any bit
    MD5_PACKED_PADDING = 32,   // bytes after the last key: data is read before it is checked
    MD5_PACKED_MAX_JOINTS = 65535,
    MD5_PACKED_NUM_SCALES = 512,
    MD5_PACKED_MIN_EXPONENT = -80, // exponent of scale 0; four scales increase it by 1
    MD5_PACKED_NUM_STEPS = 16,
    MD5_PACKED_MAX_HEADER_BITS = 4 + 3 + 5 + 9 + 4 * (5 + MD5_PACKED_MAX_OFFSET_BITS),
    MD5_LANES = 8, // tracks in a group
};

// Kinds of tracks.
enum { MD5_PACKED_ROTATION, MD5_PACKED_TRANSLATION };

// Forms of a track. Forms 0 to 3 are the index of the component that a rotation omits. Translations
// use the form that omits w.
enum { MD5_PACKED_WITHOUT_W = 3, MD5_PACKED_FULL = 4 };

// Number of frames from one key to the next for each step. It is 0 for step 0, a constant track.
// The last frame of a clip is always a key.
extern const uint8_t md5i_packed_key_steps[MD5_PACKED_NUM_STEPS];

// Positions of the next track's header and first key in the stream, in bits.
typedef struct md5_packed_cursor {
    uint32_t header;
    uint32_t keys;
} md5_packed_cursor;

// The tracks of a compressed clip.
struct md5_packed {
    uint32_t num_joints;
    uint32_t num_frames;
    const uint8_t *bytes;
    uint32_t num_bytes;               // without the padding
    uint32_t header_bits;             // number of bits of all headers, where the keys begin
    const md5_packed_cursor *cursors; // [num_joints] position of each joint's rotation
};

// The decoded header of a track.
typedef struct md5_packed_header {
    uint32_t first_bit; // index of the first bit of the first key
    uint8_t kind;
    uint8_t form;
    uint8_t step;
    uint8_t key_bits; // sum of component_bits
    uint8_t component_bits[4];
    float scale;
    int32_t offsets[4];
} md5_packed_header;

// Returns the number of components that a key of this form stores.
static inline uint32_t md5_packed_components(uint8_t form)
{
    return form == MD5_PACKED_FULL ? 4 : 3;
}

float md5i_packed_decode_scale(uint32_t scale);

// -- Bits -------------------------------------------------------------------------------------

// Loads bits of the stream. The lowest bit of the result is bit number `bit` of the stream. The
// load begins at a whole byte, so up to 7 bits before it are shifted out. Therefore only
// MD5_PACKED_WORD_BITS bits of the result are valid.
static inline uint64_t md5_packed_load_word(const uint8_t *bytes, uint32_t bit)
{
    return md5_read_u64le(bytes + bit / 8) >> bit % 8;
}

// Reads an unsigned number of `count` bits, at most 32, whose lowest bit is bit number `bit` of the
// stream.
static inline uint32_t md5_packed_read_bits(const uint8_t *bytes, uint32_t bit, uint32_t count)
{
    return (uint32_t)md5_packed_load_word(bytes, bit) & (uint32_t)(((uint64_t)1 << count) - 1);
}

// -- Headers ----------------------------------------------------------------------------------

// Returns the position of the first track.
static inline md5_packed_cursor md5_packed_begin(const md5_packed *packed)
{
    return (md5_packed_cursor){0, packed->header_bits};
}

// Decodes the header at the cursor and moves the cursor to the next track.
md5_packed_header md5i_packed_read_header(const md5_packed *packed, uint8_t kind,
                                          md5_packed_cursor *cursor);

uint32_t md5i_packed_num_keys(uint8_t step, uint32_t num_frames);

// -- Keys -------------------------------------------------------------------------------------

// A sample position in terms of keys: two keys and the fraction between them. If keys are several
// frames apart, `key1` is either `key0` or the key after it.
typedef struct md5_packed_span {
    uint32_t key0;
    uint32_t key1;
    float fraction;
} md5_packed_span;

// Converts a sample position to keys. Returns false if no pair of keys encloses both frames. This
// happens between the last and the first frame of a cycle, where each frame is between its own pair
// of keys.
bool md5i_packed_find_span(uint8_t step, uint32_t num_frames, const md5_sample_position *sample,
                           md5_packed_span *span);

// The components of a key in stored order. The omitted component of a rotation is last.
typedef struct md5_packed_value {
    float v[4];
} md5_packed_value;
md5_packed_value md5i_packed_decode_key(const md5_packed *packed, const md5_packed_header *header,
                                        uint32_t key);

// Samples a track. Writes x y z w of a rotation, or x y z 0 of a translation. All kernels compute
// the same bits as this function.
void md5i_packed_sample_track(const md5_packed *packed, const md5_packed_header *header,
                              const md5_sample_position *sample, float out[4]);

// -- Groups -----------------------------------------------------------------------------------

// A group of tracks that a kernel samples together, each in one lane of a vector. It contains the
// headers of up to 8 tracks of the same kind that are not constant. Lanes after `count` repeat lane
// 0, so that they write the same value to the same address.
typedef struct md5_packed_group {
    uint32_t first_bits[MD5_LANES];
    uint32_t target_offsets[MD5_LANES]; // offset of the value in the pose, bytes
    int32_t offsets[4][MD5_LANES];
    float scales[MD5_LANES];
    float forms[MD5_LANES]; // in floats, because kernels compare them as floats
    uint8_t component_bits[4][MD5_LANES];
    uint8_t key_bits[MD5_LANES];
    uint8_t steps[MD5_LANES];
    uint8_t kind;
    uint8_t count;
    bool is_mixed;       // the tracks have different steps
    bool is_scalar_only; // a key has four components or more than MD5_PACKED_WORD_BITS bits
} md5_packed_group;

static inline uint8_t *md5_packed_target(md5_xform *pose, uint32_t offset)
{
    return (uint8_t *)pose + offset;
}

// The type of a kernel for groups. It decodes the two keys around the sample position for all
// tracks of each group, interpolates between them, and writes the values to a pose.
typedef void md5_packed_kernel(const md5_packed *packed, const md5_packed_group *groups,
                               uint32_t num_groups, const md5_sample_position *sample,
                               md5_xform *pose);

// Samples groups in plain C.
md5_packed_kernel md5i_packed_sample_scalar;

// Samples all tracks of a clip without a binding. Joint k of the clip drives pose[k].
void md5i_packed_sample_all(md5_packed_kernel *kernel, const md5_packed *packed,
                            const md5_sample_position *sample, md5_xform *pose);

// Samples the rotation of one joint, or its translation as x y z 0.
md5_quat md5i_packed_sample_joint(const md5_packed *packed, uint32_t joint, uint8_t kind,
                                  const md5_sample_position *sample);

// Groups the tracks that drive a joint. Returns the number of groups. Writes the groups unless
// `groups` is NULL. targets[joints] contains the joint of the pose that each joint of the clip
// drives, or MD5_NONE. If `targets` is NULL, joint k of the clip drives joint k of the pose, which
// gives the largest number of groups.
uint32_t md5i_group_packed_tracks(const md5_packed *packed, const uint32_t *targets,
                                  md5_packed_group *groups);

#endif
