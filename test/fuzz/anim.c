#include "test/fuzz/target.h"
#include "test/test_asset.h"

const char *fuzz_anim(const uint8_t *data, size_t size)
{
    const char *const text = (const char *)data;
    asset_heap heap = {0};
    asset_warnings warnings = {0};
    md5_load_opts opts = asset_opts(&heap, &warnings);
    md5_error error;
    opts.memory_limit = FUZZ_MEMORY_LIMIT;
    opts.max_warnings = 1 + (uint32_t)(size % 8);
    md5_anim *const anim = md5_parse_anim(text, size, &opts, &error);
    const char *fault =
        asset_answer_fault(anim, anim ? anim->num_warnings : 0, &opts, &error, text, size);
    if (!fault && error.status == MD5_ERROR_MEMORY)
        fault = "more memory was asked for than a small text can need";
    if (!fault && anim)
        fault = asset_anim_fault(anim);
    md5_free_anim(anim);
    if (!fault && heap.peak_bytes > FUZZ_FIXED_BYTES + (FUZZ_BYTES_PER_BYTE - 1) * size)
        fault = "more memory than 64 KB and 16 bytes for each byte";
    return fault ? fault : asset_heap_fault(&heap);
}
