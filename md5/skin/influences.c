#include "md5/skin/influences.h"

#include "md5/skin/vec3d.h"

// Vertices of no more weights than this have their influences sorted by insertion.
enum { FEW_INFLUENCES = 16 };

typedef struct influence {
    md5_vec4 value;
    uint32_t joint;
} influence;

// What the weights of one vertex on one joint add up to.
typedef struct joint_sum {
    md5_vec3d point; // bias * point
    double bias;
    uint32_t joint;
} joint_sum;

// The sums of one vertex, found by joint. `slots` is a sparse set: slots[joint] means something
// only if it is below num_sums and that sum names the joint, so it needs no clearing between
// vertices, and a vertex costs only its own weights.
typedef struct weight_merger {
    uint32_t *slots;    // [joints]
    joint_sum *sums;    // [most weights of a vertex]
    influence *results; // same
    uint32_t num_sums;
} weight_merger;

static joint_sum *find_sum(weight_merger *merger, uint32_t joint)
{
    const uint32_t slot = merger->slots[joint];
    if (slot < merger->num_sums && merger->sums[slot].joint == joint)
        return &merger->sums[slot];
    merger->slots[joint] = merger->num_sums;
    joint_sum *sum = &merger->sums[merger->num_sums++];
    *sum = (joint_sum){.joint = joint};
    return sum;
}

static md5_vec3d bind_point(const md5_mat34 *bind, md5_vec3 offset)
{
    const float *m = bind->m;
    const double x = (double)offset.x, y = (double)offset.y, z = (double)offset.z;
    return (md5_vec3d){
        (double)m[0] * x + (double)m[1] * y + (double)m[2] * z + (double)m[3],
        (double)m[4] * x + (double)m[5] * y + (double)m[6] * z + (double)m[7],
        (double)m[8] * x + (double)m[9] * y + (double)m[10] * z + (double)m[11],
    };
}

// Adds up a vertex's weights in the file's order. Returns its position in the bind pose.
static md5_vec3 merge_weights(weight_merger *merger, const md5_geometry_source *source,
                              const md5_vertex *vertex)
{
    const md5_weight *const weights = source->weights + vertex->first_weight;
    md5_vec3d position = {0.0, 0.0, 0.0};
    merger->num_sums = 0;
    for (uint32_t i = 0; i < vertex->num_weights; i++) {
        const md5_weight *weight = &weights[i];
        const double bias = (double)weight->bias;
        const md5_vec3d point =
            md5_vec3d_scale(bind_point(&source->bind[weight->joint], weight->offset), bias);
        joint_sum *sum = find_sum(merger, weight->joint);
        sum->point = md5_vec3d_add(sum->point, point);
        sum->bias += bias;
        position = md5_vec3d_add(position, point);
    }
    return md5_vec3d_round(position);
}

// By magnitude, so that a packed form keeps what matters most also where biases are negative.
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

// Rounds a sum. Returns whether anything is left of it.
static bool finish_sum(const joint_sum *sum, influence *result)
{
    const md5_vec3 point = md5_vec3d_round(sum->point);
    const float bias = md5_round_to_float(sum->bias);
    *result = (influence){{point.x, point.y, point.z, bias}, sum->joint};
    return point.x != 0.0f || point.y != 0.0f || point.z != 0.0f || bias != 0.0f;
}

// Writes the sums' influences to `joints` and `values`, sorted. Returns how many there are.
static uint32_t write_few(const weight_merger *merger, uint32_t *joints, md5_vec4 *values)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < merger->num_sums; i++) {
        influence item;
        if (!finish_sum(&merger->sums[i], &item))
            continue;
        uint32_t place = count++;
        for (; place > 0; place--) {
            const influence before = {values[place - 1], joints[place - 1]};
            if (!comes_before(&item, &before))
                break;
            values[place] = before.value;
            joints[place] = before.joint;
        }
        values[place] = item.value;
        joints[place] = item.joint;
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

// The same for the only weight of a vertex, whose position this is as well.
static uint32_t write_one(const md5_geometry_source *source, const md5_weight *weight,
                          md5_vec3 *position, uint32_t *joint, md5_vec4 *value)
{
    const md5_vec3d zero = {0.0, 0.0, 0.0}; // a sum of one, of which -0 becomes +0
    const md5_vec3d point = md5_vec3d_scale(
        bind_point(&source->bind[weight->joint], weight->offset), (double)weight->bias);
    const joint_sum sum = {md5_vec3d_add(zero, point), 0.0 + (double)weight->bias, weight->joint};
    influence result;
    const bool is_left = finish_sum(&sum, &result);
    *position = (md5_vec3){result.value.x, result.value.y, result.value.z};
    if (is_left) {
        *joint = result.joint;
        *value = result.value;
    }
    return is_left;
}

// Room for the weights of any one vertex.
static bool prepare(md5_arena *scratch, const md5_geometry_source *source, weight_merger *merger)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < source->num_vertices; i++) {
        const uint32_t count = source->vertices[i].num_weights;
        most = count > most ? count : most;
    }
    merger->slots = source->joint_scratch;
    TRY(merger->sums = md5_arena_room(scratch, most, sizeof *merger->sums));
    if (most > FEW_INFLUENCES)
        TRY(merger->results = md5_arena_room(scratch, most, sizeof *merger->results));
    return true;
}

bool md5_gather_influences(md5_arena *scratch, const md5_geometry_source *source,
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
            next += write_one(source, &source->weights[vertex->first_weight], &arrays->positions[i],
                              joints, values);
            continue;
        }
        arrays->positions[i] = merge_weights(&merger, source, vertex);
        next += vertex->num_weights <= FEW_INFLUENCES ? write_few(&merger, joints, values)
                                                      : write_many(&merger, joints, values);
    }
    *used = next;
    return true;
}
