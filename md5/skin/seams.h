// Mirror seams: where the texture of one side of a model is used again, mirrored, on the other.
#ifndef MD5_SKIN_SEAMS_H
#define MD5_SKIN_SEAMS_H

#include "md5/skin/geometry.h"

// Whether a triangle's texture is mirrored on it: negative signed area of a, b, c on the texture.
// An area of 0 counts as not mirrored. The sign is exact for coordinates of common size, because
// a double holds the products of the differences of such floats without rounding.
static inline bool md5_is_mirrored(md5_vec2 a, md5_vec2 b, md5_vec2 c)
{
    const double du0 = (double)b.x - (double)a.x, dv0 = (double)b.y - (double)a.y;
    const double du1 = (double)c.x - (double)a.x, dv1 = (double)c.y - (double)a.y;
    return du0 * dv1 - dv0 * du1 < 0.0;
}

// How many vertices are drawn, the file's and those to be copied, and their weights. Returns false,
// with the context's error set, when memory runs out.
bool md5_count_seams(md5_arena *scratch, const md5_geometry_source *source,
                     md5_geometry_sizes *sizes);

// Writes indices[3 * num_triangles] and sources of the drawn vertices: mirrored triangles use the
// copies, which stand behind the file's vertices. `indices` may be the source's triangles.
bool md5_split_seams(md5_arena *scratch, const md5_geometry_source *source, uint32_t *indices,
                     uint32_t *sources);

#endif
