// md5_skin() for instruction sets with wide registers: compiled once for each, by a file that
// chooses the set (see md5/core/wide.h) and calls skin() then.
//
// The vertices of a group share their joints, so that a register holds one matrix entry for
// MD5_WIDTH of them: an entry of a joint is loaded once, and each lane weighs it with its vertex's
// bias. Single vertices have matrices of their own: these are weighed and added up one vertex after
// the other, as they lie in the palette, and then change places with their entries.
#include "md5/skin/kernels.h"
#include "md5/skin/turn_wide.h"

#include <float.h>

// So many are as fast in plain C.
enum { FEW_SINGLES = MD5_WIDTH / 2 };

// A box in each lane.
typedef struct lanes_box {
    lanes3 low, high;
} lanes_box;

// All that is read and written. Each run works on a copy of its own, of which the compiler knows
// that no result overwrites it.
typedef struct skin_arrays {
    const md5_mat34 *palette;
    const uint32_t *first_influence, *influence_joints;
    const md5_vec4 *influences;
    const md5_vec3 *bind_positions, *bind_normals;
    const md5_vec4 *bind_tangents;
    md5_vec3 *positions, *normals;
    md5_vec4 *tangents;
    lanes_box *box; // or NULL; else places are not written, but this grows
} skin_arrays;

MD5_WIDE_INLINE skin_arrays arrays_of(const md5_skin_job *job, lanes_box *box)
{
    const md5_mesh *const mesh = job->mesh;
    return (skin_arrays){
        .palette = job->palette,
        .first_influence = mesh->first_influence,
        .influence_joints = mesh->influence_joints,
        .influences = mesh->influences,
        .bind_positions = mesh->positions,
        .bind_normals = mesh->normals,
        .bind_tangents = mesh->tangents,
        .positions = job->positions,
        .normals = job->normals,
        .tangents = job->tangents,
        .box = job->bounds ? box : NULL,
    };
}

// MD5_WIDTH vertices: of a span, those from the first on; else all that `vertices` names, in the
// way of md5_skin_plan. In a group they have `count` influences on `joints`, and `floats` besides,
// of which each MD5_SKIN_GROUP begin with theirs.
typedef struct group {
    uint32_t first;
    const uint32_t *vertices;
    const uint32_t *joints;
    const float *floats;
    uint32_t count;
} group;

// -- Loading and storing --------------------------------------------------------------------

MD5_WIDE_INLINE lanes3 load3(const md5_vec3 *from, const group *of, md5_skin_order order)
{
    if (order == MD5_SKIN_SPANS)
        return load_points(from + of->first);
    return order == MD5_SKIN_TEAMS ? load_points_ascending(&from->x, of->vertices)
                                   : load_points_at(&from->x, of->vertices, 3);
}

MD5_WIDE_INLINE void store3(md5_vec3 *to, const group *of, md5_skin_order order, lanes3 a)
{
    if (order == MD5_SKIN_SPANS)
        store_points(to + of->first, a);
    else
        store_points_at(&to->x, of->vertices, order == MD5_SKIN_TEAMS ? 1 : 3, a);
}

// Where the tangent of each vertex is, in floats.
MD5_WIDE_INLINE uint32_t tangent_of(const group *of, uint32_t lane, md5_skin_order order)
{
    return 4 * (order == MD5_SKIN_TEAMS ? of->vertices[lane] / 3 : of->vertices[lane]);
}

MD5_WIDE_INLINE void load_tangents(const float *from, const group *of, md5_skin_order order,
                                   md5_wide rows[4])
{
    if (order == MD5_SKIN_SPANS) {
        md5_wide_load_run(from + 4 * of->first, 4, rows);
    } else {
        const float *pointers[MD5_WIDTH];
        MD5_UNROLL
        for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
            pointers[lane] = from + tangent_of(of, lane, order);
        md5_wide_load_rows(pointers, rows);
    }
    md5_wide_transpose(rows);
}

MD5_WIDE_INLINE void store_tangents(float *to, const group *of, md5_skin_order order,
                                    md5_wide rows[4])
{
    md5_wide_transpose(rows);
    if (order == MD5_SKIN_SPANS) {
        md5_wide_store_run(to + 4 * of->first, 4, rows);
    } else {
        float *pointers[MD5_WIDTH];
        MD5_UNROLL
        for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
            pointers[lane] = to + tangent_of(of, lane, order);
        md5_wide_store_rows(pointers, rows);
    }
}

MD5_WIDE_INLINE md5_wide lower(md5_wide a, md5_wide b)
{
    return md5_wide_select(md5_wide_less(b, a), b, a);
}

MD5_WIDE_INLINE md5_wide higher(md5_wide a, md5_wide b)
{
    return md5_wide_select(md5_wide_greater(b, a), b, a);
}

