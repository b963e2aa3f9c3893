// The plan by which md5_skin() walks the vertices of a mesh, built once at load.
//
// Vertices on the same joints are skinned in groups of eight, because a matrix entry is then loaded
// once for all of them. A contiguous group is eight consecutive vertices; a gathered group takes
// its vertices from anywhere in the mesh; vertices that share their joints with too few others are
// singles. Invariant: every vertex is in exactly one group or is a single, and results go to the
// vertex's own index, so that nothing is reordered.
//
// A plan is a block of its own: its size is known once its mesh is complete.
#ifndef MD5_SKIN_PLAN_H
#define MD5_SKIN_PLAN_H

#include "md5/core/arena.h"

// Vertices in a group, for every instruction set.
#define MD5_SKIN_GROUP 8

// Vertices with more influences than this are never grouped.
#define MD5_SKIN_MAX_INFLUENCES 16

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
    uint8_t reserved;       // 0
} md5_skin_run;

// The vertices of a group have the same joints, in whatever order their biases put them: joints of
// a plan ascend, as those of every sum do (md5i_sum_order()).
struct md5_skin_plan {
    size_t size; // bytes of the block
    uint32_t num_runs;
    uint32_t num_vertices;
    uint32_t num_words;
    const md5_skin_run *runs;

    // Contiguous group: its first vertex. Gathered group: MD5_SKIN_GROUP ascending numbers, three
    // times the vertex (the offset of its position in floats); if it has fewer vertices, the first
    // one is repeated. Single: the vertex.
    const uint32_t *vertices;

    // Inputs of each group, in the order in which they are read. Each float is stored for all
    // MD5_SKIN_GROUP vertices side by side:
    //   count     of joints, of a single vertex only
    //   joints    num_influences
    //   blended   a bias for each joint; in a gathered group, then x y z in the bind pose
    //   rigid     in a gathered group, x y z in the bind pose
    //   exact     an influence, x y z w, for each joint
    const uint32_t *words;
};

// md5_pack_loss() of the vertices that have `fewest` to `most` influences.
float md5i_pack_loss(const md5_model *model, uint32_t mesh, uint32_t slots, const md5_mat34 *joints,
                     uint32_t fewest, uint32_t most);

// Builds the plan of a mesh that is complete except for its plan, in one block from the context's
// allocator, of which every array is filled to its end. *plan is NULL if the mesh has no vertices,
// or if three times their number or the number of words exceeds 32 bits. Returns false and sets the
// context's error if memory runs out.
bool md5i_skin_plan_build(md5_context *context, const md5_mesh *mesh, const md5_skin_plan **plan);

// Frees a plan; NULL is allowed. `allocator` is that of the context.
void md5i_skin_plan_free(const md5_allocator *allocator, const md5_skin_plan *plan);

// Of bounds that are not empty.
static inline float md5_largest_coordinate(const md5_bounds *bounds)
{
    const float x = fmaxf(fabsf(bounds->min.x), fabsf(bounds->max.x));
    const float y = fmaxf(fabsf(bounds->min.y), fabsf(bounds->max.y));
    const float z = fmaxf(fabsf(bounds->min.z), fabsf(bounds->max.z));
    return fmaxf(x, fmaxf(y, z));
}

// Returns the kind of one vertex.
md5_skin_kind md5i_skin_kind_of(const md5_mesh *mesh, uint32_t vertex);

// Whether the one influence of a vertex is its bind position with bias 1.
static inline bool md5_is_rigid(const md5_mesh *mesh, uint32_t vertex)
{
    const md5_vec4 q = mesh->influences[mesh->first_influence[vertex]];
    return q.w == 1 && memcmp(&q, &mesh->positions[vertex], sizeof(md5_vec3)) == 0;
}

// The order in which the influences of a vertex are added: by ascending joint, so that vertices on
// the same joints share their order. Four bits each, the first one lowest; those of more than
// MD5_SKIN_MAX_INFLUENCES are added as they are stored.
uint64_t md5i_sum_order(const uint32_t *joints, uint32_t count);

// The influence of a vertex that is added at a place.
static inline uint32_t md5_summand(uint64_t order, uint32_t count, uint32_t place)
{
    return count <= MD5_SKIN_MAX_INFLUENCES ? (uint32_t)(order >> 4 * place & 15) : place;
}

// Size of a group: elements of md5_skin_plan.vertices, and of words.
static inline uint32_t md5_skin_num_vertices(md5_skin_order order)
{
    return order == MD5_SKIN_GATHERED ? MD5_SKIN_GROUP : 1;
}

static inline uint32_t md5_skin_num_words(md5_skin_kind kind, md5_skin_order order,
                                          uint32_t num_influences)
{
    const uint32_t place = order == MD5_SKIN_GATHERED ? 3 : 0;
    const uint32_t num_floats = kind == MD5_SKIN_EXACT   ? 4 * num_influences
                                : kind == MD5_SKIN_BLEND ? num_influences + place
                                                         : place;
    return num_influences
           + (order == MD5_SKIN_SINGLES ? 1 + num_floats : MD5_SKIN_GROUP * num_floats);
}

#endif
