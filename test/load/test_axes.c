// Tests of assets that are loaded in converted axes and units: every result must be the converted
// result of the same asset in the axes of its file. The parts test loaded data, computed poses and
// vertices, and errors.
#include "test/load/test_axes_case.h"
#include "test/scoped.h"

typedef struct loaded {
    md5_model *model;
    md5_anim *anim;
    md5_binding *binding;
} loaded;

static loaded load(const char *mesh, const char *clip, const md5_load_opts *opts)
{
    loaded pair = {axes_load_model(mesh, opts), axes_load_anim(clip, opts), NULL};
    if (pair.model && pair.anim)
        pair.binding = md5_bind(pair.model, pair.anim, NULL, NULL);
    CHECK(pair.binding);
    return pair;
}

static void unload(loaded *pair)
{
    md5_free_binding(pair->binding);
    md5_free_anim(pair->anim);
    md5_free_model(pair->model);
}

static double model_size(const md5_model *model)
{
    const md5_bounds box = model->bounds;
    const md5_vec3 ends[2] = {box.min, box.max};
    double size = 0;
    if (box.min.x <= box.max.x) {
        for (int i = 0; i < 2; i++)
            size = fmax(size, fmax(fabs((double)ends[i].x),
                                   fmax(fabs((double)ends[i].y), fabs((double)ends[i].z))));
    }
    for (uint32_t i = 0; i < model->skeleton.num_joints; i++) {
        for (int row = 0; row < 3; row++)
            size = fmax(size, fabs((double)(model->bind[i].m[4 * row + 3])));
    }
    return size;
}

// -- Loaded data ------------------------------------------------------------------------------

// Returns the largest difference between the mesh `b`, which was loaded with converted axes, and
// the converted mesh `a`. If the scale is a power of two, every number must be exact.
static double mesh_error(const axes_case *fixture, double scale, const md5_mesh *a,
                         const md5_mesh *b)
{
    double max_error = 0;
    for (uint32_t i = 0; i < a->num_weights; i++)
        max_error = fmax(max_error, axes_point_error(fixture, scale, a->weights[i].offset,
                                                     b->weights[i].offset));
    for (uint32_t i = 0; i < a->num_vertices; i++) {
        const md5_vec4 t = a->tangents[i];
        const md5_vec4 u = b->tangents[i];
        max_error =
            fmax(max_error, axes_point_error(fixture, scale, a->positions[i], b->positions[i]));
        max_error = fmax(max_error, axes_point_error(fixture, 1, a->normals[i], b->normals[i]));
        max_error = fmax(max_error, axes_point_error(fixture, 1, (md5_vec3){t.x, t.y, t.z},
                                                     (md5_vec3){u.x, u.y, u.z}));
        max_error = fmax(max_error, fabs((double)a->texcoords[i].x - b->texcoords[i].x)
                                        + fabs((double)a->texcoords[i].y - b->texcoords[i].y));
    }
    for (uint32_t i = 0; i < a->num_influences; i++) {
        const md5_vec4 p = a->influences[i];
        const md5_vec4 q = b->influences[i];
        max_error = fmax(max_error, axes_point_error(fixture, scale, (md5_vec3){p.x, p.y, p.z},
                                                     (md5_vec3){q.x, q.y, q.z}));
        max_error = fmax(max_error, fabs((double)p.w - q.w));
    }
    return max_error;
}

