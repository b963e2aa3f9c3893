// Tests of retargeting: the pose of one model is shown by another model.
#include "test/ik/test_ik_case.h"
#include "test/scoped.h"

enum { BODY_JOINTS = 9 };

// A model whose arrays are in the same struct: copies would point into the original.
typedef struct body {
    md5_model model;
    md5_joint joints[BODY_JOINTS];
    uint32_t order[BODY_JOINTS];
    md5_xform bind_local[BODY_JOINTS];
    md5_mat34 bind[BODY_JOINTS];
} body;

static void begin_body(body *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    fixture->model.skeleton =
        (md5_skeleton){.num_joints = 0, .joints = fixture->joints, .order = fixture->order};
    fixture->model.bind_local = fixture->bind_local;
    fixture->model.bind = fixture->bind;
}

// Adds a joint with a position and axes in model space.
static void add_joint(body *fixture, const char *name, uint32_t parent, md5_vec3 at, md5_quat axes)
{
    const uint32_t joint = fixture->model.skeleton.num_joints++;
    fixture->joints[joint] = (md5_joint){name, parent};
    fixture->order[joint] = joint;
    md5_xform above = {.rotation.w = 1};
    if (parent != MD5_NONE)
        above = md5_joint_in_model(&fixture->model.skeleton, fixture->bind_local, parent);
    const md5_xform transform = {axes, at, 0};
    fixture->bind_local[joint] = md5_xform_mul(md5_xform_inverse(above), transform);
    fixture->bind[joint] = md5_mat34_from_xform((md5_xform){.rotation = axes, .translation = at});
}

static const md5_quat plain = {0, 0, 0, 1};

static real3 joint_position(const body *fixture, const md5_xform *pose, uint32_t joint)
{
    return ik_joint_transform(&fixture->model.skeleton, pose, joint).translation;
}

// Joints origin, hips, chest, arm, forearm and hand. The arm points sideways (+y), lowered by
// `arm_drop` radians; joints have random axes.
static void make_man(body *fixture, float scale, float arm_drop, uint64_t *random)
{
    const md5_vec3 up = {0, 0, 40 * scale};
    const md5_vec3 chest = {0, 0, 60 * scale};
    begin_body(fixture);
    add_joint(fixture, "origin", MD5_NONE, (md5_vec3){0, 0, 0}, plain);
    add_joint(fixture, "hips", 0, up, random_unit_quat(random));
    add_joint(fixture, "chest", 1, chest, random_unit_quat(random));
    const md5_vec3 direction = {0, cosf(arm_drop), -sinf(arm_drop)};
    for (int i = 0; i < 3; i++) {
        STRINGS(names) = {"arm", "forearm", "hand"};
        const md5_vec3 at =
            md5_vec3_add(chest, md5_vec3_scale(direction, (float)(5 + 10 * i) * scale));
        add_joint(fixture, names[i], 2 + (uint32_t)i, at, random_unit_quat(random));
    }
}

// Creates a retarget. The test fails if it cannot be created.
static md5_retarget *create_retarget(const body *source, const body *target,
                                     const md5_joint_pair *pairs, uint32_t num_pairs)
{
    md5_error error = {0};
    md5_retarget *const retarget =
        md5_create_retarget(&source->model, &target->model, pairs, num_pairs, NULL, &error);
    if (!CHECK_STRING(error.message, ""))
        abort();
    return retarget;
}

// Transfers a pose of the source to the target.
static void show(const md5_retarget *retarget, const md5_xform *pose, md5_xform *out)
{
    md5_xform scratch[BODY_JOINTS + 1];
    md5_retarget_pose(retarget, pose, out, scratch);
}

static void random_pose(const body *fixture, md5_xform *pose, uint64_t *random)
{
    for (uint32_t i = 0; i < fixture->model.skeleton.num_joints; i++) {
        pose[i] = fixture->bind_local[i];
        pose[i].rotation = random_unit_quat(random);
        if (i < 2)
            pose[i].translation = ik_random_point(30, random);
    }
}

TEST (pose_tools_retarget_to_the_same_skeleton_keeps_the_pose) {
    uint64_t random = 1;
    for (int round = 0; round < 300; round++) {
        body man;
        make_man(&man, 1, 0.3f, &random);
        SCOPED_RETARGET retarget = create_retarget(&man, &man, NULL, 0);
        md5_xform pose[BODY_JOINTS];
        md5_xform out[BODY_JOINTS];
        random_pose(&man, pose, &random);
        pose[5].translation.x += 2; // a hand that slides
        show(retarget, pose, out);
        CHECK(ik_is_sound(out, 6));
        for (uint32_t i = 0; i < 6; i++) {
            CHECK_SMALL(real_angle(pose[i].rotation, out[i].rotation), 3e-6);
            CHECK_SMALL(real_distance(pose[i].translation, out[i].translation), 1e-4);
        }
    }
    md5_destroy_retarget(NULL);
}

