// Bind pose, local transforms to model space, model space to palette.
#include "test/pose/clip_case.h"
#include "test/scoped.h"

enum { MAX_JOINTS = 64 };

// A skeleton whose joints are in any order: children before parents, several roots.
typedef struct random_skeleton {
    md5_skeleton skeleton;
    md5_joint joints[MAX_JOINTS];
    uint32_t order[MAX_JOINTS];
} random_skeleton;

static void make_skeleton(random_skeleton *fixture, uint32_t count, bool shuffled, uint64_t *random)
{
    for (uint32_t i = 0; i < count; i++)
        fixture->order[i] = i;
    if (shuffled) {
        for (uint32_t i = count; i-- > 1;) {
            const uint32_t swap_index = test_random_u32(random) % (i + 1);
            const uint32_t swap = fixture->order[i];
            fixture->order[i] = fixture->order[swap_index];
            fixture->order[swap_index] = swap;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const bool is_root = i == 0 || test_random(random) < 0.1;
        const uint32_t above = is_root ? 0 : test_random_u32(random) % i;
        fixture->joints[fixture->order[i]] = (md5_joint){
            .name = "",
            .parent = is_root ? MD5_NONE : fixture->order[above],
        };
    }
    fixture->skeleton =
        (md5_skeleton){.num_joints = count, .joints = fixture->joints, .order = fixture->order};
}

static md5_xform random_transform(uint64_t *random, double size)
{
    md5_quat q = {0};
    double square = 0;
    while (square < 0.01 || square > 1) {
        q = (md5_quat){(float)(2 * test_random(random) - 1), (float)(2 * test_random(random) - 1),
                       (float)(2 * test_random(random) - 1), 0};
        square = (q.x * q.x + q.y * q.y + q.z * q.z);
    }
    return (md5_xform){
        .rotation = md5_quat_from_xyz(q.x, q.y, q.z),
        .translation = {(float)(size * (test_random(random) - 0.5)),
                        (float)(size * (test_random(random) - 0.5)),
                        (float)(size * (test_random(random) - 0.5))},
    };
}

// Writes the largest difference of rotation entries, and of translations.
static void compare(const md5_mat34 *a, const md5_mat34 *b, double *rotation, double *translation)
{
    for (int i = 0; i < 12; i++) {
        double *maximum = i % 4 == 3 ? translation : rotation;
        *maximum = fmax(*maximum, fabs((double)a->m[i] - b->m[i]));
    }
}

static const md5_mat34 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};

// A rotation by 90 degrees about z converts x to y. Joints 1 and 2 are one unit along x from their
// parents.
TEST (hierarchy_places_a_known_chain) {
    const md5_joint joints[3] = {{"a", MD5_NONE}, {"b", 0}, {"c", 1}};
    const uint32_t order[3] = {0, 1, 2};
    const md5_skeleton skeleton = {.num_joints = 3, .joints = joints, .order = order};
    const float half = 0.70710678f;
    const md5_xform pose[3] = {
        {.rotation = {0, 0, 0, -1}, .translation = {0, 0, 5}},
        {.rotation = {0, 0, half, half}, .translation = {1, 0, 0}},
        {.rotation = {0, 0, half, half}, .translation = {1, 0, 0}},
    };
    md5_mat34 found[3];
    md5_local_to_model(&skeleton, pose, found);
    double rotation = 0;
    double translation = 0;
    compare(&found[0], &(md5_mat34){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 5}}, &rotation, &translation);
    compare(&found[1], &(md5_mat34){{0, -1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 5}}, &rotation,
            &translation);
    compare(&found[2], &(md5_mat34){{-1, 0, 0, 1, 0, -1, 0, 1, 0, 0, 1, 5}}, &rotation,
            &translation);
    CHECK_SMALL(rotation, 1e-6);
    CHECK_SMALL(translation, 1e-6);
}

