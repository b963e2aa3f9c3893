// Builds the skin plan of a mesh after loading. The plan contains the order in which md5_skin()
// computes the vertices, and their inputs in this order.
//
// Vertices that are moved by the same set of joints are skinned in groups of eight. A SIMD register
// contains the same number of all eight vertices, so each entry of a joint's matrix is loaded once
// and multiplied by the eight biases. No matrix is transposed and no row is summed. Real models
// have few sets of joints: nine of ten vertices are in a group.
//
// There are three orders (md5_skin_order):
//
// - A contiguous group consists of eight consecutive vertices, which are loaded and stored
//   together.
// - A gathered group consists of eight vertices from anywhere in the mesh. If it has fewer
//   vertices, the first vertex is repeated. The plan stores the inputs of the vertices
//   consecutively. Results are written to the index of each vertex, so nothing is reordered.
// - A single is a vertex whose set of joints has too few vertices for a group. Singles are moved
// one
//   after the other, by matrices in the layout of the palette. To rotate their directions, the
//   blended matrices of several singles are transposed. The plan stores the inputs of one single
//   after the other.
//
// The influences of a vertex are sorted by magnitude, but they are added in ascending order of
// joints (md5i_sum_order()). So vertices can be in the same group although their largest biases are
// on different joints. In a monster with 6022 vertices, this halves the number of sets of joints
// and reduces the singles from 18 % to 5 % of the vertices.
//
// There are three kinds of vertices with influences (md5_skin_kind):
//
// - A rigid vertex has one influence with bias 1 at its bind position. The joint's matrix moves it,
//   which gives the same bits as the exact sum.
// - A blended vertex has three or more influences, and the points of all of them are the bind
//   position. Its matrices are blended to one matrix, which moves the position and rotates the
//   directions. Points count as equal if their differences, summed over the weights, are at most
//   2^-21 of the size of the mesh, which is less than the rounding error of a position in floats.
// - All other vertices are exact: each matrix moves the point of its influence, and the results are
//   added. This includes vertices with two influences, for which the sum takes as long as a blend.
//
// The kernels are written once with md5/core/wide.h, so all instruction sets compute the same bits.
// The bounds of a posed model are computed by the same code, which compares positions instead of
// storing them.
//
// Bytes of a plan per vertex:
//
//   rigid, contiguous             1
//   rigid, gathered               16.5
//   exact, in groups              4, and 16.5 per influence
//   blended, in groups            16, and 4.5 per influence
//   exact singles                 8, and 20 per influence
//   blended singles               8, and 8 per influence
//
// Groups that are not full need more, at most 8/3 of these values. Two passes over the finished
// mesh, one to count and one to write, create a memory block of exactly the required size. The
// block is allocated only after the scratch memory of the load is freed, which reduces the peak
// memory of loading by 6 to 11 %.
#include "md5/skin/plan.h"

#include "md5/core/math.h"

// Minimum number of different vertices in a gathered group. Skinning fewer vertices as singles
// takes no longer.
enum { MIN_GATHERED = 3 };

enum { FLOATS_PER_POSITION = 3 };

// Size of the table of groups that are not full yet.
enum {
    MIN_LOG2_SLOTS = 3,
    MAX_LOG2_SLOTS = 10,
    JOINT_SLOTS = 1 << MAX_LOG2_SLOTS,
    SLOTS_PER_VERTEX = 4, // unless the table has its maximum size
    SLOTS_PER_SET = 4     // slots that the group of a set of joints can use
};

// Tolerance for blended vertices, as a fraction of the size of the mesh. The distances of a
// vertex's points from the bind position, summed over the weights, must not exceed it. It is less
// than the rounding error of a position in floats.
#define POINT_TOLERANCE (1.0f / 2097152.0f)

// -- Kinds ----------------------------------------------------------------------------------

