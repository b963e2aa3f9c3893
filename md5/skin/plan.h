// How md5_skin() goes through the vertices of a mesh: a plan, made once at load.
#ifndef MD5_SKIN_PLAN_H
#define MD5_SKIN_PLAN_H

#include "md5/core/arena.h"

// Consecutive vertices that are done at once, whatever the instruction set.
#define MD5_SKIN_BLOCK 8

// How the place of a vertex is computed: see skin_scalar.c for the two forms of the sum.
typedef enum md5_skin_kind {
    MD5_SKIN_NONE,       // no influence: stays where it is, at the origin
    MD5_SKIN_WHOLE,      // one influence, which is the bind position with bias 1
    MD5_SKIN_ONE,        // one influence
    MD5_SKIN_TWO,        // two
    MD5_SKIN_MANY,       // more, each vertex with a number of its own
    MD5_SKIN_BLEND3,     // blended: three influences
    MD5_SKIN_BLEND4,     // four
    MD5_SKIN_BLEND_MANY, // more, each vertex with a number of its own
    MD5_SKIN_RIGID,      // a span of whole ones on one and the same joint
    MD5_SKIN_KINDS
} md5_skin_kind;

// How the vertices of a run stand in memory.
typedef enum md5_skin_order {
    MD5_SKIN_SPAN,   // consecutive ones, in whole blocks, and their influences too
    MD5_SKIN_BLOCKS, // blocks in which most vertices are of the kind
    MD5_SKIN_LIST,   // any
    MD5_SKIN_ORDERS
} md5_skin_order;

// Vertices that are done together.
typedef struct md5_skin_run {
    uint32_t first; // vertex of a span, else place in md5_skin_plan.vertices
    uint32_t count; // vertices, or blocks
    md5_skin_kind kind;
    md5_skin_order order;
} md5_skin_run;

// Blocks begin at multiples of MD5_SKIN_BLOCK. The few vertices of a mixed block that are of
// another kind get a wrong result there, those of blocks in which no kind prevails none; they stand
// in a list of their kind, and lists come last. So results are written side by side where most of
// them are alike, and no vertex is moved for that.
struct md5_skin_plan {
    uint32_t num_runs;
    const md5_skin_run *runs;
    const uint32_t *vertices; // first ones of blocks, and those of lists; each run's ascending
    const uint32_t *offsets;  // [mesh's influences] where their joints stand in a palette, in bytes
};

// Where a plan is built.
typedef struct md5_skin_plan_room {
    md5_skin_plan *plan;
    md5_skin_run *runs;
    uint32_t *vertices, *offsets;
} md5_skin_plan_room;

void md5_skin_plan_take(md5_block *block, uint32_t num_vertices, uint32_t num_influences,
                        md5_skin_plan_room *room);

// Makes the plan of a mesh that is complete but for it. NULL if its joints are so many that a
// palette would take more than 4 GiB.
const md5_skin_plan *md5_skin_plan_build(const md5_mesh *mesh, const md5_skin_plan_room *room);

// The kind of one vertex by itself.
md5_skin_kind md5_skin_kind_of(const md5_mesh *mesh, uint32_t vertex);

// How many influences of each vertex a kind reads, whether there are more or not; of the kinds in
// which vertices have numbers of their own, the fewest that it can read: 1.
uint32_t md5_skin_count_read(md5_skin_kind kind);

static inline bool md5_skin_is_blended(md5_skin_kind kind)
{
    return kind >= MD5_SKIN_BLEND3 && kind <= MD5_SKIN_BLEND_MANY;
}

#endif
