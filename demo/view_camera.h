// The camera: it looks at a target from a direction and a distance, z always up on the screen.
#ifndef DEMO_VIEW_CAMERA_H
#define DEMO_VIEW_CAMERA_H

#include "md5/md5model.h"
#include "render/md5gl.h"
#include "demo/view_scene.h"

// The azimuth is that of the eye seen from the target: 0 = in front of the model (at +x, looking
// towards -x), 90 = at its left (+y), -90 = at its right. The elevation is 0 when level, 90
// straight above.
typedef struct view_camera {
    float azimuth, elevation; // degrees
    float distance;           // from eye to target, units
    md5_vec3 target;          // what it turns about
    bool orthographic;        // shows at the target the same size as the perspective does
    float scene_radius;       // of what view_frame_all() framed: tells near from far
} view_camera;

// Unit vectors of the picture in world space.
typedef struct view_axes {
    md5_vec3 right, up, back; // back: from the target to the eye
} view_axes;

// Three quarters from the front and slightly above: where one would stand to look at a statue.
view_camera view_default_camera(void);

view_axes view_camera_axes(const view_camera *camera);
md5_vec3 view_camera_eye(const view_camera *camera);

// Matrices of a picture of width * height pixels.
void view_camera_matrices(const view_camera *camera, float width, float height,
                          md5gl_mat44 *view_from_world, md5gl_mat44 *clip_from_view);

// Moves target and distance so that all of a shape is seen, seen from the same direction.
void view_frame_all(view_camera *camera, md5_bounds bounds, const view_hull *hull, float width,
                    float height);

// By mouse: steps in pixels of a picture of `height` pixels.
void view_orbit(view_camera *camera, float right, float down, float height);
void view_pan(view_camera *camera, float right, float down, float height);

// Comes nearer by `factor` (> 1), keeping what lies under the pixel (x, y), counted from the
// middle of the picture, in its place.
void view_zoom(view_camera *camera, float factor, float x, float y, float height);

#endif
