// Fewer triangles over the same vertices, for models that are small in the picture.
//
// Vertices are merged into neighbours one by one (Garland and Heckbert, "Surface Simplification
// Using Quadric Error Metrics", 1997), never moved, so that weights, texture coordinates, baked
// frames and buffers of the whole mesh remain valid.
#ifndef DEMO_VIEWER_CROWD_REDUCE_H
#define DEMO_VIEWER_CROWD_REDUCE_H

#include "md5/md5model.h"

typedef struct view_triangles {
    uint32_t *indices; // [3 * count] vertices of the mesh; free it
    uint32_t count;
} view_triangles;

// Writes levels[num_levels], from fine to coarse: the triangles of a mesh, reduced so far that the
// surface in the bind pose, and the texture on it, move by about errors[level] units at most, which
// rise. Open edges keep their vertices, and seams of the texture stay seams. Takes O(n log n) for n
// triangles.
void view_reduce_mesh(const md5_mesh *mesh, const float *errors, uint32_t num_levels,
                      view_triangles *levels);

#endif
