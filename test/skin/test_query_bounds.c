// Bounds of joints, the nearest joint, single vertices and boxes of crowds.
#include "test/own.h"
#include "test/skin/test_query_case.h"

static const char mesh_file[] = "models/bobbin/bobbin.md5mesh";
static const char anim_file[] = "models/bobbin/run.md5anim";

static bool holds(const md5_bounds *outer, const md5_bounds *inner, float slack)
{
    return outer->min.x <= inner->min.x + slack && outer->min.y <= inner->min.y + slack
           && outer->min.z <= inner->min.z + slack && outer->max.x >= inner->max.x - slack
           && outer->max.y >= inner->max.y - slack && outer->max.z >= inner->max.z - slack;
}

#define TEST_HERE(title)                                                          \
    TEST_IF (title, query_case, made,                                             \
             query_load(made, mesh_file, anim_file) || (query_free(made), false), \
             query_free(made))

TEST_HERE (bounds_of_joints_hold_the_posed_model) {
    const uint32_t num_joints = made->model->skeleton.num_joints;
    OWN md5_bounds *const boxes = calloc(num_joints, sizeof *boxes);
    CHECK(md5_build_joint_bounds(made->model, boxes));
    for (int i = 0; i < 30; i++) {
        query_pose(made, i * 0.031);
        const md5_bounds found = md5_bounds_from_joints(boxes, made->joints, num_joints);
        md5_bounds exact = md5_bounds_from_points(NULL, 0);
        for (uint32_t m = 0; m < made->model->num_meshes; m++)
            exact = md5_bounds_union(
                exact,
                md5_bounds_from_points(made->positions[m], made->model->meshes[m].num_vertices));
        CHECK(holds(&found, &exact, 1e-3f));
        // Boxes of joints are loose, but not useless.
        CHECK(found.max.z - found.min.z < 2.0f * (exact.max.z - exact.min.z));
    }
}

TEST (joint_bounds_hold_the_points_of_their_weights) {
    static const md5_weight weights[3] = {
        {0, 0.5f, {1, 2, 3}}, {0, 0.5f, {-1, 5, 0}}, {2, 1, {0, 0, 0}}};
    const md5_joint joints[3] = {{"a", MD5_NONE}, {"b", 0}, {"c", 1}};
    md5_mesh mesh = {.num_weights = 3, .weights = weights};
    const md5_model model = {
        .skeleton = {.num_joints = 3, .joints = joints}, .num_meshes = 1, .meshes = &mesh};
    md5_bounds boxes[3];
    CHECK(md5_build_joint_bounds(&model, boxes));
    CHECK(boxes[0].min.x == -1 && boxes[0].min.y == 2 && boxes[0].min.z == 0);
    CHECK(boxes[0].max.x == 1 && boxes[0].max.y == 5 && boxes[0].max.z == 3);
    CHECK(boxes[1].min.x > boxes[1].max.x);
    CHECK(boxes[2].min.x == 0 && boxes[2].max.x == 0);
    mesh.num_off_sums = 1;
    CHECK(!md5_build_joint_bounds(&model, boxes));
}

TEST (joint_bounds_report_negative_biases) {
    static const md5_weight weights[2] = {{0, 1.5f, {1, 2, 3}}, {0, -0.5f, {-1, 5, 0}}};
    const md5_joint joints[1] = {{"a", MD5_NONE}};
    const md5_mesh mesh = {.num_weights = 2, .weights = weights};
    const md5_model model = {
        .skeleton = {.num_joints = 1, .joints = joints}, .num_meshes = 1, .meshes = &mesh};
    md5_bounds box;
    CHECK(!md5_build_joint_bounds(&model, &box));
}

