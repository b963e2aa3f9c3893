// md5_create_weights(): distances of joints inside the volume to vertices, weights, smoothing.
//
// md5_create_weights() computes weights from distances inside the mesh: geodesic voxel binding
// (Dionne and de Lasa, 2013). The surface is voxelized conservatively, the outside is flood-filled
// from the border of the grid, and the rest is the volume; Dijkstra's algorithm runs once per
// joint. Differences from the paper: the straight line replaces the path if it stays in the
// volume, since paths through the centres of voxels are up to 10 % too long (this reduces Bobbin's
// mean difference by 6 %); joints outside of the volume are excluded, and bones end where they
// leave it; the bone of a joint without children continues its parent's; weights are then smoothed
// along the mesh's edges, on welded positions, so that seams stay closed.
#include "md5/core/freed.h"
#include "md5/edit/weights.h"

#include "md5/core/names.h"

// == Voxels ======================================================================================

enum { UNKNOWN, SHELL, OUTSIDE };

#define MAX_TESTS (1 << 26) // tests of a cell against a triangle: a quarter of a second

typedef struct rasterizer {
    const md5_grid *grid;
    unsigned char *kinds; // [num_cells]
    uint64_t num_tests;
} rasterizer;

// A point's coordinates.
static md5_vec3d grid_point(const md5_grid *grid, md5_vec3d point)
{
    return md5_vec3d_scale(md5_vec3d_sub(point, grid->corner), 1.0 / grid->size);
}

static uint32_t cell_at(const md5_grid *grid, uint32_t x, uint32_t y, uint32_t z)
{
    return (z * grid->count[1] + y) * grid->count[0] + x;
}

// The cell along one axis, clamped to the box, since rounding may place a point just outside.
static uint32_t clamped(double coordinate, uint32_t count)
{
    const double most = (double)count - 2;
    return (uint32_t)(coordinate < 1 ? 1 : coordinate > most ? most : coordinate);
}

static void mark_point(rasterizer *raster, md5_vec3d p)
{
    const uint32_t *const n = raster->grid->count;
    raster
        ->kinds[cell_at(raster->grid, clamped(p.x, n[0]), clamped(p.y, n[1]), clamped(p.z, n[2]))] =
        SHELL;
}

// Marks the cells along the edges in steps of half a cell, which covers triangles without area.
static void mark_edge(rasterizer *raster, md5_vec3d a, md5_vec3d b)
{
    const md5_vec3d way = md5_vec3d_sub(b, a);
    const uint32_t steps = (uint32_t)(2 * md5_vec3d_length(way)) + 1;
    for (uint32_t i = 0; i <= steps; i++)
        mark_point(raster, md5_vec3d_add(a, md5_vec3d_scale(way, (double)i / (double)steps)));
    raster->num_tests += steps;
}

// A triangle projected along the axis w that is nearest to its normal; each array is a, b, c.
typedef struct flat {
    int u;
    int v;
    int w;
    double at[3][3]; // corners, by axis
    double normal[3];
    double low[3];
    double high[3];
} flat;

static flat flatten(md5_vec3d a, md5_vec3d b, md5_vec3d c)
{
    const md5_vec3d n = md5_vec3d_cross(md5_vec3d_sub(b, a), md5_vec3d_sub(c, a));
    flat f = {
        .at = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}},
        .normal = {n.x, n.y, n.z},
    };
    f.w = 0;
    for (int axis = 1; axis < 3; axis++)
        if (fabs(f.normal[axis]) > fabs(f.normal[f.w]))
            f.w = axis;
    f.u = (f.w + 1) % 3;
    f.v = (f.w + 2) % 3;
    for (uint32_t axis = 0; axis < 3; axis++) {
        f.low[axis] = fmin(f.at[0][axis], fmin(f.at[1][axis], f.at[2][axis]));
        f.high[axis] = fmax(f.at[0][axis], fmax(f.at[1][axis], f.at[2][axis]));
    }
    return f;
}

// Whether the unit square at u, v overlaps the triangle: no edge has all its corners outside.
static bool touches(const flat *f, double u, double v)
{
    const double turn = f->normal[f->w] > 0 ? 1 : -1;
    for (uint32_t i = 0; i < 3; i++) {
        const double *const from = f->at[i];
        const double *const to = f->at[(i + 1) % 3];
        const double inward_u = -(to[f->v] - from[f->v]) * turn;
        const double inward_v = (to[f->u] - from[f->u]) * turn;
        const double best_u = u + (inward_u > 0 ? 1 : 0);
        const double best_v = v + (inward_v > 0 ? 1 : 0);
        if (inward_u * (best_u - from[f->u]) + inward_v * (best_v - from[f->v]) < 0)
            return false;
    }
    return true;
}