// 2.5 times the size, and other axes: all positions are 2.5 times as far, and no bone changes its
// length.
TEST (pose_tools_retarget_to_a_scaled_model_scales_positions) {
    uint64_t random = 2;
    for (int round = 0; round < 300; round++) {
        body man;
        body giant;
        make_man(&man, 1, 0.3f, &random);
        make_man(&giant, 2.5f, 0.3f, &random);
        SCOPED_RETARGET retarget = create_retarget(&man, &giant, NULL, 0);
        md5_xform pose[BODY_JOINTS];
        md5_xform out[BODY_JOINTS];
        random_pose(&man, pose, &random);
        pose[4].translation.y -= 1;
        show(retarget, pose, out);
        CHECK(ik_is_sound(out, 6));
        for (uint32_t i = 0; i < 6; i++) {
            const real3 from = joint_position(&man, pose, i);
            const real3 to = joint_position(&giant, out, i);
            CHECK_SMALL(real3_distance(to, real3_scale(from, 2.5)), 1e-3);
        }
        CHECK_BYTES(&out[5].translation, &giant.bind_local[5].translation, sizeof(md5_vec3));
    }
}

// Longer arms, shorter legs: the arm points in the same direction, the hips' displacement is scaled
// by the ratio of their heights.
TEST (pose_tools_retarget_keeps_bone_lengths_and_rotates_like_the_source) {
    uint64_t random = 3;
    body man;
    body dwarf;
    make_man(&man, 1, 0, &random);
    begin_body(&dwarf);
    add_joint(&dwarf, "root", MD5_NONE, (md5_vec3){0, 0, 0}, plain);
    add_joint(&dwarf, "pelvis", 0, (md5_vec3){1, 0, 20}, random_unit_quat(&random));
    add_joint(&dwarf, "belt", 1, (md5_vec3){1, 0, 25}, random_unit_quat(&random));
    add_joint(&dwarf, "chest", 2, (md5_vec3){1, 0, 45}, random_unit_quat(&random));
    add_joint(&dwarf, "arm", 3, (md5_vec3){1, 9, 45}, random_unit_quat(&random));
    add_joint(&dwarf, "forearm", 4, (md5_vec3){1, 26, 45}, random_unit_quat(&random));
    add_joint(&dwarf, "beard", 3, (md5_vec3){5, 0, 50}, random_unit_quat(&random));
    const md5_joint_pair pairs[] = {{.source = "origin", .target = "root"},
                                    {.source = "hips", .target = "pelvis"},
                                    {.source = "hand"}};
    SCOPED_RETARGET retarget = create_retarget(&man, &dwarf, pairs, 3);
    md5_xform pose[BODY_JOINTS];
    md5_xform out[BODY_JOINTS];
    // The bind pose of the source must give the bind pose of the target.
    char unaligned[(BODY_JOINTS + 1) * sizeof(md5_xform) + 1];
    md5_retarget_pose(retarget, man.bind_local, out, unaligned + 1);
    for (uint32_t i = 0; i < 7; i++)
        CHECK_SMALL(real3_distance(joint_position(&dwarf, out, i),
                                   joint_position(&dwarf, dwarf.bind_local, i)),
                    1e-4);
    for (int round = 0; round < 100; round++) {
        random_pose(&man, pose, &random);
        show(retarget, pose, out);
        // The bones from arm to forearm are along y in both bind poses.
        const real3 bone = real3_sub(joint_position(&man, pose, 4), joint_position(&man, pose, 3));
        const real3 longer =
            real3_sub(joint_position(&dwarf, out, 5), joint_position(&dwarf, out, 4));
        CHECK_SMALL(real3_distance(longer, real3_scale(bone, 1.7)), 1e-3);
        const real3 hips = joint_position(&man, pose, 1);
        const real3 pelvis = joint_position(&dwarf, out, 1);
        CHECK_NEAR(pelvis.x, 1 + 0.5 * hips.x, 1e-4);
        CHECK_NEAR(pelvis.y, 0.5 * hips.y, 1e-4);
        CHECK_NEAR(pelvis.z, 0.5 * hips.z, 1e-4);
        // A joint without a source joint keeps its bind pose relative to its parent.
        CHECK_SMALL(real_angle(out[6].rotation, dwarf.bind_local[6].rotation), 1e-5);
        CHECK_BYTES(&out[6].translation, &dwarf.bind_local[6].translation, sizeof(md5_vec3));
    }
}

