// How md5_skin() goes through the vertices of a mesh: a plan, made once at load.
#ifndef MD5_SKIN_PLAN_H
#define MD5_SKIN_PLAN_H

#include "md5/core/arena.h"

// Vertices of a span are done this many at once, whatever the instruction set.
#define MD5_SKIN_BLOCK 8

// How the place of a vertex is computed: see skin.c for the two forms of the sum.
typedef enum md5_skin_kind {
    MD5_SKIN_NONE,       // no influence: stays where it is, at the origin
    MD5_SKIN_WHOLE,      // one influence, which is the bind position with bias 1
    MD5_SKIN_ONE,        // one influence
    MD5_SKIN_TWO,        // two
    MD5_SKIN_MANY,       // more, each vertex with a number of its own
    MD5_SKIN_BLEND3,     // blended: three influences
    MD5_SKIN_BLEND4,     // four
    MD5_SKIN_BLEND_MANY, // more, each vertex with a number of its own
    MD5_SKIN_RIGID,      // of a span only: all are MD5_SKIN_WHOLE on one and the same joint
    MD5_SKIN_KINDS
} md5_skin_kind;

// Vertices that are done together.
typedef struct md5_skin_run {
    uint32_t first; // vertex of a span, or place of a list in md5_skin_plan.vertices
    uint32_t num_vertices;
    md5_skin_kind kind;
    bool is_uniform; // a span of which no vertex has more influences than the kind reads
} md5_skin_run;

// Spans are whole blocks of consecutive vertices, most of them of the span's kind. The rest get a
// wrong result there, or none where no kind prevails, and stand in a list of their kind; lists
// come after all spans. So results are written in order, side by side, where most of them are
// alike, and no vertex is moved for that.
struct md5_skin_plan {
    uint32_t num_spans, num_lists;
    const md5_skin_run *runs; // spans, then lists
    const uint32_t *vertices; // of all lists, each list ascending
};

// Where a plan is built.
typedef struct md5_skin_plan_room {
    md5_skin_plan *plan;
    md5_skin_run *runs;
    uint32_t *vertices;
} md5_skin_plan_room;

void md5_skin_plan_take(md5_block *block, uint32_t num_vertices, md5_skin_plan_room *room);

// Makes the plan of a mesh that is complete but for it.
const md5_skin_plan *md5_skin_plan_build(const md5_mesh *mesh, const md5_skin_plan_room *room);

// The kind of one vertex by itself.
md5_skin_kind md5_skin_kind_of(const md5_mesh *mesh, uint32_t vertex);

static inline bool md5_skin_is_blended(md5_skin_kind kind)
{
    return kind >= MD5_SKIN_BLEND3 && kind <= MD5_SKIN_BLEND_MANY;
}

#endif