TEST (axes_convert_every_number_of_a_model) {
    SCOPED_MODEL from = axes_load_model("models/bobbin/bobbin.md5mesh", NULL);
    if (from) {
        for (int i = 0; i < NUM_AXES; i++) {
            const axes_case *const fixture = &axes_cases[i];
            const md5_load_opts opts = axes_options(fixture, 0.25f);
            SCOPED_MODEL to = axes_load_model("models/bobbin/bobbin.md5mesh", &opts);
            if (!to)
                continue;
            CHECK(to->skeleton.axes == fixture->axes && to->skeleton.scale == 0.25f);
            for (uint32_t m = 0; m < from->num_meshes; m++) {
                const md5_mesh *const a = &from->meshes[m];
                const md5_mesh *const b = &to->meshes[m];
                CHECK_EXACT(mesh_error(fixture, 0.25, a, b), 0);
                CHECK_BYTES(a->indices, b->indices, 3 * a->num_triangles * sizeof *a->indices);
                CHECK(b->is_mirrored == fixture->is_left_handed);
                CHECK_NEAR(b->loss4, 0.25 * a->loss4, 1e-6);
            }
            for (uint32_t j = 0; j < from->skeleton.num_joints; j++) {
                CHECK_EXACT(axes_mat34_error(fixture, 0.25, &from->bind[j], &to->bind[j], 1), 0);
                CHECK_SMALL(axes_mat34_error(fixture, 0.25, &from->inverse_bind[j],
                                             &to->inverse_bind[j], 1),
                            0);
                CHECK_SMALL(axes_transform_error(fixture, 0.25, &from->bind_local[j],
                                                 &to->bind_local[j], 1),
                            1e-15);
                CHECK(to->bind_local[j].rotation.w <= 0);
            }
        }
    }
}

// The matrix for the conversion of a program's own points. Its columns are the directions of
// forward, left and up, times the scale.
TEST (axes_matrix_converts_forward_left_and_up) {
    for (int i = 0; i < NUM_AXES; i++) {
        const axes_case *const fixture = &axes_cases[i];
        const md5_mat34 matrix = md5_mat34_from_axes(fixture->axes, 3);
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 3; column++)
                CHECK_EXACT(matrix.m[4 * row + column], 3 * fixture->columns[column][row]);
            CHECK(matrix.m[4 * row + 3] == 0);
        }
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// The bitangent, which points along +v, must be the converted bitangent; with v flipped it is the
// opposite.
TEST (axes_keep_the_bitangent_along_v) {
    SCOPED_MODEL from = axes_load_model("models/bobbin/bobbin.md5mesh", NULL);
    if (from) {
        for (int i = 0; i < 2 * NUM_AXES; i++) {
            const axes_case *const fixture = &axes_cases[i / 2];
            const bool is_flipped = i % 2 == 1;
            const md5_load_opts opts = {.axes = fixture->axes, .flip_v = is_flipped};
            SCOPED_MODEL to = axes_load_model("models/bobbin/bobbin.md5mesh", &opts);
            const md5_mesh *const a = &from->meshes[0];
            const md5_mesh *const b = to ? &to->meshes[0] : a;
            for (uint32_t v = 0; v < a->num_vertices; v++) {
                const md5_vec4 t = a->tangents[v];
                const md5_vec4 u = b->tangents[v];
                const double n0[3] = {a->normals[v].x, a->normals[v].y, a->normals[v].z};
                const double n1[3] = {b->normals[v].x, b->normals[v].y, b->normals[v].z};
                double b0[3];
                double b1[3];
                double expected[3];
                cross(n0, (const double[]){t.x, t.y, t.z}, b0);
                cross(n1, (const double[]){u.x, u.y, u.z}, b1);
                axes_direction(
                    fixture, (md5_vec3){(float)b0[0] * t.w, (float)b0[1] * t.w, (float)b0[2] * t.w},
                    expected);
                for (int k = 0; k < 3; k++)
                    CHECK_NEAR(b1[k] * u.w, is_flipped ? -expected[k] : expected[k], 1e-6);
                const double v0 = a->texcoords[v].y;
                CHECK_NEAR(b->texcoords[v].y, is_flipped ? 1 - v0 : v0, 1e-7);
            }
        }
    }
}

