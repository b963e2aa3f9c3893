// Queries of md5skin.h on posed models: bounds of joints, the nearest joint, single vertices, boxes
// of crowds, and rays.
#include "test/scoped.h"
#include "test/real.h"

static const char mesh_file[] = "models/bobbin/bobbin.md5mesh";

// Bobbin, posed at a time in a clip.
typedef struct query_case {
    md5_model *model;
    md5_anim *anim;
    md5_binding *binding;
    md5_mat34 *joints;    // [joints]
    md5_mat34 *palette;   // [joints]
    md5_xform *pose;      // [joints]
    md5_vec3 **positions; // [meshes][vertices] results of md5_skin()
} query_case;

// Loads the model and a clip. Returns false, with a failed check, if a file cannot be loaded. The
// caller frees the case even then.
static bool query_load(query_case *fixture)
{
    *fixture =
        (query_case){.model = our_model(mesh_file), .anim = our_anim("models/bobbin/walk.md5anim")};
    if (!CHECK(fixture->model && fixture->anim))
        return false;
    fixture->binding = md5_bind(fixture->model, fixture->anim, NULL, NULL);
    const uint32_t num_joints = fixture->model->skeleton.num_joints;
    fixture->joints = calloc(num_joints, sizeof(md5_mat34));
    fixture->palette = calloc(num_joints, sizeof(md5_mat34));
    fixture->pose = calloc(num_joints, sizeof(md5_xform));
    fixture->positions = calloc(fixture->model->num_meshes, sizeof(md5_vec3 *));
    for (uint32_t mesh = 0; mesh < fixture->model->num_meshes; mesh++)
        fixture->positions[mesh] =
            calloc(fixture->model->meshes[mesh].num_vertices, sizeof(md5_vec3));
    return CHECK(fixture->binding);
}

static void query_pose(query_case *fixture, double time)
{
    const md5_sample_position sample = md5_sample_position_at(fixture->anim, time, MD5_WRAP_LOOP);
    md5_pose_palette(fixture->binding, sample, MD5_ROOT_FILE, fixture->pose, fixture->joints,
                     fixture->palette);
    for (uint32_t mesh = 0; mesh < fixture->model->num_meshes; mesh++)
        md5_skin(&fixture->model->meshes[mesh], fixture->palette, fixture->positions[mesh], NULL,
                 NULL);
}

static void query_free(query_case *fixture)
{
    if (fixture->positions) {
        for (uint32_t mesh = 0; mesh < fixture->model->num_meshes; mesh++)
            free(fixture->positions[mesh]);
    }
    free(fixture->positions);
    free(fixture->pose);
    free(fixture->palette);
    free(fixture->joints);
    md5_free_binding(fixture->binding);
    md5_free_anim(fixture->anim);
    md5_free_model(fixture->model);
}

static md5_vec3 random_in(md5_vec3 low, md5_vec3 high, uint64_t *random)
{
    return (md5_vec3){test_betweenf(low.x, high.x, random), test_betweenf(low.y, high.y, random),
                      test_betweenf(low.z, high.z, random)};
}

// -- Bounds ---------------------------------------------------------------------------------------

static bool holds(const md5_bounds *outer, const md5_bounds *inner, float slack)
{
    const bool holds_x =
        outer->min.x <= inner->min.x + slack && outer->max.x >= inner->max.x - slack;
    const bool holds_y =
        outer->min.y <= inner->min.y + slack && outer->max.y >= inner->max.y - slack;
    const bool holds_z =
        outer->min.z <= inner->min.z + slack && outer->max.z >= inner->max.z - slack;
    return holds_x && holds_y && holds_z;
}

#define TEST_HERE(title)                                                                      \
    TEST_IF (title, query_case, fixture, query_load(fixture) || (query_free(fixture), false), \
             query_free(fixture))

