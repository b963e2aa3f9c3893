// Animations and cameras: a file is read and put into one block.
#include "md5/compress/file.h"
#include "md5/core/axes.h"
#include "md5/load.h"
#include "md5/pose/clip.h"
#include "md5/read/tables.h"

// == Animations ==================================================================================

// What an animation is made of, before its block exists. `moves` has flags of the joints that
// change over the frames, as md5i_clip_plan() writes them.
typedef struct anim_parts {
    md5_anim_file file;
    uint8_t *moves;
    uint32_t num_rotations, num_translations;
} anim_parts;

typedef struct anim_layout {
    md5_anim *anim;
    md5_joint *joints;
    uint32_t *order;
    md5_track *tracks;
    md5_xform *base_frame;
    md5_clip_arrays clip;
    md5_bounds *bounds; // NULL if the file has none
    char *names;
} anim_layout;

static void lay_out_anim(md5_block *block, const anim_parts *parts, anim_layout *layout)
{
    const md5_anim_file *const file = &parts->file;
    const size_t num_joints = file->num_joints, num_frames = file->num_frames;
    const size_t num_rotations = parts->num_rotations, num_translations = parts->num_translations;
    md5_clip_arrays *const clip = &layout->clip;
    layout->anim = (md5_anim *)md5i_block_take(block, 1, sizeof *layout->anim);
    layout->joints = (md5_joint *)md5i_block_take(block, num_joints, sizeof *layout->joints);
    layout->order = (uint32_t *)md5i_block_take(block, num_joints, sizeof *layout->order);
    layout->tracks = (md5_track *)md5i_block_take(block, num_joints, sizeof *layout->tracks);
    layout->base_frame =
        (md5_xform *)md5i_block_take(block, num_joints, sizeof *layout->base_frame);
    clip->constant = (md5_xform *)md5i_block_take(block, num_joints, sizeof *clip->constant);
    clip->rotation_joints =
        (uint32_t *)md5i_block_take(block, num_rotations, sizeof *clip->rotation_joints);
    clip->translation_joints =
        (uint32_t *)md5i_block_take(block, num_translations, sizeof *clip->translation_joints);
    clip->rotations =
        (md5_quat *)md5i_block_take(block, num_frames, num_rotations * sizeof *clip->rotations);
    clip->translations = (md5_vec3 *)md5i_block_take(block, num_frames,
                                                     num_translations * sizeof *clip->translations);
    layout->bounds = file->bounds
                         ? (md5_bounds *)md5i_block_take(block, num_frames, sizeof *layout->bounds)
                         : NULL;
    layout->names = (char *)md5i_block_take(block,
                                            md5i_joint_names_size(file->joints, file->num_joints)
                                                + md5i_name_size(file->command_line),
                                            1);
}

static md5_clip_source clip_source(const md5_anim_file *file)
{
    return (md5_clip_source){
        .num_joints = file->num_joints,
        .num_frames = file->num_frames,
        .num_components = file->num_components,
        .tracks = file->tracks,
        .base_frame = file->base_frame,
        .numbers = file->numbers,
    };
}

static void convert_anim(const md5_context *context, const anim_parts *parts,
                         const anim_layout *layout)
{
    const size_t num_joints = parts->file.num_joints, num_frames = parts->file.num_frames;
    md5i_convert_transforms(context, layout->base_frame, num_joints);
    md5i_convert_transforms(context, layout->clip.constant, num_joints);
    md5i_convert_rotations(context, layout->clip.rotations, num_frames * parts->num_rotations);
    md5i_convert_points(context, layout->clip.translations, num_frames * parts->num_translations);
    if (layout->bounds)
        md5i_convert_bounds(context, layout->bounds, num_frames);
}

static md5_anim *fill_anim(md5_context *context, md5_block *block, const anim_parts *parts)
{
    const md5_anim_file *const file = &parts->file;
    const md5_clip_source source = clip_source(file);
    const uint32_t num_joints = file->num_joints;
    anim_layout layout;
    lay_out_anim(block, parts, &layout);
    char *names = layout.names;
    md5i_copy_joints(&names, file->joints, num_joints, layout.joints);
    md5_copy_items(layout.order, file->order, num_joints, sizeof *layout.order);
    md5_copy_items(layout.tracks, file->tracks, num_joints, sizeof *layout.tracks);
    for (uint32_t joint = 0; joint < num_joints; joint++)
        layout.base_frame[joint] = md5i_clip_base(&file->base_frame[joint]);
    md5_copy_items(layout.bounds, file->bounds, file->bounds ? file->num_frames : 0,
                   sizeof *layout.bounds);
    md5i_clip_build(&source, parts->moves, &layout.clip);
    if (md5_converts(context))
        convert_anim(context, parts, &layout);

    *layout.anim = (md5_anim){
        .skeleton = {num_joints, layout.joints, layout.order, context->axes, context->scale},
        .parents_unknown = file->parents_unknown,
        .tracks = layout.tracks,
        .base_frame = layout.base_frame,
        .num_frames = file->num_frames,
        .frame_rate = file->frame_rate,
        .duration = (double)(file->num_frames - 1) / file->frame_rate,
        .constant = layout.clip.constant,
        .num_rotations = parts->num_rotations,
        .num_translations = parts->num_translations,
        .rotation_joints = layout.clip.rotation_joints,
        .translation_joints = layout.clip.translation_joints,
        .rotations = layout.clip.rotations,
        .translations = layout.clip.translations,
        .frame_bounds = layout.bounds,
        .num_components = file->num_components,
        .command_line = md5i_copy_name(&names, file->command_line),
        .num_warnings = context->num_warnings,
        .size = block->used,
        .allocator = context->allocator,
    };
    return layout.anim;
}