TEST (transformed_bounds_hold_the_transformed_corners_tightly) {
    const md5_bounds box = {{-1, 2, -3}, {4, 5, 6}};
    // A rotation of 60 degrees about (1, 1, 1) / sqrt(3), as a matrix.
    const float p = 2.0f / 3.0f, q = -1.0f / 3.0f;
    const md5_mat34 m = {{p, q, p, 10, p, p, q, -20, q, p, p, 30}};
    double min[3] = {INFINITY, INFINITY, INFINITY}, max[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 8; i++) {
        const double corner[3] = {i & 1 ? 4 : -1, i & 2 ? 5 : 2, i & 4 ? 6 : -3};
        for (int row = 0; row < 3; row++) {
            const float *const r = m.m + 4 * row;
            const double at = r[0] * corner[0] + r[1] * corner[1] + r[2] * corner[2] + r[3];
            min[row] = fmin(min[row], at);
            max[row] = fmax(max[row], at);
        }
    }
    const md5_bounds moved = md5_bounds_transform(box, m);
    CHECK_NEAR(moved.min.x, min[0], 1e-5);
    CHECK_NEAR(moved.min.y, min[1], 1e-5);
    CHECK_NEAR(moved.min.z, min[2], 1e-5);
    CHECK_NEAR(moved.max.x, max[0], 1e-5);
    CHECK_NEAR(moved.max.y, max[1], 1e-5);
    CHECK_NEAR(moved.max.z, max[2], 1e-5);
    const md5_bounds empty = md5_bounds_transform(md5_bounds_from_points(NULL, 0), m);
    CHECK(empty.min.x > empty.max.x);
}

TEST_HERE (nearest_joint_is_that_with_the_smallest_distance) {
    const uint32_t num_joints = made->model->skeleton.num_joints;
    uint64_t random = 5;
    query_pose(made, 0.1);
    for (int i = 0; i < 100; i++) {
        const md5_vec3 to = {(float)(100 * test_random(&random) - 50),
                             (float)(100 * test_random(&random) - 50),
                             (float)(100 * test_random(&random))};
        float distance = -1;
        const uint32_t nearest = md5_find_nearest_joint(made->joints, num_joints, to, &distance);
        double smallest = INFINITY;
        uint32_t expected = MD5_NONE;
        for (uint32_t joint = 0; joint < num_joints; joint++) {
            const float *const m = made->joints[joint].m;
            const double d =
                hypot(hypot((double)m[3] - to.x, (double)m[7] - to.y), (double)m[11] - to.z);
            if (d < smallest - 1e-9) {
                smallest = d;
                expected = joint;
            }
        }
        CHECK(nearest == expected);
        CHECK_NEAR(distance, smallest, 1e-4);
    }
    CHECK(md5_find_nearest_joint(NULL, 0, (md5_vec3){0}, NULL) == MD5_NONE);
    CHECK(md5_find_nearest_joint(made->joints, num_joints, (md5_vec3){NAN, 0, 0}, NULL)
          == MD5_NONE);
}

static md5_mat34 joint_at(float x, float y, float z)
{
    return (md5_mat34){{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z}};
}

TEST (ray_picks_the_joint_nearest_to_its_line_but_not_behind_it) {
    const md5_mat34 joints[3] = {joint_at(10, 1, 0), joint_at(-10, 0.1f, 0), joint_at(20, 0.5f, 0)};
    float distance = 0;
    md5_ray ray = {.direction = {3, 0, 0}};
    CHECK(md5_find_nearest_joint_to_ray(joints, 3, ray, &distance) == 2);
    CHECK_NEAR(distance, 0.5, 1e-6);
    ray.limit = 10.0f / 3.0f;
    CHECK(md5_find_nearest_joint_to_ray(joints, 3, ray, &distance) == 0);
    CHECK_NEAR(distance, 1.0, 1e-6);
    ray.direction.x = -3;
    CHECK(md5_find_nearest_joint_to_ray(joints, 3, ray, &distance) == 1);
}

TEST_HERE (single_vertices_are_where_skinning_puts_them) {
    query_pose(made, 0.4);
    for (uint32_t m = 0; m < made->model->num_meshes; m++) {
        const md5_mesh *const mesh = &made->model->meshes[m];
        OWN md5_vec3 *const positions = calloc(mesh->num_vertices, sizeof *positions);
        OWN md5_vec3 *const normals = calloc(mesh->num_vertices, sizeof *normals);
        md5_skin(mesh, made->palette, positions, normals, NULL);
        for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex += 7) {
            md5_vec3 at, normal;
            const md5_skin_job job = {.mesh = mesh,
                                      .palette = made->palette,
                                      .vertices = &vertex,
                                      .count = 1,
                                      .positions = &at,
                                      .normals = &normal};
            md5_skin_batch(&job, 1, NULL);
            CHECK_BYTES(&at, &positions[vertex], sizeof at);
            CHECK_BYTES(&normal, &normals[vertex], sizeof normal);
        }
    }
}

