// The facts that the pages of blending and skinning show.
#include "test/own.h"
#include "test/real.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/pages/page.h"

TEST_PAGE (page_crossfade_is_the_old_pose_and_then_the_new_one, "crossfade") {
    page_set(of, "seconds", 1.0f); // from second 1 to 2
    page_set(of, "easing", (float)(int)MD5_EASE_SMOOTH);
    page_show(of, 0.9);
    CHECK_NEAR(page_fact(of, "to the old pose"), 0.0, 0.02);
    page_show(of, 1.25);
    const double t = 0.25;
    CHECK_NEAR(page_fact(of, "weight of the new"), t * t * (3.0 - 2.0 * t), 1e-5);
    page_show(of, 1.5);
    CHECK_NEAR(page_fact(of, "weight of the new"), 0.5, 1e-5);
    // Half of the distance for the joint that differs most.
    CHECK_NEAR(page_fact(of, "to the old pose"), 0.5 * page_fact(of, "between both"), 0.05);
    CHECK_NEAR(page_fact(of, "to the new pose"), 0.5 * page_fact(of, "between both"), 0.05);
    page_show(of, 2.1);
    CHECK_NEAR(page_fact(of, "to the new pose"), 0.0, 0.02);
    CHECK(page_fact(of, "between both") > 5.0);
}

// The largest angle between two poses' rotations, in degrees.
static double pose_angle(const md5_xform *a, const md5_xform *b, uint32_t count)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const md5_quat p = a[i].rotation, q = b[i].rotation;
        const double dot =
            fabs((double)p.x * q.x + (double)p.y * q.y + (double)p.z * q.z + (double)p.w * q.w);
        largest = fmax(largest, 2.0 * acos(fmin(dot, 1.0)) * 57.29577951308232);
    }
    return largest;
}

// In no time: neither way jumps, a cut by the difference of the clips. What the clips do within a
// step does not count.
TEST_PAGE (page_inertial_measures_jumps_in_no_time, "inertial") {
    page_show(of, 0.65);
    md5_xform *const run = view_spare_pose(&of->picture, 6), *const attack =
                                                                 view_spare_pose(&of->picture, 7);
    view_sample_clip(&of->picture, "run", 0.5, run);
    view_sample_clip(&of->picture, "attack", 0.0, attack);
    CHECK(page_fact(of, "jump, cross-fade") < 1e-3);
    CHECK(page_fact(of, "jump, inertial") < 1e-3);
    const double cut = pose_angle(run, attack, of->scene.num_joints);
    CHECK(cut > 30.0);
    CHECK_NEAR(page_fact(of, "jump, cut"), cut, 0.02);
}

TEST_PAGE (page_inertial_does_not_jump_and_arrives, "inertial") {
    page_set(of, "seconds", 0.4f); // from second 0.5 to 0.9
    page_show(of, 1.0);
    CHECK(page_fact(of, "jump, inertial") < 0.5 * page_fact(of, "jump, cut"));
    CHECK_NEAR(page_fact(of, "inertial to the new"), 0.0, 0.1);
    CHECK_NEAR(page_fact(of, "cross-fade to the new"), 0.0, 0.1);
    page_show(of, 0.6);
    CHECK(page_fact(of, "inertial to the new") > 1.0);
    CHECK(page_fact(of, "cross-fade to the new") > 1.0);
}

TEST_PAGE (page_additive_keeps_a_nod_a_nod, "additive") {
    page_set(of, "head turned, degrees", 60.0f);
    page_set(of, "nod, degrees", 30.0f);
    page_set(of, "weight", 1.0f);
    page_show(of, 0.0);
    CHECK_NEAR(page_fact(of, "library to pose * difference"), 0.0, 0.05);
    // A rotation by 30 degrees about two axes that are 60 degrees apart, as quaternions: the
    // angle between the results, and how far the left axis rises.
    const double half = 15.0 * 3.14159265358979 / 180.0, apart = 3.14159265358979 / 3.0;
    const double dot = cos(half) * cos(half) + sin(half) * sin(half) * cos(apart);
    CHECK_NEAR(page_fact(of, "between the two"), 2.0 * acos(dot) * 180.0 / 3.14159265358979, 0.1);
    CHECK(fabs(page_fact(of, "leans, pose first")) < 3.0); // as the clip has it
    CHECK(page_fact(of, "leans, difference first") > 20.0);
    page_set(of, "head turned, degrees", 0.0f); // without a turn the order does not matter
    page_show(of, 0.0);
    CHECK_NEAR(page_fact(of, "between the two"), 0.0, 0.05);
}

TEST_PAGE (page_masks_rise_over_the_levels, "masks") {
    static const char *const joints[] = {"spine_1", "spine_2", "chest", "neck"};
    for (int feather = 0; feather <= 4; feather++) {
        page_set(of, "feather, levels", (float)feather);
        page_show(of, 0.7);
        for (int level = 0; level < 4; level++)
            CHECK_NEAR(page_fact(of, joints[level]), fmin((level + 1.0) / (feather + 1.0), 1.0),
                       1e-6);
        CHECK_NEAR(page_fact(of, "thigh_l"), 0.0, 0.0);
        CHECK_NEAR(page_fact(of, "thigh to the walk"), 0.0, 0.02);
        CHECK_NEAR(page_fact(of, "hand to the wave"), 0.0, 0.02);
    }
    page_set(of, "weight", 0.0f);
    page_show(of, 0.7);
    CHECK(page_fact(of, "hand to the wave") > 1.0);
}

