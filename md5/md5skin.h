// md5skin: the meshes of a model, skinning on the CPU, and packed vertices for shaders. md5model.h
// includes this header.
//
// md5_load_model() makes meshes. Their arrays can be uploaded as they are, or packed by
// md5_pack_influences() and skinned by a shader; md5_skin() computes the same vertices on the CPU.
// Space, memory and threads: see md5model.h.
#ifndef MD5SKIN_H
#define MD5SKIN_H

#include "md5model.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// -- Skinning -------------------------------------------------------------------------------

// Writes positions[mesh->num_vertices], exact for any weights, and, unless NULL, normals and
// tangents [num_vertices], which are not written if the mesh has none; model space, in the order of
// the drawn vertices. `palette` is that of md5_build_palette(). Directions are those of the bind
// pose, rotated by the blended matrices and normalized if their length is off by more than 2e-6;
// they stay as in the bind pose if that blend is shorter than 1e-15 or longer than 1e19, as of
// biases that cancel out. A library built with MD5_FAST_NORMALS does neither. Sums are floats, and
// infinite beyond the range of float.
MD5_API void md5_skin(const md5_mesh *mesh, const md5_mat34 *palette, md5_vec3 *positions,
                      md5_vec3 *normals, md5_vec4 *tangents);

// Returns the bounds of all meshes as md5_skin() would pose them, up to rounding error, for files
// whose own bounds are missing or wrong. Takes about as long as skinning positions, and no memory.
// Empty for a model without vertices.
MD5_API md5_bounds md5_skin_bounds(const md5_model *model, const md5_mat34 *palette);

// Dual quaternion skinning preserves volume at twisting joints. md5_skin() interpolates between the
// positions to which each joint would move a vertex, which shrinks joints that twist. Here one
// rigid transform moves it, blended from the dual quaternions of its joints; sharp bends bulge a
// little. Kavan, Collins, Zara and O'Sullivan, "Geometric Skinning with Approximate Dual Quaternion
// Blending", 2008. Vertices of one joint are those of md5_skin(), up to rounding error.
//
// Writes dual[count] from palette[count] of md5_build_palette(). Drops scale, which MD5 joints do
// not have.
MD5_API void md5_build_dual_palette(const md5_mat34 *palette, uint32_t count, md5_dual_quat *dual);

// Skinning by it takes up to twice the time of md5_skin(). The blended transform moves
// mesh->positions, even if a vertex's weights do not meet in one point. Only the ratios of the
// biases count, as if their sum were 1 (md5_skin() scales the vertex by their sum); if they cancel
// out or are all 0, only the first influence counts. A vertex without influences goes to the
// origin, as in md5_skin(). The bind pose is unchanged in any case.
//
// One item of md5_skin_batch(): all that can vary. 0 in a member is its default.
struct md5_morph;
typedef struct md5_skin_job {
    const md5_mesh *mesh;
    const md5_mat34 *palette; // [num_joints] as of md5_skin(), or
    const md5_dual_quat
        *duals;          // [num_joints] of md5_build_dual_palette(); both NULL: the bind pose
    uint32_t num_joints; // of either, which debug builds compare with the mesh; 0 = unknown
    const struct md5_morph *morph; // of the mesh's model: see below; NULL = none
    const float *morph_weights;    // [morph->num_targets]
    const uint32_t *vertices; // [count] only these drawn vertices, in this order; NULL: `count`
    uint32_t first, count;    // vertices from `first` on; without a list 0 = to the last one
    // The vectors of the first of these vertices: 3, 3 and 4 floats each, at float-aligned
    // addresses; NULL = not written; tangents are not written either if the mesh has none. All may
    // point into one array of interleaved vertices, whose other bytes are not touched.
    void *positions, *normals, *tangents;
    size_t position_stride, normal_stride, tangent_stride; // bytes, multiples of 4; 0 = no gaps
    uint64_t reserved[4];                                  // 0
} md5_skin_job;

// Skins jobs[count], each with the bits of md5_skin() of the whole mesh, on the threads, which may
// be NULL: the calling thread. Results of different jobs must not overlap. Whole meshes are
// fastest: single vertices, such as the tip of a sword, are skinned one by one. Allocates nothing.
MD5_API void md5_skin_batch(const md5_skin_job *jobs, size_t count, const md5_threads *threads);

static inline void md5_skin_one(const md5_skin_job *job) // the same, of one
{
    md5_skin_batch(job, 1, NULL);
}

