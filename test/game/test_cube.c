// Models of Cube 2's engines: md5.cfg files, their language and their commands.
#include "test/game/cube_case.h"
#include "test/test.h"

#include <math.h>

// -- Parts ----------------------------------------------------------------------------------------

TEST (cube_reads_parts_with_their_animations) {
    cube_case test;
    const md5_cube2 *const cube =
        open_cube(&test, "md5load body.md5mesh hero 60\n"
                         "md5anim \"idle|mapmodel\" idle.md5anim 15 2 3 -4\n"
                         "md5anim run ../shared/run.md5anim // a comment; md5anim x y\n"
                         "md5load \"sub\\hat.md5mesh\"; md5link 0 1 tag_hat 1 2 3\n");
    if (!CHECK(cube))
        return;
    CHECK_UINT(cube->num_parts, 2);
    const md5_cube2_part *const body = &cube->parts[0];
    CHECK_STRING(body->mesh, "data/actors/hero/body.md5mesh");
    CHECK_STRING(body->skeleton, "hero");
    CHECK_NEAR(body->smooth, 60.0, 0.0);
    CHECK_STRING(cube->parts[1].mesh, "data/actors/hero/sub/hat.md5mesh");
    CHECK_STRING(cube->parts[1].skeleton, "");
    CHECK_UINT(body->num_anims, 2);
    CHECK_STRING(body->anims[0].names, "idle|mapmodel");
    CHECK_STRING(body->anims[0].file, "data/actors/hero/idle.md5anim");
    CHECK_NEAR(body->anims[0].frame_rate, 15.0, 0.0);
    CHECK(body->anims[0].priority == 2 && body->anims[0].start == 3 && body->anims[0].end == -4);
    CHECK_STRING(body->anims[1].file, "data/actors/shared/run.md5anim");
    CHECK_NEAR(body->anims[1].frame_rate, 10.0, 0.0); // the engines' default
    CHECK_UINT(cube->num_links, 1);
    CHECK(cube->links[0].parent == 0 && cube->links[0].child == 1);
    CHECK_STRING(cube->links[0].tag, "tag_hat");
    CHECK_NEAR(cube->links[0].translation.y, -2.0, 0.0); // mirrored
    CHECK_UINT(cube->num_warnings, 0);
    close_cube(&test);
}

TEST (cube_reads_what_belongs_to_the_whole_model) {
    cube_case test;
    const md5_cube2 *const cube =
        open_cube(&test, "mdlscale 420\nmdltrans 1 2 -0.25f\nmdlyaw 90; mdlpitch 5; mdlroll -7\n"
                         "md5load a.md5mesh\nmdlspin 50 1\nmdlcollide\n");
    if (!CHECK(cube))
        return;
    CHECK_NEAR(cube->scale, 1.05, 1e-6);
    CHECK_NEAR(cube->translation.x, 1.0, 0.0);
    CHECK_NEAR(cube->translation.y, -2.0, 0.0);
    CHECK_NEAR(cube->translation.z, -0.25, 0.0);
    CHECK_NEAR(cube->yaw, 90.0, 0.0);
    CHECK_NEAR(cube->pitch, 5.0, 0.0);
    CHECK_NEAR(cube->roll, -7.0, 0.0);
    CHECK_UINT(cube->num_settings, 2);
    CHECK_STRING(cube->settings[0].word, "mdlspin");
    CHECK_UINT(cube->settings[0].num_values, 2);
    CHECK_STRING(cube->settings[0].values[1], "1");
    CHECK_UINT(cube->settings[1].num_values, 0);
    CHECK_UINT(cube->num_warnings, 0);
    close_cube(&test);
}

