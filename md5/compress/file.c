// Checks compressed clips, creates their memory blocks, writes and reads their files, and
// decompresses them.
#include "md5/compress/file.h"
#include "md5/core/math.h"
#include "md5/pose/skeleton.h"

// A clip stores two tracks for each joint: first the rotation (kind 0, MD5_PACKED_ROTATION), then
// the translation (kind 1). Headers can only be read in this order, so loops over them are nested:
// joints, then kinds.
enum { TRACK_KINDS = 2 };

// == Blocks ======================================================================================

// -- Checking ---------------------------------------------------------------------------------

static bool fail_at_joint(md5_context *context, uint32_t joint, const char *problem)
{
    return MD5_FAIL(context, MD5_ERROR_RANGE, "invalid compressed clip: joint %u: %s", joint,
                    problem);
}

// Returns true if the decoder supports all values in the header of a track. These are the form, the
// step, and the size and offset of each component.
static bool is_valid_header(const md5_packed_header *header)
{
    const int32_t offset_limit = 1 << (MD5_PACKED_MAX_OFFSET_BITS - 1);
    const bool is_constant = header->step == 0;
    if (header->form > MD5_PACKED_FULL)
        return false;
    if (!is_constant && header->key_bits == 0)
        return false;
    for (uint32_t c = 0; c < 4; c++) {
        const int32_t offset = header->offsets[c];
        if (header->component_bits[c] > MD5_PACKED_MAX_COMPONENT_BITS)
            return false;
        if (offset >= offset_limit || offset < -offset_limit)
            return false;
    }
    return true;
}

// Checks the headers of all tracks. Sets *header_bits and *key_bits to the numbers of bits of all
// headers and of all keys. The keys follow the last header, so their position is not known yet. The
// positions of keys in the decoded headers are therefore wrong, and are not used.
static bool check_track_headers(md5_context *context, const md5_packed *packed,
                                uint32_t *header_bits, uint64_t *key_bits)
{
    const uint64_t num_bits = (uint64_t)packed->num_bytes * 8;
    md5_packed_cursor cursor = {0, 0};
    *key_bits = 0;
    for (uint32_t joint = 0; joint < packed->num_joints; joint++) {
        for (uint32_t kind = 0; kind < TRACK_KINDS; kind++) {
            const md5_packed_header header =
                md5i_packed_read_header(packed, (uint8_t)kind, &cursor);
            if (cursor.header > num_bits)
                return fail_at_joint(context, joint, "track header is truncated");
            if (!is_valid_header(&header))
                return fail_at_joint(context, joint, "track header has invalid values");
            const uint64_t num_keys = md5i_packed_num_keys(header.step, packed->num_frames);
            if (header.step != 0)
                *key_bits += header.key_bits * num_keys;
        }
    }
    *header_bits = cursor.header;
    return true;
}

// Checks the headers of all tracks, and that headers and keys together fill exactly
// packed->num_bytes. Sets packed->header_bits.
static bool check_headers(md5_context *context, md5_packed *packed)
{
    uint32_t header_bits = 0;
    uint64_t key_bits = 0;
    TRY(check_track_headers(context, packed, &header_bits, &key_bits));
    const uint64_t num_needed_bytes = (key_bits + header_bits + 7) / 8; // rounded up
    if (num_needed_bytes != packed->num_bytes)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "invalid compressed clip: expected %llu bytes of tracks, found %u",
                        (unsigned long long)num_needed_bytes, packed->num_bytes);
    packed->header_bits = header_bits;
    return true;
}

// Returns true if a key is safe to sample, so that all samples of its track are finite. The
// coordinates of a translation must be bounded, and a rotation must be a unit quaternion.
static bool is_valid_key(const md5_packed_value *value, uint8_t kind)
{
    const float *const v = value->v;
    const float max = 2e9f;
    if (kind == MD5_PACKED_TRANSLATION)
        return fabsf(v[0]) <= max && fabsf(v[1]) <= max && fabsf(v[2]) <= max;
    const float square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3];
    return square >= 0.999f && square <= 1.001f;
}