TEST_HERE (bounds_of_joints_contain_the_posed_model) {
    const uint32_t num_joints = fixture->model->skeleton.num_joints;
    SCOPED_ARRAY(md5_bounds, boxes, num_joints);
    CHECK(md5_build_joint_bounds(fixture->model, boxes));
    for (int i = 0; i < 30; i++) {
        query_pose(fixture, i * 0.031);
        const md5_bounds found = md5_bounds_from_joints(boxes, fixture->joints, num_joints);
        md5_bounds exact = md5_bounds_from_points(NULL, 0);
        for (uint32_t m = 0; m < fixture->model->num_meshes; m++)
            exact = md5_bounds_union(
                exact, md5_bounds_from_points(fixture->positions[m],
                                              fixture->model->meshes[m].num_vertices));
        CHECK(holds(&found, &exact, 1e-3f));
        // The boxes of joints are larger than necessary, but not by too much.
        CHECK(found.max.z - found.min.z < 2 * (exact.max.z - exact.min.z));
    }
}

TEST (joint_bounds_contain_the_points_of_their_weights) {
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

TEST (transformed_bounds_fit_the_transformed_corners) {
    const md5_bounds box = {{-1, 2, -3}, {4, 5, 6}};
    // A rotation of 60 degrees about (1, 1, 1) / sqrt(3), as a matrix.
    const float p = 2.0f / 3.0f;
    const float q = -1.0f / 3.0f;
    const md5_mat34 m = {{p, q, p, 10, p, p, q, -20, q, p, p, 30}};
    md5_vec3 corners[8];
    for (int i = 0; i < 8; i++) {
        const double x = i & 1 ? 4 : -1;
        const double y = i & 2 ? 5 : 2;
        const double z = i & 4 ? 6 : -3;
        const real3 corner = {x, y, z};
        corners[i] = to_vec3(real3_transform(&m, corner, 1));
    }
    const md5_bounds expected = md5_bounds_from_points(corners, 8);
    const md5_bounds moved = md5_bounds_transform(box, m);
    CHECK_VEC3(moved.min, expected.min.x, expected.min.y, expected.min.z, 1e-5);
    CHECK_VEC3(moved.max, expected.max.x, expected.max.y, expected.max.z, 1e-5);
    const md5_bounds empty = md5_bounds_transform(md5_bounds_from_points(NULL, 0), m);
    CHECK(empty.min.x > empty.max.x);
}

TEST_HERE (nearest_joint_is_that_with_the_smallest_distance) {
    const uint32_t num_joints = fixture->model->skeleton.num_joints;
    uint64_t random = 5;
    query_pose(fixture, 0.1);
    for (int i = 0; i < 100; i++) {
        const md5_vec3 to = random_in((md5_vec3){-50, -50, 0}, (md5_vec3){50, 50, 100}, &random);
        float distance = -1;
        const uint32_t nearest = md5_find_nearest_joint(fixture->joints, num_joints, to, &distance);
        double smallest = INFINITY;
        uint32_t expected = MD5_NONE;
        for (uint32_t joint = 0; joint < num_joints; joint++) {
            const float *const m = fixture->joints[joint].m;
            const double d = real3_distance((real3){m[3], m[7], m[11]}, to_real3(to));
            if (d < smallest - 1e-9) {
                smallest = d;
                expected = joint;
            }
        }
        CHECK(nearest == expected);
        CHECK_NEAR(distance, smallest, 1e-4);
    }
    CHECK(md5_find_nearest_joint(NULL, 0, (md5_vec3){0}, NULL) == MD5_NONE);
    CHECK(md5_find_nearest_joint(fixture->joints, num_joints, (md5_vec3){NAN, 0, 0}, NULL)
          == MD5_NONE);
}

static md5_mat34 joint_at(float x, float y, float z)
{
    return (md5_mat34){{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z}};
}

TEST (ray_picks_the_joint_nearest_to_its_line_in_front_of_it) {
    const md5_mat34 joints[3] = {joint_at(10, 1, 0), joint_at(-10, 0.1f, 0), joint_at(20, 0.5f, 0)};
    float distance = 0;
    md5_ray ray = {.direction = {3, 0, 0}};
    CHECK(md5_find_nearest_joint_to_ray(joints, 3, ray, &distance) == 2);
    CHECK_NEAR(distance, 0.5, 1e-6);
    ray.limit = 10.0f / 3.0f;
    CHECK(md5_find_nearest_joint_to_ray(joints, 3, ray, &distance) == 0);
    CHECK_NEAR(distance, 1, 1e-6);
    ray.direction.x = -3;
    CHECK(md5_find_nearest_joint_to_ray(joints, 3, ray, &distance) == 1);
}

TEST_HERE (single_vertices_equal_skinning) {
    query_pose(fixture, 0.4);
    for (uint32_t m = 0; m < fixture->model->num_meshes; m++) {
        const md5_mesh *const mesh = &fixture->model->meshes[m];
        SCOPED_ARRAY(md5_vec3, positions, mesh->num_vertices);
        SCOPED_ARRAY(md5_vec3, normals, mesh->num_vertices);
        md5_skin(mesh, fixture->palette, positions, normals, NULL);
        for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex += 7) {
            md5_vec3 at;
            md5_vec3 normal;
            const md5_skin_job job = {.mesh = mesh,
                                      .palette = fixture->palette,
                                      .vertices = &vertex,
                                      .count = 1,
                                      .positions = &at,
                                      .normals = &normal};
            md5_skin_one(&job);
            CHECK_BYTES(&at, &positions[vertex], sizeof at);
            CHECK_BYTES(&normal, &normals[vertex], sizeof normal);
        }
    }
}

