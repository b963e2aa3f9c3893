// Files of a mesh's maps that something else than the names of its shader says.
#ifndef DEMO_VIEWER_SCENE_LOOK_H
#define DEMO_VIEWER_SCENE_LOOK_H

#include <stdbool.h>
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

#endif
