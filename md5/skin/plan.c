#include "md5/skin/plan.h"

#include <math.h>
#include <string.h>

// Fewer vertices of one kind in a block than this are faster done from a list.
enum { MOST_OF_BLOCK = 5 };

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

static uint32_t count_influences(const md5_mesh *mesh, uint32_t vertex)
{
    return mesh->first_influence[vertex + 1] - mesh->first_influence[vertex];
}

static bool is_whole(const md5_mesh *mesh, uint32_t vertex)
{
    const md5_vec4 q = mesh->influences[mesh->first_influence[vertex]];
    return q.w == 1.0f && memcmp(&q, &mesh->positions[vertex], sizeof(md5_vec3)) == 0;
}

// Of two influences the exact sum takes as long as blending.
md5_skin_kind md5_skin_kind_of(const md5_mesh *mesh, uint32_t vertex)
{
    switch (count_influences(mesh, vertex)) {
    case 0:
        return MD5_SKIN_NONE;
    case 1:
        return is_whole(mesh, vertex) ? MD5_SKIN_WHOLE : MD5_SKIN_ONE;
    case 2:
        return MD5_SKIN_TWO;
    case 3:
        return points_meet(mesh, vertex) ? MD5_SKIN_BLEND3 : MD5_SKIN_MANY;
    case 4:
        return points_meet(mesh, vertex) ? MD5_SKIN_BLEND4 : MD5_SKIN_MANY;
    default:
        return points_meet(mesh, vertex) ? MD5_SKIN_BLEND_MANY : MD5_SKIN_MANY;
    }
}

// -- Blocks ---------------------------------------------------------------------------------

// How a block is done, MD5_SKIN_NONE for not as one; and what its vertices are.
typedef struct block_kind {
    md5_skin_kind whole, vertices[MD5_SKIN_BLOCK];
} block_kind;

// Whether doing a vertex as another kind gives the same bits.
static bool covers(md5_skin_kind kind, md5_skin_kind vertex)
{
    return kind == vertex
           || (vertex == MD5_SKIN_WHOLE && (kind == MD5_SKIN_RIGID || kind == MD5_SKIN_ONE));
}

// How many influences of a vertex a kind reads, whether it has them or not.
static uint32_t count_read(md5_skin_kind kind)
{
    static const uint8_t counts[MD5_SKIN_KINDS] = {
        [MD5_SKIN_WHOLE] = 1,      [MD5_SKIN_ONE] = 1,    [MD5_SKIN_TWO] = 2,
        [MD5_SKIN_MANY] = 1,       [MD5_SKIN_BLEND3] = 3, [MD5_SKIN_BLEND4] = 4,
        [MD5_SKIN_BLEND_MANY] = 1, [MD5_SKIN_RIGID] = 1,
    };
    return counts[kind];
}

static uint32_t joint_of(const md5_mesh *mesh, uint32_t vertex)
{
    return mesh->influence_joints[mesh->first_influence[vertex]];
}

static bool is_rigid(const md5_mesh *mesh, uint32_t first, const block_kind *block)
{
    for (uint32_t i = 0; i < MD5_SKIN_BLOCK; i++) {
        if (block->vertices[i] != MD5_SKIN_WHOLE
            || joint_of(mesh, first + i) != joint_of(mesh, first))
            return false;
    }
    return true;
}

static uint32_t count_covered(const block_kind *block, md5_skin_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MD5_SKIN_BLOCK; i++)
        count += covers(kind, block->vertices[i]);
    return count;
}

// The kind that covers most vertices, of those that all of the block's can be done as.
static md5_skin_kind prevailing_kind(const block_kind *block, uint32_t fewest_influences)
{
    md5_skin_kind best = MD5_SKIN_NONE;
    uint32_t most = MOST_OF_BLOCK - 1;
    for (md5_skin_kind kind = MD5_SKIN_WHOLE; kind <= MD5_SKIN_BLEND_MANY; kind++) {
        const uint32_t count = count_covered(block, kind);
        if (count > most && count_read(kind) <= fewest_influences) {
            best = kind;
            most = count;
        }
    }
    return best;
}

static block_kind look_at_block(const md5_mesh *mesh, uint32_t first)
{
    block_kind block;
    uint32_t fewest = UINT32_MAX;
    for (uint32_t i = 0; i < MD5_SKIN_BLOCK; i++) {
        const uint32_t count = count_influences(mesh, first + i);
        fewest = count < fewest ? count : fewest;
        block.vertices[i] = md5_skin_kind_of(mesh, first + i);
    }
    block.whole = prevailing_kind(&block, fewest);
    if (block.whole == MD5_SKIN_WHOLE && is_rigid(mesh, first, &block))
        block.whole = MD5_SKIN_RIGID;
    return block;
}

