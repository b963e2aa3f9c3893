// Samples compressed clips. This file decodes headers and keys, samples single tracks in plain C,
// and sorts tracks into groups for the kernels. The kernels of all instruction sets compute the
// same bits as md5i_packed_sample_track(). packed.h explains the format.
#include "md5/pose/packed.h"

#include "md5/core/math.h"
#include "md5/core/slerp.h"

const uint8_t md5i_packed_key_steps[MD5_PACKED_NUM_STEPS] = {0,  1,  2,  3,  4,  5,  6,  8,
                                                             10, 12, 16, 20, 24, 32, 48, 64};

// -- Headers ----------------------------------------------------------------------------------

// Returns the scale that a header encodes:
//
//   2^(scale / 4 + MD5_PACKED_MIN_EXPONENT)
//
// This is a power of two times one of the constants 2^(0/4) to 2^(3/4). The multiplication by a
// power of two is exact, so all platforms compute the same scale.
float md5i_packed_decode_scale(uint32_t scale)
{
    static const float roots[4] = {1, 1.18920712f, 1.41421356f, 1.68179283f};
    const uint32_t bits = (scale / 4 + 127 + (uint32_t)MD5_PACKED_MIN_EXPONENT) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power * roots[scale % 4];
}

// Reads an unsigned number of `count` bits at the bit position *bit, and moves *bit past it.
static uint32_t read_bits(const md5_packed *packed, uint32_t *bit, uint32_t count)
{
    *bit += count;
    return md5_packed_read_bits(packed->bytes, *bit - count, count);
}

// Returns the value of a two's complement number of `num_bits` bits. A number without bits is 0.
static int32_t extend_sign(uint32_t bits, uint32_t num_bits)
{
    const uint32_t sign = (uint32_t)(((uint64_t)1 << num_bits) >> 1);
    return (int32_t)(bits ^ sign) - (int32_t)sign;
}

// Decodes the header of the track at the cursor, and moves the cursor to the next track. `kind` is
// MD5_PACKED_ROTATION or MD5_PACKED_TRANSLATION. packed.h describes the fields in the same order.
md5_packed_header md5i_packed_read_header(const md5_packed *packed, uint8_t kind,
                                          md5_packed_cursor *cursor)
{
    uint32_t *const bit = &cursor->header;
    md5_packed_header header = {
        .first_bit = cursor->keys, .kind = kind, .form = MD5_PACKED_WITHOUT_W};

    header.step = (uint8_t)read_bits(packed, bit, 4);
    if (kind == MD5_PACKED_ROTATION)
        header.form = (uint8_t)read_bits(packed, bit, 3);

    const uint32_t offset_bits = read_bits(packed, bit, 5);
    const uint32_t components = md5_packed_components(header.form);
    if (offset_bits > 0 || header.step != 0)
        header.scale = md5i_packed_decode_scale(read_bits(packed, bit, 9));

    if (header.step != 0) {
        for (uint32_t c = 0; c < components; c++) {
            header.component_bits[c] = (uint8_t)read_bits(packed, bit, 5);
            header.key_bits = (uint8_t)(header.key_bits + header.component_bits[c]);
        }
    }

    for (uint32_t c = 0; c < components; c++)
        header.offsets[c] = extend_sign(read_bits(packed, bit, offset_bits), offset_bits);
    if (header.step != 0)
        cursor->keys += md5i_packed_num_keys(header.step, packed->num_frames) * header.key_bits;
    return header;
}

// -- Keys at a sample position ----------------------------------------------------------------

// Returns the number of keys of a track. `step` is an index of md5i_packed_key_steps, which
// contains the number of frames from one key to the next. Step 0 is a constant track, which has one
// key.
uint32_t md5i_packed_num_keys(uint8_t step, uint32_t num_frames)
{
    const uint64_t spacing = md5i_packed_key_steps[step];
    const uint64_t last = num_frames - 1;
    if (spacing == 0)
        return 1;
    const uint64_t num_intervals = (last + spacing - 1) / spacing; // rounded up
    return (uint32_t)(num_intervals + 1);
}

// Returns the frame of the key after the key at `key_frame`. The last frame is always a key.
static uint32_t next_key_frame(uint32_t key_frame, uint32_t frames_per_key, uint32_t last_frame)
{
    if (last_frame - key_frame > frames_per_key)
        return key_frame + frames_per_key;
    return last_frame;
}

