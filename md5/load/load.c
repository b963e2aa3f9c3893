// The public functions that load models and clips. md5_free_model() is in model.c, because the
// builder of models calls it.
#include "md5/core/freed.h"
#include "md5/core/file.h"
#include "md5/load/asset.h"

// Loads an asset from a text in memory. NULL is treated as an empty text.
static void *parse_asset(md5_build_asset *build, const void *text, size_t size,
                         const md5_load_opts *opts, md5_error *error)
{
    if (!text)
        return md5i_load_asset(build, NULL, "", 0, opts, error);
    return md5i_load_asset(build, NULL, (const char *)text, size, opts, error);
}

// Builds a clip from the content of a file in memory. Returns NULL and sets the error on failure.
md5_anim *md5_parse_anim(const void *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    return (md5_anim *)parse_asset(md5i_build_anim, text, size, opts, error);
}

// Loads a clip from a file. Returns NULL and sets the error on failure.
md5_anim *md5_load_anim(const char *path, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    return (md5_anim *)md5i_load_asset(md5i_build_anim, path, NULL, 0, opts, error);
}

void md5_free_anim(md5_anim *anim)
{
    MD5_FREE(anim, MD5_TAG_ANIM);
}

// Builds a model from the content of a file in memory. Returns NULL and sets the error on failure.
md5_model *md5_parse_model(const void *text, size_t size, const md5_load_opts *opts,
                           md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    return (md5_model *)parse_asset(md5i_build_model, text, size, opts, error);
}

// Loads a model from a file. Returns NULL and sets the error on failure.
md5_model *md5_load_model(const char *path, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    return (md5_model *)md5i_load_asset(md5i_build_model, path, NULL, 0, opts, error);
}
