// md5deform: surfaces that are deformed by their materials (md5game.h), for renderers.
//
// A surface with a deform is computed from its skinned vertices for each image that is drawn: every
// quad of four vertices is a SPRITE that faces the viewer, or a TUBE that turns about its long
// axis; a FLARE is one quad with a border; an EYEBALL is an eye with two triangles, of which one
// marks its centre and the other what it looks at, so that the texture is projected onto it from
// there and the eye alone is drawn; EXPAND moves along normals, MOVE along x, TURBULENT moves
// texture coordinates. The engine does not light such surfaces, so no normals are computed.
#ifndef MD5DEFORM_H
#define MD5DEFORM_H

#include "md5game.h" // beside this file also when installed
#include "md5skin.h"

#ifdef __cplusplus
extern "C" {
#endif

// The view: the position of the eye, and unit vectors to the left and up; all in model space.
typedef struct md5_deform_view {
    md5_vec3 eye, left, up;
} md5_deform_view;

// Arrays of the caller that md5_deform_vertices() fills, [num_vertices] of md5_deform_size() each.
typedef struct md5_deformed {
    md5_vec3 *positions; // model space
    md5_vec2 *texcoords;
    md5_vec4 *colors; // NULL: not written; white if the mesh has none
} md5_deformed;

// Returns whether a mesh can be deformed in this way, and writes how many vertices and triangles it
// has then. Sprites and tubes need quads, flares exactly one quad, EYEBALL at most 60 triangles in
// three groups that share no vertices; else the engine draws an eye as it is. Particles are not
// supported.
MD5_API bool md5_deform_size(md5_deform deform, const md5_mesh *mesh, uint32_t *num_vertices,
                             uint32_t *num_triangles);

// Writes indices[3 * num_triangles], for a mesh for which md5_deform_size() returns true.
MD5_API void md5_deform_indices(md5_deform deform, const md5_mesh *mesh, uint32_t *indices);

// Writes the deformed vertices of such a mesh. positions[mesh->num_vertices] and, unless NULL,
// normals are those of md5_skin(); `registers` those of md5_evaluate_material(); `table` that of
// material->deform_decl, for TURBULENT, which changes nothing if it is NULL. Allocates nothing.
MD5_API void md5_deform_vertices(const md5_material *material, const md5_table *table,
                                 const float *registers, const md5_mesh *mesh,
                                 const md5_vec3 *positions, const md5_vec3 *normals,
                                 const md5_deform_view *view, const md5_deformed *out);

#ifdef __cplusplus
}
#endif

#endif
