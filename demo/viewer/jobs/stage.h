// The inputs of the modules that draw an image: view_stage describes its contents and the interface
// over it.
#ifndef DEMO_VIEWER_JOBS_STAGE_H
#define DEMO_VIEWER_JOBS_STAGE_H

#include "demo/viewer/draw/draw.h"

typedef struct view_state view_state;

// Returns the contents of an image of width * height pixels and, if images can contain parts of the
// interface, the interface over it.
view_stage view_build_stage(view_state *viewer, float width, float height);

// Returns the part of the image that the interface and the caption leave free.
view_rect view_content_region(const view_state *viewer, const view_stage *stage);

#endif
