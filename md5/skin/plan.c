#include "md5/skin/plan.h"

#include "md5/core/math.h"

#include <math.h>
#include <string.h>

// Fewer vertices on the same joints are as fast as singles.
enum { MIN_GATHERED = 3 };

// Size of the table of groups that are not full yet: in small meshes, four slots for each vertex.
enum { MIN_LOG2_SLOTS = 3, MAX_LOG2_SLOTS = 9, SLOTS = 1 << MAX_LOG2_SLOTS, SLOTS_PER_VERTEX = 4 };

// A vertex is blended if the points of its weights are at most this far apart, relative to the size
// of the mesh: less than the rounding error of a position in floats.
#define POINT_TOLERANCE (1.0f / 2097152.0f)

// -- Kinds ----------------------------------------------------------------------------------

static float largest_coordinate(const md5_bounds *bounds)
{
    const float x = fmaxf(fabsf(bounds->min.x), fabsf(bounds->max.x));
    const float y = fmaxf(fabsf(bounds->min.y), fabsf(bounds->max.y));
    const float z = fmaxf(fabsf(bounds->min.z), fabsf(bounds->max.z));
    return fmaxf(x, fmaxf(y, z));
}

// Whether the points of all weights are the bind position: then
//   sum J * (b * p, b) = sum J * b * (p, 1) = (sum b * J) * (p, 1).
static bool points_meet(const md5_mesh *mesh, uint32_t vertex)
{
    const md5_vec3 p = mesh->positions[vertex];
    float apart = 0.0f;
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++) {
        const md5_vec4 q = mesh->influences[i];
        apart += fabsf(q.x - q.w * p.x) + fabsf(q.y - q.w * p.y) + fabsf(q.z - q.w * p.z);
    }
    return apart <= POINT_TOLERANCE * largest_coordinate(&mesh->bounds);
}

static inline bool is_rigid(const md5_mesh *mesh, uint32_t vertex)
{
    const md5_vec4 q = mesh->influences[mesh->first_influence[vertex]];
    return q.w == 1.0f && memcmp(&q, &mesh->positions[vertex], sizeof(md5_vec3)) == 0;
}

// With two influences the exact sum takes no longer than blending.
static inline md5_skin_kind kind_of(const md5_mesh *mesh, uint32_t vertex)
{
    const uint32_t count = mesh->first_influence[vertex + 1] - mesh->first_influence[vertex];
    if (count == 1)
        return is_rigid(mesh, vertex) ? MD5_SKIN_RIGID : MD5_SKIN_EXACT;
    if (count == 0)
        return MD5_SKIN_NONE;
    return count > 2 && points_meet(mesh, vertex) ? MD5_SKIN_BLEND : MD5_SKIN_EXACT;
}

md5_skin_kind md5_skin_kind_of(const md5_mesh *mesh, uint32_t vertex)
{
    return kind_of(mesh, vertex);
}

// -- Memory ---------------------------------------------------------------------------------

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Gathered groups that are not full take more words per vertex, see add_gathered(). SPARE_WORDS are
// added for each leftover row of rigid vertices and for each other vertex, up to MAX_SPARE_WORDS,
// and one SPARE_PART-th of all words: large meshes have few such groups.
enum { SPARE_PART = 8, SPARE_WORDS = 16, MAX_SPARE_WORDS = 4 * SPARE_WORDS };

// Words of a full group by kind, of which each vertex counts for one MD5_SKIN_GROUP-th. For an
// exact group they are per influence.
enum {
    EXACT_WORDS = 1 + MD5_SKIN_GROUP * 4,
    GATHERED_WORDS = 1 + MD5_SKIN_GROUP * 3,
    CONTIGUOUS_WORDS = 1
};

static uint32_t blend_words(uint32_t num_influences)
{
    return num_influences * (1 + MD5_SKIN_GROUP) + MD5_SKIN_GROUP * 3;
}

// How many vertices are sampled to estimate how many will be blended. Their points are computed in
// floats here, which needs a larger tolerance.
enum { MAX_SAMPLES = 64, FLOAT_TOLERANCE = 16 };

typedef struct point_spread {
    float distance, size; // sum of the distances of the points; largest coordinate
} point_spread;