// Describes why is_valid_key() rejected a key of this kind.
static const char *key_problem(uint8_t kind)
{
    if (kind == MD5_PACKED_TRANSLATION)
        return "position of a key is out of range: expected -2e9 to 2e9 units";
    return "rotation of a key is not a unit quaternion";
}

// Checks that all keys of one track decode to values that are in range.
static bool check_track(md5_context *context, const md5_packed *packed, uint32_t joint,
                        const md5_packed_header *header)
{
    const uint32_t num_keys = md5i_packed_num_keys(header->step, packed->num_frames);
    for (uint32_t key = 0; key < num_keys; key++) {
        const md5_packed_value value = md5i_packed_decode_key(packed, header, key);
        if (!is_valid_key(&value, header->kind))
            return fail_at_joint(context, joint, key_problem(header->kind));
    }
    return true;
}

// Checks the keys of all tracks. The headers must have passed check_headers().
static bool check_keys(md5_context *context, const md5_packed *packed)
{
    md5_packed_cursor cursor = md5_packed_begin(packed);
    for (uint32_t joint = 0; joint < packed->num_joints; joint++) {
        for (uint32_t kind = 0; kind < TRACK_KINDS; kind++) {
            const md5_packed_header header =
                md5i_packed_read_header(packed, (uint8_t)kind, &cursor);
            TRY(check_track(context, packed, joint, &header));
        }
    }
    return true;
}

// Checks all properties of a compressed clip on which sampling relies. A clip from any bytes that
// pass can be sampled safely. Sets the context's error if a property is missing.
bool md5i_check_packed(md5_context *context, md5_packed *packed)
{
    if (packed->num_bytes > UINT32_MAX / 8 - 8)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "compressed clip is too large: expected at most 512 MiB, found %u bytes",
                        packed->num_bytes);
    TRY(check_headers(context, packed));
    return check_keys(context, packed);
}

// -- The block --------------------------------------------------------------------------------

// Copies a skeleton to a block: the joints with their names, and their order. In the pass that only
// measures the block, the arrays of the copy are NULL.
static md5_skeleton copy_skeleton(md5_block *block, const md5_skeleton *skeleton)
{
    md5_skeleton copy = *skeleton;
    md5_joint *const joints =
        MD5_BLOCK_COPY(block, md5_joint, skeleton->joints, skeleton->num_joints);
    copy.joints = joints;
    copy.order = MD5_BLOCK_COPY(block, uint32_t, skeleton->order, skeleton->num_joints);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const char *const name = skeleton->joints[i].name;
        const char *const name_copy = md5i_block_copy_text(block, name, strlen(name));
        if (joints)
            joints[i].name = name_copy;
    }
    return copy;
}

// Counts the animated tracks of each kind. Returns the position of joint 0 in the first frame.
static md5_vec3 count_animated(const md5_packed *packed, uint32_t counts[TRACK_KINDS])
{
    const md5_sample_position start = {.frame0 = 0};
    float position[4] = {0, 0, 0, 0};
    md5_packed_cursor cursor = md5_packed_begin(packed);
    for (uint32_t joint = 0; joint < packed->num_joints; joint++) {
        for (uint32_t kind = 0; kind < TRACK_KINDS; kind++) {
            const md5_packed_header header =
                md5i_packed_read_header(packed, (uint8_t)kind, &cursor);
            if (header.step != 0)
                counts[kind]++;
            if (joint == 0 && kind == MD5_PACKED_TRANSLATION)
                md5i_packed_sample_track(packed, &header, &start, position);
        }
    }
    return (md5_vec3){position[0], position[1], position[2]};
}

// Stores the joints whose track of a kind is not constant in animated[kind]. Stores in
// cursors[joints] where the tracks of each joint begin in the stream.
static void list_tracks(const md5_packed *packed, uint32_t *const animated[TRACK_KINDS],
                        md5_packed_cursor *cursors)
{
    uint32_t counts[TRACK_KINDS] = {0, 0};
    md5_packed_cursor cursor = md5_packed_begin(packed);
    for (uint32_t joint = 0; joint < packed->num_joints; joint++) {
        cursors[joint] = cursor;
        for (uint32_t kind = 0; kind < TRACK_KINDS; kind++) {
            const md5_packed_header header =
                md5i_packed_read_header(packed, (uint8_t)kind, &cursor);
            if (header.step != 0)
                animated[kind][counts[kind]++] = joint;
        }
    }
}

