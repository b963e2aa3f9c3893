// Skinning by matrix palettes and by dual quaternions for one SIMD instruction set. A file
// skin_*.c selects the instruction set and includes this file.
#ifndef MD5_SKIN_SKIN_WIDE_H
#define MD5_SKIN_SKIN_WIDE_H

#include "md5/skin/lanes_four.h"

#include <float.h>

// == Groups of vertices ==========================================================================
//
// A SIMD register has MD5_WIDTH lanes. Each lane computes one vertex, so that a register contains
// the same number, for example x, of MD5_WIDTH vertices. The vertices of a group have the same
// joints; a contiguous group consists of consecutive vertices, a gathered group of vertices from
// anywhere in the mesh. Singles are vertices that fit into no group. plan.c selects the groups.

// The bounds of the vertices of each lane.
typedef struct lanes_bounds {
    lanes3 low;
    lanes3 high;
} lanes_bounds;

// All arrays that are read and written. Each run has its own copy, so that the compiler can
// assume that the results do not change the addresses.
typedef struct skin_arrays {
    const md5i_skin_job *job; // for vertices that are skinned in plain C
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
    uint32_t position_stride; // strides: see md5i_skin_job
    uint32_t normal_stride;
    uint32_t tangent_stride;
    // If not NULL, the positions extend these bounds, and are not written.
    lanes_bounds *bounds;
} skin_arrays;

// Returns the arrays of a job. `bounds` is used only if the job computes bounds.
MD5_WIDE_INLINE skin_arrays make_arrays(const md5i_skin_job *job, lanes_bounds *bounds)
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
        .position_stride = job->position_stride,
        .normal_stride = job->normal_stride,
        .tangent_stride = job->tangent_stride,
        .bounds = job->bounds ? bounds : NULL,
    };
}

// The MD5_WIDTH vertices that are computed together: a part of a group, or singles.
typedef struct group {
    uint32_t first;           // first vertex of a contiguous group
    const uint32_t *vertices; // otherwise: the vertices, as in md5_skin_plan.vertices
    const uint32_t *joints;   // [count] of a group
    const float *floats;      // floats of a group in the plan, offset to the first lane
    uint32_t count;           // number of influences of each vertex of a group
} group;

// Returns the index of the vertex that a lane computes. The plan stores three times the index of
// each vertex of a gathered group, the offset of its position in floats.
MD5_WIDE_INLINE uint32_t lane_vertex(const group *lanes, uint32_t lane, md5_skin_order order)
{
    if (order == MD5_SKIN_CONTIGUOUS)
        return lanes->first + lane;
    return order == MD5_SKIN_GATHERED ? lanes->vertices[lane] / 3 : lanes->vertices[lane];
}

// -- Loading and storing --------------------------------------------------------------------

// Loads a vector for each lane. The vectors of a contiguous group are consecutive. The vectors of a
// gathered group are at ascending indices, and the vectors of singles at any indices.
MD5_WIDE_INLINE lanes3 load3(const md5_vec3 *from, const group *lanes, md5_skin_order order)
{
    if (order == MD5_SKIN_CONTIGUOUS)
        return load_points(from + lanes->first);
    return order == MD5_SKIN_GATHERED ? load_points_ascending(&from->x, lanes->vertices)
                                      : load_points_at(&from->x, lanes->vertices, 3);
}

// Stores a vector for each lane. If `stride` is not 0, each vector is at its vertex's index times
// `stride`, in floats. Otherwise it is at the index of its vertex.
MD5_WIDE_INLINE void store3(md5_vec3 *to, uint32_t stride, const group *lanes, md5_skin_order order,
                            lanes3 a)
{
    if (stride > 0) {
        uint32_t offsets[MD5_WIDTH];
        for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
            offsets[lane] = stride * lane_vertex(lanes, lane, order);
        store_points_at(&to->x, offsets, 1, a);
    } else if (order == MD5_SKIN_CONTIGUOUS) {
        store_points(to + lanes->first, a);
    } else {
        store_points_at(&to->x, lanes->vertices, order == MD5_SKIN_GATHERED ? 1 : 3, a);
    }
}

