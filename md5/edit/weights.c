// Automatic weights: md5_create_weights() computes weights from distances inside the mesh, by
// geodesic voxel binding (Dionne and de Lasa, 2013).
//
// The steps are:
// - Voxelize the surface: mark all cells of a grid that a triangle touches.
// - Fill the outside from the border of the grid. All other cells are the volume of the mesh.
// - Measure the paths from the bones of each joint to all voxels, with Dijkstra's algorithm.
// - Compute weights, which decrease with the length of the path.
//
// Differences from the paper:
// - A straight line replaces the path if the line is in the volume, because paths through the
//   centers of voxels are up to 10 % too long. This reduces the mean difference of the model Bobbin
//   from its manual weights by 6 %.
// - Joints outside of the volume are excluded, and bones end at the surface.
// - The bone of a joint without children continues the bone of its parent.
// - Weights are smoothed along the edges of the mesh. Vertices at the same position share their
//   weights, so that seams remain closed.
#include "md5/core/freed.h"
#include "md5/edit/weights.h"

#include "md5/core/names.h"

// == Voxels ======================================================================================

// Kinds of cells. The shell consists of the cells through which triangles pass. After the outside
// is filled, the cells that are still unknown are inside of the mesh.
enum { UNKNOWN, SHELL, OUTSIDE };

// Maximum number of tests of a cell against a triangle. This many tests take a quarter of a second.
#define MAX_TESTS (1 << 26)
// A triangle has no area if no component of its normal is larger than this, in cells squared. Only
// the cells along its edges are marked then.
#define MIN_NORMAL 1e-9

// State of mark_surface(), which marks the cells that triangles pass through.
typedef struct rasterizer {
    const md5_grid *grid;
    unsigned char *kinds; // [num_cells] UNKNOWN, SHELL or OUTSIDE
    uint64_t num_tests;   // tests of a cell against a triangle so far
} rasterizer;

// Converts a point from model space to the coordinates of the grid.
static md5_vec3d grid_point(const md5_grid *grid, md5_vec3d point)
{
    return md5_vec3d_scale(md5_vec3d_sub(point, grid->corner), 1.0 / grid->size);
}

static uint32_t cell_at(const md5_grid *grid, uint32_t x, uint32_t y, uint32_t z)
{
    return (z * grid->count[1] + y) * grid->count[0] + x;
}

// Returns the cell of a coordinate along one axis. Rounding may move a point out of the bounding
// box of the mesh, so the result is clamped to the cells of the box.
static uint32_t clamped_cell(double coordinate, uint32_t count)
{
    const double max_cell = (double)count - 2;
    if (coordinate < 1)
        return 1;
    return (uint32_t)(coordinate > max_cell ? max_cell : coordinate);
}

// Marks the voxel that contains a point of the surface. `p` is in cells of the grid.
static void mark_point(rasterizer *raster, md5_vec3d p)
{
    const md5_grid *const grid = raster->grid;
    const uint32_t x = clamped_cell(p.x, grid->count[0]);
    const uint32_t y = clamped_cell(p.y, grid->count[1]);
    const uint32_t z = clamped_cell(p.z, grid->count[2]);
    raster->kinds[cell_at(grid, x, y, z)] = SHELL;
}

// Marks the cells along an edge in steps of half a cell, which covers triangles without area.
static void mark_edge(rasterizer *raster, md5_vec3d a, md5_vec3d b)
{
    const md5_vec3d edge = md5_vec3d_sub(b, a);
    const uint32_t steps = (uint32_t)(2 * md5_vec3d_length(edge)) + 1;
    for (uint32_t i = 0; i <= steps; i++)
        mark_point(raster, md5_vec3d_add(a, md5_vec3d_scale(edge, (double)i / (double)steps)));
    raster->num_tests += steps;
}

// A triangle and its projection along an axis w of the grid. The cells of the triangle are found in
// columns along w. w is the axis that is nearest to the normal, and u and v are the other two axes.
typedef struct projected_triangle {
    int u;
    int v;
    int w;
    double vertices[3][3]; // x, y, z of each vertex
    double normal[3];
    double min[3];
    double max[3];
} projected_triangle;

// Returns the triangle with the corners a, b and c, the axes of its projection, and its extent.
static projected_triangle project_triangle(md5_vec3d a, md5_vec3d b, md5_vec3d c)
{
    const md5_vec3d normal = md5_vec3d_cross(md5_vec3d_sub(b, a), md5_vec3d_sub(c, a));
    projected_triangle t = {
        .vertices = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}},
        .normal = {normal.x, normal.y, normal.z},
    };

    // Axis w is the depth: the axis along which the triangle's normal is longest.
    t.w = 0;
    for (int axis = 1; axis < 3; axis++) {
        if (fabs(t.normal[axis]) > fabs(t.normal[t.w]))
            t.w = axis;
    }
    t.u = (t.w + 1) % 3;
    t.v = (t.w + 2) % 3;

    for (uint32_t axis = 0; axis < 3; axis++) {
        t.min[axis] = fmin(t.vertices[0][axis], fmin(t.vertices[1][axis], t.vertices[2][axis]));
        t.max[axis] = fmax(t.vertices[0][axis], fmax(t.vertices[1][axis], t.vertices[2][axis]));
    }
    return t;
}

// Returns true if the unit square at (u, v) overlaps the projected triangle. This is the case if
// each edge has at least one corner of the square on its inner side. The bounding boxes of both
// must overlap already.
static bool overlaps_square(const projected_triangle *t, double u, double v)
{
    const double orientation = t->normal[t->w] > 0 ? 1 : -1;
    for (uint32_t i = 0; i < 3; i++) {
        const double *const from = t->vertices[i];
        const double *const to = t->vertices[(i + 1) % 3];
        const double inward_u = -(to[t->v] - from[t->v]) * orientation;
        const double inward_v = (to[t->u] - from[t->u]) * orientation;
        const double corner_u = u + (inward_u > 0 ? 1 : 0); // the innermost corner
        const double corner_v = v + (inward_v > 0 ? 1 : 0);
        if (inward_u * (corner_u - from[t->u]) + inward_v * (corner_v - from[t->v]) < 0)
            return false;
    }
    return true;
}

