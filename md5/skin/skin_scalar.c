// Skinning in plain C, by matrix palettes and by dual quaternions. Every other kernel must compute
// the same bits.
#include "md5/core/math.h"
#include "md5/skin/kernels.h"

// == By matrices =================================================================================
//
// The order of operations determines the bits of the result. m is a palette entry, and q is an
// influence (bias * point, bias). Sums over the influences of a vertex are in ascending order of
// joints (md5i_sum_order()):
//
//   exact:    lane[r][c] = m[r][c] * q[c] of the first influence, + m[r][c] * q[c] of the next, ...
//             row r      = (lane[r][0] + lane[r][1]) + (lane[r][2] + lane[r][3])
//   blend:    e[r][c]    = m[r][c] * bias of the first influence, + m[r][c] * bias of the next, ...
//   rotated:  row r      = (e[r][0] * x + e[r][1] * y) + e[r][2] * z
//   unit:     each of x y z * (1 / sqrt((x * x + y * y) + z * z)), unless the length is already 1
//
// If the points of all influences are the bind position x y z, and there are at least three
// influences (plan.h), the blended matrix is sufficient, and the position is
//
//   blended:  row r      = (e[r][0] * x + e[r][1] * y) + (e[r][2] * z + e[r][3])
//
// For one influence with bias 1 (a rigid vertex, see plan.h) both methods give the same bits.
//
// Lanes are summed over the influences before they are summed along a row, because this needs no
// shuffles with registers of four floats: a palette row and an influence are multiplied in the
// layout in which they are stored. The first product starts the sum, so one influence needs no
// addition.

// Three rows of four numbers. They are the rows of a blended matrix, or the sums of the products of
// matrix rows and influences in an exact sum.
typedef struct matrix_rows4 {
    md5_vec4 x;
    md5_vec4 y;
    md5_vec4 z;
} matrix_rows4;

static inline md5_vec4 multiply_row(const float *row, md5_vec4 q)
{
    return (md5_vec4){row[0] * q.x, row[1] * q.y, row[2] * q.z, row[3] * q.w};
}

