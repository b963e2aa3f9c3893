// Queries on posed models and crowds: bounds of a pose, the joint nearest to a point or ray,
// culling of boxes, and ray casts.
#include "md5/core/math.h"
#include "md5/skin/kernels.h"

// == Bounds of joints ============================================================================

// The bounds of a joint contain the points that the joint moves, in the space of the joint. A
// vertex is a weighted mean of such points. If each box is moved by its joint in a pose, the union
// of the boxes therefore contains the model in this pose.

// Computes the bounds of each joint in the space of the joint. They contain the offsets of the
// joint's weights. Returns true if the bounds, moved by the joints, contain the model in any pose.
// This is the case if each vertex is a weighted mean, which means that its biases are not negative
// and add up to 1.
bool md5_build_joint_bounds(const md5_model *model, md5_bounds *bounds)
{
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    MD5_ASSERT_ARRAY(bounds, model->skeleton.num_joints);

    bool are_means = true; // the biases of each vertex are not negative and add up to 1
    for (uint32_t joint = 0; joint < model->skeleton.num_joints; joint++)
        bounds[joint] = md5_bounds_from_points(NULL, 0);

    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        are_means = are_means && mesh->num_off_sums == 0;
        for (uint32_t weight = 0; weight < mesh->num_weights; weight++) {
            md5_bounds *const joint_bounds = &bounds[mesh->weights[weight].joint];
            const md5_vec3 offset = mesh->weights[weight].offset;
            *joint_bounds = md5_bounds_union(*joint_bounds, (md5_bounds){offset, offset});
            are_means = are_means && !(mesh->weights[weight].bias < 0);
        }
    }
    return are_means;
}

static bool is_empty(const md5_bounds *bounds)
{
    return !(bounds->min.x <= bounds->max.x);
}

// Extends the interval *low..*high by an interval of products. These are the products of a matrix
// entry and the numbers from `min` to `max`.
static void add_product(float entry, float min, float max, float *low, float *high)
{
    const float a = entry * min;
    const float b = entry * max;
    *low += a < b ? a : b;
    *high += a < b ? b : a;
}

// Computes the range of one coordinate of a box after a transform, *low to *high. `row` is the row
// of the transform's matrix that computes this coordinate.
static void transform_row(const float *row, const md5_bounds *bounds, float *low, float *high)
{
    *low = row[3];
    *high = row[3];
    add_product(row[0], bounds->min.x, bounds->max.x, low, high);
    add_product(row[1], bounds->min.y, bounds->max.y, low, high);
    add_product(row[2], bounds->min.z, bounds->max.z, low, high);
}

// Returns the bounds of a transformed box. Computes each coordinate's range from the ranges of its
// terms, which is faster than transforming the eight corners (Arvo 1990).
static md5_bounds transform(const md5_bounds *bounds, const md5_mat34 *m)
{
    md5_bounds moved;
    transform_row(m->m, bounds, &moved.min.x, &moved.max.x);
    transform_row(m->m + 4, bounds, &moved.min.y, &moved.max.y);
    transform_row(m->m + 8, bounds, &moved.min.z, &moved.max.z);
    return moved;
}

md5_bounds md5_bounds_transform(md5_bounds bounds, md5_mat34 m)
{
    return is_empty(&bounds) ? bounds : transform(&bounds, &m);
}

// Returns the union of the bounds of all joints, each moved by its joint matrix.
md5_bounds md5_bounds_from_joints(const md5_bounds *joint_bounds, const md5_mat34 *joints,
                                  uint32_t num_joints)
{
    MD5_ASSERT((joint_bounds && joints) || num_joints == 0,
               "joint_bounds, joints: must not be NULL");
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        if (!is_empty(&joint_bounds[joint]))
            bounds = md5_bounds_union(bounds, transform(&joint_bounds[joint], &joints[joint]));
    }
    return bounds;
}

// == The nearest joint ===========================================================================

// Returns the index of the joint whose position is nearest to `point`, for example to find the part
// of the body that was hit.
uint32_t md5_find_nearest_joint(const md5_mat34 *joints, uint32_t num_joints, md5_vec3 point,
                                float *distance)
{
    MD5_ASSERT_ARRAY(joints, num_joints);
    const md5_ray ray = {.origin = point};
    return md5_find_nearest_joint_to_ray(joints, num_joints, ray, distance);
}

