// Weights of the file's vertices, merged by joint.
#ifndef MD5_SKIN_INFLUENCES_H
#define MD5_SKIN_INFLUENCES_H

#include "md5/skin/geometry.h"

// Writes positions, first_influence (but its last), influence_joints and influences of the file's
// vertices; returns false when memory runs out, and sets *used to the number of influences.
//
// Several weights of a vertex on one joint J add up to one influence without loss, because
// J * (b1 * p1, b1) + J * (b2 * p2, b2) = J * (b1 * p1 + b2 * p2, b1 + b2).
// Influences that are zero in all four numbers add nothing and are left out.
bool md5_gather_influences(md5_arena *scratch, const md5_geometry_source *source,
                           const md5_geometry_arrays *arrays, uint32_t *used);

#endif
