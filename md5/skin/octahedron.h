// Unit vectors in 16 bits, on an octahedron that is unfolded into a square: see md5_baked_vertex.
#ifndef MD5_SKIN_OCTAHEDRON_H
#define MD5_SKIN_OCTAHEDRON_H

#include "md5/md5model.h"

// Returns u in bits 0 to 7 and v in bits 8 to 15, of the four nearest pairs the one whose vector is
// nearest. A vector that is not finite or 0 gives any pair.
uint32_t md5i_octahedron_of(md5_vec3 normal);

// Returns the unit vector of bits 0 to 15; bits above are ignored.
md5_vec3 md5i_octahedron_normal(uint32_t bits);

#endif