MD5_WIDE_INLINE void put_places(const skin_arrays *arrays, const group *of, md5_skin_order order,
                                lanes3 a)
{
    lanes_box *const box = arrays->box;
    if (!box) {
        store3(arrays->positions, of, order, a);
        return;
    }
    box->low = (lanes3){lower(box->low.x, a.x), lower(box->low.y, a.y), lower(box->low.z, a.z)};
    box->high =
        (lanes3){higher(box->high.x, a.x), higher(box->high.y, a.y), higher(box->high.z, a.z)};
}

// -- Directions -----------------------------------------------------------------------------

MD5_WIDE_INLINE void turn_tangents(const skin_arrays *arrays, const group *of, md5_skin_order order,
                                   const lanes_mat34 *m)
{
    md5_wide rows[4];
    load_tangents(&arrays->bind_tangents->x, of, order, rows);
    const lanes3 turned = turn(m, (lanes3){rows[0], rows[1], rows[2]});
    rows[0] = turned.x;
    rows[1] = turned.y;
    rows[2] = turned.z;
    store_tangents(&arrays->tangents->x, of, order, rows);
}

MD5_WIDE_INLINE void turn_directions(const skin_arrays *arrays, const group *of,
                                     md5_skin_order order, const lanes_mat34 *m)
{
    if (arrays->normals)
        store3(arrays->normals, of, order, turn(m, load3(arrays->bind_normals, of, order)));
    if (arrays->tangents)
        turn_tangents(arrays, of, order, m);
}

// -- Groups ---------------------------------------------------------------------------------

// Entry by entry, so that no more than one besides the sums is in a register.
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
MD5_WIDE_INLINE lanes3 place_group(const skin_arrays *arrays, const group *of)
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
    put_places(arrays, of, order, place_group(arrays, of));
    if (arrays->normals || arrays->tangents) {
        const lanes_mat34 m =
            blend_group(arrays, of, of->floats + 3 * MD5_SKIN_GROUP, 4 * MD5_SKIN_GROUP);
        turn_directions(arrays, of, order, &m);
    }
}

// `own`: of a team, its floats from the bind positions on.
MD5_WIDE_INLINE void skin_moved_group(const skin_arrays *arrays, const group *of,
                                      md5_skin_order order, const lanes_mat34 *m, const float *own)
{
    const lanes3 bind = order == MD5_SKIN_TEAMS
                            ? (lanes3){md5_wide_load(own), md5_wide_load(own + MD5_SKIN_GROUP),
                                       md5_wide_load(own + 2 * MD5_SKIN_GROUP)}
                            : load_points(arrays->bind_positions + of->first);
    put_places(arrays, of, order, move_points(m, bind));
    turn_directions(arrays, of, order, m);
}

MD5_WIDE_INLINE void skin_group(const skin_arrays *arrays, const group *of, md5_skin_kind kind,
                                md5_skin_order order, const lanes_mat34 *whole)
{
    if (kind == MD5_SKIN_EXACT) {
        skin_exact_group(arrays, of, order);
    } else if (kind == MD5_SKIN_WHOLE) {
        skin_moved_group(arrays, of, order, whole, of->floats);
    } else {
        const lanes_mat34 m = blend_group(arrays, of, of->floats, MD5_SKIN_GROUP);
        skin_moved_group(arrays, of, order, &m, of->floats + MD5_SKIN_GROUP * of->count);
    }
}

MD5_WIDE_INLINE void skin_groups(const skin_arrays *arrays, const md5_skin_plan *plan,
                                 const md5_skin_run *run, md5_skin_kind kind, md5_skin_order order)
{
    const uint32_t count = kind == MD5_SKIN_WHOLE ? 1 : run->num_influences;
    const uint32_t num_words = md5_skin_num_words(kind, order, count);
    const uint32_t *vertices = plan->vertices + run->vertices;
    const uint32_t *words = plan->words + run->words;
    uint32_t joint = words[0]; // neighbouring spans often have the same
    lanes_mat34 whole;
    if (kind == MD5_SKIN_WHOLE)
        whole = spread_matrix(&arrays->palette[joint]);
    for (uint32_t i = 0; i < run->count; i++) {
        const float *const floats = (const void *)(words + count);
        if (kind == MD5_SKIN_WHOLE && (order == MD5_SKIN_TEAMS || words[0] != joint)) {
            joint = words[0];
            whole = spread_matrix(&arrays->palette[joint]);
        }
        for (uint32_t k = 0; k < MD5_SKIN_GROUP; k += MD5_WIDTH) {
            const group of = {*vertices + k, vertices + k, words, floats + k, count};
            skin_group(arrays, &of, kind, order, &whole);
        }
        vertices += md5_skin_num_vertices(order);
        words += num_words;
    }
}

