// Derives the influences of a mesh: the weights of each vertex, merged by joint and sorted by
// magnitude. Also computes the bind positions of the vertices.
#include "md5/skin/geometry.h"
#include "md5/core/pair.h"

// Largest number of influences of a vertex that is sorted by insertion. More influences are sorted
// by heap sort.
enum { MAX_INSERTION_SORT = 16 };

// The influence of a joint on a vertex: (bias * point, bias), rounded to floats.
typedef struct joint_influence {
    md5_vec4 value;
    uint32_t joint;
} joint_influence;

// Four numbers x y z w in double precision, as two pairs for vector instructions.
typedef struct quad {
    md5_pair xy;
    md5_pair zw;
} quad;

// The sum of (bias * point, bias) over the weights of one vertex on one joint.
typedef struct joint_sum {
    quad sum;
    uint32_t joint;
} joint_sum;

// The sums of one vertex, by joint. `slots` is a sparse set: slots[joint] is valid only if it is
// below num_sums and sums[slots[joint]] has this joint. Therefore it is not cleared between
// vertices, and the time for a vertex depends only on its own weights.
typedef struct weight_merger {
    const md5_mesh_joints *joints;
    uint32_t *slots;          // [num_joints]
    joint_sum *sums;          // [largest number of weights of a vertex]
    joint_influence *rounded; // [largest number of weights of a vertex]
    uint32_t num_sums;
} weight_merger;

static quad quad_add(quad a, quad b)
{
    return (quad){md5_pair_add(a.xy, b.xy), md5_pair_add(a.zw, b.zw)};
}

static quad quad_scale(quad a, md5_pair factor)
{
    return (quad){md5_pair_mul(a.xy, factor), md5_pair_mul(a.zw, factor)};
}

static quad quad_zero(void)
{
    return (quad){md5_pair_both(0), md5_pair_both(0)};
}

static quad load_row(const float *row)
{
    return (quad){md5_pair_load_floats(&row[0]), md5_pair_load_floats(&row[2])};
}

// Returns (bias * point, bias) of a weight. `point` is the offset of the weight in model space,
// which is the joint's bind matrix times the offset. The function transposes the rows of the matrix
// to columns, so that it can multiply each column by one component of the offset. The fourth row is
// 0 0 0 1.
static inline quad weighted_point(const weight_merger *merger, const md5_weight *weight)
{
    const float *const m = merger->joints->bind[weight->joint].m;
    const md5_vec3 offset = weight->offset;
    const quad rows[3] = {load_row(&m[0]), load_row(&m[4]), load_row(&m[8])};
    const quad last = {md5_pair_both(0), md5_pair_set(0, 1)};

    const quad x = {md5_pair_firsts(rows[0].xy, rows[1].xy), md5_pair_firsts(rows[2].xy, last.xy)};
    const quad y = {md5_pair_seconds(rows[0].xy, rows[1].xy),
                    md5_pair_seconds(rows[2].xy, last.xy)};
    const quad z = {md5_pair_firsts(rows[0].zw, rows[1].zw), md5_pair_firsts(rows[2].zw, last.zw)};
    const quad origin = {md5_pair_seconds(rows[0].zw, rows[1].zw),
                         md5_pair_seconds(rows[2].zw, last.zw)};

    quad point = quad_scale(x, md5_pair_both(offset.x));
    point = quad_add(point, quad_scale(y, md5_pair_both(offset.y)));
    point = quad_add(point, quad_scale(z, md5_pair_both(offset.z)));
    return quad_scale(quad_add(point, origin), md5_pair_both(weight->bias));
}

// Returns true if `a` is before `b` in descending order of magnitude. Packing keeps the first
// influences of a vertex. Sorting by magnitude makes these the largest ones, even if biases are
// negative.
static bool comes_before(joint_influence a, joint_influence b)
{
    const float bias_a = fabsf(a.value.w);
    const float bias_b = fabsf(b.value.w);
    return bias_a > bias_b || (bias_a == bias_b && a.joint < b.joint);
}

