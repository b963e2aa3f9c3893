// Facts on the pages about rotations, inverse kinematics, easing, morph targets and procedural
// walking, compared with independent computations.
#include "test/scoped.h"
#include "test/real.h"
#include "test/viewer/test_view_case.h"

// As the page claims, interpolation of angles takes a longer path than slerp, at uneven speed.
TEST (page_euler_takes_a_longer_path) {
    double length = 0.0;
    double min_value = INFINITY;
    double max_value = 0.0;
    real4 last = {0, 0, 0, 1};
    for (int i = 1; i <= 200; i++) {
        const float t = (float)i / 200.0f;
        const real4 current =
            to_unit_real4(md5_quat_from_euler((md5_euler){80 * t, 130 * t, 60 * t}));
        const double step = real4_angle(last, current);
        length += step;
        min_value = fmin(min_value, step);
        max_value = fmax(max_value, step);
        last = current;
    }
    CHECK(length > 1.15 * real4_angle((real4){0, 0, 0, 1}, last) && max_value > 1.4 * min_value);
}

TEST_PAGE (page_euler_loses_a_direction_at_ninety_degrees, "euler") {
    for (int pitch = -90; pitch <= 90; pitch += 30) // both agree at the end
        CLAIM("t (far left: plays) = 1; pitch, degrees = %d @ 0 | angle between the figures = 0 ~ "
              "0.05;"
              " independence of axes (0: gimbal lock) = %.17g ~ 1e-5",
              pitch, cos(pitch * DEGREE));
    CLAIM("| roll, from the rotation = 0 ~ 1e-3"); // indistinguishable from yaw
    // Between its ends, interpolation of angles differs from slerp.
    CLAIM("pitch, degrees = 80; t (far left: plays) = 0.5 @ 0 | angle between the figures > 10;"
          " pitch, from the rotation = 40 ~ 1e-2");
}

static md5_vec3 joint_position(const page_case *fixture, const char *joint)
{
    return view_joint_position(&fixture->picture, &fixture->picture.figures[0], JOINT(joint));
}

// Returns the distance between the hand and the target, which is 4 units in front of the model's
// origin.
static double hand_to_target(const page_case *fixture, float left, float up)
{
    return real_distance(joint_position(fixture, "hand_l"), (md5_vec3){4, left, up});
}

TEST_PAGE (page_ik_plots_the_distance_of_the_hand, "ik") {
    for (int solver = 0; solver < 4; solver++) {
        CLAIM("target, left = 17; target, up = 27; solver = %d @ 0", solver);
        const double distance = hand_to_target(fixture, 17, 27);
        CHECK(distance < (solver == 1 ? 1.0 : 0.05)); // CCD converges slowly
        const md5_vec2 *const points = fixture->picture.plots[0].series[solver].points;
        CHECK_NEAR(pow(10.0, points[24].y), distance, 1e-3);
        CHECK(points[24].y <= points[0].y); // the iterations do not increase the distance
    }
}

// With one iteration less, from the same pose, the tolerance is not reached.
TEST_PAGE (page_ik_counts_the_iterations_that_are_needed, "ik") {
    static const md5_chain_solver solvers[2] = {MD5_CHAIN_FABRIK, MD5_CHAIN_LEAST_SQUARES};
    CLAIM("@ 0");
    md5_xform *const pose = view_spare_pose(&fixture->picture, 7);
    for (uint32_t i = 0; i < 4; i++) {
        const double needed = FACT(i < 2 ? "FABRIK to 0.01 units" : "least squares to 0.01 units");
        const md5_chain_job job = {.solver = solvers[i / 2],
                                   .tip = JOINT("hand_l"),
                                   .length = 4,
                                   .target = {4, 17, 34},
                                   .iterations = (uint32_t)needed - i % 2,
                                   .weight = 1};
        view_sample_clip(&fixture->picture, "stand", 0.0, pose);
        CHECK((md5_solve_chain(fixture->scene.skeleton, &job, pose) <= 0.01f) == (i % 2 == 0));
    }
}

