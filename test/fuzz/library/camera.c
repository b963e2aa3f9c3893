// Fuzz target for .md5camera files.
#include "test/fuzz/text.h"

static const char *view_mesh_defect(const md5_camera *camera, double time, md5_wrap wrap)
{
    const bool is_smooth = fmod(time, 0.2) > 0.1;
    const md5_quat q = is_smooth ? md5_camera_at(camera, time, wrap, 0.5).rotation
                                 : md5_camera_at(camera, time, wrap, 0).rotation;
    md5_camera_cut_view(camera, time, wrap);
    const double x = q.x;
    const double y = q.y;
    const double z = q.z;
    const double w = q.w;
    return fabs(x * x + y * y + z * z + w * w - 1) <= 1e-4 ? NULL
                                                           : "a view rotation without unit length";
}

static const char *camera_fault(const md5_camera *camera)
{
    const double end = camera->duration;
    const double times[] = {0, 0.3 * end, 0.7 * end, end, -0.7 * end, 1e300, NAN};
    const char *fault = asset_camera_fault(camera);
    for (size_t i = 0; i < 3 * COUNT_OF(times) && !fault; i++)
        fault = view_mesh_defect(camera, times[i / 3], (md5_wrap)(i % 3));
    return fault;
}

static void *parse_camera(const void *text, size_t size, const md5_load_opts *opts,
                          md5_error *error)
{
    return md5_parse_camera(text, size, opts, error);
}

static uint32_t count_camera_warnings(const void *asset)
{
    return ((const md5_camera *)asset)->num_warnings;
}

static const char *find_camera_fault(void *asset)
{
    return camera_fault((md5_camera *)asset);
}

static void free_camera(void *asset)
{
    md5_free_camera((md5_camera *)asset);
}

const char *fuzz_camera(const uint8_t *data, size_t size)
{
    static const fuzz_text_kind kind = {parse_camera, count_camera_warnings, find_camera_fault,
                                        free_camera, FUZZ_BYTES_PER_BYTE};
    return fuzz_text(&kind, data, size);
}
