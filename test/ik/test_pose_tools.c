// Mirroring: names, and poses of our own model and of random rigs.
#include "test/ik/test_ik_case.h"
#include "test/scoped.h"

// Builds the mirror table of a chain of joints with these names.
static uint32_t find_mirror(const char *const *names, uint32_t count, uint32_t *mirror)
{
    md5_joint joints[32];
    uint32_t order[32];
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = (md5_joint){names[i], i - 1};
        order[i] = i;
    }
    const md5_skeleton skeleton = {.num_joints = count, .joints = joints, .order = order};
    return md5_build_mirror(&skeleton, mirror);
}

TEST (pose_tools_mirror_names_have_partners) {
    STRINGS(names) = {
        "hand.L",        "hand.R",        "foot_l",        "foot_r",      "toe-L",
        "toe-R",         "l_arm",         "r_arm",         "R-leg",       "L-leg",
        "LeftHand",      "RightHand",     "knee_LEFT",     "knee_RIGHT",  "a:left_thumb",
        "a:right_thumb", "Bip01 L Thigh", "Bip01 R Thigh", "Lhand",       "Rhand",
        "earR",          "earL",          "f_ring.01.L",   "f_ring.01.R", "hand.ik.L",
        "hand.ik.R",     "bone_l_tip",    "bone_r_tip",
    };

    // The partner of each name in this list is its neighbor.
    uint32_t count = COUNT_OF(names);
    uint32_t mirror[32];
    CHECK_UINT(find_mirror(names, count, mirror), count);
    for (uint32_t i = 0; i < count; i++) {
        if (!CHECK(mirror[i] == (i ^ 1)))
            printf("%s is the mirror image of %s\n", names[i], names[mirror[i]]);
    }
}

TEST (pose_tools_mirror_names_without_partners_are_their_own) {
    STRINGS(names) = {
        "origin", "head.L", "Head.R", "hand_L", "hand-R", "leg", "root",
        "Root",   "Loot_",  "",       "l",      "r",      "_l",  "left",
        "tail",   "reg",    "armLR",  "x_l_y",  "L~x",    "1L",  "L1",
    };
    const uint32_t count = COUNT_OF(names);
    uint32_t mirror[32];
    CHECK_UINT(find_mirror(names, count, mirror), 0);
    for (uint32_t i = 0; i < count; i++)
        CHECK_UINT(mirror[i], i);
}

// If a name occurs several times, the k-th left joint is the partner of the k-th right joint.
TEST (pose_tools_mirror_names_that_are_there_twice) {
    STRINGS(names) = {"f_l", "f_r", "f_l", "f_l", "f_r", "f_r", "f_r"};
    static const uint32_t expected[] = {1, 0, 4, 5, 2, 3, 6};
    uint32_t mirror[32];
    CHECK_UINT(find_mirror(names, 7, mirror), 6);
    for (uint32_t i = 0; i < 7; i++)
        CHECK_UINT(mirror[i], expected[i]);
}

// Skeletons with more than 65536 joints are not mirrored: each joint is its own partner.
TEST (pose_tools_mirror_of_many_joints) {
    enum { MAX_MIRRORED = 65536, MANY = MAX_MIRRORED + 1 };
    SCOPED md5_joint *const joints = calloc(MANY, sizeof *joints);
    char(*const names)[16] = calloc(MANY, sizeof *names);
    SCOPED uint32_t *const mirror = calloc(MANY, sizeof *mirror);
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "j%u_%c", (unsigned)(i / 2), i % 2 ? 'r' : 'l');
        joints[i] = (md5_joint){names[i], i - 1};
    }
    md5_skeleton skeleton = {.num_joints = MANY, .joints = joints, .order = NULL};
    CHECK_UINT(md5_build_mirror(&skeleton, mirror), 0);
    CHECK(mirror[0] == 0 && mirror[MANY - 1] == MANY - 1);
    skeleton.num_joints = MAX_MIRRORED;
    CHECK_UINT(md5_build_mirror(&skeleton, mirror), MAX_MIRRORED);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < skeleton.num_joints; i++)
        wrong += mirror[i] != (i ^ 1);
    CHECK_UINT(wrong, 0);
    skeleton.num_joints = 0;
    CHECK_UINT(md5_build_mirror(&skeleton, mirror), 0);
    free(names);
}

// Returns the largest difference between two poses: between positions in model space, and between
// rotations.
static double pose_difference(const md5_skeleton *skeleton, const md5_xform *a, const md5_xform *b)
{
    double max_difference = 0;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const real_transform first = ik_joint_transform(skeleton, a, i);
        const real_transform second = ik_joint_transform(skeleton, b, i);
        max_difference =
            fmax(max_difference, real3_distance(first.translation, second.translation));
        max_difference = fmax(max_difference, real4_angle(first.rotation, second.rotation));
    }
    return max_difference;
}

