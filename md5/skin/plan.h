// The plan by which md5_skin() walks the vertices of a mesh, built once at load.
//
// Vertices on the same joints are skinned in groups of eight, because a matrix entry is then loaded
// once for all of them. A contiguous group is eight consecutive vertices; a gathered group takes
// its vertices from anywhere in the mesh; vertices that share their joints with too few others are
// singles. Invariant: every vertex is in exactly one group or is a single, and results go to the
// vertex's own index, so that nothing is reordered.
#ifndef MD5_SKIN_PLAN_H
#define MD5_SKIN_PLAN_H

#include "md5/core/arena.h"

// Vertices in a group, for every instruction set.
#define MD5_SKIN_GROUP 8

// Vertices with more influences than this are never grouped.
#define MD5_SKIN_MAX_INFLUENCES 8

// How the position of a vertex is computed: see skin_scalar.c for the two forms of the sum.
typedef enum md5_skin_kind {
    MD5_SKIN_NONE,  // no influence: stays at the origin
    MD5_SKIN_RIGID, // one influence: the bind position with bias 1
    MD5_SKIN_BLEND, // three or more, all at the bind position: matrices are blended
    MD5_SKIN_EXACT, // all others
    MD5_SKIN_KINDS
} md5_skin_kind;

// Where the vertices of a run are in memory.
typedef enum md5_skin_order {
    MD5_SKIN_CONTIGUOUS, // groups of consecutive vertices on the same joints
    MD5_SKIN_GATHERED,   // groups of any vertices on the same joints
    MD5_SKIN_SINGLES,    // vertices that share their joints with too few others
    MD5_SKIN_ORDERS
} md5_skin_order;

// Vertices of one kind, order and number of influences, skinned by one loop.
typedef struct md5_skin_run {
    uint32_t count;         // groups, or single vertices
    uint32_t vertices;      // index into md5_skin_plan.vertices
    uint32_t words;         // index into md5_skin_plan.words
    uint8_t kind, order;    // md5_skin_kind, md5_skin_order
    uint8_t num_influences; // of each vertex; 0 = more than MD5_SKIN_MAX_INFLUENCES
} md5_skin_run;

// The vertices of a group have the same joints in the same order.
struct md5_skin_plan {
    uint32_t num_runs;
    const md5_skin_run *runs;

    // Contiguous group: its first vertex. Gathered group: MD5_SKIN_GROUP ascending numbers, three
    // times the vertex (the offset of its position in floats); if it has fewer vertices, the first
    // one is repeated. Single: the vertex.
    const uint32_t *vertices;

    // Inputs of each group, in the order in which they are read. Each float is stored for all
    // MD5_SKIN_GROUP vertices side by side:
    //   joints    num_influences
    //   blended   a bias for each joint; in a gathered group, then x y z in the bind pose
    //   rigid     in a gathered group, x y z in the bind pose
    //   exact     an influence, x y z w, for each joint
    const uint32_t *words;
};

// How much memory is reserved for a plan.
typedef struct md5_skin_plan_size {
    uint32_t max_influences; // upper bound for one vertex
    uint32_t num_contiguous; // lower bound: contiguous groups of rigid vertices
    uint32_t num_words;      // at least num_contiguous; groups that do not fit become singles
} md5_skin_plan_size;

// Estimates how much memory the plan of a mesh needs, with little to spare, from the vertices and
// weights of a file. `joints` are in model space, or NULL: then no vertex counts as blended, which
// reserves more. `num_influences` is an upper bound that includes the copies at mirror seams.
md5_skin_plan_size md5_skin_plan_measure(const md5_vertex *vertices, uint32_t num_vertices,
                                         const md5_weight *weights, const md5_transform *joints,
                                         uint32_t num_influences);

// Memory in which a plan is built.
typedef struct md5_skin_plan_room {
    md5_skin_plan *plan;
    md5_skin_run *runs;
    uint32_t *vertices, *words;
    md5_skin_plan_size size;
} md5_skin_plan_room;

void md5_skin_plan_take(md5_block *block, uint32_t num_vertices, const md5_skin_plan_size *size,
                        md5_skin_plan_room *room);

// Builds the plan of a mesh that is complete except for its plan. Returns NULL if three times its
// number of vertices exceeds 32 bits.
const md5_skin_plan *md5_skin_plan_build(const md5_mesh *mesh, const md5_skin_plan_room *room);

// Returns the kind of one vertex.
md5_skin_kind md5_skin_kind_of(const md5_mesh *mesh, uint32_t vertex);

// Size of a group: elements of md5_skin_plan.vertices; floats per vertex; elements of
// md5_skin_plan.words.
static inline uint32_t md5_skin_num_vertices(md5_skin_order order)
{
    return order == MD5_SKIN_GATHERED ? MD5_SKIN_GROUP : 1;
}

static inline uint32_t md5_skin_num_floats(md5_skin_kind kind, md5_skin_order order,
                                           uint32_t num_influences)
{
    if (kind == MD5_SKIN_EXACT)
        return 4 * num_influences;
    return (kind == MD5_SKIN_BLEND ? num_influences : 0) + (order == MD5_SKIN_GATHERED ? 3 : 0);
}

static inline uint32_t md5_skin_num_words(md5_skin_kind kind, md5_skin_order order,
                                          uint32_t num_influences)
{
    return num_influences + MD5_SKIN_GROUP * md5_skin_num_floats(kind, order, num_influences);
}

#endif