static point_spread sample_spread(const md5_vertex *vertex, const md5_weight *weights,
                                  const md5_transform *joints)
{
    md5_vec3 points[MD5_SKIN_MAX_INFLUENCES], sum = {0.0f, 0.0f, 0.0f};
    const md5_weight *const own = weights + vertex->first_weight;
    for (uint32_t i = 0; i < vertex->num_weights; i++) {
        const md5_transform *const joint = &joints[own[i].joint];
        points[i] =
            md5_vec3_add(md5_quat_rotate(joint->rotation, own[i].offset), joint->translation);
        sum = md5_vec3_add(sum, md5_vec3_scale(points[i], own[i].bias));
    }
    point_spread spread = {0.0f, fmaxf(fabsf(sum.x), fmaxf(fabsf(sum.y), fabsf(sum.z)))};
    for (uint32_t i = 0; i < vertex->num_weights; i++) {
        const md5_vec3 offset = md5_vec3_sub(points[i], sum);
        spread.distance +=
            fabsf(own[i].bias) * (fabsf(offset.x) + fabsf(offset.y) + fabsf(offset.z));
    }
    return spread;
}

// Estimates `parts` of the vertices with three or more influences, from their number if none is
// blended, their number if all are, and the sampled vertices.
static uint64_t expected_parts(uint64_t exact, uint64_t blended, const point_spread *samples,
                               uint32_t num_samples)
{
    uint32_t num_close = 0;
    float size = 0.0f;
    for (uint32_t i = 0; i < num_samples; i++)
        size = fmaxf(size, samples[i].size);
    for (uint32_t i = 0; i < num_samples; i++)
        num_close += samples[i].distance <= (float)FLOAT_TOLERANCE * POINT_TOLERANCE * size;
    return num_close > 0 ? exact - (exact - blended) * num_close / num_samples : exact;
}

// Estimates: consecutive rigid vertices on one joint become contiguous groups, others gathered
// ones.
md5_skin_plan_size md5_skin_plan_measure(const md5_vertex *vertices, uint32_t num_vertices,
                                         const md5_weight *weights, const md5_transform *joints,
                                         uint32_t num_influences)
{
    uint32_t max_influences = 0, joint = 0, num_rigid = 0; // in a row, on that joint
    uint32_t num_left = 0, num_contiguous = 0;
    uint32_t num_samples = 0, next_sample = joints ? 0 : UINT32_MAX;
    uint64_t counted = 0, parts = 0, exact = 0, blended = 0; // of words
    point_spread samples[MAX_SAMPLES];
    for (uint32_t i = 0; i < num_vertices; i++) {
        const uint32_t count = vertices[i].num_weights;
        const md5_weight *const weight = count == 1 ? &weights[vertices[i].first_weight] : NULL;
        counted += count;
        max_influences = count > max_influences ? count : max_influences;
        if (weight && weight->bias == 1.0f) {
            num_rigid = num_rigid > 0 && weight->joint == joint ? num_rigid + 1 : 1;
            num_left += num_rigid == 1;
            joint = weight->joint;
            parts += GATHERED_WORDS;
            if (num_rigid == MD5_SKIN_GROUP) {
                parts -= MD5_SKIN_GROUP * (GATHERED_WORDS - CONTIGUOUS_WORDS);
                num_contiguous++;
                num_left--;
                num_rigid = 0;
            }
            continue;
        }
        num_rigid = 0;
        num_left++;
        if (count <= 2) {
            parts += count * EXACT_WORDS;
        } else if (count <= MD5_SKIN_MAX_INFLUENCES) {
            exact += count * EXACT_WORDS;
            blended += blend_words(count);
            if (i >= next_sample) {
                samples[num_samples++] = sample_spread(&vertices[i], weights, joints);
                next_sample = i + 1 + num_vertices / MAX_SAMPLES;
            }
        }
    }
    parts += expected_parts(exact, blended, samples, num_samples);
    const uint64_t copied = num_influences > counted ? num_influences - counted : 0;
    uint64_t words = (parts + copied * EXACT_WORDS) / MD5_SKIN_GROUP;
    words += words / SPARE_PART + smaller(SPARE_WORDS * (size_t)num_left, MAX_SPARE_WORDS);
    // With less than 9, a gathered group of three rigid vertices would not fit.
    const uint64_t max_words = 9 * (uint64_t)num_influences;
    words = words < max_words ? words : max_words;
    return (md5_skin_plan_size){max_influences, num_contiguous,
                                words < UINT32_MAX ? (uint32_t)words : UINT32_MAX};
}

// Memory stays proportional to the mesh's: if there is no more room for groups, the remaining
// vertices are singles, which need one entry of `vertices` each and no words. A contiguous group
// needs one entry; gathered groups that are not full get spare ones.
static uint32_t min_entries(uint32_t num_vertices, const md5_skin_plan_size *size)
{
    return num_vertices - size->num_contiguous * (MD5_SKIN_GROUP - 1);
}