// Marks cells in the column of the square (u, v). These are the cells that the plane of the
// triangle passes through, within the depth range of the triangle.
static void mark_column(rasterizer *raster, const projected_triangle *t, uint32_t u, uint32_t v)
{
    // The depth of the plane decreases by slope_u for a step of one cell along u, and by slope_v
    // along v. w is the longest component of the normal, so both slopes are from -1 to 1.
    const double *const corner = t->vertices[0];
    const double slope_u = t->normal[t->u] / t->normal[t->w];
    const double slope_v = t->normal[t->v] / t->normal[t->w];
    const double middle_u = (double)u + 0.5;
    const double middle_v = (double)v + 0.5;
    const double depth =
        corner[t->w] - slope_u * (middle_u - corner[t->u]) - slope_v * (middle_v - corner[t->v]);
    // Within the square, the depth differs from the depth in the middle by at most `reach`. This
    // difference occurs at a corner.
    const double reach = 0.5 * (fabs(slope_u) + fabs(slope_v));

    const uint32_t count = raster->grid->count[t->w];
    const uint32_t first = clamped_cell(fmax(depth - reach, t->min[t->w]), count);
    const uint32_t last = clamped_cell(fmin(depth + reach, t->max[t->w]), count);
    uint32_t cell[3];
    cell[t->u] = u;
    cell[t->v] = v;
    for (cell[t->w] = first; cell[t->w] <= last; cell[t->w]++)
        raster->kinds[cell_at(raster->grid, cell[0], cell[1], cell[2])] = SHELL;
}

// Marks the cells that a triangle passes through. These are the cells along its edges, and the
// cells in the columns of all squares that its projection overlaps.
static void mark_triangle(rasterizer *raster, md5_vec3d a, md5_vec3d b, md5_vec3d c)
{
    mark_edge(raster, a, b);
    mark_edge(raster, b, c);
    mark_edge(raster, c, a);
    const projected_triangle t = project_triangle(a, b, c);
    const bool has_area = fabs(t.normal[t.w]) > MIN_NORMAL;
    if (!has_area) // the edges are sufficient
        return;

    const uint32_t *const n = raster->grid->count;
    const uint32_t first_u = clamped_cell(t.min[t.u], n[t.u]);
    const uint32_t first_v = clamped_cell(t.min[t.v], n[t.v]);
    const uint32_t last_u = clamped_cell(t.max[t.u], n[t.u]);
    const uint32_t last_v = clamped_cell(t.max[t.v], n[t.v]);

    for (uint32_t v = first_v; v <= last_v; v++) {
        for (uint32_t u = first_u; u <= last_u; u++) {
            raster->num_tests++;
            if (overlaps_square(&t, u, v))
                mark_column(raster, &t, u, v);
        }
    }
}

// Marks the cells outside of the shell. A flood fill starts at cell 0, and spreads through the
// faces of cells. stack[num_cells] is a buffer for cells whose neighbors were not visited yet. Each
// cell is pushed at most once.
static void fill_outside(const md5_grid *grid, unsigned char *kinds, uint32_t *stack)
{
    const uint32_t row = grid->count[0];         // cells from a cell to its neighbor along y
    const uint32_t layer = row * grid->count[1]; // the same along z
    uint32_t stack_size = 1;
    stack[0] = 0;
    kinds[0] = OUTSIDE;
    while (stack_size > 0) {
        stack_size--;
        const uint32_t cell = stack[stack_size];
        const uint32_t x = cell % row;
        const uint32_t y = cell / row % grid->count[1];
        const uint32_t z = cell / layer;
        const struct {
            bool exists;
            uint32_t cell;
        } neighbors[6] = {
            // the index is only valid if the cell exists
            {x > 0, cell - 1},     {x + 1 < grid->count[0], cell + 1},
            {y > 0, cell - row},   {y + 1 < grid->count[1], cell + row},
            {z > 0, cell - layer}, {z + 1 < grid->count[2], cell + layer},
        };
        for (uint32_t i = 0; i < 6; i++) {
            if (neighbors[i].exists && kinds[neighbors[i].cell] == UNKNOWN) {
                kinds[neighbors[i].cell] = OUTSIDE;
                stack[stack_size++] = neighbors[i].cell;
            }
        }
    }
}

// Divides the bounding box of a mesh into cubic cells, `resolution` of them along its longest side.
// Adds a layer of cells around the box. An axis then has at most 259 cells, and the grid has at
// most 17 million.
static void set_cells(md5_bounds bounds, uint32_t resolution, md5_grid *grid)
{
    const md5_vec3d low = md5_vec3d_from_vec3(bounds.min);
    const md5_vec3d sides = md5_vec3d_sub(md5_vec3d_from_vec3(bounds.max), low);
    const double extents[3] = {sides.x, sides.y, sides.z};
    const double longest = fmax(sides.x, fmax(sides.y, sides.z));
    grid->longest = longest > 0 ? longest : 1;
    grid->size = grid->longest / (double)resolution;
    grid->corner = md5_vec3d_sub(low, (md5_vec3d){grid->size, grid->size, grid->size});
    grid->num_cells = 1;
    for (uint32_t axis = 0; axis < 3; axis++) {
        // Add a cell for the remainder of the division, and an empty cell on each side of the box.
        grid->count[axis] = (uint32_t)(extents[axis] / grid->size) + 1 + 2;
        grid->num_cells *= grid->count[axis];
    }
}

// Marks the cells of all points and triangles.
static bool mark_surface(md5_context *context, rasterizer *raster, const md5_vec3 *positions,
                         uint32_t num_positions, const uint32_t *indices, uint32_t num_triangles)
{
    const md5_grid *const grid = raster->grid;
    for (uint32_t i = 0; i < num_positions; i++)
        mark_point(raster, grid_point(grid, md5_vec3d_from_vec3(positions[i])));
    for (uint32_t i = 0; i < num_triangles; i++) {
        md5_vec3d points[3];
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t index = indices[3 * (size_t)i + k];
            points[k] = grid_point(grid, md5_vec3d_from_vec3(positions[index]));
        }
        mark_triangle(raster, points[0], points[1], points[2]);
        if (raster->num_tests > MAX_TESTS)
            return MD5_FAIL(context, MD5_ERROR_RANGE,
                            "triangles 0 to %u overlap in too many voxels: expected at most %d; "
                            "reduce the resolution, or remove overlapping triangles",
                            i, MAX_TESTS);
    }
    return true;
}

// Numbers the cells that are not outside of the surface.
static bool number_voxels(md5_arena *arena, const unsigned char *kinds, md5_grid *grid)
{
    grid->num_voxels = 0;
    for (uint32_t cell = 0; cell < grid->num_cells; cell++)
        grid->voxels[cell] = kinds[cell] == OUTSIDE ? MD5_NO_VOXEL : grid->num_voxels++;
    grid->cells = MD5_ALLOC_ARRAY(arena, uint32_t, grid->num_voxels);
    TRY(grid->cells);
    for (uint32_t cell = 0; cell < grid->num_cells; cell++) {
        if (grid->voxels[cell] != MD5_NO_VOXEL)
            grid->cells[grid->voxels[cell]] = cell;
    }
    return true;
}

