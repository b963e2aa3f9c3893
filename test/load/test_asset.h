// Checks for every asset that the library returns, for any text. They are used by tests with
// invalid files. Does not include test.h, so that fuzzers can use it.
//
// asset_heap is an allocator that detects leaks, asset_warnings collects warnings; the *_fault()
// functions return a description of the first error.
#ifndef TEST_LOAD_TEST_ASSET_H
#define TEST_LOAD_TEST_ASSET_H

#include "md5/md5model.h"

// An allocator that counts blocks, and detects a block that is freed with the wrong size.
typedef struct asset_heap {
    size_t fail_at;    // index of the allocation that fails; 0 = none
    size_t num_allocs; // requested by the library
    size_t live;
    size_t live_bytes;
    size_t peak_bytes;
    bool has_wrong_size;
} asset_heap;

// The warnings that were reported.
typedef struct asset_warnings {
    uint32_t num_reported;
    const char *fault;     // description of the first invalid warning
    uint64_t largest_line; // 0 = none
    uint32_t hashes[128];  // hashes of the first messages
} asset_warnings;

// Returns true if a warning was reported that `expected` does not contain.
bool asset_warnings_have_new(const asset_warnings *warnings, const asset_warnings *expected);

// Returns options with this allocator and warning callback, and defaults for the rest.
md5_load_opts asset_opts(asset_heap *heap, asset_warnings *warnings);

// These functions return NULL, or the first error.
//
// They check every index and count, that every array is inside the block, that rotations, normals
// and tangents have unit length, and that bounds enclose their contents.
const char *asset_model_fault(const md5_model *model);
size_t asset_num_chunks(const md5_model *model); // number of memory chunks that its meshes share
const char *asset_anim_fault(const md5_anim *anim);
const char *asset_camera_fault(const md5_camera *camera);
const char *asset_binding_fault(const md5_binding *binding);

// Checks that the results of a call are consistent: there is either an asset or an error with a
// location and a message; the number of reported warnings equals the counted number, up to the
// limit; and every location is inside the text.
const char *asset_answer_fault(const void *asset, uint32_t num_warnings, const md5_load_opts *opts,
                               const md5_error *error, const char *text, size_t size);

// Checks that all memory was freed, and that each block was freed with the size with which it was
// allocated.
const char *asset_heap_fault(const asset_heap *heap);

// Return true if two assets are bit-identical except for warnings and addresses.
bool asset_models_equal(const md5_model *a, const md5_model *b);
bool asset_anims_equal(const md5_anim *a, const md5_anim *b);
bool asset_cameras_equal(const md5_camera *a, const md5_camera *b);

#endif