// Stores the tangents of all lanes. Each row contains the tangent of one lane. `stride` is in
// floats. If the tangents follow each other directly, the caller passes the constant 4, for which
// the compiler creates faster code.
MD5_WIDE_INLINE void store_tangents_at(float *to, uint32_t stride, const group *lanes,
                                       md5_skin_order order, const md5_wide rows[4])
{
    if (order == MD5_SKIN_CONTIGUOUS) {
        md5_wide_store_run(to + stride * lanes->first, stride, rows);
    } else {
        float *pointers[MD5_WIDTH];
        MD5_UNROLL
        for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
            pointers[lane] = to + stride * lane_vertex(lanes, lane, order);
        md5_wide_store_rows(pointers, rows);
    }
}

MD5_WIDE_INLINE void extend_bounds(lanes_bounds *bounds, lanes3 a)
{
    bounds->low = (lanes3){md5_wide_min(a.x, bounds->low.x), md5_wide_min(a.y, bounds->low.y),
                           md5_wide_min(a.z, bounds->low.z)};
    bounds->high = (lanes3){md5_wide_max(a.x, bounds->high.x), md5_wide_max(a.y, bounds->high.y),
                            md5_wide_max(a.z, bounds->high.z)};
}

// Stores the positions of all lanes, or only extends the bounds by them.
MD5_WIDE_INLINE void store_positions(const skin_arrays *arrays, const group *lanes,
                                     md5_skin_order order, lanes3 a)
{
    if (arrays->bounds)
        extend_bounds(arrays->bounds, a);
    else
        store3(arrays->positions, arrays->position_stride, lanes, order, a);
}

// == Vertices ====================================================================================
//
// Rigid, blended, exact and single vertices have separate functions. Each function skins by
// matrices and by dual quaternions. The two methods differ only in the computation of a vertex's
// matrix.
//
// The vertices of a group have the same joints. Therefore each entry of a joint's matrix is loaded
// once into all lanes, and each lane multiplies it by the bias of its vertex. Singles have
// different joints. Therefore they are moved one after the other, by matrices in the layout of the
// palette. To rotate their directions, the blended matrices are transposed, so that each register
// contains one entry of all vertices.

// -- Directions -----------------------------------------------------------------------------

// Rotates the tangents of all lanes by the matrix of each lane, and keeps their w. The tangents are
// transposed to one register per component, rotated, and transposed back.
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
            pointers[lane] = from + 4 * lane_vertex(lanes, lane, order);
        md5_wide_load_rows(pointers, rows);
    }

    md5_wide_transpose(rows);
    const lanes3 rotated = rotate_wide(m, (lanes3){rows[0], rows[1], rows[2]});
    rows[0] = rotated.x;
    rows[1] = rotated.y;
    rows[2] = rotated.z;
    md5_wide_transpose(rows);

    if (arrays->tangent_stride > 0)
        store_tangents_at(&arrays->tangents->x, arrays->tangent_stride, lanes, order, rows);
    else
        store_tangents_at(&arrays->tangents->x, 4, lanes, order, rows);
}

// Rotates the normals and tangents of a group of vertices by their blended matrices `m`, and stores
// them. Arrays that were not requested are NULL.
MD5_WIDE_INLINE void rotate_directions(const skin_arrays *arrays, const group *lanes,
                                       md5_skin_order order, const lanes_mat34 *m)
{
    if (arrays->normals)
        store3(arrays->normals, arrays->normal_stride, lanes, order,
               rotate_wide(m, load3(arrays->bind_normals, lanes, order)));
    if (arrays->tangents)
        rotate_tangents(arrays, lanes, order, m);
}

// -- Blends of a group ----------------------------------------------------------------------

// Loads one row of a matrix into all lanes. Each entry of the row fills one register. The functions
// below load one entry after the other. Thus they need only one register in addition to the
// registers of the sums.
MD5_WIDE_INLINE lanes4 spread_row(const float *row)
{
    const entry_row e = load_entries(row);
    return (lanes4){spread_entry(e, 0), spread_entry(e, 1), spread_entry(e, 2), spread_entry(e, 3)};
}

// Multiplies one row of a matrix by a factor for each entry and lane. Entry i is multiplied by
// component i of `by`.
MD5_WIDE_INLINE lanes4 scale_row(const float *row, lanes4 by)
{
    const entry_row e = load_entries(row);
    return (lanes4){md5_wide_mul(spread_entry(e, 0), by.x), md5_wide_mul(spread_entry(e, 1), by.y),
                    md5_wide_mul(spread_entry(e, 2), by.z), md5_wide_mul(spread_entry(e, 3), by.w)};
}