// Two joints from the .md5mesh of a door. The w of the local rotations must be <= 0, and the
// inverse must undo the bind pose.
TEST (bind_pose_of_a_known_pair) {
    const md5_joint joints[2] = {{"a", MD5_NONE}, {"b", 0}};
    const uint32_t order[2] = {0, 1};
    const md5_skeleton skeleton = {.num_joints = 2, .joints = joints, .order = order};
    const float half = 0.70710678f;
    // Both joints are rotated by 90 degrees about x (y to z), so they have no rotation relative to
    // each other.
    const md5_xform transforms[2] = {
        {.rotation = {-half, 0, 0, -half}, .translation = {1, 2, 3}},
        {.rotation = {-half, 0, 0, -half}, .translation = {1, 2, 7}},
    };
    md5_xform local[2];
    md5_mat34 bind[2];
    md5_mat34 inverse[2];
    compute_bind_pose(&skeleton, transforms, local, bind, inverse);
    CHECK_BYTES(&local[0], &transforms[0], sizeof local[0]);
    CHECK_NEAR(local[1].rotation.w, -1, 1e-7);
    CHECK_NEAR(local[1].translation.y, 4, 1e-6);
    CHECK_SMALL(local[1].translation.z, 1e-6);
    double rotation = 0;
    double translation = 0;
    compare(&bind[1], &(md5_mat34){{1, 0, 0, 1, 0, 0, -1, 2, 0, 1, 0, 7}}, &rotation, &translation);
    compare(&inverse[1], &(md5_mat34){{1, 0, 0, -1, 0, 0, 1, -7, 0, -1, 0, 2}}, &rotation,
            &translation);
    CHECK_SMALL(rotation, 1e-6);
    CHECK_SMALL(translation, 1e-6);
}

TEST (bind_pose_is_consistent_for_any_hierarchy) {
    uint64_t random = 1;
    double rotation = 0;
    double translation = 0;
    double undone_rotation = 0;
    double undone_translation = 0;
    const double size = 100;
    for (int round = 0; round < 200; round++) {
        random_skeleton fixture;
        const uint32_t count = 1 + test_random_u32(&random) % MAX_JOINTS;
        make_skeleton(&fixture, count, round % 2, &random);
        md5_xform transforms[MAX_JOINTS];
        md5_xform local[MAX_JOINTS];
        md5_mat34 bind[MAX_JOINTS];
        md5_mat34 inverse[MAX_JOINTS];
        md5_mat34 joints[MAX_JOINTS];
        md5_mat34 palette[MAX_JOINTS];
        for (uint32_t i = 0; i < count; i++)
            transforms[i] = random_transform(&random, size);
        compute_bind_pose(&fixture.skeleton, transforms, local, bind, inverse);

        // The bind pose, posed again, is the bind pose, and its palette moves nothing.
        md5_local_to_model(&fixture.skeleton, local, joints);
        const md5_model model = {.skeleton = fixture.skeleton, .inverse_bind = inverse};
        md5_build_palette(&model, joints, palette);
        for (uint32_t i = 0; i < count; i++) {
            compare(&joints[i], &bind[i], &rotation, &translation);
            compare(&palette[i], &identity, &undone_rotation, &undone_translation);
            const md5_mat34 expected = md5_mat34_from_xform(transforms[i]);
            compare(&bind[i], &expected, &rotation, &translation);
            CHECK(local[i].rotation.w <= 0 && local[i].pad == 0);
        }
        md5_build_palette(&model, joints, joints);
        CHECK_BYTES(joints, palette, count * sizeof *palette);
    }
    CHECK_SMALL(rotation, 3e-6);
    CHECK_SMALL(translation, 3e-6 * size);
    CHECK_SMALL(undone_rotation, 3e-6);
    CHECK_SMALL(undone_translation, 6e-6 * size);
}

