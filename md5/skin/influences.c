#include "md5/skin/influences.h"

#include "md5/core/pair.h"

// Up to this many weights, influences are sorted by insertion, above by heap sort.
enum { FEW_INFLUENCES = 16 };

typedef struct influence {
    md5_vec4 value;
    uint32_t joint;
} influence;

// Four numbers x y z w.
typedef struct quad {
    md5_pair xy, zw;
} quad;

// The sum of the weights of one vertex on one joint: (bias * point, bias).
typedef struct joint_sum {
    quad sum;
    uint32_t joint;
} joint_sum;

// A bind matrix by columns, with the last row 0 0 0 1: takes (x y z 1) to (bind point, 1).
typedef struct bind_columns {
    quad columns[4];
} bind_columns;

// The sums of one vertex, found by joint. `slots` is a sparse set: slots[joint] is valid only if it
// is below num_sums and that sum names the joint. So it needs no clearing between vertices, and a
// vertex costs only its own weights.
typedef struct weight_merger {
    const bind_columns *columns; // [joints], or NULL: made when needed
    uint32_t *slots;             // [joints]
    joint_sum *sums;             // [largest number of weights of a vertex]
    influence *results;          // same
    uint32_t num_sums;
} weight_merger;

static quad add(quad a, quad b)
{
    return (quad){md5_pair_add(a.xy, b.xy), md5_pair_add(a.zw, b.zw)};
}

static quad scale(quad a, md5_pair factor)
{
    return (quad){md5_pair_mul(a.xy, factor), md5_pair_mul(a.zw, factor)};
}

static quad zero(void)
{
    return (quad){md5_pair_both(0.0), md5_pair_both(0.0)};
}

static bind_columns columns_of(const md5_mat34 *bind)
{
    const float *const m = bind->m;
    bind_columns made;
    for (int column = 0; column < 4; column++)
        made.columns[column] = (quad){
            md5_pair_of((double)m[column], (double)m[4 + column]),
            md5_pair_of((double)m[8 + column], column < 3 ? 0.0 : 1.0),
        };
    return made;
}

// (bias * point, bias)
static inline quad weigh(const bind_columns *bind, const md5_weight *weight)
{
    const md5_vec3 offset = weight->offset;
    const quad x = scale(bind->columns[0], md5_pair_both((double)offset.x));
    const quad y = scale(bind->columns[1], md5_pair_both((double)offset.y));
    const quad z = scale(bind->columns[2], md5_pair_both((double)offset.z));
    return scale(add(add(add(x, y), z), bind->columns[3]), md5_pair_both((double)weight->bias));
}

static inline quad weighted_point(const weight_merger *merger, const md5_geometry_source *source,
                                  const md5_weight *weight)
{
    if (merger->columns)
        return weigh(&merger->columns[weight->joint], weight);
    const bind_columns made = columns_of(&source->bind[weight->joint]);
    return weigh(&made, weight);
}

static joint_sum *find_sum(weight_merger *merger, uint32_t joint)
{
    const uint32_t slot = merger->slots[joint];
    if (slot < merger->num_sums && merger->sums[slot].joint == joint)
        return &merger->sums[slot];
    merger->slots[joint] = merger->num_sums;
    joint_sum *sum = &merger->sums[merger->num_sums++];
    *sum = (joint_sum){zero(), joint};
    return sum;
}

// Sums a vertex's weights by joint, in the file's order. Returns its position in the bind pose.
static md5_vec3 merge_weights(weight_merger *merger, const md5_geometry_source *source,
                              const md5_vertex *vertex)
{
    const md5_weight *const weights = source->weights + vertex->first_weight;
    quad position = zero();
    merger->num_sums = 0;
    for (uint32_t i = 0; i < vertex->num_weights; i++) {
        const quad point = weighted_point(merger, source, &weights[i]);
        joint_sum *const sum = find_sum(merger, weights[i].joint);
        sum->sum = add(sum->sum, point);
        position = add(position, point);
    }
    const md5_vec4 rounded = md5_pair_round(position.xy, position.zw);
    return (md5_vec3){rounded.x, rounded.y, rounded.z};
}

// Sorts by magnitude, so that packing keeps the largest influences also if biases are negative.
static bool comes_before(const influence *a, const influence *b)
{
    const float bias_a = fabsf(a->value.w), bias_b = fabsf(b->value.w);
    return bias_a > bias_b || (bias_a == bias_b && a->joint < b->joint);
}

