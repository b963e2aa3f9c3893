// Small pictures of models, drawn on the CPU, so that a thread without OpenGL can make them.
#ifndef DEMO_VIEWER_SCENE_SKETCH_H
#define DEMO_VIEWER_SCENE_SKETCH_H

#include "demo/viewer/scene/maps.h"
#include "md5/md5model.h"

// Side of a picture in a list, in pixels.
enum { VIEW_SKETCH_SIZE = 128 };

typedef struct view_sketch view_sketch;

// Begins a picture of points within these bounds, seen from the front left and slightly above, of
// `size` by `size` pixels, 2048 at most. Returns NULL if the bounds are empty or not finite. Free
// with view_end_sketch().
view_sketch *view_begin_sketch(md5_bounds bounds, uint32_t size);

// Draws triangles of one mesh in front of what is behind them: indices[3 * num_triangles] into
// positions, unit normals and texture coordinates. `texture` may be NULL: grey; texels of less
// alpha than a half are holes if `has_holes`. Returns false if the picture has taken too much work:
// it can be ended as it is.
bool view_sketch_mesh(view_sketch *sketch, const md5_mesh *mesh, const md5_vec3 *positions,
                      const md5_vec3 *normals, const view_image *texture, bool has_holes);

// Draws a bone, from a joint to the next one: a grey spike that is wide near the first.
void view_sketch_bone(view_sketch *sketch, md5_vec3 from, md5_vec3 to);

// Writes the picture, transparent where nothing was drawn, and frees the sketch. `image` may be
// NULL.
void view_end_sketch(view_sketch *sketch, view_image *image);

#endif
