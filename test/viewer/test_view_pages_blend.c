// Facts on the pages about blending, state machines and skinning, compared with independent
// computations.
#include "test/scoped.h"
#include "test/real.h"
#include "test/viewer/test_view_case.h"

TEST_PAGE (page_crossfade_is_the_old_pose_and_then_the_new_one, "crossfade") {
    CLAIM("seconds = 1; easing = %d @ 0.9 | angle to the walk = 0 ~ 0.02", (int)MD5_EASE_SMOOTH);
    // A quarter of a second after the start of the fade at 1 s: with t = 0.25 the weight is t^2 (3
    // - 2 t).
    CLAIM("@ 1.25 | weight of the wave = 0.15625 ~ 1e-5");
    // In the middle of the fade, the joint that differs most has half the distance to each of both
    // poses.
    CLAIM("@ 1.5 | weight of the wave = 0.5 ~ 1e-5; angle to the walk = 0.5 * walk to wave ~ 0.05;"
          " angle to the wave = 0.5 * walk to wave ~ 0.05");
    CLAIM("@ 2.1 | angle to the wave = 0 ~ 0.02; walk to wave > 5");
}

// With the head turned to the side, the order pose * difference preserves a nod. In the other order
// the head leans.
TEST_PAGE (page_additive_preserves_a_nod, "additive") {
    // The tolerance is 3 degrees because the clip itself leans a little.
    CLAIM("difference = 0; head turned, degrees = 60; weight = 1 @ 0 |"
          " lean, pose * difference = 0 ~ 3; lean, difference * pose > 20");
    // The angle between rotations by 30 degrees about two axes that are 60 degrees apart.
    const double c = cos(15.0 * DEGREE);
    const double s = sin(15.0 * DEGREE);
    CLAIM("| angle between both heads = %.17g ~ 0.1", 2.0 * acos(c * c + s * s * 0.5) / DEGREE);
    CLAIM("| angle of head to the third pose = 30 ~ 0.01");
    CLAIM("head turned, degrees = 0 @ 0 | angle between both heads = 0 ~ 0.05"); // the order does
                                                                                 // not matter
}

// The head of the tired walk hangs. Without a weight it is the walk itself.
TEST_PAGE (page_additive_adds_the_difference_of_two_clips, "additive") {
    CLAIM("difference = 1; head turned, degrees = 0; weight = 1 @ 0.5 | angle of head to the third "
          "pose > 8");
    const double tired = FACT("angle of head to the third pose");
    CLAIM("weight = 0.5 @ 0.5 | angle of head to the third pose = %.17g ~ 0.01", 0.5 * tired);
    CLAIM("weight = -1 @ 0.5 | angle of head to the third pose = %.17g ~ 0.01", tired);
    CLAIM("weight = 0 @ 0.5 | angle of head to the third pose = 0 ~ 1e-2; angle between both heads "
          "= 0 ~ 1e-2");
}

TEST_PAGE (page_masks_rise_over_the_levels, "masks") {
    STRINGS(joints) = {"spine_1", "spine_2", "chest", "neck"};
    for (int feather = 0; feather < 5; feather++) {
        CLAIM("feather, levels = %d @ 0.7 | thigh_l = 0; thigh differs from walk by = 0 ~ 0.02;"
              " hand differs from wave by = 0 ~ 0.02",
              feather);
        for (int level = 0; level < 4; level++)
            CLAIM("| %s = %.17g ~ 1e-6", joints[level], fmin((level + 1.0) / (feather + 1.0), 1.0));
    }
    CLAIM("weight = 0 @ 0.7 | hand differs from wave by > 1");
}

TEST_PAGE (page_sync_keeps_the_stride, "sync") {
    CLAIM("walk 0, run 1 = 0.5 @ 1 | smallest step, own rates < 0.75 * smallest step, in phase");
    // The walk without the run needs no synchronization.
    CLAIM("walk 0, run 1 = 0 @ 1 | smallest step, own rates = smallest step, in phase ~ 1e-3");
}

