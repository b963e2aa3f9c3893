// What the loaders of models, animations and cameras share.
//
// An asset is made in three steps: read the text into tables in an arena, measure the asset, and
// place it in one block of exactly that size, which md5_free_*() gives back in one piece. Each kind
// has a function that runs its block's md5i_block_take() calls: once to measure, once to place, so
// the two cannot differ.
#ifndef MD5_LOAD_H
#define MD5_LOAD_H

#include "md5/core/arena.h"
#include "md5/core/assert.h"
#include "md5/core/file_text.h"
#include "md5/read/tables.h"

#include <string.h>

// Makes an asset from a text: one block from the context's allocator. Scratch memory comes from the
// arena. Returns false, with the context's error set, and then leaves no block behind.
typedef bool md5_build_asset(md5_arena *arena, const char *text, size_t size, void **asset);

// The bodies of md5_parse_*() and md5_load_*(): set up context and arena, read the file, call
// `build`. Return the asset or NULL.
void *md5i_parse_asset(md5_build_asset *build, const void *text, size_t size,
                       const md5_load_opts *opts, md5_error *error);
void *md5i_load_asset(md5_build_asset *build, const char *path, const md5_load_opts *opts,
                      md5_error *error);

// Names are stored one behind the other, each with a NUL. The first two functions return bytes.
size_t md5i_name_size(md5_span name);
size_t md5i_joint_names_size(const md5_file_joint *joints, uint32_t num_joints);

// Copies a name to *end and moves *end behind its NUL. Returns the copy.
const char *md5i_copy_name(char **end, md5_span name);
void md5i_copy_joints(char **end, const md5_file_joint *source, uint32_t num_joints,
                      md5_joint *joints);

// memcpy() of `count` items of `size` bytes. With count 0 both pointers may be NULL.
static inline void md5_copy_items(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0)
        memcpy(to, from, count * size);
}

#endif
