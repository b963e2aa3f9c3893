// Mistakes of callers of inverse kinematics: with assertions they end the program with a message
// that names the function and the argument.
#include "test/ik/test_ik_case.h"
#include "test/mistake.h"

#if !defined(NDEBUG)

TEST (mistakes_in_limits_are_reported_with_function_and_argument) {
    static const md5_joint_limit wrong[] = {
        {.kind = (md5_limit_kind)3, .axis = {1, 0, 0}},
        {.kind = MD5_LIMIT_HINGE},
        {.kind = MD5_LIMIT_HINGE, .axis = {NAN, 0, 0}},
        {.kind = MD5_LIMIT_HINGE, .rest = {NAN, 0, 0, 1}, .axis = {1, 0, 0}},
        {.kind = MD5_LIMIT_HINGE, .axis = {1, 0, 0}, .min = 0.2f, .max = 0.1f},
        {.kind = MD5_LIMIT_HINGE, .axis = {1, 0, 0}, .max = 4.0f},
        {.kind = MD5_LIMIT_HINGE, .axis = {1, 0, 0}, .min = NAN},
        {.kind = MD5_LIMIT_CONE, .axis = {1, 0, 0}, .swing = -0.1f},
        {.kind = MD5_LIMIT_CONE, .axis = {1, 0, 0}, .swing = 90.0f},
    };
    static ik_rig rig;
    uint64_t random = 1;
    ik_make_rig(&rig, 4, 2.0, &random);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        md5_joint_limit limits[IK_JOINTS] = {{.kind = MD5_LIMIT_NONE}};
        limits[rig.chain[i % 3 + 1]] = wrong[i];
        const md5_chain_job chain = {.tip = rig.chain[3], .length = 3, .limits = limits};
        MISTAKE ("md5_solve_chain(): limits: rows of known kinds")
            md5_solve_chain(&rig.skeleton, &chain, rig.pose);
        MISTAKE ("md5_solve_goals(): limits: rows of known kinds")
            md5_solve_goals(&rig.skeleton, &(md5_goals_job){.limits = limits}, rig.pose);
        const md5_two_bone_job limb = {.tip = rig.chain[3], .limits = limits};
        MISTAKE ("md5_solve_two_bone(): limits: rows of known kinds")
            md5_solve_two_bone(&rig.skeleton, &limb, rig.pose);
    }
}

TEST (mistakes_in_goals_are_reported_with_function_and_argument) {
    static ik_rig rig;
    md5_goal goals[MD5_MAX_GOALS + 1] = {{0}};
    uint64_t random = 2;
    ik_make_rig(&rig, 4, 2.0, &random);
    MISTAKE ("md5_solve_goals(): goals: not NULL")
        md5_solve_goals(&rig.skeleton, &(md5_goals_job){.num_goals = 1}, rig.pose);
    const md5_goals_job too_many = {.goals = goals, .num_goals = MD5_MAX_GOALS + 1};
    MISTAKE ("md5_solve_goals(): num_goals: at most MD5_MAX_GOALS")
        md5_solve_goals(&rig.skeleton, &too_many, rig.pose);
    MISTAKE ("md5_solve_goals(): job: reserved members")
        md5_solve_goals(&rig.skeleton, &(md5_goals_job){.reserved = {0, 1}}, rig.pose);
    MISTAKE ("md5_solve_goals(): job: not NULL")
        md5_solve_goals(&rig.skeleton, test_null(), rig.pose);
    MISTAKE ("md5_solve_chain(): job: not NULL")
        md5_solve_chain(&rig.skeleton, test_null(), rig.pose);
    MISTAKE ("md5_solve_chain(): solver: a md5_chain_solver")
        md5_solve_chain(&rig.skeleton, &(md5_chain_job){.solver = (md5_chain_solver)3}, rig.pose);
}

#endif
