// Joints in model space, attachments, and id's joint modifiers.
#include "test/ik/test_ik_case.h"

#include <math.h>
#include <string.h>

TEST (pose_tools_joint_in_model_is_the_product_of_its_parents) {
    uint64_t random = 1;
    double worst = 0.0, worst_turn = 0.0;
    for (int round = 0; round < 2000; round++) {
        ik_rig rig;
        const uint32_t count = 1 + test_random_u32(&random) % IK_JOINTS;
        ik_make_rig(&rig, count, 8.0, &random);
        const uint32_t joint = test_random_u32(&random) % count;
        const md5_xform found = md5_joint_in_model(&rig.skeleton, rig.pose, joint);
        const real_place exact = ik_place(&rig.skeleton, rig.pose, joint);
        worst = fmax(worst, real3_distance(real3_of(found.translation), exact.at));
        worst_turn = fmax(worst_turn, real4_angle(real4_of(found.rotation), exact.rotation));
        CHECK(ik_is_sound(&found, 1));

        md5_mat34 matrices[IK_JOINTS];
        md5_local_to_model(&rig.skeleton, rig.pose, matrices);
        const md5_mat34 at = md5_attach_to_joint(matrices, joint, (md5_xform){.rotation.w = 1.0f});
        CHECK_NEAR(at.m[3], exact.at.x, 2e-3);
        CHECK_NEAR(at.m[11], exact.at.z, 2e-3);
    }
    CHECK_NEAR(worst, 0.0, 2e-3); // 64 joints, 500 units from the root
    CHECK_NEAR(worst_turn, 0.0, 1e-4);
}

// A rotation of another length is normalized; one of length 0 becomes the identity.
TEST (pose_tools_joint_in_model_has_unit_length) {
    uint64_t random = 7;
    ik_rig rig;
    ik_make_rig(&rig, 2, 8.0, &random);
    const md5_quat q = rig.pose[rig.chain[1]].rotation;
    const md5_quat exact = md5_joint_in_model(&rig.skeleton, rig.pose, rig.chain[1]).rotation;
    rig.pose[rig.chain[1]].rotation = (md5_quat){2.0f * q.x, 2.0f * q.y, 2.0f * q.z, 2.0f * q.w};
    const md5_quat found = md5_joint_in_model(&rig.skeleton, rig.pose, rig.chain[1]).rotation;
    CHECK_NEAR(real4_angle(real4_of(found), real4_of(exact)), 0.0, 1e-6);
    CHECK_NEAR(
        (double)(found.x * found.x + found.y * found.y + found.z * found.z + found.w * found.w),
        1.0, 1e-6);
    rig.pose[rig.chain[1]].rotation = (md5_quat){0.0f, 0.0f, 0.0f, 0.0f};
    const md5_quat none = md5_joint_in_model(&rig.skeleton, rig.pose, rig.chain[1]).rotation;
    CHECK(none.x == 0.0f && none.y == 0.0f && none.z == 0.0f && none.w == 1.0f);
}

TEST (pose_tools_attach_places_a_thing_in_the_hand) {
    uint64_t random = 2;
    for (int round = 0; round < 500; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 4, 8.0, &random);
        md5_mat34 matrices[IK_JOINTS];
        md5_local_to_model(&rig.skeleton, rig.pose, matrices);
        const md5_xform grip = {made_any_rotation(&random), ik_random_point(3.0, &random), 0};
        const md5_mat34 sword = md5_attach_to_joint(matrices, rig.chain[3], grip);
        const md5_vec3 point = ik_random_point(5.0, &random);
        const md5_vec3 found = md5_mat34_point(sword, point);
        const real_place hand = ik_place(&rig.skeleton, rig.pose, rig.chain[3]);
        const real3 turned = real4_rotate(real4_of(grip.rotation), real3_of(point));
        const real3 g = real3_of(grip.translation);
        const real3 in_hand =
            real4_rotate(hand.rotation, (real3){g.x + turned.x, g.y + turned.y, g.z + turned.z});
        CHECK_NEAR(found.x, hand.at.x + in_hand.x, 1e-4);
        CHECK_NEAR(found.y, hand.at.y + in_hand.y, 1e-4);
        CHECK_NEAR(found.z, hand.at.z + in_hand.z, 1e-4);
    }
}

// The table of the original engine, for column vectors. The comments have its own notation for row
// vectors: P is the parent's, L the joint's own rotation.
static real_place expected_place(md5_joint_space space, real_place parent, md5_xform local,
                                 md5_xform change, bool is_first)
{
    const real4 l = real4_of(local.rotation), mod = real4_of(change.rotation);
    const real3 t = real3_of(local.translation), move = real3_of(change.translation);
    const real3 sum = {t.x + move.x, t.y + move.y, t.z + move.z};
    real_place out = {real4_mul(parent.rotation, l), real4_rotate(parent.rotation, t)};
    switch (space) {
    case MD5_JOINT_LOCAL: // mod . (L . P), t_p + (t + mod) . P
        out.rotation = real4_mul(out.rotation, mod);
        out.at = real4_rotate(parent.rotation, sum);
        break;
    case MD5_JOINT_LOCAL_OVERRIDE: // mod . P, t_p + mod . P
        out.rotation = real4_mul(parent.rotation, mod);
        out.at = real4_rotate(parent.rotation, move);
        break;
    case MD5_JOINT_MODEL: // (L . P) . mod, t_p + t . P + mod; joint 0: mod
        out.rotation = real4_mul(mod, out.rotation);
        if (is_first)
            return (real_place){out.rotation, move};
        out.at = (real3){out.at.x + move.x, out.at.y + move.y, out.at.z + move.z};
        break;
    default: // mod, mod
        return (real_place){mod, move};
    }
    out.at = (real3){out.at.x + parent.at.x, out.at.y + parent.at.y, out.at.z + parent.at.z};
    return out;
}