static void mark_triangle(rasterizer *raster, md5_vec3d a, md5_vec3d b, md5_vec3d c)
{
    mark_edge(raster, a, b);
    mark_edge(raster, b, c);
    mark_edge(raster, c, a);
    const flat f = flatten(a, b, c);
    if (!(fabs(f.normal[f.w]) > 1e-9)) // no area: its edges are enough
        return;
    const uint32_t *const n = raster->grid->count;
    const uint32_t last_u = clamped(f.high[f.u], n[f.u]);
    const uint32_t last_v = clamped(f.high[f.v], n[f.v]);
    const uint32_t first_u = clamped(f.low[f.u], n[f.u]);
    for (uint32_t v = clamped(f.low[f.v], n[f.v]); v <= last_v; v++)
        for (uint32_t u = first_u; u <= last_u; u++) {
            raster->num_tests++;
            if (touches(&f, u, v)) {
                // The cells above this square that the plane passes through, within the triangle's
                // depth range.
                const double nw = f.normal[f.w];
                const double nu = f.normal[f.u] / nw;
                const double nv = f.normal[f.v] / nw;
                const double middle = f.at[0][f.w] - nu * ((double)u + 0.5 - f.at[0][f.u])
                                      - nv * ((double)v + 0.5 - f.at[0][f.v]);
                const double reach = 0.5 * (fabs(nu) + fabs(nv)); // nu, nv are from -1 to 1
                const uint32_t count = raster->grid->count[f.w];
                const uint32_t first = clamped(fmax(middle - reach, f.low[f.w]), count);
                const uint32_t last = clamped(fmin(middle + reach, f.high[f.w]), count);
                uint32_t cell[3];
                cell[f.u] = u, cell[f.v] = v;
                for (cell[f.w] = first; cell[f.w] <= last; cell[f.w]++)
                    raster->kinds[cell_at(raster->grid, cell[0], cell[1], cell[2])] = SHELL;
            }
        }
}

bool md5i_build_grid(md5_arena *arena, const md5_vec3 *positions, uint32_t num_positions,
                     const uint32_t *indices, uint32_t num_triangles, uint32_t resolution,
                     md5_grid *grid)
{
    const md5_bounds bounds = md5_bounds_from_points(positions, num_positions);
    const md5_vec3d low = md5_vec3d_of(bounds.min);
    const md5_vec3d high = md5_vec3d_of(bounds.max);
    const md5_vec3d sides = md5_vec3d_sub(high, low);
    const double longest = fmax(sides.x, fmax(sides.y, sides.z));
    grid->longest = longest > 0 ? longest : 1;
    grid->size = grid->longest / (double)resolution;
    grid->corner = md5_vec3d_sub(low, (md5_vec3d){grid->size, grid->size, grid->size});
    const double extent[3] = {sides.x, sides.y, sides.z};
    grid->num_cells = 1;
    for (uint32_t axis = 0; axis < 3; axis++) { // at most 259, so all cells are 17 million
        grid->count[axis] = (uint32_t)(extent[axis] / grid->size) + 3;
        grid->num_cells *= grid->count[axis];
    }
    rasterizer raster = {.grid = grid};
    grid->voxels = MD5_ROOM(arena, uint32_t, grid->num_cells);
    raster.kinds = MD5_NEW(arena, unsigned char, grid->num_cells);
    TRY(grid->voxels && raster.kinds);
    for (uint32_t i = 0; i < num_positions; i++)
        mark_point(&raster, grid_point(grid, md5_vec3d_of(positions[i])));
    for (uint32_t i = 0; i < num_triangles; i++) {
        const uint32_t *const corner = indices + 3 * (size_t)i;
        mark_triangle(&raster, grid_point(grid, md5_vec3d_of(positions[corner[0]])),
                      grid_point(grid, md5_vec3d_of(positions[corner[1]])),
                      grid_point(grid, md5_vec3d_of(positions[corner[2]])));
        if (raster.num_tests > MAX_TESTS)
            return MD5_FAIL(arena->context, MD5_ERROR_RANGE,
                            "triangles 0 to %u overlap in more than %d voxels: reduce the "
                            "resolution, or remove overlapping triangles",
                            i, MAX_TESTS);
    }

    // Flood fill of the outside from cell 0 through the faces of cells. `stack` has room for all
    // cells, each of which is pushed once.
    unsigned char *const kinds = raster.kinds;
    uint32_t *const stack = grid->voxels;
    const uint32_t row = grid->count[0];
    const uint32_t layer = row * grid->count[1];
    uint32_t depth = 1;
    stack[0] = 0;
    kinds[0] = OUTSIDE;
    while (depth > 0) {
        const uint32_t cell = stack[--depth];
        const uint32_t x = cell % row;
        const uint32_t y = cell / row % grid->count[1];
        const uint32_t z = cell / layer;
        const struct {
            bool is_there;
            uint32_t cell;
        } next[6] = {
            {x > 0, cell - 1},     {x + 1 < grid->count[0], cell + 1},
            {y > 0, cell - row},   {y + 1 < grid->count[1], cell + row},
            {z > 0, cell - layer}, {z + 1 < grid->count[2], cell + layer},
        };
        for (uint32_t i = 0; i < 6; i++)
            if (next[i].is_there && kinds[next[i].cell] == UNKNOWN) {
                kinds[next[i].cell] = OUTSIDE;
                stack[depth++] = next[i].cell;
            }
    }

    grid->num_voxels = 0;
    for (uint32_t cell = 0; cell < grid->num_cells; cell++)
        grid->voxels[cell] = raster.kinds[cell] == OUTSIDE ? MD5_NO_VOXEL : grid->num_voxels++;
    grid->cells = MD5_ROOM(arena, uint32_t, grid->num_voxels);
    TRY(grid->cells);
    for (uint32_t cell = 0; cell < grid->num_cells; cell++)
        if (grid->voxels[cell] != MD5_NO_VOXEL)
            grid->cells[grid->voxels[cell]] = cell;
    return true;
}

