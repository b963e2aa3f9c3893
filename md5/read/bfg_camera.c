// Camera paths of RBDOOM-3-BFG: .bcanim files. Mixed byte order, as CameraAnim in its Camera.cpp
// reads it. Rotations are stored without w, as in text.
#include "md5/core/math.h"
#include "md5/read/binary.h"
#include "md5/read/camera_file.h"

bool md5i_is_bfg_camera(const char *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "ACB", 3) == 0;
}

// Reads how many items of `bytes` each follow.
static bool read_count(md5_binary *in, const char *what, uint32_t least, size_t bytes,
                       uint32_t *count)
{
    *count = md5i_binary_little_32(in);
    const size_t left = (size_t)(in->end - in->at);
    TRY(!in->has_failed);
    if (*count >= least && *count <= INT32_MAX && *count <= left / bytes)
        return true;
    in->at -= 4;
    return md5i_binary_fail(in, MD5_ERROR_RANGE, "%lld %s: expected at least %u, in %zu bytes",
                            (long long)(int32_t)*count, what, least, left);
}

static bool read_head(md5_binary *in, md5_camera_file *file)
{
    enum { VERSION = 100 };
    const unsigned char *const magic = md5i_binary_take(in, 4);
    TRY(magic);
    if (magic[3] != VERSION)
        return md5i_binary_fail(in, MD5_ERROR_VERSION, "BFG camera of version %u: expected %d",
                                magic[3], VERSION);
    const int32_t rate = (int32_t)md5i_binary_little_32(in);
    TRY(!in->has_failed);
    file->frame_rate = rate;
    if (rate > 0)
        return true;
    in->at -= 4;
    return md5i_binary_fail(in, MD5_ERROR_RANGE, "%d frames a second: expected at least 1", rate);
}

// Cuts are below the number of frames, which follows them.
static bool check_cuts(md5_binary *in, const unsigned char *at, const md5_camera_file *file)
{
    for (uint32_t i = 0; i < file->num_cuts; i++) {
        if (file->cuts[i] < file->num_frames)
            continue;
        in->at = at + 4 * (size_t)i;
        return md5i_binary_fail(in, MD5_ERROR_RANGE, "cut at frame %lld, of %u frames",
                                (long long)(int32_t)file->cuts[i], file->num_frames);
    }
    return true;
}

static bool read_frame(md5_binary *in, md5_camera_view *view)
{
    const unsigned char *const at = in->at;
    view->fov = md5i_binary_big_float(in);
    const float x = md5i_binary_big_float(in), y = md5i_binary_big_float(in);
    const float z = md5i_binary_big_float(in);
    TRY(!in->has_failed);
    if (!md5_is_length(view->fov) || !md5_is_point((md5_vec3){x, y, z})) {
        in->at = at;
        return md5i_binary_fail(in, MD5_ERROR_RANGE, "a field of view or rotation beyond 1e9");
    }
    if (!(view->fov > 0.0f && view->fov < 180.0f))
        md5i_warn(in->arena->context, 1, (uint32_t)(at - in->start) + 1,
                  "field of view %g: expected more than 0 and less than 180 degrees",
                  (double)view->fov);
    view->rotation = md5_quat_from_xyz(x, y, z);
    return md5i_binary_point(in, &view->position);
}

bool md5i_read_bfg_camera(md5_arena *arena, const char *bytes, size_t size, md5_camera_file *file)
{
    enum { CUT_BYTES = 4, FRAME_BYTES = 28 };
    *file = (md5_camera_file){0};
    md5_binary in;
    md5i_binary_begin(&in, arena, bytes, size);
    TRY(read_head(&in, file));
    TRY(read_count(&in, "cuts", 0, CUT_BYTES, &file->num_cuts));
    uint32_t *const cuts = (uint32_t *)md5i_arena_alloc(arena, file->num_cuts, sizeof *cuts);
    TRY(cuts);
    const unsigned char *const cuts_at = in.at;
    for (uint32_t i = 0; i < file->num_cuts; i++)
        cuts[i] = md5i_binary_little_32(&in);
    file->cuts = cuts;
    TRY(read_count(&in, "frames", 1, FRAME_BYTES, &file->num_frames));
    TRY(check_cuts(&in, cuts_at, file));
    md5_camera_view *const frames =
        (md5_camera_view *)md5i_arena_alloc(arena, file->num_frames, sizeof *frames);
    TRY(frames);
    for (uint32_t i = 0; i < file->num_frames; i++)
        TRY(read_frame(&in, &frames[i]));
    file->frames = frames;
    return true;
}
