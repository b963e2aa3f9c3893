// Compressed clips as bytes. All numbers are little-endian:
//
//   magic, version, bytes of all, checksum of what follows (64 bits);
//   joints, frames, packed bytes, bytes of names; axes; rate (double), scale, tolerance, error,
//   joint 0 of the base frame (floats); 0;
//   parent and place in the order of each joint; names, each with a NUL;
//   the packed bytes: see packed.h.
#include "md5/compress/file.h"
#include "md5/core/assert.h"
#include "md5/core/math.h"

#include <string.h>

// "M5CC"
enum { MAGIC = 0x4343354d, VERSION = 2, HEAD = 20, FIXED = 56, OF_JOINT = 8 };

// FNV-1a, 64 bits: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm". Finds accidents,
// not forgeries: those are what the checks of the numbers are for.
static uint64_t checksum(const uint8_t *bytes, size_t size)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001B3u;
    return hash;
}

// -- Writing ----------------------------------------------------------------------------------

static uint8_t *put(uint8_t *to, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        *to++ = (uint8_t)(value >> (8 * i));
    return to;
}

static uint8_t *put_float(uint8_t *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put(to, bits, 4);
}

static uint8_t *put_fixed(uint8_t *to, const md5_anim *anim)
{
    const md5_packed *const packed = anim->packed;
    uint64_t rate;
    memcpy(&rate, &anim->frame_rate, sizeof rate);
    to = put(to, anim->skeleton.num_joints, 4);
    to = put(to, anim->num_frames, 4);
    to = put(to, packed->num_bytes, 4);
    to = put(to, md5i_packed_names_size(&anim->skeleton), 4);
    to = put(to, (uint32_t)anim->skeleton.axes, 4);
    to = put(to, rate, 8);
    to = put_float(to, anim->skeleton.scale);
    to = put_float(to, anim->tolerance);
    to = put_float(to, anim->max_error);
    to = put_float(to, anim->base_frame[0].translation.x);
    to = put_float(to, anim->base_frame[0].translation.y);
    to = put_float(to, anim->base_frame[0].translation.z);
    return put(to, 0, 4);
}

static uint8_t *put_skeleton(uint8_t *to, const md5_skeleton *skeleton)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        to = put(to, (uint32_t)skeleton->joints[i].parent, 4);
        to = put(to, skeleton->order[i], 4);
    }
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const size_t size = strlen(skeleton->joints[i].name) + 1;
        memcpy(to, skeleton->joints[i].name, size);
        to += size;
    }
    return to;
}

size_t md5_write_anim(const md5_anim *anim, void *bytes, size_t size)
{
    MD5_ASSERT(anim != NULL, "anim: not NULL");
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: not NULL unless size is 0");
    const md5_packed *const packed = anim->packed;
    if (!packed)
        return 0;
    const size_t total = HEAD + FIXED + (size_t)OF_JOINT * anim->skeleton.num_joints
                         + md5i_packed_names_size(&anim->skeleton) + packed->num_bytes;
    if (!bytes || size < total)
        return total;
    uint8_t *const start = (uint8_t *)bytes;
    uint8_t *to = put_fixed(start + HEAD, anim);
    to = put_skeleton(to, &anim->skeleton);
    memcpy(to, packed->bytes, packed->num_bytes);
    to = put(start, MAGIC, 4);
    to = put(to, VERSION, 4);
    to = put(to, total, 4);
    (void)put(to, checksum(start + HEAD, total - HEAD), 8);
    return total;
}

// -- Reading ----------------------------------------------------------------------------------

static uint32_t get_32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

// Bytes that have been counted: reading them cannot fail.
typedef struct clip_reader {
    md5_arena *arena;
    const uint8_t *at;
    uint32_t num_names, num_bytes; // bytes
    md5_anim clip;
    md5_vec3 base; // joint 0's position in the base frame
    md5_packed packed;
} clip_reader;

static uint32_t take_32(clip_reader *reader)
{
    reader->at += 4;
    return get_32(reader->at - 4);
}

