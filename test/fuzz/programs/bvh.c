// Fuzz target for BVH files. The file becomes a clip with its own skeleton, and a clip for a small
// person.
#include "test/fuzz/convert.h"

static const char person[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 13\nnumMeshes 1\njoints {\n"
    "\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
    "\"hips\" 0 ( 0 0 8 ) ( 0 0 0 )\n"
    "\"chest\" 1 ( 0 0 12 ) ( 0 0 0 )\n"
    "\"head\" 2 ( 0 0 15 ) ( 0 0 0 )\n"
    "\"upperarm_l\" 2 ( 0 2 14 ) ( 0.5 0.5 0.5 )\n"
    "\"forearm_l\" 4 ( 0 5 13 ) ( 0 0 0.5 )\n"
    "\"upperarm_r\" 2 ( 0 -2 14 ) ( 0 0 0 )\n"
    "\"thigh_l\" 1 ( 0 1 8 ) ( 0 0 0 )\n"
    "\"shin_l\" 7 ( 1 1 4 ) ( 0 0 0 )\n"
    "\"foot_l\" 8 ( 0 1 1 ) ( 0 0.7 0 )\n"
    "\"thigh_r\" 1 ( 0 -1 8 ) ( 0 0 0 )\n"
    "\"shin_r\" 10 ( 1 -1 4 ) ( 0 0 0 )\n"
    "\"foot_r\" 11 ( 0 -1 1 ) ( 0 0.7 0 )\n"
    "}\nmesh {\nshader \"\"\nnumverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 0 0 ) 1 1\n"
    "vert 2 ( 0 0 ) 2 1\nnumtris 1\ntri 0 0 1 2\nnumweights 3\nweight 0 3 1 ( 0 0 1 )\n"
    "weight 1 9 1 ( 1 0 0 )\nweight 2 12 1 ( 1 0 0 )\n}\n";

const char *fuzz_bvh(const uint8_t *data, size_t size)
{
    const char *const fault = fuzz_convert(convert_read_bvh, NULL, NULL, data, size);
    return fault ? fault : fuzz_convert(convert_read_bvh, NULL, person, data, size);
}
