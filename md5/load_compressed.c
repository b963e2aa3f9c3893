// Compressed clips, from files and from memory.
#include "md5/compress/file.h"
#include "md5/load.h"

md5_compressed *md5_parse_compressed(const void *bytes, size_t size, const md5_load_opts *opts,
                                     md5_error *error)
{
    MD5_ASSERT_TEXT(bytes, size);
    MD5_ASSERT_OPTS(opts);
    return (md5_compressed *)md5i_parse_asset(md5i_read_compressed, bytes, size, opts, error);
}

md5_compressed *md5_load_compressed(const char *path, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    return (md5_compressed *)md5i_load_asset(md5i_read_compressed, path, opts, error);
}
