// The body of the stb library for fonts, which comes as a header.
#include <stddef.h>

#define STB_TRUETYPE_IMPLEMENTATION
#include <stb/stb_truetype.h>
