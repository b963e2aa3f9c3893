// Creates levels of detail of meshes, for small members of crowds. meshoptimizer reduces their
// triangles. Meshes are reduced in a pose with bent joints (view_bend_joints). In this pose, the
// vertices that form an elbow or a knee are not superfluous, so they are kept.
//
// A program that was built without meshoptimizer cannot reduce meshes and draws crowds with all
// triangles. It uses the other version of the functions, at the end of this file.
#include "demo/viewer/crowd/crowd.h"

#ifdef HAS_MESHOPTIMIZER
#include <meshoptimizer.h>
#endif

// -- The bent pose --------------------------------------------------------------------------------

// Angle by which each joint is bent, in radians: 60 degrees.
static const float bend_angle = 1.0471976f;

// Returns a unit vector perpendicular to a bone; any unit vector if the bone has no length.
static md5_vec3 perpendicular_axis(md5_vec3 bone)
{
    const md5_vec3 x_axis = {1, 0, 0};
    const md5_vec3 y_axis = {0, 1, 0};
    const bool is_along_x = fabsf(bone.x) > fabsf(bone.y);
    const md5_vec3 normal = md5_vec3_cross(bone, is_along_x ? y_axis : x_axis);
    const float length = md5_vec3_length(normal);
    return length > 0 ? md5_vec3_scale(normal, 1 / length) : x_axis;
}

// Bends each joint: rotates it by bend_angle about an axis that is perpendicular to its bone. The
// bone is the vector from the parent of the joint.
void view_bend_joints(const md5_model *model, md5_mat34 *palette)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_xform bind = model->bind_local[i];
        const md5_vec3 axis = perpendicular_axis(bind.translation);
        const md5_quat bend = md5_quat_from_axis_angle(axis, bend_angle);
        pose[i] = bind;
        pose[i].rotation = md5_quat_mul(bend, bind.rotation);
    }
    md5_local_to_palette(model, pose, NULL, palette);
    free(pose);
}

// -- Levels of detail -----------------------------------------------------------------------------

#ifdef HAS_MESHOPTIMIZER
bool view_can_reduce_meshes(void)
{
    return true;
}

// Returns the positions [num_vertices] of a mesh that is posed by a palette. The caller frees them.
static md5_vec3 *pose_vertices(const md5_mesh *mesh, const md5_mat34 *palette)
{
    md5_vec3 *const positions = common_alloc(mesh->num_vertices, sizeof *positions);
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        md5_vec3 sum = {0, 0, 0};
        for (uint32_t i = mesh->first_influence[v]; i < mesh->first_influence[v + 1]; i++) {
            const float *const m = palette[mesh->influence_joints[i]].m;
            const md5_vec4 p = mesh->influences[i]; // position times weight; the weight is w
            sum.x += m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3] * p.w;
            sum.y += m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7] * p.w;
            sum.z += m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11] * p.w;
        }
        positions[v] = sum;
    }
    return positions;
}

// Returns the maximum displacement of each vertex by a morph target. The caller frees the array.
static float *find_morph_distances(const md5_mesh *mesh, const md5_morph_mesh *morph)
{
    float *const distances = common_alloc(mesh->num_vertices, sizeof *distances);
    const uint32_t num_moved = morph != NULL ? morph->num_vertices : 0;
    for (uint32_t i = 0; i < num_moved; i++) {
        float *const distance = &distances[morph->vertices[i]];
        for (uint32_t k = morph->first[i]; k < morph->first[i + 1]; k++)
            *distance = fmaxf(*distance, md5_vec3_length(morph->deltas[k].position));
    }
    return distances;
}

// Returns the maximum displacement of a triangle's vertices by a morph target.
static float triangle_distance(const uint32_t *vertices, const float *morph_distances)
{
    float distance = 0;
    for (int k = 0; k < 3; k++)
        distance = fmaxf(distance, morph_distances[vertices[k]]);
    return distance;
}