TEST_PAGE (page_sync_keeps_the_stride, "sync") {
    page_set(of, "walk 0, run 1", 0.5f);
    page_show(of, 1.0);
    const double own = page_fact(of, "smallest step, own rates");
    const double phase = page_fact(of, "smallest step, in phase");
    CHECK(own < 0.75 * phase);
    page_set(of, "walk 0, run 1", 0.0f); // the walk alone needs no synchronisation
    page_show(of, 1.0);
    CHECK_NEAR(page_fact(of, "smallest step, own rates"), page_fact(of, "smallest step, in phase"),
               1e-3);
}

// The range of the left foot, sampled sixteen times as finely, within one cycle: the smallest.
static double smallest_step(page_case *of, double gait, bool in_phase)
{
    enum { STEPS = 2048 };
    static double x[STEPS + 1];
    const uint32_t count = of->scene.num_joints, foot = view_page_joint(&of->picture, "foot_l");
    md5_xform *const walk = view_spare_pose(&of->picture, 5),
                     *const run = view_spare_pose(&of->picture, 6),
                     *const both = view_spare_pose(&of->picture, 7);
    const double walk_time = view_page_clip(&of->picture, "walk")->anim->duration,
                 run_time = view_page_clip(&of->picture, "run")->anim->duration;
    const double rate = (1.0 - gait) / walk_time + gait / run_time;
    for (int i = 0; i <= STEPS; i++) {
        const double time = 3.0 * i / (double)STEPS;
        view_sample_clip(&of->picture, "walk", in_phase ? time * rate * walk_time : time, walk);
        view_sample_clip(&of->picture, "run", in_phase ? time * rate * run_time : time, run);
        md5_blend_poses(walk, run, (float)gait, NULL, count, both);
        x[i] = md5_joint_in_model(of->scene.skeleton, both, foot).translation.x;
    }
    const int window = (int)((double)STEPS / (3.0 * rate)) + 1;
    double smallest = INFINITY;
    for (int first = 0; first + window <= STEPS; first++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = first; i <= first + window; i++) {
            low = fmin(low, x[i]);
            high = fmax(high, x[i]);
        }
        smallest = fmin(smallest, high - low);
    }
    return smallest;
}

TEST_PAGE (page_sync_measures_whole_cycles, "sync") {
    for (int i = 1; i < 10; i += 2) {
        page_set(of, "walk 0, run 1", 0.1f * (float)i);
        page_show(of, 2.0);
        const double own = smallest_step(of, 0.1 * i, false);
        const double phase = smallest_step(of, 0.1 * i, true);
        CHECK_NEAR(page_fact(of, "smallest step, own rates"), own, 0.05 * own);
        CHECK_NEAR(page_fact(of, "smallest step, in phase"), phase, 0.02 * phase);
    }
}

static bool has_label(const view_picture *picture, const char *text, view_color color)
{
    for (uint32_t i = 0; i < picture->num_labels; i++)
        if (strcmp(picture->labels[i].text, text) == 0)
            return picture->labels[i].color == color;
    return false;
}

static uint32_t count_lines(const view_picture *picture, view_color color)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < picture->lines.count; i += 2)
        count += page_has_color(&picture->lines.vertices[i], color) ? 1u : 0u;
    return count;
}

// Three states and four arrows of two lines; what plays is bright.
TEST_PAGE (page_machine_has_a_graph, "machine") {
    page_set(of, "fade, seconds", 0.3f);
    page_show(of, 1.0);
    CHECK(has_label(&of->picture, "idle", VIEW_PLAIN));
    CHECK(has_label(&of->picture, "walk", VIEW_YELLOW));
    CHECK(has_label(&of->picture, "run", VIEW_PLAIN));
    CHECK(count_lines(&of->picture, VIEW_DIM_LINE) == 8);
    CHECK(count_lines(&of->picture, VIEW_RED) == 0);
    page_show(of, 1.4); // from walk to run
    CHECK(has_label(&of->picture, "run", VIEW_YELLOW));
    CHECK(count_lines(&of->picture, VIEW_RED) == 2);
    // The durations that are shown are those that are played.
    CHECK(strstr(of->page->lines, "when speed > 25 duration %g"));
}

TEST_PAGE (page_machine_goes_where_its_conditions_lead, "machine") {
    page_set(of, "highest speed",
             40.0f); // 20 a second: over 0.5 at 0.025 s, over 25 at 1.25 s
    page_set(of, "fade, seconds", 0.3f);
    page_show(of, 0.0);
    CHECK_NEAR(page_fact(of, "state"), 0.0, 0.0);
    page_show(of, 1.0);
    CHECK_NEAR(page_fact(of, "speed"), 20.0, 0.7);
    CHECK_NEAR(page_fact(of, "state"), 1.0, 0.0);
    page_show(of, 1.4); // in the transition, for 0.15 of 0.3 seconds
    CHECK_NEAR(page_fact(of, "state"), 2.0, 0.0);
    CHECK_NEAR(page_fact(of, "from"), 1.0, 0.0);
    CHECK_NEAR(page_fact(of, "progress"), 0.5, 0.25);
    page_show(of, 4.0);
    CHECK_NEAR(page_fact(of, "state"), 2.0, 0.0);
    CHECK_NEAR(page_fact(of, "from"), -1.0, 0.0);
    page_set(of, "highest speed", 10.0f); // never fast
    page_show(of, 4.0);
    CHECK_NEAR(page_fact(of, "state"), 1.0, 0.0);
}

// Cycles of walk and run in a second, in the order of the change.
static void find_rates(const page_case *of, int old, double rates[2])
{
    static const char *const names[2] = {"walk", "run"};
    for (int i = 0; i < 2; i++)
        rates[i] =
            1.0 / view_page_clip(&of->picture, names[i == 0 ? old : 1 - old])->anim->duration;
}

