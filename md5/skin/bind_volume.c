// The volume of a mesh as voxels, the bones in it, and the lengths of paths from them: see
// bind_volume.h.
#include "md5/skin/bind_volume.h"

// == Voxels ======================================================================================

enum { UNKNOWN, SHELL, OUTSIDE };

#define MOST_TESTS (1 << 26) // tests of a cell against a triangle: a quarter of a second

typedef struct rasterizer {
    const md5_grid *grid;
    unsigned char *kinds; // [num_cells]
    uint64_t num_tests;
} rasterizer;

static uint32_t cell_at(const md5_grid *grid, uint32_t x, uint32_t y, uint32_t z)
{
    return (z * grid->count[1] + y) * grid->count[0] + x;
}

// The cell along one axis, clamped to the box, since rounding may place a point just outside.
static uint32_t clamped(double coordinate, uint32_t count)
{
    const double most = (double)count - 2.0;
    return (uint32_t)(coordinate < 1.0 ? 1.0 : coordinate > most ? most : coordinate);
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
    const uint32_t steps = (uint32_t)(2.0 * md5_vec3d_length(way)) + 1;
    for (uint32_t i = 0; i <= steps; i++)
        mark_point(raster, md5_vec3d_add(a, md5_vec3d_scale(way, (double)i / (double)steps)));
    raster->num_tests += steps;
}

// A triangle projected along the axis w that is nearest to its normal; each array is a, b, c.
typedef struct flat {
    int u, v, w;
    double at[3][3]; // corners, by axis
    double normal[3];
    double low[3], high[3];
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
    for (int axis = 0; axis < 3; axis++) {
        f.low[axis] = fmin(f.at[0][axis], fmin(f.at[1][axis], f.at[2][axis]));
        f.high[axis] = fmax(f.at[0][axis], fmax(f.at[1][axis], f.at[2][axis]));
    }
    return f;
}

