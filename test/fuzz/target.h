// Targets: each runs one fuzzed input and returns NULL or a description of the fault.
//
// A new one needs a file of its name in library/ or programs/, a line here, and inputs in seeds/,
// which `make test` replays; a target of the library also inputs in corpus/; a target whose input
// consists of words a name in needs_mutator() of fuzz.sh.
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include "test/test.h"

typedef const char *fuzz_target(const uint8_t *data, size_t size);

// Of what the library reads.
#define FUZZ_LIBRARY_TARGETS(TARGET)                                                      \
    TARGET(mesh)       /* an .md5mesh */                                                  \
    TARGET(anim)       /* an .md5anim */                                                  \
    TARGET(scene)      /* an .md5mesh, a NUL byte, an .md5anim: bound, skinned, judged */ \
    TARGET(camera)     /* an .md5camera */                                                \
    TARGET(machine)    /* an .md5machine, which is played */                              \
    TARGET(save)       /* commands, and changes fixture the saved player */               \
    TARGET(compressed) /* the file fixture a compressed clip */                           \
    TARGET(texture)    /* an image program and a picture */                               \
    TARGET(game)       /* files fixture declarations, with a NUL byte between them */     \
    TARGET(cube)       /* an md5.cfg, a NUL byte, another script */                       \
    TARGET(script)     /* a script, a NUL byte, what it includes */                       \
    TARGET(scale)      /* a .md5scale */

// Of what the programs read.
#define FUZZ_PROGRAM_TARGETS(TARGET)                                                 \
    TARGET(image)   /* a picture, or one fixture Radiance */                         \
    TARGET(shader)  /* a .shader file */                                             \
    TARGET(archive) /* a zip file or .pak */                                         \
    TARGET(gltf)    /* a .gltf or .glb, or its JSON, a NUL byte, its binary chunk */ \
    TARGET(iqm)     /* an .iqm */                                                    \
    TARGET(quake)   /* an .mdl, .md2 or .md3 */                                      \
    TARGET(bvh)     /* a .bvh */

#define FUZZ_DECLARE(name) fuzz_target fuzz_##name;
FUZZ_LIBRARY_TARGETS(FUZZ_DECLARE)
FUZZ_PROGRAM_TARGETS(FUZZ_DECLARE)

// Limits of all inputs: far more than any of them needs.
enum { FUZZ_MEMORY_LIMIT = 64 << 20 };

// The memory that a text may use, without itself: these, and of most kinds so many for each byte.
enum { FUZZ_FIXED_BYTES = 64 << 10, FUZZ_BYTES_PER_BYTE = 15 };

#endif
