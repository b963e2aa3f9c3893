// Parts of the library that macros leave out (md5config.h), as constants: compilers drop what is
// behind a false one, also without an optimizer, and refer to nothing in it.
#ifndef MD5_CORE_PARTS_H
#define MD5_CORE_PARTS_H

#ifdef MD5_ONLY_VERSION_10
#define MD5_HAS_VERSIONS 0
#else
#define MD5_HAS_VERSIONS 1
#endif

#ifdef MD5_NO_COMPRESSED
#define MD5_HAS_COMPRESSED 0
#else
#define MD5_HAS_COMPRESSED 1
#endif

#ifdef MD5_NO_PARTS
#define MD5_HAS_PARTS 0
#else
#define MD5_HAS_PARTS 1
#endif

// Code that only saves time: the same results. Text is then read at less than half the speed.
#ifdef __OPTIMIZE_SIZE__
#define MD5_HAS_SHORTCUTS 0
#else
#define MD5_HAS_SHORTCUTS 1
#endif

#endif
