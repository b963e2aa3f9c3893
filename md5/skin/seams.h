// Mirror seams: where the texture of one side of a model is used again, mirrored, on the other.
#ifndef MD5_SKIN_SEAMS_H
#define MD5_SKIN_SEAMS_H

#include "md5/skin/geometry.h"

// How many vertices are drawn, the file's and those to be copied, and their weights: sets the first
// two of `sizes`. Returns false, with the context's error set, when memory runs out.
bool md5_count_seams(md5_arena *scratch, const md5_geometry_source *source,
                     md5_geometry_sizes *sizes);

// Writes indices[3 * num_triangles] and sources of the drawn vertices: mirrored triangles use the
// copies, which stand behind the file's vertices. `indices` may be the source's triangles.
bool md5_split_seams(md5_arena *scratch, const md5_geometry_source *source, uint32_t *indices,
                     uint32_t *sources);

#endif