// Two steps a cycle: with the same phase at first they are apart by the difference of the rates;
// a clip that starts where it starts, by the part of the cycle at which the other is left, too.
TEST_PAGE (page_in_step_measures_how_far_clips_drift, "in_step") {
    for (int i = 0; i < 8; i++) {
        const double fade = 0.3 + 0.15 * i, leave = 0.4 + 0.1 * i;
        double rates[2];
        page_set(of, "old clip", (float)(i % 2));
        page_set(of, "fade, seconds", (float)fade);
        page_set(of, "exit, cycles", (float)leave);
        page_show(of, 1.0);
        find_rates(of, i % 2, rates);
        const double drift = 2.0 * (rates[1] - rates[0]), behind = 2.0 * (round(leave) - leave);
        const view_series *const in_step = page_series(of, 0, "in step");
        CHECK(in_step->count > 20);
        for (uint32_t k = 0; k < in_step->count; k++) {
            const double x = in_step->points[k].x;
            CHECK_NEAR(in_step->points[k].y, 0.0, 1e-3);
            CHECK_NEAR(page_series_at(page_series(of, 0, "phase"), x), drift * x, 1e-3);
            CHECK_NEAR(page_series_at(page_series(of, 0, "none"), x), behind + drift * x, 1e-3);
        }
        CHECK_NEAR(page_fact(of, "apart, in step"), 0.0, 1e-3);
        CHECK_NEAR(page_fact(of, "apart, keep_phase"), drift * fade, 0.06);
    }
}

// In step the shared clock has the mean of both rates by the weights, which rise linearly: feet
// land where its integral is half a cycle, those of both clips together.
TEST_PAGE (page_in_step_lands_feet_together, "in_step") {
    for (int old = 0; old < 2; old++) {
        double rates[2];
        page_set(of, "old clip", (float)old);
        page_set(of, "fade, seconds", 1.4f);
        page_set(of, "exit, cycles", 0.75f);
        page_show(of, 1.0);
        find_rates(of, old, rates);
        const double begin = 0.75 / rates[0], tick = 3.0 / 240.0;
        for (int way = 0; way < 2; way++) {
            const view_series *const feet = page_series(of, 1, way == 0 ? "in step" : "phase");
            uint32_t together = 0, others = 0;
            for (uint32_t i = 0; i < feet->count; i++) {
                const double x = feet->points[i].x - begin, up = feet->points[i].y - (2.0 - way);
                bool has_other = false;
                if (x < tick || x > 1.3 || fabs(up) < 0.01)
                    continue;
                for (uint32_t k = 0; k < feet->count; k++)
                    has_other = has_other
                                || (feet->points[k].x == feet->points[i].x
                                    && up * (feet->points[k].y - (2.0 - way)) < 0.0);
                together += has_other;
                others += !has_other;
                const double steps =
                    2.0 * (0.75 + rates[0] * x + 0.5 * (rates[1] - rates[0]) * x * x / 1.4);
                CHECK(way == 1 || fabs(steps - round(steps)) < 2.0 * tick * 1.7);
            }
            CHECK(way == 0 ? together >= 4 && others == 0 : others >= 4);
        }
    }
}

// Frames of the attack, 34 a cycle, until the blow, and of the blow, 27 a cycle, at 30 a second.
// Returns the weight of the clip that has a window while it is open.
static double window_weight(int window, double time, double begin, double fade)
{
    static const double frames[3][2] = {{6, 26}, {12, 18}, {2, 20}};
    const double since = time - begin;
    const double share = since < 0.0 ? 0.0 : since < fade ? since / fade : 1.0;
    const double frame = window < 2 ? fmod(30.0 * time, 34.0) : fmod(30.0 * since, 27.0);
    const bool is_open = frame >= frames[window][0] && frame <= frames[window][1];
    return is_open ? (window < 2 ? 1.0 - share : share) : 0.0;
}

TEST_PAGE (page_windows_are_bars_with_both_ends, "windows") {
    static const char *const names[3] = {"swing", "hit", "dazed"};
    for (int i = 0; i < 24; i++) {
        const double leave = 0.13 + 0.07 * i, fade = i % 4 == 0 ? 0.0 : 0.11 * (i % 7 + 1);
        const view_plot *const plot = &of->picture.plots[0];
        page_set(of, "blow after, cycles", (float)leave);
        page_set(of, "fade, seconds", (float)fade);
        page_show(of, 1.7);
        for (int window = 0; window < 3; window++) {
            const view_series *const bar = page_series(of, 0, names[window]);
            uint32_t opened = 0, closed = 0, begun = 0, ended = 0;
            double last = 0.0;
            for (uint32_t k = 0; k < bar->count; k++) {
                const double x = bar->points[k].x, begin = leave * 34.0 / 30.0;
                const double now = window_weight(window, x, begin, fade);
                opened += now > 0.0 && last <= 0.0;
                closed += now <= 0.0 && last > 0.0;
                last = now;
                CHECK_NEAR(bar->points[k].y, 2.0 - window + 0.8 * now, 2e-4);
            }
            for (uint32_t k = 0; k < plot->num_marks; k++)
                if (floorf(plot->marks[k].point.y) == (float)(2 - window)) {
                    begun += plot->marks[k].color == VIEW_GREEN;
                    ended += plot->marks[k].color == VIEW_RED;
                }
            CHECK_UINT(begun, opened);
            CHECK_UINT(ended, closed);
        }
    }
}

