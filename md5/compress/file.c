// Compressed clips as blocks and as bytes, and the plain animation of one.
#include "md5/compress/file.h"
#include "md5/core/math.h"
#include "md5/pose/skeleton.h"

// == Blocks ======================================================================================
//
// The block of a compressed clip: measured, checked, copied, freed.

// -- Checking ---------------------------------------------------------------------------------

static bool fail_of_joint(md5_context *context, uint32_t joint, const char *what)
{
    return MD5_FAIL(context, MD5_ERROR_RANGE, "invalid compressed clip: joint %u: %s", joint, what);
}

// Heads are decoded without knowing where keys begin, for their number of bits.
bool md5i_check_packed(md5_context *context, md5_packed *packed)
{
    if (packed->num_bytes > UINT32_MAX / 8 - 8)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "compressed clip is too large: expected at most 512 MiB, found %u bytes",
                        packed->num_bytes);
    const uint64_t num_bits = (uint64_t)packed->num_bytes * 8;
    md5_packed_cursor cursor = {0, 0};
    uint64_t bits = 0;
    for (uint32_t i = 0; i < 2 * packed->num_joints; i++) {
        const md5_packed_header header = md5i_packed_read_header(packed, (uint8_t)(i % 2), &cursor);
        if (cursor.header > num_bits)
            return fail_of_joint(context, i / 2, "track header is truncated");
        bool is_sound = header.form <= MD5_PACKED_FULL && (header.step == 0 || header.key_bits > 0);
        for (uint32_t c = 0; c < 4; c++)
            is_sound = is_sound && header.component_bits[c] <= MD5_PACKED_MAX_COMPONENT_BITS
                       && header.offsets[c] < 1 << (MD5_PACKED_MAX_OFFSET_BITS - 1)
                       && header.offsets[c] >= -(1 << (MD5_PACKED_MAX_OFFSET_BITS - 1));
        if (!is_sound)
            return fail_of_joint(context, i / 2, "track header has invalid values");
        if (header.step != 0)
            bits +=
                (uint64_t)header.key_bits * md5i_packed_num_keys(header.step, packed->num_frames);
    }
    if ((bits + cursor.header + 7) / 8 != packed->num_bytes)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "invalid compressed clip: expected %llu bytes of tracks, found %u",
                        (unsigned long long)((bits + cursor.header + 7) / 8), packed->num_bytes);
    packed->header_bits = cursor.header;
    cursor = md5_packed_begin(packed);
    for (uint32_t i = 0; i < 2 * packed->num_joints; i++) {
        const md5_packed_header header = md5i_packed_read_header(packed, (uint8_t)(i % 2), &cursor);
        const uint32_t num_keys = md5i_packed_num_keys(header.step, packed->num_frames);
        for (uint32_t key = 0; key < num_keys; key++) {
            // The numbers of a key, before the root or the length is taken: bounded, so that all
            // that follows is finite.
            const md5_packed_value value = md5i_packed_decode_key(packed, &header, key);
            const float *const v = value.v;
            const float max = 2e9f;
            const float square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3];
            const bool is_value =
                header.kind == MD5_PACKED_TRANSLATION
                    ? fabsf(v[0]) <= max && fabsf(v[1]) <= max && fabsf(v[2]) <= max
                    : square >= 0.999f && square <= 1.001f;
            if (!is_value)
                return fail_of_joint(
                    context, i / 2,
                    "key is neither a unit rotation nor a position within 2e9 units");
        }
    }
    return true;
}

// -- The block --------------------------------------------------------------------------------

// Copies the joints with their names and their order.
static md5_skeleton put_skeleton(md5_block *block, const md5_skeleton *skeleton)
{
    md5_skeleton copy = *skeleton;
    md5_joint *const joints = MD5_PUT(block, md5_joint, skeleton->joints, skeleton->num_joints);
    copy.joints = joints;
    copy.order = MD5_PUT(block, uint32_t, skeleton->order, skeleton->num_joints);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const char *const name = skeleton->joints[i].name;
        const char *const own = md5i_block_text(block, name, strlen(name));
        if (joints)
            joints[i].name = own;
    }
    return copy;
}

