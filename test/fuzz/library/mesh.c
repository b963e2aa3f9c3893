#include "test/fuzz/text.h"

FUZZ_TEXT_KIND(mesh, md5_model, md5_parse_model, asset_model_fault, md5_free_model,
               FUZZ_BYTES_PER_BYTE)