TEST (cube_reads_pitch_and_masks) {
    cube_case test;
    const md5_cube2 *const cube =
        open_cube(&test, "md5load a.md5mesh\nmd5pitch \"\" 1\nmd5pitch Head 0.5 10 -20 30\n"
                         "md5anim idle a.md5anim\nmd5animpart \"Waist  !Head\"\n"
                         "md5anim shoot b.md5anim\nmd5anim shoot c.md5anim\n");
    if (!CHECK(cube))
        return;
    const md5_cube2_part *const part = &cube->parts[0];
    CHECK_UINT(part->num_pitches, 2);
    CHECK_STRING(part->pitches[0].joint, "");
    CHECK_NEAR(part->pitches[0].min, -360.0, 0.0); // neither is given: the whole circle
    CHECK_NEAR(part->pitches[0].max, 360.0, 0.0);
    CHECK_NEAR(part->pitches[1].offset, 10.0, 0.0);
    CHECK_NEAR(part->pitches[1].min, -20.0, 0.0);
    CHECK_NEAR(part->pitches[1].max, 30.0, 0.0);
    CHECK_UINT(part->num_masks, 2);
    CHECK_UINT(part->masks[0].num_joints, 0);
    CHECK_UINT(part->masks[1].num_joints, 2);
    CHECK_STRING(part->masks[1].joints[0], "Waist");
    CHECK_STRING(part->masks[1].joints[1], "!Head");
    CHECK(md5_find_cube2_anim(part, 0, "idle") == 0);
    CHECK(md5_find_cube2_anim(part, 0, "shoot") == MD5_NONE);
    CHECK(md5_find_cube2_anim(part, 1, "shoot") == 2); // the last match
    CHECK(md5_find_cube2_anim(part, 1, NULL) == MD5_NONE);
    close_cube(&test);
}

// The engines' matrix of a tag is that of the quaternion whose parts are the products of half
// angles; a turn about one axis is the same in any order.
TEST (cube_mirrors_tags) {
    cube_case test;
    const md5_cube2 *const cube = open_cube(
        &test, "md5load a.md5mesh\nmd5tag Hand tag_weapon 1 2 3 90 0 0\nmd5tag Head tag_head\n"
               "md5tag Foot tag_foot 0 0 0 0 60\n");
    if (!CHECK(cube))
        return;
    const md5_cube2_tag *const tags = cube->parts[0].tags;
    CHECK_UINT(cube->parts[0].num_tags, 3);
    CHECK_STRING(tags[0].joint, "Hand");
    CHECK_STRING(tags[0].name, "tag_weapon");
    CHECK_NEAR(tags[0].transform.translation.y, -2.0, 0.0);
    CHECK_NEAR(tags[0].transform.rotation.x, -0.70710678, 1e-6);
    CHECK_NEAR(tags[0].transform.rotation.w, 0.70710678, 1e-6);
    CHECK_NEAR(tags[1].transform.rotation.w, 1.0, 0.0);
    CHECK_NEAR(tags[2].transform.rotation.y, 0.5, 1e-6); // about the mirrored axis: same sign
    close_cube(&test);
}

static bool matches(const char *pattern, const char *name)
{
    const md5_cube2_anim anim = {.names = pattern};
    const md5_cube2_part part = {.num_anims = 1, .anims = &anim};
    return md5_find_cube2_anim(&part, 0, name) == 0;
}

TEST (cube_matches_names_by_patterns) {
    CHECK(matches("idle", "idle"));
    CHECK(!matches("idle", "idle2"));
    CHECK(!matches("idle2", "idle"));
    CHECK(matches("jump|idle", "idle"));
    CHECK(matches("jump|pistol *", "pistol reload"));
    CHECK(!matches("pistol *", "pistol"));
    CHECK(!matches("pistol *", "pistol reload now"));
    CHECK(matches("*", "idle"));
    CHECK(matches("* idle", "gun idle"));
    CHECK(!matches("*", ""));
    CHECK(!matches("*idle", "gunidle")); // * takes the whole word
    CHECK(matches("a||b", ""));
    CHECK(!matches("a|b", ""));
}

static void check_range(int32_t start, int32_t end, uint32_t first, uint32_t count)
{
    const md5_cube2_anim anim = {.start = start, .end = end};
    uint32_t actual_first = 99, actual_count = 99;
    md5_cube2_anim_range(&anim, 10, &actual_first, &actual_count);
    CHECK_UINT(actual_first, first);
    CHECK_UINT(actual_count, count);
}

TEST (cube_ranges_are_never_empty) {
    check_range(0, 0, 0, 10);
    check_range(3, 0, 3, 7);
    check_range(12, 0, 9, 1);
    check_range(-4, 0, 6, 4);
    check_range(-12, 0, 0, 10);
    check_range(0, 4, 0, 4);
    check_range(0, 40, 0, 10);
    check_range(0, -4, 0, 6);
    check_range(8, -4, 8, 1);
    check_range(INT32_MIN, INT32_MIN, 0, 1);
    check_range(INT32_MAX, INT32_MAX, 9, 1);
}

// -- Looks ----------------------------------------------------------------------------------------