// How md5_pack_influences() stores joints and weights.
typedef enum md5_pack_format {
    MD5_PACK_FLOATS, // uint32_t joints, float weights: they sum to 1; negative ones stay
    MD5_PACK_BYTES,  // uint8_t joints and weights for normalized 8-bit attributes: the sum is 255
} md5_pack_format;

// 0 in a member is its default.
typedef struct md5_pack_job {
    const md5_mesh *mesh;
    uint32_t slots; // joints and weights of a vertex, 1 to 255; 0 = 4
    md5_pack_format format;
    void *joints, *weights;             // [num_vertices * slots] as the format says
    size_t joint_stride, weight_stride; // bytes from vertex to vertex; 0 = no gaps
    uint64_t reserved[4];               // 0
} md5_pack_job;

// Packs the influences of each drawn vertex for a vertex format, largest first. Drops those beyond
// `slots` and scales biases to sum 1 (if they cancel out: weight 1 on the first). Empty slots are
// joint 0 with weight 0. A shader moves mesh->positions by the weighted palette. With strides both
// may be members of an interleaved vertex; floats are at float-aligned addresses.
//
// Bytes: each weight is 255 times that of the floats, rounded down, and those with the largest
// remainders get the missing ones, the first of equal ones first. Negative weights, which bytes
// cannot hold, are dropped with their slots; the others are scaled to sum 1. A vertex without
// influences, which stays at the origin, has weights 0 only.
//
// Returns false, and writes nothing, if a vertex uses a joint that the format cannot hold: above
// 255 in bytes. Allocates nothing; linear in influences.
MD5_API bool md5_pack_influences(const md5_pack_job *job);

// Returns the largest error, in units, of drawing meshes[mesh] with `slots` packed influences, for
// any rotation of each joint about its own position in joints[num_joints] (model space):
//   | sum (b_i - w_i) a_i |  +  sum | b_i (p_i - o_i) - w_i (c - o_i) |
// over the joints i of a vertex, with b bias, w packed weight, p bind position of the weight, c
// bind position of the vertex, o and a the joint's bind and posed position. This counts dropped
// weights, sums other than 1, and weights whose offsets do not meet in one point. If `joints` is
// NULL, the posed positions are those of the bind pose, all displaced by the size of the model (the
// diagonal of its bounds), which adds | sum (b_i - w_i) | times that size. 0 up to rounding error
// means that the packed form is exact.
MD5_API float md5_pack_loss(const md5_model *model, uint32_t mesh, uint32_t slots,
                            const md5_mat34 *joints);

// == Morph targets ===============================================================================
//
// Morph targets: expressions, wear, muscle shapes, which are `.md5mesh` files with the
// topology of a model and other positions. Any number of them is blended before skinning.
//
//   const md5_morph_source sources[] = {{.name = "smile", .model = smile}, // md5_load_model()
//                                       {.name = "blink", .model = blink}};
//   md5_morph *morph = md5_create_morph(model, sources, 2, NULL, &error);
//   md5_free_model(smile); ... // the differences are copied
//   const float weights[] = {0.5f, 1.0f};
//   const md5_skin_job job = {.mesh = &model->meshes[0], .palette = palette, .morph = morph,
//                             .morph_weights = weights, .positions = positions};
//   md5_skin_one(&job);
//   md5_destroy_morph(morph);
//
// md5gl_create_morph() uploads the same differences for drawing. A machine drives weights by its
// parameters, states and clips: md5_player_morphs() (md5play.h). Others come from where the game
// has them: a slider, a curve over time (md5curve.h):
//
//   weights[blink] = md5_ease((md5_easing){.kind = MD5_EASE_SINE_IN_OUT}, part_of_a_blink);

// A file that differs from the base.
typedef struct md5_morph_source {
    const char *name; // copied; not NULL
    const md5_model *model;
    uint64_t reserved[2]; // 0
} md5_morph_source;

typedef struct md5_morph_target {
    const char *name;
    uint32_t num_vertices; // drawn vertices that it changes, of all meshes
    float reach;           // the farthest that it moves one at weight 1, in units of the model: add
                           // weight * reach of each target to bounds
} md5_morph_target;

// What a target at weight 1 adds to a drawn vertex of the bind pose, model space. Differences that
// are smaller than rounding in floats are 0.
typedef struct md5_morph_delta {
    md5_vec3 position, normal, tangent;
    uint32_t target;
} md5_morph_delta;

