// Files of a mesh's maps that something else than the names of its shader says.
#ifndef DEMO_VIEWER_ASSETS_LOOK_H
#define DEMO_VIEWER_ASSETS_LOOK_H

#include "demo/viewer/base/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct view_look {
    char *diffuse, *normals; // paths, or NULL
    char *masks;             // of Cube 2's engines: see maps.h; a path, or NULL
    float specular, glow;    // shares of what the masks say, 0 to 1
    float alpha_test;        // md5gl_material.alpha_test
    bool two_sided;
} view_look;

void view_free_look(view_look *look);                   // a zeroed one is allowed
void view_free_looks(view_look *looks, uint32_t count); // NULL is allowed

// -- .shader files -------------------------------------------------------------------------------
//
// Materials of Unvanquished and other games of Quake III's line: .shader files.

// Finds the material `name`, ignoring case, slashes of the other kind and an ending, in the text of
// a .shader file, and writes its look: pictures without endings, to be freed by
// view_free_look(). Returns whether the file has it. A mistake in it is a warning with line
// and column; `path` is the file's in messages. Time is linear in the size.
bool view_read_shader(const char *path, const char *text, size_t size, const char *name,
                      view_look *look, view_log *log);

// Finds a material in the .shader files of the folder, in the order of their names: the first one
// counts. Files of more than 4 MiB are left out.
bool view_find_shader(const char *folder, const char *name, view_look *look, view_log *log);

#endif