static uint32_t max_entries(uint32_t num_vertices, const md5_skin_plan_size *size)
{
    enum { SPARE_ENTRIES = 2 * MD5_SKIN_GROUP };
    const uint32_t spare = num_vertices / SPARE_PART + SPARE_ENTRIES;
    return min_entries(num_vertices, size) + (spare < num_vertices ? spare : num_vertices);
}

// Contiguous and gathered groups of each possible number of influences, and singles of every kind.
static size_t max_runs(uint32_t max_influences)
{
    const size_t grouped = smaller(max_influences, MD5_SKIN_MAX_INFLUENCES);
    const size_t exact = grouped, blend = grouped > 2 ? grouped - 2 : 0, rigid = 1;
    return 2 * (exact + blend + rigid) + MD5_SKIN_KINDS;
}

void md5_skin_plan_take(md5_block *block, uint32_t num_vertices, const md5_skin_plan_size *size,
                        md5_skin_plan_room *room)
{
    const size_t num_runs = smaller(num_vertices, max_runs(size->max_influences));
    room->plan = (md5_skin_plan *)md5_block_take(block, 1, sizeof *room->plan);
    room->runs = (md5_skin_run *)md5_block_take(block, num_runs, sizeof *room->runs);
    room->vertices =
        (uint32_t *)md5_block_take(block, max_entries(num_vertices, size), sizeof *room->vertices);
    room->words = (uint32_t *)md5_block_take(block, size->num_words, sizeof *room->words);
    room->size = *size;
}

// -- Building -------------------------------------------------------------------------------

// Runs of one number of influences. All possible runs are filled in two passes: the first counts,
// the second writes.
typedef struct run_table {
    md5_skin_run runs[MD5_SKIN_ORDERS][MD5_SKIN_KINDS];
} run_table;

typedef struct plan_builder {
    const md5_mesh *mesh;
    const md5_skin_plan_room *room;
    bool is_counting;
    // Memory left: rigid contiguous groups that are reserved for; spare entries of `vertices`,
    // words.
    uint32_t num_contiguous, spare_entries, spare_words;
    uint32_t num_tables;
    run_table tables[MD5_SKIN_MAX_INFLUENCES + 1]; // while writing: where each run continues

    // Groups that are not full yet, in a hash table by kind and joints.
    bool has_groups;
    uint32_t log2_slots;
    uint32_t num_taken; // slots with an open group
    uint8_t num_open[SLOTS];
    uint8_t kinds[SLOTS];
    uint32_t open[SLOTS][MD5_SKIN_GROUP];
} plan_builder;

// What the vertices of a group have in common.
typedef struct joint_set {
    md5_skin_kind kind;
    uint32_t count;
    const uint32_t *joints;
} joint_set;

static joint_set set_of(const md5_mesh *mesh, uint32_t vertex, md5_skin_kind kind)
{
    const uint32_t first = mesh->first_influence[vertex];
    return (joint_set){kind, mesh->first_influence[vertex + 1] - first,
                       mesh->influence_joints + first};
}

static inline bool is_same(joint_set a, joint_set b)
{
    if (a.kind != b.kind || a.count != b.count)
        return false;
    if (a.count == 1)
        return a.joints[0] == b.joints[0];
    for (uint32_t i = 0; i < a.count; i++) {
        if (a.joints[i] != b.joints[i])
            return false;
    }
    return true;
}

static uint32_t slot_of(const plan_builder *builder, joint_set set)
{
    uint32_t hash = set.kind;
    for (uint32_t i = 0; i < set.count; i++)
        hash = (hash ^ set.joints[i]) * 0x9e3779b1u;
    return hash >> (32 - builder->log2_slots);
}

static md5_vec4 influence_of(const md5_mesh *mesh, uint32_t vertex, uint32_t i)
{
    return mesh->influences[mesh->first_influence[vertex] + i];
}

// Writes the floats of one vertex of a group.
static void write_lane(const md5_mesh *mesh, md5_skin_order order, joint_set set, uint32_t vertex,
                       uint32_t *to)
{
    for (uint32_t i = 0; i < set.count && set.kind != MD5_SKIN_RIGID; i++) {
        const md5_vec4 influence = influence_of(mesh, vertex, i);
        const float floats[4] = {influence.x, influence.y, influence.z, influence.w};
        for (uint32_t k = set.kind == MD5_SKIN_EXACT ? 0 : 3; k < 4; k++, to += MD5_SKIN_GROUP)
            memcpy(to, &floats[k], sizeof *to);
    }
    const md5_vec3 position = mesh->positions[vertex];
    const float floats[3] = {position.x, position.y, position.z};
    const bool has_position = order == MD5_SKIN_GATHERED && set.kind != MD5_SKIN_EXACT;
    for (uint32_t k = 0; k < 3 && has_position; k++, to += MD5_SKIN_GROUP)
        memcpy(to, &floats[k], sizeof *to);
}