// Addresses of the parts of a compressed animation within its memory block.
typedef struct packed_layout {
    md5_anim *anim;
    md5_packed *packed;
    md5_skeleton skeleton;
    uint32_t num_animated[TRACK_KINDS];
    uint32_t *animated[TRACK_KINDS]; // joints whose track is not constant, by kind
    md5_packed_cursor *cursors;
    md5_xform *constant;
    bool has_base_frame;
    md5_xform *base_frame; // the same array as `constant`, unless has_base_frame
    uint8_t *bytes;
    const char *command_line;
} packed_layout;

// Allocates the parts of a compressed clip in the block, and copies the skeleton. Called twice: the
// first pass only measures the block, so that all parts are NULL.
static void allocate_packed(md5_block *block, const md5_skeleton *skeleton,
                            const md5_packed *packed, packed_layout *parts)
{
    const size_t num_joints = skeleton->num_joints;
    parts->anim = MD5_BLOCK_ARRAY(block, md5_anim, 1);
    parts->packed = MD5_BLOCK_COPY(block, md5_packed, packed, 1);
    parts->skeleton = copy_skeleton(block, skeleton);
    parts->command_line = md5i_block_copy_text(block, "", 0);
    parts->cursors = MD5_BLOCK_ARRAY(block, md5_packed_cursor, num_joints);
    parts->constant = MD5_BLOCK_ARRAY(block, md5_xform, num_joints);
    parts->base_frame = parts->constant;
    if (parts->has_base_frame)
        parts->base_frame = MD5_BLOCK_ARRAY(block, md5_xform, num_joints);
    for (uint32_t kind = 0; kind < TRACK_KINDS; kind++)
        parts->animated[kind] = MD5_BLOCK_ARRAY(block, uint32_t, parts->num_animated[kind]);
    parts->bytes = MD5_BLOCK_ARRAY(block, uint8_t, packed->num_bytes + MD5_PACKED_PADDING);
}

// Fills the parts of a compressed clip: copies the bits of the tracks, and lists the animated
// tracks. `constant` becomes the pose of the first frame. `base` is the position of joint 0 in the
// base frame.
static void fill_packed(const md5_packed *packed, md5_vec3 base, const packed_layout *parts)
{
    const size_t num_joints = packed->num_joints;
    memcpy(parts->bytes, packed->bytes, packed->num_bytes);
    memset(parts->bytes + packed->num_bytes, 0, MD5_PACKED_PADDING);
    parts->packed->bytes = parts->bytes;
    parts->packed->cursors = parts->cursors;

    const md5_sample_position start = {.frame0 = 0};
    memset(parts->constant, 0, num_joints * sizeof *parts->constant);
    md5i_packed_sample_all(md5i_packed_sample_scalar, parts->packed, &start, parts->constant);
    list_tracks(parts->packed, parts->animated, parts->cursors);

    if (parts->has_base_frame) {
        memcpy(parts->base_frame, parts->constant, num_joints * sizeof *parts->base_frame);
        parts->base_frame[0].translation = base;
    }
}