// Builds the volume of a mesh as voxels. These are the cells of the grid that triangles touch or
// enclose. Returns false and sets the error if memory runs out.
bool md5i_build_grid(md5_arena *arena, const md5_vec3 *positions, uint32_t num_positions,
                     const uint32_t *indices, uint32_t num_triangles, uint32_t resolution,
                     md5_grid *grid)
{
    set_cells(md5_bounds_from_points(positions, num_positions), resolution, grid);
    rasterizer raster = {.grid = grid};
    grid->voxels = MD5_ALLOC_ARRAY(arena, uint32_t, grid->num_cells);
    raster.kinds = MD5_ALLOC_ZEROED(arena, unsigned char, grid->num_cells);
    TRY(grid->voxels && raster.kinds);
    TRY(mark_surface(arena->context, &raster, positions, num_positions, indices, num_triangles));
    fill_outside(grid, raster.kinds, grid->voxels); // `voxels` is a stack until they are numbered
    return number_voxels(arena, raster.kinds, grid);
}

// Returns true if a point, in cells of the grid, is inside of the grid.
static bool is_in_grid(const md5_grid *grid, md5_vec3d p)
{
    const uint32_t *const n = grid->count;
    if (!(p.x >= 0 && p.y >= 0 && p.z >= 0))
        return false;
    return p.x < (double)n[0] && p.y < (double)n[1] && p.z < (double)n[2];
}

// Returns the voxel at a point in coordinates of the grid, or MD5_NO_VOXEL if the point is outside
// of the volume.
static uint32_t voxel_at(const md5_grid *grid, md5_vec3d p)
{
    if (!is_in_grid(grid, p))
        return MD5_NO_VOXEL;
    return grid->voxels[cell_at(grid, (uint32_t)p.x, (uint32_t)p.y, (uint32_t)p.z)];
}

// Returns the fraction of a line that is in the volume, counted from its start. Returns -1 if the
// start is outside. Samples the line in steps of half a cell. There are at most a few hundred
// steps, because a line that is longer than the diagonal of the box leaves the volume.
static double line_in_volume(const md5_grid *grid, md5_vec3d from, md5_vec3d to)
{
    const md5_vec3d line = md5_vec3d_sub(to, from);
    const double length = md5_vec3d_length(line);
    if (voxel_at(grid, from) == MD5_NO_VOXEL)
        return -1;
    const double step = 0.5 / fmax(length, 0.5);
    double inside = 0;
    for (uint32_t i = 1; inside < 1; i++) {
        const double next = fmin((double)i * step, 1.0);
        if (voxel_at(grid, md5_vec3d_add(from, md5_vec3d_scale(line, next))) == MD5_NO_VOXEL)
            return inside;
        inside = next;
    }
    return 1;
}

// == Bones =======================================================================================

// Returns the position of a joint in the bind pose, in coordinates of the grid.
static md5_vec3d joint_in_grid(const md5_grid *grid, const md5_weights_desc *desc, uint32_t joint)
{
    return grid_point(grid, md5_vec3d_from_vec3(md5_mat34_translation(desc->bind[joint])));
}

// Returns the bone from `from` towards `to`. It ends where the line leaves the volume.
static md5_bone bone_to(const md5_grid *grid, md5_vec3d from, md5_vec3d to)
{
    const double inside = line_in_volume(grid, from, to);
    const md5_vec3d line = md5_vec3d_sub(to, from);
    return (md5_bone){from, md5_vec3d_add(from, md5_vec3d_scale(line, inside > 0 ? inside : 0))};
}

// Returns the bone of a joint without children. It continues the bone of the parent with the same
// length. Without it, the joint would only be the end point of its parent's bone, and vertices
// beyond this point would be equally near to both joints.
static md5_bone end_bone(const md5_grid *grid, const md5_weights_desc *desc, uint32_t joint)
{
    const md5_vec3d position = joint_in_grid(grid, desc, joint);
    const uint32_t parent = desc->skeleton->joints[joint].parent;
    if (parent == MD5_NONE)
        return (md5_bone){position, position};
    const md5_vec3d parent_bone = md5_vec3d_sub(position, joint_in_grid(grid, desc, parent));
    return bone_to(grid, position, md5_vec3d_add(position, parent_bone));
}

// Writes the number of bones of each joint to counts[joint]. A joint has one bone for each child,
// or one bone if it has no children. Joints that are excluded or outside of the grid have none.
static void count_bones(const md5_grid *grid, const md5_weights_desc *desc, uint32_t *counts)
{
    const uint32_t num_joints = desc->skeleton->num_joints;
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        const uint32_t parent = desc->skeleton->joints[joint].parent;
        if (parent != MD5_NONE)
            counts[parent]++;
    }
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        const bool is_excluded = desc->excluded && desc->excluded[joint];
        if (is_excluded || voxel_at(grid, joint_in_grid(grid, desc, joint)) == MD5_NO_VOXEL)
            counts[joint] = 0;
        else if (counts[joint] == 0)
            counts[joint] = 1;
    }
}

// Writes the bones of all joints to bones->bones, at the indices of bones->first_bone. used[joint]
// must be 0. It counts the written bones from the joint to its children.
static void write_bones(const md5_grid *grid, const md5_weights_desc *desc, md5_bones *bones,
                        uint32_t *used)
{
    const uint32_t num_joints = desc->skeleton->num_joints;
    const uint32_t *const first = bones->first_bone;

    // Write an end bone for each joint. The bones to children are written afterwards at the same
    // indices, so only joints without children keep their end bone.
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        if (first[joint] < first[joint + 1])
            bones->bones[first[joint]] = end_bone(grid, desc, joint);
    }
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        const uint32_t parent = desc->skeleton->joints[joint].parent;
        if (parent == MD5_NONE || first[parent] == first[parent + 1])
            continue;
        const uint32_t index = first[parent] + used[parent];
        used[parent]++;
        bones->bones[index] =
            bone_to(grid, joint_in_grid(grid, desc, parent), joint_in_grid(grid, desc, joint));
    }
}

// Lists the bones of all joints in the volume. A bone is the segment from a joint to a child.
// bones->first_bone[joint] is the index of the first bone of a joint.
bool md5i_find_bones(md5_arena *arena, const md5_grid *grid, const md5_weights_desc *desc,
                     md5_bones *bones)
{
    const uint32_t num_joints = desc->skeleton->num_joints;
    uint32_t *const counts = MD5_ALLOC_ZEROED(arena, uint32_t, num_joints);
    uint32_t *const first = MD5_ALLOC_ARRAY(arena, uint32_t, (size_t)num_joints + 1);
    uint32_t *const used = MD5_ALLOC_ZEROED(arena, uint32_t, num_joints);
    // A joint has one bone for each child, or a single bone if it has no children. Therefore there
    // are at most two bones per joint.
    bones->bones = MD5_ALLOC_ARRAY(arena, md5_bone, 2 * (size_t)num_joints);
    TRY(counts && first && used && bones->bones);
    count_bones(grid, desc, counts);

    // The bones of a joint are first[joint] to first[joint + 1] - 1.
    bones->num_bound = 0;
    first[0] = 0;
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        first[joint + 1] = first[joint] + counts[joint];
        if (counts[joint] > 0)
            bones->num_bound++;
    }
    bones->first_bone = first;
    write_bones(grid, desc, bones, used);
    return true;
}

