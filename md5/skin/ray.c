// Rays against boxes, joints and triangles.
#include "md5/core/assert.h"
#include "md5/core/math.h"
#include "md5/md5skin.h"
#include "md5/skin/kernels.h"

static float limit_of(const md5_ray *ray)
{
    return ray->limit > 0.0f ? ray->limit : FLT_MAX;
}

// -- Boxes ----------------------------------------------------------------------------------------

static bool has_direction(md5_vec3 a)
{
    return a.x != 0.0f || a.y != 0.0f || a.z != 0.0f;
}

// Narrows enter..leave to the part of the ray between two planes, and returns whether any is left.
// A ray along the planes is between them or not; 0 * infinity never occurs.
static bool clip(float origin, float direction, float min, float max, float *enter, float *leave)
{
    if (direction == 0.0f)
        return min <= origin && origin <= max;
    const float a = (min - origin) / direction, b = (max - origin) / direction;
    const float first = a < b ? a : b, last = a < b ? b : a;
    *enter = first > *enter ? first : *enter;
    *leave = last < *leave ? last : *leave;
    return first <= *leave && *enter <= *leave; // false for NaN
}

bool md5_raycast_bounds(const md5_ray *ray, md5_bounds bounds, float *t)
{
    MD5_ASSERT(ray != NULL, "ray: not NULL");
    const md5_vec3 o = ray->origin, d = ray->direction;
    float enter = 0.0f, leave = limit_of(ray);
    if (!has_direction(d) || !(bounds.min.x <= bounds.max.x)
        || !clip(o.x, d.x, bounds.min.x, bounds.max.x, &enter, &leave)
        || !clip(o.y, d.y, bounds.min.y, bounds.max.y, &enter, &leave)
        || !clip(o.z, d.z, bounds.min.z, bounds.max.z, &enter, &leave))
        return false;
    if (t)
        *t = enter;
    return true;
}

bool md5_raycast_joints(const md5_ray *ray, const md5_bounds *joint_bounds, const md5_mat34 *joints,
                        uint32_t num_joints, md5_hit *hit)
{
    MD5_ASSERT(ray != NULL && hit != NULL, "ray, hit: not NULL");
    MD5_ASSERT((joint_bounds != NULL && joints != NULL) || num_joints == 0,
               "joint_bounds, joints: not NULL");
    md5_hit nearest = {.t = FLT_MAX, .joint = -1};
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        // The direction is not normalized, so t is the same in both spaces.
        const md5_mat34 to_joint = md5_mat34_inverse(joints[joint]);
        const md5_vec4 origin = {ray->origin.x, ray->origin.y, ray->origin.z, 1.0f};
        md5_ray local = *ray;
        local.origin = md5_mat34_apply(&to_joint, origin);
        local.direction = md5_mat34_rotate(&to_joint, ray->direction);
        float t = 0.0f;
        if (md5_raycast_bounds(&local, joint_bounds[joint], &t)
            && (nearest.joint < 0 || t < nearest.t))
            nearest = (md5_hit){.t = t, .joint = (int32_t)joint};
    }
    if (nearest.joint >= 0)
        *hit = nearest;
    return nearest.joint >= 0;
}

// -- Triangles ------------------------------------------------------------------------------------

// A ray as the z axis of a sheared space: there a triangle is hit if the origin of x and y lies in
// it, and neighbours round their common edge alike, so that there is no gap between them.
typedef struct sheared {
    float origin[3];
    int x, y, z; // which axis of the model is which; z = the largest of the direction
    float shear_x, shear_y, scale_z;
    float limit;
    bool front_only, is_mirrored;
} sheared;

