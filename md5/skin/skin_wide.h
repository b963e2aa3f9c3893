// md5_skin() for instruction sets with wide registers: compiled once for each, by a file that
// chooses the set (see md5/core/wide.h) and calls skin() then.
//
// Matrices are weighed and added up one vertex after the other, as they lie in the palette; then
// those of MD5_WIDTH vertices change places with their entries, so that a register holds one entry
// of all of them, and directions and places are computed of all at once.
#include "md5/core/wide.h"
#include "md5/skin/kernels.h"

// Points or directions, one in each lane.
typedef struct lanes3 {
    md5_wide x, y, z;
} lanes3;

#if defined(MD5_WIDE_AVX2)
#include "md5/skin/lanes_avx2.h"
#elif defined(MD5_WIDE_SSE2)
#include "md5/skin/lanes_sse2.h"
#elif defined(MD5_WIDE_NEON)
#include "md5/skin/lanes_neon.h"
#endif

// All that is read and written. Each run works on a copy of its own, of which the compiler knows
// that no result overwrites it.
typedef struct skin_arrays {
    const unsigned char *palette;
    const uint32_t *first_influence, *offsets;
    const md5_vec4 *influences;
    const md5_vec3 *bind_positions, *bind_normals;
    const md5_vec4 *bind_tangents;
    md5_vec3 *positions, *normals;
    md5_vec4 *tangents;
} skin_arrays;

MD5_WIDE_INLINE skin_arrays arrays_of(const md5_skin_job *job)
{
    const md5_mesh *const mesh = job->mesh;
    return (skin_arrays){
        .palette = (const unsigned char *)job->palette,
        .first_influence = mesh->first_influence,
        .offsets = mesh->skin_plan->offsets,
        .influences = mesh->influences,
        .bind_positions = mesh->positions,
        .bind_normals = mesh->normals,
        .bind_tangents = mesh->tangents,
        .positions = job->positions,
        .normals = job->normals,
        .tangents = job->tangents,
    };
}

// MD5_WIDTH vertices: those that `list` names, or else consecutive ones. `influence` is the first
// of uniform ones.
typedef struct group {
    const uint32_t *list;
    uint32_t vertex, influence;
} group;

// What is written besides places.
typedef enum directions {
    NO_DIRECTIONS,
    NORMALS,
    TANGENTS, // normals too where they are wanted
} directions;

// What the compiler knows of a run, where code is written once for several.
typedef struct shape {
    md5_skin_kind kind;
    md5_skin_order order;
    directions wanted;
} shape;

// A matrix in each lane.
typedef struct lanes_mat34 {
    md5_wide entries[3][4]; // [row][column]
} lanes_mat34;

// -- Sums over influences -------------------------------------------------------------------

// The influences from one on.
typedef struct influence_list {
    const unsigned char *palette;
    const uint32_t *offsets;
    const md5_vec4 *influences;
} influence_list;

MD5_WIDE_INLINE influence_list influences_from(const skin_arrays *arrays, uint32_t first)
{
    return (influence_list){arrays->palette, arrays->offsets + first, arrays->influences + first};
}

// What is summed: matrices, each times its bias, or each of their rows times the influence.
typedef enum term { WEIGHED_MATRIX, APPLIED_MATRIX } term;

MD5_WIDE_INLINE matrix_rows term_at(influence_list list, size_t i, term what)
{
    const float *const m = (const void *)(list.palette + list.offsets[i]);
    return what == WEIGHED_MATRIX ? scale_matrix(m, &list.influences[i].w)
                                  : multiply_rows(m, &list.influences[i]);
}

// `count` is known where this is inlined.
MD5_WIDE_INLINE matrix_rows sum_few(influence_list list, size_t first, size_t count, term what)
{
    matrix_rows sum = term_at(list, first, what);
    MD5_UNROLL
    for (size_t i = 1; i < count; i++)
        sum = add_matrices(sum, term_at(list, first + i, what));
    return sum;
}

MD5_WIDE_INLINE uint32_t vertex_of(const group *vertices, uint32_t i, shape of)
{
    return of.order == MD5_SKIN_LIST ? vertices->list[i] : vertices->vertex + i;
}

MD5_WIDE_INLINE void sum_group(const skin_arrays *arrays, const group *vertices, size_t count,
                               shape of, term what, matrix_rows sums[MD5_WIDTH])
{
    MD5_UNROLL
    for (uint32_t i = 0; i < MD5_WIDTH; i++) {
        if (of.order == MD5_SKIN_SPAN) // addresses known but for one
            sums[i] = sum_few(influences_from(arrays, vertices->influence), i * count, count, what);
        else
            sums[i] = sum_few(
                influences_from(arrays, arrays->first_influence[vertex_of(vertices, i, of)]), 0,
                count, what);
    }
}