static bool build_anim(md5_arena *arena, const char *text, size_t size, void **asset)
{
    if (md5i_is_packed_file(text, size))
        return md5i_read_packed_file(arena, text, size, asset);
    anim_parts parts;
    const bool is_bfg = md5i_is_bfg_anim(text, size);
    TRY(is_bfg ? md5i_read_bfg_anim(arena, text, size, &parts.file)
               : md5i_read_anim_file(arena, text, size, &parts.file));
    const size_t num_joints = parts.file.num_joints;
    parts.moves = (uint8_t *)md5i_arena_alloc(arena, num_joints + parts.file.num_components, 1);
    TRY(parts.moves);
    uint8_t *const changes = parts.moves + num_joints;
    const md5_clip_source source = clip_source(&parts.file);
    md5i_clip_plan(&source, changes, parts.moves, &parts.num_rotations, &parts.num_translations);
    md5_block measured = {0};
    anim_layout layout;
    lay_out_anim(&measured, &parts, &layout);
    md5_block block = {.base = (unsigned char *)md5i_alloc(arena->context, measured.used)};
    TRY(block.base);
    *asset = fill_anim(arena->context, &block, &parts);
    return true;
}

md5_anim *md5_parse_anim(const void *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    return (md5_anim *)md5i_parse_asset(build_anim, text, size, opts, error);
}

md5_anim *md5_load_anim(const char *path, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    return (md5_anim *)md5i_load_asset(build_anim, path, opts, error);
}

void md5_free_anim(md5_anim *anim)
{
    if (anim)
        anim->allocator.free(anim->allocator.user, anim, anim->size);
}

// == Cameras =====================================================================================

typedef struct camera_layout {
    md5_camera *camera;
    uint32_t *cuts;
    md5_cut_view *cut_views;
    md5_camera_view *frames;
    char *names;
} camera_layout;

static void lay_out_camera(md5_block *block, const md5_camera_file *file, camera_layout *layout)
{
    layout->camera = (md5_camera *)md5i_block_take(block, 1, sizeof *layout->camera);
    layout->cuts = (uint32_t *)md5i_block_take(block, file->num_cuts, sizeof *layout->cuts);
    layout->cut_views =
        (md5_cut_view *)md5i_block_take(block, file->num_cut_views, sizeof *layout->cut_views);
    layout->frames =
        (md5_camera_view *)md5i_block_take(block, file->num_frames, sizeof *layout->frames);
    layout->names = (char *)md5i_block_take(block, md5i_name_size(file->command_line), 1);
}

static void convert_camera(const md5_context *context, const md5_camera_file *file,
                           const camera_layout *layout)
{
    for (uint32_t i = 0; i < file->num_frames; i++) {
        md5i_convert_points(context, &layout->frames[i].position, 1);
        md5i_convert_rotations(context, &layout->frames[i].rotation, 1);
    }
    for (uint32_t i = 0; i < file->num_cut_views; i++) {
        md5i_convert_points(context, &layout->cut_views[i].position, 1);
        md5i_convert_rotations(context, &layout->cut_views[i].rotation, 1);
    }
}

static bool build_camera(md5_arena *arena, const char *text, size_t size, void **asset)
{
    md5_camera_file file;
    md5_block measured = {0};
    camera_layout layout;
    const bool is_bfg = md5i_is_bfg_camera(text, size);
    TRY(is_bfg ? md5i_read_bfg_camera(arena, text, size, &file)
               : md5i_read_camera_file(arena, text, size, &file));
    lay_out_camera(&measured, &file, &layout);
    md5_block block = {.base = (unsigned char *)md5i_alloc(arena->context, measured.used)};
    TRY(block.base);
    lay_out_camera(&block, &file, &layout);
    md5_copy_items(layout.cuts, file.cuts, file.num_cuts, sizeof *layout.cuts);
    md5_copy_items(layout.cut_views, file.cut_views, file.num_cut_views, sizeof *layout.cut_views);
    md5_copy_items(layout.frames, file.frames, file.num_frames, sizeof *layout.frames);
    if (md5_converts(arena->context))
        convert_camera(arena->context, &file, &layout);

    const uint32_t last = file.num_frames - 1;
    const uint32_t num_intervals = file.num_cuts < last ? last - file.num_cuts : 0;
    *layout.camera = (md5_camera){
        .num_frames = file.num_frames,
        .frame_rate = file.frame_rate,
        .duration = (double)num_intervals / file.frame_rate,
        .num_cuts = file.num_cuts,
        .cuts = layout.cuts,
        .num_cut_views = file.num_cut_views,
        .cut_views = layout.cut_views,
        .frames = layout.frames,
        .command_line = md5i_copy_name(&layout.names, file.command_line),
        .num_warnings = arena->context->num_warnings,
        .size = block.used,
        .allocator = arena->context->allocator,
    };
    *asset = layout.camera;
    return true;
}

md5_camera *md5_parse_camera(const void *text, size_t size, const md5_load_opts *opts,
                             md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    return (md5_camera *)md5i_parse_asset(build_camera, text, size, opts, error);
}

md5_camera *md5_load_camera(const char *path, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    return (md5_camera *)md5i_load_asset(build_camera, path, opts, error);
}

void md5_free_camera(md5_camera *camera)
{
    if (camera)
        camera->allocator.free(camera->allocator.user, camera, camera->size);
}
