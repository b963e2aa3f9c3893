// Tangents of drawn vertices in the bind pose.
#ifndef MD5_SKIN_TANGENTS_H
#define MD5_SKIN_TANGENTS_H

#include "md5/skin/geometry.h"
#include "md5/core/math.h"

// Returns the unit vector perpendicular to `normal` that is nearest to `along`; any perpendicular
// one if `along` is zero or parallel to the normal.
md5_vec3d md5i_tangent_near(md5_vec3 normal, md5_vec3d along);

// Bytes of scratch memory that md5i_build_tangents() takes for each vertex.
enum { MD5_TANGENT_SCRATCH = 4 * sizeof(double) };

// Writes the tangents of `arrays` from its indices[3 * num_triangles], positions, normals and
// texcoords[num_vertices]. Every triangle of a drawn vertex has equal weight. Vertices at the same
// position do not share tangents, since their textures may have different directions. If +u has no
// direction, the tangent is any unit vector perpendicular to the normal, with w = 1. Returns false
// and sets the context's error if memory runs out.
bool md5i_build_tangents(md5_arena *arena, uint32_t num_vertices, uint32_t num_triangles,
                         const md5_geometry_arrays *arrays);

#endif
