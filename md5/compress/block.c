// The block of a compressed clip: measured, checked, copied, freed.
#include "md5/compress/file.h"
#include "md5/core/arena.h"
#include "md5/core/math.h"

#include <string.h>

// -- Checking ---------------------------------------------------------------------------------

static bool fail_of_joint(md5_context *context, uint32_t joint, const char *what)
{
    return md5i_fail(context, MD5_ERROR_RANGE, 0, 0, "joint %u of the compressed clip: %s",
                     (unsigned)joint, what);
}

// The numbers of a key, before the root or the length is taken: bounded, so that all that follows
// is finite.
static bool is_value(const md5_packed_head *head, const md5_packed_value *value)
{
    const float *const v = value->v;
    if (head->kind == MD5_PACKED_TRANSLATION) {
        const float most = 2e9f;
        return fabsf(v[0]) <= most && fabsf(v[1]) <= most && fabsf(v[2]) <= most;
    }
    const float square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3];
    return square >= 0.999f && square <= 1.001f;
}

static bool check_values(md5_context *context, const md5_packed *packed,
                         const md5_packed_head *head, uint32_t joint)
{
    const uint32_t num_keys = md5i_packed_num_keys(head->step, packed->num_frames);
    for (uint32_t key = 0; key < num_keys; key++) {
        const md5_packed_value value = md5i_packed_decode(packed, head, key);
        if (!is_value(head, &value))
            return fail_of_joint(context, joint, "a key is no rotation or position");
    }
    return true;
}

// Heads that are decoded without knowing where keys begin, for their number of bits.
static bool find_keys(md5_context *context, md5_packed *packed)
{
    const uint64_t num_bits = (uint64_t)packed->num_bytes * 8;
    md5_packed_place place = {0, 0};
    uint64_t bits = 0;
    for (uint32_t i = 0; i < 2 * packed->num_joints; i++) {
        const md5_packed_head head = md5i_packed_take_head(packed, (uint8_t)(i % 2), &place);
        if (place.head > num_bits)
            return fail_of_joint(context, i / 2, "its head is cut off");
        bool is_sound = head.form <= MD5_PACKED_FULL && (head.step == 0 || head.row > 0);
        for (int c = 0; c < 4; c++)
            is_sound = is_sound && head.bits[c] <= MD5_PACKED_BITS
                       && head.offsets[c] < 1 << (MD5_PACKED_OFFSET_BITS - 1)
                       && head.offsets[c] >= -(1 << (MD5_PACKED_OFFSET_BITS - 1));
        if (!is_sound)
            return fail_of_joint(context, i / 2, "its numbers contradict each other");
        if (head.step != 0)
            bits += (uint64_t)head.row * md5i_packed_num_keys(head.step, packed->num_frames);
    }
    packed->head_bits = place.head;
    return (bits + place.head + 7) / 8 == packed->num_bytes
           || md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                        "the tracks of the compressed clip do not fill its bytes");
}

bool md5i_packed_check(md5_context *context, md5_packed *packed)
{
    if (packed->num_bytes > UINT32_MAX / 8 - 8)
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0, "the compressed clip exceeds 512 MiB");
    TRY(find_keys(context, packed));
    md5_packed_place place = md5_packed_first(packed);
    for (uint32_t i = 0; i < 2 * packed->num_joints; i++) {
        const md5_packed_head head = md5i_packed_take_head(packed, (uint8_t)(i % 2), &place);
        TRY(check_values(context, packed, &head, i / 2));
    }
    return true;
}

// -- The block --------------------------------------------------------------------------------

typedef struct clip_layout {
    md5_anim *anim;
    md5_packed *packed;
    md5_joint *joints;
    uint32_t *order;
    md5_packed_place *places;
    md5_xform *constant, *base_frame; // the same, unless joint 0 differs
    uint32_t *moving[2];              // joints, by kind
    uint8_t *bytes;
    char *names;
} clip_layout;

size_t md5i_packed_names_size(const md5_skeleton *skeleton)
{
    size_t size = 0;
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        size += strlen(skeleton->joints[i].name) + 1;
    return size;
}

static clip_layout lay_out(md5_block *block, const md5_skeleton *skeleton, const md5_packed *packed,
                           const uint32_t num_moving[2], bool has_base)
{
    const size_t num_joints = skeleton->num_joints;
    clip_layout of;
    of.anim = (md5_anim *)md5i_block_take(block, 1, sizeof *of.anim);
    of.packed = (md5_packed *)md5i_block_take(block, 1, sizeof *of.packed);
    of.joints = (md5_joint *)md5i_block_take(block, num_joints, sizeof *of.joints);
    of.order = (uint32_t *)md5i_block_take(block, num_joints, sizeof *of.order);
    of.places = (md5_packed_place *)md5i_block_take(block, num_joints, sizeof *of.places);
    of.constant = (md5_xform *)md5i_block_take(block, num_joints, sizeof *of.constant);
    of.base_frame = of.constant;
    if (has_base)
        of.base_frame = (md5_xform *)md5i_block_take(block, num_joints, sizeof *of.base_frame);
    for (int kind = 0; kind < 2; kind++)
        of.moving[kind] =
            (uint32_t *)md5i_block_take(block, num_moving[kind], sizeof *of.moving[kind]);
    of.bytes = (uint8_t *)md5i_block_take(block, packed->num_bytes + MD5_PACKED_PADDING, 1);
    of.names = (char *)md5i_block_take(block, md5i_packed_names_size(skeleton) + 1, 1);
    return of;
}

