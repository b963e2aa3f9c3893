// The convex hulls of bodies: their face planes, and the edges between faces.
#include "md5/ragdoll/ragdoll.h"

// Returns the outward unit normal of a triangle, or 0 if the triangle has no area.
static md5_vec3d triangle_normal(const md5_figure *figure, const uint32_t vertices[3])
{
    const md5_vec3d a = md5_vec3d_from_vec3(figure->vertices[vertices[0]]);
    const md5_vec3d b = md5_vec3d_from_vec3(figure->vertices[vertices[1]]);
    const md5_vec3d c = md5_vec3d_from_vec3(figure->vertices[vertices[2]]);
    return md5_vec3d_normalize(md5_vec3d_cross(md5_vec3d_sub(c, a), md5_vec3d_sub(b, a)));
}

// Two triangles are in one plane if two conditions are true. The cosine of the angle between their
// normals is above MIN_PARALLEL_COSINE, and their distances from the center of the body differ by
// less than SAME_PLANE_DISTANCE, units.
#define MIN_PARALLEL_COSINE 0.9999
#define SAME_PLANE_DISTANCE 1e-3

// Returns the index of a plane in the planes of a hull. Adds the plane if no earlier triangle has
// it.
static uint32_t add_plane(md5_ragdoll *ragdoll, ragdoll_hull *hull, md5_vec3d normal, double level)
{
    ragdoll_plane *const planes = &ragdoll->planes[hull->first_plane];
    for (uint32_t i = 0; i < hull->num_planes; i++) {
        const bool is_parallel = md5_vec3d_dot(planes[i].normal, normal) > MIN_PARALLEL_COSINE;
        if (is_parallel && fabs(planes[i].level - level) < SAME_PLANE_DISTANCE)
            return i;
    }
    planes[hull->num_planes] = (ragdoll_plane){normal, level};
    return hull->num_planes++;
}

// Returns the triangle that has a side from vertex `from` to vertex `to`, or MD5_NONE.
static uint32_t find_side(const uint32_t (*triangles)[3], uint32_t count, uint32_t from,
                          uint32_t to)
{
    for (uint32_t i = 0; i < count; i++) {
        for (int side = 0; side < 3; side++) {
            if (triangles[i][side] == from && triangles[i][(side + 1) % 3] == to)
                return i;
        }
    }
    return MD5_NONE;
}

// Adds the planes of a body's triangles to the hull. Writes the index of each triangle's plane. A
// triangle without area, which only a hull without extent has, gets MD5_NONE.
static void add_planes(md5_ragdoll *ragdoll, const md5_body_part *part, ragdoll_hull *hull,
                       uint32_t *planes)
{
    const md5_figure *const figure = ragdoll->desc.figure;
    const uint32_t(*const triangles)[3] = &figure->triangles[part->first_triangle];
    for (uint32_t i = 0; i < part->num_triangles; i++) {
        const md5_vec3d normal = triangle_normal(figure, triangles[i]);
        const md5_vec3d vertex = md5_vec3d_from_vec3(figure->vertices[triangles[i][0]]);
        const bool has_area = md5_vec3d_dot(normal, normal) > 0.5; // otherwise the normal is 0
        planes[i] = MD5_NONE;
        if (has_area)
            planes[i] = add_plane(ragdoll, hull, normal, md5_vec3d_dot(normal, vertex));
    }
}

// Adds the side of a triangle from vertex `from` to vertex `to` if it is an edge between two
// planes. Two triangles share each side, in opposite directions. Only the direction with from < to
// is added, so each edge is added once.
static void add_edge(md5_ragdoll *ragdoll, const md5_body_part *part, ragdoll_hull *hull,
                     const uint32_t *planes, uint32_t triangle, uint32_t from, uint32_t to)
{
    const uint32_t(*const triangles)[3] = &ragdoll->desc.figure->triangles[part->first_triangle];
    if (from > to)
        return;
    const uint32_t twin = find_side(triangles, part->num_triangles, to, from);
    if (twin == MD5_NONE || planes[triangle] == MD5_NONE || planes[twin] == MD5_NONE)
        return;
    if (planes[triangle] == planes[twin])
        return;
    ragdoll->edges[hull->first_edge + hull->num_edges++] = (ragdoll_edge){
        .vertices = {from - part->first_vertex, to - part->first_vertex},
        .planes = {planes[triangle], planes[twin]},
    };
}

// Adds the planes and edges of a body at the end of the ragdoll's arrays.
static void build_hull(md5_ragdoll *ragdoll, uint32_t body, ragdoll_hull *hull)
{
    const md5_figure *const figure = ragdoll->desc.figure;
    const md5_body_part *const part = &figure->bodies[body];
    const uint32_t(*const triangles)[3] = &figure->triangles[part->first_triangle];
    uint32_t planes[MAX_PLANES]; // index of the plane of each triangle
    add_planes(ragdoll, part, hull, planes);
    for (uint32_t i = 0; i < part->num_triangles; i++) {
        for (int side = 0; side < 3; side++) {
            const uint32_t from = triangles[i][side];
            const uint32_t to = triangles[i][(side + 1) % 3];
            add_edge(ragdoll, part, hull, planes, i, from, to);
        }
    }
}

// Builds the convex hulls of all bodies. The planes of all hulls are in one array, and the edges in
// another, one hull after another.
void md5i_build_ragdoll_hulls(md5_ragdoll *ragdoll)
{
    const md5_figure *const figure = ragdoll->desc.figure;
    uint32_t num_planes = 0;
    uint32_t num_edges = 0;
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        ragdoll_hull *const hull = &ragdoll->hulls[i];
        *hull = (ragdoll_hull){.first_plane = num_planes, .first_edge = num_edges};
        build_hull(ragdoll, i, hull);
        num_planes += hull->num_planes;
        num_edges += hull->num_edges;
    }
}