// The voxel at a point in coordinates, or MD5_NO_VOXEL, also if it is outside of all cells.
static uint32_t voxel_at(const md5_grid *grid, md5_vec3d p)
{
    const uint32_t *const n = grid->count;
    if (!(p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x < (double)n[0] && p.y < (double)n[1]
          && p.z < (double)n[2]))
        return MD5_NO_VOXEL;
    return grid->voxels[cell_at(grid, (uint32_t)p.x, (uint32_t)p.y, (uint32_t)p.z)];
}

// The share of a line that is in the volume, from its start on: 1 = all of it, below 0 = the start
// is outside. Sampled in steps of half a cell, at most a few hundred.
static double line_in_volume(const md5_grid *grid, md5_vec3d from, md5_vec3d to)
{
    const md5_vec3d way = md5_vec3d_sub(to, from);
    const double length = md5_vec3d_length(way);
    if (voxel_at(grid, from) == MD5_NO_VOXEL)
        return -1;
    const double step = 0.5 / fmax(length, 0.5); // a line as long as the box's diagonal leaves it
    double inside = 0;
    for (uint32_t i = 1; inside < 1; i++) {
        const double next = fmin((double)i * step, 1.0);
        if (voxel_at(grid, md5_vec3d_add(from, md5_vec3d_scale(way, next))) == MD5_NO_VOXEL)
            return inside;
        inside = next;
    }
    return 1;
}

// == Bones =======================================================================================
//
// Finds the bones of joints in a volume.

static md5_vec3d joint_in_grid(const md5_grid *grid, const md5_weights_desc *desc, uint32_t joint)
{
    return grid_point(grid, md5_vec3d_of(md5_mat34_translation(desc->bind[joint])));
}

static md5_bone bone_to(const md5_grid *grid, md5_vec3d from, md5_vec3d to)
{
    const double inside = line_in_volume(grid, from, to);
    const md5_vec3d way = md5_vec3d_sub(to, from);
    return (md5_bone){from, md5_vec3d_add(from, md5_vec3d_scale(way, inside > 0 ? inside : 0))};
}

// The bone of a joint without children continues the parent's bone with the same length; otherwise
// vertices beyond the joint would be equally near to the parent's bone.
static md5_bone end_bone(const md5_grid *grid, const md5_weights_desc *desc, uint32_t joint)
{
    const md5_vec3d own = joint_in_grid(grid, desc, joint);
    const uint32_t parent = desc->skeleton->joints[joint].parent;
    if (parent == MD5_NONE)
        return (md5_bone){own, own};
    const md5_vec3d way = md5_vec3d_sub(own, joint_in_grid(grid, desc, parent));
    return bone_to(grid, own, md5_vec3d_add(own, way));
}

bool md5i_find_bones(md5_arena *arena, const md5_grid *grid, const md5_weights_desc *desc,
                     md5_bones *bones)
{
    const uint32_t num_joints = desc->skeleton->num_joints;
    uint32_t *const first = MD5_NEW(arena, uint32_t, (size_t)num_joints + 1);
    uint32_t *const used = MD5_NEW(arena, uint32_t, num_joints);
    // A joint has one bone for each child, or one: at most two for each joint in all.
    bones->bones = MD5_ROOM(arena, md5_bone, 2 * (size_t)num_joints);
    TRY(first && used && bones->bones);

    // The bones of each joint: one for each child, or a point.
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        const uint32_t parent = desc->skeleton->joints[joint].parent;
        if (parent != MD5_NONE)
            first[parent]++;
    }
    for (uint32_t joint = 0; joint < num_joints; joint++)
        if ((desc->excluded && desc->excluded[joint])
            || voxel_at(grid, joint_in_grid(grid, desc, joint)) == MD5_NO_VOXEL)
            first[joint] = 0;
        else if (first[joint] == 0)
            first[joint] = 1;
    uint32_t sum = 0;
    bones->num_bound = 0;
    for (uint32_t joint = 0; joint <= num_joints; joint++) {
        const uint32_t count = joint < num_joints ? first[joint] : 0;
        bones->num_bound += count > 0;
        first[joint] = sum;
        sum += count;
    }
    bones->first_bone = first;
    for (uint32_t joint = 0; joint < num_joints; joint++)
        if (first[joint] < first[joint + 1])
            bones->bones[first[joint]] = end_bone(grid, desc, joint);
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        const uint32_t parent = desc->skeleton->joints[joint].parent;
        if (parent != MD5_NONE && first[parent] < first[parent + 1])
            bones->bones[first[parent] + used[parent]++] =
                bone_to(grid, joint_in_grid(grid, desc, parent), joint_in_grid(grid, desc, joint));
    }
    return true;
}

