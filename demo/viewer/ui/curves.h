// The bottom dock of a clip: the values of the selected joint in all frames as curves and as a
// table, or the distances of the joints of two compared models.
#ifndef DEMO_VIEWER_UI_CURVES_H
#define DEMO_VIEWER_UI_CURVES_H

#include "demo/viewer/ui/inspector.h"

typedef struct view_curves {
    view_joint_values *values; // [num_frames of `anim`] of the joint, relative to its parent
    const md5_anim *anim;      // NULL: none
    uint32_t joint;
    md5_root root;
    uint32_t kind;           // displayed kind of values
    uint32_t compared_frame; // displayed frame of the distances
    uint32_t revealed;       // row that the table was scrolled to
} view_curves;

// Content of the bottom dock for a clip (curves.c).
void view_curves_panel(view_ui *ui, view_curves *curves, view_rect area);

#endif