void md5i_packed_copy_skeleton(const md5_skeleton *skeleton, char *names, md5_joint *joints,
                               uint32_t *order)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const size_t size = strlen(skeleton->joints[i].name) + 1;
        memcpy(names, skeleton->joints[i].name, size);
        joints[i] = (md5_joint){names, skeleton->joints[i].parent};
        order[i] = skeleton->order[i];
        names += size;
    }
}

// The first frame of each track; lists the joints that move and the places of the heads.
static void fill_tracks(const md5_packed *packed, const clip_layout *of)
{
    uint32_t num_moving[2] = {0, 0};
    md5_packed_place place = md5_packed_first(packed);
    memset(of->constant, 0, packed->num_joints * sizeof *of->constant);
    for (uint32_t i = 0; i < 2 * packed->num_joints; i++) {
        const uint8_t kind = (uint8_t)(i % 2);
        if (kind == MD5_PACKED_ROTATION)
            of->places[i / 2] = place;
        const md5_packed_head head = md5i_packed_take_head(packed, kind, &place);
        const md5_moment first = {.frame0 = 0};
        float v[4];
        md5i_packed_at(packed, &head, &first, v);
        if (kind == MD5_PACKED_ROTATION)
            of->constant[i / 2].rotation = (md5_quat){v[0], v[1], v[2], v[3]};
        else
            of->constant[i / 2].translation = (md5_vec3){v[0], v[1], v[2]};
        if (head.step != 0)
            of->moving[kind][num_moving[kind]++] = i / 2;
    }
}

md5_anim *md5i_packed_create(md5_context *context, const md5_anim *source, md5_vec3 base,
                             const md5_packed *packed)
{
    const md5_skeleton *const skeleton = &source->skeleton;
    uint32_t num_moving[2] = {0, 0};
    md5_packed_place place = md5_packed_first(packed);
    md5_vec3 first = base;
    for (uint32_t i = 0; i < 2 * packed->num_joints; i++) {
        const md5_packed_head head = md5i_packed_take_head(packed, (uint8_t)(i % 2), &place);
        num_moving[i % 2] += head.step != 0;
        if (i != 1)
            continue;
        float v[4];
        md5i_packed_at(packed, &head, &(md5_moment){.frame0 = 0}, v);
        first = (md5_vec3){v[0], v[1], v[2]};
    }
    const bool has_base = memcmp(&first, &base, sizeof base) != 0;
    md5_block measured = {0};
    (void)lay_out(&measured, skeleton, packed, num_moving, has_base);
    md5_block block = {.base = (unsigned char *)md5i_alloc(context, measured.used)};
    if (!block.base)
        return NULL;
    const clip_layout of = lay_out(&block, skeleton, packed, num_moving, has_base);
    *of.names = '\0'; // the command line
    md5i_packed_copy_skeleton(skeleton, of.names + 1, of.joints, of.order);
    memcpy(of.bytes, packed->bytes, packed->num_bytes);
    memset(of.bytes + packed->num_bytes, 0, MD5_PACKED_PADDING);
    *of.packed = *packed;
    of.packed->bytes = of.bytes;
    of.packed->places = of.places;
    fill_tracks(of.packed, &of);
    if (has_base) {
        memcpy(of.base_frame, of.constant, skeleton->num_joints * sizeof *of.base_frame);
        of.base_frame[0].translation = base;
    }
    *of.anim = (md5_anim){
        .skeleton = *skeleton,
        .base_frame = of.base_frame,
        .num_frames = source->num_frames,
        .frame_rate = source->frame_rate,
        .duration = (double)(source->num_frames - 1) / source->frame_rate,
        .constant = of.constant,
        .num_rotations = num_moving[MD5_PACKED_ROTATION],
        .num_translations = num_moving[MD5_PACKED_TRANSLATION],
        .rotation_joints = of.moving[MD5_PACKED_ROTATION],
        .translation_joints = of.moving[MD5_PACKED_TRANSLATION],
        .packed = of.packed,
        .packed_size = packed->num_bytes + sizeof *packed,
        .tolerance = source->tolerance,
        .max_error = source->max_error,
        .num_components = 3 * (num_moving[0] + num_moving[1]),
        .command_line = of.names,
        .size = block.used,
        .allocator = context->allocator,
    };
    of.anim->skeleton.joints = of.joints;
    of.anim->skeleton.order = of.order;
    return of.anim;
}