// Adds one row of a matrix, multiplied by a factor for each entry and lane, to a sum. Entry i is
// multiplied by component i of `by`, and added to component i of the sum.
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

// Adds a matrix to the sum of each lane. Column i of the matrix is multiplied by component i of
// `by`.
MD5_WIDE_INLINE void add_scaled_rows(lanes_mat34 *sum, const md5_mat34 *m, lanes4 by)
{
    sum->x = add_scaled_row(sum->x, m->m, by);
    sum->y = add_scaled_row(sum->y, m->m + 4, by);
    sum->z = add_scaled_row(sum->z, m->m + 8, by);
}

MD5_WIDE_INLINE lanes4 lanes4_all(md5_wide a)
{
    return (lanes4){a, a, a, a};
}

// Loads the factors of a joint for all lanes. If `is_exact_sum`, they are influences (weighted
// point and bias), and each row of the matrix times an influence is a term of the exact sum
// (skin_scalar.c). Otherwise all four factors are the bias.
MD5_WIDE_INLINE lanes4 load_factors(const float *from, bool is_exact_sum)
{
    if (!is_exact_sum)
        return lanes4_all(md5_wide_load(from));
    return (lanes4){md5_wide_load(from), md5_wide_load(from + MD5_SKIN_GROUP),
                    md5_wide_load(from + 2 * MD5_SKIN_GROUP),
                    md5_wide_load(from + 3 * MD5_SKIN_GROUP)};
}

// Sums the matrices of a group's joints, each multiplied by the factors of its joint. The factors
// of the next joint are `step` floats later. If `is_exact_sum`, they are influences, otherwise
// biases.
MD5_WIDE_INLINE lanes_mat34 sum_group(const skin_arrays *arrays, const group *lanes,
                                      const float *factors, uint32_t step, bool is_exact_sum)
{
    lanes_mat34 sum =
        scale_rows(&arrays->palette[lanes->joints[0]], load_factors(factors, is_exact_sum));
    for (uint32_t i = 1; i < lanes->count; i++)
        add_scaled_rows(&sum, &arrays->palette[lanes->joints[i]],
                        load_factors(factors + step * i, is_exact_sum));
    return sum;
}

// -- Blends of dual quaternions -------------------------------------------------------------
//
// The joints of a group are the same in all lanes, but the biases differ. Therefore each lane has
// its own blend, and converts it to a matrix.

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

// Returns the dot product of two vectors in each lane.
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

// Returns true if all first biases can be used unchanged: see MD5_DUAL_MIN_SQUARE.
MD5_WIDE_INLINE bool are_biases_in_range(md5_wide first)
{
    const md5_wide square = md5_wide_mul(first, first);
    return is_all_true(md5_wide_greater(square, md5_wide_set1(MD5_DUAL_MIN_SQUARE)))
           && is_all_true(md5_wide_less(square, md5_wide_set1(MD5_DUAL_MAX_SQUARE)));
}

// Returns a mask of the lanes whose blend is precise enough: see MD5_DUAL_MIN_FRACTION.
MD5_WIDE_INLINE md5_mask is_valid_blend(lanes4 real, md5_wide bias)
{
    return md5_wide_greater(
        dot_lanes(real, real),
        md5_wide_mul(md5_wide_set1(MD5_DUAL_MIN_FRACTION), md5_wide_mul(bias, bias)));
}

// Returns one axis of r.w e - d.w v + v x e: see md5i_dual_matrix().
MD5_WIDE_INLINE md5_wide translation_term(md5_wide rw, md5_wide e, md5_wide dw, md5_wide v,
                                          md5_wide v1e2, md5_wide v2e1)
{
    return md5_wide_add(md5_wide_sub(md5_wide_mul(rw, e), md5_wide_mul(dw, v)),
                        md5_wide_sub(v1e2, v2e1));
}

// Converts the dual quaternion of each lane to a matrix. Performs the operations of
// md5i_dual_matrix() in the same order, so that the bits are the same.
MD5_WIDE_INLINE lanes_mat34 dual_to_matrix(const lanes_dual *q)
{
    const lanes4 r = q->real;
    const lanes4 d = q->dual;
    const md5_wide one = md5_wide_set1(1.0f);
    const md5_wide twice = md5_wide_div(md5_wide_set1(2.0f), dot_lanes(r, r));

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

    const md5_wide x =
        translation_term(r.w, d.x, d.w, r.x, md5_wide_mul(r.y, d.z), md5_wide_mul(r.z, d.y));
    const md5_wide y =
        translation_term(r.w, d.y, d.w, r.y, md5_wide_mul(r.z, d.x), md5_wide_mul(r.x, d.z));
    const md5_wide z =
        translation_term(r.w, d.z, d.w, r.z, md5_wide_mul(r.x, d.y), md5_wide_mul(r.y, d.x));

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
    return md5_wide_negate_if(md5_wide_less(a, md5_wide_set1(0.0f)), a);
}

