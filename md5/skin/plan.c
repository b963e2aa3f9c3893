// Which vertices md5_skin() computes together, selected at load: how skinning is fast.
//
// Vertices on the same joints are skinned eight at a time, because real models have few sets of
// joints: nine of ten vertices find seven others. A register holds one matrix entry for eight
// vertices; the entry is loaded once and multiplied by each vertex's bias. No matrix is transposed
// and no row is summed. The plan finds the groups at load, in linear time, with a small table of
// those that are not full yet. Most blended vertices have two joints, of which either may weigh
// more: they share groups all the same (plan.h).
//
// - A contiguous group is eight consecutive vertices: loaded and stored side by side.
// - A gathered group is eight vertices from anywhere in the mesh, or fewer, with the first one
//   repeated. The plan stores their inputs side by side; results go to each vertex's own index.
//   Nothing is reordered.
// - Singles are the rest. Each has matrices of its own, blended in the layout of the palette;
//   eight blends are then transposed.
//
// A rigid vertex has one influence of bias 1 at its bind position. If a vertex has three
// influences or more and all their points are the bind position, its matrices are blended into
// one, which moves the position and rotates the directions. "Are" means within 2^-21 of the mesh's
// size, summed over the weights: less than the rounding error of a position in floats. Other
// vertices take the exact sum; rigid ones take whichever is shorter, since both give the same
// bits. Everything is written once, with md5/core/wide.h, so instruction sets agree to the last
// bit. The bounds of a posed model use the same code, but compare positions instead of storing
// them.
//
// The plan takes one byte for each of eight consecutive rigid vertices on one joint, 16.5 for
// other rigid ones, 4 and 16.5 per influence for the rest, or 16 and 4.5 if their points meet;
// more if groups are not full, at most eight thirds of that. One walk over the finished mesh is
// taken twice, first to count and then to write, so each plan is a block of exactly the size that
// it fills. It is allocated after the scratch memory is freed: the most memory that loading holds
// is 6 to 11 % less than with plans in the block of the arrays. The sums of doubles for normals
// and tangents mostly use the memory of the tangents, so scratch memory is no larger than what
// reading the tables took.
#include "md5/skin/plan.h"

#include "md5/core/math.h"

// Fewer vertices on the same joints are as fast as singles.
enum { MIN_GATHERED = 3 };

// Size of the table of groups that are not full yet: in small meshes, four slots for each vertex.
enum { MIN_LOG2_SLOTS = 3, MAX_LOG2_SLOTS = 10, SLOTS = 1 << MAX_LOG2_SLOTS, SLOTS_PER_VERTEX = 4 };

// A vertex is blended if the points of its weights are at most this far apart, relative to the size
// of the mesh: less than the rounding error of a position in floats.
#define POINT_TOLERANCE (1.0f / 2097152.0f)

// -- Kinds ----------------------------------------------------------------------------------

static float tolerance_of(const md5_bounds *bounds)
{
    return POINT_TOLERANCE * md5_largest_coordinate(bounds);
}

// With two influences the exact sum takes no longer than blending.
static inline md5_skin_kind kind_of(const md5_mesh *mesh, uint32_t vertex, float tolerance)
{
    const uint32_t first = mesh->first_influence[vertex], end = mesh->first_influence[vertex + 1];
    if (end - first == 1)
        return md5_is_rigid(mesh, vertex) ? MD5_SKIN_RIGID : MD5_SKIN_EXACT;
    if (end - first <= 2)
        return end == first ? MD5_SKIN_NONE : MD5_SKIN_EXACT;
    // Whether the points of all weights are the bind position: then
    //   sum J * (b * p, b) = sum J * b * (p, 1) = (sum b * J) * (p, 1).
    const md5_vec3 p = mesh->positions[vertex];
    float apart = 0;
    MD5_FOR_FROM (i, first, end) {
        const md5_vec4 q = mesh->influences[i];
        apart += fabsf(q.x - q.w * p.x) + fabsf(q.y - q.w * p.y) + fabsf(q.z - q.w * p.z);
    }
    return apart <= tolerance ? MD5_SKIN_BLEND : MD5_SKIN_EXACT;
}

