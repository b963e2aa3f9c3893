// Damped least squares: turns all joints of a rig together, so that several tips come nearer to
// their targets.
#include "md5/core/assert.h"
#include "md5/motion/rig.h"

// A tip and its target.
typedef struct rig_goal {
    uint32_t tip; // of the rig
    md5_vec3d target;
    bool has_rotation;
    md5_quatd rotation;
    double weight; // > 0
    double lever;  // distance error, in units, equivalent to a rotation error of 1 radian
    double left;   // written: distance of the tip from the target
} rig_goal;

// == A rig =======================================================================================
//
// With the Jacobian J of all errors e by all angles, one iteration turns the joints by
//   J^T (J J^T + lambda^2 I)^-1 e
// (Wampler 1986; Nakamura, Hanafusa 1986), where each goal has three rows, or six with a rotation.
// An angle at the end of its range is excluded if the errors would push it beyond. Joints that
// leave a limit nevertheless are moved back into it. An iteration that does not reduce the weighted
// sum of squares is undone and lambda grows; otherwise it shrinks (Levenberg 1944, Marquardt 1963).

enum { MAX_ROWS = 6 * MD5_MAX_GOALS, MAX_ANGLES = 3 * MD5_MAX_GOAL_JOINTS };

// lambda^2, as a share of the mean of the diagonal of J J^T.
#define DAMPING_FIRST 1e-2
#define DAMPING_MIN 1e-6
#define DAMPING_MAX 1e6
#define DAMPING_LESS 0.2
#define DAMPING_MORE 6.0

// No joint turns by more than this in one iteration, in radians.
#define MAX_TURN 0.5

// An axis about which a joint may turn.
typedef struct free_angle {
    uint32_t joint;
    md5_vec3d axis; // model space
} free_angle;

typedef struct solving {
    md5_rig *rig;
    rig_goal *goals;
    uint32_t num_goals, num_rows, num_angles;
    uint32_t first_row[MD5_MAX_GOALS];
    uint32_t below[MD5_MAX_GOAL_JOINTS]; // bit of each goal whose tip is this joint or descends
    double errors[MAX_ROWS];             // weighted
    free_angle angles[MAX_ANGLES];
    double matrix[MAX_ROWS][MAX_ROWS]; // lower triangle
} solving;

static void put(md5_vec3d v, double scale, double *rows)
{
    rows[0] = v.x * scale;
    rows[1] = v.y * scale;
    rows[2] = v.z * scale;
}

// Returns the weighted sum of squares. Sets whether all goals are within `tolerance`.
static double measure(solving *problem, double tolerance, bool *is_reached)
{
    double sum = 0.0;
    *is_reached = true;
    for (uint32_t i = 0; i < problem->num_goals; i++) {
        rig_goal *const goal = &problem->goals[i];
        const md5_rig_joint *const tip = &problem->rig->joints[goal->tip];
        double *const rows = &problem->errors[problem->first_row[i]];
        const md5_vec3d off = md5_vec3d_sub(goal->target, tip->place);
        goal->left = md5_vec3d_length(off);
        put(off, goal->weight, rows);
        *is_reached = *is_reached && goal->left <= tolerance;
        if (!goal->has_rotation)
            continue;
        // Twice the vector of the turn to the goal's rotation: its length is twice the sine of half
        // of the angle, which is the angle where it is small.
        const md5_quatd to = md5_quatd_mul(goal->rotation, md5_quatd_conjugate(tip->rotation));
        const double scale = to.w < 0.0 ? -2.0 : 2.0;
        const md5_vec3d turn = {to.x * scale, to.y * scale, to.z * scale};
        put(turn, goal->weight * goal->lever, rows + 3);
        *is_reached = *is_reached && md5_vec3d_length(turn) * goal->lever <= tolerance;
    }
    for (uint32_t i = 0; i < problem->num_rows; i++)
        sum += problem->errors[i] * problem->errors[i];
    return sum;
}

// -- Jacobian -------------------------------------------------------------------------------------