// The same where each vertex has a count of its own.
MD5_WIDE_INLINE void sum_many(const skin_arrays *arrays, const group *vertices, shape of, term what,
                              matrix_rows sums[MD5_WIDTH])
{
    for (uint32_t i = 0; i < MD5_WIDTH; i++) {
        const uint32_t *const range = arrays->first_influence + vertex_of(vertices, i, of);
        const size_t count = range[1] - range[0];
        const influence_list list = influences_from(arrays, range[0]);
        matrix_rows sum = term_at(list, 0, what);
        for (size_t k = 1; k < count; k++)
            sum = add_matrices(sum, term_at(list, k, what));
        sums[i] = sum;
    }
}

MD5_WIDE_INLINE void sum_kind(const skin_arrays *arrays, const group *vertices, shape of, term what,
                              matrix_rows sums[MD5_WIDTH])
{
    switch (of.kind) {
    case MD5_SKIN_WHOLE:
    case MD5_SKIN_ONE:
        sum_group(arrays, vertices, 1, of, what, sums);
        break;
    case MD5_SKIN_TWO:
        sum_group(arrays, vertices, 2, of, what, sums);
        break;
    case MD5_SKIN_BLEND3:
        sum_group(arrays, vertices, 3, of, what, sums);
        break;
    case MD5_SKIN_BLEND4:
        sum_group(arrays, vertices, 4, of, what, sums);
        break;
    default:
        sum_many(arrays, vertices, of, what, sums);
    }
}

// -- Places and directions ------------------------------------------------------------------

MD5_WIDE_INLINE md5_wide sum3(md5_wide a, md5_wide b, md5_wide c)
{
    return md5_wide_add(md5_wide_add(a, b), c);
}

MD5_WIDE_INLINE md5_wide move_row(const md5_wide e[4], lanes3 p)
{
    return md5_wide_add(md5_wide_add(md5_wide_mul(e[0], p.x), md5_wide_mul(e[1], p.y)),
                        md5_wide_add(md5_wide_mul(e[2], p.z), e[3]));
}

MD5_WIDE_INLINE lanes3 move_points(const lanes_mat34 *m, lanes3 p)
{
    return (lanes3){move_row(m->entries[0], p), move_row(m->entries[1], p),
                    move_row(m->entries[2], p)};
}

MD5_WIDE_INLINE md5_wide turn_row(const md5_wide e[4], lanes3 v)
{
    return sum3(md5_wide_mul(e[0], v.x), md5_wide_mul(e[1], v.y), md5_wide_mul(e[2], v.z));
}

// See md5_vec3_normalize().
MD5_WIDE_INLINE lanes3 turn(const lanes_mat34 *m, lanes3 bind)
{
    const lanes3 v = {turn_row(m->entries[0], bind), turn_row(m->entries[1], bind),
                      turn_row(m->entries[2], bind)};
    const md5_wide square =
        sum3(md5_wide_mul(v.x, v.x), md5_wide_mul(v.y, v.y), md5_wide_mul(v.z, v.z));
    const md5_wide scale = md5_wide_div(md5_wide_all(1.0f), md5_wide_sqrt(square));
    lanes3 unit = {md5_wide_mul(v.x, scale), md5_wide_mul(v.y, scale), md5_wide_mul(v.z, scale)};
    const md5_mask has_direction = md5_wide_greater(square, md5_wide_all(1e-30f));
    if (!is_all_true(has_direction)) {
        unit.x = md5_wide_select(has_direction, unit.x, bind.x);
        unit.y = md5_wide_select(has_direction, unit.y, bind.y);
        unit.z = md5_wide_select(has_direction, unit.z, bind.z);
    }
    return unit;
}

MD5_WIDE_INLINE lanes3 load3(const md5_vec3 *from, const group *vertices, md5_skin_order order)
{
    return order == MD5_SKIN_LIST ? load_points_at(from, vertices->list)
                                  : load_points(from + vertices->vertex);
}

MD5_WIDE_INLINE void store3(md5_vec3 *to, const group *vertices, md5_skin_order order, lanes3 a)
{
    if (order == MD5_SKIN_LIST)
        store_points_at(to, vertices->list, a);
    else
        store_points(to + vertices->vertex, a);
}

MD5_WIDE_INLINE void load_tangents(const md5_vec4 *from, const group *vertices,
                                   md5_skin_order order, md5_wide rows[4])
{
    if (order == MD5_SKIN_LIST) {
        const float *pointers[MD5_WIDTH];
        for (uint32_t i = 0; i < MD5_WIDTH; i++)
            pointers[i] = &from[vertices->list[i]].x;
        md5_wide_load_rows(pointers, rows);
    } else {
        md5_wide_load_run(&from[vertices->vertex].x, 4, rows);
    }
    md5_wide_transpose(rows);
}