// Triangles are clockwise from outside in every space. In left-handed axes this means that (b - a)
// x (c - a) points outward. The normals of the vertices define the outside.
TEST (axes_keep_triangles_facing_outward) {
    for (int i = 0; i < NUM_AXES; i++) {
        const md5_load_opts opts = axes_options(&axes_cases[i], 1);
        SCOPED_MODEL model = axes_load_model("models/bobbin/bobbin.md5mesh", &opts);
        double inside = 0;
        double outside = 0;
        for (uint32_t m = 0; model && m < model->num_meshes; m++) {
            const md5_mesh *const mesh = &model->meshes[m];
            for (uint32_t t = 0; t < mesh->num_triangles; t++) {
                const uint32_t *const corners = mesh->indices + 3 * t;
                const md5_vec3 a = mesh->positions[corners[0]];
                const md5_vec3 b = mesh->positions[corners[1]];
                const md5_vec3 c = mesh->positions[corners[2]];
                const md5_vec3 normal = mesh->normals[corners[0]];
                const double ab[3] = {(double)b.x - a.x, (double)b.y - a.y, (double)b.z - a.z};
                const double ac[3] = {(double)c.x - a.x, (double)c.y - a.y, (double)c.z - a.z};
                double face[3];
                if (axes_cases[i].is_left_handed)
                    cross(ab, ac, face);
                else
                    cross(ac, ab, face);
                const double along = face[0] * normal.x + face[1] * normal.y + face[2] * normal.z;
                if (along < 0)
                    inside -= along;
                else
                    outside += along;
            }
        }
        CHECK(outside > 0 && inside < 0.01 * outside);
    }
}

// -- Computed data ----------------------------------------------------------------------------

typedef struct posed {
    md5_xform *pose;
    md5_mat34 *joints, *palette;
} posed;

static posed pose_at(const loaded *pair, double time, md5_root root)
{
    const size_t count = pair->model->skeleton.num_joints;
    posed at = {malloc(count * sizeof *at.pose), malloc(count * sizeof *at.joints),
                malloc(count * sizeof *at.palette)};
    md5_sample(pair->binding, md5_sample_position_at(pair->anim, time, MD5_WRAP_LOOP), root,
               at.pose);
    md5_local_to_palette(pair->model, at.pose, at.joints, at.palette);
    return at;
}

static void drop(posed *at)
{
    free(at->pose);
    free(at->joints);
    free(at->palette);
}

// Skins mesh `a`, which has id's axes, and mesh `b`, which has the axes and the scale of the case.
// Returns the largest difference after conversion.
static double skin_error(const axes_case *fixture, double scale, const md5_mesh *a,
                         const md5_mesh *b, const md5_mat34 *from, const md5_mat34 *to, double size)
{
    const size_t count = a->num_vertices + 1;
    SCOPED md5_vec3 *const points_a = malloc(count * sizeof *points_a);
    SCOPED md5_vec3 *const points_b = malloc(count * sizeof *points_b);
    SCOPED md5_vec3 *const normals_a = malloc(count * sizeof *normals_a);
    SCOPED md5_vec3 *const normals_b = malloc(count * sizeof *normals_b);
    SCOPED md5_vec4 *const tangents_a = malloc(count * sizeof *tangents_a);
    SCOPED md5_vec4 *const tangents_b = malloc(count * sizeof *tangents_b);
    double max_error = 0;
    md5_skin(a, from, points_a, normals_a, tangents_a);
    md5_skin(b, to, points_b, normals_b, tangents_b);
    for (uint32_t i = 0; i < a->num_vertices; i++) {
        const md5_vec3 tangent_a = {tangents_a[i].x, tangents_a[i].y, tangents_a[i].z};
        const md5_vec3 tangent_b = {tangents_b[i].x, tangents_b[i].y, tangents_b[i].z};
        const double point_error = axes_point_error(fixture, scale, points_a[i], points_b[i]);
        max_error = fmax(max_error, point_error / (scale * size));
        max_error = fmax(max_error, axes_point_error(fixture, 1, normals_a[i], normals_b[i]));
        max_error = fmax(max_error, axes_point_error(fixture, 1, tangent_a, tangent_b));
    }
    return max_error;
}

