// Optional parts of meshes: tangents, colors, an order of vertices by joints, skinning plans (see
// md5/skin/plan.h) and packing losses. A packing loss is an upper limit of the error of vertex
// positions if each vertex is limited to 4 or 8 influences.
#include "md5/load/parts.h"
#include "md5/load/axes.h"
#include "md5/skin/plan.h"
#include "md5/skin/tangents.h"

// == Tangents and colors =========================================================================

// Counts the drawn vertices and influences of a mesh. A vertex on a mirror seam of the texture
// counts twice, because each side of the seam needs its own tangent.
static bool measure_mesh_parts(md5_arena *scratch, md5_mesh_build *mesh)
{
    mesh->has_tangents = !(scratch->context->skip_geometry & MD5_GEOMETRY_TANGENTS);
    return md5i_measure_with_seams(scratch, mesh);
}

// Allocates the arrays of a mesh in a block. Copies the vertex colors and tangents of the file.
// Arrays that are derived later remain uninitialized.
static void allocate_mesh_parts(md5_block *block, md5_mesh_build *mesh)
{
    const size_t num_read = mesh->num_file_vertices;
    md5_vec4 *const stored = mesh->tangents;
    mesh->colors = MD5_BLOCK_COPY(block, md5_vec4, mesh->colors, num_read);
    mesh->tangents = NULL;
    if (mesh->has_tangents)
        mesh->tangents = MD5_ALLOCATE_COPY(block, md5_vec4, stored, num_read, mesh->num_vertices);
    md5i_allocate_mesh(block, mesh);
}

// Converts a mesh to the axes and units of the options, with its tangents.
static void convert_mesh_parts(const md5_context *context, md5_mesh_build *mesh)
{
    md5i_convert_mesh(context, mesh);
    if (!mesh->tangents)
        return;
    const size_t num_vertices = mesh->num_vertices;
    // The bitangent is cross(N, T) * w. A reflection reverses the cross product, and flipping v
    // reverses the bitangent. Each of them therefore changes the sign of w.
    const float side = md5_is_mirrored(context->axes) != context->flip_v ? -1.0f : 1.0f;
    for (size_t i = 0; i < num_vertices; i++) {
        md5_vec4 *const tangent = &mesh->tangents[i];
        const md5_vec3 along =
            md5i_vec3_to_axes(context->axes, (md5_vec3){tangent->x, tangent->y, tangent->z});
        *tangent = (md5_vec4){along.x, along.y, along.z, tangent->w * side};
    }
}

// Stores the arrays of a mesh in the model. The packing losses are computed later by
// md5i_finish_meshes(). Until then they are infinite.
static void store_mesh_parts(const md5_mesh_build *build, md5_mesh *mesh)
{
    md5i_store_mesh(build, mesh);
    mesh->tangents = build->tangents;
    mesh->colors = build->colors;
    mesh->loss4 = INFINITY;
    mesh->loss8 = INFINITY;
}

// == The order of vertices =======================================================================

// Returns a key for the joints of a drawn vertex. Vertices with the same joints have equal keys.
// The key has the type of a point, so that md5i_weld() can find equal keys. It consists of the
// number of joints, the sum of their indices, and the sum of their hashes. Sums do not depend on
// the order of the joints. They have 24 bits, which a float represents exactly.
static md5_vec3 joint_key(const md5_mesh_build *mesh, uint32_t vertex)
{
    const uint32_t first = mesh->first_influence[vertex];
    const uint32_t end = mesh->first_influence[vertex + 1];
    uint32_t sum = 0;
    uint32_t hash_sum = 0;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t joint = mesh->influence_joints[i];
        const uint32_t hash = joint * 0x9e3779b1u;
        sum += joint;
        hash_sum += hash ^ hash >> 15;
    }
    return (md5_vec3){(float)(end - first), (float)(sum & 0xffffff), (float)(hash_sum >> 8)};
}

