// Both ways of skinning for one instruction set with wide registers, which the including file
// selects.
#ifndef MD5_SKIN_SKIN_WIDE_H
#define MD5_SKIN_SKIN_WIDE_H

#include "md5/skin/lanes_four.h"

#include <float.h>

// == Groups of vertices ==========================================================================
//
// The vertices that one step of a kernel for wide registers computes: where they are in memory, how
// they are loaded and stored.

// Bounds in each lane.
typedef struct lanes_bounds {
    lanes3 low;
    lanes3 high;
} lanes_bounds;

// Everything that is read and written. Each run has its own copy, which the compiler knows to be
// unaffected by the results.
typedef struct skin_arrays {
    const md5i_skin_job *job; // for vertices that plain C handles
    const md5_mat34 *palette;
    const md5_dual_quat *duals; // or NULL; if set, used instead of the palette
    const uint32_t *first_influence;
    const uint32_t *influence_joints;
    const md5_vec4 *influences;
    const md5_vec3 *bind_positions;
    const md5_vec3 *bind_normals;
    const md5_vec4 *bind_tangents;
    md5_vec3 *positions;
    md5_vec3 *normals;
    md5_vec4 *tangents;
    uint32_t position_stride, normal_stride, tangent_stride; // see md5i_skin_job
    lanes_bounds *bounds; // or NULL; if set, grows to hold the positions, which are not written
} skin_arrays;

MD5_WIDE_INLINE skin_arrays arrays_of(const md5i_skin_job *job, lanes_bounds *bounds)
{
    const md5_mesh *const mesh = job->mesh;
    return (skin_arrays){
        .job = job,
        .palette = job->palette,
        .duals = job->duals,
        .first_influence = mesh->first_influence,
        .influence_joints = mesh->influence_joints,
        .influences = mesh->influences,
        .bind_positions = mesh->positions,
        .bind_normals = mesh->normals,
        .bind_tangents = mesh->tangents,
        .positions = job->positions,
        .normals = job->normals,
        .tangents = job->tangents,
        .position_stride = job->strides[0],
        .normal_stride = job->strides[1],
        .tangent_stride = job->strides[2],
        .bounds = job->bounds ? bounds : NULL,
    };
}

// MD5_WIDTH vertices: in a contiguous group those from `first` on, else those that `vertices` lists
// as md5_skin_plan does. In a group each has `count` influences on `joints`; `floats` are the
// group's numbers in the plan, each for MD5_SKIN_GROUP vertices, offset to these.
typedef struct group {
    uint32_t first;
    const uint32_t *vertices;
    const uint32_t *joints;
    const float *floats;
    uint32_t count;
} group;

// Returns the vertex of a lane.
MD5_WIDE_INLINE uint32_t vertex_of(const group *lanes, uint32_t lane, md5_skin_order order)
{
    if (order == MD5_SKIN_CONTIGUOUS)
        return lanes->first + lane;
    return order == MD5_SKIN_GATHERED ? lanes->vertices[lane] / 3 : lanes->vertices[lane];
}

// -- Loading and storing --------------------------------------------------------------------

MD5_WIDE_INLINE lanes3 load3(const md5_vec3 *from, const group *lanes, md5_skin_order order)
{
    if (order == MD5_SKIN_CONTIGUOUS)
        return load_points(from + lanes->first);
    return order == MD5_SKIN_GATHERED ? load_points_ascending(&from->x, lanes->vertices)
                                      : load_points_at(&from->x, lanes->vertices, 3);
}

MD5_WIDE_INLINE void store3(md5_vec3 *to, uint32_t stride, const group *lanes, md5_skin_order order,
                            lanes3 a)
{
    if (stride > 0) {
        uint32_t offsets[MD5_WIDTH];
        for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
            offsets[lane] = stride * vertex_of(lanes, lane, order);
        store_points_at(&to->x, offsets, 1, a);
    } else if (order == MD5_SKIN_CONTIGUOUS) {
        store_points(to + lanes->first, a);
    } else {
        store_points_at(&to->x, lanes->vertices, order == MD5_SKIN_GATHERED ? 1 : 3, a);
    }
}

