// Compressed blocks of DDS files.
#ifndef MD5_GAME_IMAGE_DDS_H
#define MD5_GAME_IMAGE_DDS_H

#include "md5/game/image.h"

typedef enum md5_block_format {
    MD5_BLOCK_NONE, // not compressed
    MD5_BLOCK_DXT1,
    MD5_BLOCK_DXT3,
    MD5_BLOCK_DXT5,
    MD5_BLOCK_RXGB // DXT5 whose alpha is red, as Doom 3 stores normal maps
} md5_block_format;

// Decodes a block, of 8 bytes in DXT1, else of 16: texels from the top left.
void md5i_read_block(md5_block_format format, const uint8_t *block, uint8_t texels[16][4]);

#endif