// Returns the parameter t of the point on a ray, origin + t * direction, that is nearest to a
// point. `offset` is the vector from the origin to the point. For points behind the origin, t is 0.
// For points past the end of the ray, t is `limit`. A ray without a direction consists of its
// origin only.
static double nearest_ray_parameter(md5_vec3d direction, float limit, md5_vec3d offset)
{
    const double square_length = md5_vec3d_dot(direction, direction);
    const double projection =
        square_length > 0 ? md5_vec3d_dot(offset, direction) / square_length : 0;
    const double t = projection > 0 ? projection : 0;
    const bool is_past_end = limit > 0 && t > (double)limit;
    return is_past_end ? (double)limit : t;
}

// Returns the joint nearest to a ray, or MD5_NONE if there are no joints. `distance` may be NULL.
// The distances are computed in double, because the square of a float can exceed the range of
// floats.
uint32_t md5_find_nearest_joint_to_ray(const md5_mat34 *joints, uint32_t num_joints, md5_ray ray,
                                       float *distance)
{
    MD5_ASSERT_ARRAY(joints, num_joints);
    const md5_vec3d origin = md5_vec3d_from_vec3(ray.origin);
    const md5_vec3d direction = md5_vec3d_from_vec3(ray.direction);
    uint32_t nearest = MD5_NONE;
    double smallest = INFINITY;

    for (uint32_t joint = 0; joint < num_joints; joint++) {
        const md5_vec3 position = md5_mat34_translation(joints[joint]);
        const md5_vec3d offset = md5_vec3d_sub(md5_vec3d_from_vec3(position), origin);

        const double t = nearest_ray_parameter(direction, ray.limit, offset);
        const md5_vec3d from_ray = md5_vec3d_sub(offset, md5_vec3d_scale(direction, t));
        const double square = md5_vec3d_dot(from_ray, from_ray);
        if (square < smallest) {
            smallest = square;
            nearest = joint;
        }
    }

    if (nearest != MD5_NONE && distance)
        *distance = (float)sqrt(smallest);
    return nearest;
}

// == Overlapping boxes ===========================================================================

// These functions list the boxes of a crowd that overlap a sphere, a box, a view frustum or a ray.
// Their loops use arithmetic instead of branches, because processors cannot predict the result
// of the test well. They write the index of every box to the end of the list. If the box passes the
// test, they increment the length of the list, so that the index remains in it.

// Returns the distance of a value from the interval min..max. It is 0 inside of the interval.
static float distance_to_interval(float min, float max, float value)
{
    const float below = min - value;
    const float above = value - max;
    const float distance = below > above ? below : above;
    return distance > 0 ? distance : 0;
}

// Returns true if a sphere touches a box. `square` is the square of its radius.
static inline bool touches_sphere(const md5_bounds *bounds, md5_vec3 center, float square)
{
    const md5_vec3 distance = {
        distance_to_interval(bounds->min.x, bounds->max.x, center.x),
        distance_to_interval(bounds->min.y, bounds->max.y, center.y),
        distance_to_interval(bounds->min.z, bounds->max.z, center.z),
    };
    return md5_vec3_dot(distance, distance) <= square;
}

// Finds the boxes that a sphere touches: writes their indices to `found` and returns their number.
uint32_t md5_cull_sphere(const md5_bounds *bounds, uint32_t count, md5_vec3 center, float radius,
                         uint32_t *found)
{
    MD5_ASSERT((bounds && found) || count == 0, "bounds, found: must not be NULL");
    const bool has_position = !isnan(center.x) && !isnan(center.y) && !isnan(center.z);
    if (!has_position)
        return 0;
    const float square = radius >= 0 ? radius * radius : -1; // -1: no box is found
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < count; i++) {
        found[num_found] = i; // counted below only if the box is found
        const bool is_touched = touches_sphere(&bounds[i], center, square);
        num_found += (uint32_t)!is_empty(&bounds[i]) & (uint32_t)is_touched;
    }
    return num_found;
}

static bool overlaps(const md5_bounds *a, const md5_bounds *b)
{
    return (a->min.x <= b->max.x) & (b->min.x <= a->max.x) & (a->min.y <= b->max.y)
           & (b->min.y <= a->max.y) & (a->min.z <= b->max.z) & (b->min.z <= a->max.z);
}