// `stride` is in floats, and a constant after inlining if it is 4.
MD5_WIDE_INLINE void store_tangents_at(float *to, uint32_t stride, const group *lanes,
                                       md5_skin_order order, const md5_wide rows[4])
{
    if (order == MD5_SKIN_CONTIGUOUS) {
        md5_wide_store_run(to + stride * lanes->first, stride, rows);
    } else {
        float *pointers[MD5_WIDTH];
        MD5_UNROLL
        for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
            pointers[lane] = to + stride * vertex_of(lanes, lane, order);
        md5_wide_store_rows(pointers, rows);
    }
}

MD5_WIDE_INLINE void put_positions(const skin_arrays *arrays, const group *lanes,
                                   md5_skin_order order, lanes3 a)
{
    lanes_bounds *const bounds = arrays->bounds;
    if (!bounds) {
        store3(arrays->positions, arrays->position_stride, lanes, order, a);
        return;
    }
    bounds->low =
        (lanes3){md5_wide_smaller(a.x, bounds->low.x), md5_wide_smaller(a.y, bounds->low.y),
                 md5_wide_smaller(a.z, bounds->low.z)};
    bounds->high =
        (lanes3){md5_wide_larger(a.x, bounds->high.x), md5_wide_larger(a.y, bounds->high.y),
                 md5_wide_larger(a.z, bounds->high.z)};
}

// == Vertices ====================================================================================
//
// Compiled once for each set, by a file that selects the set (see md5/core/wide.h): four functions,
// for rigid, blended, exact and single vertices. Each skins by matrices and by dual quaternions,
// which differ only in where the matrix of a vertex comes from.
//
// The vertices of a group share their joints, so a register holds one matrix entry for MD5_WIDTH
// vertices: an entry of a joint is loaded once, and each lane multiplies it by the bias of its
// vertex. Single vertices have different matrices: these are blended one vertex after the other, in
// the layout of the palette, and then transposed so that each register holds one entry.

// Up to this many singles are as fast in plain C.
enum { FEW_SINGLES = MD5_WIDTH / 4 };

// -- Directions -----------------------------------------------------------------------------

MD5_WIDE_INLINE void rotate_tangents(const skin_arrays *arrays, const group *lanes,
                                     md5_skin_order order, const lanes_mat34 *m)
{
    const float *const from = &arrays->bind_tangents->x;
    md5_wide rows[4];
    if (order == MD5_SKIN_CONTIGUOUS) {
        md5_wide_load_run(from + 4 * lanes->first, 4, rows);
    } else {
        const float *pointers[MD5_WIDTH];
        MD5_UNROLL
        for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
            pointers[lane] = from + 4 * vertex_of(lanes, lane, order);
        md5_wide_load_rows(pointers, rows);
    }
    md5_wide_transpose(rows);
    const lanes3 rotated = rotate(m, (lanes3){rows[0], rows[1], rows[2]});
    rows[0] = rotated.x;
    rows[1] = rotated.y;
    rows[2] = rotated.z;
    md5_wide_transpose(rows);
    if (arrays->tangent_stride > 0)
        store_tangents_at(&arrays->tangents->x, arrays->tangent_stride, lanes, order, rows);
    else
        store_tangents_at(&arrays->tangents->x, 4, lanes, order, rows);
}

MD5_WIDE_INLINE void rotate_directions(const skin_arrays *arrays, const group *lanes,
                                       md5_skin_order order, const lanes_mat34 *m)
{
    if (arrays->normals)
        store3(arrays->normals, arrays->normal_stride, lanes, order,
               rotate(m, load3(arrays->bind_normals, lanes, order)));
    if (arrays->tangents)
        rotate_tangents(arrays, lanes, order, m);
}

// -- Blends of a group ----------------------------------------------------------------------

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

