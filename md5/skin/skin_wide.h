// md5_skin() for instruction sets with wide registers. Compiled once for each set, by a file that
// chooses the set (see md5/core/wide.h) and then calls skin().
//
// The vertices of a group share their joints, so a register holds one matrix entry for MD5_WIDTH
// vertices: an entry of a joint is loaded once, and each lane multiplies it by the bias of its
// vertex. Single vertices have different matrices: these are blended one vertex after the other, in
// the layout of the palette, and then transposed so that each register holds one entry.
#include "md5/skin/vertices_wide.h"

#include <float.h>

// Up to this many singles are as fast in plain C.
enum { FEW_SINGLES = MD5_WIDTH / 2 };

// -- Directions -----------------------------------------------------------------------------

MD5_WIDE_INLINE void rotate_tangents(const skin_arrays *arrays, const group *of,
                                     md5_skin_order order, const lanes_mat34 *m)
{
    md5_wide rows[4];
    load_tangents(&arrays->bind_tangents->x, of, order, rows);
    const lanes3 rotated = rotate(m, (lanes3){rows[0], rows[1], rows[2]});
    rows[0] = rotated.x;
    rows[1] = rotated.y;
    rows[2] = rotated.z;
    store_tangents(arrays, of, order, rows);
}

MD5_WIDE_INLINE void rotate_directions(const skin_arrays *arrays, const group *of,
                                       md5_skin_order order, const lanes_mat34 *m)
{
    if (arrays->normals)
        store3(arrays->normals, arrays->normal_stride, of, order,
               rotate(m, load3(arrays->bind_normals, of, order)));
    if (arrays->tangents)
        rotate_tangents(arrays, of, order, m);
}

// -- Groups ---------------------------------------------------------------------------------

// Works entry by entry, so that only one entry at a time needs a register besides the sums.
MD5_WIDE_INLINE lanes4 spread_row(const float *row)
{
    const entry_row e = load_entries(row);
    return (lanes4){spread_entry(e, 0), spread_entry(e, 1), spread_entry(e, 2), spread_entry(e, 3)};
}

MD5_WIDE_INLINE lanes4 scale_row(const float *row, lanes4 by)
{
    const entry_row e = load_entries(row);
    return (lanes4){md5_wide_mul(spread_entry(e, 0), by.x), md5_wide_mul(spread_entry(e, 1), by.y),
                    md5_wide_mul(spread_entry(e, 2), by.z), md5_wide_mul(spread_entry(e, 3), by.w)};
}

MD5_WIDE_INLINE lanes4 add_scaled_row(lanes4 sum, const float *row, lanes4 by)
{
    const entry_row e = load_entries(row);
    sum.x = md5_wide_add(sum.x, md5_wide_mul(spread_entry(e, 0), by.x));
    sum.y = md5_wide_add(sum.y, md5_wide_mul(spread_entry(e, 1), by.y));
    sum.z = md5_wide_add(sum.z, md5_wide_mul(spread_entry(e, 2), by.z));
    sum.w = md5_wide_add(sum.w, md5_wide_mul(spread_entry(e, 3), by.w));
    return sum;
}

MD5_WIDE_INLINE lanes_mat34 spread_matrix(const md5_mat34 *m)
{
    return (lanes_mat34){spread_row(m->m), spread_row(m->m + 4), spread_row(m->m + 8)};
}

MD5_WIDE_INLINE lanes_mat34 scale_rows(const md5_mat34 *m, lanes4 by)
{
    return (lanes_mat34){scale_row(m->m, by), scale_row(m->m + 4, by), scale_row(m->m + 8, by)};
}

MD5_WIDE_INLINE void add_scaled_rows(lanes_mat34 *sum, const md5_mat34 *m, lanes4 by)
{
    sum->x = add_scaled_row(sum->x, m->m, by);
    sum->y = add_scaled_row(sum->y, m->m + 4, by);
    sum->z = add_scaled_row(sum->z, m->m + 8, by);
}

// Biases are `step` floats apart.
MD5_WIDE_INLINE lanes_mat34 blend_group(const skin_arrays *arrays, const group *of,
                                        const float *biases, uint32_t step)
{
    md5_wide bias = md5_wide_load(biases);
    lanes_mat34 sum = scale_rows(&arrays->palette[of->joints[0]], (lanes4){bias, bias, bias, bias});
    for (uint32_t i = 1; i < of->count; i++) {
        bias = md5_wide_load(biases + step * i);
        add_scaled_rows(&sum, &arrays->palette[of->joints[i]], (lanes4){bias, bias, bias, bias});
    }
    return sum;
}