static const char *const gaits[2] = {"walk", "run"};

// Computes the cycles of walk and run per second, in the order of the change.
static void find_rates(const page_case *fixture, int old, double rates[2])
{
    for (int i = 0; i < 2; i++)
        rates[i] = 1.0 / view_page_clip(&fixture->picture, gaits[i ^ old])->anim->duration;
}

// Returns the smallest range of the left foot within one cycle, sampled sixteen times as finely.
static double smallest_step(page_case *fixture, double gait, bool in_phase)
{
    enum { STEPS = 2048 };
    double x[STEPS + 1];
    double rates[2];
    double smallest = INFINITY;
    md5_xform *const both = view_spare_pose(&fixture->picture, 7);
    find_rates(fixture, 0, rates);
    const double rate = (1.0 - gait) * rates[0] + gait * rates[1];
    for (int i = 0; i <= STEPS; i++) {
        md5_xform *poses[2];
        for (uint32_t k = 0; k < 2; k++)
            view_sample_clip(&fixture->picture, gaits[k],
                             3.0 * i / (double)STEPS * (in_phase ? rate / rates[k] : 1.0),
                             poses[k] = view_spare_pose(&fixture->picture, 5 + k));
        md5_blend_poses(poses[0], poses[1], (float)gait, NULL, fixture->scene.num_joints, both);
        x[i] = view_posed_position(&fixture->picture, both, JOINT("foot_l")).x;
    }
    const int window = (int)((double)STEPS / (3.0 * rate)) + 1;
    for (int first = 0; first + window <= STEPS; first++) {
        double low = INFINITY;
        double high = -INFINITY;
        for (int i = first; i <= first + window; i++) {
            low = fmin(low, x[i]);
            high = fmax(high, x[i]);
        }
        smallest = fmin(smallest, high - low);
    }
    return smallest;
}

TEST_PAGE (page_sync_measures_whole_cycles, "sync") {
    for (double gait = 0.1; gait < 1.0; gait += 0.2) {
        CLAIM("walk 0, run 1 = %.17g @ 2", gait);
        const double unsynchronized_step = smallest_step(fixture, gait, false);
        const double phase = smallest_step(fixture, gait, true);
        CLAIM("| smallest step, own rates = %.17g ~ %g; smallest step, in phase = %.17g ~ %g",
              unsynchronized_step, 0.05 * unsynchronized_step, phase, 0.02 * phase);
    }
}

static bool has_label(const page_case *fixture, const char *text, view_color color)
{
    for (uint32_t i = 0; i < fixture->picture.num_labels; i++) {
        const view_label *const label = &fixture->picture.labels[i];
        if (strcmp(label->text, text) == 0)
            return label->color == color;
    }
    return false;
}

static uint32_t count_lines(const page_case *fixture, view_color color)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < fixture->picture.lines.count; i += 2)
        count += page_has_color(&fixture->picture.lines.vertices[i], color);
    return count;
}

// The active state is bright, and so is the transition to it.
TEST_PAGE (page_machine_has_a_graph, "machine") {
    CLAIM("highest speed = 40 @ 1");
    CHECK(has_label(fixture, "stand", VIEW_PLAIN) && has_label(fixture, "go", VIEW_YELLOW));
    CHECK(count_lines(fixture, VIEW_DIM_LINE) == 1 && count_lines(fixture, VIEW_RED) == 0);
    CLAIM("@ 0.25"); // 5 units per second; the character walks from 2 on
    CHECK(count_lines(fixture, VIEW_DIM_LINE) == 0 && count_lines(fixture, VIEW_RED) == 1);
    CHECK(strstr(fixture->page->lines, "transition stand go { when speed > 2 duration 0.3"));
}

