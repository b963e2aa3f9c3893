// Targets: each runs one fuzzed input and returns NULL or a description of the fault.
//
// A new format needs a file beside mesh.c, a line here, in replay.c and in
// ../load/test_load_corpus.c, and a folder in corpus/.
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

typedef const char *fuzz_target(const uint8_t *data, size_t size);

fuzz_target fuzz_mesh;       // an .md5mesh
fuzz_target fuzz_anim;       // an .md5anim
fuzz_target fuzz_camera;     // an .md5camera
fuzz_target fuzz_machine;    // an .md5machine, which is played
fuzz_target fuzz_compressed; // the file of a compressed clip
fuzz_target fuzz_assets;     // an asset image
fuzz_target fuzz_save;       // commands, and changes of the saved player
fuzz_target fuzz_image;      // a picture, as the viewer reads it
fuzz_target fuzz_shader;     // a .shader file, as the viewer reads it
fuzz_target fuzz_texture;    // an image program and a picture, as the library reads it
fuzz_target fuzz_archive;    // a zip file or .pak, as the programs read it
fuzz_target fuzz_gltf;       // glTF: a .gltf or .glb, or its JSON, a NUL byte, its binary chunk
fuzz_target fuzz_iqm;        // an .iqm, as md5tool converts it
fuzz_target fuzz_bvh;        // a .bvh, likewise
fuzz_target fuzz_game;       // files of declarations, with a NUL between them
fuzz_target fuzz_cube;       // an md5.cfg, a NUL byte, another script
fuzz_target fuzz_scale;      // a .md5scale
fuzz_target fuzz_scene; // an .md5mesh, a NUL byte, an .md5anim: loaded, bound, sampled, skinned

// Limits of all inputs: far more than any of them needs.
enum { FUZZ_MEMORY_LIMIT = 64 << 20 };

// The memory that a text may use, without itself: these, and of most kinds so many for each byte.
enum { FUZZ_FIXED_BYTES = 64 << 10, FUZZ_BYTES_PER_BYTE = 15 };

#endif