// The influence with the largest bias of each lane. Its rotation determines the signs of all
// others.
typedef struct lanes_first {
    lanes4 real;
    md5_wide bias;
} lanes_first;

// Returns the biases of a joint. A bias is negated in the lanes in which -q of the joint is nearer
// than q to the joint with the largest bias: see md5_dual_sign().
MD5_WIDE_INLINE md5_wide signed_bias(const lanes_first *first, lanes4 real, md5_wide bias)
{
    return md5_wide_negate_if(md5_wide_less(dot_lanes(first->real, real), md5_wide_set1(0.0f)),
                              bias);
}

// Returns the dual quaternion of one joint of a group, times its signed bias in each lane.
MD5_WIDE_INLINE lanes_dual dual_term(const lanes_first *first, const md5_dual_quat *q,
                                     md5_wide bias)
{
    const lanes4 real = spread_row(&q->real.x);
    const md5_wide by = signed_bias(first, real, bias);
    return (lanes_dual){scale4(real, by), scale_row(&q->dual.x, lanes4_all(by))};
}

// Blends the dual quaternions of the joints of a group in each lane, and converts them to matrices.
// The biases of the next joint are `step` floats later. Returns false if a bias is out of range or
// a blend is imprecise. The caller must then skin the vertices in plain C. The function is not
// inlined, because the callers would contain four copies.
MD5_WIDE_CODE static bool blend_dual_group(const md5_dual_quat *q, const uint32_t *joints,
                                           uint32_t count, const float *biases, uint32_t step,
                                           lanes_mat34 *m)
{
    // Find the joint with the largest bias in each lane.
    lanes_first first = {spread_row(&q[joints[0]].real.x), md5_wide_load(biases)};
    for (uint32_t i = 1; i < count; i++) {
        const md5_wide bias = md5_wide_load(biases + step * i);
        const md5_mask is_larger = md5_wide_less(magnitude(first.bias), magnitude(bias));
        first.bias = md5_wide_select(is_larger, bias, first.bias);
        first.real = select4(is_larger, spread_row(&q[joints[i]].real.x), first.real);
    }
    if (!are_biases_in_range(first.bias))
        return false;

    lanes_dual sum = dual_term(&first, &q[joints[0]], md5_wide_load(biases));
    for (uint32_t i = 1; i < count; i++)
        sum = add_duals(sum, dual_term(&first, &q[joints[i]], md5_wide_load(biases + step * i)));
    *m = dual_to_matrix(&sum);
    return is_all_true(is_valid_blend(sum.real, first.bias));
}

// -- Groups ---------------------------------------------------------------------------------

// Skins the vertices of all lanes in plain C. Used if SIMD cannot blend their dual quaternions: see
// blend_dual_group().
MD5_WIDE_CODE static void skin_by_scalar(const skin_arrays *arrays, const group *lanes,
                                         md5_skin_order order)
{
    uint32_t vertices[MD5_WIDTH];
    for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
        vertices[lane] = lane_vertex(lanes, lane, order);
    md5i_skin_vertices_scalar(arrays->job, vertices, 0, MD5_WIDTH, true);
}

// Moves the vertices of all lanes by the matrix of each lane, and rotates their normals and
// tangents. Reads the bind positions of a gathered group from the plan (`plan_positions`), and the
// bind positions of a contiguous group from the mesh.
MD5_WIDE_INLINE void transform_group(const skin_arrays *arrays, const group *lanes,
                                     md5_skin_order order, const lanes_mat34 *m,
                                     const float *plan_positions)
{
    const lanes3 bind = order == MD5_SKIN_GATHERED
                            ? (lanes3){md5_wide_load(plan_positions),
                                       md5_wide_load(plan_positions + MD5_SKIN_GROUP),
                                       md5_wide_load(plan_positions + 2 * MD5_SKIN_GROUP)}
                            : load_points(arrays->bind_positions + lanes->first);
    store_positions(arrays, lanes, order, move_points(m, bind));
    rotate_directions(arrays, lanes, order, m);
}

