// Numbers of any size in files: either they are refused with their location, or everything computed
// from them is finite.
#include "test/read/read_case.h"
#include "test/test.h"

#include "md5/md5model.h"
#include "md5/md5skin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// -- Where a number is refused --------------------------------------------------------------

static const char good_mesh[] = "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\n"
                                "joints {\n\t\"a\" -1 ( 1 2 3 ) ( 0 0 0 )\n}\n"
                                "mesh {\n\tshader \"\"\n\tnumverts 1\n\tvert 0 ( 0 0 ) 0 1\n"
                                "\tnumtris 0\n\tnumweights 1\n\tweight 0 0 0.5 ( 4 5 6 )\n}\n";

static const char good_anim[] = "MD5Version 10\ncommandline \"\"\nnumFrames 1\nnumJoints 1\n"
                                "frameRate 24\nnumAnimatedComponents 3\n"
                                "hierarchy {\n\t\"a\" -1 7 0\n}\n"
                                "bounds {\n\t( -1 -1 -1 ) ( 1 1 1 )\n}\n"
                                "baseframe {\n\t( 1 2 3 ) ( 0 0 0 )\n}\nframe 0 {\n\t4 5 6\n}\n";

static const char good_camera[] = "MD5Version 10\ncommandline \"\"\nnumFrames 1\nframeRate 24\n"
                                  "numCuts 0\ncuts {\n}\ncamera {\n\t( 1 2 3 ) ( 0 0 0 ) 60\n}\n";

static bool load_mesh(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    md5_model *const model = md5_parse_model(text, size, opts, error);
    md5_free_model(model);
    return model != NULL;
}

static bool load_anim(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    md5_anim *const anim = md5_parse_anim(text, size, opts, error);
    md5_free_anim(anim);
    return anim != NULL;
}

static bool load_camera(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    md5_camera *const camera = md5_parse_camera(text, size, opts, error);
    md5_free_camera(camera);
    return camera != NULL;
}

#define LIMIT "is out of range: expected a number from -1e9 to 1e9"

TEST (range_of_mesh_numbers_is_reported_with_location) {
    static const read_case cases[] = {
        {"( 1 2 3 )", "( 1 1000000000 -1000000000.000000 )", ""},
        {"( 1 2 3 )", "( 1 2e9 3 )", "6:13: error: '2e9' " LIMIT},
        {"( 1 2 3 )", "( 1 2 -3.3e38 )", "6:15: error: '-3.3e38' " LIMIT},
        {"0.5 (", "3e38 (", "14:13: error: '3e38' " LIMIT},
        {"( 4 5 6 )", "( 4 5 1000000128 )", "14:23: error: '1000000128' " LIMIT},
        {"weight 0 0 0.5 ( 4 5 6 )", "weight 0 0 0.500000 ( 4.000000 -5000000000.000000 6.000000 )",
         "14:33: error: '-5000000000.000000' " LIMIT},
    };
    read_cases_check(good_mesh, cases, sizeof cases / sizeof cases[0], load_mesh, __FILE__,
                     __LINE__);
}

TEST (range_of_anim_numbers_is_reported_with_location) {
    static const read_case cases[] = {
        {"( 1 2 3 )", "( 1 -1000000000 1e9 )", ""},
        {"( 1 2 3 )", "( 1e10 2 3 )", "14:4: error: '1e10' " LIMIT},
        {"4 5 6", "4 5 -3e38", "17:6: error: '-3e38' " LIMIT},
        {"4 5 6", "4.000000 99999999999.000000 6.000000",
         "17:11: error: '99999999999.000000' " LIMIT},
        {"( -1 -1 -1 ) ( 1 1 1 )", "( 1e30 1e30 3e38 ) ( -1e30 -1e30 -3e38 )",
         "10:1: warning: all boxes of 'bounds' are empty: programs that use them for culling hide "
         "the "
         "model"},
    };
    read_cases_check(good_anim, cases, sizeof cases / sizeof cases[0], load_anim, __FILE__,
                     __LINE__);
}

TEST (range_of_camera_numbers_is_reported_with_location) {
    static const read_case cases[] = {
        {"( 1 2 3 )", "( 1e9 -1e9 0 )", ""},
        {"( 1 2 3 )", "( 1 2 3e38 )", "9:8: error: '3e38' " LIMIT},
        {") 60", ") 3e38", "9:22: error: '3e38' " LIMIT},
    };
    read_cases_check(good_camera, cases, sizeof cases / sizeof cases[0], load_camera, __FILE__,
                     __LINE__);
}