MD5_WIDE_INLINE lanes4 load_influences(const float *from)
{
    return (lanes4){md5_wide_load(from), md5_wide_load(from + MD5_SKIN_GROUP),
                    md5_wide_load(from + 2 * MD5_SKIN_GROUP),
                    md5_wide_load(from + 3 * MD5_SKIN_GROUP)};
}

// The exact sum; see skin_scalar.c.
MD5_WIDE_INLINE lanes3 sum_group(const skin_arrays *arrays, const group *of)
{
    const float *from = of->floats;
    lanes_mat34 sum = scale_rows(&arrays->palette[of->joints[0]], load_influences(from));
    for (uint32_t i = 1; i < of->count; i++) {
        from += 4 * MD5_SKIN_GROUP;
        add_scaled_rows(&sum, &arrays->palette[of->joints[i]], load_influences(from));
    }
    return (lanes3){sum_row(sum.x), sum_row(sum.y), sum_row(sum.z)};
}

MD5_WIDE_INLINE void skin_exact_group(const skin_arrays *arrays, const group *of,
                                      md5_skin_order order)
{
    put_positions(arrays, of, order, sum_group(arrays, of));
    if (arrays->normals || arrays->tangents) {
        const lanes_mat34 m =
            blend_group(arrays, of, of->floats + 3 * MD5_SKIN_GROUP, 4 * MD5_SKIN_GROUP);
        rotate_directions(arrays, of, order, &m);
    }
}

// Moves and rotates the vertices by a matrix in each lane. `own`: in a gathered group, its bind
// positions in the plan.
MD5_WIDE_INLINE void transform_group(const skin_arrays *arrays, const group *of,
                                     md5_skin_order order, const lanes_mat34 *m, const float *own)
{
    const lanes3 bind = order == MD5_SKIN_GATHERED
                            ? (lanes3){md5_wide_load(own), md5_wide_load(own + MD5_SKIN_GROUP),
                                       md5_wide_load(own + 2 * MD5_SKIN_GROUP)}
                            : load_points(arrays->bind_positions + of->first);
    put_positions(arrays, of, order, move_points(m, bind));
    rotate_directions(arrays, of, order, m);
}

MD5_WIDE_INLINE void skin_group(const skin_arrays *arrays, const group *of, md5_skin_kind kind,
                                md5_skin_order order, const lanes_mat34 *matrix)
{
    if (kind == MD5_SKIN_EXACT) {
        skin_exact_group(arrays, of, order);
    } else if (kind == MD5_SKIN_RIGID) {
        transform_group(arrays, of, order, matrix, of->floats);
    } else {
        const lanes_mat34 m = blend_group(arrays, of, of->floats, MD5_SKIN_GROUP);
        transform_group(arrays, of, order, &m, of->floats + MD5_SKIN_GROUP * of->count);
    }
}

MD5_WIDE_INLINE void skin_groups(const skin_arrays *arrays, const md5_skin_plan *plan,
                                 const md5_skin_run *run, md5_skin_kind kind, md5_skin_order order)
{
    const uint32_t count = kind == MD5_SKIN_RIGID ? 1 : run->num_influences;
    const uint32_t num_words = md5_skin_num_words(kind, order, count);
    const uint32_t *vertices = plan->vertices + run->vertices;
    const uint32_t *words = plan->words + run->words;
    uint32_t joint = words[0]; // neighbouring contiguous groups often share it
    lanes_mat34 matrix;
    if (kind == MD5_SKIN_RIGID)
        matrix = spread_matrix(&arrays->palette[joint]);
    for (uint32_t i = 0; i < run->count; i++) {
        const float *const floats = (const float *)(const void *)(words + count);
        if (kind == MD5_SKIN_RIGID && (order == MD5_SKIN_GATHERED || words[0] != joint)) {
            joint = words[0];
            matrix = spread_matrix(&arrays->palette[joint]);
        }
        for (uint32_t k = 0; k < MD5_SKIN_GROUP; k += MD5_WIDTH) {
            const group of = {*vertices + k, vertices + k, words, floats + k, count};
            skin_group(arrays, &of, kind, order, &matrix);
        }
        vertices += md5_skin_num_vertices(order);
        words += num_words;
    }
}