MD5_WIDE_INLINE void store_tangents(md5_vec4 *to, const group *vertices, md5_skin_order order,
                                    md5_wide rows[4])
{
    md5_wide_transpose(rows);
    if (order == MD5_SKIN_LIST) {
        float *pointers[MD5_WIDTH];
        for (uint32_t i = 0; i < MD5_WIDTH; i++)
            pointers[i] = &to[vertices->list[i]].x;
        md5_wide_store_rows(pointers, rows);
    } else {
        md5_wide_store_run(&to[vertices->vertex].x, 4, rows);
    }
}

// -- Groups ---------------------------------------------------------------------------------

MD5_WIDE_INLINE void move_group(const skin_arrays *arrays, const group *vertices,
                                md5_skin_order order, const lanes_mat34 *m)
{
    const lanes3 bind = load3(arrays->bind_positions, vertices, order);
    store3(arrays->positions, vertices, order, move_points(m, bind));
}

MD5_WIDE_INLINE void turn_normals(const skin_arrays *arrays, const group *vertices,
                                  md5_skin_order order, const lanes_mat34 *m)
{
    const lanes3 bind = load3(arrays->bind_normals, vertices, order);
    store3(arrays->normals, vertices, order, turn(m, bind));
}

MD5_WIDE_INLINE void turn_tangents(const skin_arrays *arrays, const group *vertices,
                                   md5_skin_order order, const lanes_mat34 *m)
{
    md5_wide rows[4];
    load_tangents(arrays->bind_tangents, vertices, order, rows);
    const lanes3 turned = turn(m, (lanes3){rows[0], rows[1], rows[2]});
    rows[0] = turned.x;
    rows[1] = turned.y;
    rows[2] = turned.z;
    store_tangents(arrays->tangents, vertices, order, rows);
}

MD5_WIDE_INLINE void turn_group(const skin_arrays *arrays, const group *vertices, shape of,
                                const lanes_mat34 *m)
{
    if (of.wanted == NORMALS || (of.wanted == TANGENTS && arrays->normals))
        turn_normals(arrays, vertices, of.order, m);
    if (of.wanted == TANGENTS)
        turn_tangents(arrays, vertices, of.order, m);
}

MD5_WIDE_INLINE void blend(const skin_arrays *arrays, const group *vertices, shape of,
                           lanes_mat34 *result)
{
    matrix_rows sums[MD5_WIDTH];
    sum_kind(arrays, vertices, of, WEIGHED_MATRIX, sums);
    matrices_to_lanes(sums, result->entries);
}

// A vertex that is whole gives the same bits in both ways: the one with fewer steps is taken.
MD5_WIDE_INLINE void skin_group(const skin_arrays *arrays, const group *vertices, shape of)
{
    lanes_mat34 m;
    if (md5_skin_is_blended(of.kind) || (of.kind == MD5_SKIN_WHOLE && of.wanted != NO_DIRECTIONS)) {
        blend(arrays, vertices, of, &m);
        move_group(arrays, vertices, of.order, &m);
    } else {
        matrix_rows sums[MD5_WIDTH];
        sum_kind(arrays, vertices, of, APPLIED_MATRIX, sums);
        store3(arrays->positions, vertices, of.order, sum_rows(sums));
        if (of.wanted != NO_DIRECTIONS)
            blend(arrays, vertices, of, &m);
    }
    if (of.wanted != NO_DIRECTIONS)
        turn_group(arrays, vertices, of, &m);
}

// -- Runs -----------------------------------------------------------------------------------

MD5_WIDE_INLINE void skin_span(const skin_arrays *arrays, const md5_skin_run *run, shape of)
{
    const uint32_t *const range = arrays->first_influence + run->first;
    const uint32_t step = MD5_WIDTH * (range[1] - range[0]);
    group vertices = {.vertex = run->first, .influence = range[0]};
    for (uint32_t i = 0; i < run->count; i += MD5_WIDTH) {
        skin_group(arrays, &vertices, of);
        vertices.vertex += MD5_WIDTH;
        vertices.influence += step;
    }
}

MD5_WIDE_INLINE void skin_blocks(const skin_arrays *arrays, const uint32_t *blocks,
                                 uint32_t num_blocks, shape of)
{
    for (uint32_t i = 0; i < num_blocks; i++) {
        for (uint32_t k = 0; k < MD5_SKIN_BLOCK; k += MD5_WIDTH)
            skin_group(arrays, &(group){.vertex = blocks[i] + k}, of);
    }
}

