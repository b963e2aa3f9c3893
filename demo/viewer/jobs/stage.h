// The inputs of the modules that draw an image: view_stage describes its contents and the interface
// over it.
#ifndef DEMO_VIEWER_JOBS_STAGE_H
#define DEMO_VIEWER_JOBS_STAGE_H

#include "demo/viewer/draw/draw.h"

typedef struct view_state view_state;

// Returns the contents of an image of width * height pixels, and the interface over it.
view_stage view_build_stage(view_state *viewer, float width, float height);

#endif