// Restores the heap after the item at `changed` has changed: moves the item down until no child
// comes after it. The children of node i are the nodes 2 i + 1 and 2 i + 2.
static void sift_down(joint_influence *heap, uint32_t changed, uint32_t count)
{
    const joint_influence item = heap[changed];
    uint32_t hole = changed; // the node at which the item will be stored
    while (hole < count / 2) {
        uint32_t child = 2 * hole + 1;
        if (child + 1 < count && comes_before(heap[child], heap[child + 1]))
            child++;
        if (!comes_before(item, heap[child]))
            break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = item;
}

// Sorts items by comes_before(). Heap sort takes n * log n steps for any input, and needs neither
// recursion nor memory.
static void heap_sort(joint_influence *items, uint32_t count)
{
    for (uint32_t i = count / 2; i > 0; i--)
        sift_down(items, i - 1, count);
    for (uint32_t last = count; last-- > 1;) {
        // The top of the heap belongs at the end of the items 0 .. last, so exchange it with item
        // `last`.
        const joint_influence top = items[0];
        items[0] = items[last];
        items[last] = top;
        sift_down(items, 0, last);
    }
}

static bool is_zero_weight(md5_vec4 value)
{
    return value.w == 0 && value.x == 0 && value.y == 0 && value.z == 0;
}

// Rounds the sums of a vertex's joints to floats in merger->rounded. Omits sums that are zero.
// Returns the number of sums. If `is_sorted`, each sum is inserted at its position in the order of
// comes_before().
static uint32_t round_sums(const weight_merger *merger, bool is_sorted)
{
    joint_influence *const items = merger->rounded;
    uint32_t count = 0;
    for (uint32_t i = 0; i < merger->num_sums; i++) {
        const joint_sum *const sum = &merger->sums[i];
        const joint_influence item = {md5_pair_round(sum->sum.xy, sum->sum.zw), sum->joint};
        if (is_zero_weight(item.value))
            continue;

        uint32_t index = count++;
        if (is_sorted) {
            for (; index > 0 && comes_before(item, items[index - 1]); index--)
                items[index] = items[index - 1];
        }
        items[index] = item;
    }
    return count;
}

// Writes the influences of a vertex, which are the nonzero sums of its joints. They are rounded to
// floats and sorted by comes_before(). Returns their number. A few influences are sorted by
// insertion while they are added. Many are sorted by heap sort, because insertion would take
// quadratic time.
static uint32_t write_sums(const weight_merger *merger, uint32_t *joints, md5_vec4 *values)
{
    const bool by_insertion = merger->num_sums <= MAX_INSERTION_SORT;
    const uint32_t count = round_sums(merger, by_insertion);
    if (!by_insertion)
        heap_sort(merger->rounded, count);
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = merger->rounded[i].joint;
        values[i] = merger->rounded[i].value;
    }
    return count;
}

// Adds a weighted point to the sum of its joint in the current vertex. weight_merger explains
// `slots`.
static inline void add_to_joint_sum(weight_merger *merger, uint32_t joint, quad point)
{
    uint32_t slot = merger->slots[joint];
    const bool has_sum = slot < merger->num_sums && merger->sums[slot].joint == joint;
    if (!has_sum) {
        slot = merger->num_sums++;
        merger->slots[joint] = slot;
        merger->sums[slot] = (joint_sum){quad_zero(), joint};
    }
    merger->sums[slot].sum = quad_add(merger->sums[slot].sum, point);
}

// Sums the weights of a vertex by joint, in the order of the file. Returns the sum over all joints,
// which is the position in the bind pose.
//
// Sums start at zero, which turns -0 into +0. A single weight is not stored in the merger, because
// the returned sum is also its influence.
static quad sum_weights(weight_merger *merger, const md5_weight *weights, uint32_t num_weights)
{
    quad position = quad_zero();
    merger->num_sums = 0;
    for (uint32_t i = 0; i < num_weights; i++) {
        const quad point = weighted_point(merger, &weights[i]);
        position = quad_add(position, point);
        if (num_weights > 1)
            add_to_joint_sum(merger, weights[i].joint, point);
    }
    return position;
}

