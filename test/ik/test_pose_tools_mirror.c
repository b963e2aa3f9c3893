// Mirroring: names, and poses of our own model and of random rigs.
#include "test/ik/test_ik_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Joints with these names, each below the one before.
static uint32_t find_mirror(const char *const *names, uint32_t count, uint32_t *mirror)
{
    md5_joint joints[32];
    uint32_t order[32];
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = (md5_joint){names[i], (int32_t)i - 1};
        order[i] = i;
    }
    const md5_skeleton skeleton = {.num_joints = count, .joints = joints, .order = order};
    return md5_build_mirror(&skeleton, mirror);
}

// Each name's partner is its neighbour.
static void check_partners(const char *const *names, uint32_t count)
{
    uint32_t mirror[32];
    CHECK_UINT(find_mirror(names, count, mirror), count);
    for (uint32_t i = 0; i < count; i++) {
        if (!CHECK(mirror[i] == (i ^ 1)))
            printf("%s is the mirror image of %s\n", names[i], names[mirror[i]]);
    }
}

TEST (pose_tools_mirror_names_have_partners) {
    static const char *const names[] = {
        "hand.L",        "hand.R",        "foot_l",        "foot_r",      "toe-L",
        "toe-R",         "l_arm",         "r_arm",         "R-leg",       "L-leg",
        "LeftHand",      "RightHand",     "knee_LEFT",     "knee_RIGHT",  "a:left_thumb",
        "a:right_thumb", "Bip01 L Thigh", "Bip01 R Thigh", "Lhand",       "Rhand",
        "earR",          "earL",          "f_ring.01.L",   "f_ring.01.R", "hand.ik.L",
        "hand.ik.R",     "bone_l_tip",    "bone_r_tip",
    };
    check_partners(names, sizeof names / sizeof names[0]);
}

TEST (pose_tools_mirror_names_without_partners_are_their_own) {
    static const char *const names[] = {
        "origin", "head.L", "Head.R", "hand_L", "hand-R", "leg", "root",
        "Root",   "Loot_",  "",       "l",      "r",      "_l",  "left",
        "tail",   "reg",    "armLR",  "x_l_y",  "L~x",    "1L",  "L1",
    };
    const uint32_t count = sizeof names / sizeof names[0];
    uint32_t mirror[32];
    CHECK_UINT(find_mirror(names, count, mirror), 0);
    for (uint32_t i = 0; i < count; i++)
        CHECK_UINT(mirror[i], i);
}

// The k-th left joint of a name goes with the k-th right one.
TEST (pose_tools_mirror_names_that_are_there_twice) {
    static const char *const names[] = {"f_l", "f_r", "f_l", "f_l", "f_r", "f_r", "f_r"};
    static const uint32_t expected[] = {1, 0, 4, 5, 2, 3, 6};
    uint32_t mirror[32];
    CHECK_UINT(find_mirror(names, 7, mirror), 6);
    for (uint32_t i = 0; i < 7; i++)
        CHECK_UINT(mirror[i], expected[i]);
}

TEST (pose_tools_mirror_of_many_joints) {
    enum { MANY = 65536 + 1 };
    md5_joint *const joints = calloc(MANY, sizeof *joints);
    char(*const names)[16] = calloc(MANY, sizeof *names);
    uint32_t *const mirror = calloc(MANY, sizeof *mirror);
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "j%u_%c", (unsigned)(i / 2), i % 2 ? 'r' : 'l');
        joints[i] = (md5_joint){names[i], (int32_t)i - 1};
    }
    md5_skeleton skeleton = {.num_joints = MANY, .joints = joints, .order = NULL};
    CHECK_UINT(md5_build_mirror(&skeleton, mirror), 0);
    CHECK(mirror[0] == 0 && mirror[MANY - 1] == MANY - 1);
    skeleton.num_joints = 20000;
    CHECK_UINT(md5_build_mirror(&skeleton, mirror), 20000);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < skeleton.num_joints; i++)
        wrong += mirror[i] != (i ^ 1);
    CHECK_UINT(wrong, 0);
    skeleton.num_joints = 0;
    CHECK_UINT(md5_build_mirror(&skeleton, mirror), 0);
    free(joints);
    free(names);
    free(mirror);
}