TEST (pose_tools_mirror_of_our_own_model) {
    SCOPED_MODEL model = our_model("models/bobbin/bobbin.md5mesh");
    SCOPED_ANIM anim = our_anim("models/bobbin/walk.md5anim");
    REQUIRE(model && anim);
    SCOPED_BINDING binding = md5_bind(model, anim, NULL, NULL);
    const md5_skeleton *const skeleton = &model->skeleton;
    enum { MAX = 256 };
    REQUIRE(skeleton->num_joints <= MAX);
    uint32_t mirror[MAX];
    uint32_t num_sided = 0;
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        const char *const name = skeleton->joints[joint].name;
        const char *const end = name + strlen(name) - 2;
        num_sided += strcmp(end, "_l") == 0 || strcmp(end, "_r") == 0;
    }
    CHECK(num_sided > 20);
    CHECK_UINT(md5_build_mirror(skeleton, mirror), num_sided);
    md5_xform pose[MAX];
    md5_xform image[MAX];
    md5_xform back[MAX];
    // The model is symmetrical, so its bind pose is its own mirror image.
    md5_mirror_pose(model, mirror, model->bind_local, image);
    CHECK_SMALL(pose_difference(skeleton, model->bind_local, image), 1e-4);
    for (int i = 0; i < 10; i++) {
        const md5_sample_position sample =
            md5_sample_position_at(anim, anim->duration * 0.1 * i, MD5_WRAP_LOOP);
        md5_sample(binding, sample, MD5_ROOT_FILE, pose);
        md5_mirror_pose(model, mirror, pose, image);
        md5_mirror_pose(model, mirror, image, back);
        CHECK_SMALL(pose_difference(skeleton, pose, back), 2e-4);
        CHECK(ik_is_sound(image, skeleton->num_joints));
        for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
            const real3 from = ik_joint_transform(skeleton, pose, mirror[joint]).translation;
            const real3 to = ik_joint_transform(skeleton, image, joint).translation;
            CHECK_SMALL(real3_distance((real3){from.x, -from.y, from.z}, to), 5e-4);
        }
    }
}

// For any bind pose, mirroring a pose twice gives that pose, and the bind pose is its own mirror
// image.
TEST (pose_tools_mirror_twice_is_the_same_pose) {
    uint64_t random = 1;
    for (int round = 0; round < 2000; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 7, 5, &random);
        md5_xform bind[IK_JOINTS];
        md5_xform pose[IK_JOINTS];
        md5_xform image[IK_JOINTS];
        md5_xform back[IK_JOINTS];
        md5_mat34 joints[IK_JOINTS];
        memcpy(bind, rig.pose, sizeof bind);
        md5_local_to_model(&rig.skeleton, bind, joints);
        const md5_model model = {.skeleton = rig.skeleton, .bind_local = bind, .bind = joints};
        const uint32_t mirror[7] = {0, 2, 1, 5, 4, 3, 6};
        for (uint32_t i = 0; i < 7; i++)
            pose[i] = (md5_xform){random_unit_quat(&random), ik_random_point(5, &random), 0};
        md5_mirror_pose(&model, mirror, pose, image);
        CHECK(ik_is_sound(image, 7));
        md5_mirror_pose(&model, mirror, image, back);
        for (uint32_t i = 0; i < 7; i++) {
            CHECK_SMALL(real_angle(pose[i].rotation, back[i].rotation), 1e-5);
            CHECK_SMALL(real_distance(pose[i].translation, back[i].translation), 1e-4);
        }
        md5_mirror_pose(&model, mirror, bind, image);
        for (uint32_t i = 0; i < 7; i++)
            CHECK_SMALL(real_angle(bind[i].rotation, image[i].rotation), 2e-6);
    }
}

// -- Space ----------------------------------------------------------------------------------------
//
// Joints in model space, attachments, and id's joint modifiers.

TEST (pose_tools_joint_in_model_is_the_product_of_its_parents) {
    uint64_t random = 1;
    double max_difference = 0;
    for (int round = 0; round < 2000; round++) {
        ik_rig rig;
        const uint32_t count = 1 + test_random_u32(&random) % IK_JOINTS;
        ik_make_rig(&rig, count, 8, &random);
        const uint32_t joint = test_random_u32(&random) % count;
        const md5_xform found = md5_joint_in_model(&rig.skeleton, rig.pose, joint);
        const real_transform exact = ik_joint_transform(&rig.skeleton, rig.pose, joint);
        max_difference =
            fmax(max_difference, real3_distance(to_real3(found.translation), exact.translation));
        CHECK_SMALL(real4_angle(to_unit_real4(found.rotation), exact.rotation), 1e-4);
        CHECK(ik_is_sound(&found, 1));

        md5_mat34 matrices[IK_JOINTS];
        md5_local_to_model(&rig.skeleton, rig.pose, matrices);
        const md5_mat34 at = md5_attach_to_joint(matrices, joint, (md5_xform){.rotation.w = 1});
        CHECK_NEAR(at.m[3], exact.translation.x, 2e-3);
        CHECK_NEAR(at.m[11], exact.translation.z, 2e-3);
    }
    CHECK_SMALL(max_difference, 2e-3); // 64 joints, 500 units from the root
}