// Returns the largest number of weights of a vertex of the file.
static uint32_t find_max_weights(const md5_mesh_build *mesh)
{
    uint32_t max_weights = 0;
    for (uint32_t i = 0; i < mesh->num_file_vertices; i++) {
        const uint32_t count = mesh->file_vertices[i].num_weights;
        max_weights = count > max_weights ? count : max_weights;
    }
    return max_weights;
}

// Derives the influences and bind positions of the vertices of the file: merges the weights of each
// vertex by joint. Returns false and sets the context's error if memory runs out.
bool md5i_build_influences(md5_arena *scratch, const md5_mesh_joints *joints, md5_mesh_build *mesh)
{
    const md5_arena_mark before = md5i_arena_position(scratch);

    // Allocate the sums of one vertex. All vertices use the same memory, one after the other.
    const uint32_t max_weights = find_max_weights(mesh);
    weight_merger merger = {.joints = joints, .slots = joints->scratch};
    merger.sums = MD5_ALLOC_ARRAY(scratch, joint_sum, max_weights);
    TRY(merger.sums);
    merger.rounded = MD5_ALLOC_ARRAY(scratch, joint_influence, max_weights);
    TRY(merger.rounded);

    uint32_t next = 0; // index of the next influence
    for (uint32_t i = 0; i < mesh->num_file_vertices; i++) {
        const uint32_t num_weights = mesh->file_vertices[i].num_weights;
        const md5_weight *const weights = mesh->weights + mesh->file_vertices[i].first_weight;
        uint32_t *const influence_joints = mesh->influence_joints + next;
        md5_vec4 *const values = mesh->influences + next;
        mesh->sources[i] = i;
        mesh->first_influence[i] = next;

        const quad position = sum_weights(&merger, weights, num_weights);
        const md5_vec4 rounded = md5_pair_round(position.xy, position.zw);
        mesh->positions[i] = (md5_vec3){rounded.x, rounded.y, rounded.z};

        if (num_weights != 1) {
            next += write_sums(&merger, influence_joints, values);
        } else if (!is_zero_weight(rounded)) {
            *influence_joints = weights->joint;
            *values = rounded;
            next++;
        }
    }

    mesh->first_influence[mesh->num_file_vertices] = next;
    md5i_arena_rewind(scratch, before);
    return true;
}

// Largest number of weights of a vertex that are compared to find equal joints. Comparing more
// weights would take quadratic time, and they are rare.
enum { MAX_COMPARED_WEIGHTS = 16 };

// Returns true if a weight before weights[index] has the same joint and a bias other than 0.
static bool has_earlier_weight(const md5_weight *weights, uint32_t index)
{
    for (uint32_t k = 0; k < index; k++) {
        if (weights[k].joint == weights[index].joint && weights[k].bias != 0)
            return true;
    }
    return false;
}

// Returns an upper bound of the number of influences of a file vertex. Counts the weights with a
// bias other than 0, but each joint only once. If the vertex has many weights, it counts all of
// them, because comparing their joints would be slow.
uint32_t md5i_count_influences(const md5_mesh_build *mesh, uint32_t vertex)
{
    const uint32_t num_weights = mesh->file_vertices[vertex].num_weights;
    const md5_weight *const weights = mesh->weights + mesh->file_vertices[vertex].first_weight;
    if (num_weights == 1)
        return weights->bias == 0 ? 0 : 1;

    uint64_t used_bits = 0; // joints of the earlier weights: bit (joint % 64)
    uint32_t count = 0;
    uint32_t num_merged = 0;

    for (uint32_t i = 0; i < num_weights; i++) {
        if (weights[i].bias == 0)
            continue;

        // Joints can share a bit. Therefore a set bit only means that an earlier weight may have
        // the joint.
        const uint64_t joint_bit = (uint64_t)1 << weights[i].joint % 64;
        const bool may_be_used = (used_bits & joint_bit) != 0;
        count++;
        if (may_be_used && num_weights <= MAX_COMPARED_WEIGHTS && has_earlier_weight(weights, i))
            num_merged++;
        used_bits |= joint_bit;
    }
    return count - num_merged;
}
