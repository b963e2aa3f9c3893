// Loading: models, animations and cameras are made of files.
//
// An asset is made in three steps: read the text into tables in an arena, measure the asset, and
// store it in one block of exactly that size, which md5_free_*() gives back in one piece. Each kind
// of asset has a function that allocates its arrays in a block: it runs once to measure and once to
// store.
#ifndef MD5_LOAD_ASSET_H
#define MD5_LOAD_ASSET_H

#include "md5/core/arena.h"
#include "md5/read/tables.h"

// Makes an asset of a text in one block from the context's allocator. Scratch memory comes from the
// arena. Returns false, with the context's error set, and then leaves no block behind.
typedef bool md5_build_asset(md5_arena *arena, const char *text, size_t size, void **asset);

// Makes an asset of text[size] or, if `text` is NULL, of the file at `path`: checks the options,
// reads the file, builds the asset and reports warnings. Returns NULL on failure.
void *md5i_load_asset(md5_build_asset *build, const char *path, const char *text, size_t size,
                      const md5_load_opts *opts, md5_error *error);

// The builders of models and clips: see build.c.
bool md5i_build_model(md5_arena *arena, const char *text, size_t size, void **asset);
bool md5i_build_anim(md5_arena *arena, const char *text, size_t size, void **asset);

// The steps of md5i_load_asset(), without warnings: starts the context, and loads in it.
void md5i_begin_load(md5_context *context, const char *path, const char *text,
                     const md5_load_opts *opts, md5_error *error);
void *md5i_load_in(md5_context *context, md5_build_asset *build, const char *path, const char *text,
                   size_t size);

// Returns the bytes that a load of a text of this size should not exceed if a slower way takes
// less; SIZE_MAX for small texts.
size_t md5i_memory_goal(size_t text_size);

// Copy a text, or the joints of a file with their names, to a block. Return NULL while measuring.
const char *md5i_put_text(md5_block *block, md5_span text);
const md5_joint *md5i_put_joints(md5_block *block, const md5_file_joint *source, uint32_t count);

#endif