// The source stands in a T pose, and the target stands with its arms down. With aligned bind poses,
// the arms of the target point in the directions of the source.
TEST (pose_tools_retarget_aligns_bind_poses) {
    uint64_t random = 4;
    body man;
    body target_man;
    make_man(&man, 1, 0, &random);
    make_man(&target_man, 1.5f, 0.9f, &random);
    const md5_joint_pair pairs[] = {{.source = "arm", .target = "arm", .align = true},
                                    {.source = "forearm", .target = "forearm", .align = true},
                                    {.source = "hand", .target = "hand", .align = true}};
    SCOPED_RETARGET retarget = create_retarget(&man, &target_man, pairs, 3);
    md5_xform pose[BODY_JOINTS];
    md5_xform out[BODY_JOINTS];
    for (int round = 0; round < 100; round++) {
        random_pose(&man, pose, &random);
        show(retarget, pose, out);
        for (uint32_t i = 3; i < 5u; i++) {
            const real3 from =
                real3_sub(joint_position(&man, pose, i + 1), joint_position(&man, pose, i));
            const real3 to = real3_sub(joint_position(&target_man, out, i + 1),
                                       joint_position(&target_man, out, i));
            CHECK_SMALL(real3_distance(to, real3_scale(from, 1.5)), 1e-3);
        }
    }
}

// Creates a body with one leg. In the bind pose its knee is bent by `bend` radians.
static void make_leg(body *fixture, float thigh, float shin, float hips, float bend,
                     uint64_t *random)
{
    begin_body(fixture);
    md5_vec3 at = {0, 0, hips};
    add_joint(fixture, "origin", MD5_NONE, (md5_vec3){0, 0, 0}, plain);
    add_joint(fixture, "hips", 0, at, random_unit_quat(random));
    add_joint(fixture, "thigh", 1, at, random_unit_quat(random));
    at = md5_vec3_add(at, (md5_vec3){thigh * sinf(bend), 0, -thigh * cosf(bend)});
    add_joint(fixture, "shin", 2, at, random_unit_quat(random));
    at = md5_vec3_add(at, (md5_vec3){-shin * sinf(bend), 0, -shin * cosf(bend)});
    add_joint(fixture, "foot", 3, at, random_unit_quat(random));
    add_joint(fixture, "chest", 1, (md5_vec3){0, 0, 2 * hips}, random_unit_quat(random));
}

static const md5_joint_pair leg_pairs[] = {{.source = "thigh", .target = "thigh", .align = true},
                                           {.source = "shin", .target = "shin", .align = true},
                                           {.source = "foot", .target = "foot"}};

// The legs are 1.4 times as long, but the hips only 1.35 times as high. A foot moves 1.4 times as
// far, so that a standing foot does not move.
TEST (pose_tools_retarget_scales_by_the_legs) {
    uint64_t random = 11;
    body man;
    body giant;
    make_leg(&man, 18, 17, 40, 0, &random);
    make_leg(&giant, 25.2f, 23.8f, 54, 0.2f, &random);
    SCOPED_RETARGET retarget = create_retarget(&man, &giant, leg_pairs, 3);
    CHECK_NEAR(md5_retarget_ratio(retarget), 1.4, 1e-6);
    md5_xform pose[BODY_JOINTS];
    md5_xform out[BODY_JOINTS];
    for (int round = 0; round < 100; round++) {
        random_pose(&man, pose, &random);
        pose[0] = man.bind_local[0];
        show(retarget, pose, out);
        const real3 hips = real3_sub(joint_position(&man, pose, 1), (real3){0, 0, 40});
        const real3 leg = real3_sub(joint_position(&man, pose, 4), joint_position(&man, pose, 1));
        const real3 foot = joint_position(&giant, out, 4);
        CHECK_NEAR(real3_distance(foot, (real3){1.4 * (hips.x + leg.x), 1.4 * (hips.y + leg.y),
                                                54 + 1.4 * (hips.z + leg.z)}),
                   0, 1e-3);
    }
}