// One function for each kind, so that the kind is a constant.
#define SKIN_GROUPS(name, kind)                                                         \
    MD5_WIDE_CODE static void name(const md5i_skin_job *job, const md5_skin_run *run,   \
                                   lanes_bounds *bounds)                                \
    {                                                                                   \
        const skin_arrays arrays = arrays_of(job, bounds);                              \
        if (run->order == MD5_SKIN_CONTIGUOUS)                                          \
            skin_groups(&arrays, job->mesh->skin_plan, run, kind, MD5_SKIN_CONTIGUOUS); \
        else                                                                            \
            skin_groups(&arrays, job->mesh->skin_plan, run, kind, MD5_SKIN_GATHERED);   \
    }

SKIN_GROUPS(skin_rigid, MD5_SKIN_RIGID)
SKIN_GROUPS(skin_blend, MD5_SKIN_BLEND)
SKIN_GROUPS(skin_exact, MD5_SKIN_EXACT)

// -- Singles --------------------------------------------------------------------------------

// What to sum: each matrix times its bias, or each of its rows times the influence.
typedef enum term { WEIGHED_MATRIX, APPLIED_MATRIX } term;

MD5_WIDE_INLINE matrix_rows term_at(const skin_arrays *arrays, uint32_t influence, term what)
{
    const float *const m = arrays->palette[arrays->influence_joints[influence]].m;
    return what == WEIGHED_MATRIX ? scale_matrix(m, &arrays->influences[influence].w)
                                  : multiply_rows(m, &arrays->influences[influence]);
}

// `count` is a constant after inlining; 0: each vertex has its own number of influences.
MD5_WIDE_INLINE void sum_alike(const skin_arrays *arrays, const group *of, term what,
                               uint32_t count, matrix_rows sums[MD5_WIDTH])
{
    for (uint32_t lane = 0; lane < MD5_WIDTH; lane++) {
        const uint32_t *const range = arrays->first_influence + of->vertices[lane];
        const uint32_t first = range[0], own = count > 0 ? count : range[1] - first;
        matrix_rows sum = term_at(arrays, first, what);
        for (uint32_t i = 1; i < own; i++)
            sum = add_matrices(sum, term_at(arrays, first + i, what));
        sums[lane] = sum;
    }
}

MD5_WIDE_INLINE uint32_t count_influences(const skin_arrays *arrays, uint32_t vertex)
{
    return arrays->first_influence[vertex + 1] - arrays->first_influence[vertex];
}

// The singles of a run are sorted by number of influences: if the first has as many as the last,
// all have.
MD5_WIDE_INLINE void sum_singles(const skin_arrays *arrays, const group *of, term what,
                                 matrix_rows sums[MD5_WIDTH])
{
    const uint32_t count = count_influences(arrays, of->vertices[0]);
    switch (count == count_influences(arrays, of->vertices[MD5_WIDTH - 1]) ? count : 0) {
    case 2:
        sum_alike(arrays, of, what, 2, sums);
        break;
    case 3:
        sum_alike(arrays, of, what, 3, sums);
        break;
    case 4:
        sum_alike(arrays, of, what, 4, sums);
        break;
    default:
        sum_alike(arrays, of, what, 0, sums);
    }
}

MD5_WIDE_INLINE lanes_mat34 blend_singles(const skin_arrays *arrays, const group *of)
{
    matrix_rows sums[MD5_WIDTH];
    sum_singles(arrays, of, WEIGHED_MATRIX, sums);
    md5_wide e[3][4];
    matrices_to_lanes(sums, e);
    return (lanes_mat34){{e[0][0], e[0][1], e[0][2], e[0][3]},
                         {e[1][0], e[1][1], e[1][2], e[1][3]},
                         {e[2][0], e[2][1], e[2][2], e[2][3]}};
}

MD5_WIDE_INLINE void skin_few_singles(const skin_arrays *arrays, const group *of,
                                      md5_skin_kind kind)
{
    const bool has_directions = arrays->normals || arrays->tangents;
    lanes_mat34 m;
    if (kind == MD5_SKIN_EXACT) {
        matrix_rows sums[MD5_WIDTH];
        sum_singles(arrays, of, APPLIED_MATRIX, sums);
        put_positions(arrays, of, MD5_SKIN_SINGLES, sum_rows(sums));
        if (!has_directions)
            return;
        m = blend_singles(arrays, of);
    } else {
        m = blend_singles(arrays, of);
        const lanes3 bind = load3(arrays->bind_positions, of, MD5_SKIN_SINGLES);
        put_positions(arrays, of, MD5_SKIN_SINGLES, move_points(&m, bind));
    }
    rotate_directions(arrays, of, MD5_SKIN_SINGLES, &m);
}

