#include "md5/skin/influences.h"

#include "md5/skin/vec3d.h"

// Up to this many influences are sorted by insertion.
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

static void insertion_sort(influence *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const influence item = items[i];
        uint32_t place = i;
        for (; place > 0 && comes_before(&item, &items[place - 1]); place--)
            items[place] = items[place - 1];
        items[place] = item;
    }
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
    for (uint32_t last = count - 1; last > 0; last--) {
        const influence top = items[0];
        items[0] = items[last];
        items[last] = top;
        sift_down(items, 0, last);
    }
}

// Rounds the sums to `results`, sorts them and returns how many are not zero.
static uint32_t finish_sums(weight_merger *merger)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < merger->num_sums; i++) {
        const joint_sum *sum = &merger->sums[i];
        const md5_vec3 point = md5_vec3d_round(sum->point);
        const float bias = md5_round_to_float(sum->bias);
        if (point.x != 0.0f || point.y != 0.0f || point.z != 0.0f || bias != 0.0f)
            merger->results[count++] = (influence){{point.x, point.y, point.z, bias}, sum->joint};
    }
    if (count <= FEW_INFLUENCES)
        insertion_sort(merger->results, count);
    else
        heap_sort(merger->results, count);
    return count;
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
    TRY(merger->sums = md5_arena_alloc(scratch, most, sizeof *merger->sums));
    TRY(merger->results = md5_arena_alloc(scratch, most, sizeof *merger->results));
    return true;
}

bool md5_gather_influences(md5_arena *scratch, const md5_geometry_source *source,
                           const md5_geometry_arrays *arrays, uint32_t *used)
{
    weight_merger merger = {0};
    TRY(prepare(scratch, source, &merger));

    uint32_t next = 0;
    for (uint32_t vertex = 0; vertex < source->num_vertices; vertex++) {
        arrays->first_influence[vertex] = next;
        arrays->positions[vertex] = merge_weights(&merger, source, &source->vertices[vertex]);
        const uint32_t count = finish_sums(&merger);
        for (uint32_t i = 0; i < count; i++, next++) {
            arrays->influence_joints[next] = merger.results[i].joint;
            arrays->influences[next] = merger.results[i].value;
        }
    }
    *used = next;
    return true;
}