TEST_PAGE (page_ik_points_at_an_unreachable_target, "ik") {
    CLAIM("target, left = 24; target, up = 48; solver = 0 @ 0");
    const md5_vec3 shoulder = joint_position(fixture, "upperarm_l");
    const double reach = real_distance(joint_position(fixture, "hand_l"), shoulder);
    CHECK_NEAR(hand_to_target(fixture, 24, 48),
               real_distance((md5_vec3){4, 24, 48}, shoulder) - reach, 1e-2);
    // No solver reaches the target, so the facts contain texts instead of numbers of iterations.
    for (int i = 0; i < 3; i++)
        CHECK_STRING(fixture->picture.facts[i].text, "more than 24 iterations");
}

// -- Easing and interpolation ---------------------------------------------------------------------

TEST_PAGE (page_easing_moves_the_character_by_the_published_formula, "easing") {
    const double c1 = 1.70158;
    const double c3 = c1 + 1.0;
    for (int i = 0; i < 21; i++) {
        const double t = i / 20.0;
        const double u = t - 1.0;
        const double eased = 1.0 + c3 * u * u * u + c1 * u * u;
        CLAIM("easing = %d; seconds = 2 @ %.17g | fraction of the time = %.17g ~ 1e-6;"
              " eased value = %.17g ~ 1e-5",
              (int)MD5_EASE_BACK_OUT, 2.0 * t, t, eased);
        CHECK_NEAR(fixture->picture.figures[0].placement.translation.y, -30.0 + 60.0 * eased, 1e-3);
        CHECK_NEAR(fixture->picture.plots[0].marks[0].point.y, eased, 1e-5);
        if (i > 0 && i < 20)
            CLAIM("| speed, linear = 1 = %.17g ~ 1e-3", 3.0 * c3 * u * u + 2.0 * c1 * u);
    }
    CLAIM("@ 2.3 | speed, linear = 1 = 0"); // the character stands
}

// cubic-bezier(0.42, -0.2, 0.58, 1.2) at a fifth of the time, solved with libc: x(s) = 0.2 at s =
// 0.1756.
TEST_PAGE (page_easing_has_the_timing_functions_of_css, "easing") {
    CLAIM("easing = %d; seconds = 2 @ 0.4 | eased value = 0.0253074 ~ 1e-5",
          (int)MD5_EASE_CUBIC_BEZIER);
    CLAIM("easing = %d; seconds = 2 @ 0.9 | eased value = 0.4 ~ 1e-6", (int)MD5_EASE_STEPS);
}

// A spring of damping ratio z overshoots a jump by the fraction exp(-pi z / sqrt(1 - z^2)).
TEST_PAGE (page_interpolation_shows_each_method, "interpolation") {
    double largest = 0.0;
    for (double time = 0.31; time < 1.8; time += 0.13) {
        CLAIM("speed = 0.1; interpolation = 1 @ %.17g | largest angle to slerp = 0 ~ 1e-3", time);
        CLAIM("interpolation = 2 @ %.17g | largest angle to slerp = largest angle, nlerp to slerp "
              "~ 1e-3",
              time);
        largest = fmax(largest, FACT("largest angle to slerp"));
    }
    CHECK(largest > 1e-3 && largest < 1.0); // visible, but small
    // Between frames, step interpolation holds the last frame. All interpolations agree at frames.
    CLAIM("interpolation = 0; speed = 1 @ %.17g | largest angle to slerp > 1", 0.5 / 30.0);
    CLAIM("interpolation = 3 @ %.17g | largest angle to slerp = 0 ~ 1e-2", 8.0 / 30.0);
    // The text must not contain a frame rate, because clips can have any rate.
    CHECK(strstr(fixture->page->about, "30") == NULL);
}

