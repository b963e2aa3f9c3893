#include "md5/skin/plan.h"

#include "md5/core/math.h"

#include <math.h>
#include <string.h>

// Fewer vertices on the same joints than this are as fast one by one.
enum { FEWEST_TOGETHER = 3 };

// How many sets of joints can have a group that is not full yet: in small meshes, four for each
// vertex.
enum { MIN_LOG2_SLOTS = 3, MAX_LOG2_SLOTS = 9, SLOTS = 1 << MAX_LOG2_SLOTS, SLOTS_A_VERTEX = 4 };

// How far apart, as a part of the mesh's size, the points of a vertex's weights may be for it to be
// blended: below what computing with floats leaves of a place anyway.
#define SAME_POINT (1.0f / 2097152.0f)

// -- Kinds ----------------------------------------------------------------------------------

static float largest_coordinate(const md5_bounds *bounds)
{
    const float x = fmaxf(fabsf(bounds->min.x), fabsf(bounds->max.x));
    const float y = fmaxf(fabsf(bounds->min.y), fabsf(bounds->max.y));
    const float z = fmaxf(fabsf(bounds->min.z), fabsf(bounds->max.z));
    return fmaxf(x, fmaxf(y, z));
}

// Whether the weights' points are the bind position, all of them: then
//   sum J * (b * p, b) = sum J * b * (p, 1) = (sum b * J) * (p, 1).
static bool points_meet(const md5_mesh *mesh, uint32_t vertex)
{
    const md5_vec3 p = mesh->positions[vertex];
    float apart = 0.0f;
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++) {
        const md5_vec4 q = mesh->influences[i];
        apart += fabsf(q.x - q.w * p.x) + fabsf(q.y - q.w * p.y) + fabsf(q.z - q.w * p.z);
    }
    return apart <= SAME_POINT * largest_coordinate(&mesh->bounds);
}

static inline bool is_whole(const md5_mesh *mesh, uint32_t vertex)
{
    const md5_vec4 q = mesh->influences[mesh->first_influence[vertex]];
    return q.w == 1.0f && memcmp(&q, &mesh->positions[vertex], sizeof(md5_vec3)) == 0;
}

// Of two influences the exact sum takes no longer than blending.
static inline md5_skin_kind kind_of(const md5_mesh *mesh, uint32_t vertex)
{
    const uint32_t count = mesh->first_influence[vertex + 1] - mesh->first_influence[vertex];
    if (count == 1)
        return is_whole(mesh, vertex) ? MD5_SKIN_WHOLE : MD5_SKIN_EXACT;
    if (count == 0)
        return MD5_SKIN_NONE;
    return count > 2 && points_meet(mesh, vertex) ? MD5_SKIN_BLEND : MD5_SKIN_EXACT;
}

md5_skin_kind md5_skin_kind_of(const md5_mesh *mesh, uint32_t vertex)
{
    return kind_of(mesh, vertex);
}

// -- Room -----------------------------------------------------------------------------------

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Teams that are not full take more, see add_team(): up to this for each row of whole vertices that
// is left over, or other vertex; in large meshes a part of all, as there are few of them then.
enum { SPARE_PART = 8, SPARE_WORDS = 16, MOST_SPARE_WORDS = 4 * SPARE_WORDS };

// Words of a full group by kind, of which its vertices take one MD5_SKIN_GROUP-th each: of an exact
// one for each influence.
enum { EXACT_WORDS = 1 + MD5_SKIN_GROUP * 4, TEAM_WORDS = 1 + MD5_SKIN_GROUP * 3, SPAN_WORDS = 1 };

static uint32_t blend_words(uint32_t num_influences)
{
    return num_influences * (1 + MD5_SKIN_GROUP) + MD5_SKIN_GROUP * 3;
}

// How many vertices are looked at, whether they will be blended. Here their points are computed in
// floats, which for some is not close enough.
enum { MOST_LOOKS = 64, LESS_CLOSE = 16 };

