// How md5_skin() goes through the vertices of a mesh: a plan, made once at load.
#ifndef MD5_SKIN_PLAN_H
#define MD5_SKIN_PLAN_H

#include "md5/core/arena.h"

// Vertices that are done at once, whatever the instruction set.
#define MD5_SKIN_GROUP 8

// Vertices of more influences than this are never done in groups.
#define MD5_SKIN_MOST_TOGETHER 8

// How the place of a vertex is computed: see skin_scalar.c for the two forms of the sum.
typedef enum md5_skin_kind {
    MD5_SKIN_NONE,  // no influence: stays where it is, at the origin
    MD5_SKIN_WHOLE, // one influence, which is the bind position with bias 1
    MD5_SKIN_BLEND, // more, whose points are the bind position: matrices are blended
    MD5_SKIN_EXACT, // any others
    MD5_SKIN_KINDS
} md5_skin_kind;

// How the vertices of a run stand in memory.
typedef enum md5_skin_order {
    MD5_SKIN_SPANS,   // groups of consecutive vertices on the same joints
    MD5_SKIN_TEAMS,   // groups of any vertices on the same joints
    MD5_SKIN_SINGLES, // vertices that share their joints with too few others
    MD5_SKIN_ORDERS
} md5_skin_order;

// What is done in one go: vertices of one kind, order and number of influences.
typedef struct md5_skin_run {
    uint32_t count;         // groups, or single vertices
    uint32_t vertices;      // place in md5_skin_plan.vertices
    uint32_t words;         // place in md5_skin_plan.words
    uint8_t kind, order;    // md5_skin_kind, md5_skin_order
    uint8_t num_influences; // of each vertex; 0 where they are more than are done together
} md5_skin_run;

// Every vertex is in one group or is a single. The vertices of a group have the same joints in the
// same order, so that a matrix entry is loaded once for all of them. Results go to the vertices'
// own places: nothing is reordered.
struct md5_skin_plan {
    uint32_t num_runs;
    const md5_skin_run *runs;

    // One a span, its first; MD5_SKIN_GROUP a team, ascending, three times each (where the floats
    // of its place are), and a team of fewer begins with its first one several times; one a single.
    const uint32_t *vertices;

    // What a group is computed from, in the order in which it is needed, with each float of all
    // MD5_SKIN_GROUP vertices side by side:
    //   joints    num_influences
    //   blended   a bias for each joint; of a team, then x y z in the bind pose
    //   whole     of a team, x y z in the bind pose
    //   exact     an influence, x y z w, for each joint
    const uint32_t *words;
};

// What is set aside for a plan.
typedef struct md5_skin_plan_size {
    uint32_t max_influences; // of one vertex, at most
    uint32_t num_spans;      // of whole vertices, at least
    uint32_t num_words;      // at least num_spans; what finds no room there is done one by one
} md5_skin_plan_size;

// What the plan of most meshes needs, and little more, from the vertices and weights of a file, and
// its joints in model space, or NULL: then nothing counts as blended, which is more.
// num_influences: at most, of the copies on mirror seams as well.
md5_skin_plan_size md5_skin_plan_measure(const md5_vertex *vertices, uint32_t num_vertices,
                                         const md5_weight *weights, const md5_transform *joints,
                                         uint32_t num_influences);

// Where a plan is built.
typedef struct md5_skin_plan_room {
    md5_skin_plan *plan;
    md5_skin_run *runs;
    uint32_t *vertices, *words;
    md5_skin_plan_size size;
} md5_skin_plan_room;

void md5_skin_plan_take(md5_block *block, uint32_t num_vertices, const md5_skin_plan_size *size,
                        md5_skin_plan_room *room);

// Makes the plan of a mesh that is complete but for it. NULL if it has more vertices than three
// times which fit into 32 bits.
const md5_skin_plan *md5_skin_plan_build(const md5_mesh *mesh, const md5_skin_plan_room *room);

// The kind of one vertex by itself.
md5_skin_kind md5_skin_kind_of(const md5_mesh *mesh, uint32_t vertex);

// How much of md5_skin_plan.vertices a group takes; how many floats for each vertex, and how much
// of md5_skin_plan.words.
static inline uint32_t md5_skin_num_vertices(md5_skin_order order)
{
    return order == MD5_SKIN_TEAMS ? MD5_SKIN_GROUP : 1;
}

static inline uint32_t md5_skin_num_floats(md5_skin_kind kind, md5_skin_order order,
                                           uint32_t num_influences)
{
    if (kind == MD5_SKIN_EXACT)
        return 4 * num_influences;
    return (kind == MD5_SKIN_BLEND ? num_influences : 0) + (order == MD5_SKIN_TEAMS ? 3 : 0);
}

static inline uint32_t md5_skin_num_words(md5_skin_kind kind, md5_skin_order order,
                                          uint32_t num_influences)
{
    return num_influences + MD5_SKIN_GROUP * md5_skin_num_floats(kind, order, num_influences);
}

#endif
