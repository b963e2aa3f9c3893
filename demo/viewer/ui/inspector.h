// The inspector in the right dock: properties of the selected object, lights, materials, the
// parameters of a state machine and the channels of an entity.
#ifndef DEMO_VIEWER_UI_INSPECTOR_H
#define DEMO_VIEWER_UI_INSPECTOR_H

#include "demo/viewer/ui/retarget.h"
#include "demo/viewer/ui/card.h"
#include "demo/viewer/ui/textures.h"

// The values of a joint, in three kinds: the position, the rotation as angles, and the rotation as
// a quaternion. A quaternion has 4 numbers and the other kinds have 3, one per axis.
enum { VIEW_VALUE_POSITION, VIEW_VALUE_DEGREES, VIEW_VALUE_QUATERNION, VIEW_NUM_VALUE_KINDS };
typedef float view_joint_values[VIEW_NUM_VALUE_KINDS][4];

// Draws the inspector in `area` and handles its input. `textures` is the page of the selected
// mesh, and `retarget` is the page of retargeting.
void view_inspector_panel(view_ui *ui, view_card *card, view_texture_panel *textures,
                          view_retarget_page *retarget, view_rect area);

// The name and the number of decimal places of each kind of values.
extern const char *const view_value_names[VIEW_NUM_VALUE_KINDS];
extern const int view_value_decimals[VIEW_NUM_VALUE_KINDS];

// The names and colors of the axes x, y, z and w.
enum { VIEW_NUM_AXES = 4 };
extern const char *const view_axis_names[VIEW_NUM_AXES];
extern const view_color view_axis_colors[VIEW_NUM_AXES];

// Returns the number of axes of a kind of values: 4 for quaternions, otherwise 3.
uint32_t view_count_axes(uint32_t kind);

// Computes the position, angles and quaternion of a joint from its transform. The angles are in
// degrees. They are rotations about the fixed axes x, y and z, in this order.
void view_find_values(md5_mat34 matrix, view_joint_values values);

#endif
