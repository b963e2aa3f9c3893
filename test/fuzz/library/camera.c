#include "test/fuzz/text.h"

static const char *view_fault(const md5_camera *camera, double time, md5_wrap wrap)
{
    const bool is_smooth = fmod(time, 0.2) > 0.1;
    const md5_quat q = is_smooth ? md5_camera_at(camera, time, wrap, 0.5).rotation
                                 : md5_camera_at(camera, time, wrap, 0).rotation;
    md5_camera_cut_view(camera, time, wrap);
    const double x = q.x, y = q.y, z = q.z, w = q.w;
    return fabs(x * x + y * y + z * z + w * w - 1) <= 1e-4 ? NULL
                                                           : "a view rotation without unit length";
}

static const char *camera_fault(const md5_camera *camera)
{
    const double end = camera->duration;
    const double times[] = {0, 0.3 * end, 0.7 * end, end, -0.7 * end, 1e300, NAN};
    const char *fault = asset_camera_fault(camera);
    FOR_WHILE (i, 3 * COUNT_OF(times), !fault)
        fault = view_fault(camera, times[i / 3], (md5_wrap)(i % 3));
    return fault;
}

FUZZ_TEXT_KIND(camera, md5_camera, md5_parse_camera, camera_fault, md5_free_camera,
               FUZZ_BYTES_PER_BYTE)
