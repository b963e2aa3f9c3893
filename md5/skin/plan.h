// The skin plan of a mesh contains the groups of vertices that md5_skin() computes together. It is
// built once while loading. plan.c explains the performance.
//
// Vertices on the same joints are skinned in groups of eight, so that a matrix entry is loaded once
// for eight vertices. A contiguous group is eight consecutive vertices. A gathered group contains
// vertices from anywhere in the mesh. Vertices whose joints are used by too few other vertices are
// singles. Invariant: every vertex is in exactly one group or is a single. Results are written to
// the index of the vertex, so nothing is reordered.
//
// A plan is a separate memory block, because its size is known only after its mesh is complete.
#ifndef MD5_SKIN_PLAN_H
#define MD5_SKIN_PLAN_H

#include "md5/core/arena.h"

// Vertices in a group, for every instruction set.
#define MD5_SKIN_GROUP 8

// Vertices with more influences than this are never grouped.
#define MD5_SKIN_MAX_INFLUENCES 16

// The method that computes the position of a vertex. skin_scalar.c explains the two forms of the
// weighted sum: blending matrices first, or adding transformed positions.
typedef enum md5_skin_kind {
    MD5_SKIN_NONE,  // no influence: the position is the origin
    MD5_SKIN_RIGID, // one influence: the bind position with bias 1
    MD5_SKIN_BLEND, // three or more influences, all at the bind position: matrices are blended
    MD5_SKIN_EXACT, // all other vertices
    MD5_SKIN_KINDS
} md5_skin_kind;

// The arrangement of the vertices of a run in memory.
typedef enum md5_skin_order {
    MD5_SKIN_CONTIGUOUS, // groups of consecutive vertices on the same joints
    MD5_SKIN_GATHERED,   // groups of any vertices on the same joints
    MD5_SKIN_SINGLES,    // single vertices
    MD5_SKIN_ORDERS
} md5_skin_order;

// A run contains the vertices of one kind, order and number of influences. One loop skins it.
typedef struct md5_skin_run {
    uint32_t count;         // number of groups or single vertices
    uint32_t vertices;      // index into md5_skin_plan.vertices
    uint32_t words;         // index into md5_skin_plan.words
    uint8_t kind;           // md5_skin_kind
    uint8_t order;          // md5_skin_order
    uint8_t num_influences; // influences per vertex; 0: more than MD5_SKIN_MAX_INFLUENCES
    uint8_t reserved;       // 0
} md5_skin_run;

// Influences are sorted by magnitude, so vertices of a group have the same joints, but not
// necessarily in the same order. The joints in a plan are ascending, like the joints of every sum
// (md5i_sum_order()).
struct md5_skin_plan {
    size_t size; // bytes of the block
    uint32_t num_runs;
    uint32_t num_vertices;
    uint32_t num_words;
    const md5_skin_run *runs;

    // The vertices of all groups, in the format of their order:
    //   contiguous   the first vertex of the group
    //   gathered     MD5_SKIN_GROUP ascending values, each three times a vertex, which is the
    //                offset of its position in floats. If the group has fewer vertices, the first
    //                vertex is repeated
    //   single       the vertex
    const uint32_t *vertices;

    // Inputs of each group, in the order in which they are read. Each float is stored for all
    // MD5_SKIN_GROUP vertices, consecutively:
    //   count     number of joints; only of a single vertex
    //   joints    [num_influences]
    //   blended   a bias for each joint; in a gathered group also x y z in the bind pose
    //   rigid     in a gathered group, x y z in the bind pose
    //   exact     an influence, x y z w, for each joint
    const uint32_t *words;
};

// Computes md5_pack_loss() of the vertices with min_influences to max_influences influences.
float md5i_pack_loss(const md5_model *model, uint32_t mesh_index, uint32_t slots,
                     const md5_mat34 *joints, uint32_t min_influences, uint32_t max_influences);

// Builds the plan of a mesh in one block from the context's allocator. The mesh must be complete
// except for its plan. *plan is NULL if the mesh has no vertices. It is also NULL if three times
// the number of vertices, or the number of words, exceeds 32 bits. Returns false and sets the
// context's error if memory runs out.
bool md5i_skin_plan_build(md5_context *context, const md5_mesh *mesh, const md5_skin_plan **plan);

// Frees a plan; NULL is allowed. `allocator` is the allocator of the context.
void md5i_skin_plan_free(const md5_allocator *allocator, const md5_skin_plan *plan);

// Returns the largest magnitude of a coordinate of the bounds, which must not be empty.
static inline float md5_largest_coordinate(const md5_bounds *bounds)
{
    const float x = fmaxf(fabsf(bounds->min.x), fabsf(bounds->max.x));
    const float y = fmaxf(fabsf(bounds->min.y), fabsf(bounds->max.y));
    const float z = fmaxf(fabsf(bounds->min.z), fabsf(bounds->max.z));
    return fmaxf(x, fmaxf(y, z));
}

// Returns the kind of one vertex.
md5_skin_kind md5i_skin_vertex_kind(const md5_mesh *mesh, uint32_t vertex);

// Returns true if the only influence of a vertex is its bind position with bias 1.
static inline bool md5_is_rigid(const md5_mesh *mesh, uint32_t vertex)
{
    const md5_vec4 *const q = &mesh->influences[mesh->first_influence[vertex]];
    return q->w == 1 && memcmp(q, &mesh->positions[vertex], sizeof(md5_vec3)) == 0;
}

// Returns the order in which the influences of a vertex are added, by ascending joint. Thus all
// vertices on the same joints have the same order. Each index of an influence has four bits, the
// first one lowest. More than MD5_SKIN_MAX_INFLUENCES influences are added in stored order.
uint64_t md5i_sum_order(const uint32_t *joints, uint32_t count);

// Returns the index of the influence that is added at `step` 0 .. count - 1 of the sum.
static inline uint32_t md5_sum_index(uint64_t order, uint32_t count, uint32_t step)
{
    return count <= MD5_SKIN_MAX_INFLUENCES ? (uint32_t)(order >> 4 * step & 15) : step;
}

// Returns the number of elements of a group, or a single vertex, in md5_skin_plan.vertices.
static inline uint32_t md5_skin_num_vertices(md5_skin_order order)
{
    return order == MD5_SKIN_GATHERED ? MD5_SKIN_GROUP : 1;
}

// Returns the number of elements of a group or a single in md5_skin_plan.words. They are the
// joints, the floats of each vertex, and for a single also the number of joints.
static inline uint32_t md5_skin_num_words(md5_skin_kind kind, md5_skin_order order,
                                          uint32_t num_influences)
{
    // The floats of one vertex. Exact sums read influences, x y z and bias each. The other kinds
    // read biases if they blend, and the bind position x y z if the plan gathers it from other
    // vertices.
    uint32_t num_floats;
    if (kind == MD5_SKIN_EXACT) {
        num_floats = 4 * num_influences;
    } else {
        const uint32_t num_positions = order == MD5_SKIN_GATHERED ? 3 : 0;
        const uint32_t num_biases = kind == MD5_SKIN_BLEND ? num_influences : 0;
        num_floats = num_positions + num_biases;
    }
    const uint32_t num_joints = num_influences;
    if (order == MD5_SKIN_SINGLES)
        return 1 + num_joints + num_floats; // the first element is the number of joints
    return num_joints + MD5_SKIN_GROUP * num_floats;
}

#endif
