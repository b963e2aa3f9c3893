// .md5camera: reading, messages, and playback over cuts as in the original engine.
#include "test/real.h"
#include "test/scoped.h"

// Returns the text of a camera file. In frame i the camera is at (i, 10 i, 0), is rotated by i
// degrees about z, and has a field of view of 60 + i degrees.
static char *camera_text(uint32_t num_frames, const char *cuts, uint32_t num_cuts)
{
    static char text[4096];
    int used =
        snprintf(text, sizeof text,
                 "MD5Version 10\ncommandline \"\"\n\nnumFrames %u\nframeRate 10\nnumCuts %u\n\n"
                 "cuts {\n\t%s\n}\n\ncamera {\n",
                 num_frames, num_cuts, cuts);
    for (uint32_t i = 0; i < num_frames; i++) {
        // The quaternion contains half the angle. w is reconstructed as a negative number, so z is
        // negated.
        const double z = -sin(i * 3.14159265358979 / 360.0);
        used += snprintf(text + used, sizeof text - (size_t)used, "\t( %u %u 0 ) ( 0 0 %.9f ) %u\n",
                         i, 10 * i, z, 60 + i);
    }
    snprintf(text + used, sizeof text - (size_t)used, "}\n");
    return text;
}

typedef struct warnings {
    unsigned count;
    md5_error last;
} warnings;

static void count_warning(void *user, const md5_error *warning)
{
    warnings *const received = user;
    received->count++;
    received->last = *warning;
}

static md5_camera *parse(const char *text, warnings *received, md5_error *error)
{
    *received = (warnings){0};
    const md5_load_opts opts = {.warn = count_warning, .warn_user = received};
    return md5_parse_camera(text, strlen(text), &opts, error);
}

static double angle(md5_quat q)
{
    return 2 * atan2((double)q.z, (double)q.w) * 180.0 / 3.14159265358979;
}

static void check_view(const md5_camera *camera, double time, md5_wrap wrap, double frame)
{
    const md5_camera_view view = md5_camera_at(camera, time, wrap, 0);
    CHECK_NEAR(view.position.x, frame, 1e-4);
    CHECK_NEAR(view.position.y, 10 * frame, 1e-3);
    CHECK_NEAR(view.fov, 60 + frame, 1e-4);
    CHECK_SMALL(fmod(angle(view.rotation) - frame + 720 + 180.0, 360) - 180, 1e-2);
}

static void check_rotation(md5_quat actual, double x, double y, double z, double w)
{
    CHECK_VEC3(((md5_vec3){actual.x, actual.y, actual.z}), x, y, z, 1e-6);
    CHECK_NEAR(actual.w, w, 1e-6);
}

TEST (camera_plays_between_frames) {
    warnings received;
    SCOPED_CAMERA camera = parse(camera_text(5, "", 0), &received, NULL);
    REQUIRE(camera);
    CHECK_UINT(camera->num_frames, 5);
    CHECK_UINT(camera->num_cuts, 0);
    CHECK_UINT(received.count, 0);
    CHECK_NEAR(camera->duration, 0.4, 1e-12);
    check_view(camera, 0, MD5_WRAP_CLAMP, 0);
    check_view(camera, 0.125, MD5_WRAP_CLAMP, 1.25);
    check_view(camera, -3, MD5_WRAP_CLAMP, 0);
    check_view(camera, 9, MD5_WRAP_CLAMP, 4);
    check_view(camera, 0.525, MD5_WRAP_LOOP, 1.25);
    check_view(camera, 0.525, MD5_WRAP_CYCLE, 0.25);
    check_view(camera, 0.475, MD5_WRAP_CYCLE, 4); // the last frame is held
    check_view(camera, NAN, MD5_WRAP_LOOP, 0);
}

// The shots are frames 0-3, 4-5 and 6-8. The first two end at the frame of their cut, which is
// blended towards but never reached.
TEST (camera_cuts_hide_the_frame_that_ends_a_shot) {
    warnings received;
    SCOPED_CAMERA camera = parse(camera_text(9, "3 5", 2), &received, NULL);
    REQUIRE(camera);
    CHECK_UINT(received.count, 0);
    CHECK_NEAR(camera->duration, 0.6, 1e-12);
    check_view(camera, 0.25, MD5_WRAP_CLAMP, 2.5);
    check_view(camera, 0.299, MD5_WRAP_CLAMP, 2.99);
    check_view(camera, 0.3, MD5_WRAP_CLAMP, 4);
    check_view(camera, 0.35, MD5_WRAP_CLAMP, 4.5);
    check_view(camera, 0.4, MD5_WRAP_CLAMP, 6);
    check_view(camera, 0.55, MD5_WRAP_CLAMP, 7.5);
    check_view(camera, 0.6, MD5_WRAP_CLAMP, 8);
    check_view(camera, 1, MD5_WRAP_CLAMP, 8);
    check_view(camera, 0.65, MD5_WRAP_LOOP, 0.5);
}

