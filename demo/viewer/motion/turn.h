// Quarter turns that stand up a model that lies on its back, because its file has another axis up.
// They turn the pose, so that bounds, lines, shadows and clicks follow.
#ifndef DEMO_VIEWER_MOTION_TURN_H
#define DEMO_VIEWER_MOTION_TURN_H

#include "md5/md5model.h"

#include <stdbool.h>
#include <stddef.h>

// A rotation from the file's axes to those of the viewer, made of -1, 0 and 1 only, so that it is
// exact. Zeroed: no turn.
typedef struct view_turn {
    bool is_set;
    md5_mat34 matrix; // if is_set
} view_turn;

// The turn that shows the file's y axis upward: y to z, z to -y.
view_turn view_turn_y_up(void);

// The turn, followed by a quarter turn about the viewer's axis 0 to 2, counterclockwise seen from
// its end. Without effect (not set) after four of them.
view_turn view_turn_further(view_turn turn, int axis);

// Turns matrices[count], in place.
void view_turn_matrices(const view_turn *turn, md5_mat34 *matrices, uint32_t count);

// A point or a direction; the bounds of turned bounds.
md5_vec3 view_turn_vector(const view_turn *turn, md5_vec3 v);
md5_bounds view_turn_bounds(const view_turn *turn, md5_bounds bounds);

// The file's axes that point up and to the front in the viewer, such as "+y" and "-z"; and both as
// "up +y, front -z".
void view_name_axes(const view_turn *turn, char up[3], char front[3]);
void view_describe_turn(const view_turn *turn, char *text, size_t size);

#endif
