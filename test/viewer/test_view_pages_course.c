// Facts on the first pages of the course, and checks that the lines of C on pages do the same as
// the library.
#include "test/scoped.h"
#include "test/real.h"
#include "test/viewer/test_view_case.h"

TEST_PAGE (page_line_rebuilds_w_of_each_joint, "line") {
    CLAIM("@ 0");
    const md5_model *const model = fixture->picture.model;
    const view_slider *const joints = fixture->page->sliders;
    for (int i = 0; i <= (int)joints->high; i++) {
        const uint32_t joint = JOINT(joints->words[i]);
        const uint32_t parent = model->skeleton.joints[joint].parent;
        const md5_quat rotation = md5_quat_from_mat34(model->bind[joint]);
        const md5_vec3 position = md5_mat34_translation(model->bind[joint]);
        CLAIM("joint = %d @ 0 | parent = %d; z = %.9g ~ 1e-5; w, computed = %.9g ~ 1e-5", i,
              parent == MD5_NONE ? -1 : (int)parent, (double)position.z, -fabs((double)rotation.w));
    }
}

TEST_PAGE (page_sign_shows_both_arcs, "sign") {
    for (int angle = 20; angle < 360; angle += 50) {
        CLAIM("angle, degrees = %d; t (far left: plays) = 1 @ 0 | signs as given = %d ~ 1e-4;"
              " shorter arc = %d ~ 1e-4",
              angle, angle, angle < 180 ? angle : 360 - angle);
        CHECK_NEAR(page_series_at(SERIES(0, "as given"), 1.0), angle, 1e-2);
        CHECK_NEAR(page_series_at(SERIES(0, "shorter arc"), 1.0), FACT("shorter arc"), 1e-2);
    }
}

TEST_PAGE (page_vertex_is_the_sum_over_its_joints, "vertex") {
    for (int vertex = 0; vertex <= 400; vertex += 25) {
        CLAIM("vertex = %d; seconds = %g @ 0 | weight > 0", vertex, 0.007 * vertex);
        // Computed manually: each joint's weight times the height to which it moves the vertex.
        const view_fact *const facts = fixture->picture.facts;
        double height = 0.0;
        double sum = 0.0;
        for (int i = 0; strcmp(facts[i].name, "weight") == 0; i += 2) {
            sum += facts[i].value;
            height += facts[i].value * facts[i + 1].value;
        }
        CLAIM("| height, the sum = %.17g ~ 2e-5", height);
        CHECK_NEAR(sum, 1.0, 1e-6);
    }
}

// 4 frames per second at 1.125 s give 4.5 frames. With 5 frames a loop has 4 intervals and a cycle
// 5.
TEST_PAGE (page_time_ends_in_three_ways, "time") {
    CLAIM("frames per second = 4; number of frames = 5; after the end = 0 @ 1.125 |"
          " frame0 = 0; frame1 = 1; fraction = 0.5; length = 1");
    CLAIM("after the end = 1 @ 1.125 | frame0 = 4; frame1 = 0; fraction = 0.5; length = 1.25");
    CLAIM("after the end = 2 @ 1.125 | frame0 = 4; frame1 = 4; fraction = 0; length = 1");
    CLAIM("after the end = 0; time scale = -1 @ 0.125 | frame0 = 3; frame1 = 4; fraction = 0.5");
    CLAIM("after the end = 0; time scale = 2 @ 0.3125 | frame0 = 2; frame1 = 3; fraction = 0.5");
}

TEST_PAGE (page_root_sum_equals_the_motion_of_the_library, "root") {
    CLAIM("@ 0");
    const md5_anim *const walk = view_page_clip(&fixture->picture, "walk")->anim;
    for (int i = 1; i <= 4; i++) {
        const md5_sample_position end = md5_sample_position_at(walk, 2.0 * i, MD5_WRAP_LOOP);
        const md5_vec3 offset =
            md5_anim_root_motion(walk, md5_sample_position_at(walk, 0.0, MD5_WRAP_LOOP), end);
        CLAIM("rate = %g @ 1 | sum of the steps = %.9g ~ 2e-3", 0.5 * i, (double)offset.x);
    }
}

TEST_PAGE (page_bitmap_steps_as_an_array_and_bleeds_as_an_atlas, "bitmap") {
    CLAIM("images = 4; texels = 12 @ 0.6 | memory = 2.25;"
          " neighbor mixed in, atlas border > 0.02;"
          " largest step, volume < 0.5 * largest step, array");
    CLAIM("images = 16 @ 0.6 | memory = 9");
    const double mixed = FACT("neighbor mixed in, atlas border");
    CLAIM("images = 16 @ %g | neighbor mixed in, atlas border = %.9g ~ 1e-6",
          0.6 - 3.0 * fixture->picture.plots->row.high.x, mixed);
}

// -- Lines of C -----------------------------------------------------------------------------

TEST_PAGE (page_easing_code_equals_the_library, "easing") {
    const view_slider *const kinds = fixture->page->sliders;
    for (int kind = 0; kind <= (int)kinds->high; kind++) {
        for (int i = 0; i < 7; i++)
            CLAIM("easing = %d; seconds = 2 @ %g | eased value = 1 * result of the library ~ 3e-6",
                  kind, 0.31 * i);
    }
}