// Creates a compressed clip in one block: copies the tracks of `packed`, and the properties of
// `source`. `base` is the position of joint 0 in the base frame. The base frame needs an array of
// its own only if `base` differs from the position in the first frame.
md5_anim *md5i_packed_create(md5_context *context, const md5_anim *source, md5_vec3 base,
                             const md5_packed *packed)
{
    packed_layout parts = {.anim = NULL};
    const md5_vec3 first = count_animated(packed, parts.num_animated);
    parts.has_base_frame = memcmp(&first, &base, sizeof base) != 0;

    md5_block block = {0};
    for (uint32_t pass = 0; pass < 2; pass++) {
        allocate_packed(&block, &source->skeleton, packed, &parts);
        if (pass == 0 && !md5i_block_end_measuring(context, &block))
            return NULL;
    }
    fill_packed(packed, base, &parts);

    const uint32_t *const num_animated = parts.num_animated;
    *parts.anim = (md5_anim){
        .skeleton = parts.skeleton,
        .base_frame = parts.base_frame,
        .num_frames = source->num_frames,
        .frame_rate = source->frame_rate,
        .duration = (source->num_frames - 1) / source->frame_rate,
        .constant = parts.constant,
        .num_rotations = num_animated[MD5_PACKED_ROTATION],
        .num_translations = num_animated[MD5_PACKED_TRANSLATION],
        .rotation_joints = parts.animated[MD5_PACKED_ROTATION],
        .translation_joints = parts.animated[MD5_PACKED_TRANSLATION],
        .packed_size = packed->num_bytes + sizeof *packed,
        .tolerance = source->tolerance,
        .max_error = source->max_error,
        .num_components = 3 * (num_animated[0] + num_animated[1]),
        .command_line = parts.command_line,
        .size = block.used,
        .internal = {.allocator = context->allocator, .packed = parts.packed, .tag = MD5_TAG_ANIM},
    };
    return parts.anim;
}

// == Bytes =======================================================================================
//
// The format of a file. Numbers are little-endian and have 32 bits unless noted.
//
//   header     MD5_PACKED_FILE, version, size of the file, checksum of the bytes after the header
//              (64 bits)
//   fields     number of joints, frames, packed bytes, and bytes of names; axes; frame rate
//              (double); scale, tolerance, error, position of joint 0 in the base frame (floats); 0
//   joints     parent of joint k, and joint at index k of the order
//   names      each with a NUL
//   tracks     packed bytes: see packed.h

enum { COMPRESSED_VERSION = 2, HEADER_SIZE = 20, FIXED_SIZE = 56, FILE_BYTES_PER_JOINT = 8 };
// Offsets in the header.
enum { VERSION_OFFSET = 4, SIZE_OFFSET = 8, CHECKSUM_OFFSET = 12 };

// The fields of a file, as they are before writing or after reading.
typedef struct clip_bytes {
    md5_anim anim;
    md5_packed packed;
    md5_vec3 base;       // position of joint 0 in the base frame
    uint32_t name_bytes; // size of all names
    uint32_t axes;       // an md5_axes; not checked when it is read
    uint32_t reserved;   // must be 0
} clip_bytes;

// Writes or reads the fields of fixed size that follow the header of a file. One function does
// both, so that writer and reader agree: the order of its calls is the format.
static void transfer_fixed(md5_state_archive *state, clip_bytes *clip)
{
    md5_archive_32(state, &clip->packed.num_joints);
    md5_archive_32(state, &clip->packed.num_frames);
    md5_archive_32(state, &clip->packed.num_bytes);
    md5_archive_32(state, &clip->name_bytes);
    md5_archive_32(state, &clip->axes);
    md5_archive_64(state, &clip->anim.frame_rate);
    md5_archive_32(state, &clip->anim.skeleton.scale);
    md5_archive_32(state, &clip->anim.tolerance);
    md5_archive_32(state, &clip->anim.max_error);
    md5_archive_32(state, &clip->base.x);
    md5_archive_32(state, &clip->base.y);
    md5_archive_32(state, &clip->base.z);
    md5_archive_32(state, &clip->reserved);
}

// Returns the size of a clip's file in bytes.
static uint64_t file_size(const clip_bytes *clip)
{
    return HEADER_SIZE + FIXED_SIZE + (uint64_t)FILE_BYTES_PER_JOINT * clip->packed.num_joints
           + clip->name_bytes + clip->packed.num_bytes;
}

// -- Writing ----------------------------------------------------------------------------------

// Writes the hierarchy, the order and the names of all joints.
static void write_skeleton(md5_state_archive *state, const md5_skeleton *skeleton)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        uint32_t parent = skeleton->joints[i].parent;
        uint32_t joint = skeleton->order[i];
        md5_archive_32(state, &parent);
        md5_archive_32(state, &joint);
    }
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const size_t name_size = strlen(skeleton->joints[i].name) + 1;
        memcpy(state->to, skeleton->joints[i].name, name_size);
        state->to += name_size;
    }
}

