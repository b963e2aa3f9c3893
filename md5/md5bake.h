// md5bake: clips baked into vertices, for crowds so far away that neither palettes nor weights are
// worth their time. Each frame stores where every vertex is; drawing reads two frames and blends.
//
//   md5_bake_palettes(binding, MD5_ROOT_IN_PLACE, 0, anim->num_frames, scratch, joints, palettes);
//   md5_baked *walk = md5_make_baked(model, palettes, anim->num_frames, NULL, &error);
//   ... md5gl_create_baked() uploads any number of them; or, on the CPU,
//   md5_moment moment = md5_moment_at(anim, time, MD5_WRAP_LOOP);
//   md5_skin_baked(walk, 0, walk->num_vertices, &moment, positions, normals);
//   md5_free_baked(walk);
//
// Space, memory and threads: see md5model.h.
#ifndef MD5BAKE_H
#define MD5BAKE_H

#include "md5model.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

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
    md5_allocator allocator;
} md5_baked;

// Skins `num_frames` palettes, palettes[num_frames * joints], as md5_bake_palettes() writes them,
// and stores the vertices: 8 bytes a vertex and frame. Tangents are not stored: at the distances
// that this is for, normal maps are even. Returns NULL with
//
// - MD5_ERROR_RANGE if `num_frames` is 0, or if a vertex is not finite;
// - MD5_ERROR_MISMATCH if the geometry was released;
// - MD5_ERROR_MEMORY.
//
// Time and memory are linear in vertices times frames. `opts` (allocator, memory_limit) and `error`
// may be NULL. Free the result with md5_free_baked().
MD5_API md5_baked *md5_make_baked(const md5_model *model, const md5_mat34 *palettes,
                                  uint32_t num_frames, const md5_load_opts *opts, md5_error *error);
MD5_API void md5_free_baked(md5_baked *baked); // NULL is allowed

// Writes positions[count] and, unless NULL, normals[count] of the vertices from `first` on at
// `moment`, whose frames must be frames of the clip: what shaders draw, up to rounding error.
// Positions are lerped; normals, unit length, are lerped and normalized. Allocates nothing.
MD5_API void md5_skin_baked(const md5_baked *baked, uint32_t first, uint32_t count,
                            const md5_moment *moment, md5_vec3 *positions, md5_vec3 *normals);

// Returns the largest distance, in units, between the vertices at `moment` and those that
// md5_skin() computes with `palette`, that of the same moment: for clips whose joints turn fast
// between frames. `model` is the one that was baked. Allocates nothing.
MD5_API float md5_baked_error(const md5_baked *baked, const md5_model *model,
                              const md5_moment *moment, const md5_mat34 *palette);

#ifdef __cplusplus
}
#endif

#endif