// Returns true if the points of all influences of a vertex are its bind position, within the
// tolerance. With the point p, the sum over the influences is then
//   sum J * (b * p, b) = sum J * b * (p, 1) = (sum b * J) * (p, 1).
// Therefore the matrices J can be blended by the biases b.
static inline bool are_points_equal(const md5_mesh *mesh, uint32_t vertex, float tolerance)
{
    const md5_vec3 p = mesh->positions[vertex];
    const uint32_t end = mesh->first_influence[vertex + 1];
    float distance = 0;
    for (uint32_t i = mesh->first_influence[vertex]; i < end; i++) {
        const md5_vec4 q = mesh->influences[i];
        distance += fabsf(q.x - q.w * p.x) + fabsf(q.y - q.w * p.y) + fabsf(q.z - q.w * p.z);
    }
    return distance <= tolerance;
}

// Returns the kind of a vertex, which selects the method that computes its position. Vertices with
// two influences use the exact sum, because it is as fast as blending.
static inline md5_skin_kind vertex_kind(const md5_mesh *mesh, uint32_t vertex, float tolerance)
{
    const uint32_t count = mesh->first_influence[vertex + 1] - mesh->first_influence[vertex];
    switch (count) {
    case 0:
        return MD5_SKIN_NONE;
    case 1:
        return md5_is_rigid(mesh, vertex) ? MD5_SKIN_RIGID : MD5_SKIN_EXACT;
    case 2:
        return MD5_SKIN_EXACT;
    default:
        return are_points_equal(mesh, vertex, tolerance) ? MD5_SKIN_BLEND : MD5_SKIN_EXACT;
    }
}

md5_skin_kind md5i_skin_vertex_kind(const md5_mesh *mesh, uint32_t vertex)
{
    return vertex_kind(mesh, vertex, POINT_TOLERANCE * md5_largest_coordinate(&mesh->bounds));
}

// Returns the indices of the influences in the order in which they are added, by ascending joint.
// Each index is a field of BITS_PER_INDEX bits, the first one lowest. Insertion sort inserts each
// field after the fields of smaller joints.
uint64_t md5i_sum_order(const uint32_t *joints, uint32_t count)
{
    enum { BITS_PER_INDEX = 4 };
    if (count > MD5_SKIN_MAX_INFLUENCES)
        return 0; // not used: such influences are added in stored order

    uint64_t order = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t position = 0; // in bits: after the earlier influences that are added before i
        for (uint32_t k = 0; k < i; k++)
            position += joints[k] <= joints[i] ? BITS_PER_INDEX : 0;

        const uint64_t before = order & (((uint64_t)1 << position) - 1);
        const uint64_t after = order - before;
        order = before | (uint64_t)i << position | after << BITS_PER_INDEX;
    }
    return order;
}

// -- Building -------------------------------------------------------------------------------

// Number of possible runs: one for each order, kind and number of influences.
enum {
    NUM_COUNTS = MD5_SKIN_MAX_INFLUENCES + 1,
    MAX_RUNS = (int)MD5_SKIN_ORDERS * (int)MD5_SKIN_KINDS * NUM_COUNTS
};

// State of building a plan. Two passes over the mesh add the same groups. In the first pass,
// `vertices` and `words` are NULL, and each possible run only counts its groups. Then the counts
// determine where each run begins, and memory of exactly the required size is allocated. In the
// second pass, each possible run contains the indices at which its next group is written.
typedef struct plan_builder {
    const md5_mesh *mesh;
    md5_skin_run possible[MAX_RUNS];
    uint32_t *vertices; // vertices of the plan
    uint32_t *words;    // words of the plan

    // The runs of the plan, and the sizes of its arrays.
    md5_skin_run runs[MAX_RUNS];
    uint32_t num_runs;
    uint32_t num_vertices;
    uint64_t num_words;

    // A hash table of open groups, which are groups that are not full yet. The keys are the kind
    // and the joints. A slot contains the vertices of one open group, or is empty.
    uint32_t log2_slots;
    uint32_t num_taken; // slots with an open group
    uint8_t num_open[JOINT_SLOTS];
    uint8_t kinds[JOINT_SLOTS];
    uint32_t open[JOINT_SLOTS][MD5_SKIN_GROUP];
} plan_builder;