// Fills the last group up with its last vertex, which is then written several times; very few
// remaining vertices use plain C.
MD5_WIDE_INLINE void skin_singles(const md5i_skin_job *job, const md5_skin_run *run,
                                  lanes_bounds *bounds, md5_skin_kind kind)
{
    const skin_arrays arrays = arrays_of(job, bounds);
    const uint32_t *const vertices = job->mesh->skin_plan->vertices + run->vertices;
    uint32_t done = 0;
    for (; run->count - done >= MD5_WIDTH; done += MD5_WIDTH)
        skin_few_singles(&arrays, &(group){.vertices = vertices + done}, kind);
    const uint32_t rest = run->count - done;
    if (rest > FEW_SINGLES) {
        uint32_t filled[MD5_WIDTH];
        for (uint32_t i = 0; i < MD5_WIDTH; i++)
            filled[i] = vertices[done + (i < rest ? i : rest - 1)];
        skin_few_singles(&arrays, &(group){.vertices = filled}, kind);
    } else if (rest > 0) {
        md5_skin_run last = *run;
        last.vertices += done;
        last.count = rest;
        md5i_skin_run_scalar(job, &last);
    }
}

MD5_WIDE_CODE static void skin_singles_blend(const md5i_skin_job *job, const md5_skin_run *run,
                                             lanes_bounds *bounds)
{
    skin_singles(job, run, bounds, MD5_SKIN_BLEND);
}

MD5_WIDE_CODE static void skin_singles_exact(const md5i_skin_job *job, const md5_skin_run *run,
                                             lanes_bounds *bounds)
{
    skin_singles(job, run, bounds, MD5_SKIN_EXACT);
}

// -- All ------------------------------------------------------------------------------------

MD5_WIDE_CODE static void skin_run(const md5i_skin_job *job, const md5_skin_run *run,
                                   lanes_bounds *bounds)
{
    const bool is_single = run->order == MD5_SKIN_SINGLES;
    switch (run->kind) {
    case MD5_SKIN_NONE:
        md5i_skin_run_scalar(job, run);
        break;
    case MD5_SKIN_RIGID:
        is_single ? skin_singles_blend(job, run, bounds) : skin_rigid(job, run, bounds);
        break;
    case MD5_SKIN_BLEND:
        is_single ? skin_singles_blend(job, run, bounds) : skin_blend(job, run, bounds);
        break;
    default:
        is_single ? skin_singles_exact(job, run, bounds) : skin_exact(job, run, bounds);
    }
}

// No lane holds a NaN, since comparisons with NaN are false.
MD5_WIDE_INLINE void lower_to_lanes(float *bound, md5_wide lanes)
{
    float values[MD5_WIDTH];
    md5_wide_store(values, lanes);
    for (int i = 0; i < MD5_WIDTH; i++)
        *bound = values[i] < *bound ? values[i] : *bound;
}

MD5_WIDE_INLINE void raise_to_lanes(float *bound, md5_wide lanes)
{
    float values[MD5_WIDTH];
    md5_wide_store(values, lanes);
    for (int i = 0; i < MD5_WIDTH; i++)
        *bound = values[i] > *bound ? values[i] : *bound;
}

MD5_WIDE_CODE static void add_lanes(md5_bounds *bounds, const lanes_bounds *lanes)
{
    lower_to_lanes(&bounds->min.x, lanes->low.x);
    lower_to_lanes(&bounds->min.y, lanes->low.y);
    lower_to_lanes(&bounds->min.z, lanes->low.z);
    raise_to_lanes(&bounds->max.x, lanes->high.x);
    raise_to_lanes(&bounds->max.y, lanes->high.y);
    raise_to_lanes(&bounds->max.z, lanes->high.z);
}

MD5_WIDE_CODE static void skin(const md5i_skin_job *job)
{
    const md5_skin_plan *const plan = job->mesh->skin_plan;
    const md5_wide lowest = md5_wide_all(-FLT_MAX), highest = md5_wide_all(FLT_MAX);
    lanes_bounds bounds = {{highest, highest, highest}, {lowest, lowest, lowest}};
    for (uint32_t i = 0; i < plan->num_runs; i++)
        skin_run(job, &plan->runs[i], &bounds);
    if (job->bounds)
        add_lanes(job->bounds, &bounds);
}
