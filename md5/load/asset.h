// Loads assets: models, animations and cameras.
//
// A load has three steps: read the text into tables in an arena, measure the asset, and store it in
// one block of exactly that size, which md5_free_*() frees. The function that allocates the arrays
// of an asset in the block runs twice: to measure the block and to get the addresses (md5_block).
#ifndef MD5_LOAD_ASSET_H
#define MD5_LOAD_ASSET_H

#include "md5/core/arena.h"
#include "md5/read/tables.h"

// Builds an asset from a text, in one block from the context's allocator. Scratch memory comes from
// the arena. If it fails, it returns false with the context's error set, and the block is freed.
typedef bool md5_build_asset(md5_arena *arena, const char *text, size_t size, void **asset);

// Loads an asset from text[size] or, if `text` is NULL, from the file at `path`: checks the
// options, reads the file, builds the asset and reports warnings. Returns NULL on failure.
void *md5i_load_asset(md5_build_asset *build, const char *path, const char *text, size_t size,
                      const md5_load_opts *opts, md5_error *error);

// Build a model or a clip: functions for md5i_load_asset().
bool md5i_build_model(md5_arena *arena, const char *text, size_t size, void **asset);
bool md5i_build_anim(md5_arena *arena, const char *text, size_t size, void **asset);

// The two halves of md5i_load_asset(): initialize the context, and load an asset with it. Callers
// of these functions get each warning immediately. md5i_load_asset() merges equal warnings.
void md5i_begin_load(md5_context *context, const char *path, const char *text,
                     const md5_load_opts *opts, md5_error *error);
void *md5i_load_in(md5_context *context, md5_build_asset *build, const char *path, const char *text,
                   size_t size);

// Returns the memory that a load of a text of this size should not exceed, in bytes; SIZE_MAX for
// small texts. If more is needed, a load uses slower methods that need less memory.
size_t md5i_memory_goal(size_t text_size);

// Copy a text, or the joints of a file with their names, to a block. Return NULL while the block is
// measured.
const char *md5i_store_text(md5_block *block, md5_span text);
const md5_joint *md5i_store_joints(md5_block *block, const md5_file_joint *source, uint32_t count);

#endif