md5_anim *md5i_packed_create(md5_context *context, const md5_anim *source, md5_vec3 base,
                             const md5_packed *packed)
{
    const md5_skeleton *const skeleton = &source->skeleton;
    uint32_t num_moving[2] = {0, 0};
    md5_packed_cursor cursor = md5_packed_begin(packed);
    const md5_sample_position start = {.frame0 = 0};
    float first[4] = {0, 0, 0, 0};
    for (uint32_t i = 0; i < 2 * packed->num_joints; i++) {
        const md5_packed_header header = md5i_packed_read_header(packed, (uint8_t)(i % 2), &cursor);
        num_moving[i % 2] += header.step != 0;
        if (i == 1)
            md5i_packed_sample_track(packed, &header, &start, first);
    }
    const bool has_base = memcmp(first, &base, sizeof base) != 0;
    const size_t num_joints = skeleton->num_joints;
    md5_block block = {0};
    md5_anim *anim = NULL;
    md5_packed *own = NULL;
    md5_skeleton own_skeleton = {0};
    uint32_t *moving[2] = {NULL, NULL}; // joints, by kind
    md5_packed_cursor *cursors = NULL;
    md5_xform *constant = NULL, *base_frame = NULL; // the same, unless joint 0 differs
    uint8_t *bytes = NULL;
    const char *command_line = NULL;
    for (uint32_t pass = 0; pass < 2; pass++) {
        anim = MD5_TAKE(&block, md5_anim, 1);
        own = MD5_PUT(&block, md5_packed, packed, 1);
        own_skeleton = put_skeleton(&block, skeleton);
        command_line = md5i_block_text(&block, "", 0);
        cursors = MD5_TAKE(&block, md5_packed_cursor, num_joints);
        constant = MD5_TAKE(&block, md5_xform, num_joints);
        base_frame = has_base ? MD5_TAKE(&block, md5_xform, num_joints) : constant;
        for (uint32_t kind = 0; kind < 2; kind++)
            moving[kind] = MD5_TAKE(&block, uint32_t, num_moving[kind]);
        bytes = MD5_TAKE(&block, uint8_t, packed->num_bytes + MD5_PACKED_PADDING);
        if (pass == 0 && !md5i_block_allocate(context, &block))
            return NULL;
    }
    memcpy(bytes, packed->bytes, packed->num_bytes);
    memset(bytes + packed->num_bytes, 0, MD5_PACKED_PADDING);
    own->bytes = bytes;
    own->cursors = cursors;

    // The first frame of each track; the joints that move and the cursors of the heads.
    uint32_t slots[2] = {0, 0};
    cursor = md5_packed_begin(own);
    memset(constant, 0, num_joints * sizeof *constant);
    md5i_packed_sample_all(md5i_packed_sample_scalar, own, &start, constant);
    for (uint32_t i = 0; i < 2 * own->num_joints; i++) {
        const uint8_t kind = (uint8_t)(i % 2);
        if (kind == MD5_PACKED_ROTATION)
            cursors[i / 2] = cursor;
        if (md5i_packed_read_header(own, kind, &cursor).step != 0)
            moving[kind][slots[kind]++] = i / 2;
    }
    if (has_base) {
        memcpy(base_frame, constant, num_joints * sizeof *base_frame);
        base_frame[0].translation = base;
    }
    *anim = (md5_anim){
        .skeleton = own_skeleton,
        .base_frame = base_frame,
        .num_frames = source->num_frames,
        .frame_rate = source->frame_rate,
        .duration = (source->num_frames - 1) / source->frame_rate,
        .constant = constant,
        .num_rotations = num_moving[MD5_PACKED_ROTATION],
        .num_translations = num_moving[MD5_PACKED_TRANSLATION],
        .rotation_joints = moving[MD5_PACKED_ROTATION],
        .translation_joints = moving[MD5_PACKED_TRANSLATION],
        .packed_size = packed->num_bytes + sizeof *packed,
        .tolerance = source->tolerance,
        .max_error = source->max_error,
        .num_components = 3 * (num_moving[0] + num_moving[1]),
        .command_line = command_line,
        .size = block.used,
        .internal = {.allocator = context->allocator, .packed = own, .tag = MD5_TAG_ANIM},
    };
    return anim;
}