// A shaking path: x moves evenly, y and z shake, rotation and field of view too, each in its own
// way.
enum { SHAKEN_Y, SHAKEN_Z, SHAKEN_ROTATION, SHAKEN_FOV = SHAKEN_ROTATION + 3, NUM_SHAKEN };

static double shaking(int channel, uint32_t frame)
{
    static const double sizes[NUM_SHAKEN] = {5, 3, 0.1, 0.2, 0.05, 7};
    return round(1e4 * sizes[channel] * sin((2.4 - 0.3 * channel) * frame + channel)) / 1e4;
}

// Returns w of a frame's rotation, of which the file has three numbers.
static double shaking_w(uint32_t frame)
{
    double square = 1;
    for (int i = SHAKEN_ROTATION; i < SHAKEN_FOV; i++)
        square -= shaking(i, frame) * shaking(i, frame);
    return -sqrt(square);
}

// Returns the weighted mean at a stored frame of a shot. The channel NUM_SHAKEN is w.
static double mean_around(int channel, uint32_t frame, uint32_t first, uint32_t last, double reach)
{
    double sum = 0;
    double weights = 0;
    reach = fmin(reach, fmin((frame - first), (last - frame)));
    for (uint32_t i = first; i <= last; i++) {
        double u = i == frame ? 0 : 1;
        if (reach > 0)
            u = ((double)i - frame) / reach;
        const double weight = fabs(u) < 1 ? (1 - u * u) * (1 - u * u) : 0;
        sum += weight * (channel == NUM_SHAKEN ? shaking_w(i) : shaking(channel, i));
        weights += weight;
    }
    return sum / weights;
}

TEST (camera_smoothed_is_the_weighted_mean_of_its_shot) {
    enum { NUM_FRAMES = 41 };
    static char text[8192];
    warnings received;
    int used = snprintf(text, sizeof text,
                        "MD5Version 10\ncommandline \"\"\n\nnumFrames %d\nframeRate 10\n"
                        "numCuts 1\n\ncuts {\n\t20\n}\n\ncamera {\n",
                        NUM_FRAMES);
    for (uint32_t i = 0; i < NUM_FRAMES; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "\t( %u %.4f %.4f ) ( %.4f %.4f %.4f ) %.4f\n", i, shaking(SHAKEN_Y, i),
                         shaking(SHAKEN_Z, i), shaking(SHAKEN_ROTATION, i),
                         shaking(SHAKEN_ROTATION + 1, i), shaking(SHAKEN_ROTATION + 2, i),
                         60 + shaking(SHAKEN_FOV, i));
    snprintf(text + used, sizeof text - (size_t)used, "}\n");
    SCOPED_CAMERA camera = parse(text, &received, NULL); // frames 0 to 20, and 21 to 40
    REQUIRE(camera);
    for (uint32_t played = 0; played < 40; played++) {
        const uint32_t frame = played < 20 ? played : played + 1;
        const uint32_t first = played < 20 ? 0 : 21;
        const uint32_t last = played < 20 ? 20 : 40;
        const md5_camera_view view =
            md5_camera_at(camera, 0.1 * played + 1e-9, MD5_WRAP_CLAMP, 0.45);
        double expected[NUM_SHAKEN + 1];
        double square = 0;
        for (int i = 0; i <= NUM_SHAKEN; i++) {
            expected[i] = mean_around(i, frame, first, last, 4.5);
            square += i >= SHAKEN_ROTATION && i != SHAKEN_FOV ? expected[i] * expected[i] : 0;
        }
        CHECK_NEAR(view.position.x, frame, 1e-4); // constant speed is preserved
        CHECK_NEAR(view.position.y, expected[SHAKEN_Y], 1e-4);
        CHECK_NEAR(view.position.z, expected[SHAKEN_Z], 1e-4);
        CHECK_NEAR(view.fov, 60 + expected[SHAKEN_FOV], 1e-4);
        check_rotation(view.rotation, expected[SHAKEN_ROTATION] / sqrt(square),
                       expected[SHAKEN_ROTATION + 1] / sqrt(square),
                       expected[SHAKEN_ROTATION + 2] / sqrt(square),
                       expected[NUM_SHAKEN] / sqrt(square));
        const md5_camera_view plain = md5_camera_at(camera, 0.1 * played + 0.03, MD5_WRAP_CLAMP, 0);
        const md5_camera_view unsmoothed =
            md5_camera_at(camera, 0.1 * played + 0.03, MD5_WRAP_CLAMP, 0);
        CHECK_NEAR(plain.position.y, unsmoothed.position.y, 1e-5);
        CHECK_NEAR(plain.position.z, unsmoothed.position.z, 1e-5);
        CHECK_NEAR(plain.fov, unsmoothed.fov, 1e-5);
    }
    // In steps of a hundredth of a frame, the path must not jump except at the cut.
    float last = 0;
    for (int i = 0; i < 3900; i++) {
        const md5_camera_view view = md5_camera_at(camera, 0.001 * i, MD5_WRAP_CLAMP, 0.45);
        CHECK(i == 2000 || fabsf(view.position.y - last) < 0.3f);
        last = view.position.y;
    }
}