// Finds the boxes that overlap `box`: writes their indices to `found` and returns their number.
uint32_t md5_cull_bounds(const md5_bounds *bounds, uint32_t count, md5_bounds box, uint32_t *found)
{
    MD5_ASSERT((bounds && found) || count == 0, "bounds, found: must not be NULL");
    uint32_t num_found = 0;
    if (!is_empty(&box)) {
        for (uint32_t i = 0; i < count; i++) {
            found[num_found] = i;
            num_found += (uint32_t)!is_empty(&bounds[i]) & (uint32_t)overlaps(&bounds[i], &box);
        }
    }
    return num_found;
}

// Returns true if a part of a box is on the inner side of a plane. This is the case if the corner
// that is farthest along the plane's normal is on this side.
static bool is_inside_plane(const md5_bounds *bounds, const md5_vec4 *plane)
{
    const float x = plane->x * (plane->x >= 0 ? bounds->max.x : bounds->min.x);
    const float y = plane->y * (plane->y >= 0 ? bounds->max.y : bounds->min.y);
    const float z = plane->z * (plane->z >= 0 ? bounds->max.z : bounds->min.z);
    return x + y + z + plane->w >= 0;
}

// Returns sign * (row `row` of a matrix) + w * (the last row). The matrix is stored column by
// column.
static md5_vec4 combine_rows(const md5_mat44 *m, int row, float sign, float w)
{
    const float *const a = m->m + row;
    const float *const last = m->m + 3;
    return (md5_vec4){sign * a[0] + w * last[0], sign * a[4] + w * last[4],
                      sign * a[8] + w * last[8], sign * a[12] + w * last[12]};
}

// Computes the six planes of a view frustum from its clip matrix. The normals of the planes point
// inward.
//
// Clip coordinates inside the frustum have -w <= x, y, z <= w. Planes 2 i and 2 i + 1 are the lower
// and the upper limit of axis i. For depths from 0 to 1 or from 1 to 0, the plane 0 <= z replaces
// one of the planes of z. Plane 4 is then the near plane, and plane 5 is the far plane.
void md5_frustum_planes(md5_mat44 clip_from_world, md5_depth depth, md5_vec4 *planes)
{
    MD5_ASSERT_NOT_NULL(planes);
    for (int axis = 0; axis < 3; axis++) {
        planes[2 * axis] = combine_rows(&clip_from_world, axis, 1, 1);
        planes[2 * axis + 1] = combine_rows(&clip_from_world, axis, -1, 1);
    }
    if (depth == MD5_DEPTH_ONE_TO_ZERO)
        planes[4] = planes[5];
    if (depth != MD5_DEPTH_MINUS_ONE_TO_ONE) // the plane at depth 0
        planes[depth == MD5_DEPTH_ZERO_TO_ONE ? 4 : 5] = combine_rows(&clip_from_world, 2, 1, 0);
}

// Finds the boxes that are not entirely outside of a plane: writes their indices to `found` and
// returns their number.
uint32_t md5_cull_planes(const md5_bounds *bounds, uint32_t count, const md5_vec4 *planes,
                         uint32_t num_planes, uint32_t *found)
{
    MD5_ASSERT((bounds && found) || count == 0, "bounds, found: must not be NULL");
    MD5_ASSERT_ARRAY(planes, num_planes);
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < count; i++) {
        found[num_found] = i;
        bool is_inside = !is_empty(&bounds[i]);
        for (uint32_t k = 0; k < num_planes; k++)
            is_inside &= is_inside_plane(&bounds[i], &planes[k]);
        num_found += is_inside;
    }
    return num_found;
}

// Writes the indices of the boxes that a ray hits to `found`, in ascending order, and returns their
// number.
uint32_t md5_cull_ray(const md5_bounds *bounds, uint32_t count, md5_ray ray, uint32_t *found)
{
    MD5_ASSERT((bounds && found) || count == 0, "bounds, found: must not be NULL");
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < count; i++) {
        found[num_found] = i;
        num_found += md5_raycast_bounds(ray, bounds[i], NULL);
    }
    return num_found;
}

// == Rays ========================================================================================

