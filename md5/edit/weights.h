// The volume of a mesh as voxels. A path inside the mesh leads from voxel to voxel without a test
// of triangles. Therefore the mesh may have holes, defects and intersecting parts.
//
//   cells    the bounding box of the mesh, divided into cubes. One layer of empty cells
//            surrounds it, from which the outside is filled
//   voxels   the cells of the volume, numbered in the order of cells
//
// Coordinates are measured from the corner of the box, in cells. Their integer parts give the cell
// of a point.
#ifndef MD5_EDIT_WEIGHTS_H
#define MD5_EDIT_WEIGHTS_H

#include "md5/core/arena.h"
#include "md5/core/math.h"
#include "md5/md5edit.h"

#define MD5_NO_VOXEL UINT32_MAX

typedef struct md5_grid {
    md5_vec3d corner;  // model space, of cell 0
    double size;       // units, of a cell
    double longest;    // units, longest side of the mesh's bounding box; 1 if the mesh is a point
    uint32_t count[3]; // cells along x, y, z
    uint32_t num_cells;
    uint32_t num_voxels;
    uint32_t *voxels; // [num_cells] voxel of each cell, or MD5_NO_VOXEL
    uint32_t *cells;  // [num_voxels] cell of each voxel
} md5_grid;

// Builds the volume. The numbers must have been checked. Returns false and sets the error if memory
// runs out, or if the triangles cover too many cells.
bool md5i_build_grid(md5_arena *arena, const md5_vec3 *positions, uint32_t num_positions,
                     const uint32_t *indices, uint32_t num_triangles, uint32_t resolution,
                     md5_grid *grid);

// Returns the center of a cell, in cells of the grid. Cells are numbered along x, then y, then z.
static inline md5_vec3d md5_cell_center(const md5_grid *grid, uint32_t cell)
{
    const uint32_t row = cell / grid->count[0];
    const uint32_t layer = row / grid->count[1];
    return (md5_vec3d){(double)(cell % grid->count[0]) + 0.5, (double)(row % grid->count[1]) + 0.5,
                       (double)layer + 0.5};
}

// -- Bones and paths -----------------------------------------------------------------------------

// A part of a joint's bone that lies in the volume, in the grid's coordinates.
typedef struct md5_bone {
    md5_vec3d from;
    md5_vec3d to;
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

// Working memory of md5i_measure_paths().
typedef struct md5_paths {
    const md5_grid *grid;
    const md5_bones *bones;
    float *lengths;         // [num_voxels] cells; INFINITY = not reached
    uint32_t *heap;         // [num_voxels] voxels with unprocessed neighbors, shortest path first
    uint32_t *heap_indices; // [num_voxels] index of a voxel that is in the heap
    uint32_t heap_size;
} md5_paths;

// Returns false and sets the error if memory runs out.
bool md5i_create_paths(md5_arena *arena, const md5_grid *grid, const md5_bones *bones,
                       md5_paths *paths);

// Writes lengths[]: for each voxel the shortest path from its center to the joint's bones, through
// the centers of neighboring voxels in 26 directions (Dijkstra 1959).
void md5i_measure_paths(md5_paths *paths, uint32_t joint);

#endif
