// Which vertices md5_skin() computes together, selected at load: how skinning is fast.
//
// Vertices on the same joints are skinned eight at a time, because real models have few sets of
// joints: nine of ten vertices find seven others. A register holds one matrix entry for eight
// vertices; the entry is loaded once and multiplied by each vertex's bias. No matrix is transposed
// and no row is summed. The plan finds the groups at load, in linear time, with a small table of
// those that are not full yet. Any of their joints may weigh most: vertices share groups all the
// same, since joints are added in the same order (md5i_sum_order()). A monster of 6022 vertices has
// half as many sets of joints as orders of them, and 5 % singles instead of 18.
//
// - A contiguous group is eight consecutive vertices: loaded and stored side by side.
// - A gathered group is eight vertices from anywhere in the mesh, or fewer, with the first one
//   repeated. The plan stores their inputs side by side; results go to each vertex's own index.
//   Nothing is reordered.
// - Singles are the rest. Each has matrices of its own, blended in the layout of the palette;
//   eight blends are then transposed. The plan stores what is summed, one single after the other.
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
// more if groups are not full, at most eight thirds of that; 8 and 20, or 8 and 8, for singles. One
// walk over the finished mesh is taken twice, first to count and then to write, so each plan is a
// block of exactly the size that it fills. It is allocated after the scratch memory is freed: the
// most memory that loading holds is 6 to 11 % less than with plans in the block of the arrays. The
// sums of doubles for normals and tangents mostly use the memory of the tangents, so scratch memory
// is no larger than what reading the tables took.
#include "md5/skin/plan.h"

#include "md5/core/math.h"

// Fewer vertices on the same joints are as fast as singles.
enum { MIN_GATHERED = 3 };

// Size of the table of groups that are not full yet: in small meshes, four slots for each vertex.
// The group of a set of joints is in one of four slots beside each other.
enum {
    MIN_LOG2_SLOTS = 3,
    MAX_LOG2_SLOTS = 10,
    SLOTS = 1 << MAX_LOG2_SLOTS,
    SLOTS_PER_VERTEX = 4,
    SLOTS_OF_SET = 4
};

// A vertex is blended if the points of its weights are at most this far apart, relative to the size
// of the mesh: less than the rounding error of a position in floats.
#define POINT_TOLERANCE (1.0f / 2097152.0f)

// -- Kinds ----------------------------------------------------------------------------------

// With two influences the exact sum takes no longer than blending.
static inline md5_skin_kind kind_of(const md5_mesh *mesh, uint32_t vertex, float tolerance)
{
    const uint32_t first = mesh->first_influence[vertex];
    const uint32_t end = mesh->first_influence[vertex + 1];
    if (end - first == 1)
        return md5_is_rigid(mesh, vertex) ? MD5_SKIN_RIGID : MD5_SKIN_EXACT;
    if (end - first <= 2)
        return end == first ? MD5_SKIN_NONE : MD5_SKIN_EXACT;
    // Whether the points of all weights are the bind position: then
    //   sum J * (b * p, b) = sum J * b * (p, 1) = (sum b * J) * (p, 1).
    const md5_vec3 p = mesh->positions[vertex];
    float apart = 0;
    for (uint32_t i = first; i < end; i++) {
        const md5_vec4 q = mesh->influences[i];
        apart += fabsf(q.x - q.w * p.x) + fabsf(q.y - q.w * p.y) + fabsf(q.z - q.w * p.z);
    }
    return apart <= tolerance ? MD5_SKIN_BLEND : MD5_SKIN_EXACT;
}

md5_skin_kind md5i_skin_kind_of(const md5_mesh *mesh, uint32_t vertex)
{
    return kind_of(mesh, vertex, POINT_TOLERANCE * md5_largest_coordinate(&mesh->bounds));
}

