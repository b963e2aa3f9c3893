// Fuzz target for IQM files, which are read and written again.
#include "test/fuzz/convert.h"

const char *fuzz_iqm(const uint8_t *data, size_t size)
{
    return fuzz_convert(convert_read_iqm, convert_write_iqm, NULL, data, size);
}
