// md5_skin() in plain C, which every faster kernel must equal bit for bit.
//
// Order of the sums, with m a palette entry and q an influence (bias * point, bias), over the
// influences of a vertex as they are stored:
//
//   exact:    lane[r][c] = m[r][c] * q[c] of the first, + m[r][c] * q[c] of the next, ...
//             row r      = (lane[r][0] + lane[r][1]) + (lane[r][2] + lane[r][3])
//   blend:    e[r][c]    = m[r][c] * bias of the first, + m[r][c] * bias of the next, ...
//   rotated:  row r      = (e[r][0] * x + e[r][1] * y) + e[r][2] * z
//   unit:     each of x y z * (1 / sqrt((x * x + y * y) + z * z))
//
// If the points of all influences are the bind position x y z, and there are enough of them
// (plan.h), the blended matrix is sufficient, and the position is
//
//   blended:  row r      = (e[r][0] * x + e[r][1] * y) + (e[r][2] * z + e[r][3])
//
// For one influence of bias 1 (plan.h calls it rigid) that gives the same bits.
//
// Lanes are summed over the influences before they are summed along a row, because that is free
// with registers of four floats: a palette row and an influence are multiplied as they lie in
// memory. The first product starts the sum, so one influence costs no addition.
#include "md5/core/assert.h"
#include "md5/core/math.h"
#include "md5/md5skin.h"
#include "md5/skin/kernels.h"

typedef struct rows {
    md5_vec4 x, y, z;
} rows;

static inline md5_vec4 multiply(const float *row, md5_vec4 q)
{
    return (md5_vec4){row[0] * q.x, row[1] * q.y, row[2] * q.z, row[3] * q.w};
}