uint64_t md5i_sum_order(const uint32_t *joints, uint32_t count)
{
    uint64_t order = 0;
    if (count <= MD5_SKIN_MAX_INFLUENCES) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t below = 0; // four bits for each joint that comes before
            for (uint32_t k = 0; k < i; k++)
                below += joints[k] <= joints[i] ? 4 : 0;
            const uint64_t before = order & (((uint64_t)1 << below) - 1);
            order = before | (uint64_t)i << below | (order - before) << 4;
        }
    }
    return order;
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
    md5_skin_run possible[MAX_RUNS];
    uint32_t *vertices, *words; // of the plan

    // The runs of the plan, and the sizes of its arrays.
    md5_skin_run runs[MAX_RUNS];
    uint32_t num_runs;
    uint32_t num_vertices;
    uint64_t num_words;

    // Groups that are not full yet, in a hash table by kind and joints.
    uint32_t log2_slots;
    uint32_t num_taken; // slots with an open group
    uint8_t num_open[SLOTS];
    uint8_t kinds[SLOTS];
    uint32_t open[SLOTS][MD5_SKIN_GROUP];
} plan_builder;

// What the vertices of a group have in common, by one of them, whose joints these are.
typedef struct joint_set {
    md5_skin_kind kind;
    uint32_t count;
    const uint32_t *joints;
} joint_set;

static inline joint_set set_of(const md5_mesh *mesh, uint32_t vertex, md5_skin_kind kind)
{
    const uint32_t *const first = mesh->first_influence + vertex;
    return (joint_set){kind, first[1] - *first, mesh->influence_joints + *first};
}

// Where a set has a joint, mostly at `place`; its count if nowhere.
static inline uint32_t find_joint(joint_set set, uint32_t joint, uint32_t place)
{
    for (uint32_t next = 0; set.joints[place] != joint; place = next++) {
        if (next == set.count)
            return next;
    }
    return place;
}

static MD5_ALWAYS_INLINE bool is_same(joint_set a, joint_set b)
{
    bool is_equal = a.kind == b.kind && a.count == b.count && a.count <= MD5_SKIN_MAX_INFLUENCES;
    for (uint32_t i = 0; i < a.count && is_equal; i++)
        is_equal = find_joint(a, b.joints[i], i) < a.count;
    return is_equal;
}

// Returns where the next float of a vertex goes.
static inline float *put_vec3(float *to, size_t size, float x, float y, float z)
{
    to[0] = x;
    to[size] = y;
    to[2 * size] = z;
    return to + 3 * size;
}