// A rotation of another length is normalized. A rotation of length 0 becomes the identity.
TEST (pose_tools_joint_in_model_has_unit_length) {
    uint64_t random = 7;
    ik_rig rig;
    ik_make_rig(&rig, 2, 8, &random);
    const md5_quat q = rig.pose[rig.chain[1]].rotation;
    const md5_quat exact = md5_joint_in_model(&rig.skeleton, rig.pose, rig.chain[1]).rotation;
    rig.pose[rig.chain[1]].rotation = (md5_quat){2 * q.x, 2 * q.y, 2 * q.z, 2 * q.w};
    const md5_quat found = md5_joint_in_model(&rig.skeleton, rig.pose, rig.chain[1]).rotation;
    CHECK_SMALL(real_angle(found, exact), 1e-6);
    CHECK_NEAR(real4_length(found) * real4_length(found), 1, 1e-6);
    rig.pose[rig.chain[1]].rotation = (md5_quat){0, 0, 0, 0};
    const md5_quat none = md5_joint_in_model(&rig.skeleton, rig.pose, rig.chain[1]).rotation;
    CHECK(none.x == 0 && none.y == 0 && none.z == 0);
    CHECK(none.w == 1);
}

TEST (pose_tools_attach_places_an_object_in_the_hand) {
    uint64_t random = 2;
    for (int round = 0; round < 500; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 4, 8, &random);
        md5_mat34 matrices[IK_JOINTS];
        md5_local_to_model(&rig.skeleton, rig.pose, matrices);
        const md5_xform grip = {random_unit_quat(&random), ik_random_point(3, &random), 0};
        const md5_mat34 sword = md5_attach_to_joint(matrices, rig.chain[3], grip);
        const md5_vec3 point = ik_random_point(5, &random);
        const md5_vec3 found = md5_mat34_point(sword, point);
        const real_transform hand = ik_joint_transform(&rig.skeleton, rig.pose, rig.chain[3]);
        const real3 rotated = real4_rotate(to_unit_real4(grip.rotation), to_real3(point));
        const real3 in_hand =
            real4_rotate(hand.rotation, real3_add(to_real3(grip.translation), rotated));
        const real3 expected = real3_add(hand.translation, in_hand);
        CHECK_NEAR(found.x, expected.x, 1e-4);
        CHECK_NEAR(found.y, expected.y, 1e-4);
        CHECK_NEAR(found.z, expected.z, 1e-4);
    }
}

// The table of the original engine, for column vectors. The comments have its own notation for row
// vectors: P is the rotation of the parent, and L the rotation of the joint.
static real_transform expected_transform(md5_joint_space space, real_transform parent,
                                         md5_xform local, md5_xform change, bool is_first)
{
    const real4 l = to_unit_real4(local.rotation);
    const real4 mod = to_unit_real4(change.rotation);
    const real3 t = to_real3(local.translation);
    const real3 move = to_real3(change.translation);
    real_transform out = {real4_mul(parent.rotation, l), real4_rotate(parent.rotation, t)};
    switch (space) {
    case MD5_JOINT_LOCAL: // mod . (L . P), t_p + (t + mod) . P
        out.rotation = real4_mul(out.rotation, mod);
        out.translation = real4_rotate(parent.rotation, real3_add(t, move));
        break;
    case MD5_JOINT_LOCAL_OVERRIDE: // mod . P, t_p + mod . P
        out.rotation = real4_mul(parent.rotation, mod);
        out.translation = real4_rotate(parent.rotation, move);
        break;
    case MD5_JOINT_MODEL: // (L . P) . mod, t_p + t . P + mod; joint 0: mod
        out.rotation = real4_mul(mod, out.rotation);
        if (is_first)
            return (real_transform){out.rotation, move};
        out.translation = real3_add(out.translation, move);
        break;
    default: // mod, mod
        return (real_transform){mod, move};
    }
    out.translation = real3_add(out.translation, parent.translation);
    return out;
}

