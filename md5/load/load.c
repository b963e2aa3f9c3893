// The public functions that load models and clips. md5_free_model() is in model.c, because the
// builders call it.
#include "md5/core/freed.h"
#include "md5/core/file.h"
#include "md5/load/asset.h"

md5_anim *md5_parse_anim(const void *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    return (md5_anim *)md5i_load_asset(md5i_build_anim, NULL, text ? (const char *)text : "",
                                       text ? size : 0, opts, error);
}

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

md5_model *md5_parse_model(const void *text, size_t size, const md5_load_opts *opts,
                           md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    return (md5_model *)md5i_load_asset(md5i_build_model, NULL, text ? (const char *)text : "",
                                        text ? size : 0, opts, error);
}

md5_model *md5_load_model(const char *path, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    return (md5_model *)md5i_load_asset(md5i_build_model, path, NULL, 0, opts, error);
}