static float ray_limit(const md5_ray *ray)
{
    return ray->limit > 0 ? ray->limit : FLT_MAX;
}

// -- Boxes ----------------------------------------------------------------------------------------

static bool is_nonzero_vector(md5_vec3 a)
{
    return a.x != 0 || a.y != 0 || a.z != 0;
}

// Clips a part of a ray to the space between two planes perpendicular to an axis. The planes have
// the coordinates `min` and `max`. `origin` and `direction` are the ray's coordinates along the
// axis. *enter and *leave are the parameters of the part's ends. Returns false if nothing remains.
// A ray parallel to the planes is handled separately, so that 0 * infinity never occurs.
static bool clip(float origin, float direction, float min, float max, float *enter, float *leave)
{
    if (direction == 0)
        return min <= origin && origin <= max;
    const float a = (min - origin) / direction;
    const float b = (max - origin) / direction;
    const float first = a < b ? a : b;
    const float last = a < b ? b : a;
    *enter = first > *enter ? first : *enter;
    *leave = last < *leave ? last : *leave;
    return first <= *leave && *enter <= *leave; // false for NaN
}

// Returns true if a ray hits a box. Sets *t to the ray parameter at which the ray enters the box.
// `t` may be NULL.
bool md5_raycast_bounds(md5_ray ray, md5_bounds bounds, float *t)
{
    const md5_vec3 o = ray.origin;
    const md5_vec3 d = ray.direction;
    float enter = 0;
    float leave = ray_limit(&ray);
    if (!is_nonzero_vector(d) || is_empty(&bounds))
        return false;
    TRY(clip(o.x, d.x, bounds.min.x, bounds.max.x, &enter, &leave));
    TRY(clip(o.y, d.y, bounds.min.y, bounds.max.y, &enter, &leave));
    TRY(clip(o.z, d.z, bounds.min.z, bounds.max.z, &enter, &leave));
    if (t)
        *t = enter;
    return true;
}

// Returns a ray in the space of a joint. Its direction is not normalized, so that ray parameters
// are the same in both spaces.
static md5_ray ray_in_joint(const md5_ray *ray, const md5_mat34 *joint)
{
    const md5_mat34 to_joint = md5_mat34_inverse(*joint);
    const md5_vec4 origin = {ray->origin.x, ray->origin.y, ray->origin.z, 1};
    md5_ray local = *ray;
    local.origin = md5_mat34_apply(&to_joint, origin);
    local.direction = md5_mat34_rotate(&to_joint, ray->direction);
    return local;
}

// Finds the first joint whose bounds a ray hits. joint_bounds[num_joints] are in the spaces of the
// joints.
bool md5_raycast_joints(md5_ray ray, const md5_bounds *joint_bounds, const md5_mat34 *joints,
                        uint32_t num_joints, md5_hit *hit)
{
    MD5_ASSERT_NOT_NULL(hit);
    MD5_ASSERT((joint_bounds && joints) || num_joints == 0,
               "joint_bounds, joints: must not be NULL");

    md5_hit nearest = {.t = FLT_MAX, .joint = MD5_NONE};
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        const md5_ray local = ray_in_joint(&ray, &joints[joint]);
        float t = 0;
        if (!md5_raycast_bounds(local, joint_bounds[joint], &t))
            continue;
        const bool is_first_hit = nearest.joint == MD5_NONE;
        if (is_first_hit || t < nearest.t)
            nearest = (md5_hit){.t = t, .joint = joint};
    }
    if (nearest.joint == MD5_NONE)
        return false;
    *hit = nearest;
    return true;
}

// -- Triangles ------------------------------------------------------------------------------------

// A sheared coordinate system in which a ray is the z axis (Woop, Benthin, Wald, "Watertight
// Ray/Triangle Intersection", 2013). The ray hits a triangle if x = y = 0 is inside of the
// triangle. Neighboring triangles have the same rounded coordinates at their common edge, so there
// is no gap between them.
typedef struct ray_space {
    float origin[3];
    int x; // axis of the model that becomes x
    int y; // axis of the model that becomes y
    int z; // axis of the model that becomes z: the axis of the largest component of the direction
    float shear_x;
    float shear_y;
    float scale_z;
    float limit;
    bool front_only;
    bool is_mirrored;
} ray_space;