static void write_group(const plan_builder *builder, const md5_skin_run *run, joint_set set,
                        const uint32_t vertices[MD5_SKIN_GROUP])
{
    uint32_t *const words = builder->room->words + run->words;
    memcpy(words, set.joints, set.count * sizeof *words);
    const bool is_gathered = run->order == MD5_SKIN_GATHERED;
    builder->room->vertices[run->vertices] = vertices[0];
    if (!is_gathered && set.kind == MD5_SKIN_RIGID)
        return; // has no floats
    for (uint32_t i = 0; i < MD5_SKIN_GROUP; i++) {
        write_lane(builder->mesh, (md5_skin_order)run->order, set, vertices[i],
                   words + set.count + i);
        if (is_gathered)
            builder->room->vertices[run->vertices + i] = 3 * vertices[i];
    }
}

static void add_single(plan_builder *builder, uint32_t vertex, joint_set set)
{
    const uint32_t count = set.count <= MD5_SKIN_MAX_INFLUENCES ? set.count : 0;
    md5_skin_run *const run = &builder->tables[count].runs[MD5_SKIN_SINGLES][set.kind];
    run->count++;
    if (!builder->is_counting)
        builder->room->vertices[run->vertices++] = vertex;
}

// Returns false if there is no memory left for it.
static bool add_group(plan_builder *builder, md5_skin_order order, joint_set set,
                      const uint32_t vertices[MD5_SKIN_GROUP])
{
    const uint32_t num_words = md5_skin_num_words(set.kind, order, set.count);
    if (order == MD5_SKIN_CONTIGUOUS && set.kind == MD5_SKIN_RIGID && builder->num_contiguous > 0) {
        builder->num_contiguous--;
    } else {
        if (builder->spare_words < num_words)
            return false;
        builder->spare_words -= num_words;
        builder->spare_entries += order == MD5_SKIN_CONTIGUOUS ? MD5_SKIN_GROUP - 1 : 0;
    }
    builder->has_groups = true;
    md5_skin_run *const run = &builder->tables[set.count].runs[order][set.kind];
    run->count++;
    if (!builder->is_counting) {
        write_group(builder, run, set, vertices);
        run->vertices += md5_skin_num_vertices(order);
        run->words += num_words;
    }
    return true;
}

// Repeats the first vertex until the group is full, so that its vertices ascend.
static bool add_gathered(plan_builder *builder, joint_set set, const uint32_t *vertices,
                         uint32_t count)
{
    const uint32_t num_missing = MD5_SKIN_GROUP - count;
    if (count < MIN_GATHERED || builder->spare_entries < num_missing)
        return false;
    uint32_t group[MD5_SKIN_GROUP];
    for (uint32_t i = 0; i < MD5_SKIN_GROUP; i++)
        group[i] = vertices[i < num_missing ? 0 : i - num_missing];
    TRY(add_group(builder, MD5_SKIN_GATHERED, set, group));
    builder->spare_entries -= num_missing;
    return true;
}

static void close_slot(plan_builder *builder, uint32_t slot)
{
    const uint32_t count = builder->num_open[slot];
    const uint32_t *const open = builder->open[slot];
    const joint_set set = set_of(builder->mesh, open[0], (md5_skin_kind)builder->kinds[slot]);
    builder->num_open[slot] = 0;
    builder->num_taken--;
    if (add_gathered(builder, set, open, count))
        return;
    for (uint32_t i = 0; i < count; i++)
        add_single(builder, open[i], set);
}

// If another set of joints occupies the slot, its group is closed first: linear time for any
// joints.
static void add_to_slot(plan_builder *builder, uint32_t vertex, joint_set set, uint32_t slot)
{
    uint8_t *const count = &builder->num_open[slot];
    uint32_t *const open = builder->open[slot];
    if (*count > 0
        && !is_same(set, set_of(builder->mesh, open[0], (md5_skin_kind)builder->kinds[slot])))
        close_slot(builder, slot);
    builder->kinds[slot] = (uint8_t)set.kind;
    builder->num_taken += *count == 0;
    open[(*count)++] = vertex;
    if (*count == MD5_SKIN_GROUP)
        close_slot(builder, slot);
}

