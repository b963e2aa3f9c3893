// The right dock: properties of the selected item, lights, materials, the parameters of a machine
// and the channels of an entity.
#ifndef DEMO_VIEWER_UI_INSPECTOR_H
#define DEMO_VIEWER_UI_INSPECTOR_H

#include "demo/viewer/ui/retarget.h"
#include "demo/viewer/ui/settings.h"
#include "demo/viewer/ui/textures.h"

// The values of a joint: its position, its rotation as angles, and its rotation as a quaternion.
enum { VIEW_VALUE_POSITION, VIEW_VALUE_DEGREES, VIEW_VALUE_QUATERNION, VIEW_NUM_VALUE_KINDS };
typedef float view_joint_values[VIEW_NUM_VALUE_KINDS][4];

// Runs the inspector. It contains the page of the selected mesh and the page of retargeting.
void view_inspector_panel(view_ui *ui, view_card *card, view_texture_panel *textures,
                          view_retarget_page *retarget, view_rect area);

// Names and decimal places of each kind of joint values, and names and colors of the axes.
extern const char *const view_value_names[VIEW_NUM_VALUE_KINDS];
extern const char *const view_axis_names[4];
extern const int view_value_places[VIEW_NUM_VALUE_KINDS];
extern const view_color view_axis_colors[4];
void view_find_values(md5_mat34 matrix, view_joint_values values);

#endif
