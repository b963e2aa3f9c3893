// Bones in a volume, and the lengths of paths from them.
#ifndef MD5_SKIN_BIND_PATHS_H
#define MD5_SKIN_BIND_PATHS_H

#include "md5/md5skin.h"
#include "md5/skin/bind_grid.h"

// A part of a joint's bone that lies in the volume, in the grid's coordinates.
typedef struct md5_bone {
    md5_vec3d from, to;
} md5_bone;

typedef struct md5_bones {
    md5_bone *bones;      // by joint
    uint32_t *first_bone; // [num_joints + 1]
    uint32_t num_bound;   // joints with a bone
} md5_bones;

// Finds the bones of each joint that is in the volume and not excluded. Returns false and sets the
// error if memory runs out.
bool md5i_find_bones(md5_arena *arena, const md5_grid *grid, const md5_weights_desc *desc,
                     md5_bones *bones);

// The point of a joint's bones that is nearest to `point`. The joint has a bone.
md5_vec3d md5i_nearest_on_bones(const md5_bones *bones, uint32_t joint, md5_vec3d point);

// Working memory of md5i_measure_paths().
typedef struct md5_paths {
    const md5_grid *grid;
    const md5_bones *bones;
    float *lengths;   // [num_voxels] cells; INFINITY = not reached
    uint32_t *heap;   // [num_voxels] voxels whose neighbours are not processed yet, shortest first
    uint32_t *places; // [num_voxels] index in the heap, if it is there
    uint32_t heap_size;
} md5_paths;

// Returns false and sets the error if memory runs out.
bool md5i_create_paths(md5_arena *arena, const md5_grid *grid, const md5_bones *bones,
                       md5_paths *paths);

// Writes lengths[]: for each voxel the shortest path from its centre to the joint's bones, through
// the centres of neighbouring voxels in 26 directions (Dijkstra 1959).
void md5i_measure_paths(md5_paths *paths, uint32_t joint);

#endif
