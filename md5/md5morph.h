// md5morph: morph targets: expressions, wear, muscle shapes, which are `.md5mesh` files with the
// topology of a model and other positions. Any number of them is blended before skinning.
//
//   const md5_morph_source sources[] = {{"smile", smile}, {"blink", blink}}; // md5_load_model()
//   md5_morph *morph = md5_make_morph(model, sources, 2, NULL, &error);
//   md5_free_model(smile); ... // the differences are copied
//   const float weights[] = {0.5f, 1.0f};
//   md5_skin_morphed(morph, mesh, weights, palette, positions, normals, tangents);
//   md5_free_morph(morph);
//
// md5gl_create_morph() uploads the same differences for drawing. A machine drives weights by its
// parameters, states and clips: md5_player_morphs() (md5play.h). Others come from where the game
// has them: a slider, a curve over time (md5curve.h):
//
//   weights[blink] = md5_ease(MD5_EASE_SINE_IN_OUT, part_of_a_blink);
//
// Space, memory and threads: see md5model.h.
#ifndef MD5MORPH_H
#define MD5MORPH_H

#include "md5model.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// A file that differs from the base.
typedef struct md5_morph_source {
    const char *name; // copied; not NULL
    const md5_model *model;
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
    md5_allocator allocator;
} md5_morph;

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
// (allocator, memory_limit) and `error` may be NULL. Free the result with md5_free_morph().
MD5_API md5_morph *md5_make_morph(const md5_model *model, const md5_morph_source *sources,
                                  uint32_t count, const md5_load_opts *opts, md5_error *error);
MD5_API void md5_free_morph(md5_morph *morph); // NULL is allowed

// Returns the index of the first target of that name (case-sensitive), or -1 if there is none or
// `name` is NULL.
MD5_API int32_t md5_find_morph_target(const md5_morph *morph, const char *name);

// In these functions weights[num_targets] are finite numbers of any size; 0 leaves a target out, 1
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
// influences are (bias * (point + difference), bias).

// Writes the blended bind pose of meshes[mesh]: positions[num_vertices], and unless NULL normals
// and tangents [num_vertices]; tangents are not written if the mesh has none.
MD5_API void md5_morph_bind(const md5_morph *morph, uint32_t mesh, const float *weights,
                            md5_vec3 *positions, md5_vec3 *normals, md5_vec4 *tangents);

// md5_skin() of the blended mesh: skins the mesh as it is, then changes those vertices that targets
// of weights other than 0 move. Allocates nothing.
MD5_API void md5_skin_morphed(const md5_morph *morph, uint32_t mesh, const float *weights,
                              const md5_mat34 *palette, md5_vec3 *positions, md5_vec3 *normals,
                              md5_vec4 *tangents);

// md5_skin_dual() of the blended mesh.
MD5_API void md5_skin_dual_morphed(const md5_morph *morph, uint32_t mesh, const float *weights,
                                   const md5_dual_quat *palette, md5_vec3 *positions,
                                   md5_vec3 *normals, md5_vec4 *tangents);

#ifdef __cplusplus
}
#endif

#endif