// Curves that coincide in the plot of heights are distinct in the plot of distances, whose scale is
// logarithmic.
TEST_PAGE (page_interpolation_separates_the_curves, "interpolation") {
    static const char *const names[2] = {"nlerp", "cubic"};
    float max_value[2] = {-9, -9};
    CLAIM("@ %.17g", fixture->page->start);
    for (int k = 0; k < 2; k++) {
        const view_series *const series = SERIES(1, names[k]);
        for (uint32_t i = 0; i < series->count; i++) {
            max_value[k] = fmaxf(max_value[k], series->points[i].y);
            CHECK(i % 32 != 0 || series->points[i].y < -3.0f); // at frames
        }
    }
    // The plot contains the logarithms of the distances of the right hand: 0.0037 and 0.54 units.
    CHECK(max_value[0] > -3.0f && max_value[0] < -2.0f && max_value[1] > -1.0f);
}

// The angle of the normalized sum of two quaternions, in the plane that contains both.
TEST_PAGE (page_slerp_shows_the_largest_error_of_the_sum, "slerp") {
    for (int angle = 30; angle <= 150; angle += 60) {
        const double half = 0.5 * angle * DEGREE;
        double largest = 0.0;
        CLAIM("angle, degrees = %d @ 1", angle);
        const view_series *const series = SERIES(1, "nlerp to slerp");
        for (uint32_t p = 0; p < series->count; p++) {
            const double t = series->points[p].x;
            const double sum = atan2(t * sin(half), 1.0 - t + t * cos(half));
            const double error = 2.0 * fabs(sum - t * half) / DEGREE;
            CHECK_NEAR(series->points[p].y, error, 2e-3);
            largest = fmax(largest, error);
        }
        CLAIM("| largest difference = %.17g ~ %.17g", largest, 2e-3 * largest + 1e-4);
    }
}

// -- Morph targets --------------------------------------------------------------------------------

// Returns the largest distance between vertices of the base and of a target's file. Marks vertices
// whose position, normal or tangent differs by more than 1e-6, and by more than 1e-4.
static double morph_file_difference(const md5_model *base, const char *name, uint8_t *marks)
{
    double largest = 0.0;
    SCOPED_MODEL target =
        md5_load_model(test_pathf("models/bobbin/morphs/%s.md5mesh", name), NULL, NULL);
    if (!CHECK(target))
        return NAN;
    for (uint32_t m = 0; m < base->num_meshes; m++) {
        const md5_mesh *const mesh = &base->meshes[m];
        for (uint32_t v = 0; v < mesh->num_vertices; v++) {
            const md5_mesh *const target_mesh = &target->meshes[m];
            const md5_vec4 a = mesh->tangents[v];
            const md5_vec4 b = target_mesh->tangents[v];
            const double move = real_distance(mesh->positions[v], target_mesh->positions[v]);
            const double off =
                fmax(fmax(move, real_distance(mesh->normals[v], target_mesh->normals[v])),
                     real_distance((md5_vec3){a.x, a.y, a.z}, (md5_vec3){b.x, b.y, b.z}));
            *marks++ |= (uint8_t)((off > 1e-6) | (off > 1e-4) << 1);
            real_update_max(&largest, move);
        }
    }
    return largest;
}

