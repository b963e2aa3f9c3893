// Failing allocations for targets of any kind.
#ifndef FUZZ_MEMORY_H
#define FUZZ_MEMORY_H

#include "test/fuzz/target.h"
#include "test/load/test_asset.h"

typedef void *fuzz_make(const void *fixture, const md5_load_opts *opts, md5_error *error);
typedef void fuzz_destroy(void *asset);

// Creates an asset from `fixture` twice: first with sufficient memory, then with one failing
// allocation, which `choice` selects. The failure must be reported, and all memory freed.
static inline const char *fuzz_memory(fuzz_make *make, fuzz_destroy *destroy, const void *fixture,
                                      md5_load_opts opts, size_t choice)
{
    asset_heap heap = {0};
    asset_warnings warnings = {0};
    md5_error error = {0};
    opts.allocator = asset_opts(&heap, &warnings).allocator;
    void *asset = make(fixture, &opts, &error);
    const size_t num_allocs = heap.num_allocs;
    if (asset)
        destroy(asset);
    if ((asset != NULL) != (error.status == MD5_OK) || (!asset && !error.message[0]))
        return "rejected without an error, or created with an error";
    if (asset_heap_fault(&heap) || num_allocs == 0)
        return asset_heap_fault(&heap);
    heap = (asset_heap){.fail_at = 1 + choice % num_allocs};
    asset = make(fixture, &opts, &error);
    if (asset)
        destroy(asset);
    if (asset)
        return "created although an allocation failed";
    if (error.status != MD5_ERROR_MEMORY)
        return "a failed allocation was not reported";
    return asset_heap_fault(&heap);
}

// Defines a function of type fuzz_destroy, because a cast of the function pointer is undefined
// behavior.
#define FUZZ_DESTROY(name, type, destroy) \
    static void name(void *asset)         \
    {                                     \
        destroy((type *)asset);           \
    }

#endif
