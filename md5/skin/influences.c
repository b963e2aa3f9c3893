// The influences of a mesh: the weights of each vertex, merged by joint and sorted.
#include "md5/skin/geometry.h"
#include "md5/skin/pair.h"

// Up to this many weights, influences are sorted by insertion, above by heap sort.
enum { FEW_INFLUENCES = 16 };

typedef struct influence {
    md5_vec4 value;
    uint32_t joint;
} influence;

// Four numbers x y z w.
typedef struct quad {
    md5_pair xy;
    md5_pair zw;
} quad;

// The sum of the weights of one vertex on one joint: (bias * point, bias).
typedef struct joint_sum {
    quad sum;
    uint32_t joint;
} joint_sum;

// The sums of one vertex, found by joint. `slots` is a sparse set: slots[joint] is valid only if it
// is below num_sums and that sum names the joint. So it needs no clearing between vertices, and a
// vertex costs only its own weights.
typedef struct weight_merger {
    const md5_mesh_joints *joints;
    uint32_t *slots;    // [joints]
    joint_sum *sums;    // [largest number of weights of a vertex]
    influence *rounded; // the same
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

// A column of a bind matrix, whose last row is 0 0 0 1, times a number.
static inline quad scaled_column(const float *m, int column, float factor)
{
    const quad whole = {md5_pair_of(m[column], m[4 + column]),
                        md5_pair_of(m[8 + column], column < 3 ? 0 : 1.0)};
    return quad_scale(whole, md5_pair_both(factor));
}

// (bias * point, bias)
static inline quad weighted_point(const weight_merger *merger, const md5_weight *weight)
{
    const float *const m = merger->joints->bind[weight->joint].m;
    const quad x = scaled_column(m, 0, weight->offset.x);
    const quad y = scaled_column(m, 1, weight->offset.y);
    const quad z = scaled_column(m, 2, weight->offset.z);
    const quad at = scaled_column(m, 3, 1);
    return quad_scale(quad_add(quad_add(quad_add(x, y), z), at), md5_pair_both(weight->bias));
}

// Sorts by magnitude, so that packing keeps the largest influences also if biases are negative.
static bool comes_before(influence a, influence b)
{
    const float bias_a = fabsf(a.value.w);
    const float bias_b = fabsf(b.value.w);
    return bias_a > bias_b || (bias_a == bias_b && a.joint < b.joint);
}

// Moves the item at `hole` down until no child comes after it.
static void sift_down(influence *heap, uint32_t hole, uint32_t count)
{
    const influence item = heap[hole];
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

static bool is_zero(md5_vec4 value)
{
    return value.x == 0 && value.y == 0 && value.z == 0 && value.w == 0;
}

// Writes the sums that are not zero, sorted. Returns their number.
static uint32_t write_sums(const weight_merger *merger, uint32_t *joints, md5_vec4 *values)
{
    const bool are_few = merger->num_sums <= FEW_INFLUENCES;
    influence *const items = merger->rounded;
    uint32_t count = 0;
    for (uint32_t i = 0; i < merger->num_sums; i++) {
        const joint_sum *const sum = &merger->sums[i];
        const influence item = {md5_pair_round(sum->sum.xy, sum->sum.zw), sum->joint};
        if (is_zero(item.value))
            continue;
        uint32_t slot = count++;
        for (; are_few && slot > 0 && comes_before(item, items[slot - 1]); slot--)
            items[slot] = items[slot - 1];
        items[slot] = item;
    }
    if (!are_few) { // heap sort: n * log n for any input, without recursion or memory
        for (uint32_t i = count / 2; i > 0; i--)
            sift_down(items, i - 1, count);
        for (uint32_t last = count; last-- > 1;) {
            const influence top = items[0];
            items[0] = items[last];
            items[last] = top;
            sift_down(items, 0, last);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = items[i].joint;
        values[i] = items[i].value;
    }
    return count;
}

bool md5i_build_influences(md5_arena *scratch, const md5_mesh_joints *joints, md5_mesh_build *mesh)
{
    weight_merger merger = {.joints = joints, .slots = joints->scratch};
    const md5_arena_mark before = md5i_arena_here(scratch);
    uint32_t max_weights = 0;
    uint32_t next = 0;
    for (uint32_t i = 0; i < mesh->num_file_vertices; i++) {
        const uint32_t count = mesh->file_vertices[i].num_weights;
        max_weights = count > max_weights ? count : max_weights;
    }
    TRY(merger.sums = MD5_ROOM(scratch, joint_sum, max_weights));
    TRY(merger.rounded = MD5_ROOM(scratch, influence, max_weights));

    for (uint32_t i = 0; i < mesh->num_file_vertices; i++) {
        const uint32_t num_weights = mesh->file_vertices[i].num_weights;
        const md5_weight *const weights = mesh->weights + mesh->file_vertices[i].first_weight;
        uint32_t *const influence_joints = mesh->influence_joints + next;
        md5_vec4 *const values = mesh->influences + next;
        mesh->sources[i] = i;
        mesh->first_influence[i] = next;
        // Weights are summed by joint, in the file's order, and give the position in the bind pose.
        // Adding to zero turns -0 into +0.
        quad position = quad_zero();
        merger.num_sums = 0;
        for (uint32_t j = 0; j < num_weights; j++) {
            const quad point = weighted_point(&merger, &weights[j]);
            const uint32_t joint = weights[j].joint;
            position = quad_add(position, point);
            if (num_weights == 1)
                break; // the position is also the influence
            uint32_t slot = merger.slots[joint];
            if (slot >= merger.num_sums || merger.sums[slot].joint != joint) {
                slot = merger.slots[joint] = merger.num_sums++;
                merger.sums[slot] = (joint_sum){quad_zero(), joint};
            }
            merger.sums[slot].sum = quad_add(merger.sums[slot].sum, point);
        }
        const md5_vec4 rounded = md5_pair_round(position.xy, position.zw);
        mesh->positions[i] = (md5_vec3){rounded.x, rounded.y, rounded.z};
        if (num_weights != 1)
            next += write_sums(&merger, influence_joints, values);
        else if (!is_zero(rounded)) {
            *influence_joints = weights->joint;
            *values = rounded;
            next++;
        }
    }
    mesh->first_influence[mesh->num_file_vertices] = next;
    md5i_arena_rewind(scratch, before);
    return true;
}

// Equal joints are searched for only among this many weights: more are rare, and take long.
enum { FEW_WEIGHTS = 16 };

uint32_t md5i_count_influences(const md5_mesh_build *mesh, uint32_t vertex)
{
    const uint32_t num_weights = mesh->file_vertices[vertex].num_weights;
    const md5_weight *const weights = mesh->weights + mesh->file_vertices[vertex].first_weight;
    uint64_t joints = 0; // a bit for each remainder by 64
    uint32_t count = 0;
    uint32_t num_merged = 0;
    for (uint32_t i = 0; i < num_weights; i++) {
        const uint64_t joint = (uint64_t)(weights[i].bias != 0) << weights[i].joint % 64;
        count += joint != 0;
        if ((joints & joint) && num_weights <= FEW_WEIGHTS) {
            uint32_t k = 0; // an earlier weight on the same joint
            while (k < i && (weights[k].joint != weights[i].joint || weights[k].bias == 0))
                k++;
            num_merged += k < i;
        }
        joints |= joint;
    }
    return count - num_merged;
}
