// Smooth normals of drawn vertices in the bind pose.
#ifndef MD5_SKIN_NORMALS_H
#define MD5_SKIN_NORMALS_H

#include "md5/skin/geometry.h"

// Writes the normals of `arrays` from its indices[3 * num_triangles] and positions[num_vertices].
// Its tangents, if it has them, serve as scratch memory. Returns false and sets the context's error
// if memory runs out.
//
// The unit normals of all triangles that meet at a position count as `weighting` says, whichever of
// the vertices there they use, so that texture seams and mirror seams are invisible. If the sum of
// a position cancels out, as on a sheet whose front and back have separate vertices, each vertex
// takes the sum of its own triangles; if that cancels out too, 0 0 1.
bool md5i_build_normals(md5_arena *arena, uint32_t num_vertices, uint32_t num_triangles,
                        md5_normals weighting, const md5_geometry_arrays *arrays);

#endif