// == Bytes =======================================================================================
//
// All numbers are little-endian:
//
//   magic, version, bytes of all, checksum of what follows (64 bits);
//   joints, frames, packed bytes, bytes of names; axes; rate (double), scale, tolerance, error,
//   joint 0 of the base frame (floats); 0;
//   parent and place in the order of each joint; names, each with a NUL;
//   the packed bytes: see packed.h.

enum { VERSION = 2, HEAD = 20, FIXED = 56, OF_JOINT = 8 };

// What they hold beside joints and tracks.
typedef struct clip_bytes {
    md5_anim clip;
    md5_packed packed;
    md5_vec3 base;                  // joint 0's position in the base frame
    uint32_t num_names, axes, rest; // bytes of names; checked; 0
} clip_bytes;

// Writes the numbers between head and joints, or reads them.
static void keep_fixed(md5_kept_state *state, clip_bytes *of)
{
    md5_keep_32(state, &of->packed.num_joints);
    md5_keep_32(state, &of->packed.num_frames);
    md5_keep_32(state, &of->packed.num_bytes);
    md5_keep_32(state, &of->num_names);
    md5_keep_32(state, &of->axes);
    md5_keep_64(state, &of->clip.frame_rate);
    md5_keep_32(state, &of->clip.skeleton.scale);
    md5_keep_32(state, &of->clip.tolerance);
    md5_keep_32(state, &of->clip.max_error);
    md5_keep_32(state, &of->base.x);
    md5_keep_32(state, &of->base.y);
    md5_keep_32(state, &of->base.z);
    md5_keep_32(state, &of->rest);
}

static uint64_t size_of(const clip_bytes *of)
{
    return HEAD + FIXED + (uint64_t)OF_JOINT * of->packed.num_joints + of->num_names
           + of->packed.num_bytes;
}

// -- Writing ----------------------------------------------------------------------------------

size_t md5_write_anim(const md5_anim *anim, void *bytes, size_t size)
{
    MD5_ASSERT_ALIVE(anim, MD5_TAG_ANIM);
    MD5_ASSERT(bytes || size == 0, "bytes: must not be NULL unless size is 0");
    if (!anim->packed_size)
        return 0;
    const md5_skeleton *const skeleton = &anim->skeleton;
    clip_bytes of = {
        .clip = *anim, .packed = *anim->internal.packed, .axes = (uint32_t)skeleton->axes};
    of.base = anim->base_frame[0].translation;
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        of.num_names += (uint32_t)strlen(skeleton->joints[i].name) + 1;
    const size_t total = (size_t)size_of(&of);
    if (!bytes || size < total)
        return total;
    uint8_t *const start = (uint8_t *)bytes;
    md5_kept_state state = {.to = start + HEAD};
    keep_fixed(&state, &of);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        uint32_t parent = skeleton->joints[i].parent;
        uint32_t place = skeleton->order[i];
        md5_keep_32(&state, &parent);
        md5_keep_32(&state, &place);
    }
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const size_t name_size = strlen(skeleton->joints[i].name) + 1;
        memcpy(state.to, skeleton->joints[i].name, name_size);
        state.to += name_size;
    }
    memcpy(state.to, of.packed.bytes, of.packed.num_bytes);
    memcpy(start, MD5_PACKED_FILE, sizeof MD5_PACKED_FILE); // its NUL becomes the version
    md5_put_bytes(start + 4, VERSION, 4);
    md5_put_bytes(start + 8, total, 4);
    md5_put_bytes(start + 12, md5_fnv(MD5_FNV, start + HEAD, total - HEAD), 8);
    return total;
}

// -- Reading ----------------------------------------------------------------------------------

static bool fail(md5_context *context, md5_status status, const char *what)
{
    return MD5_FAIL(context, status, "invalid compressed clip: %s", what);
}

static bool fail_size(md5_context *context, size_t min_size, size_t size)
{
    return MD5_FAIL(context, MD5_ERROR_SYNTAX,
                    "invalid compressed clip: header is truncated: expected %zu bytes, found %zu",
                    min_size, size);
}

