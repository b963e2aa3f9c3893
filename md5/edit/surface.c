// Finds the nearest point of a surface with a tree of bounding boxes. The leaves are the triangles
// in Morton order: the key of a triangle interleaves the bits of its center's coordinates.
// Triangles that are neighbors in this order are also near each other in space.
#include "md5/edit/surface.h"

#include <stdlib.h>

enum {
    KEY_BITS = 10,     // bits of a coordinate in a key
    MAX_VISITS = 4096, // boxes that a search visits
    MAX_STACK = 64,    // above the depth of a tree with 2^31 boxes
};

typedef struct triangle_key {
    uint32_t key;
    uint32_t triangle;
} triangle_key;

// Orders triangles by their Morton key, and equal keys by index, for qsort().
static int compare_keys(const void *a, const void *b)
{
    const triangle_key *const x = (const triangle_key *)a;
    const triangle_key *const y = (const triangle_key *)b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->triangle != y->triangle)
        return x->triangle < y->triangle ? -1 : 1;
    return 0;
}

// Returns the position of a corner of a triangle; `index` is 0 to 2.
static md5_vec3 corner(const md5_surface *surface, uint32_t triangle, uint32_t index)
{
    return surface->positions[surface->corners[3 * (size_t)triangle + index]];
}

// Returns a box that does not contain any point. Joining it with another box gives the other box.
static md5_bounds empty_box(void)
{
    return (md5_bounds){.min = {INFINITY, INFINITY, INFINITY},
                        .max = {-INFINITY, -INFINITY, -INFINITY}};
}

// Returns the smallest box that contains two boxes.
static md5_bounds join_boxes(md5_bounds a, md5_bounds b)
{
    return (md5_bounds){
        .min = {fminf(a.min.x, b.min.x), fminf(a.min.y, b.min.y), fminf(a.min.z, b.min.z)},
        .max = {fmaxf(a.max.x, b.max.x), fmaxf(a.max.y, b.max.y), fmaxf(a.max.z, b.max.z)}};
}

// Returns the bounding box of a triangle.
static md5_bounds triangle_box(const md5_surface *surface, uint32_t triangle)
{
    md5_bounds box = empty_box();
    for (uint32_t k = 0; k < 3; k++) {
        const md5_vec3 p = corner(surface, triangle, k);
        box = join_boxes(box, (md5_bounds){p, p});
    }
    return box;
}

// Quantizes one coordinate of a triangle's center to KEY_BITS bits. 0 means the minimum of the
// surface, and the largest number means its maximum. `min` and `max` are the range of the triangle.
static uint32_t quantize(float min, float max, float surface_min, float surface_max)
{
    const double size = (double)surface_max - (double)surface_min;
    const double center = ((double)min + (double)max) / 2 - (double)surface_min;
    const double top = (1 << KEY_BITS) - 1;
    const double position = size > 0 ? center / size * top : 0;
    const bool is_inside = position > 0 && position <= top; // false if it is NaN
    return is_inside ? (uint32_t)position : 0;
}

// Returns the Morton key of a triangle, which interleaves the bits of its quantized x, y and z.
// Triangles with similar keys are near each other. `box` is the bounding box of the triangle, and
// `surface` is the bounding box of all triangles.
static uint32_t morton_key(md5_bounds box, md5_bounds surface)
{
    const uint32_t x = quantize(box.min.x, box.max.x, surface.min.x, surface.max.x);
    const uint32_t y = quantize(box.min.y, box.max.y, surface.min.y, surface.max.y);
    const uint32_t z = quantize(box.min.z, box.max.z, surface.min.z, surface.max.z);
    uint32_t key = 0;
    for (uint32_t bit = 0; bit < KEY_BITS; bit++) {
        key |= (x >> bit & 1) << (3 * bit);
        key |= (y >> bit & 1) << (3 * bit + 1);
        key |= (z >> bit & 1) << (3 * bit + 2);
    }
    return key;
}

