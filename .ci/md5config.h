// md5config.h: what the two-file form of the library has. Yours to edit: all its files include it
// where it lies beside them. A switch that is defined leaves a part out, the KB being those that the
// object of md5model.c gets smaller by (gcc 12 -O2, x86-64), each switch alone. Functions that
// nobody calls need no switch: -ffunction-sections and -Wl,--gc-sections leave them out.
#ifndef MD5CONFIG_H
#define MD5CONFIG_H

// -- Code that only saves time: the same bits --

// #define MD5_NO_SIMD // kernels for SSE2, AVX2 and NEON: 118 KB
// #define MD5_NO_CROWDS // of those, the ones that pose several characters in one call: 13 KB
// #define MD5_NO_SHORTCUTS // tables of models counted before they are read, rare functions made fast: 5 KB
// #define MD5_AVX512  // adds kernels for AVX-512

// -- Code that saves more: other bits --

// Normals and tangents are as long as the blend of the matrices makes them, for shaders that normalize
// anyway. With -mavx2 -mfma -ffp-contract=fast, for processors that have these, sums are fused.
// #define MD5_FAST_NORMALS

// -- Files: loads refuse what is left out, with an error that says so --

// #define MD5_NO_FILES        // the system's: there are md5_load_opts.files and texts in memory: 1 KB
// #define MD5_NO_BFG          // binary files of Doom 3 BFG: 13 KB
// #define MD5_NO_COMPRESSED   // compressed clips, md5_compress_anim(): 41 KB
// #define MD5_ONLY_VERSION_10 // neither version 6, the 2002 alpha's, nor 12, Storm Engine 2's: 16 KB

// -- What programs may ask for: names are not declared, or loads fail --

// #define MD5_NO_WARNINGS // md5_load_opts.warn; num_warnings is 0. md5play needs them: 9 KB
// #define MD5_NO_ASSERTS  // the caller's errors are not looked for, also without NDEBUG: 20 KB
// #define MD5_NO_CUBIC    // MD5_INTERPOLATE_CUBIC: 6 KB
// #define MD5_NO_PARTS    // tangents, skin plans, losses: `without` must name them, and with all of
//                        // MD5_PART_GEOMETRY meshes have names only, for good: 14 KB
// #define MD5_NO_ASSET_FILES // asset files, of which models and clips are loaded: 15 KB
// #define MD5_NO_EXTRAS   // cameras, names of other formats, md5_create_morph(), _baked(): 25 KB; md5edit needs them

#endif