md5_skin_kind md5i_skin_kind_of(const md5_mesh *mesh, uint32_t vertex)
{
    return kind_of(mesh, vertex, tolerance_of(&mesh->bounds));
}

// -- Building -------------------------------------------------------------------------------

// Possible runs: one for each order, kind and number of influences.
enum {
    NUM_COUNTS = MD5_SKIN_MAX_INFLUENCES + 1,
    MAX_RUNS = (int)MD5_SKIN_ORDERS * (int)MD5_SKIN_KINDS * NUM_COUNTS
};

// The same walk over the mesh is taken twice. While counting, `vertices` and `words` are NULL, and
// every possible run counts its groups; then runs are laid out and memory of exactly that size is
// allocated. While writing, the possible runs know where they continue.
typedef struct plan_builder {
    const md5_mesh *mesh;
    md5_skin_run possible[MD5_SKIN_ORDERS][MD5_SKIN_KINDS][NUM_COUNTS];
    uint32_t *vertices, *words; // of the plan

    // The runs of the plan, and the sizes of its arrays.
    md5_skin_run runs[MAX_RUNS];
    uint32_t num_runs, num_vertices;
    uint64_t num_words;

    // Groups that are not full yet, in a hash table by kind and joints.
    uint32_t log2_slots;
    uint32_t num_taken; // slots with an open group
    uint8_t num_open[SLOTS];
    uint8_t kinds[SLOTS];
    uint32_t open[SLOTS][MD5_SKIN_GROUP];
} plan_builder;

// What the vertices of a group have in common, in the order of one of them: joint i of the group is
// joints[i ^ swap], and so is the vertex's influence.
typedef struct joint_set {
    md5_skin_kind kind;
    uint32_t count;
    uint32_t swap; // 1: both influences in the other order, so that joints ascend; see plan.h
    const uint32_t *joints;
} joint_set;

static inline joint_set set_of(const md5_mesh *mesh, uint32_t vertex, md5_skin_kind kind)
{
    const uint32_t first = mesh->first_influence[vertex];
    const uint32_t *const joints = mesh->influence_joints + first;
    const md5_vec4 *const q = mesh->influences + first;
    const uint32_t count = mesh->first_influence[vertex + 1] - first;
    const bool swap = count == 2 && joints[0] > joints[1] && fabsf(q[0].w) > fabsf(q[1].w);
    return (joint_set){kind, count, swap, joints};
}

static MD5_ALWAYS_INLINE bool is_same(joint_set a, joint_set b)
{
    if (a.kind != b.kind || a.count != b.count)
        return false;
    if (a.count == 1)
        return a.joints[0] == b.joints[0];
    MD5_FOR (i, a.count) {
        if (a.joints[i ^ a.swap] != b.joints[i ^ b.swap])
            return false;
    }
    return true;
}

// Returns where the next float of a vertex goes.
static inline float *put_vec3(float *to, float x, float y, float z)
{
    to[0] = x;
    to[MD5_SKIN_GROUP] = y;
    to[2 * MD5_SKIN_GROUP] = z;
    return to + 3 * (size_t)MD5_SKIN_GROUP;
}