// The vertices of a mesh that some target changes. The deltas of vertices[i] are deltas[first[i]]
// to deltas[first[i + 1] - 1], by ascending target.
typedef struct md5_morph_mesh {
    uint32_t num_vertices, num_deltas;
    const uint32_t *vertices;      // [num_vertices] drawn vertices, ascending
    const uint32_t *first;         // [num_vertices + 1]
    const md5_morph_delta *deltas; // [num_deltas]
} md5_morph_mesh;

// Targets of one model. Read-only after it is made; threads may share it.
typedef struct md5_morph {
    const md5_model *model; // must outlive this
    uint32_t num_targets;
    const md5_morph_target *targets; // [num_targets]
    const md5_morph_mesh *meshes;    // [model->num_meshes]
    size_t size;                     // bytes
    md5_internal internal;
} md5_morph;

#ifndef MD5_NO_EXTRAS
// Takes the differences of sources[count] from `model`. Sources are read during the call only; load
// them with the options of the model. They have the model's joints (names and parents) and meshes,
// and in each mesh as many vertices, used by the same triangles, with the same mirror seams; what
// may differ are positions, normals and tangents. Weights are the model's: a target's own are used
// for its bind pose only. Returns NULL with
//
// - MD5_ERROR_MISMATCH if a source has another topology, other axes or another scale, or if it or
//   the model has released its geometry; the message names the source, the mesh and what differs;
// - MD5_ERROR_MEMORY.
//
// Time is linear in the vertices of all sources, memory in those that they change. `opts`
// (allocator) and `error` may be NULL. Free the result with md5_destroy_morph().
MD5_API md5_morph *md5_create_morph(const md5_model *model, const md5_morph_source *sources,
                                    uint32_t count, const md5_load_opts *opts, md5_error *error);
MD5_API void md5_destroy_morph(md5_morph *morph); // NULL is allowed

// Returns the index of the first target of that name (case-sensitive), or MD5_NONE if there is none
// or `name` is NULL.
MD5_API uint32_t md5_find_morph_target(const md5_morph *morph, const char *name);
#endif

// md5_skin_job.morph_weights[num_targets] are finite numbers of any size; 0 leaves a target out, 1
// is the target, 2 twice as far, -1 its opposite. A vertex of the bind pose is
//
//   position = p + sum of weight * delta.position
//   normal   = unit(n + sum of weight * delta.normal)
//   tangent  = unit(t without its part along the normal), t = tangent + sum of weight *
//              delta.tangent; its w is the model's
//
// in the order of the targets; directions that cancel out stay the model's. With all weights 0 it
// is the model's bit by bit, with one weight 1 the target's up to rounding error. Skinned, each
// weight's point moves by the same difference: what md5_skin() would do with such a model, whose
// influences are (bias * (point + difference), bias). Skins the mesh as it is, then changes those
// vertices that targets of weights other than 0 move.

#ifndef MD5_NO_EXTRAS
// == Baked clips =================================================================================
//
// Clips baked into vertices, for crowds so far away that neither palettes nor weights are
// worth their time. Each frame stores where every vertex is; drawing reads two frames and blends.
//
//   for (uint32_t i = 0; i < anim->num_frames; i++) {
//       const md5_moment frame = md5_moment_from_frames(anim, i, i, 0.0f);
//       md5_pose_palette(binding, frame, MD5_ROOT_IN_PLACE, pose, NULL,
//                        palettes + i * model->skeleton.num_joints);
//   }
//   md5_baked *walk = md5_create_baked(model, palettes, anim->num_frames, NULL, &error);
//   ... md5gl_create_baked() uploads any number of them; or, on the CPU,
//   md5_moment moment = md5_moment_at(anim, time, MD5_WRAP_LOOP);
//   md5_skin_baked(walk, 0, walk->num_vertices, moment, positions, normals);
//   md5_destroy_baked(walk);

// One vertex of one frame in two words, whatever the machine's byte order, as a texel of a GPU:
//
// - bits 0 to 15 and 16 to 31 of `xy`, and bits 0 to 15 of `z_normal`, are x, y and z in steps of
//   md5_baked.step from md5_baked.bounds.min: position = min + step * bits.
// - bits 16 to 23 and 24 to 31 of `z_normal` are u and v of the normal, 0 to 254 for -1 to 1: with
//   z = 1 - |u| - |v|, the normal is (u, v, z) at unit length; where z is negative, u is
//   (1 - |v|) * sign(u) and v is (1 - |u|) * sign(v) first. An octahedron that is unfolded: Meyer,
//   Suessmuth, Sussner, Stamminger and Greiner, "On Floating-Point Normal Vectors", 2010.
typedef struct md5_baked_vertex {
    uint32_t xy, z_normal;
} md5_baked_vertex;

