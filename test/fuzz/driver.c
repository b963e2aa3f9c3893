// libFuzzer's way in: -DFUZZ_TARGET=fuzz_mesh says which target this program is made for.
#include "test/fuzz/target.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const fault = FUZZ_TARGET(data, size);
    if (fault) {
        fprintf(stderr, "fault: %s\n", fault);
        abort();
    }
    return 0;
}