// The point of a joint's bones that is nearest to `point`. The joint has a bone.
static md5_vec3d nearest_on_bones(const md5_bones *bones, uint32_t joint, md5_vec3d point)
{
    md5_vec3d nearest = point;
    double smallest = INFINITY;
    for (uint32_t i = bones->first_bone[joint]; i < bones->first_bone[joint + 1]; i++) {
        const md5_bone *const bone = &bones->bones[i];
        const md5_vec3d way = md5_vec3d_sub(bone->to, bone->from);
        const double length = md5_vec3d_dot(way, way); // squared
        double t = length > 0 ? md5_vec3d_dot(md5_vec3d_sub(point, bone->from), way) / length : 0;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        const md5_vec3d candidate = md5_vec3d_add(bone->from, md5_vec3d_scale(way, t));
        const md5_vec3d away = md5_vec3d_sub(candidate, point);
        const double square = md5_vec3d_dot(away, away);
        if (square < smallest) {
            smallest = square;
            nearest = candidate;
        }
    }
    return nearest;
}

// == Paths =======================================================================================

bool md5i_create_paths(md5_arena *arena, const md5_grid *grid, const md5_bones *bones,
                       md5_paths *paths)
{
    *paths = (md5_paths){.grid = grid, .bones = bones};
    paths->lengths = MD5_ROOM(arena, float, grid->num_voxels);
    paths->heap = MD5_ROOM(arena, uint32_t, grid->num_voxels);
    paths->places = MD5_ROOM(arena, uint32_t, grid->num_voxels);
    return paths->lengths && paths->heap && paths->places;
}

static void put(md5_paths *paths, uint32_t place, uint32_t voxel)
{
    paths->heap[place] = voxel;
    paths->places[voxel] = place;
}

// Moves a voxel whose length has decreased towards the top of the heap.
static void rise(md5_paths *paths, uint32_t place, uint32_t voxel)
{
    const float length = paths->lengths[voxel];
    while (place > 0) {
        const uint32_t above = (place - 1) / 2;
        if (!(length < paths->lengths[paths->heap[above]]))
            break;
        put(paths, place, paths->heap[above]);
        place = above;
    }
    put(paths, place, voxel);
}

static uint32_t take_shortest(md5_paths *paths)
{
    const uint32_t shortest = paths->heap[0];
    const uint32_t last = paths->heap[--paths->heap_size];
    const float length = paths->lengths[last];
    uint32_t place = 0;
    for (;;) {
        uint32_t below = 2 * place + 1;
        if (below >= paths->heap_size)
            break;
        if (below + 1 < paths->heap_size
            && paths->lengths[paths->heap[below + 1]] < paths->lengths[paths->heap[below]])
            below++;
        if (!(paths->lengths[paths->heap[below]] < length))
            break;
        put(paths, place, paths->heap[below]);
        place = below;
    }
    if (paths->heap_size > 0)
        put(paths, place, last);
    return shortest;
}

// Sets a shorter path to a voxel. Lengths never fall below that of a voxel removed from the heap,
// so a removed voxel is not added again.
static void shorten(md5_paths *paths, uint32_t voxel, float length)
{
    const float before = paths->lengths[voxel];
    if (!(length < before))
        return;
    paths->lengths[voxel] = length;
    rise(paths, before < INFINITY ? paths->places[voxel] : paths->heap_size++, voxel);
}

void md5i_measure_paths(md5_paths *paths, uint32_t joint)
{
    static const float lengths[4] = {0, 1, 1.41421356f, 1.73205081f};
    const md5_grid *const grid = paths->grid;
    const md5_bones *const bones = paths->bones;
    const int64_t row = (int64_t)grid->count[0];
    const int64_t layer = row * (int64_t)grid->count[1];
    for (uint32_t voxel = 0; voxel < grid->num_voxels; voxel++)
        paths->lengths[voxel] = INFINITY;
    paths->heap_size = 0;
    for (uint32_t i = bones->first_bone[joint]; i < bones->first_bone[joint + 1]; i++) {
        // The voxels along a bone begin with the distances of their centres from it.
        const md5_bone *const bone = &bones->bones[i];
        const md5_vec3d way = md5_vec3d_sub(bone->to, bone->from);
        const uint32_t steps = (uint32_t)(2 * md5_vec3d_length(way)) + 1;
        for (uint32_t j = 0; j <= steps; j++) {
            const md5_vec3d point =
                md5_vec3d_add(bone->from, md5_vec3d_scale(way, (double)j / (double)steps));
            const uint32_t voxel = voxel_at(grid, point);
            if (voxel == MD5_NO_VOXEL)
                continue;
            const md5_vec3d middle = md5_cell_center(grid, grid->cells[voxel]);
            const md5_vec3d nearest = nearest_on_bones(bones, joint, middle);
            shorten(paths, voxel, (float)md5_vec3d_length(md5_vec3d_sub(middle, nearest)));
        }
    }
    while (paths->heap_size > 0) {
        const uint32_t voxel = take_shortest(paths);
        const float length = paths->lengths[voxel];
        // No voxel is in the outermost cells, so all neighbours are cells.
        for (int z = -1; z <= 1; z++)
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++) {
                    const int64_t cell = (int64_t)grid->cells[voxel] + z * layer + y * row + x;
                    const uint32_t next = grid->voxels[cell];
                    if (next != MD5_NO_VOXEL)
                        shorten(paths, next, length + lengths[x * x + y * y + z * z]);
                }
    }
}

