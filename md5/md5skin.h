// md5skin: computes the vertices of posed models. This header contains skinning on the CPU, packed
// vertices for shaders, morph targets, baked clips, and queries such as ray casts. It includes
// md5model.h.
//
// Terms that are used below:
//
// - Drawn vertices: the vertices with which a mesh is drawn, md5_mesh.positions. They consist of
//   the vertices of the file and of some duplicates, which md5_mesh explains.
// - Bind pose: the pose in which the model was built. The mesh stores its positions, normals and
//   tangents in this pose.
// - Palette: one matrix per joint, [num_joints]. The matrix moves a point from the bind pose to the
//   current pose, in model space. md5_build_palette() writes a palette.
// - Influence: the effect of one joint on one drawn vertex. Its bias is the weight of the joint.
//   The biases of a vertex usually have a sum of 1, but a file may contain any numbers.
//
// There are two ways to skin a model that was loaded by md5_load_model():
//
// - On the GPU: pack the influences with md5_pack_influences(), upload them together with the
//   arrays of the mesh, and skin the vertices in a shader.
// - On the CPU: call md5_skin() or md5_skin_batch(), which write the skinned vertices to arrays.
//
// This code skins all meshes of a model on the CPU. `joints` is a pose that was computed by
// md5_local_to_model(), and each mesh has its own arrays for the results:
//
//   md5_build_palette(model, joints, palette);
//   for (uint32_t i = 0; i < model->num_meshes; i++)
//       md5_skin(&model->meshes[i], palette, positions[i], normals[i], NULL);
//
// md5model.h explains the coordinate system, and the rules for memory and threads.
#ifndef MD5SKIN_H
#define MD5SKIN_H

#include "md5model.h" // installed in the same folder