// -- Building -------------------------------------------------------------------------------

static uint32_t most_runs(uint32_t num_vertices)
{
    const uint32_t most_lists = num_vertices < MD5_SKIN_KINDS ? num_vertices : MD5_SKIN_KINDS;
    return num_vertices / MD5_SKIN_BLOCK + most_lists;
}

void md5_skin_plan_take(md5_block *block, uint32_t num_vertices, md5_skin_plan_room *room)
{
    room->plan = md5_block_take(block, 1, sizeof *room->plan);
    room->runs = md5_block_take(block, most_runs(num_vertices), sizeof *room->runs);
    room->vertices = md5_block_take(block, num_vertices, sizeof *room->vertices);
}

static bool goes_on(const md5_mesh *mesh, const md5_skin_run *span, const md5_skin_run *block)
{
    return span->first + span->num_vertices == block->first && span->kind == block->kind
           && span->is_uniform == block->is_uniform
           && (span->kind != MD5_SKIN_RIGID
               || joint_of(mesh, span->first) == joint_of(mesh, block->first));
}

// Adds a block to the last span or begins another.
static void add_block(const md5_mesh *mesh, uint32_t first, md5_skin_kind kind,
                      const md5_skin_plan_room *room)
{
    md5_skin_plan *const plan = room->plan;
    const uint32_t *const influence = mesh->first_influence + first;
    const uint32_t count = influence[MD5_SKIN_BLOCK] - influence[0];
    const md5_skin_run block = {
        .first = first,
        .num_vertices = MD5_SKIN_BLOCK,
        .kind = kind,
        .is_uniform = count == MD5_SKIN_BLOCK * count_read(kind),
    };
    if (plan->num_spans > 0 && goes_on(mesh, &room->runs[plan->num_spans - 1], &block))
        room->runs[plan->num_spans - 1].num_vertices += MD5_SKIN_BLOCK;
    else
        room->runs[plan->num_spans++] = block;
}

// The lists of vertices that no span covers, filled in two walks: one counts, one places.
typedef struct list_builder {
    uint32_t counts[MD5_SKIN_KINDS], next[MD5_SKIN_KINDS];
    uint32_t *vertices; // NULL while counting
} list_builder;

static void list_vertex(list_builder *lists, uint32_t vertex, md5_skin_kind kind)
{
    if (lists->vertices)
        lists->vertices[lists->next[kind]++] = vertex;
    else
        lists->counts[kind]++;
}

static void walk(const md5_mesh *mesh, list_builder *lists, const md5_skin_plan_room *room)
{
    const uint32_t end = mesh->num_vertices - mesh->num_vertices % MD5_SKIN_BLOCK;
    for (uint32_t first = 0; first < end; first += MD5_SKIN_BLOCK) {
        const block_kind block = look_at_block(mesh, first);
        if (block.whole != MD5_SKIN_NONE && !lists->vertices)
            add_block(mesh, first, block.whole, room);
        for (uint32_t i = 0; i < MD5_SKIN_BLOCK; i++) {
            if (block.whole == MD5_SKIN_NONE || !covers(block.whole, block.vertices[i]))
                list_vertex(lists, first + i, block.vertices[i]);
        }
    }
    for (uint32_t vertex = end; vertex < mesh->num_vertices; vertex++)
        list_vertex(lists, vertex, md5_skin_kind_of(mesh, vertex));
}

const md5_skin_plan *md5_skin_plan_build(const md5_mesh *mesh, const md5_skin_plan_room *room)
{
    md5_skin_plan *const plan = room->plan;
    *plan = (md5_skin_plan){.runs = room->runs, .vertices = room->vertices};
    list_builder lists = {.vertices = NULL};
    walk(mesh, &lists, room);
    uint32_t place = 0;
    for (md5_skin_kind kind = MD5_SKIN_NONE; kind < MD5_SKIN_KINDS; kind++) {
        const uint32_t count = lists.counts[kind];
        lists.next[kind] = place;
        if (count > 0)
            room->runs[plan->num_spans + plan->num_lists++] =
                (md5_skin_run){place, count, kind, false};
        place += count;
    }
    lists.vertices = room->vertices;
    walk(mesh, &lists, room);
    return plan;
}