// == Rows ========================================================================================
//
// The joints that may move each vertex: a row of a fixed number of entries for each position, first
// with distances, then with weights.

// Number of joints beyond those that are kept which take part in smoothing.
enum { MD5_SPARE_ENTRIES = 4 };

typedef struct md5_bind_entry {
    uint32_t joint;
    float value; // distance in cells, ascending; or weight, descending
} md5_bind_entry;

typedef struct md5_bind_rows {
    uint32_t num_rows;
    uint32_t width;
    md5_bind_entry *entries; // [num_rows][width]
    uint32_t *counts;        // [num_rows] entries in use
} md5_bind_rows;

static inline md5_bind_entry *md5_row(const md5_bind_rows *rows, uint32_t row)
{
    return rows->entries + (size_t)row * rows->width;
}

static bool create_rows(md5_arena *arena, uint32_t num_rows, uint32_t width, md5_bind_rows *rows)
{
    *rows = (md5_bind_rows){.num_rows = num_rows, .width = width};
    const size_t row_size = width * sizeof(md5_bind_entry);
    rows->entries = (md5_bind_entry *)md5i_arena_room(arena, num_rows, row_size);
    rows->counts = MD5_NEW(arena, uint32_t, num_rows);
    return rows->entries && rows->counts;
}

// Adds an entry to a row that is sorted by value, ascending, and keeps the smallest.
static void add_to_row(md5_bind_rows *rows, uint32_t row, md5_bind_entry entry)
{
    md5_bind_entry *const entries = md5_row(rows, row);
    uint32_t place = rows->counts[row];
    if (place == rows->width) {
        if (!(entry.value < entries[place - 1].value))
            return;
        place--;
    } else {
        rows->counts[row]++;
    }
    for (; place > 0 && entry.value < entries[place - 1].value; place--)
        entries[place] = entries[place - 1];
    entries[place] = entry;
}

// Sorts a row by value, descending, removes all but the first `most` values and, except for the
// first, those below `least`, and scales the rest to sum 1.
static void trim_row(md5_bind_rows *rows, uint32_t row, uint32_t most, float least)
{
    md5_bind_entry *const entries = md5_row(rows, row);
    uint32_t count = rows->counts[row];
    for (uint32_t i = 1; i < count; i++) { // at most 20
        const md5_bind_entry entry = entries[i];
        uint32_t place = i;
        for (; place > 0 && entry.value > entries[place - 1].value; place--)
            entries[place] = entries[place - 1];
        entries[place] = entry;
    }
    count = count < most ? count : most;
    float sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += entries[i].value;
    while (count > 1 && entries[count - 1].value < least * sum)
        sum -= entries[--count].value;
    for (uint32_t i = 0; i < count; i++)
        entries[i].value /= sum;
    rows->counts[row] = count;
}

// Neighbours of each row, twice those of an inner edge: both of its triangles list it.
typedef struct neighbours {
    uint32_t *first; // [num_rows + 1]
    uint32_t *rows;
} neighbours;

// Sums of weights by joint; only those of the listed joints are not 0.
typedef struct joint_sums {
    float *of_joint; // [num_joints]
    uint32_t *joints;
    uint32_t count;
} joint_sums;

static void add_row(joint_sums *sums, const md5_bind_rows *rows, uint32_t row, float share)
{
    const md5_bind_entry *const entries = md5_row(rows, row);
    for (uint32_t i = 0; i < rows->counts[row]; i++) {
        const uint32_t joint = entries[i].joint;
        const float added = share * entries[i].value;
        if (sums->of_joint[joint] == 0 && added > 0) // a share may be too small for a float
            sums->joints[sums->count++] = joint;
        sums->of_joint[joint] += added;
    }
}