// A clip of a model in vertices. Read-only after it is made; threads may share it. It keeps no
// pointer to the model.
typedef struct md5_baked {
    uint32_t num_vertices; // drawn vertices of all meshes, mesh after mesh
    uint32_t num_frames;
    const md5_baked_vertex *vertices; // [num_frames][num_vertices]
    md5_bounds bounds;                // of all frames; empty without vertices
    md5_vec3 step;                    // of positions, units: the size of the bounds / 65535

    // The largest differences from md5_skin() at the frames, measured over all vertices of all
    // frames. Between frames vertices move along straight lines, which adds to them: see
    // md5_baked_error().
    float position_error; // units
    float normal_error;   // radians
    size_t size;          // bytes
    md5_internal internal;
} md5_baked;

// Skins `num_frames` palettes, palettes[num_frames * joints], frame after frame, and stores the
// vertices: 8 bytes a vertex and frame. Tangents are not stored: at the distances
// that this is for, normal maps are even. Returns NULL with
//
// - MD5_ERROR_RANGE if `num_frames` is 0, or if a vertex is not finite;
// - MD5_ERROR_MISMATCH if the geometry was released;
// - MD5_ERROR_MEMORY.
//
// Time and memory are linear in vertices times frames. `opts` (allocator) and `error`
// may be NULL. Free the result with md5_destroy_baked().
MD5_API md5_baked *md5_create_baked(const md5_model *model, const md5_mat34 *palettes,
                                    uint32_t num_frames, const md5_load_opts *opts,
                                    md5_error *error);
MD5_API void md5_destroy_baked(md5_baked *baked); // NULL is allowed

// Writes positions[count] and, unless NULL, normals[count] of the vertices from `first` on at
// `moment`, whose frames must be frames of the clip: what shaders draw, up to rounding error.
// Positions are lerped; normals, unit length, are lerped and normalized. Allocates nothing.
MD5_API void md5_skin_baked(const md5_baked *baked, uint32_t first, uint32_t count,
                            md5_moment moment, md5_vec3 *positions, md5_vec3 *normals);

// Returns the largest distance, in units, between the vertices at `moment` and those that
// md5_skin() computes with `palette`, that of the same moment: for clips whose joints turn fast
// between frames. `model` is the one that was baked. Allocates nothing.
MD5_API float md5_baked_error(const md5_baked *baked, const md5_model *model, md5_moment moment,
                              const md5_mat34 *palette);
#endif

// == Queries =====================================================================================
//
// Questions that games ask about posed characters: what a ray hits, which joint is
// nearest, where single vertices are, which characters of a crowd are near.
//
// Everything is in the space of its arguments: with joints and palettes of md5_pose_palette() that
// is model space. To ask in world space, transform the ray into the character's space, or multiply
// the matrices by the character's placement first.
//
// These functions allocate nothing and cannot fail. Not a number in a ray, a point or a matrix hits
// nothing and is near nothing. Any number of threads may call them with the same arguments.

// -- Bounds ---------------------------------------------------------------------------------------

// Computes the bounds of each joint: of the points of all weights on it, in the joint's own space,
// whichever pose it takes. Writes bounds[model->skeleton.num_joints]; empty for a joint that moves
// no vertex. Do this once for each model. Returns false if some biases are negative or do not sum
// to 1 within 1e-4: then md5_bounds_from_joints() may miss vertices. Time: linear in the weights.
MD5_API bool md5_build_joint_bounds(const md5_model *model, md5_bounds *bounds);

// Returns bounds that hold the posed model, up to rounding error: those of all joint_bounds
// [num_joints] of md5_build_joint_bounds(), moved by joints[num_joints] (model-space matrices, not
// a palette). A few nanoseconds a joint; md5_skin_bounds() is tight, but costs as much as skinning.
MD5_API md5_bounds md5_bounds_from_joints(const md5_bounds *joint_bounds, const md5_mat34 *joints,
                                          uint32_t num_joints);

// -- Rays -----------------------------------------------------------------------------------------