// The kind and the joints that all vertices of a group have in common. `joints` has the order of
// one of these vertices.
typedef struct joint_set {
    md5_skin_kind kind;
    uint32_t count;
    const uint32_t *joints;
} joint_set;

// Returns the set of a vertex: its joints, and its kind, which the caller has determined.
static inline joint_set vertex_joint_set(const md5_mesh *mesh, uint32_t vertex, md5_skin_kind kind)
{
    const uint32_t *const first = mesh->first_influence + vertex;
    return (joint_set){kind, first[1] - *first, mesh->influence_joints + *first};
}

// Returns the index of a joint in a set. If the set does not contain it, returns the number of
// joints. Tries the index `guess` first, which is correct for most vertices.
static inline uint32_t find_set_joint(joint_set set, uint32_t joint, uint32_t guess)
{
    if (set.joints[guess] == joint)
        return guess;
    uint32_t index = 0;
    while (index < set.count && set.joints[index] != joint)
        index++;
    return index;
}

// Returns true if two vertices can be in one group, because they have the same kind and the same
// joints in any order. A set contains each joint once. Sets of equal size are therefore equal if
// `a` contains each joint of `b`.
static MD5_ALWAYS_INLINE bool is_same_set(joint_set a, joint_set b)
{
    if (a.kind != b.kind || a.count != b.count || a.count > MD5_SKIN_MAX_INFLUENCES)
        return false;
    if (a.count == 1) // most vertices of most models
        return a.joints[0] == b.joints[0];
    for (uint32_t i = 0; i < a.count; i++) {
        if (a.joints[i] != b.joints[i] && find_set_joint(a, b.joints[i], i) == a.count)
            return false;
    }
    return true;
}

// Layout of a group, or of a single vertex, in md5_skin_plan.words.
typedef struct group_layout {
    joint_set set;
    bool is_gathered;
    uint64_t sum_order;     // md5i_sum_order() of set.joints
    const uint32_t *joints; // [set.count] in this order
    size_t stride;          // distance from one float of a vertex to its next float
} group_layout;

// Writes three floats of a vertex, `stride` floats apart. Returns the address of its next float.
static inline float *write_vec3(float *to, size_t stride, float x, float y, float z)
{
    to[0] = x;
    to[stride] = y;
    to[2 * stride] = z;
    return to + 3 * stride;
}

// Writes the influences of a vertex in the order of the group's joints. Each influence is written
// as the weighted point and the bias, or only as the bias if all points are the bind position.
// Returns the address of the next float. The mesh stores the influences of a vertex in another
// order, which is usually the order of the group's set.
static float *write_influences(const md5_mesh *mesh, uint32_t vertex, const group_layout *group,
                               float *to)
{
    const joint_set vertex_set = vertex_joint_set(mesh, vertex, group->set.kind);
    const uint32_t first = mesh->first_influence[vertex];
    float *next = to;
    for (uint32_t k = 0; k < group->set.count; k++) {
        const uint32_t guess = md5_sum_index(group->sum_order, group->set.count, k);
        const uint32_t index = find_set_joint(vertex_set, group->joints[k], guess);
        const md5_vec4 *const influence = &mesh->influences[first + index];
        if (group->set.kind == MD5_SKIN_EXACT)
            next = write_vec3(next, group->stride, influence->x, influence->y, influence->z);
        *next = influence->w;
        next += group->stride;
    }
    return next;
}