// Returns the space in which a ray is the z axis. `is_mirrored` is the member of the mesh.
static ray_space find_ray_space(const md5_ray *ray, bool is_mirrored)
{
    const md5_vec3 o = ray->origin;
    const float d[3] = {ray->direction.x, ray->direction.y, ray->direction.z};

    // z is the axis of the largest component.
    int z = fabsf(d[0]) > fabsf(d[1]) ? 0 : 1;
    z = fabsf(d[z]) > fabsf(d[2]) ? z : 2;

    const bool is_positive = d[z] > 0; // if false, x and y are exchanged, to keep the orientation
    const int next = (z + 1) % 3;
    const int last = (z + 2) % 3;
    const int x = is_positive ? next : last;
    const int y = is_positive ? last : next;

    return (ray_space){.origin = {o.x, o.y, o.z},
                       .x = x,
                       .y = y,
                       .z = z,
                       .shear_x = d[x] / d[z],
                       .shear_y = d[y] / d[z],
                       .scale_z = 1.0f / d[z],
                       .limit = ray_limit(ray),
                       .front_only = ray->front_only,
                       .is_mirrored = is_mirrored};
}

// Transforms a point to the space of a ray.
static md5_vec3 to_ray_space(const ray_space *space, const md5_vec3 *point)
{
    const float p[3] = {point->x - space->origin[0], point->y - space->origin[1],
                        point->z - space->origin[2]};
    return (md5_vec3){p[space->x] - space->shear_x * p[space->z],
                      p[space->y] - space->shear_y * p[space->z], space->scale_z * p[space->z]};
}

// Returns twice the signed area of the triangle between an edge and the ray, in the space of the
// ray. The product of two floats is exact in double, so the sign of the result is exact.
static double edge_area(md5_vec3 a, md5_vec3 b)
{
    return (double)a.x * (double)b.y - (double)a.y * (double)b.x;
}

// Returns true if all numbers are positive.
static bool are_positive(float a, float b, float c)
{
    return a > 0 && b > 0 && c > 0;
}

// Returns true if all numbers are negative.
static bool are_negative(float a, float b, float c)
{
    return a < 0 && b < 0 && c < 0;
}

// Returns true if the corners of a triangle are all on the same side of the ray along one axis, so
// that the ray misses the triangle. a, b and c are the coordinates of the corners along this axis.
// The ray is at 0.
static bool are_on_one_side(float a, float b, float c)
{
    return are_positive(a, b, c) || are_negative(a, b, c);
}

// Returns true and sets *hit if a ray hits a triangle nearer than *hit. The corners are in the
// space of the ray.
static bool hit_triangle(const ray_space *space, md5_vec3 a, md5_vec3 b, md5_vec3 c, md5_hit *hit)
{
    // A quick test rejects most triangles.
    if (are_on_one_side(a.x, b.x, c.x) || are_on_one_side(a.y, b.y, c.y))
        return false;

    // The origin is inside of the triangle if it is on the same side of all edges.
    const double u = edge_area(c, b);
    const double v = edge_area(a, c);
    const double w = edge_area(b, a);

    const bool has_negative = u < 0 || v < 0 || w < 0;
    const bool has_positive = u > 0 || v > 0 || w > 0;
    if (has_negative && has_positive)
        return false;

    const double sum = u + v + w;
    const bool from_front = (sum < 0) != space->is_mirrored;
    if (sum == 0 || (space->front_only && !from_front))
        return false;

    // The areas divided by their sum are the barycentric coordinates of the hit.
    const double weights[3] = {u / sum, v / sum, w / sum};
    const float t =
        (float)(weights[0] * (double)a.z + weights[1] * (double)b.z + weights[2] * (double)c.z);
    if (!(t >= 0 && t <= space->limit && t < hit->t))
        return false;

    *hit = (md5_hit){.t = t,
                     .weights = {(float)weights[0], (float)weights[1], (float)weights[2]},
                     .from_front = from_front};
    return true;
}