// Returns the point of a bone, a line segment, that is nearest to a point.
static md5_vec3d nearest_on_bone(const md5_bone *bone, md5_vec3d point)
{
    const md5_vec3d line = md5_vec3d_sub(bone->to, bone->from);
    const double square = md5_vec3d_dot(line, line);
    double t = square > 0 ? md5_vec3d_dot(md5_vec3d_sub(point, bone->from), line) / square : 0;
    if (t < 0)
        t = 0;
    else if (t > 1)
        t = 1;
    return md5_vec3d_add(bone->from, md5_vec3d_scale(line, t));
}

// Returns the point of a joint's bones that is nearest to `point`. The joint must have a bone.
static md5_vec3d nearest_on_bones(const md5_bones *bones, uint32_t joint, md5_vec3d point)
{
    md5_vec3d nearest = point;
    double min_square = INFINITY;
    for (uint32_t i = bones->first_bone[joint]; i < bones->first_bone[joint + 1]; i++) {
        const md5_vec3d candidate = nearest_on_bone(&bones->bones[i], point);
        const md5_vec3d offset = md5_vec3d_sub(candidate, point);
        const double square = md5_vec3d_dot(offset, offset);
        if (square < min_square) {
            min_square = square;
            nearest = candidate;
        }
    }
    return nearest;
}

// == Paths =======================================================================================

// Allocates the arrays of a search for shortest paths through the volume (Dijkstra's algorithm).
// Returns false and sets the error if memory runs out.
bool md5i_create_paths(md5_arena *arena, const md5_grid *grid, const md5_bones *bones,
                       md5_paths *paths)
{
    *paths = (md5_paths){.grid = grid, .bones = bones};
    paths->lengths = MD5_ALLOC_ARRAY(arena, float, grid->num_voxels);
    paths->heap = MD5_ALLOC_ARRAY(arena, uint32_t, grid->num_voxels);
    paths->heap_indices = MD5_ALLOC_ARRAY(arena, uint32_t, grid->num_voxels);
    return paths->lengths && paths->heap && paths->heap_indices;
}

static void store_in_heap(md5_paths *paths, uint32_t index, uint32_t voxel)
{
    paths->heap[index] = voxel;
    paths->heap_indices[voxel] = index;
}

// Moves a voxel whose length has decreased from heap[index] towards the top of the heap.
static void sift_up(md5_paths *paths, uint32_t index, uint32_t voxel)
{
    const float length = paths->lengths[voxel];
    while (index > 0) {
        const uint32_t parent = (index - 1) / 2;
        if (!(length < paths->lengths[paths->heap[parent]]))
            break;
        store_in_heap(paths, index, paths->heap[parent]);
        index = parent;
    }
    store_in_heap(paths, index, voxel);
}

// Removes the voxel with the shortest path from the top of the heap, and returns it. The last voxel
// of the heap takes its place, and sinks until no voxel below it has a shorter path.
static uint32_t remove_shortest(md5_paths *paths)
{
    const uint32_t shortest = paths->heap[0];
    paths->heap_size--;
    const uint32_t last = paths->heap[paths->heap_size];
    const float length = paths->lengths[last];
    uint32_t index = 0;
    for (;;) {
        uint32_t child = 2 * index + 1;
        if (child >= paths->heap_size)
            break;
        if (child + 1 < paths->heap_size
            && paths->lengths[paths->heap[child + 1]] < paths->lengths[paths->heap[child]])
            child++;
        if (!(paths->lengths[paths->heap[child]] < length))
            break;
        store_in_heap(paths, index, paths->heap[child]);
        index = child;
    }

    if (paths->heap_size > 0)
        store_in_heap(paths, index, last);
    return shortest;
}

// Stores a path to a voxel if it is shorter than the known path. A voxel that was removed from the
// heap is never added again, because no later path is shorter than its path.
static void shorten(md5_paths *paths, uint32_t voxel, float length)
{
    const float before = paths->lengths[voxel];
    if (!(length < before))
        return;
    paths->lengths[voxel] = length;
    const bool is_in_heap = before < INFINITY;
    const uint32_t index = is_in_heap ? paths->heap_indices[voxel] : paths->heap_size++;
    sift_up(paths, index, voxel);
}

// Starts paths at the voxels along a bone. Their lengths are the distances of the voxels' centers
// from the bones.
static void start_paths(md5_paths *paths, uint32_t joint, const md5_bone *bone)
{
    const md5_grid *const grid = paths->grid;
    const md5_vec3d line = md5_vec3d_sub(bone->to, bone->from);
    const uint32_t steps = (uint32_t)(2 * md5_vec3d_length(line)) + 1;
    for (uint32_t i = 0; i <= steps; i++) {
        const md5_vec3d point =
            md5_vec3d_add(bone->from, md5_vec3d_scale(line, (double)i / (double)steps));
        const uint32_t voxel = voxel_at(grid, point);
        if (voxel == MD5_NO_VOXEL)
            continue;
        const md5_vec3d center = md5_cell_center(grid, grid->cells[voxel]);
        const md5_vec3d nearest = nearest_on_bones(paths->bones, joint, center);
        shorten(paths, voxel, (float)md5_vec3d_length(md5_vec3d_sub(center, nearest)));
    }
}

// Shortens the paths to all neighbors of a voxel, also across edges and corners. The outermost
// cells are not voxels, so each neighbor of a voxel is a cell.
static void shorten_neighbors(md5_paths *paths, uint32_t voxel)
{
    static const float lengths[4] = {0, 1, 1.41421356f, 1.73205081f}; // by squares: 0 to 3
    const md5_grid *const grid = paths->grid;
    const int64_t row = (int64_t)grid->count[0];
    const int64_t layer = row * (int64_t)grid->count[1];
    const float length = paths->lengths[voxel];
    for (int z = -1; z <= 1; z++) {
        for (int y = -1; y <= 1; y++) {
            for (int x = -1; x <= 1; x++) {
                const int64_t cell = (int64_t)grid->cells[voxel] + z * layer + y * row + x;
                const uint32_t next = grid->voxels[cell];
                if (next != MD5_NO_VOXEL)
                    shorten(paths, next, length + lengths[x * x + y * y + z * z]);
            }
        }
    }
}