typedef struct look {
    float apart, size; // of points, and of their largest coordinate
} look;

static look look_at(const md5_vertex *vertex, const md5_weight *weights,
                    const md5_transform *joints)
{
    md5_vec3 points[MD5_SKIN_MOST_TOGETHER], sum = {0.0f, 0.0f, 0.0f};
    const md5_weight *const own = weights + vertex->first_weight;
    for (uint32_t i = 0; i < vertex->num_weights; i++) {
        const md5_transform *const joint = &joints[own[i].joint];
        points[i] =
            md5_vec3_add(md5_quat_rotate(joint->rotation, own[i].offset), joint->translation);
        sum = md5_vec3_add(sum, md5_vec3_scale(points[i], own[i].bias));
    }
    look seen = {0.0f, fmaxf(fabsf(sum.x), fmaxf(fabsf(sum.y), fabsf(sum.z)))};
    for (uint32_t i = 0; i < vertex->num_weights; i++) {
        const md5_vec3 way = md5_vec3_sub(points[i], sum);
        seen.apart += fabsf(own[i].bias) * (fabsf(way.x) + fabsf(way.y) + fabsf(way.z));
    }
    return seen;
}

// Of `parts` that vertices of three influences and more take if none is blended, and if all are: by
// those that were looked at.
static uint64_t expected_parts(uint64_t exact, uint64_t blended, const look *looks,
                               uint32_t num_looks)
{
    uint32_t num_close = 0;
    float size = 0.0f;
    for (uint32_t i = 0; i < num_looks; i++)
        size = fmaxf(size, looks[i].size);
    for (uint32_t i = 0; i < num_looks; i++)
        num_close += looks[i].apart <= (float)LESS_CLOSE * SAME_POINT * size;
    return num_close > 0 ? exact - (exact - blended) * num_close / num_looks : exact;
}

// Whole vertices that follow one another on one joint become spans, others teams.
md5_skin_plan_size md5_skin_plan_measure(const md5_vertex *vertices, uint32_t num_vertices,
                                         const md5_weight *weights, const md5_transform *joints,
                                         uint32_t num_influences)
{
    uint32_t max_influences = 0, joint = 0, num_whole = 0; // in a row, on that joint
    uint32_t num_left = 0, num_spans = 0, num_looks = 0, next_look = joints ? 0 : UINT32_MAX;
    uint64_t counted = 0, parts = 0, exact = 0, blended = 0; // of words
    look looks[MOST_LOOKS];
    for (uint32_t i = 0; i < num_vertices; i++) {
        const uint32_t count = vertices[i].num_weights;
        const md5_weight *const weight = count == 1 ? &weights[vertices[i].first_weight] : NULL;
        counted += count;
        max_influences = count > max_influences ? count : max_influences;
        if (weight && weight->bias == 1.0f) {
            num_whole = num_whole > 0 && weight->joint == joint ? num_whole + 1 : 1;
            num_left += num_whole == 1;
            joint = weight->joint;
            parts += TEAM_WORDS;
            if (num_whole == MD5_SKIN_GROUP) {
                parts -= MD5_SKIN_GROUP * (TEAM_WORDS - SPAN_WORDS);
                num_spans++;
                num_left--;
                num_whole = 0;
            }
            continue;
        }
        num_whole = 0;
        num_left++;
        if (count <= 2) {
            parts += count * EXACT_WORDS;
        } else if (count <= MD5_SKIN_MOST_TOGETHER) {
            exact += count * EXACT_WORDS;
            blended += blend_words(count);
            if (i >= next_look) {
                looks[num_looks++] = look_at(&vertices[i], weights, joints);
                next_look = i + 1 + num_vertices / MOST_LOOKS;
            }
        }
    }
    parts += expected_parts(exact, blended, looks, num_looks);
    const uint64_t copied = num_influences > counted ? num_influences - counted : 0;
    uint64_t words = (parts + copied * EXACT_WORDS) / MD5_SKIN_GROUP;
    words += words / SPARE_PART + smaller(SPARE_WORDS * (size_t)num_left, MOST_SPARE_WORDS);
    // Below 9 a team of three whole vertices would not fit.
    const uint64_t most = 9 * (uint64_t)num_influences;
    words = words < most ? words : most;
    return (md5_skin_plan_size){max_influences, num_spans,
                                words < UINT32_MAX ? (uint32_t)words : UINT32_MAX};
}