// Copies the triangles of a mesh to `sorted`, in two groups. The triangles of the first group are
// not reduced: morph targets move one of their vertices by more than `error`. They keep their
// order. All other triangles follow in reverse order. Returns the number of triangles in the first
// group.
static uint32_t sort_triangles(const md5_mesh *mesh, const float *morph_distances, float error,
                               uint32_t *sorted)
{
    uint32_t num_moved = 0;
    uint32_t first_unmoved = mesh->num_triangles;
    for (uint32_t t = 0; t < mesh->num_triangles; t++) {
        const uint32_t *const vertices = mesh->indices + 3 * (size_t)t;
        uint32_t position;
        if (triangle_distance(vertices, morph_distances) > error)
            position = num_moved++;
        else
            position = --first_unmoved;
        memcpy(sorted + 3 * (size_t)position, vertices, 3 * sizeof *sorted);
    }
    return num_moved;
}

// Returns the size of a mesh in units, relative to which meshoptimizer measures errors. Returns 0
// if the mesh cannot be reduced, because it has no vertices or its size is not a positive number.
static float mesh_size(const md5_mesh *mesh, const md5_vec3 *positions)
{
    if (mesh->num_vertices == 0)
        return 0;
    const float size = meshopt_simplifyScale(&positions->x, mesh->num_vertices, sizeof *positions);
    const bool is_valid = size > 0 && size < INFINITY;
    return is_valid ? size : 0;
}

// Writes the triangles of a mesh to a level, reduced up to an error in units. Triangles that a
// morph target moves by more than the error are not reduced. `size` is the result of mesh_size().
// `sorted` is scratch memory for 3 * num_triangles indices.
static void create_mesh_level(const md5_mesh *mesh, const md5_vec3 *positions, float size,
                              const float *morph_distances, float error, uint32_t *sorted,
                              view_triangles *level)
{
    const uint32_t num_moved = sort_triangles(mesh, morph_distances, error, sorted);
    const uint32_t num_reducible = mesh->num_triangles - num_moved;
    level->indices = common_alloc(mesh->num_triangles, 3 * sizeof *level->indices);
    level->count = mesh->num_triangles;
    memcpy(level->indices, sorted, 3 * (size_t)mesh->num_triangles * sizeof *sorted);
    if (size == 0 || num_reducible == 0)
        return;

    // Reduce the triangles of the second group, and write them after the first group.
    uint32_t *const reduced = level->indices + 3 * (size_t)num_moved;
    const uint32_t *const reducible = sorted + 3 * (size_t)num_moved;
    const size_t num_indices = meshopt_simplify(
        reduced, reducible, 3 * (size_t)num_reducible, &positions->x, mesh->num_vertices,
        sizeof *positions, 0, error / size, meshopt_SimplifyLockBorder, NULL);
    level->count = num_moved + (uint32_t)(num_indices / 3);
}

// Reduces a mesh to several levels of detail. Triangles that a morph target moves are kept.
void view_create_mesh_levels(const md5_mesh *mesh, const md5_mat34 *bent,
                             const md5_morph_mesh *morph, const float *errors, uint32_t num_levels,
                             view_triangles *levels)
{
    md5_vec3 *const positions = pose_vertices(mesh, bent);
    float *const morph_distances = find_morph_distances(mesh, morph);
    const float size = mesh_size(mesh, positions);
    uint32_t *const sorted = common_alloc(mesh->num_triangles, 3 * sizeof *sorted);
    for (uint32_t i = 0; i < num_levels; i++)
        create_mesh_level(mesh, positions, size, morph_distances, errors[i], sorted, &levels[i]);
    free(positions);
    free(morph_distances);
    free(sorted);
}
#else
bool view_can_reduce_meshes(void)
{
    return false;
}

// The version without meshoptimizer copies all triangles to each level. It does not need the
// permitted errors and the bent pose.
void view_create_mesh_levels(const md5_mesh *mesh, const md5_mat34 *unused_bent,
                             const md5_morph_mesh *unused_morph, const float *unused_errors,
                             uint32_t num_levels, view_triangles *levels)
{
    const size_t num_indices = 3 * (size_t)mesh->num_triangles;
    (void)unused_bent;
    (void)unused_morph;
    (void)unused_errors;
    for (uint32_t i = 0; i < num_levels; i++) {
        levels[i].indices = common_alloc(num_indices, sizeof *levels[i].indices);
        levels[i].count = mesh->num_triangles;
        memcpy(levels[i].indices, mesh->indices, num_indices * sizeof *levels[i].indices);
    }
}
#endif
