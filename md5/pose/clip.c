#include "md5/pose/clip.h"

#include "md5/core/math.h"

#include <string.h>

// A track's components, in the order in which a frame stores them.
enum {
    TRANSLATION_X = 1 << 0,
    TRANSLATION_Y = 1 << 1,
    TRANSLATION_Z = 1 << 2,
    ROTATION_X = 1 << 3,
    ROTATION_Y = 1 << 4,
    ROTATION_Z = 1 << 5,
    NUM_COMPONENTS = 6,
    ANY_TRANSLATION = TRANSLATION_X | TRANSLATION_Y | TRANSLATION_Z,
    ANY_ROTATION = ROTATION_X | ROTATION_Y | ROTATION_Z,
};

void md5i_clip_plan(const md5_clip_source *source, uint8_t *changes, uint8_t *moves,
                    uint32_t *num_rotations, uint32_t *num_translations)
{
    // Numbers that differ between frames. The outer loop is over frames, so that the table is read
    // once, in memory order. Exporters alternate 0 and -0 for constants: they compare equal.
    const size_t width = source->num_components;
    if (width > 0)
        memset(changes, 0, width);
    for (size_t frame = 1; frame < source->num_frames && width > 0; frame++) {
        const float *numbers = source->numbers + frame * width;
        if (memcmp(numbers, source->numbers, width * sizeof *numbers) == 0)
            continue;
        for (size_t i = 0; i < width; i++)
            changes[i] |= numbers[i] != source->numbers[i];
    }

    *num_rotations = *num_translations = 0;
    for (uint32_t joint = 0; joint < source->num_joints; joint++) {
        uint32_t number = source->tracks[joint].first;
        moves[joint] = 0;
        for (int component = 0; component < NUM_COMPONENTS; component++) {
            const uint32_t flag = 1u << component;
            if ((source->tracks[joint].flags & flag) && changes[number++])
                moves[joint] |= flag & ANY_ROTATION ? MD5_MOVES_ROTATION : MD5_MOVES_TRANSLATION;
        }
        *num_rotations += (moves[joint] & MD5_MOVES_ROTATION) != 0;
        *num_translations += (moves[joint] & MD5_MOVES_TRANSLATION) != 0;
    }
}

static md5_vec3 decode_translation(const md5_clip_source *source, uint32_t joint, uint32_t frame)
{
    const uint32_t flags = source->tracks[joint].flags;
    const float *next =
        source->numbers + (size_t)frame * source->num_components + source->tracks[joint].first;
    md5_vec3 translation = source->base_frame[joint].translation;
    if (flags & TRANSLATION_X)
        translation.x = *next++;
    if (flags & TRANSLATION_Y)
        translation.y = *next++;
    if (flags & TRANSLATION_Z)
        translation.z = *next++;
    return translation;
}

// Components without a flag come from the base frame; w is rebuilt from all three.
static md5_quat decode_rotation(const md5_clip_source *source, uint32_t joint, uint32_t frame)
{
    const uint32_t flags = source->tracks[joint].flags;
    const float *next =
        source->numbers + (size_t)frame * source->num_components + source->tracks[joint].first;
    next += (flags & TRANSLATION_X) != 0;
    next += (flags & TRANSLATION_Y) != 0;
    next += (flags & TRANSLATION_Z) != 0;
    md5_quat rotation = source->base_frame[joint].rotation;
    if (flags & ROTATION_X)
        rotation.x = *next++;
    if (flags & ROTATION_Y)
        rotation.y = *next++;
    if (flags & ROTATION_Z)
        rotation.z = *next++;
    return md5_quat_from_xyz(rotation.x, rotation.y, rotation.z);
}

md5_xform md5i_clip_base(const md5_xform *stored)
{
    const md5_quat q = stored->rotation;
    return (md5_xform){
        .rotation = md5_quat_from_xyz(q.x, q.y, q.z),
        .translation = stored->translation,
    };
}

void md5i_clip_build(const md5_clip_source *source, const uint8_t *moves,
                     const md5_clip_arrays *arrays)
{
    uint32_t num_rotations = 0, num_translations = 0;
    for (uint32_t joint = 0; joint < source->num_joints; joint++) {
        // A file without animated components has no `numbers`: none are read for joints without
        // flags.
        const uint32_t flags = source->tracks[joint].flags;
        md5_xform *const constant = &arrays->constant[joint];
        *constant = md5i_clip_base(&source->base_frame[joint]);
        if (flags & ANY_TRANSLATION)
            constant->translation = decode_translation(source, joint, 0);
        if (flags & ANY_ROTATION)
            constant->rotation = decode_rotation(source, joint, 0);
        if (moves[joint] & MD5_MOVES_ROTATION)
            arrays->rotation_joints[num_rotations++] = joint;
        if (moves[joint] & MD5_MOVES_TRANSLATION)
            arrays->translation_joints[num_translations++] = joint;
    }

    md5_quat *rotation = arrays->rotations;
    md5_vec3 *translation = arrays->translations;
    for (uint32_t frame = 0; frame < source->num_frames; frame++) {
        for (uint32_t i = 0; i < num_rotations; i++)
            *rotation++ = decode_rotation(source, arrays->rotation_joints[i], frame);
        for (uint32_t i = 0; i < num_translations; i++)
            *translation++ = decode_translation(source, arrays->translation_joints[i], frame);
    }
}
