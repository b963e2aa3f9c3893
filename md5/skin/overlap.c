// Finds the boxes of a crowd that overlap a sphere, a box, a view frustum or a ray.
//
// A loop writes each index and only then decides whether to keep it: without a branch, because
// whether a box passes is hard to predict.
#include "md5/core/assert.h"
#include "md5/core/math.h"
#include "md5/md5skin.h"

static bool is_empty(const md5_bounds *bounds)
{
    return !(bounds->min.x <= bounds->max.x);
}

// Distance from a value to an interval along one axis.
static float outside(float min, float max, float value)
{
    const float below = min - value, above = value - max;
    const float distance = below > above ? below : above;
    return distance > 0.0f ? distance : 0.0f;
}

static bool overlaps_sphere(const md5_bounds *bounds, md5_vec3 center, float square)
{
    const md5_vec3 away = {outside(bounds->min.x, bounds->max.x, center.x),
                           outside(bounds->min.y, bounds->max.y, center.y),
                           outside(bounds->min.z, bounds->max.z, center.z)};
    return md5_vec3_dot(away, away) <= square;
}

uint32_t md5_find_in_sphere(const md5_bounds *bounds, uint32_t count, md5_vec3 center, float radius,
                            uint32_t *found)
{
    MD5_ASSERT((bounds != NULL && found != NULL) || count == 0, "bounds, found: not NULL");
    const float square = radius >= 0.0f ? radius * radius : -1.0f;
    const bool is_number = center.x == center.x && center.y == center.y && center.z == center.z;
    uint32_t num_found = 0;
    for (uint32_t i = 0; is_number && i < count; i++) {
        found[num_found] = i;
        num_found +=
            (uint32_t)!is_empty(&bounds[i]) & (uint32_t)overlaps_sphere(&bounds[i], center, square);
    }
    return num_found;
}

static bool overlaps(const md5_bounds *a, const md5_bounds *b)
{
    return (a->min.x <= b->max.x) & (b->min.x <= a->max.x) & (a->min.y <= b->max.y)
           & (b->min.y <= a->max.y) & (a->min.z <= b->max.z) & (b->min.z <= a->max.z);
}

uint32_t md5_find_in_bounds(const md5_bounds *bounds, uint32_t count, md5_bounds box,
                            uint32_t *found)
{
    MD5_ASSERT((bounds != NULL && found != NULL) || count == 0, "bounds, found: not NULL");
    uint32_t num_found = 0;
    for (uint32_t i = 0; !is_empty(&box) && i < count; i++) {
        found[num_found] = i;
        num_found += (uint32_t)!is_empty(&bounds[i]) & (uint32_t)overlaps(&bounds[i], &box);
    }
    return num_found;
}

// Whether the corner farthest along the plane's normal is inside it.
static bool reaches(const md5_bounds *bounds, const md5_vec4 *plane)
{
    const float x = plane->x * (plane->x >= 0.0f ? bounds->max.x : bounds->min.x);
    const float y = plane->y * (plane->y >= 0.0f ? bounds->max.y : bounds->min.y);
    const float z = plane->z * (plane->z >= 0.0f ? bounds->max.z : bounds->min.z);
    return x + y + z + plane->w >= 0.0f;
}

// Row `row` of a column-major matrix, times `sign`, plus `w` times its last row.
static md5_vec4 combine_rows(const md5_mat44 *m, int row, float sign, float w)
{
    const float *const a = m->m + row, *const last = m->m + 3;
    return (md5_vec4){sign * a[0] + w * last[0], sign * a[4] + w * last[4],
                      sign * a[8] + w * last[8], sign * a[12] + w * last[12]};
}

// Inside are clip coordinates of -w <= x, y, z <= w; with the other range of depth 0 <= z.
void md5_frustum_planes(md5_mat44 clip_from_world, md5_depth depth, md5_vec4 *planes)
{
    MD5_ASSERT(planes != NULL, "planes: not NULL");
    for (int axis = 0; axis < 3; axis++) {
        planes[2 * axis] = combine_rows(&clip_from_world, axis, 1.0f, 1.0f);
        planes[2 * axis + 1] = combine_rows(&clip_from_world, axis, -1.0f, 1.0f);
    }
    if (depth == MD5_DEPTH_ZERO_TO_ONE)
        planes[4] = combine_rows(&clip_from_world, 2, 1.0f, 0.0f);
}

static bool reaches_all(const md5_bounds *bounds, const md5_vec4 *planes, uint32_t num_planes)
{
    bool all = !is_empty(bounds);
    for (uint32_t i = 0; i < num_planes; i++)
        all &= reaches(bounds, &planes[i]);
    return all;
}

uint32_t md5_find_in_planes(const md5_bounds *bounds, uint32_t count, const md5_vec4 *planes,
                            uint32_t num_planes, uint32_t *found)
{
    MD5_ASSERT((bounds != NULL && found != NULL) || count == 0, "bounds, found: not NULL");
    MD5_ASSERT(planes != NULL || num_planes == 0, "planes: not NULL");
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < count; i++) {
        found[num_found] = i;
        num_found += reaches_all(&bounds[i], planes, num_planes);
    }
    return num_found;
}

uint32_t md5_find_on_ray(const md5_bounds *bounds, uint32_t count, const md5_ray *ray,
                         uint32_t *found)
{
    MD5_ASSERT(ray != NULL, "ray: not NULL");
    MD5_ASSERT((bounds != NULL && found != NULL) || count == 0, "bounds, found: not NULL");
    uint32_t num_found = 0;
    for (uint32_t i = 0; i < count; i++) {
        found[num_found] = i;
        num_found += md5_raycast_bounds(ray, bounds[i], NULL);
    }
    return num_found;
}
