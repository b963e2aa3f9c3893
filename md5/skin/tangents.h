// Derives geometry with tangents, which are optional. geometry.h contains the functions for meshes
// without tangents.
#ifndef MD5_SKIN_TANGENTS_H
#define MD5_SKIN_TANGENTS_H

#include "md5/skin/geometry.h"

// Like md5i_measure_geometry(), but counts vertices on mirror seams twice, unless the options of
// the context skip tangents or the file stores tangents. Returns false and sets the context's error
// if memory runs out.
bool md5i_measure_with_seams(md5_arena *scratch, md5_mesh_build *mesh);

// Like md5i_build_geometry(), but splits vertices on mirror seams, derives tangents unless
// mesh->tangents is NULL, and converts the normals and tangents that the file stores. Takes longer
// with less scratch memory than md5i_geometry_build_size().
bool md5i_build_with_tangents(md5_arena *scratch, const md5_mesh_joints *joints,
                              md5_mesh_build *mesh);

#endif
