#include "md5/skin/plan.h"

#include <math.h>
#include <string.h>

// Fewer vertices of one kind in a block than this are faster done from a list.
enum { MOST_OF_BLOCK = 5 };

// Fewer blocks in a row than this are not worth a run of their own.
enum { FEWEST_BLOCKS = 4 };

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
    return kind == vertex || (vertex == MD5_SKIN_WHOLE && kind == MD5_SKIN_ONE);
}

uint32_t md5_skin_count_read(md5_skin_kind kind)
{
    static const uint8_t counts[MD5_SKIN_KINDS] = {
        [MD5_SKIN_WHOLE] = 1,      [MD5_SKIN_ONE] = 1,    [MD5_SKIN_TWO] = 2,
        [MD5_SKIN_MANY] = 1,       [MD5_SKIN_BLEND3] = 3, [MD5_SKIN_BLEND4] = 4,
        [MD5_SKIN_BLEND_MANY] = 1,
    };
    return counts[kind];
}

static uint32_t joint_of(const md5_mesh *mesh, uint32_t vertex)
{
    return mesh->influence_joints[mesh->first_influence[vertex]];
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
        if (count > most && md5_skin_count_read(kind) <= fewest_influences) {
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
    return block;
}

// How many blocks from `first` on are nothing but vertices of one kind; of whole ones, on one
// joint.
static uint32_t count_blocks(const md5_mesh *mesh, uint32_t first, md5_skin_kind kind)
{
    uint32_t vertex = first;
    while (vertex < mesh->num_vertices && md5_skin_kind_of(mesh, vertex) == kind
           && (kind != MD5_SKIN_WHOLE || joint_of(mesh, vertex) == joint_of(mesh, first)))
        vertex++;
    return (vertex - first) / MD5_SKIN_BLOCK;
}

// The span that begins with a block; of no vertices where there is none that is worth it.
static md5_skin_run span_at(const md5_mesh *mesh, uint32_t first)
{
    const md5_skin_kind kind = md5_skin_kind_of(mesh, first);
    const bool has_own_counts = kind == MD5_SKIN_MANY || kind == MD5_SKIN_BLEND_MANY;
    const bool can_be = kind != MD5_SKIN_NONE && !has_own_counts;
    const uint32_t num_blocks = can_be ? count_blocks(mesh, first, kind) : 0;
    return (md5_skin_run){
        .first = first,
        .count = num_blocks < FEWEST_BLOCKS ? 0 : MD5_SKIN_BLOCK * num_blocks,
        .kind = kind == MD5_SKIN_WHOLE ? MD5_SKIN_RIGID : kind,
        .order = MD5_SKIN_SPAN,
    };
}

// -- Building -------------------------------------------------------------------------------

// The runs that are not spans, filled in two walks: one counts, one places.
typedef struct plan_builder {
    const md5_mesh *mesh;
    const md5_skin_plan_room *room;
    bool is_counting;
    uint32_t counts[MD5_SKIN_ORDERS][MD5_SKIN_KINDS], next[MD5_SKIN_ORDERS][MD5_SKIN_KINDS];
} plan_builder;

static uint32_t most_runs(uint32_t num_vertices)
{
    const uint32_t most_others = MD5_SKIN_ORDERS * MD5_SKIN_KINDS;
    return num_vertices / (MD5_SKIN_BLOCK * FEWEST_BLOCKS)
           + (num_vertices < most_others ? num_vertices : most_others);
}

void md5_skin_plan_take(md5_block *block, uint32_t num_vertices, uint32_t num_influences,
                        md5_skin_plan_room *room)
{
    room->plan = md5_block_take(block, 1, sizeof *room->plan);
    room->runs = md5_block_take(block, most_runs(num_vertices), sizeof *room->runs);
    room->vertices = md5_block_take(block, (size_t)num_vertices + num_vertices / MD5_SKIN_BLOCK,
                                    sizeof *room->vertices);
    room->offsets = md5_block_take(block, num_influences, sizeof *room->offsets);
}

static void add_run(const plan_builder *builder, md5_skin_run run)
{
    builder->room->runs[builder->room->plan->num_runs++] = run;
}

static void add(plan_builder *builder, uint32_t vertex, md5_skin_kind kind, md5_skin_order order)
{
    if (builder->is_counting)
        builder->counts[order][kind]++;
    else
        builder->room->vertices[builder->next[order][kind]++] = vertex;
}

static void add_block(plan_builder *builder, uint32_t first)
{
    const block_kind block = look_at_block(builder->mesh, first);
    if (block.whole != MD5_SKIN_NONE)
        add(builder, first, block.whole, MD5_SKIN_BLOCKS);
    for (uint32_t i = 0; i < MD5_SKIN_BLOCK; i++) {
        if (block.whole == MD5_SKIN_NONE || !covers(block.whole, block.vertices[i]))
            add(builder, first + i, block.vertices[i], MD5_SKIN_LIST);
    }
}

static void walk(plan_builder *builder)
{
    const md5_mesh *const mesh = builder->mesh;
    const uint32_t end = mesh->num_vertices - mesh->num_vertices % MD5_SKIN_BLOCK;
    for (uint32_t first = 0; first < end;) {
        const md5_skin_run span = span_at(mesh, first);
        if (span.count == 0)
            add_block(builder, first);
        else if (builder->is_counting)
            add_run(builder, span);
        first += span.count > 0 ? span.count : MD5_SKIN_BLOCK;
    }
    for (uint32_t vertex = end; vertex < mesh->num_vertices; vertex++)
        add(builder, vertex, md5_skin_kind_of(mesh, vertex), MD5_SKIN_LIST);
}

static void lay_out_runs(plan_builder *builder)
{
    uint32_t place = 0;
    for (md5_skin_order order = MD5_SKIN_BLOCKS; order < MD5_SKIN_ORDERS; order++) {
        for (md5_skin_kind kind = MD5_SKIN_NONE; kind < MD5_SKIN_KINDS; kind++) {
            const uint32_t count = builder->counts[order][kind];
            builder->next[order][kind] = place;
            if (count > 0)
                add_run(builder, (md5_skin_run){place, count, kind, order});
            place += count;
        }
    }
}

static bool write_offsets(const md5_mesh *mesh, uint32_t *offsets)
{
    for (uint32_t i = 0; i < mesh->first_influence[mesh->num_vertices]; i++) {
        const uint64_t offset = mesh->influence_joints[i] * (uint64_t)sizeof(md5_mat34);
        if (offset > UINT32_MAX)
            return false;
        offsets[i] = (uint32_t)offset;
    }
    return true;
}

const md5_skin_plan *md5_skin_plan_build(const md5_mesh *mesh, const md5_skin_plan_room *room)
{
    if (!write_offsets(mesh, room->offsets))
        return NULL;
    *room->plan =
        (md5_skin_plan){.runs = room->runs, .vertices = room->vertices, .offsets = room->offsets};
    plan_builder builder = {.mesh = mesh, .room = room, .is_counting = true};
    walk(&builder);
    lay_out_runs(&builder);
    builder.is_counting = false;
    walk(&builder);
    return room->plan;
}