// Memory stays in proportion to the mesh's: when there is no more room for groups, what is left are
// singles, which need one place each and no words. A span needs one, and of what that leaves teams
// that are not full get some.
static uint32_t least_places(uint32_t num_vertices, const md5_skin_plan_size *size)
{
    return num_vertices - size->num_spans * (MD5_SKIN_GROUP - 1);
}

static uint32_t most_places(uint32_t num_vertices, const md5_skin_plan_size *size)
{
    enum { SPARE_PLACES = 2 * MD5_SKIN_GROUP };
    const uint32_t spare = num_vertices / SPARE_PART + SPARE_PLACES;
    return least_places(num_vertices, size) + (spare < num_vertices ? spare : num_vertices);
}

// Spans and teams of each number of influences that they can have, and singles of every kind.
static size_t most_runs(uint32_t max_influences)
{
    const size_t most = smaller(max_influences, MD5_SKIN_MOST_TOGETHER);
    const size_t exact = most, blend = most > 2 ? most - 2 : 0, whole = 1;
    return 2 * (exact + blend + whole) + MD5_SKIN_KINDS;
}

void md5_skin_plan_take(md5_block *block, uint32_t num_vertices, const md5_skin_plan_size *size,
                        md5_skin_plan_room *room)
{
    const size_t num_runs = smaller(num_vertices, most_runs(size->max_influences));
    room->plan = md5_block_take(block, 1, sizeof *room->plan);
    room->runs = md5_block_take(block, num_runs, sizeof *room->runs);
    room->vertices = md5_block_take(block, most_places(num_vertices, size), sizeof *room->vertices);
    room->words = md5_block_take(block, size->num_words, sizeof *room->words);
    room->size = *size;
}

// -- Building -------------------------------------------------------------------------------

// Runs of one number of influences. All that there can be are filled in two walks: one counts, one
// places.
typedef struct run_table {
    md5_skin_run runs[MD5_SKIN_ORDERS][MD5_SKIN_KINDS];
} run_table;

typedef struct plan_builder {
    const md5_mesh *mesh;
    const md5_skin_plan_room *room;
    bool is_counting;
    // What is left: spans for which there is room in any case; besides, places and words.
    uint32_t num_spans, spare_places, spare_words;
    uint32_t num_tables;
    run_table tables[MD5_SKIN_MOST_TOGETHER + 1]; // while placing, where each run goes on

    // Groups that are not full yet, at a place that follows from their joints.
    bool has_groups;
    uint32_t log2_slots;
    uint32_t num_taken; // slots with an open group
    uint8_t num_open[SLOTS];
    uint8_t kinds[SLOTS];
    uint32_t open[SLOTS][MD5_SKIN_GROUP];
} plan_builder;

// What has to be equal in a group.
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

