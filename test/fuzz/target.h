// What is done with the bytes of one fuzzed input. Each target returns NULL, or what is wrong.
//
// A new format is one more file beside mesh.c, its line here, in replay.c and in
// ../test_fuzz_corpus.c, and a folder in corpus/.
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

typedef const char *fuzz_target(const uint8_t *data, size_t size);

fuzz_target fuzz_mesh;    // an .md5mesh
fuzz_target fuzz_anim;    // an .md5anim
fuzz_target fuzz_camera;  // an .md5camera
fuzz_target fuzz_machine; // an .md5machine, and playing it
fuzz_target fuzz_save;    // what to play, and changes of the saved player
fuzz_target fuzz_image;   // a picture, as the viewer reads it
fuzz_target fuzz_scene;   // an .md5mesh, a NUL byte, an .md5anim: loaded, bound, sampled, skinned

// What no input may pass: far more than any of them needs.
enum { FUZZ_MEMORY_LIMIT = 64 << 20 };

// What a text of `size` bytes may take, itself included.
enum { FUZZ_FIXED_BYTES = 64 << 10, FUZZ_BYTES_PER_BYTE = 16 };

#endif
