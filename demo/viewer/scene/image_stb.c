// The implementation of stb_image, for PNG and TGA only, within the limits of image.h:
// stb_image allocates what a file claims to need.
#include "demo/viewer/scene/image.h"

#include <stdlib.h>
#include <string.h>

// Largest allocation: the largest image with 16 bits a channel, and 1 MiB more. stb_image sizes its
// buffers by what the file says.
static const size_t max_block = (size_t)VIEW_IMAGE_MAX_PIXELS * 8 + (1u << 20);

// Zeroed, so that pixels missing from a damaged file are black rather than old memory.
static void *make_block(size_t size)
{
    return size <= max_block ? calloc(1, size) : NULL;
}

static void *grow_block(void *block, size_t old_size, size_t size)
{
    unsigned char *const larger = size <= max_block ? realloc(block, size) : NULL;
    if (larger != NULL && size > old_size)
        memset(larger + old_size, 0, size - old_size);
    return larger;
}

#define STBI_MALLOC(size) make_block(size)
#define STBI_REALLOC_SIZED(block, old_size, size) grow_block(block, old_size, size)
#define STBI_FREE(block) free(block)
#define STBI_MAX_DIMENSIONS VIEW_IMAGE_MAX_SIDE
#define STBI_NO_STDIO
#define STBI_ONLY_PNG
#define STBI_ONLY_TGA
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
