// Fuzz target for models made of frames. They are read and written as glTF, with time and memory
// linear in their size.
#include "test/fuzz/convert.h"

const char *fuzz_quake(const uint8_t *data, size_t size)
{
    return fuzz_convert(convert_read_quake, convert_write_gltf, NULL, data, size);
}