// The derivative of all errors by an angle: one column of J.
static void fill_column(const solving *problem, const free_angle *angle, double *column)
{
    const md5_vec3d pivot = problem->rig->joints[angle->joint].place;
    for (uint32_t i = 0; i < problem->num_goals; i++) {
        const rig_goal *const goal = &problem->goals[i];
        const double weight = problem->below[angle->joint] >> i & 1u ? goal->weight : 0.0;
        const md5_vec3d arm = md5_vec3d_sub(problem->rig->joints[goal->tip].place, pivot);
        double *const rows = &column[problem->first_row[i]];
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
static void add_angle(solving *problem, uint32_t joint, const md5_limit_axis *axis)
{
    free_angle *const angle = &problem->angles[problem->num_angles];
    double column[MAX_ROWS] = {0.0};
    *angle = (free_angle){joint, md5_quatd_rotate(md5i_rig_above(problem->rig, joint), axis->axis)};
    fill_column(problem, angle, column);
    const double push = product(column, problem->errors, problem->num_rows);
    if ((axis->is_most && push > 0.0) || (axis->is_least && push < 0.0))
        return;
    problem->num_angles++;
    for (uint32_t i = 0; i < problem->num_rows; i++)
        for (uint32_t k = 0; k <= i; k++)
            problem->matrix[i][k] += column[i] * column[k];
}

// -- Step -----------------------------------------------------------------------------------------

// Cholesky's decomposition in place, then both triangles. The matrix is positive definite, since
// `damping` is above 0 unless nothing can move. Returns false then.
static bool solve(solving *problem, double damping, double *result)
{
    const uint32_t count = problem->num_rows;
    double trace = 0.0;
    for (uint32_t i = 0; i < count; i++)
        trace += problem->matrix[i][i];
    const double added = damping * trace / (double)count;
    for (uint32_t i = 0; i < count; i++) {
        double *const row = problem->matrix[i];
        for (uint32_t k = 0; k < i; k++)
            row[k] = (row[k] - product(row, problem->matrix[k], k)) / problem->matrix[k][k];
        const double square = row[i] + added - product(row, row, i);
        if (!(square > 0.0))
            return false;
        row[i] = sqrt(square);
    }
    for (uint32_t i = 0; i < count; i++)
        result[i] =
            (problem->errors[i] - product(problem->matrix[i], result, i)) / problem->matrix[i][i];
    for (uint32_t i = count; i-- > 0;) {
        for (uint32_t k = i + 1; k < count; k++)
            result[i] -= problem->matrix[k][i] * result[k];
        result[i] /= problem->matrix[i][i];
    }
    return true;
}

// Turns the joints by J^T `solved`.
static void turn_joints(solving *problem, const double *solved)
{
    md5_vec3d turns[MD5_MAX_GOAL_JOINTS] = {{0.0, 0.0, 0.0}};
    double column[MAX_ROWS] = {0.0}, most = 0.0;
    for (uint32_t i = 0; i < problem->num_angles; i++) {
        const free_angle *const angle = &problem->angles[i];
        fill_column(problem, angle, column);
        md5_vec3d *const turn = &turns[angle->joint];
        const double by = product(column, solved, problem->num_rows);
        *turn = md5_vec3d_add(*turn, md5_vec3d_scale(angle->axis, by));
    }
    for (uint32_t i = 0; i < problem->rig->count; i++) {
        const double size = md5_vec3d_length(turns[i]);
        most = size > most ? size : most;
    }
    // The half angle's tangent is taken for half of the angle.
    const double half = most > MAX_TURN ? 0.5 * MAX_TURN / most : 0.5;
    for (uint32_t i = 0; i < problem->rig->count; i++) {
        const md5_vec3d turn = md5_vec3d_scale(turns[i], half);
        if (md5_vec3d_dot(turn, turn) > 0.0)
            problem->rig->joints[i].local = md5i_rig_turned(
                problem->rig, i, md5i_quatd_unit((md5_quatd){turn.x, turn.y, turn.z, 1.0}));
    }
    md5i_place_rig(problem->rig, 0);
}

// -- Iterations -----------------------------------------------------------------------------------

static void iterate(solving *problem, double tolerance, uint32_t iterations)
{
    md5_quatd before[MD5_MAX_GOAL_JOINTS];
    double solved[MAX_ROWS], damping = DAMPING_FIRST;
    bool is_reached;
    double sum = measure(problem, tolerance, &is_reached);
    for (uint32_t i = 0; i < iterations && !is_reached && damping < DAMPING_MAX; i++) {
        problem->num_angles = 0;
        for (uint32_t row = 0; row < problem->num_rows; row++)
            for (uint32_t k = 0; k <= row; k++)
                problem->matrix[row][k] = 0.0;
        for (uint32_t joint = 0; joint < problem->rig->count; joint++) {
            const md5_rig_joint *const at = &problem->rig->joints[joint];
            md5_limit_axis axes[3];
            if (at->is_held || problem->below[joint] == 0)
                continue;
            const uint32_t count = md5i_limit_axes(&at->limit, at->local, axes);
            for (uint32_t k = 0; k < count; k++)
                add_angle(problem, joint, &axes[k]);
        }
        if (!solve(problem, damping, solved))
            return;
        md5i_keep_rig(problem->rig, before);
        turn_joints(problem, solved);
        const double now = measure(problem, tolerance, &is_reached);
        if (now < sum) {
            sum = now;
            damping = damping * DAMPING_LESS > DAMPING_MIN ? damping * DAMPING_LESS : DAMPING_MIN;
            continue;
        }
        damping *= DAMPING_MORE;
        md5i_restore_rig(before, problem->rig);
        measure(problem, tolerance, &is_reached);
    }
}

// Turns the joints that are not held, within their limits, until each tip is within `tolerance`.
// The weighted sum of squares never ends larger than it began.
static void solve_goals(md5_axes axes, md5_rig *rig, rig_goal *goals, uint32_t num_goals,
                        double tolerance, uint32_t iterations)
{
    solving problem;
    md5_quatd before[MD5_MAX_GOAL_JOINTS];
    bool is_reached;
    problem.rig = rig;
    problem.goals = goals;
    problem.num_goals = num_goals;
    problem.num_rows = 0;
    for (uint32_t i = 0; i < rig->count; i++)
        problem.below[i] = 0;
    for (uint32_t i = 0; i < num_goals; i++) {
        problem.first_row[i] = problem.num_rows;
        problem.num_rows += goals[i].has_rotation ? 6 : 3;
        for (int32_t at = (int32_t)goals[i].tip; at >= 0; at = rig->joints[at].parent)
            problem.below[at] |= 1u << i;
    }
    const double begun = measure(&problem, tolerance, &is_reached);
    md5i_keep_rig(rig, before);
    for (uint32_t i = 0; iterations > 0 && !is_reached && i < num_goals; i++)
        md5i_bend_straight(axes, rig, goals[i].tip, goals[i].target, tolerance);
    iterate(&problem, tolerance, iterations);
    if (!(measure(&problem, tolerance, &is_reached) > begun))
        return;
    md5i_restore_rig(before, rig);
    measure(&problem, tolerance, &is_reached);
}

double md5i_dls_limited(md5_axes axes, md5_rig *rig, md5_vec3d target, double tolerance,
                        uint32_t iterations)
{
    rig_goal goal = {.tip = rig->count - 1, .target = target, .weight = 1.0, .lever = 1.0};
    solve_goals(axes, rig, &goal, 1, tolerance, iterations);
    return goal.left;
}

// == Goals =======================================================================================
//
// Solves several chains of one skeleton together.
//
// The rig contains the joints from each tip up to the highest ancestor that is in any chain. Joints
// between chains are moved by their parents, but not rotated.

// The goals that are solved, and their indices in the job.
typedef struct gathering {
    const md5_skeleton *skeleton;
    const md5_xform *pose;
    const md5_goals_job *job;
    md5_rig rig;
    rig_goal goals[MD5_MAX_GOALS];
    md5_goal *from[MD5_MAX_GOALS];
    uint32_t num_goals;
} gathering;

static bool is_asked(const md5_goal *goal)
{
    return goal->weight > 0.0f;
}

static bool is_sound(const md5_skeleton *skeleton, const md5_goal *goal)
{
    return goal->tip < skeleton->num_joints && goal->length >= 2 && goal->weight < MD5_FARTHEST
           && skeleton->joints[goal->tip].parent >= 0 && md5_is_place(goal->target)
           && (!goal->rotation || md5_is_rotation(*goal->rotation));
}

static bool is_in_a_chain(const gathering *gather, int32_t joint)
{
    for (uint32_t i = 0; i < gather->job->num_goals; i++) {
        const md5_goal *const goal = &gather->job->goals[i];
        if (!is_asked(goal) || !is_sound(gather->skeleton, goal))
            continue;
        int32_t at = (int32_t)goal->tip;
        for (uint32_t k = 0; k < goal->length && k < MD5_MAX_CHAIN && at >= 0; k++) {
            if (at == joint)
                return true;
            at = gather->skeleton->joints[at].parent;
        }
    }
    return false;
}

// -- Rig ------------------------------------------------------------------------------------------

static void add_joint(gathering *gather, uint32_t joint, int32_t parent)
{
    const md5_joint_limit *const limits = gather->job->limits;
    const md5_xform *const local = &gather->pose[joint];
    md5_rig_joint *const added = &gather->rig.joints[gather->rig.count];
    *added = (md5_rig_joint){
        .joint = joint,
        .parent = parent,
        .is_held = !is_in_a_chain(gather, (int32_t)joint),
        .local = md5i_quatd_unit(md5_quatd_of(local->rotation)),
        .offset = md5_vec3d_of(local->translation),
    };
    if (!added->is_held) {
        added->limit = md5i_limit_of(limits ? &limits[joint] : NULL);
        added->local = md5i_limit_nearest(&added->limit, added->local);
    }
    if (parent < 0) {
        const md5_float4_place above = md5i_place_above(gather->skeleton, gather->pose, joint);
        const md5_float4_place place = md5i_place_of(gather->skeleton, gather->pose, joint);
        added->above = md5i_quatd_unit(md5_quatd_of(md5_quat_of_row(above.rotation)));
        added->place = md5_vec3d_of(md5_vec3_of_row(place.place));
    }
    gather->rig.count++;
}

// Adds the joints from a tip up to the highest one that is in a chain, unless they are in the rig.
// Returns the tip's index in the rig, or -1 if they do not fit.
static int32_t add_path(gathering *gather, uint32_t tip)
{
    uint32_t path[MD5_MAX_GOAL_JOINTS], count = 0, needed = 0;
    int32_t at = (int32_t)tip, parent = -1;
    for (uint32_t depth = 0; at >= 0; at = gather->skeleton->joints[at].parent) {
        for (uint32_t i = 0; i < gather->rig.count && parent < 0; i++)
            if ((int32_t)gather->rig.joints[i].joint == at)
                parent = (int32_t)i;
        if (parent >= 0)
            break;
        if (depth < MD5_MAX_GOAL_JOINTS)
            path[depth] = (uint32_t)at;
        depth++;
        if (is_in_a_chain(gather, at))
            needed = depth;
        count = depth;
    }
    count = parent >= 0 ? count : needed;
    if (count > MD5_MAX_GOAL_JOINTS - gather->rig.count)
        return -1;
    while (count-- > 0) {
        add_joint(gather, path[count], parent);
        parent = (int32_t)gather->rig.count - 1;
    }
    return parent;
}

// -- Goals ----------------------------------------------------------------------------------------

static void add_goal(gathering *gather, md5_goal *goal)
{
    goal->distance = INFINITY;
    if (!is_asked(goal) || !is_sound(gather->skeleton, goal))
        return;
    const int32_t tip = add_path(gather, goal->tip);
    if (tip < 0)
        return;
    double length = 0.0; // of the chain
    int32_t at = (int32_t)goal->tip;
    for (uint32_t i = 1; i < goal->length && i < MD5_MAX_CHAIN; i++) {
        if (gather->skeleton->joints[at].parent < 0)
            break;
        length += md5_vec3d_length(md5_vec3d_of(gather->pose[at].translation));
        at = gather->skeleton->joints[at].parent;
    }
    gather->from[gather->num_goals] = goal;
    gather->goals[gather->num_goals++] = (rig_goal){
        .tip = (uint32_t)tip,
        .target = md5_vec3d_of(goal->target),
        .has_rotation = goal->rotation != NULL,
        .rotation = goal->rotation ? md5i_quatd_unit(md5_quatd_of(*goal->rotation))
                                   : (md5_quatd){0.0, 0.0, 0.0, 1.0},
        .weight = (double)goal->weight,
        .lever = length,
    };
}

float md5_solve_goals(const md5_skeleton *skeleton, const md5_goals_job *job, md5_xform *pose)
{
    MD5_ASSERT_JOB(skeleton, job, pose);
    MD5_ASSERT(job->goals != NULL || job->num_goals == 0, "goals: not NULL");
    MD5_ASSERT(job->num_goals <= MD5_MAX_GOALS, "num_goals: at most MD5_MAX_GOALS");
    MD5_VALIDATE(md5i_are_limits(job->limits, NULL, skeleton->num_joints), MD5_LIMIT_RULE);
    gathering gather; // without its arrays
    gather.skeleton = skeleton;
    gather.pose = pose;
    gather.job = job;
    gather.rig.count = gather.num_goals = 0;
    for (uint32_t i = 0; i < job->num_goals; i++)
        add_goal(&gather, &job->goals[i]);
    md5i_place_rig(&gather.rig, 0);
    bool is_finite = true;
    for (uint32_t i = 0; i < gather.rig.count; i++)
        is_finite = is_finite && md5_is_place(md5_vec3d_round(gather.rig.joints[i].place));
    if (gather.num_goals > 0 && is_finite) {
        const double tolerance = job->tolerance > 0.0f ? (double)job->tolerance : 0.0;
        solve_goals(skeleton->axes, &gather.rig, gather.goals, gather.num_goals, tolerance,
                    job->iterations < MD5_MAX_ITERATIONS ? job->iterations : MD5_MAX_ITERATIONS);
        for (uint32_t i = 0; i < gather.num_goals; i++)
            gather.from[i]->distance = (float)gather.goals[i].left;
        if (job->weight > 0.0f)
            md5i_write_rig(&gather.rig, job->weight, pose);
    }
    float most = 0.0f;
    for (uint32_t i = 0; i < job->num_goals; i++)
        if (is_asked(&job->goals[i]) && job->goals[i].distance > most)
            most = job->goals[i].distance;
    return most;
}