TEST_PAGE (page_machine_changes_state_by_its_conditions, "machine") {
    // Acceleration of 20 units per second: the speed is over 2 at 0.1 s. The second transition
    // begins at 7.9 s.
    CLAIM("highest speed = 40; waves at, seconds = 5 @ 0 | state = 0; weight of waving = 0");
    CLAIM("@ 0.25 | speed = 5 ~ 0.7; state = 1; transition from = 0; progress of the transition = "
          "0.5 ~ 0.25"); // 0.15 of 0.3
    CLAIM("@ 4 | state = 1; transition from = -1; weight of waving = 0");
    CLAIM("@ 5.5 | state = 1; weight of waving = 1 ~ 1e-3"); // fades in within 0.2 s
    CLAIM("highest speed = 2 @ 4 | state = 0");              // never fast enough to walk
    CLAIM("@ 5.5 | state = 0; weight of waving = 1 ~ 1e-3");
}

// -- Skinning -------------------------------------------------------------------------------

// w is the cosine of half of `angle`. A rotation has two quaternions; the file contains the
// quaternion with w <= 0.
TEST_PAGE (page_quaternion_w_is_rebuilt, "quaternion_w") {
    for (int angle = 0; angle <= 360; angle += 20)
        CLAIM("angle, degrees = %d; digits = 7 @ 0 | w = %.17g ~ 1e-6; w computed = w ~ 1e-3",
              angle, -fabs(cos(0.5 * angle * DEGREE)));
    // Near 180 degrees w is small, and the digits of x y z do not determine it accurately. At other
    // angles they do.
    CLAIM("digits = 2; angle, degrees = 172 @ 0 | error of the rotation > 1");
    const double near_half = FACT("error of the rotation");
    CLAIM("angle, degrees = 60 @ 0 | error of the rotation < %.17g", near_half);
}

// The library reads the same w from a model of one joint.
TEST_PAGE (page_quaternion_w_equals_that_of_a_file, "quaternion_w") {
    static const int angles[] = {20, 60, 100, 140, 172, 179, 180};
    for (int digits = 1; digits <= 7; digits++) {
        for (size_t i = 0; i < COUNT_OF(angles); i++) {
            char text[256];
            CLAIM("digits = %d; angle, degrees = %d @ 0", digits, angles[i]);
            const real4 q = to_real4(fixture->picture.figures[0].placement.rotation); // including w
            snprintf(text, sizeof text,
                     "MD5Version 10 commandline \"\" numJoints 1 numMeshes 0 joints { "
                     "\"j\" -1 ( 0 0 0 ) ( %.*f %.*f %.*f ) }",
                     digits, q.x, digits, q.y, digits, q.z);
            SCOPED_MODEL model = md5_parse_model(text, strlen(text), NULL, NULL);
            REQUIRE(model);
            const double error = real4_angle(q, to_real4(model->bind_local[0].rotation)) / DEGREE;
            CLAIM("| error of the rotation = %.17g ~ %.17g", error, 2e-3 * error + 3e-5);
        }
    }
}

TEST_PAGE (page_palette_carries_from_the_bind_pose, "palette") {
    // The palette of the bind pose is the identity.
    CLAIM("bind 0, clip 1 = 0 @ 0 | fingertip moves = 0 ~ 1e-3;"
          " translation of the shoulder's matrix = 0 ~ 1e-3");
    CLAIM("bind 0, clip 1 = 1 @ 0 | fingertip moves > 5");
    const uint32_t tip = JOINT("finger_b_2_r");
    CLAIM(
        "| fingertip moves = %.17g ~ 1e-3",
        real_distance(view_posed_position(&fixture->picture, fixture->picture.figures[1].pose, tip),
                      md5_mat34_translation(fixture->scene.model->bind[tip])));
}

