// In a window the picture follows the user's camera and lists smoothly. Without one no time passes
// between two pictures, so that they are where they were set.
#include "demo/viewer/jobs/view.h"

#include "md5/md5curve.h"

#include <math.h>

// Of what remains, 1/s: half of the way takes 35 ms, 99 % of it 0.23 s.
static const float rate = 20.0f;

void view_snap(view_state *viewer)
{
    viewer->seen = viewer->camera;
    viewer->ui.shown_scroll = viewer->ui.hierarchy_scroll;
}

bool view_follow(view_state *viewer, double seconds)
{
    const float share = md5_follow_share(rate, (float)seconds);
    viewer->is_smooth = true;
    const bool moves = view_follow_camera(&viewer->seen, &viewer->camera, share);
    return view_follow_lists(&viewer->ui, viewer->font.line[VIEW_TEXT], share) || moves;
}