// In the bind pose the knee of the target is bent, but the knee of the source is straight. If the
// source stretches its leg, the target stretches its leg too. The foot of the target keeps the
// rotation of its own bind pose.
TEST (pose_tools_retarget_keeps_feet_as_in_the_bind_pose) {
    uint64_t random = 12;
    body man;
    body bent;
    make_leg(&man, 18, 17, 40, 0, &random);
    make_leg(&bent, 18, 17, 40, 0.5f, &random);
    SCOPED_RETARGET retarget = create_retarget(&man, &bent, leg_pairs, 3);
    md5_xform out[BODY_JOINTS];
    show(retarget, man.bind_local, out);
    const real3 foot = joint_position(&bent, out, 4);
    CHECK_NEAR(real3_distance(foot, (real3){0, 0, 5}), 0, 1e-4);
    CHECK_NEAR(real_angle(md5_joint_in_model(&bent.model.skeleton, out, 4).rotation,
                          md5_joint_in_model(&bent.model.skeleton, bent.bind_local, 4).rotation),
               0, 1e-5);
}

// The source is a blend of 3/4 of the hips, rotated by 20 degrees, and 1/4 of the chest, rotated by
// 100 degrees.
TEST (pose_tools_retarget_interpolates_between_source_joints) {
    uint64_t random = 13;
    body man;
    body target_man;
    make_leg(&man, 18, 17, 40, 0, &random);
    make_leg(&target_man, 18, 17, 40, 0, &random);
    target_man.joints[5].name = "belt";
    const md5_joint_pair pair = {
        .source = "hips", .target = "belt", .next = "chest", .fraction = 0.25f};
    SCOPED_RETARGET retarget = create_retarget(&man, &target_man, &pair, 1);
    const md5_vec3 up = {0, 0, 1};
    const float degree = 0.0174532925f;
    md5_xform pose[BODY_JOINTS];
    md5_xform out[BODY_JOINTS];
    memcpy(pose, man.bind_local, sizeof pose);
    const md5_quat rotations[] = {md5_quat_from_axis_angle(up, 20 * degree),
                                  md5_quat_from_axis_angle(up, 80 * degree)};
    const md5_quat hips = md5_joint_in_model(&man.model.skeleton, pose, 1).rotation;
    pose[1].rotation = md5_quat_mul(rotations[0], pose[1].rotation);
    pose[5].rotation = md5_quat_mul(
        md5_quat_mul(md5_quat_conjugate(hips), md5_quat_mul(rotations[1], hips)), pose[5].rotation);
    show(retarget, pose, out);
    const md5_quat rest =
        md5_joint_in_model(&target_man.model.skeleton, target_man.bind_local, 5).rotation;
    CHECK_NEAR(real_angle(md5_joint_in_model(&target_man.model.skeleton, out, 5).rotation,
                          md5_quat_mul(md5_quat_from_axis_angle(up, 40 * degree), rest)),
               0, 1e-5);
}

// No joint is above the ground in both models, so the pelvis is missing, and displacements are not
// scaled.
TEST (pose_tools_retarget_without_a_pelvis) {
    uint64_t random = 5;
    body snake;
    body worm;
    begin_body(&snake);
    begin_body(&worm);
    add_joint(&worm, "earth", MD5_NONE, (md5_vec3){0, 0, 0}, plain);
    for (int i = 0; i < 3; i++) {
        add_joint(&snake, i ? "b" : "a", (uint32_t)i - 1, (md5_vec3){(float)i, 0, 5}, plain);
        add_joint(&worm, i ? "b" : "a", (uint32_t)i, (md5_vec3){3 * (float)i, 0, -4}, plain);
    }
    SCOPED_RETARGET retarget = create_retarget(&snake, &worm, NULL, 0);
    md5_xform pose[BODY_JOINTS];
    md5_xform out[BODY_JOINTS];
    random_pose(&snake, pose, &random);
    show(retarget, pose, out);
    const real3 from = joint_position(&snake, pose, 0);
    const real3 to = joint_position(&worm, out, 1);
    CHECK_SMALL(real3_distance(to, (real3){from.x, from.y, from.z - 9}), 1e-4);
}

static char reported[256];

static void remember(void *user, const md5_error *warning)
{
    (void)user;
    snprintf(reported, sizeof reported, "%s", warning->message);
}

static void check_failure(const md5_joint_pair *pairs, uint32_t num_pairs, const char *message)
{
    uint64_t random = 6;
    body man;
    body target_man;
    make_man(&man, 1, 0, &random);
    begin_body(&target_man);
    add_joint(&target_man, "x", MD5_NONE, (md5_vec3){0, 0, 9}, plain);
    add_joint(&target_man, "y", 0, (md5_vec3){0, 0, 9}, plain);
    md5_error error = {0};
    CHECK_FAILS(md5_create_retarget(&man.model, &target_man.model, pairs, num_pairs, NULL, &error),
                error, MD5_ERROR_MISMATCH);
    CHECK_STRING(error.message, message);
}

