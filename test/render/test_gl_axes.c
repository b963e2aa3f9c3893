// Loads a model with other axes and units, and draws it with the camera and the light converted in
// the same way: the image equals the image of the unconverted model.
#include "test/load/test_axes_case.h"
#include "test/scoped.h"
#include "test/render/test_gl_scene.h"

enum { NUM_PICTURES = 3 };

static const md5_vec3 lights[NUM_PICTURES] = {{1, 0.3f, 0.5f}, {0.2f, -1, 0.4f}, {1, 0, 2}};

// Draws a model that was loaded with the axes and the scale of the case, from several directions,
// and stores the pictures.
static bool draw(gl_stage *stage, const axes_case *fixture, float scale, gl_picture pictures[])
{
    static const uint8_t leaning[4] = {190, 150, 220, 255};
    const md5_load_opts opts = axes_options(fixture, scale);
    md5gl_renderer *const renderer = stage->renderer;
    SCOPED_MODEL model = axes_load_model("models/bobbin/bobbin.md5mesh", &opts);
    SCOPED_ANIM anim = axes_load_anim("models/bobbin/dance.md5anim", &opts);
    SCOPED_BINDING binding = model && anim ? md5_bind(model, anim, NULL, NULL) : NULL;
    md5gl_model *const copy =
        binding ? md5gl_create_model(renderer, model, MD5GL_PATH_AUTO, NULL) : NULL;
    const bool file_exists = CHECK(copy);
    const md5gl_texture normals =
        stage_keep(stage, scene_normals(renderer, 1, 1, leaning, 0, NULL));
    const md5gl_material material = {.normals = normals};
    const size_t count = file_exists ? model->skeleton.num_joints : 0;
    SCOPED md5_xform *const pose = malloc((count + 1) * sizeof *pose);
    SCOPED md5_mat34 *const palette = malloc((count + 1) * sizeof *palette);
    SCOPED md5_mat34 *const joints = malloc((count + 1) * sizeof *joints);
    if (file_exists) {
        for (uint32_t m = 0; m < model->num_meshes; m++)
            md5gl_set_material(renderer, copy, 0, m, &material);
    }
    if (file_exists) {
        for (int i = 0; i < NUM_PICTURES; i++) {
            const md5_sample_position sample =
                md5_sample_position_at(anim, 0.3 + 0.5 * i, MD5_WRAP_LOOP);
            md5gl_frame frame = scene_frame(stage->target);
            if (i == 1)
                scene_look_from_behind(&frame);
            if (i == 2)
                scene_look_down(&frame);

            // Converts the camera and the light to the model's axes, and scales clip space to its
            // units. Uses only the key light, because ambient light takes the renderer's own z as
            // up.
            const md5_mat34 axes_matrix = md5_mat34_from_axes(fixture->axes, 1);
            const md5_mat44 back = md5_mat44_from_mat34(md5_mat34_inverse(axes_matrix));
            frame.view_from_world = md5_mat44_mul(frame.view_from_world, back);
            for (int j = 0; j < 3; j++) {
                frame.clip_from_view.m[5 * j] /= scale;
                frame.light[j] = 2.5f;
                frame.ambient[j] = 0;
            }
            frame.light_direction = md5_mat34_direction(axes_matrix, lights[i]);

            md5_pose_palette(binding, sample, MD5_ROOT_FILE, pose, joints, palette);
            md5gl_begin_frame(renderer, &frame);
            CHECK(scene_pose_and_draw(renderer, copy, palette, NULL, 1, MD5GL_LIT, NULL));
            scene_finish(&stage->scene, &frame, &pictures[i]);
        }
    }
    md5gl_destroy_model(renderer, copy);
    return file_exists;
}

static const uint8_t *pixel(const gl_picture *picture, int number)
{
    return picture->rgba[number / SCENE_WIDTH][number % SCENE_WIDTH];
}

// Counts the pixels that differ by more than rounding errors.
static int count_different(const gl_picture *a, const gl_picture *b)
{
    int count = 0;
    for (int i = 0; i < SCENE_WIDTH * SCENE_HEIGHT; i++) {
        const uint8_t *const p = pixel(a, i);
        const uint8_t *const q = pixel(b, i);
        count += abs(p[0] - q[0]) > 2 || abs(p[1] - q[1]) > 2 || abs(p[2] - q[2]) > 2;
    }
    return count;
}

static int count_drawn(const gl_picture *picture)
{
    int count = 0;
    for (int i = 0; i < SCENE_WIDTH * SCENE_HEIGHT; i++)
        count += pixel(picture, i)[0] > 20;
    return count;
}