static sheared shear(const md5_ray *ray, bool is_mirrored)
{
    const md5_vec3 o = ray->origin;
    const float d[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    int z = fabsf(d[0]) > fabsf(d[1]) ? 0 : 1;
    z = fabsf(d[z]) > fabsf(d[2]) ? z : 2;
    const bool is_positive = d[z] > 0.0f; // else two axes are exchanged, to keep the orientation
    const int next = (z + 1) % 3, last = (z + 2) % 3;
    const int x = is_positive ? next : last, y = is_positive ? last : next;
    return (sheared){.origin = {o.x, o.y, o.z},
                     .x = x,
                     .y = y,
                     .z = z,
                     .shear_x = d[x] / d[z],
                     .shear_y = d[y] / d[z],
                     .scale_z = 1.0f / d[z],
                     .limit = limit_of(ray),
                     .front_only = ray->front_only,
                     .is_mirrored = is_mirrored};
}

static md5_vec3 to_sheared(const sheared *space, const md5_vec3 *point)
{
    const float p[3] = {point->x - space->origin[0], point->y - space->origin[1],
                        point->z - space->origin[2]};
    return (md5_vec3){p[space->x] - space->shear_x * p[space->z],
                      p[space->y] - space->shear_y * p[space->z], space->scale_z * p[space->z]};
}

// Twice the signed area between an edge and the ray. Products of floats are exact as doubles, so
// the sign is exact.
static double edge(md5_vec3 a, md5_vec3 b)
{
    return (double)a.x * (double)b.y - (double)a.y * (double)b.x;
}

static bool have_one_side(float a, float b, float c)
{
    return (a > 0.0f && b > 0.0f && c > 0.0f) || (a < 0.0f && b < 0.0f && c < 0.0f);
}

// Whether the ray hits a triangle nearer than *hit. Most triangles lie on one side of it.
static bool hit_triangle(const sheared *space, md5_vec3 a, md5_vec3 b, md5_vec3 c, md5_hit *hit)
{
    if (have_one_side(a.x, b.x, c.x) || have_one_side(a.y, b.y, c.y))
        return false;
    const double u = edge(c, b), v = edge(a, c), w = edge(b, a);
    if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0))
        return false;
    const double sum = u + v + w;
    const bool from_front = (sum < 0.0) != space->is_mirrored;
    if (sum == 0.0 || (space->front_only && !from_front))
        return false;
    const double share[3] = {u / sum, v / sum, w / sum};
    const float t =
        (float)(share[0] * (double)a.z + share[1] * (double)b.z + share[2] * (double)c.z);
    if (!(t >= 0.0f && t <= space->limit && t < hit->t))
        return false;
    *hit = (md5_hit){.t = t,
                     .weights = {(float)share[0], (float)share[1], (float)share[2]},
                     .from_front = from_front};
    return true;
}

// How much a joint moves the point of a hit.
static float share_of(const md5_mesh *mesh, const md5_hit *hit, uint32_t joint)
{
    float share = 0.0f;
    for (int corner = 0; corner < 3; corner++) {
        const uint32_t vertex = mesh->indices[3 * hit->triangle + (uint32_t)corner];
        for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++)
            if (mesh->influence_joints[i] == joint)
                share += hit->weights[corner] * fabsf(mesh->influences[i].w);
    }
    return share;
}

// The joint with the largest share; only the first, largest influence of each corner is a
// candidate, which keeps the time linear in the number of influences.
static int32_t joint_of(const md5_mesh *mesh, const md5_hit *hit)
{
    int32_t joint = -1;
    float largest = -1.0f;
    for (int corner = 0; corner < 3; corner++) {
        const uint32_t vertex = mesh->indices[3 * hit->triangle + (uint32_t)corner];
        const uint32_t first = mesh->first_influence[vertex];
        if (first == mesh->first_influence[vertex + 1])
            continue;
        const uint32_t candidate = mesh->influence_joints[first];
        const float share = share_of(mesh, hit, candidate);
        if (share > largest) {
            largest = share;
            joint = (int32_t)candidate;
        }
    }
    return joint;
}

bool md5_raycast_mesh(const md5_ray *ray, const md5_mesh *mesh, const md5_vec3 *positions,
                      md5_hit *hit)
{
    MD5_ASSERT(ray != NULL && mesh != NULL && hit != NULL, "ray, mesh, hit: not NULL");
    MD5_ASSERT(positions != NULL || mesh->num_vertices == 0, "positions: not NULL");
    MD5_ASSERT_GEOMETRY(mesh);
    if (!has_direction(ray->direction))
        return false;
    const sheared space = shear(ray, mesh->is_mirrored);
    md5_hit nearest = {.t = INFINITY};
    for (uint32_t triangle = 0; triangle < mesh->num_triangles; triangle++) {
        const uint32_t *const corners = mesh->indices + 3 * (size_t)triangle;
        const md5_vec3 a = to_sheared(&space, &positions[corners[0]]);
        const md5_vec3 b = to_sheared(&space, &positions[corners[1]]);
        const md5_vec3 c = to_sheared(&space, &positions[corners[2]]);
        if (hit_triangle(&space, a, b, c, &nearest))
            nearest.triangle = triangle;
    }
    if (nearest.t == INFINITY)
        return false;
    nearest.joint = joint_of(mesh, &nearest);
    *hit = nearest;
    return true;
}

bool md5_raycast_model(const md5_ray *ray, const md5_model *model, const md5_mat34 *palette,
                       md5_vec3 *scratch, md5_hit *hit)
{
    MD5_ASSERT(ray != NULL && model != NULL && hit != NULL, "ray, model, hit: not NULL");
    MD5_ASSERT(scratch != NULL || model->max_vertices == 0, "scratch: not NULL");
    bool is_hit = false;
    md5_ray shorter = *ray;
    for (uint32_t mesh = 0; mesh < model->num_meshes; mesh++) {
        md5_hit nearer;
        md5_skin(&model->meshes[mesh], palette, scratch, NULL, NULL);
        if (!md5_raycast_mesh(&shorter, &model->meshes[mesh], scratch, &nearer))
            continue;
        if (is_hit && !(nearer.t < hit->t))
            continue; // as far as an earlier mesh
        nearer.mesh = mesh;
        *hit = nearer;
        is_hit = true;
        shorter.limit = nearer.t; // 0 would mean no limit; the comparison above covers it
    }
    return is_hit;
}