// A rotation of the base frame may be too long if frames replace its numbers.
TEST (range_frames_replace_numbers_of_the_base_frame) {
    static const char text[] =
        "MD5Version 10 commandline \"\" numFrames 1 numJoints 1 frameRate 24 "
        "numAnimatedComponents 1 hierarchy { \"a\" -1 16 0 } "
        "baseframe { ( 0 0 0 ) ( 0.6 0.9 0 ) } frame 0 { 0 }";
    md5_anim *const anim = md5_parse_anim(text, strlen(text), NULL, NULL);
    if (CHECK(anim != NULL)) {
        CHECK(anim->constant[0].rotation.x == 0.6f);
        CHECK_NEAR((double)anim->constant[0].rotation.w, -0.8, 1e-6);
        // x y z are 0.6 0.9 0, w is -sqrt(0.17); all are divided by sqrt(1.34).
        CHECK_NEAR((double)anim->base_frame[0].rotation.y, 0.9 / sqrt(1.34), 1e-6);
    }
    md5_free_anim(anim);
}

// -- What is computed from accepted numbers -------------------------------------------------

enum { JOINTS = 6, VERTICES = 9, WEIGHTS = 14, FRAMES = 4, ROOM = 1 << 14 };

typedef struct writer {
    char text[ROOM];
    size_t used;
    uint64_t random;
} writer;

#define WRITE(out, ...) \
    ((out)->used +=     \
     (size_t)snprintf((out)->text + (out)->used, sizeof(out)->text - (out)->used, __VA_ARGS__))

// Mostly below 1 or at the limit of 1e9; rarely in between or far beyond.
static double any_number(writer *out)
{
    const double kind = test_random(&out->random), sign = test_random(&out->random) < 0.5 ? -1 : 1;
    if (kind < 0.5)
        return sign * test_random(&out->random);
    if (kind < 0.97)
        return sign * 1e9;
    return kind < 0.995 ? sign * pow(10.0, test_random(&out->random) * 9.0) : sign * 3.4e38;
}

static void write_vector(writer *out)
{
    WRITE(out, "( %.9g", any_number(out));
    WRITE(out, " %.9g", any_number(out));
    WRITE(out, " %.9g ) ", any_number(out));
}

static void write_rotation(writer *out)
{
    const double length = test_random(&out->random) < 0.5 ? 1.0 : 1.0 + 1e-6;
    const double angle = 6.28 * test_random(&out->random);
    WRITE(out, "( %.9g %.9g 0 ) ", length * cos(angle), length * sin(angle));
}

static void write_model(writer *out)
{
    out->used = 0;
    WRITE(out, "MD5Version 10 commandline \"\" numJoints %d numMeshes 1 joints {", JOINTS);
    for (int j = 0; j < JOINTS; j++) {
        WRITE(out, "\"j%d\" %d ", j, j - 1);
        write_vector(out);
        write_rotation(out);
    }
    WRITE(out, "} mesh { shader \"\" numverts %d ", VERTICES);
    for (int v = 0; v < VERTICES; v++)
        WRITE(out, "vert %d ( %.9g %.9g ) %d %d ", v, any_number(out), any_number(out), v,
              1 + v % 5);
    WRITE(out, "numtris %d ", VERTICES - 2);
    for (int t = 0; t < VERTICES - 2; t++)
        WRITE(out, "tri %d %d %d %d ", t, t, t + 1, t + 2);
    WRITE(out, "numweights %d ", WEIGHTS);
    for (int w = 0; w < WEIGHTS; w++) {
        WRITE(out, "weight %d %d %.9g ", w, w % JOINTS, any_number(out));
        write_vector(out);
    }
    WRITE(out, "}");
}

static void write_anim(writer *out)
{
    out->used = 0;
    WRITE(out, "MD5Version 10 commandline \"\" numFrames %d numJoints %d frameRate 24 ", FRAMES,
          JOINTS);
    WRITE(out, "numAnimatedComponents %d hierarchy {", 3 * JOINTS);
    for (int j = 0; j < JOINTS; j++)
        WRITE(out, "\"j%d\" %d 7 %d ", j, j - 1, 3 * j);
    WRITE(out, "} bounds {");
    for (int f = 0; f < 2 * FRAMES; f++)
        write_vector(out);
    WRITE(out, "} baseframe {");
    for (int j = 0; j < JOINTS; j++) {
        write_vector(out);
        write_rotation(out);
    }
    WRITE(out, "}");
    for (int f = 0; f < FRAMES; f++) {
        WRITE(out, " frame %d {", f);
        for (int i = 0; i < 3 * JOINTS; i++)
            WRITE(out, " %.9g", any_number(out));
        WRITE(out, " }");
    }
}

