// Lines over the model, and what a click on it hits.
#ifndef DEMO_VIEWER_DRAW_OVERLAY_H
#define DEMO_VIEWER_DRAW_OVERLAY_H

#include "demo/viewer/draw/camera.h"
#include "demo/viewer/motion/scene.h"
#include "md5/md5skin.h"
#include "render/md5gl.h"

// A growing list of lines; keeps its memory between frames.
typedef struct view_lines {
    md5gl_line_vertex *vertices;
    uint32_t count, room;
} view_lines;

void view_clear_lines(view_lines *lines);
void view_free_lines(view_lines *lines);

// `color` is 0xRRGGBBAA.
void view_add_line(view_lines *lines, md5_vec3 from, md5_vec3 to, uint32_t color);

// Adds lines between joints and their parents only.
void view_add_bones(view_lines *lines, const view_scene *scene, uint32_t color);

// Adds a short line at every vertex, magenta if it has a fault: see view_find_faults(). The scene
// must be skinned.
void view_add_normals(view_lines *lines, view_scene *scene, float length);

// Adds lines along the tangent and the bitangent of every vertex. Skins the scene.
void view_add_tangents(view_lines *lines, view_scene *scene, float length);

// Adds the oriented bounding box of each joint that moves vertices.
void view_add_joint_bounds(view_lines *lines, const view_scene *scene);

// == Picking ===============================================================================
//
// What a click on the body hits: mesh, triangle, vertex and joint.

// Indices into the model, so that it stays on the same spot of the skin in every pose.
typedef struct view_pick {
    bool is_set;
    uint32_t mesh, triangle;
    uint32_t vertex;  // of the triangle: the one nearest to the spot
    int32_t joint;    // that moves the spot most, or -1
    float weights[3]; // barycentric coordinates of the spot in the triangle
} view_pick;

// The ray from the eye through pixel (x, y) of a picture of width * height, from the top left.
md5_ray view_lens_ray(const view_lens *lens, float x, float y, float width, float height);

// Finds what the ray hits first in the current pose, unless its bit in `hidden` is set: the outside
// of a triangle, or only if there is none, an inside. Skins the scene. Not set if nothing is hit.
view_pick view_find_pick(view_scene *scene, uint64_t hidden, const md5_ray *ray);

// The spot in the pose that was skinned last.
md5_vec3 view_pick_point(const view_scene *scene, const view_pick *pick);

#endif
