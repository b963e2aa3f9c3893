#include "test/fuzz/text.h"

FUZZ_TEXT_KIND(anim, md5_anim, md5_parse_anim, asset_anim_fault, md5_free_anim, FUZZ_BYTES_PER_BYTE)
