// Fuzz target for .md5anim files.
#include "test/fuzz/text.h"

static void *parse_anim(const void *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    return md5_parse_anim(text, size, opts, error);
}

static uint32_t count_anim_warnings(const void *asset)
{
    return ((const md5_anim *)asset)->num_warnings;
}

static const char *find_anim_fault(void *asset)
{
    return asset_anim_fault((md5_anim *)asset);
}

static void free_anim(void *asset)
{
    md5_free_anim((md5_anim *)asset);
}

const char *fuzz_anim(const uint8_t *data, size_t size)
{
    static const fuzz_text_kind kind = {parse_anim, count_anim_warnings, find_anim_fault, free_anim,
                                        FUZZ_BYTES_PER_BYTE};
    return fuzz_text(&kind, data, size);
}