TEST (cube_finds_the_skin_of_a_mesh) {
    cube_case test;
    md5_cube2_look skin;
    const md5_cube2 *const cube = open_cube(
        &test,
        "md5load a.md5mesh\nmd5skin * base.png\nmd5skin Body \"<dds>skin.png\" <dds><a:1>mask.jpg "
        "0.25 0.0625\nmd5bumpmap Body normals.png\nmd5envmap * skyboxes/lump\nmd5spec * 25\n"
        "md5ambient * 3; md5glow * 4; md5glare * 0.5 1; md5alphatest Body 0.5\n"
        "md5alphablend Body 0; md5cullface Body 1; md5material Body 2 3; md5scroll Body 1 -1\n"
        "md5shader Body glossy; md5fullbright Body 0.75\n");
    if (!CHECK(cube))
        return;
    md5_build_cube2_look(&cube->parts[0], "Body", &skin);
    CHECK_STRING(skin.texture.path, "data/actors/hero/skin.png");
    CHECK_STRING(skin.texture.commands, "<dds>");
    CHECK_STRING(skin.masks.path, "data/actors/hero/mask.jpg");
    CHECK_STRING(skin.masks.commands, "<dds><a:1>");
    CHECK_NEAR(skin.environment_range[0], 0.25, 0.0);
    CHECK_NEAR(skin.environment_range[1], 0.0625, 0.0);
    CHECK_STRING(skin.normal_map.path, "data/actors/hero/normals.png");
    CHECK_STRING(skin.environment, "skyboxes/lump");
    CHECK_STRING(skin.shader, "glossy");
    CHECK_NEAR(skin.specular, 25.0, 0.0);
    CHECK_NEAR(skin.ambient, 3.0, 0.0);
    CHECK_NEAR(skin.glow, 4.0, 0.0);
    CHECK_NEAR(skin.glare[1], 1.0, 0.0);
    CHECK_NEAR(skin.alpha_test, 0.5, 0.0);
    CHECK(skin.alpha_blend == MD5_CUBE2_OFF && skin.cull_face == MD5_CUBE2_ON);
    CHECK(skin.materials[0] == 2 && skin.materials[1] == 3);
    CHECK_NEAR(skin.scroll[1], -1.0, 0.0);
    CHECK_NEAR(skin.fullbright, 0.75, 0.0);
    md5_build_cube2_look(&cube->parts[0], "Tail", &skin);
    CHECK_STRING(skin.texture.path, "data/actors/hero/base.png");
    CHECK_STRING(skin.texture.commands, "");
    CHECK(!skin.masks.path && !skin.normal_map.path && !skin.shader);
    CHECK_NEAR(skin.alpha_test, -1.0, 0.0);
    CHECK(skin.cull_face == MD5_CUBE2_UNSET);
    close_cube(&test);
}

// -- Adjustments ----------------------------------------------------------------------------------

typedef struct quat64 {
    double x, y, z, w;
} quat64;