TEST_PAGE (page_slerp_and_euler_code_equals_the_library, "euler") {
    for (int i = -2; i <= 2; i++) {
        const md5_euler to = {(float)(i * 40), (float)(i * 80), (float)(30 - i * 70)};
        CLAIM("pitch, degrees = %d; yaw, degrees = %d; roll, degrees = %d; t (far left: plays) = 1 "
              "@ 0",
              i * 40, i * 80, 30 - i * 70);
        const md5_quat shown = fixture->picture.figures[1].placement.rotation;
        const double off =
            real4_angle(to_unit_real4(shown), to_unit_real4(md5_quat_from_euler(to)));
        CHECK_NEAR(off, 0.0, 1e-5);
    }
    page_close(fixture);
    if (!page_open(fixture, "slerp"))
        return;
    for (int i = 1; i <= 8; i++) {
        CLAIM("angle, degrees = %d; t (far left: plays) = %g @ 0", i * 22, 0.1 * i);
        const md5_quat to = md5_quat_from_axis_angle((md5_vec3){1, 0, 0}, (float)(22 * i * DEGREE));
        const md5_quat s = md5_quat_slerp((md5_quat){.w = 1}, to, 0.1f * (float)i);
        const md5_quat n = md5_quat_nlerp((md5_quat){.w = 1}, to, 0.1f * (float)i);
        CLAIM("| difference now = %.17g ~ 2e-4",
              real4_angle(to_unit_real4(s), to_unit_real4(n)) / DEGREE);
    }
}

TEST_PAGE (page_masks_code_equals_the_library, "masks") {
    static const char *const joints[] = {"spine_1", "spine_2", "chest", "neck", "thigh_l"};
    float weights[128];
    CLAIM("@ 0");
    for (int feather = 0; feather < 5; feather++) {
        if (!CHECK(md5_build_mask(fixture->picture.skeleton, "*spine_1", (uint32_t)feather, weights,
                                  NULL)))
            return;
        for (size_t i = 0; i < COUNT_OF(joints); i++)
            CLAIM("feather, levels = %d @ 0.5 | %s = %.9g ~ 1e-6", feather, joints[i],
                  (double)weights[JOINT(joints[i])]);
    }
}

TEST_PAGE (page_ik_elbow_obeys_the_law_of_cosines, "ik") {
    // Both bones, as the solver with the formula poses them.
    CLAIM("solver = 0 @ 0");
    const view_figure *const figure = fixture->picture.figures;
    const uint32_t hand = JOINT("hand_l");
    const uint32_t elbow = fixture->picture.skeleton->joints[hand].parent;
    const uint32_t shoulder = fixture->picture.skeleton->joints[elbow].parent;
    const md5_vec3 at = view_joint_position(&fixture->picture, figure, elbow);
    const md5_vec3 from = view_joint_position(&fixture->picture, figure, shoulder);
    const real3 a = to_real3(md5_vec3_sub(from, at));
    const real3 b =
        to_real3(md5_vec3_sub(view_joint_position(&fixture->picture, figure, hand), at));
    const double upper = real3_length(a);
    const double lower = real3_length(b);
    CLAIM("| elbow of two bones = %.17g ~ 1e-2", acos(real3_dot(a, b) / (upper * lower)) / DEGREE);
    const double apart = real_distance(from, (md5_vec3){4, 17, 34});
    const double cosine = (upper * upper + lower * lower - apart * apart) / (2.0 * upper * lower);
    CLAIM("| elbow of two bones = %.17g ~ 1e-3", acos(cosine) / DEGREE);
}

// The answers to the exercises: a quotation of the answer, and the settings and values that prove
// it.
typedef struct answer_proof {
    const char *lesson;
    const char *quotation;
    const char *claim;
} answer_proof;

