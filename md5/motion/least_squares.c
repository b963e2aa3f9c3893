// With the Jacobian J of all errors e by all angles, one iteration turns the joints by
//   J^T (J J^T + lambda^2 I)^-1 e
// (Wampler 1986; Nakamura, Hanafusa 1986), where each goal has three rows, or six with a rotation.
// An angle at the end of its range is excluded if the errors would push it beyond. Joints that
// leave a limit nevertheless are moved back into it. An iteration that does not reduce the weighted
// sum of squares is undone and lambda grows; otherwise it shrinks (Levenberg 1944, Marquardt 1963).
#include "md5/motion/least_squares.h"

enum { MOST_ROWS = 6 * MD5_MAX_GOALS, MOST_ANGLES = 3 * MD5_MAX_GOAL_JOINTS };

// lambda^2, as a share of the mean of the diagonal of J J^T.
#define DAMPING_FIRST 1e-2
#define DAMPING_LEAST 1e-6
#define DAMPING_MOST 1e6
#define DAMPING_LESS 0.2
#define DAMPING_MORE 6.0

// No joint turns by more than this in one iteration, in radians.
#define MOST_TURN 0.5

// An axis about which a joint may turn.
typedef struct free_angle {
    uint32_t joint;
    md5_vec3d axis; // model space
} free_angle;

typedef struct solving {
    md5_rig *rig;
    md5_rig_goal *goals;
    uint32_t num_goals, num_rows, num_angles;
    uint32_t first_row[MD5_MAX_GOALS];
    uint32_t below[MD5_MAX_GOAL_JOINTS]; // bit of each goal whose tip is this joint or descends
    double errors[MOST_ROWS];            // weighted
    free_angle angles[MOST_ANGLES];
    double matrix[MOST_ROWS][MOST_ROWS]; // lower triangle
} solving;

static void put(md5_vec3d v, double scale, double *rows)
{
    rows[0] = v.x * scale;
    rows[1] = v.y * scale;
    rows[2] = v.z * scale;
}

// Twice the vector of the turn to the wanted rotation: its length is twice the sine of half of the
// angle, which is the angle where it is small.
static md5_vec3d rotation_left(const md5_rig_goal *goal, md5_quatd rotation)
{
    const md5_quatd turn = md5_quatd_mul(goal->rotation, md5_quatd_conjugate(rotation));
    const double scale = turn.w < 0.0 ? -2.0 : 2.0;
    return (md5_vec3d){turn.x * scale, turn.y * scale, turn.z * scale};
}

// Returns the weighted sum of squares. Sets whether all goals are within `tolerance`.
static double measure(solving *of, double tolerance, bool *is_reached)
{
    double sum = 0.0;
    *is_reached = true;
    for (uint32_t i = 0; i < of->num_goals; i++) {
        md5_rig_goal *const goal = &of->goals[i];
        const md5_rig_joint *const tip = &of->rig->joints[goal->tip];
        double *const rows = &of->errors[of->first_row[i]];
        const md5_vec3d off = md5_vec3d_sub(goal->target, tip->place);
        goal->left = md5_vec3d_length(off);
        put(off, goal->weight, rows);
        *is_reached = *is_reached && goal->left <= tolerance;
        if (!goal->has_rotation)
            continue;
        const md5_vec3d turn = rotation_left(goal, tip->rotation);
        put(turn, goal->weight * goal->lever, rows + 3);
        *is_reached = *is_reached && md5_vec3d_length(turn) * goal->lever <= tolerance;
    }
    for (uint32_t i = 0; i < of->num_rows; i++)
        sum += of->errors[i] * of->errors[i];
    return sum;
}

// -- Jacobian -------------------------------------------------------------------------------------

// The derivative of all errors by an angle: one column of J.
static void fill_column(const solving *of, const free_angle *angle, double *column)
{
    const md5_vec3d pivot = of->rig->joints[angle->joint].place;
    for (uint32_t i = 0; i < of->num_goals; i++) {
        const md5_rig_goal *const goal = &of->goals[i];
        const double weight = of->below[angle->joint] >> i & 1u ? goal->weight : 0.0;
        const md5_vec3d arm = md5_vec3d_sub(of->rig->joints[goal->tip].place, pivot);
        double *const rows = &column[of->first_row[i]];
        put(md5_vec3d_cross(angle->axis, arm), weight, rows);
        if (goal->has_rotation)
            put(angle->axis, weight * goal->lever, rows + 3);
    }
}

static double product(const double *a, const double *b, uint32_t count)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

// Adds an angle unless it is at an end of its range and would be pushed beyond.
static void add_angle(solving *of, uint32_t joint, const md5_limit_axis *axis)
{
    free_angle *const angle = &of->angles[of->num_angles];
    double column[MOST_ROWS] = {0.0};
    *angle = (free_angle){joint, md5_quatd_rotate(md5i_rig_above(of->rig, joint), axis->axis)};
    fill_column(of, angle, column);
    const double push = product(column, of->errors, of->num_rows);
    if ((axis->is_most && push > 0.0) || (axis->is_least && push < 0.0))
        return;
    of->num_angles++;
    for (uint32_t i = 0; i < of->num_rows; i++)
        for (uint32_t k = 0; k <= i; k++)
            of->matrix[i][k] += column[i] * column[k];
}

static void make_matrix(solving *of)
{
    of->num_angles = 0;
    for (uint32_t i = 0; i < of->num_rows; i++)
        for (uint32_t k = 0; k <= i; k++)
            of->matrix[i][k] = 0.0;
    for (uint32_t joint = 0; joint < of->rig->count; joint++) {
        const md5_rig_joint *const at = &of->rig->joints[joint];
        md5_limit_axis axes[3];
        if (at->is_held || of->below[joint] == 0)
            continue;
        const uint32_t count = md5i_limit_axes(&at->limit, at->local, axes);
        for (uint32_t i = 0; i < count; i++)
            add_angle(of, joint, &axes[i]);
    }
}