static inline md5_vec4 add_vec4(md5_vec4 a, md5_vec4 b)
{
    return (md5_vec4){a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

static inline matrix_rows4 multiply_matrix_rows(const md5_mat34 *m, md5_vec4 q)
{
    return (matrix_rows4){multiply_row(m->m, q), multiply_row(m->m + 4, q),
                          multiply_row(m->m + 8, q)};
}

static inline matrix_rows4 add_rows(matrix_rows4 a, matrix_rows4 b)
{
    return (matrix_rows4){add_vec4(a.x, b.x), add_vec4(a.y, b.y), add_vec4(a.z, b.z)};
}

static inline float sum_vec4_row(md5_vec4 a)
{
    return (a.x + a.y) + (a.z + a.w);
}

static inline float rotate_matrix_row(md5_vec4 e, md5_vec3 v)
{
    return (e.x * v.x + e.y * v.y) + e.z * v.z;
}

static inline md5_vec4 spread_bias(md5_vec4 influence)
{
    return (md5_vec4){influence.w, influence.w, influence.w, influence.w};
}

// Returns md5i_sum_order() of a vertex. Two influences are added in stored order, because a sum of
// two terms has the same bits in either order.
static inline uint64_t scalar_order(const md5_mesh *mesh, uint32_t first, uint32_t count)
{
    return count > 2 ? md5i_sum_order(mesh->influence_joints + first, count) : 0x10;
}

// Returns the term of one influence in the sum of a vertex.
static MD5_ALWAYS_INLINE matrix_rows4 influence_term(const md5_mesh *mesh, const md5_mat34 *palette,
                                                     uint32_t influence, bool is_exact)
{
    const md5_vec4 q = mesh->influences[influence];
    return multiply_matrix_rows(&palette[mesh->influence_joints[influence]],
                                is_exact ? q : spread_bias(q));
}

// Returns the sum over the influences of a vertex. If `is_exact`, these are the lanes of the exact
// sum, which the caller adds along each row. Otherwise it is the sum of the joint matrices, blended
// by bias. A blended matrix is generally not a rotation, but it also transforms normals and
// tangents. The result is zero if the vertex has no influences.
static MD5_ALWAYS_INLINE matrix_rows4 sum_influences(const md5_mesh *mesh, const md5_mat34 *palette,
                                                     uint32_t vertex, bool is_exact)
{
    const uint32_t first = mesh->first_influence[vertex];
    const uint32_t count = mesh->first_influence[vertex + 1] - first;
    if (count == 0)
        return (matrix_rows4){0};
    const uint64_t order = scalar_order(mesh, first, count);
    matrix_rows4 sum =
        influence_term(mesh, palette, first + md5_sum_index(order, count, 0), is_exact);
    for (uint32_t step = 1; step < count; step++)
        sum = add_rows(sum, influence_term(mesh, palette, first + md5_sum_index(order, count, step),
                                           is_exact));
    return sum;
}

// Returns the skinned position of a vertex: the sum of its influences, in the order of
// md5i_sum_order().
static MD5_ALWAYS_INLINE md5_vec3 exact_position(const md5_mesh *mesh, const md5_mat34 *palette,
                                                 uint32_t vertex)
{
    const matrix_rows4 sum = sum_influences(mesh, palette, vertex, true);
    return (md5_vec3){sum_vec4_row(sum.x), sum_vec4_row(sum.y), sum_vec4_row(sum.z)};
}

// Rotates a direction of the bind pose to unit length. Returns it unchanged if the result is zero.
static inline md5_vec3 rotate_normal(const matrix_rows4 *e, md5_vec3 bind)
{
    const md5_vec3 rotated = {rotate_matrix_row(e->x, bind), rotate_matrix_row(e->y, bind),
                              rotate_matrix_row(e->z, bind)};
    const float off = md5_vec3_dot(rotated, rotated) - 1;
    const bool is_unit = MD5_IS_LENGTH_FREE || off * off < MD5_UNIT_OFF_SQUARED;
    return is_unit ? rotated : md5_vec3_normalize(rotated, bind);
}

static inline md5_vec4 rotate_tangent(const matrix_rows4 *e, md5_vec4 bind)
{
    const md5_vec3 rotated = rotate_normal(e, (md5_vec3){bind.x, bind.y, bind.z});
    return (md5_vec4){rotated.x, rotated.y, rotated.z, bind.w};
}

static inline float move_matrix_row(md5_vec4 e, md5_vec3 p)
{
    return (e.x * p.x + e.y * p.y) + (e.z * p.z + e.w);
}

static inline md5_vec3 move(const matrix_rows4 *e, md5_vec3 p)
{
    return (md5_vec3){move_matrix_row(e->x, p), move_matrix_row(e->y, p), move_matrix_row(e->z, p)};
}

// == By dual quaternions =========================================================================
//
// Skinning by dual quaternions (Kavan and others, "Geometric Skinning with Approximate Dual
// Quaternion Blending", 2008).
//
// A joint with the rotation r and the translation t has the dual quaternion
//
//   q = (r, t * r / 2),
//
// where t is a quaternion with w = 0. The sum over the influences of a vertex has the same order as
// above:
//
//   blend:   s[c] = q[c] * (bias * sign) of the first influence, + q[c] * (bias * sign) of the
//                   next, ...
//
// `sign` selects the shorter arc to the joint with the largest bias, which is stored first
// (md5_dual_sign()).
//
// The blend is a dual quaternion of any length. md5i_dual_matrix() returns the rotation and the
// translation of its normalized form. Therefore only the ratios of the biases matter, and very
// small or large biases of a vertex can be scaled by a common power of two. The dual part may have
// a component along the real part. It is not removed, because it affects only the w of the
// translation.

static inline md5_quat add_scaled(md5_quat sum, md5_quat q, float by)
{
    return (md5_quat){sum.x + q.x * by, sum.y + q.y * by, sum.z + q.z * by, sum.w + q.w * by};
}

static inline md5_quat scaled(md5_quat q, float by)
{
    return (md5_quat){q.x * by, q.y * by, q.z * by, q.w * by};
}

// Returns the exponent of the power of two that scales biases to about 1, or 0 if they are used
// unchanged. `first` is the largest bias.
static inline int bias_shift(float first)
{
    const float square = first * first;
    if (square > MD5_DUAL_MIN_SQUARE && square < MD5_DUAL_MAX_SQUARE)
        return 0;
    int exponent;
    frexpf(first, &exponent);
    return -exponent;
}

static inline float shift_bias(float bias, int shift)
{
    return shift == 0 ? bias : ldexpf(bias, shift);
}

// Returns the blend of the dual quaternions of a vertex that has influences. Its length is not 1.
static inline md5_dual_quat blend_duals(const md5_mesh *mesh, const md5_dual_quat *palette,
                                        uint32_t vertex)
{
    const uint32_t begin = mesh->first_influence[vertex];
    const uint32_t count = mesh->first_influence[vertex + 1] - begin;
    const uint32_t *const joints = mesh->influence_joints + begin;
    const md5_vec4 *const influences = mesh->influences + begin;
    const md5_dual_quat *const first = &palette[joints[0]];

    const int shift = bias_shift(influences[0].w);
    const float bias = shift_bias(influences[0].w, shift);
    const uint64_t order = scalar_order(mesh, begin, count);

    md5_dual_quat sum = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    for (uint32_t step = 0; step < count; step++) {
        const uint32_t i = md5_sum_index(order, count, step);
        const md5_dual_quat *const next = &palette[joints[i]];
        const float by = shift_bias(influences[i].w, shift) * md5_dual_sign(first, next);
        sum.real = step > 0 ? add_scaled(sum.real, next->real, by) : scaled(next->real, by);
        sum.dual = step > 0 ? add_scaled(sum.dual, next->dual, by) : scaled(next->dual, by);
    }

    // If the sum cancels out, use the dual quaternion of the joint with the largest bias.
    const bool is_valid = md5_quat_dot(sum.real, sum.real) > MD5_DUAL_MIN_FRACTION * (bias * bias);
    return is_valid ? sum : *first;
}

// Returns the matrix of a dual quaternion of any length. Let r be its real part, d its dual part,
// and v and e the vectors (x y z) of r and d. The rotation is r / |r|. The translation is the
// vector part of
//
//   2 d conjugate(r) / |r|^2,
//
// which is
//
//   2 (r.w e - d.w v + v x e) / |r|^2.
md5_mat34 md5i_dual_matrix(const md5_dual_quat *q)
{
    const md5_quat r = q->real;
    const md5_quat d = q->dual;
    const float twice = 2.0f / md5_quat_dot(r, r);

    const float x2 = r.x * twice;
    const float y2 = r.y * twice;
    const float z2 = r.z * twice;
    const float xx = r.x * x2;
    const float yy = r.y * y2;
    const float zz = r.z * z2;
    const float xy = r.x * y2;
    const float xz = r.x * z2;
    const float yz = r.y * z2;
    const float wx = r.w * x2;
    const float wy = r.w * y2;
    const float wz = r.w * z2;

    return (md5_mat34){{
        1 - (yy + zz),
        xy - wz,
        xz + wy,
        ((r.w * d.x - d.w * r.x) + (r.y * d.z - r.z * d.y)) * twice,
        xy + wz,
        1 - (xx + zz),
        yz - wx,
        ((r.w * d.y - d.w * r.y) + (r.z * d.x - r.x * d.z)) * twice,
        xz - wy,
        yz + wx,
        1 - (xx + yy),
        ((r.w * d.z - d.w * r.z) + (r.x * d.y - r.y * d.x)) * twice,
    }};
}

// Returns the blended matrix of a vertex of a job with `duals`. It is 0 if the vertex has no
// influences.
md5_mat34 md5i_blend_duals(const md5i_skin_job *job, uint32_t vertex)
{
    const md5_mesh *const mesh = job->mesh;
    if (mesh->first_influence[vertex] == mesh->first_influence[vertex + 1])
        return (md5_mat34){0};
    const md5_dual_quat sum = blend_duals(mesh, job->duals, vertex);
    return md5i_dual_matrix(&sum);
}

// Blends the matrices or the dual quaternions of a vertex's joints. If the vertex has no
// influences, the result is zero. Its position then becomes the origin, and its directions remain
// unchanged.
static inline matrix_rows4 blend_rows(const md5i_skin_job *job, uint32_t vertex)
{
    if (!job->duals)
        return sum_influences(job->mesh, job->palette, vertex, false);
    const md5_mat34 m = job->blend_duals(job, vertex);
    matrix_rows4 e;
    memcpy(&e, &m, sizeof e);
    return e;
}

// Returns the matrix that transforms a vertex from the bind pose. It is 0 if the vertex has no
// influences.
md5_mat34 md5i_vertex_matrix(const md5i_skin_job *job, uint32_t vertex)
{
    const matrix_rows4 e = blend_rows(job, vertex);
    md5_mat34 m;
    memcpy(&m, &e, sizeof m);
    return m;
}

// == Vertices ====================================================================================

// Returns true if the blended matrix moves the vertices of a kind, and false if the exact sum does.
// For rigid vertices both give the same bits, so the method with fewer operations is selected. The
// condition is one expression, because gcc otherwise compiles the loops of the callers to slower
// code.
static inline bool is_blended(const md5i_skin_job *job, md5_skin_kind kind)
{
    return job->duals || kind == MD5_SKIN_BLEND
           || (kind == MD5_SKIN_RIGID && (job->normals || job->tangents));
}

// Skins one vertex and writes its position, normal and tangent at `out_index` of the job's arrays.
// If `blended`, the position is the bind position times the blended matrix of the joints. Otherwise
// it is the exact sum of the weights. Normals and tangents always use the blended matrix. The
// function is always inlined, because gcc does not inline a function with two callers, and a call
// takes 1.3 times as long.
static MD5_ALWAYS_INLINE void skin_vertex(const md5i_skin_job *job, uint32_t vertex,
                                          uint32_t out_index, bool blended)
{
    const md5_mesh *const mesh = job->mesh;
    md5_vec3 unwritten;
    matrix_rows4 e = {0};
    if (blended || job->normals || job->tangents)
        e = blend_rows(job, vertex);

    md5_vec3 *const to =
        job->bounds ? &unwritten : md5_vec3_out(job->positions, job->position_stride, out_index);
    *to = blended ? move(&e, mesh->positions[vertex]) : exact_position(mesh, job->palette, vertex);

    if (job->bounds)
        *job->bounds = md5_bounds_union(*job->bounds, (md5_bounds){*to, *to});
    if (job->normals)
        *md5_vec3_out(job->normals, job->normal_stride, out_index) =
            rotate_normal(&e, mesh->normals[vertex]);
    if (job->tangents)
        *md5_vec4_out(job->tangents, job->tangent_stride, out_index) =
            rotate_tangent(&e, mesh->tangents[vertex]);
}

// Skins the groups or singles of a run, vertex by vertex. plan.h defines runs, contiguous groups,
// gathered groups and singles. A vertex that a gathered group repeats is skinned once.
void md5i_skin_run_scalar(const md5i_skin_job *job, const md5_skin_run *run)
{
    const uint32_t *const vertices = job->mesh->skin_plan->vertices + run->vertices;
    const bool is_contiguous = run->order == MD5_SKIN_CONTIGUOUS;
    const bool is_gathered = run->order == MD5_SKIN_GATHERED;
    const bool blended = is_blended(job, (md5_skin_kind)run->kind);
    const uint32_t size = run->order == MD5_SKIN_SINGLES ? 1 : MD5_SKIN_GROUP;

    for (uint32_t i = 0; i < size * run->count; i++) {
        uint32_t vertex = vertices[is_contiguous ? i / MD5_SKIN_GROUP : i];
        if (is_contiguous)
            vertex += i % MD5_SKIN_GROUP;
        else if (is_gathered && i > 0 && vertex == vertices[i - 1])
            continue;
        // In a gathered group the plan stores three times the index of the vertex.
        vertex = is_gathered ? vertex / 3 : vertex;
        skin_vertex(job, vertex, vertex, blended);
    }
}

// Skins `count` vertices one by one in plain C. The vertices are vertices[0..count - 1]. If
// `vertices` is NULL, they are first .. first + count - 1. If `in_place`, vertex v of the mesh is
// written at index v of the output. Otherwise the k-th of these vertices is written at index k.
void md5i_skin_vertices_scalar(const md5i_skin_job *job, const uint32_t *vertices, uint32_t first,
                               uint32_t count, bool in_place)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t vertex = vertices ? vertices[i] : first + i;
        skin_vertex(job, vertex, in_place ? vertex : i,
                    job->duals || is_blended(job, md5i_skin_vertex_kind(job->mesh, vertex)));
    }
}

// Skins a mesh in plain C. If the mesh has a plan, skins it run by run. Otherwise skins its
// vertices in their order.
void md5i_skin_scalar(const md5i_skin_job *job)
{
    const md5_skin_plan *const plan = job->mesh->skin_plan;
    if (!plan) {
        md5i_skin_vertices_scalar(job, NULL, 0, job->mesh->num_vertices, true);
        return;
    }
    for (uint32_t i = 0; i < plan->num_runs; i++)
        md5i_skin_run_scalar(job, &plan->runs[i]);
}