// A vertex at distance r from the axis, of whose weight the part s rotates with the joint by an
// angle. In the complex plane linear skinning moves it to r (1 - s + s exp(i angle)); dual
// quaternions keep r. The weights come from the file.
static double twisted_waist(const md5_model *model, uint32_t joint, double angle)
{
    const md5_vec3 axis = md5_mat34_translation(model->bind[joint]);
    double before = 0.0;
    double after = 0.0;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        for (uint32_t v = 0; v < mesh->num_vertices; v++) {
            const md5_vertex vertex = mesh->file_vertices[mesh->sources[v]];
            double weight_of_joint = 0.0;
            for (uint32_t i = 0; i < vertex.num_weights; i++) {
                const md5_weight weight = mesh->weights[vertex.first_weight + i];
                uint32_t at = weight.joint;
                while (at != MD5_NONE && at != joint)
                    at = model->skeleton.joints[at].parent;
                weight_of_joint += at == joint ? weight.bias : 0.0;
            }
            const double r =
                hypot((double)mesh->positions[v].x - axis.x, (double)mesh->positions[v].y - axis.y);
            if (weight_of_joint > 0.25 && weight_of_joint < 0.75) {
                before += r;
                after += r
                         * hypot(1.0 - weight_of_joint + weight_of_joint * cos(angle),
                                 weight_of_joint * sin(angle));
            }
        }
    }
    return 100.0 * after / before;
}

TEST_PAGE (page_dual_preserves_the_volume_of_a_twisted_waist, "dual") {
    for (int angle = 0; angle <= 150; angle += 50) {
        CLAIM("neck, degrees = 0; waist, degrees = %d @ 0 | waist, dual = 100 ~ 0.2", angle);
        CLAIM("| waist, linear = %.17g ~ 0.2",
              twisted_waist(fixture->scene.model, JOINT("spine_2"), angle * DEGREE));
        CHECK(fixture->picture.figures[1].kind == VIEW_FIGURE_DUAL);
        CHECK(angle > 0 || FACT("largest distance of a vertex") < 1e-3);
        CHECK(angle < 150 || FACT("largest distance of a vertex") > 1.0);
    }
}

// A vertex whose weight s is nearly 0.5 keeps |1 - s + s exp(i angle)| of its distance from the
// axis, which is nearly cos(angle / 2).
TEST_PAGE (page_dual_shows_the_vertex_of_its_rule, "dual") {
    for (int angle = -150; angle <= 150; angle += 50) {
        CLAIM("neck, degrees = -120; waist, degrees = %d @ 0 | vertex, dual = 100 ~ 0.01", angle);
        CLAIM("| weight above the waist = 0.5 ~ 0.02; vertex, linear = 1 * expected, cos(waist / "
              "2) ~ 0.5");
        const double s = FACT("weight above the waist");
        CLAIM("| vertex, linear = %.17g ~ 0.01",
              100.0 * hypot(1.0 - s + s * cos(angle * DEGREE), s * sin(angle * DEGREE)));
        CLAIM("| expected, cos(waist / 2) = %.17g ~ 1e-4", 100.0 * cos(0.5 * angle * DEGREE));
    }
}

TEST_PAGE (page_influences_measures_weights, "influences") {
    uint32_t max_value = 0;
    double sum = 0.0;
    for (uint32_t m = 0; m < fixture->scene.model->num_meshes; m++) { // counts in the file's tables
        for (uint32_t v = 0; v < fixture->scene.model->meshes[m].num_file_vertices; v++) {
            const uint32_t count = fixture->scene.model->meshes[m].file_vertices[v].num_weights;
            max_value = count > max_value ? count : max_value;
        }
    }
    CLAIM("joint = 0 @ 0 | most joints of a vertex = %u", max_value);
    for (int joint = 1; joint <= 9; joint++) {
        CLAIM("joint = %d @ 0 | largest weight > 0.1; largest weight < 1.00001;"
              " vertices that it moves > 10",
              joint);
        sum += FACT("vertices that it moves");
    }
    CHECK(sum > 1000.0);
}

// -- Vertices, in double precision ----------------------------------------------------------------

// Returns the sum of bias * (joint * offset), as the file format defines it.
static real3 skin_vertex(const md5_weight *weights, md5_vertex vertex, const md5_mat34 *joints)
{
    real3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < vertex.num_weights; i++) {
        const md5_weight *const weight = &weights[vertex.first_weight + i];
        sum = real3_add(
            sum, real3_scale(real3_transform(&joints[weight->joint], to_real3(weight->offset), 1.0),
                             weight->bias));
    }
    return sum;
}

