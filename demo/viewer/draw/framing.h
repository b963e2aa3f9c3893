// Where the camera stands so that a document is seen.
#ifndef DEMO_VIEWER_DRAW_FRAMING_H
#define DEMO_VIEWER_DRAW_FRAMING_H

#include "demo/viewer/draw/camera.h"
#include "demo/viewer/draw/stage.h"

// A camera that was placed so that a document is seen; it follows when what is shown changes, until
// a person moves it.
typedef struct view_framing {
    view_camera camera;
    float size;          // of the document
    float width, height; // of the region; 0: the camera was placed in another way
} view_framing;

// The camera that the options ask for; view_frame_document() then sets target and distance.
view_camera view_chosen_camera(const view_options *options);

// Moves target and distance so that all of the document is seen in a region of that size.
view_framing view_frame_document(view_camera *camera, const view_document *document,
                                 view_rect region);

// Whether the camera is still where the framing has placed it.
bool view_is_framed(const view_framing *framing, const view_camera *camera);

// Whether that shows the document as it is now, neither cut off nor too small to see.
bool view_holds_document(const view_framing *framing, const view_camera *camera,
                         const view_document *document, view_rect region);

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
