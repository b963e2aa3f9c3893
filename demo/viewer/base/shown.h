// What is drawn besides the model, switched by keys and options.
#ifndef DEMO_VIEWER_BASE_SHOWN_H
#define DEMO_VIEWER_BASE_SHOWN_H

#include <stdbool.h>

typedef struct view_shown {
    bool grid, axes, edges, normals, skeleton, bounds;
    bool untextured, checker, maps, two_sided;
    bool classic, shadows;
    bool panel, statistics, frame_time, hierarchy, lamps, help;
} view_shown;

#endif
