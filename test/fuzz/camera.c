#include "test/fuzz/target.h"
#include "test/test_asset.h"

#include <math.h>

static const char *view_fault(const md5_camera *camera, double time, md5_wrap wrap)
{
    const md5_quat q = md5_camera_at(camera, time, wrap).rotation;
    const double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    return fabs(x * x + y * y + z * z + w * w - 1.0) <= 1e-4 ? NULL : "a view without unit length";
}

static const char *fly(const md5_camera *camera)
{
    const double end = camera->duration;
    const double times[] = {0.0, 0.3 * end, 0.7 * end, end, -0.7 * end, 1e300, (double)NAN};
    const char *fault = NULL;
    for (size_t i = 0; i < 3 * sizeof times / sizeof times[0] && !fault; i++)
        fault = view_fault(camera, times[i / 3], (md5_wrap)(i % 3));
    return fault;
}

const char *fuzz_camera(const uint8_t *data, size_t size)
{
    const char *const text = (const char *)data;
    asset_heap heap = {0};
    asset_warnings warnings = {0};
    md5_load_opts opts = asset_opts(&heap, &warnings);
    md5_error error;
    opts.memory_limit = FUZZ_MEMORY_LIMIT;
    opts.max_warnings = 1 + (uint32_t)(size % 8);
    md5_camera *const camera = md5_parse_camera(text, size, &opts, &error);
    const char *fault =
        asset_answer_fault(camera, camera ? camera->num_warnings : 0, &opts, &error, text, size);
    if (!fault && error.status == MD5_ERROR_MEMORY)
        fault = "more memory was asked for than a small text can need";
    if (!fault && camera)
        fault = asset_camera_fault(camera);
    if (!fault && camera)
        fault = fly(camera);
    md5_free_camera(camera);
    if (!fault && heap.peak_bytes > FUZZ_FIXED_BYTES + (FUZZ_BYTES_PER_BYTE - 1) * size)
        fault = "more memory than 64 KB and 16 bytes for each byte";
    return fault ? fault : asset_heap_fault(&heap);
}