// Replaces each row by the mean of itself and the mean of its neighbours along the edges of the
// triangles, `rounds` times. same[vertex] is the row of a vertex. Returns false and sets the error
// if memory runs out.
static bool smooth_rows(md5_arena *arena, const md5_weights_desc *desc, const uint32_t *same,
                        uint32_t rounds, md5_bind_rows *rows)
{
    const uint32_t num_joints = desc->skeleton->num_joints;
    neighbours around;
    joint_sums sums = {0};
    md5_bind_rows other;
    const uint32_t num_rows = rows->num_rows;
    const size_t corners = 3 * (size_t)desc->num_triangles;
    around.first = MD5_NEW(arena, uint32_t, (size_t)num_rows + 2);
    around.rows = MD5_ROOM(arena, uint32_t, 2 * corners);
    TRY(around.first && around.rows);
    // Counting sort in place: first[row + 2] is the count, then first[row + 1] the position of the
    // row's next neighbour, and finally first[row] the first one.
    for (size_t i = 0; i < corners; i++)
        around.first[same[desc->indices[i]] + 2] += 2;
    for (uint32_t row = 2; row < num_rows + 2; row++)
        around.first[row] += around.first[row - 1];
    for (size_t i = 0; i < corners; i++) {
        const size_t triangle = i - i % 3;
        uint32_t *const next = &around.first[same[desc->indices[i]] + 1];
        around.rows[(*next)++] = same[desc->indices[triangle + (i + 1) % 3]];
        around.rows[(*next)++] = same[desc->indices[triangle + (i + 2) % 3]];
    }

    TRY(create_rows(arena, num_rows, rows->width, &other));
    sums.of_joint = MD5_NEW(arena, float, num_joints);
    sums.joints = MD5_ROOM(arena, uint32_t, num_joints);
    TRY(sums.of_joint && sums.joints);
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t row = 0; row < num_rows; row++) {
            const uint32_t first = around.first[row];
            const uint32_t count = around.first[row + 1] - first;
            add_row(&sums, rows, row, count > 0 ? 0.5f : 1);
            for (uint32_t i = 0; i < count; i++)
                add_row(&sums, rows, around.rows[first + i], 0.5f / (float)count);

            // The sums become the row, largest first.
            other.counts[row] = 0;
            for (uint32_t i = 0; i < sums.count; i++) {
                const uint32_t joint = sums.joints[i];
                add_to_row(&other, row, (md5_bind_entry){joint, -sums.of_joint[joint]});
                sums.of_joint[joint] = 0;
            }
            sums.count = 0;
            md5_bind_entry *const entries = md5_row(&other, row);
            float sum = 0;
            for (uint32_t i = 0; i < other.counts[row]; i++)
                sum -= entries[i].value;
            for (uint32_t i = 0; i < other.counts[row]; i++)
                entries[i].value /= -sum;
        }
        const md5_bind_rows swapped = *rows;
        *rows = other;
        other = swapped;
    }
    return true;
}

// Automatic weights: see md5edit.h. Steps: voxels, paths from each joint, distances of the
// vertices, weights, smoothing.

#define MIN_WEIGHT 0.005f
#define LARGEST 1e9f
// Smallest distance, in cells: avoids infinite weights of vertices on a bone.
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

typedef struct bind_work {
    md5_arena arena;
    md5_weights_desc desc; // with defaults applied
    md5_grid grid;
    md5_bones bones;
    uint32_t *same;   // [num_positions] the row of each position
    uint32_t *firsts; // [num_rows] the first position of each row
    md5_vec3 *points; // [num_rows]
    uint32_t num_rows;
    bool *is_distant; // [num_rows]
    md5_bind_rows rows;
} bind_work;

// -- Checks ---------------------------------------------------------------------------------------

static bool is_small(float value)
{
    return fabsf(value) <= LARGEST; // false for NaN
}

static bool check_range(md5_context *context, const char *what, uint32_t value, uint32_t min,
                        uint32_t max)
{
    if (value >= min && value <= max)
        return true;
    return MD5_FAIL(context, MD5_ERROR_RANGE, "%s is out of range: expected %u to %u, found %u",
                    what, min, max, value);
}

static bool check(md5_context *context, md5_weights_desc *desc)
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
    TRY(check_range(context, "num_positions", desc->num_positions, 1, UINT32_MAX / 32));
    for (uint32_t i = 0; i < desc->num_positions; i++) {
        const md5_vec3 p = desc->positions[i];
        if (!is_small(p.x) || !is_small(p.y) || !is_small(p.z))
            return MD5_FAIL(context, MD5_ERROR_RANGE,
                            "position %u is out of range: expected -1e9 to 1e9, found ( %g %g %g )",
                            i, p.x, p.y, p.z);
    }
    if (desc->num_triangles > UINT32_MAX / 6)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "too many triangles: expected at most %u, found %u", UINT32_MAX / 6,
                        desc->num_triangles);
    for (uint32_t i = 0; i < 3 * desc->num_triangles; i++)
        if (desc->indices[i] >= desc->num_positions)
            return MD5_FAIL(
                context, MD5_ERROR_RANGE,
                "triangle %u refers to an unknown position: expected an index below %u, found %u",
                i / 3, desc->num_positions, desc->indices[i]);
    for (uint32_t joint = 0; joint < desc->skeleton->num_joints; joint++)
        for (uint32_t i = 0; i < 12; i++)
            if (!is_small(desc->bind[joint].m[i]))
                return MD5_FAIL(
                    context, MD5_ERROR_RANGE,
                    "bind matrix of joint %u is out of range: expected -1e9 to 1e9, found %g",
                    joint, desc->bind[joint].m[i]);
    return true;
}

// -- Distances ------------------------------------------------------------------------------------