// The largest difference of two poses: of positions in model space and of rotations.
static double difference_of(const md5_skeleton *skeleton, const md5_xform *a, const md5_xform *b)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const real_place one = ik_place(skeleton, a, i), other = ik_place(skeleton, b, i);
        worst = fmax(worst, real3_distance(one.at, other.at));
        worst = fmax(worst, real4_angle(one.rotation, other.rotation));
    }
    return worst;
}

TEST (pose_tools_mirror_of_our_own_model) {
    md5_error error;
    md5_model *model = md5_load_model(test_path("models/bobbin/bobbin.md5mesh"), NULL, &error);
    md5_anim *anim = md5_load_anim(test_path("models/bobbin/walk.md5anim"), NULL, &error);
    if (!CHECK(model && anim))
        return;
    md5_binding *binding = md5_bind(model, anim, NULL, &error);
    const md5_skeleton *const skeleton = &model->skeleton;
    enum { MOST = 256 };
    if (!CHECK(skeleton->num_joints <= MOST))
        return;
    uint32_t mirror[MOST], num_sided = 0;
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        const char *const name = skeleton->joints[joint].name;
        const char *const end = name + strlen(name) - 2;
        num_sided += strcmp(end, "_l") == 0 || strcmp(end, "_r") == 0;
    }
    CHECK(num_sided > 20);
    CHECK_UINT(md5_build_mirror(skeleton, mirror), num_sided);
    md5_xform pose[MOST], image[MOST], back[MOST];
    // The model is symmetrical, so its bind pose is its own mirror image.
    md5_mirror_pose(model, mirror, model->bind_local, image);
    CHECK_NEAR(difference_of(skeleton, model->bind_local, image), 0.0, 1e-4);
    for (int i = 0; i < 10; i++) {
        const md5_moment moment = md5_moment_at(anim, anim->duration * 0.1 * i, MD5_WRAP_LOOP);
        md5_sample(binding, moment, MD5_ROOT_FILE, pose);
        md5_mirror_pose(model, mirror, pose, image);
        md5_mirror_pose(model, mirror, image, back);
        CHECK_NEAR(difference_of(skeleton, pose, back), 0.0, 2e-4);
        CHECK(ik_is_sound(image, skeleton->num_joints));
        double worst = 0.0;
        for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
            const real3 from = ik_place(skeleton, pose, mirror[joint]).at;
            const real3 to = ik_place(skeleton, image, joint).at;
            worst = fmax(worst, real3_distance((real3){from.x, -from.y, from.z}, to));
        }
        CHECK_NEAR(worst, 0.0, 5e-4);
    }
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
}

// For any bind pose, mirroring a pose twice gives that pose, and the bind pose is its own mirror
// image.
TEST (pose_tools_mirror_twice_is_the_same_pose) {
    uint64_t random = 1;
    for (int round = 0; round < 2000; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 7, 5.0, &random);
        md5_xform bind[IK_JOINTS], pose[IK_JOINTS], image[IK_JOINTS], back[IK_JOINTS];
        md5_mat34 joints[IK_JOINTS];
        memcpy(bind, rig.pose, sizeof bind);
        md5_local_to_model(&rig.skeleton, bind, joints);
        const md5_model model = {.skeleton = rig.skeleton, .bind_local = bind, .bind = joints};
        const uint32_t mirror[7] = {0, 2, 1, 5, 4, 3, 6};
        for (uint32_t i = 0; i < 7; i++)
            pose[i] = (md5_xform){made_any_rotation(&random), ik_random_point(5.0, &random), 0};
        md5_mirror_pose(&model, mirror, pose, image);
        CHECK(ik_is_sound(image, 7));
        md5_mirror_pose(&model, mirror, image, back);
        for (uint32_t i = 0; i < 7; i++) {
            CHECK_NEAR(real4_angle(real4_of(pose[i].rotation), real4_of(back[i].rotation)), 0.0,
                       1e-5);
            CHECK_NEAR(real3_distance(real3_of(pose[i].translation), real3_of(back[i].translation)),
                       0.0, 1e-4);
        }
        md5_mirror_pose(&model, mirror, bind, image);
        for (uint32_t i = 0; i < 7; i++)
            CHECK_NEAR(real4_angle(real4_of(bind[i].rotation), real4_of(image[i].rotation)), 0.0,
                       2e-6);
    }
}
