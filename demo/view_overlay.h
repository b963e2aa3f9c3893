// Lines drawn over the model: skeleton, normals, boxes, axes.
#ifndef DEMO_VIEW_OVERLAY_H
#define DEMO_VIEW_OVERLAY_H

#include "render/md5gl.h"
#include "demo/view_scene.h"

// A growing list of lines; it keeps its memory from frame to frame.
typedef struct view_lines {
    md5gl_line_vertex *vertices;
    uint32_t count, room;
} view_lines;

void view_clear_lines(view_lines *lines);
void view_free_lines(view_lines *lines);

// `color` is 0xRRGGBBAA.
void view_add_line(view_lines *lines, md5_vec3 from, md5_vec3 to, uint32_t color);

// Joints as small crosses along their own axes, with lines to their parents.
void view_add_skeleton(view_lines *lines, const view_scene *scene, float cross_size);

// A short line from every vertex. The scene must be skinned.
void view_add_normals(view_lines *lines, const view_scene *scene, float length);

void view_add_bounds(view_lines *lines, md5_bounds bounds, uint32_t color);

// x red, y green, z blue, from the origin.
void view_add_axes(view_lines *lines, float length);

#endif