// Adds consecutive vertices of the same kind on the same joints.
static void add_consecutive(plan_builder *builder, uint32_t first, uint32_t end, joint_set set)
{
    if (set.count == 0 || set.count > MD5_SKIN_MAX_INFLUENCES) {
        for (uint32_t vertex = first; vertex < end; vertex++)
            add_single(builder, vertex, set);
        return;
    }
    for (; end - first >= MD5_SKIN_GROUP; first += MD5_SKIN_GROUP) {
        uint32_t group[MD5_SKIN_GROUP];
        for (uint32_t i = 0; i < MD5_SKIN_GROUP; i++)
            group[i] = first + i;
        if (!add_group(builder, MD5_SKIN_CONTIGUOUS, set, group))
            break;
    }
    const uint32_t slot = slot_of(builder, set);
    for (; first < end; first++)
        add_to_slot(builder, first, set, slot);
}

static void walk(plan_builder *builder)
{
    const md5_mesh *const mesh = builder->mesh;
    const md5_skin_plan_size *const size = &builder->room->size;
    builder->num_contiguous = size->num_contiguous;
    builder->spare_entries =
        max_entries(mesh->num_vertices, size) - min_entries(mesh->num_vertices, size);
    builder->spare_words = size->num_words - size->num_contiguous * CONTIGUOUS_WORDS;
    joint_set next = set_of(mesh, 0, kind_of(mesh, 0));
    for (uint32_t first = 0, end = 0; first < mesh->num_vertices; first = end) {
        const joint_set set = next;
        while (++end < mesh->num_vertices) {
            next = set_of(mesh, end, kind_of(mesh, end));
            if (!is_same(set, next))
                break;
        }
        add_consecutive(builder, first, end, set);
    }
    for (uint32_t slot = 0; builder->num_taken > 0; slot++) {
        if (builder->num_open[slot] > 0)
            close_slot(builder, slot);
    }
}

// Singles of one kind form one run, sorted by number of influences.
static void add_run(const plan_builder *builder, const md5_skin_run *run)
{
    md5_skin_plan *const plan = builder->room->plan;
    md5_skin_run *const last = builder->room->runs + plan->num_runs - 1;
    if (plan->num_runs > 0 && run->order == MD5_SKIN_SINGLES && last->order == run->order
        && last->kind == run->kind)
        last->count += run->count;
    else
        builder->room->runs[plan->num_runs++] = *run;
}

static void lay_out_runs(plan_builder *builder)
{
    uint32_t vertices = 0, words = 0;
    const md5_skin_order begin = builder->has_groups ? MD5_SKIN_CONTIGUOUS : MD5_SKIN_SINGLES;
    for (int order = (int)begin; order < MD5_SKIN_ORDERS; order++) {
        for (int kind = MD5_SKIN_NONE; kind < MD5_SKIN_KINDS; kind++) {
            for (uint32_t count = 0; count < builder->num_tables; count++) {
                md5_skin_run *const run = &builder->tables[count].runs[order][kind];
                if (run->count == 0)
                    continue;
                *run = (md5_skin_run){run->count,    vertices,       words,
                                      (uint8_t)kind, (uint8_t)order, (uint8_t)count};
                add_run(builder, run);
                vertices += run->count * md5_skin_num_vertices((md5_skin_order)order);
                if (order != MD5_SKIN_SINGLES)
                    words +=
                        run->count
                        * md5_skin_num_words((md5_skin_kind)kind, (md5_skin_order)order, count);
            }
        }
    }
}

const md5_skin_plan *md5_skin_plan_build(const md5_mesh *mesh, const md5_skin_plan_room *room)
{
    if (mesh->num_vertices > UINT32_MAX / 3)
        return NULL;
    *room->plan =
        (md5_skin_plan){.runs = room->runs, .vertices = room->vertices, .words = room->words};
    if (mesh->num_vertices == 0)
        return room->plan;
    plan_builder builder;
    builder.mesh = mesh;
    builder.room = room;
    builder.is_counting = true;
    builder.has_groups = false;
    builder.num_taken = 0;
    builder.num_tables = 1 + (uint32_t)smaller(room->size.max_influences, MD5_SKIN_MAX_INFLUENCES);
    builder.log2_slots = MIN_LOG2_SLOTS;
    while (builder.log2_slots < MAX_LOG2_SLOTS
           && (1u << builder.log2_slots) / SLOTS_PER_VERTEX < mesh->num_vertices)
        builder.log2_slots++;
    memset(builder.tables, 0, builder.num_tables * sizeof *builder.tables);
    memset(builder.num_open, 0, (size_t)1 << builder.log2_slots);
    walk(&builder);
    lay_out_runs(&builder);
    builder.is_counting = false;
    walk(&builder);
    return room->plan;
}
