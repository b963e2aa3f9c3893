// The block of a compressed clip: measured, checked, copied, freed.
#include "md5/compress/packed.h"
#include "md5/core/arena.h"
#include "md5/core/math.h"

#include <string.h>

uint64_t md5_packed_measure(const md5_packed *packed, md5_packed_group *groups)
{
    const uint64_t most = (uint64_t)1 << 31;
    uint64_t size = 0;
    for (uint32_t i = 0; i < packed->num_groups; i++) {
        md5_packed_group *const group = &groups[i];
        group->at = (uint32_t)size;
        group->row = (uint8_t)md5_packed_row_bytes(group, group->bits);
        size += md5_packed_head_bytes(packed, group)
                + (uint64_t)md5_packed_num_keys(group, packed->num_frames) * group->row;
        if (size > most)
            return UINT64_MAX;
    }
    return size;
}

// -- Checking ---------------------------------------------------------------------------------

static bool fail_of_group(md5_context *context, uint32_t group, const char *what)
{
    return md5_fail(context, MD5_ERROR_RANGE, 0, 0, "group %u of the compressed clip: %s",
                    (unsigned)group, what);
}

// The numbers of a key, before the root or the length is taken: bounded, so that all that follows
// is finite.
static bool is_value(const md5_packed_group *group, const md5_packed_value *value)
{
    const float *const v = value->v;
    if (group->kind == MD5_PACKED_TRANSLATION) {
        const float most = 2e9f;
        return fabsf(v[0]) <= most && fabsf(v[1]) <= most && fabsf(v[2]) <= most;
    }
    const float square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3];
    return square >= 0.999f && square <= 1.001f;
}

static bool check_values(md5_context *context, const md5_packed *packed, uint32_t index)
{
    const md5_packed_group *const group = &packed->groups[index];
    // Keys without bits are all the same, and may be any number of them.
    const uint32_t num_keys = group->row > 0 ? md5_packed_num_keys(group, packed->num_frames) : 1;
    for (uint32_t key = 0; key < num_keys; key++) {
        for (uint32_t lane = 0; lane < group->count; lane++) {
            const md5_packed_value value = md5_packed_decode(packed, group, lane, key);
            if (!is_value(group, &value))
                return fail_of_group(context, index, "a key is no rotation or position");
        }
    }
    return true;
}

static bool check_group(const md5_packed_group *group, uint8_t previous_kind)
{
    enum { COARSEST = 127 + 30 - 7 }; // lanes add up to 7
    const bool is_translation = group->kind == MD5_PACKED_TRANSLATION;
    bool is_sound = group->count >= 1 && group->count <= MD5_LANES && group->shift < 31
                    && group->kind <= MD5_PACKED_TRANSLATION && group->kind >= previous_kind
                    && !(is_translation && group->is_full) && group->exponent >= 1
                    && group->exponent <= COARSEST;
    for (uint32_t c = 0; c < 4; c++) {
        const bool is_stored = c < md5_packed_components(group);
        is_sound = is_sound && group->offset_bits[c] <= (is_stored ? MD5_PACKED_BITS : 0)
                   && group->bits[c] <= (is_stored && !group->is_constant ? MD5_PACKED_BITS : 0);
    }
    return is_sound;
}

// Each joint has one rotation and one translation. `seen` has a bit for each kind.
static bool check_lanes(md5_context *context, md5_packed *packed, uint32_t index,
                        uint32_t num_joints, uint8_t *seen)
{
    const md5_packed_group *const group = &packed->groups[index];
    const bool is_rotation = group->kind == MD5_PACKED_ROTATION;
    const uint8_t bit = (uint8_t)(1u << group->kind);
    for (uint32_t lane = 0; lane < group->count; lane++) {
        const uint32_t joint = md5_packed_joint(packed, group, lane);
        const uint32_t order = md5_packed_lane(packed, group, lane) & 31;
        if (joint >= num_joints || (seen[joint] & bit))
            return fail_of_group(context, index, "a joint does not exist or has two tracks");
        if (order >= (uint32_t)(is_rotation ? MD5_PACKED_ORDERS : MD5_PACKED_ORDERS_OF_3))
            return fail_of_group(context, index, "invalid order of components");
        seen[joint] = (uint8_t)(seen[joint] | bit);
        if (joint == 0 && !is_rotation) {
            packed->root = index;
            packed->root_lane = lane;
        }
    }
    packed->num_lanes += group->count;
    return true;
}