// What a ray hits first.
typedef struct md5_hit {
    float t;       // at origin + t * direction
    uint32_t mesh; // index into model->meshes; 0 from md5_raycast_mesh() and md5_raycast_joints()
    uint32_t triangle;    // its vertices are mesh->indices[3 * triangle] and the two that follow it
    float weights[3];     // barycentric coordinates for these vertices; their sum is 1
    uint32_t joint;       // that moves this point most; MD5_NONE = none
    bool from_front;      // false: the triangle is hit from inside the model
    uint64_t reserved[2]; // 0
} md5_hit;

// Returns whether the ray hits a box, and writes where it enters to *t: 0 if it begins inside.
// `t` may be NULL. Slab test (Kay and Kajiya 1986).
MD5_API bool md5_raycast_bounds(md5_ray ray, md5_bounds bounds, float *t);

// Finds the first joint whose box, joint_bounds[num_joints] of md5_build_joint_bounds(), the ray
// hits: hit zones without skinning. joints[num_joints] are model-space matrices. Sets `joint` and
// `t` of *hit and the rest to 0. Returns false and writes nothing if there is none.
MD5_API bool md5_raycast_joints(md5_ray ray, const md5_bounds *joint_bounds,
                                const md5_mat34 *joints, uint32_t num_joints, md5_hit *hit);

// Finds the first triangle of a mesh that the ray hits, with positions[mesh->num_vertices] of
// md5_skin(), or mesh->positions. A ray through an edge or a vertex hits at least one of its
// triangles, so that it never slips through a closed surface (Woop, Benthin and Wald, "Watertight
// Ray/Triangle Intersection", 2013). Triangles seen exactly edge-on are not hit. Returns false and
// writes nothing if there is none. Time: linear in triangles.
MD5_API bool md5_raycast_mesh(md5_ray ray, const md5_mesh *mesh, const md5_vec3 *positions,
                              md5_hit *hit);

// Finds the first triangle of a posed model that the ray hits: skins each mesh with `palette` into
// `scratch`, of any alignment and of md5_raycast_model_scratch() bytes, then md5_raycast_mesh().
// Test md5_bounds_from_joints() with md5_raycast_bounds() first: most rays miss.
MD5_API bool md5_raycast_model(md5_ray ray, const md5_model *model, const md5_mat34 *palette,
                               md5_hit *hit, void *scratch);
MD5_API size_t md5_raycast_model_scratch(const md5_model *model);

// -- Joints ---------------------------------------------------------------------------------------

// Returns the joint whose position is nearest to `point`, the first of equal ones, and its distance
// in *distance, which may be NULL. MD5_NONE if there is none.
MD5_API uint32_t md5_find_nearest_joint(const md5_mat34 *joints, uint32_t num_joints,
                                        md5_vec3 point, float *distance);

// Returns the joint whose position is nearest to the ray, for picking with a mouse. Likewise.
MD5_API uint32_t md5_find_nearest_joint_to_ray(const md5_mat34 *joints, uint32_t num_joints,
                                               md5_ray ray, float *distance);

// -- Crowds ---------------------------------------------------------------------------------------

// These functions test bounds[count], one box for each character, all in one space. They write the
// indices of those that pass to found[count], ascending, and return their number. Boxes that only
// touch pass; empty boxes do not.

// Boxes that overlap the sphere (Arvo, "A Simple Method for Box-Sphere Intersection Testing",
// 1990).
MD5_API uint32_t md5_cull_sphere(const md5_bounds *bounds, uint32_t count, md5_vec3 center,
                                 float radius, uint32_t *found);

// Boxes that overlap `box`.
MD5_API uint32_t md5_cull_bounds(const md5_bounds *bounds, uint32_t count, md5_bounds box,
                                 uint32_t *found);

// Boxes that are not entirely outside one of planes[num_planes]: culling by a view frustum. A plane
// (x, y, z, w) has the points with x px + y py + z pz + w >= 0 inside. A box near a corner of the
// frustum may pass although it is outside.
MD5_API uint32_t md5_cull_planes(const md5_bounds *bounds, uint32_t count, const md5_vec4 *planes,
                                 uint32_t num_planes, uint32_t *found);

// Boxes that the ray hits, in the order of `bounds`, not of the distance.
MD5_API uint32_t md5_cull_ray(const md5_bounds *bounds, uint32_t count, md5_ray ray,
                              uint32_t *found);

#ifdef __cplusplus
}
#endif

#endif
