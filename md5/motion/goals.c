// Solves several chains of one skeleton together.
//
// The rig contains the joints from each tip up to the highest ancestor that is in any chain. Joints
// between chains are moved by their parents, but not rotated.
#include "md5/core/assert.h"
#include "md5/motion/least_squares.h"

// The goals that are solved, and their indices in the job.
typedef struct gathering {
    const md5_skeleton *skeleton;
    const md5_xform *pose;
    const md5_goals_job *job;
    md5_rig rig;
    md5_rig_goal goals[MD5_MAX_GOALS];
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

// Whether a joint is in the chain of a goal.
static bool is_in_chain(const md5_skeleton *skeleton, const md5_goal *goal, int32_t joint)
{
    const uint32_t most = goal->length < MD5_MAX_CHAIN ? goal->length : MD5_MAX_CHAIN;
    int32_t at = (int32_t)goal->tip;
    for (uint32_t i = 0; i < most && at >= 0; i++, at = skeleton->joints[at].parent)
        if (at == joint)
            return true;
    return false;
}

static bool is_in_a_chain(const gathering *of, int32_t joint)
{
    for (uint32_t i = 0; i < of->job->num_goals; i++) {
        const md5_goal *const goal = &of->job->goals[i];
        if (is_asked(goal) && is_sound(of->skeleton, goal)
            && is_in_chain(of->skeleton, goal, joint))
            return true;
    }
    return false;
}

// -- Rig ------------------------------------------------------------------------------------------

static int32_t find_in_rig(const md5_rig *rig, int32_t joint)
{
    for (uint32_t i = 0; i < rig->count; i++)
        if ((int32_t)rig->joints[i].joint == joint)
            return (int32_t)i;
    return -1;
}

static void add_joint(gathering *of, uint32_t joint, int32_t parent)
{
    const md5_joint_limit *const limits = of->job->limits;
    const md5_xform *const local = &of->pose[joint];
    md5_rig_joint *const made = &of->rig.joints[of->rig.count];
    *made = (md5_rig_joint){
        .joint = joint,
        .parent = parent,
        .is_held = !is_in_a_chain(of, (int32_t)joint),
        .local = md5i_quatd_unit(md5_quatd_of(local->rotation)),
        .offset = md5_vec3d_of(local->translation),
    };
    if (!made->is_held) {
        made->limit = md5i_limit_of(limits ? &limits[joint] : NULL);
        made->local = md5i_limit_nearest(&made->limit, made->local);
    }
    if (parent < 0) {
        const md5_float4_place above = md5i_place_above(of->skeleton, of->pose, joint);
        const md5_float4_place place = md5i_place_of(of->skeleton, of->pose, joint);
        made->above = md5i_quatd_unit(md5_quatd_of(md5_quat_of_row(above.rotation)));
        made->place = md5_vec3d_of(md5_vec3_of_row(place.place));
    }
    of->rig.count++;
}

// Adds the joints from a tip up to the highest one that is in a chain, unless they are in the rig.
// Returns the tip's index in the rig, or -1 if they do not fit.
static int32_t add_path(gathering *of, uint32_t tip)
{
    uint32_t path[MD5_MAX_GOAL_JOINTS], count = 0, needed = 0;
    int32_t at = (int32_t)tip, parent = -1;
    for (uint32_t depth = 0; at >= 0; at = of->skeleton->joints[at].parent) {
        parent = find_in_rig(&of->rig, at);
        if (parent >= 0)
            break;
        if (depth < MD5_MAX_GOAL_JOINTS)
            path[depth] = (uint32_t)at;
        depth++;
        if (is_in_a_chain(of, at))
            needed = depth;
        count = depth;
    }
    count = parent >= 0 ? count : needed;
    if (count > MD5_MAX_GOAL_JOINTS - of->rig.count)
        return -1;
    while (count-- > 0) {
        add_joint(of, path[count], parent);
        parent = (int32_t)of->rig.count - 1;
    }
    return parent;
}

// -- Goals ----------------------------------------------------------------------------------------

static double length_of(const gathering *of, const md5_goal *goal)
{
    double length = 0.0;
    int32_t at = (int32_t)goal->tip;
    for (uint32_t i = 1; i < goal->length && i < MD5_MAX_CHAIN; i++) {
        if (of->skeleton->joints[at].parent < 0)
            break;
        length += md5_vec3d_length(md5_vec3d_of(of->pose[at].translation));
        at = of->skeleton->joints[at].parent;
    }
    return length;
}

static void add_goal(gathering *of, md5_goal *goal)
{
    goal->distance = INFINITY;
    if (!is_asked(goal) || !is_sound(of->skeleton, goal))
        return;
    const int32_t tip = add_path(of, goal->tip);
    if (tip < 0)
        return;
    of->from[of->num_goals] = goal;
    of->goals[of->num_goals++] = (md5_rig_goal){
        .tip = (uint32_t)tip,
        .target = md5_vec3d_of(goal->target),
        .has_rotation = goal->rotation != NULL,
        .rotation = goal->rotation ? md5i_quatd_unit(md5_quatd_of(*goal->rotation))
                                   : (md5_quatd){0.0, 0.0, 0.0, 1.0},
        .weight = (double)goal->weight,
        .lever = length_of(of, goal),
    };
}

static bool is_finite_rig(const md5_rig *rig)
{
    for (uint32_t i = 0; i < rig->count; i++)
        if (!md5_is_place(md5_vec3d_round(rig->joints[i].place)))
            return false;
    return true;
}

static void solve(gathering *of, md5_xform *pose)
{
    const md5_goals_job *const job = of->job;
    const double tolerance = job->tolerance > 0.0f ? (double)job->tolerance : 0.0;
    md5i_place_rig(&of->rig, 0);
    if (of->num_goals == 0 || !is_finite_rig(&of->rig))
        return;
    md5i_solve_goals(of->skeleton->axes, &of->rig, of->goals, of->num_goals, tolerance,
                     job->iterations < MD5_MOST_ITERATIONS ? job->iterations : MD5_MOST_ITERATIONS);
    for (uint32_t i = 0; i < of->num_goals; i++)
        of->from[i]->distance = (float)of->goals[i].left;
    if (job->weight > 0.0f)
        md5i_write_rig(&of->rig, job->weight, pose);
}

float md5_solve_goals(const md5_skeleton *skeleton, md5_xform *pose, const md5_goals_job *job)
{
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(pose != NULL || skeleton->num_joints == 0, "pose: not NULL");
    MD5_ASSERT(job != NULL, "job: not NULL");
    MD5_ASSERT_RESERVED(job);
    MD5_ASSERT(job->goals != NULL || job->num_goals == 0, "goals: not NULL");
    MD5_ASSERT(job->num_goals <= MD5_MAX_GOALS, "num_goals: at most MD5_MAX_GOALS");
    MD5_VALIDATE(md5i_are_limits(job->limits, NULL, skeleton->num_joints), MD5_LIMIT_RULE);
    gathering of;
    of.skeleton = skeleton;
    of.pose = pose;
    of.job = job;
    of.rig.count = of.num_goals = 0;
    for (uint32_t i = 0; i < job->num_goals; i++)
        add_goal(&of, &job->goals[i]);
    solve(&of, pose);
    float most = 0.0f;
    for (uint32_t i = 0; i < job->num_goals; i++)
        if (is_asked(&job->goals[i]) && job->goals[i].distance > most)
            most = job->goals[i].distance;
    return most;
}