bool md5_packed_check_groups(md5_context *context, const md5_packed *packed)
{
    uint8_t kind = MD5_PACKED_ROTATION;
    for (uint32_t i = 0; i < packed->num_groups; i++) {
        if (!check_group(&packed->groups[i], kind))
            return fail_of_group(context, i, "its numbers contradict each other");
        kind = packed->groups[i].kind;
    }
    return true;
}

bool md5_packed_check(md5_arena *arena, md5_packed *packed, uint32_t num_joints)
{
    uint8_t *const seen = (uint8_t *)md5_arena_alloc(arena, num_joints, 1);
    TRY(seen);
    packed->num_lanes = 0;
    for (uint32_t i = 0; i < packed->num_groups; i++)
        TRY(check_lanes(arena->context, packed, i, num_joints, seen)
            && check_values(arena->context, packed, i));
    return packed->num_lanes == 2 * num_joints
           || md5_fail(arena->context, MD5_ERROR_RANGE, 0, 0,
                       "a joint of the compressed clip has no track");
}

// -- The block --------------------------------------------------------------------------------

typedef struct clip_layout {
    md5_compressed *compressed;
    md5_packed *packed;
    md5_joint *joints;
    uint32_t *order;
    md5_packed_group *groups;
    uint8_t *bytes;
    char *names;
} clip_layout;

static size_t names_size(const md5_skeleton *skeleton)
{
    size_t size = 0;
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        size += strlen(skeleton->joints[i].name) + 1;
    return size;
}

static clip_layout lay_out(md5_block *block, const md5_skeleton *skeleton, const md5_packed *packed)
{
    clip_layout of;
    of.compressed = (md5_compressed *)md5_block_take(block, 1, sizeof *of.compressed);
    of.packed = (md5_packed *)md5_block_take(block, 1, sizeof *of.packed);
    of.joints = (md5_joint *)md5_block_take(block, skeleton->num_joints, sizeof *of.joints);
    of.order = (uint32_t *)md5_block_take(block, skeleton->num_joints, sizeof *of.order);
    of.groups = (md5_packed_group *)md5_block_take(block, packed->num_groups, sizeof *of.groups);
    of.bytes = (uint8_t *)md5_block_take(block, packed->num_bytes + MD5_PACKED_PADDING, 1);
    of.names = (char *)md5_block_take(block, names_size(skeleton), 1);
    return of;
}

static void copy_skeleton(const clip_layout *of, const md5_skeleton *skeleton)
{
    char *names = of->names;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const size_t size = strlen(skeleton->joints[i].name) + 1;
        memcpy(names, skeleton->joints[i].name, size);
        of->joints[i] = (md5_joint){names, skeleton->joints[i].parent};
        of->order[i] = skeleton->order[i];
        names += size;
    }
}

md5_compressed *md5_packed_create(md5_context *context, const md5_compressed *source,
                                  const md5_packed *packed)
{
    const md5_skeleton *const skeleton = &source->skeleton;
    md5_block measured = {0};
    (void)lay_out(&measured, skeleton, packed);
    md5_block block = {.base = (unsigned char *)md5_alloc(context, measured.used)};
    if (!block.base)
        return NULL;
    const clip_layout of = lay_out(&block, skeleton, packed);
    copy_skeleton(&of, skeleton);
    if (packed->num_groups > 0) {
        memcpy(of.groups, packed->groups, packed->num_groups * sizeof *of.groups);
        memcpy(of.bytes, packed->bytes, packed->num_bytes);
    }
    memset(of.bytes + packed->num_bytes, 0, MD5_PACKED_PADDING);
    *of.packed = *packed;
    of.packed->groups = of.groups;
    of.packed->bytes = of.bytes;
    *of.compressed = *source;
    of.compressed->skeleton.joints = of.joints;
    of.compressed->skeleton.order = of.order;
    of.compressed->duration = (double)(source->num_frames - 1) / source->frame_rate;
    of.compressed->packed = of.packed;
    of.compressed->packed_size =
        packed->num_bytes + packed->num_groups * sizeof *of.groups + sizeof *packed;
    of.compressed->size = block.used;
    of.compressed->allocator = context->allocator;
    return of.compressed;
}

void md5_free_compressed(md5_compressed *compressed)
{
    if (!compressed)
        return;
    const md5_allocator allocator = compressed->allocator;
    allocator.free(allocator.user, compressed, compressed->size);
}
