// Finds the nearest point of a surface. The triangles are sorted along a space-filling curve, and
// become the leaves of a binary tree of bounding boxes. Building the tree takes O(n log n), and a
// search visits few triangles.
//
// The number of visits of a search is limited. The limit matters only for surfaces on which boxes
// are useless, such as thousands of large triangles through one point. The result may then be a
// near point that is not the nearest.
#ifndef MD5_EDIT_SURFACE_H
#define MD5_EDIT_SURFACE_H

#include "md5/core/arena.h"
#include "md5/core/math.h"

typedef struct md5_surface {
    const md5_vec3 *positions;
    const uint32_t *corners; // [3 * num_triangles] indices of positions
    uint32_t num_triangles;
    uint32_t num_leaves; // a power of two, at least num_triangles
    uint32_t *triangles; // [num_triangles] triangle of each leaf
    // [2 * num_leaves] Box 1 is the root. The children of box i are the boxes 2 i and 2 i + 1. The
    // leaves begin at num_leaves. The box of a leaf without a triangle is empty.
    md5_bounds *boxes;
} md5_surface;

// A point of the surface: the sum of the corners of a triangle, each multiplied by a fraction
// (barycentric coordinates).
typedef struct md5_surface_point {
    uint32_t triangle;
    double fractions[3]; // one for each corner; their sum is 1
} md5_surface_point;

// Builds a surface of at least one triangle and at most 2^30. Keeps pointers to the arrays. Returns
// false and sets the error if memory runs out.
bool md5i_build_surface(md5_arena *arena, const md5_vec3 *positions, const uint32_t *corners,
                        uint32_t num_triangles, md5_surface *surface);

// Returns the point of the surface that is nearest to a point, as a triangle and the fractions of
// its corners. The fractions are 0 if the distance to every triangle is infinite or NaN.
md5_surface_point md5i_nearest_point(const md5_surface *surface, md5_vec3 point);

#endif