// Collects the fields that are written to the file of a compressed clip.
static clip_bytes collect_fields(const md5_anim *anim)
{
    const md5_skeleton *const skeleton = &anim->skeleton;
    clip_bytes clip = {
        .anim = *anim,
        .packed = *anim->internal.packed,
        .base = anim->base_frame[0].translation,
        .axes = (uint32_t)skeleton->axes,
    };
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        clip.name_bytes += (uint32_t)strlen(skeleton->joints[i].name) + 1;
    return clip;
}

// Writes the header of a file of `total` bytes. Its checksum covers all bytes after the header, so
// these bytes must be written already.
static void write_file_header(uint8_t *start, size_t total)
{
    const uint64_t checksum = md5_fnv(MD5_FNV, start + HEADER_SIZE, total - HEADER_SIZE);
    memcpy(start, MD5_PACKED_FILE, sizeof MD5_PACKED_FILE); // the version overwrites its NUL
    md5_write_le(start + VERSION_OFFSET, COMPRESSED_VERSION, 4);
    md5_write_le(start + SIZE_OFFSET, total, 4);
    md5_write_le(start + CHECKSUM_OFFSET, checksum, 8);
}

// Writes a compressed clip as the bytes of a file. Returns the size of the file, or 0 if the clip
// is not compressed. Writes nothing if `bytes` is NULL or `size` is too small, so that a first call
// can get the size.
size_t md5_write_anim(const md5_anim *anim, void *bytes, size_t size)
{
    MD5_ASSERT_ALIVE(anim, MD5_TAG_ANIM);
    MD5_ASSERT(bytes || size == 0, "bytes: must not be NULL unless size is 0");
    if (!anim->packed_size)
        return 0;
    clip_bytes clip = collect_fields(anim);
    const size_t total = (size_t)file_size(&clip);
    if (!bytes || size < total)
        return total;

    uint8_t *const start = (uint8_t *)bytes;
    md5_state_archive state = {.to = start + HEADER_SIZE};
    transfer_fixed(&state, &clip);
    write_skeleton(&state, &anim->skeleton);
    memcpy(state.to, clip.packed.bytes, clip.packed.num_bytes);
    write_file_header(start, total);
    return total;
}

// -- Reading ----------------------------------------------------------------------------------

static bool fail(md5_context *context, md5_status status, const char *problem)
{
    return MD5_FAIL(context, status, "invalid compressed clip: %s", problem);
}

// Reports that a file is too short to contain its header and fixed fields. Returns false.
static bool fail_size(md5_context *context, size_t min_size, size_t size)
{
    return MD5_FAIL(context, MD5_ERROR_SYNTAX,
                    "invalid compressed clip: header is truncated: expected %zu bytes, found %zu",
                    min_size, size);
}

// Returns true if the counts in the fixed fields are in range and match the size of the file.
static bool are_counts_valid(const clip_bytes *clip, size_t size)
{
    const uint32_t num_joints = clip->packed.num_joints;
    if (num_joints == 0 || num_joints > MD5_PACKED_MAX_JOINTS)
        return false;
    if (clip->packed.num_frames == 0 || clip->reserved != 0)
        return false;
    return file_size(clip) == size;
}

// Returns true if a number is from `min` to `max`, and false for NaN.
static bool is_within(double value, double min, double max)
{
    return value >= min && value <= max;
}

// Returns the name of the first value in the fixed fields that is out of range, or NULL if all
// values are in range. are_counts_valid() checks the counts.
static const char *find_invalid_value(const clip_bytes *clip)
{
    const md5_anim *const anim = &clip->anim;
    const float scale = anim->skeleton.scale;
    const float max_value = 1e15f;
    const bool is_base_in_range = fabsf(clip->base.x) <= max_value
                                  && fabsf(clip->base.y) <= max_value
                                  && fabsf(clip->base.z) <= max_value;

    if (clip->axes > MD5_AXES_BLENDER)
        return "number of the axes";
    if (scale != 0 && !is_within(scale, 1e-6f, 1e6f))
        return "scale";
    if (!(anim->frame_rate > 0) || !is_within(anim->frame_rate, 0, 1e9))
        return "frame rate";
    if (!is_within(anim->tolerance, 0, max_value))
        return "tolerance";
    if (!is_within(anim->max_error, 0, max_value))
        return "largest error";
    if (!is_base_in_range)
        return "position of joint 0 in the base frame";
    return NULL;
}

