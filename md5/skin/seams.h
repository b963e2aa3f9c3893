// Mirror seams: edges between triangles that use the texture as it is and triangles that use it
// mirrored. Their vertices are split, since the two sides need different tangents.
#ifndef MD5_SKIN_SEAMS_H
#define MD5_SKIN_SEAMS_H

#include "md5/skin/geometry.h"

// Counts the drawn vertices, which are the file's and the copies, and their influences: sets the
// first two members of `sizes`. Returns false and sets the context's error if memory runs out.
bool md5i_count_seams(md5_arena *scratch, const md5_geometry_source *source,
                      md5_geometry_sizes *sizes);

// Writes indices[3 * num_triangles] and the sources of the copies: mirrored triangles use the
// copies, which follow the file's vertices. `indices` may be the source's triangles. Returns false
// and sets the context's error if memory runs out.
bool md5i_split_seams(md5_arena *scratch, const md5_geometry_source *source, uint32_t *indices,
                      uint32_t *sources);

#endif