TEST_PAGE (page_morph_moves_by_the_differences_in_the_file, "morph") {
    STRINGS(names) = {"smile", "fright", "sleepy", "oh", "blink"};
    const md5_model *const model = fixture->scene.model;
    const uint32_t count = model->meshes[0].num_vertices + model->meshes[1].num_vertices;
    SCOPED uint8_t *const marks = calloc(count, 1);
    uint32_t min_value = 0;
    uint32_t max_value = 0;
    CHECK(model->num_meshes == 2);
    // The marks include vertices that are moved by targets without a slider.
    for (uint32_t i = 0; i < fixture->scene.morph->num_targets; i++)
        (void)morph_file_difference(model, fixture->scene.morph->targets[i].name, marks);
    CLAIM("smile = 0; fright = 0; sleepy = 0; oh = 0; blink = 0 @ 1 | largest move = 0 ~ 1e-5");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        CLAIM("%s = 1 @ 1 | largest move = %.17g ~ 1e-4", names[i],
              morph_file_difference(model, names[i], marks));
        const uint32_t target = md5_find_morph_target(fixture->scene.morph, names[i]);
        CHECK(target != MD5_NONE && fixture->picture.figures[0].morph_weights[target] == 1.0f);
        CLAIM("%s = 0 @ 1", names[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        min_value += marks[i] >> 1;
        max_value += marks[i] & 1;
    }
    CLAIM("| vertices of the model = %u; vertices that a target changes > %d;"
          " vertices that a target changes < %u",
          count, (int)min_value - 1, max_value + 1);
}

// -- Procedural walking ---------------------------------------------------------------------------

// Finds the centers of all crosses of a color. The line along x identifies a cross.
static uint32_t find_crosses(const page_case *fixture, view_color color, md5_vec3 centers[256])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < fixture->picture.lines.count && count < 256; i += 2) {
        const md5gl_line_vertex *const ends = &fixture->picture.lines.vertices[i];
        const md5_vec3 from = ends[0].position;
        const md5_vec3 to = ends[1].position;
        if (page_has_color(ends, color) && from.y == to.y && from.z == to.z)
            centers[count++] = md5_vec3_lerp(from, to, 0.5f);
    }
    return count;
}

// Checks in double precision that the crosses are on the page's ground, and returns their number.
static uint32_t count_on_ground(const page_case *fixture, view_color color)
{
    md5_vec3 at[256];
    const uint32_t count = find_crosses(fixture, color, at);
    for (uint32_t i = 0; i < count; i++) {
        const double x = at[i].x;
        const double y = at[i].y;
        CHECK_NEAR(at[i].z, 4.0 * (sin(0.071 * x) * cos(0.083 * y) + 0.5 * sin(0.11 * y + 1.0)),
                   2e-3);
    }
    return count;
}

TEST_PAGE (page_walk_places_feet_on_the_ground, "walk") {
    CLAIM("@ 6");
    CHECK(count_on_ground(fixture, VIEW_BLUE) > 40); // footprints
    CHECK(count_on_ground(fixture, VIEW_GREEN) >= 3);
    // A character that walks at 18 units per second and rotates by 20 degrees per second moves on a
    // circle.
    const double radius = 18.0 / (20.0 * DEGREE);
    const md5_vec3 at = fixture->picture.figures[0].placement.translation;
    CHECK_NEAR(hypot((double)at.x, at.y - radius), radius, 0.05 * radius);
}

TEST_PAGE (page_walk_lifts_one_group_at_a_time, "walk") {
    CLAIM("@ 6");
    // Each series has a lane of height 1, which the plot labels with its name.
    const view_plot *const plot = &fixture->picture.plots[0];
    CHECK(plot->row.fit == VIEW_FIT_LANES && plot->row.high.y == 1.0f);
    CHECK(plot->row.low.y == -5.0f && plot->row.low.x == -4.0f);
    const view_series *const left = SERIES(0, "front left");
    const view_series *const right = SERIES(0, "front right");
    const view_series *const middle = SERIES(0, "middle right");
    uint32_t in_air = 0;
    CHECK(left->count > 100 && left->count == right->count);
    for (uint32_t i = 0; i < left->count; i++) {
        const bool is_up = left->points[i].y > 0.3f;
        CHECK(!(is_up && right->points[i].y > -0.7f));
        CHECK(is_up == (middle->points[i].y > -2.7f)); // both legs are in one group
        in_air += is_up;
    }
    CHECK(in_air > 20);
}

// Returns the posed ankle that is nearest to a position.
static md5_vec3 nearest_ankle(const page_case *fixture, md5_vec3 point)
{
    STRINGS(ankles) = {"foot_1_l", "foot_1_r", "foot_2_l", "foot_2_r", "foot_3_l", "foot_3_r"};
    md5_vec3 nearest = {INFINITY, INFINITY, INFINITY};
    for (size_t i = 0; i < COUNT_OF(ankles); i++) {
        const md5_vec3 at = joint_position(fixture, ankles[i]);
        if (!(real_distance(nearest, point) < real_distance(at, point)))
            nearest = at;
    }
    return nearest;
}