// The one-shot as its rules say it: 24 frames a second, a section after another.
TEST_PAGE (page_sections_go_where_they_are_told, "sections") {
    static const double first[3] = {0, 32, 66}, last[3] = {32, 60, 84};
    static const char *const names[3] = {"raise", "wave", "lower"};
    const double tick = 6.0 / 128.0;
    for (int i = 0; i < 24; i++) {
        const int change = i % 4, told = 12 + 3 * i; // in `raise`, too
        int section = 0, next = 1;
        bool loops = true, plays = true;
        double frame = 0.0;
        page_set(of, "is told", (float)change);
        page_set(of, "at, seconds", (float)(tick * told));
        page_show(of, 1.8);
        for (int k = 0; k <= 128; k++) {
            frame += k > 0 ? 24.0 * tick : 0.0;
            if (section >= 0 && frame >= last[section]) {
                frame += next >= 0 ? first[next] - last[section] : 0.0;
                section = next;
                next = loops ? next : -1;
            }
            if (k == told) {
                loops = change == MD5_SECTION_LOOP;
                next = change == MD5_SECTION_NEXT || loops ? 2 : -1;
                section = change == MD5_SECTION_JUMP ? 2 : section;
                frame = change == MD5_SECTION_JUMP ? first[2] : frame;
            }
            plays = plays && frame < 84.0;
            CHECK_NEAR(page_series(of, 0, "one-shot")->points[k].y, plays ? frame : 0.0, 1e-3);
            for (int row = 0; row < 3; row++) {
                const double left = loops ? 1.0 : (84.0 - frame) / 24.0 / 0.3;
                const double weight = plays && row == section ? fmin(left, 1.0) : 0.0;
                CHECK_NEAR(page_series(of, 1, names[row])->points[k].y, 2.0 - row + 0.8 * weight,
                           1e-3);
            }
        }
    }
}

// The staff's shaft is turned about the prop's z by twice the arc sine of 0.6088.
TEST_PAGE (page_grip_holds_the_staff, "grip") {
    const uint32_t hand = md5_find_joint(of->scene.skeleton, "hand_l"),
                   prop = md5_find_joint(of->scene.skeleton, "prop_r");
    const double turn = 2.0 * asin(0.6088);
    for (int clip = 0; clip < 4; clip++)
        for (int along = 14; along <= 20; along += 2) {
            const md5_vec3 grip = {(float)(along * cos(turn)), (float)(along * sin(turn)), 0.0f};
            page_set(of, "clip", (float)clip);
            page_set(of, "along the staff", (float)along);
            page_set(of, "weight", 1.0f);
            page_show(of, 0.5 * clip + 0.1 * along);
            const md5_xform *const pose = of->picture.figures[1].pose;
            const md5_vec3 place =
                md5_xform_point(md5_joint_in_model(of->scene.skeleton, pose, prop), grip);
            const md5_vec3 apart =
                md5_vec3_sub(place, md5_joint_in_model(of->scene.skeleton, pose, hand).translation);
            CHECK(md5_vec3_length(apart) < 1e-2f); // of four digits
            CHECK(page_fact(of, "farthest, both hands") < 1e-3);
            CHECK(page_fact(of, "farthest, right hand alone") > 5.0);
            page_set(of, "weight", 0.0f);
            page_show(of, 1.0);
            CHECK_NEAR(page_fact(of, "farthest, both hands"),
                       page_fact(of, "farthest, right hand alone"), 0.0);
        }
}

// -- Skinning -------------------------------------------------------------------------------

TEST_PAGE (page_quaternion_w_is_rebuilt, "quaternion_w") {
    for (int angle = 0; angle <= 360; angle += 20) {
        page_set(of, "angle, degrees", (float)angle);
        page_set(of, "digits", 7.0f);
        page_show(of, 0.0);
        // w is the cosine of half of `angle`; of the two quaternions of a rotation the file's
        // has w <= 0.
        CHECK_NEAR(page_fact(of, "w"), -fabs(cos(angle * 3.14159265358979 / 360.0)), 1e-6);
        CHECK_NEAR(page_fact(of, "w rebuilt"), page_fact(of, "w"), 1e-3);
    }
    // Near half a turn w is small and its digits are lost; at other angles they are not.
    page_set(of, "digits", 2.0f);
    page_set(of, "angle, degrees", 172.0f);
    page_show(of, 0.0);
    const double near_half = page_fact(of, "error of the rotation");
    page_set(of, "angle, degrees", 60.0f);
    page_show(of, 0.0);
    CHECK(near_half > 1.0 && page_fact(of, "error of the rotation") < near_half);
}

// The angle between two rotations of any length, in degrees and double precision.
static double real_angle(const double q[4], md5_quat rotation)
{
    const double r[4] = {rotation.x, rotation.y, rotation.z, rotation.w};
    const double x = q[3] * r[0] - q[0] * r[3] - q[1] * r[2] + q[2] * r[1],
                 y = q[3] * r[1] + q[0] * r[2] - q[1] * r[3] - q[2] * r[0],
                 z = q[3] * r[2] - q[0] * r[1] + q[1] * r[0] - q[2] * r[3],
                 w = q[0] * r[0] + q[1] * r[1] + q[2] * r[2] + q[3] * r[3];
    return 2.0 * atan2(sqrt(x * x + y * y + z * z), fabs(w)) * 57.29577951308232;
}