// Writes to paths->lengths the length of the shortest path from the bones of a joint to each voxel,
// with Dijkstra's algorithm.
void md5i_measure_paths(md5_paths *paths, uint32_t joint)
{
    const md5_bones *const bones = paths->bones;
    for (uint32_t voxel = 0; voxel < paths->grid->num_voxels; voxel++)
        paths->lengths[voxel] = INFINITY;
    paths->heap_size = 0;
    for (uint32_t i = bones->first_bone[joint]; i < bones->first_bone[joint + 1]; i++)
        start_paths(paths, joint, &bones->bones[i]);
    while (paths->heap_size > 0)
        shorten_neighbors(paths, remove_shortest(paths));
}

// == Rows ========================================================================================
//
// A table contains the joints that may move each vertex. It has one row for each distinct position
// of the mesh, because vertices at one position share their weights. A row has a limited number of
// entries, one for each joint. The values of the entries are first distances, and later weights.

// Entries of a row in addition to max_influences. These joints take part in smoothing, and are
// removed afterwards.
enum { MD5_SPARE_ENTRIES = 4 };

typedef struct md5_bind_entry {
    uint32_t joint;
    float value; // distance in cells, ascending; or weight, descending
} md5_bind_entry;

typedef struct md5_bind_rows {
    uint32_t num_rows;
    uint32_t width;          // maximum number of entries in a row
    md5_bind_entry *entries; // [num_rows][width]
    uint32_t *counts;        // [num_rows] entries in use
} md5_bind_rows;

static inline md5_bind_entry *md5_row(const md5_bind_rows *rows, uint32_t row)
{
    return rows->entries + (size_t)row * rows->width;
}

// Allocates a table with `num_rows` empty rows of at most `width` entries. Returns false if memory
// runs out.
static bool create_rows(md5_arena *arena, uint32_t num_rows, uint32_t width, md5_bind_rows *rows)
{
    *rows = (md5_bind_rows){.num_rows = num_rows, .width = width};
    const size_t row_size = width * sizeof(md5_bind_entry);
    rows->entries = (md5_bind_entry *)md5i_arena_alloc_raw(arena, num_rows, row_size);
    rows->counts = MD5_ALLOC_ZEROED(arena, uint32_t, num_rows);
    return rows->entries && rows->counts;
}

// Adds an entry to a row that is sorted by value, ascending. If the row is full, its largest entry
// is removed.
static void add_to_row(md5_bind_rows *rows, uint32_t row, md5_bind_entry entry)
{
    md5_bind_entry *const entries = md5_row(rows, row);
    uint32_t index = rows->counts[row];
    if (index == rows->width) {
        if (!(entry.value < entries[index - 1].value))
            return;
        index--;
    } else {
        rows->counts[row]++;
    }
    for (; index > 0 && entry.value < entries[index - 1].value; index--)
        entries[index] = entries[index - 1];
    entries[index] = entry;
}

// Sorts entries by value, descending, with an insertion sort. A row has at most 20 entries.
static void sort_descending(md5_bind_entry *entries, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const md5_bind_entry entry = entries[i];
        uint32_t index = i;
        for (; index > 0 && entry.value > entries[index - 1].value; index--)
            entries[index] = entries[index - 1];
        entries[index] = entry;
    }
}

// Sorts a row by value, descending. Keeps at most `max_count` entries. Also removes entries below
// `min_fraction` of the sum, but never the first entry. Scales the values to a sum of 1.
static void trim_row(md5_bind_rows *rows, uint32_t row, uint32_t max_count, float min_fraction)
{
    md5_bind_entry *const entries = md5_row(rows, row);
    const uint32_t old_count = rows->counts[row];
    sort_descending(entries, old_count);

    uint32_t count = old_count < max_count ? old_count : max_count;
    float sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += entries[i].value;
    while (count > 1 && entries[count - 1].value < min_fraction * sum) {
        count--;
        sum -= entries[count].value;
    }
    for (uint32_t i = 0; i < count; i++)
        entries[i].value /= sum;
    rows->counts[row] = count;
}

// -- Smoothing ------------------------------------------------------------------------------------

// The neighbors of each row: the positions to which an edge of a triangle leads. A neighbor is
// listed once for each triangle of the edge, so an inner edge gives it twice.
typedef struct row_neighbors {
    uint32_t *first; // [num_rows + 1] index in `rows`
    uint32_t *rows;
} row_neighbors;

// Lists the neighbors of each row with a counting sort of the vertices of all triangles.
// rows_by_vertex[vertex] is the row of a vertex. Returns false and sets the error if memory runs
// out.
static bool find_neighbors(md5_arena *arena, const md5_weights_desc *desc,
                           const uint32_t *rows_by_vertex, uint32_t num_rows,
                           row_neighbors *neighbors)
{
    const size_t num_indices = 3 * (size_t)desc->num_triangles;
    uint32_t *const first = MD5_ALLOC_ZEROED(arena, uint32_t, (size_t)num_rows + 1);
    uint32_t *const rows = MD5_ALLOC_ARRAY(arena, uint32_t, 2 * num_indices);
    TRY(first && rows);

    // Sums of the neighbor counts: first[row] becomes the end of the list of a row.
    for (size_t i = 0; i < num_indices; i++)
        first[rows_by_vertex[desc->indices[i]]] += 2;
    for (uint32_t row = 0; row < num_rows; row++)
        first[row + 1] += first[row];

    // Fill each list from its end, so that first[row] becomes its beginning.
    for (size_t i = num_indices; i-- > 0;) {
        const size_t triangle = i - i % 3;
        const uint32_t row = rows_by_vertex[desc->indices[i]];
        first[row] -= 2;
        rows[first[row]] = rows_by_vertex[desc->indices[triangle + (i + 1) % 3]];
        rows[first[row] + 1] = rows_by_vertex[desc->indices[triangle + (i + 2) % 3]];
    }
    *neighbors = (row_neighbors){first, rows};
    return true;
}

// Sums of weights by joint. Used for one row at a time.
typedef struct joint_sums {
    float *sums;      // [num_joints] 0 for joints that are not in `joints`
    uint32_t *joints; // [count]
    uint32_t count;
} joint_sums;

// Adds the weights of one row, multiplied by a factor, to the sums. Lists each joint when its sum
// becomes positive.
static void add_row(joint_sums *sums, const md5_bind_rows *rows, uint32_t row, float factor)
{
    const md5_bind_entry *const entries = md5_row(rows, row);
    for (uint32_t i = 0; i < rows->counts[row]; i++) {
        const uint32_t joint = entries[i].joint;
        const float added = factor * entries[i].value;
        if (sums->sums[joint] == 0 && added > 0) // the product may underflow to 0
            sums->joints[sums->count++] = joint;
        sums->sums[joint] += added;
    }
}