TEST (pose_tools_retarget_reports_invalid_input) {
    check_failure(
        NULL, 0,
        "no source joint has the name of a target joint: expected at least 1; add joint pairs");
    const md5_joint_pair unknown_source[] = {{.source = "hips", .target = "x"},
                                             {.source = "hipps", .target = "y"}};
    check_failure(unknown_source, 2,
                  "joint pair 1: source joint 'hipps' not found in its skeleton");
    const md5_joint_pair unknown_target[] = {{.source = "hips", .target = "z"}};
    check_failure(unknown_target, 1, "joint pair 0: target joint 'z' not found in its skeleton");
    const md5_joint_pair twice[] = {{.source = "hips", .target = "x"},
                                    {.source = "chest", .target = "x", .align = true}};
    check_failure(twice, 2, "joint pair 1: target joint 'x' is in two pairs");
    const md5_joint_pair none[] = {
        {.source = NULL, .target = "x", .align = true}, {.source = "hips"}, {.source = NULL}};
    check_failure(
        none, 3,
        "no source joint has the name of a target joint: expected at least 1; add joint pairs");

    uint64_t random = 7;
    body man;
    make_man(&man, 1, 0, &random);
    const md5_joint_pair leave[] = {{.source = "hand"}, {.source = "chest", .target = "chest"}};
    const md5_load_opts opts = {.warn = remember};
    SCOPED_RETARGET retarget = md5_create_retarget(&man.model, &man.model, leave, 2, &opts, NULL);
    CHECK(retarget);
    CHECK_STRING(reported, "target joint 5 'hand' has no source joint: it keeps its bind pose");
}

TEST (pose_tools_retarget_survives_failure_of_every_allocation) {
    uint64_t random = 8;
    body man;
    body target_man;
    make_man(&man, 1, 0, &random);
    make_man(&target_man, 1, 0, &random);
    target_man.joints[5].name = "palm";
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        md5_retarget *retarget = md5_create_retarget(&man.model, &target_man.model, NULL, 0,
                                                     &failure.opts, &failure.error);
        CHECK_FAILURE(failure, retarget);
        md5_destroy_retarget(retarget);
    }
}

// The number of joints is large enough that each array is a separate allocation.
TEST (pose_tools_retarget_of_many_joints_survives_failure_of_every_allocation) {
    enum { MANY = 20000 };
    SCOPED md5_joint *const joints = calloc(MANY, sizeof *joints);
    SCOPED md5_joint *const other_joints = calloc(MANY, sizeof *other_joints);
    SCOPED uint32_t *const order = calloc(MANY, sizeof *order);
    SCOPED md5_xform *const local = calloc(MANY, sizeof *local);
    SCOPED md5_mat34 *const bind = calloc(MANY, sizeof *bind);
    for (uint32_t i = 0; i < MANY; i++) {
        joints[i] = other_joints[i] = (md5_joint){"j", i - 1};
        order[i] = i;
        local[i] = (md5_xform){plain, {1, 0, 0}, 0};
        bind[i] =
            md5_mat34_from_xform((md5_xform){.rotation = plain, .translation = {(float)i, 0, 0}});
    }
    other_joints[1].parent = MD5_NONE;
    const md5_model source = {
        {.num_joints = MANY, .joints = joints, .order = order}, .bind_local = local, .bind = bind};
    const md5_model target = {{.num_joints = MANY, .joints = other_joints, .order = order},
                              .bind_local = local,
                              .bind = bind};
    size_t fail_at = 0;
    for (bool is_created = false; !is_created;) {
        fail_at++;
        test_heap heap = {.fail_at = fail_at};
        const md5_load_opts opts = {.allocator = {test_heap_alloc, test_heap_free, &heap, 0}};
        md5_error error = {0};
        md5_retarget *retarget = md5_create_retarget(&source, &target, NULL, 0, &opts, &error);
        CHECK_UINT(error.status, retarget ? MD5_OK : MD5_ERROR_MEMORY);
        is_created = retarget != NULL;
        md5_destroy_retarget(retarget);
        CHECK_UINT(heap.live, 0);
    }
    CHECK(fail_at > 7); // 7 allocations with pointers of 32 bits, more with 64 bits
}
