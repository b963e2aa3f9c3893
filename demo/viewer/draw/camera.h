// The camera: it looks at a target from a direction and a distance; z is up on the screen.
#ifndef DEMO_VIEWER_DRAW_CAMERA_H
#define DEMO_VIEWER_DRAW_CAMERA_H

#include "md5/md5model.h"
#include "render/md5gl.h"
#include "demo/viewer/base/viewpoint.h"
#include "demo/viewer/motion/scene.h"

// Unit vectors of the picture in world space.
typedef struct view_axes {
    md5_vec3 right, up, back; // back: from the target to the eye
} view_axes;

// A three-quarter view from the front and slightly above.
view_camera view_default_camera(void);

view_axes view_camera_axes(const view_camera *camera);
md5_vec3 view_camera_eye(const view_camera *camera);

// A projection: eye, axes and frustum.
typedef struct view_lens {
    md5_vec3 eye;
    view_axes axes;
    float half_x, half_y;   // half the picture's size at depth 1, or anywhere if orthographic
    float shift_x, shift_y; // where the axis meets the picture: 0 = centre, 1 = right or top edge
    float near_z, far_z;
    bool orthographic;
} view_lens;

// The lens of a camera for a picture of width * height pixels, and that of a camera in a file,
// whose scene is centred on `centre`.
view_lens view_camera_lens(const view_camera *camera, float width, float height);
view_lens view_camera_path_lens(const md5_camera_view *view, md5_vec3 centre, float scene_radius,
                                float width, float height);

// Widens a lens to a picture of width * height pixels, so that its previous picture fills the
// region with the corner (x, y), in pixels from the top left.
void view_widen_lens(view_lens *lens, float x, float y, float box_width, float box_height,
                     float width, float height);

void view_lens_matrices(const view_lens *lens, md5_mat44 *view_from_world,
                        md5_mat44 *clip_from_view);

// Moves the camera to a lens. The target is on the lens's axis at the depth of `centre`, where
// sizes stay the same. Roll and field of view are lost.
void view_take_lens(view_camera *camera, const view_lens *lens, md5_vec3 centre);

// Moves target and distance so that the whole shape is visible; keeps the direction.
void view_frame_all(view_camera *camera, md5_bounds bounds, const view_hull *hull, float width,
                    float height);

// Whether the whole shape is visible, with a margin of 8 %.
bool view_has_all(const view_camera *camera, const view_hull *hull, float width, float height);

// Moves `seen` by a share of its way to `camera`, 0 to 1, the shorter way around. What is not a
// distance is taken over. Returns whether it is still on its way; it arrives exactly.
bool view_follow_camera(view_camera *seen, const view_camera *camera, float share);

// Mouse motion: `right` and `down` in pixels of a picture of `height` pixels.
void view_orbit(view_camera *camera, float right, float down, float height);
void view_pan(view_camera *camera, float right, float down, float height);

// Moves nearer by `factor` (> 1) and keeps the point under pixel (x, y), counted from the picture's
// centre, where it is.
void view_zoom(view_camera *camera, float factor, float x, float y, float height);

#endif
