// md5_make_weights(): distances of joints inside the volume to vertices, weights, smoothing.
//
// md5_make_weights() computes weights from distances inside the mesh: geodesic voxel binding
// (Dionne and de Lasa, 2013). The surface is voxelized conservatively, the outside is flood-filled
// from the border of the grid, and the rest is the volume; Dijkstra's algorithm runs once per
// joint. Differences from the paper: the straight line replaces the path if it stays in the
// volume, since paths through the centres of voxels are up to 10 % too long (this reduces Bobbin's
// mean difference by 6 %); joints outside of the volume are excluded, and bones end where they
// leave it; the bone of a joint without children continues its parent's; weights are then smoothed
// along the mesh's edges, on welded positions, so that seams stay closed.
#include "md5/skin/bind_volume.h"
#include "md5/skin/weld.h"

// The joints that may move each vertex: a row of a fixed number of entries for each position, first
// with distances, then with weights.

// Number of joints beyond those that are kept which take part in smoothing.
enum { MD5_SPARE_ENTRIES = 4 };

typedef struct md5_bind_entry {
    uint32_t joint;
    float value; // distance in cells, ascending; or weight, descending
} md5_bind_entry;

typedef struct md5_bind_rows {
    uint32_t num_rows, width;
    md5_bind_entry *entries; // [num_rows][width]
    uint32_t *counts;        // [num_rows] entries in use
} md5_bind_rows;

static inline md5_bind_entry *md5_row(const md5_bind_rows *rows, uint32_t row)
{
    return rows->entries + (size_t)row * rows->width;
}

// == Rows ========================================================================================

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
    float sum = 0.0f;
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
        if (sums->of_joint[joint] == 0.0f && added > 0.0f) // a share may be too small for a float
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
            const uint32_t first = around.first[row], count = around.first[row + 1] - first;
            add_row(&sums, rows, row, count > 0 ? 0.5f : 1.0f);
            for (uint32_t i = 0; i < count; i++)
                add_row(&sums, rows, around.rows[first + i], 0.5f / (float)count);

            // The sums become the row, largest first.
            other.counts[row] = 0;
            for (uint32_t i = 0; i < sums.count; i++) {
                const uint32_t joint = sums.joints[i];
                add_to_row(&other, row, (md5_bind_entry){joint, -sums.of_joint[joint]});
                sums.of_joint[joint] = 0.0f;
            }
            sums.count = 0;
            md5_bind_entry *const entries = md5_row(&other, row);
            float sum = 0.0f;
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

// Automatic weights: see md5skin.h. Steps: voxels, paths from each joint, distances of the
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
    return md5i_fail(context, MD5_ERROR_RANGE, 0, 0, "%s is %u, expected %u to %u", what, value,
                     min, max);
}

static bool check(md5_context *context, md5_weights_desc *desc)
{
    if (desc->resolution == 0)
        desc->resolution = DEFAULT_RESOLUTION;
    if (desc->max_influences == 0)
        desc->max_influences = DEFAULT_INFLUENCES;
    if (desc->smoothing == 0)
        desc->smoothing = DEFAULT_SMOOTHING;
    if (desc->falloff == 0.0f)
        desc->falloff = 1.0f;
    TRY(check_range(context, "resolution", desc->resolution, MIN_RESOLUTION, MAX_RESOLUTION));
    TRY(check_range(context, "max_influences", desc->max_influences, 1, MAX_INFLUENCES));
    TRY(check_range(context, "smoothing", desc->smoothing, 1, MAX_SMOOTHING));
    if (!(desc->falloff >= 0.0f && desc->falloff <= 1.0f))
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0, "falloff is %g, expected 0 to 1",
                         (double)desc->falloff);
    TRY(check_range(context, "num_positions", desc->num_positions, 1, UINT32_MAX / 32));
    for (uint32_t i = 0; i < desc->num_positions; i++) {
        const md5_vec3 p = desc->positions[i];
        if (!is_small(p.x) || !is_small(p.y) || !is_small(p.z))
            return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                             "position %u is %g %g %g, expected numbers from -1e9 to 1e9", i,
                             (double)p.x, (double)p.y, (double)p.z);
    }
    if (desc->num_triangles > UINT32_MAX / 6)
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0, "%u triangles, expected at most %u",
                         desc->num_triangles, UINT32_MAX / 6);
    for (uint32_t i = 0; i < 3 * desc->num_triangles; i++)
        if (desc->indices[i] >= desc->num_positions)
            return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                             "triangle %u has position %u, but there are %u positions", i / 3,
                             desc->indices[i], desc->num_positions);
    for (uint32_t joint = 0; joint < desc->skeleton->num_joints; joint++)
        for (int i = 0; i < 12; i++)
            if (!is_small(desc->bind[joint].m[i]))
                return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                                 "the bind matrix of joint %u has %g, "
                                 "expected numbers from -1e9 to 1e9",
                                 joint, (double)desc->bind[joint].m[i]);
    return true;
}

