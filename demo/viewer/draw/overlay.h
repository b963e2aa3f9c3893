// Lines over the model: skeleton, normals, bounds, joint bounds, axes, camera paths, terrain.
#ifndef DEMO_VIEWER_DRAW_OVERLAY_H
#define DEMO_VIEWER_DRAW_OVERLAY_H

#include "render/md5gl.h"
#include "demo/viewer/draw/camera.h"
#include "demo/viewer/motion/scene.h"

// A growing list of lines; keeps its memory between frames.
typedef struct view_lines {
    md5gl_line_vertex *vertices;
    uint32_t count, room;
} view_lines;

void view_clear_lines(view_lines *lines);
void view_free_lines(view_lines *lines);

// `color` is 0xRRGGBBAA.
void view_add_line(view_lines *lines, md5_vec3 from, md5_vec3 to, uint32_t color);

// Adds joints as small crosses along their axes, with lines to their parents.
void view_add_skeleton(view_lines *lines, const view_scene *scene, float cross_size);

// Adds lines between joints and their parents only.
void view_add_bones(view_lines *lines, const view_scene *scene, uint32_t color);

// Adds a short line at every vertex, magenta if it has a fault: see view_find_faults(). The scene
// must be skinned.
void view_add_normals(view_lines *lines, view_scene *scene, float length);

// Adds lines along the tangent and the bitangent of every vertex. Skins the scene.
void view_add_tangents(view_lines *lines, view_scene *scene, float length);

void view_add_bounds(view_lines *lines, md5_bounds bounds, uint32_t color);

// Adds the oriented bounding box of each joint that moves vertices.
void view_add_joint_bounds(view_lines *lines, const view_scene *scene);

// Adds the world axes: x red, y green, z blue.
void view_add_axes(view_lines *lines, float length);

// Adds a camera path, shot by shot, with axes at some of its frames: red forward, green left, blue
// up.
void view_add_path(view_lines *lines, const view_camera_path *camera_path, float axis_size);

// Adds a lens's frustum from the eye to `depth`, with a mark at the upper edge.
void view_add_lens(view_lines *lines, const view_lens *lens, float depth, uint32_t color);

// Adds the edges of the terrain's blocks around a point.
void view_add_blocks(view_lines *lines, const view_terrain *terrain, md5_vec3 centre);

#endif