TEST (camera_smoothed_rotates_evenly_and_accepts_any_numbers) {
    warnings received;
    SCOPED_CAMERA camera = parse(camera_text(30, "12 12 4", 3), &received, NULL);
    REQUIRE(camera);
    for (int i = 0; i < 120; i++) {
        const double time = 0.03 * i - 0.3;
        const md5_camera_view unsmoothed = md5_camera_at(camera, time, MD5_WRAP_LOOP, 0);
        const md5_camera_view view = md5_camera_at(camera, time, MD5_WRAP_LOOP, 0.35);
        CHECK_NEAR(view.position.x, unsmoothed.position.x, 1e-3); // the path has constant speed
        CHECK_SMALL(fmod(angle(view.rotation) - angle(unsmoothed.rotation) + 900, 360) - 180, 2e-2);
        md5_camera_at(camera, time, MD5_WRAP_CYCLE, NAN);
        md5_camera_at(camera, time, MD5_WRAP_CLAMP, INFINITY);
        md5_camera_at(camera, time, MD5_WRAP_CLAMP, -1);
    }
}

TEST (camera_of_one_frame_does_not_move) {
    warnings received;
    SCOPED_CAMERA camera = parse(camera_text(1, "", 0), &received, NULL);
    REQUIRE(camera);
    CHECK(camera->duration == 0);
    check_view(camera, 0, MD5_WRAP_LOOP, 0);
    check_view(camera, 1e300, MD5_WRAP_LOOP, 0);
}

// A hostile file can contain more cuts than frames, unordered and repeated. The camera is then
// still between the positions of the frames.
TEST (camera_more_cuts_than_frames_stay_inside) {
    warnings received;
    SCOPED_CAMERA camera = parse(camera_text(3, "0 0 1 2 2 1", 6), &received, NULL);
    REQUIRE(camera);
    CHECK(received.count > 0);
    for (int step = -20; step < 40; step++) {
        const md5_camera_view view = md5_camera_at(camera, step * 0.05, MD5_WRAP_LOOP, 0);
        CHECK(view.position.x >= 0 && view.position.x <= 2);
    }
}

// There are as many cuts as frames. Each cut hides a frame, but one frame is still played.
TEST (camera_with_as_many_cuts_as_frames_plays_one) {
    warnings received;
    SCOPED_CAMERA camera = parse(camera_text(3, "2 2 2", 3), &received, NULL);
    REQUIRE(camera);
    check_view(camera, 0, MD5_WRAP_CLAMP, 0);
    check_view(camera, 9, MD5_WRAP_CLAMP, 0);
    check_view(camera, 0.15, MD5_WRAP_LOOP, 0);
}