// Writes the floats of a vertex to the plan, beginning at `to`. These are its influences, and its
// bind position if a kernel cannot read it from the mesh. md5_skin_plan.words describes the format.
static void write_vertex(const md5_mesh *mesh, uint32_t vertex, const group_layout *group,
                         float *to)
{
    // A rigid vertex moves with its joint. Its only bias is 1, which is not stored.
    float *next = to;
    if (group->set.kind != MD5_SKIN_RIGID)
        next = write_influences(mesh, vertex, group, next);

    // Kernels read the bind position from the mesh if the vertices are contiguous. The exact sum
    // does not need it at all.
    const md5_vec3 p = mesh->positions[vertex];
    if (group->is_gathered && group->set.kind != MD5_SKIN_EXACT)
        write_vec3(next, group->stride, p.x, p.y, p.z);
}

// Writes the vertices of a group, or of a single, to the plan. The top of this file explains the
// orders. For a contiguous group, the first vertex is sufficient, because the others follow it. For
// a gathered group, writes the index of the x coordinate of each vertex in an array of floats.
// Positions have three floats, so this index is three times the vertex.
static void write_plan_vertices(md5_skin_order order, const uint32_t *vertices,
                                uint32_t *plan_vertices)
{
    if (order == MD5_SKIN_SINGLES || order == MD5_SKIN_CONTIGUOUS) {
        plan_vertices[0] = vertices[0];
        return;
    }
    for (uint32_t i = 0; i < MD5_SKIN_GROUP; i++)
        plan_vertices[i] = FLOATS_PER_POSITION * vertices[i];
}

// Writes a group or a single to the plan. All its vertices have the joints of `set`. Writes the
// vertices to `plan_vertices`. Writes the joints and the floats of all vertices to `words`. The
// words of a single begin with its number of joints, because the singles of a run can have
// different numbers.
static void write_group(const md5_mesh *mesh, md5_skin_order order, joint_set set,
                        const uint32_t *vertices, uint32_t *words, uint32_t *plan_vertices)
{
    const bool is_single = order == MD5_SKIN_SINGLES;
    const bool is_gathered = order == MD5_SKIN_GATHERED;
    uint32_t *joints = words;
    if (is_single) {
        words[0] = set.count;
        joints = words + 1;
    }
    const uint64_t sum_order = md5i_sum_order(set.joints, set.count);
    for (uint32_t i = 0; i < set.count; i++)
        joints[i] = set.joints[md5_sum_index(sum_order, set.count, i)];
    write_plan_vertices(order, vertices, plan_vertices);

    const bool has_floats = set.kind != MD5_SKIN_RIGID || is_gathered;
    if (!has_floats)
        return;
    // The first floats of all vertices are consecutive, then their second floats, and so on.
    const uint32_t num_vertices = is_single ? 1 : MD5_SKIN_GROUP;
    const group_layout group = {set, is_gathered, sum_order, joints, num_vertices};
    float *const floats = (float *)(void *)(joints + set.count);
    for (uint32_t i = 0; i < num_vertices; i++)
        write_vertex(mesh, vertices[i], &group, floats + i);
}

// Adds a group or a single to the run of its kind, order and number of influences. In the first
// pass builder->vertices is NULL, and the group is only counted. In the second pass it is written
// after the earlier groups of the run.
static void add_group(plan_builder *builder, md5_skin_order order, joint_set vertex_set,
                      const uint32_t *vertices)
{
    joint_set set = vertex_set;
    if (order == MD5_SKIN_SINGLES && set.kind == MD5_SKIN_RIGID)
        set.kind = MD5_SKIN_BLEND; // a sum of one influence

    const uint32_t num_words = md5_skin_num_words(set.kind, order, set.count);
    const uint32_t num_influences = set.count <= MD5_SKIN_MAX_INFLUENCES ? set.count : 0;
    const uint32_t type = (uint32_t)order * MD5_SKIN_KINDS + (uint32_t)set.kind;

    md5_skin_run *const run = &builder->possible[type * NUM_COUNTS + num_influences];
    run->kind = (uint8_t)set.kind;
    run->order = (uint8_t)order;
    run->num_influences = (uint8_t)num_influences;
    run->count++;

    if (builder->vertices) {
        write_group(builder->mesh, order, set, vertices, builder->words + run->words,
                    builder->vertices + run->vertices);
        run->vertices += md5_skin_num_vertices(order);
    }
    run->words += num_words;
    builder->num_words += num_words;
}