static bool check_fixed(md5_context *context, const clip_bytes *of, size_t size)
{
    const md5_anim *const clip = &of->clip;
    const float scale = clip->skeleton.scale;
    if (of->rest != 0 || size_of(of) != size || of->packed.num_joints == 0
        || of->packed.num_joints > MD5_PACKED_MAX_JOINTS || of->packed.num_frames == 0)
        return fail(context, MD5_ERROR_RANGE,
                    "joint, frame and byte counts do not match the file size");
    return (of->axes <= MD5_AXES_BLENDER && (scale == 0 || (scale >= 1e-6f && scale <= 1e6f))
            && clip->frame_rate > 0 && clip->frame_rate <= 1e9 && clip->tolerance >= 0
            && clip->tolerance <= 1e15f && clip->max_error >= 0 && clip->max_error <= 1e15f
            && fabsf(of->base.x) <= 1e15f && fabsf(of->base.y) <= 1e15f
            && fabsf(of->base.z) <= 1e15f)
           || fail(context, MD5_ERROR_RANGE,
                   "frame rate, axes, scale, tolerance or error is out of range");
}

bool md5i_read_packed_file(md5_arena *arena, const char *bytes, size_t size, void **asset)
{
    md5_context *const context = arena->context;
    const uint8_t *const start = (const uint8_t *)bytes;
    clip_bytes of = {.rest = 0};
    if (size < 8)
        return fail_size(context, 8, size);
    const uint32_t version = (uint32_t)md5_get_bytes(start + 4, 4);
    if (version != VERSION)
        return MD5_FAIL(context, MD5_ERROR_VERSION,
                        "unsupported version of a compressed clip: expected %d, found %u", VERSION,
                        version);
    if (size < HEAD + FIXED)
        return fail_size(context, HEAD + FIXED, size);
    const uint64_t declared_size = md5_get_bytes(start + 8, 4);
    if (declared_size != size)
        return MD5_FAIL(context, MD5_ERROR_SYNTAX,
                        "invalid compressed clip: expected a file of %llu bytes, found %zu",
                        (unsigned long long)declared_size, size);
    if (md5_fnv(MD5_FNV, start + HEAD, size - HEAD) != md5_get_bytes(start + 12, 8))
        return fail(context, MD5_ERROR_SYNTAX, "checksum does not match: the file is damaged");
    md5_kept_state state = {.from = start + HEAD};
    keep_fixed(&state, &of);
    TRY(check_fixed(context, &of, size));

    const uint32_t count = of.packed.num_joints;
    md5_joint *const joints = MD5_NEW(arena, md5_joint, count);
    uint32_t *const order = MD5_NEW(arena, uint32_t, count);
    uint8_t *const placed = MD5_NEW(arena, uint8_t, count);
    uint8_t *const tracks = MD5_NEW(arena, uint8_t, of.packed.num_bytes + MD5_PACKED_PADDING);
    TRY(joints && order && placed && tracks);
    for (uint32_t i = 0; i < count; i++) {
        md5_keep_32(&state, &joints[i].parent);
        md5_keep_32(&state, &order[i]);
    }
    of.clip.num_frames = of.packed.num_frames;
    of.clip.skeleton =
        (md5_skeleton){count, joints, order, (md5_axes)of.axes, of.clip.skeleton.scale};
    TRY(md5i_is_ordered(&of.clip.skeleton, placed)
        || fail(context, MD5_ERROR_RANGE,
                "joint order is invalid: expected each joint once, parents first"));
    const char *name = (const char *)state.from;
    const char *const end = name + of.num_names;
    for (uint32_t i = 0; i < count; i++) {
        const char *const nul =
            name < end ? (const char *)memchr(name, 0, (size_t)(end - name)) : NULL;
        if (!nul)
            return fail(context, MD5_ERROR_RANGE, "unterminated joint name");
        joints[i].name = name;
        name = nul + 1;
    }
    TRY(name == end || fail(context, MD5_ERROR_RANGE, "more joint names than joints"));
    memcpy(tracks, end, of.packed.num_bytes);
    of.packed.bytes = tracks;
    TRY(md5i_check_packed(context, &of.packed));
    *asset = md5i_packed_create(context, &of.clip, of.base, &of.packed);
    return *asset != NULL;
}