// Finds the two keys around a sample position, and the fraction between them. Returns false if the
// two frames of the position are not between the same two keys. This happens only between the last
// frame and the first frame of a cycle. Consecutive frames are always between the same two keys.
bool md5i_packed_find_span(uint8_t step, uint32_t num_frames, const md5_sample_position *sample,
                           md5_packed_span *span)
{
    const uint32_t frame0 = sample->frame0;
    const uint32_t frame1 = sample->frame1;
    const uint32_t frames_per_key = md5i_packed_key_steps[step];

    const bool is_constant = frames_per_key == 0;
    if (is_constant) {
        *span = (md5_packed_span){0, 0, 0};
        return true;
    }
    const bool is_key_per_frame = frames_per_key == 1;
    if (is_key_per_frame) {
        *span = (md5_packed_span){frame0, frame1, sample->fraction};
        return true;
    }

    // Sort the two frames. If the fraction is 0, the value of frame1 is not used.
    uint32_t min_frame = frame0;
    uint32_t max_frame = frame0;
    if (sample->fraction != 0) {
        min_frame = frame0 < frame1 ? frame0 : frame1;
        max_frame = frame0 > frame1 ? frame0 : frame1;
    }

    // Find the keys around min_frame.
    const uint32_t key = min_frame / frames_per_key;
    const uint32_t key_frame = key * frames_per_key;
    const uint32_t last_frame = num_frames - 1;
    const uint32_t next_frame = next_key_frame(key_frame, frames_per_key, last_frame);
    if (max_frame > next_frame)
        return false;

    const bool is_last_key = key_frame == last_frame;
    if (is_last_key) {
        *span = (md5_packed_span){key, key, 0};
        return true;
    }

    // Differences of frames are at most frames_per_key unless the fraction is 0. Therefore they are
    // exact as floats.
    const float displacement = ((float)frame1 - (float)frame0) * sample->fraction;
    const float frames_after_key = (float)(frame0 - key_frame) + displacement;
    const float fraction = frames_after_key / (float)(next_frame - key_frame);
    *span = (md5_packed_span){key, key + 1, fraction};
    return true;
}

// -- One track --------------------------------------------------------------------------------

// Completes a decoded key to four components. A translation gets w = 0. A rotation that omits a
// component gets it from the unit length. A rotation that stores all components is normalized.
static void complete_value(const md5_packed_header *header, float v[4])
{
    if (header->kind == MD5_PACKED_TRANSLATION) {
        v[3] = 0;
        return;
    }
    const float square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (header->form != MD5_PACKED_FULL) {
        const float last_square = 1 - square;
        v[3] = sqrtf(last_square > 0 ? last_square : 0);
        return;
    }
    const float scale = 1.0f / sqrtf(square + v[3] * v[3]);
    for (uint32_t c = 0; c < 4; c++)
        v[c] *= scale;
}

// Decodes the key with the index `key` of a track. The components are in stored order. The omitted
// component of a rotation is last.
md5_packed_value md5i_packed_decode_key(const md5_packed *packed, const md5_packed_header *header,
                                        uint32_t key)
{
    uint32_t bit = header->first_bit + key * header->key_bits;
    md5_packed_value value = {{0, 0, 0, 0}};
    for (uint32_t c = 0; c < md5_packed_components(header->form); c++) {
        const int32_t level = (int32_t)read_bits(packed, &bit, header->component_bits[c]);
        value.v[c] = (float)(header->offsets[c] + level) * header->scale;
    }
    complete_value(header, value.v);
    return value;
}

// Interpolates between two values in stored order. Rotations are interpolated by slerp with
// `weights`, translations linearly by `fraction`.
static md5_packed_value interpolate_values(uint8_t kind, const md5_slerp_weights *weights,
                                           md5_packed_value a, md5_packed_value b, float fraction)
{
    if (kind == MD5_PACKED_ROTATION) {
        const md5_quat from = {a.v[0], a.v[1], a.v[2], a.v[3]};
        const md5_quat to = {b.v[0], b.v[1], b.v[2], b.v[3]};
        const md5_quat q = md5_slerp_weighted(weights, from, to);
        return (md5_packed_value){{q.x, q.y, q.z, q.w}};
    }
    md5_packed_value value;
    for (uint32_t c = 0; c < 4; c++)
        value.v[c] = a.v[c] + (b.v[c] - a.v[c]) * fraction;
    return value;
}

