// The page of the inspector while the motion of the open model is retargeted to another model, the
// target. It lists the joint that moves each joint of the target, and saves the result. It replaces
// the other pages.
#ifndef DEMO_VIEWER_UI_RETARGET_H
#define DEMO_VIEWER_UI_RETARGET_H

#include "demo/viewer/ui/card.h"

// The state of the page of retargeting.
typedef struct view_retarget_page {
    bool is_closed;
    bool is_short;               // omit joints that were mapped by their names
    uint32_t picked;             // 1 + joint of the target that is being mapped; 0: none
    char saved[512];             // path of the last saved file, or ""
    view_retargeting *displayed; // retargeting that the page displays
} view_retarget_page;

#define VIEW_RETARGET_WIDTH 38.0f // minimum width of the inspector, em

// Parameters of the command VIEW_SAVE_RETARGETED, which select the files to save: the shown clip,
// all clips, or the map of joints.
enum { VIEW_SAVE_CLIP, VIEW_SAVE_CLIPS, VIEW_SAVE_MAP };

// Draws the rows of the page in the column of the inspector and handles their input.
void view_retarget_rows(view_ui *ui, view_retarget_page *page, view_card *card);

// Returns true if a model is retargeted and the page is open.
bool view_shows_retarget(const view_retarget_page *page, const view_stage *stage);

// Opens the retargeting page in front of the other pages.
void view_show_retarget(view_ui *ui, view_retarget_page *page);

// Picks a joint of the target on the page, and opens the page. The user then selects the joint of
// the open model that moves it. Does nothing if the joint does not exist.
void view_pick_target_joint(view_ui *ui, view_retarget_page *page, const view_stage *stage,
                            size_t joint);

// Lets the selected joint of the open model move the joint of the target that was picked on the
// page. Does nothing unless both joints exist.
void view_map_picked_joint(view_ui *ui, view_retarget_page *page, const view_stage *stage);

#endif