// Cuts with views, as in the files of Doom 3's mod for virtual reality. The frames are played as
// without them.
TEST (camera_returns_the_views_of_cuts) {
    warnings received;
    SCOPED_CAMERA camera = parse(
        camera_text(9, "3 pos ( 1 -2 3 ) rotA ( 30 90 0 ) 5 7 rotA ( 0 0 0 ) rot ( 0 0.6 0 )", 3),
        &received, NULL);
    REQUIRE(camera);
    CHECK_UINT(received.count, 2); // one for the views, and one for a rotation that is given twice
    CHECK_UINT(received.last.line, 9);
    const md5_cut_view *const views = camera->cut_views;
    if (CHECK_UINT(camera->num_cut_views, 2)) {
        CHECK(views[0].has_position && views[0].has_rotation);
        CHECK(views[0].position.x == 1 && views[0].position.y == -2);
        // 90 degrees to the left (about z), then 30 down (about y): -(q_z * q_y), computed
        // manually.
        const double s = sin(0.2617993877991494);
        const double c = cos(0.2617993877991494);
        const double half = sqrt(0.5);
        check_rotation(views[0].rotation, s * half, -s * half, -c * half, -c * half);
        const md5_vec3 ahead = md5_mat34_point(
            md5_mat34_from_xform((md5_xform){.rotation = views[0].rotation}), (md5_vec3){1, 0, 0});
        CHECK_VEC3(ahead, 0, cos(0.5235987755982988), -0.5, 1e-6);
        CHECK(views[0].cut == 0 && views[1].cut == 2);
        CHECK(!views[1].has_position && views[1].has_rotation);
        check_rotation(views[1].rotation, 0, 0.6, 0, -0.8);
    }
    check_view(camera, 0.3, MD5_WRAP_CLAMP, 4);
    CHECK(md5_camera_cut_view(camera, 0, MD5_WRAP_CLAMP) == NULL);
    CHECK(md5_camera_cut_view(camera, 0.299, MD5_WRAP_CLAMP) == NULL);
    CHECK(md5_camera_cut_view(camera, 0.3, MD5_WRAP_CLAMP) == &views[0]);
    CHECK(md5_camera_cut_view(camera, 0.4, MD5_WRAP_CLAMP) == NULL); // the second cut has no view
    CHECK(md5_camera_cut_view(camera, 9, MD5_WRAP_CLAMP) == &views[1]);
    CHECK(md5_camera_cut_view(camera, 0.51, MD5_WRAP_LOOP) == NULL);
}

// Yaw about z * pitch about y * roll about x, against products of matrices.
TEST (camera_angles_of_cuts_rotate_as_in_the_engine) {
    uint64_t random = 7;
    for (int i = 0; i < 200; i++) {
        const double degrees[3] = {720 * test_random(&random) - 360,
                                   720 * test_random(&random) - 360,
                                   720 * test_random(&random) - 360};
        char cut[128];
        warnings received;
        snprintf(cut, sizeof cut, "1 rotA ( %.3f %.3f %.3f )", degrees[0], degrees[1], degrees[2]);
        SCOPED_CAMERA camera = parse(camera_text(3, cut, 1), &received, NULL);
        REQUIRE(camera);
        md5_xform rotations[3] = {0};
        for (int axis = 0; axis < 3; axis++) {
            const double half = degrees[axis] * 3.14159265358979 / 360.0;
            rotations[axis].rotation.w = (float)cos(half);
            const float sine = (float)sin(half);
            if (axis == 0)
                rotations[axis].rotation.y = sine;
            else if (axis == 1)
                rotations[axis].rotation.z = sine;
            else
                rotations[axis].rotation.x = sine;
        }
        const md5_mat34 expected = md5_mat34_mul(
            md5_mat34_from_xform(rotations[1]),
            md5_mat34_mul(md5_mat34_from_xform(rotations[0]), md5_mat34_from_xform(rotations[2])));
        const md5_xform found = {.rotation = camera->cut_views[0].rotation};
        const md5_mat34 actual = md5_mat34_from_xform(found);
        CHECK(found.rotation.w <= 0);
        for (int k = 0; k < 12; k++)
            CHECK_NEAR(actual.m[k], expected.m[k], 1e-4);
    }
}

TEST (camera_accepts_a_cut_at_frame_0_and_reports_unordered_cuts) {
    warnings received;
    md5_camera *camera = parse(camera_text(4, "0", 1), &received, NULL);
    if (CHECK(camera)) {
        CHECK_UINT(camera->num_cut_views, 0);
        check_view(camera, 0, MD5_WRAP_CLAMP, 1);
    }
    CHECK_UINT(received.count, 0);
    md5_free_camera(camera);

    camera = parse(camera_text(4, "2 1", 2), &received, NULL);
    CHECK(camera);
    CHECK_UINT(received.count, 1);
    md5_free_camera(camera);
}

typedef struct bad_case {
    const char *text;
    md5_status status;
    uint32_t line;
    uint32_t column;
} bad_case;

#define HEADER "MD5Version 10\ncommandline \"\"\n"

