// md5config.h: settings of the two-file form of the library. You may edit this file: all other files
// include it if it is in the same folder. The settings work as compiler flags, too, in every build.
// Functions that no code calls need no setting: -ffunction-sections and -Wl,--gc-sections remove them.
#ifndef MD5CONFIG_H
#define MD5CONFIG_H

// -- Parts that can be omitted --

// Kernels for SSE2, AVX2 and NEON. The results have the same bits without them.
// #define MD5_HAS_SIMD 0

// Files of the system. Without them programs set md5_load_opts.files or call md5_parse_model() and
// md5_parse_anim().
// #define MD5_HAS_FILES 0

// Formats besides text of version 10: versions 6 and 12, files of Doom 3 BFG. Loads of other formats
// fail.
// #define MD5_HAS_FORMATS 0

// -- Options --

// Adds kernels for AVX-512.
// #define MD5_AVX512

// Normals and tangents are as long as the blend of the matrices makes them, for shaders that normalize
// them. The results have other bits.
// #define MD5_FAST_NORMALS

#endif