static bool all_finite(const void *memory, size_t size)
{
    const float *const numbers = memory;
    for (size_t i = 0; i < size / sizeof *numbers; i++) {
        if (!isfinite(numbers[i]))
            return false;
    }
    return true;
}
#define CHECK_FINITE(array, count) \
    test_check(all_finite(array, (count) * sizeof(array)[0]), __FILE__, __LINE__, #array)

static void check_mesh(const md5_mesh *mesh)
{
    CHECK_FINITE(mesh->positions, mesh->num_vertices);
    CHECK_FINITE(mesh->normals, mesh->num_vertices);
    CHECK_FINITE(mesh->tangents, mesh->num_vertices);
    CHECK_FINITE(mesh->influences, mesh->num_influences);
    CHECK_FINITE(&mesh->bounds, 1);
    CHECK_FINITE(&mesh->loss4, 2);
}

static void check_skinned(const md5_model *model, const md5_mat34 *palette)
{
    const md5_mesh *const mesh = &model->meshes[0];
    md5_vec3 positions[3 * VERTICES], normals[3 * VERTICES];
    md5_vec4 tangents[3 * VERTICES];
    md5_skin(mesh, palette, positions, normals, tangents);
    CHECK_FINITE(positions, mesh->num_vertices);
    CHECK_FINITE(normals, mesh->num_vertices);
    CHECK_FINITE(tangents, mesh->num_vertices);
    const md5_bounds bounds = md5_skin_bounds(model, palette);
    CHECK_FINITE(&bounds, 1);
}

static void check_pose(const md5_binding *binding, const md5_xform *pose)
{
    md5_mat34 joints[JOINTS], palette[JOINTS];
    CHECK_FINITE(pose, JOINTS);
    md5_local_to_palette(binding->model, pose, joints, palette);
    CHECK_FINITE(joints, JOINTS);
    CHECK_FINITE(palette, JOINTS);
    check_skinned(binding->model, palette);
}

static void check_moment(const md5_binding *binding, double time, md5_wrap wrap, md5_root root)
{
    md5_xform pose[JOINTS], first[JOINTS], sum[JOINTS];
    const md5_moment start = {0}, moment = md5_moment_at(binding->anim, time, wrap);
    md5_sample(binding, moment, root, pose);
    check_pose(binding, pose);
    md5_sample(binding, start, root, first);
    md5_add_pose(pose, pose, first, 0.7f, NULL, JOINTS, sum);
    check_pose(binding, sum);
    md5_blend_poses(first, sum, 0.3f, NULL, JOINTS, sum);
    check_pose(binding, sum);
    md5_moment cubic = moment;
    cubic.interpolation = MD5_INTERPOLATE_CUBIC;
    md5_sample(binding, cubic, root, pose);
    check_pose(binding, pose);
    const md5_bounds bounds = md5_anim_bounds(binding->anim, moment, root);
    CHECK_FINITE(&bounds, 1);
    const md5_vec3 motion = md5_anim_root_motion(binding->anim, start, moment);
    CHECK_FINITE(&motion, 1);
}

static void check_pair(const md5_model *model, const md5_anim *anim)
{
    CHECK_FINITE(model->bind, JOINTS);
    CHECK_FINITE(model->inverse_bind, JOINTS);
    CHECK_FINITE(model->bind_local, JOINTS);
    check_mesh(&model->meshes[0]);
    md5_binding *const binding = md5_bind(model, anim, NULL, NULL);
    if (!CHECK(binding != NULL))
        return;
    for (int i = 0; i < 9; i++)
        check_moment(binding, i * 0.031, (md5_wrap)(i % 3), (md5_root)(i / 3));
    md5_free_binding(binding);
}

TEST (range_whatever_loads_is_posed_and_skinned_finitely) {
    static writer mesh = {.random = 1}, clip = {.random = 2};
    unsigned num_refused = 0, num_posed = 0;
    for (int i = 0; i < 3000; i++) {
        md5_error mesh_error = {0}, clip_error = {0};
        write_model(&mesh);
        write_anim(&clip);
        md5_model *const model = md5_parse_model(mesh.text, mesh.used, NULL, &mesh_error);
        md5_anim *const anim = md5_parse_anim(clip.text, clip.used, NULL, &clip_error);
        if (model && anim) {
            check_pair(model, anim);
            num_posed++;
        } else {
            const md5_error *const error = model ? &clip_error : &mesh_error;
            CHECK(error->status == MD5_ERROR_RANGE && error->line > 0 && error->column > 0);
            num_refused++;
        }
        md5_free_anim(anim);
        md5_free_model(model);
    }
    CHECK(num_refused > 500 && num_posed > 500);
}