// Compares poses, joints, palettes and skinned vertices of a clip. Normals of long sums of
// rotations are less exact than the palette.
static void check_posing(const char *mesh, const char *clip, const axes_case *fixture, float scale)
{
    const md5_load_opts opts = axes_options(fixture, scale);
    loaded from = load(mesh, clip, NULL);
    loaded to = load(mesh, clip, &opts);
    if (from.binding && to.binding) {
        for (int i = 0; i < 4; i++) {
            const double time = from.anim->duration * (0.13 + 0.4 * i);
            const double by = scale;
            const md5_root root = i % 2 == 0 ? MD5_ROOT_FILE : MD5_ROOT_ID;
            posed a = pose_at(&from, time, root);
            posed b = pose_at(&to, time, root);
            const double size = 4 * model_size(from.model) + 1;
            double local = 0;
            double matrix = 0;
            double skin = 0;
            for (uint32_t j = 0; j < from.model->skeleton.num_joints; j++) {
                local =
                    fmax(local, axes_transform_error(fixture, by, &a.pose[j], &b.pose[j], size));
                matrix =
                    fmax(matrix, axes_mat34_error(fixture, by, &a.joints[j], &b.joints[j], size));
                matrix =
                    fmax(matrix, axes_mat34_error(fixture, by, &a.palette[j], &b.palette[j], size));
            }
            for (uint32_t m = 0; m < from.model->num_meshes; m++)
                skin = fmax(skin, skin_error(fixture, by, &from.model->meshes[m],
                                             &to.model->meshes[m], a.palette, b.palette, size));
            if (!CHECK_SMALL(local, 2e-6) || !CHECK_SMALL(matrix, 1e-5) || !CHECK_SMALL(skin, 1e-4))
                CHECK_STRING(mesh, fixture->name);
            drop(&a);
            drop(&b);
        }
    }
    unload(&from);
    unload(&to);
}

TEST (axes_pose_and_skin_our_models) {
    for (int i = 0; i < NUM_AXES; i++) {
        check_posing("models/bobbin/bobbin.md5mesh", "models/bobbin/dance.md5anim", &axes_cases[i],
                     0.0254f);
        check_posing("models/zoo/chain.md5mesh", "models/zoo/chain.md5anim", &axes_cases[i], 1);
    }
}

TEST (axes_pose_and_skin_real_models) {
    static const char *const files[][2] = {
        {"corpus/terasology/redElephantrook.md5mesh",
         "corpus/terasology/redElephantrookWalk.md5anim"},
        {"corpus/frankie/Frankie.md5mesh", "corpus/frankie/Frankie_Kick.md5anim"},
        {"corpus/redeclipse/drone/mesh.md5mesh", "corpus/redeclipse/drone/forward.md5anim"},
    };
    REQUIRE_CORPUS();
    for (size_t file = 0; file < COUNT_OF(files); file++) {
        for (int i = 0; i < NUM_AXES; i++)
            check_posing(files[file][0], files[file][1], &axes_cases[i], 0.0254f);
    }
}

TEST (axes_convert_bounds_and_root_motion) {
    for (int i = 0; i < NUM_AXES; i++) {
        const axes_case *const fixture = &axes_cases[i];
        const md5_load_opts opts = axes_options(fixture, 0.5f);
        SCOPED_ANIM from = axes_load_anim("models/bobbin/walk.md5anim", NULL);
        SCOPED_ANIM to = axes_load_anim("models/bobbin/walk.md5anim", &opts);
        const md5_sample_position begin = md5_sample_position_at(from, 0.2, MD5_WRAP_LOOP);
        const md5_sample_position end = md5_sample_position_at(from, 2.7, MD5_WRAP_LOOP);
        CHECK_SMALL(axes_point_error(fixture, 0.5, md5_anim_root_motion(from, begin, end),
                                     md5_anim_root_motion(to, begin, end)),
                    1e-5);
        const md5_bounds a = md5_anim_bounds(from, begin, MD5_ROOT_FILE);
        const md5_bounds b = md5_anim_bounds(to, begin, MD5_ROOT_FILE);
        // The bounds must be exactly the bounds of the converted corners.
        double low[3] = {1e9, 1e9, 1e9};
        double high[3] = {-1e9, -1e9, -1e9};
        for (int corner = 0; corner < 8; corner++) {
            md5_vec3 at = a.max;
            if (corner & 1)
                at.x = a.min.x;
            if (corner & 2)
                at.y = a.min.y;
            if (corner & 4)
                at.z = a.min.z;
            double moved[3];
            axes_direction(fixture, at, moved);
            for (int k = 0; k < 3; k++) {
                low[k] = fmin(low[k], 0.5 * moved[k]);
                high[k] = fmax(high[k], 0.5 * moved[k]);
            }
        }
        CHECK(b.min.x == low[0] && b.min.y == low[1] && b.min.z == low[2]);
        CHECK(b.max.x == high[0] && b.max.y == high[1] && b.max.z == high[2]);
    }
}