TEST (camera_errors_name_their_location) {
    static const bad_case cases[] = {
        {"", MD5_ERROR_SYNTAX, 1, 1},
        {HEADER
         "numFrames 1\nframeRate 24\nnumCuts 1\ncuts {\n8\n}\ncamera {\n(0 0 0)(0 0 0)45\n}\n",
         MD5_ERROR_RANGE, 7, 1},
        {HEADER "numFrames 1\nframeRate 24\nnumCuts 1\ncuts { -1 }\ncamera { (0 0 0)(0 0 0)45 }\n",
         MD5_ERROR_RANGE, 6, 8},
        {HEADER "numFrames 1\nframeRate 24\nnumCuts 2\ncuts { 0 }\ncamera { (0 0 0)(0 0 0)45 }\n",
         MD5_ERROR_SYNTAX, 6, 10},
        {HEADER "numFrames 1\nframeRate 24\nnumCuts 0\ncuts { 0 }\ncamera { (0 0 0)(0 0 0)45 }\n",
         MD5_ERROR_SYNTAX, 6, 8},
        {HEADER
         "numFrames 2\nframeRate 24\nnumCuts 0\ncuts { }\ncamera { (0 0 0)(0 0 0) 45      }\n",
         MD5_ERROR_SYNTAX, 7, 33},
        {HEADER "numFrames 1\nframeRate 24\nnumCuts 0\ncuts { }\ncamera { (0 0 0)(0 0 0) 45 ( }\n",
         MD5_ERROR_SYNTAX, 7, 28},
        {HEADER "numFrames 1\nframeRate 0\nnumCuts 0\ncuts { }\ncamera { (0 0 0)(0 0 0) 45 }\n",
         MD5_ERROR_RANGE, 4, 11},
        {HEADER "numFrames 1\nnumCuts 0\ncuts { }\ncamera { (0 0 0)(0 0 0) 45 }\n",
         MD5_ERROR_SYNTAX, 6, 1},
        {HEADER "frameRate 24\nnumCuts 0\ncamera { (0 0 0)(0 0 0) 45 }\n", MD5_ERROR_SYNTAX, 5, 1},
        {HEADER "numFrames 1\nframeRate 24\nnumCuts 1\ncamera { (0 0 0)(0 0 0) 45 }\n",
         MD5_ERROR_SYNTAX, 6, 1},
        {HEADER "numFrames 1000\nframeRate 24\nnumCuts 0\ncuts { }\ncamera { }\n", MD5_ERROR_RANGE,
         3, 11},
        {HEADER "numFrames 1\nframeRate 24\nnumCuts 0\ncuts { }\ncuts { }\n", MD5_ERROR_SYNTAX, 7,
         1},
        {HEADER "numFrames 1\nframeRate 24\nnumCuts 0\ncuts { }\n", MD5_ERROR_SYNTAX, 6, 9},
        {HEADER "frameRate 24\nnumJoints 1\n", MD5_ERROR_SYNTAX, 4, 1},
        {HEADER "numFrames 1\nframeRate 24\ncamera { (0 0 0)(0 0 nan) 45 }\n", MD5_ERROR_RANGE, 5,
         22},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        warnings received;
        md5_error error = {0};
        SCOPED_CAMERA camera = parse(cases[i].text, &received, &error);
        const bool is_at_location = error.line == cases[i].line && error.column == cases[i].column;
        CHECK_THAT(!camera && error.status == cases[i].status && is_at_location,
                   "case %zu: %d at %u:%u: %s", i, (int)error.status, error.line, error.column,
                   error.message);
    }
}

TEST (camera_without_numcuts_has_none) {
    warnings received;
    SCOPED_CAMERA camera =
        parse(HEADER "numFrames 1\nframeRate 24\ncamera { (0 0 0)(0 0 0) 45 }\n", &received, NULL);
    CHECK(camera && camera->num_cuts == 0);
}

TEST (camera_survives_truncation_and_failing_allocations) {
    const char *const text = camera_text(6, "2 4", 2);
    const size_t size = strlen(text);
    for (size_t cut = 0; cut < size; cut++) {
        md5_error error = {0};
        SCOPED_CAMERA camera = md5_parse_camera(text, cut, NULL, &error);
        // A truncated text is valid only if it lacks only the final newline.
        CHECK((camera != NULL) == (cut >= size - 1));
        CHECK((error.status == MD5_OK) == (camera != NULL));
    }
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_CAMERA camera = md5_parse_camera(text, size, &failure.opts, &failure.error);
        CHECK_FAILURE(failure, camera);
    }
}