// The last group is filled up with its last vertex, which is then written several times.
MD5_WIDE_INLINE void skin_list(const skin_arrays *arrays, const uint32_t *list, uint32_t rest,
                               shape of)
{
    for (; rest >= MD5_WIDTH; rest -= MD5_WIDTH, list += MD5_WIDTH)
        skin_group(arrays, &(group){.list = list}, of);
    if (rest == 0)
        return;
    uint32_t filled[MD5_WIDTH];
    for (uint32_t i = 0; i < MD5_WIDTH; i++)
        filled[i] = list[i < rest ? i : rest - 1];
    skin_group(arrays, &(group){.list = filled}, of);
}

MD5_WIDE_INLINE void skin_run(const skin_arrays *arrays, const md5_skin_run *run,
                              const uint32_t *vertices, md5_skin_kind kind, directions wanted)
{
    if (run->order == MD5_SKIN_SPAN)
        skin_span(arrays, run, (shape){kind, MD5_SKIN_SPAN, wanted});
    else if (run->order == MD5_SKIN_BLOCKS)
        skin_blocks(arrays, vertices, run->count, (shape){kind, MD5_SKIN_BLOCKS, wanted});
    else
        skin_list(arrays, vertices, run->count, (shape){kind, MD5_SKIN_LIST, wanted});
}

// One function for each kind, in which the compiler knows it.
#define SKIN_RUNS_OF(name, kind)                                                      \
    MD5_WIDE_CODE static void name(const md5_skin_job *job, const md5_skin_run *run)  \
    {                                                                                 \
        const skin_arrays arrays = arrays_of(job);                                    \
        const uint32_t *const vertices = job->mesh->skin_plan->vertices + run->first; \
        if (job->tangents)                                                            \
            skin_run(&arrays, run, vertices, kind, TANGENTS);                         \
        else if (job->normals)                                                        \
            skin_run(&arrays, run, vertices, kind, NORMALS);                          \
        else                                                                          \
            skin_run(&arrays, run, vertices, kind, NO_DIRECTIONS);                    \
    }

SKIN_RUNS_OF(skin_whole, MD5_SKIN_WHOLE)
SKIN_RUNS_OF(skin_one, MD5_SKIN_ONE)
SKIN_RUNS_OF(skin_two, MD5_SKIN_TWO)
SKIN_RUNS_OF(skin_many, MD5_SKIN_MANY)
SKIN_RUNS_OF(skin_blend3, MD5_SKIN_BLEND3)
SKIN_RUNS_OF(skin_blend4, MD5_SKIN_BLEND4)
SKIN_RUNS_OF(skin_blend_many, MD5_SKIN_BLEND_MANY)

MD5_WIDE_INLINE void skin_rigid_span(const skin_arrays *arrays, const md5_skin_run *run,
                                     directions wanted)
{
    const uint32_t influence = arrays->first_influence[run->first];
    const float *const entries = (const void *)(arrays->palette + arrays->offsets[influence]);
    lanes_mat34 m;
    MD5_UNROLL
    for (int i = 0; i < 12; i++)
        m.entries[i / 4][i % 4] = md5_wide_all(entries[i]);
    const uint32_t end = run->first + run->count;
    for (uint32_t vertex = run->first; vertex < end; vertex += MD5_WIDTH) {
        const group vertices = {.vertex = vertex};
        move_group(arrays, &vertices, MD5_SKIN_SPAN, &m);
        turn_group(arrays, &vertices, (shape){MD5_SKIN_RIGID, MD5_SKIN_SPAN, wanted}, &m);
    }
}

// All vertices share one matrix.
MD5_WIDE_CODE static void skin_rigid(const md5_skin_job *job, const md5_skin_run *run)
{
    const skin_arrays arrays = arrays_of(job);
    if (job->tangents)
        skin_rigid_span(&arrays, run, TANGENTS);
    else if (job->normals)
        skin_rigid_span(&arrays, run, NORMALS);
    else
        skin_rigid_span(&arrays, run, NO_DIRECTIONS);
}

MD5_WIDE_CODE static void skin(const md5_skin_job *job)
{
    const md5_skin_plan *const plan = job->mesh->skin_plan;
    for (uint32_t i = 0; i < plan->num_runs; i++) {
        const md5_skin_run *const run = &plan->runs[i];
        switch (run->kind) {
        case MD5_SKIN_WHOLE:
            skin_whole(job, run);
            break;
        case MD5_SKIN_ONE:
            skin_one(job, run);
            break;
        case MD5_SKIN_TWO:
            skin_two(job, run);
            break;
        case MD5_SKIN_MANY:
            skin_many(job, run);
            break;
        case MD5_SKIN_BLEND3:
            skin_blend3(job, run);
            break;
        case MD5_SKIN_BLEND4:
            skin_blend4(job, run);
            break;
        case MD5_SKIN_BLEND_MANY:
            skin_blend_many(job, run);
            break;
        case MD5_SKIN_RIGID:
            skin_rigid(job, run);
            break;
        default:
            md5_skin_run_scalar(job, run);
        }
    }
}