// As the library reads it: from a model of one joint.
TEST_PAGE (page_quaternion_w_is_that_of_a_file, "quaternion_w") {
    static const int angles[] = {20, 60, 100, 140, 172, 179, 180};
    for (int digits = 1; digits <= 7; digits++)
        for (int i = 0; i < 7; i++) {
            char text[256];
            page_set(of, "digits", (float)digits);
            page_set(of, "angle, degrees", (float)angles[i]);
            page_show(of, 0.0);
            const md5_quat turn = of->picture.figures[0].place.rotation; // with w
            const double q[4] = {turn.x, turn.y, turn.z, turn.w};
            snprintf(text, sizeof text,
                     "MD5Version 10 commandline \"\" numJoints 1 numMeshes 0 joints { "
                     "\"j\" -1 ( 0 0 0 ) ( %.*f %.*f %.*f ) }",
                     digits, q[0], digits, q[1], digits, q[2]);
            OWN_MODEL model = md5_parse_model(text, strlen(text), NULL, NULL);
            if (!CHECK(model))
                continue;
            const double error = real_angle(q, model->bind_local[0].rotation);
            CHECK_NEAR(page_fact(of, "error of the rotation"), error, 2e-3 * error + 3e-5);
        }
}

TEST_PAGE (page_palette_carries_from_the_bind_pose, "palette") {
    page_set(of, "bind 0, clip 1", 0.0f);
    page_show(of, 0.0);
    CHECK_NEAR(page_fact(of, "fingertip moves"), 0.0, 1e-3); // its palette is the identity
    CHECK_NEAR(page_fact(of, "shoulder's matrix moves 0 by"), 0.0, 1e-3);
    page_set(of, "bind 0, clip 1", 1.0f);
    page_show(of, 0.0);
    const uint32_t tip = view_page_joint(&of->picture, "finger_b_2_r");
    const md5_vec3 move = md5_vec3_sub(
        md5_joint_in_model(of->scene.skeleton, of->picture.figures[1].pose, tip).translation,
        md5_mat34_translation(of->scene.model->bind[tip]));
    CHECK(page_fact(of, "fingertip moves") > 5.0);
    CHECK_NEAR(page_fact(of, "fingertip moves"), sqrt((double)md5_vec3_dot(move, move)), 1e-3);
    CHECK(page_fact(of, "ours to the library's") < 1e-4);
}

// A vertex at distance r from the axis, of whose weight s turns with the joint by an angle: in the
// complex plane, linear skinning takes it to r (1 - s + s exp(i angle)), dual quaternions keep r.
// Weights are those of the file.
static double twisted_waist(const md5_model *model, uint32_t joint, double angle)
{
    const md5_vec3 axis = md5_mat34_translation(model->bind[joint]);
    double before = 0.0, after = 0.0;
    for (uint32_t m = 0; m < model->num_meshes; m++)
        for (uint32_t v = 0; v < model->meshes[m].num_vertices; v++) {
            const md5_mesh *const mesh = &model->meshes[m];
            const md5_vertex vertex = mesh->file_vertices[mesh->sources[v]];
            double share = 0.0;
            for (uint32_t i = 0; i < vertex.num_weights; i++) {
                const md5_weight weight = mesh->weights[vertex.first_weight + i];
                bool is_below = false;
                for (uint32_t at = weight.joint; at != MD5_NONE;
                     at = model->skeleton.joints[at].parent)
                    is_below = is_below || at == joint;
                share += is_below ? weight.bias : 0.0;
            }
            if (!(share > 0.25 && share < 0.75))
                continue;
            const double r =
                hypot((double)mesh->positions[v].x - axis.x, (double)mesh->positions[v].y - axis.y);
            before += r;
            after += r * hypot(1.0 - share + share * cos(angle), share * sin(angle));
        }
    return 100.0 * after / before;
}

TEST_PAGE (page_dual_keeps_the_waist_of_what_twists, "dual") {
    page_set(of, "neck, degrees", 0.0f);
    for (int i = 0; i <= 3; i++) {
        page_set(of, "waist, degrees", 50.0f * (float)i);
        page_show(of, 0.0);
        const double expected =
            twisted_waist(of->scene.model, view_page_joint(&of->picture, "spine_2"),
                          50.0 * i * 3.14159265358979 / 180.0);
        CHECK_NEAR(page_fact(of, "waist, linear"), expected, 0.2);
        CHECK_NEAR(page_fact(of, "waist, dual"), 100.0, 0.2);
        CHECK(i > 0 || page_fact(of, "farthest apart") < 1e-3);
        CHECK(i < 3 || page_fact(of, "farthest apart") > 1.0);
    }
}

TEST_PAGE (page_influences_measures_weights, "influences") {
    const md5_model *const model = of->scene.model;
    uint32_t most = 0;
    double sum = 0.0;
    for (uint32_t m = 0; m < model->num_meshes; m++) // counted in the file's tables
        for (uint32_t v = 0; v < model->meshes[m].num_file_vertices; v++) {
            const md5_vertex vertex = model->meshes[m].file_vertices[v];
            most = vertex.num_weights > most ? vertex.num_weights : most;
        }
    page_set(of, "joint", 0.0f);
    page_show(of, 0.0);
    CHECK_NEAR(page_fact(of, "most joints of a vertex"), most, 0.0);
    for (int joint = 1; joint <= 9; joint++) {
        page_set(of, "joint", (float)joint);
        page_show(of, 0.0);
        const double weight = page_fact(of, "largest weight");
        CHECK(weight > 0.1 && weight < 1.0 + 1e-5);
        CHECK(page_fact(of, "vertices that it moves") > 10.0);
        sum += page_fact(of, "vertices that it moves");
    }
    CHECK(sum > 1000.0);
}

// -- The page of gaze -----------------------------------------------------------------------------

// The facts that the page of gaze shows: a head and eyes that look around.