static float take_float(clip_reader *reader)
{
    const uint32_t bits = take_32(reader);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double take_double(clip_reader *reader)
{
    const uint64_t low = take_32(reader), bits = low | (uint64_t)take_32(reader) << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool fail(const clip_reader *reader, md5_status status, const char *what)
{
    return md5i_fail(reader->arena->context, status, 0, 0, "compressed clip: %s", what);
}

static bool read_head(clip_reader *reader, size_t size)
{
    if (size < 8)
        return fail(reader, MD5_ERROR_SYNTAX, "the bytes end too soon");
    const uint32_t version = get_32(reader->at + 4);
    if (version != VERSION)
        return md5i_fail(reader->arena->context, MD5_ERROR_VERSION, 0, 0,
                         "compressed clip of version %u: expected %d", (unsigned)version, VERSION);
    if (size < HEAD + FIXED || get_32(reader->at + 8) != size)
        return fail(reader, MD5_ERROR_SYNTAX, "the bytes end too soon, or more follow");
    const uint64_t low = get_32(reader->at + 12), high = get_32(reader->at + 16);
    reader->at += HEAD;
    if (checksum(reader->at, size - HEAD) != (low | high << 32))
        return fail(reader, MD5_ERROR_SYNTAX,
                    "the checksum does not match: the bytes have changed");
    return true;
}

static bool read_fixed(clip_reader *reader, size_t size)
{
    md5_anim *const clip = &reader->clip;
    md5_packed *const packed = &reader->packed;
    clip->skeleton.num_joints = packed->num_joints = take_32(reader);
    clip->num_frames = packed->num_frames = take_32(reader);
    packed->num_bytes = reader->num_bytes = take_32(reader);
    reader->num_names = take_32(reader);
    const uint32_t axes = take_32(reader);
    clip->skeleton.axes = (md5_axes)(axes <= MD5_AXES_BLENDER ? axes : 0);
    clip->frame_rate = take_double(reader);
    clip->skeleton.scale = take_float(reader);
    clip->tolerance = take_float(reader);
    clip->max_error = take_float(reader);
    reader->base.x = take_float(reader);
    reader->base.y = take_float(reader);
    reader->base.z = take_float(reader);
    const uint64_t total = (uint64_t)HEAD + FIXED + reader->num_names + reader->num_bytes
                           + (uint64_t)OF_JOINT * clip->skeleton.num_joints;
    if (take_32(reader) != 0 || total != size || clip->skeleton.num_joints == 0
        || clip->skeleton.num_joints > MD5_PACKED_JOINTS || clip->num_frames == 0)
        return fail(reader, MD5_ERROR_RANGE, "its counts contradict each other");
    const float scale = clip->skeleton.scale;
    const md5_vec3 base = reader->base;
    if (axes > MD5_AXES_BLENDER || !(scale == 0.0f || (scale >= 1e-6f && scale <= 1e6f))
        || !(clip->frame_rate > 0.0 && clip->frame_rate <= 1e9)
        || !(clip->tolerance >= 0.0f && clip->tolerance <= 1e15f)
        || !(clip->max_error >= 0.0f && clip->max_error <= 1e15f)
        || !(fabsf(base.x) <= 1e15f && fabsf(base.y) <= 1e15f && fabsf(base.z) <= 1e15f))
        return fail(reader, MD5_ERROR_RANGE, "its rate, axes, scale or error is out of range");
    return true;
}

// The order lists each joint once, behind its parent.
static bool read_skeleton(clip_reader *reader)
{
    md5_skeleton *const skeleton = &reader->clip.skeleton;
    const uint32_t count = skeleton->num_joints;
    md5_joint *const joints = (md5_joint *)md5i_arena_alloc(reader->arena, count, sizeof *joints);
    uint32_t *const order = (uint32_t *)md5i_arena_alloc(reader->arena, count, sizeof *order);
    uint8_t *const placed = (uint8_t *)md5i_arena_alloc(reader->arena, count, 1);
    TRY(joints && order && placed);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t parent = take_32(reader);
        joints[i].parent = parent < count ? (int32_t)parent : -1;
        order[i] = take_32(reader);
        if ((parent >= count && parent != UINT32_MAX) || order[i] >= count)
            return fail(reader, MD5_ERROR_RANGE, "a joint does not exist");
    }
    for (uint32_t i = 0; i < count; i++) {
        const int32_t parent = joints[order[i]].parent;
        if (placed[order[i]] || (parent >= 0 && !placed[parent]))
            return fail(reader, MD5_ERROR_RANGE, "its joints are not in order");
        placed[order[i]] = 1;
    }
    skeleton->joints = joints;
    skeleton->order = order;
    const char *name = (const char *)reader->at, *const end = name + reader->num_names;
    for (uint32_t i = 0; i < count; i++) {
        const char *const nul =
            name < end ? (const char *)memchr(name, 0, (size_t)(end - name)) : NULL;
        if (!nul)
            return fail(reader, MD5_ERROR_RANGE, "a name does not end");
        joints[i].name = name;
        name = nul + 1;
    }
    reader->at = (const uint8_t *)name;
    return name == end || fail(reader, MD5_ERROR_RANGE, "there are more names than joints");
}

static bool read_tracks(clip_reader *reader)
{
    md5_packed *const packed = &reader->packed;
    uint8_t *const bytes =
        (uint8_t *)md5i_arena_alloc(reader->arena, packed->num_bytes + MD5_PACKED_PADDING, 1);
    TRY(bytes);
    memcpy(bytes, reader->at, packed->num_bytes);
    packed->bytes = bytes;
    return md5i_packed_check(reader->arena->context, packed);
}

bool md5i_is_packed_file(const char *bytes, size_t size)
{
    return size >= 4 && get_32((const uint8_t *)bytes) == MAGIC;
}

bool md5i_read_packed_file(md5_arena *arena, const char *bytes, size_t size, void **asset)
{
    clip_reader reader = {.arena = arena, .at = (const uint8_t *)bytes};
    TRY(read_head(&reader, size) && read_fixed(&reader, size));
    TRY(read_skeleton(&reader) && read_tracks(&reader));
    *asset = md5i_packed_create(arena->context, &reader.clip, reader.base, &reader.packed);
    return *asset != NULL;
}