// Checks the values of the fixed fields. `size` is the size of the file.
static bool check_fixed(md5_context *context, const clip_bytes *clip, size_t size)
{
    if (!are_counts_valid(clip, size))
        return fail(context, MD5_ERROR_RANGE,
                    "joint, frame and byte counts do not match the file size");
    const char *const invalid = find_invalid_value(clip);
    if (invalid)
        return MD5_FAIL(context, MD5_ERROR_RANGE, "invalid compressed clip: %s is out of range",
                        invalid);
    return true;
}

// Checks the version, the declared size and the checksum of a file. The version comes first,
// because a file of another version may have another header, and other messages would mislead.
static bool check_file_header(md5_context *context, const uint8_t *start, size_t size)
{
    if (size < 8)
        return fail_size(context, 8, size);
    const uint32_t version = (uint32_t)md5_read_le(start + VERSION_OFFSET, 4);
    if (version != COMPRESSED_VERSION)
        return MD5_FAIL(context, MD5_ERROR_VERSION,
                        "unsupported version of a compressed clip: expected %d, found %u",
                        COMPRESSED_VERSION, version);

    if (size < HEADER_SIZE + FIXED_SIZE)
        return fail_size(context, HEADER_SIZE + FIXED_SIZE, size);
    const uint64_t declared_size = md5_read_le(start + SIZE_OFFSET, 4);
    if (declared_size != size)
        return MD5_FAIL(context, MD5_ERROR_SYNTAX,
                        "invalid compressed clip: expected a file of %llu bytes, found %zu",
                        (unsigned long long)declared_size, size);

    const uint64_t checksum = md5_fnv(MD5_FNV, start + HEADER_SIZE, size - HEADER_SIZE);
    if (checksum != md5_read_le(start + CHECKSUM_OFFSET, 8))
        return fail(context, MD5_ERROR_SYNTAX,
                    "checksum does not match: the file is damaged; compress the animation again");
    return true;
}

// Sets the names of all joints to the texts in names[size]. Each text ends with a NUL, and together
// the texts must fill the array exactly.
static bool read_names(md5_context *context, const char *names, size_t size, md5_joint *joints,
                       uint32_t num_joints)
{
    const char *const end = names + size;
    const char *name = names;
    for (uint32_t i = 0; i < num_joints; i++) {
        const char *nul = NULL;
        if (name < end)
            nul = (const char *)memchr(name, '\0', (size_t)(end - name));
        if (!nul)
            return fail_at_joint(context, i, "name does not end with a NUL byte");
        joints[i].name = name;
        name = nul + 1;
    }
    if (name != end)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "invalid compressed clip: expected %zu bytes of %u joint names, found %zu",
                        (size_t)(name - names), num_joints, size);
    return true;
}

// Reads the hierarchy, the order and the names of all joints into clip->anim.skeleton. The names
// remain in the bytes of the file.
static bool read_skeleton(md5_arena *arena, md5_state_archive *state, clip_bytes *clip)
{
    const uint32_t num_joints = clip->packed.num_joints;
    md5_joint *const joints = MD5_ALLOC_ZEROED(arena, md5_joint, num_joints);
    uint32_t *const order = MD5_ALLOC_ZEROED(arena, uint32_t, num_joints);
    uint8_t *const visited = MD5_ALLOC_ZEROED(arena, uint8_t, num_joints);
    TRY(joints && order && visited);
    for (uint32_t i = 0; i < num_joints; i++) {
        md5_archive_32(state, &joints[i].parent);
        md5_archive_32(state, &order[i]);
    }

    md5_skeleton *const skeleton = &clip->anim.skeleton; // transfer_fixed() has set its scale
    skeleton->num_joints = num_joints;
    skeleton->joints = joints;
    skeleton->order = order;
    skeleton->axes = (md5_axes)clip->axes;
    if (!md5i_is_ordered(skeleton, visited))
        return fail(arena->context, MD5_ERROR_RANGE,
                    "joint order is invalid: expected each joint once, parents first");

    const char *const names = (const char *)state->from;
    state->from += clip->name_bytes;
    return read_names(arena->context, names, clip->name_bytes, joints, num_joints);
}

