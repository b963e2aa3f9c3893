// Where the camera stands so that a document is seen.
#ifndef DEMO_VIEWER_DRAW_FRAMING_H
#define DEMO_VIEWER_DRAW_FRAMING_H

#include "demo/viewer/draw/camera.h"
#include "demo/viewer/draw/stage.h"

// The camera that the options ask for, or the one that suits the document, for a picture of
// width * height pixels.
view_camera view_camera_for(const view_document *document, const view_options *options, float width,
                            float height);

// Moves target and distance for a picture of another shape, unless the options set the distance.
void view_frame_document(view_camera *camera, const view_document *document,
                         const view_options *options, float width, float height);

// The lens through which the document's camera path looks now.
view_lens view_path_lens(const view_document *document, const view_play *play,
                         const view_camera *camera, float width, float height);

// The lens of a picture of width * height pixels: the camera's, which goes along with the
// character, or the camera path's.
view_lens view_stage_lens(const view_stage *stage, float width, float height);

// Puts the camera where the camera path is now.
void view_take_path(view_camera *camera, const view_document *document, const view_play *play,
                    float width, float height);

#endif