// Adds a group, or a single vertex.
static void add_group(plan_builder *builder, md5_skin_order order, joint_set set,
                      const uint32_t *vertices)
{
    const uint32_t count = set.count <= MD5_SKIN_MAX_INFLUENCES ? set.count : 0;
    md5_skin_run *const run = &builder->possible[order][set.kind][count];
    run->count++;
    if (!builder->vertices)
        return;
    uint32_t *const words = builder->words + run->words;
    uint32_t *const offsets = builder->vertices + run->vertices;
    run->vertices += md5_skin_num_vertices(order);
    offsets[0] = vertices[0];
    if (order == MD5_SKIN_SINGLES)
        return;
    run->words += md5_skin_num_words(set.kind, order, count);
    MD5_FOR (i, count)
        words[i] = set.joints[i ^ set.swap];
    const bool is_gathered = order == MD5_SKIN_GATHERED;
    if (!is_gathered && set.kind == MD5_SKIN_RIGID)
        return; // has no floats
    MD5_FOR (i, MD5_SKIN_GROUP) {
        // The floats of one vertex of the group.
        const md5_mesh *const mesh = builder->mesh;
        const uint32_t vertex = vertices[i];
        const md5_vec4 *const influences = mesh->influences + mesh->first_influence[vertex];
        const uint32_t swap = set_of(mesh, vertex, set.kind).swap;
        float *to = (float *)(void *)(words + count) + i;
        MD5_FOR_WHILE (j, count, set.kind != MD5_SKIN_RIGID) {
            const md5_vec4 *const q = &influences[j ^ swap];
            if (set.kind == MD5_SKIN_EXACT)
                to = put_vec3(to, q->x, q->y, q->z);
            *to = q->w;
            to += MD5_SKIN_GROUP;
        }
        const md5_vec3 p = mesh->positions[vertex];
        if (is_gathered && set.kind != MD5_SKIN_EXACT)
            put_vec3(to, p.x, p.y, p.z);
        if (is_gathered)
            offsets[i] = 3 * vertices[i];
    }
}

static void close_slot(plan_builder *builder, uint32_t slot)
{
    const uint32_t count = builder->num_open[slot];
    const uint32_t *const open = builder->open[slot];
    const joint_set set = set_of(builder->mesh, open[0], (md5_skin_kind)builder->kinds[slot]);
    builder->num_open[slot] = 0;
    builder->num_taken--;
    if (count >= MIN_GATHERED) {
        // The first vertex is repeated until the group is full, so that its vertices ascend.
        const uint32_t num_missing = MD5_SKIN_GROUP - count;
        uint32_t group[MD5_SKIN_GROUP];
        MD5_FOR (i, MD5_SKIN_GROUP)
            group[i] = open[i < num_missing ? 0 : i - num_missing];
        add_group(builder, MD5_SKIN_GATHERED, set, group);
        return;
    }
    MD5_FOR (i, count)
        add_group(builder, MD5_SKIN_SINGLES, set, &open[i]);
}

// How well a set's vertices go to a slot: 0 if another one's group is open there, 1 if none is.
static inline uint32_t fit_of(const plan_builder *builder, joint_set set, uint32_t slot)
{
    if (builder->num_open[slot] == 0)
        return 1;
    const md5_skin_kind kind = (md5_skin_kind)builder->kinds[slot];
    return is_same(set, set_of(builder->mesh, builder->open[slot][0], kind)) ? 2 : 0;
}

static void walk(plan_builder *builder)
{
    const md5_mesh *const mesh = builder->mesh;
    const float tolerance = tolerance_of(&mesh->bounds);
    const uint32_t num_vertices = mesh->num_vertices;
    joint_set next = set_of(mesh, 0, kind_of(mesh, 0, tolerance));
    for (uint32_t first = 0, end = 0; first < num_vertices; first = end) {
        const joint_set set = next;
        while (++end < num_vertices) {
            next = set_of(mesh, end, kind_of(mesh, end, tolerance));
            if (!is_same(set, next))
                break;
        }
        // Consecutive vertices of the same kind on the same joints: full groups, then what is left.
        if (set.count == 0 || set.count > MD5_SKIN_MAX_INFLUENCES) {
            MD5_FOR_FROM (vertex, first, end)
                add_group(builder, MD5_SKIN_SINGLES, set, &vertex);
            continue;
        }
        for (; end - first >= MD5_SKIN_GROUP; first += MD5_SKIN_GROUP) {
            uint32_t group[MD5_SKIN_GROUP];
            MD5_FOR (i, MD5_SKIN_GROUP)
                group[i] = first + i;
            add_group(builder, MD5_SKIN_CONTIGUOUS, set, group);
        }
        uint32_t hash = set.kind;
        MD5_FOR (i, set.count)
            hash = (hash ^ set.joints[i ^ set.swap]) * 0x9e3779b1u;
        // If other sets of joints occupy both slots that a set may have, the group of one is closed
        // first: linear time for any joints.
        uint32_t slot = hash >> (32 - builder->log2_slots);
        const uint32_t fit = fit_of(builder, set, slot);
        if (fit < 2 && fit_of(builder, set, slot ^ 1) > fit)
            slot ^= 1;
        else if (fit == 0)
            close_slot(builder, slot);
        builder->kinds[slot] = (uint8_t)set.kind;
        for (; first < end; first++) {
            const uint32_t count = builder->num_open[slot]++;
            builder->num_taken += count == 0;
            builder->open[slot][count] = first;
            if (count + 1 == MD5_SKIN_GROUP)
                close_slot(builder, slot);
        }
    }
    for (uint32_t slot = 0; builder->num_taken > 0; slot++) {
        if (builder->num_open[slot] > 0)
            close_slot(builder, slot);
    }
}