// Writes the triangles in Morton order to surface->triangles. keys[num_triangles] is a buffer.
static void sort_triangles(md5_surface *surface, triangle_key *keys)
{
    md5_bounds bounds = empty_box();
    for (uint32_t t = 0; t < surface->num_triangles; t++)
        bounds = join_boxes(bounds, triangle_box(surface, t));
    for (uint32_t t = 0; t < surface->num_triangles; t++)
        keys[t] = (triangle_key){morton_key(triangle_box(surface, t), bounds), t};
    qsort(keys, surface->num_triangles, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < surface->num_triangles; i++)
        surface->triangles[i] = keys[i].triangle;
}

// Computes the boxes of the tree. First computes the leaves from the sorted triangles, then the
// boxes above them, up to the root. Leaves after the last triangle are empty.
static void compute_boxes(md5_surface *surface)
{
    md5_bounds *const leaves = surface->boxes + surface->num_leaves;
    for (uint32_t i = 0; i < surface->num_leaves; i++) {
        const bool has_triangle = i < surface->num_triangles;
        leaves[i] = has_triangle ? triangle_box(surface, surface->triangles[i]) : empty_box();
    }
    for (uint32_t i = surface->num_leaves - 1; i > 0; i--) {
        const size_t child = 2 * (size_t)i;
        surface->boxes[i] = join_boxes(surface->boxes[child], surface->boxes[child + 1]);
    }
}

// Builds a tree of bounding boxes over the triangles of a surface. The tree is binary and complete:
// the children of box i are the boxes 2 i and 2 i + 1. The leaves are the triangles in Morton
// order, so that neighbors in the tree are neighbors in space. A search can then skip most boxes.
bool md5i_build_surface(md5_arena *arena, const md5_vec3 *positions, const uint32_t *corners,
                        uint32_t num_triangles, md5_surface *surface)
{
    *surface = (md5_surface){.positions = positions,
                             .corners = corners,
                             .num_triangles = num_triangles,
                             .num_leaves = 1};
    while (surface->num_leaves < num_triangles)
        surface->num_leaves *= 2;
    triangle_key *const keys = MD5_ALLOC_ARRAY(arena, triangle_key, num_triangles);
    surface->triangles = MD5_ALLOC_ARRAY(arena, uint32_t, num_triangles);
    surface->boxes = MD5_ALLOC_ARRAY(arena, md5_bounds, 2 * (size_t)surface->num_leaves);
    TRY(keys && surface->triangles && surface->boxes);

    sort_triangles(surface, keys);
    compute_boxes(surface);
    return true;
}

// -- Search ---------------------------------------------------------------------------------------

// A search for the point of the surface that is nearest to a given point.
typedef struct nearest_search {
    md5_vec3d point;         // the given point
    md5_surface_point found; // nearest point so far
    double squared;          // squared distance of the found point
} nearest_search;

// Replaces the found point by `candidate` if the candidate is nearer. corners[3] are the corners of
// the candidate's triangle.
static void keep_nearer_point(nearest_search *search, const md5_vec3d *corners,
                              md5_surface_point candidate)
{
    md5_vec3d p = {0, 0, 0};
    for (uint32_t k = 0; k < 3; k++)
        p = md5_vec3d_add(p, md5_vec3d_scale(corners[k], candidate.fractions[k]));
    const md5_vec3d difference = md5_vec3d_sub(search->point, p);
    const double squared = md5_vec3d_dot(difference, difference);
    if (squared < search->squared) {
        search->squared = squared;
        search->found = candidate;
    }
}

