// Places the camera so that a document is visible.
#ifndef DEMO_VIEWER_DRAW_FRAMING_H
#define DEMO_VIEWER_DRAW_FRAMING_H

#include "demo/viewer/draw/camera.h"
#include "demo/viewer/draw/stage.h"

// A camera placed to show a document. It is placed again when the document changes, until the user
// moves it.
typedef struct view_framing {
    view_camera camera;
    float size;          // of the document
    float width, height; // of the region; 0: the camera was not placed by view_frame_document()
} view_framing;

// The camera of the options; view_frame_document() then sets target and distance.
view_camera view_chosen_camera(const view_options *options);

// Moves target and distance so that the whole document is visible in a region of that size. A crowd
// is viewed from just in front of it.
view_framing view_frame_document(view_camera *camera, const view_document *document,
                                 view_rect region);

// Whether the camera is still where the framing placed it.
bool view_is_framed(const view_framing *framing, const view_camera *camera);

// Whether the framing still fits the document: it is neither cut off nor too small.
bool view_holds_document(const view_framing *framing, const view_camera *camera,
                         const view_document *document, view_rect region);

// The lens of the document's camera path at the time of `play`.
view_lens view_path_lens(const view_document *document, const view_play *play,
                         const view_camera *camera, float width, float height);

// The lens for a picture of width * height pixels: that of the camera, which follows the character,
// or of the camera path.
view_lens view_stage_lens(const view_stage *stage, float width, float height);

// Moves the camera to the current position of the camera path.
void view_take_path(view_camera *camera, const view_document *document, const view_play *play,
                    float width, float height);

#endif