// -- Memory ---------------------------------------------------------------------------------

bool md5i_skin_plan_build(md5_context *context, const md5_mesh *mesh, const md5_skin_plan **plan)
{
    *plan = NULL;
    if (mesh->num_vertices == 0 || mesh->num_vertices > UINT32_MAX / 3)
        return true;
    plan_builder builder;
    memset(&builder, 0, offsetof(plan_builder, kinds));
    builder.mesh = mesh;
    builder.log2_slots = MIN_LOG2_SLOTS;
    while (builder.log2_slots < MAX_LOG2_SLOTS
           && (1u << builder.log2_slots) / SLOTS_PER_VERTEX < mesh->num_vertices)
        builder.log2_slots++;
    walk(&builder);

    // Singles of one kind form one run, sorted by number of influences.
    MD5_FOR_FROM (order, MD5_SKIN_CONTIGUOUS, MD5_SKIN_ORDERS)
        MD5_FOR_FROM (kind, MD5_SKIN_NONE, MD5_SKIN_KINDS)
            MD5_FOR (count, NUM_COUNTS) {
                md5_skin_run *const run = &builder.possible[order][kind][count];
                if (run->count == 0)
                    continue;
                *run = (md5_skin_run){.count = run->count,
                                      .vertices = builder.num_vertices,
                                      .words = (uint32_t)builder.num_words,
                                      .kind = (uint8_t)kind,
                                      .order = (uint8_t)order,
                                      .num_influences = (uint8_t)count};
                md5_skin_run *const last = builder.runs + builder.num_runs - 1;
                if (builder.num_runs > 0 && order == MD5_SKIN_SINGLES && last->order == run->order
                    && last->kind == run->kind)
                    last->count += run->count;
                else
                    builder.runs[builder.num_runs++] = *run;
                builder.num_vertices += run->count * md5_skin_num_vertices((md5_skin_order)order);
                if (order != MD5_SKIN_SINGLES)
                    builder.num_words +=
                        (uint64_t)run->count
                        * md5_skin_num_words((md5_skin_kind)kind, (md5_skin_order)order, count);
            }
    if (builder.num_words > UINT32_MAX)
        return true;

    // A block of exactly the size that was counted.
    md5_block block = {NULL, 0};
    md5_skin_plan *to = NULL;
    md5_skin_run *runs = NULL;
    MD5_FOR (pass, 2) {
        to = MD5_TAKE(&block, md5_skin_plan, 1);
        runs = MD5_TAKE(&block, md5_skin_run, builder.num_runs);
        builder.vertices = MD5_TAKE(&block, uint32_t, builder.num_vertices);
        builder.words = MD5_TAKE(&block, uint32_t, (size_t)builder.num_words);
        TRY(pass > 0 || md5i_block_allocate(context, &block));
    }
    memcpy(runs, builder.runs, builder.num_runs * sizeof *runs);
    *to = (md5_skin_plan){.size = block.used,
                          .num_runs = builder.num_runs,
                          .num_vertices = builder.num_vertices,
                          .num_words = (uint32_t)builder.num_words,
                          .runs = runs,
                          .vertices = builder.vertices,
                          .words = builder.words};
    *plan = to;
    walk(&builder);
    return true;
}

void md5i_skin_plan_free(const md5_allocator *allocator, const md5_skin_plan *plan)
{
    if (plan)
        allocator->free(allocator->user, (void *)plan, plan->size);
}
