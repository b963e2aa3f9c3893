// Parts of the library that macros leave out, beside those that the two-file form leaves out as
// whole files. Each constant is true or false in conditions, so that compilers and linkers drop
// what is behind a false one.
#ifndef MD5_CORE_PARTS_H
#define MD5_CORE_PARTS_H

#ifdef MD5_NO_TANGENTS // no load derives tangents
#define MD5_HAS_TANGENTS 0
#else
#define MD5_HAS_TANGENTS 1
#endif

#ifdef MD5_NO_SKIN_PLAN // no load makes plans
#define MD5_HAS_SKIN_PLAN 0
#else
#define MD5_HAS_SKIN_PLAN 1
#endif

#ifdef MD5_NO_CONVERSION // md5_load_opts.axes, scale and flip_v must be the defaults
#define MD5_HAS_CONVERSION 0
#else
#define MD5_HAS_CONVERSION 1
#endif

#ifdef MD5_NO_LOSS // md5_mesh.loss4 and loss8 are infinite; md5_pack_loss() is there
#define MD5_HAS_LOSS 0
#else
#define MD5_HAS_LOSS 1
#endif

#ifdef MD5_NO_BFG // binary models and animations are errors
#define MD5_HAS_BFG 0
#else
#define MD5_HAS_BFG 1
#endif

#ifdef MD5_NO_VERSION_6 // models and animations of Doom 3's alpha are errors
#define MD5_HAS_VERSION_6 0
#else
#define MD5_HAS_VERSION_6 1
#endif

// Code that only saves time, with the same results.
#ifdef __OPTIMIZE_SIZE__
#define MD5_HAS_SHORTCUTS 0
#else
#define MD5_HAS_SHORTCUTS 1
#endif

#endif
