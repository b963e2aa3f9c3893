// Fuzz target for .md5mesh files.
#include "test/fuzz/text.h"

static void *parse_mesh(const void *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    return md5_parse_model(text, size, opts, error);
}

static uint32_t count_mesh_warnings(const void *asset)
{
    return ((const md5_model *)asset)->num_warnings;
}

static const char *find_mesh_fault(void *asset)
{
    return asset_model_fault((md5_model *)asset);
}

static void free_mesh(void *asset)
{
    md5_free_model((md5_model *)asset);
}

const char *fuzz_mesh(const uint8_t *data, size_t size)
{
    static const fuzz_text_kind kind = {parse_mesh, count_mesh_warnings, find_mesh_fault, free_mesh,
                                        FUZZ_BYTES_PER_BYTE};
    return fuzz_text(&kind, data, size);
}
