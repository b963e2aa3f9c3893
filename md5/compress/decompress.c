// Makes a plain animation of a compressed clip.
#include "md5/compress/file.h"
#include "md5/core/assert.h"

enum { IS_TRANSLATING = 7, IS_ROTATING = 56 }; // flags of md5_track

typedef struct anim_arrays {
    md5_anim *anim;
    md5_joint *joints;
    uint32_t *order;
    md5_track *tracks;
    md5_xform *base_frame, *constant;
    uint32_t *moving[2]; // joints, by kind
    md5_quat *rotations;
    md5_vec3 *translations;
    char *names;
} anim_arrays;

static anim_arrays lay_out(md5_block *block, const md5_anim *compressed,
                           const uint32_t num_moving[2])
{
    const size_t num_joints = compressed->skeleton.num_joints, frames = compressed->num_frames;
    const size_t rotations = num_moving[MD5_PACKED_ROTATION];
    const size_t translations = num_moving[MD5_PACKED_TRANSLATION];
    anim_arrays of;
    of.anim = (md5_anim *)md5i_block_take(block, 1, sizeof *of.anim);
    of.joints = (md5_joint *)md5i_block_take(block, num_joints, sizeof *of.joints);
    of.order = (uint32_t *)md5i_block_take(block, num_joints, sizeof *of.order);
    of.tracks = (md5_track *)md5i_block_take(block, num_joints, sizeof *of.tracks);
    of.base_frame = (md5_xform *)md5i_block_take(block, num_joints, sizeof *of.base_frame);
    of.constant = (md5_xform *)md5i_block_take(block, num_joints, sizeof *of.constant);
    for (int kind = 0; kind < 2; kind++)
        of.moving[kind] =
            (uint32_t *)md5i_block_take(block, num_moving[kind], sizeof *of.moving[kind]);
    of.rotations = (md5_quat *)md5i_block_take(block, frames, rotations * sizeof *of.rotations);
    of.translations =
        (md5_vec3 *)md5i_block_take(block, frames, translations * sizeof *of.translations);
    of.names = (char *)md5i_block_take(block, md5i_packed_names_size(&compressed->skeleton) + 1, 1);
    return of;
}

// All frames of a track: time is linear in the size of the result.
static void copy_frames(const md5_packed *packed, const md5_packed_head *head, uint32_t slot,
                        const uint32_t num_moving[2], const anim_arrays *of)
{
    const size_t width = num_moving[head->kind];
    for (uint32_t frame = 0; frame < packed->num_frames; frame++) {
        const md5_moment still = {.frame0 = frame, .frame1 = frame};
        float v[4];
        md5i_packed_at(packed, head, &still, v);
        if (head->kind == MD5_PACKED_ROTATION)
            of->rotations[frame * width + slot] = (md5_quat){v[0], v[1], v[2], v[3]};
        else
            of->translations[frame * width + slot] = (md5_vec3){v[0], v[1], v[2]};
    }
}

static void copy_tracks(const md5_packed *packed, const uint32_t num_moving[2],
                        const anim_arrays *of)
{
    uint32_t slots[2] = {0, 0}, num_components = 0;
    md5_packed_place place = md5_packed_first(packed);
    memset(of->tracks, 0, packed->num_joints * sizeof *of->tracks);
    for (uint32_t i = 0; i < 2 * packed->num_joints; i++) {
        const uint8_t kind = (uint8_t)(i % 2);
        const md5_packed_head head = md5i_packed_take_head(packed, kind, &place);
        md5_track *const track = &of->tracks[i / 2];
        if (kind == MD5_PACKED_ROTATION)
            track->first = num_components;
        if (head.step == 0)
            continue;
        track->flags |= kind == MD5_PACKED_ROTATION ? (uint32_t)IS_ROTATING : IS_TRANSLATING;
        num_components += 3;
        of->moving[kind][slots[kind]] = i / 2;
        copy_frames(packed, &head, slots[kind]++, num_moving, of);
    }
}

static void set_anim(const md5_anim *compressed, const uint32_t num_moving[2],
                     const anim_arrays *of)
{
    *of->anim = (md5_anim){
        .skeleton = compressed->skeleton,
        .tracks = of->tracks,
        .base_frame = of->base_frame,
        .num_frames = compressed->num_frames,
        .frame_rate = compressed->frame_rate,
        .duration = compressed->duration,
        .constant = of->constant,
        .num_rotations = num_moving[MD5_PACKED_ROTATION],
        .num_translations = num_moving[MD5_PACKED_TRANSLATION],
        .rotation_joints = of->moving[MD5_PACKED_ROTATION],
        .translation_joints = of->moving[MD5_PACKED_TRANSLATION],
        .rotations = of->rotations,
        .translations = of->translations,
        .num_components = 3 * (num_moving[0] + num_moving[1]),
        .command_line = of->names,
    };
    of->anim->skeleton.joints = of->joints;
    of->anim->skeleton.order = of->order;
}

md5_anim *md5_decompress_anim(const md5_anim *anim, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT(anim != NULL, "anim: not NULL");
    MD5_ASSERT_OPTS(opts);
    const md5_anim *const compressed = anim;
    const md5_packed *const packed = anim->packed;
    const uint32_t num_moving[2] = {anim->num_rotations, anim->num_translations};
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    if (!packed) {
        (void)md5i_fail(&context, MD5_ERROR_MISMATCH, 0, 0, "the animation is not compressed");
        return NULL;
    }
    md5_block measured = {0};
    (void)lay_out(&measured, compressed, num_moving);
    md5_block block = {.base = (unsigned char *)md5i_alloc(&context, measured.used)};
    if (!block.base)
        return NULL;
    const anim_arrays of = lay_out(&block, compressed, num_moving);
    *of.names = '\0'; // the command line
    md5i_packed_copy_skeleton(&compressed->skeleton, of.names + 1, of.joints, of.order);
    memcpy(of.constant, anim->constant, packed->num_joints * sizeof *of.constant);
    memcpy(of.base_frame, anim->base_frame, packed->num_joints * sizeof *of.base_frame);
    copy_tracks(packed, num_moving, &of);
    set_anim(compressed, num_moving, &of);
    of.anim->size = block.used;
    of.anim->allocator = context.allocator;
    return of.anim;
}
