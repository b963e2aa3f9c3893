// The cameras of the viewer. The user sets one camera; in a window the drawn camera follows it
// smoothly. Framing places a camera so that the whole document is visible in the free region of the
// image, which no panel covers.
#ifndef DEMO_VIEWER_JOBS_FRAMING_H
#define DEMO_VIEWER_JOBS_FRAMING_H

#include "demo/viewer/draw/draw.h"

typedef struct view_state view_state;

// A camera that was placed to show a document. Until the user moves it, it is placed again whenever
// the document changes.
typedef struct view_framing {
    view_camera camera;
    float size;          // size of the document
    float width, height; // size of the region; 0: view_frame_document() did not place the camera
} view_framing;

typedef struct view_cameras {
    view_camera user;            // camera as set by the user
    view_camera previous;        // camera before the last camera command; scene_radius 0: none
    view_camera drawn;           // camera as drawn in a window, in smooth motion to `user`
    view_rect drawn_region;      // free region as drawn, in smooth motion; width 0: not in motion
    bool is_smooth;              // the image shows `drawn`; false: `user`
    view_framing framing;        // last result of view_frame_*()
    bool follows_path;           // the view follows the camera path, which is loaded
    bool has_single;             // a crowd is shown, and `single` is stored
    view_camera single;          // camera before the crowd was shown
    view_framing single_framing; // framing before the crowd was shown
} view_cameras;

// Sets the camera as the options specify. Values that no option sets are chosen so that the camera
// shows the whole clip.
void view_reset_camera(view_state *viewer);

// Moves the camera so that the whole document, with all members of a crowd, is in the free region
// of an image of this size. The direction of the camera remains.
void view_frame_document(view_state *viewer, uint32_t width, uint32_t height);

// Frames the document again if the free region has changed, or if the document would be cut off or
// too small. Does nothing if the user has moved the target or the distance of the camera since the
// last framing.
void view_update_framing(view_state *viewer, uint32_t width, uint32_t height);

// Frames the current pose instead of the whole clip, unless the options set the target of the
// camera.
void view_frame_pose(view_state *viewer);

// Moves the camera and scroll positions to the ends of their smooth motions. Call it for a new
// document, and before an image is saved.
void view_snap(view_state *viewer);

// Shows another clip from its beginning.
void view_change_clip(view_state *viewer, size_t clip);

// Returns true if the image is higher than wide, as on a phone.
bool view_is_upright(const view_state *viewer);

// Measures the bounds of the clip again. Call it after a change of the root mode, of the clip, or
// of view_is_upright(). In an upright window, a machine is measured only in its current pose.
void view_measure(view_state *viewer);

#endif
