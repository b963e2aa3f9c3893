// The entry point of libFuzzer: -DFUZZ_TARGET=fuzz_mesh selects the target of the program.
#include "test/fuzz/target.h"

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
