// Culling: tests spheres and their shadows against the frustum of a picture.
#ifndef DEMO_VIEWER_DRAW_CULL_H
#define DEMO_VIEWER_DRAW_CULL_H

#include "demo/viewer/base/math.h"
#include "demo/viewer/draw/camera.h"

// A point is inside if dot(inward, point) >= begin.
typedef struct view_plane {
    md5_vec3 inward;
    float begin;
    float shadow_shift; // how far inward a shadow moves per unit of fall; 0 = outward
} view_plane;

enum { VIEW_NUM_PLANES = 6 };

typedef struct view_sight {
    view_plane planes[VIEW_NUM_PLANES];
    view_lens lens;
    float height;       // of the picture, pixels
    bool all;           // every sphere is visible
    bool shadowed;      // shadows are drawn
    bool unbounded;     // shadows have no end: the light is level or from below
    float lowest;       // height of the lowest point that receives shadows
    float reach;        // how far from a shadow pixels depend on it: md5gl_shadow_reach()
    float reach_upward; // the upward part of `reach`, perpendicular to a slanting light
} view_sight;

// Sets up culling for a lens. `frame` holds its matrices and the lights; no shadow falls below
// `lowest`.
view_sight view_make_sight(const view_lens *lens, const md5gl_frame *frame, float lowest);

// Whether the sphere or its shadow may be in the picture. Never false if it is.
bool view_sees(const view_sight *sight, view_sphere sphere);

// Diameter of the sphere in the picture, pixels; large if it is at or behind the eye.
float view_pixels_across(const view_sight *sight, view_sphere sphere);

#endif
