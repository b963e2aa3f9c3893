// Loads assets: models, animations and cameras.
//
// A load has three steps. It reads the text into tables of an arena, measures the asset, and stores
// the asset in one block of exactly that size. md5_free_*() frees the block. The function that
// allocates the arrays in the block runs twice: first to measure the block, then to get the
// addresses (see md5_block).
#ifndef MD5_LOAD_ASSET_H
#define MD5_LOAD_ASSET_H

#include "md5/core/arena.h"
#include "md5/read/tables.h"

// The type of functions that build an asset from a text. The asset is one block from the context's
// allocator. Scratch memory comes from the arena. On failure the function returns false with the
// context's error set, and has freed the block.
typedef bool md5_build_asset(md5_arena *arena, const char *text, size_t size, void **asset);

// Loads an asset from text[size], or from the file at `path` if `text` is NULL. Checks the options,
// reads the file, builds the asset and reports its warnings. Returns NULL on failure.
void *md5i_load_asset(md5_build_asset *build, const char *path, const char *text, size_t size,
                      const md5_load_opts *opts, md5_error *error);

// The functions that md5i_load_asset() needs to build a model or a clip.
bool md5i_build_model(md5_arena *arena, const char *text, size_t size, void **asset);
bool md5i_build_anim(md5_arena *arena, const char *text, size_t size, void **asset);

// The two halves of md5i_load_asset(), which initialize the context and load an asset with it. If a
// caller uses them directly, each warning is reported immediately. md5i_load_asset() merges
// repeated warnings instead.
void md5i_begin_load(md5_context *context, const char *path, const char *text,
                     const md5_load_opts *opts, md5_error *error);
void *md5i_load_in(md5_context *context, md5_build_asset *build, const char *path, const char *text,
                   size_t size);

// Returns the memory that a load of a text of this size should not exceed, in bytes. Small texts
// have no such goal: the result is SIZE_MAX. A load that would exceed the goal uses slower methods
// that need less memory.
size_t md5i_memory_goal(size_t text_size);

// Copy a text, or the joints of a file with their names, to a block. Both return NULL while the
// block is only measured.
const char *md5i_store_text(md5_block *block, md5_span text);
const md5_joint *md5i_store_joints(md5_block *block, const md5_file_joint *source, uint32_t count);

#endif