// Returns the weight of a joint at the point of a hit. At a corner of the triangle, this is the sum
// of the magnitudes of the joint's biases. Between the corners, it is interpolated.
static float interpolate_joint_weight(const md5_mesh *mesh, const md5_hit *hit, uint32_t joint)
{
    float weight = 0;
    for (uint32_t corner = 0; corner < 3; corner++) {
        const uint32_t vertex = mesh->indices[3 * hit->triangle + (uint32_t)corner];
        const uint32_t end = mesh->first_influence[vertex + 1];
        for (uint32_t i = mesh->first_influence[vertex]; i < end; i++) {
            if (mesh->influence_joints[i] == joint)
                weight += hit->weights[corner] * fabsf(mesh->influences[i].w);
        }
    }
    return weight;
}

// Returns the joint with the largest weight at the point of a hit, or MD5_NONE. Compares only the
// joints of the first influence of each corner, because the first influence is the largest.
// Therefore the time is linear in the number of influences.
static uint32_t find_hit_joint(const md5_mesh *mesh, const md5_hit *hit)
{
    uint32_t joint = MD5_NONE;
    float largest = -1;
    for (uint32_t corner = 0; corner < 3; corner++) {
        const uint32_t vertex = mesh->indices[3 * hit->triangle + (uint32_t)corner];
        const uint32_t first = mesh->first_influence[vertex];
        if (first == mesh->first_influence[vertex + 1])
            continue;

        const uint32_t candidate = mesh->influence_joints[first];
        const float weight = interpolate_joint_weight(mesh, hit, candidate);
        if (weight > largest) {
            largest = weight;
            joint = candidate;
        }
    }
    return joint;
}

// Finds the first triangle of a mesh that a ray hits. positions[num_vertices] are the posed
// vertices. Returns false and leaves *hit unchanged if the ray hits none.
bool md5_raycast_mesh(md5_ray ray, const md5_mesh *mesh, const md5_vec3 *positions, md5_hit *hit)
{
    MD5_ASSERT_PART(mesh, name);
    MD5_ASSERT_NOT_NULL(hit);
    MD5_ASSERT_ARRAY(positions, mesh->num_vertices);
    MD5_ASSERT_GEOMETRY(mesh);

    if (!is_nonzero_vector(ray.direction))
        return false;

    const ray_space space = find_ray_space(&ray, mesh->is_mirrored);
    md5_hit nearest = {.t = INFINITY};
    for (uint32_t triangle = 0; triangle < mesh->num_triangles; triangle++) {
        const uint32_t *const corners = mesh->indices + 3 * (size_t)triangle;
        md5_vec3 p[3];
        for (uint32_t i = 0; i < 3; i++)
            p[i] = to_ray_space(&space, &positions[corners[i]]);
        if (hit_triangle(&space, p[0], p[1], p[2], &nearest))
            nearest.triangle = triangle;
    }

    if (nearest.t == INFINITY)
        return false;
    nearest.joint = find_hit_joint(mesh, &nearest);
    *hit = nearest;
    return true;
}

size_t md5_raycast_model_scratch(const md5_model *model)
{
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    return model->max_vertices * sizeof(md5_vec3) + sizeof(float);
}

// Finds the first triangle of a model that a ray hits, in the pose of `palette`. Skins one mesh
// after the other into `scratch`.
bool md5_raycast_model(md5_ray ray, const md5_model *model, const md5_mat34 *palette, md5_hit *hit,
                       void *scratch)
{
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    MD5_ASSERT_NOT_NULL(hit);
    MD5_ASSERT_ARRAY(scratch, model->max_vertices);

    const size_t misaligned = (uintptr_t)scratch % sizeof(float);
    md5_vec3 *const positions =
        (md5_vec3 *)(void *)((char *)scratch + (misaligned > 0 ? sizeof(float) - misaligned : 0));

    bool is_hit = false;
    md5_ray shorter = ray;
    for (uint32_t mesh = 0; mesh < model->num_meshes; mesh++) {
        md5_hit nearer;
        md5_skin(&model->meshes[mesh], palette, positions, NULL, NULL);
        if (!md5_raycast_mesh(shorter, &model->meshes[mesh], positions, &nearer))
            continue;
        const bool is_nearer = !is_hit || nearer.t < hit->t;
        if (!is_nearer) // at the same distance as a hit of an earlier mesh
            continue;

        nearer.mesh = mesh;
        *hit = nearer;
        is_hit = true;
        // Test later meshes only up to this hit. A distance of 0 would mean no limit. The
        // comparison above then rejects their hits.
        shorter.limit = nearer.t;
    }
    return is_hit;
}