// -- Crowds ---------------------------------------------------------------------------------------

enum { CROWD = 500 };

static double random_side(uint64_t *random)
{
    return 200.0 * test_random(random) - 100.0;
}

// Every tenth box is empty.
static void made_crowd(md5_bounds *boxes, uint64_t *random)
{
    for (int i = 0; i < CROWD; i++) {
        const md5_vec3 at = {(float)random_side(random), (float)random_side(random),
                             (float)random_side(random)};
        const float half = (float)(20.0 * test_random(random));
        boxes[i] = (md5_bounds){{at.x - half, at.y - half, at.z - half},
                                {at.x + half, at.y + half, at.z + half}};
        if (i % 10 == 0)
            boxes[i] = md5_bounds_from_points(NULL, 0);
    }
}

static double clamp(double value, float min, float max)
{
    return fmin(fmax(value, min), max);
}

TEST (sphere_finds_the_boxes_whose_nearest_point_it_holds) {
    md5_bounds boxes[CROWD];
    uint64_t random = 6;
    made_crowd(boxes, &random);
    for (int turn = 0; turn < 20; turn++) {
        const md5_vec3 center = {(float)random_side(&random), (float)random_side(&random),
                                 (float)random_side(&random)};
        const float radius = (float)(60.0 * test_random(&random));
        uint32_t found[CROWD], next = 0;
        const uint32_t count = md5_find_in_sphere(boxes, CROWD, center, radius, found);
        for (uint32_t i = 0; i < CROWD; i++) {
            const md5_bounds *const box = &boxes[i];
            const double x = clamp(center.x, box->min.x, box->max.x) - center.x;
            const double y = clamp(center.y, box->min.y, box->max.y) - center.y;
            const double z = clamp(center.z, box->min.z, box->max.z) - center.z;
            const double miss = sqrt(x * x + y * y + z * z) - radius;
            const bool is_found = next < count && found[next] == i;
            next += is_found;
            if (i % 10 == 0)
                CHECK(!is_found);
            else if (fabs(miss) > 1e-3)
                CHECK(is_found == (miss < 0.0));
        }
        CHECK_UINT(next, count);
    }
    CHECK_UINT(md5_find_in_sphere(boxes, CROWD, (md5_vec3){0}, -1.0f, (uint32_t[CROWD]){0}), 0);
    CHECK_UINT(md5_find_in_sphere(boxes, CROWD, (md5_vec3){NAN, 0, 0}, 1e9f, (uint32_t[CROWD]){0}),
               0);
    CHECK_UINT(md5_find_in_sphere(NULL, 0, (md5_vec3){0}, 1.0f, NULL), 0);
}

TEST (box_finds_the_boxes_that_share_a_point) {
    const md5_bounds boxes[4] = {{{0, 0, 0}, {1, 1, 1}},
                                 {{1, 1, 1}, {2, 2, 2}},
                                 {{2, 0, 0}, {3, 1, 1}},
                                 {{1, 1, 1}, {-1, -1, -1}}};
    uint32_t found[4];
    CHECK_UINT(md5_find_in_bounds(boxes, 4, (md5_bounds){{0.5f, 0.5f, 0.5f}, {1, 1, 1}}, found), 2);
    CHECK(found[0] == 0 && found[1] == 1);
    CHECK_UINT(md5_find_in_bounds(boxes, 4, (md5_bounds){{0, 0, 0}, {9, 9, 0.5f}}, found), 2);
    CHECK(found[0] == 0 && found[1] == 2);
    CHECK_UINT(md5_find_in_bounds(boxes, 4, md5_bounds_from_points(NULL, 0), found), 0);
}

