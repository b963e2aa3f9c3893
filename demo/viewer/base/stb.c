// Compiles the implementation of stb_truetype, which is a single-header library.
#include <stddef.h>

#define STB_TRUETYPE_IMPLEMENTATION
#include <stb/stb_truetype.h>