// Adds a group, or a single vertex. A rigid single is blended: a sum of one.
static void add_group(plan_builder *builder, md5_skin_order order, joint_set set,
                      const uint32_t *vertices)
{
    const bool is_single = order == MD5_SKIN_SINGLES;
    const bool is_gathered = order == MD5_SKIN_GATHERED;
    if (is_single && set.kind == MD5_SKIN_RIGID)
        set.kind = MD5_SKIN_BLEND;
    const uint32_t count = set.count;
    const uint32_t num_words = md5_skin_num_words(set.kind, order, count);
    const uint32_t number = count <= MD5_SKIN_MAX_INFLUENCES ? count : 0;
    md5_skin_run *const run =
        &builder->possible[((uint32_t)order * MD5_SKIN_KINDS + (uint32_t)set.kind) * NUM_COUNTS
                           + number];
    run->kind = (uint8_t)set.kind;
    run->order = (uint8_t)order;
    run->num_influences = (uint8_t)number;
    run->count++;
    run->words += num_words;
    builder->num_words += num_words;
    if (!builder->vertices)
        return;
    uint32_t *words = builder->words + run->words - num_words;
    uint32_t *const offsets = builder->vertices + run->vertices;
    run->vertices += md5_skin_num_vertices(order);
    offsets[0] = vertices[0];
    if (is_single)
        *words++ = count;
    const uint64_t sorted = md5i_sum_order(set.joints, count);
    for (uint32_t i = 0; i < count; i++)
        words[i] = set.joints[md5_summand(sorted, count, i)];
    const bool is_rigid = set.kind == MD5_SKIN_RIGID;
    const uint32_t size = is_single ? 1 : MD5_SKIN_GROUP;
    if (is_gathered || !is_rigid) {
        for (uint32_t i = 0; i < size; i++) {
            // The floats of one vertex of the group.
            const md5_mesh *const mesh = builder->mesh;
            const uint32_t vertex = vertices[i];
            const uint32_t first = mesh->first_influence[vertex];
            const joint_set own = set_of(mesh, vertex, set.kind);
            float *to = (float *)(void *)(words + count) + i;
            if (!is_rigid) {
                for (uint32_t k = 0; k < count; k++) {
                    const uint32_t place = find_joint(own, words[k], md5_summand(sorted, count, k));
                    const md5_vec4 *const q = &mesh->influences[first + place];
                    if (set.kind == MD5_SKIN_EXACT)
                        to = put_vec3(to, size, q->x, q->y, q->z);
                    *to = q->w;
                    to += size;
                }
            }
            const md5_vec3 p = mesh->positions[vertex];
            if (is_gathered && set.kind != MD5_SKIN_EXACT)
                put_vec3(to, size, p.x, p.y, p.z);
            if (is_gathered)
                offsets[i] = 3 * vertices[i];
        }
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
        for (uint32_t i = 0; i < MD5_SKIN_GROUP; i++)
            group[i] = open[i < num_missing ? 0 : i - num_missing];
        add_group(builder, MD5_SKIN_GATHERED, set, group);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
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
    const float tolerance = POINT_TOLERANCE * md5_largest_coordinate(&mesh->bounds);
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
            for (uint32_t vertex = first; vertex < end; vertex++)
                add_group(builder, MD5_SKIN_SINGLES, set, &vertex);
            continue;
        }
        for (; end - first >= MD5_SKIN_GROUP; first += MD5_SKIN_GROUP) {
            uint32_t group[MD5_SKIN_GROUP];
            for (uint32_t i = 0; i < MD5_SKIN_GROUP; i++)
                group[i] = first + i;
            add_group(builder, MD5_SKIN_CONTIGUOUS, set, group);
        }
        uint32_t hash = set.kind; // the same in any order
        for (uint32_t i = 0; i < set.count; i++) {
            const uint32_t spread = set.joints[i] * 0x9e3779b1u;
            hash += (spread ^ spread >> 15) * 0x85ebca77u;
        }
        // If other sets of joints occupy all slots that a set may have, the group of one is closed
        // first: linear time for any joints.
        const uint32_t home = hash >> (32 - builder->log2_slots);
        uint32_t slot = home;
        uint32_t fit = 0;
        for (uint32_t i = 0; i < SLOTS_OF_SET && fit < 2; i++) {
            const uint32_t next_fit = fit_of(builder, set, home ^ i);
            slot = next_fit > fit ? home ^ i : slot;
            fit = next_fit > fit ? next_fit : fit;
        }
        if (fit == 0)
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
    if (builder.num_words > UINT32_MAX)
        return true;

    // Singles of one kind form one run, sorted by number of influences.
    uint32_t num_words = 0;
    for (uint32_t i = 0; i < MAX_RUNS; i++) {
        md5_skin_run *const run = &builder.possible[i];
        const uint32_t own_words = run->words;
        if (run->count == 0)
            continue;
        run->vertices = builder.num_vertices;
        run->words = num_words;
        md5_skin_run *const last = builder.runs + builder.num_runs - 1;
        if (builder.num_runs > 0 && run->order == MD5_SKIN_SINGLES && last->order == run->order
            && last->kind == run->kind)
            last->count += run->count;
        else
            builder.runs[builder.num_runs++] = *run;
        builder.num_vertices += run->count * md5_skin_num_vertices((md5_skin_order)run->order);
        num_words += own_words;
    }

    // A block of exactly the size that was counted.
    md5_block block = {NULL, 0};
    md5_skin_plan *to = NULL;
    md5_skin_run *runs = NULL;
    for (uint32_t pass = 0; pass < 2; pass++) {
        to = MD5_TAKE(&block, md5_skin_plan, 1);
        runs = MD5_TAKE(&block, md5_skin_run, builder.num_runs);
        builder.vertices = MD5_TAKE(&block, uint32_t, builder.num_vertices);
        builder.words = MD5_TAKE(&block, uint32_t, num_words);
        TRY(pass > 0 || md5i_block_allocate(context, &block));
    }
    memcpy(runs, builder.runs, builder.num_runs * sizeof *runs);
    *to = (md5_skin_plan){.size = block.used,
                          .num_runs = builder.num_runs,
                          .num_vertices = builder.num_vertices,
                          .num_words = num_words,
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