// The floats of one vertex of a group.
static void write_lane(const md5_mesh *mesh, md5_skin_order order, joint_set set, uint32_t vertex,
                       uint32_t *to)
{
    for (uint32_t i = 0; i < set.count && set.kind != MD5_SKIN_WHOLE; i++) {
        const md5_vec4 influence = influence_of(mesh, vertex, i);
        const float floats[4] = {influence.x, influence.y, influence.z, influence.w};
        for (uint32_t k = set.kind == MD5_SKIN_EXACT ? 0 : 3; k < 4; k++, to += MD5_SKIN_GROUP)
            memcpy(to, &floats[k], sizeof *to);
    }
    const md5_vec3 place = mesh->positions[vertex];
    const float floats[3] = {place.x, place.y, place.z};
    const bool has_place = order == MD5_SKIN_TEAMS && set.kind != MD5_SKIN_EXACT;
    for (uint32_t k = 0; k < 3 && has_place; k++, to += MD5_SKIN_GROUP)
        memcpy(to, &floats[k], sizeof *to);
}

static void write_group(const plan_builder *builder, const md5_skin_run *run, joint_set set,
                        const uint32_t vertices[MD5_SKIN_GROUP])
{
    uint32_t *const words = builder->room->words + run->words;
    memcpy(words, set.joints, set.count * sizeof *words);
    const bool is_team = run->order == MD5_SKIN_TEAMS;
    builder->room->vertices[run->vertices] = vertices[0];
    if (!is_team && set.kind == MD5_SKIN_WHOLE)
        return; // has no floats
    for (uint32_t i = 0; i < MD5_SKIN_GROUP; i++) {
        write_lane(builder->mesh, run->order, set, vertices[i], words + set.count + i);
        if (is_team)
            builder->room->vertices[run->vertices + i] = 3 * vertices[i];
    }
}

static void add_single(plan_builder *builder, uint32_t vertex, joint_set set)
{
    const uint32_t count = set.count <= MD5_SKIN_MOST_TOGETHER ? set.count : 0;
    md5_skin_run *const run = &builder->tables[count].runs[MD5_SKIN_SINGLES][set.kind];
    run->count++;
    if (!builder->is_counting)
        builder->room->vertices[run->vertices++] = vertex;
}