// Writes the sums to a row, largest first, scales the row to a sum of 1, and clears the sums.
static void move_sums_to_row(joint_sums *sums, md5_bind_rows *rows, uint32_t row)
{
    // add_to_row() sorts ascending, so the sums are negated until they are scaled.
    rows->counts[row] = 0;
    for (uint32_t i = 0; i < sums->count; i++) {
        const uint32_t joint = sums->joints[i];
        add_to_row(rows, row, (md5_bind_entry){joint, -sums->sums[joint]});
        sums->sums[joint] = 0;
    }
    sums->count = 0;

    md5_bind_entry *const entries = md5_row(rows, row);
    float sum = 0;
    for (uint32_t i = 0; i < rows->counts[row]; i++)
        sum -= entries[i].value;
    for (uint32_t i = 0; i < rows->counts[row]; i++)
        entries[i].value /= -sum;
}

// Smooths the weights `rounds` times. A round replaces each row by the mean of two values: the row
// itself, and the mean of its neighbors in the mesh. rows_by_vertex[vertex] is the row of a vertex.
// Returns false and sets the error if memory runs out.
static bool smooth_rows(md5_arena *arena, const md5_weights_desc *desc,
                        const uint32_t *rows_by_vertex, uint32_t rounds, md5_bind_rows *rows)
{
    const uint32_t num_joints = desc->skeleton->num_joints;
    const uint32_t num_rows = rows->num_rows;
    row_neighbors neighbors;
    joint_sums sums = {0};
    md5_bind_rows smoothed;

    TRY(find_neighbors(arena, desc, rows_by_vertex, num_rows, &neighbors));
    TRY(create_rows(arena, num_rows, rows->width, &smoothed));
    sums.sums = MD5_ALLOC_ZEROED(arena, float, num_joints);
    sums.joints = MD5_ALLOC_ARRAY(arena, uint32_t, num_joints);
    TRY(sums.sums && sums.joints);

    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t row = 0; row < num_rows; row++) {
            const uint32_t first = neighbors.first[row];
            const uint32_t count = neighbors.first[row + 1] - first;
            add_row(&sums, rows, row, count > 0 ? 0.5f : 1);
            for (uint32_t i = 0; i < count; i++)
                add_row(&sums, rows, neighbors.rows[first + i], 0.5f / (float)count);
            move_sums_to_row(&sums, &smoothed, row);
        }
        // The next round reads the smoothed rows and overwrites the old rows, so exchange both.
        const md5_bind_rows swapped = *rows;
        *rows = smoothed;
        smoothed = swapped;
    }
    return true;
}

// == Automatic weights ============================================================================
//
// The steps are: build the voxels, measure paths from each joint, measure the distances of the
// vertices, convert distances to weights, and smooth the weights.

// A smaller weight of a vertex, as a fraction of the sum, is dropped.
#define MIN_WEIGHT 0.005f
#define MAX_COORDINATE 1e9f
// Smaller distances count as this distance, in cells. It keeps the weights of vertices on a bone
// finite.
#define MIN_DISTANCE 0.25

enum {
    DEFAULT_RESOLUTION = 64,
    MIN_RESOLUTION = 4,
    MAX_RESOLUTION = 256,
    DEFAULT_INFLUENCES = 4,
    MAX_INFLUENCES = 16,
    DEFAULT_SMOOTHING = 3,
    MAX_SMOOTHING = 64,
};

// Working memory of md5_create_weights(). Vertices at the same position share a row of the table of
// weights.
typedef struct bind_work {
    md5_arena arena;
    md5_weights_desc desc; // with defaults applied
    md5_grid grid;
    md5_bones bones;
    uint32_t *rows_by_position; // [num_positions]
    uint32_t num_rows;          // number of distinct positions
    uint32_t *firsts;           // [num_rows] index of the first position of the row
    md5_vec3 *points;           // [num_rows] the position
    bool *is_distant;           // [num_rows] no path leads from a bone to the position
    md5_bind_rows rows;
} bind_work;

// -- Checks ---------------------------------------------------------------------------------------

static bool is_in_range(float value)
{
    return fabsf(value) <= MAX_COORDINATE; // false for NaN
}

// Checks that an option is within min to max. `name` is its name for the message.
static bool check_range(md5_context *context, const char *name, uint32_t value, uint32_t min,
                        uint32_t max)
{
    if (value < min || value > max)
        return MD5_FAIL(context, MD5_ERROR_RANGE, "%s is out of range: expected %u to %u, found %u",
                        name, min, max, value);
    return true;
}

// Fails if a position or an index of the mesh is out of range, or the numbers of elements could
// overflow later computations.
static bool check_weights_mesh(md5_context *context, const md5_weights_desc *desc)
{
    TRY(check_range(context, "num_positions", desc->num_positions, 1, UINT32_MAX / 32));
    for (uint32_t i = 0; i < desc->num_positions; i++) {
        const md5_vec3 p = desc->positions[i];
        if (!is_in_range(p.x) || !is_in_range(p.y) || !is_in_range(p.z))
            return MD5_FAIL(context, MD5_ERROR_RANGE,
                            "position %u is out of range: expected -1e9 to 1e9, found ( %g %g %g )",
                            i, p.x, p.y, p.z);
    }

    if (desc->num_triangles > UINT32_MAX / 6)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "too many triangles: expected at most %u, found %u", UINT32_MAX / 6,
                        desc->num_triangles);

    for (uint32_t i = 0; i < 3 * desc->num_triangles; i++) {
        if (desc->indices[i] >= desc->num_positions)
            return MD5_FAIL(
                context, MD5_ERROR_RANGE,
                "triangle %u refers to an unknown position: expected an index below %u, found %u",
                i / 3, desc->num_positions, desc->indices[i]);
    }
    return true;
}

// Replaces zeros in a description by default values, and fails if a value is out of range.
static bool check_desc(md5_context *context, md5_weights_desc *desc)
{
    if (desc->resolution == 0)
        desc->resolution = DEFAULT_RESOLUTION;
    if (desc->max_influences == 0)
        desc->max_influences = DEFAULT_INFLUENCES;
    if (desc->smoothing == 0)
        desc->smoothing = DEFAULT_SMOOTHING;
    if (desc->falloff == 0)
        desc->falloff = 1;
    TRY(check_range(context, "resolution", desc->resolution, MIN_RESOLUTION, MAX_RESOLUTION));
    TRY(check_range(context, "max_influences", desc->max_influences, 1, MAX_INFLUENCES));
    TRY(check_range(context, "smoothing", desc->smoothing, 1, MAX_SMOOTHING));
    if (!(desc->falloff >= 0 && desc->falloff <= 1))
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "falloff is out of range: expected 0 to 1, found %g", desc->falloff);
    TRY(check_weights_mesh(context, desc));

    for (uint32_t joint = 0; joint < desc->skeleton->num_joints; joint++) {
        for (uint32_t i = 0; i < 12; i++) {
            if (!is_in_range(desc->bind[joint].m[i]))
                return MD5_FAIL(
                    context, MD5_ERROR_RANGE,
                    "bind matrix of joint %u is out of range: expected -1e9 to 1e9, found %g",
                    joint, desc->bind[joint].m[i]);
        }
    }
    return true;
}

