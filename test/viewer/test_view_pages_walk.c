// The facts that the page of procedural walking shows.
#include "test/viewer/test_view_page_case.h"

#include <math.h>

// The height of the page's ground, in double precision.
static double ground_at(double height, double x, double y)
{
    return height * (sin(0.071 * x) * cos(0.083 * y) + 0.5 * sin(0.11 * y + 1.0));
}

// Checks that the centres of all crosses of a colour are on the ground; returns their number. A
// cross has three lines.
static uint32_t count_on_ground(const view_picture *picture, view_color color, double height)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < picture->num_lines; i++) {
        const view_line *const line = &picture->lines[i];
        const double x = 0.5 * ((double)line->from.x + (double)line->to.x),
                     y = 0.5 * ((double)line->from.y + (double)line->to.y),
                     z = 0.5 * ((double)line->from.z + (double)line->to.z);
        if (line->color != color)
            continue;
        CHECK_NEAR(z, ground_at(height, x, y), 2e-3);
        count++;
    }
    return count / 3;
}

TEST_PAGE (page_walk_places_feet_on_the_ground, "walk") {
    page_set(of, "hills, units", 5.0f);
    page_show(of, 6.0);
    CHECK(page_fact(of, "legs that reach") == 6.0);
    CHECK_NEAR(page_fact(of, "speed"), 18.0, 0.01);
    CHECK(page_fact(of, "feet placed") > 40.0);
    CHECK(count_on_ground(&of->picture, VIEW_BLUE, 5.0) == page_fact(of, "feet placed"));
    CHECK(count_on_ground(&of->picture, VIEW_GREEN, 5.0) >= 3);
    // 18 units a second and 20 degrees a second result in a circle.
    const double radius = 18.0 / (20.0 * 3.14159265358979 / 180.0);
    const md5_vec3 at = of->picture.figures[0].place.translation;
    CHECK_NEAR(hypot((double)at.x, (double)at.y - radius), radius, 0.05 * radius);
}

TEST_PAGE (page_walk_lifts_one_group_at_a_time, "walk") {
    page_show(of, 6.0);
    const view_series *const left = page_series(of, 0, "front left");
    const view_series *const right = page_series(of, 0, "front right");
    const view_series *const middle = page_series(of, 0, "middle right");
    uint32_t in_air = 0;
    CHECK(left->count > 100 && left->count == right->count);
    for (uint32_t i = 0; i < left->count; i++) {
        const bool a = left->points[i].y > 0.3f, b = right->points[i].y > -0.7f,
                   c = middle->points[i].y > -2.7f;
        CHECK(!(a && b));
        CHECK(a == c); // of one group
        in_air += a ? 1u : 0u;
    }
    CHECK(in_air > 20);
}

// Where a foot stands, and where its ankle was posed when this was first seen.
typedef struct stand {
    md5_vec3 place, ankle;
} stand;

static double distance(md5_vec3 a, md5_vec3 b)
{
    const md5_vec3 way = md5_vec3_sub(a, b);
    return sqrt((double)md5_vec3_dot(way, way));
}

// The posed ankle that is nearest to a place.
static md5_vec3 nearest_ankle(const view_picture *picture, md5_vec3 place)
{
    static const char *const ankles[6] = {"foot_1_l", "foot_1_r", "foot_2_l",
                                          "foot_2_r", "foot_3_l", "foot_3_r"};
    md5_vec3 nearest = {INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < 6; i++) {
        const md5_vec3 at =
            view_joint_place(picture, &picture->figures[0], view_page_joint(picture, ankles[i]));
        if (!(distance(nearest, place) < distance(at, place)))
            nearest = at;
    }
    return nearest;
}

// Green crosses are where feet stand: the ankles above them do not move, whatever the state says.
TEST_PAGE (page_walk_measures_what_is_posed, "walk") {
    enum { MOST = 256 };
    stand stands[MOST];
    int num_stands = 0, num_seen = 0;
    double moved = 0.0;
    for (int i = 0; i <= 240; i++) {
        page_show(of, 2.0 + i / 60.0);
        for (uint32_t k = 0; k < of->picture.num_lines; k++) {
            const view_line *const line = &of->picture.lines[k];
            const bool is_first = line->from.y == line->to.y && line->from.z == line->to.z;
            if (line->color != VIEW_GREEN || !is_first)
                continue;
            const md5_vec3 place = md5_vec3_lerp(line->from, line->to, 0.5f);
            const md5_vec3 ankle = nearest_ankle(&of->picture, place);
            int number = 0;
            while (number < num_stands && distance(stands[number].place, place) > 1e-3)
                number++;
            if (number == num_stands && CHECK(num_stands < MOST))
                stands[num_stands++] = (stand){place, ankle};
            moved = fmax(moved, distance(stands[number].ankle, ankle));
            num_seen++;
        }
    }
    CHECK(num_stands > 20 && num_seen > 500);
    for (int leg = 0; leg < 6; leg++)
        CHECK(of->picture.plots[0].series[leg].count > 100);
    const double shown = page_fact(of, "a standing ankle moved");
    CHECK(shown > 0.0 && shown < 1e-3 && moved < 1e-3 && moved > 0.5 * shown);
    const uint32_t body = view_page_joint(&of->picture, "body");
    const md5_quat bind = md5_quat_from_mat34(of->scene.model->bind[body]),
                   posed = md5_joint_in_model(of->scene.skeleton, of->picture.figures[0].pose, body)
                               .rotation;
    const md5_quat turn = md5_quat_mul(of->picture.figures[0].place.rotation,
                                       md5_quat_mul(posed, md5_quat_conjugate(bind)));
    const md5_vec3 up = md5_quat_rotate(turn, (md5_vec3){0.0f, 0.0f, 1.0f});
    CHECK_NEAR(page_fact(of, "body tilts"), acos((double)up.z) * 57.29577951, 0.05);
}

TEST_PAGE (page_walk_stands_and_walks_sideways, "walk") {
    page_set(of, "speed, units/s", 0.0f);
    page_set(of, "turn, degrees/s", 0.0f);
    page_show(of, 5.0);
    CHECK(page_fact(of, "feet placed") == 0.0);
    page_set(of, "speed, units/s", 10.0f);
    page_set(of, "direction, degrees", 90.0f);
    page_show(of, 5.0);
    const md5_vec3 at = of->picture.figures[0].place.translation;
    CHECK_NEAR(at.x, 0.0, 0.01);
    CHECK(at.y > 40.0f && at.y < 50.0f); // it takes time to reach full speed
}
