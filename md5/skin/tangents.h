// Tangents of drawn vertices in the bind pose.
#ifndef MD5_SKIN_TANGENTS_H
#define MD5_SKIN_TANGENTS_H

#include "md5/skin/geometry.h"
#include "md5/core/math.h"

// The unit vector at right angles to `normal` that is nearest to `along`; any such one where
// `along` is zero or runs along the normal.
md5_vec3d md5_tangent_beside(md5_vec3 normal, md5_vec3d along);

// Bytes of the arena that building takes for each vertex.
enum { MD5_TANGENT_SCRATCH = 4 * sizeof(double) };

// From indices[3 * num_triangles], positions, normals and texcoords[num_vertices] of `arrays`:
// writes its tangents. Every triangle of a drawn vertex counts alike. Vertices in one place do
// not share theirs, since their textures may lie in different directions. Without a direction
// of +u, the tangent is any unit vector at right angles to the normal, with w = 1.
bool md5_build_tangents(md5_arena *arena, uint32_t num_vertices, uint32_t num_triangles,
                        const md5_geometry_arrays *arrays);

#endif
