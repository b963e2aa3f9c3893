// What readers and writers of MDL, MD2 and MD3 share, the vertex-animated formats of Quake, Quake 2
// and Quake 3. All are little-endian, with the axes, winding and texture coordinates of MD5.
#ifndef DEMO_CONVERT_QUAKE_H
#define DEMO_CONVERT_QUAKE_H

#include "demo/convert/convert.h"

// Idents are little-endian words, sizes bytes.
enum {
    QUAKE_MDL = 0x4F504449, // IDPO
    QUAKE_MD2 = 0x32504449, // IDP2
    QUAKE_MD3 = 0x33504449, // IDP3, of the file and of each surface
    QUAKE_MDL_VERSION = 6,
    QUAKE_MD2_VERSION = 8,
    QUAKE_MD3_VERSION = 15,
    QUAKE_MDL_HEADER = 84,
    QUAKE_MD2_HEADER = 68,
    QUAKE_MD3_HEADER = 108,
    QUAKE_MD3_FRAME = 56,
    QUAKE_MD3_TAG = 112,
    QUAKE_MD3_SURFACE = 108,
    QUAKE_MD3_SHADER = 68,
    QUAKE_FRAME_NAME = 16, // of MDL, MD2, MD3, with the 0 that ends it
    QUAKE_PATH = 64,       // and other names: of skins, surfaces, tags
    QUAKE_RATE = 10,       // frames a second, where the file has none
    QUAKE_NUM_NORMALS = 162,
    QUAKE_MAX_VERTICES = 999, // of a surface of MD3: ioq3 refuses the next one
    QUAKE_MAX_TRIANGLES = 1999,
    QUAKE_PALETTE = 768, // red, green and blue of 256 colors
};

// The directions that bytes of MDL and MD2 select, within 1e-6 of the table that engines have.
void quake_make_normals(convert_vec *normals);

// Finds the palette of a game's pictures: job->palette; or gfx/palette.lmp of the job's game or, of
// a model on disk, of the folders above it and their id1, in pak0.pak too. *is_found is false if
// there is none: then it is gray. Returns false and fills `error` if job->palette is none.
bool quake_find_palette(const convert_job *job, const char *model, uint8_t palette[QUAKE_PALETTE],
                        bool *is_found, md5_error *error);

#endif