TEST (axes_convert_cameras) {
    SCOPED_CAMERA from = md5_load_camera(test_path("models/bobbin/flight.md5camera"), NULL, NULL);
    if (CHECK(from)) {
        for (int i = 0; i < NUM_AXES; i++) {
            const axes_case *const fixture = &axes_cases[i];
            const md5_load_opts opts = axes_options(fixture, 0.0254f);
            SCOPED_CAMERA to =
                md5_load_camera(test_path("models/bobbin/flight.md5camera"), &opts, NULL);
            if (CHECK(to)) {
                for (int k = 0; k < 20; k++) {
                    const md5_camera_view a = md5_camera_at(from, 0.37 * k, MD5_WRAP_CLAMP, 0);
                    const md5_camera_view b = md5_camera_at(to, 0.37 * k, MD5_WRAP_CLAMP, 0);
                    CHECK_SMALL(axes_point_error(fixture, 0.0254f, a.position, b.position), 1e-5);
                    CHECK_SMALL(axes_quat_error(fixture, a.rotation, b.rotation), 1e-6);
                    CHECK(a.fov == b.fov);
                    // The camera looks along the forward direction of the axes.
                    const md5_vec3 x = {1, 0, 0};
                    CHECK_SMALL(
                        axes_point_error(fixture, 1, md5_quat_rotate(a.rotation, x),
                                         md5_quat_rotate(b.rotation, axes_point(fixture, 1, x))),
                        1e-6);
                }
            }
        }
    }
}

// A camera file can store a view for the frame after a cut. The load options convert its position
// and rotation as in all other frames.
TEST (axes_of_views_after_cuts_are_converted) {
    static const char text[] =
        "MD5Version 10\ncommandline \"\"\nnumFrames 3\nframeRate 24\nnumCuts 1\n"
        "cuts {\n1 pos ( 1 2 3 ) rotA ( 10 20 30 )\n}\ncamera {\n"
        "( 0 0 0 ) ( 0 0 0 ) 90\n( 0 0 0 ) ( 0 0 0 ) 90\n( 0 0 0 ) ( 0 0 0 ) 90\n}\n";
    SCOPED_CAMERA from = md5_parse_camera(text, sizeof text - 1, NULL, NULL);
    if (CHECK(from)) {
        for (int i = 0; i < NUM_AXES; i++) {
            const md5_load_opts opts = axes_options(&axes_cases[i], 2);
            SCOPED_CAMERA to = md5_parse_camera(text, sizeof text - 1, &opts, NULL);
            if (!CHECK(to && to->num_cut_views == 1))
                continue;
            const md5_cut_view *const a = from->cut_views;
            const md5_cut_view *const b = to->cut_views;
            CHECK_EXACT(axes_point_error(&axes_cases[i], 2, a->position, b->position), 0);
            CHECK_SMALL(axes_quat_error(&axes_cases[i], a->rotation, b->rotation), 1e-7);
        }
    }
}

