// Smooth normals of drawn vertices in the bind pose.
#ifndef MD5_SKIN_NORMALS_H
#define MD5_SKIN_NORMALS_H

#include "md5/skin/geometry.h"

// From indices[3 * num_triangles] and positions[num_vertices] of `arrays`: writes its normals.
// Its tangents serve as scratch memory.
//
// The unit normals of all triangles that meet in a place count alike, whichever of the vertices
// there they use, so that texture seams and mirror seams do not show. Where the sum over a place
// cancels out, as on a sheet that has a front and a back made of vertices of their own, each
// vertex takes the sum of its own triangles; where that cancels too, 0 0 1.
bool md5_build_normals(md5_arena *arena, uint32_t num_vertices, uint32_t num_triangles,
                       const md5_geometry_arrays *arrays);

#endif
