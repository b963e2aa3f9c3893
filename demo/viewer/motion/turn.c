#include "demo/viewer/motion/turn.h"

#include "md5/md5skin.h"

#include <stdio.h>

static const md5_mat34 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};

static bool is_identity(const md5_mat34 *m)
{
    return m->m[0] > 0.5f && m->m[5] > 0.5f && m->m[10] > 0.5f;
}

view_turn view_turn_y_up(void)
{
    return view_turn_further((view_turn){.is_set = false}, 0);
}

view_turn view_turn_further(view_turn turn, int axis)
{
    // The axis after the given one goes to the one before it, which goes to the opposite of the
    // first.
    const size_t next = (size_t)(axis + 1) % 3, last = (size_t)(axis + 2) % 3;
    md5_mat34 quarter = {{0}};
    quarter.m[5 * (size_t)axis] = 1.0f;
    quarter.m[4 * last + next] = 1.0f;
    quarter.m[4 * next + last] = -1.0f;
    turn.matrix = turn.is_set ? md5_mat34_mul(quarter, turn.matrix) : quarter;
    turn.is_set = !is_identity(&turn.matrix);
    return turn;
}

void view_turn_matrices(const view_turn *turn, md5_mat34 *matrices, uint32_t count)
{
    for (uint32_t i = 0; turn->is_set && i < count; i++)
        matrices[i] = md5_mat34_mul(turn->matrix, matrices[i]);
}

md5_vec3 view_turn_vector(const view_turn *turn, md5_vec3 v)
{
    return turn->is_set ? md5_mat34_direction(turn->matrix, v) : v;
}

md5_bounds view_turn_bounds(const view_turn *turn, md5_bounds bounds)
{
    return turn->is_set ? md5_bounds_transform(bounds, turn->matrix) : bounds;
}

// "+y": the axis of the file that the row points along.
static void name_axis(const float row[4], char name[3])
{
    name[0] = '\0';
    for (int axis = 0; axis < 3; axis++)
        if (row[axis] > 0.5f || row[axis] < -0.5f) {
            name[0] = row[axis] > 0.0f ? '+' : '-';
            name[1] = "xyz"[axis];
            name[2] = '\0';
        }
}

void view_name_axes(const view_turn *turn, char up[3], char front[3])
{
    const md5_mat34 matrix = turn->is_set ? turn->matrix : identity;
    name_axis(matrix.m + 8, up);
    name_axis(matrix.m, front);
}

void view_describe_turn(const view_turn *turn, char *text, size_t size)
{
    char up[3], front[3];
    view_name_axes(turn, up, front);
    (void)snprintf(text, size, "up %s, front %s", up, front);
}
