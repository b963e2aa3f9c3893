// The bottom dock of a clip. It displays the values of the selected joint in all frames as curves
// and as a table. For two compared models, it can also display the distances between their joints.
#ifndef DEMO_VIEWER_UI_CURVES_H
#define DEMO_VIEWER_UI_CURVES_H

#include "demo/viewer/ui/inspector.h"

// The state of the bottom dock for a clip, with the cached values of the curves.
typedef struct view_curves {
    // Cache of the joint's values, relative to its parent, in each frame of `anim`.
    view_joint_values *values;
    const md5_anim *anim; // NULL: no cached values
    uint32_t joint;
    md5_root root;

    uint32_t kind;           // displayed kind of values, such as VIEW_VALUE_POSITION
    uint32_t compared_frame; // frame whose distances the table of the comparison lists
    uint32_t revealed;       // row that the table was scrolled to
} view_curves;

// Draws the content of the bottom dock for a clip: curves of the selected joint, or distances
// between the joints of two models. Also handles its input.
void view_curves_panel(view_ui *ui, view_curves *curves, view_rect area);

#endif
