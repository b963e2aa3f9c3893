// The camera: it looks at a target from a direction and a distance, z always up on the screen.
#ifndef DEMO_VIEWER_DRAW_CAMERA_H
#define DEMO_VIEWER_DRAW_CAMERA_H

#include "md5/md5model.h"
#include "render/md5gl.h"
#include "demo/viewer/base/viewpoint.h"
#include "demo/viewer/scene/scene.h"

// Unit vectors of the picture in world space.
typedef struct view_axes {
    md5_vec3 right, up, back; // back: from the target to the eye
} view_axes;

// Three quarters from the front and slightly above: where one would stand to look at a statue.
view_camera view_default_camera(void);

view_axes view_camera_axes(const view_camera *camera);
md5_vec3 view_camera_eye(const view_camera *camera);

// How a picture is taken: from where, and what of the world is in it.
typedef struct view_lens {
    md5_vec3 eye;
    view_axes axes;
    float half_x, half_y; // half the picture's size at depth 1, or anywhere if orthographic
    float shift_x,
        shift_y; // where its axis meets the picture: 0 in the middle, 1 at the right, top
    float near_z, far_z;
    bool orthographic;
} view_lens;

// For a picture of width * height pixels: of this camera, and of one in a file, whose scene has
// its middle at `centre`.
view_lens view_camera_lens(const view_camera *camera, float width, float height);
view_lens view_flight_lens(const md5_camera_view *view, md5_vec3 centre, float scene_radius,
                           float width, float height);

// Widens a lens for a picture of width * height pixels, so that what it shows is seen in a region
// of it: a box with its corner at (x, y), in pixels from the top left.
void view_widen_lens(view_lens *lens, float x, float y, float box_width, float box_height,
                     float width, float height);

void view_lens_matrices(const view_lens *lens, md5gl_mat44 *view_from_world,
                        md5gl_mat44 *clip_from_view);

// Takes the place of a lens, turning about what it sees at the depth of `centre`, which keeps its
// size. A roll and another field of view do not stay.
void view_take_lens(view_camera *camera, const view_lens *lens, md5_vec3 centre);

// Moves target and distance so that all of a shape is seen, seen from the same direction.
void view_frame_all(view_camera *camera, md5_bounds bounds, const view_hull *hull, float width,
                    float height);

// Whether a picture taken now has all of a shape in it, with a little room around.
bool view_has_all(const view_camera *camera, const view_hull *hull, float width, float height);

// By mouse: steps in pixels of a picture of `height` pixels.
void view_orbit(view_camera *camera, float right, float down, float height);
void view_pan(view_camera *camera, float right, float down, float height);

// Comes nearer by `factor` (> 1), keeping what lies under the pixel (x, y), counted from the
// middle of the picture, in its place.
void view_zoom(view_camera *camera, float factor, float x, float y, float height);

#endif
