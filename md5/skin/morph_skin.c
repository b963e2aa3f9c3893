// Skinning of blended morph targets: the kernels skin the unchanged mesh, then plain C corrects the
// few vertices that targets move.
//
// With e the blended matrix of a vertex and d the sum of its weighted deltas, the exact vertex is
//
//   sum of palette * (bias * (point + d), bias) = (what md5_skin() computes) + rotation of e * d
//
// so that the influences are not needed again; dual quaternions give one matrix per vertex anyway.
#include "md5/core/assert.h"
#include "md5/core/math.h"
#include "md5/md5skin.h"
#include "md5/skin/dual_kernels.h"

#include <string.h>

// A vertex of the bind pose.
typedef struct bind_vertex {
    md5_vec3 offset; // of the position
    md5_vec3 normal;
    md5_vec4 tangent;
} bind_vertex;

static inline md5_vec3 add_scaled(md5_vec3 sum, md5_vec3 v, float by)
{
    return (md5_vec3){sum.x + v.x * by, sum.y + v.y * by, sum.z + v.z * by};
}

static md5_vec4 tangent_beside(md5_vec3 tangent, md5_vec3 normal, md5_vec4 bind)
{
    const md5_vec3 fallback = {bind.x, bind.y, bind.z};
    const md5_vec3 unit = md5_vec3_normalize(md5_vec3_beside(tangent, normal), fallback);
    return (md5_vec4){unit.x, unit.y, unit.z, bind.w};
}

// Blends changed vertex `index` of a mesh. Returns false if all its weights are 0.
static bool blend(const md5_morph_mesh *morph, const md5_mesh *mesh, const float *weights,
                  uint32_t index, bind_vertex *result)
{
    const uint32_t vertex = morph->vertices[index];
    const md5_vec4 tangent =
        mesh->tangents ? mesh->tangents[vertex] : (md5_vec4){0.0f, 0.0f, 0.0f, 0.0f};
    md5_vec3 position = {0.0f, 0.0f, 0.0f}, normal = mesh->normals[vertex];
    md5_vec3 along = {tangent.x, tangent.y, tangent.z};
    bool changes = false;
    for (uint32_t i = morph->first[index]; i < morph->first[index + 1]; i++) {
        const md5_morph_delta *const delta = &morph->deltas[i];
        const float weight = weights[delta->target];
        if (weight == 0.0f)
            continue;
        position = add_scaled(position, delta->position, weight);
        normal = add_scaled(normal, delta->normal, weight);
        along = add_scaled(along, delta->tangent, weight);
        changes = true;
    }
    if (!changes)
        return false;
    result->offset = position;
    result->normal = md5_vec3_normalize(normal, mesh->normals[vertex]);
    result->tangent = tangent_beside(along, result->normal, tangent);
    return true;
}

// The output arrays of a mesh.
typedef struct outputs {
    md5_vec3 *positions, *normals;
    md5_vec4 *tangents;
} outputs;

// Moves a skinned vertex by its blended matrix.
static void correct(const outputs *to, uint32_t vertex, const bind_vertex *bind, const md5_mat34 *m)
{
    const md5_vec3 along = {bind->tangent.x, bind->tangent.y, bind->tangent.z};
    to->positions[vertex] = md5_vec3_add(to->positions[vertex], md5_mat34_rotate(m, bind->offset));
    if (to->normals)
        to->normals[vertex] = md5_vec3_normalize(md5_mat34_rotate(m, bind->normal), bind->normal);
    if (to->tangents) {
        const md5_vec3 turned = md5_vec3_normalize(md5_mat34_rotate(m, along), along);
        to->tangents[vertex] = (md5_vec4){turned.x, turned.y, turned.z, bind->tangent.w};
    }
}

// The matrices of a vertex's joints, blended by bias; 0 without influences.
static md5_mat34 blend_matrices(const md5_mesh *mesh, const md5_mat34 *palette, uint32_t vertex)
{
    md5_mat34 sum = {{0.0f}};
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++) {
        const md5_mat34 *const joint = &palette[mesh->influence_joints[i]];
        for (int entry = 0; entry < 12; entry++)
            sum.m[entry] += joint->m[entry] * mesh->influences[i].w;
    }
    return sum;
}