// Moves the item at `hole` down until no child comes after it.
static void sift_down(influence *heap, uint32_t hole, uint32_t count)
{
    const influence item = heap[hole];
    while (hole < count / 2) {
        uint32_t child = 2 * hole + 1;
        if (child + 1 < count && comes_before(&heap[child], &heap[child + 1]))
            child++;
        if (!comes_before(&item, &heap[child]))
            break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = item;
}

// Heap sort: n * log n for any input, without recursion or memory.
static void heap_sort(influence *items, uint32_t count)
{
    for (uint32_t i = count / 2; i > 0; i--)
        sift_down(items, i - 1, count);
    for (uint32_t last = count; last-- > 1;) {
        const influence top = items[0];
        items[0] = items[last];
        items[last] = top;
        sift_down(items, 0, last);
    }
}

static bool is_zero(md5_vec4 value)
{
    return value.x == 0.0f && value.y == 0.0f && value.z == 0.0f && value.w == 0.0f;
}

// Rounds a sum. Returns whether it is not zero.
static inline bool finish_sum(const joint_sum *sum, influence *result)
{
    *result = (influence){md5_pair_round(sum->sum.xy, sum->sum.zw), sum->joint};
    return !is_zero(result->value);
}

// Writes the sums as influences to `joints` and `values`, sorted. Returns their number.
static uint32_t write_few(const weight_merger *merger, uint32_t *joints, md5_vec4 *values)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < merger->num_sums; i++) {
        influence item;
        if (!finish_sum(&merger->sums[i], &item))
            continue;
        uint32_t slot = count++;
        for (; slot > 0; slot--) {
            const influence before = {values[slot - 1], joints[slot - 1]};
            if (!comes_before(&item, &before))
                break;
            values[slot] = before.value;
            joints[slot] = before.joint;
        }
        values[slot] = item.value;
        joints[slot] = item.joint;
    }
    return count;
}

static uint32_t write_many(const weight_merger *merger, uint32_t *joints, md5_vec4 *values)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < merger->num_sums; i++)
        count += finish_sum(&merger->sums[i], &merger->results[count]);
    heap_sort(merger->results, count);
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = merger->results[i].joint;
        values[i] = merger->results[i].value;
    }
    return count;
}

// The same for a vertex of one weight, whose point is also the position.
static uint32_t write_one(const weight_merger *merger, const md5_geometry_source *source,
                          const md5_weight *weight, md5_vec3 *position, uint32_t *joint,
                          md5_vec4 *value)
{
    // Adding to zero turns -0 into +0, as any other sum does.
    const quad sum = add(zero(), weighted_point(merger, source, weight));
    const md5_vec4 rounded = md5_pair_round(sum.xy, sum.zw);
    *position = (md5_vec3){rounded.x, rounded.y, rounded.z};
    if (is_zero(rounded))
        return 0;
    *joint = weight->joint;
    *value = rounded;
    return 1;
}

// Converts all bind matrices in advance, if there are enough references to weights to pay for it.
static bool make_columns(md5_arena *scratch, const md5_geometry_source *source,
                         uint64_t num_references, weight_merger *merger)
{
    enum { WORTH = 8 }; // references per joint
    if (source->num_joints == 0 || num_references / WORTH < source->num_joints)
        return true;
    bind_columns *const columns =
        (bind_columns *)md5i_arena_room(scratch, source->num_joints, sizeof *columns);
    TRY(columns);
    for (uint32_t joint = 0; joint < source->num_joints; joint++)
        columns[joint] = columns_of(&source->bind[joint]);
    merger->columns = columns;
    return true;
}

// Allocates memory for the vertex of most weights.
static bool prepare(md5_arena *scratch, const md5_geometry_source *source, weight_merger *merger)
{
    uint32_t max_weights = 0;
    uint64_t num_references = 0;
    for (uint32_t i = 0; i < source->num_vertices; i++) {
        const uint32_t count = source->vertices[i].num_weights;
        max_weights = count > max_weights ? count : max_weights;
        num_references += count;
    }
    merger->slots = source->joint_scratch;
    TRY(make_columns(scratch, source, num_references, merger));
    TRY(merger->sums = (joint_sum *)md5i_arena_room(scratch, max_weights, sizeof *merger->sums));
    if (max_weights > FEW_INFLUENCES)
        TRY(merger->results =
                (influence *)md5i_arena_room(scratch, max_weights, sizeof *merger->results));
    return true;
}

bool md5i_gather_influences(md5_arena *scratch, const md5_geometry_source *source,
                            const md5_geometry_arrays *arrays, uint32_t *used)
{
    weight_merger merger = {0};
    TRY(prepare(scratch, source, &merger));

    uint32_t next = 0;
    for (uint32_t i = 0; i < source->num_vertices; i++) {
        const md5_vertex *const vertex = &source->vertices[i];
        uint32_t *const joints = arrays->influence_joints + next;
        md5_vec4 *const values = arrays->influences + next;
        arrays->first_influence[i] = next;
        if (vertex->num_weights == 1) {
            next += write_one(&merger, source, &source->weights[vertex->first_weight],
                              &arrays->positions[i], joints, values);
            continue;
        }
        arrays->positions[i] = merge_weights(&merger, source, vertex);
        next += vertex->num_weights <= FEW_INFLUENCES ? write_few(&merger, joints, values)
                                                      : write_many(&merger, joints, values);
    }
    *used = next;
    return true;
}