static quat64 times(quat64 a, quat64 b)
{
    return (quat64){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

static quat64 conjugate(quat64 q)
{
    return (quat64){-q.x, -q.y, -q.z, q.w};
}

// What the engines do to a dual quaternion: real = q real, dual = q^-1 dual.
static void turn_dual(quat64 *real, quat64 *dual, double x, double y, double z, double degrees)
{
    const double half = degrees * 3.14159265358979323846 / 360.0;
    const quat64 q = {x * sin(half), y * sin(half), z * sin(half), cos(half)};
    *real = times(q, *real);
    *dual = times(conjugate(q), *dual);
}

TEST (cube_adjusts_joints_as_the_engines_do) {
    const md5_cube2_adjustment adjustment = {.joint = "j",
                                             .yaw = 35.0f,
                                             .pitch = -50.0f,
                                             .roll = 20.0f,
                                             .translation = {0.5f, -0.25f, 1.0f}};
    const md5_xform local = {.rotation = {0.5f, 0.5f, -0.5f, -0.5f},
                             .translation = {1.0f, 2.0f, 3.0f}};
    // Mirrored: y and, of quaternions, x and z change their signs.
    quat64 real = {-0.5, 0.5, 0.5, -0.5};
    const quat64 half_translation = {0.5, -1.0, 1.5, 0.0};
    quat64 dual = times(half_translation, real);
    turn_dual(&real, &dual, 0, 0, 1, 35.0);
    turn_dual(&real, &dual, 0, -1, 0, -50.0);
    turn_dual(&real, &dual, -1, 0, 0, 20.0);
    const quat64 translation = times(dual, conjugate(real));
    const md5_cube2_part part = {.num_adjustments = 1, .adjustments = &adjustment};
    const md5_cube2_anim anim = {.num_adjustments = 1};
    const md5_joint joint = {.name = "j", .parent = MD5_NONE};
    const md5_skeleton skeleton = {.num_joints = 1, .joints = &joint};
    md5_xform adjusted = local;
    md5_cube2_adjust_pose(&part, &anim, &skeleton, &adjusted);
    CHECK_NEAR(adjusted.rotation.x, -real.x, 1e-6);
    CHECK_NEAR(adjusted.rotation.y, real.y, 1e-6);
    CHECK_NEAR(adjusted.rotation.z, -real.z, 1e-6);
    CHECK_NEAR(adjusted.rotation.w, real.w, 1e-6);
    CHECK_NEAR(adjusted.translation.x, 2.0 * translation.x + 0.5, 1e-5);
    CHECK_NEAR(adjusted.translation.y, -2.0 * translation.y - 0.25, 1e-5);
    CHECK_NEAR(adjusted.translation.z, 2.0 * translation.z + 1.0, 1e-5);
}

TEST (cube_adjusts_animations_that_come_later) {
    cube_case test;
    const md5_cube2 *const cube = open_cube(
        &test, "md5load a.md5mesh\nmd5anim a a.md5anim\nmd5adjust Hand 90 0 0 4 8 12\n"
               "md5anim b b.md5anim\nmd5adjust Hand\nmd5adjust Nobody 1\nmd5anim c c.md5anim\n"
               "md5anim again ../hero/a.md5anim\n");
    if (!CHECK(cube))
        return;
    const md5_cube2_part *const part = &cube->parts[0];
    const md5_joint joints[] = {{"Root", MD5_NONE}, {"Hand", 0}};
    const uint32_t order[] = {0, 1};
    const md5_skeleton skeleton = {.num_joints = 2, .joints = joints, .order = order};
    const md5_xform still = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    for (uint32_t i = 0; i < 4; i++) {
        static const uint32_t counts[] = {0, 1, 3, 0}; // a file is loaded once
        md5_xform pose[] = {still, still};
        CHECK_UINT(part->anims[i].num_adjustments, counts[i]);
        md5_cube2_adjust_pose(part, &part->anims[i], &skeleton, pose);
        const bool is_adjusted = i == 1;
        CHECK_NEAR(pose[0].rotation.w, 1.0, 0.0);
        CHECK_NEAR(pose[1].rotation.z, is_adjusted ? -0.70710678 : 0.0, 1e-6);
        CHECK_NEAR(pose[1].translation.x, is_adjusted ? 1.0 : 0.0, 0.0); // divided by 4
        CHECK_NEAR(pose[1].translation.y, is_adjusted ? -2.0 : 0.0, 0.0);
        CHECK_NEAR(pose[1].translation.z, is_adjusted ? 3.0 : 0.0, 0.0);
    }
    close_cube(&test);
}

TEST (cube_adjusts_poses_of_other_axes) {
    cube_case test;
    const md5_cube2 *const cube =
        open_cube(&test, "md5load a.md5mesh\nmd5adjust Hand 90 0 0 4 0 0\nmd5anim a a.md5anim\n");
    if (!CHECK(cube))
        return;
    const md5_joint joint = {"Hand", MD5_NONE};
    const uint32_t order = 0;
    const md5_skeleton skeleton = {.num_joints = 1,
                                   .joints = &joint,
                                   .order = &order,
                                   .axes = MD5_AXES_Y_UP_LEFT,
                                   .scale = 2.0f};
    md5_xform pose = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
    md5_cube2_adjust_pose(&cube->parts[0], &cube->parts[0].anims[0], &skeleton, &pose);
    // Unity's z is forward, y up, and its space is mirrored.
    CHECK_NEAR(pose.translation.z, 2.0, 1e-6);
    CHECK_NEAR(pose.translation.x, 0.0, 1e-6);
    CHECK_NEAR(fabs((double)pose.rotation.y), 0.70710678, 1e-6);
    CHECK(pose.rotation.y * pose.rotation.w > 0.0f); // to the right: clockwise from above
    close_cube(&test);
}
