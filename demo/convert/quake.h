// Data that readers and writers of MDL, MD2 and MD3 share: the vertex-animated formats of Quake,
// Quake 2 and Quake 3. All are little-endian, with the axes, winding and texture coordinates of
// MD5.
#ifndef DEMO_CONVERT_QUAKE_H
#define DEMO_CONVERT_QUAKE_H

#include "demo/convert/convert.h"

// Identifiers are little-endian words; sizes are in bytes.
enum {
    QUAKE_MDL = 0x4F504449, // IDPO
    QUAKE_MD2 = 0x32504449, // IDP2
    QUAKE_MD3 = 0x33504449, // IDP3, at the start of the file and of each surface
    QUAKE_MDL_VERSION = 6,
    QUAKE_MD2_VERSION = 8,
    QUAKE_MD3_VERSION = 15,
    QUAKE_MDL_HAS_HOLES = 0x4000, // flag of MDL: texels of color QUAKE_HOLE are transparent
    QUAKE_HOLE = 255,
    QUAKE_MDL_HEADER = 84,
    QUAKE_MD2_HEADER = 68,
    QUAKE_MD3_HEADER = 108,
    QUAKE_MD3_FRAME = 56,
    QUAKE_MD3_TAG = 112,
    QUAKE_MD3_SURFACE = 108,
    QUAKE_MD3_SHADER = 68,
    QUAKE_FRAME_NAME = 16, // with the terminating 0, in all formats
    QUAKE_PATH = 64,       // size of the paths of skins, and of the names of surfaces and tags
    QUAKE_RATE = 10,       // frame rate of files that do not contain one, Hz
    QUAKE_NUM_NORMALS = 162,
    QUAKE_MAX_VERTICES = 999, // limit of a surface of MD3; ioq3 rejects more
    QUAKE_MAX_TRIANGLES = 1999,
    QUAKE_PALETTE = 768, // red, green and blue of 256 colors
};

// Computes the directions that a byte selects as a normal in MDL and MD2. They agree with the
// engines' table within 1e-6.
void quake_make_normals(convert_vec *normals);

// Finds the palette for the images of a game. It is job->palette, or gfx/palette.lmp of the job's
// game. For a model on disk, the folders above it are searched, with their folders id1 and the
// archives pak0.pak in both. If there is no palette, *is_found becomes false and the palette
// contains grays. Returns false and fills `error` if job->palette is invalid.
bool quake_find_palette(const convert_job *job, const char *model, uint8_t palette[QUAKE_PALETTE],
                        bool *is_found, md5_error *error);

#endif