// Matrices through the hierarchy, against transforms multiplied from the joint up to its root.
TEST (hierarchy_agrees_with_products_of_transforms) {
    uint64_t random = 2;
    double rotation = 0;
    double translation = 0;
    for (int round = 0; round < 200; round++) {
        random_skeleton fixture;
        const uint32_t count = 1 + test_random_u32(&random) % MAX_JOINTS;
        make_skeleton(&fixture, count, true, &random);
        md5_xform pose[MAX_JOINTS];
        md5_mat34 joints[MAX_JOINTS];
        for (uint32_t i = 0; i < count; i++)
            pose[i] = random_transform(&random, 10);
        md5_local_to_model(&fixture.skeleton, pose, joints);
        for (uint32_t i = 0; i < count; i++) {
            md5_xform model_transform = pose[i];
            for (uint32_t above = fixture.joints[i].parent; above != MD5_NONE;
                 above = fixture.joints[above].parent)
                model_transform = md5_xform_mul(pose[above], model_transform);
            const md5_mat34 expected = md5_mat34_from_xform(model_transform);
            compare(&joints[i], &expected, &rotation, &translation);
        }
    }
    CHECK_SMALL(rotation, 1e-5);
    CHECK_SMALL(translation, 1e-4);
}

// -- Transforms in model space ----------------------------------------------------------------

// Returns the product of two transforms, computed with the rotation matrix in double precision.
static md5_xform product_in_doubles(md5_xform a, md5_xform b)
{
    const double x = a.rotation.x;
    const double y = a.rotation.y;
    const double z = a.rotation.z;
    const double w = a.rotation.w;
    const double bx = b.rotation.x;
    const double by = b.rotation.y;
    const double bz = b.rotation.z;
    const double bw = b.rotation.w;
    const double p[3] = {b.translation.x, b.translation.y, b.translation.z};
    const double m[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
    };
    double moved[3];
    for (int i = 0; i < 3; i++)
        moved[i] = m[i][0] * p[0] + m[i][1] * p[1] + m[i][2] * p[2];
    return (md5_xform){
        .rotation = {(float)(w * bx + x * bw + y * bz - z * by),
                     (float)(w * by + y * bw + z * bx - x * bz),
                     (float)(w * bz + z * bw + x * by - y * bx),
                     (float)(w * bw - x * bx - y * by - z * bz)},
        .translation = {(float)(a.translation.x + moved[0]), (float)(a.translation.y + moved[1]),
                        (float)(a.translation.z + moved[2])},
    };
}

// Raises `largest` to the largest difference of two elements. Not by fmax(): GCC 12 for aarch64
// ends with an internal error if it vectorizes such a loop.
static void compare_floats(const float *a, const float *b, int count, double *largest)
{
    for (int i = 0; i < count; i++) {
        const double difference = fabs((double)a[i] - b[i]);
        if (difference > *largest)
            *largest = difference;
    }
}

static void compare_transforms(const md5_xform *a, const md5_xform *b, double *rotation,
                               double *translation)
{
    compare_floats(&a->rotation.x, &b->rotation.x, 4, rotation);
    compare_floats(&a->translation.x, &b->translation.x, 3, translation);
}

