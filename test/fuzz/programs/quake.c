// A model of frames, which is read, and written as glTF: time and memory are linear in its bytes.
#include "test/fuzz/convert.h"

const char *fuzz_quake(const uint8_t *data, size_t size)
{
    return fuzz_convert(convert_read_quake, convert_write_gltf, NULL, data, size);
}