// One function for each kind, in which the compiler knows it.
#define SKIN_GROUPS(name, kind)                                                      \
    MD5_WIDE_CODE static void name(const md5_skin_job *job, const md5_skin_run *run, \
                                   lanes_box *box)                                   \
    {                                                                                \
        const skin_arrays arrays = arrays_of(job, box);                              \
        if (run->order == MD5_SKIN_SPANS)                                            \
            skin_groups(&arrays, job->mesh->skin_plan, run, kind, MD5_SKIN_SPANS);   \
        else                                                                         \
            skin_groups(&arrays, job->mesh->skin_plan, run, kind, MD5_SKIN_TEAMS);   \
    }

SKIN_GROUPS(skin_whole, MD5_SKIN_WHOLE)
SKIN_GROUPS(skin_blend, MD5_SKIN_BLEND)
SKIN_GROUPS(skin_exact, MD5_SKIN_EXACT)

// -- Singles --------------------------------------------------------------------------------

// What is summed: matrices, each times its bias, or each of their rows times the influence.
typedef enum term { WEIGHED_MATRIX, APPLIED_MATRIX } term;

MD5_WIDE_INLINE matrix_rows term_at(const skin_arrays *arrays, uint32_t influence, term what)
{
    const float *const m = arrays->palette[arrays->influence_joints[influence]].m;
    return what == WEIGHED_MATRIX ? scale_matrix(m, &arrays->influences[influence].w)
                                  : multiply_rows(m, &arrays->influences[influence]);
}

// `count` is known where this is inlined, or 0: then each has its own.
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

// The singles of a run ascend in numbers of influences: if the first has as many as the last, all
// have.
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
        put_places(arrays, of, MD5_SKIN_SINGLES, sum_rows(sums));
        if (!has_directions)
            return;
        m = blend_singles(arrays, of);
    } else {
        m = blend_singles(arrays, of);
        const lanes3 bind = load3(arrays->bind_positions, of, MD5_SKIN_SINGLES);
        put_places(arrays, of, MD5_SKIN_SINGLES, move_points(&m, bind));
    }
    turn_directions(arrays, of, MD5_SKIN_SINGLES, &m);
}

// The last group is filled up with its last vertex, which is then written several times; very few
// are done in plain C.
MD5_WIDE_INLINE void skin_singles(const md5_skin_job *job, const md5_skin_run *run, lanes_box *box,
                                  md5_skin_kind kind)
{
    const skin_arrays arrays = arrays_of(job, box);
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
        md5_skin_run_scalar(job, &last);
    }
}

MD5_WIDE_CODE static void skin_singles_blend(const md5_skin_job *job, const md5_skin_run *run,
                                             lanes_box *box)
{
    skin_singles(job, run, box, MD5_SKIN_BLEND);
}

MD5_WIDE_CODE static void skin_singles_exact(const md5_skin_job *job, const md5_skin_run *run,
                                             lanes_box *box)
{
    skin_singles(job, run, box, MD5_SKIN_EXACT);
}

// -- All ------------------------------------------------------------------------------------

MD5_WIDE_CODE static void skin_run(const md5_skin_job *job, const md5_skin_run *run, lanes_box *box)
{
    const bool is_single = run->order == MD5_SKIN_SINGLES;
    switch (run->kind) {
    case MD5_SKIN_NONE:
        md5_skin_run_scalar(job, run);
        break;
    case MD5_SKIN_WHOLE:
        is_single ? skin_singles_blend(job, run, box) : skin_whole(job, run, box);
        break;
    case MD5_SKIN_BLEND:
        is_single ? skin_singles_blend(job, run, box) : skin_blend(job, run, box);
        break;
    default:
        is_single ? skin_singles_exact(job, run, box) : skin_exact(job, run, box);
    }
}

// No lane holds a NaN: none is less or greater.
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

MD5_WIDE_CODE static void add_box(md5_bounds *bounds, const lanes_box *box)
{
    lower_to_lanes(&bounds->min.x, box->low.x);
    lower_to_lanes(&bounds->min.y, box->low.y);
    lower_to_lanes(&bounds->min.z, box->low.z);
    raise_to_lanes(&bounds->max.x, box->high.x);
    raise_to_lanes(&bounds->max.y, box->high.y);
    raise_to_lanes(&bounds->max.z, box->high.z);
}

MD5_WIDE_CODE static void skin(const md5_skin_job *job)
{
    const md5_skin_plan *const plan = job->mesh->skin_plan;
    const md5_wide least = md5_wide_all(-FLT_MAX), most = md5_wide_all(FLT_MAX);
    lanes_box box = {{most, most, most}, {least, least, least}};
    for (uint32_t i = 0; i < plan->num_runs; i++)
        skin_run(job, &plan->runs[i], &box);
    if (job->bounds)
        add_box(job->bounds, &box);
}