// Copies the tracks of a file and checks them. The copy is necessary, because sampling reads up to
// MD5_PACKED_PADDING bytes after the tracks. Returns false and sets the context's error if the
// tracks are invalid or memory runs out.
static bool read_packed_tracks(md5_arena *arena, const uint8_t *bytes, md5_packed *packed)
{
    uint8_t *const tracks =
        MD5_ALLOC_ZEROED(arena, uint8_t, packed->num_bytes + MD5_PACKED_PADDING);
    TRY(tracks);
    memcpy(tracks, bytes, packed->num_bytes);
    packed->bytes = tracks;
    return md5i_check_packed(arena->context, packed);
}

// Creates a compressed clip from the bytes of a file. Later functions rely on its checks and do not
// check again, so it must reject every invalid file.
bool md5i_read_packed_file(md5_arena *arena, const char *bytes, size_t size, void **asset)
{
    md5_context *const context = arena->context;
    const uint8_t *const start = (const uint8_t *)bytes;
    TRY(check_file_header(context, start, size));

    clip_bytes clip = {.reserved = 0};
    md5_state_archive state = {.from = start + HEADER_SIZE};
    transfer_fixed(&state, &clip);
    TRY(check_fixed(context, &clip, size));
    clip.anim.num_frames = clip.packed.num_frames;
    TRY(read_skeleton(arena, &state, &clip));
    TRY(read_packed_tracks(arena, state.from, &clip.packed));
    *asset = md5i_packed_create(context, &clip.anim, clip.base, &clip.packed);
    return *asset != NULL;
}

// == Decompression ===============================================================================

// Flags of md5_track: all components of the translation, or of the rotation, are animated.
enum { TRANSLATION_FLAGS = 7, ROTATION_FLAGS = 56 };

// Decodes one track at all frames. The values of each frame form an array of slots, and the track
// writes slot `slot` of `rotations` or of `translations`. `anim` has the number of slots per frame.
static void decode_track(const md5_anim *anim, const md5_packed_header *header, uint32_t slot,
                         md5_quat *rotations, md5_vec3 *translations)
{
    for (uint32_t frame = 0; frame < anim->num_frames; frame++) {
        const md5_sample_position still = {.frame0 = frame, .frame1 = frame};
        float v[4];
        md5i_packed_sample_track(anim->internal.packed, header, &still, v);
        if (header->kind == MD5_PACKED_ROTATION)
            rotations[(size_t)frame * anim->num_rotations + slot] =
                (md5_quat){v[0], v[1], v[2], v[3]};
        else
            translations[(size_t)frame * anim->num_translations + slot] =
                (md5_vec3){v[0], v[1], v[2]};
    }
}

// Decodes all animated tracks of a compressed clip into arrays of frames, and fills tracks[joints]
// of an uncompressed animation. Returns the number of components per frame.
static uint32_t decode_tracks(const md5_anim *anim, md5_track *tracks, md5_quat *rotations,
                              md5_vec3 *translations)
{
    static const uint32_t flags[TRACK_KINDS] = {
        [MD5_PACKED_ROTATION] = ROTATION_FLAGS,
        [MD5_PACKED_TRANSLATION] = TRANSLATION_FLAGS,
    };
    const md5_packed *const packed = anim->internal.packed;
    md5_packed_cursor cursor = md5_packed_begin(packed);
    uint32_t next_slots[TRACK_KINDS] = {0, 0};
    uint32_t num_components = 0;
    for (uint32_t joint = 0; joint < packed->num_joints; joint++) {
        md5_track *const track = &tracks[joint];
        *track = (md5_track){.first = num_components};
        for (uint32_t kind = 0; kind < TRACK_KINDS; kind++) {
            const md5_packed_header header =
                md5i_packed_read_header(packed, (uint8_t)kind, &cursor);
            const bool is_constant = header.step == 0;
            if (is_constant)
                continue;
            track->flags |= flags[kind];
            num_components += 3; // x y z
            decode_track(anim, &header, next_slots[kind], rotations, translations);
            next_slots[kind]++;
        }
    }
    return num_components;
}

