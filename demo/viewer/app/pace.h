// The clock of a window: by how much clip and camera advance from frame to frame. A frame may take
// any time; the next one makes up for it, so that a clip never plays in slow motion. Only time in
// which nothing was to move is left out: waiting for events while the picture stands, and opening
// files.
#ifndef DEMO_VIEWER_APP_PACE_H
#define DEMO_VIEWER_APP_PACE_H

#include <stdbool.h>

// All times are in seconds.
typedef struct view_pace {
    double last; // when the last frame began, by the caller's clock
    double held; // since then, time that is left out
} view_pace;

// A frame begins at `now`: returns the time since the last one, without what was left out; 0 for a
// clock that went backward. After more than 10 s the program was suspended: that counts as 10 s.
double view_pace_frame(view_pace *pace, double now);

// Between two frames, events were handled or files read for `seconds`. `moving`: the picture moved
// by itself meanwhile; then only long work, such as opening a file, is left out.
void view_pace_work(view_pace *pace, double seconds, bool moving);

#endif