TEST_SQUARE (gl_draws_converted_models_with_converted_cameras_equally) {
    static gl_picture stored[NUM_PICTURES];
    static gl_picture converted[NUM_PICTURES];
    if (draw(stage, &axes_cases[0], 1, stored)) {
        for (int i = 0; i < NUM_PICTURES; i++)
            CHECK(count_drawn(&stored[i]) > 300);
        for (int k = 1; k < NUM_AXES; k++) {
            if (!draw(stage, &axes_cases[k], 0.0254f, converted))
                continue;
            // A few pixels may differ: an edge exactly through the center of a pixel may include or
            // exclude the pixel.
            for (int i = 0; i < NUM_PICTURES; i++)
                CHECK_THAT(count_different(&stored[i], &converted[i]) <= 6,
                           "%s: picture %d differs in %d pixels", axes_cases[k].name, i,
                           count_different(&stored[i], &converted[i]));
        }
    }
}

// -- Models without tangents or geometry ----------------------------------------------------------

// Models without tangents, and models whose geometry was released after the upload.

static md5_model *load(gl_scene *scene, const md5_load_opts *opts)
{
    if (!scene_open(scene, NULL))
        return NULL;
    return md5_load_model(test_path("models/thimble/thimble.md5mesh"), opts, NULL);
}

// Returns the largest error of the positions and normals of the first mesh, which the GPU skins in
// a random pose. `model` is the model with its geometry.
static double max_position_error(gl_scene *scene, md5gl_model *copy, const md5_model *model)
{
    const md5_mesh *const mesh = &model->meshes[0];
    uint64_t random = 3;
    SCOPED md5_mat34 *const palette = calloc(model->skeleton.num_joints, sizeof *palette);
    SCOPED md5_vec3 *const cpu = calloc(mesh->num_vertices, 2 * sizeof *cpu);
    SCOPED md5_vec3 *const gpu = calloc(mesh->num_vertices, 2 * sizeof *gpu);
    SCOPED md5_vec4 *const tangents = calloc(mesh->num_vertices, sizeof *tangents);
    md5_vec3 *const cpu_normals = cpu + mesh->num_vertices;
    md5_vec3 *const gpu_normals = gpu + mesh->num_vertices;
    for (uint32_t i = 0; i < model->skeleton.num_joints; i++)
        palette[i] = scene_rotation(&random);
    md5_skin(mesh, palette, cpu, cpu_normals, NULL);
    double max_error = 0;
    CHECK(md5gl_capture(scene->renderer, copy, 0, palette, gpu, gpu_normals, tangents, NULL));
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        const md5_vec3 *const a[2] = {&cpu[i], &cpu_normals[i]};
        const md5_vec3 *const b[2] = {&gpu[i], &gpu_normals[i]};
        for (int k = 0; k < 2; k++) {
            max_error = fmax(max_error, fabs((double)a[k]->x - b[k]->x));
            max_error = fmax(max_error, fabs((double)a[k]->y - b[k]->y));
            max_error = fmax(max_error, fabs((double)a[k]->z - b[k]->z));
        }
        if (!model->meshes[0].tangents) // without tangents: zero
            CHECK(tangents[i].x == 0 && tangents[i].w == 0);
    }
    return max_error;
}

TEST (gl_draws_models_without_tangents_on_every_path) {
    gl_scene scene;
    SCOPED_MODEL model = load(&scene, &(md5_load_opts){.skip_geometry = MD5_GEOMETRY_TANGENTS});
    if (!model)
        return;
    for (int path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        md5_error error = {0};
        md5gl_model *const copy =
            md5gl_create_model(scene.renderer, model, (md5gl_path)path, &error);
        if (!copy) { // the driver lacks a feature that the path requires
            CHECK(error.status == MD5_ERROR_GPU && path > MD5GL_PATH_CPU);
            continue;
        }
        CHECK_SMALL(max_position_error(&scene, copy, model), 2e-3);
        md5gl_destroy_model(scene.renderer, copy);
    }
    scene_close(&scene);
}

TEST (gl_draws_models_after_their_geometry_is_released) {
    gl_scene scene;
    SCOPED_MODEL model = load(&scene, NULL);
    if (!model)
        return;
    md5_model *const thimble = our_model("models/thimble/thimble.md5mesh");
    md5gl_model *copies[MD5GL_PATH_COMPUTE + 1] = {NULL};
    for (int path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++)
        copies[path] = md5gl_create_model(scene.renderer, model, (md5gl_path)path, NULL);
    CHECK(copies[MD5GL_PATH_4] && copies[MD5GL_PATH_CPU]);
    md5_release_geometry(model);
    for (int path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        md5_error error = {0};
        if (path == MD5GL_PATH_CPU) {
            const size_t num_joints = model->skeleton.num_joints;
            SCOPED md5_mat34 *const palette = calloc(num_joints, sizeof *palette);
            CHECK(!scene_pose(scene.renderer, copies[path], palette, NULL, 1, &error));
            CHECK(strstr(error.message, "geometry was released"));
        } else if (copies[path]) {
            CHECK_SMALL(max_position_error(&scene, copies[path], thimble), 2e-3);
        }
        md5gl_destroy_model(scene.renderer, copies[path]);
    }
    md5_error error = {0};
    CHECK_FAILS(md5gl_create_model(scene.renderer, model, MD5GL_PATH_AUTO, &error), error,
                MD5_ERROR_MISMATCH);
    md5_free_model(thimble);
    scene_close(&scene);
}
