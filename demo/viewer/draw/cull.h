// What of the world a picture can show: the frustum of its lens, and what throws shadows into it.
#ifndef DEMO_VIEWER_DRAW_CULL_H
#define DEMO_VIEWER_DRAW_CULL_H

#include "demo/viewer/base/math.h"
#include "demo/viewer/draw/camera.h"

// A point is on the inner side where dot(inward, point) >= begin.
typedef struct view_plane {
    md5_vec3 inward;
    float begin;
    float shadow_way; // how far inward a shadow comes per unit of height that it falls; 0 = outward
} view_plane;

enum { VIEW_NUM_PLANES = 6 };

typedef struct view_sight {
    view_plane planes[VIEW_NUM_PLANES];
    view_lens lens;
    float height;       // of the picture, pixels
    bool all;           // culls nothing
    bool shadowed;      // shadows are drawn
    bool endless;       // they fall any distance, since the light is level or from below
    float lowest;       // height below which nothing is that they could fall on
    float reach;        // how far beside a shadow pixels depend on it: md5gl_shadow_reach()
    float reach_upward; // the part of it that goes upward, across a light that falls aslant
} view_sight;

// `frame` has the lens' matrices and the lights; nothing that shadows fall on is below `lowest`.
view_sight view_make_sight(const view_lens *lens, const md5gl_frame *frame, float lowest);

// Whether any of it may be in the picture, or its shadow.
bool view_sees(const view_sight *sight, view_sphere sphere);

// How many pixels it is across; those that are behind the eye or next to it are large.
float view_pixels_across(const view_sight *sight, view_sphere sphere);

#endif