// The path length at a point: the shortest over the voxel at the point and its neighbours.
static float path_to(const md5_paths *paths, md5_vec3d point)
{
    float shortest = INFINITY;
    for (int i = 0; i < 27; i++) {
        const int x = i % 3 - 1;
        const int y = i / 3 % 3 - 1;
        const int z = i / 9 - 1;
        const md5_vec3d beside = {point.x + (double)x, point.y + (double)y, point.z + (double)z};
        const uint32_t voxel = voxel_at(paths->grid, beside);
        if (voxel == MD5_NO_VOXEL || !(paths->lengths[voxel] < INFINITY))
            continue;
        const md5_vec3d middle = md5_cell_center(paths->grid, paths->grid->cells[voxel]);
        const float length =
            paths->lengths[voxel] + (float)md5_vec3d_length(md5_vec3d_sub(point, middle));
        shortest = length < shortest ? length : shortest;
    }
    return shortest;
}

static bool has_bone(const md5_bones *bones, uint32_t joint)
{
    return bones->first_bone[joint] < bones->first_bone[joint + 1];
}

// -- Result ---------------------------------------------------------------------------------------

// The joint's rotation is orthonormal: its transpose is its inverse.
static md5_vec3 in_joint(const md5_mat34 *bind, md5_vec3 point)
{
    const float *const m = bind->m;
    const md5_vec3d p =
        md5_vec3d_sub(md5_vec3d_of(point), md5_vec3d_of(md5_mat34_translation(*bind)));
    return md5_vec3d_round((md5_vec3d){
        (double)m[0] * p.x + (double)m[4] * p.y + (double)m[8] * p.z,
        (double)m[1] * p.x + (double)m[5] * p.y + (double)m[9] * p.z,
        (double)m[2] * p.x + (double)m[6] * p.y + (double)m[10] * p.z,
    });
}

static md5_weights *write_result(const bind_work *make)
{
    md5_context *const context = make->arena.context;
    const uint32_t num_vertices = make->desc.num_positions;
    uint32_t num_weights = 0; // at most 16 for each position
    for (uint32_t row = 0; row < make->num_rows; row++)
        num_weights += make->rows.counts[row];
    md5_block block = {0};
    md5_weights *weights = NULL;
    md5_vertex *vertices = NULL;
    md5_weight *list = NULL;
    for (uint32_t pass = 0; pass < 2; pass++) {
        weights = MD5_TAKE(&block, md5_weights, 1);
        vertices = MD5_TAKE(&block, md5_vertex, num_vertices);
        list = MD5_TAKE(&block, md5_weight, num_weights);
        if (pass == 0 && !md5i_block_allocate(context, &block))
            return NULL;
    }
    *weights = (md5_weights){
        .num_vertices = num_vertices,
        .vertices = vertices,
        .num_weights = num_weights,
        .weights = list,
        .num_voxels = make->grid.num_voxels,
        .voxel_size = (float)make->grid.size,
        .num_bound = make->bones.num_bound,
        .size = block.used,
        .internal = {.allocator = context->allocator, .tag = MD5_TAG_WEIGHTS},
    };
    uint32_t num_written = 0;
    for (uint32_t i = 0; i < num_vertices; i++) {
        const uint32_t row = make->same[i];
        weights->num_distant += make->is_distant[row];
        if (make->firsts[row] != i) { // equal to an earlier one
            vertices[i] = vertices[make->firsts[row]];
            continue;
        }
        const md5_bind_entry *const entries = md5_row(&make->rows, row);
        vertices[i] = (md5_vertex){num_written, make->rows.counts[row]};
        for (uint32_t k = 0; k < make->rows.counts[row]; k++)
            list[num_written++] =
                (md5_weight){entries[k].joint, entries[k].value,
                             in_joint(&make->desc.bind[entries[k].joint], make->points[row])};
    }
    return weights;
}

// Writes for each point the index of the first one that equals it. Their bits are sorted as names
// are: linear but for a logarithm, whatever the points.
static bool find_equal(md5_arena *arena, const md5_vec3 *points, uint32_t count, uint32_t *same)
{
    const md5_arena_mark before = md5i_arena_here(arena);
    md5_vec3 *const keys = MD5_ROOM(arena, md5_vec3, count);
    md5_ordered_name *const names = MD5_ROOM(arena, md5_ordered_name, count);
    TRY(keys && names);
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = (md5_vec3){points[i].x + 0, points[i].y + 0, points[i].z + 0}; // not -0
        names[i] = (md5_ordered_name){{(const char *)&keys[i], sizeof *keys}, i};
    }
    const md5_ordered_name *const ordered = md5i_order_names(arena, names, count);
    TRY(ordered);
    for (uint32_t i = 0, first = 0; i < count; i++) {
        if (memcmp(ordered[i].name.bytes, ordered[first].name.bytes, sizeof *keys) != 0)
            first = i;
        same[ordered[i].number] = ordered[first].number;
    }
    md5i_arena_rewind(arena, before);
    return true;
}