static inline md5_vec4 add(md5_vec4 a, md5_vec4 b)
{
    return (md5_vec4){a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

static inline rows multiply_rows(const md5_mat34 *m, md5_vec4 q)
{
    return (rows){multiply(m->m, q), multiply(m->m + 4, q), multiply(m->m + 8, q)};
}

static inline rows add_rows(rows a, rows b)
{
    return (rows){add(a.x, b.x), add(a.y, b.y), add(a.z, b.z)};
}

static inline float sum_row(md5_vec4 a)
{
    return (a.x + a.y) + (a.z + a.w);
}

static inline float rotate_row(md5_vec4 e, md5_vec3 v)
{
    return (e.x * v.x + e.y * v.y) + e.z * v.z;
}

static inline md5_vec4 bias_of(md5_vec4 influence)
{
    return (md5_vec4){influence.w, influence.w, influence.w, influence.w};
}

// Returns the exact sum for a vertex; the origin if it has no influences.
static inline md5_vec3 exact_position(const md5_mesh *mesh, const md5_mat34 *palette,
                                      uint32_t vertex)
{
    const uint32_t first = mesh->first_influence[vertex], end = mesh->first_influence[vertex + 1];
    if (first == end)
        return (md5_vec3){0.0f, 0.0f, 0.0f};
    const uint32_t *joints = mesh->influence_joints;
    rows sum = multiply_rows(&palette[joints[first]], mesh->influences[first]);
    for (uint32_t i = first + 1; i < end; i++)
        sum = add_rows(sum, multiply_rows(&palette[joints[i]], mesh->influences[i]));
    return (md5_vec3){sum_row(sum.x), sum_row(sum.y), sum_row(sum.z)};
}

// Returns the matrices of a vertex's joints, blended by bias: not a rotation in general, but
// normals and tangents follow it. Zero if the vertex has no influences.
static inline rows blend(const md5_mesh *mesh, const md5_mat34 *palette, uint32_t vertex)
{
    const uint32_t first = mesh->first_influence[vertex], end = mesh->first_influence[vertex + 1];
    if (first == end)
        return (rows){0};
    const uint32_t *joints = mesh->influence_joints;
    rows sum = multiply_rows(&palette[joints[first]], bias_of(mesh->influences[first]));
    for (uint32_t i = first + 1; i < end; i++)
        sum = add_rows(sum, multiply_rows(&palette[joints[i]], bias_of(mesh->influences[i])));
    return sum;
}

// Rotates a direction of the bind pose to unit length; returns it unchanged if the result vanishes.
static inline md5_vec3 rotate(const rows *e, md5_vec3 bind)
{
    const md5_vec3 rotated = {rotate_row(e->x, bind), rotate_row(e->y, bind),
                              rotate_row(e->z, bind)};
    return md5_vec3_normalize(rotated, bind);
}

static inline md5_vec4 rotate_tangent(const rows *e, md5_vec4 bind)
{
    const md5_vec3 rotated = rotate(e, (md5_vec3){bind.x, bind.y, bind.z});
    return (md5_vec4){rotated.x, rotated.y, rotated.z, bind.w};
}

static inline float move_row(md5_vec4 e, md5_vec3 p)
{
    return (e.x * p.x + e.y * p.y) + (e.z * p.z + e.w);
}

static inline md5_vec3 move(const rows *e, md5_vec3 p)
{
    return (md5_vec3){move_row(e->x, p), move_row(e->y, p), move_row(e->z, p)};
}

// Both ways give the same bits for rigid vertices: takes the one with fewer operations.
static inline bool is_blended(const md5i_skin_job *job, md5_skin_kind kind)
{
    return kind == MD5_SKIN_BLEND || (kind == MD5_SKIN_RIGID && (job->normals || job->tangents));
}

static inline void skin_vertex(const md5i_skin_job *job, uint32_t vertex, uint32_t place,
                               bool blended)
{
    const md5_mesh *const mesh = job->mesh;
    md5_vec3 unwritten;
    rows e = {0};
    if (blended || job->normals || job->tangents)
        e = blend(mesh, job->palette, vertex);
    md5_vec3 *const to =
        job->bounds ? &unwritten : md5_vec3_out(job->positions, job->strides[0], place);
    *to = blended ? move(&e, mesh->positions[vertex]) : exact_position(mesh, job->palette, vertex);
    if (job->bounds)
        *job->bounds = md5_bounds_union(*job->bounds, (md5_bounds){*to, *to});
    if (job->normals)
        *md5_vec3_out(job->normals, job->strides[1], place) = rotate(&e, mesh->normals[vertex]);
    if (job->tangents)
        *md5_vec4_out(job->tangents, job->strides[2], place) =
            rotate_tangent(&e, mesh->tangents[vertex]);
}

// Groups are skinned vertex by vertex. A vertex that a gathered group repeats is skinned once.
void md5i_skin_run_scalar(const md5i_skin_job *job, const md5_skin_run *run)
{
    const uint32_t *const vertices = job->mesh->skin_plan->vertices + run->vertices;
    const bool is_contiguous = run->order == MD5_SKIN_CONTIGUOUS,
               is_gathered = run->order == MD5_SKIN_GATHERED;
    const bool blended = is_blended(job, (md5_skin_kind)run->kind);
    const uint32_t size = run->order == MD5_SKIN_SINGLES ? 1 : MD5_SKIN_GROUP;
    for (uint32_t i = 0; i < size * run->count; i++) {
        uint32_t vertex = vertices[is_contiguous ? i / MD5_SKIN_GROUP : i];
        if (is_contiguous)
            vertex += i % MD5_SKIN_GROUP;
        else if (is_gathered && i > 0 && vertex == vertices[i - 1])
            continue;
        vertex = is_gathered ? vertex / 3 : vertex;
        skin_vertex(job, vertex, vertex, blended);
    }
}

void md5i_skin_scalar(const md5i_skin_job *job)
{
    const md5_skin_plan *const plan = job->mesh->skin_plan;
    if (plan) {
        for (uint32_t i = 0; i < plan->num_runs; i++)
            md5i_skin_run_scalar(job, &plan->runs[i]);
    } else {
        for (uint32_t vertex = 0; vertex < job->mesh->num_vertices; vertex++)
            skin_vertex(job, vertex, vertex, is_blended(job, md5i_skin_kind_of(job->mesh, vertex)));
    }
}

void md5i_skin_vertices_scalar(const md5i_skin_job *job, const uint32_t *vertices, uint32_t first,
                               uint32_t count)
{
    for (uint32_t place = 0; place < count; place++) {
        const uint32_t vertex = vertices ? vertices[place] : first + place;
        skin_vertex(job, vertex, place, is_blended(job, md5i_skin_kind_of(job->mesh, vertex)));
    }
}