// Rays begin outside and inside of the model. They must hit the same triangles in all systems of
// axes.
TEST (rays_hit_the_same_triangles_in_all_axes) {
    uint64_t random = 11;
    SCOPED_MODEL from = axes_load_model("models/bobbin/bobbin.md5mesh", NULL);
    for (int i = 1; from && i < NUM_AXES; i++) {
        const axes_case *const fixture = &axes_cases[i];
        const md5_load_opts opts = axes_options(fixture, 1);
        SCOPED_MODEL to = axes_load_model("models/bobbin/bobbin.md5mesh", &opts);
        const md5_mesh *const a = &from->meshes[0];
        const md5_mesh *const b = to ? &to->meshes[0] : a;
        int num_hits = 0;
        for (int k = 0; k < 60; k++) {
            const uint32_t target = test_random_u32(&random) % a->num_vertices;
            md5_ray ray = {.direction = {(float)test_random(&random) - 0.5f,
                                         (float)test_random(&random) - 0.5f,
                                         (float)test_random(&random) - 0.5f},
                           .front_only = k % 2 == 0};
            ray.origin = md5_vec3_sub(a->positions[target],
                                      md5_vec3_scale(ray.direction, k % 3 == 0 ? 1 : 500));
            ray.direction = md5_vec3_add(ray.direction, (md5_vec3){0.001f, 0.002f, 0.001f});
            md5_ray converted = ray;
            converted.origin = axes_point(fixture, 1, ray.origin);
            converted.direction = axes_point(fixture, 1, ray.direction);
            md5_hit hit = {0};
            md5_hit again = {0};
            const bool is_hit = md5_raycast_mesh(ray, a, a->positions, &hit);
            CHECK(md5_raycast_mesh(converted, b, b->positions, &again) == is_hit);
            CHECK(hit.from_front == again.from_front);
            CHECK_NEAR(again.t, hit.t, 1e-4 * (1 + fabs((double)hit.t)));
            num_hits += is_hit;
        }
        CHECK(num_hits > 10);
    }
}

// -- Errors -----------------------------------------------------------------------------------

TEST (axes_of_model_and_animation_must_agree) {
    const md5_load_opts options[] = {{.axes = MD5_AXES_Y_UP}, {.scale = 0.5f}, {.scale = 1}};
    SCOPED_MODEL model = axes_load_model("models/zoo/chain.md5mesh", NULL);
    if (model) {
        for (int i = 0; i < 3; i++) {
            SCOPED_ANIM anim = axes_load_anim("models/zoo/chain.md5anim", &options[i]);
            md5_error error = {0};
            SCOPED_BINDING binding = md5_bind(model, anim, NULL, &error);
            CHECK((binding != NULL) == (i == 2));
            CHECK(error.status == (i == 2 ? MD5_OK : MD5_ERROR_MISMATCH));
            if (i == 0)
                CHECK_STRING(
                    error.message,
                    "axes or scale differ: animation has axes 1 and scale 1, model has axes 0 "
                    "and scale 1; load both with the same options");
        }
    }
}

TEST (axes_and_scale_must_be_valid) {
    const md5_load_opts bad[] = {
        {.axes = (md5_axes)NUM_AXES}, {.axes = (md5_axes)-1}, {.scale = -1}, {.scale = NAN},
        {.scale = INFINITY},          {.scale = 1e-7f}};
    STRINGS(messages) = {
        "md5_load_opts.axes: expected a value of md5_axes, found 6",
        "md5_load_opts.axes: expected a value of md5_axes, found -1",
        "md5_load_opts.scale: expected 1e-06 to 1e+06, found -1",
        "md5_load_opts.scale: expected 1e-06 to 1e+06, found nan",
        "md5_load_opts.scale: expected 1e-06 to 1e+06, found inf",
        "md5_load_opts.scale: expected 1e-06 to 1e+06, found 1e-07",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        md5_error error = {0};
        CHECK_FAILS(md5_load_model(test_path("models/zoo/chain.md5mesh"), &bad[i], &error), error,
                    MD5_ERROR_RANGE);
        CHECK_FAILS(md5_load_anim(test_path("models/zoo/chain.md5anim"), &bad[i], &error), error,
                    MD5_ERROR_RANGE);
        CHECK(!md5_load_camera(test_path("models/zoo/cuts.md5camera"), &bad[i], &error));
        CHECK_STRING(error.message, messages[i]);
    }
}