// Computes an order of the drawn vertices in which vertices with the same joints are consecutive,
// as in a skinning plan. order[new index] is the old index. Each group is at the position of its
// first vertex, and its vertices keep their order.
static bool order_by_joints(md5_arena *arena, const md5_mesh_build *mesh, uint32_t *order)
{
    const md5_arena_mark before = md5i_arena_position(arena);
    const uint32_t count = mesh->num_vertices;
    md5_vec3 *const keys = MD5_ALLOC_ARRAY(arena, md5_vec3, count);
    uint32_t *const nexts = MD5_ALLOC_ARRAY(arena, uint32_t, count);
    TRY(keys && nexts);

    // Chain the vertices with equal keys. nexts[v] is the next vertex of the chain, or `count` at
    // its end.
    for (uint32_t v = 0; v < count; v++)
        keys[v] = joint_key(mesh, v);
    TRY(md5i_weld(arena, keys, count, nexts));
    md5i_chain_equals(nexts, count);

    for (uint32_t v = 0; v < count; v++) {
        // Follow the chain that begins at the vertex, unless the vertex was visited before. A
        // visited vertex refers to itself.
        uint32_t vertex = v;
        while (vertex < count && nexts[vertex] != vertex) {
            const uint32_t next = nexts[vertex];
            nexts[vertex] = vertex;
            *order++ = vertex;
            vertex = next;
        }
    }
    md5i_arena_rewind(arena, before);
    return true;
}

// Moves items[order[i]] to items[i] for `count` items of `size` bytes. `items` may be NULL.
static bool reorder(md5_arena *arena, void *items, size_t size, const uint32_t *order,
                    uint32_t count)
{
    const md5_arena_mark before = md5i_arena_position(arena);
    if (!items)
        return true;
    const char *const copy = (const char *)md5i_arena_copy(arena, items, count, size);
    TRY(copy);
    for (uint32_t i = 0; i < count; i++)
        memcpy((char *)items + i * size, copy + order[i] * size, size);
    md5i_arena_rewind(arena, before);
    return true;
}

// Moves the influences of each vertex to the position of the vertex in the new order, and updates
// first_influence. order[new index] is the old index of a vertex.
static bool reorder_influences(md5_arena *arena, md5_mesh_build *mesh, const uint32_t *order)
{
    const uint32_t count = mesh->num_vertices;
    const uint32_t num_influences = mesh->first_influence[count];
    uint32_t *const firsts = mesh->first_influence;
    uint32_t *const sizes = MD5_ALLOC_ARRAY(arena, uint32_t, count); // influences of each vertex
    uint32_t *const influence_order = MD5_ALLOC_ARRAY(arena, uint32_t, num_influences);
    TRY(sizes && influence_order);

    uint32_t next = 0;
    for (uint32_t v = 0; v < count; v++) {
        const uint32_t first = firsts[order[v]];
        const uint32_t end = firsts[order[v] + 1];
        sizes[v] = end - first;
        for (uint32_t i = first; i < end; i++)
            influence_order[next++] = i;
    }
    for (uint32_t v = 0; v < count; v++)
        firsts[v + 1] = firsts[v] + sizes[v];

    TRY(reorder(arena, mesh->influence_joints, sizeof(uint32_t), influence_order, num_influences));
    return reorder(arena, mesh->influences, sizeof(md5_vec4), influence_order, num_influences);
}