TEST_PAGE (page_gaze_follows_the_ball_and_repeats_by_its_seed, "gaze") {
    page_set(of, "interest in the ball", 1.0f);
    page_show(of, 9.0);
    CHECK(page_fact(of, "looks at the ball") == 1.0);
    const double saccades = page_fact(of, "saccades");
    CHECK(saccades >= 4.0 && saccades <= 23.0); // each after 0.4 to 2 s
    const double head = page_fact(of, "head to his left");
    page_set(of, "interest in the ball", 0.0f);
    page_show(of, 9.0);
    CHECK(page_fact(of, "looks at the ball") == 0.0);
    page_set(of, "interest in the ball", 1.0f);
    page_show(of, 9.0);
    CHECK(page_fact(of, "head to his left") == head);
}

// Simulated here four times as finely: how often the eyes have set out, the first time at once.
TEST_PAGE (page_gaze_counts_saccades, "gaze") {
    page_set(of, "interest in the ball", 0.0f);
    const uint32_t left = view_page_joint(&(view_picture){.skeleton = of->scene.skeleton}, "eye_l");
    for (int seed = 1; seed < 6; seed++) {
        page_set(of, "seed", (float)seed);
        page_show(of, 9.0);
        const md5_gaze_desc desc = {.head = left,
                                    .numbers = {.interest = MD5_ZERO,
                                                .distance = 60.0f,
                                                .max_seconds = 2.0f,
                                                .head_share = 0.6f,
                                                .head_seconds = 0.2f}};
        md5_gaze gaze;
        double count = 0.0;
        md5_vec2 to = {NAN, NAN};
        md5_gaze_begin((uint64_t)seed, &gaze);
        for (int i = 0; i < 9 * 240; i++) {
            md5_gaze_advance(&desc, of->scene.skeleton->axes, &gaze, 1.0 / 240.0);
            count += to.x != gaze.to.x || to.y != gaze.to.y ? 1.0 : 0.0;
            to = gaze.to;
        }
        CHECK_NEAR(page_fact(of, "saccades"), count, 0.0);
    }
}

TEST_PAGE (page_gaze_keeps_the_head_still_without_a_share, "gaze") {
    page_set(of, "head's share", 0.0f);
    page_show(of, 9.0);
    const view_series *const eyes = page_series(of, 0, "eyes");
    const view_series *const head = page_series(of, 0, "head");
    float most = 0.0f;
    CHECK(eyes->count > 100 && head->count == eyes->count);
    for (uint32_t i = 0; i < head->count; i++) {
        CHECK_NEAR(head->points[i].y, 0.0, 0.0);
        most = fmaxf(most, fabsf(eyes->points[i].y));
    }
    CHECK(most > 10.0f && most < 45.0f);
}

// -- The pages of vertices ------------------------------------------------------------------------

// The facts that the pages of baked vertices, impostors and automatic weights show.

// -- Vertices in double precision -----------------------------------------------------------

// The sum of bias * (joint * offset) over weights[count], as the file format defines it.
static real3 posed(const md5_weight *weights, uint32_t count, const md5_mat34 *joints)
{
    real3 sum = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < count; i++) {
        const real3 place =
            real3_transform(&joints[weights[i].joint], real3_of(weights[i].offset), 1.0);
        sum = real3_add(sum, real3_scale(place, weights[i].bias));
    }
    return sum;
}

static real3 posed_vertex(const md5_mesh *mesh, uint32_t vertex, const md5_mat34 *joints)
{
    const md5_vertex of = mesh->file_vertices[mesh->sources[vertex]];
    return posed(mesh->weights + of.first_weight, of.num_weights, joints);
}

typedef struct moved {
    const view_clip *clip;
    md5_xform *pose;
    md5_mat34 *joints, *palette;
} moved;

static bool begin_moving(moved *of, const page_case *page, const char *clip)
{
    const uint32_t count = page->scene.num_joints;
    of->clip = view_page_clip(&page->picture, clip);
    of->pose = malloc(count * sizeof *of->pose);
    of->joints = malloc(3 * count * sizeof *of->joints);
    of->palette = malloc(count * sizeof *of->palette);
    return of->clip != NULL && of->pose != NULL && of->joints != NULL && of->palette != NULL;
}

static void end_moving(moved *of)
{
    free(of->pose);
    free(of->joints);
    free(of->palette);
}

static void move(moved *of, double part, md5_mat34 *joints)
{
    const md5_moment moment =
        md5_moment_at(of->clip->anim, part * of->clip->anim->duration, MD5_WRAP_LOOP);
    md5_pose_palette(of->clip->binding, moment, MD5_ROOT_IN_PLACE, of->pose, joints, of->palette);
}

// -- Baked ----------------------------------------------------------------------------------

// The largest distance between the means of two frames' vertices and the vertices halfway between
// the frames.
static double middle_error(moved *of, const page_case *page, uint32_t frame, uint32_t frames)
{
    const uint32_t count = page->scene.num_joints;
    double largest = 0.0;
    for (int i = 0; i < 3; i++)
        move(of, (frame + 0.5 * i) / frames, of->joints + (size_t)i * count);
    for (uint32_t m = 0; m < page->scene.model->num_meshes; m++) {
        const md5_mesh *const mesh = &page->scene.model->meshes[m];
        for (uint32_t v = 0; v < mesh->num_vertices; v++) {
            const real3 a = posed_vertex(mesh, v, of->joints),
                        own = posed_vertex(mesh, v, of->joints + count),
                        b = posed_vertex(mesh, v, of->joints + 2 * (size_t)count);
            const double off = real3_distance(real3_scale(real3_add(a, b), 0.5), own);
            largest = off > largest ? off : largest;
        }
    }
    return largest;
}