// The arrays of a decompressed animation that are filled after their allocation.
typedef struct decoded_arrays {
    md5_track *tracks;
    md5_quat *rotations;    // [num_frames * num_rotations]
    md5_vec3 *translations; // [num_frames * num_translations]
} decoded_arrays;

// Allocates a decompressed animation in a block, or only measures the block. Copies the skeleton,
// the constant pose, the base frame and the joint lists of the compressed animation `anim` to
// `result`. Returns the memory for the animation, or NULL while measuring.
static md5_anim *lay_out_decompressed(md5_block *block, const md5_anim *anim, md5_anim *result,
                                      decoded_arrays *arrays)
{
    const size_t num_joints = anim->internal.packed->num_joints;
    const size_t num_frames = anim->internal.packed->num_frames;

    md5_anim *const decompressed = MD5_BLOCK_ARRAY(block, md5_anim, 1);
    result->skeleton = copy_skeleton(block, &anim->skeleton);
    result->command_line = md5i_block_copy_text(block, "", 0);
    arrays->tracks = MD5_BLOCK_ARRAY(block, md5_track, num_joints);
    result->base_frame = MD5_BLOCK_COPY(block, md5_xform, anim->base_frame, num_joints);
    result->constant = MD5_BLOCK_COPY(block, md5_xform, anim->constant, num_joints);
    result->rotation_joints =
        MD5_BLOCK_COPY(block, uint32_t, anim->rotation_joints, anim->num_rotations);
    result->translation_joints =
        MD5_BLOCK_COPY(block, uint32_t, anim->translation_joints, anim->num_translations);

    arrays->rotations =
        (md5_quat *)md5i_block_alloc(block, num_frames, anim->num_rotations * sizeof(md5_quat));
    arrays->translations =
        (md5_vec3 *)md5i_block_alloc(block, num_frames, anim->num_translations * sizeof(md5_vec3));
    return decompressed;
}

// Creates an uncompressed copy of a compressed animation in one block. Returns NULL if memory runs
// out.
static md5_anim *create_decompressed(md5_context *context, const md5_anim *anim)
{
    // The first call measures the block, and the second call returns addresses in it.
    md5_anim result = *anim;
    decoded_arrays arrays;
    md5_block block = {0};
    (void)lay_out_decompressed(&block, anim, &result, &arrays);
    if (!md5i_block_end_measuring(context, &block))
        return NULL;
    md5_anim *const decompressed = lay_out_decompressed(&block, anim, &result, &arrays);

    result.num_components =
        decode_tracks(anim, arrays.tracks, arrays.rotations, arrays.translations);
    result.tracks = arrays.tracks;
    result.rotations = arrays.rotations;
    result.translations = arrays.translations;
    result.frame_bounds = NULL;
    result.num_warnings = 0;

    // Mark the result as not compressed.
    result.internal.packed = NULL;
    result.packed_size = 0;
    result.tolerance = 0;
    result.max_error = 0;

    result.size = block.used;
    result.internal.allocator = context->allocator;
    result.internal.tag = MD5_TAG_ANIM;
    *decompressed = result;
    return decompressed;
}

// Returns an uncompressed copy of a compressed animation. Fails if the animation is not compressed.
md5_anim *md5_decompress_anim(const md5_anim *anim, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(anim, MD5_TAG_ANIM);
    if (!anim) {
        md5i_fail_missing(error, "anim");
        return NULL;
    }
    MD5_ASSERT_OPTS(opts);

    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    if (!anim->internal.packed) {
        MD5_FAIL(&context, MD5_ERROR_MISMATCH,
                 "animation is not compressed: expected a compressed animation");
        return NULL;
    }
    return create_decompressed(&context, anim);
}
