// Scales of joints: sorted rows of a .md5scale file, and what they do to poses and palettes.
#include "md5/core/assert.h"
#include "md5/core/axes.h"
#include "md5/file_text.h"
#include "md5/game/scale_text.h"

#include <stdlib.h>

// -- Loading --------------------------------------------------------------------------------------

// By joint, positions before scales, then by frame, then as in the text.
static int compare_rows(const void *left, const void *right)
{
    const md5_scale_row *const a = (const md5_scale_row *)left;
    const md5_scale_row *const b = (const md5_scale_row *)right;
    if (a->joint != b->joint)
        return a->joint < b->joint ? -1 : 1;
    if (a->is_position != b->is_position)
        return a->is_position ? -1 : 1;
    if (a->frame != b->frame)
        return a->frame < b->frame ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

// Whether the next row replaces this one: it is of the same joint, kind and frame.
static bool is_replaced(const md5_scale_row *rows, size_t count, size_t i)
{
    return i + 1 < count && rows[i + 1].joint == rows[i].joint
           && rows[i + 1].is_position == rows[i].is_position && rows[i + 1].frame == rows[i].frame;
}

typedef struct scale_arrays {
    md5_scales *scales;
    md5_scaled_joint *joints;
    md5_scale_key *keys;
} scale_arrays;

static scale_arrays lay_out(md5_block *block, uint32_t num_joints, size_t num_keys)
{
    scale_arrays arrays;
    arrays.scales = (md5_scales *)md5i_block_take(block, 1, sizeof *arrays.scales);
    arrays.joints = (md5_scaled_joint *)md5i_block_take(block, num_joints, sizeof *arrays.joints);
    arrays.keys = (md5_scale_key *)md5i_block_take(block, num_keys, sizeof *arrays.keys);
    return arrays;
}

static void fill(const md5_scale_row *rows, size_t count, const scale_arrays *arrays)
{
    md5_scaled_joint *joint = NULL;
    md5_scale_key *key = arrays->keys;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || rows[i].joint != rows[i - 1].joint) {
            joint = joint ? joint + 1 : arrays->joints;
            *joint = (md5_scaled_joint){rows[i].joint, false, 0, key};
        }
        if (is_replaced(rows, count, i))
            continue;
        if (rows[i].is_position) {
            joint->scales_position = rows[i].value != 0.0f;
            continue;
        }
        *key++ = (md5_scale_key){rows[i].frame, rows[i].value};
        joint->num_keys++;
    }
}

static md5_scales *build(md5_arena *arena, const char *text, size_t size, const md5_anim *anim)
{
    md5_lex lex;
    md5_scale_row *rows;
    size_t count;
    uint32_t num_joints = 0;
    md5i_lex_begin(&lex, arena, text, size);
    if (!md5i_read_scale_rows(&lex, anim, &rows, &count))
        return NULL;
    if (count > 0)
        qsort(rows, count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < count; i++)
        num_joints += i == 0 || rows[i].joint != rows[i - 1].joint;
    md5_block block = {.base = NULL};
    (void)lay_out(&block, num_joints, count);
    const size_t block_size = block.used;
    block = (md5_block){.base = (unsigned char *)md5i_alloc(arena->context, block_size)};
    if (!block.base)
        return NULL;
    const scale_arrays arrays = lay_out(&block, num_joints, count);
    fill(rows, count, &arrays);
    *arrays.scales = (md5_scales){
        .num_joints = num_joints,
        .joints = arrays.joints,
        .num_warnings = arena->context->num_warnings,
        .size = block_size,
        .allocator = arena->context->allocator,
    };
    return arrays.scales;
}

static md5_scales *build_with_arena(md5_context *context, const char *text, size_t size,
                                    const md5_anim *anim)
{
    md5_arena arena = {.context = context};
    md5_scales *const scales =
        md5_check_text_size(context, size) ? build(&arena, text, size, anim) : NULL;
    md5i_arena_free(&arena);
    return scales;
}

