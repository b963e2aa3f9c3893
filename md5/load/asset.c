// The part of loading that all assets share: checking the options, reading the file, and copying
// texts and joints of the file to the memory block of the asset.
#include "md5/load/asset.h"
#include "md5/core/file.h"
#include "md5/core/math.h"

// Starts a load call. Messages of the call contain the path of the file. For a text in memory they
// contain the file name of the options instead.
void md5i_begin_load(md5_context *context, const char *path, const char *text,
                     const md5_load_opts *opts, md5_error *error)
{
    const char *const name = opts ? opts->file_name : NULL;
    md5i_context_begin(context, opts, text ? name : path, error);
}

// Checks the options that md5i_context_begin() has copied without a check.
static bool check_options(md5_context *context)
{
    const float min_scale = 1e-6f;
    const float max_scale = 1e6f;
    if ((unsigned)context->axes >= MD5_NUM_AXES)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "md5_load_opts.axes: expected a value of md5_axes, found %d",
                        (int)context->axes);
    if (!(context->scale >= min_scale && context->scale <= max_scale))
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "md5_load_opts.scale: expected 1e-06 to 1e+06, found %g",
                        (double)context->scale);
    return true;
}

// Builds an asset from the text of a file. The scratch memory is freed at the end. Returns NULL and
// sets the context's error on failure.
static MD5_COLD void *build_from_text(md5_context *context, md5_build_asset *build,
                                      const char *text, size_t size)
{
    void *asset = NULL;
    md5_arena arena = {.context = context};
    if (check_options(context) && md5_check_text_size(context, size))
        build(&arena, text, size, &asset);
    md5i_arena_free(&arena);
    return asset;
}

// Loads an asset from text[size], or from the file at `path` if `text` is NULL. md5i_begin_load()
// must have initialized the context. Returns NULL and sets the context's error on failure.
void *md5i_load_in(md5_context *context, md5_build_asset *build, const char *path, const char *text,
                   size_t size)
{
    void *asset = NULL;
    md5_file_text file = {0};
    if (text) {
        asset = build_from_text(context, build, text, size);
    } else if (md5i_read_file_text(context, path, &file)) {
        asset = build_from_text(context, build, file.bytes, file.size);
    }
    md5i_free_file_text(context, &file);
    return asset;
}

size_t md5i_memory_goal(size_t text_size)
{
    enum { SMALL_TEXT = 16 << 10 };
    return text_size > SMALL_TEXT ? text_size + text_size / 2 : SIZE_MAX;
}

const char *md5i_store_text(md5_block *block, md5_span text)
{
    return md5i_block_copy_text(block, text.bytes, text.size);
}

// Copies the names and parents of `count` joints to a block. Returns NULL while the block is only
// measured.
const md5_joint *md5i_store_joints(md5_block *block, const md5_file_joint *source, uint32_t count)
{
    md5_joint *const joints = MD5_BLOCK_ARRAY(block, md5_joint, count);
    for (uint32_t j = 0; j < count; j++) {
        const char *const name = md5i_store_text(block, source[j].name);
        if (joints)
            joints[j] = (md5_joint){name, source[j].parent};
    }
    return joints;
}