TEST (planes_find_the_boxes_that_are_not_behind_one) {
    // A wedge: x from 0 to 10, y from -x to x.
    const md5_vec4 planes[4] = {{1, 0, 0, 0}, {-1, 0, 0, 10}, {1, -1, 0, 0}, {1, 1, 0, 0}};
    const md5_bounds boxes[5] = {{{5, 0, 0}, {6, 1, 1}},
                                 {{-3, -1, 0}, {-1, 1, 1}},
                                 {{11, 0, 0}, {12, 1, 1}},
                                 {{2, 5, 0}, {3, 6, 1}},
                                 {{9, 8, 0}, {20, 30, 1}}};
    uint32_t found[5];
    CHECK_UINT(md5_find_in_planes(boxes, 5, planes, 4, found), 2);
    CHECK(found[0] == 0 && found[1] == 4);
    CHECK_UINT(md5_find_in_planes(boxes, 5, NULL, 0, found), 5);
}

TEST (ray_finds_the_boxes_it_passes_through) {
    md5_bounds boxes[CROWD];
    uint64_t random = 7;
    made_crowd(boxes, &random);
    uint32_t found[CROWD], next = 0;
    const md5_ray ray = {.origin = {-150, 1, 2}, .direction = {1, 0.02f, -0.03f}};
    const uint32_t count = md5_find_on_ray(boxes, CROWD, ray, found);
    CHECK(count > 0);
    for (uint32_t i = 0; i < CROWD; i++) {
        const bool is_found = next < count && found[next] == i;
        next += is_found;
        CHECK(is_found == md5_raycast_bounds(ray, boxes[i], NULL));
    }
}

// A point is inside all planes if its clip coordinates x and y are within -w..w and z is within
// near_depth * w..w, computed in doubles.
static bool is_in_clip(const md5_mat44 *m, md5_vec3 p, double near_depth)
{
    double clip[4];
    for (int row = 0; row < 4; row++)
        clip[row] = (double)m->m[row] * p.x + (double)m->m[4 + row] * p.y
                    + (double)m->m[8 + row] * p.z + m->m[12 + row];
    return fabs(clip[0]) <= clip[3] && fabs(clip[1]) <= clip[3] && clip[2] <= clip[3]
           && clip[2] >= near_depth * clip[3];
}

static bool is_inside(const md5_vec4 *planes, md5_vec3 p)
{
    bool inside = true;
    for (int i = 0; i < 6; i++)
        inside = inside
                 && (double)planes[i].x * p.x + (double)planes[i].y * p.y
                            + (double)planes[i].z * p.z + planes[i].w
                        >= 0.0;
    return inside;
}

TEST (frustum_planes_enclose_what_the_camera_sees) {
    static const md5_vec3 eye = {120, -40, 60}, at = {0, 10, 30}, up = {0, 0, 1};
    const float fars[3] = {300.0f, INFINITY, 1.0f};
    uint64_t random = 8;
    for (int i = 0; i < 4; i++) {
        const md5_depth depth = i == 0 ? MD5_DEPTH_MINUS_ONE_TO_ONE : MD5_DEPTH_ZERO_TO_ONE;
        const float near_z = i == 3 ? 300.0f : 1.0f, far_z = fars[i == 3 ? 2 : i % 2];
        const md5_mat44 m = md5_mat44_mul(md5_mat44_perspective(50, 1.5f, near_z, far_z, depth),
                                          md5_mat44_look_at(eye, at, up));
        md5_vec4 planes[6];
        md5_frustum_planes(m, depth, planes);
        uint32_t num_inside = 0;
        for (int turn = 0; turn < 2000; turn++) {
            const md5_vec3 p = {(float)(4 * random_side(&random)),
                                (float)(4 * random_side(&random)),
                                (float)(4 * random_side(&random))};
            const bool expected = is_in_clip(&m, p, i == 0 ? -1.0 : 0.0);
            num_inside += expected;
            CHECK(is_inside(planes, p) == expected);
        }
        CHECK(num_inside > 20 && num_inside < 1000);
    }
}