MD5_WIDE_INLINE lanes4 scale4(lanes4 a, md5_wide by)
{
    return (lanes4){md5_wide_mul(a.x, by), md5_wide_mul(a.y, by), md5_wide_mul(a.z, by),
                    md5_wide_mul(a.w, by)};
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

MD5_WIDE_INLINE lanes4 all_alike(md5_wide a)
{
    return (lanes4){a, a, a, a};
}

// The factors of a joint: its biases, or if `is_applied` the influences, of which each row of the
// matrix then makes a term of the exact sum (see skin_scalar.c).
MD5_WIDE_INLINE lanes4 load_factors(const float *from, bool is_applied)
{
    if (!is_applied)
        return all_alike(md5_wide_load(from));
    return (lanes4){md5_wide_load(from), md5_wide_load(from + MD5_SKIN_GROUP),
                    md5_wide_load(from + 2 * MD5_SKIN_GROUP),
                    md5_wide_load(from + 3 * MD5_SKIN_GROUP)};
}

// Factors are `step` floats apart.
MD5_WIDE_INLINE lanes_mat34 sum_group(const skin_arrays *arrays, const group *lanes,
                                      const float *factors, uint32_t step, bool is_applied)
{
    lanes_mat34 sum =
        scale_rows(&arrays->palette[lanes->joints[0]], load_factors(factors, is_applied));
    for (uint32_t i = 1; i < lanes->count; i++)
        add_scaled_rows(&sum, &arrays->palette[lanes->joints[i]],
                        load_factors(factors + step * i, is_applied));
    return sum;
}

// -- Blends of dual quaternions -------------------------------------------------------------
//
// A group's joints are the same in all lanes, so there is one sign per joint. The blend differs in
// each lane and is converted to a matrix there.

// A dual quaternion in each lane.
typedef struct lanes_dual {
    lanes4 real;
    lanes4 dual;
} lanes_dual;

MD5_WIDE_INLINE lanes4 add4(lanes4 a, lanes4 b)
{
    return (lanes4){md5_wide_add(a.x, b.x), md5_wide_add(a.y, b.y), md5_wide_add(a.z, b.z),
                    md5_wide_add(a.w, b.w)};
}

MD5_WIDE_INLINE lanes_dual add_duals(lanes_dual a, lanes_dual b)
{
    return (lanes_dual){add4(a.real, b.real), add4(a.dual, b.dual)};
}

MD5_WIDE_INLINE md5_wide dot_lanes(lanes4 a, lanes4 b)
{
    return md5_wide_add(
        sum3(md5_wide_mul(a.x, b.x), md5_wide_mul(a.y, b.y), md5_wide_mul(a.z, b.z)),
        md5_wide_mul(a.w, b.w));
}

MD5_WIDE_INLINE lanes4 select4(md5_mask mask, lanes4 a, lanes4 b)
{
    return (lanes4){md5_wide_select(mask, a.x, b.x), md5_wide_select(mask, a.y, b.y),
                    md5_wide_select(mask, a.z, b.z), md5_wide_select(mask, a.w, b.w)};
}

// Whether all first biases can be blended as they are: see MD5_DUAL_LEAST_SQUARE.
MD5_WIDE_INLINE bool are_ordinary(md5_wide first)
{
    const md5_wide square = md5_wide_mul(first, first);
    return is_all_true(md5_wide_greater(square, md5_wide_all(MD5_DUAL_LEAST_SQUARE)))
           && is_all_true(md5_wide_less(square, md5_wide_all(MD5_DUAL_MOST_SQUARE)));
}

// Whether each blend is long enough: see MD5_DUAL_VANISHES.
MD5_WIDE_INLINE md5_mask is_left(lanes4 real, md5_wide bias)
{
    return md5_wide_greater(dot_lanes(real, real), md5_wide_mul(md5_wide_all(MD5_DUAL_VANISHES),
                                                                md5_wide_mul(bias, bias)));
}

// d.w taken away from that of v x e: see md5i_dual_matrix().
MD5_WIDE_INLINE md5_wide way(md5_wide rw, md5_wide e, md5_wide dw, md5_wide v, md5_wide v1e2,
                             md5_wide v2e1)
{
    return md5_wide_add(md5_wide_sub(md5_wide_mul(rw, e), md5_wide_mul(dw, v)),
                        md5_wide_sub(v1e2, v2e1));
}

MD5_WIDE_INLINE lanes_mat34 matrix_of_dual(const lanes_dual *q)
{
    const lanes4 r = q->real;
    const lanes4 d = q->dual;
    const md5_wide one = md5_wide_all(1.0f);
    const md5_wide twice = md5_wide_div(md5_wide_all(2.0f), dot_lanes(r, r));
    const md5_wide x2 = md5_wide_mul(r.x, twice);
    const md5_wide y2 = md5_wide_mul(r.y, twice);
    const md5_wide z2 = md5_wide_mul(r.z, twice);
    const md5_wide xx = md5_wide_mul(r.x, x2);
    const md5_wide yy = md5_wide_mul(r.y, y2);
    const md5_wide zz = md5_wide_mul(r.z, z2);
    const md5_wide xy = md5_wide_mul(r.x, y2);
    const md5_wide xz = md5_wide_mul(r.x, z2);
    const md5_wide yz = md5_wide_mul(r.y, z2);
    const md5_wide wx = md5_wide_mul(r.w, x2);
    const md5_wide wy = md5_wide_mul(r.w, y2);
    const md5_wide wz = md5_wide_mul(r.w, z2);
    const md5_wide x = way(r.w, d.x, d.w, r.x, md5_wide_mul(r.y, d.z), md5_wide_mul(r.z, d.y));
    const md5_wide y = way(r.w, d.y, d.w, r.y, md5_wide_mul(r.z, d.x), md5_wide_mul(r.x, d.z));
    const md5_wide z = way(r.w, d.z, d.w, r.z, md5_wide_mul(r.x, d.y), md5_wide_mul(r.y, d.x));
    return (lanes_mat34){
        {md5_wide_sub(one, md5_wide_add(yy, zz)), md5_wide_sub(xy, wz), md5_wide_add(xz, wy),
         md5_wide_mul(x, twice)},
        {md5_wide_add(xy, wz), md5_wide_sub(one, md5_wide_add(xx, zz)), md5_wide_sub(yz, wx),
         md5_wide_mul(y, twice)},
        {md5_wide_sub(xz, wy), md5_wide_add(yz, wx), md5_wide_sub(one, md5_wide_add(xx, yy)),
         md5_wide_mul(z, twice)},
    };
}

MD5_WIDE_INLINE md5_wide magnitude(md5_wide a)
{
    return md5_wide_flip(md5_wide_less(a, md5_wide_all(0.0f)), a);
}

// What the blends of two or more begin with: the influence of the largest bias, to which signs
// refer.
typedef struct lanes_first {
    lanes4 real;
    md5_wide bias;
} lanes_first;

// The bias of the shorter arc.
MD5_WIDE_INLINE md5_wide signed_bias(const lanes_first *first, lanes4 real, md5_wide bias)
{
    return md5_wide_flip(md5_wide_less(dot_lanes(first->real, real), md5_wide_all(0.0f)), bias);
}

// The term of a joint of a group.
MD5_WIDE_INLINE lanes_dual dual_term(const lanes_first *first, const md5_dual_quat *q,
                                     md5_wide bias)
{
    const lanes4 real = spread_row(&q->real.x);
    const md5_wide by = signed_bias(first, real, bias);
    return (lanes_dual){scale4(real, by), scale_row(&q->dual.x, all_alike(by))};
}

// Biases are `step` floats apart. Returns false if a lane cannot be blended as it is. A function of
// its own, as kinds and orders would have four copies.
MD5_WIDE_CODE static bool blend_dual_group(const md5_dual_quat *q, const uint32_t *joints,
                                           uint32_t count, const float *biases, uint32_t step,
                                           lanes_mat34 *m)
{
    lanes_first first = {spread_row(&q[joints[0]].real.x), md5_wide_load(biases)};
    for (uint32_t i = 1; i < count; i++) {
        const md5_wide bias = md5_wide_load(biases + step * i);
        const md5_mask is_larger = md5_wide_less(magnitude(first.bias), magnitude(bias));
        first.bias = md5_wide_select(is_larger, bias, first.bias);
        first.real = select4(is_larger, spread_row(&q[joints[i]].real.x), first.real);
    }
    if (!are_ordinary(first.bias))
        return false;
    lanes_dual sum = dual_term(&first, &q[joints[0]], md5_wide_load(biases));
    for (uint32_t i = 1; i < count; i++)
        sum = add_duals(sum, dual_term(&first, &q[joints[i]], md5_wide_load(biases + step * i)));
    *m = matrix_of_dual(&sum);
    return is_all_true(is_left(sum.real, first.bias));
}

// -- Groups ---------------------------------------------------------------------------------

// Vertices that registers cannot blend: see are_ordinary().
MD5_WIDE_CODE static void skin_by_scalar(const skin_arrays *arrays, const group *lanes,
                                         md5_skin_order order)
{
    uint32_t vertices[MD5_WIDTH];
    for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
        vertices[lane] = vertex_of(lanes, lane, order);
    md5i_skin_vertices_scalar(arrays->job, vertices, 0, MD5_WIDTH, true);
}

// Moves and rotates the vertices by a matrix in each lane. `own`: in a gathered group, its bind
// positions in the plan.
MD5_WIDE_INLINE void transform_group(const skin_arrays *arrays, const group *lanes,
                                     md5_skin_order order, const lanes_mat34 *m, const float *own)
{
    const lanes3 bind = order == MD5_SKIN_GATHERED
                            ? (lanes3){md5_wide_load(own), md5_wide_load(own + MD5_SKIN_GROUP),
                                       md5_wide_load(own + 2 * MD5_SKIN_GROUP)}
                            : load_points(arrays->bind_positions + lanes->first);
    put_positions(arrays, lanes, order, move_points(m, bind));
    rotate_directions(arrays, lanes, order, m);
}

MD5_WIDE_INLINE lanes_mat34 spread_joint(const skin_arrays *arrays, uint32_t joint)
{
    if (!arrays->duals)
        return spread_matrix(&arrays->palette[joint]);
    const md5_mat34 m = md5i_dual_matrix(&arrays->duals[joint]);
    return spread_matrix(&m);
}

// Vertices with several influences, or one that has a point of its own.
MD5_WIDE_INLINE void skin_blended_group(const skin_arrays *arrays, const group *lanes,
                                        md5_skin_kind kind, md5_skin_order order)
{
    const bool is_exact = kind == MD5_SKIN_EXACT; // then biases follow points
    const float *const biases = lanes->floats + (is_exact ? 3 * MD5_SKIN_GROUP : 0);
    const uint32_t step = is_exact ? 4 * MD5_SKIN_GROUP : MD5_SKIN_GROUP;
    lanes_mat34 m;
    if (arrays->duals) {
        lanes_mat34 blend;
        if (!blend_dual_group(arrays->duals, lanes->joints, lanes->count, biases, step, &blend)) {
            skin_by_scalar(arrays, lanes, order);
            return;
        }
        m = blend;
        if (is_exact)
            put_positions(arrays, lanes, order,
                          move_points(&m, load3(arrays->bind_positions, lanes, order)));
    } else {
        if (is_exact) {
            m = sum_group(arrays, lanes, lanes->floats, step, true);
            put_positions(arrays, lanes, order, (lanes3){sum_row(m.x), sum_row(m.y), sum_row(m.z)});
        }
        if (is_exact && !arrays->normals && !arrays->tangents)
            return;
        m = sum_group(arrays, lanes, biases, step, false);
    }
    if (is_exact)
        rotate_directions(arrays, lanes, order, &m);
    else
        transform_group(arrays, lanes, order, &m, lanes->floats + MD5_SKIN_GROUP * lanes->count);
}

MD5_WIDE_INLINE void skin_groups(const skin_arrays *arrays, const md5_skin_run *run,
                                 md5_skin_kind kind, md5_skin_order order)
{
    const md5_skin_plan *const plan = arrays->job->mesh->skin_plan;
    const uint32_t count = kind == MD5_SKIN_RIGID ? 1 : run->num_influences;
    const uint32_t num_words = md5_skin_num_words(kind, order, count);
    const uint32_t *vertices = plan->vertices + run->vertices;
    const uint32_t *words = plan->words + run->words;
    uint32_t joint = words[0]; // neighbouring contiguous groups often share it
    lanes_mat34 matrix;
    if (kind == MD5_SKIN_RIGID)
        matrix = spread_joint(arrays, joint);
    for (uint32_t i = 0; i < run->count; i++) {
        const float *const floats = (const float *)(const void *)(words + count);
        if (kind == MD5_SKIN_RIGID && (order == MD5_SKIN_GATHERED || words[0] != joint)) {
            joint = words[0];
            matrix = spread_joint(arrays, joint);
        }
        for (uint32_t k = 0; k < MD5_SKIN_GROUP; k += MD5_WIDTH) {
            const group lanes = {*vertices + k, vertices + k, words, floats + k, count};
            if (kind == MD5_SKIN_RIGID)
                transform_group(arrays, &lanes, order, &matrix, lanes.floats);
            else
                skin_blended_group(arrays, &lanes, kind, order);
        }
        vertices += md5_skin_num_vertices(order);
        words += num_words;
    }
}

// -- Singles --------------------------------------------------------------------------------

// MD5_WIDTH single vertices, and where their words are in the plan.
typedef struct singles {
    uint32_t vertices[MD5_WIDTH];
    const uint32_t *words[MD5_WIDTH];
} singles;

// The factors of a single: `step` floats for each joint, of which the last is the bias.
MD5_WIDE_INLINE const float *factors_of(const uint32_t *words)
{
    return (const float *)(const void *)(words + 1 + words[0]);
}

// Sums each matrix times its bias, and each of its rows times the influence. NULL: not that one.
MD5_WIDE_INLINE void sum_single(const skin_arrays *arrays, const uint32_t *words, uint32_t step,
                                matrix_rows *weighed, matrix_rows *applied)
{
    const float *factors = factors_of(words);
    const float *m = arrays->palette[words[1]].m;
    matrix_rows weights, rows;
    if (weighed)
        weights = scale_matrix(m, factors + step - 1);
    if (applied)
        rows = multiply_rows(m, factors);
    for (uint32_t i = 1; i < words[0]; i++) {
        factors += step;
        m = arrays->palette[words[1 + i]].m;
        if (weighed)
            weights = add_matrices(weights, scale_matrix(m, factors + step - 1));
        if (applied)
            rows = add_matrices(rows, multiply_rows(m, factors));
    }
    if (weighed)
        *weighed = weights;
    if (applied)
        *applied = rows;
}

MD5_WIDE_INLINE lanes_mat34 lanes_of(const matrix_rows sums[MD5_WIDTH])
{
    md5_wide e[3][4];
    matrices_to_lanes(sums, e);
    return (lanes_mat34){lanes4_of(e[0]), lanes4_of(e[1]), lanes4_of(e[2])};
}

MD5_WIDE_INLINE lanes_dual gather_duals(const md5_dual_quat *palette,
                                        const uint32_t joints[MD5_WIDTH])
{
    const float *reals[MD5_WIDTH], *duals[MD5_WIDTH];
    for (uint32_t lane = 0; lane < MD5_WIDTH; lane++) {
        const md5_dual_quat *const joint = &palette[joints[lane]];
        reals[lane] = &joint->real.x;
        duals[lane] = &joint->dual.x;
    }
    md5_wide real[4], dual[4];
    md5_wide_load_rows(reals, real);
    md5_wide_load_rows(duals, dual);
    md5_wide_transpose(real);
    md5_wide_transpose(dual);
    return (lanes_dual){lanes4_of(real), lanes4_of(dual)};
}

// The terms at a place of each lane's sum. Shorter sums have any term there, and false in *adds.
MD5_WIDE_INLINE lanes_dual single_terms(const md5_dual_quat *palette, const singles *lanes,
                                        const lanes_first *first, uint32_t step, uint32_t place,
                                        md5_mask *adds)
{
    uint32_t joints[MD5_WIDTH];
    float biases[MD5_WIDTH], has[MD5_WIDTH];
    for (uint32_t lane = 0; lane < MD5_WIDTH; lane++) {
        const uint32_t *const words = lanes->words[lane];
        const uint32_t own = place < words[0] ? place : 0;
        joints[lane] = words[1 + own];
        biases[lane] = factors_of(words)[step * own + step - 1];
        has[lane] = place < words[0] ? 1 : 0;
    }
    *adds = md5_wide_greater(md5_wide_load(has), md5_wide_all(0.0f));
    const lanes_dual q = gather_duals(palette, joints);
    const md5_wide by = signed_bias(first, q.real, md5_wide_load(biases));
    return (lanes_dual){scale4(q.real, by), scale4(q.dual, by)};
}

// Returns false if a lane cannot be blended as it is.
MD5_WIDE_CODE static bool blend_dual_singles(const md5i_skin_job *job, const singles *lanes,
                                             uint32_t step, lanes_mat34 *m)
{
    const md5_mesh *const mesh = job->mesh;
    uint32_t joints[MD5_WIDTH];
    uint32_t most = 0;
    float biases[MD5_WIDTH];
    for (uint32_t lane = 0; lane < MD5_WIDTH; lane++) {
        const uint32_t largest = mesh->first_influence[lanes->vertices[lane]];
        joints[lane] = mesh->influence_joints[largest];
        biases[lane] = mesh->influences[largest].w;
        most = lanes->words[lane][0] > most ? lanes->words[lane][0] : most;
    }
    const lanes_first first = {gather_duals(job->duals, joints).real, md5_wide_load(biases)};
    if (!are_ordinary(first.bias))
        return false;
    md5_mask adds;
    lanes_dual sum = single_terms(job->duals, lanes, &first, step, 0, &adds);
    for (uint32_t place = 1; place < most; place++) {
        const lanes_dual more =
            add_duals(sum, single_terms(job->duals, lanes, &first, step, place, &adds));
        sum = (lanes_dual){select4(adds, more.real, sum.real), select4(adds, more.dual, sum.dual)};
    }
    *m = matrix_of_dual(&sum);
    return is_all_true(is_left(sum.real, first.bias));
}

MD5_WIDE_INLINE void skin_few_singles(const skin_arrays *arrays, const singles *few, bool is_exact)
{
    const group lanes = {.vertices = few->vertices};
    const uint32_t step = is_exact ? 4 : 1;
    const bool has_directions = arrays->normals || arrays->tangents;
    matrix_rows sums[MD5_WIDTH], applied[MD5_WIDTH];
    lanes_mat34 m;
    if (arrays->duals) {
        lanes_mat34 blend;
        if (!blend_dual_singles(arrays->job, few, step, &blend)) {
            skin_by_scalar(arrays, &lanes, MD5_SKIN_SINGLES);
            return;
        }
        m = blend;
    } else {
        if (has_directions || !is_exact) {
            for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
                sum_single(arrays, few->words[lane], step, &sums[lane],
                           is_exact ? &applied[lane] : NULL);
        }
        if (is_exact && !has_directions) {
            for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
                sum_single(arrays, few->words[lane], step, NULL, &applied[lane]);
        }
        if (is_exact)
            put_positions(arrays, &lanes, MD5_SKIN_SINGLES, sum_rows(applied));
        if (is_exact && !has_directions)
            return;
        m = lanes_of(sums);
    }
    if (!is_exact || arrays->duals)
        put_positions(arrays, &lanes, MD5_SKIN_SINGLES,
                      move_points(&m, load3(arrays->bind_positions, &lanes, MD5_SKIN_SINGLES)));
    rotate_directions(arrays, &lanes, MD5_SKIN_SINGLES, &m);
}

// Fills the last lanes up with the last vertex, which is then written several times; very few
// remaining vertices use plain C.
MD5_WIDE_INLINE void skin_singles(const skin_arrays *arrays, const md5_skin_run *run, bool is_exact)
{
    const md5_skin_plan *const plan = arrays->job->mesh->skin_plan;
    const uint32_t *const vertices = plan->vertices + run->vertices;
    const uint32_t *words = plan->words + run->words;
    const uint32_t step = is_exact ? 4 : 1;
    const uint32_t last = run->count - 1;
    for (uint32_t done = 0; done <= last; done += MD5_WIDTH) {
        if (run->count - done <= FEW_SINGLES) {
            md5_skin_run rest = *run;
            rest.vertices += done;
            rest.count -= done;
            md5i_skin_run_scalar(arrays->job, &rest);
            break;
        }
        singles few;
        for (uint32_t lane = 0; lane < MD5_WIDTH; lane++) {
            const uint32_t i = done + lane < last ? done + lane : last;
            few.vertices[lane] = vertices[i];
            few.words[lane] = words;
            words += i < last ? 1 + words[0] * (1 + step) : 0;
        }
        skin_few_singles(arrays, &few, is_exact);
    }
}

// -- All ------------------------------------------------------------------------------------

// One function for each kind, so that the kind is a constant. Rigid singles are blended. Not in
// one function with other kinds, for which a joint's matrix would lose its registers.
#define SKIN_RUNS(name, kind)                                                                   \
    MD5_NO_INLINE MD5_WIDE_CODE static void name(const md5i_skin_job *job,                      \
                                                 const md5_skin_run *run, lanes_bounds *bounds) \
    {                                                                                           \
        const skin_arrays arrays = arrays_of(job, bounds);                                      \
        if (run->order == MD5_SKIN_CONTIGUOUS)                                                  \
            skin_groups(&arrays, run, kind, MD5_SKIN_CONTIGUOUS);                               \
        else if (run->order == MD5_SKIN_GATHERED)                                               \
            skin_groups(&arrays, run, kind, MD5_SKIN_GATHERED);                                 \
        else if (kind != MD5_SKIN_RIGID)                                                        \
            skin_singles(&arrays, run, kind == MD5_SKIN_EXACT);                                 \
    }

SKIN_RUNS(skin_rigid, MD5_SKIN_RIGID)
SKIN_RUNS(skin_blend, MD5_SKIN_BLEND)
SKIN_RUNS(skin_exact, MD5_SKIN_EXACT)

MD5_WIDE_CODE static void skin_run(const md5i_skin_job *job, const md5_skin_run *run,
                                   lanes_bounds *bounds)
{
    if (run->kind == MD5_SKIN_NONE)
        md5i_skin_run_scalar(job, run);
    else if (run->kind == MD5_SKIN_RIGID)
        skin_rigid(job, run, bounds);
    else if (run->kind == MD5_SKIN_BLEND)
        skin_blend(job, run, bounds);
    else
        skin_exact(job, run, bounds);
}

#ifdef MD5_WIDE_AVX2
void md5i_skin_run_avx2(const md5i_skin_job *job, const md5_skin_run *run)
{
    skin_run(job, run, NULL);
}
#endif

// No lane holds a NaN, since comparisons with NaN are false.
MD5_WIDE_INLINE void add_lanes(float *min, md5_wide low, float *max, md5_wide high)
{
    float lows[MD5_WIDTH], highs[MD5_WIDTH];
    md5_wide_store(lows, low);
    md5_wide_store(highs, high);
    for (uint32_t i = 0; i < MD5_WIDTH; i++) {
        *min = lows[i] < *min ? lows[i] : *min;
        *max = highs[i] > *max ? highs[i] : *max;
    }
}

MD5_WIDE_CODE void MD5_WIDE_NAME(md5i_skin)(const md5i_skin_job *job)
{
    const md5_skin_plan *const plan = job->mesh->skin_plan;
    const md5_wide lowest = md5_wide_all(-FLT_MAX);
    const md5_wide highest = md5_wide_all(FLT_MAX);
    lanes_bounds bounds = {{highest, highest, highest}, {lowest, lowest, lowest}};
    for (uint32_t i = 0; i < plan->num_runs; i++)
        skin_run(job, &plan->runs[i], &bounds);
    md5_bounds *const to = job->bounds;
    if (!to)
        return;
    add_lanes(&to->min.x, bounds.low.x, &to->max.x, bounds.high.x);
    add_lanes(&to->min.y, bounds.low.y, &to->max.y, bounds.high.y);
    add_lanes(&to->min.z, bounds.low.z, &to->max.z, bounds.high.z);
}

#endif