// Returns the palette matrix of a joint in all lanes. With dual quaternions, the matrix is computed
// from the joint's dual quaternion.
MD5_WIDE_INLINE lanes_mat34 spread_joint(const skin_arrays *arrays, uint32_t joint)
{
    if (!arrays->duals)
        return spread_matrix(&arrays->palette[joint]);
    const md5_mat34 m = md5i_dual_matrix(&arrays->duals[joint]);
    return spread_matrix(&m);
}

// Skins a group whose vertices have several influences, or one influence whose point is not the
// bind position. Blends the matrices or dual quaternions of the joints in each lane, and transforms
// positions and directions by the blend.
//
// In an exact group (MD5_SKIN_EXACT), each position is the sum of the weighted points instead. For
// each joint, the plan then contains x, y, z and the bias of all vertices.
MD5_WIDE_INLINE void skin_blended_group(const skin_arrays *arrays, const group *lanes,
                                        md5_skin_kind kind, md5_skin_order order)
{
    const bool is_exact = kind == MD5_SKIN_EXACT; // each bias is after its point
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
            store_positions(arrays, lanes, order,
                            move_points(&m, load3(arrays->bind_positions, lanes, order)));
    } else {
        if (is_exact) {
            m = sum_group(arrays, lanes, lanes->floats, step, true);
            store_positions(arrays, lanes, order,
                            (lanes3){sum_wide_row(m.x), sum_wide_row(m.y), sum_wide_row(m.z)});
        }
        if (is_exact && !arrays->normals && !arrays->tangents)
            return;
        m = sum_group(arrays, lanes, biases, step, false);
    }

    // The positions of exact groups were stored above: only their directions remain.
    if (is_exact)
        rotate_directions(arrays, lanes, order, &m);
    else
        transform_group(arrays, lanes, order, &m, lanes->floats + MD5_SKIN_GROUP * lanes->count);
}

