// Fuzz target for SMD files.
#include "test/fuzz/convert.h"

const char *fuzz_smd(const uint8_t *data, size_t size)
{
    return fuzz_convert(convert_read_smd, convert_write_gltf, NULL, data, size);
}