// Green crosses mark feet on the ground. The ankles above them do not move, independent of the
// reported state.
TEST_PAGE (page_walk_measures_the_posed_feet, "walk") {
    enum { MAX = 256 };
    // Positions of feet on the ground, and ankles at their first detection.
    md5_vec3 foot_positions[MAX];
    md5_vec3 ankles[MAX];
    md5_vec3 at[MAX];
    uint32_t num_stands = 0;
    uint32_t num_positions = 0;
    double moved = 0.0;
    for (int i = 0; i < 241; i++) {
        CLAIM("@ %.17g", 2.0 + i / 60.0);
        const uint32_t count = find_crosses(fixture, VIEW_GREEN, at);
        num_positions += count;
        for (uint32_t k = 0; k < count; k++) {
            const md5_vec3 ankle = nearest_ankle(fixture, at[k]);
            uint32_t number = 0;
            while (number < num_stands && real_distance(foot_positions[number], at[k]) > 1e-3)
                number++;
            REQUIRE(number < MAX);
            if (number == num_stands) {
                foot_positions[num_stands] = at[k];
                ankles[num_stands++] = ankle;
            }
            real_update_max(&moved, real_distance(ankles[number], ankle));
        }
    }
    CHECK(num_stands > 20 && num_positions > 500);
    for (int leg = 0; leg < 6; leg++)
        CHECK(fixture->picture.plots[0].series[leg].count > 100);
    CHECK(moved < 1e-3);
    CLAIM("| a planted ankle moved > 0; a planted ankle moved < 1e-3;"
          " a planted ankle moved < %.17g",
          2.0 * moved);
}

TEST_PAGE (page_walk_stands_and_walks_straight, "walk") {
    md5_vec3 footprints[256];
    CLAIM("speed, units/s = 0; turn, degrees/s = 0 @ 5");
    CHECK_UINT(find_crosses(fixture, VIEW_BLUE, footprints), 0);
    CLAIM("speed, units/s = 10 @ 5");
    const md5_vec3 at = fixture->picture.figures[0].placement.translation;
    CHECK_SMALL(at.y, 0.01);
    CHECK(at.x > 40.0f && at.x < 50.0f); // reaching full speed takes time
}

// The volume of the mean of the identity and a rotation by an angle: 1 - 2 t (1 - t) (1 - cos
// angle), which is the squared length of the mean of two complex numbers.
TEST_PAGE (page_frame_rate_only_the_product_depends_on_the_frame_rate, "frame_rate") {
    double products[2], shares[2];
    for (int i = 0; i < 2; i++) {
        const double rate = i == 0 ? 10.0 : 40.0;
        CLAIM("speed, 1/s = 12; frames per second = %g @ 0.3 | remaining after 1 s, product = "
              "%.17g ~ "
              "1e-6",
              rate, pow(1.0 - 12.0 / rate, rate));
        products[i] = FACT("remaining after 1 s, product");
        shares[i] = page_series_at(SERIES(0, "1 - exp(-speed * dt)"), 0.5001);
        CHECK_NEAR(shares[i], 1.0 - 2.0 * exp(-6.0), 1e-4);
    }
    CHECK(fabs(products[0] - products[1]) > 1e-7);
    CHECK_NEAR(shares[0], shares[1], 1e-5);
}

TEST_PAGE (page_frame_rate_product_diverges_above_two, "frame_rate") {
    CLAIM("speed, 1/s = 24; frames per second = 8 @ 0.3");
    const view_series *const product = SERIES(0, "speed * dt");
    CHECK_NEAR(product->points[product->count - 1].y, 1.0 - 2.0 * pow(1.0 - 24.0 / 8.0, 8.0), 1e-3);
}
