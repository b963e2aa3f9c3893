// Cameras: read, put into one block.
#include "md5/core/axes.h"
#include "md5/load.h"
#include "md5/read/tables.h"

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