// -- Distances ------------------------------------------------------------------------------------

// Returns the length of the shortest path to a point. The path leads through the voxel that
// contains the point, or through one of the neighbors of this voxel.
static float path_to(const md5_paths *paths, md5_vec3d point)
{
    enum { NUM_CELLS = 3 * 3 * 3 };
    float shortest = INFINITY;
    for (int i = 0; i < NUM_CELLS; i++) {
        const int x = i % 3 - 1;
        const int y = i / 3 % 3 - 1;
        const int z = i / 9 - 1;
        const md5_vec3d neighbor = {point.x + (double)x, point.y + (double)y, point.z + (double)z};
        const uint32_t voxel = voxel_at(paths->grid, neighbor);
        if (voxel == MD5_NO_VOXEL || !(paths->lengths[voxel] < INFINITY))
            continue;
        const md5_vec3d center = md5_cell_center(paths->grid, paths->grid->cells[voxel]);
        const float length =
            paths->lengths[voxel] + (float)md5_vec3d_length(md5_vec3d_sub(point, center));
        shortest = length < shortest ? length : shortest;
    }
    return shortest;
}

static bool has_bone(const md5_bones *bones, uint32_t joint)
{
    return bones->first_bone[joint] < bones->first_bone[joint + 1];
}

// -- Result ---------------------------------------------------------------------------------------

// Converts a point from model space to the space of a joint. The rotation of the bind matrix is
// orthonormal, so its transpose is its inverse.
static md5_vec3 point_in_joint(const md5_mat34 *bind, md5_vec3 point)
{
    const float *const m = bind->m;
    const md5_vec3d p = md5_vec3d_sub(md5_vec3d_from_vec3(point),
                                      md5_vec3d_from_vec3(md5_mat34_translation(*bind)));
    return md5_vec3d_round((md5_vec3d){
        (double)m[0] * p.x + (double)m[4] * p.y + (double)m[8] * p.z,
        (double)m[1] * p.x + (double)m[5] * p.y + (double)m[9] * p.z,
        (double)m[2] * p.x + (double)m[6] * p.y + (double)m[10] * p.z,
    });
}

// Writes the weights of all vertices to vertices[num_positions] and list[]. Vertices at the same
// position share a range of weights. Counts the vertices that no path reaches in
// weights->num_distant.
static void write_weights(const bind_work *work, md5_weights *weights, md5_vertex *vertices,
                          md5_weight *list)
{
    uint32_t num_written = 0;
    for (uint32_t position = 0; position < work->desc.num_positions; position++) {
        const uint32_t row = work->rows_by_position[position];
        const uint32_t first_position = work->firsts[row];
        if (work->is_distant[row])
            weights->num_distant++;
        const bool is_copy = first_position != position;
        if (is_copy) {
            vertices[position] = vertices[first_position];
            continue;
        }
        const md5_bind_entry *const entries = md5_row(&work->rows, row);
        const uint32_t count = work->rows.counts[row];
        vertices[position] = (md5_vertex){num_written, count};
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t joint = entries[k].joint;
            const md5_vec3 point = point_in_joint(&work->desc.bind[joint], work->points[row]);
            list[num_written++] = (md5_weight){joint, entries[k].value, point};
        }
    }
}

// Creates the weights that the caller receives, in one block of memory. Returns NULL if memory runs
// out.
static md5_weights *create_result(const bind_work *work)
{
    md5_context *const context = work->arena.context;
    const uint32_t num_vertices = work->desc.num_positions;
    uint32_t num_weights = 0; // at most 16 per position
    for (uint32_t row = 0; row < work->num_rows; row++)
        num_weights += work->rows.counts[row];

    md5_block block = {0};
    md5_weights *weights = NULL;
    md5_vertex *vertices = NULL;
    md5_weight *list = NULL;
    // The first pass measures the size of the block, the second pass assigns the arrays.
    for (uint32_t pass = 0; pass < 2; pass++) {
        weights = MD5_BLOCK_ARRAY(&block, md5_weights, 1);
        vertices = MD5_BLOCK_ARRAY(&block, md5_vertex, num_vertices);
        list = MD5_BLOCK_ARRAY(&block, md5_weight, num_weights);
        if (pass == 0 && !md5i_block_end_measuring(context, &block))
            return NULL;
    }

    *weights = (md5_weights){
        .num_vertices = num_vertices,
        .vertices = vertices,
        .num_weights = num_weights,
        .weights = list,
        .num_voxels = work->grid.num_voxels,
        .voxel_size = (float)work->grid.size,
        .num_bound = work->bones.num_bound,
        .size = block.used,
        .internal = {.allocator = context->allocator, .tag = MD5_TAG_WEIGHTS},
    };
    write_weights(work, weights, vertices, list);
    return weights;
}

// Writes for each point the index of the first point with the same coordinates. Sorts the bits of
// the coordinates, so that the time is O(n log n) for any points.
static bool find_equal(md5_arena *arena, const md5_vec3 *points, uint32_t count, uint32_t *same)
{
    const md5_arena_mark before = md5i_arena_position(arena);
    md5_vec3 *const keys = MD5_ALLOC_ARRAY(arena, md5_vec3, count);
    md5_sorted_name *const names = MD5_ALLOC_ARRAY(arena, md5_sorted_name, count);
    TRY(keys && names);

    for (uint32_t i = 0; i < count; i++) {
        // Adding 0 converts -0 to 0, so that both have the same bits.
        keys[i] = (md5_vec3){points[i].x + 0, points[i].y + 0, points[i].z + 0};
        names[i] = (md5_sorted_name){{(const char *)&keys[i], sizeof *keys}, i, 0};
    }

    const md5_sorted_name *const ordered = md5i_sort_names(arena, names, count);
    TRY(ordered);
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (memcmp(ordered[i].name.bytes, ordered[first].name.bytes, sizeof *keys) != 0)
            first = i;
        same[ordered[i].number] = ordered[first].number;
    }
    md5i_arena_rewind(arena, before);
    return true;
}

// Assigns a row to each distinct position. Vertices at the same position share a row, so that
// texture seams remain closed.
static bool assign_rows(bind_work *work)
{
    const md5_weights_desc *const desc = &work->desc;
    const uint32_t count = desc->num_positions;
    work->rows_by_position = MD5_ALLOC_ARRAY(&work->arena, uint32_t, count);
    work->firsts = MD5_ALLOC_ARRAY(&work->arena, uint32_t, count);
    work->points = MD5_ALLOC_ARRAY(&work->arena, md5_vec3, count);
    TRY(work->rows_by_position && work->firsts && work->points);

    // rows_by_position contains the first equal position, which is then replaced by its row.
    uint32_t *const rows = work->rows_by_position;
    TRY(find_equal(&work->arena, desc->positions, count, rows));
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i] == i) {
            work->firsts[work->num_rows] = i;
            work->points[work->num_rows] = desc->positions[i];
            rows[i] = work->num_rows++;
        } else {
            rows[i] = rows[rows[i]];
        }
    }
    return true;
}

