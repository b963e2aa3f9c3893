// What must hold for every asset that the library returns, whatever the text was: for tests with
// bad files. Does not need test.h, so that fuzzers can use it.
#ifndef TEST_LOAD_TEST_ASSET_H
#define TEST_LOAD_TEST_ASSET_H

#include "md5/md5model.h"

// An allocator that counts, and detects a block that is freed with the wrong size.
typedef struct asset_heap {
    size_t fail_at;    // this allocation fails; 0 = none
    size_t num_allocs; // asked for
    size_t live, live_bytes, peak_bytes;
    bool has_wrong_size;
} asset_heap;

// The warnings that were reported.
typedef struct asset_warnings {
    uint32_t num_reported;
    const char *fault;     // what is wrong with the first faulty one
    uint64_t largest_line; // none = 0
    uint32_t hashes[128];  // of the first messages
} asset_warnings;

// Whether a warning was reported that is not in `known`.
bool asset_warnings_have_new(const asset_warnings *warnings, const asset_warnings *known);

// Options that use both, with all else at its default.
md5_load_opts asset_opts(asset_heap *heap, asset_warnings *warnings);

// Each returns NULL, or the first thing that is wrong.
//
// Checks every index and count, that every array is inside the block, that rotations, normals and
// tangents have unit length, and that bounds enclose what they should.
const char *asset_model_fault(const md5_model *model);
size_t asset_num_chunks(const md5_model *model); // of memory that its meshes share
const char *asset_anim_fault(const md5_anim *anim);
const char *asset_camera_fault(const md5_camera *camera);
const char *asset_binding_fault(const md5_binding *binding);

// Checks that the results of a call fit together: an error with a location and a message exactly if
// there is no asset, as many warnings reported as counted up to the cap, every location inside the
// text.
const char *asset_answer_fault(const void *asset, uint32_t num_warnings, const md5_load_opts *opts,
                               const md5_error *error, const char *text, size_t size);

// Checks that all memory was freed, every block with its size.
const char *asset_heap_fault(const asset_heap *heap);

// Whether two assets are equal bit for bit, except for warnings and addresses.
bool asset_models_equal(const md5_model *a, const md5_model *b);
bool asset_anims_equal(const md5_anim *a, const md5_anim *b);
bool asset_cameras_equal(const md5_camera *a, const md5_camera *b);

#endif