#ifdef __cplusplus
extern "C" {
#endif

// -- Skinning -------------------------------------------------------------------------------

// Skins one mesh: computes its drawn vertices in the pose of `palette`. Use it to draw without
// shaders, or if the CPU needs the vertices, for example for hit tests. Writes the positions to
// positions[mesh->num_vertices], in model space and in the order of the drawn vertices. Every
// influence of a vertex counts, so the positions are exact for any number of weights and any
// biases.
//
// `normals` and `tangents`, [mesh->num_vertices] each, may be NULL if they are not needed. Tangents
// are not written if the mesh has no tangents.
//
// Normals and tangents are the directions of the bind pose, rotated by the blended matrix of the
// vertex:
//
// - A direction is normalized if its length differs from 1 by more than 2e-6.
// - A direction that is shorter than 1e-15 or longer than 1e19 is replaced by the direction of the
//   bind pose. This happens, for example, if positive and negative biases cancel out.
// - A library that was built with MD5_FAST_NORMALS does not do either of these two corrections.
//
// Sums are computed in float. A result that a float cannot represent becomes infinite.
MD5_API void md5_skin(const md5_mesh *mesh, const md5_mat34 *palette, md5_vec3 *positions,
                      md5_vec3 *normals, md5_vec4 *tangents);

// Returns the bounding box of all vertices of a model in the pose of `palette`, in model space. Use
// it to cull a model whose .md5anim file contains missing or wrong bounds. The box contains the
// vertices that md5_skin() computes, except for rounding. It is empty if the model has no vertices.
// The function takes about as long as skinning the positions, and does not allocate memory. See
// md5_bounds_from_joints() for a faster function with a larger box.
MD5_API md5_bounds md5_skin_bounds(const md5_model *model, const md5_mat34 *palette);

// Converts a palette to dual quaternions for dual quaternion skinning (md5_skin_job.duals), which
// preserves the volume of twisting joints. Reads palette[count] and writes dual[count]. Scale in
// the matrices is ignored; MD5 joints do not have scale.
//
// Dual quaternion skinning is an alternative to the linear skinning of md5_skin():
//
// - Linear skinning moves a vertex to the weighted mean of the positions to which its joints would
//   move it. A part of the body that twists, such as a forearm, therefore becomes thinner.
// - Dual quaternion skinning blends the dual quaternions of the joints to one rigid transform, and
//   moves the vertex by this transform. It preserves the volume of twisting joints, but sharp bends
//   bulge slightly.
//
// A vertex with only one joint has the same position with both methods, except for rounding.
// Source: Kavan, Collins, Zara and O'Sullivan, "Geometric Skinning with Approximate Dual Quaternion
// Blending", 2008.
MD5_API void md5_build_dual_palette(const md5_mat34 *palette, uint32_t count, md5_dual_quat *dual);

struct md5_morph;

// A mesh to skin: the input and output of md5_skin_batch(). Members that are 0 have their defaults.
// Set either `palette` for linear skinning, as in md5_skin(), or `duals` for dual quaternion
// skinning. If both are NULL, the vertices are in the bind pose.
//
// Rules of dual quaternion skinning:
//
// - It takes up to twice the time of linear skinning.
// - The blended transform moves the position of the vertex in the bind pose, mesh->positions. In
//   some files the weights of a vertex define different positions in the bind pose; linear skinning
//   uses all of these positions, dual quaternion skinning does not.
// - Biases are normalized to a sum of 1, whereas linear skinning scales the vertex by their sum. If
//   the biases cancel out or are all 0, the vertex only follows its first influence.
// - A vertex without influences is moved to the origin, as in linear skinning.
// - With the palette of the bind pose, the vertices do not move.
typedef struct md5_skin_job {
    const md5_mesh *mesh;
    // Palette that md5_build_palette() wrote, [num_joints]. It selects linear skinning.
    const md5_mat34 *palette;
    // Palette that md5_build_dual_palette() wrote, [num_joints]. It selects dual quaternion
    // skinning.
    const md5_dual_quat *duals;
    // Number of elements of `palette` or `duals`. Debug builds use it to check that every joint of
    // the mesh is inside the array. If 0, this is not checked.
    uint32_t num_joints;
    // Morph targets of the model (blended shapes, such as facial expressions). If NULL, the model
    // is skinned without morph targets.
    const struct md5_morph *morph;
    const float *morph_weights; // [morph->num_targets] weight of each morph target
    // [count] Indices of the drawn vertices to skin; the results are written in the order of this
    // array. If NULL, a range of vertices is skinned, as `first` and `count` define.
    const uint32_t *vertices;
    // If `vertices` is NULL: `count` vertices are skinned, starting with vertex `first`. A `count`
    // of 0 means all vertices from `first` to the last vertex of the mesh. If `vertices` is not
    // NULL, `first` is not used and `count` is the number of its elements.
    uint32_t first, count;
    // Output arrays. Each pointer is the address at which the first skinned vertex is written: 3
    // floats of a position, 3 floats of a normal and 4 floats of a tangent. The addresses must be
    // float-aligned. NULL means that this attribute is not written. Tangents are not written if the
    // mesh has no tangents. The three pointers may point into one array of interleaved vertices;
    // the bytes between the attributes are not changed.
    void *positions, *normals, *tangents;
    // Distance in bytes from one vertex to the next in each output array, a multiple of 4. 0 means
    // that the vertices follow each other without gaps.
    size_t position_stride, normal_stride, tangent_stride;
    uint64_t reserved[4]; // must be 0
} md5_skin_job;

// Skins any number of meshes, or selected vertices of meshes, on the threads of `threads`. If
// `threads` is NULL, the calling thread does all work. The output arrays of different jobs must not
// overlap. Does not allocate memory. The results are bit-identical for any number of threads and
// any selection of vertices; with `palette` and without morph targets, they are bit-identical to
// the results of md5_skin().
//
// Whole meshes are fastest, because several vertices are computed at a time. Vertices that are
// selected by md5_skin_job.vertices, such as the tip of a sword, are computed one by one.
MD5_API void md5_skin_batch(const md5_skin_job *jobs, size_t count, const md5_threads *threads);

// Skins one job on the calling thread. Use it instead of md5_skin_batch() for a single mesh.
static inline void md5_skin_one(const md5_skin_job *job)
{
    md5_skin_batch(job, 1, NULL);
}

// Selects the types in which md5_pack_influences() stores joints and weights.
typedef enum md5_pack_format {
    // Joints are of type uint32_t. Weights are of type float; they have a sum of 1 and may be
    // negative.
    MD5_PACK_FLOATS,
    // Joints and weights are of type uint8_t. The weights have a sum of 255, for normalized vertex
    // attributes.
    MD5_PACK_BYTES,
} md5_pack_format;

// The input and output of md5_pack_influences(), which packs the influences of joints on vertices
// for shaders. Members that are 0 have their defaults.
typedef struct md5_pack_job {
    const md5_mesh *mesh;
    // Number of slots per vertex, 1 to 255. A slot is a pair of a joint and its weight. The value 0
    // means 4.
    uint32_t slots;
    md5_pack_format format; // types of joints and weights
    // The joints and the weights are written to these arrays. Each array has num_vertices * slots
    // numbers.
    void *joints, *weights;
    // Distance in bytes from one vertex to the next in each array. 0 means that the vertices follow
    // each other without gaps. With a larger distance, both arrays may be members of one array of
    // interleaved vertices; arrays of floats must be float-aligned.
    size_t joint_stride, weight_stride;
    uint64_t reserved[4]; // must be 0
} md5_pack_job;

// Packs the influences of each drawn vertex of a mesh into a fixed number of joints and weights, as
// vertex shaders require. The shader then computes a vertex as the sum of weight * palette[joint] *
// position, with the position of mesh->positions.
//
// A slot is a pair of a joint and a weight. The slots of a vertex contain its influences with the
// largest absolute biases, in descending order. If the vertex has more influences than `slots`, the
// smallest influences are dropped. The biases of the stored influences are then scaled to a sum of
// 1. If these biases cancel out, the first slot has weight 1 and all other slots have weight 0.
// Unused slots have joint 0 and weight 0. A vertex without influences, which linear skinning moves
// to the origin, has only weights of 0.
//
// MD5_PACK_BYTES rounds the weights to bytes with a sum of exactly 255. Negative weights cannot be
// stored: they are dropped, and the remaining weights are scaled to a sum of 1. Each byte is 255
// times the weight, rounded down. Rounding makes the sum smaller than 255. The missing units are
// then given to the weights with the largest remainders, one unit each. If remainders are equal,
// the first slot receives the unit.
//
// Returns false and writes nothing if a stored influence uses a joint that the format cannot
// represent: with MD5_PACK_BYTES, a joint with an index above 255. Does not allocate memory. The
// time is linear in the number of influences.
MD5_API bool md5_pack_influences(const md5_pack_job *job);

// Returns the largest error of a position, in units, that packing meshes[mesh] with `slots` joints
// per vertex can cause. Use it to find out how many joints per vertex a mesh needs: if the result
// is 0 except for rounding, packing does not change any position.
//
// The error is the distance between the vertex of the packed influences and the exact vertex of
// md5_skin(). It has three causes: dropped influences, biases whose sum is not 1, and weights of
// one vertex that define different positions in the bind pose.
//
// joints[num_joints] are the model-space matrices of a pose. Only the positions of the joints are
// used; the result is the largest error over all rotations of the joints around these positions.
// The error of a vertex is
//
//   | sum of (b - w) * a |  +  sum of | b * (p - o) - w * (c - o) |
//
// with these values for each influence, where the sums include all influences of the vertex:
//
//   b   bias
//   w   packed weight; 0 if the influence was dropped
//   p   position in the bind pose that the weights of this joint define for the vertex
//   c   position of the vertex in the bind pose
//   o   position of the joint in the bind pose
//   a   position of the joint in `joints`
//
// If `joints` is NULL, the function assumes the bind pose, displaced as a whole in any direction by
// the size of the model, which is the diagonal of its bounds. The displacement adds this term to
// the error of a vertex:
//
//   | sum of (b - w) | * size of the model
MD5_API float md5_pack_loss(const md5_model *model, uint32_t mesh, uint32_t slots,
                            const md5_mat34 *joints);

// == Morph targets ===============================================================================
//
// Morph targets are shapes of a model, such as facial expressions. Each shape is stored in a
// separate .md5mesh file, which has the same triangles as the model, but other vertex positions.
// Any number of morph targets can be blended, each with a weight. The blended shape is then skinned
// like the model.
//
// This example blends half a smile with closed eyes:
//
//   md5_morph_source sources[2] = {MD5_INIT, MD5_INIT};
//   sources[0].name = "smile";
//   sources[0].model = smile; // md5_load_model()
//   sources[1].name = "blink";
//   sources[1].model = blink;
//   md5_morph *morph = md5_create_morph(model, sources, 2, NULL, &error);
//   md5_free_model(smile); // the differences are copied
//   md5_free_model(blink);
//   const float weights[] = {0.5f, 1.0f};
//   md5_skin_job job = MD5_INIT;
//   job.mesh = &model->meshes[0];
//   job.palette = palette;
//   job.morph = morph;
//   job.morph_weights = weights;
//   job.positions = positions;
//   md5_skin_one(&job);
//   md5_destroy_morph(morph);
//
// To draw morph targets on the GPU, upload them with md5gl_create_morph(). A state machine can
// compute the weights from its parameters, states and clips: see md5_player_morphs() in md5play.h.
// A game can also set the weights directly, for example from a slider or from a curve over time
// (md5curve.h):
//
//   md5_easing easing = MD5_INIT;
//   easing.kind = MD5_EASE_SINE_IN_OUT;
//   weights[blink] = md5_ease(easing, seconds / duration_of_blink);

// The input for one morph target: a shape, from which md5_create_morph() computes the differences
// to the model.
typedef struct md5_morph_source {
    const char *name;       // name of the morph target, which must not be NULL; it is copied
    const md5_model *model; // model whose bind pose is this shape
    uint64_t reserved[2];   // must be 0
} md5_morph_source;

// Properties of one morph target, which is a shape that can be blended into the model.
typedef struct md5_morph_target {
    const char *name;
    uint32_t num_vertices; // number of drawn vertices, of all meshes, that the target changes
    // Largest displacement of a vertex, in units, if the weight is 1. To keep the bounding box of a
    // model valid, expand it by |weight| * reach for each target.
    float reach;
} md5_morph_target;

// The effect of one morph target on one drawn vertex: the difference between the vertex in the
// target's shape and the vertex in the model, in the bind pose and in model space. If the target
// has weight 1, the difference is added to the vertex. Differences below the rounding error of
// floats are stored as 0.
typedef struct md5_morph_delta {
    md5_vec3 position, normal, tangent;
    uint32_t target; // index of the morph target
} md5_morph_delta;

// The differences of all morph targets for one mesh. Only vertices that are changed by at least one
// target are stored. The deltas of vertices[i] are deltas[first[i]] to deltas[first[i + 1] - 1], in
// ascending order of targets.
typedef struct md5_morph_mesh {
    uint32_t num_vertices, num_deltas;
    const uint32_t *vertices;      // [num_vertices] indices of drawn vertices, ascending
    const uint32_t *first;         // [num_vertices + 1] index of the first delta of each vertex
    const md5_morph_delta *deltas; // [num_deltas] sorted by vertex, then by target
} md5_morph_mesh;

// The morph targets of one model, which md5_create_morph() creates. They do not change after their
// creation, so threads may share them.
typedef struct md5_morph {
    // The model. It must not be freed before the morph targets.
    const md5_model *model;
    uint32_t num_targets;
    const md5_morph_target *targets; // [num_targets] properties of each target
    const md5_morph_mesh *meshes;    // [model->num_meshes] changed vertices of each mesh
    size_t size;                     // size of the morph targets in memory, in bytes
    md5_internal internal;
} md5_morph;

// Creates the morph targets of a model from sources[count]. Each source becomes one target: the
// function stores the differences between the bind pose of the source and the bind pose of `model`.
// The sources are only used during the call and may be freed afterwards. Free the result with
// md5_destroy_morph().
//
// A source must have the same topology as the model:
//
// - the same joints, with the same names and parents;
// - the same number of meshes, and in each mesh the same number of vertices, the same triangles and
//   the same mirror seams (see md5_mesh).
//
// Positions, normals and tangents may differ. Load the sources with the same options as the model.
// Skinning uses the weights of the model; the weights of a source only determine its bind pose.
//
// Returns NULL with
//
// - MD5_ERROR_MISMATCH if a source has another topology, other axes or another scale than the
//   model, or if the geometry of a source or of the model was released. The message contains the
//   name of the source, the mesh and the difference.
// - MD5_ERROR_MEMORY if memory runs out.
//
// The time is linear in the number of vertices of all sources. The result needs memory linear in
// the number of vertices that the targets change. Only the allocator of `opts` is used; `opts` and
// `error` may be NULL.
MD5_API md5_morph *md5_create_morph(const md5_model *model, const md5_morph_source *sources,
                                    uint32_t count, const md5_load_opts *opts, md5_error *error);
MD5_API void md5_destroy_morph(md5_morph *morph); // accepts NULL

// Returns the index of the first morph target with this name, or MD5_NONE if no target has this
// name or `name` is NULL. Names are case-sensitive.
MD5_API uint32_t md5_find_morph_target(const md5_morph *morph, const char *name);

// Rules for the weights of morph targets, md5_skin_job.morph_weights[num_targets]. A weight is a
// finite number of any size:
//
// - If 0, the target has no effect.
// - If 1, the vertex has the position of the target.
// - If 2, twice the difference is added.
// - If -1, the difference is subtracted.
//
// The blended vertex in the bind pose is computed as follows. Each sum runs over all targets that
// change the vertex, in the order of the targets. `unit` normalizes a vector.
//
//   position   = position of the model + sum of weight * delta.position
//   normal     = unit(normal of the model + sum of weight * delta.normal)
//   t          = tangent of the model + sum of weight * delta.tangent
//   tangent    = unit(t - normal * dot(t, normal))
//   tangent.w  = tangent.w of the model
//
// If a direction cancels out, the direction of the model is used. If all weights are 0, the result
// is bit-identical to the vertex of the model. If one weight is 1 and all others are 0, the result
// equals the vertex of the target except for rounding.
//
// Skinning then moves the blended vertex instead of the vertex of the model. An influence of the
// model is (bias * point, bias), as described in md5_mesh. With d = sum of weight * delta.position,
// skinning uses (bias * (point + d), bias).
//
// Cost: the whole mesh is skinned first. Then only those vertices are corrected that are changed by
// a target with a weight other than 0.

// == Baked clips =================================================================================
//
// A baked clip is an animation that is stored as vertices instead of joints: each frame contains
// the position and normal of every vertex. Drawing reads the vertices of two frames and
// interpolates between them, so it needs neither a palette nor weights. Use baked clips for distant
// crowds.
//
// This example bakes the frames of a clip. It then computes the vertices at the time `time` on the
// CPU. To draw baked clips on the GPU, upload them with md5gl_create_baked().
//
//   for (uint32_t i = 0; i < anim->num_frames; i++) {
//       const md5_sample_position frame = md5_sample_position_from_frames(anim, i, i, 0.0f);
//       md5_pose_palette(binding, frame, MD5_ROOT_IN_PLACE, pose, NULL,
//                        palettes + i * model->skeleton.num_joints);
//   }
//   md5_baked *walk = md5_create_baked(model, palettes, anim->num_frames, NULL, &error);
//   md5_sample_position sample = md5_sample_position_at(anim, time, MD5_WRAP_LOOP);
//   md5_skin_baked(walk, 0, walk->num_vertices, sample, positions, normals);
//   md5_destroy_baked(walk);

// A vertex of one frame of a baked clip: a position and a normal in two 32-bit integers. The format
// does not depend on the byte order, and is suitable for the texels of a GPU texture.
//
// Position: x, y and z are 16-bit numbers.
//
//   xy, bits 0 to 15         x
//   xy, bits 16 to 31        y
//   z_normal, bits 0 to 15   z
//
// With the members `bounds` and `step` of md5_baked, a coordinate is
//
//   coordinate = bounds.min + step * number
//
// Normal: the vector is stored as a point (u, v) on an unfolded octahedron (Meyer, Suessmuth,
// Sussner, Stamminger and Greiner, "On Floating-Point Normal Vectors", 2010). u and v are 8-bit
// numbers from 0 to 254, which represent -1 to 1.
//
//   z_normal, bits 16 to 23   u
//   z_normal, bits 24 to 31   v
//
// To decode the normal, compute
//
//   z = 1 - |u| - |v|
//
// If z is negative, replace u and v by u' and v', which are both computed from the stored values:
//
//   u' = (1 - |v|) * sign(u)
//   v' = (1 - |u|) * sign(v)
//
// Then normalize the vector (u, v, z).
typedef struct md5_baked_vertex {
    uint32_t xy, z_normal;
} md5_baked_vertex;

// A baked clip: an animation that is stored as vertices instead of joints. It does not change after
// md5_create_baked() has created it, so threads may share it. It does not refer to the model, which
// may be freed.
typedef struct md5_baked {
    uint32_t num_vertices; // number of drawn vertices of all meshes, one mesh after the other
    uint32_t num_frames;   // number of stored frames
    const md5_baked_vertex *vertices; // [num_frames][num_vertices] vertices of each frame
    // Bounding box of the vertices of all frames. It is empty if there are no vertices.
    md5_bounds bounds;
    // Resolution of positions along x, y and z, in units: the size of `bounds` divided by 65535.
    md5_vec3 step;

    // Largest differences between the stored vertices and the vertices that md5_skin() computes,
    // over all vertices of all frames. Between two frames the vertices move along straight lines,
    // which adds a further error: see md5_baked_error().
    float position_error; // largest distance between the positions of a vertex, in units
    float normal_error;   // largest angle between the normals of a vertex, in radians
    size_t size;          // size of the baked clip in memory, in bytes
    md5_internal internal;
} md5_baked;

// Creates a baked clip: skins the model once for each frame and stores the vertices, 8 bytes per
// vertex and frame. palettes[num_frames * num_joints] contains the palettes of all frames, one
// after the other. Tangents are not stored, because normal maps are not visible at the distances
// for which baked clips are intended. Free the result with md5_destroy_baked().
//
// Returns NULL with
//
// - MD5_ERROR_RANGE if `num_frames` is 0, or if a vertex is not finite;
// - MD5_ERROR_MISMATCH if the geometry of the model was released;
// - MD5_ERROR_MEMORY if memory runs out.
//
// Time and memory are linear in the number of vertices times the number of frames. Only the
// allocator of `opts` is used; `opts` and `error` may be NULL.
MD5_API md5_baked *md5_create_baked(const md5_model *model, const md5_mat34 *palettes,
                                    uint32_t num_frames, const md5_load_opts *opts,
                                    md5_error *error);
MD5_API void md5_destroy_baked(md5_baked *baked); // accepts NULL

// Computes vertices of a baked clip on the CPU. Writes positions[count] of the vertices that start
// at vertex `first`. `normals`, [count], may be NULL. `sample` is the time in the clip, as frames
// and a fraction (see md5_sample_position_at()); its frames must exist in the clip.
//
// Positions are interpolated linearly between both frames. Normals are interpolated linearly and
// then normalized. The vertices equal those that the shaders of md5gl compute, except for rounding.
// Does not allocate memory.
MD5_API void md5_skin_baked(const md5_baked *baked, uint32_t first, uint32_t count,
                            md5_sample_position sample, md5_vec3 *positions, md5_vec3 *normals);

// Returns the error of a baked clip at one time: the largest distance, in units, between a vertex
// at `sample` and the same vertex skinned by md5_skin() with `palette`. `palette` must be the pose
// of the clip at the same sample position, and `model` the model that was baked. Use this function
// to check clips whose joints rotate fast, because there the straight lines between frames deviate
// most from the true path. Does not allocate memory.
MD5_API float md5_baked_error(const md5_baked *baked, const md5_model *model,
                              md5_sample_position sample, const md5_mat34 *palette);

// == Queries =====================================================================================
//
// These functions answer geometric questions about posed characters: which triangle or joint a ray
// hits, which joint is nearest to a point, and which characters of a crowd are visible.
//
// All arguments and results of a call are in the same space. If the joints or the palette are from
// md5_pose_palette(), this is model space. For a query in world space, either transform the ray or
// point to model space, or multiply the matrices by the placement of the character.
//
// The functions do not allocate memory and cannot fail. A ray or a point that contains NaN hits
// nothing and is near nothing; a matrix that contains NaN is not hit. Any number of threads may
// call these functions with the same arguments.

// -- Bounds ---------------------------------------------------------------------------------------

// Computes a bounding box for each joint, which md5_bounds_from_joints() and md5_raycast_joints()
// use. Writes bounds[model->skeleton.num_joints]. In an MD5 file, a weight is a point relative to a
// joint, with a bias (its fraction of the vertex). The box of a joint contains the points of all
// its weights, in joint space. The boxes do not depend on the pose, so call this function once per
// model. The box of a joint that does not move any vertex is empty.
//
// Returns true if the boxes are sufficient to enclose the model in every pose. Returns false if a
// bias is negative or the biases of a vertex do not sum to 1 within 1e-4: such a vertex may be
// outside the box of md5_bounds_from_joints(). The boxes are written in both cases. The time is
// linear in the number of weights.
MD5_API bool md5_build_joint_bounds(const md5_model *model, md5_bounds *bounds);

// Returns a bounding box of a posed model without skinning, for culling. The box is the union of
// the boxes of all joints, transformed to the pose. `joint_bounds`, [num_joints], is the result of
// md5_build_joint_bounds(). `joints`, [num_joints], are the model-space matrices of the joints, not
// a palette. The box contains all vertices, except for rounding, but it is usually larger than the
// model. The function takes a few nanoseconds per joint. md5_skin_bounds() computes the smallest
// box, but takes as long as skinning.
MD5_API md5_bounds md5_bounds_from_joints(const md5_bounds *joint_bounds, const md5_mat34 *joints,
                                          uint32_t num_joints);

// -- Rays -----------------------------------------------------------------------------------------

// A hit of a ray: the first point at which the ray meets a triangle or a box.
typedef struct md5_hit {
    float t; // position of the point on the ray: origin + t * direction
    // Index of the mesh that is hit. The value is 0 in results of md5_raycast_mesh() and
    // md5_raycast_joints().
    uint32_t mesh;
    // Index of the triangle that is hit. Its three vertices are mesh->indices[3 * triangle] to
    // mesh->indices[3 * triangle + 2].
    uint32_t triangle;
    // Barycentric coordinates of the point in the triangle: the weights of its three vertices,
    // whose sum is 1.
    float weights[3];
    // Joint with the largest influence at the point. Only the strongest joint of each of the three
    // vertices is considered. If MD5_NONE, the vertices have no influences.
    uint32_t joint;
    // If true, the ray hits the outer side of the triangle. If false, it hits the inner side.
    bool from_front;
    uint64_t reserved[2]; // always 0
} md5_hit;

// Returns true if the ray hits a box. Use it before an expensive test such as md5_raycast_model().
// Writes the position at which the ray enters the box to *t, as in md5_hit.t; the position is 0 if
// the ray starts inside the box. `t` may be NULL. Uses the slab test (Kay and Kajiya 1986).
MD5_API bool md5_raycast_bounds(md5_ray ray, md5_bounds bounds, float *t);

// Finds the first joint that is hit by the ray, without skinning. Use it for hit zones, such as
// head and arms. A joint is hit if the ray hits its box, joint_bounds[num_joints] from
// md5_build_joint_bounds(). joints[num_joints] are the model-space matrices of the joints. Writes
// the members `joint` and `t` of *hit, and sets all other members to 0. Returns false and writes
// nothing if no box is hit.
MD5_API bool md5_raycast_joints(md5_ray ray, const md5_bounds *joint_bounds,
                                const md5_mat34 *joints, uint32_t num_joints, md5_hit *hit);

// Finds the first triangle of a mesh that is hit by the ray. `positions`, [mesh->num_vertices], are
// the skinned positions of md5_skin(), or mesh->positions for the bind pose. Returns false and
// writes nothing if no triangle is hit. The time is linear in the number of triangles.
//
// A ray through an edge or a vertex hits at least one of the adjacent triangles, so a ray cannot
// pass through a closed surface (Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection",
// 2013). A triangle that is parallel to the ray is not hit.
MD5_API bool md5_raycast_mesh(md5_ray ray, const md5_mesh *mesh, const md5_vec3 *positions,
                              md5_hit *hit);

// Finds the first triangle of a posed model that is hit by the ray. Skins each mesh with `palette`
// and calls md5_raycast_mesh(). `scratch` is temporary memory of md5_raycast_model_scratch() bytes,
// at any alignment. Returns false and writes nothing if no triangle is hit.
//
// Skinning is expensive and most rays miss. Therefore test the ray against the box of
// md5_bounds_from_joints() with md5_raycast_bounds() first.
MD5_API bool md5_raycast_model(md5_ray ray, const md5_model *model, const md5_mat34 *palette,
                               md5_hit *hit, void *scratch);
MD5_API size_t md5_raycast_model_scratch(const md5_model *model);

// -- Joints ---------------------------------------------------------------------------------------

// Returns the index of the joint whose position is nearest to `point`, for example to find the part
// of the body that was hit. `joints`, [num_joints], are matrices in the space of the point. If
// several joints have the same distance, the joint with the smallest index is returned. Writes the
// distance to *distance; `distance` may be NULL. Returns MD5_NONE if no joint has a finite
// distance.
MD5_API uint32_t md5_find_nearest_joint(const md5_mat34 *joints, uint32_t num_joints,
                                        md5_vec3 point, float *distance);

// Returns the index of the joint whose position is nearest to the ray, for example to select a
// joint with the mouse. All other rules are the same as for md5_find_nearest_joint().
MD5_API uint32_t md5_find_nearest_joint_to_ray(const md5_mat34 *joints, uint32_t num_joints,
                                               md5_ray ray, float *distance);

// -- Crowds ---------------------------------------------------------------------------------------

// The functions of this section find the characters of a crowd that are in a region. bounds[count]
// contains one bounding box per character; all boxes and the region are in the same space. The
// indices of the boxes that pass the test are written to found[count], in ascending order. The
// result is the number of these boxes. A box that only touches the region passes; an empty box does
// not pass.

// Finds the boxes that overlap a sphere, for example the characters that an explosion hits.
// `center` and `radius` define the sphere (Arvo, "A Simple Method for Box-Sphere Intersection
// Testing", 1990).
MD5_API uint32_t md5_cull_sphere(const md5_bounds *bounds, uint32_t count, md5_vec3 center,
                                 float radius, uint32_t *found);

// Finds the boxes that overlap `box`, for example the characters in a room.
MD5_API uint32_t md5_cull_bounds(const md5_bounds *bounds, uint32_t count, md5_bounds box,
                                 uint32_t *found);

// Finds the boxes that are inside or partly inside a convex region, such as the view frustum of a
// camera. planes[num_planes] bound the region. A point (px, py, pz) is on the inner side of a plane
// (x, y, z, w) if
//
//   x * px + y * py + z * pz + w >= 0
//
// A box passes unless it is entirely on the outer side of at least one plane. Therefore a box near
// a corner of the region may pass although it is outside.
MD5_API uint32_t md5_cull_planes(const md5_bounds *bounds, uint32_t count, const md5_vec4 *planes,
                                 uint32_t num_planes, uint32_t *found);

// Finds the boxes that are hit by the ray, for example the characters that a bullet can hit. The
// indices are in the order of `bounds`, not in the order of the distance.
MD5_API uint32_t md5_cull_ray(const md5_bounds *bounds, uint32_t count, md5_ray ray,
                              uint32_t *found);

#ifdef __cplusplus
}
#endif

#endif
