// md5query: questions that games ask about posed characters: what a ray hits, which joint is
// nearest, where single vertices are, which characters of a crowd are near.
//
// Everything is in the space of its arguments: with joints and palettes of md5_pose_palette() that
// is model space. To ask in world space, transform the ray into the character's space, or multiply
// the matrices by the character's placement first.
//
// These functions allocate nothing and cannot fail. Not a number in a ray, a point or a matrix hits
// nothing and is near nothing. Any number of threads may call them with the same arguments.
#ifndef MD5QUERY_H
#define MD5QUERY_H

#include "md5model.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// -- Bounds ---------------------------------------------------------------------------------------

// Computes the bounds of each joint: of the points of all weights on it, in the joint's own space,
// whichever pose it takes. Writes bounds[model->skeleton.num_joints]; empty for a joint that moves
// no vertex. Do this once for each model. Returns false if some biases are negative or do not sum
// to 1 within 1e-4: then md5_bounds_from_joints() may miss vertices. Time: linear in the weights.
MD5_API bool md5_build_joint_bounds(const md5_model *model, md5_bounds *bounds);

// Returns the bounds of a box that is rotated and moved by `m` (Arvo, "Transforming Axis-Aligned
// Bounding Boxes", Graphics Gems, 1990). An empty box stays empty.
MD5_API md5_bounds md5_bounds_transform(md5_bounds bounds, md5_mat34 m);

// Returns bounds that hold the posed model, up to rounding error: those of all joint_bounds
// [num_joints] of md5_build_joint_bounds(), moved by joints[num_joints] (model-space matrices, not
// a palette). A few nanoseconds a joint; md5_skin_bounds() is tight, but costs as much as skinning.
MD5_API md5_bounds md5_bounds_from_joints(const md5_bounds *joint_bounds, const md5_mat34 *joints,
                                          uint32_t num_joints);

// -- Rays -----------------------------------------------------------------------------------------

// The points origin + t * direction, from t = 0 to `limit`.
typedef struct md5_ray {
    md5_vec3 origin;
    md5_vec3 direction; // of any length, which is the unit of t; a ray of length 0 hits nothing
    float limit;        // largest t; 0 = none
    bool front_only;    // triangles are hit only from outside
} md5_ray;

// What a ray hits first.
typedef struct md5_hit {
    float t;       // at origin + t * direction
    uint32_t mesh; // index into model->meshes; 0 from md5_raycast_mesh() and md5_raycast_joints()
    uint32_t triangle; // its vertices are mesh->indices[3 * triangle] and the two that follow it
    float weights[3];  // barycentric coordinates for these vertices; their sum is 1
    int32_t joint;     // that moves this point most; -1 = none
    bool from_front;   // false: the triangle is hit from inside the model
} md5_hit;

// Returns whether the ray hits a box, and writes where it enters to *t: 0 if it begins inside.
// `t` may be NULL. Slab test (Kay and Kajiya 1986).
MD5_API bool md5_raycast_bounds(const md5_ray *ray, md5_bounds bounds, float *t);

// Finds the first joint whose box, joint_bounds[num_joints] of md5_build_joint_bounds(), the ray
// hits: hit zones without skinning. joints[num_joints] are model-space matrices. Sets `joint` and
// `t` of *hit and the rest to 0. Returns false and writes nothing if there is none.
MD5_API bool md5_raycast_joints(const md5_ray *ray, const md5_bounds *joint_bounds,
                                const md5_mat34 *joints, uint32_t num_joints, md5_hit *hit);

// Finds the first triangle of a mesh that the ray hits, with positions[mesh->num_vertices] of
// md5_skin(), or mesh->positions. A ray through an edge or a vertex hits at least one of its
// triangles, so that it never slips through a closed surface (Woop, Benthin and Wald, "Watertight
// Ray/Triangle Intersection", 2013). Triangles seen exactly edge-on are not hit. Returns false and
// writes nothing if there is none. Time: linear in triangles.
MD5_API bool md5_raycast_mesh(const md5_ray *ray, const md5_mesh *mesh, const md5_vec3 *positions,
                              md5_hit *hit);

// Finds the first triangle of a posed model that the ray hits: skins each mesh with `palette` into
// scratch[md5_max_vertices()], then md5_raycast_mesh(). Test md5_bounds_from_joints() with
// md5_raycast_bounds() first: most rays miss.
MD5_API bool md5_raycast_model(const md5_ray *ray, const md5_model *model, const md5_mat34 *palette,
                               md5_vec3 *scratch, md5_hit *hit);

// Returns the largest num_vertices of the model's meshes; 0 if it has none.
MD5_API uint32_t md5_max_vertices(const md5_model *model);

// -- Joints and vertices --------------------------------------------------------------------------

// Returns the joint whose position is nearest to `point`, the first of equal ones, and its distance
// in *distance, which may be NULL. -1 if there is none.
MD5_API int32_t md5_find_nearest_joint(const md5_mat34 *joints, uint32_t num_joints, md5_vec3 point,
                                       float *distance);

// Returns the joint whose position is nearest to the ray, for picking with a mouse. Likewise.
MD5_API int32_t md5_find_nearest_joint_to_ray(const md5_mat34 *joints, uint32_t num_joints,
                                              const md5_ray *ray, float *distance);

// Skins single vertices, such as the tip of a sword, without the rest of the mesh. Writes
// positions[count] and, unless NULL, normals[count] of the drawn vertices vertices[count], whose
// indices must be below mesh->num_vertices. Equal to md5_skin() up to rounding error.
MD5_API void md5_skin_vertices(const md5_mesh *mesh, const md5_mat34 *palette,
                               const uint32_t *vertices, uint32_t count, md5_vec3 *positions,
                               md5_vec3 *normals);

// -- Crowds ---------------------------------------------------------------------------------------

// These functions test bounds[count], one box for each character, all in one space. They write the
// indices of those that pass to found[count], ascending, and return their number. Boxes that only
// touch pass; empty boxes do not.

// Boxes that overlap the sphere (Arvo, "A Simple Method for Box-Sphere Intersection Testing",
// 1990).
MD5_API uint32_t md5_find_in_sphere(const md5_bounds *bounds, uint32_t count, md5_vec3 center,
                                    float radius, uint32_t *found);

// Boxes that overlap `box`.
MD5_API uint32_t md5_find_in_bounds(const md5_bounds *bounds, uint32_t count, md5_bounds box,
                                    uint32_t *found);

// Writes the six planes of a view frustum for md5_find_in_planes(): left, right, bottom, top, near,
// far, from clip_from_world = projection * view, in the space that the matrix transforms from
// (Gribb and Hartmann, "Fast Extraction of Viewing Frustum Planes", 2001). They are not normalized.
// A far plane at infinity has everything inside.
MD5_API void md5_frustum_planes(md5_mat44 clip_from_world, md5_depth depth, md5_vec4 *planes);

// Boxes that are not entirely outside one of planes[num_planes]: culling by a view frustum. A plane
// (x, y, z, w) has the points with x px + y py + z pz + w >= 0 inside. A box near a corner of the
// frustum may pass although it is outside.
MD5_API uint32_t md5_find_in_planes(const md5_bounds *bounds, uint32_t count,
                                    const md5_vec4 *planes, uint32_t num_planes, uint32_t *found);

// Boxes that the ray hits, in the order of `bounds`, not of the distance.
MD5_API uint32_t md5_find_on_ray(const md5_bounds *bounds, uint32_t count, const md5_ray *ray,
                                 uint32_t *found);

#ifdef __cplusplus
}
#endif

#endif