// Groups the drawn vertices by their joints. Reorders all arrays of the mesh and updates the
// indices of the triangles.
static bool group_vertices(md5_arena *arena, md5_mesh_build *mesh)
{
    const md5_arena_mark before = md5i_arena_position(arena);
    const uint32_t count = mesh->num_vertices;
    uint32_t *const order = MD5_ALLOC_ARRAY(arena, uint32_t, count); // new index -> old index
    TRY(order && order_by_joints(arena, mesh, order));
    TRY(reorder_influences(arena, mesh, order));

    uint32_t *const new_indices = MD5_ALLOC_ARRAY(arena, uint32_t, count); // old index -> new index
    TRY(new_indices);
    for (uint32_t v = 0; v < count; v++)
        new_indices[order[v]] = v;
    const size_t num_indices = 3 * (size_t)mesh->num_triangles;
    for (size_t i = 0; i < num_indices; i++)
        mesh->indices[i] = new_indices[mesh->indices[i]];

    TRY(reorder(arena, mesh->sources, sizeof(uint32_t), order, count));
    TRY(reorder(arena, mesh->texcoords, sizeof(md5_vec2), order, count));
    TRY(reorder(arena, mesh->positions, sizeof(md5_vec3), order, count));
    TRY(reorder(arena, mesh->normals, sizeof(md5_vec3), order, count));
    TRY(reorder(arena, mesh->tangents, sizeof(md5_vec4), order, count));
    TRY(reorder(arena, mesh->colors, sizeof(md5_vec4), order, count));
    md5i_arena_rewind(arena, before);
    return true;
}

// Derives the arrays of a mesh, and orders its vertices by joints if the options request it.
static bool build_mesh_parts(md5_arena *scratch, const md5_mesh_joints *joints,
                             md5_mesh_build *mesh)
{
    TRY(md5i_build_with_tangents(scratch, joints, mesh));
    return !scratch->context->group_vertices || group_vertices(scratch, mesh);
}

const md5_mesh_steps md5i_mesh_steps = {
    .measure = measure_mesh_parts,
    .allocate = allocate_mesh_parts,
    .build = build_mesh_parts,
    .convert = convert_mesh_parts,
    .store = store_mesh_parts,
};

// == Plans and losses ============================================================================

// Adds skinning plans and packing losses to the meshes of a model. Derives those that `parts`
// requests and that do not exist yet. `meshes` are the meshes of the model.
bool md5i_finish_meshes(md5_context *context, uint32_t parts, const md5_model *model,
                        md5_mesh *meshes)
{
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        if (parts & MD5_GEOMETRY_SKIN_PLANS && !meshes[m].skin_plan)
            TRY(md5i_skin_plan_build(context, &meshes[m], &meshes[m].skin_plan));
    }
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        md5_mesh *const mesh = &meshes[m];
        const bool has_losses = mesh->loss4 < INFINITY;
        if (!(parts & MD5_GEOMETRY_LOSSES) || has_losses)
            continue;
        // A vertex with up to four influences has the same loss for both limits. Therefore the loss
        // of these vertices is measured once.
        const float loss_of_few = md5i_pack_loss(model, m, 4, NULL, 0, 4);
        mesh->loss4 = loss_of_few;
        mesh->loss8 = loss_of_few;
        if (mesh->max_influences > 4) {
            mesh->loss4 = fmaxf(loss_of_few, md5i_pack_loss(model, m, 4, NULL, 5, UINT32_MAX));
            mesh->loss8 = fmaxf(loss_of_few, md5i_pack_loss(model, m, 8, NULL, 5, UINT32_MAX));
        }
    }
    return true;
}

// == Releasing ===================================================================================

// Sets all arrays of a mesh, including tangents and colors, to NULL. Does not change the counts.
void md5i_clear_all_arrays(md5_mesh *mesh)
{
    md5i_clear_mesh(mesh);
    mesh->tangents = NULL;
    mesh->colors = NULL;
}

// Frees the geometry of a model, which consists of the skinning plans and the memory that the
// arrays of all meshes share. The skeleton and the names of the meshes remain.
void md5_release_geometry(md5_model *model)
{
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    if (!model->internal.memory)
        return;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        md5_mesh *const mesh = (md5_mesh *)&model->meshes[m];
        md5i_skin_plan_free(&model->internal.allocator, mesh->skin_plan);
        mesh->skin_plan = NULL;
        md5i_clear_all_arrays(mesh);
    }
    md5i_free_mesh_memory(model);
}
