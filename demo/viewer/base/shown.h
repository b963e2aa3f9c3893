// The switches of the user: a row of option_table.c each, with its option and its keys; and what
// the body shows.
#ifndef DEMO_VIEWER_BASE_SHOWN_H
#define DEMO_VIEWER_BASE_SHOWN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct view_shown {
    bool grid, axes, edges, normals, tangents, skeleton, bounds, joint_bounds;
    bool untextured, checker, maps, two_sided;
    bool classic, shadows;                // classic: light as in id's engine of 2004
    bool environment, environment_behind; // light of --environment; its picture behind the model
    bool levels;                          // of detail in a crowd
    bool panel, statistics, frame_time, hierarchy, light_list, parm_list, graph, help;
    bool auto_quality; // pictures of a window leave out what makes them slow
} view_shown;

// What the body shows.
typedef enum view_surface {
    VIEW_SURFACE_LIT,      // its materials in the light
    VIEW_SURFACE_WEIGHTS,  // the weights of the marked joint, or how many joints move a vertex
    VIEW_SURFACE_UV,       // a grid by texture coordinates; a panel shows the layout of a mesh
    VIEW_SURFACE_TEXTURES, // its materials; a panel shows the images of a mesh
    VIEW_NUM_SURFACES,
} view_surface;

// Onion skin: `count` ghosts before and as many after the current frame, `step` frames apart.
enum { VIEW_MAX_ONION = 8 };
typedef struct view_onion {
    uint32_t count, step;
} view_onion;

#endif