// Whether the unit square at u, v overlaps the triangle: no edge has all its corners outside.
static bool touches(const flat *f, double u, double v)
{
    const double turn = f->normal[f->w] > 0.0 ? 1.0 : -1.0;
    for (int i = 0; i < 3; i++) {
        const double *const from = f->at[i], *const to = f->at[(i + 1) % 3];
        const double inward_u = -(to[f->v] - from[f->v]) * turn;
        const double inward_v = (to[f->u] - from[f->u]) * turn;
        const double best_u = u + (inward_u > 0.0 ? 1.0 : 0.0);
        const double best_v = v + (inward_v > 0.0 ? 1.0 : 0.0);
        if (inward_u * (best_u - from[f->u]) + inward_v * (best_v - from[f->v]) < 0.0)
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
    const uint32_t last_u = clamped(f.high[f.u], n[f.u]), last_v = clamped(f.high[f.v], n[f.v]);
    const uint32_t first_u = clamped(f.low[f.u], n[f.u]);
    for (uint32_t v = clamped(f.low[f.v], n[f.v]); v <= last_v; v++)
        for (uint32_t u = first_u; u <= last_u; u++) {
            raster->num_tests++;
            if (touches(&f, (double)u, (double)v)) {
                // The cells above this square that the plane passes through, within the triangle's
                // depth range.
                const double nw = f.normal[f.w], nu = f.normal[f.u] / nw, nv = f.normal[f.v] / nw;
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
    const md5_vec3d low = md5_vec3d_of(bounds.min), high = md5_vec3d_of(bounds.max);
    const md5_vec3d sides = md5_vec3d_sub(high, low);
    const double longest = fmax(sides.x, fmax(sides.y, sides.z));
    grid->longest = longest > 0.0 ? longest : 1.0;
    grid->size = grid->longest / (double)resolution;
    grid->corner = md5_vec3d_sub(low, (md5_vec3d){grid->size, grid->size, grid->size});
    const double extent[3] = {sides.x, sides.y, sides.z};
    grid->num_cells = 1;
    for (int axis = 0; axis < 3; axis++) { // at most 259, so all cells are 17 million
        grid->count[axis] = (uint32_t)(extent[axis] / grid->size) + 3;
        grid->num_cells *= grid->count[axis];
    }
    rasterizer raster = {.grid = grid};
    grid->voxels = MD5_ROOM(arena, uint32_t, grid->num_cells);
    raster.kinds = MD5_NEW(arena, unsigned char, grid->num_cells);
    TRY(grid->voxels && raster.kinds);
    for (uint32_t i = 0; i < num_positions; i++)
        mark_point(&raster, md5_grid_point(raster.grid, md5_vec3d_of(positions[i])));
    for (uint32_t i = 0; i < num_triangles; i++) {
        const uint32_t *const corner = indices + 3 * (size_t)i;
        mark_triangle(&raster, md5_grid_point(raster.grid, md5_vec3d_of(positions[corner[0]])),
                      md5_grid_point(raster.grid, md5_vec3d_of(positions[corner[1]])),
                      md5_grid_point(raster.grid, md5_vec3d_of(positions[corner[2]])));
        if (raster.num_tests > MOST_TESTS)
            return md5i_fail(arena->context, MD5_ERROR_RANGE, 0, 0,
                             "triangles 0 to %u overlap in more than %d voxels; "
                             "expected a surface, or a lower resolution",
                             i, MOST_TESTS);
    }

    // Flood fill of the outside from cell 0 through the faces of cells. `stack` has room for all
    // cells, each of which is pushed once.
    unsigned char *const kinds = raster.kinds;
    uint32_t *const stack = grid->voxels;
    const uint32_t row = grid->count[0], layer = row * grid->count[1];
    uint32_t depth = 1;
    stack[0] = 0;
    kinds[0] = OUTSIDE;
    while (depth > 0) {
        const uint32_t cell = stack[--depth];
        const uint32_t x = cell % row, y = cell / row % grid->count[1], z = cell / layer;
        const struct {
            bool is_there;
            uint32_t cell;
        } next[6] = {
            {x > 0, cell - 1},     {x + 1 < grid->count[0], cell + 1},
            {y > 0, cell - row},   {y + 1 < grid->count[1], cell + row},
            {z > 0, cell - layer}, {z + 1 < grid->count[2], cell + layer},
        };
        for (int i = 0; i < 6; i++)
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

uint32_t md5i_voxel_at(const md5_grid *grid, md5_vec3d p)
{
    const uint32_t *const n = grid->count;
    if (!(p.x >= 0.0 && p.y >= 0.0 && p.z >= 0.0 && p.x < (double)n[0] && p.y < (double)n[1]
          && p.z < (double)n[2]))
        return MD5_NO_VOXEL;
    return grid->voxels[cell_at(grid, (uint32_t)p.x, (uint32_t)p.y, (uint32_t)p.z)];
}

double md5i_line_in_volume(const md5_grid *grid, md5_vec3d from, md5_vec3d to)
{
    const md5_vec3d way = md5_vec3d_sub(to, from);
    const double length = md5_vec3d_length(way);
    if (md5i_voxel_at(grid, from) == MD5_NO_VOXEL)
        return -1.0;
    const double step = 0.5 / fmax(length, 0.5); // a line as long as the box's diagonal leaves it
    double inside = 0.0;
    for (uint32_t i = 1; inside < 1.0; i++) {
        const double next = fmin((double)i * step, 1.0);
        if (md5i_voxel_at(grid, md5_vec3d_add(from, md5_vec3d_scale(way, next))) == MD5_NO_VOXEL)
            return inside;
        inside = next;
    }
    return 1.0;
}

// == Bones =======================================================================================
//
// Finds the bones of joints in a volume.

static md5_vec3d joint_in_grid(const md5_grid *grid, const md5_weights_desc *desc, uint32_t joint)
{
    return md5_grid_point(grid, md5_vec3d_of(md5_mat34_translation(desc->bind[joint])));
}

// Counts the bones of each joint into first_bone: one for each child, or a point.
static void count_bones(const md5_grid *grid, const md5_weights_desc *desc, uint32_t *count)
{
    const uint32_t num_joints = desc->skeleton->num_joints;
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        const uint32_t parent = desc->skeleton->joints[joint].parent;
        if (parent != MD5_NONE)
            count[parent]++;
    }
    for (uint32_t joint = 0; joint < num_joints; joint++)
        if ((desc->excluded && desc->excluded[joint])
            || md5i_voxel_at(grid, joint_in_grid(grid, desc, joint)) == MD5_NO_VOXEL)
            count[joint] = 0;
        else if (count[joint] == 0)
            count[joint] = 1;
}

static md5_bone bone_to(const md5_grid *grid, md5_vec3d from, md5_vec3d to)
{
    const double inside = md5i_line_in_volume(grid, from, to);
    const md5_vec3d way = md5_vec3d_sub(to, from);
    return (md5_bone){from, md5_vec3d_add(from, md5_vec3d_scale(way, inside > 0.0 ? inside : 0.0))};
}

// The bone of a joint without children continues the parent's bone with the same length; otherwise
// vertices beyond the joint would be equally near to the parent's bone.
static md5_bone end_bone(const md5_grid *grid, const md5_weights_desc *desc, uint32_t joint)
{
    const md5_vec3d at = joint_in_grid(grid, desc, joint);
    const uint32_t parent = desc->skeleton->joints[joint].parent;
    if (parent == MD5_NONE)
        return (md5_bone){at, at};
    const md5_vec3d way = md5_vec3d_sub(at, joint_in_grid(grid, desc, parent));
    return bone_to(grid, at, md5_vec3d_add(at, way));
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
    count_bones(grid, desc, first);
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

static md5_vec3d nearest_on_bone(const md5_bone *bone, md5_vec3d point)
{
    const md5_vec3d way = md5_vec3d_sub(bone->to, bone->from);
    const double square = md5_vec3d_dot(way, way);
    const double t =
        square > 0.0 ? md5_vec3d_dot(md5_vec3d_sub(point, bone->from), way) / square : 0.0;
    return md5_vec3d_add(bone->from, md5_vec3d_scale(way, t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t));
}

md5_vec3d md5i_nearest_on_bones(const md5_bones *bones, uint32_t joint, md5_vec3d point)
{
    md5_vec3d nearest = point;
    double smallest = INFINITY;
    for (uint32_t i = bones->first_bone[joint]; i < bones->first_bone[joint + 1]; i++) {
        const md5_vec3d at = nearest_on_bone(&bones->bones[i], point);
        const md5_vec3d away = md5_vec3d_sub(at, point);
        const double square = md5_vec3d_dot(away, away);
        if (square < smallest) {
            smallest = square;
            nearest = at;
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
    const uint32_t shortest = paths->heap[0], last = paths->heap[--paths->heap_size];
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
    static const float lengths[4] = {0.0f, 1.0f, 1.41421356f, 1.73205081f};
    const md5_grid *const grid = paths->grid;
    const md5_bones *const bones = paths->bones;
    const int64_t row = (int64_t)grid->count[0], layer = row * (int64_t)grid->count[1];
    for (uint32_t voxel = 0; voxel < grid->num_voxels; voxel++)
        paths->lengths[voxel] = INFINITY;
    paths->heap_size = 0;
    for (uint32_t i = bones->first_bone[joint]; i < bones->first_bone[joint + 1]; i++) {
        // The voxels along a bone begin with the distances of their centres from it.
        const md5_bone *const bone = &bones->bones[i];
        const md5_vec3d way = md5_vec3d_sub(bone->to, bone->from);
        const uint32_t steps = (uint32_t)(2.0 * md5_vec3d_length(way)) + 1;
        for (uint32_t j = 0; j <= steps; j++) {
            const md5_vec3d at =
                md5_vec3d_add(bone->from, md5_vec3d_scale(way, (double)j / (double)steps));
            const uint32_t voxel = md5i_voxel_at(grid, at);
            if (voxel == MD5_NO_VOXEL)
                continue;
            const md5_vec3d middle = md5_cell_center(grid, grid->cells[voxel]);
            const md5_vec3d nearest = md5i_nearest_on_bones(bones, joint, middle);
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