TEST (pose_tools_modify_joint_equals_the_original_engine) {
    uint64_t random = 3;
    for (int round = 0; round < 20000; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 4, 8, &random);
        const uint32_t joint = test_random_u32(&random) % 4;
        const uint32_t above = rig.joints[joint].parent;
        const md5_joint_space space = (md5_joint_space)(round % 4);
        const md5_xform change = {random_unit_quat(&random), ik_random_point(9, &random), 0};
        const real_transform parent = above == MD5_NONE
                                          ? (real_transform){{0, 0, 0, 1}, {0, 0, 0}}
                                          : ik_joint_transform(&rig.skeleton, rig.pose, above);
        const real_transform expected =
            expected_transform(space, parent, rig.pose[joint], change, joint == 0);
        md5_modify_joint(&rig.skeleton, joint, space, change, 1, rig.pose);
        const real_transform found = ik_joint_transform(&rig.skeleton, rig.pose, joint);
        CHECK_SMALL(real3_distance(found.translation, expected.translation), 1e-4);
        CHECK_SMALL(real4_angle(found.rotation, expected.rotation), 2e-6);
        CHECK(ik_is_sound(rig.pose, 4));
    }
}

TEST (pose_tools_modify_joint_changes_by_its_weight) {
    uint64_t random = 4;
    for (int round = 0; round < 2000; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 3, 8, &random);
        const ik_rig initial_rig = rig;
        ik_rig full = rig;
        const md5_joint_space space = (md5_joint_space)(round % 4);
        const md5_xform change = {random_unit_quat(&random), ik_random_point(9, &random), 0};
        md5_modify_joint(&rig.skeleton, 1, space, change, round % 3 ? 0 : NAN, rig.pose);
        CHECK_BYTES(initial_rig.pose, rig.pose, sizeof rig.pose);
        md5_modify_joint(&rig.skeleton, 1, space, change, 2, full.pose);
        const float weight = (float)test_random(&random);
        md5_modify_joint(&rig.skeleton, 1, space, change, weight, rig.pose);
        const md5_quat rotated =
            md5_quat_slerp(initial_rig.pose[1].rotation, full.pose[1].rotation, weight);
        const md5_vec3 moved =
            md5_vec3_lerp(initial_rig.pose[1].translation, full.pose[1].translation, weight);
        CHECK_SMALL(real_angle(rotated, rig.pose[1].rotation), 2e-6);
        CHECK_SMALL(real_distance(moved, rig.pose[1].translation), 1e-5);
    }
}

TEST (pose_tools_modify_joint_keeps_components_that_are_not_given) {
    uint64_t random = 5;
    ik_rig rig;
    ik_make_rig(&rig, 3, 8, &random);
    for (int space = 0; space < 4; space++) {
        ik_rig rotated = rig;
        ik_rig moved = rig;
        ik_rig none = rig;
        const md5_xform change = {{0.6f, 0, 0, 0.8f}, {NAN, 0, 0}, 0};
        md5_modify_joint(&rig.skeleton, 2, (md5_joint_space)space, change, 1, rotated.pose);
        CHECK_BYTES(&rotated.pose[2].translation, &rig.pose[2].translation, sizeof(md5_vec3));
        CHECK(memcmp(&rotated.pose[2].rotation, &rig.pose[2].rotation, sizeof(md5_quat)) != 0);
        const md5_xform move = {{0, 0, 0, 0}, {1, 2, 3}, 0};
        md5_modify_joint(&rig.skeleton, 2, (md5_joint_space)space, move, 1, moved.pose);
        CHECK_BYTES(&moved.pose[2].rotation, &rig.pose[2].rotation, sizeof(md5_quat));
        CHECK(memcmp(&moved.pose[2].translation, &rig.pose[2].translation, sizeof(md5_vec3)) != 0);
        const md5_xform odd = {{NAN, 0, INFINITY, 1}, {1, INFINITY, 0}, 0};
        md5_modify_joint(&rig.skeleton, 2, (md5_joint_space)space, odd, 1, none.pose);
        md5_modify_joint(&rig.skeleton, 3, (md5_joint_space)space, change, 1, none.pose);
        CHECK_BYTES(none.pose, rig.pose, sizeof rig.pose);
    }
    // The parent is so far away that a position in the model cannot be expressed relative to it.
    const uint32_t tip = rig.chain[2];
    const uint32_t above = rig.chain[1];
    rig.pose[above].translation = (md5_vec3){3e38f, 3e38f, -3e38f};
    const md5_vec3 before = rig.pose[tip].translation;
    const md5_xform move = {{0, 0, 0, 0}, {1, 2, 3}, 0};
    md5_modify_joint(&rig.skeleton, tip, MD5_JOINT_MODEL_OVERRIDE, move, 0.5f, rig.pose);
    CHECK_BYTES(&rig.pose[tip].translation, &before, sizeof before);
}