// -- Crowds ---------------------------------------------------------------------------------------

enum { CROWD = 500 };

// Returns a random vector whose components are in -size..size.
static md5_vec3 random_side(float size, uint64_t *random)
{
    return random_in((md5_vec3){-size, -size, -size}, (md5_vec3){size, size, size}, random);
}

// Creates random boxes, of which every tenth is empty.
static void random_crowd(md5_bounds *boxes, uint64_t *random)
{
    for (int i = 0; i < CROWD; i++) {
        const md5_vec3 at = random_side(100, random);
        const float half = (float)(20 * test_random(random));
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
    random_crowd(boxes, &random);
    for (int round = 0; round < 20; round++) {
        const md5_vec3 center = random_side(100, &random);
        const float radius = (float)(60 * test_random(&random));
        uint32_t found[CROWD];
        uint32_t next = 0;
        const uint32_t count = md5_cull_sphere(boxes, CROWD, center, radius, found);
        for (uint32_t i = 0; i < CROWD; i++) {
            const md5_bounds *const box = &boxes[i];
            const real3 nearest = {clamp(center.x, box->min.x, box->max.x),
                                   clamp(center.y, box->min.y, box->max.y),
                                   clamp(center.z, box->min.z, box->max.z)};
            const double miss = real3_distance(nearest, to_real3(center)) - radius;
            const bool is_found = next < count && found[next] == i;
            next += is_found;
            if (i % 10 == 0)
                CHECK(!is_found);
            else if (fabs(miss) > 1e-3)
                CHECK(is_found == (miss < 0));
        }
        CHECK_UINT(next, count);
    }
    CHECK_UINT(md5_cull_sphere(boxes, CROWD, (md5_vec3){0}, -1, (uint32_t[CROWD]){0}), 0);
    CHECK_UINT(md5_cull_sphere(boxes, CROWD, (md5_vec3){NAN, 0, 0}, 1e9f, (uint32_t[CROWD]){0}), 0);
    CHECK_UINT(md5_cull_sphere(NULL, 0, (md5_vec3){0}, 1, NULL), 0);
}

TEST (box_finds_the_boxes_that_share_a_point) {
    const md5_bounds boxes[4] = {{{0, 0, 0}, {1, 1, 1}},
                                 {{1, 1, 1}, {2, 2, 2}},
                                 {{2, 0, 0}, {3, 1, 1}},
                                 {{1, 1, 1}, {-1, -1, -1}}};
    uint32_t found[4];
    CHECK_UINT(md5_cull_bounds(boxes, 4, (md5_bounds){{0.5f, 0.5f, 0.5f}, {1, 1, 1}}, found), 2);
    CHECK(found[0] == 0 && found[1] == 1);
    CHECK_UINT(md5_cull_bounds(boxes, 4, (md5_bounds){{0, 0, 0}, {9, 9, 0.5f}}, found), 2);
    CHECK(found[0] == 0 && found[1] == 2);
    CHECK_UINT(md5_cull_bounds(boxes, 4, md5_bounds_from_points(NULL, 0), found), 0);
}

TEST (planes_find_the_boxes_in_front_of_all) {
    // A wedge: x from 0 to 10, y from -x to x.
    const md5_vec4 planes[4] = {{1, 0, 0, 0}, {-1, 0, 0, 10}, {1, -1, 0, 0}, {1, 1, 0, 0}};
    const md5_bounds boxes[5] = {{{5, 0, 0}, {6, 1, 1}},
                                 {{-3, -1, 0}, {-1, 1, 1}},
                                 {{11, 0, 0}, {12, 1, 1}},
                                 {{2, 5, 0}, {3, 6, 1}},
                                 {{9, 8, 0}, {20, 30, 1}}};
    uint32_t found[5];
    CHECK_UINT(md5_cull_planes(boxes, 5, planes, 4, found), 2);
    CHECK(found[0] == 0 && found[1] == 4);
    CHECK_UINT(md5_cull_planes(boxes, 5, NULL, 0, found), 5);
}

TEST (ray_finds_the_boxes_it_passes_through) {
    md5_bounds boxes[CROWD];
    uint64_t random = 7;
    random_crowd(boxes, &random);
    uint32_t found[CROWD];
    uint32_t next = 0;
    const md5_ray ray = {.origin = {-150, 1, 2}, .direction = {1, 0.02f, -0.03f}};
    const uint32_t count = md5_cull_ray(boxes, CROWD, ray, found);
    CHECK(count > 0);
    for (uint32_t i = 0; i < CROWD; i++) {
        const bool is_found = next < count && found[next] == i;
        next += is_found;
        CHECK(is_found == md5_raycast_bounds(ray, boxes[i], NULL));
    }
}

// Returns true if a point is inside all planes: its clip coordinates x and y are within -w..w, and
// z is within near_depth * w..w. Computed in doubles.
static bool is_in_clip(const md5_mat44 *m, md5_vec3 p, double near_depth)
{
    double clip[4];
    for (int row = 0; row < 4; row++)
        clip[row] = (double)m->m[row] * p.x + (double)m->m[4 + row] * p.y
                    + (double)m->m[8 + row] * p.z + m->m[12 + row];
    const bool is_in_depth = clip[2] <= clip[3] && clip[2] >= near_depth * clip[3];
    return fabs(clip[0]) <= clip[3] && fabs(clip[1]) <= clip[3] && is_in_depth;
}

static bool is_inside(const md5_vec4 *planes, md5_vec3 p)
{
    bool inside = true;
    for (int i = 0; i < 6; i++)
        inside = inside
                 && (double)planes[i].x * p.x + (double)planes[i].y * p.y
                            + (double)planes[i].z * p.z + planes[i].w
                        >= 0;
    return inside;
}

TEST (frustum_planes_enclose_the_visible_points) {
    static const md5_vec3 eye = {120, -40, 60};
    static const md5_vec3 at = {0, 10, 30};
    static const md5_vec3 up = {0, 0, 1};
    uint64_t random = 8;
    for (int i = 0; i < 6; i++) {
        const md5_depth depth = (md5_depth)(i % 3);
        const float far_z = i < 3 ? 300 : INFINITY;
        const md5_mat44 m = md5_mat44_mul(md5_mat44_perspective(50, 1.5f, 1, far_z, depth),
                                          md5_mat44_look_at(eye, at, up));
        md5_vec4 planes[6];
        md5_frustum_planes(m, depth, planes);
        uint32_t num_inside = 0;
        for (int round = 0; round < 2000; round++) {
            const md5_vec3 p = random_side(400, &random);
            const bool expected = is_in_clip(&m, p, depth == MD5_DEPTH_MINUS_ONE_TO_ONE ? -1 : 0);
            num_inside += expected;
            CHECK(is_inside(planes, p) == expected);
        }
        CHECK(num_inside > 20 && num_inside < 1000);
        const md5_vec3 before = md5_vec3_lerp(eye, at, 0.001f); // the near plane, the fifth
        CHECK(md5_vec3_dot((md5_vec3){planes[4].x, planes[4].y, planes[4].z}, before) + planes[4].w
              < 0);
    }
}

// -- Rays -----------------------------------------------------------------------------------------
//
// Rays against triangles and boxes, compared with another method in double precision: Moller and
// Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997.

// The intersection of a line and the plane of a triangle: t, the smallest of the three barycentric
// coordinates, and the cosine of the angle between the line and the outward normal.
typedef struct meeting {
    double t;
    double min_weight;
    double cosine;
} meeting;

static meeting meet_triangle(const query_case *fixture, uint32_t mesh, uint32_t triangle,
                             const md5_ray *ray)
{
    const uint32_t *const corners = fixture->model->meshes[mesh].indices + 3 * triangle;
    const md5_vec3 *const at = fixture->positions[mesh];
    real3 a = to_real3(at[corners[0]]);
    const real3 d = to_real3(ray->direction);
    const real3 ab = real3_sub(to_real3(at[corners[1]]), a);
    const real3 ac = real3_sub(to_real3(at[corners[2]]), a);
    const real3 p = real3_cross(d, ac);
    const real3 from = real3_sub(to_real3(ray->origin), a);
    const double determinant = real3_dot(ab, p);
    const real3 q = real3_cross(from, ab);
    const double u = real3_dot(from, p) / determinant;
    const double v = real3_dot(d, q) / determinant;
    const real3 normal = real3_cross(ac, ab);
    return (meeting){.t = real3_dot(ac, q) / determinant,
                     .min_weight = fmin(1 - u - v, fmin(u, v)),
                     .cosine =
                         real3_dot(normal, d) / sqrt(real3_dot(normal, normal) * real3_dot(d, d))};
}

// Returns the smallest t of all triangles that the ray hits well inside. *is_doubtful is true if
// the ray hits a nearer triangle so close to its border that rounding can decide.
static double first_hit(const query_case *fixture, const md5_ray *ray, bool *is_doubtful)
{
    double nearest = INFINITY;
    double doubtful = INFINITY;
    for (uint32_t mesh = 0; mesh < fixture->model->num_meshes; mesh++) {
        for (uint32_t i = 0; i < fixture->model->meshes[mesh].num_triangles; i++) {
            const meeting met = meet_triangle(fixture, mesh, i, ray);
            if (!(met.t >= 0) || (ray->front_only && met.cosine > 0))
                continue;
            if (met.min_weight > 1e-3)
                nearest = fmin(nearest, met.t);
            else if (met.min_weight > -1e-3)
                doubtful = fmin(doubtful, met.t);
        }
    }
    *is_doubtful = doubtful < nearest;
    return nearest;
}

static real3 along_ray(const md5_ray *ray, double t)
{
    return real3_add(to_real3(ray->origin), real3_scale(to_real3(ray->direction), t));
}

// Creates a ray from a random point around a box through a random point in it, which is at t = 1 /
// scale.
static md5_ray ray_through(const md5_bounds *box, float scale, uint64_t *random)
{
    const md5_vec3 origin = random_side(200, random);
    const md5_vec3 to = random_in(box->min, box->max, random);
    return (md5_ray){.origin = origin,
                     .direction = md5_vec3_scale(md5_vec3_sub(to, origin), scale)};
}

TEST_HERE (ray_hits_the_first_triangle_of_a_posed_model) {
    uint64_t random = 1;
    uint32_t num_hits = 0;
    uint32_t num_misses = 0;
    SCOPED_ARRAY(md5_vec3, scratch, fixture->model->max_vertices);
    for (int i = 0; i < 600; i++) {
        if (i % 100 == 0)
            query_pose(fixture, i * 0.0037);
        md5_ray ray = ray_through(&fixture->model->bounds, i % 3 == 0 ? 0.01f : 3, &random);
        ray.front_only = i % 2 == 0;
        bool is_doubtful;
        const double expected = first_hit(fixture, &ray, &is_doubtful);
        if (is_doubtful)
            continue;
        md5_hit hit;
        const bool is_hit = md5_raycast_model(ray, fixture->model, fixture->palette, &hit, scratch);
        num_hits += is_hit;
        num_misses += !is_hit;
        if (!CHECK(is_hit == (expected < INFINITY)) || !is_hit)
            continue;
        CHECK_NEAR(hit.t, expected, 1e-4 * expected);
        const meeting met = meet_triangle(fixture, hit.mesh, hit.triangle, &ray);
        CHECK_NEAR(met.t, expected, 1e-9 * expected);
        CHECK(hit.from_front == (met.cosine < 0));
        CHECK(!ray.front_only || hit.from_front);
    }
    CHECK(num_hits > 100 && num_misses > 100);
}

// The weights of a hit are not negative. The positions of the triangle, blended by these weights,
// give the point of the ray at the distance of the hit.
TEST_HERE (hit_weights_give_the_point_of_the_ray) {
    uint64_t random = 2;
    query_pose(fixture, 0.3);
    for (int i = 0; i < 300; i++) {
        const md5_ray ray = ray_through(&fixture->model->bounds, 1, &random);
        for (uint32_t m = 0; m < fixture->model->num_meshes; m++) {
            const md5_mesh *const mesh = &fixture->model->meshes[m];
            md5_hit hit;
            if (!md5_raycast_mesh(ray, mesh, fixture->positions[m], &hit))
                continue;
            real3 at = {0};
            for (int corner = 0; corner < 3; corner++) {
                const uint32_t vertex = mesh->indices[3 * hit.triangle + (uint32_t)corner];
                const md5_vec3 p = fixture->positions[m][vertex];
                const double weight = hit.weights[corner];
                CHECK(weight >= 0);
                at = real3_add(at, real3_scale(to_real3(p), weight));
            }
            const real3 on_ray = along_ray(&ray, hit.t);
            CHECK_VEC3(to_vec3(at), on_ray.x, on_ray.y, on_ray.z, 2e-3);
        }
    }
}

// The triangles of a box with 8 corners. The bits 0, 1 and 2 of the index of a corner are its x, y
// and z. Triangles are clockwise seen from outside.
static const uint32_t box_indices[36] = {
    0, 6, 4, 0, 2, 6, 1, 7, 3, 1, 5, 7, // x
    0, 5, 1, 0, 4, 5, 2, 7, 6, 2, 3, 7, // y
    0, 3, 2, 0, 1, 3, 4, 7, 5, 4, 6, 7, // z
};
static const uint32_t box_influences[9];
static const md5_mesh box_mesh = {.num_vertices = 8,
                                  .num_triangles = 12,
                                  .indices = box_indices,
                                  .first_influence = box_influences};

static md5_vec3 box_corner(uint32_t i, float x, float y, float z)
{
    const float corner_x = i & 1 ? x : -x;
    const float corner_y = i & 2 ? y : -y;
    const float corner_z = i & 4 ? z : -z;
    return (md5_vec3){corner_x, corner_y, corner_z};
}

TEST (no_ray_passes_between_the_triangles_of_a_closed_surface) {
    uint64_t random = 3;
    uint32_t num_misses = 0;
    for (int round = 0; round < 20000; round++) {
        md5_vec3 corners[8];
        for (uint32_t i = 0; i < 8; i++)
            corners[i] = md5_vec3_add(box_corner(i, 1, 1, 1), random_side(0.3f, &random));
        // Creates a ray from the inside through a corner, or through a point of an edge or a
        // diagonal.
        const uint32_t triangle = test_random_u32(&random) % 12;
        const uint32_t side = test_random_u32(&random);
        const md5_vec3 a = corners[box_indices[3 * triangle + side % 3]];
        const md5_vec3 b = corners[box_indices[3 * triangle + (side + 1) % 3]];
        const float s = round % 2 ? 0 : test_betweenf(0, 1, &random);
        const md5_ray ray = {.direction = md5_vec3_lerp(a, b, s)};
        md5_hit hit;
        num_misses += !md5_raycast_mesh(ray, &box_mesh, corners, &hit);
    }
    CHECK_UINT(num_misses, 0);
}

TEST (ray_from_outside_hits_the_front_of_a_box) {
    md5_vec3 corners[8];
    for (uint32_t i = 0; i < 8; i++)
        corners[i] = box_corner(i, 1, 2, 3);
    const float half[3] = {1, 2, 3};
    for (int side = 0; side < 6; side++) {
        float from[3] = {0.1f, 0.2f, 0.3f};
        float along[3] = {0};
        from[side / 2] = side % 2 ? 10 : -10;
        along[side / 2] = side % 2 ? -2 : 2;
        md5_ray ray = {.origin = {from[0], from[1], from[2]},
                       .direction = {along[0], along[1], along[2]},
                       .front_only = true};
        md5_hit hit = {0};
        CHECK(md5_raycast_mesh(ray, &box_mesh, corners, &hit));
        CHECK(hit.from_front);
        CHECK(hit.joint == MD5_NONE);
        CHECK_NEAR(hit.t, (10.0 - half[side / 2]) / 2.0, 1e-6);
        ray.limit = hit.t * 0.999f;
        CHECK(!md5_raycast_mesh(ray, &box_mesh, corners, &hit));
        ray.origin = (md5_vec3){0};
        ray.limit = 0;
        CHECK(!md5_raycast_mesh(ray, &box_mesh, corners, &hit));
        ray.front_only = false;
        CHECK(md5_raycast_mesh(ray, &box_mesh, corners, &hit) && !hit.from_front);
    }
}

TEST (ray_hits_a_point_inside_a_box) {
    const md5_bounds box = {{-1, -2, -3}, {1, 2, 3}};
    static const struct {
        md5_ray ray;
        bool is_hit;
        double t;
    } cases[] = {
        {{.origin = {-5, 0, 0}, .direction = {2, 0, 0}}, true, 2},
        {{.origin = {0, 1, 0}, .direction = {0, 0, -1}}, true, 0},
        {{.origin = {5, 0, 0}, .direction = {1, 0, 0}}, false, 0},
        {{.origin = {-5, 0, 0}, .direction = {1, 0, 0}, .limit = 3}, false, 0},
        {{.origin = {-5, 2, 0}, .direction = {1, 0, 0}}, true, 4}, // along a side: it is closed
        {{.origin = {-5, 2.001f, 0}, .direction = {1, 0, 0}}, false, 0},
    };
    for (size_t j = 0; j < COUNT_OF(cases); j++) {
        float t = -1;
        const bool is_hit = md5_raycast_bounds(cases[j].ray, box, &t);
        CHECK_THAT(is_hit == cases[j].is_hit, "row %td", j);
        if (is_hit)
            CHECK_NEAR(t, cases[j].t, 1e-6);
    }
    CHECK(!md5_raycast_bounds(cases[2].ray, box, NULL));
    const md5_bounds empty = md5_bounds_from_points(NULL, 0);
    CHECK(!md5_raycast_bounds((md5_ray){.direction = {1, 1, 1}}, empty, NULL));
}

TEST (ray_without_direction_or_of_nan_hits_nothing) {
    const md5_bounds box = {{-1, -1, -1}, {1, 1, 1}};
    md5_vec3 corners[8];
    for (uint32_t i = 0; i < 8; i++)
        corners[i] = box_corner(i, 1, 1, 1);
    const md5_ray rays[] = {
        {.origin = {0, 0, 0}},
        {.origin = {NAN, 0, 0}, .direction = {1, 0.5f, 0.25f}},
        {.origin = {0, 0, 0}, .direction = {1, NAN, 0}},
        {.origin = {0, 0, 0}, .direction = {INFINITY, INFINITY, 0}},
    };
    for (size_t i = 0; i < COUNT_OF(rays); i++) {
        md5_hit hit;
        CHECK(!md5_raycast_mesh(rays[i], &box_mesh, corners, &hit));
        CHECK(i == 3 || !md5_raycast_bounds(rays[i], box, NULL));
    }
}

TEST_HERE (ray_finds_the_joint_whose_box_it_hits_first) {
    const uint32_t num_joints = fixture->model->skeleton.num_joints;
    SCOPED_ARRAY(md5_bounds, boxes, num_joints);
    uint64_t random = 4;
    uint32_t num_hits = 0;
    md5_build_joint_bounds(fixture->model, boxes);
    query_pose(fixture, 0.2);
    for (int i = 0; i < 200; i++) {
        const md5_ray ray = ray_through(&fixture->model->bounds, 1, &random);
        md5_hit hit = {.joint = 12345};
        const bool is_hit = md5_raycast_joints(ray, boxes, fixture->joints, num_joints, &hit);
        num_hits += is_hit;
        if (!is_hit) {
            CHECK_UINT(hit.joint, 12345);
            continue;
        }
        // The point is on the box's surface, since no ray starts inside a box.
        const float *const m = fixture->joints[hit.joint].m;
        const real3 at = real3_sub(along_ray(&ray, hit.t), (real3){m[3], m[7], m[11]});
        const md5_bounds *const box = &boxes[hit.joint];
        const double min[3] = {box->min.x, box->min.y, box->min.z};
        const double max[3] = {box->max.x, box->max.y, box->max.z};
        double to_surface = INFINITY;
        for (int axis = 0; axis < 3; axis++) {
            const double local = m[axis] * at.x + m[4 + axis] * at.y + m[8 + axis] * at.z;
            CHECK(local > min[axis] - 1e-3 && local < max[axis] + 1e-3);
            to_surface = fmin(to_surface, fmin(fabs(local - min[axis]), fabs(local - max[axis])));
        }
        CHECK(to_surface < 1e-3);
    }
    CHECK(num_hits > 50);
}

TEST (hit_names_the_joint_that_moves_the_point_most) {
    // Only joint 3 moves vertex 0. Joints 3 and 5 move vertices 1 and 2.
    static const uint32_t indices[3] = {0, 1, 2};
    static const uint32_t first[4] = {0, 1, 3, 5};
    static const uint32_t joints[5] = {3, 5, 3, 5, 3};
    static const md5_vec4 influences[5] = {
        {.w = 1}, {.w = 0.6f}, {.w = 0.4f}, {.w = 0.6f}, {.w = 0.4f}};
    const md5_mesh mesh = {.num_vertices = 3,
                           .num_triangles = 1,
                           .indices = indices,
                           .first_influence = first,
                           .influence_joints = joints,
                           ROWS(influences, influences)};
    const md5_vec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    md5_hit hit;
    const md5_ray far_side = {.origin = {0.48f, 0.48f, 1}, .direction = {0, 0, -1}};
    CHECK(md5_raycast_mesh(far_side, &mesh, positions, &hit) && hit.joint == 5);
    const md5_ray middle = {.origin = {0.3f, 0.3f, 1}, .direction = {0, 0, -1}};
    CHECK(md5_raycast_mesh(middle, &mesh, positions, &hit) && hit.joint == 3);
}

TEST (ray_hits_a_converted_model_at_the_same_point) {
    const md5_load_opts opts = {.axes = MD5_AXES_Y_UP_LEFT, .scale = 0.5f};
    const md5_mat34 to_left = md5_mat34_from_axes(MD5_AXES_Y_UP_LEFT, 0.5f);
    SCOPED_MODEL file = our_model(mesh_file);
    SCOPED_MODEL left = md5_load_model(test_path(mesh_file), &opts, NULL);
    REQUIRE(file && left);
    uint64_t random = 9;
    uint32_t num_hits = 0;
    for (int i = 0; i < 200; i++) {
        const md5_ray ray = ray_through(&file->bounds, 1, &random);
        md5_ray moved = ray;
        moved.origin = md5_mat34_point(to_left, ray.origin);
        moved.direction = md5_mat34_direction(to_left, ray.direction);
        md5_hit hit;
        md5_hit moved_hit;
        const md5_mesh *const a = &file->meshes[0];
        const md5_mesh *const b = &left->meshes[0];
        const bool is_hit = md5_raycast_mesh(ray, a, a->positions, &hit);
        num_hits += is_hit;
        CHECK(md5_raycast_mesh(moved, b, b->positions, &moved_hit) == is_hit);
        if (is_hit)
            CHECK(moved_hit.triangle == hit.triangle && moved_hit.from_front == hit.from_front);
    }
    CHECK(num_hits > 50);
}

TEST_HERE (ray_hits_the_first_of_meshes_that_are_equally_far) {
    const md5_mesh twice[2] = {fixture->model->meshes[0], fixture->model->meshes[0]};
    md5_model model = *fixture->model;
    model.meshes = twice;
    model.num_meshes = 2;
    query_pose(fixture, 0);
    SCOPED_ARRAY(md5_vec3, scratch, model.max_vertices);
    const md5_ray ray = {.origin = {200, 0, 30}, .direction = {-1, 0, 0}};
    md5_hit hit;
    CHECK(md5_raycast_model(ray, &model, fixture->palette, &hit, scratch));
    CHECK_UINT(hit.mesh, 0);
}
