// The search for points at which a body may touch the ground. ragdoll_ground.c searches planes and
// height fields, ragdoll_triangles.c searches triangles.
#ifndef MD5_RAGDOLL_CONTACT_SEARCH_H
#define MD5_RAGDOLL_CONTACT_SEARCH_H

#include "md5/ragdoll/ragdoll.h"

enum { MAX_HULL_VERTICES = 24, MAX_CANDIDATES = 64 };

// A point of a body that must stay in front of a plane of the ground: dot(normal, point) >= level.
// `gap` is the distance from the plane to the point. If it is negative, the point is in the ground.
typedef struct contact_candidate {
    md5_vec3d point;
    md5_vec3d normal;
    double level;
    double gap;
} contact_candidate;

// The convex hull of a body in world space, and the candidates that were found so far.
typedef struct contact_search {
    const md5_ragdoll *ragdoll;
    const ragdoll_node *node; // the body
    ragdoll_matrix axes;      // rotation from the axes of the body to world space
    uint32_t num_vertices;
    uint32_t num_edges;
    md5_vec3d vertices[MAX_HULL_VERTICES];
    uint32_t num_planes;              // 0 until md5i_search_triangles() needs the planes
    ragdoll_plane planes[MAX_PLANES]; // planes of the hull's faces
    const ragdoll_edge *edges;        // [num_edges]
    double reach;                     // distance that the body may move before the next search
    uint32_t num_candidates;
    contact_candidate candidates[MAX_CANDIDATES];
} contact_search;

// Adds a candidate if its gap is at most the reach. If another candidate has nearly the same point
// and normal, keeps only the deeper one.
void md5i_add_contact_candidate(contact_search *search, md5_vec3d point, md5_vec3d normal,
                                double level);

// Adds candidates for contacts of the body with the triangles that ground.triangles() returns.
void md5i_search_triangles(contact_search *search);

#endif
