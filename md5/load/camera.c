// Loads camera paths.
#include "md5/core/freed.h"
#include "md5/core/file.h"
#include "md5/load/asset.h"
#include "md5/load/axes.h"

// Addresses of the parts of a camera path. All parts are in one memory block, which
// md5_free_camera() frees.
typedef struct camera_layout {
    md5_camera *camera;
    const char *command_line;
    const uint32_t *cuts;
    md5_cut_view *cut_views;
    md5_camera_view *frames;
} camera_layout;

// Allocates the parts in the block, and copies the tables of the file to them. This function is
// called twice, first to measure the block. All parts are then NULL.
static void allocate_camera(md5_block *block, const md5_camera_file *file, camera_layout *parts)
{
    parts->camera = MD5_BLOCK_ARRAY(block, md5_camera, 1);
    parts->command_line = md5i_store_text(block, file->command_line);
    parts->cuts = MD5_BLOCK_COPY(block, uint32_t, file->cuts, file->num_cuts);
    parts->cut_views = MD5_BLOCK_COPY(block, md5_cut_view, file->cut_views, file->num_cut_views);
    parts->frames = MD5_BLOCK_COPY(block, md5_camera_view, file->frames, file->num_frames);
}

// Computes w of the rotations, because files contain only x y z. Then converts all views to the
// axes and units of the options.
static void convert_camera(const md5_context *context, const md5_camera_file *file,
                           const camera_layout *parts)
{
    for (uint32_t i = 0; i < file->num_frames; i++) {
        md5_camera_view *const view = &parts->frames[i];
        const md5_quat q = view->rotation;
        view->rotation = md5_quat_from_xyz(q.x, q.y, q.z);
        md5i_convert_points(context, &view->position, 1);
        md5i_convert_rotations(context, &view->rotation, 1);
    }
    if (!md5_needs_conversion(context))
        return;
    for (uint32_t i = 0; i < file->num_cut_views; i++) {
        md5i_convert_points(context, &parts->cut_views[i].position, 1);
        md5i_convert_rotations(context, &parts->cut_views[i].rotation, 1);
    }
}

// Builds a camera path from a text in one block.
static bool build_camera(md5_arena *arena, const char *text, size_t size, void **asset)
{
    const md5_context *const context = arena->context;
    md5_camera_file file;
    TRY(md5i_read_camera_file(arena, text, size, &file));

    md5_block block = {0};
    camera_layout parts = {.camera = NULL};
    for (uint32_t pass = 0; pass < 2; pass++) {
        allocate_camera(&block, &file, &parts);
        if (pass == 0)
            TRY(md5i_block_end_measuring(arena->context, &block));
    }
    convert_camera(context, &file, &parts);

    // The interval between two frames lasts 1 / frame_rate seconds. An interval with a cut has no
    // duration, because the next frame is shown immediately.
    const uint32_t num_gaps = file.num_frames - 1;
    const uint32_t num_intervals = file.num_cuts < num_gaps ? num_gaps - file.num_cuts : 0;
    *parts.camera = (md5_camera){
        .num_frames = file.num_frames,
        .frame_rate = file.frame_rate,
        .duration = (double)num_intervals / file.frame_rate,
        .num_cuts = file.num_cuts,
        .cuts = parts.cuts,
        .num_cut_views = file.num_cut_views,
        .cut_views = parts.cut_views,
        .frames = parts.frames,
        .command_line = parts.command_line,
        .num_warnings = context->num_warnings,
        .size = block.used,
        .internal = {.allocator = context->allocator, .tag = MD5_TAG_CAMERA},
    };
    *asset = parts.camera;
    return true;
}

// Reads a camera from a text in memory. NULL is treated as an empty text, which fails with an error
// message.
md5_camera *md5_parse_camera(const void *text, size_t size, const md5_load_opts *opts,
                             md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    if (!text)
        return (md5_camera *)md5i_load_asset(build_camera, NULL, "", 0, opts, error);
    return (md5_camera *)md5i_load_asset(build_camera, NULL, (const char *)text, size, opts, error);
}

// Loads a camera from a file. Returns NULL and sets the error on failure.
md5_camera *md5_load_camera(const char *path, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    return (md5_camera *)md5i_load_asset(build_camera, path, NULL, 0, opts, error);
}

void md5_free_camera(md5_camera *camera)
{
    MD5_FREE(camera, MD5_TAG_CAMERA);
}