// == Plain animations ============================================================================
//
// Makes a plain animation of a compressed clip.

enum { IS_TRANSLATING = 7, IS_ROTATING = 56 }; // flags of md5_track

md5_anim *md5_decompress_anim(const md5_anim *anim, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(anim, MD5_TAG_ANIM);
    if (!anim) {
        md5i_fail_missing(error, "animation");
        return NULL;
    }
    MD5_ASSERT_OPTS(opts);
    const md5_packed *const packed = anim->internal.packed;
    const uint32_t num_moving[2] = {anim->num_rotations, anim->num_translations};
    md5_anim made = *anim;
    md5_anim *plain = NULL;
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    if (!packed) {
        MD5_FAIL(&context, MD5_ERROR_MISMATCH, "cannot decompress animation: it is not compressed");
        return NULL;
    }
    const size_t num_joints = packed->num_joints;
    const size_t num_frames = packed->num_frames;
    md5_block block = {0};
    md5_track *tracks = NULL;
    md5_quat *rotations = NULL;
    md5_vec3 *translations = NULL;
    for (uint32_t pass = 0; pass < 2; pass++) {
        plain = MD5_TAKE(&block, md5_anim, 1);
        made.skeleton = put_skeleton(&block, &anim->skeleton);
        made.command_line = md5i_block_text(&block, "", 0);
        tracks = MD5_TAKE(&block, md5_track, num_joints);
        made.base_frame = MD5_PUT(&block, md5_xform, anim->base_frame, num_joints);
        made.constant = MD5_PUT(&block, md5_xform, anim->constant, num_joints);
        made.rotation_joints = MD5_PUT(&block, uint32_t, anim->rotation_joints, num_moving[0]);
        made.translation_joints =
            MD5_PUT(&block, uint32_t, anim->translation_joints, num_moving[1]);
        rotations = (md5_quat *)md5i_block_take(&block, num_frames,
                                                anim->num_rotations * sizeof *rotations);
        translations = (md5_vec3 *)md5i_block_take(&block, num_frames,
                                                   anim->num_translations * sizeof *translations);
        if (pass == 0 && !md5i_block_allocate(&context, &block))
            return NULL;
    }
    uint32_t slots[2] = {0, 0};
    made.num_components = 0;
    md5_packed_cursor cursor = md5_packed_begin(packed);
    memset(tracks, 0, num_joints * sizeof *tracks);
    for (uint32_t i = 0; i < 2 * packed->num_joints; i++) {
        const uint8_t kind = (uint8_t)(i % 2);
        const md5_packed_header header = md5i_packed_read_header(packed, kind, &cursor);
        md5_track *const track = &tracks[i / 2];
        if (kind == MD5_PACKED_ROTATION)
            track->first = made.num_components;
        if (header.step == 0)
            continue;
        track->flags |= kind == MD5_PACKED_ROTATION ? (uint32_t)IS_ROTATING : IS_TRANSLATING;
        made.num_components += 3;
        // All frames: time is linear in the size of the result.
        const uint32_t slot = slots[kind]++;
        for (uint32_t frame = 0; frame < num_frames; frame++) {
            const md5_sample_position still = {.frame0 = frame, .frame1 = frame};
            const size_t place_in_frames = (size_t)frame * num_moving[kind] + slot;
            float v[4];
            md5i_packed_sample_track(packed, &header, &still, v);
            if (kind == MD5_PACKED_ROTATION)
                rotations[place_in_frames] = (md5_quat){v[0], v[1], v[2], v[3]};
            else
                translations[place_in_frames] = (md5_vec3){v[0], v[1], v[2]};
        }
    }
    made.tracks = tracks;
    made.rotations = rotations;
    made.translations = translations;
    made.internal.packed = NULL;
    made.packed_size = 0;
    made.tolerance = made.max_error = 0;
    made.frame_bounds = NULL;
    made.num_warnings = 0;
    made.size = block.used;
    made.internal.allocator = context.allocator;
    made.internal.tag = MD5_TAG_ANIM;
    *plain = made;
    return plain;
}
