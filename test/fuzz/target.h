// Fuzz targets: each runs one input and returns NULL or a description of the fault.
//
// A new target needs a file of its name in library/ or programs/, a line here, and inputs in
// seeds/, which `make test` replays. A target of the library also needs inputs in corpus/. A target
// whose input consists of tokens needs its name in needs_mutator() of fuzz.sh.
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include "test/test.h"

typedef const char *fuzz_target(const uint8_t *data, size_t size);

// Targets for the files that the library reads.
#define FUZZ_LIBRARY_TARGETS(TARGET)                                                       \
    TARGET(mesh)       /* an .md5mesh */                                                   \
    TARGET(anim)       /* an .md5anim */                                                   \
    TARGET(scene)      /* an .md5mesh, a NUL byte, an .md5anim: bound, skinned, checked */ \
    TARGET(camera)     /* an .md5camera */                                                 \
    TARGET(machine)    /* an .md5machine, which is played */                               \
    TARGET(save)       /* commands, and changes of the saved player */                     \
    TARGET(compressed) /* the file of a compressed clip */                                 \
    TARGET(texture)    /* an image program and an image */                                 \
    TARGET(game)       /* files of declarations, with a NUL byte between them */           \
    TARGET(cube)       /* an md5.cfg, a NUL byte, another script */                        \
    TARGET(script)     /* a script, a NUL byte, a file that it includes */                 \
    TARGET(scale)      /* a .md5scale */

// Targets for the files that the programs read.
#define FUZZ_PROGRAM_TARGETS(TARGET)                                                 \
    TARGET(image)   /* an image, also a Radiance image */                            \
    TARGET(shader)  /* a .shader file */                                             \
    TARGET(archive) /* a zip file or .pak */                                         \
    TARGET(gltf)    /* a .gltf or .glb, or its JSON, a NUL byte, its binary chunk */ \
    TARGET(iqm)     /* an .iqm */                                                    \
    TARGET(quake)   /* an .mdl, .md2 or .md3 */                                      \
    TARGET(bvh)     /* a .bvh */                                                     \
    TARGET(smd)     /* an .smd */                                                    \
    TARGET(psk)     /* a .psk or .psa */

#define FUZZ_DECLARE(name) fuzz_target fuzz_##name;
FUZZ_LIBRARY_TARGETS(FUZZ_DECLARE)
FUZZ_PROGRAM_TARGETS(FUZZ_DECLARE)

// Limits for all inputs: far more than any input needs.
enum { FUZZ_MEMORY_LIMIT = 64 << 20 };

// Limits for the memory that a text may use, without the text: a fixed number of bytes and, for
// most kinds, a number of bytes per byte of text.
enum { FUZZ_FIXED_BYTES = 64 << 10, FUZZ_BYTES_PER_BYTE = 15 };

#endif