// Returns the value of a track between two keys. A constant track has only the first key.
static md5_packed_value sample_span(const md5_packed *packed, const md5_packed_header *header,
                                    const md5_packed_span *span, const md5_slerp_weights *weights)
{
    const md5_packed_value a = md5i_packed_decode_key(packed, header, span->key0);
    if (header->step == 0)
        return a;
    return interpolate_values(header->kind, weights, a,
                              md5i_packed_decode_key(packed, header, span->key1), span->fraction);
}

// Returns the value of a track at a whole frame, which may be between two keys.
static md5_packed_value sample_frame(const md5_packed *packed, const md5_packed_header *header,
                                     uint32_t frame)
{
    const md5_sample_position still = {.frame0 = frame, .frame1 = frame};
    md5_packed_span span = {0, 0, 0};
    md5i_packed_find_span(header->step, packed->num_frames, &still, &span); // always true
    const md5_slerp_weights weights = md5i_slerp_weights_at(span.fraction);
    return sample_span(packed, header, &span, &weights);
}

// Samples a track. Writes x y z w of a rotation, or x y z 0 of a translation. If no pair of keys
// encloses both frames, each frame is sampled separately, and the two values are interpolated.
void md5i_packed_sample_track(const md5_packed *packed, const md5_packed_header *header,
                              const md5_sample_position *sample, float out[4])
{
    md5_packed_span span;
    md5_packed_value value;
    if (md5i_packed_find_span(header->step, packed->num_frames, sample, &span)) {
        const md5_slerp_weights weights = md5i_slerp_weights_at(span.fraction);
        value = sample_span(packed, header, &span, &weights);
    } else {
        const md5_slerp_weights weights = md5i_slerp_weights_at(sample->fraction);
        value =
            interpolate_values(header->kind, &weights, sample_frame(packed, header, sample->frame0),
                               sample_frame(packed, header, sample->frame1), sample->fraction);
    }

    // The stored index of x, y, z and w for each form. A form is the component that a rotation
    // omits.
    static const uint8_t orders[5][4] = {
        {3, 0, 1, 2}, {0, 3, 1, 2}, {0, 1, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}};
    for (uint32_t i = 0; i < 4; i++)
        out[i] = value.v[orders[header->form][i]];
}

// Samples one joint of a compressed clip: its rotation, or its translation as x y z 0. The track of
// the translation follows the track of the rotation. Therefore the header of the rotation is read
// in both cases.
md5_quat md5i_packed_sample_joint(const md5_packed *packed, uint32_t joint, uint8_t kind,
                                  const md5_sample_position *sample)
{
    md5_packed_cursor cursor = packed->cursors[joint];
    md5_packed_header header = md5i_packed_read_header(packed, MD5_PACKED_ROTATION, &cursor);
    if (kind == MD5_PACKED_TRANSLATION)
        header = md5i_packed_read_header(packed, kind, &cursor);
    float v[4];
    md5i_packed_sample_track(packed, &header, sample, v);
    return (md5_quat){v[0], v[1], v[2], v[3]};
}

// -- Groups -----------------------------------------------------------------------------------

// Returns the header of the track in one lane of a group. This is the inverse of set_lane().
static md5_packed_header lane_header(const md5_packed_group *group, uint32_t lane)
{
    md5_packed_header header = {
        .first_bit = group->first_bits[lane],
        .kind = group->kind,
        .form = (uint8_t)group->forms[lane],
        .step = group->steps[lane],
        .key_bits = group->key_bits[lane],
        .scale = group->scales[lane],
    };
    for (uint32_t c = 0; c < 4; c++) {
        header.component_bits[c] = group->component_bits[c][lane];
        header.offsets[c] = group->offsets[c][lane];
    }
    return header;
}

// Samples all tracks of the groups into a pose, one track after the other.
void md5i_packed_sample_scalar(const md5_packed *packed, const md5_packed_group *groups,
                               uint32_t num_groups, const md5_sample_position *sample,
                               md5_xform *pose)
{
    for (uint32_t i = 0; i < num_groups; i++) {
        const md5_packed_group *const group = &groups[i];
        for (uint32_t lane = 0; lane < group->count; lane++) {
            const md5_packed_header header = lane_header(group, lane);
            float value[4];
            md5i_packed_sample_track(packed, &header, sample, value);
            memcpy(md5_packed_target(pose, group->target_offsets[lane]), value, sizeof value);
        }
    }
}

