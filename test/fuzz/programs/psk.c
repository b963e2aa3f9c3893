// Fuzz target for PSK and PSA files.
#include "test/fuzz/convert.h"

const char *fuzz_psk(const uint8_t *data, size_t size)
{
    return fuzz_convert(convert_read_psk, convert_write_gltf, NULL, data, size);
}