// Skins all groups of a run, which are of the same kind. `kind` and `order` repeat the values of
// the run. Callers pass them as constants, so that the compiler creates separate code for each
// combination.
MD5_WIDE_INLINE void skin_groups(const skin_arrays *arrays, const md5_skin_run *run,
                                 md5_skin_kind kind, md5_skin_order order)
{
    const md5_skin_plan *const plan = arrays->job->mesh->skin_plan;
    const uint32_t count = kind == MD5_SKIN_RIGID ? 1 : run->num_influences;
    const uint32_t num_words = md5_skin_num_words(kind, order, count);
    const uint32_t *vertices = plan->vertices + run->vertices;
    const uint32_t *words = plan->words + run->words;
    uint32_t joint = words[0]; // consecutive contiguous groups often have the same joint
    lanes_mat34 matrix;
    if (kind == MD5_SKIN_RIGID)
        matrix = spread_joint(arrays, joint);

    for (uint32_t i = 0; i < run->count; i++) {
        const float *const floats = (const float *)(const void *)(words + count);
        if (kind == MD5_SKIN_RIGID && (order == MD5_SKIN_GATHERED || words[0] != joint)) {
            joint = words[0];
            matrix = spread_joint(arrays, joint);
        }

        // A gathered group begins with repetitions of its first vertex if it has few vertices. A
        // register that contains only repetitions is skipped.
        const bool repeats = MD5_WIDTH < MD5_SKIN_GROUP && order == MD5_SKIN_GATHERED
                             && vertices[MD5_WIDTH - 1] == vertices[MD5_WIDTH];
        for (uint32_t k = repeats ? MD5_WIDTH : 0; k < MD5_SKIN_GROUP; k += MD5_WIDTH) {
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

// Returns the factors of a single in the plan. `words` contains the number of joints, the list of
// joints, and then the factors. Each joint has the same number of factors. The last one is the
// bias.
MD5_WIDE_INLINE const float *single_factors(const uint32_t *words)
{
    return (const float *)(const void *)(words + 1 + words[0]);
}

// Sums the influences of a single, which is a vertex that fits into no group. Computes the blended
// matrix (`blend`) and the sum of weighted points, which is the exact position (`exact`). Either
// may be NULL. single_factors() describes `words`. Each joint has `step` factors, and the last one
// is its bias. Returns the words of the next single.
MD5_WIDE_INLINE const uint32_t *sum_single(const skin_arrays *arrays, const uint32_t *words,
                                           uint32_t step, matrix_rows *blend, matrix_rows *exact)
{
    const float *factors = single_factors(words);
    const float *m = arrays->palette[words[1]].m;
    matrix_rows blend_sum;
    matrix_rows exact_sum;
    if (blend)
        blend_sum = scale_matrix(m, factors + step - 1);
    if (exact)
        exact_sum = multiply_wide_rows(m, factors);

    for (uint32_t i = 1; i < words[0]; i++) {
        factors += step;
        m = arrays->palette[words[1 + i]].m;
        if (blend)
            blend_sum = add_matrices(blend_sum, scale_matrix(m, factors + step - 1));
        if (exact)
            exact_sum = add_matrices(exact_sum, multiply_wide_rows(m, factors));
    }

    if (blend)
        *blend = blend_sum;
    if (exact)
        *exact = exact_sum;
    return (const uint32_t *)(const void *)(factors + step);
}

// Transposes the blended matrices of MD5_WIDTH vertices. The result has one register for each
// matrix entry, and one lane for each vertex.
MD5_WIDE_INLINE lanes_mat34 transpose_sums(const matrix_rows sums[MD5_WIDTH])
{
    md5_wide e[3][4];
    matrices_to_lanes(sums, e);
    return (lanes_mat34){lanes4_from_array(e[0]), lanes4_from_array(e[1]), lanes4_from_array(e[2])};
}

// MD5_WIDTH single vertices, and their words in the plan.
typedef struct singles {
    uint32_t vertices[MD5_WIDTH];
    const uint32_t *words[MD5_WIDTH];
} singles;

// Loads the dual quaternion of a different joint in each lane.
MD5_WIDE_INLINE lanes_dual gather_duals(const md5_dual_quat *palette,
                                        const uint32_t joints[MD5_WIDTH])
{
    const float *reals[MD5_WIDTH];
    const float *duals[MD5_WIDTH];
    for (uint32_t lane = 0; lane < MD5_WIDTH; lane++) {
        const md5_dual_quat *const joint = &palette[joints[lane]];
        reals[lane] = &joint->real.x;
        duals[lane] = &joint->dual.x;
    }
    md5_wide real[4];
    md5_wide dual[4];
    md5_wide_load_rows(reals, real);
    md5_wide_load_rows(duals, dual);
    md5_wide_transpose(real);
    md5_wide_transpose(dual);
    return (lanes_dual){lanes4_from_array(real), lanes4_from_array(dual)};
}

// Returns term `index` of the sum of dual quaternions in each lane. A term is the dual quaternion
// of one joint, times its signed bias. Some lanes may have fewer terms. There *has_term is false,
// and the function returns term 0, which the caller ignores.
MD5_WIDE_INLINE lanes_dual single_terms(const md5_dual_quat *palette, const singles *lanes,
                                        const lanes_first *first, uint32_t step, uint32_t index,
                                        md5_mask *has_term)
{
    uint32_t joints[MD5_WIDTH];
    float biases[MD5_WIDTH];
    float has_terms[MD5_WIDTH];
    for (uint32_t lane = 0; lane < MD5_WIDTH; lane++) {
        const uint32_t *const words = lanes->words[lane];
        const uint32_t term = index < words[0] ? index : 0;
        joints[lane] = words[1 + term];
        biases[lane] = single_factors(words)[step * term + step - 1];
        has_terms[lane] = index < words[0] ? 1 : 0;
    }
    *has_term = md5_wide_greater(md5_wide_load(has_terms), md5_wide_set1(0.0f));
    const lanes_dual q = gather_duals(palette, joints);
    const md5_wide by = signed_bias(first, q.real, md5_wide_load(biases));
    return (lanes_dual){scale4(q.real, by), scale4(q.dual, by)};
}

// Blends the dual quaternions of singles (vertices that fit into no group), and converts them to
// matrices. Each lane contains one single. Returns false if a bias is out of range or a blend is
// imprecise. The caller must then skin the vertices in plain C.
MD5_WIDE_CODE static bool blend_dual_singles(const md5i_skin_job *job, const singles *lanes,
                                             uint32_t step, lanes_mat34 *m)
{
    const md5_mesh *const mesh = job->mesh;
    uint32_t joints[MD5_WIDTH];
    uint32_t max_terms = 0;
    float biases[MD5_WIDTH];

    for (uint32_t lane = 0; lane < MD5_WIDTH; lane++) {
        const uint32_t largest = mesh->first_influence[lanes->vertices[lane]];
        joints[lane] = mesh->influence_joints[largest];
        biases[lane] = mesh->influences[largest].w;
        max_terms = lanes->words[lane][0] > max_terms ? lanes->words[lane][0] : max_terms;
    }

    const lanes_first first = {gather_duals(job->duals, joints).real, md5_wide_load(biases)};
    if (!are_biases_in_range(first.bias))
        return false;

    md5_mask has_term;
    lanes_dual sum = single_terms(job->duals, lanes, &first, step, 0, &has_term);
    for (uint32_t i = 1; i < max_terms; i++) {
        const lanes_dual next =
            add_duals(sum, single_terms(job->duals, lanes, &first, step, i, &has_term));
        sum = (lanes_dual){select4(has_term, next.real, sum.real),
                           select4(has_term, next.dual, sum.dual)};
    }

    *m = dual_to_matrix(&sum);
    return is_all_true(is_valid_blend(sum.real, first.bias));
}

// Skins up to MD5_WIDTH singles by the dual quaternions of their joints. The last lanes are filled
// with the last vertex, which is then written several times. Returns the words of the next single.
MD5_WIDE_INLINE const uint32_t *skin_dual_singles(const skin_arrays *arrays,
                                                  const uint32_t *vertices, uint32_t count,
                                                  const uint32_t *words, bool is_exact)
{
    const uint32_t step = is_exact ? 4 : 1;
    const uint32_t *next = words;
    singles few;
    for (uint32_t lane = 0; lane < MD5_WIDTH; lane++) {
        const uint32_t i = lane < count ? lane : count - 1;
        few.vertices[lane] = vertices[i];
        few.words[lane] = lane < count ? next : few.words[i];
        next += lane < count ? 1 + next[0] * (1 + step) : 0;
    }

    const group lanes = {.vertices = few.vertices};
    lanes_mat34 m;
    if (!blend_dual_singles(arrays->job, &few, step, &m)) {
        skin_by_scalar(arrays, &lanes, MD5_SKIN_SINGLES);
        return next;
    }
    store_positions(arrays, &lanes, MD5_SKIN_SINGLES,
                    move_points(&m, load3(arrays->bind_positions, &lanes, MD5_SKIN_SINGLES)));
    rotate_directions(arrays, &lanes, MD5_SKIN_SINGLES, &m);
    return next;
}

// Moves one single by the matrices of its joints, and writes its position to `to`. If `is_exact`,
// the position is the sum of weighted points. Otherwise it is the bind position times the blended
// matrix. Writes the blended matrix to *blend unless `blend` is NULL. Returns the words of the next
// single.
MD5_WIDE_INLINE const uint32_t *move_single(const skin_arrays *arrays, uint32_t vertex,
                                            const uint32_t *words, bool is_exact,
                                            matrix_rows *blend, float *to)
{
    matrix_rows rows;
    const uint32_t *next;
    if (is_exact) {
        next = sum_single(arrays, words, 4, blend, &rows);
    } else {
        matrix_rows matrix;
        next = sum_single(arrays, words, 1, &matrix, NULL);
        rows = multiply_by_point(matrix, &arrays->bind_positions[vertex].x);
        if (blend)
            *blend = matrix;
    }
    store_row_sums(to, rows);
    return next;
}

// Moves up to MD5_WIDTH singles one after the other: see move_single(). `blends` may be NULL. If
// `bounds` is not NULL, extends them by the positions instead of storing the positions. Returns the
// words of the next single.
MD5_WIDE_INLINE const uint32_t *move_singles(const skin_arrays *arrays, const uint32_t *vertices,
                                             uint32_t count, const uint32_t *words, bool is_exact,
                                             matrix_rows *blends, lanes_bounds *bounds)
{
    const uint32_t stride = arrays->position_stride > 0 ? arrays->position_stride : 3;
    const uint32_t *next = words;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t vertex = vertices[i];
        md5_vec3 p;
        float *const to = bounds ? &p.x : &arrays->positions->x + stride * vertex;
        next = move_single(arrays, vertex, next, is_exact, blends ? &blends[i] : NULL, to);
        if (bounds)
            extend_bounds(bounds,
                          (lanes3){md5_wide_set1(p.x), md5_wide_set1(p.y), md5_wide_set1(p.z)});
    }
    return next;
}

// Skins up to MD5_WIDTH singles by the matrices of their joints. The directions of all lanes are
// rotated together. Returns the words of the next single.
MD5_WIDE_INLINE const uint32_t *skin_few_singles(const skin_arrays *arrays,
                                                 const uint32_t *vertices, uint32_t count,
                                                 const uint32_t *words, bool is_exact)
{
    if (arrays->bounds)
        return move_singles(arrays, vertices, count, words, is_exact, NULL, arrays->bounds);
    if (!arrays->normals && !arrays->tangents)
        return move_singles(arrays, vertices, count, words, is_exact, NULL, NULL);

    matrix_rows blends[MD5_WIDTH];
    const uint32_t *const next =
        move_singles(arrays, vertices, count, words, is_exact, blends, NULL);

    // Fill the last lanes with the last vertex, whose directions are then written several times.
    group lanes = {.vertices = vertices};
    uint32_t repeated[MD5_WIDTH];
    if (count < MD5_WIDTH) {
        for (uint32_t lane = 0; lane < MD5_WIDTH; lane++) {
            const uint32_t i = lane < count ? lane : count - 1;
            repeated[lane] = vertices[i];
            blends[lane] = blends[i];
        }
        lanes.vertices = repeated;
    }
    const lanes_mat34 m = transpose_sums(blends);
    rotate_directions(arrays, &lanes, MD5_SKIN_SINGLES, &m);
    return next;
}

// Skins the singles of a run, MD5_WIDTH at a time.
MD5_WIDE_INLINE void skin_singles(const skin_arrays *arrays, const md5_skin_run *run, bool is_exact)
{
    const md5_skin_plan *const plan = arrays->job->mesh->skin_plan;
    const uint32_t *const vertices = plan->vertices + run->vertices;
    const uint32_t *words = plan->words + run->words;
    for (uint32_t done = 0; done < run->count; done += MD5_WIDTH) {
        const uint32_t left = run->count - done;
        const uint32_t count = left < MD5_WIDTH ? left : MD5_WIDTH;
        if (arrays->duals)
            words = skin_dual_singles(arrays, vertices + done, count, words, is_exact);
        else
            words = skin_few_singles(arrays, vertices + done, count, words, is_exact);
    }
}

// -- Runs -----------------------------------------------------------------------------------

// There is one function for each kind, so that the kind is a constant. In a common function the
// matrix of a joint would not remain in registers. Rigid singles do not exist: they are blended.
#define SKIN_RUNS(name, kind)                                                                   \
    MD5_NO_INLINE MD5_WIDE_CODE static void name(const md5i_skin_job *job,                      \
                                                 const md5_skin_run *run, lanes_bounds *bounds) \
    {                                                                                           \
        const skin_arrays arrays = make_arrays(job, bounds);                                    \
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

// Skins one run with the function of its kind.
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

// Extends the interval *min..*max by the bounds of all lanes. No lane contains NaN, because
// comparisons with NaN are false, so NaN never became a bound.
MD5_WIDE_INLINE void extend_interval(float *min, md5_wide low, float *max, md5_wide high)
{
    float lows[MD5_WIDTH];
    float highs[MD5_WIDTH];
    md5_wide_store(lows, low);
    md5_wide_store(highs, high);
    for (uint32_t i = 0; i < MD5_WIDTH; i++) {
        *min = lows[i] < *min ? lows[i] : *min;
        *max = highs[i] > *max ? highs[i] : *max;
    }
}

// Skins a mesh run by run, as its skin plan requires. If the job computes bounds, extends them at
// the end.
MD5_WIDE_CODE void MD5_WIDE_NAME(md5i_skin)(const md5i_skin_job *job)
{
    const md5_skin_plan *const plan = job->mesh->skin_plan;
    const md5_wide lowest = md5_wide_set1(-FLT_MAX);
    const md5_wide highest = md5_wide_set1(FLT_MAX);
    lanes_bounds bounds = {{highest, highest, highest}, {lowest, lowest, lowest}};
    for (uint32_t i = 0; i < plan->num_runs; i++)
        skin_run(job, &plan->runs[i], &bounds);
    md5_bounds *const to = job->bounds;
    if (!to)
        return;
    extend_interval(&to->min.x, bounds.low.x, &to->max.x, bounds.high.x);
    extend_interval(&to->min.y, bounds.low.y, &to->max.y, bounds.high.y);
    extend_interval(&to->min.z, bounds.low.z, &to->max.z, bounds.high.z);
}

#endif