static bool bind(bind_work *make)
{
    md5_context *const context = make->arena.context;
    const md5_weights_desc *const desc = &make->desc;
    // Equal positions share one row, so that texture seams stay closed.
    const uint32_t count = desc->num_positions;
    make->same = MD5_ROOM(&make->arena, uint32_t, count);
    make->firsts = MD5_ROOM(&make->arena, uint32_t, count);
    make->points = MD5_ROOM(&make->arena, md5_vec3, count);
    TRY(make->same && make->firsts && make->points);
    TRY(find_equal(&make->arena, desc->positions, count, make->same));
    for (uint32_t i = 0; i < count; i++) // the first of equal ones comes first
        if (make->same[i] == i) {
            make->firsts[make->num_rows] = i;
            make->points[make->num_rows] = desc->positions[i];
            make->same[i] = make->num_rows++;
        } else {
            make->same[i] = make->same[make->same[i]];
        }
    TRY(md5i_build_grid(&make->arena, desc->positions, desc->num_positions, desc->indices,
                        desc->num_triangles, desc->resolution, &make->grid));
    TRY(md5i_find_bones(&make->arena, &make->grid, desc, &make->bones));
    if (make->bones.num_bound == 0)
        return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                        "no usable joints: all %u joints are outside the mesh or excluded",
                        desc->skeleton->num_joints);
    const uint32_t num_joints = desc->skeleton->num_joints;
    const uint32_t width = desc->max_influences + MD5_SPARE_ENTRIES;
    TRY(create_rows(&make->arena, make->num_rows, width, &make->rows));
    make->is_distant = MD5_NEW(&make->arena, bool, make->num_rows);
    TRY(make->is_distant);
    md5_paths paths;
    TRY(md5i_create_paths(&make->arena, &make->grid, &make->bones, &paths));
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        if (!has_bone(&make->bones, joint))
            continue;
        md5i_measure_paths(&paths, joint);
        for (uint32_t row = 0; row < make->num_rows; row++) {
            const md5_vec3d point = grid_point(&make->grid, md5_vec3d_of(make->points[row]));
            const float length = path_to(&paths, point);
            if (length < INFINITY)
                add_to_row(&make->rows, row, (md5_bind_entry){joint, length});
        }
    }

    for (uint32_t row = 0; row < make->num_rows; row++) {
        const md5_vec3d point = grid_point(&make->grid, md5_vec3d_of(make->points[row]));
        make->is_distant[row] = make->rows.counts[row] == 0;
        if (make->is_distant[row]) {
            for (uint32_t joint = 0; joint < num_joints; joint++)
                if (has_bone(&make->bones, joint)) {
                    const md5_vec3d end = nearest_on_bones(&make->bones, joint, point);
                    const double length = md5_vec3d_length(md5_vec3d_sub(end, point));
                    add_to_row(&make->rows, row, (md5_bind_entry){joint, (float)length});
                }
        }
        // Paths through the centres of voxels are up to 10 % too long, so the straight line is used
        // if it stays in the volume.
        md5_bind_entry *const entries = md5_row(&make->rows, row);
        if (!make->is_distant[row]) {
            for (uint32_t i = 0; i < make->rows.counts[row]; i++) {
                const md5_vec3d end = nearest_on_bones(&make->bones, entries[i].joint, point);
                if (line_in_volume(&make->grid, point, end) == 1)
                    entries[i].value = (float)md5_vec3d_length(md5_vec3d_sub(end, point));
            }
        }

        // The influence at a distance in cells, compared with the nearest one, so that the largest
        // is 1.
        const double cell = make->grid.size / make->grid.longest;
        const double falloff = (double)make->desc.falloff;
        double nearest = INFINITY;
        for (uint32_t i = 0; i < make->rows.counts[row]; i++)
            nearest = fmin(nearest, (double)entries[i].value);
        const double closest = fmax(nearest, MIN_DISTANCE) * cell;
        for (uint32_t i = 0; i < make->rows.counts[row]; i++) {
            const double d = fmax((double)entries[i].value, MIN_DISTANCE) * cell;
            const double ratio =
                closest * (1 - falloff + falloff * closest) / (d * (1 - falloff + falloff * d));
            entries[i].value = (float)(ratio * ratio);
        }

        trim_row(&make->rows, row, width, 0);
    }
    if (!desc->no_smoothing)
        TRY(smooth_rows(&make->arena, desc, make->same, desc->smoothing, &make->rows));
    for (uint32_t row = 0; row < make->num_rows; row++)
        trim_row(&make->rows, row, desc->max_influences, MIN_WEIGHT);
    return true;
}

md5_weights *md5_create_weights(const md5_weights_desc *desc, const md5_load_opts *opts,
                                md5_error *error)
{
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_RESERVED(desc);
    MD5_ASSERT(desc->positions || desc->num_positions == 0, "positions: must not be NULL");
    MD5_ASSERT(desc->indices || desc->num_triangles == 0, "indices: must not be NULL");
    if (!desc->skeleton) {
        md5i_fail_missing(error, "skeleton");
        return NULL;
    }
    MD5_ASSERT(desc->bind || desc->skeleton->num_joints == 0, "bind: must not be NULL");
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    bind_work make = {.arena = {.context = &context}, .desc = *desc};
    md5_weights *const weights =
        check(&context, &make.desc) && bind(&make) ? write_result(&make) : NULL;
    md5i_arena_free(&make.arena);
    return weights;
}

void md5_destroy_weights(md5_weights *weights)
{
    MD5_FREE(weights, MD5_TAG_WEIGHTS);
}
