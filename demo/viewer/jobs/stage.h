// Collects the inputs of an image. A view_stage describes the contents of the image and the
// interface over it, for the modules that draw it.
#ifndef DEMO_VIEWER_JOBS_STAGE_H
#define DEMO_VIEWER_JOBS_STAGE_H

#include "demo/viewer/draw/draw.h"

typedef struct view_state view_state;

// Returns the stage of an image of width * height pixels. If images can contain parts of the
// interface, the stage includes them.
view_stage view_build_stage(view_state *viewer, float width, float height);

// Returns the part of the image that the interface and the caption leave free.
view_rect view_content_region(const view_state *viewer, const view_stage *stage);

// Returns the stage. It contains the document, the camera and the settings in the form that panels
// and the renderer read.
view_stage view_current_stage(view_state *viewer);

// Returns the projection of the current image.
view_lens view_current_lens(view_state *viewer);

#endif
