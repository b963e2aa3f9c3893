// The state of the mouse, of touches and of the keyboard in a window.
#ifndef DEMO_VIEWER_JOBS_INPUT_H
#define DEMO_VIEWER_JOBS_INPUT_H

#include "demo/viewer/draw/draw.h"

typedef struct view_state view_state;

// The object that the mouse drags, outside of the interface.
typedef enum view_camera_drag {
    VIEW_DRAG_NONE,
    VIEW_DRAG_ORBIT,
    VIEW_DRAG_PAN,
    VIEW_DRAG_ZOOM,
    VIEW_DRAG_STICK, // the control stick that moves the model
    // A panel, by touch: drag or scroll is decided when the finger moves or is lifted.
    VIEW_DRAG_FINGER,
    VIEW_DRAG_SCROLL, // the scroll position of a panel
    VIEW_DRAG_LIMB,   // the grasped body of a fallen character
} view_camera_drag;

typedef struct view_input_state {
    bool has_released_control; // keys no longer control the character
    bool is_only_alt_down;     // the Alt key is down, and no other key was pressed since
    bool ignores_text;         // the key that is down was a command, so its text is ignored
    view_camera_drag drag;
    view_stick stick;      // control stick while it is dragged
    bool is_touched;       // the last press was a touch
    bool is_double;        // the last press was the second of a double click
    bool is_alt;           // Alt was held at the last press
    float scroll_distance; // distance of the last touch move, pixels, and its time
    double scroll_time;
    float press_x, press_y; // position of the mouse press, pixels
    float press_travel;     // distance of the mouse since the press, pixels
    bool quits;             // the user closes the window
} view_input_state;

#endif
