// Merges the weights of the file's vertices by joint.
#ifndef MD5_SKIN_INFLUENCES_H
#define MD5_SKIN_INFLUENCES_H

#include "md5/skin/geometry.h"

// Writes positions, first_influence (except the last element), influence_joints and influences of
// the file's vertices, and sets *used to the number of influences. Returns false and sets the
// context's error if memory runs out.
//
// Several weights of a vertex on one joint J add up to one influence without loss, because
// J * (b1 * p1, b1) + J * (b2 * p2, b2) = J * (b1 * p1 + b2 * p2, b1 + b2).
// Influences that are zero in all four numbers are omitted.
bool md5i_gather_influences(md5_arena *scratch, const md5_geometry_source *source,
                            const md5_geometry_arrays *arrays, uint32_t *used);

#endif