TEST (pose_tools_modify_joint_is_as_the_original_says) {
    uint64_t random = 3;
    double worst = 0.0, worst_turn = 0.0;
    for (int round = 0; round < 20000; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 4, 8.0, &random);
        const uint32_t joint = test_random_u32(&random) % 4;
        const int32_t above = rig.joints[joint].parent;
        const md5_joint_space space = (md5_joint_space)(round % 4);
        const md5_xform change = {made_any_rotation(&random), ik_random_point(9.0, &random), 0};
        const real_place parent = above < 0 ? (real_place){{0, 0, 0, 1}, {0, 0, 0}}
                                            : ik_place(&rig.skeleton, rig.pose, (uint32_t)above);
        const real_place expected =
            expected_place(space, parent, rig.pose[joint], change, joint == 0);
        md5_modify_joint(&rig.skeleton, joint, space, change, 1.0f, rig.pose);
        const real_place found = ik_place(&rig.skeleton, rig.pose, joint);
        worst = fmax(worst, real3_distance(found.at, expected.at));
        worst_turn = fmax(worst_turn, real4_angle(found.rotation, expected.rotation));
        CHECK(ik_is_sound(rig.pose, 4));
    }
    CHECK_NEAR(worst, 0.0, 1e-4);
    CHECK_NEAR(worst_turn, 0.0, 2e-6);
}

TEST (pose_tools_modify_joint_changes_by_its_weight) {
    uint64_t random = 4;
    for (int round = 0; round < 2000; round++) {
        ik_rig rig;
        ik_make_rig(&rig, 3, 8.0, &random);
        const ik_rig old = rig;
        ik_rig whole = rig;
        const md5_joint_space space = (md5_joint_space)(round % 4);
        const md5_xform change = {made_any_rotation(&random), ik_random_point(9.0, &random), 0};
        md5_modify_joint(&rig.skeleton, 1, space, change, round % 3 ? 0.0f : NAN, rig.pose);
        CHECK(memcmp(old.pose, rig.pose, sizeof rig.pose) == 0);
        md5_modify_joint(&rig.skeleton, 1, space, change, 2.0f, whole.pose);
        const float weight = (float)test_random(&random);
        md5_modify_joint(&rig.skeleton, 1, space, change, weight, rig.pose);
        const md5_quat turned =
            md5_quat_slerp(old.pose[1].rotation, whole.pose[1].rotation, weight);
        const md5_vec3 moved =
            md5_vec3_lerp(old.pose[1].translation, whole.pose[1].translation, weight);
        CHECK_NEAR(real4_angle(real4_of(turned), real4_of(rig.pose[1].rotation)), 0.0, 2e-6);
        CHECK_NEAR(real3_distance(real3_of(moved), real3_of(rig.pose[1].translation)), 0.0, 1e-5);
    }
}

TEST (pose_tools_modify_joint_leaves_what_it_is_not_given) {
    uint64_t random = 5;
    ik_rig rig;
    ik_make_rig(&rig, 3, 8.0, &random);
    for (int space = 0; space < 4; space++) {
        ik_rig turned = rig, moved = rig, none = rig;
        const md5_xform turn = {{0.6f, 0.0f, 0.0f, 0.8f}, {NAN, 0.0f, 0.0f}, 0};
        md5_modify_joint(&rig.skeleton, 2, (md5_joint_space)space, turn, 1.0f, turned.pose);
        CHECK(memcmp(&turned.pose[2].translation, &rig.pose[2].translation, sizeof(md5_vec3)) == 0);
        CHECK(memcmp(&turned.pose[2].rotation, &rig.pose[2].rotation, sizeof(md5_quat)) != 0);
        const md5_xform move = {{0.0f, 0.0f, 0.0f, 0.0f}, {1.0f, 2.0f, 3.0f}, 0};
        md5_modify_joint(&rig.skeleton, 2, (md5_joint_space)space, move, 1.0f, moved.pose);
        CHECK(memcmp(&moved.pose[2].rotation, &rig.pose[2].rotation, sizeof(md5_quat)) == 0);
        CHECK(memcmp(&moved.pose[2].translation, &rig.pose[2].translation, sizeof(md5_vec3)) != 0);
        const md5_xform odd = {{NAN, 0.0f, INFINITY, 1.0f}, {1.0f, INFINITY, 0.0f}, 0};
        md5_modify_joint(&rig.skeleton, 2, (md5_joint_space)space, odd, 1.0f, none.pose);
        md5_modify_joint(&rig.skeleton, 3, (md5_joint_space)space, turn, 1.0f, none.pose);
        CHECK(memcmp(none.pose, rig.pose, sizeof rig.pose) == 0);
    }
    // A parent so far away that a position in the model cannot be expressed relative to it.
    const uint32_t tip = rig.chain[2], above = rig.chain[1];
    rig.pose[above].translation = (md5_vec3){3e38f, 3e38f, -3e38f};
    const md5_vec3 before = rig.pose[tip].translation;
    const md5_xform move = {{0.0f, 0.0f, 0.0f, 0.0f}, {1.0f, 2.0f, 3.0f}, 0};
    md5_modify_joint(&rig.skeleton, tip, MD5_JOINT_MODEL_OVERRIDE, move, 0.5f, rig.pose);
    CHECK(memcmp(&rig.pose[tip].translation, &before, sizeof before) == 0);
}