// Adds a gathered group of `count` vertices to the plan. The first vertex is repeated until the
// group is full. The repetitions come first, so that the vertices still ascend.
static void add_gathered_group(plan_builder *builder, joint_set set, const uint32_t *vertices,
                               uint32_t count)
{
    const uint32_t num_missing = MD5_SKIN_GROUP - count;
    uint32_t group[MD5_SKIN_GROUP];
    for (uint32_t i = 0; i < num_missing; i++)
        group[i] = vertices[0];
    memcpy(group + num_missing, vertices, count * sizeof *group);
    add_group(builder, MD5_SKIN_GATHERED, set, group);
}

// Closes the open group in a slot: adds its vertices to the plan and empties the slot. At least
// MIN_GATHERED vertices become a gathered group, fewer vertices become singles.
static void close_slot(plan_builder *builder, uint32_t slot)
{
    const uint32_t count = builder->num_open[slot];
    const uint32_t *const open = builder->open[slot];
    const md5_skin_kind kind = (md5_skin_kind)builder->kinds[slot];
    const joint_set set = vertex_joint_set(builder->mesh, open[0], kind);
    builder->num_open[slot] = 0;
    builder->num_taken--;
    if (count >= MIN_GATHERED) {
        add_gathered_group(builder, set, open, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        add_group(builder, MD5_SKIN_SINGLES, set, &open[i]);
}

// Ratings of a slot for the group of a set of joints, from worst to best.
typedef enum slot_fit {
    SLOT_OF_DIFFERENT_SET, // with an open group
    SLOT_EMPTY,
    SLOT_OF_SAME_SET,
} slot_fit;

// Rates a slot for a vertex: compares the joints of the vertex with the joints of the open group in
// the slot.
static inline slot_fit find_slot_fit(const plan_builder *builder, joint_set set, uint32_t slot)
{
    if (builder->num_open[slot] == 0)
        return SLOT_EMPTY;
    const md5_skin_kind kind = (md5_skin_kind)builder->kinds[slot];
    const joint_set slot_set = vertex_joint_set(builder->mesh, builder->open[slot][0], kind);
    return is_same_set(set, slot_set) ? SLOT_OF_SAME_SET : SLOT_OF_DIFFERENT_SET;
}

// Returns a hash of a set of joints that does not depend on their order.
static inline uint32_t hash_joint_set(joint_set set)
{
    uint32_t hash = set.kind;
    for (uint32_t i = 0; i < set.count; i++) {
        const uint32_t spread = set.joints[i] * 0x9e3779b1u;
        hash += (spread ^ spread >> 15) * 0x85ebca77u;
    }
    return hash;
}

// Returns the slot for vertices with a set of joints. This is the slot of the open group of this
// set, or else an empty slot. A set can use SLOTS_PER_SET slots. If groups of other sets occupy all
// of them, the group in the first slot is closed although it is not full. This keeps the time
// linear for any joints.
static inline uint32_t select_slot(plan_builder *builder, joint_set set)
{
    const uint32_t first_slot = hash_joint_set(set) >> (32 - builder->log2_slots);
    uint32_t best_slot = first_slot;
    slot_fit best_fit = SLOT_OF_DIFFERENT_SET;
    for (uint32_t i = 0; i < SLOTS_PER_SET && best_fit != SLOT_OF_SAME_SET; i++) {
        const uint32_t slot = first_slot ^ i;
        const slot_fit fit = find_slot_fit(builder, set, slot);
        if (fit > best_fit) {
            best_slot = slot;
            best_fit = fit;
        }
    }
    if (best_fit == SLOT_OF_DIFFERENT_SET)
        close_slot(builder, best_slot);
    return best_slot;
}

// Adds vertices first .. end - 1, which have the same set of joints, to the open group of this set.
// Closes the group whenever it is full.
static void add_to_open_group(plan_builder *builder, joint_set set, uint32_t first, uint32_t end)
{
    const uint32_t slot = select_slot(builder, set);
    builder->kinds[slot] = (uint8_t)set.kind;
    for (uint32_t vertex = first; vertex < end; vertex++) {
        const uint32_t count = builder->num_open[slot]++;
        if (count == 0)
            builder->num_taken++;
        builder->open[slot][count] = vertex;
        if (count + 1 == MD5_SKIN_GROUP)
            close_slot(builder, slot);
    }
}

// Adds vertices first .. end - 1, which have the same set of joints. They form as many contiguous
// groups as possible, and the remaining vertices join an open group. Vertices without influences,
// or with too many, are singles.
static void add_vertices(plan_builder *builder, joint_set set, uint32_t first, uint32_t end)
{
    const bool fits_group = set.count > 0 && set.count <= MD5_SKIN_MAX_INFLUENCES;
    if (!fits_group) {
        for (uint32_t vertex = first; vertex < end; vertex++)
            add_group(builder, MD5_SKIN_SINGLES, set, &vertex);
        return;
    }

    uint32_t next = first; // first vertex that was not added yet
    for (; end - next >= MD5_SKIN_GROUP; next += MD5_SKIN_GROUP) {
        uint32_t group[MD5_SKIN_GROUP];
        for (uint32_t i = 0; i < MD5_SKIN_GROUP; i++)
            group[i] = next + i;
        add_group(builder, MD5_SKIN_CONTIGUOUS, set, group);
    }
    add_to_open_group(builder, set, next, end);
}

// Makes one pass over the mesh. Adds each range of consecutive vertices with the same set of
// joints, and then closes the groups that are still open.
static void build_groups(plan_builder *builder)
{
    const md5_mesh *const mesh = builder->mesh;
    const float tolerance = POINT_TOLERANCE * md5_largest_coordinate(&mesh->bounds);
    joint_set next = vertex_joint_set(mesh, 0, vertex_kind(mesh, 0, tolerance));

    uint32_t end = 0;
    while (end < mesh->num_vertices) {
        const joint_set set = next;
        const uint32_t first = end;
        while (++end < mesh->num_vertices) {
            next = vertex_joint_set(mesh, end, vertex_kind(mesh, end, tolerance));
            if (!is_same_set(set, next))
                break;
        }
        add_vertices(builder, set, first, end);
    }

    for (uint32_t slot = 0; builder->num_taken > 0; slot++) {
        if (builder->num_open[slot] > 0)
            close_slot(builder, slot);
    }
}

// -- Memory ---------------------------------------------------------------------------------

// Returns true if two possible runs become one run of the plan: both are singles of one kind.
static bool is_same_run_of_singles(const md5_skin_run *a, const md5_skin_run *b)
{
    return a->order == MD5_SKIN_SINGLES && b->order == a->order && b->kind == a->kind;
}

// Adds a possible run to the runs of the plan. If it and the last run are singles of one kind, its
// count is added to the last run instead.
static void add_run(plan_builder *builder, const md5_skin_run *run)
{
    md5_skin_run *const next = &builder->runs[builder->num_runs];
    const bool continues_last = builder->num_runs > 0 && is_same_run_of_singles(run, next - 1);
    if (continues_last) {
        next[-1].count += run->count;
        return;
    }
    *next = *run;
    builder->num_runs++;
}

// Lays out the runs that were counted. Sets the indices of their vertices and words, and lists them
// in builder->runs. All singles of one kind form one run, sorted by number of influences. Returns
// the number of words.
static uint32_t lay_out_runs(plan_builder *builder)
{
    uint32_t num_words = 0;
    for (uint32_t i = 0; i < MAX_RUNS; i++) {
        md5_skin_run *const run = &builder->possible[i];
        if (run->count == 0)
            continue;
        const uint32_t run_words = run->words; // number of words, before it becomes an index
        run->vertices = builder->num_vertices;
        run->words = num_words;
        add_run(builder, run);
        builder->num_vertices += run->count * md5_skin_num_vertices((md5_skin_order)run->order);
        num_words += run_words;
    }
    return num_words;
}

// Initializes a builder for the first pass. Because the builder is large, the vertices of open
// groups are not initialized here. They are set when a group is opened.
static void begin_builder(plan_builder *builder, const md5_mesh *mesh)
{
    memset(builder, 0, offsetof(plan_builder, kinds));
    builder->mesh = mesh;
    builder->log2_slots = MIN_LOG2_SLOTS;
    while (builder->log2_slots < MAX_LOG2_SLOTS
           && (1u << builder->log2_slots) / SLOTS_PER_VERTEX < mesh->num_vertices)
        builder->log2_slots++;
}

// Allocates the plan in one block, and copies the runs of the builder to it. The builder also gets
// the arrays of vertices and words, which its second pass fills. Returns NULL and sets the
// context's error if memory runs out.
static md5_skin_plan *allocate_plan(md5_context *context, plan_builder *builder, uint32_t num_words)
{
    // The first pass measures the block. The second pass gets the addresses of its parts.
    md5_block block = {NULL, 0};
    md5_skin_plan *plan = NULL;
    md5_skin_run *runs = NULL;
    for (uint32_t pass = 0; pass < 2; pass++) {
        plan = MD5_BLOCK_ARRAY(&block, md5_skin_plan, 1);
        runs = MD5_BLOCK_ARRAY(&block, md5_skin_run, builder->num_runs);
        builder->vertices = MD5_BLOCK_ARRAY(&block, uint32_t, builder->num_vertices);
        builder->words = MD5_BLOCK_ARRAY(&block, uint32_t, num_words);
        if (pass == 0 && !md5i_block_end_measuring(context, &block))
            return NULL;
    }

    memcpy(runs, builder->runs, builder->num_runs * sizeof *runs);
    *plan = (md5_skin_plan){.size = block.used,
                            .num_runs = builder->num_runs,
                            .num_vertices = builder->num_vertices,
                            .num_words = num_words,
                            .runs = runs,
                            .vertices = builder->vertices,
                            .words = builder->words};
    return plan;
}

// Builds the skin plan of a mesh in one block. A plan contains the order in which md5_skin()
// computes the vertices. Groups of MD5_SKIN_GROUP vertices with the same joints fill SIMD
// registers. A run is a list of groups of the same kind. One pass over the mesh measures the plan,
// and a second pass writes it. Sets *plan to NULL if the mesh is empty or too large for a plan.
bool md5i_skin_plan_build(md5_context *context, const md5_mesh *mesh, const md5_skin_plan **plan)
{
    *plan = NULL;
    if (mesh->num_vertices == 0 || mesh->num_vertices > UINT32_MAX / 3)
        return true;

    // The first pass over the mesh counts the groups of all runs and their words.
    plan_builder builder;
    begin_builder(&builder, mesh);
    build_groups(&builder);
    if (builder.num_words > UINT32_MAX)
        return true;

    const uint32_t num_words = lay_out_runs(&builder);
    md5_skin_plan *const result = allocate_plan(context, &builder, num_words);
    TRY(result);

    // The second pass over the mesh writes the groups, because builder.vertices is set.
    build_groups(&builder);
    *plan = result;
    return true;
}

void md5i_skin_plan_free(const md5_allocator *allocator, const md5_skin_plan *plan)
{
    if (plan)
        allocator->free(allocator->user, (void *)plan, plan->size);
}