// False if there is no room.
static bool add_group(plan_builder *builder, md5_skin_order order, joint_set set,
                      const uint32_t vertices[MD5_SKIN_GROUP])
{
    const uint32_t num_words = md5_skin_num_words(set.kind, order, set.count);
    if (order == MD5_SKIN_SPANS && set.kind == MD5_SKIN_WHOLE && builder->num_spans > 0) {
        builder->num_spans--;
    } else {
        if (builder->spare_words < num_words)
            return false;
        builder->spare_words -= num_words;
        builder->spare_places += order == MD5_SKIN_SPANS ? MD5_SKIN_GROUP - 1 : 0;
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

// Fills a team up with its first vertex, so that it ascends.
static bool add_team(plan_builder *builder, joint_set set, const uint32_t *vertices, uint32_t count)
{
    const uint32_t num_missing = MD5_SKIN_GROUP - count;
    if (count < FEWEST_TOGETHER || builder->spare_places < num_missing)
        return false;
    uint32_t team[MD5_SKIN_GROUP];
    for (uint32_t i = 0; i < MD5_SKIN_GROUP; i++)
        team[i] = vertices[i < num_missing ? 0 : i - num_missing];
    TRY(add_group(builder, MD5_SKIN_TEAMS, set, team));
    builder->spare_places -= num_missing;
    return true;
}

static void close_slot(plan_builder *builder, uint32_t slot)
{
    const uint32_t count = builder->num_open[slot];
    const uint32_t *const open = builder->open[slot];
    const joint_set set = set_of(builder->mesh, open[0], builder->kinds[slot]);
    builder->num_open[slot] = 0;
    builder->num_taken--;
    if (add_team(builder, set, open, count))
        return;
    for (uint32_t i = 0; i < count; i++)
        add_single(builder, open[i], set);
}

// A set of joints that finds its slot taken by another sends that one off: linear time, whatever
// the joints are.
static void add_to_team(plan_builder *builder, uint32_t vertex, joint_set set, uint32_t slot)
{
    uint8_t *const count = &builder->num_open[slot];
    uint32_t *const open = builder->open[slot];
    if (*count > 0 && !is_same(set, set_of(builder->mesh, open[0], builder->kinds[slot])))
        close_slot(builder, slot);
    builder->kinds[slot] = (uint8_t)set.kind;
    builder->num_taken += *count == 0;
    open[(*count)++] = vertex;
    if (*count == MD5_SKIN_GROUP)
        close_slot(builder, slot);
}

// Consecutive vertices on the same joints.
static void add_stretch(plan_builder *builder, uint32_t first, uint32_t end, joint_set set)
{
    if (set.count == 0 || set.count > MD5_SKIN_MOST_TOGETHER) {
        for (uint32_t vertex = first; vertex < end; vertex++)
            add_single(builder, vertex, set);
        return;
    }
    for (; end - first >= MD5_SKIN_GROUP; first += MD5_SKIN_GROUP) {
        uint32_t span[MD5_SKIN_GROUP];
        for (uint32_t i = 0; i < MD5_SKIN_GROUP; i++)
            span[i] = first + i;
        if (!add_group(builder, MD5_SKIN_SPANS, set, span))
            break;
    }
    const uint32_t slot = slot_of(builder, set);
    for (; first < end; first++)
        add_to_team(builder, first, set, slot);
}

static void walk(plan_builder *builder)
{
    const md5_mesh *const mesh = builder->mesh;
    const md5_skin_plan_size *const size = &builder->room->size;
    builder->num_spans = size->num_spans;
    builder->spare_places =
        most_places(mesh->num_vertices, size) - least_places(mesh->num_vertices, size);
    builder->spare_words = size->num_words - size->num_spans * SPAN_WORDS;
    joint_set next = set_of(mesh, 0, kind_of(mesh, 0));
    for (uint32_t first = 0, end = 0; first < mesh->num_vertices; first = end) {
        const joint_set set = next;
        while (++end < mesh->num_vertices) {
            next = set_of(mesh, end, kind_of(mesh, end));
            if (!is_same(set, next))
                break;
        }
        add_stretch(builder, first, end, set);
    }
    for (uint32_t slot = 0; builder->num_taken > 0; slot++) {
        if (builder->num_open[slot] > 0)
            close_slot(builder, slot);
    }
}

// Singles of one kind are one run, in which those with the same number of influences are
// neighbours.
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
    const md5_skin_order begin = builder->has_groups ? MD5_SKIN_SPANS : MD5_SKIN_SINGLES;
    for (md5_skin_order order = begin; order < MD5_SKIN_ORDERS; order++) {
        for (md5_skin_kind kind = MD5_SKIN_NONE; kind < MD5_SKIN_KINDS; kind++) {
            for (uint32_t count = 0; count < builder->num_tables; count++) {
                md5_skin_run *const run = &builder->tables[count].runs[order][kind];
                if (run->count == 0)
                    continue;
                *run = (md5_skin_run){run->count,    vertices,       words,
                                      (uint8_t)kind, (uint8_t)order, (uint8_t)count};
                add_run(builder, run);
                vertices += run->count * md5_skin_num_vertices(order);
                if (order != MD5_SKIN_SINGLES)
                    words += run->count * md5_skin_num_words(kind, order, count);
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
    builder.num_tables = 1 + (uint32_t)smaller(room->size.max_influences, MD5_SKIN_MOST_TOGETHER);
    builder.log2_slots = MIN_LOG2_SLOTS;
    while (builder.log2_slots < MAX_LOG2_SLOTS
           && (1u << builder.log2_slots) / SLOTS_A_VERTEX < mesh->num_vertices)
        builder.log2_slots++;
    memset(builder.tables, 0, builder.num_tables * sizeof *builder.tables);
    memset(builder.num_open, 0, (size_t)1 << builder.log2_slots);
    walk(&builder);
    lay_out_runs(&builder);
    builder.is_counting = false;
    walk(&builder);
    return room->plan;
}
