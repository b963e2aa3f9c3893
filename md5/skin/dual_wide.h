// Skinning by dual quaternions for instruction sets with wide registers: compiled once for each,
// together with md5_skin(), whose plan, loads and stores it shares.
//
// A group's joints are the same in all lanes, so there is one sign per joint. The blend differs in
// each lane and is converted to a matrix there.
#include "md5/skin/dual_kernels.h"
#include "md5/skin/skin_wide.h"

// A dual quaternion in each lane.
typedef struct lanes_dual {
    lanes4 real, dual;
} lanes_dual;

// The other inputs and outputs: skin_arrays without a palette.
typedef struct dual_arrays {
    skin_arrays skin;
    const md5_dual_quat *palette;
    const md5_dual_job *job; // for vertices that plain C handles
} dual_arrays;

// -- Blending -------------------------------------------------------------------------------

MD5_WIDE_INLINE lanes4 all_alike(md5_wide a)
{
    return (lanes4){a, a, a, a};
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

// Biases are `step` floats apart.
MD5_WIDE_INLINE lanes_dual blend_dual_group(const dual_arrays *arrays, const group *of,
                                            const float *biases, uint32_t step)
{
    const md5_dual_quat *const first = &arrays->palette[of->joints[0]];
    const md5_wide first_bias = md5_wide_load(biases);
    lanes_dual sum = {scale_row(&first->real.x, all_alike(first_bias)),
                      scale_row(&first->dual.x, all_alike(first_bias))};
    for (uint32_t i = 1; i < of->count; i++) {
        const md5_dual_quat *const next = &arrays->palette[of->joints[i]];
        const md5_wide by = md5_wide_mul(md5_wide_load(biases + step * i),
                                         md5_wide_all(md5_dual_sign(first, next)));
        sum.real = add_scaled_row(sum.real, &next->real.x, all_alike(by));
        sum.dual = add_scaled_row(sum.dual, &next->dual.x, all_alike(by));
    }
    const md5_mask kept = is_left(sum.real, first_bias);
    if (!is_all_true(kept)) {
        sum.real = select4(kept, sum.real, spread_row(&first->real.x));
        sum.dual = select4(kept, sum.dual, spread_row(&first->dual.x));
    }
    return sum;
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
    const lanes4 r = q->real, d = q->dual;
    const md5_wide one = md5_wide_all(1.0f);
    const md5_wide twice = md5_wide_div(md5_wide_all(2.0f), dot_lanes(r, r));
    const md5_wide x2 = md5_wide_mul(r.x, twice), y2 = md5_wide_mul(r.y, twice);
    const md5_wide z2 = md5_wide_mul(r.z, twice);
    const md5_wide xx = md5_wide_mul(r.x, x2), yy = md5_wide_mul(r.y, y2);
    const md5_wide zz = md5_wide_mul(r.z, z2), xy = md5_wide_mul(r.x, y2);
    const md5_wide xz = md5_wide_mul(r.x, z2), yz = md5_wide_mul(r.y, z2);
    const md5_wide wx = md5_wide_mul(r.w, x2), wy = md5_wide_mul(r.w, y2);
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

// -- Groups ---------------------------------------------------------------------------------

static void skin_dual_by_scalar(const dual_arrays *arrays, const group *of, md5_skin_order order)
{
    uint32_t vertices[MD5_WIDTH];
    for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
        vertices[lane] = order == MD5_SKIN_CONTIGUOUS
                             ? of->first + lane
                             : of->vertices[lane] / 3; // teams' are times 3
    md5i_dual_vertices_scalar(arrays->job, vertices, MD5_WIDTH);
}

MD5_WIDE_INLINE void skin_dual_group(const dual_arrays *arrays, const group *of, md5_skin_kind kind,
                                     md5_skin_order order, const lanes_mat34 *whole)
{
    if (kind == MD5_SKIN_RIGID) {
        transform_group(&arrays->skin, of, order, whole, of->floats);
        return;
    }
    const bool is_exact = kind == MD5_SKIN_EXACT; // then biases follow points
    const float *const biases = of->floats + (is_exact ? 3 * MD5_SKIN_GROUP : 0);
    if (!are_ordinary(md5_wide_load(biases))) {
        skin_dual_by_scalar(arrays, of, order);
        return;
    }
    const lanes_dual sum =
        blend_dual_group(arrays, of, biases, is_exact ? 4 * MD5_SKIN_GROUP : MD5_SKIN_GROUP);
    const lanes_mat34 m = matrix_of_dual(&sum);
    if (is_exact) {
        const lanes3 bind = load3(arrays->skin.bind_positions, of, order);
        put_positions(&arrays->skin, of, order, move_points(&m, bind));
        rotate_directions(&arrays->skin, of, order, &m);
    } else {
        transform_group(&arrays->skin, of, order, &m, of->floats + MD5_SKIN_GROUP * of->count);
    }
}

MD5_WIDE_INLINE lanes_mat34 spread_dual(const md5_dual_quat *q)
{
    const md5_mat34 m = md5i_dual_matrix(q);
    return spread_matrix(&m);
}

MD5_WIDE_INLINE void skin_dual_groups(const dual_arrays *arrays, const md5_skin_plan *plan,
                                      const md5_skin_run *run, md5_skin_kind kind,
                                      md5_skin_order order)
{
    const uint32_t count = kind == MD5_SKIN_RIGID ? 1 : run->num_influences;
    const uint32_t *vertices = plan->vertices + run->vertices;
    const uint32_t *words = plan->words + run->words;
    uint32_t joint = words[0]; // neighbouring groups often have the same
    lanes_mat34 whole;
    if (kind == MD5_SKIN_RIGID)
        whole = spread_dual(&arrays->palette[joint]);
    for (uint32_t i = 0; i < run->count; i++) {
        if (kind == MD5_SKIN_RIGID && words[0] != joint) {
            joint = words[0];
            whole = spread_dual(&arrays->palette[joint]);
        }
        for (uint32_t k = 0; k < MD5_SKIN_GROUP; k += MD5_WIDTH) {
            const float *const floats = (const float *)(const void *)(words + count) + k;
            const group of = {*vertices + k, vertices + k, words, floats, count};
            skin_dual_group(arrays, &of, kind, order, &whole);
        }
        vertices += md5_skin_num_vertices(order);
        words += md5_skin_num_words(kind, order, count);
    }
}

// One function for each kind, in which the compiler knows it.
#define SKIN_DUAL_GROUPS(name, kind)                                                              \
    MD5_WIDE_CODE static void name(const md5_dual_job *job, const md5_skin_run *run)              \
    {                                                                                             \
        const dual_arrays arrays = {arrays_of(&job->skin, NULL), job->palette, job};              \
        if (run->order == MD5_SKIN_CONTIGUOUS)                                                    \
            skin_dual_groups(&arrays, job->skin.mesh->skin_plan, run, kind, MD5_SKIN_CONTIGUOUS); \
        else                                                                                      \
            skin_dual_groups(&arrays, job->skin.mesh->skin_plan, run, kind, MD5_SKIN_GATHERED);   \
    }

SKIN_DUAL_GROUPS(skin_dual_rigid, MD5_SKIN_RIGID)
SKIN_DUAL_GROUPS(skin_dual_blend, MD5_SKIN_BLEND)
SKIN_DUAL_GROUPS(skin_dual_exact, MD5_SKIN_EXACT)

// -- Singles --------------------------------------------------------------------------------

MD5_WIDE_INLINE md5_wide gather_first_biases(const dual_arrays *arrays, const group *of)
{
    float biases[MD5_WIDTH];
    for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
        biases[lane] = arrays->skin.influences[arrays->skin.first_influence[of->vertices[lane]]].w;
    return md5_wide_load(biases);
}

// The dual quaternions of influence `number` of MD5_WIDTH vertices, and their biases.
MD5_WIDE_INLINE md5_wide gather_influence(const dual_arrays *arrays, const group *of,
                                          uint32_t number, lanes_dual *q)
{
    const float *reals[MD5_WIDTH], *duals[MD5_WIDTH];
    float biases[MD5_WIDTH];
    for (uint32_t lane = 0; lane < MD5_WIDTH; lane++) {
        const uint32_t influence = arrays->skin.first_influence[of->vertices[lane]] + number;
        const md5_dual_quat *const joint =
            &arrays->palette[arrays->skin.influence_joints[influence]];
        reals[lane] = &joint->real.x;
        duals[lane] = &joint->dual.x;
        biases[lane] = arrays->skin.influences[influence].w;
    }
    md5_wide real[4], dual[4];
    md5_wide_load_rows(reals, real);
    md5_wide_load_rows(duals, dual);
    md5_wide_transpose(real);
    md5_wide_transpose(dual);
    *q = (lanes_dual){{real[0], real[1], real[2], real[3]}, {dual[0], dual[1], dual[2], dual[3]}};
    return md5_wide_load(biases);
}

MD5_WIDE_INLINE lanes4 scale4(lanes4 a, md5_wide by)
{
    return (lanes4){md5_wide_mul(a.x, by), md5_wide_mul(a.y, by), md5_wide_mul(a.z, by),
                    md5_wide_mul(a.w, by)};
}

MD5_WIDE_INLINE lanes4 add4(lanes4 a, lanes4 b)
{
    return (lanes4){md5_wide_add(a.x, b.x), md5_wide_add(a.y, b.y), md5_wide_add(a.z, b.z),
                    md5_wide_add(a.w, b.w)};
}

MD5_WIDE_INLINE lanes_dual blend_dual_singles(const dual_arrays *arrays, const group *of,
                                              uint32_t count)
{
    lanes_dual first, next;
    const md5_wide bias = gather_influence(arrays, of, 0, &first);
    lanes_dual sum = {scale4(first.real, bias), scale4(first.dual, bias)};
    for (uint32_t i = 1; i < count; i++) {
        md5_wide by = gather_influence(arrays, of, i, &next);
        by = md5_wide_flip(md5_wide_less(dot_lanes(first.real, next.real), md5_wide_all(0.0f)), by);
        sum.real = add4(sum.real, scale4(next.real, by));
        sum.dual = add4(sum.dual, scale4(next.dual, by));
    }
    const md5_mask kept = is_left(sum.real, bias);
    if (!is_all_true(kept)) {
        sum.real = select4(kept, sum.real, first.real);
        sum.dual = select4(kept, sum.dual, first.dual);
    }
    return sum;
}

// The number of influences if all vertices have the same, the usual case; 0 = they differ. See
// sum_singles().
MD5_WIDE_INLINE uint32_t count_alike(const skin_arrays *arrays, const uint32_t vertices[MD5_WIDTH])
{
    const uint32_t count = count_influences(arrays, vertices[0]);
    const bool is_alike = count == count_influences(arrays, vertices[MD5_WIDTH - 1]);
    return is_alike && count <= MD5_SKIN_MAX_INFLUENCES ? count : 0;
}

MD5_WIDE_CODE static void skin_dual_singles(const md5_dual_job *job, const md5_skin_run *run)
{
    const dual_arrays arrays = {arrays_of(&job->skin, NULL), job->palette, job};
    group of = {.vertices = job->skin.mesh->skin_plan->vertices + run->vertices};
    uint32_t rest = run->count;
    for (; rest >= MD5_WIDTH; rest -= MD5_WIDTH, of.vertices += MD5_WIDTH) {
        const uint32_t count = count_alike(&arrays.skin, of.vertices);
        if (count == 0 || !are_ordinary(gather_first_biases(&arrays, &of))) {
            md5i_dual_vertices_scalar(job, of.vertices, MD5_WIDTH);
            continue;
        }
        const lanes_dual sum = blend_dual_singles(&arrays, &of, count);
        const lanes_mat34 m = matrix_of_dual(&sum);
        const lanes3 bind = load3(arrays.skin.bind_positions, &of, MD5_SKIN_SINGLES);
        put_positions(&arrays.skin, &of, MD5_SKIN_SINGLES, move_points(&m, bind));
        rotate_directions(&arrays.skin, &of, MD5_SKIN_SINGLES, &m);
    }
    md5i_dual_vertices_scalar(job, of.vertices, rest);
}

// -- All ------------------------------------------------------------------------------------

MD5_WIDE_CODE static void skin_dual(const md5_dual_job *job)
{
    const md5_skin_plan *const plan = job->skin.mesh->skin_plan;
    for (uint32_t i = 0; i < plan->num_runs; i++) {
        const md5_skin_run *const run = &plan->runs[i];
        if (run->order == MD5_SKIN_SINGLES)
            skin_dual_singles(job, run);
        else if (run->kind == MD5_SKIN_RIGID)
            skin_dual_rigid(job, run);
        else if (run->kind == MD5_SKIN_BLEND)
            skin_dual_blend(job, run);
        else
            skin_dual_exact(job, run);
    }
}