// Updates the found point with the nearest point of each edge of a triangle.
static void search_edges(nearest_search *search, const md5_vec3d *corners, uint32_t triangle)
{
    for (uint32_t start = 0; start < 3; start++) {
        const uint32_t end = (start + 1) % 3;
        const md5_vec3d edge = md5_vec3d_sub(corners[end], corners[start]);
        const md5_vec3d to_point = md5_vec3d_sub(search->point, corners[start]);
        const double squared_length = md5_vec3d_dot(edge, edge);
        const double projection = md5_vec3d_dot(edge, to_point);
        // `fraction` is the position along the edge: 0 is its start, 1 is its end.
        const double fraction =
            squared_length > 0 ? fmin(fmax(projection / squared_length, 0), 1) : 0;
        md5_surface_point on_edge = {.triangle = triangle};
        on_edge.fractions[start] = 1 - fraction;
        on_edge.fractions[end] = fraction;
        keep_nearer_point(search, corners, on_edge);
    }
}

// Updates the found point with those points of a triangle that can be nearest. These are one point
// of each edge, and the projection of the given point onto the plane, if it is inside of the
// triangle.
static void search_triangle(nearest_search *search, const md5_surface *surface, uint32_t triangle)
{
    md5_vec3d corners[3];
    for (uint32_t k = 0; k < 3; k++)
        corners[k] = md5_vec3d_from_vec3(corner(surface, triangle, k));
    search_edges(search, corners, triangle);

    // Barycentric coordinates b and c of the point's projection onto the plane of triangle abc.
    const md5_vec3d ab = md5_vec3d_sub(corners[1], corners[0]);
    const md5_vec3d ac = md5_vec3d_sub(corners[2], corners[0]);
    const md5_vec3d ap = md5_vec3d_sub(search->point, corners[0]);
    const md5_vec3d normal = md5_vec3d_cross(ab, ac);
    const double squared_length = md5_vec3d_dot(normal, normal);
    const double b = md5_vec3d_dot(md5_vec3d_cross(ap, ac), normal) / squared_length;
    const double c = md5_vec3d_dot(md5_vec3d_cross(ab, ap), normal) / squared_length;
    const bool is_inside = squared_length > 0 && b >= 0 && c >= 0 && b + c <= 1;
    if (is_inside)
        keep_nearer_point(search, corners, (md5_surface_point){triangle, {1 - b - c, b, c}});
}

// Returns the square of the distance of a coordinate from a range. It is 0 inside of the range.
static double squared_axis_distance(float value, float min, float max)
{
    const double below = (double)min - (double)value;
    const double above = (double)value - (double)max;
    const double distance = fmax(fmax(below, above), 0);
    return distance * distance;
}

// Returns the squared distance of a point from a box. It is infinite for an empty box.
static double squared_distance(const md5_bounds *box, md5_vec3 p)
{
    return squared_axis_distance(p.x, box->min.x, box->max.x)
           + squared_axis_distance(p.y, box->min.y, box->max.y)
           + squared_axis_distance(p.z, box->min.z, box->max.z);
}

// Returns the point of the surface that is nearest to a point. Skips all boxes that are farther
// away than the nearest triangle so far.
md5_surface_point md5i_nearest_point(const md5_surface *surface, md5_vec3 point)
{
    nearest_search search = {.point = md5_vec3d_from_vec3(point), .squared = INFINITY};
    uint32_t stack[MAX_STACK]; // boxes that remain to be visited; box 1 is the root
    uint32_t depth = 0;
    stack[depth++] = 1;
    for (uint32_t visits = 0; depth > 0 && visits < MAX_VISITS; visits++) {
        const uint32_t box = stack[--depth];
        if (squared_distance(&surface->boxes[box], point) >= search.squared)
            continue;
        if (box >= surface->num_leaves) {
            search_triangle(&search, surface, surface->triangles[box - surface->num_leaves]);
            continue;
        }
        // Push the nearer child last, so that it is visited first. A near point excludes more of
        // the remaining boxes.
        const uint32_t child = 2 * box;
        const double left = squared_distance(&surface->boxes[child], point);
        const double right = squared_distance(&surface->boxes[child + 1], point);
        const uint32_t nearer = right < left ? child + 1 : child;
        stack[depth++] = nearer == child ? child + 1 : child;
        stack[depth++] = nearer;
    }
    return search.found;
}
