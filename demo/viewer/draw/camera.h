// The camera, what it sees, and where it is placed so that a document is visible.
#ifndef DEMO_VIEWER_DRAW_CAMERA_H
#define DEMO_VIEWER_DRAW_CAMERA_H

#include "demo/viewer/base/math.h"
#include "demo/viewer/base/shown.h"
#include "demo/viewer/crowd/document.h"
#include "demo/viewer/motion/scene.h"
#include "md5/md5model.h"
#include "render/md5gl.h"

// Half the picture's height over the distance: tan(15 degrees), a vertical field of view of 30
// degrees, with as little distortion as a portrait lens.
#define VIEW_HALF_HEIGHT 0.26794919f

// A three-quarter view from the front and slightly above.
view_camera view_default_camera(void);

view_axes view_camera_axes(const view_camera *camera);

// The lens of a camera for a picture of width * height pixels.
view_lens view_camera_lens(const view_camera *camera, float width, float height);

// Widens a lens to a picture of width * height pixels, so that its previous picture fills the
// region with the corner (x, y), in pixels from the top left.
void view_widen_lens(view_lens *lens, float x, float y, float box_width, float box_height,
                     float width, float height);

// Half the height of the view at a position's depth, in units; 0 behind the camera.
float view_half_height_at(const view_lens *lens, md5_vec3 place);

void view_lens_matrices(const view_lens *lens, md5_mat44 *view_from_world,
                        md5_mat44 *clip_from_view);

// Moves target and distance so that the whole shape is visible; keeps the direction.
void view_frame_all(view_camera *camera, md5_bounds bounds, const view_hull *hull, float width,
                    float height);

// Whether the whole shape is visible.
bool view_holds_shape(const view_camera *camera, const view_hull *hull, float width, float height);

// Moves `seen` by a share of its way to `camera`, 0 to 1, the shorter way around. What is not a
// distance is taken over. Returns whether it is still on its way; it arrives exactly.
bool view_follow_camera(view_camera *seen, const view_camera *camera, float share);

// Mouse motion: `right` and `down` in pixels of a picture of `height` pixels.
void view_orbit(view_camera *camera, float right, float down, float height);
void view_pan(view_camera *camera, float right, float down, float height);

// Moves nearer by `factor` (> 1) and keeps the point under pixel (x, y), counted from the picture's
// centre, where it is.
void view_zoom(view_camera *camera, float factor, float x, float y, float height);

// The lens of the document's camera path at the time of `play`.
view_lens view_path_lens(const view_document *document, const view_play *play,
                         const view_camera *camera, float width, float height);

#endif