// -- Grouping ---------------------------------------------------------------------------------

// A group that is not full yet.
typedef struct pending_headers {
    uint32_t count;
    uint32_t targets[MD5_LANES]; // the joint of the pose that each track drives
    md5_packed_header headers[MD5_LANES];
} pending_headers;

// Number of classes of tracks. A kernel samples a group of tracks together, each in one lane of a
// vector. Only tracks of the same class can share a group. The class depends on the kind (rotation
// or translation) and on is_scalar_only(). Sampling is fastest if all tracks of a group also have
// the same step.
enum { CLASSES = 4 };

// State of sorting tracks into groups. If `kernel` is not NULL, each full group is sampled into
// `pose`. Otherwise each full group is counted, and stored in `groups` unless that is NULL.
typedef struct md5_packed_grouping {
    md5_packed_kernel *kernel;
    const md5_packed *packed;
    const md5_sample_position *sample;
    md5_xform *pose;
    md5_packed_group *groups;
    uint32_t count; // number of groups
    pending_headers pending[CLASSES][MD5_PACKED_NUM_STEPS];
} md5_packed_grouping;

// Returns true if the SIMD kernels cannot decode the keys of a track, so that it is sampled in
// plain C.
static bool is_scalar_only(const md5_packed_header *header)
{
    return header->form == MD5_PACKED_FULL || header->key_bits > MD5_PACKED_WORD_BITS;
}

// Stores the header of a track in one lane of a group. Each array of a group contains one element
// for each lane, so that a kernel loads it as a vector. `joint` is the joint of the pose that the
// track drives.
static void set_lane(md5_packed_group *group, uint32_t lane, const md5_packed_header *header,
                     uint32_t joint)
{
    const size_t transform = joint * sizeof(md5_xform);
    const size_t member = header->kind == MD5_PACKED_ROTATION ? offsetof(md5_xform, rotation)
                                                              : offsetof(md5_xform, translation);

    group->first_bits[lane] = header->first_bit;
    group->target_offsets[lane] = (uint32_t)(transform + member);
    group->scales[lane] = header->scale;
    group->key_bits[lane] = header->key_bits;
    group->forms[lane] = (float)header->form;
    group->steps[lane] = header->step;
    for (uint32_t c = 0; c < 4; c++) {
        group->offsets[c][lane] = header->offsets[c];
        group->component_bits[c][lane] = header->component_bits[c];
    }
}

// Finishes a pending group and empties it. The group is sampled if there is a kernel. Otherwise it
// is counted, and stored if there is an array of groups. Unused lanes repeat the first track, so
// that kernels can decode all lanes.
static void emit_group(md5_packed_grouping *grouping, pending_headers *pending)
{
    const md5_packed_header *const first = &pending->headers[0];
    md5_packed_group group = {.kind = first->kind,
                              .count = (uint8_t)pending->count,
                              .is_scalar_only = is_scalar_only(first)};

    for (uint32_t lane = 0; lane < MD5_LANES; lane++) {
        const uint32_t source = lane < pending->count ? lane : 0;
        set_lane(&group, lane, &pending->headers[source], pending->targets[source]);
        if (pending->headers[source].step != first->step)
            group.is_mixed = true;
    }

    if (grouping->kernel)
        grouping->kernel(grouping->packed, &group, 1, grouping->sample, grouping->pose);
    else if (grouping->groups)
        grouping->groups[grouping->count] = group;
    grouping->count++;
    pending->count = 0;
}

// Adds the header of a track to a pending group, and emits the group if it is full.
static void add_header(md5_packed_grouping *grouping, pending_headers *pending,
                       const md5_packed_header *header, uint32_t target)
{
    pending->headers[pending->count] = *header;
    pending->targets[pending->count++] = target;
    if (pending->count == MD5_LANES)
        emit_group(grouping, pending);
}