#if !defined(NDEBUG)
static bool are_finite(const float *weights, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(weights[i]))
            return false;
    }
    return true;
}
#endif

#define ASSERT_MORPH(morph, mesh, weights, positions)                                           \
    (MD5_ASSERT((morph) != NULL, "morph: not NULL"),                                            \
     MD5_ASSERT((mesh) < (morph)->model->num_meshes, "mesh: an index into the model's meshes"), \
     MD5_ASSERT((weights) != NULL || (morph)->num_targets == 0, "weights: not NULL"),           \
     MD5_VALIDATE(are_finite(weights, (morph)->num_targets), "weights: finite numbers"),        \
     MD5_ASSERT((positions) != NULL || (morph)->model->meshes[mesh].num_vertices == 0,          \
                "positions: not NULL"))

void md5_morph_bind(const md5_morph *morph, uint32_t mesh_index, const float *weights,
                    md5_vec3 *positions, md5_vec3 *normals, md5_vec4 *tangents)
{
    ASSERT_MORPH(morph, mesh_index, weights, positions);
    const md5_morph_mesh *const changed = &morph->meshes[mesh_index];
    const md5_mesh *const mesh = &morph->model->meshes[mesh_index];
    const size_t count = mesh->num_vertices;
    if (count == 0)
        return;
    memcpy(positions, mesh->positions, count * sizeof *positions);
    if (normals)
        memcpy(normals, mesh->normals, count * sizeof *normals);
    if (tangents && mesh->tangents)
        memcpy(tangents, mesh->tangents, count * sizeof *tangents);
    for (uint32_t i = 0; i < changed->num_vertices; i++) {
        const uint32_t vertex = changed->vertices[i];
        bind_vertex bind;
        if (!blend(changed, mesh, weights, i, &bind))
            continue;
        positions[vertex] = md5_vec3_add(positions[vertex], bind.offset);
        if (normals)
            normals[vertex] = bind.normal;
        if (tangents && mesh->tangents)
            tangents[vertex] = bind.tangent;
    }
}

void md5_skin_morphed(const md5_morph *morph, uint32_t mesh_index, const float *weights,
                      const md5_mat34 *palette, md5_vec3 *positions, md5_vec3 *normals,
                      md5_vec4 *tangents)
{
    ASSERT_MORPH(morph, mesh_index, weights, positions);
    const md5_morph_mesh *const changed = &morph->meshes[mesh_index];
    const md5_mesh *const mesh = &morph->model->meshes[mesh_index];
    if (mesh->num_vertices == 0)
        return;
    const outputs to = {positions, normals, mesh->tangents ? tangents : NULL};
    md5_skin(mesh, palette, positions, normals, tangents);
    for (uint32_t i = 0; i < changed->num_vertices; i++) {
        const uint32_t vertex = changed->vertices[i];
        bind_vertex bind;
        if (!blend(changed, mesh, weights, i, &bind))
            continue;
        const md5_mat34 m = blend_matrices(mesh, palette, vertex);
        correct(&to, vertex, &bind, &m);
    }
}

void md5_skin_dual_morphed(const md5_morph *morph, uint32_t mesh_index, const float *weights,
                           const md5_dual_quat *palette, md5_vec3 *positions, md5_vec3 *normals,
                           md5_vec4 *tangents)
{
    ASSERT_MORPH(morph, mesh_index, weights, positions);
    const md5_morph_mesh *const changed = &morph->meshes[mesh_index];
    const md5_mesh *const mesh = &morph->model->meshes[mesh_index];
    if (mesh->num_vertices == 0)
        return;
    const outputs to = {positions, normals, mesh->tangents ? tangents : NULL};
    md5_skin_dual(mesh, palette, positions, normals, tangents);
    for (uint32_t i = 0; i < changed->num_vertices; i++) {
        const uint32_t vertex = changed->vertices[i];
        bind_vertex bind;
        if (!blend(changed, mesh, weights, i, &bind))
            continue;
        const md5_mat34 m = md5i_dual_vertex_matrix(mesh, palette, vertex);
        correct(&to, vertex, &bind, &m);
    }
}