TEST_PAGE (page_bake_shows_the_error_between_frames, "bake") {
    moved by;
    page_set(of, "clip", 0.0f); // a walk of one second
    page_set(of, "frames a second", 12.0f);
    page_show(of, 0.3);
    const double shown = page_fact(of, "largest error");
    const uint32_t frames = (uint32_t)page_fact(of, "frames");
    double largest = 0.0;
    if (CHECK(begin_moving(&by, of, "walk"))) {
        CHECK_UINT(frames, (uint32_t)round(12.0 * by.clip->anim->duration));
        for (uint32_t i = 0; i < frames; i++) {
            const double error = middle_error(&by, of, i, frames);
            largest = error > largest ? error : largest;
        }
    }
    end_moving(&by);
    CHECK(largest > 0.1);
    // The error is largest near the middle, not exactly there, and baked positions are
    // quantized.
    CHECK(shown > largest - 0.01 && shown < 1.15 * largest + 0.01);
    CHECK(page_fact(of, "error at frames") < 0.002);
    CHECK_UINT(of->picture.num_figures, 3);
    page_set(of, "frames a second", 24.0f); // half the interval: about a quarter of the error
    page_show(of, 0.3);
    CHECK(page_fact(of, "largest error") < 0.5 * shown);
}

// Whatever the numbers of frames: 96 frames of a dance once had no error, measured at 96 moments.
TEST_PAGE (page_bake_measures_between_all_frames, "bake") {
    moved by;
    page_set(of, "clip", 2.0f);
    page_set(of, "frames a second", 24.0f);
    page_show(of, 0.3);
    CHECK_UINT((uint32_t)page_fact(of, "frames"), 96);
    double largest = 0.0;
    if (CHECK(begin_moving(&by, of, "dance")))
        for (uint32_t i = 0; i < 96; i++)
            largest = fmax(largest, middle_error(&by, of, i, 96));
    end_moving(&by);
    CHECK(largest > 1.0);
    CHECK(page_fact(of, "largest error") > largest - 0.01
          && page_fact(of, "largest error") < 1.15 * largest + 0.01);
}

// -- Automatic weights ----------------------------------------------------------------------

static double largest_difference(moved *of, const page_case *page, const md5_weights *weights,
                                 double *mean)
{
    double largest = 0.0, sum = 0.0;
    for (uint32_t i = 0; i < 24; i++) {
        uint32_t first = 0;
        move(of, i / 24.0, of->joints);
        for (uint32_t m = 0; m < page->scene.model->num_meshes; m++) {
            const md5_mesh *const mesh = &page->scene.model->meshes[m];
            for (uint32_t v = 0; v < mesh->num_vertices; v++) {
                const md5_vertex bound = weights->vertices[first + v];
                const double off = real3_distance(
                    posed_vertex(mesh, v, of->joints),
                    posed(weights->weights + bound.first_weight, bound.num_weights, of->joints));
                largest = off > largest ? off : largest;
                sum += off;
            }
            first += mesh->num_vertices;
        }
        *mean = sum / (24.0 * first);
    }
    return largest;
}

TEST_PAGE (page_bind_shows_the_difference_from_own_weights, "bind") {
    moved by;
    double mean = 0.0;
    page_set(of, "voxels along him", 32.0f);
    page_set(of, "influences", 3.0f);
    page_set(of, "clip", 0.0f);
    page_show(of, 0.3);
    const md5_weights_desc desc = {.resolution = 32, .max_influences = 3};
    md5_weights *const weights = view_bind_weights(of->scene.model, desc, NULL);
    if (CHECK(begin_moving(&by, of, "walk")) && CHECK(weights)) {
        const double largest = largest_difference(&by, of, weights, &mean);
        CHECK_NEAR(page_fact(of, "largest difference"), largest, 2e-3);
        CHECK_NEAR(page_fact(of, "mean difference"), mean, 1e-3);
        CHECK(page_fact(of, "voxels inside") == weights->num_voxels);
        CHECK(mean > 0.01 && largest > 1.0);
    }
    md5_free_weights(weights);
    end_moving(&by);
    CHECK(of->kept.bound != NULL && of->kept.bound->meshes[0].max_influences == 3);
    page_set(of, "voxels along him", 16.0f);
    page_set(of, "rounds of smoothing", 0.0f);
    page_set(of, "falloff", 0.0f);
    const double voxels = page_fact(of, "voxels inside");
    page_show(of, 0.3);
    CHECK(page_fact(of, "voxels inside") < 0.3 * voxels);
}

TEST_PAGE (page_bind_has_a_model_of_the_same_surface, "bind") {
    page_set(of, "voxels along him", 16.0f);
    page_show(of, 0.3);
    const md5_model *const own = of->scene.model, *const bound = of->kept.bound;
    double largest = 0.0;
    for (uint32_t m = 0; CHECK(bound) && m < own->num_meshes; m++)
        for (uint32_t v = 0; v < own->meshes[m].num_vertices; v++) {
            const double off = md5_vec3_length(
                md5_vec3_sub(own->meshes[m].positions[v], bound->meshes[m].positions[v]));
            largest = off > largest ? off : largest;
        }
    CHECK(largest < 1e-4);
}

// -- Impostors ------------------------------------------------------------------------------