TEST (poses_in_model_space_are_products_and_can_be_inverted) {
    uint64_t random = 4;
    double rotation = 0;
    double translation = 0;
    double back_rotation = 0;
    double back_translation = 0;
    for (int round = 0; round < 200; round++) {
        random_skeleton fixture;
        const uint32_t count = 1 + test_random_u32(&random) % MAX_JOINTS;
        make_skeleton(&fixture, count, true, &random);
        md5_xform pose[MAX_JOINTS];
        md5_xform joints[MAX_JOINTS];
        md5_xform round_trip[MAX_JOINTS];
        for (uint32_t i = 0; i < count; i++)
            pose[i] = random_transform(&random, 10);
        md5_local_to_model_xforms(&fixture.skeleton, pose, joints);
        md5_model_to_local_xforms(&fixture.skeleton, joints, round_trip);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t parent = fixture.joints[i].parent;
            const md5_xform expected =
                parent == MD5_NONE ? pose[i] : product_in_doubles(joints[parent], pose[i]);
            compare_transforms(&joints[i], &expected, &rotation, &translation);
            compare_transforms(&round_trip[i], &pose[i], &back_rotation, &back_translation);
        }
        // The same conversions in place.
        memcpy(round_trip, pose, count * sizeof *round_trip);
        md5_local_to_model_xforms(&fixture.skeleton, round_trip, round_trip);
        CHECK_BYTES(round_trip, joints, count * sizeof *round_trip);
        md5_model_to_local_xforms(&fixture.skeleton, joints, pose);
        md5_model_to_local_xforms(&fixture.skeleton, round_trip, round_trip);
        CHECK_BYTES(round_trip, pose, count * sizeof *round_trip);
    }
    CHECK_SMALL(rotation, 5e-7);
    CHECK_SMALL(translation, 2e-5);
    CHECK_SMALL(back_rotation, 1e-6);
    CHECK_SMALL(back_translation, 1e-4);
}

// Without renormalizing, 10000 products of unit quaternions are off by 1e-4.
TEST (long_chains_in_model_space_keep_unit_rotations) {
    enum { LONG = 10000 };
    static md5_joint joints[LONG];
    static uint32_t order[LONG];
    static md5_xform pose[LONG];
    static md5_xform found[LONG];
    uint64_t random = 5;
    for (uint32_t i = 0; i < LONG; i++) {
        joints[i] = (md5_joint){"", i - 1};
        order[i] = i;
        pose[i] = random_transform(&random, 0.1);
    }
    const md5_skeleton skeleton = {.num_joints = LONG, .joints = joints, .order = order};
    md5_local_to_model_xforms(&skeleton, pose, found);
    for (int i = 0; i < LONG; i++) {
        const md5_quat q = found[i].rotation;
        const double x = q.x;
        const double y = q.y;
        const double z = q.z;
        const double w = q.w;
        CHECK_SMALL(x * x + y * y + z * z + w * w - 1, 1e-6);
    }
}

// -- Indices of names -----------------------------------------------------------------------------

// md5_find_joint(), md5_find_mesh(): indices of names.

static const char text[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 4\nnumMeshes 3\njoints {\n"
    "\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"Arm\" 0 ( 1 0 0 ) ( 0 0 0 )\n"
    "\"arm\" 0 ( 2 0 0 ) ( 0 0 0 )\n\"arm\" 2 ( 3 0 0 ) ( 0 0 0 )\n}\n"
    "mesh {\nname \"coat\"\nshader \"a\"\nnumverts 0\nnumtris 0\nnumweights 0\n}\n"
    "mesh {\nname \"hat\"\nshader \"a\"\nnumverts 0\nnumtris 0\nnumweights 0\n}\n"
    "mesh {\nname \"hat\"\nshader \"hat\"\nnumverts 0\nnumtris 0\nnumweights 0\n}\n";

TEST (find_gives_the_first_of_a_name_and_minus_one_for_none) {
    SCOPED_MODEL model = text_model(text, NULL);
    REQUIRE(model);
    const md5_skeleton *const skeleton = &model->skeleton;
    CHECK(md5_find_joint(skeleton, "root") == 0);
    CHECK(md5_find_joint(skeleton, "Arm") == 1);
    CHECK(md5_find_joint(skeleton, "arm") == 2);
    CHECK(md5_find_joint(skeleton, "ar") == MD5_NONE);
    CHECK(md5_find_joint(skeleton, "") == MD5_NONE);
    CHECK(md5_find_joint(skeleton, NULL) == MD5_NONE);
    CHECK(md5_find_mesh(model, "coat") == 0);
    CHECK(md5_find_mesh(model, "hat") == 1);
    CHECK(md5_find_mesh(model, "a") == MD5_NONE);
    CHECK(md5_find_mesh(model, NULL) == MD5_NONE);
}