// -- Distances ------------------------------------------------------------------------------------

// The path length at a point: the shortest over the voxel at the point and its neighbours.
static float path_to(const md5_paths *paths, md5_vec3d point)
{
    float shortest = INFINITY;
    for (int i = 0; i < 27; i++) {
        const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
        const md5_vec3d beside = {point.x + (double)x, point.y + (double)y, point.z + (double)z};
        const uint32_t voxel = md5i_voxel_at(paths->grid, beside);
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

// -- Weights --------------------------------------------------------------------------------------

// The influence at a distance in cells, compared with the nearest one, so that the largest is 1.
static void weigh(bind_work *make, uint32_t row)
{
    md5_bind_entry *const entries = md5_row(&make->rows, row);
    const double cell = make->grid.size / make->grid.longest, falloff = (double)make->desc.falloff;
    double nearest = INFINITY;
    for (uint32_t i = 0; i < make->rows.counts[row]; i++)
        nearest = fmin(nearest, (double)entries[i].value);
    const double closest = fmax(nearest, MIN_DISTANCE) * cell;
    for (uint32_t i = 0; i < make->rows.counts[row]; i++) {
        const double d = fmax((double)entries[i].value, MIN_DISTANCE) * cell;
        const double ratio =
            closest * (1.0 - falloff + falloff * closest) / (d * (1.0 - falloff + falloff * d));
        entries[i].value = (float)(ratio * ratio);
    }
}

// -- Result ---------------------------------------------------------------------------------------

typedef struct layout {
    md5_weights *weights;
    md5_vertex *vertices;
    md5_weight *list;
} layout;

static layout take_parts(md5_block *block, uint32_t num_vertices, uint32_t num_weights)
{
    layout parts;
    parts.weights = MD5_TAKE(block, md5_weights, 1);
    parts.vertices = MD5_TAKE(block, md5_vertex, num_vertices);
    parts.list = MD5_TAKE(block, md5_weight, num_weights);
    return parts;
}

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
    take_parts(&block, num_vertices, num_weights);
    const size_t size = block.used;
    block = (md5_block){.base = (unsigned char *)md5i_alloc(context, size)};
    if (!block.base)
        return NULL;
    const layout parts = take_parts(&block, num_vertices, num_weights);
    *parts.weights = (md5_weights){
        .num_vertices = num_vertices,
        .vertices = parts.vertices,
        .num_weights = num_weights,
        .weights = parts.list,
        .num_voxels = make->grid.num_voxels,
        .voxel_size = (float)make->grid.size,
        .num_bound = make->bones.num_bound,
        .size = size,
        .allocator = context->allocator,
    };
    uint32_t num_written = 0;
    for (uint32_t i = 0; i < num_vertices; i++) {
        const uint32_t row = make->same[i];
        parts.weights->num_distant += make->is_distant[row];
        if (make->firsts[row] != i) { // equal to an earlier one
            parts.vertices[i] = parts.vertices[make->firsts[row]];
            continue;
        }
        const md5_bind_entry *const entries = md5_row(&make->rows, row);
        parts.vertices[i] = (md5_vertex){num_written, make->rows.counts[row]};
        for (uint32_t k = 0; k < make->rows.counts[row]; k++)
            parts.list[num_written++] =
                (md5_weight){entries[k].joint, entries[k].value,
                             in_joint(&make->desc.bind[entries[k].joint], make->points[row])};
    }
    return parts.weights;
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
    TRY(md5i_weld(&make->arena, desc->positions, count, make->same));
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
        return md5i_fail(context, MD5_ERROR_MISMATCH, 0, 0,
                         "none of the %u joints is inside the mesh, or they are excluded",
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
            const md5_vec3d point = md5_grid_point(&make->grid, md5_vec3d_of(make->points[row]));
            const float length = path_to(&paths, point);
            if (length < INFINITY)
                add_to_row(&make->rows, row, (md5_bind_entry){joint, length});
        }
    }

    for (uint32_t row = 0; row < make->num_rows; row++) {
        const md5_vec3d point = md5_grid_point(&make->grid, md5_vec3d_of(make->points[row]));
        make->is_distant[row] = make->rows.counts[row] == 0;
        for (uint32_t joint = 0; make->is_distant[row] && joint < num_joints; joint++)
            if (has_bone(&make->bones, joint)) {
                const md5_vec3d end = md5i_nearest_on_bones(&make->bones, joint, point);
                const double length = md5_vec3d_length(md5_vec3d_sub(end, point));
                add_to_row(&make->rows, row, (md5_bind_entry){joint, (float)length});
            }
        // Paths through the centres of voxels are up to 10 % too long, so the straight line is used
        // if it stays in the volume.
        md5_bind_entry *const entries = md5_row(&make->rows, row);
        for (uint32_t i = 0; !make->is_distant[row] && i < make->rows.counts[row]; i++) {
            const md5_vec3d end = md5i_nearest_on_bones(&make->bones, entries[i].joint, point);
            if (md5i_line_in_volume(&make->grid, point, end) == 1.0)
                entries[i].value = (float)md5_vec3d_length(md5_vec3d_sub(end, point));
        }
        weigh(make, row);
        trim_row(&make->rows, row, width, 0.0f);
    }
    if (!desc->no_smoothing)
        TRY(smooth_rows(&make->arena, desc, make->same, desc->smoothing, &make->rows));
    for (uint32_t row = 0; row < make->num_rows; row++)
        trim_row(&make->rows, row, desc->max_influences, MIN_WEIGHT);
    return true;
}

md5_weights *md5_make_weights(const md5_weights_desc *desc, const md5_load_opts *opts,
                              md5_error *error)
{
    MD5_ASSERT(desc != NULL, "desc: not NULL");
    MD5_ASSERT_RESERVED(desc);
    MD5_ASSERT(desc->positions != NULL || desc->num_positions == 0, "positions: not NULL");
    MD5_ASSERT(desc->indices != NULL || desc->num_triangles == 0, "indices: not NULL");
    if (!desc->skeleton) {
        md5i_fail_missing(error, "skeleton");
        return NULL;
    }
    MD5_ASSERT(desc->bind != NULL || desc->skeleton->num_joints == 0, "bind: not NULL");
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    bind_work make = {.arena = {.context = &context}, .desc = *desc};
    md5_weights *const weights =
        check(&context, &make.desc) && bind(&make) ? write_result(&make) : NULL;
    md5i_arena_free(&make.arena);
    return weights;
}

void md5_free_weights(md5_weights *weights)
{
    if (!weights)
        return;
    const md5_allocator allocator = weights->allocator;
    allocator.free(allocator.user, weights, weights->size);
}