// -- Step -----------------------------------------------------------------------------------------

// Cholesky's decomposition in place, then both triangles. The matrix is positive definite, since
// `damping` is above 0 unless nothing can move. Returns false then.
static bool solve(solving *of, double damping, double *result)
{
    const uint32_t count = of->num_rows;
    double trace = 0.0;
    for (uint32_t i = 0; i < count; i++)
        trace += of->matrix[i][i];
    const double added = damping * trace / (double)count;
    for (uint32_t i = 0; i < count; i++) {
        double *const row = of->matrix[i];
        for (uint32_t k = 0; k < i; k++)
            row[k] = (row[k] - product(row, of->matrix[k], k)) / of->matrix[k][k];
        const double square = row[i] + added - product(row, row, i);
        if (!(square > 0.0))
            return false;
        row[i] = sqrt(square);
    }
    for (uint32_t i = 0; i < count; i++)
        result[i] = (of->errors[i] - product(of->matrix[i], result, i)) / of->matrix[i][i];
    for (uint32_t i = count; i-- > 0;) {
        for (uint32_t k = i + 1; k < count; k++)
            result[i] -= of->matrix[k][i] * result[k];
        result[i] /= of->matrix[i][i];
    }
    return true;
}

// Turns the joints by J^T `solved`.
static void turn_joints(solving *of, const double *solved)
{
    md5_vec3d turns[MD5_MAX_GOAL_JOINTS] = {{0.0, 0.0, 0.0}};
    double column[MOST_ROWS] = {0.0}, most = 0.0;
    for (uint32_t i = 0; i < of->num_angles; i++) {
        const free_angle *const angle = &of->angles[i];
        fill_column(of, angle, column);
        md5_vec3d *const turn = &turns[angle->joint];
        const double by = product(column, solved, of->num_rows);
        *turn = md5_vec3d_add(*turn, md5_vec3d_scale(angle->axis, by));
    }
    for (uint32_t i = 0; i < of->rig->count; i++) {
        const double size = md5_vec3d_length(turns[i]);
        most = size > most ? size : most;
    }
    // The half angle's tangent is taken for half of the angle.
    const double half = most > MOST_TURN ? 0.5 * MOST_TURN / most : 0.5;
    for (uint32_t i = 0; i < of->rig->count; i++) {
        const md5_vec3d turn = md5_vec3d_scale(turns[i], half);
        if (md5_vec3d_dot(turn, turn) > 0.0)
            of->rig->joints[i].local = md5i_rig_turned(
                of->rig, i, md5i_quatd_unit((md5_quatd){turn.x, turn.y, turn.z, 1.0}));
    }
    md5i_place_rig(of->rig, 0);
}

// -- Iterations -----------------------------------------------------------------------------------

static void begin(solving *of)
{
    of->num_rows = 0;
    for (uint32_t i = 0; i < of->rig->count; i++)
        of->below[i] = 0;
    for (uint32_t i = 0; i < of->num_goals; i++) {
        of->first_row[i] = of->num_rows;
        of->num_rows += of->goals[i].has_rotation ? 6 : 3;
        for (int32_t at = (int32_t)of->goals[i].tip; at >= 0; at = of->rig->joints[at].parent)
            of->below[at] |= 1u << i;
    }
}

static void iterate(solving *of, double tolerance, uint32_t iterations)
{
    md5_quatd kept[MD5_MAX_GOAL_JOINTS];
    double solved[MOST_ROWS], damping = DAMPING_FIRST;
    bool is_reached;
    double sum = measure(of, tolerance, &is_reached);
    for (uint32_t i = 0; i < iterations && !is_reached && damping < DAMPING_MOST; i++) {
        make_matrix(of);
        if (!solve(of, damping, solved))
            return;
        md5i_keep_rig(of->rig, kept);
        turn_joints(of, solved);
        const double now = measure(of, tolerance, &is_reached);
        if (now < sum) {
            sum = now;
            damping =
                damping * DAMPING_LESS > DAMPING_LEAST ? damping * DAMPING_LESS : DAMPING_LEAST;
            continue;
        }
        damping *= DAMPING_MORE;
        md5i_restore_rig(kept, of->rig);
        measure(of, tolerance, &is_reached);
    }
}

void md5i_solve_goals(md5_axes axes, md5_rig *rig, md5_rig_goal *goals, uint32_t num_goals,
                      double tolerance, uint32_t iterations)
{
    solving of;
    md5_quatd before[MD5_MAX_GOAL_JOINTS];
    bool is_reached;
    of.rig = rig;
    of.goals = goals;
    of.num_goals = num_goals;
    begin(&of);
    const double begun = measure(&of, tolerance, &is_reached);
    md5i_keep_rig(rig, before);
    for (uint32_t i = 0; iterations > 0 && !is_reached && i < num_goals; i++)
        md5i_bend_straight(axes, rig, goals[i].tip, goals[i].target, tolerance);
    iterate(&of, tolerance, iterations);
    if (!(measure(&of, tolerance, &is_reached) > begun))
        return;
    md5i_restore_rig(before, rig);
    measure(&of, tolerance, &is_reached);
}

double md5i_dls_limited(md5_axes axes, md5_rig *rig, md5_vec3d target, double tolerance,
                        uint32_t iterations)
{
    md5_rig_goal goal = {.tip = rig->count - 1, .target = target, .weight = 1.0, .lever = 1.0};
    md5i_solve_goals(axes, rig, &goal, 1, tolerance, iterations);
    return goal.left;
}