static real3 posed_vertex(const md5_mesh *mesh, uint32_t vertex, const md5_mat34 *joints)
{
    return skin_vertex(mesh->weights, mesh->file_vertices[mesh->sources[vertex]], joints);
}

// Returns the joints at a fraction of a clip. The caller frees them.
static md5_mat34 *sample_joints(const page_case *fixture, const char *clip, double part)
{
    const view_clip *const moved = view_page_clip(&fixture->picture, clip);
    md5_mat34 *const joints = malloc(2 * fixture->scene.num_joints * sizeof *joints);
    md5_pose_palette(
        moved->binding,
        md5_sample_position_at(moved->anim, part * moved->anim->duration, MD5_WRAP_LOOP),
        MD5_ROOT_IN_PLACE, fixture->picture.figures[0].pose, joints,
        joints + fixture->scene.num_joints);
    return joints;
}

// Returns the largest distance between the means of two frames' vertices and the vertices halfway
// between the frames.
static double middle_error(const page_case *fixture, const char *clip, uint32_t frames)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < frames; i++) {
        SCOPED md5_mat34 *const a = sample_joints(fixture, clip, i / (double)frames);
        SCOPED md5_mat34 *const expected = sample_joints(fixture, clip, (i + 0.5) / frames);
        SCOPED md5_mat34 *const b = sample_joints(fixture, clip, (i + 1.0) / frames);
        for (uint32_t m = 0; m < fixture->scene.model->num_meshes; m++) {
            const md5_mesh *const mesh = &fixture->scene.model->meshes[m];
            for (uint32_t v = 0; v < mesh->num_vertices; v++)
                real_update_max(&largest,
                                real3_distance(real3_scale(real3_add(posed_vertex(mesh, v, a),
                                                                     posed_vertex(mesh, v, b)),
                                                           0.5),
                                               posed_vertex(mesh, v, expected)));
        }
    }
    return largest;
}

// A baked vertex takes 8 bytes in each frame, and the frames take nearly all of the memory.
TEST_PAGE (page_bake_compares_memory, "bake") {
    const uint32_t vertices =
        fixture->scene.model->meshes[0].num_vertices + fixture->scene.model->meshes[1].num_vertices;
    for (int rate = 6; rate <= 12; rate += 6) { // the walk takes one second
        const double frames = rate * 8.0 * vertices / 1024.0;
        CLAIM("clip = 0; frames per second = %d @ 0.3 | memory, baked > %.17g;"
              " memory, baked < %.17g",
              rate, frames, 1.01 * frames);
        const md5_anim *const walk = view_page_clip(&fixture->picture, "walk")->anim;
        CLAIM("| memory, joint clip = %.17g", (double)walk->size / 1024.0);
    }
}

// The error is largest near the middle of an interval but not exactly there, and baked positions
// are quantized. The lesson must therefore measure between the baked frames, not only at them.
TEST_PAGE (page_bake_shows_the_error_between_all_frames, "bake") {
    static const struct {
        const char *clip;
        int number, rate;
        uint32_t frames;
        double min_value;
    } clips[] = {{"dance", 2, 24, 96, 1}, {"walk", 0, 12, 12, 0.1}};
    for (size_t i = 0; i < COUNT_OF(clips); i++) {
        CLAIM("clip = %d; frames per second = %d @ 0.3", clips[i].number, clips[i].rate);
        const md5_baked *const baked = fixture->picture.cache->baked;
        CHECK(baked->num_frames == clips[i].frames && baked->position_error < 0.002f);
        const double largest = middle_error(fixture, clips[i].clip, clips[i].frames);
        CHECK(largest > clips[i].min_value);
        CLAIM("| largest error > %.17g; largest error < %.17g", largest - 0.01,
              1.15 * largest + 0.01);
    }
    CHECK_UINT(fixture->picture.num_figures, 3);
    // Half the interval gives about a quarter of the error.
    const double shown = FACT("largest error");
    CLAIM("frames per second = 24 @ 0.3 | largest error < %.17g", 0.5 * shown);
}