// Writes the lengths of the paths from each joint to each position into the rows.
static bool measure_distances(bind_work *work)
{
    md5_paths paths;
    TRY(md5i_create_paths(&work->arena, &work->grid, &work->bones, &paths));
    for (uint32_t joint = 0; joint < work->desc.skeleton->num_joints; joint++) {
        if (!has_bone(&work->bones, joint))
            continue;
        md5i_measure_paths(&paths, joint);
        for (uint32_t row = 0; row < work->num_rows; row++) {
            const md5_vec3d point = grid_point(&work->grid, md5_vec3d_from_vec3(work->points[row]));
            const float length = path_to(&paths, point);
            if (length < INFINITY)
                add_to_row(&work->rows, row, (md5_bind_entry){joint, length});
        }
    }
    return true;
}

// Writes the straight distances to the nearest joints into a row. Used if no path leads to the
// position.
static void use_straight_distances(bind_work *work, uint32_t row, md5_vec3d point)
{
    for (uint32_t joint = 0; joint < work->desc.skeleton->num_joints; joint++) {
        if (has_bone(&work->bones, joint)) {
            const md5_vec3d end = nearest_on_bones(&work->bones, joint, point);
            const double length = md5_vec3d_length(md5_vec3d_sub(end, point));
            add_to_row(&work->rows, row, (md5_bind_entry){joint, (float)length});
        }
    }
}

// Replaces path lengths by straight distances if the straight line is in the volume. Paths through
// the centers of voxels are up to 10 % too long.
static void straighten_paths(bind_work *work, uint32_t row, md5_vec3d point)
{
    md5_bind_entry *const entries = md5_row(&work->rows, row);
    for (uint32_t i = 0; i < work->rows.counts[row]; i++) {
        const md5_vec3d end = nearest_on_bones(&work->bones, entries[i].joint, point);
        if (line_in_volume(&work->grid, point, end) == 1)
            entries[i].value = (float)md5_vec3d_length(md5_vec3d_sub(end, point));
    }
}

// Replaces the distances of a row by influences. In the paper, the longest side of the mesh is 1,
// and a joint at the distance d has the influence
//
//   1 / ((1 - falloff) * d + falloff * d^2)^2.
//
// Here all influences of a row are divided by the influence of the nearest joint, so that they
// cannot overflow.
static void compute_influences(bind_work *work, uint32_t row)
{
    md5_bind_entry *const entries = md5_row(&work->rows, row);
    const double cell = work->grid.size / work->grid.longest;
    const double falloff = (double)work->desc.falloff;
    double nearest = INFINITY;
    for (uint32_t i = 0; i < work->rows.counts[row]; i++)
        nearest = fmin(nearest, (double)entries[i].value);

    const double closest = fmax(nearest, MIN_DISTANCE) * cell;
    for (uint32_t i = 0; i < work->rows.counts[row]; i++) {
        const double d = fmax((double)entries[i].value, MIN_DISTANCE) * cell;
        const double ratio =
            closest * (1 - falloff + falloff * closest) / (d * (1 - falloff + falloff * d));
        entries[i].value = (float)(ratio * ratio);
    }
}

// Converts the distances of all rows to influences. A distance is the length of a path inside of
// the mesh. If no path reaches a position, its distances are measured along straight lines.
static void convert_distances(bind_work *work)
{
    for (uint32_t row = 0; row < work->num_rows; row++) {
        const md5_vec3d point = grid_point(&work->grid, md5_vec3d_from_vec3(work->points[row]));
        work->is_distant[row] = work->rows.counts[row] == 0;
        if (work->is_distant[row])
            use_straight_distances(work, row, point);
        else
            straighten_paths(work, row, point);
        compute_influences(work, row);
        trim_row(&work->rows, row, work->rows.width, 0);
    }
}

// Computes the weights of all rows. Measures distances from the bones through the volume of the
// mesh, converts them to weights, and smooths the weights. Returns false and sets the error on
// failure.
static bool compute_weights(bind_work *work)
{
    const md5_weights_desc *const desc = &work->desc;
    TRY(assign_rows(work));
    TRY(md5i_build_grid(&work->arena, desc->positions, desc->num_positions, desc->indices,
                        desc->num_triangles, desc->resolution, &work->grid));
    TRY(md5i_find_bones(&work->arena, &work->grid, desc, &work->bones));
    if (work->bones.num_bound == 0)
        return MD5_FAIL(work->arena.context, MD5_ERROR_MISMATCH,
                        "no joint can receive weights: all %u joints are outside the mesh or "
                        "excluded; move a joint into the mesh",
                        desc->skeleton->num_joints);

    const uint32_t width = desc->max_influences + MD5_SPARE_ENTRIES;
    TRY(create_rows(&work->arena, work->num_rows, width, &work->rows));
    work->is_distant = MD5_ALLOC_ZEROED(&work->arena, bool, work->num_rows);
    TRY(work->is_distant);
    TRY(measure_distances(work));
    convert_distances(work);

    if (!desc->no_smoothing)
        TRY(smooth_rows(&work->arena, desc, work->rows_by_position, desc->smoothing, &work->rows));
    for (uint32_t row = 0; row < work->num_rows; row++)
        trim_row(&work->rows, row, desc->max_influences, MIN_WEIGHT);
    return true;
}

// Computes weights of a mesh automatically: each vertex follows the joints whose bones are nearest
// inside the volume of the mesh. Returns NULL and sets the error on failure.
md5_weights *md5_create_weights(const md5_weights_desc *desc, const md5_load_opts *opts,
                                md5_error *error)
{
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_RESERVED(desc);
    MD5_ASSERT(desc->positions || desc->num_positions == 0, "positions: must not be NULL");
    MD5_ASSERT(desc->indices || desc->num_triangles == 0, "indices: must not be NULL");
    if (!desc->skeleton) {
        md5i_fail_missing(error, "desc->skeleton");
        return NULL;
    }

    MD5_ASSERT(desc->bind || desc->skeleton->num_joints == 0, "bind: must not be NULL");
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    bind_work work = {.arena = {.context = &context}, .desc = *desc};
    const bool has_weights = check_desc(&context, &work.desc) && compute_weights(&work);
    md5_weights *const weights = has_weights ? create_result(&work) : NULL;
    md5i_arena_free(&work.arena);
    return weights;
}

void md5_destroy_weights(md5_weights *weights)
{
    MD5_FREE(weights, MD5_TAG_WEIGHTS);
}
