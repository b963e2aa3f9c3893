// Mistakes of callers of inverse kinematics: with assertions they end the program with a message
// that names the function and the argument.
#include "test/ik/test_ik_case.h"
#include "test/mistake.h"

#if !defined(NDEBUG)

typedef struct mistake_scene {
    ik_rig rig;
    md5_joint_limit limits[IK_JOINTS];
} mistake_scene;

static void limit_chain(const void *context)
{
    const mistake_scene *const of = context;
    ik_rig rig = of->rig;
    const md5_chain_job job = {.tip = rig.chain[3], .length = 3, .limits = of->limits};
    (void)md5_solve_chain(&rig.skeleton, &job, rig.pose);
}

static void limit_goals(const void *context)
{
    const mistake_scene *const of = context;
    ik_rig rig = of->rig;
    const md5_goals_job job = {.limits = of->limits};
    (void)md5_solve_goals(&rig.skeleton, &job, rig.pose);
}

static void limit_limb(const void *context)
{
    const mistake_scene *const of = context;
    ik_rig rig = of->rig;
    const md5_two_bone_job job = {.tip = rig.chain[3], .limits = of->limits};
    (void)md5_solve_two_bone(&rig.skeleton, &job, rig.pose);
}

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
    static const struct {
        void (*make)(const void *context);
        const char *function;
    } calls[] = {
        {limit_chain, "md5_solve_chain()"},
        {limit_goals, "md5_solve_goals()"},
        {limit_limb, "md5_solve_two_bone()"},
    };
    static mistake_scene of;
    uint64_t random = 1;
    ik_make_rig(&of.rig, 4, 2.0, &random);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        of.limits[of.rig.chain[i % 3 + 1]] = wrong[i];
        EACH (call, calls) {
            const char *const message = test_message_of(call->make, &of);
            CHECK(strstr(message, call->function) != NULL);
            CHECK(strstr(message, "limits: rows of known kinds") != NULL);
        }
        of.limits[of.rig.chain[i % 3 + 1]] = (md5_joint_limit){MD5_LIMIT_NONE};
    }
}

static void reach_by(const void *context, const md5_goals_job *job)
{
    const mistake_scene *const of = context;
    ik_rig rig = of->rig;
    (void)md5_solve_goals(&rig.skeleton, job, rig.pose);
}

static void reach_without_goals(const void *context)
{
    const md5_goals_job job = {.num_goals = 1};
    reach_by(context, &job);
}

static void reach_too_many_goals(const void *context)
{
    md5_goal goals[MD5_MAX_GOALS + 1] = {{0}};
    const md5_goals_job job = {.goals = goals, .num_goals = MD5_MAX_GOALS + 1};
    reach_by(context, &job);
}

static void reach_with_a_reserved_member(const void *context)
{
    const md5_goals_job job = {.reserved = {0, 1}};
    reach_by(context, &job);
}

static void reach_without_job(const void *context)
{
    reach_by(context, NULL);
}

static void turn_without_job(const void *context)
{
    const mistake_scene *const of = context;
    ik_rig rig = of->rig;
    (void)md5_solve_chain(&rig.skeleton, NULL, rig.pose);
}

static void turn_by_no_solver(const void *context)
{
    const mistake_scene *const of = context;
    ik_rig rig = of->rig;
    const md5_chain_job job = {.solver = (md5_chain_solver)3};
    (void)md5_solve_chain(&rig.skeleton, &job, rig.pose);
}

TEST (mistakes_in_goals_are_reported_with_function_and_argument) {
    static const struct {
        void (*make)(const void *context);
        const char *function, *argument;
    } mistakes[] = {
        {reach_without_goals, "md5_solve_goals()", "goals: not NULL"},
        {reach_too_many_goals, "md5_solve_goals()", "num_goals: at most MD5_MAX_GOALS"},
        {reach_with_a_reserved_member, "md5_solve_goals()", "job: reserved members"},
        {reach_without_job, "md5_solve_goals()", "job: not NULL"},
        {turn_without_job, "md5_solve_chain()", "job: not NULL"},
        {turn_by_no_solver, "md5_solve_chain()", "solver: a md5_chain_solver"},
    };
    static mistake_scene of;
    uint64_t random = 2;
    ik_make_rig(&of.rig, 4, 2.0, &random);
    EACH (mistake, mistakes) {
        const char *const message = test_message_of(mistake->make, &of);
        CHECK(strstr(message, mistake->function) != NULL);
        CHECK(strstr(message, mistake->argument) != NULL);
    }
}

#endif