// A baked vertex takes 8 bytes in each frame. An uploaded vertex has a position and a normal of 12
// bytes each. Each character has a job of 16 bytes.
TEST_PAGE (page_bake_compares_the_costs_of_three_ways, "bake") {
    const md5_model *const model = fixture->scene.model;
    uint32_t vertices = 0;
    for (uint32_t m = 0; m < model->num_meshes; m++)
        vertices += model->meshes[m].num_vertices;
    for (int rate = 10; rate <= 20; rate += 10) {
        const double clip = rate * 8.0 * vertices / 1024.0; // the walk takes one second
        CLAIM("clip = 0; frames per second = %d @ 0.33", rate);
        CLAIM("| GPU memory, upload = %.17g; GPU memory, buffers = %.17g; GPU memory, texture = "
              "%.17g",
              4 * 24.0 * vertices / 1024.0, clip, clip);
        CLAIM("| uploaded, upload = %.17g; uploaded, buffers = 64; uploaded, texture = 64",
              4 * (24.0 * vertices + 16.0));
        CLAIM("| draw calls, upload = %u; draw calls, buffers = %u; draw calls, texture = %u",
              4 * model->num_meshes, 4 * model->num_meshes, model->num_meshes);
    }
}

// The position of the drawn frame of the walk, which takes one second: frame 3 of 10 at 0.33 s.
TEST_PAGE (page_bake_locates_the_drawn_frame, "bake") {
    CLAIM("clip = 0; frames per second = 10 @ 0.33 | offset of frame a = %u;"
          " texel of its vertex 1000 = %u",
          3 * 8 * 6666, 3 * 6666 + 1000);
    const view_figure *const figure = &fixture->picture.figures[1];
    CHECK(figure->kind == VIEW_FIGURE_BAKED);
    CHECK_UINT(figure->sample.frame0, 3);
    CHECK_UINT(figure->sample.frame1, 4);
}

// The largest angle, over all n, between M n and the normal, which is the inverse transpose of M
// times n. With scales from a to b its cosine is 2 a b / (a^2 + b^2), by Kantorovich's inequality.
TEST_PAGE (page_normals_by_cofactors_stay_on_the_surface, "normals") {
    const double tilt = acos(2.0 * 1.5 * 0.4 / (1.5 * 1.5 + 0.4 * 0.4)) / DEGREE;
    CLAIM("width = 1.5; height = 0.4 @ 0 | largest error, the matrix = %.17g ~ %g;"
          " largest error, cofactors < 0.01",
          tilt, 0.05 * tilt);
    CLAIM("lean = 0.6 @ 0 | largest error, cofactors < 0.01");
    // Equal scales cause no tilt.
    CLAIM("lean = 0; width = 1; height = 1 @ 0 | largest error, the matrix < 0.01");
}

TEST_PAGE (page_chain_carries_the_hat_with_its_parent, "chain") {
    for (int parent = 0; parent < 4; parent++) {
        // At time 0 the hat has just been passed to its new parent. Its position has not changed.
        CLAIM("hat on = %d @ 0 | hat to its position on the head = 0 ~ 1e-4", parent);
        CLAIM("@ 2 | hat to its position on the head %s", parent == 0 ? "< 1e-4" : "> 1");
    }
}

// A ship that only heaves lifts objects on it, and does not lift objects that float next to it.
TEST_PAGE (page_chain_moves_children_with_the_ship, "chain") {
    for (int parent = 1; parent < 4; parent++) {
        CLAIM("ship rolls, degrees = 0; hat on = %d @ 0", parent);
        const double heave = parent < 3 ? 2.0 * sin(0.7 * 2.0) : 0.0;
        const double height = FACT("hat above the water") + heave;
        CLAIM("@ 2 | hat above the water = %.17g ~ 1e-4", height);
    }
}
