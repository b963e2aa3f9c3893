// The cameras of the viewer: the camera that the user sets, its smooth motion in a window, and the
// framing, which shows the whole document in the free region of the image.
#ifndef DEMO_VIEWER_JOBS_FRAMING_H
#define DEMO_VIEWER_JOBS_FRAMING_H

#include "demo/viewer/draw/draw.h"

typedef struct view_state view_state;

// A camera that was placed to show a document. It is placed again when the document changes, until
// the user moves it.
typedef struct view_framing {
    view_camera camera;
    float size;          // size of the document
    float width, height; // size of the region; 0: view_frame_document() did not place the camera
} view_framing;

typedef struct view_cameras {
    view_camera user;            // camera as set by the user
    view_camera previous;        // camera before the last jump; scene_radius 0: no jump yet
    view_camera drawn;           // camera as drawn in a window, in smooth motion to `user`
    view_rect drawn_region;      // free region as drawn, in smooth motion; width 0: not in motion
    bool is_smooth;              // the image shows `drawn`; false: `user`
    view_framing framing;        // last result of view_frame_*()
    bool follows_path;           // the view follows the camera path, which is loaded
    bool has_single;             // a crowd is shown, and `single` is stored
    view_camera single;          // camera before the crowd was shown
    view_framing single_framing; // framing before the crowd was shown
} view_cameras;

// Sets the camera as the options specify, or so that it shows the clip.
void view_place_camera(view_state *viewer);

// Frames the whole document from the same direction, in the free region of an image of this size.
// All members of a crowd are visible.
void view_frame_document(view_state *viewer, uint32_t width, uint32_t height);

// Frames the document again if the free region has changed, or if the document would be cut off or
// too small. Does nothing if the user has set the camera's target or distance since.
void view_update_framing(view_state *viewer, uint32_t width, uint32_t height);

// Frames the current pose instead of the whole clip, unless the options set the target.
void view_frame_pose(view_state *viewer);

// Ends the smooth motion of the camera and of scroll positions at their targets. Call it for a new
// document, and before an image is saved.
void view_snap(view_state *viewer);

// Shows another clip from its beginning.
void view_change_clip(view_state *viewer, size_t clip);

// Returns true if the image is higher than wide, as on a phone.
bool view_is_upright(const view_state *viewer);

// Measures the clip again after a change of the root mode, of the clip, or of view_is_upright(): in
// an upright window, a machine is measured only in its current pose.
void view_measure(view_state *viewer);

#endif