// Samples a constant track into a pose.
static void write_constant(const md5_packed_grouping *grouping, const md5_packed_header *header,
                           uint32_t joint)
{
    float value[4];
    md5i_packed_sample_track(grouping->packed, header, grouping->sample, value);
    md5_xform *const transform = &grouping->pose[joint];
    if (header->kind == MD5_PACKED_ROTATION)
        memcpy(&transform->rotation, value, sizeof value);
    else
        *transform = (md5_xform){.rotation = transform->rotation,
                                 .translation = {value[0], value[1], value[2]}};
}

// Adds a track to the pending group of its class and step. `joint` is the joint that the track
// drives, or MD5_NONE. Constant tracks are not grouped. If there is a kernel, their value is
// written to the pose immediately.
static void group_track(md5_packed_grouping *grouping, const md5_packed_header *header,
                        uint32_t joint)
{
    const bool is_constant = header->step == 0;
    if (is_constant) {
        if (grouping->kernel)
            write_constant(grouping, header, joint);
        return;
    }

    if (joint == MD5_NONE)
        return;
    const uint32_t class_index = 2u * header->kind + (is_scalar_only(header) ? 1 : 0);
    add_header(grouping, &grouping->pending[class_index][header->step], header, joint);
}

// Emits the tracks that remain in groups that are not full. Tracks of one class but different steps
// are merged into common groups. Entry 0 of the class collects them. That entry is free, because
// step 0 is a constant track, which is never grouped.
static void emit_partial_groups(md5_packed_grouping *grouping)
{
    for (uint32_t c = 0; c < CLASSES; c++) {
        pending_headers *const pending = grouping->pending[c];
        pending_headers *const mixed = &pending[0];
        for (uint32_t step = 1; step < MD5_PACKED_NUM_STEPS; step++) {
            for (uint32_t i = 0; i < pending[step].count; i++)
                add_header(grouping, mixed, &pending[step].headers[i], pending[step].targets[i]);
        }
        if (mixed->count > 0)
            emit_group(grouping, mixed);
    }
}

// Groups all tracks of a clip, and returns the number of groups. targets[joints] contains the joint
// of the pose that each joint of the clip drives, or MD5_NONE. If `targets` is NULL, joint k of the
// clip drives joint k of the pose.
static uint32_t group_tracks(md5_packed_grouping *grouping, const uint32_t *targets)
{
    const md5_packed *const packed = grouping->packed;
    grouping->count = 0;
    for (uint32_t c = 0; c < CLASSES; c++) {
        for (uint32_t step = 0; step < MD5_PACKED_NUM_STEPS; step++)
            grouping->pending[c][step].count = 0;
    }

    // The headers of a joint are consecutive: first its rotation, then its translation.
    md5_packed_cursor cursor = md5_packed_begin(packed);
    for (uint32_t i = 0; i < packed->num_joints; i++) {
        const uint32_t joint = targets ? targets[i] : i;
        const md5_packed_header rotation =
            md5i_packed_read_header(packed, MD5_PACKED_ROTATION, &cursor);
        group_track(grouping, &rotation, joint);

        const md5_packed_header translation =
            md5i_packed_read_header(packed, MD5_PACKED_TRANSLATION, &cursor);
        group_track(grouping, &translation, joint);
    }

    emit_partial_groups(grouping);
    return grouping->count;
}

// Samples a compressed clip without a binding. A binding would store the groups of tracks. Here
// they are formed during the call.
void md5i_packed_sample_all(md5_packed_kernel *kernel, const md5_packed *packed,
                            const md5_sample_position *sample, md5_xform *pose)
{
    md5_packed_grouping grouping; // only partly initialized, because it is large
    grouping.kernel = kernel;
    grouping.packed = packed;
    grouping.sample = sample;
    grouping.pose = pose;
    group_tracks(&grouping, NULL);
}

// Groups the tracks of a compressed clip. A kernel samples the tracks of a group together.
// targets[joints] contains the joint of the pose that each joint of the clip drives, or MD5_NONE.
// If `targets` is NULL, joint k of the clip drives joint k of the pose. Returns the number of
// groups. Writes the groups unless `groups` is NULL.
uint32_t md5i_group_packed_tracks(const md5_packed *packed, const uint32_t *targets,
                                  md5_packed_group *groups)
{
    md5_packed_grouping grouping;
    grouping.kernel = NULL;
    grouping.packed = packed;
    grouping.groups = groups;
    return group_tracks(&grouping, targets);
}