static const answer_proof answer_proofs[] = {
    {"line", "w is -0.7245",
     "joint = 3 @ 0 | rotation y = 0.6892 ~ 5e-5; w, computed = -0.7245 ~ 5e-5"},
    {"quaternion_w", "4.19 degrees at 170 degrees",
     "digits = 2; angle, degrees = 170 @ 0 | error of the rotation = 4.19 ~ 5e-3"},
    {"quaternion_w", "0.704 degrees at 60",
     "digits = 2; angle, degrees = 60 @ 0 | error of the rotation = 0.704 ~ 5e-4"},
    {"sign", "360 - 250 = 110 degrees",
     "angle, degrees = 250 @ 0 | signs as given = 250 ~ 1e-3; shorter arc = 110 ~ 1e-3"},
    {"palette", "= 32.72 units",
     "seconds = 1.6 @ 0 | third row, x = -0.2041 ~ 5e-5; third row, y = -0.9053 ~ 5e-5;"
     " third row, z = 0.3726 ~ 5e-5; height of the fingertip now = 32.72 ~ 5e-3"},
    {"palette", "remains 17.52 units",
     "bind 0, clip 1 = 0 @ 0 | third row, x = 0; third row, y = 0; third row, z = 1 ~ 1e-6;"
     " height of the fingertip now = 17.52 ~ 5e-3"},
    {"vertex", "= 32.05 units", "vertex = 330; seconds = 1.6 @ 0 | height, the sum = 32.05 ~ 5e-3"},
    {"vertex", "Vertex 200 has only one joint", "vertex = 200 @ 0 | weight = 1"},
    {"influences", "At most 6 joints. 596 vertices",
     "joint = 0 @ 0 | most joints of a vertex = 6; vertices with 5+ joints = 596"},
    {"time", "4 intervals, so 1 s", "after the end = 0 @ 0 | length = 1 ~ 1e-6"},
    {"time", "takes 1.25 s", "after the end = 1 @ 0 | length = 1.25 ~ 1e-6"},
    {"frame_rate", "12 / 6 = 2",
     "speed, 1/s = 12; frames per second = 6 @ 0 | fraction moved per frame, product = 2 ~ 1e-6;"
     " remaining after 1 s, product = 1 ~ 1e-5; remaining after 1 s, exact = 0.000006 ~ 5e-7"},
    {"slerp", "0.9 degrees with an angle of 90",
     "angle, degrees = 90; t (far left: plays) = 0.25 @ 0 | difference now = 0.9 ~ 0.05"},
    {"slerp", "6.7 degrees with 170",
     "angle, degrees = 170; t (far left: plays) = 0.25 @ 0 | difference now = 6.7 ~ 0.05"},
    {"euler", "131.8 degrees, the path of slerp 110.3 degrees",
     "pitch, degrees = 80; yaw, degrees = 130; roll, degrees = 60 @ 0 |"
     " path, Euler angles = 131.8 ~ 0.05; path, slerp = 110.3 ~ 0.05"},
    {"crossfade", "After 0.6 s",
     "@ 1.6 | since the start = 0.6 ~ 1e-6; weight of the wave = 0.5 ~ 1e-5"},
    {"additive", "leans by -1.7 degrees, difference * pose by 24 degrees",
     "head turned, degrees = 60 @ 0 | lean, pose * difference = -1.7 ~ 0.05;"
     " lean, difference * pose = 24 ~ 0.5"},
    {"masks", "0.25, 0.5, 0.75 and 1",
     "feather, levels = 3 @ 0 | spine_1 = 0.25; spine_2 = 0.5; chest = 0.75; neck = 1"},
    {"sync", "5.1 units if each clip has its own rate, and 10.4 units in phase",
     "@ 2 | smallest step, own rates = 5.1 ~ 0.05; smallest step, in phase = 10.4 ~ 0.05"},
    {"machine", "2 is not greater than 2", "highest speed = 2 @ 4 | state = 0"},
    {"root", "80 units, and 160 units at a rate of 2",
     "rate = 2 @ 1 | sum of the steps = 160 ~ 0.01; a cycle takes = 0.5 ~ 1e-6"},
    {"ik", "CCD needs 14, FABRIK 3, damped least squares 6",
     "@ 0.3 | CCD to 0.01 units = 14; FABRIK to 0.01 units = 3; least squares to 0.01 units = 6"},
    {"dual", "170 degrees 28.5 %", "waist, degrees = 170 @ 0 | waist, linear = 28.5 ~ 0.05"},
    {"dual", "at 40 degrees 94 %", "waist, degrees = 40 @ 0 | waist, linear = 94 ~ 0.5"},
    {"normals", "47.9 degrees", "@ 0 | largest error, the matrix = 47.9 ~ 0.05"},
    {"walk", "0.316 s at 10", "speed, units/s = 10 @ 3.3 | a step takes = 0.316 ~ 5e-4"},
    {"walk", "0.218 s at 18", "speed, units/s = 18 @ 3.3 | a step takes = 0.218 ~ 5e-4"},
    {"morph", "2.34 units", "smile = 1; oh = 0 @ 0 | largest move = 2.34 ~ 5e-3"},
    {"bitmap", "0.755 with the array, and 0.0944",
     "images = 2 @ 0.6 | largest step, array = 0.755 ~ 5e-4; largest step, volume = 0.0944 ~ 5e-5"},
    {"bake", "2500 KiB instead of 144 KiB",
     "@ 0.3 | memory, baked = 2500 ~ 0.5; memory, joint clip = 144 ~ 0.5"},
};

TEST_PAGE (page_answers_are_the_displayed_values, "line") {
    for (size_t i = 0; i < COUNT_OF(answer_proofs); i++) {
        const answer_proof *const proof = &answer_proofs[i];
        page_close(fixture);
        *fixture = (page_case){.page = NULL};
        if (!page_open(fixture, proof->lesson))
            return;
        const char *const answer = fixture->page->answer;
        CHECK_THAT(answer != NULL && strstr(answer, proof->quotation) != NULL,
                   "the answer of %s does not contain '%s'", proof->lesson, proof->quotation);
        CLAIM("%s", proof->claim);
    }
}