// The largest angle from a direction between the rings, at 0.17 and 0.79 radians, to the nearest
// picture, by trying all.
static double farthest_from_pictures(int num_around)
{
    static const double rings[2] = {0.17, 0.79};
    double farthest = 0.0;
    for (int i = 0; i <= 400; i++)
        for (int k = 0; k < 100; k++) {
            const double up = rings[0] + (rings[1] - rings[0]) * i / 400.0;
            const double around = 6.28318530717959 / num_around * k / 100.0;
            double cosine = -1.0;
            for (int view = 0; view < 2 * num_around; view++) {
                const double ring = rings[view % 2],
                             at = 6.28318530717959 * (view / 2) / num_around;
                cosine = fmax(cosine, sin(up) * sin(ring) + cos(up) * cos(ring) * cos(around - at));
            }
            farthest = fmax(farthest, acos(fmin(cosine, 1.0)));
        }
    return farthest * 57.29577951308232;
}

TEST_PAGE (page_impostor_shows_the_nearest_frame, "impostor") {
    page_set(of, "texels", 1.0f); // 32
    page_set(of, "directions around", 10.0f);
    page_set(of, "frames of the clip", 8.0f);
    const view_picture *const picture = &of->picture;
    page_show(of, 0.0);
    const double second = view_page_clip(picture, "walk")->anim->duration;
    for (int i = 0; i <= 16; i++) {
        page_show(of, second * (i + 0.4) / 16.0);
        const uint32_t frame = (uint32_t)(i + 1) / 2 % 8;
        for (uint32_t k = 0; k < picture->num_figures; k++)
            CHECK_UINT(picture->figures[k].moment.frame0, frame);
    }
    CHECK_UINT(picture->num_figures, 6);
    CHECK(page_fact(of, "pictures of a frame") == 21.0);
    CHECK_NEAR(page_fact(of, "farthest from a picture"), farthest_from_pictures(10), 0.02);
    // 8 frames of 21 pictures of 32 * 32 texels of 8 bytes, and a third for smaller levels.
    CHECK_NEAR(page_fact(of, "memory, about"), 1.75, 1e-9);
}

TEST_PAGE (page_manner_keeps_the_step_that_a_blend_halves, "manner") {
    page_show(of, 0.5);
    const double step = page_fact(of, "step of the third clip");
    CHECK(page_fact(of, "step, difference added") > 0.8 * step);
    CHECK_NEAR(page_fact(of, "step, blended by half"), 0.5 * step, 0.1 * step);
    CHECK(page_fact(of, "head to the third clip") > 8.0); // it hangs
}

TEST_PAGE (page_manner_without_weight_is_the_third_clip, "manner") {
    page_set(of, "weight", 0.0f);
    page_show(of, 0.5);
    CHECK_NEAR(page_fact(of, "head to the third clip"), 0.0, 1e-3);
    CHECK_NEAR(page_fact(of, "step, difference added"), page_fact(of, "step of the third clip"),
               1e-4);
}

// The largest angle between M n and the inverse transpose of M times n, over all directions n, in
// double precision.
static double largest_tilt(const double scales[3])
{
    double largest = 0.0;
    for (int i = 0; i <= 360; i++)
        for (int k = 0; k < 720; k++) {
            const double high = i * 3.14159265358979 / 360.0, around = k * 3.14159265358979 / 360.0;
            const double n[3] = {sin(high) * cos(around), sin(high) * sin(around), cos(high)};
            double dot = 0.0, a = 0.0, b = 0.0;
            for (int j = 0; j < 3; j++) {
                const double scaled = scales[j] * n[j], normal = n[j] / scales[j];
                dot += scaled * normal;
                a += scaled * scaled;
                b += normal * normal;
            }
            largest = fmax(largest, acos(fmin(dot / sqrt(a * b), 1.0)));
        }
    return largest * 180.0 / 3.14159265358979;
}

TEST_PAGE (page_normals_by_cofactors_stay_on_the_surface, "normals") {
    page_set(of, "width", 1.5f);
    page_set(of, "height", 0.4f);
    page_show(of, 0.0);
    const double tilt = largest_tilt((const double[3]){1.0, 1.5, 0.4});
    CHECK_NEAR(page_fact(of, "largest error, the matrix"), tilt, 0.05 * tilt);
    CHECK(page_fact(of, "largest error, cofactors") < 0.01);
    page_set(of, "lean", 0.6f);
    page_show(of, 0.0);
    CHECK(page_fact(of, "largest error, cofactors") < 0.01);
}

TEST_PAGE (page_normals_by_the_matrix_are_right_for_equal_scales, "normals") {
    page_set(of, "width", 1.0f);
    page_set(of, "height", 1.0f);
    page_show(of, 0.0);
    CHECK(page_fact(of, "largest error, the matrix") < 0.01);
}

TEST_PAGE (page_chain_carries_the_hat_with_its_parent, "chain") {
    for (int parent = 0; parent < 4; parent++) {
        page_set(of, "hat on", (float)parent);
        page_show(of, 0.0); // it was just given away, where it was
        CHECK_NEAR(page_fact(of, "hat to where it was put on"), 0.0, 1e-4);
        page_show(of, 2.0);
        CHECK(parent == 0 ? page_fact(of, "hat to where it was put on") < 1e-4
                          : page_fact(of, "hat to where it was put on") > 1.0);
    }
}

// A ship that only heaves lifts what is on it, and not what floats beside it.
TEST_PAGE (page_chain_lifts_what_is_on_the_ship, "chain") {
    page_set(of, "ship rolls, degrees", 0.0f);
    for (int parent = 1; parent < 4; parent++) {
        page_set(of, "hat on", (float)parent);
        page_show(of, 0.0);
        const double before = page_fact(of, "hat over the water");
        page_show(of, 2.0);
        CHECK_NEAR(page_fact(of, "hat over the water") - before,
                   parent < 3 ? 2.0 * sin(0.7 * 2.0) : 0.0, 1e-4);
    }
}