md5_scales *md5_parse_scales(const void *text, size_t size, const md5_anim *anim,
                             const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT(text != NULL || size == 0, "text: not NULL unless size is 0");
    MD5_ASSERT(anim != NULL, "anim: not NULL");
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    return build_with_arena(&context, text ? (const char *)text : "", text ? size : 0, anim);
}

md5_scales *md5_load_scales(const char *path, const md5_anim *anim, const md5_load_opts *opts,
                            md5_error *error)
{
    MD5_ASSERT(path != NULL, "path: not NULL");
    MD5_ASSERT(anim != NULL, "anim: not NULL");
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5_file_text text = {.bytes = NULL};
    md5_scales *scales = NULL;
    md5i_context_begin(&context, opts, path, error);
    if (md5i_read_file_text(&context, path, &text))
        scales = build_with_arena(&context, text.bytes, text.size, anim);
    md5i_free_file_text(&context, &text);
    return scales;
}

void md5_free_scales(md5_scales *scales)
{
    if (scales)
        scales->allocator.free(scales->allocator.user, scales, scales->size);
}

// -- Use ------------------------------------------------------------------------------------------

static const md5_scaled_joint *find_scaled(const md5_scales *scales, uint32_t joint)
{
    uint32_t first = 0, end = scales->num_joints;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (scales->joints[middle].joint < joint)
            first = middle + 1;
        else
            end = middle;
    }
    return first < scales->num_joints && scales->joints[first].joint == joint
               ? &scales->joints[first]
               : NULL;
}

static float scale_of(const md5_scaled_joint *scaled, const md5_moment *moment)
{
    const uint32_t frame = moment->fraction > 0.0f ? moment->frame1 : moment->frame0;
    uint32_t first = 0, end = scaled->num_keys;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (scaled->keys[middle].frame < frame)
            first = middle + 1;
        else
            end = middle;
    }
    return first < scaled->num_keys && scaled->keys[first].frame == frame
               ? scaled->keys[first].scale
               : 1.0f;
}

float md5_scale_at(const md5_scales *scales, uint32_t joint, const md5_moment *moment)
{
    MD5_ASSERT(scales != NULL, "scales: not NULL");
    MD5_ASSERT(moment != NULL, "moment: not NULL");
    const md5_scaled_joint *const scaled = find_scaled(scales, joint);
    return scaled ? scale_of(scaled, moment) : 1.0f;
}

void md5_scale_pose(const md5_scales *scales, const md5_binding *binding, const md5_moment *moment,
                    md5_xform *pose)
{
    MD5_ASSERT(scales != NULL, "scales: not NULL");
    MD5_ASSERT(binding != NULL, "binding: not NULL");
    MD5_ASSERT(moment != NULL, "moment: not NULL");
    MD5_ASSERT(pose != NULL, "pose: not NULL");
    for (uint32_t j = 0; j < binding->skeleton->num_joints; j++) {
        const int32_t track = binding->tracks[j];
        const md5_scaled_joint *const scaled =
            track < 0 ? NULL : find_scaled(scales, (uint32_t)track);
        if (scaled && scaled->scales_position)
            pose[j].translation = md5_vec3_scale(pose[j].translation, scale_of(scaled, moment));
    }
}

void md5_scale_palette(const md5_scales *scales, const md5_binding *binding,
                       const md5_moment *moment, const md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT(scales != NULL, "scales: not NULL");
    MD5_ASSERT(binding != NULL, "binding: not NULL");
    MD5_ASSERT(moment != NULL, "moment: not NULL");
    MD5_ASSERT(joints != NULL && palette != NULL, "joints, palette: not NULL");
    for (uint32_t j = 0; j < binding->skeleton->num_joints; j++) {
        const int32_t track = binding->tracks[j];
        const md5_scaled_joint *const scaled =
            track < 0 ? NULL : find_scaled(scales, (uint32_t)track);
        const float scale = scaled ? scale_of(scaled, moment) : 1.0f;
        if (scale == 1.0f)
            continue;
        md5_mat34 joint = joints[j];
        for (int i = 0; i < 12; i++)
            joint.m[i] *= i % 4 == 3 ? 1.0f : scale;
        palette[j] = md5_mat34_mul(joint, binding->inverse_bind[j]);
    }
}
